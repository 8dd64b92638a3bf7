"""Changes to a page that no reader sees, and furniture that no reader came for.

Each takes a page as `written` gives it, where every tag is whole and every attribute quoted, so
that a change is a substitution and means what it says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from tearsheet.tags import BLOCKS, CODES

Change = Callable[[str], str]

# Text that is not markup (group 1 is empty there), a tag with its name, attributes and end.
_TOKEN: Final = re.compile(
    r"<!--.*?-->|<(script|style|textarea|pre|svg|math|noscript|title|template|iframe)\b.*?</\1>"
    r"|<(/?)([a-z][^\s<>/]*)((?: [^<>]*)?)>",
    re.S,
)
_ATTRIBUTE: Final = re.compile(r' [^\s=">]+(?:="[^"]*")?')
_BODY: Final = re.compile(r"(<body(?: [^<>]*)?>)(.*)(</body>)", re.S)


def write_again(html: str) -> str:
    """The page as its tree is written: parsed and written once more it stays the same."""
    for _ in range(3):
        html = LexborHTMLParser(html, scripting=True).html or ""
    return html


def attributes_reversed(html: str) -> str:
    def turn(slash: str, name: str, attrs: str) -> str:
        return f"<{slash}{name}{''.join(reversed(_ATTRIBUTE.findall(attrs)))}>"

    return _each_tag(html, turn)


def tags_in_capitals(html: str) -> str:
    return _each_tag(html, lambda slash, name, attrs: f"<{slash}{name.upper()}{attrs}>")


def space_between_blocks(html: str) -> str:
    return _between_blocks(html, "\n\n   \t")


def comments_between_blocks(html: str) -> str:
    return _between_blocks(html, "<!-- a remark, <p>not a paragraph</p> -->")


def a_script_added(html: str) -> str:
    script = '<script>document.title = "<p>no text</p>"; var share = "comment";</script>'
    return _BODY.sub(lambda found: f"{found[1]}{script}{found[2]}{script}{found[3]}", html)


def two_divisions_around(html: str) -> str:
    return _BODY.sub(r"\1<div><div>\2</div></div>\3", html)


def classes_without_words_renamed(html: str) -> str:
    """Numbers within the names of classes mean nothing to anybody but the style sheet."""

    def rename(slash: str, name: str, attrs: str) -> str:
        changed = re.sub(
            r'( class=")([^"]*)"', lambda m: m[1] + re.sub(r"\d", "7", m[2]) + '"', attrs
        )
        return f"<{slash}{name}{changed}>"

    return _each_tag(html, rename)


UNSEEN: Final[dict[str, Change]] = {
    change.__name__: change
    for change in (
        attributes_reversed, tags_in_capitals, space_between_blocks, comments_between_blocks,
        a_script_added, two_divisions_around, classes_without_words_renamed,
    )
}  # fmt: skip


def a_menu_added(html: str) -> str:
    names = ("Home", "News", "Sport", "Culture", "Weather", "Contact")
    links = "".join(f'<li><a href="/{name.lower()}">{name}</a></li>' for name in names)
    return _BODY.sub(lambda m: f'{m[1]}<nav class="menu"><ul>{links}</ul></nav>{m[2]}{m[3]}', html)


def a_cookie_banner_added(html: str) -> str:
    banner = (
        '<div id="cookie-banner" class="cookie-consent" role="dialog"><p>We use cookies to make'
        " this site work and to see how it is used.</p><button>Accept all</button>"
        '<button>Decline</button><a href="/privacy">Privacy policy</a></div>'
    )
    return _BODY.sub(lambda found: f"{found[1]}{found[2]}{banner}{found[3]}", html)


def a_related_list_added(html: str) -> str:
    titles = (
        "Night buses run until two again", "What the tide left on the north beach",
        "The library opens its cellar", "A bridge for walkers is planned",
    )  # fmt: skip
    links = "".join(f'<li><a href="/news/{i}">{title}</a></li>' for i, title in enumerate(titles))
    related = f'<div class="related"><h3>Related stories</h3><ul>{links}</ul></div>'
    return _BODY.sub(lambda found: f"{found[1]}{found[2]}{related}{found[3]}", html)


FURNITURE: Final[dict[str, Change]] = {
    change.__name__: change
    for change in (a_menu_added, a_cookie_banner_added, a_related_list_added)
}


def _each_tag(html: str, change: Callable[[str, str, str], str]) -> str:
    def change_tag(found: re.Match[str]) -> str:
        return change(found[2], found[3], found[4]) if found[3] else found[0]

    return _TOKEN.sub(change_tag, html)


def _between_blocks(html: str, what: str) -> str:
    """Puts something between two tags that both break lines."""
    pieces: list[str] = []
    done, ended = 0, -1
    for found in _TOKEN.finditer(html):
        if not found[3]:
            ended = -1
            continue
        breaks = bool(BLOCKS[CODES.get(found[3], 1)]) and found[3] not in ("html", "head", "body")
        if breaks and found.start() == ended:
            pieces += (html[done:ended], what)
            done = ended
        ended = found.end() if breaks else -1
    return "".join([*pieces, html[done:]])
