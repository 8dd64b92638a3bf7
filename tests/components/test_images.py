"""Pictures: which belong to the article, which file they show, and their captions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from fuzz.target import cpu_limit
from samples.generate import generate
from tests.components.pages import TEXT, clipping
from tests.methods.drawn import draw_page

from tearsheet import extract
from tearsheet.acquire.browser import Browser
from tearsheet.acquire.render import render_html
from tearsheet.components import _caption_text, image_sources, images
from tearsheet.components._compare import only_letters
from tearsheet.page import read_page
from tearsheet.page.parsed import parse
from tearsheet.segments import segments
from tearsheet.tags import CODES
from tearsheet.types import Image, Layout, Options, Page, Run, Verdict

from .pages import drawn_clipping

BOAT = '<img src="/boat.jpg" width="600" height="400">'


def find_in(html: str, **known: object) -> tuple[Image, ...]:
    made = clipping(html)
    title, authors = str(known.get("title", "")), known.get("authors", ())
    assert isinstance(authors, tuple)
    return images.find_images(made.page, made.segments, made.verdict, title, authors)


def drawn_images(html: str, browser: Browser) -> tuple[Image, ...]:
    drawn = drawn_clipping(html, browser)
    return images.find_images(drawn.page, drawn.segments, drawn.verdict)


def urls(html: str, **known: object) -> list[str]:
    return [image.url.removeprefix("https://example.org") for image in find_in(html, **known)]


def article(inside: str) -> str:
    """A page with a menu, an article with `inside` between its paragraphs, and a footer."""
    return (
        '<nav><img src="/nav.jpg"></nav><main><article><h1>Boats come home</h1>'
        f"{TEXT}{inside}{TEXT}</article></main><footer><img src='/foot.jpg'></footer>"
    )


def test_a_picture_between_paragraphs_belongs_to_the_article() -> None:
    assert urls(article(BOAT)) == ["/boat.jpg"]


def test_an_address_of_nothing_but_quotes_is_no_picture() -> None:
    assert urls(article("""<img src="''" width="600" height="400">""")) == []


def test_a_lead_picture_above_the_title_belongs_to_the_article() -> None:
    page = f"<main><div>{BOAT}</div><h1>Boats come home</h1><div>{TEXT}{TEXT}</div></main>"
    assert urls(page, title="Boats come home") == ["/boat.jpg"]


def test_what_is_drawn_as_small_as_an_icon_is_none_but_in_a_cell() -> None:
    small = '<img src="/dot.png" width="80" height="80">'
    cell = small.replace("dot", "tool")
    large = small.replace("dot", "boat").replace("80", "180")
    table = f"<table><tr><td>{cell}</td><td>It hauls the nets in.</td></tr></table>"
    page = article(f"<div>{small}</div><div>{large}</div>{table}")
    made = read_page(render_html(page, "https://example.org/"))
    found = segments(made)
    keep = np.ones(len(found), np.bool_)
    shown = images.find_images(made, found, Verdict("test", keep.astype(np.float32), keep))
    assert [image.url.rsplit("/")[-1] for image in shown] == ["boat.png", "tool.png"]


def test_an_address_in_an_attribute_called_original_is_the_picture() -> None:
    lazy = '<img src="grey.png" original="/boat.jpg" width="600" height="400">'
    other = lazy.replace("boat", "crab")
    assert urls(article(lazy + other)) == ["/boat.jpg", "/crab.jpg"]
    assert urls(article(BOAT.replace("boat", "dorian-grey"))) == ["/dorian-grey.jpg"]


@pytest.mark.parametrize(
    "inside",
    [
        '<img src="/dot.gif" width="49" height="400">',
        '<img src="/dot.gif" style="width:1px;height:1px">',
        '<div class="author-box"><img src="/ann.jpg"></div>',
        '<div class="share-icons icon"><img src="/mail.png"></div>',
        '<img src="/img/logo.png">',
        '<a href="/other-story"><img src="/other.jpg"><h3>Another story of the day</h3></a>',
        '<div><a href="/o"><img src="/o.jpg"></a><a href="/o">Another story of today</a></div>',
        '<aside><img src="/aside.jpg"></aside>',
        '<div><p>Advertisement</p><img src="/buy.jpg"></div>',
        '<div><p>Advertisement - story continues below</p><img src="/buy.jpg"></div>',
        '<div><img src="/kauf.jpg"><p>Anzeige</p></div>',
        '<div><p>広告</p><img src="/kau.jpg"></div>',
        '<div class="video-player player"><img src="/poster.jpg"></div>',
        '<img src="data:image/gif;base64,R0lGOD">',
        '<img src="/img/avatar_m.png" width="192" height="192">',
        '<div class="post-signature"><p><img src="/me.png" width="400" height="90"></p></div>',
    ],
    ids=[
        "below 50 pixels", "tracker", "author box", "icon", "logo", "teaser in a link",
        "teaser beside a link", "aside", "advertisement above",
        "advertisement with a remark", "advertisement below, German",
        "advertisement above, Japanese", "player", "no file", "avatar", "signature",
    ],
)  # fmt: skip
def test_what_is_no_picture_of_the_article(inside: str) -> None:
    assert urls(article(inside)) == []


def test_fifty_pixels_are_enough() -> None:
    assert urls(article('<img src="/a.jpg" width="50" height="50">')) == ["/a.jpg"]


def test_a_portrait_of_the_author_is_no_picture_of_the_article() -> None:
    page = article('<img src="/ann.jpg" alt="Ann Lee">')
    assert urls(page) == ["/ann.jpg"]
    assert urls(page, authors=("Ann Lee",)) == []


def test_a_picture_that_links_to_its_larger_file_stays() -> None:
    assert urls(article(f'<a href="/boat-large.jpg">{BOAT}</a>')) == ["/boat.jpg"]


def test_a_picture_that_links_to_a_page_about_it_stays() -> None:
    boat = '<img src="/thumbs/harbour-300x200.jpg" width="300" height="200">'
    assert urls(article(f'<a href="/wiki/File:Harbour.jpg/about">{boat}</a>')) != []
    assert urls(article(f'<a href="/files/harbour/about">{boat}</a>')) != []


def test_a_picture_between_two_lines_of_the_text_may_lead_anywhere() -> None:
    assert urls(article(f'<p><a href="https://films.example/7">{BOAT}</a></p>')) == ["/boat.jpg"]


def test_a_banner_of_a_usual_size_between_two_lines_is_none() -> None:
    banner = '<img src="/buy.png" width="468" height="60">'
    assert urls(article(f'<p><a href="https://shop.example/">{banner}</a></p>')) == []


def test_an_icon_that_is_called_like_the_site_it_leads_to_is_none() -> None:
    icon = '<img src="/i/chatter.png" width="60" height="60">'
    shared = f'<div><a class="share" href="https://chatter.example/send?u=1">{icon}</a></div>'
    assert urls(f"<main><h1>B</h1>{TEXT}{TEXT}{shared}</main>") == []


def test_a_large_picture_may_be_called_a_logo() -> None:
    assert urls(article('<img src="/img/old-logo.png" width="400" height="200">')) != []


def test_a_blurred_twin_is_the_same_picture() -> None:
    twins = '<img src="/max/60/1*abcdef.jpeg?q=20"><img src="/max/1400/1*abcdef.jpeg">'
    assert len(urls(article(twins))) == 1


TINY, LARGE = "/max/60/1*abcdef.jpeg?q=20", "/max/1400/1*abcdef.jpeg"
COPY = f'<noscript><img src="{LARGE}" width="700" height="400"></noscript>'


@pytest.mark.parametrize(
    "inside",
    [
        f'<img src="{TINY}" width="700" height="400">{COPY}',
        f'<div><img src="{TINY}" width="700" height="400"></div><img class="t">{COPY}',
        f"<p>{COPY}</p>",
    ],
    ids=["blurred, with its copy", "blurred, and one without a file", "the copy alone"],
)
def test_the_copy_for_pages_without_programs_is_the_best_that_can_be_had(inside: str) -> None:
    assert urls(article(f"<figure>{inside}</figure>")) == [LARGE]


@pytest.mark.parametrize(
    "html",
    [
        '<img src="/1px.gif" data-actualsrc="/boat.jpg" width="600" height="400">',
        '<img data-hi="/boat.jpg" width="600" height="400">',
        '<div class="lazy-image" data-src="/boat.jpg"></div>',
        '<div class="hero" data-bg="/boat.jpg"></div>',
        '<section class="cover-photo" style="background: #000 url(/boat.jpg) center"></section>',
        f'<div>{BOAT}<p><a href="/tag/boats">boats and harbours of the sea</a></p></div>',
        f'<div>{BOAT}<p><a href="/b" rel="tag">boats and harbours of the sea</a></p></div>',
        f'<div>{BOAT}<p><a href="/boat.jpg">Download the original image</a></p></div>',
        f'<div>{BOAT}<p>Photo by <a href="https://p.example/ann">Ann Lee</a></p></div>',
    ],
)
def test_pictures_that_are_easily_lost(html: str) -> None:
    assert urls(article(html)) == ["/boat.jpg"]


@pytest.mark.parametrize(("name", "sides"), [("old-icon", (100, 50)), ("logo", (120, 60))])
def test_what_is_called_an_icon_may_be_a_picture_if_it_is_large(
    name: str, sides: tuple[int, int]
) -> None:
    large = f'<img src="/{name}.png" width="{sides[0]}" height="{sides[1]}">'
    assert urls(article(large)) == [f"/{name}.png"]
    assert urls(article(f'<img src="/{name}.png" width="90" height="90">')) == []


def test_links_around_many_pictures_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    is_about_picture = images._is_about_picture

    def count(page: Page, link: int) -> bool:
        calls.append(link)
        return is_about_picture(page, link)

    monkeypatch.setattr(images, "_is_about_picture", count)
    entry = '<img src="/{0}.jpg" width="600" height="400"><a href="/tag/{0}">about boats</a>'
    entries = "".join(map(entry.format, range(100)))
    found = urls(article(f"<figure>{entries}</figure>"))
    assert len(found) == 100
    assert 100 <= len(calls) <= 200


def test_the_picture_of_a_kept_entry_leads_where_its_title_does() -> None:
    entry = f'<div><a href="/o">{BOAT}</a><h2><a href="/o">Boats come home at last</a></h2></div>'
    assert len(find_with_all_kept(f"<main>{TEXT}{entry}{TEXT}</main>")) == 1
    deeper = entry.replace('"/o">Boats', '"/o/comments">Boats')
    assert len(find_with_all_kept(f"<main>{TEXT}{deeper}{TEXT}</main>")) == 1
    other = entry.replace('"/o">Boats', '"/p">Boats')
    assert len(find_with_all_kept(f"<main>{TEXT}{other}{TEXT}</main>")) == 0


def test_the_same_picture_in_two_sizes_is_one() -> None:
    page = article('<img src="/boat-300x200.jpg">' + '<img src="/boat-600x400.jpg">')
    assert urls(page) == ["/boat-300x200.jpg"]


@pytest.mark.parametrize(
    ("html", "url", "rule"),
    [
        ('<img src="a.jpg">', "a.jpg", "src"),
        ('<img src="s.jpg" srcset="a.jpg 400w, b.jpg 800w">', "b.jpg", "srcset"),
        ('<img src="blank.gif" data-src="a.jpg">', "a.jpg", "data-src"),
        ('<img src="data:x" data-lazy-srcset="a.jpg 1x, b.jpg 2x">', "b.jpg", "data-lazy-srcset"),
        ('<picture><source srcset="a.webp 1x"><img></picture>', "a.webp", "picture srcset"),
        ('<img src="placeholder.png"><noscript><img src="a.jpg"></noscript>', "a.jpg", "noscript"),
        ('<img src="a.jpg" currentsrc="b.jpg">', "b.jpg", "shown"),
        ('<img src="data:x" data-unusual="a.jpg">', "a.jpg", "data-unusual"),
        ('<amp-img src="a.jpg"></amp-img>', "a.jpg", "src"),
        ("<figure style=\"background-image: url('a.jpg')\"></figure>", "a.jpg", "background"),
    ],
)
def test_the_file_that_is_shown(html: str, url: str, rule: str) -> None:
    page = parse(f"<body>{html}", "https://example.org/x/")
    images_first = sorted(range(len(page)), key=lambda r: page.tag[r] != CODES["img"])
    row = next(r for r in images_first if page.attrs[r] or page.tag[r] == CODES["img"])
    made = image_sources.find_image_source(page, row)
    assert made is not None
    assert (made.url, made.rule) == (f"https://example.org/x/{url}", rule)


def test_a_srcset_with_commas_in_its_addresses() -> None:
    assert (
        image_sources.largest_candidate("/w_400,h_300/a.jpg 400w, /w_800,h_600/a.jpg 800w")
        == "/w_800,h_600/a.jpg"
    )


@pytest.mark.parametrize(
    ("html", "caption", "rule"),
    [
        (f"<figure>{BOAT}<figcaption>Boats at noon</figcaption></figure>", "Boats at noon",
         "figcaption"),
        (f"<figure>{BOAT}<figcaption><a href='/b'>Boats at noon</a></figcaption></figure>",
         "Boats at noon", "figcaption"),
        (f'<div>{BOAT}<p class="wp-caption-text">Boats at noon</p></div>', "Boats at noon",
         "caption class"),
        (f"<div>{BOAT}<p>Boats at noon</p></div>", "Boats at noon", "below"),
        (f"<div>{BOAT}<button>Zoom</button><p>Boats at noon</p></div>", "Boats at noon", "below"),
        (f"<p>{BOAT}</p><p><em>Boats at noon</em></p>", "Boats at noon", "after the frame"),
        (f"<div><p>Boats at noon</p>{BOAT}</div>", "Boats at noon", "above"),
        (f"<p>{BOAT}<div class='my-caption'>Boats at noon</div></p>", "Boats at noon",
         "caption class, after the frame"),
    ],
)  # fmt: skip
def test_captions_without_layout(html: str, caption: str, rule: str) -> None:
    (image,) = find_in(article(html))
    assert image.caption == caption
    assert image.rule == f"src; {rule}"


def find_with_all_kept(html: str) -> tuple[Image, ...]:
    made = clipping(html)
    keep = np.ones(len(made.segments), dtype=np.bool_)
    return images.find_images(made.page, made.segments, replace(made.verdict, keep=keep))


@pytest.mark.parametrize(
    ("html", "caption"),
    [
        (f"<p>{BOAT}</p><p>Figure 2: Boats at noon</p>", "Figure 2: Boats at noon"),
        (f"<p>{BOAT}</p><p>图2 船只</p>", "图2 船只"),
        (f"<center>{BOAT}<br>Boats at noon<br>(by hand)</center>", "Boats at noon (by hand)"),
        (
            f'<p style="text-align: center">{BOAT}</p><p style="text-align: center">Boats</p>',
            "Boats",
        ),
        (f"<p>Figure 2: Boats at noon</p><p>{BOAT}</p>", "Figure 2: Boats at noon"),
        (f"<p>{BOAT}</p><p><small>Boats at noon</small></p>", "Boats at noon"),
        (f"<p>{BOAT}<br><em>Boats at noon</em></p>", "Boats at noon"),
        (f"<p>{BOAT}</p><p><em>Boats</em> at noon</p>", ""),
        (
            f"""<p>{BOAT.replace("<img", "<img alt='Fishing boats at noon, in port'")}</p>
            <p>Fishing boats at noon in port.</p>""",
            "Fishing boats at noon in port.",
        ),
        (
            f'<p><a href="/noon">{BOAT}</a></p><p><a href="/noon">Boats at noon</a></p>',
            "Boats at noon",
        ),
        (f'<p><a href="/noon">{BOAT}</a></p><p><a href="/crabs">Boats at noon</a></p>', ""),
        (f"<p>{BOAT}</p><p>Boats at noon</p>", ""),
        (f"<p>{BOAT}</p><p>Figures are few</p>", ""),
    ],
)
def test_captions_that_were_kept_as_text(html: str, caption: str) -> None:
    (image,) = find_with_all_kept(f"<main><h1>B</h1>{TEXT}{html}{TEXT}</main>")
    assert image.caption == caption


def test_a_numbered_line_between_two_pictures_is_the_caption_of_the_first() -> None:
    other = BOAT.replace("boat", "crab")
    html = f"<p>{BOAT}</p><p>Figure 1: Boats at noon</p><p>{other}</p>"
    found = find_with_all_kept(f"<main><h1>B</h1>{TEXT}{html}{TEXT}</main>")
    assert [image.caption for image in found] == ["Figure 1: Boats at noon", ""]


def test_of_numbered_lines_above_and_below_a_picture_the_one_below_is_its_caption() -> None:
    html = f"<p>Figure 1: Nets at dawn</p><p>{BOAT}</p><p>Figure 2: Boats at noon</p>"
    (image,) = find_with_all_kept(f"<main><h1>B</h1>{TEXT}{html}{TEXT}</main>")
    assert image.caption == "Figure 2: Boats at noon"


def test_slanted_letters_show_no_caption_where_most_text_is_slanted() -> None:
    lines = "".join(f"<p><em>{TEXT} {number}</em></p>" for number in range(3))
    html = f"<main>{lines}<p>{BOAT}</p><p><em>Boats at noon</em></p>{lines}</main>"
    assert [image.caption for image in find_with_all_kept(html)] == [""]


@pytest.mark.parametrize(
    "html",
    [
        BOAT,
        f"<div>{BOAT}<h3>What happened then</h3></div>",
        f"<div>{BOAT}<p>By Ann Lee</p></div>",
        f'<div>{BOAT}<button>Open image in gallery</button></div>',
        f"<figure><h3>What happened then</h3>{BOAT}</figure>",
        f"<figure><p>By Ann Lee</p>{BOAT}</figure>",
        f'<figure><button>Open image in gallery</button>{BOAT}</figure>',
    ],
    ids=["body text follows", "heading", "byline", "button", "heading above", "byline above",
         "button above"],
)  # fmt: skip
def test_what_is_no_caption(html: str) -> None:
    (image,) = find_in(article(html))
    assert image.caption == ""


def test_a_line_above_a_picture_is_its_caption_if_nothing_else_is_there() -> None:
    other = BOAT.replace("boat", "crab")
    line = "<figure><p>Boats at noon</p>{}</figure>"
    assert [image.caption for image in find_in(article(line.format(BOAT)))] == ["Boats at noon"]
    both = find_in(article(line.format(BOAT + other)))
    assert [image.caption for image in both] == ["", ""]


def test_the_caption_of_one_picture_is_not_that_of_the_next() -> None:
    other = BOAT.replace("boat", "crab")
    page = article(f"<div>{BOAT}{other}<p>Crabs at noon</p></div>")
    assert [image.caption for image in find_in(page)] == ["", "Crabs at noon"]


def test_of_several_captions_in_one_place_the_first_is_taken() -> None:
    captions = "<p class=caption>Boats at noon</p><p class=caption>Nets in the evening</p>"
    (image,) = find_in(article(f"<div>{BOAT}{captions}</div>"))
    assert (image.caption, image.rule) == ("Boats at noon", "src; caption class")


@pytest.mark.parametrize(("between", "caption"), [(6, "Boats at noon"), (9, "")])
def test_a_line_called_caption_is_one_only_close_to_the_picture(between: int, caption: str) -> None:
    line = f"{'<hr>' * between}<p class=caption>Boats at noon</p>"
    (image,) = find_in(article(f"<div>{BOAT}</div>{line}"))
    assert image.caption == caption


@pytest.mark.parametrize(("length", "is_caption"), [(1_200, True), (1_201, False)])
def test_a_very_long_line_is_no_caption_whatever_its_class(length: int, is_caption: bool) -> None:
    line = f"<p class=caption>{'boats '.ljust(length, 'x')}</p>"
    (image,) = find_in(article(f"<div>{BOAT}</div>{line}"))
    assert (len(image.caption) == length) == is_caption
    assert bool(image.caption) == is_caption


def test_a_caption_keeps_its_links_and_marks() -> None:
    words = "Caption: The <a href='/boats'>boats <b>at</b> noon</a>, <i>late</i>. Photo: Ann Lee/AP"
    (image,) = find_in(article(f"<figure>{BOAT}<figcaption>{words}</figcaption></figure>"))
    boats = "https://example.org/boats"
    assert (image.caption, image.credit) == ("The boats at noon, late.", "Photo: Ann Lee/AP")
    assert image.caption_runs == (
        Run("The "), Run("boats ", href=boats), Run("at", frozenset({"strong"}), boats),
        Run(" noon", href=boats), Run(", "), Run("late", frozenset({"em"})), Run("."),
    )  # fmt: skip


def test_a_plain_caption_has_no_runs() -> None:
    caption = '<figcaption>Boats at noon <span class="credit">Ann Lee</span></figcaption>'
    (image,) = find_in(article(f"<figure>{BOAT}{caption}</figure>"))
    assert image.caption_runs == ()


@pytest.mark.parametrize(
    ("text", "caption", "credit"),
    [
        ("Boats at noon. Photo: Ann Lee/AP", "Boats at noon.", "Photo: Ann Lee/AP"),
        ("Boote am Mittag. © dpa", "Boote am Mittag.", "© dpa"),
        ("Boats at noon. (Reuters)", "Boats at noon.", "Reuters"),
        ("Boats at noon / Ann Lee", "Boats at noon", "Ann Lee"),
        ("Boats at noon (left)", "Boats at noon (left)", ""),
        ("Getty Images", "", "Getty Images"),
        ("Sailors told the BBC so at noon", "Sailors told the BBC so at noon", ""),
        ("2 of 12 |", "", ""),
        ("Figure 1. Old Harbour", "Figure 1. Old Harbour", ""),
        ("Enlarge / Boats at noon.", "Boats at noon.", ""),
        ("Image caption Boats at noon.", "Boats at noon.", ""),
        ("Image from an old book", "Image from an old book", ""),
        ("A photograph of boats", "A photograph of boats", ""),
    ],
)
def test_credits_are_split_from_captions(text: str, caption: str, credit: str) -> None:
    assert _caption_text.split_credit(text) == (caption, credit)


def test_a_credit_in_an_element_of_its_own() -> None:
    caption = '<figcaption>Boats at noon <span class="credit">Ann Lee</span></figcaption>'
    (image,) = find_in(article(f"<figure>{BOAT}{caption}</figure>"))
    assert (image.caption, image.credit) == ("Boats at noon", "Ann Lee")


def test_a_background_that_is_a_picture() -> None:
    hero = '<div class="hero" role="img" style="background-image:url(/hero.jpg)"></div>'
    assert urls(article(hero)) == ["/hero.jpg"]


def test_a_very_deep_page_does_no_harm() -> None:
    page = article("<div>" * 20_000 + BOAT + "</div>" * 20_000)
    assert urls(page) == ["/boat.jpg"]


def draw(
    boxes: dict[str, tuple[float, float, float, float]],
    *,
    faithful: bool = False,
    **column: dict[str, float],
) -> Image:
    """The picture found on a page whose texts and picture are drawn in these boxes."""
    made = clipping(f'<main><h1>B</h1>{TEXT}<div id="box">{BOAT}<div>{CAPTION}</div></div></main>')
    page, parts = made.page, made.segments
    size = len(page)
    columns = {name: np.zeros(size, np.float32) for name in "x0 y0 x1 y1 border rule".split()}
    fonts = np.full(size, 16, np.float32)
    for row in range(size):
        name = page.text[row] or page.attrs[row][:9]
        for key, box in boxes.items():
            if key in name:
                for side, value in zip("x0 y0 x1 y1".split(), box):
                    columns[side][row] = value
        for name_of, values in column.items():
            for key, value in values.items():
                if key in name:
                    (fonts if name_of == "font_size" else columns[name_of])[row] = value
    flags, shorts = np.ones(size, np.bool_), np.zeros(size, np.uint8)
    layout = Layout(
        **columns, font_size=fonts, font_weight=np.full(size, 400, np.int32),
        color=np.zeros(size, np.int32), background=np.full(size, -1, np.int32),
        background_image=~flags, align=shorts, display=shorts, visible=flags, fixed=~flags,
        width=1000, height=2000,
    )  # fmt: skip
    clipped = replace(page, layout=layout), parts, made.verdict
    found = images.find_literal_images(*clipped, -1) if faithful else images.find_images(*clipped)
    (image,) = found
    return image


CAPTION = "Boats at noon"
PICTURE = {
    "The harb": (100.0, 100.0, 700.0, 180.0),
    "By noon": (100.0, 200.0, 700.0, 280.0),
    "src=": (100.0, 300.0, 700.0, 700.0),
    "box": (100.0, 300.0, 700.0, 740.0),
}


@pytest.mark.parametrize(
    ("place", "rule"),
    [
        ((100.0, 710.0, 700.0, 730.0), "below, as drawn"),
        ((705.0, 400.0, 900.0, 420.0), "on the right"),
        ((120.0, 660.0, 680.0, 690.0), "on the picture"),
        ((100.0, 285.0, 700.0, 299.0), "above, as drawn"),
    ],
)
def test_places_of_captions_on_a_rendered_page(
    place: tuple[float, float, float, float], rule: str
) -> None:
    image = draw({**PICTURE, CAPTION: place})
    assert (image.caption, image.rule) == (CAPTION, f"src; {rule}")


@pytest.mark.parametrize(
    ("place", "rule"),
    [
        ((100.0, 605.0, 700.0, 620.0), "below"),
        ((705.0, 400.0, 900.0, 420.0), "on the right"),
        ((120.0, 560.0, 680.0, 590.0), ""),
        ((100.0, 185.0, 700.0, 199.0), ""),
    ],
    ids=["below", "right", "on it", "above"],
)
def test_by_the_letter_captions_are_below_or_on_the_right(
    place: tuple[float, float, float, float], rule: str
) -> None:
    """§2.4 knows no captions on a picture or above it; the picture is within the text."""
    inside = {
        "The harb": (100.0, 100.0, 700.0, 180.0),
        "src=": (100.0, 200.0, 700.0, 600.0),
        "By noon": (100.0, 700.0, 700.0, 780.0),
    }
    image = draw({**inside, CAPTION: place}, faithful=True)
    assert (image.caption, image.rule) == (CAPTION if rule else "", rule)


def test_a_frame_comes_first_of_the_layouts() -> None:
    image = draw({**PICTURE, CAPTION: (100, 710, 700, 730)}, border={"box": 1.0})
    assert image.rule == "src; in one frame"


@pytest.mark.parametrize(
    ("label", "count"), [("Advertisement - story continues below", 0), ("The quay", 1)]
)
def test_by_the_letter_a_picture_labelled_advertisement_is_none(label: str, count: int) -> None:
    page = draw_page(
        '<p box="100 100 700 180">The harbour at dawn, with all its boats.</p>'
        f'<div box="100 190 700 205">{label}</div><img src="/b.png" box="100 210 700 600">'
        '<p box="100 700 700 780">By noon the boats had come home again.</p>'
    )
    parts = segments(page)
    keep = parts.chars > 37
    verdict = Verdict("length", keep.astype(np.float32), keep)
    assert len(images.find_literal_images(page, parts, verdict, -1)) == count


def test_below_means_at_most_two_lines_away() -> None:
    """A line is 1.4 times 16 pixels high, so two lines are 44.8 pixels."""
    assert draw({**PICTURE, CAPTION: (100, 744, 700, 760)}).caption == CAPTION
    assert draw({**PICTURE, CAPTION: (100, 746, 700, 760)}).caption == ""


def test_below_must_overlap_horizontally() -> None:
    assert draw({**PICTURE, CAPTION: (800, 710, 900, 730)}).caption == ""


def test_a_text_in_larger_letters_is_no_caption() -> None:
    image = draw({**PICTURE, CAPTION: (100, 710, 700, 730)}, font_size={CAPTION: 20.0})
    assert image.caption == ""


def test_body_text_between_a_picture_and_a_text_on_its_right_parts_them() -> None:
    """As for layout 2, nothing of the article may stand between (§2.4)."""
    right = {**PICTURE, CAPTION: (730.0, 400.0, 900.0, 420.0)}
    assert draw(right).rule == "src; on the right"
    between = {**right, "By noon": (705.0, 350.0, 725.0, 600.0)}
    assert draw(between).caption == ""


@pytest.mark.parametrize(
    "line",
    [
        "<hr>",
        '<div style="height: 2px; background: #c00"></div>',
        '<div style="border-top: 1px solid #000"></div>',
    ],
    ids=["hr", "painted", "border"],
)
@pytest.mark.parametrize("place", ["below", "right"])
def test_a_drawn_line_parts_a_picture_from_a_text(browser: Browser, line: str, place: str) -> None:
    boat = '<img src="/b.png" style="width: 300px; height: 200px; display: block">'
    flex = "flex" if place == "right" else "block"
    upright = "width: 2px; min-height: 200px; margin: 0 4px; flex: none"
    drawn_line = line if place == "below" else f'<div style="display: flex">{line}</div>'
    if place == "right" and line != "<hr>":
        drawn_line = line.replace('style="', f'style="{upright}; ')
    elif place == "right":
        drawn_line = f'<hr style="{upright}">'
    pages = {
        mark: f"<main><h1>B</h1>{TEXT}<div style='display: {flex}'>{boat}{mark}"
        f"<div style='font-size: 13px'>{CAPTION}</div></div>{TEXT}</main>"
        for mark in ("", drawn_line)
    }
    captions = []
    for html in pages.values():
        (image,) = drawn_images(html, browser)
        captions.append(image.caption)
    assert captions == [CAPTION, ""]


def test_on_a_drawn_page_the_region_is_where_the_article_is_drawn(browser: Browser) -> None:
    """A picture within the article's box may come after it in the markup; one beside it may not."""
    size = "width: 120px; height: 90px; display: block"
    html = (
        f'<body style="margin: 0"><div style="width: 600px; position: relative"><div>{TEXT}{TEXT}'
        f'<img src="/beside.png" style="{size}; position: absolute; left: 700px; top: 20px">'
        f'{TEXT}</div></div><div style="position: absolute; left: 200px; top: 60px">'
        f'<img src="/placed.png" style="{size}"></div></body>'
    )
    found = drawn_images(html, browser)
    assert [image.url for image in found] == ["https://a.example/placed.png"]


