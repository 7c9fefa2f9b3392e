"""Every suspension of the library on the rig; strut, five links and a beam against SciPy's constraint solves.

Tolerances are those of `test_against_constraints`; loops that are solved numerically close to 1e-13 m.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.drives import SecondOrderActuator
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.system import System
from ce_dynamics.models import kc
from ce_dynamics.models.kc import quantities
from ce_dynamics.models.vehicles.suspensions.builder import add_axle
from tests.models.kc.rods import Floats, Pose, RodCarrier, Wheel, about_kingpin, figures
from tests.models.vehicles.suspensions.rig import BEAM_CASES, CASES, STEERED, beam, corner, corners_of

RADIUS, LOCK = 0.32, 0.06
TRAVELS = np.array([(-0.05, 0.03), (0.0, 0.0), (0.06, 0.06)])
LOCKS = np.array([0.4, 0.0, -0.3])
LEFT = np.array([0.0, 1.0, 0.0])
OF_STIFFNESS = {quantity.name for quantity in quantities.STIFFNESS}


def chassis_with_rack(along: tuple[float, float, float]) -> tuple[System, Body, Body]:
    """A chassis, and a rack that an actuator moves; to the right to steer to the left."""
    system = System(gravity=(0, 0, -9.81), name="axle")
    system.add_input("steering", "1")
    chassis = system.add_body(
        "chassis", mass=900.0, com=(0, 0, 0.4), inertia=(300, 900, 1000), parent=system.ground, hinge=Free()
    )
    hinge = Prismatic(along, at=(1.0, 0.0, 0.1))
    rack = system.add_body(
        "rack", mass=3.0, com=(1, 0, 0.1), inertia=(0.1, 0.1, 0.1), parent=chassis, hinge=hinge
    )
    system.prescribe(rack, SecondOrderActuator("steering", -LOCK, 30.0, unit="m"))
    return system, chassis, rack


def on_rig(system: System, wheels: list[kc.Wheel], steered: bool) -> kc.KCRig:
    left, right = wheels
    axle = kc.Axle("front", left, right, wheelbase=2.6, centre_of_mass=(-0.2, 0.5))
    if steered:
        axle = replace(axle, steered_by="rack", full_lock=-LOCK, steering_unit="m")
    return kc.KCRig(ce.compile(system), axle)


@cache
def corners(template: str) -> tuple[kc.KCRig, list[Any]]:
    steered = template in STEERED
    system, chassis, rack = chassis_with_rack((0.0, 1.0, 0.0))
    made, wheels = [], []
    for side in ("left", "right"):
        one = corner(template, side, steered)
        one.add_wheel(system, one.add(system, chassis, rack if steered else None))
        wheels.append(kc.Wheel(f"front_{side}.wheel", RADIUS, one.kingpin))
        made.append(one)
    return on_rig(system, wheels, steered), made


def beams(template: str, steered: bool) -> tuple[kc.KCRig, Any]:
    system, chassis, rack = chassis_with_rack((1.0, 0.0, 0.0))
    axle = beam(template, steered)
    add_axle(axle, system, chassis, rack if steered else None)
    wheels = []
    for end in corners_of(axle):
        end.add_wheel(system, end.add(system, chassis, None))
        wheels.append(kc.Wheel(f"{end.name}.wheel", RADIUS, end.kingpin))
    return on_rig(system, wheels, steered), axle


def kinematic(rig: kc.KCRig) -> list[str]:
    """Names of figures without stiffness: of loops without closed form those take long to compile."""
    return [quantity.name for quantity in rig.quantities if quantity.name not in OF_STIFFNESS]


def compare(read: dict[str, Floats], k: int, side: int, expected: dict[str, float]) -> None:
    for name, value in expected.items():
        size = max(1.0, abs(value)) ** 2
        assert read[name][k, side] == pytest.approx(value, abs=1e-9 * size), name


def strut(one: Any) -> RodCarrier:
    """The line from S to the top mount slides through the mount."""
    p = one.points
    anchors = np.array([p["lower_arm.front_pivot"], p["lower_arm.rear_pivot"], p["L"]])
    wheel = Wheel(one.W, LEFT, one.side)
    return RodCarrier(np.array([p["D"], p["D"], p["K"]]), anchors, [wheel], [(p["F"], p["S"] - p["F"])])


def five_links(one: Any) -> RodCarrier:
    p = one.points
    links = [f"link_{k}" for k in (1, 2, 3, 4)]
    on_carrier = np.array([*(p[f"{link}.upright"] for link in links), p["K"]])
    anchors = np.array([*(p[f"{link}.chassis"] for link in links), p["L"]])
    return RodCarrier(on_carrier, anchors, [Wheel(one.W, LEFT, one.side)])


def test_a_strut() -> None:
    """The kingpin goes through the top mount too."""
    rig, made = corners("macpherson")
    read = rig.read(rig.solve_poses(TRAVELS, LOCKS), kinematic(rig))
    for side, one in enumerate(made):
        p, carrier = one.points, strut(one)
        for k, (travel, lock) in enumerate(zip(TRAVELS, LOCKS, strict=True)):
            moved = carrier.steered(p["L"] + (0.0, -LOCK * lock, 0.0))
            pose = moved.solved(travel[side])
            expected = figures(moved, pose, RADIUS)
            expected |= about_kingpin(moved, pose, RADIUS, moved.at(pose, p["D"]), p["F"])
            compare(read, k, side, expected)


def test_five_links_have_an_instantaneous_steering_axis() -> None:
    """No two ball joints make a kingpin: the axis is that of the screw of steering with the spring held."""
    rig, made = corners("five-link")
    expected: dict[tuple[int, int], dict[str, float]] = {}
    for side, one in enumerate(made):
        p, carrier = one.points, five_links(one)
        spring = one.springs["spring"]
        for k, (travel, lock) in enumerate(zip(TRAVELS, LOCKS, strict=True)):
            moved = carrier.steered(p["L"] + (0.0, -LOCK * lock, 0.0))
            pose = moved.solved(travel[side])
            D, F = screw_axis(moved, pose, spring.chassis, spring.arm)
            expected[k, side] = figures(moved, pose, RADIUS) | about_kingpin(moved, pose, RADIUS, D, F)
    read = rig.read(rig.solve_poses(TRAVELS, LOCKS), list(expected[0, 0]))
    for (k, side), values in expected.items():
        compare(read, k, side, values)


def test_where_the_travel_of_a_strut_ends() -> None:
    """Below, its equations turn back, found by SciPy to 1e-10 of a metre.  Above, the lower arm does: the
    velocity of its ball joint per travel vanishes."""
    rig, made = corners("macpherson")
    carrier = strut(made[0])
    low, high = kc.ends_of_travel(rig, "left")
    assert low is not None
    assert high is not None
    assert low.obstacle == "the links let the left wheel come no lower"
    assert carrier.fold_near(carrier.solved(0.99 * low.value), low.value) == pytest.approx(
        low.value, abs=1e-8
    )
    assert "'front_left.lower_arm' is at its dead centre" in high.obstacle
    before, after = (ball_joint_velocity(carrier, high.value + dz) for dz in (-1e-6, 1e-6))
    assert before[1] < 0.0 < after[1]
    assert np.linalg.norm(before) < 0.05


def ball_joint_velocity(carrier: RodCarrier, travel: float) -> Floats:
    """Return the velocity of the first rod's ball joint per travel of the wheel."""
    pose = carrier.solved(travel)
    return carrier.velocity(pose, carrier.twist(pose, [1.0]), carrier.at(pose, carrier.on_carrier[0]))


