"""Pages rendered by a real Chromium: good ones and bad ones."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from tearsheet import Options, clip
from tearsheet.acquire import render as module
from tearsheet.acquire.browser import Browser, Tab
from tearsheet.acquire.guard import Guard
from tearsheet.acquire.render import _capture, _navigate, render, render_html
from tearsheet.acquire.sources import acquire
from tearsheet.errors import FetchFailed, LimitExceeded
from tearsheet.page import read_page
from tearsheet.segments import segments
from tearsheet.types import Resource, Snapshot

from .site import Site, answer, redirect

OPEN = Options(allow_private=True)
SQUARE = "<svg xmlns='http://www.w3.org/2000/svg' width='9'><rect width='9' height='9'/></svg>"
SHORT = Options(allow_private=True, timeout=12)


def text(snapshot: Snapshot) -> list[str]:
    return segments(read_page(snapshot)).text


def serve_nothing(site: Site, path: str) -> None:
    def wait(handler: BaseHTTPRequestHandler) -> None:
        site.ending.wait()

    site.routes[path] = wait


def test_what_a_snapshot_has(browser: Browser, site: Site) -> None:
    site.routes["/a"] = redirect("/b")
    site.page("/b", "<!doctype html><body style='margin: 0'><div style='height: 3000px'>Text")
    found = render(site.url + "/a", OPEN, browser=browser, picture="now")
    assert (found.url, found.final_url) == (site.url + "/a", site.url + "/b")
    assert (found.status, found.size) == (200, (1280, 3000))
    assert b"<div style" in found.body
    assert found.picture is not None
    assert found.picture.startswith(b"\x89PNG")
    assert any("HeadlessChrome" in agent and "Tearsheet/" in agent for agent in site.agents)


def test_a_picture_drawn_later_from_the_archive_is_the_same(browser: Browser, site: Site) -> None:
    site.page("/a.svg", SQUARE, "image/svg+xml")
    site.page("/a.css", "p { font: 40px serif; color: teal }", "text/css")
    words = "<script>document.body.append('By a script.')</script><div style='height: 3000px'>x"
    html = f"<link rel=stylesheet href=/a.css><p>Text<img src=/a.svg>{words}"
    address = site.page("/", html)
    now = render(address, OPEN, browser=browser, picture="now")
    later = render(address, OPEN, browser=browser, picture="later")
    assert later.picture is None
    assert later.archive is not None
    assert acquire(later.archive, render=True, browser=browser, picture="now").picture == (
        now.picture
    )


@pytest.mark.parametrize("when", ["at once", "once it has loaded"])
def test_backgrounds_that_a_style_sheet_names_are_in_the_archive(
    browser: Browser, site: Site, when: str
) -> None:
    def late(handler: BaseHTTPRequestHandler) -> None:
        site.ending.wait(0.3)
        answer(SQUARE, "image/svg+xml")(handler)

    def job(tab: Tab) -> Snapshot:
        _navigate(tab, address)
        if when == "once it has loaded":
            tab.call("Runtime.evaluate", expression=LOADED, awaitPromise=True)
        return _capture(tab, address, OPEN, "later")

    site.routes["/a.svg"] = late
    site.page("/a.css", "body { background: url(a.svg) }", "text/css")
    address = site.page("/", "<link rel=stylesheet href=/a.css><p>Text")
    archive = browser.run(job, OPEN, Guard(allow_private=True), paced=True).archive
    assert archive is not None
    assert f"Content-Location: {site.url}/a.svg".encode() in archive


LOADED = """new Promise((done) => {
  if (document.readyState === "complete") done(null);
  else addEventListener("load", () => done(null));
})"""


@pytest.mark.parametrize("path", ["news/last-ferry.html", "ar/market.html", "zh/lighthouse.html"])
def test_a_sample_page_has_the_same_picture_later(
    browser: Browser, sample_site: str, path: str
) -> None:
    now = render(f"{sample_site}/{path}", OPEN, browser=browser, picture="now")
    kept = render(f"{sample_site}/{path}", OPEN, browser=browser, picture="later").archive
    assert kept is not None
    assert acquire(kept, render=True, browser=browser, picture="now").picture == now.picture


@pytest.mark.parametrize(
    "html",
    [
        "<canvas id=c></canvas><script>c.getContext('2d').fillRect(0, 0, 9, 9)</script>",
        "<p id=p></p><script>p.attachShadow({mode: 'closed'}).innerHTML = '<b>in</b>'</script>",
        "<img src=/missing.png width=50 height=50>",
        "<script>const s = new CSSStyleSheet(); s.replaceSync('p { color: red }');"
        "document.adoptedStyleSheets = [s]</script><p>Text",
    ],
)
def test_what_an_archive_would_not_show_is_drawn_at_once(
    browser: Browser, site: Site, html: str
) -> None:
    found = render(site.page("/", html), OPEN, browser=browser, picture="later")
    assert found.archive is None
    assert found.picture is not None


def test_scripts_fill_the_page_and_clip_sees_it(browser: Browser, site: Site) -> None:
    words = "This sentence was written by a script. " * 20
    address = site.page(
        "/", f"<div id=a></div><script>setTimeout(() => a.innerHTML = '<p>{words}', 50)</script>"
    )
    assert clip(address, options=OPEN).text == words.strip()


def test_a_page_that_moves_on_is_followed(browser: Browser, site: Site) -> None:
    site.page("/there", "<p>Arrived.")
    address = site.page("/", "<script>setTimeout(() => location = '/there', 20)</script>")
    found = render(address, OPEN, browser=browser)
    assert (text(found), found.final_url) == (["Arrived."], site.url + "/there")


@pytest.mark.parametrize("delay", [0, 1])
@pytest.mark.parametrize("how", ["header", "meta"])
def test_a_page_that_refreshes_to_another_is_followed(
    browser: Browser, site: Site, how: str, delay: int
) -> None:
    site.page("/there", "<p>Arrived.")
    refresh = f"{delay}; url=/there"
    site.page("/", f"<meta http-equiv=refresh content='{refresh}'><p>Wait.")
    if how == "header":
        site.routes["/"] = answer("<p>Wait.", refresh=refresh)
    assert text(render(site.url + "/", OPEN, browser=browser)) == ["Arrived."]


def test_a_refresh_that_is_far_off_or_in_a_frame_is_not_waited_for(
    browser: Browser, site: Site
) -> None:
    site.page("/frame", "<meta http-equiv=refresh content='0; url=/frame'>")
    html = "<meta http-equiv=refresh content='300; url=/there'><p>Here.<iframe src=/frame></iframe>"
    assert text(render(site.page("/", html), OPEN, browser=browser)) == ["Here."]
    assert not site.hits["/there"]


def test_what_is_laid_out_only_near_the_screen_is_text(browser: Browser) -> None:
    far = "<section style='content-visibility: auto; height: 3000px'><p>Far.</p></section>"
    for script in ("", "<script>1</script>"):
        html = f"{script}<p>Near.</p>{far * 3}"
        assert text(render_html(html, browser=browser)) == ["Near.", "Far.", "Far.", "Far."]


def test_lazy_images_are_requested(browser: Browser, site: Site) -> None:
    far = "<div style='height: 9000px'>x</div><img loading=lazy src=/far.png width=9 height=9>"
    found = render(site.page("/", far), OPEN, browser=browser)
    assert site.hits["/far.png"] == 1
    document = found.rendered["documents"][0] if found.rendered else {}
    assert document["scrollOffsetY"] == 0


def test_images_that_scripts_load_when_seen_are_requested(browser: Browser, site: Site) -> None:
    """Every screen is seen in a frame, though nothing is painted."""
    screens = "".join(f"<p style='height: 1000px'><img data-src=/{n}.png>" for n in range(12))
    script = """<script>
      const seen = new IntersectionObserver((all) => all.filter((one) => one.isIntersecting)
        .forEach((one) => requestAnimationFrame(() => one.target.src = one.target.dataset.src)));
      document.querySelectorAll("img").forEach((image) => seen.observe(image));
    </script>"""
    render(site.page("/", screens + script), OPEN, browser=browser)
    assert {f"/{n}.png" for n in range(12)} <= site.hits.keys()


def test_resources_that_never_answer_do_not_hold_the_page_up(browser: Browser, site: Site) -> None:
    serve_nothing(site, "/never.js")
    serve_nothing(site, "/never.png")
    serve_nothing(site, "/never.css")
    site.page("/late", "<p>Before.<img src=/never.png><script src=/never.js></script><p>After.")
    assert text(render(site.url + "/late", SHORT, browser=browser)) == ["Before.", "After."]


def test_a_saved_page_is_drawn_again_when_its_browser_has_died(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second attempt gets the page once more, not the answer to a page that leads elsewhere."""
    settle, killed = module._settle, list[int]()

    def settle_after_death(tab: Tab, *, stays: bool) -> dict[str, Any]:
        if not killed:
            killed.append(tab.post("Page.crash"))
        return settle(tab, stays=stays)

    monkeypatch.setattr(module, "_settle", settle_after_death)
    assert text(render_html("<p>The ferry left.", browser=browser)) == ["The ferry left."]
    assert killed


