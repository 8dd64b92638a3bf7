"""Small articles in four scripts, as text, Markdown and HTML, word for word.

After a change that is meant: `python -m tests.layout.test_golden` writes them again; read the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.layout.stories import LANGUAGES, story

from tearsheet.types import Options

GOLDEN = Path(__file__).with_name("golden")
FORMS = ("txt", "md", "html")


def render_text(language: str, form: str) -> str:
    """The story without the bytes of its picture, which would fill the file."""
    options = Options(fragment=form == "html", images="off" if form == "html" else "on")
    return story(language).to(form, options).decode().rstrip("\n") + "\n"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_story_is_rendered_as_it_was(language: str, form: str) -> None:
    assert render_text(language, form) == (GOLDEN / f"{language}.{form}").read_text("utf-8")


if __name__ == "__main__":
    for language in LANGUAGES:
        for form in FORMS:
            (GOLDEN / f"{language}.{form}").write_text(render_text(language, form), "utf-8")
