"""Mechanisms in the form every engine can be built from: joints on a spanning tree, closures, a state, loads.

All bodies have parallel axes in the design pose; a body's origin is its inboard joint's point.  The states
timed here are design poses, in which rotations are the identity.
"""

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.description import HmmwvParameters
from ce_dynamics.models.vehicles.hmmwv import CORNERS

Floats = NDArray[np.float64]
X, Y = np.eye(3)[0], np.eye(3)[1]
ROD_MASS = 1e-5
"""[kg] of a tie rod where an engine needs it as a body: changes the accelerations by less than 1e-6."""


@dataclass(frozen=True)
class Joint:
    """A body and its inboard joint; everything in design coordinates."""

    name: str
    parent: str | None  # None for the world
    kind: Literal["F", "S", "R"]  # free, spherical, revolute
    at: Floats
    axis: Floats
    mass: float
    com: Floats
    inertia: Floats  # about the centre of mass
    rate: Floats  # initial velocity: free [linear, angular], spherical angular, revolute (1,)

    @property
    def n_v(self) -> int:
        """Degrees of freedom."""
        return {"F": 6, "S": 3, "R": 1}[self.kind]


class Closure(NamedTuple):
    """Points of two bodies that coincide ("P"; "Q": in the plane y = 0) or keep their distance ("D")."""

    name: str
    kind: Literal["P", "Q", "D"]
    a: str | None
    b: str | None
    at_a: Floats
    at_b: Floats


class Load(NamedTuple):
    """A force on a body at a point, in world axes."""

    body: str
    at: Floats
    force: Floats


@dataclass(frozen=True)
class Mechanism:
    """Joints (parents first), closures, applied forces; gravity along −z unless given."""

    joints: tuple[Joint, ...]
    closures: tuple[Closure, ...]
    loads: tuple[Load, ...] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)

    @cached_property
    def index(self) -> dict[str, int]:
        return {joint.name: k for k, joint in enumerate(self.joints)}

    @cached_property
    def v_of(self) -> dict[str, slice]:
        ends = np.cumsum([joint.n_v for joint in self.joints])
        return {j.name: slice(int(e) - j.n_v, int(e)) for j, e in zip(self.joints, ends, strict=True)}

    @property
    def n_v(self) -> int:
        """Velocities of the spanning tree."""
        return sum(joint.n_v for joint in self.joints)

    @property
    def n_rows(self) -> int:
        return sum({"P": 3, "Q": 2, "D": 1}[c.kind] for c in self.closures)

    @property
    def v(self) -> Floats:
        return np.concatenate([joint.rate for joint in self.joints])

    @property
    def tau(self) -> Floats:
        """Generalised forces that stand for the loads in the design pose."""
        result = np.zeros(self.n_v)
        for load in self.loads:
            name: str | None = load.body
            while name is not None:
                joint = self.joints[self.index[name]]
                moment = np.cross(load.at - joint.at, load.force)
                parts = {"F": [*load.force, *moment], "S": [*moment], "R": [float(joint.axis @ moment)]}
                result[self.v_of[name]] += np.array(parts[joint.kind])
                name = joint.parent
        return result

    @property
    def q(self) -> Floats:
        """The design pose: [x y z, qx qy qz qw], [qx qy qz qw] or an angle per joint, one after another."""
        q: list[float] = []
        for joint in self.joints:
            q += [*joint.at] if joint.kind == "F" else []
            q += [0.0] if joint.kind == "R" else [0.0, 0.0, 0.0, 1.0]
        return np.array(q)

    def origin(self, name: str | None) -> Floats:
        return np.zeros(3) if name is None else self.joints[self.index[name]].at


# The ride model


def ride_mechanism(rods: bool = False) -> Mechanism:
    """The ride model from the project's own parameters, with its tie rods as closures or as bodies."""
    parameters = HmmwvParameters.load(variant="ride")
    zero = np.zeros(3)
    height = np.array((0.0, 0.0, parameters.ride_height))
    body = parameters.chassis
    rate = np.array((10.0, 0.0, -0.5, 0.3, 0.2, 0.1))
    joints = [Joint("chassis", None, "F", height, zero, body.mass, body.com + height, body.inertia, rate)]
    closures: list[Closure] = []
    loads: list[Load] = []
    for name in CORNERS:
        corner = parameters.corners[name]
        joints += _corner_joints(corner, height)
        F, K, L = (*(np.asarray(corner.points[letter]) + height for letter in "FKL"),)
        closures.append(Closure(f"{name}.F", "P", f"{name}.upper_arm", f"{name}.upright", F, F))
        if rods:
            joints += _rod_joints(name, L, K)
            closures.append(Closure(f"{name}.K", "P", f"{name}.rod", f"{name}.upright", K, K))
        else:
            closures.append(Closure(f"{name}.rod", "D", "chassis", f"{name}.upright", L, K))
        loads += _corner_loads(corner, height, rate)
    return Mechanism(tuple(joints), tuple(closures), tuple(loads), (0.0, 0.0, float(parameters.gravity[2])))


