"""Full addresses: what the short way gives is what the standard library gives."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.components._join import joined, origin, path_of

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
        expected = urljoin(base, address)
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            joined(base, address)
    else:
        assert joined(base, address) == expected


@given(address=ADDRESSES)
def test_a_path_is_that_of_the_standard_library(address: str) -> None:
    try:
        expected = urlsplit(address).path
    except ValueError:
        return
    assert path_of(address) == expected


def test_an_origin_is_of_the_web() -> None:
    assert origin("https://A.example:80/b") == "https://A.example:80"
    assert origin("file:///b") == origin("mailto:b@c") == origin("http://[") == ""
