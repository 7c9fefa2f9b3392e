"""Vehicles at rest: what tyres, brakes and shafts must hold so that nothing moves, on any grade."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.newton import BEYOND, DIFFERENCE, Differenced, descend, differences, largest_residual
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.models.parts.brake import Brake
from ce_dynamics.models.tyres.element import RoadTyre
from ce_dynamics.models.vehicles.trailers import unheld_coordinates

MOST_ITERATIONS = 25
RESIDUAL = 1e-8
"""Acceleration [m/s²], [rad/s²] or rate of a state per second that counts as none."""
NEAR = 1e-2
"""Residual from which on only the last digits are missing."""
FREELY = 1e3
"""Scale of the pose, beside that of deflections [m], [rad]."""
PASSES = 3
SHORTEST = 2.0**-8
"""Part of a step below which it is given up."""


class Unknowns(NamedTuple):
    """Entries of the state that are found, their scales, and the rates that are to vanish."""

    found: list[int]
    scales: Floats
    resting: list[int]


def find_rest(
    model: Model, y: Floats, u: Floats, positions: tuple[str, ...], unwound: Floats
) -> Floats | None:
    """Return the state at which a standing vehicle stays, or None if there is none nearby.

    Statically it is indeterminate which wheel holds how much: of all states at which no acceleration and no
    rate is left, the one is taken whose deflections of tyres, brakes and powertrain, from those of
    ``unwound``, are least, weighed by what the wheels can hold.  On a grade all wheels then come to the limit
    together.  ``positions`` are coordinates of chassis and suspensions that give way.
    """
    n_q, n_v = len(model.layout.q), len(model.layout.v)
    start = y.copy()
    start[n_q : n_q + n_v] = 0.0
    found = None
    for _ in range(PASSES):  # what the wheels hold shifts the loads, and these what they can hold
        wanted = unknowns(model, y if found is None else found, u, positions)
        own = wanted.found[len(positions) :]
        start[own] = unwound[own]  # what tyres were left with on their way is forgotten
        start = fill_brakes(model, start, u)
        y, resting = solve_rest(model, start, u, wanted)
        found = y if resting else found
    return found


def solve_rest(model: Model, y: Floats, u: Floats, wanted: Unknowns) -> tuple[Floats, bool]:
    """Find the rest state of least deflections, or the last iterate; return True too if it is at rest."""

    def state(z: Floats) -> Floats:
        trial = y.copy()
        trial[wanted.found] += wanted.scales * z
        return model.with_unit_quaternions(trial)

    def residual(z: Floats) -> Floats:
        rates = model.dynamics(state(z), u)[0][wanted.resting]
        return np.where(np.isfinite(rates), rates, BEYOND)

    def least(z: Floats, J: Floats, r: Floats) -> Iterator[Floats]:
        """Yield the step to the least z that leads from the start; at last, from where it has come to."""
        base = z if largest_residual(r) > NEAR else np.zeros(len(z))
        yield np.linalg.lstsq(J, J @ base - r, rcond=1e-12)[0] - base

    problem = Differenced(residual, DIFFERENCE / wanted.scales)
    start = np.zeros(len(wanted.found))
    z = descend(problem, start, RESIDUAL, iterations=MOST_ITERATIONS, steps=least, smallest=SHORTEST)
    return state(z.x), z.size <= RESIDUAL


def unknowns(model: Model, y: Floats, u: Floats, positions: tuple[str, ...]) -> Unknowns:
    """Return the unknowns: the pose at no cost, tyres and brakes by the root of the force they can hold.

    Minimal z of x = D z, subject to Σ c_i x_i = F, is x_i ∝ D_i² c_i: forces in proportion to D².
    """
    layout = model.layout
    names = layout.y_names
    n_q, n_v = len(layout.q), len(layout.v)
    steered = {motion for motion in layout.x_of if motion.endswith(".motion")}
    controlled = {controller.name for controller in model.system.controllers}
    own = [
        n_q + n_v + k
        for name, where in layout.x_of.items()
        if name not in steered and name not in controlled
        for k in range(where.start, where.stop)
    ]
    found = [*(names.index(name) for name in positions), *own]
    resting = [*range(n_q, n_q + n_v), *own]
    hold = limit_forces(model, y, u)
    most = max(hold.values(), default=1.0)
    scales = np.ones(len(found))
    scales[: len(positions)] = FREELY
    for k, place in enumerate(found):
        corner, _, part = names[place].partition(".tyre." if ".tyre." in names[place] else ".brake.")
        if part and corner in hold:
            scales[k] = np.sqrt(hold[corner] / most)
    return Unknowns(found, scales, resting)


def fill_brakes(model: Model, y: Floats, u: Floats) -> Floats:
    """Return the same with brakes filled as pedals and controllers want: without pressure none would hold."""
    given, filled = name_inputs(model, u), y.copy()
    names = model.layout.y_names
    for name, brake in brakes_of(model).items():
        if brake.parameters.lag is not None:
            filled[names.index(f"{name}.pressure")] = nominal(brake.find_wanted_pressure(given))
    return filled


def name_inputs(model: Model, u: Floats) -> dict[str, float]:
    """Return inputs by name."""
    return dict(zip((entry.name for entry in model.layout.u), u.tolist(), strict=True))


def brakes_of(model: Model) -> dict[str, Brake]:
    """Return brakes by name."""
    return {force.name: force for force in model.system.forces if isinstance(force, Brake)}


def limit_forces(model: Model, y: Floats, u: Floats) -> dict[str, float]:
    """Return the force each wheel can hold along the road [N], up to a factor: its load or its brake's."""
    seen, given, brakes = model.outputs(y, u=u), name_inputs(model, u), brakes_of(model)
    tyres = {force.name: force for force in model.system.forces if force.name.endswith(".tyre")}
    found = {}
    for name, tyre in tyres.items():
        corner = name.removesuffix(".tyre")
        load = max(seen[f"{name}.Fz"], 1.0) if f"{name}.Fz" in seen else 1.0
        brake = brakes.get(f"{corner}.brake")
        if brake is not None:
            torque = (
                nominal(brake.find_wanted_pressure(given))
                * brake.share
                * nominal(brake.parameters.max_torque)
            )
            load = max(min(load, torque / nominal(getattr(tyre, "unloaded_radius", 1.0))), 1e-3 * load)
        found[corner] = load
    return found


