"""`make gallery`: sets sample and generated pages of all kinds and scripts, looks at each sheet.

`python -m benchmarks.gallery [FOLDER] [--every]` writes contact sheets into the folder, by default
out/gallery, and fails with the pictures of the pages that have faults. Each page is set on A4 and
in some of the other papers and columns, so that all come up; with `--every`, in all of them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PIL import Image as Picture
from PIL import ImageDraw
from samples.generate import generate

from benchmarks.sheets import BLANK, Report, draw_sheets, find_faults
from tearsheet import pictures
from tearsheet.article import Article
from tearsheet.clip import clip
from tearsheet.errors import FetchFailed
from tearsheet.types import Options, Resource

SAMPLES: Final = Path(__file__).parents[1] / "samples"
PAPERS: Final = ("a4", "letter", "a5", "legal", "a3", "b5", "a6", "tabloid")
CHOICES: Final = tuple(
    Options(paper=paper, columns=columns)
    for paper in PAPERS
    for columns in (1, 2, 3)
    if not (paper == "a6" and columns > 1) and not (paper in ("a5", "b5") and columns > 2)
)
"""Papers and columns; a column narrower than 35 letters is no choice of anybody."""
_OTHERS: Final = 2
"""Further choices for each page, in turn."""
_GENERATED: Final = 26
_SEED: Final = 7
_GAP: Final = 14
_GROUND: Final = (226, 223, 216)
_ON_A_SHEET: Final = 20


@dataclass(frozen=True, slots=True)
class Setting:
    """A page of the gallery as one document."""

    name: str
    article: Article
    options: Options
    document: bytes
    report: Report

    @property
    def label(self) -> str:
        return f"{self.name} {self.options.paper} {self.options.columns}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("out/gallery"))
    parser.add_argument("--every", action="store_true", help="all papers and columns for each page")
    parser.add_argument("--limit", type=int, help="this many pages")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    settings: list[Setting] = []
    for number, (name, article) in enumerate(gallery_articles()):
        if number == args.limit:
            break
        chosen = choose_options(number, every=args.every)
        settings += [set_page(name, article, options) for options in chosen]
    save_contact_sheets(settings, args.folder)
    sys.exit(print_summary(settings, args.folder))


def gallery_articles() -> Iterator[tuple[str, Article]]:
    """The pages of the sample site, one of each further kind, and generated ones in 22
    languages."""
    for path in sorted((*SAMPLES.glob("site/**/*.html"), *SAMPLES.glob("kinds/*.html"))):
        name = path.relative_to(SAMPLES).with_suffix("").as_posix()
        article = clip(str(path), f"https://sample.example/{name}.html", render="never")
        yield name.removeprefix("site/").replace("/", "-"), pictures.fetch(article, get=read_file)
    for number, page in enumerate(generate(_SEED, _GENERATED)):
        article = clip(page.html.encode(), page.url, render="never")
        yield f"generated-{number}", pictures.fetch(article, get=ServedFiles(page.resources).read)


def read_file(url: str) -> Resource:
    """A picture of the samples."""
    path = SAMPLES / url.removeprefix("https://sample.example/")
    if not path.is_file():
        raise FetchFailed("no such file", code="missing")
    suffix = path.suffix.removeprefix(".")
    kind = {"jpg": "jpeg", "svg": "svg+xml"}.get(suffix, suffix)
    return Resource(url, f"image/{kind}", path.read_bytes())


@dataclass(frozen=True, slots=True)
class ServedFiles:
    """The files that a generated page brings."""

    resources: Mapping[str, Resource]

    def read(self, url: str) -> Resource:
        if url not in self.resources:
            raise FetchFailed("not generated", code="missing")
        return self.resources[url]


def choose_options(number: int, *, every: bool) -> tuple[Options, ...]:
    """A4 in one column, and further choices in turn."""
    if every:
        return CHOICES
    first, *others = CHOICES
    return first, *(others[(number * _OTHERS + i) % len(others)] for i in range(_OTHERS))


def set_page(name: str, article: Article, options: Options) -> Setting:
    document = article.to("pdf", options)
    return Setting(name, article, options, document, find_faults(document, article, options))


def save_contact_sheets(settings: Iterable[Setting], folder: Path) -> None:
    """The first pages, twenty to a sheet."""
    shown = [(made.label, draw_sheets(made.document, 0.42)[0]) for made in settings]
    for start in range(0, len(shown), _ON_A_SHEET):
        sheet = draw_contact_sheet(shown[start : start + _ON_A_SHEET])
        sheet.quantize(128).save(folder / f"sheet-{start // _ON_A_SHEET + 1}.png", optimize=True)


def draw_contact_sheet(
    shown: list[tuple[str, Picture.Image]], across: int = 5, width: int = 250
) -> Picture.Image:
    """Pages side by side, each below its name."""
    sized = ((name, page.height * width // page.width, page) for name, page in shown)
    scaled = [(name, page.resize((width, height))) for name, height, page in sized]
    rows = [scaled[i : i + across] for i in range(0, len(scaled), across)]
    heights = [max(page.height for _, page in row) + 2 * _GAP for row in rows]
    sheet = Picture.new("RGB", (across * (width + _GAP) + _GAP, sum(heights) + _GAP), _GROUND)
    draw, y = ImageDraw.Draw(sheet), 0
    for row, height in zip(rows, heights):
        for i, (name, page) in enumerate(row):
            x = _GAP + i * (width + _GAP)
            draw.text((x, y + 2), name, fill=(90, 85, 75))
            sheet.paste(page, (x, y + _GAP + 2))
        y += height
    return sheet


def print_summary(settings: list[Setting], folder: Path) -> int:
    """Prints what was found, and saves the pages that have faults; 1 if there are any."""
    inner = sum(made.report.inner_pages for made in settings)
    blank = sum(made.report.count("blank") for made in settings)
    copied = sum(made.report.share_copied == 1.0 for made in settings)
    pages = len({made.name for made in settings})
    print(f"{pages} pages, {len(settings)} documents, {inner} inner pages")
    for kind in ("overflow", "overlap", "cut", "stranded", "glyph", "text"):
        print(f"{kind}: {sum(made.report.count(kind) for made in settings)}")
    print(f"inner pages with more than {BLANK:.0%} blank: {blank} ({blank / max(inner, 1):.1%})")
    print(f"text copied equal to the article's: {copied} of {len(settings)}")
    for made in settings:
        save_faults(made, folder)
    return int(any(find_serious(made) for made in settings) or blank > 0.03 * inner)


def find_serious(made: Setting) -> list[str]:
    """The faults that no document may have; how often a page may be blank is counted over all."""
    return [str(fault) for fault in made.report.faults if fault.kind != "blank"]


def save_faults(made: Setting, folder: Path) -> None:
    if not made.report.faults:
        return
    drawn = draw_sheets(made.document)
    for fault in made.report.faults:
        print(f"  {made.label}: {fault}")
        if fault.page:
            name = f"fault-{made.label.replace(' ', '-')}-{fault.page}.png"
            drawn[fault.page - 1].save(folder / name)


if __name__ == "__main__":
    main()
