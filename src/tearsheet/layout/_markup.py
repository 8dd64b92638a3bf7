"""Blocks → HTML that is XHTML as well. All text is escaped; only safe addresses are written."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, get_args

from tearsheet.addresses import is_safe_link, is_web_address
from tearsheet.article.blocks import walk_blocks
from tearsheet.article.mathml import NAMESPACE, clean_mathml, write_mathml
from tearsheet.layout import _document, _links
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
    Paragraph,
    Post,
    Quote,
    Rule,
    Run,
    Runs,
    Table,
)  # fmt: skip
from tearsheet.writing import drop_controls, unescape

_MARKS: Final = ("small", "strong", "em", "del", "ins", "mark", "q", "sub", "sup", "kbd", "code")
"""Marks from the outermost to the innermost."""
_PLAIN: Final = Run("")[1:]
"""Marks, link and note of a plain run."""
_NO_TAGS: Final[list[tuple[str, str]]] = []
_WRITERS: Final = {kind: kind.__name__.lower() for kind in get_args(Block)}
_POSTS: Final = {
    "question": "Question", "answer": "Answer", "comment": "Comment",
    "post": "DiscussionForumPosting",
}  # fmt: skip
"""The kinds of posts as schema.org names them."""
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:.+Z-]*)?$")
_LONGEST_TEX: Final = 5000
_DEFINES: Final = re.compile(r"\\(?:def|newcommand|newenvironment)(?![a-zA-Z])")
"""Macros, which could multiply without end."""


def escape(value: str) -> str:
    """Escapes a text for HTML and XML, for content and for attributes."""
    value = drop_controls(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return value.replace('"', "&quot;").replace("'", "&#x27;")


class Markup:
    """Writes the blocks of one article.

    `picture` gives the address under which a document finds an image, or None to leave it out.
    `prefix` keeps the names of notes apart where several articles make one document. `own` are the
    addresses of the article itself: links there lead to its headings if those have names (`ranks`).
    """

    def __init__(
        self,
        picture: Callable[[Image], str | None],
        *,
        prefix: str = "",
        ranks: dict[int, int] | None = None,
        own: frozenset[str] = frozenset(),
        shows_pictures: bool = True,
    ) -> None:
        self.shows_pictures = shows_pictures
        self.picture = picture
        self.own = own
        self.targets: _links.Headings | None = None
        self.prefix = prefix
        self.ranks = ranks or {}
        self.notes: set[str] = set()
        self.references: dict[str, int] = {}
        self.headings: list[tuple[int, str, str]] = []
        """Rank, id and text of the headings written so far (with `ranks`)."""

    def article(self, blocks: tuple[Block, ...]) -> str:
        """All blocks of an article."""
        self.prepare(blocks)
        return self.blocks(blocks)

    def prepare(self, blocks: tuple[Block, ...]) -> None:
        """Looks for what runs may refer to. Notes that are not among the blocks get no link."""
        found = (block for block in walk_blocks(blocks) if isinstance(block, Footnotes))
        self.notes = {note.id for block in found for note in block.notes}
        self.targets = _links.Headings(blocks, self.own) if self.ranks else None

    def blocks(self, blocks: tuple[Block, ...]) -> str:
        return "\n".join(filter(None, [self.block(block) for block in blocks]))

    def block(self, block: Block) -> str:
        return str(getattr(self, _WRITERS[type(block)])(block))

    def paragraph(self, block: Paragraph) -> str:
        return f"<p>{self.runs(block.runs)}</p>"

    def heading(self, block: Heading) -> str:
        if not self.ranks:
            return f"<h{block.level}>{self.runs(block.runs)}</h{block.level}>"
        rank = self.ranks[id(block)]
        name = f"{self.prefix}h-{len(self.headings) + 1}"
        self.headings.append((rank, name, _document.plain_line(block.runs)))
        level = min(rank + 1, 6)
        return f'<h{level} id="{name}">{self.runs(block.runs)}</h{level}>'

    def listblock(self, block: ListBlock) -> str:
        items = "\n".join(f"<li>{self.flow(item)}</li>" for item in block.items)
        if not block.ordered:
            return f"<ul>\n{items}\n</ul>"
        start = f' start="{block.start}"' if block.start != 1 else ""
        return f"<ol{start}>\n{items}\n</ol>"

    def flow(self, blocks: tuple[Block, ...]) -> str:
        """The content of an item or cell: a single paragraph has no tags of its own."""
        if sum(isinstance(block, Paragraph) for block in blocks) > 1:
            return self.blocks(blocks)
        return "".join(
            self.runs(block.runs) if isinstance(block, Paragraph) else self.block(block)
            for block in blocks
        )

    def definitions(self, block: Definitions) -> str:
        parts = []
        for term, blocks in block.entries:
            if term:
                parts.append(f"<dt>{self.runs(term)}</dt>")
            if blocks:
                parts.append(f"<dd>{self.flow(blocks)}</dd>")
        return "<dl>\n" + "\n".join(parts) + "\n</dl>"

    def quote(self, block: Quote) -> str:
        cite = f' cite="{escape(block.cite)}"' if block.cite and is_safe_link(block.cite) else ""
        return f"<blockquote{cite}>\n{self.blocks(block.blocks)}\n</blockquote>"

    def callout(self, block: Callout) -> str:
        kind = f" callout-{escape(block.kind)}" if block.kind else ""
        label = f'<p class="callout-title">{self.runs(block.label)}</p>\n' if block.label else ""
        return f'<div class="callout{kind}">\n{label}{self.blocks(block.blocks)}\n</div>'

    def post(self, block: Post) -> str:
        """A post with microdata, so that programs know it for one."""
        kind = f" post-{block.kind}" if block.kind in _POSTS else ""
        depth = f" depth-{block.depth + 1}" if block.depth else ""
        item = f'itemscope="" itemtype="https://schema.org/{_POSTS.get(block.kind, "Comment")}"'
        content = f"{self.post_head(block)}{self.blocks(block.blocks)}"
        return f'<div class="post{kind}{depth}" {item}>\n{content}\n</div>'

    def post_head(self, block: Post) -> str:
        """The line that says who wrote a post, and when."""
        parts = []
        if block.author:
            parts.append(f'<span class="author" itemprop="author">{escape(block.author)}</span>')
        if block.published:
            when = f' datetime="{block.published}"' if _DAY.match(block.published) else ""
            time = escape(_document.post_time(block))
            parts.append(f'<time itemprop="dateCreated"{when}>{time}</time>')
        return f'<p class="post-head">{", ".join(parts)}</p>\n' if parts else ""

    def code(self, block: Code) -> str:
        name = f' class="language-{escape(block.language)}"' if block.language else ""
        return f'<pre dir="ltr"><code{name}>{escape(block.text)}</code></pre>'

    def table(self, block: Table) -> str:
        caption = f"<caption>{self.runs(block.caption)}</caption>\n" if block.caption else ""
        rows = "\n".join(
            "<tr>" + "".join(self.cell(cell) for cell in row) + "</tr>" for row in block.rows
        )
        return f'<div class="table"><table class="data">\n{caption}{rows}\n</table></div>'

    def cell(self, cell: Any) -> str:
        name = "th" if cell.header else "td"
        spans = "".join(
            f' {span}="{count}"'
            for span, count in (("colspan", cell.colspan), ("rowspan", cell.rowspan))
            if count > 1
        )
        return f"<{name}{spans}>{self.flow(cell.blocks)}</{name}>"

    def figure(self, block: Figure) -> str:
        images = "".join(filter(None, map(self.image, block.images)))
        runs, credit = _document.caption(block)
        caption = self.runs(runs)
        if credit:
            caption += f' <small class="credit">{escape(credit)}</small>'
        if caption:
            caption = f"<figcaption>{caption.strip()}</figcaption>"
        missing = "" if images else self.missing(block.images[0], has_caption=bool(caption))
        kind = "" if images else ' class="missing"'
        return f"<figure{kind}>{images}{missing}{caption}</figure>" if images or missing else ""

    def missing(self, image: Image, *, has_caption: bool) -> str:
        """The description and the address of a picture that could not be had; an icon has none."""
        if not self.shows_pictures or (image.width and image.width <= 40 and not has_caption):
            return ""
        alt = f"<em>{escape(image.alt)}</em>" if image.alt else ""
        link = ""
        if is_web_address(image.url):
            shown = escape(_links.shorten(image.url))
            link = f'<a href="{escape(image.url)}">{shown}</a>'
        return f"<p>{'<br/>'.join(filter(None, (alt, link)))}</p>" if alt or link else ""

    def image(self, image: Image) -> str:
        address = self.picture(image)
        if not address:
            return ""
        size = ""
        if image.width and image.height:
            size = f' width="{int(image.width)}" height="{int(image.height)}"'
        return f'<img src="{escape(address)}" alt="{escape(image.alt)}"{size}/>'

    def math(self, block: Math) -> str:
        return f'<div class="math">{formula(block.tex, block.mathml, display=True)}</div>'

    def embed(self, block: Embed) -> str:
        if not is_safe_link(block.url):
            return ""
        label = block.title or block.url
        given = f' data-embed="{escape(block.kind)}"'
        if block.poster and is_safe_link(block.poster):
            given += f' data-poster="{escape(block.poster)}"'
        return f'<p class="embed"{given}><a href="{escape(block.url)}">{escape(label)}</a></p>'

    def rule(self, block: Rule) -> str:
        return "<hr/>"

    def footnotes(self, block: Footnotes) -> str:
        notes = "\n".join(self.note(note) for note in block.notes)
        return f'<section class="notes" role="doc-endnotes"><ol>\n{notes}\n</ol></section>'

    def note(self, note: Note) -> str:
        back = ""
        if note.id in self.references:
            name = f"{self.prefix}ref-{escape(note.id)}"
            back = f' <a href="#{name}" role="doc-backlink">↩</a>'
        content = self.flow(note.blocks)
        content = content[:-4] + back + "</p>" if content.endswith("</p>") else content + back
        label = f' value="{note.label}"' if note.label.isdecimal() else ""
        label = label or f' class="named" data-label="{escape(note.label)}"'
        return f'<li id="{self.prefix}{escape(note.id)}"{label}>{content}</li>'

    def runs(self, runs: Runs) -> str:
        """The runs with their tags; neighbours share the tags that they have in common."""
        if len(runs) == 1 and runs[0][1:] == _PLAIN:
            return escape(runs[0].text)
        parts: list[str] = []
        open_: list[tuple[str, str]] = []
        for run in runs:
            text, marks, href, note = run
            if text == "\n":
                parts.append("<br/>")
                continue
            wanted = self.tags(run) if marks or href or note else _NO_TAGS
            if open_ or wanted:
                same = _document.count_equal(open_, wanted)
                parts += [f"</{name}>" for name, _ in reversed(open_[same:])]
                parts += [f"<{name}{attrs}>" for name, attrs in wanted[same:]]
                open_ = wanted
            parts.append(formula(text) if "math" in marks else escape(text))
        parts += [f"</{name}>" for name, _ in reversed(open_)]
        return "".join(parts)

    def tags(self, run: Run) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        if run.marks:
            found = [(mark, "") for mark in _MARKS if mark in run.marks]
        if run.note is not None and run.note in self.notes:
            count = self.references[run.note] = self.references.get(run.note, 0) + 1
            name = f"{self.prefix}ref-{escape(run.note)}" + (f"-{count}" if count > 1 else "")
            link = f' id="{name}" href="#{self.prefix}{escape(run.note)}" role="doc-noteref"'
            found = [("sup", ""), *found, ("a", link)]
        elif run.href and is_safe_link(run.href):
            found = [("a", f' href="{self.href(run.href)}"'), *found]
        return found

    def href(self, address: str) -> str:
        """Where a link leads: to a heading of this document, or to an address."""
        number = self.targets.find(address) if self.targets else None
        return f"#{self.prefix}h-{number}" if number is not None else escape(address)


def formula(tex: str, mathml: str = "", *, display: bool = False) -> str:
    """A formula as MathML; its TeX is the alternative text."""
    mathml = clean_mathml(mathml) or mathml_from_tex(tex)
    inner = mathml[mathml.index(">") + 1 : mathml.rindex("</math>")]
    block = ' display="block"' if display else ""
    alt = f' alttext="{escape(tex)}"' if tex else ""
    return f'<math xmlns="{NAMESPACE}"{block}{alt}>{inner}</math>'


def mathml_from_tex(tex: str) -> str:
    """TeX → MathML with nothing but what draws; the TeX as text if it cannot be converted."""
    tex = drop_controls(tex)
    if len(tex) < _LONGEST_TEX and not _DEFINES.search(tex):
        # Its own `convert` would write the text of a formula without escaping it.
        from latex2mathml.converter import convert_to_element

        with suppress(Exception):  # it raises many kinds for formulas that it does not know
            root = convert_to_element(tex)
            for node in root.iter():
                node.text = unescape(node.text or "")  # it writes signs as references
            return write_mathml(root)
    return f"<math><mtext>{escape(tex)}</mtext></math>"
