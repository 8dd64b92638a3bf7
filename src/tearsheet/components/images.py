"""The pictures of an article and their captions.

J. Fan, P. Luo et al., "Article Clipper – a system for web article extraction", KDD 2011, §2.4:
pictures of at least 50 pixels in the region of text and title, without the word "advertisement"
close by. A caption is not body text, not in a larger font and not all link, and is found by three
layouts in order: in one frame with the picture, below it within two lines, or to its right.

Deviations:
1. On a page that was only parsed, the region is the element around title and text; on a drawn one
   the box around them, and what that element has above or below it. Without layout, tags replace
   layouts: the frame is `<figure>`, or the largest element around the picture without body text;
   "below" is the next line of text in it.
2. `<figcaption>` and elements with a name for captions come before the three layouts: the
   publisher's word beats a guess. This finds captions that are links or look like the text.
3. A picture that links to another article, with the title of that article beside it, is a teaser.
4. The part that names the photographer is the credit, not part of the caption.
5. On a rendered page, text on the picture is a caption too, and so is, last, text right above it in
   an element with nothing else. A picture that the browser could not load has its declared size.
6. One that is drawn smaller than 100 pixels both ways is an icon, unless it stands in a figure or
   in a cell of a table.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from typing import Final

import numpy as np

from tearsheet.addresses import address_path, join_address
from tearsheet.components import _caption_layout, _caption_search, caption_lines
from tearsheet.components._compare import fold, only_letters, split_camel_case
from tearsheet.components._wording import says_advertisement
from tearsheet.components.image_sources import (
    ImageSource,
    declared_size,
    has_lazy_file,
    is_blurred,
    is_file,
    picture_key,
    read_image_source,
    read_lone_copy,
)
from tearsheet.features.tex import read_image_tex
from tearsheet.segments import find_texts, rows_within
from tearsheet.tags import CODES, HEADINGS, mask
from tearsheet.types import Bools, Box, Image, Ints, Page, Segments, Verdict

SMALLEST: Final = 50
"""Least width and height in pixels (§2.4)."""
DRAWING: Final = 100
"""Least width in pixels of a vector file, or of one side as drawn, without a figure around it."""
STRIP: Final = (200, 24)
"""Least width and height in pixels of a picture that stands alone between lines of the text."""
OTHER_TEXT: Final = 300
"""Most characters of other text (byline, tools) in the element around an article."""

_ARTICLE: Final = 0.5  # share from which a page is no list
_ENTRY: Final = 40  # most rows between a picture and the title of its entry
_TEASER: Final = 20  # fewest characters of a link that is a title
_HEADING_LENGTH: Final = 4_000  # characters of a heading that may be the title
_OWN: Final = 6  # elements around a picture that may hold only it and its caption
_LONGEST_BY_PLACE: Final = 300  # characters: the longest caption that is known by its place alone
_LARGEST_ASIDE: Final = 0.25  # share: an element with more of the body text is no aside
_RATIOS: Final = frozenset(((16, 9), (4, 3), (3, 2)))
_BANNERS: Final = frozenset((
    (468, 60), (728, 90), (970, 90), (970, 250), (300, 250), (336, 280), (250, 250), (320, 50),
    (320, 100), (234, 60), (120, 240), (120, 600), (160, 600), (300, 600), (125, 125), (200, 200),
))  # fmt: skip
"""Sizes of advertisements in pixels (Interactive Advertising Bureau)."""
_IMAGE_NAME: Final = re.compile(r"img|image\b|picture|photo|hero|cover", re.I)
_NAMES: Final = re.compile(r' (?:class|id|role)="([^"]*)"')
_A, _IMG, _TD = CODES["a"], CODES["img"], CODES["td"]
_FIGURE, _FIGCAPTION, _NOSCRIPT = CODES["figure"], CODES["figcaption"], CODES["noscript"]
_HOLDERS: Final = mask("div", "span", "figure", "a", "section", "header")
"""Elements that programs fill with a picture."""
_ABOUT_IT: Final = re.compile(r"/(?:tags?|topics?|category|categories|keywords?)/")
_APART: Final = mask("nav", "footer", "form", "select", "menu", "aside")
# These search lower-case text, which is faster than to ignore case.
_CHROME: Final = re.compile(
    r"\b(?:avatar\w*|gravatar|authors?|byline|bio|related\w*|recommend\w*|newsletter\w*|"
    r"advert\w*|sponsor\w*|logos?|icons?|emojis?|comments?|outbrain|taboola|breadcrumbs?|cookie\w*|"
    r"paywall|app-?store|badges?|tracking-pixel|jobs)\b"
)
_PLAYER: Final = re.compile(r"\b(?:video|player|audio)\b")
# The article's own pictures have these names, too: they count only if the picture is a link.
_CHROME_IF_LINKED: Final = re.compile(
    r"\b(?:teasers?|promo\w*|widgets?|side-?bar|share|social|popular|latest|banner|most-?read|"
    r"read-?(?:more|also|next)|more-?(?:from|on|stories)|trending|subscri\w*|profile|plug|card)\b"
)
_CHROME_FILE: Final = re.compile(r"(?:^|[/_.-])(?:logo|icon|icons|button|btn|badge)(?:[/_.\d-]|$)")
"""Files that are no pictures if they are small …"""
_NEVER_FILE: Final = re.compile(
    r"(?:^|[/_.-])(?:avatar|gravatar|sprite|favicon|emoji|smiley|tracking|beacon|counter)"
    r"(?:[/_.\d-]|$)|doubleclick|/ads?/|adserver"
)
"""… and those that never are."""
_PERSONAL: Final = re.compile(r' (?:class|id)="[^"]*(?:avatar|signature)', re.I)
"""Pictures that members of a forum add to each of their posts."""
_EDGE: Final = 4.0  # pixels by which a picture may reach beyond the region of the article
_TELLING_NAME: Final = 6  # fewest characters of a file's name that tell the picture
_ZOOM: Final = ("zoom", "lightbox", "fancybox", "gallery", "swipe", "enlarge", "fullscreen")
_LARGER: Final = re.compile(
    r"\.(?:jpe?g|png|webp|gif|avif)(?:$|[?#])|"
    r"/(?:attachment|gallery|galerie|photo|foto|bilder|image|lightbox)"
)


@dataclass(frozen=True, slots=True)
class _Region:
    """Where the article is: the rows from `first` to `end`, and columns with an entry per row."""

    first: int
    end: int
    body: Ints
    """Characters of body text in the element: kept, and neither in figures nor captions."""
    frame: Ints
    """The largest element around the row without body text."""
    apart: Bools
    """Whether the row is in a menu, a form or an aside that does not hold the article."""
    links: Bools
    """Whether most of the element's text, without captions, is links, as in teasers."""
    kept: Bools
    """For each segment, not row: whether it is body text."""
    may_be_list: bool
    """Whether the page may be a list of entries with pictures."""
    box: Box | None
    """The box around title and body text on a drawn page (§2.4); None on a parsed one."""
    anchors: list[int]
    """The rows of the page's links."""
    teasers: dict[int, bool] = field(default_factory=dict)
    """The results of `_is_teaser`, by the row of the element around the picture."""


