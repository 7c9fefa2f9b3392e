"""The planar suspension: its rows as the source prints them, and its motion against analytic solutions."""

import math

import numpy as np
import pytest

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import ConvergenceError, Exact, GaussSeidel, InitialStateError
from ce_dynamics.errors import DataError, ModelError, SimulationError
from ce_dynamics.models.demonstrations.pgs_suspension import (
    Suspension,
    SuspensionParameters,
    SuspensionRun,
    simulate,
)
from ce_dynamics.models.demonstrations.socket_motion import Socket, SocketFunction, SocketTable
from ce_dynamics.models.parts.body_contact import Touch, WavyRoad, touch
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.surfaces import BumpRoad, InclinedRoad

FIRM = SuspensionParameters(anticipate=True)


def random_state(suspension: Suspension, rng: np.random.Generator) -> tuple[Floats, Floats]:
    q, V = suspension.initial_state()
    return q + 0.05 * rng.normal(size=6), V + rng.normal(size=6)


def seen(road: Road, q: Floats, radius: float) -> Touch:
    return touch(road, float(q[3]), float(q[4]), radius)


# Rows


def test_rows_are_those_of_the_source(rng: np.random.Generator) -> None:
    suspension = Suspension()
    P = suspension.parameters
    q, V = random_state(suspension, rng)
    u_b, v_b, w_b, u_w, v_w, w_w = V
    contact = touch(suspension.road, q[3], q[4], P.radius)._replace(gap=0.0)
    J = suspension.rows(q, contact)
    L, theta = P.length, q[2]
    # flat ground: n = (0, 1), τ = (1, 0), r_c = (0, −R), ω × r_c = (ω R, 0)
    expected = [
        u_b, w_b, u_w - u_b - L / 2 * math.cos(theta) * w_b, v_w - v_b - L / 2 * math.sin(theta) * w_b,
        v_w, u_w + w_w * P.radius,
    ]  # fmt: skip
    np.testing.assert_allclose(J @ V, expected, atol=1e-14)


def test_pin_rows_are_rate_of_the_pin_error(rng: np.random.Generator) -> None:
    suspension = Suspension()
    q, V = random_state(suspension, rng)
    h = 1e-6
    rate = (suspension.pin_error(q + h * V) - suspension.pin_error(q - h * V)) / (2.0 * h)
    contact = touch(suspension.road, float(q[3]), float(q[4]), 0.35)
    np.testing.assert_allclose(suspension.rows(q, contact)[2:4] @ V, rate, atol=1e-9)


def test_contact_row_is_rate_of_gap_anywhere(rng: np.random.Generator) -> None:
    for road in (WavyRoad(0.5, 0.05, 3.0), BumpRoad(0.5, 0.1, 2.0, -1.0), InclinedRoad(0.5, 0.3)):
        suspension = Suspension(FIRM, road=road)
        q, V = random_state(suspension, rng)
        h, R = 1e-6, suspension.parameters.radius
        here, ahead, behind = (seen(road, q + s * V, R) for s in (0.0, h, -h))
        J = suspension.rows(q, here)
        assert np.hypot(*here.n) == pytest.approx(1.0, abs=1e-15)
        np.testing.assert_allclose(J[4] @ V, (ahead.gap - behind.gap) / (2.0 * h), atol=1e-8)
        # r_c is orthogonal to the ground, so that spinning does not matter for row 4; row 5 rolls
        assert abs(J[4, 5]) < 1e-15
        np.testing.assert_allclose(J[5, 5], R, atol=1e-15)
        np.testing.assert_allclose(J[5, 3:5], [here.n[1], -here.n[0]], atol=1e-15)


def test_targets_are_those_of_the_source(rng: np.random.Generator) -> None:
    P = SuspensionParameters(beta=7.0, restitution=0.5)
    suspension = Suspension(P, Socket(2.0, 0.1, 3.0))
    q, V = random_state(suspension, rng)
    V[4] = -1.0
    contact = touch(suspension.road, q[3], q[4], P.radius)._replace(gap=-0.02)
    J = suspension.rows(q, contact)
    target = suspension.targets(0.4, q, V, J, 0.01, contact)
    ex = q[3] - (q[0] + P.length / 2 * math.sin(q[2]))
    ey = q[4] - (q[1] - P.length / 2 * math.cos(q[2]))
    swing = 0.1 * 6.0 * math.pi * math.cos(6.0 * math.pi * 0.41)
    np.testing.assert_allclose(target, [2.0 + swing, 0.0, -7.0 * ex, -7.0 * ey, 0.5, 0.0], atol=1e-12)
    V[4] = -0.001  # too slow to bounce: the penetration is pushed out
    np.testing.assert_allclose(suspension.targets(0.4, q, V, J, 0.01, contact)[4], 7.0 * 0.02, atol=1e-14)


