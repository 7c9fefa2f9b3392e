"""Vehicles of Chrono's files: the same model as by our own file, hand-checked numbers, bad files by name."""

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import ce_dynamics as ce
from ce_dynamics.errors import AssemblyError, DataError
from ce_dynamics.mechanism.forces.base import PointLoad
from ce_dynamics.models.parts.brake import Brake
from ce_dynamics.models.powertrain.differentials import InboardBrake
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.chrono.transmissions import CHORD
from ce_dynamics.models.vehicles.chrono.vehicle import convert_vehicle
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.steering_angle import first_steered, max_wheel_angle, wheel_angle
from tests.models.vehicles.chrono.small_car import change, convert, files, written


@pytest.fixture(scope="module")
def car(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("data"), files())


def test_axles_with_ratios_of_their_own(tmp_path: Path) -> None:
    """200 N m to either axle: through 1/4 in front 800 N m at the wheels, through 1/5 behind 1,000 N m.

    The axles of the file count from the rear, and the driveline's boxes turn as fast as their wheels.
    """
    content = files()
    vehicle = content["car/Vehicle.json"]
    vehicle["Axles"].reverse()
    vehicle["Driveline"]["Suspension Indexes"] = [1, 0]
    shafts = ("Driveshaft", "Front Driveshaft", "Rear Driveshaft", "Central Differential Box")
    boxes = {"Front Differential Box": 0.5, "Rear Differential Box": 0.6}
    content["car/Driveline.json"] |= {
        "Template": "ShaftsDriveline4WD",
        "Shaft Inertia": dict.fromkeys(shafts, 0.1) | boxes,
        "Gear Ratio": {"Front Conical Gear": 0.25, "Rear Conical Gear": 0.2},
    }
    data = VehicleParameters.load(written(tmp_path, content))
    assert list(data.axle_ratios.items()) == [("front", 0.25), ("rear", 0.2)]
    assert data.powertrain.shafts.inertia == pytest.approx(0.3 + 0.5 * 0.25**2 + 0.6 * 0.2**2)  # type: ignore[attr-defined]  # of shafts
    model = ce.Model(build(data, speed=9.3))
    y = model.y0.copy()
    names = model.layout.y_names
    y[names.index("driveline.windup")] = 0.01
    driveline = model.instant(y, model.u0).loads.responses["driveline"]
    scale = float(driveline.outputs["torque"]) * 0.25 / 400.0
    loads = [load for load in driveline.loads if isinstance(load, PointLoad)]
    torques = {load.body.name: np.asarray(load.torque, dtype=float) for load in loads}
    assert torques["front_left.wheel"][1] == pytest.approx(400.0 * scale, rel=1e-12)
    assert torques["rear_left.wheel"][1] == pytest.approx(500.0 * scale, rel=1e-12)
    # The shaft turns at the mean of 4 and 5 times the wheels' speed, and starts so.
    assert y[names.index("driveline.shaft_speed")] == pytest.approx(4.5 * 9.3 / 0.31, rel=1e-12)


def test_an_axle_without_torque_turns_freely(tmp_path: Path) -> None:
    content = files()
    content["car/Vehicle.json"]["Driveline"]["Suspension Indexes"] = [0, 1]
    ends = {f"{end} Conical Gear Ratio": 0.25 for end in ("Front", "Rear")}
    bias = {f"{end} Differential Max Bias": 2 for end in ("Front", "Rear")}
    simple = {"Template": "SimpleDriveline", "Front Torque Fraction": 0.0, **ends, **bias}
    content["car/Driveline.json"] = simple
    data = VehicleParameters.load(written(tmp_path, content))
    assert data.driven == ("rear_left", "rear_right")
    assert data.data.powertrain.shafts.torque_bias == (2.0,)  # type: ignore[attr-defined]  # of shafts


