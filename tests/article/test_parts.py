"""Formulas, notes, headings, code, callouts and tables come out as such, however written."""

from __future__ import annotations

import pytest
from tests.article.pages import URL, article, blocks, clipping, shape

from tearsheet import extract
from tearsheet.article.whole import keep_whole
from tearsheet.types import (
    Block,
    Callout,
    Code,
    Embed,
    Footnotes,
    Heading,
    Math,
    Paragraph,
    Run,
    Table,
)  # fmt: skip

MATH = frozenset({"math"})
TEX = r"\frac{1}{2} x^2"
WORDS = "There are words around it, as in any sentence."


def formulas(html: str) -> list[tuple[str, bool]]:
    """The formulas of an article, and whether each is a block."""
    found = []
    for block in blocks(html):
        if isinstance(block, Math):
            found.append((block.tex, True))
        elif isinstance(block, Paragraph):
            found += [(run.text, False) for run in block.runs if run.marks == MATH]
    return found


@pytest.mark.parametrize(
    ("written", "display"),
    [
        (rf'<script type="math/tex">{TEX}</script>', False),
        (rf"<script type='math/tex; mode=display'>% <![CDATA[{TEX} %]]></script>", True),
        (rf'<img class="latex" src="/l.php?x" alt="{TEX}">', False),
        (rf'<img src="https://x.example/latex.php?latex=z" alt="$$ {TEX} $$">', True),
        (
            rf'<span class="katex" data-math="{TEX}"><span aria-hidden=true>1 2 x</span></span>',
            False,
        ),
        (rf'<span class="math inline">{TEX}</span>', False),
        (rf"\({TEX}\)", False),
        (rf"\[{TEX}\]", True),
        (rf"${TEX}$", False),
        (rf"\begin{{equation}}\label{{a}} {TEX} \end{{equation}}", True),
        (rf"\begin{{equation*}}{TEX}\end{{equation*}}", True),
        (
            r'<img src="https://x.example/latex.php?latex=%5Cfrac%7B1%7D%7B2%7D+x%5E2&amp;bg=f">',
            False,
        ),
        (r'<img src="https://x.example/png.latex?\inline&space;\frac{1}{2}%20x^2">', False),
        (rf"$${TEX}$$", True),
        (
            '<span class="MathJax_Preview"></span><span class="MathJax"><span>1 2 x</span></span>'
            rf'<script type="math/tex">{TEX}</script>',
            False,
        ),
    ],
)
def test_a_formula_keeps_its_tex(written: str, display: bool) -> None:
    html = f"<p>{WORDS} {written} {WORDS}</p>"
    assert formulas(html) == [(TEX, display)]
    text = " ".join(block for block in article(html).text.split())
    assert text.count("There are words") == 2
    assert "1 2 x" not in text


@pytest.mark.parametrize(
    "drawn",
    [
        '<mjx-container jax="CHTML"><mjx-math><mjx-msup><mjx-mi><mjx-c class="mjx-c1D465"></mjx-c>'
        '</mjx-mi><mjx-script><mjx-mn><mjx-c class="mjx-c32"></mjx-c></mjx-mn></mjx-script>'
        "</mjx-msup></mjx-math></mjx-container>",
        '<mjx-container jax="SVG"><svg><g data-mml-node="math"><g data-mml-node="msup">'
        '<g data-mml-node="mi"><use data-c="1D465"></use></g><g data-mml-node="mn">'
        '<use data-c="32"></use></g></g></g></svg></mjx-container>',
    ],
)
def test_what_mathjax_drew_is_read(drawn: str) -> None:
    assert formulas(f"<p>{WORDS} {drawn} {WORDS}") == [("{x}^{2}", False)]


def test_lines_of_formulas_stay_lines() -> None:
    html = rf"<p>{WORDS} \begin{{align}} a &amp;= b \\ c &amp;= d \end{{align}} {WORDS}</p>"
    assert formulas(html) == [(r"\begin{aligned} a &= b \\ c &= d \end{aligned}", True)]


