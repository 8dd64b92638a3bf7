"""Rules of sites: adopted, counted, switched off."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Final, Literal

from tearsheet.store.database import Tables
from tearsheet.store.edits import Mark, RuleUse, Selects, read_mark

_MISSES: Final = 5
"""Pages of its site on which a rule may find nothing before it is switched off."""


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
    """The most words that it removed from one page when it was adopted."""
    uses: int
    misses: int
    """Pages of the site, one after another, on which it found nothing."""
    state: Literal["on", "off"]
    reason: str
    """Why it is off."""

    def mark(self) -> Mark:
        """The rule as a mark to search for on a page; raises BadRecord if the store has something
        else in its place."""
        values = [self.do, self.path, "rule", self.id, self.role, self.text, self.words]
        return read_mark(values)


_RULE: Final = ", ".join(f'"{field.name}"' for field in fields(SiteRule))


class RuleTable(Tables):
    """The rules of all users."""

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
        """Counts the effects of rules; switches off one that no longer matches, or is a danger."""
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