def _corner_joints(corner: Corner, height: Floats) -> list[Joint]:
    """Lower arm, upright, wheel; upper arm."""
    name, still = corner.name, np.zeros(1)
    bodies = corner.axle.side(name).bodies
    lower, upper, upright, wheel = bodies["lower_arm"], bodies["upper_arm"], bodies["upright"], corner.wheel
    A1, A2, G1, G2 = (
        corner.points[f"{arm}.{end}_pivot"] for arm in ("lower_arm", "upper_arm") for end in ("rear", "front")
    )
    D = corner.points["D"]
    middle = [0.5 * (A1 + A2) + height, 0.5 * (G1 + G2) + height]
    lower_axis, upper_axis = ((b - a) / np.linalg.norm(b - a) for a, b in ((A1, A2), (G1, G2)))
    return [
        Joint(f"{name}.lower_arm", "chassis", "R", middle[0], lower_axis, lower.mass,
              lower.com + height, lower.inertia, still),
        Joint(f"{name}.upright", f"{name}.lower_arm", "S", D + height, np.zeros(3), upright.mass,
              upright.com + height, upright.inertia, np.zeros(3)),
        Joint(f"{name}.wheel", f"{name}.upright", "R", corner.W + height, wheel.axis, wheel.mass,
              wheel.com + height, wheel.inertia, np.array((10.0,))),
        Joint(f"{name}.upper_arm", "chassis", "R", middle[1], upper_axis, upper.mass,
              upper.com + height, upper.inertia, still),
    ]  # fmt: skip


def _rod_joints(name: str, L: Floats, K: Floats) -> list[Joint]:
    """A tie rod on a universal joint at L, with next to no mass."""
    along = (K - L) / np.linalg.norm(K - L)
    first = np.cross(along, X)
    first = first / np.linalg.norm(first)
    second = np.cross(along, first)
    third = 1e-2 * ROD_MASS * np.eye(3)
    middle, still = 0.5 * (L + K), np.zeros(1)
    return [
        Joint(f"{name}.cross", "chassis", "R", L, first, 0.0, L, 0.0 * third, still),
        Joint(f"{name}.rod", f"{name}.cross", "R", L, second, ROD_MASS, middle, third, still),
    ]


def _corner_loads(corner: Corner, height: Floats, rate: Floats) -> list[Load]:
    """Spring, damper and ground spring at the initial state, from the formulas of the reference data."""
    v_0, w = rate[:3], rate[3:]
    arm = f"{corner.name}.lower_arm"
    spring, ground = corner.spring, corner.ground_spring
    assert ground is not None, "the ride variant has ground springs"
    ends = np.subtract(spring.arm, spring.chassis)
    length = float(np.linalg.norm(ends))
    d = length - spring.free_length
    assert spring.linear is not None
    assert spring.cubic is not None
    pull = (spring.linear * d + spring.cubic * d**3) * ends / length
    # The suspension is at rest relative to the chassis: dampers and springs keep their length.
    W = corner.W + height
    v_z = (v_0 + np.cross(w, corner.W))[2]
    Fz = -ground.stiffness * (W[2] - ground.height) - ground.damping * v_z
    return [
        Load("chassis", spring.chassis + height, pull),
        Load(arm, spring.arm + height, -pull),
        Load(f"{corner.name}.wheel", W, np.array((0.0, 0.0, Fz))),
    ]


SHORT = dict(zip(CORNERS, ("FL", "FR", "RL", "RR"), strict=True))


def reference() -> dict[str, Floats]:
    """Accelerations at t = 0 of two independent engines (tests/data/README.md); chassis [linear, angular]."""
    data: Any = json.loads(
        (Path(__file__).parents[1] / "data" / "ride_A_accelerations.json").read_text(encoding="utf-8")
    )
    linear = data["chassis_linear_acc_of_reference_point_world_classical"]
    found = {"chassis": np.array((*linear, *data["chassis_angular_acc_world"]))}
    for name, short in SHORT.items():
        found[f"{name}.lower_arm"] = np.array((data["lca_angular_acc"][short],))
        found[f"{name}.wheel"] = np.array((data["wheel_spin_acc_relative_to_upright"][short],))
    return found


def deviation(found: dict[str, Floats], expected: dict[str, Floats] | None = None) -> float:
    """Largest error relative to the length of each acceleration vector."""
    expected = reference() if expected is None else expected
    return max(
        float(np.max(np.abs(found[name] - value)) / np.linalg.norm(value)) for name, value in expected.items()
    )


