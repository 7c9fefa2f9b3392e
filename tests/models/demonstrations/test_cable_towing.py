"""Bodies towed by cables: the source's matrices, slack and taut, uniqueness, embedded systems."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import block_diag

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.rotation import quaternion_rate, rotation_from_quaternion
from ce_dynamics.contact import (
    Cable,
    Chain,
    Conditions,
    Exact,
    GaussSeidel,
    InitialStateError,
    Kind,
    RigidBodies,
    RigidBody,
    Solution,
    Solver,
    Straight,
    UnilateralModel,
    Weaving,
    evenly,
    simulate_unilateral,
    uniqueness,
)
from ce_dynamics.contact.rigid import RigidState, quaternion_rates, rotations
from ce_dynamics.errors import DataError, ModelError, SimulationError
from ce_dynamics.models.demonstrations.cable_towing import (
    CableEnd,
    Tow,
    Towing,
    TowingFoot,
    simulate,
)
from docs.examples.cable_towing import SCENES
from tests.ce_dynamics.contact.mixed import Mixed

G = 9.81
TIGHT = GaussSeidel(1e-12, 200_000)


def make_mixed(towing: Towing, state: RigidState, h: float, t: float = 0.0) -> Mixed:
    """Return the MLCP of a step as the source prints it, dense; for cables only."""
    rows, R = towing.rows(state, t), rotations(state.quaternion)
    M = block_diag(*towing.bodies.blocks(R))
    v_free = towing.bodies.free_velocities(state, R, h, towing.forces(t)).ravel()
    return Mixed(M, towing.problem(state, t, h).GT.toarray().T, M @ v_free, rows.psi / h + rows.drift)


def solve_step(towing: Towing, state: RigidState, t: float, h: float, solver: Solver, p: Any) -> Solution:
    return solver.solve(towing.problem(state, t, h), p).require()


def ball(name: str = "ball", **state: tuple[float, ...]) -> RigidBody:
    return RigidBody(name, 2.0, (0.1, 0.1, 0.1), **state)


def tumbling(name: str, position: tuple[float, float, float]) -> RigidBody:
    half = math.sqrt(0.5)
    return RigidBody(
        name,
        3.0,
        np.diag([0.2, 0.3, 0.4]) + 0.05,
        position,
        (half, 0.0, half, 0.0),
        (0.1, 0.4, -0.2),
        (2.0, -1.0, 3.0),
    )


def swarm() -> Towing:
    """Two tumbling bodies, four cables of each kind of end."""
    bodies = [tumbling("a", (0.0, 0.0, 0.0)), tumbling("b", (0.0, 0.0, -1.5))]
    robot = Weaving((0.5, 0.0, 1.0), (0.3, 0.0, 0.1), across=(0, 1, 0), amplitude=0.2, frequency=1.0)
    cables = [
        Tow("up", CableEnd("a", (0.2, 0.1, 0.0)), Straight((0.0, 0.0, 1.0)), 9.0),
        Tow("robot", CableEnd("a", (-0.2, 0.0, 0.1)), robot, 9.0),
        Tow("left", CableEnd("a", (0.0, 0.3, 0.0)), CableEnd("b", (0.1, 0.3, 0.0)), 9.0),
        Tow("right", CableEnd("a", (0.0, -0.3, 0.0)), CableEnd("b", (0.1, -0.3, 0.0)), 9.0),
    ]
    long = Towing(bodies, cables)
    spare = long.rows(long.start, 0.0).psi - (0.0, 0.05, 0.01, 0.02)  # slack that is left at the start
    tied = [replace(cable, length=9.0 - float(s)) for cable, s in zip(cables, spare, strict=True)]
    return Towing(bodies, tied)


# Rows and matrices


def test_gaps_change_as_the_rows_say() -> None:
    towing = swarm()
    state, t, h = towing.start, 0.3, 1e-6
    rows = towing.rows(state, t)
    problem = towing.problem(state, t, 1e-3)
    psi = []
    for sign in (1.0, -1.0):
        moved = towing.bodies.move(state, state.v, sign * h)
        psi.append(towing.rows(moved, t + sign * h).psi)
    rate = problem.GT.toarray() @ state.v.ravel() + rows.drift
    np.testing.assert_allclose(rate, (psi[0] - psi[1]) / (2.0 * h), atol=1e-8)
    assert np.flatnonzero(rows.drift).tolist() == [1]  # only the position-controlled end moves by itself


def test_matrix_form_is_that_of_the_source() -> None:
    towing = swarm()
    h = 1e-3
    state = towing.start
    mixed = make_mixed(towing, state, h)
    ends = towing.ends(state, 0.0)
    w = (ends.b - ends.a) / np.linalg.norm(ends.b - ends.a, axis=1)[:, None]
    r = ends.a - state.r[towing.first]
    # G_w = [ŵ; r × ŵ] of body a, and the opposite at the other end of "left"
    np.testing.assert_allclose(mixed.G[:3].T, w, atol=1e-15)
    np.testing.assert_allclose(mixed.G[3:6].T, np.cross(r, w), atol=1e-15)
    np.testing.assert_allclose(mixed.G[6:9, 2], -w[2], atol=1e-15)
    np.testing.assert_array_equal(mixed.G[6:, :2], 0.0)
    R = rotations(state.quaternion)[0]
    np.testing.assert_allclose(mixed.M[3:6, 3:6], R @ towing.bodies.inertia[0] @ R.T, atol=1e-15)
    n = len(mixed.M)
    np.testing.assert_array_equal(mixed.matrix[:n, n:], -mixed.G)
    np.testing.assert_array_equal(mixed.matrix[n:, n:], 0.0)
    A, b = mixed.eliminate_velocities()
    problem = towing.problem(state, 0.0, h)
    np.testing.assert_allclose(A, problem.delassus, atol=1e-12)
    np.testing.assert_allclose(b, problem.b, atol=1e-9)
    assert np.linalg.eigvalsh(A)[0] > -1e-12


def test_mixed_reduced_and_iterative_solutions_agree_along_run() -> None:
    towing = swarm()
    state, h, active = towing.start, 2e-3, set()
    for k in range(200):
        exact = solve_step(towing, state, k * h, h, Exact(), np.zeros(4))
        swept = solve_step(towing, state, k * h, h, TIGHT, np.zeros(4))
        v, _, w = make_mixed(towing, state, h, k * h).solve()
        np.testing.assert_allclose(swept.w, exact.w, rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(w, exact.w, rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(v, exact.v, rtol=0.0, atol=1e-8)
        active.add(tuple((exact.p > 1e-9).tolist()))
        state = towing.bodies.move(state, exact.v, h)
    assert len(active) > 4  # many patterns of slack and taut


def test_quaternions_agree_with_the_library(rng: np.random.Generator) -> None:
    q = rng.normal(size=(5, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    v = rng.normal(size=(5, 6))
    for k in range(5):
        np.testing.assert_allclose(rotations(q)[k], rotation_from_quaternion(q[k]), atol=1e-15)
        np.testing.assert_allclose(quaternion_rates(q, v)[k], quaternion_rate(q[k], v[k, 3:]), atol=1e-15)


# Motion


def test_ball_flies_slack_and_is_caught() -> None:
    h = 1e-3
    run = simulate(SCENES["pendulum"]().towing, duration=1.0, step=h)
    # |(1 − t, 3 t − g t²/2)| = 1.2
    from scipy.optimize import brentq

    caught = float(brentq(lambda t: math.hypot(1.0 - t, 3.0 * t - 0.5 * G * t * t) - 1.2, 0.6, 1.0))
    event = run.events[0]
    assert event.active
    np.testing.assert_allclose(event.time, caught, atol=2.0 * h)
    r = np.array((1.0 - caught, 3.0 * caught - 0.5 * G * caught**2)) / 1.2
    before = np.array((-1.0, 3.0 - G * caught))
    after = before - r * (r @ before)  # the radial velocity is lost
    k = round(event.time / h)
    # a step of free fall and of turning, each of first order in h
    np.testing.assert_allclose(run.states[k + 2].v[0, [0, 2]], after, atol=5.0 * h * G)
    taut = run.psi[k + 2 :, 0]
    assert np.max(np.abs(taut)) < 3.0 * h**2 * G
    speed = np.linalg.norm(after)
    lost = run.energy[0] - run.energy[k + 2]
    np.testing.assert_allclose(lost, 0.5 * 2.0 * (before @ before - speed**2), rtol=0.02)


def test_cable_goes_slack_where_gravity_exceeds_the_turning() -> None:
    L, h = 1.0, 5e-4
    v0 = math.sqrt(3.5 * G * L)  # more than a half circle (2), less than a loop (5)
    start = ball(position=(0.0, 0.0, -L), velocity=(v0, 0.0, 0.0))
    run = simulate(
        Towing([start], [Tow("c", CableEnd("ball"), Straight((0, 0, 0)), L)]), duration=0.9, step=h
    )
    slack = next(event for event in run.events if not event.active)
    z = run.states[round(slack.time / h)].r[0, 2]
    # tension m (v²/L − g cos α) vanishes at the height L cos α = (v0² − 2 g L)/(3 g)
    np.testing.assert_allclose(z, L * (3.5 - 2.0) / 3.0, atol=20.0 * h * v0)
    assert [event.active for event in run.events[:2]] == [True, False]


def test_taut_pendulum_converges_with_first_order() -> None:
    from scipy.integrate import solve_ivp

    start = ball(position=(1.0, 0.0, 0.0))
    exact = solve_ivp(lambda t, y: (y[1], -G * math.cos(y[0])), (0, 0.5), (0, 0), rtol=1e-12, atol=1e-12).y[
        0, -1
    ]
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        run = simulate(
            Towing([start], [Tow("c", CableEnd("ball"), Straight((0, 0, 0)), 1.0)]), duration=0.5, step=h
        )
        x, _, z = run.states[-1].r[0]
        errors.append(abs(math.atan2(z, x) + abs(exact)) if exact < 0 else abs(math.atan2(-z, x) - exact))
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert np.all((ratios > 1.8) & (ratios < 2.2)), errors


def test_position_controlled_end_drags_at_its_own_speed() -> None:
    start = ball(position=(0.0, 0.0, 0.0))
    tow = Tow("c", CableEnd("ball"), Straight((1.0, 0.0, 0.0), (2.0, 0.0, 0.0)), 1.5)
    run = simulate(Towing([start], [tow], gravity=(0, 0, 0)), duration=1.0, step=1e-3)
    assert [event.active for event in run.events] == [True, False]  # one jerk, then nothing resists
    np.testing.assert_allclose(run.events[0].time, 0.25, atol=1e-3)
    np.testing.assert_allclose(run.states[-1].v[0], [2.0, 0, 0, 0, 0, 0], atol=1e-9)
    np.testing.assert_allclose(np.sum(run.force[:, 0]) * 1e-3, 2.0 * 2.0, rtol=1e-9)  # m Δv


def test_two_robots_with_parallel_cables_leave_tensions_open() -> None:
    crate = ball("crate", position=(0.0, 0.0, 0.0))
    cables = [
        Tow(name, CableEnd("crate"), Straight((length, 0.0, 0.0), (0.5, 0.0, 0.0)), length)
        for name, length in (("near", 2.0), ("far", 3.0))
    ]
    towing = Towing([crate], cables, gravity=(-G, 0.0, 0.0))
    ends = []
    for first in (np.zeros(2), np.array((0.0, 0.7)), np.array((0.3, 0.1))):
        state, p = towing.start, first
        for k in range(200):
            solution = solve_step(towing, state, k * 1e-3, 1e-3, GaussSeidel(1e-12), p)
            state, p = towing.bodies.move(state, solution.v, 1e-3), solution.p
        ends.append((state, p))
    for state, p in ends:
        np.testing.assert_allclose(state.v, ends[0][0].v, atol=1e-9)
        np.testing.assert_allclose(state.r, ends[0][0].r, atol=1e-9)
        np.testing.assert_allclose(np.sum(p), 2.0 * G * 1e-3, rtol=1e-6)
    assert abs(ends[0][1][0] - ends[1][1][0]) > 0.1 * G * 1e-3
    problem = towing.problem(ends[0][0], 0.2, 1e-3)
    solution = TIGHT.solve(problem)
    report = uniqueness(problem, solution)
    assert report.w_unique
    assert not report.p_unique
    load = 2.0 * G * 1e-3
    np.testing.assert_allclose(report.lowest, [0.0, 0.0], atol=1e-6 * load)
    np.testing.assert_allclose(report.highest, [load, load], rtol=1e-4)
    np.testing.assert_allclose(evenly(problem, solution), [0.5 * load] * 2, rtol=1e-4)


def test_opposing_robots_stretch_without_limit() -> None:
    towing = Towing(
        [ball("crate")],
        [Tow(f"{x}", CableEnd("crate"), Straight((x, 0.0, 0.0)), 1.0) for x in (-1.0, 1.0)],
        gravity=(-G, 0.0, 0.0),
    )
    problem = towing.problem(towing.start, 0.0, 1e-3)
    report = uniqueness(problem, Exact().solve(problem))
    np.testing.assert_allclose(report.lowest, [0.0, 2.0 * G * 1e-3], atol=1e-12)
    assert np.all(np.isinf(report.highest))


def test_internal_forces_conserve_momentum_and_jerks_lose_energy() -> None:
    towing = Towing(
        [tumbling("a", (0.0, 0.0, 0.0)), ball("b", position=(1.0, 0.0, 0.0), velocity=(3.0, 1.0, 0.0))],
        [Tow("c", CableEnd("a", (0.2, 0.1, 0.0)), CableEnd("b", (0.1, 0.0, 0.0)), 1.4)],
        gravity=(0, 0, 0),
    )
    run = simulate(towing, duration=0.6, step=4e-4)
    assert any(event.active for event in run.events)

    def momentum(state: RigidState) -> Floats:
        M = towing.bodies.blocks(rotations(state.quaternion))
        P = np.einsum("nij,nj->ni", M, state.v)
        return np.concatenate((P[:, :3].sum(axis=0), (P[:, 3:] + np.cross(state.r, P[:, :3])).sum(axis=0)))

    before, after = momentum(run.states[0]), momentum(run.states[-1])
    np.testing.assert_allclose(after[:3], before[:3], rtol=1e-9)
    np.testing.assert_allclose(
        after[3:], before[3:], atol=5e-3 * float(np.linalg.norm(before[3:]))
    )  # of first order
    assert run.energy[-1] < run.energy[0] - 0.5


@pytest.mark.parametrize("solver", [TIGHT, Exact()])
def test_plain_bodies_and_an_embedded_system_move_alike(solver: GaussSeidel | Exact) -> None:
    # the same time stepping on block-diagonal M and on M⁻¹G from the O(N) recursion
    towing = swarm()
    h = 1e-3
    system = ce.System(gravity=(0.0, 0.0, -G))
    names = ("a", "b")
    for k, name in enumerate(names):
        R = rotations(towing.start.quaternion)[k]
        hinge = ce.Free(towing.start.r[k])
        inertia = R @ towing.bodies.inertia[k] @ R.T  # axes of the design pose: the initial one
        body = system.add_body(
            name, mass=3.0, com=towing.start.r[k], inertia=inertia, parent=system.ground, hinge=hinge
        )
        v = towing.start.v[k]
        system.start(body, v=[*v[3:], *v[:3]])
    elements = []
    ends = towing.ends(towing.start, 0.0)
    for k, cable in enumerate(towing.cables):
        first = system.find(names[towing.first[k]])
        if isinstance(cable.second, CableEnd):
            other = system.find(cable.second.body)
            elements.append(Cable(cable.name, first, ends.a[k], other, ends.b[k], length=cable.length))
        else:
            elements.append(Cable(cable.name, first, ends.a[k], cable.second, length=cable.length))
    run = simulate_unilateral(
        UnilateralModel(ce.compile(system), elements), duration=0.3, step=h, solver=solver, interval=0.3
    )
    plain = simulate(towing, duration=0.3, step=h, solver=solver)
    assert [(e.row, e.active) for e in plain.events] == [
        (e.row.removesuffix(".tension"), e.active) for e in run.events
    ]
    for k, name in enumerate(names):
        r = [float(run.results[f"{name}_{axis}"][-1]) for axis in "xyz"]
        np.testing.assert_allclose(towing.start.r[k] + r, plain.states[-1].r[k], atol=1e-8)
        w = [float(run.results[f"{name}_w{axis}"][-1]) for axis in "xyz"]
        np.testing.assert_allclose(w, plain.states[-1].v[k, 3:], atol=1e-7)


def test_dynamic_puller_tows_what_friction_leaves() -> None:
    scene = SCENES["train"]()
    run = simulate(scene.towing, duration=1.5, step=2e-3, solver=GaussSeidel(1e-9))
    speed = [state.v[:, 0] for state in run.states]
    slope = (speed[-1] - speed[-101]) / 0.2
    # all three accelerate alike: (900 − μ m g) / m, less the little that the sideways swing takes
    np.testing.assert_allclose(slope, 900.0 / 220.0 - 0.3 * G, atol=0.02)


# Refusals


def test_impossible_bodies_are_refused() -> None:
    for mass in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ModelError, match="mass"):
            RigidBody("b", mass, (1, 1, 1))
    for inertia in ((0.0, 1.0, 1.0), (-1.0, 1.0, 1.0), (math.nan, 1.0, 1.0)):
        with pytest.raises(ModelError, match="inertia"):
            RigidBody("b", 1.0, inertia)
    with pytest.raises(ModelError, match="unit quaternion"):
        RigidBody("b", 1.0, (1, 1, 1), orientation=(2.0, 0.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="velocity"):
        RigidBody("b", 1.0, (1, 1, 1), velocity=(math.inf, 0, 0))
    with pytest.raises(ModelError, match="exists twice"):
        RigidBodies([ball(), ball()])


def test_unconnected_cables_are_refused() -> None:
    here = Straight((0, 0, 0))

    def tow(*, first: object = None, second: object = here, length: float = 1.0, copies: int = 1) -> Towing:
        end = CableEnd("ball") if first is None else first
        return Towing([ball()], [Tow("c", end, second, length)] * copies)  # type: ignore[arg-type]

    with pytest.raises(ModelError, match="no body 'bell'"):
        tow(first=CableEnd("bell"))
    with pytest.raises(ModelError, match="must be tied to a body"):
        tow(first=here)
    with pytest.raises(ModelError, match="tied to nothing"):
        tow(second=(0, 0, 0))
    with pytest.raises(ModelError, match="both ends"):
        tow(second=CableEnd("ball", (0, 0, 1)))
    with pytest.raises(ModelError, match="exists twice"):
        tow(copies=2)
    for length in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ModelError, match="length"):
            tow(length=length)
    with pytest.raises(ModelError, match="finite"):
        tow(first=CableEnd("ball", (math.nan, 0, 0)))
    with pytest.raises(ModelError, match="at least 0"):
        Towing([ball()], [], [TowingFoot("ball", (0, 0, 0), -0.5)])


def test_impossible_initial_states_are_refused() -> None:
    stretched = Towing([ball()], [Tow("c", CableEnd("ball"), Straight((0, 0, 2.0)), 1.5)])
    with pytest.raises(InitialStateError, match=r"c is longer than it can be by 0.5 m"):
        simulate(stretched, duration=0.1)
    sunk = Towing([ball(position=(0.0, 0.0, -0.2))], [], [TowingFoot("ball", (0, 0, 0))])
    with pytest.raises(InitialStateError, match=r"ball.foot_0.normal is in the ground by 0.2 m"):
        simulate(sunk, duration=0.1)
    for bad in (0.0, math.nan):
        with pytest.raises(DataError, match="duration"):
            simulate(stretched, duration=bad)
    wild = Towing([ball()], [], drives={"ball": lambda t: (math.nan, 0.0, 0.0)})
    with pytest.raises(SimulationError, match="drive of 'ball'"):
        simulate(wild, duration=0.1)


def test_cable_without_extent_pulls_nowhere() -> None:
    # body and fixed end coincide: the cable is slack and has no direction
    run = simulate(
        Towing([ball()], [Tow("c", CableEnd("ball"), Straight((0, 0, 0)), 1.0)]), duration=0.2, step=1e-3
    )
    assert np.all(run.force == 0.0)
    np.testing.assert_allclose(run.states[-1].v[0, 2], -0.2 * G, rtol=1e-9)


def test_no_cables_at_all() -> None:
    conditions = Towing([ball()], []).conditions
    assert isinstance(conditions, Conditions)
    assert Kind.UNILATERAL not in conditions.kind
    run = simulate(Towing([ball()], []), duration=0.1, step=1e-2)
    np.testing.assert_allclose(run.states[-1].v[0, 2], -0.1 * G, rtol=1e-12)


def test_first_forces_are_of_the_first_step() -> None:
    run = simulate(
        Towing([ball(position=(0, 0, -1.0))], [Tow("c", CableEnd("ball"), Straight((0, 0, 0)), 1.0)]),
        duration=0.01,
    )
    np.testing.assert_array_equal(run.force[0], run.force[1])
    assert run.force[0, 0] > 0.0


@pytest.mark.parametrize("name", ["robots", "train"])
def test_exact_solver_runs_all_scenes(name: str) -> None:
    towing = SCENES[name]().towing
    solver = Chain(1e-13) if towing.feet else Exact()
    run = simulate(towing, duration=0.1, step=2e-3, solver=solver)
    # rounding of speeds of 1 m/s and slacks of 0.1 m over steps of 2 ms: 1e-13 of 50 m/s
    assert np.max(run.residual) < 1e-11
