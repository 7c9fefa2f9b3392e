"""All figures against constraint solves in SciPy on the same hardpoints.

Poses are solved to 1e-14 m on both sides; angles and offsets are their differences over lengths of 0.1 m to
1 m, and figures of the instantaneous motion divide by what may be 0.01 rad/m: 1e-9 leaves four digits.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from ce_dynamics.errors import AssemblyError
from ce_dynamics.models import kc
from ce_dynamics.models.kc.wheel_geometry import STRAIGHT
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.models.kc.rods import Floats, Pose, RodCarrier, Wheel, about_kingpin, figures, heading_rate

TRAVELS = np.array([(-0.06, -0.06), (-0.03, 0.05), (0.0, 0.0), (0.04, -0.02), (0.07, 0.07)])
LOCKS = np.array([0.3, 0.0, -0.6, 0.8, 0.0])


def carriers(data: VehicleParameters, axle: str) -> list[RodCarrier]:
    made = []
    for corner in (data.corners[f"{axle}_left"], data.corners[f"{axle}_right"]):
        p = corner.points
        on_carrier = np.array([p["D"], p["D"], p["F"], p["F"], p["K"]])
        anchors = np.array(
            [
                p["lower_arm.rear_pivot"],
                p["lower_arm.front_pivot"],
                p["upper_arm.rear_pivot"],
                p["upper_arm.front_pivot"],
                p["L"],
            ]
        )
        wheel = Wheel(corner.W, np.array([0.0, 1.0, 0.0]), corner.side)
        made.append(RodCarrier(on_carrier, anchors, [wheel]))
    return made


@pytest.fixture(scope="module", params=[("sedan", "front"), ("sedan", "rear"), ("hmmwv", "front")])
def tried(request: pytest.FixtureRequest) -> tuple[VehicleParameters, kc.KCRig, str, bool]:
    vehicle, axle = request.param
    data = VehicleParameters.load(vehicle)
    rig = kc.rig_of(data, axle)
    return data, rig, axle, axle == "front"


def posed(tried: Any, k: int) -> list[tuple[RodCarrier, Pose]]:
    data, _, axle, steered = tried
    found = []
    for side, carrier in enumerate(carriers(data, axle)):
        moved = carrier
        if steered:
            moved = carrier.steered(data.steering.move_point(carrier.anchors[4], LOCKS[k]))
        found.append((moved, moved.solved(TRAVELS[k, side])))
    return found


@pytest.fixture(scope="module")
def read(tried: Any) -> dict[str, Floats]:
    _, rig, _, steered = tried
    found: dict[str, Floats] = rig.read(rig.solve_poses(TRAVELS, LOCKS if steered else 0.0))
    return found


@pytest.mark.parametrize("k", range(len(TRAVELS)))
def test_every_figure_of_a_wheel(tried: Any, read: dict[str, Floats], k: int) -> None:
    data, rig, axle, _ = tried
    for side, (carrier, pose) in enumerate(posed(tried, k)):
        radius = rig.axle.wheels[side].loaded_radius
        corner = data.corners[f"{axle}_{('left', 'right')[side]}"]
        expected = figures(carrier, pose, radius)
        D, F = (carrier.at(pose, point) for point in (corner.points["D"], corner.points["F"]))
        expected |= about_kingpin(carrier, pose, radius, D, F)
        for name, value in expected.items():
            size = max(1.0, abs(value)) ** 2  # an instant centre far away: 1/ω
            assert read[name][k, side] == pytest.approx(value, abs=1e-9 * size), name


@pytest.mark.parametrize("k", range(len(TRAVELS)))
def test_figures_of_the_axle(tried: Any, read: dict[str, Floats], k: int) -> None:
    _, rig, axle, steered = tried
    contacts, centres, velocities, rolled = [], [], [], []
    for side, (carrier, pose) in enumerate(posed(tried, k)):
        wheel = figures(carrier, pose, rig.axle.wheels[side].loaded_radius)
        P = np.array([wheel[f"contact_{x}"] for x in "xyz"])
        w, v = carrier.twist(pose, [1.0])
        contacts.append(P)
        centres.append(v)
        velocities.append(v + np.cross(w, P - pose.W))
        e = pose.R @ carrier.wheels[0].e
        de = np.cross(w, e)
        rolled.append(heading_rate(e, de))
    (P, Q), (v, w) = contacts, velocities
    assert read["track"][k] == pytest.approx(P[1] - Q[1], abs=1e-11)
    # the roll centre lies on both lines at right angles to the velocities: two linear equations
    y, z = np.linalg.solve([v[1:], w[1:]], [v[1:] @ P[1:], w[1:] @ Q[1:]])
    assert read["roll_centre_lateral"][k] == pytest.approx(y, abs=1e-8)
    assert read["roll_centre_height"][k] == pytest.approx(z - 0.5 * (P[2] + Q[2]), abs=1e-9)
    track = P[1] - Q[1]
    for side, sign in enumerate((1, -1)):
        assert read["ride_steer"][k, side] == pytest.approx(-sign * rolled[side], abs=1e-10)
        assert read["roll_steer"][k, side] == pytest.approx(-sign * 0.5 * track * rolled[side], abs=1e-10)
    # braking by the angle of the line from contact to instant centre, driving by the path of the wheel centre
    for side in (0, 1):
        x_ic, z_ic = (read[f"side_instant_centre_{x}"][k, side] for x in "xz")
        r = contacts[side]
        tangent = (z_ic - r[2]) / (r[0] - x_ic)
        at_centre = centres[side][0] / centres[side][2]
        given = rig.axle
        whole = 100.0 * given.wheelbase / given.centre_of_mass[1]
        if axle == "front":
            dive, lift = read["anti_dive"][k, side], read["anti_lift"][k, side]
            assert dive == pytest.approx(whole * given.brake_share * tangent, rel=1e-8, abs=1e-7)
            assert lift == pytest.approx(whole * given.drive_share * at_centre, rel=1e-8, abs=1e-7)
        else:
            lift, squat = read["anti_lift"][k, side], read["anti_squat"][k, side]
            assert lift == pytest.approx(-whole * given.brake_share * tangent, rel=1e-8, abs=1e-7)
            assert squat == pytest.approx(-whole * given.drive_share * at_centre, rel=1e-8, abs=1e-7)
    assert 0.2 < rig.axle.brake_share < 0.9
    if steered:
        left, right = (read["steer_angle"][k, side] for side in (0, 1))
        if left * right > STRAIGHT:
            inner, outer = (left, right) if left > 0.0 else (-right, -left)
            R = 0.5 * track + rig.axle.wheelbase / np.tan(inner)
            ideal = np.arctan(rig.axle.wheelbase / (R + 0.5 * track))
            assert read["ackermann_error"][k] == pytest.approx(outer - ideal, abs=1e-10)
            assert read["ackermann_percentage"][k] == pytest.approx(
                100 * (inner - outer) / (inner - ideal), rel=1e-7
            )
            diameter = 2.0 * np.hypot(R + 0.5 * track, rig.axle.wheelbase)
            assert read["turning_diameter"][k] == pytest.approx(diameter, rel=1e-10)


def test_steering_ratio_from_the_tie_rod(tried: Any, read: dict[str, Floats]) -> None:
    """With the wheel's height held, the moved anchor of the last rod turns the carrier."""
    data, rig, _, steered = tried
    if not steered:
        assert "steering_ratio" not in read
        return
    h = 1e-5
    for k in range(len(TRAVELS)):
        for side, (carrier, pose) in enumerate(posed(tried, k)):
            L = carrier.anchors[4]
            moved = [data.steering.move_point(L, LOCKS[k] + d) for d in (-2 * h, -h, h, 2 * h)]
            dL = (moved[0] - 8 * moved[1] + 8 * moved[2] - moved[3]) / (12 * h)  # 1e-11 of rounding
            w, _ = carrier.twist(pose, [0.0], dL)
            e = pose.R @ carrier.wheels[0].e
            de = np.cross(w, e)
            by_lock = heading_rate(e, de)
            ratio = abs(rig.axle.full_lock) / by_lock
            assert read["steering_ratio"][k, side] == pytest.approx(ratio, rel=1e-8)


