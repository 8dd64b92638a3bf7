"""Drafts become HTML: five templates, each with its columns to the left, right, both or none."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from samples.generator.draft import Block, Draft, Text, link

COLUMNS = ("none", "left", "right", "both")

STYLE = """
body { margin: 0; font: 16px/1.6 "Noto Sans", Arial, sans-serif; color: #222; }
.row { display: flex; gap: 28px; max-width: 1100px; margin: 20px auto; padding: 0 16px; }
.main { flex: 1; min-width: 0; }
.col { width: 220px; font-size: 14px; }
.x7 { margin: 0 0 16px; }
.tools { font-size: 13px; margin: 8px 0; }
.comment { border-top: 1px solid #ddd; padding: 8px 0; font-size: 14px; }
.byline { color: #777; font-size: 13px; }
h1 { font-size: 32px; line-height: 1.2; }
figure { margin: 16px 0; }
"""
THEMES = (
    """
.top { border-bottom: 3px double #222; text-align: center; padding: 14px; }
.top b { font-size: 36px; }
.top ul { display: flex; justify-content: center; gap: 24px; list-style: none; padding: 0; }
body { font-family: "Noto Serif", Georgia, serif; background: #fffdf8; }
figcaption { font-size: 13px; color: #666; }
""",
    """
.top { background: #12344d; color: #fff; display: flex; gap: 40px; padding: 14px 30px; }
.top a { color: #fff; text-decoration: none; }
.top ul { display: flex; gap: 20px; list-style: none; margin: 0; padding: 0; }
.main { background: #fff; padding: 12px 28px; }
body { background: #e9edf0; }
""",
    """
.top { float: left; width: 150px; padding: 16px; background: #f4efe0; }
.row { margin-left: 200px; }
.col { background: #f7f7f7; padding: 10px; }
h1 { color: #a33; font-weight: 400; }
""",
    """
.top { max-width: 1100px; margin: 0 auto; padding: 8px 16px; font-size: 13px; }
.top b { font-size: 22px; }
a { color: #065; }
""",
)
"""The differences between the sites: a masthead, a dark bar, a menu at the left, a plain list."""


def compose(draft: Draft, template: str, columns: str, number: int) -> str:
    """The HTML of one page of the article."""
    main = TEMPLATES[template](draft, number)
    place = page_of_tables if template == "tables" else page_of_boxes
    return document(draft, place(draft, main, columns))


def document(draft: Draft, body: str) -> str:
    language = draft.language
    base = f'<base href="{draft.base}">\n' if draft.base else ""
    style = STYLE + THEMES[draft.id % len(THEMES)]
    head = "\n".join(draft.head)
    foot = "\n".join(draft.foot)
    return (
        f'<!DOCTYPE html>\n<html lang="{language.code}" dir="{language.direction}">\n<head>\n'
        f'<meta charset="utf-8">\n{base}<title>{escape(draft.head_title)}</title>\n'
        f"<style>{style}</style>\n{head}\n</head>\n<body>\n{body}\n{foot}\n</body>\n</html>\n"
    )


# Where the columns stand ------------------------------------------------------------------------


def page_of_boxes(draft: Draft, main: str, columns: str) -> str:
    left = f'<div class="col">{popular(draft)}</div>' if columns in ("left", "both") else ""
    side = "\n".join(draft.side) if draft.side or columns in ("right", "both") else ""
    right = f'<div class="col">{side}{weather(draft)}</div>' if side or columns == "right" else ""
    return f'{banner(draft)}\n<div class="row">{left}<div class="main">{main}</div>{right}</div>'


def page_of_tables(draft: Draft, main: str, columns: str) -> str:
    left = (
        f'<td width="160" valign="top">{popular(draft)}</td>' if columns in ("left", "both") else ""
    )
    side = "\n".join(draft.side)
    right = f'<td width="200" valign="top">{side}{weather(draft)}</td>'
    row = f'<tr>{left}<td valign="top">{main}</td>{right if side or columns != "none" else ""}</tr>'
    return f'{banner(draft)}\n<table width="980" align="center" cellpadding="8">{row}</table>'


def banner(draft: Draft) -> str:
    entries = "".join(
        f"<li>{link('#' + str(i), each)}</li>" for i, each in enumerate(sections(draft))
    )
    name = f"<div><b>{link('/', draft.say('city'))}</b></div>"
    return f'<div class="top">{name}<ul>{entries}</ul></div>'


def sections(draft: Draft) -> list[str]:
    return [draft.say("home"), *draft.language.labels("sections")]


def popular(draft: Draft) -> str:
    entries = "".join(
        f"<li>{link(f'/top/{i}', title)}</li>" for i, title in enumerate(draft.other_titles[:4])
    )
    return f"<h4>{draft.say('popular')}</h4><ul>{entries}</ul>"


def weather(draft: Draft) -> str:
    return f"<div>{draft.language.labels('sections')[4]}: 12°</div>"


# How the article is written ---------------------------------------------------------------------


def semantic(draft: Draft, number: int) -> str:
    top = opening(draft, number)
    body = "\n".join(mark_block(block, "p", "h2") for block in draft.parts[number - 1])
    return (
        f'<article>\n<header>{top}</header>\n<div class="body">{body}</div>\n'
        f"<nav>{draft.pager(number)}</nav>\n</article>\n{closing(draft)}"
    )


def soup(draft: Draft, number: int) -> str:
    body = "\n".join(
        mark_block(block, "div", "div", ' class="x7"') for block in draft.parts[number - 1]
    )
    return (
        f'<div class="q1"><div class="q2">{opening(draft, number)}</div>\n'
        f'<div class="q3">{body}</div>\n'
        f'<div class="q4">{draft.pager(number)}</div></div>\n{closing(draft)}'
    )


def tables(draft: Draft, number: int) -> str:
    rows = "\n".join(
        f"<tr><td>{mark_block(block, 'p', 'h3')}</td></tr>" for block in draft.parts[number - 1]
    )
    return (
        f"{opening(draft, number)}\n<table>{rows}</table>\n{draft.pager(number)}\n{closing(draft)}"
    )


def breaks(draft: Draft, number: int) -> str:
    """Paragraphs are not marked at all; empty lines part them."""
    pieces = [
        block.html if not isinstance(block, Text)
        else f"<b>{escape(block.text)}</b><br>" if block.kind == "h2"
        else f"{escape(block.text)}<br><br>"
        for block in draft.parts[number - 1]
    ]  # fmt: skip
    text = "\n".join(pieces)
    return f"{opening(draft, number)}\n<div>{text}</div>\n{draft.pager(number)}\n{closing(draft)}"


def blog(draft: Draft, number: int) -> str:
    body = "\n".join(mark_block(block, "p", "h3") for block in draft.parts[number - 1])
    return (
        f'<div id="post-{draft.id}" class="post hentry">{opening(draft, number)}\n'
        f'<div class="entry-content">{body}\n{draft.pager(number)}</div></div>\n{closing(draft)}'
    )


def opening(draft: Draft, number: int) -> str:
    """The markup before the text: a lead picture, the title, the byline, the tools."""
    lead = draft.lead.html if draft.lead and number == 1 else ""
    date = f'<time datetime="{draft.published}">{draft.published}</time>'
    author = f'{draft.say("by")} <span class="author">{draft.author}</span>'
    byline = f'<div class="byline">{author} {date}</div>'
    above, tools = "\n".join(draft.above), "\n".join(draft.tools)
    return f'{above}\n{lead}\n{draft.title_html}\n{byline}\n<div class="tools">{tools}</div>'


def closing(draft: Draft) -> str:
    return "\n".join(draft.below)


def mark_block(block: Block, paragraph: str, title: str, attributes: str = "") -> str:
    if not isinstance(block, Text):
        return block.html
    if block.kind == "h2":
        return f"<{title}{attributes}><b>{escape(block.text)}</b></{title}>"
    return f"<{paragraph}{attributes}>{escape(block.text)}</{paragraph}>"


TEMPLATES: dict[str, Callable[[Draft, int], str]] = {
    each.__name__: each for each in (semantic, soup, tables, breaks, blog)
}
