"""Assembly: the configuration of a whole system for given coordinates, independent or dependent."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks, dense
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.algebra.newton import Found
from ce_dynamics.compiled.analysis.continuation import CLOSE, EVALUATIONS, EvaluationBudget, search_starts
from ce_dynamics.compiled.analysis.coordinates import (
    coordinate_entries,
    coordinate_function,
    coordinate_owners,
    slope_of,
    tangent_columns,
)
from ce_dynamics.compiled.analysis.poses import (
    Poses,
    pose_function,
    poses,
)
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.tangent import quaternion_places
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.dynamics.state import join_name
from ce_dynamics.embedding import numeric_positions
from ce_dynamics.embedding.closures.compiled_closures import comes_round
from ce_dynamics.embedding.numeric.linkage import find_continued_linkages
from ce_dynamics.errors import AssemblyError, CeDynamicsError, ModelError


def can_start_at(model: CompiledSystem, y: Floats) -> bool:
    """Return True if continuation from the start reaches a state in every loop; compiles nothing."""
    start = start_of(model, y)
    return all(numeric_positions.can_start_at(S, start) for S in model.embedding.aggregates)


def start_of(model: CompiledSystem, y: Floats) -> dict[str, Floats]:
    """Return the independent coordinates of a state by body."""
    q, _, _ = model.layout.split(y)
    return {name: q[part] for name, part in model.embedding.q_of.items()}


def restart_model(model: CompiledSystem, y: Floats) -> CompiledSystem | None:
    """Return a model of the system that starts at a state; None if impossible, or with other coordinates."""
    system = copy.copy(model.system)
    system.initial = start_of(model, y)
    try:
        found = type(model)(system)
    except CeDynamicsError:
        return None
    same = [entry.name for entry in found.layout.q] == [entry.name for entry in model.layout.q]
    return found if same else None


def with_coordinates(model: CompiledSystem, y: Floats, wanted: Mapping[str, float]) -> Floats:
    """Return a state with new values of independent coordinates by name; dependent ones are skipped."""
    moved = y.copy()
    for k, entry in enumerate(model.layout.q):
        moved[k] = wanted.get(entry.name, moved[k])
    return moved


RESTARTS = 3  # number of further searches, each by a model that starts at the end of the last one
AHEAD = 0.05  # distance beyond the end of a search at which assembly is tried [rad] or [m]
WORTH_IT = 0.9  # largest ratio of remaining to previous residual for which another search follows


@dataclass(frozen=True, eq=False)
class Configuration:
    """A configuration of all bodies.

    Attributes
    ----------
    y : (n,) array
        The state; velocities are those of the start.
    coordinates : dict of str to float
        Coordinates of all inboard hinges (independent, dependent and prescribed) and other coordinates of
        loops, by name.  An angle computed from its cosine and sine is in (−π, π].
    units : dict of str to str
        Their units.
    poses : Poses
        Positions and orientations of all bodies.
    model : CompiledSystem
        A model valid at the state: the given one or, if a dead centre lies between its start and this
        configuration, one of the same system that starts beyond it.
    """

    y: Floats
    coordinates: Mapping[str, float]
    units: Mapping[str, str]
    poses: Poses
    model: CompiledSystem


def assemble(
    model: CompiledSystem,
    coordinates: Mapping[str, float] | None = None,
    *,
    near: Mapping[str, ArrayLike] | None = None,
    y: ArrayLike | None = None,
    u: ArrayLike | None = None,
    evaluations: int = EVALUATIONS,
) -> Configuration:
    """Find the configuration with given coordinates, on the branch of the design pose.

    Parameters
    ----------
    coordinates : mapping of str to float, optional
        Coordinates of hinges, independent or dependent, and other coordinates of loops, by name
        (`Configuration.coordinates` has all) [rad] or [m]; as many as there are degrees of freedom or
        fewer.  With fewer the others move as
        little as they can.
    near : mapping of str to (3,) array_like, optional
        Rough positions of centres of mass in the world, by body name [m]: the search starts where they
        are met best (in the sense of least squares).
    y, u : array_like, optional
        State to start from, and inputs with free parameters; the model's own if not given.
    evaluations : int
        Largest number of evaluations of the coordinates.  Most reachable configurations take fewer than
        20; a failed search does not prove that a configuration does not exist.

    Raises
    ------
    ModelError
        If a name is unknown or part of a quaternion, or a value not finite.
    AssemblyError
        If no such configuration was found, neither by Newton's method nor by continuation of the
        coordinates, from this and from other configurations.  The message names the coordinate that is
        farthest from its target in the nearest configuration, its distance, and that configuration.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> z = (0, 0, 1)
    >>> system = ce.System()
    >>> crank = system.add_body("crank", mass=1.0, com=(0, 0.5, 0), inertia=(1, 1, 1),
    ...                         parent=system.ground, hinge=ce.Revolute(z, at=(0, 0, 0)))
    >>> rod = system.add_body("rod", mass=1.0, com=(1, 1, 0), inertia=(1, 1, 1),
    ...                       parent=crank, hinge=ce.Revolute(z, at=(0, 1, 0)))
    >>> rocker = system.add_body("rocker", mass=1.0, com=(2, 0.5, 0), inertia=(1, 1, 1),
    ...                          parent=system.ground, hinge=ce.Revolute(z, at=(2, 0, 0)))
    >>> pin = system.close_loop("pin", rod, rocker, ce.Revolute(z, at=(2, 1, 0)), independent=[crank])
    >>> model = ce.compile(system)
    >>> found = model.assemble({"rocker": 0.3})  # a parallelogram
    >>> {name: round(value, 9) for name, value in found.coordinates.items()}
    {'crank': 0.3, 'rod': -0.3, 'rocker': 0.3}
    """
    given = model.given_inputs(u)
    state = model.with_unit_quaternions(model.given_state(y))
    effort = EvaluationBudget(checks.integer("assemble: evaluations", evaluations, at_least=1))
    wanted = collect_targets(model, {} if coordinates is None else coordinates)
    with log_work(f"assembling {model.system.name!r}"):
        if near is not None:
            state = find_nearest_state(model, state, given, target_positions(model, near))
        if wanted:
            model, state = solve_coordinates(model, state, given, wanted, effort)
    return configuration_at(model, state, given)


def configuration_at(model: CompiledSystem, y: Floats, u: Floats) -> Configuration:
    """Return the configuration at a state with its coordinates and poses."""
    found = coordinate_function(model)(y, u)[0]
    model.refuse_not_finite(y, u, found)
    entries = coordinate_entries(model)
    values = {entry.name: float(value) for entry, value in zip(entries, found, strict=True)}
    return Configuration(
        y, values, {entry.name: entry.unit for entry in entries}, poses(model, y, u=u), model
    )


def collect_targets(model: CompiledSystem, coordinates: Mapping[str, float]) -> dict[int, float]:
    """Return target values by the index of the coordinate."""
    names = [entry.name for entry in coordinate_entries(model)]
    quaternions = {
        join_name(body.name, body.inboard.coordinate_names[k])
        for body in model.system.bodies
        for k in quaternion_places(body.inboard)
    }
    wanted = {}
    for name, value in checks.mapping("coordinates", coordinates).items():
        checks.check_name("coordinates", name, names, "coordinate")
        if name in quaternions:
            raise ModelError(f"coordinate {name!r} is part of a quaternion; set it in y")
        wanted[names.index(name)] = checks.number(f"coordinate {name!r}:", value)
    return wanted


def target_positions(model: CompiledSystem, near: Mapping[str, ArrayLike]) -> dict[int, Floats]:
    """Return target positions by the index of the body."""
    bodies = list(model.system.bodies)
    given = checks.mapping("near", near)
    return {bodies.index(model.system.find(n)): checked(f"near[{n!r}]", r, 3) for n, r in given.items()}


def find_nearest_state(model: CompiledSystem, y: Floats, u: Floats, targets: Mapping[int, Floats]) -> Floats:
    """Return the state in which centres of mass are nearest to their targets."""
    from scipy.optimize import least_squares  # here, because few runs need it

    function = pose_function(model)
    derivative = model.derivative(function.traced, "positions", "y")
    rows = [3 * k + i for k in targets for i in range(3)]
    goal = np.concatenate(list(targets.values()))
    for _ in range(3):  # displacements are counted from where the last search ended

        def miss(step: Floats, base: Floats = y) -> Floats:
            positions: Floats = function(displace(model, base, step), u)[0].ravel()[rows] - goal
            return np.where(np.isfinite(positions), positions, 1e3)

        def slope(step: Floats, base: Floats = y) -> Floats:
            moved = displace(model, base, step)
            return derivative(moved, u)[rows] @ tangent_columns(model, moved)

        found = least_squares(miss, np.zeros(len(model.tangent)), slope, x_scale="jac", max_nfev=50)
        y = displace(model, y, found.x)
    return y


def solve_coordinates(
    model: CompiledSystem, y: Floats, u: Floats, wanted: Mapping[int, float], effort: EvaluationBudget
) -> tuple[CompiledSystem, Floats]:
    """Return a state in which some coordinates have target values, and a model valid there."""
    model.refuse_not_finite(y, u, gap_of(model, y, u, wanted))
    found = search_starts(CoordinateTargets(model, u, wanted, effort), y, others=0)
    continued = any(find_continued_linkages(S.linkages) for S in model.embedding.aggregates)
    if found.size > CLOSE and continued:
        other, found = searched_from_elsewhere(model, found, u, wanted, effort)
        if found.size <= CLOSE:
            return other, found.x
    if found.size > CLOSE:
        found = search_starts(CoordinateTargets(model, u, wanted, effort), y)
    if found.size <= CLOSE:
        return model, found.x
    worst = int(np.argmax(np.abs(found.gap)))
    entry = coordinate_entries(model)[list(wanted)[worst]]
    q = dict(zip((e.name for e in model.layout.q), model.layout.split(found.x)[0].round(6), strict=True))
    there = ", ".join(f"{name} = {value:g}" for name, value in q.items())
    raise AssemblyError(
        f"coordinate {entry.name!r} cannot be brought to {list(wanted.values())[worst]:g} {entry.unit}: "
        f"{abs(found.gap[worst]):.3g} {entry.unit} are missing in the nearest configuration that was "
        f"reached, with {there}; a loop ends there, or the coordinates contradict each other: name "
        f"fewer, or start elsewhere (y){effort}"
    )


def searched_from_elsewhere(
    model: CompiledSystem, best: Found, u: Floats, wanted: Mapping[int, float], effort: EvaluationBudget
) -> tuple[CompiledSystem, Found]:
    """Search with models that start at the target, and at the end of the last search."""
    names = [entry.name for entry in coordinate_entries(model)]
    there = with_coordinates(model, best.x, {names[k]: value for k, value in wanted.items()})
    other = restart_model(model, there) if can_start_at(model, there) else None
    if other is not None:
        found = search_starts(CoordinateTargets(other, u, wanted, effort), there, others=0)
        if found.size <= CLOSE:
            return other, found
    for _ in range(RESTARTS):
        if effort.is_spent:
            break
        if not can_improve(CoordinateTargets(model, u, wanted, effort), best):
            break
        other = restart_model(model, best.x)
        if other is None:
            break
        found = search_starts(CoordinateTargets(other, u, wanted, effort), best.x, others=0)
        if not found.size < WORTH_IT * best.size:
            break
        model, best = other, found
        if best.size <= CLOSE:
            break
    return model, best


def can_improve(problem: CoordinateTargets, best: Found) -> bool:
    """Return True if a model that starts at the end of a search could come nearer to the target.

    The result is False if the model can be assembled ahead of the end: the search then ended for another
    reason.  It is also False if continuation ends there too: a model is compiled only where it can start.
    """
    step = -dense.least_squares(problem.slope(best.x), best.gap, rcond=1e-10)
    size = float(np.max(np.abs(step), initial=0.0))
    if not size > 0.0:
        return False
    ahead = problem.displace(best.x, step * min(1.0, AHEAD / size))
    return not np.isfinite(problem.gap(ahead)).all() and can_start_at(problem.model, ahead)


def gap_of(model: CompiledSystem, y: Floats, u: Floats, wanted: Mapping[int, float]) -> Floats:
    """Return coordinates less their target values; NaN if a loop cannot be assembled.

    Angles of hinges that turn round are equal modulo 2π.
    """
    values = coordinate_function(model)(y, u)[0]
    if not np.isfinite(values).all():
        return np.full(len(wanted), np.nan)
    gap: Floats = values[list(wanted)] - np.array(list(wanted.values()))
    all_turns = model.get_or_make("coordinates that come round", partial(wraps, model))
    turns = np.array([all_turns[k] for k in wanted])
    return np.where(turns, np.remainder(gap + math.pi, 2.0 * math.pi) - math.pi, gap)


def wraps(model: CompiledSystem) -> list[bool]:
    """Return the mask of all coordinates that are angles known up to whole turns."""
    motions = model.instant(model.given_state(None), model.given_inputs(None)).outward.motions
    result = []
    for body in coordinate_owners(model):
        given = body.name in model.embedding.q_of or body.name in model.system.prescribed
        if given:
            result += [False] * body.inboard.n_q
            continue
        known = motions[model.embedding.owner[body.name].name].hinge_motions[body.name]
        unknown = known.q is None
        result += [unknown and comes_round(body.inboard, k) for k in range(body.inboard.n_q)]
    return result


def displace(model: CompiledSystem, y: Floats, step: Floats) -> Floats:
    """Return a state with displaced coordinates."""
    q, v, x = model.layout.split(y)
    return np.concatenate((model.tangent.displace(q, step), v, x))


class CoordinateTargets(NamedTuple):
    """Problem of `search_starts`: coordinates with target values."""

    model: CompiledSystem
    u: Floats
    values: Mapping[int, float]
    effort: EvaluationBudget

    def gap(self, y: Floats) -> Floats:
        """Return coordinates less their target values."""
        self.effort.evaluating()
        return gap_of(self.model, y, self.u, self.values)

    def slope(self, y: Floats) -> Floats:
        """Return derivatives of the coordinates."""
        return slope_of(self.model, y, self.u, list(self.values))

    def displace(self, y: Floats, step: Floats) -> Floats:
        return displace(self.model, y, step)
