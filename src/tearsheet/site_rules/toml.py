"""Our own format of site rules:

    only = ["//div.story"]                       # the text is in here, and nowhere else
    keep = ["//section.recipe"]                  # text, too
    drop = ["//aside.related", {path = "//div.box", role = "advertisement"}]
    title = "//h1.headline"
    authors = "//span.byline"
    published = "//time.day"
    next_page = "//a.next"                       # links
    whole_page = "//a.single-page"

All are optional. A path is one of `store.nodes`: steps of a tag with `#id` and `.class`.
"""

from __future__ import annotations

import tomllib
from typing import Any, Final

from tearsheet.errors import InvalidOption
from tearsheet.site_rules.rules import Place, SiteRules
from tearsheet.store.nodes import BadPath, parse_path
from tearsheet.types import ROLES

_NAMES: Final = (
    "only", "keep", "drop", "title", "authors", "published", "next_page", "whole_page",
)  # fmt: skip


def read_rules(text: str, name: str) -> SiteRules:
    """The rules of a file; raises InvalidOption if one cannot be read.

    >>> read_rules('drop = ["//aside.related"]', "example.org.toml").drop
    (Place(path='//aside.related', role=''),)
    """
    try:
        values = tomllib.loads(text)
        unknown = ", ".join(sorted(values.keys() - set(_NAMES)))
        if unknown:
            raise ValueError(f"no rule is called {unknown}; there are: {', '.join(_NAMES)}")
        places: dict[str, Any] = {key: _read_places(value) for key, value in values.items()}
        return SiteRules(name, **places)
    except (ValueError, BadPath) as error:
        allowed = f"rules as docs/site-rules.md shows them ({error})"
        raise InvalidOption("rules", name, allowed) from None


def _read_places(value: Any) -> tuple[Place, ...]:
    return tuple(_read_place(one) for one in (value if isinstance(value, list) else [value]))


def _read_place(value: Any) -> Place:
    given = {"path": value} if isinstance(value, str) else value
    if not isinstance(given, dict) or not {"path"} <= given.keys() <= {"path", "role"}:
        raise ValueError(f"{value!r} is neither a path nor a table of path and role")
    place = Place(**given)
    parse_path(place.path)
    if place.role and place.role not in ROLES:
        raise ValueError(f"no role '{place.role}'; there are: {', '.join(ROLES)}")
    return place
