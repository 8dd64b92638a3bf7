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

export async function ask(path, { method = "GET", json, body, type } = {}) {
  const headers = {};
  const token = localStorage.getItem("token");
  if (token) headers.Authorization = `Bearer ${token}`;
  if (json !== undefined) headers["Content-Type"] = "application/json";
  else if (type) headers["Content-Type"] = type;
  const answer = await fetch(path, { method, headers, body: json === undefined ? body : JSON.stringify(json) });
  if (answer.status === 401) { await askToken(); return ask(path, { method, json, body, type }); }
  if (answer.status === 204) return null;
  const value = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(value.detail), { problem: value });
  return value;
}

export function problemText(error) {
  if (!error.problem) return "The service does not answer. Is it running?";
  const { detail, advice } = error.problem;
  return `${sentence(detail)} ${advice && advice !== detail ? sentence(advice) : ""}`.trim();
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
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

// Shows an address in a frame, and loads it only if it is a new one.
export function show(frame, address) {
  if (frame.getAttribute("src") !== address) frame.src = address;
}
