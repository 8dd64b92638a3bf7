"""What the service keeps: clips and their documents, rules of sites, corrections.

A clip is also its job: whoever sets `worker` on a queued clip has claimed it, and must keep moving
`lease` forward. When the lease has run out, somebody else can claim the clip.

Both databases understand the SQL here. `clock()` is the store's own, so that all who share a store
use the same clock.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, NamedTuple, Protocol

from tearsheet import limits
from tearsheet.errors import TearsheetError
from tearsheet.store import search
from tearsheet.store.edits import (
    Edit,
    Mark,
    RuleUse,
    Selects,
    marks_from_json,
    marks_to_json,
)
from tearsheet.store.schema import FOREVER, VERSION_TABLE, VERSIONS

LEASE: Final = 15.0
"""Seconds after which a worker that gives no sign of life loses its job."""
DIED: Final = 10
"""How much a clip is blamed for a process that ended while it was worked on."""
SILENT: Final = 1
"""… and for a whole service that fell silent: hardly, for who knows why."""
MOST_BLAME: Final = 30
"""With so much, it is given up."""
DOCUMENT: Final = "document "
"""How the names of documents begin that can be written again at any time."""
_DAY: Final = 86_400.0


class StoreFailed(TearsheetError):
    """The store cannot be opened, or does not answer."""

    code = "store"


class QueueFull(TearsheetError):
    """The queue is full."""

    code = "queue-full"


@dataclass(frozen=True, slots=True)
class Clip:
    """A row of `clips`; `asked` is the request, `facts` is what is known of the result."""

    id: str
    created: float
    expires: float
    client: str
    state: str
    """queued, working, done or failed."""
    stage: str
    asked: dict[str, Any]
    worker: str
    lease: float
    tries: int
    """How much it is blamed for processes that ended (`MOST_BLAME`)."""
    url: str | None
    title: str
    site: str
    """The host whose rules apply."""
    facts: dict[str, Any]
    code: str
    detail: str
    edits: list[Edit]
    revision: int
    owner: str
    """The user whose library has it; empty: of whoever runs the service."""
    tags: list[str]
    words: int
    """Of its text."""


@dataclass(frozen=True, slots=True)
class SiteRule:
    """What to do with the text of a site's pages that has all these marks."""

    id: int
    site: str
    do: Selects
    path: str
    role: str
    """Only text that plays this role; empty: any."""
    text: str
    """Only text of this shape (`nodes.text_shape`); empty: any."""
    created: float
    words: int
    """The most words that it removed from one page when it was taken."""
    uses: int
    misses: int
    """Pages of the site, one after another, on which it found nothing."""
    state: Literal["on", "off"]
    reason: str
    """Why it is off."""

    def mark(self) -> Mark:
        """The rule as it is looked for on a page."""
        return Mark(self.do, self.path, "rule", self.id, self.role, self.text, self.words)


@dataclass(frozen=True, slots=True)
class ClipQuery:
    """Which clips of a library are asked for."""

    words: str = ""
    tag: str = ""
    site: str = ""
    states: tuple[str, ...] = ()
    order: Literal["created", "title", "site", "words"] = "created"
    ascending: bool = False
    limit: int = 30
    offset: int = 0


class FoundClips(NamedTuple):
    clips: list[Clip]
    total: int
    """How many there are without the limit."""


class User(NamedTuple):
    name: str
    admin: bool
    created: float


class Correction(NamedTuple):
    """What somebody corrected on a page, and the page as it was then."""

    url: str
    marks: list[Mark]
    """In the order in which they were made, with those that rules of the site had made before."""
    article: bytes
    """As `archive.pack` writes it."""


class ArticlePlace(NamedTuple):
    """Where the store keeps an article: with a clip, or with a correction."""

    table: Literal["documents", "corrections"]
    key: str
    """The clip's id, or the page's address."""
    owner: str = ""
    """Whose correction it is."""


class QueryResult(Protocol):
    """The result of a query."""

    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...


class Database(Protocol):
    """An open transaction."""

    def execute(self, query: str, values: Sequence[Any] = (), /) -> QueryResult: ...


