"""The pictures of an article and their captions.

J. Fan, P. Luo et al., "Article Clipper – a system for web article extraction", KDD 2011, §2.4:
pictures within the region of the text and the title, of at least 50 pixels, with no
"advertisement" close by; a caption is not body text, in no larger font, not all link, and is found
by three layouts in order: in one frame with the picture, below it within two line spaces, or to its
right.

Deviations:
1. On a page that was only parsed, the region is the element around title and text, and the layouts
   are read off the tags: the frame is `<figure>`, or the largest element around the picture without
   body text; below is the next line of text in it.
2. `<figcaption>` and elements whose class calls them a caption come before the three layouts: the
   publisher's word beats a guess. So captions that are links or look like the text are found.
3. A picture that links to another article with that article's title beside it is a teaser.
4. What names the photographer is the credit, and is not part of the caption.
5. On a rendered page, text on the picture and, last, right above it in an element with nothing else
   are captions as well; a picture that the browser could not load counts with its declared size.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

import numpy as np

from tearsheet.components import _captions, _pictures, captions
from tearsheet.components._words import ADVERTISEMENT, folded, letters
from tearsheet.remember import remembered
from tearsheet.segments import rows_within
from tearsheet.tags import CODES, HEADINGS, mask
from tearsheet.types import Bools, Image, Ints, Page, Segments, Verdict

SMALLEST: Final = 50
"""Pixels of width and of height (§2.4)."""
DRAWING: Final = 100
"""Pixels of width from which a vector file without a figure around it is a picture."""
OTHER_TEXT: Final = 300
"""Characters of other text (byline, tools) that the element around an article may have."""

_TEASER: Final = 20  # characters of a link that is a title
_OWN: Final = 6  # elements around a picture in which its caption may stand alone with it
_SMALL: Final = 300  # characters of a caption that its place alone tells
_LEVELS: Final = 40  # elements around a picture that are looked at
_MAIN: Final = 0.25  # the part of the body text that makes an element the article's, not an aside
_RATIOS: Final = frozenset(((16, 9), (4, 3), (3, 2)))
_IMAGE_NAME: Final = re.compile(r"img|image\b|picture|photo|hero|cover", re.I)
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NAMES: Final = re.compile(r' (?:class|id|role)="([^"]*)"')
_FIGURE, _FIGCAPTION = CODES["figure"], CODES["figcaption"]
_APART: Final = mask("nav", "footer", "form", "select", "menu", "aside")
_FURNITURE: Final = re.compile(
    r"\b(?:avatar\w*|gravatar|authors?|byline|bio|related\w*|recommend\w*|newsletter\w*|"
    r"advert\w*|sponsor\w*|logos?|icons?|emojis?|comments?|outbrain|taboola|breadcrumbs?|cookie\w*|"
    r"paywall|app-?store|badges?|tracking-pixel|jobs)\b",
    re.I,
)
_PLAYER: Final = re.compile(r"\b(?:video|player|audio)\b", re.I)
# These are also said of the article's own pictures: they count only where the picture is a link.
_FURNITURE_IF_LINKED: Final = re.compile(
    r"\b(?:teasers?|promo\w*|widgets?|side-?bar|share|social|popular|latest|banner|most-?read|"
    r"read-?(?:more|also|next)|more-?(?:from|on|stories)|trending|subscri\w*|profile|plug|card)\b",
    re.I,
)
_FURNITURE_FILE: Final = re.compile(
    r"(?:^|[/_.-])(?:logo|icon|icons|avatar|gravatar|sprite|favicon|emoji|button|btn|badge|"
    r"smiley|tracking|beacon|counter)(?:[/_.\d-]|$)|doubleclick|/ads?/|adserver",
    re.I,
)
_ZOOM: Final = re.compile("zoom|lightbox|fancybox|gallery|swipe|enlarge|fullscreen", re.I)
_LARGER: Final = re.compile(
    r"\.(?:jpe?g|png|webp|gif|avif)(?:$|[?#])|"
    r"/(?:attachment|gallery|galerie|photo|foto|bilder|image|lightbox)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Region:
    """Where the article is: the rows from `first` to `end`. The other columns are prefix sums of
    characters, so that those of a subtree are a difference of two."""

    first: int
    end: int
    body: Ints
    """Kept text that is in no figure and no caption."""
    text: Ints
    """All text but captions."""
    links: Ints
    """The part of it that is links."""
    kept: Bools
    """Of the segments: whether they are body text."""

    def share(self, page: Page, row: int) -> float:
        """The part of the body text that stands in an element."""
        return _inside(self.body, page, row) / max(int(self.body[-1]), 1)


def _inside(prefix: Ints, page: Page, row: int) -> int:
    return int(prefix[page.end[row]] - prefix[row])


def of(
    page: Page,
    segments: Segments,
    verdict: Verdict,
    title: str = "",
    authors: tuple[str, ...] = (),
) -> tuple[Image, ...]:
    """The pictures of the article in the order of the page.

    Its title and its authors help: the region begins at the one, and a portrait of one of the
    others is not of the article.
    """
    if not verdict.keep.any():
        return ()
    region = _region(page, segments, verdict, _heading(page, title))
    people = {folded(name) for name in authors}
    found: dict[str, Image] = {}
    for row in _rows(page, region):
        image = _image(page, segments, region, row)
        if image is not None and (not image.alt or folded(image.alt) not in people):
            found.setdefault(_pictures.key(image.url), image)
    return tuple(found.values())


def _heading(page: Page, title: str) -> int:
    """The row of the heading that has the title; -1: none."""
    wanted = letters(title)
    rows = np.flatnonzero(HEADINGS[page.tag]).tolist() if wanted else []
    return next((row for row in rows if wanted in letters(page.inner_text(row))), -1)


def _region(page: Page, segments: Segments, verdict: Verdict, heading: int) -> _Region:
    caption = _captions_among(page, segments)
    figures = rows_within(page, page.tag == _FIGURE)[segments.first]
    body = verdict.keep & ~caption & ~figures
    body = body if body.any() else verdict.keep
    first, last = int(segments.first[body][0]), int(segments.last[body][-1])
    chars = _prefix(page, segments, segments.chars * body)
    text = _prefix(page, segments, segments.chars * ~caption)
    start = heading if 0 <= heading <= first else first
    homes = np.maximum(page.parent[segments.block[body]], 0)
    home = int(np.bincount(homes, weights=segments.chars[body]).argmax())
    return _Region(
        first=_container(page, chars, text, start),
        end=max(last + 1, int(page.end[home]) if page.tag[home] != CODES["body"] else 0),
        body=chars,
        text=text,
        links=_prefix(page, segments, segments.link_chars * ~caption),
        kept=body,
    )


def _captions_among(page: Page, segments: Segments) -> Bools:
    """True for the segments that are captions by their tag, by the class of their block or of the
    element around their text, or because they share a small element with a picture alone."""
    found = captions.of(page, segments, np.ones(len(segments), dtype=np.bool_))
    before = _prefix(page, segments, np.ones(len(segments), dtype=np.int32))
    for row in page.rows(CODES["img"]):
        found[_with_picture(page, segments, before, row)] = True
    return found


def _with_picture(page: Page, segments: Segments, before: Ints, row: int) -> slice:
    """The one or two short segments, not of links, in the smallest element around a picture that
    has any text; no paragraph, for there the picture stands in the text.

    `before` are the segments before each row.
    """
    for above in islice(page.ancestors(row), _OWN):
        first, end = int(before[above]), int(before[page.end[above]])
        if first == end:
            continue
        if end - first > 2 or page.tag[above] != CODES["div"]:
            break
        inside = slice(first, end)
        chars, links = int(segments.chars[inside].sum()), int(segments.link_chars[inside].sum())
        return inside if chars <= _SMALL and 2 * links < chars else slice(0, 0)
    return slice(0, 0)


def _prefix(page: Page, segments: Segments, chars: Ints) -> Ints:
    """The sum of `chars` over the segments before each row."""
    found = np.zeros(len(page) + 1, dtype=np.int32)
    found[segments.first + 1] = chars
    return np.cumsum(found, dtype=np.int32)


def _container(page: Page, body: Ints, text: Ints, start: int) -> int:
    """The element around the article: the closest around its start that holds most of its text,
    and what is around that as long as hardly any other text comes in (a lead picture does)."""
    whole = int(body[-1])
    found = -1
    for row in page.ancestors(start):
        inside = _inside(body, page, row)
        other = _inside(text, page, row) - inside
        if page.tag[row] == CODES["body"] or (found >= 0 and other > OTHER_TEXT + whole // 4):
            break
        if found >= 0 or 2 * inside > whole:
            found = row
    return found if found >= 0 else start


def _rows(page: Page, region: _Region) -> list[int]:
    """The rows of the region that may show a picture: images, elements of a site's own that are
    named so, and elements without body text that have a picture for a background."""
    rows = page.rows(CODES["img"])
    rows += [row for row, name in page.names.items() if _IMAGE_NAME.search(name)]
    inside = {row for row in rows if region.first <= row < region.end}
    for row in range(region.first, region.end):
        raw = page.attrs[row]
        if "url(" in raw and _IMAGE_NAME.search(raw) and not _inside(region.body, page, row):
            inside.add(row)
    return sorted(inside)


def _image(page: Page, segments: Segments, region: _Region, row: int) -> Image | None:
    picture = _pictures.picture(page, row)
    if picture is None or _small(page, row, picture):
        return None
    frame = _frame(page, region, row)
    if _furniture(page, region, row, frame, picture) or _advertised(page, segments, row, frame):
        return None
    caption, runs, credit, rule = _captions.of(page, segments, row, frame, region.kept)
    return Image(
        url=picture.url, alt=picture.alt, caption=caption, credit=credit, width=picture.width,
        height=picture.height, row=row, box=page.box(row),
        rule=f"{picture.rule}; {rule}" if rule else picture.rule, caption_runs=runs,
    )  # fmt: skip


def _small(page: Page, row: int, picture: _pictures.Picture) -> bool:
    """Below 50 pixels as drawn, or as declared."""
    box, size = page.box(row), (picture.width, picture.height)
    if box is not None and min(box[2] - box[0], box[3] - box[1]) >= SMALLEST:
        return False
    if box is not None and not page.attrs[row].count("currentsrc") and None in size:
        return True
    if size in _RATIOS:
        return False
    return any(side is not None and side < SMALLEST for side in size)


def _frame(page: Page, region: _Region, row: int) -> int:
    """The largest element around the picture that holds no body text: the picture's own place."""
    top = row
    for above in islice(page.ancestors(row), _LEVELS):
        if above <= region.first or _inside(region.body, page, above):
            break
        top = above
    return top


