"""Checks of stored rows: altered numbers are found, extremes are those of single rows."""

import copy
import dataclasses
import functools
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.compiled.export.interface import Interface
from ce_dynamics.errors import RangeWarning
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import Response
from ce_dynamics.models.vehicles.case import build_ride
from ce_dynamics.simulation.in_the_loop.fleet import Fleet
from ce_dynamics.simulation.in_the_loop.simulator import Simulator
from ce_dynamics.simulation.monitors.monitor import FinishedRun
from ce_dynamics.simulation.monitors.postconditions import (
    ColumnBounds,
    InputRanges,
    Postconditions,
    all_finite,
)
from ce_dynamics.simulation.monitors.reach import Reaches, RunObservations, probes_of
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.results import Observed, observe_run
from ce_dynamics.simulation.right_hand_side import RightHandSide
from ce_dynamics.simulation.simulate import integrate_run
from tests.support.systems import four_bar


def test_all_finite_finds_any_odd_number() -> None:
    x = np.full(17, 1e308)  # its sum is not finite
    assert all_finite(x, np.full(3, 5e-324), np.empty(0))
    for k in range(len(x)):
        for odd in (np.nan, np.inf, -np.inf):
            altered = x.copy()
            altered[k] = odd
            assert not all_finite(x, altered)


def test_bounds_hold_up_to_their_limits() -> None:
    bounds = ColumnBounds.of([3, 0], [-1.0, 0.0], [2.0, np.inf])
    table = np.full((6, 4), np.nan)
    table[:, 3], table[:, 0] = np.linspace(-1.0, 2.0, 6), 0.0
    assert bounds.are_kept(table)
    assert bounds.are_kept(table[:0])
    for k in range(6):
        for column, value in ((3, 2.0 + 1e-15), (3, -1.0 - 1e-15), (0, -5e-324), (0, np.nan)):
            altered = table.copy()
            altered[k, column] = value
            assert not bounds.are_kept(altered)
    assert ColumnBounds.of([], [], []).are_kept(table)


def test_probes_are_the_extreme_rows() -> None:
    """The first rows of the extremes, of the coordinate and of the values it heads for."""
    rng = np.random.default_rng(0)
    model = ce.Model(four_bar((0.2, 0.5, 0.4, 0.5), 0.7))
    (reach,) = Reaches(model).others
    t, Y = np.cumsum(np.linspace(0.01, 0.3, 40)), rng.normal(size=(40, 2))
    Y[7, 0] = Y[20, 0] = 9.0
    Y[11, 1], Y[12, 1] = 1e3, -1e3
    ahead = [Y[k, 0] + 2.0 * Y[k, 1] * (t[k + 1] - t[k]) for k in range(39)]
    x = Y[:, 0].tolist()
    ends, beyond = [(x.index(min(x)), min(x)), (7, 9.0)], [(12, ahead[12]), (11, ahead[11])]
    assert probes_of(reach, t, Y, True) == pytest.approx(np.array(ends + beyond), rel=1e-15)
    assert probes_of(reach, t, Y, False) == pytest.approx(np.array(beyond), rel=1e-15)
    assert probes_of(reach, t[:1], Y[:1], True) == [(0, Y[0, 0])]
    Y[:, 1] = 0.0  # passes whatever it heads for
    assert probes_of(reach, t, Y, False) == []


class Motor(ce.ForceElement):
    """A torque on the crank; its output reaches zero at three times the largest allowed input."""

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


@pytest.fixture(scope="module")
def turning() -> ce.Model:
    system = four_bar((0.2, 0.5, 0.4, 0.5), 0.7)  # the crank turns fully
    system.add_input("torque", "N m", between=(-1.0, 1.0))
    system.add_force(Motor(system.bodies[0], system.ground))
    return ce.Model(system)


def run_of(model: ce.Model, slope: float) -> FinishedRun:
    options = RunOptions(duration=0.5, method="rk4", step=1e-3)
    return integrate_run(RightHandSide(model, Ramp(slope)), model.y0, options)[0]


def test_a_law_beyond_its_input_range_warns(turning: ce.Model) -> None:
    InputRanges().check_run(run_of(turning, 2.0))  # reaches 1 N m at the end
    with pytest.warns(RangeWarning, match="torque"):
        InputRanges().check_run(run_of(turning, 2.1))


