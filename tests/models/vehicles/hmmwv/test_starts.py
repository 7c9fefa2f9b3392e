"""Starts of vehicles: from any height, on tyres that can carry them."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import AssemblyError, DataError
from ce_dynamics.models.parts.roads.surfaces import InclinedRoad, RampRoad
from ce_dynamics.models.tyres.element import RoadTyre
from ce_dynamics.models.vehicles import equilibrium
from ce_dynamics.models.vehicles.assembly import build, start_height
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import (
    find_first,
    find_settled_state,
    rolling_states,
    settle,
)


@pytest.mark.parametrize("height", ["0.8 m", "0.3 m"])
@pytest.mark.parametrize("speed", [0.0, 12.0])
def test_all_start_heights_settle_alike(height: str, speed: float) -> None:
    """All tyres in the air, or the vehicle on its stops: the height of the equilibrium is the same."""
    found = []
    for overrides in ([], [f"vehicle.ride_height={height}"]):
        data = VehicleParameters.load("hmmwv", overrides)
        found.append(settle(ce.compile(build(data, speed=speed)))[2])
    assert found[1] == pytest.approx(found[0], abs=1e-6)


@pytest.mark.parametrize(
    ("grade", "friction", "overrides"),
    [(0.3, 0.8, ["front.brake.lag=40 ms", "rear.brake.lag=40 ms"]), (0.6, 0.8, [])],
)
def test_parked_on_a_grade_nothing_moves(grade: float, friction: float, overrides: list[str]) -> None:
    """Brakes on, filled where they fill with a lag: no rate is left, and after 2 s it is where it was.

    0.6 lies between the tyre's sliding and its peak friction (0.46 and 0.78 … 0.90).  Rounding of 4e4 N over
    3,500 kg for 2 s is some 1e-15 m; what is left of the search, 1e-8 m/s², would be 2e-8 m.
    """
    road = InclinedRoad(friction, math.atan(grade))
    model = ce.compile(build(VehicleParameters.load("hmmwv", overrides), road=road))
    u = model.inputs_with(inputs={"brake": 1.0})
    y = settle(model, u)
    assert np.abs(model.dynamics(y, u)[0]).max() < 1e-7
    run = ce.simulate(model, {"brake": 1.0}, duration=2.0, y0=y, method="rk4", interval=0.5)
    assert np.abs(run["x"].values - run["x"].values[0]).max() < 1e-7
    loads = np.array([model.outputs(y, u=u)[f"{c}.tyre.Fz"] for c in run["corner"].values])
    held = np.array([model.outputs(y, u=u)[f"{c}.tyre.Fx"] for c in run["corner"].values])
    np.testing.assert_allclose(held / loads, grade, rtol=0.05)  # each its part
    assert held.sum() == pytest.approx(grade * loads.sum(), rel=5e-3)  # wheels with toe hold sideways, too


@pytest.mark.parametrize(
    ("vehicle", "grade", "bank"),
    [
        ("formula-student", 0.2, 0.1),
        ("truck", -0.2, 0.1),
        ("van-trailer", -0.2, 0.1),
        ("sedan-manual", 0.2, -0.1),
        ("hatchback", -0.6, 0.0),
        # near the peak of friction of its front wheels: found from where it comes to rest
        ("sedan", -0.6, 0.0),
    ],
)
def test_any_vehicle_parked_stays(vehicle: str, grade: float, bank: float) -> None:
    """The residual of the search, 1e-8 m/s^2, moves it by 5e-9 m within a second."""
    road = InclinedRoad(0.8, math.atan(grade), math.atan(bank))
    model = ce.compile(build(VehicleParameters.load(vehicle), road=road))
    u = model.inputs_with(inputs={"brake": 1.0})
    y = settle(model, u)
    assert np.abs(model.dynamics(y, u)[0]).max() < 1e-7
    run = ce.simulate(model, {"brake": 1.0}, duration=1.0, y0=y, method="rk4", interval=0.5)
    assert max(float(np.ptp(run[name].values)) for name in "xyz") < 1e-8


def test_far_poses_are_found_from_nearby_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wheels that roll are not found before the vehicle stands; from there they are, and that counts."""
    model = ce.compile(build(VehicleParameters.load("hmmwv"), speed=12.0))
    rolling, afar = rolling_states(model), model.y0

    def near_only(model: ce.Model, u: None, still: Sequence[str], start: Floats) -> Floats:
        if still and start is afar:
            raise AssemblyError("too far")
        return find_settled_state(model, u, still, start)

    monkeypatch.setattr(equilibrium, "find_settled_state", near_only)
    found = find_first(model, None, (rolling, ()), afar)
    assert found is not None
    rates = dict(zip(model.layout.y_names, model.dynamics(found, model.u0)[0], strict=True))
    assert max(abs(rates[name]) for name in rolling) < 1e-6
    assert find_first(model, None, (rolling,), afar) is None


