"""The peers' own tests, run against `tearsheet.compat`.

    python -m benchmarks.peer_tests                         # trafilatura and newspaper4k
    python -m benchmarks.peer_tests newspaper4k             # one of them
    python -m benchmarks.peer_tests trafilatura FOLDER      # an unpacked sdist or a checkout
    python -m benchmarks.peer_tests readability-lxml FOLDER # its sdist has no tests: a checkout

Their tests are read where they are, from a sdist that is downloaded into a temporary folder if none
is given, and never copied. A test counts if it passes with the peer itself and calls one of its
public functions; tests of its internals say nothing about ours. This module is also the plug-in of
pytest that puts our functions in the place of theirs and notes which tests call them.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
JUDGEMENT = "what counts as text, comment or title on a page of a few lines is another engine's"
RULES = "names, titles, days and addresses follow our rules, which were measured on real pages"
INNER = "it looks into the peer's modules"
QUIRK = "white space, a line break or a nesting that no reader sees"


@dataclass(frozen=True)
class Peer:
    """A library, its tests, and our module for each of its names that tests import."""

    tests: tuple[str, ...]
    homes: Mapping[str, tuple[str, ...]]
    ours: Mapping[str, str]
    """Our module for each of its modules."""
    reasons: Mapping[str, str]
    """Why tests do not pass, by the beginning of their names."""


TRAFILATURA = Peer(
    tests=tuple(
        f"tests/{name}_tests.py"
        for name in (
            "unit", "realworld", "metadata", "baseline", "filters", "xml_tei", "deduplication",
            "feeds", "sitemaps", "spider",
        )
    ),
    homes={
        "trafilatura": (
            "extract", "bare_extraction", "extract_with_metadata", "extract_metadata", "baseline",
            "html2txt", "load_html",
        ),
        "trafilatura.core": ("extract", "bare_extraction", "extract_with_metadata"),
        "trafilatura.baseline": ("baseline", "html2txt"),
        "trafilatura.metadata": ("extract_metadata",),
        "trafilatura.utils": ("load_html",),
        "trafilatura.meta": ("reset_caches",),
        "trafilatura.settings": ("MANUALLY_CLEANED",),
        "trafilatura.feeds": ("find_feed_urls",),
        "trafilatura.sitemaps": ("sitemap_search",),
        "trafilatura.spider": ("focused_crawler", "is_still_navigation"),
    },
    ours={
        "": "tearsheet.compat.trafilatura",
        **{
            f"trafilatura.{name}": f"tearsheet.compat.trafilatura.{name}"
            for name in ("meta", "settings", "feeds", "sitemaps", "spider")
        },
    },
    reasons={
        "test_nested_element_tail": QUIRK, "test_lb_only": QUIRK, "test_code_blocks": QUIRK,
        "test_markdown_inline_rendering": QUIRK, "test_table_image": QUIRK,
        "test_escalation": JUDGEMENT, "test_infinite_scroll": JUDGEMENT,
        "test_external": JUDGEMENT, "test_precision_recall": JUDGEMENT,
        "test_htmlprocessing": JUDGEMENT, "test_longer_fallback": JUDGEMENT,
        "test_recall_escalation_blog": "it wants comments lost that are given as comments here",
        "test_author": RULES, "test_titles": RULES, "test_url": RULES, "test_dates": RULES,
        "test_meta": RULES, "test_block_boundaries": RULES,
        "test_extractor_parity": INNER, "test_deprecations": INNER, "test_wrapper_form": INNER,
        "test_tei": "`tei_validation` is refused: there is no TEI schema here",
        **dict.fromkeys(
            ("test_whole", "test_guess_order", "test_feeds_helpers", "test_sitemap_index",
             "test_process_links", "test_scheme_upgrade"),
            "its answers come from a stand-in for trafilatura's own downloads",
        ),
    },
)  # fmt: skip
NEWSPAPER = Peer(
    tests=(
        "tests/unit/test_article.py", "tests/unit/test_configuration.py",
        "tests/unit/test_languages.py", "tests/unit/test_nlp.py",
        "tests/integration/test_languages.py",
    ),
    homes={
        "newspaper": ("Article", "article"),
        "newspaper.article": ("Article", "ArticleException", "ArticleDownloadState"),
        "newspaper.configuration": ("Configuration",),
    },
    ours={"": "tearsheet.compat.newspaper"},
    reasons={
        "test_article": "the text must be the same to the letter; ours has its highlights, too",
        "test_download": "`file:` addresses are refused: read the file and give `input_html`",
        "test_get_video": "videos are those of the article, with their whole addresses",
    },
)  # fmt: skip
READABILITY = Peer(
    tests=("tests/test_article_only.py",),
    homes={
        "readability": ("Document",),
        "readability.readability": ("Document", "Unparseable"),
    },
    ours={"": "tearsheet.compat.readability"},
    reasons={"test_": "it wants the elements and classes of the page around the text"},
)
PEERS = {"trafilatura": TRAFILATURA, "newspaper4k": NEWSPAPER, "readability-lxml": READABILITY}
_calls: set[str] = set()
_outcomes: dict[str, str] = {}


def main(name: str = "", folder: str = "") -> int:
    """Prints how many of their tests pass with our functions, and which do not."""
    for chosen in [name] if name else ["trafilatura", "newspaper4k"]:
        _count(chosen, folder)
    return 0


def _count(name: str, folder: str) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        tests = Path(folder) if folder else _download(name, Path(temporary))
        theirs, touched = _run(name, tests, "theirs", Path(temporary))
        ours, _ = _run(name, tests, "ours", Path(temporary))
    counted = sorted(n for n, outcome in theirs.items() if outcome == "passed" and n in touched)
    failed = [test for test in counted if ours.get(test) != "passed"]
    by_reason: dict[str, list[str]] = {}
    for test in failed:
        by_reason.setdefault(_find_reason(name, test), []).append(test.rpartition("::")[2])
    print(f"== {name}")
    for reason, names in sorted(by_reason.items()):
        print(f"{len(names):3} {reason}:\n      {', '.join(names)}")
    all_of, not_passed = (
        Counter(test.partition("::")[0] for test in some) for some in (counted, failed)
    )
    for file, number in all_of.items():
        print(f"{file}: {number - not_passed[file]} of {number}")
    print(
        f"{len(counted) - len(failed)} of {len(counted)} tests that call a public function pass "
        f"({len(theirs)} tests in all)"
    )


def _find_reason(name: str, test: str) -> str:
    test = test.rpartition("::")[2]
    known = (why for start, why in PEERS[name].reasons.items() if test.startswith(start))
    return next(known, "no reason is written down")


def _download(name: str, folder: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps"]
    subprocess.run([*pip, "--dest", str(folder), name], check=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as packed:
        packed.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def _run(name: str, tests: Path, whose: str, temporary: Path) -> tuple[dict[str, str], set[str]]:
    """The outcome of each test, and the tests that call a public function."""
    report = temporary / f"{whose}.json"
    environment = {
        **os.environ, "PEER_LIBRARY": name, "PEER_FUNCTIONS": whose, "PEER_REPORT": str(report),
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src"))),
    }  # fmt: skip
    command = [sys.executable, "-m", "pytest", "-q", "-p", "benchmarks.peer_tests", "--tb=no",
               "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", "."]  # fmt: skip
    found = [test for test in PEERS[name].tests if (tests / test).exists()]
    if not found:
        raise SystemExit(f"{tests} has no tests of {name}: give a checkout of its repository")
    subprocess.run(
        [*command, *found], cwd=tests, env=environment, check=False, stdout=subprocess.DEVNULL
    )
    values = json.loads(report.read_text("utf-8"))
    return values["outcomes"], set(values["calls"])


def pytest_configure(config: Any) -> None:
    peer = PEERS[os.environ["PEER_LIBRARY"]]
    for home, names in peer.homes.items():
        importlib.import_module(home)
        module = chosen = sys.modules[home]
        if os.environ["PEER_FUNCTIONS"] == "ours":
            chosen = importlib.import_module(peer.ours.get(home, peer.ours[""]))
        for name in names:
            setattr(module, name, _note_calls(getattr(chosen, name)))


def _note_calls(found: Any) -> Any:
    """A function or class that notes the test that calls it; a value as it is."""
    if inspect.isclass(found):
        if not issubclass(found, Exception) and hasattr(found, "__dict__"):
            _note_creation(found)
        return found
    if not callable(found) or found.__name__ == "reset_caches":
        return found

    @wraps(found)
    def call(*args: Any, **named: Any) -> Any:
        _note_test()
        return found(*args, **named)

    return call


def _note_creation(found: type) -> None:
    create: Callable[..., None] = found.__init__  # type: ignore[misc]

    @wraps(create)
    def call(*args: Any, **named: Any) -> None:
        _note_test()
        create(*args, **named)

    if found.__name__ in ("Article", "Document"):
        found.__init__ = call  # type: ignore[misc]


def _note_test() -> None:
    _calls.add(os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0])


def pytest_runtest_logreport(report: Any) -> None:
    if report.when == "call" or report.outcome != "passed":
        _outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish() -> None:
    values = {"outcomes": _outcomes, "calls": sorted(_calls)}
    Path(os.environ["PEER_REPORT"]).write_text(json.dumps(values), "utf-8")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
