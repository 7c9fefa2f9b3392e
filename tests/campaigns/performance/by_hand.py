"""A point mass with wheels: what a vehicle does in a straight line, by hand.

Engine maps are looked up with `numpy.interp`, gears are shifted at once, wheels slide where the load of the
driven axles times the tyres' largest longitudinal force is less than what the engine gives.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.campaigns.performance.brakes import brake_balance

G = 9.81
STEP = 1e-3
"""[s] of Euler's method for the engine and the speed."""
LONGEST = 120.0
"""[s]"""
FASTEST, GRID = 120.0, 2401
"""Speeds among which the highest is looked for: up to [m/s], number."""


class PointMass(NamedTuple):
    """Mass [kg], inertia of wheels and of shafts, at the wheels [kg m²], radii and resistances."""

    mass: float
    # radius, lever: Effective radius, speed over spin; and radius under load, torque over force [m]
    radius: float
    lever: float
    wheels: float
    shafts: float
    rolling: float  # [N]
    air: float  # force per square of the speed [N s²/m²]

    @property
    def inertia(self) -> float:
        """Mass with what turns [kg]."""
        return self.mass + (self.wheels + self.shafts) / self.radius**2

    def resistance(self, v: float) -> float:
        """[N] at a speed [m/s]."""
        return self.rolling + self.air * v * v

    def coasting(self, v: float) -> float:
        """Deceleration in neutral [m/s²]: resistances over all that is slowed."""
        return self.resistance(v) / self.inertia


def point_mass(data: VehicleParameters) -> PointMass:
    """From the vehicle's data; the radii are r₀ − δ/3 and r₀ − δ under the mean static load."""
    corners = list(data.corners.values())
    tyres: list[Any] = [corner.tyre for corner in corners]
    count = sum(corner.tyre_count for corner in corners)
    load = data.mass * G / count
    radii = [float(tyre.unloaded_radius) - load / float(tyre.cz) / 3.0 for tyre in tyres]
    radius = float(np.mean(radii))
    lever = float(np.mean([float(tyre.unloaded_radius) - load / float(tyre.cz) for tyre in tyres]))
    wheels = sum(float(c.wheel.axis @ c.wheel.inertia @ c.wheel.axis) + c.wheel.axle_inertia for c in corners)
    moments = sum(
        float(parameters_of(tyre).rolling_resistance) * load * corner.tyre_count * float(tyre.unloaded_radius)
        for tyre, corner in zip(tyres, corners, strict=True)
    )
    p: Any = data.powertrain
    shafts = p.shafts.inertia / p.axle_ratio**2 if hasattr(p, "shafts") else 0.0
    if data.layout.powertrain == "electric":
        moments += p.motor.drag / (p.transmission.ratio * p.axle_ratio)
        shafts += p.motor.inertia / (p.transmission.ratio * p.axle_ratio) ** 2
    return PointMass(data.mass, radius, lever, wheels, shafts, moments / lever, drag_of(data))


def parameters_of(tyre: Any) -> Any:
    """Return the parameters of a TMeasy tyre, for any way of evaluation."""
    return getattr(tyre, "parameters", tyre)


def drag_of(data: VehicleParameters) -> float:
    """½ ρ A c_d of the vehicle and its trailers [N s²/m²]."""
    surfaces: list[Any] = [data.aerodynamics, *(trailer.aerodynamics for trailer in data.trailers.values())]
    return sum(0.5 * float(a.density * a.area * a.drag) for a in surfaces if a is not None)


def braking(data: VehicleParameters, speed: float, pedal: float) -> float:
    """Distance to a standstill in neutral [m]: m v dv = −F(v) dx."""
    one = point_mass(data)
    force = sum(pedal * corner.brake_torque for corner in data.corners.values()) / one.lever
    v = np.linspace(0.0, speed, 4001)
    distance: float = np.trapezoid(one.inertia * v / (force + one.rolling + one.air * v * v), v)
    return distance


def shift_speeds(data: VehicleParameters) -> list[float]:
    """Speeds of the driven wheels at which gears are shifted up [m/s]: i a r ω_up."""
    p: Any = data.powertrain
    gears = p.transmission.gears
    up = p.transmission.upshift
    each = up if isinstance(up, tuple) else (up,) * (len(gears) - 1)
    return [
        w * gear * p.axle_ratio * point_mass(data).radius for w, gear in zip(each, gears[:-1], strict=True)
    ]


def grip(data: VehicleParameters) -> Callable[[float, float], float]:
    """Drive force [N] of one that is wanted, at an acceleration [m/s²].

    More than the tyres' peak times the load of the driven axles makes the wheels slide, and gives what they
    do sliding.
    """
    driven = {axle.name for axle in data.layout.axles if axle.driven == "yes"}
    own = data.layout.axles_of(None)
    tyre = parameters_of(data.corners[data.driven[0]].tyre)
    peak, slid = (float(f[0] / tyre.pn) * data.road.friction / tyre.mu0 for f in (tyre.fxm, tyre.fxs))
    balance = brake_balance(data)
    weight = balance.mass * G

    def given(wanted: float, a: float) -> float:
        front = balance.front - balance.transfer * a / G
        share = front * (own[0].name in driven)
        behind = [axle.name in driven for axle in own[1:]]
        share += (1.0 - front) * sum(behind) / len(behind)
        return wanted if wanted <= peak * share * weight else float(slid * share * weight)

    return given


