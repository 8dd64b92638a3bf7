"""Articles → the data that `_article.typ` typesets, and the files that it shows."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from tearsheet.addresses import is_safe_link, is_web_address
from tearsheet.article import Article
from tearsheet.article.blocks import walk_blocks
from tearsheet.errors import MissingExtra
from tearsheet.layout import _document, _first_page, _fonts, _links, _picture_fit, _table_fit
from tearsheet.layout._formula import typst
from tearsheet.layout._frame import Frame
from tearsheet.layout._line_breaks import (
    WIDE,
    allow_breaks,
    code_width,
    cut_lines,
    cut_runs,
    keep_together,
)
from tearsheet.layout._typst import font_families
from tearsheet.picture_files import DRAWING
from tearsheet.types import (
    Block,
    Callout,
    Cell,
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

_SMALLEST: Final = 0.55
"""Smallest scale of a picture that is shrunk to fit on its page."""
_MOST_FITTED: Final = 40
"""Most figures that are fitted to their pages: each step typesets all pages again."""
_DEEPEST_POST: Final = 3
"""Steps that replies are indented by at most."""
_MOST_ADDRESSES: Final = 1_000
_LONGEST_LINK: Final = 8_000
"""Bytes of an address that Typst links to; with a longer one it sets nothing at all."""
_LONG_CELL: Final = 900
"""A cell with more letters may break across pages."""
_UNSPACED: Final = re.compile(f"(?<=[{WIDE}]) (?=[{WIDE}])")
"""A space between two Chinese or Japanese characters, left by a line break in the source."""
_SYMBOLS: Final = str.maketrans(
    "\uf06c\uf06e\uf071\uf075\uf076\uf09f\uf0a7\uf0a8\uf0b7\uf0d8\uf0e0\uf0fc",
    "●■❑◆❖•▪◻•➢→✓",
)
"""The signs that word processors leave on pages without their font, Wingdings or Symbol."""
_LONGEST_TEX: Final = 2_000
"""Letters of a formula's source that is shown as such; a longer one is set as a listing."""
_CODE_SIZES: Final = (0.84, 0.57)
"""The usual and the smallest size of code, in ems of the text; a line that needs less wraps."""
_WRAPPED_SIZE: Final = 0.76
_CODE_INSET: Final = 1.8
"""Ems of the text beside code, within its box."""
_LONGEST_LEAD_IN: Final = 400
"""Letters of a paragraph with a colon that stays on the page of what it announces …"""
_LONGEST_LABEL: Final = 80
"""… and of one without, that is no sentence."""
_SENTENCE_ENDS: Final = (".", "!", "…", ";", "。", "！", "；")
_KEPT_LETTERS: Final = 600
"""Letters of a paragraph that is kept in one piece with its heading if it has a footnote."""
_LISTED_HEADINGS: Final = 5
"""Headings from which a long document has its contents on the first page."""
_LONG: Final = {"documentation": 2.5}
"""Pages of such a document, by its kind."""
_LONG_TEXT: Final = 10.0
_MOST_LISTED: Final = 36
"""Headings in such a list."""
_NARROWEST_STEPS: Final = 300.0
"""Points of a column that can hold ingredients beside steps, or a picture beside words."""
_LISTED_PICTURE: Final = 0.3
"""Share of the column that the picture of an article in a listing has."""
_BESIDE: Final = 900
"""Letters beside the picture of a product."""
_LONGEST_HEAD: Final = 300
"""Letters of the running head, which is one line."""
_ABOVE_FIGURE: Final = 1.6
"""Ems between a lead-in and its figure."""
_PIXEL: Final = 0.75
"""Points of a pixel, as in CSS."""
_ICON: Final = 40
"""Pixels: a picture without a caption that is not wider is an icon or a smiley, no figure."""


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
    title = _document.book_title(articles)
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