def test_a_script_that_never_ends_gives_what_there_is(browser: Browser, site: Site) -> None:
    address = site.page("/", "<p>Before.<script>setTimeout(() => { while (true); }, 0)</script>")
    assert text(render(address, SHORT, browser=browser)) == ["Before."]


def test_dialogs_are_answered(browser: Browser, site: Site) -> None:
    address = site.page("/", "<p>Before.<script>alert(1); prompt(2)</script><p>After.")
    assert text(render(address, OPEN, browser=browser)) == ["Before.", "After."]


def test_overlays_that_ask_for_consent_are_hidden_and_nothing_else(browser: Browser) -> None:
    html = """<style>.o { position: fixed; bottom: 0 } #v { position: fixed; inset: 0 }
        body { overflow: hidden }</style>
      <header style='position: fixed; top: 0'>Cookie recipes <button>Menu</button></header>
      <p style='margin-top: 50px'>We use cookies in this cake.</p>
      <div class=o>We use cookies. <button>Accept</button></div>
      <div id=onetrust-consent-sdk>Your privacy matters.</div><div id=v></div>
      <div class=o>Listen live</div>"""
    found = text(render_html(html, browser=browser))
    assert found == ["Cookie recipes", "Menu", "We use cookies in this cake.", "Listen live"]


