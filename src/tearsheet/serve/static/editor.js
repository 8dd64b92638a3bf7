// The clip editor: the page's picture with the kept regions shaded, or an outline of its segments.
// A click adds or drops a node; dropping a node inside a kept one deselects it.
import { ask, element, fill, problemText } from "/static/request.js";

const at = (id) => document.getElementById(id);
const KEYS = {
  ArrowDown: (e) => e.move(1), ArrowUp: (e) => e.move(-1), Home: (e) => e.move(-1e9), End: (e) => e.move(1e9),
  Enter: (e) => e.toggle(), " ": (e) => e.toggle(), p: (e) => e.widen(), u: (e) => e.undo(),
  t: (e) => e.asTitle(),
};
const BUTTONS = {
  toggle: (e) => e.toggle(), wider: (e) => e.widen(), undo: (e) => e.undo(), reset: (e) => e.change({ reset: true }),
  "as-title": (e) => e.asTitle(), "as-image": (e) => e.asImage(), "as-caption": (e) => e.asCaption(),
};

export class Editor {
  static async open(clip, onChange) {
    return new Editor(clip, await ask(`/v1/clips/${clip.id}/page`), onChange);
  }

  constructor(clip, view, onChange) {
    this.clip = clip;
    this.onChange = onChange;
    this.nodes = view.nodes;
    this.segments = view.segments;
    this.drawn = Boolean(view.picture);
    this.byRow = new Map(view.nodes.map((node) => [node.row, node]));
    this.pointed = null;
    this.work = Promise.resolve();
    this.ends = new AbortController();
    this.listen();
    at("corrections").hidden = at("sheet").hidden = false;
    if (this.drawn) this.drawPage(view); else this.drawOutline();
    this.update(view);
    at("sheet").focus({ preventScroll: true });
  }

  close() {
    this.ends.abort();
    at("corrections").hidden = at("sheet").hidden = at("offer").hidden = true;
    fill(at("sheet"), []);
  }

  listen() {
    const on = (target, kind, act) => target.addEventListener(kind, act, { signal: this.ends.signal });
    on(at("sheet"), "keydown", (event) => {
      const act = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act(this);
    });
    on(at("sheet"), "pointermove", (event) => event.pointerType !== "touch" && this.point(this.nodeUnder(event)));
    on(at("sheet"), "click", (event) => { this.point(this.nodeUnder(event)); this.toggle(); });
    for (const [id, act] of Object.entries(BUTTONS)) on(at(id), "click", () => act(this));
    on(window, "resize", () => this.scale());
  }

  // The page's picture

  drawPage(view) {
    this.size = [view.width, view.height];
    this.regions = element("div");
    this.marker = element("div", { className: "pointed", hidden: true });
    const picture = element("img", { src: view.picture, alt: "The page as a browser draws it", width: view.width });
    this.paper = element("div", { className: "paper" }, picture, this.regions, this.marker);
    this.paper.style.width = `${view.width}px`;
    fill(at("sheet"), [this.paper]);
    this.scale();
  }

  scale() {
    if (!this.drawn) return;
    this.factor = (at("sheet").clientWidth || this.size[0]) / this.size[0];
    this.paper.style.transform = `scale(${this.factor})`;
    this.paper.style.height = `${this.size[1]}px`;
    this.paper.style.marginBottom = `${this.size[1] * (this.factor - 1)}px`;
  }

  drawOutline() {
    this.items = this.segments.map((segment, i) => element("li", { id: `segment-${i}` }, segment.text));
    fill(at("sheet"), [element("ol", {}, ...this.items)]);
  }

  nodeUnder(event) {
    if (!this.drawn) {
      const i = this.items.indexOf(event.target.closest("li"));
      return i < 0 ? this.pointed : this.outlineNode(i);
    }
    const from = this.paper.getBoundingClientRect();
    const x = (event.clientX - from.left) / this.factor, y = (event.clientY - from.top) / this.factor;
    const hit = this.nodes.filter(({ box: [x0, y0, x1, y1] }) => x0 <= x && x < x1 && y0 <= y && y < y1);
    return hit.reduce((best, node) => (best && area(best) < area(node) ? best : node), null);
  }

  outlineNode(i) {
    const row = this.segments[i].node;
    return this.byRow.get(row) ?? { row, end: row + 1, tag: "", first: i, last: i + 1, text: this.segments[i].text };
  }

  // The node under the pointer

  point(node) {
    if (node === this.pointed) return;
    this.pointed = node;
    this.describePointed();
    if (this.drawn) {
      this.marker.hidden = !node;
      if (node) place(this.marker, node.box);
      this.marker.classList.toggle("drops", Boolean(node) && this.isKept(node));
    } else this.items.forEach((item, i) => item.classList.toggle("pointed", Boolean(node) && node.first <= i && i < node.last));
  }

