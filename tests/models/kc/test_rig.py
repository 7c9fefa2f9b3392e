"""The rig itself: sweeps, names, ends of travel, mistakes, tables."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.errors import AssemblyError, CeDynamicsError, DataError
from ce_dynamics.models import kc
from ce_dynamics.models.kc.live import LivePage
from ce_dynamics.models.kc.page import as_json, axle_picture, design_rows, page
from ce_dynamics.models.kc.sweeps import KINDS, columns, csv_text, sweep_of
from ce_dynamics.models.kc.wheel_geometry import CarrierScrew, ackermann, front_swing_arm, side_swing_arm
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.views.charts import COLOURS, GREY


@pytest.fixture(scope="module")
def data() -> VehicleParameters:
    return VehicleParameters.load("sedan")


@pytest.fixture(scope="module")
def rig(data: VehicleParameters) -> kc.KCRig:
    return kc.rig_of(data, "front")


@pytest.mark.parametrize("kind", KINDS)
def test_sweeps_go_where_they_say(rig: kc.KCRig, kind: str) -> None:
    values = [-0.04, 0.0, 0.05]
    found = rig.sweep(kind, values, quantities=["wheel_centre_z", "steer_angle"])
    left, right, steering = (np.multiply(part, values) for part in KINDS[kind])
    travel = found["wheel_centre_z"].values - found["wheel_centre_z"].values[1]
    np.testing.assert_allclose(travel, np.stack((left, right), axis=1), atol=1e-13)
    np.testing.assert_allclose(found["steering"], steering)
    assert found["steer_angle"].attrs["units"] == "rad"
    if kind == "steering":
        assert np.all(np.diff(found["steer_angle"].values, axis=0) > 0.02)  # positive is to the left


def test_the_order_of_poses_does_not_matter(rig: kc.KCRig) -> None:
    """Poses are led from their neighbours, but found by themselves."""
    travel = np.linspace(-0.09, 0.09, 19)
    forward = rig.solve_poses(np.stack((travel, travel), axis=1))
    scattered = np.random.default_rng(1).permutation(19)
    there = rig.solve_poses(np.stack((travel, travel), axis=1)[scattered])
    np.testing.assert_allclose(there, forward[scattered], atol=1e-12, rtol=0.0)


def test_left_and_right_are_mirror_images(rig: kc.KCRig) -> None:
    one = rig.read(rig.solve_poses([(0.03, -0.05)], [0.4]))
    other = rig.read(rig.solve_poses([(-0.05, 0.03)], [-0.4]))
    odd = {"steer_angle", "wheel_centre_y", "contact_y", "front_instant_centre_y", "roll_camber"}
    odd |= {"steering_position", "roll_centre_lateral", "ideal_outer_angle", "anti_roll_bar_twist"}
    for quantity in rig.quantities:
        if quantity.name == "anti_roll_bar_motion_ratio":
            continue
        sign = -1.0 if quantity.name in odd else 1.0
        mirrored = sign * (other[quantity.name][0][::-1] if quantity.per_wheel else other[quantity.name][0])
        size = np.maximum(1.0, np.abs(mirrored)) ** 2
        assert np.all(np.abs(one[quantity.name][0] - mirrored) < 1e-10 * size), quantity.name


def test_the_end_of_travel_is_told(rig: kc.KCRig) -> None:
    with pytest.raises(AssemblyError, match=r"travel of 900 mm left and 900 mm.* it comes to [1-9]\d\d"):
        rig.solve_poses([[0.9, 0.9]])
    with pytest.raises(AssemblyError, match="travel of 0 mm left and 900 mm right"):
        rig.solve_poses([[-0.0, 0.9]])


def test_sweep_beyond_the_reach_keeps_the_poses_within(rig: kc.KCRig) -> None:
    values = [-0.9, -0.05, 0.0, 0.05, 0.9]
    with pytest.raises(AssemblyError, match=r"of 900 mm left .*; .* of -900 mm left") as stop:
        rig.sweep("parallel", values)
    partial = stop.value.partial
    assert isinstance(partial, xr.Dataset)
    xr.testing.assert_identical(partial, rig.sweep("parallel", values[1:4]))
    with pytest.raises(AssemblyError, match="of 900 mm left") as stop:
        rig.sweep("left", [0.9])
    assert stop.value.partial is None


def test_parallel_wheels_have_no_turning_circle() -> None:
    """Toe of some 1e-8 rad, as six digits of a file leave it, is no circle of 100,000 km."""
    for left, right, there in ((1e-8, 2e-8, False), (-1e-8, -2e-8, False), (2e-5, 2e-5, True)):
        found = ackermann(left, right, 1.5, 3.0).turning_diameter
        assert np.isfinite(found) == there


@pytest.mark.parametrize("travel", [(0.32, 0.32), (0.0, 0.32), (0.0, 0.9)])
def test_no_pose_is_found_beyond_the_end(travel: tuple[float, float]) -> None:
    """A strut's wheel comes 296 mm up; other branches, higher up, are not jumped to."""
    with pytest.raises(AssemblyError, match=r"it comes to \S+ mm and 295\.703\d* mm, where"):
        kc.rig_of("hatchback", "front").solve_poses([travel])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda rig: rig.sweep("sideways"), "sideways"),
        (lambda rig: rig.sweep("parallel", [0.0, np.nan]), "finite"),
        (lambda rig: rig.sweep("parallel", "wide"), "list of numbers"),
        (lambda rig: rig.sweep("parallel", [0.0], quantities=["toe"]), "toe"),
        (lambda rig: rig.solve_poses([0.1, 0.1]), "shape"),
        (lambda rig: rig.solve_poses([[0.0, 0.0]], [np.inf]), "finite"),
        (lambda rig: rig.solve_poses([[0.0, 0.0]], 0.0, {"front.D.x": 1.0}), "front.D.x"),
        (lambda rig: kc.KCRig(rig.model, replace(rig.axle, chassis="nothing")), "nothing"),
        (lambda rig: kc.KCRig(rig.model, replace(rig.axle, steered_by="chassis")), "steering.rack"),
        (lambda rig: kc.KCRig(rig.model, replace(rig.axle, left=kc.Wheel("chassis", 0.3))), "Revolute"),
        (lambda rig: kc.Wheel("front_left.wheel", -0.3), "loaded_radius"),
        (lambda rig: replace(rig.axle.left, prefix=3), "prefix 3 must be text"),
        (lambda rig: replace(rig.axle, wheelbase="x"), "wheelbase 'x' is not a number"),
        (lambda rig: replace(rig.axle, wheelbase=-2.0), "wheelbase -2.0 m must be a positive finite number"),
        (lambda rig: replace(rig.axle, wheelbase=np.inf), "wheelbase inf m must be a positive finite number"),
        (
            lambda rig: replace(rig.axle, centre_of_mass=(np.inf, 0.5)),
            "entry 0 inf m must be a finite",
        ),
        (lambda rig: replace(rig.axle, centre_of_mass=(1.0,)), "centre_of_mass .* must be a list of 2"),
        (lambda rig: replace(rig.axle, centre_of_mass=(1.0, "high")), "centre_of_mass: entry 1 'high'"),
        (lambda rig: replace(rig.axle, bars="bar"), "bars 'bar' must be a list of names"),
        (lambda rig: replace(rig.axle, brake_torque_on_carrier="no"), "must be True or False"),
        (lambda rig: replace(rig.axle, in_front=1), "in_front 1 must be True or False"),
        (lambda rig: replace(rig.axle, steering_unit=2), "steering_unit 2 must be text"),
        (lambda rig: kc.rig_of("sedan", "middle"), "middle"),
    ],
)
def test_mistakes_are_named(rig: kc.KCRig, wrong: object, words: str) -> None:
    assert callable(wrong)
    with pytest.raises(CeDynamicsError, match=words):
        wrong(rig)


