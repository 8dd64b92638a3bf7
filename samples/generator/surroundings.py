"""Titles and what surrounds an article: each function fills the draft's slots."""

from __future__ import annotations

import json
from html import escape

from samples.generator.draft import Draft, Feature, Raw, link

# Titles: how the headline is shown, and what the document's head says of it ---------------------


def heading(draft: Draft) -> None:
    show_title(draft, f"<h1>{escape(draft.title)}</h1>", f"{draft.title} | {draft.say('city')}")


def site_name_first(draft: Draft) -> None:
    show_title(draft, f"<h1>{escape(draft.title)}</h1>", f"{draft.say('city')} - {draft.title}")


def with_section(draft: Draft) -> None:
    section = draft.language.labels("sections")[2]
    head = f"{draft.title} – {section} – {draft.say('city')}"
    show_title(draft, f"<h1>{escape(draft.title)}</h1>", head)


def title_alone(draft: Draft) -> None:
    show_title(draft, f'<h1 class="headline">{escape(draft.title)}</h1>', draft.title)


def in_second_heading(draft: Draft) -> None:
    """The site has the h1, and it is larger."""
    draft.above.insert(0, f'<h1 style="font-size:48px">{draft.say("city")}</h1>')
    show_title(draft, f"<h2>{escape(draft.title)}</h2>", f"{draft.title} :: {draft.say('city')}")


def hidden_heading(draft: Draft) -> None:
    hidden = f'<h1 style="display:none">{draft.say("city")}: {draft.say("home")}</h1>'
    shown = f'{hidden}<div class="t1" style="font-size:30px"><b>{escape(draft.title)}</b></div>'
    show_title(draft, shown, f"{draft.title} | {draft.say('city')}")


def large_text(draft: Draft) -> None:
    shown = f'<font size="6"><b>{escape(draft.title)}</b></font><br>'
    show_title(draft, f"<div>{shown}</div>", f"{draft.title} - {draft.say('city')}")


def head_names_the_site_only(draft: Draft) -> None:
    show_title(draft, f"<h1>{escape(draft.title)}</h1>", draft.say("city"))


def graph_title_with_site(draft: Draft) -> None:
    content = escape(f"{draft.title} | {draft.say('city')}")
    draft.head.append(f'<meta property="og:title" content="{content}">')
    show_title(draft, f"<h1>{escape(draft.title)}</h1>", f"{draft.title} | {draft.say('city')}")


def show_title(draft: Draft, shown: str, in_head: str) -> None:
    draft.title_html, draft.head_title = shown, in_head


# Metadata: where the author and the date are to be found, beside the byline ---------------------


def byline_alone(draft: Draft) -> None:
    """Nothing but what the page shows."""


def meta_elements(draft: Draft) -> None:
    draft.head.append(f'<meta name="author" content="{draft.author}">')
    draft.head.append(f'<meta property="article:published_time" content="{draft.published}">')


def linked_data(draft: Draft) -> None:
    data = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": draft.title,
        "author": {"@type": "Person", "name": draft.author},
        "datePublished": draft.published,
    }
    script = json.dumps(data, ensure_ascii=False)
    draft.head.append(f'<script type="application/ld+json">{script}</script>')


# Noise and layout traps -------------------------------------------------------------------------


def quiet(draft: Draft) -> None:
    """Nothing special."""


def cookie_bar(draft: Draft) -> None:
    style = "position:fixed;left:0;right:0;bottom:0;background:#ffd;padding:12px"
    text = f"{draft.say('cookies')} <button>{draft.say('accept')}</button>"
    draft.foot.append(f'<div id="cookies" style="{style}">{text}</div>')


def pop_up(draft: Draft) -> None:
    style = "position:fixed;top:120px;left:300px;width:420px;background:#fff;border:2px solid"
    draft.foot.append(f'<div style="{style}"><p>{draft.say("subscribe")}</p></div>')


def menu_far_outside(draft: Draft) -> None:
    entries = "".join(f"<li>{link('#', each)}</li>" for each in draft.language.labels("sections"))
    style = "position:absolute;left:-9999px;top:0"
    draft.above.append(f'<div style="{style}"><ul>{entries}</ul></div>')


def panel_behind_text(draft: Draft) -> None:
    style = "position:absolute;z-index:-1;width:300px;height:400px"
    draft.tools.append(f'<div style="{style}">{draft.say("share")}</div>')


def frame_of_comments(draft: Draft) -> None:
    address = draft.serve(draft.at("/frame/comments"), draft.say("comments"), [draft.say("login")])
    draft.below.append(f'<iframe src="{address}" width="600" height="300"></iframe>')


def dead_resources(draft: Draft) -> None:
    """Addresses that never answer, so nobody may wait for the load event."""
    draft.head.append('<link rel="stylesheet" href="https://dead.invalid/site.css">')
    draft.foot.append('<script async src="https://dead.invalid/count.js"></script>')


def many_comments(draft: Draft) -> None:
    texts = [draft.language.paragraph(draft.chance, 1, 3) for _ in range(150)]
    entries = "".join(
        f'<div class="comment"><b>user{n}</b><p>{text}</p></div>' for n, text in enumerate(texts)
    )
    draft.below.append(f'<div id="comments"><h3>{draft.say("comments")}</h3>{entries}</div>')


def suggested_read(draft: Draft) -> None:
    address, title = draft.other_story()
    between(draft, f"<p><b>{draft.say('related')}:</b> {link(address, title)}</p>")


def related_cards(draft: Draft) -> None:
    cards = "".join(f"<li>{link(*draft.other_story())}</li>" for _ in range(3))
    between(draft, f'<div class="rel"><h4>{draft.say("related")}</h4><ul>{cards}</ul></div>')


def advertisement(draft: Draft) -> None:
    picture = f'<img src="{draft.picture(300, 250)}" width="300" height="250">'
    between(draft, f'<div class="promo"><small>{draft.say("ad")}</small><br>{picture}</div>')


def between(draft: Draft, html: str) -> None:
    """Puts noise between the paragraphs of the page."""
    part = draft.parts[draft.number - 1]
    part.insert(draft.chance.randint(1, max(1, len(part) - 1)), Raw(html))


TITLES: tuple[Feature, ...] = (
    heading, site_name_first, with_section, title_alone, in_second_heading, hidden_heading,
    large_text, head_names_the_site_only, graph_title_with_site,
)  # fmt: skip
METADATA: tuple[Feature, ...] = (byline_alone, meta_elements, linked_data)
NOISE: tuple[Feature, ...] = (
    quiet, cookie_bar, pop_up, menu_far_outside, panel_behind_text, frame_of_comments,
    dead_resources, many_comments, suggested_read, related_cards, advertisement,
)  # fmt: skip