def test_a_low_and_wide_picture_between_two_lines_counts(browser: Browser) -> None:
    strip = '<p><img src="/prompt.png" style="width: 400px; height: 30px"></p>'
    html = f"<main><h1>B</h1>{TEXT}{strip}{TEXT}</main>"
    found = drawn_images(html, browser)
    assert [image.url for image in found] == ["https://a.example/prompt.png"]


def test_the_layouts_in_a_real_browser(browser: Browser) -> None:
    """On generated pages: every position of a caption, drawn by Chromium."""
    right = spoken = known = 0
    for made in generate(seed=21, count=24):
        page = read_page(
            render_html(made.html, made.url, made.resources, browser=browser), Options()
        )
        parts = segments(page)
        lines = {only_letters(line) for line in made.truth["text"]}
        keep = np.array([only_letters(text) in lines for text in parts.text])
        verdict = Verdict("truth", keep.astype(np.float32), keep)
        got = images.find_images(page, parts, verdict, made.truth["title"])
        a = Counter(word for image in got for word in image.caption.split())
        b = Counter(word for image in made.truth["images"] for word in image["caption"].split())
        right += (a & b).total()
        spoken, known = spoken + a.total(), known + b.total()
    assert right >= 0.9 * spoken
    assert right >= 0.8 * known


