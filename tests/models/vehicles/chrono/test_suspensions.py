"""Numbers of suspensions and steerings as read from Chrono's files, by hand."""

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.chrono.vehicle import convert_vehicle
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.steering_angle import wheel_angle
from ce_dynamics.models.vehicles.suspensions.template import TorsionData
from tests.models.vehicles.chrono.small_car import SUSPENSION, convert, files, written
from tests.models.vehicles.chrono.test_bell_cranks import AXLE

PART = {"Mass": 0.8, "Inertia": [0.001, 0.002, 0.003]}
LEAF: dict[str, Any] = {
    "Location Front Hanger": [0.5, 0.4, 0.1],
    "Location Clamp A": [0.05, 0.4, 0.1],
    "Location Clamp B": [-0.05, 0.4, 0.1],
    "Location Shackle": [-0.55, 0.4, 0.1],
    "Location Rear Hanger": [-0.5, 0.4, 0.2],
    "Vertical Stiffness": 90000.0,
    "Vertical Preload Force": 3000.0,
    "Stiffness Bias": 2.0,
    "Lateral Stiffness": 900000.0,
    "Frontleaf": PART,
    "Rearleaf": PART,
    "Half Clamp": PART,
    "Shackle": PART,
}
SAE: dict[str, Any] = {
    **{key: AXLE[key] for key in ("Name", "Type", "Spindle", "Axle", "Axle Tube", "Shock")},
    "Template": "SAELeafspringAxle",
    "Auxiliary Spring": AXLE["Spring"],
    "Leafspring": LEAF,
}


def rear(axle: dict[str, Any]) -> dict[str, dict[str, Any]]:
    content = files()
    content["car/Rear.json"] = axle
    content["car/Vehicle.json"]["Axles"][1]["Suspension Input File"] = "car/Rear.json"
    return content


def test_leaf_springs_by_hand(tmp_path: Path) -> None:
    """K is shared 1 : 2 between the halves; torsion springs K r² at levers of 0.45 and 0.5 m."""
    data = VehicleParameters.load(written(tmp_path, rear(SAE)))
    clamps = {end: data.axles["rear"].middle.numbers[f"{end}_clamp"] for end in ("front", "rear")}
    assert clamps["front"].bending == pytest.approx(30000.0 * 0.45**2, rel=1e-12)
    assert clamps["rear"].bending == pytest.approx(60000.0 * 0.5**2, rel=1e-12)
    assert clamps["rear"].lateral == pytest.approx(600000.0 * 0.5**2, rel=1e-12)
    assert clamps["front"].bending_damping == pytest.approx(0.01 * clamps["front"].bending, rel=1e-12)
    assert (clamps["front"].preload, clamps["rear"].preload) == (1500.0, 1500.0)
    beam = data.axles["rear"].parts["rear.axle"]
    assert beam.mass == pytest.approx(60.0 + 4 * 0.8, rel=1e-12)
    # Half clamps at (0, ±0.4, 0.1), the tube at the origin: the common centre, and Ixx about it.
    z = 3.2 * 0.1 / 63.2
    assert beam.com == pytest.approx(data.corners["rear_left"].origin + (0.0, 0.0, z), abs=1e-12)
    own = 5.0 + 4 * 0.001
    assert beam.inertia[0, 0] == pytest.approx(own + 60 * z**2 + 3.2 * (0.4**2 + (0.1 - z) ** 2), rel=1e-12)


def test_preloads_that_chrono_loses(tmp_path: Path) -> None:
    """They are lost if its ways are asked for, and said to be."""
    path = written(tmp_path, rear(SAE))
    made = convert_vehicle(path, like_chrono=True)
    assert "preload: 0 N" in made.text
    assert any("preloads of leaf springs" in note and note.endswith("as there") for note in made.notes)
    assert "preload: 1500 N" in convert_vehicle(path).text


def test_solid_axles_need_their_track_bar(tmp_path: Path) -> None:
    axle = {**AXLE, "Template": "SolidAxle"}
    with pytest.raises(DataError, match=r"Rear.json: Trackbar: it is missing; give the bar"):
        convert_vehicle(written(tmp_path, rear(axle)))


