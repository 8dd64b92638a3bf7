"""Posts of a thread: questions and answers, posts of a forum, comments that are kept.

A page declares its posts as schema.org does, or they are elements of one kind
(`<div class="post">`): of all kinds of elements around the kept text it is the one of which most
have somebody's name or a date of their own, and a text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from tearsheet.caching import cache_short
from tearsheet.components import _dates
from tearsheet.components._wording import named_author
from tearsheet.components.role_lines import mark_role
from tearsheet.segments import find_texts
from tearsheet.tags import CODES
from tearsheet.types import Bools, Clipping, Ints, Page, Segments

Kind: TypeAlias = tuple[int, str]
"""A tag and a class that elements have."""

_FORUM: Final = 0.3
"""Least probability of a thread for a page to be read as one."""
_MAYBE_FORUM: Final = 0.1
_SHORT_THREAD: Final = 3
"""Its least probability, and the fewest posts, if every post says whose it is."""
_SCHEMA: Final = re.compile(
    r' itemtype="https?://schema\.org/(Question|Answer|Comment|DiscussionForumPosting)"'
)
_SCHEMA_HINTS: Final = (
    "schema.org/Question", "schema.org/Answer", "schema.org/Comment",
    "schema.org/DiscussionForumPosting",
)  # fmt: skip
_KINDS: Final = {
    "Question": "question", "Answer": "answer", "Comment": "comment",
    "DiscussionForumPosting": "post",
}  # fmt: skip
_KIND_WORDS: Final = (
    ("question", re.compile(r"question", re.I)),
    ("answer", re.compile(r"answer", re.I)),
    ("comment", re.compile(r"comment|reply|response", re.I)),
    ("post", re.compile(r"post|message|topic", re.I)),
)
_HIGHEST: Final = 30
"""Elements around a line that are looked at: pages nest without limit."""
_MOST_LINES: Final = 5_000
_MOST_POSTS: Final = 1_000
_LONGEST_HEAD: Final = 120
"""Characters of a line that says who wrote a post, and when."""
LONGEST_NAME: Final = 60
MOST_NAME_WORDS: Final = 6
"""Limits of the name of somebody who wrote a post, in characters and words."""
_SHORT_NAME: Final = 30
_NAME_WORDS: Final = 3
"""Letters and words of a line that may be a name though nothing calls it one."""
_MOST_NAME_ROWS: Final = 100
_MOST_READ: Final = 100
"""How often, on average, each line is examined as part of an element that may be a post: an element
may have very many classes, and each is a kind of its own. On 60 real threads, 61 was the most."""
_COVERED_SHARE: Final = 0.5
"""Share of the kept words that the posts hold."""
_MOSTLY: Final = 0.5
"""Share of the words of a single post that must be marked as such."""
_OTHER_LETTERS: Final = 24
"""Most letters besides name and date in a line that is the head of a post."""
_DIGITS: Final = re.compile(r"\d+")
_DEPTH: Final = re.compile(r' class="[^"]*(?<![a-z])(?:depth|level)[-_]?([0-9]{1,3})', re.I)
_AUTHORS: Final = (
    re.compile(r' (?:itemprop|rel)="[^"]*(?:author|creator)', re.I),
    re.compile(
        r' href="[^"]*[/?&;](?:users?|members?|profiles?|people|memberlist|viewprofile|u)[/.=?-]',
        re.I,
    ),
    re.compile(
        r' (?:class|id|data-testid)="[^"]*(?:author|user-?_*name|(?<![a-z])nick|'
        r"(?<!sub)poster(?![a-z])|byline|(?<![a-z])fn(?![a-z]))",
        re.I,
    ),
    re.compile(r' (?:class|id)="[^"]*(?:user|member|(?<![a-z])name(?![a-z]))', re.I),
)
"""Attributes that mark the name of a person, the clearest first."""
_NO_NAME: Final = re.compile(
    r' class="[^"]*(?:avatar|rank|title|count|reputation|badge|quote|status|location|action|joined|'
    r"stats|group|controls|signature)",
    re.I,
)
_DATE: Final = re.compile(r' (?:class|itemprop|id)="[^"]*(?:date|time|posted|(?<![a-z])ago)', re.I)
_QUOTE: Final = re.compile(r' class="[^"]*(?:quote|signature|(?<![a-z])sig(?![a-z]))', re.I)
_CLOCK: Final = re.compile(r"(?<![\d:])(\d{1,2}):(\d\d)(?::\d\d)?(?:\s*([ap])\.?m\b)?", re.I)
"""The time of the day."""
_SAYS: Final = re.compile(
    r"\s*(?:says|said|wrote|writes|schreibt|sagt|a dit|dice|escribió)?\s*[:：]$"
)
_TIME, _CITE = CODES["time"], CODES["cite"]
_HEADINGS: Final = [CODES[name] for name in ("h1", "h2", "h3", "h4", "h5", "h6")]
_QUOTES: Final = frozenset((CODES["blockquote"], CODES["q"]))
_AROUND_NAME: Final = 4
"""How many elements around a name may mark it as one."""
_TEXT_TAGS: Final = frozenset(
    CODES[name] for name in "a p span b strong i em h1 h2 h3 h4 h5 h6 blockquote pre code".split()
)
"""Elements that a post consists of."""


@dataclass(frozen=True, slots=True)
class PostHead:
    """What is known about a post besides its text."""

    author: str
    published: str
    kind: str
    depth: int
    lines: tuple[int, ...]
    """The segments that contain only this …"""
    own: tuple[int, ...]
    """… and all that are in this post and in no inner one."""


@dataclass(frozen=True, slots=True)
class _Posts:
    """Elements that may be posts: the segments of each, and how many kept words they have."""

    lines: dict[int, list[int]]
    words: int


_NO_POSTS: Final = _Posts({}, 0)


@dataclass(frozen=True, slots=True)
class _Thread:
    """A page that may be a thread, with the names and dates in its lines. They are remembered,
    because candidate posts lie inside each other and each line is needed several times."""

    clipping: Clipping
    names: dict[int, tuple[int, int, str]] = field(default_factory=dict)
    """By segment: how clearly a row of it is called a name, that row, and the name."""
    dates: dict[int, _LineDate] = field(default_factory=dict)
    """By segment."""
    long: dict[int, bool] = field(default_factory=dict)
    """By row: whether the element has more words than a name."""


class _LineDate(NamedTuple):
    """The date that a line shows or that its elements have as data; empty: none."""

    value: str
    is_declared: bool = False
    rank: int = 0
    """How clearly the line is a date."""


class _Names(NamedTuple):
    """The meaning of an element's attributes for the text in it."""

    is_quote: bool
    is_no_name: bool
    rank: int
    """How clearly they call it a name; the clearest is 0."""