@pytest.mark.parametrize(("like_chrono", "seen"), [(False, None), (True, 0.25 * (0.4 * 0.25 + 0.6 * 0.2))])
def test_simple_drivelines(tmp_path: Path, like_chrono: bool, seen: float | None) -> None:
    """Their biases by axle; Chrono's speed of the shaft is that of the wheels times the ratios, by parts."""
    content = files()
    content["car/Vehicle.json"]["Driveline"]["Suspension Indexes"] = [0, 1]
    content["car/Driveline.json"] = {
        "Template": "SimpleDriveline",
        "Front Torque Fraction": 0.4,
        "Front Conical Gear Ratio": 0.25,
        "Rear Conical Gear Ratio": 0.2,
        "Front Differential Max Bias": 1.5,
        "Rear Differential Max Bias": 2,
    }
    shafts: Any = convert(tmp_path, content, like_chrono=like_chrono)[0].data.powertrain.shafts  # type: ignore[attr-defined]  # of shafts
    assert shafts.torque_bias == (1.5, 2.0)
    assert shafts.reaction == (0.0 if like_chrono else None)
    assert shafts.seen_speed == (None if seen is None else pytest.approx(seen, rel=1e-12))


def test_file_that_is_written_makes_the_same_model(car: Path, tmp_path: Path) -> None:
    """The JSON itself, and the YAML written from it: all numbers, and the accelerations to the last bit."""
    here, made = convert(tmp_path, files())
    there = VehicleParameters.load(car)
    assert there.flat() == here.flat()
    assert there.layout == here.layout
    assert there.notes == made.notes
    assert here.notes == ()
    models = [ce.compile(build(data, speed=10.0)) for data in (there, here)]
    y = models[0].y0 + 1e-3 * np.sin(np.arange(len(models[0].y0)))
    accelerations = [model.dynamics(y, model.u0)[0].tolist() for model in models]
    assert accelerations[0] == accelerations[1]


def test_it_settles_and_carries_its_weight(car: Path) -> None:
    data = VehicleParameters.load(car)
    model = ce.compile(build(data, speed=15.0))
    y = settle(model)
    responses = model.instant(y, model.u0).loads.responses
    carried = sum(responses[f"{corner}.tyre"].outputs["Fz"] for corner in data.corners)
    # Rolling resistance and drag of the engine slow the car down, which takes nothing from the vertical.
    assert carried == pytest.approx(9.81 * data.mass, rel=1e-6)
    # body, of each corner hub, rim, tyre, upright and two arms, rack, two halves of the bar
    assert data.mass == pytest.approx(1000.0 + 4 * (2.0 + 8.0 + 9.0 + 5.0 + 4.0 + 4.0) + 2.0 + 2.0)


@pytest.mark.parametrize("ahead", ["/car/", "car/parts/../", "./car//", "../car/", "vehicle/car/"])
def test_names_of_files_as_others_write_them(tmp_path: Path, car: Path, ahead: str) -> None:
    """Below the common folder, which Chrono puts before a name, or counted from the file that names them."""
    content = files()
    text = json.dumps(content["car/Vehicle.json"]).replace('"car/', f'"{ahead}')
    content["car/Vehicle.json"] = json.loads(text)
    path = written(tmp_path / "vehicle", content)
    assert convert_vehicle(path).text == convert_vehicle(car).text


def test_errors_of_converted_numbers_and_parts_name_file(tmp_path: Path) -> None:
    """Lines would be those of the text that is written, not of the file."""
    content = files()
    sides = [f"{side} {place}" for side in ("Left", "Right") for place in ("Inside", "Outside")]
    twins = {f"{side} Wheel Input File": "car/Wheel.json" for side in sides}
    content["car/Vehicle.json"]["Axles"][1] |= twins | {"Wheel Separation": 3.0}
    where = r"^Vehicle\.json, as converted: rear\.wheel\.twin_spacing: '3 m' must be below 2 m"
    with pytest.raises(DataError, match=where) as caught:
        VehicleParameters.load(written(tmp_path, content))
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith("(rear is of Suspension.json)")
    behind = {"Input File": "car/Rack.json", "Location": [-1.6, 0, -0.02], "Orientation": [1, 0, 0, 0]}
    content["car/Vehicle.json"]["Steering Subsystems"].append(
        behind
    )  # then mechanisms are built and compared
    content["car/Vehicle.json"]["Axles"][1]["Steering Index"] = 1
    with pytest.raises(DataError, match=where):
        VehicleParameters.load(written(tmp_path, content))
    content = files()
    content["car/Rack.json"]["Pinion"]["Maximum Angle (deg)"] = 3000.0
    with pytest.raises(
        AssemblyError,
        match=r"^Vehicle\.json: front_left: the steering linkage cannot be assembled at full lock, "
        r"steering\.travel = .* \(front is of Suspension\.json, steering is of Rack\.json\)$",
    ):
        prepare("straight", model=written(tmp_path, content))