MULTI_LINK: dict[str, Any] = {
    **{key: SUSPENSION[key] for key in ("Name", "Type", "Axle")},
    "Template": "MultiLink",
    "Spindle": {"Mass": 1.0, "COM": [0.0, 0.76, 0.0], "Inertia": [0.001, 0.001, 0.001]},
    "Upright": {"Mass": 14.0, "COM": [-0.02, 0.74, 0.0], "Inertia": [0.2, 0.2, 0.2]},
    "Upper Arm": {
        "Mass": 3.0, "COM": [-0.02, 0.55, 0.15], "Inertia": [0.02, 0.03, 0.03],
        "Location Chassis Front": [0.1, 0.4, 0.15], "Location Chassis Back": [-0.15, 0.41, 0.15],
        "Location Upright": [-0.02, 0.7, 0.16],
    },
    "Lateral": {
        "Mass": 2.0, "COM": [0.0, 0.55, -0.125], "Inertia": [0.02, 0.02, 0.001], "Radius": 0.02,
        "Location Chassis": [0.0, 0.35, -0.12], "Location Upright": [0.0, 0.74, -0.13],
        "Universal Joint Axis Link": [1, 0, 0], "Universal Joint Axis Chassis": [0, 0, 1],
    },
    "Trailing Link": {
        "Mass": 5.0, "COM": [0.2, 0.64, -0.06], "Inertia": [0.1, 0.2, 0.3], "Radius": 0.02,
        "Location Chassis": [0.5, 0.6, 0.0], "Location Upright": [0.05, 0.6, 0.0],
        "Universal Joint Axis Link": [0, 0, 1], "Universal Joint Axis Chassis": [0.3, 1, 0],
    },
    "Tierod": {"Location Chassis": [-0.2, 0.36, 0.01], "Location Upright": [-0.16, 0.74, 0.0]},
    "Spring": {
        "Location Chassis": [0.2, 0.6, 0.45], "Location Link": [0.2, 0.7, 0.0],
        "Spring Coefficient": 9e4, "Free Length": 0.5,
    },
    "Shock": {
        "Location Chassis": [0.2, 0.6, 0.45], "Location Link": [0.2, 0.7, 0.0],
        "Damping Coefficient": 5e3,
    },
}  # fmt: skip


@pytest.mark.parametrize("like_chrono", [False, True])
def test_trailing_links_turn_about_the_files_axes(tmp_path: Path, like_chrono: bool) -> None:
    """A spring beside a link that swings up lifts by more, as the link rolls about its own line.

    Small motions turn it about the chassis' axis of unit vector (s, c, 0), in either order of the axes; the
    link lies along -x.  Turned by ω its end, at -0.45 from the joint, rises by 0.45 ω c, and the spring's
    foot, at (-0.3, 0.1), by ω (0.3 c + 0.1 s).  Inertia: z of the file is along the link, y normal to its
    plane with the spring.
    """
    data, _ = convert(tmp_path, rear(MULTI_LINK), like_chrono=like_chrono)
    corner: Any = data.corners["rear_left"]
    assert np.diag(corner.parts["trailing_link"].inertia) == pytest.approx([0.3, 0.1, 0.2])
    own = (one for one in corner.axle.joints if (one.name, one.owner) == ("trailing_link", "rear_left"))
    joint = next(own).make_rod(str).hinge
    e = np.array([0.3, 1.0, 0.0]) / math.hypot(0.3, 1.0)
    axes = [joint.axis1, joint.axis2]
    assert axes[like_chrono] == pytest.approx(e)
    assert axes[not like_chrono] == pytest.approx([0.0, 0.0, 1.0])
    model = Model(build(data))
    names = [entry.name for entry in model.layout.q]
    heights = []
    for angle in (-1e-4, 1e-4):
        y = model.y0.copy()
        y[names.index("rear_left.upper_arm")] = angle
        outward = model.instant(y, model.u0).outward
        frame = model.system.find("chassis")
        U, foot = (
            outward.point(model.system.find(f"rear_left.{body}"), corner.origin + point, frame)
            for body, point in (("upright", [0.05, 0.6, 0.0]), ("trailing_link", [0.2, 0.7, 0.0]))
        )
        heights.append((U.r[2], foot.r[2]))
    up, foot_up = np.diff(heights, axis=0)[0]
    # 1e-3: lengths of rods change at the second order of 1e-4 rad over 1e-4 of travel
    assert foot_up / up == pytest.approx((0.3 * e[1] + 0.1 * e[0]) / (0.45 * e[1]), rel=1e-3)


