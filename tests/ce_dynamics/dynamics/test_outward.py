"""The observer against homogeneous transforms, for every pair of bodies and frames."""

import itertools
from functools import partial

import numpy as np
import pytest

from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges import Free, Revolute, Spherical
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.dense_poses import Floats, angular_velocity, first_derivative, seen, transform
from tests.ce_dynamics.recursion_systems import Case, make_case

# Seventh derivatives of these paths stay below 1e5, times (5e-3)⁶; rounding is 1e-15 / 5e-3.
RATE = 2e-9


class Truth:
    """Transforms of all bodies at a time of a path that has the velocities of the case at t = 0."""

    def __init__(self, case: Case, t: float = 0.0) -> None:
        self.instant = case.at(t, np.zeros(case.n_v))
        bodies = [case.system.ground, *case.system.bodies]
        self.T = {body.name: transform(body, self._coordinates) for body in bodies}

    def _coordinates(self, body: Body) -> Floats:
        S = self.instant.embedding.owner[body.name]
        c = self.instant.outward.motions[S.name].hinge_motions[body.name].c
        return np.asarray(body.inboard.coordinates(c), dtype=float)

    def relative(self, body: Body, frame: Body) -> Floats:
        return np.asarray(np.linalg.inv(self.T[frame.name]) @ self.T[body.name])

    def point(self, body: Body, at: Floats, frame: Body) -> Floats:
        return seen(self.T[body.name], self.T[frame.name], frame, at)