def test_five_links_are_followed_over_their_range() -> None:
    """Not to the fold of their equations, but near; and it is said so."""
    rig, made = corners("five-link")
    carrier = five_links(made[0])
    for end in kc.ends_of_travel(rig, "left"):
        assert end is not None
        assert "followed no further" in end.obstacle
        fold = carrier.fold_near(carrier.solved(end.value), end.value)
        assert 0.8 < end.value / fold < 1.0


def screw_axis(carrier: RodCarrier, pose: Pose, top: Floats, low: Floats) -> tuple[Floats, Floats]:
    """Two points of the axis about which the last rod turns a carrier, its spring on `low` held in length."""
    r = carrier.at(pose, low)
    ride, steer = carrier.twist(pose, [1.0]), carrier.twist(pose, [0.0], LEFT)
    shortening = [(r - top) @ carrier.velocity(pose, twist, r) for twist in (ride, steer)]
    vz = -float(shortening[1] / shortening[0])
    w, v = carrier.twist(pose, [vz], LEFT)
    # points that move along ω only, by least squares: ω × (r − W) = −v less its part along ω
    across = v - w * (w @ v) / (w @ w)
    K = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    D = pose.W + np.linalg.lstsq(K, -across, rcond=None)[0]
    return D, D + w * np.sign(w[2]) / np.linalg.norm(w)