  describePointed() {
    const node = this.pointed;
    for (const id of ["toggle", "wider", "as-title"]) at(id).disabled = !node;
    at("as-image").disabled = node?.tag !== "img";
    at("as-caption").disabled = !node || !this.images.length;
    if (!node) { at("block").textContent = ""; return; }
    at("toggle").textContent = this.isKept(node) ? "Drop it" : "Add it";
    at("block").textContent = `${this.isKept(node) ? "Kept" : "Not kept"}: ${node.tag} “${node.text.slice(0, 110)}”`;
  }

  move(step) {
    const leaves = this.drawn ? this.nodes.filter((node) => node.last - node.first <= 1 || node.tag === "img")
      : this.segments.map((_, i) => this.outlineNode(i));
    const now = this.pointed ? leaves.findIndex((node) => node.row >= this.pointed.row) : -1;
    const next = leaves[Math.min(Math.max(now + step, 0), leaves.length - 1)];
    if (!next) return;
    this.point(next);
    const shown = this.drawn ? this.marker : this.items[next.first];
    shown.scrollIntoView({ block: "nearest" });
  }

  widen() {
    const node = this.pointed;
    if (!node) return;
    const around = this.nodes.filter((other) => other.row < node.row && other.end >= node.end);
    if (around.length) this.point(around.at(-1));
  }

  isKept(node) {
    if (node.tag === "img") return this.images.some((image) => image.node === node.row);
    const part = this.kept.slice(node.first, node.last);
    return part.length > 0 && part.split("1").length - 1 > part.length / 2;
  }

  // Corrections

  toggle() {
    const node = this.pointed;
    if (node) return this.change(this.isKept(node) ? { deselect: [node.row] } : { select: [node.row] });
  }

  asTitle() { return this.pointed && this.change({ title: { node: this.pointed.row } }); }
  asImage() { return this.pointed && this.change({ image: this.pointed.row }); }

  asCaption() {
    const near = (image) => Math.abs(image.node - this.pointed.row);
    const nearest = this.images.reduce((best, image) => (near(best) <= near(image) ? best : image));
    return this.change({ caption: { image: nearest.node, node: this.pointed.row } });
  }

  undo() { return this.edits.length && this.change({ undo: 1 }); }

  change(wish) {
    this.work = this.work.then(() => this.send(wish));
    return this.work;
  }

  async send(wish) {
    try {
      const state = await ask(`/v1/clips/${this.clip.id}/selection`, { method: "PATCH", json: wish });
      if (this.ends.signal.aborted) return;
      this.update(state);
      this.onChange(state);
    } catch (error) { at("block").textContent = problemText(error); }
  }

  update(state) {
    this.kept = state.kept;
    this.images = state.images;
    this.edits = state.edits;
    at("undo").disabled = at("reset").disabled = !state.edits.length;
    if (this.drawn) this.shade(); else this.items.forEach((item, i) => item.classList.toggle("kept", this.kept[i] === "1"));
    this.describePointed();
    this.marker?.classList.toggle("drops", Boolean(this.pointed) && this.isKept(this.pointed));
    if (state.rules) this.offer(state.rules, state.site);
  }

  // The largest nodes that are kept as a whole, and the kept pictures.
  shade() {
    const regions = [];
    let past = -1;
    for (const node of this.nodes) {
      if (node.row < past) continue;
      const whole = node.last > node.first && !this.kept.slice(node.first, node.last).includes("0");
      if (!whole && !(node.tag === "img" && this.isKept(node))) continue;
      past = node.end;
      const region = element("div", { className: "region" });
      place(region, node.box);
      regions.push(region);
    }
    fill(this.regions, regions);
  }

  offer(rules, site) {
    at("offer").hidden = !rules.length || !site;
    at("offer-site").textContent = site;
    fill(at("offers"), rules.map((rule) => {
      const button = element("button", { type: "button" }, `Always ${rule.do === "select" ? "keep" : "drop"} this`);
      button.addEventListener("click", async () => {
        await ask("/v1/rules", { method: "POST", json: [{ site, ...rule }] });
        button.textContent = "Rule added";
        button.disabled = true;
      });
      return element("li", {}, button, " ", element("code", {}, rule.path));
    }));
  }
}

function place(mark, [x0, y0, x1, y1]) {
  Object.assign(mark.style, { left: `${x0}px`, top: `${y0}px`, width: `${x1 - x0}px`, height: `${y1 - y0}px` });
}

function area({ box: [x0, y0, x1, y1] }) { return (x1 - x0) * (y1 - y0); }
