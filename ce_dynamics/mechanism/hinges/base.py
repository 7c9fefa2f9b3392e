"""Contract of hinges.

A hinge joins a child body to its parent.  All bodies have parallel axes in the design pose, and every hinge
coordinate is `Hinge.neutral` there: zero (quaternions: the identity) unless it was given another value.  A
hinge describes the child's **hinge frame** (fixed on the child, origin at the hinge point ``at``) relative to
the parent's (fixed on the parent, same point of the design pose); all vectors are components in the parent's
axes.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from ce_dynamics.algebra.arrays import Array, zeros
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.hinges.conditions import AtOnePoint, Condition, JointEnd
from ce_dynamics.mechanism.orientation import Directions, Orientation

ROUNDING = 1e-9
"""Rates of a condition, relative to its own size, that count as none: rounding leaves a few 1e-16."""
AWAY = 0.05
"""Coordinates [rad or m] of a second configuration, in case the design pose is a special one."""

CoordinateRole = Literal["quantity", "chart"]


class Hinge(AtOnePoint, ABC):
    """Contract of a hinge; ``c`` below is its configuration, ``v`` its generalised velocities.

    1. ``n_q``, ``n_v``: numbers of coordinates and of generalised velocities, with their names and units.
    2. `configuration` turns coordinates q into the numbers c the geometry needs (for an angle its cosine and
       sine), so that a closed-form linkage can supply c algebraically; `coordinates` is its inverse.
    3. `pose` returns the rotation R_rel (child to parent axes) and the displacement d of the hinge point.
    4. `H` is the hinge map matrix, (n_v, 6): relative spatial velocity of the child's hinge frame = Hᵀ v.
    5. `bias` is the relative acceleration of the hinge frame at v̇ = 0, Ḣᵀ v, with the relative linear
       acceleration relative to the parent.
    6. `q_dot` maps velocities to coordinate rates; `velocity_of` returns the velocity that is the rate of one
       coordinate alone.
    7. ``turns`` is False where the child cannot turn: R_rel = 1, and c holds displacements along the rows of
       H, d = H_linearᵀ c.
    8. `revolve` may return directions of the carrier that the child shares, as they turn with it; `axes` and
       `rotate_bias` may use an orientation of the child that does not come from c.
    9. `directions` names its axes; `relocate` is the same hinge with these and its point moved a little.
    10. `constraints` lists the 6 − n_v scalar conditions a hinge imposes between ``at_parent`` and
       ``at_child``, for formulations that cut every hinge.
    """

    n_q: ClassVar[int]
    n_v: ClassVar[int]
    coordinate_names: ClassVar[tuple[str, ...]]
    """Suffix of each coordinate's name; empty where there is only one."""
    velocity_names: ClassVar[tuple[str, ...]]
    coordinate_units: ClassVar[tuple[str, ...]]
    velocity_units: ClassVar[tuple[str, ...]]
    turns: ClassVar[bool] = True
    directions: ClassVar[tuple[str, ...]] = ()
    """Names of its attributes that are unit vectors of the design pose: axes, a normal."""

    def relocate(self, directions: Sequence[Array], at: Array) -> Hinge:
        """Return the same hinge with other `directions` (unit vectors, nearly the old ones) and point."""
        twin = copy.copy(self)
        vars(twin).update(zip(self.directions, directions, strict=True), at=at)
        return twin

    @property
    def neutral(self) -> Array:
        """Coordinates of the design pose."""
        return zeros(self.n_q)

    @property
    def quaternion(self) -> int | None:
        """Number of the first of four coordinates that are a quaternion; None if there are none."""
        if self.n_q == self.n_v or 1.0 not in self.neutral:
            return None
        return int(np.flatnonzero(self.neutral == 1.0)[0])

    @abstractmethod
    def configuration(self, q: Array) -> Array:
        """Return the numbers that the geometry needs, from the coordinates."""

    @abstractmethod
    def coordinates(self, c: Array) -> Array:
        """Return coordinates from the configuration; angles known by cosine and sine only are in (-π, π]."""

    @abstractmethod
    def pose(self, c: Array) -> tuple[Array, Array]:
        """Return the rotation R_rel (3, 3) from child to parent, and the displacement d (3,) of the point."""

    @abstractmethod
    def H(self, c: Array) -> Array:
        """Return the hinge map matrix (n_v, 6) in the parent's axes."""

    def bias(self, c: Array, v: Array) -> Array:
        """Return Ḣᵀ v (6,) in the parent's axes; zero for hinges whose axes are fixed on the parent."""
        return zeros(6)

    def axes(self, c: Array, carrier: Orientation, child: Orientation | None = None) -> tuple[Array, Array]:
        """Return columns of Hᵀ where the carrier is seen: angular and linear parts, (3, n_v) each.

        ``child`` is the orientation of the body behind the hinge, where it is known otherwise than by c.
        """
        H = self.H(c)
        return carrier.columns(H[:, :3]), carrier.columns(H[:, 3:])

    def rotate_bias(
        self, c: Array, v: Array, carrier: Orientation, child: Orientation | None = None
    ) -> tuple[Array, Array]:
        """Return the `bias` where the carrier is seen: angular and linear parts, (3,) each."""
        H_dot = self.bias(c, v)
        return carrier.R @ H_dot[:3], carrier.R @ H_dot[3:]

    def revolve(self, directions: Directions, c: Array) -> Directions | None:
        """Return directions of the child from the same ones of its carrier; None where R is as cheap."""
        return None

    def q_dot(self, q: Array, v: Array) -> Array:
        """Return rates of the coordinates (n_q,)."""
        return v

    def role_of(self, k: int) -> CoordinateRole:
        """Return the role of coordinate k: a quantity, or the number of the chart that a loop is on."""
        return "quantity"

    def velocity_of(self, k: int) -> int | None:
        """Return the number of the velocity that is the rate of coordinate k; None if no single one is."""
        plain = self.coordinate_names == self.velocity_names and 0 <= k < self.n_q
        return k if plain else None

    @property
    @abstractmethod
    def constraints(self) -> tuple[Condition, ...]:
        """Conditions whose rows, 6 − n_v in all, keep the two hinge frames as the hinge lets them be."""


