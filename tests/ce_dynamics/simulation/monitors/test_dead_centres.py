"""Runs by a coordinate that dead centres end: they stop there by name, not thrown over unnoticed."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.linkage import Limits
from ce_dynamics.errors import SimulationError, SingularityWarning
from ce_dynamics.kinematics.four_bar import FourBar
from ce_dynamics.mechanism.couplings.cut_edge import LoopClosure
from ce_dynamics.mechanism.forces.torsion import TorsionSpringDamper
from ce_dynamics.mechanism.system import System
from ce_dynamics.simulation.monitors.reach import Reaches
from tests.ce_dynamics.recursion_systems import add_linkage
from tests.support.systems import four_bar, slider_crank

CRANK_ROCKER = (1.0, 3.0, 2.5, 3.2)


def by_slider(v: float = -1.5) -> System:
    system = slider_crank(0.3, 1.0, 0.5, ["slider"])
    system.start("slider", v=v)
    return system


def by_rocker() -> System:
    system = four_bar(CRANK_ROCKER, 0.7, independent=["rocker"])
    system.start("rocker", q=0.4, v=2.0)
    return system


def first_dead_centre(system: System, body: str) -> float:
    """Return the path coordinate at which the motion from the start first meets it."""
    path = slider_crank(0.3, 1.0, 0.5) if body == "slider" else four_bar(CRANK_ROCKER, 0.7)
    closure = path.closures.pop()
    assert isinstance(closure, LoopClosure)
    path.close_loop(
        "pin", closure.bodies[0], closure.bodies[1], closure.closure, [body], through_dead_centres=True
    )
    path.start(body, q=system.initial.get(body, 0.0), v=system.initial_rates[body])
    run = ce.simulate(Model(path), duration=0.5, interval=1e-3, rtol=1e-9, atol=1e-11)
    rate = run[f"{body}_rate"].values
    k = int(np.argmax(rate * rate[0] < 0.0))
    return float(run["time"].values[k - 1] + 1e-3 * rate[k - 1] / (rate[k - 1] - rate[k]))


@pytest.fixture(scope="module")
def dead_centres() -> dict[str, float]:
    return {
        "slider": first_dead_centre(by_slider(), "slider"),
        "rocker": first_dead_centre(by_rocker(), "rocker"),
    }


COARSE = {"rtol": 1e-3, "atol": 1e-4}
RUNS: list[tuple[str, dict[str, Any]]] = [
    ("RK45", {}), ("RK45", COARSE), ("RK23", {}), ("DOP853", {}), ("LSODA", {}), ("dopri5", {}),
    ("dopri5", COARSE), ("rk4", {"step": 1e-3}),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::ce_dynamics.errors.SingularityWarning")
@pytest.mark.parametrize(("method", "options"), RUNS)
@pytest.mark.parametrize("body", ["slider", "rocker"])
def test_no_run_goes_on_behind_a_dead_centre(
    body: str, method: Any, options: dict[str, Any], dead_centres: dict[str, float]
) -> None:
    """Some of these methods were thrown over it: they would go on, to energies wrong by any amount.

    What is left of the run ends before the dead centre, and its energy is that of the start: to a percent, or
    for the coarse settings to what 1e-3 of θ̇ makes where the other hinges are some tens of times as fast.
    """
    model = Model(by_slider() if body == "slider" else by_rocker())
    with pytest.raises(SimulationError) as stop:
        ce.simulate(model, duration=3.0, method=method, **options)
    partial: Any = stop.value.partial
    assert partial["time"].values[-1] < dead_centres[body] + 1e-6
    energy = partial["energy"].values
    assert np.ptp(energy) < (0.2 if options is COARSE else 0.01) * abs(energy[0])


def test_message_has_place_and_remedy() -> None:
    with pytest.raises(
        SimulationError, match=r"over a dead centre of 'rocker' after t = 0\.\d+ s.*through_dead_centres=True"
    ):
        ce.simulate(Model(by_rocker()), duration=3.0, method="RK23", **COARSE)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::ce_dynamics.errors.SingularityWarning")
def test_message_of_a_run_that_stops_at_it() -> None:
    with pytest.raises(
        SimulationError, match=r"stands at a dead centre of 'slider', at -0\.5528\d*: .*through_dead_centres"
    ):
        ce.simulate(Model(by_slider()), duration=3.0, method="rk4", step=1e-3)


def sprung(turning_at: float) -> System:
    """A stiff spring turns the slider back shortly before its dead centre at 0.0471."""
    system = by_slider(0.0)
    free = turning_at - 0.05
    system.add_force(TorsionSpringDamper("stop", system.find("slider"), spring=4000.0, free=free))
    system.start("slider", q=turning_at)
    return system


def test_legitimate_turn_near_a_dead_centre_only_warns() -> None:
    """Released 1e-6 before its dead centre, where the crank, which hangs, is 600 times as fast."""
    system = slider_crank(0.3, 1.0, -0.5, ["slider"])
    system.start("slider", q=0.0471225 - 1e-6)
    model = Model(system)
    with pytest.warns(SingularityWarning, match=r"'crank' came near a dead centre of 'slider' at t = 0 s"):
        run = ce.simulate(model, duration=0.3, method="DOP853", rtol=1e-10, atol=1e-13)
    assert run["slider"].values[-1] < 0.0


def test_runs_away_from_dead_centres_do_not_warn() -> None:
    system = sprung(0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ce.simulate(Model(system), duration=0.05)


def test_what_is_watched() -> None:
    (watch,) = Reaches(Model(by_slider())).known
    assert watch.name == "slider"
    np.testing.assert_allclose((watch.lower, watch.upper), (-0.552877519, 0.047122481), atol=1e-9)
    assert not Reaches(Model(slider_crank(0.3, 1.0, 0.5))).known  # the crank turns round and round
    # φ is the position between the ends as an angle, and its rate that of the linkage
    middle = 0.5 * (watch.lower + watch.upper)
    Y = np.array([[middle, 0.6], [watch.upper - 0.15, 0.6]])
    phi, rate = watch.phase(Y)
    np.testing.assert_allclose(phi, (0.0, math.asin(0.5)), atol=1e-9)
    np.testing.assert_allclose(rate, (2.0, 2.0 / math.cos(math.asin(0.5))), rtol=1e-8)


def test_passages() -> None:
    """A step that would go beyond the end, and instants near it with those on either side."""
    (watch,) = Reaches(Model(by_slider())).known
    middle, half = 0.5 * (watch.lower + watch.upper), 0.5 * (watch.upper - watch.lower)
    phi = np.array([0.0, 1.0, 1.4, 1.3, 0.5, 1.55, 1.56, 1.2, 1.56])
    phi_rate = np.array([1.0, 1.0, 3.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    Y = np.column_stack((middle + half * np.sin(phi), phi_rate * half * np.cos(phi)))
    assert watch.passages(0.1 * np.arange(9.0), Y) == [(2, 3), (4, 7), (7, 9)]


def test_users_linkage_reports_where_it_ends() -> None:
    """Two dead centres that no run need look for, and a remedy that only its author has."""

    class Tongs(FourBar):
        def monitor(self) -> Limits:
            return Limits(self.reach(), remedy="open the tongs before they are turned")

    def model_with(kind: type[FourBar]) -> Model:
        system = System(gravity=(0, 0, 0))
        linkage = kind((0, 0, 0), (0, 0.2, 1), (0, 0.7, 1), (0, 1, 0), (1, 0, 0), frame="ground")
        add_linkage(system, linkage, np.random.default_rng(0))
        system.start("crank", q=0.1, v=4.0)
        return Model(system)

    assert Reaches(model_with(FourBar)).known == []
    model = model_with(Tongs)
    (linkage,) = model.embedding.aggregates[0].linkages
    low, high = linkage.reach() or (math.nan, math.nan)
    (watch,) = Reaches(model).known
    assert (watch.name, watch.lower, watch.upper) == ("crank", low, high)
    with pytest.raises(SimulationError, match="open the tongs before they are turned") as caught:
        ce.simulate(model, duration=3.0, method="rk4", step=2e-3)
    partial = caught.value.partial
    assert isinstance(partial, xr.Dataset)
    assert float(partial["crank"].max()) <= high
