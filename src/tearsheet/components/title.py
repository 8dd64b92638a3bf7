"""The title of an article.

J. Fan, P. Luo et al., "Article Clipper – a system for web article extraction", KDD 2011, §2.3:
candidates by two rules of position and font, then the one with the highest score

    Q = (m + λ) · β^(7-h) · (0.1 + α)^ω · f

where m is the similarity to `<title>` by Levenshtein distance, h the level of the heading (7 if it
is none), α the alignment with the main text and f the font size in points.

Deviations:
1. On a page that was only parsed, font sizes are those of HTML's default style sheet, "above the
   top quarter" is counted in characters of the main text, and the factor with α is left out.
2. The similarity m is the best one to `<title>`, `og:title` and JSON-LD's `headline`, each with and
   without the site's name, because today's `<title>` is often written for search engines. What
   stands before the first separator of `<title>` counts, too, if nothing else is declared.
3. A heading of several lines is one candidate; the name of the site is no candidate.
4. In the cases that `_choose` lists, what the page declares wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from tearsheet.addresses import address_host, site_name
from tearsheet.components._compare import fold, only_letters, similarity, word_set
from tearsheet.components._head import Head
from tearsheet.features.headings import heading_text
from tearsheet.json_ld import node_types
from tearsheet.segments import rows_within
from tearsheet.tags import CODES, HEADINGS, mask
from tearsheet.types import Layout, Page, Segments, Verdict
from tearsheet.writing import drop_widthless, unescape

_NAV: Final = CODES["nav"]
_BOLD: Final = mask("b", "strong")
LAMBDA: Final = 0.5
BETA: Final = 1.15
OMEGA: Final = 2
NO_HEADING: Final = 7
TOP_QUARTER: Final = 0.25
BOLD: Final = 600
"""Least font weight of bold text."""
TEXT_POINTS: Final = 12.0
HEADING_POINTS: Final = (24.0, 18.0, 14.04, 12.0, 9.96, 8.04)
"""Points of h1 to h6 by HTML §15.3.7 for text of 12 points."""
POINTS_PER_PIXEL: Final = 0.75
UNLIKE: Final = 0.7
"""Similarity to the declared title below which a heading other than h1 is another text."""
_WHOLE: Final = 1_000
"""Characters of a declared title that are read: an unclosed `<title>` holds the whole page."""
_KICKER: Final = re.compile(
    r' class="[^"]*(?:kicker|overline|eyebrow|topline|dachzeile|roofline|surtitle|super-?title|'
    r"over-?title|pre-?title|pre-?headline|spitzmarke)",
    re.I,
)
_AFTER_KICKER: Final = " -–—:|·•"
_FEWEST_WORDS: Final = 3
"""Fewest words before a separator in `<title>` that are a title, not a label."""
_LONGEST: Final = 300  # most characters of a title
_MOST: Final = 60  # candidates that are scored

_LOOSE: Final = re.compile(r"^[|\-–—·•]+\s+|\s+[|\-–—·•]+$")
"""A separator at either end of a title, left over from a missing name."""
# Separators between the title and the name of the site.
_SEPARATOR: Final = re.compile(
    r"\s+[|\-–—·•»«›‹:/~<>]{1,2}\s+|\s*[|｜ㅣ]\s*|\s*：\s*|,\s+|\s[–—-]|[–—-]\s"
)
_STRONG_SEPARATOR: Final = re.compile(r"\s+[|\-–—·•»«›]{1,2}\s+|\s*[|｜ㅣ]\s*")


@dataclass(frozen=True, slots=True)
class Title:
    text: str
    rule: str
    row: int = -1
    """The heading on the page; -1 if the title is only in the head."""


@dataclass(frozen=True, slots=True)
class Candidate:
    text: str
    row: int
    level: int
    """1 to 6; 7: not a heading."""
    points: float
    alignment: float | None
    """α; None if the page was not rendered."""


def find_title(page: Page, segments: Segments, verdict: Verdict, head: Head) -> Title:
    """The title, its rule, and the row of its heading."""
    best, claims = weigh_headings(page, segments, verdict, head)
    title = _choose(page, best, claims)
    return title if title.row >= 0 else _cut_to_line(title, segments, verdict)


def find_literal_title(page: Page, segments: Segments, verdict: Verdict) -> Title:
    """The title by the letter of the paper: the candidate with the highest Q, where m looks at
    `<title>` alone."""
    declared = next((page.inner_text(row) for row in page.rows(CODES["title"])), "")
    targets = {fold(clean_text(declared[:_WHOLE]))} - {""}
    best = _best_candidate(iter(candidates(page, segments, verdict)), targets)
    return Title(best.text, f"heading h{best.level}", best.row) if best else Title("", "")


def weigh_headings(
    page: Page, segments: Segments, verdict: Verdict, head: Head
) -> tuple[Candidate | None, list[tuple[str, str]]]:
    """The best heading, and the titles that the page declares: (rule, text)."""
    sites = site_names(page, head)
    raw = _declared_titles(page, head)
    claims = _claims(raw, sites)
    begin = _STRONG_SEPARATOR.split(raw[-1], maxsplit=1)[0]
    begins = (begin,) if len(begin.split()) >= _FEWEST_WORDS and not any(raw[:-1]) else ()
    targets = {fold(text) for text in (*raw, *begins, *(text for _, text in claims)) if text}
    found = (c for c in candidates(page, segments, verdict) if only_letters(c.text) not in sites)
    return _best_candidate(found, targets), claims


def _best_candidate(found: Iterator[Candidate], targets: set[str]) -> Candidate | None:
    """The candidate with the highest Q. Those that could not win even with m = 1 are skipped."""
    best, best_score = None, 0.0
    for candidate in sorted(found, key=weight, reverse=True)[:_MOST]:
        if (1 + LAMBDA) * weight(candidate) <= best_score:
            break
        q = score(candidate, targets)
        if q > best_score:
            best, best_score = candidate, q
    return best


def score(candidate: Candidate, targets: set[str]) -> float:
    """Q of the paper, with the best m over the (folded) titles that the page declares.

    >>> c = Candidate("News of today", 0, level=1, points=24, alignment=1.0)
    >>> round(score(c, {"news of today"}), 3)  # 1.5 · 1.15^6 · 1.1² · 24
    100.757
    """
    name = fold(candidate.text)
    m = 1.0 if name in targets else max((similarity(name, t) for t in targets), default=0.0)
    return (m + LAMBDA) * weight(candidate)


def weight(candidate: Candidate) -> float:
    """Q without its first factor: β^(7-h) · (0.1 + α)^ω · f."""
    q = float(BETA ** (NO_HEADING - candidate.level) * candidate.points)
    return q if candidate.alignment is None else q * (0.1 + candidate.alignment) ** OMEGA


def candidates(page: Page, segments: Segments, verdict: Verdict) -> list[Candidate]:
    """The headings and bold lines that may be the title, by the paper's two rules."""
    if page.layout is not None and verdict.keep.any():
        return list(_candidates_by_layout(page, segments, verdict))
    return list(_candidates_by_tags(page, segments, verdict))


