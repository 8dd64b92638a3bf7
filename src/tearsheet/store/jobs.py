"""Jobs: a clip that waits for its worker.

A clip is also its job: whoever sets `worker` on a queued clip has claimed it, and must keep moving
`lease` forward. When the lease has run out, somebody else can claim the clip.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tearsheet.segments import count_words
from tearsheet.store.clips import COLUMNS, Clip, edits_to_json, index_words, read_clip
from tearsheet.store.database import Database, Tables
from tearsheet.store.documents import put_document
from tearsheet.store.edits import Edit

LEASE: Final = 15.0
"""Seconds after which a worker that gives no sign of life loses its job."""
DIED: Final = 10
"""The blame of a clip for a process that ended while working on it …"""
KILLED: Final = 3
"""… for a process that was killed, perhaps because the page filled the memory …"""
SILENT: Final = 1
"""… and for a whole service that fell silent: hardly any, since the reason is unknown."""
MOST_BLAME: Final = 30
"""With this much blame, a clip fails."""


class JobTable(Tables):
    """Clips as jobs of workers."""

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
                f" LIMIT 1 {self.LOCK}) RETURNING {COLUMNS}",
                (worker, LEASE, *without),
            ).fetchone()
        return read_clip(found) if found else None

    def _requeue_lost(self, db: Database) -> None:
        """Queues the clips of silent workers again. A lease that lasts far longer than any was
        given before the clock was set back; after a small step back, its worker still renews it."""
        db.execute(
            f"UPDATE clips SET {_give_back(SILENT)} WHERE id IN (SELECT id FROM clips"  # noqa: S608
            f" WHERE state = 'working' AND (lease < clock() OR lease > clock() + ?) {self.LOCK})",
            (2 * LEASE,),
        )

    def renew_lease(self, name: str, worker: str, stage: str | None = None) -> None:
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
        made = (json.dumps(facts), edits_to_json(edits), facts["title"], count_words(text))
        with self._change() as db:
            done = db.execute(
                "UPDATE clips SET state = 'done', stage = 'done', facts = ?, edits = ?, title = ?,"
                " words = ?, url = coalesce(?, url)"
                " WHERE id = ? AND worker = ? AND state = 'working'",
                (*made, facts["url"], name, worker),
            ).rowcount
            if done:
                index_words(db, name, facts["title"], text)
            for part, body in documents.items() if done else ():
                if body is not None:
                    put_document(db, name, part, 0, body)
        return done > 0

    def fail(self, name: str, worker: str, code: str, detail: str) -> None:
        with self._change() as db:
            db.execute(
                "UPDATE clips SET state = 'failed', stage = 'failed', code = ?, detail = ?"
                " WHERE id = ? AND worker = ? AND state = 'working'",
                (code, detail, name, worker),
            )

    def retry(self, name: str) -> bool:
        """Queues a failed clip again; whether it had failed."""
        with self._change() as db:
            done = db.execute(
                "UPDATE clips SET state = 'queued', stage = 'queued', code = '', detail = '',"
                " tries = 0 WHERE id = ? AND state = 'failed'",
                (name,),
            )
            return done.rowcount > 0


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
