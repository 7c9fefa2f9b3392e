"""Rolling: its conditions, the hinge and the constraint, against finite differences, theory and Simbody.

Random configurations have lengths and velocities of order 1; ROUNDING allows some hundred operations on
numbers up to about 30.  Central differences with h = 1e-5 are off by h² |f‴| / 6 + ε |f| / h < 1e-8 for
|f‴| < 300.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import FullyAugmented, TreeAugmented, compute_accelerations, simulate_dae
from ce_dynamics.augmented.constrained_system import ConstrainedState, ConstrainedSystem
from ce_dynamics.augmented.rolling_ball import BallRollingOnPlane
from ce_dynamics.compiled.variables import valid_name
from ce_dynamics.embedding.embed import embed
from ce_dynamics.mechanism.drives import Motion, Prescribed
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.mechanism.hinges.conditions import BetweenPoints, JointEnd, Twist
from ce_dynamics.mechanism.hinges.rolling import NoSlip, RollingOnPlane, Touching
from tests.support.augmented import assert_agrees

ROUNDING = 1e-13
STEP, DERIVATIVE = 1e-5, 1e-8
G = 9.81
SIMBODY = json.loads((Path(__file__).parents[3] / "data" / "simbody_rolling.json").read_text())


def unit(rng: np.random.Generator) -> Array:
    vector = rng.normal(size=3)
    return np.asarray(vector / np.linalg.norm(vector))


def turned(w: Array, t: float, R: Array) -> Array:
    return np.asarray(Rotation.from_rotvec(w * t).as_matrix() @ R)


class Pose:
    """Two frames that move with constant twists: nothing is accelerated."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.R_p, self.R_c = Rotation.random(2, random_state=seed).as_matrix()
        self.x_p, self.x_c, self.w_p, self.v_p, self.w_c, self.v_c = rng.normal(size=(6, 3))
        self.n = unit(rng)
        self.x = np.cross(self.n, unit(rng))
        self.x /= np.linalg.norm(self.x)
        self.radius = 0.3 + rng.random()
        self.slip = NoSlip(self.n, self.radius, self.x, np.cross(self.n, self.x))
        self.touching = Touching(self.n, self.radius)

    def at(self, t: float) -> tuple[JointEnd, JointEnd]:
        R_p, R_c = turned(self.w_p, t, self.R_p), turned(self.w_c, t, self.R_c)
        return JointEnd(R_p, self.x_p + t * self.v_p), JointEnd(R_c, self.x_c + t * self.v_c)

    @property
    def twists(self) -> tuple[Twist, Twist]:
        return Twist(self.w_p, self.v_p), Twist(self.w_c, self.v_c)

    def rate(self, condition: Any, t: float) -> Array:
        return np.asarray(
            condition.velocity_rows(*self.at(t)) @ np.hstack((*self.twists[0], *self.twists[1]))
        )


def contact_point(pose: Pose) -> Array:
    """C = (CB + CP) / 2 as the source defines it, by two projections."""
    n = pose.R_p @ pose.n
    lowest = pose.x_c - pose.radius * n
    on_plane = pose.x_c - n * (n @ (pose.x_c - pose.x_p))
    return np.asarray(0.5 * (lowest + on_plane))


@pytest.mark.parametrize("seed", range(8))
def test_rows_are_slip_of_material_points_at_contact(seed: int) -> None:
    pose = Pose(seed)
    C, h = contact_point(pose), STEP

    def slip(t: float) -> Array:
        """Material points of both bodies that are at C at time 0, where they are at time t."""
        p, c = pose.at(t)
        on_ball = c.x + c.R @ pose.R_c.T @ (C - pose.x_c)
        on_plane = p.x + p.R @ pose.R_p.T @ (C - pose.x_p)
        return np.asarray(on_ball - on_plane)

    velocity = (slip(h) - slip(-h)) / (2.0 * h)
    axes = (pose.R_p @ pose.slip.x_axis, pose.R_p @ pose.slip.y_axis)
    np.testing.assert_allclose(pose.rate(pose.slip, 0.0), [t @ velocity for t in axes], atol=DERIVATIVE)


@pytest.mark.parametrize("seed", range(8))
def test_biases_are_rates_of_rows_without_acceleration(seed: int) -> None:
    pose, h = Pose(seed), STEP
    for condition in (pose.slip, pose.touching):
        rate = (pose.rate(condition, h) - pose.rate(condition, -h)) / (2.0 * h)
        bias = condition.acceleration_bias(*pose.at(0.0), *pose.twists)
        np.testing.assert_allclose(bias, rate, atol=30.0 * DERIVATIVE)
    gap = (pose.touching.residual(*pose.at(h)) - pose.touching.residual(*pose.at(-h))) / (2.0 * h)
    np.testing.assert_allclose(pose.rate(pose.touching, 0.0), gap, atol=DERIVATIVE)
    assert not pose.slip.holonomic
    assert not pose.slip.residual(*pose.at(0.3)).any()