def test_tex_that_is_code_stays_code() -> None:
    html = r"<p>Write <code>\begin{equation} x \end{equation}</code> for it.</p>"
    assert formulas(html) == []


@pytest.mark.parametrize(
    "address", ["/math.jpg?w=300", "/texas.jpg?fit=1,2", "/latex.png?v=a_b", "/math.png?a_b"]
)
def test_a_picture_with_a_size_in_its_address_is_no_formula(address: str) -> None:
    assert formulas(f'<p>{WORDS} <img src="{address}"> {WORDS}</p>') == []


@pytest.mark.parametrize(
    "text",
    ["It costs $5 and the other $10.", "From $HOME to $PATH.", "US$20 or $30$", "a $ b $ c"],
)
def test_money_is_no_formula(text: str) -> None:
    assert article(f"<p>{text}").text == text


def test_short_formulas_are_known_by_the_company_they_keep() -> None:
    html = r"<p>Let $n$ and $x = 2$ be such that $\alpha_n > x$, for $5 or $7.</p>"
    (block,) = blocks(html)
    assert isinstance(block, Paragraph)
    assert [run.text for run in block.runs if run.marks] == ["n", "x = 2", r"\alpha_n > x"]
    assert block.runs[-1].text.endswith("for $5 or $7.")


def notes(html: str) -> list[tuple[str, str]]:
    """Label and text of the notes that something refers to."""
    found = article(html)
    called = {run.note for block in found.blocks for run in getattr(block, "runs", ())}
    return [
        (note.label, "".join(run.text for run in note.blocks[0].runs))
        for block in found.blocks
        if isinstance(block, Footnotes)
        for note in block.notes
        if note.id in called and isinstance(note.blocks[0], Paragraph)
    ]


@pytest.mark.parametrize(
    "html",
    [
        f'<p>Said so.<a href="{URL}#footnote-1" id="footnote-anchor-1">1</a></p>'
        f'<div><a id="footnote-1" href="{URL}#footnote-anchor-1">1</a><p>By whom.</p></div>',
        '<p>Said so.<a href="https://elsewhere.example/x#footnote-1">1</a></p>'
        '<p id="footnote-1">By whom.</p>',
        '<p>Said so.<a href="#_ftn1" name="_ftnref1"><sup>[1]</sup></a></p>'
        '<p><a href="#_ftnref1" name="_ftn1">[1]</a> By whom.</p>',
        "<p>Said so.<sup>1</sup></p><p>More.</p><p><sup>1</sup> By whom.</p>",
        "<p>Said so.<sup>1</sup></p><p>More.</p><p>1. By whom.</p>",
        "<p>Said so.<sup>1</sup></p><p>More.</p><h2>Notes</h2><ol><li>By whom.</li></ol>",
        '<p>Said so.<a href="#a">[1]</a></p><ol><li id="a">By whom.</li></ol>',
        '<p>Said so.<span class="ltx_note"><sup class="ltx_note_mark">1</sup>'
        '<span class="ltx_note_outer"><span class="ltx_note_content">'
        '<sup class="ltx_note_mark">1</sup><span class="ltx_tag">1</span>By whom.</span></span>'
        "</span> And so on.</p>",
        '<p>Said so.<sup class="footnote-number">1</sup>'
        '<span class="footnote__note">By whom.</span> And so on.</p>',
    ],
)
def test_a_note_is_linked_and_out_of_the_sentence(html: str) -> None:
    found = article(html)
    assert found.text.startswith(("Said so.1", "Said so.[1]"))
    assert found.text.count("By whom.") == 1
    note = next(block for block in found.blocks if isinstance(block, Footnotes)).notes[0]
    assert note.label == "1"
    assert notes(html) == [("1", "By whom.")]


