"""Small displacements of the coordinates of a system, for linearisations and searches.

A unit quaternion has four numbers but three directions to go.  A displacement δ has three there, the vector
by which the body is turned further, in the axes of its carrier; every other coordinate is displaced by a
number of its own.  The rotation comes first, so that for holonomic hinges δ has the order of v and δ̇ = v at
δ = 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.rotation import quaternion_rate
from ce_dynamics.dynamics.state import Entry, join_name
from ce_dynamics.embedding.aggregate import Embedding, slices
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.hinges.base import Hinge

ROTATION = ("rx", "ry", "rz")


def quaternion_places(hinge: Hinge) -> list[int]:
    """Return the indices of the unit quaternion among the coordinates of a hinge; empty if it has none."""
    places = [k for k, name in enumerate(hinge.coordinate_names) if name.startswith("q")]
    return places if len(places) == 4 else []


VANISHING = 1e-150  # length below which the square of a quaternion's length is no normal number


def find_undirected(quaternions: Mapping[str, Array], rows: Floats) -> list[str]:
    """Return the first body whose quaternion has no direction, for each row of coordinates; '' if none.

    It is zero, or has squares that vanish.  ``quaternions`` has the indices of each body's quaternion.
    """
    found = [""] * len(rows)
    for name, at in quaternions.items():
        with np.errstate(over="ignore"):
            vanishing = np.linalg.norm(rows[:, at], axis=1) < VANISHING
        for k in np.flatnonzero(vanishing).tolist():
            found[k] = found[k] or name
    return found


def check_directions(name: str, quaternions: Mapping[str, Array], q: Floats) -> None:
    """Refuse coordinates with a quaternion that is zero; ``name`` is that of the argument."""
    (body,) = find_undirected(quaternions, q[np.newaxis])
    if body:
        raise ModelError(
            f"{name}: the quaternion of {body!r} (qw, qx, qy, qz) is zero, which is not an orientation; "
            "give (1, 0, 0, 0) for no rotation"
        )


class Tangent:
    """Displacements δ of the coordinates q of an embedded system.

    Attributes
    ----------
    entries : tuple of Entry
        Names and units: ``chassis.rx`` for a rotation, else the name of the coordinate.
    of : dict of str to slice
        Where the displacements of each independent hinge are, by body name.
    quaternions : dict of str to array of int
        Indices of the unit quaternion of each body that has one.
    velocity : tuple of (int or None)
        For every displacement the velocity along it, as an index of v; None where a non-holonomic hinge has
        none (a rolling ball's contact point moves as the ball turns).
    """

    def __init__(self, embedding: Embedding) -> None:
        self._q_of = embedding.q_of
        self._hinges = {name: body.inboard for name, body in embedding.coordinates.items()}
        self.entries = tuple(
            Entry(join_name(name, suffix), unit)
            for name, hinge in self._hinges.items()
            for suffix, unit in directions(hinge)
        )
        self.of = slices((name, len(directions(hinge))) for name, hinge in self._hinges.items())
        self.quaternions = {
            name: self._q_of[name].start + np.array(places)
            for name, hinge in self._hinges.items()
            if (places := quaternion_places(hinge))
        }
        self.velocity = tuple(
            embedding.v_of[name].start + k if k < hinge.n_v else None
            for name, hinge in self._hinges.items()
            for k in range(len(directions(hinge)))
        )

    def __len__(self) -> int:
        return len(self.entries)

    def columns(self, q: Floats) -> Floats:
        """Return T(q) with dq = T δ, (n_q, n_δ); quaternions must have unit length."""
        T = np.zeros((len(q), len(self)))
        for name, hinge in self._hinges.items():
            T[self._q_of[name], self.of[name]] = hinge_columns(hinge, q[self._q_of[name]])
        return T

    def rows(self, q: Floats) -> Floats:
        """Return T⁺(q) with T⁺ T = 1, (n_δ, n_q)."""
        T = self.columns(q)
        squares: Floats = np.sum(T * T, axis=0)  # columns are perpendicular: ¼ for rotations, else 1
        return T.T / squares[:, np.newaxis]

    def displace(self, q: Floats, step: Floats) -> Floats:
        """Return coordinates displaced by δ, of any size: quaternions are turned by the rotation vector."""
        result = q.copy()
        for name, hinge in self._hinges.items():
            where = self._q_of[name]
            result[where] = hinge_displaced(hinge, q[where], step[self.of[name]])
        return result

    def normalise(self, q: Floats) -> Floats:
        """Return coordinates with every quaternion of unit length."""
        result = np.array(q, dtype=float)
        for at in self.quaternions.values():
            result[at] /= np.linalg.norm(result[at])
        return result

    def places(self, names: Iterable[str] | str, others: Sequence[str] = ()) -> list[int]:
        """Return indices of displacements by name; a body's name selects all of its hinge.

        Parameters
        ----------
        names : iterable of str, or str
        others : sequence of str
            Further names that may be given, which are counted after the displacements.

        Raises
        ------
        ModelError
            If a name is unknown.
        """
        known = [*(entry.name for entry in self.entries), *others]
        found: list[int] = []
        for name in (names,) if isinstance(names, str) else checks.texts("hold", names):
            if name in self.of:
                found += range(self.of[name].start, self.of[name].stop)
            elif name in known:
                found.append(known.index(name))
            else:
                raise ModelError(f"hold: no displacement {name!r}; known are {known}")
        return sorted(set(found))


def directions(hinge: Hinge) -> list[tuple[str, str]]:
    """Return names and units of the displacements of a hinge."""
    quaternion = quaternion_places(hinge)
    turns = [(suffix, "rad") for suffix in ROTATION] if quaternion else []
    pairs = zip(hinge.coordinate_names, hinge.coordinate_units, strict=True)
    return turns + [pair for k, pair in enumerate(pairs) if k not in quaternion]


def hinge_columns(hinge: Hinge, q: Floats) -> Floats:
    """Return T of one hinge."""
    quaternion = quaternion_places(hinge)
    others = [k for k in range(hinge.n_q) if k not in quaternion]
    start = 3 if quaternion else 0
    T = np.zeros((hinge.n_q, start + len(others)))
    for k in range(start):
        T[quaternion, k] = quaternion_rate(q[quaternion], np.eye(3)[k])  # ½ (0, e_k) ⊗ q
    for k, place in enumerate(others):
        T[place, start + k] = 1.0
    return T


def hinge_displaced(hinge: Hinge, q: Floats, step: Floats) -> Floats:
    """Return coordinates of one hinge displaced by δ."""
    quaternion = quaternion_places(hinge)
    others = [k for k in range(hinge.n_q) if k not in quaternion]
    result = np.array(q, dtype=float)
    if quaternion:
        turn, step = step[:3], step[3:]
        angle = float(np.linalg.norm(turn))
        # exp(½ δ) ⊗ q: the derivative ½ (0, δ) ⊗ q is at right angles to q and has half the angle's length
        along = quaternion_rate(result[quaternion], turn) * np.sinc(angle / (2.0 * np.pi))
        result[quaternion] = np.cos(0.5 * angle) * result[quaternion] + along
    result[others] += step
    return result
