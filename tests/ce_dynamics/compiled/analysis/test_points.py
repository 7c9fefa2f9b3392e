"""Points and frames: kinematics by differences along motions, inertia by dense algebra and by forces."""

import math
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.compiled.analysis.points import moving_bodies
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.jacobians import frame_columns
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body, ground_of
from ce_dynamics.mechanism.forces.base import Observer
from ce_dynamics.mechanism.forces.wrench import AppliedWrench
from ce_dynamics.mechanism.hinges import Free, Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.simulation.simulate import simulate
from tests.ce_dynamics.recursion_dense import Dense
from tests.ce_dynamics.recursion_systems import Case, make_case
from tests.support import systems as mechanisms

Floats = NDArray[np.float64]
CASES = ("tree", "chain", "four_bar", "corner")


@pytest.fixture(scope="module", params=CASES)
def pair(request: pytest.FixtureRequest) -> tuple[Case, Model, Floats]:
    case = make_case(request.param)
    model = Model(case.system)
    return case, model, np.concatenate((case.q, case.v, case.x))


def farthest(case: Case) -> str:
    """The body that most others carry."""
    return max(case.system.bodies, key=lambda body: (body.depth, body.index)).name


def test_frames_move_by_their_differences(pair: tuple[Case, Model, Floats]) -> None:
    """Along the motion under the loads; differences with h = 1e-5 leave 1e-7 of the largest rates."""
    case, model, y = pair
    body = case.system.find(farthest(case))
    at = body.com + (0.2, -0.3, 0.4)
    found = model.frame(body, at)(y, u=case.u)
    v_dot = case.instant().accelerations.v_dot
    ground = case.system.ground

    def place(now: Instant) -> Array:
        return now.outward.point(body, at, ground).r

    def speed(now: Instant) -> Array:
        return now.outward.point(body, at, ground).v

    def turning(now: Instant) -> Array:
        return now.outward.placement(body, ground).w

    def axes(now: Instant) -> Array:
        return np.array([now.outward.direction(body, e, ground) for e in np.eye(3)]).T

    scale = max(1.0, float(np.abs(found.A).max()))
    np.testing.assert_allclose(found.r, place(case.instant()).astype(float), atol=1e-12)
    np.testing.assert_allclose(found.V[3:], case.derivative(place, v_dot), atol=1e-8 * scale)
    np.testing.assert_allclose(found.V[:3], turning(case.instant()).astype(float), atol=1e-12)
    np.testing.assert_allclose(found.A[3:], case.derivative(speed, v_dot), atol=1e-7 * scale)
    np.testing.assert_allclose(found.A[:3], case.derivative(turning, v_dot), atol=1e-7 * scale)
    turn = case.derivative(axes, v_dot) @ found.R.T
    np.testing.assert_allclose((turn[2, 1], turn[0, 2], turn[1, 0]), found.V[:3], atol=1e-8 * scale)


def test_one_function_for_all_bodies_agrees(pair: tuple[Case, Model, Floats]) -> None:
    """Frames beyond the first few come from a shared function; rounding of other sums is the difference."""
    case, model, y = pair
    shared = moving_bodies(model, y, np.asarray(case.u))
    for body in case.system.bodies[:3]:
        at = nominal(body.com) + (0.2, -0.3, 0.4)
        lean = model.function(
            f"frame of {body.name}",
            lambda y, u, at, body=body: frame_columns(model.instant(y, u).outward, body, at)._asdict(),
            {"y": len(y), "u": len(case.u), "at": 3},
        )
        for one, other in zip(lean(y, case.u, at), shared.frame(body, at), strict=True):
            scale = max(1.0, float(np.abs(one).max(initial=0.0)))
            np.testing.assert_allclose(other, one, rtol=0.0, atol=1e-12 * scale)


