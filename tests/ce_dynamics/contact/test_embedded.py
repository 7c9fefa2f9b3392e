"""Unilateral elements on embedded systems: rows, responses, and time stepping against analytic motion."""

import math

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics import contact
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.contact import (
    Cable,
    Contact,
    ContactRun,
    Exact,
    GaussSeidel,
    InitialStateError,
    JointFriction,
    Plane,
    RigidStop,
    RoadSurface,
    Straight,
    UnilateralElement,
    UnilateralModel,
    Weaving,
    simulate_unilateral,
)
from ce_dynamics.contact.contact import Friction
from ce_dynamics.errors import ModelError, SimulationError
from tests.support.systems import four_bar

G = 9.81


def free_body(inertia: tuple[float, float, float] = (0.1, 0.2, 0.25), mass: float = 2.0) -> ce.System:
    system = ce.System(gravity=(0.0, 0.0, -G))
    system.add_body("body", mass=mass, inertia=inertia, parent=system.ground, hinge=ce.Free())
    return system


def y_of(r: tuple[float, float, float], w: tuple[float, ...], v: tuple[float, float, float]) -> Floats:
    return np.array([*r, 1.0, 0.0, 0.0, 0.0, *w, *v])


@pytest.fixture(scope="module")
def body() -> Model:
    return ce.compile(free_body())


# Rows


