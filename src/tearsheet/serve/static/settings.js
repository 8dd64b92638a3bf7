// Settings: where clips can be read elsewhere, export and import; for admins, users and retention.
import { ask, askBlob, element, fill, onClick, problemText, saveFile } from "/static/request.js";

const at = (id) => document.getElementById(id);
let say = () => {};

on("mail-form", "submit", () => save({ mail_to: at("mail-to").value.trim() }));
on("keep-form", "submit", () => save({ keep_days: Number(at("keep-days").value) }));
on("user-form", "submit", addUser);
on("export-all", "click", async () => { at("moved").textContent = "Exporting …"; saveFile(await askBlob("/v1/export"), "tearsheet.zip"); at("moved").textContent = "Exported."; });
on("import-file", "change", importFile);

// What a form or button does; what goes wrong is said.
function on(id, kind, act) {
  at(id).addEventListener(kind, async (event) => {
    event.preventDefault();
    try { await act(event); } catch (error) { say(problemText(error)); }
  });
}

export async function openSettings(showNotice) {
  say = showNotice;
  const { user, admin, keep_days: days, mail_to: to, can_mail: mails } = await ask("/v1/settings");
  at("who").textContent = user ? `You are ${user}${admin ? ", an admin" : ""}.` : "You use the token of the service itself, so you are its admin.";
  at("opds").textContent = `${location.origin}/opds`;
  at("atom").textContent = `${location.origin}/feed.atom`;
  at("mail-to").value = to;
  at("no-mail").hidden = mails;
  at("admin").hidden = !admin;
  at("keep-days").value = days;
  at("moved").textContent = at("new-token").textContent = "";
  if (admin) await showUsers();
}

async function save(wish) { await ask("/v1/settings", { method: "PATCH", json: wish }); at("moved").textContent = "Saved."; }

async function showUsers() {
  const { users } = await ask("/v1/users");
  fill(at("users"), users.map(({ name, admin }) => {
    const remove = element("button", { type: "button", className: "quiet" }, "Remove");
    remove.setAttribute("aria-label", `Remove ${name} and their library`);
    onClick(remove, async () => {
      if (!confirm(`Remove ${name} with all their clips?`)) return;
      await ask(`/v1/users/${encodeURIComponent(name)}`, { method: "DELETE" });
      await showUsers();
    }, say);
    return element("li", { className: "user" }, element("strong", {}, name), element("small", {}, admin ? "admin" : ""), remove);
  }));
}

async function addUser() {
  const { name, token } = await ask("/v1/users", { method: "POST", json: { name: at("user-name").value, admin: at("user-admin").checked } });
  fill(at("new-token"), [`The token of ${name}, shown once: `, element("code", {}, token), ". Their link: ", element("code", {}, `${location.origin}/#token=${token}`)]);
  at("user-name").value = "";
  await showUsers();
}

async function importFile(event) {
  const [file] = event.target.files;
  if (!file) return;
  at("moved").textContent = "Importing …";
  const { found, queued, known, left, refused } = await ask("/v1/import", { method: "POST", body: file, type: "application/octet-stream" });
  const more = [known && `${known} are here already`, left && `${left} did not fit into the queue: import the file again later`, refused.length && `${refused.length} were refused`];
  at("moved").textContent = `${found} addresses found, ${queued} queued. ${more.filter(Boolean).join("; ")}`;
  event.target.value = "";
}
