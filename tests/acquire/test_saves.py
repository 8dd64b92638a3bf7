"""Complete saves: a page with its files beside it, in a folder or a zip."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest
from fuzz.target import cpu_limit

from tearsheet import Options, clip, limits
from tearsheet.acquire.browser import Browser
from tearsheet.acquire.named_files import _names
from tearsheet.acquire.sources import acquire
from tearsheet.errors import FetchFailed, LimitExceeded
from tearsheet.page import read_page
from tearsheet.types import Snapshot

TEXT = "<p>The lighthouse keeper wrote down every ship that passed the point.</p>" * 20
GIF = bytes.fromhex("47494638396107000300800000000000ffffff21f90400000000002c00000000070003000002")
GIF += bytes.fromhex("0484 8fa9 5b00 3b")
DRAWING = b"<svg xmlns='http://www.w3.org/2000/svg' width='70' height='30'/>"
PAGE = f"""<!DOCTYPE html><link rel=stylesheet href="index.css"><h1>Ships</h1>
<figure><img src="ship.svg"></figure>{TEXT}<iframe src="frame.html"></iframe>
<a href="other.html">More</a><a href="../secret.svg">Up</a>"""
FILES = {
    "index.html": PAGE.encode(),
    "index.css": b"@import 'css/more.css'; h1 { font-size: 41px }",
    "css/more.css": b"body { background: url(../paper%20a.gif?v=2#x); color: #123456 }",
    "paper a.gif": GIF,
    "ship.svg": DRAWING,
    "frame.html": b"<link rel=stylesheet href=frame.css><p>In the frame",
    "frame.css": b"p { color: red }",
    "other.html": b"<p>Another page",
    "unrelated.bin": b"\0" * 5000,
}
NAMED = {"index.css", "css/more.css", "paper a.gif", "ship.svg", "frame.html", "frame.css"}


def write(folder: Path, files: dict[str, bytes]) -> Path:
    for name, body in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(body)
    return folder


def pack(files: dict[str, bytes]) -> bytes:
    with io.BytesIO() as held:
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as made:
            for name, body in files.items():
                made.writestr(name, body)
        return held.getvalue()


def bodies(snapshot: Snapshot) -> set[bytes]:
    return {file.body for file in snapshot.resources.values()}


@pytest.fixture(params=["folder", "page", "zip", "zip of a folder"])
def save(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = write(tmp_path / "save", FILES)
    if request.param == "folder":
        return folder
    if request.param == "page":
        return folder / "index.html"
    prefix = "20200101/" if request.param == "zip of a folder" else ""
    path = tmp_path / "page.zip"
    path.write_bytes(pack({prefix + name: body for name, body in FILES.items()}))
    return path


@pytest.mark.parametrize("url", [None, "https://a.test/log/ships.html"])
def test_a_save_is_read_with_what_its_page_shows_and_nothing_else(
    save: Path, url: str | None
) -> None:
    found = acquire(save, url)
    assert bodies(found) == {FILES[name] for name in NAMED}
    assert found.final_url == url


@pytest.mark.parametrize("url", [None, "https://a.test/log/ships.html"])
def test_a_save_is_drawn_and_clipped_with_its_styles_and_pictures(
    save: Path, url: str | None, browser: Browser
) -> None:
    page = read_page(acquire(save, url, render=True, browser=browser))
    assert page.layout is not None
    assert page.layout.font_size.max() == 41
    assert 0x123456 in page.layout.color
    article = clip(save, url, render="never")
    (image,) = article.images
    assert article.pictures[image.url].body == DRAWING


def test_a_save_from_standard_bytes() -> None:
    assert bodies(acquire(pack(FILES))) == {FILES[name] for name in NAMED}


def test_a_folder_as_wget_lays_it_out(tmp_path: Path) -> None:
    page = """<base href="https://a.test/log/"><link rel=stylesheet href=/load.php?all>
    <img src="https://a.test/log/x.gif"><img src=//cdn.test/y.svg>"""
    files = {
        "a.test/log/ships.html": page.encode(),
        "a.test/load.php?all": b"p { color: red }",
        "a.test/log/x.gif": GIF,
        "cdn.test/y.svg": DRAWING,
    }
    found = acquire(write(tmp_path, files), "https://a.test/log/ships.html")
    kinds = {name: file.media_type for name, file in found.resources.items()}
    assert kinds == {
        "https://a.test/load.php?all": "text/css",
        "https://a.test/log/x.gif": "image/gif",
        "https://cdn.test/y.svg": "image/svg+xml",
    }