def test_notes_name_files_and_keys_without_meaning(car: Path, tmp_path: Path) -> None:
    notes = " | ".join(convert_vehicle(car).notes)
    for said in ("locks of differentials", "Engine.json is taken", "Tyre.json is taken", "visualisation"):
        assert said in notes
    assert "keys without effect" not in notes
    content = files()
    content["car/Brake.json"]["Colour"] = 3
    notes = " ".join(convert_vehicle(written(tmp_path, content)).notes)
    assert "keys without effect: Brake.json: Colour" in notes


def test_shafts_engine_and_gears_by_hand(car: Path) -> None:
    powertrain: Any = VehicleParameters.load(car).powertrain
    # Driveshaft 0.5 and the case 0.6, which turns 0.25 times as fast.
    assert powertrain.shafts.inertia == pytest.approx(0.5 + 0.6 * 0.25**2)
    assert powertrain.engine.full_throttle.speed == pytest.approx((0.0, 100.0 * np.pi, 200.0 * np.pi))
    # The last gear is not left upwards, the first not downwards.
    assert powertrain.transmission.upshift == pytest.approx((4000 * np.pi / 30, 4200 * np.pi / 30))
    assert powertrain.transmission.downshift == pytest.approx((1200 * np.pi / 30, 1400 * np.pi / 30))


CONVERTER_BOX: dict[str, Any] = {
    "Template": "AutomaticTransmissionShafts",
    "Transmission Block Inertia": 1.0,
    "Input Shaft Inertia": 0.3,
    "Motorshaft Inertia": 0.5,
    "Driveshaft Inertia": 0.5,
    "Torque Converter": {"Capacity Factor Map": [[0, 15], [1, 40]], "Torque Ratio Map": [[0, 2], [1, 1]]},
    "Gear Box": {
        "Forward Gear Ratios": [0.2, 0.5, 0.8],
        "Reverse Gear Ratio": -0.2,
        "Upshift RPM": 2400,
        "Downshift RPM": 1200,
    },
}


def test_a_converter_is_linear_in_its_capacity_factor(tmp_path: Path) -> None:
    """Torque over squared speed is 1/K²; straight pieces lie above that hyperbola, by `CHORD` at most."""
    content = files()
    content["car/Gears.json"] = copy.deepcopy(CONVERTER_BOX)
    path = written(tmp_path, content)
    powertrain: Any = VehicleParameters.load(path).powertrain
    nu = np.linspace(0.0, 1.0, 301)
    capacity = np.interp(nu, powertrain.converter.speed_ratio, powertrain.converter.capacity)
    ratio = capacity * np.interp(nu, (0.0, 1.0), (15.0, 40.0)) ** 2
    assert ratio.min() == pytest.approx(1.0, abs=1e-5)  # six digits are written
    assert 1.0 < ratio.max() < 1.0 + CHORD
    assert powertrain.converter.turbine_inertia == 0.3


@pytest.mark.parametrize("like_chrono", [False, True])
def test_what_like_chrono_changes_in_brakes_and_shifts(tmp_path: Path, like_chrono: bool) -> None:
    """Brakes on shafts react on the chassis; gears are changed at once."""
    content = files()
    content["car/Brake.json"] |= {"Template": "BrakeShafts", "Shaft Inertia": 0.4}
    data, made = convert(tmp_path, content, like_chrono=like_chrono)
    assert {axle.braked for axle in data.layout.axles} == {"inboard" if like_chrono else "yes"}
    assert any("react on the chassis" in note for note in made.notes) != like_chrono
    transmission: Any = data.powertrain.transmission  # type: ignore[attr-defined]  # of gears
    assert transmission.shift_time == (0.005 if like_chrono else 0.2)
    model = build(data, speed=5.0)
    kind = InboardBrake if like_chrono else Brake
    assert [type(force) for force in model.forces if force.name.endswith(".brake")] == [kind] * 4


