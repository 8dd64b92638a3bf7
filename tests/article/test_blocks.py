"""Kept segments become typed blocks, in order, and no word is lost or stands twice."""

from __future__ import annotations

from typing import Any

import pytest
from tests.article.pages import article, blocks, shape

from tearsheet.types import (
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
    Paragraph,
    Quote,
    Rule,
    Run,
    Table,
)  # fmt: skip


def plain(block: Any) -> str:
    return "".join(run.text for run in block.runs)


def test_headings_have_levels_and_their_inline_markup() -> None:
    first, second = blocks("<h2>The <em>big</em> one</h2><h4>Small</h4>")
    assert isinstance(first, Heading)
    assert isinstance(second, Heading)
    assert (first.level, second.level) == (2, 4)
    assert first.runs == (Run("The "), Run("big", frozenset({"em"})), Run(" one"))


def test_links_are_absolute_by_the_base_of_the_page() -> None:
    (block,) = blocks('<base href="https://cdn.example/x/"><p>See <a href="../y?a=1&amp;b">it</a>')
    assert isinstance(block, Paragraph)
    assert block.runs[1].href == "https://cdn.example/y?a=1&b"


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "JaVa\nScript:alert(1)", "data:text/html,x", "file:///etc/passwd",
     "vbscript:x", " \x01javascript:x", "http://[broken"],
)  # fmt: skip
def test_addresses_that_do_harm_are_no_links(address: str) -> None:
    (block,) = blocks(f'<p><a href="{address}">word</a> text')
    assert isinstance(block, Paragraph)
    assert block.runs == (Run("word text"),)


def test_a_break_is_a_line_and_two_are_a_paragraph() -> None:
    one, two = blocks("<p>first<br>second<br><br>third")
    assert isinstance(one, Paragraph)
    assert one.runs == (Run("first"), Run("\n"), Run("second"))
    assert plain(two) == "third"


def test_lists_nest_and_know_where_they_start() -> None:
    (block,) = blocks("<ul><li>a<ol start=5><li>b<li>c</ol><li>d</ul>")
    assert isinstance(block, ListBlock)
    assert not block.ordered
    inner = block.items[0][1]
    assert isinstance(inner, ListBlock)
    assert (inner.ordered, inner.start, len(inner.items)) == (True, 5, 2)
    assert len(block.items) == 2


def test_a_dropped_item_is_left_out_of_its_list() -> None:
    found = article("<ul><li>good<li>Advertisement<li>fine</ul>", lambda t: t[0] != "A")
    assert found.text == "- good\n- fine"


def test_definitions_keep_terms_with_what_explains_them() -> None:
    (block,) = blocks("<dl><dt>Ebb<dd>Falling water.<dt>Flood<dd><p>Rising.<p>Water.</dl>")
    assert isinstance(block, Definitions)
    assert [len(entry[1]) for entry in block.entries] == [1, 2]


def test_quotes_hold_blocks_and_their_source() -> None:
    (block,) = blocks('<blockquote cite="/who"><p>One<p>Two</blockquote>')
    assert isinstance(block, Quote)
    assert block.cite == "https://press.example/who"
    assert len(block.blocks) == 2


@pytest.mark.parametrize(
    ("html", "text", "language"),
    [
        ('<pre><code class="hljs language-python">def f():\n\treturn  1\n</code></pre>',
         "def f():\n\treturn  1", "python"),
        ('<pre class="brush: js">a &lt; b</pre>', "a < b", "js"),
        ("<pre>a<br>b</pre>", "a\nb", ""),
        ('<pre><div class=line>a</div><div class=line>  b</div></pre>', "a\n  b", ""),
        ('<pre><span class="lineno">1</span>a\n<span class="lineno">2</span>b</pre>', "a\nb", ""),
        ('<div class="highlight-source-rust"><table><tr><td class="blob-num" data-line-number="1">'
         "</td><td>fn x() {</td></tr><tr><td class=blob-num data-line-number=2></td><td>}</td>"
         "</table></div>", "fn x() {\n}", "rust"),
        ('<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre></td><td class=code>'
         "<pre>x = 1\ny = 2</pre></table>", "x = 1\ny = 2", ""),
    ],
)  # fmt: skip
def test_code_keeps_its_white_space_and_loses_its_line_numbers(
    html: str, text: str, language: str
) -> None:
    (block,) = blocks(html)
    assert isinstance(block, Code)
    assert (block.text, block.language) == (text, language)