def _candidates_by_tags(page: Page, segments: Segments, verdict: Verdict) -> Iterator[Candidate]:
    last = _first_quarter_end(segments, verdict)
    for row in _headings(page):
        level = page.tag.item(row) - CODES["h1"] + 1
        points = HEADING_POINTS[level - 1]
        if row <= last and points >= TEXT_POINTS and _is_visible(segments, row, page.end.item(row)):
            text = clean_text(heading_text(page, row))
            yield from _make_candidate(text, row, level, points, None)
    bold = np.flatnonzero(_BOLD[page.tag[: last + 1]])
    lines = np.minimum(np.searchsorted(segments.first, bold + 1), len(segments) - 1)
    alone = (segments.first[lines] == bold + 1) & (segments.last[lines] < page.end[bold])
    for row, line in zip(bold[alone].tolist(), lines[alone].tolist()):
        yield from _make_candidate(segments.text[line], row, NO_HEADING, TEXT_POINTS, None)


def _headings(page: Page) -> list[int]:
    """The headings outside of menus: the last item of a breadcrumb trail may be one."""
    rows: list[int] = np.flatnonzero(
        HEADINGS[page.tag] & ~rows_within(page, page.tag == _NAV)
    ).tolist()
    return rows


def _first_quarter_end(segments: Segments, verdict: Verdict) -> int:
    """The row where the first quarter of the main text ends; without a text, the last row."""
    kept = np.flatnonzero(verdict.keep)
    if not len(kept):
        return int(segments.last[-1]) if len(segments) else -1
    total = np.cumsum(segments.chars[kept])
    return int(segments.last[kept[np.searchsorted(total, TOP_QUARTER * total[-1])]])


