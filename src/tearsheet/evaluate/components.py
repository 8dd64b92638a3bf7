"""`tearsheet evaluate components`: titles, dates, pictures and captions on data.

One run prints the required and the reached values. Text is measured as bags of words,
addresses as words (Article Clipper, §3), summed over all pages of a set.

- A title is exact if it differs from the truth in nothing but case and white space.
- Authors are right if the names are those of the truth, all of them and no other; a truth that
  writes several names as one text ("Ann Lee and Bo Chan") is read both ways. P is their share
  among pages for which names are given, R among pages whose truth names somebody.
- Pictures: one that the truth lists twice counts once. An address is right if the truth has it or
  the same file in another size. Pages whose truth has no picture are left out.
- Pictures and captions of drawn saves are measured with `--rendered`; `pictures.txt` lists what
  was missed.
- `titles.txt` counts which titles agree, and which are right, if heading and `og:title` differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tearsheet import datasets
from tearsheet.clip import DEFAULT_METHOD, judge
from tearsheet.components import image_sources, images, metadata, title
from tearsheet.components._compare import fold, only_letters
from tearsheet.components._head import read_head
from tearsheet.datasets import Example
from tearsheet.errors import NoArticle, TearsheetError
from tearsheet.evaluate import parts, peers, pictures
from tearsheet.page.decode import decode
from tearsheet.page.parsed import parse
from tearsheet.tags import CODES
from tearsheet.types import Clipping, Metadata, Options, Page, Resource
from tearsheet.writing import unescape

_SOURCES: Final = re.compile(r' (?:data-)?src(?:set)?="([^"]+)"')
_BLANK: Final = b'<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"/>'
_MUST: Final = {
    "ingredients, all that are shown": "0.93",
    "steps of recipes, all that are shown": "0.97",
    "authors of recipes, as declared": "0.80",
    "footnotes kept and linked": "0.75",
    "formulas kept as TeX": "0.85",
    "code blocks with their language": "0.80",
    "code with its white space": "0.90",
    "table cells in order": "0.85",
    "quotes and callouts": "0.85",
}
_WORD: Final = re.compile(r"\w+")
_BETWEEN_PEOPLE: Final = re.compile(r",? (?:and|et|und|&) |; ")


@dataclass(slots=True)
class Tally:
    """Counts of words over all pages: found, true, and both."""

    right: int = 0
    found: int = 0
    true: int = 0

    def add(self, found: Iterable[str], true: Iterable[str]) -> None:
        one, other = Counter(found), Counter(true)
        self.right += (one & other).total()
        self.found += one.total()
        self.true += other.total()

    def __str__(self) -> str:
        return f"{self.right / max(self.found, 1):.3f} / {self.right / max(self.true, 1):.3f}"


@dataclass(slots=True)
class Row:
    """A row of the table."""

    what: str
    pages: int
    must: str
    reached: str
    beside: str = ""


@dataclass(frozen=True, slots=True)
class OwnTitles:
    """The titles that a page gives itself, by rule and without case; and the true one."""

    titles: Mapping[str, str]
    true: str
    rule: str
    """The rule that chose the title."""

    def right_rules(self) -> frozenset[str]:
        return frozenset(rule for rule, text in self.titles.items() if text == self.true)

    def sides(self) -> str:
        """Which rules agree, if heading and `og:title` differ; else empty."""
        heading, feed = (self.titles.get(rule) for rule in ("heading", "og:title"))
        if not heading or not feed or heading == feed:
            return ""
        of_each = (
            [rule for rule, text in self.titles.items() if text == one] for one in (heading, feed)
        )
        return " against ".join(", ".join(rules) for rules in of_each)


@dataclass(slots=True)
class Tallies:
    """The results of a set's pages."""

    pages: int = 0
    exact: int = 0
    own: list[OwnTitles] = field(default_factory=list)
    title: Tally = field(default_factory=Tally)
    dated: int = 0
    date: int = 0
    peer: int = 0
    authors: Tally = field(default_factory=Tally)
    authors_peer: Tally = field(default_factory=Tally)
    pictured: int = 0
    pictures: Tally = field(default_factory=Tally)
    captions: Tally = field(default_factory=Tally)


def run(
    out: Path,
    method: str = DEFAULT_METHOD,
    say: Callable[[str], None] = print,
    rendered: int | None = None,
) -> str:
    """Measures every component and writes the results; returns the table.

    `rendered` pages of news are also drawn, with `figure` and `figcaption` renamed.
    """
    out.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    sides: list[str] = []
    for name in ("wcxb", "news"):
        say(f"{name}: titles, dates, pictures")
        total = _measure(datasets.read(name), method)
        rows += _rows(name, total)
        sides += _who_is_right(name, total)
    say("parts: ingredients, footnotes, formulas, code")
    rows += (
        Row(what, pages, _MUST.get(what, "–"), *found)
        for what, pages, *found in parts.measure_parts(method)
    )
    if rendered:
        say("news, drawn: captions without figures")
        rows.append(_measure_drawn(rendered, method))
        say("saves, drawn: pictures and captions")
        shown = pictures.measure_pictures(datasets.read("saves"), method)
        rows += _picture_rows(shown)
        (out / "pictures.txt").write_text("\n".join(shown.misses) + "\n", encoding="utf-8")
    (out / "titles.txt").write_text("\n".join(sides) + "\n", encoding="utf-8")
    table = _table(rows, method)
    (out / "components.md").write_text(table + "\n", encoding="utf-8")
    return table


