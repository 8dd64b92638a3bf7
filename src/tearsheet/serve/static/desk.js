// The desk: the article as it will be printed, corrected in place. A click takes a block out; what
// was left out stands folded in its place and is clicked back in; title, author, date and captions
// are typed. Everything that a click does, a button in the block does, too.
import { ask, element, fill, problemText } from "/static/request.js";

const at = (id) => document.getElementById(id);
const NAMES = {
  paragraph: "Paragraph", heading: "Heading", listblock: "List", figure: "Picture", picture: "Picture", quote: "Quotation",
  table: "Table", code: "Code", math: "Formula", embed: "Embedded", callout: "Box", definitions: "Definitions", footnotes: "Notes", rule: "Line",
};
const DECIDERS = { person: "you", before: "you, earlier", rule: "a rule" };
let look = null;

export class Desk {
  // `onChange` hears of each new state of the clip, `onPoint` of the block under the pointer.
  static async open(clip, { onChange, onPoint }) {
    const [view] = await Promise.all([ask(`/v1/clips/${clip.id}/article`), loadLook()]);
    return new Desk(clip, view, onChange, onPoint);
  }

  constructor(clip, view, onChange, onPoint) {
    Object.assign(this, { clip, onChange, onPoint, edits: view.edits, site: view.site_name });
    this.ends = new AbortController();
    this.work = Promise.resolve();
    this.steps = [];
    this.nodes = new Map();
    this.pictures = {};
    this.open = new Set();
    this.showsAll = false;
    this.current = 0;
    const host = at("paper");
    this.root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    this.root.adoptedStyleSheets = look;
    this.listen();
    this.update(view);
    this.loadPictures();
  }

  close() {
    this.ends.abort();
    fill(this.root, []);
    hideToast();
  }

  listen() {
    const on = (target, kind, act) => target.addEventListener(kind, act, { signal: this.ends.signal });
    on(this.root, "click", (event) => this.click(event));
    on(this.root, "keydown", (event) => this.press(event));
    on(this.root, "change", (event) => event.target.matches("select.role") && this.setRole(event.target));
    on(this.root, "focusin", (event) => this.enter(event.target.closest(".block")));
    on(this.root, "focusout", (event) => event.target.matches("[contenteditable]") && this.save(event.target));
    on(this.root, "pointerover", (event) => this.onPoint(this.blockOf(event.target)));
    on(this.root, "pointerleave", () => this.onPoint(null));
    on(at("undo"), "click", () => this.undo());
    on(at("reset"), "click", () => this.change({ reset: true }, "All corrections taken back"));
    on(at("left-out"), "click", () => this.showAll(!this.showsAll));
  }

  // What is shown

  update(article) {
    this.article = article;
    this.blocks = article.blocks;
    const paper = element("article", { lang: article.language || "und", dir: article.direction }, this.header(), ...this.body(), ...this.footer());
    fill(this.root, [paper]);
    this.fillPictures();
    const some = this.blocks.some((block) => !block.kept);
    at("left-out").disabled = !some;
    at("left-out").setAttribute("aria-pressed", String(this.showsAll));
    at("undo").disabled = at("reset").disabled = !this.edits.length;
    this.setCurrent(Math.min(this.current, this.parts().length - 1));
  }

  header() {
    const { title, authors, published, site } = this.article;
    return element("header", {},
      element("h1", {}, field("title", "Title", title, "Untitled")),
      element("p", { className: "byline" }, field("authors", "Authors", authors, "Add the author"), " · ",
        field("published", "Date", published, "Add the date"), site ? ` · ${site}` : ""));
  }

  footer() {
    return this.article.missing.length ? [element("footer", {}, ...this.article.missing.map((text) => element("p", {}, text)))] : [];
  }

  body() {
    const shown = [];
    for (let i = 0; i < this.blocks.length;) {
      if (this.blocks[i].kept) { shown.push(this.part(i)); i += 1; continue; }
      let end = i;
      while (end < this.blocks.length && !this.blocks[end].kept) end += 1;
      shown.push(this.gap(i, end));
      i = end;
    }
    return shown;
  }

  // What was left out between two kept blocks: folded, or greyed in its place.
  gap(first, end) {
    const key = this.blocks[first].row, open = this.showsAll || this.open.has(key) || this.blocks.slice(first, end).some((block) => this.open.has(block.row));
    const count = end - first, word = count === 1 ? NAMES[this.blocks[first].kind].toLowerCase() : "parts";
    const button = element("button", { type: "button", className: "fold" }, `${open ? "Hide" : "Show"} ${count} ${word} left out here`);
    button.setAttribute("aria-expanded", String(open));
    button.addEventListener("click", () => {
      for (let i = first; i < end; i += 1) this.open.delete(this.blocks[i].row);
      if (!open) this.open.add(key);
      this.showsAll = false;
      this.update(this.article);
      this.root.querySelector(`.gap[data-row="${key}"] .fold`)?.focus();
    });
    const gap = element("div", { className: open ? "gap open" : "gap" }, button, ...(open ? this.blocks.slice(first, end).map((_, i) => this.part(first + i)) : []));
    gap.dataset.row = key;
    return gap;
  }

