"""What is packed: the sdist holds all that its tests read, and extras name what they need."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SETTINGS: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
_PATH = re.compile(r'ROOT / "([\w./-]+)"')


def test_the_sdist_has_all_that_tests_read() -> None:
    packed = [*SETTINGS["tool"]["hatch"]["build"]["targets"]["sdist"]["include"], "pyproject.toml"]
    for test in (ROOT / "tests").rglob("*.py"):
        for path in _PATH.findall(test.read_text("utf-8")):
            top = path.split("/")[0]
            assert any(fnmatch(top, pattern) for pattern in packed), f"{test.name}: {path}"


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