def test_what_details_hold_is_text(browser: Browser) -> None:
    html = "<details><summary>Question</summary><p>Answer</details>"
    assert text(render_html(html, browser=browser)) == ["Question", "Answer"]


@pytest.mark.parametrize(
    ("kind", "body", "code"),
    [
        ("application/pdf", b"%PDF-1.4", "not-html"),
        ("application/zip", b"PK\x03\x04", "not-html"),
        ("image/gif", b"GIF89a\1\0\1\0\0\0\0;", "not-html"),
    ],
)
def test_what_is_not_a_page_is_a_clear_error(
    browser: Browser, site: Site, kind: str, body: bytes, code: str
) -> None:
    with pytest.raises(FetchFailed) as caught:
        render(site.page("/a", body, kind), OPEN, browser=browser)
    assert caught.value.code == code


def test_a_status_that_is_an_error(browser: Browser, site: Site) -> None:
    with pytest.raises(FetchFailed) as caught:
        render(site.url + "/missing", OPEN, browser=browser)
    assert (caught.value.code, caught.value.status) == ("status", 404)


def test_robots_txt_is_read_if_the_options_ask_for_it(browser: Browser, site: Site) -> None:
    site.page("/robots.txt", "User-agent: *\nDisallow: /\n", "text/plain")
    with pytest.raises(FetchFailed) as caught:
        render(site.page("/", "x"), Options(allow_private=True, robots=True), browser=browser)
    assert caught.value.code == "robots"


def test_limits_hold(browser: Browser, site: Site) -> None:
    many = site.page("/many", "<b></b>" * 500)
    with pytest.raises(LimitExceeded, match="nodes"):
        render(many, Options(allow_private=True, max_nodes=300), browser=browser)
    with pytest.raises(LimitExceeded, match="larger than"):
        render(many, Options(allow_private=True, max_bytes=2000), browser=browser)
    serve_nothing(site, "/mute")
    with pytest.raises((LimitExceeded, FetchFailed)):
        render(site.url + "/mute", Options(allow_private=True, timeout=1), browser=browser)


def test_deep_nesting(browser: Browser) -> None:
    found = read_page(render_html("<div>" * 5000 + "deep", browser=browser))
    assert "deep" in found.text


def test_a_saved_page_stays_where_its_scripts_lead_away(browser: Browser) -> None:
    html = "<p>Here.<script>top.location = 'https://b.test/'; location.reload()</script>"
    assert text(render_html(html, "https://a.test/", browser=browser)) == ["Here."]


def test_a_saved_page_is_drawn_with_its_files_and_without_network(
    browser: Browser, target: Site
) -> None:
    css = Resource("", "text/css", b"p { font-size: 33px }")
    html = f"""<link rel=stylesheet href='page_files/a b.css'><p>Text</p>
        <img src='{target.url}/image'><script>fetch('{target.url}/fetch')</script>"""
    for url in (None, "https://a.test/dir/page.html"):
        name = "page_files/a%20b.css" if url is None else "https://a.test/dir/page_files/a%20b.css"
        found = render_html(html, url, {name: css}, OPEN, browser=browser)
        layout = read_page(found).layout
        assert layout is not None
        assert layout.font_size.max() == 33
        assert found.final_url == url
    assert not target.hits
