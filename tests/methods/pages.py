"""Small pages for every method: an article with furniture around it, and hostile ones."""

from __future__ import annotations

from typing import Final

SENTENCES: Final = (
    "The lighthouse on the northern cape was built in 1874, after three ships were lost there.",
    "Its keeper wrote a diary, which his granddaughter found in a chest, dry and almost complete.",
    "For eleven winters he noted the weather, the birds, the price of oil, and who came to visit.",
    "Most days nothing happened, he says, and yet no two of his entries are the same.",
)
PARAGRAPHS: Final = tuple(
    " ".join(SENTENCES[(i + j) % len(SENTENCES)] for j in range(3)) for i in range(6)
)
LINKS: Final = ("Home", "News", "Sport", "Weather", "Travel", "Contact", "Imprint", "Log in")


def article() -> str:
    """A page of one article: menu, text, list of links, footer."""
    menu = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in LINKS)
    text = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    more = "".join(f'<li><a href="/more/{i}">Another story number {i}</a></li>' for i in range(8))
    return (
        "<!doctype html><html><head><title>The keeper's diary</title></head><body>"
        f'<div class="menu"><ul>{menu}</ul></div>'
        f'<div class="content"><h1>The keeper\'s diary</h1>{text}</div>'
        f'<div class="sidebar"><h3>Read more</h3><ul>{more}</ul></div>'
        '<div class="footer"><p><a href="/imprint">Imprint</a> © 2026</p></div></body></html>'
    )


HOSTILE: Final = {
    "one word": "<p>Word",
    "only links": "".join(f'<a href="/{i}">link {i}</a> ' for i in range(50)),
    "100,000 nested tags": "<div>" * 100_000 + "deep text, very deep" + "</div>" * 100_000,
    "one endless line": "<p>" + "word " * 100_000,
    "one endless word": "<p>" + "x" * 300_000,
    "10,000 paragraphs": "<p>A short paragraph, and nothing else.</p>" * 10_000,
    "no latin letter": "<p>灯台は岬の北に建てられた。日記は箱の中から見つかった。</p>" * 5,
    "a table of numbers": "<table>" + "<tr><td>1<td>2<td>3" * 200 + "</table>",
    "text outside the body": "<html><body></body></html>trailing text, after the end",
}