@pytest.mark.parametrize("seed", range(8))
def test_forces_are_opposite_and_act_at_contact(seed: int) -> None:
    pose = Pose(seed)
    C = contact_point(pose)
    rows = np.vstack([c.velocity_rows(*pose.at(0.0)) for c in (pose.touching, pose.slip)])
    for wrench in rows:
        on_plane, on_ball = wrench[:6], wrench[6:]
        np.testing.assert_allclose(on_plane[3:], -on_ball[3:], atol=ROUNDING)
        for (torque, force), x in (
            ((on_plane[:3], on_plane[3:]), pose.x_p),
            ((on_ball[:3], on_ball[3:]), pose.x_c),
        ):
            np.testing.assert_allclose(torque, np.cross(C - x, force), atol=ROUNDING)
    n = pose.R_p @ pose.n
    np.testing.assert_allclose(rows[0, 9:], n, atol=ROUNDING)  # the first multiplier pushes the ball along n


# The hinge


def hinge_with(seed: int) -> RollingOnPlane:
    rng = np.random.default_rng(seed)
    return RollingOnPlane(unit(rng), rng.normal(size=3), 0.2 + rng.random())


@pytest.mark.parametrize("seed", range(5))
def test_hinge_rolls_and_its_coordinates_follow(seed: int) -> None:
    """v → relative twist → no slip and constant height; q̇ by differences of the pose gives the same twist."""
    hinge, rng = hinge_with(seed), np.random.default_rng(seed + 100)
    q = np.concatenate((rng.normal(size=2), Rotation.random(random_state=seed).as_quat()[[3, 0, 1, 2]]))
    v, h = rng.normal(size=3), STEP
    c = hinge.configuration(q)
    twist = hinge.H(c).T @ v
    R, d = hinge.pose(c)
    ends = JointEnd(np.eye(3), hinge.at_parent), JointEnd(R, hinge.at + d)
    for condition in hinge.constraints:
        np.testing.assert_allclose(condition.residual(*ends), 0.0, atol=ROUNDING)
        rows = condition.velocity_rows(*ends)
        np.testing.assert_allclose(rows[:, 6:] @ twist, 0.0, atol=ROUNDING)
    ahead, behind = (hinge.pose(hinge.configuration(q + s * hinge.q_dot(q, v))) for s in (h, -h))
    np.testing.assert_allclose((ahead[1] - behind[1]) / (2 * h), twist[3:], atol=DERIVATIVE)
    spin = (ahead[0] - behind[0]) / (2 * h) @ R.T
    np.testing.assert_allclose((spin[2, 1], spin[0, 2], spin[1, 0]), v, atol=DERIVATIVE)
    assert hinge.n_q == 6
    assert hinge.H(c).shape == (3, 6)
    np.testing.assert_array_equal(hinge.bias(c, v), np.zeros(6))  # H is constant in the parent's axes
    np.testing.assert_array_equal(hinge.coordinates(c), c)


def test_rolling_around_a_square_turns_the_ball() -> None:
    """Four quarter turns about ±x, ±y close the contact's path but not the orientation: no coordinates θ."""
    hinge = RollingOnPlane((0, 0, 1), (0, 0, 1), 1.0)
    quarter = 0.5 * math.pi
    R, x = Rotation.identity(), np.zeros(2)
    for w in ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)):
        centre = hinge.H(hinge.neutral).T[3:] @ np.array(w)
        x = x + quarter * np.array((hinge.e1 @ centre, hinge.e2 @ centre))
        R = Rotation.from_rotvec(quarter * np.array(w)) * R
    np.testing.assert_allclose(x, 0.0, atol=ROUNDING)
    assert R.magnitude() == pytest.approx(2.0 * math.pi / 3.0)  # a third of a turn