  part(i) {
    const block = this.blocks[i], name = `${block.row} ${block.kept} ${block.role} ${block.by} ${block.html}`;
    const part = this.nodes.get(name) ?? this.build(block);
    this.nodes.set(name, part);
    part.dataset.at = i;
    return part;
  }

  build(block) {
    const content = element("div", { className: "content" }, ...parse(block.html));
    if (block.kind === "picture") content.append(element("p", { className: "lost-picture" }, `Picture: ${block.text || "without a description"}`));
    if (block.kept && block.image >= 0) this.addCaption(content, block);
    const part = element("div", { className: block.kept ? "block kept" : "block" }, content);
    part.setAttribute("role", "group");
    part.setAttribute("aria-label", `${NAMES[block.kind] ?? "Block"}, ${block.kept ? "kept" : "left out"}${block.by ? ` by ${DECIDERS[block.by]}` : ""}`);
    part.append(this.tools(block));
    return part;
  }

  addCaption(content, block) {
    const figure = content.querySelector("figure") ?? content;
    const old = figure.querySelector("figcaption");
    const caption = old ?? element("figcaption");
    const typed = field("caption", "Caption", caption.textContent, "Add a caption");
    typed.dataset.image = block.image;
    fill(caption, [typed]);
    if (!old) figure.append(caption);
  }

  tools(block) {
    const tools = element("div", { className: "tools" });
    if (!block.nodes.length) {
      tools.append(element("span", { className: "note" }, block.page ? "on a further page" : "from the page’s data"));
      return tools;
    }
    if (block.by) tools.append(element("span", { className: "note" }, `${block.kept ? "kept" : "left out"} by ${DECIDERS[block.by]}`));
    if (block.kind !== "figure" && block.kind !== "picture") {
      const names = block.role && !this.article.roles.includes(block.role) ? [block.role, ...this.article.roles] : this.article.roles;
      const choice = element("select", { className: "role", tabIndex: -1 }, ...(block.role ? [] : [element("option", { value: "" }, "role")]),
        ...names.map((role) => element("option", { value: role, selected: role === block.role }, role.replace("_", " "))));
      choice.setAttribute("aria-label", "Role of this block");
      tools.append(choice);
    }
    tools.append(element("button", { type: "button", className: "take", tabIndex: -1 }, block.kept ? "Take out" : "Put back"));
    return tools;
  }

  async loadPictures() {
    if (!this.root.querySelector("img[data-src]")) return;
    try { this.pictures = await ask(`/v1/clips/${this.clip.id}/article/pictures`); } catch { return; }
    if (!this.ends.signal.aborted) this.fillPictures();
  }

  fillPictures() {
    for (const image of this.root.querySelectorAll("img[data-src]")) {
      const found = this.pictures[image.dataset.src];
      if (found) { image.src = found; delete image.dataset.src; }
    }
  }

  showAll(shows) {
    this.showsAll = shows;
    this.open.clear();
    this.update(this.article);
  }

  // Where one is

  parts() { return [...this.root.querySelectorAll(".block")]; }
  blockOf(target) { const part = target.closest?.(".block"); return part ? this.blocks[part.dataset.at] : null; }

  enter(part) {
    if (part) this.setCurrent(this.parts().indexOf(part));
    this.onPoint(part ? this.blocks[part.dataset.at] : null);
  }

  // One block is reached by Tab; arrow keys go to the others.
  setCurrent(number) {
    this.current = Math.max(number, 0);
    this.parts().forEach((part, i) => { for (const tool of part.querySelectorAll(".tools > :is(button, select)")) tool.tabIndex = i === this.current ? 0 : -1; });
  }

  move(step) {
    const parts = this.parts();
    this.setCurrent(Math.min(Math.max(this.current + step, 0), parts.length - 1));
    const part = parts[this.current];
    part?.querySelector(".take")?.focus({ preventScroll: true });
    part?.scrollIntoView({ block: "nearest" });
  }

  reveal(row) {
    const i = this.blocks.findIndex((block, k) => block.row <= row && (this.blocks[k + 1]?.row ?? Infinity) > row);
    const part = this.parts().find((one) => Number(one.dataset.at) === i);
    part?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }

  // What one does