def _find_notes(body: Sequence[Block]) -> dict[str, Note]:
    """The footnotes of an article by their names."""
    return {
        note.id: note
        for block in walk_blocks(body)
        if isinstance(block, Footnotes)
        for note in block.notes
    }


class Setter:
    """Writes one article as data."""

    figures = 0
    depth = 0
    """How many lists are open."""
    boxes = 0
    """How many quotes, callouts and cells are open."""
    cells = 0
    """How many cells of tables are open."""
    quiet = 0
    """Above 0: inside a heading or note, where no notes are allowed."""

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
        self.kind = _first_page.find_kind(article, self.blocks_of)
        self.lead = _first_page.find_lead(self.blocks_of)
        self.posts: Counter[str] = Counter()
        self.ranks = _document.heading_ranks(self.blocks_of)
        self.notes = _find_notes(self.blocks_of)
        self.called = {
            run.note for run in _links.all_runs(self.blocks_of) if run.note in self.notes
        }
        self.labels: dict[str, str] = {}
        self.place: _links.Place = (
            _links.choose_place(self.blocks_of, article, frame.letters)
            if options.links == "auto"
            else options.links
        )
        self.links: dict[str, str] = {}
        """The sign of each address that is printed."""
        self.listed: list[Data] = []
        """The addresses for the end of the article."""
        self.headings = _links.Headings(self.blocks_of, _links.page_addresses(article))
        self.names: set[str] = set()
        self.jumps: list[Data] = []
        """Links to headings."""
        self.plates: list[Data] = []
        """The tables for turned pages."""
        self.unspaced = _document.language(article).split("-")[0] in ("zh", "ja")

    def article_data(self) -> Data:
        article = self.article
        meta, language = article.metadata, _document.language(article)
        source = _document.source(article)
        source = source if source and _can_link(source) else None
        parts = language.split("-")
        known = parts[0] != "und" and 2 <= len(parts[0]) <= 3
        tall = _leading(language)
        indent = {"zh": 2.0, "ja": 1.0}.get(parts[0], 0.0)
        return {
            "title": drop_controls(_document.title(article)),
            "running": self.running_head(),
            # Each post of a thread says who wrote it.
            "authors": ""
            if self.kind in ("questions", "thread")
            else drop_controls(", ".join(meta.authors)),
            "date": _document.publication_day(article),
            "site": drop_controls(meta.site),
            "source": source,
            "source_shown": self.address_text(source or ""),
            "qr": self.qr(source) if self.options.qr and source else None,
            "compact": self.kind == "listing",
            "facts": [
                [drop_controls(part) for part in fact]
                for fact in _first_page.list_facts(article, self.blocks_of, self.kind)
            ],
            "lang": parts[0].lower() if known else "en",
            "region": next((p.upper() for p in parts[1:] if len(p) == 2 and p.isalpha()), None),
            "dir": _document.direction(article),
            "fonts": _fonts.serif(language, self.options.font),
            "indent": indent,
            "leading": tall,
            "spacing": tall + (0.0 if indent else 0.38),
            "blocks": self.body(),
            "contents": self.contents(),
            "plates": self.plates,
            "addresses": self.listed,
            "missing": drop_controls(_document.missing(article)),
        }

    def running_head(self) -> str:
        """Site and title; the page cuts them where its width ends."""
        meta = self.article.metadata
        text = drop_controls(" · ".join(filter(None, (meta.site, meta.title))))
        return text[:_LONGEST_HEAD]

    def body(self) -> list[Data]:
        found = self.opening_blocks()
        for run in self.jumps:
            if run["to"] not in self.names:
                del run["to"]
        return found

    def opening_blocks(self) -> list[Data]:
        """All blocks; those of a dish or a product stand beside each other."""
        wide = self.frame.columns == 1 and self.frame.column >= _NARROWEST_STEPS
        recipe = _first_page.split_recipe(self.article, self.blocks_of) if wide else None
        if recipe is not None and self.kind == "recipe":
            before = self.blocks(recipe.before, top=True)
            if recipe.facts is not None:
                before.append({"t": "facts", "items": [*map(self.flow, recipe.facts.items)]})
            ingredients, steps = self.box_blocks(recipe.ingredients), self.box_blocks(recipe.steps)
            made = {"t": "beside", "first": ingredients, "second": steps, "share": 0.36}
            return [*before, {**made, "wash": True}, *self.blocks(recipe.after, top=True)]
        if self.kind == "listing":
            return [
                data for part in _first_page.split_listing(self.blocks_of)
                for data in self.listing_blocks(part, beside=wide)
            ]  # fmt: skip
        if wide and self.kind == "product" and self.lead is not None:
            return self.product_blocks(self.lead)
        return self.blocks(self.blocks_of, top=True)

    def product_blocks(self, lead: Figure) -> list[Data]:
        """The picture of a product beside the first words about it."""
        at = next(i for i, block in enumerate(self.blocks_of) if block is lead)
        rest = (*self.blocks_of[:at], *self.blocks_of[at + 1 :])
        count, letters = 0, 0
        for block in rest:
            plain = isinstance(block, Paragraph | ListBlock)
            letters += _table_fit.text_length((block,)) if plain else _BESIDE
            if letters > _BESIDE:
                break
            count += 1
        if not count:
            return self.blocks(self.blocks_of, top=True)
        made = {
            "t": "beside",
            "first": self.box_blocks((lead,)),
            "second": self.box_blocks(rest[:count]),
        }
        return [{**made, "share": 0.45, "wash": False}, *self.blocks(rest[count:], top=True)]

    def listing_blocks(self, part: tuple[Block, ...], *, beside: bool) -> list[Data]:
        """The text of a listing about one article, beside its picture or below it."""
        lead, *others = part
        if not isinstance(lead, Figure) or not others:
            return self.blocks(part, top=True)
        if not beside:
            return [{"t": "whole", "blocks": self.box_blocks(part)}]
        first, second = self.box_blocks((lead,)), self.box_blocks(tuple(others))
        made = {"t": "beside", "first": first, "second": second, "share": _LISTED_PICTURE}
        return [{**made, "wash": False, "whole": True}] if first else second

    def contents(self) -> list[Data]:
        """The headings of a long document, for its first page."""
        headings = [
            block for block in walk_blocks(self.blocks_of)
            if isinstance(block, Heading) and self.ranks[id(block)] <= 2
            and self.heading_name(self.headings.number(block)) in self.names
        ]  # fmt: skip
        letters = sum(len(run.text) for run in _links.all_runs(self.blocks_of))
        pages = letters / self.frame.letters
        if len(headings) < _LISTED_HEADINGS or pages < _LONG.get(self.kind, _LONG_TEXT):
            return []
        ranks = {self.ranks[id(block)] for block in headings}
        if len(headings) > _MOST_LISTED:
            headings = [b for b in headings if self.ranks[id(b)] == min(ranks)]
        return [
            {
                "to": self.heading_name(self.headings.number(block)),
                "text": drop_controls(_document.plain_line(block.runs)),
                "rank": self.ranks[id(block)] - min(ranks),
            }
            for block in headings[:_MOST_LISTED]
        ]

    def qr(self, source: str) -> str | None:
        """The file with the sign of an address; None if it is too long for one."""
        try:
            import segno
        except ImportError as error:
            raise MissingExtra("a QR code", error.name, "pdf") from None

        out = io.BytesIO()
        try:
            sign = segno.make(source, error="m")
        except segno.DataOverflowError:
            return None
        sign.save(out, kind="svg", border=0, xmldecl=False, svgns=True)
        name = f"qr-{self.number}.svg"
        self.files[name] = out.getvalue()
        return name

    def blocks(self, blocks: tuple[Block, ...], *, top: bool = False) -> list[Data]:
        found: list[Data] = []
        for block, after in zip(blocks, (*blocks[1:], None)):
            if isinstance(block, Table):
                found += self.table(block, top=top)
            elif isinstance(block, Figure):
                self.add_figure(found, block)
            elif isinstance(block, Paragraph):
                found += self.paragraph(block, after)
            elif isinstance(block, ListBlock) and lists_pictures(block):
                found += (data for item in block.items for data in self.blocks(item, top=top))
            else:
                made = getattr(self, type(block).__name__.lower())(block)
                found += [made] if made else []
            if has_note(found[-1:]):
                keep_headings(found)
        return found

    def paragraph(self, block: Paragraph, after: Block | None) -> list[Data]:
        found: list[Data] = [{"t": "p", "runs": self.part(part)} for part in cut_runs(block.runs)]
        if announces(block, after):
            found[-1] |= {
                "stays": True,
                "below": _ABOVE_FIGURE if isinstance(after, Figure) else None,
            }
        return found

    def heading(self, block: Heading) -> Data:
        self.quiet += 1
        runs = self.runs(block.runs)
        self.quiet -= 1
        found = {"t": "h", "level": self.ranks[id(block)] + 1, "runs": runs}
        name = self.heading_name(self.headings.number(block))
        if name not in self.names:
            self.names.add(name)
            found["name"] = name
        return found

    def heading_name(self, number: int) -> str:
        return f"heading-{self.number}-{number}"

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
            line: Data = {"t": "line", "runs": self.runs(blocks[0].runs)}
            if len(blocks) > 1 and isinstance(blocks[1], ListBlock):
                line["stays"] = True
            return [line, *self.blocks(blocks[1:])]
        if blocks and isinstance(blocks[0], Definitions) and blocks[0].entries:
            return self.defined_flow(blocks[0], blocks[1:])
        return self.blocks(blocks)

    def defined_flow(self, first: Definitions, others: tuple[Block, ...]) -> list[Data]:
        """Its first term is a plain line, or the sign of the item would stay behind alone."""
        (term, explained), *rest = first.entries
        strong = tuple(run._replace(marks=run.marks | {"strong"}) for run in term)
        line = {"t": "line", "runs": self.runs(strong)}
        more = (replace(first, entries=tuple(rest)),) if rest else ()
        return [line, *self.blocks((*explained, *more, *others))]

    def definitions(self, block: Definitions) -> Data:
        entries = [
            {"term": self.runs(term), "blocks": self.box_blocks(b)} for term, b in block.entries
        ]
        return {"t": "dl", "entries": entries}

    def box_blocks(self, blocks: tuple[Block, ...], *, line: bool = False) -> list[Data]:
        """Blocks that stand in a box of their own."""
        self.boxes += 1
        found = self.flow(blocks) if line else self.blocks(blocks)
        self.boxes -= 1
        return found

    def quote(self, block: Quote) -> Data:
        return {"t": "quote", "blocks": self.box_blocks(block.blocks)}

    def callout(self, block: Callout) -> Data:
        label = self.runs(block.label)
        return {"t": "callout", "label": label, "blocks": self.box_blocks(block.blocks)}

    def post(self, block: Post) -> Data:
        self.posts[block.kind] += 1
        return {
            "t": "post", "label": self.post_label(block), "author": drop_controls(block.author),
            "time": drop_controls(_document.post_time(block)),
            "depth": min(block.depth, _DEEPEST_POST), "blocks": self.box_blocks(block.blocks),
        }  # fmt: skip

    def post_label(self, block: Post) -> str:
        """The kind of a post, in English for English pages, and its number."""
        if block.depth or self.kind not in ("questions", "thread"):
            return ""
        number = self.posts[block.kind]
        english = _document.language(self.article).split("-")[0] in ("en", "und")
        if self.kind == "questions" and english and block.kind in ("question", "answer"):
            return "Question" if block.kind == "question" else f"Answer {number}"
        return f"#{number}"

    def code(self, block: Code) -> Data:
        """A listing, at the largest size at which its lines fit; if none does, they wrap."""
        text = drop_controls(block.text).translate(_SYMBOLS).expandtabs(4).replace("\u00a0", " ")
        room = self.frame.column / self.frame.size - _CODE_INSET - 2 * self.depth
        widest = max(map(code_width, text.split("\n")), default=0.0)
        usual, smallest = _CODE_SIZES
        size = min(usual, 0.985 * room / widest) if widest else usual
        wraps = size < smallest
        if wraps:
            text = cut_lines(text)
        return {"t": "code", "text": text, "size": _WRAPPED_SIZE if wraps else size, "wraps": wraps}

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

    def add_figure(self, found: list[Data], block: Figure) -> None:
        """Adds a figure; one that is fitted to its page has a mark, before the headings and lines
        that belong to it, that says where it begins."""
        for made in self.figure_parts(block):
            if made.get("id"):
                at = len(found)
                while at and (found[at - 1]["t"] == "h" or "stays" in found[at - 1]):
                    at -= 1
                above = found[at:]
                made |= {"above": above, "below": above[-1].get("below") or 0 if above else 0}
                has_heading = bool(above) and above[0]["t"] == "h"
                found.insert(at, {"t": "mark", "id": made["id"], "heading": has_heading})
            found.append(made)

    def figure_parts(self, block: Figure) -> list[Data]:
        """The figure, or several if its pictures are more than a page holds."""
        if self.options.images == "off":
            return []
        images = [made for image in block.images if (made := self.image(image))]
        runs, credit = _document.caption(block)
        caption = self.runs(runs)
        if credit:
            text = (" " if caption else "") + keep_together(drop_controls(credit))
            caption.append({"t": "run", "text": text})
        if not images:
            return self.missing_figure(block, caption)
        if not caption and all(image["width"] <= _ICON * _PIXEL for image in images):
            return []
        share = _picture_fit.height_share(
            self.kind, small=self.options.images == "small", lead=block is self.lead
        )
        *others, last = _picture_fit.fit_pages(images, self.frame, share)
        return [*(self.figure(rows, []) for rows in others), self.figure(last, caption)]

    def figure(self, rows: list[list[Data]], caption: list[Data]) -> Data:
        self.figures += not self.cells
        is_fitted = self.figures <= _MOST_FITTED and not self.cells
        name = f"{self.number}-{self.figures}" if is_fitted else None
        inner = self.depth > 0 or self.boxes > 0
        return {
            "t": "figure", "images": rows, "caption": caption, "id": name, "inner": inner,
            "cell": self.cells > 0,
        }  # fmt: skip

    def missing_figure(self, block: Figure, caption: list[Data]) -> list[Data]:
        """The substitute for missing pictures: their description and address."""
        first = block.images[0]
        if first.width and first.width <= _ICON and not caption:
            return []
        url = first.url if is_web_address(first.url) and _can_link(first.url) else ""
        made = {
            "t": "missing", "alt": drop_controls(first.alt), "url": drop_controls(url),
            "shown": self.address_text(_links.shorten(url)), "caption": caption,
        }  # fmt: skip
        return [made]

    def image(self, image: Image) -> Data | None:
        if not self.with_pictures:
            return None
        picture = _document.picture(self.article, image)
        if picture is None:
            return None
        size = _picture_fit.picture_size(picture.body, picture.media_type)
        suffix = _picture_fit.SUFFIXES.get(picture.media_type)
        if size is None or suffix is None:
            return None
        name = f"picture-{self.number}-{len(self.files)}.{suffix}"
        keeps = picture.media_type == DRAWING or not self.options.grey
        self.files[name] = picture.body if keeps else _picture_fit.remove_colour(picture.body)
        return {
            "file": name, "width": size[0] * _PIXEL, "ratio": size[0] / size[1],
            "alt": drop_controls(image.alt or image.caption or "picture"),
        }  # fmt: skip

    def table(self, block: Table, *, top: bool) -> list[Data]:
        """The table, or its parts; one that must be turned goes to the end of the article, and one
        of a single column that holds long text is no table."""
        if _table_fit.is_frame(block):
            cells = [cell for row in block.rows for cell in row]
            caption = [{"t": "p", "runs": self.runs(block.caption)}] if block.caption else []
            return [*caption, *(d for cell in cells for d in self.blocks(cell.blocks, top=top))]
        fitted = _document.fit_table(block)
        fits = _table_fit.fit_table(fitted, self.frame, self.picture_width, top=top)
        made = [self.fitted_table(fit) for fit in fits]
        if not fits[0].turned:
            return made
        self.plates += made
        name = f"plate-{self.number}-{len(self.plates)}"
        made[0]["name"] = name
        return [{"t": "plate", "to": name, "caption": self.runs(block.caption)}]

    def fitted_table(self, fit: _table_fit.Fit) -> Data:
        block = fit.table
        cells = _document.place_cells(block)
        rows: list[list[Data]] = [[] for _ in block.rows]
        numbers = _table_fit.number_columns(cells)
        for cell in cells:
            rows[cell.y].append(
                {
                    "x": cell.x, "y": cell.y, "colspan": cell.width, "rowspan": cell.height,
                    "header": cell.cell.header,
                    "blocks": self.cell_blocks(cell.cell),
                    "number": cell.width == 1 and cell.x in numbers,
                    "breakable": _table_fit.text_length(cell.cell.blocks) > _LONG_CELL,
                }
            )  # fmt: skip
        return {
            "t": "table", "columns": fit.columns, "scale": fit.scale, "rows": rows,
            "turn": fit.turned, "over": fit.over,
            "head": _table_fit.count_header_rows(block, cells), "caption": self.runs(block.caption),
        }  # fmt: skip

    def cell_blocks(self, cell: Cell) -> list[Data]:
        self.cells += 1
        found = self.box_blocks(cell.blocks, line=True)
        self.cells -= 1
        return found

    def picture_width(self, image: Image) -> float:
        """The points that a picture takes at its own size; 0 without a picture."""
        picture = _document.picture(self.article, image) if self.with_pictures else None
        size = picture and _picture_fit.picture_size(picture.body, picture.media_type)
        return size[0] * _PIXEL if size else 0.0

    def runs(self, runs: Runs) -> list[Data]:
        """Runs of a block; those of a very long one are paragraphs within it."""
        first, *others = (self.part(part) for part in cut_runs(runs))
        return [*first, *(data for part in others for data in ({"t": "parbreak"}, *part))]

    def part(self, runs: Runs) -> list[Data]:
        return [self.run(run) for run in runs]

    def run(self, run: Run) -> Data:
        if run.text == "\n":
            return {"t": "break"}
        text = drop_controls(run.text).translate(_SYMBOLS)
        if self.unspaced and not run.marks & {"code", "kbd", "math"}:
            text = _UNSPACED.sub("", text)
        found: Data = {"t": "run", "text": allow_breaks(text, 28)}
        if run.marks:
            found["marks"] = sorted(run.marks)
        if "math" in run.marks and self.formulas:
            formula = typst(run.text)
            found |= {"formula": formula} if formula else {}
        if run.note in self.notes:
            found |= self.call(self.notes[run.note], run)
        elif run.href and _can_link(run.href) and self.options.links != "none":
            found |= self.link(run)
        if "to" in found:
            self.jumps.append(found)
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

    def link(self, run: Run) -> Data:
        """Where a link leads: to a heading of this document, or to an address."""
        heading = self.headings.find(run.href)
        if heading is not None:
            return {"to": self.heading_name(heading)}
        return {"href": drop_controls(run.href or ""), **self.address(run)}

    def address(self, run: Run) -> Data:
        """The address of a link, for readers of paper; each address once."""
        url = run.href or ""
        if self.place == "none" or not _links.prints_address(run, self.headings.own):
            return {}
        known = self.links.get(url)
        if known is not None:
            return {"again": known} if self.place == "end" and not self.quiet else {}
        if len(self.links) >= _MOST_ADDRESSES:
            return {}
        shown = url.removeprefix("mailto:").removeprefix("tel:")
        text = self.address_text(shown)
        if self.place == "inline":
            self.links[url] = ""
            return {"url": text}
        if self.quiet:
            return {}
        number = len(self.links) + 1
        if self.place == "end":
            self.links[url] = label = f"[{number}]" if self.called else str(number)
            self.listed.append({"label": label, "text": text, "href": drop_controls(url)})
            return {"again": label}
        self.links[url] = label = _number_sign(number, letters=bool(self.called))
        blocks = [{"t": "line", "runs": [{"t": "run", "text": text, "href": drop_controls(url)}]}]
        return {"note": {"label": label, "blocks": blocks}}

    def address_text(self, address: str) -> str:
        """An address as it is printed: with its letters, if this machine has a font for them."""
        decoded = _links.decode(address)
        if decoded != address and _fonts.missing_scripts(decoded, font_families()):
            decoded = address
        return allow_breaks(drop_controls(decoded), 0)