@pytest.mark.parametrize("template", ["AutomaticTransmissionSimpleMap", "AutomaticTransmissionShafts"])
def test_overlapping_shift_points_get_hysteresis(tmp_path: Path, template: str) -> None:
    """Shifted up at 2400 rpm, the second of gears 0.2, 0.5, 0.8 turns at 960 rpm, the third at 1500."""
    content = files()
    box: dict[str, Any] = copy.deepcopy(CONVERTER_BOX)
    if template != box["Template"]:
        box["Template"] = template
        box["Gear Box"]["Shift Points Map RPM"] = [[1200, 2400]] * 3
    content["car/Gears.json"] = box
    path = written(tmp_path, content)
    data = VehicleParameters.load(path)
    transmission: Any = data.powertrain.transmission  # type: ignore[attr-defined]  # of gears
    build(data, speed=5.0)
    (lowest, second), _ = transmission.shift_speeds
    rpm = np.pi / 30
    assert 0.8 * 960 * rpm < lowest < 0.95 * 960 * rpm  # apart by more than the shift's own band of 2 %
    assert second == pytest.approx(1200 * rpm)
    (note,) = (one for one in convert_vehicle(path).notes if "overlap" in one)
    assert "gear 2 turns its input at 960 rpm" in note


def test_the_tyre_of_a_load_index_by_hand(car: Path) -> None:
    """Index 90 is 600 kg: nominal load half of it, stiffness from a deflection of 16 % of the section."""
    tyre: Any = VehicleParameters.load(car).corners["front_left"].tyre
    load = 600.0 * 9.81
    assert tyre.pn == pytest.approx(0.5 * load)
    assert tyre.cz == pytest.approx(load / (0.16 * (0.31 - 0.2)))
    assert tyre.dz == pytest.approx(np.sqrt(tyre.cz * 9.0))
    assert tyre.dfy0[1] == pytest.approx(12.8509 * load)


def test_inertias_of_arms_are_turned_into_their_plane(car: Path) -> None:
    """The principal moments stay; the largest one's axis is normal to the plane of the arm's three points."""
    corner = VehicleParameters.load(car).corners["front_left"]
    moments, axes = np.linalg.eigh(corner.parts["upper_arm"].inertia)
    assert moments == pytest.approx([0.02, 0.03, 0.04], rel=1e-12)
    front, back, outer = np.array([[0.15, 0.4, 0.19], [-0.15, 0.4, 0.21], [-0.02, 0.66, 0.2]])
    assert axes[:, 2] @ (front - outer) == pytest.approx(0.0, abs=1e-15)
    assert axes[:, 2] @ (back - outer) == pytest.approx(0.0, abs=1e-15)
    assert abs(axes[:, 0] @ (front - back)) == pytest.approx(np.linalg.norm(front - back), rel=1e-12)


def test_components_of_a_chassis_add_up(tmp_path: Path) -> None:
    """A homogeneous box less a smaller, turned one: against sums over many small cubes."""
    content = files()
    turn = np.deg2rad(90.0)
    boxes = [
        ((0.2, 0.0, 0.4), (2.0, 1.0, 0.6), 800.0, (1.0, 0.0, 0.0, 0.0), False),
        ((0.5, 0.0, 0.5), (0.6, 0.2, 0.2), 16.0, (np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)), True),
    ]
    content["car/Chassis.json"]["Components"] = [
        {
            "Centroidal Frame": {"Location": list(at), "Orientation": list(q)},
            "Mass": mass,
            "Moments of Inertia": [mass / 12 * (b * b + c * c) for b, c in ((y, z), (x, z), (x, y))],
            "Products of Inertia": [0, 0, 0],
            "Void": void,
        }
        for at, (x, y, z), mass, q, void in boxes
    ]
    built = VehicleParameters.load(written(tmp_path, content)).chassis
    # Cubes of 2 cm: their own inertia, m h²/6, is added.  The small box lies along y.
    h = 0.02
    axes = [np.arange(-0.79, 1.2, h), np.arange(-0.49, 0.5, h), np.arange(0.11, 0.7, h)]
    r = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    inside = np.all(np.abs(r - (0.5, 0.0, 0.5)) < (0.1, 0.3, 0.1), axis=1)
    m = np.where(inside, 800.0 / len(r) - 16.0 / inside.sum(), 800.0 / len(r))
    com = m @ r / m.sum()
    d = r - com
    inertia = np.einsum(
        "n,nij->ij", m, np.einsum("nk,nk,ij->nij", d, d, np.eye(3)) - d[:, :, None] * d[:, None]
    )
    inertia += m.sum() * h * h / 6.0 * np.eye(3)
    assert built.mass == pytest.approx(m.sum(), rel=1e-12)
    assert built.com == pytest.approx(com, abs=1e-12)
    assert built.inertia == pytest.approx(inertia, rel=1e-9, abs=1e-9)


