"""Articles → the data that `_article.typ` typesets, and the files that it shows."""

from __future__ import annotations

import io
import math
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Final
from xml.etree import ElementTree

from tearsheet.addresses import is_safe_link
from tearsheet.article import Article
from tearsheet.article.blocks import walk_blocks
from tearsheet.errors import MissingExtra
from tearsheet.layout import _document, _fonts
from tearsheet.layout._formula import typst
from tearsheet.picture_files import DRAWING, open_bitmap
from tearsheet.types import (
    Block,
    Callout,
    Code,
    Definitions,
    Embed,
    Figure,
    Footnotes,
    Heading,
    Image,
    ListBlock,
    Math,
    Note,
    Options,
    Paragraph,
    Post,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
)  # fmt: skip
from tearsheet.writing import drop_controls, is_right_to_left

Data = dict[str, Any]

_PAPERS: Final = {
    "a3": (842, 1191), "a4": (595, 842), "a5": (420, 595), "a6": (298, 420), "b5": (499, 709),
    "letter": (612, 792), "legal": (612, 1008), "tabloid": (792, 1224),
}  # fmt: skip
"""Points."""
_UNITS: Final = {"mm": 72 / 25.4, "cm": 720 / 25.4, "in": 72.0, "pt": 1.0, "px": 0.75}
_LENGTH: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(mm|cm|in|pt|px)")
_MEASURE: Final = 34.0
"""Ems in a line: about 75 letters, the upper end of what reads well on paper."""
_SMALLEST: Final = 0.55
"""Smallest scale of a picture that is shrunk to fit on its page."""
_MOST_FITTED: Final = 40
"""Most figures that are fitted to their pages: each step typesets all pages again."""
_DEEPEST_POST: Final = 3
"""Steps that replies are indented by at most."""
_MOST_LINK_NOTES: Final = 300
_SCALES: Final = (0.84, 0.76, 0.68, 0.6)
"""Sizes that a table's text may have, in ems of the text around it."""
_LONG_CELL: Final = 900
"""A cell with more letters may break across pages."""
_NUMBER: Final = re.compile(r"[-−+±~<>≈$€£¥]?\s?\d[\d.,\s%:/–-]*(?:[%€$£]|[a-zA-Z]{1,3})?")
_WIDE: Final = "\u3000-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_UNSPACED: Final = re.compile(f"(?<=[{_WIDE}]) (?=[{_WIDE}])")
"""A space between two Chinese or Japanese characters, left by a line break in the source."""
_MOST_RUNS: Final = 500
_LONGEST_PARAGRAPH: Final = 50_000
"""Letters."""
_LONGEST_MIXED: Final = 5_000
"""… if some are written from right to left: each change of direction costs time."""
_WORD: Final = 200
"""Letters before the end of such a part in which a space is looked for."""
_RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_LONGEST_TEX: Final = 2_000
"""Letters of a formula's source that is shown as such; a longer one is set as a listing."""
_LONGEST_SIDE: Final = 100_000.0
"""Pixels; a drawing may declare any number."""
_ZERO: Final = "\u200b"


class Frame:
    """The sizes of a document's pages, in points."""

    def __init__(self, options: Options) -> None:
        self.width, self.height = paper(options.paper)
        self.columns = max(1, min(options.columns, 3))
        side = min(self.width * 0.085, 51) if self.columns > 1 else self.width * 0.12
        if self.columns == 1:
            side = max(side, (self.width - _MEASURE * options.font_size) / 2)
        margin = length(options.margin)
        self.side = side if margin is None else margin
        self.top = min(self.height * 0.085, 72) if margin is None else margin
        self.bottom = min(self.height * 0.09, 76) if margin is None else margin
        self.gutter = 2.2 * options.font_size
        inner = self.width - 2 * self.side
        self.column = (inner - self.gutter * (self.columns - 1)) / self.columns
        self.text_height = self.height - self.top - self.bottom
        self.widths = [self.column]
        """Widths for a table: the column, the page with narrow margins, the turned page."""
        if self.columns == 1:
            self.widths += [max(self.column, self.width - 2 * min(self.side, 40)), self.text_height]


def paper(name: str) -> tuple[float, float]:
    """Width and height in points of a paper, by name or by measures."""
    sizes = _LENGTH.findall(name.lower())
    if len(sizes) == 2:
        width, height = (float(number) * _UNITS[unit] for number, unit in sizes)
        return max(width, 140.0), max(height, 140.0)
    return _PAPERS.get(name.lower().strip(), _PAPERS["a4"])


