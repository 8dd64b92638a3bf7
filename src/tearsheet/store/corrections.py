"""Corrections: the edits of clips, and of pages (also for training)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tearsheet.store.clips import Clip, edits_to_json, index_words
from tearsheet.store.database import Tables
from tearsheet.store.edits import Edit, Mark, marks_from_json, marks_to_json


class Correction(NamedTuple):
    """Somebody's corrections of a page, and the page as it was then."""

    url: str
    paths: str
    """The marks, as `marks_to_json` writes them."""
    article: bytes
    """As `archive.pack` writes it."""

    @property
    def marks(self) -> list[Mark]:
        """In the order in which they were made, with those that rules of the site had made before;
        raises BadRecord if the store has anything else."""
        return marks_from_json(self.paths)


class CorrectionTable(Tables):
    """People's corrections."""

    def change_edits(
        self, clip: Clip, edits: Sequence[Edit], facts: Mapping[str, Any], text: str = ""
    ) -> int | None:
        """Stores the edits of a clip; its new revision, or None if somebody else was quicker."""
        with self._change() as db:
            done = db.execute(
                "UPDATE clips SET edits = ?, facts = ?, title = ?, revision = revision + 1"
                " WHERE id = ? AND revision = ?",
                (edits_to_json(edits), json.dumps(facts), facts["title"], clip.id, clip.revision),
            )
            if done.rowcount:
                index_words(db, clip.id, facts["title"], text)
            return clip.revision + 1 if done.rowcount else None

    def correct(
        self, url: str, site: str, marks: Sequence[Mark], article: bytes, owner: str = ""
    ) -> None:
        """Remembers the corrections of a page; if none is by hand, forgets the page."""
        with self._change() as db:
            if all(mark.by == "rule" for mark in marks):
                db.execute("DELETE FROM corrections WHERE url = ? AND owner = ?", (url, owner))
                return
            db.execute(
                "INSERT INTO corrections (owner, url, site, made, paths, article)"
                " VALUES (?, ?, ?, clock(), ?, ?) ON CONFLICT (owner, url) DO UPDATE SET"
                " site = excluded.site, made = excluded.made, paths = excluded.paths,"
                " article = excluded.article",
                (owner, url, site, marks_to_json(marks), article),
            )

    def corrections(self, url: str, owner: str = "") -> list[Mark]:
        """The corrections of a page when it was clipped earlier."""
        found = self._rows(
            "SELECT paths FROM corrections WHERE url = ? AND owner = ?", (url, owner)
        )
        marks = marks_from_json(found[0][0]) if found else []
        return [mark._replace(by="before") for mark in marks if mark.by != "rule"]

    def log(self) -> Iterator[Correction]:
        """All corrections with their pages, the oldest first."""
        for url, owner in self._rows("SELECT url, owner FROM corrections ORDER BY made, url"):
            for paths, article in self._rows(
                "SELECT paths, article FROM corrections WHERE url = ? AND owner = ?", (url, owner)
            ):
                yield Correction(url, paths, bytes(article))
