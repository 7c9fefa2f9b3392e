"""Friction through an elastic deflection, which sticks without creep, and the brake that holds by it.

A contact of stiffness c and damping d carries the force F = c x + d ẋ of its deflection x.  What slides is
described by a steady-state characteristic F = −(G/W) v of the sliding velocity v, where W is a speed and G a
force; both are continuous where the quotient is not: at rest W = 0, with no load G = 0.  The deflection
takes up part of the sliding, so that the characteristic acts on v + ẋ:

    W (c x + d ẋ) = −G (v + ẋ).                                                                        (1)

This is Rill's first-order tyre dynamics (Road Vehicle Dynamics, 2nd ed., §3.3) written so that standing
still is regular: W = 0 gives ẋ = −v, a spring and a damper that hold without creep.  G = 0 gives ẋ = −(c/d)
x, a deflection that relaxes when nothing holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any

from ce_dynamics.algebra.arrays import Array, Scalar, absolute, maximum
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.forces.base import (
    ForceElement,
    HingeLoad,
    Observer,
    PointLoad,
    Response,
    StateDeclaration,
)
from ce_dynamics.models.data.quantities import ParameterQuantity, check_number
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.rounding import unit_clip

TINY_FORCE = 1e-9
"""[N] or [N m]; keeps 0/0 (neither load nor motion) finite."""

RELEASE_ONSET = 0.01
"""Part of a contact's reference force: excess of deflection at which half of it sheds."""


def deflection_rate(c: float, d: float, x: Scalar, v: Scalar, W: Scalar, G: Scalar) -> Scalar:
    """Return ẋ of equation (1)."""
    return -(W * c * x + G * v) / (W * d + G + TINY_FORCE)


def deflection_force(c: float, d: float, x: Scalar, v: Scalar, W: Scalar, G: Scalar) -> Scalar:
    """Return F = c x + d ẋ of equation (1), with ẋ eliminated: exactly zero with no load (G = 0)."""
    return G * (c * x - d * v) / (W * d + G + TINY_FORCE)


def excess_release(elastic: Scalar, capacity: Scalar, reference: float, speed: float) -> Scalar:
    """Return a contribution to W that sheds deflection the contact can no longer hold.

    At rest (v = 0) equation (1) would keep any deflection, even when the load or the brake pedal that held
    it has gone.  Where the elastic force exceeds the capacity, W grows by ``speed`` per ``reference`` of
    excess, once that is well beyond `RELEASE_ONSET` of the reference; it sets in smoothly.
    """
    excess = maximum(absolute(elastic) - capacity, 0.0) / reference
    squared = excess * excess
    return speed * squared * excess / (squared + RELEASE_ONSET * RELEASE_ONSET)


RELEASE_SPIN = 50.0
"""[rad/s] per full brake torque: how fast wind-up is shed that exceeds what the pedal holds."""


class ClutchData(Section):
    """Dry friction between two shafts: holding torque when closed, and wind-up under torque."""

    max_torque: Annotated[float, ParameterQuantity("N*m", above=0.0)]
    stiffness: Annotated[float, ParameterQuantity("N*m/rad", above=0.0)]
    damping: Annotated[float, ParameterQuantity("N*m*s/rad", above=0.0)]


class BrakeData(ClutchData):
    """Brake of one wheel: torque at full pedal, and the wind-up of pads, disc and caliper.

    ``lag`` is the time in which the pressure follows the pedal, to first order; at once if not given.
    """

    lag: Annotated[float, ParameterQuantity("s", above=0.0)] | None = None


def brake_torque(p: Any, capacity: Scalar, windup: Scalar, spin: Scalar) -> tuple[Scalar, Scalar]:
    """Return the torque against the spin [N m], and the rate of the wind-up [rad/s].

    ``p`` is a `ClutchData`, or has its fields.

    A Coulomb torque of the given capacity through the elastic wind-up: ``z`` follows the wheel until the
    torque reaches the capacity (Dahl's model), so a braked wheel at rest is held by a spring and does not
    creep, and a turning one feels ± capacity.
    """
    W = absolute(spin) + excess_release(p.stiffness * windup, capacity, p.max_torque, RELEASE_SPIN)
    # In (1) the deflection opposes the motion: x = −z, v = spin.
    torque = -deflection_force(p.stiffness, p.damping, -windup, spin, W, capacity)
    return torque, -deflection_rate(p.stiffness, p.damping, -windup, spin, W, capacity)


@dataclass(eq=False)
class Brake(ForceElement):
    """A brake between a wheel, with its centre in the design pose [m], and its carrier.

    The brake is outboard: its torque acts on the wheel's hinge and reacts on the upright.  ``share`` is the
    part of ``max_torque`` at this wheel at full ``pedal``, an input of 0 … 1.  ``addition`` and ``release``
    are inputs of controllers: pressure added to the pedal's, and the part of all that is let go.
    """

    name: str
    wheel: Body
    centre: Any
    parameters: BrakeData
    share: float = 1.0
    pedal: str = "brake"
    addition: str | None = None
    release: str | None = None
    outputs = MappingProxyType({"torque": "N*m"})

    def __post_init__(self) -> None:
        self.centre = finite_vector(self.centre, f"brake {self.name}", "centre")
        check_number(f"brake {self.name}", "share", self.share, at_least=0.0, at_most=1.0)
        self.inputs = (self.pedal, *(name for name in (self.addition, self.release) if name is not None))
        self.states = (StateDeclaration("windup", "rad"),)
        if self.parameters.lag is not None:
            self.states += (StateDeclaration("pressure", "1"),)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.wheel, self.centre),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        p = self.parameters
        pressure = self.find_wanted_pressure(u)
        filling: tuple[Scalar, ...] = ()
        if p.lag is not None:
            pressure, filling = x[1], ((pressure - x[1]) / p.lag,)
        capacity = pressure * self.share * p.max_torque
        spin, loads = self.act(observer)
        torque, windup_dot = brake_torque(p, capacity, x[0], spin)
        return Response(
            loads=loads(torque),
            x_dot=(windup_dot, *filling),
            outputs={"torque": torque},
            potential=0.5 * p.stiffness * x[0] * x[0],
        )

    def act(self, observer: Observer) -> tuple[Scalar, Callable[[Scalar], Sequence[HingeLoad | PointLoad]]]:
        """Return the braked spin [rad/s], and the loads by the torque against it."""
        return observer.rate(self.wheel), lambda torque: (HingeLoad(self.wheel, 0, -torque),)

    def find_wanted_pressure(self, u: Mapping[str, Scalar]) -> Scalar:
        """Return the pressure that pedal and controllers want, part of the full one."""
        wanted = unit_clip(u[self.pedal])
        if self.addition is not None:
            wanted = unit_clip(wanted + u[self.addition])
        return wanted if self.release is None else wanted * (1.0 - unit_clip(u[self.release]))
