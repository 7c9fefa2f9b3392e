"""Ranges that a system declares for its inputs: one rule for all who give them.

Numbers out of range are refused where they are given.  A law, whose answers are known only when they are
made, is reported by a warning with the input, the value and the time; what the system makes of such a value
is its own affair (pedals go no further than their stops).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import ModelError, RangeWarning

Range = tuple[float, float]

EXCESS = 1e-9
"""Part of its width by which a range may be exceeded: rounding of a law that saturates."""


def check_range(name: str, value: float, between: Range) -> None:
    """Refuse a number out of its range."""
    lower, upper = between
    if not lower <= value <= upper:
        raise ModelError(f"input {name!r}: {value!r} must be from {lower:g} to {upper:g}")


def warn_out_of_range(ranges: Mapping[str, Range], columns: Mapping[str, int], t: Floats, U: Floats) -> None:
    """Warn of inputs that a law answered out of their ranges, at stored instants.

    Parameters
    ----------
    ranges : mapping of str to (float, float)
    columns : mapping of str to int
        Where each input is in U.
    t : (instants,) array
    U : (instants, inputs) or (instants, inputs, runs) array
    """
    for name, (lower, upper) in ranges.items():
        values = U[:, columns[name]].reshape(len(t), -1)
        if not values.size:
            continue
        with np.errstate(invalid="ignore"):
            excess = np.maximum(values - upper, lower - values)
        if not np.nanmax(excess, initial=0.0) > EXCESS * (upper - lower):
            continue
        k, run = np.unravel_index(int(np.nanargmax(excess)), excess.shape)
        of = f" of run {run}" if U.ndim == 3 else ""
        warnings.warn(
            f"the law answers {values[k, run]:.6g} for input {name!r}{of} at t = {t[k]:.4g} s; its range is "
            f"from {lower:g} to {upper:g}: let the law saturate it",
            RangeWarning,
            stacklevel=4,
        )
