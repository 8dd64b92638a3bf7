// One clip: the desk with its article, the original page beside it, and the pages as they are printed.
import { Desk, hideToast, showToast } from "/static/desk.js";
import { Original } from "/static/original.js";
import { PrintView } from "/static/print.js";
import { offerRules, showTouched } from "/static/rules.js";
import { ask, askLine, element, fill, problemText } from "/static/request.js";

const at = (id) => document.getElementById(id);
const FORMATS = { pdf: "PDF", epub: "EPUB", md: "Markdown", html: "HTML", docx: "Word (DOCX)", odt: "OpenDocument (ODT)", txt: "Plain text", json: "JSON", tei: "TEI (XML)" };
let current = null, about = null, say = () => {}, desk = null, original = null, print = null;

at("show-original").addEventListener("click", () => (original ? closeOriginal() : openOriginal()));
at("show-print").addEventListener("click", () => (print ? closePrint() : openPrint()));
at("delete").addEventListener("click", remove);
at("rename-tags").addEventListener("click", changeTags);
at("mail-clip").addEventListener("click", sendMail);
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target) || event.target.closest("a, button")) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest?.("details.menu[open]");
  if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
});

export async function openDesk(clip, known, { showNotice }) {
  closeClip();
  [current, about, say] = [clip, known, showNotice];
  describe();
  offerFormats();
  offerRules([], "");
  desk = await Desk.open(clip, { onChange: showChange, onPoint: (block) => original?.pointBlock(block) });
  showTouched(desk.article.touched, desk);
}

export function closeClip() {
  closeOriginal();
  closePrint();
  desk?.close();
  desk = null;
}

function describe() {
  document.title = `${current.title || "Clip"} · Tearsheet`;
  at("clip-title").textContent = current.title || "Untitled";
  const sure = current.confidence == null ? "" : `${Math.round(current.confidence * 100)} % sure of the text`;
  const facts = [current.pages > 1 ? `${current.pages} pages` : "", current.rendered ? "drawn by a browser" : "", sure, ...current.reasons];
  const source = /^https?:/.test(current.url ?? "") ? element("a", { href: current.url, target: "_blank", rel: "noreferrer" }, current.site || current.url) : "A saved page";
  const tags = current.tags.length ? ` · ${current.tags.join(", ")}` : "";
  fill(at("clip-facts"), [source, tags, ...facts.filter(Boolean).map((fact) => ` · ${fact}`)]);
}

function offerFormats() {
  const others = about.formats.filter((name) => !(name in FORMATS) && name !== "jsonl");
  const formats = [...Object.keys(FORMATS).filter((name) => about.formats.includes(name)), ...others];
  fill(at("formats"), formats.map((format) =>
    element("a", { className: "button", href: `/v1/clips/${current.id}/document?format=${format}&download=1&key=${current.key}`, download: "" }, FORMATS[format] ?? format.toUpperCase())));
}

function showChange(state) {
  current.revision = state.revision;
  current.title = state.title;
  describe();
  offerRules(state.rules, state.site_name);
  showTouched(state.touched, desk);
  original?.update(state);
  print?.refresh();
}

async function openOriginal() {
  at("show-original").disabled = true;
  showToast("Drawing the page …");
  try { original = await Original.open(current, desk); } catch (error) { say(problemText(error)); }
  hideToast();
  at("show-original").disabled = false;
  at("show-original").setAttribute("aria-pressed", String(Boolean(original)));
}

function closeOriginal() {
  original?.close();
  original = null;
  at("show-original").setAttribute("aria-pressed", "false");
}

function openPrint() {
  closeOriginal();
  print = new PrintView(current, about);
  at("paper-view").hidden = at("desk-help").hidden = true;
  at("show-print").setAttribute("aria-pressed", "true");
}

function closePrint() {
  print?.close();
  print = null;
  at("paper-view").hidden = at("desk-help").hidden = false;
  at("show-print").setAttribute("aria-pressed", "false");
}

async function remove() {
  if (!confirm("Delete this clip and its documents?")) return;
  await ask(`/v1/clips/${current.id}`, { method: "DELETE" });
  location.hash = "#/";
}

async function changeTags() {
  const typed = await askLine("Tags", "With commas between them", current.tags.join(", "));
  if (typed === null) return;
  try { current.tags = (await ask(`/v1/clips/${current.id}`, { method: "PATCH", json: { tags: typed.split(",").map((tag) => tag.trim()).filter(Boolean) } })).tags; }
  catch (error) { say(problemText(error)); }
  describe();
}

async function sendMail() {
  const { mail_to: known } = await ask("/v1/settings");
  const to = await askLine("Send by mail", "Address, such as your e-reader’s", known);
  if (!to) return;
  try { await ask("/v1/mail", { method: "POST", json: { clips: [current.id], to } }); showToast(`Sent to ${to}`); }
  catch (error) { say(problemText(error)); }
}
