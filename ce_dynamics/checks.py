"""Checks of the vectors that users hand in."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.errors import ModelError

Floats: TypeAlias = NDArray[np.float64]


def checked(name: str, value: ArrayLike, size: int) -> Floats:
    """A user's vector as float64; refuses other lengths, NaN and infinities."""
    vector = np.asarray(value, dtype=float)
    if vector.shape != (size,) or not np.all(np.isfinite(vector)):
        raise ModelError(f"{name} must be {size} finite numbers, got {vector}")
    return vector
