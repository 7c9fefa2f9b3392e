"""``Bushing Data`` of arms and rods: for the rig unless asked for driving, in the joints' axes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.chrono.vehicle import convert_vehicle
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.models.vehicles.chrono.small_car import SUSPENSION, convert, files, written

BUSHING: dict[str, Any] = {
    "Stiffness Linear": 7e6, "Damping Linear": 4e3, "Stiffness Rotational": 1e4, "Damping Rotational": 50,
    "DOF": {"Stiffness Rotational": 80, "Damping Rotational": 2},
}  # fmt: skip
LINK: dict[str, Any] = {
    "Mass": 1.0, "Radius": 0.01, "Inertia": [0.01, 0.01, 0.001], "COM": [0, 0.5, 0],
    "Universal Joint Axis": [1, 0, 0],
}  # fmt: skip
LEAST = {key: value for key, value in BUSHING.items() if key != "DOF"}


def soft(**bushings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The small car with bushings of its front arms."""
    content = files()
    content["car/Front.json"] = front = files()["car/Suspension.json"]
    content["car/Vehicle.json"]["Axles"][0]["Suspension Input File"] = "car/Front.json"
    for side, data in bushings.items():
        front[f"{side} Control Arm"]["Bushing Data"] = data
    return content


def test_vehicle_is_rigid_unless_asked_to_yield(tmp_path: Path) -> None:
    path = written(tmp_path, soft(Upper=BUSHING))
    made = convert_vehicle(path)
    assert "dynamic" not in made.text
    assert "damping: 4000" not in made.text  # which would have no effect
    assert any("they yield on the rig; as the vehicle drives their joints are rigid" in x for x in made.notes)
    data = VehicleParameters.load(path)
    assert len(Model(build(data)).layout.v) == 14
    assert data.bushings[0].stiffness["about_z"] == 80.0


def test_arms_yield_as_their_files_say(tmp_path: Path) -> None:
    """Stiffness and damping along, across and about the joint, half way between its pivots."""
    data, made = convert(tmp_path, soft(Upper=BUSHING, Lower=LEAST), bushings=True)
    assert not any("bushing" in note for note in made.notes)
    upper = next(one for one in data.bushings if one.name == "front_left.upper_arm_bushing")
    lower = next(one for one in data.bushings if one.name == "front_left.lower_arm_bushing")
    assert dict(upper.stiffness) == dict.fromkeys("xyz", 7e6) | {
        "about_x": 1e4, "about_y": 1e4, "about_z": 80.0
    }  # fmt: skip
    assert dict(upper.damping) == dict.fromkeys("xyz", 4e3) | {
        "about_x": 50.0, "about_y": 50.0, "about_z": 2.0
    }  # fmt: skip
    assert (lower.stiffness["about_z"], lower.damping["about_z"]) == (0.0, 0.0)  # where no DOF is given
    model = Model(build(data))
    # Four arms on five more freedoms each.
    assert len(model.layout.v) == 14 + 4 * 5
    element = next(force for force in model.system.forces if force.name == "front_left.upper_arm_bushing")
    at = np.asarray(element.attachments[0][1], dtype=float)
    np.testing.assert_allclose(at, np.array((1.2, 0.4, 0.2)), atol=1e-12)


def test_a_bushing_without_its_numbers_is_named(tmp_path: Path) -> None:
    wrong = {key: value for key, value in BUSHING.items() if key != "Damping Linear"}
    path = written(tmp_path, soft(Lower=wrong))
    with pytest.raises(DataError, match=r"^Front.json: Lower Control Arm/Bushing Data/Damping Linear: it is"):
        convert_vehicle(path, bushings=True)


