"""Units of measure as they are written."""

from __future__ import annotations

import math

import pytest

from ce_dynamics.algebra.units import parse_unit, same_dimension


@pytest.mark.parametrize(
    ("text", "factor", "base"),
    [
        ("kN/m", 1e3, "kg/s^2"),
        ("N*s/mm", 1e3, "kg/s"),
        ("rpm", math.pi / 30.0, "rad/s"),
        ("kg m²", 1.0, "N*m*s^2"),
        ("1/min", 1.0 / 60.0, "Hz"),
        ("m/s/s", 1.0, "m*s^-2"),
        ("lbf/in", 4.4482216152605 / 0.0254, "N/m"),
    ],
)
def test_factors_are_those_of_the_international_system(text: str, factor: float, base: str) -> None:
    found, expected = parse_unit(text), parse_unit(base)
    assert found.factor == pytest.approx(factor, rel=1e-15)
    assert same_dimension(found, expected)
    assert expected.factor == 1.0
    assert not same_dimension(found, parse_unit("A"))


@pytest.mark.parametrize(
    "text", ["*".join(["mm^9"] * 8), "*".join(["km^9"] * 8), "/".join(["1"] + 8 * ["mm^9"])]
)
def test_factors_out_of_all_bounds_are_refused(text: str) -> None:
    """1e-3 to the power of 72 is 1e-216: its square would vanish."""
    with pytest.raises(ValueError, match="out of all bounds"):
        parse_unit(text)


@pytest.mark.parametrize("text", ["m+s", "#", "m//s"])
def test_what_is_no_product_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a unit"):
        parse_unit(text)


def test_exponents_of_two_digits_are_refused() -> None:
    assert parse_unit("mm^9").factor == pytest.approx(1e-27, rel=1e-14)
    with pytest.raises(ValueError, match="at most 9"):
        parse_unit("mm^10")
