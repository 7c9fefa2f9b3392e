"""Loads in any frame, at any point, on any hinge, are the same loads."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array, Scalar, zeros
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, PointLoad, Response
from ce_dynamics.mechanism.hinges import Free, Prismatic, Revolute, Screw, Spherical
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.dense_poses import Floats
from tests.ce_dynamics.recursion_systems import Case

Rule = Callable[[Observer], Sequence[PointLoad | HingeLoad]]

FORCE, TORQUE = np.array((3.0, -5.0, 7.0)), np.array((-2.0, 1.0, 4.0))
AT = np.array((0.9, 0.3, -0.4))


class Loaded(ForceElement):
    name = "loads"

    def __init__(self, body: Body, rule: Rule) -> None:
        self.body, self.rule = body, rule

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.body, self.body.com),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        return Response(self.rule(observer))


def vehicle() -> System:
    """A floating body with an arm that carries a wheel, a trailer behind a ball joint, and a sliding mast."""
    system = System(gravity=(0.5, -0.2, -9.81))
    chassis = system.add_body(
        "chassis", mass=9.0, com=(0.1, 0.0, 0.2), inertia=(3, 4, 5), parent="ground", hinge=Free()
    )
    arm = system.add_body(
        "arm", mass=2.0, com=(0.5, 0.4, 0), inertia=(0.1, 0.2, 0.3), parent=chassis,
        hinge=Revolute((1, 0.2, 0), (0.5, 0.2, 0)),
    )  # fmt: skip
    at = (0.5, 0.7, 0.1)
    system.add_body(
        "wheel", mass=1.0, com=at, inertia=(0.3, 0.5, 0.3), parent=arm, hinge=Revolute((0, 1, 0), at)
    )
    system.add_body(
        "trailer", mass=4.0, com=(-2, 0, 0), inertia=(1, 2, 2), parent=chassis, hinge=Spherical((-1, 0, 0))
    )
    system.add_body("mast", mass=1.0, inertia=(0.2, 0.2, 0.1), parent=chassis, hinge=Prismatic((0, 0, 1)))
    system.add_body("nut", mass=1.0, inertia=(0.1, 0.1, 0.2), parent="mast", hinge=Screw((0, 0, 1), 0.3))
    return system


NAMES = ["chassis", "arm", "wheel", "trailer", "mast", "nut"]


def accelerations(body: str, make_rule: Callable[[System], Rule] | None) -> Floats:
    """Return accelerations of the vehicle at one random state, under loads on a body."""
    system = vehicle()
    if make_rule is not None:
        system.add_force(Loaded(system.find(body), make_rule(system)))
    case = Case(system, np.random.default_rng(7), scale=0.8)
    return np.asarray(case.instant().accelerations.v_dot, dtype=float)


def in_frame(
    body: str, frame: str, force: Floats = FORCE, torque: Floats = TORQUE
) -> Callable[[System], Rule]:
    """A rule for one and the same force and torque (world axes) at one point, in the axes of a frame."""

    def make(system: System) -> Rule:
        b, f, ground = system.find(body), system.find(frame), system.ground

        def rule(observer: Observer) -> Sequence[PointLoad]:
            R = np.stack([observer.direction(f, axis, ground) for axis in np.eye(3)], axis=1)
            return [PointLoad(b, f, observer.point(b, AT, f).r, R.T @ force, R.T @ torque)]

        return rule

    return make


@pytest.mark.parametrize("body", NAMES)
@pytest.mark.parametrize("frame", NAMES)
def test_point_load_is_the_same_in_every_frame(body: str, frame: str) -> None:
    expected = accelerations(body, in_frame(body, "ground"))
    assert np.linalg.norm(expected - accelerations(body, None)) > 0.1
    np.testing.assert_allclose(accelerations(body, in_frame(body, frame)), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("body", NAMES)
def test_force_off_centre_is_force_and_torque_there(body: str) -> None:
    def make(system: System) -> Rule:
        b, ground = system.find(body), system.ground

        def rule(observer: Observer) -> Sequence[PointLoad]:
            com, point = observer.point(b, b.com, ground).r, observer.point(b, AT, ground).r
            return [PointLoad(b, ground, com, FORCE, TORQUE + np.cross(point - com, FORCE))]

        return rule

    expected = accelerations(body, in_frame(body, "ground"))
    np.testing.assert_allclose(accelerations(body, make), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("body", NAMES)
def test_effect_of_a_load_is_its_virtual_power(body: str) -> None:
    # v̇ changes by M⁻¹ of the generalised force ∂P/∂v, P = F · v + T · ω, with M from unit generalised forces.
    system = vehicle()
    b, ground = system.find(body), system.ground
    case = Case(system, np.random.default_rng(7), scale=0.8)

    def power(v: Floats) -> float:
        outward = case.instant(v).outward
        return float(FORCE @ outward.point(b, AT, ground).v + TORQUE @ outward.angular_velocity(b, ground))

    Q = np.array([power(e) for e in np.eye(case.n_v)])
    M = Model(vehicle()).mass_matrix(case.q)
    change = accelerations(body, in_frame(body, "ground")) - accelerations(body, None)
    np.testing.assert_allclose(M @ change, Q, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("body", ["arm", "wheel"])
def test_load_on_revolute_hinge_is_pair_of_torques(body: str) -> None:
    def hinge_load(system: System) -> Rule:
        return lambda observer: [HingeLoad(system.find(body), 0, 2.5)]

    def pair(system: System) -> Rule:
        b = system.find(body)
        assert isinstance(b.inboard, Revolute)
        axis = b.inboard.axis

        def rule(observer: Observer) -> Sequence[PointLoad]:
            world = 2.5 * observer.direction(b.carrier, axis, system.ground)
            return [
                PointLoad(b, system.ground, zeros(3), zeros(3), world),
                PointLoad(b.carrier, system.ground, zeros(3), zeros(3), -world),
            ]

        return rule

    expected = accelerations(body, pair)
    assert np.linalg.norm(expected - accelerations(body, None)) > 0.1
    np.testing.assert_allclose(accelerations(body, hinge_load), expected, rtol=1e-11, atol=1e-11)


def test_load_on_prismatic_hinge_is_pair_of_forces() -> None:
    def hinge_load(system: System) -> Rule:
        return lambda observer: [HingeLoad(system.find("mast"), 0, -6.0)]

    def pair(system: System) -> Rule:
        mast, chassis = system.find("mast"), system.find("chassis")

        def rule(observer: Observer) -> Sequence[PointLoad]:
            point = observer.point(mast, mast.com, chassis).r
            force = np.array((0.0, 0.0, -6.0))
            return [PointLoad(mast, chassis, point, force), PointLoad(chassis, chassis, point, -force)]

        return rule

    np.testing.assert_allclose(
        accelerations("mast", hinge_load), accelerations("mast", pair), rtol=1e-11, atol=1e-11
    )


@pytest.mark.parametrize("k", range(3))
def test_load_on_spherical_hinge_is_torque_in_parent(k: int) -> None:
    def hinge_load(system: System) -> Rule:
        return lambda observer: [HingeLoad(system.find("trailer"), k, 4.0)]

    def pair(system: System) -> Rule:
        trailer, chassis = system.find("trailer"), system.find("chassis")
        torque = 4.0 * np.eye(3)[k]
        return lambda observer: [
            PointLoad(trailer, chassis, zeros(3), zeros(3), torque),
            PointLoad(chassis, chassis, zeros(3), zeros(3), -torque),
        ]

    np.testing.assert_allclose(
        accelerations("trailer", hinge_load), accelerations("trailer", pair), rtol=1e-11, atol=1e-11
    )


def test_loads_add_up() -> None:
    def both(system: System) -> Rule:
        rules = [in_frame("arm", "arm")(system), in_frame("arm", "wheel")(system)]
        load = HingeLoad(system.find("trailer"), 1, 1.0)
        return lambda observer: [*(one for rule in rules for one in rule(observer)), load, load]

    def twice(system: System) -> Rule:
        rule = in_frame("arm", "ground", 2.0 * FORCE, 2.0 * TORQUE)(system)
        return lambda observer: [*rule(observer), HingeLoad(system.find("trailer"), 1, 2.0)]

    np.testing.assert_allclose(
        accelerations("arm", both), accelerations("arm", twice), rtol=1e-11, atol=1e-11
    )


def test_a_load_on_the_ground_does_nothing() -> None:
    def make(system: System) -> Rule:
        return lambda observer: [PointLoad(system.ground, system.find("wheel"), zeros(3), FORCE, TORQUE)]

    np.testing.assert_array_equal(accelerations("arm", make), accelerations("arm", None))


@pytest.mark.parametrize(("body", "k"), [("arm", 1), ("arm", -1), ("trailer", 3), ("ground", 0)])
def test_load_on_missing_component_of_hinge_is_refused(body: str, k: int) -> None:
    def make(system: System) -> Rule:
        return lambda observer: [HingeLoad(system.find(body), k, 1.0)]

    with pytest.raises(ModelError, match=f"load on the hinge of '{body}': component {k} does not exist"):
        accelerations("arm", make)
