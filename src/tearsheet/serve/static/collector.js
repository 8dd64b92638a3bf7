// Reads the page of a tab as a person sees it, with boxes and computed styles, and what was typed left out. The
// bookmarklet and the browser extension both have this. `acquire/live_tab.py` describes the shape.
function collectPage(STYLES) {
  const strings = [], numbers = new Map();
  const number = (given) => {
    const text = given.toWellFormed?.() ?? given;
    if (!numbers.has(text)) { numbers.set(text, strings.length); strings.push(text); }
    return numbers.get(text);
  };

  // The children of a node as they are drawn: its shadow tree, with what its slots show.
  function children(node) {
    if (node.shadowRoot) return node.shadowRoot.childNodes;
    if (node.localName === "slot" && node.assignedNodes().length) return node.assignedNodes();
    return node.childNodes;
  }

  // What was typed into fields stays in the tab.
  function attributes(element) {
    const kept = [...element.attributes].filter(({ name }) => name !== "value" || element.localName !== "input");
    return kept.flatMap(({ name, value }) => [number(name), number(value)]);
  }

  function rectangle(node) {
    let box;
    if (node.nodeType === 3) {
      const range = document.createRange();
      range.selectNodeContents(node);
      box = range.getBoundingClientRect();
    } else box = node.getBoundingClientRect();
    return [box.left + scrollX, box.top + scrollY, box.width, box.height].map((edge) => Math.round(edge * 10) / 10);
  }

  function collect() {
    const nodes = [], layout = [], sources = [];
    const waiting = [[document.documentElement, -1, true]];
    while (waiting.length) {
      const [node, parent, above] = waiting.pop();
      const row = nodes.length;
      if (node.nodeType === 3) {
        nodes.push([parent, 3, number("#text"), number(node.data), []]);
        const box = above ? rectangle(node) : null;
        if (box?.[2] && box[3]) layout.push([row, ...box, []]);
        continue;
      }
      if (node.nodeType !== 1) continue;
      nodes.push([parent, 1, number(node.nodeName), -1, attributes(node)]);
      const style = above ? getComputedStyle(node) : null;
      const drawn = Boolean(style) && style.display !== "none";
      if (drawn) layout.push([row, ...rectangle(node), STYLES.map((name) => number(style.getPropertyValue(name)))]);
      if (node.currentSrc && node.localName === "img") sources.push([row, number(node.currentSrc)]);
      const program = /^(script|style|template)$/.test(node.localName) && !/json/.test(node.type);
      if (!program) for (const child of [...children(node)].reverse()) waiting.push([child, row, drawn]);
    }
    const area = document.scrollingElement || document.documentElement;
    return { base: document.baseURI, width: area.scrollWidth, height: area.scrollHeight, strings, nodes, layout, sources };
  }

  return collect();
}
