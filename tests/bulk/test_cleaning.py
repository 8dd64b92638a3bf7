"""Knowledge of a whole archive that a single page does not have: near-duplicates, and a site's
template."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.bulk import archives
from tests.bulk.test_run import bulk, rows

from tearsheet.bulk.duplicates import minhash

WORDS = "harbour ferry gull rope tide lamp sail crew fog pier".split()


def text(seed: int, length: int = 300) -> list[str]:
    """A text of its own, always the same for a seed."""
    chosen = np.random.default_rng(seed).integers(0, len(WORDS), (length, 2))
    return [f"{WORDS[a]}{WORDS[b]}" for a, b in chosen]


def meet(one: list[str], other: list[str]) -> bool:
    return bool(set(minhash(" ".join(one))) & set(minhash(" ".join(other))))


def test_texts_meet_when_nearly_the_same_and_only_then() -> None:
    for seed in range(20):
        words = text(seed)
        assert meet(words, [*words[:150], "changed", *words[151:]])
        assert not meet(words, text(100 + seed))
        assert not meet(words, words[:100] + text(100 + seed, 200))


def test_texts_without_spaces_and_without_words_have_a_hash() -> None:
    assert meet(["港の朝は早い。" * 9], ["港の朝は早い。" * 9 + "終"])
    assert not meet(["港の朝は早い。" * 9], ["山の夜は静かで、風もない。" * 9])
    assert minhash("") == minhash(" … ")


def story(number: int, words: list[str], more: str = "") -> bytes:
    html = f"<title>Story {number}</title><h1>Story {number}</h1><p>{' '.join(words)}</p>{more}"
    return archives.response(f"https://sample.invalid/{number}", html.encode())


@pytest.mark.parametrize("name", ["out.jsonl", "out"])
def test_near_duplicates_become_errors_across_shards(name: str, tmp_path: Path) -> None:
    texts = [text(0), text(1), text(0)[:290], text(2), text(1)]
    records = [story(number, words) for number, words in enumerate(texts)]
    first = archives.write(tmp_path / "a.warc", records[:2])
    other = archives.write(tmp_path / "b.warc", records[2:])
    assert bulk(first, other, "-o", tmp_path / name, "--unique").returncode == 0
    found = rows(tmp_path / name)
    assert [row["error"] for row in found] == [
        None, None, f"duplicate: nearly the same as {first} at 0",
        None, f"duplicate: nearly the same as {first} at {len(records[0])}",
    ]  # fmt: skip
    assert [bool(row["text"]) for row in found] == [True, True, False, True, False]
    assert "minhash" not in found[0]


def test_marking_again_changes_nothing_and_documents_of_duplicates_go(tmp_path: Path) -> None:
    records = [story(number, text(0)) for number in range(3)]
    path, out = archives.write(tmp_path / "in.warc", records), tmp_path / "out"
    assert bulk(path, "-o", out, "--unique", "-f", "md").returncode == 0
    assert [row["error"] is None for row in rows(out / "index.jsonl")] == [True, False, False]
    assert len(list(out.glob("*.md"))) == 1
    table = tmp_path / "table"
    assert bulk(path, "-o", table, "--unique").returncode == 0
    before = rows(table)
    (table / "_run/done/mark/00000.json").unlink()
    assert bulk(path, "-o", table, "--unique").returncode == 0
    assert rows(table) == before


def test_what_repeats_over_a_site_is_left_out_when_asked(tmp_path: Path) -> None:
    plea = "Our newsletter brings the news of the harbour to your door every Friday morning."
    after = [f"<p>{plea}</p><p>{' '.join(text(50 + n))}" for n in range(6)]
    records = [story(n, text(n), after[n]) for n in range(6)]
    records[5] = records[5].replace(b"sample.invalid", b"other.invalid")
    path = archives.write(tmp_path / "in.warc", records)
    assert bulk(path, "-o", tmp_path / "plain.jsonl").returncode == 0
    assert all(plea in row["text"] for row in rows(tmp_path / "plain.jsonl"))
    done = bulk(path, "-o", tmp_path / "out.jsonl", "--templates")
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "out.jsonl")
    assert [plea in row["text"] for row in found] == [False] * 5 + [True]
    for number, row in enumerate(found):
        assert " ".join(text(number)) in row["text"]
        assert " ".join(text(50 + number)) in row["text"]


def test_a_page_with_many_addresses_is_no_template(tmp_path: Path) -> None:
    records = [story(0, text(0)) for _ in range(4)] + [story(n, text(n)) for n in range(1, 4)]
    path = archives.write(tmp_path / "in.warc", records)
    assert bulk(path, "-o", tmp_path / "out.jsonl", "--templates").returncode == 0
    assert all(row["text"] and row["error"] is None for row in rows(tmp_path / "out.jsonl"))
