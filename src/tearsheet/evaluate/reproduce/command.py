"""`tearsheet reproduce PAPER`: a paper's tables and figures beside its own numbers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from tearsheet.errors import MissingExtra
from tearsheet.evaluate.reproduce import PAPERS, reproduce
from tearsheet.evaluate.reproduce.reproduction import ReproductionSettings
from tearsheet.option_arguments import add_jobs
from tearsheet.terminal import show_line

QUESTION: Final = (
    "Which claims of this paper hold on other pages, years later? This is its evaluation, run "
    "again: each table or figure, then what holds and what does not. *Faithful* methods follow "
    "their paper to the letter, the others have our deviations. The interval behind a difference "
    "holds 95 % of its values when sites are drawn at random many times (a paired bootstrap by "
    "site). A star marks a significant difference: 0 is outside of its interval."
)
"""Begins the page of every paper."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what `tearsheet reproduce` takes."""
    parser.add_argument(
        "paper",
        choices=PAPERS,
        help="000 Article Clipper, 001 text density, 002 the survey, 003 print links, 004 CLG",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("out/reproduce"),
        metavar="DIR",
        help="folder for the results (default: out/reproduce)",
    )
    parser.add_argument(
        "--limit", type=int, metavar="N", help="use N pages of each set, evenly chosen"
    )
    add_jobs(parser)


def run(args: argparse.Namespace) -> int:
    """Runs the experiments, prints the results, and writes them with their plots to the folder."""
    folder = args.out / args.paper
    folder.mkdir(parents=True, exist_ok=True)
    try:
        found = reproduce(
            args.paper, ReproductionSettings(folder, args.limit, args.jobs, show_line)
        )
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise MissingExtra("tearsheet reproduce", package, "train") from None
    show_line("")
    limit = f" --limit {args.limit}" if args.limit else ""
    made = f"Made by `tearsheet reproduce {args.paper}{limit}`."
    text = f"# Paper {args.paper}, run again\n\n{QUESTION}\n\n{found.write(folder)}\n{made}\n"
    (folder / f"{args.paper}.md").write_text(text, encoding="utf-8")
    print(text)
    return 0
