"""A point mass with wheels: what a vehicle with an automatic gearbox does in a straight line, by hand."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.models.vehicles.description import VehicleParameters

G = 9.81
STEP = 1e-3
"""[s] of Euler's method for the engine and the speed."""


class PointMass(NamedTuple):
    """Mass [kg], effective radius [m], inertia of the wheels and of shafts at the wheels [kg m²], rolling."""

    mass: float
    radius: float
    wheels: float
    shafts: float
    rolling: float

    @property
    def inertia(self) -> float:
        """Mass with what turns [kg]."""
        return self.mass + (self.wheels + self.shafts) / self.radius**2

    @property
    def coasting(self) -> float:
        """Deceleration in neutral [m/s²]: c_rr m g r₀/r over all that is slowed."""
        return self.rolling * self.mass * G / self.inertia


def point_mass(data: VehicleParameters) -> PointMass:
    """From the vehicle's data; the effective radius is r₀ − δ/3 under the static load."""
    tyre: Any = data.tyre
    corners = list(data.corners.values())
    deflection = data.mass * G / len(corners) / float(tyre.cz)
    radius = float(tyre.unloaded_radius) - deflection / 3.0
    wheels = sum(float(c.wheel.axis @ c.wheel.inertia @ c.wheel.axis) + c.wheel.axle_inertia for c in corners)
    p: Any = data.powertrain
    rolling = float(tyre.rolling_resistance) * float(tyre.unloaded_radius) / radius
    return PointMass(data.mass, radius, wheels, p.shafts.inertia / p.axle_ratio**2, rolling)


def braking(data: VehicleParameters, speed: float, pedal: float) -> float:
    """Distance to a standstill in neutral [m], v²/2a."""
    one = point_mass(data)
    torque = sum(pedal * corner.brake.max_torque for corner in data.corners.values())
    distance: float = speed**2 / (2.0 * (one.coasting + torque / one.radius / one.inertia))
    return distance


def shift_speeds(data: VehicleParameters) -> list[float]:
    """Vehicle speeds at which gears are shifted up [m/s]: i a r ω_up."""
    p: Any = data.powertrain
    gears, up = p.transmission.gears, p.transmission.upshift
    return [up * gear * p.axle_ratio * point_mass(data).radius for gear in gears[:-1]]


def acceleration(data: VehicleParameters, start: float, end: float) -> float:
    """Time at full throttle between two speeds [s], shifts at once, wheels not sliding."""
    one, p = point_mass(data), data.powertrain
    e, c = p.engine, p.converter  # type: ignore[attr-defined]  # of an automatic one
    gears, up = p.transmission.gears, p.transmission.upshift  # type: ignore[attr-defined]
    v, omega, t, gear = start, float(e.idle_speed), 0.0, 0
    body = one.mass + (one.wheels + one.shafts) / one.radius**2
    while v < end:
        ratio = gears[gear] * p.axle_ratio
        turbine = v / one.radius / ratio
        if turbine > up and gear + 1 < len(gears):
            gear += 1
            continue
        nu = min(turbine / omega, 1.0)
        pump = float(np.interp(nu, c.speed_ratio, c.capacity)) * omega**2
        pump *= max(1.0 - max(turbine / omega - 1.0, 0.0) * 50.0, -1.0)  # overrunning drives the engine
        out = float(np.interp(nu, c.speed_ratio, c.torque_ratio)) * pump
        engine = float(np.interp(omega, e.full_throttle.speed, e.full_throttle.torque))
        omega += STEP * (engine - pump) / e.inertia
        v += STEP * (out / ratio / one.radius - one.rolling * one.mass * G) / body
        t += STEP
    return t
