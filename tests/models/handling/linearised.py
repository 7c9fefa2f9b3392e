"""The swept sine against the linearised model: ``python -m tests.models.handling.linearised VEHICLE ...``.

The steering swings by what makes 0.3 m/s² slowly, so that tyres stay all but linear: a third of a per cent of
gain is left of their curvature, (α/α_max)², and of the driver, who holds the speed.  Vehicles that pull aside
by themselves, such as those with drag links, do not end such a record at rest and are refused by the metric.
"""

import sys

import numpy as np

from ce_dynamics.models import handling, hmmwv
from ce_dynamics.models.handling.metrics.frequency_response import frequency_response
from ce_dynamics.models.parts.manoeuvres import SineSweep

SPEED, AMPLITUDE = 20.0, 0.3
FREQUENCIES = np.array((0.3, 0.6, 1.0, 1.5, 2.0, 2.5))
AGREED = 0.01


def ratios(name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.complex128]]:
    """Yaw rate per steering of the swept sine over that of the linear model in steady straight driving."""
    vehicle = handling.vehicle(name)
    test = handling.perform("frequency-input", vehicle, speed=SPEED, lateral_acceleration=AMPLITUDE)
    run = test.runs[-1]
    swept = frequency_response(
        run.t, run.steer - run.steer[0], run["yaw_rate"] - run["yaw_rate"][0], FREQUENCIES
    )
    model = vehicle.start(vehicle.manoeuvre(SineSweep, speed=SPEED)).model
    rest = hmmwv.steady(model, speed=SPEED)
    linear = model.linearize(rest.y, u=rest.u, outputs=["yaw_rate"])
    right, left = vehicle.road_wheel_angle(np.array((-1e-4, 1e-4)))
    by_input = linear.frequency_response(FREQUENCIES)[:, 0, linear.inputs.index("steering")]
    return np.asarray(swept.ratio / by_input * (left - right) / 2e-4)


def main() -> None:
    """Print gains and phases; the exit code is 1 if one is off."""
    worst = 0.0
    for name in sys.argv[1:]:
        found = ratios(name)
        worst = max(worst, float(np.max(np.abs(found - 1.0))))
        for f, ratio in zip(FREQUENCIES, found, strict=True):
            gain, phase = np.abs(ratio), np.degrees(np.angle(ratio))
            print(f"{name}: {f:.1f} Hz: {gain:.4f} of the linear gain, {phase:+.3f}° more phase", flush=True)
    sys.exit(0 if worst < AGREED else 1)


if __name__ == "__main__":
    main()
