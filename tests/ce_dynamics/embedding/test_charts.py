"""Loops with several freedoms led by no hinge: coordinates on charts, and their changes on the way.

Lengths are about 1 and charts are used up to 0.4 from where they touch, so positions are good to about 1e-15
and rates too.
"""

import math
import warnings
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import FullyAugmented, Preparation, compute_accelerations, simulate_dae
from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.charts import FARTHEST, STEEPEST, WORN, ChartLinkage
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.whole_loop import chart_of
from ce_dynamics.simulation.monitors.charts import Charts
from ce_dynamics.simulation.monitors.failure_location import warn_if_steep
from ce_dynamics.simulation.results import observe_run
from tests.ce_dynamics.dynamics.test_control import Held
from tests.ce_dynamics.embedding.test_loops import Case
from tests.support.augmented import NOTHING
from tests.support.elements import HingeInput
from tests.support.systems import CHARTS, Z, add, dyad, five_bar, rssr, through


@pytest.fixture(scope="module", params=CHARTS)
def mechanism(request: pytest.FixtureRequest) -> Embedding:
    return embed(CHARTS[request.param]())


def linkage_of(embedding: Embedding) -> ChartLinkage:
    linkage = chart_of(next(S for S in embedding.aggregates if S.closures))
    assert linkage is not None
    return linkage


def random_state(embedding: Embedding, rng: np.random.Generator) -> tuple[Array, Array]:
    return Case("chart", "", embedding).random_state(rng)


# Kinematics


def test_another_chart_is_the_same_state(mechanism: Embedding, rng: np.random.Generator) -> None:
    """Positions, velocities and accelerations of all bodies, as seen from both charts."""
    linkage = linkage_of(mechanism)
    q, v = random_state(mechanism, rng)
    _, q_new, v_new = linkage.renewal(q, v)
    assert float(linkage.renewal(q_new, v_new)[0]) < 1e-6
    np.testing.assert_array_equal(q_new[: len(v)], 0.0)
    system = mechanism.system
    one, other = Outward(mechanism, q, v, {}), Outward(mechanism, q_new, v_new, {})
    for body in system.bodies:
        a, b = one.placement(body, system.ground), other.placement(body, system.ground)
        for part in ("R", "r", "v", "w"):
            np.testing.assert_allclose(getattr(b, part), getattr(a, part), rtol=0.0, atol=1e-13)
    ours = compute_accelerations(mechanism, q, v, NOTHING, NOTHING)
    theirs = compute_accelerations(mechanism, q_new, v_new, NOTHING, NOTHING)
    for name, value in ours.items():
        np.testing.assert_allclose(theirs[name], value, rtol=0.0, atol=1e-10)


def test_code_without_python_renews_worn_charts(mechanism: Embedding, rng: np.random.Generator) -> None:
    """The state is the same, no later than in runs: 1 − (1 + e)^(−½) is concave, and e at most N times."""
    linkage = linkage_of(mechanism)
    N, system = linkage.coordinate.inboard.n_v, mechanism.system

    def renewal(c: Array, v: Array) -> dict[str, Array]:
        wear, c_new, v_new = linkage.renewal(c, v)
        return {"wear": np.array([wear]), "c": c_new, "v": v_new}

    renew = compile_function(trace("renewal", renewal, {"c": linkage.coordinate.inboard.n_q, "v": N}))
    for size in (0.1, 0.3, 0.41):
        c, v = random_state(mechanism, rng)
        c[0] = math.copysign(size, c[0])
        (wear,), c_new, v_new = (np.array(part) for part in renew(c, v))
        T_old, T = (part[N + linkage.n :].reshape(linkage.n, N) for part in (c, c_new))
        turned = 1.0 - float(np.linalg.svd(T_old.T @ T, compute_uv=False)[-1])
        exact = max(float(np.abs(c[:N]).max()) / FARTHEST, turned / (1.0 - STEEPEST))
        assert exact - 1e-12 <= wear <= N * exact + 1e-12
        np.testing.assert_allclose(T.T @ T, np.eye(N), atol=1e-14)
        np.testing.assert_array_equal(c_new[:N], 0.0)
        one, other = Outward(mechanism, c, v, {}), Outward(mechanism, c_new, v_new, {})
        for body in system.bodies:
            a, b = one.placement(body, system.ground), other.placement(body, system.ground)
            for part in ("R", "r", "v", "w"):
                np.testing.assert_allclose(getattr(b, part), getattr(a, part), rtol=0.0, atol=1e-13)


