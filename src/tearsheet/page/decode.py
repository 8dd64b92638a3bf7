"""Bytes → text that the parser reads: by byte order mark, content, transport and `<meta>`.

A page often declares a wrong encoding, and valid UTF-8 is hardly ever anything else. So the content
comes first, and a declared encoding counts only if the content fits it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final

from tearsheet._core import tree
from tearsheet.errors import FetchFailed

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META: Final = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]{2,40})""", re.IGNORECASE)
_META_WITHIN: Final = 16 * 1024
"""Bytes; HTML allows only the first 1,024, but not all pages comply."""
_TAG: Final = re.compile(rb"<[a-zA-Z!?/]")
_BEYOND: Final = re.compile(rb"[\x80-\xff]+")
_SHARE_BROKEN: Final = 0.05
"""Share of the characters beyond ASCII that may be broken if an encoding fits."""
_SAMPLE: Final = 64 * 1024
"""Bytes from which an unknown encoding is guessed, taken around those beyond ASCII."""

# The encodings of pages that are not labelled correctly; guessing among all is worse.
_USUAL: Final = """
cp1252 cp1251 gb18030 cp932 euc_jp cp949 big5hkscs cp1250 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258
koi8_r koi8_u cp874 iso8859_2 iso8859_5 cp866
""".split()

_LATIN: Final = ["cp1252", "cp1250", "cp1254", "cp1257", "cp1258"]

# Labels that stand for a larger encoding (WHATWG Encoding, §4.2).
_WIDER: Final = {
    "iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "gb2312": "gb18030",
    "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "iso8859-11": "cp874",
    "tis-620": "cp874", "big5": "big5hkscs",
}  # fmt: skip

# Python's other codecs are not text (base64), refuse broken input (idna) or hide markup (utf-7).
_OF_THE_WEB: Final = re.compile(
    r"utf-(?:8|16|32)|iso8859|cp\d|koi8|mac-|gb|big5|euc_|shift_jis|iso2022|hz$|johab|tis|ascii|viscii"
)

_BINARY: Final = (
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "an image, sound or video (RIFF)"),
    (b"BM", "a bitmap image"),
    (b"II*\0", "a TIFF image"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "gzip-compressed data"),
    (b"BZh", "bzip2-compressed data"),
    (b"\xfd7zXZ", "xz-compressed data"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"ID3", "an MP3 file"),
    (b"OggS", "an Ogg file"),
    (b"\0\0\0\x18ftyp", "a video"),
    (b"\0\0\0\x1cftyp", "a video"),
    (b"\0\0\0\x20ftyp", "a video"),
    (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"%!PS", "a PostScript document"),
)
_SHORT_MARKS: Final = (b"BM", b"ID3", b"RIFF", b"GIF8", b"BZh")
_CONTROLS: Final = bytes(set(range(32)) - {7, 8, 9, 10, 11, 12, 13, 27, 0}) + b"\x7f"


def decode(body: bytes, encoding: str | None = None) -> str | bytes:
    """The text of a page; bytes that are UTF-8 already are returned as they are.

    >>> decode("Füße".encode("latin-1"), "utf-8")
    'Füße'
    """
    kind = detect_binary(body)
    if kind is not None:
        raise FetchFailed(f"this is {kind}, not a page", code="not-html")
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    text = _decode_seven_bits(body, encoding) if b"\0" in body or b"\x1b" in body else None
    if text is not None:
        return text
    return body if tree.is_utf8(body) else _decode_other(body, encoding)


def is_pdf(body: bytes) -> bool:
    """Whether bytes are a PDF."""
    return body[:1024].lstrip().startswith(b"%PDF-")


def detect_binary(body: bytes) -> str | None:
    """The name of other content than a page: 'a PDF document'."""
    start = body[:1024].lstrip(b"\r\n\t ")
    for mark, kind in _BINARY:
        if start.startswith(mark) and (mark not in _SHORT_MARKS or _is_binary(body)):
            return kind
    return "binary data" if _is_binary(body) else None


def _is_binary(body: bytes) -> bool:
    """Whether many bytes are control characters, which text does not have in any encoding."""
    head = body[:1024]
    written = head.replace(b"\0", b"")
    if len(written) * 5 < len(head):
        return True
    controls = len(written) - len(written.translate(None, _CONTROLS))
    return controls * 20 > len(head) and _TAG.search(written[:256]) is None


def _decode_seven_bits(body: bytes, encoding: str | None) -> str | None:
    """The text, if it is in an encoding whose bytes may be valid UTF-8: UTF-16 without a mark, or
    ISO-2022."""
    head = body[:_META_WITHIN]
    for name, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if zeros.count(0) * 2 > len(zeros):
            return body.decode(name, "replace")
    for name in _declared_encodings(body, encoding):
        if name.startswith("iso2022") or name == "hz":
            return body.decode(name, "replace")
    return None


def _decode_other(body: bytes, encoding: str | None) -> str:
    """The text of bytes that are not valid UTF-8."""
    beyond = len(body) - len(body.translate(None, bytes(range(128, 256))))
    text = body.decode("utf-8", "replace")
    # If little is broken, it is UTF-8 that was cut off or mixed by a careless template.
    if text.count("\ufffd") <= max(1, _SHARE_BROKEN * beyond / 2) and beyond > 8:
        return text
    for name in _declared_encodings(body, encoding):
        if name != "utf-8":
            declared = body.decode(name, "replace")
            if declared.count("\ufffd") <= _SHARE_BROKEN * beyond:
                return declared
    return _decode_by_guess(body)


def _declared_encodings(body: bytes, encoding: str | None) -> Iterator[str]:
    """Python's names for the encodings that the transport and the page declare."""
    found = _META.search(body[:_META_WITHIN])
    own = found[1].decode("latin-1") if found else None
    if own and own.lower().startswith(("utf-16", "utf-32")):
        own = None  # in UTF-16 we could not read this declaration (WHATWG HTML, §13.2.3.2)
    for label in (encoding, own):
        try:
            name = codecs.lookup(label).name if label else ""
        except (LookupError, ValueError):
            continue
        if _OF_THE_WEB.match(name):
            yield _WIDER.get(name, name)


def _decode_by_guess(body: bytes) -> str:
    """The text in the encoding that fits its letters best."""
    from charset_normalizer import from_bytes

    sample = _sample(body)
    for name in ("euc_jp", "cp932"):
        if _is_japanese(sample.decode(name, "replace")):
            return body.decode(name, "replace")
    # Single letters between ASCII belong to a Latin alphabet; other alphabets come in runs.
    runs = _BEYOND.findall(sample)
    alone = sum(len(run) < 3 for run in runs) > 0.9 * len(runs)
    best = from_bytes(sample, steps=8, cp_isolation=_LATIN if alone else _USUAL).best()
    return body.decode(best.encoding if best else "cp1252", "replace")


def _is_japanese(text: str) -> bool:
    """Whether a text is intact and contains the syllables that only Japanese uses."""
    beyond = [sign for sign in text if sign > "\x7f"]
    syllables = sum("\u3041" <= sign <= "\u30f6" for sign in beyond)
    return syllables * 4 > len(beyond) and text.count("\ufffd") * 50 < len(beyond)


def _sample(body: bytes) -> bytes:
    """The words of a page that are not ASCII, with what follows them: they show its encoding."""
    words = re.findall(rb"[^\0-\x7f<>]*[\x80-\xff][^<>]{0,200}", body[: 4 * _SAMPLE])
    return b" ".join(words)[:_SAMPLE] or body[:_SAMPLE]
