"""The parts of a reproduction, and their Markdown with SVG files beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ReproductionSettings:
    """The data of the experiments, and the folder for their results."""

    out: Path
    limit: int | None = None
    """Pages of each set, evenly chosen; None: all."""
    jobs: int = 1
    say: Callable[[str], None] = lambda line: None


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper, whether it holds here, and the observation."""

    text: str
    holds: bool | None
    """None: it cannot be tried on the data at hand."""
    seen: str

    def __str__(self) -> str:
        verdict = {True: "Holds", False: "Does not hold", None: "Not tried"}[self.holds]
        return f"- **{verdict}.** {self.text} Here: {self.seen}"


@dataclass(frozen=True, slots=True)
class Part:
    """A table or a figure of a paper."""

    title: str
    table: str = ""
    plots: Mapping[str, str] = field(default_factory=dict)
    """SVG by the name of its file."""
    claims: Sequence[Claim] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """All parts of a paper."""

    paper: str
    data: str
    """The data of the run."""
    parts: Sequence[Part]
    differs: str = ""
    """The remaining differences from the paper, and their reasons."""

    def write(self, out: Path) -> str:
        """The Markdown; the plots are written beside it."""
        out.mkdir(parents=True, exist_ok=True)
        lines = [f"*{self.paper}*", "", self.data]
        for part in self.parts:
            lines += ["", f"### {part.title}", ""]
            lines += [part.table, ""] if part.table else []
            for name, svg in part.plots.items():
                (out / f"{name}.svg").write_text(svg, encoding="utf-8")
                lines += [f"![{part.title}]({name}.svg)", ""]
            lines += [part.note, ""] if part.note else []
            lines += map(str, part.claims)
        lines += ["", self.differs] if self.differs else []
        return "\n".join(lines).replace("\n\n\n", "\n\n").strip() + "\n"


def make_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; numbers are on the right.

    >>> print(make_table(["site", "F1"], [["a.example", "0.9"]]))
    | site | F1 |
    |---|---:|
    | a.example | 0.9 |
    """
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def percent(value: float | None) -> str:
    """A share as the papers print it."""
    return "–" if value is None else f"{100 * value:.1f}"
