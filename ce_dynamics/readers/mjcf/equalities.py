"""Equality constraints of MuJoCo as loops."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.rotation import rotation_from_quaternion
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings import Coupling, LinearCoupling, PolynomialCoupling
from ce_dynamics.mechanism.drives import Held
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.closures import close_between
from ce_dynamics.readers.mjcf.model import Compiled
from ce_dynamics.readers.mjcf.tendons import couple_tendon
from ce_dynamics.readers.pose import Pose
from ce_dynamics.readers.tree import gap_note, locate_errors

X = np.array((1.0, 0.0, 0.0))


def add_equalities(system: System, file: Compiled, carried: dict[int, Body]) -> list[str]:
    """All that are active, and notes on the others."""
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
    """A point or a frame that two bodies share."""
    weld = file.kind("mjtEq", file.model.eq_type[index]) == "WELD"
    (one, at_one), (other, at_other) = ends(file, index, weld)
    closure, gap = close_between("fixed" if weld else "spherical", at_one, at_other, X)
    notes = gap_note(gap, place)
    system.close_loop(file.equality(index), file.body(one), file.body(other), closure)
    return notes


def ends(file: Compiled, index: int, weld: bool) -> tuple[tuple[int, Pose], tuple[int, Pose]]:
    """Both bodies, and the frames on them that are to coincide, in the design pose."""
    (one, on_one), (other, on_other) = frames_of(file, index, weld)
    return (one, file.frame(one) @ on_one), (other, file.frame(other) @ on_other)


def frames_of(file: Compiled, index: int, weld: bool) -> tuple[tuple[int, Pose], tuple[int, Pose]]:
    """Both bodies, and the frames in theirs that are to coincide."""
    model = file.model
    one, other = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    if file.kind("mjtObj", model.eq_objtype[index]) == "SITE":
        return file.site(one), file.site(other)
    data = np.array(model.eq_data[index], dtype=float)
    if weld:  # anchor on the second body, where it is on the first, and the second's axes in the first
        on_one = Pose(rotation_from_quaternion(unit(data[6:10])).astype(float), data[3:6])
        on_other = Pose(np.eye(3), data[0:3])
    else:  # the point on either body
        on_one, on_other = Pose(np.eye(3), data[0:3]), Pose(np.eye(3), data[3:6])
    return (one, on_one), (other, on_other)


def unit(quaternion: Array) -> Array:
    """A quaternion of unit length."""
    return np.asarray(quaternion / np.linalg.norm(quaternion))


def couple(system: System, file: Compiled, index: int, carried: dict[int, Body]) -> None:
    """A joint that is a polynomial of another, both counted from the pose of the file; or that is held."""
    coefficients = [float(c) for c in file.model.eq_data[index][:5]]
    body = carried[int(file.model.eq_obj1id[index])]
    other = int(file.model.eq_obj2id[index])
    if other < 0:
        system.prescribe(body, Held(coefficients[0]))
    else:
        system.couple(file.equality(index), [carried[other], body], polynomial(coefficients))


def polynomial(coefficients: list[float]) -> Coupling:
    """The second coordinate as a polynomial of the first; linear where it is."""
    constant, slope, *curved = coefficients
    if slope and not any(curved):
        return LinearCoupling((-slope, 1.0), constant)
    return PolynomialCoupling(coefficients)
