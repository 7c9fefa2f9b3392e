"""Property files that nobody has seen: varied in every number, read, and held beside `plain` in every mode.

`plain` itself is MFeval 4.0's to 1e-9 on the five files of the reference (`test_plain_is_mfeval`); between
them stands what those files do not have: effects whose coefficients are zero there, scale factors other than
1, slip angles up to 90°, camber beyond 0.1 rad, standstill, driving backwards, wheels in the air, tyres on
their rims.
"""

from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.models.tyres import MagicFormula, Outputs
from ce_dynamics.models.tyres.magic_formula.coefficients import NO_NUMBERS, Coefficients
from ce_dynamics.models.tyres.magic_formula.operating_point import Mode
from tests.models.tyres.magic_formula import plain
from tests.models.tyres.magic_formula.figures import coefficients, mfeval

MODES = (111, 121, 112, 122, 211, 221, 212, 222)
INPUTS = ("Fz", "kappa", "alpha", "gamma", "phit", "Vx", "p")
TOLERANCE = 1e-9
SHAPES = ("PCX1", "PCY1", "QCZ1", "RCX1", "RCY1", "PKY1", "PKY2", "PKY4", "Q_RE0", "BREFF", "DREFF", "FREFF")
SIZES = (
    "UNLOADED_RADIUS", "WIDTH", "FNOMIN", "VERTICAL_STIFFNESS", "LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS",
    "LONGVL", "VXLOW", "NOMPRES",
)  # fmt: skip
SMALL = {"Q_V1": 0.05, "Q_FCX": 0.3, "Q_FCY": 0.3}
"""Smaller changes of numbers that would burst the tyre."""


def varied(c: Coefficients, rng: np.random.Generator) -> Coefficients:
    """A tyre with other numbers everywhere, none of them zero."""
    changes: dict[str, Any] = {}
    for name in (f.name for f in fields(c) if f.name not in NO_NUMBERS):
        value = getattr(c, name)
        if name in SHAPES + SIZES:
            changes[name] = value * rng.uniform(0.85, 1.15)
        elif name.startswith("L") and name not in ("LCZ", "LIP"):  # which MFeval does not have
            changes[name] = rng.uniform(0.75, 1.25)
        elif name[0] in "PQRS" and name not in ("PRESMIN", "PRESMAX", "RIM_RADIUS", "RIM_WIDTH", "Q_FZ2"):
            changes[name] = value * rng.uniform(0.7, 1.3) + rng.normal(scale=0.02)
    changes |= {name: part * abs(changes[name]) for name, part in SMALL.items()}
    changes |= {"PECP1": rng.uniform(0.2, 0.6), "QDRP1": rng.uniform(0.8, 1.2)}
    changes |= {"FZMIN": rng.choice([0.0, 150.0]), "CAMMIN": -0.5, "CAMMAX": 0.6, "LMUV": 0.1}
    if rng.random() < 0.5:
        changes |= {"ALPMIN": -1.5708, "ALPMAX": 1.5708}
    numbers: dict[str, Any] = {name: float(value) for name, value in changes.items()}
    return replace(c, **numbers)


def points(c: Coefficients, rng: np.random.Generator, n: int) -> dict[str, Any]:
    wide = rng.random(n) < 0.5
    return {
        "Fz": c.FNOMIN * rng.uniform(-0.2, 2.5, n),
        "kappa": np.where(wide, rng.uniform(-1.2, 1.2, n), rng.uniform(-0.1, 0.1, n)),
        "alpha": np.where(wide[::-1], rng.uniform(-1.55, 1.55, n), rng.uniform(-0.2, 0.2, n)),
        "gamma": rng.uniform(-0.7, 0.7, n) * (rng.random(n) < 0.8),
        "phit": rng.uniform(-0.3, 0.3, n),
        "Vx": rng.choice([0.0, 0.05, 0.5, 0.97, 1.0, 3.0, 15.0, 45.0, -0.4, -8.0], n),
        "p": c.NOMPRES * rng.uniform(0.5, 1.6, n),
    }


def asked(c: Coefficients, use_mode: int, at: dict[str, Any]) -> dict[str, Any]:
    x = np.stack([at[name] for name in at], axis=1)
    traced = MagicFormula(c).trace(Mode.of(use_mode), with_omega="omega" in at)
    return dict(zip(Outputs._fields, traced.evaluate_many(x=x)["y"].T, strict=True))


def error(got: Any, expected: Any) -> float:
    """Largest error, relative to each value or, beside those, to 1e-8 of the largest."""
    known = np.isfinite(expected)
    size = np.maximum(np.abs(expected[known]), 1e-8 * np.abs(expected[known]).max() + 1e-12)
    return float(np.max(np.abs(got[known] - expected[known]) / size, initial=0.0))