def rolling_chain(seed: int) -> ce.System:
    """A ball with its mass off centre on a plate that hangs on an arm, with random geometry."""
    rng = np.random.default_rng(seed)
    system = ce.System(gravity=rng.normal(size=3) * 5.0)
    arm = system.add_body(
        "arm", mass=2.0, com=rng.normal(size=3), inertia=(0.5, 0.6, 0.7), parent="ground",
        hinge=ce.Revolute(unit(rng), rng.normal(size=3)),
    )  # fmt: skip
    plate = system.add_body(
        "plate", mass=1.5, com=rng.normal(size=3), inertia=(0.4, 0.3, 0.6), parent=arm,
        hinge=ce.Spherical(rng.normal(size=3)),
    )  # fmt: skip
    centre = rng.normal(size=3)
    system.add_body(
        "ball", mass=1.2, com=centre + 0.1 * rng.normal(size=3), inertia=(0.05, 0.06, 0.07), parent=plate,
        hinge=RollingOnPlane(unit(rng), centre, 0.4),
    )  # fmt: skip
    return system


@pytest.mark.parametrize("seed", range(4))
def test_recursion_agrees_with_free_bodies_and_their_constraints(seed: int) -> None:
    """Accelerations of all bodies and the contact force, for a plane on a body that is accelerated itself."""
    system = rolling_chain(seed)
    model = ce.compile(system)
    rng = np.random.default_rng(seed)
    y = model.y0 + rng.normal(size=len(model.y0))
    y = model.with_unit_quaternions(y)
    q, v, x = model.layout.split(y)
    full, state = assert_agrees(
        model.embedding, q, v, x, model.u0, relative=100 * ROUNDING, closed=ROUNDING, moving=10 * ROUNDING
    )
    scale = np.max(np.abs(full.accelerations(state).V_dot))
    force = model.reactions(y).hinges["ball"]
    wrench = full.reactions(state)["hinge of ball"]  # both at the centre of the ball
    largest = np.max(np.abs(wrench))
    np.testing.assert_allclose(
        (*force.torque, *force.force), wrench, atol=1000 * ROUNDING * max(largest, scale)
    )


def test_free_ball_with_cut_contact_agrees_when_augmented() -> None:
    rng = np.random.default_rng(5)
    n, centre, radius = unit(rng), rng.normal(size=3), 0.3
    embedded, cut = ce.System(), ce.System()
    parts: dict[str, Any] = {"mass": 1.3, "com": centre + (0.02, 0.05, -0.03), "inertia": (0.05, 0.06, 0.07)}
    hinge = RollingOnPlane(n, centre, radius)
    embedded.add_body("ball", parent="ground", hinge=hinge, **parts)
    ball = cut.add_body("ball", parent="ground", hinge=ce.Free(centre), **parts)
    contact = BetweenPoints(hinge.at_parent, centre, hinge.constraints)
    cut.close_loop("contact", cut.ground, ball, contact)
    q, w = np.array((0.2, -0.1, 0.7, 0.1, -0.5, 0.5)), rng.normal(size=3)
    q[2:] /= np.linalg.norm(q[2:])
    ours = compute_accelerations(embed(embedded), q, w, np.zeros(0), np.zeros(0))["ball"]
    tree = TreeAugmented(cut)
    d, v = q[0] * hinge.e1 + q[1] * hinge.e2, hinge.H(q).T @ w
    answer = tree.accelerations(np.concatenate((d, q[2:], v)))
    assert answer.rank == 3
    np.testing.assert_allclose(answer.V_dot[:3], ours[:3], atol=100 * ROUNDING)


# The constraint


class Steady(Motion):
    def __init__(self, rate: float, start: float) -> None:
        self.rate = rate
        self.states = (StateDeclaration("angle", "rad", start),)

    def evaluate(self, x: Array, u: Mapping[str, Any]) -> Prescribed:
        return Prescribed(x[0], self.rate, 0.0, (self.rate,))


def as_simbody(case: Mapping[str, Any]) -> tuple[ConstrainedState, BallRollingOnPlane]:
    """A recorded state, with the same masses and geometry as tests/data/simbody_rolling.cpp."""
    system = ce.System(gravity=case["gravity"])
    plate = system.ground
    origin = (0.0, 0.0, 0.0)
    if case["plane"]:
        hinge = ce.Free() if case["plane"] == 1 else ce.Revolute((0, 0, 1))
        plate = system.add_body(
            "plate", mass=3.0, com=origin, inertia=(0.5, 0.7, 1.1), parent="ground", hinge=hinge
        )
    if case["plane"] == 2:
        system.prescribe(plate, Steady(case["omega"], case["omega"] * case["t"]))
    com = case["com"]
    ball = system.add_body(
        "ball", mass=2.0, com=com, inertia=(0.02, 0.03, 0.04), parent="ground", hinge=ce.Free(com)
    )
    n = np.array(case["normal"])
    rolling = BallRollingOnPlane(plate, n, n @ case["plane_point"], ball, case["center"], case["radius"])
    state = ConstrainedSystem(system, rolling).default_state()
    for name in ("plate", "ball"):
        if name in case:
            body = case[name]
            quaternion = Rotation.from_matrix(body["R"]).as_quat()[[3, 0, 1, 2]]
            state = state.place(name, r=body["r"], quaternion=quaternion, v=body["v"], w=body["w"])
    return state, rolling