def test_the_steering_of_a_turned_frame(tmp_path: Path) -> None:
    """A rack in a frame that is turned about y keeps its lateral direction and turns its inertia."""
    content = files()
    turn = np.deg2rad(30.0)
    content["car/Vehicle.json"]["Steering Subsystems"][0]["Orientation"] = [
        np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0
    ]  # fmt: skip
    content["car/Rack.json"]["Steering Link"]["Inertia"] = [0.1, 0.2, 0.3]
    rack: Any = VehicleParameters.load(written(tmp_path, content)).steering
    c, s = np.cos(turn), np.sin(turn)
    assert rack.body.inertia[0, 0] == pytest.approx(0.1 * c * c + 0.3 * s * s)
    assert rack.body.inertia[0, 2] == pytest.approx((0.3 - 0.1) * s * c)
    assert rack.data.travel == pytest.approx(0.2 * np.deg2rad(20.0))


def test_full_lock_slightly_beyond_reach_of_linkage(tmp_path: Path) -> None:
    """The file's tie rods end at some travel; racks that go 5 % further end before it, which is said."""
    content = files()
    content["car/Rack.json"]["Pinion"]["Maximum Angle (deg)"] = 3000.0
    far = VehicleParameters.load(written(tmp_path, content))

    def open_at(travel: float) -> bool:
        part = travel / far.steering.data.travel
        return any(np.isnan(float(wheel_angle(far, c, u))) for c in first_steered(far) for u in (part, -part))

    lower, upper = 0.0, far.steering.data.travel
    for _ in range(30):
        middle = 0.5 * (lower + upper)
        lower, upper = (lower, middle) if open_at(middle) else (middle, upper)
    content["car/Rack.json"]["Pinion"]["Maximum Angle (deg)"] = (
        3000.0 * 1.05 * lower / far.steering.data.travel
    )
    path = written(tmp_path, content)
    data = VehicleParameters.load(path)
    assert data.steering.data.travel == pytest.approx(0.9 * lower, rel=5e-4)  # four digits
    assert any(note.startswith("full lock of the steering: the linkage ends at ") for note in data.notes)
    assert max_wheel_angle(data) > 0.0


def pitman() -> dict[str, Any]:
    bar = {"Moments of Inertia": [0.02, 0.002, 0.02], "Products of Inertia": [0, 0, 0], "Radius": 0.02}
    upright, across = [0, 0, 1], [1, 0, 0]
    return {
        "Name": "pitman",
        "Type": "Steering",
        "Template": "PitmanArm",
        "Steering Link": {"Mass": 2.0, "COM": [0.1, 0, 0], **bar},
        "Pitman Arm": {"Mass": 1.0, "COM": [0.05, 0.25, 0], **bar},
        "Revolute Joint": {"Location": [0, 0.25, 0], "Direction": upright, "Maximum Angle (deg)": 30.0},
        "Universal Joint": {"Location": [0.1, 0.25, 0], "Direction Arm": upright, "Direction Link": across},
        "Revolute-Spherical Joint": {
            "Location Chassis": [0, -0.3, 0],
            "Location Link": [0.1, -0.3, 0],
            "Direction": upright,
        },
        "Tierod Locations": {"Pitman Side": [0.1, 0.4, 0], "Idler Side": [0.1, -0.4, 0]},
    }


