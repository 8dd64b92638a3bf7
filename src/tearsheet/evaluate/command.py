"""`tearsheet evaluate DATASET --methods a,b,c --out DIR`."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tearsheet import datasets, plugins
from tearsheet.datasets import Example
from tearsheet.errors import UnknownName
from tearsheet.evaluate import summary, worst
from tearsheet.evaluate.entrants import Entrant, choose, parse_sweep
from tearsheet.evaluate.folds import fit_entrants
from tearsheet.evaluate.page_views import view_pages
from tearsheet.evaluate.report import compare_with_best, most_disputed, report
from tearsheet.evaluate.run import TEXT_MEASURES, Plan, Result
from tearsheet.evaluate.run import run as run_all
from tearsheet.evaluate.worst import Worst
from tearsheet.option_arguments import add_jobs
from tearsheet.terminal import bar, show_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what `tearsheet evaluate` takes."""
    _add_subjects(parser)
    _add_variants(parser)
    _add_report(parser)
    _add_links(parser)
    add_jobs(parser)


def _add_subjects(parser: argparse.ArgumentParser) -> None:
    """The pages and entrants to evaluate, and the place for the results."""
    parser.add_argument(
        "dataset",
        help=f"{', '.join(datasets.names())}, a folder of NAME.html with NAME.txt, "
        "components, links, roles, or agreement",
    )
    parser.add_argument(
        "--methods",
        default="all",
        help="names, separated by commas; or all, ours, peers (other libraries)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("out/evaluate"),
        metavar="DIR",
        help="folder for the results (default: out/evaluate)",
    )


def _add_variants(parser: argparse.ArgumentParser) -> None:
    """How methods are trained and run, and what is measured."""
    parser.add_argument(
        "--cv",
        choices=["domain"],
        help="judge trained methods only on sites that they were not trained on",
    )
    parser.add_argument(
        "--folds",
        type=Path,
        metavar="DIR",
        help="with --cv, or with saves: the folder that `tearsheet train --folds` wrote",
    )
    parser.add_argument(
        "--rendered",
        type=int,
        metavar="N",
        help="draw N pages in a browser and measure areas, too; with saves: write the report of "
        "the methods instead of printing the table",
    )
    parser.add_argument(
        "--sweep",
        action="append",
        default=[],
        metavar="METHOD.CONSTANT=FIRST:LAST:STEP",
        help="also run the method with other values of a constant, and plot the effect",
    )
    parser.add_argument(
        "--faithful",
        action="store_true",
        help="also run each method that differs from its paper exactly as the paper has it",
    )
    parser.add_argument(
        "--measures",
        default=",".join(TEXT_MEASURES),
        help=f"some of {', '.join(TEXT_MEASURES)} (default: all)",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="use N pages, evenly chosen")


def _add_report(parser: argparse.ArgumentParser) -> None:
    """Which pages the report shows."""
    parser.add_argument(
        "--page",
        action="append",
        default=[],
        metavar="NAME",
        help="show in the report what each method kept of this page",
    )
    parser.add_argument(
        "--views",
        type=int,
        default=20,
        metavar="N",
        help="show in the report the N pages on which methods differ most (default: 20)",
    )
    parser.add_argument(
        "--worst",
        type=int,
        default=0,
        metavar="N",
        help="list the N worst pages of each method: lines missed (-) and lines too many (+)",
    )


def _add_links(parser: argparse.ArgumentParser) -> None:
    """The arguments that only links need."""
    parser.add_argument(
        "--part",
        choices=["tune", "held", "all"],
        default="all",
        help="with links: only the sites that the rules were tuned on, or only the others",
    )
    parser.add_argument("--misses", action="store_true", help="with links: list every wrong answer")


