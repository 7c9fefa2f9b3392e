"""The HMMWV's data: published values, mirror images, split of the upright, checks and messages.

Numbers without a remark are Project Chrono's public HMMWV data (chrono_models/vehicle/hmmwv).
"""

import math
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from ce_dynamics.errors import DataError, PhysicalityWarning
from ce_dynamics.models.data.quantities import triangle_excess
from ce_dynamics.models.powertrain.envelope import EnvelopeData
from ce_dynamics.models.tyres.tmeasy_curves import TMeasyParameters
from ce_dynamics.models.vehicles.bodies import BodyParameters
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.description import HmmwvParameters, corner_bodies
from ce_dynamics.models.vehicles.hmmwv import CORNERS, DATA_FILE

ORIGIN = 1.688965
STEERING = 2 * 1.605 + 3.681  # both arms and the link
VEHICLE = HmmwvParameters.load()
RIDE = HmmwvParameters.load(variant="ride")


def message(*overrides: str) -> str:
    with pytest.raises(DataError) as caught:
        HmmwvParameters.load(overrides=overrides)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def is_diagonal(b: BodyParameters, *moments: float) -> bool:
    return np.array_equal(b.inertia, np.diag(moments))


# --- published values ---------------------------------------------------------------------------------------


def test_chassis() -> None:
    assert VEHICLE.chassis.mass == 2086.52
    np.testing.assert_array_equal(VEHICLE.chassis.com, [0.056, 0, 0.213])
    assert is_diagonal(VEHICLE.chassis, 1078.52, 2955.66, 3570.20)
    np.testing.assert_array_equal(VEHICLE.gravity, [0, 0, -9.81])
    assert VEHICLE.ride_height == 0.4759


@pytest.mark.parametrize(
    ("name", "points"),
    [
        (
            "front_left",
            {
                "D": (-0.036, 0.787, -0.118), "F": (-0.053, 0.716, 0.215), "K": (-0.176, 0.821, -0.016),
                "L": (-0.250, 0.448, 0.054), "W": (-0.040, 0.910, -0.026),
                "lower_arm.front_pivot": (0.223, 0.307, 0), "lower_arm.rear_pivot": (-0.223, 0.307, 0),
                "upper_arm.front_pivot": (-0.048, 0.446, 0.245),
                "upper_arm.rear_pivot": (-0.268, 0.478, 0.196),
                "lower_arm.com": (0, 0.547, -0.059), "upper_arm.com": (-0.106, 0.589, 0.218),
                "upright.com": (-0.040, 0.751, -0.026), "wheel.com": (-0.040, 0.910, -0.026),
                "spring.chassis": (0.104, 0.510, 0.197), "spring.arm": (0.097, 0.543, -0.047),
                "damper.chassis": (0.104, 0.498, 0.323), "damper.arm": (0.097, 0.543, -0.047),
            },
        ),
        (
            "rear_left",
            {
                "D": (0.036, 0.787, -0.118), "F": (0.036, 0.716, 0.216), "K": (0.170, 0.821, -0.009),
                "L": (0.223, 0.416, 0.059), "W": (0.036, 0.910, -0.026),
                "lower_arm.front_pivot": (0.223, 0.307, 0), "lower_arm.rear_pivot": (-0.223, 0.307, 0),
                "upper_arm.front_pivot": (0.349, 0.462, 0.228), "upper_arm.rear_pivot": (0.077, 0.462, 0.224),
                "lower_arm.com": (0, 0.547, -0.059), "upper_arm.com": (0.124, 0.589, 0.221),
                "upright.com": (0.036, 0.751, -0.026), "wheel.com": (0.036, 0.910, -0.026),
                "spring.chassis": (-0.104, 0.502, 0.256), "spring.arm": (-0.097, 0.543, -0.047),
                "damper.chassis": (-0.104, 0.498, 0.323), "damper.arm": (-0.097, 0.544, -0.038),
            },
        ),
    ],
)  # fmt: skip
def test_hardpoints_on_both_sides(name: str, points: dict[str, tuple[float, float, float]]) -> None:
    x0 = ORIGIN if name == "front_left" else -ORIGIN
    for key, (x, y, z) in points.items():
        for corner, side in ((name, 1), (name.replace("left", "right"), -1)):
            value = place_of(VEHICLE.corners[corner], key)
            np.testing.assert_array_equal(value, [x0 + x, side * y, z], err_msg=f"{corner}.{key}")


