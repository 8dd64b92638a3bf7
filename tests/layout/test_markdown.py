"""Four renderers read our Markdown: no element, link or picture that the article lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import commonmark
import html5lib
import markdown
import mistune
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.layout.stories import make_article

from tearsheet.types import (
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
    Paragraph,
    Post,
    Quote,
    Run,
    Table,
)  # fmt: skip

RENDERERS: dict[str, Callable[[str], Any]] = {
    "python-markdown": markdown.markdown,
    "python-markdown, extra": lambda text: markdown.markdown(text, extensions=["extra"]),
    "commonmark": commonmark.commonmark,
    "markdown-it": MarkdownIt("commonmark").render,
    "markdown-it, gfm": MarkdownIt("gfm-like", {"linkify": False, "html": True}).render,
    "mistune": mistune.html,
}
LINK, PICTURE = "https://press.example/link", "https://press.example/picture.png"
OWN = frozenset(
    "html head body p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong hr br del s ins "
    "mark sub sup kbd table thead tbody tr th td section div dl dt dd a img".split()
)
"""The signs of Markdown, and the tags that we write for marks that it does not know."""
ELEMENTS = OWN | frozenset(
    "script style iframe object embed form input button select textarea svg math video audio "
    "link meta base title frame frameset applet template b i u span font marquee details".split()
)
PIECES = (
    "[x](javascript:alert(1))", "![x](https://track.example/t.gif)", "[x]: javascript:alert(1)",
    "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "<b>", "</p>", "<!-- x", "<?php",
    "<https://evil.example/>", "<div onclick=x>", "<int>", "<x-y>", "</T>", "<a@b.example>",
    "<std::s onclick=x>", "[y]: https://evil.example/ ",
    "[x][y]", "[y]", "[^1]", "`", "``", "```", "~~~",
    "*", "**", "_", "__", "~~", "\\", "\n", "\r", "\t", "    ", "# ", "#", "- ", "+ ", "1. ",
    "12345678901. ", "> ", "=", "===", "---", "| a | b", "--- | ---", "|", ": ", "$", "$$", "&lt;",
    "&", "lt;b&gt;", "{: onclick=alert(1) }", "{#i onclick=x}", "*[x]: y", "!", "(", ")", "[", "]",
    "<", ">", '"', "'", "word", "a", "1", " ", ".", "\u2028", "\x0b", "\x85", "\x02", "\x1b[31m",
)  # fmt: skip
NOTE = Run("1", note="1")
STARS = (
    Run("*"), Run("[x", frozenset({"em"})), Run("*"), Run("](javascript:a)", frozenset({"em"})),
)  # fmt: skip
"""Signs between which one would get lost if another were removed."""
texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join)
marks = st.sampled_from(["strong", "em", "code", "del", "sub", "math", "q", "kbd"])


@st.composite
def runs(draw: st.DrawFn) -> tuple[Run, ...]:
    found = []
    for _ in range(draw(st.integers(1, 4))):
        chosen = draw(st.frozensets(marks, max_size=2))
        href = draw(st.sampled_from([None, None, LINK]))
        note = draw(st.sampled_from([None, None, None, "1"]))
        found.append(Run(draw(st.one_of(texts, st.just("\n"))), chosen, href, note))
    return tuple(found)


paragraphs = st.builds(Paragraph, runs())
simple = st.one_of(paragraphs, st.builds(Code, texts, texts))
few = st.lists(simple, min_size=1, max_size=2).map(tuple)
inner = st.one_of(
    simple,
    st.builds(Quote, few),
    st.builds(ListBlock, st.tuples(few), st.booleans()),
    st.builds(Definitions, st.tuples(st.tuples(runs(), few))),
    st.builds(Table, st.tuples(st.tuples(st.builds(Cell, few)))),
)
groups = st.lists(inner, min_size=1, max_size=3).map(tuple)
cells = st.builds(Cell, groups)
blocks = st.one_of(
    paragraphs,
    st.builds(Heading, runs(), st.integers(1, 6)),
    st.builds(Code, texts, texts),
    st.builds(Math, texts),
    st.builds(Quote, groups),
    st.builds(
        Callout, groups, st.sampled_from(["", "tip", "other"]), st.one_of(runs(), st.just(()))
    ),
    st.builds(Post, groups, texts, texts, st.sampled_from(["", "answer"]), st.integers(0, 3)),
    st.builds(ListBlock, st.lists(groups, min_size=1, max_size=3).map(tuple), st.booleans()),
    st.builds(Definitions, st.tuples(st.tuples(runs(), groups))),
    st.builds(
        Table, st.tuples(st.tuples(st.builds(Cell, groups), st.builds(Cell, groups))), runs()
    ),
    st.builds(Embed, st.just(LINK), texts),
    st.builds(
        Figure, st.tuples(st.builds(Image, st.just(PICTURE), alt=texts)), runs(), credit=texts
    ),
    st.builds(Footnotes, st.tuples(st.builds(Note, st.just("1"), st.just("1"), groups))),
)


def does_nothing(node: Any) -> bool:
    """Whether an element has a name of its own and no value, as `<int>` in code has: where fences
    are unknown, it may appear."""
    name = _name(node)
    return name not in ELEMENTS and "-" not in name and not any(node.attrib.values())


def _render(renderer: str, *content: Any, title: str = "T") -> list[Any]:
    source = make_article(*content, title=title).to("md").decode()
    tree = html5lib.parse(RENDERERS[renderer](source))
    return list(tree.iter())


def _name(node: Any) -> str:
    return str(node.tag).rpartition("}")[2] if isinstance(node.tag, str) else "comment"


@pytest.mark.parametrize("renderer", RENDERERS)
@given(content=st.lists(blocks, min_size=1, max_size=4), title=texts)
def test_nothing_acts_that_the_article_does_not_have(
    renderer: str, content: list[Any], title: str
) -> None:
    for node in _render(renderer, *content, title=title):
        name = _name(node)
        if name == "comment":  # ours, which keeps lists apart or names a language
            assert re.fullmatch(r" (?:language: [\w+#.-]+ )?", node.text)
            continue
        assert name in OWN or (renderer == "python-markdown" and does_nothing(node))
        assert not any(str(key).startswith(("on", "style")) for key in node.attrib)
        if name == "a" and "href" in node.attrib:
            assert node.attrib["href"] == LINK or node.attrib["href"].startswith("#")
        if name == "img":
            assert node.attrib["src"] == PICTURE


HOSTILE = "[x](javascript:alert(1))"
BULLETS = ListBlock(((Paragraph((Run("a"),)),),), False)
CODE = frozenset({"code"})


@pytest.mark.parametrize(
    "content",
    [
        [Paragraph((Run("<<a@b.example> <3@b.example>"),))],
        [Paragraph((Run("a", frozenset({"em"})), Run("{b } onclick=alert(1) }")))],
        [Paragraph((Run("1", note="1"), Run("(javascript:alert(1))")))],
        [Paragraph((Run("1", note="1"), Run(":javascript:alert(1)"))), Paragraph((NOTE,))],
        [Paragraph((Run("Look!"), Run("here", href=LINK)))],
        [Paragraph((Run("a`<b>", CODE), Run("[", CODE | {"small"})))],
        [Paragraph((NOTE,)), Footnotes((Note("1", "1", (Paragraph((Run("a:b( t)"),)),)),))],
        [Definitions(((STARS, ()),))],
        [Callout((), "", STARS)],
        [Paragraph((Run("~~", CODE | {"del"}), Run("<img src=x onerror=x>", CODE)))],
        [Paragraph((Run("*", CODE | {"em"}), Run("<img src=x onerror=x>", CODE)))],
        [Code(f"\n{HOSTILE}\n")],
        *([Code(f"{end}<div onclick=x>")] for end in "\r\x0b\x0c\x85\u2028\u2029"),
        [ListBlock(((Paragraph(()),),), False), Code("\n<b>\n\n")],
        [ListBlock(((Definitions((((), (Code(f"<b>\n\n{HOSTILE}"),)),)),),), False)],
        [Definitions((((), (Code(f"<b>\n\n{HOSTILE}"),)),)), Code(f"<b>\n\n{HOSTILE}")],
        [Definitions((((), (BULLETS,)), ((), (Code(f"<b>\n\n{HOSTILE}"),))))],
        [Definitions((((), (BULLETS,)), ((Run(" "),), (Code(f"<b>\n\n{HOSTILE}"),))))],
        [Definitions((((), (BULLETS,)),)), Code(f"<b>\n\n{HOSTILE}")],
        [Post((BULLETS,), "A"), Code(f"<b>\n\n{HOSTILE}")],
        [Quote((Code("*[x]: y"), Paragraph((Run("x"),))))],
        [Quote((Code("{: onclick=alert(1) }\n"),))],
        [Quote((Code(": *[x]: y"), Paragraph((Run("x"),))))],
        [Table(((Cell((Definitions((((), (Code("<b>\n\n<i>"),)),)),)),),))],
        [Footnotes((Note("1", "1", (Code("\n<int>\n"),)),))],
    ],
)  # fmt: skip
@pytest.mark.parametrize("renderer", RENDERERS)
def test_nothing_acts_where_two_things_meet(renderer: str, content: list[Any]) -> None:
    nodes = _render(renderer, *content, title="")
    assert {_name(node) for node in nodes} <= OWN | {"comment"}
    links = [node.attrib["href"] for node in nodes if "href" in node.attrib]
    assert all(link == LINK or link.startswith("#") for link in links)
    assert "img" not in map(_name, nodes)


@pytest.mark.parametrize("renderer", RENDERERS)
@given(text=texts)
def test_text_makes_no_element(renderer: str, text: str) -> None:
    """Words are words: no emphasis, heading, list, code, table or link comes out of them."""
    found = Counter(map(_name, _render(renderer, Paragraph((Run(text),)), title="")))
    assert found.keys() <= {"html", "head", "body", "p"}
    assert found["p"] <= 1


@pytest.mark.parametrize("renderer", RENDERERS)
@given(tex=texts, display=st.booleans())
def test_a_formula_makes_no_element_but_code(renderer: str, tex: str, display: bool) -> None:
    block = Math(tex) if display else Paragraph((Run(tex, frozenset({"math"})),))
    found = set(map(_name, _render(renderer, block, title="")))
    assert found <= {"html", "head", "body", "p", "code", "pre"}


def test_ordinary_formulas_stay_as_they_are() -> None:
    tex = r"\frac{a_1}{x^2} + \sum_{i=1}^{n} i"
    written = make_article(Math(tex), Paragraph((Run(tex, frozenset({"math"})),))).markdown
    assert written == f"# A title\n\n$$\n{tex}\n$$\n\n${tex}$\n"


def test_code_that_would_act_is_indented_and_other_code_is_fenced() -> None:
    written = make_article(Code("# x\n\ny = 1", "py"), Code("<b>\n\n  [x](y)", "html")).markdown
    acts = "<!-- language: html -->\n\n    <b>\n\n      [x](y)\n"
    assert written == f"# A title\n\n```py\n# x\n\ny = 1\n```\n\n{acts}"


@pytest.mark.parametrize(
    "code",
    [
        "#include <stdio.h>\n\nint main() {}",
        "std::vector<std::string> v;\n\nm[i][j] = v[0];",
        "Map<String, List<Integer>> m;\n\n# done",
        "if a < b:\n\n    print(a)",
        "> echo <file\n\n$ cat x",
    ],
)
def test_code_that_only_looks_like_tags_keeps_its_fence_and_its_language(code: str) -> None:
    listing = Code(code, "c")
    for block in listing, Post((listing,), "A"), Definitions((((), (listing,)),)):
        assert f"```c\n{code}\n```" in make_article(block).markdown
    listed = make_article(ListBlock(((Code("vector<int> v;", "c"),),), False)).markdown
    assert "```c" in listed


def test_code_in_a_list_that_would_act_keeps_its_language() -> None:
    listed = make_article(ListBlock(((Code("<b>", "html"),),), False)).markdown
    assert '<pre><code class="language-html">&#60;b&#62;</code></pre>' in listed


@pytest.mark.parametrize("text", ["javascript:alert(1)", 'javascript:alert(1) "t"', "word\\"])
@pytest.mark.parametrize("renderer", RENDERERS)
def test_a_note_is_no_address(renderer: str, text: str) -> None:
    note = Footnotes((Note("1", "1", (Paragraph((Run(text),)),)),))
    found = _render(renderer, Paragraph((Run("See"), Run("1", note="1"))), note)
    links = [node.attrib["href"] for node in found if _name(node) == "a"]
    assert all(re.match("#", link) for link in links)
