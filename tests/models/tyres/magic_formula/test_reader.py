"""Magic Formula tyres from files: versions, names, units, what is missing and what is not understood."""

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres import MagicFormula, read_tyre_file
from ce_dynamics.models.tyres.magic_formula.coefficients import NO_NUMBERS, Coefficients
from ce_dynamics.models.tyres.magic_formula.file_names import DIMENSIONS
from ce_dynamics.models.tyres.magic_formula.reader import tyre_of
from ce_dynamics.models.tyres.property_file import parse
from tests.models.tyres.magic_formula.figures import LEAST, REFERENCE, coefficients

MODEL = "[MODEL]\nFITTYP = 61\nTYRESIDE = 'RIGHT'\nUSE_MODE = 14\n"


def test_the_least_that_makes_a_tyre() -> None:
    tyre = tyre_of(parse(MODEL + LEAST, "least.tir"))
    assert tyre.coefficients.version == 61
    assert (tyre.side, tyre.use_mode, tyre.unknown) == ("right", 14, ())
    assert tyre.defaulted["PKY4"] == 2.0
    assert "PKY1" not in tyre.defaulted
    assert len(tyre.defaulted) + 10 == len(fields(Coefficients)) - len(NO_NUMBERS)
    report = tyre.report()
    assert report.startswith("least.tir: Magic Formula 6.1, side: right")
    assert "missing, default used: " in report
    assert "PKY4 = 2" in report
    assert "PTX1" not in report  # of 5.2
    assert "ELLIPS_ORDER" not in report  # of no force


@pytest.mark.parametrize(
    ("fittyp", "version"), [(5, 52), (6, 52), (21, 52), (52, 52), (60, 61), (61, 61), (62, 62), ("'62'", 62)]
)
def test_versions(fittyp: int | str, version: int) -> None:
    file = parse(f"[MODEL]\nFITTYP = {fittyp}\n" + LEAST)
    assert tyre_of(file).coefficients.version == version