@pytest.fixture(scope="module")
def crane() -> UnilateralModel:
    """A slider with an arm, a free load, and every kind of element."""
    system = ce.System(gravity=(0.0, 0.0, -G))
    system.add_input("push", "N")
    slider = system.add_body("slider", mass=3.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    arm = system.add_body(
        "arm",
        mass=1.5,
        com=(0.5, 0, 1),
        inertia=(0.1, 0.2, 0.3),
        parent=slider,
        hinge=ce.Spherical((0, 0, 1)),
    )
    load = system.add_body(
        "load",
        mass=2.0,
        com=(1.5, 0, 0.5),
        inertia=(0.2, 0.3, 0.4),
        parent=system.ground,
        hinge=ce.Free((1.5, 0, 0.5)),
    )
    robot = Weaving((3, 0, 0), (0.2, 0, 0), across=(0, 1, 0), amplitude=0.3, frequency=1.0)
    elements = [
        Cable("hoist", load, (1.4, 0.1, 0.6), arm, (1.0, 0.0, 1.0), length=0.8),
        Cable("guy", load, (1.6, 0.0, 0.5), robot, length=2.0),
        Contact("ball", load, (1.5, 0.0, 0.4), Plane(0.3, (0.0, 0.6, 0.8)), radius=0.2),
        Contact("wheel", load, (1.5, 0.2, 0.4), Plane(0.3), radius=0.2, axis=(0, 1, 0), friction="box"),
        RigidStop("stop", slider, lower=-1.0, upper=1.0),
        JointFriction("drag", slider, limit=5.0),
    ]
    return UnilateralModel(ce.compile(system), elements)


def random_state(crane: UnilateralModel, rng: np.random.Generator) -> Floats:
    y = crane.model.y0 + 0.2 * rng.normal(size=len(crane.model.y0))
    return crane.model.with_unit_quaternions(y)


def test_rows_and_gaps_agree_with_finite_differences(
    crane: UnilateralModel, rng: np.random.Generator
) -> None:
    y, t, h = random_state(crane, rng), 0.3, 1e-6
    q, v, _ = crane.model.layout.split(y)
    stage = crane.stage(t, y, crane.model.u0)

    def psi(sign: float) -> Floats:
        moved = q + sign * h * crane.compiled.rates(q, v)[0]
        there = crane.model.with_unit_quaternions(np.concatenate((moved, v)))
        return crane.stage(t + sign * h, there, crane.model.u0).psi

    rate = (psi(1.0) - psi(-1.0)) / (2.0 * h)
    gaps = crane.unilateral
    assert int(np.sum(gaps)) == 6
    # rounding 1e-16 / h and truncation h² of quantities of order one
    np.testing.assert_allclose(stage.rate[gaps], rate[gaps], atol=1e-8)
    # rows are linear in v, with nothing left but the moving end of the guy
    other = random_state(crane, rng)[-len(v) :]
    changed = crane.stage(t, np.concatenate((q, other)), crane.model.u0)
    np.testing.assert_allclose(changed.rate - stage.rate, stage.GT @ (other - v), atol=1e-12)
    still = crane.stage(t, np.concatenate((q, 0.0 * v)), crane.model.u0).rate
    drift = {name: value for name, value in zip(crane.row_names, still, strict=True) if abs(value) > 1e-13}
    assert list(drift) == ["guy.tension"]


def test_responses_are_columns_of_the_inverse_mass_matrix(
    crane: UnilateralModel, rng: np.random.Generator
) -> None:
    y = random_state(crane, rng)
    q, _, _ = crane.model.layout.split(y)
    stage = crane.stage(0.0, y, crane.model.u0)
    dense = np.linalg.solve(crane.model.mass_matrix(q), stage.GT.T).T
    response = crane.compiled.responses(1)
    responses = [response(y, crane.model.u0, row)[0] for row in stage.GT]
    np.testing.assert_allclose(responses, dense, atol=1e-11)


def test_friction_rows_slide_across_the_normal(crane: UnilateralModel, rng: np.random.Generator) -> None:
    # the contact of the ball: its three rows are velocities of one point in an orthonormal frame
    y = random_state(crane, rng)
    stage = crane.stage(0.0, y, crane.model.u0)
    k = crane.row_names.index("ball.normal")
    n_v = crane.model.embedding.v_of["load"]
    frame = stage.GT[k : k + 3, n_v][:, 3:]
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(frame[0], [0.0, 0.6, 0.8], atol=1e-12)
    np.testing.assert_allclose(np.cross(frame[1], frame[2]), frame[0], atol=1e-12)


# Motion


def slide(body: Model, friction: Friction, speed: float, h: float) -> ContactRun:
    corners = [(i, j, 0.0) for i in (-0.5, 0.5) for j in (-0.5, 0.5)]
    plane = Plane(0.4)
    block = [
        Contact(f"c{k}", body.system.find("body"), at, plane, friction=friction)
        for k, at in enumerate(corners)
    ]
    y0 = y_of((0, 0, 0), (0, 0, 0), (speed, 0, 0))
    return simulate_unilateral(UnilateralModel(body, block), duration=1.0, step=h, y0=y0)


@pytest.mark.parametrize("friction", ["disc", "box"])
def test_sliding_block_stops_by_the_formula(body: Model, friction: Friction) -> None:
    a = 0.4 * G
    errors = []
    for steps in (50, 100):  # of length h in which it loses a h: it stops after exactly so many
        h = 1.0 / 256.0 / (steps / 50)
        speed = steps * a * h
        run = slide(body, friction, speed, h)
        distance = float(run.results["body_x"][-1])
        # implicit Euler: h Σ (v − k a h) = v²/2a − v h/2
        np.testing.assert_allclose(distance, speed**2 / (2.0 * a) - 0.5 * speed * h, atol=1e-9)
        assert abs(float(run.results["body_vx"][-1])) < 1e-9
        errors.append(speed**2 / (2.0 * a) - distance)
        work = float(run.results["contact_work"][-1])
        # ½ m v² is lost to friction, to the last bit in the steps' own balance
        np.testing.assert_allclose(work, -0.5 * 2.0 * speed**2, rtol=1e-9)
    assert 1.9 < errors[0] / errors[1] < 2.1  # of first order in h


@pytest.mark.parametrize("order", [1, 4])
def test_friction_disc_acts_in_the_plane(order: int) -> None:
    """The second row of the disc moves nothing; the first alone slows the block by μ g."""
    system = ce.System(gravity=(0.0, 0.0, -G))
    carrier = system.add_body("carrier", mass=0.1, parent=system.ground, hinge=ce.Prismatic((0, 0, 1)))
    block = system.add_body("block", mass=2.0, parent=carrier, hinge=ce.Prismatic((1, 0, 0)))
    system.start(block, v=2.0)
    contact = Contact("foot", block, (0, 0, 0), Plane(friction=0.4), friction="disc")
    run = simulate_unilateral(UnilateralModel(ce.compile(system), [contact]), duration=0.1, order=order)
    load = 2.1 * G
    # rounding of 100 steps
    np.testing.assert_allclose(run.results["block_rate"][-1], 2.0 - 0.1 * 0.4 * load / 2.0, rtol=1e-10)
    np.testing.assert_allclose(run.results.multiplier[-1], (load, -0.4 * load, 0.0), rtol=1e-9, atol=1e-9)


def test_block_on_an_incline_slides_or_sticks(body: Model) -> None:
    angle = 0.3
    n = (-math.sin(angle), 0.0, math.cos(angle))
    for mu, expected in ((0.2, G * (math.sin(angle) - 0.2 * math.cos(angle))), (0.4, 0.0)):
        point = [Contact("c", body.system.find("body"), (0, 0, 0), Plane(mu, n))]
        y0 = y_of((0, 0, 0), (0, 0, 0), (0, 0, 0))
        run = simulate_unilateral(UnilateralModel(body, point), duration=0.5, step=1e-3, y0=y0)
        speed = float(np.hypot(run.results["body_vx"][-1], run.results["body_vz"][-1]))
        np.testing.assert_allclose(speed, 0.5 * expected, atol=1e-8)
        np.testing.assert_allclose(run.results["multiplier"][-1, 0], 2.0 * G * math.cos(angle), rtol=1e-8)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_ball_rebounds_with_its_coefficient_of_restitution(body: Model, e: float) -> None:
    drop, h = 1.0, 1e-3
    ball = [
        Contact(
            "ground", body.system.find("body"), (0, 0, 0), Plane(), radius=0.3, friction="none", restitution=e
        )
    ]
    y0 = y_of((0, 0, 0.3 + drop), (0, 0, 0), (0, 0, 0))
    fall = math.sqrt(2.0 * drop / G)
    speed = G * fall
    duration = fall * (1.0 + e) + 2.0 * h
    run = simulate_unilateral(UnilateralModel(body, ball), duration=duration, step=h, y0=y0, interval=h)
    z = run.results["body_z"].values - 0.3
    landed = next(event for event in run.events if event.active)
    # rebound up to a step early, h |v| above the ground, with a velocity that is up to h g off
    np.testing.assert_allclose(landed.time, fall, atol=2.0 * h)
    after = z[round(landed.time / run.results.attrs["step"]) :]
    np.testing.assert_allclose(np.max(after), e**2 * drop, atol=2.0 * h * speed)
    assert np.min(z) > -1e-12
    if e == 1.0:
        energy = run.results["energy"].values
        assert np.ptp(energy) <= 2.0 * h * 2.0 * G * speed  # m g h |v|


def test_slow_impacts_come_to_rest(body: Model) -> None:
    ball = [
        Contact(
            "ground",
            body.system.find("body"),
            (0, 0, 0),
            Plane(),
            radius=0.3,
            friction="none",
            restitution=0.6,
        )
    ]
    run = simulate_unilateral(
        UnilateralModel(body, ball), duration=2.0, step=1e-3, y0=y_of((0, 0, 0.4), (0, 0, 0), (0, 0, 0))
    )
    last = run.results.isel(time=slice(-20, None))
    np.testing.assert_allclose(last["body_z"], 0.3, atol=1e-9)
    np.testing.assert_allclose(last["multiplier"][:, 0], 2.0 * G, rtol=1e-9)


def test_disc_rolls_without_slipping_down_an_incline() -> None:
    system = free_body((0.05, 0.09, 0.05), mass=2.0)
    angle, R = 0.2, 0.3
    n = np.array((math.sin(angle), 0.0, math.cos(angle)))
    wheel = Contact("c", system.find("body"), (0, 0, 0), Plane(0.8, n), radius=R, axis=(0, 1, 0))
    y0 = np.concatenate((R * n, [1.0, 0, 0, 0], np.zeros(6)))
    run = simulate_unilateral(UnilateralModel(ce.compile(system), [wheel]), duration=1.0, step=1e-3, y0=y0)
    # a = g sin β / (1 + I / m R²); implicit Euler is exact for a constant acceleration
    a = G * math.sin(angle) / (1.0 + 0.09 / (2.0 * R**2))
    np.testing.assert_allclose(run.results["body_vx"][-1], a * math.cos(angle), rtol=1e-6)
    np.testing.assert_allclose(run.results["body_wy"][-1], a / R, rtol=1e-6)


def test_stop_of_dependent_hinge_stops_the_whole_loop() -> None:
    system = four_bar((0.3, 0.8, 0.6, 0.9), 1.0)
    rocker = system.find("rocker")
    system.add_output("angle", "rad", lambda observer: observer.coordinate(rocker))
    model = ce.compile(system)
    stop = RigidStop("stop", rocker, upper=0.12)
    free = simulate_unilateral(UnilateralModel(model, []), duration=1.5, step=1e-3)
    assert float(free.results["angle"].max()) > 0.3  # it would swing on
    run = simulate_unilateral(UnilateralModel(model, [stop]), duration=1.5, step=1e-3, interval=1e-3)
    angle, crank_rate = run.results["angle"].values, run.results["crank_rate"].values
    hit = int(np.argmax(run.results["multiplier"].values[:, 0] > 0.0))
    assert hit > 10
    assert np.max(angle) <= 0.12 + 1e-5  # ψ is linearised: h² times the square of a rate of some rad/s
    assert abs(crank_rate[hit - 1]) > 0.5
    np.testing.assert_allclose(crank_rate[hit + 1 : hit + 20], 0.0, atol=1e-2)


def test_dry_friction_holds_slider_up_to_its_limit() -> None:
    system = ce.System(gravity=(0.0, 0.0, 0.0))
    system.add_input("push", "N")
    slider = system.add_body("slider", mass=3.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(ce.AppliedWrench("push", slider, (0, 0, 0), force=("push", 0.0, 0.0)))
    model = ce.compile(system)
    drag = UnilateralModel(model, [JointFriction("drag", slider, limit=5.0)])
    for push in (4.9, 8.0, -8.0):
        for solver in (GaussSeidel(), Exact()):
            run = simulate_unilateral(drag, {"push": push}, duration=0.2, step=1e-2, solver=solver)
            expected = math.copysign(max(abs(push) - 5.0, 0.0), push) / 3.0 * 0.2
            np.testing.assert_allclose(run.results["slider_rate"][-1], expected, atol=1e-10)


# Refusals


class Hills:
    """A road that is not flat, for the surface made of roads."""

    def height(self, x: float, y: float) -> float:
        return 0.2 * x

    def normal(self, x: float, y: float) -> Floats:
        return np.array((-0.2, 0.0, 1.0)) / math.hypot(0.2, 1.0)

    def friction(self, x: float, y: float) -> float:
        return 0.5


def test_road_surface_measures_along_the_normal() -> None:
    touch = RoadSurface(Hills()).touch(np.array((1.0, 2.0, 1.2)))
    np.testing.assert_allclose(touch.distance, 1.0 / math.hypot(0.2, 1.0))
    frame = np.array((touch.tangent_1, touch.tangent_2, touch.normal), dtype=float)
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(frame) > 0.0
    assert touch.mu == 0.5


def test_impossible_elements_are_refused(body: Model) -> None:
    one, ground = body.system.find("body"), body.system.ground
    stranger = free_body().find("body")
    with pytest.raises(ModelError, match="must be a unit vector"):
        Plane(0.3, (0.0, 0.0, 2.0))
    with pytest.raises(ModelError, match="must be a unit vector"):
        Plane(0.3, (0.0, 0.0, 1.0 + 1e-8))
    with pytest.raises(ModelError, match="must not be negative"):
        Plane(-0.1)
    with pytest.raises(ModelError, match="finite"):
        Plane(math.nan)
    for length in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ModelError, match="length"):
            Cable("c", one, (0, 0, 0), ground, (0, 0, 1), length=length)
    with pytest.raises(ModelError, match="tied to a body that can move"):
        Cable("c", ground, (0, 0, 0), one, (0, 0, 0), length=1.0)
    with pytest.raises(ModelError, match="both ends are tied to body 'body'"):
        Cable("c", one, (0, 0, 0), one, (0, 0, 1), length=1.0)
    with pytest.raises(ModelError, match="tied to nothing"):
        Cable("c", one, (0, 0, 0), None, length=1.0)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="other_at"):
        Cable("c", one, (0, 0, 0), ground, length=1.0)
    with pytest.raises(ModelError, match="different systems"):
        Cable("c", one, (0, 0, 0), stranger, (0, 0, 0), length=1.0)
    with pytest.raises(ModelError, match="three finite numbers"):
        Cable("c", one, (0, math.nan, 0), ground, (0, 0, 0), length=1.0)
    with pytest.raises(ModelError, match="radius"):
        Contact("c", one, (0, 0, 0), Plane(), radius=-1.0)
    with pytest.raises(ModelError, match="disc needs a positive radius"):
        Contact("c", one, (0, 0, 0), Plane(), axis=(0, 1, 0))
    for e in (-0.1, 1.1, math.nan):
        with pytest.raises(ModelError, match="restitution"):
            Contact("c", one, (0, 0, 0), Plane(), restitution=e)
    with pytest.raises(ModelError, match="friction 'wet'"):
        Contact("c", one, (0, 0, 0), Plane(), friction="wet")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="cannot touch itself"):
        Contact("c", ground, (0, 0, 0), Plane())
    with pytest.raises(ModelError, match="hinges with one coordinate each"):
        RigidStop("s", one, lower=0.0)
    with pytest.raises(ModelError, match="frequency"):
        Weaving((0, 0, 0), (0, 0, 0), across=(0, 1, 0), amplitude=1.0, frequency=0.0)
    with pytest.raises(ModelError, match="exists twice"):
        UnilateralModel(body, [Contact("c", one, (0, 0, 0), Plane()), Contact("c", one, (0, 0, 1), Plane())])
    with pytest.raises(ModelError, match="belongs to another system"):
        UnilateralModel(body, [Contact("c", stranger, (0, 0, 0), Plane())])


