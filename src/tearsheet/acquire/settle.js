// Runs in an isolated world beside the page, and brings the page to the state that a reader sees.
// Returns that state; without `frames`, returns null if the page needs frames to come to rest.
// `budget` is in milliseconds.
async (budget, screens, frames) => {
  const start = performance.now();
  const left = () => budget - (performance.now() - start);
  const loaded = () => document.readyState === "complete";
  const root = () => document.documentElement || document.body;

  const LOADING = 2000;  // milliseconds that loading may go on without progress
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));

  // The browser notices only in a frame what has come near the screen.
  const frame = () => Promise.race([new Promise(requestAnimationFrame), pause(100)]);

  // Ends early when something has loaded or failed.
  let wake = () => {};
  const news = (ms) => new Promise((done) => { wake = done; setTimeout(done, ms); });
  for (const name of ["DOMContentLoaded", "load", "error"]) {
    addEventListener(name, () => wake());
    document.addEventListener(name, () => { style(); wake(); }, true);
  }

  // Makes the browser request background images as soon as styles are known. If that is before the
  // load event, the event waits for them.
  let styled = false;
  function style() {
    const pending = (link) => !link.sheet;
    const links = [...document.querySelectorAll("link[rel~=stylesheet i]")];
    if (loaded() || links.some(pending)) return;
    document.getAnimations();
    styled = true;
  }

  // If the page had loaded before, wait for each of them; the browser requests each only once.
  async function backgrounds() {
    const named = [...document.querySelectorAll("html,body,body *")].flatMap((element) =>
      [...getComputedStyle(element).backgroundImage.matchAll(/url\("(http[^"]*)"\)/g)].map((found) => found[1]));
    const load = (url) => new Promise((done) => {
      const image = new Image();
      image.onload = image.onerror = done;
      image.src = url;
    });
    await Promise.race([Promise.all([...new Set(named)].map(load)), pause(Math.min(left(), LOADING))]);
  }

  async function parsed() {
    while (document.readyState === "loading" && left() > 0) await news(25);
  }

  // A page without these does not move once it has loaded. All others need frames.
  const MOVING = "script:not([type*=json]),iframe,frame,object,embed,[loading=lazy],[onload]";
  const waits = () => !frames &&
    (document.querySelector(MOVING) || (loaded() && document.getAnimations().length));

  // Lazy images load when they come near the screen.
  async function scroll() {
    const height = () => document.scrollingElement?.scrollHeight || 0;
    const step = Math.max(innerHeight, 400);
    if (height() <= step * 1.2) return;
    for (let y = step, n = 0; y < height() && n < screens && left() > budget / 4; y += step, n++) {
      scrollTo({ top: y, behavior: "instant" });
      await frame();
      await pause(5);
    }
    scrollTo({ top: 0, behavior: "instant" });
  }

  // A lazy image that is not drawn, or is too far down, never loads: do not wait for it.
  function loads(image) {
    if (image.complete) return false;
    if (image.loading !== "lazy") return true;
    const box = image.getBoundingClientRect();
    return box.width * box.height > 0 && box.top < screens * innerHeight;
  }

  const state = () => [
    document.getElementsByTagName("*").length,
    loaded() && document.scrollingElement?.scrollHeight,  // before that, asking would cost a layout
    document.readyState,
    document.fonts.status,
    [...document.images].filter(loads).length,
  ].join();
  const IDLE = /complete,loaded,0$/;

  // Waits until nothing is loading and nothing has moved for QUIET milliseconds.
  async function quiet() {
    const QUIET = frames ? 150 : 0;
    let last = state(), since = performance.now();
    while (left() > 0) {
      const busy = !IDLE.test(last);
      if (performance.now() - since >= (busy ? LOADING : QUIET)) return true;
      await news(30);
      const now = state();
      if (now !== last) { last = now; since = performance.now(); }
    }
    return false;
  }

  // Opens closed <details>, and lays out what the browser would lay out only near the screen: both
  // belong to the page's text. Returns whether there was any of the latter.
  function unfold() {
    for (const element of document.querySelectorAll("details:not([open])")) element.open = true;
    const skipped = (element) => getComputedStyle(element).contentVisibility === "auto";
    const found = [...document.querySelectorAll("body,body *")].filter(skipped);
    for (const element of found) element.style.setProperty("content-visibility", "visible", "important");
    return found.length > 0;
  }

  const CONSENT = new RegExp("CONSENT_WORDS", "i");  // the words of all languages: see settle_script
  const VENDORS = "#onetrust-consent-sdk,#didomi-host,#CybotCookiebotDialog,#CybotCookiebotDialogBodyUnderlay," +
    "#usercentrics-root,#usercentrics-cmp-ui,.fc-consent-root,#qc-cmp2-container,#cmpbox,#cmpbox2,#cmpwrapper," +
    "[id^=sp_message_container],#truste-consent-track,.truste_overlay,.osano-cm-window,#cookie-law-info-bar," +
    "#axeptio_overlay,#iubenda-cs-banner,#tarteaucitronRoot,.cky-consent-container,#hs-eu-cookie-confirmation," +
    "#gdpr-consent-tool-wrapper,#klaro,.cc-window,#consent_blackbar,#ez-cookie-dialog-wrapper,#cookiescript_injected";

  function hide(element) { element.style.setProperty("display", "none", "important"); }

  // A box that stays on the screen and mentions consent is an overlay, and so is the veil behind it.
  function hideOverlays() {
    let found = 0;
    for (const element of document.querySelectorAll(VENDORS)) { hide(element); found++; }
    const stuck = [];
    for (const element of document.querySelectorAll("body *:not(script):not(style)")) {
      if (element.childElementCount + element.childNodes.length === 0) {
        if (!/^(DIV|SPAN|ASIDE|SECTION)$/.test(element.tagName)) continue;
      }
      const style = getComputedStyle(element);
      if (style.position === "fixed" || style.position === "sticky") stuck.push(element);
      else if (element.tagName === "DIALOG" && element.open) stuck.push(element);
    }
    const veils = [];
    for (const element of stuck) {
      if (element.querySelector("article,main")) continue;
      const text = (element.textContent || "").trim();
      const named = CONSENT.test(`${element.id} ${element.className} ${element.getAttribute("aria-label") || ""}`);
      if (text.length < 5000 && (named || (CONSENT.test(text) && element.querySelector("button,a,input")))
          && !/^(HEADER|NAV|FOOTER)$/.test(element.tagName)) { hide(element); found++; }
      else if (!text) veils.push(element);
    }
    if (!found) return 0;
    for (const veil of veils) {
      const box = veil.getBoundingClientRect();
      if (box.width >= innerWidth * 0.9 && box.height >= innerHeight * 0.9) hide(veil);
    }
    for (const element of [document.documentElement, document.body]) {
      if (!element) continue;
      const style = getComputedStyle(element);
      if (style.overflowY === "hidden") element.style.setProperty("overflow", "visible", "important");
      if (style.position === "fixed") element.style.setProperty("position", "static", "important");
    }
    return found;
  }

  // Whether an archive of the page looks the same. It lacks what scripts drew, and pictures that
  // failed or are still to come may take other space.
  function lasting() {
    if (document.querySelector("canvas,video,object,embed") || document.adoptedStyleSheets.length) return false;
    const kept = (image) => image.naturalWidth && !image.currentSrc.startsWith("blob:");
    return [...document.images].every((image) => kept(image) || !image.getClientRects().length);
  }

  await parsed();
  style();
  if (waits()) return null;
  if (frames) await scroll();
  let calm = await quiet();
  if (waits()) return null;
  if (!styled) await backgrounds();
  if (unfold()) {
    if (frames) await scroll();
    calm = await quiet();
  }
  await pause(0);  // only after the load event do we know whether the page sends the browser elsewhere
  const overlays = hideOverlays();
  const navigation = performance.getEntriesByType("navigation")[0];
  const area = document.scrollingElement || root();
  return {
    calm, overlays,
    lasting: lasting(),
    status: navigation?.responseStatus || 0,
    type: document.contentType,
    url: document.URL,
    nodes: document.getElementsByTagName("*").length,
    size: [area?.scrollWidth || 0, area?.scrollHeight || 0],
    html: document.documentElement?.outerHTML || "",
  };
}
