"""Differences between the shipped HMMWV and that with the data of Chrono's program, in one table."""

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ce_dynamics.errors import PhysicalityWarning
from ce_dynamics.models.data.schema import ListedNumber
from ce_dynamics.models.vehicles.description import VehicleParameters

Listing = Mapping[str, ListedNumber]
STOP, SPEED, STROKE = 0.05, 0.5, 0.02
"""Compression of a stop [m], speed of a damper [m/s], deflection about which a spring's rate is taken [m]."""


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield the quantity, its value of the shipped vehicle, and that of the other one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PhysicalityWarning)
        both = [VehicleParameters.load(name) for name in ("hmmwv", "hmmwv-chrono")]
    one, other = both
    ours, theirs = ({n.key: n for n in data.flat()} for data in both)
    yield "mass, kg", f"{one.mass:.1f}", f"{other.mass:.1f}"
    for what, ends in (
        ("hardpoints", ("D", "F", "K", "L", "W", "pivot", "chassis", "arm")),
        ("centres of mass", ("com",)),
    ):
        yield f"{what}, largest difference, mm", "", f"{1e3 * largest(ours, theirs, ends):.2f}"
    yield "inertias of bodies, largest difference, kg m²", "", f"{largest(ours, theirs, ('inertia',)):.3f}"
    for what, value in (
        ("largest torque of the engine, N m", lambda d: max(engine(d).full_throttle.torque)),
        ("inertia of the driveline at the wheels, kg m²", driveline_inertia),
        ("front spring about its design length, kN/m", lambda d: 1e-3 * rate(d, "front_left")),
        ("rear spring about its design length, kN/m", lambda d: 1e-3 * rate(d, "rear_left")),
        ("front stop pressed in by 50 mm, kN", lambda d: 1e-3 * stop(d, "front_left")),
        ("front damper at 0.5 m/s out and in, kN", lambda d: damper(d, "front_left")),
        ("rear damper at 0.5 m/s out and in, kN", lambda d: damper(d, "rear_left")),
        ("steering's actuator, Hz", lambda d: d.data.steering.actuator.natural_frequency),
        ("height at the start, m", lambda d: d.ride_height),
        ("powertrain", lambda d: d.layout.powertrain),
        ("tyre", lambda d: d.layout.tyre),
        ("tie rods and halves of shock absorbers, kg", rods),
    ):
        yield what, shown(value(one)), shown(value(other))


def largest(one: Listing, other: Listing, ends: tuple[str, ...]) -> float:
    """The largest difference of components of numbers that both have."""
    found = 0.0
    for key, number in one.items():
        if key in other and key.endswith(ends) and isinstance(number.value, tuple):
            theirs = np.array(other[key].value, dtype=float)
            found = max(found, float(np.abs(np.array(number.value, dtype=float) - theirs).max()))
    return found


def engine(data: VehicleParameters) -> Any:
    return data.powertrain.engine  # type: ignore[attr-defined]  # both have one


def driveline_inertia(data: VehicleParameters) -> float:
    shafts = getattr(data.powertrain, "shafts", None)
    inertia: float = 0.0 if shafts is None else shafts.inertia
    return inertia / data.powertrain.axle_ratio**2


def rate(data: VehicleParameters, corner: str) -> float:
    """Stiffness of a spring about its length in the design position."""
    spring = getattr(data.data, corner).spring
    length = float(np.linalg.norm(np.subtract(spring.chassis, spring.arm)))
    ends = [length - spring.free_length + side * STROKE for side in (-1.0, 1.0)]
    if spring.curve is not None:
        forces = np.interp(ends, spring.curve.deflection, spring.curve.force)
    else:
        forces = np.array([spring.linear * d + (spring.cubic or 0.0) * d**3 for d in ends])
    return float(np.diff(forces)[0] / (2.0 * STROKE))


def stop(data: VehicleParameters, corner: str) -> float:
    spring = getattr(data.data, corner).spring
    force: float = (spring.stop_stiffness or 0.0) * STOP + (spring.stop_progression or 0.0) * STOP**3
    if spring.stop_curve is not None:
        force += float(np.interp(STOP, spring.stop_curve.deflection, spring.stop_curve.force))
    return force


def damper(data: VehicleParameters, corner: str) -> str:
    """Forces of a damper, of a map at its middle length."""
    found = getattr(data.data, corner).damper
    if found.map is None:
        both = [found.coefficient * SPEED] * 2
    else:
        curve = found.map.curves()[len(found.map.length) // 2]
        both = [abs(float(curve.force(side * SPEED))) for side in (1.0, -1.0)]
    return " and ".join(f"{1e-3 * force:.3g}" for force in both)


def rods(data: VehicleParameters) -> float:
    parts = ("tie_rod", "shock_lower", "shock_upper")
    found = (getattr(getattr(data.data, corner), part, None) for corner in data.corners for part in parts)
    return sum((part.mass for part in found if part is not None), start=0.0)


def shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def main() -> None:
    print("| | `hmmwv` | `hmmwv-chrono` |\n| --- | --- | --- |")
    for what, ours, theirs in rows():
        print(f"| {what} | {ours} | {theirs} |")
