// Receives a page from the bookmarklet. Any site can open this window and send something, so nothing
// is clipped before a person confirms it.
import { ask, problemText } from "/static/request.js";

const TAB = "application/vnd.tearsheet.tab+json", PATIENCE = 5000;
const at = (id) => document.getElementById(id);
let page = null;

addEventListener("message", ({ data, source }) => {
  const whole = typeof data?.html === "string" || typeof data?.tab === "object";
  if (page || source !== opener || !whole || !/^https?:/.test(data.url)) return;
  page = data;
  at("help").hidden = true;
  at("notice").textContent = "Clip this page?";
  at("source").textContent = data.url;
  at("clip").hidden = false;
  at("clip").focus();
});
at("clip").addEventListener("click", async () => {
  at("clip").disabled = true;
  try { location.replace(`/#/clip/${(await send()).id}`); }
  catch (error) { at("notice").textContent = problemText(error); at("clip").disabled = false; }
});
if (opener) opener.postMessage("tearsheet", "*"); else explain();
setTimeout(() => page || explain(), PATIENCE);

function send() {
  if (!page.tab) return ask("/v1/clips", { method: "POST", json: { html: page.html, url: page.url, render: "never" } });
  return ask(`/v1/clips?url=${encodeURIComponent(page.url)}`, { method: "POST", body: JSON.stringify(page.tab), type: TAB });
}

function explain() {
  at("notice").textContent = "This page cannot be handed over.";
  at("help").hidden = false;
}
