"""MathML → Typst's formula language. Names come from a closed list; all else is quoted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tearsheet.layout._markup import mathml_from_tex

_DEEPEST: Final = 40
_LONGEST: Final = 20_000
_ACCENTS: Final = {
    "^": "\\^", "ˆ": "\\^", "~": "\\~", "˜": "\\~", "¯": "macron", "‾": "macron", "―": "macron",
    "_": "macron", "→": "arrow", "⃗": "arrow", "˙": "dot", ".": "dot", "¨": "dot.double",
}  # fmt: skip
_OPENING, _CLOSING = frozenset("([{⟨⌈⌊"), frozenset(")]}⟩⌉⌋")
_TALL: Final = frozenset("mfrac mtable munderover msqrt mroot munder".split())
_SPACES: Final = "\u2061\u2062\u2063\u2064\u200b"


def typst(tex: str, mathml: str = "") -> str:
    """A formula as Typst writes it; empty if it cannot be written so.

    >>> typst("", "<math><mfrac><mn>1</mn><mi>x</mi></mfrac></math>")
    'frac(1, x)'
    """
    source = mathml or mathml_from_tex(tex)
    if not source or len(source) > _LONGEST or "<mtext>" + tex in source:
        return ""
    try:
        return _write(ElementTree.fromstring(source), 0)  # noqa: S314  our own XML, checked
    except (ElementTree.ParseError, RecursionError):
        return ""


def _write(node: Element, depth: int) -> str:
    if depth > _DEEPEST:
        return _quote_text(" ".join(node.itertext()))
    name = _local_name(node)
    if not len(node):
        return _write_token(name, (node.text or "").strip())
    parts = [_write(child, depth + 1) or '""' for child in node]
    writer = _WRITERS.get(name)
    if writer is not None:
        return writer(parts, node)
    return _write_grown_row(parts, node)


def _write_grown_row(parts: list[str], node: Element) -> str:
    """A row; brackets in it grow with what they enclose."""
    written: list[str] = []
    open_: list[tuple[int, bool]] = []  # where a bracket opens, and whether something tall is in it
    for part, child in zip(parts, node):
        sign = _bracket_sign(child)
        if sign in _OPENING:
            open_.append((len(written), False))
        elif open_ and sign not in _CLOSING and any(_local_name(n) in _TALL for n in child.iter()):
            open_[-1] = (open_[-1][0], True)
        written.append(part)
        if sign in _CLOSING and open_:
            start, tall = open_.pop()
            if tall:
                written[start:] = [f"lr({' '.join(written[start:])})"]
    for start, tall in reversed(open_):
        if tall:  # a brace before cases has no partner
            written[start:] = [f"lr({' '.join(written[start:])})"]
    return " ".join(written)


def _local_name(node: Element) -> str:
    return node.tag.rpartition("}")[2]


def _bracket_sign(node: Element) -> str:
    """The sign of a bracket that may grow; "-" for all else."""
    grows = _local_name(node) == "mo" and node.get("stretchy") != "false"
    return (node.text or "").strip() or "-" if grows else "-"


def _write_token(name: str, text: str) -> str:
    text = text.strip(_SPACES)
    if not text:
        return "space" if name == "mspace" else ""
    if name in ("mtext", "ms"):
        return _quote_text(text)
    if name == "mn":
        return text if text.isascii() and text.replace(".", "", 1).isdigit() else _quote_text(text)
    if len(text) == 1:
        return _write_sign(text)
    if name == "mi" and text.isascii() and text.isalpha():
        return f"op({_quote_text(text)})"
    return (
        _quote_text(text)
        if any(sign.isalnum() for sign in text)
        else "".join(map(_write_sign, text))
    )


def _write_sign(sign: str) -> str:
    """One letter or sign; ASCII signs mean something in Typst and are escaped."""
    if sign.isascii():
        return sign if sign.isalnum() else "\\" + sign
    return sign if ord(sign) < 0x2E80 or 0x1D400 <= ord(sign) <= 0x1D7FF else _quote_text(sign)


def _quote_text(text: str) -> str:
    folded = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{folded}"'


def _write_call(name: str, count: int) -> Callable[[list[str], Element], str]:
    def write(parts: list[str], node: Element) -> str:
        return f"{name}({', '.join(parts)})" if len(parts) == count else " ".join(parts)

    return write


def _write_root(parts: list[str], node: Element) -> str:
    return f"root({parts[1]}, {parts[0]})" if len(parts) == 2 else " ".join(parts)


def _write_square_root(parts: list[str], node: Element) -> str:
    return f"sqrt({' '.join(parts)})"


def _write_attached(*places: str) -> Callable[[list[str], Element], str]:
    def write(parts: list[str], node: Element) -> str:
        if len(parts) != len(places) + 1:
            return " ".join(parts)
        given = "".join(f", {place}: {part}" for place, part in zip(places, parts[1:]))
        return f"attach({parts[0]}{given})"

    return write


def _write_limits(*places: str) -> Callable[[list[str], Element], str]:
    def write(parts: list[str], node: Element) -> str:
        if len(parts) != len(places) + 1:
            return " ".join(parts)
        sign = (node[1].text or "").strip()
        if places == ("t",) and sign in _ACCENTS:
            return f"accent({parts[0]}, {_ACCENTS[sign]})"
        given = "".join(f", {place}: {part}" for place, part in zip(places, parts[1:]))
        return f"attach(limits({parts[0]}){given})"

    return write


def _write_table(parts: list[str], node: Element) -> str:
    return f"mat(delim: #none, {'; '.join(parts)})"


def _write_row(parts: list[str], node: Element) -> str:
    return ", ".join(parts)


def _write_fenced(parts: list[str], node: Element) -> str:
    start, end = node.get("open", "(")[:1], node.get("close", ")")[:1]
    inner = r" \, ".join(parts)
    return f"{_write_sign(start) if start else ''} {inner} {_write_sign(end) if end else ''}"


_WRITERS: Final[Mapping[str, Callable[[list[str], Element], str]]] = {
    "mfrac": _write_call("frac", 2),
    "msqrt": _write_square_root,
    "mroot": _write_root,
    "msup": _write_attached("t"),
    "msub": _write_attached("b"),
    "msubsup": _write_attached("b", "t"),
    "munder": _write_limits("b"),
    "mover": _write_limits("t"),
    "munderover": _write_limits("b", "t"),
    "mtable": _write_table,
    "mtr": _write_row,
    "mfenced": _write_fenced,
}
