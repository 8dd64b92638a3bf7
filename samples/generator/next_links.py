"""Next links: every form of a true pager, those that are hard to see, and those that are none.

A true one sets the addresses of the article's pages (`page_urls`) and the pager of each page; the
truth's `next_url` follows from them. A trap leaves the article with one page.
"""

from __future__ import annotations

from html import escape
from urllib.parse import urlsplit

from samples.generator.draft import Draft, Feature, Text, lines_of, link, path_of

# True ones ------------------------------------------------------------------------------------


def numbers_in_path(draft: Draft) -> None:
    paginate(draft, "path")
    draft.pager = lambda number: wrap(draft, numbers(draft, number))


def numbers_in_query(draft: Draft) -> None:
    paginate(draft, "query")
    draft.pager = lambda number: wrap(draft, numbers(draft, number))


def numbers_with_fragment(draft: Draft) -> None:
    """The links jump to the text, past the banner."""
    paginate(draft, "query")
    draft.pager = lambda number: wrap(draft, numbers(draft, number, "#text"))


def numbers_and_word(draft: Draft) -> None:
    paginate(draft, draft.chance.choice(("path", "query")))
    draft.pager = lambda number: wrap(
        draft,
        back(draft, number) + numbers(draft, number) + forth(draft, number, word(draft, number)),
    )


def word_alone(draft: Draft) -> None:
    paginate(draft, draft.chance.choice(("path", "query")))
    draft.pager = lambda number: wrap(
        draft, back(draft, number) + forth(draft, number, word(draft, number))
    )


def arrow(draft: Draft) -> None:
    paginate(draft, draft.chance.choice(("path", "query")))
    sign = draft.chance.choice(("›", "»", "→", "&gt;"))
    draft.pager = lambda number: wrap(draft, numbers(draft, number) + forth(draft, number, sign))


def arrow_image(draft: Draft) -> None:
    paginate(draft, "path")
    picture = path_of(draft.picture(20, 20, draft.at("/img/right.gif")))
    alt = escape(draft.language.labels("next")[1])
    shape = f'<img src="{picture}" width="20" height="20" alt="{alt}">'
    draft.pager = lambda number: wrap(draft, numbers(draft, number) + forth(draft, number, shape))


def rel_next(draft: Draft) -> None:
    paginate(draft, draft.chance.choice(("path", "query")))
    draft.pager = lambda number: wrap(
        draft,
        numbers(draft, number) + forth(draft, number, draft.language.labels("next")[0], "rel=next"),
    )


def view_all_beside(draft: Draft) -> None:
    paginate(draft, "query")
    whole = draft.at(f"/all/{draft.id}")
    draft.serve(whole, draft.title, article_text(draft))
    everything = [link(whole, draft.say("all"), "class=all")]
    draft.pager = lambda number: wrap(draft, numbers(draft, number) + everything)


# Hard to see ----------------------------------------------------------------------------------


def continued_elsewhere(draft: Draft) -> None:
    first = draft.page_urls[0]
    after = draft.at(f"/continued/{draft.chance.randint(100, 999)}/{draft.id}.html")
    spread(draft, [first, after])
    draft.pager = lambda number: wrap(draft, forth(draft, number, draft.say("continued")))


def number_in_mid_path(draft: Draft) -> None:
    pages = [draft.at(f"/story-{draft.id}-p{10 * n}/read.html") for n in (1, 2, 3)]
    spread(draft, pages)
    draft.pager = lambda number: wrap(draft, numbers(draft, number))


def zero_based(draft: Draft) -> None:
    first = draft.at(f"/node/{draft.id}")
    spread(draft, [first, f"{first}?page=0,1", f"{first}?page=0,2"])
    draft.pager = lambda number: wrap(draft, numbers(draft, number))


def labels_one_less(draft: Draft) -> None:
    """The file of page 1 has a 2 in its name, that of page 2 a 3."""
    spread(draft, [draft.at(f"/long/{draft.id}-{n}.html") for n in (2, 3, 4)])
    draft.pager = lambda number: wrap(draft, numbers(draft, number))


def only_the_number(draft: Draft) -> None:
    paginate(draft, "path", pages=2)
    draft.pager = lambda number: wrap(draft, forth(draft, number, str(number + 1)))


def older_posts_to_the_left(draft: Draft) -> None:
    """A listing, whose next page holds older entries: its arrow points back."""
    draft.page_type, draft.title = "listing", draft.language.labels("sections")[1]
    spread(draft, [draft.at("/blog/"), draft.at("/blog/page/2/"), draft.at("/blog/page/3/")])
    for part in draft.parts:
        lines = [Text(draft.other_title(), "h2") for _ in range(4)]
        part[:] = [
            x for line in lines for x in (line, Text(draft.language.paragraph(draft.chance)))
        ]
    draft.pager = lambda number: wrap(draft, forth(draft, number, f"« {draft.say('older')}"))


