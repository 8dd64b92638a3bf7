"""The article block by block: what was left out stands in its place, roles and heads are set."""

from __future__ import annotations

from tearsheet import extract
from tearsheet.serve import desk
from tearsheet.serve.selection import apply_corrections
from tearsheet.store.edits import Edit

from .test_role_options import PAGE

ARTICLE = extract(PAGE.encode(), url="https://post.example/ferry")


def blocks(*edits: Edit) -> list[dict[str, object]]:
    found: list[dict[str, object]] = desk.describe_article(ARTICLE, edits)["blocks"]
    return found


def block(words: str, *edits: Edit) -> dict[str, object]:
    return next(one for one in blocks(*edits) if words in f"{one['html']} {one.get('text')}")


def test_what_was_left_out_stands_where_it_stood() -> None:
    shown = [(one["kept"], str(one["html"])) for one in blocks()]
    places = [next(i for i, (_, html) in enumerate(shown) if words in html) for words in
              ("Sport", "hundred and twelve", "last crossing", "Related posts",
               "first engineer")]  # fmt: skip
    assert places == sorted(places)
    assert [shown[i][0] for i in places] == [False, True, True, False, False]


def test_the_title_and_captions_are_not_shown_as_left_out() -> None:
    left = [str(one["html"]) for one in blocks() if not one["kept"]]
    assert not any("The last ferry</" in html or "evening light" in html for html in left)


def test_taking_out_what_a_block_names_takes_out_that_block_alone() -> None:
    before = [one["html"] for one in blocks() if one["kept"]]
    for one in blocks():
        if not one["kept"] or not one["nodes"]:
            continue
        edits = [Edit("deselect", row) for row in one["nodes"]]  # type: ignore[attr-defined]
        after = [other["html"] for other in blocks(*edits) if other["kept"]]
        assert after == [html for html in before if html != one["html"]]


def test_putting_back_what_was_left_out_keeps_it() -> None:
    comment = block("first engineer")
    assert not comment["kept"]
    edits = [Edit("select", row) for row in comment["nodes"]]  # type: ignore[attr-defined]
    again = block("first engineer", *edits)
    assert again["kept"]
    assert again["by"] == "person"


def test_a_role_that_somebody_gives_decides() -> None:
    paragraph = block("last crossing")
    row = paragraph["nodes"][0]  # type: ignore[index]
    now = block("last crossing", Edit("role", row, "comment"))
    assert (now["kept"], now["role"]) == (False, "comment")
    comment = block("first engineer")
    row = comment["nodes"][0]  # type: ignore[index]
    assert block("first engineer", Edit("role", row, "body"))["kept"]


def test_the_head_of_the_document_is_what_somebody_typed() -> None:
    edits = [
        Edit("title", text="Farewell"),
        Edit("authors", text="By Bo Chan and Cy Dole"),
        Edit("published", text="4 May 2012"),
    ]
    known = apply_corrections(ARTICLE, edits).metadata
    assert (known.title, known.authors, known.published) == (
        "Farewell", ("Bo Chan", "Cy Dole"), "2012-05-04",
    )  # fmt: skip
    assert b"Bo Chan" in apply_corrections(ARTICLE, edits).to("html")


def test_a_caption_can_be_written_and_emptied() -> None:
    image = next(one for one in blocks() if one["kind"] == "figure")["image"]
    for text in ("At dusk", ""):
        now = apply_corrections(ARTICLE, [Edit("caption", text=text, image=int(str(image)))])
        assert now.images[0].caption == text


def test_blocks_have_no_markup_of_strangers() -> None:
    hostile = PAGE.replace(
        "after a hundred", "<img src=x onerror=alert(1)><script>1</script> after"
    )
    article = extract(hostile.encode(), url="https://post.example/")
    written = " ".join(str(one["html"]) for one in desk.describe_article(article, [])["blocks"])
    assert "onerror" not in written
    assert "<script" not in written