def test_sticking_step_is_linear_system_of_source(rng: np.random.Generator) -> None:
    # J V₁ = J (V₀ + M⁻¹ F h) + J M⁻¹ Jᵀ λ solved densely: no bound is active
    suspension = Suspension()
    q, V = suspension.initial_state()
    h = 1e-3
    V = V + np.array((0.01, 0, 0, 0.01, 0, 0))
    _, contact = suspension.problem(0.0, q, V, h)
    J, Minv = suspension.rows(q, contact), np.diag(suspension.parameters.inverse_mass)
    F = suspension.forces(0.0, q, V)
    right = suspension.targets(0.0, q, V, J, h, contact) - J @ (V + Minv @ F * h)
    lam = np.linalg.solve(J @ Minv @ J.T, right)
    assert lam[4] > 0.0
    assert abs(lam[5]) < 0.8 * lam[4]
    for solver in (GaussSeidel(1e-13, 100_000), Exact()):
        q1, V1, impulses, _, _ = suspension.step(0.0, q, V, h, solver, np.zeros(6))
        np.testing.assert_allclose(impulses, lam, atol=1e-9)
        np.testing.assert_allclose(V1, V + Minv @ (F * h + J.T @ lam), atol=1e-10)
        np.testing.assert_allclose(q1, q + h * V1, atol=1e-15)


# Motion


def test_wheel_load_at_rest_is_weight_and_spring() -> None:
    suspension = Suspension()
    run = simulate(suspension, duration=0.2)
    P = suspension.parameters
    spring = P.stiffness * (P.free_length - (P.anchor_height - run.q[0, 1]))
    load = (P.bar_mass + P.wheel_mass) * P.gravity + spring
    np.testing.assert_allclose(run.impulses[1:, 4] / 1e-3, load, rtol=1e-9)
    assert np.max(np.abs(run.q - run.q[0])) < 1e-9


def test_free_oscillation_has_frequency_of_both_masses() -> None:
    P = SuspensionParameters(damping=0.0, anchor_height=3.0, free_length=2.0, gravity=0.0, stiffness=2e3)
    suspension = Suspension(P)
    q0, V0 = suspension.initial_state(clearance=0.3)
    errors = []
    omega = math.sqrt(2e3 / 45.0)
    stretch = P.anchor_height - q0[1] - P.free_length
    for h in (2e-3, 1e-3):
        run = simulate(suspension, duration=0.5, step=h, q0=q0, V0=V0)
        exact = q0[1] + stretch * (1.0 - math.cos(0.5 * omega))
        errors.append(abs(run.q[-1, 1] - exact))
        assert np.all(run.impulses[:, 4] == 0.0)
    assert errors[1] < 1e-3
    assert 1.7 < errors[0] / errors[1] < 2.3  # of first order in h


def test_sprung_mass_follows_road_with_load_that_takes() -> None:
    # slow, gentle waves: the wheel stays down and its height is that of the parallel curve
    road = WavyRoad(0.8, 0.02, 6.0)
    suspension = Suspension(FIRM, Socket(3.0), road)
    run = simulate(suspension, duration=0.6, step=5e-4)
    assert np.all(run.impulses[2:, 4] > 0.0)
    assert np.max(np.abs(run.gap)) < 1e-6
    P, t = suspension.parameters, run.t[1:-1]
    y = run.q[:, 4]
    a = (y[2:] - 2.0 * y[1:-1] + y[:-2]) / 5e-4**2
    length = P.anchor_height - run.q[1:-1, 1]
    rate = (y[1:-1] - y[:-2]) / 5e-4
    spring = P.stiffness * (P.free_length - length) + P.damping * rate
    vertical = (P.bar_mass + P.wheel_mass) * (a + P.gravity) + spring
    n_y = np.array([suspension.touch(q).n[1] for q in run.q[1:-1]])
    n_x = np.array([suspension.touch(q).n[0] for q in run.q[1:-1]])
    force = run.impulses[2:, 4] * n_y / 5e-4 - run.impulses[2:, 5] * n_x / 5e-4
    assert len(t) == len(force)
    np.testing.assert_allclose(force[5:], vertical[5:], rtol=2e-3)


