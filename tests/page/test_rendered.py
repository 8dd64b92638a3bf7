"""A rendered page is the same table as the parsed one, with the columns of its layout."""

from __future__ import annotations

import numpy as np
import pytest

from tearsheet.acquire.browser import Browser
from tearsheet.acquire.render import render_html
from tearsheet.page import read_page
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.tags import CODES
from tearsheet.types import Layout, Page

PAGES = {
    "inline": "<p>One <b>bold</b> and <i>its <a href='/x?a=1&amp;b=2'>link</a></i> word.<p>Two.",
    "breaks": "<div>a<br>b<hr>c<div>d</div>e</div>f<wbr>g",
    "comments": "<p>one<!-- no -->two<!--\n--> three<script>var x = '<b>';</script> four",
    "table": "<table><caption>c<tr><td>1<td>2<tr><th>x<td><table><tr><td>in</table></table>after",
    "lists": "<ul><li>a<li>b<ol><li>c</ol></ul><dl><dt>t<dd>d</dl><menu><li>m</menu>",
    "forms": "<form>x <button>B</button> y <select><option>1<option>2</select> z"
    "<textarea>\nt</textarea><input value=v><label>l</label>"
    "<fieldset><legend>L</legend>f</fieldset>",
    "embedded": "a<iframe>fall <b></iframe>b<video></video>c<canvas></canvas>d<object>o</object>e"
    "<img src=x alt=y>f<svg viewBox='0 0 1 1'><linearGradient id=g /><text>t</text></svg>g",
    "raw": "<noscript><p>no script</noscript><template><i>t</i></template><p>x",
    "attributes": "<p title='a&amp;b&quot;&lt;&gt;&nbsp;c' hidden data-empty=''>x</p>"
    "<x-y CLASS='A  b'>z</x-y><p lang=de id='ü'>w",
    "misnested": "<b><p>one</b> two</p><a>x<a>y</a><p><div>z</p>",
    "ruby": "<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>字 <sup>2</sup>",
    "details": "<details open><summary>S</summary>inside<p>para</details><dialog open>d</dialog>",
    "base": "<base href='/there/'><h1>T</h1><pre>a\n  b</pre><blockquote>q</blockquote>",
    "empty": "",
    "bidi": "<p dir=rtl>مرحبا <bdi>x</bdi> بالعالم</p><p>中文</p>",
}  # fmt: skip
STYLED = """
<style>
  h1 { font-size: 40px; font-weight: 700; color: #102030; text-align: center; }
  .card { border: 2px solid red; background: #ffee00; width: 300px; }
  .line { border-top: 3px solid black; }
  .gone { display: none } .hid { visibility: hidden } .clear { opacity: 0 }
  .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; }
  .away { position: absolute; left: -9000px }
  .bar { position: fixed; top: 0; background-image: linear-gradient(red, blue) }
  .menu li { display: inline-block } .flat { display: inline }
</style>
<h1>Title</h1><div class=card>Card</div><p class=line>Line</p>
<p class=gone>gone</p><p class=hid>hid</p><div class=clear><p>clear</p></div><p class=sr>sr</p>
<p class=away>away</p><div class=bar>Bar</div>
<ul class=menu><li>One</li><li>Two</li></ul><div>a<div class=flat>b</div>c</div>
"""


@pytest.fixture(scope="module")
def styled_page(browser: Browser) -> Page:
    return read_page(render_html(STYLED, browser=browser))


def render_page(browser: Browser, html: str) -> Page:
    return read_page(render_html("<!doctype html>" + html, "http://a.test/b", browser=browser))


@pytest.mark.parametrize("name", PAGES)
def test_same_table_parsed_and_rendered(browser: Browser, name: str) -> None:
    html = "<!doctype html>" + PAGES[name]
    one, two = parse(html, "http://a.test/b"), render_page(browser, PAGES[name])
    assert two.text == one.text
    for column in ("tag", "parent", "end", "depth"):
        assert np.array_equal(getattr(two, column), getattr(one, column)), column
    assert [a for a in two.attrs if "currentsrc" not in a] == [
        a for a, b in zip(one.attrs, two.attrs, strict=True) if "currentsrc" not in b
    ]
    assert two.names == one.names
    assert two.base_url == one.base_url
    assert segments(two).text == segments(one).text


def test_data_scripts_are_kept(browser: Browser) -> None:
    html = '<script type="application/LD+json">{"a": 1}</script><script>var x</script>'
    assert render_page(browser, html).scripts == (("application/ld+json", '{"a": 1}'),)


def test_layout_columns(styled_page: Page) -> None:
    layout = styled_page.layout
    assert layout is not None
    title, card = styled_page.rows(CODES["h1"])[0], _row(styled_page, "Card")
    assert layout.font_size[title] == 40
    assert layout.font_weight[title] == 700
    assert layout.color[title] == layout.color[title + 1] == 0x102030
    assert layout.align[title] == 1
    assert layout.background[title] == -1
    assert layout.background[card] == 0xFFEE00
    assert layout.border[card] == layout.rule[card] == 2
    assert layout.x1[card] - layout.x0[card] == 304
    line = _row(styled_page, "Line")
    assert (layout.border[line], layout.rule[line]) == (0, 3)
    bar = _row(styled_page, "Bar")
    assert layout.fixed[bar]
    assert layout.background_image[bar]
    assert (layout.width, layout.height > 100) == (1280, True)


def test_only_what_is_seen_is_visible(styled_page: Page) -> None:
    assert segments(styled_page).text == ["Title", "Card", "Line", "Bar", "One", "Two", "abc"]


def test_a_page_that_waits_for_a_script_to_show_it_is_seen(browser: Browser) -> None:
    html = f"<p>Menu</p><main style='opacity: 0'><p>{'The text. ' * 9}</p></main>"
    assert len(segments(render_page(browser, html)).text) == 2


def test_every_layout_column_is_as_long_as_the_table_and_read_only(styled_page: Page) -> None:
    for name in Layout.__slots__:
        column = getattr(styled_page.layout, name)
        if isinstance(column, np.ndarray):
            assert len(column) == len(styled_page)
            assert not column.flags.writeable


def test_shadow_trees_stand_where_they_are_drawn(browser: Browser) -> None:
    html = "<div><template shadowrootmode=open><p>in <slot></slot></p></template>light</div>"
    page = render_page(browser, html)
    assert segments(page).text == ["in light"]


def test_an_image_says_which_file_is_shown(browser: Browser) -> None:
    html = "<img src=small.png srcset='large.png 1x'><img src=only.png>"
    page = render_page(browser, html)
    first, second = page.rows(CODES["img"])
    assert page.attribute(first, "currentsrc") == "http://a.test/large.png"
    assert page.attribute(second, "currentsrc") is None


def _row(page: Page, text: str) -> int:
    return int(page.parent[page.text.index(text)])