def torsion(axis: list[float], one: str, other: str) -> dict[str, Any]:
    """A trailing arm as a free graph, sprung by a torsion spring."""
    return {
        **{key: SUSPENSION[key] for key in ("Name", "Type", "Axle")},
        "Template": "GenericWheeledSuspension",
        "Steerable": False,
        "Independent": True,
        "Spindle": {**SUSPENSION["Spindle"], "Attachment Body": "Arm"},
        "Antiroll Body": "Arm",
        "Bodies": [
            {
                "Name": "Arm", "Mirrored": True, "Mass": 10.0, "Position": [0.2, 0.6, 0.0],
                "Rotation": [1, 0, 0, 0], "Moments of Inertia": [1, 1, 1], "Products of Inertia": [0, 0, 0],
            }
        ],
        "Joints": [
            {
                "Name": "Pivot", "Type": "Revolute", "Mirrored": True, "Body1": "Chassis", "Body2": "Arm",
                "Position": [0.4, 0.6, 0.0], "Rotation": [math.sqrt(0.5), math.sqrt(0.5), 0, 0],
            }
        ],
        "RSDAs": [
            {
                "Name": "Bar", "Mirrored": True, "Body1": one, "Body2": other, "Position": [0.4, 0.6, 0.0],
                "Axis": axis, "Spring Coefficient": 5000.0, "Damping Coefficient": 200.0, "Free Angle": 0.2,
                "Preload": 100.0,
            }
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("axis", "one", "other", "sign"),
    [
        ([0, -1, 0], "Chassis", "Arm", 1.0),  # the joint's own axis is −y
        ([0, 1, 0], "Chassis", "Arm", -1.0),
        ([0, -1, 0], "Arm", "Chassis", -1.0),
    ],
)
def test_torsion_springs_of_free_graphs(
    tmp_path: Path, axis: list[float], one: str, other: str, sign: float
) -> None:
    """A preload of 100 N m is 0.02 rad more of the spring's free angle."""
    data = VehicleParameters.load(written(tmp_path, rear(torsion(axis, one, other))))
    (spring,) = torsions(data)
    assert (spring.stiffness, spring.damping) == (5000.0, 200.0)
    assert spring.free_angle == pytest.approx(sign * 0.22, rel=1e-12)


def test_torsion_springs_on_the_right_as_in_chrono(tmp_path: Path) -> None:
    """Chrono multiplies the y of the right axis by 0; a frame without an axis gets one along x.

    f is then along z and g along y: a turn about y leaves g · f at 0, so that the angle is 0.
    """
    data, _ = convert(tmp_path, rear(torsion([0, -1, 0], "Chassis", "Arm")), like_chrono=True)
    (left,), (right,) = (torsions(data, side) for side in ("left", "right"))
    assert (left.stiffness, left.damping) == (5000.0, 200.0)
    assert (right.stiffness, right.damping) == (0.0, 0.0)
    turned = Rotation.from_rotvec((0.0, 0.3, 0.0)).as_matrix()
    g, f = np.array((0.0, 1.0, 0.0)), turned @ (0.0, 0.0, -1.0)
    assert g @ f == 0.0


def test_torsion_springs_need_a_joint(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"RSDAs\[0\]/Axis: no revolute joint of its two bodies turns about"):
        convert_vehicle(written(tmp_path, rear(torsion([0, 0, 1], "Chassis", "Arm"))))


def torsions(data: VehicleParameters, side: str = "left") -> list[TorsionData]:
    numbers = data.axles["rear"].side(f"rear_{side}").numbers.values()
    return [one for one in numbers if isinstance(one, TorsionData)]


def test_torsion_springs_may_just_damp(tmp_path: Path) -> None:
    graph = torsion([0, -1, 0], "Chassis", "Arm")
    for key in ("Spring Coefficient", "Preload", "Free Angle"):
        del graph["RSDAs"][0][key]
    data = VehicleParameters.load(written(tmp_path, rear(graph)))
    (spring,) = torsions(data)
    assert (spring.stiffness, spring.damping) == (0.0, 200.0)


@pytest.mark.parametrize("items", ["Bodies", "Joints"])
def test_names_of_free_graphs_are_there_once(tmp_path: Path, items: str) -> None:
    graph = torsion([0, -1, 0], "Chassis", "Arm")
    graph[items].append(dict(graph[items][0]))
    with pytest.raises(DataError, match=rf"{items}\[1\]/Name: '(Arm|Pivot)' is there twice; choose another$"):
        convert_vehicle(written(tmp_path, rear(graph)))


def test_a_free_graph_that_nothing_steers(tmp_path: Path) -> None:
    content = rear(torsion([0, -1, 0], "Chassis", "Arm"))
    content["car/Vehicle.json"]["Axles"][1]["Steering Index"] = 0
    with pytest.raises(
        DataError, match=r"^Vehicle\.json: Axles\[1\]/Steering Index: nothing of .* is joined"
    ):
        convert_vehicle(written(tmp_path, content))


def two_steerings() -> dict[str, dict[str, Any]]:
    """The small car with a rack for either axle."""
    content = files()
    vehicle = content["car/Vehicle.json"]
    vehicle["Axles"][1]["Steering Index"] = 1
    vehicle["Steering Subsystems"] = [
        {"Input File": "car/Rack.json", "Location": [x, 0, -0.02], "Orientation": [1, 0, 0, 0]}
        for x in (1.05, -1.35)
    ]
    return content


def test_a_second_steering_mechanism(tmp_path: Path) -> None:
    """Each axle is steered by its own rack, which has a section of its own; the other is not moved by it."""
    data = VehicleParameters.load(written(tmp_path, two_steerings()), ["second_steering.travel=20 mm"])
    assert list(data.steerings) == ["steering", "second_steering"]
    front, back = (data.corners[f"{axle}_left"] for axle in ("front", "rear"))
    travels = [data.steerings[name].move_point(np.zeros(3), 1.0)[1] for name in data.steerings]
    assert np.abs(travels) == pytest.approx([0.2 * math.radians(20.0), 0.02])
    assert wheel_angle(data, front, 1.0) > wheel_angle(data, back, 1.0) > 0.0


def test_axles_steer_against_first_as_files_say(tmp_path: Path) -> None:
    """The rear tie rods lie ahead of the axle; or the rear rack's pinion has a negative radius; or both.

    Chrono's rack goes to the right for a positive input, so behind the axle it steers to the left.
    """
    for ahead, backwards in ((True, False), (False, True), (True, True)):
        content = two_steerings()
        vehicle, rack = content["car/Vehicle.json"], content["car/Rack.json"]
        content["car/Second.json"] = {
            **rack,
            "Pinion": {**rack["Pinion"], "Radius": -0.2 if backwards else 0.2},
        }
        vehicle["Steering Subsystems"][1]["Input File"] = "car/Second.json"
        content["car/Rear.json"] = copy.deepcopy(SUSPENSION)
        vehicle["Axles"][1]["Suspension Input File"] = "car/Rear.json"
        if ahead:
            for point in content["car/Rear.json"]["Tierod"].values():
                point[0] = -point[0]
        data = VehicleParameters.load(written(tmp_path, content))
        front, back = (wheel_angle(data, data.corners[f"{axle}_left"], 1.0) for axle in ("front", "rear"))
        assert front > 0.0
        assert (back < 0.0) == (ahead != backwards)


def test_an_axle_that_steers_against_the_driver(tmp_path: Path) -> None:
    (tmp_path / "against.yaml").write_text("base: car/Vehicle.json\naxles: {rear: {phase: against}}\n")
    written(tmp_path, two_steerings())
    data = VehicleParameters.load(tmp_path / "against.yaml")
    front, back = (data.corners[f"{axle}_left"] for axle in ("front", "rear"))
    assert wheel_angle(data, front, 1.0) > 0.0 > wheel_angle(data, back, 1.0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("{rear: {phase: against, mechanism: steering}}", "with the driver and against"),
        ("{rear: {mechanism: third_steering}}", "no axle is steered by second_steering, but one is by third"),
    ],
)
def test_mechanisms_that_do_not_go_together(tmp_path: Path, words: str, message: str) -> None:
    (tmp_path / "wrong.yaml").write_text(f"base: car/Vehicle.json\naxles: {words}\n")
    written(tmp_path, two_steerings())
    with pytest.raises(DataError, match=message):
        VehicleParameters.load(tmp_path / "wrong.yaml")


