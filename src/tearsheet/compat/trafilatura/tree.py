"""Kept rows of a page → the XML elements that trafilatura uses for them.

Not made from our blocks: there, the elements keep the places of texts, breaks and pictures inside
an item, a quote or a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from lxml import etree

from tearsheet.addresses import drop_tracking, link_address
from tearsheet.article import Article, listings, tables
from tearsheet.article.material import Material, gather
from tearsheet.compat.trafilatura.elements import (
    append_text,
    divide_lines,
    fill_table,
    is_empty,
    is_followed,
    remove_element,
    strip_end,
    trim,
)
from tearsheet.compat.trafilatura.settings import Extractor
from tearsheet.components.image_sources import find_image_source
from tearsheet.tags import BLOCKS, CODES, TEXT, mask
from tearsheet.types import Bools, Image, Page
from tearsheet.writing import drop_controls, drop_non_xml

_NOWHERE_ROOT: Final = "https://page.invalid/"
NOWHERE: Final = _NOWHERE_ROOT + "folder/"
"""Stands for the address of a page that has none, so that its relative links are links."""
_SMALL_CELL: Final = 120
"""Characters that a cell has at most, on average."""
_DEEPEST: Final = 40
"""Most elements inside each other; deeper content goes into the innermost."""
_AROUND: Final = 5
"""Elements around a picture that may hold the text that it stands in."""
_LONGEST_HEADING: Final = 4
"""Segments that a heading may have."""
_LINK_TABLE: Final = 200
"""Characters of a table of one cell that is a menu if nearly all of them are links."""
_MOSTLY: Final = 0.8
_TABLE, _TR, _CAPTION = CODES["table"], CODES["tr"], CODES["caption"]
_A, _BR, _IMG, _CODE = CODES["a"], CODES["br"], CODES["img"], CODES["code"]
_CELLS: Final = (CODES["td"], CODES["th"])
_IS_CELL: Final = mask("td", "th")
_IS_BREAK: Final = mask("br")
_MARKS: Final = {
    CODES[name]: (tag, rend)
    for (tag, rend), names in {
        ("hi", "#b"): "b strong",
        ("hi", "#i"): "i em cite dfn var",
        ("hi", "#t"): "tt kbd",
        ("hi", "#sub"): "sub",
        ("hi", "#sup"): "sup",
        ("hi", "#u"): "ins u",
        ("del", "overstrike"): "del s strike",
        ("code", ""): "code samp",
    }.items()
    for name in names.split()
}
_QUESTION: Final = "schema-faq-question"
"""The class of a question, which acts as a heading, in a common plug-in of WordPress."""


class _Mark(NamedTuple):
    """An element around text, and the row after it on the page."""

    tag: str
    name: str
    value: str
    end: int

    def is_like(self, other: _Mark) -> bool:
        return self[:3] == other[:3]


class _Box(NamedTuple):
    """An open element that holds text or other elements."""

    kind: str
    """flow (any part of a page), line, mixed (item, quote, cell), list, table or row."""
    element: etree._Element
    end: int
    marks: int = 0
    """The number of outer marks that do not hold inside it."""
    is_own: bool = True
    """Whether the element ends with it: a part of the page goes on in the one around it."""


def build_body(article: Article, options: Extractor) -> etree._Element:
    """The content of an article, below a `body` element."""
    clipping = article.clippings[0]
    material = gather(clipping, article.images)
    body = _TreeWriter(material, article.images, options).write()
    for text in clipping.verdict.extra_text:
        etree.SubElement(body, "p").text = drop_non_xml(drop_controls(text))
    return body


def build_comments(texts: Iterable[str], body: str) -> etree._Element:
    """The lines of comments that the text does not have already."""
    made = etree.Element("body")
    for line in (line.strip() for text in texts for line in text.split("\n")):
        if line and line not in body:
            etree.SubElement(made, "p").text = drop_non_xml(line)
    return made


def build_pictures(page: Page, body: etree._Element) -> None:
    """Adds all pictures of a page that has nothing else."""
    for row in page.rows(_IMG):
        if (found := find_image_source(page, row)) is not None:
            _add_graphic(body, page, row, found.url, found.alt)


class _TreeWriter:
    def __init__(self, material: Material, images: tuple[Image, ...], options: Extractor) -> None:
        self.material, self.options = material, options
        self.page = material.page
        self.text = material.text.copy()
        for row in (*material.facades, *material.notes.backlinks):
            self.text[row : self.page.end[row]] = False
        self.around_posts = {up for row in material.posts for up in self.page.ancestors(row)}
        """A list of posts is no list, nor is a table."""
        self.images = (
            _place_images(self.page, self.text, images, options.focus == "recall")
            if options.images
            else {}
        )
        self.captions = set[str]()
        """Captions that already stand with a picture."""
        self.body = etree.Element("body")
        self.boxes = [_Box("flow", self.body, len(self.page), 0)]
        self.marks: list[_Mark] = []
        self.open_marks: list[tuple[_Mark, etree._Element]] = []
        self.line: etree._Element | None = None
        """The paragraph of text that stands in no paragraph of the page."""
        self.segment = -1
        self.last = -1
        """The segment and the row of the text before."""
        self.over = 0
        """Rows before this one are done."""

    def write(self) -> etree._Element:
        for row in self._choose_rows():
            if row >= self.over:
                self._close_until(row)
                self._add_row(row, self.material.tag[row])
        self._close_until(len(self.page))
        return self.body

    def _add_row(self, row: int, code: int) -> None:
        material = self.material
        special = {
            TEXT: self._add_text, _BR: self._add_break, _A: self._open_link,
        }.get(code)  # fmt: skip
        if special is not None:
            special(row)
        elif row in material.formulas:
            self._add_formula(row)
        elif row in self.images:
            self._add_image(row)
        elif code in _MARKS:
            self._open_mark(row, code)
        elif row in material.editors:
            self._add_code(row, listings.read_editor)
        elif code in _OPENERS and not self._is_around_posts(row):
            _OPENERS[code](self, row)
        elif BLOCKS[code]:
            self._open_flow(row)

    def _is_around_posts(self, row: int) -> bool:
        return row in self.around_posts or row in self.material.posts

    def _choose_rows(self) -> list[int]:
        """Rows of text, pictures and formulas, of elements with any of them, breaks and cells."""
        content: Bools = self.text.copy()
        content[[*self.images, *self.material.formulas]] = True
        count = np.concatenate(([0], np.cumsum(content)))
        tag = self.page.tag
        holds = count[self.page.end] > count[:-1]
        chosen = content | holds & (tag != TEXT) | _IS_BREAK[tag] | _IS_CELL[tag] | (tag == _TR)
        found: list[int] = chosen.nonzero()[0].tolist()
        return found

    # The stack of open boxes

    def _close_until(self, row: int) -> None:
        while self.marks and self.marks[-1].end <= row:
            self.marks.pop()
        while len(self.boxes) > 1 and self.boxes[-1].end <= row:
            box = self.boxes.pop()
            self._end_line()
            if box.is_own:
                _CLOSERS.get(str(box.element.tag), trim)(box.element)
                if is_empty(box.element):
                    remove_element(box.element)

    def _open(self, kind: str, row: int, tag: str, **attributes: str) -> None:
        if len(self.boxes) >= _DEEPEST:
            return
        self._end_line()
        parent = self.boxes[-1].element
        while len(parent) and parent[-1].tag == "lb" and not (parent[-1].tail or "").strip():
            parent.remove(parent[-1])
        element = etree.SubElement(parent, tag, attributes)
        hidden = len(self.marks) if any(box.element.tag == "cell" for box in self.boxes) else 0
        self.boxes.append(_Box(kind, element, int(self.page.end[row]), hidden))

    def _open_flow(self, row: int) -> None:
        """Opens a part of the page that has no element of its own; in a line it is nothing."""
        box = self.boxes[-1]
        if box.kind not in ("flow", "mixed") or len(self.boxes) >= _DEEPEST:
            return
        if box.kind == "flow":
            self._end_line()
        hidden = len(self.marks) if any(box.element.tag == "cell" for box in self.boxes) else 0
        end = int(self.page.end[row])
        self.boxes.append(box._replace(end=end, marks=hidden, is_own=False))

    def _end_line(self) -> None:
        if self.line is not None:
            trim(self.line)
            if is_empty(self.line):
                remove_element(self.line)
        self.line = None
        self.open_marks = []

    def _line_for(self, row: int) -> etree._Element:
        """The element that text at a row goes into."""
        box = self.boxes[-1]
        if box.kind in ("line", "mixed"):
            return box.element
        if self.line is None:
            parent = box.element
            if box.kind in ("list", "table", "row"):
                tag = {"list": "item", "table": "p", "row": "cell"}[box.kind]
                parent = parent if box.kind != "table" else self.body
                self.line = etree.SubElement(parent, tag)
            else:
                self.line = etree.SubElement(parent, "p")
        return self.line

    # Text

    def _add_text(self, row: int) -> None:
        if not self.text[row]:
            return
        raw = drop_non_xml(self.page.text[row])
        segment = self.material.segment[row]
        is_new = self._turn_line(row, segment)
        text = " ".join(raw.split())
        if raw[:1].isspace() and not is_new:
            text = " " + text
        if raw[-1:].isspace() and text != " ":
            text += " "
        append_text(self._open_marks_for(self._line_for(row)), text)
        self.segment, self.last = segment, row

    def _turn_line(self, row: int, segment: int) -> bool:
        """Ends the line before a text on another one, unless one break alone is between them;
        whether the text must begin without a space."""
        if self.last < 0 or self.page.breaks[row] == self.page.breaks[self.last]:
            return False
        joins = self.material.joins[segment] and segment == self.segment + 1
        if self.line is not None and not joins:
            self._end_line()
        elif self.boxes[-1].kind == "line" and not joins:
            self._split_line()
        elif self.boxes[-1].kind == "mixed" and not joins:
            self.open_marks = []
            return divide_lines(self.boxes[-1].element)
        return joins

    def _split_line(self) -> None:
        """Goes on in a new paragraph where an empty line divides one of the page."""
        box = self.boxes[-1]
        if box.element.tag == "p" and not is_empty(box.element):
            trim(box.element)
            self.open_marks = []
            made = etree.Element("p")
            box.element.addnext(made)
            self.boxes[-1] = box._replace(element=made)

    def _open_marks_for(self, line: etree._Element) -> etree._Element:
        """The innermost element of the marks that hold here; neighbours share those alike."""
        wanted = self.marks[self.boxes[-1].marks :]
        if self.open_marks and self.open_marks[0][1].getparent() is not line:
            self.open_marks = []
        keep = 0
        for (mark, element), other in zip(self.open_marks, wanted):
            if not mark.is_like(other) or is_followed(element):
                break
            keep += 1
        del self.open_marks[keep:]
        for mark in wanted[keep:]:
            inner = self.open_marks[-1][1] if self.open_marks else line
            attributes = {mark.name: mark.value} if mark.name else {}
            self.open_marks.append((mark, etree.SubElement(inner, mark.tag, attributes)))
        return self.open_marks[-1][1] if self.open_marks else line

    def _add_break(self, row: int) -> None:
        box = self.boxes[-1]
        line = box.element if box.kind in ("line", "mixed") else self.line
        if line is None or is_empty(line):
            return
        self.open_marks = [pair for pair in self.open_marks if pair[0].end > row]
        inner = self.open_marks[-1][1] if self.open_marks else line
        strip_end(inner)
        etree.SubElement(inner, "lb")

    def _open_link(self, row: int) -> None:
        if self.options.links:
            self._push(_Mark("ref", *_read_target(self.page, row), int(self.page.end[row])))

    def _open_mark(self, row: int, code: int) -> None:
        page, end = self.page, int(self.page.end[row])
        tag, rend = _MARKS[code]
        is_alone = self.boxes[-1].kind == "flow" and self.line is None
        if is_alone and tag == "hi" and _QUESTION in page.attrs[row]:
            self._open("line", row, "head", rend="h3")
        elif is_alone and code == _CODE and np.any(page.tag[row:end] == _BR):
            self._add_code(row, listings.read_code)
        elif tag == "code" or self.options.formatting:
            self._push(_Mark(tag, "rend" if rend else "", rend, end))

    def _push(self, mark: _Mark) -> None:
        if not any(mark.is_like(other) for other in self.marks):
            self.marks.append(mark)
        elif mark.tag == "code" and self.open_marks:  # code in code
            append_text(self.open_marks[-1][1], " ")

    # Blocks

    def _open_heading(self, row: int) -> None:
        segment, end = self.material.segment, self.material.end[row]
        if segment[end - 1] - segment[row] > _LONGEST_HEADING:  # a box around blocks
            self._open_flow(row)
        elif self.boxes[-1].kind in ("flow", "mixed"):
            level = self.material.tag[row] - CODES["h1"] + 1
            self._open("line", row, "head", rend=f"h{level}")

    def _open_paragraph(self, row: int) -> None:
        if self.boxes[-1].kind in ("flow", "mixed"):
            self._open("line", row, "p")

    def _open_quote(self, row: int) -> None:
        if self.boxes[-1].kind in ("flow", "mixed"):
            self._open("mixed", row, "quote")

    def _open_list(self, row: int) -> None:
        box = self.boxes[-1]
        if box.kind == "list":  # a list in a list belongs to the item before
            items = box.element
            inner = items[-1] if len(items) else etree.SubElement(items, "item")
            end = int(self.page.end[row])
            self.boxes.append(_Box("mixed", inner, end, is_own=False))
        elif box.kind not in ("flow", "mixed"):
            return
        rend = {CODES["ol"]: "ol", CODES["dl"]: "dl"}.get(self.material.tag[row], "ul")
        self._open("list", row, "list", rend=rend)

    def _open_item(self, row: int) -> None:
        if self.boxes[-1].kind == "list":
            self._open("mixed", row, "item")
        else:
            self._open_flow(row)

    def _open_entry(self, row: int) -> None:
        """Opens a term or its explanation: both have the number of the term."""
        box = self.boxes[-1]
        if box.kind != "list":
            self._open_flow(row)
            return
        terms = sum((item.get("rend") or "").startswith("dt") for item in box.element)
        is_term = self.material.tag[row] == CODES["dt"]
        name = f"dt-{terms + 1}" if is_term else f"dd-{max(terms, 1)}"
        self._open("mixed", row, "item", rend=name)

    def _open_code(self, row: int) -> None:
        self._add_code(row, listings.read_code)

    def _add_code(self, row: int, read: Callable[[Page, int, Sequence[int], Bools], str]) -> None:
        page, end = self.page, int(self.page.end[row])
        self.over = end
        text = read(page, row, self.material.tag, self.text)
        if not text or listings.is_gutter_text(text):
            return
        raw = "".join(page.text[row:end])
        text += raw[len(raw.rstrip()) :]
        box = self.boxes[-1]
        parent = box.element if box.kind in ("flow", "mixed", "line") else self.body
        if self.line is not None:  # a listing after loose text belongs to it
            parent = self.line
            strip_end(parent)
        etree.SubElement(parent, "code").text = drop_non_xml(text)
        self._end_line()
        self.last = end - 1

    # Tables

    def _open_table(self, row: int) -> None:
        end, box = int(self.page.end[row]), self.boxes[-1]
        if box.kind not in ("flow", "mixed") or any(b.kind == "table" for b in self.boxes):
            self._open_flow(row)
            return
        if listings.is_listing(self.page, list(range(row + 1, end))):
            self._open_code(row)
        elif self._is_menu(row):
            self.over = end
        elif not self._is_table(row):
            self._open_flow(row)
        elif self.options.tables:
            self._open("table", row, "table")
        else:
            self.over = end

    def _is_table(self, row: int) -> bool:
        """Whether a table is one: it has no other inside, and it does not lay out the page."""
        page = self.page
        inside = list(range(row + 1, int(page.end[row])))
        if (page.tag[inside] == _TABLE).any() and not tables.has_own_headers(page, row):
            return False
        return _is_small_table(page, row) or tables.is_data_table(page, row, inside)

    def _is_menu(self, row: int) -> bool:
        """Whether a table is a box of links."""
        page, end = self.page, int(self.page.end[row])
        if np.count_nonzero(_IS_CELL[page.tag[row:end]]) > 1:
            return False
        links = np.zeros(end - row, dtype=np.bool_)
        for at in range(row, end):
            if self.material.tag[at] == _A:
                links[at - row : page.end[at] - row] = True
        sizes = np.array([len(page.text[at].strip()) for at in range(row, end)])
        whole = int(sizes.sum())
        return whole > _LINK_TABLE and int(sizes[links].sum()) > _MOSTLY * whole

    def _open_caption(self, row: int) -> None:
        """The caption is a first row that is a header."""
        if self.boxes[-1].kind == "table":
            self._open("row", row, "row")
            self._open("mixed", row, "cell", role="head")
        else:
            self._open_flow(row)

    def _open_row(self, row: int) -> None:
        if self.boxes[-1].kind == "table":
            self._open("row", row, "row")
        else:
            self._open_flow(row)

    def _open_cell(self, row: int) -> None:
        page = self.page
        if self.boxes[-1].kind != "row":
            self._open_flow(row)
            return
        role = {"role": "head"} if self.material.tag[row] == CODES["th"] else {}
        spans = {name: tables.read_span(page, row, name) for name in ("colspan", "rowspan")}
        given = {name: str(span) for name, span in spans.items() if span > 1}
        self._open("mixed", row, "cell", **role, **given)

    # Pictures and formulas

    def _add_image(self, row: int) -> None:
        image = self.images[row]
        box = self.boxes[-1]
        same_line = self.last >= 0 and self.page.breaks[row] == self.page.breaks[self.last]
        if box.kind in ("line", "mixed"):
            parent = box.element
        elif self.line is not None and same_line:
            parent = self.line
        else:
            self._end_line()
            parent = box.element if box.kind == "flow" else self.body
        self.open_marks = []
        caption = "" if image.caption in self.captions else image.caption
        self.captions.add(caption)
        _add_graphic(parent, self.page, row, image.url, image.alt, caption)

    def _add_formula(self, row: int) -> None:
        formula = self.material.formulas[row]
        self.over = max(formula.end, int(self.page.end[row]))
        if not formula.tex:
            return
        if formula.display and self.boxes[-1].kind == "flow":
            self._end_line()
            etree.SubElement(self.boxes[-1].element, "p").text = drop_non_xml(formula.tex)
        else:
            append_text(self._line_for(row), f"${drop_non_xml(formula.tex)}$")
        self.last = self.over - 1


_OPENERS: Final[dict[int, Callable[[_TreeWriter, int], None]]] = {
    CODES[name]: opener
    for names, opener in {
        "h1 h2 h3 h4 h5 h6": _TreeWriter._open_heading,
        "p": _TreeWriter._open_paragraph,
        "blockquote": _TreeWriter._open_quote,
        "ul ol menu dir dl": _TreeWriter._open_list,
        "li": _TreeWriter._open_item,
        "dt dd": _TreeWriter._open_entry,
        "pre listing xmp plaintext": _TreeWriter._open_code,
        "table": _TreeWriter._open_table,
        "caption": _TreeWriter._open_caption,
        "tr": _TreeWriter._open_row,
        "td th": _TreeWriter._open_cell,
    }.items()
    for name in names.split()
}


def _place_images(
    page: Page, text: Bools, images: tuple[Image, ...], is_recall: bool
) -> dict[int, Image]:
    """The pictures of the article by row, where the page shows one of them again in its text, too;
    for recall, all that stand in a text."""
    found = {image.row: image for image in images if image.row >= 0}
    known = {image.url for image in images}
    kept = np.flatnonzero(text)
    for row in page.rows(_IMG) if len(kept) and (known or is_recall) else ():
        is_inside = is_recall and any(
            text[up : page.end[up]].any() for up in islice(page.ancestors(row), _AROUND)
        )
        if row in found or not (is_inside or kept[0] < row < kept[-1]):
            continue
        source = find_image_source(page, row)
        if source is not None and (is_inside or source.url in known):
            found[row] = Image(source.url, source.alt, row=row)
    return found


def _add_graphic(
    parent: etree._Element, page: Page, row: int, url: str, alt: str, caption: str = ""
) -> None:
    title = " ".join((page.attribute(row, "title") or caption).split())
    given = {"src": original_address(url), "alt": alt, "title": title}
    etree.SubElement(
        parent, "graphic", {name: drop_non_xml(value) for name, value in given.items() if value}
    )


def _read_target(page: Page, row: int) -> tuple[str, str]:
    """The attribute of a link with its address; a broken address is taken as it is written."""
    href = page.attribute(row, "href")
    if href is None:
        return "", ""
    found = link_address(page.base_url, href)
    if found:
        return "target", drop_non_xml(original_address(drop_tracking(found)))
    try:
        urlsplit(href)
    except ValueError:
        return "target", drop_non_xml(href)
    return "", ""


def original_address(address: str) -> str:
    """An address as the page has it, if the page was read without its own.

    >>> original_address(NOWHERE + "a.html"), original_address("https://page.invalid/b")
    ('a.html', '/b')
    """
    for base, own in ((NOWHERE, ""), (_NOWHERE_ROOT, "/")):
        if address.startswith(base):
            return own + address.removeprefix(base)
    return address


def _is_small_table(page: Page, row: int) -> bool:
    """A table of short cells is one, also if it has a single row."""
    tags = page.tag[row + 1 : page.end[row]]
    cells = int(np.isin(tags, _CELLS).sum())
    if not cells or (tags == _TABLE).any() or 'role="presentation"' in page.attrs[row]:
        return False
    return len(page.inner_text(row)) < _SMALL_CELL * cells


_CLOSERS: Final[dict[str, Callable[[etree._Element], None]]] = {
    "table": fill_table,
    "row": lambda row: None,
    "list": lambda items: None,
}
