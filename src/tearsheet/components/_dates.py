"""Dates as people and programs write them → ISO 8601.

>>> read_date("4 septembre 2025 à 10h"), read_date("Sept. 4th, 2025"), read_date("2025年9月4日")
('2025-09-04', '2025-09-04', '2025-09-04')
>>> read_date("2025-09-04T07:30:00.000Z"), read_date("04/09/2025"), read_date("no date")
('2025-09-04T07:30:00+00:00', '2025-09-04', None)
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import UTC, date, datetime
from functools import cache
from typing import Final

from tearsheet import languages

FIRST_YEAR: Final = 1990
LAST_YEAR: Final = 2100

_ISO: Final = re.compile(
    r"(?<!\d)(\d{4})-(\d\d?)-(\d\d?)(?:[T ](\d\d:\d\d(?::\d\d)?(?:\.\d+)?)\s*(Z|[+-]\d\d:?\d\d)?)?",
    re.I,
)
_BASIC: Final = re.compile(r"^(\d{4})(\d\d)(\d\d)(?:T?\d{4,6}Z?)?$")
_EPOCH: Final = re.compile(r"^\d{10}(?:\d{3})?$")
_YEAR_FIRST: Final = re.compile(r"(?<!\d)(\d{4})\s*[./年년]\s*(\d\d?)\s*[./月월]\s*(\d\d?)(?!\d)")
_YEAR_MONTH_NAME: Final = re.compile(r"(?<!\d)(\d{4})\s([^\W\d_]{3,14})\.?\s(\d\d?)(?!\d)")
_YEAR_LAST: Final = re.compile(r"(?<!\d)(\d\d?)\s?([./-])\s?(\d\d?)\s?\2\s?(\d{4})(?!\d)")
_DAY_MONTH: Final = re.compile(
    r"(?<!\d)(\d\d?)(?:\.|er|º|°|st|nd|rd|th)?\s*(?:de |of |of the )?([^\W\d_]{3,14})\.?,?"
    r"\s*(?:de |del )?(\d{4})(?!\d)"
)
_MONTH_DAY: Final = re.compile(r"([^\W\d_]{3,14})\.?\s+(\d\d?)(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)")


def read_date(text: str, *, month_first: bool = False) -> str | None:
    """The first date in a text as ISO 8601; with its time if that is ISO 8601 already."""
    text = text.strip()
    if found := _ISO.search(text):
        return _read_iso(*found.groups())
    if found := _BASIC.match(text):
        return _iso_day(*found.groups())
    if _EPOCH.match(text):
        return datetime.fromtimestamp(int(text[:10]), UTC).isoformat()
    return _read_words(text, month_first)


def _read_iso(year: str, month: str, day: str, time: str | None, zone: str | None) -> str | None:
    when = _iso_day(year, month, day)
    if when is None or time is None:
        return when
    zone = "+00:00" if zone and zone in "Zz" else zone or ""
    try:
        return datetime.fromisoformat(f"{when}T{time.split('.')[0]}{zone}").isoformat()
    except ValueError:
        return when


def _read_words(text: str, month_first: bool) -> str | None:
    if found := _YEAR_FIRST.search(text):
        return _iso_day(*found.groups())
    for match in _DAY_MONTH.finditer(text):
        if month := month_numbers().get(match[2].casefold()):
            return _iso_day(match[3], month, match[1])
    for match in _MONTH_DAY.finditer(text):
        if month := month_numbers().get(match[1].casefold()):
            return _iso_day(match[3], month, match[2])
    if (found := _YEAR_MONTH_NAME.search(text)) and (
        number := month_numbers().get(found[2].casefold())
    ):
        return _iso_day(found[1], number, found[3])
    if found := _YEAR_LAST.search(text):
        first, _, second, year = found.groups()
        if (month_first and int(first) <= 12) or int(second) > 12:
            return _iso_day(year, first, second)
        return _iso_day(year, second, first)
    return None


def _iso_day(year: str, month: str | int, day: str) -> str | None:
    if not FIRST_YEAR <= int(year) <= LAST_YEAR:
        return None
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


@cache
def month_numbers() -> dict[str, int]:
    """The number of each month by its name, and by its first letters where most languages agree."""
    votes: dict[str, Counter[int]] = defaultdict(Counter)
    for names in languages.months():
        for number, several in enumerate(names, 1):
            for name in several.casefold().split(" | "):
                for key in {name, name[:3], name[:4]}:
                    votes[key][number] += 1
    ranked = {key: count.most_common() for key, count in votes.items()}
    return {k: r[0][0] for k, r in ranked.items() if len(r) == 1 or r[0][1] > r[1][1]}