def run(args: argparse.Namespace) -> int:
    """Measures, writes the results to the folder, and prints the table."""
    if args.dataset == "components":
        return _components(args)
    if args.dataset == "links":
        from tearsheet.evaluate import links

        print(links.run(args.part, misses=args.misses, say=show_line))
        return 0
    if args.dataset == "roles":
        from tearsheet.evaluate import roles

        print(roles.run(args.folds, limit=args.limit, say=show_line))
        return 0
    if args.dataset == "agreement" or (args.dataset == "saves" and args.rendered is None):
        return _saves(args)
    measures = _measures(args.measures)
    drawn = args.rendered is not None
    entrants = choose(args.methods, drawn=drawn) if args.methods else []
    if args.faithful:
        entrants += [replace(e, faithful=True) for e in entrants if e.has_letter]
    entrants += [entrant for sweep in args.sweep for entrant in parse_sweep(sweep)]
    examples = _examples(args)
    folder = args.out / Path(args.dataset).name
    learnt = (
        fit_entrants(examples, entrants, folder, drawn=drawn, given=args.folds, progress=show_line)
        if args.cv
        else {}
    )
    plan = Plan(measures, folder, args.jobs, drawn, learnt)
    results = run_all(examples, entrants, plan, _show)
    plain = [entrant for entrant in entrants if not entrant.constants]
    bad = worst.find_worst(results, examples, plain, plan, args.worst)
    _write(args, plan, examples, entrants, results, bad)
    print(summary.table(results, measures))
    print(_differences(results, measures[0]), end="")
    if bad:
        print(f"\n{worst.as_text(bad)}")
    print(f"{folder / 'report.html'}", file=sys.stderr)
    return 0


def _saves(args: argparse.Namespace) -> int:
    """Evaluates what is kept of drawn saves, or the two passes of their labels."""
    from tearsheet.evaluate import agreement, saves

    if args.dataset == "agreement":
        print(agreement.run(show_line))
    else:
        print(saves.run(args.limit, args.folds, show_line))
    return 0


def _components(args: argparse.Namespace) -> int:
    """Evaluates titles, dates, pictures and captions instead of texts."""
    from tearsheet.clip import DEFAULT_METHOD
    from tearsheet.evaluate import components

    method = args.methods if args.methods in plugins.names("methods") else DEFAULT_METHOD
    print(components.run(args.out / "components", method, show_line, args.rendered))
    return 0


def _measures(names: str) -> tuple[str, ...]:
    found = tuple(names.split(","))
    for name in found:
        if name not in TEXT_MEASURES:
            raise UnknownName("measure", name, TEXT_MEASURES)
    return found


def _examples(args: argparse.Namespace) -> list[Example]:
    found = datasets.read(args.dataset)
    if args.rendered is None:
        return datasets.choose_evenly(found, args.limit)
    from tearsheet.learn.examples import keep_styled

    return datasets.choose_evenly(keep_styled(page for page in found if page.text), args.rendered)


def _differences(results: Sequence[Result], measure: str) -> str:
    """How far each entrant is from the best one, a line each."""
    rows = list(compare_with_best(results, measure))
    lines = [f"  {name}  {gap}" for _, name, gap in rows]
    head = f"\nfrom {rows[0][0]} in F1, 95 % of a paired bootstrap by site:" if rows else ""
    return "\n".join([head, *lines, ""]) if rows else ""


def _write(
    args: argparse.Namespace,
    plan: Plan,
    examples: Sequence[Example],
    entrants: Sequence[Entrant],
    results: Sequence[Result],
    bad: Sequence[Worst],
) -> None:
    """Writes summary.json, pages.csv and report.html; worst.json if asked for."""
    folder, measures = plan.out, plan.measures
    about = {
        "dataset": args.dataset,
        "command": _command(),
        "pages": len(examples),
        "cross-validated": bool(args.cv),
        "rendered": args.rendered is not None,
        "editions": {entrant.label: entrant.edition for entrant in entrants},
    }
    whole = json.dumps(summary.summary(results, about), indent=1)
    (folder / "summary.json").write_text(whole + "\n", encoding="utf-8")
    (folder / "pages.csv").write_text(summary.write_csv(results), encoding="utf-8")
    if bad:
        (folder / "worst.json").write_text(json.dumps(worst.as_records(bad), indent=1) + "\n")
    names = {*args.page, *most_disputed(results, measures[0], args.views)}
    plain = [entrant for entrant in entrants if not entrant.constants]
    shown = [example for example in examples if example.name in names]
    views = view_pages(shown, plain, plan) if plain else {}
    text = report(results, _command(), Path(args.dataset).name, measures, views, bad)
    (folder / "report.html").write_text(text, encoding="utf-8")


def _command() -> str:
    return shlex.join(["tearsheet", "evaluate", *sys.argv[2:]])


def _show(done: int, total: int) -> None:
    show_line(f"{bar(done, total)} {done}/{total}" if done < total else "")
