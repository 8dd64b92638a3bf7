// The API for people, made from /openapi.json; nothing is fetched from elsewhere.
import { element, fill } from "/static/request.js";

const at = (id) => document.getElementById(id);
const here = location.origin, key = '-H "Authorization: Bearer $TOKEN"';
const LINES = [
  ["Get the token first (in the folder of the service’s store)", "TOKEN=$(tearsheet store token)"],
  ["Turn an address into a PDF", `curl ${key} -H "Prefer: wait" -d url=https://example.org/story -d format=pdf ${here}/v1/clips -o story.pdf`],
  ["Turn a saved page into Markdown", `curl ${key} -H "Prefer: wait" -H "Content-Type: text/html" --data-binary @page.html "${here}/v1/clips?format=md"`],
  ["Search the library", `curl ${key} "${here}/v1/clips?q=ferry"`],
  ["Export everything as Markdown", `curl ${key} ${here}/v1/export -o clips.zip`],
  ["Have your own program called when a clip is done", `curl ${key} -d url=https://example.org/story -d webhook=https://example.org/hook ${here}/v1/clips`],
];

const api = await (await fetch("/openapi.json")).json();
at("about").textContent = `${api.info.description} Version ${api.info.version}.`;
fill(at("schemes"), Object.entries(api.components.securitySchemes).map(([name, { description }]) => element("li", {}, element("strong", {}, name), ": ", ...quoted(description))));
fill(at("lines"), LINES.map(([what, line]) => element("div", {}, element("h3", {}, what), code(line))));
const groups = new Map();
for (const [path, methods] of Object.entries(api.paths)) {
  for (const [method, route] of Object.entries(methods)) {
    const group = route.tags?.[0] ?? "other";
    groups.set(group, [...(groups.get(group) ?? []), [method.toUpperCase(), path, route]]);
  }
}
fill(at("routes"), [...groups].map(([name, routes]) => element("section", {}, element("h2", {}, name[0].toUpperCase() + name.slice(1)), ...routes.map(describe))));

// Text in which `…` is code.
function quoted(text) { return text.split("`").map((part, i) => (i % 2 ? element("code", {}, part) : part)); }

function code(text) { const made = element("pre", { tabIndex: 0 }, element("code", {}, text)); return made; }

function describe([method, path, route]) {
  const known = (route.parameters ?? []).map(({ name, in: where, required, schema, description }) =>
    element("li", {}, element("code", {}, name), ` ${where}${required ? ", required" : ""}${kind(schema)}${description ? `: ${description}` : ""}`));
  const shapes = Object.entries(route.requestBody?.content ?? {}).map(([type, { schema }]) => body(type, schema));
  return element("details", {}, element("summary", {}, element("code", {}, `${method} ${path}`)), element("p", {}, route.description ?? route.summary ?? ""),
    ...(known.length ? [element("ul", {}, ...known)] : []), ...shapes);
}

function kind(schema) {
  const choices = schema?.enum ?? schema?.anyOf?.flatMap((one) => one.enum ?? []) ?? [];
  return choices.length ? ` (${choices.filter((one) => one !== "").join(", ")})` : schema?.type ? ` (${schema.type})` : "";
}

function body(type, schema) {
  const shape = resolve(schema), example = shape?.examples?.[0];
  const names = Object.entries(shape?.properties ?? {}).map(([name, one]) => element("li", {}, element("code", {}, name), kind(one), one.description ? `: ${one.description}` : ""));
  return element("div", {}, element("h3", {}, `Body: ${type}`), ...(names.length ? [element("ul", {}, ...names)] : []), ...(example ? [code(JSON.stringify(example, null, 2))] : []));
}

function resolve(schema) { return schema?.$ref ? api.components.schemas[schema.$ref.split("/").at(-1)] : schema?.items ? resolve(schema.items) : schema; }
