"""The language of a text, detected by its letters."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import tearsheet
from tearsheet.components.text_language import detect_language
from tearsheet.errors import MissingExtra
from tearsheet.installation import install_command
from tearsheet.types import Options

GERMAN = "Die letzte Fähre verlässt den Hafen, wenn die Glocke am Ende des Piers zweimal schlägt."
ASKED = Options(detect_language=True)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (GERMAN, "de"),
        ("The last ferry leaves the harbour when the bell at the pier has rung twice.", "en"),
        (
            "Le dernier bateau quitte le port quand la cloche a sonné deux fois.",
            "fr",
        ),
        ("Последний паром покидает гавань, когда колокол на причале прозвонит дважды.", "ru"),
        ("最後のフェリーは、桟橋の鐘が二度鳴ると港を出ます。乗り遅れる人もいます。", "ja"),
        ("تغادر العبارة الأخيرة الميناء عندما يدق الجرس مرتين على الرصيف.", "ar"),
    ],
)
def test_the_language_is_told_by_the_text(text: str, language: str) -> None:
    found, score = detect_language([text])
    assert found == language
    assert 0.7 < score <= 1


@pytest.mark.parametrize("text", ["", "Test", "2026-11-18 12:30 3.14 42 1,000,000 +49 30 1234567"])
def test_too_few_letters_have_no_language(text: str) -> None:
    assert detect_language([text]) == ("", 0.0)


def test_long_lines_decide_and_not_the_names_between_them() -> None:
    assert detect_language(["Home", "Sign in", "Privacy Policy", GERMAN])[0] == "de"


def test_the_text_is_believed_beside_what_the_page_declares() -> None:
    page = f"<html lang=en><title>Hafen</title><main><h1>Hafen</h1><p>{GERMAN}</p></main>"
    known = tearsheet.extract(page, options=ASKED).metadata
    assert (known.language, known.detected_language) == ("en", "de")
    assert known.language_score is not None
    assert known.sources["detected_language"] == "letters of the text"


def test_a_document_says_the_detected_language_where_none_is_declared() -> None:
    article = tearsheet.extract(f"<main><h1>Hafen</h1><p>{GERMAN}</p></main>", options=ASKED)
    assert 'lang="de"' in article.to("html").decode()
    assert json.loads(article.json())["metadata"]["detected_language"] == "de"
    assert 'detected_language: "de"' in article.to("md", Options(front_matter=True)).decode()


def test_it_is_detected_only_when_asked_for() -> None:
    code = (
        "import sys, tearsheet\n"
        f"page = '<main><p>{GERMAN}</p></main>'\n"
        "assert tearsheet.extract(page).complete().metadata.detected_language == ''\n"
        "asked = tearsheet.Options(detect_language=True)\n"
        "assert tearsheet.extract(page, options=asked).text\n"
        "assert 'py3langid' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_missing_detector_is_one_sentence_with_the_command() -> None:
    code = (
        "import sys, tearsheet\n"
        "sys.modules['py3langid'] = None\n"
        "asked = tearsheet.Options(detect_language=True)\n"
        f"tearsheet.extract('<main><p>{GERMAN}</p></main>', options=asked).metadata\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert MissingExtra.__name__ in done.stderr
    assert install_command("language") in done.stderr