def spun(mu: float, coulomb: bool) -> SuspensionRun:
    P = SuspensionParameters(friction=mu, coulomb=coulomb)
    suspension = Suspension(P)
    q0, V0 = suspension.initial_state()
    V0[5] = 20.0
    return simulate(suspension, duration=0.3, q0=q0, V0=V0)


def test_coulomb_friction_brakes_spinning_wheel_at_constant_rate() -> None:
    P = SuspensionParameters()
    run = spun(0.1, coulomb=True)
    N = run.impulses[-1, 4] / 1e-3
    expected = 20.0 - 0.1 * N * P.radius / P.wheel_inertia * run.t
    assert expected[-1] < 0.0  # it comes to a stop within the run
    sliding = expected > 0.2
    # the load is constant to PGS's tolerance: ω falls linearly, to rounding
    np.testing.assert_allclose(run.V[sliding, 5], expected[sliding], rtol=1e-6)
    np.testing.assert_allclose(run.V[-1, 5], 0.0, atol=1e-9)
    bound = 0.1 * run.impulses[1:, 4]
    assert np.all(np.abs(run.impulses[1:, 5]) <= bound * (1.0 + 1e-12) + 1e-15)


def test_unbounded_friction_stops_at_once_as_in_source() -> None:
    run = spun(0.1, coulomb=False)
    np.testing.assert_allclose(run.V[1:, 5], 0.0, atol=1e-9)
    assert abs(run.impulses[1, 5]) > 0.1 * run.impulses[1, 4]


@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
def test_restitution_of_the_dropped_suspension(e: float) -> None:
    P = SuspensionParameters(stiffness=0.0, damping=0.0, restitution=e, beta=0.0)
    suspension = Suspension(P)
    q0, V0 = suspension.initial_state(clearance=0.5)
    h = 1e-3
    fall = math.sqrt(2.0 * 0.5 / P.gravity)
    run = simulate(suspension, duration=fall * (1.0 + e) + 2.0 * h, step=h, q0=q0, V0=V0)
    hit = int(np.argmax(run.impulses[:, 4] > 0.0))
    np.testing.assert_allclose(run.t[hit], fall, atol=2.0 * h)
    np.testing.assert_allclose(run.V[hit, 4], -e * run.V[hit - 1, 4], atol=h * P.gravity)
    # both masses take part through the pin
    np.testing.assert_allclose(run.impulses[hit, 4], 45.0 * (1.0 + e) * P.gravity * fall, rtol=3.0 * h / fall)
    speed = P.gravity * fall
    np.testing.assert_allclose(np.max(run.gap[hit:]), 0.5 * e * e, atol=3.0 * h * speed)


def test_baumgarte_closes_pin_and_lifts_sunken_wheel() -> None:
    suspension = Suspension(SuspensionParameters(beta=50.0))
    q, V = suspension.initial_state()
    q[1] += 1e-4
    V[:] = 0.0
    h = 1e-3
    q1, _, _, _, _ = suspension.step(0.0, q, V, h, Exact(), np.zeros(6))
    np.testing.assert_allclose(
        suspension.pin_error(q1), suspension.pin_error(q) * (1.0 - 50.0 * h), atol=1e-12
    )
    q, V = suspension.initial_state()
    q[[1, 4]] -= 1e-3
    q1, _, _, _, _ = suspension.step(0.0, q, 0.0 * V, h, Exact(), np.zeros(6))
    np.testing.assert_allclose(
        touch(suspension.road, q1[3], q1[4], 0.35).gap, -1e-3 * (1.0 - 50.0 * h), atol=1e-9
    )