def _is_visible(segments: Segments, row: int, end: int) -> bool:
    """Whether the rows have visible text."""
    i = int(segments.last.searchsorted(row))
    return i < len(segments) and segments.first.item(i) < end


def _make_candidate(
    text: str, row: int, level: int, points: float, alignment: float | None
) -> Iterator[Candidate]:
    if 1 < len(text) <= _LONGEST and only_letters(text):
        yield Candidate(text, row, level, points, alignment)


def _candidates_by_layout(page: Page, segments: Segments, verdict: Verdict) -> Iterator[Candidate]:
    at = page.layout
    assert at is not None
    left, top, right, bottom, size = main_region(page, segments, verdict)
    limit = top + TOP_QUARTER * (bottom - top)
    tops = _heading_above(page)
    done: set[int] = set()
    for i in range(len(segments)):
        row = int(segments.first[i])
        heading = int(tops[row])
        place = heading if heading >= 0 else row
        if place in done or not at.visible[row]:
            continue
        done.add(place)
        level = int(page.tag[heading]) - CODES["h1"] + 1 if heading >= 0 else NO_HEADING
        font = float(at.font_size[row])
        bold = _is_all_bold(page, at, row, int(segments.last[i]))
        if at.x0[row] > (left + right) / 2 or at.y0[row] > limit:
            continue
        if font < size or (font == size and heading < 0 and not bold):
            continue
        text = heading_text(page, heading) if heading >= 0 else segments.text[i]
        alpha = _alignment(float(at.x0[place]), float(at.x1[place]), left, right)
        yield from _make_candidate(text, place, level, font * POINTS_PER_PIXEL, alpha)


def _is_all_bold(page: Page, at: Layout, first: int, last: int) -> bool:
    """Whether all text that these rows show is bold (§2.3)."""
    rows = [row for row in range(first, last + 1) if at.visible[row] and page.text[row].strip()]
    return bool((at.font_weight[rows] >= BOLD).all())


def main_region(
    page: Page, segments: Segments, verdict: Verdict
) -> tuple[float, float, float, float, float]:
    """Left, top, right and bottom of the kept text on a rendered page, and its font size.

    The size is the most frequent one in characters (§2.2.2); left and right are of that text.
    """
    at = page.layout
    assert at is not None
    rows = segments.first[verdict.keep]
    chars = segments.chars[verdict.keep]
    sizes, which = np.unique(at.font_size[rows], return_inverse=True)
    size = float(sizes[np.argmax(np.bincount(which, weights=chars))])
    body = rows[at.font_size[rows] == size]
    return (
        float(at.x0[body].min()),
        float(at.y0[rows].min()),
        float(at.x1[body].max()),
        float(at.y1[rows].max()),
        size,
    )


def _alignment(x0: float, x1: float, left: float, right: float) -> float:
    """α = 1 - min(dl, dc) / w: by the left edges or by the centres, whichever fits better."""
    width = max(right - left, 1.0)
    off = min(abs(x0 - left), abs((x0 + x1) / 2 - (left + right) / 2))
    return max(0.0, 1 - off / width)


