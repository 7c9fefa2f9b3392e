"""Figures of a run against what can be said of hand-made data; the driver's knowledge of the vehicle."""

import math

import numpy as np
import pytest
import xarray as xr

from ce_dynamics.algebra.arrays import array
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import AssemblyError, DataError
from ce_dynamics.models import hmmwv
from ce_dynamics.models.parts.driver import Driver, DriverData
from ce_dynamics.models.parts.manoeuvres import MANOEUVRES, DoubleLaneChange
from ce_dynamics.models.vehicles.description import HmmwvParameters
from ce_dynamics.models.vehicles.driving import driver_parameters
from ce_dynamics.models.vehicles.hmmwv import CORNERS
from ce_dynamics.models.vehicles.steering_angle import max_wheel_angle, wheel_angle
from ce_dynamics.models.vehicles.summary import energy_imbalance, finite, gate_clearance, suspension_travel

VEHICLE = HmmwvParameters.load()


def straight(y: float, yaw: float = 0.0, n: int = 400) -> xr.Dataset:
    """A vehicle moving along y = const with a yaw angle: wheel centres 3.3 m and 1.82 m apart."""
    x = np.linspace(0.0, 130.0, n)
    c, s = math.cos(yaw), math.sin(yaw)
    corners = {"front_left": (1.65, 0.91), "front_right": (1.65, -0.91)}
    corners |= {"rear_left": (-1.65, 0.91), "rear_right": (-1.65, -0.91)}
    wheel_x = np.stack([x + c * a - s * b for a, b in corners.values()], axis=1)
    wheel_y = np.stack([np.full(n, y + s * a + c * b) for a, b in corners.values()], axis=1)
    return xr.Dataset(
        {
            "wheel_x": (("time", "corner"), wheel_x),
            "wheel_y": (("time", "corner"), wheel_y),
            "yaw": ("time", np.full(n, yaw)),
        },
        {"time": x, "corner": list(corners)},
    )


def lane_change() -> DoubleLaneChange:
    manoeuvre = hmmwv.double_lane_change(12.0)
    assert isinstance(manoeuvre, DoubleLaneChange)
    return manoeuvre


def test_clearance_of_straight_drive_is_minus_lane_offset() -> None:
    # The second lane's right edge lies 3.5 m left of the first lane's, which is at −(1.1·2.16 + 0.25)/2; the
    # right flank is at −1.08 m.
    right_edge = -0.5 * (1.1 * 2.16 + 0.25) + 3.5
    assert gate_clearance(straight(0.0), lane_change()) == pytest.approx(-1.08 - right_edge, abs=1e-12)


def test_clearance_of_yawed_vehicle_uses_four_flank_points() -> None:
    yaw, y = 0.3, 0.1
    # Rear right flank point, the lowest: y − 1.65 sin ψ − 1.08 cos ψ; it passes the second gate lowest.
    right_edge = -0.5 * (1.1 * 2.16 + 0.25) + 3.5
    lowest = y - 1.65 * math.sin(yaw) - 1.08 * math.cos(yaw)
    assert gate_clearance(straight(y, yaw), lane_change()) == pytest.approx(lowest - right_edge, abs=1e-12)


def test_clearance_before_any_gate_is_unknown() -> None:
    assert math.isnan(gate_clearance(straight(0.0).isel(time=[0]), lane_change()))


def test_energy_imbalance_is_what_work_does_not_explain() -> None:
    results = xr.Dataset({"energy": ("time", [5.0, 8.0, 4.0]), "work": ("time", [0.0, 2.5, -1.0])})
    np.testing.assert_array_equal(energy_imbalance(results), [0.0, 0.5, 0.0])


