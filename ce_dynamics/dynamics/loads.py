"""Sums what force elements answer into spatial forces on bodies and generalised forces on hinges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, zeros
from ce_dynamics.algebra.spatial import rotate_vector, spatial
from ce_dynamics.compiler.tracing.cut_points import mark
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, PointLoad, Response


class Loads(NamedTuple):
    """Loads on a system.

    Attributes
    ----------
    wrenches : dict of str to (6,) array
        Spatial force on a body at its centre of mass, in the axes of its aggregated body's parent.
    torques : dict of str to (n_v,) array
        Generalised forces on inboard hinges.
    responses : dict of str to Response
        Answers of the elements by name.
    """

    wrenches: dict[str, Array]
    torques: dict[str, Array]
    responses: dict[str, Response]


def gather_loads(
    outward: Outward,
    elements: Mapping[str, ForceElement],
    x: Mapping[str, Array],
    u: Mapping[str, Scalar],
) -> Loads:
    """Evaluate every force element and sum their loads."""
    responses: dict[str, Response] = {}
    for name, element in elements.items():
        mark()
        with checks.calling(element.described):
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
            arriving[key] = load, so_far + wrench_in_frame(load, outward)
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


def wrench_in_frame(load: PointLoad, outward: Outward) -> Array:
    """Spatial force (6,) at the body's centre of mass, in the axes the load is given in."""
    lever = load.r - outward.placement(load.body, load.frame).r
    return spatial(load.torque + cross(lever, load.force), load.force)
