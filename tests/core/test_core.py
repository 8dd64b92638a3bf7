"""The core exists only compiled, is refused if stale or missing, and nothing else is compiled."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.util import source_hash
from pathlib import Path
from types import ModuleType

import pytest

import tearsheet
from tearsheet import _core
from tearsheet.errors import CoreUnusable, TearsheetError

ROOT = Path(__file__).parents[2]
PACKAGE = Path(tearsheet.__file__).parent
needs_sources = pytest.mark.skipif(
    not (PACKAGE / "_core" / "tree.pyx").exists(), reason="an installed package has no sources"
)


@pytest.fixture(scope="module")
def build() -> ModuleType:
    """The build script, without running it."""
    pytest.importorskip("hatchling", reason="needs what builds Tearsheet")
    spec = importlib.util.spec_from_file_location("compile_core", ROOT / "scripts" / "compile.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(code: str, package: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs Python with another copy of the package."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(package.parent), **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_nothing_is_compiled_outside_of_the_core() -> None:
    compiled = [*PACKAGE.rglob("*.so"), *PACKAGE.rglob("*.pyd")]
    assert [path for path in compiled if path.parent != PACKAGE / "_core"] == []
    assert not [*PACKAGE.rglob("*.pxd")]
    assert not [path for path in PACKAGE.rglob("*.pyx") if path.parent != PACKAGE / "_core"]


@needs_sources
def test_every_module_of_the_core_has_types_and_no_twin() -> None:
    modules = {path.stem for path in (PACKAGE / "_core").glob("*.pyx")}
    assert modules == {path.stem for path in (PACKAGE / "_core").glob("*.pyi")}
    assert {path.name for path in (PACKAGE / "_core").glob("*.py")} == {"__init__.py"}


def test_the_core_can_be_used() -> None:
    _core.check()


def test_a_missing_module_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nothing.pyi").touch()  # it is declared, and was never compiled
    monkeypatch.setattr(_core, "FOLDER", tmp_path)
    with pytest.raises(CoreUnusable, match=r"_core\.nothing is missing; install Tearsheet again"):
        _ = _core.nothing
    assert issubclass(CoreUnusable, TearsheetError)
    assert issubclass(CoreUnusable, ImportError)
    with pytest.raises(AttributeError, match="has no attribute 'undeclared'"):
        _ = _core.undeclared


def test_a_core_without_sources_must_have_the_same_version() -> None:
    _core.refuse_stale("tearsheet._core.nothing", "", tearsheet.__version__)
    with pytest.raises(CoreUnusable, match=r"has version 0\.0\.1 and Tearsheet"):
        _core.refuse_stale("tearsheet._core.nothing", "", "0.0.1")


@needs_sources
def test_a_module_whose_source_has_changed_is_refused_at_import(tmp_path: Path) -> None:
    package = tmp_path / "tearsheet"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    assert run("from tearsheet._core import tree, segments", package).returncode == 0
    with (package / "_core" / "tree.pyx").open("a") as source:
        source.write("# changed\n")
    found = run("from tearsheet._core import tree", package)
    assert "tree.pyx was changed after it was compiled; run `make compiled`" in found.stderr
    assert run("from tearsheet._core import segments", package).returncode == 0
    clipped = run(
        "from tearsheet.cli import main; import sys; sys.exit(main(['clip', '-']))", package
    )
    assert clipped.returncode != 0
    assert "Traceback" not in clipped.stderr
    assert "run `make compiled`" in clipped.stderr


@needs_sources
def test_a_core_that_was_never_compiled_says_what_to_run(tmp_path: Path) -> None:
    package = tmp_path / "tearsheet"
    left_out = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    shutil.copytree(PACKAGE, package, ignore=left_out)
    found = run("import tearsheet; tearsheet.extract('<p>a')", package)
    last = found.stderr.strip().splitlines()[-1]
    assert re.search(r"_core\.\w+ is missing; run `make compiled` \(or `pip install -e \.`\)", last)


@needs_sources
def test_the_build_puts_the_check_before_all_else(build: ModuleType, tmp_path: Path) -> None:
    for source in (PACKAGE / "_core").glob("*.pyx"):
        text, staged = source.read_text(), build._stage(source, tmp_path).read_text()
        assert len(staged.splitlines()) == len(text.splitlines())
        added = set(staged.splitlines()) - set(text.splitlines())
        (line,) = added
        assert source_hash(source.read_bytes()).hex() in line
        before = staged.partition(line)[0]
        assert "import" not in re.sub(r'(?s)""".*?"""', "", before)


def test_without_a_compiler_the_build_says_so_in_one_sentence(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "/no/such/compiler")
    with pytest.raises(build.CannotBuild, match=r"needs a C compiler.*apt install gcc") as found:
        build.compile_core(Path("/no/such/folder"))
    assert "\n" not in str(found.value)
    monkeypatch.delenv("CC")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: "/no/such/headers")
    with pytest.raises(build.CannotBuild, match="Python's headers"):
        build.compile_core(Path("/no/such/folder"))


def test_sources_of_lexbor_that_are_missing_stop_the_build(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TEARSHEET_LEXBOR", str(tmp_path))
    with pytest.raises(build.CannotBuild, match="is not an unpacked sdist of selectolax"):
        build.compile_core(Path("/no/such/folder"))


def test_on_windows_lexbor_must_be_linked(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEARSHEET_LEXBOR", raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(build.CannotBuild, match="set TEARSHEET_LEXBOR to the unpacked sdist"):
        build.compile_core(Path("/no/such/folder"))


def test_the_signatures_of_lexbor_are_those_that_selectolax_declares(build: ModuleType) -> None:
    build.check_signatures(build._read_declarations())


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("value_noi(lxb_dom_attr_t *attr, size_t *len)", "value_noi(lxb_dom_attr_t *attr)"),
        ("lxb_char_t * lxb_dom_node_text_content(", "lexbor_str_t lxb_dom_node_text_content("),
        ("size_t *len", "uint32_t *len"),
    ],
)  # fmt: skip
def test_another_signature_stops_the_build(build: ModuleType, ours: str, theirs: str) -> None:
    declarations = build._read_declarations()
    assert ours in declarations
    with pytest.raises(build.CannotBuild, match="this version of selectolax does not fit"):
        build.check_signatures(declarations.replace(ours, theirs))
    with pytest.raises(build.CannotBuild, match="does not declare the functions"):
        build.check_signatures("")


@needs_sources
def test_a_wheel_holds_the_core_and_leaves_the_sources_alone(
    build: ModuleType, tmp_path: Path
) -> None:
    """Built from a copy of the sources, as `pip wheel` does; of the core, one module will do."""
    copy = tmp_path / "tearsheet"
    for name in ("src", "scripts"):
        shutil.copytree(
            ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
        )
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE", ".gitignore"):
        shutil.copy(ROOT / name, copy)
    core = copy / "src" / "tearsheet" / "_core"
    for source in core.glob("*.py[xi]"):
        if source.stem != "tree":
            source.unlink()
    stray = copy / "src" / "tearsheet" / "tags.so"  # of another time, beside a plain module
    stray.write_bytes(b"")
    before = sorted(copy.rglob("*"))
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")],
        cwd=copy, check=True, capture_output=True,
    )  # fmt: skip
    assert sorted(path for path in copy.rglob("*") if "__pycache__" not in path.parts) == before
    (wheel,) = (tmp_path / "dist").iterdir()
    assert "none-any" not in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    assert f"tearsheet/_core/tree{suffix}" in names
    assert "tearsheet/_core/tree.pyi" in names
    assert not [name for name in names if name.endswith((".pyx", ".c", "tags.so"))]
