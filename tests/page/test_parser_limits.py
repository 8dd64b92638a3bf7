"""Pages beyond measure lose depth, attributes and formatting, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from fuzz.target import cpu_limit
from hypothesis import example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from tests.strategies import pages

from tearsheet._core import tree
from tearsheet.page import parser_limits
from tearsheet.page.parsed import parse
from tearsheet.page.parser_limits import DEEPEST, MOST_ATTRIBUTES, limit_markup
from tearsheet.segments import segments
from tearsheet.tags import CODES


@pytest.mark.parametrize("name", ["div", "section", "b", "span", "blockquote", "x-card", "a"])
@pytest.mark.parametrize("closed", [False, True])
def test_100_000_levels_keep_their_text(name: str, closed: bool) -> None:
    """Markup that would take half a minute is parsed at once."""
    inner = f"<p>deep</p>{f'</{name}>' * 100_000 if closed else ''}"
    page = parse(f"<p>before</p>{f'<{name}>' * 100_000}{inner}<p>after</p>")
    assert segments(page).text == ["before", "deep", "after"]
    assert page.depth.max() < DEEPEST + 10


def test_lines_end_where_they_did() -> None:
    page = parse("<div>" * 50_000 + "".join(f"<div>{n}</div>" for n in "abc"))
    assert segments(page).text == ["a", "b", "c"]


def test_many_tags_that_close_themselves_are_no_depth() -> None:
    html = "<ul>" + "<li>one<br>two<img src=a.png>" * 20_000
    assert len(segments(parse(html))) == 40_000


def test_scripts_and_comments_are_left_alone() -> None:
    html = f"<script>'{'<div>' * 30_000}'</script><!--{'<div>' * 30_000}--><p>text"
    assert limit_markup(html.encode()) == html.encode()
    assert segments(parse(html)).text == ["text"]


def test_an_ordinary_page_stays_as_it_is() -> None:
    html = b"<div><p>text</p></div>" * 10_000
    assert limit_markup(html) is html


@pytest.mark.parametrize("endless", ["<b", "<!--", "<script ", "<b <!--"])
def test_what_has_no_end_takes_no_square_of_time(endless: str) -> None:
    """Found by fuzzing: 64 KB took a minute."""
    with cpu_limit(5):
        assert limit_markup(("<b " * 25_000 + endless * 25_000).encode())


@pytest.mark.parametrize("option", ["<option>red ", "<OPTION value=1>red</option>"])
def test_very_many_options_take_no_square_of_time(option: str) -> None:
    """Lexbor would take minutes; what a control offers is no text, so nothing is lost."""
    with cpu_limit(10):
        page = parse(f"<p>Choose.<select>{option * 100_000}</select><p>Chosen.")
    assert segments(page).text == ["Choose.", "Chosen."]


def test_many_options_stay_as_they_are() -> None:
    html = b"<p>text</p>" * 10_000 + b"<select>" + b"<option>red" * 4_000
    assert limit_markup(html) is html


MANY = " ".join(f"a{i}=1" for i in range(200_000))


def attribute_counts(html: bytes) -> list[int]:
    """How many attributes the elements have that the parser makes of a page, those of a template
    included."""
    tree = LexborHTMLParser(html, scripting=True)
    roots = [tree.root, *tree.template_fragments()]
    return [len(node.attributes) for root in roots if root for node in root.traverse()]


@pytest.mark.parametrize(
    "html",
    [
        f"<p {MANY}>text",
        f"<p {MANY} >text</p>",
        f"<p x= '>' {MANY}>text</p>",
        f"<p x= y=' {MANY}>text</p>",
        f'<p x=y/z=" {MANY}>text</p>',
        f"<p/{MANY.replace(' ', '/')}>text",
        f"<body {MANY}>text",
        "<p title='>' " + MANY.replace("=1", '=">"') + ">text",
        "<p " + MANY.replace("=1 ", '="<p>"') + ">text",  # no white space between
        "<p " + MANY.replace("=1", "='<x y=z") + "'>text",
        f'<p z=b=" {MANY}>text',
        f'<p =" {MANY}>text',
        f"text<p {MANY}",  # the tag never ends
        f"<p x='>text {MANY}",  # the quote never ends
        f"<svg><style><p x='</style><i y=' {MANY}>text</svg>",  # in a drawing, no raw text
        f"<svg><script><p {MANY}></script></svg>text",
        f"<svg><![CDATA[><p x=']]></svg><p {MANY}>text",
        f"<select><title><p {MANY}></title></select>text",
        f"<script><!--<script></script><p x='</script><p {MANY}>text",
        "".join(f"<body a{i}=1>" for i in range(50_000)) + "text",
        "".join(f"<HTML a{i}=1>" for i in range(50_000)) + "text",
    ],
)
def test_no_element_has_very_many_attributes(html: str) -> None:
    """200,000 of them would take lexbor more than ten seconds."""
    counts = attribute_counts(limit_markup(html.encode()))
    assert max(counts) <= 10 * MOST_ATTRIBUTES
    assert sum(count**2 for count in counts) <= 1e8


def test_attributes_up_to_the_limit_stay() -> None:
    html = f"<p>before</p><p {MANY} title=last>text <b id=x>bold</b></p><p>after"
    page = parse(html)
    assert segments(page).text == ["before", "text bold", "after"]
    kept = next(attrs for attrs in page.attrs if "a0=" in attrs)
    assert kept.split() == [f'a{i}="1"' for i in range(MOST_ATTRIBUTES)]


def test_a_page_may_be_beyond_measure_in_two_ways() -> None:
    """The parser is asked about the script, but not before the nesting is limited."""
    html = f"<script>'<p {MANY}'</script>" + "<div>" * 100_000 + "text"
    with cpu_limit(10):
        assert segments(parse(html)).text == ["text"]


PARAGRAPHS = "<p>x</p>" * 1000
FEW = " ".join(f"a{i}=1" for i in range(500))
DIFFERENT = "".join(f"<b id={i}>" for i in range(500))


@pytest.mark.parametrize(
    "html",
    [
        f"<p>{DIFFERENT}{PARAGRAPHS}",
        f"<p>{DIFFERENT.upper()}{PARAGRAPHS}",
        f"<p>{DIFFERENT.replace('>', '></x>')}{PARAGRAPHS}",
        f"<p>{DIFFERENT.replace('>', '><table><td></b></table>')}{PARAGRAPHS}",
        f"<p>{DIFFERENT.replace('>', '><!--</b>-->')}{PARAGRAPHS}",
        f"<p>{DIFFERENT.replace('>', ' <i x>text</i>')}{PARAGRAPHS}",
        "<p>" + DIFFERENT.replace(">", ' c=">text</b>">') + PARAGRAPHS,
        f"<svg><style>{DIFFERENT}{PARAGRAPHS}",
        f"<script>'<p {MANY}'</script><p>{DIFFERENT}{PARAGRAPHS}",
        *(
            f"<p><{name} {FEW}>{PARAGRAPHS}"
            for name in "a b big code em font i nobr s small strike strong tt u".split()
        ),
        f"<p><font/{FEW.replace(' ', '/')}>{PARAGRAPHS}",
        f"<p><a\n{FEW.replace(' ', chr(10))}>{PARAGRAPHS}",
        f"<p><a x= '>' {FEW}>{PARAGRAPHS}",
    ],
)
def test_formatting_is_not_copied_very_often(html: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A smaller limit than the real one, so that a failure does not take gigabytes."""
    monkeypatch.setattr(parser_limits, "_MOST_COPIES", 1e5)
    counts = attribute_counts(limit_markup(html.encode()))
    assert len(counts) + sum(counts) <= 2e5
    assert segments(parse(html)).text.count("x") == 1000