@pytest.mark.parametrize("like_chrono", [False, True])
def test_the_idler_arm_of_a_pitman_steering(tmp_path: Path, like_chrono: bool) -> None:
    """It acts as an arm without mass; with ``like_chrono`` it has Chrono's joint and tyres."""
    content = files()
    content["car/Rack.json"] = pitman()
    data, _ = convert(tmp_path, content, like_chrono=like_chrono)
    steering: Any = data.steering
    if not like_chrono:
        assert steering.idler_joint is None
        return
    assert steering.idler_joint.reaction_error == 1.0
    tyre: Any = data.corners["front_left"].tyre
    assert tyre.width == content["car/Tyre.json"]["Design"]["Width [m]"]
    model = ce.compile(build(data, speed=10.0))
    seen = model.outputs(settle(model), u=model.u0)
    assert abs(seen["steering.idler_joint.axial_force"]) > 1.0


def round_arms(graph: bool) -> dict[str, dict[str, Any]]:
    """Return the files with arms whose inertias do not depend on the axes; the suspension may be a graph."""
    content = files()
    suspension = content["car/Suspension.json"]
    for arm in ("Upper Control Arm", "Lower Control Arm"):
        suspension[arm]["Moments of Inertia"] = [0.03, 0.03, 0.03]
    if graph:
        content["car/Suspension.json"] = as_graph(suspension)
    return content


def as_graph(suspension: dict[str, Any]) -> dict[str, Any]:
    arms = {"lower": suspension["Lower Control Arm"], "upper": suspension["Upper Control Arm"]}
    upright = suspension["Upright"]
    bodies = [{**upright, "Name": "Upright", "Position": upright["COM"]}]
    joints = []
    for name, arm in arms.items():
        bodies.append({**arm, "Name": name, "Position": arm["COM"]})
        front, back = (np.array(arm[f"Location Chassis {end}"]) for end in ("Front", "Back"))
        turn = np.arctan2(*(front - back)[[0, 2]])  # about y, from z to the arm's axis
        pivot = {"Name": f"{name} pivot", "Type": "Revolute", "Body1": "Chassis", "Body2": name}
        half = [np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0]
        joints.append({**pivot, "Position": (0.5 * (front + back)).tolist(), "Rotation": half})
        ball = {"Name": f"{name} ball", "Type": "Spherical", "Body1": name, "Body2": "Upright"}
        joints.append({**ball, "Position": arm["Location Upright"]})
    rod = suspension["Tierod"]
    springs = [
        {
            **{key: value for key, value in suspension[name].items() if not key.startswith("Location")},
            "Name": name,
            "Body1": "Chassis",
            "Body2": "lower",
            "Point1": suspension[name]["Location Chassis"],
            "Point2": suspension[name]["Location Arm"],
        }
        for name in ("Spring", "Shock")
    ]
    tie_rod = {
        "Name": "Tie rod", "Body1": "Steering", "Body2": "Upright", "Point1": rod["Location Chassis"],
        "Point2": rod["Location Upright"],
    }  # fmt: skip
    straight = {"Mirrored": True, "Rotation": [1, 0, 0, 0]}
    return {
        "Name": "graph",
        "Type": "Suspension",
        "Template": "GenericWheeledSuspension",
        "Independent": True,
        "Steerable": True,
        "Spindle": {**suspension["Spindle"], "Attachment Body": "Upright"},
        "Axle": suspension["Axle"],
        "Antiroll Body": "lower",
        "Bodies": [{**straight, **item} for item in bodies],
        "Joints": [{**straight, **item} for item in joints],
        "Distance Constraints": [{**straight, **tie_rod}],
        "TSDAs": [{**straight, **item} for item in springs],
    }


