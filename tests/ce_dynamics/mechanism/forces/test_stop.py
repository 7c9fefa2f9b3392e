"""Stops against the closed solution of an impact, and angles that are counted from elsewhere."""

import math
from typing import Literal

import numpy as np
import pytest
from scipy.integrate import simpson

import ce_dynamics as ce


def wheel(
    lower: float, upper: float, k: float, d: float = 0.0, q_design: float = 0.0, onset: float = 0.0
) -> ce.Model:
    s = ce.System(gravity=(0, 0, 0))
    hinge = ce.Revolute((0, 0, 1), q_design=q_design)
    disc = s.add_body("disc", mass=1.0, inertia=(1.0, 1.0, 2.0), parent="ground", hinge=hinge)
    s.add_force(ce.JointStop("stop", disc, lower, upper, k, d, onset=onset))
    return ce.compile(s)


def test_inside_and_beyond() -> None:
    model = wheel(-0.5, 1.0, 300.0, 0.2)
    assert model.accelerations([0.9], [5.0]) == pytest.approx([0.0], abs=0.0)
    for q, v, expected in (
        (1.2, 0.0, -300.0 * 0.2 / 2.0),
        (1.2, 2.0, -300.0 * 0.2 * 1.4 / 2.0),
        (-0.6, -2.0, 300.0 * 0.1 * 1.4 / 2.0),
        (-0.6, 7.0, 0.0),  # leaving faster than 1/d: it does not pull
    ):
        assert model.accelerations([q], [v]) == pytest.approx([expected], rel=1e-12, abs=1e-12)


def test_an_impact_without_loss_takes_half_a_period() -> None:
    """From the stop at speed v: p = v/ω sin ωt with ω² = k/I, back at the stop after π/ω with −v."""
    model = wheel(-3.0, 0.0, 200.0)
    omega = math.sqrt(200.0 / 2.0)
    y0 = model.state([0.0], [1.5])
    run = ce.simulate(model, y0=y0, duration=math.pi / omega, method="DOP853", rtol=1e-11, atol=1e-12)
    end = run.isel(time=-1)
    assert float(end["disc"]) == pytest.approx(0.0, abs=1e-8)
    assert float(end["d(disc)/dt"] if "d(disc)/dt" in run else end[model.layout.v[0].name]) == pytest.approx(
        -1.5, rel=1e-7
    )


def test_angles_count_about_a_range_far_away() -> None:
    model = wheel(2.0, 4.0, 100.0)  # the upper end is more than half a turn from the design pose
    assert model.accelerations([3.9], [0.0]) == pytest.approx([0.0], abs=1e-12)
    assert model.accelerations([-2.0], [0.0]) == pytest.approx([-100.0 * (2 * math.pi - 2.0 - 4.0) / 2.0])
    shifted = wheel(2.0, 4.0, 100.0, q_design=3.0)
    np.testing.assert_allclose(
        shifted.accelerations([4.3], [0.0]), model.accelerations([4.3], [0.0]), rtol=1e-12
    )


def test_an_onset_stores_the_work_of_its_load() -> None:
    """q̈ = −F/I; the energy of the stop is the integral of F, by Simpson's rule (polynomials of degree 8)."""
    model = wheel(-0.4, 0.5, 300.0, onset=0.2)
    for side, end in ((1.0, 0.5), (-1.0, -0.4)):
        for depth in (-0.1, 0.05, 0.13, 0.2, 0.6):
            p = np.linspace(min(depth, 0.0), depth, 2001)
            load = np.array([-2.0 * side * model.accelerations([end + side * each], [0.0])[0] for each in p])
            work = simpson(load, x=p)
            assert model.energy([end + side * depth], [0.0]).elastic == pytest.approx(
                work, rel=1e-8, abs=1e-12
            )
            assert load[-1] == pytest.approx(300.0 * (depth - 0.1) if depth >= 0.2 else load[-1], rel=1e-12)
    assert model.accelerations([0.5], [0.0])[0] == 0.0


@pytest.mark.parametrize(("method", "order"), [("rk4", 4.0), ("rosenbrock", 2.0)])
def test_fixed_steps_keep_their_order_through_an_onset(
    method: Literal["rk4", "rosenbrock"], order: float
) -> None:
    """Into a stop and out of it; without an onset the error of two steps decides, whatever the order."""
    model = wheel(-3.0, 0.0, 200.0, onset=0.2)
    y0 = model.state([-0.1], [1.5])
    exact = ce.simulate(model, y0=y0, duration=0.7, method="DOP853", rtol=1e-12, atol=1e-13)["disc"]
    assert float(exact.max()) > 0.2
    assert float(exact[-1]) < -0.1
    runs = [ce.simulate(model, y0=y0, duration=0.7, method=method, step=0.7 / n)["disc"] for n in (200, 400)]
    one, other = (abs(float(run[-1]) - float(exact[-1])) for run in runs)
    assert math.log2(one / other) == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, -1.0, 5.0), "must ascend"),
        ((-math.inf, math.inf, 5.0), "one of them finite"),
        ((-1.0, 1.0, 0.0), "stiffness 0.0 must be > 0"),
        ((-1.0, 1.0, -3.0), "stiffness"),
        ((-1.0, 1.0, 1.0, -1.0), "dissipation"),
        ((-4.0, 4.0, 1.0), "beyond a turn"),
        ((math.nan, 4.0, 1.0), "lower nan"),
    ],
)
def test_what_is_refused(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(ce.ModelError, match=f"stop 'stop': .*{message}"):
        wheel(*arguments)
    with pytest.raises(ce.ModelError, match=r"stop 'stop': onset -0\.1 must be a finite number at least 0"):
        wheel(-1.0, 1.0, 5.0, onset=-0.1)