def test_joint_stops_that_make_no_sense_are_refused() -> None:
    system = ce.System()
    slider = system.add_body("slider", mass=1.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    with pytest.raises(ModelError, match="give a lower or an upper bound"):
        RigidStop("s", slider)
    with pytest.raises(ModelError, match="must be less than"):
        RigidStop("s", slider, lower=1.0, upper=0.0)
    with pytest.raises(ModelError, match="there is no number 1"):
        RigidStop("s", slider, lower=0.0, k=1)
    with pytest.raises(ModelError, match=r"limit -1\.0 must be a finite number at least 0"):
        JointFriction("f", slider, limit=-1.0)
    with pytest.raises(ModelError, match="ground has no hinge"):
        RigidStop("s", system.ground, lower=0.0)


def test_former_name_of_rigid_stops_warns() -> None:
    with pytest.warns(DeprecationWarning, match=r"ce_dynamics\.contact\.JointStop is now called RigidStop"):
        assert contact.JointStop is RigidStop


def test_former_sparse_rows_are_scipys() -> None:
    with pytest.warns(DeprecationWarning, match=r"give a scipy\.sparse\.csr_matrix"):
        rows = contact.SparseRows(starts=[0, 1, 1, 3], columns=[1, 0, 2], values=[3.0, 4.0, 5.0], width=3)
    assert rows.toarray().tolist() == [[0.0, 3.0, 0.0], [0.0, 0.0, 0.0], [4.0, 0.0, 5.0]]


def test_impossible_initial_states_are_refused(body: Model) -> None:
    one = body.system.find("body")
    under = UnilateralModel(body, [Contact("ground", one, (0, 0, 0), Plane())])
    with pytest.raises(InitialStateError, match=r"ground.normal: the initial gap ψ = -0.1"):
        simulate_unilateral(under, duration=0.1, y0=y_of((0, 0, -0.1), (0, 0, 0), (0, 0, 0)))
    tight = UnilateralModel(body, [Cable("rope", one, (0, 0, 0), Straight((0, 0, 2)), length=1.0)])
    with pytest.raises(InitialStateError, match=r"rope.tension: the initial gap ψ = -1 "):
        simulate_unilateral(tight, duration=0.1)
    with pytest.raises(ModelError, match="y0"):
        simulate_unilateral(tight, duration=0.1, y0=np.full(13, np.nan))
    for name in ("duration", "step", "interval"):
        with pytest.raises(ModelError, match=name):
            simulate_unilateral(tight, **{"duration": 0.1, name: -1.0})  # type: ignore[arg-type]  # a mapping of names


def test_run_that_fails_keeps_its_past() -> None:
    system = ce.System(gravity=(0.0, 0.0, 0.0))
    one = system.add_body("body", mass=1.0, inertia=(1, 1, 1), parent=system.ground, hinge=ce.Free())
    # two robots drive apart what two cables hold together
    elements: list[UnilateralElement] = [
        Cable(f"rope_{k}", one, (0, 0, 0), Straight((x, 0, 0), (x, 0, 0)), length=1.05)
        for k, x in enumerate((-1.0, 1.0))
    ]
    with pytest.raises(SimulationError, match=r"t = 0.05 s found no solution: .*contradict") as stop:
        simulate_unilateral(
            UnilateralModel(ce.compile(system), elements),
            duration=1.0,
            step=1e-2,
            solver=Exact(),
            interval=1e-2,
        )
    assert stop.value.partial is not None
    np.testing.assert_allclose(float(stop.value.partial.results.time[-1]), 0.05)
