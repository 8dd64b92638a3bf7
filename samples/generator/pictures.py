"""Images and captions in every position, with the decoys that are none.

A caption form takes the draft and gives the blocks to set into the text; an image form gives the
HTML of one image. Both are chosen by name.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from samples.generator.draft import Block, Draft, Raw, Text, path_of, person

WIDTH, HEIGHT = 420, 280
BLANK = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
SMALL = "font-size:12px;line-height:1.4;color:#666"

Shown = tuple[str, dict[str, Any]]
"""The HTML of an image, and its truth."""


def add_picture(draft: Draft, caption_form: str, image_form: str) -> None:
    """Puts a picture with its caption between two paragraphs of a page."""
    draft.traps += [f"caption:{caption_form}", f"image:{image_form}"]
    blocks = CAPTIONS[caption_form](draft, IMAGES[image_form])
    part = draft.parts[draft.number - 1]
    places = [i for i, block in enumerate(part) if isinstance(block, Text) and block.kind == "p"]
    at = draft.chance.choice(places[1:] or [len(part)])
    part[at:at] = blocks


# Images ---------------------------------------------------------------------------------------


def plain(draft: Draft) -> Shown:
    address = draft.picture(WIDTH, HEIGHT)
    return img(draft, path_of(address)), truth(address)


def no_extension(draft: Draft) -> Shown:
    address = draft.picture(WIDTH, HEIGHT, draft.at(f"/image/{draft.chance.randint(1, 10**6)}"))
    return img(draft, path_of(address)), truth(address)


def data_src(draft: Draft) -> Shown:
    address = draft.picture(WIDTH, HEIGHT)
    draft.below.append(SHOW_LAZY)
    return img(draft, BLANK, f'data-src="{path_of(address)}" class="lazy"'), truth(address)


def data_original(draft: Draft) -> Shown:
    address = draft.picture(WIDTH, HEIGHT)
    spacer = path_of(draft.picture(1, 1, draft.at("/img/spacer.gif")))
    draft.below.append(SHOW_LAZY)
    return img(draft, spacer, f'data-original="{path_of(address)}"'), truth(address)


def srcset(draft: Draft) -> Shown:
    widths = (320, 640, 1280)
    found = [draft.picture(width, width * 2 // 3) for width in widths]
    candidates = ", ".join(f"{path_of(url)} {width}w" for url, width in zip(found, widths))
    extra = f'srcset="{candidates}" sizes="640px"'
    return img(draft, path_of(found[0]), extra), truth(found[-1], *found)


def placeholder_srcset(draft: Draft) -> Shown:
    one, two = draft.picture(WIDTH, HEIGHT), draft.picture(WIDTH * 2, HEIGHT * 2)
    blank = path_of(draft.picture(30, 20, draft.at("/img/placeholder.png")))
    return img(draft, blank, f'srcset="{path_of(one)} 1x, {path_of(two)} 2x"'), truth(two, one, two)


def picture_element(draft: Draft) -> Shown:
    small, large = draft.picture(WIDTH, HEIGHT), draft.picture(WIDTH * 2, HEIGHT * 2)
    sources = (
        f'<source media="(min-width: 800px)" srcset="{path_of(large)}">'
        f'<source srcset="{path_of(small)}">'
    )
    shown = f"<picture>{sources}{img(draft, path_of(small))}</picture>"
    return shown, truth(large, small, large)


def noscript_twin(draft: Draft) -> Shown:
    address = draft.picture(WIDTH, HEIGHT)
    draft.below.append(SHOW_LAZY)
    twin = f"<noscript>{img(draft, path_of(address))}</noscript>"
    return img(draft, BLANK, f'data-lazy-src="{path_of(address)}"') + twin, truth(address)


def background(draft: Draft) -> Shown:
    address = draft.picture(WIDTH, HEIGHT)
    style = f"width:{WIDTH}px;height:{HEIGHT}px;background-image:url({path_of(address)})"
    return f'<div role="img" class="hero" style="{style}"></div>', truth(address)


SHOW_LAZY = """<script>
document.querySelectorAll("img[data-src],img[data-original],img[data-lazy-src]").forEach(
  function (i) { i.src = i.dataset.src || i.dataset.original || i.dataset.lazySrc; });