def place_of(corner: Corner, key: str) -> object:
    """A point of a corner as built, or the end of a spring, or the centre of mass of a body."""
    if key in corner.points:
        return corner.points[key]
    part, end = key.split(".")
    if part == "wheel":
        return corner.wheel.com
    return (
        corner.axle.side(corner.name).bodies[part].com if end == "com" else getattr(corner.springs[part], end)
    )


@pytest.mark.parametrize(
    ("name", "spring", "damping"),
    [
        ("front_left", (0.339, 167062, 3.60854e7, 0.15, 0.30), 19015.5692),
        ("rear_right", (0.382, 369149, 7.97361e7, 0.15, 0.35), 36725.2201),
    ],
)
def test_springs_and_dampers(name: str, spring: tuple[float, ...], damping: float) -> None:
    s = VEHICLE.corners[name].spring
    assert (s.free_length, s.linear, s.cubic, s.min_length, s.max_length) == spring
    assert VEHICLE.corners[name].damper.coefficient == damping
    assert s.min_length < s.design_length < s.max_length
    # The published curve at the end of its range (rear: 711719 N, front: 322096 N at 0.2 m).
    published = 322095.536 if name.startswith("front") else 711719.272
    assert s.linear * 0.2 + s.cubic * 0.2**3 == pytest.approx(published, rel=1e-5)


def test_masses_and_inertias() -> None:
    for name in CORNERS:
        c = VEHICLE.corners[name]
        assert (c.parts["lower_arm"].mass, c.parts["upper_arm"].mass, whole_upright(c).mass) == (
            23.965,
            5.813,
            19.450,
        )
        assert is_diagonal(c.parts["lower_arm"], 0.4, 0.4, 0.8938)
        assert is_diagonal(c.parts["upper_arm"], 0.03, 0.03, 0.06276)
        assert is_diagonal(whole_upright(c), 0.1656, 0.1934, 0.04367)


def test_wheel_assembly_sums_to_the_published_total() -> None:
    wheel = VEHICLE.corners["rear_right"].wheel
    assert wheel.mass == pytest.approx(71.105, rel=1e-15)
    np.testing.assert_allclose(np.diag(wheel.inertia), [4.34457, 7.38782, 4.34457], rtol=1e-15)
    assert (wheel.axle_inertia, wheel.tyre_mass) == (0.4, 37.6)
    np.testing.assert_array_equal(wheel.axis, [0, 1, 0])
    assert VEHICLE.corners["front_left"].brake.max_torque == 4000.0


def test_wheelbase() -> None:
    assert VEHICLE.published is not None
    assert VEHICLE.axle_spacing == pytest.approx(VEHICLE.published.wheelbase, abs=1e-3)
    assert VEHICLE.wheelbase == pytest.approx(3.302, abs=1e-3)  # 130 in, the vehicle's data sheet


def test_tyre() -> None:
    tyre = VEHICLE.tyre
    assert isinstance(tyre, TMeasyParameters)
    payload = 17125.65
    assert tyre.pn == pytest.approx(payload / 2, rel=1e-12)
    assert tyre.pn_max == pytest.approx(3.5 * tyre.pn, rel=1e-12)
    assert tyre.cz == pytest.approx(payload / (0.16 * 0.26035), abs=0.5)
    assert tyre.dz == pytest.approx(2 * 0.5 * math.sqrt(tyre.cz * 37.6), abs=1e-3)
    assert (tyre.unloaded_radius, tyre.mu0) == (0.4699, 0.89965)
    # The generic truck tyre's slopes at the two loads are 17.7764 pn and 14.5301 · 2 pn.
    np.testing.assert_allclose(tyre.dfx0, [17.7764 * 8562.825, 14.5301 * 17125.65], rtol=1e-14)
    np.testing.assert_allclose(tyre.fys, [0.68276 * 8562.825, 0.65319 * 17125.65], rtol=1e-14)
    np.testing.assert_array_equal(tyre.sxm, [0.10811, 0.12389])
    np.testing.assert_array_equal(tyre.nL0, [0.178, 0.19])
    # Degressive: force grows with load, friction falls.
    for force in (tyre.fxm, tyre.fxs, tyre.fym, tyre.fys):
        assert force[0] < force[1] < 2 * force[0]


