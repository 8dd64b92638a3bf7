// One button and one shortcut clip what the tab shows; the menu has entries for a selection and a link.
// Nothing is read before somebody asks, and nothing goes anywhere but to the service of the options.
const api = globalThis.browser ?? globalThis.chrome;
const TAB = "application/vnd.tearsheet.tab+json";

api.runtime.onInstalled.addListener(() => {
  api.contextMenus.create({ id: "selection", title: "Clip the selection", contexts: ["selection"] });
  api.contextMenus.create({ id: "link", title: "Clip the page behind this link", contexts: ["link"] });
});
api.action.onClicked.addListener((tab) => clipTab(tab));
api.contextMenus.onClicked.addListener((info, tab) => (info.menuItemId === "link" ? clipLink(info.linkUrl) : clipSelection(tab)));

async function settings() {
  const found = await api.storage.local.get({ service: "", token: "", then: "open" });
  if (!found.service) { await api.runtime.openOptionsPage(); throw new Error("no service is set"); }
  return found;
}

// The page as it is drawn, with boxes and styles.
async function clipTab(tab) {
  const known = await settings();
  return run(known, async () => {
    const { styles } = await ask(known, "/v1/about");
    await api.scripting.executeScript({ target: { tabId: tab.id }, files: ["collector.js"] });
    const [{ result }] = await api.scripting.executeScript({ target: { tabId: tab.id }, func: (names) => collectPage(names), args: [styles] });
    return ask(known, `/v1/clips?url=${encodeURIComponent(tab.url)}`, { method: "POST", headers: { "Content-Type": TAB }, body: JSON.stringify(result) });
  });
}

async function clipSelection(tab) {
  const known = await settings();
  return run(known, async () => {
    const [{ result }] = await api.scripting.executeScript({ target: { tabId: tab.id }, func: readSelection });
    return postJson(known, { html: result, url: tab.url, render: "never" });
  });
}

async function clipLink(url) {
  const known = await settings();
  return run(known, () => postJson(known, { url }));
}

function readSelection() {
  const box = document.createElement("article");
  const chosen = getSelection();
  for (let i = 0; i < chosen.rangeCount; i += 1) box.append(chosen.getRangeAt(i).cloneContents());
  const title = document.createElement("title");
  title.textContent = document.title;
  return `<!DOCTYPE html>${title.outerHTML}${box.outerHTML}`;
}

function postJson(known, wish) {
  return ask(known, "/v1/clips", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wish) });
}

async function ask({ service, token }, path, { headers = {}, ...wish } = {}) {
  const answer = await fetch(service + path, { ...wish, headers: { ...headers, Authorization: `Bearer ${token}` } });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.detail);
  return value;
}

// Opens the clip in the service, or has it saved as a file; the button says when something is wrong.
async function run(known, make) {
  try {
    await api.action.setBadgeText({ text: "…" });
    const clip = await make();
    await api.action.setBadgeText({ text: "" });
    if (known.then === "open") await api.tabs.create({ url: `${known.service}/#/clip/${clip.id}` });
    else await saveFile(known, clip);
    return clip;
  } catch (error) {
    await api.action.setBadgeText({ text: "!" });
    await api.action.setTitle({ title: `Tearsheet: ${error.message}` });
    throw error;
  }
}

async function saveFile(known, clip) {
  let now = clip;
  while (now.state !== "done") {
    if (now.state === "failed") throw new Error(now.error.detail);
    await new Promise((resolve) => setTimeout(resolve, 500));
    now = await ask(known, `/v1/clips/${clip.id}`);
  }
  await api.tabs.create({ url: `${known.service}/v1/clips/${clip.id}/document?format=${known.then}&download=1&key=${clip.key}` });
}
