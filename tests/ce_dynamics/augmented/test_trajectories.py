"""Trajectories: IDA on the stabilised index-2 form and Baumgarte's form against exact solutions."""

import math
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from ce_dynamics.algebra.arrays import Array, Scalar, sqrt
from ce_dynamics.augmented import (
    FullyAugmented,
    Preparation,
    Trajectory,
    TreeAugmented,
    simulate_baumgarte,
    simulate_dae,
)
from ce_dynamics.augmented.states import position_vector, velocity_vector
from ce_dynamics.embedding.embed import embed
from ce_dynamics.errors import AssemblyError, ModelError, SimulationError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.drives import Driven
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, Response
from ce_dynamics.mechanism.hinges import Distance, Free, Prismatic, Revolute
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.augmented.systems import PARALLELOGRAM_LEVER, Link, four_bar, parallelogram, vector
from tests.support.elements import HingeInput

G = 9.81


def pendulum() -> tuple[System, Array]:
    """A01: a point of 1 kg on a massless rod of 1 m, released from (−1, 0) in the x–z plane."""
    system = System(gravity=(0.0, 0.0, -G))
    system.add_body("bob", mass=1.0, com=(-1.0, 0.0, 0.0), parent=system.ground, hinge=Revolute((0, 1, 0)))
    return system, FullyAugmented(system).design_state()


A01_AT_10 = (-0.2750874626, -0.9614192051)  # reference data, good to its last digit


def test_pendulum_reaches_its_exact_place() -> None:
    """Error of at most a tolerance per step after four periods; tenfold less for a hundredth of that."""
    system, y0 = pendulum()
    prepared = Preparation(system, y0)
    times = np.linspace(0.0, 10.0, 6)
    errors = []
    for tolerance in (1e-7, 1e-9):
        run = simulate_dae(prepared, None, times, rtol=tolerance, atol=tolerance)
        errors.append(np.max(np.abs(run.body("bob").r[-1][[0, 2]] - A01_AT_10)))
        assert errors[-1] < run.statistics["residuals"] * tolerance  # a step evaluates it once at least
        assert run.constraint_error.max() < tolerance
        assert run.rate_error.max() < 10.0 * tolerance
        np.testing.assert_allclose(run.energy, 0.0, rtol=0, atol=1e4 * tolerance)
        # the rod pulls with m (v² / L + g × depth) = 3 m g × depth
        pull = np.linalg.norm(run.multipliers[:, :3], axis=1)
        np.testing.assert_allclose(pull, -3.0 * G * run.body("bob").r[:, 2], rtol=0, atol=1e5 * tolerance)
    assert errors[1] < 0.1 * errors[0]


def swinging_parallelogram() -> tuple[System, Array, Array]:
    """The square hanging down, 0.5 rad aside with 1 rad/s, clear of dead points; a state for each form."""
    system = parallelogram()
    cut = TreeAugmented(system)
    turn = math.pi + 0.5  # crank from y
    tree = np.array((turn, -turn, turn, 1.0, -1.0, 1.0))
    states = cut.at(tree).states
    return (
        system,
        tree,
        np.concatenate((position_vector(system.bodies, states), velocity_vector(system.bodies, states))),
    )


def crank_angles(run: Trajectory) -> Array:
    along = run.body("crank").r
    return np.unwrap(np.arctan2(along[:, 1], along[:, 0]))


def exact_angles(times: Array) -> Array:
    start = [1.5 * math.pi + 0.5, 1.0]
    answer = solve_ivp(
        lambda t, y: [y[1], -G * math.cos(y[0]) * PARALLELOGRAM_LEVER],
        (times[0], times[-1]),
        start,
        method="DOP853",
        t_eval=times,
        rtol=1e-12,
        atol=1e-12,
    )
    return np.asarray(answer.y[0])


@pytest.mark.parametrize("formulation", ["full", "tree"])
@pytest.mark.parametrize("linear_solver", ["dense", "sparse"])
def test_loop_with_redundant_rows(formulation: str, linear_solver: str) -> None:
    """Three rows too many; the motion is that of the single equation of motion, and all rows hold."""
    system, tree, full = swinging_parallelogram()
    prepared = Preparation(
        *((FullyAugmented(system), full) if formulation == "full" else (TreeAugmented(system), tree))
    )
    assert prepared.softness.any()
    times = np.linspace(0.0, 1.0, 11)
    run = simulate_dae(prepared, None, times, rtol=1e-8, atol=1e-8, linear_solver=linear_solver)
    expected = np.unwrap(exact_angles(times))
    found = crank_angles(run)
    np.testing.assert_allclose(found - found[0], expected - expected[0], rtol=0, atol=1e-5)
    assert run.constraint_error.max() < 1e-8
    assert run.rate_error.max() < 1e-6
    np.testing.assert_allclose(run.energy, run.energy[0], rtol=1e-6)


