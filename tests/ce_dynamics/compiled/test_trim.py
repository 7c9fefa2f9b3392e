"""Trim finds states at which chosen rates vanish, or raises."""

import math
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.newton import Differenced, descend, whole_steps
from ce_dynamics.kinematics.four_bar import FourBar
from tests.ce_dynamics.recursion_systems import add_linkage

MASS, STIFFNESS, G = 3.0, 200.0, 9.81


def spring_mass() -> ce.Model:
    """A mass that hangs on a spring of 1 m, and an input that pulls at it."""
    system = ce.System(gravity=(0, 0, -G))
    body = system.add_body("mass", mass=MASS, com=(0, 0, -1), parent="ground", hinge=ce.Prismatic((0, 0, 1)))
    system.add_force(
        ce.SpringDamper("spring", system.ground, (0, 0, 0), body, (0, 0, -1), spring=STIFFNESS, damper=2.0)
    )
    system.add_input("pull", "N")
    system.add_force(ce.AppliedWrench("hand", body, (0, 0, -1), force=(0.0, 0.0, "pull")))
    return ce.Model(system)


@pytest.mark.parametrize("pull", [0.0, -15.0])
def test_mass_on_spring_hangs_where_the_forces_balance(pull: float) -> None:
    y = ce.trim(spring_mass(), ["mass"], ["mass_rate"], u=[pull])
    np.testing.assert_allclose(y, ((pull - MASS * G) / STIFFNESS, 0.0), rtol=1e-12, atol=1e-15)


def test_start_is_kept_where_nothing_is_to_change() -> None:
    model = spring_mass()
    start = np.array((0.0, 0.25))
    y = ce.trim(model, ["mass"], ["mass_rate"], y=start)
    # The damper now holds the mass as well.
    np.testing.assert_allclose(y, ((-MASS * G - 2.0 * 0.25) / STIFFNESS, 0.25), rtol=1e-12)
    np.testing.assert_array_equal(start, (0.0, 0.25))


def test_an_arm_on_a_torsion_spring() -> None:
    system = ce.System(gravity=(0, 0, -G))
    arm = system.add_body(
        "arm", mass=2.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1), parent="ground", hinge=ce.Revolute((0, 1, 0))
    )
    system.add_force(ce.TorsionSpringDamper("spring", arm, spring=30.0))
    angle = ce.trim(ce.Model(system), ["arm"], ["arm_rate"])[0]
    # k q = m g l cos q: the arm sinks (positive rotation about y takes x downwards).
    assert 0.2 < angle < 0.4
    assert 30.0 * angle == pytest.approx(2.0 * G * 0.5 * math.cos(angle), rel=1e-10)


def test_a_first_order_state_can_be_trimmed() -> None:
    system = ce.System()
    system.add_body("arm", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute((0, 0, 1)))
    system.add_input("angle", "rad", default=0.4)
    system.prescribe("arm", ce.SecondOrderActuator("angle", 2.0, 5.0))
    y = ce.trim(ce.Model(system), ["arm.motion.position"], ["arm.motion.rate"])
    np.testing.assert_allclose(y, (0.8, 0.0), rtol=1e-13)


def test_quaternions_are_normalised() -> None:
    # A body on a ball joint, hanging askew: gravity decides two of its three rotations.
    system = ce.System(gravity=(0, 0, -G))
    bob = system.add_body(
        "bob", mass=1.0, com=(0.3, 0.1, -1.0), inertia=(0.1, 0.2, 0.3), parent="ground", hinge=ce.Spherical()
    )
    system.start("bob", q=(3.0, 0.0, 0.0, 0.0))
    model = ce.Model(system)
    y = ce.trim(model, ["bob.qx", "bob.qy"], ["bob.wx", "bob.wy"])
    assert np.linalg.norm(y[:4]) == pytest.approx(1.0, abs=1e-15)
    down = model.instant(y, model.u0).outward.point(bob, bob.com, system.ground).r
    np.testing.assert_allclose(down, (0.0, 0.0, -float(np.linalg.norm(bob.com))), rtol=0.0, atol=1e-9)