def test_far_from_its_chart_there_is_nothing(mechanism: Embedding) -> None:
    linkage = linkage_of(mechanism)
    N = linkage.coordinate.inboard.n_v
    c = linkage.coordinate.inboard.neutral
    c[:N] = 20.0
    with np.errstate(all="ignore"):
        wear, *_ = linkage.renewal(c, np.ones(N))
    assert not wear <= 1.0
    S = next(S for S in mechanism.aggregates if S.closures)
    motion = Outward(mechanism, c, np.ones(N), {}).motions[S.name]
    numbers = np.concatenate([motion.hinge_motions[body.name].c for body in S.bodies]).astype(float)
    assert np.all(np.isnan(numbers)) or np.all(np.isfinite(numbers))


@pytest.mark.parametrize("lost", [np.nan, np.inf, 1e300])
def test_what_is_no_number_has_left_its_chart(lost: float) -> None:
    model = ce.Model(CHARTS["five-bar"]())
    charts, y = Charts(model), model.y0
    y[0] = lost
    before = y.copy()
    assert charts.measure_use(y) == np.inf
    assert not charts.renew(y)
    np.testing.assert_array_equal(y, before)


# Runs


def folding(led: bool) -> ce.System:
    """A five-bar whose couplers fold onto each other after 0.343 s: its cranks do not lead it on."""
    system = five_bar() if led else CHARTS["five-bar"]()
    system.start("left", v=-6.0)
    system.start("right", v=6.8)
    return system


def falling(led: bool) -> ce.System:
    """A five-bar whose left crank goes round almost twice in two seconds."""
    system = five_bar() if led else CHARTS["five-bar"]()
    system.start("left", q=0.2, v=0.7)
    system.start("right", q=-0.3, v=0.5)
    return system