def test_a_beam_on_four_links() -> None:
    """One carrier for both wheels: four rods and two heights."""
    rig, axle = beams("four-link", False)
    read = rig.read(rig.solve_poses(TRAVELS), kinematic(rig))
    ends = corners_of(axle)
    points = [end.points for end in ends]
    links = ("upper_link", "lower_link")
    on_carrier = np.array([p[f"{link}.upright"] for p in points for link in links])
    anchors = np.array([p[f"{link}.chassis"] for p in points for link in links])
    wheels = [Wheel(end.W, LEFT, side) for end, side in zip(ends, (1, -1), strict=True)]
    carrier = RodCarrier(on_carrier, anchors, wheels)
    for k, travel in enumerate(TRAVELS):
        pose = carrier.solved(*travel)
        for side in (0, 1):
            compare(read, k, side, figures(carrier, pose, RADIUS, side))
        # in roll the beam turns about its own instantaneous axis: that is the roll centre in the front view
        twist = carrier.twist(pose, [1.0, -1.0])
        contacts = [np.array([read[f"contact_{x}"][k, side] for x in "xyz"]) for side in (0, 1)]
        lines = [carrier.velocity(pose, twist, P)[1:] for P in contacts]
        y, z = np.linalg.solve(lines, [v @ P[1:] for v, P in zip(lines, contacts, strict=True)])
        assert read["roll_centre_lateral"][k] == pytest.approx(y, abs=1e-8)
        height = z - 0.5 * (contacts[0][2] + contacts[1][2])
        assert read["roll_centre_height"][k] == pytest.approx(height, abs=1e-8)


@pytest.mark.parametrize("template", ["semi-trailing-arm", "trailing-arm", "swing-axle", "single-wishbone"])
def test_other_corners(template: str) -> None:
    """Heights are as asked; with the springs of both sides alike, so are the wheels' figures."""
    rig, _ = corners(template)
    read = rig.read(rig.solve_poses(TRAVELS))
    height = read["wheel_centre_z"] - read["wheel_centre_z"][1]
    np.testing.assert_allclose(height, TRAVELS, atol=1e-13)
    for name in ("toe_angle", "camber_angle", "wheel_rate", "spring_motion_ratio"):
        left, right = read[name][2]
        assert left == pytest.approx(right, rel=1e-9, abs=1e-12)
    assert np.all(read["wheel_rate"] > 0.0)


@pytest.mark.parametrize(
    ("template", "steered"), [("leaf-spring", False), ("push-pipe", False), ("panhard", True)]
)
def test_other_beams(template: str, steered: bool) -> None:
    rig, _ = beams(template, steered)
    read = rig.read(rig.solve_poses(TRAVELS, LOCKS if steered else 0.0))
    height = read["wheel_centre_z"] - read["wheel_centre_z"][1]
    np.testing.assert_allclose(height, TRAVELS, atol=1e-13)
    if not steered:  # a beam leans as a whole
        lean = np.arcsin((TRAVELS[0, 0] - TRAVELS[0, 1]) / 1.6)
        np.testing.assert_allclose(read["camber_angle"][0], (-lean, lean), atol=1e-4)
    if template == "leaf-spring":  # turns about its roll centre, 0.05 m above the wheels
        assert read["roll_centre_height"][1] == pytest.approx(RADIUS + 0.05, abs=1e-12)


def test_templates_are_all_looked_at() -> None:
    """Axles that cannot travel by themselves are refused by name."""
    assert set(CASES) >= {"macpherson", "five-link", "three-link", "rigid"}
    assert set(BEAM_CASES) >= {"leaf-spring", "four-link", "pinned-axle"}
    with pytest.raises(DataError, match="no degree of freedom"):
        corners("rigid")
    assert beams("pinned-axle", False)[0].kinds == ("opposed",)
