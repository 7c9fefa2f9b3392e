"""Driven wheels behind open differentials, which split the torque in fixed parts.

What drives the wheels of an axle, its final drive, sits on the chassis or in the axle's beam, its housing.
The final drive turns the torque a T of its propeller shaft, along the unit vector d, into T about the wheels'
axes e:

    wheel k:    s_k T e_k,
    housing:   −Σ s_k T e_k + Σ s_k a T d,
    chassis:   −Σ s_k a T d      (gearbox and engine, from which the propeller shaft comes),

in sum nothing.  On the chassis the last two cancel.  The speed that belongs to T by virtual work is

    ω = Σ s_k [e_k · (ω_wheel − ω_housing) + a d · (ω_housing − ω_chassis)].

Where an axle has a ratio a_k of its own, its wheels get the part s_k a/a_k instead of s_k, and its propeller
shaft a_k d instead of a d; T and ω remain those behind the ratio a.

A differential with a bias b > 1 gives the slower wheel of its axle b times the torque of the faster one if
their speeds differ by more than `FULL_BIAS`, and equal torques below half of that.

A lock hinders two sides from turning at different speeds.
Between both there is a clutch with an elastic deflection ψ.  It sticks up to the torque that it holds and
slides at that torque (`deflection`, with ψ̇ = Δω while it sticks); a lock that holds any torque is a torsion
spring, T = k ψ + c ψ̇.  Torque T is taken from the faster side and given to the slower one, so that an open
differential with a lock splits M into M/2 ∓ T, and the power lost is T times what slides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, absolute, dot, where, zeros
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_number, finite_vector, unit_axis
from ce_dynamics.mechanism.forces.base import (
    ForceElement,
    Observer,
    PointLoad,
    Response,
    StateDeclaration,
)
from ce_dynamics.models.data.quantities import ParameterQuantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.brake import Brake, ClutchData, brake_torque
from ce_dynamics.models.parts.rounding import unit_clip

FULL_BIAS = 0.5
"""Difference of wheel speeds from which slower wheels are favoured in full [rad/s], as Chrono's."""


class WheelPart(NamedTuple):
    """Part s of the torque that a wheel gets, and s e, in chassis axes."""

    share: Scalar
    axis: Array


class DrivenWheel(NamedTuple):
    """A wheel that is driven, and the body that carries it.

    ``centre`` [m] and spin ``axis``, to the left, are those of the design pose.  The body ``housing`` carries
    its final drive, the chassis if None; ``ratio`` is a_k of its axle, that of the propeller shaft if None.
    """

    wheel: Body
    carrier: Body
    centre: Any
    axis: Any
    housing: Any = None
    ratio: Any = None


class Propeller(NamedTuple):
    """The propeller shaft: its ratio a, wheel speed over its speed, and d, about which it turns forwards.

    d is fixed on the chassis, in the design pose.
    """

    ratio: float
    axis: object


ALONG = (-1.0, 0.0, 0.0)
"""Axis of engines along the vehicle that turn clockwise as seen from the front."""


class Drivetrain(NamedTuple):
    """Wheels that a powertrain on a chassis drives, with their shares of the torque, equal ones if None.

    All turn at ``wheel_speed`` at the start [rad/s]; engine and shafts turn forwards about the ``axis``.
    """

    chassis: Body
    wheels: Sequence[DrivenWheel]
    shares: Sequence[float] | None = None
    wheel_speed: float = 0.0
    axis: object = ALONG

    def join(self, owner: str, ratio: float, biases: Sequence[float] | None = None) -> DrivenWheels:
        """Return the wheels behind a ratio of wheel speed over shaft speed; ``owner`` starts messages."""
        propeller = Propeller(ratio, self.axis)
        return DrivenWheels(owner, self.chassis, self.wheels, self.shares, propeller, biases)