def test_files_without_fittyp() -> None:
    file = parse("[MODEL]\nPROPERTY_FILE_FORMAT = 'PAC2002'\n" + LEAST)
    assert tyre_of(file).coefficients.version == 52
    assert tyre_of(file).side == "left"
    assert "TYRESIDE is not given" in tyre_of(file).report()
    assert tyre_of(file).use_mode is None


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("FITTYP = 3", r"FITTYP = 3.0 \(MF-Tyre 3, of 1994\) is no known Magic Formula"),
        ("FITTYP = 61.5", r"FITTYP = 61.5 is no known Magic Formula"),
        ("FITTYP = 6\nPROPERTY_FILE_FORMAT = 'PAC94'", "the Magic Formula of 1994, whose coefficients"),
        ("FITTYP = 61\nTYRESIDE = 'FRONT'", "TYRESIDE = 'FRONT'; give one of LEFT, RIGHT"),
        ("FITTYP = 61\nFE_METHOD = 'YES'", "FE_METHOD = 'YES' is of PAC2002; this is Magic Formula 6.1"),
        ("FITTYP = 52\nFE_METHOD = 'ON'", "FE_METHOD = 'ON'; give 'YES' or 'NO'"),
        ("FITTYP = 61\nUSE_MODE = 1.5", "USE_MODE = 1.5; give a whole number"),
        ("FITTYP = 7", r"line 2: FITTYP = 7.0 is no known Magic Formula; known are 5, 6, 21, 52, 60, 61, 62"),
        ("FITTYP = 'new'", "is no known Magic Formula"),
        ("FITTYP = 51", "motorcycle"),
        ("FITTYP = 52\nPROPERTY_FILE_FORMAT = 'MF-MCTYRE'", "motorcycle"),
        ("PROPERTY_FILE_FORMAT = 'FIALA'", "'FIALA' is Fiala's tyre: enter its CSLIP"),
        ("PROPERTY_FILE_FORMAT = 'MINE'", "does not name the kind of its tyre: .*'MINE'"),
        ("LONGVL = 16", "'missing' and FITTYP is missing"),
        ("FITTYP = 61\nLONGVL = 'fast'", "LONGVL = 'fast' must be a number"),
        ("FITTYP = 61\nUSE_MODE = 'ALL'", "USE_MODE = 'ALL' must be a number"),
    ],
)
def test_files_that_are_refused(model: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        tyre_of(parse("[MODEL]\n" + model + LEAST))


@pytest.mark.parametrize(("length", "radius"), [("meter", "350"), ("mm", "0.35")])
def test_lengths_in_other_units_are_noticed(length: str, radius: str) -> None:
    text = f"[UNITS]\nLENGTH = '{length}'\n" + MODEL + LEAST.replace("0.35", radius)
    wrong = r"UNLOADED_RADIUS is \S+ m by the units .* set the unit of LENGTH in"
    with pytest.raises(DataError, match=wrong):
        tyre_of(parse(text))


def test_all_missing_and_unknown_keys_are_named() -> None:
    text = LEAST.replace("PKY2", "PKV2").replace("PCX1 = 1.6\n", "")
    with pytest.raises(DataError, match=r"car.tir lacks PCX1, PKY2, .*perhaps meant: PKV2"):
        tyre_of(parse(MODEL + text, "car.tir"))
    extra = MODEL + LEAST + "PKY9 = 3\n[DRAWING]\nCOLOUR = 3\n"
    tyre = tyre_of(parse(extra))
    assert tyre.unknown == ("PKY9",)
    assert "not understood: PKY9" in tyre.report()
    assert "sections that are not used: DRAWING" in tyre.report()


def test_what_is_read_and_not_used_is_named() -> None:
    text = (
        MODEL.replace("USE_MODE = 14", "USE_MODE = 12")
        + LEAST
        + "[SHAPE]\n{radial width}\n1.0 0.0\n0.9 1.0\n"
    )
    tyre = tyre_of(parse(text))
    assert tyre.tables == {"SHAPE": ((1.0, 0.0), (0.9, 1.0))}
    assert "tables that are not used: SHAPE" in tyre.report()
    assert "USE_MODE = 12 is not followed" in tyre.report()
    for mode, words in ((24, "no mass of the contact"), (34, "belts are left out")):
        other = tyre_of(parse(MODEL.replace("USE_MODE = 14", f"USE_MODE = {mode}") + LEAST)).report()
        assert words in other
        assert "is not followed" not in other


def test_names_of_pac2002() -> None:
    more = "[TIRE_CONDITIONS]\nIP = 3e5\nIP_NOM = 2.5e5\n[ALIGNING_COEFFICIENTS]\nQPZ1 = 0.3\n"
    more += "[SCALING_COEFFICIENTS]\nLKG = 0.9\nLCZ = 1.1\n"
    more += "[DIMENSION]\nRIM_RADIUS = 0.2\nBOTTOMING_RADIUS = 0.23\n"
    c = tyre_of(parse("[MODEL]\nPROPERTY_FILE_FORMAT = 'PAC2002'\n" + LEAST + more)).coefficients
    assert (c.INFLPRES, c.NOMPRES, c.PPZ1, c.LKYC, c.LCZ) == (3e5, 2.5e5, 0.3, 0.9, 1.1)
    assert pytest.approx(0.03) == c.BOTTOM_OFFST


CURVE = "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n0 0\n20 5.0\n40 13.0\n"
BOTTOM = "[BOTTOMING_CURVE]\n0 0\n120 0\n125 10\n"


def test_curves_of_the_load() -> None:
    """Three points are met exactly, in the units of the file; the rim sets in where its curve does."""
    units = "[UNITS]\nLENGTH = 'mm'\nFORCE = 'kN'\n"
    text = LEAST.replace("0.35", "350").replace("4000", "4").replace("2e5", "0.1")
    tyre = tyre_of(parse(units + MODEL + text + CURVE + BOTTOM + "[DIMENSION]\nRIM_RADIUS = 200\n"))
    curve = MagicFormula(tyre.coefficients)
    for load, deflection in ((5000.0, 0.02), (13000.0, 0.04)):
        assert curve(Fz=load, use_mode=211, Vx=1.0).rho == pytest.approx(deflection, rel=1e-12)
    assert pytest.approx(0.03) == tyre.coefficients.BOTTOM_OFFST
    assert pytest.approx(2e6) == tyre.coefficients.BOTTOM_STIFF
    assert "its points are met within 0 N" in tyre.report()


def test_curves_that_bend_the_other_way_become_lines() -> None:
    curve = "[DEFLECTION_LOAD_CURVE]\n0 0\n0.02 5000\n0.04 8000\n"
    tyre = tyre_of(parse(MODEL + LEAST + curve))
    # least squares through the origin: (0.02·5000 + 0.04·8000)/(0.02² + 0.04²)
    assert pytest.approx(420.0 / 0.002, rel=1e-12) == tyre.coefficients.VERTICAL_STIFFNESS
    assert "its points are met within 800 N" in tyre.report()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("0 0 1\n1 1 1\n", "two rows or more of deflection and force"),
        ("0 0\n", "two rows or more"),
        ("0 1\n1 2\n", "must begin with 0 0, got 0 1"),
        ("0 0\n2 1\n1 2\n", "must increase in both columns"),
    ],
)
def test_curves_that_are_none(rows: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        tyre_of(parse(MODEL + LEAST + "[DEFLECTION_LOAD_CURVE]\n" + rows))


def test_stiffness_by_the_terms_of_pac2002() -> None:
    more = "[LOADED_RADIUS_COEFFICIENTS]\nQFZ1 = 12\nQFZ2 = 10\nQV2 = 0.03\nQPFZ1 = 0.7\n"
    tyre = tyre_of(parse("[MODEL]\nPROPERTY_FILE_FORMAT = 'PAC2002'\n" + LEAST + more))
    c = tyre.coefficients
    assert (c.Q_FZ2, c.Q_V2, c.PFZ1, tyre.unknown) == (10.0, 0.03, 0.7, ())
    out = MagicFormula(replace(c, Q_V2=0.0))(Fz=2000.0)
    d = out.rho / c.UNLOADED_RADIUS
    assert c.FNOMIN * (12.0 * d + 10.0 * d * d) == pytest.approx(2000.0, rel=1e-12)


def test_heavy_tyres_without_a_range_of_loads() -> None:
    tyre = tyre_of(parse(MODEL + LEAST.replace("4000", "30000")))
    assert tyre.coefficients.FZMAX == 60000.0
    assert "FZMAX is not given: 60000 N" in tyre.report()
    assert tyre_of(parse(MODEL + LEAST)).coefficients.FZMAX == 10000.0


def test_one_coefficient_under_two_names() -> None:
    with pytest.raises(DataError, match=r"LKYG = 0.8 is LKYC, which another line gives as 0.9"):
        tyre_of(parse(MODEL + LEAST + "[SCALING_COEFFICIENTS]\nLKG = 0.9\nLKYG = 0.8\n"))


@pytest.mark.parametrize("version", [52, 61])
def test_a_symmetric_tyre_is_its_own_image(version: int) -> None:
    """MFeval's tyres, as a file that says SYMMETRIC: turned round, forces turn round; else they do not."""
    c = coefficients(version)
    lines = [f"{f.name} = {getattr(c, f.name)!r}" for f in fields(Coefficients) if f.name not in NO_NUMBERS]
    text = f"[MODEL]\nFITTYP = {version}\nTYRESIDE = 'SYMMETRIC'\n[INERTIA]\n" + "\n".join(lines)
    differ = []
    for tyre in (tyre_of(parse(text)), tyre_of(parse(text.replace("SYMMETRIC", "LEFT")))):
        there, back = (
            MagicFormula(tyre.coefficients, tyre.side)(
                Fz=4000.0, kappa=[-0.1, 0.05], alpha=s * 0.07, gamma=s * 0.03, phit=s * 0.05, use_mode=112
            )
            for s in (1.0, -1.0)
        )
        differ.append(
            max(
                float(np.abs(there.Fx - back.Fx).max()),
                float(np.abs(there.Fy + back.Fy).max()),
                float(np.abs(there.Mx + back.Mx).max()),
                float(np.abs(there.Mz + back.Mz).max()),
            )
        )
    assert differ[0] < 1e-9 * 4000.0
    assert differ[1] > 10.0


def test_units_apply_to_what_has_a_dimension() -> None:
    si = tyre_of(parse(MODEL + LEAST + "[SLIP_ANGLE_RANGE]\nALPMAX = 0.5\n")).coefficients
    units = "[UNITS]\nLENGTH = 'mm'\nFORCE = 'kilo_newton'\nANGLE = 'degree'\nTIME = 'millisecond'\n"
    text = LEAST.replace("0.35", "350").replace("4000", "4").replace("2e5", "0.2")
    angle = f"[SLIP_ANGLE_RANGE]\nALPMAX = {np.degrees(0.5)!r}\n".replace("np.float64(", "").replace(")", "")
    more = angle + "[MODEL]\nLONGVL = 16.7\nFITTYP = 61\n[INERTIA]\nMASS = 9.0\nIYY = 0.5e6\n"
    scaled = tyre_of(parse(units + MODEL + text + more)).coefficients
    for name in ("UNLOADED_RADIUS", "FNOMIN", "VERTICAL_STIFFNESS", "ALPMAX", "PKY1", "LONGVL"):
        assert getattr(scaled, name) == pytest.approx(getattr(si, name), rel=1e-15), name
    assert (scaled.MASS, scaled.IYY) == (9.0, 0.5)
    assert {*DIMENSIONS} - {f.name for f in fields(Coefficients)} == {"BOTTOMING_RADIUS"}


@pytest.mark.parametrize("force", ["newton", "kN"])
@pytest.mark.parametrize("unnamed", [True, False])
def test_pressure_and_speed_in_files_of_millimetres(force: str, unnamed: bool) -> None:
    """By the units of length, force and time, or in SI; as what a tyre can have tells."""
    N = 1.0 if force == "newton" else 1e3
    units = f"[UNITS]\nLENGTH = 'mm'\nFORCE = '{force}'\nTIME = 'second'\n"
    text = LEAST.replace("0.35", "350").replace("4000", f"{4000 / N}").replace("2e5", f"{200 / N}")
    pressure, speed = (0.22 / N, 16700.0) if unnamed else (220000.0, 16.7)
    more = f"[OPERATING_CONDITIONS]\nNOMPRES = {pressure}\nINFLPRES = {pressure}\n[MODEL]\nLONGVL = {speed}\n"
    c = tyre_of(parse(units + MODEL + text + more)).coefficients
    assert pytest.approx((220000.0, 220000.0, 16.7), rel=1e-12) == (c.NOMPRES, c.INFLPRES, c.LONGVL)
    assert pytest.approx((4000.0, 2e5), rel=1e-12) == (c.FNOMIN, c.VERTICAL_STIFFNESS)
    named = units + "PRESSURE = 'bar'\nSPEED = 'km/h'\n"
    other = more.replace(f"{pressure}", "2.2").replace(f"{speed}", "60.12")
    c = tyre_of(parse(named + MODEL + text + other)).coefficients
    assert pytest.approx((220000.0, 16.7), rel=1e-12) == (c.NOMPRES, c.LONGVL)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"UNLOADED_RADIUS": -0.3}, "UNLOADED_RADIUS"),
        ({"PKX1": float("nan")}, "PKX1"),
        ({"PCX1": 0.0}, "PCX1 = 0; the Magic Formula divides by it"),
        ({"LMUY": 0.0}, "LMUY = 0; the Magic Formula divides by it"),
        ({"CAMMAX": 1e300}, r"CAMMAX 1e\+300 rad must be a finite number .* at most 1e\+50 rad"),
        ({"FZMIN": -1.0}, "FZMIN"),
        ({"ALPMIN": 0.2, "ALPMAX": 0.1}, "ALPMIN = 0.2 rad must not lie above ALPMAX = 0.1 rad"),
        ({"Q_FZ2": 1e6}, "Q_FZ2 = 1e.06 is too large"),
    ],
)
def test_coefficients_that_cannot_be(tmp_path: Path, changes: dict[str, float], message: str) -> None:
    path = tmp_path / "car.tir"
    path.write_text(MODEL + LEAST)
    with pytest.raises(DataError, match=message):
        MagicFormula.read(path, changes=changes)


