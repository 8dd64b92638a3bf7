"""The page in a real browser: paste, progress, edit by click and by keyboard, download."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pikepdf
import pytest
from tests.window import Window

from tearsheet.acquire.browser import Browser, Tab
from tearsheet.store import connect
from tearsheet.types import Options

STARTED = "document.readyState === 'complete' && !document.querySelector('#start').hidden"


class ServiceWindow(Window):
    """The service's page in a tab."""

    def __init__(self, tab: Tab, address: str, ready: str = STARTED) -> None:
        super().__init__(tab, address, ready)

    def click(self, selector: str) -> None:
        """A real click in the middle of an element, once it is there to stay: on top, and the same
        one at the same place twice in a row."""
        self.until(
            "(() => { const was = window.aimed; window.aimed = null;"
            f" const e = document.querySelector({json.dumps(selector)}); if (!e) return false;"
            " e.scrollIntoView({ block: 'center' }); const b = e.getBoundingClientRect();"
            " const x = b.x + b.width / 2, y = b.y + b.height / 2;"
            " if (!e.contains(document.elementFromPoint(x, y))) return false;"
            " window.aimed = { e, x, y }; return was?.e === e && was.x === x && was.y === y; })()"
        )
        x, y = self.value("[window.aimed.x, window.aimed.y]")
        self.click_at(x, y)

    def click_at(self, x: float, y: float) -> None:
        self._tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self._tab.call(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1
            )

    def type(self, text: str) -> None:
        self._tab.call("Input.insertText", text=text)

    def clip(self, address: str) -> str:
        """Pastes an address and waits for the article; gives the clip's id."""
        self.click("#address")
        self.value("document.querySelector('#address').select()")
        self.type(address)
        self.press("Enter")
        self.until("!document.querySelector('#clip').hidden && location.hash.startsWith('#/clip/')")
        name: str = self.value("location.hash.split('/')[2]")
        return name


def drive(browser: Browser, job: Any) -> Any:
    return browser.run(job, Options(allow_private=True, timeout=240))


PAPER = "document.querySelector('#paper').shadowRoot"
KEPT = f"[...{PAPER}.querySelectorAll('.block.kept')]"


def open_clip(window: ServiceWindow, name: str) -> None:
    window.value(f"location.hash = '#/clip/{name}'")
    window.until(f"{PAPER}?.querySelectorAll('.block').length > 2")


def press_in(window: ServiceWindow, selector: str) -> None:
    """A real click in the middle of something in the article."""
    x, y = window.value(
        f"(() => {{ const e = {PAPER}.querySelector({json.dumps(selector)});"
        " e.scrollIntoView({ block: 'center' }); const b = e.getBoundingClientRect();"
        " return [b.x + b.width / 3, b.y + b.height / 2]; })()"
    )
    window.click_at(x, y)


def clip_by_api(service: str, asked: dict[str, Any]) -> str:
    """Asks for a clip and waits until it is done; gives its id."""
    with httpx.Client(base_url=service, timeout=90) as client:
        name: str = client.post("/v1/clips", json=asked).json()["id"]
        client.get(f"/v1/clips/{name}/events")
    return name


def edits_of(service: str, name: str) -> int:
    found: int = httpx.get(f"{service}/v1/clips/{name}").json()["edits"]
    return found


def test_an_address_is_pasted_read_and_downloaded(
    browser: Browser, service: str, sample_site: str
) -> None:
    def job(tab: Tab) -> tuple[str, str, list[str]]:
        window = ServiceWindow(tab, f"{service}/")
        window.clip(f"{sample_site}/blog/nets.html")
        window.until(f"{PAPER}?.querySelector('h1')")
        title = window.value(f"{PAPER}.querySelector('h1').textContent")
        link = window.value("document.querySelector('#formats a').href")
        return title, link, window.errors

    title, link, errors = drive(browser, job)
    assert title == "What a year of mending nets taught me"
    answer = httpx.get(link, timeout=90)
    assert "attachment" in answer.headers["content-disposition"]
    with pikepdf.open(io.BytesIO(answer.content)) as pdf:
        assert len(pdf.pages) >= 1
    assert errors == []


