"""Trajectories of the augmented models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented.augmented import Augmented
from ce_dynamics.augmented.states import BodyState


class StoredPoses(NamedTuple):
    """A body's motion at all stored instants.

    Attributes
    ----------
    r, v : (n, 3) arrays
        Centre of mass in the world [m] and its velocity [m/s].
    R : (n, 3, 3) array
        Body axes to world axes.
    w : (n, 3) array
        Angular velocity in world axes [rad/s].
    """

    r: Array
    R: Array
    v: Array
    w: Array


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A stored motion of an augmented model.

    Attributes
    ----------
    model : Augmented
    t : (n,) array
    y : (n, n_y) array
        States [p; V; x] in rows.
    u : (n, n_u) array
        Inputs.
    g, rate : (n, n_g) arrays
        Position and velocity errors of all constraint rows, redundant ones included.
    multipliers : (n, n_g) array
        λ of (8) at the stored states; of redundant rows, one of least norm.
    statistics : mapping
        Counts and seconds.
    """

    model: Augmented
    t: Array
    y: Array
    u: Array
    g: Array
    rate: Array
    multipliers: Array
    statistics: Mapping[str, float]

    @property
    def constraint_error(self) -> Array:
        """Largest position error of all rows at every instant, (n,)."""
        return largest(self.g)

    @property
    def closure_error(self) -> Array:
        """Largest position error of the loop closures at every instant, (n,)."""
        return largest(self.g[:, self.model.closure_rows])

    @property
    def rate_error(self) -> Array:
        """Largest velocity error of all rows at every instant, (n,)."""
        return largest(self.rate)

    @cached_property
    def states(self) -> list[dict[str, BodyState]]:
        """States of all bodies at every instant."""
        return [self.model.at(y, u).states for y, u in zip(self.y, self.u, strict=True)]

    def body(self, name: str) -> StoredPoses:
        """Motion of a body."""
        self.model.system.find(name)
        chosen = [states[name] for states in self.states]
        return StoredPoses(
            *(np.array([getattr(s, key) for s in chosen], dtype=float) for key in ("r", "R", "v", "w"))
        )

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy at every instant, (n,) [J]."""
        pairs = zip(self.y, self.u, strict=True)
        return np.array([self.model.at(y, u).energy for y, u in pairs], dtype=float)


def largest(errors: Array) -> Array:
    """Largest absolute value in every row; zero where there are no columns."""
    return np.asarray(np.max(np.abs(errors), axis=1, initial=0.0))
