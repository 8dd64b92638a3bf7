"""A run: its settings and output, its shards, and the tasks that are done.

Beside the rows lies a folder (`OUT/_run`, or `OUT._run` for a single file):

- `run.json`: all that decides what the rows are; only a run with the same may continue;
- `shards.jsonl`: the plan;
- `done/STAGE/00017.json`: the manifest of each task that is done, written after what it made.

A task that was not finished leaves no manifest and is done again; it writes the same files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from tearsheet import __version__, parameters
from tearsheet.addresses import drop_password
from tearsheet.bulk.extract import Settings
from tearsheet.bulk.locations import (
    check_output,
    exists,
    file_names,
    join_location,
    read_bytes,
    read_many,
    write_bytes,
)  # fmt: skip
from tearsheet.bulk.parts import JOINED
from tearsheet.bulk.schema import VERSION
from tearsheet.bulk.shards import Shard, plan
from tearsheet.bulk.sources import Reading
from tearsheet.errors import TearsheetError
from tearsheet.types import option_fields

Manifest = dict[str, Any]
CLIP: Final = "clip"
"""The stage that makes the rows."""
_SINGLE: Final = (*(f".{form}" for form in JOINED), ".ndjson")
"""Endings of outputs that are one file."""
_BUCKET_BYTES: Final = 256 << 30
"""Bytes of inputs per bucket of keys: the keys of 10 million pages of 25 KB are 3.4 GB, and finding
what they share takes a few times that."""


class OtherRun(TearsheetError):
    """The output holds the rows of another run."""

    code = "output"


@dataclass(frozen=True, slots=True)
class BulkRun:
    """The settings that a worker needs; the same for every task."""

    out: str
    form: str
    """The form of the parts (module `parts`)."""
    settings: Settings
    reading: Reading
    buckets: int = 1
    """How many buckets the keys of near-duplicates and templates are sorted into."""
    shards: int = 0
    """How many shards there are."""

    @property
    def joined_file(self) -> str:
        """The one file that the parts become in the end; empty if they stay."""
        if self.settings.form:
            return join_location(self.out, "index.jsonl")
        return self.out if self.out.endswith(_SINGLE) else ""

    @property
    def folder(self) -> str:
        return f"{self.out}._run" if self.out.endswith(_SINGLE) else join_location(self.out, "_run")

    def side_file(self, *names: str) -> str:
        """A file of the run that contains no rows."""
        return join_location(self.folder, "/".join(names))

    def part(self, number: int) -> str:
        """The location of a shard's rows."""
        name = f"part-{number:05}.{self.form}"
        return self.side_file("parts", name) if self.joined_file else join_location(self.out, name)

    @property
    def digest(self) -> str:
        """A hash of everything that determines the rows."""
        return hashlib.sha256(_plain_text(self.conditions())).hexdigest()[:16]

    def conditions(self) -> dict[str, Any]:
        """Everything that determines the rows. Time, memory and location do not count: a second
        start may have other limits."""
        settings, reading = self.settings, self.reading
        options = asdict(replace(settings.options, timeout=0.0))
        for name, (_, _, info) in option_fields("clipping").items():
            if info.secret:
                del options[name]
        filters = asdict(settings.filters) | {"blocked": sorted(settings.filters.blocked)}
        return {
            **options,  # some of which have the names of ours
            "rules": [drop_password(place) for place in settings.options.rules],
            "version": __version__, "schema": VERSION, "method": settings.method,
            "model": model_digest(settings.method), "rows": self.form, "format": settings.form,
            "columns": ",".join(settings.columns), "render": settings.render,
            "unique": settings.minhash, "templates": bool(settings.templates),
            "html": reading.html, "prefix": reading.prefix, "filters": filters,
        }  # fmt: skip

    def notes(self) -> dict[str, str]:
        """The metadata of each file."""
        known = self.conditions()
        names = ("version", "schema", "method", "model")
        return {name: str(known[name]) for name in names} | {"run": self.digest}

    def open(self, inputs: Sequence[str], given: Sequence[str]) -> tuple[BulkRun, list[Shard]]:
        """The run and its shards, as planned at the first start (perhaps this one). Refuses an
        output of something else. `given` are the inputs as the user wrote them."""
        check_output(self.out)
        record = self.side_file("run.json")
        made_by = self.conditions() | {"inputs": list(given)}
        if exists(record):
            then = json.loads(read_bytes(record))
            _compare(self.out, then["made_by"], made_by)
            shards = self.read_shards()
            return replace(self, buckets=then["buckets"], shards=len(shards)), shards
        self._check_empty()
        shards = plan(inputs, self.reading)
        files = {shard.source: shard.size for shard in shards}
        buckets = 1 + sum(max(size, 0) for size in files.values()) // _BUCKET_BYTES
        lines = [_plain_text(asdict(shard)) for shard in shards]
        write_bytes(self.side_file("shards.jsonl"), b"\n".join(lines))
        write_bytes(record, _plain_text({"made_by": made_by, "buckets": buckets}, indent=1))
        return replace(self, buckets=buckets, shards=len(shards)), shards

    def read_shards(self) -> list[Shard]:
        """The plan."""
        lines = read_bytes(self.side_file("shards.jsonl")).splitlines()
        return [Shard.from_dict(json.loads(line)) for line in lines]

    def _check_empty(self) -> None:
        if self.joined_file:
            is_used = exists(self.joined_file)
        else:
            is_used = any(
                name.endswith((f".{self.form}", ".parquet", "index.jsonl"))
                for name in file_names(self.out)
            )
        if is_used:
            raise OtherRun(f"{self.out} was not made by this command: choose another output")

    def manifests(self, stage: str = CLIP) -> dict[int, Manifest]:
        """The manifests of a stage's finished tasks, by number."""
        names = [
            name for name in file_names(self.side_file("done", stage)) if name.endswith(".json")
        ]
        names = [name for name in names if not name.startswith("_")]
        found = map(json.loads, read_many(self.side_file("done", stage, name) for name in names))
        done = {int(manifest["number"]): manifest for manifest in found}
        if any(manifest["run"] != self.digest for manifest in done.values()):
            raise OtherRun(f"{self.out} holds parts of another run: choose another output")
        return done

    def note_done(self, stage: str, manifest: Manifest) -> Manifest:
        """Writes a manifest, and returns it."""
        manifest = {"run": self.digest, **manifest}
        write_bytes(
            self.side_file("done", stage, f"{manifest['number']:05}.json"), _plain_text(manifest)
        )
        return manifest


def model_digest(method: str) -> str:
    """A hash of a method's trained files."""
    found = hashlib.sha256()
    for path in sorted(parameters.FOLDER.glob(f"{method}*.npz")):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _plain_text(values: Any, **style: Any) -> bytes:
    return json.dumps(values, ensure_ascii=False, **style).encode("utf-8", "replace")


def _compare(out: str, then: dict[str, Any], now: dict[str, Any]) -> None:
    now = json.loads(json.dumps(now))  # as it is stored: a tuple becomes a list
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    if names:
        differences = ", ".join(
            f"{name} {then.get(name)!r} (now {now.get(name)!r})" for name in names
        )
        raise OtherRun(
            f"{out} was made with {differences}: use the same settings or choose another output"
        )
