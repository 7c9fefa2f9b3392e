"""Common part of the simple tyre models: a load spring, first-order deflections, moments from a trail.

A model adds its steady state: horizontal forces over slips κ = −v_sx/|v_x| and tan α = v_y/|v_x|, which
`SlipModel.steady` returns.  Transients and standstill are those of
`ce_dynamics.models.tyres.magic_formula.on_road`: the contact is deflected, and its sliding follows
F = −(S/V) v with the secant S = F/slip.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, absolute, arctan, maximum, minimum, where
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import check_number
from ce_dynamics.models.parts.rounding import RoundedTable, smooth_step
from ce_dynamics.models.tyres.contract import (
    DAMPING_ONSET,
    DEFLECTIONS,
    PEAK_SLIPS,
    TINY_SPEED,
    TyreAnswer,
    TyreModel,
    WheelOnRoad,
    deflect,
)

ROLLING_SPEED = 0.1
"""[m/s] within which rolling resistance changes sign."""

TINY_SLIP = 1e-12

LEAST_PEAK = 1e-3
"""Slip up to which a force grows at least: stiffness that stays as the load falls would hold too much."""

ZERO_ALLOWED = (
    *("dz", "damping", "rolling_resistance", "camber_stiffness", "trail"),
    *("rim_radius", "rim_stiffness"),
)


class Steady(NamedTuple):
    """Steady state at slips κ and tan α.

    Attributes
    ----------
    Sx, Sy : scalar
        Secants Fx/κ and −Fy/tan α [N], never negative.
    capacity : scalar
        What friction holds [N].
    trail : scalar
        Pneumatic trail [m]: Mz = −trail Fy.
    """

    Sx: Scalar
    Sy: Scalar
    capacity: Scalar
    trail: Scalar


@dataclass(frozen=True, kw_only=True)
class SlipModel(TyreModel):
    """A tyre with a linear spring for the load.

    Parameters
    ----------
    radius : float
        Unloaded [m].
    cz, dz : float
        Vertical stiffness [N/m] and damping [N s/m].
    cx, cy : float
        Stiffness of the contact along and across [N/m]: relaxation lengths are slip stiffness over these.
    damping : float
        Of the contact, over its stiffness [s].
    mu : float
        Friction coefficient on the road of the measurement.
    reference_friction : float, optional
        Friction coefficient of that road; if not given `peak_friction`.
    rolling_resistance : float
        Moment over load and radius.
    camber_stiffness : float
        Side force over load and inclination [1/rad], towards the side to which the wheel leans.
    rim_radius, rim_stiffness : float
        Distance of the wheel centre from the road below which the rim carries as well [m], and its stiffness
        [N/m].
    load_curve : RoundedTable, optional
        Elastic load over deflection, through zero; it replaces ``cz``.
    """

    states = DEFLECTIONS

    radius: float
    cz: float
    dz: float = 0.0
    cx: float
    cy: float
    damping: float = 2e-3
    mu: float = 1.0
    reference_friction: float | None = None
    rolling_resistance: float = 0.0
    camber_stiffness: float = 0.0
    rim_radius: float = 0.0
    rim_stiffness: float = 0.0
    load_curve: RoundedTable | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None or isinstance(value, RoundedTable):
                continue
            if isinstance(value, tuple):
                for k, entry in enumerate(value):
                    check_number("tyre", f"{field.name}[{k}]", entry)
            elif field.name in ZERO_ALLOWED:
                check_number("tyre", field.name, value, at_least=0.0)
            else:
                check_number("tyre", field.name, value, above=0.0)
        self.check()

    def check(self) -> None:
        """Refuse numbers that do not go together; to be overridden."""

    @property
    def unloaded_radius(self) -> float:
        return self.radius

    @property
    def nominal_load(self) -> float:
        """Load that presses the tyre by a twentieth of its radius, as cars and trucks do [N]."""
        return 0.05 * self.cz * self.radius

    @cached_property
    def own_friction(self) -> float:
        """Friction coefficient of the road of the measurement."""
        return self.peak_friction() if self.reference_friction is None else self.reference_friction

    def peak_friction(self) -> float:
        """Return the largest longitudinal force over load at the nominal load."""
        Fz = float(nominal(self.nominal_load))
        forces = [float(nominal(self.steady(Fz, slip, 0.0, 1.0).Sx)) * slip for slip in PEAK_SLIPS]
        return max(forces) / Fz

    @abstractmethod
    def steady(self, Fz: Scalar, kappa: Scalar, tan_alpha: Scalar, friction: Scalar) -> Steady:
        """Return the steady state under a load Fz > 0, on a road of so many times the measured friction."""

    def on_road(self, Fz: Scalar, kappa: Scalar, tan_alpha: Scalar, friction: Scalar) -> Steady:
        """Return `steady`, so that the largest force at the nominal load is that of the road's friction."""
        return self.steady(Fz, kappa, tan_alpha, friction)

    def forces(
        self, Fz: float, kappa: float = 0.0, alpha: float = 0.0, friction: float = 1.0
    ) -> tuple[float, float, float]:
        """Return steady Fx, Fy [N] and Mz [N m] at slips κ and α [rad] (ISO axes), for plots and fits.

        Parameters
        ----------
        Fz : float
            Load [N]; a tyre without any, or in the air (below zero), has no forces.
        kappa, alpha : float
            Slip, positive driven, and side slip angle [rad], positive where the tyre slides to the left.
        friction : float
            That of the road in multiples of the measurement's, at least zero.
        """
        given = {"Fz": Fz, "kappa": kappa, "alpha": alpha}
        Fz, kappa, alpha = (checks.number(name, value, error=DataError) for name, value in given.items())
        friction = checks.number("friction", friction, at_least=0.0, error=DataError)
        if Fz <= 0.0 or friction == 0.0:
            return 0.0, 0.0, 0.0
        slope = math.tan(alpha)
        s = self.on_road(Fz, kappa, slope, friction)
        Fy = -s.Sy * slope
        return float(s.Sx * kappa), float(Fy), float(-s.trail * Fy)

    def load(self, depth: Scalar, rate: Scalar, more: Scalar = 0.0) -> Scalar:
        """Return the load at a depth, at least zero, and its rate; with more elastic force."""
        curve = self.load_curve
        elastic = self.cz * depth if curve is None else curve.force(depth)
        return maximum(elastic + more + self.dz * smooth_step(depth / DAMPING_ONSET) * rate, 0.0)

    def compute_stored_energy(self, depth: Scalar) -> Scalar:
        """Return the energy that the load stores at a depth, at least zero [J]."""
        curve = self.load_curve
        return 0.5 * self.cz * depth * depth if curve is None else curve.energy(depth)

    def evaluate(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        depth = maximum(self.radius - wheel.radius, 0.0)
        rim = maximum(self.rim_radius - wheel.radius, 0.0)
        Fz = self.load(depth, -wheel.radius_rate, self.rim_stiffness * rim)
        friction = wheel.friction / self.own_friction
        Re = self.radius - depth / 3.0  # of a contact patch that is pressed flat
        V = absolute(wheel.v_x) + TINY_SPEED
        v_sx = wheel.v_x - Re * wheel.spin
        kappa, tan_alpha = -v_sx / V, wheel.v_y / V
        loaded = maximum(Fz, 1e-3 * self.radius * self.cz * 1e-3)
        s = self.on_road(loaded, kappa, tan_alpha, maximum(friction, 1e-6))
        part = Fz / loaded  # forces vanish with the load
        steepest = s.capacity / LEAST_PEAK
        Sx, Sy = part * minimum(s.Sx, steepest), part * minimum(s.Sy, steepest)
        (Fx, x_dot), (Fy, y_dot) = (
            deflect(c, c * self.damping, deflection, v, V, S, part * s.capacity, self.nominal_load)
            for c, deflection, v, S in ((self.cx, x[0], v_sx, Sx), (self.cy, x[1], wheel.v_y, Sy))
        )
        speed = minimum(V / ROLLING_SPEED, 1.0)
        camber = -self.camber_stiffness * Fz * wheel.gamma * speed
        rolling = minimum(maximum(Re * wheel.spin / ROLLING_SPEED, -1.0), 1.0)
        return TyreAnswer(
            Fx=Fx,
            Fy=Fy + camber,
            Fz=Fz,
            Mx=0.0,
            My=-self.rolling_resistance * Fz * self.radius * rolling,
            Mz=-s.trail * Fy * speed,
            x_dot=(x_dot, y_dot),
            slip=kappa,
            slip_angle=-arctan(tan_alpha),
            deflection=depth,
            rolling_speed=Re * wheel.spin,
            potential=0.5
            * (
                2.0 * self.compute_stored_energy(depth)
                + self.rim_stiffness * rim * rim
                + self.cx * x[0] * x[0]
                + self.cy * x[1] * x[1]
            ),
        )


def per_slip(force: Scalar, slip: Scalar, slope: Scalar) -> Scalar:
    """Return a force over its slip ≥ 0; the slope at zero."""
    small = slip < TINY_SLIP
    return where(small, slope, force / where(small, 1.0, slip))


def require(condition: bool, message: str) -> None:
    """Refuse numbers that do not go together."""
    if not condition:
        raise DataError(message)
