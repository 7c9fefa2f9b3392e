"""Points of bodies that touch the road: the elastic law, what it dissipates, and how it keeps an order."""

import numpy as np
import pytest
from scipy.integrate import quad

import ce_dynamics as ce
from ce_dynamics.models.parts.body_contact import ContactData, RoadBodyContact, elastic
from ce_dynamics.models.parts.roads.surfaces import FlatRoad, InclinedRoad

P = ContactData(stiffness=2e5, onset=0.01, damping=2.0, friction=0.5, slip_speed=0.05)


@pytest.mark.parametrize("depth", [-0.01, 0.0, 0.003, 0.01, 0.05])
def test_energy_is_the_integral_of_the_force(depth: float) -> None:
    expected = quad(lambda d: float(elastic(d, 2e5, 0.01).force), 0.0, max(depth, 0.0), points=[0.01])[0]
    assert float(elastic(depth, 2e5, 0.01).energy) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_slope_and_curvature_have_no_steps() -> None:
    """On both sides of both ends of the onset, from differences; and beyond it the slope is k."""
    h = 1e-5
    for at in (0.0, 0.01):
        slopes, bends = [], []
        for side in (-2.0 * h, 2.0 * h):
            low, middle, high = (float(elastic(at + side + d, 2e5, 0.01).force) for d in (-h, 0.0, h))
            slopes.append((high - low) / (2.0 * h))
            bends.append((high - 2.0 * middle + low) / h**2)
        assert slopes[0] == pytest.approx(slopes[1], abs=2e-4 * 2e5)  # 6 (2e-3)^2 of k lies between
        assert bends[0] == pytest.approx(bends[1], abs=0.03 * 2e5 / 0.01)  # 12 (4e-3) of k/w, at most
    assert float(elastic(0.03, 2e5, 0.01).force - elastic(0.02, 2e5, 0.01).force) == pytest.approx(2e3)


@pytest.fixture(scope="module")
def brick() -> ce.Model:
    """A brick of 100 kg with its eight corners, on a flat road; it may tumble."""
    system = ce.System(gravity=(0.0, 0.0, -9.81))
    body = system.add_body(
        "brick", mass=100.0, inertia=np.diag([2.0, 5.0, 6.0]), parent=system.ground, hinge=ce.Free()
    )
    corners = [(x, y, z) for x in (-0.4, 0.4) for y in (-0.2, 0.2) for z in (-0.1, 0.1)]
    system.add_force(RoadBodyContact("hull", body, system.ground, corners, P, FlatRoad(0.9)))
    return ce.compile(system)


def test_thrown_brick_rests_and_gains_no_energy(brick: ce.Model) -> None:
    """It tumbles, slides and lies: kinetic energy, height and elastic energy together only fall."""
    y0 = brick.y0.copy()
    y0[:7] = 0.0, 0.0, 0.7, *np.array([0.8, 0.5, 0.3, -0.2]) / np.linalg.norm([0.8, 0.5, 0.3, -0.2])
    y0[7:13] = 3.0, -2.0, 1.0, 4.0, 1.0, -1.0
    run = ce.simulate(brick, duration=6.0, y0=y0, method="dopri5", rtol=1e-8, atol=1e-9, interval=0.05)
    names = [entry.name for entry in (*brick.layout.q, *brick.layout.v)]
    Y = np.stack([run[name.replace(".", "_")].values for name in names], axis=1)
    total = [float(brick.instant(y, brick.u0).energy) for y in Y]
    assert np.diff(total).max() < 1e-5 * (total[0] - total[-1])  # rtol of the run
    assert total[0] - total[-1] > 900.0
    assert np.abs(Y[-1, 7:]).max() < 1e-3
    # it lies on a face: N carries it, as deep as four corners of stiffness k need
    response = brick.instant(Y[-1], brick.u0).loads.responses["hull"]
    assert float(response.outputs["normal_force"]) == pytest.approx(981.0, rel=1e-3)


def test_fixed_step_over_the_onset_keeps_its_order(brick: ce.Model) -> None:
    """RK4 through a bounce on four corners: halving the step divides the error by some 16, at least by 10."""
    y0 = brick.y0.copy()
    y0[2], y0[12] = 0.13, -0.5
    found = [
        ce.simulate(brick, duration=0.2, y0=y0, method="rk4", step=h, interval=0.2)["brick_z"].values[-1]
        for h in (2e-3, 1e-3, 5e-4, 1.25e-4)
    ]
    errors = np.abs(np.array(found[:-1]) - found[-1])
    assert errors[0] / errors[1] > 10.0 or errors[1] < 1e-9
    assert errors[1] / errors[2] > 10.0 or errors[2] < 1e-9


@pytest.mark.parametrize("slope", [0.2, 0.7])
def test_friction_holds_below_its_angle_and_slides_beyond(slope: float) -> None:
    """On a grade of 0.2, below μ = 0.5, a point only creeps; on 0.7 it accelerates as by hand."""
    system = ce.System(gravity=(0.0, 0.0, -9.81))
    body = system.add_body("block", mass=100.0, inertia=np.eye(3), parent=system.ground, hinge=ce.Free())
    road = InclinedRoad(0.9, float(np.arctan(slope)))
    system.add_force(RoadBodyContact("hull", body, system.ground, [(0.0, 0.0, 0.0)], P, road))
    model = ce.compile(system)
    n = np.asarray(road.normal(0.0, 0.0), dtype=float)
    c = n[2]
    N = 100.0 * 9.81 * c
    depth = N / P.stiffness + 0.5 * P.onset  # beyond the onset only if N > k w/2
    if 0.5 * P.stiffness * P.onset > N:
        from scipy.optimize import brentq

        depth = brentq(lambda d: float(elastic(d, P.stiffness, P.onset).force) - N, 0.0, P.onset)
    down = np.array([-c, 0.0, -slope * c])
    s = slope * c
    creep = P.slip_speed * (s / (P.friction * c)) / np.sqrt(1.0 - min(s / (P.friction * c), 0.99) ** 2)
    speed = creep if slope < P.friction else 2.0
    y = model.y0.copy()
    y[:3] = -depth * n
    y[10:13] = speed * down
    a = model.dynamics(y, model.u0)[0][10:13]
    along = 9.81 * (s - P.friction * c * speed / np.hypot(speed, P.slip_speed))
    assert a @ n == pytest.approx(0.0, abs=1e-9)
    assert a @ down == pytest.approx(along, abs=1e-9)
    assert (along < 1e-12) == (slope < P.friction)