@pytest.mark.parametrize("case", SIMBODY, ids=lambda case: f"{case['case']}, {case['t']:g} s")
def test_multipliers_forces_and_accelerations_are_those_of_simbody(case: Mapping[str, Any]) -> None:
    """At the very states Simbody was in; it projects them to 1e-12, which spins of 10/s enlarge to 1e-10."""
    state, rolling = as_simbody(case)
    tolerance = 2e-10
    np.testing.assert_allclose(rolling.contact_force(state), case["force_on_ball"], atol=tolerance)
    np.testing.assert_allclose(rolling.contact_point(state), case["contact_point"], atol=1e-12)
    # Simbody's multipliers are those of the plane's axes x, y, n, of opposite sign.
    assert rolling.normal_force(state) == pytest.approx(-case["multipliers"][2], abs=tolerance)
    axes = rolling.plane_axes(state)
    plane = np.asarray(state.body(rolling.plane_body).R, dtype=float)
    theirs = plane @ np.array((case["plane_x"], case["plane_y"])).T @ -np.array(case["multipliers"][:2])
    ours = axes[:, :2] @ rolling.friction_force_on_ball_in_plane_frame(state)
    np.testing.assert_allclose(ours, theirs, atol=tolerance)
    for name in ("plate", "ball"):
        if name in case:
            expected = np.concatenate((case[name]["alpha"], case[name]["a"]))
            np.testing.assert_allclose(state.acceleration(name), expected, atol=tolerance)
    assert rolling.gap(state) == pytest.approx(case["position_error"], abs=1e-14)


def test_simbody_figures_cover_sticking_and_moving_planes() -> None:
    normal: dict[str, list[float]] = {}
    for case in SIMBODY:
        normal.setdefault(case["case"], []).append(-case["multipliers"][2])
    assert max(normal["ceiling"]) < 0.0 < min(normal["incline"])
    assert min(normal["free plate"]) < 0.0 < max(normal["free plate"])
    assert {case["plane"] for case in SIMBODY} == {0, 1, 2}


def ball_on(
    plane_normal: Any = (0, 0, 1),
    *,
    mass: float = 2.0,
    radius: float = 0.5,
    plate: bool = False,
    **options: Any,
) -> tuple[ConstrainedSystem, BallRollingOnPlane]:
    """A solid ball resting on a plane through the origin."""
    system = ce.System()
    n = np.array(plane_normal, dtype=float)
    plane = system.ground
    if plate:
        plane = system.add_body(
            "plate", mass=4.0, com=(0, 0, 0), inertia=(0.3, 0.5, 0.7), parent="ground", hinge=ce.Free()
        )
    moment = 0.4 * mass * radius**2
    ball = system.add_body(
        "ball", mass=mass, com=radius * n, inertia=[moment] * 3, parent="ground", hinge=ce.Free(radius * n)
    )
    rolling = BallRollingOnPlane(plane, n, 0.0, ball, radius * n, radius, **options)
    return ConstrainedSystem(system, rolling), rolling


def random_state(system: ConstrainedSystem, seed: int) -> ConstrainedState:
    """Bodies anywhere, moving anyhow: the constraint does not hold."""
    rng = np.random.default_rng(seed)
    state = system.default_state()
    for body in system.system.bodies:
        r, v, w = rng.normal(size=(3, 3))
        state = state.place(body, r=r, v=v, w=w, quaternion=rng.normal(size=4))
    return state