def length(text: str) -> float | None:
    found = _LENGTH.fullmatch(text.lower().strip())
    return float(found[1]) * _UNITS[found[2]] if found else None


def document(
    articles: tuple[Article, ...], options: Options, *, formulas: bool = True, pictures: bool = True
) -> tuple[Data, dict[str, bytes]]:
    """The data of a whole document and its files by name."""
    frame, first = Frame(options), articles[0]
    files: dict[str, bytes] = {}
    setters = [
        Setter(article, options, frame, files, number, formulas=formulas, pictures=pictures)
        for number, article in enumerate(articles)
    ]
    language = _document.language(first)
    title = _document.title(first)
    if len(articles) > 1:
        sites = {article.metadata.site for article in articles}
        title = next(iter(sites)) or "Articles" if len(sites) == 1 else "Articles"
    data = {
        "title": drop_controls(title),
        "authors": sorted({drop_controls(name) for a in articles for name in a.metadata.authors}),
        "keywords": [drop_controls(tag) for tag in first.metadata.tags],
        "description": drop_controls(first.metadata.description) or None,
        "look": _page_look(options, frame, language, _document.direction(first)),
        "articles": [setter.article_data() for setter in setters],
    }
    return data, files


def _page_look(options: Options, frame: Frame, language: str, direction: str) -> Data:
    tall = _leading(language)
    return {
        "width": frame.width, "height": frame.height, "margin_x": frame.side,
        "margin_top": frame.top, "margin_bottom": frame.bottom, "columns": frame.columns,
        "gutter": frame.gutter, "column": frame.column, "smallest": _SMALLEST,
        "size": options.font_size, "grey": options.grey, "header": options.header,
        "dir": direction, "leading": tall,
        "below": 0.88 + (tall - 0.66) / 2,
        "pad": 0.42 + (tall - 0.66), "spacing": tall + 0.35,
        "justify": True, "emphasis": "italic" if _has_italics(language) else "normal",
        "tall": tall > 0.8,
        "fonts": {
            "serif": _fonts.serif(language, options.font), "sans": _fonts.sans(language),
            "mono": _fonts.mono(language),
        },
    }  # fmt: skip


def _leading(language: str) -> float:
    """Space between lines in ems; some scripts need more."""
    first = language.split("-")[0]
    return {"zh": 0.92, "ja": 0.92, "ko": 0.85, "ur": 1.3}.get(
        first, 0.9 if is_right_to_left(language) else 0.66
    )


def _has_italics(language: str) -> bool:
    first = language.split("-")[0]
    return first not in ("zh", "ja", "ko", "th") and not is_right_to_left(language)


