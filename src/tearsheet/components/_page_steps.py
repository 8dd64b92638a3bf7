"""How two addresses count pages: the numbers in which they differ, if they differ in nothing else.

Letter case, double slashes, the name of an index file, sessions and tracking do not count. The
other address may drop parameters of the page's own, and add some.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from tearsheet.addresses import is_tracking
from tearsheet.languages import any_of

_LARGEST: Final = 9_999  # the largest number of a page
_POST: Final = 400  # a larger number in `?p=` is that of a post
_PAGES: Final = 20  # a larger number in `?p=` may be that of a post
_ARTICLE: Final = 100  # a larger number without a word for page is that of an article
_FIRST: Final = 3  # the largest number of the page after one without a number
_DOTTED: Final = re.compile(r"(\d{1,9})\.(\d{1,6})")
_RANGE: Final = re.compile(r"(\d{1,6})-(\d{1,6})")
_DIGITS: Final = re.compile(r"\d+")
_NOT_A_PAGE: Final = re.compile(
    r"comment|cpage|review|rating|rate|gallery|slide|image|photo|size|per_?page|limit$|teaser|lang"
    r"|sort|page_?id",
    re.I,
)
_DATE_BEFORE: Final = re.compile(
    r"/(?:19|20)\d\d/$|(?<!\d)(?:19|20)\d\d[/\-_.]?(?:0?\d|1[0-2])[/\-_.]?$"
)
"""The year, or the year and the month, before the number of a month or a day."""
_EXTENSION: Final = re.compile(r"\.(?:html?|php\d?|aspx?|jsp|shtml|xhtml|cfm)$")
_INDEX: Final = re.compile(r"/(?:index|default)\.\w+$")
_SESSION: Final = re.compile(
    r"^(?:sid|sess(?:ion)?_?id|jsessionid|phpsessid|xploidid|ref|referer|referrer|source|src|"
    r"from_?src|spm)$"
)
_PATH_SESSION: Final = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?#;]*")


class Step(NamedTuple):
    """The numbers of two addresses that differ in nothing else."""

    before: int | None
    """The number in the page's own address, if it has one."""
    after: int
    sign: Literal["page", "short", "none"]
    """The word before the number: a word for page, a short name (`p`, `start`), or nothing."""
    like_chapter: bool = False
    """Whether the number is written as those of chapters: `003`, or `/1` below the page."""

    @property
    def is_next(self) -> bool:
        """Whether the numbers are k and k + 1; the first page may have no number."""
        return self.after == (self.before or 1) + 1

    @property
    def goes_on(self) -> bool:
        """Whether the second number may be that of the next page or of its first entry."""
        if self.before is None:
            return self.sign != "page" or self.after <= _FIRST
        return self.after > self.before

    @property
    def may_count_articles(self) -> bool:
        """Whether the numbers may be those of two articles or chapters, as nothing says page."""
        if self.sign != "none":
            return False
        return self.like_chapter or (self.before is not None and self._is_too_large())

    def _is_too_large(self) -> bool:
        """Whether the number is too large for a page, and not that of a page's first entry."""
        before, width = self.before or 0, self.after - (self.before or 0)
        return before >= _ARTICLE and (width < 2 or before % width > 0)


def find_step(own: str, other: str) -> Step | None:
    """The page numbers of two addresses that differ in nothing else; None if they do.

    >>> find_step("https://a.example/x.html", "https://a.example/x-2.html")[:2]
    (None, 2)
    >>> find_step("https://a.example/t?id=7&start=20", "https://a.example/t?id=7&start=40")[:2]
    (20, 40)
    >>> find_step("https://a.example/?p=2904", "https://a.example/?p=2905") is None
    True
    """
    path, query = _own_parts(own)
    other_path, other_query = _parts(other)
    found = None
    if path == other_path:
        found = _query_step(query, other_query)
    elif other_query == query or (path != "/" and other_query.items() <= query.items()):
        found = _path_step(path, other_path)
    if found is None or found.after > _LARGEST or found.before == found.after:
        return None
    return found


