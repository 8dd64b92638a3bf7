"""Posts of a thread: questions and answers, posts of a forum, comments that are kept.

A page declares its posts as schema.org does, or they are elements of one kind
(`<div class="post">`): of all kinds of elements around the kept text it is the one of which most
have somebody's name or a date of their own, and a text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, TypeAlias

import numpy as np

from tearsheet.components import _dates
from tearsheet.components._wording import named_author
from tearsheet.components.role_lines import mark_role
from tearsheet.segments import find_texts
from tearsheet.tags import CODES
from tearsheet.types import Bools, Clipping, Page

Kind: TypeAlias = tuple[int, str]
"""A tag and a class that elements have."""

_FORUM: Final = 0.3
"""How likely a page must be a thread to be read as one."""
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
_LONGEST_NAME: Final = 60
_MOST_NAME_WORDS: Final = 6
_COVERED: Final = 0.5
"""Share of the kept words that the posts hold."""
_OTHER_LETTERS: Final = 24
"""Letters that a line may have besides the name and the date, and be the head of a post."""
_DIGITS: Final = re.compile(r"\d+")
_DEPTH: Final = re.compile(r' class="[^"]*(?<![a-z])(?:depth|level)[-_]?([0-9]{1,3})', re.I)
_AUTHORS: Final = (
    re.compile(r' (?:itemprop|rel)="[^"]*(?:author|creator)', re.I),
    re.compile(
        r' href="[^"]*[/?&;](?:users?|members?|profiles?|people|memberlist|viewprofile|u)[/.=?-]',
        re.I,
    ),
    re.compile(
        r' (?:class|id)="[^"]*(?:author|user-?_*name|(?<![a-z])nick|(?<!sub)poster(?![a-z])|byline|'
        r"(?<![a-z])fn(?![a-z]))",
        re.I,
    ),
    re.compile(r' (?:class|id)="[^"]*(?:user|member|(?<![a-z])name(?![a-z]))', re.I),
)
"""How elements say that they name somebody, the clearest first."""
_NO_NAME: Final = re.compile(
    r' class="[^"]*(?:avatar|rank|title|count|reputation|badge|quote|status|location|action|joined|'
    r"stats|group|controls|signature)",
    re.I,
)
_DATE: Final = re.compile(r' (?:class|itemprop|id)="[^"]*(?:date|time|posted|(?<![a-z])ago)', re.I)
_QUOTE: Final = re.compile(r' class="[^"]*(?:quote|signature|(?<![a-z])sig(?![a-z]))', re.I)
_CLOCK: Final = re.compile(r"\d:\d\d")
_SAYS: Final = re.compile(
    r"\s*(?:says|said|wrote|writes|schreibt|sagt|a dit|dice|escribió)?\s*[:：]$"
)
_TIME, _CITE = CODES["time"], CODES["cite"]
_QUOTES: Final = frozenset((CODES["blockquote"], CODES["q"]))
_AROUND_NAME: Final = 4
"""Elements around a name that may say that it is one."""
_TEXT_TAGS: Final = frozenset(
    CODES[name] for name in "a p span b strong i em h1 h2 h3 h4 h5 h6 blockquote pre code".split()
)
"""Elements that are parts of a post."""


@dataclass(frozen=True, slots=True)
class PostHead:
    """What is known about a post besides its text."""

    author: str
    published: str
    kind: str
    depth: int
    lines: tuple[int, ...]
    """The segments that say no more than that."""


@dataclass(frozen=True, slots=True)
class _Posts:
    """Elements that may be posts: the segments of each, and how many kept words they have."""

    lines: dict[int, list[int]]
    words: int


_NO_POSTS: Final = _Posts({}, 0)


def find_posts(clipping: Clipping) -> dict[int, PostHead]:
    """The posts by the row of their element; none if the kept text is no thread."""
    page, verdict = clipping.page, clipping.verdict
    declared = find_texts(page.all_attrs, _SCHEMA_HINTS)
    is_forum = verdict.page_type.get("forum", 0.0) >= _FORUM
    if not (declared or is_forum):
        return _find_kept_comments(clipping)
    found = _read_declared(clipping, declared) if declared else _NO_POSTS
    if is_forum:
        alike = _find_alike(clipping, verdict.keep)
        found = alike if alike.words > found.words else found
    return _read_heads(clipping, found)


def _find_kept_comments(clipping: Clipping) -> dict[int, PostHead]:
    verdict = clipping.verdict
    if not verdict.roles:
        return {}
    comments = mark_role(verdict, "comment") & verdict.keep
    if not comments.any():
        return {}
    return _read_heads(clipping, _find_alike(clipping, comments))


def _read_heads(clipping: Clipping, posts: _Posts) -> dict[int, PostHead]:
    """What is known about each post."""
    rows = list(posts.lines)
    heads = {row: _read_head(clipping, row, own) for row, own in posts.lines.items()}
    depths = _find_depths(clipping.page, rows, heads)
    return {row: replace(head, depth=depths[row]) for row, head in heads.items()}


def _read_declared(clipping: Clipping, numbers: Sequence[int]) -> _Posts:
    """The posts that the page declares, if they hold enough of the kept text."""
    page = clipping.page
    rows = np.flatnonzero(np.isin(page.attrs_at, numbers)).tolist()
    rows = [row for row in rows if _SCHEMA.search(page.attrs[row])][:_MOST_POSTS]
    return _take_posts(clipping, rows, clipping.verdict.keep)


def _take_posts(clipping: Clipping, rows: Sequence[int], kept: Bools) -> _Posts:
    """The elements with their lines, if they hold enough of the kept text."""
    words = clipping.segments.words
    own = _own_segments(clipping, rows)
    lines = {row: some for row, some in own.items() if kept[some].any()}
    inside = sum(int(words[some][kept[some]].sum()) for some in lines.values())
    return _Posts(lines, inside) if inside >= _COVERED * int(words[kept].sum()) else _NO_POSTS


def _find_alike(clipping: Clipping, kept: Bools) -> _Posts:
    """The elements of one kind that are posts."""
    lines = np.flatnonzero(kept)[:_MOST_LINES]
    best, most = _NO_POSTS, 1
    groups = _group_elements(clipping.page, clipping.segments.first[lines].tolist())
    for _, rows in sorted(groups.items(), key=_has_no_name):
        posts = _take_posts(clipping, rows, kept) if len(rows) > 1 else _NO_POSTS
        known = [_count_known(clipping, row, own, kept) for row, own in posts.lines.items()]
        whole, total = sum(map(bool, known)), sum(known)
        if whole > 1 and 2 * whole > len(known) and (total, posts.words) > (most, best.words):
            best, most = posts, total
    return best


def _has_no_name(group: tuple[Kind, list[int]]) -> bool:
    return not group[0][1]


def _group_elements(page: Page, lines: Sequence[int]) -> dict[Kind, list[int]]:
    """The elements around the lines by tag and each of their classes, without numbers in them."""
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
        for name in set(_DIGITS.sub("", page.attribute(row, "class") or "").lower().split()) or (
            "",
        ):
            if len(groups[tag, name]) < _MOST_POSTS:
                groups[tag, name].append(row)
    return groups


def _own_segments(clipping: Clipping, rows: Sequence[int]) -> dict[int, list[int]]:
    """The segments in each of these elements that are in no inner one of them."""
    first, page = clipping.segments.first, clipping.page
    owner = np.full(len(first), -1, dtype=np.int64)
    for row in rows:  # in document order, so that inner ones come later
        low, high = np.searchsorted(first, (row, page.end[row]))
        owner[low:high] = row
    found: dict[int, list[int]] = {row: [] for row in rows}
    for at, row in enumerate(owner.tolist()):
        if row >= 0:
            found[row].append(at)
    return found


def _count_known(clipping: Clipping, row: int, own: Sequence[int], kept: Bools) -> int:
    """Whether an element names somebody, and a date; 0 if it has no kept text besides."""
    head = _read_head(clipping, row, own)
    has_text = any(kept[at] and at not in head.lines for at in own)
    return has_text * (bool(head.author) + bool(head.published))


def _read_head(clipping: Clipping, row: int, own: Sequence[int]) -> PostHead:
    segments = clipping.segments
    author_row, author = _find_author(clipping, own)
    date_at, published = _find_date(clipping, own)
    lines = tuple(
        at
        for at in own
        if (at == date_at or segments.first[at] <= author_row <= segments.last[at])
        and _says_no_more(segments.text[at], author, has_date=date_at == at)
    )
    return PostHead(author, published, _find_kind(clipping.page, row), 0, lines)


def _says_no_more(text: str, author: str, *, has_date: bool) -> bool:
    """Whether a line has hardly any letters besides a name and a date."""
    if len(text) > _LONGEST_HEAD:
        return False
    left = sum(map(str.isalpha, text)) - sum(map(str.isalpha, author)) * (author in text)
    return left <= _OTHER_LETTERS * (1 + has_date)


def _find_author(clipping: Clipping, own: Sequence[int]) -> tuple[int, str]:
    """The row of text in these lines that an element calls a name most clearly, and the name."""
    page, segments = clipping.page, clipping.segments
    best, row_of_best, name_of_best = len(_AUTHORS), -1, ""
    for at in own:
        for row in range(int(segments.first[at]), int(segments.last[at]) + 1):
            text = page.text[row].strip()
            if not 0 < len(text) <= _LONGEST_NAME or not any(map(str.isalpha, text)):
                continue
            rank = _author_rank(page, row)
            if rank < best and (name := _clean_name(text)):
                best, row_of_best, name_of_best = rank, row, name
    return row_of_best, name_of_best


def _author_rank(page: Page, row: int) -> int:
    """How clearly the elements around a text call it a name; the clearest is 0."""
    best = len(_AUTHORS)
    for count, above in enumerate(islice(page.ancestors(row), _AROUND_NAME)):
        attrs = page.attrs[above]
        if page.tag[above] in _QUOTES or _QUOTE.search(attrs):
            return len(_AUTHORS)
        if count < 2 and _NO_NAME.search(attrs):
            return len(_AUTHORS)
        if page.inner_text(above).count(" ") >= _MOST_NAME_WORDS:
            break
        ranks = (rank for rank, sign in enumerate(_AUTHORS[:best]) if sign.search(attrs))
        best = min(best, next(ranks, best))
        if page.tag[above] == _CITE:
            best = min(best, 2)
    return best


def _clean_name(text: str) -> str:
    """The name in a text.

    >>> _clean_name("Ann Lee says:"), _clean_name("By Ann Lee")
    ('Ann Lee', 'Ann Lee')
    """
    text = " ".join(_SAYS.sub("", text).strip(" ,:|·•-–»").split())
    return named_author(text) or text


def _find_date(clipping: Clipping, own: Sequence[int]) -> tuple[int, str]:
    """The line with the date of a post, and the date: a `<time>`, else a line with the time of the
    day or called a date, else the first date."""
    page, segments = clipping.page, clipping.segments
    found: list[tuple[int, int, str]] = []
    for at in own:
        text = segments.text[at]
        if len(text) > _LONGEST_HEAD:
            continue
        declared = _declared_time(page, int(segments.first[at]), int(segments.last[at]))
        if declared:
            return at, declared
        named = any(
            _DATE.search(page.attrs[up])
            for up in islice(page.ancestors(int(segments.first[at])), 2)
        )
        when = _dates.read_date(text)
        if when or (named and any(map(str.isdigit, text)) and len(text) <= _LONGEST_NAME):
            rank = 2 * bool(_CLOCK.search(text)) + named
            found.append((-rank, at, when or text))
    _, at, when = min(found, default=(0, -1, ""))
    return at, when


def _declared_time(page: Page, first: int, last: int) -> str:
    """The date that an element around or in a line has as data."""
    above = list(islice(page.ancestors(first), 3))
    for row in (*above, *range(first, last + 1)):
        names = ("datetime",) if page.tag[row] == _TIME else ("title", "content")
        if page.tag[row] != _TIME and not _DATE.search(page.attrs[row]):
            continue
        for name in names:
            value = page.attribute(row, name)
            if value and (when := _dates.read_date(value)):
                return when
    return ""


def _find_kind(page: Page, row: int) -> str:
    """What sort of post an element is, as its type or its names say."""
    attrs = page.attrs[row]
    if declared := _SCHEMA.search(attrs):
        return _KINDS[declared[1]]
    names = f"{page.attribute(row, 'class') or ''} {page.attribute(row, 'id') or ''}"
    return next((kind for kind, word in _KIND_WORDS if word.search(names)), "")


def _find_depths(page: Page, rows: Sequence[int], heads: Mapping[int, PostHead]) -> dict[int, int]:
    """How many posts each post answers: as its class says, else those around it.

    Where the first post is around all the others, it is the thread, which each of them answers.
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
