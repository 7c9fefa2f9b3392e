"""Ensembles whose rates are of single precision: how far they are from double, and what stays exact."""

from typing import Any

import numpy as np
import pytest
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.errors import ModelError
from tests.ce_dynamics.simulation.ensembles.test_simulation import Swing, crank_rocker, starts
from tests.support.on_charts import five_bars
from tests.support.systems import five_bar, slider_crank


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.compile(crank_rocker())


@pytest.mark.parametrize(
    "given",
    [{"method": "rk4"}, *({"method": pair, "rtol": 1e-4, "atol": 1e-6} for pair in ("dopri5", "tsit5"))],
)
def test_as_near_to_double_as_the_rates_are(model: ce.Model, given: dict[str, Any]) -> None:
    """Rates of size 50 are wrong by some 2⁻²⁴ of what acts, 1e-5; over 0.5 s that is 1e-6 of the angles."""
    common: dict[str, Any] = {**given, "inputs": Swing(), "duration": 0.5, "interval": 0.1}
    y0s, masses = starts(model, 19), np.linspace(0.5, 2.0, 19)
    double = ce.simulate_ensemble(model, y0s, {"mass": masses}, **common)
    single = ce.simulate_ensemble(model, y0s, {"mass": masses}, precision="single", **common)
    assert (single.attrs["precision"], single.attrs["lanes"]) == ("single", 16)
    assert double.attrs["precision"] == "double"
    apart = abs(single["arm"] - double["arm"]).max()
    assert 1e-12 < apart < (1e-5 if given["method"] == "rk4" else 1e-4)  # it is another, and no worse
    exact = ce.simulate(
        model, Swing(), y0=y0s[3], parameters={"mass": masses[3]}, duration=0.5, interval=0.1,
        method="DOP853", rtol=1e-11, atol=1e-12,
    )  # fmt: skip
    assert abs(single["arm"][3] - exact["arm"]).max() < 1e-4


def test_groups_and_threads_do_not_matter(model: ce.Model) -> None:
    y0s = starts(model, 21)
    common: dict[str, Any] = {"duration": 0.1, "precision": "single"}
    first = ce.simulate_ensemble(model, y0s, threads=1, **common)
    again = ce.simulate_ensemble(model, y0s[::-1], threads=3, **common)
    xr.testing.assert_equal(
        first["arm"], again["arm"].isel(run=slice(None, None, -1)).assign_coords(run=first.run)
    )


def test_loops_are_closed_as_ever() -> None:
    """Stored values are computed in double precision: rounding of single precision would be 1e-7."""
    model = ce.compile(slider_crank(0.3, 1.0, 0.5))
    runs = ce.simulate_ensemble(model, [model.y0] * 3, duration=0.1, precision="single")
    assert set(runs["status"].values) == {"completed"}
    assert 0.0 <= runs["closure_error"].max() < 1e-13
    assert abs(runs["time_reached"] - 0.1).max() < 1e-15


def test_precisions_that_there_are_not(model: ce.Model) -> None:
    with pytest.raises(ModelError, match="precision"):
        ce.simulate_ensemble(model, duration=0.1, precision="half")


@pytest.mark.parametrize("method", ["rk4", "rosenbrock"])
def test_loops_that_are_solved_by_iteration(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    """Five bars whose pairs are not recognised, so that they are led by Newton's steps.

    Rates are wrong by some 2⁻²⁴ of what acts, as with closed forms; what is stored is closed as ever.
    """
    monkeypatch.setattr("ce_dynamics.embedding.complete.planar_dyad", lambda part: None)
    model = ce.compile(five_bar())
    assert any(linkage.why_numeric for linkage in model.embedding.aggregates[0].linkages)
    common: dict[str, Any] = {"duration": 0.5, "interval": 0.1, "method": method}
    double, single = (
        ce.simulate_ensemble(model, [model.y0 + 0.1], precision=each, **common)
        for each in ("double", "single")
    )
    assert single["status"].values.tolist() == ["completed"]
    assert 1e-12 < abs(single["left"] - double["left"]).max() < 1e-5
    assert single["closure_error"].max() < 1e-13


def test_loops_on_charts() -> None:
    """Five bars turn at 3 rad/s, over some changes of charts."""
    model = ce.compile(five_bars())
    y0 = model.y0.copy()
    y0[-2:] = 3.0, -2.0
    double, single = (
        ce.simulate_ensemble(model, y0, duration=0.5, interval=0.1, precision=each)
        for each in ("double", "single")
    )
    assert single["status"].values.tolist() == ["completed"]
    assert np.ptp(single["bar_0"].values) > 0.8  # two charts' widths
    assert 1e-12 < abs(single["bar_3"] - double["bar_3"]).max() < 1e-4


def test_what_single_precision_cannot_hold_is_refused(model: ce.Model) -> None:
    """Its largest number is 3.4e38."""
    given: dict[str, Any] = {"parameters": {"k": 1e39}, "duration": 1e-3}
    assert np.isfinite(model.dynamics(model.y0, model.inputs_with({"k": 1e39}))[0]).all()
    with pytest.raises(ModelError, match="precision 'single' finds no accelerations"):
        ce.simulate_ensemble(model, precision="single", **given)
