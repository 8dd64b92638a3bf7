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
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

import numpy as np

from tearsheet.components import _pictures
from tearsheet.components._words import BYLINE, folded, letters, likeness
from tearsheet.segments import rows_within
from tearsheet.tags import CODES, HEADINGS, mask
from tearsheet.types import Bools, Image, Ints, Page, Segments, Verdict

SMALLEST: Final = 50
"""Pixels of width and of height (§2.4)."""
DRAWING: Final = 100
"""Pixels of width from which a vector file without a figure around it is a picture."""
LINE_SPACES: Final = 2.0
"""Distance between picture and caption below it, in lines (§2.4)."""
OTHER_TEXT: Final = 300
"""Characters of other text (byline, tools) that the element around an article may have."""
LONGEST_CAPTION: Final = 1_200

_TEASER: Final = 20  # characters of a link that is a title
_CLOSE: Final = 8  # rows between a picture's place and its caption
_SHORT: Final = 300  # characters of a caption that only its style tells
_ALIKE: Final = 0.6  # likeness of a caption to the picture's `alt`
_STYLED: Final = mask("b", "strong", "i", "em", "small", "cite")
_LEVELS: Final = 40  # elements around a picture that are looked at
_MAIN: Final = 0.25  # the part of the body text that makes an element the article's, not an aside
_RATIOS: Final = frozenset(((16, 9), (4, 3), (3, 2)))
_IMAGE_NAME: Final = re.compile(r"img|image\b|picture|photo|hero|cover", re.I)
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
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
_CAPTION_CLASS: Final = re.compile(
    r'(?:class|itemprop|id)="[^"]*(?:caption|legend|bildunterschrift|image-?text|img-?text|'
    r"image-?desc|pic-?desc|photo-?desc|imagedesc|bildtext|media-?text|media-?desc|subline-image)",
    re.I,
)
_HINTS: Final = ("aption", "egend", "nterschrift", "ildtext", "desc", "text", "Desc", "Text")
"""Most elements have none of these in their attributes, so that the slow question is not asked."""
_CREDIT_CLASS: Final = re.compile(
    r'(?:class|itemprop)="[^"]*(?:credit|copyright|photographer|kredit|source|quelle|urheber|'
    r"author|byline|agency|rights|owner|license|fotograf|provider)",
    re.I,
)
_CREDIT: Final = re.compile(
    r"(?:^|(?<=[\W_]))[\[(]?(?:(?:AP|AFP|EPA)\s)?"
    r"(?:(?:foto|photo|image|picture|bild|fotó|photographer|crédits?(?: photo)?|photo credit|"
    r"(?:image )?credits?|quelle|source|fuente|fonte|zdroj|źródło|kilde|bron|фото|коллаж|джерело|"
    r"источник|gambar|görsel|fotoğraf|imagem|imagen|grafik|illustration|screenshot|copyright|ảnh)"
    r"\s*(?:by\s|[:：/©]|von\s)|©)\s*.{2,120}$",
    re.I,
)
_AGENCY: Final = re.compile(
    r"\b(?:getty|reuters|afp|dpa|epa|imago|picture alliance|shutterstock|istock|alamy|ap|aap|bbc|"
    r"efe|ansa|keystone|adobe stock|unsplash|pixabay|pexels|xinhua|anadolu|handout|supplied|"
    r"courtesy|associated press|cbc)\b|연합뉴스|뉴시스|뉴스1",
    re.I,
)
# What follows the last sentence, stands in brackets at the end, or behind a stroke or "=".
_TAIL: Final = re.compile(
    r"(?:(?<=[.!?»”\"…。])\s+([^.!?]{2,60})|\s*\(([^()]{2,60})\)|\s+[/|]\s+(.{2,60})|[＝=](\S{1,12}))$"
)
_NOT_A_CREDIT: Final = re.compile(
    r"symbol|archiv|^[a-z]{1,6}\.|left|right|links|rechts|\d{4}", re.I
)
_LABEL: Final = re.compile(
    r"^(?:legende|legend|bildunterschrift|(?:image )?caption|camera icon|enlarge(?: this)? image|"
    r"toggle caption|image|video)\s*:?\s+(?=\S)",
    re.I,
)
_BUTTON: Final = re.compile(
    r"^(?:(?:open|view|show)\b.{0,40}(?:gallery|image|full\s?screen|modal|larger?).{0,20}|zoom|"
    r"enlarge|expand|close|play|next|previous|share|save|image|photo|video|audio|read more|"
    r"\d+\s*(?:/|of|von)\s*\d+\W*|"
    r"\d+\s?min\w*|bild vergrößern|vergrößern|ampliar|agrandir|[\W\d_]*)$",
    re.I,
)
ADVERTISEMENT: Final = frozenset(
    "advertisement advertisements advertising ad ads sponsored anzeige anzeigen werbung reklame "
    "reklam annonce annonces publicité publicidad publicidade pubblicità advertentie annons "
    "mainos mainokset reklama hirdetés publicitate διαφήμιση реклама iklan 広告 광고 广告 廣告 "
    "إعلان פרסומת विज्ञापन โฆษณา".split()
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
    caption = _captions(page, segments)
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


def _captions(page: Page, segments: Segments) -> Bools:
    """True for the segments that are called a caption: by their tag, or their block's class."""
    blocks = segments.block.tolist()
    classed = np.array([_called_caption(page.attrs[row]) for row in blocks])
    return classed | rows_within(page, page.tag == _FIGCAPTION)[segments.first]


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
    caption, credit, rule = _caption(page, segments, row, frame, region.kept)
    return Image(
        url=picture.url, alt=picture.alt, caption=caption, credit=credit, width=picture.width,
        height=picture.height, row=row, box=page.box(row),
        rule=f"{picture.rule}; {rule}" if rule else picture.rule,
    )  # fmt: skip


def _small(page: Page, row: int, picture: _pictures.Picture) -> bool:
    """Below 50 pixels as drawn, or as declared."""
    box = page.box(row)
    if box is not None:
        return min(box[2] - box[0], box[3] - box[1]) < SMALLEST
    size = (picture.width, picture.height)
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
    names = " ".join(page.attribute(row, name) or "" for name in ("class", "id", "role"))
    names = _CAMEL.sub("-", names.replace("_", "-"))
    return bool(
        _FURNITURE.search(names)
        or (leads_away and _FURNITURE_IF_LINKED.search(names))
        or (not figure and _PLAYER.search(names))
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


# --- captions


def _caption(
    page: Page, segments: Segments, row: int, frame: int, kept: Bools
) -> tuple[str, str, str]:
    """Caption, credit, and the rule that found them."""
    rows, rule = _caption_rows(page, segments, row, frame, kept)
    sources = [at for at in _within(page, rows) if _CREDIT_CLASS.search(page.attrs[at])]
    credit = " ".join(page.inner_text(at) for at in _tops(page, sources))
    caption, named = split(_text(page, rows, sources))
    credit = " ".join((credit or named).split()).strip(" |/()[]")
    return caption[:LONGEST_CAPTION], credit, rule if caption or credit else ""


def split(text: str) -> tuple[str, str]:
    """A caption without its credit, and the credit.

    >>> split("Boats at noon. Photo: A. Lee/AP"), split("Boats at noon (Reuters)")
    (('Boats at noon.', 'Photo: A. Lee/AP'), ('Boats at noon', 'Reuters'))
    """
    text = _LABEL.sub("", text)
    credit = ""
    if match := _CREDIT.search(text):
        text, credit = text[: match.start()].strip(), match[0]
    if (match := _TAIL.search(text)) and _names_a_source(next(filter(None, match.groups()))):
        text, credit = text[: match.start()].strip(), credit or next(filter(None, match.groups()))
    if len(text.split()) <= 4 and _AGENCY.search(text):
        text, credit = "", credit or text
    text = text.strip(" |/–—-\u200b")
    return ("" if _BUTTON.match(text) else text), credit.strip(" |/()[]")


def _names_a_source(text: str) -> bool:
    """Whether a short text is a name: an agency's, or words in capitals."""
    if _NOT_A_CREDIT.search(text):
        return False
    names = text.replace("/", " ").split()
    capitals = all(not name[0].islower() for name in names if len(name) > 3)
    return bool(_AGENCY.search(text)) or (capitals and len(names) <= 5)


def _caption_rows(
    page: Page, segments: Segments, row: int, frame: int, kept: Bools
) -> tuple[list[int], str]:
    """The elements that hold the caption, by the first rule that finds any."""
    figure = next((at for at in page.ancestors(row) if page.tag[at] == _FIGURE), -1)
    if figure >= frame:
        found = np.flatnonzero(page.tag[figure : page.end[figure]] == _FIGCAPTION) + figure
        if len(found):
            return found.tolist(), "figcaption"
    for at in islice(page.ancestors(row), _LEVELS):
        if at < frame:
            break
        inside = range(at, int(page.end[at]))
        called = (r for r in inside if page.attrs[r] and _called_caption(page.attrs[r]))
        apart = [r for r in called if not r <= row < page.end[r]]
        if apart:
            return _tops(page, apart)[:1], "caption class"
    line = _below(page, segments, row, frame)
    if line >= 0:
        return [line], "below"
    line = _behind(page, segments, row, frame, kept)
    return ([line] if line >= 0 else []), "behind its place"


@lru_cache(4096)  # for every picture the elements around it are asked again
def _called_caption(raw: str) -> bool:
    return any(hint in raw for hint in _HINTS) and _CAPTION_CLASS.search(raw) is not None


def _below(page: Page, segments: Segments, row: int, frame: int) -> int:
    """The first line behind the picture in its own place that may be a caption; -1: none.

    It is not behind another picture, no heading, no byline, no button, and not all link.
    """
    i = int(np.searchsorted(segments.first, row))
    before = row
    while i < len(segments) and segments.first[i] < page.end[frame]:
        line = int(segments.first[i])
        if any(page.tag[r] == CODES["img"] for r in range(before + 1, line)):
            return -1
        if not _BUTTON.match(segments.text[i]):
            return line if _may_be_caption(page, segments, i) else -1
        before, i = line, i + 1
    return -1


def _behind(page: Page, segments: Segments, row: int, frame: int, kept: Bools) -> int:
    """The first line behind the picture's place, if it is not body text and looks like a caption:
    called so, all in another style, or much like the picture's `alt`."""
    i = int(np.searchsorted(segments.first, page.end[frame]))
    if i >= len(segments) or segments.first[i] > page.end[frame] + _CLOSE or kept[i]:
        return -1
    if not _may_be_caption(page, segments, i):
        return -1
    line, block = int(segments.first[i]), int(segments.block[i])
    alt = folded(page.attribute(row, "alt") or "")
    text = folded(segments.text[i])
    styled = any(_STYLED[page.tag[at]] for at in page.ancestors(line) if at > block)
    marked = page.tag[block] == _FIGCAPTION or _called_caption(page.attrs[block])
    alike = len(alt) > _TEASER and likeness(alt, text[: len(alt)]) > _ALIKE
    if marked or alike or (styled and segments.chars[i] <= _SHORT):
        return block if marked else line
    return -1


def _may_be_caption(page: Page, segments: Segments, i: int) -> bool:
    above = islice(page.ancestors(int(segments.first[i])), 4)
    return (
        segments.link_chars[i] < segments.chars[i]
        and segments.chars[i] <= LONGEST_CAPTION
        and not BYLINE.match(segments.text[i])
        and not any(HEADINGS[page.tag[at]] for at in above)
    )


def _within(page: Page, rows: list[int]) -> Iterator[int]:
    for row in rows:
        yield from range(row, int(page.end[row]))


def _tops(page: Page, rows: list[int]) -> list[int]:
    """Those of the rows that stand in no other of them."""
    found: list[int] = []
    for row in sorted(rows):
        if not found or row >= page.end[found[-1]]:
            found.append(row)
    return found


def _text(page: Page, rows: list[int], without: list[int]) -> str:
    """The text of elements but for some in them."""
    left_out = set(_within(page, without))
    words = " ".join(page.text[r] for r in _within(page, rows) if r not in left_out)
    return " ".join(words.split())