def test_tables_keep_spans_headers_empty_cells_and_captions() -> None:
    html = """<table><caption>Tides</caption><tr><th>Port<th colspan=2>High
    <tr><td rowspan=9>Calais<td><td>7.1<tr><td>a<td>b</table>"""
    (block,) = blocks(html)
    assert isinstance(block, Table)
    assert [[(c.header, c.colspan, c.rowspan) for c in row] for row in block.rows] == [
        [(True, 1, 1), (True, 2, 1)],
        [(False, 1, 2), (False, 1, 1), (False, 1, 1)],
        [(False, 1, 1), (False, 1, 1)],
    ]
    assert block.rows[1][1] == Cell(())
    assert block.caption == (Run("Tides"),)


@pytest.mark.parametrize(
    "html",
    [
        "<table role=presentation><tr><td>one<td>two<tr><td>three<td>four</table>",
        "<table><tr><td>one</td></tr><tr><td>two<p>three</td></tr></table><p>four",
        "<table><tr><td>one<table><tr><td>two</table></td><td>three</td></tr></table><p>four",
    ],
)
def test_a_table_that_lays_out_the_page_is_no_table(html: str) -> None:
    assert [plain(block) for block in blocks(html)] == ["one", "two", "three", "four"]


def test_formulas_are_tex_in_a_line_and_blocks_on_their_own() -> None:
    one, two, three = blocks(
        "<p>Let <math><msup><mi>x</mi><mn>2</mn></msup></math> be \\(a_1\\).</p>"
        '<math display="block" alttext="E=mc^2"><mi>E</mi></math>'
        '<p><span class="katex"><span class="katex-mathml"><math><semantics><mi>y</mi>'
        '<annotation encoding="application/x-tex">y</annotation></semantics></math></span>'
        '<span class="katex-html" aria-hidden="true">y</span></span> comes first.'
    )
    assert isinstance(one, Paragraph)
    formula = frozenset({"math"})
    assert one.runs == (
        Run("Let "), Run("{x}^{2}", formula), Run(" be "), Run("a_1", formula), Run(".")
    )  # fmt: skip
    assert isinstance(two, Math)
    assert (two.tex, two.mathml) == ("E=mc^2", '<math display="block"><mi>E</mi></math>')
    assert isinstance(three, Paragraph)
    assert three.runs == (Run("y", formula), Run(" comes first."))


@pytest.mark.parametrize(
    "notes",
    [
        '<ol><li id="n1">The note. <a href="#r1">↩</a></ol>',
        '<p id="n1"><sup>1</sup> The note.</p>',
        '<p><a name="n1">1.</a> The note.</p>',
        '<aside id="n1" role="doc-footnote">The note.</aside>',
    ],
)
def test_footnotes_are_linked_to_where_they_are_called(notes: str) -> None:
    text, found = blocks(f'<p>Word<sup id="r1"><a href="#n1">[1]</a></sup> goes on.</p>{notes}')
    assert isinstance(found, Footnotes)
    assert [(note.label, plain(note.blocks[0])) for note in found.notes] == [("1", "The note.")]
    assert isinstance(text, Paragraph)
    assert text.runs[1] == Run("[1]", note=found.notes[0].id)


def test_a_link_to_a_section_is_no_footnote() -> None:
    first, *_ = blocks('<p>See <a href="#more">below</a>.</p><h2 id="more">More</h2><p>Text')
    assert isinstance(first, Paragraph)
    assert first.runs[1] == Run("below", href="https://press.example/2026/story.html#more")


def test_videos_are_embeds_and_advertisements_are_nothing() -> None:
    found = blocks(
        '<p>Before<iframe src="https://www.youtube.com/embed/x" title="Tides"></iframe>'
        '<iframe src="https://ads.example/frame"></iframe><p>After'
    )
    assert [type(block) for block in found] == [Paragraph, Embed, Paragraph]
    assert isinstance(found[1], Embed)
    assert (found[1].title, found[1].kind) == ("Tides", "video")


