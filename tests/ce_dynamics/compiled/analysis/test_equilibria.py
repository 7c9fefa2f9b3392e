"""Static equilibria: where the potential energy is least, what holds them, and which there are not."""

import math
from collections.abc import Mapping

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, Scalar, absolute, sqrt
from ce_dynamics.mechanism.forces.base import HingeLoad, Observer, Response, StateDeclaration
from tests.support import systems as mechanisms

G = 9.81
M_ARM, L_ARM, I_ARM = 2.0, 0.5, 0.2


def arm(axis: tuple[float, float, float] = (0, 1, 0)) -> ce.Model:
    """An arm that points along x; about y, a positive angle lowers it."""
    system = ce.System(gravity=(0, 0, -G))
    system.add_body(
        "arm",
        mass=M_ARM,
        com=(L_ARM, 0, 0),
        inertia=(0, I_ARM, I_ARM),
        parent="ground",
        hinge=ce.Revolute(axis),
    )
    return ce.Model(system)


@pytest.mark.parametrize("start", [0.0, -0.2, -1.5, 1.0, 3.0, 1e-9 - math.pi / 2])
def test_an_arm_hangs_down_wherever_it_starts(start: float) -> None:
    rest = arm().equilibrium([start, 7.0])
    np.testing.assert_allclose(np.angle(np.exp(1j * (rest.y[0] - math.pi / 2))), 0.0, atol=1e-12)
    assert rest.y[1] == 0.0
    assert rest.stable
    # λ = ± i √(m g l / (I + m l²))
    omega = math.sqrt(M_ARM * G * L_ARM / (I_ARM + M_ARM * L_ARM**2))
    np.testing.assert_allclose(sorted(rest.eigenvalues.imag), (-omega, omega), rtol=1e-12)


def test_upright_arm_is_in_equilibrium_and_falls() -> None:
    rest = arm().equilibrium([-math.pi / 2, 0.0])
    assert rest.y[0] == pytest.approx(-math.pi / 2, abs=1e-12)
    assert not rest.stable
    assert rest.growth == pytest.approx(math.sqrt(M_ARM * G * L_ARM / (I_ARM + M_ARM * L_ARM**2)), rel=1e-12)


def test_held_bodies_name_their_force() -> None:
    rest = arm().equilibrium([0.3, 0.0], hold=["arm"])
    assert rest.y[0] == 0.3
    # About +y, which lowers the arm, it takes a negative torque to hold it.
    assert rest.holding == {"arm_rate": pytest.approx(-M_ARM * G * L_ARM * math.cos(0.3), rel=1e-12)}
    assert rest.eigenvalues.size == 0
    assert rest.stable


def potential(model: ce.Model, q: np.ndarray) -> float:
    energy = model.energy(q, np.zeros(len(model.layout.v)))
    return energy.gravitational + energy.elastic


def test_a_loop_rests_where_its_potential_is_least() -> None:
    system = mechanisms.four_bar((0.3, 0.9, 0.7, 1.0), 0.7)
    system.add_force(ce.TorsionSpringDamper("spring", system.find("rocker"), spring=6.0, free=0.4))
    model = ce.Model(system)
    rest = model.equilibrium()
    least = minimize_scalar(
        lambda q: potential(model, np.array([q])),
        bounds=(rest.y[0] - 1.0, rest.y[0] + 1.0),
        method="bounded",
        options={"xatol": 1e-12},
    )
    # A minimum is found to √rounding of the energy.
    assert rest.y[0] == pytest.approx(least.x, abs=1e-6)
    assert np.abs(model.accelerations(rest.y[:1], [0.0])).max() < 1e-11
    assert rest.stable


def table() -> ce.System:
    system = ce.System(gravity=(0, 0, -G))
    box = system.add_body(
        "box", mass=5.0, com=(0.1, 0.05, 0.2), inertia=(0.2, 0.3, 0.4), parent="ground", hinge=ce.Free()
    )
    for k, (x, y) in enumerate(((0, 0), (1, 0.1), (0.2, 0.8))):
        for i, foot in enumerate(((x, y, -1.0), (x + 1.0, y, 0.0), (x, y + 1.0, 0.0))):
            system.add_force(
                ce.SpringDamper(
                    f"leg {k}{i}", system.ground, foot, box, (x, y, 0), spring=300.0 + 90 * k, damper=3.0
                )
            )
    return system


def test_a_free_body_finds_place_and_attitude() -> None:
    model = ce.Model(table())
    rest = model.equilibrium()
    q, v, _ = model.layout.split(rest.y)
    np.testing.assert_allclose(model.accelerations(q, v), 0.0, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(q[3:]), 1.0, atol=1e-15)
    assert np.linalg.norm(q[4:]) > 0.02  # it tilts
    assert rest.growth < 0.0
    # The least potential energy, found over a rotation vector and a displacement from the design pose.
    q0 = model.layout.split(model.y0)[0]

    def displaced(d: np.ndarray) -> float:
        return potential(model, model.tangent.displace(q0, d))

    least = minimize(displaced, np.zeros(6), tol=1e-12)
    assert potential(model, q) <= least.fun + 1e-9
    # Found to the square root of the rounding of the energy, with finite differences in between.
    np.testing.assert_allclose(model.tangent.displace(q0, least.x), q, atol=2e-5)


