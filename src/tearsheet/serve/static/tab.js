// Takes a page from the bookmarklet's window. Any site may open this one and send something, so
// nothing is clipped before a person has said so.
import { ask, problemText } from "/static/ask.js";

const at = (id) => document.getElementById(id);
let page = null;

addEventListener("message", ({ data, source }) => {
  if (page || source !== opener || typeof data?.html !== "string" || !/^https?:/.test(data.url)) return;
  page = { html: data.html, url: data.url, render: "never" };
  at("notice").textContent = `Clip this page? ${data.url}`;
  at("clip").hidden = false;
  at("clip").focus();
});
at("clip").addEventListener("click", async () => {
  try { location.replace(`/#/clip/${(await ask("/v1/clips", { method: "POST", json: page })).id}`); }
  catch (error) { at("notice").textContent = problemText(error); }
});
opener?.postMessage("tearsheet", "*");
setTimeout(() => {
  if (!page) at("notice").textContent = "The page’s own policy keeps it from being handed over. Save it (Ctrl-S), and drop the file into Tearsheet.";
}, 5000);
