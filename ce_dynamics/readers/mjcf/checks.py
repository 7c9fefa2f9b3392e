"""Lists the parts of a compiled MuJoCo model that a `System` cannot represent, whatever their source."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.readers.mjcf.model import Compiled
from ce_dynamics.readers.survey import Finding

ONE_COORDINATE = ("HINGE", "SLIDE")


def unrepresentable(file: Compiled) -> Iterator[Finding]:
    """Everything, item by item."""
    for joint in range(file.model.njnt):
        yield from of_joint(file, joint)
    yield from of_bodies(file)
    yield from of_medium(file)
    yield from of_contacts(file)


def of_joint(file: Compiled, joint: int) -> Iterator[Finding]:
    """Limits, dry friction of several velocities, springs and dampers that are not linear and even."""
    model, where = file.model, file.where("joints", joint, file.joint(joint))
    dofs = file.dofs(joint)
    simple = file.joint_kind(joint) in ONE_COORDINATE
    name = file.joint(joint)
    if is_limited(file, joint):
        yield Finding("joint@range", where, told=True, name=name)
    if friction(file, joint) and not simple:
        yield Finding("joint@frictionloss", where, name=name)
    if not file.is_disabled("SPRING"):
        curved = nonlinear(model, "jnt_stiffnesspoly", joint)
        if curved or (model.jnt_stiffness[joint] and not simple):
            yield Finding("joint@stiffness", where)
        if nonlinear(model, "jnt_springyield", joint):
            yield Finding("joint@springyield", where)
    if not file.is_disabled("DAMPER"):
        curved = nonlinear(model, "dof_dampingpoly", dofs)
        uneven = bool(np.ptp(model.dof_damping[dofs])) if dofs.stop > dofs.start else False
        if curved or uneven:
            yield Finding("joint@damping", where, name=name)


def is_limited(file: Compiled, joint: int) -> bool:
    """Return True if a joint has a range that is to be kept."""
    return bool(file.model.jnt_limited[joint]) and not file.is_disabled("CONSTRAINT", "LIMIT")


def friction(file: Compiled, joint: int) -> float:
    """Largest dry friction of a joint."""
    if file.is_disabled("CONSTRAINT", "FRICTIONLOSS"):
        return 0.0
    return float(np.max(file.model.dof_frictionloss[file.dofs(joint)], initial=0.0))


def nonlinear(model: object, field: str, index: int | slice) -> bool:
    """Return True if a field that older versions of MuJoCo do not have is not zero."""
    values = getattr(model, field, None)
    return values is not None and bool(np.any(values[index]))


def of_bodies(file: Compiled) -> Iterator[Finding]:
    """Bodies that somebody moves from outside, which stay where they are here."""
    for body in range(1, file.model.nbody):
        if file.model.body_mocapid[body] >= 0:
            name = file.body(body)
            yield Finding("body@mocap", file.where("bodies", body, name), told=True, name=name)


def of_medium(file: Compiled) -> Iterator[Finding]:
    """Shapes in the fluid that everything moves in, other than boxes of bodies' inertias."""
    model = file.model
    if not (model.opt.density or model.opt.viscosity):
        return
    for geom in np.flatnonzero(np.asarray(model.geom_fluid)[:, 0] > 0.0).tolist():
        name = str(model.geom(geom).name or f"geom {geom}")
        yield Finding("geom@fluidshape", checks.show(name), name=name)


def of_contacts(file: Compiled) -> Iterator[Finding]:
    """Pairs of bodies whose geoms may touch, by the rules of MuJoCo."""
    model = file.model
    if file.is_disabled("CONSTRAINT", "CONTACT"):
        return
    excluded = {int(signature) for signature in model.exclude_signature}
    touching = dict.fromkeys(
        pair
        for pair in pairs(file)
        if (pair[0] << 16) + pair[1] not in excluded and not is_excluded(file, *pair)
    )
    for one, other in touching:
        yield Finding("contact", f"{file.body(one)!r} on {file.body(other)!r}", told=True)


def pairs(file: Compiled) -> Iterator[tuple[int, int]]:
    """Pairs of bodies, the lower first, with geoms whose masks match."""
    model = file.model
    kind, partner = model.geom_contype, model.geom_conaffinity
    one, other = np.nonzero((kind[:, None] & partner[None, :]) | (partner[:, None] & kind[None, :]))
    for i, j in zip(one.tolist(), other.tolist(), strict=True):
        bodies = int(model.geom_bodyid[i]), int(model.geom_bodyid[j])
        if bodies[0] < bodies[1]:
            yield bodies


def is_excluded(file: Compiled, one: int, other: int) -> bool:
    """Return True if contact of two bodies is ruled out: rigidly joined, or parent and child.

    Parent and child may touch where the file disables ``FILTERPARENT``, or where the parent is fixed to the
    world.
    """
    weld, parent = file.model.body_weldid, file.model.body_parentid
    a, b = int(weld[one]), int(weld[other])
    if a == b:
        return True
    over_a, over_b = int(weld[parent[a]]), int(weld[parent[b]])
    return not file.is_disabled("FILTERPARENT") and ((a != 0 and a == over_b) or (b != 0 and b == over_a))
