"""Records: values of types that newer versions of Python and NumPy declare in other ways."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from typing_extensions import TypeAliasType

from tearsheet.store.records import StoredColumns, reader

Number = TypeVar("Number", bound=np.generic)


def test_a_column_may_be_declared_by_an_alias_of_python_3_12() -> None:
    """NumPy 2.5 declares `NDArray` so, and only from Python 3.12 on."""
    column = TypeAliasType(
        "column", np.ndarray[Any, np.dtype[Number]], type_params=(Number,)
    )  # fmt: skip
    stored = StoredColumns(np.arange(3, dtype=np.int32).tobytes(), 0)
    assert reader(column[np.int32])(3, stored).tolist() == [0, 1, 2]