def deepest(model: ce.Model, road: RampRoad) -> float:
    """Return the depth of the lowest point of any wheel below the road at the start [m]."""
    seen = model.outputs(model.y0)
    depths = []
    for force in (force for force in model.system.forces if isinstance(force, RoadTyre)):
        x, y, z = (seen[f"{force.wheel.name}_{axis}"] for axis in "xyz")
        normal = math.sqrt(1.0 + road.slope(x, y)[0] ** 2)
        depths.append(force.model.unloaded_radius - (z - road.height(x, y)) / normal)
    return float(max(depths))


def test_wheels_do_not_begin_inside_the_road(monkeypatch: pytest.MonkeyPatch) -> None:
    """A train half on a ramp: along the ramp its last wheels would be 0.7 m deep, twice their radius."""
    road = RampRoad(0.8, 0.2, position=-1.0, length=20.0, rounding=1.0)
    assert start_height(road, [(np.array([-5.0, 0.7, 0.0]), 0.3)]) == pytest.approx(
        0.2 * 5.0 - road.height(0.0, 0.0)
    )
    assert start_height(InclinedRoad(0.8, 0.5), [(np.array([-5.0, 0.7, 0.0]), 0.3)]) == 0.0
    with monkeypatch.context() as patch:
        patch.setattr("ce_dynamics.models.vehicles.assembly.start_height", lambda road, wheels: 0.0)
        assert deepest(ce.Model(build(VehicleParameters.load("van-trailer"), road=road)), road) > 0.6
    model = ce.compile(build(VehicleParameters.load("van-trailer"), road=road))
    assert deepest(model, road) < 0.25 * 0.35  # a part of the radius that a tyre takes up
    u = model.inputs_with(inputs={"brake": 1.0})
    y = settle(model, u)
    seen = model.outputs(y, u=u)
    corners = model.system.groups["corner"]
    loads = [seen[f"{corner}.tyre.Fz"] for corner in corners]
    assert min(loads) > 500.0
    # Contact forces square to roads of slopes 0 and 0.2 = tan 11.3 deg carry the weight with friction: in sum
    # between the weight and its part across the ramp.
    mass = sum(float(body.mass) for body in model.system.bodies)
    weight = 9.81 * mass
    assert 0.98 * weight * math.cos(math.atan(0.2)) < sum(loads) < 1.02 * weight
    run = ce.simulate(model, {"brake": 1.0}, duration=1.0, y0=y, method="rk4", interval=0.5)
    moved = [float(np.ptp(run[name].values)) for name in "xz"]
    assert max(moved) < 1e-7


@pytest.mark.parametrize("grade", [0.2, -0.2])
def test_rolling_over_bend_presses_nothing_in(grade: float) -> None:
    """A train with its van on a ramp and its trailer on the level: both keep to the road as they go on.

    With one velocity along the ramp for all, the trailer's wheels would move with 1.6 m/s into the level
    ground or off it.  Its nose moves so, which turns it by 1.6/3.24 rad/s: its axles, 0.77 m apart, move up
    and down with 0.19 m/s.
    """
    road = RampRoad(0.8, grade, position=-3.0, length=20.0, rounding=0.3)
    model = ce.compile(build(VehicleParameters.load("van-trailer"), road=road, speed=8.0))
    y = settle(model)
    seen = model.outputs(y)
    loads = np.array([seen[f"{corner}.tyre.Fz"] for corner in model.system.groups["corner"]])
    assert loads.min() > 0.4 * loads.mean()
    assert loads.max() < 1.6 * loads.mean()
    assert seen["trailer.hitch_pitch"] == pytest.approx(math.atan(grade), abs=0.05)
    instant = model.instant(y, model.u0)
    for tyre in (force for force in model.system.forces if isinstance(force, RoadTyre)):
        point = instant.outward.point(tyre.wheel, tyre.centre, model.system.ground)
        slope = grade if point.r[0] > -3.0 else 0.0
        assert float(point.v[2]) == pytest.approx(slope * float(point.v[0]), abs=0.21)