def find_posts(clipping: Clipping) -> dict[int, PostHead]:
    """The posts by the row of their element; empty if the kept text is not a thread."""
    page, verdict = clipping.page, clipping.verdict
    declared = find_texts(page.all_attrs, _SCHEMA_HINTS)
    is_forum = verdict.page_type.get("forum", 0.0) >= _FORUM
    if not (declared or is_forum):
        return _find_kept_comments(clipping) or _find_short_thread(clipping)
    found = _read_declared(clipping, declared) if declared else _NO_POSTS
    thread = _Thread(clipping)
    if is_forum:
        alike = _find_alike(thread, verdict.keep, fewest=2)
        found = alike if alike.words > found.words else found
    return _read_heads(thread, found)


def _find_kept_comments(clipping: Clipping) -> dict[int, PostHead]:
    verdict = clipping.verdict
    if not verdict.roles:
        return {}
    return find_alike_posts(clipping, mark_role(verdict, "comment") & verdict.keep, fewest=2)


def _find_short_thread(clipping: Clipping) -> dict[int, PostHead]:
    """The posts of a page with so little text that it hardly counts as a thread. Each post must
    have an author and a date, and none a heading, because entries of a list have headings."""
    if clipping.verdict.page_type.get("forum", 0.0) < _MAYBE_FORUM:
        return {}
    thread = _Thread(clipping)
    posts = _find_alike(thread, clipping.verdict.keep, fewest=_SHORT_THREAD)
    headings = np.cumsum(np.isin(clipping.page.tag, _HEADINGS))
    if any(headings[clipping.page.end[row] - 1] > headings[row] for row in posts.lines):
        return {}
    heads = _read_heads(thread, posts)
    is_whole = all(head.author and head.published for head in heads.values())
    return heads if is_whole else {}


def find_alike_posts(clipping: Clipping, marked: Bools, *, fewest: int) -> dict[int, PostHead]:
    """The posts that the marked segments are in, if they are in that many elements of one kind, of
    which most name somebody or have a date."""
    if not marked.any():
        return {}
    thread = _Thread(clipping)
    return _read_heads(thread, _find_alike(thread, marked, fewest))