def heading_as(q: Floats, wanted: Floats) -> Floats:
    """Return a quaternion turned about the vertical until it heads where another does."""
    back = 0.5 * (heading(wanted) - heading(q))
    c, s = np.cos(back), np.sin(back)
    w, x, y, z = q
    return np.array([c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w])


def heading(q: Floats) -> float:
    """Return the yaw angle of a quaternion [rad]."""
    w, x, y, z = q
    return float(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


EVEN = 1e-9
"""Between the grades under wheels: on a plane they differ by rounding."""
EDGE = 0.05
"""Between the grades along a wheel and along its half: from here on it stands at an edge."""
ROUNDS = 3
UPRIGHT, UPRIGHT_RATES = ("chassis.z", "chassis.qx", "chassis.qy"), ("chassis.vz", "chassis.wx", "chassis.wy")


def place_on_road(model: Model) -> Floats:
    """Place the wheels on the road, moving along it, where it bends; return the initial state elsewhere.

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
        """Return gaps between the road and wheels that are not pressed in [m]."""
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
            y = nearest(model, y, gaps, entries(model, UPRIGHT))
    return nearest(model, y, rising, entries(model, UPRIGHT_RATES))


def nearest(
    model: Model, y: Floats, residual: Callable[[Floats], Sequence[float]], free: Sequence[int]
) -> Floats:
    """Return a step of Gauss and Newton towards the least squares of a residual."""

    def move(step: Floats) -> Floats:
        found = y.copy()
        found[free] += step
        return found

    def miss(step: Floats) -> Floats:
        return np.array(residual(move(step)))

    still = np.zeros(len(free))
    J = differences(miss, still, DIFFERENCE)
    step = np.asarray(np.linalg.lstsq(J, -miss(still), rcond=None)[0], dtype=float)
    return model.with_unit_quaternions(move(step))


def entries(model: Model, own: Sequence[str]) -> list[int]:
    """Return the indices in y of given chassis coordinates, or rates, and of those of held trailers."""
    n_q, held = len(model.layout.q), model.system.groups.get("trailer", ())
    unheld = unheld_coordinates(model.system)
    listed = [*model.layout.q, *model.layout.v]
    names = [entry.name for entry in listed]
    first, last = (0, n_q) if own is UPRIGHT else (n_q, len(listed))
    towed = [name for name in names[first:last] if name.rpartition(".")[0] in held and name not in unheld]
    return [names.index(name) for name in (*own, *towed)]


def grade_under(tyre: RoadTyre) -> float:
    """Return rise over run of the road along a wheel in the design position; NaN at an edge or beyond."""
    (x, y), R = (nominal(c) for c in tyre.centre[:2]), nominal(tyre.unloaded_radius)

    def rise(half: float) -> float:
        rear, front = (nominal(tyre.road.height(x + side * half, y)) for side in (-1.0, 1.0))
        return float(front - rear) / (2.0 * half)

    whole, middle = rise(R), rise(0.5 * R)
    return whole if abs(whole - middle) < EDGE else float("nan")
