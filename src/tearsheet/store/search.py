"""The words of texts as both databases index them, and queries in the same words.

Chinese, Japanese and Thai are written without spaces, so each of their characters is a word; a run
of them is searched as a phrase. Accents, case and signs do not count: PostgreSQL would take
`harbour.example` or `and/or` for one word, and SQLite would not.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, TypeAlias

from tearsheet import limits
from tearsheet.article import Article
from tearsheet.prose import plain_text
from tearsheet.types import Post
from tearsheet.writing import HAN, KANA

WordQuery: TypeAlias = list[list[str]]
"""Phrases that a text must all have."""


_UNSPACED: Final = re.compile(
    f"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff{KANA}{HAN}\uf900-\ufaff\U00020000-\U0003ffff]"
)
_WORD: Final = re.compile(r"[^\W_]+")
_FEW: Final = 16
"""Different signs up to which it is faster to look for each of them in the whole text."""


def text_to_index(article: Article) -> str:
    """The text of an article as its documents have it, with the captions and the names of those who
    posted, which plain text leaves out."""
    captions = (image.caption for image in article.images)
    names = (block.author for block in article.blocks if isinstance(block, Post))
    return "\n\n".join(filter(None, (plain_text(article.blocks), *captions, *names)))


def fold_text(text: str) -> str:
    """A text as it is indexed.

    >>> fold_text("Ärger über 海鷗, and/or not")
    'arger uber 海 鷗 and or not'
    """
    plain = _drop_accents(text[: limits.SEARCHED_LENGTH].casefold())
    return " ".join(_WORD.findall(_UNSPACED.sub(r" \g<0> ", plain)))


def _drop_accents(text: str) -> str:
    """A text without combining signs, which are looked for among its different characters: calling
    Python for each character takes longer than all the rest."""
    plain = unicodedata.normalize("NFKD", text)
    accents = [sign for sign in set(plain) if unicodedata.combining(sign)]
    if len(accents) > _FEW:
        plain = plain.translate(dict.fromkeys(map(ord, accents)))
    else:
        for sign in accents:
            plain = plain.replace(sign, "")
    return unicodedata.normalize("NFC", plain)


def read_query(text: str) -> WordQuery:
    """The phrases in a query: words, and texts in quotation marks.

    >>> read_query('ferries "the last"  海鷗')
    [['ferries'], ['the', 'last'], ['海', '鷗']]
    """
    parts = re.findall(r'"([^"]*)"|(\S+)', text)
    phrases = [fold_text(quoted or single).split() for quoted, single in parts]
    return [phrase for phrase in phrases if phrase][: limits.SEARCHED_WORDS]


def may_go_on(query: WordQuery) -> bool:
    """Whether the last word may be incomplete, because somebody is still typing; a phrase must
    match as it is."""
    return bool(query) and len(query[-1]) == 1