def test_a_free_graph_is_the_same_car(tmp_path: Path) -> None:
    """Double wishbones by their template and as bodies and joints: the same place, the same loads."""
    found = []
    for graph in (False, True):
        data = VehicleParameters.load(written(tmp_path / str(graph), round_arms(graph)))
        model = ce.compile(build(data, speed=15.0))
        y = settle(model)
        responses = model.instant(y, model.u0).loads.responses
        loads = [float(responses[f"{corner}.tyre"].outputs["Fz"]) for corner in data.corners]
        found.append([*y[:7].tolist(), *(load / 1e4 for load in loads)])
    assert found[1] == pytest.approx(found[0], abs=1e-8)


def test_a_free_graph_and_a_steering_that_tilts(tmp_path: Path) -> None:
    """The tilting link of a Pitman steering leads besides what leads the graph: loads as by the template."""
    found = []
    for graph in (False, True):
        content = round_arms(graph) | {"car/Rack.json": pitman()}
        data, _ = convert(tmp_path / str(graph), content, like_chrono=True)
        model = ce.compile(build(data, speed=10.0))
        seen = model.outputs(settle(model), u=model.u0)
        found.append([seen["steering.idler_joint.axial_force"], seen["front_left.tyre.Fz"]])
    assert found[1] == pytest.approx(found[0], rel=1e-6)


def test_a_free_graph_and_a_column(tmp_path: Path) -> None:
    """A rack that hands hold leads besides what leads the graph: the car turns."""
    written_out = yaml.safe_load(convert_vehicle(written(tmp_path, round_arms(graph=True))).text)
    (steering,) = (axle["steering"] for axle in written_out["axles"].values() if "steering" in axle)
    del steering["actuator"]
    steering["column"] = {
        "source": "chrono", "lock": "540 deg", "inertia": "0.04 kg*m^2", "damping": "0.3 N*m*s/rad",
        "stop_stiffness": "300 N*m/rad", "hands": {"stiffness": "60 N*m/rad", "damping": "3 N*m*s/rad"},
    }  # fmt: skip
    file = tmp_path / "own.yaml"
    file.write_text(yaml.safe_dump(written_out), encoding="utf-8")
    model = ce.compile(build(VehicleParameters.load(file), speed=10.0))
    run = ce.simulate(model, {"steering": 0.1}, duration=1.0, y0=settle(model))
    angle = float(run["steering_column_angle"][-1])
    assert 0.04 * np.deg2rad(540.0) < angle < 0.1 * np.deg2rad(540.0)
    assert float(run["yaw_rate"][-1]) > 0.05


MAPPED = {
    "Location Chassis": [0, 0.5, 0.35], "Location Arm": [0, 0.55, -0.12],
    "Map Data": [[-1, 5, 5], [1, -5, -5]], "Deformation": [0.3, 0.4],
}  # fmt: skip
"""A damper by its map."""


SHIFTS = "Gear Box/Shift Points Map RPM"
INERTIA = "Components/0/Products of Inertia"
FRAME = "Components/0/Centroidal Frame/Orientation"
TURNED = "Steering Subsystems/0/Orientation"
FALLING, BACKWARDS = MAPPED | {"Deformation": [0.4, 0.3]}, MAPPED | {"Map Data": [[1, 5, 5], [-1, -5, -5]]}


