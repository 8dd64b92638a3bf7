// The bookmarklet, which runs in somebody else's page: it opens our window and hands it the page as
// the person sees it. This works even if the page forbids requests and forms. page.js fills in ORIGIN,
// STYLES and what collector.js has.
(() => {
  const origin = "ORIGIN", STYLES = "STYLES".split(" ");
  const target = open(origin + "/tab", "_blank");
  if (!target) {
    alert("Tearsheet: this page could not open a window. Allow it to, or save the page (Ctrl-S) and drop the file into Tearsheet.");
    return;
  }

  "COLLECTOR";

  addEventListener("message", (event) => {
    if (event.origin !== origin || event.data !== "tearsheet") return;
    const page = { url: location.href };
    try { page.tab = collectPage(STYLES); } catch { page.html = "<!DOCTYPE html>" + document.documentElement.outerHTML; }
    target.postMessage(page, origin);
  });
})();
