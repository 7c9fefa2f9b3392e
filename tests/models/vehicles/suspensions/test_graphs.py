"""Free graphs: a strut and a beam on links, written item by item, against the form with all hinges cut."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.steering_angle import max_wheel_angle
from tests.models.vehicles.any_vehicle import assert_accelerations, driven, random_instant
from tests.models.vehicles.suspensions.rig import BEAM_CASES, CASES, body

STRUT = CASES["macpherson"]
BEAM = BEAM_CASES["three-link-panhard"]
FRONT = {
    "lower_arm": {"body": "mirrored"}, "strut": {"body": "mirrored"}, "upright": {"body": "mirrored"},
    "pivot": {"revolute": "chassis lower_arm"}, "ball": {"spherical": "lower_arm upright"},
    "top": {"universal": "chassis strut"}, "slide": {"cylindrical": "strut upright"},
    "tie_rod": {"distance": "upright steering"}, "spring": {"spring": "chassis upright"},
    "damper": {"damper": "chassis upright"}, "wheel": {"carrier": "upright"},
}  # fmt: skip
REAR = {
    "beam": {"body": "single"}, "link": {"distance": "chassis beam"},
    "upper": {"distance": "chassis beam", "single": "yes"},
    "panhard": {"distance": "chassis beam", "single": "yes"}, "spring": {"spring": "chassis beam"},
    "damper": {"damper": "chassis beam"}, "wheel": {"carrier": "beam"},
}  # fmt: skip


def plain(section: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: section[name] for name in names}


def file(folder: Path, front: dict[str, Any], rear: dict[str, Any]) -> Path:
    written: dict[str, Any] = {
        "base": "sedan",
        "axles": {"front": {"suspension": "graph"}, "rear": {"suspension": "graph"}},
        "graphs": {"front": front, "rear": rear},
        "front": {
            "origin": [1.388, 0.0, 0.12],
            "W": [0.0, 0.8, 0.0],
            **{name: plain(STRUT[name], "mass", "com", "inertia") for name in ("strut", "upright")},
            "lower_arm": plain(STRUT["lower_arm"], "mass", "com", "inertia"),
            "pivot": {"at": STRUT["lower_arm"]["rear_pivot"], "through": STRUT["lower_arm"]["front_pivot"]},
            "ball": {"at": STRUT["D"]},
            "top": {"at": STRUT["F"], "first": (1.0, 0.6, 0.8), "second": (-0.2, 1.6, 0.9)},
            "slide": {"at": STRUT["S"], "through": STRUT["F"]},
            "tie_rod": {"one": STRUT["K"], "other": STRUT["L"]},
            **plain(STRUT, "spring", "damper"),
        },
        "rear": {
            "origin": [-1.388, 0.0, 0.12],
            "W": [0.0, 0.8, 0.0],
            "beam": body(60.0, (0.01, 0.0, 0.02)),
            "link": {"one": BEAM[1]["link"]["chassis"], "other": BEAM[1]["link"]["upright"]},
            "upper": {"one": (0.6, 0.1, 0.25), "other": (0.0, 0.1, 0.2)},
            "panhard": {"one": (-0.1, -0.45, 0.06), "other": (-0.1, 0.5, 0.02)},
            **plain(STRUT, "damper"),
            "spring": STRUT["spring"],
        },
    }
    for bar in ("front", "rear"):
        written["axles"][bar]["anti_roll_bar"] = "torsion"
    path = folder / "graph.yaml"
    path.write_text(yaml.safe_dump(lists(written), sort_keys=False))
    return path


def lists(thing: Any) -> Any:
    if isinstance(thing, dict):
        return {name: lists(value) for name, value in thing.items()}
    return list(thing) if isinstance(thing, tuple) else thing


def test_against_all_hinges_cut(tmp_path: Path, rng: np.random.Generator) -> None:
    """Struts, steered, in front, a beam on three links and a Panhard rod behind."""
    data = VehicleParameters.load(file(tmp_path, FRONT, REAR))
    system = driven(build(data), "steering.rack")
    found = random_instant(system, rng, 0.2, travel=0.05, steer=0.03)
    assert len(found.v) == 6 + 2 + 2 + 4  # chassis, struts, beam, wheels
    assert_accelerations(found)
    assert float(max_wheel_angle(data)) > 0.2


@pytest.mark.parametrize(
    ("front", "message"),
    [
        ({"pivot": {"revolute": "chassis lower_ram"}}, "pivot: no body 'lower_ram'; there are chassis"),
        ({"pivot": {"hinge": "chassis lower_arm"}}, "an item has one of body, revolute"),
        ({"pivot": {"revolute": "lower_arm"}}, "revolute: expected the names of two bodies"),
        ({"pivot": {"revolute": "chassis lower_arm", "single": "1"}}, "single: unknown '1'; write yes or no"),
        ({"pivot": {}}, r"graphs\.front\.pivot: an empty mapping has no effect; .* or leave it out"),
        ({"wheel": {"carrier": "upright"}, "tie_rod": {"distance": "upright chassis"}}, "disagree"),
    ],
)
def test_refused(tmp_path: Path, front: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        VehicleParameters.load(file(tmp_path, FRONT | front, REAR))