class Setter:
    """Writes one article as data."""

    def __init__(
        self,
        article: Article,
        options: Options,
        frame: Frame,
        files: dict[str, bytes],
        number: int,
        *,
        formulas: bool,
        pictures: bool,
    ) -> None:
        self.article, self.options, self.frame, self.files = article, options, frame, files
        self.number, self.formulas, self.with_pictures = number, formulas, pictures
        self.blocks_of = _document.body(article)
        self.levels = _document.levels(self.blocks_of)
        self.notes: dict[str, Note] = {}
        for block in walk_blocks(self.blocks_of):
            if isinstance(block, Footnotes):
                self.notes.update((note.id, note) for note in block.notes)
        self.called = {run.note for run in _all_runs(self.blocks_of) if run.note in self.notes}
        self.labels: dict[str, str] = {}
        self.links: dict[str, str] = {}
        self.figures = 0
        self.few_figures = sum(isinstance(b, Figure) for b in self.blocks_of) <= _MOST_FITTED
        self.unspaced = _document.language(article).split("-")[0] in ("zh", "ja")
        self.depth = 0
        """How many lists are open."""
        self.quiet = 0
        """Above 0: inside a heading or note, where no notes are allowed."""

    def article_data(self) -> Data:
        article = self.article
        meta, language = article.metadata, _document.language(article)
        source = _document.source(article)
        parts = language.split("-")
        known = parts[0] != "und" and 2 <= len(parts[0]) <= 3
        tall = _leading(language)
        indent = {"zh": 2.0, "ja": 1.0}.get(parts[0], 0.0)
        return {
            "title": drop_controls(_document.title(article)),
            "running": drop_controls(" · ".join(filter(None, (meta.site, meta.title)))),
            "authors": drop_controls(", ".join(meta.authors)),
            "date": _document.publication_day(article),
            "site": drop_controls(meta.site),
            "source": source,
            "source_shown": _allow_breaks(drop_controls(source or ""), 0),
            "qr": self.qr(source) if self.options.qr and source else None,
            "lang": parts[0].lower() if known else "en",
            "region": next((p.upper() for p in parts[1:] if len(p) == 2 and p.isalpha()), None),
            "dir": _document.direction(article),
            "fonts": _fonts.serif(language, self.options.font),
            "indent": indent,
            "leading": tall,
            "spacing": tall + (0.0 if indent else 0.38),
            "blocks": self.blocks(self.blocks_of, top=True),
            "missing": drop_controls(_document.missing(article)),
        }

    def qr(self, source: str) -> str:
        try:
            import segno
        except ImportError as error:
            raise MissingExtra("a QR code", error.name, "pdf") from None

        out = io.BytesIO()
        segno.make(source, error="m").save(out, kind="svg", border=0, xmldecl=False, svgns=True)
        name = f"qr-{self.number}.svg"
        self.files[name] = out.getvalue()
        return name

    def blocks(self, blocks: tuple[Block, ...], *, top: bool = False) -> list[Data]:
        found: list[Data] = []
        for block in blocks:
            if isinstance(block, Table):
                found.append(self.table(block, may_turn=top))
            elif isinstance(block, Figure):
                found += self.figure(block, may_shrink=top)
            elif isinstance(block, Paragraph):
                found += [{"t": "p", "runs": self.part(part)} for part in _cut_runs(block.runs)]
            else:
                made = getattr(self, type(block).__name__.lower())(block)
                found += [made] if made else []
        return found

    def heading(self, block: Heading) -> Data:
        self.quiet += 1
        runs = self.runs(block.runs)
        self.quiet -= 1
        return {"t": "h", "level": self.levels[block.level] + 1, "runs": runs}

    def listblock(self, block: ListBlock) -> Data:
        tight = all(
            len(item) == 1 or all(isinstance(b, ListBlock) for b in item[1:])
            for item in block.items
        )
        self.depth += 1
        items = [self.flow(item) for item in block.items]
        self.depth -= 1
        return {
            "t": "list", "ordered": block.ordered, "tight": tight, "inner": self.depth > 0,
            "start": max(block.start, 0), "items": items,
        }  # fmt: skip

    def flow(self, blocks: tuple[Block, ...]) -> list[Data]:
        """The content of an item or cell: its first paragraph is a plain line."""
        if blocks and isinstance(blocks[0], Paragraph):
            line = {"t": "line", "runs": self.runs(blocks[0].runs)}
            return [line, *self.blocks(blocks[1:])]
        return self.blocks(blocks)

    def definitions(self, block: Definitions) -> Data:
        entries = [{"term": self.runs(term), "blocks": self.blocks(b)} for term, b in block.entries]
        return {"t": "dl", "entries": entries}

    def quote(self, block: Quote) -> Data:
        return {"t": "quote", "blocks": self.blocks(block.blocks)}

    def callout(self, block: Callout) -> Data:
        label = self.runs(block.label)
        return {"t": "callout", "label": label, "blocks": self.blocks(block.blocks)}

    def post(self, block: Post) -> Data:
        return {
            "t": "post", "author": drop_controls(block.author),
            "time": drop_controls(_document.post_time(block)),
            "depth": min(block.depth, _DEEPEST_POST), "blocks": self.blocks(block.blocks),
        }  # fmt: skip

    def code(self, block: Code) -> Data:
        room = int(self.frame.column / (self.options.font_size * 0.84 * 0.602)) - 4
        lines = drop_controls(block.text).expandtabs(4).split("\n")
        return {"t": "code", "text": "\n".join(_allow_breaks(line, room) for line in lines)}

    def rule(self, block: Rule) -> Data:
        return {"t": "rule"}

    def math(self, block: Math) -> Data | None:
        tex = drop_controls(block.tex)
        formula = typst(block.tex, block.mathml) if self.formulas else ""
        if not tex and not formula:
            return None
        if not formula and len(tex) > _LONGEST_TEX:
            return self.code(Code(tex))
        return {"t": "math", "tex": tex or "formula"} | ({"formula": formula} if formula else {})

    def embed(self, block: Embed) -> Data | None:
        if not is_safe_link(block.url):
            return None
        return {"t": "embed", "runs": self.runs((Run(block.title or block.url, href=block.url),))}

    def footnotes(self, block: Footnotes) -> Data | None:
        """The notes without a reference; the others go to the foot of their page."""
        notes = [note for note in block.notes if note.id not in self.called]
        rows = [{"label": drop_controls(n.label), "blocks": self.blocks(n.blocks)} for n in notes]
        return {"t": "notes", "notes": rows} if rows else None

    def figure(self, block: Figure, *, may_shrink: bool) -> list[Data]:
        images = [made for image in block.images if (made := self.image(image))]
        runs, credit = _document.caption(block)
        caption = self.runs(runs)
        if credit:
            caption.append(
                {
                    "t": "run",
                    "text": (" " if caption else "") + _keep_together(drop_controls(credit)),
                }
            )
        if not images and (not caption or not block.caption):
            return []
        self.figures += 1
        name = f"{self.number}-{self.figures}" if may_shrink and self.few_figures else None
        return [{"t": "figure", "images": self.rows(images), "caption": caption, "id": name}]

    def image(self, image: Image) -> Data | None:
        if self.options.images == "off" or not self.with_pictures:
            return None
        picture = _document.picture(self.article, image)
        if picture is None:
            return None
        size = _picture_size(picture.body, picture.media_type)
        suffix = _SUFFIXES.get(picture.media_type)
        if size is None or suffix is None:
            return None
        name = f"picture-{self.number}-{len(self.files)}.{suffix}"
        drawing = picture.media_type == DRAWING
        self.files[name] = (
            picture.body if drawing or not self.options.grey else _remove_colour(picture.body)
        )
        return {
            "file": name, "width": size[0] * 0.75, "ratio": size[0] / size[1],
            "alt": drop_controls(image.alt or image.caption or "picture"),
        }  # fmt: skip

    def rows(self, images: list[Data]) -> list[list[Data]]:
        """The pictures of a figure in rows of two or three, equally high and not too large."""
        small = self.options.images == "small"
        tallest = self.frame.text_height * (0.22 if small else 0.38)
        widest = self.frame.column * (0.5 if small else 1.0)
        count = 3 if len(images) == 3 else 2
        rows = [images[i : i + count] for i in range(0, len(images), count)]
        for row in rows:
            room = widest - 0.7 * self.options.font_size * (len(row) - 1)
            ratios = sum(image["ratio"] for image in row)
            height = min(tallest, room / ratios, *(i["width"] / i["ratio"] for i in row))
            for image in row:
                image["width"] = height * image["ratio"]
        return rows

    def table(self, block: Table, *, may_turn: bool) -> Data:
        block = _document.fit_table(block)
        cells = _document.place_cells(block)
        count = max((cell.x + cell.width for cell in cells), default=1)
        columns, scale, width = self.fit_columns(cells, count, may_turn)
        rows: list[list[Data]] = [[] for _ in block.rows]
        numbers = _number_columns(cells)
        for cell in cells:
            rows[cell.y].append(
                {
                    "x": cell.x, "y": cell.y, "colspan": cell.width, "rowspan": cell.height,
                    "header": cell.cell.header, "blocks": self.flow(cell.cell.blocks),
                    "number": cell.width == 1 and cell.x in numbers,
                    "breakable": sum(_text_length(cell.cell.blocks)) > _LONG_CELL,
                }
            )  # fmt: skip
        return {
            "t": "table", "columns": columns, "scale": scale, "rows": rows,
            "turn": width == self.frame.text_height,
            "over": max(0.0, (width - self.frame.column) / 2),
            "head": _count_header_rows(block, cells), "caption": self.runs(block.caption),
        }  # fmt: skip

    def fit_columns(
        self, cells: list[_document.PlacedCell], count: int, may_leave: bool
    ) -> tuple[list[float], float, float]:
        """Widths of columns (0: as wide as they are), size of the text, and width of the table.

        A table that does not fit into the column gets smaller text, then the margins, and in the
        end a page of its own that is turned.
        """
        longest, word = _column_extents(cells, count)
        short = [line < 1.3 * w + 1.5 for line, w in zip(longest, word)]
        wanted = [
            line if whole else max(w, min(2.3 * math.sqrt(line), 0.62 * line + 0.6))
            for line, w, whole in zip(longest, word, short)
        ]
        weights = [0.0 if whole else width for whole, width in zip(short, wanted)]
        widths = self.frame.widths if may_leave else self.frame.widths[:1]
        for width in widths:
            for scale in _SCALES:
                room = width / (self.options.font_size * scale) - 1.15 * count
                if sum(longest) <= room:
                    return [0.0] * count, scale, width
                if sum(wanted) <= room:
                    return weights, scale, width
        return weights, _SCALES[-1] * 0.9, widths[-1]

    def runs(self, runs: Runs) -> list[Data]:
        """Runs of a block; those of a very long one are paragraphs within it."""
        first, *others = (self.part(part) for part in _cut_runs(runs))
        return [*first, *(data for part in others for data in ({"t": "parbreak"}, *part))]

    def part(self, runs: Runs) -> list[Data]:
        return [self.run(run) for run in runs]

    def run(self, run: Run) -> Data:
        if run.text == "\n":
            return {"t": "break"}
        text = drop_controls(run.text)
        if self.unspaced and not run.marks & {"code", "kbd", "math"}:
            text = _UNSPACED.sub("", text)
        found: Data = {"t": "run", "text": _allow_breaks(text, 28)}
        if run.marks:
            found["marks"] = sorted(run.marks)
        if "math" in run.marks and self.formulas:
            formula = typst(run.text)
            found |= {"formula": formula} if formula else {}
        if run.note in self.notes:
            found |= self.call(self.notes[run.note], run)
        elif run.href and is_safe_link(run.href) and self.options.links != "none":
            found["href"] = drop_controls(run.href)
            found |= self.address(run)
        return found

    def call(self, note: Note, run: Run) -> Data:
        """The sign of a note; at its first reference the note itself."""
        label = drop_controls(run.text.strip("[]() ")) or note.label
        if note.id in self.labels or self.quiet:
            return {"silent": True, "again": self.labels.get(note.id, label)}
        self.labels[note.id] = label
        self.quiet += 1
        blocks = self.flow(note.blocks)
        self.quiet -= 1
        return {"silent": True, "note": {"label": label, "blocks": blocks}}

    def address(self, run: Run) -> Data:
        """The address of a link as a note, for readers of paper; each address once."""
        url = run.href or ""
        shown = url.removeprefix("mailto:").removeprefix("tel:")
        known = run.text.strip() in (url, shown) or url in self.links
        if known or len(self.links) >= _MOST_LINK_NOTES or self.options.links == "none":
            return {}
        text = _allow_breaks(drop_controls(shown), 0)
        if self.options.links == "inline":
            self.links[url] = ""
            return {"url": text}
        if self.quiet:
            return {}
        self.links[url] = label = _number_sign(len(self.links) + 1, letters=bool(self.called))
        blocks = [{"t": "line", "runs": [{"t": "run", "text": text, "href": drop_controls(url)}]}]
        return {"note": {"label": label, "blocks": blocks}}


