"""Formulas are drawn and do nothing else, whatever their source says."""

from __future__ import annotations

import io
import re
import zipfile
from html import escape
from typing import Any

import html5lib
import pytest
from lxml import etree
from tests.article.pages import article
from tests.layout.stories import make_article

from tearsheet.article.mathml import ELEMENTS
from tearsheet.layout._markup import formula, mathml_from_tex
from tearsheet.types import Math, Paragraph, Run

HTML = "{http://www.w3.org/1999/xhtml}"
MATHML = "{http://www.w3.org/1998/Math/MathML}"
EVIL_TEX = (
    r"\text{<script>alert(1)</script>}", r"\text{<img src='x' onerror='alert(1)'/>}",
    r"\text{&lt;script&gt;alert(1)&lt;/script&gt;}", r"\href{javascript:alert(1)}{x}",
    r"\text{</mtext></math><script>alert(1)</script><math>}", r"\class{a}{\style{x:y}{z}}",
    r"\text{<!-- }<img src=x onerror=alert(1)>\text{ -->}",
    r"\mathrm{<style><img onerror=x></style>}",
    r"\text{<a xmlns='http://www.w3.org/1999/xhtml' href='javascript:alert(1)'>x</a>}",
)  # fmt: skip
EVIL_MATHML = (
    "<math><script>alert(1)</script><mi>x</mi></math>",
    "<math><mtext><img src='x' onerror='alert(1)'/></mtext></math>",
    "<math><mi href='javascript:alert(1)' onclick='alert(1)' style='x:y'>x</mi></math>",
    "<math><maction actiontype='x'><mglyph src='http://x.example/t.gif'/></maction></math>",
    "<math><annotation-xml encoding='text/html'><script>alert(1)</script></annotation-xml></math>",
    "<math xmlns:h='http://www.w3.org/1999/xhtml'><h:script>alert(1)</h:script></math>",
    "<math><mtext><table><mglyph><style><img title='&lt;/style>&lt;img onerror=alert(1)>'/>"
    "</style></mglyph></table></mtext></math>",
    "<!DOCTYPE math [<!ENTITY x '&lt;script/>'>]><math>&x;</math>",
    "<math><mi>not closed", "no formula", "<svg onload='alert(1)'/>", "<math></math><script/>",
)  # fmt: skip


def _parse_all(document: bytes, form: str) -> list[Any]:
    """The elements as a browser or a reader of EPUB sees them."""
    if form == "html":
        tree = html5lib.parse(document, transport_encoding="utf-8")
        return [node for node in tree.iter() if isinstance(node.tag, str)]
    with zipfile.ZipFile(io.BytesIO(document)) as book:
        pages = [etree.fromstring(book.read(n)) for n in book.namelist() if n.endswith(".xhtml")]
    return [node for page in pages for node in page.iter() if isinstance(node.tag, str)]


def _assert_only_draws(document: bytes, form: str) -> None:
    for node in _parse_all(document, form):
        assert node.tag.rpartition("}")[2] not in ("script", "img", "mglyph", "maction")
        if node.tag.startswith(MATHML):
            assert node.tag.removeprefix(MATHML) in ELEMENTS
            assert all(child.tag.startswith(MATHML) for child in node)
            acting = ("href", "src", "style", "on")
            assert not any(str(name).rpartition("}")[2].startswith(acting) for name in node.attrib)


@pytest.mark.parametrize("form", ["html", "epub"])
@pytest.mark.parametrize("tex", EVIL_TEX)
def test_tex_never_becomes_markup(tex: str, form: str) -> None:
    blocks = (Math(tex), Paragraph((Run("See "), Run(tex, frozenset({"math"})))))
    document = make_article(*blocks, title="A & B").to(form)
    document = document.replace(b'<img src="cover.svg"', b"<p ")
    _assert_only_draws(document if form == "html" else _without_title_page(document), form)


@pytest.mark.parametrize("form", ["html", "epub"])
@pytest.mark.parametrize("mathml", EVIL_MATHML)
def test_mathml_keeps_only_what_draws(mathml: str, form: str) -> None:
    document = make_article(Math("x", mathml)).to(form)
    _assert_only_draws(document if form == "html" else _without_title_page(document), form)


def _without_title_page(book: bytes) -> bytes:
    """The book without the page that shows its cover as a picture."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            if name != "EPUB/title.xhtml":
                new.writestr(name, old.read(name))
    return out.getvalue()


@pytest.mark.parametrize("inner", ["<mi>x</mi>", ""], ids=["drawn", "only-tex"])
@pytest.mark.parametrize("display", ["block", "inline"])
def test_a_page_cannot_bring_markup_in_as_tex(display: str, inner: str) -> None:
    made = article(
        f'<p>Some text before <math display="{display}" '
        r'alttext="\text{&lt;script&gt;alert(1)&lt;/script&gt;}">'
        f"{inner}</math> and after it."
    )
    assert "<math" in made.html
    for form in ("html", "epub"):
        document = made.to(form)
        _assert_only_draws(document if form == "html" else _without_title_page(document), form)
    assert "<script" not in made.html


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{javascript:alert(1)}{x}", r"\hr\href{a}ef{javascript:alert(1)}{x}",
        r"\let\h\href \h{javascript:alert(1)}{x}", r"\\\href {javascript:alert(1)} {x}",
        r"\require{html}\class{a}{x}", r"\style{background: url(//track.example/t.gif)}{x}",
        r"\bbox[background: url(//track.example/t.gif)]{x}", r"\includegraphics[width=1em]{a.png}x",
        r"\htmlData{a=b}{x}", r"\input{/etc/passwd} x", r"\csname href\endcsname{javascript:a}{x}",
    ],
)  # fmt: skip
def test_tex_of_a_page_only_draws_in_whatever_draws_it(tex: str) -> None:
    """MathJax makes links, styles and requests of TeX, LaTeX reads files."""
    made = article(f'<p>Some text before <math alttext="{escape(tex)}"><mi>x</mi></math> after it.')
    for form in ("md", "json", "txt", "tei", "docx"):
        found = made.to(form).decode("latin-1")
        acts = r"\\+(?:href|class|style|bbox|html\w+|require|includegraphics|input|csname)\b"
        assert re.search(acts, found) is None
        assert "x" in found
    assert r"\\" in made.markdown or r"\\" not in tex


def test_the_text_of_a_formula_is_not_lost() -> None:
    assert "a\xa0&lt;b&gt;\xa0c" in mathml_from_tex(r"\text{a <b> c}")
    assert formula(r"x<y \& z") == (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" alttext="x&lt;y \\&amp; z"><mrow>'
        "<mi>x</mi><mo>&lt;</mo><mi>y</mi><mi>&amp;</mi><mi>z</mi></mrow></math>"
    )


def test_macros_do_not_multiply() -> None:
    tex = rf"\newcommand{{\many}}[1]{{{'#1' * 60}}}\many{{\many{{xxxx}}}}"
    assert len(mathml_from_tex(tex)) < 2 * len(tex)