def _measure(examples: Iterable[Example], method: str) -> Tallies:
    total = Tallies()
    for example in examples:
        if example.page_type != "article":
            continue
        page = parse(decode(example.html), example.url)
        try:
            made = judge(page, method, Options())
        except NoArticle:
            made = None
        known = (
            metadata.read_metadata(made.page, made.segments, made.verdict) if made else Metadata()
        )
        total.pages += 1
        _add_title(total, example, known)
        if made:
            total.own.append(_own_titles(example, made, known))
        _add_date(total, example, known)
        if example.authors is not None:
            _add_authors(total.authors, known.authors, example.authors)
            peer = peers.find_authors(example.markup, example.url)
            _add_authors(total.authors_peer, peer, example.authors)
        if example.images:
            _add_pictures(total, example, made, known)
    return total


def _add_title(total: Tallies, example: Example, known: Metadata) -> None:
    true = example.title or ""
    total.exact += fold(known.title) == fold(true)
    total.title.add(_words(known.title), _words(true))


def _own_titles(example: Example, made: Clipping, known: Metadata) -> OwnTitles:
    """The best heading, `og:title`, `twitter:title`, JSON-LD's headline, `<title>`."""
    head = read_head(made.page)
    best, claims = title.weigh_headings(made.page, made.segments, made.verdict, head)
    post = title.clean_text(head.first("twitter:title")[0])
    own = [("heading", best.text if best else ""), *claims, ("twitter:title", post)]
    titles = {rule: fold(text) for rule, text in own if text}
    return OwnTitles(titles, fold(example.title or ""), known.sources.get("title", ""))


_FOUR: Final = frozenset(("heading", "og:title", "json-ld headline", "title element"))


def _ceiling(total: Tallies) -> str:
    """The result of a perfect choice among a page's own titles."""
    right = [own.right_rules() & _FOUR for own in total.own]
    best = sum(map(bool, right))
    heading = sum("heading" in rules and "og:title" not in rules for rules in right)
    feed = sum("og:title" in rules and "heading" not in rules for rules in right)
    return (
        f"always the best of the page's own titles: {best / max(total.pages, 1):.3f}; "
        f"where they differ, the heading is right on {heading}, og:title on {feed}"
    )


def _who_is_right(name: str, total: Tallies) -> Iterator[str]:
    """Lines of `titles.txt`: which rules agree, if heading and `og:title` differ, and which are
    right."""
    yield name
    counts: dict[str, Counter[str]] = {}
    for own in total.own:
        if sides := own.sides():
            true = own.right_rules() & {"heading", "og:title"}
            counts.setdefault(sides, Counter())[next(iter(true), "neither")] += 1
    for sides, who in sorted(counts.items(), key=lambda item: -item[1].total()):
        counted = ", ".join(f"{rule} {count}" for rule, count in sorted(who.items()))
        yield f"    {who.total():4d}  {sides}\n          true: {counted}"


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _add_date(total: Tallies, example: Example, known: Metadata) -> None:
    day = example.published
    if day:
        total.dated += 1
        total.date += (known.published or "")[:10] == day
        total.peer += _by_htmldate(example) == day


def _add_authors(tally: Tally, found: Iterable[str], true: Iterable[str]) -> None:
    """Counts one page: right if the names are the same, in any order or as one text."""
    got, whole = [only_letters(name) for name in found], list(true)
    tally.found += bool(got)
    tally.true += bool(whole)
    tally.right += bool(whole) and are_same_people(got, whole)


def are_same_people(got: list[str], true: list[str]) -> bool:
    """Whether the letters of names are those of the truth, which may write several as one text.

    >>> are_same_people(["bochan", "annlee"], ["Ann Lee and Bo Chan"])
    True
    """
    parts = [part for text in true for part in _BETWEEN_PEOPLE.split(text)]
    readings = [true, parts, [name for part in parts for name in part.split(", ")]]
    return "".join(got) == "".join(map(only_letters, true)) or any(
        set(got) == {only_letters(name) for name in names} for names in readings
    )


def _by_htmldate(example: Example) -> str:
    """The date that htmldate finds, if it is installed."""
    try:
        from htmldate import find_date
    except ImportError:
        return "not installed"
    return str(find_date(example.markup, url=example.url, original_date=True) or "")