def _read_heads(thread: _Thread, posts: _Posts) -> dict[int, PostHead]:
    """The head of each post, by its row."""
    rows = list(posts.lines)
    heads = {row: _read_head(thread, row, own) for row, own in posts.lines.items()}
    if not any(head.author for head in heads.values()):
        heads = _take_first_lines(thread.clipping.segments, heads)
    depths = _find_depths(thread.clipping.page, rows, heads)
    return {row: replace(head, depth=depths[row]) for row, head in heads.items()}


def _take_first_lines(segments: Segments, heads: dict[int, PostHead]) -> dict[int, PostHead]:
    """The heads with the first line of each post as its author, where nothing on the page is called
    a name, and all these lines could be names of which some come again."""
    lines = {row: segments.text[head.own[0]].strip() for row, head in heads.items()}
    names = set(lines.values())
    if not 1 < len(names) < len(lines) or not all(map(_may_be_name, names)):
        return heads
    return {
        row: replace(head, author=lines[row], lines=(head.own[0], *head.lines))
        for row, head in heads.items()
    }


def _may_be_name(text: str) -> bool:
    is_short = 0 < len(text) <= _SHORT_NAME and text.count(" ") < _NAME_WORDS
    return is_short and text[0].isalpha() and text[-1].isalnum() and not _dates.read_date(text)


def _read_declared(clipping: Clipping, numbers: list[int]) -> _Posts:
    """The posts that the page declares, if they hold enough of the kept text."""
    page = clipping.page
    rows = [row for row in page.rows_with(numbers) if _SCHEMA.search(page.attrs[row])][:_MOST_POSTS]
    return _take_posts(clipping, rows, clipping.verdict.keep)


def _take_posts(clipping: Clipping, rows: Sequence[int], kept: Bools) -> _Posts:
    """The elements with their lines, if they hold enough of the kept text."""
    words = clipping.segments.words
    own = _own_segments(clipping, rows)
    lines = {row: some for row, some in own.items() if kept[some].any()}
    inside = sum(int(words[some][kept[some]].sum()) for some in lines.values())
    return _Posts(lines, inside) if inside >= _COVERED_SHARE * int(words[kept].sum()) else _NO_POSTS


def _find_alike(thread: _Thread, kept: Bools, fewest: int) -> _Posts:
    """The elements of one kind that are posts."""
    clipping = thread.clipping
    lines = np.flatnonzero(kept)[:_MOST_LINES]
    best, most = _NO_POSTS, fewest - 1
    left = _MOST_READ * len(kept)
    groups = _group_elements(clipping.page, clipping.segments.first[lines].tolist())
    for _, rows in sorted(groups.items(), key=_has_no_name):
        if len(rows) < fewest:
            continue
        left -= _count_lines(clipping, rows)
        if left < 0:
            break
        posts = _take_posts(clipping, rows, kept)
        if len(posts.lines) == 1 and not _is_mostly(clipping, rows[0], posts.words):
            continue
        known = [_count_known(thread, row, own, kept) for row, own in posts.lines.items()]
        whole, total = sum(map(bool, known)), sum(known)
        if whole >= fewest and 2 * whole > len(known) and (total, posts.words) > (most, best.words):
            best, most = posts, total
    return best


def _is_mostly(clipping: Clipping, row: int, words: int) -> bool:
    """Whether these words are most of an element: a single post may be the whole page."""
    segments = clipping.segments
    low, high = np.searchsorted(segments.first, (row, clipping.page.end[row]))
    return words >= _MOSTLY * int(segments.words[low:high].sum())


def _has_no_name(group: tuple[Kind, list[int]]) -> bool:
    return not group[0][1]


def _group_elements(page: Page, lines: Sequence[int]) -> dict[Kind, list[int]]:
    """The elements around the lines by tag and each of their classes, also without the numbers in
    them: these count the posts (`post-12`) or tell the parts of a post apart (`p1`, `p2`)."""
    seen: set[int] = set()
    for line in lines:
        for row in islice(page.ancestors(line), _HIGHEST):
            if row in seen:
                break
            seen.add(row)
    groups: dict[Kind, list[int]] = defaultdict(list)
    for row in sorted(seen):
        tag = int(page.tag[row])
        if tag in _TEXT_TAGS:
            continue
        names = (page.attribute(row, "class") or "").lower().split()
        plain = [_DIGITS.sub("", name) for name in names]
        for name in dict.fromkeys((*plain, *names)) or ("",):
            if len(groups[tag, name]) < _MOST_POSTS:
                groups[tag, name].append(row)
    return groups


