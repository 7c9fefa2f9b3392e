"""Tendons and equality constraints of MuJoCo, as force elements, couplings and loops.

With coordinates counted from the pose of the file, a fixed tendon's length is Σ c q + its length there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ce_dynamics.algebra.rotation import normalise, rotation_from_quaternion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings import Coupling, LinearCoupling, PolynomialCoupling
from ce_dynamics.mechanism.drives import Held
from ce_dynamics.mechanism.forces.actuator import FixedTendon, Term
from ce_dynamics.mechanism.forces.cord import Cord, Via
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.frames import Pose, close_between
from ce_dynamics.readers.mjcf.model import ONE_COORDINATE, Compiled, nonlinear
from ce_dynamics.readers.survey import Finding
from ce_dynamics.readers.tree import gap_note, locate_errors


def joints_of(file: Compiled, tendon: int) -> dict[int, float]:
    """Return coefficients by joint; none for a tendon in space."""
    model = file.model
    start = int(model.tendon_adr[tendon])
    found: dict[int, float] = {}
    for k in range(start, start + int(model.tendon_num[tendon])):
        if file.kind("mjtWrap", model.wrap_type[k]) != "JOINT":
            return {}
        joint = int(model.wrap_objid[k])
        found[joint] = found.get(joint, 0.0) + float(model.wrap_prm[k])
    return found


def terms_of(file: Compiled, tendon: int, carried: dict[int, Body]) -> list[Term]:
    """Return the bodies of its joints, and their coefficients."""
    return [(carried[joint], c) for joint, c in joints_of(file, tendon).items()]


def name_of(file: Compiled, tendon: int) -> str:
    """Name of a tendon, or its number."""
    return str(file.model.tendon(tendon).name or f"tendon {tendon}")


def plain_tendon(file: Compiled, tendon: int) -> bool:
    """Return True if it is a sum of hinges and slides."""
    joints = joints_of(file, tendon)
    return bool(joints) and all(file.joint_kind(joint) in ONE_COORDINATE for joint in joints)


def wraps(file: Compiled, tendon: int) -> list[tuple[str, int, float]]:
    """Return the wraps of a tendon, each with its kind, the index of its object, and its parameter."""
    model, start = file.model, int(file.model.tendon_adr[tendon])
    return [
        (file.kind("mjtWrap", model.wrap_type[k]), int(model.wrap_objid[k]), float(model.wrap_prm[k]))
        for k in range(start, start + int(model.tendon_num[tendon]))
    ]


def is_cord(file: Compiled, tendon: int) -> bool:
    """Return True if it is a line through sites, two of which at least move against each other."""
    pieces = wraps(file, tendon)
    if not all(kind in ("SITE", "PULLEY") for kind, _, _ in pieces):
        return False
    paths, _ = split_at_pulleys(file, tendon)
    return any(file.site(a)[0] != file.site(b)[0] for path in paths for a, b in pairwise(path))


def split_at_pulleys(file: Compiled, tendon: int) -> tuple[list[list[int]], list[float]]:
    """Return sites of the paths between pulleys, and the pulleys' divisors."""
    paths: list[list[int]] = [[]]
    divisors = [1.0]
    for kind, site, number in wraps(file, tendon):
        if kind == "PULLEY":
            paths.append([])
            divisors.append(number)
        else:
            paths[-1].append(site)
    kept = [k for k, path in enumerate(paths) if len(path) > 1]
    return [paths[k] for k in kept], [divisors[k] for k in kept]


def cord_of(system: System, file: Compiled, tendon: int) -> tuple[list[list[Via]], list[float]]:
    """Return the paths of a cord, in the design pose."""

    def via(site: int) -> Via:
        body, in_body = file.site(site)
        return system.find(file.body(body)) if body else system.ground, (file.frame(body) @ in_body).r

    paths, divisors = split_at_pulleys(file, tendon)
    return [[via(site) for site in path] for path in paths], divisors


def other_tendons(file: Compiled) -> Iterator[Finding]:
    """Yield findings for tendons, their properties and equalities that a `System` does not represent."""
    model = file.model
    for tendon in range(model.ntendon):
        name = name_of(file, tendon)
        where = file.locate("tendons", tendon, name)
        if not plain_tendon(file, tendon) and not is_cord(file, tendon):
            yield Finding("tendon", where, name=name)
            continue
        if model.tendon_limited[tendon] and not file.is_disabled("CONSTRAINT", "LIMIT"):
            yield Finding("tendon@range", where, noted=True, name=name)
        if model.tendon_frictionloss[tendon] and not file.is_disabled("CONSTRAINT", "FRICTIONLOSS"):
            yield Finding("tendon@frictionloss", where, name=name)
        for field in ("armature", "stiffnesspoly", "dampingpoly", "actfrclimited"):
            if nonlinear(model, f"tendon_{field}", tendon):
                yield Finding(f"tendon@{field}", where, name=name)
    for index in active(file, "TENDON"):
        if linear_row(file, index) is None:
            name = file.equality(index)
            yield Finding("equality tendon", file.locate("equalities", index, name), name=name)


def active(file: Compiled, kind: str) -> Iterator[int]:
    """Yield equality constraints of some kind that hold."""
    if not file.is_disabled("CONSTRAINT", "EQUALITY"):
        for index in range(file.model.neq):
            if file.model.eq_active0[index] and file.kind("mjtEq", file.model.eq_type[index]) == kind:
                yield index