def test_an_exponent_is_no_note() -> None:
    html = "<p>Five m<sup>2</sup> of it.</p><ol><li>one<li>two</ol>"
    assert not any(isinstance(block, Footnotes) for block in blocks(html))


@pytest.mark.parametrize(
    "end",
    [
        "<ol><li>one<li>two<li>three</ol>",
        "<ol><li>one<li>two</ol><p>More text follows.</p>",
        "<ul><li>one<li>two</ul>",
    ],
)
def test_a_list_that_does_not_fit_the_raised_numbers_is_a_list(end: str) -> None:
    html = f"<p>Said<sup>1</sup> and said<sup>2</sup> again.</p>{end}"
    assert not any(isinstance(block, Footnotes) for block in blocks(html))


def test_a_number_that_is_raised_twice_refers_to_no_note_in_a_sentence() -> None:
    note = '<sup>2</sup><span class="footnote-text">By whom.</span>'
    (first, *_) = blocks(f"<p>Five m<sup>2</sup> of it.{note} And so on.</p>")
    assert isinstance(first, Paragraph)
    assert not any(run.note for run in first.runs)


def test_notes_of_kept_text_are_kept() -> None:
    html = (
        '<p>Said so <a href="#n1"><sup>1</sup></a> at length, with many more words.</p>'
        '<ol><li id="n1">By whom.</li><li id="n2">Not asked for.</li></ol>'
    )
    made = keep_whole(clipping(html, lambda text: text.startswith("Said")))
    assert [text for text, kept in zip(made.segments.text, made.verdict.keep) if kept] == [
        "Said so 1 at length, with many more words.", "By whom.",
    ]  # fmt: skip


def test_code_is_whole() -> None:
    html = "<p>Do this.</p><pre>a = 1<br>b = 2</pre><p>Then that.</p><nav><pre>c = 3</pre></nav>"
    made = keep_whole(clipping(html, lambda text: text.endswith((".", "1"))))
    assert made.verdict.keep.tolist() == [True, True, True, True, False]


def test_a_block_with_many_names_is_no_note() -> None:
    links = "".join(f'<a href="#n{n}"><sup>{n}</sup></a> ' for n in range(1, 6))
    anchors = "".join(f'<a name="n{n}"></a>{n} Note.<br>' for n in range(1, 6))
    assert notes(f"<p>Text {links}</p><p>{anchors}</p>") == []


@pytest.mark.parametrize(
    "sign",
    [
        '<a class="headerlink" href="#a">¶</a>',
        '<a href="#a">#</a>',
        '<a href="https://press.example/2026/story.html#a">§</a>',
        '<a href="#a">Permalink to this heading</a>',
        '<button class="copy-link" title="Copy the address">Copy</button>',
        '<span class="mw-editsection"><span>[</span><a href="/edit">edit</a><span>]</span></span>',
    ],
)
def test_a_sign_for_the_heading_itself_is_no_part_of_it(sign: str) -> None:
    html = f'<h2 id="a">First things{sign}</h2><p>Text.'
    first = blocks(html)[0]
    assert isinstance(first, Heading)
    assert first.runs == (Run("First things"),)
    assert article(html).text == "First things\n\nText."


def test_buttons_that_are_words_of_a_heading_stay() -> None:
    (first, *_) = blocks("<h2>For <button>customers</button> <button>dealers</button></h2><p>Text.")
    assert isinstance(first, Heading)
    words = "".join(run.text for run in first.runs).split()
    assert words == ["For", "customers", "dealers"]


def test_a_heading_that_is_a_link_or_a_sign_stays() -> None:
    (first, second) = blocks('<h2 id="a"><a href="#a">First</a></h2><h2><a href="#b">#</a></h2>')
    assert isinstance(first, Heading)
    assert isinstance(second, Heading)
    assert first.runs[0].text == "First"
    assert second.runs[0].text == "#"