def test_tie_rods_with_body_yield_at_both_ends(tmp_path: Path) -> None:
    """Free about all axes of the ball joint outside, about those across the rod at the universal joint."""
    content = soft()
    content["car/Front.json"]["Tierod"] |= {"Mass": 1.0, "Radius": 0.01, "Bushing Data": BUSHING}
    content["car/Suspension.json"]["Tierod"] |= {"Mass": 1.0, "Radius": 0.01, "Bushing Data": BUSHING}
    data = VehicleParameters.load(written(tmp_path, content))
    system = build(data, ideal_joints=True)
    found: dict[str, Any] = {one.name: one.elastic(system)[0] for one in data.bushings}
    ball, universal = (found[f"front_left.tie_rod_{end}"] for end in ("outer_bushing", "bushing"))
    assert ball.joint == "hinge of front_left.tie_rod"
    assert [law.k for law in ball.element.stiffness] == [7e6, 7e6, 7e6, 80.0, 80.0, 80.0]
    assert universal.joint == "front_left.tie_rod/steering.rack"
    assert [law.k for law in universal.element.stiffness] == [7e6, 7e6, 7e6, 80.0, 80.0, 1e4]
    along = np.array(SUSPENSION["Tierod"]["Location Upright"]) - SUSPENSION["Tierod"]["Location Chassis"]
    np.testing.assert_allclose(universal.element.axes[:, 2], along / np.linalg.norm(along), atol=1e-12)
    assert found["rear_left.tie_rod_bushing"].joint == "rear_left.tie_rod/chassis"


def test_rods_that_are_lengths_yield_in_series(tmp_path: Path) -> None:
    """Two springs of 7 and 7 kN/mm, or of 7 and 3, one behind the other; what turns them is named."""
    axle = {
        "Name": "five links",
        "Type": "Suspension",
        "Template": "ThreeLinkIRS",
        "Spindle": SUSPENSION["Spindle"],
        "Trailing Arm": {
            "Mass": 8.0, "COM": [0.1, 0.65, 0], "Inertia": [0.1, 0.2, 0.2],
            "Location Chassis": [0.45, 0.6, 0.02], "Location Spindle": [0, 0.7, 0],
            "Bushing Data Chassis": BUSHING,
        },
        "Upper Link": LINK | {"Location Chassis": [-0.05, 0.35, 0.15], "Location Arm": [-0.05, 0.62, 0.14]},
        "Lower Link": LINK | {
            "Location Chassis": [-0.05, 0.3, -0.1], "Location Arm": [-0.05, 0.65, -0.1],
            "Bushing Data Chassis": LEAST, "Bushing Data Arm": LEAST | {"Stiffness Linear": 3e6},
        },
        "Spring": SUSPENSION["Spring"],
        "Shock": SUSPENSION["Shock"],
        "Axle": SUSPENSION["Axle"],
    }  # fmt: skip
    content = files()
    content["car/Rear.json"] = axle
    content["car/Vehicle.json"]["Axles"][1]["Suspension Input File"] = "car/Rear.json"
    path = written(tmp_path, content)
    data = VehicleParameters.load(path)
    found = {one.name: one for one in data.bushings}
    assert dict(found["rear_left.lower_link_bushing"].stiffness) == {"z": pytest.approx(2.1e6, rel=1e-12)}
    assert "rear_left.upper_link_bushing" not in found
    assert found["rear_left.trailing_arm_bushing"].stiffness["about_x"] == 80.0  # a ball joint
    lower = found["rear_left.lower_link_bushing"].elastic(build(data, ideal_joints=True))[0]
    assert lower.joint == "rear_left.trailing_arm/chassis lower_link"
    axle["Upper Link"]["Bushing Data Arm"] = BUSHING
    notes = convert_vehicle(written(tmp_path, content)).notes
    assert any("rotational stiffness of the bushings of rods" in note for note in notes)


def test_massless_rods_with_bushings_are_called_rigid(tmp_path: Path) -> None:
    content = soft()
    content["car/Front.json"]["Tierod"]["Bushing Data"] = BUSHING
    made = convert_vehicle(written(tmp_path, content))
    assert any("bushings of rods without mass" in note for note in made.notes)
    assert not any("keys without effect" in note and "Bushing" in note for note in made.notes)
    assert "tie_rod_bushing" not in made.text