def test_promises_find_any_altered_number(turning: ce.Model) -> None:
    run, postconditions = run_of(turning, 1.0), Postconditions.of(turning)
    tables = {"Y": run.Y, "U": run.U, **run.seen._asdict()}
    limit = turning.closure_limits[0]
    limited = [entry.name for entry in turning.output_entries].index("motor.left")
    altered = [(name, k, -1, np.nan) for name in ("Y", "U", "outputs") for k in (0, len(run.t) - 1)]
    altered += [("Y", 7, 0, np.inf), ("closures", 20, 0, 1.01 * limit), ("closures", 3, 0, np.nan)]
    altered += [("outputs", 11, -1, -np.inf), ("outputs", 40, limited, -1e-300)]
    assert postconditions.first_fault(run.t, run.Y, run.U, run.seen) is None
    for name, k, column, value in altered:
        odd = {key: table.copy() for key, table in tables.items()}
        odd[name][k, column] = value
        seen = Observed(odd["outputs"], odd["closures"], odd["gearing"])
        fault = postconditions.first_fault(run.t, odd["Y"], odd["U"], seen)
        assert fault is not None, (name, k, value)
        assert fault.k == k
        other = dataclasses.replace(run, Y=odd["Y"], steps_Y=odd["Y"])
        other._seen = odd["U"], seen
        postconditions.check_run(other)
        assert other.cause == "broken promise"
        assert len(other.t) == max(k, 1)


def test_the_limit_passed_first_is_the_trouble(turning: ce.Model) -> None:
    """An integrator that stops later stops because of it; one that stops there is named itself."""
    run = run_of(turning, 8.0)  # the limit is passed after 0.375 s
    run.end("rk4 stopped at t = 0.5 s", "by itself")
    Postconditions.of(turning).check_run(run)
    assert run.trouble == "'motor' is used up at t = 0.38 s"
    assert run.cause == "broken promise"
    assert run.t[-1] == pytest.approx(0.37)
    run = run_of(turning, 6.001)  # only the last instant is beyond
    run.end("rk4 stopped at t = 0.5 s", "by itself")
    Postconditions.of(turning).check_run(run)
    assert run.trouble == "rk4 stopped at t = 0.5 s"
    assert run.t[-1] == pytest.approx(0.49)


def low(observer: Any, weight: Body) -> Any:
    """Height of the weight over a level 1 m below its start [m]."""
    return observer.coordinate(weight) + 1.0


def test_runs_end_at_limits_of_outputs() -> None:
    """A weight falls by 1 m in √(2/9.81) = 0.4515 s; copies and pickled systems keep the limit."""
    system = ce.System(gravity=(0, 0, -9.81))
    weight = system.add_body("weight", mass=1.0, parent=system.ground, hinge=ce.Prismatic((0, 0, 1)))
    height = functools.partial(low, weight=weight)
    with pytest.raises(ce.ModelError, match="output 'low': limit None must be text"):
        system.add_output("low", "m", height, limit=None)  # type: ignore[arg-type]
    system.add_output("low", "m", height, limit="the weight is on the floor")
    for same in (system, copy.deepcopy(system), pickle.loads(pickle.dumps(system))):
        with pytest.raises(ce.SimulationError, match=r"the weight is on the floor at t = 0\.46 s") as found:
            ce.simulate(ce.Model(same), duration=1.0)
        assert found.value.partial is not None
        assert float(found.value.partial["time"][-1]) == pytest.approx(0.45)
    model = ce.Model(system)
    assert Interface(model).limits == {0: "the weight is on the floor"}
    alone, fleet = Simulator(model), Fleet(model, 2, lambda sensors, given: [sensors["low"]])
    fleet.start([0, 1], np.array([[0.0, 0.0], [3.0, 0.0]]), np.zeros((2, 0)), np.zeros((2, 1)))
    for _ in range(2):
        assert alone.outputs()["low"] > 0.0
        assert not fleet.failures
        alone.step(0.4)
        fleet.step(0.4)
    with pytest.raises(ce.SimulationError, match=r"the weight is on the floor at t = 0\.8 s"):
        alone.outputs()
    assert fleet.failures == {0: "the weight is on the floor"}


def test_observed_gearing_changes_no_approach() -> None:
    """Two states of a vehicle whose wheels move ever faster, with what was observed of them and without."""
    model = ce.Model(build_ride())
    rates = [k for k, entry in enumerate(model.entries) if entry.name.endswith("lower_arm_rate")]
    rhs, t, numbers = RightHandSide(model, None), np.array((0.0, 0.02)), []
    assert rates
    for rate in np.linspace(-40.0, 40.0, 9):
        for corner in rates:
            Y = np.tile(model.y0, (2, 1))
            Y[0, corner] = rate
            U = rhs.inputs_over(t, Y)
            known = RunObservations(U, observe_run(model, Y, U).gearing)
            found = [
                [reach.S.name for reach in Reaches(model).near(t, Y, rhs.inputs_at, given)]
                for given in (None, known)
            ]
            assert found[0] == found[1]
            numbers.append(len(found[0]))
    assert 3 < numbers.count(0) < len(numbers)
