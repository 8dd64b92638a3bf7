"""The contents of the packages: the sdist holds all that its tests read, and extras name what they
need."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SETTINGS: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
_PATH = re.compile(r'ROOT / "([\w./-]+)"')


def test_the_sdist_has_all_that_tests_read() -> None:
    packed = [*SETTINGS["tool"]["hatch"]["build"]["targets"]["sdist"]["include"], "pyproject.toml"]
    for test in (ROOT / "tests").rglob("*.py"):
        for path in _PATH.findall(test.read_text("utf-8")):
            top = path.split("/")[0]
            assert any(fnmatch(top, pattern) for pattern in packed), f"{test.name}: {path}"


def _package_page() -> Any:
    pytest.importorskip("hatchling", reason="hatchling, which builds the package, is not here")
    from scripts.package_page import PackagePage

    return PackagePage(str(ROOT), {})


@pytest.mark.parametrize("name", ["compile.py", "package_page.py"])
def test_a_build_leaves_no_bytecode_beside_its_hooks(name: str, tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="hatchling, which builds the package, is not here")
    script = shutil.copy(ROOT / "scripts" / name, tmp_path)
    program = (
        "import sys; from importlib.util import module_from_spec, spec_from_file_location\n"
        f"spec = spec_from_file_location('hook', {str(script)!r})\n"
        "sys.modules['hook'] = module = module_from_spec(spec); spec.loader.exec_module(module)"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_package_index_gets_whole_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEARSHEET_REPOSITORY", "https://forge.example/a/b/")
    metadata: dict[str, Any] = {"version": "1.2.3"}
    _package_page().update(metadata)
    links = re.findall(r"\]\(([^)]+)\)", metadata["readme"]["text"])
    assert len(links) > 30
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    assert "https://forge.example/a/b/raw/v1.2.3/docs/before-after.png" in links
    assert metadata["urls"]["Issues"] == "https://forge.example/a/b/issues"


def test_without_a_repository_the_readme_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TEARSHEET_REPOSITORY", "GITHUB_REPOSITORY"):
        monkeypatch.delenv(name, raising=False)
    metadata: dict[str, Any] = {"version": "1.2.3"}
    _package_page().update(metadata)
    assert metadata["readme"]["text"] == (ROOT / "README.md").read_text("utf-8")
    assert "urls" not in metadata


def test_the_recipe_for_conda_has_the_dependencies_of_the_package() -> None:
    recipe = (ROOT / "recipe/recipe.yaml").read_text("utf-8")
    named = {re.split(r"[^a-z0-9-]", one.lower())[0] for one in SETTINGS["project"]["dependencies"]}
    run = recipe.partition("  run:")[2].partition("tests:")[0]
    assert {name.replace("brotli", "brotli-python") for name in named} <= set(
        re.findall(r"- ([a-z0-9-]+)", run)
    )


def test_every_extra_that_a_message_names_exists() -> None:
    known = SETTINGS["project"]["optional-dependencies"].keys()
    for module in (ROOT / "src").rglob("*.py"):
        text = module.read_text("utf-8")
        named = re.findall(r'MissingExtra\([^()]*(?:\([^()]*\)[^()]*)*"([a-z-]+)"\s*\)', text)
        named += re.findall(r"tearsheet\[([a-z-]+)\]", text)
        assert set(named) <= known, module


def test_no_extra_of_ours_needs_a_spelling_that_pip_23_0_does_not_know() -> None:
    """pip 23.0 takes `html_clean` and `html-clean` for two extras, and then finds neither."""
    extras = SETTINGS["project"]["optional-dependencies"].values()
    for requirement in (one for extra in extras for one in extra):
        (inner,) = re.findall(r"\[([^]]+)\]", requirement) or [""]
        assert "_" not in inner, requirement
