"""The comments of readers below an article: who wrote what, when, and in answer to whom.

The engine says which lines are comments; `threads` tells them apart, as it does the posts of a
forum.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tearsheet.components.role_lines import mark_role
from tearsheet.components.threads import (
    LONGEST_NAME,
    MOST_NAME_WORDS,
    PostHead,
    clean_name,
    find_alike_posts,
)
from tearsheet.types import Bools, Clipping, Comment, Origin

_LONGEST_TOOL: Final = 3
"""Most words of a link that does something with a comment ("Reply", "Report abuse")."""
_SENTENCE_ENDS: Final = (".", "!", "?", "。", "！", "？")


def find_comments(clipping: Clipping) -> tuple[Comment, ...]:
    """The comments on a page, in order; empty if the method does not recognise comments. Lines that
    cannot be told apart make one comment."""
    marked = mark_role(clipping.verdict, "comment")
    if not marked.any():
        return ()
    posts = find_alike_posts(clipping, marked, fewest=1) or _take_all(clipping, marked)
    found = (_make_comment(clipping, row, post, marked) for row, post in posts.items())
    return tuple(comment for comment in found if comment.text)


def _take_all(clipping: Clipping, marked: Bools) -> dict[int, PostHead]:
    """All lines as one post, in the element of the first."""
    lines = tuple(np.flatnonzero(marked).tolist())
    row = int(clipping.page.parent[clipping.segments.first[lines[0]]])
    return {row: PostHead("", "", "comment", depth=0, lines=(), own=lines)}


def _make_comment(clipping: Clipping, row: int, post: PostHead, marked: Bools) -> Comment:
    segments = clipping.segments
    lines = [at for at in post.own if marked[at]]
    text = [at for at in lines if at not in post.lines and not _is_tool(clipping, at)]
    author = post.author
    if not author and len(text) > 1 and _may_be_name(clipping, text[0]):
        author = clean_name(segments.text[text.pop(0)])
    score = clipping.verdict.roles["comment"][lines]
    return Comment(
        text="\n\n".join(segments.text[at] for at in text),
        author=author,
        published=post.published,
        depth=post.depth,
        origin=Origin(0, row, int(clipping.page.end[row]), float(np.mean(score))),
    )


def _is_tool(clipping: Clipping, at: int) -> bool:
    segments = clipping.segments
    is_link = 2 * int(segments.link_chars[at]) > int(segments.chars[at])
    return is_link and int(segments.words[at]) <= _LONGEST_TOOL


def _may_be_name(clipping: Clipping, at: int) -> bool:
    """Whether a line is short and not a sentence."""
    text, words = clipping.segments.text[at], int(clipping.segments.words[at])
    is_short = len(text) <= LONGEST_NAME and words <= MOST_NAME_WORDS
    return is_short and not text.endswith(_SENTENCE_ENDS)