def test_steering_geometry() -> None:
    steering = VEHICLE.steering
    # The published quaternion of the frame.
    w, y = 0.98699637, 0.16074256
    np.testing.assert_allclose(steering.axis, [2 * w * y, 0, 1 - 2 * y * y], atol=2e-8)
    np.testing.assert_allclose(steering.R @ steering.R.T, np.eye(3), atol=1e-15)
    np.testing.assert_array_equal(steering.origin, [1.24498, 0, 0.101322])
    for chassis, link, y0 in ((steering.T, steering.U, 0.249), (steering.W, steering.V, -0.325)):
        np.testing.assert_allclose(steering.R.T @ (link - chassis), [0.129, 0, 0], atol=1e-15)
        assert chassis[1] == y0
    assert steering.data.max_angle == pytest.approx(math.pi / 6, rel=1e-15)
    assert (steering.link.mass, steering.pitman_arm.mass) == (3.681, 1.605)
    # Chrono's steering data have the tie-rod ends at (0.195, ±0.448, 0.035) in this frame, its suspension
    # data (used here, as Chrono uses them) 18 mm lower; a frame tilted the wrong way would be off by 0.1 m.
    np.testing.assert_allclose(
        steering.R.T @ (VEHICLE.corners["front_left"].points["L"] - steering.origin),
        [0.195, 0.448, 0.035],
        atol=0.02,
    )


def test_rotated_steering_inertia_keeps_its_principal_moments() -> None:
    np.testing.assert_allclose(
        np.linalg.eigvalsh(VEHICLE.steering.link.inertia), [0.00233, 0.252, 0.254], rtol=1e-12
    )


def test_powertrain() -> None:
    p = VEHICLE.powertrain
    assert isinstance(p, EnvelopeData)
    rated = 3600 * math.pi / 30
    curve = p.engine.full_throttle
    # At the flywheel 112 kW at 3600 rpm and 339 N m; 20 % are lost behind it; torques are rounded to 1 N m.
    assert np.interp(rated, curve.speed, curve.torque) * rated == pytest.approx(0.8 * 112e3, abs=rated)
    assert max(curve.torque) == pytest.approx(0.8 * 339.0, abs=1.0)
    assert p.engine.max_speed == pytest.approx(rated)
    assert [1.0 / gear for gear in p.transmission.gears] == pytest.approx([2.48, 1.48, 1.0], abs=2e-3)
    assert p.axle_ratio == pytest.approx(0.95 / (2.73 * 1.92), abs=5e-4)


# --- the seven bodies ---------------------------------------------------------------------------------------


def moments_about_origin(b: BodyParameters) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, first and second moments ∫ r rᵀ dm about the vehicle's origin: additive for any bodies."""
    second = 0.5 * np.trace(b.inertia) * np.eye(3) - b.inertia
    return b.mass, b.mass * b.com, second + b.mass * np.outer(b.com, b.com)


@pytest.mark.parametrize("name", CORNERS)
def test_upright_link_and_spindle_sum_to_published_upright(name: str) -> None:
    c = VEHICLE.corners[name]
    parts = [moments_about_origin(b) for b in (c.parts["upright_link"], c.parts["spindle"])]
    whole = moments_about_origin(whole_upright(c))
    for k in range(3):
        # 19 kg at 1.8 m: second moments near 60 kg m², so rounding is some 1e-14.
        np.testing.assert_allclose(np.add(parts[0][k], parts[1][k]), whole[k], atol=1e-13)
    assert c.parts["upright_link"].mass > 0
    assert np.linalg.eigvalsh(c.parts["spindle"].inertia)[0] > 0
    assert triangle_excess(c.parts["spindle"].inertia) == 0.0


@pytest.mark.parametrize("name", CORNERS)
def test_rods_against_numerical_integration(name: str) -> None:
    c = VEHICLE.corners[name]
    data = getattr(VEHICLE.data, name)
    J, B = np.array(c.damper.chassis), np.array(c.damper.arm)
    u = (J - B) / np.linalg.norm(J - B)
    for b, start, end, radius in (
        (c.parts["tie_rod"], c.points["K"], c.points["L"], data.tie_rod.radius),
        (c.parts["upright_link"], c.points["D"], c.points["F"], data.upright_link.radius),
        (c.parts["shock_lower"], B, B + data.shock_lower.length * u, data.shock_lower.radius),
        (c.parts["shock_upper"], J, J - data.shock_upper.length * u, data.shock_upper.radius),
    ):
        np.testing.assert_allclose(b.com, 0.5 * (start + end), atol=1e-15)
        np.testing.assert_allclose(
            b.inertia, cylinder_inertia(b.mass, start, end, radius), rtol=1e-6, atol=1e-9
        )