def test_suspension_travel_is_measured_along_the_leaning_chassis() -> None:
    """A rolled vehicle far away has heights along the chassis' own z axis, from the design position on."""
    system = hmmwv.build()
    model = Model(system)
    y = model.y0.copy()
    q = np.array([math.cos(0.3), math.sin(0.3), 0.1, -0.4])
    y[:3], y[3:7] = (300.0, -200.0, 5.0), q / np.linalg.norm(q)
    y[[entry.name for entry in model.layout.q].index("front_left.lower_arm")] = 0.1
    outward = model.instant(y, model.u0).outward
    up = outward.direction(system.find("chassis"), array((0.0, 0.0, 1.0)), system.ground).astype(float)
    expected = []
    for corner in VEHICLE.corners.values():
        wheel = outward.point(system.find(f"{corner.name}.wheel"), corner.W, system.ground).r.astype(float)
        design = outward.point(system.find("chassis"), corner.W, system.ground).r.astype(float)
        expected.append(up @ (wheel - design))
    found = [float(system.outputs[f"{name}.wheel_travel"].function(outward)) for name in CORNERS]
    assert abs(expected[0]) > 0.02
    np.testing.assert_allclose(found, expected, atol=1e-12)  # coordinates of hundreds of metres
    results = xr.Dataset({"wheel_travel": (("time", "corner"), [[0.01, 0.02], [0.04, 0.0]])})
    np.testing.assert_allclose(suspension_travel(results), [[0.0, 0.0], [0.03, -0.02]], atol=1e-16)


def test_json_has_no_nan() -> None:
    assert (finite(math.nan), finite(math.inf), finite(1.5)) == (None, None, 1.5)


# --- What the driver knows ----------------------------------------------------------------------------------


def test_full_lock_is_near_the_published_angle() -> None:
    # Published is the greatest angle of one wheel, 30.23°; the inner wheel of the model reaches 28°.
    inner = wheel_angle(VEHICLE, VEHICLE.corners["front_left"], 1.0)
    assert VEHICLE.published is not None
    assert inner == pytest.approx(VEHICLE.published.max_wheel_angle, rel=0.1)
    outer = wheel_angle(VEHICLE, VEHICLE.corners["front_right"], 1.0)
    assert 0.0 < outer < inner
    assert max_wheel_angle(VEHICLE) == pytest.approx(0.5 * (inner + outer))


def test_unassembled_lock_names_corner_and_range() -> None:
    with pytest.raises(AssemblyError, match=r"front_left: .* 80 deg; admissible is up to 60\.4") as caught:
        max_wheel_angle(HmmwvParameters.load(overrides=["steering.max_angle=80 deg"]))
    limit = float(str(caught.value).split()[-2])
    # The bound it names is the bound: below it is accepted, above it refused.
    assert math.isfinite(
        max_wheel_angle(HmmwvParameters.load(overrides=[f"steering.max_angle={limit - 0.01} deg"]))
    )
    with pytest.raises(AssemblyError):
        max_wheel_angle(HmmwvParameters.load(overrides=[f"steering.max_angle={limit + 0.01} deg"]))


def test_every_driver_parameter_comes_from_the_data() -> None:
    given = {
        "understeer": 0.003, "preview_time": 0.7, "min_preview": 4.0, "feedforward_time": 0.3,
        "aim_gain": 0.9, "yaw_damping": 0.2, "throttle_gain": 0.4, "brake_gain": 0.25,
        "hold_throttle": 0.06, "brake_margin": 0.8,
    }  # fmt: skip
    data = HmmwvParameters.load(overrides=[f"driver.{key}={value}" for key, value in given.items()])
    lock = max_wheel_angle(data)
    found = driver_parameters(data)
    expected = Driver(
        DriverData(**given), data.wheelbase, lock, given["understeer"], given["yaw_damping"],
        response=found.response,
    )  # fmt: skip
    assert found == expected


def test_brake_parameters_come_from_the_data() -> None:
    data = HmmwvParameters.load(overrides=["rear.brake.max_torque=3 kN*m", "brake.damping=150 N*m*s/rad"])
    front, rear = (data.corners[name].brake for name in ("front_left", "rear_left"))
    assert (front.max_torque, rear.max_torque) == (4000.0, 3000.0)
    assert (rear.stiffness, rear.damping) == (40000.0, 150.0)