WORDS = "<p>Some words of an article that go on for a while and say something to us.</p>" * 5


@pytest.mark.parametrize(
    "pictures",
    [
        "<img>" * 16_000,
        f"<picture>{'<img>' * 16_000}</picture>",
        "<figure>" + "".join(f"<img src=/{i}.jpg width=600 height=400>" for i in range(1_000))
        + f"<figcaption>{'<a href=/x>a</a> ' * 8_000}</figcaption></figure>",
    ],
    ids=["without a source", "in one picture", "over one caption"],
)  # fmt: skip
def test_very_many_pictures_take_no_square_of_time(pictures: str) -> None:
    """Each took as long as there are others beside it; a minute of CPU in all."""
    with cpu_limit(15):
        found = extract(f"<article>{WORDS}{pictures}{WORDS}</article>", "https://a.example/")
        assert "say something" in found.text
        assert len(found.images) in (0, 1_000)


LONG = 400_000


@pytest.mark.parametrize(
    "picture",
    [
        f"<img src=/a.jpg srcset='{'a' * LONG} b'>",
        f"<img src=/a.jpg srcset='a{' ' * LONG}b'>",
        f"<img src=/a.jpg style='{'background:url(x' * (LONG // 16)}'>",
        f"<img src=/a.jpg><noscript><img {'a' * LONG}></noscript>",
        f"<img src=/a.jpg><noscript>{'<img ' * (LONG // 5)}</noscript>",
    ],
    ids=["one word", "white space", "backgrounds", "an attribute", "tags that do not end"],
)
def test_long_attributes_of_a_picture_are_read_once(picture: str) -> None:
    """A search that failed began again at the next letter: 20 KB took a quarter of a minute."""
    with cpu_limit(10):
        figure = f"<figure>{picture}</figure>"
        found = extract(f"<article>{WORDS}{figure}{WORDS}</article>", "https://a.example/")
        assert found.images


def test_a_width_with_two_points_is_no_candidate() -> None:
    """It was a fault."""
    assert image_sources.largest_candidate("a.jpg 1.2.3w, b.jpg 1.5x") == "b.jpg"


def test_the_key_of_a_long_address_takes_linear_time() -> None:
    small, large = (
        "https://a.example/w_300,h_200/boat.jpg",
        "https://a.example/w_600,h_400/boat.jpg",
    )
    assert image_sources.picture_key(small) == image_sources.picture_key(large)
    for part in ("_1a", "/a1", "/s", "-1"):  # each could be split in 2**200 ways
        assert image_sources.picture_key(f"https://a.example/w{part * 200}")
        assert image_sources.picture_key(f"https://a.example/w{part * 200_000}")
