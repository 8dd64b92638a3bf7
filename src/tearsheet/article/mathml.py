"""MathML → TeX, for formulas that come without their source."""

from __future__ import annotations

from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

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