def test_gauss_seidel_and_exact_solver_agree_along_run() -> None:
    suspension = Suspension(SuspensionParameters(restitution=0.3), Socket(5.0), BumpRoad(0.3, 0.05, 0.8, 1.0))
    q, V = suspension.initial_state(0.02)
    p, seen = np.zeros(6), set()
    for k in range(400):
        swept = GaussSeidel(1e-11, 100_000).solve(suspension.problem(k * 1e-3, q, V, 1e-3)[0]).require()
        q1, V1, p, contact, exact = suspension.step(k * 1e-3, q, V, 1e-3, Exact(), p)
        np.testing.assert_allclose(swept.w, exact.w, rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(swept.v, exact.v, rtol=0.0, atol=1e-8)
        seen.add(contact.gap <= 0.0)
        q, V = q1, V1
    assert seen == {True, False}


def test_warm_start_saves_sweeps() -> None:
    suspension = Suspension(FIRM, Socket(5.0), WavyRoad(0.8, 0.03, 2.0))
    q, V = suspension.initial_state()
    cold = warm = 0
    p = np.zeros(6)
    for k in range(50):
        problem, _ = suspension.problem(k * 1e-3, q, V, 1e-3)
        cold += GaussSeidel().solve(problem).sweeps
        q, V, p, _, solution = suspension.step(k * 1e-3, q, V, 1e-3, GaussSeidel(), p)
        warm += solution.sweeps
    assert warm < 0.9 * cold


def test_anticipation_removes_the_chatter_of_the_source() -> None:
    road = WavyRoad(0.8, 0.03, 2.0)
    as_source = simulate(Suspension(None, Socket(5.0), road), duration=0.4)
    firm = simulate(Suspension(FIRM, Socket(5.0), road), duration=0.4)
    assert len(as_source.events) > 10
    assert len(firm.events) == 1
    np.testing.assert_allclose(firm.q[-1, 4], as_source.q[-1, 4], atol=1e-3)


def test_load_is_smooth_where_the_gap_changes_sign() -> None:
    # on waves of 2 m and 30 mm the road under the parallel curve is smooth: so must the load be.  The gap
    # that steps leave, h² v² κ / 2 with the curvature κ of that curve, changes its sign twice per wave.
    h, v = 1e-3, 5.0
    run = simulate(Suspension(FIRM, Socket(v), WavyRoad(0.8, 0.03, 2.0)), duration=0.5, step=h)
    assert np.min(run.gap) < -1e-6 and np.max(run.gap) > 1e-6  # noqa: PT018
    load = run.impulses[:, 4] / h
    # the load follows m z̈ + k z with the waves' frequency v k, up to its fourth harmonic: within a step it
    # changes by no more than 4 v k h of its range, and from step to step this by (4 v k h)²
    turn = 4.0 * v * math.pi * h
    settled = load[30:]
    assert np.max(np.abs(np.diff(settled, 2))) < turn**2 * np.ptp(settled)


def test_friction_without_bound_does_not_act_in_air() -> None:
    P = SuspensionParameters(coulomb=False, anticipate=True, stiffness=0.0, damping=0.0)
    suspension = Suspension(P, Socket(3.0))
    q0, V0 = suspension.initial_state(0.3)
    V0[5] = 40.0  # spinning backwards
    run = simulate(suspension, duration=0.5, step=2e-3, q0=q0, V0=V0)
    landed = int(np.argmax(run.impulses[:, 4] > 0.0))
    assert landed > 50
    assert np.all(run.V[:landed, 5] == 40.0)
    np.testing.assert_allclose(run.V[landed, 5], -3.0 / P.radius, rtol=1e-9)  # rolls from there
    assert np.all((run.impulses[:, 5] == 0.0) | (run.impulses[:, 4] > 0.0))


def test_first_instant_has_load_of_first_step() -> None:
    run = simulate(Suspension(), duration=0.01)
    np.testing.assert_array_equal(run.impulses[0], run.impulses[1])


def test_bar_at_end_of_spring_stops_the_run() -> None:
    ramp = InclinedRoad(0.8, math.radians(5.0))
    with pytest.raises(SimulationError, match=r"meets the spring's upper end at 1.03 m") as stop:
        simulate(Suspension(FIRM, Socket(5.0), ramp), duration=1.5, step=5e-3)
    assert isinstance(stop.value.partial, SuspensionRun)
    # 5 tan 5° = 0.437 m/s up, from 0.13 m below it and pushed back by the spring
    assert 0.1 < stop.value.partial.t[-1] < 1.5
    climbing = simulate(
        Suspension(FIRM, Socket(5.0, climb=5.0 * math.tan(math.radians(5.0))), ramp), duration=0.5
    )
    # what is at rest in the axes of the ramp stays so, with one load
    np.testing.assert_allclose(climbing.impulses[:, 4], climbing.impulses[0, 4], rtol=1e-8)


def test_interrupted_runs_keep_what_they_have() -> None:
    def impatient(t: float) -> None:
        if t > 0.02:
            raise KeyboardInterrupt

    class Stopping(Socket):
        def velocity(self, t: float) -> float:
            impatient(t)
            return 0.0

    with pytest.raises(SimulationError, match=r"interrupted at t = 0.02 s") as stop:
        simulate(Suspension(FIRM, Stopping()), duration=1.0)
    assert isinstance(stop.value.partial, SuspensionRun)
    assert stop.value.partial.t[-1] == pytest.approx(0.02)


# Motions of the socket


def test_function_table_and_formula_of_motion_agree() -> None:
    formula = Socket(2.0, 0.1, 1.5)
    t = np.linspace(-0.1, 0.6, 701)
    law = SocketFunction(formula.position)
    table = SocketTable(t, [formula.position(s) for s in t])
    for s in np.linspace(0.0, 0.5, 37):
        assert law.position(s) == formula.position(s)
        # differences over 2δ: δ²/6 of the third derivative a (2π f)³
        assert law.velocity(s) == pytest.approx(
            formula.velocity(s), abs=1e-8 / 6.0 * 0.1 * (3 * math.pi) ** 3 + 1e-11
        )
        # monotone cubics through points h apart: h² of the curvature's rate at most, in the rate
        assert table.velocity(s) == pytest.approx(
            formula.velocity(s), abs=1e-6 * 0.1 * (3 * math.pi) ** 3 + 1e-9
        )
    runs = [simulate(Suspension(FIRM, motion), duration=0.3) for motion in (formula, law, table)]
    for run in runs[1:]:
        np.testing.assert_allclose(run.q, runs[0].q, atol=1e-5)


def test_motions_of_a_table() -> None:
    table = SocketTable([0.0, 1.0, 2.0], [0.0, 2.0, 4.0], [0.0, 0.5, 1.0])
    assert table.position(0.75) == pytest.approx(1.5)
    assert (table.lift(0.5), table.lift_rate(0.5)) == pytest.approx((0.25, 0.5))
    with pytest.raises(DataError, match="must be later than"):
        SocketTable([0.0, 1.0, 1.0], [0.0, 0.0, 2.0])
    with pytest.raises(DataError, match="ZeroDivisionError"):
        simulate(Suspension(FIRM, SocketFunction(lambda t: 1.0 / 0)), duration=0.05)
    with pytest.raises(SimulationError, match=r"covers 0 s to 0\.02 s"):
        simulate(Suspension(FIRM, SocketTable([0.0, 0.02], [0.0, 0.0])), duration=0.05)


# Refusals and the command line


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bar_mass", 0.0),
        ("bar_mass", -1.0),
        ("wheel_mass", math.nan),
        ("wheel_inertia", 0.0),
        ("radius", -0.3),
        ("length", math.inf),
        ("stiffness", -1.0),
        ("restitution", 1.5),
        ("friction", -0.1),
        ("beta", math.nan),
        ("gravity", math.inf),
    ],
)
def test_impossible_parameters_are_refused(field: str, value: float) -> None:
    with pytest.raises(DataError, match=rf"pgs suspension: {field} "):
        SuspensionParameters(**{field: value})  # type: ignore[arg-type]


