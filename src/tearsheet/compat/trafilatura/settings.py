"""trafilatura's settings and its document, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from configparser import ConfigParser
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from tearsheet.errors import InvalidOption, MissingExtra

try:
    from lxml import etree
except ImportError as error:
    raise MissingExtra("tearsheet.compat.trafilatura", error.name, "compat") from None

Focus: TypeAlias = Literal["balanced", "precision", "recall"]
FORMATS: Final = ("csv", "html", "json", "markdown", "python", "txt", "xml", "xmltei")
_DATE_PARAMS: Final = ("extensive_search", "max_date", "min_date", "original_date", "outputformat")
"""Of htmldate's parameters. Without the first, a date that only a text mentions does not count; the
date is always that of publication."""
_NEVER_TEXT: Final = "aside embed fencedframe footer form head iframe menu object script".split()
MANUALLY_CLEANED: Final[list[str]] = [*_NEVER_TEXT]
"""Elements to leave out with all that is in them; as there, add to the list in place. Those that
are in it from the beginning are judged by the engine."""
_DEFAULTS: Final = {
    "DOWNLOAD_TIMEOUT": "30", "MAX_FILE_SIZE": "20000000", "MIN_FILE_SIZE": "10",
    "SLEEP_TIME": "5.0", "USER_AGENTS": "", "COOKIE": "", "MAX_REDIRECTS": "2",
    "SSRF_PROTECTION": "on", "INSECURE_SSL_FALLBACK": "on", "MIN_EXTRACTED_SIZE": "250",
    "MIN_OUTPUT_SIZE": "1", "MIN_OUTPUT_COMM_SIZE": "1", "MAX_TREE_SIZE": "",
    "EXTRACTION_TIMEOUT": "30", "MIN_DUPLCHECK_SIZE": "100", "MAX_REPETITIONS": "2",
    "EXTENSIVE_DATE_SEARCH": "on", "EXTERNAL_URLS": "off",
}  # fmt: skip


def use_config(filename: str | None = None, config: ConfigParser | None = None) -> ConfigParser:
    """The settings of a file over the defaults, or those that are given."""
    if config is not None:
        return config
    found = ConfigParser(defaults=_DEFAULTS)
    if filename is not None:
        if not Path(filename).is_file():
            raise FileNotFoundError("The given config file does not exist")
        found.read(filename)
    return found


def added_elements() -> list[str]:
    """The elements that a caller wants to have left out."""
    return [name for name in MANUALLY_CLEANED if name not in _NEVER_TEXT]


DEFAULT_CONFIG: Final = use_config()


class LRUCache:
    """Counts how often each text was seen, and forgets the oldest."""

    def __init__(self, maxsize: int = 4096) -> None:
        self.maxsize = maxsize
        self.cache: dict[str, int] = {}

    def get(self, key: str) -> int:
        """The count of a text; -1 if it was not seen."""
        return self.cache.get(key, -1)

    def put(self, key: str, value: int) -> None:
        self.cache.pop(key, None)
        self.cache[key] = value
        if len(self.cache) > self.maxsize:
            del self.cache[next(iter(self.cache))]

    def clear(self) -> None:
        self.cache.clear()


class Extractor:
    """All options of an extraction, by trafilatura's names."""

    def __init__(
        self,
        *,
        config: ConfigParser | None = DEFAULT_CONFIG,
        output_format: str = "txt",
        fast: bool = False,
        precision: bool = False,
        recall: bool = False,
        comments: bool = True,
        formatting: bool | None = None,
        links: bool = False,
        images: bool = False,
        tables: bool = True,
        dedup: bool | LRUCache = False,
        lang: str | None = None,
        url: str | None = None,
        source: str | None = None,
        with_metadata: bool = False,
        only_with_metadata: bool = False,
        tei_validation: bool = False,
        author_blacklist: set[str] | None = None,
        url_blacklist: set[str] | None = None,
        date_params: dict[str, Any] | None = None,
    ) -> None:
        _check(output_format, tei_validation, date_params or {})
        self.config = config or DEFAULT_CONFIG
        self.format = output_format
        self.focus: Focus = "recall" if recall else "precision" if precision else "balanced"
        self.comments, self.links, self.images, self.tables = comments, links, images, tables
        self.formatting = output_format == "markdown" if formatting is None else formatting
        self.dedup: Any = dedup
        self.lang, self.fast = lang, fast
        self.url, self.source = url, url or source
        self.only_with_metadata, self.tei_validation = only_with_metadata, tei_validation
        self.author_blacklist = author_blacklist or set()
        self.url_blacklist = url_blacklist or set()
        filters = only_with_metadata or bool(url_blacklist) or bool(author_blacklist)
        self.with_metadata = with_metadata or filters or output_format == "xmltei"
        self._read_config(date_params or {})

    def _read_config(self, date_params: Mapping[str, Any]) -> None:
        """Takes sizes, and the search for dates, from the settings of a file."""
        sizes = self.config["DEFAULT"]
        is_extensive = sizes.getboolean("EXTENSIVE_DATE_SEARCH", True)
        self.date_params: dict[str, Any] = {"extensive_search": is_extensive, **date_params}
        self.min_extracted_size = sizes.getint("MIN_EXTRACTED_SIZE", 250)
        self.min_output_size = sizes.getint("MIN_OUTPUT_SIZE", 1)
        self.min_output_comm_size = sizes.getint("MIN_OUTPUT_COMM_SIZE", 1)
        self.min_duplcheck_size = sizes.getint("MIN_DUPLCHECK_SIZE", 100)
        self.max_repetitions = sizes.getint("MAX_REPETITIONS", 2)
        self.max_file_size = sizes.getint("MAX_FILE_SIZE", 20_000_000)
        self.min_file_size = sizes.getint("MIN_FILE_SIZE", 10)
        largest = sizes.get("MAX_TREE_SIZE", "").strip()
        self.max_tree_size = int(largest) if largest.isdigit() else None


