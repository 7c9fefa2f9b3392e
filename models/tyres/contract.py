"""Defines the contract of every tyre model of the vehicles, and its input, the wheel on the road."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, absolute, maximum, sin
from ce_dynamics.mechanism.forces.base import NO_OUTPUTS, StateDeclaration
from ce_dynamics.models.parts.brake import deflection_force, deflection_rate, excess_release

USUAL_WIDTH = 0.65
"""Width of a tyre over its radius, where the data have none."""

PEAK_SLIPS: tuple[float, ...] = tuple(np.geomspace(0.01, 1.5, 80).tolist())
"""Slips at which the peak is looked for; the curve is so flat there that their distance of 6 % costs 1e-3."""

TINY_SPEED = 1e-9
"""[m/s]; below it, rolling and sliding count as rest."""

DAMPING_ONSET = 1e-3
"""Deflection [m] over which the vertical damping sets in, so that touching down at speed is no jump."""

RELEASE_SPEED = 10.0
"""[m/s] per nominal load: how fast horizontal deflection is shed that exceeds what friction holds."""


class WheelOnRoad(NamedTuple):
    """A wheel on the road in contact axes (ISO-W): x forward, y left in the road plane, z along its normal.

    Attributes
    ----------
    radius, radius_rate : scalar
        Distance of the wheel centre from the road in the wheel plane [m], and its rate [m/s]; larger than the
        tyre in the air.
    v_x, v_y : scalar
        Velocity of the contact centre without the wheel's spin [m/s].
    spin : scalar
        About the spin axis [rad/s], positive rolling forward.
    gamma : scalar
        Inclination [rad], positive where the wheel leans to the right.
    yaw_rate : scalar
        Of the wheel about the road's normal [rad/s].
    friction : scalar
        Friction coefficient of the road: the largest longitudinal force over load that a tyre reaches on it
        at its nominal load.
    v_centre : three scalars
        Velocity of the wheel's centre [m/s].
    sin_gamma : scalar, optional
        sin γ, if it is at hand.
    heading : two scalars
        Cosine and sine of the angle of x to the x axis of the ground, seen from above.
    """

    radius: Scalar
    radius_rate: Scalar
    v_x: Scalar
    v_y: Scalar
    spin: Scalar
    gamma: Scalar
    yaw_rate: Scalar
    friction: Scalar
    v_centre: tuple[Scalar, Scalar, Scalar] = (0.0, 0.0, 0.0)
    sin_gamma: Scalar | None = None
    heading: tuple[Scalar, Scalar] = (1.0, 0.0)

    @property
    def lean(self) -> Scalar:
        """Sin γ."""
        return sin(self.gamma) if self.sin_gamma is None else self.sin_gamma

    def mirror(self) -> WheelOnRoad:
        """Return its image in the plane of the wheel."""
        cosine, sine = self.heading
        return self._replace(
            v_y=-self.v_y,
            gamma=-self.gamma,
            yaw_rate=-self.yaw_rate,
            sin_gamma=-self.lean,
            heading=(cosine, -sine),
        )


class TyreAnswer(NamedTuple):
    """Forces [N] and moments [N m] of the road on the wheel at the contact centre, in contact axes.

    Attributes
    ----------
    Fx, Fy, Fz, Mx, My, Mz : scalar
    x_dot : sequence of scalar
        Rates of the model's states.
    slip, slip_angle : scalar
        Longitudinal slip, positive driven, and slip angle [rad], positive where the tyre is pushed to the
        left; otherwise as the model itself defines them.
    deflection : scalar
        Vertical, zero in the air [m].
    rolling_speed : scalar
        Effective radius times spin [m/s].
    potential : scalar
        Energy stored [J].
    """

    Fx: Scalar
    Fy: Scalar
    Fz: Scalar
    Mx: Scalar
    My: Scalar
    Mz: Scalar
    x_dot: Sequence[Scalar]
    slip: Scalar
    slip_angle: Scalar
    deflection: Scalar
    rolling_speed: Scalar
    potential: Scalar


class TyreModel(ABC):
    """Contract of a tyre model.

    1. ``unloaded_radius`` [m] decides where the road is looked at.
    2. ``states``: the first-order states it owns; `evaluate` returns their rates in the same order.
    3. ``outputs``: names and units of what `evaluate` reports beyond `TyreAnswer`, if any.
    4. `evaluate` is written on scalars and `where`: it never branches on a value.  It is finite everywhere:
       at rest, in the air, with a locked and with a spinning wheel.
    5. In the air all forces are zero and the states relax.
    6. Sliding never gains energy: forces oppose the sliding that causes them.
    """

    states: tuple[StateDeclaration, ...] = ()
    outputs: Mapping[str, str] = NO_OUTPUTS

    @property
    @abstractmethod
    def unloaded_radius(self) -> float:
        """r0 [m]."""

    @property
    def tread_width(self) -> float:
        """Width [m], across which the road is looked at where it is uneven."""
        return USUAL_WIDTH * self.unloaded_radius

    @abstractmethod
    def evaluate(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        """Return forces and rates of the states x for a wheel on the road."""


DEFLECTIONS = (StateDeclaration("x_e", "m"), StateDeclaration("y_e", "m"))
"""States of models whose contact is deflected along and across."""


def deflect(
    c: Scalar, d: Scalar, x: Scalar, v: Scalar, W: Scalar, G: Scalar, capacity: Scalar, nominal: Scalar
) -> tuple[Scalar, Scalar]:
    """Return the force [N] of a deflection x along one axis, and its rate [m/s], while F = −(G/W) v slides.

    See `ce_dynamics.models.parts.brake`; ``capacity`` is what friction holds, ``nominal`` a load [N].
    """
    W = W + excess_release(c * x, capacity, nominal, RELEASE_SPEED)
    return deflection_force(c, d, x, v, W, G), deflection_rate(c, d, x, v, W, G)


def bound_slip(v_x: Scalar, rolling_speed: Scalar) -> Scalar:
    """Return the slip in [−1, 1]: −1 is locked, 0 rolling, 1 spinning on the spot, driving forwards.

    It is (r Ω − v_x) over the largest of |v_x|, |r Ω| and |r Ω − v_x|.  A wheel that turns against its motion
    slides as fast as it can: −1 where the vehicle drives forwards.
    """
    sliding = rolling_speed - v_x
    fastest = maximum(maximum(absolute(v_x), absolute(rolling_speed)), absolute(sliding))
    return sliding / maximum(fastest, TINY_SPEED)


class SidedTyre(ABC):
    """A tyre as built that is not its own mirror image: its model depends on the side it is mounted on.

    Attributes
    ----------
    mu0 : float
        Friction coefficient of its measurement.
    """

    mu0: float

    @property
    @abstractmethod
    def unloaded_radius(self) -> float:
        """[m]."""

    @property
    @abstractmethod
    def cz(self) -> float:
        """Vertical stiffness at the nominal load [N/m]."""

    @abstractmethod
    def mount(self, side: int) -> TyreModel:
        """Return mounted on the left (1) or on the right (−1)."""