def test_two_wheels_on_a_side(tmp_path: Path) -> None:
    """Both wheels, with twice the mass of rim and tyre; of the tyre itself nothing changes."""
    content = files()
    axle = content["car/Vehicle.json"]["Axles"][1]
    single = VehicleParameters.load(written(tmp_path / "one", content)).corners["rear_left"]
    for side in ("Left", "Right"):
        for place in ("Inside", "Outside"):
            axle[f"{side} {place} Wheel Input File"] = axle[f"{side} Wheel Input File"]
    axle["Wheel Separation"] = 0.3
    twin = VehicleParameters.load(written(tmp_path / "two", content)).corners["rear_left"]
    assert twin.wheel.twin_spacing == 0.3
    assert twin.wheel.mass - single.wheel.mass == pytest.approx(8.0 + 9.0, rel=1e-12)
    assert twin.tyre == single.tyre


def test_camber_and_toe_turn_the_spindle(tmp_path: Path) -> None:
    """Top inwards by 1.5°, front inwards by 0.4°, on both sides; R_z(s toe) R_x(s camber), left s = −1."""
    content = files()
    content["car/Suspension.json"] |= {"Camber Angle (deg)": -1.5, "Toe Angle (deg)": 0.4}
    data = VehicleParameters.load(written(tmp_path, content))
    c, t = math.radians(-1.5), math.radians(0.4)
    for side, s in (("left", -1.0), ("right", 1.0)):
        expected = -s * math.sin(t) * math.cos(c), math.cos(t) * math.cos(c), s * math.sin(c)
        wheel = data.corners[f"rear_{side}"].wheel
        assert wheel.axis == pytest.approx(expected, abs=1e-15)
        # The spin axis stays a principal one.
        J = wheel.inertia
        assert J @ wheel.axis == pytest.approx((wheel.axis @ J @ wheel.axis) * wheel.axis, abs=1e-14)
    model = Model(build(data, speed=20.0))
    responses = model.instant(model.y0, model.u0).loads.responses
    for side, s in (("left", -1.0), ("right", 1.0)):
        out = responses[f"front_{side}.tyre"].outputs
        assert float(out["inclination"]) == pytest.approx(s * c, abs=1e-12)  # to the right of the vertical
        assert s * float(out["Fy"]) > 100.0  # either wheel pushes inwards, where it points


