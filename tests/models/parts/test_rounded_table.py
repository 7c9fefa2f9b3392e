"""Tables with rounded corners: what they keep of straight lines between points."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ce_dynamics.compiler import trace
from ce_dynamics.models.parts.rounding import OFFSET, ROUNDED, RoundedTable
from tests.ce_dynamics.opaque import Opaque, reveal_scalar


@st.composite
def tables(draw: st.DrawFn) -> RoundedTable:
    """Draw tables of two to eight points, some of them on one line."""
    n = draw(st.integers(2, 8))
    x = np.cumsum([draw(st.floats(-50.0, 50.0)), *(draw(st.floats(0.01, 30.0)) for _ in range(n - 1))])
    y = [draw(st.integers(-300, 300)) / 4.0 for _ in range(n)]
    return RoundedTable(tuple(x.tolist()), tuple(y))


def offsets(table: RoundedTable) -> list[tuple[float, float, float]]:
    """Return for every point its x, the half width of its rounding, and its offset."""
    gaps = np.diff(table.x)
    slopes = np.array([0.0, *(np.diff(table.y) / gaps), 0.0])
    narrower = ROUNDED * np.minimum([gaps[0], *gaps], [*gaps, gaps[-1]])
    return list(zip(table.x, narrower, OFFSET * narrower * np.abs(np.diff(slopes)), strict=True))


@given(table=tables())
def test_it_is_the_table_but_for_its_roundings(table: RoundedTable) -> None:
    """The bound is rounding of values up to 75 and slopes up to 15,000 over lengths up to 30."""
    low, high = table.x[0] - 5.0, table.x[-1] + 5.0
    inside = [x + f * w for x, w, _ in offsets(table) for f in (-1.0, -0.9, -0.3, 0.0, 0.5, 1.0)]
    for x in (*np.linspace(low, high, 41), *inside):
        off = abs(float(table(x)) - float(np.interp(x, table.x, table.y)))
        allowed = [most for at, w, most in offsets(table) if abs(x - at) < w]
        assert off <= max(allowed, default=0.0) + 1e-10
        assert min(table.y) - 1e-10 <= float(table(x)) <= max(table.y) + 1e-10
    assert (table(low), table(high)) == (table.y[0], table.y[-1])  # to the last bit


@given(table=tables(), falling=st.booleans())
def test_it_rises_and_bends_as_its_points_do(table: RoundedTable, falling: bool) -> None:
    rising = RoundedTable(table.x, tuple(sorted(table.y, reverse=falling)))
    x = np.linspace(table.x[0] - 1.0, table.x[-1] + 1.0, 101)
    steps = np.diff([float(rising(value)) for value in x])
    assert np.all(steps <= 1e-10 if falling else steps >= -1e-10)
    slopes = sorted(b - a for a, b in pairwise(table.y))
    y = np.cumsum([0.0, *(s * d for s, d in zip(slopes, np.diff(table.x), strict=True))])
    bowl = RoundedTable(table.x, tuple(y.tolist()))
    within = np.linspace(table.x[0] + ROUNDED * 30.0, table.x[-1] - ROUNDED * 30.0, 101)
    if within[0] < within[-1]:
        assert np.all(np.diff([float(bowl(value)) for value in within], 2) >= -1e-8)


@given(table=tables(), x=st.floats(-80.0, 80.0))
def test_its_integral(table: RoundedTable, x: float) -> None:
    """By Gauss quadrature, exact for its polynomials of degree six, between all places where these change."""
    ends = [at + f * w for at, w, _ in offsets(table) for f in (-1.0, 0.0, 1.0)]
    places = sorted({0.0, x, *(at for at in ends if min(0.0, x) < at < max(0.0, x))})
    nodes, weights = np.polynomial.legendre.leggauss(4)
    parts = [
        0.5
        * (b - a)
        * sum(w * float(table(a + 0.5 * (b - a) * (1.0 + s))) for s, w in zip(nodes, weights, strict=True))
        for a, b in pairwise(places)
    ]
    assert float(table.energy(x)) == pytest.approx(np.copysign(1.0, x) * sum(parts), abs=1e-8)


def test_corners_of_dampers_at_rest_stay() -> None:
    """A damper of two rates does not push at rest, and never drives; elsewhere it is as any table."""
    table = RoundedTable((-10.0, 0.0, 10.0), (-100.0, 0.0, 700.0), widest=0.01, passive=True)
    v = np.linspace(-0.03, 0.03, 601)
    force = np.array([float(table(value)) for value in v])
    assert float(table(0.0)) == 0.0
    assert np.all(force * v >= 0.0)
    far = np.abs(v) >= 0.01
    assert force[far] == pytest.approx(np.where(v > 0.0, 70.0 * v, 10.0 * v)[far], abs=1e-15)


@pytest.mark.parametrize("corner", [1e-5, 1e-3, -2e-3])
def test_corners_near_rest_do_not_push(corner: float) -> None:
    """A damper bends at 1 mm/s, but has no point at rest, where its line passes: roundings end there."""
    near, far = 1e3, 5e3  # slopes through rest, and beyond the corner
    inner = -0.1 if corner > 0.0 else 0.1
    points = {inner: near * inner, corner: near * corner, -inner: near * corner + far * (-inner - corner)}
    table = RoundedTable(tuple(sorted(points)), tuple(points[x] for x in sorted(points)), 0.005, passive=True)
    assert float(table(0.0)) == pytest.approx(0.0, abs=1e-13)
    v = np.linspace(-0.02, 0.02, 401)
    assert min(value * float(table(value)) for value in v) >= -1e-15


def test_table_without_corners_costs_nothing() -> None:
    flat = RoundedTable((0.0, 1.0, 2.0), (3.0, 3.0, 3.0))

    def constant(x: Any) -> dict[str, Any]:
        return {"y": flat(x[0])}

    assert trace("constant", constant, {"x": 1}).n_instructions == 0
    table = RoundedTable((0.0, 1.0, 3.0), (3.0, 5.0, -2.0))
    for x in (-1.0, 0.05, 0.5, 1.0, 2.0, 3.1):
        assert reveal_scalar(table(Opaque(x))) == table(x)
