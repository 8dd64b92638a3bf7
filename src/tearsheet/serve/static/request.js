// Requests to the service, and elements made without HTML in strings.
const at = (id) => document.getElementById(id);

// `tearsheet serve` prints a link with the token behind #, which browsers send to nobody. It is kept for this
// origin, its port included, so that new tabs and the bookmarklet's window have it too.
function takeToken() {
  const given = location.hash.match(/^#token=([\w.~-]+)$/);
  if (!given) return;
  localStorage.setItem("token", given[1]);
  history.replaceState(null, "", "#/");
}
takeToken();
addEventListener("hashchange", takeToken);

export async function ask(path, wish = {}) {
  const answer = await send(path, wish);
  return answer.status === 204 ? null : answer.json();
}

// The bytes at a path: frames and pictures cannot send a token, so they get these.
export async function askBlob(path, wish = {}) { return (await send(path, wish)).blob(); }

async function send(path, { method = "GET", json, body, type, signal } = {}) {
  const headers = {};
  const token = localStorage.getItem("token");
  if (token) headers.Authorization = `Bearer ${token}`;
  if (json !== undefined) headers["Content-Type"] = "application/json";
  else if (type) headers["Content-Type"] = type;
  const answer = await fetch(path, { method, headers, signal, body: json === undefined ? body : JSON.stringify(json) });
  if (answer.status === 401) { await askToken(); return send(path, { method, json, body, type, signal }); }
  if (answer.ok) return answer;
  const problem = await answer.json();
  throw Object.assign(new Error(problem.detail), { problem });
}

export function problemText(error) {
  if (!error.problem) return "The service does not answer. Is it running?";
  const { detail, advice } = error.problem;
  return `${sentence(detail)} ${advice && advice !== detail ? sentence(advice) : ""}`.trim();
}

// What a click does; what goes wrong is said.
export function onClick(button, act, say) {
  button.addEventListener("click", async () => { try { await act(); } catch (error) { say(problemText(error)); } });
}

export function sentence(text) {
  const begin = /^https?:/i.test(text) ? text[0] : text[0].toUpperCase(); // an address stays as it is
  return `${begin}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

function askToken() {
  const dialog = at("token-dialog");
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => { localStorage.setItem("token", at("token").value.trim()); resolve(); }, { once: true });
    dialog.showModal();
  });
}

export function element(name, values = {}, ...children) {
  const made = Object.assign(document.createElement(name), values);
  made.append(...children);
  return made;
}

export function fill(parent, children) { parent.replaceChildren(...children); }

// A question with one line for an answer; null if it is not answered.
export function askLine(title, label, value = "") {
  const dialog = at("ask-dialog");
  at("ask-title").textContent = title;
  at("ask-label").textContent = label;
  at("asked").value = value;
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes" ? at("asked").value.trim() : null), { once: true });
    dialog.returnValue = "no";
    dialog.showModal();
  });
}

// Hands bytes over as a file.
export function saveFile(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
