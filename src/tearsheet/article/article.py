"""The article, which computes its parts when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import FrozenInstanceError, replace
from functools import cached_property
from typing import Any, Final, Literal

from tearsheet import plugins
from tearsheet.addresses import address_host, same_owner
from tearsheet.deadline import Deadline
from tearsheet.errors import UnknownName
from tearsheet.types import (
    ROLES,
    Block,
    Clipping,
    Comment,
    Image,
    Metadata,
    Options,
    RelatedLink,
    Resource,
    Verdict,
)  # fmt: skip

_COMPARED_PARTS: Final = (
    "metadata", "blocks", "url", "page_urls", "images", "confidence", "reasons", "page_type",
    "method",
)  # fmt: skip
_FIELDS: Final = frozenset((*_COMPARED_PARTS, "clippings", "pictures"))
_FLEETING: Final = {
    "_captions": True, "_tables": True, "_detects_language": False, "_faithful": False,
    "_print_page": "auto",
}  # fmt: skip
"""Values that are needed until the parts are computed, and dropped then."""


MISSING: Final = "missing: "
"""The beginning of reasons that name missing parts of this page."""
_INCOMPLETE: Final = ("the article is incomplete", "the article may be incomplete")
"""… and those that name missing pages."""


class Article:
    """A clipped article: its content in typed blocks, and what is known about it.

    Most people ask for the text alone, so metadata, images, blocks and text are each computed from
    the page when they are first asked for, and then kept. The time this takes counts against the
    deadline of the page. Parts that are given are not computed. An article never changes; `replace`
    makes another one.
    """

    url: str | None
    """The address of the page."""
    page_urls: tuple[str, ...]
    """Addresses of the pages that were joined, in order."""
    confidence: float | None
    """The F1 that the method expects of its result; None if it does not estimate it."""
    reasons: tuple[str, ...]
    """Why the confidence is low, and what is missing, in words."""
    page_type: Mapping[str, float]
    """Probability of each page type; empty if the method does not find them."""
    method: str
    """The name of the method that found it."""
    clippings: tuple[Clipping, ...]
    """The pages that it was made from, with segments and verdict."""
    pictures: Mapping[str, Resource]
    """The files of its images by address; `pictures.fetch` fetches and checks them."""
    _pages: Literal["auto", "one", "all"]
    _print_page: Literal["auto", "never"]
    _captions: bool
    _tables: bool
    """Whether captions and tables are kept."""
    _detects_language: bool
    _faithful: bool
    """Whether title and pictures follow the method's paper to the letter."""
    _deadline: Deadline
    _text_is_of_blocks: bool
    """If false, the text is read straight from the page, without a search for pictures."""

    def __init__(
        self,
        metadata: Metadata | None = None,
        blocks: tuple[Block, ...] | None = None,
        *,
        images: tuple[Image, ...] | None = None,
        text: str | None = None,
        url: str | None = None,
        page_urls: tuple[str, ...] = (),
        confidence: float | None = None,
        reasons: tuple[str, ...] = (),
        page_type: Mapping[str, float] | None = None,
        method: str = "",
        clippings: tuple[Clipping, ...] = (),
        pictures: Mapping[str, Resource] | None = None,
        options: Options | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        options = options or Options()
        vars(self).update(
            url=url,
            page_urls=page_urls,
            confidence=confidence,
            reasons=reasons,
            page_type=page_type or {},
            method=method,
            clippings=clippings,
            pictures=pictures or {},
            _pages=options.pages,
            _print_page=options.print_page,
            _captions=options.captions,
            _tables=options.tables,
            _detects_language=options.detect_language,
            _faithful=options.faithful,
            _deadline=deadline or Deadline(options.timeout),
            _text_is_of_blocks=blocks is not None or not options.tables,
        )
        given = {"metadata": metadata, "blocks": blocks, "images": images, "text": text}
        # A cached property takes the value that stands under its name.
        vars(self).update((name, value) for name, value in given.items() if value is not None)

    @cached_property
    def metadata(self) -> Metadata:
        """Title, authors, dates and whatever else the page says about the article."""
        from tearsheet.article import parts

        if not self.clippings:
            return Metadata()
        found = self._deadline.run(
            parts.read_metadata, self.clippings[0], self._pages, self._print_page, self._faithful
        )
        if self._detects_language:
            found = self._deadline.run(parts.add_language, found, self.clippings)
        if found.lead_image:
            return found
        images = self._deadline.run(parts.find_images, self.clippings[0], found, self._faithful)
        vars(self)["_images_found"] = images  # it needs title and authors, known by now
        return parts.add_lead_image(found, images)

    @property
    def own_url(self) -> str | None:
        """The address, if all pages of the article came from its site; None if one only claims to,
        as a saved page does. The site's log-ins are for such pages alone."""
        host = address_host(self.url)
        pages = [clipping.page for clipping in self.clippings]
        is_own = all(not p.claims_url and same_owner(address_host(p.url), host) for p in pages)
        return self.url if is_own else None

    @property
    def missing(self) -> tuple[str, ...]:
        """What is missing in the article, in words; every document ends with it."""
        says = (MISSING, *_INCOMPLETE)
        return tuple(reason for reason in self.reasons if reason.startswith(says))

    @cached_property
    def images(self) -> tuple[Image, ...]:
        """Its pictures with their captions, in order."""
        from tearsheet.article.blocks import drop_caption

        found = self._images_found
        return found if self._captions else tuple(map(drop_caption, found))

    @cached_property
    def _images_found(self) -> tuple[Image, ...]:
        """The pictures whose captions must not appear in the text."""
        from tearsheet.article import parts

        if not self.clippings:
            return ()
        return self._deadline.run(
            parts.find_images, self.clippings[0], self.metadata, self._faithful
        )

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Its content in order: headings, paragraphs, lists, figures …"""
        from tearsheet.article import parts
        from tearsheet.article.blocks import drop_captions, drop_tables

        if not self.clippings:
            return ()
        images = self.images if self._captions else self._images_found
        found = self._deadline.run(parts.build_blocks, self.clippings[0], images)
        found = found if self._captions else drop_captions(found)
        return found if self._tables else drop_tables(found)

    @cached_property
    def text(self) -> str:
        """The article as plain text, without pictures and captions; a blank line between blocks."""
        from tearsheet.article import parts

        if self._text_is_of_blocks or not self.clippings:
            return self._deadline.run(parts.write_text, self.blocks)
        return self._deadline.run(parts.read_text, self.clippings[0])

    @property
    def comments(self) -> tuple[Comment, ...]:
        """The comments of readers, in order; empty if the method does not find them."""
        from tearsheet.article import parts

        return self._deadline.run(parts.find_comments, self.clippings)

    @property
    def related(self) -> tuple[RelatedLink, ...]:
        """The links to other articles; empty if the method does not find them."""
        from tearsheet.article import parts

        return self._deadline.run(parts.find_related, self.clippings)

    @property
    def byline(self) -> str:
        """The line that names the authors, as on the page; else the authors' names."""
        from tearsheet.components import role_lines

        lines = (role_lines.find_byline(clipping) for clipping in self.clippings[:1])
        return next(filter(None, lines), ", ".join(self.metadata.authors))

    def lines(self, role: str) -> tuple[str, ...]:
        """All lines of its pages with this role, kept or not (`types.ROLES` lists the roles)."""
        from tearsheet.components.role_lines import find_lines

        if role not in ROLES:
            raise UnknownName("role", role, ROLES)
        return tuple(line for made in self.clippings for line in find_lines(made, role))

    def roles_of(self, origins: Iterable[tuple[int, int, int]]) -> list[str]:
        """The role of the text at each place (page, first row, row after the last); empty where the
        method finds none."""
        from tearsheet.components.role_lines import find_roles

        places = list(origins)
        found = [""] * len(places)
        for number, clipping in enumerate(self.clippings):
            here = [i for i, (page, _, _) in enumerate(places) if page == number]
            roles = find_roles(clipping, [places[i][1:] for i in here])
            for i, role in zip(here, roles):
                found[i] = role
        return found

    def complete(self) -> Article:
        """Computes metadata, images and blocks now, and returns this article."""
        _ = self.blocks, self.images, self.metadata
        return self

    def replace(self, **changes: Any) -> Article:
        """A copy with other values. If the blocks change, so does its text.

        >>> Article(Metadata("One")).replace(metadata=Metadata("Two")).title
        'Two'
        """
        if unknown := changes.keys() - _FIELDS:
            raise TypeError(f"an article has no {', '.join(sorted(unknown))}")
        self.complete()
        values = {**vars(self), **changes}
        if "blocks" in changes:
            values["_text_is_of_blocks"] = True
            values.pop("text", None)
        made = object.__new__(Article)
        vars(made).update(values)
        return made

    @property
    def likeliest_type(self) -> str | None:
        """The most likely type of its page; None if the method does not find it."""
        return max(self.page_type, key=self.page_type.__getitem__, default=None)

    @property
    def title(self) -> str:
        return self.metadata.title

    @property
    def markdown(self) -> str:
        return self.to("md").decode()

    @property
    def html(self) -> str:
        """A sanitised HTML fragment."""
        return self.to("html", Options(fragment=True)).decode()

    def json(self) -> str:
        return self.to("json").decode()

    def to(self, form: str, options: Options | None = None) -> bytes:
        """The article as a document of the named format (`tearsheet formats` lists them)."""
        options = options or Options()
        if options.isolate:
            from tearsheet.isolation import run_isolated

            alone = replace(options, isolate=False)
            values = self._values_to_copy()
            return run_isolated(_write_copy, values, form, alone, seconds=options.timeout)
        document: bytes = plugins.load("layout", form).render(self, options)
        return document

    def explain(self) -> str:
        """For each segment of the page: its score, whether it was kept, and the evidence."""
        lines: list[str] = []
        for number, clipping in enumerate(self.clippings):
            if len(self.clippings) > 1:
                lines.append(f"page {number + 1}: {clipping.page.url}")
            lines += _explain_segments(clipping)
        return "\n".join(lines)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same content; pages and picture files do not count."""
        if not isinstance(other, Article):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _COMPARED_PARTS)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in _COMPARED_PARTS)
        return f"Article({values})"

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        """All values but the deadline and the evidence for `explain`, which the method holds. Text
        that was not computed yet is left out: the copy can compute it.
        """
        values = self.complete()._values_to_copy()
        for name in ("_images_found", *_FLEETING):
            values.pop(name, None)
        return values

    def _values_to_copy(self) -> dict[str, Any]:
        """The values that a copy in another process needs to compute the missing parts."""
        values = {name: value for name, value in vars(self).items() if name != "_deadline"}
        values["clippings"] = tuple(
            replace(
                clipping,
                verdict=replace(clipping.verdict, why=None, roles=dict(clipping.verdict.roles)),
            )
            for clipping in self.clippings
        )
        return values

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({**_FLEETING, **state}, _deadline=Deadline(Options().timeout))


def _write_copy(values: dict[str, Any], form: str, options: Options) -> bytes:
    """In another process: the document of an article with these values."""
    article = object.__new__(Article)
    article.__setstate__(values)
    return article.to(form, options)


def _explain_segments(clipping: Clipping) -> Iterator[str]:
    from tearsheet.components.role_lines import likeliest_roles

    verdict = clipping.verdict
    roles = likeliest_roles(verdict).tolist()
    for i, text in enumerate(clipping.segments.text):
        mark = "+" if verdict.keep[i] else "-"
        line = f"{mark} {verdict.score[i]:8.3f}  {_describe_role(verdict, i, roles[i])}{text[:80]}"
        if verdict.why is not None:
            line += "".join(f"\n             {reason}" for reason in verdict.why(i))
        yield line


def _describe_role(verdict: Verdict, i: int, role: int) -> str:
    """The likeliest role of a segment and how likely it is; empty if the method cannot tell."""
    if role < 0:
        return ""
    return f"{ROLES[role]} {verdict.roles[ROLES[role]][i]:.0%}  "