def spinning_four_bar() -> tuple[System, Array]:
    """A four-bar without symmetry whose crank turns fully, and its state in tree coordinates."""
    system = four_bar((0.0, 0.0), (0.1, 0.4), (1.1, 0.9), (1.2, 0.0), embedded=False)
    cut = TreeAugmented(system)
    state = cut.initial_state()
    Y = cut.at(state).constraints.G.astype(float)
    state[cut.n_p :] = 9.0, *np.linalg.lstsq(Y[:, 1:], -9.0 * Y[:, 0], rcond=None)[0]
    return system, state


def test_drift_of_the_three_stabilisations() -> None:
    """Closure errors over four turns: none, Baumgarte, GGL; all three at the same tolerance."""
    system, state = spinning_four_bar()
    prepared = Preparation(TreeAugmented(system), state)
    times = np.linspace(0.0, 3.0, 61)
    drifting = simulate_baumgarte(prepared, None, times, alpha=0.0, beta=0.0, rtol=1e-6, atol=1e-6)
    stabilised = simulate_baumgarte(prepared, None, times, alpha=10.0, beta=10.0, rtol=1e-6, atol=1e-6)
    ggl = simulate_dae(prepared, None, times, rtol=1e-6, atol=1e-6)
    assert np.ptp(crank_angles(ggl)) > 4 * 2 * math.pi
    assert drifting.closure_error[-1] > 10.0 * stabilised.closure_error[-1]
    assert stabilised.closure_error.max() < 1e-5
    assert ggl.closure_error.max() < 1e-6  # it is solved for, not integrated
    assert ggl.closure_error.max() < 0.1 * drifting.closure_error.max()


def test_formulations_agree_where_nothing_is_symmetric(rng: np.random.Generator) -> None:
    """With a force element and its state: full against tree, IDA against Runge–Kutta."""
    system, state = spinning_four_bar()
    system.add_force(Link("link", system.find("crank"), vector(rng), system.find("rocker"), vector(rng)))
    cut, full = TreeAugmented(system), FullyAugmented(system)
    y_tree = np.append(state, cut.x0)
    states = cut.at(y_tree).states
    y_full = np.concatenate(
        (position_vector(system.bodies, states), velocity_vector(system.bodies, states), cut.x0)
    )
    times = np.linspace(0.0, 0.8, 17)
    by_ida = simulate_dae(full, y_full, times, rtol=1e-9, atol=1e-9)
    by_runge_kutta = simulate_baumgarte(cut, y_tree, times, alpha=5.0, beta=5.0, rtol=1e-11, atol=1e-11)
    assert np.ptp(crank_angles(by_ida)) > 0.3
    for name in ("crank", "coupler", "rocker"):
        for mine, other in zip(by_ida.body(name), by_runge_kutta.body(name), strict=True):
            np.testing.assert_allclose(mine, other, rtol=0, atol=3e-6)
    np.testing.assert_allclose(
        by_ida.y[:, -1], by_runge_kutta.y[:, -1], rtol=0, atol=1e-7
    )  # the link's state


def cart() -> System:
    """A pendulum (1 kg at 1 m below, no inertia) on a cart with prescribed displacement along x."""
    system = System()
    for name in ("s", "s_rate", "s_acceleration", "torque"):
        system.add_input(name, "")
    base = system.add_body(
        "cart", mass=1.0, inertia=(1, 1, 1), parent=system.ground, hinge=Prismatic((1, 0, 0))
    )
    bob = system.add_body("bob", mass=1.0, com=(0, 0, -1), parent=base, hinge=Revolute((0, 1, 0)))
    system.prescribe(base, Driven("s"))
    system.add_force(HingeInput("servo", bob, "torque"))
    system.add_output("angle", "rad", lambda observer: observer.coordinate(bob))
    system.add_output("rate", "rad/s", lambda observer: observer.rate(bob))
    return system


def moved(t: Scalar) -> dict[str, Scalar]:
    """Displacement 0.2 t² (3 − t) and its derivatives."""
    return {"s": 0.2 * t * t * (3.0 - t), "s_rate": 1.2 * t - 0.6 * t * t, "s_acceleration": 1.2 - 1.2 * t}


