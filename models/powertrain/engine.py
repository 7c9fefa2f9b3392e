"""Combustion engines: torque over speed and throttle, idle governor, limiter, inertia."""

from __future__ import annotations

from typing import Annotated

from pydantic import model_validator

from ce_dynamics.algebra.arrays import Scalar, absolute
from ce_dynamics.models.data.quantities import MomentOfInertia, Numbers, ParameterQuantity
from ce_dynamics.models.data.schema import Curve, Section
from ce_dynamics.models.parts.rounding import RoundedTable, round_clip, smooth_step, unit_clip

GOVERNOR_BAND = 0.2
"""Band below the idle speed over which the idle governor opens the throttle, in parts of the idle speed."""
GOVERNOR_ROUNDING = 0.1
"""Half width of the rounded corners of that band, in parts of the band."""
LIMITER_BAND = 0.02
"""Band beyond the highest speed over which the fuel is cut off, in parts of the highest speed."""
STANDING = 5.0
"""Speed of an engine that gears turn by which its drag has set in, either way [rad/s]."""

Spin = Annotated[float, ParameterQuantity("rad/s", above=0.0)]


class TorqueCurve(Curve):
    """Torque against speed, linear between the points, with rounded corners."""

    speed: Annotated[Numbers, ParameterQuantity("rad/s", curve=True)]
    torque: Annotated[Numbers, ParameterQuantity("N*m", curve=True)]

    def table(self) -> RoundedTable:
        return RoundedTable(self.speed, self.torque)


class EngineData(Section):
    """Engine torque at full and at closed throttle; beyond ``max_speed`` the fuel is cut off."""

    full_throttle: TorqueCurve
    closed_throttle: TorqueCurve
    max_speed: Spin

    @model_validator(mode="after")
    def _pulls(self) -> EngineData:
        if max(self.full_throttle.torque) <= 0.0:
            raise ValueError(
                "full_throttle.torque is nowhere above 0, so that it never pulls; its drag belongs to "
                "closed_throttle"
            )
        return self

    def torque(self, speed: Scalar, throttle: Scalar) -> Scalar:
        """Return the torque on the crankshaft [N m]; the throttle, 0 … 1, blends the two curves linearly.

        The governor opens its part of what the throttle leaves closed.
        """
        drag, full = (curve.table()(speed) for curve in (self.closed_throttle, self.full_throttle))
        return drag + self._opening(speed, throttle) * (full - drag)

    def find_geared_torque(self, speed: Scalar, throttle: Scalar) -> Scalar:
        """Return the same where gears turn the engine, either way: its drag is against its turning."""
        way, faster = turning_sign(speed), absolute(speed)
        curves = self.closed_throttle, self.full_throttle
        drag, full = (oppose_turning(curve.table()(faster), way) for curve in curves)
        return drag + self._opening(faster, throttle) * (full - drag)

    def govern(self, opening: Scalar, speed: Scalar) -> Scalar:
        """Return the opening after the idle governor, which an engine without idle speed lacks."""
        return opening

    def _opening(self, speed: Scalar, throttle: Scalar) -> Scalar:
        """Return the throttle opening after governor and limiter."""
        opening = self.govern(unit_clip(throttle), speed)
        return opening * smooth_step(1.0 - (speed - self.max_speed) / (LIMITER_BAND * self.max_speed))


class IdlingEngineData(EngineData):
    """An engine with an idle speed, at which the governor begins to open the throttle."""

    idle_speed: Spin

    @model_validator(mode="after")
    def _idles_below_its_top(self) -> IdlingEngineData:
        if self.idle_speed >= self.max_speed:
            raise ValueError(
                f"idle_speed = {self.idle_speed:g} rad/s must be below max_speed = {self.max_speed:g} rad/s"
            )
        return self

    def govern(self, opening: Scalar, speed: Scalar) -> Scalar:
        below = (self.idle_speed - speed) / (GOVERNOR_BAND * self.idle_speed)
        return opening + (1.0 - opening) * round_clip(below, GOVERNOR_ROUNDING)


class TurningEngineData(IdlingEngineData):
    """An engine with inertia (of all that turns with the crankshaft), which turns by itself."""

    inertia: Annotated[float, ParameterQuantity("kg*m^2", above=0.0)]


class TiedEngineData(EngineData):
    """An engine that never turns by itself; its inertia may be left out."""

    inertia: MomentOfInertia | None = None


def turning_sign(speed: Scalar) -> Scalar:
    """Return 1 forwards, −1 backwards, exactly so beyond `STANDING`."""
    return 2.0 * smooth_step(0.5 + 0.5 * speed / STANDING) - 1.0


def oppose_turning(torque: Scalar, way: Scalar) -> Scalar:
    """Return a torque by a curve over |speed|: unchanged where it drives, opposed where it drags."""
    return 0.5 * ((1.0 + way) * torque + (1.0 - way) * absolute(torque))
