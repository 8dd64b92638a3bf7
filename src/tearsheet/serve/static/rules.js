// The rules of sites: what they do, where they were used, and why one was switched off.
import { ask, element, fill, problemText } from "/static/request.js";

const at = (id) => document.getElementById(id);
let say = () => {};

at("import").addEventListener("change", importRules);

export async function openRules(showNotice) {
  say = showNotice;
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
  try { await ask(`/v1/rules/${id}`, { method: "PUT", json: { do: what, path } }); } catch (error) { return say(problemText(error)); }
  await openRules(say);
}

async function dropRule(id) {
  await ask(`/v1/rules/${id}`, { method: "DELETE" });
  await openRules(say);
}

async function importRules(event) {
  try { await ask("/v1/rules", { method: "POST", json: JSON.parse(await event.target.files[0].text()) }); }
  catch (error) { say(problemText(error)); }
  event.target.value = "";
  await openRules(say);
}

