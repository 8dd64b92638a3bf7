"""Writes docs/reference/columns.md: every column of the default engine, with its meaning and how
much the shipped trees decide by it.

    python scripts/columns.py
"""

from __future__ import annotations

from pathlib import Path

from tearsheet import parameters
from tearsheet.methods.forest import looks_pass
from tearsheet.methods.forest.columns import PAGE, PASSES, SECOND, Column
from tearsheet.methods.forest.layout_columns import LAYOUT
from tearsheet.methods.forest.trees import column_importance

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "columns.md"
HEAD = """# Columns of the default engine

Which numbers does [the default engine](../engine.md) judge a segment by, and how much does each
matter? This page lists every column (feature) of its decision trees, by group. `python
scripts/columns.py` writes it from `methods/forest/columns.py`, which declares each column once, and
from the shipped trees. Do not edit it by hand: a test checks that it is up to date.

A row of the engine's table is a segment, the text between two line breaks. Its *containers* are the
elements around it that hold more text than the element inside them; level 0 is its own block. A
*long* segment has 15 words or more. An *effect* is what a learned word shows alone, a *weight* is
what it adds to the words around it. A *score* is the expected share of content that the first pass
found. Counts are logarithms, log(1 + n), unless the meaning says otherwise.

The numbers are the importance of a column in percent of its pass. For each question that a tree
asks, we take the mean squared difference between the leaves that only this question separates.
*First* and *second* are the two passes. *Type* are the trees that find the page's type; they use
the mean of a column over the page. A small number does not mean that a group is useless, since
other columns may carry the same information. `tearsheet train forest --ablate GROUP` trains without
a group and prints what is lost.

"""


LOOKS = """## Looks of a drawn page

The last pass has these columns, if a browser drew the page (`methods/forest/layout_columns.py`).
*The text* means the segments that the engine finds likely. *The text's column* lies between the
median left and right edges of their characters.
"""


def render_page() -> str:
    """The page as Markdown."""
    shares = {name: _importance(name) for name in PASSES}
    groups: dict[str, list[Column]] = {}
    for column in (*PAGE[: PAGE.index(_first_mean())], *SECOND):
        groups.setdefault(column.group, []).append(column)
    lines = [HEAD + "## Groups", "", "| group | columns | type | first | second |"]
    lines.append("|---|---:|---:|---:|---:|")
    for group, some in groups.items():
        lines.append(f"| [{group}](#{group}) | {len(some)} | {_numbers(some, shares)} |")
    for group, some in groups.items():
        lines += ["", f"## {group}", "", "| column | meaning | type | first | second |"]
        lines.append("|---|---|---:|---:|---:|")
        lines += (f"| `{it.name}` | {it.meaning} | {_numbers([it], shares)} |" for it in some)
    return "\n".join([*lines, *_looks()]) + "\n"


def _looks() -> list[str]:
    """The columns of the pass over looks."""
    trees = parameters.read(looks_pass.PARAMETERS)
    shares = column_importance(trees, looks_pass.TREES_NAME, len(looks_pass.COLUMNS))
    lines = ["", LOOKS, "| column | group | meaning | importance |", "|---|---|---|---:|"]
    return lines + [
        f"| `{it.name}` | {it.group} | {it.meaning} | {100 * float(share):.2f} |"
        for it, share in zip(LAYOUT, shares)  # the rest are the second pass's own
    ]


def _first_mean() -> Column:
    return next(column for column in PAGE if column.name.startswith("mean_"))


def _importance(name: str) -> dict[str, float]:
    """The importance of each column of a pass, by name; means by the name of their column."""
    found = column_importance(parameters.read("forest"), name, len(PASSES[name]))
    return {
        column.name.removeprefix("mean_" if name == "type" else ""): 100 * float(share)
        for column, share in zip(PASSES[name], found)
    }


def _numbers(some: list[Column], shares: dict[str, dict[str, float]]) -> str:
    """The importance of columns in each pass that has them, as cells."""
    cells = []
    for name in ("type", "first", "second"):
        known = [shares[name][column.name] for column in some if column.name in shares[name]]
        cells.append(f"{sum(known):.2f}" if known else "")
    return " | ".join(cells)


if __name__ == "__main__":
    TARGET.write_text(render_page(), encoding="utf-8")