Pull = Callable[[float], tuple[float, float]]
"""At a speed of the driven wheels [rad/s]: torque of all [N m], inertia of what is tied to them [kg m²]."""


def tied(data: VehicleParameters, gear: int) -> Pull:
    """Return the pull of an engine or motor that is tied to the wheels."""
    p: Any = data.powertrain
    a, kind = p.axle_ratio, data.layout.powertrain

    def full(speed: float) -> float:
        curve = p.motor.full_throttle if kind == "electric" else p.engine.full_throttle
        limited = kind in ("cvt", "manual", "geared") and speed > p.engine.max_speed
        return 0.0 if limited else float(np.interp(speed, curve.speed, curve.torque))

    def envelope(w: float) -> tuple[float, float]:
        ratios = [g * a for g in p.transmission.gears]
        usable = [r for r in ratios if w / r <= p.engine.max_speed] or ratios[-1:]
        return max(full(max(w / r, p.engine.idle_speed)) / r for r in usable), 0.0

    def cvt(w: float) -> tuple[float, float]:
        g, shaft = p.transmission, w / a
        part = min(max((shaft - g.begin) / (g.end - g.begin), 0.0), 1.0)
        ratio = g.lowest + (g.highest - g.lowest) * part
        return g.efficiency * full(shaft / ratio) / ratio / a, 0.0

    def electric(w: float) -> tuple[float, float]:
        r = p.transmission.ratio * a
        return full(w / r) / r, 0.0  # less its drag, which is a resistance

    def manual(w: float) -> tuple[float, float]:
        r = p.transmission.gears[gear - 1] * a
        return full(w / r) / r, p.engine.inertia / r**2

    def geared(w: float) -> tuple[float, float]:
        at = [w > up for up in (s / point_mass(data).radius for s in shift_speeds(data))]
        r = p.transmission.gears[sum(at)] * a
        return full(w / r) / r, (p.engine.inertia or 0.0) / r**2

    return {"envelope": envelope, "cvt": cvt, "electric": electric, "manual": manual, "geared": geared}[kind]


def acceleration(data: VehicleParameters, start: float, end: float, gear: int = 1) -> float:
    """Time at full throttle between two speeds [s]; of manual gearboxes in one gear."""
    if data.layout.powertrain == "automatic":
        return automatic(data, start, end)
    one, pull, given = point_mass(data), tied(data, gear), grip(data)
    v, t, a = start, 0.0, 0.0
    while v < end and t < LONGEST:
        torque, inertia = pull(v / one.radius)
        force = given(torque / one.lever, a)
        a = (force - one.resistance(v)) / (one.inertia + inertia / one.radius**2)
        v, t = v + STEP * a, t + STEP
    return t


def automatic(data: VehicleParameters, start: float, end: float) -> float:
    """The same with a torque converter and an engine that turns by itself."""
    one, p, given = point_mass(data), data.powertrain, grip(data)
    e, c = p.engine, p.converter  # type: ignore[attr-defined]  # of an automatic one
    gears, up = p.transmission.gears, p.transmission.upshift  # type: ignore[attr-defined]
    v, omega, t, gear, a = start, float(e.idle_speed), 0.0, 0, 0.0
    while v < end and t < LONGEST:
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
        a = (given(out / ratio / one.lever, a) - one.resistance(v)) / one.inertia
        v, t = v + STEP * a, t + STEP
    return t


def top_speed(data: VehicleParameters) -> float:
    """Return the highest speed at which full throttle overcomes the resistances [m/s].

    Manual gearboxes are in the gear that pulls most, automatic ones in that of the wheels' speed.
    """
    one = point_mass(data)
    kind = data.layout.powertrain
    if kind == "automatic":
        pulls = [through_converter(data)]
    else:
        gears = len(data.powertrain.transmission.gears) if kind == "manual" else 1  # type: ignore[attr-defined]
        pulls = [tied(data, gear) for gear in range(1, gears + 1)]
    enough = [
        v
        for v in np.linspace(0.1, FASTEST, GRID)
        if max(pull(v / one.radius)[0] for pull in pulls) / one.lever > one.resistance(v)
    ]
    return float(enough[-1])


def through_converter(data: VehicleParameters) -> Pull:
    """Return what pulls steadily through a torque converter: the engine's torque is the impeller's."""
    p: Any = data.powertrain
    e, c, g = p.engine, p.converter, p.transmission
    engine = np.linspace(float(e.idle_speed), 1.2 * float(e.max_speed), 4001)
    full = np.interp(engine, e.full_throttle.speed, e.full_throttle.torque) * (engine <= e.max_speed)

    def pull(w: float) -> tuple[float, float]:
        gear = next((i for i in g.gears if w / (i * p.axle_ratio) <= g.upshift), g.gears[-1])
        turbine = w / (gear * p.axle_ratio)
        nu = np.minimum(turbine / engine, 1.0)
        pump = np.interp(nu, c.speed_ratio, c.capacity) * engine**2
        pump *= np.maximum(1.0 - np.maximum(turbine / engine - 1.0, 0.0) * 50.0, -1.0)  # overrunning
        k = int(np.flatnonzero(pump <= full)[-1])  # the impeller's torque grows with the engine's speed
        torque = float(np.interp(nu[k], c.speed_ratio, c.torque_ratio) * pump[k])
        return torque / (gear * p.axle_ratio), 0.0

    return pull