def cylinder_inertia(mass: float, start: np.ndarray, end: np.ndarray, radius: float) -> np.ndarray:
    """∫ (r² 1 − r rᵀ) dm over a solid cylinder by midpoint sums: exact in angle, error 1/(2 n²) in radius."""
    length = np.linalg.norm(end - start)
    u = (end - start) / length
    e = np.cross(u, [1.0, 0.3, 0.2])
    e /= np.linalg.norm(e)
    f = np.cross(u, e)
    n = 1000
    s = (np.arange(n) + 0.5) / n
    angles = 2 * np.pi * np.arange(8) / 8
    along = np.mean((length * (s - 0.5)) ** 2) * np.outer(u, u)
    rho2 = np.sum((radius * s) ** 2 * s) / np.sum(s)
    across = rho2 * np.mean([np.outer(d, d) for d in (np.cos(a) * e + np.sin(a) * f for a in angles)], axis=0)
    second = mass * (along + across)
    return np.asarray(np.trace(second) * np.eye(3) - second)


def test_every_body_has_mass_and_vehicle_mass_sums() -> None:
    for c in VEHICLE.corners.values():
        assert all(b.mass > 0 for b in corner_bodies(c))
        assert len(corner_bodies(c)) == 8
    # chassis, four of (arms, upright, wheel), and the estimates: tie rod 6 kg, shock 10 kg.
    assert VEHICLE.mass == pytest.approx(
        2086.52 + 4 * (23.965 + 5.813 + 19.450 + 71.105 + 16.0) + STEERING, rel=1e-14
    )


def whole_upright(c: Corner) -> BodyParameters:
    return c.axle.side(c.name).bodies["upright"]


def upper_axis(c: Corner) -> np.ndarray:
    return np.subtract(c.points["upper_arm.front_pivot"], c.points["upper_arm.rear_pivot"])


def test_right_corners_are_exact_mirror_images() -> None:
    S = np.diag([1.0, -1.0, 1.0])
    for axle in ("front", "rear"):
        left, right = VEHICLE.corners[f"{axle}_left"], VEHICLE.corners[f"{axle}_right"]
        assert (left.side, right.side) == (1, -1)
        for one, other in zip(corner_bodies(left), corner_bodies(right), strict=True):
            assert one.mass == other.mass
            np.testing.assert_array_equal(S @ one.com, other.com)
            np.testing.assert_array_equal(S @ one.inertia @ S, other.inertia)
        # Arm angles are counted about +x on both sides: the axes lean the other way but point ahead.
        assert upper_axis(left)[0] == upper_axis(right)[0] > 0
        np.testing.assert_array_equal(right.wheel.axis, [0, 1, 0])


def test_only_front_corners_are_steered() -> None:
    assert [c.name for c in VEHICLE.corners.values() if c.steered] == ["front_left", "front_right"]


# --- the ride variant ---------------------------------------------------------------------------------------


def test_ride_variant_is_the_validation_model() -> None:
    for c in RIDE.corners.values():
        assert (
            c.parts["tie_rod"].mass,
            c.parts["shock_lower"].mass,
            c.parts["shock_upper"].mass,
            c.parts["upright_link"].mass,
        ) == (0, 0, 0, 0)
        assert is_diagonal(c.parts["spindle"], 0.1656, 0.1934, 0.04367)
        assert (c.parts["spindle"].mass, c.wheel.axle_inertia) == (19.450, 0.0)
        assert (c.spring.stop_stiffness, c.spring.stop_progression) == (0.0, 0.0)
        assert c.ground_spring is not None
        g = c.ground_spring
        assert (g.stiffness, g.damping, g.height) == (250000.0, 2500.0, 0.4699)
    assert RIDE.mass == pytest.approx(2086.52 + 4 * (23.965 + 5.813 + 19.450 + 71.105) + STEERING, rel=1e-14)
    assert VEHICLE.corners["front_left"].ground_spring is None
    np.testing.assert_array_equal(
        RIDE.corners["rear_left"].parts["spindle"].com, [-ORIGIN + 0.036, 0.751, -0.026]
    )


