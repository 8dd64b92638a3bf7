"""JSON-LD is read the same way by all, even if it is broken, and bounded if it is hostile."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet import json_ld

KIND = "application/ld+json"
NAMES = st.sampled_from(["@type", "name", "text", "@graph", "author"])
VALUES = st.recursive(
    st.sampled_from(["Article", "Person", "A and B", "C"]) | st.integers(0, 3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)


def types(*sources: str) -> list[tuple[str, ...]]:
    return [json_ld.node_types(node) for node in json_ld.read_nodes([(KIND, s) for s in sources])]


def test_a_graph_is_flattened_outer_objects_first() -> None:
    source = '{"@graph": [{"@type": "A", "author": {"@type": ["B", "https://schema.org/C"]}}, {}]}'
    assert types(source, '{"@type": "D"}') == [("A",), ("B", "C"), ("D",)]


@pytest.mark.parametrize(
    "source",
    [
        '<!-- {"@type": "A"} -->',
        '//<![CDATA[\n{"@type": "A"}\n//]]>',
        '{"@type": "A",}',
        '{"@type": "A"};',
        '{"@type": "A", "text": "line\nbreak"}',
        '{"@type": "A"} {"broken": ',
    ],
)
def test_a_little_broken_is_read(source: str) -> None:
    assert types(source) == [("A",)]


def test_several_documents_in_one_script() -> None:
    assert types('{"@type": "A"}{"@type": "B"},\n{"@type": "C"}') == [("A",), ("B",), ("C",)]


def test_other_scripts_are_not_read() -> None:
    scripts = [("application/json", '{"@type": "A", "name": "B"}')]
    assert not list(json_ld.read_nodes(scripts))
    assert not list(json_ld.read_values(scripts, "name"))
    assert not json_ld.scan_types(scripts)
    assert not list(json_ld.scan_texts(scripts, "name"))


def test_what_is_hostile_is_bounded() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    assert types(deep) == []
    many = json.dumps([{"@type": "A"}] * (json_ld.MOST_NODES + 5))
    assert len(types(many)) == json_ld.MOST_NODES
    assert len(json_ld.parse_documents("1 " * 500_000)) == json_ld.MOST_DOCUMENTS
    nested = '{"a":' * (json_ld.DEEPEST + 5) + '{"name": "B"}' + "}" * (json_ld.DEEPEST + 5)
    assert list(json_ld.read_values([(KIND, nested)], "name")) == []


@given(value=VALUES)
def test_scanning_finds_what_parsing_finds(value: object) -> None:
    scripts = [(KIND, json.dumps(value))]
    read = [v for v in json_ld.read_values(scripts, "name", "text") if isinstance(v, str)]
    assert sorted(text for _, text in json_ld.scan_texts(scripts, "name", "text")) == sorted(read)
    named = [node["@type"] for node in json_ld.read_nodes(scripts)]
    plain = [name for name in named if isinstance(name, str) and name.isalpha()]
    assert sorted(json_ld.scan_types(scripts)) == sorted(plain)
