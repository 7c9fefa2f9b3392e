"""Campaign ``performance [VEHICLE ...] [KEY=VALUE ...]``: in a straight line, simulated and by hand.

Coasting in neutral, braking in neutral, full throttle from walking pace to 100 km/h (with manual gearboxes
from 36 to 60 in the third gear), speeds of the shifts.
"""

import sys

import numpy as np
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.compiled.model import Model
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.files import SHIPPED
from tests.campaigns.performance.by_hand import acceleration, braking, point_mass, shift_speeds

HUNDRED = 100.0 / 3.6
START, FAST, PEDAL = 1.0, 20.0, 0.15
IN_GEAR, FROM, TO = 3, 10.0, 60.0 / 3.6
NEUTRAL = {"selector": 0.0, "gear": 0.0, "clutch": 1.0}


def run(model: Model, duration: float, **inputs: float) -> xr.Dataset:
    """From rolling steadily, with constant inputs; those that the vehicle does not have are left out."""
    given = {"throttle": 0.0, "brake": 0.0, "steering": 0.0, **inputs}
    given = {name: value for name, value in given.items() if name in model.system.inputs}
    chosen = {name: value for name, value in given.items() if name in NEUTRAL}
    y0 = settle(model, model.inputs_with(inputs=chosen))
    return ce.simulate(model, given, duration=duration, method="rk4", y0=y0, interval=0.02)


def crossed(t: np.ndarray, values: np.ndarray, value: float) -> float:
    """Return the time at which values first exceed a value; NaN if never."""
    if not np.any(values > value):
        return float("nan")
    k = max(int(np.argmax(values > value)), 1)
    return float(np.interp(value, values[k - 1 : k + 1], t[k - 1 : k + 1]))


def coast_and_brake(data: VehicleParameters, model: Model) -> None:
    """In neutral; drivelines without one coast with their engine's drag, which no row tells."""
    one = point_mass(data)
    if "driveline.shaft_speed" in {entry.name for entry in model.layout.x}:
        coasting = run(model, 2.0, **NEUTRAL)
        t, v = coasting["time"].values, coasting["vx"].values
        late = t > 0.5
        slope = -float(np.polyfit(t[late], v[late], 1)[0])
        toed = np.abs(coasting["tyre_Fy"].values[-1] * coasting["tyre_slip_angle"].values[-1]).sum()
        by_hand = f"{one.coasting(float(v[late].mean())):.4f} + {toed / one.inertia:.4f} of wheels with toe"
        print(f"| coasting in neutral, m/s² | {slope:.4f} | {by_hand} |", flush=True)
    stop = run(model, 1.6 * braking(data, FAST, PEDAL) / (0.5 * FAST), brake=PEDAL, **NEUTRAL)
    x, v = stop["x"].values, stop["vx"].values
    distance = float(np.interp(0.05, v[::-1], x[::-1])) - float(x[0])
    by_hand = f"{braking(data, FAST, PEDAL):.2f}"
    print(f"| braking from {FAST:g} m/s at {PEDAL:.0%}, m | {distance:.2f} | {by_hand} |", flush=True)


def accelerate(data: VehicleParameters) -> None:
    manual = data.layout.powertrain == "manual"
    start, end = (FROM, TO) if manual else (START, HUNDRED)
    by_hand = acceleration(data, start, end, IN_GEAR)
    slow = ce.compile(build(data, speed=start))
    sprint = run(slow, 1.5 * by_hand + 5.0, throttle=1.0, gear=float(IN_GEAR))
    t, v = sprint["time"].values, sprint["vx"].values
    print(f"| {3.6 * start:.1f} to {3.6 * end:.0f} km/h, s | {crossed(t, v, end):.2f} | {by_hand:.2f} |")
    if "driveline_gear" not in sprint:
        return
    gear = sprint["driveline_gear"].values
    for k, expected in enumerate(shift_speeds(data), start=1):
        at = crossed(t, gear, k + 0.01)
        if np.isfinite(at):
            spin = sprint["driveline_speed"].values
            speed = 3.6 * float(np.interp(at, t, spin)) * point_mass(data).radius
            print(
                f"| shift from {k} to {k + 1}, km/h of the wheels | {speed:.1f} | {3.6 * expected:.1f} |",
                flush=True,
            )


def main(words: list[str]) -> None:
    """Print a table for each vehicle, with overrides for all of them."""
    overrides = [word for word in words if "=" in word]
    for name in [word for word in words if "=" not in word] or list(SHIPPED):
        data = VehicleParameters.load(name, overrides)
        print(f"\n{name}, {data.mass:.0f} kg\n\n| | simulated | by hand |\n| --- | --- | --- |", flush=True)
        coast_and_brake(data, ce.compile(build(data, speed=FAST)))
        accelerate(data)


if __name__ == "__main__":
    main(sys.argv[1:])
