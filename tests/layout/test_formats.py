"""Each format says what the article says, validly, and adds nothing."""

from __future__ import annotations

import json as stdlib_json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import html5lib
import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree
from markdown_it import MarkdownIt
from tests.article.pages import article
from tests.layout.stories import LANGUAGES, make_article, story

from tearsheet import plugins
from tearsheet.article import Article
from tearsheet.join import join_pages
from tearsheet.layout import json, jsonl
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
    Options,
    Paragraph,
    Post,
    Quote,
    Rule,
    Run,
    Table,
)  # fmt: skip


def p(text: str, *marks: str) -> Paragraph:
    return Paragraph((Run(text, frozenset(marks)),))


EVERYTHING = make_article(
    Heading((Run("First"),), 2),
    Paragraph((Run("Text with "), Run("weight", frozenset({"strong"})), Run("\n"), Run("a note"),
               Run("1", note="fn-1"), Run(" and "), Run("x^2", frozenset({"math"})))),
    ListBlock(((p("one"), ListBlock(((p("inner"),),), ordered=True, start=3)), (p("two"),))),
    Definitions((((Run("Term"),), (p("explained"),)),)),
    Quote((p("said"),), "https://press.example/who"),
    Callout((p("hot"), ListBlock(((p("very"),),))), "warning", (Run("Careful"),)),
    Post((p("why"), ListBlock(((p("so"),),))), "Ann <b>", "2024-05-03T10:20:30Z", "question"),
    Post((p("because"),), "", "two days ago", depth=1),
    Code("a < b\n\tc", "python"),
    Table(((Cell((p("H"),), True), Cell((p("I"),), True)), (Cell((p("1"),)), Cell(()))),
          (Run("Cap"),)),
    Figure((Image("https://press.example/a.jpg", alt="Alt"),), (Run("Caption"),), "Credit"),
    Math("E=mc^2", "<math><mi>E</mi></math>"),
    Embed("https://www.youtube.com/watch?v=1", "Film", "video"),
    Rule(),
    p("after"),
    Footnotes((Note("fn-1", "1", (p("the note"),)), Note("fn-x2", "2", (p("uncalled"),)))),
)  # fmt: skip


@pytest.mark.parametrize("form", plugins.names("layout"))
@pytest.mark.parametrize(
    "made", [EVERYTHING, make_article(), story("ar")], ids=["all", "empty", "arabic"]
)
def test_every_format_renders_every_block(form: str, made: Article) -> None:
    assert made.to(form)
    assert plugins.load("layout", form).MEDIA_TYPE


@pytest.mark.parametrize("form", plugins.names("layout"))
def test_every_format_renders_a_list_with_an_empty_item(form: str) -> None:
    made = make_article(ListBlock(((), (Paragraph((Run("After it."),)),))))
    assert made.to(form)


def test_text_is_what_a_reader_would_copy() -> None:
    assert EVERYTHING.text == (
        "First\n\nText with weight\na note1 and x^2\n\n- one\n  3. inner\n- two\n\n"
        "Term\n  explained\n\nsaid\n\nCareful\n\nhot\n\n- very\n\nwhy\n\n- so\n\nbecause\n\n"
        "a < b\n\tc\n\nCap\nH\tI\n1\n\n"
        "E=mc^2\n\nafter\n\n"
        "1. the note\n2. uncalled"
    )


def test_json_follows_its_schema() -> None:
    schema = json.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    for made in (EVERYTHING, make_article(), *map(story, LANGUAGES)):
        jsonschema.validate(stdlib_json.loads(made.json()), schema)


def test_jsonl_is_one_line_per_article() -> None:
    lines = jsonl.render_many([EVERYTHING, make_article()], Options()).decode().split("\n")
    assert [bool(line) for line in lines] == [True, True, False]
    assert stdlib_json.loads(lines[0])["metadata"]["title"] == "A title"