@pytest.mark.parametrize(
    ("name", "where", "to", "message"),
    [
        ("Chassis", "Components/0/Mass", None, r"^Chassis\.json: Components\[0\]/Mass: it is missing; exp"),
        ("Chassis", "Components/0/Mass", -1, r"-1 is less than 0; give a larger number$"),
        (
            "Chassis",
            "Template",
            "Tracks",
            r"^Chassis\.json: Template: 'Tracks' is no chassis that can be read",
        ),
        ("Chassis", FRAME, [0] * 4, r"a quaternion of length 0 is no rotation; its length must be 1$"),
        ("Suspension", "Template", "Magic", r"'Magic' is no suspension that can be read; known are"),
        ("Suspension", "Toe Angle (deg)", 40, r"Toe Angle \(deg\): 40 is no angle of a wheel"),
        ("Suspension", "Spring/Free Length", None, r"^Suspension\.json: Spring/Free Length: it is missing"),
        ("Suspension", "Spring/Minimum Length", 0.58, r"it is equal to 'Maximum Length'"),
        ("Suspension", "Spring/Spring Coefficient", None, r"give one of them$"),
        ("Suspension", "Shock/Map Data", [[-1, 5, 5], [1, -5, -5]], r": Shock/Deformation: it is missing"),
        ("Suspension", "Shock", FALLING, r": Shock/Deformation: its lengths, .* must increase; sort them$"),
        (
            "Suspension",
            "Shock",
            BACKWARDS,
            r": Shock/Map Data: its lengths, or the speeds at the heads of rows",
        ),
        ("Vehicle", "Axles/0/Steering Index", 3, r"Axles\[0\]/Steering Index: 3: there are 1"),
        ("Vehicle", "Axles", [], r"Axles: it is empty; describe one axle at least$"),
        ("Vehicle", "Driveline", None, r"^Vehicle\.json: Driveline: it is missing"),
        ("Vehicle", "Driveline/Suspension Indexes", [5], r"5 is no axle; they count from 0 to 1$"),
        ("Vehicle", "Chassis/Input File", "car/None.json", r"no file 'car/None\.json' in a folder"),
        (
            "Vehicle",
            "Chassis/Input File",
            "../Chassis.json",
            r"no file '\.\./Chassis\.json', counted from .*; corr",
        ),
        ("Vehicle", "Chassis/Input File", "/no/such.json", r"no file '/no/such\.json' in a folder"),
        ("Vehicle", "Name", " ", r"^Vehicle\.json: Name: ' ' is no text"),
        ("Vehicle", "Axles/0/Steering Index", None, r"^Vehicle\.json: Axles: none has a 'Steering Index'"),
        ("Vehicle", "Rear Chassis", [{}], r"Rear Chassis\[0\]/Input File: it is missing"),
        ("Rack", "Pinion/Radius", 0, r"^Rack\.json: Pinion/Radius: 0 moves no rack"),
        (
            "Vehicle",
            TURNED,
            [0.8, 0.6, 0, 0],
            r"does not slide along y; turn its 'Orientation' about y only$",
        ),
        ("Engine", "Map Full Throttle", [[0, 1], [0, 2]], r"0 follows 0; the first numbers must"),
        ("Gears", "Gear Box/Forward Gear Ratios", [1, 1, 3], r"must be positive and differ"),
        (
            "Gears",
            SHIFTS,
            [[9, 40], [0, 42], [14, 50]],
            r"Shift Points Map RPM: 0 rpm is no speed to shift at$",
        ),
        ("Gears", SHIFTS, [[1, 2]], r"1 rows for 3 gears; give \[down"),
        ("Tyre", "Load Index", 90.5, r"90\.5 is no load index; it is a whole number up to 164"),
        ("Tyre", "Design/Rim Radius [m]", 20, r"20 m is not less than the tyre's 0\.31 m"),
        ("Tyre", "Template", "FEATire", r"no file in car describes one.* name one by --tyre FILE$"),
        (
            "Wheel",
            "Inertia",
            [0.2, -0.3, 0.2],
            r": Inertia: -0\.3 is less than 0; no body has such an inertia$",
        ),
        ("Chassis", INERTIA, [0, 900, 0], r"Products of Inertia: the smallest principal moment is -"),
        (
            "Suspension",
            "Spindle/COM",
            [0, -0.75, 0],
            r"y = -0\.75 m is not on the left; give that of the left",
        ),
        (
            "Suspension",
            "Tierod/Location Chassis",
            [-150, 300, 0],
            r"-150 m is no place on a vehicle, at most 50",
        ),
        ("Brake", "Template", "Anchor", r"'Anchor' is no brake that can be read"),
    ],
)
def test_bad_files_are_refused_by_name(
    tmp_path: Path, name: str, where: str, to: object, message: str
) -> None:
    content = files()
    change(content, name, where, to)
    with pytest.raises(DataError, match=message) as caught:
        convert_vehicle(written(tmp_path, content))
    names_file = str(caught.value).startswith(f"{name}.json: ")
    assert names_file or name == "Tyre" or where == TURNED  # of which the rack's file is named
    assert "\n" not in str(caught.value)