def _furniture(
    page: Page, region: _Region, row: int, frame: int, picture: _pictures.Picture
) -> bool:
    """Whether the picture, or what it stands in, is called something else than a picture."""
    path = urlsplit(picture.url).path
    if _FURNITURE_FILE.search(path):
        return True
    around = [row, *islice(page.ancestors(row), _LEVELS)]
    place = [at for at in around if at >= frame]
    leads_away = _leads_away(page, row, frame)
    figure = any(page.tag[at] == _FIGURE for at in place)
    if leads_away and not figure and not _captioned(page, frame):
        return True
    if path.endswith(".svg") and not figure and (picture.width or 0) < DRAWING:
        return True  # an icon
    for at in around:
        if at <= region.first or region.share(page, at) > _MAIN:
            break
        if _APART[page.tag[at]]:
            return True
    return any(
        _mostly_links(page, region, at) or _called(page, at, leads_away, figure) for at in place
    )


def _called(page: Page, row: int, leads_away: bool, figure: bool) -> bool:
    """Whether the names that an element has say that it is not of the article."""
    furniture, if_linked, player = _names_say(page.attrs[row])
    return furniture or (leads_away and if_linked) or (not figure and player)


@remembered(4096)  # pictures stand side by side in the same elements
def _names_say(raw: str) -> tuple[bool, bool, bool]:
    """Whether an element is called furniture, something linked, a player."""
    names = _CAMEL.sub("-", " ".join(_NAMES.findall(raw)).replace("_", "-"))
    return (
        _FURNITURE.search(names) is not None,
        _FURNITURE_IF_LINKED.search(names) is not None,
        _PLAYER.search(names) is not None,
    )


