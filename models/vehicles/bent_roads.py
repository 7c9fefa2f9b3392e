"""Starts where the road bends under a vehicle: its wheels on it, moving as it leads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.models.tyres.element import RoadTyre
from ce_dynamics.models.vehicles.trailers.hitches import unheld_coordinates

EVEN = 1e-9
"""Between the grades under wheels: on a plane they differ by rounding."""
EDGE = 0.05
"""Between the grades along a wheel and along its half: from here on it stands at an edge."""
ROUNDS = 3
DIFFERENCE = 1e-6
"""Of differences."""
POSE, RATES = ("chassis.z", "chassis.qx", "chassis.qy"), ("chassis.vz", "chassis.wx", "chassis.wy")


def along_the_road(model: Model) -> Floats:
    """The initial state with the wheels on the road, and moving along it, where it bends; else as it is.

    In line along the grade at the origin, some wheels would begin in the road or far above it, and move into
    it or off it.  Sought are heave, roll and pitch, those of trailers, then their rates, of least squares:
    suspensions neither give way nor move.  Wheels at edges, which have no grade, may move any way.
    """
    tyres = [force for force in model.system.forces if isinstance(force, RoadTyre)]
    grades = {tyre.name: grade_under(tyre) for tyre in tyres}
    graded = [tyre for tyre in tyres if np.isfinite(grades[tyre.name])]
    if not graded or np.ptp([grades[tyre.name] for tyre in graded]) <= EVEN:
        return model.y0

    def gaps(y: Floats) -> list[float]:
        """Between the road and wheels that are not pressed in [m]."""
        outward = model.instant(y, model.u0).outward
        places = [outward.point(tyre.wheel, tyre.centre, model.system.ground).r for tyre in tyres]
        return [
            nominal(r[2] - tyre.road.height(r[0], r[1]) - tyre.unloaded_radius)
            for r, tyre in zip(places, tyres, strict=True)
        ]

    def rising(y: Floats) -> list[float]:
        """Return the speeds at which wheels leave the road [m/s]."""
        outward = model.instant(y, model.u0).outward
        points = [outward.point(tyre.wheel, tyre.centre, model.system.ground).v for tyre in graded]
        return [nominal(v[2] - grades[tyre.name] * v[0]) for v, tyre in zip(points, graded, strict=True)]

    y = model.y0
    if np.isfinite(gaps(y)).all():
        for _ in range(ROUNDS):
            y = nearest(model, y, gaps, entries(model, POSE))
    return nearest(model, y, rising, entries(model, RATES))


def nearest(
    model: Model, y: Floats, residual: Callable[[Floats], Sequence[float]], free: Sequence[int]
) -> Floats:
    """A step of Gauss and Newton towards the least squares of a residual."""
    r = np.array(residual(y))
    J = np.array([(np.array(residual(y + DIFFERENCE * np.eye(len(y))[k])) - r) / DIFFERENCE for k in free]).T
    found = y.copy()
    found[free] -= np.linalg.lstsq(J, r, rcond=None)[0]
    return model.with_unit_quaternions(found)


def entries(model: Model, own: Sequence[str]) -> list[int]:
    """Return the indices in y of given chassis coordinates, or rates, and of those of held trailers."""
    n_q, held = len(model.layout.q), model.system.groups.get("trailer", ())
    unheld = unheld_coordinates(model.system)
    listed = [*model.layout.q, *model.layout.v]
    names = [entry.name for entry in listed]
    first, last = (0, n_q) if own is POSE else (n_q, len(listed))
    towed = [name for name in names[first:last] if name.rpartition(".")[0] in held and name not in unheld]
    return [names.index(name) for name in (*own, *towed)]


def grade_under(tyre: RoadTyre) -> float:
    """Rise over run of the road along a wheel in the design position; NaN at an edge or beyond the road."""
    (x, y), R = (nominal(c) for c in tyre.centre[:2]), nominal(tyre.unloaded_radius)

    def rise(half: float) -> float:
        rear, front = (nominal(tyre.road.height(x + side * half, y)) for side in (-1.0, 1.0))
        return float(front - rear) / (2.0 * half)

    whole, middle = rise(R), rise(0.5 * R)
    return whole if abs(whole - middle) < EDGE else float("nan")