def is_next(step: Step | None) -> bool:
    """Whether two addresses are those of page k and page k + 1."""
    return step is not None and step.is_next


def _parts(address: str) -> tuple[str, dict[str, str]]:
    """The path and the parameters of an address, in lower case, without what does not count."""
    parts = urlsplit(address)
    path, query = unquote(parts.path).casefold(), parts.query
    if query.startswith("/"):  # `index.php?/topic/7/page/2`
        path, query = f"{path}?{unquote(query).casefold()}", ""
    if "//" in path:
        path = re.sub("/{2,}", "/", path)
    if ";" in path:
        path = _PATH_SESSION.sub("", path)
    return _INDEX.sub("/", path) or "/", _query(query) if query else {}


_own_parts = lru_cache(maxsize=4)(_parts)


def _query(query: str) -> dict[str, str]:
    if query.isdigit():
        return {"page": query}  # `?2`
    pairs = parse_qsl(query.casefold(), keep_blank_values=True, errors="replace")
    return {name: value for name, value in pairs if not _is_session(name, value)}


def _is_session(name: str, value: str) -> bool:
    """Whether a parameter says who asks and where from, not what for."""
    if name == "s":
        return not value.isdigit()
    return _SESSION.match(name) is not None or is_tracking(name)


def _query_step(before: Mapping[str, str], after: Mapping[str, str]) -> Step | None:
    changed = [name for name in after if after[name] != before.get(name)]
    if len(changed) == 1 and (step := _dotted_step(before.get(changed[0], ""), after[changed[0]])):
        return step
    pages = [name for name in changed if _page_name().match(name) and not _NOT_A_PAGE.search(name)]
    if len({after[name] for name in pages}) != 1:
        return None
    if any(name in before and name not in pages for name in changed):
        return None
    name = pages[0]
    numbers, own_numbers = _DIGITS.findall(after[name]), _DIGITS.findall(before.get(name, ""))
    if not numbers or len(numbers[-1]) > 6:
        return None
    own, number = int(own_numbers[-1]) if own_numbers else None, int(numbers[-1])
    if name in ("p", "id") and max(own or 0, number if own is None else 0) > _POST:
        return None
    if _page_word().search(name):
        return Step(own, number, "page")
    return Step(own, number, "none" if name == "p" and (own or 0) > _PAGES else "short")


def _dotted_step(before: str, after: str) -> Step | None:
    """The offsets after the number of a topic: `topic=18.0` and `topic=18.20`."""
    one, two = _DOTTED.fullmatch(before), _DOTTED.fullmatch(after)
    if two is None or (one[1] if one else before) != two[1]:
        return None
    return Step(int(one[2]) if one else None, int(two[2]), "short")


def _path_step(own: str, other: str) -> Step | None:
    """The numbers in the part where two paths differ."""
    own, other = _cut_extension(own, other)
    start = _common_length(own, other)
    end = _common_length(own[start:][::-1], other[start:][::-1])
    one, two = own[start : len(own) - end], other[start : len(other) - end]
    if step := _range_step(one, two):
        return step
    before, after = _page_number_pattern().match(one), _page_number_pattern().match(two)
    if after is None or (one.strip("/") and before is None) or _NOT_A_PAGE.search(two):
        return None
    number = int(before[1]) if before and one.strip("/") else None
    sign = _sign_before(own[:start] + two[: after.start(1)])
    if sign == "none" and _DATE_BEFORE.search(other[: start + after.start(1)]):
        return None
    if sign == "none" and number is not None and _not_page().search(own[:start]):
        return None
    like_chapter = after[1].startswith("0") or (number is None and two == "/1")
    return Step(number, int(after[1]), sign, like_chapter)


def _range_step(one: str, two: str) -> Step | None:
    """The first entries of two pages: `1-10` and `11-20`."""
    before, after = _RANGE.fullmatch(one), _RANGE.fullmatch(two)
    if before is None or after is None or int(after[1]) != int(before[2]) + 1:
        return None
    return Step(int(before[1]), int(after[1]), "short")