def find_images(
    page: Page,
    segments: Segments,
    verdict: Verdict,
    title: str = "",
    authors: tuple[str, ...] = (),
) -> tuple[Image, ...]:
    """The pictures of the article in the order of the page.

    The region begins at the heading with the title; portraits of the authors are left out.
    """
    if not verdict.keep.any():
        return ()
    region = _find_region(page, segments, verdict, _find_heading(page, title))
    people = {fold(name) for name in authors}
    found: dict[str, Image] = {}
    for row in _picture_rows(page, region):
        source = _read_source(page, segments, region, row)
        if source is None or (source.alt and fold(source.alt) in people):
            continue
        first = found.get(key := picture_key(source.url))
        is_better = first is None or (is_blurred(first.url) and not is_blurred(source.url))
        if not is_better or _is_beside_article(page, segments, region, row, source):
            continue
        if first is None:
            found[key] = _find_image(page, segments, region, row, source)
        else:
            found[key] = replace(first, url=source.url)
    return tuple(found.values())


def find_literal_images(
    page: Page, segments: Segments, verdict: Verdict, heading: int
) -> tuple[Image, ...]:
    """The pictures of a drawn page by the letter of §2.4, without our deviations.

    `heading` is the row of the title; -1: none. A picture is in the region of title and text if its
    centre is.
    """
    region = _draw_region(page, segments, verdict.keep, heading) if verdict.keep.any() else None
    found: dict[str, Image] = {}
    for row in page.rows(_IMG) if region else []:
        box = page.box(row)
        if box is None or min(box[2] - box[0], box[3] - box[1]) < SMALLEST:
            continue
        assert region is not None
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        if not (region[0] <= x <= region[2] and region[1] <= y <= region[3]):
            continue
        attrs = page.attributes(row)
        picture = read_image_source(page, row, attrs, declared_size(attrs))
        if picture is None or _caption_layout.is_labelled_advertisement(page, segments, row):
            continue
        caption, rule = _caption_layout.find_literal_caption(page, segments, row, verdict.keep)
        image = Image(
            url=picture.url, alt=picture.alt, caption=caption, row=row, box=box, rule=rule
        )
        found.setdefault(picture_key(picture.url), image)
    return tuple(found.values())