def test_wheels_in_air_turn_as_if_they_rolled() -> None:
    """A truck on a crest: the middle axle carries, one behind it hangs; nothing turns that wheel."""
    road = RampRoad(0.8, -0.2, position=-1.0, length=20.0)
    model = ce.compile(build(VehicleParameters.load("truck"), road=road, speed=8.0))
    y = settle(model)
    seen = model.outputs(y)
    rates = dict(zip(model.layout.y_names, y, strict=True))
    lifted = [c for c in model.system.groups["corner"] if seen[f"{c}.tyre.Fz"] == 0.0]
    assert lifted
    tyres = [force for force in model.system.forces if isinstance(force, RoadTyre)]
    assert len(tyres) == 6
    for tyre in tyres:
        assert rates[f"{tyre.wheel.name}_rate"] * tyre.unloaded_radius == pytest.approx(8.0, rel=0.06)


def test_parked_in_gear_engine_stands_and_nothing_moves() -> None:
    """Behind a closed clutch it cannot idle while the wheels are held; it lies as with an open one."""
    road = InclinedRoad(0.8, 0.0, math.atan(0.15))
    model = ce.compile(build(VehicleParameters.load("sedan-manual"), road=road))
    u = model.inputs_with(inputs={"brake": 1.0})
    y = settle(model, u)
    assert abs(y[model.layout.y_names.index("driveline.engine_speed")]) < 1e-6
    assert np.abs(model.dynamics(y, u)[0]).max() < 1e-7
    idling = settle(model, model.inputs_with(inputs={"brake": 1.0, "clutch": 1.0}))
    assert idling[model.layout.y_names.index("driveline.engine_speed")] > 50.0
    np.testing.assert_allclose(y[2:7], idling[2:7], rtol=0.0, atol=1e-3)


def test_pedals_that_do_not_hold_let_it_go() -> None:
    """No brake on a grade: it starts to roll with g sin α, less what turns the wheels."""
    model = ce.compile(build(VehicleParameters.load("hmmwv"), road=InclinedRoad(0.8, math.atan(0.3))))
    y = settle(model)
    run = ce.simulate(model, duration=1.0, y0=y, method="rk4", interval=0.5)
    assert -2.9 < float(run["vx"][-1]) < -1.5


def test_hardpoints_far_away_are_named() -> None:
    with pytest.raises(DataError, match=r"front_left\.D\.z: 1e\+09 m is no place on a vehicle"):
        VehicleParameters.load("hmmwv", ["front.D.z=1e9 m"])


def test_loads_that_no_tyre_carries_are_named() -> None:
    data = VehicleParameters.load("hmmwv", ["chassis.mass=400 t"])
    model = ce.compile(build(data, speed=12.0))
    with pytest.raises(AssemblyError, match=r"front_left: a load of .* kN presses the tyre in .* masses"):
        settle(model)


def test_falling_vehicle_settles_without_driving_away() -> None:
    """Full throttle backwards for seconds would fold a trailer up; its hitch stays straight."""
    model = ce.compile(build(VehicleParameters.load("van-trailer")))
    u = model.inputs_with(inputs={"throttle": 1.0, "selector": -1.0})
    fallen = equilibrium.left_to_fall(model, u, model.y0, braked=True)
    assert abs(model.outputs(fallen, u=u)["trailer.hitch_yaw"]) < 1e-3
    assert fallen[model.layout.y_names.index("chassis.x")] == 0.0