def turned(angle: Array, arm: tuple[float, float], foot: float) -> Array:
    """Return the place of a point of a crank, (times, 2)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array((foot + c * arm[0] - s * arm[1], s * arm[0] + c * arm[1])).T


def test_a_run_through_a_singular_choice_of_coordinates() -> None:
    """Couplers of 1.1 and 1.3 come in line, where their far ends are 0.2 apart, and go on as in the DAE.

    IDA at 1e-9 makes errors of some thousand tolerances over a second (`reference.test_trajectories`).
    """
    model = ce.Model(folding(led=False))
    run = ce.simulate(model, duration=0.6, method="DOP853", rtol=1e-11, atol=1e-12, interval=1e-3)
    left, right = run["left"].values, run["right"].values
    apart = np.linalg.norm(turned(left, (-0.3, 0.6), 0.0) - turned(right, (0.4, 0.5), 1.0), axis=1)
    k = int(np.argmin(apart))
    assert 0.2 <= apart[k] < 0.2001
    assert run["time"].values[k] == pytest.approx(0.343, abs=1e-3)
    assert apart[-1] > 0.5
    assert np.ptp(run["energy"].values) < 1e-7
    full = FullyAugmented(model.system)
    q, v, x = model.layout.split(model.y0)
    start = full.state_from_embedded(model.embedding, q, v, x, NOTHING)
    times = np.linspace(0.0, 0.6, 13)
    reference = simulate_dae(Preparation(model.system, start), None, times, rtol=1e-9, atol=1e-9)
    for name, foot, com in (("left", 0.0, (-0.15, 0.3)), ("right", 1.0, (0.2, 0.25))):
        found = turned(run[name].values[::50], com, foot)
        np.testing.assert_allclose(reference.body(name).r[:, :2], found, rtol=0.0, atol=1e-5)


@pytest.mark.usefixtures("by_newton")
@pytest.mark.parametrize("method", ["DOP853", "dopri5", "rk4"])
def test_hinges_that_cease_to_lead_are_named(method: Any) -> None:
    """The same run by its cranks ends before it is there, with time, loop, coordinates and remedy."""
    tight: dict[str, Any] = {} if method == "rk4" else {"rtol": 1e-9, "atol": 1e-11}
    with pytest.raises(
        ce.SimulationError,
        match=r"at t = 0\.3[0-4]\d* s; the loop of 'left' .* by \['left', 'right'\] .*through_dead_centres",
    ):
        ce.simulate(ce.Model(folding(led=True)), duration=0.6, method=method, **tight)


def test_a_warning_near_a_singular_configuration() -> None:
    """With the threshold just below the norm of X_S in one of two states."""
    model = ce.Model(five_bar())
    y = np.array([[0.0, 0.0, 1.0, 1.0], [-1.0, 1.15, 1.0, 1.0]])
    u = np.zeros((2, 0))
    gearing = observe_run(model, y, u).gearing
    worst = float(gearing[1, 0])
    assert warn_if_steep(model, np.array((0.0, 0.1)), y, gearing) == ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ce_dynamics.simulation.monitors.failure_location.STEEP", 0.9 * worst)
        with pytest.warns(
            ce.SingularityWarning, match=r"at t = 0\.1 s: 'left' = -1 and 'right' = 1\.15 hardly"
        ):
            note = warn_if_steep(model, np.array((0.0, 0.1)), y, gearing)
    assert "near a singular configuration of 'left' = -1" in note


def test_gearing_is_the_norm_of_what_hinges_lead() -> None:
    """The reference is the rates of couplers per rates of cranks, by differences of their coordinates."""
    model = ce.Model(five_bar())
    y = np.array((0.2, -0.3, 0.0, 0.0))
    couplers = [model.system.find(name) for name in ("left coupler", "right coupler")]

    def angles(step: Array) -> Array:
        outward = model.instant(y + np.append(step, (0.0, 0.0)), model.u0).outward
        return np.array([outward.coordinate(body) for body in couplers], dtype=float)

    X = np.array([(angles(1e-5 * e) - angles(-1e-5 * e)) / 2e-5 for e in np.eye(2)])
    gearing = observe_run(model, y[np.newaxis], model.u0[np.newaxis]).gearing
    assert gearing[0, 0] == pytest.approx(np.linalg.norm(X), rel=1e-8)
    assert not ce.Model(falling(False)).geared_loops


def test_runs_far_from_singular_configurations_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ce.simulate(ce.Model(falling(led=True)), duration=0.3)


@pytest.mark.parametrize("method", ["dopri5", "rk4", "LSODA"])
def test_methods_agree_across_charts(method: Any) -> None:
    """Two seconds and 1.9 turns of a crank, on some forty charts."""
    options = {"duration": 2.0, "interval": 0.02}
    tight = ce.simulate(ce.Model(falling(False)), method="DOP853", rtol=1e-11, atol=1e-12, **options)  # type: ignore[arg-type]
    options |= {"step": 5e-4} if method == "rk4" else {"rtol": 1e-9, "atol": 1e-11}
    run = ce.simulate(ce.Model(falling(False)), method=method, **options)  # type: ignore[arg-type]
    assert tight["left"].values[-1] > 11.0
    for name in ("left", "right", "left_coupler"):
        np.testing.assert_allclose(run[name], tight[name], rtol=0.0, atol=2e-5)
    assert float(run["closure_error"].max()) < 1e-14
    assert not any("chart_at" in name or "chart_along" in name for name in map(str, run))


def test_worn_charts_are_left_in_any_order(rng: np.random.Generator) -> None:
    model = ce.Model(CHARTS["platform"]())
    charts = Charts(model)
    y, renewed = model.y0, 0
    for _ in range(100):
        y[:3] = rng.uniform(-0.45, 0.45, 3)  # of 0.4: a third of them is worn
        wear = charts.measure_use(y)
        left = charts.renew(state := y.copy())
        assert left == (WORN <= wear < math.inf)
        renewed += left
        assert np.array_equal(state, y) != left
    assert 10 < renewed < 60


def test_simulator_changes_charts() -> None:
    model = ce.Model(falling(False))
    simulator = ce.Simulator(model, method="rk4", step=5e-4)
    energy = simulator.outputs()["energy"]
    for _ in range(100):
        simulator.step(0.02)
    assert simulator.outputs()["energy"] == pytest.approx(energy, abs=1e-4)
    assert simulator.outputs()["left"] > 11.0


def test_charts_are_checked_however_rarely_states_are_stored() -> None:
    model = ce.Model(falling(False))
    options: dict[str, Any] = {"duration": 1.0, "method": "rk4", "step": 1e-3}
    often, once = (ce.simulate(model, interval=interval, **options) for interval in (0.01, 1.0))
    simulator = ce.Simulator(model, method="rk4", step=1e-3)
    simulator.step(1.0)
    for name in ("left", "right", "left_coupler"):
        assert float(once[name][-1]) == pytest.approx(float(often[name][-1]), abs=1e-9)
    assert simulator.outputs()["left"] == pytest.approx(float(often["left"][-1]), abs=1e-9)


def test_charts_are_checked_between_samples_off_the_grid() -> None:
    """The five bars fall beside a cart whose controller looks four times in a second: 319 steps go by."""
    system = falling(False)
    add(system, "cart", "ground", ce.Prismatic((1, 0, 0), (0, 5, 0)), np.array((0.0, 5.0, 0.0)))
    system.add_input("force", "N")
    system.add_force(HingeInput("push", system.bodies[-1], "force"))
    system.add_controller(Held(1.0 / math.pi))
    model = ce.Model(system)
    run = ce.simulate(model, duration=1.0, interval=1.0, method="rk4", step=1e-3)
    assert float(run["left"][-1]) > 2.0  # charts reach 0.4
    simulator = ce.Simulator(model, method="rk4", step=1e-3)
    simulator.step(1.0)
    for name in ("left", "right"):
        assert simulator.outputs()[name] == pytest.approx(float(run[name][-1]), abs=1e-12)


def test_a_rod_that_spins_between_balls() -> None:
    """Energy is kept, and its spin about its own axis is a freedom like the other."""
    system = CHARTS["RSSR"]()
    system.start("crank", v=6.0)
    system.start("rocker", v=0.0)
    with pytest.raises(ce.IndependentCoordinatesError, match=r"cannot move with the initial rates"):
        ce.Model(system)
    system = CHARTS["RSSR"]()
    model = ce.Model(system)
    y0 = model.y0
    y0[-2:] = (3.0, -2.0)
    run = ce.simulate(model, y0=y0, duration=1.0, method="DOP853", rtol=1e-10, atol=1e-12)
    assert np.ptp(run["energy"].values) < 1e-7
    assert float(run["closure_error"].max()) < 1e-13


def test_components_are_refused_on_charts() -> None:
    system = rssr()
    system.closures.clear()
    system.close_loop(
        "ball", "rod", "rocker", ce.Spherical((1.0, 0.2, 0.9)), [("rod", "roll")], through_dead_centres=True
    )
    with pytest.raises(ce.IndependentCoordinatesError, match=r"'rod\.roll'.* have dead centres of their own"):
        embed(system)


# Initial values


def test_initial_values_by_any_hinges() -> None:
    given = ce.Model(falling(False))
    outward = given.instant(given.y0, given.u0).outward
    system = CHARTS["five-bar"]()
    for name in ("left coupler", "right coupler"):
        body = given.system.find(name)
        system.start(name, q=outward.coordinate(body), v=outward.rate(body))
    model = ce.Model(system)
    again = model.instant(model.y0, model.u0).outward
    for body in system.bodies:
        before = given.system.find(body.name)
        assert again.coordinate(body) == pytest.approx(outward.coordinate(before), abs=1e-12)
        assert again.rate(body) == pytest.approx(outward.rate(before), abs=1e-12)


def test_named_hinges_stay_by_default() -> None:
    system = through(five_bar(), "right")
    system.start("left", q=0.3, v=1.0)
    model = ce.Model(system)
    outward = model.instant(model.y0, model.u0).outward
    right, left = system.find("right"), system.find("left")
    assert outward.coordinate(right) == pytest.approx(0.0, abs=1e-13)
    assert outward.rate(right) == pytest.approx(0.0, abs=1e-13)
    assert outward.coordinate(left) == pytest.approx(0.3, abs=1e-13)
    assert outward.rate(left) == pytest.approx(1.0, abs=1e-13)


def test_starts_where_the_design_pose_is_open() -> None:
    """A rod that is longer than drawn turns all hinges before any gets its start."""
    B, C, D = np.array((-0.3, 0.6, 0.0)), np.array((0.4, 1.2, 0.0)), np.array((1.4, 0.5, 0.0))
    system = ce.System()
    add(system, "left", "ground", ce.Revolute(Z), 0.5 * B)
    add(system, "coupler", "left", ce.Revolute(Z, B), 0.5 * (B + C))
    add(system, "right", "ground", ce.Revolute(Z, (1.0, 0.0, 0.0)), 0.5 * D)
    rod = ce.Distance(C, D, length=1.4)  # drawn: 1.22
    system.close_loop("rod", "coupler", "right", rod, through_dead_centres=True)
    system.start("left", q=0.3)
    model = ce.Model(system)
    outward = model.instant(model.y0, model.u0).outward
    left, coupler, right = (outward.coordinate(system.find(name)) for name in ("left", "coupler", "right"))
    assert left == pytest.approx(0.3, abs=1e-13)
    end = turned_plane(left, B + turned_plane(coupler, C - B))
    foot = np.array((1.0, 0.0, 0.0))
    rod_end = foot + turned_plane(right, D - foot)
    assert np.linalg.norm(end - rod_end) == pytest.approx(1.4, abs=1e-12)


def turned_plane(angle: float, p: Array) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array((c * p[0] - s * p[1], s * p[0] + c * p[1], 0.0))


def test_initial_coordinates_out_of_reach() -> None:
    """The cranks' pins would meet, but bars of 1.1 and 1.3 cannot be folded to less than 0.2."""
    system = CHARTS["five-bar"]()
    system.start("left", q=-1.33)
    system.start("right", q=1.51)
    with pytest.raises(
        ce.AssemblyError, match=r"closure 'pin' stays open by .* on the way to .* at \d+% of it"
    ):
        ce.Model(system)