class Controller:
    """Torque −4 angle − rate, on the moving cart."""

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        return moved(t) | {"torque": -4.0 * sensors["angle"] - sensors["rate"]}


@pytest.mark.parametrize("controlled", [False, True])
@pytest.mark.parametrize("formulation", [FullyAugmented, TreeAugmented])
def test_prescribed_motion_and_inputs(formulation: type, controlled: bool) -> None:
    """θ̈ = −g sin θ + s̈ cos θ + torque (θ about y: the bob swings to −x): the exact equation, same inputs."""
    system = cart()
    model = formulation(system)
    y0 = FullyAugmented(system).design_state() if formulation is FullyAugmented else model.initial_state()
    inputs = Controller() if controlled else moved
    times = np.linspace(0.0, 2.0, 5)

    def exact(t: float, y: Array) -> list[float]:
        torque = -4.0 * y[0] - y[1] if controlled else 0.0
        return [y[1], -G * math.sin(y[0]) + moved(t)["s_acceleration"] * math.cos(y[0]) + torque]

    angle = solve_ivp(exact, (0.0, 2.0), [0.0, 0.0], t_eval=times, rtol=1e-11, atol=1e-11).y[0]
    for run in (
        simulate_dae(model, y0, times, rtol=1e-9, atol=1e-9, inputs=inputs),
        simulate_baumgarte(model, y0, times, rtol=1e-9, atol=1e-9, inputs=inputs),
    ):
        offset = run.body("bob").r - run.body("cart").r
        np.testing.assert_allclose(np.arctan2(-offset[:, 0], -offset[:, 2]), angle, rtol=0, atol=2e-7)
        np.testing.assert_allclose(
            run.body("cart").r[:, 0], [moved(t)["s"] for t in times], rtol=0, atol=1e-8
        )
        np.testing.assert_allclose(run.u[:, 0], [moved(t)["s"] for t in times], rtol=0, atol=1e-14)


def test_inconsistent_start_is_projected(rng: np.random.Generator) -> None:
    system, _, full = swinging_parallelogram()
    model = FullyAugmented(system)
    disturbed = full + 0.01 * rng.normal(size=len(full))
    fixed = model.assemble(disturbed)
    rows = model.at(fixed).constraints
    assert np.max(np.abs(model.at(disturbed).constraints.g)) > 1e-3
    assert np.max(np.abs(rows.g)) < 1e-12
    assert np.max(np.abs(rows.rate)) < 1e-12
    assert np.max(np.abs(fixed - full)) < 0.2  # it is a near one


def test_what_cannot_be_assembled_is_named() -> None:
    """Two bars of 1 m, 3 m apart, that a rod of 6 m is to join."""
    system = System()
    for name, x in (("left", 0.0), ("right", 3.0)):
        hinge = Revolute((0, 1, 0), (x, 0, 0))
        system.add_body(name, mass=1.0, com=(x, 0, -1), inertia=(1, 1, 1), parent=system.ground, hinge=hinge)
    system.close_loop("rod", "left", "right", Distance((0, 0, -1), (3, 0, -1), length=6.0))
    for model in (FullyAugmented(system), TreeAugmented(system)):
        start = model.design_state() if isinstance(model, FullyAugmented) else model.initial_state()
        with pytest.raises(AssemblyError, match="is off by"):
            model.assemble(start)


@pytest.mark.parametrize("formulation", ["full", "tree"])
def test_jacobian_is_that_of_the_residual(formulation: str, rng: np.random.Generator) -> None:
    """∂F/∂Y + c_j ∂F/∂Ẏ by central differences, at a state off the constraints and with large multipliers."""
    system, tree, full = swinging_parallelogram()
    system.add_force(Link("link", system.find("crank"), vector(rng), system.find("rocker"), vector(rng)))
    model = FullyAugmented(system) if formulation == "full" else TreeAugmented(system)
    y0 = np.append(full if formulation == "full" else tree, 0.1)
    problem = Preparation(model, y0).ggl
    Y = np.concatenate((y0, 10.0 * rng.normal(size=2 * model.n_g)))
    Y[: problem.n_y] += 0.1 * rng.normal(size=problem.n_y)
    Y_dot, c_j, u = rng.normal(size=problem.size), 7.0, np.zeros(0)
    J = problem.jacobian(0.0, Y, Y_dot, u, c_j).copy()
    h = 1e-6
    for k in range(problem.size):
        step = h * (np.arange(problem.size) == k)
        ahead = problem.residual(0.0, Y + step, Y_dot + c_j * step, u)
        behind = problem.residual(0.0, Y - step, Y_dot - c_j * step, u)
        # rounding 1e-16 × forces of order 1e3 / h, truncation h² × third derivatives of the same order
        np.testing.assert_allclose(J[:, [k]].toarray()[:, 0], (ahead - behind) / (2.0 * h), rtol=0, atol=1e-6)


