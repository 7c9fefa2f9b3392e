"""Compliant contacts of points and balls against closed formulas, energy and momentum."""

import math

import numpy as np
import pytest

import ce_dynamics as ce


def ball(
    radius: float, friction: float, *, on_a_cart: bool = False, dissipation: float = 0.0, onset: float = 0.0
) -> ce.System:
    s = ce.System(gravity=(0, 0, -10.0))
    plane = None
    if on_a_cart:
        plane = s.add_body(
            "cart", mass=5.0, com=(0.3, 0, -0.1), inertia=(1.0,) * 3, parent=s.ground,
            hinge=ce.Free((0.3, 0, -0.1)),
        )  # fmt: skip
    body = s.add_body(
        "ball", mass=2.0, com=(0, 0, 0.1), inertia=(0.01,) * 3, parent=s.ground, hinge=ce.Free((0, 0, 0.1))
    )
    s.add_force(
        ce.PointContact(
            "foot",
            body,
            (0, 0, 0.1),
            1e4,
            dissipation,
            friction,
            creep=1e-6,
            onset=onset,
            radius=radius,
            plane=plane,
        )
    )
    return s


AT = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def test_a_sliding_ball_is_braked_and_spun() -> None:
    """μ N / m backwards and μ N r / I about y, up to (v_0 / v)² = 1e-12; the normal force is k p = 20 N."""
    model = ce.compile(ball(0.102, 0.3))
    accelerations = model.accelerations(AT, (0, 0, 0, 1.0, 0, 0))
    np.testing.assert_allclose(accelerations, (0, 0.3 * 20 * 0.102 / 0.01, 0, -3.0, 0, 0), atol=1e-10)
    rolling = model.accelerations(AT, (0, 1.0 / 0.102, 0, 1.0, 0, 0))
    np.testing.assert_allclose(rolling, np.zeros(6), atol=1e-8)


def test_untouched_contact_does_nothing_and_never_pulls() -> None:
    model = ce.compile(ball(0.05, 0.3, dissipation=2.0))
    np.testing.assert_array_equal(model.accelerations(AT, (1, 0, 0, 1.0, 0, 3.0)), (0, 0, 0, 0, 0, -10))
    leaving = ce.compile(ball(0.102, 0.3, dissipation=2.0)).accelerations(AT, (0, 0, 0, 0, 0, 0.6))
    assert leaving[5] == -10.0  # 1 + d ṗ < 0


def test_bounces_keep_energy_at_order_of_method() -> None:
    """In the step in which the force's slope jumps at most k (v h)² / 2 is lost or won; v² = 2 g × 0.01 m."""
    model = ce.compile(ball(0.09, 0.0))
    run = ce.simulate(model, duration=0.3, method="rk4", step=2e-4)
    energy = run["energy"].values
    np.testing.assert_allclose(
        run["elastic_energy"].values, 0.5e4 * run["foot_depth"].values ** 2, atol=1e-15
    )
    assert float(run["foot_depth"].max()) > 1e-3
    most, events = 1e4 * 0.2 * 2e-4**2 / 2.0, 6
    assert np.ptp(energy) < events * most


def test_bounces_with_onset_have_order_of_method() -> None:
    """Energy and height after three bounces: halving the step divides what they miss by 2⁴."""
    model = ce.compile(ball(0.09, 0.0, onset=2e-3))
    missed = []
    for step in (1e-3, 5e-4):
        run = ce.simulate(model, duration=0.3, method="rk4", step=step)
        missed.append(abs(float(run["energy"][-1] - run["energy"][0])))
    exact = ce.simulate(model, duration=0.3, method="DOP853", rtol=1e-12, atol=1e-13)
    assert float(exact["foot_depth"].max()) > 2e-3
    assert abs(float(exact["energy"][-1] - exact["energy"][0])) < 1e-9
    assert 3.5 < math.log2(missed[0] / missed[1]) < 5.5


def test_forces_between_two_bodies_are_opposite() -> None:
    """The momentum of both changes by gravity alone, linear and angular."""
    model = ce.compile(ball(0.102, 0.5, on_a_cart=True))
    q = np.array((*AT, *AT))
    v = np.array((0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8, -0.9, 1.0, -1.1, 0.2))
    v_dot = model.accelerations(q, v)
    before, after = (np.concatenate(model.momentum(q, v + s * v_dot)) for s in (-1e-4, 1e-4))
    rate = (after - before)[:3] / 2e-4
    np.testing.assert_allclose(rate, (0.0, 0.0, -70.0), atol=1e-8)
    assert abs(float(v_dot[5]) + 10.0) > 1.0


@pytest.mark.parametrize("name", ["stiffness", "creep"])
def test_what_must_be_positive(name: str) -> None:
    s = ce.System()
    body = s.add_body("b", mass=1.0, parent=s.ground, hinge=ce.Free())
    given = {"stiffness": 1.0, "creep": 1.0, name: 0.0}
    with pytest.raises(ce.ModelError, match=rf"contact 'c': {name} 0.0 must be"):
        ce.PointContact("c", body, (0, 0, 0), given["stiffness"], creep=given["creep"])
    with pytest.raises(ce.ModelError, match="of its own"):
        ce.PointContact("c", body, (0, 0, 0), 1.0, plane=body)
    assert math.isclose(ce.PointContact("c", body, (0, 0, 0), 1.0, normal=(0, 0, 2)).normal[2], 1.0)
