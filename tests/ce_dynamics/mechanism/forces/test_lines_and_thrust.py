"""Cords, thrusters and drag: by hand, by energy, for any observer, and what actuators keep in mind."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.dynamics.energy import load_power
from ce_dynamics.mechanism.forces.base import PointLoad
from tests.ce_dynamics.mechanism.forces.test_elements import branched, case_of, two_sliders, world_wrenches
from tests.ce_dynamics.recursion_systems import Case


def test_a_cord_of_one_piece_is_a_spring(rng: np.random.Generator) -> None:
    """With opposite signs of the force: a cord pushes along its length, a spring pulls."""
    at_a, at_b = rng.normal(size=3), rng.normal(size=3)
    accelerations = []
    for kind in (ce.Cord, ce.SpringDamper):
        system, bodies = branched(np.random.default_rng(1))
        a, b = bodies[1], bodies[3]
        if kind is ce.Cord:
            cord = ce.Cord("c", [(a, at_a), (b, at_b)], stiffness=40.0, damping=3.0, rest=(0.3, 0.3))
            system.add_force(cord)
        else:
            system.add_force(ce.SpringDamper("s", a, at_a, b, at_b, spring=40.0, damper=3.0, free_length=0.3))
        accelerations.append(Case(system, np.random.default_rng(2)).instant().accelerations.v_dot)
    np.testing.assert_allclose(accelerations[0], accelerations[1], rtol=1e-12)


def test_power_of_cord_is_rate_of_its_potential(rng: np.random.Generator) -> None:
    """Central difference with h = 1e-5 of energies of order 10: 1e-8."""
    system, bodies = branched(rng)
    base, left, hand, wheel = bodies
    points = [(body, rng.normal(size=3)) for body in (system.ground, left, left, hand, base)]
    other = [(wheel, rng.normal(size=3)), (hand, rng.normal(size=3))]
    cord = ce.Cord("c", points, other, divisors=(1.0, 2.0), stiffness=20.0, rest=(0.5, 2.0))
    system.add_force(cord)
    case = Case(system, rng)
    instant = case.instant()
    assert instant.loads.responses["c"].outputs["length"] > 2.0
    rate = case.derivative(lambda later: later.loads.responses["c"].potential, np.zeros(case.n_v))
    power = load_power(instant.outward, instant.loads)
    assert power == pytest.approx(-float(rate), rel=1e-7, abs=1e-7)
    assert abs(power) > 1e-3


def test_a_tackle_by_hand() -> None:
    """A weight hung on two lines of a cord, pulled with F: 2 F lift it, and l̇ = −2 v."""
    system = ce.System(gravity=(0, 0, 0))
    weight = system.add_body("weight", mass=2.0, parent="ground", hinge=ce.Prismatic((0, 0, 1)))
    system.add_input("pull", "N")
    top = (system.ground, (0, 0, 3))
    cord = ce.Cord("tackle", [top, (weight, (0, 0, 0)), top], damping=0.5, command="pull", gear=-1.0)
    system.add_force(cord)
    instant = case_of(system, q=(1.0,), v=(0.7,), u=(5.0,)).instant()
    assert instant.loads.responses["tackle"].outputs["length"] == pytest.approx(4.0)
    # the actuator pulls with 5 N, the damper with 0.5 × 1.4 N against it while the cord gets shorter
    assert float(instant.accelerations.v_dot[0]) == pytest.approx(2.0 * (5.0 - 0.7) / 2.0)


def test_a_thruster_turns_with_its_body(rng: np.random.Generator) -> None:
    system, bodies = branched(rng)
    hand = bodies[2]
    at, f, t = rng.normal(size=(3, 3))
    system.add_input("throttle", "N")
    law = {"gain": (2.0, 9.0, -0.3), "bias": (0.5, 9.0, -0.2)}
    system.add_force(ce.Thruster("jet", hand, at, command="throttle", force=f, torque=t, **law))
    case = Case(system, rng)
    case.u[:] = 1.7
    instant = case.instant()
    point = instant.outward.point(hand, at, system.ground)
    R = np.stack([instant.outward.direction(hand, axis, system.ground) for axis in np.eye(3)], axis=1)
    rate = (R @ f) @ point.v + (R @ t) @ instant.outward.angular_velocity(hand, system.ground)
    F = (2.0 - 0.3 * rate) * 1.7 + 0.5 - 0.2 * rate  # its length is zero
    origin = world_wrenches(case, instant)[hand.name]
    np.testing.assert_allclose(origin[3:], F * (R @ f), atol=1e-12)


@pytest.mark.parametrize(
    ("law", "x", "u", "force", "x_dot"),
    [
        ({"lag": 0.1}, 0.4, 3.0, 0.4, 26.0),
        ({"lag": 0.1, "command_range": (-1, 1)}, 0.4, 3.0, 0.4, 6.0),
        ({"integrates": True}, 0.4, 3.0, 0.4, 3.0),
        ({"integrates": True, "activation_range": (-1, 0.4)}, 0.4, 3.0, 0.4, 0.0),
        ({"integrates": True, "activation_range": (-1, 0.4)}, 0.4, -3.0, 0.4, -3.0),
        ({"integrates": True, "activation_range": (0.5, 1)}, 0.4, -3.0, 0.5, 0.0),
        ({"integrates": True, "force_range": (-0.1, 0.1)}, 0.4, 3.0, 0.1, 3.0),
    ],
)
def test_what_acts_may_be_a_state(
    law: dict[str, Any], x: float, u: float, force: float, x_dot: float
) -> None:
    system, a, _ = two_sliders()
    system.add_input("u", "1")
    system.add_force(ce.Actuator("m", a, command="u", **law))
    case = case_of(system, q=0.0, v=0.0, u=u)
    case.x[:] = x
    instant = case.instant()
    assert float(instant.accelerations.v_dot[0]) == pytest.approx(force / 2.0)
    assert float(instant.x_dot[0]) == pytest.approx(x_dot)


def test_drag_of_a_box_by_hand() -> None:
    """A box of sides 1, 2, 3 m and 6 kg: moments 6/12 (b² + c²); in water that flows with 1 m/s along z."""
    sides = np.array((1.0, 2.0, 3.0))
    moments = 0.5 * ((sides**2).sum() - sides**2)
    turn = np.array(((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))  # the box's x is the world's y
    system = ce.System(gravity=(0, 0, 0))
    inertia = turn @ np.diag(moments) @ turn.T
    box = system.add_body("box", mass=6.0, inertia=inertia, parent="ground", hinge=ce.Prismatic((0, 1, 0)))
    drag = ce.DragBox("drag", box, density=1000.0, viscosity=2.0, wind=(0, 0, 1))
    system.add_force(drag)
    instant = case_of(system, v=(-2.0,)).instant()
    (load,) = instant.loads.responses["drag"].loads
    assert isinstance(load, PointLoad)
    d = 2.0
    along_y = 3.0 * math.pi * d * 2.0 * 2.0 + 0.5 * 1000.0 * 2.0 * 3.0 * 4.0  # faces of 2 × 3 m
    along_z = 3.0 * math.pi * d * 2.0 * 1.0 + 0.5 * 1000.0 * 1.0 * 2.0 * 1.0
    np.testing.assert_allclose(load.force, (0.0, along_y, along_z), rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(load.torque, 0.0, atol=1e-12)


def refusals() -> dict[str, tuple[Callable[[ce.Body, ce.Body], ce.ForceElement], str]]:
    ends = ((0, 0, 0), (1, 0, 0))

    def motor(**law: Any) -> Callable[[ce.Body, ce.Body], ce.ForceElement]:
        return lambda a, b: ce.Actuator("m", a, command="u", **law)

    return {
        "one point": (lambda a, b: ce.Cord("c", [(a, ends[0])]), "a path has 1 points; give at least two"),
        "no path": (lambda a, b: ce.Cord("c"), "no two points in sequence are on different bodies"),
        "one body": (lambda a, b: ce.Cord("c", [(a, ends[0]), (a, ends[1])]), "it pulls nothing"),
        "divisors": (
            lambda a, b: ce.Cord("c", [(a, ends[0]), (b, ends[1])], divisors=(1, 2)),
            "2 divisors for 1 paths",
        ),
        "divisor": (lambda a, b: ce.Cord("c", [(a, ends[0]), (b, ends[1])], divisors=(0,)), "divisor 0"),
        "no command": (lambda a, b: ce.Cord("c", [(a, ends[0]), (b, ends[1])], lag=1.0), "needs a command"),
        "ground": (lambda a, b: ce.Thruster("t", a.carrier, ends[0], command="u"), "it pushes the ground"),
        "lag": (motor(lag=0.0), "lag 0"),
        "both": (motor(lag=1.0, integrates=True), "exclude each other"),
        "start": (motor(activation=1.0), "needs a lag, or integrates=True"),
        "range": (motor(lag=1.0, activation_range=(2, 1)), "activation_range .* the lower first"),
        "no mass": (lambda a, b: ce.DragBox("d", a.carrier), "has no mass"),
        "axes": (lambda a, b: ce.DragBox("d", a, axes=np.ones((3, 3))), "are not principal axes of 'a'"),
        "density": (lambda a, b: ce.DragBox("d", a, density=-1.0), "density -1"),
    }


@pytest.mark.parametrize("what", refusals())
def test_refuses(what: str) -> None:
    make, message = refusals()[what]
    _, a, b = two_sliders()
    with pytest.raises(ce.ModelError, match=message):
        make(a, b)
