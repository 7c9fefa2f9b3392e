"""Near pairs and contact points of shapes on plain rigid bodies.

A tree over the centres of the shapes (SciPy's k-d tree) finds the pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact.conditions import Integers
from ce_dynamics.contact.narrow_phase import KINDS, WIDTH, Meetings, bounding_radius, flat
from ce_dynamics.contact.rigid import NO_BODY, RigidBodies, RigidState, rotations
from ce_dynamics.contact.shapes import HalfSpace, Shape, check_shape
from ce_dynamics.errors import ModelError

if TYPE_CHECKING:
    from ce_dynamics.contact.meeting_kernels import ShapeArrays


@dataclass(frozen=True, eq=False)
class RigidShape:
    """A shape on a plain rigid body, or at rest.

    Parameters
    ----------
    body : str or None
        None for what is at rest.
    shape : Sphere, Capsule, Box or HalfSpace
        In body axes from the centre of mass; in world axes if at rest.
    """

    body: str | None
    shape: Shape

    def __post_init__(self) -> None:
        if self.body is not None:
            checks.name_of("RigidShape: body", self.body)
        check_shape(self.shape, "RigidShape: shape")


class RigidShapes:
    """Shapes on plain rigid bodies and at rest.

    Parameters
    ----------
    bodies : RigidBodies
    shapes : sequence of RigidShape

    Attributes
    ----------
    body, kind : (n,) int arrays
        Of every shape; -1 for what is at rest.
    middle : (n, 3) array
        In body axes.
    radius : (n,) array
        Of a sphere around the middle that holds the shape.

    Raises
    ------
    ModelError
        If a body is unknown or a half-space not at rest.
    """

    def __init__(self, bodies: RigidBodies, shapes: Sequence[RigidShape]) -> None:
        owner = "rigid contacts"
        shapes = checks.instances(f"{owner}: shapes", shapes, RigidShape, "a RigidShape")
        self.shapes = shapes
        numbers = {name: k for k, name in enumerate(bodies.names)}
        for one in shapes:
            if one.body is not None and one.body not in numbers:
                raise ModelError(f"{owner}: no body {one.body!r}; there are {bodies.names}")
            if one.body is not None and isinstance(one.shape, HalfSpace):
                raise ModelError(f"{owner}: a half-space on {one.body!r}; half-spaces must be at rest")
        self.body = np.array([NO_BODY if s.body is None else numbers[s.body] for s in shapes], dtype=np.int64)
        self.kind = np.array([KINDS.index(type(s.shape)) for s in shapes], dtype=np.int64)
        self.bounded = np.flatnonzero(self.kind != KINDS.index(HalfSpace))
        self.middle = np.array([np.mean(s.shape.points, axis=0) for s in shapes]).reshape(-1, 3)
        self.radius = np.array([bounding_radius(s.shape) for s in shapes])
        self._local = np.zeros((len(shapes), WIDTH))
        for k, one in enumerate(shapes):
            numbers_of = flat(one.shape)
            self._local[k, : len(numbers_of)] = numbers_of

    @cached_property
    def scene(self) -> ShapeArrays:
        """Shapes in the form that kernels read."""
        from ce_dynamics.contact.meeting_kernels import scene  # here, because it loads Numba

        made, self._alive = scene(self.kind, self.body, self._local, self.middle, self.radius)
        return made

    def near(self, state: RigidState, margin: float) -> Integers:
        """Pairs of shapes whose bounding spheres come within a margin, (k, 2), sorted, the lower first."""
        from scipy.spatial import cKDTree  # here, because most runs never ask

        middle = self._middles(state)
        movable = self.bounded
        pairs: list[Integers] = []
        if len(movable) > 1:
            reach = 2.0 * float(np.max(self.radius[movable])) + margin
            found = cKDTree(middle[movable]).query_pairs(reach, output_type="ndarray")
            pairs.append(movable[found].astype(np.int64))
        for plane in np.flatnonzero(self.kind == KINDS.index(HalfSpace)):
            space = self.shapes[plane].shape
            height = (middle[movable] - space.points[0]) @ space.axes[0]
            low = movable[height < self.radius[movable] + margin]
            pairs.append(np.sort(np.stack((low, np.full(len(low), plane)), axis=1)).astype(np.int64))
        both = np.concatenate(pairs) if pairs else np.zeros((0, 2), dtype=np.int64)
        a, b = both.T
        apart = np.linalg.norm(middle[a] - middle[b], axis=1) - self.radius[a] - self.radius[b]
        infinite = np.isinf(self.radius[a]) | np.isinf(self.radius[b])
        kept = both[(self.body[a] != self.body[b]) & (infinite | (apart < margin))]
        return np.asarray(kept[np.lexsort(kept.T[::-1])], dtype=np.int64)

    def _middles(self, state: RigidState) -> Floats:
        middle, on = self.middle.copy(), self.body >= 0
        R = rotations(state.quaternion[self.body[on]])
        middle[on] = state.r[self.body[on]] + np.einsum("kij,kj->ki", R, middle[on])
        return middle

    def meetings(self, state: RigidState, margin: float) -> Meetings:
        """Return the contact points with gaps below a margin [m]."""
        from ce_dynamics.contact.meeting_kernels import meetings, room  # here, as they load Numba

        pairs, R = self.near(state, margin), rotations(state.quaternion)
        count = 8 * len(pairs)
        while True:
            found = room(count)
            count = meetings(self.scene, state.r, R, pairs, margin, found)
            if count <= len(found.psi):
                bodies, where = (
                    (found.first[:count], found.second[:count]),
                    (found.C[:count], found.n[:count]),
                )
                return Meetings(*bodies, *where, found.psi[:count], found.key[:count])

    def reach(self, count: int) -> Floats:
        """Return the radius around each centre of mass that contains the body's shapes, (count,) [m]."""
        reach, moving = np.zeros(count), self.body >= 0
        size = self.radius[moving] + np.linalg.norm(self.middle[moving], axis=1)
        np.maximum.at(reach, self.body[moving], size)
        return reach