_SUFFIXES: Final = {
    "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/svg+xml": "svg",
    "image/webp": "webp",
}  # fmt: skip


def _picture_size(body: bytes, media_type: str) -> tuple[int, int] | None:
    """Width and height in pixels; None if this is not a picture."""
    if media_type == DRAWING:
        return _drawing_size(body)
    with open_bitmap(body) as picture:
        return picture.size


def _remove_colour(body: bytes) -> bytes:
    """The picture without its colours, in its own format; as it is if it cannot be decoded."""
    out = io.BytesIO()
    with open_bitmap(body) as picture:
        form = picture.format
        try:
            clear = picture.has_transparency_data
            picture.convert("LA" if clear else "L").save(out, form)
        except Exception:  # Pillow raises many kinds for broken files
            return body
    return out.getvalue()


def _drawing_size(body: bytes) -> tuple[int, int] | None:
    """Width and height that an SVG declares; without them it gets the width of the text."""
    try:
        root = ElementTree.fromstring(body)  # noqa: S314  checked by `pictures`: no entities
    except ElementTree.ParseError:
        return None
    box = [_read_side(n) for n in re.findall(r"-?\d+(?:\.\d+)?", root.get("viewBox", ""))]
    found = [re.match(r"\d+(?:\.\d+)?(?=px|$)", root.get(side, "")) for side in ("width", "height")]
    width, height = (_read_side(m[0]) if m else 0.0 for m in found)
    if width > 0 and height > 0:
        return int(width) or 1, int(height) or 1
    if len(box) == 4 and box[2] > 0 and box[3] > 0:
        return 1200, max(1, int(min(1200 * box[3] / box[2], _LONGEST_SIDE)))
    return 1200, 800