def test_motions_that_change_no_force_are_named() -> None:
    system = ce.System(gravity=(0, 0, -G))
    system.add_body(
        "bob", mass=1.0, com=(0.3, 0.1, -1.0), inertia=(0.1, 0.2, 0.3), parent="ground", hinge=ce.Spherical()
    )
    model = ce.Model(system)
    with pytest.raises(ce.ModelError, match=r"one of many: 1 motion\(s\) change no force; hold=\['bob.rz'\]"):
        model.equilibrium()
    rest = model.equilibrium(hold=["bob.rz"])
    down = model.poses(rest.y).positions[0]
    np.testing.assert_allclose(down, (0.0, 0.0, -math.sqrt(1.1)), atol=1e-9)
    assert abs(rest.holding["bob.wz"]) < 1e-12


class Windup(ce.ForceElement):
    """A spring on a shaft that a lock holds where it is: its torque is a state that only motion changes."""

    name = "lock"
    states = (StateDeclaration("torque", "N*m", 3.0),)

    def __init__(self, body: ce.Body) -> None:
        self.body = body

    @property
    def attachments(self) -> tuple[tuple[ce.Body, Array], ...]:
        return ((self.body, self.body.inboard.at),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        return Response((HingeLoad(self.body, 0, -x[0]),), (50.0 * observer.rate(self.body),))


def test_states_are_held_rather_than_bodies() -> None:
    """For any torque there is an angle; it is the torque that has to be chosen."""
    system = ce.System(gravity=(0, 0, -G))
    hinge = ce.Revolute((0, 1, 0))
    body = system.add_body("arm", mass=2.0, com=(0.5, 0, 0), inertia=(1, 1, 1), parent="ground", hinge=hinge)
    system.add_force(Windup(body))
    model = ce.Model(system)
    start = [0.3, 0.0, 3.0]
    with pytest.raises(ce.ModelError, match=r"1 motion\(s\) change no force; hold=\['lock.torque'\] chooses"):
        model.equilibrium(start)
    rest = model.equilibrium(start, hold=["lock.torque"])
    assert math.cos(rest.y[0]) == pytest.approx(3.0 / (2.0 * G * 0.5), rel=1e-12)
    assert rest.y[2] == 3.0


def test_what_nothing_supports_is_named() -> None:
    system = ce.System(gravity=(0, 0, -G))
    system.add_body("stone", mass=3.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Free())
    with pytest.raises(ce.AssemblyError, match=r"stone\.z is out of balance by -29\.4 N and nothing resists"):
        ce.Model(system).equilibrium()


def test_too_weak_spring_is_an_error() -> None:
    """A constant pull beyond what a bounded spring can give."""
    system = ce.System(gravity=(0, 0, 0))
    wheel = system.add_body(
        "wheel", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute((0, 0, 1))
    )
    system.add_force(
        ce.SpringDamper("spring", system.ground, (3, 0, 0), wheel, (1, 0, 0), spring=10.0, free_length=0.0)
    )
    # A spring of free length 0 from (3, 0) gives at most k·3·1 = 30 N m about the origin.
    system.add_force(ce.AppliedWrench("motor", wheel, (1, 0, 0), torque=(0, 0, 30.5)))
    with pytest.raises(
        ce.AssemblyError, match=r"no equilibrium found: wheel is out of balance by .* N m; start nearer"
    ):
        ce.Model(system).equilibrium()
    system.forces[-1] = ce.AppliedWrench("motor", wheel, (1, 0, 0), torque=(0, 0, 29.5))
    rest = ce.Model(system).equilibrium()
    assert math.sin(rest.y[0]) == pytest.approx(29.5 / 30.0, rel=1e-9)
    assert rest.stable  # not the other angle with this sine


class Root(ce.ForceElement):
    """A force √|x| against a slide, whose slope at x = 0 is infinite."""

    def __init__(self, body: ce.Body) -> None:
        self.name, self.body = "root", body

    @property
    def attachments(self) -> tuple[tuple[ce.Body, Array], ...]:
        return ((self.body, self.body.com),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        return Response((HingeLoad(self.body, 0, -sqrt(absolute(observer.coordinate(self.body)))),))


def test_a_kink_at_the_start_is_named() -> None:
    system = ce.System(gravity=(0, 0, -9.81))
    slide = system.add_body("slide", mass=1.0, parent="ground", hinge=ce.Prismatic((0, 0, 1)))
    system.add_force(Root(slide))
    with pytest.raises(
        ce.AssemblyError, match=r"slide is out of balance by -9\.81 N, where .* kink; start beside"
    ):
        ce.Model(system).equilibrium()


def test_actuators_settle_and_carry_others_along() -> None:
    system = ce.System(gravity=(0, 0, -G))
    system.add_input("angle", "rad", default=0.4)
    system.add_body("base", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute((0, 1, 0)))
    system.prescribe("base", ce.SecondOrderActuator("angle", 2.0, 5.0, 0.3))
    system.add_body(
        "bob", mass=1.0, com=(0, 0, -1), inertia=(0, 0.1, 0.1), parent="base", hinge=ce.Revolute((0, 1, 0))
    )
    model = ce.Model(system)
    rest = model.equilibrium(u=[-0.3])
    np.testing.assert_allclose(rest.y, (0.6, 0.0, -0.6, 0.0), atol=1e-12)  # it hangs, whatever the base does
    # The actuator's own λ = −ζω ± iω√(1 − ζ²) among those of the bob.
    expected = 5.0 * (-0.3 + 1j * math.sqrt(1.0 - 0.3**2))
    assert np.min(np.abs(rest.eigenvalues - expected)) < 1e-12


def test_a_governor_under_a_prescribed_rate() -> None:
    """A bob on an arm hinged on a turning shaft: cos θ = g/(Ω² l) from the vertical."""
    system = ce.System(gravity=(0, 0, -G))
    for name, unit in (("turn", "rad"), ("turn_rate", "rad/s"), ("turn_acceleration", "rad/s^2")):
        system.add_input(name, unit)
    system.add_body("shaft", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute((0, 0, 1)))
    system.prescribe("shaft", ce.Driven("turn"))
    system.add_body("bob", mass=1.3, com=(0, 0, -0.4), parent="shaft", hinge=ce.Revolute((0, 1, 0)))
    model = ce.Model(system)
    rest = model.equilibrium([0.3, 0.0], u=[0.2, 7.0, 0.0])
    assert math.cos(rest.y[0]) == pytest.approx(G / (7.0**2 * 0.4), rel=1e-12)
    assert rest.stable
    slow = model.equilibrium([0.3, 0.0], u=[0.2, 4.0, 0.0])  # too slow to lift it
    assert slow.y[0] == pytest.approx(0.0, abs=1e-12)


def test_free_parameters() -> None:
    system = ce.System(gravity=(0, 0, -G))
    stiffness = system.add_parameter(ce.Parameter("stiffness", 30.0, "N*m/rad"))
    body = system.add_body(
        "arm", mass=2.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1), parent="ground", hinge=ce.Revolute((0, 1, 0))
    )
    system.add_force(ce.TorsionSpringDamper("spring", body, spring=stiffness))
    model = ce.Model(system)
    for k in (30.0, 90.0):
        q = model.equilibrium(u=model.inputs_with({"stiffness": k})).y[0]
        assert k * q == pytest.approx(2.0 * G * 0.5 * math.cos(q), rel=1e-12)


@pytest.mark.parametrize(("push", "side"), [(0.05, 1.0), (-0.05, -1.0)])
def test_of_two_stable_equilibria_near_one_is_found(push: float, side: float) -> None:
    """A bistable toggle: a mass between two compressed springs snaps to either side."""
    system = ce.System(gravity=(0, 0, 0))
    body = system.add_body("mass", mass=1.0, parent="ground", hinge=ce.Prismatic((0, 0, 1)))
    for k, x in enumerate((-1.0, 1.0)):
        system.add_force(
            ce.SpringDamper(
                f"spring{k}", system.ground, (x, 0, 0), body, (0, 0, 0), spring=100.0, free_length=1.25
            )
        )
    rest = ce.Model(system).equilibrium([push, 0.0])
    assert rest.y[0] == pytest.approx(side * 0.75, rel=1e-12)  # √(1.25² − 1)
    assert rest.stable
    assert not ce.Model(system).equilibrium([0.0, 0.0]).stable


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_masses_of_any_size(scale: float) -> None:
    def hanging(mass: float) -> ce.Model:
        system = ce.System(gravity=(0, 0, -G))
        body = system.add_body(
            "mass", mass=mass, com=(0, 0, -1), parent="ground", hinge=ce.Prismatic((0, 0, 1))
        )
        system.add_force(
            ce.SpringDamper("spring", system.ground, (0, 0, 0), body, (0, 0, -1), spring=50.0 * mass)
        )
        return ce.Model(system)

    assert hanging(scale).equilibrium().y[0] == pytest.approx(-G / 50.0, rel=1e-9)


def test_names_are_checked() -> None:
    with pytest.raises(ce.ModelError, match=r"no displacement 'leg'; known are \['arm'\]"):
        arm().equilibrium(hold=["leg"])