def _find_heading(page: Page, title: str) -> int:
    """The row of the heading with the title; -1: none."""
    wanted = only_letters(title)
    rows = np.flatnonzero(HEADINGS[page.tag]).tolist() if wanted else []
    return next(
        (row for row in rows if wanted in only_letters(page.short_text(row, _HEADING_LENGTH))), -1
    )


def _find_region(page: Page, segments: Segments, verdict: Verdict, heading: int) -> _Region:
    caption = _mark_captions(page, segments)
    figures = rows_within(page, page.tag == _FIGURE)[segments.first]
    body = verdict.keep & ~caption & ~figures
    body = body if body.any() else verdict.keep
    first, last = int(segments.first[body][0]), int(segments.last[body][-1])
    chars = _sum_inside(page, segments, segments.chars * body)
    text = _sum_inside(page, segments, segments.chars * ~caption)
    links = _sum_inside(page, segments, segments.link_chars * ~caption)
    start = heading if 0 <= heading <= first else first
    homes = np.maximum(page.parent[segments.block[body]], 0)
    home = int(np.bincount(homes, weights=segments.chars[body]).argmax())
    top = _find_container(page, chars, text, start)
    aside = _APART[page.tag] & (chars / max(int(chars[0]), 1) <= _LARGEST_ASIDE)
    aside[: top + 1] = False
    return _Region(
        first=top,
        end=max(last + 1, int(page.end[home]) if page.tag[home] != CODES["body"] else 0),
        body=chars,
        frame=_find_frames(page, chars, top),
        apart=rows_within(page, aside),
        links=(links >= _TEASER) & (2 * links > text),
        kept=body,
        may_be_list=verdict.page_type.get("article", 0.0) < _ARTICLE,
        box=_draw_region(page, segments, body, heading),
        anchors=page.rows(_A),
    )


def _draw_region(page: Page, segments: Segments, body: Bools, heading: int) -> Box | None:
    """The smallest box around the title and the body text of a drawn page."""
    at = page.layout
    if at is None:
        return None
    rows = np.concatenate((segments.first[body], segments.last[body]))
    rows = np.append(rows, heading) if heading >= 0 else rows
    rows = rows[at.visible[rows]]
    if not len(rows):
        return None
    left, top = float(at.x0[rows].min()), float(at.y0[rows].min())
    return left, top, float(at.x1[rows].max()), float(at.y1[rows].max())


def _find_frames(page: Page, body: Ints, top: int) -> Ints:
    """For each row: the largest element around it, inside the row `top`, without body text."""
    empty, rows = body == 0, np.arange(len(page), dtype=np.int32)
    empty[: top + 1] = False
    begins = empty & ~empty[page.parent]
    frames = np.maximum.accumulate(np.where(begins, rows, 0))
    return np.where(empty, frames, rows)


def _mark_captions(page: Page, segments: Segments) -> Bools:
    """Marks the segments that are captions: by tag, by name, or because they are alone with a
    picture in a small element."""
    found = caption_lines.find_caption_lines(page, segments, np.ones(len(segments), dtype=np.bool_))
    before = _sum_before(page, segments, np.ones(len(segments), dtype=np.int32))
    for around in _elements_with_text(page, before):
        found[_caption_beside(page, segments, before, around)] = True
    return found


def _elements_with_text(page: Page, before: Ints) -> list[int]:
    """For each picture the smallest element around it that has text, if one is close."""
    found: list[int] = []
    rows: Ints = np.flatnonzero(page.tag == _IMG).astype(np.int32)
    for _ in range(_OWN):
        rows = page.parent[rows]
        rows = rows[rows >= 0]
        has_text = before[page.end[rows]] > before[rows]
        found += rows[has_text].tolist()
        rows = rows[~has_text]
        if not len(rows):
            break
    return found