def test_overrides_beat_the_variant() -> None:
    ride = HmmwvParameters.load(variant="ride", overrides=["front.tie_rod.mass=2 kg"])
    assert [c.parts["tie_rod"].mass for c in ride.corners.values()] == [2, 2, 0, 0]


def test_unknown_variant() -> None:
    with pytest.raises(DataError, match="unknown variant 'rid'; give one of ride"):
        HmmwvParameters.load(variant="rid")


# --- the file -----------------------------------------------------------------------------------------------


def test_every_shipped_number_has_a_source() -> None:
    for vehicle in (VEHICLE, RIDE):
        for parameter in vehicle.flat():
            assert parameter.source in vehicle.sources, parameter.key
    assert {p.key: p.source for p in VEHICLE.flat()}["steering.actuator.natural_frequency"] == "estimate"


def test_listing_round_trips_bit_for_bit() -> None:
    changed = ["front_left.D.y=0.79", "rear.spring.linear=300 kN/m", "front_right.tyre.mu0=0.5"]
    vehicle = HmmwvParameters.load(overrides=changed)
    listed = vehicle.flat()
    again = HmmwvParameters.load(overrides=[f"{p.key}={p.text}" for p in listed])
    assert again.data == vehicle.data != VEHICLE.data
    keys = [p.key for p in listed]
    assert {"front_left.D", "front_right.D", "rear.D", "tyre.radius", "rear.tyre.mu0"} <= set(keys)
    assert len(keys) == len(set(keys))


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    shutil.copy(DATA_FILE, own)
    assert HmmwvParameters.load(own).data == VEHICLE.data
    own.write_text(DATA_FILE.read_text(encoding="utf-8").replace("mass: 2086.52 kg", "mass: 2086.52 N"))
    line = next(i for i, text in enumerate(own.read_text().splitlines(), 1) if "2086.52 N" in text)
    with pytest.raises(DataError, match=rf"own.yaml:{line}: chassis.mass: '2086.52 N' has the wrong unit"):
        HmmwvParameters.load(own)
    overlay = tmp_path / "heavy.yaml"
    overlay.write_text("chassis:\n  mass: 3 t\nrear_right:\n  tyre:\n    mu0: 30 %\n")
    heavy = HmmwvParameters.load(variant=overlay)
    assert heavy.chassis.mass == 3000.0
    assert [c.tyre.mu0 for c in heavy.corners.values()] == [0.89965, 0.89965, 0.89965, pytest.approx(0.3)]
    with pytest.raises(DataError, match="different tyres"):
        _ = heavy.tyre


