"""SQLite and PostgreSQL find the same clips for the same words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.article import Article
from tearsheet.store import ClipQuery, Store, connect
from tearsheet.store.search import fold_text, text_to_index
from tearsheet.types import Figure, Image, Metadata, Paragraph, Post, Run

from .test_jobs import claim_clip

TEXTS = {
    "The last ferry": "It left at 18.30, and nobody knew why. See harbour.example/last for more.",
    "Ärger am Hafen": "Die Fähre fuhr nicht; das well-known/and-or-not Problem.",
    "海鷗": "海鷗飛過港口。今天沒有渡輪。",
    "Naïve café": "The ferryman's e-mail is bo@harbour.example, version 3.14_beta.",
    "हिन्दी": "नाव आज नहीं चली।",
}
FOUND = {
    "ferry": ["Naïve café", "The last ferry"],  # the last word may go on
    "ferry left": ["The last ferry"],
    '"last ferry"': ["The last ferry"],
    '"ferry last"': [],
    "fahre": ["Ärger am Hafen"],
    "FÄHRE": ["Ärger am Hafen"],
    "harbour": ["Naïve café", "The last ferry"],
    "harbour.example": ["Naïve café", "The last ferry"],
    "and-or": ["Ärger am Hafen"],
    "problem": ["Ärger am Hafen"],
    "3.14": ["Naïve café"],
    "beta": ["Naïve café"],
    "港口": ["海鷗"],
    "口港": [],
    "नहीं": ["हिन्दी"],
    "ferryman's": ["Naïve café"],
    "naive harbour": ["Naïve café"],
    "!!! & | :* <->": [],
    "nowhere": [],
}


@pytest.fixture
def store(store_address: str) -> Iterator[Store]:
    held = connect(store_address)
    for title, text in TEXTS.items():
        name = held.add({"url": None}, None, "", "", 1)
        claim_clip(held, "me")
        held.finish(name, "me", {"title": title, "url": "http://a.example/"}, [], {}, text)
    yield held
    held.close()


def find(store: Store, words: str) -> list[str]:
    return sorted(clip.title for clip in store.find_clips("", ClipQuery(words=words)).clips)


def test_words_phrases_beginnings_and_signs_are_found(store: Store) -> None:
    assert {words: find(store, words) for words in FOUND} == FOUND


def test_a_clip_is_found_by_its_new_title_and_not_when_it_is_gone(store: Store) -> None:
    (clip,) = store.find_clips("", ClipQuery(words="naive")).clips
    facts = {"title": "Hurtigruten", "url": "http://a.example/"}
    store.change_edits(clip, [], facts, "Another text.")
    assert (find(store, "hurtig"), find(store, "naive")) == (["Hurtigruten"], [])
    store.remove(clip.id)
    assert find(store, "hurtig") == []


def test_captions_and_those_who_post_are_found() -> None:
    """Plain text leaves them out; the documents show them."""
    image = Image("http://a.example/quay.jpg", caption="The quay at dusk.", row=3)
    posts = Post((Paragraph((Run("It rained."),)),), author="Ragnhild")
    article = Article(Metadata("Tides"), blocks=(posts, Figure((image,))), images=(image,))
    assert text_to_index(article) == "It rained.\n\nThe quay at dusk.\n\nRagnhild"


@given(st.text(), st.sampled_from(["", "".join(map(chr, range(0x300, 0x360)))]))
def test_texts_are_folded_sign_by_sign(text: str, accents: str) -> None:
    """Many different accents are dropped at once, few of them one after the other."""
    parts = unicodedata.normalize("NFKD", (text + accents + text).casefold())
    plain = "".join(sign for sign in parts if not unicodedata.combining(sign))
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", plain))
    assert "".join(fold_text(text + accents + text).split()) == "".join(words)


def test_the_index_of_an_earlier_version_is_made_anew(tmp_path: Path) -> None:
    """Since the third version it knows how words begin; the texts stay."""
    path = str(tmp_path / "store.db")
    store = connect(path)
    name = store.add({"url": None}, None, "", "", 1)
    claim_clip(store, "me")
    store.finish(name, "me", {"title": "Tides", "url": None}, [], {}, "They rise and fall.")
    with store._change() as db:
        db.execute("DROP TABLE words")
        columns = "title, body, content = 'texts', content_rowid = 'id'"
        db.execute(f"CREATE VIRTUAL TABLE words USING fts5 ({columns})")
        db.execute("UPDATE store SET version = 2")
    store.close()
    store = connect(path)
    assert (find(store, "ris"), find(store, "tid")) == (["Tides"], ["Tides"])
    made = store._rows("SELECT sql FROM sqlite_master WHERE name = 'words'")[0][0]
    assert "prefix" in made
    store.close()