def test_an_axle_that_is_not_steered(data: VehicleParameters) -> None:
    rig = kc.rig_of(data, "rear")
    names = {quantity.name for quantity in rig.quantities}
    assert "steering_ratio" not in names
    assert "anti_squat" in names
    assert "anti_dive" not in names
    with pytest.raises(DataError, match="not steered"):
        rig.sweep("steering")


def test_a_suspension_of_ones_own() -> None:
    """Two trailing arms of a user's system: their pivots are the instant centres, and nothing steers."""
    system = ce.System(gravity=(0, 0, -9.81), name="trailer")
    for name, y in (("left", 0.7), ("right", -0.7)):
        arm = system.add_body(
            f"{name}.arm",
            mass=5.0,
            com=(-0.2, y, 0.3),
            inertia=(0.1, 0.2, 0.2),
            parent=system.ground,
            hinge=ce.Revolute((0, 1, 0), at=(0, y, 0.4)),
        )
        system.add_body(
            f"{name}.wheel",
            mass=10.0,
            com=(-0.4, y, 0.3),
            inertia=(0.4, 0.7, 0.4),
            parent=arm,
            hinge=ce.Revolute((0, 1, 0), at=(-0.4, y, 0.3)),
        )
        ends = system.ground, (-0.4, y, 0.8), arm, (-0.4, y, 0.3)
        system.add_force(ce.SpringDamper(f"{name}.spring", *ends, spring=2e4))
    left, right = (kc.Wheel(f"{name}.wheel", 0.3) for name in ("left", "right"))
    axle = kc.Axle("rear", left, right, chassis="ground", wheelbase=3.0, centre_of_mass=(1.0, 0.5))
    rig = kc.KCRig(ce.compile(system), axle)
    z = 0.06
    read = rig.read(rig.solve_poses([(z, z), (z, 0.0)]))
    length = np.hypot(0.4, 0.1)
    angle = np.arcsin((0.1 - z) / length)  # of the arm below the horizontal
    assert read["wheel_centre_x"][0] == pytest.approx(-length * np.cos(angle), abs=1e-12)
    turned = np.arcsin(0.1 / length) - angle  # bump turns the arm's rear up: top of the carrier forward
    assert read["side_view_angle"][0] == pytest.approx(-turned, abs=1e-12)
    assert read["side_instant_centre_x"][0] == pytest.approx(0.0, abs=1e-12)
    assert read["side_instant_centre_z"][0] == pytest.approx(0.4, abs=1e-12)
    for name in ("toe_angle", "camber_angle", "track_change"):
        assert read[name] == pytest.approx(0.0, abs=1e-13)
    assert abs(read["roll_centre_height"][0]) < 1e-15  # wheels that go straight up: both lines are the road
    assert not np.isfinite(read["roll_centre_lateral"][0])
    # anti-squat: a line from the contact centre to the pivot, over h/L
    slope = (0.4 - read["contact_z"][0, 0]) / (0.0 - read["contact_x"][0, 0])
    assert read["anti_lift"][0] == pytest.approx(100.0 * slope * 3.0 / 0.5, rel=1e-10)


