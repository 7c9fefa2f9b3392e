"""Piecewise linear functions without branches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Scalar, maximum


@dataclass(frozen=True)
class TorqueTable:
    """A continuous, piecewise linear function; constant outside its knots.

    Attributes
    ----------
    x, y : tuple of float
        Knots, increasing in x, and values there.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]

    def __call__(self, x: Scalar) -> Scalar:
        """y0 + Σ Δslope_k (x − x_k)+ : no branches, a multiplication and a maximum per knot."""
        slopes = [0.0, *(np.diff(self.y) / np.diff(self.x)).tolist(), 0.0]
        total: Scalar = self.y[0]
        for knot, before, after in zip(self.x, slopes[:-1], slopes[1:], strict=True):
            total = total + (after - before) * maximum(x - knot, 0.0)
        return total
