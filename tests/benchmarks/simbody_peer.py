"""Simbody through OpenSim's Python package; its evaluations are Simbody's own, below OpenSim's model."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np

from tests.benchmarks.mechanism import Floats, Joint, Mechanism, deviation, independent, ride_mechanism
from tests.benchmarks.timing import best_of, python_loop


def offset(osim: Any, parent: Any, name: str, at: Floats, R: Floats | None = None) -> Any:
    """A frame fixed on a body."""
    matrix = np.eye(3) if R is None else R
    entries = osim.Rotation(
        osim.Mat33(*[float(x) for x in matrix.ravel()])  # row after row
    )
    return osim.PhysicalOffsetFrame(name, parent, osim.Transform(entries, vec(osim, at)))


def vec(osim: Any, x: Floats) -> Any:
    """Three numbers."""
    return osim.Vec3(*[float(e) for e in x])


def turning_z_into(axis: Floats) -> Floats:
    """A rotation whose third column is the axis: revolute joints turn about z."""
    least = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(least, axis)
    first = first / np.linalg.norm(first)
    return np.column_stack((first, np.cross(axis, first), axis))


class Simbody:
    """The ride model in its initial state, loads applied as constant forces on the joints' coordinates."""

    def __init__(self, mechanism: Mechanism) -> None:
        import opensim as osim

        osim.Logger.setLevelString("Error")
        self.mechanism = mechanism
        model = osim.Model()
        model.setGravity(vec(osim, np.array(mechanism.gravity)))
        bodies: dict[str | None, Any] = {None: model.getGround()}
        for joint in mechanism.joints:
            J = joint.inertia
            com = joint.com - joint.at
            inertia = osim.Inertia(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
            body = osim.Body(joint.name, joint.mass, vec(osim, com), inertia)
            model.addBody(body)
            bodies[joint.name] = body
        self._joints = [self._joint(osim, model, bodies, joint) for joint in mechanism.joints]
        for c in mechanism.closures:
            ends = vec(osim, c.at_a - mechanism.origin(c.a)), vec(osim, c.at_b - mechanism.origin(c.b))
            if c.kind == "P":
                constraint = osim.PointConstraint(bodies[c.a], ends[0], bodies[c.b], ends[1])
            else:
                length = float(np.linalg.norm(c.at_a - c.at_b))
                constraint = osim.ConstantDistanceConstraint(
                    bodies[c.a], ends[0], bodies[c.b], ends[1], length
                )
            constraint.setName(c.name)
            model.addConstraint(constraint)
        self._osim, self.model = osim, model
        self.state = model.initSystem()
        self._matter = model.getMatterSubsystem()
        self._position = osim.Stage(osim.Stage.Position)
        self._place()
        self._load()

    def _joint(self, osim: Any, model: Any, bodies: dict[str | None, Any], joint: Joint) -> Any:
        at = np.zeros(3) if joint.kind == "F" else joint.at - self.mechanism.origin(joint.parent)
        R = turning_z_into(joint.axis) if joint.kind == "R" else np.eye(3)
        outer = offset(osim, bodies[joint.parent], f"{joint.name}_outer", at, R)
        inner = offset(osim, bodies[joint.name], f"{joint.name}_inner", np.zeros(3), R)
        model.addComponent(outer)
        model.addComponent(inner)
        kind = {"F": osim.FreeJoint, "S": osim.BallJoint, "R": osim.PinJoint}[joint.kind]
        made = kind(f"{joint.name}_joint", outer, inner)
        model.addJoint(made)
        return made

    def _coordinates(self, joint: Joint, made: Any) -> list[Any]:
        """Coordinates of a joint in the order of the mechanism: linear before angular."""
        found = [made.get_coordinates(k) for k in range(joint.n_v)]
        return found[3:] + found[:3] if joint.kind == "F" else found

    def _set_state(self) -> None:
        """The design pose with its velocities."""
        for joint, made in zip(self.mechanism.joints, self._joints, strict=True):
            values = [*joint.at, 0.0, 0.0, 0.0] if joint.kind == "F" else [0.0] * joint.n_v
            for coordinate, q, v in zip(self._coordinates(joint, made), values, joint.rate, strict=True):
                coordinate.setValue(self.state, float(q), False)
                coordinate.setSpeedValue(self.state, float(v))

    def _place(self) -> None:
        """Find the index of each coordinate's speed in Simbody's vector, ordered by depth in the tree."""
        state = self.state
        every = [
            coordinate
            for joint, made in zip(self.mechanism.joints, self._joints, strict=True)
            for coordinate in self._coordinates(joint, made)
        ]
        for k, coordinate in enumerate(every):
            coordinate.setSpeedValue(state, float(k))
        speeds = state.getU()
        self.place = np.argsort([speeds.get(k) for k in range(speeds.size())])
        self._set_state()

    def _load(self) -> None:
        osim, n = self._osim, self.mechanism.n_v
        self._tau = osim.Vector(n, 0.0)
        tau = self.mechanism.with_weight.tau
        for k in range(n):
            self._tau.set(int(self.place[k]), float(tau[k]))
        self._none = osim.VectorOfSpatialVec(self._matter_bodies(), osim.SpatialVec())
        self._u_dot, self._A = osim.Vector(n, 0.0), osim.VectorOfSpatialVec()

    def _matter_bodies(self) -> int:
        return len(self.mechanism.joints) + 1

    def forward(self) -> None:
        """Kinematics and constrained accelerations from scratch."""
        self.state.invalidateAll(self._position)
        self.model.realizeVelocity(self.state)
        self._matter.calcAcceleration(self.state, self._tau, self._none, self._u_dot, self._A)

    def nothing(self) -> None:
        """Calls that compute next to nothing, for the cost of the binding."""
        self.model.realizeVelocity(self.state)
        self.state.getSystemStage()
        self.state.getNU()

    @property
    def v_dot(self) -> Floats:
        """Accelerations in the order of the mechanism."""
        self.forward()
        return np.array([self._u_dot.get(int(k)) for k in self.place])


class Apart:
    """Simbody in a process of its own: OpenSim and CasADi's package cannot be loaded together."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.simbody_peer"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None, "a pipe was asked for"
        assert self._process.stdout is not None, "a pipe was asked for"
        self._in, self._out = self._process.stdin, self._process.stdout
        answer = self._out.readline().split()
        if len(answer) != 2:
            error = self._process.stderr.read().strip() if self._process.stderr else ""
            raise ImportError(error.splitlines()[-1] if error else "it does not start")
        self.deviation, self.nothing = map(float, answer)

    def batch(self, n: int) -> float:
        """Seconds of n evaluations, by the clock of the other process."""
        self._in.write(f"{n}\n")
        self._in.flush()
        return float(self._out.readline())


def serve() -> None:
    """Answer numbers of evaluations by the seconds they take; first deviation and time of empty calls."""
    mechanism = ride_mechanism()
    engine = Simbody(mechanism)
    error = deviation(independent(mechanism, engine.v_dot, classical=True))
    print(error, best_of(python_loop(engine.nothing), 20), flush=True)
    batch = python_loop(engine.forward)
    for line in sys.stdin:
        print(batch(int(line)), flush=True)


if __name__ == "__main__":
    serve()