def independent(mechanism: Mechanism, v_dot: Floats, classical: bool) -> dict[str, Floats]:
    """Those accelerations of the tree that `reference` has, linear ones made classical."""
    found = {name: np.array(v_dot[mechanism.v_of[name]]) for name in reference()}
    if not classical:  # d/dt of components in moving axes
        v, w = mechanism.v[:3], mechanism.v[3:6]
        found["chassis"][:3] += np.cross(w, v)
    return found


# Chains of four-bars


def four_bar_chain(n: int, closure: Literal["P", "Q"] = "Q") -> Mechanism:
    """N four-bars in a row, each on the rocker of the one before: planar, in x and z."""
    joints: list[Joint] = []
    closures: list[Closure] = []
    frame: str | None = None
    start_at: Floats = np.zeros(3)
    for k in range(n):
        A, D, F, G = four_bar_points(start_at)
        crank, coupler, rocker = (f"{part} {k}" for part in ("crank", "coupler", "rocker"))
        for name, parent, start, end, rate in (
            (crank, frame, A, D, 0.3),
            (coupler, crank, D, F, 0.0),
            (rocker, frame, G, F, 0.0),
        ):
            com = 0.5 * (start + end)
            joints.append(Joint(name, parent, "R", start, Y, 1.0, com, BAR_INERTIA, np.array((rate,))))
        closures.append(Closure(f"F {k}", closure, coupler, rocker, F, F))
        frame, start_at = rocker, F
    return with_consistent_rates(Mechanism(tuple(joints), tuple(closures)))


BAR_INERTIA: Floats = np.diag((0.02, 0.03, 0.02))


def four_bar_points(start: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """A, D, F, G of a four-bar whose frame begins at a point."""
    offsets = ((0.0, 0.0), (0.05, 0.2), (0.42, 0.27), (0.4, 0.0))
    A, D, F, G = (start + np.array((x, 0.0, z)) for x, z in offsets)
    return A, D, F, G


def with_consistent_rates(mechanism: Mechanism) -> Mechanism:
    """The same with rates of couplers and rockers that keep the planar loops closed."""
    joints = list(mechanism.joints)
    for k in range(0, len(joints), 3):
        crank, coupler, rocker = joints[k : k + 3]
        F = mechanism.closures[k // 3].at_a
        # relative to the frame: w1 × AD + (w1 + w2) × DF = w3 × GF, all about y
        w1 = crank.rate[0]
        v_F = w1 * np.cross(Y, F - crank.at)
        columns = np.column_stack((np.cross(Y, F - coupler.at), -np.cross(Y, F - rocker.at)))[[0, 2]]
        w2, w3 = np.linalg.solve(columns, -v_F[[0, 2]])
        joints[k + 1] = replace(coupler, rate=np.array((w2,)))
        joints[k + 2] = replace(rocker, rate=np.array((w3,)))
    return replace(mechanism, joints=tuple(joints))


class Strut(NamedTuple):
    """Tension k d + k₃ d³ + c ḋ between points of two bodies, d their distance beyond a length."""

    name: str
    a: str
    b: str
    at_a: Floats
    at_b: Floats
    length: float
    linear: float
    cubic: float
    damping: float

    def tension(self, apart: float, rate: float) -> float:
        d = apart - self.length
        return self.linear * d + self.cubic * d**3 + self.damping * rate


class Ground(NamedTuple):
    """A vertical force −k (z − h) − c ż at a point of a body."""

    body: str
    at: Floats
    stiffness: float
    damping: float
    height: float

    def force(self, z: float, rate: float) -> float:
        return -self.stiffness * (z - self.height) - self.damping * rate


class RideLaws(NamedTuple):
    struts: tuple[Strut, ...]
    grounds: tuple[Ground, ...]


def ride_laws() -> RideLaws:
    """Those of the ride model, from the project's own parameters."""
    parameters = HmmwvParameters.load(variant="ride")
    up = np.array((0.0, 0.0, parameters.ride_height))
    struts: list[Strut] = []
    grounds: list[Ground] = []
    for name in CORNERS:
        corner = parameters.corners[name]
        s, d, g = corner.spring, corner.damper, corner.ground_spring
        assert g is not None, "the ride variant has ground springs"
        ends = "chassis", f"{name}.lower_arm"
        struts += [
            Strut(f"{name}.spring", *ends, s.chassis + up, s.arm + up, s.free_length, s.linear, s.cubic, 0.0),
            Strut(f"{name}.damper", *ends, d.chassis + up, d.arm + up, 0.0, 0.0, 0.0, d.coefficient),
        ]
        grounds.append(Ground(f"{name}.wheel", corner.W + up, g.stiffness, g.damping, g.height))
    return RideLaws(tuple(struts), tuple(grounds))