_PLACES: Final = {
    "documents": ("body", "name = 'article' AND clip = ? AND '' = ?"),
    "corrections": ("article", "url = ? AND owner = ?"),
}
"""The column of an article in each table, and how its row is found."""
_JSON: Final = ("asked", "facts", "edits", "tags")
_COLUMNS: Final = ", ".join(field.name for field in fields(Clip))
_ORDERS: Final = {
    "created": "created", "title": "lower(title)", "site": "site", "words": "words",
}  # fmt: skip
_WAITING: Final = "SELECT count(*) FROM clips WHERE state = 'queued'"
_OTHERS: Final = "SELECT count(*) FROM documents WHERE clip = ? AND name <> ?"
_RULE: Final = ", ".join(f'"{field.name}"' for field in fields(SiteRule))
_MISSES: Final = 5
"""Pages of its site on which a rule may find nothing before it is switched off."""


class Store(ABC):
    """Everything that is kept. All methods can be called by any thread."""

    LOCK = ""
    """SQL that locks the rows of a query and skips rows that are locked."""
    HOLD = ""
    """SQL that keeps others from deleting the rows of a query."""

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def _change(self) -> AbstractContextManager[Database]:
        """One transaction: all or nothing."""

    @abstractmethod
    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""

    @abstractmethod
    def bytes_kept(self) -> int:
        """About how many bytes the store takes."""

    # Clips

    def add(
        self,
        asked: Mapping[str, Any],
        source: bytes | None,
        client: str,
        site: str,
        days: float = 0,
        most: int | None = None,
        owner: str = "",
        tags: Sequence[str] = (),
    ) -> str:
        """Queues a new clip, if fewer than `most` wait; its id, which nobody can guess.

        It is kept for so many days; 0: for ever.
        """
        name = secrets.token_urlsafe(16)
        kept = days * _DAY if days else FOREVER
        about = (json.dumps(asked), asked.get("url"), site, owner, _tags_to_json(tags))
        values = (name, kept, client, *about)
        with self._change() as db:
            if most is not None and db.execute(_WAITING).fetchone()[0] >= most:
                raise QueueFull("too many clips are waiting")
            db.execute(
                "INSERT INTO clips (id, created, expires, client, state, stage, asked, url, site,"
                " owner, tags)"
                " VALUES (?, clock(), clock() + ?, ?, 'queued', 'queued', ?, ?, ?, ?, ?)",
                values,
            )
            if source is not None:
                _put(db, name, "source", 0, source)
        return name

    def clip(self, name: str) -> Clip | None:
        found = self._rows(
            f"SELECT {_COLUMNS} FROM clips WHERE id = ? AND expires > clock()",  # noqa: S608
            (name,),
        )
        return _read_clip(found[0]) if found else None

    def find_clips(self, owner: str, asked: ClipQuery) -> FoundClips:
        """Some clips of a library, and how many there are."""
        conditions, values = ["owner = ?", "expires > clock()"], [owner]
        if asked.states:
            conditions.append(f"state IN ({', '.join('?' * len(asked.states))})")
            values += asked.states
        if asked.tag:
            conditions.append("tags LIKE ? ESCAPE '!'")
            values.append(f"%{_escape_like(json.dumps(asked.tag, ensure_ascii=False))}%")
        if asked.site:
            conditions.append("site = ?")
            values.append(asked.site)
        if asked.words:
            condition, query = self._match_words(search.read_query(asked.words))
            conditions.append(condition)
            values.append(query)
        where = f"FROM clips WHERE {' AND '.join(conditions)}"
        direction = "ASC" if asked.ascending else "DESC"
        found = self._rows(  # words are looked for once: the total comes along
            f"SELECT id, count(*) OVER () {where} ORDER BY {_ORDERS[asked.order]} {direction}, id"
            " LIMIT ? OFFSET ?",
            (*values, asked.limit, asked.offset),
        )
        if not found and asked.offset:
            return FoundClips([], int(self._rows(f"SELECT count(*) {where}", values)[0][0]))
        total = int(found[0][1]) if found else 0
        return FoundClips(self._read_clips([name for name, _ in found]), total)

    def _read_clips(self, names: Sequence[str]) -> list[Clip]:
        """The clips of these names, in this order."""
        if not names:
            return []
        places = ", ".join("?" * len(names))
        rows = self._rows(f"SELECT {_COLUMNS} FROM clips WHERE id IN ({places})", names)  # noqa: S608
        clips = {clip.id: clip for clip in map(_read_clip, rows)}
        return [clips[name] for name in names if name in clips]

    @abstractmethod
    def _match_words(self, query: search.WordQuery) -> tuple[str, str]:
        """A condition for clips whose text has all these words, and its value."""

    def tags(self, owner: str) -> list[tuple[str, int]]:
        """The tags of a library, and how many clips have each."""
        found = self._rows("SELECT tags FROM clips WHERE owner = ? AND tags <> '[]'", (owner,))
        counts = Counter(tag for (tags,) in found for tag in json.loads(tags))
        return sorted(counts.items())

    def set_tags(self, name: str, tags: Sequence[str]) -> bool:
        with self._change() as db:
            values = (_tags_to_json(tags), name)
            return db.execute("UPDATE clips SET tags = ? WHERE id = ?", values).rowcount > 0

    def retry(self, name: str) -> bool:
        """Queues a failed clip again; whether it had failed."""
        with self._change() as db:
            done = db.execute(
                "UPDATE clips SET state = 'queued', stage = 'queued', code = '', detail = '',"
                " tries = 0 WHERE id = ? AND state = 'failed'",
                (name,),
            )
            return done.rowcount > 0

    def unread_clips(self) -> list[str]:
        """The clips whose text cannot be searched yet, as after an update."""
        found = self._rows(
            "SELECT clip FROM texts JOIN documents USING (clip)"
            " WHERE texts.body = '' AND documents.name = 'article'"
        )
        return [name for (name,) in found]

    def index_text(self, name: str, text: str) -> None:
        """Makes the text of a clip one that can be searched."""
        with self._change() as db:
            found = db.execute("SELECT title FROM clips WHERE id = ?", (name,)).fetchone()
            if found:
                _index(db, name, found[0], text)
                db.execute("UPDATE clips SET words = ? WHERE id = ?", (len(text.split()), name))

    def waiting(self) -> int:
        """How many clips wait for a worker."""
        return int(self._rows(_WAITING)[0][0])

    def unfinished_clips(self) -> set[str]:
        """The ids of the clips that are neither done nor failed."""
        found = self._rows("SELECT id FROM clips WHERE state IN ('queued', 'working')")
        return {name for (name,) in found}

    def bytes_of_client(self, client: str) -> int:
        """How many bytes the documents of a client's clips have."""
        found = self._rows(
            "SELECT coalesce(sum(length(body)), 0) FROM documents"
            " WHERE clip IN (SELECT id FROM clips WHERE client = ?)",
            (client,),
        )
        return int(found[0][0])

    def remove(self, name: str) -> bool:
        with self._change() as db:
            return db.execute("DELETE FROM clips WHERE id = ?", (name,)).rowcount > 0

    def expire(self) -> int:
        """Removes expired clips; returns how many."""
        with self._change() as db:
            return db.execute("DELETE FROM clips WHERE expires <= clock()").rowcount

    def keep_for(self, days: float) -> None:
        """Keeps all clips for so many days after they were made; 0: for ever."""
        kept = days * _DAY if days else FOREVER
        with self._change() as db:
            db.execute("UPDATE clips SET expires = created + ?", (kept,))

    # Jobs

    def claim(self, worker: str, without: Sequence[str] = ()) -> Clip | None:
        """Claims a queued clip for this worker, and none of the clients `without`.

        It is the oldest clip of the client that has the fewest clips in work.
        """
        others = f"AND client NOT IN ({', '.join('?' * len(without))})" if without else ""
        with self._change() as db:
            self._requeue_lost(db)
            found = db.execute(
                "UPDATE clips SET state = 'working', worker = ?, lease = clock() + ?"  # noqa: S608
                " WHERE id = (SELECT id FROM clips AS waiting"
                f" WHERE state = 'queued' {others} ORDER BY (SELECT count(*) FROM clips AS made"
                " WHERE made.state = 'working' AND made.client = waiting.client), created"
                f" LIMIT 1 {self.LOCK}) RETURNING {_COLUMNS}",
                (worker, LEASE, *without),
            ).fetchone()
        return _read_clip(found) if found else None

    def _requeue_lost(self, db: Database) -> None:
        """Queues the clips of silent workers again."""
        db.execute(
            f"UPDATE clips SET {_give_back(SILENT)} WHERE id IN (SELECT id FROM clips"  # noqa: S608
            f" WHERE state = 'working' AND lease < clock() {self.LOCK})"
        )

    def alive(self, name: str, worker: str, stage: str | None = None) -> None:
        """Renews the lease, and sets the stage if one is given."""
        with self._change() as db:
            db.execute(
                "UPDATE clips SET lease = clock() + ?, stage = coalesce(?, stage)"
                " WHERE id = ? AND worker = ? AND state = 'working'",
                (LEASE, stage, name, worker),
            )

    def release(self, name: str, worker: str, blame: int = 0) -> None:
        """Gives a job back; `blame` (`DIED`) if it may have been the page that ended the work."""
        with self._change() as db:
            db.execute(
                f"UPDATE clips SET {_give_back(blame)}"  # noqa: S608
                " WHERE id = ? AND worker = ? AND state = 'working'",
                (name, worker),
            )

    def finish(
        self,
        name: str,
        worker: str,
        facts: Mapping[str, Any],
        edits: Sequence[Edit],
        documents: Mapping[str, bytes | None],
        text: str = "",
    ) -> bool:
        """Stores the result, if the job still belongs to this worker; returns whether it does."""
        made = (json.dumps(facts), _edits_to_json(edits), facts["title"], len(text.split()))
        with self._change() as db:
            done = db.execute(
                "UPDATE clips SET state = 'done', stage = 'done', facts = ?, edits = ?, title = ?,"
                " words = ?, url = coalesce(?, url)"
                " WHERE id = ? AND worker = ? AND state = 'working'",
                (*made, facts["url"], name, worker),
            ).rowcount
            if done:
                _index(db, name, facts["title"], text)
            for part, body in documents.items() if done else ():
                if body is not None:
                    _put(db, name, part, 0, body)
        return done > 0

    def fail(self, name: str, worker: str, code: str, detail: str) -> None:
        with self._change() as db:
            db.execute(
                "UPDATE clips SET state = 'failed', stage = 'failed', code = ?, detail = ?"
                " WHERE id = ? AND worker = ? AND state = 'working'",
                (code, detail, name, worker),
            )

    def token(self) -> str:
        """The secret of this store, made when it is first asked for."""
        query = "SELECT value FROM secrets WHERE name = 'token'"
        found = self._rows(query)
        if not found:
            with self._change() as db:
                db.execute(
                    "INSERT INTO secrets (name, value) VALUES ('token', ?)"
                    " ON CONFLICT (name) DO NOTHING",
                    (secrets.token_urlsafe(24),),
                )
            found = self._rows(query)
        return str(found[0][0])

    def check_writing(self) -> None:
        """Raises unless something can be stored now."""
        with self._change() as db:
            db.execute(
                "INSERT INTO health (id, seen) VALUES (1, clock())"
                " ON CONFLICT (id) DO UPDATE SET seen = excluded.seen"
            )

    # Documents

    def document(self, name: str, part: str, revision: int = 0) -> bytes | None:
        found = self._rows(
            "SELECT body FROM documents WHERE clip = ? AND name = ? AND revision = ?",
            (name, part, revision),
        )
        return bytes(found[0][0]) if found else None

    def keep(self, name: str, part: str, revision: int, body: bytes) -> None:
        """Keeps a document, unless its clip was removed or has very many of them already."""
        with self._change() as db:
            found = db.execute(f"SELECT 1 FROM clips WHERE id = ? {self.HOLD}", (name,)).fetchone()  # noqa: S608
            if not found:
                return
            if part.startswith(DOCUMENT):
                _remove_outdated(db, name, revision)
                if db.execute(_OTHERS, (name, part)).fetchone()[0] >= limits.DOCUMENTS_PER_CLIP:
                    return
            _put(db, name, part, revision, body)

    # Articles, wherever they are

    def article_places(self) -> list[ArticlePlace]:
        """Where all articles are that the store keeps."""
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

    # Corrections

    def change_edits(
        self, clip: Clip, edits: Sequence[Edit], facts: Mapping[str, Any], text: str = ""
    ) -> int | None:
        """Stores the edits of a clip; its new revision, or None if somebody else was quicker."""
        with self._change() as db:
            done = db.execute(
                "UPDATE clips SET edits = ?, facts = ?, title = ?, revision = revision + 1"
                " WHERE id = ? AND revision = ?",
                (_edits_to_json(edits), json.dumps(facts), facts["title"], clip.id, clip.revision),
            )
            if done.rowcount:
                _index(db, clip.id, facts["title"], text)
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
        """What somebody corrected on a page when it was clipped earlier."""
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
                yield Correction(url, marks_from_json(paths), bytes(article))

    # Rules

    def rules(self, owner: str = "", site: str | None = None) -> list[SiteRule]:
        """The rules that a user has for a site, or for all sites."""
        query = f"SELECT {_RULE} FROM rules WHERE owner = ?"  # noqa: S608
        if site is None:
            return [SiteRule(*row) for row in self._rows(f"{query} ORDER BY site, id", (owner,))]
        found = self._rows(f"{query} AND site = ? ORDER BY id", (owner, site))
        return [SiteRule(*row) for row in found]

    def add_rule(
        self,
        site: str,
        do: Selects,
        path: str,
        *,
        role: str = "",
        text: str = "",
        words: int = 0,
        owner: str = "",
    ) -> SiteRule:
        """The rule with these values, added if it is new, switched on if it was off."""
        key = (owner, site, do, path, role, text)
        with self._change() as db:
            db.execute(
                'INSERT INTO rules (owner, site, "do", path, role, text, words, created)'
                " VALUES (?, ?, ?, ?, ?, ?, ?, clock())"
                ' ON CONFLICT (owner, site, "do", path, role, text) DO UPDATE SET'
                " words = excluded.words, state = 'on', reason = '', misses = 0",
                (*key, words),
            )
            found = db.execute(
                f'SELECT {_RULE} FROM rules WHERE owner = ? AND site = ? AND "do" = ?'  # noqa: S608
                " AND path = ? AND role = ? AND text = ?",
                key,
            ).fetchone()
        return SiteRule(*found)

    def switch_rule(self, number: int, state: Literal["on", "off"], owner: str = "") -> bool:
        """Switches a rule on or off."""
        with self._change() as db:
            done = db.execute(
                "UPDATE rules SET state = ?, reason = '', misses = 0 WHERE id = ? AND owner = ?",
                (state, number, owner),
            )
            return done.rowcount > 0

    def note_rules(self, uses: Iterable[RuleUse]) -> None:
        """Counts what rules did; one that matches no more, or is a danger, is switched off."""
        with self._change() as db:
            for use in uses:
                db.execute(
                    "UPDATE rules SET uses = uses + ?, misses = CASE WHEN ? THEN 0 ELSE misses + 1"
                    " END WHERE id = ?",
                    (int(use.matched), use.matched, use.rule),
                )
                if use.danger:
                    db.execute(
                        "UPDATE rules SET state = 'off', reason = ? WHERE id = ?",
                        (use.danger, use.rule),
                    )
            db.execute(
                "UPDATE rules SET state = 'off', reason = ? WHERE misses >= ? AND state = 'on'",
                (f"it found nothing on the last {_MISSES} pages of the site", _MISSES),
            )

    def remove_rule(self, number: int, owner: str = "") -> bool:
        with self._change() as db:
            values = (number, owner)
            return db.execute("DELETE FROM rules WHERE id = ? AND owner = ?", values).rowcount > 0

    # Users and settings

    def add_user(self, name: str, token: str, *, admin: bool = False) -> None:
        """Adds a user, or gives one another token. Only a digest of the token is kept."""
        with self._change() as db:
            db.execute(
                "INSERT INTO users (name, token, admin, created) VALUES (?, ?, ?, clock())"
                " ON CONFLICT (name) DO UPDATE SET token = excluded.token, admin = excluded.admin",
                (name, _digest(token), int(admin)),
            )

    def users(self) -> list[User]:
        found = self._rows("SELECT name, admin, created FROM users ORDER BY name")
        return [User(name, bool(admin), created) for name, admin, created in found]

    def user_with(self, token: str) -> User | None:
        """The user who has a token."""
        found = self._rows(
            "SELECT name, admin, created FROM users WHERE token = ?", (_digest(token),)
        )
        return User(found[0][0], bool(found[0][1]), found[0][2]) if found else None

    def remove_user(self, name: str) -> bool:
        """Removes a user with all that is theirs."""
        with self._change() as db:
            for table in ("clips", "rules", "corrections"):
                db.execute(f"DELETE FROM {table} WHERE owner = ?", (name,))  # noqa: S608
            return db.execute("DELETE FROM users WHERE name = ?", (name,)).rowcount > 0

    def settings(self) -> dict[str, Any]:
        """What somebody set for the whole service."""
        return {name: json.loads(value) for name, value in self._rows("SELECT * FROM settings")}

    def change_settings(self, values: Mapping[str, Any]) -> None:
        """Sets some of them; None takes one back."""
        with self._change() as db:
            for name, value in values.items():
                db.execute("DELETE FROM settings WHERE name = ?", (name,))
                if value is not None:
                    db.execute("INSERT INTO settings VALUES (?, ?)", (name, json.dumps(value)))