def _own_segments(clipping: Clipping, rows: Sequence[int]) -> dict[int, list[int]]:
    """The segments in each of these elements that are in no inner one of them."""
    found: dict[int, list[int]] = {row: [] for row in rows}
    if not rows:
        return found
    low, high = _line_ranges(clipping, rows)
    start = int(low[0])
    owner = np.full(int(high.max()) - start, -1, dtype=np.int64)
    for row, begin, end in zip(rows, low.tolist(), high.tolist(), strict=True):
        owner[begin - start : end - start] = row  # in document order: inner ones come later
    for at, row in enumerate(owner.tolist(), start):
        if row >= 0:
            found[row].append(at)
    return found


def _line_ranges(clipping: Clipping, rows: Sequence[int]) -> tuple[Ints, Ints]:
    """The first segment in each of these elements, and the one after the last."""
    first, ends = clipping.segments.first, clipping.page.end[list(rows)]
    low, high = np.searchsorted(first, rows), np.searchsorted(first, ends)
    return low.astype(np.int32), high.astype(np.int32)


def _count_lines(clipping: Clipping, rows: Sequence[int]) -> int:
    """How many segments must be examined to find those in these elements."""
    low, high = _line_ranges(clipping, rows)
    return int(high.max()) - int(low[0]) + len(rows)


def _count_known(thread: _Thread, row: int, own: Sequence[int], kept: Bools) -> int:
    """Whether an element names somebody, and a date; 0 if it has no kept text besides."""
    head = _read_head(thread, row, own)
    has_text = any(kept[at] and at not in head.lines for at in own)
    return has_text * (bool(head.author) + bool(head.published))


def _read_head(thread: _Thread, row: int, own: Sequence[int]) -> PostHead:
    segments = thread.clipping.segments
    author_row, author = _find_author(thread, own)
    date_at, published = _find_date(thread, own)
    lines = tuple(
        at
        for at in own
        if (at == date_at or segments.first[at] <= author_row <= segments.last[at])
        and _says_no_more(segments.text[at], author, has_date=date_at == at)
    )
    kind = _find_kind(thread.clipping.page, row)
    return PostHead(author, published, kind, depth=0, lines=lines, own=tuple(own))


def _says_no_more(text: str, author: str, *, has_date: bool) -> bool:
    """Whether a line has hardly any letters besides a name and a date."""
    if len(text) > _LONGEST_HEAD:
        return False
    left = sum(map(str.isalpha, text)) - sum(map(str.isalpha, author)) * (author in text)
    return left <= _OTHER_LETTERS * (1 + has_date)


def _find_author(thread: _Thread, own: Sequence[int]) -> tuple[int, str]:
    """The row of text in these lines that an element calls a name most clearly, and the name."""
    best = _NOBODY
    for at in own:
        if at not in thread.names:
            thread.names[at] = _find_name(thread, at)
        if thread.names[at][0] < best[0]:
            best = thread.names[at]
    return best[1:]


_NOBODY: Final = (len(_AUTHORS), -1, "")


def _find_name(thread: _Thread, at: int) -> tuple[int, int, str]:
    """How clearly a row of a line is called a name, the row, and the name."""
    page, segments, best = thread.clipping.page, thread.clipping.segments, _NOBODY
    for row in range(int(segments.first[at]), int(segments.last[at]) + 1):
        text = page.text[row].strip()
        if not 0 < len(text) <= LONGEST_NAME or not any(map(str.isalpha, text)):
            continue
        rank = _author_rank(thread, row)
        if rank < best[0] and (name := clean_name(text)):
            best = rank, row, name
    return best


def _author_rank(thread: _Thread, row: int) -> int:
    """How clearly the elements around a text call it a name; the clearest is 0."""
    page, best = thread.clipping.page, len(_AUTHORS)
    for count, above in enumerate(islice(page.ancestors(row), _AROUND_NAME)):
        names = _read_names(page.attrs[above])
        if names.is_quote or page.tag[above] in _QUOTES:
            return len(_AUTHORS)
        if count < 2 and names.is_no_name:
            return len(_AUTHORS)
        if above not in thread.long:
            thread.long[above] = _has_many_words(page, above)
        if thread.long[above]:
            break
        best = min(best, names.rank)
        if page.tag[above] == _CITE:
            best = min(best, 2)
    return best


def _has_many_words(page: Page, row: int) -> bool:
    """Whether an element has more words than a name, or more rows. Elements nest, so reading stops
    as soon as this is known."""
    end, text = int(page.end[row]), ""
    for at in range(row, min(end, row + _MOST_NAME_ROWS)):
        text += page.text[at][:_LONGEST_HEAD]
        if text.count(" ") >= MOST_NAME_WORDS:
            text = " ".join(text.split())
            if text.count(" ") >= MOST_NAME_WORDS:
                return True
    return end - row > _MOST_NAME_ROWS


