"""Functions written out agree with mpmath's to a few units in the last place."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from ce_dynamics.algebra.arrays import arctan2, exp, sin, tanh
from ce_dynamics.compiler import trace
from ce_dynamics.compiler.codegen.writer import LIBM
from ce_dynamics.compiler.elementary import ARCTANGENT, COSINE, FORMULAS, SINE, written_out
from ce_dynamics.compiler.tracing.function import extract
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.operations import Op
from ce_dynamics.errors import ModelError

RNG = np.random.default_rng(5)
WIDE = np.concatenate((RNG.uniform(-30, 30, 400), RNG.normal(0, 1, 400), 10.0 ** RNG.uniform(-12, 2, 200)))
UNIT = np.concatenate((RNG.uniform(-1, 1, 300), 1.0 - 10.0 ** RNG.uniform(-15, -1, 100)))
TURNS = np.concatenate((WIDE, RNG.uniform(-1e6, 1e6, 300), np.arange(1, 60) * (math.pi / 4)))
POSITIVE = np.concatenate((10.0 ** RNG.uniform(-300, 300, 300), 1.0 + RNG.normal(0, 1e-3, 200)))

POINTS: dict[int, tuple[Any, np.ndarray]] = {
    Op.SIN: (mpmath.sin, TURNS), Op.COS: (mpmath.cos, TURNS), Op.TAN: (mpmath.tan, TURNS),
    Op.ASIN: (mpmath.asin, UNIT), Op.ACOS: (mpmath.acos, UNIT),
    Op.ATAN: (mpmath.atan, np.concatenate((WIDE, 1e9 * WIDE))),
    Op.EXP: (mpmath.exp, np.concatenate((WIDE, RNG.uniform(-700, 700, 300)))),
    Op.EXPM1: (mpmath.expm1, WIDE), Op.LOG: (mpmath.log, POSITIVE), Op.LOG1P: (mpmath.log1p, np.abs(WIDE)),
    Op.TANH: (mpmath.tanh, WIDE), Op.SINH: (mpmath.sinh, WIDE), Op.COSH: (mpmath.cosh, WIDE),
    Op.ASINH: (mpmath.asinh, WIDE), Op.ACOSH: (mpmath.acosh, 1.0 + np.abs(WIDE)),
    Op.ATANH: (mpmath.atanh, UNIT),
}  # fmt: skip
UNITS: dict[int, float] = {Op.SINH: 6, Op.ASINH: 6, Op.ACOSH: 6, Op.ATANH: 6, Op.TANH: 6, Op.TAN: 6}
"""Units in the last place where it is not four: what is made of two others."""


def errors(values: np.ndarray, exact: list[Any]) -> np.ndarray:
    """In units in the last place of the exact values."""
    found = []
    for value, truth in zip(values, exact, strict=True):
        found.append(float(abs(mpmath.mpf(float(value)) - truth)) / math.ulp(float(truth)))
    return np.array(found)


@pytest.mark.parametrize("op", sorted(POINTS), ids=lambda op: Op(op).name)
def test_formulas_are_within_few_units_in_last_place(op: int) -> None:
    truth, points = POINTS[op]
    with mpmath.workdps(60):
        exact = [truth(mpmath.mpf(float(x))) for x in points]
        with np.errstate(over="ignore"):  # in what is not selected
            values = np.array([FORMULAS[op](float(x)) for x in points])
        assert errors(values, exact).max() <= UNITS.get(op, 4)


def test_functions_of_two_numbers() -> None:
    y, x = RNG.normal(0, 1, (2, 500)) * 10.0 ** RNG.uniform(-8, 8, (2, 500))
    base, exponent = 10.0 ** RNG.uniform(-3, 3, 300), RNG.uniform(-20, 20, 300)
    with mpmath.workdps(60):
        pairs = [(mpmath.mpf(float(a)), mpmath.mpf(float(b))) for a, b in zip(y, x, strict=True)]
        angles = np.array([FORMULAS[Op.ATAN2](float(a), float(b)) for a, b in zip(y, x, strict=True)])
        assert errors(angles, [mpmath.atan2(a, b) for a, b in pairs]).max() <= 4
        lengths = np.array([FORMULAS[Op.HYPOT](float(a), float(b)) for a, b in zip(y, x, strict=True)])
        assert errors(lengths, [mpmath.hypot(a, b) for a, b in pairs]).max() <= 4
        powers = np.array([FORMULAS[Op.POW](float(a), float(b)) for a, b in zip(base, exponent, strict=True)])
        exact = [mpmath.power(float(a), float(b)) for a, b in zip(base, exponent, strict=True)]
        # a logarithm of size L that is off by four units makes the power wrong by 4 L units
        most = 4 + 4 * np.abs(exponent * np.log(base))
        assert np.all(errors(powers, exact) <= most)


@pytest.mark.parametrize("x", [0.0, -0.0, 1.0, -1.0])
@pytest.mark.parametrize("y", [0.0, -0.0, 1.0, -1.0])
def test_angles_on_axes_are_those_of_the_standard(y: float, x: float) -> None:
    found = FORMULAS[Op.ATAN2](y, x)
    assert abs(found - math.atan2(y, x)) <= math.ulp(math.pi)
    assert math.copysign(1.0, found) == math.copysign(1.0, math.atan2(y, x))


def test_edges() -> None:
    assert FORMULAS[Op.SIN](0.0) == 0.0
    assert FORMULAS[Op.COS](0.0) == 1.0
    assert FORMULAS[Op.EXP](0.0) == 1.0
    assert FORMULAS[Op.EXP](-800.0) == 0.0
    with np.errstate(over="ignore"):
        assert FORMULAS[Op.EXP](711.0) == math.inf
    assert FORMULAS[Op.LOG](1.0) == 0.0
    assert FORMULAS[Op.LOG](0.0) == -math.inf
    assert FORMULAS[Op.POW](-2.0, 3.0) == pytest.approx(-8.0, rel=1e-15)
    assert FORMULAS[Op.POW](0.0, 2.0) == 0.0
    with np.errstate(all="ignore"):
        for op, x in ((Op.LOG, -1.0), (Op.ASIN, 1.5), (Op.ACOS, -1.5), (Op.SIN, math.inf)):
            assert math.isnan(FORMULAS[op](x))
        for of_one in POINTS:
            assert math.isnan(FORMULAS[of_one](math.nan)), Op(of_one).name
        for of_two in (Op.ATAN2, Op.HYPOT, Op.POW):
            assert math.isnan(FORMULAS[of_two](math.nan, 1.0))
            assert math.isnan(FORMULAS[of_two](2.0, math.nan))


def test_function_written_out_has_bits_of_its_formulas() -> None:
    def function(x: np.ndarray) -> dict[str, Any]:
        a, b = x
        return {"y": np.array([sin(a), arctan2(a, b), exp(a) + tanh(b), a / b, abs(a) ** b])}

    plain = trace("mixed", function, {"x": 2})
    out = written_out(plain)
    used = {op for op, *_ in out.instructions}
    assert {op for op, *_ in plain.instructions} & set(LIBM)
    assert not used & (set(LIBM) - {Op.COPYSIGN})
    for a, b in RNG.normal(0, 3, (50, 2)):
        y = out.evaluate(x=[a, b])["y"]
        formulas = FORMULAS[Op.SIN](a), FORMULAS[Op.ATAN2](a, b)
        assert (y[0], y[1], y[3]) == (*formulas, a / b)
        np.testing.assert_allclose(y, plain.evaluate(x=[a, b])["y"], rtol=1e-13)


def test_what_has_no_formula_is_refused() -> None:
    graph = Graph()
    rest = graph.binary(Op.FMOD, graph.input(0, 0), graph.constant(2.0))
    traced = extract("rest", graph, {"x": (1,)}, {"y": (1,)}, [[rest]])
    with pytest.raises(ModelError, match="fmod"):
        written_out(traced)


@pytest.mark.parametrize(
    ("coefficients", "function", "farthest"),
    [
        (SINE, lambda r: (mpmath.sin(r) / r - 1) / r**2, math.pi / 4),
        (COSINE, lambda r: ((mpmath.cos(r) - 1) / r**2 + mpmath.mpf(1) / 2) / r**2, math.pi / 4),
        (ARCTANGENT, lambda u: (mpmath.atan(u) / u - 1) / u**2, math.tan(math.pi / 8)),
    ],
    ids=["sine", "cosine", "arctangent"],
)
def test_polynomials_are_those_of_the_functions(coefficients: Any, function: Any, farthest: float) -> None:
    """Also between the points they were made from: within a tenth of a unit in the last place."""
    with mpmath.workdps(60):
        for k in range(1, 301):
            x = mpmath.mpf(farthest) * k / 300
            error = mpmath.polyval([mpmath.mpf(c) for c in reversed(coefficients)], x**2) - function(x)
            assert abs(error) * x**2 < 0.1 * 2.0**-52
