// The library: search, tags, sorting, several clips at once, and apart from them those that failed.
import { showToast } from "/static/desk.js";
import { ask, askBlob, askLine, element, fill, onClick, problemText, saveFile, sentence } from "/static/request.js";

const at = (id) => document.getElementById(id);
const PAGE = 30;
let say = () => {}, clips = [], total = 0, tag = "", chosen = new Set(), timer = 0, round = 0;

at("words").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(load, 200); });
at("find").addEventListener("submit", (event) => { event.preventDefault(); load(); });
at("sort").addEventListener("change", load);
at("more-clips").addEventListener("click", () => load(clips.length));
at("choose-none").addEventListener("click", () => { chosen.clear(); show(); });
at("make-epub").addEventListener("click", () => makeBook("epub"));
at("make-pdf").addEventListener("click", () => makeBook("pdf"));
at("send-mail").addEventListener("click", sendMail);
at("add-tag").addEventListener("click", addTag);
at("delete-chosen").addEventListener("click", () => confirm(`Delete ${count(chosen.size)} for good?`) && batch({ delete: true }, "Deleted"));

export async function openLibrary(showNotice) {
  say = showNotice;
  chosen.clear();
  const [, settings] = await Promise.all([load(), ask("/v1/settings"), loadFailed()]);
  at("send-mail").hidden = !settings.can_mail;
}

function count(number) { return number === 1 ? "1 clip" : `${number} clips`; }

async function load(offset = 0) {
  const from = typeof offset === "number" ? offset : 0, turn = ++round, words = at("words").value.trim();
  const [sort, order] = at("sort").value.split(" ");
  const query = new URLSearchParams({ sort, order, limit: PAGE, offset: from });
  if (words) query.set("q", words);
  if (tag) query.set("tag", tag);
  try {
    const [found, { tags }] = await Promise.all([ask(`/v1/clips?${query}`), ask("/v1/tags")]);
    if (turn !== round) return;
    const good = found.clips.filter((clip) => clip.state !== "failed");
    clips = from ? [...clips, ...good] : good;
    total = found.total;
    at("more-clips").hidden = !found.next;
    at("found").textContent = words || tag ? `${count(total)} found` : "";
    showTags(tags);
    show();
  } catch (error) { say(problemText(error)); }
}

function showTags(tags) {
  const button = ({ tag: name, clips: number }) => {
    const made = element("button", { type: "button", className: "tag" }, `${name} ${number}`);
    made.setAttribute("aria-pressed", String(name === tag));
    made.addEventListener("click", () => { tag = tag === name ? "" : name; load(); });
    return made;
  };
  fill(at("tags"), tags.map(button));
  fill(at("known-tags"), tags.map(({ tag: name }) => element("option", { value: name })));
}

function show() {
  fill(at("recent"), clips.map(item));
  const isSearch = Boolean(at("words").value.trim() || tag);
  at("nothing").hidden = clips.length > 0;
  at("nothing").textContent = isSearch ? "Nothing found. Try fewer or shorter words." : "No clips yet. Your first clip will appear here.";
  at("find").hidden = !clips.length && !isSearch;
  if (clips.length || !isSearch) at("start").classList.toggle("returns", clips.length > 0);
  at("chosen").hidden = !chosen.size;
  at("chosen-count").textContent = chosen.size ? `${count(chosen.size)} chosen` : "";
}

function item(clip) {
  const name = clip.title || clip.url || "A saved page";
  const box = element("input", { type: "checkbox", checked: chosen.has(clip.id) });
  box.setAttribute("aria-label", `Choose ${name}`);
  box.addEventListener("change", () => {
    if (box.checked) chosen.add(clip.id); else chosen.delete(clip.id);
    at("chosen").hidden = !chosen.size;
    at("chosen-count").textContent = chosen.size ? `${count(chosen.size)} chosen` : "";
  });
  const waits = clip.state === "done" ? "" : "being made";
  const minutes = clip.reading_minutes ? `${clip.reading_minutes} min` : "";
  const facts = [waits, clip.site, minutes, ago(clip.created), ...clip.tags.map((one) => `#${one}`)];
  return element("li", { className: clip.state }, element("label", { className: "choose" }, box),
    element("a", { href: `#/clip/${clip.id}` }, element("strong", { dir: "auto" }, name), element("small", {}, facts.filter(Boolean).join(" · "))));
}

async function loadFailed() {
  const { clips: failed, total: number } = await ask("/v1/clips?state=failed&limit=50");
  at("failures").hidden = !number;
  at("failures-title").textContent = number === 1 ? "1 page could not be clipped" : `${number} pages could not be clipped`;
  fill(at("failed"), failed.map((clip) => {
    const retry = element("button", { type: "button" }, "Try again"), remove = element("button", { type: "button", className: "quiet" }, "Remove");
    onClick(retry, async () => { await ask(`/v1/clips/${clip.id}/retry`, { method: "POST" }); location.hash = `#/clip/${clip.id}`; }, say);
    onClick(remove, async () => { await ask(`/v1/clips/${clip.id}`, { method: "DELETE" }); await loadFailed(); }, say);
    return element("li", { className: "failed" }, element("div", { className: "failure" }, element("strong", {}, clip.url ?? "A saved page"),
      element("small", { className: "warn" }, sentence(clip.error.detail)), element("small", {}, sentence(clip.error.advice)), element("span", { className: "row" }, retry, remove)));
  }));
}

async function batch(wish, said) {
  try { await ask("/v1/batch", { method: "POST", json: { clips: [...chosen], ...wish } }); showToast(`${count(chosen.size)}: ${said.toLowerCase()}`); }
  catch (error) { say(problemText(error)); }
  if (wish.delete) chosen.clear();
  await load();
}

async function addTag() {
  const typed = await askLine("Tag", "Tags, with commas between them");
  if (typed) await batch({ add_tags: typed.split(",").map((one) => one.trim()).filter(Boolean) }, "Tagged");
}

async function makeBook(format) {
  showToast("Making the book …");
  try { saveFile(await askBlob("/v1/book", { method: "POST", json: { clips: [...chosen], format } }), `clips.${format}`); showToast(`${count(chosen.size)} in one ${format.toUpperCase()}`); }
  catch (error) { say(problemText(error)); }
}

async function sendMail() {
  const { mail_to: known } = await ask("/v1/settings");
  const to = await askLine("Send by mail", "Address, such as your e-reader’s", known);
  if (!to) return;
  try { await ask("/v1/mail", { method: "POST", json: { clips: [...chosen], to } }); showToast(`Sent to ${to}`); }
  catch (error) { say(problemText(error)); }
}

function ago(seconds) {
  const minutes = Math.round((Date.now() / 1000 - seconds) / 60), hours = Math.round(minutes / 60);
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  if (minutes < 60) return minutes < 1 ? "just now" : words.format(-minutes, "minute");
  return hours < 24 ? words.format(-hours, "hour") : words.format(-Math.round(hours / 24), "day");
}