def test_a_saved_file_is_preferred_to_one_that_the_save_lacks(tmp_path: Path) -> None:
    shown = '<figure><img src="small.svg" srcset="small.svg 400w, large.svg 1600w"></figure>'
    folder = write(tmp_path, {"index.html": (TEXT + shown + TEXT).encode(), "small.svg": DRAWING})
    (image,) = clip(folder, "https://a.test/", render="never").images
    assert image.url == "https://a.test/small.svg"
    write(folder, {"large.svg": DRAWING})
    (image,) = clip(folder, "https://a.test/", render="never").images
    assert image.url == "https://a.test/large.svg"


def test_the_file_that_the_browser_shows_is_the_image(tmp_path: Path, browser: Browser) -> None:
    shown = """<figure><picture><source srcset="wide%20ü.svg" media="(min-width: 600px)">
    <img src="small.svg"></picture></figure>"""
    files = {"small.svg": DRAWING, "wide ü.svg": DRAWING + b" "}
    folder = write(tmp_path, {"index.html": (TEXT + shown + TEXT).encode(), **files})
    article = clip(folder, "https://a.test/", render="always")
    (image,) = article.images
    assert image.url == "https://a.test/wide%20%C3%BC.svg"
    assert article.pictures[image.url].body == DRAWING + b" "


def test_nothing_outside_the_folder_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "save"
    secret = write(tmp_path, {"secret.svg": b"secret"}) / "secret.svg"
    names = ["../secret.svg", "%2e%2e/secret.svg", str(secret), f"file://{secret}", "link.svg"]
    names += ["links/secret.svg", "a/../../secret.svg", "pipe.svg", "..\\secret.svg", "a\0b.svg"]
    page = "".join(f'<img src="{name}">' for name in names)
    write(folder, {"index.html": page.encode(), "a/b.txt": b""})
    (folder / "link.svg").symlink_to(secret)
    (folder / "links").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.svg")
    assert acquire(folder).resources == {}


def test_files_are_limited_in_number_and_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    page = "".join(f'<img src="{n}.svg">' for n in range(9))
    files = {f"{n}.svg": bytes(100) for n in range(9)}
    folder = write(tmp_path, {"index.html": page.encode(), **files})
    assert len(acquire(folder, options=Options(max_bytes=450)).resources) == 4
    monkeypatch.setattr(limits, "SAVED_FILES", 3)
    assert len(acquire(folder).resources) == 3
    assert "more files than are read" in caplog.text


def test_a_zip_bomb_is_not_unpacked() -> None:
    bomb = pack({"index.html": b"<img src=a.svg>", "a.svg": bytes(50_000_000)})
    assert acquire(bomb, options=Options(max_bytes=1_000_000)).resources == {}
    with pytest.raises(FetchFailed, match="larger than"):
        acquire(pack({"index.html": bytes(2_000_000)}), options=Options(max_bytes=1_000_000))


def test_a_zip_with_too_many_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SAVED_FILES", 3)
    with pytest.raises(LimitExceeded, match="more than 3 files"):
        acquire(pack(FILES))


@pytest.mark.parametrize("name", ["../a.svg", "/etc/a.svg", "a\\..\\..\\b.svg", "C:/a.svg"])
def test_a_zip_with_a_path_that_leads_out_is_refused(name: str) -> None:
    with pytest.raises(FetchFailed, match="leads out of it"):
        acquire(pack({"index.html": b"<p>Words", name: b"x"}))