def test_the_instantaneous_steering_axis_is_the_kingpin(tried: Any) -> None:
    """With the springs at constant length the arms stand still and the carrier turns about D F."""
    _, rig, _, steered = tried
    if not steered:
        return
    bare = replace(
        rig.axle, left=replace(rig.axle.left, kingpin=None), right=replace(rig.axle.right, kingpin=None)
    )
    names = [
        "caster_angle", "kingpin_inclination", "scrub_radius", "caster_trail", "kingpin_offset",
        "caster_offset",
    ]  # fmt: skip
    twin = kc.KCRig(rig.model, bare)
    poses = rig.solve_poses(TRAVELS, LOCKS)
    found, expected = twin.read(twin.solve_poses(TRAVELS, LOCKS), names), rig.read(poses, names)
    for name in names:
        np.testing.assert_allclose(found[name], expected[name], atol=1e-11, rtol=0.0)


def test_the_ends_of_travel(tried: Any) -> None:
    """At the end of the links' reach a wheel's pose turns back; where the lower arm is at its dead centre
    the upper ball joint moves at right angles to the line of both.

    The search ends at 1e-10 of its way of a metre; 1e-16 rad of a lower arm is 1e-8 m of travel there.
    """
    data, rig, axle, _ = tried
    p = data.corners[f"{axle}_left"].points
    carrier = carriers(data, axle)[0]
    u = (p["upper_arm.front_pivot"] - p["upper_arm.rear_pivot"]) / np.linalg.norm(
        p["upper_arm.front_pivot"] - p["upper_arm.rear_pivot"]
    )

    def across_the_upright(z: float) -> float:
        pose = carrier.solved(z, within=1e-12)
        D, F = (carrier.at(pose, point) for point in (p["D"], p["F"]))
        return float((F - D) @ np.cross(u, F - p["upper_arm.rear_pivot"]))

    for end in kc.ends_of_travel(rig, "left"):
        assert end is not None
        z = end.value
        if "come no" in end.obstacle:
            assert carrier.fold_near(carrier.solved(0.99 * z), z) == pytest.approx(z, abs=1e-8)
        else:
            assert end.obstacle.startswith(f"the loop of '{axle}_left.lower_arm' is at its dead centre")
            assert brentq(across_the_upright, z - 2e-6, z + 2e-5, xtol=1e-12) == pytest.approx(z, abs=3e-8)
        with pytest.raises(AssemblyError, match=rf"comes to {str(1e3 * z)[:6]}\d* mm and 0 mm, where"):
            rig.solve_poses([[1.01 * z, 0.0]])
        with pytest.raises(AssemblyError):
            rig.solve_poses([[0.0, 1.01 * z]])
        near = rig.condition(rig.solve_poses([[0.9 * z, 0.0], [0.999 * z, 0.0]]))
        assert 1.0 < near[0] < near[1]
