"""Print links: every form of a true one, those that are hard to see, and those that are none.

Each function fills the draft's slots and sets `print_url`, which stays None for a trap. Its name
is the name in the truth's `traps`.
"""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from samples.generator.draft import Draft, Feature, lines_of, link, path_of, plain_page

# True ones ------------------------------------------------------------------------------------


def text(draft: Draft) -> None:
    draft.tools.append(link(offer(draft), phrase(draft)))


def text_in_list(draft: Draft) -> None:
    labels = (draft.say("mail"), draft.say("share"))
    others = "".join(f'<li><a href="#{i}">{label}</a></li>' for i, label in enumerate(labels))
    draft.tools.append(f"<ul>{others}<li>{link(offer(draft), phrase(draft))}</li></ul>")


def text_below(draft: Draft) -> None:
    draft.below.append(f"<p>{link(offer(draft), f'[ {phrase(draft)} ]')}</p>")


def image_with_alt(draft: Draft) -> None:
    draft.tools.append(link(offer(draft), icon(draft, phrase(draft))))


def image_with_link_title(draft: Draft) -> None:
    draft.tools.append(link(offer(draft), icon(draft), f'title="{escape(phrase(draft))}"'))


def image_and_text(draft: Draft) -> None:
    draft.tools.append(link(offer(draft), f"{icon(draft)} {phrase(draft)}"))


def image_then_text_outside(draft: Draft) -> None:
    label = phrase(draft)
    draft.tools.append(f"{link(offer(draft), icon(draft, label))} {label}")


def aria_label(draft: Draft) -> None:
    shape = '<svg width="16" height="16"><rect width="12" height="8" y="4"/></svg>'
    draft.tools.append(link(offer(draft), shape, f'aria-label="{escape(phrase(draft))}"'))


def icon_font(draft: Draft) -> None:
    draft.tools.append(link(offer(draft), '<i class="fa"></i>', f'title="{escape(phrase(draft))}"'))


def link_element(draft: Draft) -> None:
    draft.head.append(f'<link rel="alternate" media="print" href="{escape(offer(draft))}">')


# Hard to see ----------------------------------------------------------------------------------


def icon_without_alt(draft: Draft) -> None:
    draft.tools.append(link(offer(draft), icon(draft), 'class="print"'))


def empty_link_before_the_word(draft: Draft) -> None:
    draft.tools.append(f"{link(offer(draft), '', 'class=print')} {phrase(draft)}")


def single_letter(draft: Draft) -> None:
    marks = f'<a href="#e" title="{draft.say("mail")}">E</a>'
    draft.tools.append(f"{marks} | {link(offer(draft, '/print/{id}'), 'P')}")


def with_and_without_photo(draft: Draft) -> None:
    """A script opens the menu; its entries are the print pages, the full one first."""
    one, two = offer(draft, "/print/{id}?photo=1"), draft.at(f"/print/{draft.id}?photo=0")
    draft.serve_html(two, print_page(draft))
    menu = f"<ul><li>{link(one, 'with photo')}</li><li>{link(two, 'no photo')}</li></ul>"
    draft.tools.append(
        f'<div class="print"><a href="javascript:menu()">{phrase(draft)}</a>{menu}</div>'
    )


def image_map(draft: Draft) -> None:
    area = f'<area shape="rect" coords="0,0,16,16" href="{offer(draft)}" alt="{phrase(draft)}">'
    picture = f'<img src="{path_of(draft.picture(60, 16))}" usemap="#tools" width="60" height="16">'
    draft.tools.append(f'{picture}<map name="tools">{area}</map>')


def relative_to_base(draft: Draft) -> None:
    draft.base = draft.at("/cms/")
    offer(draft, "/cms/print/{id}.html")
    draft.tools.append(link(f"print/{draft.id}.html", phrase(draft)))


def two_question_marks(draft: Draft) -> None:
    offer(draft, "/print.php?url=/story.php?id={id}")
    draft.tools.append(link(path_of(draft.print_url or ""), phrase(draft)))


def path_parameters(draft: Draft) -> None:
    draft.tools.append(link(offer(draft, "/news/;art114,{id},PRINT"), phrase(draft)))


