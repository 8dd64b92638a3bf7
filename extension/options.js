// The service's address and token. Only this address is asked for as a permission.
const api = globalThis.browser ?? globalThis.chrome;
const at = (id) => document.getElementById(id);
const NAMES = ["service", "token", "then"];

// Patterns of origins have no port: Firefox knows none there, and without one every port is meant.
function originPattern(address) { const { protocol, hostname } = new URL(address); return `${protocol}//${hostname}/*`; }

const known = await api.storage.local.get({ service: "", token: "", then: "open" });
for (const name of NAMES) at(name).value = known[name];

at("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const service = new URL(at("service").value).origin;
  const allowed = await api.permissions.request({ origins: [originPattern(service)] });
  if (!allowed) { at("said").textContent = "Without this permission the extension cannot reach the service."; return; }
  await api.storage.local.set({ service, token: at("token").value.trim(), then: at("then").value });
  try {
    const answer = await fetch(`${service}/v1/about`, { headers: { Authorization: `Bearer ${at("token").value.trim()}` } });
    at("said").textContent = answer.ok ? "Saved. The service answers." : "Saved, but the service does not accept the token.";
  } catch { at("said").textContent = "Saved, but the service does not answer."; }
});
at("form").querySelector("button").disabled = false;