@pytest.mark.parametrize("last", ["<h3>Related stories</h3>", "<p>Related:</p>"])
def test_a_label_of_nothing_goes(last: str) -> None:
    made = keep_whole(clipping(f"<h2>One</h2><p>Some text.</p>{last}"))
    assert made.verdict.keep.tolist() == [True, True, False]


def test_a_heading_above_a_picture_stays() -> None:
    made = keep_whole(clipping("<p>Some text.</p><h3>The map</h3><img src=a.png>"))
    assert made.verdict.keep.all()


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ('<figure class="highlight python"><pre>x</pre></figure>', "python"),
        ('<pre class="rust rust-example-rendered">x</pre>', "rust"),
        ('<pre><code language="go">x</code></pre>', "go"),
        ('<div class="gatsby-highlight" data-language="js"><pre>x</pre></div>', "js"),
        ('<pre class="src src-lisp">x</pre>', "lisp"),
        ('<pre class="gatsby-code-python"><code>x</code></pre>', "python"),
        ('<pre class="EnlighterJSRAW" data-enlighter-language="java">x</pre>', "java"),
        ('<pre class="lang:bash decode:true">x</pre>', "bash"),
        ('<pre><code class="hljs yaml">x</code></pre>', "yaml"),
        ('<pre lang="en">x</pre>', ""),
        ('<div class="swift"><pre>x</pre></div>', ""),
        ('<pre class="language-plaintext">x</pre>', ""),
    ],
)
def test_the_language_of_code_is_known_by_the_names_that_programs_give(
    html: str, language: str
) -> None:
    (block,) = blocks(html)
    assert isinstance(block, Code)
    assert block.language == language


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td><pre>1\n2\n3</pre></td><td><pre>a = 1\nb = 2\nc = 3</pre></td></table>",
        '<div class="CodeMirror"><pre class="CodeMirror-line"><span>a = 1</span></pre>'
        '<pre class="CodeMirror-line">b = 2</pre><pre class="CodeMirror-line">c = 3</pre></div>',
        "<p><code>a = 1<br>b = 2<br>c = 3</code></p>",
        '<code class="block">a = 1\nb = 2\nc = 3</code>',
        '<code class="block"><div>a = 1</div><div>b = 2</div><div>c = 3</div></code>',
        '<div class="CodeMirror cm-s-x"><div class="CodeMirror-code">'
        '<div><div class="CodeMirror-gutter-wrapper"><div class="CodeMirror-linenumber">1</div>'
        '</div><pre class="CodeMirror-line"><span>a = 1</span></pre></div>'
        '<div><div class="CodeMirror-linenumber">2</div><pre class="CodeMirror-line">b = 2</pre>'
        '</div><div><div class="CodeMirror-linenumber">3</div>'
        '<pre class="CodeMirror-line">c = 3</pre></div></div></div>',
        '<div class="cm-editor"><div class="cm-scroller"><div class="cm-gutters">'
        '<div class="cm-gutterElement">1</div><div class="cm-gutterElement">2</div></div>'
        '<div class="cm-content"><div class="cm-line">a = 1</div>'
        '<div class="cm-line">b <span>=</span> 2</div><div class="cm-line">c = 3</div>'
        "</div></div></div>",
        '<div class="cm-content"><div class="cm-line">a = 1</div><div class="cm-line">b = 2</div>'
        '<div class="cm-line">c = 3</div></div>',
    ],
)
def test_code_is_one_block_without_the_numbers_of_its_lines(html: str) -> None:
    (block,) = blocks(html)
    assert isinstance(block, Code)
    assert block.text == "a = 1\nb = 2\nc = 3"


@pytest.mark.parametrize("name", ["", ' class="language-c"'])
def test_blank_lines_of_code_part_no_listing_and_repeat_none(name: str) -> None:
    (block,) = blocks(f"<div><code{name}>a = 1<br><br>b = 2<br>c = 3<br><br>d = 4</code></div>")
    assert isinstance(block, Code)
    assert block.text == "a = 1\n\nb = 2\nc = 3\n\nd = 4"