def test_frames_of_many_bodies_are_compiled_together() -> None:
    system = System(gravity=(0, 0, -9.81))
    carrier = system.ground
    for k in range(12):
        carrier = system.add_body(
            f"link {k}", mass=1.0, com=(0, 0, -k - 0.5), inertia=(0.1, 0.1, 0.01), parent=carrier,
            hinge=Revolute((0, 1, 0), at=(0, 0, -k)),
        )  # fmt: skip
    model = Model(system)
    y = 0.1 * np.arange(24.0)
    found = {body.name: model.frame(body)(y) for body in system.bodies}
    assert sum(name.startswith("frame of") for name in model.functions) == 3
    h = 1e-6
    ahead, behind = y.copy(), y.copy()
    ahead[:12], behind[:12] = y[:12] + h * y[12:], y[:12] - h * y[12:]
    for name in ("link 1", "link 11"):  # h² of third derivatives, which grow as the cube of the rates' sum
        rate = (model.frame(name)(ahead).r - model.frame(name)(behind).r) / (2.0 * h)
        np.testing.assert_allclose(found[name].V[3:], rate, atol=1e-6)
    last = found["link 11"]
    np.testing.assert_allclose(last.V, last.J @ y[12:] + last.drift, atol=1e-12)


def test_jacobians_are_those_of_the_dense_operators(pair: tuple[Case, Model, Floats]) -> None:
    """φᵀ Hᵀ X and φᵀ Hᵀ η, for every body at its centre of mass."""
    case, model, y = pair
    dense = Dense(case.instant())
    for body in case.system.bodies[-4:]:
        found = model.frame(body)(y, u=case.u)
        place = slice(dense.place[body.name], dense.place[body.name] + 6)
        np.testing.assert_allclose(found.J, dense.J[place], atol=1e-12)
        np.testing.assert_allclose(found.drift, dense.drift[place], atol=1e-12)
        np.testing.assert_allclose(found.J @ case.v + found.drift, found.V, atol=1e-12)


def test_a_wheel_that_spins_takes_its_points_along() -> None:
    system = System(gravity=(0, 0, 0))
    system.add_body("wheel", mass=1.0, inertia=(1, 2, 1), parent="ground", hinge=Revolute((0, 1, 0)))
    model = Model(system)
    now = model.point("wheel", (1, 0, 0))([math.pi / 2, 3.0])
    np.testing.assert_allclose(now.r, (0, 0, -1), atol=1e-15)
    np.testing.assert_allclose(now.v, (-3, 0, 0), atol=1e-14)
    np.testing.assert_allclose(now.a, (0, 0, 9), atol=1e-14)
    np.testing.assert_allclose(model.frame("wheel")([math.pi / 2, 3.0]).R @ (1, 0, 0), (0, 0, -1), atol=1e-15)


def height(body: Body, at: Floats, k: int, observer: Observer) -> Scalar:
    return observer.point(body, at, ground_of(body)).r[k]


def test_coupler_point_along_a_simulation() -> None:
    system = mechanisms.four_bar((0.3, 0.9, 0.7, 1.0), 0.7)
    at = (0.6, 0.9, 0.0)
    coupler = system.find("coupler")
    for k, axis in enumerate("xyz"):
        system.add_output(axis, "m", partial(height, coupler, np.array(at), k))
    model = Model(system)
    run = simulate(model, duration=0.5, interval=0.05, rtol=1e-10, atol=1e-12)
    point = model.point(coupler, at)
    for k in range(len(run.time)):
        now = point([run.crank[k], run.crank_rate[k]])
        np.testing.assert_allclose(now.r, [run[axis][k] for axis in "xyz"], atol=1e-13)
        assert now.J.shape == (3, 1)


def test_names_and_numbers_are_checked() -> None:
    model = Model(mechanisms.five_bar())
    with pytest.raises(ModelError, match="the ground does not move"):
        model.point("ground")
    with pytest.raises(ModelError, match=r"no body 'lift' .* did you mean 'left'"):
        model.frame("lift")
    with pytest.raises(ModelError, match="at must be 3 finite numbers"):
        model.point("left", (0, math.nan, 0))


# Operational space


def test_mobility_by_dense_algebra(pair: tuple[Case, Model, Floats]) -> None:
    case, model, y = pair
    body = case.system.find(farthest(case))
    frame = model.frame(body, body.com + (0.1, 0.2, 0.3))
    J = frame(y, u=case.u).J
    M = Dense(case.instant()).mass_matrix()
    # Directions in which it can move: the range of J.
    U, singular, _ = np.linalg.svd(J)
    D = U[:, : int(np.sum(singular > 1e-8 * singular[0]))].T
    found = model.operational_space(frame, y, u=case.u, directions=D)
    expected = D @ J @ np.linalg.solve(M, J.T) @ D.T
    size = np.abs(expected).max()
    np.testing.assert_allclose(found.mobility, expected, rtol=0.0, atol=1e-10 * size)
    np.testing.assert_allclose(found.J, D @ J, atol=1e-12)
    np.testing.assert_allclose(M @ found.response, (D @ J).T, atol=1e-9 * max(1.0, np.abs(J).max()))
    identity = found.inertia @ found.mobility
    np.testing.assert_allclose(identity, np.eye(len(D)), atol=1e-14 * np.linalg.cond(found.mobility))


