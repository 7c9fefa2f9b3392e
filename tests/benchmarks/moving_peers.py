"""Other engines over time: what the accuracy and the drift of the ride model are compared with."""

import importlib.util
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from tests.benchmarks.mechanism import Floats, Mechanism, RideLaws, ride_laws, ride_mechanism
from tests.benchmarks.mujoco_peer import Setting, Soft
from tests.benchmarks.timing import best_of, python_loop

MUJOCO_INTEGRATORS = ("RK4", "implicitfast")
STEPS = (5e-3, 2e-3, 1e-3, 5e-4, 2e-4)


class Mover(Protocol):
    """A model that goes from one instant to the next."""

    @property
    def chassis(self) -> Floats:
        """Position of the chassis [m]."""

    @property
    def closure_error(self) -> float:
        """Largest opening of a loop [m]."""


class Track(NamedTuple):
    """A run."""

    chassis: Floats  # at the stored instants
    closure: Floats  # largest opening of a loop [m]
    seconds: float  # what the engine has taken
    evaluations: int  # of accelerations


class Peer(NamedTuple):
    """An engine with a method."""

    run: Callable[[float, float, float], Track]  # of a duration with a step, stored at an interval [s]
    steps: tuple[float, ...]  # those to try [s]; they divide 0.01 s


def peers() -> dict[str, Peer]:
    found: dict[str, Peer] = {}
    if importlib.util.find_spec("mujoco"):
        for name in MUJOCO_INTEGRATORS:
            found[f"MuJoCo, {name}"] = Peer(mujoco_peer(name), (*STEPS, 1e-4, 5e-5))
    if importlib.util.find_spec("pinocchio"):
        found["Pinocchio, rk4 outside"] = Peer(pinocchio_peer, STEPS)
    return found


def mujoco_peer(integrator: str) -> Callable[[float, float, float], Track]:
    """MuJoCo's own steps, in its own loop; closures as hard as twice the step allows."""

    def run(duration: float, step: float, interval: float) -> Track:
        soft = Soft(ride_mechanism(), Setting("Newton", "dense", integrator, step), ride_laws())
        pieces = round(interval / step)
        seconds = 0.0

        def advance() -> None:
            nonlocal seconds
            start = time.perf_counter()
            soft.step(pieces)
            seconds += time.perf_counter() - start

        chassis, closure = tracked(soft, advance, round(duration / interval))
        per_step = 4 if integrator == "RK4" else 1
        return Track(chassis, closure, seconds, per_step * pieces * round(duration / interval))

    return run


def pinocchio_peer(duration: float, step: float, interval: float) -> Track:
    """constraintDynamics in our own Runge-Kutta method.

    Time is that of the evaluations of Pinocchio alone: integration and forces, which are Python here, are for
    nothing.
    """
    mechanism = ride_mechanism(rods=True)
    moving = Moving(mechanism, ride_laws())
    pieces = round(interval / step)

    def advance() -> None:
        for _ in range(pieces):
            moving.step(step)

    chassis, closure = tracked(moving, advance, round(duration / interval))
    state = mechanism.q, mechanism.v, mechanism.tau
    one = best_of(python_loop(lambda: moving.accelerations(*state), moving), 20)
    return Track(chassis, closure, one * moving.evaluations, moving.evaluations)


def tracked(mover: Mover, advance: Callable[[], None], instants: int) -> tuple[Floats, Floats]:
    """Positions and openings at the start and after every advance."""

    def look() -> Iterator[tuple[Floats, float]]:
        yield mover.chassis, mover.closure_error
        for _ in range(instants):
            advance()
            yield mover.chassis, mover.closure_error

    chassis, closure = zip(*look(), strict=True)
    return np.array(chassis), np.array(closure)


def build(mechanism: Mechanism) -> Any:
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = np.array(mechanism.gravity)
    for joint in mechanism.joints:
        parent = 0 if joint.parent is None else mechanism.index[joint.parent] + 1
        kind = {
            "F": pin.JointModelFreeFlyer,
            "S": pin.JointModelSpherical,
            "R": lambda axis=joint.axis: pin.JointModelRevoluteUnaligned(axis),
        }[joint.kind]()
        at = np.zeros(3) if joint.kind == "F" else joint.at - mechanism.origin(joint.parent)
        number = model.addJoint(parent, kind, pin.SE3(np.eye(3), at), joint.name)
        inertia = pin.Inertia(joint.mass, joint.com - joint.at, joint.inertia)
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
    return model


def closures(mechanism: Mechanism, model: Any) -> tuple[Any, Any]:
    """Its closures (points only) and their work space."""
    import pinocchio as pin

    models = pin.StdVec_RigidConstraintModel()
    for c in mechanism.closures:
        a, b = (0 if body is None else mechanism.index[body] + 1 for body in (c.a, c.b))
        placed = [
            pin.SE3(np.eye(3), p - mechanism.origin(body)) for p, body in ((c.at_a, c.a), (c.at_b, c.b))
        ]
        one = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model, a, placed[0], b, placed[1], pin.LOCAL
        )
        models.append(one)
    datas = pin.StdVec_RigidConstraintData()
    for one in models:
        datas.append(one.createData())
    return models, datas


