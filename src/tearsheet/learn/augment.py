"""Labelled pages → further pages as other sites and other years would have made them.

The pages with truth are of 2023 to 2026: their articles are long, call themselves `<article>`, and
few have comments. So the training sees each page once more, changed at random:

- an article is cut to a length between 35 words and its own (log-uniform);
- posts of forums are pasted below it as comments, and teasers of other articles beside it, in
  templates of several blog systems and years, with and without names;
- tags that say what they mean become `div`, `span` or `table`; names are dropped or replaced;
  paragraphs become lines between `<br>`; headings become bold lines;
- what the page says of itself as data, and its address, are left out.

The labels come for free: every text brings its own along. Nothing crosses a fold: what is pasted
comes from pages of the same fold. The same pages give the same copies.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tearsheet.datasets import fold_number
from tearsheet.learn.examples import CONTENT, LabelledPage
from tearsheet.methods.forest.vocabulary import title_words
from tearsheet.page.parsed import parse
from tearsheet.segments import count_words, segments
from tearsheet.tags import NAMES, VOID
from tearsheet.types import Bools, Floats, Page

SHORTEST: Final = 35
"""Fewest words of a cut article."""
ERAS: Final = {"today": 0.35, "plain": 0.2, "renamed": 0.1, "bare": 0.15, "tables": 0.2}
"""The forms of copies, and how often each is used: unchanged; without tags that carry meaning; also
with meaningless names; without names; and in tables, as before style sheets."""
DEEPEST: Final = 200
"""Elements around each other, beyond which a page has no copy."""
_ROOT: Final = 0.9
"""Share of the content's words in the smallest element that is the article."""
_COMMENT: Final = (8, 160)
"""Fewest and most words of a post that is pasted as a comment."""
_RAW: Final = frozenset("noscript iframe noembed noframes xmp plaintext script style".split())
_PLAIN: Final = {
    **dict.fromkeys("article main section aside header footer nav figure hgroup".split(), "div"),
    **dict.fromkeys("figcaption details summary address dialog".split(), "div"),
    **dict.fromkeys("time mark".split(), "span"),
}
"""The elements of earlier HTML in place of those of HTML 5."""
_NAMES: Final = re.compile(r' (?:class|id|role|data-[\w-]+|aria-[\w-]+|item[a-z]+)="([^"]*)"')
_HIDES: Final = re.compile(r"display:\s*none|visibility:\s*hidden")


@dataclass(slots=True, eq=False)
class Node:
    """An element, or a text (then it has no tag) with the share of it that is content, and whether
    the truth leaves that open."""

    tag: str
    attrs: str = ""
    text: str = ""
    share: float = 0.0
    open: bool = False
    children: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Donors:
    """The texts that the pages of a fold give to the copies of others."""

    posts: list[str] = field(default_factory=list)
    teasers: list[tuple[str, str]] = field(default_factory=list)
    """A headline and the beginning of its article."""

    def others(self, page: LabelledPage) -> Donors:
        """The donors without teasers that are on this page itself."""
        own = set(page.segments.text)
        return Donors(self.posts, [it for it in self.teasers if not own.intersection(it)])


def add_copies(examples: Iterable[LabelledPage]) -> Iterator[LabelledPage]:
    """The pages, and then a changed copy of each."""
    pages = list(examples)
    yield from pages
    yield from make_copies(pages)


def make_copies(pages: Sequence[LabelledPage], round_number: int = 0) -> Iterator[LabelledPage]:
    """A changed copy of each page; those that a parser would read otherwise are left out."""
    donors = find_donors(pages)
    for page in pages:
        copy = make_copy(page, donors[fold_number(page.domain)], round_number)
        if copy is not None:
            yield copy


def find_donors(pages: Iterable[LabelledPage]) -> dict[int, Donors]:
    """For each fold: posts of its forums, and headlines with leads of its articles."""
    found: dict[int, Donors] = defaultdict(Donors)
    for page in pages:
        fold, parts = found[fold_number(page.domain)], page.segments
        texts = [
            parts.text[i]
            for i in np.flatnonzero((page.share > 0.9) & (parts.words >= _COMMENT[0])).tolist()
        ]
        if page.page_type == "forum":
            fold.posts += [" ".join(text.split()[: _COMMENT[1]]) for text in texts[:80]]
        elif page.page_type == "article" and texts:
            headline = " ".join(title_words(page.page)[:14]).capitalize()
            fold.teasers.append((headline or texts[-1], texts[0]))
    return found


