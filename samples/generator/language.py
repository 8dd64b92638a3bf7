"""Words and sentences of the generated pages."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

NAMES = (
    "Ida Farrow", "Petra Vane", "Tomas Quill", "Miriam Okafor", "Jonas Lindqvist", "Vera Lugova",
    "Nadir Saleh", "Agnes Pell", "Li Zhao", "Hanne Brook",
)  # fmt: skip
SLUG = "bridge harbour letter orchard workshop library island flood lantern archive canal".split()


@dataclass(frozen=True, slots=True)
class Language:
    """One language's labels (`label("ad")`) and the parts of its sentences."""

    code: str
    words: dict[str, Any] = field(repr=False)

    @property
    def direction(self) -> str:
        return str(self.words.get("dir", "ltr"))

    def label(self, name: str) -> str:
        return str(self.words[name])

    def labels(self, name: str) -> list[str]:
        return list(self.words[name])

    def sentence(self, chance: Random) -> str:
        """One sentence, composed by the language's order of words."""
        parts = {
            "s": chance.choice(self.words["subjects"]),
            "p": chance.choice(self.words["predicates"]),
            "a": chance.choice(self.words["adverbials"]),
        }
        joined = self.words.get("join", " ").join(parts[letter] for letter in self.words["order"])
        return str(joined + self.words.get("stop", "."))

    def paragraph(self, chance: Random, shortest: int = 3, longest: int = 5) -> str:
        """Some sentences, all different."""
        found = dict.fromkeys(
            self.sentence(chance) for _ in range(chance.randint(shortest, longest))
        )
        return " ".join(found) if self.words.get("join", " ") else "".join(found)

    def headlines(self, chance: Random) -> list[str]:
        """All headlines of the language in some order: a subject and what it did."""
        join = self.words.get("join", " ")
        found = [s + join + p for s in self.words["subjects"] for p in self.words["predicates"]]
        chance.shuffle(found)
        return found


@cache
def languages() -> tuple[Language, ...]:
    """All languages of the data file."""
    with (Path(__file__).parent / "languages.toml").open("rb") as file:
        return tuple(Language(code, words) for code, words in tomllib.load(file).items())