def lists_pictures(block: ListBlock) -> bool:
    """Whether most items of a list begin with a picture: their signs would stand alone."""
    return 2 * sum(isinstance(item[0], Figure) for item in block.items if item) > len(block.items)


def has_note(last: list[Data]) -> bool:
    """Whether this is a short paragraph with a footnote."""
    runs = last[0]["runs"] if last and last[0]["t"] == "p" else ()
    return (
        any("note" in run for run in runs)
        and sum(len(run.get("text", "")) for run in runs) <= _KEPT_LETTERS
    )


def keep_headings(found: list[Data]) -> None:
    """Puts the last block into one piece with the headings above it: where the note of its first
    line does not fit, Typst would leave them behind."""
    at = len(found) - 1
    while at and found[at - 1]["t"] == "h":
        at -= 1
    if at < len(found) - 1:
        found[at:] = [{"t": "whole", "blocks": found[at:]}]


def announces(block: Paragraph, after: Block | None) -> bool:
    """Whether a paragraph introduces the next block: "You need:", or a heading in bold type."""
    text = _document.plain_line(block.runs).strip()
    if isinstance(after, Paragraph):
        return is_bold(block) and not is_bold(after)
    if isinstance(after, Figure):
        return is_bold(block) or _leads_in(text)
    is_apart = isinstance(after, ListBlock | Code | Table | Math | Quote | Definitions)
    return is_apart and (_leads_in(text) or _is_label(text))


def _leads_in(text: str) -> bool:
    return len(text) <= _LONGEST_LEAD_IN and text.endswith((":", "："))


def is_bold(block: Paragraph) -> bool:
    """Whether a paragraph is a short line in bold type, as pages have in place of headings."""
    bold = all("strong" in run.marks for run in block.runs if run.text.strip())
    return bold and _is_label(_document.plain_line(block.runs).strip())


def _is_label(text: str) -> bool:
    """Whether a line is short and no sentence."""
    return 0 < len(text) <= _LONGEST_LABEL and not text.endswith(_SENTENCE_ENDS)


def _can_link(address: str) -> bool:
    """Whether the document may lead to an address, and Typst can."""
    return is_safe_link(address) and len(drop_controls(address).encode()) <= _LONGEST_LINK


def _number_sign(number: int, *, letters: bool) -> str:
    if not letters:
        return str(number)
    name = ""
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(97 + rest) + name
    return name
