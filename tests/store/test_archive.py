"""Articles as bytes: nothing is lost, and nothing but an article ever comes out."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from samples.serve import SITE

from tearsheet import cli, extract, types
from tearsheet.article import Article
from tearsheet.errors import TearsheetError
from tearsheet.prose import plain_text
from tearsheet.store import archive, connect, former, records
from tearsheet.store.archive import pack, unpack
from tearsheet.store.edits import Mark
from tearsheet.types import Clipping, Resource
from tearsheet.workers import Limits

from .former_articles import Former, former_pack, former_pickle, pickle_that_calls

PAGE = "<h1>Tides</h1>" + "<p>They rise and fall, all day long, and nobody minds.</p>" * 30
SAMPLES = sorted(path for path in SITE.rglob("*.html") if path.stat().st_size > 2_000)
NAMES = [
    ("tearsheet.types", "re.enum.bltns.exec"),
    ("tearsheet.types", "Any.__init__.__globals__"),
    ("tearsheet.types", "re"),
    ("tearsheet.types", "Page.__init__"),
    ("tearsheet.article.article", "Article.__init__"),
    ("builtins", "exec"),
    ("numpy", "load"),
    ("numpy", "dtype.__new__"),
]


@cache
def sample() -> Article:
    article = extract(PAGE, "http://a.example/")
    picture = Resource("http://a.example/p.png", "image/png", b"\x89PNG\0\1")
    return article.replace(pictures={picture.url: picture})


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_an_article_is_the_same_after_packing(path: Path) -> None:
    article = extract(path.read_bytes(), "http://a.example/")
    again = unpack(pack(article))
    assert again == article
    assert again.pictures == article.pictures
    for before, after in zip(article.clippings, again.clippings, strict=True):
        assert_same(before, after)


def assert_same(before: Any, after: Any) -> None:
    """Equal in every field, arrays in their types too; only the evidence is left out."""
    if isinstance(before, np.ndarray):
        assert before.dtype == after.dtype
        assert np.array_equal(before, after)
    elif isinstance(before, types.Page | types.Segments | types.Verdict | Clipping | types.Layout):
        for field in fields(before):
            if field.name != "why":
                assert_same(getattr(before, field.name), getattr(after, field.name))
    elif isinstance(before, Mapping):
        assert list(before) == list(after)
        for name in before:
            assert_same(before[name], after[name])
    else:
        assert before == after


def test_a_text_is_kept_once_it_was_asked_for() -> None:
    article = extract(PAGE, "http://a.example/")
    again = unpack(pack(article))
    assert "text" not in vars(article)
    assert "text" not in vars(again)  # whoever asks for the text computes it …
    assert again.text == article.text != ""
    assert "text" in vars(unpack(pack(again)))  # … and from then on it is kept
    shorter = unpack(pack(article.replace(blocks=article.blocks[:1])))
    assert shorter.text == plain_text(article.blocks[:1])


def test_a_lone_surrogate_and_a_zero_are_kept() -> None:
    metadata = types.Metadata(title="a\ud800b\0c")
    assert unpack(pack(Article(metadata, ()))).title == metadata.title


@pytest.mark.parametrize(("module", "name"), NAMES)
@pytest.mark.parametrize("read", [unpack, former.migrate])
def test_a_store_that_somebody_else_wrote_to_runs_nothing(
    tmp_path: Path, module: str, name: str, read: Callable[[bytes], object]
) -> None:
    evil = pickle_that_calls(module, name, f"open({str(tmp_path / 'ran')!r}, 'w')")
    for packed in (zstandard.compress(evil), archive._BEGIN + zstandard.compress(evil)):
        with pytest.raises(TearsheetError):
            read(packed)
    assert list(tmp_path.iterdir()) == []


def test_a_pickle_cannot_change_what_it_may_call() -> None:
    """BUILD on a name sets attributes of what the name gives."""
    text = b"\x8c\x0ftearsheet.types\x8c\x03Run\x93"
    for state in (b"}\x8c\x05_makeK\x01s", b"N}\x8c\x05_makeK\x01s\x86"):
        with pytest.raises(TearsheetError):
            former.migrate(zstandard.compress(b"\x80\x05" + text + state + b"b."))
    assert former.migrate(former_pack(sample()))


def test_an_article_of_an_earlier_version_says_what_to_do() -> None:
    with pytest.raises(archive.FormerEntry, match="tearsheet store migrate"):
        unpack(former_pack(sample()))


def test_articles_of_earlier_versions_are_migrated(monkeypatch: pytest.MonkeyPatch) -> None:
    article = sample()
    assert unpack(former.migrate(former_pack(article))) == article
    again = unpack(pack(article))
    monkeypatch.setattr(types, "Article", Former, raising=False)  # for pickle to find it
    for oldest in (Former(again, again.text), (Former(again, None), True)):
        packed = zstandard.compress(former_pickle(oldest))
        older = unpack(former.migrate(packed))
        assert older == article
        assert older.text == article.text


def test_a_store_is_migrated_by_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], store_address: str
) -> None:
    """Clips and corrections are rewritten; what cannot be read is named and stays."""
    store = connect(store_address)
    old, evil = former_pack(sample()), zstandard.compress(pickle_that_calls("os", "system", "x"))
    names = [store.add({"url": None}, None, "", "", 1) for _ in range(3)]
    for name, packed in zip(names, (old, evil, pack(sample())), strict=True):
        store.keep(name, "article", 0, packed)
    store.correct("http://a.example/", "a.example", [Mark("select", "//p")], old)
    assert cli.main(["store", "migrate", store_address]) == 1
    printed = capsys.readouterr()
    assert "2 articles were rewritten; 1 cannot be read" in printed.out
    assert names[1] in printed.err
    assert store.document(names[1], "article") == evil
    for made in (store.document(names[0], "article"), next(store.log()).article):
        assert made is not None
        assert unpack(made) == sample()
    store.close()


@given(st.data())
def test_changed_bytes_are_an_article_or_an_error(data: st.DataObject) -> None:
    """Bytes that differ anywhere within the compression, where no check sum saves us."""
    body = bytearray(_body())
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(body) - 1))
        new = data.draw(st.binary(max_size=6))
        body[at : at + data.draw(st.integers(0, 6))] = new
    _unpack_or_refuse(bytes(body))


@given(st.data())
def test_changed_values_are_an_article_or_an_error(data: st.DataObject) -> None:
    """JSON in which some value is another one; columns stay as they are."""
    body = _body()
    begin = 8 + int.from_bytes(body[:8], "little")
    values = json.loads(body[8:begin])
    for _ in range(data.draw(st.integers(1, 3))):
        _change(values, data)
    text = json.dumps(values).encode()
    _unpack_or_refuse(len(text).to_bytes(8, "little") + text + body[begin:])


def _change(values: Any, data: st.DataObject) -> None:
    """Replaces one value somewhere within."""
    while True:
        keys = list(values) if isinstance(values, dict) else list(range(len(values)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if isinstance(values[key], list | dict) and values[key] and data.draw(st.booleans()):
            values = values[key]
            continue
        values[key] = data.draw(PLAIN)
        return


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(body: bytes) -> None:
    for packed in (body, archive._BEGIN + body, zstandard.compress(body)):
        for read in (unpack, former.migrate):
            with pytest.raises(TearsheetError):
                read(packed)


@given(st.data())
def test_changed_pickles_are_an_article_or_an_error(data: st.DataObject) -> None:
    body = bytearray(zstandard.decompress(_former()))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(body) - 1))
        body[at : at + 1] = data.draw(st.binary(max_size=2))
    with suppress(TearsheetError):
        former.migrate(zstandard.compress(bytes(body)))


def test_nesting_and_size_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    block: types.Block = types.Paragraph(())
    for _ in range(100):
        block = types.Quote((block,))
    with pytest.raises(archive.NotAnArticle, match="too deep"):
        unpack(pack(Article(types.Metadata(), (block,))))
    text = b"[" * 200_000
    _refuse(len(text).to_bytes(8, "little") + text)
    monkeypatch.setattr("tearsheet.limits.ARTICLE_BYTES", 1000)
    with pytest.raises(archive.NotAnArticle, match="too large"):
        unpack(pack(sample()))


@pytest.mark.parametrize(
    "many", [b"[[],[],[],[],[],[]]", b"[[[[[[[[[[[[]]]]]]]]]]]]", b'[{"":{"":{"":{}}}}]']
)
def test_very_many_values_are_refused_before_they_are_built(
    many: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Megabytes of empty lists would take gigabytes, and compressed they are a few bytes."""
    monkeypatch.setattr("tearsheet.limits.ARTICLE_VALUES", 4)
    monkeypatch.setattr(json, "loads", lambda text: pytest.fail("they were built"))
    body = len(many).to_bytes(8, "little") + many
    with pytest.raises(archive.NotAnArticle, match="too many values"):
        unpack(archive._BEGIN + zstandard.compress(body))