def test_importing_is_cheap() -> None:
    code = (
        "import sys, ce_dynamics.models.vehicles.description as s; s.HmmwvParameters.load();"
        "print([m for m in ('casadi', 'sympy', 'scipy', 'llvmlite', 'xarray') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- overrides ----------------------------------------------------------------------------------------------


def test_axle_override_reaches_both_sides_corner_override_one() -> None:
    vehicle = HmmwvParameters.load(
        overrides=["front_left.spring.linear=120 kN/m", "front.spring.linear=1.1e5", "chassis.mass=2200"]
    )
    linear = [vehicle.corners[name].spring.linear for name in CORNERS]
    assert linear == [120000.0, 110000.0, 369149.0, 369149.0]
    assert vehicle.chassis.mass == 2200.0


def test_corner_values_are_given_as_for_left_side() -> None:
    vehicle = HmmwvParameters.load(overrides=["front_right.D.y=790 mm", "rear.D=[0.03, 0.78, -0.12] m"])
    y = {name: c.points["D"][1] for name, c in vehicle.corners.items()}
    assert y == {"front_left": 0.787, "front_right": -0.79, "rear_left": 0.78, "rear_right": -0.78}


def test_a_moved_ball_joint_moves_link_and_spindle() -> None:
    moved = HmmwvParameters.load(overrides=["front_left.F.z=0.235"]).corners["front_left"]
    before = VEHICLE.corners["front_left"]
    assert moved.parts["upright_link"].com[2] - before.parts["upright_link"].com[2] == pytest.approx(
        0.01, rel=1e-12
    )
    # The whole keeps its centre, so the spindle's goes down by the ratio of the masses.
    assert before.parts["spindle"].com[2] - moved.parts["spindle"].com[2] == pytest.approx(
        0.01 * 2 / 17.45, rel=1e-12
    )


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("front.sping.linear=1", "unknown parameter 'front.sping.linear'; nearest: front.spring.linear"),
        ("front_left.spring.liner=1", "nearest: front_left.spring.linear"),
        ("chasis.mass=1", "nearest: chassis.mass"),
        ("front.D=(1, 2) m", "has 2 numbers, 3 are needed"),
        ("spring.linear=1 N", "N cannot be converted to N/m; expected N/m, for example 167062 N/m"),
        ("spring.linear=-1", "must be at least 0 N/m"),
        ("front.spring.free_length=0 m", "must be above 0 m"),
        ("chassis.mass=0", "chassis.mass: '0' must be above 0 kg"),
        ("rear.spring.max_length=0.1", "rear.spring: min_length 0.15 m must be less than max_length 0.1 m"),
        ("steering.max_angle=30", "must be below 1.5708 rad"),  # bare numbers are SI: radians
        ("steering.actuator.natural_frequency=60 rad/s", "cannot be converted to Hz"),
        ("tyre.sxm.1=0.9", "sxm must be less than sxs"),
        ("powertrain.transmission.gears.1=0.1", "gears must increase"),
        ("powertrain.engine.full_throttle.speed=(0, 100) rpm", "speed has 2 numbers and torque 10"),
        ("powertrain.engine.closed_throttle.speed.0=900 rpm", "speed must increase"),
        ("front.upright_link.mass=20 kg", "leaves nothing of upright.mass 19.45 kg"),
        ("front.upright_link.mass=15 kg", "more inertia than the whole upright"),
        ("front_right.lower_arm.front_pivot=(-0.223, 0.307, 0) m", "pivot and lower_arm.rear_pivot coincide"),
        ("front.F=(-0.036, 0.787, -0.118) m", "D and F coincide"),
        ("rear.L=(0.170, 0.821, -0.009) m", "K and L coincide"),
        ("rear.D=(0.5, 0.307, 0) m", "rear_left.D: (0.5, 0.307, 0) m lies on the line through lower_arm."),
        ("rear.K=(0.036, 0.7515, 0.049) m", "lies on the line through D and F"),
        ("front.lower_arm.front_pivot.x=-0.3", "must lie ahead of"),
        ("front_right.W.y=-0.91", "always given as for the left side"),
        ("front.shock_lower.length=0.5", "longer than the whole shock"),
        ("front.shock_lower.length=0.1", "do not overlap"),
        ("steering.V=(0, -0.325, 0.1) m", "steering: W and V lie on one axis"),
        ("rear.origin.x=3", "must lie ahead of rear_left.W"),
        ("wheel.hub.mass=-1", "wheel.hub.mass: '-1' must be at least 0 kg"),
        ("ground_spring.stiffness=1", "missing ground_spring.damping, ground_spring.height"),
    ],
)  # fmt: skip
def test_bad_values_are_refused_in_one_line(override: str, words: str) -> None:
    assert words in message(override)


def test_a_wheel_without_any_mass_is_refused() -> None:
    assert "must be above 0 kg" in message(
        "wheel.hub.mass=0", "wheel.rim.mass=0", "rear_left.wheel.tyre.mass=0"
    )


# --- physicality --------------------------------------------------------------------------------------------


def test_shipped_data_do_not_warn_but_users_do() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HmmwvParameters.load()
        HmmwvParameters.load(variant="ride")
    with pytest.warns(PhysicalityWarning, match=r"^front.lower_arm.inertia: .* by 0.0938 kg") as caught:
        HmmwvParameters.load(overrides=["front.lower_arm.inertia=diag(0.4, 0.4, 0.8938) kg*m^2"])
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_link_too_heavy_for_upright_warns_of_spindle() -> None:
    with pytest.warns(PhysicalityWarning, match=r"front_left.spindle"):
        spindle = (
            HmmwvParameters.load(overrides=["front_left.upright_link.mass=8 kg"])
            .corners["front_left"]
            .parts["spindle"]
        )
    assert triangle_excess(spindle.inertia) > 0


def test_corner_parameters_are_frozen() -> None:
    c: Corner = VEHICLE.corners["front_left"]
    with pytest.raises(AttributeError):
        c.name = "x"  # type: ignore[misc]
