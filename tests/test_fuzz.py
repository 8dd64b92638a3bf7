"""Pages made to break it get an article or one of our errors. `python -m fuzz` looks further."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from fuzz.mutation import mutate_page
from fuzz.target import ADDRESS, FORMATS, METHODS, OPTIONS, Choice, process, run

CORPUS = sorted((Path(__file__).parents[1] / "fuzz" / "corpus").iterdir())
every_page = pytest.mark.parametrize("path", CORPUS, ids=[path.stem for path in CORPUS])


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