class Moving:
    """A mechanism whose closures are points, with force laws.

    State y = [q; v] in Pinocchio's coordinates; quaternions are integrated as numbers and normalised.
    """

    def __init__(self, mechanism: Mechanism, laws: RideLaws) -> None:
        import pinocchio as pin

        self._pin = pin
        self.model = build(mechanism)
        self.data = self.model.createData()
        self.models, self.datas = closures(mechanism, self.model)
        pin.initConstraintDynamics(self.model, self.data, self.models, self.datas)
        self.settings = pin.ProximalSettings(1e-14, 1e-14, 1e-12, 1)
        self.mechanism, self.laws = mechanism, laws
        self.evaluations = 0
        self.y = np.concatenate((mechanism.q, mechanism.v))
        self._joint = {name: k + 1 for name, k in mechanism.index.items()}

    def step(self, h: float) -> None:
        y = self.y
        k1 = self.rate(y)
        k2 = self.rate(y + 0.5 * h * k1)
        k3 = self.rate(y + 0.5 * h * k2)
        k4 = self.rate(y + h * k3)
        self.y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    def rate(self, y: Floats) -> Floats:
        n = self.model.nq
        q, v = self._normalised(y[:n]), y[n:]
        self.evaluations += 1
        v_dot = self.accelerations(q, v, self.forces(q, v))
        return np.concatenate((self._coordinate_rates(q, v), v_dot))

    def accelerations(self, q: Floats, v: Floats, tau: Floats) -> Floats:
        """Solve the constrained dynamics of the tree and its closures."""
        result: Floats = self._pin.constraintDynamics(
            self.model, self.data, q, v, tau, self.models, self.datas, self.settings
        )
        return result

    def forces(self, q: Floats, v: Floats) -> Floats:
        """Generalised forces of the laws: Jᵀ f = rnea(q, 0, 0) − rnea(q, 0, 0, f)."""
        pin = self._pin
        pin.forwardKinematics(self.model, self.data, q, v)
        loads = np.zeros((self.model.njoints, 6))
        for strut in self.laws.struts:
            (r_a, v_a), (r_b, v_b) = self.point(strut.a, strut.at_a), self.point(strut.b, strut.at_b)
            apart = float(np.linalg.norm(r_b - r_a))
            along = (r_b - r_a) / apart
            pull = strut.tension(apart, float(along @ (v_b - v_a))) * along
            self._push(loads, strut.a, r_a, pull)
            self._push(loads, strut.b, r_b, -pull)
        for ground in self.laws.grounds:
            r, rate = self.point(ground.body, ground.at)
            up = np.array((0.0, 0.0, ground.force(float(r[2]), float(rate[2]))))
            self._push(loads, ground.body, r, up)
        external = pin.StdVec_Force()
        for load in loads:
            external.append(pin.Force(load))
        still = np.zeros(self.model.nv)
        without = pin.rnea(self.model, self.data, q, still, still).copy()
        result: Floats = without - pin.rnea(self.model, self.data, q, still, still, external)
        return result

    def _push(self, loads: Floats, body: str, r: Floats, force: Floats) -> None:
        """A force in world axes, among those of the body in its own."""
        pose = self.data.oMi[self._joint[body]]
        local = pose.rotation.T @ force
        at = pose.rotation.T @ (r - pose.translation)
        loads[self._joint[body]] += (*local, *np.cross(at, local))

    def point(self, body: str | None, at: Floats) -> tuple[Floats, Floats]:
        """Position and velocity of a body's point, given in the design pose, after the kinematics."""
        assert body is not None, "of a body, not of the world"
        pose, velocity = self.data.oMi[self._joint[body]], self.data.v[self._joint[body]]
        local = at - self.mechanism.origin(body)
        moving = velocity.linear + np.cross(velocity.angular, local)
        return pose.translation + pose.rotation @ local, pose.rotation @ moving

    @property
    def chassis(self) -> Floats:
        return self.y[:3].copy()

    @property
    def closure_error(self) -> float:
        n = self.model.nq
        self._pin.forwardKinematics(self.model, self.data, self._normalised(self.y[:n]), self.y[n:])
        gaps = [
            np.linalg.norm(self.point(c.a, c.at_a)[0] - self.point(c.b, c.at_b)[0])
            for c in self.mechanism.closures
        ]
        return float(max(gaps))

    @cached_property
    def _quaternions(self) -> list[int]:
        sizes = [{"F": 7, "S": 4, "R": 1}[joint.kind] for joint in self.mechanism.joints]
        ends = np.cumsum(sizes).tolist()
        return [end - 4 for end, size in zip(ends, sizes, strict=True) if size > 1]

    def _normalised(self, q: Floats) -> Floats:
        result = q.copy()
        for at in self._quaternions:
            result[at : at + 4] /= np.linalg.norm(result[at : at + 4])
        return result

    def _coordinate_rates(self, q: Floats, v: Floats) -> Floats:
        """q̇ of angles, of quaternions (x, y, z, w) and of the free body's position."""
        result, at = np.zeros(len(q)), 0
        for joint in self.mechanism.joints:
            own = v[self.mechanism.v_of[joint.name]]
            if joint.kind == "R":
                result[at] = own[0]
                at += 1
                continue
            if joint.kind == "F":
                result[at : at + 3] = rotated(q[at + 3 : at + 7], own[:3])
                own, at = own[3:], at + 3
            u, w = q[at : at + 3], q[at + 3]
            result[at : at + 3] = 0.5 * (w * own + np.cross(u, own))
            result[at + 3] = -0.5 * (u @ own)
            at += 4
        return result


def rotated(quaternion: Floats, vector: Floats) -> Floats:
    """A vector of the body's axes in those of its carrier."""
    u, w = quaternion[:3], quaternion[3]
    twice = 2.0 * np.cross(u, vector)
    result: Floats = vector + w * twice + np.cross(u, twice)
    return result