@pytest.mark.parametrize("longer", [5e-3, 1e-4, 1e-7])
@pytest.mark.parametrize("angle", [3.0, -3.5])
def test_start_is_on_branch_of_the_design_pose(angle: float, longer: float) -> None:
    """A rod and a rocker that are longer than crank and ground together by next to nothing.

    Where they stretch, the other branch is as near as √longer: the pin may not change sides.
    """
    foot, B = np.array((2.0, 0.0, 0.0)), about(1.0)
    C = dyad(B, foot, 2.0, 1.0 + longer, 1.0)
    system = ce.System()
    add(system, "crank", "ground", ce.Revolute(Z), 0.5 * B)
    add(system, "rod", "crank", ce.Revolute(Z, B), 0.5 * (B + C))
    add(system, "slide", "ground", ce.Prismatic((1, 0, 0), foot), foot)
    add(system, "rocker", "slide", ce.Revolute(Z, foot), 0.5 * (C + foot))
    system.close_loop("pin", "rod", "rocker", ce.Revolute(Z, C), through_dead_centres=True)
    system.start("crank", q=angle)
    system.start("slide", q=0.0)
    poses = ce.Model(system).poses()
    there = about(1.0 + angle)
    pin = there + poses.rotations[poses.bodies.index("rod")] @ (C - B)
    np.testing.assert_allclose(pin, dyad(there, foot, 2.0, 1.0 + longer, 1.0), rtol=0, atol=1e-12)


def about(angle: float) -> Array:
    return np.array((math.cos(angle), math.sin(angle), 0.0))


def test_rates_that_do_not_determine_the_motion() -> None:
    system = CHARTS["five-bar"]()
    system.start("left", v=1.0)
    with pytest.raises(ce.IndependentCoordinatesError, match=r"rates of \['left'\] do not determine"):
        ce.Model(system)


def test_worn_charts_are_found() -> None:
    model = ce.Model(falling(False))
    charts, y = Charts(model), model.y0
    assert charts
    assert not charts.renew(y)
    y[0] = 0.41  # of 0.4
    assert charts.measure_use(y) > 1.0
    assert charts.renew(y)
    assert y[0] == 0.0
    assert not Charts(ce.Model(five_bar()))
    assert math.isclose(charts.measure_use(y), 0.0, abs_tol=1e-9)


def test_description_names_charts() -> None:
    text = str(CHARTS["five-bar"]().describe())
    assert "independent  left.chart" in text
    assert "found on charts of its configurations" in text