def bring_up_to_date(db: Database, **words: str) -> None:
    """Creates the tables, or adds what versions since have added; `words` are the database's."""
    db.execute(VERSION_TABLE)
    found = db.execute("SELECT version FROM store").fetchone()
    version = found[0] if found else 0
    if version > len(VERSIONS):
        raise StoreFailed("the store was written by a newer version: update Tearsheet")
    for statements in VERSIONS[version:]:
        for statement in statements:
            for part in statement.format(**words).split("\n---\n"):
                db.execute(part)
    if version < len(VERSIONS):
        db.execute("DELETE FROM store")
        db.execute("INSERT INTO store VALUES (1, ?)", (len(VERSIONS),))


def _index(db: Database, name: str, title: str, text: str) -> None:
    db.execute(
        "INSERT INTO texts (clip, title, body) VALUES (?, ?, ?) ON CONFLICT (clip) DO UPDATE SET"
        " title = excluded.title, body = excluded.body",
        (name, search.fold_text(title), search.fold_text(text)),
    )


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _escape_like(text: str) -> str:
    return re.sub("[!%_]", r"!\g<0>", text)


def _tags_to_json(tags: Iterable[str]) -> str:
    return json.dumps(sorted({tag.strip() for tag in tags if tag.strip()}), ensure_ascii=False)


