"""trafilatura's own tests, run against `tearsheet.compat.trafilatura`.

    python -m benchmarks.peer_tests                 # downloads its sdist into a temporary folder
    python -m benchmarks.peer_tests FOLDER          # an unpacked sdist or a checkout

Their tests are read where they are and never copied. A test counts if it passes with trafilatura
itself and calls one of its public functions; tests of its internals say nothing about ours. This
module is also the plug-in of pytest that puts our functions in the place of theirs and notes which
tests call them.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FILES = ("unit", "metadata", "baseline", "filters", "xml_tei", "deduplication")
HOMES = {
    "trafilatura": ("extract", "bare_extraction", "extract_with_metadata", "extract_metadata",
                    "baseline", "html2txt", "load_html"),
    "trafilatura.core": ("extract", "bare_extraction", "extract_with_metadata"),
    "trafilatura.baseline": ("baseline", "html2txt"),
    "trafilatura.metadata": ("extract_metadata",),
    "trafilatura.utils": ("load_html",),
    "trafilatura.meta": ("reset_caches",),
    "trafilatura.settings": ("MANUALLY_CLEANED",),
}  # fmt: skip
"""Where their tests take the public functions from."""
SPACES = "white space inside a line is folded here; there, marks keep two spaces around them"
DETAILS = (
    "where text stands in the tree: tails of items, quotes and cells, line breaks, rest of code"
)
JUDGEMENT = (
    "what counts as text, comment or title on a page of a few lines is the engine's judgement"
)
PICTURES = "pictures inside a line, an item or a cell stand beside it here"
AUTHORS = "names, titles and addresses follow our rules, which were measured on real pages"
INNER = "it looks into trafilatura's modules, or counts its warnings"
REASONS: dict[str, str] = {
    "test_markdown_inline_rendering": SPACES, "test_markdown_sup_sub": SPACES,
    "test_nested_element_tail": DETAILS, "test_subelement_text": DETAILS,
    "test_code_blocks": DETAILS, "test_formatting": DETAILS, "test_extract_snippet": DETAILS,
    "test_table": DETAILS, "test_block_in_inline_wrapper": DETAILS, "test_lb_only": DETAILS,
    "test_extract_with_metadata": DETAILS, "test_html_conversion": DETAILS,
    "test_htmlprocessing": DETAILS, "test_links": DETAILS,
    "test_images": PICTURES, "test_image_tail": PICTURES, "test_list_item_attr": PICTURES,
    "test_short_document_fallback": PICTURES, "test_longer_fallback": PICTURES,
    "test_recall_escalation": JUDGEMENT, "test_escalation": JUDGEMENT,
    "test_main_pass": JUDGEMENT, "test_infinite_scroll": JUDGEMENT, "test_external": JUDGEMENT,
    "test_precision_recall": JUDGEMENT, "test_combined": JUDGEMENT, "test_yoast": JUDGEMENT,
    "test_basic_cleaning_cookie": JUDGEMENT, "test_list_processing": JUDGEMENT,
    "test_input": JUDGEMENT, "test_extract_deep": JUDGEMENT,
    "test_author": AUTHORS, "test_titles": AUTHORS, "test_url": AUTHORS, "test_dates": AUTHORS,
    "test_meta": AUTHORS, "test_tags": AUTHORS, "test_block_boundaries": AUTHORS,
    "test_extraction_options": AUTHORS,
    "test_extractor_parity": INNER, "test_settings_element": INNER, "test_deprecations": INNER,
    "test_tei": "`tei_validation` is refused: there is no TEI schema here",
}  # fmt: skip
"""Why tests do not pass, by the beginning of their names."""
_calls: set[str] = set()
_outcomes: dict[str, str] = {}


def main(folder: str = "") -> int:
    """Prints how many of their tests pass with our functions, and which do not."""
    with tempfile.TemporaryDirectory() as temporary:
        tests = Path(folder) if folder else _download(Path(temporary))
        theirs, touched = _run(tests, "theirs", Path(temporary))
        ours, _ = _run(tests, "ours", Path(temporary))
    counted = sorted(n for n, outcome in theirs.items() if outcome == "passed" and n in touched)
    failed = [name for name in counted if ours.get(name) != "passed"]
    by_reason: dict[str, list[str]] = {}
    for name in failed:
        by_reason.setdefault(_find_reason(name), []).append(name.rpartition("::")[2])
    for reason, names in sorted(by_reason.items()):
        print(f"{len(names):3} {reason}:\n      {', '.join(names)}")
    for file in FILES:
        here = [name for name in counted if name.startswith(f"tests/{file}_")]
        passed = len(here) - len([name for name in failed if name in here])
        print(f"{file}: {passed} of {len(here)}")
    print(
        f"{len(counted) - len(failed)} of {len(counted)} tests that call a public function pass "
        f"({len(theirs)} tests in all)"
    )
    return 0


def _find_reason(name: str) -> str:
    test = name.rpartition("::")[2]
    known = (reason for start, reason in REASONS.items() if test.startswith(start))
    return next(known, "no reason is written down")


def _download(folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps"]
    subprocess.run([*pip, "--dest", str(folder), "trafilatura"], check=True)
    with tarfile.open(next(folder.glob("trafilatura-*.tar.gz"))) as packed:
        packed.extractall(folder, filter="data")
    return next(path for path in folder.glob("trafilatura-*") if path.is_dir())


def _run(tests: Path, whose: str, temporary: Path) -> tuple[dict[str, str], set[str]]:
    """The outcome of each test, and the tests that call a public function."""
    report = temporary / f"{whose}.json"
    environment = {**os.environ, "PEER_FUNCTIONS": whose, "PEER_REPORT": str(report),
                   "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src")))}  # fmt: skip
    command = [sys.executable, "-m", "pytest", "-q", "-p", "benchmarks.peer_tests", "--tb=no",
               "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", "."]  # fmt: skip
    names = [f"tests/{name}_tests.py" for name in FILES]
    found = [name for name in names if (tests / name).exists()]
    subprocess.run(
        [*command, *found], cwd=tests, env=environment, check=False, stdout=subprocess.DEVNULL
    )
    values = json.loads(report.read_text("utf-8"))
    return values["outcomes"], set(values["calls"])


def pytest_configure(config: Any) -> None:
    ours = importlib.import_module("tearsheet.compat.trafilatura")
    for home, names in HOMES.items():
        importlib.import_module(home)
        module = sys.modules[home]
        chosen = module if os.environ["PEER_FUNCTIONS"] == "theirs" else ours
        if home in ("trafilatura.meta", "trafilatura.settings") and chosen is ours:
            chosen = importlib.import_module(f"tearsheet.compat.{home}")
        for name in names:
            found = getattr(chosen, name)
            is_noted = callable(found) and name != "reset_caches"
            setattr(module, name, _note_calls(found) if is_noted else found)


def _note_calls(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        _calls.add(os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0])
        return function(*args, **named)

    return call


def pytest_runtest_logreport(report: Any) -> None:
    if report.when == "call" or report.outcome != "passed":
        _outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish() -> None:
    values = {"outcomes": _outcomes, "calls": sorted(_calls)}
    Path(os.environ["PEER_REPORT"]).write_text(json.dumps(values), "utf-8")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