def _heading_above(page: Page) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """For each row: the heading around it; -1: none."""
    above = np.full(len(page), -1, dtype=np.int32)
    for row in _headings(page):
        above[row : page.end[row]] = row
    return above


def site_names(page: Page, head: Head) -> dict[str, str]:
    """The names of the site and its sections, by their letters: `{"thedailyx": "The Daily X"}`."""
    names = [head.first("og:site_name")[0], head.first("application-name")[0]]
    names += (value for value in head.meta.get("apple-mobile-web-app-title", ()))
    for node in head.nodes:
        if {"WebSite", "Organization", "NewsMediaOrganization"}.intersection(node_types(node)):
            names.append(str(node.get("name") or ""))
    names += head.meta.get("article:section", ())
    section = head.article.get("articleSection")
    names += [str(name) for name in (section if isinstance(section, list) else [section]) if name]
    host = address_host(page.url)
    site = site_name(page.url)
    names += [host, site, *site.split(".")[:-1]]
    return {key: name for name in names if (key := only_letters(unescape(name)))}


def _declared_titles(page: Page, head: Head) -> tuple[str, str, str]:
    headline = head.article.get("headline") or ""
    in_head = next((page.inner_text(row) for row in page.rows(CODES["title"])), "")
    in_meta = head.first("og:title", "twitter:title")[0]
    headline, in_meta, in_head = (clean_text(str(t)[:_WHOLE]) for t in (headline, in_meta, in_head))
    return headline, in_meta, in_head


def clean_text(text: str) -> str:
    """A text without entities (some are escaped twice), widthless characters and extra spaces."""
    return " ".join(drop_widthless(unescape(text)).split())


def _claims(raw: tuple[str, str, str], sites: dict[str, str]) -> list[tuple[str, str]]:
    """The titles that the page declares, without the name of the site: (rule, text)."""
    names = ("json-ld headline", "og:title", "title element")
    found = ((name, without_tail(without_site(text, sites))) for name, text in zip(names, raw))
    return [(name, text) for name, text in found if text]


def without_site(text: str, sites: dict[str, str]) -> str:
    """The title without the name of the site or of a section at its end or beginning.

    >>> without_site("A storm is coming - Weather | The Daily X", {"thedailyx": "The Daily X"})
    'A storm is coming - Weather'
    """
    cuts = list(_SEPARATOR.finditer(text))
    ends = len(text)
    for cut in reversed(cuts):
        if only_letters(text[cut.end() : ends]) in sites:
            ends = cut.start()
    if ends < len(text):
        return text[:ends].strip()
    for cut in reversed(cuts):
        if only_letters(text[: cut.start()]) in sites:
            return text[cut.end() :].strip()
    return text


def _choose(page: Page, best: Candidate | None, claims: list[tuple[str, str]]) -> Title:
    """The best heading, or a declared title if

    1. there is no heading, or it shares no word with a declared title, or it is no h1 and not
       similar to the declared title;
    2. the declared title is the end of the heading, in an element of its own;
    3. two declared titles agree, and differ from the heading by punctuation or a kicker only;
    4. the heading has several elements, and the declared title has punctuation between them.

    A heading that equals no declared title loses an element in it with a name for kickers.
    """
    agreed = _find_agreement(claims)
    if best is None or _is_other_text(best, claims):
        headline = next((c for c in claims if c[0].startswith("json-ld")), None)
        return Title(headline[1], headline[0]) if headline else agreed or _first_claim(claims)
    for rule, text in claims:
        if text != best.text and _has_own_element(page, best.row, text):
            return Title(text, f"{rule}, as a part of the heading", best.row)
    if agreed and fold(agreed.text) != fold(best.text) and _is_same_title(agreed.text, best):
        return Title(agreed.text, f"{agreed.rule}, for the heading", best.row)
    whole = only_letters(best.text)
    if claim := next((c for c in claims if only_letters(c[1]) == whole), None):
        if _has_parts(page, best.row):
            return Title(claim[1], f"{claim[0]}, for the heading", best.row)
    elif title := _without_kicker(page, best.row):
        return Title(title, f"heading h{best.level}, without its kicker", best.row)
    return Title(without_tail(best.text), f"heading h{best.level}", best.row)


