"""Coefficients that are told to change nothing change no bit of what the tyre answers; all others do."""

from collections.abc import Iterator
from dataclasses import MISSING, fields, replace

import numpy as np
import pytest

from ce_dynamics.models.tyres.contract import PEAK_SLIPS, WheelOnRoad
from ce_dynamics.models.tyres.magic_formula import outputs
from ce_dynamics.models.tyres.magic_formula.coefficients import NO_NUMBERS, Coefficients
from ce_dynamics.models.tyres.magic_formula.contact_mass import ContactMassTyre
from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula
from ce_dynamics.models.vehicles.magic_formula_data import ineffective_coefficients

FEW = {
    "UNLOADED_RADIUS": 0.33, "FNOMIN": 4000.0, "VERTICAL_STIFFNESS": 2e5, "PCX1": 1.6, "PDX1": 1.2,
    "PKX1": 20.0, "PCY1": 1.3, "PDY1": 1.0, "PKY1": -18.0, "PKY2": 1.5,
}  # fmt: skip
"""Notes that have to be written."""
ELSEWHERE = {"WIDTH", "KPUMIN", "KPUMAX", "ALPMIN", "ALPMAX"}
"""Numbers that act on the contact with the road; the narrower of two bounds counts as well."""
BEYOND = {
    "RIM_RADIUS", "BOTTOM_OFFST", "BOTTOM_STIFF",
    *(f"{x}{end}" for x in ("PRES", "FZ", "CAM") for end in ("MIN", "MAX")),
}  # fmt: skip
"""Numbers that act where a bound is passed, which some of the wheels may not reach."""


def many(version: int, *, heavy: bool) -> Coefficients:
    given = {
        field.name: 0.013 if field.default in (0.0, MISSING) else field.default
        for field in fields(Coefficients)
        if field.name not in NO_NUMBERS
    }
    given |= {"INFLPRES": 2.5e5}  # not that of the measurement
    contact = {"MC": 3.0, "CX": 2e5, "CY": 1e5, "KX": 80.0, "KY": 60.0} if heavy else {"MC": 0.0}
    return Coefficients(version=version, **{**given, **FEW, **contact})  # type: ignore[arg-type]


def answers(c: Coefficients, turn_slip: bool) -> Iterator[np.ndarray]:
    """Yield responses to wheels that roll, slide, lean, stand, are pressed to the rim, spin in place."""
    kind = ContactMassTyre if c.MC > 0.0 else MagicFormulaTyre
    tyre = kind(MagicFormula(c, "left", "left"), turn_slip=turn_slip)
    rng = np.random.default_rng(0)
    for k in range(12):
        scale = (1.0, 0.01, 1.0, 3.0)[k % 4]
        radius = c.UNLOADED_RADIUS - rng.uniform(0.003, 0.05) - (0.1 if k == 9 else 0.0)
        v_x = scale * rng.uniform(-15.0, 15.0)
        moving = radius, 0.1, v_x, scale * rng.normal(), v_x / 0.32 * (1.0 + 0.2 * rng.normal())
        wheel = WheelOnRoad(*moving, rng.uniform(-0.25, 0.25), rng.normal(), 0.9, (v_x, 0.2, 0.1))
        answer = tyre.evaluate(wheel, 0.003 * rng.normal(size=len(tyre.states)))
        yield np.array([*answer[:6], *answer.x_dot], dtype=float)


@pytest.fixture
def few_slips(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Peaks among a tenth of the slips: they take most of the time that a tyre takes to be made."""
    outputs.find_peak.cache_clear()
    monkeypatch.setattr(outputs, "PEAK_SLIPS", PEAK_SLIPS[::10])
    yield
    outputs.find_peak.cache_clear()


@pytest.mark.usefixtures("few_slips")
@pytest.mark.parametrize(
    ("version", "turn_slip", "heavy"),
    [(52, False, True), (61, True, False), (62, False, False)],
)
def test_they_are_those_whose_change_changes_nothing(version: int, turn_slip: bool, heavy: bool) -> None:
    c = many(version, heavy=heavy)
    names = {field.name for field in fields(Coefficients)} - {*NO_NUMBERS}
    idle = ineffective_coefficients(c, frozenset(names), turn_slip)
    before = list(answers(c, turn_slip))
    same = set()
    for name in sorted(names - ELSEWHERE - ({"MC"} if not heavy else set())):
        value = getattr(c, name)
        after = answers(replace(c, **{name: 1.02 * value}), turn_slip)
        if all(map(np.array_equal, after, before)):  # stops at the first wheel that differs
            same.add(name)
    assert same - BEYOND == idle - {"MC"}


def test_what_another_one_multiplies_needs_that_one() -> None:
    """E_y = (PEY1 + PEY2 df_z)(1 − (PEY3 + …) sgn α): without PEY1 and PEY2 there is nothing to change."""
    c = Coefficients(version=61, **FEW, PEY3=0.1)  # type: ignore[arg-type]
    assert ineffective_coefficients(c, frozenset((*FEW, "PEY3")), turn_slip=False) == {"PEY3"}
    assert not ineffective_coefficients(
        replace(c, PEY1=-0.5), frozenset((*FEW, "PEY1", "PEY3")), turn_slip=False
    )


def test_missing_carcass_is_that_of_relaxation_lengths() -> None:
    given = FEW | {"PTX1": 2.5, "PTY1": 2.0, "PTY2": 2.0, "MC": 3.0}
    c, names = Coefficients(version=52, **given), frozenset(("PTX1", "PTY1"))  # type: ignore[arg-type]
    assert not ineffective_coefficients(c, names, turn_slip=False)
    assert ineffective_coefficients(replace(c, CX=2e5, CY=1e5), names, turn_slip=False) == names