def _read_side(number: str) -> float:
    return min(float(number), _LONGEST_SIDE)


def _cut_runs(runs: Runs) -> Iterator[Runs]:
    """The runs, in parts if they are so long that Typst would take the square of their time."""
    longest = _LONGEST_PARAGRAPH
    if any(_RIGHT_TO_LEFT.search(run.text) for run in runs):
        longest = _LONGEST_MIXED
    part: list[Run] = []
    length = 0
    for piece in (piece for run in runs for piece in _cut_run(run, longest)):
        if part and (len(part) >= _MOST_RUNS or length + len(piece.text) > longest):
            yield tuple(part)
            part, length = [], 0
        part.append(piece)
        length += len(piece.text)
    yield tuple(part)


def _cut_run(run: Run, longest: int) -> Iterator[Run]:
    """The run, or pieces of a very long one: they end at a space, if there is one close by."""
    text = run.text
    while len(text) > longest:
        space = text.rfind(" ", longest - _WORD, longest)
        end = space + 1 if space >= 0 else longest
        yield run._replace(text=text[:end])
        text = text[end:]
    yield run if text is run.text else run._replace(text=text)


def _column_extents(
    cells: list[_document.PlacedCell], count: int
) -> tuple[list[float], list[float]]:
    """Longest line and longest word of each column, in ems."""
    longest, word = [1.0] * count, [1.0] * count
    for cell in cells:
        text = " ".join(_document.plain_line(run) for run in _cell_runs(cell.cell.blocks))
        share = _width_in_ems(text) / cell.width
        narrow = max(map(_width_in_ems, text.split()), default=0.0) / cell.width
        for x in range(cell.x, cell.x + cell.width):
            longest[x], word[x] = max(longest[x], share), max(word[x], min(narrow, 12.0))
    return longest, word


