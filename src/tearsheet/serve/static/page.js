// The web page: takes an address or a saved page, shows progress, the article and its formats.
// There is no build step.
import { Editor } from "/static/editor.js";
import { ask, element, fill, problemText, show } from "/static/request.js";

const at = (id) => document.getElementById(id);
const VIEWS = ["start", "work", "clip", "rules"];
const STAGES = {
  queued: "Waiting in the queue", fetching: "Getting the page", drawing: "Drawing the page",
  reading: "Finding the article", following: "Looking for its other pages", pictures: "Getting its pictures", setting: "Writing the document",
};
const FORMATS = ["pdf", "epub", "md", "html", "txt", "json", "tei"];
const OPTIONS = [
  ["paper", "Paper", ["a4", "letter", "a5"]], ["columns", "Columns", ["1", "2"]],
  ["font_size", "Type size", ["9", "10.5", "12", "14"], "10.5"], ["margin", "Margin", ["", "12mm", "20mm", "30mm"]],
  ["images", "Pictures", ["on", "small", "off"]], ["links", "Links", ["auto", "footnotes", "end", "inline", "none"]],
  ["grey", "No colours"], ["qr", "QR code with the page’s address"],
];
let about = null, current = null, editor = null, events = null, editNext = false;

addEventListener("hashchange", route);
at("ask").addEventListener("submit", (event) => { event.preventDefault(); clipAddress(at("address").value); });
at("file").addEventListener("change", (event) => event.target.files[0] && clipFile(event.target.files[0]));
for (const kind of ["dragover", "dragleave", "drop"]) addEventListener(kind, handleDrag);
at("edit").addEventListener("click", toggleEditor);
at("delete").addEventListener("click", remove);
at("options").addEventListener("change", preview);
at("draw").addEventListener("click", () => { editNext = true; clip({ url: current.url, render: "always", options: { print_page: "never" } }); });
at("import").addEventListener("change", importRules);
at("bookmarklet").addEventListener("click", (event) => { event.preventDefault(); showNotice("Drag this link to your bookmarks; it works on other pages."); });
route();