def _give_back(blame: int) -> str:
    """SQL that queues a clip again, or fails one that seems to end every process."""
    now = f"tries + {blame:d} < {MOST_BLAME:d}"
    return (
        f"tries = tries + {blame:d}, worker = '', lease = 0,"
        f" state = CASE WHEN {now} THEN 'queued' ELSE 'failed' END,"
        f" stage = CASE WHEN {now} THEN 'queued' ELSE 'failed' END,"
        f" code = CASE WHEN {now} THEN '' ELSE 'worker' END,"
        f" detail = CASE WHEN {now} THEN '' ELSE 'every process that worked on this page ended' END"
    )


def _remove_outdated(db: Database, name: str, revision: int) -> None:
    """Removes what was written of a clip before its last edits."""
    db.execute(
        "DELETE FROM documents WHERE clip = ? AND name LIKE ? AND revision < ?",
        (name, f"{DOCUMENT}%", revision),
    )


def _put(db: Database, name: str, part: str, revision: int, body: bytes) -> None:
    db.execute(
        "INSERT INTO documents (clip, name, revision, body) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (clip, name) DO UPDATE SET revision = excluded.revision,"
        " body = excluded.body",
        (name, part, revision, body),
    )


def _read_clip(row: Sequence[Any]) -> Clip:
    values = {field.name: value for field, value in zip(fields(Clip), row, strict=True)}
    read = {name: json.loads(values[name]) for name in _JSON}
    read["edits"] = [Edit.from_json(edit) for edit in read["edits"]]
    return Clip(**values | read)


def _edits_to_json(edits: Sequence[Edit]) -> str:
    return json.dumps([edit.to_json() for edit in edits])