def test_tables_and_pages(rig: kc.KCRig) -> None:
    sweeps = {kind: rig.sweep(kind, [-0.02, 0.0, 0.02]) for kind in ("parallel", "opposed", "steering")}
    table = columns(sweeps["parallel"])
    assert table["left wheel_travel [mm]"].tolist() == [-20.0, 0.0, 20.0]
    degrees = np.degrees(sweeps["parallel"]["camber_angle"].values[:, 1])
    assert table["right camber_angle [deg]"] == pytest.approx(degrees)
    head, *rows = csv_text(sweeps["parallel"]).splitlines()
    assert head.split(",") == list(table)
    read = np.array([[float(x) for x in row.split(",")] for row in rows]).T
    for values, column in zip(read, table.values(), strict=True):
        np.testing.assert_array_equal(values, column)
    content = as_json(sweeps)["steering"]["curves"]
    assert content["ackermann_percentage"]["values"][1] is None  # straight ahead
    assert content["track"]["unit"] == "m"
    titles = [axes.get_title(loc="left") for axes in page({"": sweeps}, "sedan").axes]
    assert len(titles) == 15
    over = page({"one": sweeps, "two": sweeps}, "sedan").axes
    assert [len(axes.get_lines()) for axes in over] == [
        2 * len(axes.get_lines()) for axes in page({"": sweeps}, "sedan").axes
    ]
    colours = [{line.get_color() for line in axes.get_lines()} for axes in over]
    assert all(found == set(COLOURS[:2]) for found in colours)
    assert "Steering ratio" in titles
    rows_of = {row.name: row for row in design_rows(rig)}
    assert rows_of["track"].values[0] == pytest.approx(1595.8)
    assert "ackermann_percentage" not in rows_of


