// Rules of sites. One is offered after a correction, shown with all that it would change before it is
// taken, named on every clip that it changed, and switched off when it finds nothing or removes too much.
import { showToast } from "/static/desk.js";
import { ask, element, fill, onClick, problemText } from "/static/request.js";

const at = (id) => document.getElementById(id);
let say = () => {};

at("import").addEventListener("change", importRules);

export function describeRule({ do: what, path, role, text }) {
  const parts = [element("code", {}, path)];
  if (role) parts.push(` with the role “${role.replace("_", " ")}”`);
  if (text) parts.push(" that begins ", element("q", {}, text));
  return [what === "select" ? "Always keep " : "Always leave out ", ...parts];
}

// After a correction

export function offerRules(rules, site) {
  at("offer").hidden = !rules.length || !site;
  if (!rules.length || !site) return;
  const items = rules.slice(-3).map((rule) => {
    const button = element("button", { type: "button" }, "See what it would change …");
    button.addEventListener("click", () => preview({ site, ...rule }));
    return element("li", {}, ...describeRule(rule), " ", button);
  });
  fill(at("offer"), [element("p", {}, "For other pages of ", element("strong", {}, site), "?"), element("ul", {}, ...items)]);
}

async function preview(rule) {
  const dialog = at("rule-dialog");
  fill(at("rule-dialog-title"), [`A rule for ${rule.site}`]);
  fill(at("rule-evidence"), describeRule(rule));
  fill(at("rule-effect"), ["Trying it on the clips of this site …"]);
  at("take-rule").disabled = true;
  dialog.returnValue = "no";
  dialog.showModal();
  let found;
  try { found = await ask("/v1/rules/preview", { method: "POST", json: rule }); }
  catch (error) { fill(at("rule-effect"), [problemText(error)]); return; }
  showEffect(found);
  at("take-rule").disabled = false;
  dialog.addEventListener("close", () => dialog.returnValue === "yes" && take({ ...rule, words: found.words }), { once: true });
}

function showEffect({ clips, changed, danger }) {
  const change = element("label", { className: "check" }, element("input", { type: "checkbox", id: "change-clips" }), " Change these clips, too, not only new ones");
  const head = changed.length ? `It would change ${changed.length} of ${clips} clips of this site:` : `It would change none of the ${clips} clips of this site; it is for new ones.`;
  fill(at("rule-effect"), [...(danger ? [element("p", { className: "warn" }, `Careful: ${danger}.`)] : []), element("p", {}, head), ...(changed.length ? [change] : []),
    ...changed.map(({ title, before, after, lines, more }) => element("div", { className: "effect" },
      element("h3", {}, title || "Untitled"), element("p", { className: "help" }, `${before} words before, ${after} after`),
      ...lines.map(({ text, kept }) => element("p", {}, element(kept ? "ins" : "del", {}, `${kept ? "+ " : "− "}${text}`))),
      ...(more ? [element("p", { className: "help" }, `… and ${more} lines more`)] : [])))]);
}

async function take(rule) {
  const wish = { ...rule, change_clips: Boolean(at("change-clips")?.checked) };
  try {
    await ask("/v1/rules", { method: "POST", json: [wish] });
    fill(at("offer"), [element("p", {}, "The rule is saved. ", element("a", { href: "#/rules" }, "All rules"))]);
  } catch (error) { fill(at("offer"), [element("p", { className: "warn" }, problemText(error))]); }
}

// On a clip

export function showTouched(touched, desk) {
  at("touched").hidden = !touched.length;
  fill(at("touched"), [element("p", {}, touched.length === 1 ? "A rule of this site changed this clip:" : "Rules of this site changed this clip:"),
    element("ul", {}, ...touched.map((rule) => {
      const undo = element("button", { type: "button" }, "Undo it here");
      undo.addEventListener("click", () => desk.change({ forget_rules: [rule.id] }, "The rule’s changes are undone here"));
      const off = element("button", { type: "button", className: "quiet" }, rule.state === "on" ? "Switch it off" : `It is ${rule.state}`);
      off.disabled = rule.state !== "on";
      onClick(off, async () => { await ask(`/v1/rules/${rule.id}`, { method: "PUT", json: { state: "off" } }); off.disabled = true; off.textContent = "It is off"; }, showToast);
      return element("li", {}, `${rule.do === "select" ? "kept" : "left out"} ${rule.parts === 1 ? "1 part" : `${rule.parts} parts`}: `, element("code", {}, rule.description), " ", undo, off);
    }))]);
}

// All rules

export async function openRules(showNotice) {
  say = showNotice;
  const { rules } = await ask("/v1/rules");
  at("no-rules").hidden = rules.length > 0;
  fill(at("rule-list"), rules.map(ruleItem));
  const plain = rules.map(({ site, do: what, path, role, text, words }) => ({ site, do: what, path, role, text, words }));
  at("export").href = `data:application/json,${encodeURIComponent(JSON.stringify(plain, null, 2))}`;
}

function ruleItem(rule) {
  const act = (label, wish, quiet) => {
    const button = element("button", { type: "button", className: quiet ? "quiet" : "" }, label);
    button.setAttribute("aria-label", `${label}: ${rule.path} on ${rule.site}`);
    button.addEventListener("click", async () => {
      try { await ask(`/v1/rules/${rule.id}`, wish); } catch (error) { say(problemText(error)); }
      await openRules(say);
    });
    return button;
  };
  const other = rule.state === "on" ? "off" : "on";
  const state = rule.state === "on" ? `used on ${rule.uses} pages` : `off${rule.reason ? `: ${rule.reason}` : ""}`;
  return element("li", { className: rule.state }, element("div", {}, element("strong", {}, rule.site), element("p", {}, ...describeRule(rule)),
    element("small", { className: rule.reason ? "warn" : "" }, state)),
  element("span", { className: "row" }, act(`Switch ${other}`, { method: "PUT", json: { state: other } }), act("Remove", { method: "DELETE" }, true)));
}

async function importRules(event) {
  try { await ask("/v1/rules", { method: "POST", json: JSON.parse(await event.target.files[0].text()) }); }
  catch (error) { say(error instanceof SyntaxError ? "This file is not JSON: choose one that was exported here." : problemText(error)); }
  event.target.value = "";
  await openRules(say);
}