def linear_row(file: Compiled, index: int) -> tuple[dict[int, float], float] | None:
    """Return coefficients by joint and the constant of an equality Σ c q = constant, None if not linear."""
    model = file.model
    constant, slope, *curved = (float(c) for c in model.eq_data[index][:5])
    one, other = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    if not plain_tendon(file, one) or (other >= 0 and (any(curved) or not plain_tendon(file, other))):
        return None
    row = dict(joints_of(file, one))
    if other >= 0:
        for joint, c in joints_of(file, other).items():
            row[joint] = row.get(joint, 0.0) - slope * c
    row = {joint: c for joint, c in row.items() if c}
    return (row, constant) if len(row) > 1 else None


def couple_tendon(system: System, file: Compiled, index: int, carried: dict[int, Body]) -> None:
    """Add an equality of tendons as a coupling of their hinges."""
    found = linear_row(file, index)
    if found is not None:
        row, constant = found
        bodies = [carried[joint] for joint in row]
        system.couple(file.equality(index), bodies, LinearCoupling(tuple(row.values()), constant))


def add_tendons(system: System, file: Compiled, carried: dict[int, Body]) -> None:
    """Add springs and dampers of tendons."""
    model = file.model
    for tendon in range(model.ntendon):
        stiffness = 0.0 if file.is_disabled("SPRING") else float(np.max(model.tendon_stiffness[tendon]))
        damping = 0.0 if file.is_disabled("DAMPER") else float(np.max(model.tendon_damping[tendon]))
        if not (stiffness or damping):
            continue
        name = name_of(file, tendon)
        law: dict[str, Any] = {"stiffness": stiffness, "damping": damping}
        law["rest"] = tuple(model.tendon_lengthspring[tendon].tolist())
        with locate_errors(file.place("tendons", tendon, name)):
            if plain_tendon(file, tendon):
                law["zero"] = -float(model.tendon_length0[tendon])
                system.add_force(FixedTendon(f"tendon {name}", terms_of(file, tendon, carried), **law))
            elif is_cord(file, tendon):
                paths, divisors = cord_of(system, file, tendon)
                system.add_force(Cord(f"tendon {name}", *paths, divisors=divisors, **law))


X = np.array((1.0, 0.0, 0.0))


def add_equalities(system: System, file: Compiled, carried: dict[int, Body]) -> list[str]:
    """Return all that are active, and notes on the others."""
    notes: list[str] = []
    off = file.is_disabled("CONSTRAINT", "EQUALITY")
    for index in range(file.model.neq):
        name = file.equality(index)
        place = file.place("equalities", index, name)
        if off or not file.model.eq_active0[index]:
            notes.append(f"{place}: switched off in the file")
            continue
        with locate_errors(place):
            kind = file.kind("mjtEq", file.model.eq_type[index])
            if kind == "JOINT":
                couple(system, file, index, carried)
            elif kind == "TENDON":
                couple_tendon(system, file, index, carried)
            else:
                notes += close(system, file, index, place)
    return notes


def close(system: System, file: Compiled, index: int, place: str) -> list[str]:
    """Return a point or a frame that two bodies share."""
    weld = file.kind("mjtEq", file.model.eq_type[index]) == "WELD"
    (one, on_one), (other, on_other) = frames_of(file, index, weld)
    at = file.frame(one) @ on_one, file.frame(other) @ on_other
    closure, gap = close_between("fixed" if weld else "spherical", *at, X)
    notes = gap_note(gap, place)
    system.close_loop(file.equality(index), file.body(one), file.body(other), closure)
    return notes


def frames_of(file: Compiled, index: int, weld: bool) -> tuple[tuple[int, Pose], tuple[int, Pose]]:
    """Return both bodies, and the frames in theirs that are to coincide."""
    model = file.model
    one, other = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    if file.kind("mjtObj", model.eq_objtype[index]) == "SITE":
        return file.site(one), file.site(other)
    data = np.array(model.eq_data[index], dtype=float)
    if weld:  # anchor on the second body, where it is on the first, and the second's axes in the first
        on_one = Pose(rotation_from_quaternion(normalise(data[6:10])).astype(float), data[3:6])
        on_other = Pose(np.eye(3), data[0:3])
    else:  # the point on either body
        on_one, on_other = Pose(np.eye(3), data[0:3]), Pose(np.eye(3), data[3:6])
    return (one, on_one), (other, on_other)


def couple(system: System, file: Compiled, index: int, carried: dict[int, Body]) -> None:
    """Couple a joint to another by a polynomial, both counted from the pose of the file; or hold it."""
    coefficients = [float(c) for c in file.model.eq_data[index][:5]]
    body = carried[int(file.model.eq_obj1id[index])]
    other = int(file.model.eq_obj2id[index])
    if other < 0:
        system.prescribe(body, Held(coefficients[0]))
    else:
        system.couple(file.equality(index), [carried[other], body], polynomial(coefficients))


def polynomial(coefficients: list[float]) -> Coupling:
    """Return the second coordinate as a polynomial of the first; linear where it is."""
    constant, slope, *curved = coefficients
    if slope and not any(curved):
        return LinearCoupling((-slope, 1.0), constant)
    return PolynomialCoupling(coefficients)
