"""How good the sheets are: `python -m benchmarks.documents [--limit N] [--out FOLDER]`.

Sets real saved pages (`../shared/data/saves`) as PDF and looks at every sheet: overflow, stranded
headings, blank ends, empty boxes, and whether the article's text can be copied out. With `--out`,
the pages that have faults are drawn there.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.sheets import Report, draw_sheets, find_faults
from tearsheet import pictures
from tearsheet.article import Article
from tearsheet.clip import clip
from tearsheet.errors import FetchFailed, TearsheetError
from tearsheet.types import Options, Resource


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--start", type=int, default=0, help="leave out so many pages first")
    parser.add_argument("--out", type=Path, help="folder for the pages that have faults")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    reports: dict[str, Report] = {}
    options = Options()
    for name, article in saved_articles(args.start, args.limit):
        document = article.to("pdf", options)
        report = reports[name] = find_faults(document, article, options)
        if args.verbose:
            print(f"{name}: {report.pages} pages, {report.share_copied:.3f} copied")
            for fault in report.faults:
                print(f"    {fault}")
        if args.out and any(fault.kind != "text" for fault in report.faults):
            save_faulty_pages(args.out, name, document, report)
    print_summary(reports)


def saved_articles(start: int, limit: int) -> Iterator[tuple[str, Article]]:
    """Articles of saved pages with their own pictures; nothing is fetched."""
    folder = Path(os.environ.get("TEARSHEET_DATA", "../shared/data")) / "saves"
    known = json.loads((folder / "pages.json").read_text("utf-8"))
    step = max(1, len(known) // 120)
    done = 0
    for entry in known[start::step]:
        if done == limit:
            return
        try:
            made = clip(str(folder / entry["key"]), entry["url"], render="never")
            article = pictures.fetch(made, get=refuse)
        except TearsheetError:
            continue
        done += 1
        yield entry["key"], article


def refuse(url: str) -> Resource:
    raise FetchFailed("not fetched here", code="offline")


def save_faulty_pages(folder: Path, name: str, document: bytes, report: Report) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {fault.page for fault in report.faults if fault.kind != "text"}
    for number, picture in enumerate(draw_sheets(document), 1):
        if number in wanted:
            picture.save(folder / f"{name}-{number}.png")


def print_summary(reports: dict[str, Report]) -> None:
    pages = sum(report.pages for report in reports.values())
    inner = sum(report.inner_pages for report in reports.values())
    counts = collections.Counter(f.kind for r in reports.values() for f in r.faults)
    blank = counts["blank"] / inner if inner else 0.0
    copied = [report.share_copied for report in reports.values()]
    print(f"{len(reports)} articles, {pages} pages, {inner} inner pages")
    for kind in ("overflow", "overlap", "cut", "stranded", "glyph"):
        print(f"{kind}: {counts[kind]}")
    print(f"inner pages with more than a quarter blank at the end: {counts['blank']} ({blank:.1%})")
    whole = sum(share == 1.0 for share in copied)
    mean = sum(copied) / max(len(copied), 1)
    print(f"text copied equal to the article's: {whole} of {len(copied)}; letters {mean:.4f}")


if __name__ == "__main__":
    main()
