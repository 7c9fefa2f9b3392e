"""Chrono's tyre files of other models than TMeasy, by hand."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.chrono import ChronoContact, ChronoTyre
from ce_dynamics.models.tyres.simple.pac89 import Pac89Tyre
from ce_dynamics.models.tyres.simple.tmsimple import TMsimpleTyre
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.tyres import read_pac02, tyre_file
from ce_dynamics.models.vehicles.chrono.vehicle import convert_vehicle
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.fitted_tyres import fit_tyres
from tests.models.vehicles.chrono.small_car import convert, files, written

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
    return written(folder, files() | {"car/Tyre.json": tyre})


def test_rigid_tyres_give_way_by_their_modulus(tmp_path: Path) -> None:
    """E* = 20 MPa/(2 (1 - 0.3²)), four points of curvature 0.1 m: 16/3 E* √0.1 (9 mm)^1.5 = 15.82 kN."""
    material = {"Coefficient of Friction": 0.9, "Coefficients": {"Normal Stiffness": 2e5}}
    properties = {"Properties": {"Young Modulus": 2e7, "Poisson Ratio": 0.3}}
    tyre = {"Name": "tyre", "Type": "Tire", "Template": "RigidTire", "Radius": 0.31, "Width": 0.2}
    tyre |= {"Mass": 9.0, "Inertia": [0.3, 0.6, 0.3], "Contact Material": material | properties}
    data: Any = VehicleParameters.load(with_tyre(tmp_path, tyre)).data
    curve = data.front_left.tyre.load_curve
    k = int(np.argmin(np.abs(np.array(curve.deflection) - 9e-3)))
    x, force = curve.deflection[k], curve.force[k]
    assert force == pytest.approx(15820.0 * (x / 9e-3) ** 1.5, rel=1e-3)


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
    made = convert_vehicle(with_tyre(tmp_path, PAC89 | {"Lateral Coefficients": block}))
    assert "camber and shifts of Pac89 tyres: left out" in made.notes


PAC02: dict[str, Any] = {
    "Name": "By hand",
    "Type": "Tire",
    "Template": "Pac02Tire",
    "Mass": 11.5,
    "Inertia": [0.4, 0.7, 0.4],
    "Coefficient of Friction": 0.7,
    "Use Mode": 4,
    "Tire Side": "Right",
    "Dimension": {"Unloaded Radius": 0.35, "Width": 0.2, "Rim Radius": 0.2},
    "Vertical": {"Vertical Stiffness": 2e5, "Vertical Damping": 300, "Nominal Wheel Load": 4000},
    "Scaling Factors": {"LMUX": 0.9, "LKYG": 0.8},
    "Longitudinal Coefficients": {"PCX1": 1.6, "PDX1": 1.2, "PKX1": 20},
    "Lateral Coefficients": {"PCY1": 1.3, "PDY1": 1.0, "PKY1": -18, "PKY2": 1.5},
}


def test_pac02_by_coefficients_or_property_file(tmp_path: Path) -> None:
    folder = tmp_path / "car" / "tire"
    folder.mkdir(parents=True)
    (folder / "tyre.json").write_text(json.dumps(PAC02))
    tyre = read_pac02(folder / "tyre.json")
    c = tyre.coefficients
    assert (tyre.side, tyre.use_mode, tyre.friction, tyre.unknown) == ("right", 4, 0.7, ())
    assert (c.version, c.ellipse, c.UNLOADED_RADIUS, c.FNOMIN, c.LMUX, c.LKYC) == (
        52, True, 0.35, 4000.0, 0.9, 0.8,
    )  # fmt: skip
    values = {**PAC02["Longitudinal Coefficients"], **PAC02["Lateral Coefficients"], "LMUX": 0.9, "LKG": 0.8}
    text = "[MODEL]\nPROPERTY_FILE_FORMAT = 'PAC2002'\nTYRESIDE = 'RIGHT'\n"
    text += "[DIMENSION]\nUNLOADED_RADIUS = 0.35\nWIDTH = 0.2\nRIM_RADIUS = 0.2\n[SCALING_COEFFICIENTS]\n"
    text += "VERTICAL_STIFFNESS = 2e5\nVERTICAL_DAMPING = 300\nFNOMIN = 4000\n"
    (folder / "tyre.tir").write_text(text + "\n".join(f"{key} = {value}" for key, value in values.items()))
    named = {key: PAC02[key] for key in ("Template", "Mass", "Inertia")}
    (folder / "named.json").write_text(json.dumps(named | {"TIR Specification File": "car/tire/tyre.tir"}))
    other = read_pac02(folder / "named.json")
    assert other.coefficients == c
    assert other.friction == 0.8
    (folder / "lost.json").write_text(json.dumps(named | {"TIR Specification File": "car/no.tir"}))
    with pytest.raises(DataError, match=r"lost.json: TIR Specification File: no file 'car/no.tir'"):
        read_pac02(folder / "lost.json")


def test_pac02_of_use_mode_3_combines_nothing(tmp_path: Path) -> None:
    """Mode 3 of Chrono: forces of pure slip; 4 without a method: the ellipse."""
    chosen = []
    for mode in (3, 4):
        path = tmp_path / f"tyre{mode}.json"
        path.write_text(json.dumps(PAC02 | {"Use Mode": mode}))
        reading = Reading(path, like_chrono=True)
        c = tyre_file(reading, reading.open(path)).coefficients
        chosen.append((c.ellipse, c.RCX1, c.RCY1))
    assert chosen[0] == (False, 0.0, 0.0)
    assert chosen[1][0]


def test_a_vehicle_that_names_a_pac02(tmp_path: Path) -> None:
    """The same equations of motion, bit by bit, as with the file by ``--tyre``; its numbers are data."""
    data = VehicleParameters.load(with_tyre(tmp_path, PAC02))
    assert data.layout.tyre == "magic-formula"
    assert data.corners["front_left"].wheel.mass == 2.0 + 8.0 + 11.5  # hub, rim, tyre
    fitted = fit_tyres([str(tmp_path / "car" / "Tyre.json")], data.corners).models
    digests = [Model(build(data, tyres=tyres)).trace_dynamics().digest() for tyres in (None, fitted)]
    assert digests[0] == digests[1]
    changed = VehicleParameters.load(tmp_path / "car" / "Vehicle.json", ["front.tyre.LMUX=0.8"])
    tyres = [changed.corners[name].tyre.coefficients.LMUX for name in ("front_right", "rear_right")]
    assert tyres == [0.8, 0.9]
    free = VehicleParameters.load(tmp_path / "car" / "Vehicle.json", free=["tyre.LMUX"])
    dynamics = Model(build(free)).trace_dynamics()
    assert dynamics.digest() != digests[0]
    with pytest.raises(DataError, match=r"'tyre\.side' cannot be a free parameter"):
        VehicleParameters.load(tmp_path / "car" / "Vehicle.json", free=["tyre.side"])


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("front.tyre.PKY6=-1", "PKY6 has no effect in version 52; leave it out"),
        ("front.tyre.PDXP1=0.4", "no effect in version 52 without turn_slip: 1; leave it out"),
        ("front.tyre.side=0.5", r"side must be 1 \(left\), -1 \(right\) or 0 \(symmetric\)"),
        ("front.tyre.KX=50", "KX has no effect in version 52 beside the other coefficients; leave it out"),
        ("front.tyre.version=61.5", "version 61.5; the Magic Formula is known as 52, 61 and 62"),
        ("front.tyre.version=94", "version 94; the Magic Formula is known as 52, 61 and 62"),
        ("front.tyre.PCY1=0", "PCY1 = 0; the Magic Formula divides by it"),
        ("front.tyre.FREQ_LAT=40", "FREQ_LAT"),
    ],
)
def test_coefficients_that_cannot_be(tmp_path: Path, override: str, message: str) -> None:
    path = with_tyre(tmp_path, PAC02)
    with pytest.raises(DataError, match=message):
        VehicleParameters.load(path, [override])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Template": "FialaTire"}, "'FialaTire' is no tyre for --tyre"),
        ({"Vertical": {}}, r"tyre.json lacks FNOMIN, VERTICAL_STIFFNESS"),
        ({"Coefficient of Friction": 0}, "Coefficient of Friction: 0 is not above 0"),
        ({"Lateral Coefficients": {"PCY1": "a"}}, "Lateral Coefficients/PCY1: 'a' is no number"),
        ({"Lateral": {"PCY1": 1.3}}, "Lateral: no part of a Pac02Tire"),
    ],
)
def test_pac02_that_is_none(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "tyre.json"
    path.write_text(json.dumps(PAC02 | change))
    with pytest.raises(DataError, match=message):
        read_pac02(path)


TMEASY: dict[str, Any] = files()["car/Tyre.json"] | {
    "Parameters": {
        "Vertical": {
            "Nominal Vertical Force [N]": 3500.0,
            "Vertical Tire Stiffness [N/m]": 2e5,
            "Tire Vertical Damping [Ns/m]": 500.0,
        },
        "Longitudinal": {
            "Initial Slopes dFx/dsx [N]": [64e3, 136e3],
            "Maximum Fx Load [N]": [3950.0, 7630.0],
            "Sliding Fx Load [N]": [2800.0, 5380.0],
            "Slip sx at Maximum Fx": [0.139, 0.139],
            "Slip sx where sliding begins": [0.667, 0.667],
        },
        "Lateral": {
            "Initial Slopes dFy/dsy [N]": [56e3, 90e3],
            "Maximum Fy Load [N]": [3500.0, 6400.0],
            "Sliding Fy Load [N]": [2900.0, 5400.0],
            "Slip sy at Maximum Fy": [0.149, 0.185],
            "Slip sy where sliding begins": [0.965, 1.07],
        },
        "Aligning": {
            "Normalized Trail at Zero Slip sy": [0.178, 0.19],
            "Slip sy where Trail Changes Sign": [0.163, 0.204],
            "Slip sy where Trail Tends to Zero": [0.965, 1.07],
        },
    }
}
"""By its parameters."""


@pytest.mark.parametrize(
    ("block", "key", "pair", "message"),
    [
        (
            "Lateral",
            "Maximum Fy Load [N]",
            [3500, -5],
            r"Parameters/Lateral/Maximum Fy Load \[N\]: -5 is not above 0",
        ),
        (
            "Lateral",
            "Initial Slopes dFy/dsy [N]",
            [560e3, 90e3],
            r"'Lateral/Initial Slopes dFy/dsy \[N\]' = .* extrapolates to zero or less at 3\.5 pn",
        ),
        (
            "Longitudinal",
            "Slip sx at Maximum Fx",
            [0.7, 0.7],
            r"'Longitudinal/Slip sx at Maximum Fx' must be less than 'Longitudinal/Slip sx where",
        ),
    ],
)
def test_impossible_tyre_parameters_are_named_by_their_keys(
    tmp_path: Path, block: str, key: str, pair: list[float], message: str
) -> None:
    convert_vehicle(with_tyre(tmp_path, TMEASY))
    wrong = json.loads(json.dumps(TMEASY))
    wrong["Parameters"][block][key] = pair
    with pytest.raises(DataError, match=rf"^Tyre\.json: .*{message}"):
        convert_vehicle(with_tyre(tmp_path, wrong))


FIALA: dict[str, Any] = {
    "Template": "FialaTire",
    "Mass": 37.6,
    "Inertia": [3.84, 6.69, 3.84],
    "Coefficient of Friction": 0.8,
    "Fiala Parameters": {
        "Unloaded Radius": 0.47,
        "Width": 0.318,
        "Vertical Damping": 7500,
        "Vertical Stiffness": 326332,
        "Vertical Curve Data": [[0.0, 0], [0.03, 6190], [0.08, 21699]],
        "Rolling Resistance": 0.015,
        "CSLIP": 193929.0,
        "CALPHA": 50000.0,
        "UMIN": 0.5568,
        "UMAX": 0.9835,
    },
}
HMMWV_PAC89: dict[str, Any] = PAC89 | {
    "Design Parameters": {
        "Unloaded Radius": 0.464,
        "Width": 0.318,
        "Vertical Stiffness": 326332.4234,
        "Vertical Damping": 3483.932502,
        "Lateral Stiffness": 261065.0,
        "Rolling Resistance": 0.015,
    },
    "Lateral Coefficients": {f"a{k}": 0.0 for k in range(14)}
    | {"a0": 1.49975356208205, "a1": -4.84987524731462, "a2": 812.449795340733, "a3": 2613.92367840654}
    | {"a4": 48.857910109076, "a6": -0.00879541881020228, "a7": 0.376999015041155},
    "Longitudinal Coefficients": {f"b{k}": 0.0 for k in range(11)}
    | {"b0": 1.50018802672136, "b1": -15.7761466722458, "b2": 1022.11238546683, "b3": -2.55317715303733}
    | {"b4": 208.777316195246, "b5": 0.0073134908964823, "b6": -0.00376410345674027}
    | {"b7": 0.156330736057758, "b8": -1.15310023217878},
    "Aligning Coefficients": {f"c{k}": 0.0 for k in range(18)}
    | {"c0": 2.34, "c1": 0.990427, "c2": 2.96848, "c3": -0.277098, "c4": -0.944859}
    | {"c6": 0.0027699, "c7": -0.0001151, "c8": 0.10, "c9": -1.3329},
}
TMSIMPLE_TRUCK: dict[str, Any] = {
    "Template": "TMsimpleTire",
    "Design": {
        "Unloaded Radius [m]": 0.4699,
        "Mass [kg]": 37.6,
        "Inertia [kg.m2]": [3.84, 6.69, 3.84],
        "Width [m]": 0.3175,
        "Rim Radius [m]": 0.2095,
    },
    "Coefficient of Friction": 0.8,
    "Rolling Resistance Coefficient": 0.015,
    "Vehicle Type": "Truck",
    "Load Index": 108,
}
RECORDED: list[tuple[str, dict[str, Any], tuple[float, ...], tuple[float, ...]]] = [
    ("fiala", FIALA, (8100.69, 0.0368872, 11.761, -0.933308, 27.1132), (3324.74, -238.813)),
    ("fiala", FIALA, (4161.65, 0.0225883, 11.2971, -0.570438, 25.3087), (2031.17, -131.835)),
    ("pac89", HMMWV_PAC89, (8258.26, 0.0252028, 11.0036, -0.925092, 25.0555), (3613.06, -90.493)),
    ("pac89", HMMWV_PAC89, (3890.26, 0.0131327, 10.501, -0.729169, 23.3519), (1490.64, -23.0762)),
    ("tmsimple", TMSIMPLE_TRUCK, (8267.42, 0.0351158, 11.0776, -0.933828, 24.1044), (3584.11, 0.0)),
    ("tmsimple", TMSIMPLE_TRUCK, (3982.03, 0.0169078, 10.5652, -0.747737, 22.9614), (1642.48, 0.0)),
]
"""Rows at 7 s of recordings of Chrono's HMMWV in a step steer: load, depth, velocities, spin; F_y and M_z."""


@pytest.mark.parametrize(("kind", "file", "at", "forces"), RECORDED)
def test_tyre_forces_of_chrono(
    tmp_path: Path, kind: str, file: dict[str, Any], at: tuple[float, ...], forces: tuple[float, float]
) -> None:
    """Chrono's forces are those of 1 ms before: within 0.3 % of F_y, and of M_z, whose camber is left out.

    In 1 ms forces change by 0.01 %; the velocities are differences of rows 20 ms apart, good to 0.1 %, and
    the front wheels slide at an angle where F_y is half as steep as without slip.
    """
    content = files() | {"car/Tyre.json": {"Name": "tyre", "Type": "Tire"} | file}
    data, made = convert(tmp_path, content, like_chrono=True)
    tyre = data.corners["front_left"].tyre
    assert isinstance(tyre, ChronoTyre)
    assert f"kind: {kind}-chrono" in made.text
    load, depth, v_x, v_y, spin = at
    found = tyre.slip_forces(ChronoContact(load, depth, 0.8, v_x, v_y, spin, 0.0))
    assert float(found.Fy) == pytest.approx(forces[0], rel=3e-3)
    assert float(found.Mz) == pytest.approx(forces[1], rel=0.05, abs=1e-9)