@pytest.mark.parametrize("seed", range(4))
def test_errors_are_those_the_source_defines(seed: int) -> None:
    """C_P · n_P − h in the plane body's frame, in any state; its rate; slip; and the rates of both."""
    system, rolling = ball_on((0.6, 0.0, 0.8), plate=True)
    state = random_state(system, seed)
    n_P, h, r = np.array((0.6, 0.0, 0.8)), 0.0, 0.5

    def height(s: ConstrainedState) -> float:
        plane, ball = s.body("plate"), s.body("ball")
        centre = plane.R.T @ (ball.r - plane.r)  # the ball's centre is its centre of mass
        CB, CP = centre - r * n_P, centre - n_P * (n_P @ centre - h)
        return float(0.5 * (CB + CP) @ n_P - h)

    assert rolling.position_error(state) == pytest.approx(height(state), abs=ROUNDING)
    np.testing.assert_allclose(
        state.body("plate").R.T @ (rolling.contact_point(state) - state.body("plate").r) @ n_P - h,
        height(state),
        atol=ROUNDING,
    )
    model, (p, V, x) = state.model, state.model.split(state.y)
    V_dot = state.solution.V_dot

    def moved(t: float) -> ConstrainedState:
        """Second-order step along the motion of (8)."""
        p_ahead = p + t * model.at(state.y).position_rate(V + 0.5 * t * V_dot).astype(float)
        return ConstrainedState(state.configuration, np.concatenate((p_ahead, V + t * V_dot, x)), state.u)

    step = 1e-6
    rate = (height(moved(step)) - height(moved(-step))) / (2.0 * step)
    assert rolling.velocity_error(state)[0] == pytest.approx(rate, abs=1e-8)
    second = (rolling.velocity_error(moved(step)) - rolling.velocity_error(moved(-step))) / (2.0 * step)
    np.testing.assert_allclose(second, rolling.acceleration_error(state), atol=1e-6)  # V² × step / ε-noise
    np.testing.assert_allclose(rolling.acceleration_error(state), 0.0, atol=100 * ROUNDING)
    off = rolling.disable(state)
    assert np.max(np.abs(rolling.acceleration_error(off))) > 0.1  # free bodies do not keep it


@pytest.mark.parametrize("seed", range(3))
def test_reactions_on_both_bodies_balance_at_contact_point(seed: int) -> None:
    system, rolling = ball_on((0.6, 0.0, 0.8), plate=True)
    state = random_state(system, seed)
    forces, C = rolling.body_forces(state), rolling.contact_point(state)
    F = rolling.contact_force(state)
    for name, sign in (("ball", 1.0), ("plate", -1.0)):
        lever = C - state.body(name).r
        expected = sign * np.concatenate((np.cross(lever, F), F))
        np.testing.assert_allclose(forces[name], expected.astype(float), atol=1000 * ROUNDING)
    # and they are what the bodies lack: m a = m g + F
    a = state.acceleration("ball")[3:]
    np.testing.assert_allclose(2.0 * a, 2.0 * np.array((0, 0, -G)) + F, atol=1000 * ROUNDING)


def test_every_operation_of_the_source_has_a_name() -> None:
    system, rolling = ball_on(plane_display_half_width=3.0)
    assert rolling.plane_body.is_ground
    assert rolling.ball_body.name == "ball"
    assert (rolling.default_plane_height, rolling.default_ball_radius) == (0.0, 0.5)
    np.testing.assert_array_equal(rolling.default_plane_normal, (0, 0, 1))
    np.testing.assert_array_equal(rolling.default_ball_center, (0, 0, 0.5))
    assert rolling.plane_display_half_width == 3.0
    rolling.plane_display_half_width = 0.0
    assert rolling.plane_display_half_width == 0.0
    before = system.default_state()
    rolling.default_plane_normal = (0.0, 0.6, 0.8)
    rolling.default_plane_height = 1.5
    rolling.default_ball_center = (0.0, 0.0, 0.4)
    rolling.default_ball_radius = 0.25
    after = system.default_state()
    for state, n, h, c, r in ((before, (0, 0, 1), 0.0, 0.5, 0.5), (after, (0, 0.6, 0.8), 1.5, 0.4, 0.25)):
        np.testing.assert_allclose(rolling.plane_normal(state), n, atol=1e-16)
        assert rolling.plane_height(state) == h
        np.testing.assert_array_equal(rolling.ball_center(state), (0, 0, c))
        assert rolling.ball_radius(state) == r


def test_current_geometry_belongs_to_the_state_and_acts() -> None:
    system, rolling = ball_on()
    state = system.default_state()
    slope = 0.3
    tilted = rolling.set_plane_normal(state, (math.sin(slope), 0.0, math.cos(slope)))
    tilted = rolling.set_plane_height(tilted, 0.5 * math.cos(slope) - 0.5)
    assert rolling.position_error(tilted) == pytest.approx(0.0, abs=1e-16)
    expected = 5.0 / 7.0 * G * math.sin(slope)
    assert np.linalg.norm(tilted.acceleration("ball")[3:]) == pytest.approx(expected, rel=1e-14)
    np.testing.assert_allclose(state.acceleration("ball"), 0.0, atol=1e-14)  # the state before is as it was
    small = rolling.set_ball_radius(state, 0.3)
    assert rolling.gap(small) == pytest.approx(0.2)
    assert rolling.position_error(small) == pytest.approx(0.1)
    np.testing.assert_allclose(rolling.contact_point(small), (0, 0, 0.1), atol=1e-16)  # CB 0.2, CP 0
    lower = rolling.set_ball_center(small, (0.0, 0.0, 0.3))
    assert rolling.gap(lower) == pytest.approx(0.0, abs=1e-16)
    assert rolling.ball_radius(state) == 0.5