def spaces_in_address(draft: Draft) -> None:
    offer(draft, "/print%20view/{id}.html")
    draft.tools.append(link(f"/print view/{draft.id}.html", phrase(draft)))


def canonical_on_another_host(draft: Draft) -> None:
    draft.head.append(f'<link rel="canonical" href="https://syndicate.example/{draft.id}">')
    text(draft)


def named_like_next_document(draft: Draft) -> None:
    if len(draft.page_urls) == 1:
        draft.url = draft.page_urls[0] = draft.at(f"/archive/{draft.id}-2.htm")
    draft.tools.append(link(offer(draft, "/archive/{id}-3.htm"), phrase(draft)))


def other_domain_of_publisher(draft: Draft) -> None:
    name = draft.host.split(".")[1]
    address = f"https://print.{name}-media.example/{draft.id}"
    draft.print_url = address
    draft.serve_html(address, print_page(draft))
    draft.tools.append(link(address, phrase(draft)))


# None -----------------------------------------------------------------------------------------


def no_link(draft: Draft) -> None:
    draft.tools.append(link("#share", draft.say("share")))


def script_address(draft: Draft) -> None:
    draft.tools.append(link("javascript:window.print()", phrase(draft)))


def script_on_click(draft: Draft) -> None:
    draft.tools.append(link("#", phrase(draft), 'onclick="window.print();return false"'))


def button(draft: Draft) -> None:
    draft.tools.append(f'<button onclick="window.print()">{phrase(draft)}</button>')


def own_address_with_fragment(draft: Draft) -> None:
    draft.tools.append(link(f"{draft.url}#print", phrase(draft)))


def share_parameter(draft: Draft) -> None:
    joint = "&" if "?" in draft.url else "?"
    draft.tools.append(link(f"{draft.url}{joint}share=print", phrase(draft)))


def home_page(draft: Draft) -> None:
    draft.tools.append(link("/", phrase(draft)))


def own_address(draft: Draft) -> None:
    draft.tools.append(link(draft.url, phrase(draft)))


def help_page(draft: Draft) -> None:
    elsewhere(draft, "/help/printing")


def donation(draft: Draft) -> None:
    elsewhere(draft, "/donate?from=print")


def printed_edition(draft: Draft) -> None:
    draft.foot.append(link(draft.at("/print-edition/subscribe"), draft.say("subscribe")))


def subscription(draft: Draft) -> None:
    elsewhere(draft, "/subscribe?edition=print")


def log_in(draft: Draft) -> None:
    elsewhere(draft, f"/login?next=/print/{draft.id}")


def error_page(draft: Draft) -> None:
    elsewhere(draft, "/error?code=404")


def section(draft: Draft) -> None:
    draft.above.append(f"<p>{link(draft.at('/section/print/'), draft.say('print_section'))}</p>")


def tag(draft: Draft) -> None:
    draft.below.append(f"<p>Tags: {link(draft.at('/tag/print/'), phrase(draft), 'rel=tag')}</p>")


def product_filter(draft: Draft) -> None:
    entry = link(draft.at("/shop?format=print"), phrase(draft))
    draft.side.append(f"<ul><li>{entry} (12)</li></ul>")


def user_name(draft: Draft) -> None:
    name = link(draft.at("/user/print"), "Print")
    words = draft.language.sentence(draft.chance)
    draft.below.append(f'<div class="comment"><b>{name}</b><div>{words}</div></div>')


def coupon(draft: Draft) -> None:
    draft.side.append(f"<div>-20 %<br>{link(draft.at('/coupon/88/print'), phrase(draft))}</div>")


def other_story(draft: Draft) -> None:
    address, title = draft.other_story()
    entry = link(address.replace(".html", "-print.html"), phrase(draft))
    draft.side.append(f"<div>{link(address, title)}<br>{entry}</div>")


def per_comment(draft: Draft) -> None:
    for number in (11, 12, 13):
        words = draft.language.sentence(draft.chance)
        entry = link(draft.at(f"/comment/{number}/print"), phrase(draft))
        draft.below.append(f'<div class="comment"><div>{words}</div><div>{entry}</div></div>')


