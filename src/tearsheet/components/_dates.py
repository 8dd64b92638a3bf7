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

FIRST_YEAR: Final = 1990
LAST_YEAR: Final = 2100

# One line a language, January to December; Danish, Malay and others share names with a neighbour.
_MONTHS: Final = """
january february march april may june july august september october november december
januar februar märz april mai juni juli august september oktober november dezember
jänner feber marts april maj juni juli august september oktober november december
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar mars april mai juni juli august september oktober november desember
janúar febrúar mars apríl maí júní júlí ágúst september október nóvember desember
tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
ledna února března dubna května června července srpna září října listopadu prosince
január február március április május június július augusztus szeptember október november december
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
januari februari maret april mei juni juli agustus september oktober november desember
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर
"""  # noqa: E501

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
    """The first date in the text, with its time where that is written as programs do."""
    text = text.strip()
    if found := _ISO.search(text):
        return _timed(*found.groups())
    if found := _BASIC.match(text):
        return _day(*found.groups())
    if _EPOCH.match(text):
        return datetime.fromtimestamp(int(text[:10]), UTC).isoformat()
    return _written(text, month_first)


def _timed(year: str, month: str, day: str, time: str | None, zone: str | None) -> str | None:
    when = _day(year, month, day)
    if when is None or time is None:
        return when
    zone = "+00:00" if zone and zone in "Zz" else zone or ""
    try:
        return datetime.fromisoformat(f"{when}T{time.split('.')[0]}{zone}").isoformat()
    except ValueError:
        return when


def _written(text: str, month_first: bool) -> str | None:
    if found := _YEAR_FIRST.search(text):
        return _day(*found.groups())
    for match in _DAY_MONTH.finditer(text):
        if month := months().get(match[2].casefold()):
            return _day(match[3], month, match[1])
    for match in _MONTH_DAY.finditer(text):
        if month := months().get(match[1].casefold()):
            return _day(match[3], month, match[2])
    if (found := _YEAR_MONTH_NAME.search(text)) and (number := months().get(found[2].casefold())):
        return _day(found[1], number, found[3])
    if found := _YEAR_LAST.search(text):
        first, _, second, year = found.groups()
        if (month_first and int(first) <= 12) or int(second) > 12:
            return _day(year, first, second)
        return _day(year, second, first)
    return None


def _day(year: str, month: str | int, day: str) -> str | None:
    if not FIRST_YEAR <= int(year) <= LAST_YEAR:
        return None
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


@cache
def months() -> dict[str, int]:
    """The number of a month by its name, and by three or four letters if languages agree on it."""
    votes: dict[str, Counter[int]] = defaultdict(Counter)
    for line in _MONTHS.strip().casefold().splitlines():
        for number, name in enumerate(line.split(), 1):
            for key in {name, name[:3], name[:4]}:
                votes[key][number] += 1
    ranked = {key: count.most_common() for key, count in votes.items()}
    return {k: r[0][0] for k, r in ranked.items() if len(r) == 1 or r[0][1] > r[1][1]}
