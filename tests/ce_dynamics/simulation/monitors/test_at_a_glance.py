"""One pass over a run finds whatever a monitor would have to say of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import Response
from ce_dynamics.models.vehicles.ride import build_ride
from ce_dynamics.simulation.monitors.approaches import approached
from ce_dynamics.simulation.monitors.at_a_glance import nothing_to_say
from ce_dynamics.simulation.monitors.monitor import Run
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.results import Observed
from ce_dynamics.simulation.right_hand_side import RightHandSide
from ce_dynamics.simulation.simulate import integrated
from tests.ce_dynamics.mechanisms import four_bar


class Motor(ce.ForceElement):
    """A torque on the crank, which may not be greater than three times what its input may be."""

    def __init__(self, crank: Body, ground: Body) -> None:
        self.name, self.crank, self.ground, self.inputs = "motor", crank, ground, ("torque",)
        self.outputs, self.limits = {"left": "N m"}, {"left": "is used up"}

    @property
    def attachments(self) -> tuple[tuple[Body, Any], ...]:
        return ((self.crank, np.zeros(3)),)

    def evaluate(self, observer: Any, x: Any, u: Mapping[str, Any]) -> Response:
        return Response((), outputs={"left": 3.0 - u["torque"]})


class Ramp:
    def __init__(self, slope: float) -> None:
        self.slope = slope

    def inputs(self, t: Any, sensors: Any) -> dict[str, Any]:
        return {"torque": self.slope * t}


def driven(lengths: tuple[float, float, float, float], angle: float) -> ce.Model:
    system = four_bar(lengths, angle)
    system.add_input("torque", "N m", between=(-1.0, 1.0))
    system.add_force(Motor(system.bodies[0], system.ground))
    return ce.Model(system)


@pytest.fixture(scope="module")
def turning() -> ce.Model:
    return driven((0.2, 0.5, 0.4, 0.5), 0.7)  # the crank turns fully


def run_of(model: ce.Model, slope: float, duration: float = 0.5, **settings: Any) -> Run:
    given: dict[str, Any] = {"duration": duration, "method": "rk4", "step": 1e-3} | settings
    return integrated(RightHandSide(model, Ramp(slope)), model.y0, RunOptions(**given))[0]


def test_runs_in_which_nothing_happens_are_passed(turning: ce.Model) -> None:
    assert nothing_to_say(run_of(turning, 1.0))


def test_a_law_beyond_the_range_of_its_input_is_seen(turning: ce.Model) -> None:
    assert not nothing_to_say(run_of(turning, 2.1))
    assert nothing_to_say(run_of(turning, 2.0))


def test_whatever_is_altered_in_what_was_stored_is_seen(turning: ce.Model) -> None:
    run = run_of(turning, 1.0)
    tables = {"Y": run.Y, "U": run.U, **run.seen._asdict()}
    limit = turning.closure_limits[0]
    altered = [(name, k, np.nan) for name in tables for k in (0, len(run.t) - 1)]
    altered += [("Y", 7, np.inf), ("closures", 20, 1.01 * limit), ("gearing", 30, 10.1)]
    altered += [("outputs", 11, -np.inf), ("U", 9, -1.1)]
    for name, k, value in altered:
        odd = {key: table.copy() for key, table in tables.items()}
        odd[name][k, -1] = value
        other = dataclasses.replace(run, Y=odd["Y"], steps_Y=odd["Y"])
        other._seen = odd["U"], Observed(odd["outputs"], odd["closures"], odd["gearing"])
        assert not nothing_to_say(other), (name, k, value)
    limited = [entry.name for entry in turning.output_entries].index("motor.left")
    outputs = tables["outputs"].copy()
    other = dataclasses.replace(run)
    other._seen = run.U, run.seen._replace(outputs=outputs)
    assert nothing_to_say(other)
    outputs[40, limited] = -1e-300
    assert not nothing_to_say(other)


def test_runs_that_are_not_stored_step_by_step_are_looked_at_closely(turning: ce.Model) -> None:
    assert not nothing_to_say(run_of(turning, 1.0, method="RK45", step=None))
    failed = run_of(turning, 1.0)
    failed.ended("it did", "by itself")
    assert not nothing_to_say(failed)


def test_what_heads_for_the_end_of_its_reach_is_seen() -> None:
    """Two states of a vehicle whose wheels move ever faster, as the monitor finds it that asks one by one."""
    model = ce.Model(build_ride())
    rates, answers = [k for k, entry in enumerate(model.entries) if entry.name.endswith("lower_arm_rate")], []
    assert rates, [entry.name for entry in model.entries]
    rhs = RightHandSide(model, None)
    for rate in np.linspace(-40.0, 40.0, 9):
        for corner in rates:
            Y = np.tile(model.y0, (2, 1))
            Y[0, corner] = rate
            t = np.array((0.0, 0.02))
            run = Run(rhs, RunOptions(duration=0.02, method="rk4"), t, Y, t, Y)
            answers.append(nothing_to_say(run))
            assert answers[-1] == (not approached(model, t, Y, rhs.inputs_at))
    assert 3 < sum(answers) < len(answers)