@cache_short(4096)  # the posts of a page and the pages of a site share their names
def _read_names(attrs: str) -> _Names:
    ranks = (rank for rank, sign in enumerate(_AUTHORS) if sign.search(attrs))
    is_quote, is_no_name = bool(_QUOTE.search(attrs)), bool(_NO_NAME.search(attrs))
    return _Names(is_quote, is_no_name, next(ranks, len(_AUTHORS)))


@cache_short(4096)
def _says_date(attrs: str) -> bool:
    return _DATE.search(attrs) is not None


def clean_name(text: str) -> str:
    """The name in a text.

    >>> clean_name("Ann Lee says:"), clean_name("By Ann Lee")
    ('Ann Lee', 'Ann Lee')
    """
    text = " ".join(_SAYS.sub("", text).strip(" ,:|·•-–»").split())
    return named_author(text) or text


def _find_date(thread: _Thread, own: Sequence[int]) -> tuple[int, str]:
    """The line with the date of a post, and the date: a `<time>`, else a line with the time of the
    day or called a date, else the first date."""
    found: list[tuple[int, int, str]] = []
    for at in own:
        if at not in thread.dates:
            thread.dates[at] = _read_line_date(thread.clipping, at)
        date = thread.dates[at]
        if date.is_declared:
            return at, date.value
        if date.value:
            found.append((-date.rank, at, date.value))
    _, at, when = min(found, default=(0, -1, ""))
    return at, when


def _read_line_date(clipping: Clipping, at: int) -> _LineDate:
    page, segments = clipping.page, clipping.segments
    text = segments.text[at]
    if len(text) > _LONGEST_HEAD:
        return _LineDate("")
    first = int(segments.first[at])
    if declared := _declared_time(page, first, int(segments.last[at])):
        return _LineDate(declared, is_declared=True)
    named = any(_says_date(page.attrs[up]) for up in islice(page.ancestors(first), 2))
    when = _dates.read_date(text)
    if when or (named and any(map(str.isdigit, text)) and len(text) <= LONGEST_NAME):
        clock = _CLOCK.search(text)
        return _LineDate(_add_clock(when, clock) or text, rank=2 * (clock is not None) + named)
    return _LineDate("")


def _add_clock(day: str | None, clock: re.Match[str] | None) -> str | None:
    """A day with the time that stands beside it.

    >>> _add_clock("2012-05-03", _CLOCK.search("May 3, 2012 at 10:20 pm"))
    '2012-05-03T22:20'
    """
    if not day or not clock or "T" in day:
        return day
    hour, half = int(clock[1]), (clock[3] or "").lower()
    if half and 1 <= hour <= 12:
        hour = hour % 12 + 12 * (half == "p")
    return f"{day}T{hour:02}:{clock[2]}" if hour < 24 and int(clock[2]) < 60 else day


def _declared_time(page: Page, first: int, last: int) -> str:
    """The date in the attributes of an element around or in a line."""
    above = list(islice(page.ancestors(first), 3))
    for row in (*above, *range(first, last + 1)):
        names = ("datetime",) if page.tag[row] == _TIME else ("title", "content")
        if page.tag[row] != _TIME and not _says_date(page.attrs[row]):
            continue
        for name in names:
            value = page.attribute(row, name)
            if value and (when := _dates.read_date(value)):
                return when
    return ""


def _find_kind(page: Page, row: int) -> str:
    """The kind of a post, by the type or the names of its element."""
    attrs = page.attrs[row]
    if declared := _SCHEMA.search(attrs):
        return _KINDS[declared[1]]
    names = f"{page.attribute(row, 'class') or ''} {page.attribute(row, 'id') or ''}"
    return next((kind for kind, word in _KIND_WORDS if word.search(names)), "")


def _find_depths(page: Page, rows: Sequence[int], heads: Mapping[int, PostHead]) -> dict[int, int]:
    """The depth of each post, by its class or else by the posts around it. If the first post is
    around all others, it is the thread itself, and the others are one level higher.
    """
    known, found = frozenset(rows), {}
    for row in rows:
        declared = _DEPTH.search(page.attrs[row])
        around = sum(up in known for up in islice(page.ancestors(row), 4 * _HIGHEST))
        found[row] = max(int(declared[1]) - 1, 0) if declared else around
    others = rows[1:]
    if others and heads[rows[0]].kind in ("question", "post") and all(found[r] for r in others):
        found |= {row: found[row] - 1 for row in others}
    return found
