"""MathML: the elements that a document may contain, and a formula's TeX where the page gives
none."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

ELEMENTS: Final = frozenset(
    "math mrow mi mo mn ms mtext mspace msup msub msubsup mfrac msqrt mroot mover munder "
    "munderover mtable mtr mtd mlabeledtr mfenced menclose mpadded mphantom mstyle mmultiscripts "
    "mprescripts none merror".split()
)
"""The elements that draw, without those that link, act, show a picture or contain HTML."""
ATTRIBUTES: Final = frozenset(
    "accent accentunder close columnalign columnlines columnspacing columnspan depth display "
    "displaystyle fence form height largeop linebreak linethickness lspace mathbackground "
    "mathcolor mathsize mathvariant maxsize minsize movablelimits notation open rowlines "
    "rowspacing rowspan rspace scriptlevel separator separators stretchy voffset width".split()
)
"""The attributes that say how a formula is drawn."""

NAMESPACE: Final = "http://www.w3.org/1998/Math/MathML"
_DEEPEST: Final = 60
_FUNCTIONS: Final = frozenset(
    "sin cos tan cot sec csc log ln exp lim max min sup inf det dim ker arg gcd".split()
)
_SYMBOLS: Final = {
    "−": "-", "×": r"\times", "·": r"\cdot", "⋅": r"\cdot", "÷": r"\div", "±": r"\pm",
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "≈": r"\approx", "≡": r"\equiv", "∼": r"\sim",
    "→": r"\to", "←": r"\gets", "⇒": r"\Rightarrow", "⇔": r"\Leftrightarrow", "↦": r"\mapsto",
    "∈": r"\in", "∉": r"\notin", "⊂": r"\subset", "⊆": r"\subseteq", "∪": r"\cup", "∩": r"\cap",
    "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∮": r"\oint", "∂": r"\partial", "∇": r"\nabla",
    "∞": r"\infty", "∀": r"\forall", "∃": r"\exists", "¬": r"\neg", "∧": r"\land", "∨": r"\lor",
    "…": r"\dots", "⋯": r"\cdots", "′": "'", "⟨": r"\langle", "⟩": r"\rangle", "∝": r"\propto",
    "{": r"\{", "}": r"\}", "%": r"\%", "#": r"\#", "&": r"\&", "$": r"\$", "_": r"\_",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon",
    "ϵ": r"\epsilon", "ζ": r"\zeta", "η": r"\eta", "θ": r"\theta", "κ": r"\kappa",
    "λ": r"\lambda", "μ": r"\mu", "ν": r"\nu", "ξ": r"\xi", "π": r"\pi", "ρ": r"\rho",
    "σ": r"\sigma", "τ": r"\tau", "φ": r"\varphi", "ϕ": r"\phi", "χ": r"\chi", "ψ": r"\psi",
    "ω": r"\omega", "Γ": r"\Gamma", "Δ": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda",
    "Π": r"\Pi", "Σ": r"\Sigma", "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega", "ℏ": r"\hbar",
    "\u2061": "", "\u2062": "", "\u2063": ",", "\u2064": "+",
}  # fmt: skip


def clean_mathml(source: str) -> str:
    """The MathML with only the elements that draw; empty if it is not MathML.

    >>> clean_mathml("<math><mi onclick='x'>a</mi><script>1</script></math>")
    '<math><mi>a</mi></math>'
    """
    if "<!" in source or "<?" in source:  # no entities
        return ""
    try:
        return write_mathml(ElementTree.fromstring(source))  # noqa: S314  without DTD, so no entities
    except (ElementTree.ParseError, ValueError):  # ValueError: characters without an encoding
        return ""


def write_mathml(root: Element) -> str:
    """The element `math`, with the elements that draw in it, as XML; empty for any other
    element."""
    if _local_name(root) != "math":
        return ""
    parts: list[str] = []
    waiting: list[Element | str] = [root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        name = _local_name(item)
        if name in ELEMENTS:
            parts.append(f"<{name}{write_attributes(item.attrib)}>")
            waiting.append(f"</{name}>")
        elif name != "semantics":
            continue
        parts.append(escape(item.text or "", quote=False))
        for child in reversed(item):
            waiting += (escape(child.tail or "", quote=False), child)
    return "".join(parts)


def write_attributes(attributes: Mapping[str, str]) -> str:
    """The attributes that draw, as markup."""
    return "".join(
        f' {name}="{escape(value)}"' for name, value in attributes.items() if name in ATTRIBUTES
    )


def _local_name(node: Element) -> str:
    """The name of an element of MathML; empty for any other."""
    name = str(node.tag).removeprefix(f"{{{NAMESPACE}}}")
    return "" if "}" in name else name


def to_tex(mathml: str) -> str:
    r"""The formula in TeX.

    >>> to_tex("<math><mfrac><mn>1</mn><msqrt><mi>x</mi></msqrt></mfrac></math>")
    '\\frac{1}{\\sqrt{x}}'
    """
    if not mathml:
        return ""
    return " ".join(_write_tex(ElementTree.fromstring(mathml), 0).split())  # noqa: S314  our own XML


def _write_tex(node: Element, depth: int) -> str:
    if depth > _DEEPEST:
        return " ".join(node.itertext())
    if not len(node):
        return _write_token(node)
    parts = [_write_tex(child, depth + 1) for child in node]
    count, template = _TEMPLATES.get(node.tag, (0, ""))
    if count == len(parts):
        return template.format(*parts)
    if node.tag == "msqrt":
        return rf"\sqrt{{{' '.join(parts)}}}"
    if node.tag == "mtr":
        return " & ".join(parts)
    if node.tag == "mtable":
        inner = r" \\ ".join(parts)
        return rf"\begin{{matrix}} {inner} \end{{matrix}}"
    if node.tag == "mfenced":
        inner = ", ".join(parts)
        return rf"\left{node.get('open', '(')} {inner} \right{node.get('close', ')')}"
    return " ".join(parts)


def _write_token(node: Element) -> str:
    text = (node.text or "").strip()
    if node.tag == "mtext":
        return rf"\text{{{text}}}" if text else " "
    if node.tag == "mspace":
        return " "
    if text in _SYMBOLS:
        return _SYMBOLS[text]
    if text in _FUNCTIONS:
        return "\\" + text
    if node.tag == "mi" and len(text) > 1:
        return rf"\mathrm{{{text}}}"
    return text


_TEMPLATES: Final = {
    "mfrac": (2, r"\frac{{{0}}}{{{1}}}"), "msup": (2, "{{{0}}}^{{{1}}}"),
    "msub": (2, "{{{0}}}_{{{1}}}"), "msubsup": (3, "{{{0}}}_{{{1}}}^{{{2}}}"),
    "mover": (2, r"\overset{{{1}}}{{{0}}}"), "munder": (2, "{{{0}}}_{{{1}}}"),
    "munderover": (3, "{{{0}}}_{{{1}}}^{{{2}}}"), "mroot": (2, r"\sqrt[{1}]{{{0}}}"),
}  # fmt: skip
