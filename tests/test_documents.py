"""The documents keep their word: commands and programs work, pages build, what they name exists."""

from __future__ import annotations

import ast
import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tearsheet.cli import _parser

ROOT = Path(__file__).parents[1]
PAPERS = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md")))
FENCE = re.compile(r"^```(\w+)(?: (.+?))?\n(.*?)^```", re.M | re.S)
STORY = "https://example.org/story"


def blocks(language: str, mark: str) -> list[tuple[str, str]]:
    """The blocks in a language whose mark begins like this, each with the name of its document."""
    return [
        (str(path.relative_to(ROOT)), block)
        for path in PAPERS
        for kind, marked, block in FENCE.findall(path.read_text("utf-8"))
        if kind == language and marked.startswith(mark)
    ]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as a reader has it: the sample site of the clone, two saved pages, an archive of
    them, and the command."""
    shutil.copytree(ROOT / "samples/site", tmp_path / "samples/site")
    shutil.copytree(ROOT / "samples/saved", tmp_path / "samples/saved")
    pages = {"page": "news/last-ferry", "other": "blog/nets"}
    archive = b""
    for name, source in pages.items():
        body = (ROOT / f"samples/site/{source}.html").read_bytes()
        (tmp_path / f"{name}.html").write_bytes(body)
        archive += gzip.compress(record(f"https://example.org/{name}", body))
    (tmp_path / "pages.warc.gz").write_bytes(archive)
    (tmp_path / "pages.warc").write_bytes(gzip.decompress(archive))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def record(url: str, body: bytes) -> bytes:
    """A page as a WARC record."""
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
        "WARC-Date: 2026-11-03T00:00:00Z\r\n"
        "WARC-Record-ID: <urn:uuid:12345678-1234-1234-1234-123456789012>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(answer)}\r\n\r\n"
    )
    return head.encode() + answer + b"\r\n\r\n"


@pytest.mark.parametrize(("document", "script"), blocks("sh", "test"))
def test_commands_work(document: str, script: str, reader: Path, sample_site: str) -> None:
    """An address of the documents is one of the sample site here."""
    story = f"tearsheet clip --allow-private {sample_site}/news/last-ferry.html"
    script = script.replace(f"tearsheet clip {STORY}", story)
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", script],
        capture_output=True, check=False, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("document", "program"), blocks("python", "test"))
def test_programs_work(document: str, program: str, reader: Path, sample_site: str) -> None:
    story = f'"{sample_site}/news/last-ferry.html", options=tearsheet.Options(allow_private=True)'
    program = program.replace(f'clip("{STORY}")', f"clip({story})")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True, check=False, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_what_is_not_run_says_why_and_is_rare() -> None:
    plain = [found for language in ("sh", "python") for found in blocks(language, "")]
    run = [found for language in ("sh", "python") for found in blocks(language, "test")]
    excused = [found for language in ("sh", "python") for found in blocks(language, "no test: ")]
    assert [found for found in plain if found not in run + excused] == []
    assert len(excused) <= 36


def test_no_command_hides_in_an_indented_block() -> None:
    hidden = re.compile(r"\n\n    (?:tearsheet|make|pip|curl|python) .*")
    for path in PAPERS:
        outside = FENCE.sub("", path.read_text("utf-8"))
        assert not hidden.findall(outside), path


def test_commands_that_are_not_run_are_understood_all_the_same() -> None:
    """Those that need the public sets or a person: their options exist."""
    commands = [
        line
        for _, script in blocks("sh", "no test: ")
        for line in script.replace("\\\n", " ").split("\n")
        if line.startswith("tearsheet ")
    ]
    assert len(commands) > 5
    for line in commands:
        arguments = shlex.split(line, comments=True)[1:]
        assert _parser(arguments).parse_args(arguments)


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="MkDocs is not installed (the docs extra)")
    pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed (the docs extra)")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path],
        cwd=ROOT, capture_output=True, check=False, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    command = (tmp_path / "reference/command.html").read_text("utf-8")
    assert "--font-size" in command
    library = (tmp_path / "reference/library.html").read_text("utf-8")
    assert "Paragraph" in library
    assert "bad_status" not in library  # a helper of the code
    assert [page for page in sorted(tmp_path.rglob("*.html")) if _shows_markup(page)] == []
    assert "$schema" in (tmp_path / "reference/json.html").read_text("utf-8")
    assert "no test:" not in (tmp_path / "tutorial.html").read_text("utf-8")


def _shows_markup(page: Path) -> bool:
    """Whether a paragraph of the site shows a mark of Markdown outside of code, such as the dash or
    the number of an item that was not read as one."""
    main = page.read_text("utf-8").partition("<article")[2].partition("</article>")[0]
    prose = re.sub(r"<(pre|code)\b.*?</\1>", "", main, flags=re.S)
    paragraphs = [re.sub(r"<[^>]+>", "", text) for text in re.findall(r"<p>.*?</p>", prose, re.S)]
    return any(re.search(r"\n *(-|\d+\.) |\*\*|\]\(", text) for text in paragraphs)


def test_tables_and_terms_are_written_as_the_site_reads_them() -> None:
    """GitHub forgives what the site shows as it stands: a table whose rule has another number of
    columns than its head, a table within an item, a term with its meaning in its line."""
    table = re.compile(r"^( *)(\|.+\|)\n *(\|[-:| ]+\|)$", re.M)
    for path in PAPERS:
        text = path.read_text("utf-8")
        for indent, head, rule in table.findall(text):
            assert (indent, head.count("|")) == ("", rule.count("|")), f"{path}: {head}"
        assert not re.search(r"^\*\*.+\*\* : ", text, re.M), path


def test_the_table_of_dependencies_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared: dict[str, set[str]] = {}
    for extra, needs in {"": project["dependencies"], **project["optional-dependencies"]}.items():
        for need in needs:
            name = re.split(r"[\[<>=;]", need)[0].strip()
            if name != "tearsheet":
                declared.setdefault(name, set()).add(extra)
    text = (ROOT / "docs/reference/dependencies.md").read_text("utf-8")
    rows = re.findall(r"^\| ([\w-]+) \| ([\w, -]*)\| ([^|]+) \|$", text, re.M)
    written = {name: {e.strip() for e in extras.split(",")} for name, extras, _ in rows[1:]}
    assert written == declared


def test_the_documents_name_tests_that_exist() -> None:
    papers = (*PAPERS, ROOT / "SECURITY.md")
    text = "".join(path.read_text("utf-8") for path in papers)
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(named) > 30
    for path, name in named:
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        found = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert name in found, f"{path}::{name}"
