"""A strut's top mount that yields, against statics and virtual work on the upright by hand.

With springs and bars that hardly push, the upright is held by the rods of its arm, its tie rod, the mount
square to the strut, and the force that holds the wheel's height: six forces, which follow from six equations.
A load F makes forces f in the mount, f = a F, and the wheel goes by f a/k along the load.
"""

from pathlib import Path

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models import kc
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.models.kc.rods import Floats

STIFF = (8e5, 5e5)
WORDS = """
title: Hatchback with elastic top mounts
base: hatchback
bushings: {front: {mount: {joint: strut}}}
front:
  mount: {x: {stiffness: 800 kN/m}, y: {stiffness: 500 kN/m}MORE}
"""
SOFT = [
    "front.spring.linear=1 N/m",
    "front.spring.free_length=0.4254 m",
    "front.anti_roll_bar.stiffness=0.01 N*m/rad",
]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "mounts.yaml"
    path.write_text(WORDS.replace("MORE", ""))
    return path


def unit(v: Floats) -> Floats:
    found: Floats = v / np.linalg.norm(v)
    return found


def test_how_far_the_wheel_goes(written: Path) -> None:
    data = VehicleParameters.load(written, SOFT)
    elastic = kc.compliance_of(data, "front")
    p = data.corners["front_left"].points
    W, D, F, S, K, L = data.corners["front_left"].W, p["D"], p["F"], p["S"], p["K"], p["L"]
    z = unit(F - S)
    x = unit(np.array((1.0, 0.0, 0.0)) - z * z[0])
    forces = [(D, unit(D - p[f"lower_arm.{end}_pivot"])) for end in ("front", "rear")]
    forces += [(K, unit(K - L)), (F, x), (F, np.cross(z, x)), (W, np.array((0.0, 0.0, 1.0)))]
    A = np.array([np.concatenate((np.cross(at, way), way)) for at, way in forces]).T
    for axis in (0, 1):
        load = np.eye(3)[axis]
        found = np.linalg.solve(A, -np.concatenate((np.cross(W, load), load)))
        goes = found[3] ** 2 / STIFF[0] + found[4] ** 2 / STIFF[1]
        kind = ("longitudinal", "lateral")[axis]
        pushed = kc.force_sweep(elastic, kc.force_sweep_of(kind, [-1.0, 1.0], place="centre"))
        moved = pushed[f"wheel_centre_{'xy'[axis]}"].sel(side="left").values
        assert 0.5 * (moved[1] - moved[0]) == pytest.approx(goes, rel=1e-5)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (", z: {stiffness: 1 kN/m}", "give x and y, square to it"),
        (', at: "(0, 0.5, 0.5) m"', "give x and y, square to it"),
    ],
)
def test_what_a_mount_does_not_have(tmp_path: Path, more: str, words: str) -> None:
    path = tmp_path / "mounts.yaml"
    path.write_text(WORDS.replace("MORE", more))
    with pytest.raises(DataError, match=words):
        kc.compliance_of(path, "front")
