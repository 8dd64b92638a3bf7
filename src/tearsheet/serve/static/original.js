// The page that a clip was made from, beside the article: its picture with the kept parts shaded, or,
// where it cannot be drawn, an outline of its lines. A click adds or drops the part under it.
import { ask, askBlob, element, fill } from "/static/request.js";

const at = (id) => document.getElementById(id);
const SMALLEST = 0.55; // of a page on a phone: below it nobody can read it, so it is scrolled sideways
const KEYS = {
  ArrowDown: (o) => o.move(1), ArrowUp: (o) => o.move(-1), Home: (o) => o.move(-1e9), End: (o) => o.move(1e9),
  Enter: (o) => o.toggle(), " ": (o) => o.toggle(), p: (o) => o.widen(), u: (o) => o.desk.undo(),
};

export class Original {
  static async open(clip, desk) {
    const view = await ask(`/v1/clips/${clip.id}/page`);
    const picture = view.picture ? URL.createObjectURL(await askBlob(view.picture)) : null;
    return new Original(desk, view, picture);
  }

  constructor(desk, view, picture) {
    Object.assign(this, { desk, picture, nodes: view.nodes, segments: view.segments, pointed: null });
    this.size = [view.width, view.height];
    this.byRow = new Map(view.nodes.map((node) => [node.row, node]));
    this.ends = new AbortController();
    at("original").hidden = false;
    at("original-reason").textContent = view.reason ? `This page cannot be drawn: ${view.reason}. These are its lines.` : "";
    if (picture) this.drawPage(); else this.drawOutline();
    this.listen();
    this.update(view);
    this.showKept();
  }

  close() {
    this.ends.abort();
    if (this.picture) URL.revokeObjectURL(this.picture);
    at("original").hidden = true;
    fill(at("page"), []);
  }

