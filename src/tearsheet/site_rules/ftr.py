"""Rules in the format of ftr-site-config, which FiveFilters and wallabag share:

    title: //h1[@class='headline']
    body: //div[@id='story']
    strip: //div[contains(@class, 'promo')]
    strip_id_or_class: newsletter

Read are title, body, author, date, strip, strip_id_or_class, strip_image_src, next_page_link and
single_page_link. Directives about other stages (headers, replaced strings, log-ins, tidying, tests)
have no meaning here and are passed over, as other readers of the format do.
"""

from __future__ import annotations

from typing import Final

from tearsheet.site_rules.rules import Place, SiteRules

_FIELDS: Final = {
    "body": "only", "title": "title", "author": "authors", "date": "published", "strip": "drop",
    "strip_id_or_class": "drop", "strip_image_src": "drop", "next_page_link": "next_page",
    "single_page_link": "whole_page",
}  # fmt: skip


def read_rules(text: str, name: str) -> SiteRules:
    """The rules of a file.

    >>> read_rules("body: //main\\nstrip_id_or_class: ad", "example.org.txt").only
    (Place(path='//main', role=''),)
    """
    found: dict[str, list[Place]] = {}
    for line in text.splitlines():
        directive, colon, value = (part.strip() for part in line.partition(":"))
        if colon and value and directive in _FIELDS:
            found.setdefault(_FIELDS[directive], []).append(Place(_as_path(directive, value)))
    return SiteRules(name, "xpath", **{field: tuple(places) for field, places in found.items()})


def _as_path(directive: str, value: str) -> str:
    if directive == "strip_id_or_class":
        words = _quote(value.strip("'\""))
        return f"//*[contains(@class, {words}) or contains(@id, {words})]"
    if directive == "strip_image_src":
        return f"//img[contains(@src, {_quote(value.strip(chr(39) + chr(34)))})]"
    return value


def _quote(text: str) -> str:
    """A string of XPath, which has no escapes.

    >>> _quote("it's")
    '"it\\'s"'
    """
    return f'"{text}"' if "'" in text else f"'{text}'"