def test_a_pickle_that_never_ends_is_left_out_of_a_migration(
    store_address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty pairs, each of the one before and itself: their hash takes 2**60 steps, in C."""
    pairs = b"".join(b"h%ch%c\x86\x94" % (level, level) for level in range(60))
    endless = zstandard.compress(b"\x80\x05()\x94" + pairs + b"\x91.")
    monkeypatch.setattr("tearsheet.limits.JOB_SECONDS", 5.0)
    store = connect(store_address)
    for name, packed in (("a", endless), ("b", former_pack(sample()))):
        store.correct(f"http://{name}.example/", "", [Mark("select", "//p")], packed)
    assert cli.main(["store", "migrate", store_address]) == 1
    printed = capsys.readouterr()
    assert "1 articles were rewritten; 1 cannot be read" in printed.out
    assert "http://a.example/: the page took longer than is allowed" in printed.err
    assert {one.article for one in store.log()} == {endless, pack(sample())}
    store.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits what a process takes")
def test_a_pickle_that_takes_all_memory_is_left_out_of_a_migration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few bytes of the store are 150 MB of zeros, of which it makes a list of numbers."""
    zeros = b"\x8e" + (150_000_000).to_bytes(8, "little") + bytes(150_000_000)
    name = b"\x8c\x05numpy\x8c\x07ndarray\x93"
    huge = zstandard.compress(b"\x80\x05" + name + zeros + b"\x85R.")
    monkeypatch.setattr("tearsheet.store.command._LIMITS", Limits(own_bytes=1_300_000_000))
    address = str(tmp_path / "store.db")
    store = connect(address)
    for site, packed in (("a", huge), ("b", former_pack(sample()))):
        store.correct(f"http://{site}.example/", "", [Mark("select", "//p")], packed)
    assert cli.main(["store", "migrate", address]) == 1
    printed = capsys.readouterr()
    assert "1 articles were rewritten; 1 cannot be read" in printed.out
    assert "http://a.example/" in printed.err
    assert "MemoryError" in printed.err
    store.close()


@pytest.mark.parametrize("column", ["tag", "end", "attrs_at", "first", "last", "block", "keep"])
@pytest.mark.parametrize("change", ["less", "more", "cut"])
def test_columns_that_lead_beyond_the_page_are_refused(column: str, change: str) -> None:
    """The compiled core reads columns without looking at their ends."""
    article = sample()
    clipping = article.clippings[0]
    part = next(
        name for name in ("page", "segments", "verdict") if hasattr(getattr(clipping, name), column)
    )
    values = getattr(getattr(clipping, part), column).copy()
    if change == "cut":
        values = values[:-1]
    elif values.dtype == np.bool_:
        values = values.view(np.uint8) + np.uint8(2)
        values = values.view(np.bool_)
    else:
        values[-1] = 255 if values.dtype == np.uint8 else -7 if change == "less" else 10**8
    changed = replace(clipping, **{part: replace(getattr(clipping, part), **{column: values})})
    with pytest.raises(archive.NotAnArticle):
        unpack(pack(article.replace(clippings=(changed,))))


def test_what_is_stored_changes_only_with_its_version() -> None:
    """A field may be added at the end, with a default, and so may a kind of block; for all else
    `VERSION` goes up, and a migration with it."""
    shape = {kind.__name__: _names(kind) for kind in (*records.RECORDS, archive._ArticleState)}
    known = json.loads((Path(__file__).parent / f"schema-{archive.VERSION}.json").read_text())
    assert shape.keys() == known.keys()
    for name, names in known.items():
        assert shape[name][: len(names)] == [*map(_short_array, names)], name


def _names(kind: Any) -> list[str]:
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else kind._fields
    written = [f"{name}: {hints[name]}".replace("tearsheet.types.", "") for name in names]
    kinds = " | ".join(kind.__name__ for kind in get_args(types.Block))
    return [_short_array(line.replace(kinds, "Block")) for line in written]


def _short_array(line: str) -> str:
    """The line with arrays as NumPy writes them from 2.5 and Python 3.12 on, and without the
    underscore that NumPy 1 puts after `bool`."""
    short = re.sub(r"numpy\.ndarray\[.*?, numpy\.dtype\[([\w.]+)\]\]", r"NDArray[\1]", line)
    return short.replace("numpy.bool_", "numpy.bool")


@cache
def _body() -> bytes:
    return archive.decompress(pack(sample())[len(archive._BEGIN) :])


@cache
def _former() -> bytes:
    return former_pack(sample())


def _unpack_or_refuse(body: bytes) -> None:
    try:
        article = unpack(archive._BEGIN + zstandard.compress(body))
    except TearsheetError:
        return
    assert isinstance(article, Article)
    _check_texts(article.metadata)
    _check_texts(article.blocks)


def _check_texts(value: Any) -> None:
    """Whatever is declared as a text, in a record or below it, is one."""
    if isinstance(value, tuple):
        for part in value:
            _check_texts(part)
    elif is_dataclass(value):
        for name, hint in get_type_hints(type(value)).items():
            part = getattr(value, name)
            assert hint is not str or type(part) is str, (name, part)
            _check_texts(part)


def _refuse(body: bytes) -> None:
    with pytest.raises(archive.NotAnArticle):
        unpack(archive._BEGIN + zstandard.compress(body))