def _number_columns(cells: list[_document.PlacedCell]) -> set[int]:
    """The columns whose cells, headers apart, are nearly all numbers."""
    seen: dict[int, list[bool]] = {}
    for cell in cells:
        text = " ".join(_document.plain_line(run) for run in _cell_runs(cell.cell.blocks)).strip()
        if cell.width == 1 and text and not cell.cell.header:
            seen.setdefault(cell.x, []).append(bool(_NUMBER.fullmatch(text)))
    return {x for x, found in seen.items() if sum(found) >= 0.8 * len(found)}


def _count_header_rows(table: Table, cells: list[_document.PlacedCell]) -> int:
    """How many rows at the top are headers, which are repeated on every page."""
    count = 0
    while count < len(table.rows) - 1 and all(c.header for c in table.rows[count]):
        if not table.rows[count]:
            break
        count += 1
    crosses = any(cell.y < count < cell.y + cell.height for cell in cells)
    return 0 if crosses else count


def _cell_runs(blocks: tuple[Block, ...]) -> Iterator[Runs]:
    for block in walk_blocks(blocks):
        runs = getattr(block, "runs", None)
        if runs:
            yield runs


def _text_length(blocks: tuple[Block, ...]) -> Iterator[int]:
    return (len(run.text) for runs in _cell_runs(blocks) for run in runs)


def _all_runs(blocks: tuple[Block, ...]) -> Iterator[Run]:
    for block in walk_blocks(blocks):
        yield from getattr(block, "runs", ())
        if isinstance(block, Figure | Table):
            yield from block.caption
        if isinstance(block, Callout):
            yield from block.label
        if isinstance(block, Definitions):
            for term, _ in block.entries:
                yield from term


def _width_in_ems(text: str) -> float:
    """The approximate width of a text in ems."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return 0.54 * (len(text) - wide) + wide


def _number_sign(number: int, *, letters: bool) -> str:
    if not letters:
        return str(number)
    name = ""
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(97 + rest) + name
    return name


def _keep_together(text: str) -> str:
    """A short text without places to break."""
    return text.replace(" ", "\u00a0") if len(text) <= 30 else text


def _allow_breaks(text: str, longest: int) -> str:
    """The text with places to break, without hyphens, in words that are too long for a line."""
    if len(text) <= longest or (longest and all(len(w) <= longest for w in text.split())):
        return text
    return re.sub(r"\S{%d,}" % max(longest, 12), _cut_word, text)  # noqa: UP031


def _cut_word(found: re.Match[str]) -> str:
    word = found[0]
    if any(unicodedata.east_asian_width(sign) in "WF" for sign in word):
        return word
    pieces = re.findall(r".{1,12}?(?:[/?&=._\-,;:)](?![/.])|$)|.{12}", word)
    return _ZERO.join(pieces) if "".join(pieces) == word else word