def make_copy(page: LabelledPage, donors: Donors, round_number: int = 0) -> LabelledPage | None:
    """One page, changed at random; None if it is too deep, or if its parser reads it otherwise."""
    if page.page.depth.max() > DEEPEST:
        return None
    seed = hashlib.sha256(f"{page.name} {page.domain} {round_number}".encode()).digest()
    random = np.random.default_rng(int.from_bytes(seed[:8], "big"))
    root = _read_tree(page)
    era = str(random.choice(list(ERAS), p=list(ERAS.values())))
    if page.page_type == "article":
        _change_article(root, donors.others(page), random, named=era in ("today", "plain"))
    if era != "today":
        _write_as_in_era(root, era, random)
    keeps_data = era == "today" and random.random() < 0.6
    markup = "".join(_write(root, [] if not keeps_data else list(page.page.scripts)))
    url = page.page.url if random.random() < 0.6 else None
    return _read_copy(page, root, markup, url, f"{page.name}~{round_number + 1}")


def _read_tree(page: LabelledPage) -> Node:
    """The page's rows as nodes; each text has the share of its segment."""
    table, parts = page.page, page.segments
    share = np.zeros(len(table), dtype=np.float32)
    is_open = np.zeros(len(table), dtype=np.bool_)
    for i, (first, last) in enumerate(zip(parts.first.tolist(), parts.last.tolist())):
        share[first : last + 1] = page.share[i]
        is_open[first : last + 1] = page.open is not None and page.open[i]
    nodes = [
        Node(_tag_name(table, row), table.attrs[row], table.text[row], *labels)
        for row, labels in enumerate(zip(share.tolist(), is_open.tolist(), strict=True))
    ]
    for row, parent in enumerate(table.parent.tolist()):
        if parent >= 0:
            nodes[parent].children.append(nodes[row])
    return nodes[0]


def _tag_name(page: Page, row: int) -> str:
    code = int(page.tag[row])
    return "" if code == 0 else page.names.get(row, "span") if code == 1 else NAMES[code]


def _read_copy(
    page: LabelledPage, root: Node, markup: str, url: str | None, name: str
) -> LabelledPage | None:
    """The copy as the engine will see it, each segment with the shares of its letters."""
    table = parse(markup, url)
    written = [(node.share, _squeeze(node.text)) for node in _texts(root)]
    read = [_squeeze(text) for text in table.text]
    if "".join(text for _, text in written) != "".join(read):
        return None
    letters = np.repeat([share for share, _ in written], [len(text) for _, text in written])
    is_open = np.repeat([node.open for node in _texts(root)], [len(text) for _, text in written])
    total = np.concatenate(([0.0], np.cumsum(letters)))
    unknown = np.concatenate(([0], np.cumsum(is_open)))
    ends = np.concatenate(([0], np.cumsum([len(text) for text in read])))
    parts = segments(table, hidden=True)
    if not len(parts):
        return None
    low, high = ends[parts.first], ends[parts.last + 1]
    share: Floats = ((total[high] - total[low]) / np.maximum(high - low, 1)).astype(np.float32)
    left_open: Bools = unknown[high] > unknown[low]
    return LabelledPage(name, page.domain, table, parts, share, page.page_type, left_open)


def _squeeze(text: str) -> str:
    return "".join(text.split())


def _texts(node: Node) -> Iterator[Node]:
    """The texts that are written, in their order."""
    stack = [node]
    while stack:
        node = stack.pop()
        if not node.tag:
            yield node
        elif node.tag not in _RAW:
            stack.extend(reversed(node.children))


def _write(node: Node, scripts: Sequence[tuple[str, str]] = ()) -> Iterator[str]:
    """The markup of a tree."""
    if not node.tag:
        yield html.escape(node.text, quote=False)
    elif node.tag in VOID:
        yield f"<{node.tag}{node.attrs}>"
    elif node.tag not in _RAW:
        yield f"<{node.tag}{node.attrs}>"
        if node.tag == "head":
            for kind, text in scripts:
                yield f'<script type="{kind}">{text}</script>'
        if node.tag == "pre":
            yield "\n"
        for child in node.children:
            yield from _write(child)
        yield f"</{node.tag}>"


