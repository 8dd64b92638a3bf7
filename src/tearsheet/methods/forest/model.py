"""The trained parameters of the engine, ready for use, and the check that they fit its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tearsheet import parameters
from tearsheet._core.words import Words
from tearsheet.errors import ModelMismatch
from tearsheet.methods.forest.columns import PASSES, Column, names
from tearsheet.parameters import Arrays


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """The vocabularies and the trees of the engine."""

    arrays: Arrays
    names: Words
    texts: Words
    tokens: Mapping[str, int]
    """The row of `token_values` of each."""
    token_values: npt.NDArray[np.float64]


_READY: dict[int, Model] = {}


def load_model() -> Model:
    """The model of the parameters in use, read once; refused if its columns differ from the
    code's."""
    arrays = parameters.load("forest")
    ready = _READY.get(id(arrays))
    if ready is None or ready.arrays is not arrays:
        check_columns(arrays)
        _READY.clear()  # cross-validation uses one after the other
        ready = _READY[id(arrays)] = make_model(arrays)
    return ready


def make_model(arrays: Arrays) -> Model:
    """Arrays as they are stored → a model."""
    return Model(
        arrays=arrays,
        names=Words(decode_words(arrays["names_words"]), arrays["names_values"]),
        texts=Words(decode_words(arrays["texts_words"]), arrays["texts_values"]),
        tokens={word: i for i, word in enumerate(decode_words(arrays["tokens_words"]))},
        token_values=arrays["tokens_values"].astype(np.float64),
    )


def encode_words(words: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Words from their stored form: UTF-8, one per line."""
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def decode_words(stored: npt.NDArray[Any]) -> list[str]:
    return stored.tobytes().decode().split("\n")


def stored_columns(name: str) -> dict[str, npt.NDArray[np.uint8]]:
    """The names of the columns of a pass, for its trained file."""
    return {f"{name}_columns": encode_words(names(PASSES[name]))}


def check_columns(arrays: Arrays, passes: Mapping[str, Sequence[Column]] = PASSES) -> None:
    """Raises `ModelMismatch` unless the model was trained with these columns, in this order."""
    for name, columns in passes.items():
        stored = arrays.get(f"{name}_columns")
        trained = decode_words(stored) if stored is not None else []
        if trained != list(names(columns)):
            raise ModelMismatch("forest", _describe_difference(name, trained, names(columns)))


def _describe_difference(name: str, trained: Sequence[str], declared: Sequence[str]) -> str:
    """The first difference between the columns of a model and those of the code."""
    if not trained:
        return f"it does not say which columns its pass '{name}' was trained with"
    if len(trained) != len(declared):
        return f"its pass '{name}' was trained with {len(trained)} columns, not {len(declared)}"
    row = next(i for i, (old, new) in enumerate(zip(trained, declared)) if old != new)
    return f"column {row} of its pass '{name}' is '{trained[row]}', not '{declared[row]}'"