@pytest.mark.parametrize(
    "html",
    [
        "".join(f"<p><b id={i} class='x y'>bold</b>" for i in range(1000)),
        "<p><font size=2 face='Arial'><a href=x>link</a></font>" * 1000,
        f"<script>'{DIFFERENT}'</script>{PARAGRAPHS}",
        f"<!--{DIFFERENT}-->{PARAGRAPHS}",
        f"<p><a {' '.join(f'a{i}=1' for i in range(30))}>{PARAGRAPHS}",
        f"<p><i><b><u>{PARAGRAPHS}",
    ],
)
def test_formatting_of_ordinary_pages_stays(html: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_limits, "_MOST_COPIES", 1e5)
    assert limit_markup(html.encode()) == html.encode()


@pytest.mark.parametrize(
    "html",
    [
        f"<script>'<p {MANY}'</script><p>text",
        f"<script type=application/json>{{'<p': '{MANY}'}}</script><svg></svg><p>text",
        f"<!-- <p {MANY}> --><select><option>a</select><p>text",
        f"<style><p {MANY}></style><textarea><p {MANY}></textarea><title><p {MANY}></title>text",
        f"<noscript><p {MANY}></noscript><p>text",
        f"<p title='{MANY}'>text",
        f"<p>{MANY}<p>text",
    ],
)
def test_words_that_are_no_attributes_are_left_alone(html: str) -> None:
    assert limit_markup(html.encode()) == html.encode()