def _walk(node: Node) -> Iterator[Node]:
    """The elements of a tree, outer ones first."""
    stack = [node]
    while stack:
        node = stack.pop()
        if node.tag:
            yield node
            stack.extend(reversed(node.children))


# ---- An article of another length, with other things around it ----


def _change_article(root: Node, donors: Donors, random: np.random.Generator, named: bool) -> None:
    if random.random() < 0.75:
        _cut_end(root, random)
    place = _find_root(root)
    if place is None:
        return
    above, article = place
    if donors.posts and random.random() < 0.5:
        block = _comments(donors.posts, random, named)
        spot = random.random()
        if spot < 0.35:
            article.children.append(block)
        elif spot < 0.8:
            _insert_after(above, article, block)
        else:
            _body(root).children.append(block)
    if donors.teasers and random.random() < 0.6:
        for _ in range(int(random.integers(1, 4))):
            _add_rail(root, above, article, donors, random, named)


def _cut_end(root: Node, random: np.random.Generator) -> None:
    """Leaves out the end of the content, so that a log-uniform number of words is left."""
    content = [node for node in _texts(root) if node.share > CONTENT and node.text.strip()]
    sizes = np.array([count_words(node.text) for node in content])
    if sizes.sum() <= 1.2 * SHORTEST:
        return
    wanted = np.exp(random.uniform(np.log(SHORTEST), np.log(sizes.sum())))
    left_out = {id(node) for node in content[int(np.searchsorted(np.cumsum(sizes), wanted)) + 1 :]}
    if left_out and random.random() < 0.5:  # also what stands between the lines that are cut
        _add_between(root, left_out)
    _drop(root, lambda node: id(node) in left_out)


def _add_between(root: Node, left_out: set[int]) -> None:
    """Adds the texts between the first and the last of those that are left out."""
    texts = list(_texts(root))
    places = [i for i, node in enumerate(texts) if id(node) in left_out]
    left_out.update(id(node) for node in texts[places[0] : places[-1]])


def _drop(node: Node, unwanted: Callable[[Node], bool]) -> bool:
    """Leaves texts out, and the elements that had no other; whether anything was left out."""
    changed = False
    kept: list[Node] = []
    for child in node.children:
        if unwanted(child):
            changed = True
        elif child.tag and _drop(child, unwanted):
            changed = True
            if any(text.text.strip() for text in _texts(child)) or child.tag == "body":
                kept.append(child)
        else:
            kept.append(child)
    if changed:
        node.children = kept
    return changed


def _find_root(root: Node) -> tuple[Node, Node] | None:
    """The smallest element with nearly all of the content, and the one around it."""
    inside: dict[int, float] = {}

    def count(node: Node) -> float:
        total = (
            sum(count(child) for child in node.children)
            if node.tag
            else len(node.text) * (node.share > CONTENT)
        )
        inside[id(node)] = total
        return total

    whole = count(root)
    above, here = root, root
    while True:
        best = max(here.children, key=lambda child: inside[id(child)], default=None)
        if best is None or not best.tag or inside[id(best)] < _ROOT * whole:
            break
        above, here = here, best
    fits = whole > 0 and here.tag in ("div", "article", "main", "section", "td", "body")
    return (above, here) if fits else None


def _body(root: Node) -> Node:
    return next((child for child in root.children if child.tag == "body"), root)


def _insert_after(above: Node, child: Node, new: Node) -> None:
    if above.tag in ("html", "tr") or child.tag in ("body", "td"):
        child.children.append(new)
    else:
        above.children.insert(above.children.index(child) + 1, new)


def _text(text: str) -> Node:
    return Node("", text=text + " ")


def _make(tag: str, names: str, *children: Node | str) -> Node:
    """An element with classes; of its children, strings are texts."""
    inner = [_text(child) if isinstance(child, str) else child for child in children]
    return Node(tag, f' class="{names}"' if names else "", children=inner)