  click(event) {
    const part = event.target.closest(".block");
    if (!part || event.target.closest("select, [contenteditable], .fold")) return;
    if (event.target.closest("a[href]") && (event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!getSelection().isCollapsed && !event.target.closest(".take")) return;
    this.toggle(part);
  }

  press(event) {
    if (event.target.matches("[contenteditable]")) {
      if (event.key === "Enter") { event.preventDefault(); this.save(event.target); event.target.blur(); }
      if (event.key === "Escape") { event.target.textContent = event.target.dataset.before; event.target.blur(); }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
    const act = { ArrowDown: () => this.move(1), ArrowUp: () => this.move(-1), Home: () => this.move(-1e9), End: () => this.move(1e9),
      Delete: () => this.toggle(this.parts()[this.current]), Backspace: () => this.toggle(this.parts()[this.current]),
      u: () => this.undo(), l: () => this.showAll(!this.showsAll) }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  toggle(part) {
    const block = part && this.blocks[part.dataset.at];
    if (!block?.nodes.length) return block && showToast(block.page ? "This block is on a further page of the article and cannot be taken out." : "This block is not in the text of the page.");
    part.classList.add("going");
    const name = NAMES[block.kind] ?? "Block";
    return block.kept ? this.change({ deselect: block.nodes }, `${name} taken out`) : this.change({ select: block.nodes }, `${name} put back`);
  }

  setRole(choice) {
    const block = this.blockOf(choice);
    this.open.add(block.row);
    return this.change({ role: { nodes: block.nodes, role: choice.value } }, `Now: ${choice.value.replace("_", " ")}`);
  }

  save(typed) {
    const text = typed.textContent.trim().replace(/\s+/g, " "), { name, before, image } = typed.dataset;
    if (text === before || (name === "title" && !text)) { typed.textContent = before; return null; }
    typed.dataset.before = text;
    const wish = { title: { title: { text } }, authors: { authors: text }, published: { published: text },
      caption: { caption: { image: Number(image), text } } }[name];
    return this.change(wish, `${typed.getAttribute("aria-label")} changed`);
  }

  undo() {
    if (!this.edits.length) return null;
    return this.change({ undo: Math.min(this.steps.pop() ?? 1, this.edits.length) }, "Undone", true);
  }

  change(wish, said, undoes = false) {
    this.work = this.work.then(() => this.send(wish, said, undoes));
    return this.work;
  }

  async send(wish, said, undoes) {
    try {
      const state = await ask(`/v1/clips/${this.clip.id}/selection`, { method: "PATCH", json: wish });
      if (this.ends.signal.aborted) return;
      if (!undoes) this.steps.push(Math.max(state.edits.length - this.edits.length, 1));
      if (wish.reset) this.steps = [];
      this.edits = state.edits;
      const inside = this.root.activeElement?.closest(".block"), scroll = document.scrollingElement.scrollTop;
      this.update(state.article);
      document.scrollingElement.scrollTop = scroll;
      if (inside) this.parts()[this.current]?.querySelector(".take")?.focus({ preventScroll: true });
      if (Object.keys(this.pictures).length && this.root.querySelector("img[data-src]")) this.loadPictures();
      showToast(said, state.edits.length && !undoes ? ["Undo", () => this.undo()] : null);
      this.onChange(state);
    } catch (error) {
      showToast(problemText(error));
      this.update(this.article);
    }
  }
}

// The style sheet of documents, for a shadow tree, and what the desk adds to it.
async function loadLook() {
  if (look) return;
  const [article, desk] = await Promise.all(["/article.css", "/static/sheet.css"].map(async (path) => (await fetch(path)).text()));
  const scoped = article.replace(/:root((?::lang\([^)]*\))?)/g, (_, lang) => (lang ? `:host(${lang})` : ":host")).replace(/^html\b/m, ":host").replace(/^body\b[^\n]*$/m, "");
  look = [scoped, desk].map((text) => { const sheet = new CSSStyleSheet(); sheet.replaceSync(text); return sheet; });
}

// Our own markup, sanitised by the service. Pictures come from the service, never from elsewhere.
function parse(html) {
  const found = new DOMParser().parseFromString(html, "text/html");
  for (const image of found.querySelectorAll("img")) { image.dataset.src = image.getAttribute("src"); image.removeAttribute("src"); }
  for (const link of found.querySelectorAll("a")) { link.tabIndex = -1; link.target = "_blank"; link.rel = "noreferrer"; }
  for (const named of found.querySelectorAll("[id]")) named.removeAttribute("id");
  return [...found.body.childNodes].map((node) => document.importNode(node, true));
}

function field(name, label, text, empty) {
  const typed = element("span", { contentEditable: "plaintext-only", tabIndex: 0, className: "typed" }, text);
  Object.assign(typed.dataset, { name, empty, before: text });
  typed.setAttribute("role", "textbox");
  typed.setAttribute("aria-label", label);
  return typed;
}

let fading = 0;

export function showToast(text, action = null) {
  const parts = [element("span", {}, text)];
  if (action) {
    const button = element("button", { type: "button" }, action[0]);
    button.addEventListener("click", () => { hideToast(); action[1](); });
    parts.push(button);
  }
  fill(at("toast"), parts);
  at("toast").hidden = false;
  clearTimeout(fading);
  fading = setTimeout(hideToast, action ? 60000 : 10000); // time to read it, and to reach its button by keyboard
}

export function hideToast() { at("toast").hidden = true; }
