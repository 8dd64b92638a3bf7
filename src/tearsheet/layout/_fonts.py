"""Font families by language, the best that systems have first. Nothing is ever fetched."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeAlias

Family: TypeAlias = str | dict[str, str]

# Latin letters and figures inside Chinese, Japanese and Korean text; its quotes stay theirs.
_LATIN: Final[Family] = {"name": "Libertinus Serif", "covers": "latin-in-cjk"}
_LATIN_SANS: Final[Family] = {"name": "Noto Sans", "covers": "latin-in-cjk"}

_SERIF: Final[dict[str, tuple[Family, ...]]] = {
    "": ("Libertinus Serif", "Noto Serif", "Noto Naskh Arabic", "Noto Serif CJK SC"),
    "zh": (_LATIN, "Noto Serif CJK SC", "Source Han Serif SC", "Songti SC", "SimSun"),
    "zh-TW": (_LATIN, "Noto Serif CJK TC", "Source Han Serif TC", "Songti TC", "PMingLiU"),
    "zh-HK": (_LATIN, "Noto Serif CJK HK", "Source Han Serif HC", "Songti TC"),
    "ja": (_LATIN, "Noto Serif CJK JP", "Source Han Serif", "Hiragino Mincho ProN", "Yu Mincho"),
    "ko": (_LATIN, "Noto Serif CJK KR", "Source Han Serif K", "AppleMyungjo", "Batang"),
    "ar": ("Noto Naskh Arabic", "Amiri", "Geeza Pro", "Traditional Arabic", "Libertinus Serif"),
    "ur": ("Noto Nastaliq Urdu", "Noto Naskh Arabic", "Libertinus Serif"),
    "he": ("Noto Serif Hebrew", "Libertinus Serif"),
    "hi": ("Noto Serif Devanagari", "Noto Sans Devanagari", "Libertinus Serif"),
    "th": ("Noto Serif Thai", "Noto Sans Thai", "Libertinus Serif"),
}
_SANS: Final[dict[str, tuple[Family, ...]]] = {
    "": ("Noto Sans", "Helvetica Neue", "Arial", "Liberation Sans", "Noto Sans Arabic"),
    "zh": (_LATIN_SANS, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei"),
    "zh-TW": (_LATIN_SANS, "Noto Sans CJK TC", "PingFang TC", "Microsoft JhengHei"),
    "zh-HK": (_LATIN_SANS, "Noto Sans CJK HK", "PingFang HK"),
    "ja": (_LATIN_SANS, "Noto Sans CJK JP", "Hiragino Sans", "Yu Gothic"),
    "ko": (_LATIN_SANS, "Noto Sans CJK KR", "Apple SD Gothic Neo", "Malgun Gothic"),
    "ar": ("Noto Sans Arabic", "Geeza Pro", "Tahoma", "Noto Sans"),
    "he": ("Noto Sans Hebrew", "Noto Sans", "Arial"),
}
_LIKE: Final = {
    "fa": "ar", "ps": "ar", "ug": "ar", "sd": "ar", "ckb": "ar", "yi": "he", "iw": "he",
    "mr": "hi", "ne": "hi", "sa": "hi",
}  # fmt: skip


# Scripts that many systems have no font for: its letters, what the names of its fonts hold, and
# the package of Debian and Ubuntu that has one.
_SCRIPTS: Final = (
    ("Chinese or Japanese", "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff",
     "CJK|Han S|Songti|SimSun|MingLiU|Hiragino|Yu Mincho|Yu Gothic|PingFang|YaHei|WenQuanYi|IPA",
     "fonts-noto-cjk"),
    ("Korean", "\u1100-\u11ff\uac00-\ud7af",
     "CJK|Han S|AppleMyungjo|Batang|Gothic Neo|Malgun|Nanum", "fonts-noto-cjk"),
    ("Arabic", "\u0620-\u06ff\u0750-\u077f",
     "Arab|Naskh|Nastaliq|Amiri|Geeza|Tahoma|Arial|DejaVu Sans", "fonts-noto-core"),
    ("Hebrew", "\u05d0-\u05ea", "Hebrew|Arial|DejaVu Sans|Libertinus Serif", "fonts-noto-core"),
    ("Devanagari", "\u0904-\u0939", "Devanagari|Mangal|Kohinoor|Lohit", "fonts-noto-core"),
    ("emoji", "\U0001f641-\U0001f644\U0001f680-\U0001f6ff\U0001f900-\U0001faff",
     "Emoji|Symbola", "fonts-noto-color-emoji"),
    ("Thai", "\u0e01-\u0e3a", "Thai|Thonburi|Tahoma|Leelawadee|Loma", "fonts-noto-core"),
)  # fmt: skip


def missing_scripts(text: str, families: Iterable[str]) -> list[str]:
    """The fonts to install for those scripts of a text that no font of the machine has.

    >>> missing_scripts("高山 and some words", ["Libertinus Serif"])
    ['no font for Chinese or Japanese, so empty boxes stand for it: apt install fonts-noto-cjk']
    >>> missing_scripts("高山 and some words", ["Noto Serif CJK SC"])
    []
    """
    names = "\n".join(families)
    return [
        f"no font for {script}, so empty boxes stand for it: apt install {package}"
        for script, letters, known, package in _SCRIPTS
        if re.search(f"[{letters}]", text) and not re.search(known, names)
    ]


def serif(language: str, chosen: str = "") -> list[Family]:
    """The families for text; the reader's choice first."""
    return [*([chosen] if chosen else []), *_look_up(_SERIF, language)]


def sans(language: str) -> list[Family]:
    """The families for captions, tables and what stands in the margins."""
    return list(_look_up(_SANS, language))


def mono(language: str) -> list[Family]:
    script = {"zh": "SC", "ja": "JP", "ko": "KR"}.get(language.split("-")[0], "SC")
    return ["DejaVu Sans Mono", "Noto Sans Mono", f"Noto Sans Mono CJK {script}"]


def _look_up(table: dict[str, tuple[Family, ...]], language: str) -> tuple[Family, ...]:
    first, *rest = language.split("-")
    first = _LIKE.get(first.lower(), first.lower())
    region = next((part.upper() for part in rest if len(part) == 2), "")
    if first == "zh" and not region:
        region = "TW" if "Hant" in rest else ""
    return table.get(f"{first}-{region}") or table.get(first) or table[""]