@pytest.mark.parametrize("blank", ["<br>", "<span>\u200b</span>"])
def test_an_editor_keeps_blank_lines_and_indents_and_says_its_language(blank: str) -> None:
    lines = ("def f():", blank, "    return 1")
    shown = "".join(f'<div class="cm-line">{line}</div>' for line in lines)
    content = f'<div class="cm-content" data-language="python">{shown}</div>'
    code = blocks(f'<p>Do.</p><div class="cm-editor">{content}</div>')[1]
    assert isinstance(code, Code)
    assert (code.text, code.language) == ("def f():\n\n    return 1", "python")


def test_the_bar_of_a_listing_is_no_text() -> None:
    html = (
        "<p>Run it like so.</p><div class=code><div><span>bash</span><button>Copy</button></div>"
        "<pre><code>make all</code></pre></div><p>Then wait.</p>"
    )
    made = keep_whole(clipping(html))
    assert [text for text, kept in zip(made.segments.text, made.verdict.keep) if kept] == [
        "Run it like so.", "make all", "Then wait.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("html", "kind", "label"),
    [
        ('<div class="admonition warning"><p class="admonition-title">Careful</p><p>Hot.</p></div>',
         "warning", "Careful"),
        ('<div class="alert alert-info" role="alert">Hot.</div>', "note", ""),
        ('<div class="markdown-alert markdown-alert-tip"><p class="markdown-alert-title">Tip</p>'
         "<p>Hot.</p></div>", "tip", "Tip"),
        ('<div class="bd-callout bd-callout-danger"><h4>Mind</h4>Hot.</div>', "caution", "Mind"),
        ('<div class="a-b-c-callout d--type--x"><h4>Mind</h4>Hot.</div>', "", "Mind"),
        ('<div class="wiki-box wiki-box-note"><h4>Mind</h4>Hot.</div>', "note", "Mind"),
        ('<div class="page-tip"><p><b>Mind</b></p><p>Hot.</p></div>', "tip", "Mind"),
        ('<div class="note"><p>Hot.</p></div>', "note", ""),
        ('<div class="callout" data-callout="warning"><div class="callout-title">Mind</div>'
         "<p>Hot.</p></div>", "warning", "Mind"),
        ('<div class="alert admonition-tip"><div class="admonitionHeading_x">Mind</div>'
         "<p>Hot.</p></div>", "tip", "Mind"),
        ('<details class="warning" open><summary>Mind</summary><p>Hot.</p></details>',
         "warning", "Mind"),
        ('<div class="IMPORTANT"><p><b>Mind</b></p><p>Hot.</p></div>', "important", "Mind"),
        ("<aside><h3>By the way</h3><p>Hot.</p></aside>", "", "By the way"),
        ('<div class="notecard warning"><p><strong>Mind:</strong> Hot.</p></div>',
         "warning", "Mind"),
        ('<div class="admonition tip"><p><b>Mind</b>: Hot.</p></div>', "tip", "Mind"),
    ],
)  # fmt: skip
def test_a_callout_is_a_block_of_its_own(html: str, kind: str, label: str) -> None:
    text = "<p>One more sentence.</p>" * 4
    found = blocks(text + html + text)[4]
    assert isinstance(found, Callout)
    assert (found.kind, "".join(run.text for run in found.label)) == (kind, label)
    (inner,) = found.blocks
    assert isinstance(inner, Paragraph)
    assert inner.runs == (Run("Hot."),)


@pytest.mark.parametrize(
    ("html", "is_callout"),
    [
        ("<aside><p><b>Important:</b> Hot.</p></aside>", True),
        ("<aside><p>Hot.</p></aside>", False),
        ('<div class="tool-tip"><p>Hot.</p></div>', False),
        ('<div class="callout-body"><p>Hot.</p></div>', False),
    ],
)
def test_an_aside_with_a_bold_label_is_a_callout_and_a_tooltip_is_none(
    html: str, is_callout: bool
) -> None:
    text = "<p>One more sentence.</p>" * 4
    assert isinstance(blocks(text + html + text)[4], Callout) == is_callout