def per_list_entry(draft: Draft) -> None:
    for _ in range(3):
        address, title = draft.other_story()
        entry = link(address.replace(".html", "/print"), phrase(draft))
        draft.below.append(f"<li>{link(address, title)} {entry}</li>")


def mail_in_disguise(draft: Draft) -> None:
    label = f'class="print-mail" title="{escape(phrase(draft))}"'
    draft.tools.append(link(draft.at(f"/mail/{draft.id}"), draft.say("mail"), label))


def without_id(draft: Draft) -> None:
    elsewhere(draft, "/print.php")


def inside_other_words(draft: Draft) -> None:
    words = draft.language.labels("print_words")
    links = "".join(f"<li>{link(draft.at(f'/{i}.html'), w)}</li>" for i, w in enumerate(words))
    draft.side.append(f"<ul>{links}</ul>")


def text_only_version(draft: Draft) -> None:
    """Another presentation, for other screens."""
    draft.tools.append(link(draft.at(f"/text/{draft.id}"), draft.say("text_only")))


def third_party(draft: Draft) -> None:
    address = f"https://www.printfriendly.example/print?url={quote(draft.url, safe='')}"
    draft.tools.append(link(address, phrase(draft)))


def third_party_sharing(draft: Draft) -> None:
    address = f"https://www.addtoany.example/add_to/print?linkurl={quote(draft.url, safe='')}"
    draft.tools.append(link(address, icon(draft, phrase(draft))))


# Shared parts ------------------------------------------------------------------------------


def phrase(draft: Draft) -> str:
    """A print phrase of the page's language; English ones are used everywhere."""
    labels = draft.language.labels("print")
    return draft.chance.choice(labels if draft.chance.random() < 0.9 else ["Print"])


def icon(draft: Draft, alt: str | None = None) -> str:
    address = draft.picture(16, 16, draft.at("/img/print.gif"))
    known = "" if alt is None else f' alt="{escape(alt)}"'
    return f'<img src="{path_of(address)}" width="16" height="16"{known}>'


def offer(draft: Draft, pattern: str = "") -> str:
    """Makes the print page; returns its address as the page writes it."""
    pattern = pattern or draft.chance.choice(PATTERNS)
    first = draft.page_urls[0]
    if pattern == "print=1":
        draft.print_url = f"{first}{'&' if '?' in first else '?'}{pattern}"
    else:
        draft.print_url = draft.at(pattern.format(id=draft.id))
    draft.serve_html(draft.print_url, print_page(draft))
    return draft.chance.choice((draft.print_url, path_of(draft.print_url)))


def print_page(draft: Draft) -> str:
    lines = (line for part in draft.parts for line in lines_of(part))
    written = "".join(f"<p>{escape(line)}</p>\n" for line in lines)
    return plain_page(draft.language, draft.title, written)


def elsewhere(draft: Draft, path: str) -> None:
    """A print link that leads to a page that is not the article."""
    address = draft.serve(draft.at(path), draft.say("login"), [draft.say("cookies")])
    draft.tools.append(link(address, phrase(draft)))


PATTERNS = (
    "/print/{id}", "/print.php?id={id}", "print=1", "/story/{id}/print/",
    "/{id}-print.html", "/article/{id}?view=print", "/printversion/{id}.html",
)  # fmt: skip
TRUE: tuple[Feature, ...] = (
    text, text_in_list, text_below, image_with_alt, image_with_link_title, image_and_text,
    image_then_text_outside, aria_label, icon_font, link_element,
)  # fmt: skip
HARD: tuple[Feature, ...] = (
    icon_without_alt, empty_link_before_the_word, single_letter, with_and_without_photo, image_map,
    relative_to_base, two_question_marks, path_parameters,
    spaces_in_address, canonical_on_another_host, named_like_next_document,
    other_domain_of_publisher,
)  # fmt: skip
NONE: tuple[Feature, ...] = (
    no_link, script_address, script_on_click, button, own_address_with_fragment, share_parameter,
    home_page, own_address, help_page, donation, printed_edition, subscription, log_in, error_page,
    section, tag, product_filter, user_name, coupon, other_story, per_comment, per_list_entry,
    mail_in_disguise, without_id, inside_other_words, text_only_version, third_party,
    third_party_sharing,
)  # fmt: skip