class DrivenWheels:
    """Wheels that get parts of one torque, and the mean speed that balances the power.

    Half-shafts run from final drives on the chassis or on a beam, so the drive torque of a wheel reacts there
    and not on its upright.  ``owner`` starts messages.  ``shares`` are s_k, whose sum is 1, equal parts if
    None; the ``propeller`` drives final drives that are not on the chassis; ``biases`` are b of each pair of
    wheels, an axle's, whose differential is open if None.
    """

    def __init__(
        self,
        owner: str,
        chassis: Body,
        wheels: Sequence[DrivenWheel],
        shares: Sequence[float] | None,
        propeller: Propeller | None = None,
        biases: Sequence[float] | None = None,
    ) -> None:
        self.chassis = chassis
        a, d = 0.0, zeros(3)
        if propeller is not None:
            a, d = finite_number(propeller.ratio, owner, "ratio"), unit_axis(propeller.axis, owner)
        self.wheels = tuple(
            DrivenWheel(
                wheel,
                carrier,
                finite_vector(centre, owner, f"centre of {wheel.name}"),
                unit_axis(axis, owner),
                chassis if housing is None else housing,
                a if ratio is None else ratio,
            )
            for wheel, carrier, centre, axis, housing, ratio in (DrivenWheel(*each) for each in wheels)
        )
        self.pulls = tuple(each.ratio * d for each in self.wheels)  # a_k d
        if not self.wheels:
            raise DataError(f"{owner}: no wheels; give at least one")
        count = len(self.wheels)
        self.shares = (1.0 / count,) * count if shares is None else tuple(shares)
        if len(self.shares) != count or not abs(sum(self.shares) - 1.0) <= 1e-9:
            raise DataError(f"{owner}: shares {self.shares} must be {count} numbers with sum 1")
        self.biases = None if biases is None else tuple(biases)
        if self.biases is not None and 2 * len(self.biases) != count:
            raise DataError(f"{owner}: biases {self.biases} of {count} wheels; give one for each axle")
        self.housings = tuple(
            dict.fromkeys(each.housing for each in self.wheels if each.housing is not chassis)
        )
        if self.housings and propeller is None:
            named = ", ".join(body.name for body in self.housings)
            raise DataError(f"{owner}: final drives on {named} need a propeller shaft; give one")
        if propeller is not None:  # s_k a/a_k
            pairs = [(share, each.ratio) for share, each in zip(self.shares, self.wheels, strict=True)]
            self.shares = tuple(s if b == a else s * a / b for s, b in pairs)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        """Points at which loads act."""
        on_wheels = [(body, at) for wheel, carrier, at, *_ in self.wheels for body in (wheel, carrier)]
        on_axles = [(body, body.com) for body in self.housings]
        return (*on_wheels, *on_axles, (self.chassis, self.chassis.com))

    def observe(self, observer: Observer) -> tuple[list[WheelPart], Scalar]:
        """Return the wheels' parts of the torque and their mean speed [rad/s]."""
        directions: list[Array] = []
        spins: list[Scalar] = []
        for (wheel, carrier, _, axis, housing, _), pull in zip(self.wheels, self.pulls, strict=True):
            e = observer.direction(carrier, axis, self.chassis)
            spin = dot(e, observer.angular_velocity(wheel, self.chassis))
            if housing is not self.chassis:
                spin = spin + dot(pull - e, observer.angular_velocity(housing, self.chassis))
            directions.append(e)
            spins.append(spin)
        shares = self.bias_torques(spins)
        parts = [WheelPart(share, share * e) for share, e in zip(shares, directions, strict=True)]
        mean: Scalar = 0.0
        for share, spin in zip(shares, spins, strict=True):
            mean = mean + share * spin
        return parts, mean

    def bias_torques(self, spins: Sequence[Scalar]) -> Sequence[Scalar]:
        """Return the wheels' parts of the torque at their speeds [rad/s]; those of an axle keep their sum."""
        if self.biases is None:
            return self.shares
        found: list[Scalar] = []
        for k, bias in enumerate(self.biases):
            left, right = spins[2 * k : 2 * k + 2]
            part = unit_clip(2.0 * absolute(left - right) / FULL_BIAS - 1.0)
            more = (bias - 1.0) * part / (2.0 + (bias - 1.0) * part)  # (b − 1)/(b + 1)
            to_left = where(absolute(left) < absolute(right), more, -more)
            found += [self.shares[2 * k] * (1.0 + to_left), self.shares[2 * k + 1] * (1.0 - to_left)]
        return found

    def loads(
        self, observer: Observer, parts: Sequence[WheelPart], torque: Scalar, reaction: Scalar = 1.0
    ) -> list[PointLoad]:
        """Return the wheels' parts of a torque, and of their reactions on housings and chassis a part."""
        none, back = np.zeros(3), reaction * torque
        loads = [
            PointLoad(
                each.wheel,
                self.chassis,
                observer.point(each.wheel, each.centre, self.chassis).r,
                none,
                torque * part.axis,
            )
            for each, part in zip(self.wheels, parts, strict=True)
        ]
        inside = [
            PointLoad(
                body,
                self.chassis,
                observer.point(body, body.com, self.chassis).r,
                none,
                back * self.housing_torque(parts, body),
            )
            for body in self.housings
        ]
        outside = PointLoad(self.chassis, self.chassis, none, none, back * self.chassis_torque(parts))
        return [*loads, *inside, outside]

    def housing_torque(self, parts: Sequence[WheelPart], body: Body) -> Array:
        """Return the torque on the housing of final drives per torque of all wheels, in chassis axes."""
        its = [k for k, each in enumerate(self.wheels) if each.housing is body]
        pull = sum((parts[k].share * self.pulls[k] for k in its), start=zeros(3))
        first, *others = (parts[k].axis for k in its)
        return pull - sum(others, start=first)

    def chassis_torque(self, parts: Sequence[WheelPart]) -> Array:
        """Return the torque on the chassis per torque of all wheels, in its axes."""
        reaction = np.zeros(3)
        for each, part, pull in zip(self.wheels, parts, self.pulls, strict=True):
            reaction = reaction - (part.axis if each.housing is self.chassis else part.share * pull)
        return reaction


