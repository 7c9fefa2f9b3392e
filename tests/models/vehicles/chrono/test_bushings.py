"""``Bushing Data`` of arms: rigid unless asked for, else six stiffnesses and dampings in the joint's axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.chrono.vehicle import converted
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.models.vehicles.chrono.small_car import files, written

BUSHING: dict[str, Any] = {
    "Stiffness Linear": 7e6,
    "Damping Linear": 4e3,
    "Stiffness Rotational": 1e4,
    "Damping Rotational": 50,
    "DOF": {"Stiffness Rotational": 80, "Damping Rotational": 2},
}
LEAST = {key: value for key, value in BUSHING.items() if key != "DOF"}


def soft(**bushings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The small car with bushings of its front arms."""
    content = files()
    content["car/Front.json"] = front = files()["car/Suspension.json"]
    content["car/Vehicle.json"]["Axles"][0]["Suspension Input File"] = "car/Front.json"
    for side, data in bushings.items():
        front[f"{side} Control Arm"]["Bushing Data"] = data
    return content


def test_rigid_unless_they_are_asked_for(tmp_path: Path) -> None:
    made = converted(written(tmp_path, soft(Upper=BUSHING)))
    assert "bushings:" not in made.text.partition("\ntitle:")[2]
    assert any(
        "'simulate-vehicle convert --bushings' lets those of arms yield" in note for note in made.notes
    )


def test_arms_yield_as_their_files_say(tmp_path: Path) -> None:
    """Stiffness and damping along, across and about the joint, half way between its pivots."""
    made = converted(written(tmp_path, soft(Upper=BUSHING, Lower=LEAST)), bushings=True)
    assert not any("bushing" in note for note in made.notes)
    (tmp_path / "soft.yaml").write_text(made.text)
    data = VehicleParameters.load(tmp_path / "soft.yaml")
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
        converted(path, bushings=True)