def _caption_beside(page: Page, segments: Segments, before: Ints, around: int) -> slice:
    """The segments that are a picture's caption: one or two short ones, not links, alone with it in
    a `div`. (In a paragraph, the picture is part of the text.)

    `before` is the number of segments before each row.
    """
    inside = slice(before.item(around), before.item(page.end.item(around)))
    if inside.stop - inside.start > 2 or page.tag[around] != CODES["div"]:
        return slice(0, 0)
    chars, links = int(segments.chars[inside].sum()), int(segments.link_chars[inside].sum())
    return inside if chars <= _LONGEST_BY_PLACE and 2 * links < chars else slice(0, 0)


def _sum_inside(page: Page, segments: Segments, chars: Ints) -> Ints:
    """For each row: the sum of `chars` over the segments that begin inside it."""
    before = _sum_before(page, segments, chars)
    return before[page.end] - before[:-1]


def _sum_before(page: Page, segments: Segments, chars: Ints) -> Ints:
    """For each row, and the end of the page: the sum of `chars` over the segments before it."""
    found = np.zeros(len(page) + 1, dtype=np.int32)
    found[segments.first + 1] = chars
    return np.cumsum(found, dtype=np.int32)


def _find_container(page: Page, body: Ints, text: Ints, start: int) -> int:
    """The element around the article: the closest one around its start with most of its text, or a
    larger one if that adds hardly any other text (it may add a lead picture)."""
    whole = int(body[0])
    found = -1
    for row in page.ancestors(start):
        inside = body.item(row)
        other = text.item(row) - inside
        if page.tag[row] == CODES["body"] or (found >= 0 and other > OTHER_TEXT + whole // 4):
            break
        if found >= 0 or 2 * inside > whole:
            found = row
    return found if found >= 0 else start


def _picture_rows(page: Page, region: _Region) -> list[int]:
    """The rows of the region that may show a picture: images, custom elements with such a name,
    copies in a `<noscript>` without the image, and elements without body text that have a
    background picture or name a file for later."""
    rows = page.rows(CODES["img"])
    if page.layout is None:
        rows += [row for row in page.rows(_NOSCRIPT) if read_lone_copy(page, row)]
    rows += [row for row, name in page.names.items() if _IMAGE_NAME.search(name)]
    inside = {row for row in rows if region.first <= row < region.end}
    named = [
        at for at in find_texts(page.all_attrs, ("url(", "data-"))
        if ("url(" in (raw := page.all_attrs[at]) or has_lazy_file(raw)) and _IMAGE_NAME.search(raw)
    ]  # fmt: skip
    for row in page.rows_with(named):
        holds = _HOLDERS[page.tag[row]] or "url(" in page.attrs[row]
        if holds and region.first <= row < region.end and not region.body[row]:
            inside.add(row)
    if region.box is not None:
        inside = {row for row in inside if not _is_beside(page.box(row), region.box)}
        inside |= {row for row in rows if _is_within(page.box(row), region.box)}
    return sorted(inside)


def _is_beside(box: Box | None, region: Box) -> bool:
    """Whether a box is drawn on the left or on the right of the article."""
    if box is None or box[2] <= box[0]:
        return False
    return box[0] >= region[2] or box[2] <= region[0]


def _is_within(box: Box | None, region: Box) -> bool:
    """Whether a box is drawn within the region of the article."""
    return (
        box is not None
        and box[2] > box[0]
        and region[0] <= box[0] + _EDGE
        and region[1] <= box[1] + _EDGE
        and box[2] <= region[2] + _EDGE
        and box[3] <= region[3] + _EDGE
    )


def _read_source(page: Page, segments: Segments, region: _Region, row: int) -> ImageSource | None:
    """The picture that a row shows; None if it is small, a formula, or no file."""
    is_copy = page.tag[row] == _NOSCRIPT
    attrs = read_lone_copy(page, row) if is_copy else page.attributes(row)
    size = declared_size(attrs)
    if _is_small(page, row, size) and not _is_strip(page, segments, region, row):
        return None
    picture = read_image_source(page, row, attrs, size)
    if picture is None or read_image_tex(page, row):
        return None
    if _HOLDERS[page.tag[row]] and picture.rule != "background" and not is_file(picture.url):
        return None
    return picture


def _is_beside_article(
    page: Page, segments: Segments, region: _Region, row: int, picture: ImageSource
) -> bool:
    """Whether a picture is an advertisement or a part of the page around the article."""
    frame = region.frame.item(row)
    return _is_page_chrome(page, segments, region, row, frame, picture) or _is_advertisement(
        page, segments, row, frame
    )


def _find_image(
    page: Page, segments: Segments, region: _Region, row: int, picture: ImageSource
) -> Image:
    """The picture with its caption."""
    caption, runs, credit, rule = _caption_search.find_caption(
        page, segments, row, region.frame.item(row), region.kept
    )
    return Image(
        url=picture.url, alt=picture.alt, caption=caption, credit=credit, width=picture.width,
        height=picture.height, row=row, box=page.box(row),
        rule=f"{picture.rule}; {rule}" if rule else picture.rule, caption_runs=runs,
    )  # fmt: skip


def _is_small(page: Page, row: int, size: tuple[int | None, int | None]) -> bool:
    """Whether a picture is smaller than 50 pixels, as drawn or as declared."""
    box = page.box(row)
    if box is not None and min(box[2] - box[0], box[3] - box[1]) >= SMALLEST:
        return False
    if box is not None and not page.attrs[row].count("currentsrc") and None in size:
        return True
    if size in _RATIOS:
        return False
    return any(side is not None and side < SMALLEST for side in size)


def _is_strip(page: Page, segments: Segments, region: _Region, row: int) -> bool:
    """Whether a low and wide picture, such as one of a command line, is drawn between two lines."""
    box = page.box(row)
    if box is None or box[2] - box[0] < STRIP[0] or box[3] - box[1] < STRIP[1]:
        return False
    return _is_in_flow(page, segments, region, region.frame.item(row))


def _is_page_chrome(
    page: Page, segments: Segments, region: _Region, row: int, frame: int, picture: ImageSource
) -> bool:
    """Whether the picture is an icon, a teaser or another part of the page around the article."""
    path = address_path(picture.url)
    if _CHROME_FILE.search(path.lower()) and not _is_large(page, row, picture):
        return True
    around = islice(page.ancestors(row), 4)
    if _NEVER_FILE.search(path.lower()) or any(_PERSONAL.search(page.attrs[at]) for at in around):
        return True
    place = [row, *takewhile(lambda at: at >= frame, page.ancestors(row))]
    leads_away = _leads_away(page, place, picture)
    figure = _FIGURE in map(page.tag.item, place)
    if not figure and _is_drawn_as_icon(page, row) and page.tag[page.parent[row]] != _TD:
        return True
    if leads_away and not (figure or _has_caption(page, frame)):
        if region.may_be_list and _is_of_entry(page, segments, region, place):
            return not _is_large(page, row, picture)
        if not _is_in_flow(page, segments, region, frame):
            return True
        if not _is_large(page, row, picture) or _size(page, row, picture) in _BANNERS:
            return True
    if path.endswith(".svg") and not figure and (picture.width or 0) < DRAWING:
        return True  # an icon
    if region.apart[row] or _is_teaser(page, region, place):
        return True
    return _is_named_chrome(page, place, leads_away, figure)


def _is_of_entry(page: Page, segments: Segments, region: _Region, place: list[int]) -> bool:
    """Whether a picture leads where a kept line close by does: both are of one entry of a list."""
    link = next(at for at in place if page.tag.item(at) == _A)
    href = page.attribute(link, "href")
    first, last = segments.first.searchsorted([link - _ENTRY, int(page.end[link]) + _ENTRY])
    for i in range(int(first), int(last)):
        if region.kept[i] and segments.link_chars[i] >= segments.chars[i]:
            above = islice(page.ancestors(int(segments.first[i])), 4)
            links = (page.attribute(at, "href") for at in above if page.tag[at] == _A)
            if any(_is_same_entry(href, other) for other in links):
                return True
    return False


def _is_same_entry(one: str | None, other: str | None) -> bool:
    """Whether two addresses are equal, or one is a page below the other."""
    short, long = sorted((one or "", other or ""), key=len)
    return short == long if len(address_path(short)) < 2 else long.startswith(short)


def _is_teaser(page: Page, region: _Region, place: list[int]) -> bool:
    """Whether most text around the picture is links, but not to its file, its tags or such."""
    around = [at for at in place if region.links[at]]
    if not around:
        return False
    outer = around[-1]
    if outer not in region.teasers:
        begin = bisect_left(region.anchors, outer)
        end = bisect_left(region.anchors, int(page.end[outer]))
        region.teasers[outer] = any(
            any(map(str.strip, page.text[at : page.end[at]])) and not _is_about_picture(page, at)
            for at in region.anchors[begin:end]
        )
    return region.teasers[outer]


def _is_about_picture(page: Page, link: int) -> bool:
    """Whether a link is a tag, a download, or leads to a picture."""
    attrs = page.attributes(link)
    href = attrs.get("href", "").lower()
    is_tag = "tag" in attrs.get("rel", "").split() or _ABOUT_IT.search(href) is not None
    return is_tag or "download" in attrs or _LARGER.search(href) is not None


def _is_in_flow(page: Page, segments: Segments, region: _Region, frame: int) -> bool:
    """Whether an element without text is between two kept lines of the element around it."""
    first, around = segments.first, int(page.parent[frame])
    after = int(first.searchsorted(frame))
    if not 0 < after < len(first) or around < 0 or first[after] < page.end[frame]:
        return False
    kept = bool(region.kept[after - 1] and region.kept[after])
    return kept and around < first[after - 1] and bool(first[after] < page.end[around])


def _is_drawn_as_icon(page: Page, row: int) -> bool:
    box = page.box(row)
    return box is not None and 0 < max(box[2] - box[0], box[3] - box[1]) < DRAWING


def _is_large(page: Page, row: int, picture: ImageSource) -> bool:
    """Whether a picture is larger than any icon, as drawn or as declared."""
    width, height = _size(page, row, picture)
    return width >= DRAWING and height >= SMALLEST


def _size(page: Page, row: int, picture: ImageSource) -> tuple[int, int]:
    """Width and height of a picture, as drawn or as declared."""
    box = page.box(row)
    if box is not None:
        return int(box[2] - box[0]), int(box[3] - box[1])
    return picture.width or 0, picture.height or 0


def _is_named_chrome(page: Page, place: list[int], leads_away: bool, figure: bool) -> bool:
    """Whether the names of these elements say that they are no part of the article."""
    raw = "".join([page.attrs[row] for row in place])
    names = split_camel_case(" ".join(_NAMES.findall(raw)).replace("_", "-"), "-").lower()
    return (
        _CHROME.search(names) is not None
        or (leads_away and _CHROME_IF_LINKED.search(names) is not None)
        or (not figure and _PLAYER.search(names) is not None)
    )


def _leads_away(page: Page, place: list[int], picture: ImageSource) -> bool:
    """Whether the picture links to another page, and not to a larger picture."""
    link = next((row for row in place if page.tag.item(row) == _A), -1)
    if link < 0:
        return False
    names, href = page.attrs[link].lower(), (page.attribute(link, "href") or "").strip()
    if any(word in names for word in _ZOOM):
        return False
    if not href or href.startswith(("#", "javascript:")) or _LARGER.search(href.lower()):
        return False
    if _is_its_page(page, picture, href):
        return False
    return (join_address(page.base_url, href) or "").split("#")[0] != (page.url or "").split("#")[0]


def _is_its_page(page: Page, picture: ImageSource, href: str) -> bool:
    """Whether an address has the name of the picture's file: a page about the picture."""
    name = picture_key(picture.url).rsplit("/", 1)[-1]
    path = address_path(
        join_address(page.base_url, href) or ""
    )  # a site may be called like an icon
    return len(name) >= _TELLING_NAME and name in path.casefold()


def _has_caption(page: Page, frame: int) -> bool:
    return bool((page.tag[frame : page.end[frame]] == _FIGCAPTION).any())


def _is_advertisement(page: Page, segments: Segments, row: int, frame: int) -> bool:
    """Whether the line before or after the picture, in its place, says "advertisement"."""
    first, end = segments.first, page.end.item(frame)
    after = int(first.searchsorted(row))
    lines = [i for i in (after - 1, after) if 0 <= i < len(segments)]
    inside = [i for i in lines if frame <= first.item(i) < end]
    return any(says_advertisement(segments.text[i]) for i in inside)
