"""Pages with their truth, as training reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tearsheet.datasets import Example
from tearsheet.learn import augment, examples, forest
from tearsheet.role_labels import RoleLabels

MARKUP = (
    "<html><body><div><a href='/'>Home</a> <a href='/n'>News</a></div>"
    "<h1>The last ferry of the year</h1><p>The boats came home again before the storm.</p>"
    "<p>Nets were full.</p><div>I liked this very much.</div></body></html>"
)
LABELS = RoleLabels(
    "saves/one",
    "article",
    (
        ("/html[1]/body[1]/div[1]", "navigation"),
        ("/html[1]/body[1]/h1[1]", "title"),
        ("/html[1]/body[1]/p[1]", "body"),
        ("/html[1]/body[1]/div[2]", "comment"),
    ),
)


def read_page(folder: Path) -> examples.LabelledPage:
    path = folder / "index.html"
    path.write_text(MARKUP)
    page = Example("one", path, "https://example.org/one", "any text", roles=LABELS)
    return next(examples.label([page], hidden=True))


def test_roles_say_what_is_content_and_what_is_left_open(tmp_path: Path) -> None:
    page = read_page(tmp_path)
    assert page.open is not None
    found = dict(zip(page.segments.text, zip(page.share.tolist(), page.open.tolist())))
    assert found["The boats came home again before the storm."] == (1, False)
    assert found["I liked this very much."] == (0, False)
    assert found["The last ferry of the year"] == (0.5, True)
    assert found["Nets were full."] == (0, True)  # nobody labelled it


def test_trees_do_not_learn_from_what_is_left_open(tmp_path: Path) -> None:
    page = read_page(tmp_path)
    prepared = forest.prepare(page)
    chosen, weight = forest._sample_segments(prepared, np.random.default_rng(1), 100)
    texts = {prepared.segments.text[i] for i in chosen.tolist()}
    assert "The boats came home again before the storm." in texts
    assert not texts & {"The last ferry of the year", "Nets were full."}
    assert len(weight) == len(chosen)
    assert "ferry" not in prepared.texts


def test_a_changed_copy_leaves_the_same_texts_open(tmp_path: Path) -> None:
    page = read_page(tmp_path)
    copy = augment.make_copy(page, augment.Donors())
    assert copy is not None
    assert copy.open is not None
    left = {text for text, is_open in zip(copy.segments.text, copy.open.tolist()) if is_open}
    assert left == {"The last ferry of the year", "Nets were full."}
