"""The steering column: what the driver's hands do to the mechanism, as torques.

The steering wheel turns by φ, positive to the left, φ_lock at full lock of the mechanism, whose coordinate q
is tied to it.  On the column act

    τ = τ_d (1 + a) − τ_f − c φ̇ − stops,      τ_d = τ_given + grip [k_h (φ_wanted − φ) − c_h φ̇],

the driver's torque τ_d, assistance by a part a of it that fades with the speed of the vehicle, dry friction
that sticks and slides (`brake_torque`), damping.  The mechanism gets τ dφ/dq, and the column's inertia moves
with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from ce_dynamics.algebra.arrays import Array, Scalar, maximum
from ce_dynamics.mechanism.body import Body, ground_of
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, Response, StateDeclaration
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import ParameterQuantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.brake import ClutchData, brake_torque
from ce_dynamics.models.parts.rounding import unit_clip

WANTED, TORQUE, GRIP = "steering", "steering_torque", "grip"
"""Inputs: part of full lock that hands hold, torque of the driver beside that [N m], how far they hold."""
STRONGEST = 100.0
"""Largest torque that may be given [N m]."""


class HandsData(Section):
    """Arms that hold the wheel where the input ``steering`` commands it, by the part ``grip``."""

    stiffness: Annotated[float, ParameterQuantity("N*m/rad", above=0.0)]
    damping: Annotated[float, ParameterQuantity("N*m*s/rad", at_least=0.0)]


class ColumnAssistanceData(Section):
    """``gain`` times the driver's torque is added at rest, half of that at ``half_speed``."""

    gain: Annotated[float, ParameterQuantity("1", above=0.0)]
    half_speed: Annotated[float, ParameterQuantity("m/s", above=0.0)]


class FrictionData(Section):
    """Dry friction of column and mechanism at the wheel, and how stiffly it sticks."""

    torque: Annotated[float, ParameterQuantity("N*m", above=0.0)]
    stiffness: Annotated[float, ParameterQuantity("N*m/rad", above=0.0)]


class ColumnData(Section):
    """Steering wheel and column, all at the wheel; ``lock`` is its angle at full lock, either way.

    There is no assistance and no friction unless given.
    """

    lock: Annotated[float, ParameterQuantity("rad", above=0.0)]
    inertia: Annotated[float, ParameterQuantity("kg*m^2", above=0.0)]
    damping: Annotated[float, ParameterQuantity("N*m*s/rad", at_least=0.0)]
    stop_stiffness: Annotated[float, ParameterQuantity("N*m/rad", above=0.0)]
    hands: HandsData
    friction: FrictionData | None = None
    assistance: ColumnAssistanceData | None = None

    def armature(self, gain: Any) -> list[Any]:
        """Return the inertia as the mechanism's coordinate has it, which is ``gain`` at full lock."""
        turns = self.lock / gain
        return [self.inertia * turns * turns]

    def add(self, system: System, name: str, body: Body, gain: Any) -> None:
        """Add the column to the mechanism that a body's hinge leads."""
        if TORQUE not in system.inputs:
            system.add_input(TORQUE, "N*m", between=(-STRONGEST, STRONGEST))
            system.add_input(GRIP, "1", 1.0, between=(0.0, 1.0))
        system.add_force(Column(f"{name}.column", body, self, gain))


class Column(ForceElement):
    """A column on the hinge of a body on the chassis; ``gain`` is its coordinate at full lock to the left."""

    inputs = (WANTED, TORQUE, GRIP)
    outputs: Mapping[str, str] = {
        "angle": "rad",
        "rate": "rad/s",
        "torque": "N*m",
        "assistance": "N*m",
        "friction": "N*m",
        "load": "N*m",
    }

    def __init__(self, name: str, body: Body, data: ColumnData, gain: Any) -> None:
        self.name, self.body, self.data, self.gain = name, body, data, gain
        if self.data.friction is not None:
            self.states = (StateDeclaration("windup", "rad"),)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        chassis = self.body.carrier
        return (self.body, self.body.com), (chassis, chassis.com), (ground_of(chassis), chassis.com)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        p = self.data
        turns = p.lock / self.gain
        angle, rate = turns * observer.coordinate(self.body), turns * observer.rate(self.body)
        held = p.hands.stiffness * (p.lock * u[WANTED] - angle) - p.hands.damping * rate
        driver = u[TORQUE] + unit_clip(u[GRIP]) * held
        assisted = driver * self.scale_assistance(observer)
        friction, rates, stored = self.sticking(x, rate)
        beyond = maximum(angle - p.lock, 0.0) - maximum(-angle - p.lock, 0.0)
        torque = driver + assisted - friction - p.damping * rate - p.stop_stiffness * beyond
        return Response(
            loads=(HingeLoad(self.body, 0, turns * torque),),
            x_dot=rates,
            outputs={
                "angle": angle,
                "rate": rate,
                "torque": driver,
                "assistance": assisted,
                "friction": friction,
                "load": torque,
            },
            potential=0.5 * p.stop_stiffness * beyond * beyond + stored,
        )

    def scale_assistance(self, observer: Observer) -> Scalar:
        """Return a: 1/(1 + (v/v_half)²) of the gain."""
        p = self.data.assistance
        if p is None:
            return 0.0
        chassis = self.body.carrier
        v = observer.point(chassis, chassis.com, ground_of(chassis)).v
        return p.gain / (1.0 + (v[0] * v[0] + v[1] * v[1]) / (p.half_speed * p.half_speed))

    def sticking(self, x: Array, rate: Scalar) -> tuple[Scalar, tuple[Scalar, ...], Scalar]:
        """Return the torque of the friction, the rate of its deflection, and the energy in it."""
        p = self.data.friction
        if p is None:
            return 0.0, (), 0.0
        # damped such that the inertia of the column sticks without ringing
        damping = (p.stiffness * self.data.inertia) ** 0.5
        clutch = ClutchData.model_construct(max_torque=p.torque, stiffness=p.stiffness, damping=damping)
        torque, windup_rate = brake_torque(clutch, p.torque, x[0], rate)
        return torque, (windup_rate,), 0.5 * p.stiffness * x[0] * x[0]