_PEOPLE: Final = tuple(
    "Anna Ben Chris David Elena Frank Guest Hans Ivan Julia Karl Laura Mike Nina Olga Paul Rob Sara"
    " Tom Anonymous admin jdoe42 reader_1 Mr.X Мария Сергей 小明 田中".split()
)
_DAYS: Final = (
    "3 days ago", "March 4, 2009 at 10:12 am", "2012-05-17 08:33", "12.11.2011 14:05",
    "Posted by", "#12", "1 hour ago", "17 May 2008", "August 1st, 2010",
)  # fmt: skip
_TOOLS: Final = ("Reply", "Permalink", "Report abuse", "Like", "Antworten", "Répondre", "Ответить")
_THREAD_HEADS: Final = (
    "Comments", "12 Comments", "Responses to this entry", "Reader comments", "Leave a Reply",
    "What do you think?", "Kommentare", "Commentaires", "Comentarios", "Комментарии", "评论",
    "コメント", "3 thoughts on this", "Discussion", "Add a comment", "",
)  # fmt: skip
_RAIL_HEADS: Final = (
    "Related", "Most read", "Latest news", "You may also like", "Recent posts", "Popular", "More",
    "Also in this section", "Top stories", "Mehr zum Thema", "À lire aussi", "Lo más leído",
    "Читайте также", "相关文章", "関連記事", "",
)  # fmt: skip
_COMMENT_NAMES: Final = (
    # of the list, one comment, its author, its text, its foot
    ("commentlist", "comment depth-1", "comment-author vcard", "comment-body", "reply"),
    ("comments", "comment", "submitted", "content", "links"),
    ("comments-content", "comment", "comment-header", "comment-content", "comment-footer"),
    ("comments-list", "comment-item", "comment-info", "comment-text", "comment-actions"),
    ("", "row", "poster", "text", "tools"),
    ("discussion", "post", "user", "message", "meta"),
    ("responses", "response", "by", "entry", "date"),
    ("feedback", "item", "name", "body", "options"),
)
_RAIL_NAMES: Final = (
    ("related", "item"), ("sidebar widget", "entry"), ("most-popular", "teaser"),
    ("box", "story"), ("rightcol", "row"), ("latest", "headline"), ("module", "list-item"),
)  # fmt: skip


def _pick(random: np.random.Generator, options: Sequence[Any]) -> Any:
    return options[int(random.integers(len(options)))]


def _comments(posts: Sequence[str], random: np.random.Generator, named: bool) -> Node:
    """A thread of comments, in the template of some blog system."""
    count = min(int(np.exp(random.uniform(0, np.log(40)))), len(posts))
    names = _pick(random, _COMMENT_NAMES) if named else ("",) * 5
    outer, inner = _pick(random, (("ol", "li"), ("div", "div"), ("ul", "li"), ("div", "div")))
    heading = str(_pick(random, _THREAD_HEADS))
    has_tools, line = random.random() < 0.6, str(_pick(random, ("p", "div", "p", "blockquote")))
    block = _make("div", names[0])
    if heading:
        block.children.append(_make(str(_pick(random, ("h2", "h3", "div", "h4"))), "", heading))
    thread = _make(outer, "")
    for at in random.choice(len(posts), count, replace=False).tolist():
        author = _make("div", names[2], _make("a", "", str(_pick(random, _PEOPLE))))
        author.children.append(_text(str(_pick(random, _DAYS))))
        one = _make(inner, names[1], author, _make(line, names[3], posts[at]))
        if has_tools:
            tool = Node("a", ' href="#"', children=[_text(str(_pick(random, _TOOLS)))])
            one.children.append(_make("div", names[4], tool))
        thread.children.append(one)
    block.children.append(thread)
    return block


def _make_teasers(
    teasers: Sequence[tuple[str, str]], random: np.random.Generator, named: bool
) -> Node:
    """A box with headlines of other articles, some with their first words."""
    names = _pick(random, _RAIL_NAMES) if named else ("", "")
    count = min(int(random.integers(2, 14)), len(teasers))
    has_leads, words = random.random() < 0.5, int(random.integers(8, 45))
    outer, inner = _pick(random, (("ul", "li"), ("div", "div"), ("div", "p")))
    block, rows = _make("div", names[0]), _make(outer, "")
    if heading := str(_pick(random, _RAIL_HEADS)):
        block.children.append(_make(str(_pick(random, ("h3", "h2", "b", "div"))), "", heading))
    for at in random.choice(len(teasers), count, replace=False).tolist():
        headline, lead = teasers[at]
        one = _make(inner, names[1], Node("a", ' href="/x"', children=[_text(headline)]))
        if has_leads:
            one.children += [Node("br"), _text(" ".join(lead.split()[:words]) + " …")]
        rows.children.append(one)
    block.children.append(rows)
    return block


