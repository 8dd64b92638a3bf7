"""Turns documents into pictures, to be looked at: `python -m tests.layout.look FOLDER`.

Writes the pictures of docs/layout.md: the story in four scripts, on A4 and A5, in one column and in
two, with tables and formulas. Needs pdftoppm.
"""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

from PIL import Image as Picture
from tests.layout.stories import LANGUAGES, make_article, story

from tearsheet.article import Article
from tearsheet.types import Cell, Math, Options, Paragraph, Run, Table

GAP = 14
PAPER = (226, 223, 216)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    scripts = [pages(story(language), Options(qr=True))[0] for language in LANGUAGES]
    save(folder / "pages-scripts.png", scripts)
    small = pages(story("en"), Options(paper="a5"))
    columns = pages(story("en"), Options(columns=2, links="none"))
    arabic = pages(story("ar"), Options(columns=2))
    save(folder / "pages-columns.png", [*small, columns[0], arabic[0]])
    save(folder / "pages-tables.png", pages(tables(), Options()))


def pages(article: Article, options: Options, dots: int = 64) -> list[Picture.Image]:
    """The pages of an article's PDF."""
    ran = subprocess.run(
        ["pdftoppm", "-r", str(dots), "-png", "-"], input=article.to("pdf", options),
        capture_output=True, check=True,
    )  # fmt: skip
    starts = [i for i in range(len(ran.stdout)) if ran.stdout.startswith(b"\x89PNG\r\n", i)]
    parts = zip(starts, [*starts[1:], len(ran.stdout)])
    return [Picture.open(io.BytesIO(ran.stdout[i:j])).convert("RGB") for i, j in parts]


def save(path: Path, shown: list[Picture.Image]) -> None:
    """Pages side by side."""
    width = sum(page.width + GAP for page in shown) + GAP
    sheet = Picture.new("RGB", (width, max(page.height for page in shown) + 2 * GAP), PAPER)
    x = GAP
    for page in shown:
        sheet.paste(page, (x, GAP))
        x += page.width + GAP
    sheet.quantize(240).save(path, optimize=True)


def tables() -> Article:
    """A table for the margins, one that turns its page, and formulas."""
    head = "Year Winter Spring Summer Autumn Mean Highest Lowest Storms Fog Ferries Remarks".split()
    remark = "A mild year with two long calms, and one storm that took the pier."
    years = [
        [str(1990 + i), *(f"{(i * 37 + k * 13) % 400 / 10:.1f}" for k in range(10)), remark]
        for i in range(9)
    ]
    wide = [f"Harbour office number {i + 1}" for i in range(18)]
    values = [[f"{i * k + 3} boats of {k + 20}" for k in range(18)] for i in range(14)]
    text = "The tables of the office were made for people who stand in a boat. " * 6
    return make_article(
        _p(text), _table(head, years, "A table that needs the margins"), _p(text),
        *(Math(tex) for tex in FORMULAS), _p(text), _table(wide, values, "A table that turns"),
        title="Tables and formulas", authors=("Ada Marsh",), site="The Harbour Press",
        published="2026-11-03",
    )  # fmt: skip


FORMULAS = (
    r"\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt{\pi}}{2}",
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix} \vec{v} = \lambda \hat{v}",
    r"f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}",
)


def _p(text: str) -> Paragraph:
    return Paragraph((Run(text.strip()),))


def _table(head: list[str], rows: list[list[str]], caption: str) -> Table:
    cells = [tuple(Cell((_p(text),)) for text in row) for row in rows]
    return Table((tuple(Cell((_p(t),), True) for t in head), *cells), (Run(caption),))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