def _add_pictures(total: Tallies, example: Example, made: Clipping | None, known: Metadata) -> None:
    if made is None:
        got: tuple[Any, ...] = ()
    else:
        got = images.find_images(made.page, made.segments, made.verdict, known.title, known.authors)
    total.pictured += 1
    truth = _drop_repeats(example.images or ())
    names = {each: urls[0] for urls in truth for url in urls for each in _names(url)}
    found = (_canonical(image.url, names) for image in got)
    total.pictures.add(list(dict.fromkeys(found)), (urls[0] for urls in truth))
    captions = [word for image in got for word in _words(image.caption)]
    true = [word for caption in dict.fromkeys(example.captions or ()) for word in _words(caption)]
    total.captions.add(captions, true)


def _drop_repeats(truth: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The truth's pictures, each once, without placeholders."""
    known: set[str] = set()
    found: list[tuple[str, ...]] = []
    for urls in truth:
        if urls and not known.intersection(urls) and image_sources.is_real(urls[0]):
            found.append(urls)
        known.update(urls)
    return found


def _canonical(url: str, names: dict[str, str]) -> str:
    return next((names[name] for name in _names(url) if name in names), url)


def _names(url: str) -> Iterator[str]:
    """The address, the same without its query, and its file's name without the size."""
    whole = url.split("#")[0].rstrip(",").replace("http://", "https://")
    yield whole
    yield whole.split("?")[0]
    name = image_sources.picture_key(whole).rsplit("/", 1)[-1]
    if len(name) > 7:
        yield name


def _rows(name: str, total: Tallies) -> Iterator[Row]:
    must = "0.85" if name == "wcxb" else "0.95"
    exact = f"{total.exact / max(total.pages, 1):.3f}"
    yield Row(f"title, exact, {name} articles", total.pages, must, exact, _ceiling(total))
    yield Row(f"title, words P / R, {name} articles", total.pages, "0.93 / 0.93", str(total.title))
    peer = f"htmldate {total.peer / max(total.dated, 1):.3f}"
    date = f"{total.date / max(total.dated, 1):.3f}"
    yield Row(f"published day, {name} articles", total.dated, "as htmldate", date, peer)
    beside = f"trafilatura {total.authors_peer}"
    yield Row(f"authors P / R, {name} articles", total.authors.true, "", str(total.authors), beside)
    if total.pictured:
        shown, said = str(total.pictures), str(total.captions)
        yield Row(f"images P / R, {name}", total.pictured, "0.90 / 0.90", shown)
        yield Row(f"captions, words P / R, {name}", total.pictured, "0.90 / 0.85", said)


def _measure_drawn(limit: int, method: str) -> Row:
    """Captions of drawn pages whose tags do not mark them any more; every picture is a grey
    blank."""
    from tearsheet.acquire.browser import Browser
    from tearsheet.acquire.render import render_html
    from tearsheet.page import read_page

    total = Tallies()
    examples = [example for example in datasets.read("news") if example.captions]
    chosen = examples[:: max(len(examples) // limit, 1)][:limit]
    with Browser() as browser:
        for example in chosen:
            html = re.sub(r"<(/?)(?:figure|figcaption)\b", r"<\1div", example.markup)
            blanks = _blanks(parse(html, example.url))
            try:
                page = read_page(render_html(html, example.url, blanks, browser=browser), Options())
                made = judge(page, method, Options())
            except TearsheetError:  # a page that hides itself without its style sheets
                continue
            known = metadata.read_metadata(made.page, made.segments, made.verdict)
            _add_pictures(total, example, made, known)
    name = "captions, words P / R, news drawn, figures renamed"
    return Row(name, total.pictured, "0.80 / 0.70", str(total.captions))


def _picture_rows(found: pictures.PictureTally) -> Iterator[Row]:
    yield Row("pictures P / R, drawn saves", found.pages, "0.95 / 0.95", str(found))
    yield Row("captions, exact, drawn saves", found.captioned, "0.90", found.caption_share)


def _blanks(page: Page) -> dict[str, Resource]:
    """A blank for each picture that the page names."""
    rows = page.rows(CODES["img"], CODES["source"])
    named = (found for row in rows for found in _SOURCES.findall(page.attrs[row]))
    urls = (each.split(" ")[0] for names in named for each in unescape(names).split(", "))
    full = (image_sources.image_address(page, url) for url in urls)
    return {url: Resource(url, "image/svg+xml", _BLANK) for url in full if url}


def _table(rows: Iterable[Row], method: str) -> str:
    lines = [
        f"Text by `{method}`.",
        "",
        "| | pages | required | reached | for comparison |",
        "|---|---:|---|---|---|",
    ]
    lines += (
        f"| {row.what} | {row.pages or ''} | {row.must} | {row.reached} | {row.beside} |"
        for row in rows
    )
    return "\n".join(lines)