def pager_beside_next_story(draft: Draft) -> None:
    paginate(draft, "path")
    address, title = draft.other_story()
    draft.head.append(f'<link rel="next" href="{address}">')
    story = f"<p>{link(address, f'{title} »', 'rel=next')}</p>"
    draft.pager = lambda number: wrap(draft, numbers(draft, number)) + story


def last_page_arrow(draft: Draft) -> None:
    """`>` is the next page; `>|` or `>>` is the last one."""
    paginate(draft, "query")
    sign = draft.chance.choice(("&gt;|", "&gt;&gt;"))

    def pager(number: int) -> str:
        last = link(path_of(draft.page_urls[-1]), sign)
        return wrap(draft, [*forth(draft, number, "&gt;"), last])

    draft.pager = pager


# None -----------------------------------------------------------------------------------------


def no_pager(draft: Draft) -> None:
    """An article of one page."""


def next_post(draft: Draft) -> None:
    older, newer = draft.other_story(), draft.other_story()
    draft.head.append(f'<link rel="next" href="{newer[0]}">')
    back_link = link(older[0], f"← {older[1]}", "rel=prev")
    draft.below.append(f"<p>{back_link} {link(newer[0], f'{newer[1]} →', 'rel=next')}</p>")


def next_story_word(draft: Draft) -> None:
    address, _ = draft.other_story()
    draft.below.append(f"<p>{link(address, draft.say('next_story'), 'class=next')} »</p>")


def post_number_like_page(draft: Draft) -> None:
    draft.page_urls = [draft.at("/?p=2904")]
    address, _ = draft.other_story(draft.at("/?p=2905"))
    draft.below.append(f"<p>{link(address, draft.language.labels('next')[0], 'rel=next')} »</p>")


def other_series(draft: Draft) -> None:
    draft.title = f"{draft.title} (3)"
    address, title = draft.other_story(title=f"{draft.other_title()} (4)")
    draft.below.append(f"<p>{link(address, title)} &gt;</p>")


def rel_next_on_previous(draft: Draft) -> None:
    address, _ = draft.other_story()
    draft.below.append(f"<p>{link(address, '« ' + draft.say('previous'), 'rel=next')}</p>")


def teaser_box(draft: Draft) -> None:
    teasers = "".join(f"<li>{link(*draft.other_story())}</li>" for _ in range(3))
    pages = " ".join(link(own(draft, f"teasers={n}"), str(n)) for n in (2, 3))
    draft.side.append(f'<div class="teasers"><ul>{teasers}</ul><div>1 {pages}</div></div>')


def gallery(draft: Draft) -> None:
    picture = f'<img src="{path_of(draft.picture(240, 160))}" width="240" height="160">'
    after = link(own(draft, "start=2"), "›", "class=next")
    draft.side.append(f'<div class="gallery">{picture}<div>1 / 9 {after}</div></div>')


def reviews(draft: Draft) -> None:
    entries = " ".join(link(own(draft, f"reviews={n}"), str(n)) for n in (2, 3, 4))
    more = link(own(draft, "reviews=2"), draft.language.labels("next")[0])
    remarks(draft, f"<div>1 {entries} {more}</div>")


def comment_pages(draft: Draft) -> None:
    base = draft.page_urls[0].partition("?")[0].rstrip("/")
    address = f"{base}/comment-page-2/#comments"
    draft.serve(address, draft.title, [draft.language.paragraph(draft.chance)])
    remarks(
        draft,
        f"<div>1 {link(address, '2')} {link(address, draft.language.labels('next')[0])}</div>",
    )


def calendar(draft: Draft) -> None:
    days = "".join(f"<td>{link(draft.at(f'/2026/03/{d:02}/'), str(d))}</td>" for d in range(1, 8))
    after = link(draft.at("/2026/04/"), "»")
    draft.side.append(f"<table><tr>{days}</tr><tr><td>{after}</td></tr></table>")


def ratings(draft: Draft) -> None:
    stars = " ".join(link(own(draft, f"rate={n}"), str(n)) for n in range(1, 6))
    draft.below.append(f'<div class="rating">{stars}</div>')


def counts(draft: Draft) -> None:
    draft.tools.append(link(own(draft, "view=comments"), "2") + f" {draft.say('comments')}")


def page_sizes(draft: Draft) -> None:
    sizes = " ".join(link(own(draft, f"size={n}"), str(n)) for n in (10, 25, 50))
    remarks(draft, f"<div>{sizes}</div>")


def footnotes(draft: Draft) -> None:
    notes = " ".join(link(f"#note{n}", str(n)) for n in (1, 2, 3))
    draft.below.append(f'<div class="notes">{notes}</div>')


