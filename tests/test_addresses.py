"""Addresses: joined as browsers do, safe or not, of one owner or not."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.addresses import (
    LINK_SCHEMES,
    address_host,
    address_path,
    is_public_suffix,
    is_safe_link,
    is_web_address,
    join_address,
    link_address,
    same_owner,
    web_address,
    web_origin,
)

PIECES = st.sampled_from(
    "/ // . .. ? # ; : @ & = % \\ [ ] a b-c é http https http: https: www.a.example :80 ?x=1 #y "
    "/d/e.html /../ /./ ;p=1".split()
)
ADDRESSES = st.lists(PIECES, max_size=7).map("".join)
BASES = (
    "https://www.a.example/x/y.html?z",
    "http://b.example:8080",
    "",
    "about:blank",
    "file:///x",
)


@pytest.mark.parametrize("base", BASES)
@given(address=ADDRESSES)
def test_addresses_are_joined_as_the_standard_library_does(base: str, address: str) -> None:
    try:
        expected: str | None = urljoin(base, address)
        urlsplit(expected or "")
    except ValueError:
        expected = None
    found = join_address(base, address)
    if found == address and address.startswith(("http://", "https://")):
        assert urlsplit(found) == urlsplit(expected or "")  # but for an empty "?" or "#"
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("address", "full"),
    [
        (" d\n", "https://a.example/b/d"),
        ("d e.jpg", "https://a.example/b/d%20e.jpg"),
        ("https://b.example/d e", "https://b.example/d%20e"),
        ("d\te\x00f", "https://a.example/b/def"),
        ("https://b.example/d?", "https://b.example/d?"),
        ("//b.example/d", "https://b.example/d"),
        ("", "https://a.example/b/c"),
        ("https:///d", "https://a.example/d"),
        ("http://[", None),
        ("//[", None),
        ("https://a\u2100b.example/", None),
    ],
)
def test_blanks_control_characters_and_what_is_no_address(address: str, full: str | None) -> None:
    assert join_address("https://a.example/b/c", address) == full


@given(address=ADDRESSES)
def test_a_path_is_that_of_the_standard_library(address: str) -> None:
    try:
        expected = urlsplit(address).path
    except ValueError:
        expected = ""
    assert address_path(address) == expected


@pytest.mark.parametrize(
    ("address", "link", "web"),
    [
        ("https://a.example/", True, True),
        ("HTTP://a.example/", True, True),
        ("mailto:a@b.example", True, False),
        ("TEL:+12", True, False),
        ("ftp://a.example/", True, False),
        ("javascript:alert(1)", False, False),
        ("java\nscript:alert(1)", False, False),
        ("data:text/html,x", False, False),
        ("file:///etc/passwd", False, False),
        ("vbscript:x", False, False),
        ("http:evil", False, False),
        ("", False, False),
    ],
)
def test_which_addresses_a_document_may_carry(address: str, link: bool, web: bool) -> None:
    assert is_safe_link(address) is link
    assert is_web_address(address) is web
    assert (link_address(None, address) is not None) is link
    assert (web_address(None, address) is not None) is web


def test_the_schemes_of_links_are_those_that_are_safe() -> None:
    for scheme in LINK_SCHEMES:
        assert is_safe_link(f"{scheme}://a") or is_safe_link(f"{scheme}:a")


def test_a_link_that_is_none_leads_nowhere() -> None:
    assert link_address("https://a.example/", None) is None
    assert link_address("https://a.example/", "http://[") is None
    assert web_address("https://a.example/", "  ") is None


def test_an_origin_is_of_the_web() -> None:
    assert web_origin("https://A.example:80/b") == "https://A.example:80"
    assert web_origin("file:///b") == web_origin("mailto:b@c") == web_origin("http://[") == ""


def test_a_host_is_in_lower_case_or_empty() -> None:
    assert address_host("https://A.example:80/b") == "a.example"
    assert address_host("http://[") == address_host(None) == address_host("b") == ""


def test_the_public_suffix_list_tells_owners_apart() -> None:
    assert same_owner("print.daily.co.uk", "www.daily.co.uk")
    assert not same_owner("print.co.uk", "daily.co.uk")
    assert not same_owner("anna.github.io", "bert.github.io")


@pytest.mark.parametrize("other", ["192.168.2.3", "10.0.2.3", "1.2.3", "2.3", "0xa.1.2.3"])
def test_the_ends_of_two_ip_addresses_are_no_owner(other: str) -> None:
    """To the list of suffixes, 2.3 would be a domain that both are below."""
    assert not same_owner("5.6.2.3", other)
    assert same_owner("5.6.2.3", "5.6.2.3")
    assert is_public_suffix("2.3")