def _sign_before(text: str) -> Literal["page", "short", "none"]:
    """The meaning that the end of a text gives to the number after it."""
    if _page_word_at_end().search(text):
        return "page"
    return "short" if _SHORT.search(text) else "none"


_SHORT: Final = re.compile(r"(?<![a-z])(?:p|pg|s|or|o|st|start|offset)[/\-_.,=]?$")


@cache
def _page_word() -> re.Pattern[str]:
    return re.compile(any_of("page_in_address"))


@cache
def _page_word_at_end() -> re.Pattern[str]:
    return re.compile(rf"{any_of('page_in_address')}(?:s|_?num(?:ber)?|no)?[/\-_.,=]{{0,2}}$")


@cache
def _not_page() -> re.Pattern[str]:
    """Finds a word at the end that says what else is counted: chapters, issues, weeks."""
    return re.compile(rf"(?<![^\W\d_]){any_of('not_page_in_address')}[/\-_.,=]?$")


@cache
def _page_number_pattern() -> re.Pattern[str]:
    """Matches what one of two paths has more if it counts pages: `-2`, `/page/2/`."""
    words = f"{any_of('page_in_address')}|{any_of('part_in_address')}"
    return re.compile(
        rf"^(?:[/\-_.,;=~]?(?:index|page(?:s|_?num(?:ber)?|no)|{words}|pt|pg|p|s|or|o|list|list_\d+)?"
        r"[/\-_.,=]{0,2})?(\d{1,6})(?:_p)?[/\-_]?$"
    )


@cache
def _page_name() -> re.Pattern[str]:
    """Matches names in a query that count pages or entries."""
    words = f"{any_of('page_in_address')}|{any_of('part_in_address')}"
    return re.compile(
        rf"^(?:p|_?pgn?|pgno|pn|pp|o|st|s|b|cp|page\w*|\w*page|\w*\[(?:p|page)\]|pagen_?\d*|{words}|"
        r"start(?:_?(?:row|index|at|item|from|num))?|from|skip|begin|first|index|pageno|pagenum|currentpage|limitstart|"
        r"[a-z]*offset)$"
    )


@cache
def _paged_address_pattern() -> re.Pattern[str]:
    """Finds the end of an address that counts pages in words."""
    word = any_of("page_in_address")
    return re.compile(rf"(?:{word}|pagen_?\d*|paged|(?<=[/?&])p)[/\-_=]?(\d+)/?$", re.I)


def numbered_page(address: str) -> int | None:
    """The number at the end of an address after a word for page; None if the address has none.

    >>> numbered_page("/list/page-2/"), numbered_page("/list/2")
    (2, None)
    """
    if not address.rstrip("/")[-1:].isdigit():
        return None
    found = _paged_address_pattern().search(address)
    return int(found[1][-9:]) if found else None


def next_numbers(own: str) -> frozenset[int]:
    """The numbers k + 1 for each number k in an address, and 2."""
    return frozenset((2, *(int(digits[-9:]) + 1 for digits in _DIGITS.findall(unquote(own)))))


def is_same_page(one: str, other: str) -> bool:
    """Whether two addresses of a site differ in nothing that counts."""
    return _own_parts(one) == _parts(other)


def _cut_extension(own: str, other: str) -> tuple[str, str]:
    """Two paths without the extension that both have, or only the second."""
    mine, its = _EXTENSION.search(own), _EXTENSION.search(other)
    if its and (mine is None or mine[0] == its[0]):
        own, other = own[: mine.start()] if mine else own, other[: its.start()]
    return own.rstrip("/"), other.rstrip("/")


def _common_length(one: str, other: str) -> int:
    """The length of the common beginning, without a part of a number at its end."""
    pairs = enumerate(zip(one, other))
    length = next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))
    while length > 0 and (
        (length < len(one) and one[length - 1].isdigit() and one[length].isdigit())
        or (length < len(other) and other[length - 1].isdigit() and other[length].isdigit())
    ):
        length -= 1
    return length
