"""Every method, by name, on the same small pages."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tearsheet import metrics, plugins
from tearsheet.acquire.browser import Browser
from tearsheet.acquire.render import render, render_html
from tearsheet.clip import judge
from tearsheet.errors import NeedsLayout, NoArticle
from tearsheet.page import rendered
from tearsheet.page.parsed import parse
from tearsheet.types import Clipping, Options, Page

from .drawn import draw_page
from .pages import HOSTILE, LINKS, PARAGRAPHS, article

SITE = Path(__file__).parents[2] / "samples" / "site"
NAMES = plugins.names("methods")
PARSED = [n for n in NAMES if not getattr(plugins.load("methods", n), "NEEDS_LAYOUT", False)]
VISUAL = [n for n in NAMES if n not in PARSED]
ONE_NODE = ("lr_a", "svm_a")
"""Methods that choose a single node, and so often a single paragraph."""
SCATTERED = ("lr", "svm")
"""Methods without grouping: by their paper they pick noise that is scattered around (§7.2)."""
WHOLE = ("all_text", "tag_ratio_lines")
"""A baseline, and what sees a page without line breaks as one line: they keep all of it."""


@pytest.fixture(scope="module")
def drawn_article(browser: Browser) -> Page:
    return rendered.page(render_html(article(), browser=browser))


@pytest.fixture(scope="module", params=["all fonts", "DejaVu alone"])
def drawn_sample(
    request: pytest.FixtureRequest,
    browser: Browser,
    sample_site: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Page]:
    """The sample site's article, as Chromium draws it with the fonts that are here, and with no
    fonts but DejaVu: lines break elsewhere, and nodes have other boxes."""
    url = f"{sample_site}/news/last-ferry.html"
    if request.param == "all fonts":
        yield _draw(url, browser)
        return
    with pytest.MonkeyPatch.context() as patched:
        settings = _dejavu_settings(tmp_path_factory.mktemp("fonts"))
        patched.setenv("FONTCONFIG_FILE", str(settings))
        with Browser() as other:
            page = _draw(url, other)
    yield page


def _dejavu_settings(folder: Path) -> Path:
    """A file for fontconfig that knows the folder of DejaVu alone."""
    asked = ["fc-match", "--format=%{family}:%{file}", "DejaVu Sans"]
    if not shutil.which("fc-match"):
        pytest.skip("no fontconfig on this machine")
    family, _, file = subprocess.run(
        asked, capture_output=True, text=True, check=True
    ).stdout.partition(":")
    if "DejaVu" not in family:
        pytest.skip("no DejaVu on this machine (Debian: apt install fonts-dejavu-core)")
    settings = folder / "fonts.conf"
    settings.write_text(
        f"<fontconfig><dir>{Path(file).parent}</dir><cachedir>{folder}</cachedir></fontconfig>"
    )
    return settings


def _draw(url: str, browser: Browser) -> Page:
    return rendered.page(render(url, Options(allow_private=True), browser=browser))


def kept_lines(found: Clipping) -> list[str]:
    return [found.segments.text[i] for i in np.flatnonzero(found.verdict.keep)]


def check_article(found: Clipping, name: str) -> None:
    text = set(kept_lines(found))
    assert found.verdict.method == name
    assert text.intersection(PARAGRAPHS)
    noise = 3 if name in SCATTERED else 1  # smoothing may blur one over the edge
    assert len(text.intersection(LINKS)) <= noise
    if name not in ONE_NODE:
        assert text.issuperset(PARAGRAPHS[1:-1])


@pytest.mark.parametrize("name", [name for name in PARSED if name not in WHOLE])
def test_a_small_article_is_kept_and_its_furniture_is_not(name: str) -> None:
    check_article(judge(parse(article()), name, Options()), name)


@pytest.mark.parametrize("name", VISUAL)
def test_a_small_drawn_article_is_kept(name: str, drawn_article: Page) -> None:
    check_article(judge(drawn_article, name, Options()), name)


@pytest.mark.parametrize("name", NAMES)
def test_the_sample_article_is_clipped(name: str, drawn_sample: Page) -> None:
    truth = json.loads((SITE / "news" / "last-ferry.truth.json").read_text("utf-8"))["text"]
    found = "\n".join(kept_lines(judge(drawn_sample, name, Options())))
    score = metrics.word_score(found, "\n".join(truth))
    assert score.precision > (0.4 if name in WHOLE else 0.6)
    assert score.f1 > (0.1 if name in ONE_NODE else 0.5 if name in WHOLE else 0.6)


@pytest.mark.parametrize("page", HOSTILE)
@pytest.mark.parametrize("name", NAMES)
def test_hostile_pages_get_a_verdict(name: str, page: str) -> None:
    see = draw_page if name in VISUAL else parse
    found = judge(see(HOSTILE[page]), name, Options())
    count = len(found.segments)
    assert found.verdict.score.shape == found.verdict.keep.shape == (count,)
    assert found.verdict.score.dtype == np.float32
    assert found.verdict.keep.dtype == np.bool_
    assert np.isfinite(found.verdict.score).all()


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_page_has_no_article(name: str) -> None:
    with pytest.raises(NoArticle):
        judge(draw_page("<body></body>"), name, Options())


@pytest.mark.parametrize("name", VISUAL)
def test_a_visual_method_refuses_a_page_that_was_only_parsed(name: str) -> None:
    with pytest.raises(NeedsLayout, match=name):
        judge(parse(article()), name, Options())