def test_impossible_initial_states_are_refused() -> None:
    suspension = Suspension()
    q0, _ = suspension.initial_state()
    for entries, change, words in (([1, 4], -0.1, "in the ground"), ([4], 0.1, "apart at the pin"),
                                   ([0, 3], 0.1, "off its socket")):  # fmt: skip
        q = q0.copy()
        q[entries] += change
        with pytest.raises(InitialStateError, match=words):
            simulate(suspension, duration=0.1, q0=q)
    with pytest.raises(ModelError, match="q0"):
        simulate(suspension, duration=0.1, q0=np.full(6, np.nan))
    for bad in (0.0, -1.0, math.nan):
        with pytest.raises(DataError, match="step"):
            simulate(suspension, duration=0.1, step=bad)
    with pytest.raises(DataError, match="speed"):
        Socket(math.inf)
    with pytest.raises(DataError, match="wavelength"):
        WavyRoad(0.5, 0.1, 0.0)


def test_failures_keep_the_run_so_far() -> None:
    with pytest.raises(SimulationError, match="at t = ") as stop:
        simulate(
            Suspension(FIRM, Socket(5.0), WavyRoad(0.8, 0.03, 2.0)),
            duration=1.0,
            solver=GaussSeidel(1e-12, 2),
        )
    assert isinstance(stop.value.__cause__, ConvergenceError)
    assert isinstance(stop.value.partial, SuspensionRun)
    unstable = Suspension(SuspensionParameters(damping=1e6))  # for a step of 10 ms
    q0, V0 = unstable.initial_state(clearance=0.5)
    with pytest.raises(SimulationError, match="without bound"):
        simulate(unstable, duration=1.0, step=1e-2, q0=q0, V0=V0)
