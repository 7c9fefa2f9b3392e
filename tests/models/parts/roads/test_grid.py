"""Interpolation: against SciPy's splines, and the order that integrators keep along it."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.interpolate import CubicSpline, RegularGridInterpolator, make_interp_spline

import ce_dynamics as ce
from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.compiler.free_numbers import evaluate, nominal
from ce_dynamics.models.parts.roads.grid import Axis, Grid, SplineCurve, UnevenAxis


@pytest.mark.parametrize("periodic", [False, True])
def test_curves_are_scipys_splines(periodic: bool, rng: np.random.Generator) -> None:
    z = rng.normal(size=24)
    axis = Axis(-2.0, 0.5, z.size, periodic)
    curve = SplineCurve(z, axis)
    nodes = axis.start + axis.step * np.arange(z.size + periodic)
    closed = np.append(z, z[0]) if periodic else z
    spline = CubicSpline(nodes, closed, bc_type="periodic" if periodic else "natural")
    for x in rng.uniform(nodes[0], nodes[-1], 50):
        assert curve.value(axis.place(x)) == pytest.approx(float(spline(x)), abs=1e-13 * 10)
        assert curve.slope(axis.place(x)) == pytest.approx(float(spline(x, 1)), abs=1e-12 * 10)
    if periodic:
        far = axis.place(nodes[3] + 0.2 - 7 * (nodes[-1] - nodes[0]))
        assert curve.value(far) == pytest.approx(float(spline(nodes[3] + 0.2)), abs=1e-12)


def test_free_numbers_are_looked_up(rng: np.random.Generator) -> None:
    """A place that depends on a parameter: at its nominal value, at others, in machine code."""
    grid = Grid(rng.normal(size=(6, 7)), Axis(0.0, 1.0, 6), Axis(0.0, 0.5, 7))
    x: Any = ce.Parameter("x", 1.2)
    height = grid.value(2.0 * x, 1.0 + 0.1 * x)
    assert nominal(height) == grid.value(2.4, 1.12)
    values = np.array([0.3, 1.2, 2.2])
    expected = [grid.value(2.0 * v, 1.0 + 0.1 * v) for v in values]
    assert evaluate([height], {id(x): (x, values)})[0] == pytest.approx(expected, rel=1e-13)

    def traced(v: Any) -> dict[str, Any]:
        return {"z": np.array(evaluate([height], {id(x): (x, v[0])}), dtype=object)}

    compiled = compile_function(trace("height", traced, {"v": 1}))
    assert [float(compiled(np.array([v]))[0][0]) for v in values] == pytest.approx(expected, rel=1e-13)


def test_surfaces_are_splines_of_splines(rng: np.random.Generator) -> None:
    z = rng.normal(size=(12, 9))
    x, y = Axis(1.0, 0.3, 12), Axis(-2.0, 0.7, 9)
    grid = Grid(z, x, y)
    for a, b in np.column_stack((rng.uniform(x.start, x.end, 40), rng.uniform(y.start, y.end, 40))):
        lines = CubicSpline(x.nodes, z, bc_type="natural")
        across = CubicSpline(y.nodes, lines(a), bc_type="natural")
        along = CubicSpline(y.nodes, lines(a, 1), bc_type="natural")
        assert grid.value(a, b) == pytest.approx(float(across(b)), abs=1e-12)
        assert grid.slope(a, b) == pytest.approx((float(along(b)), float(across(b, 1))), abs=1e-11)


@pytest.mark.parametrize("y", [(-1.5, -1.25, -1.0, 0.0, 1.0, 1.25, 1.5), (0.0, 0.3, 1.0), (0.0, 1.0)])
def test_uneven_nodes_are_those_of_scipys_splines(y: tuple[float, ...], rng: np.random.Generator) -> None:
    z, x, v = rng.normal(size=(8, len(y))), Axis(0.0, 0.5, 8), np.array(y)
    cubic, linear = (Grid(z, x, UnevenAxis(v), smooth) for smooth in (True, False))
    flat = RegularGridInterpolator((x.nodes, v), z)
    for a, b in np.column_stack((rng.uniform(0.0, 3.5, 40), rng.uniform(v[0], v[-1], 40))):
        across = CubicSpline(v, CubicSpline(x.nodes, z, bc_type="natural")(a), bc_type="natural")
        assert cubic.value(a, b) == pytest.approx(float(across(b)), abs=1e-12)
        assert cubic.slope(a, b)[1] == pytest.approx(float(across(b, 1)), abs=1e-11)
        assert linear.value(a, b) == pytest.approx(float(flat((a, b))), abs=1e-14)
    for side, beyond in ((v[0], v[0] - 2.0), (v[-1], v[-1] + 2.0)):
        assert cubic.value(1.2, beyond) == cubic.value(1.2, side)


def test_linear_surfaces_are_scipys(rng: np.random.Generator) -> None:
    z = rng.normal(size=(12, 9))
    x, y = Axis(1.0, 0.3, 12), Axis(-2.0, 0.7, 9)
    grid, known = Grid(z, x, y, smooth=False), RegularGridInterpolator((x.nodes, y.nodes), z)
    points = np.column_stack((rng.uniform(x.start, x.end, 40), rng.uniform(y.start, y.end, 40)))
    for (a, b), expected in zip(points.tolist(), known(points), strict=True):
        assert grid.value(a, b) == pytest.approx(float(expected), abs=1e-14)


def test_ends_hold_what_is_beyond() -> None:
    z = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    grid = Grid(z, Axis(0.0, 1.0, 3), Axis(0.0, 1.0, 2))
    assert grid.value(-5.0, -5.0) == pytest.approx(1.0)
    assert grid.value(99.0, 99.0) == pytest.approx(7.0)
    assert np.isnan(grid.value(np.nan, 0.0))


def test_runge_kutta_keeps_its_order_along_a_spline() -> None:
    """ż = height: across nodes the error of RK4 is O(h⁴) with a cubic spline, O(h²) with straight lines."""
    z = np.random.default_rng(3).normal(size=41)
    axis = Axis(0.0, 0.37, z.size)

    def errors(smooth: bool, steps: int) -> float:
        """Root mean square of the errors of runs that start at different places between two nodes."""
        grid = Grid(np.column_stack((z, z)), axis, Axis(0.0, 1.0, 2), smooth)
        traced = trace("height", lambda x: {"z": grid.value(x[0], 0.0)}, {"x": 1})
        spline = (
            CubicSpline(axis.nodes, z, bc_type="natural") if smooth else make_interp_spline(axis.nodes, z, 1)
        )
        found, h = [], 10.0 / steps
        for start in np.linspace(0.0, 0.37, 8, endpoint=False):
            x = start + 0.5 * h * np.arange(2 * steps + 1)
            values = traced.evaluate_many(x=x[:, None])["z"]
            # Runge–Kutta of a quadrature is Simpson's rule
            found.append(simpson(values, dx=0.5 * h) - float(spline.integrate(start, start + 10.0)))
        return float(np.sqrt(np.mean(np.square(found))))

    for smooth, least in ((True, 3.5), (False, 1.5)):  # at some ratios of h and spacing errors cancel
        assert np.log2(errors(smooth, 97) / errors(smooth, 388)) / 2.0 > least
    assert errors(True, 388) < 1e-2 * errors(False, 388)
