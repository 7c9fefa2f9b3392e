"""Common part of the three tests of steady cornering (ISO 4138): points, figures and charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.handling.metrics.steady_state import steady_cornering, understeer_angle
from ce_dynamics.models.handling.outcome import DEGREES, Chart, Line, thinned
from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.handling.run import Run
from ce_dynamics.models.parts.manoeuvres import Option

G = 9.80665
"""Standard gravity, for figures per g [m/s²]."""
DIRECTION = Option("direction", "1", 1.0, "1 turns left, -1 right", at_least=-1.0, at_most=1.0)
RAISED = Option("acceleration", "m/s^2", 0.25, "rate at which the speed is raised", above=0.0, at_most=1.0)
FIRST = Option("first", "m/s^2", 0.4, "lateral acceleration at the beginning", above=0.0)
STANDARD = "ISO 4138:2021"


class Points(NamedTuple):
    """Points of (nearly) steady cornering, those of a turn to the right mirrored.

    ``steer`` [rad], ``ay`` [m/s²], ``speed`` [m/s], ``roll`` and ``sideslip`` [rad].
    """

    steer: Floats
    ay: Floats
    speed: Floats
    roll: Floats
    sideslip: Floats


def points_of(procedure: Procedure, runs: Sequence[Run], begin: float, sign: float) -> Points:
    """Return all instants from a time on until the lateral acceleration is largest.

    They end, with a note, where the vehicle no longer corners steadily, spins or tips.
    """
    parts = []
    for run in runs:
        ay = sign * run.ay
        first = min(int(np.searchsorted(run.t, begin)), len(run.t) - 1)
        wrong = run.violation(begin, steady=True)
        end = len(run.t) if wrong is None else max(int(np.searchsorted(run.t, wrong.t)), first + 1)
        used = slice(first, first + int(np.argmax(ay[first:end])) + 1)
        if wrong is not None and used.stop == end:
            procedure.outcome.notes.append(
                f"points count up to {ay[used].max():.3g} m/s² of lateral acceleration: {wrong.condition}"
            )
        signals = sign * run.steer, ay, run.speed, sign * run.roll, sign * run.sideslip
        parts.append(np.array([signal[used] for signal in signals]))
    return Points(*np.concatenate(parts, axis=1))


def judge(procedure: Procedure, points: Points) -> None:
    """Figures and charts of steady cornering."""
    L, out = procedure.subject.wheelbase, procedure.outcome
    out.add("largest_lateral_acceleration", "largest lateral acceleration", float(points.ay.max()), "m/s^2")
    draw(procedure, points)
    found = steady_cornering(
        points.steer, points.ay, points.speed, L, roll=points.roll, sideslip=points.sideslip
    )
    per_g = DEGREES * G
    out.add("understeer_gradient", "understeer gradient", found.understeer_gradient, "deg/g", per_g)
    if found.understeer_gradient > 0.0:
        out.add("characteristic_speed", "characteristic speed", found.characteristic_speed, "km/h", 3.6)
    else:
        out.add("critical_speed", "critical speed", found.critical_speed, "km/h", 3.6)
    out.add("roll_gradient", "roll gradient", found.roll_gradient, "deg/g", per_g)
    out.add("sideslip_gradient", "side-slip gradient", found.sideslip_gradient, "deg/g", per_g)


def draw(procedure: Procedure, points: Points) -> None:
    """The handling diagram, and steering, roll and side-slip over lateral acceleration."""
    over = "lateral acceleration [m/s²]"
    excess = understeer_angle(points.steer, points.ay, points.speed, procedure.subject.wheelbase)
    for title, label, angle in (
        ("Handling diagram", "understeer angle δ − L/R [deg]", excess),
        ("Steering", "road-wheel angle [deg]", points.steer),
        ("Roll", "roll angle, outwards [deg]", points.roll),
        ("Side-slip", "side-slip angle of the centre of mass [deg]", points.sideslip),
    ):
        line = Line("", *thinned(points.ay, DEGREES * angle))
        procedure.outcome.charts.append(Chart(title, over, label, (line,)))