def _add_rail(
    root: Node, above: Node, article: Node, donors: Donors, random: np.random.Generator, named: bool
) -> None:
    block, spot = _make_teasers(donors.teasers, random, named), random.random()
    if spot < 0.4:
        _insert_after(above, article, block)
    elif spot < 0.65:
        article.children.append(block)
    elif spot < 0.75 and len(article.children) > 2:
        article.children.insert(int(random.integers(1, len(article.children))), block)
    else:
        body = _body(root)
        body.children.insert(0 if spot < 0.85 else len(body.children), block)


# ---- A page as another year would have written it ----


def _write_as_in_era(root: Node, era: str, random: np.random.Generator) -> None:
    """Writes the page as in another era."""
    fate: dict[str, str] = {}
    lines = era == "tables" and random.random() < 0.6
    heads = era in ("tables", "bare") and random.random() < 0.5
    for node in _walk(root):
        node.tag = _PLAIN.get(node.tag, node.tag)
        if era != "plain":
            node.attrs = _NAMES.sub(lambda found: _rename(found, era, fate, random), node.attrs)
        elif " role=" in node.attrs:
            node.attrs = re.sub(r' role="[^"]*"', "", node.attrs)
        if heads and node.tag in ("h2", "h3", "h4", "h5", "h6"):
            node.tag, node.attrs = "p", ""
            node.children = [Node("b", children=node.children)]
    _drop_data(root)
    if lines:
        _write_lines(root)
    if era == "tables":
        _lay_out_in_tables(root, random)


def _rename(
    found: re.Match[str], era: str, fate: dict[str, str], random: np.random.Generator
) -> str:
    """An attribute that names something, without its meaning: equal names stay equal."""
    kind = found[0].split("=", 1)[0]
    if era == "renamed" and kind in (" class", " id"):
        words = [
            fate.setdefault(word, "".join(random.choice(list("bcdfghkmpqrstvwxz"), 5).tolist()))
            for word in found[1].split()
        ]
        return f'{kind}="{" ".join(words)}"'
    return ""


def _drop_data(root: Node) -> None:
    """Leaves out what a page of that time did not say of itself."""
    for node in _walk(root):
        if node.tag == "head":
            node.children = [
                child
                for child in node.children
                if not (child.tag == "meta" and 'property="' in child.attrs)
            ]


def _write_lines(root: Node) -> None:
    """Paragraphs become lines with empty lines between them."""
    for node in _walk(root):
        if any(child.tag == "p" for child in node.children):
            inner: list[Node] = []
            for child in node.children:
                hidden = child.tag == "p" and _HIDES.search(child.attrs)
                if child.tag == "p" and not hidden:
                    inner += (*child.children, Node("br"), Node("br"))
                else:
                    inner.append(child)
            node.children = inner


def _lay_out_in_tables(root: Node, random: np.random.Generator) -> None:
    """The parts of the page's body as cells of a table, its text in `<font>`."""
    body = _body(root)
    font = random.random() < 0.5
    for node in list(_walk(body)):
        if node.tag == "div" and random.random() < 0.25 and _is_block(node):
            cell = Node("td", node.attrs, children=node.children)
            node.tag, node.attrs = "table", ' border="0"'
            node.children = [Node("tbody", children=[Node("tr", children=[cell])])]
        elif font and node.tag == "p":
            node.children = [Node("font", ' size="2"', children=node.children)]
    cells = [
        Node("td", ' valign="top"', children=[child])
        for child in body.children
        if child.tag or child.text.strip()
    ]
    width = int(random.integers(1, 4))
    rows = [Node("tr", children=cells[i : i + width]) for i in range(0, len(cells), width)]
    if rows:
        body.children = [Node("table", ' border="0"', children=[Node("tbody", children=rows)])]


def _is_block(node: Node) -> bool:
    """Whether a `div` has blocks in it, so that it may be a part of a layout."""
    return any(child.tag in ("div", "p", "table", "ul", "h1", "h2") for child in node.children)
