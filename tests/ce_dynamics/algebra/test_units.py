"""Units of measure as they are written."""

import math

import numpy as np
import pytest

from ce_dynamics.algebra.units import SYMBOLS, parse_unit, same_dimension

INTERNATIONAL = {
    **{"1": (1.0, "1"), "%": (0.01, "1"), "kg": (1.0, "kg"), "g": (1e-3, "kg"), "t": (1e3, "kg")},
    **{"lb": (0.45359237, "kg"), "m": (1.0, "m"), "mm": (1e-3, "m"), "cm": (1e-2, "m"), "km": (1e3, "m")},
    **{"in": (0.0254, "m"), "ft": (12 * 0.0254, "m"), "s": (1.0, "s"), "ms": (1e-3, "s"), "min": (60.0, "s")},
    **{"h": (3600.0, "s"), "Hz": (1.0, "1/s"), "rad": (1.0, "rad"), "mrad": (1e-3, "rad")},
    **{"deg": (math.pi / 180.0, "rad"), "°": (math.pi / 180.0, "rad"), "rpm": (math.pi / 30.0, "rad/s")},
    **{"mph": (1609.344 / 3600.0, "m/s"), "N": (1.0, "kg*m/s^2"), "kN": (1e3, "kg*m/s^2")},
    **{"lbf": (0.45359237 * 9.80665, "kg*m/s^2"), "Nm": (1.0, "kg*m^2/s^2"), "kNm": (1e3, "kg*m^2/s^2")},
    **{"Ns": (1.0, "kg*m/s"), "J": (1.0, "kg*m^2/s^2"), "W": (1.0, "kg*m^2/s^3"), "kW": (1e3, "kg*m^2/s^3")},
    **{"us": (1e-6, "s"), "µs": (1e-6, "s"), "μs": (1e-6, "s"), "ns": (1e-9, "s")},
    **{"kn": (1852.0 / 3600.0, "m/s"), "daN": (10.0, "kg*m/s^2"), "Pa": (1.0, "kg/m/s^2")},
    **{"kPa": (1e3, "kg/m/s^2"), "MPa": (1e6, "kg/m/s^2"), "bar": (1e5, "kg/m/s^2")},
    **{"psi": (0.45359237 * 9.80665 / 0.0254**2, "kg/m/s^2"), "mV": (1e-3, "kg*m^2/s^3/A")},
    **{"mA": (1e-3, "A"), "A": (1.0, "A"), "V": (1.0, "kg*m^2/s^3/A"), "ohm": (1.0, "kg*m^2/s^3/A^2")},
    **{"kN/m": (1e3, "kg/s^2"), "N*s/mm": (1e3, "kg/s"), "kg m²": (1.0, "kg*m^2"), "m/s/s": (1.0, "m*s^-2")},
    **{"1/min": (1.0 / 60.0, "1/s"), "N·m": (1.0, "kg*m^2/s^2"), "mm**3": (1e-9, "m³")},
}
"""The definitions of units: factors to base units, and these."""


@pytest.mark.parametrize("text", INTERNATIONAL)
def test_factors_are_those_of_the_international_system(text: str) -> None:
    factor, base = INTERNATIONAL[text]
    found, expected = parse_unit(text), parse_unit(base)
    assert found.factor == pytest.approx(factor, rel=1e-15)
    assert same_dimension(found, expected)
    assert expected.factor == 1.0


def test_every_symbol_and_base_unit_is_defined_once() -> None:
    assert not SYMBOLS.keys() - INTERNATIONAL.keys()
    base = [parse_unit(symbol) for symbol in ("kg", "m", "s", "rad", "A")]
    assert [unit.dimension for unit in base] == [tuple(row) for row in np.eye(5, dtype=int).tolist()]


@pytest.mark.parametrize("text", ["m+s", "#", "m//s"])
def test_what_is_no_product_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a unit"):
        parse_unit(text)


def test_exponents_of_two_digits_are_refused() -> None:
    assert parse_unit("mm^9").factor == pytest.approx(1e-27, rel=1e-14)
    with pytest.raises(ValueError, match="at most 9"):
        parse_unit("mm^10")


@pytest.mark.parametrize("text", ["*".join(["mm^9"] * 8), "*".join(["km^9"] * 8), "1" + 8 * "/mm^9"])
def test_factors_out_of_all_bounds_are_refused(text: str) -> None:
    """1e-3 to the power of 72 is 1e-216: its square would vanish."""
    with pytest.raises(ValueError, match="out of all bounds"):
        parse_unit(text)