def test_what_chrono_does_not_turn_is_not_turned(tmp_path: Path) -> None:
    rigid = {key: SUSPENSION[key] for key in ("Name", "Type", "Spindle", "Axle")}
    content = rear({**rigid, "Template": "RigidSuspension", "Camber Angle (deg)": 2.0})
    made = convert_vehicle(written(tmp_path, content))
    assert "camber:" not in made.text
    assert any("of RigidSuspension, which Chrono does not read" in note for note in made.notes)


def test_bar_of_beam_is_twisted_by_roll(tmp_path: Path) -> None:
    """Arms of 0.4 m, 0.35 m aside: rolled by φ, their ends part by 0.7 φ and the bar twists by 0.7 φ/0.4."""
    bar = {
        "Mass": 5.0, "Inertia": [0.5, 0.02, 0.5], "Rotational Stiffness": 1000.0, "Rotational Damping": 10.0,
        "Location Chassis": [-0.4, 0.35, -0.05], "Location Axle": [0.0, 0.35, -0.05],
    }  # fmt: skip
    rod = {**PART, "Location Axle": [0.1, 0.4, 0.0], "Location Chassis": [0.1, -0.4, 0.0]}
    axle = {**AXLE, "Template": "RigidPanhardAxle", "Panhard Rod": rod, "Anti Roll Bar": bar}
    del axle["Knuckle"]
    data = VehicleParameters.load(written(tmp_path, rear(axle)))
    model = Model(build(data))
    # an arm reaches to the middle of the axis it turns about, on which its mass centre lies
    place = data.corners["rear_left"].origin + (-0.4, 0.175, -0.05)
    assert model.system.find("rear_left.anti_roll_bar").com == pytest.approx(place)
    y = model.y0.copy()
    y[[entry.name for entry in model.layout.q].index("rear.axle")] = phi = 0.01
    twist = float(model.instant(y, model.u0).loads.responses["rear.anti_roll_bar"].outputs["twist"])
    # To first order; the drop links lean by φ, which is of second order.
    assert abs(twist) == pytest.approx(0.7 * phi / 0.4, rel=phi)