async function route() {
  const [, view, id] = location.hash.match(/^#\/(clip|rules)?\/?([\w-]*)/) ?? [];
  hideNotice();
  events?.close();
  leaveEditor();
  try {
    about ??= await ask("/v1/about");
    await offerBookmarklet();
    if (view === "clip") await openClip(id);
    else if (view === "rules") await openRules();
    else await openStart();
  } catch (error) { showView("start"); showNotice(problemText(error)); }
}

export function showView(name) { for (const view of VIEWS) at(view).hidden = view !== name; }
function showNotice(text) { at("notice").textContent = text; at("notice").hidden = false; }
function hideNotice() { at("notice").hidden = true; }

async function openStart() {
  document.title = "Tearsheet";
  showView("start");
  const { clips } = await ask("/v1/clips?limit=12");
  fill(at("recent"), clips.map((clip) => element("li", { className: clip.state },
    element("a", { href: `#/clip/${clip.id}` }, element("strong", {}, clip.title || clip.url || "A saved page"),
      element("small", {}, clip.error ? clip.error.detail : [clip.site, ago(clip.created)].filter(Boolean).join(" · "))))));
  at("nothing").hidden = clips.length > 0;
  at("address").focus();
}

function ago(seconds) {
  const minutes = Math.round((Date.now() / 1000 - seconds) / 60), hours = Math.round(minutes / 60);
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  if (minutes < 60) return minutes < 1 ? "just now" : words.format(-minutes, "minute");
  return hours < 24 ? words.format(-hours, "hour") : words.format(-Math.round(hours / 24), "day");
}

function clipAddress(text) {
  const typed = text.trim();
  return typed && clip({ url: /^https?:\/\//i.test(typed) ? typed : `https://${typed}` });
}

async function clip(wish) {
  hideNotice();
  try { location.hash = `#/clip/${(await ask("/v1/clips", { method: "POST", json: { format: "html", ...wish } })).id}`; }
  catch (error) { showNotice(problemText(error)); }
}

async function clipFile(file) {
  hideNotice();
  const suffixes = [[/\.mht(ml)?$/i, "multipart/related"], [/\.(zip|maff|htz)$/i, "application/zip"]];
  const type = suffixes.find(([suffix]) => suffix.test(file.name))?.[1] ?? "text/html";
  try {
    const made = await ask("/v1/clips", { method: "POST", body: file, type });
    location.hash = `#/clip/${made.id}`;
  } catch (error) { showNotice(problemText(error)); }
}

function handleDrag(event) {
  if (![...(event.dataTransfer?.types ?? [])].some((type) => ["Files", "text/uri-list"].includes(type))) return;
  event.preventDefault();
  at("drop").classList.toggle("over", event.type === "dragover");
  if (event.type !== "drop") return;
  const [file] = event.dataTransfer.files;
  if (file) clipFile(file); else clipAddress(event.dataTransfer.getData("text/uri-list").split("\n")[0]);
}

async function openClip(id) {
  const clip = await ask(`/v1/clips/${id}`);
  if (clip.state === "done") return showClip(clip);
  if (clip.state === "failed") return showFailure(clip);
  showView("work");
  at("work-source").textContent = clip.url ?? "A saved page";
  at("address").blur();
  showStage(clip.stage);
  events = new EventSource(`${clip.links.events}?key=${clip.key}`);
  events.addEventListener("stage", (event) => showStage(JSON.parse(event.data).stage));
  events.addEventListener("done", (event) => { events.close(); showClip(JSON.parse(event.data)); });
  events.addEventListener("failed", (event) => { events.close(); showFailure(JSON.parse(event.data)); });
}

export function showStage(stage) {
  const names = Object.keys(STAGES), now = names.indexOf(stage);
  at("stage-now").textContent = STAGES[stage] ?? "";
  fill(at("stages"), names.filter((name) => name !== "drawing" || stage === "drawing").map((name) =>
    element("li", { className: name === stage ? "now" : names.indexOf(name) < now ? "past" : "" }, STAGES[name])));
}

function showFailure(clip) {
  showView("start");
  openStart().then(() => showNotice(`${clip.url ?? "The page"} could not be clipped: ${clip.error.detail}.`));
}

function showClip(clip) {
  current = clip;
  showView("clip");
  buildOptions();
  describe();
  preview();
  at("main").focus({ preventScroll: true });
  if (editNext) toggleEditor();
  editNext = false;
}

function describe() {
  document.title = `${current.title || "Clip"} · Tearsheet`;
  at("clip-title").textContent = current.title || "Untitled";
  const sure = current.confidence == null ? "" : `${Math.round(current.confidence * 100)} % sure`;
  const facts = [current.pages > 1 ? `${current.pages} pages` : "", current.rendered ? "drawn by a browser" : "", sure, ...current.reasons];
  const source = /^https?:/.test(current.url ?? "") ? element("a", { href: current.url, target: "_blank", rel: "noreferrer" }, current.site || current.url) : "A saved page";
  fill(at("clip-facts"), [source, ...facts.filter(Boolean).map((fact) => ` · ${fact}`)]);
}

function buildOptions() {
  if (at("options").children.length) return;
  fill(at("options"), OPTIONS.map(([name, label, values, initial]) => {
    if (!values) return element("label", { className: "check" }, element("input", { type: "checkbox", name }), label);
    const choice = element("select", { name }, ...values.map((value) => element("option", { value, selected: value === (initial ?? values[0]) }, value || "default")));
    return element("label", {}, label, choice);
  }));
}

function options() {
  const chosen = new URLSearchParams();
  for (const [name, , values, initial] of OPTIONS) {
    const field = at("options").elements[name];
    if (values ? field.value !== (initial ?? values[0]) : field.checked) chosen.set(name, values ? field.value : "true");
  }
  return chosen;
}

function preview() {
  const query = options();
  const link = (format, more) => `/v1/clips/${current.id}/document?${new URLSearchParams([["format", format], ...query, ["key", current.key], ...more])}`;
  show(at("article"), link("html", [["frame", "1"], ["revision", current.revision]]));
  const others = about.formats.filter((name) => !FORMATS.includes(name) && name !== "jsonl");
  const formats = [...FORMATS.filter((name) => about.formats.includes(name)), ...others];
  fill(at("formats"), formats.map((name) =>
    element("a", { className: "button", href: link(name, [["download", "1"]]), download: "" }, name)));
}

async function remove() {
  if (!confirm("Delete this clip and its documents?")) return;
  await ask(`/v1/clips/${current.id}`, { method: "DELETE" });
  location.hash = "#/";
}

async function toggleEditor() {
  if (editor) return leaveEditor();
  try { editor = await Editor.open(current, showChange); } catch (error) { return showNotice(problemText(error)); }
  at("edit").setAttribute("aria-pressed", "true");
  at("setting").open = false;
  at("draw").hidden = editor.drawn || current.rendered || !about.draws || !/^https?:/.test(current.url ?? "");
}

function showChange(state) {
  current.revision = state.revision;
  current.title = state.title;
  describe();
  preview();
}

function leaveEditor() {
  editor?.close();
  editor = null;
  at("edit").setAttribute("aria-pressed", "false");
}

async function openRules() {
  document.title = "Rules · Tearsheet";
  showView("rules");
  const { rules } = await ask("/v1/rules");
  at("no-rules").hidden = rules.length > 0;
  fill(at("rule-list"), rules.map(ruleItem));
  const plain = rules.map(({ site, do: what, path }) => ({ site, do: what, path }));
  at("export").href = `data:application/json,${encodeURIComponent(JSON.stringify(plain, null, 2))}`;
}

function ruleItem(rule) {
  const what = element("select", { ariaLabel: "What to do" }, ...["select", "deselect"].map((name) =>
    element("option", { value: name, selected: rule.do === name }, name === "select" ? "keep" : "drop")));
  const path = element("input", { type: "text", value: rule.path, ariaLabel: `Path on ${rule.site}`, spellcheck: false });
  const save = element("button", { type: "button", onclick: () => changeRule(rule.id, what.value, path.value) }, "Save");
  const drop = element("button", { type: "button", className: "quiet", onclick: () => dropRule(rule.id) }, "Remove");
  return element("li", {}, element("strong", {}, rule.site), drop, element("div", { className: "path" }, what, path, save));
}

async function changeRule(id, what, path) {
  hideNotice();
  try { await ask(`/v1/rules/${id}`, { method: "PUT", json: { do: what, path } }); } catch (error) { return showNotice(problemText(error)); }
  await openRules();
}

async function dropRule(id) {
  await ask(`/v1/rules/${id}`, { method: "DELETE" });
  await openRules();
}

async function importRules(event) {
  hideNotice();
  try { await ask("/v1/rules", { method: "POST", json: JSON.parse(await event.target.files[0].text()) }); }
  catch (error) { showNotice(problemText(error)); }
  event.target.value = "";
  await openRules();
}

// The link holds all of bookmarklet.js, because a page may forbid loading anything from elsewhere.
async function offerBookmarklet() {
  if (at("bookmarklet").protocol === "javascript:") return;
  const text = await (await fetch("/static/bookmarklet.js")).text();
  const script = text.replace(/^\s*\/\/.*$/gm, "").replace(/\n\s*/g, "\n")
    .replace('"ORIGIN"', JSON.stringify(location.origin)).replace('"STYLES"', JSON.stringify(about.styles.join(" ")));
  at("bookmarklet").href = `javascript:${encodeURIComponent(script)}`;
}
