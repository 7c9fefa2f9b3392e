"""Forces of the air: coasting and top speed by hand, wind, levers, and energy."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.mechanism.forces.base import PointLoad, Response
from ce_dynamics.models.parts.aerodynamics import Aerodynamics, AerodynamicsData
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters

VAN = AerodynamicsData(
    point=(0.0, 0.0, 0.7),
    density=1.2,
    area=4.4,
    length=3.3,
    drag=0.35,
    lift_front=0.05,
    lift_rear=0.02,
    side_force=2.2,
    yaw_moment=0.45,
)
MASS, PUSH = 2500.0, 3000.0


@pytest.fixture(scope="module")
def sledge() -> ce.Model:
    """A body that slides forward without friction, and may be pushed."""
    system = ce.System(gravity=(0.0, 0.0, 0.0))
    body = system.add_body("body", mass=MASS, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    system.add_input("push", "N", 0.0)
    for name in ("wind_x", "wind_y"):
        system.add_input(name, "m/s", 0.0)
    system.add_force(ce.AppliedWrench("engine", body, (0, 0, 0), force=("push", 0.0, 0.0)))
    system.add_force(Aerodynamics("air", body, system.ground, VAN))
    return ce.compile(system)


K = 0.5 * 1.2 * 4.4 * 0.35
"""Drag over the square of the speed [kg/m]."""


@pytest.mark.parametrize("wind", [0.0, -7.0])
def test_coast_down(sledge: ce.Model, wind: float) -> None:
    """m v̇ = −k (v − w)²: v − w = v₀/(1 + k v₀ t/m); still air is softened by 1e-3 m/s, 1e-9 of the force."""
    run = ce.simulate(
        sledge,
        {"wind_x": wind},
        duration=20.0,
        y0=[0.0, 30.0 + wind],
        method="dopri5",
        rtol=1e-10,
        atol=1e-10,
    )
    t, v = run["time"].values, run["body_rate"].values
    np.testing.assert_allclose(v - wind, 30.0 / (1.0 + K * 30.0 * t / MASS), rtol=2e-8)


@pytest.mark.parametrize("wind", [0.0, -7.0])
def test_top_speed(sledge: ce.Model, wind: float) -> None:
    """Pushed from still air: v − w = v_t tanh(F t/(m v_t)) with k v_t² = F; in the end the top speed."""
    given = {"wind_x": wind, "push": PUSH}
    run = ce.simulate(sledge, given, duration=500.0, y0=[0.0, wind], method="dopri5", rtol=1e-10, atol=1e-10)
    top = np.sqrt(PUSH / K)
    t, v = run["time"].values, run["body_rate"].values
    np.testing.assert_allclose(v - wind, top * np.tanh(PUSH * t / (MASS * top)), rtol=1e-7, atol=1e-6)
    assert v[-1] == pytest.approx(top + wind, rel=1e-7)


def air(
    velocity: tuple[float, float, float], yaw: float = 0.0, wind: tuple[float, float] = (0.0, 0.0)
) -> Response:
    """On a free body that moves, in world axes, and is turned."""
    system = ce.System()
    body = system.add_body("body", mass=MASS, inertia=np.eye(3), parent=system.ground, hinge=ce.Free())
    for name, value in zip(("wind_x", "wind_y"), wind, strict=True):
        system.add_input(name, "m/s", 0.25 * value)
    steady = 0.75 * wind[0], 0.75 * wind[1]
    van = VAN.model_copy(update={"wind": steady})
    system.add_force(Aerodynamics("air", body, system.ground, van, (0.3, 0.0, 0.0)))
    system.start(
        body, q=[10.0, 20.0, 1.0, np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)], v=[0.0, 0.0, 0.0, *velocity]
    )
    model = ce.compile(system)
    return model.instant(model.y0, model.u0).loads.responses["air"]


def load_of(response: Response) -> PointLoad:
    (load,) = response.loads
    assert isinstance(load, PointLoad)
    return load


def test_only_the_motion_in_the_air_counts() -> None:
    """Wind in world axes, steady and of the inputs together, takes the place of a motion against it."""
    moving, blown = air((20.0, 4.0, 0.0), yaw=0.8), air((0.0, 0.0, 0.0), yaw=0.8, wind=(-20.0, -4.0))
    one, other = load_of(moving), load_of(blown)
    np.testing.assert_allclose(one.force.astype(float), other.force.astype(float), rtol=1e-12)
    np.testing.assert_allclose(one.torque.astype(float), other.torque.astype(float), rtol=1e-12)


@pytest.mark.parametrize("yaw", [0.0, 2.3])
def test_forces_and_moments_by_hand(yaw: float) -> None:
    """At 30 m/s with the air from 10 degrees to the left of ahead, under any heading."""
    beta = np.radians(10.0)
    local = 30.0 * np.array([np.cos(beta), np.sin(beta)])
    c, s = np.cos(yaw), np.sin(yaw)
    response = air((c * local[0] - s * local[1], s * local[0] + c * local[1], 0.0), yaw)
    q_A = 0.5 * 1.2 * 4.4 * 900.0
    out = response.outputs
    assert out["drag"] == pytest.approx(q_A * 0.35 * np.cos(beta), rel=1e-8)
    assert out["side_force"] == pytest.approx(-q_A * 2.2 * np.sin(beta), rel=1e-8)
    assert out["lift_front"] == pytest.approx(q_A * 0.05 * np.cos(beta) ** 2, rel=1e-8)
    assert out["yaw_moment"] == pytest.approx(-q_A * 3.3 * 0.45 * 0.5 * np.sin(2 * beta), rel=1e-8)
    load = load_of(response)
    expected = [-out["drag"], out["side_force"], out["lift_front"] + out["lift_rear"]]
    force, torque = load.force.astype(float), load.torque.astype(float)
    np.testing.assert_allclose(
        [c * force[0] + s * force[1], -s * force[0] + c * force[1], force[2]], expected, rtol=1e-12
    )
    # lifts L/2 ahead and behind: nose up is negative about the axis to the left
    pitch = -1.65 * out["lift_front"] + 1.65 * out["lift_rear"]
    assert -s * torque[0] + c * torque[1] == pytest.approx(pitch, rel=1e-12)
    assert torque[2] == out["yaw_moment"]


def test_drag_backwards_opposes_and_still_air_does_nothing() -> None:
    assert air((-20.0, 0.0, 0.0)).outputs["drag"] == pytest.approx(-K * 400.0, rel=1e-8)
    still = air((0.0, 0.0, 3.0))
    assert not np.any(load_of(still).force.astype(float))


def test_the_van_and_its_trailer_meet_the_air() -> None:
    """Drag of both at 25 m/s by hand, from the data's coefficients, in a head wind that is a number."""
    data = VehicleParameters.load("van-trailer", ["aerodynamics.wind=(-5, 0) m/s"])
    system = build(data, speed=25.0)
    model = ce.compile(system)
    responses = model.instant(model.y0, model.u0).loads.responses
    assert responses["chassis.air"].outputs["drag"] == pytest.approx(0.6 * 4.4 * 0.35 * 900.0, rel=1e-7)
    assert responses["trailer.air"].outputs["drag"] == pytest.approx(0.6 * 4.2 * 0.30 * 625.0, rel=1e-7)
    place = load_of(responses["trailer.air"]).r.astype(float)
    np.testing.assert_allclose(place - model.y0[:3], [-2.7 - 3.2, 0.0, 0.09 + 0.8], atol=1e-12)