@pytest.mark.parametrize("slope", [0.0, 0.2, 1.2, math.pi / 2.0, 2.5, math.pi])
def test_forces_on_a_plane_of_any_slope(slope: float) -> None:
    """5/7 g sin β along the plane, normal force m g cos β: negative, sticking, where the ball hangs below."""
    n = np.array((math.sin(slope), 0.0, math.cos(slope)))
    system, rolling = ball_on(n)
    state = system.default_state()
    assert rolling.normal_force(state) == pytest.approx(2.0 * G * math.cos(slope), abs=1e-13)
    friction = rolling.friction_force_on_ball_in_plane_frame(state)
    assert np.linalg.norm(friction) == pytest.approx(2.0 / 7.0 * 2.0 * G * math.sin(slope), abs=1e-13)
    a = state.acceleration("ball")[3:]
    along = np.array((math.cos(slope), 0.0, -math.sin(slope)))
    np.testing.assert_allclose(a, 5.0 / 7.0 * G * math.sin(slope) * along, atol=1e-13)


def test_pulled_off_the_ball_sticks() -> None:
    system, rolling = ball_on()
    ball = system.system.find("ball")
    system.system.add_force(ce.AppliedWrench("lift", ball, (0, 0, 0.5), force=(0, 0, 50.0)))
    state = system.default_state()
    assert rolling.normal_force(state) == pytest.approx(2.0 * G - 50.0, rel=1e-14)
    assert rolling.normal_force(state) < 0.0
    np.testing.assert_allclose(state.acceleration("ball"), 0.0, atol=1e-13)