def test_unit_quaternions_of_all_hinges() -> None:
    system = ce.System()
    system.add_body("box", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Free())
    system.add_body("ball", mass=1.0, inertia=(1, 1, 1), parent="box", hinge=ce.Spherical())
    system.add_body("arm", mass=1.0, inertia=(1, 1, 1), parent="box", hinge=ce.Revolute((0, 0, 1)))
    model = ce.Model(system)
    y = np.arange(1.0, len(model.y0) + 1.0)
    unit = model.with_unit_quaternions(y)
    for part in (slice(3, 7), slice(7, 11)):
        np.testing.assert_allclose(unit[part], y[part] / math.sqrt(float(y[part] @ y[part])), rtol=1e-15)
    others = np.r_[0:3, 11 : len(y)]
    np.testing.assert_array_equal(unit[others], y[others])
    np.testing.assert_array_equal(y, np.arange(1.0, len(y) + 1.0))


def test_no_equilibrium_is_an_error() -> None:
    system = ce.System(gravity=(0, 0, -G))
    system.add_body("stone", mass=1.0, parent="ground", hinge=ce.Prismatic((0, 0, 1)))
    with pytest.raises(ce.AssemblyError, match=r"no equilibrium of stone found .* a rate of 9\.81 remains"):
        ce.trim(ce.Model(system), ["stone"], ["stone_rate"])


def test_start_that_cannot_be_assembled_is_an_error() -> None:
    # A NaN residual must not be taken for the scale that the tolerance refers to.
    system = ce.System()
    # Coupler and rocker reach 1.54 m together, the crank's pin at 3 rad is 2 m away.
    linkage = FourBar((0, 0, 0), (0, 0.2, 1), (0, 0.7, 1), (0, 1, 0), (1, 0, 0), frame="ground")
    add_linkage(system, linkage, np.random.default_rng(0))
    model = ce.Model(system)
    with pytest.raises(ce.AssemblyError, match="not finite at the start"):
        ce.trim(model, ["crank"], ["crank_rate"], y=[3.0, 0.0])


@pytest.mark.parametrize(
    ("change", "still", "message"),
    [
        (["mess"], ["mass_rate"], "no state 'mess'; known are .*'mass', 'mass_rate'"),
        (["mass"], ["rate"], "no state 'rate'"),
        (["mass", "mass_rate"], ["mass_rate"], "2 entries cannot make 1 rates vanish"),
        ([], ["mass_rate"], "0 entries cannot make 1 rates vanish"),
        ([], [], "0 entries cannot make 0 rates vanish"),
    ],
)
def test_names_are_checked(change: list[str], still: list[str], message: str) -> None:
    with pytest.raises(ce.ModelError, match=message):
        ce.trim(spring_mass(), change, still)


@pytest.mark.parametrize("given", [{"y": [0.0]}, {"y": [0.0, math.nan]}, {"u": []}, {"u": [math.inf]}])
def test_vectors_are_checked(given: Any) -> None:
    (name,) = given
    with pytest.raises(ce.ModelError, match=f"{name} must be [12] finite numbers"):
        ce.trim(spring_mass(), ["mass"], ["mass_rate"], **given)


def test_newton_finds_roots_at_corners_and_between() -> None:
    """Pieces of straight lines with slopes from 1 to 1e5, from far away; and what has no root."""

    def residual(x: np.ndarray) -> np.ndarray:
        bend = np.maximum(x - 0.1, 0.0) * 1e5
        return np.array([x[0] + bend[0] - 0.3 + 0.5 * x[1], x[1] + bend[1] - 0.2 - 0.25 * x[0]])

    found = descend(Differenced(residual), np.array([-40.0, 25.0]), 1e-12, steps=whole_steps).x
    assert np.abs(residual(found)).max() <= 1e-12
    nowhere = descend(Differenced(lambda x: x * x + 1.0), np.array([3.0]), 1e-12, steps=whole_steps).x
    assert float(nowhere[0] ** 2) < 1e-3  # near the least residual, which is 1