</script>"""


def img(draft: Draft, source: str, extra: str = "") -> str:
    alt = escape(draft.chance.choice(("", draft.language.labels("subjects")[0])))
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    return f'<img src="{source}" alt="{alt}" {size}{" " + extra if extra else ""}>'


def truth(address: str, *variants: str) -> dict[str, Any]:
    """An image of the truth; `variants` are other addresses of the same picture."""
    return {"url": address, "caption": "", "credit": "", "variants": list(variants or (address,))}


# Captions -------------------------------------------------------------------------------------

Image = Callable[[Draft], Shown]


def figcaption(draft: Draft, image: Image) -> list[Block]:
    html, true = add_caption(draft, image)
    inner = f"{true['caption']} <small>{true['credit']}</small>"
    return [raw(f"<figure>{html}<figcaption>{inner}</figcaption></figure>", true)]


def figure_right(draft: Draft, image: Image) -> list[Block]:
    html, true = add_caption(draft, image, with_credit=False)
    style = f"float:right;width:{WIDTH}px;margin:0 0 12px 20px"
    caption = f'<figcaption style="{SMALL}">{true["caption"]}</figcaption>'
    return [raw(f'<figure style="{style}">{html}{caption}</figure>', true)]


def frame(draft: Draft, image: Image) -> list[Block]:
    html, true = add_caption(draft, image, with_credit=False)
    style = f"border:1px solid #999;padding:8px;width:{WIDTH}px"
    return [raw(f'<div style="{style}">{html}<div>{true["caption"]}</div></div>', true)]


def below(draft: Draft, image: Image) -> list[Block]:
    html, true = add_caption(draft, image)
    text = f"{true['caption']} {true['credit']}"
    return [raw(f'<div>{html}</div>\n<div style="{SMALL}">{text}</div>', true)]


def right(draft: Draft, image: Image) -> list[Block]:
    html, true = add_caption(draft, image, with_credit=False)
    cell = f'<td valign="bottom" style="{SMALL};width:160px">{true["caption"]}</td>'
    return [raw(f"<table><tr><td>{html}</td>{cell}</tr></table>", true)]


def above(draft: Draft, image: Image) -> list[Block]:
    html, true = add_caption(draft, image, with_credit=False)
    return [raw(f'<div><div style="{SMALL}">{true["caption"]}</div>{html}</div>', true)]


def on_image(draft: Draft, image: Image) -> list[Block]:
    html, true = add_caption(draft, image, with_credit=False)
    style = f"position:absolute;left:0;bottom:0;background:#222;color:#fff;{SMALL}"
    box = f"position:relative;width:{WIDTH}px"
    return [
        raw(f'<div style="{box}">{html}<div style="{style}">{true["caption"]}</div></div>', true)
    ]


def text_style(draft: Draft, image: Image) -> list[Block]:
    """Only the credit at its end tells this paragraph from the text."""
    html, true = add_caption(draft, image)
    return [raw(f"<p>{html}</p>\n<p>{true['caption']} ({true['credit']})</p>", true)]


def as_link(draft: Draft, image: Image) -> list[Block]:
    html, true = add_caption(draft, image, with_credit=False)
    large = path_of(true["url"])
    caption = f'<a href="{large}">{true["caption"]}</a>'
    return [
        raw(f'<div><a href="{large}">{html}</a><div style="{SMALL}">{caption}</div></div>', true)
    ]


def credit_only(draft: Draft, image: Image) -> list[Block]:
    html, true = image(draft)
    true["credit"] = credit(draft)
    return [raw(f'<div>{html}<div style="{SMALL}">{true["credit"]}</div></div>', true)]


def two_share(draft: Draft, image: Image) -> list[Block]:
    one, first = add_caption(draft, image, with_credit=False)
    two, second = image(draft)
    second["caption"] = first["caption"]
    cells = f"<tr><td>{one}</td><td>{two}</td></tr>"
    caption = f'<tr><td colspan="2" style="{SMALL}">{first["caption"]}</td></tr>'
    return [raw(f"<table>{cells}{caption}</table>", first, second)]


def by_style_sheet(draft: Draft, image: Image) -> list[Block]:
    """A caption that only the style sheet knows: a reader sees it, the document lacks it."""
    html, true = image(draft)
    name = f"cap{draft.chance.randint(100, 999)}"
    text = draft.language.sentence(draft.chance)
    draft.head.append(f'<style>.{name}::after {{ content: "{text}"; {SMALL} }}</style>')
    return [raw(f'<div class="{name}">{html}</div>', true)]


def no_caption(draft: Draft, image: Image) -> list[Block]:
    html, true = image(draft)
    return [raw(f"<p>{html}</p>", true)]


def instruction_before(draft: Draft, image: Image) -> list[Block]:
    """The text announces the picture: that line is text and no caption."""
    html, true = image(draft)
    text = draft.language.sentence(draft.chance).rstrip(".。।") + ":"
    return [Text(text), raw(f"<div>{html}</div>", true)]


def pull_quote_beside(draft: Draft, image: Image) -> list[Block]:
    html, true = image(draft)
    quote = draft.language.sentence(draft.chance)
    style = "float:right;width:200px;font-size:24px;color:#a33;border-top:2px solid"
    return [Raw(f'<div style="{style}">“{quote}”</div>'), raw(f"<div>{html}</div>", true)]


def table_title(draft: Draft, image: Image) -> list[Block]:
    """A table's own title below a picture that has none."""
    html, true = image(draft)
    rows = "".join(f"<tr><td>{n}</td><td>{n * n}</td></tr>" for n in (7, 8))
    title = draft.language.sentence(draft.chance)
    table = f"<table><caption>{title}</caption>{rows}</table>"
    shown = raw(f"<div>{html}</div>", true)
    return [shown, Raw(table, lines=(title, "7", "49", "8", "64"))]


