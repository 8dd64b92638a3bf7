// The web page: takes an address or a saved page, shows progress, then the clip. There is no build step.
import { closeClip, openDesk } from "/static/clip.js";
import { openLibrary } from "/static/library.js";
import { openRules } from "/static/rules.js";
import { openSettings } from "/static/settings.js";
import { ask, element, fill, problemText, sentence } from "/static/request.js";

const at = (id) => document.getElementById(id);
const VIEWS = ["start", "work", "clip", "rules", "settings"];
const STAGES = {
  queued: "Waiting in the queue", fetching: "Getting the page", drawing: "Drawing the page",
  reading: "Finding the article", following: "Looking for its other pages", pictures: "Getting its pictures", setting: "Writing the document",
};
let about = null, events = null;

addEventListener("hashchange", route);
at("ask").addEventListener("submit", (event) => { event.preventDefault(); clipAddress(at("address").value); });
at("file").addEventListener("change", (event) => event.target.files[0] && clipFile(event.target.files[0]));
for (const kind of ["dragover", "dragleave", "drop"]) addEventListener(kind, handleDrag);
at("bookmarklet").addEventListener("click", (event) => { event.preventDefault(); showNotice("Drag this link to your bookmarks; it works on other pages."); });
route();

async function route() {
  const [, view, id] = location.hash.match(/^#\/(clip|rules|settings)?\/?([\w-]*)/) ?? [];
  hideNotice();
  events?.close();
  closeClip();
  try {
    about ??= await ask("/v1/about");
    await offerBookmarklet();
    if (view === "clip") await openClip(id);
    else if (view === "rules") { document.title = "Rules · Tearsheet"; showView("rules"); await openRules(showNotice); }
    else if (view === "settings") { document.title = "Settings · Tearsheet"; showView("settings"); await openSettings(showNotice); }
    else await openStart();
  } catch (error) { showView("start"); showNotice(problemText(error)); }
}

export function showView(name) { for (const view of VIEWS) at(view).hidden = view !== name; }
function showNotice(text) { at("notice").textContent = text; at("notice").hidden = false; }
function hideNotice() { at("notice").hidden = true; }

async function openStart() {
  document.title = "Tearsheet";
  showView("start");
  await openLibrary(showNotice);
  if (matchMedia("(hover: hover)").matches) at("address").focus();
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
  openStart().then(() => showNotice(`${clip.url ?? "The page"} could not be clipped: ${sentence(clip.error.detail)} ${sentence(clip.error.advice)}`));
}

async function showClip(clip) {
  showView("clip");
  await openDesk(clip, about, { showNotice });
  at("main").focus({ preventScroll: true });
}

// The link holds all of bookmarklet.js, because a page may forbid loading anything from elsewhere.
async function offerBookmarklet() {
  if (at("bookmarklet").protocol === "javascript:") return;
  const [text, collector] = await Promise.all(["bookmarklet", "collector"].map(async (name) => (await fetch(`/static/${name}.js`)).text()));
  const script = text.replace('"COLLECTOR";', () => collector).replace(/^\s*\/\/.*$/gm, "").replace(/\n\s*/g, "\n")
    .replace('"ORIGIN"', JSON.stringify(location.origin)).replace('"STYLES"', JSON.stringify(about.styles.join(" ")));
  at("bookmarklet").href = `javascript:${encodeURIComponent(script)}`;
}
