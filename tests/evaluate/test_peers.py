"""Whatever peer is installed clips the same small page."""

from __future__ import annotations

import pytest

from tearsheet.evaluate import peers

SENTENCE = "The ferry across the bay was late again, and nobody on the pier was surprised by it. "
PAGE = (
    "<!doctype html><html lang=en><head><title>The ferry</title></head><body>"
    "<nav><a href=/>Home</a> <a href=/n>News</a></nav>"
    "<article><h1>The ferry</h1>"
    + "".join(f"<p>{SENTENCE * 4}{n}.</p>" for n in "abcdefgh")
    + "</article><footer><a href=/i>Imprint</a></footer></body></html>"
)


@pytest.mark.parametrize("name", peers.PEERS)
@pytest.mark.filterwarnings("ignore")  # theirs
def test_a_peer_finds_the_text(name: str) -> None:
    if not peers.version(name):
        pytest.skip(f"{name} is not installed (it is in the bench extra)")
    found = peers.PEERS[name](PAGE, "https://ferry.example/late")
    assert "nobody on the pier" in found.text
    assert "Imprint" not in found.text


def test_only_installed_peers_are_offered() -> None:
    assert set(peers.installed_peers()) == {name for name in peers.PEERS if peers.version(name)}
