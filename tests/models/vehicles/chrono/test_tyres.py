"""Chrono's tyre files of other models than TMeasy, by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.simple.pac89 import Pac89Tyre
from ce_dynamics.models.tyres.simple.tmsimple import TMsimpleTyre
from ce_dynamics.models.vehicles.chrono.vehicle import converted
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.models.vehicles.chrono.small_car import files, written

PAC89: dict[str, Any] = {
    "Name": "tyre",
    "Type": "Tire",
    "Template": "Pac89Tire",
    "Mass": 9.0,
    "Inertia": [0.3, 0.6, 0.3],
    "Coefficient of Friction": 0.8,
    "Design Parameters": {
        "Unloaded Radius": 0.32,
        "Width": 0.2,
        "Vertical Stiffness": 250000.0,
        "Vertical Damping": 1500.0,
        "Lateral Stiffness": 150000.0,
        "Rolling Resistance": 0.015,
    },
    "Lateral Coefficients": {f"a{k}": 0.0 for k in range(14)}
    | {"a0": 1.5, "a1": -5.0, "a2": 800.0, "a3": 2600.0, "a4": 49.0, "a7": 0.4},
    "Longitudinal Coefficients": {f"b{k}": 0.0 for k in range(11)}
    | {"b0": 1.5, "b1": -16.0, "b2": 1000.0, "b4": 200.0, "b8": -1.0},
    "Aligning Coefficients": {f"c{k}": 0.0 for k in range(18)} | {"c3": 0.5, "c4": 2.0, "c5": 0.1},
}


def with_tyre(folder: Path, tyre: dict[str, Any]) -> Path:
    """The small car on other tyres."""
    return written(folder, files() | {"car/Tyre.json": tyre})


def test_tmsimple_by_its_load_index(tmp_path: Path) -> None:
    """Index 90 stands for 600 kg; half of it is the nominal load."""
    tyre = files()["car/Tyre.json"] | {"Template": "TMsimpleTire"}
    built = VehicleParameters.load(with_tyre(tmp_path, tyre)).corners["front_left"].tyre
    assert isinstance(built, TMsimpleTyre)
    load = 600.0 * 9.81
    assert built.pn == pytest.approx(0.5 * load, rel=1e-12)
    assert built.cz == pytest.approx(load / (0.16 * (0.31 - 0.2)), rel=1e-12)
    assert built.fxm == pytest.approx((1.1404 * built.pn, 1.1045 * 2.0 * built.pn), rel=1e-12)


def test_pac89_by_its_coefficients(tmp_path: Path) -> None:
    """Slopes without slip: a3 sin(2 atan(F/a4)) per degree, (b3 F² + b4 F) exp(−b5 F) per cent, F in kN."""
    built = VehicleParameters.load(with_tyre(tmp_path, PAC89)).corners["rear_right"].tyre
    assert isinstance(built, Pac89Tyre)
    load, small = 3200.0, 1e-6
    along, _, _ = built.forces(load, kappa=small)
    assert along == pytest.approx(100.0 * small * 200.0 * 3.2, rel=1e-4)
    _, across, turning = built.forces(load, alpha=small)
    stiffness = 2600.0 * math.sin(2.0 * math.atan(3.2 / 49.0))
    assert across == pytest.approx(-math.degrees(small) * stiffness, rel=1e-4)
    # 4 % of the radius times the vertical stiffness is this load.
    expected = math.degrees(small) * (0.5 * 3.2**2 + 2.0 * 3.2) * math.exp(-0.1 * 3.2)
    assert turning == pytest.approx(expected, rel=1e-4)


def test_shifts_of_pac89_are_named(tmp_path: Path) -> None:
    block = PAC89["Lateral Coefficients"] | {"a9": 0.1}
    made = converted(with_tyre(tmp_path, PAC89 | {"Lateral Coefficients": block}))
    assert "camber and shifts of Pac89 tyres: left out" in made.notes


def test_coefficients_are_to_be_given_by_a_property_file(tmp_path: Path) -> None:
    path = with_tyre(tmp_path, PAC89 | {"Template": "Pac02Tire"})
    with pytest.raises(DataError, match="names no tyre"):
        converted(path)
