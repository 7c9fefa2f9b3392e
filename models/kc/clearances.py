"""Clearances between parts of a suspension, discs included, with exact derivatives.

A part is a row of straight pieces with a radius, fixed on a body, or a disc.  Its distance to another is that
of the two points that are nearest to each other; as these are nearest, its derivative is that of the same two
points of the bodies (envelope theorem).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler.free_numbers import nominal, number
from ce_dynamics.errors import DataError
from ce_dynamics.models.kc.rig import KCRig
from ce_dynamics.models.kc.sensitivities import AlongParameters, Curves
from ce_dynamics.models.kc.sweeps import Sweep, sweep_of
from ce_dynamics.models.vehicles.description import VehicleParameters


@dataclass(frozen=True, eq=False)
class Disc:
    """A flat round disc whose surfaces are rounded off: all that is within ``radius`` of a circle's area.

    Attributes
    ----------
    body : str
        On which it is fixed.
    centre : (3,) array_like
        In the design pose [m]; free parameters may stand in it, see `hardpoint`.
    axis : (3,) array_like
        Square to the disc; of any length.
    size : float
        Radius of the circle [m].
    radius : float
        Half the thickness [m].
    """

    body: str
    centre: Any
    axis: Any
    size: float
    radius: float = 0.0

    def __post_init__(self) -> None:
        checks.name_of("disc: body", self.body, DataError)
        owner = f"disc on {self.body!r}"
        checks.number(f"{owner}: size", self.size, above=0.0, error=DataError)
        checks.number(f"{owner}: radius", self.radius, at_least=0.0, error=DataError)
        centre = checks.items(f"{owner}: centre", self.centre, 3, DataError)
        checks.finite_array(f"{owner}: centre", [nominal(x) for x in centre], (3,), DataError)
        axis = checks.finite_array(f"{owner}: axis", self.axis, (3,), DataError)
        if not np.linalg.norm(axis) > 0.0:
            raise DataError(f"{owner}: axis has no length; give its direction")

    @cached_property
    def points(self) -> Sequence[Array]:
        """The centre, and two points of the circle in directions that are square to each other."""
        axis = np.asarray(self.axis, dtype=float)
        one, other = np.linalg.svd(axis[np.newaxis])[2][1:]
        centre = np.asarray(self.centre)
        return centre, centre + self.size * one, centre + self.size * other

    @property
    def bodies(self) -> tuple[str, ...]:
        """The body of each point."""
        return (self.body,) * 3


def nearest_on_disc(disc: Floats, p: Floats) -> tuple[float, float]:
    """Return coordinates α, β of the nearest point of a disc, C + α (P − C) + β (Q − C), α² + β² ≤ 1."""
    C, P, Q = disc
    away, size = p - C, float((P - C) @ (P - C))
    a, b = float(away @ (P - C)) / size, float(away @ (Q - C)) / size
    out = max(1.0, float(np.hypot(a, b)))
    return a / out, b / out


def nearest_of_row(disc: Floats, row: Floats) -> tuple[Floats, Floats]:
    """Return the nearest points of a disc (3, 3) and of a polyline (n, 3), as weights of their points.

    The distance of a piece's points from the disc, which is convex, is a convex function along the piece; its
    minimum is at an end, or where the way to the disc is square to the piece.
    """
    best, found = np.inf, (np.zeros(3), np.zeros(len(row)))
    for i in range(max(1, len(row) - 1)):
        a, b = row[i], row[min(i + 1, len(row) - 1)]
        s = nearest_share(disc, a, b)
        p = a + s * (b - a)
        alpha, beta = nearest_on_disc(disc, p)
        weights = np.array((1.0 - alpha - beta, alpha, beta))
        gap = p - weights @ disc
        if gap @ gap < best:
            best = float(gap @ gap)
            others = np.zeros(len(row))
            others[i] += 1.0 - s
            others[min(i + 1, len(row) - 1)] += s
            found = weights, others
    return found


def nearest_share(disc: Floats, a: Floats, b: Floats) -> float:
    """Return the part of the way from a to b that is nearest to a disc."""
    from scipy.optimize import brentq  # here, because few runs need it

    def slope(s: float) -> float:
        p = a + s * (b - a)
        alpha, beta = nearest_on_disc(disc, p)
        q = disc[0] + alpha * (disc[1] - disc[0]) + beta * (disc[2] - disc[0])
        return float((p - q) @ (b - a))

    if slope(0.0) >= 0.0:
        return 0.0
    if slope(1.0) <= 0.0:
        return 1.0
    return float(brentq(slope, 0.0, 1.0, xtol=1e-15, rtol=4.0 * np.finfo(float).eps))


TOUCHING = 1e-9
"""[m] Distance of two lines below which the direction in which to part them is undetermined."""


@dataclass(frozen=True, eq=False)
class Part:
    """Straight pieces with a radius: a point, a rod, an arm.

    Attributes
    ----------
    body : str or sequence of str
        On which it is fixed; of a rod without a body of its own one for each point.
    points : sequence of (3,) array_like
        Ends of the pieces in the design pose [m]; one is a ball.  Free parameters may stand in them, see
        `hardpoint`.
    radius : float
        [m]
    """

    body: str | Sequence[str]
    points: Sequence[Any]
    radius: float = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.body, str):
            checks.name_of("part: body", self.body, DataError)
        else:
            for name in checks.items("part: body", self.body, error=DataError):
                checks.name_of("part: body", name, DataError)
        owner = f"part on {self.body!r}"
        checks.number(f"{owner}: radius", self.radius, at_least=0.0, error=DataError)
        points = checks.items(f"{owner}: points", self.points, error=DataError)
        if not points:
            raise DataError(f"{owner}: points: none is given")
        for k, point in enumerate(points):
            numbers = [nominal(entry) for entry in checks.items(f"{owner}: points[{k}]", point, 3, DataError)]
            checks.vector(f"{owner}: points[{k}]", numbers, 3, DataError)
        if len(self.bodies) != len(self.points):
            raise DataError(
                f"part on {self.body!r}: {len(self.bodies)} bodies for {len(self.points)} points; give "
                "one, or one for each"
            )

    @property
    def bodies(self) -> tuple[str, ...]:
        """The body of each point."""
        return (self.body,) * len(self.points) if isinstance(self.body, str) else tuple(self.body)


@dataclass(frozen=True, eq=False)
class Clearance:
    """Two parts that are to stay apart, in all poses of a sweep.

    Attributes
    ----------
    name : str
    one, other : Part or Disc
        Discs against rows of pieces; not two discs.
    least : float
        Distance of their surfaces that must be left [m].
    sweep : Sweep or str
    values : (n,) array_like, optional
        Of a sweep given by name; the design position if not given.
    """

    name: str
    one: Part | Disc
    other: Part | Disc
    least: float
    sweep: Sweep | str = "parallel"
    values: ArrayLike | None = (0.0,)

    def __post_init__(self) -> None:
        owner = f"clearance {checks.name_of('clearance: name', self.name, DataError)!r}"
        checks.number(f"{owner}: least", self.least, error=DataError)
        for part in (self.one, self.other):
            checks.instance(f"{owner}: part", part, (Part, Disc), "a Part or a Disc", DataError)
        self.poses()  # refuses unknown kinds, and values that are none
        bodies = {*self.one.bodies, *self.other.bodies}
        if isinstance(self.one, Disc) and isinstance(self.other, Disc):
            raise DataError(f"clearance {self.name!r}: of two discs; give one as a Part, points of its edge")
        if len(bodies) == 1:
            raise DataError(f"clearance {self.name!r}: both parts are on {bodies.pop()!r}; name two bodies")

    def poses(self) -> Sweep:
        """Return the sweep over which the clearance must be kept."""
        return sweep_of(self.sweep, self.values)


class Clearances:
    """The distances of some clearances."""

    def __init__(self, rig: KCRig, clearances: Sequence[Clearance]) -> None:
        self.rig, self.clearances = rig, list(clearances)
        system = rig.model.system
        known = ["ground", *(body.name for body in system.bodies)]
        ends: list[tuple[Any, Any]] = []
        self.places: list[tuple[slice, slice]] = []
        for clearance in self.clearances:
            pair = []
            for part in (clearance.one, clearance.other):
                start = len(ends)
                for body, point in zip(part.bodies, part.points, strict=True):
                    checks.check_name(f"clearance {clearance.name!r}", body, known, "body", DataError)
                    ends.append((system.find(body), np.asarray(point)))
                pair.append(slice(start, len(ends)))
            self.places.append((pair[0], pair[1]))
        poses, ground = rig.poses, system.ground

        def positions(c: Array) -> list[Scalar]:
            outward = rig.model.instant(*poses.state(c)).outward
            return [x for body, at in ends for x in outward.point(body, at, ground).r]

        self._positions = AlongParameters(rig, "parts", positions)

    def at(self, k: int, poses: Floats) -> Curves:
        """Return the distances [m] of clearance k in poses of the rig, (n,), and derivatives, (n, n_p)."""
        values, slopes = self._positions.at(poses)
        x = values.reshape(len(poses), -1, 3)
        dx = slopes.reshape(len(poses), x.shape[1], 3, -1)
        clearance, (one, other) = self.clearances[k], self.places[k]
        radii = clearance.one.radius + clearance.other.radius
        d, by = np.empty(len(poses)), np.empty((len(poses), dx.shape[-1]))
        for row in range(len(poses)):
            near = nearest_of_parts(clearance, x[row, one], x[row, other])
            gap = near.weights_one @ x[row, one] - near.weights_other @ x[row, other]
            distance = float(np.linalg.norm(gap))
            if not distance > TOUCHING:
                raise DataError(
                    f"clearance {clearance.name!r}: the lines of its parts meet, so that no direction "
                    "parts them; start where they are apart"
                )
            n = gap / distance
            moved = np.einsum("k,kip->ip", near.weights_one, dx[row, one])
            moved = moved - np.einsum("k,kip->ip", near.weights_other, dx[row, other])
            d[row], by[row] = distance - radii, n @ moved
        return Curves(d, by)


class Nearest(NamedTuple):
    """The nearest points of two parts, as weights of their points; squared distance."""

    weights_one: Floats
    weights_other: Floats
    squared: float


def nearest_of_parts(clearance: Clearance, one: Floats, other: Floats) -> Nearest:
    """Return the nearest points of the parts of a clearance, where these are."""
    if isinstance(clearance.one, Disc):
        mine, others = nearest_of_row(one, other)
    elif isinstance(clearance.other, Disc):
        others, mine = nearest_of_row(other, one)
    else:
        return nearest_points(one, other)
    gap = mine @ one - others @ other
    return Nearest(mine, others, float(gap @ gap))


def nearest_points(one: Floats, other: Floats) -> Nearest:
    """Return the nearest points of two rows of straight pieces, (n, 3) and (m, 3)."""
    best = Nearest(np.zeros(len(one)), np.zeros(len(other)), np.inf)
    for i in range(max(1, len(one) - 1)):
        for j in range(max(1, len(other) - 1)):
            a, b = one[i], one[min(i + 1, len(one) - 1)]
            c, d = other[j], other[min(j + 1, len(other) - 1)]
            s, t = nearest_of_segments(a, b, c, d)
            gap = a + s * (b - a) - c - t * (d - c)
            squared = float(gap @ gap)
            if squared < best.squared:
                weights = np.zeros(len(one)), np.zeros(len(other))
                for row, k, part in ((weights[0], i, s), (weights[1], j, t)):
                    row[k] += 1.0 - part
                    row[min(k + 1, len(row) - 1)] += part
                best = Nearest(*weights, squared)
    return best


def nearest_of_segments(a: Floats, b: Floats, c: Floats, d: Floats) -> tuple[float, float]:
    """Return parts s, t of the segments from a to b and from c to d at their nearest points.

    Ericson, Real-Time Collision Detection, 5.1.9.  Segments of no length are points.
    """
    u, v, w = b - a, d - c, a - c
    uu, vv, uv, uw, vw = (float(x) for x in (u @ u, v @ v, u @ v, u @ w, v @ w))
    if uu == 0.0 and vv == 0.0:
        return 0.0, 0.0
    if uu == 0.0:
        return 0.0, clip_unit(vw / vv)
    if vv == 0.0:
        return clip_unit(-uw / uu), 0.0
    square = uu * vv - uv * uv
    s = clip_unit((uv * vw - uw * vv) / square) if square > 1e-14 * uu * vv else 0.0
    t = (uv * s + vw) / vv
    if not 0.0 <= t <= 1.0:
        t = clip_unit(t)
        s = clip_unit((uv * t - uw) / uu)
    return float(s), float(t)


def clip_unit(x: float) -> float:
    """Clip a number to between 0 and 1."""
    return float(min(max(x, 0.0), 1.0))


def hardpoint(data: VehicleParameters, key: str) -> Array:
    """Return a point of a vehicle's data in vehicle coordinates, free parameters in it.

    Parameters
    ----------
    data : VehicleParameters
        Loaded with ``free``.
    key : str
        ``front_left.D``, ``rear_right.link_2.chassis``.

    Examples
    --------
    >>> from ce_dynamics.models import kc
    >>> from ce_dynamics.models.vehicles.description import VehicleParameters
    >>> data = VehicleParameters.load("sedan", free=["front.D.z"])
    >>> [f"{float(x):.3f}" for x in kc.hardpoint(data, "front_right.W")]
    ['1.388', '-0.798', '0.130']
    """
    checks.instance("data", data, VehicleParameters, "a VehicleParameters", DataError)
    corner, _, rest = checks.text("hardpoint: key", key, DataError).partition(".")
    checks.check_name("hardpoint", corner, list(data.corners), "corner", DataError)
    value: Any = getattr(data.data, corner)
    for name in rest.split("."):
        value = getattr(value, name, None)
    if rest == "origin" or not isinstance(value, tuple) or len(value) != 3:
        raise DataError(f"hardpoint: {checks.show(key)} is no hardpoint; give one such as {corner}.W")
    axle = corner.rpartition("_")[0]
    free = {parameter.name: parameter for parameter in data.free}
    written = [
        free.get(f"{corner}.{rest}.{x}", free.get(f"{axle}.{rest}.{x}", component))
        for x, component in zip("xyz", value, strict=True)
    ]
    side = data.corners[corner].side
    signs, origin = (1.0, side, 1.0), data.corners[corner].origin
    return np.array([number(o + s * p) for o, s, p in zip(origin, signs, written, strict=True)], dtype=object)