def test_rules_stand_between_kept_text_only() -> None:
    found = article("<hr><p>One<hr><p>Two<hr><p>Comments", lambda text: text != "Comments")
    assert [type(block) for block in found.blocks] == [Paragraph, Rule, Paragraph]


PICTURE = (
    '<p>Before<figure><img src="a.jpg"><figcaption>The harbour. Photo: A.</figcaption></figure>'
)


def image(html: str, **known: Any) -> Image:
    from tearsheet.page.parsed import parse
    from tearsheet.tags import CODES

    (row,) = parse(html).rows(CODES["img"])
    return Image("https://press.example/a.jpg", row=row, **known)


def test_a_figure_stands_in_its_place_with_its_caption_once() -> None:
    html = PICTURE + "<p>After"
    found = article(html, images=[image(html, caption="The harbour.", credit="Photo: A.")])
    assert [type(block) for block in found.blocks] == [Paragraph, Figure, Paragraph]
    assert found.markdown.count("harbour") == 1
    assert found.markdown.count("Photo") == 1


def test_a_caption_is_known_again_whatever_white_space_it_has() -> None:
    html = PICTURE.replace("harbour", "<a href=/x>harbour</a>") + "<p>After"
    found = article(html, images=[image(html, caption="The harbour . Photo: A .")])
    assert [type(block) for block in found.blocks] == [Paragraph, Figure, Paragraph]
    assert found.markdown.count("harbour") == 1


@pytest.mark.parametrize(
    "caption",
    [
        "<figure><img src=a.jpg><figcaption>The harbour</figcaption></figure>",
        "<div><img src=a.jpg><p class=wp-caption-text>The harbour</p></div>",
        "<p><img src=a.jpg><span class=image-caption>The harbour</span></p>",
    ],
)
def test_plain_text_leaves_captions_out(caption: str) -> None:
    assert article(f"<p>Before it{caption}<p>After it").text == "Before it\n\nAfter it"


def test_captions_that_are_most_of_the_text_are_none() -> None:
    """A gallery, or a page whose author calls every paragraph so."""
    found = article("<p>Two words<div class=captions><p>The whole of the story is here.</div>")
    assert found.text == "Two words\n\nThe whole of the story is here."


def test_a_caption_that_was_not_kept_adds_no_text() -> None:
    html = PICTURE + "<p>After"
    found = article(
        html, lambda text: "harbour" not in text, [image(html, caption="The harbour. Photo: A.")]
    )
    assert found.text == "Before\n\nAfter"
    assert b"The harbour" in found.to("html")


def test_a_picture_in_a_sentence_does_not_tear_it() -> None:
    html = '<p>Here <img src="a.jpg"> it goes on.'
    found = article(html, images=[image(html)])
    assert [type(block) for block in found.blocks] == [Paragraph, Figure]


def test_text_that_is_only_data_comes_last() -> None:
    from dataclasses import replace

    from tests.article.pages import clipping

    from tearsheet.article import assemble
    from tearsheet.types import Metadata

    made = clipping("<p>One")
    made = replace(made, verdict=replace(made.verdict, extra_text=("From data.",)))
    assert assemble(made, Metadata()).text == "One\n\nFrom data."


@pytest.mark.parametrize("tag", "div b blockquote ul ol table dl span a".split())
def test_depth_does_not_matter(tag: str) -> None:
    inner = {"ul": "<li>", "ol": "<li>", "dl": "<dd>", "table": "<tr><td>"}.get(tag, "")
    found = article(f"<{tag}>{inner}" * 3_000 + "deep text")
    assert found.text.split() == ["deep", "text"] or "deep text" in found.text
    assert b"deep text" in found.to("html")
    assert "deep text" in found.markdown


def test_every_block_tells_where_it_came_from() -> None:
    found = article("<h1>A</h1><p>B</p><ul><li>C</ul>")
    page = found.clippings[0].page
    texts = ["".join(page.text[b.origin.first : b.origin.end]) for b in found.blocks]
    assert texts == ["A", "B", "C"]
    assert shape(found)[0] == {"type": "heading", "runs": [{"text": "A"}], "level": 1}