def listing_title(draft: Draft, image: Image) -> list[Block]:
    """The title of a listing of code, right below a picture."""
    html, true = image(draft)
    title, code = draft.language.sentence(draft.chance), "bridge.repair(friends=2)"
    listing = f'<div style="{SMALL}">{title}</div><pre>{code}</pre>'
    return [raw(f"<div>{html}</div>", true), Raw(listing, lines=(title, code))]


def gallery(draft: Draft, image: Image) -> list[Block]:
    """Three pictures side by side, each with its own caption."""
    style = f"flex:0 0 200px;overflow:hidden;{SMALL}"
    boxes, images = [], []
    for _ in range(3):
        html, true = add_caption(draft, image, with_credit=False)
        boxes.append(f'<div style="{style}">{html}<div>{true["caption"]}</div></div>')
        images.append(true)
    return [raw(f'<div style="display:flex;gap:12px">{"".join(boxes)}</div>', *images)]


def decoys(draft: Draft, image: Image) -> list[Block]:
    """An advertisement, a related card, an icon and a tracker; no picture of the article."""
    thumb, advert = draft.picture(120, 80), draft.picture(468, 90)
    address, title = draft.other_story()
    card = f'<div class="card"><a href="{address}"><img src="{thumb}" width="120" height="80"></a>'
    card += f'<div><a href="{address}">{title}</a></div></div>'
    ad = f'<div style="{SMALL}">{draft.say("ad")}</div><img src="{advert}" width="468" height="90">'
    tracker = path_of(draft.picture(1, 1))
    side = draft.picture(240, 160)
    text = f'<div><img src="{side}" width="240" height="160"><div>{title}</div></div>'
    draft.side.append(text)
    return [
        Raw(f'<div class="ad">{ad}</div>'),
        Raw(card + f'<img src="{tracker}" width="1" height="1">'),
    ]


def add_caption(draft: Draft, image: Image, *, with_credit: bool = True) -> Shown:
    html, true = image(draft)
    true["caption"] = draft.language.sentence(draft.chance)
    true["credit"] = credit(draft) if with_credit else ""
    return html, true


def credit(draft: Draft) -> str:
    mark = draft.say("photo")
    return f"{mark}{' ' if mark.endswith('.') else ': '}{person(draft.chance)}"


def raw(html: str, *images: dict[str, Any]) -> Raw:
    return Raw(html, tuple(images))


IMAGES: dict[str, Image] = {
    each.__name__: each
    for each in (
        plain, no_extension, data_src, data_original, srcset, placeholder_srcset, picture_element,
        noscript_twin, background,
    )
}  # fmt: skip
CAPTIONS: dict[str, Callable[[Draft, Image], list[Block]]] = {
    each.__name__: each
    for each in (
        figcaption, figure_right, frame, below, right, above, on_image, text_style, as_link,
        credit_only, two_share, by_style_sheet, no_caption, instruction_before, pull_quote_beside,
        table_title, listing_title, gallery, decoys,
    )
}  # fmt: skip
