"""Orientations, by a matrix or, where possible, by directions of the body that are known in other axes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, is_plain
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.compiler.free_numbers import is_free

ROUNDING = 1e-15
"""Largest component of a unit vector that counts as zero."""


class Directions(NamedTuple):
    """Three perpendicular directions of a body: R = Σ_k now_k design_kᵀ.

    A vector along one of them is turned by a multiple of a known vector instead of a matrix product,
    and R itself need never be formed.
    """

    now: Array  # (3, 3): Columns: the directions in the axes one looks from
    design: Array  # (3, 3): Columns: the same directions in the design pose, orthonormal

    @property
    def R(self) -> Array:
        """Rotation matrix."""
        matrix: Array = self.now @ self.design.T
        return matrix

    def components(self, vector: Array) -> Array:
        """Return components of a body-fixed vector, given in the design pose, along the directions."""
        parts: Array = self.design.T @ vector
        if is_plain(parts):
            parts = np.where(np.abs(parts) < ROUNDING * np.linalg.norm(vector.astype(float)), 0.0, parts)
            parts = np.where(
                np.abs(np.abs(parts) - 1.0) < ROUNDING, np.sign(parts), parts
            )  # a direction itself
        return parts

    def revolve(self, axis: Array, cosine: Scalar, sine: Scalar) -> Directions | None:
        """Return the orientation after a turn about one of the directions; None if ``axis`` is none of them.

        With free parameters it is None as well, for other values of these may part axis and direction.
        """
        if is_free(axis) or is_free(self.design):
            return None
        heights = self.components(axis)
        k = int(np.argmax(np.abs(heights)))
        if np.count_nonzero(heights) > 1:
            return None
        one, other = self.now[:, (k + 1) % 3], self.now[:, (k + 2) % 3]
        sine = sine * np.sign(heights[k])
        columns = [self.now[:, k]] * 3
        columns[(k + 1) % 3] = cosine * one + sine * other
        columns[(k + 2) % 3] = cosine * other - sine * one
        return Directions(np.stack(columns, axis=1), self.design)


class Orientation(NamedTuple):
    """Orientation of a body relative to given axes."""

    R: Array  # (3, 3): Rotation from body axes to the given axes
    directions: Directions | None = None  # The same orientation by directions, where they are known

    def rotate(self, vector: Array) -> Array:
        """Return the present value of a body-fixed vector given in the design pose."""
        if self.directions is None or not (is_plain(vector) or is_free(vector)):
            product: Array = self.R @ vector
            return product
        now: Array = self.directions.now @ self.directions.components(vector)
        return now

    def columns(self, vectors: Array) -> Array:
        """Return body-fixed vectors, given in rows in the design pose, as they are now, as columns (3, n)."""
        if self.directions is None:
            product: Array = self.R @ vectors.T
            return product
        if len(vectors) == 0:
            return np.zeros((3, 0))
        return np.stack([self.rotate(vector) for vector in vectors], axis=1)

    def on_body(self, vector: Array, *fixed: Array) -> tuple[Array, ...]:
        """Return a present vector, then body-fixed ones of the design pose, all along the same body axes.

        The axes are those that cost least.
        """
        if self.directions is None:
            return self.R.T @ vector, *fixed
        return self.directions.now.T @ vector, *(self.directions.components(one) for one in fixed)


AS_DESIGNED = Orientation(IDENTITY)
"""Orientation of the design pose."""


def from_directions(directions: Directions) -> Orientation:
    """Return an orientation that is known by directions."""
    return Orientation(directions.R, directions)