def test_a_box_around_the_article_is_no_callout() -> None:
    (one, two) = blocks('<div class="note"><p>All of it.</p><p>Is here.</p></div>')
    assert isinstance(one, Paragraph)
    assert isinstance(two, Paragraph)


def test_a_table_is_whole_or_absent() -> None:
    rows = "".join(f"<tr><td>Town {n}</td><td>{n}00</td></tr>" for n in range(1, 6))
    text = "Some text stands before it. " * 9
    html = f"<p>{text}</p><table><tr><th>Name</th><th>People</th></tr>{rows}</table>"
    few = keep_whole(clipping(html, lambda line: line in (text.strip(), "Town 3", "300")))
    many = keep_whole(clipping(html, lambda text: text != "Town 3"))
    assert few.verdict.keep.tolist() == [True] + [False] * 12
    assert many.verdict.keep.all()


def test_an_infobox_is_a_table() -> None:
    html = (
        '<p>Some text.</p><table class="infobox"><tr><th colspan=2>Old Town</th></tr>'
        "<tr><td colspan=2><img src=a.png></td></tr><tr><th>People</th><td>300</td></tr>"
        "<tr><th>Languages</th><td><table><tr><td>two</td></tr></table></td></tr></table>"
    )
    assert [type(block) for block in blocks(html)] == [Paragraph, Table]


STORY = rf"""
<h2 id="a">First things<a href="#a">¶</a></h2>
<p>Said ${TEX}$ so.<sup>1</sup> And \({TEX}\).</p>
<p>\[{TEX}\]</p>
<figure class="highlight python"><pre>x = 1</pre></figure>
<div class="admonition warning"><p class="admonition-title">Careful</p><p>Hot.</p><p>Very.</p></div>
<p>More of it.</p><p>And more.</p><p><sup>1</sup> By whom.</p>
"""


def test_all_of_them_survive_the_round_trip() -> None:
    first = article(STORY)
    kinds = [type(block) for block in first.blocks]
    expected: list[type[Block]] = [
        Heading, Paragraph, Math, Code, Callout, Paragraph, Paragraph, Footnotes,
    ]  # fmt: skip
    assert kinds == expected
    again = article(first.html)
    assert _without_mathml(shape(again)) == shape(first)
    assert shape(article(again.html)) == shape(again)


def _without_mathml(found: list[dict[str, object]]) -> list[dict[str, object]]:
    """TeX has MathML of its own only once it was written."""
    return [{name: block[name] for name in block if name != "mathml"} for block in found]


def test_the_engine_gives_them_too() -> None:
    text = "<p>" + "It is a long sentence, with commas, that a reader would read. " * 4
    found = extract(f"<main><h1>On formulas</h1>{text}{STORY}{text}</main>", URL)
    assert {Math, Code, Callout} <= {type(block) for block in found.blocks}


def embeds(html: str) -> list[Embed]:
    return [block for block in blocks(html) if isinstance(block, Embed)]


FILM = "https://www.youtube.com/embed/x"


@pytest.mark.parametrize(
    "html",
    [
        f"<p>Text.</p><p>More text.</p><iframe src='{FILM}' title='A film'></iframe>",
        f"<p>Text.</p><div><iframe data-lazy-src='{FILM}' src='about:blank' title='A film'>"
        "</iframe></div><p>More text.</p>",
        f"<p>Text.</p><iframe data-frame='{FILM}' title='A film'></iframe><p>More text.</p>",
    ],
)
def test_an_embed_stands_where_the_article_is(html: str) -> None:
    (found,) = embeds(f"<main><div>{html}</div></main>")
    assert (found.url, found.title, found.kind) == (FILM, "A film", "video")


NAME = "abc-123_DEF"