def check_complementary(hinge: Hinge, owner: str) -> None:
    """Refuse a hinge whose conditions and freedoms are not complementary.

    Where the hinge is cut, only its `Hinge.constraints` hold the bodies; where it carries a body, only
    `Hinge.H` moves it.  Both describe one hinge if A Hᵀ = 0 and rank A + rank H = 6, with A the rates of the
    conditions per relative velocity of the child.  Hinges of the library are checked by its tests.
    """
    if type(hinge).__module__.startswith("ce_dynamics."):
        return
    name = f"{owner}: hinge {type(hinge).__name__}"
    step = AWAY * np.arange(1.0, hinge.n_q + 1.0)
    poses = [rates_of(hinge, q) for q in (hinge.neutral, hinge.neutral + step)]
    poses = [(A, H) for A, H in poses if np.isfinite(A).all() and np.isfinite(H).all()]
    if not poses:
        raise ModelError(f"{name}: its conditions or its H are not finite in the design pose and near it")
    rows, n_v = len(poses[0][0]), hinge.n_v
    if rows + n_v != 6:
        raise ModelError(
            f"{name} imposes {rows} conditions, and its H has {n_v} rows; together they must be 6: give "
            f"`constraints` the {6 - n_v} conditions that hold everything but its own motion"
        )
    for A, H in poses:
        if rows and n_v and (hindered := np.max(np.abs(A @ H.T), axis=0)).max() > ROUNDING:
            moves = hinge.velocity_names[int(np.argmax(hindered))] or "its velocity"
            raise ModelError(
                f"{name}: its `constraints` hinder its own motion along {moves!r}; they must hold in all "
                f"directions but the rows of H"
            )
    if all(rank(A) + rank(H) < 6 for A, H in poses):
        raise ModelError(
            f"{name}: its {rows} conditions hold {max(rank(A) for A, _ in poses)} directions and its {n_v} "
            f"freedoms move {max(rank(H) for _, H in poses)}; some repeat others, and together they must be 6"
        )


def rates_of(hinge: Hinge, q: Array) -> tuple[Array, Array]:
    """Return rates of the conditions per relative velocity [w, v] of the child, and H, in unit rows."""
    c = hinge.configuration(q)
    R, d = hinge.pose(c)
    arm = R @ (hinge.at_child - hinge.at)
    ends = JointEnd(IDENTITY, hinge.at_parent - hinge.at), JointEnd(R, d + arm)
    given = np.concatenate([zeros(0, 12), *(row.velocity_rows(*ends) for row in hinge.constraints)])
    at_child = nominal(given)[:, 6:]
    turning = at_child[:, :3] + np.cross(nominal(arm), at_child[:, 3:])  # v + w × arm is the point's
    return unit_rows(np.hstack((turning, at_child[:, 3:]))), unit_rows(nominal(hinge.H(c)))


def unit_rows(rows: Array) -> Array:
    """Return rows over their own length; zero stays zero."""
    rows = np.asarray(rows, dtype=float)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, length, out=np.zeros_like(rows), where=length != 0.0))


def rank(rows: Array) -> int:
    """Return the number of directions that unit rows span."""
    return int(np.linalg.matrix_rank(rows, tol=ROUNDING)) if rows.size else 0
