"""Elasto-kinematics: hinges of a suspension as bushings, the 12 × 12 compliance matrix at the wheel centres.

The model that drives keeps its ideal hinges.  Where it stands in a pose of the rig, the bodies of the axle
are let loose (`FreeBodies`) and Newton's method finds where springs, bushings and loads balance:

    K dδ − Gᵀ dλ − E dp = −f,    G dδ = −g,    Eᵀ dδ = −(h − h₀) where wheel heights h are held,

K = ∂f/∂δ, with p the vertical forces at the wheel centres that hold them.  There the same matrix gives the
displacements per force at the wheels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import AssemblyError, DataError
from ce_dynamics.mechanism.elastic_joints import ElasticJoint
from ce_dynamics.models.kc.free_bodies import Balance, Bushing, FreeBodies, elastic_joint
from ce_dynamics.models.kc.rig import KCRig

RANK = 1e-11
"""Singular values below this part of the largest count as zero."""
FORCE = 1e5
"""[N], [N m] by which forces are divided beside metres and radians."""
CLOSED = 1e-11
"""Largest last step of Newton's method [m], [rad]."""
BALANCED = 1e-9
"""Largest gaps [m], [rad] and forces over `FORCE`: stiff bushings amplify rounding beyond 1e-11."""
ITERATIONS = 40
LONGEST = 0.2
"""Step of Newton's method at most [m], [rad]."""


class Elastic(NamedTuple):
    """An axle with bushings in balance, and linearised there.

    Attributes
    ----------
    C : (12, 12) array
        Displacements [x y z, turns] of the wheel centres per force and torque there, left then right.
    preload : (2,) array
        Vertical forces at the wheel centres that hold the wheels [N].
    turns : (2, 3) array
        Of the carriers against the ideal pose, as rotation vectors [rad].
    shifts : (2, 3) array
        Of the wheel centres against the ideal pose [m].
    W, e : (2, 3) arrays
        Wheel centres [m] and spin axes.
    R : (2, 3, 3) array
        Axes of the carriers.
    """

    C: Floats
    preload: Floats
    turns: Floats
    shifts: Floats
    W: Floats
    e: Floats
    R: Floats


class State(NamedTuple):
    """Poses of bodies, reactions of ideal joints, vertical forces at the wheels, free parameters."""

    R: Floats
    r: Floats
    force: Floats
    vertical: Floats
    p: Floats