def _leads_away(page: Page, row: int, frame: int) -> bool:
    """Whether the picture is a link to another page, and not to a larger picture."""
    link = next((r for r in (row, *page.ancestors(row)) if page.tag[r] == CODES["a"]), -1)
    if link < frame or _ZOOM.search(page.attrs[link]):
        return False
    href = (page.attribute(link, "href") or "").strip()
    if not href or href.startswith(("#", "javascript:")) or _LARGER.search(href):
        return False
    return _pictures.absolute(page, href).split("#")[0] != (page.url or "").split("#")[0]


def _captioned(page: Page, frame: int) -> bool:
    return bool((page.tag[frame : page.end[frame]] == _FIGCAPTION).any())


def _mostly_links(page: Page, region: _Region, row: int) -> bool:
    """Whether the text of an element, captions apart, is that of links, as in teasers."""
    linked = _inside(region.links, page, row)
    return linked >= _TEASER and 2 * linked > _inside(region.text, page, row)


def _advertised(page: Page, segments: Segments, row: int, frame: int) -> bool:
    """Whether the line before or after the picture, in its place, calls it an advertisement."""
    after = int(np.searchsorted(segments.first, row))
    lines = (i for i in (after - 1, after) if 0 <= i < len(segments))
    inside = (i for i in lines if frame <= segments.first[i] < page.end[frame])
    return any(folded(segments.text[i]).strip(" :-–—") in ADVERTISEMENT for i in inside)
