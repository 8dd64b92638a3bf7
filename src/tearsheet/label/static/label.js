// The page as drawn, a mark for each segment, and a key for each role.
const KEYS = {
  title: "t", subtitle: "s", byline: "y", date: "d", body: "b", heading: "h", list: "l", quote: "q", pullquote: "u",
  code: "c", table: "a", formula: "m", footnote: "o", caption: "p", credit: "r", contents: "n", author_note: "w",
  tags: "g", share: "e", notice: "i", comment: "k", related: "x", advertisement: "v", navigation: "z", footer: "f",
  consent: "j",
};
const CAPTIONS = ["caption", "credit"];
const at = (id) => document.getElementById(id);
const view = { pages: [], page: 0, shown: null, first: 0, last: 0, level: -1, picture: -1, history: [] };

const color = (role) => {
  const hue = (Object.keys(KEYS).indexOf(role) * 83) % 360;
  return `hsl(${hue} 70% 38%)`;
};

async function ask(path, given) {
  const how = given && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(given) };
  const answer = await fetch(path, how);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function start() {
  const list = await ask("pages");
  view.pages = list.pages;
  for (const role of list.roles) {
    const key = document.createElement("dt"), name = document.createElement("dd");
    [key.textContent, name.textContent, name.id] = [KEYS[role], role.replace("_", " "), `role-${role}`];
    key.style.setProperty("--c", color(role));
    at("roles").append(key, name);
  }
  for (const [number, kind] of list.kinds.entries()) at("kind").append(new Option(`${number + 1} ${kind}`, kind));
  const open = view.pages.findIndex((page) => !page.done);
  await openPage(Math.max(open, 0));
}

async function openPage(number) {
  view.page = (number + view.pages.length) % view.pages.length;
  const { key } = view.pages[view.page];
  say("drawing the page …");
  view.shown = null;
  at("key").textContent = key;
  at("count").textContent = `${view.page + 1} of ${view.pages.length}, ${view.pages.filter((page) => page.done).length} done`;
  const name = encodeURIComponent(key);
  const shown = await ask(`page/${name}`);
  at("picture").src = `picture/${name}`;
  at("picture").width = shown.width;
  Object.assign(view, { shown, first: 0, last: 0, level: -1, picture: -1, history: [] });
  at("kind").value = shown.kind;
  drawMarks();
  say(view.pages[view.page].done ? "labelled before" : "proposed by the engine");
}

function drawMarks() {
  at("marks").replaceChildren(...view.shown.boxes.map((box) => makeMark(box)),
    ...view.shown.pictures.map(({ box }) => makeMark(box, "picture")));
  view.shown.roles.forEach((role, number) => paint(number, role));
  show();
}

