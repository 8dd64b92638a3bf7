"""The library as feeds: Atom for news readers, OPDS 1.2 for e-readers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlencode
from xml.etree.ElementTree import Element, SubElement, register_namespace, tostring

from tearsheet.store import Clip
from tearsheet.writing import drop_controls

ATOM: Final = "application/atom+xml; charset=utf-8"
OPDS: Final = "application/atom+xml;profile=opds-catalog;kind=acquisition"
SEARCH: Final = "application/opensearchdescription+xml"
_ATOM: Final = "http://www.w3.org/2005/Atom"
_TERMS: Final = "http://purl.org/dc/terms/"
_OPEN_SEARCH: Final = "http://a9.com/-/spec/opensearch/1.1/"
_ACQUIRE: Final = "http://opds-spec.org/acquisition"
_FORMATS: Final = (("epub", "application/epub+zip"), ("pdf", "application/pdf"))

register_namespace("", _ATOM)
register_namespace("dc", _TERMS)
register_namespace("opensearch", _OPEN_SEARCH)


class Feed:
    """One page of a feed. With its key in `keys`, a reader without the token can get a clip."""

    def __init__(self, base: str, path: str, title: str, media_type: str) -> None:
        self._base, self._type = base, media_type
        self._root = Element(f"{{{_ATOM}}}feed")
        self._add(self._root, "id", f"{base}{path}")
        self._add(self._root, "title", title)
        self._updated = self._add(self._root, "updated", _time(0))
        self._add(SubElement(self._root, f"{{{_ATOM}}}author"), "name", "Tearsheet")
        self.link("self", path, media_type)
        self.link("start", path, media_type)

    def link(self, relation: str, path: str, media_type: str) -> None:
        values = {"rel": relation, "href": f"{self._base}{path}", "type": media_type}
        SubElement(self._root, f"{{{_ATOM}}}link", values)

    def add_clips(self, clips: Sequence[tuple[Clip, str]], *, for_readers: bool) -> None:
        """Adds clips with their keys; e-readers want files, news readers a page."""
        if clips:
            self._updated.text = _time(max(clip.created for clip, _ in clips))
        for clip, key in clips:
            self._add_clip(clip, key, for_readers)

    def _add_clip(self, clip: Clip, key: str, for_readers: bool) -> None:
        entry = SubElement(self._root, f"{{{_ATOM}}}entry")
        self._add(entry, "id", f"urn:tearsheet:clip:{clip.id}")
        self._add(entry, "title", clip.title or clip.url or "Untitled")
        self._add(entry, "updated", _time(clip.created))
        for author in clip.facts.get("authors", ()):
            self._add(SubElement(entry, f"{{{_ATOM}}}author"), "name", author)
        if language := clip.facts.get("language"):
            SubElement(entry, f"{{{_TERMS}}}language").text = drop_controls(language)
        for tag in map(drop_controls, clip.tags):
            SubElement(entry, f"{{{_ATOM}}}category", {"term": tag, "label": tag})
        summary = clip.facts.get("description") or clip.facts.get("site") or clip.site
        self._add(entry, "summary", summary)
        formats = _FORMATS if for_readers else (("html", "text/html"),)
        for form, kind in formats:
            query = urlencode({"format": form, "key": key} if key else {"format": form})
            href = f"{self._base}/v1/clips/{clip.id}/document?{query}"
            relation = _ACQUIRE if for_readers else "alternate"
            SubElement(entry, f"{{{_ATOM}}}link", {"rel": relation, "href": href, "type": kind})

    def to_bytes(self) -> bytes:
        found: bytes = tostring(self._root, "utf-8", xml_declaration=True)
        return found

    @staticmethod
    def _add(parent: Element, name: str, text: str) -> Element:
        made = SubElement(parent, f"{{{_ATOM}}}{name}")
        made.text = drop_controls(text)
        return made


def describe_search(base: str) -> bytes:
    """The description of search for e-readers (OpenSearch)."""
    root = Element(f"{{{_OPEN_SEARCH}}}OpenSearchDescription")
    SubElement(root, f"{{{_OPEN_SEARCH}}}ShortName").text = "Tearsheet"
    SubElement(root, f"{{{_OPEN_SEARCH}}}Description").text = "The clips of this library"
    values = {"type": OPDS, "template": f"{base}/opds?q={{searchTerms}}"}
    SubElement(root, f"{{{_OPEN_SEARCH}}}Url", values)
    found: bytes = tostring(root, "utf-8", xml_declaration=True)
    return found


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