def test_forces_at_points_follow_the_mobility() -> None:
    """Accelerations by the forward dynamics with applied forces, which uses no Jacobians."""
    system = mechanisms.five_bar()
    tips = {"left coupler": (0.1, 0.9, 0.0), "right": (1.1, 0.2, 0.0)}
    for name, at in tips.items():
        for axis in "xy":
            system.add_input(f"{name} {axis}", "N")
        system.add_force(AppliedWrench(name, system.find(name), at, force=(f"{name} x", f"{name} y", 0.0)))
    model = Model(system)
    y = model.y0 + (0.1, -0.05, 0.7, -0.4)
    q, v, _ = model.layout.split(y)
    points = [model.point(name, at) for name, at in tips.items()]
    in_plane = np.eye(6)[[0, 1, 3, 4]]
    with pytest.raises(ModelError, match="only 2 of 4 directions can be moved in independently"):
        model.operational_space(points, y, directions=in_plane)
    u = np.array((3.0, 0.0, 0.0, 4.0))  # along x at one point, along y at the other
    space = model.operational_space(points, y, directions=in_plane[[0, 3]])
    np.testing.assert_allclose(
        space.response @ u[[0, 3]], model.accelerations(q, v, u=u) - model.accelerations(q, v), rtol=1e-10
    )
    moved = np.concatenate([point(y, u=u).a - point(y).a for point in points])[[0, 4]]
    np.testing.assert_allclose(space.mobility @ u[[0, 3]], moved, rtol=1e-10)
    np.testing.assert_allclose(space.inertia @ moved, u[[0, 3]], rtol=1e-9)


def test_an_impulse_at_a_free_body() -> None:
    """Λ of a free rigid body's frame at its centre of mass is its spatial inertia."""
    system = System(gravity=(0, 0, 0))
    system.add_body("box", mass=2.5, com=(1, 2, 3), inertia=(0.1, 0.2, 0.25), parent="ground", hinge=Free())
    model = Model(system)
    space = model.operational_space(model.frame("box"))
    np.testing.assert_allclose(space.inertia, np.diag((0.1, 0.2, 0.25, 2.5, 2.5, 2.5)), atol=1e-14)


def test_directions_without_motion_are_named() -> None:
    model = Model(mechanisms.five_bar())
    point = model.point("left coupler")
    with pytest.raises(ModelError, match=r"no force causes motion in vz of 'left coupler' at"):
        model.operational_space(point)
    with pytest.raises(ModelError, match="nothing"):
        model.operational_space(point, directions=[(0, 0, 0)])
    with pytest.raises(ModelError, match=r"shape \(n, 3\), got shape \(1, 2\)"):
        model.operational_space(point, directions=[(1, 0)])
    with pytest.raises(ModelError, match=r"only 1 of 2 .*: vx of .*; 2 vx of"):
        model.operational_space(point, directions=[(1, 0, 0), (2, 0, 0)])


def test_a_stretched_arm_cannot_be_pulled() -> None:
    system = System(gravity=(0, 0, 0))
    upper = system.add_body(
        "upper", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1), parent="ground", hinge=Revolute((0, 0, 1))
    )
    system.add_body(
        "lower",
        mass=1.0,
        com=(1.5, 0, 0),
        inertia=(0, 0.1, 0.1),
        parent=upper,
        hinge=Revolute((0, 0, 1), (1, 0, 0)),
    )
    model = Model(system)
    tip = model.point("lower", (2, 0, 0))
    plane = [(1, 0, 0), (0, 1, 0)]
    with pytest.raises(ModelError, match="no force causes motion in vx of 'lower'"):
        model.operational_space(tip, directions=plane)
    # Turned off the axes, the same loss shows as a dependence.
    with pytest.raises(ModelError, match="only 1 of 2 directions"):
        model.operational_space(tip, [0.3, 0.0, 0.0, 0.0], directions=plane)
    assert np.linalg.cond(model.operational_space(tip, [0.3, 0.1, 0.0, 0.0], directions=plane).mobility) < 1e5