def test_one_click_takes_a_block_out_and_two_put_it_back(
    browser: Browser, service: str, sample_site: str
) -> None:
    def job(tab: Tab) -> tuple[str, list[int], list[str]]:
        window = ServiceWindow(tab, f"{service}/")
        name = window.clip(f"{sample_site}/recipes/mackerel-pie.html")
        window.until(f"{PAPER}?.querySelectorAll('.block.kept p').length > 1")
        counts = [window.value(f"{KEPT}.length")]
        press_in(window, ".block.kept p")
        window.until("document.querySelector('#toast').textContent.includes('taken out')")
        counts.append(window.value(f"{KEPT}.length"))
        window.click("#toast button")
        window.until("document.querySelector('#undo').disabled")
        counts.append(window.value(f"{KEPT}.length"))
        press_in(window, ".fold")
        window.until(f"{PAPER}.querySelector('.gap .block')")
        press_in(window, ".gap .block .content")
        window.until("document.querySelector('#toast').textContent.includes('put back')")
        counts.append(window.value(f"{KEPT}.length"))
        return name, counts, window.errors

    name, counts, errors = drive(browser, job)
    assert counts[1] == counts[0] - 1
    assert counts[2] == counts[0]
    assert counts[3] > counts[0]
    assert edits_of(service, name) >= 1
    assert errors == []


def test_everything_can_be_done_by_keyboard(
    browser: Browser, service: str, sample_site: str
) -> None:
    def job(tab: Tab) -> tuple[str, str, list[str]]:
        window = ServiceWindow(tab, f"{service}/")
        name = window.clip(f"{sample_site}/docs/tidecast.html")
        window.until(f"{PAPER}?.querySelectorAll('.block.kept').length > 2")
        before = window.value(f"{KEPT}.length")
        window.value(f"{PAPER}.querySelector('.block.kept .take').focus()")
        window.press("ArrowDown")
        window.press("Delete")
        window.until(f"{KEPT}.length === {before - 1}")
        window.press("u")
        window.until(f"{KEPT}.length === {before}")
        window.press("l")
        window.until("document.querySelector('#left-out').getAttribute('aria-pressed') === 'true'")
        window.value(f"{PAPER}.querySelector('[data-name=title]').focus()")
        window.value("document.execCommand('selectAll')")
        window.type("A title by hand")
        window.press("Enter")
        window.until("document.querySelector('#clip-title').textContent === 'A title by hand'")
        return name, window.value(f"{PAPER}.querySelector('h1').textContent"), window.errors

    name, title, errors = drive(browser, job)
    assert title == "A title by hand"
    assert httpx.get(f"{service}/v1/clips/{name}").json()["title"] == "A title by hand"
    assert errors == []


def test_boxes_are_on_the_text_that_the_picture_shows(
    browser: Browser, service: str, sample_site: str
) -> None:
    """The picture is dark where a box says that there is text, and light just beside it."""
    import numpy as np
    from PIL import Image

    asked = {"url": f"{sample_site}/blog/nets.html", "render": "always"}
    with httpx.Client(base_url=service, timeout=120) as client:
        name = client.post("/v1/clips", json=asked).json()["id"]
        client.get(f"/v1/clips/{name}/events")
        page = client.get(f"/v1/clips/{name}/page").json()
        picture = Image.open(io.BytesIO(client.get(page["picture"]).content)).convert("L")
    shades = np.asarray(picture)
    lines = [one for one in page["nodes"] if one["tag"] == "p" and len(one["text"]) > 100]
    assert len(lines) > 3
    for x0, y0, x1, y1 in (one["box"] for one in lines):
        inside = shades[y0:y1, x0:x1]
        assert (inside < 128).mean() > 0.02, "no text in the box"
        for edge in (inside[:12], inside[-12:]):
            assert (edge < 128).any(), "the box begins or ends beside its lines"
        assert (shades[y1 + 1 : y1 + 3, x0:x1] > 128).all(), "the text goes on below the box"