class Path:
    """A case and its transforms at the times that the difference formula asks for."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self._known: dict[float, Truth] = {}

    def __call__(self, t: float) -> Truth:
        if t not in self._known:
            self._known[t] = Truth(self.case, t)
        return self._known[t]

    def point(self, body: Body, at: Floats, frame: Body, t: float) -> Floats:
        return self(t).point(body, at, frame)

    def rotation(self, body: Body, frame: Body, t: float) -> Floats:
        return self(t).relative(body, frame)[:3, :3]

    def coordinate(self, body: Body, k: int, t: float) -> Floats:
        return np.array(self(t).instant.outward.coordinate(body, k))

    @property
    def pairs(self) -> list[tuple[Body, Body]]:
        bodies = [self.case.system.ground, *self.case.system.bodies]
        return list(itertools.product(bodies, bodies))


@pytest.fixture(scope="module", params=["tree", "chain", "coupled", "four_bar", "corner", "wheels"])
def path(request: pytest.FixtureRequest) -> Path:
    if request.param == "wheels":
        rng = np.random.default_rng(5)
        return Path(Case(wheels(), rng))
    return Path(make_case(request.param, 1))


def wheels() -> System:
    """A floating chassis with an arm, a wheel on the arm and one on the chassis."""
    system = System()
    chassis = system.add_body(
        "chassis", mass=9.0, com=(0.1, 0.0, 0.2), inertia=(3, 4, 5), parent="ground", hinge=Free()
    )
    arm = system.add_body(
        "arm", mass=2.0, com=(0.5, 0.4, 0), inertia=(0.1, 0.2, 0.3), parent=chassis,
        hinge=Revolute((1, 0, 0), (0.5, 0.2, 0)),
    )  # fmt: skip
    for name, carrier, y in (("wheel", arm, 0.7), ("spare", chassis, -0.4)):
        at = (0.5, y, 0.1)
        system.add_body(
            name, mass=1.5, com=at, inertia=(0.3, 0.5, 0.3), parent=carrier, hinge=Revolute((0, 1, 0), at)
        )
    return system


def test_points_relative_to_every_frame(path: Path, rng: np.random.Generator) -> None:
    outward = path.case.instant().outward
    for body, frame in path.pairs:
        at = rng.uniform(-1.0, 1.0, 3)
        found = outward.point(body, at, frame)
        where = f"{body.name} from {frame.name}"
        np.testing.assert_allclose(
            found.r, path(0.0).point(body, at, frame), rtol=0.0, atol=1e-12, err_msg=where
        )
        velocity = first_derivative(partial(path.point, body, at, frame))
        np.testing.assert_allclose(found.v, velocity, err_msg=where, rtol=0.0, atol=RATE)


def test_points_on_the_axis_of_a_hinge(path: Path) -> None:
    outward = path.case.instant().outward
    for body in path.case.system.bodies:
        if not isinstance(body.inboard, Revolute):
            continue
        at = body.inboard.at + 0.3 * body.inboard.axis
        for frame in (path.case.system.ground, *path.case.system.bodies):
            found = outward.point(body, at, frame)
            np.testing.assert_allclose(found.r, path(0.0).point(body, at, frame), rtol=0.0, atol=1e-12)
            velocity = first_derivative(partial(path.point, body, at, frame))
            np.testing.assert_allclose(found.v, velocity, rtol=0.0, atol=RATE)


def test_directions_in_every_frame(path: Path, rng: np.random.Generator) -> None:
    outward = path.case.instant().outward
    for body, frame in path.pairs:
        R = path(0.0).relative(body, frame)[:3, :3]
        axes = [rng.normal(size=3)]
        if isinstance(body.hinge, Revolute):
            axes.append(body.hinge.axis)
        for axis in axes:
            found = outward.direction(body, axis, frame)
            np.testing.assert_allclose(
                found, R @ axis, rtol=0.0, atol=1e-12, err_msg=f"{body.name} in {frame.name}"
            )


def test_angular_velocities_relative_to_every_frame(path: Path) -> None:
    outward = path.case.instant().outward
    for body, frame in path.pairs:
        R_dot = first_derivative(partial(path.rotation, body, frame))
        expected = angular_velocity(R_dot, path(0.0).relative(body, frame)[:3, :3])
        found = outward.angular_velocity(body, frame)
        np.testing.assert_allclose(
            found, expected, err_msg=f"{body.name} in {frame.name}", rtol=0.0, atol=RATE
        )


def test_coordinates_and_rates_of_independent_and_prescribed_hinges(path: Path) -> None:
    case = path.case
    outward = case.instant().outward
    for name, where in case.embedding.q_of.items():
        body = case.system.find(name)
        found = [outward.coordinate(body, k) for k in range(body.inboard.n_q)]
        np.testing.assert_allclose(found, case.q[where], rtol=1e-14, atol=1e-15)
        rates = [outward.rate(body, k) for k in range(body.inboard.n_v)]
        np.testing.assert_allclose(rates, case.v[case.embedding.v_of[name]], rtol=1e-15)
    inputs = case.layout.inputs_of(case.u)
    for name in case.system.prescribed:
        body = case.system.find(name)
        assert outward.coordinate(body) == pytest.approx(inputs[f"drive of {name}"], rel=1e-15)
        assert outward.rate(body) == inputs[f"drive of {name}_rate"]


def test_dependent_rates_are_derivatives_of_their_coordinates(path: Path) -> None:
    case = path.case
    outward = case.instant().outward
    dependent = [body for S in case.embedding.aggregates for body in S.dependent]
    for body in dependent:
        if body.inboard.coordinate_names != body.inboard.velocity_names:
            continue
        for k in range(body.inboard.n_v):
            rate = first_derivative(partial(path.coordinate, body, k))
            assert outward.rate(body, k) == pytest.approx(float(rate), abs=2e-8)


def test_a_coordinate_counts_turns() -> None:
    system = System()
    body = system.add_body("rotor", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=Revolute((0, 0, 1)))
    case = Case(system, np.random.default_rng(0))
    case.q = np.array((7.5,))
    assert case.instant().outward.coordinate(body) == 7.5


def test_spin_angle_of_wheel_is_without_effect() -> None:
    case = Case(wheels(), np.random.default_rng(2))
    reference = case.instant().accelerations.v_dot
    assert np.linalg.norm(reference) > 1.0
    for angle in (0.0, 1.0, 2.5, -40.0):
        for name in ("wheel", "spare"):
            case.q[case.embedding.q_of[name]] = angle
        np.testing.assert_allclose(case.instant().accelerations.v_dot, reference, rtol=1e-12)


def test_acceleration_of_point_is_derivative_of_position(rng: np.random.Generator) -> None:
    # The body's own acceleration is determined by v̇, which a finite difference of velocities contains.
    case = Case(wheels(), np.random.default_rng(4))
    v_dot = case.instant().accelerations.v_dot
    for body in (case.system.ground, *case.system.bodies):
        at = rng.uniform(-1.0, 1.0, 3)

        def velocity(instant: Instant, body: Body = body, at: Floats = at) -> Floats:
            return np.asarray(instant.outward.point(body, at, case.system.ground).v, dtype=float)

        expected = case.derivative(velocity, v_dot)
        np.testing.assert_allclose(case.instant().acceleration(body, at), expected, rtol=0.0, atol=2e-8)


def test_a_wheel_on_a_spherical_hinge_is_turned() -> None:
    system = System()
    ball = system.add_body("ball", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=Spherical())
    case = Case(system, np.random.default_rng(0))
    case.q = np.array((0.0, 0.0, 0.0, 1.0))  # half a turn about z
    found = case.instant().outward.point(ball, np.array((1.0, 2.0, 3.0)), system.ground).r
    np.testing.assert_allclose(found, (-1.0, -2.0, 3.0), rtol=0.0, atol=1e-15)
