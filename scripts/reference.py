"""An extension of griffe: the reference shows doctests as code, and options with their own words.

- a doctest in a docstring becomes a block of code; in Markdown, `>>>` would be a quote;
- a field of `Options` shows the value of its default, and its help, not the call that declares it.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

from tearsheet.types import OptionInfo, option_fields

_DOCTEST = re.compile(r"^>>> .*(?:\n(?!\n).*)*", re.M)


def fence_doctests(text: str) -> str:
    """The docstring with each doctest as a block of code.

    >>> fence_doctests("One.\\n\\n>>> 1 + 1\\n2")
    'One.\\n\\n```pycon\\n>>> 1 + 1\\n2\\n```'
    """
    return _DOCTEST.sub(lambda found: f"```pycon\n{found[0]}\n```", text)


class Reference(griffe.Extension):
    """Changes what was read from the source before it is shown."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = fence_doctests(obj.docstring.value)

    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: Any) -> None:
        call = attr.value
        if not isinstance(call, griffe.ExprCall) or str(call.function) != "_option":
            return
        _, default, info = option_fields("clipping", "document", "library")[attr.name]
        attr.value = repr(default)
        more = attr.docstring.value if attr.docstring else ""
        attr.docstring = griffe.Docstring(f"{describe(default, info)}. {more}".strip(), parent=attr)


def describe(default: object, info: OptionInfo) -> str:
    """The help of an option as a sentence, without its full stop."""
    if default is True:  # the command has `--no-captions`: "leave out the captions of pictures"
        return f"Include {info.help}"
    if info.suggestions:
        return f"One of {info.help}"
    return f"{info.help[:1].upper()}{info.help[1:]}"