@settings(max_examples=300)
@given(
    st.lists(
        st.one_of(
            pages,
            st.sampled_from(["<a b=c ", "d ", "e=' ", 'f=" ', 'g=="/', ">", "<i", "'", '"', "h ="]),
            st.sampled_from(["j= ' ", 'k =\n"', "=", " ", "\x01", "\v", "\r", "\f", "l='>' ", "/"]),
        ),
        max_size=20,
    ).map("".join)
)
@example("<a b='c d' e=f g/h=\"i\"j>")
@example("<a b= '>' c d e>")
@example("<p title=' href=' b\" title=' href='>")
def test_the_measure_is_an_upper_bound(html: str) -> None:
    """No tag can have more attributes than the measure says, whatever the page is like."""
    _, _, work, roots, _ = tree.measure_markup(html.encode())
    if roots < 2:  # else one element has the attributes of several tags
        assert max(attribute_counts(html.encode())) ** 2 <= work


@pytest.mark.parametrize("most", [0, 1, 2])
@settings(max_examples=100)
@given(
    st.lists(
        st.sampled_from(["<a ", "b=c ", "d ", "e=' ", 'f=" ', "/", ">", "<i j", "'", "k"]),
        max_size=30,
    ).map("".join)
)
def test_joined_attributes_are_few_wherever_a_tag_begins(most: int, html: str) -> None:
    joined = tree.join_attributes(html.encode(), most, 10)
    assert len(joined) == len(html.encode())
    assert max(attribute_counts(joined)) <= most + 2


@pytest.mark.parametrize("tags", ["<div></x>" * 30_000, "<div></x>" * 9_000 + "<x></div>" * 9_000])
def test_a_closing_tag_of_another_name_closes_nothing(tags: str) -> None:
    """Elements that only seem to be closed nest as deep as all others."""
    html = f"<p>first {tags} last".encode()
    limited = limit_markup(html)
    assert b"first" in limited
    assert limited.endswith(b"last")
    assert limited.count(b"<div>") <= DEEPEST + 1


_KINDS = (b"br",), (b"p", b"li"), (b"div",), (b"table",)


@pytest.mark.parametrize(
    ("html", "deep"),
    [
        (b"<div>" * 5, True),
        (b"<div>" * 4, False),
        (b"<div></DIV>" * 9, False),
        (b"<div></x>" * 5, True),  # closes nothing: no element of that name is open
        (b"</div>" * 9 + b"<div>" * 4, False),
        (b"</div>" * 9 + b"<div>" * 5, True),  # what closes nothing makes no room
        (b"<p>" * 9, False),
        (b"<p><br>" * 9, False),
        (b"<p><div>" * 5, True),
        (b"<div\nid=a>" * 5, True),
        (b"<div/>" * 5, True),  # HTML knows no such end
        (b"< div><1><!a><?b>" * 9, False),
        (b"<a><b><i><u><s>", True),  # five names, one of each
        (b"<div><a><b></div>" * 9, False),  # a block ends with all that is open in it
        (b"<div><p>one</div>" * 9, False),
        (b"<span><div></span></div>" * 5, True),  # but nothing ends beyond a block …
        (b"<span><p></span></p>" * 5, True),
        (b"<div><table></div></table>" * 5, True),  # … nor a block beyond a table
        (b"<div>" * 4 + b"<", False),
        (b"<div>" * 4 + b"</", False),
        (b"<div>" * 4 + b"<div", True),
        (b"", False),
    ],
)
def test_a_page_seems_deep_if_so_many_elements_may_be_open(html: bytes, deep: bool) -> None:
    assert tree.seems_deep(html, _KINDS, 5) is deep


def test_elements_with_more_names_than_any_page_has_are_not_closed() -> None:
    names = b"".join(b"<n%d></n%d>" % (i, i) for i in range(2_000))
    assert tree.seems_deep(names, (), 5)


_TAGS = "div span b x-y p li ul table td h2 section br object a".split()


@given(st.lists(st.sampled_from([f"<{end}{name}>" for name in _TAGS for end in ("", "/")])))
def test_no_page_is_deeper_than_it_seems(tags: list[str]) -> None:
    """By the parser itself, without the elements that end themselves or that it adds."""
    page = parse("".join(tags))
    counted = np.isin(page.tag, [CODES[name] for name in ("div", "span", "section", "ul")])
    depth = np.zeros(len(page.tag), dtype=int)
    for row in range(1, len(page.tag)):
        depth[row] = depth[page.parent[row]] + counted[row]
    most = int(depth.max())
    assert not most or tree.seems_deep("".join(tags).encode(), parser_limits._KINDS, most)


@pytest.mark.parametrize(
    "unit", ["<span><div></span></div>", "<x-y><p></x-y></p>", "<div><table></div></table>"]
)
def test_crossed_tags_take_no_square_of_time(unit: str) -> None:
    with cpu_limit(10):
        page = parse(f"<p>first</p>{unit * 50_000}<p>last</p>")
    assert segments(page).text == ["first", "last"]
    assert page.depth.max() < DEEPEST + 10