def test_every_quantity_says_what_it_is(rig: kc.KCRig) -> None:
    assert len({quantity.name for quantity in rig.quantities}) == len(rig.quantities)
    assert all(quantity.meaning and quantity.unit for quantity in rig.quantities)
    assert sweep_of("parallel").values[[0, -1]].tolist() == [-0.1, 0.1]


@pytest.mark.parametrize(("vehicle", "axle"), [("off-roader", "front"), ("hatchback", "rear")])
def test_shipped_vehicles_go_on_the_rig(vehicle: str, axle: str) -> None:
    """A beam with a drag link, and whatever the hatchback's rear is: finite, and carried by their springs."""
    rig = kc.rig_of(vehicle, axle)
    names = ["camber_angle", "toe_angle", "roll_centre_height", "wheel_rate", "roll_rate", "track"]
    read = rig.read(rig.solve_poses([(-0.03, -0.03), (0.02, -0.02), (0.03, 0.03)]), names)
    assert all(np.all(np.isfinite(values)) for values in read.values())
    assert np.all(read["wheel_rate"] > 1e4)
    assert np.all(read["roll_rate"] > 1e4)
    assert np.all(np.abs(read["camber_angle"]) < 0.1)


@pytest.mark.parametrize(("rate", "finite"), [(0.0, False), (-1e-17, False), (1e-13, False), (1e-9, True)])
def test_turning_by_rounding_has_no_instant_centre(rate: float, finite: bool) -> None:
    """No arm of 1e16 m is made of the rounding of a beam that slides."""
    screw = CarrierScrew(np.array((rate, rate, 0.0)), np.zeros(3), np.array((0.0, 0.0, 1.0)))
    P = np.array((1.0, 0.7, -0.3))
    for arm in (side_swing_arm(screw, P, 1.0), front_swing_arm(screw, P, 1)):
        assert np.isfinite(arm.length) == finite
        assert np.isfinite(arm.centre[0]) == finite
        assert abs(arm.angle) < 1e-9


def test_picture_of_an_axle_shows_what_stands_where(rig: kc.KCRig) -> None:
    """Seen from behind left is left; loads are those of the springs, with their values."""
    take = LivePage(rig, {}, "axle").take
    chart = axle_picture(take)
    wheels = [area for area in chart.areas if area.colour == GREY]
    assert sorted(float(np.sign(area.x.mean())) for area in wheels) == [-1.0, 1.0]
    names = [body.name for body in take.bodies]
    left = take.places[0, names.index("front_left.wheel")]
    (drawn,) = [area for area in wheels if area.x.mean() < 0.0]
    assert (drawn.x.mean(), drawn.y.mean()) == pytest.approx((-left[1], left[2]), abs=1e-12)
    shown = {line.label.rpartition(" ")[0].rpartition(" ")[0]: line for line in chart.lines if line.label}
    force = take.arrows[0, take.forces.index("front_left.spring"), 3:]
    line = shown["front_left.spring"]
    assert line.label.endswith(f"{1e-3 * np.linalg.norm(force):.2f} kN")
    way = np.array((-force[1], force[2]))
    along = np.array((np.diff(line.x)[0], np.diff(line.y)[0]))
    assert way @ along == pytest.approx(np.linalg.norm(way) * np.linalg.norm(along), rel=1e-9)