def test_pushed_plate_feels_two_sevenths_of_the_ball() -> None:
    """M A + (2/7) m A = P where the plate slides freely, in both formulations."""
    P, M, m, r = 7.0, 3.0, 2.0, 0.25
    accelerations = []
    for embedded in (True, False):
        system = ce.System()
        plate = system.add_body("plate", mass=M, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
        system.add_force(ce.AppliedWrench("push", plate, (0, 0, 0), force=(P, 0, 0)))
        hinge: ce.Hinge = RollingOnPlane((0, 0, 1), (0, 0, r), r) if embedded else ce.Free((0, 0, r))
        parent = plate if embedded else system.ground
        ball = system.add_body(
            "ball", mass=m, com=(0, 0, r), inertia=[0.4 * m * r**2] * 3, parent=parent, hinge=hinge
        )
        if embedded:
            model = ce.compile(system)
            q, v, x = model.layout.split(model.y0)
            accelerations.append(compute_accelerations(model.embedding, q, v, x, model.u0))
        else:
            rolling = BallRollingOnPlane(plate, (0, 0, 1), 0.0, ball, (0, 0, r), r)
            state = ConstrainedSystem(system, rolling).default_state()
            accelerations.append({name: state.acceleration(name) for name in ("plate", "ball")})
    A = P / (M + 2.0 / 7.0 * m)
    for found in accelerations:
        assert found["plate"][3] == pytest.approx(A, rel=1e-14)
        assert found["ball"][3] == pytest.approx(2.0 / 7.0 * A, rel=1e-14)


def test_disabled_ball_flies_and_enabled_takes_an_impulse() -> None:
    """Sliding at v without spin, the grip of an enabled constraint leaves 5/7 v and is kept after."""
    system, rolling = ball_on(enabled=False)
    state = system.default_state().place("ball", v=(1.4, 0.0, 0.0))
    assert not rolling.is_enabled(state)
    assert rolling.normal_force(state) == 0.0
    assert not rolling.multipliers(state).any()
    np.testing.assert_allclose(state.acceleration("ball")[3:], (0, 0, -G), atol=1e-14)
    flown = system.simulate(state, [0.0, 0.2]).states[-1]
    assert rolling.gap(flown) == pytest.approx(-0.5 * G * 0.04, rel=1e-9)
    gripping = rolling.enable(state)
    with pytest.raises(ce.AssemblyError, match=r"'rolling': velocity error 1\.4"):
        system.simulate(gripping, [0.0, 1.0])
    rolled = gripping.assemble()
    np.testing.assert_allclose(rolled.body("ball").v, (1.0, 0.0, 0.0), atol=1e-14)
    np.testing.assert_allclose(rolled.body("ball").w, (0.0, 2.0, 0.0), atol=1e-14)
    after = system.simulate(rolled, [0.0, 1.0]).states[-1]
    np.testing.assert_allclose(after.body("ball").r, (1.0, 0.0, 0.5), atol=1e-9)
    assert rolling.is_enabled(after)
    landed = rolling.enable(flown).assemble()  # out of the plane and into rolling
    assert abs(rolling.position_error(landed)) < 1e-12
    np.testing.assert_allclose(rolling.velocity_error(landed), 0.0, atol=1e-12)


@pytest.mark.parametrize("method", ["baumgarte", "dae"])
def test_both_integrations_keep_rows_and_energy(method: str) -> None:
    system, rolling = ball_on((0.6, 0.0, 0.8), plate=True)
    state = system.default_state().place("ball", v=(0.3, 0.2, 0.1), w=(3.0, -1.0, 2.0))
    state = state.place("plate", w=(0.2, 0.4, -0.3)).assemble()
    rtol = 1e-9
    motion = system.simulate(state, np.linspace(0.0, 1.0, 11), method=method, rtol=rtol, atol=rtol)
    end = motion.states[-1]
    kept = 1e-8 if method == "baumgarte" else 1e-10  # IDA solves the rows in every step
    assert max(abs(rolling.position_error(s)) for s in motion.states) < kept
    assert max(np.max(np.abs(rolling.velocity_error(s))) for s in motion.states) < kept * 10.0
    travelled = np.linalg.norm(end.body("ball").v - state.body("ball").v)
    assert travelled > 5.0
    assert end.energy == pytest.approx(state.energy, abs=1e-5)


def test_hinge_in_the_stabilised_index_2_form() -> None:
    """The rolling hinge is a joint of the DAE reference too: same path as the embedded system."""
    system = rolling_chain(1)
    model = ce.compile(system)
    y0 = model.y0
    y0[model.embedding.n_q :] = 0.5
    run = ce.simulate(model, duration=0.2, y0=y0, method="DOP853", rtol=1e-11, atol=1e-12, interval=0.2)
    full = FullyAugmented(system)
    start = full.state_from_embedded(model.embedding, *model.layout.split(y0))
    dae = simulate_dae(full, start, [0.0, 0.2], rtol=1e-9, atol=1e-9)
    entries = (*model.layout.q, *model.layout.v)
    y = np.array([float(run[valid_name(entry.name)][-1]) for entry in entries])
    end = full.state_from_embedded(model.embedding, *model.layout.split(y))
    r = np.concatenate([dae.body(body.name).r[-1] for body in system.bodies])
    expected = np.concatenate([full.at(end).states[body.name].r for body in system.bodies])
    np.testing.assert_allclose(r, expected.astype(float), atol=1e-6)  # IDA's accumulated error at rtol 1e-9
    assert np.max(np.abs(expected - start[[0, 1, 2, 7, 8, 9, 14, 15, 16]])) > 0.1


def test_plane_on_ball_side_and_ball_on_ground() -> None:
    """Either body may be the ground: a plate lies on a fixed ball and balances."""
    system = ce.System()
    plate = system.add_body(
        "plate", mass=3.0, com=(0, 0, 1), inertia=(1, 1, 2), parent="ground", hinge=ce.Free((0, 0, 1))
    )
    rolling = BallRollingOnPlane(plate, (0, 0, -1), -1.0, system.ground, (0, 0, 0.5), 0.5)
    state = ConstrainedSystem(system, rolling).default_state()
    assert rolling.gap(state) == 0.0
    assert rolling.normal_force(state) == pytest.approx(3.0 * G, rel=1e-14)  # pushes the ball down, along n
    np.testing.assert_allclose(state.acceleration("plate"), 0.0, atol=1e-14)


# Refusals


def rolling_with(**changes: Any) -> BallRollingOnPlane:
    system = ce.System()
    ball = system.add_body(
        "ball", mass=changes.pop("mass", 1.0), inertia=(1, 1, 1), parent="ground", hinge=ce.Free()
    )
    given: dict[str, Any] = {"normal": (0, 0, 1), "height": 0.0, "center": (0, 0, 1), "radius": 1.0} | changes
    other = ball if changes.get("itself") else system.ground
    return BallRollingOnPlane(other, given["normal"], given["height"], ball, given["center"], given["radius"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"normal": (0, 0, 2)}, r"plane normal \(0\.0, 0\.0, 2\.0\) has length 2; it must be a unit vector"),
        ({"normal": (0, 0, 0)}, "length 0"),
        ({"normal": (0, 0, math.nan)}, "must be three finite numbers"),
        ({"normal": (0, 1)}, "must be three finite numbers"),
        ({"height": math.inf}, "plane height inf must"),
        ({"height": "low"}, "is not a number"),
        ({"center": (0, 0, math.nan)}, "ball center"),
        ({"radius": 0.0}, "ball radius 0 must be > 0 m"),
        ({"radius": -1.0}, "ball radius -1 must be > 0 m"),
        ({"radius": math.nan}, "ball radius nan must"),
        ({"mass": 0.0}, "ball body 'ball' has mass 0"),
        ({"itself": True}, "joins body 'ball' to itself"),
    ],
)
def test_wrong_geometry_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ce.ModelError, match=message):
        rolling_with(**changes)


