"""The native methods: order, stability, agreement with plain NumPy, reproducibility, failures."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ce_dynamics.algebra.arrays import Scalar, sin
from ce_dynamics.compiled.integration_methods import EMBEDDED, FIXED, IMPLICIT, METHOD_OF, NATIVE_METHODS
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.models import hmmwv
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.integrators.stepper import Adaptive
from ce_dynamics.simulation.native_run import make_stepper, march
from ce_dynamics.simulation.right_hand_side import RightHandSide
from ce_dynamics.simulation.simulate import simulate
from tests.ce_dynamics.simulation.integrators import plain
from tests.ce_dynamics.simulation.integrators.systems import PENDULUM_START, Wave, pendulum, slider
from tests.support.systems import four_bar

Floats = NDArray[np.float64]
ORDER = {name: scheme.order for name, scheme in METHOD_OF.items() if scheme.fixed}
TIGHT: dict[str, Any] = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}


class SmoothSteer:
    """A steering movement without corners, and a throttle that listens to a sensor."""

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        s = sin(2.0 * np.pi * t)
        return {"steering": 0.2 * s * s, "throttle": 0.3 + 0.02 * sensors["yaw_rate"]}


@cache
def vehicle() -> tuple[Model, Floats]:
    model = Model(hmmwv.build(speed=12.0))
    return model, hmmwv.settle(model)


def final_state(model: Model, law: Any, y0: Floats, duration: float, **how: Any) -> Floats:
    """[q; v; x] at the end of a run, integrated without data sets around it."""
    settings = Settings(
        how["method"],
        how.get("step", 1e-3),
        how.get("rtol", 1e-6),
        how.get("atol", 1e-8),
        np.inf,
        how.get("jacobian_every", 1),
    )
    rhs = RightHandSide(model, law)
    stepper = make_stepper(settings, rhs.dynamics, rhs.control, rhs.inputs_at(0.0, y0), y0, model)
    reached = march(stepper, np.array([0.0, duration]), lambda t, n: None)
    assert not reached.trouble
    return np.asarray(reached.Y[-1])


def tight(model: Model, law: Any, y0: Floats, duration: float) -> Floats:
    from scipy.integrate import solve_ivp

    rhs = RightHandSide(model, law)
    return np.asarray(solve_ivp(rhs, (0.0, duration), y0, **TIGHT).y[:, -1])


def observed_orders(
    method: str, model: Model, law: Any, y0: Floats, T: float, n: int, jacobian_every: int = 1
) -> Floats:
    """log2 of the ratios of errors when the number of steps is n, 2n, 4n; states scaled by their change."""
    exact = tight(model, law, y0, T)
    scale = np.maximum(np.abs(exact - y0), 1e-3)
    how = {"method": method, "jacobian_every": jacobian_every}
    states = [final_state(model, law, y0, T, step=T / m, **how) for m in (n, 2 * n, 4 * n)]
    errors = np.array([np.max(np.abs(y - exact) / scale) for y in states])
    return np.asarray(np.log2(errors[:-1] / errors[1:]))


# The next term of the error is smaller by O(h): at these steps it moves the observed order by less than 0.35.


@pytest.mark.parametrize("method", FIXED)
@pytest.mark.parametrize("law", [None, Wave()], ids=["held", "law"])
def test_order_on_a_double_pendulum(method: str, law: Any) -> None:
    n = {4: 160, 2: 640, 1: 5120}[ORDER[method]]
    orders = observed_orders(method, pendulum(), law, PENDULUM_START, 1.0, n)
    np.testing.assert_allclose(orders, ORDER[method], atol=0.35)


@pytest.mark.parametrize("method", FIXED)
def test_order_on_the_vehicle(method: str) -> None:
    model, y0 = vehicle()
    orders = observed_orders(method, model, SmoothSteer(), y0, 0.24, 30 if ORDER[method] == 4 else 60)
    np.testing.assert_allclose(orders, ORDER[method], atol=0.35)


@pytest.mark.parametrize("method", IMPLICIT)
def test_order_is_independent_of_age_of_jacobian(method: str) -> None:
    """Conditions for the order that hold for any matrix: what ROS2 was made for."""
    n = {"rosenbrock": 640, "implicit-euler": 5120}[method]
    orders = observed_orders(method, pendulum(), Wave(), PENDULUM_START, 1.0, n, jacobian_every=7)
    np.testing.assert_allclose(orders, ORDER[method], atol=0.35)
    model, y0 = vehicle()
    orders = observed_orders(method, model, SmoothSteer(), y0, 0.24, 60, jacobian_every=5)
    np.testing.assert_allclose(orders, ORDER[method], atol=0.35)


@pytest.mark.parametrize("method", EMBEDDED)
def test_adaptive_errors_follow_tolerance_on_a_double_pendulum(method: str) -> None:
    model = pendulum()
    exact = tight(model, Wave(), PENDULUM_START, 2.0)
    tolerances = 10.0 ** -np.arange(4.0, 11.0)
    errors = [
        np.max(np.abs(final_state(model, Wave(), PENDULUM_START, 2.0, method=method, rtol=r, atol=r) - exact))
        for r in tolerances
    ]
    # error per step is controlled: the global error goes with tolerance^(4/5) to tolerance^1
    slope = np.polyfit(np.log(tolerances), np.log(errors), 1)[0]
    assert 0.75 < slope < 1.15
    assert np.all(np.array(errors) < 100.0 * tolerances)


@pytest.mark.parametrize("method", EMBEDDED)
def test_adaptive_errors_follow_the_tolerance_on_the_vehicle(method: str) -> None:
    model, y0 = vehicle()
    exact = tight(model, SmoothSteer(), y0, 0.24)
    scale = np.maximum(np.abs(exact - y0), 1e-3)
    errors, tolerances = [], 10.0 ** -np.arange(4.0, 10.0)
    for rtol in tolerances:
        y = final_state(model, SmoothSteer(), y0, 0.24, method=method, rtol=rtol, atol=1e-2 * rtol)
        errors.append(np.max(np.abs(y - exact) / scale))
    assert errors[0] < 1e-2
    # laws of tyres have kinks: from one tolerance to the next steps may meet one elsewhere
    assert 0.75 < np.polyfit(np.log(tolerances), np.log(errors), 1)[0] < 1.25


@pytest.mark.parametrize("method", NATIVE_METHODS)
def test_stored_instants_lie_on_the_tight_solution(method: Any) -> None:
    model = pendulum()
    how: dict[str, Any] = {"duration": 0.55, "y0": PENDULUM_START, "interval": 0.1}
    steps: dict[str, Any] = {"step": 1e-4} if method in FIXED else {"rtol": 1e-8, "atol": 1e-8}
    run = simulate(model, Wave(), method=method, **steps, **how)
    exact = simulate(model, Wave(), **TIGHT, **how)
    assert run.time.values.tolist() == exact.time.values.tolist()
    # orders 1, 2 at steps of 1e-4 s with accelerations of some 1e2 rad/s², higher derivatives accordingly
    tolerance = {1: 5e-2, 2: 5e-6}.get(METHOD_OF[method].order, 1e-6)
    for name in ("arm0", "arm1", "arm0_rate", "arm1_rate", "push"):
        np.testing.assert_allclose(run[name], exact[name], atol=tolerance)


@pytest.mark.parametrize("hz", [1.0, 1e2, 1e4, 1e8])
@pytest.mark.parametrize("method", ["rosenbrock", "implicit-euler"])
def test_damping_of_stiff_modes(method: str, hz: float) -> None:
    """One step multiplies v of v̇ = −λ v by the stability function, which vanishes at infinity."""
    h, mass = 1e-2, 2.0
    y0 = np.array([0.0, 1.0])
    model = slider(damping=mass * hz / h, mass=mass)
    v = final_state(model, None, y0, h, method=method, step=h)[1]
    z, gamma = -hz, 1.0 - np.sqrt(0.5)
    R = (
        1.0 / (1.0 - z)
        if method == "implicit-euler"
        else (1.0 + (1.0 - 2.0 * gamma) * z) / (1.0 - gamma * z) ** 2
    )
    # cancellation in the stages costs some z² ε / (γ z)² of accuracy
    assert v == pytest.approx(R, rel=1e-9, abs=1e-14)
    assert abs(v) < 5.0 / hz or hz == 1.0


def test_rk4_does_not_survive_what_implicit_methods_do() -> None:
    model = slider(damping=2e6)
    how: dict[str, Any] = {"duration": 2.0, "step": 0.01, "y0": np.array([0.0, 1.0])}
    with pytest.raises(SimulationError, match="rk4 met accelerations that are not finite"):
        simulate(model, {"push": 1.0}, method="rk4", **how)
    for method in ("rosenbrock", "implicit-euler"):
        run = simulate(model, {"push": 1.0}, method=method, **how)
        assert run.mass_rate.values[-1] == pytest.approx(1.0 / 2e6, rel=1e-9)


def central_difference(f: Callable[[float, Floats], Floats]) -> Callable[[float, Floats], Floats]:
    def J(t: float, y: Floats) -> Floats:
        columns = [(f(t, y + e) - f(t, y - e)) / 2e-6 for e in 1e-6 * np.eye(len(y))]
        return np.array(columns).T

    return J


@pytest.mark.parametrize("method", FIXED)
def test_fixed_steps_equal_plain_numpy(method: str) -> None:
    model = pendulum()
    rhs = RightHandSide(model, {"push": 0.7})
    h, y = 0.01, PENDULUM_START
    step = getattr(plain, method.replace("-", "_"))
    given = (rhs, central_difference(rhs)) if method in IMPLICIT else (rhs,)
    for k in range(50):
        y = step(*given, k * h, y, h)
    native = final_state(model, {"push": 0.7}, PENDULUM_START, 50 * h, method=method, step=h)
    # rounding for RK4; differences of step 1e-6 give the Jacobian to 1e-9, h² of which reaches the result
    np.testing.assert_allclose(native, y, atol=1e-13 if method == "rk4" else 1e-10)


@pytest.mark.parametrize("method", IMPLICIT)
def test_steps_with_an_old_jacobian_equal_plain_numpy(method: str) -> None:
    model = pendulum()
    rhs = RightHandSide(model, {"push": 0.7})
    h, y, step = 0.01, PENDULUM_START, getattr(plain, method.replace("-", "_"))
    exact = central_difference(rhs)
    for k in range(50):
        if k % 4 == 0:
            held = exact(k * h, y)
        y = step(rhs, lambda t, y, held=held: held, k * h, y, h)
    native = final_state(
        model, {"push": 0.7}, PENDULUM_START, 50 * h, method=method, step=h, jacobian_every=4
    )
    np.testing.assert_allclose(native, y, atol=1e-10)
    always = final_state(model, {"push": 0.7}, PENDULUM_START, 50 * h, method=method, step=h)
    assert np.max(np.abs(native - always)) > 1e-6  # it does make a difference


def test_a_change_of_the_step_renews_the_jacobian() -> None:
    """The factors hold for one h: the shorter last interval of a run must not be made with them."""
    model = slider(damping=2e3)
    how: dict[str, Any] = {"duration": 0.35, "interval": 0.1, "step": 0.1, "y0": np.array([0.0, 1.0])}
    kept = simulate(model, method="implicit-euler", jacobian_every=100, **how)
    renewed = simulate(model, method="implicit-euler", **how)
    np.testing.assert_array_equal(kept.mass_rate, renewed.mass_rate)


@pytest.mark.parametrize("steps", [0, -1, 1.5, "2"])
def test_renewals_that_are_refused(steps: Any) -> None:
    with pytest.raises(ModelError, match=r"jacobian_every .* must be an integer"):
        simulate(slider(), duration=0.1, method="rosenbrock", jacobian_every=steps)


TABLES = {"dopri5": plain.dormand_prince(), "tsit5": plain.tsitouras()}


@pytest.mark.parametrize("name", EMBEDDED)
def test_a_step_of_a_pair_equals_plain_numpy(name: str) -> None:
    from ce_dynamics.simulation.integrators.kernels import Buffers
    from ce_dynamics.simulation.integrators.pair_kernels import estimate_errors, stages

    model, rhs, h = pendulum(), RightHandSide(pendulum(), Wave()), 0.05
    settings = Settings(name, 1e-3, 0.0, 1.0, np.inf)
    stepper = make_stepper(settings, model.dynamics, model.control(Wave()), model.u0, PENDULUM_START, model)
    assert isinstance(stepper, Adaptive)
    batch = stepper.batch
    track, work = batch.track._replace(y=stepper.y), batch.work
    track.clock[0, 0], track.h[0], track.all_h[:] = 0.3, h, h
    work.K[0] = rhs(0.3, PENDULUM_START)
    buffers = Buffers(*(part.reshape(-1) for part in batch.space.buffers))  # type: ignore[arg-type]
    stages(buffers, work, track, 1)
    after, error = plain.embedded_pair(rhs, 0.3, PENDULUM_START, h, *TABLES[name])
    np.testing.assert_allclose(work.ahead, after, rtol=0.0, atol=1e-14)
    estimate_errors(work, track, 1)
    # the estimate is a difference of numbers of the size of h ẏ
    assert track.error[0] == pytest.approx(np.sqrt(np.mean(error**2)), abs=1e-14)


@pytest.mark.parametrize(("method", "every"), [(m, 1) for m in NATIVE_METHODS] + [(m, 5) for m in IMPLICIT])
def test_bits_do_not_depend_on_chunks(method: str, every: int) -> None:
    model = pendulum()
    t = np.append(0.1 * np.arange(8.0), 0.75)
    settings = Settings(method, 1e-3, 1e-6, 1e-8, np.inf, every)
    runs = []
    for chunk in (1, 7, 100000):
        stepper = make_stepper(
            settings, model.dynamics, model.control(Wave()), model.u0, PENDULUM_START, model
        )
        runs.append(march(stepper, t, lambda t, n: None, chunk).Y)
    assert runs[0].tobytes() == runs[1].tobytes() == runs[2].tobytes()


def test_steps_not_dividing_the_interval_are_shortened() -> None:
    model = slider()
    run = simulate(model, {"push": 4.0}, duration=0.35, interval=0.1, step=0.03, method="rk4")
    np.testing.assert_allclose(run.time, [0.0, 0.1, 0.2, 0.3, 0.35], rtol=1e-15)
    # constant acceleration: RK4 is exact
    np.testing.assert_allclose(run.position, run.time.values**2, rtol=1e-13)
    assert run.attrs["evaluations"] == 4 * (3 * 4 + 2) + 1


@pytest.mark.filterwarnings("ignore:energy and work differ")  # by the error of implicit-euler, as asserted
@pytest.mark.parametrize("method", NATIVE_METHODS)
def test_work_of_audited_run_is_the_energy_gained(method: Any) -> None:
    steps: dict[str, Any] = {"step": 1e-3} if method in FIXED else {"rtol": 1e-8}
    run = simulate(pendulum(), Wave(), duration=1.0, y0=PENDULUM_START, method=method, audit=True, **steps)
    gained = run.energy.values - run.energy.values[0]
    # errors of order h and h² of energies of some 30 J
    tolerance = {1: 0.3, 2: 1e-3}.get(METHOD_OF[method].order, 1e-6)
    np.testing.assert_allclose(run.work, gained, atol=tolerance)
    assert np.ptp(gained) > 1.0


@pytest.mark.parametrize("method", NATIVE_METHODS)
def test_accelerations_that_cease_to_be_finite(method: Any) -> None:
    model = slider(stiffness=1.0)
    with pytest.raises(SimulationError, match=r"at t = 0\.9") as caught:
        simulate(model, {"push": 5.0}, duration=3.0, method=method, interval=0.1, y0=np.array([0.0, 0.0]))
    partial: Any = caught.value.partial
    assert 0.9 <= partial.time.values[-1] < 0.92
    # a last state beyond the edge is not kept: then it is that of 0.9 s
    assert 0.97 < partial.position.values[-1] <= 1.0
    assert all(np.all(np.isfinite(values)) for values in partial.values())


def test_loop_leaving_range_is_named_as_with_scipy() -> None:
    model = Model(four_bar((1.0, 0.6, 0.8, 1.5), 0.5))  # the crank cannot go round
    y0 = model.y0
    y0[len(model.layout.q)] = 2.0
    clauses = []
    methods: tuple[Any, ...] = ("rk4", *EMBEDDED, "DOP853")
    for method in methods:
        with pytest.raises(SimulationError) as caught:
            simulate(model, duration=2.0, y0=y0, method=method)
        clauses.append(str(caught.value))
    # each ends at the dead centre in its own way, or is thrown over it and found out
    assert all("the loop of 'crank'" in clause and "a dead centre of 'crank'" in clause for clause in clauses)
    assert all("through_dead_centres=True" in clause for clause in clauses)


@pytest.mark.parametrize("method", ["rosenbrock", "implicit-euler", "Radau", "BDF"])
def test_an_infinite_derivative_is_no_rest(method: Any) -> None:
    """At x = 1 the force of √(1 − x²) is finite and its slope is not: 1/∞ must not pass for no motion."""
    with pytest.raises(SimulationError, match=f"^{method} .* finite.* at t = 0 s"):
        simulate(slider(stiffness=1.0), {"push": -1.0}, duration=1.0, y0=np.array([1.0, 0.0]), method=method)


def test_start_not_finite_is_reported_at_once() -> None:
    with pytest.raises(SimulationError, match="not finite at t = 0"):
        simulate(slider(stiffness=1.0), duration=1.0, y0=np.array([2.0, 0.0]), method="rk4")


def test_interrupts_between_chunks_keep_what_there_is() -> None:
    def impatient(t: float) -> None:
        if t > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(SimulationError, match=r"^interrupted at t = ") as caught:
        simulate(pendulum(), duration=1e3, y0=PENDULUM_START, method="rk4", progress=impatient)
    partial: Any = caught.value.partial
    assert 0.5 < partial.time.values[-1] < 1.0
    whole = simulate(pendulum(), duration=1.0, y0=PENDULUM_START, method="rk4")
    n = partial.sizes["time"]
    assert partial.arm0.values.tobytes() == whole.arm0.values[:n].tobytes()


def test_errors_of_progress_come_through() -> None:
    def broken(t: float) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        simulate(slider(), duration=1.0, method="dopri5", progress=broken)


@pytest.mark.parametrize("step", [0.0, -1e-3, np.nan, np.inf])
def test_steps_that_are_refused(step: float) -> None:
    with pytest.raises(ModelError, match="step"):
        simulate(slider(), duration=1.0, method="rk4", step=step)


def test_lsoda_gets_exact_jacobian_of_stiff_model() -> None:
    """The rate of a damped mass decays with c/m = 1e5/s within 1e-4 s, then creeps with its push."""
    model, c = slider(damping=2e5), 2e5
    push, y0 = {"push": 40.0}, np.array([0.0, 3.0])
    how: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-12}
    run = simulate(model, push, duration=5.0, y0=y0, method="LSODA", **how)
    # v = F/c + (v0 − F/c) exp(−c t/m)
    creep = 40.0 / c
    exact = creep * run.time.values + (3.0 - creep) * 2.0 / c * -np.expm1(-c / 2.0 * run.time.values)
    np.testing.assert_allclose(run.mass, exact, rtol=0.0, atol=1e-9)
    from scipy.integrate import solve_ivp

    rhs = RightHandSide(model, push)
    differences = solve_ivp(rhs, (0.0, 5.0), y0, method="LSODA", **how)
    assert differences.njev > 5  # it did turn to its stiff method
    # every Jacobian by differences costs an evaluation for each of the two states; steps may differ a little
    assert run.attrs["evaluations"] < rhs.evaluations - differences.njev


def test_lsoda_makes_no_jacobian_where_not_stiff(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(rhs: RightHandSide) -> None:
        raise AssertionError("made")

    monkeypatch.setattr("ce_dynamics.simulation.integrators.scipy_jacobian.Jacobian", refuse)
    how: dict[str, Any] = {"duration": 2.0, "y0": PENDULUM_START}
    run = simulate(pendulum(), Wave(), method="LSODA", rtol=1e-8, atol=1e-10, **how)
    np.testing.assert_allclose(run.arm1, simulate(pendulum(), Wave(), **TIGHT, **how).arm1, atol=1e-5)
    with pytest.raises(AssertionError, match="made"):
        simulate(slider(damping=2e5), duration=5.0, y0=np.array([0.0, 3.0]), method="LSODA")


@pytest.mark.parametrize("method", ["Radau", "BDF"])
def test_scipys_implicit_methods_get_the_exact_jacobian(method: Any) -> None:
    """Without it every Jacobian costs an evaluation per state, which SciPy counts as those of f."""
    model = pendulum()
    how: dict[str, Any] = {"duration": 2.0, "y0": PENDULUM_START, "rtol": 1e-6, "atol": 1e-8}
    run = simulate(model, Wave(), method=method, audit=True, **how)
    exact = simulate(model, Wave(), **TIGHT, duration=2.0, y0=PENDULUM_START)
    np.testing.assert_allclose(run.arm1, exact.arm1, atol=1e-3)
    from scipy.integrate import solve_ivp

    rhs = RightHandSide(model, Wave())
    solve_ivp(rhs, (0.0, 2.0), PENDULUM_START, method=method, rtol=1e-6, atol=1e-8)
    assert run.attrs["evaluations"] < rhs.evaluations