def _cut_to_line(title: Title, segments: Segments, verdict: Verdict) -> Title:
    """A declared title, cut to its longest part that is a line of the page."""
    cuts = list(_SEPARATOR.finditer(title.text))
    if not cuts or not len(segments):
        return title
    last = int(np.searchsorted(segments.first, _first_quarter_end(segments, verdict), side="right"))
    lines = {only_letters(segments.text[i]): i for i in reversed(range(last))}
    parts = [title.text[: cut.start()] for cut in cuts] + [title.text[cut.end() :] for cut in cuts]
    for part in sorted(parts, key=len, reverse=True):
        line = lines.get(only_letters(part))
        if line is not None and only_letters(part):
            rule = f"{title.rule}, as a line of the page"
            return Title(part.strip(), rule, int(segments.first[line]))
    return title


def _find_agreement(claims: list[tuple[str, str]]) -> Title | None:
    """The title that two declarations agree on, letter by letter."""
    for i, (rule, text) in enumerate(claims):
        for other, same in claims[i + 1 :]:
            if fold(text) == fold(same):
                return Title(text, f"{rule} and {other}")
    return None


def _first_claim(claims: list[tuple[str, str]]) -> Title:
    return Title(claims[0][1], claims[0][0]) if claims else Title("", "")


def _is_other_text(best: Candidate, claims: list[tuple[str, str]]) -> bool:
    """Whether the heading is something else than the declared titles."""
    if not claims:
        return False
    mine = word_set(best.text)
    if best.level == 1:
        return not any(
            mine & word_set(text) or only_letters(best.text) in only_letters(text)
            for _, text in claims
        )
    name = fold(best.text)
    return max(similarity(name, fold(text)) for _, text in claims) < UNLIKE


def _has_own_element(page: Page, row: int, text: str) -> bool:
    """Whether the heading ends with this text, and an element begins where the text begins."""
    wanted, found = only_letters(text), ""
    for at in range(int(page.end[row]) - 1, row, -1):
        found = only_letters(page.text[at]) + found
        if found == wanted:
            return only_letters(page.inner_text(row)) != wanted
        if len(found) > len(wanted):
            return False
    return False


def _has_parts(page: Page, row: int) -> bool:
    """Whether several elements make up a heading: punctuation between them is lost."""
    rows = (at for at in range(row, int(page.end[row])) if page.text[at].strip())
    return len({int(page.parent[at]) for at in rows}) > 1


def _without_kicker(page: Page, row: int) -> str:
    """The text of a heading after its kicker, an element with such a name; empty: it has none."""
    for at in range(row + 1, int(page.end[row])):
        if page.attrs[at] and _KICKER.search(page.attrs[at]):
            rest = page.text[page.end[at] : page.end[row]]
            return clean_text("".join(rest)).lstrip(_AFTER_KICKER)
    return ""


def _is_same_title(declared: str, best: Candidate) -> bool:
    """Whether the two differ only in punctuation, or by a kicker or a date before the title."""
    a, b = only_letters(declared), only_letters(best.text)
    if a == b or (best.level > 1 and a in b):
        return True
    if a.endswith(b):
        return declared[: len(declared) - len(best.text)].rstrip().endswith(":")
    kicker = best.text[: len(best.text) - len(declared)].rstrip()
    return b.endswith(a) and (kicker.endswith(":") or any(c.isdigit() for c in kicker))


def without_tail(text: str) -> str:
    """The title up to a vertical bar: what follows is never a part of it. Nor is a separator at its
    end.

    >>> without_tail("A storm is coming - ")
    'A storm is coming'
    """
    head = text.split(" | ")[0].strip()
    return _LOOSE.sub("", head if " " in head else text.strip())
