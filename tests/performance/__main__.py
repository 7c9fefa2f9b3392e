"""``python -m tests.performance [VEHICLE]``: a vehicle with an automatic gearbox, simulated and by hand.

Coasting in neutral, braking in neutral, 0 to 100 km/h, speeds of the shifts.
"""

from __future__ import annotations

import sys

import numpy as np
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.compiled.model import Model
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settled
from tests.performance.by_hand import acceleration, braking, point_mass, shift_speeds

HUNDRED = 100.0 / 3.6
START, FAST, PEDAL = 1.0, 20.0, 0.15


def run(model: Model, duration: float, **inputs: float) -> xr.Dataset:
    """From rolling steadily, with constant inputs."""
    given = {"throttle": 0.0, "brake": 0.0, "steering": 0.0, **inputs}
    return ce.simulate(model, given, duration=duration, method="rk4", y0=settled(model), interval=0.02)


def crossed(t: np.ndarray, values: np.ndarray, value: float) -> float:
    """When values first exceed a value."""
    k = int(np.argmax(values > value))
    return float(np.interp(value, values[k - 1 : k + 1], t[k - 1 : k + 1]))


def main(vehicle: str) -> None:
    """Print the table."""
    data = VehicleParameters.load(vehicle)
    fast = ce.compile(build(data, speed=FAST))
    print(f"{vehicle}, {data.mass:.0f} kg\n\n| | simulated | by hand |\n| --- | --- | --- |")
    coasting = run(fast, 2.0, selector=0.0)
    t, v = coasting["time"].values, coasting["vx"].values
    late = t > 0.5
    slope = -float(np.polyfit(t[late], v[late], 1)[0])
    one = point_mass(data)
    toed = np.abs(coasting["tyre_Fy"].values[-1] * coasting["tyre_slip_angle"].values[-1]).sum() / one.inertia
    by_hand = f"{one.coasting:.4f} + {toed:.4f} of wheels with toe"
    print(f"| coasting in neutral, m/s² | {slope:.4f} | {by_hand} |", flush=True)
    stop = run(fast, 1.3 * FAST / 1.5, selector=0.0, brake=PEDAL)
    x, v = stop["x"].values, stop["vx"].values
    distance = float(np.interp(0.05, v[::-1], x[::-1])) - float(x[0])
    print(
        f"| braking from {FAST:g} m/s at {PEDAL:.0%}, m | {distance:.2f} | {braking(data, FAST, PEDAL):.2f} |"
    )
    slow = ce.compile(build(data, speed=START))
    sprint = run(slow, 40.0, throttle=1.0)
    t, v = sprint["time"].values, sprint["vx"].values
    time = acceleration(data, START, HUNDRED)
    print(f"| {3.6 * START:.1f} to 100 km/h, s | {crossed(t, v, HUNDRED):.2f} | {time:.2f} |")
    gear = sprint["driveline_gear"].values
    for k, expected in enumerate(shift_speeds(data), start=1):
        at = float(np.interp(crossed(t, gear, k + 0.01), t, v))
        print(f"| shift from {k} to {k + 1}, km/h | {3.6 * at:.1f} | {3.6 * expected:.1f} |")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "hmmwv-automatic")
