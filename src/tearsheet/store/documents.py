"""Documents made from clips, and the stored articles, in whatever table they are."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from tearsheet import limits
from tearsheet.store.database import Database, Tables

DOCUMENT: Final = "document "
"""The prefix of documents that can be made again at any time."""
_PLACES: Final = {
    "documents": ("body", "name = 'article' AND clip = ? AND '' = ?"),
    "corrections": ("article", "url = ? AND owner = ?"),
}
"""For each table the column with the article, and the condition for its row."""
_OTHERS: Final = "SELECT count(*) FROM documents WHERE clip = ? AND name <> ?"


class ArticlePlace(NamedTuple):
    """Where the store keeps an article: with a clip, or with a correction."""

    table: Literal["documents", "corrections"]
    key: str
    """The clip's id, or the page's address."""
    owner: str = ""
    """Whose correction it is."""


class DocumentTable(Tables):
    """The documents of clips, and packed articles."""

    def document(self, name: str, part: str, revision: int = 0) -> bytes | None:
        found = self._rows(
            "SELECT body FROM documents WHERE clip = ? AND name = ? AND revision = ?",
            (name, part, revision),
        )
        return bytes(found[0][0]) if found else None

    def keep(self, name: str, part: str, revision: int, body: bytes) -> None:
        """Stores a document, unless its clip was removed or already has very many."""
        with self._change() as db:
            found = db.execute(f"SELECT 1 FROM clips WHERE id = ? {self.HOLD}", (name,)).fetchone()  # noqa: S608
            if not found:
                return
            if part.startswith(DOCUMENT):
                _remove_outdated(db, name, revision)
                if db.execute(_OTHERS, (name, part)).fetchone()[0] >= limits.DOCUMENTS_PER_CLIP:
                    return
            put_document(db, name, part, revision, body)

    def bytes_of_client(self, client: str) -> int:
        """The size in bytes of the documents of a client's clips."""
        found = self._rows(
            "SELECT coalesce(sum(length(body)), 0) FROM documents"
            " WHERE clip IN (SELECT id FROM clips WHERE client = ?)",
            (client,),
        )
        return int(found[0][0])

    def article_places(self) -> list[ArticlePlace]:
        """The places of all stored articles."""
        clips = self._rows("SELECT clip FROM documents WHERE name = 'article' ORDER BY clip")
        corrected = self._rows("SELECT url, owner FROM corrections ORDER BY url, owner")
        return [
            *(ArticlePlace("documents", key) for (key,) in clips),
            *(ArticlePlace("corrections", key, owner) for key, owner in corrected),
        ]

    def article_at(self, place: ArticlePlace) -> bytes | None:
        """A packed article; None if it was removed."""
        column, where = _PLACES[place.table]
        found = self._rows(
            f"SELECT {column} FROM {place.table} WHERE {where}",  # noqa: S608
            (place.key, place.owner),
        )
        return bytes(found[0][0]) if found else None

    def replace_article(self, place: ArticlePlace, before: bytes, after: bytes) -> None:
        """Stores an article in another form, unless it has changed meanwhile."""
        column, where = _PLACES[place.table]
        with self._change() as db:
            db.execute(
                f"UPDATE {place.table} SET {column} = ? WHERE {where} AND {column} = ?",  # noqa: S608
                (after, place.key, place.owner, before),
            )


def put_document(db: Database, name: str, part: str, revision: int, body: bytes) -> None:
    db.execute(
        "INSERT INTO documents (clip, name, revision, body) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (clip, name) DO UPDATE SET revision = excluded.revision,"
        " body = excluded.body",
        (name, part, revision, body),
    )


def _remove_outdated(db: Database, name: str, revision: int) -> None:
    """Removes the documents of a clip that are older than its last edits."""
    db.execute(
        "DELETE FROM documents WHERE clip = ? AND name LIKE ? AND revision < ?",
        (name, f"{DOCUMENT}%", revision),
    )
