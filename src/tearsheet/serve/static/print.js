// The pages of the PDF as they will be printed, set again with each option that is chosen.
import { ask, askBlob, element, fill, problemText } from "/static/request.js";

const at = (id) => document.getElementById(id);
const FIRST = ["paper", "columns", "font_size", "images", "links"];
const SKIPPED = ["front_matter", "fragment"];
const LABELS = { font_size: "Type size", images: "Pictures", grey: "No colours", header: "Running head and page numbers", qr: "QR code with the page’s address" };
const WAIT = 350;

export class PrintView {
  constructor(clip, about) {
    Object.assign(this, { clip, known: about.options.filter(({ name }) => !SKIPPED.includes(name)) });
    this.ends = new AbortController();
    this.blobs = [];
    at("print").hidden = false;
    this.build();
    const on = (id, kind, act) => at(id).addEventListener(kind, act, { signal: this.ends.signal });
    on("options", "input", () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.refresh(), WAIT); });
    on("options", "submit", (event) => { event.preventDefault(); this.refresh(); });
    on("do-print", "click", () => this.print());
    this.refresh();
  }

  close() {
    this.ends.abort();
    this.asking?.abort();
    clearTimeout(this.timer);
    this.blobs.forEach((address) => URL.revokeObjectURL(address));
    at("print").hidden = true;
    fill(at("pages"), []);
    this.frame?.remove();
  }

  build() {
    const rank = ({ name }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
    fill(at("options"), [...this.known].sort((one, other) => rank(one) - rank(other)).map((option) => this.control(option)));
  }

  control({ name, label: plain, help, choices, suggestions, default: initial, bounds }) {
    const label = LABELS[name] ?? plain;
    if (typeof initial === "boolean") return element("label", { className: "check", title: help }, element("input", { type: "checkbox", name, checked: initial }), label);
    if (choices) return element("label", { title: help }, label, element("select", { name }, ...choices.map((value) => element("option", { value, selected: value === initial }, value))));
    if (bounds) return element("label", { title: help }, label, element("input", { type: "number", name, value: initial, min: bounds[0], max: bounds[1], step: Number.isInteger(initial) ? 1 : 0.5 }));
    const input = element("input", { type: "text", name, value: initial, placeholder: help });
    if (!suggestions.length) return element("label", { title: help, className: "whole" }, label, input);
    input.setAttribute("list", `${name}-list`);
    const list = element("datalist", { id: `${name}-list` }, ...suggestions.map((value) => element("option", { value })));
    return element("label", { title: help, className: "whole" }, label, input, list);
  }

  chosen() {
    const query = new URLSearchParams();
    for (const { name, default: initial } of this.known) {
      const input = at("options").elements[name];
      const value = input.type === "checkbox" ? input.checked : input.value;
      if (String(value) !== String(initial)) query.set(name, value);
    }
    return query;
  }

  async refresh() {
    this.asking?.abort();
    const asking = this.asking = new AbortController();
    const query = this.chosen();
    query.set("revision", this.clip.revision);
    at("print-problem").hidden = true;
    at("page-count").textContent = "Making the pages …";
    try {
      const { pages } = await ask(`/v1/clips/${this.clip.id}/print?${query}`, { signal: asking.signal });
      at("page-count").textContent = pages === 1 ? "1 page" : `${pages} pages`;
      this.query = query;
      at("get-pdf").href = `/v1/clips/${this.clip.id}/document?format=pdf&download=1&key=${this.clip.key}&${query}`;
      await this.draw(pages, asking.signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      at("page-count").textContent = "";
      at("print-problem").textContent = problemText(error);
      at("print-problem").hidden = false;
    }
  }

  async draw(count, signal) {
    const old = this.blobs;
    this.blobs = [];
    const images = Array.from({ length: count }, (_, i) => element("img", { alt: `Page ${i + 1} of ${count}`, className: "printed" }));
    const height = at("pages").scrollTop;
    const first = await this.load(0, signal);
    images[0].src = first;
    fill(at("pages"), images);
    at("pages").scrollTop = height;
    for (let i = 1; i < count; i += 1) images[i].src = await this.load(i, signal);
    old.forEach((address) => URL.revokeObjectURL(address));
  }

  async load(number, signal) {
    const address = URL.createObjectURL(await askBlob(`/v1/clips/${this.clip.id}/print/${number + 1}?${this.query}`, { signal }));
    this.blobs.push(address);
    return address;
  }

  // The PDF in a frame of its own, which the browser prints.
  async print() {
    const file = await askBlob(`/v1/clips/${this.clip.id}/document?format=pdf&${this.chosen()}`);
    const address = URL.createObjectURL(new Blob([file], { type: "application/pdf" }));
    this.blobs.push(address);
    this.frame?.remove();
    this.frame = element("iframe", { className: "hidden", title: "The document to print", src: address });
    this.frame.addEventListener("load", () => { try { this.frame.contentWindow.print(); } catch { open(address, "_blank"); } });
    document.body.append(this.frame);
  }
}