def test_a_zip_with_a_link_is_refused() -> None:
    link = zipfile.ZipInfo("link.svg")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with io.BytesIO() as held:
        with zipfile.ZipFile(held, "w") as made:
            made.writestr("index.html", "<img src=link.svg>")
            made.writestr(link, "/etc/passwd")
        with pytest.raises(FetchFailed, match="link or a device"):
            acquire(held.getvalue())


def test_a_broken_zip_is_a_clear_error() -> None:
    whole = pack({"index.html": PAGE.encode() * 9})
    for broken in (whole[:-30], whole.replace(whole[60:90], bytes(30))):
        with pytest.raises(FetchFailed, match="the zip cannot be read"):
            acquire(broken)


@pytest.mark.parametrize(
    ("files", "why"),
    [({"a.html": b"", "b.html": b""}, "2 pages"), ({"a.txt": b""}, "has no page")],
)
def test_a_save_without_one_page_is_a_clear_error(
    files: dict[str, bytes], why: str, tmp_path: Path
) -> None:
    for source in (write(tmp_path, files), pack(files)):
        with pytest.raises(FetchFailed, match=why):
            acquire(source)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_that_is_packed_in_another_way_is_a_clear_error(method: int) -> None:
    """Their errors are not those of zips, and some take memory that the zip itself names."""
    with io.BytesIO() as held:
        with zipfile.ZipFile(held, "w", method) as made:
            made.writestr("index.html", PAGE)
        body = held.getvalue()
    with pytest.raises(FetchFailed, match="packed in an unknown way"):
        acquire(body)


@pytest.mark.parametrize(("at", "value"), [(6, 99), (8, 0x20), (8, 0x40)])
def test_a_zip_of_a_kind_that_is_not_known_is_a_clear_error(at: int, value: int) -> None:
    """A later version of the format, patches and another encryption, in directory and file."""
    body = bytearray(pack({"index.html": b"<p>Hello"}))
    entry = body.index(b"PK\x01\x02")
    body[entry + at] = body[at - 2] = value
    with pytest.raises(FetchFailed, match="the zip cannot be read"):
        acquire(bytes(body))


def test_a_zip_with_a_file_without_a_name_is_a_clear_error() -> None:
    body = bytearray(pack({"a": b"<p>Hello"}))
    body[body.index(b"PK\x01\x02") + 46] = 0  # a name ends where its first zero is
    with pytest.raises(FetchFailed, match="without a name"):
        acquire(bytes(body))


@pytest.mark.parametrize("name", [b"\xff\xffndex", b"window"], ids=["no UTF-8", "another"])
def test_a_zip_whose_names_differ_is_a_clear_error(name: bytes) -> None:
    """The name before the file is not the one in the directory."""
    body = pack({"índex.html": PAGE.encode()})
    with pytest.raises(FetchFailed, match="the zip cannot be read"):
        acquire(body.replace("índex".encode(), name, 1))


@pytest.mark.parametrize(
    "text",
    [
        "url(",
        "url( ",
        "url(&quot;",
        'url("',
        "url('a",
        " href=a",
        "<link href=",
        "@import ",
        " src='",
    ],
)
@pytest.mark.parametrize("start", ["", "<link ", "url(", "<base "])
def test_names_that_do_not_end_are_read_once(start: str, text: str) -> None:
    """A style sheet of half a megabyte took minutes: each name was read to the end of the text."""
    with cpu_limit(5):
        assert list(_names(start + text * (500_000 // len(text)), "text/html")) is not None
        assert list(_names(start + " " * 500_000, "text/css")) is not None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a { b: url(c.gif) }", "c.gif"),
        ("a { b: url( 'c (1).gif' ) }", "c (1).gif"),
        ('a { b: url("c.gif") }', "c.gif"),
        ('<p style="b: url(&quot;c.gif?d&amp;e&quot;)">', "c.gif?d&e"),
        ("<link rel=icon href=c.gif>", "c.gif"),
        ("<use xlink:href='c.svg#d'/>", "c.svg#d"),
        ("@import 'c.css';", "c.css"),
    ],
)
def test_every_way_to_name_a_file_is_known(text: str, name: str) -> None:
    assert name in dict(_names(text, "text/html"))
