"""Observations of runs side by side, against those of single runs one by one."""

import math
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.compiled.integration_methods import FIXED
from ce_dynamics.simulation.ensembles.arguments import spread
from ce_dynamics.simulation.ensembles.lane_functions import compile_lanes, lanes_of
from ce_dynamics.simulation.ensembles.lanes import Reached, group_of, look_of
from ce_dynamics.simulation.integrators.settings import settings_of
from ce_dynamics.simulation.monitors.postconditions import ColumnBounds, Postconditions
from ce_dynamics.simulation.results import Observed
from tests.ce_dynamics.simulation.ensembles.test_simulation import ranged_slide
from tests.support.systems import floating_coupler

LANES = 8
CLOSE = 0.55
"""Gearing of the coupler that is taken for close to an end here; it goes from 0.35 to 0.66."""


def seen(model: ce.Model, t: Any, Y: Any, moved: bool = False) -> Any:
    """The outcome of a group of runs with these states."""
    outputs = frozenset(range(len(model.output_entries)))
    runs = spread(model, np.tile(model.y0, (LANES, 1)), None, None)
    look, code = look_of(model, Postconditions.of(model), outputs), compile_lanes(model, None, LANES, outputs)
    heads, calm = look.heads.copy(), [*look.bounds]
    if len(heads):
        heads[:, 3], calm[3] = moved, ColumnBounds.of([0], [-math.inf], [CLOSE])
    asked = look._replace(heads=heads, bounds=tuple(calm), most=CLOSE)
    lanes = lanes_of(code, runs, t, asked, settings_of("rk4", FIXED))
    nothing = np.zeros(LANES, dtype=np.int64)
    group = group_of(runs, list(range(LANES)), LANES)
    reached = Reached(Y.copy(), np.zeros(LANES), Y[0].copy(), nothing, nothing, nothing)
    return lanes.outcome(group, reached)


def is_calm(model: ce.Model, t: Any, Y: Any, moved: bool) -> bool:
    """Return True if the gearing is small in all states, and where the crank heads for at most."""
    ahead = Y[:-1, 0] + 2.0 * Y[:-1, 1] * np.diff(t)
    rows = (ahead.argmin(), ahead.argmax()) if len(ahead) else ()
    passed = [Y[:, 0].min() <= ahead[k] <= Y[:, 0].max() and not moved for k in rows]
    there = [np.array([ahead[k], Y[k, 1]]) for k, old in zip(rows, passed, strict=True) if not old]
    return all(float(model.observation(y, model.u0)[2][0]) <= CLOSE for y in (*Y, *there))


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize(("rows", "way"), [(1, 0.0), (2, 0.8), (30, 0.2), (30, 0.05)])
def test_calm_is_who_heads_for_no_end(rows: int, way: float, moved: bool) -> None:
    """Cranks from everywhere, that turn about so far between rows."""
    model, rng = ce.compile(floating_coupler()), np.random.default_rng(rows)
    found, ahead = [], 0
    for _ in range(12):
        t = np.cumsum(rng.uniform(0.5, 1.5, rows))
        Y = np.zeros((rows, 2, LANES))
        Y[:, 1] = rng.normal(0.0, way, (rows, LANES))
        Y[:, 0] = rng.uniform(-math.pi, math.pi, LANES) + 0.1 * np.cumsum(Y[:, 1], axis=0)
        outcome = seen(model, t, Y, moved)
        assert outcome.well.all()
        for lane in range(LANES):
            found.append(bool(outcome.calm[lane]))
            assert found[-1] == is_calm(model, t, Y[..., lane], moved)
            ahead += not found[-1] and bool((outcome.gearing[:, 0, lane] <= CLOSE).all())
    assert set(found) == {True, False}
    assert (ahead > 0) == (rows > 1)


def test_well_is_who_keeps_all_promises() -> None:
    """Closures of which a bound is asked that half of the states break, as single runs are asked."""
    model, rng = ce.compile(floating_coupler()), np.random.default_rng(0)
    Y = np.zeros((3, 2, LANES))
    Y[:, 0] = rng.uniform(-math.pi, math.pi, (3, LANES))
    error = seen(model, np.arange(3.0), Y).closures
    model.closure_limits = np.median(error.max(axis=0), axis=1)
    postconditions = Postconditions(model)
    with patch.object(Postconditions, "of", lambda model: postconditions):
        outcome = seen(model, np.arange(3.0), Y)
    for lane in range(LANES):
        parts = Observed(*(part[..., lane] for part in (outcome.outputs, outcome.closures, outcome.gearing)))
        fault = postconditions.first_fault(np.arange(3.0), Y[..., lane], outcome.U[..., lane], parts)
        assert outcome.well[lane] == (fault is None)
    assert 0 < outcome.well.sum() < LANES


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_number_not_finite_concerns_its_run_only(bad: float) -> None:
    model = ce.compile(ranged_slide())
    Y = np.tile(model.y0[:, np.newaxis], (5, 1, LANES))
    assert seen(model, 0.1 * np.arange(5), Y).well.all()
    Y[3, 1, 2] = bad
    outcome = seen(model, 0.1 * np.arange(5), Y)
    assert list(np.flatnonzero(~outcome.well)) == list(np.flatnonzero(~outcome.calm)) == [2]


def test_results_after_a_failure_are_nan() -> None:
    model = ce.compile(ranged_slide())
    Y = np.tile(model.y0[:, np.newaxis], (5, 1, LANES))
    Y[2:, :, 4] = np.nan
    outcome = seen(model, 0.1 * np.arange(5), Y)
    for part in (outcome.U, outcome.outputs):
        blank = np.isnan(part).all(axis=1)
        assert blank[2:, 4].all()
        assert not np.isnan(part[:2]).any()
        assert blank.sum() == 3