@pytest.mark.parametrize("version", [52, 61, 62])
def test_plain_is_mfeval(version: int) -> None:
    figures = mfeval()
    rows = np.array(figures["tyres"][str(version)]["rows"])
    c = asdict(coefficients(version))
    for use_mode in (111, 121, 112, 211):
        table = dict(zip(figures["columns"], rows[rows[:, 0] == use_mode].T, strict=True))
        at = {name: table[f"{name}_in"] for name in INPUTS} | {"omega": table["omega"]}
        with np.errstate(divide="ignore", invalid="ignore"):
            out = plain.evaluate(c, version, use_mode, at)
        for name in set(out) & set(table):
            assert error(out[name], table[name]) < TOLERANCE, f"{name}, use mode {use_mode}"


@pytest.mark.parametrize("version", [52, 61, 62])
def test_every_output_of_every_mode(version: int, rng: np.random.Generator) -> None:
    c = varied(coefficients(version), rng)
    at = points(c, rng, 200)
    for use_mode in MODES:
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = plain.evaluate(asdict(c), version, use_mode, at)
        out = asked(c, use_mode, at)
        for name, value in expected.items():
            assert np.isfinite(out[name]).all(), name
            assert np.isfinite(value).mean() > 0.6, name
            assert error(out[name], value) < TOLERANCE, f"{name}, use mode {use_mode}"
        assert set(Outputs._fields) - set(expected) == ({"rho", "Rl", "Cz"} if version != 61 else set())
        if version == 62:
            # ρ, R_l and C_z have no formula there; they have to carry the load that was asked for.
            low, high = (c.CAMMIN, c.CAMMAX) if use_mode < 200 else (-np.inf, np.inf)
            gamma, dpi = np.clip(at["gamma"], low, high), out["p"] / c.NOMPRES - 1.0
            under = plain.load_of_62(asdict(c), out["Rl"], out["omega"], gamma, dpi, out["Fx"], out["Fy"])
            most = c.FZMAX if use_mode < 200 else np.inf
            # Fx and Fy of a locked and sliding wheel can take all of its stiffness: no deflection carries.
            carried = (under["rho"] > 0.0) & (out["Rl"] > 0.0) & (under["slope"] > 0.0)
            assert carried.mean() > 0.5
            load = np.clip(at["Fz"], 0.0, most)
            assert error(under["Fz"][carried], load[carried]) < TOLERANCE
            assert error(under["rho"][carried], out["rho"][carried]) < TOLERANCE


UNITS = {
    "LENGTH": ("mm", 1e-3), "FORCE": ("kN", 1e3), "ANGLE": ("deg", np.pi / 180.0), "MASS": ("g", 1e-3),
    "PRESSURE": ("bar", 1e5), "SPEED": ("km/h", 1.0 / 3.6),
}  # fmt: skip
MEASURED = {
    "LENGTH": "UNLOADED_RADIUS WIDTH RIM_RADIUS BOTTOM_OFFST",
    "FORCE": "FNOMIN FZMIN FZMAX",
    "FORCE/LENGTH": "VERTICAL_STIFFNESS LONGITUDINAL_STIFFNESS LATERAL_STIFFNESS BOTTOM_STIFF",
    "ANGLE": "ALPMIN ALPMAX CAMMIN CAMMAX",
    "PRESSURE": "NOMPRES INFLPRES PRESMIN PRESMAX",
    "SPEED": "LONGVL VXLOW",
}
FITTYP = {52: 6, 61: 61, 62: 62}


@pytest.mark.parametrize("version", [52, 61, 62])
def test_read_from_a_file_of_other_units(version: int, rng: np.random.Generator, tmp_path: Path) -> None:
    """Millimetres, kilonewtons, degrees; keys in any order and case; machine code at a point."""
    c = varied(coefficients(version), rng)
    value = {f.name: getattr(c, f.name) for f in fields(c) if f.name not in NO_NUMBERS}
    for dimension, names in MEASURED.items():
        top, _, below = dimension.partition("/")
        for name in names.split():
            value[name] /= UNITS[top][1] / (UNITS[below][1] if below else 1.0)
    lines = [f"{name.lower()}= {value[name]!r}   $ {name} = 7" for name in value]
    rng.shuffle(lines)
    units = "\n".join(f"{kind} = '{unit}'" for kind, (unit, _) in UNITS.items())
    text = f"[UNITS]\n{units}\n[MODEL]\nFITTYP = {FITTYP[version]}\nTYRESIDE = 'RIGHT'\n[INERTIA]\n"
    path = tmp_path / "varied.tir"
    path.write_text(text + "\n".join(lines))
    at = points(c, rng, 3)
    out = MagicFormula.read(path)(**at, use_mode=112)._asdict()
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = plain.evaluate(asdict(c), version, 112, at)
    for name in expected:
        assert error(out[name], expected[name]) < TOLERANCE, name