def test_lines_without_an_element_have_boxes_too(browser: Browser, service: str) -> None:
    """Of an upload whose text stands between line breaks, beside text that is not kept."""
    import numpy as np
    from PIL import Image

    story = [f"Line {n} tells at length how the tide came in over the old harbour wall."
             for n in range(6)]  # fmt: skip
    links = "".join(f"<a href=/{n}>More {n}</a> | " for n in range(9))
    upload = f"<title>Tide</title><body><div>{links}<br>{'<br><br>'.join(story)}</div>"
    with httpx.Client(base_url=service, timeout=120) as client:
        kind = {"Content-Type": "text/html"}
        name = client.post("/v1/clips?render=always", content=upload, headers=kind).json()["id"]
        client.get(f"/v1/clips/{name}/events")
        page = client.get(f"/v1/clips/{name}/page").json()
        picture = Image.open(io.BytesIO(client.get(page["picture"]).content)).convert("L")
        lines = [one for one in page["nodes"] if one["text"] in story]
        wish = {"deselect": [lines[2]["row"]]}
        client.patch(f"/v1/clips/{name}/selection", json={"select": [lines[2]["row"]]})
        kept = client.patch(f"/v1/clips/{name}/selection", json=wish).json()["kept"]
    assert [one["text"] for one in lines] == story
    assert kept[lines[2]["first"] : lines[2]["last"]] == "0", "a line is taken out alone"
    shades = np.asarray(picture)
    for x0, y0, x1, y1 in (one["box"] for one in lines):
        assert (shades[y0:y1, x0:x1] < 128).any(axis=1).mean() > 0.4, "no text in the box"
        assert (shades[y1 : y1 + 6, x0:x1] > 128).all(), "the text goes on below the box"


def test_a_part_of_the_picture_is_taken_out_and_becomes_a_rule(
    browser: Browser, service: str, sample_site: str
) -> None:
    asked = {"url": f"{sample_site}/news/harbour.html", "render": "always"}
    name = clip_by_api(service, asked)

    def job(tab: Tab) -> tuple[int, str]:
        window = ServiceWindow(tab, f"{service}/")
        open_clip(window, name)
        window.click("#show-original")
        window.until("document.querySelector('#page img')?.complete")
        regions = window.value("document.querySelectorAll('.region').length")
        x, y = window.value(
            "(() => { const b = document.querySelector('.region').getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + Math.min(b.height / 2, 10)]; })()"
        )
        window.click_at(x, y)
        window.until("!document.querySelector('#undo').disabled")
        return regions, window.value("document.querySelector('#part').textContent")

    regions, said = drive(browser, job)
    assert regions > 0
    assert said.startswith("Not kept")
    assert edits_of(service, name) == 1


def test_the_preview_shows_the_pages_of_the_pdf_as_options_change(
    browser: Browser, service: str, sample_site: str
) -> None:
    asked = {"url": f"{sample_site}/news/last-ferry.html", "render": "never"}
    name = clip_by_api(service, asked)

    def job(tab: Tab) -> tuple[str, str, list[str]]:
        window = ServiceWindow(tab, f"{service}/")
        open_clip(window, name)
        window.click("#show-print")
        loaded = (
            "[...document.querySelectorAll('.printed')].every((one) => one.complete && one.src)"
        )
        window.until(f"document.querySelectorAll('.printed').length && {loaded}")
        first = window.value("document.querySelector('#page-count').textContent")
        window.value(
            "(() => { const size = document.querySelector('[name=font_size]'); size.value = 20;"
            " size.dispatchEvent(new Event('input', { bubbles: true })); })()"
        )
        window.until(f"!['{first}', 'Making the pages …']"
                     ".includes(document.querySelector('#page-count').textContent)")  # fmt: skip
        return (
            first,
            window.value("document.querySelector('#page-count').textContent"),
            window.errors,
        )

    first, second, errors = drive(browser, job)
    assert int(second.split()[0]) > int(first.split()[0])
    assert errors == []


