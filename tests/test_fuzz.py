"""Pages made to break it get an article or one of our errors. `python -m fuzz` looks further."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from benchmarks import constructs
from fuzz.mutation import mutate_page
from fuzz.target import ADDRESS, FORMATS, METHODS, OPTIONS, Choice, process, run

CORPUS = sorted((Path(__file__).parents[1] / "fuzz" / "corpus").iterdir())
every_page = pytest.mark.parametrize("path", CORPUS, ids=[path.stem for path in CORPUS])


ELEMENTS = """
a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption cite
code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption
figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label
legend li link main map mark math menu meta meter nav noscript object ol optgroup option output p
picture pre progress q rp rt ruby s samp script search section select slot small source span strong
style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track u ul
var video wbr
""".split()
"""Those of the standard (HTML, November 2026)."""


def test_every_element_of_html_is_grown() -> None:
    grown = constructs._constructs()
    for name in ELEMENTS:
        assert {f"{name}, {how}" for how in ("beside", "nested", "nested with words")} <= set(grown)


@every_page
def test_a_nasty_page_is_set_in_every_format(path: Path) -> None:
    choice = Choice("forest", OPTIONS[0], ADDRESS, (*FORMATS, "pdf"), seed=0)
    process(path.read_bytes(), choice)


@every_page
def test_a_nasty_page_is_judged_by_every_method(path: Path) -> None:
    for number, method in enumerate(METHODS):
        process(path.read_bytes(), Choice(method, OPTIONS[number % 4], None, ("txt",), number))


@pytest.mark.parametrize("seed", range(4))
def test_a_short_run_finds_nothing(seed: int) -> None:
    random = Random(seed)
    pages = [path.read_bytes() for path in CORPUS]
    for _ in range(60):
        run(mutate_page(random.choice(pages), random, pages))
