"""Motion of any body-fixed point or frame, with its Jacobian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.dynamics.jacobians import BodyColumns, MovingBodies, body_columns, frame_columns
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body

FEW = 3  # bodies whose frames get machine code of their own; those of more bodies share one function for all


class PointKinematics(NamedTuple):
    """Motion of a point at one state, in world axes: v = J θ̇ + drift and a = J θ̈ + bias.

    Attributes
    ----------
    r, v, a : (3,) arrays
        Position [m], velocity [m/s] and acceleration [m/s²].
    J : (3, n_v) array
        Jacobian over the independent velocities.
    drift : (3,) array
        Velocity at θ̇ = 0, which prescribed motion causes.
    bias : (3,) array
        Acceleration at θ̈ = 0.
    """

    r: Floats
    v: Floats
    a: Floats
    J: Floats
    drift: Floats
    bias: Floats


class FrameKinematics(NamedTuple):
    """Motion of a frame at one state, [angular; linear] in world axes: V = J θ̇ + drift and A = J θ̈ + bias.

    Attributes
    ----------
    r : (3,) array
        Origin [m].
    R : (3, 3) array
        Axes as columns; the identity in the design pose.
    V, A : (6,) arrays
        Twist [rad/s; m/s] and its time derivative [rad/s²; m/s²].
    J : (6, n_v) array
        Jacobian over the independent velocities.
    drift : (6,) array
        Twist at θ̇ = 0, which prescribed motion causes.
    bias : (6,) array
        Acceleration at θ̈ = 0.
    """

    r: Floats
    R: Floats
    V: Floats
    A: Floats
    J: Floats
    drift: Floats
    bias: Floats


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame fixed on a body: its origin at a point, its axes those of the body.

    Attributes
    ----------
    model : CompiledSystem
    body : Body
    at : (3,) array
        The origin in the design pose [m].
    """

    model: CompiledSystem
    body: Body
    at: Floats

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the components of the twist, for messages."""
        where = f"{self.body.name!r} at {self.at.tolist()}"
        return tuple(f"{what} of {where}" for what in ("wx", "wy", "wz", "vx", "vy", "vz"))

    @takes_state("y", "u")
    def __call__(self, *here: ArrayLike | None, **named: Unpack[StateArguments]) -> FrameKinematics:
        """Return the frame's motion at a state, for the arguments see `Model`.

        Raises
        ------
        AssemblyError
            If a loop cannot be assembled at the state.
        """
        return frame_kinematics(self.model, self, *state_given(self.model, *here, **named))


@dataclass(frozen=True, eq=False)
class Point:
    """A point fixed on a body.

    Attributes
    ----------
    frame : Frame
        The frame of its body there.
    """

    frame: Frame

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the components of the velocity, for messages."""
        return self.frame.labels[3:]

    @property
    def model(self) -> CompiledSystem:
        """Model of the body."""
        return self.frame.model

    @takes_state("y", "u")
    def __call__(self, *here: ArrayLike | None, **named: Unpack[StateArguments]) -> PointKinematics:
        """Return the point's motion at a state, for the arguments see `Model`."""
        r, _, V, A, J, drift, bias = self.frame(*here, **named)
        return PointKinematics(r, V[3:], A[3:], J[3:], drift[3:], bias[3:])


def point(model: CompiledSystem, body: Body | str, at: ArrayLike | None = None) -> Point:
    """Return a body-fixed point, with position, velocity, acceleration and Jacobian at any state.

    Parameters
    ----------
    body : Body or str
    at : (3,) array_like, optional
        Position in the design pose [m]; the centre of mass if not given.

    Raises
    ------
    ModelError
        If there is no such body, it is the ground, or the position is not three finite numbers.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -10.0))
    >>> rod = system.add_body("rod", mass=1.0, com=(0.5, 0, 0), parent=system.ground,
    ...                       hinge=ce.Revolute(axis=(0, 1, 0)))
    >>> tip = ce.compile(system).point(rod, at=(1, 0, 0))
    >>> now = tip([0.0, 2.0])
    >>> now.v, now.a, now.J.T
    (array([ 0.,  0., -2.]), array([ -4.,   0., -20.]), array([[ 0.,  0., -1.]]))
    """
    return Point(frame(model, body, at))


def frame(model: CompiledSystem, body: Body | str, at: ArrayLike | None = None) -> Frame:
    """Return a body-fixed frame, with pose, twist, acceleration and 6 × n_v Jacobian at any state.

    Parameters
    ----------
    body : Body or str
    at : (3,) array_like, optional
        Its origin in the design pose [m]; the centre of mass if not given.

    Raises
    ------
    ModelError
        As `point`.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System()
    >>> rod = system.add_body("rod", mass=1.0, com=(0.5, 0, 0), parent=system.ground,
    ...                       hinge=ce.Revolute(axis=(0, 1, 0)))
    >>> frame = ce.compile(system).frame(rod)
    >>> frame([0.0, 2.0]).V
    array([ 0.,  2.,  0.,  0.,  0., -1.])
    """
    found = model.system.find(body)
    if found.is_ground:
        raise ModelError("the ground does not move; name another body")
    if at is None:
        at = nominal(found.com).astype(float)
    return Frame(model, found, checked("at", at, 3))


def frame_kinematics(model: CompiledSystem, frame: Frame, y: Floats, u: Floats) -> FrameKinematics:
    """Return the motion of a frame at a state."""
    body = frame.body

    def kinematics(y: Array, u: Array, at: Array) -> dict[str, Array]:
        return frame_columns(model.instant(y, u).outward, body, at)._asdict()

    own = f"frame of {body.name}"
    if own in model.functions or frames_of_their_own(model) < FEW:
        function = model.function(own, kinematics, {**model.sizes_of("y", "u"), "at": 3})
        r, R, V, J, drift, bias = function(y, u, frame.at)
    else:
        r, R, V, J, drift, bias = moving_bodies(model, y, u).frame(body, frame.at)
    v_dot = model.layout.split(model.dynamics(y, u)[0])[1]
    model.refuse_not_finite(y, u, r, V, v_dot)
    return FrameKinematics(r, R, V, J @ v_dot + bias, J, drift, bias)


def frames_of_their_own(model: CompiledSystem) -> int:
    """Return the number of frames with machine code of their own."""
    return sum(name.startswith("frame of ") for name in model.functions)


def moving_bodies(model: CompiledSystem, y: Floats, u: Floats) -> MovingBodies:
    """Return the compiled function of all bodies at a state; its size grows with their number only."""

    def bodies(y: Array, u: Array) -> dict[str, Array]:
        return body_columns(model.instant(y, u).outward)._asdict()

    function = model.function("all bodies", bodies, model.sizes_of("y", "u"))
    latest = model.get_or_make("bodies at the latest state", list[tuple[Floats, Floats, MovingBodies]])
    if not latest or not (np.array_equal(latest[0][0], y) and np.array_equal(latest[0][1], u)):
        moving = MovingBodies(model.embedding, BodyColumns(*function(y, u)))
        latest[:] = [(y.copy(), u.copy(), moving)]
    return latest[0][2]