def _check(output_format: str, tei_validation: bool, date_params: Mapping[str, Any]) -> None:
    """Raises if an option of an extraction has a value that Tearsheet does not know."""
    if output_format not in FORMATS:
        raise AttributeError(f"Cannot set format, must be one of: {', '.join(FORMATS)}")
    _refuse("tei_validation", tei_validation, "False: Tearsheet has no TEI schema")
    for name in date_params.keys() - set(_DATE_PARAMS):
        raise InvalidOption("date_params", name, ", ".join(_DATE_PARAMS))


def write_date(found: str, params: Mapping[str, Any]) -> str | None:
    """A date in the form, and within the bounds, that parameters of htmldate ask for.

    >>> write_date("2024-03-01T08:00:00Z", {"outputformat": "%d.%m.%Y"})
    '01.03.2024'
    """
    day = found[:10]
    low, high = (str(params.get(name) or "")[:10] for name in ("min_date", "max_date"))
    if not day or (low and day < low) or (high and day > high):
        return None
    form = params.get("outputformat")
    return datetime.fromisoformat(day).strftime(form) if form and len(day) == 10 else day


def _refuse(name: str, value: object, allowed: str) -> None:
    """Refuses an argument that has no meaning here, rather than ignore it."""
    if value:
        raise InvalidOption(name, value, allowed)


class Document:
    """The metadata and text of a page, by trafilatura's names."""

    author: str | None
    body: etree._Element
    categories: list[str] | None
    comments: str | None
    commentsbody: etree._Element
    date: str | None
    description: str | None
    filedate: str | None
    fingerprint: str | None
    hostname: str | None
    id: str | None
    image: str | None
    language: str | None
    license: str | None
    pagetype: str | None
    raw_text: str | None
    sitename: str | None
    tags: list[str] | None
    text: str | None
    title: str | None
    url: str | None
    __slots__ = (
        "author", "body", "categories", "comments", "commentsbody", "date", "description",
        "filedate", "fingerprint", "hostname", "id", "image", "language", "license", "pagetype",
        "raw_text", "sitename", "tags", "text", "title", "url",
    )  # fmt: skip

    def __init__(self, **values: Any) -> None:
        names = {"idval": "id", "license_val": "license"}
        given = {names.get(name, name): value for name, value in values.items()}
        for name in self.__slots__:
            setattr(self, name, given.pop(name, None))
        if given:
            raise TypeError(f"Document has no {', '.join(given)}")
        for name in ("body", "commentsbody"):
            if getattr(self, name) is None:
                setattr(self, name, etree.Element("body"))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Document:
        found = cls()
        for name, value in data.items():
            setattr(found, name, value)
        return found

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}
