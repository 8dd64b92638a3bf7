"""Markdown with its pictures beside it: every file has a name that we gave, and leads nowhere
else."""

from __future__ import annotations

import re

import pytest
from tests.layout.stories import make_article, photo, with_pictures

from tearsheet import picture_folder
from tearsheet.types import Figure, Image, Options, Paragraph, Resource, Run

URL = "https://press.example/../../p.jpg"


@pytest.mark.parametrize(
    "media_type", ["image/jpeg", "text/html", "image/..\\..\\..\\x.exe", "image/../../x", "", "/."]
)
def test_no_name_of_a_file_is_the_pages(media_type: str) -> None:
    """A saved page calls its pictures what it likes."""
    files = {URL: Resource(URL, media_type, photo())}
    article = with_pictures(make_article(Figure((Image(URL),))), files)
    text, found = picture_folder.write_files(article, Options(), "my pictures")
    (name,) = found
    assert re.fullmatch(r"[0-9a-f]{16}\.jpg", name)
    assert f"](my%20pictures/{name})".encode() in text


def test_an_address_that_the_page_made_up_does_not_lead_into_the_folder() -> None:
    made_up = f"{picture_folder.PLACE}../../secret.png"
    runs = (Run("here", href=made_up), Run(f" or {picture_folder.PLACE}{'0' * 16}.png"))
    article = make_article(Paragraph(runs), Figure((Image(made_up),)))
    text, found = picture_folder.write_files(article, Options(), "pictures")
    assert not found
    assert b"pictures/" not in text
