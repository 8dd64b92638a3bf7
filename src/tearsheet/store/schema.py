"""The tables of the store, version by version. A store of an earlier version is brought up to date
when it is opened; nothing that it keeps is lost.

`{bytes}` and `{number}` are what each database calls them; the table of texts (`{texts}`) and the
index for their words (`{words}`) are its own.
"""

from __future__ import annotations

from typing import Final

FOREVER: Final = 1e11
"""The expiry time of a clip that never expires, in seconds after 1970."""

_FIRST: Final = (
    """CREATE TABLE IF NOT EXISTS clips (
  id TEXT PRIMARY KEY, created DOUBLE PRECISION NOT NULL, expires DOUBLE PRECISION NOT NULL,
  client TEXT NOT NULL, state TEXT NOT NULL, stage TEXT NOT NULL, asked TEXT NOT NULL,
  worker TEXT NOT NULL DEFAULT '', lease DOUBLE PRECISION NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  url TEXT, title TEXT NOT NULL DEFAULT '', site TEXT NOT NULL DEFAULT '',
  facts TEXT NOT NULL DEFAULT '{{}}', code TEXT NOT NULL DEFAULT '',
  detail TEXT NOT NULL DEFAULT '', edits TEXT NOT NULL DEFAULT '[]',
  revision INTEGER NOT NULL DEFAULT 0
)""",
    "CREATE INDEX IF NOT EXISTS clips_waiting ON clips (state, created)",
    "CREATE INDEX IF NOT EXISTS clips_expiring ON clips (expires)",
    """CREATE TABLE IF NOT EXISTS documents (
  clip TEXT NOT NULL REFERENCES clips (id) ON DELETE CASCADE, name TEXT NOT NULL,
  revision INTEGER NOT NULL, body {bytes} NOT NULL, PRIMARY KEY (clip, name)
)""",
    """CREATE TABLE IF NOT EXISTS rules (
  id {number} PRIMARY KEY, site TEXT NOT NULL, "do" TEXT NOT NULL, path TEXT NOT NULL,
  created DOUBLE PRECISION NOT NULL, UNIQUE (site, "do", path)
)""",
    """CREATE TABLE IF NOT EXISTS corrections (
  url TEXT PRIMARY KEY, site TEXT NOT NULL, made DOUBLE PRECISION NOT NULL, paths TEXT NOT NULL,
  article {bytes} NOT NULL
)""",
    "CREATE TABLE IF NOT EXISTS health (id INTEGER PRIMARY KEY, seen DOUBLE PRECISION NOT NULL)",
)
_LIBRARY: Final = (
    "ALTER TABLE clips ADD COLUMN owner TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE clips ADD COLUMN tags TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE clips ADD COLUMN words INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX clips_of_owner ON clips (owner, created)",
    "CREATE INDEX clips_of_site ON clips (site, owner)",
    "UPDATE clips SET expires = 100000000000",  # FOREVER: no clip goes because of an update
    # A rule that names a bare position may name another article's first paragraph.
    """CREATE TABLE new_rules (
  id {number} PRIMARY KEY, owner TEXT NOT NULL DEFAULT '', site TEXT NOT NULL, "do" TEXT NOT NULL,
  path TEXT NOT NULL, role TEXT NOT NULL DEFAULT '', text TEXT NOT NULL DEFAULT '',
  created DOUBLE PRECISION NOT NULL, words INTEGER NOT NULL DEFAULT 0,
  uses INTEGER NOT NULL DEFAULT 0, misses INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'on', reason TEXT NOT NULL DEFAULT '',
  UNIQUE (owner, site, "do", path, role, text)
)""",
    """INSERT INTO new_rules (site, "do", path, created, state, reason)
  SELECT site, "do", path, created, CASE WHEN path LIKE '%[%' THEN 'off' ELSE 'on' END,
  CASE WHEN path LIKE '%[%' THEN 'it names a position, which may be anything on another page'
  ELSE '' END FROM rules ORDER BY id""",
    "DROP TABLE rules",
    "ALTER TABLE new_rules RENAME TO rules",
    """CREATE TABLE new_corrections (
  owner TEXT NOT NULL DEFAULT '', url TEXT NOT NULL, site TEXT NOT NULL,
  made DOUBLE PRECISION NOT NULL, paths TEXT NOT NULL, article {bytes} NOT NULL,
  PRIMARY KEY (owner, url)
)""",
    """INSERT INTO new_corrections (url, site, made, paths, article)
  SELECT url, site, made, paths, article FROM corrections""",
    "DROP TABLE corrections",
    "ALTER TABLE new_corrections RENAME TO corrections",
    """CREATE TABLE users (
  name TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE, admin INTEGER NOT NULL DEFAULT 0,
  created DOUBLE PRECISION NOT NULL
)""",
    "CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "{texts}",
    "INSERT INTO texts (clip, title, body) SELECT id, title, '' FROM clips WHERE state = 'done'",
)
_PREFIXES: Final = ("{words}",)
"""The index for words knows the beginnings of words, too."""
_CLIENTS: Final = ("CREATE INDEX IF NOT EXISTS clips_of_client ON clips (client, state)",)
"""Clips of one client are counted for each claim, and weighed every few seconds."""
VERSIONS: Final = (_FIRST, _LIBRARY, _PREFIXES, _CLIENTS)
"""The statements that each version adds to the one before."""

VERSION_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS store (id INTEGER PRIMARY KEY, version INTEGER NOT NULL)"
)
