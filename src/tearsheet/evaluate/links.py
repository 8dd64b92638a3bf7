"""`tearsheet evaluate links`: print links and next pages on real pages labelled by hand.

Both are what `extract` gives, which asks no network; what `clip` takes, after it has compared the
texts, is measured on generated sites. Addresses are compared as `plain_address` has
them. Precision is the share of right answers among the answers; recall, among the pages that have
such an address. Pages of generated sites are a test of traps and are listed apart, as such.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from tearsheet.article import Article
from tearsheet.clip import DEFAULT_METHOD, extract, judge
from tearsheet.components import metadata, next_page, print_link
from tearsheet.components._head import read_head
from tearsheet.errors import FetchFailed, NoArticle
from tearsheet.evaluate.link_labels import (
    LinkLabel,
    PageLinks,
    Part,
    label_of_set,
    read_labelled_pages,
)
from tearsheet.evaluate.link_rules import next_rules, print_rules
from tearsheet.follow import follow_article
from tearsheet.page.decode import decode
from tearsheet.page.parsed import parse
from tearsheet.types import Options, Page

if TYPE_CHECKING:
    from samples.generate import GeneratedPage

GENERATED: Final = 600
CLIPPED_PAGES: Final = 200
"""Generated pages that are also clipped with all their pages."""
SEED: Final = 1
_CHECKOUT: Final = Path(__file__).parents[3]

What = Literal["print", "next"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The true links of a page, and those that were found."""

    label: LinkLabel
    found: str
    page: PageLinks | None = None
    """None: a page that we generated."""

    @property
    def corpus(self) -> str:
        return self.page.corpus if self.page else "generated"

    @property
    def right(self) -> bool:
        return self.label.accepts(self.found)

    @property
    def has_one(self) -> bool:
        return self.label.address is not None or self.right

    @property
    def miss(self) -> bool:
        return self.right != (self.has_one or bool(self.found))


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers for print links and next pages, by the name of the rule or library."""

    print_page: dict[str, list[Answer]]
    next_page: dict[str, list[Answer]]


OURS: Final = "tearsheet"
_ALL_PAGES: Final = "tearsheet, --pages all"


def run(part: Part, *, misses: bool, say: Callable[[str], None] = print) -> str:
    """Both tables, for all sites or half of them; with `misses`, also every wrong answer."""
    answers = Answers({}, {})
    pages = read_labelled_pages(part)
    for number, page in enumerate(pages):
        if number % 100 == 0:
            say(f"{number} of {len(pages)} pages")
        _add_answers(page, answers)
    say("")
    blocks = [
        *_tables("Print links", answers.print_page, "print"),
        *_tables("Next pages", answers.next_page, "next"),
    ]
    if part == "all":
        blocks.append(_generated_table())
    if misses:
        blocks += [_miss_list("print", answers.print_page), _miss_list("next", answers.next_page)]
    return "\n\n".join(blocks)


def find_link_answers(
    pages: Sequence[PageLinks], say: Callable[[str], None]
) -> dict[str, list[Answer]]:
    """Our own answers on these pages, for print links and next pages."""
    answers = Answers({}, {})
    for number, page in enumerate(pages):
        if number % 100 == 0:
            say(f"{number} of {len(pages)} pages")
        _add_answers(page, answers, peers=False)
    return {
        "print link": answers.print_page.get(OURS, []),
        "next page": answers.next_page.get(OURS, []),
    }


def _add_answers(labelled: PageLinks, answers: Answers, *, peers: bool = True) -> None:
    """Adds our answers for a page and, if requested, those of other rules."""
    page, markup = parse(decode(labelled.example.html), labelled.url), labelled.example.markup
    if label := labelled.print_page:
        found = {OURS: print_link.find_print_link(page, read_head(page))[0]}
        others = print_rules() if peers else {}
        found |= {name: rule(page, markup) for name, rule in others.items()}
        _add_answer(answers.print_page, labelled, label, found)
    if label := labelled.next_page:
        found = _next_pages(page)
        others = next_rules() if peers else {}
        found |= {name: rule(page, markup) for name, rule in others.items()}
        _add_answer(answers.next_page, labelled, label, found)


def _next_pages(page: Page) -> dict[str, str]:
    try:
        verdict = judge(page, DEFAULT_METHOD, Options()).verdict
    except NoArticle:
        return {OURS: "", _ALL_PAGES: ""}
    return {
        OURS: metadata.find_next_url(page, verdict, "auto")[0],
        _ALL_PAGES: metadata.find_next_url(page, verdict, "all")[0],
    }


def _add_answer(
    answers: dict[str, list[Answer]], page: PageLinks, label: LinkLabel, found: dict[str, str]
) -> None:
    for name, address in found.items():
        answers.setdefault(name, []).append(Answer(label, address, page))


def _tables(title: str, answers: dict[str, list[Answer]], what: What) -> Iterator[str]:
    ours = answers.get(OURS, [])
    corpora = dict.fromkeys(answer.corpus for answer in ours)
    groups = dict.fromkeys(sorted(answer.label.group for answer in ours))
    rows = [("all", ours)]
    rows += [(name, [a for a in ours if a.corpus == name]) for name in corpora]
    if what == "next":
        rows += _more_next_rows(ours)
    yield f"## {title}\n\n{_table('pages', rows)}"
    yield _table(
        "by class", [(name, [a for a in ours if a.label.group == name]) for name in groups]
    )
    yield _table("who", answers.items())


def _more_next_rows(answers: Sequence[Answer]) -> Iterator[tuple[str, list[Answer]]]:
    yield "articles and their traps", [a for a in answers if a.label.kind == "article"]
    pagers = [a for a in answers if a.corpus == "pagination"]
    own = [replace(a, label=label_of_set(a.page.example)) for a in pagers if a.page]
    yield "pagination, by the set's own reading", own


def _table(head: str, rows: Iterable[tuple[str, Sequence[Answer]]]) -> str:
    return "\n".join([_head(head), *(score_answers(answers).row(name) for name, answers in rows)])


def _head(first: str) -> str:
    names = f"| {first} | pages | with one | found | right | precision | recall |"
    return f"{names}\n|---|---:|---:|---:|---:|---:|---:|"


@dataclass(slots=True)
class LinkScore:
    """How many pages have an address, and how many addresses were found and are right."""

    pages: int = 0
    true: int = 0
    found: int = 0
    right: int = 0

    def add(self, answer: Answer) -> None:
        self.pages += 1
        self.true += answer.has_one
        self.found += bool(answer.found)
        self.right += answer.right

    def row(self, name: str) -> str:
        shares = f"{_share(self.right, self.found)} | {_share(self.right, self.true)}"
        counts = f"{self.pages:,} | {self.true} | {self.found} | {self.right}"
        return f"| {name} | {counts} | {shares} |"


def score_answers(answers: Iterable[Answer]) -> LinkScore:
    """How many of the answers are right."""
    score = LinkScore()
    for answer in answers:
        score.add(answer)
    return score


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _miss_list(what: What, answers: dict[str, list[Answer]]) -> str:
    lines = [f"## Wrong answers: {what}"]
    for answer in answers.get(OURS, []):
        if answer.miss and (page := answer.page):
            lines.append(f"{page.corpus}/{page.example.name}  {page.url}  ({answer.label.group})")
            lines.append(f"    true  {answer.label.address or '–'}")
            lines.append(f"    found {answer.found or '–'}")
    return "\n".join(lines)


def _generated_table() -> str:
    """The same on pages that we generate: a test of traps, no result."""
    if str(_CHECKOUT) not in sys.path:  # the installed command does not look there by itself
        sys.path.append(str(_CHECKOUT))
    try:
        from samples.generate import generate
    except ImportError:  # only a checkout has the sample pages
        return "Generated pages: only in a checkout."
    printed, following = LinkScore(), LinkScore()
    for made in generate(seed=SEED, count=GENERATED):
        page = parse(made.html, made.url)
        found = print_link.find_print_link(page, read_head(page))[0]
        printed.add(Answer(LinkLabel(made.truth["print_url"]), found))
        listing = made.truth["page_type"] != "article"
        found = next_page.find_next_page(page, everything=listing)[0]
        following.add(Answer(LinkLabel(made.truth["next_url"]), found))
    head = _head("generated: a test of traps, no result")
    rows = [printed.row("print links, extract"), following.row("next pages, extract")]
    return "\n".join([head, *rows, *_clip_rows(generate(seed=SEED, count=CLIPPED_PAGES))])


def _clip_rows(pages: Iterable[GeneratedPage]) -> Iterator[str]:
    """What `clip` takes after it has compared the texts. It runs on articles whose other pages are
    given; any other address is one that nobody serves."""
    printed, following = LinkScore(), LinkScore()
    for made in pages:
        if made.truth["page_type"] != "article":
            continue
        first = extract(made.html, made.url)
        used = _follow_generated(first, made, Options())
        taken = used.page_urls[0]
        if taken == first.page_urls[0] or taken != used.metadata.print_url:
            taken = ""  # the page itself, or one with all pages of the article
        printed.add(Answer(LinkLabel(made.truth["print_url"]), taken))
        joined = _follow_generated(first, made, Options(print_page="never"))
        following.add(Answer(LinkLabel(made.truth["next_url"]), (*joined.page_urls, "", "")[1]))
    yield printed.row("print pages that clip used; it leaves those without the pictures")
    yield following.row("next pages, clip")


def _follow_generated(first: Article, made: GeneratedPage, options: Options) -> Article:
    def open_page(address: str) -> Article:
        known = made.resources.get(address)
        if known is None:
            raise FetchFailed(f"{address} answered with status 404", code="status", status=404)
        return extract(known.body, address, options=options)

    return follow_article(first, open_page, options)
