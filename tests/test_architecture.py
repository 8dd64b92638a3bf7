"""The shape of the code: imports flow one way, and what is heavy is imported when needed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = """
httpx asyncio ssl PIL typst playwright sklearn rapidfuzz lxml trafilatura email subprocess
tearsheet.acquire tearsheet.cli tearsheet.evaluate tearsheet.learn tearsheet.inspect
""".split()


def test_the_contracts_are_kept() -> None:
    """In a process of its own: import-linter switches off the loggers of the one it runs in."""
    program = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def loaded_modules(statement: str) -> set[str]:
    """The modules that a fresh interpreter has after a statement."""
    program = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_import_tearsheet_imports_nothing_heavy() -> None:
    beyond = loaded_modules("import tearsheet; tearsheet.extract") - loaded_modules("import numpy")
    assert sorted(beyond & set(HEAVY)) == []


def test_help_does_not_wait_for_numpy() -> None:
    asked = "from tearsheet.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert "numpy" not in loaded_modules(asked)


def test_clip_is_the_function_whatever_was_imported_before() -> None:
    """A module of the package has the same name."""
    import tearsheet.clip
    from tearsheet import clip

    assert tearsheet.clip is clip
    assert callable(clip)


def test_help_shows_what_the_package_offers() -> None:
    """Before anything of it was used."""
    program = "import pydoc, tearsheet; print(pydoc.plain(pydoc.render_doc(tearsheet)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    for name in ("class Article", "class Options", "class TearsheetError", "clip(", "extract("):
        assert f"\n    {name}" in done.stdout


def test_a_plug_in_is_imported_only_when_asked_for() -> None:
    found = loaded_modules("import tearsheet; tearsheet.extract")
    assert not [name for name in found if name.startswith("tearsheet.methods.")]
    assert not [name for name in found if name.startswith("tearsheet.layout.")]


CONNECTS = re.compile(
    r"\b(create_connection|open_connection|open_unix_connection|ConnectionPool|smtplib\.SMTP|urlopen"
    r"|HTTPS?Connection|HTTP2Connection|httpx\.(get|post|request|stream|Client|AsyncClient)"
    r"|httpcore\.(Connection|HTTP)\w*Pool|fsspec\.(filesystem|open))\("
    r"|\bimport (requests|aiohttp)\b|\.connect\(\(|\bsock_connect\(|\bcreate_datagram_endpoint\("
)
"""What opens a connection, or may."""
GUARDED = {
    "acquire/connection_race.py": "to addresses that its callers had checked",
    "acquire/network.py": "to the owner's proxy, or by connection_race",
    "acquire/proxy.py": "to addresses that the guard has checked, or to the owner's proxy",
    "serve/webhooks.py": "by connection_race",
    "bulk/locations.py": "to the stores of files that the owner names",
    "serve/mail.py": "to the owner's mail server",
    "store/postgresql.py": "to the owner's database",
}


def test_what_connects_asks_the_guard_or_goes_where_its_owner_says() -> None:
    package = ROOT / "src/tearsheet"
    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if CONNECTS.search(path.read_text("utf-8"))
    }
    assert found == set(GUARDED)


def tracked_files() -> list[Path]:
    done = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("not a git repository")
    return [ROOT / name for name in done.stdout.split("\0") if name]


def test_no_path_of_somebodys_machine_is_in_the_tree() -> None:
    here = "|".join(re.escape(str(path)) for path in (ROOT, Path.home()) if len(path.parts) > 1)
    own = re.compile(rf"(?:{here}|/root|/home/\w+|/Users/\w+)/[\w.-]+".encode())
    found = [
        f"{path.relative_to(ROOT)}: {match.decode()}"
        for path in tracked_files()
        if path.is_file() and path.suffix in (".py", ".md", ".toml", ".lock", ".sh", ".html", "")
        for match in own.findall(path.read_bytes())
    ]
    assert found == []


@pytest.mark.parametrize(
    "lock", sorted((ROOT / "requirements").glob("*.lock")), ids=lambda p: p.name
)
def test_the_locks_pin_every_package_by_hash(lock: Path) -> None:
    text = lock.read_text("utf-8")
    pins = re.split(r"^(?=\S+?==)", text, flags=re.M)[1:]
    names = [pin.partition("==")[0] for pin in pins]
    assert names
    assert [pin for pin in pins if "--hash=sha256:" not in pin] == []
    assert "torch" not in names
    assert not re.search(r"file:|https?://|--index-url|--find-links| @ ", text)


def test_the_lock_for_tests_has_all_that_is_declared() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = declared["optional-dependencies"]
    apart = ("browser", "forest", "cluster", "fuzz", "adapters")  # see scripts/lock.sh
    wanted = [*declared["dependencies"], *(r for n in extras if n not in apart for r in extras[n])]
    names = {re.split(r"[\[<>=;~! ]", requirement)[0].lower() for requirement in wanted}
    locked = set(
        re.findall(r"^(\S+?)==", (ROOT / "requirements/test.lock").read_text("utf-8"), re.M)
    )
    assert sorted(names - locked - {"tearsheet"}) == [], "run `make lock`"


def test_every_name_in_the_pages_for_developers_exists() -> None:
    pages = (ROOT / "docs/architecture.md", ROOT / "CONTRIBUTING.md")
    page = "".join(path.read_text("utf-8") for path in pages)
    picture = (ROOT / "docs/architecture.svg").read_text("utf-8")
    named = set(re.findall(r"`([\w./]+(?:/|\.(?:pyx?|sh|toml)))`", page))
    named = {name for name in named if not re.search(r"NAME|CODE", name)}  # of what may be added
    named |= set(re.findall(r'class="name"[^>]*>([\w/.]+)<', picture))
    named |= {name for line in re.findall(r'class="sub"[^>]*>([^<]* · [^<]*)<', picture)
              for name in line.split(" · ")}  # fmt: skip
    assert len(named) > 40
    package = ROOT / "src/tearsheet"
    homes = (ROOT, package, package / "_core", package / "components")
    missing = [
        name
        for name in sorted(named)
        if not any(
            (home / f"{name}{end}").exists() for home in homes for end in ("", ".py", ".pyx")
        )
    ]
    assert missing == []


def test_every_code_span_in_the_pages_for_developers_is_of_the_code() -> None:
    """Each word of a span is one of the sources, and a command or a target exists."""
    homes = [ROOT / "Makefile", ROOT / "pyproject.toml", *(ROOT / "scripts").iterdir()]
    homes += [path for path in (ROOT / "src").rglob("*") if path.suffix in (".py", ".pyx")]
    source = "\n".join(path.read_text("utf-8") for path in homes if path.is_file())
    known = set(re.findall(r"\w+", source)) | {path.stem for path in homes}
    make = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.M)
    missing = []
    for name in ("docs/architecture.md", "CONTRIBUTING.md"):
        page = re.sub(r"(?ms)^\s*```.*?```$", "", (ROOT / name).read_text("utf-8"))
        for span in re.findall(r"`([^`]+)`", page):
            if "/" in span or "." in span.strip(".").rpartition("/")[2][-4:]:
                continue  # a path, as above
            words = re.findall(r"(?<![-<])\b[A-Za-z_]\w+", span)
            if span.startswith("make "):
                missing += [span] if span.split()[1] not in make else []
            elif any(word not in known for word in words):
                missing.append(span)
    assert missing == []
