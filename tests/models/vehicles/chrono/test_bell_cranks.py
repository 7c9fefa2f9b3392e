"""A beam axle whose bell crank steers both knuckles."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.embedding.closed_forms.turn_to_length import TurnToLength
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.kinematics.rod import Rod
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from tests.models.vehicles.any_vehicle import assert_accelerations, driven, random_instant
from tests.models.vehicles.chrono.small_car import SUSPENSION, files, written

BODY = {"Mass": 5.0, "Inertia": [0.05, 0.05, 0.05]}
AXLE: dict[str, Any] = {
    "Name": "beam",
    "Type": "Suspension",
    "Template": "SolidBellcrankThreeLinkAxle",
    "Spindle": SUSPENSION["Spindle"],
    "Axle": SUSPENSION["Axle"],
    "Axle Tube": {"Mass": 60.0, "COM": [0, 0, 0], "Inertia": [5.0, 0.3, 5.0]},
    "Knuckle": {
        **BODY,
        "COM": [0, 0.68, 0],
        "Location Lower": [0.01, 0.66, -0.1],
        "Location Upper": [-0.01, 0.64, 0.1],
        "Location Tierod": [-0.15, 0.6, 0.0],
    },
    "Bellcrank": {**BODY, "Location Axle": [0.0, 0.0, 0.05], "Location Tierod": [-0.15, 0.02, 0.05]},
    "Draglink": {**BODY, "Location Steering": [-0.15, 0.3, 0.1], "Location Bellcrank": [-0.15, 0.0, 0.08]},
    "Triangular Link": {**BODY, "Location Chassis": [-0.6, 0.2, 0.2], "Location Axle": [0.0, 0.05, 0.2]},
    "Longitudinal Link": {
        **BODY,
        "Location Chassis": [-0.7, 0.4, -0.05],
        "Location Axle": [0.0, 0.45, -0.05],
    },
    "Tierod": BODY,
    "Spring": {
        "Location Chassis": [0, 0.4, 0.5],
        "Location Axle": [0, 0.4, 0.05],
        "Spring Coefficient": 40000.0,
        "Free Length": 0.5,
    },
    "Shock": {
        "Location Chassis": [0.05, 0.4, 0.5],
        "Location Axle": [0.05, 0.4, 0.0],
        "Damping Coefficient": 3000.0,
    },
}


@pytest.mark.parametrize("steering", [0.2])
def test_it_carries_vehicle_and_turns_it_to_left(tmp_path: Path, steering: float) -> None:
    content = files()
    content["car/Beam.json"] = AXLE
    front = content["car/Vehicle.json"]["Axles"][0]
    front["Suspension Input File"] = "car/Beam.json"
    del front["Antirollbar Input File"]
    data = VehicleParameters.load(written(tmp_path, content))
    model = ce.compile(build(data, speed=8.0))
    y = settle(model)
    responses = model.instant(y, model.u0).loads.responses
    loads = np.array([float(responses[f"{corner}.tyre"].outputs["Fz"]) for corner in data.corners])
    assert loads.sum() == pytest.approx(9.81 * data.mass, rel=1e-6)
    run = ce.simulate(model, {"steering": steering}, duration=1.5, y0=y, method="rk4")
    assert float(run["yaw_rate"][-1]) > 0.02
    assert float(np.abs(run["closure_error"]).max()) < 1e-9


LINK = {"Mass": 1.5, "Inertia": [0.01, 0.01, 0.001]}
FOUR_LINKS: dict[str, Any] = {
    **{key: AXLE[key] for key in ("Name", "Type", "Spindle", "Axle", "Axle Tube", "Spring", "Shock")},
    "Template": "SolidAxle",
    "Knuckle": {
        **BODY,
        "COM": [0, 0.68, 0],
        "Location Lower": [0.01, 0.66, -0.1],
        "Location Upper": [-0.01, 0.64, 0.1],
    },
    "Upper Link": {**LINK, "Location Chassis": [0.5, 0.3, 0.22], "Location Axle": [-0.05, 0.4, 0.18]},
    "Lower Link": {**LINK, "Location Chassis": [0.6, 0.45, -0.1], "Location Axle": [0.0, 0.5, -0.1]},
    "Trackbar": {**LINK, "Location Chassis": [-0.1, -0.5, 0.03], "Location Axle": [-0.1, 0.5, 0.0]},
    "Tierod": {**LINK, "Location Knuckle": [-0.12, 0.6, -0.02]},
    "Draglink": {**LINK, "Location Bell Crank": [-0.15, 0.25, 0.05], "Location Chassis": [-0.1, 0.6, 0.1]},
    "Bell Crank": {**BODY, "Location Axle": [0.0, 0.2, 0.0], "Location Tierod": [-0.12, 0.22, 0.0]},
}


def test_beam_on_five_rods_is_led_by_height(tmp_path: Path, rng: np.random.Generator) -> None:
    """Steered or held by the chassis: tables for beam and knuckles, a formula for the crank."""
    content = files()
    content["car/Beam.json"] = FOUR_LINKS
    for axle in content["car/Vehicle.json"]["Axles"]:
        axle["Suspension Input File"] = "car/Beam.json"
        axle.pop("Antirollbar Input File", None)
    data = VehicleParameters.load(written(tmp_path, content))
    made = build(data)
    system = driven(made, next(name for name in made.prescribed if "steering" in name))
    loops = [S for S in embed(system).aggregates if any("beam" in body.name for body in S.bodies)]
    assert len(loops) == 2
    for S in loops:
        assert [body.name for body in S.independent] == [f"{S.bodies[0].name}.z"]
        parts = [part for part in S.linkages if not isinstance(part, Rod)]
        assert [type(part) for part in parts] == [NumericLinkage, TurnToLength, NumericLinkage]
        assert [part.parameter for part in parts[::2]] == [f"{S.bodies[0].name}.z", parts[1].determines[0]]
        low, high = parts[0].reach() or (0.0, 0.0)
        assert low < -0.1
        assert high > 0.1
    found = random_instant(system, rng, 0.3, travel=0.03, steer=0.02)
    assert_accelerations(found)