function makeMark([left, top, right, bottom], kind = "") {
  const mark = document.createElement("div");
  mark.className = `mark ${kind}`;
  Object.assign(mark.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
  if (!kind) mark.append(document.createElement("span"));
  return mark;
}

function paint(number, role) {
  const mark = at("marks").children[number];
  mark.style.setProperty("--c", color(role));
  mark.firstChild.textContent = role;
}

function show() {
  const { shown, first, last } = view, marks = [...at("marks").children], count = shown.boxes.length;
  marks.forEach((mark, number) => mark.classList.toggle("now",
    view.picture >= 0 ? number === count + view.picture : number >= first && number <= last));
  shown.pictures.forEach((picture, number) => {
    marks[count + number].classList.toggle("chosen", picture.chosen);
    marks[count + number].style.setProperty("--c", picture.chosen ? "#0a7" : "#888");
  });
  const role = shown.roles[last];
  for (const name of document.querySelectorAll("#roles dd")) name.classList.toggle("now", name.id === `role-${role}`);
  at("text").textContent = view.picture >= 0 ? `picture ${view.picture + 1} of ${shown.pictures.length}`
    : first === last ? shown.texts[last] : `${last - first + 1} segments: ${shown.texts[first]} … ${shown.texts[last]}`;
  marks[view.picture >= 0 ? count + view.picture : last]?.scrollIntoView({ block: "center", inline: "nearest" });
}

function select(first, last = first) {
  const most = view.shown.boxes.length - 1;
  view.first = Math.min(Math.max(first, 0), most);
  view.last = Math.min(Math.max(last, view.first), most);
  view.picture = -1;
  show();
}

function setRole(role) {
  const { shown, first, last } = view;
  view.history.push({ first, last, roles: shown.roles.slice(first, last + 1) });
  for (let number = first; number <= last; number++) { shown.roles[number] = role; paint(number, role); }
  view.level = -1;
  select(last + 1);
}

function undo() {
  const step = view.history.pop();
  if (!step) return;
  step.roles.forEach((role, at) => { view.shown.roles[step.first + at] = role; paint(step.first + at, role); });
  select(step.first, step.last);
}

function widen() {
  const ranges = view.shown.around[view.first];
  const wider = ranges.find(([low, high]) => high - low > view.last - view.first + 1);
  if (wider) select(wider[0], wider[1] - 1);
}

function nextOther() {
  const { roles } = view.shown;
  let number = view.last;
  while (number < roles.length - 1 && roles[number] === roles[view.last]) number++;
  select(number);
}

function nextPicture() {
  const { pictures } = view.shown;
  if (!pictures.length) { say("no pictures here"); return; }
  view.picture = (view.picture + 1) % pictures.length;
  show();
}

function togglePicture() {
  const picture = view.shown.pictures[view.picture];
  if (picture) { picture.chosen = !picture.chosen; show(); }
}

// A caption belongs to the closest picture of the article.
function captions() {
  const { shown } = view, chosen = shown.pictures.filter((picture) => picture.chosen);
  const found = new Map(chosen.map((picture) => [picture.row, []]));
  const apart = (low, high, first, last) => Math.max(first - high, low - last, 0);
  const distance = (a, b) => apart(a[0], a[2], b[0], b[2]) + apart(a[1], a[3], b[1], b[3]);
  shown.roles.forEach((role, number) => {
    if (!CAPTIONS.includes(role) || !chosen.length) return;
    const far = chosen.map((picture) => distance(picture.box, shown.boxes[number]));
    found.get(chosen[far.indexOf(Math.min(...far))].row).push(number);
  });
  return [...found];
}

async function save() {
  const page = view.pages[view.page];
  const said = { kind: at("kind").value, roles: view.shown.roles, pictures: captions() };
  await ask(`page/${encodeURIComponent(page.key)}`, said);
  page.done = true;
  await openPage(view.page + 1);
}

function say(text) { at("state").textContent = text; }

const ROLE_OF = Object.fromEntries(Object.entries(KEYS).map(([role, key]) => [key, role]));

function act(event) {
  const { key, shiftKey } = event;
  if (key === "Enter") return save();
  if (key === "PageDown") return openPage(view.page + 1);
  if (key === "PageUp") return openPage(view.page - 1);
  if (key === "ArrowDown") return shiftKey ? select(view.first, view.last + 1) : select(view.last + 1);
  if (key === "ArrowUp") return shiftKey ? select(view.first - 1, view.last) : select(view.first - 1);
  if (key === "ArrowRight") return widen();
  if (key === "ArrowLeft") return select(view.first);
  if (key === "Tab") return nextOther();
  if (key === " ") return nextPicture();
  if (key === ".") return togglePicture();
  if (key === "Backspace") return undo();
  if (/^[1-7]$/.test(key)) { at("kind").selectedIndex = Number(key) - 1; return undefined; }
  return view.picture < 0 && ROLE_OF[key] ? setRole(ROLE_OF[key]) : false;
}

document.addEventListener("keydown", (event) => {
  if (!view.shown || event.ctrlKey || event.altKey || event.metaKey) return;
  const done = act(event);
  if (done === false) return;
  event.preventDefault();
  if (done instanceof Promise) done.catch((error) => say(error.message));
});
at("marks").addEventListener("click", (event) => {
  const number = [...at("marks").children].indexOf(event.target.closest(".mark"));
  const count = view.shown.boxes.length;
  if (number >= count) { view.picture = number - count; togglePicture(); } else if (number >= 0) select(number);
});
start().catch((error) => say(error.message));
