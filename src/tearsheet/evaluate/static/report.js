// The report's tables sort by a click on their head; a click on a page opens it, side by side.
"use strict";

// A number, or a difference with its interval. What is empty stays at the end, however it is sorted.
const NUMBER = /^[+-]?[\d.]+(?:\*?$|\*? \(| %$)/;

for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  table.tHead.rows[0].querySelectorAll("th").forEach((head, column) => {
    head.tabIndex = 0;
    const sort = () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      table.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => row.cells[column].textContent;
      const empty = (row) => ["–", "-", ""].includes(value(row));
      const numbers = [...body.rows].every((row) => empty(row) || NUMBER.test(value(row)));
      const order = (a, b) =>
        numbers ? parseFloat(value(a)) - parseFloat(value(b)) : value(a).localeCompare(value(b));
      const rows = [...body.rows].sort((a, b) =>
        empty(a) || empty(b) ? empty(a) - empty(b) : down ? -order(a, b) : order(a, b));
      body.append(...rows);
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => event.key === "Enter" && sort());
  });
}

const pages = JSON.parse(document.getElementById("pages")?.textContent ?? "{}");
const view = document.getElementById("view");
const WIDTH = 380;

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// What a line is in a column: right, too much, missed, left out, kept or not where that counts
// neither way, or just a line of the original.
function meaning(kept, truth) {
  if (kept === null) return "plain";
  if (truth === "-") return kept === "1" ? "either" : "left";
  if (kept === "1") return truth === "1" ? "right" : "wrong";
  return truth === "1" ? "missed" : "left";
}

function column(page, title, kept, score) {
  const made = element("section", "column");
  made.append(element("h4", "", score === undefined ? title : `${title}: ${score}`));
  const sheet = element("div", page.width ? "sheet drawn" : "sheet");
  if (page.picture) {
    sheet.classList.add("photo");
    sheet.style.background = `#fff url(${page.picture}) top left / ${WIDTH}px auto no-repeat`;
  }
  const scale = page.width ? WIDTH / page.width : 1;
  if (page.width) sheet.style.height = `${page.height * scale}px`;
  page.lines.forEach(([text, box, size], i) => {
    const line = element("div", meaning(kept && kept[i], page.truth[i]), text);
    line.title = text;
    if (box) {
      const [x0, y0, x1, y1] = box.map((edge) => edge * scale);
      line.style.cssText =
        `left:${x0}px;top:${y0}px;width:${Math.max(x1 - x0, 4)}px;` +
        `height:${Math.max(y1 - y0, 3)}px;font-size:${Math.max(size * scale, 3)}px`;
    }
    sheet.append(line);
  });
  made.append(sheet);
  return made;
}

function show(name) {
  const page = pages[name];
  if (!page) return;
  view.replaceChildren(element("h3", "", `${name}  ${page.url}`));
  const row = element("div", "columns");
  row.append(column(page, "original", null), column(page, "truth", page.truth.replaceAll("-", "1")));
  for (const [method, kept] of Object.entries(page.kept)) {
    row.append(column(page, method, kept, page.scores[method]));
  }
  view.append(row);
  view.scrollIntoView({ block: "start" });
}

for (const row of document.querySelectorAll("tr[data-page]")) {
  if (!pages[row.dataset.page]) continue;
  row.classList.add("open");
  row.tabIndex = 0;
  row.addEventListener("click", () => show(row.dataset.page));
  row.addEventListener("keydown", (event) => event.key === "Enter" && show(row.dataset.page));
}
const first = document.querySelector("tr.open");
if (first) show(first.dataset.page);
window.scrollTo(0, 0);