def section_named_page_two(draft: Draft) -> None:
    label = draft.say("page").format(2)
    draft.above.append(f"<p>{link(draft.at('/page2/'), label)}</p>")


def show_all_as_next(draft: Draft) -> None:
    address = draft.serve(draft.at("/stories/"), draft.say("popular"), [draft.say("more")])
    draft.below.append(f"<p>{link(address, draft.say('all'), 'class=next')}</p>")


def pages_by_fragment(draft: Draft) -> None:
    """The whole text is here; a script shows a part of it at a time."""
    pages = " ".join(link(f"#page-{n}", str(n), "data-page") for n in (2, 3))
    draft.head.append(f'<link rel="next" href="{escape(own(draft, "view=2"))}">')
    draft.below.append(f'<div class="pages">1 {pages}</div>')


# Shared parts ------------------------------------------------------------------------------


def paginate(draft: Draft, style: str, pages: int = 3) -> None:
    """Spreads the article over addresses numbered in this style."""
    first = draft.page_urls[0]
    spread(draft, [first, *(number_address(first, n, style) for n in range(2, pages + 1))])


def number_address(first: str, number: int, style: str) -> str:
    """The address of a further page: `…-2.html`, `…/2/`, `…?page=2`."""
    if style == "query":
        return f"{first}{'&' if '?' in first else '?'}page={number}"
    if urlsplit(first).query:
        return f"{first}&seite={number}"
    stem, dot, extension = first.rpartition(".")
    if dot and extension in ("html", "htm"):
        return f"{stem}-{number}.{extension}"
    return f"{first.rstrip('/')}/{number}/"


def spread(draft: Draft, addresses: list[str]) -> None:
    """Gives the article as many pages as there are addresses; the draft is one of them."""
    draft.page_urls = addresses
    while len(draft.parts) < len(addresses):
        lines = [Text(draft.language.paragraph(draft.chance)) for _ in range(4)]
        draft.parts.append(list(lines))
    last = len(addresses)
    draft.number = draft.chance.choice((1, 1, 1, 1, *range(1, last + 1)))


def numbers(draft: Draft, number: int, fragment: str = "") -> list[str]:
    found = []
    for other, address in enumerate(draft.page_urls, start=1):
        leads_to = path_of(address) + fragment
        found.append(f"<b>{other}</b>" if other == number else link(leads_to, str(other)))
    return found


def forth(draft: Draft, number: int, label: str, attributes: str = "") -> list[str]:
    if number >= len(draft.page_urls):
        return []
    return [link(path_of(draft.page_urls[number]), label, attributes)]


def back(draft: Draft, number: int) -> list[str]:
    if number == 1:
        return []
    return [link(path_of(draft.page_urls[number - 2]), draft.say("previous"))]


def word(draft: Draft, number: int) -> str:
    labels = draft.language.labels("next")
    return labels[draft.id % len(labels)].format(number + 1)


def wrap(draft: Draft, links: list[str]) -> str:
    """The pager's box: a list, a line, or a table."""
    if not links:
        return ""
    if draft.id % 3 == 0:
        return "<ul>" + "".join(f"<li>{each}</li>" for each in links) + "</ul>"
    if draft.id % 3 == 1:
        return f'<p align="center">{" ".join(links)}</p>'
    return "<table><tr>" + "".join(f"<td>{each}</td>" for each in links) + "</tr></table>"


def own(draft: Draft, query: str) -> str:
    """The page's own address with something added: it shows the same article."""
    first = draft.page_urls[0]
    address = f"{first}{'&' if '?' in first else '?'}{query}"
    return draft.serve(address, draft.title, article_text(draft))


def article_text(draft: Draft) -> list[str]:
    return [line for part in draft.parts for line in lines_of(part)]


def remarks(draft: Draft, pages: str) -> None:
    entries = "".join(
        f'<div class="comment">{draft.language.sentence(draft.chance)}</div>' for _ in range(3)
    )
    draft.below.append(f'<div id="comments"><h3>{draft.say("comments")}</h3>{entries}{pages}</div>')


TRUE: tuple[Feature, ...] = (
    numbers_in_path, numbers_in_query, numbers_with_fragment, numbers_and_word, word_alone, arrow,
    arrow_image, rel_next, view_all_beside,
)  # fmt: skip
HARD: tuple[Feature, ...] = (
    continued_elsewhere, number_in_mid_path, zero_based, labels_one_less, only_the_number,
    older_posts_to_the_left, pager_beside_next_story, last_page_arrow,
)  # fmt: skip
NONE: tuple[Feature, ...] = (
    no_pager, next_post, next_story_word, post_number_like_page, other_series,
    rel_next_on_previous, teaser_box, gallery, reviews, comment_pages, calendar, ratings, counts,
    page_sizes, footnotes, section_named_page_two, show_all_as_next, pages_by_fragment,
)  # fmt: skip