@pytest.mark.parametrize(
    "html",
    [
        f'<lite-youtube videoid="{NAME}" playlabel="A film" poster="/p.jpg"></lite-youtube>',
        f'<amp-youtube data-videoid="{NAME}" title="A film"><amp-img src="/p.jpg"></amp-img>'
        '<img src="/p.jpg"></amp-youtube>',
        f'<div class="youtube-facade" data-video-id="{NAME}"><img src="/p.jpg" alt="A film">'
        "<button>Play</button></div>",
        f'<div data-youtube-id="{NAME}" title="A film" data-poster="/p.jpg"></div>',
        f'<figure data-yt-id="{NAME}" title="A film" data-poster="/p.jpg"></figure>',
        f'<div data-embed-url="https://www.youtube.com/watch?v={NAME}" title="A film" '
        'data-poster="/p.jpg"><button>Play</button></div>',
    ],
)
def test_what_stands_for_a_film_until_somebody_clicks_is_the_film(html: str) -> None:
    found = article(f"<main><p>Text.</p>{html}<p>More text.</p></main>")
    (film,) = (block for block in found.blocks if isinstance(block, Embed))
    assert film.url == f"https://www.youtube.com/watch?v={NAME}"
    assert (film.title, film.kind) == ("A film", "video")
    assert film.poster == "https://press.example/p.jpg"
    assert found.text == "Text.\n\nMore text."


@pytest.mark.parametrize(
    "html",
    [
        f'<div data-video-id="{NAME}">Of no known player.</div>',
        '<div class="vimeo" data-video-id="no number">Of no name.</div>',
        '<div data-embed-url="https://ads.example/x">Of no known host.</div>',
    ],
)
def test_a_name_alone_is_no_film(html: str) -> None:
    assert embeds(f"<main><p>Text.</p>{html}<p>More text.</p></main>") == []


def test_an_embed_beside_the_article_is_none_of_it() -> None:
    film = f"<iframe src='{FILM}'></iframe>"
    html = f"<main><p>Text.</p><aside>{film}</aside><p>More.</p></main><div>{film}</div>"
    assert embeds(html) == []


def test_a_film_has_its_poster() -> None:
    (found,) = embeds("<p>One.</p><video src='/f.mp4' poster='/p.jpg'></video><p>Two.</p>")
    assert found.poster == "https://press.example/p.jpg"


EVERYTHING = rf"""
<h2>First things</h2><p>Said ${TEX}$ so.<sup>1</sup></p><p>\[{TEX}\]</p>
<ul><li>one</li><li>two<ol start="3"><li>deep</li></ol></li></ul>
<dl><dt>Ebb</dt><dd>Falling water.</dd></dl>
<blockquote cite="https://press.example/who"><p>Quoted.</p></blockquote>
<pre><code class="language-python">x = 1</code></pre>
<div class="admonition tip"><p class="admonition-title">Mind</p><p>Hot.</p></div>
<table><tr><th>Port</th><th>High</th></tr><tr><td>Calais</td><td>7.1</td></tr></table>
<hr><p>More.</p>
<iframe src="https://player.vimeo.com/video/1" title="A film"></iframe>
<lite-youtube videoid="abc-123_DEF" poster="https://press.example/p.jpg"></lite-youtube>
<p>And more of it.</p><p>And so on.</p><p><sup>1</sup> By whom.</p>
"""


def test_every_type_of_block_survives_the_round_trip() -> None:
    """Posts and figures have tests of their own."""
    first = article(EVERYTHING)
    kinds = {type(block).__name__ for block in first.blocks}
    assert kinds == {
        "Heading", "Paragraph", "Math", "ListBlock", "Definitions", "Quote", "Code", "Callout",
        "Table", "Rule", "Footnotes", "Embed",
    }  # fmt: skip
    again = article(first.html)
    assert _without_mathml(shape(again)) == shape(first)
    assert shape(article(again.html)) == shape(again)