# --- Starting and running -----------------------------------------------------------------------------------


def test_tie_rods_that_steer_wrong_way_are_refused() -> None:
    ahead = HmmwvParameters.load(overrides=["front.K=(0.5, 0.9, 0.4) m"])
    with pytest.raises(DataError, match=r"front_left: full steering to the left .* joint K behind"):
        max_wheel_angle(ahead)


def test_settled_vehicle_stands_still_and_carries_weight() -> None:
    case = hmmwv.prepare("straight-acceleration", speed=10.0)
    model = case.model
    rates = dict(
        zip(
            (e.name for e in model.layout.v),
            model.dynamics(case.y0, model.u0)[0][len(model.layout.q) :],
            strict=False,
        )
    )
    for name in ("chassis.vz", "chassis.wx", "chassis.wy", *(f"{c}.lower_arm_rate" for c in CORNERS)):
        # Trim leaves at most 1e-9 of the starting rates (some 500); the throttle is closed at t = 0.
        assert abs(rates[name]) < 1e-6, name


def test_friction_of_road_is_from_data_by_default() -> None:
    slippery = HmmwvParameters.load(overrides=["road.friction=0.3"])
    assert hmmwv.make_manoeuvre("braking", parameters=slippery).road.friction(0.0, 0.0) == 0.3
    assert hmmwv.make_manoeuvre("braking", {"friction": 0.5}, slippery).road.friction(0.0, 0.0) == 0.5


def test_run_returns_labelled_results() -> None:
    reached: list[float] = []
    results = hmmwv.run("step-steer", speed="36 km/h", duration=0.1, method="RK45", progress=reached.append)
    assert results["vx"].values[0] == 10.0
    assert results["tyre_Fz"].dims == ("time", "corner")
    assert results.attrs["steps"] == len(reached) - 1
    assert reached[-1] == pytest.approx(0.1)


def test_turning_left_loads_the_right_wheels() -> None:
    results = hmmwv.run("step-steer", options={"steer": 0.1, "start": 0.0}, duration=1.5, method="RK45")
    end = results.isel(time=-1)
    assert float(end["y"]) > 0.1
    assert float(end["ay"]) > 0.5
    assert float(end["roll"]) > 0.0
    loads = {name: float(end["tyre_Fz"].sel(corner=name)) for name in CORNERS}
    assert loads["front_right"] > loads["front_left"] + 500.0
    assert loads["rear_right"] > loads["rear_left"] + 500.0


STEERED = {
    *(
        "ramp-steer",
        "constant-steer",
        "sine-sweep",
        "pulse-steer",
        "random-steer",
        "sine-with-dwell",
        "j-turn",
        "fishhook",
    ),
    *("power-off", "brake-in-turn"),
    "reverse",
}
"""Begin like step-steer and sine-steer; tests/models/handling drives them. The HMMWV has no reverse gear."""


@pytest.mark.parametrize("name", [name for name in MANOEUVRES if name not in STEERED])
def test_every_manoeuvre_runs(name: str) -> None:
    case = hmmwv.prepare(name, duration=0.3)
    results = case.simulate(method="RK45")
    assert float(results["time"][-1]) == 0.3
    assert float(results["closure_error"].max()) <= 1e-12
    # Settled at the start: the body neither heaves, rolls nor pitches; at rest it may move along its tyres.
    start = results.isel(time=slice(0, 2))
    if float(start["steering"][0]) != 0.0:
        return
    assert float(abs(start["chassis_z"].diff("time")).max()) < 1e-5
    assert float(abs(start["roll"].diff("time")).max()) < 1e-5


def test_unknown_names_are_refused() -> None:
    with pytest.raises(DataError, match="did you mean 'braking'"):
        hmmwv.run("breaking")
    with pytest.raises(DataError, match="did you mean 'friction'"):
        hmmwv.double_lane_change(12.0, fricton=0.5)
    with pytest.raises(AttributeError, match="hmmwv"):
        _ = hmmwv.nothing
