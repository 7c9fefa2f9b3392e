"""Frames of Chrono's bodies, as rotation matrices whose columns are their axes, and inertias in them.

All axes are those of the vehicle: x forward, y to the left, z up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.arrays import cross
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject

Matrix = NDArray[np.float64]


def rotation(part: JsonObject, key: str) -> Matrix:
    """A quaternion (scalar first) as a matrix."""
    q = np.array(part.numbers(key, 4))
    length = float(np.linalg.norm(q))
    if not abs(length - 1.0) < 1e-3:
        raise part.wrong(key, f"a quaternion of length {length:g} is no rotation; its length must be 1")
    w, x, y, z = q / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def unit(part: JsonObject, key: str, v: Matrix) -> Matrix:
    """A direction; points that lie on one line or on each other have none."""
    length = float(np.linalg.norm(v))
    if not length > 1e-9:
        raise part.wrong(
            key, "its points lie on one line or on each other, so its axes are undefined; move one"
        )
    return np.asarray(v / length)


def arm_plane(part: JsonObject, key: str, front: Matrix, back: Matrix, outer: Matrix) -> Matrix:
    """Axes of a control arm: z across its plane, x along its axis from back to front."""
    z = unit(part, key, cross(back - outer, front - outer))
    x = unit(part, key, front - back)
    return np.column_stack((x, cross(z, x), z))


def moments(part: JsonObject, products: str = "Products of Inertia") -> Matrix:
    """``Moments of Inertia`` or ``Inertia``, with the products of inertia where they are given."""
    J = part.moments("Inertia" if part.has("Inertia") else "Moments of Inertia")
    if part.has(products):
        xy, xz, yz = part.numbers(products, 3)
        J = J + np.array([[0.0, xy, xz], [xy, 0.0, yz], [xz, yz, 0.0]])
        least, *_, largest = np.linalg.eigvalsh(J)
        if least < -1e-12 * largest:
            raise part.wrong(
                products,
                f"the smallest principal moment is {least:.4g}, negative; give smaller products",
            )
    return J


def rotate_inertia(J: Matrix, R: Matrix) -> Matrix:
    """An inertia in the axes R, in those of the vehicle."""
    return np.asarray(R @ J @ R.T)
