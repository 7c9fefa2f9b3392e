"""Sums of what acts: force elements and couplings, as forces on bodies and generalised forces on hinges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, zeros
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.jets import ScalarMotion
from ce_dynamics.algebra.ldl import LDL
from ce_dynamics.algebra.spatial import rotate_vector, spatial
from ce_dynamics.compiler.tracing.graph import mark
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.embedding.closures.loop import MovingView
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.couplings.base import Coupled
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.couplings.user_constraint import Written
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, PointLoad, Response
from ce_dynamics.mechanism.parameters import Values


class Loads(NamedTuple):
    """Loads on a system."""

    # (6,): Spatial force on a body at its centre of mass, in the axes of its aggregated body's parent
    wrenches: dict[str, Array]
    torques: dict[str, Array]  # (n_v,): Generalised forces on inboard hinges
    responses: dict[str, Response]  # Answers of the elements by name


def gather_loads(
    outward: Outward, elements: Mapping[str, ForceElement], x: Mapping[str, Array], u: Mapping[str, Scalar]
) -> Loads:
    """Evaluate every force element and sum their loads."""
    responses: dict[str, Response] = {}
    for name, element in elements.items():
        mark()
        with checks.name_user_errors(element.described):
            responses[name] = element.evaluate(outward, x[name], u)
        if not hasattr(responses[name], "loads"):
            answer = checks.show(responses[name])
            raise ModelError(f"{element.described} answers {answer}; evaluate must return a Response")
    given = [load for response in responses.values() for load in response.loads]
    return sum_loads(outward, given)._replace(responses=responses)


def sum_loads(outward: Outward, given: Iterable[PointLoad | HingeLoad]) -> Loads:
    """Sum loads, of no particular elements.

    Those on one body that are given in the axes of one frame are summed there, and turned once.
    """
    torques: dict[str, Array] = {}
    arriving: dict[tuple[str, str], tuple[PointLoad, Array]] = {}
    for load in given:
        if isinstance(load, HingeLoad):
            add_torque(torques, load)
        elif not load.body.is_ground:
            key = load.body.name, load.frame.name
            _, so_far = arriving.get(key, (load, zeros(6)))
            lever = load.r - outward.placement(load.body, load.frame).r
            arriving[key] = load, so_far + spatial(load.torque + cross(lever, load.force), load.force)
    wrenches: dict[str, Array] = {}
    for (name, _), (load, total) in arriving.items():
        mark()
        p = outward.embedding.owner[name].parent
        R = outward.placement(p, load.frame).R
        wrenches[name] = wrenches.get(name, zeros(6)) + rotate_vector(R.T, total)
    return Loads(wrenches, torques, {})


def add_torque(torques: dict[str, Array], load: HingeLoad) -> None:
    """Add a generalised force on a hinge; refuses a component that the hinge does not have."""
    n_v = 0 if load.body.is_ground else load.body.inboard.n_v
    if load.k not in range(n_v):
        raise ModelError(
            f"load on the hinge of {load.body.name!r}: component {load.k!r} does not exist; the hinge has"
            f" {n_v} (counted from 0)"
        )
    entry = array(load.value if k == load.k else 0.0 for k in range(n_v))
    torques[load.body.name] = torques.get(load.body.name, zeros(n_v)) + entry


class CouplingForces(NamedTuple):
    """Forces of a coupling or written constraint."""

    # (6,): Wrenches on the bodies of a written constraint, about the origin of their motion, in p's axes
    wrenches: dict[str, Floats]
    # Forces on the coordinates of a coupling, in order.  Each acts between a body and its carrier, along the
    # hinge
    generalised: Floats


@singledispatch
def coupling_forces(edge: CutEdge, motion: SubgraphMotion, lam: Floats, values: Values) -> CouplingForces:
    """Return forces for multipliers λ of the rows of one coupling or written constraint."""
    raise NotImplementedError(f"what a {type(edge).__name__} exerts is not registered")


@coupling_forces.register
def _(edge: Coupled, motion: SubgraphMotion, lam: Floats, values: Values) -> CouplingForces:
    n = len(edge.coordinates)
    places = [values(motion.coordinates(body.name))[k] for body, k in edge.coordinates]
    q = [ScalarMotion.at_rest(x, np.eye(n)[i]) for i, x in enumerate(places)]
    J = ScalarMotion.of(edge.coupling.residual(q), n).J
    return CouplingForces({}, values(J) * lam[0])


@coupling_forces.register
def _(edge: Written, motion: SubgraphMotion, lam: Floats, values: Values) -> CouplingForces:
    names = list(dict.fromkeys(body.name for body in edge.bodies))
    view, n = MovingView(edge, motion.free_bodies(names)), 6 * len(names)
    rows = np.array([values(ScalarMotion.of(row, n).J) for row in edge.residual(view)])
    f = rows.T @ lam
    return CouplingForces({name: f[6 * i : 6 * i + 6] for i, name in enumerate(names)}, zeros(0))


def wrench_along_hinge(H: Array, k: int, value: Scalar) -> Array:
    """Return the smallest wrench on a body, at its hinge in its carrier's axes, with one hinge force."""
    along: Array = H.T @ LDL(H @ H.T).solve(np.eye(len(H))[k]) * value
    return along


def first_without_answer(
    elements: Iterable[ForceElement], responses: Mapping[str, Response], values: Values
) -> str:
    """Return the first element whose response has NaN or infinity, with the quantity; empty if none has."""
    for element in elements:
        for what, given in collect_numbers(responses[element.name]).items():
            numbers = values(np.asarray(given, dtype=object))
            wrong = numbers[~np.isfinite(numbers)]
            if wrong.size:
                return f"{element.described} answers {wrong.flat[0]:g} for its {what}"
    return ""


def collect_numbers(response: Response) -> dict[str, Any]:
    """Return all numbers of a response by the names of the quantities."""
    found: dict[str, Any] = {}
    for load in sorted(response.loads, key=lambda load: load.body.is_ground):  # loads first: they move bodies
        if isinstance(load, PointLoad):
            found[f"force on {load.body.name!r}"] = load.force
            found[f"torque on {load.body.name!r}"] = load.torque
        else:
            found[f"force on the hinge of {load.body.name!r}"] = [load.value]
    return found | {"states' rates": list(response.x_dot)}
