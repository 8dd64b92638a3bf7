"""A language is one file and nothing else (docs/reference/languages.md lists their parts)."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tearsheet import languages
from tearsheet.errors import UnknownName

ROOT = Path(__file__).parents[1]
DECLARATION = ROOT / "src/tearsheet/languages/__init__.py"
FILES = sorted((ROOT / "src/tearsheet/languages").glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_has_known_parts_without_repetition(path: Path) -> None:
    for part, texts in languages.read_languages()[path.stem].items():
        assert part in languages.PARTS
        assert texts
        assert len(set(texts)) == len(texts)
        assert all(text == text.strip() for text in texts)


@pytest.mark.parametrize("part", languages.PARTS)
def test_every_part_is_used_and_filled(part: str) -> None:
    paths = (path for path in (ROOT / "src/tearsheet").rglob("*.py") if path != DECLARATION)
    source = "".join(path.read_text("utf-8") for path in paths)
    uses = (f'phrases("{part}")', f'any_of("{part}")', f"any_of('{part}')", f"languages.{part}()")
    read = rf'_words\([^)]*"{part}"'
    assert any(use in source for use in (*uses, f'known_phrases("{part}")')) or re.search(
        read, source
    )
    assert languages.phrases(part)


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(UnknownName, match="no part 'colour'; there are: advertisement, "):
        languages.phrases("colour")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("colour = ['red']", "xx.toml: no part 'colour'; there are: advertisement, and, "),
        ("print = 'Print'", "xx.toml: 'print' must be a list of texts"),
        ("print = ['']", "xx.toml: 'print' must be a list of texts"),
        ("months = ['a', 'b']", "xx.toml: a year has twelve months"),
        ("print = ", "xx.toml: Invalid value"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "xx.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(languages.BadLanguage) as caught:
        languages._read(file)
    assert str(caught.value).startswith(why)


PROGRAM = """
import sys
from pathlib import Path
from tearsheet import languages
languages.FOLDER = Path(sys.argv[1])
from tearsheet.components._dates import read_date
from tearsheet.components._head import read_head
from tearsheet.components.next_page import find_next_page
from tearsheet.components.print_link import find_print_link
from tearsheet.components.authors import read_names
from tearsheet.page.parsed import parse
page = parse(
    "<a href=/a-48213/presu>Presu tion</a> <a href=/a-48213?page=2>Antauxen</a>",
    "https://www.daily.example/a-48213",
)
print(find_print_link(page, read_head(page))[0], find_next_page(page)[0])
print(read_names(["De Ann Lee kaj Bo Chan"]), read_date("4 wintermonth 2025"))
"""
MADE_UP = """
print = ["Presu tion"]
next = ["Antauxen"]
byline = ["de"]
and = ["kaj"]
months = ["wintermonth", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
"""


def find_with(folder: Path) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)], capture_output=True, text=True, check=True
    )
    return run.stdout.splitlines()


def test_a_new_file_is_all_that_a_new_language_needs(tmp_path: Path) -> None:
    folder = tmp_path / "languages"
    shutil.copytree(ROOT / "src/tearsheet/languages", folder)
    assert find_with(folder) == [" ", "('De Ann Lee kaj Bo Chan',) None"]
    (folder / "xx.toml").write_text(MADE_UP, "utf-8")
    assert find_with(folder) == [
        "https://www.daily.example/a-48213/presu https://www.daily.example/a-48213?page=2",
        "('Ann Lee', 'Bo Chan') 2025-01-04",
    ]


def test_the_page_about_languages_is_up_to_date() -> None:
    page = ROOT / "docs/reference/languages.md"
    write_page = runpy.run_path(str(ROOT / "scripts/languages.py"))["write_page"]
    assert page.read_text("utf-8") == write_page(), "run `make languages`"