def test_the_one_liners_of_the_api_page_work_as_they_stand(
    browser: Browser, service: str, sample_site: str, tmp_path: Path
) -> None:
    """In a shell, in their order; only the addresses of pages are ones that are here."""

    def job(tab: Tab) -> list[str]:
        window = ServiceWindow(tab, f"{service}/")
        window.go(f"{service}/docs")
        window.until("document.querySelectorAll('#lines pre').length > 4")
        found: list[str] = window.value(
            "[...document.querySelectorAll('#lines pre')].map((one) => one.textContent)"
        )
        return found

    lines = "\n".join(drive(browser, job)).replace("curl ", "curl --silent --fail ")
    story = f"{sample_site}/news/last-ferry.html"
    script = lines.replace("https://example.org/story", story)
    (tmp_path / "page.html").write_bytes(httpx.get(story).content)
    connect(str(tmp_path / "tearsheet.db")).close()  # this service asks for no token
    done = subprocess.run(
        ["bash", "-eu", "-c", script],
        cwd=tmp_path, capture_output=True, check=False, text=True, timeout=240,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "story.pdf").read_bytes().startswith(b"%PDF")
    with zipfile.ZipFile(tmp_path / "clips.zip") as files:
        assert "The last ferry across the Wend.md" in files.namelist()
    assert "# The last ferry across the Wend" in done.stdout
    assert '"total"' in done.stdout


def test_failures_are_explained_in_words(browser: Browser, service: str, sample_site: str) -> None:
    def job(tab: Tab) -> str:
        window = ServiceWindow(tab, f"{service}/")
        window.click("#address")
        window.type(f"{sample_site}/no/such/page")
        window.press("Enter")
        window.until("!document.querySelector('#notice').hidden")
        said: str = window.value("document.querySelector('#notice').textContent")
        return said

    assert "404" in drive(browser, job)


def test_a_button_says_what_went_wrong(browser: Browser, service: str, sample_site: str) -> None:
    wish = {"url": f"{sample_site}/no/such/page", "format": "html"}
    name = httpx.post(f"{service}/v1/clips", json=wish).json()["id"]
    httpx.get(f"{service}/v1/clips/{name}/events", timeout=60)

    def job(tab: Tab) -> str:
        window = ServiceWindow(tab, f"{service}/")
        window.until("!document.querySelector('#failures').hidden")
        window.value("globalThis.fetch = async () => { throw new TypeError('no service'); }; 0")
        window.value("document.querySelector('#failed button').click()")
        window.until("!document.querySelector('#notice').hidden")
        said: str = window.value("document.querySelector('#notice').textContent")
        return said

    assert "does not answer" in drive(browser, job)


def test_a_correction_takes_at_most_two_clicks(
    browser: Browser, service: str, sample_site: str
) -> None:
    """On the article that opens by itself; counted by the browser."""

    def job(tab: Tab) -> tuple[str, list[int], int]:
        window = ServiceWindow(tab, f"{service}/")
        name = window.clip(f"{sample_site}/recipes/mackerel-pie.html")
        window.until(f"{PAPER}?.querySelectorAll('.block.kept p').length > 1")
        window.value("window.clicks = 0; addEventListener('click', () => { clicks += 1; }, true)")
        before = window.value(f"{KEPT}.length")
        press_in(window, ".block.kept p")
        window.until(f"{KEPT}.length === {before - 1}")
        taken = window.value("clicks")
        press_in(window, ".fold")
        press_in(window, ".gap .block .content")
        window.until("document.querySelector('#toast').textContent.includes('put back')")
        return name, [taken, window.value("clicks") - taken], edits_of(service, name)

    _, clicks, edits = drive(browser, job)
    assert clicks == [1, 2], "out with one click, back in with two"
    assert edits >= 2


def test_on_a_phone_every_action_is_in_view(
    browser: Browser, service: str, sample_site: str
) -> None:
    asked = {"url": f"{sample_site}/blog/nets.html", "render": "never"}
    name = clip_by_api(service, asked)

    def job(tab: Tab) -> list[float]:
        tab.call(
            "Emulation.setDeviceMetricsOverride", width=375, height=800, deviceScaleFactor=1,
            mobile=True,
        )  # fmt: skip
        window = ServiceWindow(tab, f"{service}/")
        open_clip(window, name)
        edges: list[float] = window.value(
            "[...document.querySelectorAll('.actions > *')]"
            ".map((one) => one.getBoundingClientRect().right)"
        )
        return edges

    edges = drive(browser, job)
    assert len(edges) == 6
    assert max(edges) <= 375


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_window(browser: Browser, service: str, width: int) -> None:
    def job(tab: Tab) -> int:
        tab.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1,
            mobile=width < 600,
        )  # fmt: skip
        window = ServiceWindow(tab, f"{service}/")
        found: int = window.value("document.documentElement.scrollWidth")
        return found

    assert drive(browser, job) <= width