class InboardBrake(Brake):
    """A brake on a half-shaft, whose torque reacts on the body ``chassis``, which carries the differential.

    Options are those of `Brake`, from ``parameters`` on.
    """

    def __init__(self, name: str, driven: DrivenWheel, chassis: Body, **options: Any) -> None:
        super().__init__(name, driven.wheel, driven.centre, **options)
        self.driven = DrivenWheels(f"brake {name}", chassis, [driven], None)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return self.driven.attachments

    def act(self, observer: Observer) -> tuple[Scalar, Callable[[Scalar], Sequence[PointLoad]]]:
        parts, spin = self.driven.observe(observer)
        return spin, lambda torque: self.driven.loads(observer, parts, -torque)


class LockedData(Section):
    """Shafts that turn alike but for their wind-up against each other."""

    stiffness: Annotated[float, ParameterQuantity("N*m/rad", above=0.0)]
    damping: Annotated[float, ParameterQuantity("N*m*s/rad", above=0.0)]


class CentreData(LockedData):
    """Lock between driven axles; without ``max_torque`` it does not slide."""

    max_torque: Annotated[float, ParameterQuantity("N*m", above=0.0)] | None = None


DIFFERENTIALS: Mapping[str, type[LockedData] | type[ClutchData]] = {
    "limited-slip": ClutchData,
    "locked": LockedData,
}
"""Differentials of axles by the name that data files use; an axle that names none has an open one."""


class DifferentialLock(ForceElement):
    """A lock between two sides: two wheels, or the mean speeds of two axles.

    Each side's torque is shared equally among its wheels.  The ``propeller`` drives final drives that are not
    on the ``chassis``.
    """

    states: tuple[StateDeclaration, ...] = (StateDeclaration("windup", "rad"),)
    outputs: Mapping[str, str] = {"torque": "N*m", "difference": "rad/s"}

    def __init__(
        self,
        name: str,
        chassis: Body,
        one: Sequence[DrivenWheel],
        other: Sequence[DrivenWheel],
        parameters: LockedData | ClutchData,
        propeller: Propeller | None = None,
    ) -> None:
        self.name = name
        self.one, self.other = (
            DrivenWheels(f"lock {name}", chassis, side, None, propeller) for side in (one, other)
        )
        self.parameters = parameters

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return (*self.one.attachments, *self.other.attachments)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return the torque from the first side to the second, where the first is faster."""
        p = self.parameters
        one, omega_one = self.one.observe(observer)
        other, omega_other = self.other.observe(observer)
        difference = omega_one - omega_other
        held = getattr(p, "max_torque", None)
        if held is None:
            torque, windup_rate = p.stiffness * x[0] + p.damping * difference, difference
        else:
            torque, windup_rate = brake_torque(p, held, x[0], difference)
        loads = [
            *self.one.loads(observer, one, -torque),
            *self.other.loads(observer, other, torque),
        ]
        return Response(
            loads=loads,
            x_dot=(windup_rate,),
            outputs={"torque": torque, "difference": difference},
            potential=0.5 * p.stiffness * x[0] * x[0],
        )
