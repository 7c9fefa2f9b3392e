"""Sums what force elements answer into spatial forces on bodies and generalised forces on hinges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ce_dynamics.arrays import Array, Scalar, array, cross, zeros
from ce_dynamics.compiler.marks import mark
from ce_dynamics.errors import ModelError
from ce_dynamics.forces.base import ForceElement, HingeLoad, PointLoad, Response
from ce_dynamics.recursion.outward import Outward
from ce_dynamics.spatial import spatial


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
    """Evaluate every force element and sum its loads."""
    loads = Loads({}, {}, {})
    for name, element in elements.items():
        mark()
        add_response(loads, name, element.evaluate(outward, x[name], u), outward)
    return loads


def add_response(loads: Loads, name: str, response: Response, outward: Outward) -> None:
    """Add what an element answers."""
    loads.responses[name] = response
    for load in response.loads:
        if isinstance(load, HingeLoad):
            add_torque(loads, load)
        elif not load.body.is_ground:
            add_wrench(loads, load, outward)


def add_torque(loads: Loads, load: HingeLoad) -> None:
    """Add a generalised force on a hinge; refuses a component that the hinge does not have."""
    n_v = 0 if load.body.is_ground else load.body.inboard.n_v
    if load.k not in range(n_v):
        raise ModelError(
            f"load on the hinge of {load.body.name!r}: component {load.k!r} does not exist; the hinge has"
            f" {n_v} (counted from 0)"
        )
    entry = array(load.value if k == load.k else 0.0 for k in range(n_v))
    loads.torques[load.body.name] = loads.torques.get(load.body.name, zeros(n_v)) + entry


def add_wrench(loads: Loads, load: PointLoad, outward: Outward) -> None:
    """Add a force and a torque on a body."""
    p = outward.embedding.owner[load.body.name].parent
    lever = load.r - outward.placement(load.body, load.frame).r
    R_T = outward.placement(p, load.frame).R.T  # from the load's axes to p's
    wrench = spatial(R_T @ (load.torque + cross(lever, load.force)), R_T @ load.force)
    loads.wrenches[load.body.name] = loads.wrenches.get(load.body.name, zeros(6)) + wrench