  listen() {
    const on = (target, kind, act) => target.addEventListener(kind, act, { signal: this.ends.signal });
    on(at("page"), "keydown", (event) => {
      const act = KEYS[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act(this);
    });
    on(at("page"), "pointermove", (event) => event.pointerType !== "touch" && this.point(this.nodeUnder(event)));
    on(at("page"), "click", (event) => { this.point(this.nodeUnder(event)); this.toggle(); });
    on(at("wider"), "click", () => this.widen());
    on(at("toggle"), "click", () => this.toggle());
    new ResizeObserver(() => this.scale()).observe(at("page"));
  }

  drawPage() {
    this.regions = element("div");
    this.marker = element("div", { className: "pointed", hidden: true });
    const image = element("img", { src: this.picture, alt: "The page as a browser draws it", width: this.size[0] });
    this.sheet = element("div", { className: "drawing" }, image, this.regions, this.marker);
    this.sheet.style.width = `${this.size[0]}px`;
    fill(at("page"), [this.sheet]);
    this.scale();
  }

  scale() {
    if (!this.picture || this.ends.signal.aborted) return;
    this.factor = Math.max((at("page").clientWidth || this.size[0]) / this.size[0], SMALLEST);
    this.sheet.style.transform = `scale(${this.factor})`;
    this.sheet.style.height = `${this.size[1]}px`;
    this.sheet.style.marginBottom = `${this.size[1] * (this.factor - 1)}px`;
  }

  drawOutline() {
    this.items = this.segments.map((segment) => element("li", {}, segment.text));
    fill(at("page"), [element("ol", {}, ...this.items)]);
  }

  // Opens at the kept part.
  showKept() {
    const first = this.picture ? this.regions.firstElementChild : this.items.find((_, i) => this.kept[i] === "1");
    if (!first) return;
    const box = at("page");
    const mark = first.getBoundingClientRect(), frame = box.getBoundingClientRect();
    box.scrollTop += mark.top - frame.top - 40;
    box.scrollLeft += mark.left - frame.left - 10;
  }

  nodeUnder(event) {
    if (!this.picture) {
      const i = this.items.indexOf(event.target.closest("li"));
      return i < 0 ? this.pointed : this.outlineNode(i);
    }
    const from = this.sheet.getBoundingClientRect();
    const x = (event.clientX - from.left) / this.factor, y = (event.clientY - from.top) / this.factor;
    const hit = this.nodes.filter(({ box: [x0, y0, x1, y1] }) => x0 <= x && x < x1 && y0 <= y && y < y1);
    return hit.reduce((best, node) => (best && area(best) < area(node) ? best : node), null);
  }

  outlineNode(i) {
    const row = this.segments[i].node;
    return this.byRow.get(row) ?? { row, end: row + 1, tag: "", first: i, last: i + 1, text: this.segments[i].text };
  }

  // The part under the pointer, here or in the article

  point(node) {
    if (node === this.pointed) return;
    this.pointed = node;
    this.describe();
    if (this.picture) {
      this.marker.hidden = !node;
      if (node) place(this.marker, node.box);
      this.marker.classList.toggle("drops", Boolean(node) && this.isKept(node));
    } else this.items.forEach((item, i) => item.classList.toggle("pointed", Boolean(node) && node.first <= i && i < node.last));
  }

  pointBlock(block) {
    const row = block?.nodes[0];
    const node = row === undefined ? null : this.byRow.get(row) ?? this.nodes.findLast((one) => one.row <= row && one.end > row);
    this.point(node ?? null);
    const shown = node && (this.picture ? this.marker : this.items[node.first]);
    if (!shown) return;
    const box = at("page").getBoundingClientRect(), mark = shown.getBoundingClientRect();
    if (mark.top < box.top || mark.bottom > box.bottom) at("page").scrollTop += mark.top - box.top - box.height / 3;
  }

  describe() {
    const node = this.pointed;
    at("wider").disabled = at("toggle").disabled = !node;
    at("toggle").textContent = node && this.isKept(node) ? "Take it out" : "Add it";
    at("part").textContent = node ? `${this.isKept(node) ? "Kept" : "Not kept"}: ${node.text.slice(0, 90)}` : "Green is kept; choose a part to change it.";
  }

  move(step) {
    const leaves = this.picture ? this.nodes.filter((node) => node.last - node.first <= 1 || node.tag === "img")
      : this.segments.map((_, i) => this.outlineNode(i));
    const now = this.pointed ? leaves.findIndex((node) => node.row >= this.pointed.row) : -1;
    const next = leaves[Math.min(Math.max(now + step, 0), leaves.length - 1)];
    if (!next) return;
    this.point(next);
    (this.picture ? this.marker : this.items[next.first]).scrollIntoView({ block: "nearest" });
  }

  widen() {
    const node = this.pointed;
    const around = node ? this.nodes.filter((other) => other.row < node.row && other.end >= node.end) : [];
    if (around.length) this.point(around.at(-1));
  }

  isKept(node) {
    if (node.tag === "img") return this.images.some((image) => image.node === node.row);
    const part = this.kept.slice(node.first, node.last);
    return part.length > 0 && part.split("1").length - 1 > part.length / 2;
  }

  toggle() {
    const node = this.pointed;
    if (!node) return null;
    return this.isKept(node) ? this.desk.change({ deselect: [node.row] }, "Taken out") : this.desk.change({ select: [node.row] }, "Added");
  }

  update(state) {
    this.kept = state.kept;
    this.images = state.images;
    if (this.picture) this.shade(); else this.items.forEach((item, i) => item.classList.toggle("kept", this.kept[i] === "1"));
    this.describe();
    this.marker?.classList.toggle("drops", Boolean(this.pointed) && this.isKept(this.pointed));
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
}

function place(mark, [x0, y0, x1, y1]) {
  Object.assign(mark.style, { left: `${x0}px`, top: `${y0}px`, width: `${x1 - x0}px`, height: `${y1 - y0}px` });
}

function area({ box: [x0, y0, x1, y1] }) { return (x1 - x0) * (y1 - y0); }
