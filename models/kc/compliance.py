"""Elasto-kinematics: hinges of a suspension as bushings, the 12 × 12 compliance matrix at the wheel centres.

The model that drives keeps its ideal hinges.  Around a pose of it every body of the axle gets six small
displacements δ = [turn; shift of the centre of mass].  Equilibrium of these free bodies under the energies of
springs and bushings and the reactions λ of the ideal joints is linearised exactly,

    (K + Bᵀ K_b B) δ − Gᵀ dλ = F,    G δ = 0,

with G the rows of the joints that stay ideal, B the displacements in the bushings, and K = ∂/∂δ of loads
and reactions, preloads included: what springs and joints transmit turns with the bodies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra.arrays import Array, array, concatenate, skew, zeros
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.augmented.observer import AbsoluteObserver
from ce_dynamics.augmented.rows import joint_rows, joints_of
from ce_dynamics.augmented.states import AT_REST, BodyState
from ce_dynamics.augmented.wrenches import hinge_pair, point_wrench
from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.compiler.derivatives.compiled import compile_jacobian
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.dynamics.outward import axes
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import HingeLoad
from ce_dynamics.models.kc.bushing import Bushing
from ce_dynamics.models.kc.figures import SIGNS
from ce_dynamics.models.kc.rig import KCRig
from ce_dynamics.models.kc.wheel_geometry import camber_angle, toe_angle

RANK = 1e-11
"""Singular values below this part of the largest count as zero."""


class Elastic(NamedTuple):
    """An axle linearised about a pose.

    Attributes
    ----------
    C : (12, 12) array
        Displacements [x y z, turns] of the wheel centres per force and torque there, left then right.
    preload : (2,) array
        Vertical forces at the wheel centres that hold the springs in the pose [N].
    turns : (2, 3) array
        Of the carriers, where the bushings yield to what springs and their own twist load them with, at the
        wheels' given heights [rad].
    shifts : (2, 3) array
        The same of the wheel centres [m].
    """

    C: Floats
    preload: Floats
    turns: Floats
    shifts: Floats


class Compliance:
    """An axle on the rig with some of its joints elastic.

    Parameters
    ----------
    rig : KCRig
        Without free parameters.
    bushings : sequence of Bushing

    Raises
    ------
    DataError
        If no joint of the axle is between the bodies of a bushing, or a number is not allowed.

    Examples
    --------
    >>> from ce_dynamics.models import kc
    >>> rig = kc.rig_of("sedan", "front")
    >>> soft = [
    ...     kc.Bushing(("chassis", f"front_{side}.lower_arm"), (1.388 + x, y, 0.0), (1.0, 0.0, 0.0),
    ...                (5e6, 5e6, 1e6, 1e3, 1e3, 50.0))
    ...     for side, y in (("left", 0.44), ("right", -0.44)) for x in (0.2, -0.2)
    ... ]
    >>> C = kc.Compliance(rig, soft).at(rig.solved([[0.0, 0.0]])[0]).C
    >>> bool(C[2, 2] > 0.0 and abs(C[2, 2] - C[8, 8]) < 1e-9)
    True
    """

    def __init__(self, rig: KCRig, bushings: Sequence[Bushing]) -> None:
        if rig.parameters:
            raise DataError("compliance: take a rig without free parameters")
        self.rig = rig
        poses = rig.poses
        system = rig.model.system
        wheels = {wheel.body for wheel in rig.axle.wheels}
        self.bodies = [body for body in poses.moving() if body.name not in wheels]
        own = {body.name for body in self.bodies}
        self.joints = [
            joint
            for joint in joints_of(system)
            if {joint.parent.name, joint.child.name} & own
            and not {joint.parent.name, joint.child.name} & wheels
        ]
        self.others = self._others(own)
        self.bushings = [(bushing, bushing.frame(), bushing.matrix()) for bushing in bushings]
        self.soft = [self._joint_of(bushing) for bushing in bushings]
        self.size = 6 * len(self.bodies)
        self._place = {body.name: 6 * k for k, body in enumerate(self.bodies)}
        self._compile()

    def _others(self, own: set[str]) -> list[Body]:
        """Bodies that do not move, but are joined to those that do."""
        found: dict[str, Body] = {}
        ends = [body for joint in self.joints for body in (joint.parent, joint.child)]
        for element in self.rig.poses.supports.values():
            ends += [body for body, _ in element.attachments]
        frames = [body for body in ends if not body.is_ground]
        for body in frames:
            while not body.is_ground:  # loads may be given in the axes of what carries both ends
                if body.name not in own:
                    found[body.name] = body
                body = body.carrier
        return list(found.values())

    def _joint_of(self, bushing: Bushing) -> int:
        names = {*bushing.between}
        for k, joint in enumerate(self.joints):
            if {joint.parent.name, joint.child.name} == names:
                return k
        pairs = ", ".join(f"{joint.parent.name} and {joint.child.name}" for joint in self.joints)
        raise DataError(
            f"no joint of the axle is between {' and '.join(bushing.between)}; there are: {pairs}"
        )

    # Compiled functions

    def _compile(self) -> None:
        poses, all_bodies = self.rig.poses, [*self.bodies, *self.others]
        ground = self.rig.model.system.ground
        n = len(all_bodies)

        def placed(c: Array) -> dict[str, Array]:
            outward = poses.model.instant(*poses.state(c)).outward
            return {
                "R": array(axes(outward, body) for body in all_bodies).reshape(n, 3, 3),
                "r": array(outward.point(body, body.com, ground).r for body in all_bodies),
            }

        self._placed = compile_function(trace("bodies of the axle", placed, {"c": poses.size}))
        n_rows = sum(condition.rows for joint in self.joints for condition in joint.conditions)

        def balance(R: Array, r: Array, delta: Array, force: Array) -> dict[str, Array]:
            states = self._states(all_bodies, R, r, delta)
            loads = self._loads(states)
            G = zeros(n_rows, self.size).astype(object)
            row = 0
            for joint in self.joints:
                rows = joint_rows(joint, states)
                for body, block in ((joint.parent, rows.G_parent), (joint.child, rows.G_child)):
                    if body.name in self._place:
                        at = self._place[body.name]
                        G[row : row + len(block), at : at + 6] = block
                row += len(rows.g)
            return {"loads": loads, "G": G, "out": -loads - G.T @ force}

        sizes: dict[str, int | tuple[int, ...]] = {
            "R": (n, 3, 3),
            "r": (n, 3),
            "delta": self.size,
            "force": n_rows,
        }
        traced = trace("balance of the axle", balance, sizes)
        self._balance = compile_function(traced)
        self._stiffness = compile_jacobian(traced, "out", "delta")

    def _states(self, bodies: Sequence[Body], R: Array, r: Array, delta: Array) -> dict[str, BodyState]:
        """Bodies displaced by δ, to first order; the others where they are."""
        states = {"ground": AT_REST}
        for k, body in enumerate(bodies):
            turned, moved = R[k], r[k]
            if body.name in self._place:
                at = self._place[body.name]
                turned = (IDENTITY + skew(delta[at : at + 3])) @ turned
                moved = moved + delta[at + 3 : at + 6]
            states[body.name] = BodyState(turned, moved, zeros(3), zeros(3))
        return states

    def _loads(self, states: Mapping[str, BodyState]) -> Array:
        """Wrenches of springs and bars on the bodies about their centres of mass."""
        model = self.rig.model
        observer = AbsoluteObserver(states)
        x = model.layout.states_of(model.layout.split(model.y0)[2])
        u = model.layout.inputs_of(model.u0)
        total = {body.name: zeros(6) for body in self.bodies}
        for name, element in self.rig.poses.supports.items():
            for load in element.evaluate(observer, x[name], u).loads:
                pairs = (
                    hinge_pair(load, observer)
                    if isinstance(load, HingeLoad)
                    else [point_wrench(load, states)]
                )
                for body, wrench in pairs:
                    if body.name in total:
                        total[body.name] = total[body.name] + wrench
        return concatenate([total[body.name] for body in self.bodies])

    # Solutions

    def at(self, c: ArrayLike) -> Elastic:
        """The axle linearised about a pose of the rig (a row of `KCRig.solved`)."""
        pose = np.asarray(c, dtype=float)
        R, r = self._placed(pose)
        n_rows = self._balance.input_shapes["force"][0]
        nothing = np.zeros(self.size), np.zeros(n_rows)
        loads, G, _ = self._balance(R, r, *nothing)
        E = self._wheel_columns(pose, r)
        vertical = E[:, [2, 8]]
        held = np.linalg.lstsq(np.hstack((G.T, vertical)), -loads, rcond=RANK)[0]
        reactions, preload = (np.asarray(part, dtype=np.float64) for part in np.split(held, [n_rows]))
        K = self._stiffness(R, r, nothing[0], reactions) - self._turned_preload(pose, r, preload)
        K_b, pushed = self._bushes(R, r)
        ideal = self._ideal_rows()
        C = E.T @ solved(K + K_b, G[ideal], E)
        holding = np.vstack((G[ideal], vertical.T))
        yielded = solved(K + K_b, holding, (loads - pushed)[:, np.newaxis])[:, 0]
        motion = (E.T @ yielded).reshape(2, 6)
        return Elastic(C, preload, motion[:, 3:], motion[:, :3])

    def _wheel_columns(self, c: Floats, r: Floats) -> Floats:
        """Loads on the bodies by loads at the wheel centres: columns Fx Fy Fz Mx My Mz, twice."""
        columns = np.zeros((self.size, 12))
        for side, (at, arm) in enumerate(self._arms(c, r)):
            for axis, e in enumerate(np.eye(3)):
                columns[at : at + 3, 6 * side + axis] = np.cross(arm, e)
                columns[at + 3 : at + 6, 6 * side + axis] = e
                columns[at : at + 3, 6 * side + 3 + axis] = e
        return columns

    def angles(self, poses: ArrayLike) -> dict[str, Floats]:
        """Toe and camber angles with the bushings yielding, (n, 2) each [rad].

        The hardpoints are those of the design pose under its loads: what the bushings yield there is taken
        off.  One linear step from the ideal pose: errors are of second order in what they yield.

        Parameters
        ----------
        poses : (n, n_c) array_like
            Of `KCRig.solved`.
        """
        at_design = self.at(self.rig.solved([[0.0, 0.0]])[0]).turns
        toe, camber = [], []
        for pose in np.atleast_2d(np.asarray(poses, dtype=float)):
            turns = self.at(pose).turns - at_design
            spin = np.asarray(self.rig.poses.at(pose).e, dtype=float)
            e = [Rotation.from_rotvec(turn).apply(axis) for turn, axis in zip(turns, spin, strict=True)]
            toe.append([toe_angle(axis, side) for axis, side in zip(e, SIGNS, strict=True)])
            camber.append([camber_angle(axis, side) for axis, side in zip(e, SIGNS, strict=True)])
        return {"toe_angle": np.array(toe, dtype=float), "camber_angle": np.array(camber, dtype=float)}

    def _arms(self, c: Floats, r: Floats) -> list[tuple[int, Floats]]:
        """Of both carriers: their place in δ, and the wheel centre from the centre of mass."""
        W = self.rig.poses.at(c).W
        places = [self._place[carrier.name] for carrier in self.rig.poses.carriers]
        return [(at, np.asarray(W[side], dtype=float) - r[at // 6]) for side, at in enumerate(places)]

    def _turned_preload(self, c: Floats, r: Floats, preload: Floats) -> Floats:
        """By δ: the torque of the vertical forces, as the wheel centres turn with their carriers."""
        K = np.zeros((self.size, self.size))
        for (at, arm), force in zip(self._arms(c, r), preload, strict=True):
            # (δ × a) × F = F × (a × δ)
            K[at : at + 3, at : at + 3] += skew(np.array((0.0, 0.0, force))) @ skew(arm)
        return K

    def _ideal_rows(self) -> list[int]:
        """Rows of the joints that are no bushings."""
        rows: list[int] = []
        start = 0
        for k, joint in enumerate(self.joints):
            size = sum(condition.rows for condition in joint.conditions)
            if k not in self.soft:
                rows += range(start, start + size)
            start += size
        return rows

    def _bushes(self, R: Floats, r: Floats) -> tuple[Floats, Floats]:
        """Bᵀ K_b B, and Bᵀ K_b times what the pose itself does to the bushings."""
        K, pushed = np.zeros((self.size, self.size)), np.zeros(self.size)
        names = {body.name: k for k, body in enumerate([*self.bodies, *self.others])}
        for bushing, frame, stiffness in self.bushings:
            place = np.asarray(bushing.at, dtype=float)
            ends = [self.rig.model.system.find(name) for name in bushing.between]
            where = [self._end(body, place, names, R, r) for body in ends]
            (R_a, x_a, _), (R_b, x_b, _) = where
            T = R_a @ frame
            B = np.zeros((6, self.size))
            for sign, body, (_, _, arm) in zip((-1.0, 1.0), ends, where, strict=True):
                if body.name in self._place:
                    at = self._place[body.name]
                    B[:3, at : at + 3] += sign * T.T
                    B[3:, at : at + 3] += sign * T.T @ -skew(arm)
                    B[3:, at + 3 : at + 6] += sign * T.T
            turn = Rotation.from_matrix(R_a.T @ R_b).as_rotvec()
            d = np.concatenate((frame.T @ turn, T.T @ (x_b - x_a)))
            K += B.T @ stiffness @ B
            pushed += B.T @ stiffness @ d
        return K, pushed

    def _end(
        self, body: Body, place: Floats, names: Mapping[str, int], R: Floats, r: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Axes of a body, where its point is, and that from its centre of mass."""
        if body.is_ground:
            return np.eye(3), place, place
        k = names[body.name]
        arm = R[k] @ (place - np.asarray(nominal(body.com), dtype=float))
        return R[k], r[k] + arm, arm


def solved(K: Floats, G: Floats, F: Floats) -> Floats:
    """δ with K δ − Gᵀ λ = F and G δ = 0: on the null space of G; least where something moves freely."""
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
    """Directions in which no row changes."""
    _, sizes, directions = np.linalg.svd(G)
    rank = int(np.sum(sizes > RANK * sizes[0])) if len(sizes) else 0
    return np.asarray(directions[rank:].T)
