"""Steering-wheel angles, and the amplitude for a lateral acceleration, from slowly rising steering."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.handling.subject import Run
from ce_dynamics.models.parts.manoeuvres import Option, RampSteer

LOCK = Option(
    "lock",
    "rad",
    math.radians(540.0),
    "steering-wheel angle at full lock",
    above=0.0,
)
"""One and a half turns unless given: vehicles' data have no steering wheel."""


BEGIN = 1.0
"""When the steering begins [s]."""
SLOWNESS = 3.0
"""Time that each m/s² of lateral acceleration takes [s³/m]."""
SHORTEST, LONGEST = 12.0, 60.0
"""Times that a ramp takes [s]."""


def ramp(procedure: Procedure, speed: float, ay: float, sign: float = 1.0, margin: float = 1.3) -> Run:
    """Return a run in which the steering rises as far as a lateral acceleration may take, with a margin.

    The driver model's data of the vehicle determine how far that is; full lock is the most.
    """
    subject = procedure.subject
    angle = margin * ay * (subject.wheelbase / speed**2 + max(subject.driver.understeer, 0.0))
    lock = abs(float(subject.locks()[1][int(sign > 0.0)]))
    steer = subject.steering_for(sign * min(angle, lock))
    lasts = min(max(SLOWNESS * margin * ay, SHORTEST), LONGEST)
    side = "left" if sign > 0.0 else "right"
    run = procedure.run(
        f"ramp-{side}",
        RampSteer,
        speed=speed,
        steer=steer,
        rate=abs(steer) / lasts,
        start=BEGIN,
        duration=BEGIN + lasts,
    )
    procedure.holds_speed(run, BEGIN)
    return run


def steering_at(procedure: Procedure, speed: float, ay: float, sign: float = 1.0) -> float:
    """Find the steering input for a lateral acceleration [m/s²] at a speed [m/s], by a slow ramp."""
    reached, why = 0.0, ""
    for margin in (1.5, 3.0):
        run = ramp(procedure, speed, ay, sign, margin)
        wrong = run.violation(BEGIN, steady=True)
        end = len(run.t) if wrong is None else max(int(np.searchsorted(run.t, wrong.t)), 1)
        why = "" if wrong is None else f" ({wrong.condition})"
        rising = np.maximum.accumulate(sign * run.ay[:end])
        if rising[-1] >= ay:
            k = int(np.argmax(rising >= ay))
            begin = max(k - 1, 0)
            return float(np.interp(ay, rising[begin : k + 1], run["steering"][begin : k + 1]))
        reached = max(reached, float(rising[-1]))
    raise DataError(
        f"{procedure.subject.title} reaches {reached:.3g} m/s² of lateral acceleration at {speed:.4g} m/s, "
        f"{ay:.3g} m/s² are asked for{why}; give a lower one, or another speed"
    )
