"""Accounts: users with their tokens, the token of the store, and settings."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from typing import Any, NamedTuple

from tearsheet.store.database import Tables


class User(NamedTuple):
    name: str
    admin: bool
    created: float


class AccountTable(Tables):
    """Users, and their settings."""

    def token(self) -> str:
        """The secret of this store, made when first needed."""
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

    def add_user(self, name: str, token: str, *, admin: bool = False) -> None:
        """Adds a user, or gives one another token. Only a digest of the token is stored."""
        with self._change() as db:
            db.execute(
                "INSERT INTO users (name, token, admin, created) VALUES (?, ?, ?, clock())"
                " ON CONFLICT (name) DO UPDATE SET token = excluded.token, admin = excluded.admin",
                (name, digest_token(token), int(admin)),
            )

    def users(self) -> list[User]:
        found = self._rows("SELECT name, admin, created FROM users ORDER BY name")
        return [User(name, bool(admin), created) for name, admin, created in found]

    def user_with(self, token: str) -> User | None:
        """The user who has a token."""
        found = self._rows(
            "SELECT name, admin, created FROM users WHERE token = ?", (digest_token(token),)
        )
        return User(found[0][0], bool(found[0][1]), found[0][2]) if found else None

    def remove_user(self, name: str) -> bool:
        """Removes a user with all clips, rules and corrections."""
        with self._change() as db:
            for table in ("clips", "rules", "corrections"):
                db.execute(f"DELETE FROM {table} WHERE owner = ?", (name,))  # noqa: S608
            return db.execute("DELETE FROM users WHERE name = ?", (name,)).rowcount > 0

    def settings(self) -> dict[str, Any]:
        """The settings of the whole service."""
        return {name: json.loads(value) for name, value in self._rows("SELECT * FROM settings")}

    def change_settings(self, values: Mapping[str, Any]) -> None:
        """Changes settings; None resets one."""
        with self._change() as db:
            for name, value in values.items():
                db.execute("DELETE FROM settings WHERE name = ?", (name,))
                if value is not None:
                    db.execute("INSERT INTO settings VALUES (?, ?)", (name, json.dumps(value)))


def digest_token(token: str) -> str:
    """The digest under which the store and the service know a user's token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
