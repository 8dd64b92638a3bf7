from typing import Any

import numpy as np
import numpy.typing as npt

def add_leaves(
    feature: npt.NDArray[Any],
    border: npt.NDArray[Any],
    leaves: npt.NDArray[Any],
    columns: npt.NDArray[np.float32],
    total: npt.NDArray[np.float64],
) -> None: ...