def test_wrong_geometry_is_refused_in_setters_and_states() -> None:
    system, rolling = ball_on()
    state = system.default_state()
    for wrong in (
        lambda: rolling.set_plane_normal(state, (0, 3, 4)),
        lambda: rolling.set_ball_radius(state, -0.1),
        lambda: rolling.set_plane_height(state, math.nan),
        lambda: rolling.set_ball_center(state, (math.inf, 0, 0)),
        lambda: setattr(rolling, "default_ball_radius", 0.0),
        lambda: setattr(rolling, "plane_display_half_width", -1.0),
        lambda: state.place("ball", v=(math.nan, 0, 0)),
        lambda: state.place("ball", quaternion=(0, 0, 0, 0)),
        lambda: state.place("ground", r=(0, 0, 0)),
        lambda: system.simulate(state, [0.0, 1.0], method="euler"),
        lambda: system.simulate(state, [1.0, 0.0]),
        lambda: RollingOnPlane((0, 0, 2), (0, 0, 0), 1.0),
        lambda: RollingOnPlane((0, 0, 1), (0, 0, 0), -1.0),
        lambda: RollingOnPlane((0, 0, 1), (0, 0, 0), 1.0, x_axis=(0, 0, 1)),
        lambda: ConstrainedSystem(system.system, rolling, rolling),
        lambda: ConstrainedSystem(ce.System(), rolling),
    ):
        with pytest.raises(ce.ModelError):
            wrong()
    almost = rolling.set_plane_normal(state, (0.0, 0.0, 1.0 + 1e-9))  # rounding is not refused but removed
    assert np.linalg.norm(rolling.plane_normal(almost)) == 1.0


def test_states_off_plane_and_impossible_ones_are_refused() -> None:
    system, rolling = ball_on()
    high = system.default_state().place("ball", r=(0.0, 0.0, 0.8))
    with pytest.raises(ce.AssemblyError, match=r"'rolling': position error 0\.3"):
        system.simulate(high, [0.0, 1.0])
    assert rolling.gap(high.assemble()) == pytest.approx(0.0, abs=1e-13)
    ceiling = BallRollingOnPlane(
        rolling.plane_body, (0, 0, -1), -3.0, rolling.ball_body, (0, 0, 0.5), 0.5, name="ceiling"
    )
    both = ConstrainedSystem(system.system, rolling, ceiling)  # 3 m apart, the ball has 1 m
    with pytest.raises(ce.AssemblyError, match="cannot be assembled"):
        both.default_state().assemble()


def test_ball_without_inertia_is_refused_by_both_formulations() -> None:
    """Nothing resists its spin about the normal."""
    system, tree = ce.System(), ce.System()
    point: dict[str, Any] = {"mass": 1.0, "com": (0, 0, 1)}
    ball = system.add_body("ball", parent="ground", hinge=ce.Free((0, 0, 1)), **point)
    rolling = BallRollingOnPlane(system.ground, (0, 0, 1), 0.0, ball, (0, 0, 1), 1.0)
    constrained = ConstrainedSystem(system, rolling)
    with pytest.raises(ce.ModelError, match="moves no mass or inertia"):
        constrained.simulate(constrained.default_state(), [0.0, 1.0])
    tree.add_body("ball", parent="ground", hinge=RollingOnPlane((0, 0, 1), (0, 0, 1), 1.0), **point)
    with pytest.raises(ce.ModelError, match="moves no mass or inertia"):
        ce.compile(tree)