class Failing(ForceElement):
    """Has no value after half a second."""

    name = "failing"
    inputs = ("torque",)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ()

    def __init__(self, body: Body) -> None:
        self.body = body

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        return Response([HingeLoad(self.body, 0, sqrt(0.5 - u["torque"]))])


def test_failure_keeps_what_was_computed() -> None:
    system, y0 = pendulum()
    system.add_input("torque", "N m")
    system.add_force(Failing(system.find("bob")))
    with pytest.raises(SimulationError, match=r"after t = 0\.5 s") as caught:
        simulate_dae(system, y0, np.linspace(0.0, 1.0, 11), inputs=lambda t: {"torque": t})
    partial = caught.value.partial
    assert isinstance(partial, Trajectory)
    assert partial.t[-1] == pytest.approx(0.5)
    assert np.isfinite(partial.y).all()


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sksundae.ida", None)
    system, y0 = pendulum()
    with pytest.raises(ModelError, match=r"ce-dynamics\[dae\]"):
        simulate_dae(system, y0, (0.0, 1.0))


def test_wrong_arguments_are_named() -> None:
    system, y0 = pendulum()
    model = FullyAugmented(system)
    with pytest.raises(ModelError, match="has 13 entries"):
        model.at(y0[1:])
    with pytest.raises(ModelError, match="increasing"):
        simulate_dae(model, y0, (1.0, 0.0))
    with pytest.raises(ModelError, match="linear_solver 'best'"):
        simulate_dae(model, y0, (0.0, 1.0), linear_solver="best")
    with pytest.raises(ModelError, match="unknown input 'wind'"):
        model.at(y0, {"wind": 1.0})
    with pytest.raises(ModelError, match="a Preparation has its own"):
        simulate_dae(Preparation(model, y0), y0, (0.0, 1.0))
    with pytest.raises(ModelError, match="initial state y0 is needed"):
        simulate_dae(model, None, (0.0, 1.0))
    with pytest.raises(ModelError, match="u 'abc' must be a list of numbers"):
        model.at(y0, "abc")  # type: ignore[arg-type]


@pytest.mark.parametrize("formulation", [TreeAugmented, FullyAugmented])
@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("q", [0.1, 0.2], r"q must be an array of shape \(1\), got shape \(2,\)"),
        ("v", None, "v None must be a list of numbers"),
        ("v", [np.nan], "v must be finite"),
        ("x", [1.0], r"x must be an array of shape \(0\)"),
        ("u", "abc", "u 'abc' must be a list of numbers"),
        ("u", [1.0, 2.0], "inputs have shape"),
        ("u", {"push": np.nan}, "u must be finite"),
    ],
)
def test_wrong_embedded_states_are_named(
    formulation: type[TreeAugmented | FullyAugmented], part: str, value: object, message: str
) -> None:
    system, _ = pendulum()
    system.add_input("push", "N")
    embedding = embed(system)
    given: dict[str, Any] = {"q": np.zeros(1), "v": np.zeros(1), "x": np.zeros(0), part: value}
    with pytest.raises(ModelError, match=message):
        formulation(system).state_from_embedded(embedding, **given)


@pytest.mark.parametrize("formulation", [TreeAugmented, FullyAugmented])
def test_zero_quaternions_are_refused(formulation: type[TreeAugmented | FullyAugmented]) -> None:
    system = System()
    system.add_body("ball", mass=1.0, com=(0, 0, 0), inertia=(1.0,) * 3, parent=system.ground, hinge=Free())
    model, embedding = formulation(system), embed(system)
    q, v, x = np.array([1.0, 2, 3, 0, 0, 0, 0]), np.zeros(6), np.zeros(0)
    message = r"the quaternion of 'ball' \(qw, qx, qy, qz\) is zero"
    with pytest.raises(ModelError, match=f"q: {message}"):
        model.state_from_embedded(embedding, q, v, x)
    y = np.concatenate((q, v))
    for refused in (lambda: model.at(y), lambda: model.assemble(y)):
        with pytest.raises(ModelError, match=f"y: {message}"):
            refused()
    with pytest.raises(ModelError, match=f"y0: {message}"):
        simulate_dae(model, y, (0.0, 1.0))
    with pytest.raises(ModelError, match="y must be 13 finite numbers"):
        model.at(np.full(13, np.nan))