def test_json_ld_and_readability_shapes() -> None:
    made = story("en")
    linked = json.as_json_ld(made)
    assert (linked["@type"], linked["headline"]) == ("Article", "The Clock That Nobody Winds")
    assert [author["name"] for author in linked["author"]] == ["Ada Marsh", "J. Quill"]
    known = json.as_readability(made)
    assert list(known) == (
        "title byline dir lang content textContent length excerpt siteName publishedTime".split()
    )
    assert known["length"] == len(known["textContent"])
    assert known["excerpt"].startswith("Every harbour keeps two clocks.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_html_is_valid_and_names_language_and_direction(language: str) -> None:
    page = story(language).to("html").decode()
    html5lib.HTMLParser(strict=True).parse(page)
    assert f'<html lang="{language}" dir="{"rtl" if language == "ar" else "ltr"}">' in page


def test_html_needs_nothing_else() -> None:
    page = story("en").to("html").decode()
    assert "data:image/jpeg;base64," in page
    sources = re.findall(r'(?:src|url)\s*[=(]\s*"?([^"\s)]+)', page)
    assert all(source.startswith("data:") for source in sources)
    assert "<script" not in page


def test_html_of_everything_is_valid_and_links_notes_both_ways() -> None:
    page = EVERYTHING.to("html").decode()
    html5lib.HTMLParser(strict=True).parse(page)
    assert 'href="#fn-1"' in page
    assert 'id="fn-1"' in page
    assert 'href="#ref-fn-1"' in page
    assert 'id="ref-fn-1"' in page


def test_the_title_stands_once() -> None:
    made = article("<h1>The  Title</h1><p>Text", title="The title")
    assert len(re.findall("(?i)<h[1-6][^>]*>the title", made.to("html").decode())) == 1
    assert made.markdown == "# The title\n\nText\n"


def test_a_document_neither_begins_nor_ends_with_a_rule() -> None:
    made = article("<h1>The title</h1><hr><p>Text<hr><p>More<hr>", title="The title")
    assert made.markdown == "# The title\n\nText\n\n---\n\nMore\n"


def test_several_articles_make_one_html_file() -> None:
    page = plugins.load("layout", "html").render_many([EVERYTHING, EVERYTHING], Options()).decode()
    html5lib.HTMLParser(strict=True).parse(page)
    found = re.findall(r' id="([^"]+)"', page)
    assert len(found) == len(set(found))


def test_notes_of_joined_pages_keep_apart() -> None:
    """Every page counts its notes from one; joined, each call still leads to its own note."""
    html = '<p>{0} page<sup><a href="#n">1</a></sup>.</p><ol><li id="n">Note of the {0} page.</ol>'
    made = join_pages([article(html.format(which)) for which in ("first", "second")])
    page = made.to("html").decode()
    html5lib.HTMLParser(strict=True).parse(page)
    found = re.findall(r' id="([^"]+)"', page[page.index("<article") :])
    assert len(found) == len(set(found)) == 4
    assert set(re.findall(r'href="#([^"]+)"', page)) == set(found)


def test_markdown_of_everything() -> None:
    expected = """# A title

## First

Text with **weight**\\
a note[^fn-1] and $x^2$

- one
  3. inner
- two

**Term**

explained

> said

> [!WARNING]
> **Careful**
>
> hot
>
> - very

**Ann &lt;b>**, 2024-05-03 10:20

why

- so

two days ago

because

```python
a < b
\tc
```

Cap

| H | I |
| --- | --- |
| 1 |  |

![Alt](https://press.example/a.jpg)

*Caption Credit*

$$
E=mc^2
$$

[Film](https://www.youtube.com/watch?v=1)

---

after

[^fn-1]: the note

[^fn-x2]: &nbsp; &nbsp; uncalled
"""
    assert EVERYTHING.markdown == expected


def test_front_matter_is_yaml_that_nothing_breaks_out_of() -> None:
    made = make_article(p("x"), title='A "quoted"\n---\nevil: yes', authors=("One", "Two: three"))
    head = made.to("md", Options(front_matter=True)).decode().split("\n---\n")[0].split("\n")[1:]
    fields = dict(line.split(": ", 1) for line in head)
    assert stdlib_json.loads(fields["title"]) == 'A "quoted"\n---\nevil: yes'
    assert stdlib_json.loads(fields["authors"]) == ["One", "Two: three"]


def test_front_matter_has_the_names_that_hugo_jekyll_and_obsidian_read() -> None:
    made = make_article(
        p("x"), authors=("Ada", "Bo"), published="2026-11-03", modified="2026-11-04",
        section="Harbour", tags=("high water", "C++"),
    )  # fmt: skip
    head = made.to("md", Options(front_matter=True)).decode()
    for line in (
        'date: "2026-11-03"', 'lastmod: "2026-11-04"', 'last_modified_at: "2026-11-04"',
        'author: "Ada, Bo"', 'categories: ["Harbour"]', 'tags: ["high-water", "C"]',
    ):  # fmt: skip
        assert f"\n{line}\n" in head


TRICKY = [
    "1. not a list", "# not a heading", "> not a quote", "- not an item", "+ nor this", "*stars*",
    "_under_ snake_case_name", "`ticks`", "[link](x)", "<b>tag</b>", "a & b &amp; c", "~~gone~~",
    "back\\slash", "![image](x)", "| pipe |", "2) also", "---", "===", "$5 and $6", "a*b*c", "#tag",
    "<script>alert(1)</script>", "http://auto.example/x_y_z", "\\", "10\\. dots", "x_", "***",
]  # fmt: skip


@pytest.mark.parametrize("text", TRICKY)
def test_markdown_says_the_text_and_nothing_else(text: str) -> None:
    """Whatever stands in a paragraph comes out of a Markdown reader as that very text."""
    for blocks in ((p(text),), (ListBlock(((p(text),),)),), (Quote((p(text),)),)):
        source = make_article(*blocks, title="").markdown
        shown = _visible_text(
            MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(source)
        )
        assert shown == " ".join(text.split()), source
    source = make_article(Heading((Run(text),), 2), title="").markdown
    assert _visible_text(MarkdownIt("commonmark").render(source)) == " ".join(text.split()), source


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def _visible_text(html: str) -> str:
    parser = _Text()
    parser.feed(html)
    return " ".join("".join(parser.parts).split())


def test_marks_are_seen_by_a_markdown_reader_where_letters_touch() -> None:
    runs = (Run("这是"), Run("“强调。”", frozenset({"strong"})), Run("后面 a"),
            Run("b ", frozenset({"em"})), Run("c", frozenset({"strong", "em"})))  # fmt: skip
    html = MarkdownIt("commonmark").render(make_article(Paragraph(runs), title="").markdown)
    assert "*" not in html
    assert html.count("<strong>") == 2
    assert "<em>b" in html


@pytest.mark.parametrize("language", LANGUAGES)
def test_tei_is_well_formed_and_holds_the_text(language: str) -> None:
    made = story(language)
    root = etree.fromstring(made.to("tei"))
    body = root.find(".//{*}text")
    assert body is not None
    said, wanted = (
        Counter(filter(str.isalpha, t)) for t in ("".join(map(str, body.itertext())), made.text)
    )
    assert not wanted - said


SCHEMA = etree.RelaxNG(etree.parse(Path(__file__).with_name("tei.rng")))
"""Our transcription of TEI P5's content models: PyPI and Debian do not have the TEI's own."""
IMAGE = Image("https://press.example/a.jpg", alt="Alt")


@pytest.mark.parametrize(
    "made",
    [
        EVERYTHING,
        make_article(),
        *map(story, LANGUAGES),
        make_article(Rule()),
        make_article(Figure((IMAGE, IMAGE), (Run("Caption"),), "Credit")),
        make_article(Table(()), ListBlock(()), Definitions(()), Quote(())),
        make_article(Code("x", "c plus plus")),
        make_article(
            Table(((), (Cell((Figure((IMAGE,)), Code("x"), Math("x"))), Cell((), True, 2, 3))))
        ),
        make_article(
            Heading((Run("a"),), 2), Rule(), Heading((Run("b"),), 3), p("x"), Heading((), 1)
        ),
        make_article(
            ListBlock(
                (
                    (
                        Heading((Run("a"),), 2),
                        Rule(),
                        Figure((IMAGE,)),
                        Math("x"),
                        Embed("https://press.example/"),
                        Table(((Cell((p("x"),)),),)),
                    ),
                )
            )
        ),
        make_article(Footnotes((Note("a:1", "1", (p("x"),)), Note("a-1", "1", (p("y"),))))),
        make_article(
            Paragraph((Run("x", frozenset({"q", "code", "em"}), "https://press.example/"),))
        ),
        make_article(
            p("x"),
            language="en_GB.UTF-8",
            published="yesterday",
            tags=("a",),
            licence="CC BY",
            description="about",
            authors=("A & B",),
        ),
    ],
)
def test_tei_is_valid(made: Article) -> None:
    SCHEMA.assertValid(etree.fromstring(made.to("tei")))


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
@example("a b|c^{}\\%")
@example("#a#b[c]")
def test_tei_is_valid_whatever_the_addresses(path: str) -> None:
    url = f"https://press.example/{path}"
    made = make_article(
        Paragraph((Run("x", href=url),)), Figure((Image(url),)), Quote((p("x"),), url)
    )
    SCHEMA.assertValid(etree.fromstring(made.to("tei")))


@pytest.mark.parametrize(
    "wrong",
    [
        "<p><p>x</p></p>", "<table><head>x</head></table>", "<list/>", "<div/><p>x</p>",
        "<figure/>", '<p><formula><p>x</p></formula></p>', "<p><code><hi>x</hi></code></p>",
        '<p><ref target="a b c%"/></p>', "<p><graphic/></p>", "<table><row/></table>",
    ],
)  # fmt: skip
def test_the_schema_finds_what_is_wrong(wrong: str) -> None:
    made = make_article(p("here")).to("tei").decode().replace("<p>here</p>", wrong)
    assert not SCHEMA.validate(etree.fromstring(made.encode()))


def test_tei_follows_another_transcription_too() -> None:
    xml = pytest.importorskip("trafilatura.xml", reason="its copy of TEI's DTD is what validates")
    plain = (Heading, Paragraph, ListBlock, Definitions, Quote, Footnotes, Rule)
    keep = tuple(block for block in EVERYTHING.blocks if isinstance(block, plain))
    made = make_article(*keep, Heading((Run("Sub"),), 3), p("x"), Heading((Run("Top"),), 1), p("y"))
    text = made.to("tei").decode().replace("<formula", "<hi").replace("</formula", "</hi")
    dtd = etree.DTD(xml.TEI_SCHEMA)
    root = etree.fromstring(text.replace(' notation="TeX"', "").encode())
    assert dtd.validate(root), str(dtd.error_log)