def test_changes_are_by_name(tmp_path: Path) -> None:
    path = tmp_path / "car.tir"
    path.write_text(MODEL + LEAST)
    tyre = MagicFormula.read(path, changes={"LMUY": 0.5})
    assert tyre(alpha=0.0).muy == 0.5
    with pytest.raises(DataError, match=r"no coefficient 'LMUYY'; did you mean 'LMUY'"):
        MagicFormula.read(path, changes={"LMUYY": 0.5})


@pytest.mark.skipif(
    not (REFERENCE / "chrono").is_dir(), reason=f"no property files in {REFERENCE / 'chrono'}"
)
def test_property_files_of_chrono() -> None:
    """Thirteen PAC2002 files: all are read, push against sliding and carry their load."""
    paths = sorted((REFERENCE / "chrono" / "vehicles").rglob("*.tir"))
    assert len(paths) == 13
    for path in paths:
        file = read_tyre_file(path)
        assert file.coefficients.version == 52
        tyre = MagicFormula.read(path)
        out = tyre(alpha=[-0.06, 0.06], use_mode=211)
        assert out.Fy[0] > 0.2 * out.Fz[0], path
        assert out.Fy[1] < -0.2 * out.Fz[1], path
        out = tyre(kappa=[-0.05, 0.05], use_mode=211)
        assert out.Fx[0] < 0.0 < out.Fx[1], path
        assert out.Rl[0] == pytest.approx(
            file.coefficients.UNLOADED_RADIUS
            - file.coefficients.FNOMIN / (file.coefficients.VERTICAL_STIFFNESS * file.coefficients.LCZ),
            rel=1e-4 if file.coefficients.Q_FZ2 == 1e-4 else 0.02,  # which bends the straight line
        )