class Compliance:
    """An axle on the rig with some of its joints elastic.

    Bushings are relaxed in the design pose.

    Parameters
    ----------
    rig : KCRig
        Free parameters have the values that a pose has (`KCRig.solve_poses`).
    bushings : sequence of Bushing or ElasticJoint

    Examples
    --------
    >>> from ce_dynamics.models import kc
    >>> rig = kc.rig_of("sedan", "front")
    >>> soft = [
    ...     kc.Bushing(("chassis", f"front_{side}.lower_arm"), (1.388 + x, y, 0.0), (1.0, 0.0, 0.0),
    ...                (5e6, 5e6, 1e6, 1e3, 1e3, 50.0))
    ...     for side, y in (("left", 0.44), ("right", -0.44)) for x in (0.2, -0.2)
    ... ]
    >>> C = kc.Compliance(rig, soft).at(rig.solve_poses([[0.0, 0.0]])[0]).C
    >>> bool(C[2, 2] > 0.0 and abs(C[2, 2] - C[8, 8]) < 1e-9)
    True
    """

    def __init__(self, rig: KCRig, bushings: Sequence[Bushing | ElasticJoint]) -> None:
        self.rig = checks.instance("rig", rig, KCRig, "a rig (kc.rig_of)", DataError)
        given = checks.items("bushings", bushings, error=DataError)
        joints: list[ElasticJoint] = [
            elastic_joint(rig, bushing, k)
            if isinstance(bushing, Bushing)
            else checks.instance(f"bushings: entry {k}", bushing, ElasticJoint, "a kc.Bushing", DataError)
            for k, bushing in enumerate(given)
        ]
        self.axle = FreeBodies(rig, joints)

    def at(self, c: ArrayLike, wheels: ArrayLike | None = None, vertical: ArrayLike | None = None) -> Elastic:
        """Return the axle in balance near a pose of the rig (a row of `KCRig.solve_poses`), linearised there.

        Parameters
        ----------
        c : (n_c,) array_like
        wheels : (2, 9) array_like, optional
            Loads at each wheel: a force at its centre and one at its contact centre [N], a torque [N m].
        vertical : (2,) array_like, optional
            Vertical forces at the wheel centres [N]; where not given the wheels keep the heights of the pose.

        Raises
        ------
        AssemblyError
            If no balance is found.
        """
        pose = np.asarray(c, dtype=float)
        loads = (
            np.zeros((2, 9)) if wheels is None else checks.finite_array("loads", wheels, (2, 9), DataError)
        )
        held = None if vertical is None else checks.finite_array("vertical", vertical, (2,), DataError)
        return self.linearise(loads, *self.settle(pose, loads, held))

    def settle(self, c: Floats, loads: Floats, vertical: Floats | None) -> tuple[State, State, Balance]:
        """Return the axle in balance, the ideal pose, and the bodies there; see `at`."""
        start = self.start(c, loads, vertical)
        ideal = self.axle.balance(*start[:3], loads, start.p)
        return self.balance(start, loads, ideal.W[:, 2], vertical is None), start, ideal

    def start(self, c: Floats, loads: Floats, vertical: Floats | None) -> State:
        """Return the ideal pose, with reactions that hold it as well as they can."""
        R, r = self.axle.place_all(c)
        p = c[len(c) - len(self.rig.parameters) :]
        rows = self.axle.rows
        here = self.axle.balance(R, r, np.zeros(rows), loads, p)
        E = self.axle.wheel_columns(r, here.W)[:, [2, 8]]
        if vertical is not None:
            return State(R, r, np.zeros(rows), vertical, p)
        found = np.linalg.lstsq(np.hstack((here.G.T, E)), -here.loads, rcond=RANK)[0]
        force, preload = np.split(np.asarray(found, dtype=float), [rows])
        return State(R, r, force, preload, p)

    def balance(self, start: State, loads: Floats, heights: Floats, held: bool) -> State:
        """Balance the forces by Newton's method; shorten steps that are too long."""
        state = start
        for _ in range(ITERATIONS):
            system, left = self.system(state, loads, heights, held)
            step = least_squares(system, -left)
            delta, force, vertical = np.split(step, [self.axle.size, self.axle.size + self.axle.rows])
            size = float(np.max(np.abs(delta), initial=0.0))
            if not np.isfinite(size):
                break
            part = min(1.0, LONGEST / size) if size > 0.0 else 1.0
            state = self._move_bodies(state, part * delta, part * FORCE * force, part * FORCE * vertical)
            if size < CLOSED and float(np.max(np.abs(left))) < BALANCED:
                return state
        raise AssemblyError(
            f"axle {self.rig.axle.name!r}: no balance is found between springs, bushings and the loads at "
            "its wheels; make the loads or the travel smaller, or the bushings stiffer"
        )

    def system(self, state: State, loads: Floats, heights: Floats, held: bool) -> tuple[Floats, Floats]:
        """Return matrix and right-hand side of Newton's method, forces in units of `FORCE`."""
        n, rows = self.axle.size, self.axle.rows
        given = with_vertical(loads, state.vertical)
        here = self.axle.balance(*state[:3], given, state.p)
        K = self.axle.stiffness(*state[:3], given, state.p) / FORCE
        E = self.axle.wheel_columns(state.r, here.W)[:, [2, 8]]
        system = np.zeros((n + rows + 2, n + rows + 2))
        system[:n, :n] = K
        system[:n, n : n + rows] = -here.G.T
        system[n : n + rows, :n] = here.G
        if held:
            system[:n, n + rows :] = -E
            system[n + rows :, :n] = E.T
        gap = here.W[:, 2] - heights if held else np.zeros(2)
        return system, np.concatenate((here.f / FORCE, here.g, gap))

    def _move_bodies(self, state: State, delta: Floats, force: Floats, vertical: Floats) -> State:
        """Return bodies turned and shifted."""
        R, r = state.R.copy(), state.r.copy()
        for k in range(len(self.axle.bodies)):
            R[k] = Rotation.from_rotvec(delta[6 * k : 6 * k + 3]).as_matrix() @ R[k]
            r[k] += delta[6 * k + 3 : 6 * k + 6]
        return State(R, r, state.force + force, state.vertical + vertical, state.p)

    def linearise(self, loads: Floats, state: State, start: State, ideal: Balance) -> Elastic:
        """Return the axle in balance, linearised there; see `settle`."""
        given = with_vertical(loads, state.vertical)
        here = self.axle.balance(*state[:3], given, state.p)
        K = self.axle.stiffness(*state[:3], given, state.p)
        E = self.axle.wheel_columns(state.r, here.W)
        C = E.T @ solve_constrained(K, here.G, E)
        places = [self.axle.place[carrier.name] // 6 for carrier in self.rig.poses.carriers]
        turned = [Rotation.from_matrix(state.R[k] @ start.R[k].T).as_rotvec() for k in places]
        return Elastic(C, state.vertical, np.array(turned), here.W - ideal.W, here.W, here.e, state.R[places])


def with_vertical(loads: Floats, vertical: Floats) -> Floats:
    """Return loads at the wheels with vertical forces at their centres."""
    given = loads.copy()
    given[:, 2] += vertical
    return given


def least_squares(A: Floats, b: Floats) -> Floats:
    """Solve a square system; return the least solution where bodies move freely or joints are redundant."""
    return np.asarray(scipy.linalg.lstsq(A, b, cond=RANK, lapack_driver="gelsy")[0], dtype=float)


def solve_constrained(K: Floats, G: Floats, F: Floats) -> Floats:
    """Solve K δ − Gᵀ λ = F, G δ = 0 on the null space of G; least where something moves freely."""
    N = null_space(G)
    reduced, load = N.T @ K @ N, N.T @ F
    found = np.linalg.lstsq(reduced, load, rcond=RANK)[0]
    left = np.max(np.abs(reduced @ found - load), initial=0.0)
    if not left <= 1e-7 * max(1.0, float(np.max(np.abs(load), initial=0.0))):
        raise DataError(
            "compliance: a load at the wheels is carried by nothing; a bushing lacks a stiffness, or springs "
            "are missing"
        )
    result: Floats = N @ found
    return result


def null_space(G: Floats) -> Floats:
    """Return directions in which no row changes."""
    _, sizes, directions = np.linalg.svd(G)
    rank = int(np.sum(sizes > RANK * sizes[0])) if len(sizes) else 0
    return np.asarray(directions[rank:].T)


def unit_of(name: str) -> str:
    """Return the unit of a figure."""
    return next(unit for pattern, unit in UNITS.items() if re.search(pattern, name))


UNITS = {
    "^ride_": "rad/m",
    "^(wheel_rate|fore_aft_stiffness)$": "N/m",
    "^roll_rate": "N*m/rad",
    "^aligning_torque": "rad/(N*m)",
    "deflection": "m/N",
    "": "rad/N",
}
"""Units of figures by patterns of their names; the first that fits counts."""


def compliance_figures(
    C: ArrayLike, track: float, loaded_radius: float, tyre_rate: float = float("inf")
) -> dict[str, float]:
    """Return compliance figures by the 12 × 12 matrix, as Adams Car defines them; SI units.

    Parameters
    ----------
    C : (12, 12) array_like
        Of `Elastic`.
    track, loaded_radius : float
        [m]
    tyre_rate : float
        [N/m]

    Returns
    -------
    dict of str to float
        Of the left wheel; steer is the turn about z, camber that about x (negative of the camber angle on the
        left), per metre of ride, newton of force or newton metre of torque.

    Raises
    ------
    DataError
        If a number is not positive, or the matrix has another shape.
    """
    for name, value in (("track", track), ("loaded_radius", loaded_radius)):
        checks.number(name, value, above=0.0, unit="m", error=DataError)
    checks.number("tyre_rate", tyre_rate, above=0.0, infinite=True, unit="N/m", error=DataError)
    c = np.zeros((13, 13))
    c[1:, 1:] = checks.finite_array("compliance matrix", C, (12, 12), DataError)
    with np.errstate(divide="ignore", invalid="ignore"):  # where nothing carries a wheel
        found = vertical(c, track, tyre_rate) | horizontal(c, loaded_radius)
    return {name: float(value) for name, value in found.items()}


def vertical(c: Floats, track: float, tyre_rate: float) -> dict[str, float]:
    """Return the compliances to vertical forces at the wheel centres."""
    ride = c[3, 3] + c[3, 9]
    both = c[3, 3] - c[3, 9] - c[9, 3] + c[9, 9]
    return {
        "ride_steer": (c[6, 3] + c[6, 9]) / ride,
        "ride_camber": (c[4, 3] + c[4, 9]) / ride,
        "ride_caster": (c[5, 3] + c[5, 9]) / ride,
        "wheel_rate": 1.0 / c[3, 3],
        "roll_rate": track**2 / both,
        "roll_rate_with_tyres": track**2 / (both + 2.0 / tyre_rate),
    }


def horizontal(c: Floats, slr: float) -> dict[str, float]:
    """Return those to contact forces, slr below the wheel centres, aligning torques, and centre forces."""
    found = {"fore_aft_stiffness": 1.0 / (c[1, 1] + c[1, 7])}
    for name, sign in (("parallel", 1.0), ("opposed", -1.0)):
        for what, row in (("deflection", 2), ("steer", 6), ("camber", 4)):
            own, other = (c[row, f] + c[row, m] * slr for f, m in ((2, 4), (8, 10)))
            found[f"lateral_force_{what}_{name}"] = own + sign * other
        for what, row in (("steer", 6), ("camber", 4)):
            found[f"aligning_torque_{what}_{name}"] = c[row, 6] + sign * c[row, 12]
    at_centre = c[6, 1] + c[6, 7]
    found["longitudinal_steer_at_centre"] = at_centre
    found["longitudinal_steer_at_contact"] = at_centre - slr * (c[6, 5] + c[6, 11])
    return found
