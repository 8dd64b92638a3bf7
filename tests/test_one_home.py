"""Rules of the ways in that once had several homes: each has one now."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from tearsheet import limits
from tearsheet.errors import FetchFailed, LimitExceeded
from tearsheet.serve.settings import ServiceSettings
from tearsheet.types import Options

SOURCES = Path(limits.__file__).parent


def test_limits_are_the_defaults_of_library_and_service() -> None:
    options, service = Options(), ServiceSettings()
    assert (options.timeout, options.max_bytes, options.max_nodes, options.max_pages) == (
        limits.PAGE_SECONDS,
        limits.PAGE_BYTES,
        limits.PAGE_NODES,
        limits.ARTICLE_PAGES,
    )
    assert service.page_options() == {
        "allow_host": (),
        "allow_net": (),
        "allow_private": False,
        "cookies": "",
        "request_header": (),
        "via_proxy": "",
        "max_bytes": limits.SERVICE_PAGE_BYTES,
        "max_nodes": limits.SERVICE_PAGE_NODES,
    }


def test_a_limit_itself_is_allowed_and_one_more_is_not() -> None:
    limits.check_download(10, 10)
    limits.check_page_bytes(10, 10)
    limits.check_nodes(10, 10)
    with pytest.raises(FetchFailed, match=r"a\.example/ is larger than 1 MB") as refused:
        limits.check_download(limits.MEGABYTE + 1, limits.MEGABYTE, "http://a.example/")
    assert refused.value.code == "too-large"
    with pytest.raises(LimitExceeded, match="the page is larger than 1 MB"):
        limits.check_page_bytes(limits.MEGABYTE + 1, limits.MEGABYTE)
    with pytest.raises(LimitExceeded, match="the page has 11 nodes, and 10 are allowed"):
        limits.check_nodes(11, 10)


@pytest.mark.parametrize(
    ("rule", "home"),
    [
        (r"\bLOW_CONFIDENCE\b|\bSHELL\b", "clip.py"),  # parse or render
        (r"is larger than \{|nodes, and \{", "limits.py"),
        (r'Literal\["select", "deselect"', "store/edits.py"),
        (r'Literal\["auto", "always", "never"\]', "clip.py"),
        (r'Literal\["footnotes", "inline", "none"\]', "types.py"),
        (r"urlsplit\(.*\)\.hostname|\burljoin\b", "addresses.py"),
        (r'startswith\(\("http:", "https:"\)\)', "addresses.py"),
        (r'"text/html", "application/xhtml', "types.py"),
        (r"\(429, 503\)", "acquire/fetch.py"),
        (r"name in VOID for|area base (basefont )?br", "tags.py"),
        (r"\\ud800-\\udfff\\ufffe", "writing.py"),
        (r"\(\?<=\[a-z\](\[A-Z\])?\)", "components/_compare.py"),
        (r"1998/Math/MathML", "article/mathml.py"),
        (r"sha256\(token", "store/accounts.py"),
        (r'"--jobs"', "option_arguments.py"),
        (r"= 130$", "exit_codes.py"),
        (r"address_host\(.*\)\.removeprefix|\.hostname.*removeprefix", "addresses.py"),
        (r"MEGABYTE:\.3g", "limits.py"),
        (r'mask\("img", "svg", (.*, )?"picture"', "tags.py"),
        (r"JSONEncoder\(", "bulk/parts.py"),
        (r"html\.unescape|from html import .*unescape", "writing.py"),
        (r"32 \* (1024 \* 1024|MEGABYTE)", "limits.py"),
        (r"if row >= (end|page\.end)", "features/subtrees.py"),
        (r"client_name\(.*client", "serve/clients.py"),
        (r"multiprocessing\.|subprocess\.Popen\(.*sys\.executable", "workers.py"),
    ],
)
def test_a_rule_is_written_in_one_module(rule: str, home: str) -> None:
    """A second module with the same words has probably copied the rule."""
    found = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if re.search(rule, path.read_text("utf-8"), re.MULTILINE)
    }
    assert found <= {home}


PEERS = {"Article", "Document", "Extractor"}
"""Names that other libraries gave; ours stand in for them."""


def test_a_class_name_is_used_once() -> None:
    names = Counter(
        node.name
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert {name for name, count in names.items() if count > 1} == PEERS
