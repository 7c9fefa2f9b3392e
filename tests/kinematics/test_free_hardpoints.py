"""Free hardpoints: a linkage compiled once is, at every value, the linkage built there."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.compiler import TracedFunction
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics import (
    DoubleWishbone,
    DoubleWishbonePoints,
    FourBar,
    PitmanSteering,
    Shock,
    SpindleTieRod,
    WishboneLoop,
    planar_double_wishbone,
)
from ce_dynamics.kinematics.base import ClosedForm
from ce_dynamics.mechanism.parameters import Parameter, refusals
from tests.kinematics.registry import FRONT

Vectors = Mapping[str, Any]
Numbers = dict[str, float]
Vector = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

AXLES = ("A1", "A2", "G1", "G2", "D", "F")
INERTIA = (0.10, 0.13, 0.17)  # of no symmetry: how a body turns about its own length matters


def corner(names: tuple[str, ...]) -> Numbers:
    return {
        f"{name}.{axis}": float(getattr(FRONT, name)[k]) for name in names for k, axis in enumerate("xyz")
    }


def numbers(**vectors: tuple[float, float, float]) -> Numbers:
    return {
        f"{name}.{axis}": x for name, vector in vectors.items() for axis, x in zip("xyz", vector, strict=True)
    }


def double_wishbone(p: Vectors) -> tuple[ClosedForm, ...]:
    return (DoubleWishbone(DoubleWishbonePoints(**p)),)


def massless_rod(p: Vectors) -> tuple[ClosedForm, ...]:
    loop = WishboneLoop(*(p[name] for name in AXLES))
    return loop, SpindleTieRod(p["D"], p["F"], p["K"], p["L"], tie_rod=None)


def planar_corner(p: Vectors) -> tuple[ClosedForm, ...]:
    """Both axes along x and the shock across it, whatever the values."""
    x = np.array([1.0, 0.0, 0.0])
    points = {
        "A2": p["A1"] - 0.4 * x,
        "G2": p["G1"] - 0.22 * x,
        "J": np.array([p["B"][0], p["J.y"], p["J.z"]]),
    }
    free = {name: vector for name, vector in p.items() if "." not in name}
    return (planar_double_wishbone(DoubleWishbonePoints(**free, **points)),)


def shock(p: Vectors) -> tuple[ClosedForm, ...]:
    return (Shock(p["B"], p["J"], p.get("axis")),)


LINKAGES: dict[str, tuple[Callable[[Vectors], tuple[ClosedForm, ...]], Numbers]] = {
    "double wishbone": (double_wishbone, corner((*AXLES, "K", "L", "B", "J"))),
    "wishbone loop and a tie rod that is a distance": (massless_rod, corner((*AXLES, "K", "L"))),
    "planar double wishbone": (
        planar_corner,
        corner(("A1", "G1", "D", "F", "K", "L", "B")) | {"J.y": 0.51, "J.z": 0.197},
    ),
    "four-bar": (
        lambda p: (FourBar(p["A"], p["D"], p["F"], p["G"], p["axis"], frame="chassis"),),
        numbers(A=(0, 0, 0), D=(0.2, 0.1, 0.3), F=(1.1, -0.1, 0.8), G=(1.2, 0, -0.1), axis=(0.1, -1, 0.05)),
    ),
    "Pitman steering": (
        lambda p: (PitmanSteering(p["T"], p["U"], p["V"], p["W"], p["axis"]),),
        numbers(T=(0, 0.3, 0), U=(0.2, 0.28, 0), V=(0.21, -0.3, 0.02), W=(0, -0.3, 0), axis=(0.1, 0, 1)),
    ),
    "shock": (shock, corner(("B", "J"))),
}  # fmt: skip


WITHOUT_EFFECT = {"planar double wishbone": {"G1.x"}}
"""Moves a hinge of a four-bar that carries nothing of its own along its axis."""


def vectors(value: Callable[[str], Any], names: Numbers) -> Vectors:
    """Numbers by name, put together into vectors where there are three components."""
    found: dict[str, Any] = {}
    for name in names:
        stem = name.partition(".")[0]
        if all(f"{stem}.{axis}" in names for axis in "xyz"):
            found[stem] = np.array([value(f"{stem}.{axis}") for axis in "xyz"])
        else:
            found[name] = value(name)
    return found


def built(linkage: str, value: Callable[[str], Any], system: ce.System | None = None) -> ce.System:
    """A chassis that floats on a spring, and a linkage on it."""
    system = system or ce.System(gravity=(0.0, 0.0, -9.81))
    make, names = LINKAGES[linkage]
    parts = make(vectors(value, names))
    chassis = system.add_body("chassis", mass=30.0, inertia=(3, 4, 5), parent=system.ground, hinge=ce.Free())
    if linkage == "shock":
        arm = ce.Revolute((1, 0.1, 0), at=(0, 0.3, 0))
        system.add_body("lower_arm", mass=2.0, com=(0, 0.5, 0), inertia=INERTIA, parent="chassis", hinge=arm)
    for part in parts:
        for k, joint in enumerate(part.joints()):
            com = joint.hinge.at + np.array([0.02, 0.05, -0.03])
            system.add_body(
                joint.body, mass=1.0 + k, com=com, inertia=INERTIA, parent=joint.carrier, hinge=joint.hinge
            )
        for cut in part.cuts():
            system.close_loop(cut.name, cut.body_a, cut.body_b, cut.closure)
        system.use_linkage(part)
    last = system.bodies[-1]
    system.add_force(ce.SpringDamper("push", chassis, (0, 0, 1), last, last.com, spring=300.0, damper=20.0))
    return system


def free_model(linkage: str) -> ce.Model:
    system = ce.System(gravity=(0.0, 0.0, -9.81))
    names = LINKAGES[linkage][1]
    parameters = {name: system.add_parameter(Parameter(name, x)) for name, x in names.items()}
    return ce.compile(built(linkage, parameters.__getitem__, system))


@pytest.mark.parametrize("linkage", LINKAGES)
def test_every_component_of_every_hardpoint(linkage: str) -> None:
    names = LINKAGES[linkage][1]
    model = free_model(linkage)
    traced = model.trace_dynamics()
    rng = np.random.default_rng(5)
    y = model.y0 + rng.uniform(-0.1, 0.1, len(model.y0))
    unmoved = traced.evaluate(y=y, u=model.u0)["y_dot"]
    for name, x in names.items():
        found = traced.evaluate(y=y, u=np.array([*{**names, name: x + 0.013}.values()]))["y_dot"]
        assert np.abs(found - unmoved).max() > 1e-6 or name in WITHOUT_EFFECT.get(linkage, ()), name
    for _ in range(2):  # each component moves by another amount
        values = {name: x + rng.uniform(-0.02, 0.02) for name, x in names.items()}
        plain = ce.compile(built(linkage, values.__getitem__)).trace_dynamics()
        expected = plain.evaluate(y=y, u=np.zeros(0))["y_dot"]
        found = traced.evaluate(y=y, u=np.array([*values.values()]))["y_dot"]
        # Lengths and directions are rounded in another order: a few eps, times the condition of M (< 1e3).
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
        assert not refusals(model.layout.parameters, {name: np.array([x]) for name, x in values.items()})[0]


@pytest.mark.parametrize("linkage", ["double wishbone", "four-bar"])
def test_observations_and_closures(linkage: str) -> None:
    """Outputs are those of the built linkage, and its loops are closed at all values."""
    names = LINKAGES[linkage][1]
    model = free_model(linkage)
    rng = np.random.default_rng(6)
    y = model.y0 + rng.uniform(-0.1, 0.1, len(model.y0))
    values = {name: x + rng.uniform(-0.02, 0.02) for name, x in names.items()}
    plain = ce.compile(built(linkage, values.__getitem__))
    outputs, closure, _ = model.observation(y, model.inputs_with(values))
    expected, _, _ = plain.observation(y, plain.u0)
    np.testing.assert_allclose(outputs, expected, rtol=1e-12, atol=1e-12)
    assert np.abs(closure).max() < 1e-14  # metres and cosines: rounding of numbers of the order of 1


@pytest.mark.parametrize("linkage", ["double wishbone", "four-bar"])
def test_analysis_is_that_of_the_built_linkage(linkage: str) -> None:
    """Reactions, motion of points and equilibria at other hardpoints."""
    names = LINKAGES[linkage][1]
    model = free_model(linkage)
    rng = np.random.default_rng(7)
    values = {name: x + rng.uniform(-0.02, 0.02) for name, x in names.items()}
    plain, u = ce.compile(built(linkage, values.__getitem__)), model.inputs_with(values)
    y = model.with_unit_quaternions(model.y0 + rng.uniform(-0.1, 0.1, len(model.y0)))
    found, expected = model.reactions(y, u=u), plain.reactions(y)
    for one, other in zip(
        [*found.hinges.values(), *found.closures.values()],
        [*expected.hinges.values(), *expected.closures.values()],
        strict=True,
    ):
        size = max(1.0, float(np.abs(other.force).max()))
        for a, b in zip(one, other, strict=True):  # rounding, as above
            np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-10 * size)
    if linkage == "four-bar":
        point = (0.1, 0.5, 0.2)
        for a, b in zip(model.point("rocker", point)(y, u=u), plain.point("rocker", point)(y), strict=True):
            np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-10 * max(1.0, np.abs(b).max()))
        rest = model.equilibrium(y, u=u, hold=["chassis"])
        np.testing.assert_allclose(rest.y, plain.equilibrium(y, hold=["chassis"]).y, atol=1e-9)


def test_sensitivities_to_hardpoints() -> None:
    """Exact derivatives against central differences of models that are built anew."""
    linkage = "double wishbone"
    names = LINKAGES[linkage][1]
    model = free_model(linkage)
    rng = np.random.default_rng(7)
    y = model.y0 + rng.uniform(-0.1, 0.1, len(model.y0))
    exact = model.sensitivities(y, u=model.u0)
    h = 1e-5
    for direction in rng.uniform(-1.0, 1.0, (2, len(names))):  # of all hardpoints at once

        def y_dot(s: float, along: Vector = direction) -> Vector:
            moved = {name: x + s * d for (name, x), d in zip(names.items(), along, strict=True)}
            traced = ce.compile(built(linkage, moved.__getitem__)).trace_dynamics()
            return np.asarray(traced.evaluate(y=y, u=np.zeros(0))["y_dot"])

        slope = (y_dot(h) - y_dot(-h)) / (2.0 * h)
        # h² f'''/6 with lengths of 0.1 m: 1e-10 · 1e3/6 relative to all of them; rounding 1e-15 · 50 / 1e-5
        allowed = 1e-7 * max(1.0, np.abs(exact).sum(axis=1).max())
        np.testing.assert_allclose(exact @ direction, slope, rtol=0.0, atol=allowed)


def test_lanes_with_own_hardpoints_equal_built_models() -> None:
    linkage = "double wishbone"
    names = LINKAGES[linkage][1]
    rng = np.random.default_rng(9)
    columns = {name: x + rng.uniform(-0.01, 0.01, 3) for name, x in names.items()}
    lanes = ce.simulate_ensemble(
        free_model(linkage), parameters=columns, duration=0.02, interval=0.02, lanes=4, threads=1
    )
    assert list(lanes["status"].values) == ["completed"] * 3
    for k in range(3):
        built_there = ce.compile(built(linkage, {name: x[k] for name, x in columns.items()}.__getitem__))
        traced, y = built_there.trace_dynamics(), built_there.y0
        for _ in range(20):
            y = runge_kutta(traced, y, 1e-3)
        names_of_state = [entry.name for entry in built_there.layout.v]
        found = [float(lanes[name.replace(".", "_")].isel(run=k, time=-1).values) for name in names_of_state]
        expected = built_there.layout.split(y)[1]
        # Rounding of one evaluation, over 80 of them, of velocities up to 1.
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12)
        assert np.abs(expected).max() > 0.05


def runge_kutta(traced: TracedFunction, y: Vector, h: float) -> Vector:
    def f(y: Vector) -> Vector:
        return np.asarray(traced.evaluate(y=y, u=np.zeros(0))["y_dot"])

    k1 = f(y)
    k2 = f(y + 0.5 * h * k1)
    k3 = f(y + 0.5 * h * k2)
    k4 = f(y + h * k3)
    return np.asarray(y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))


@pytest.mark.parametrize(
    ("linkage", "bad", "reason"),
    [
        ("double wishbone", {"D.x": -0.053, "D.y": 0.716, "D.z": 0.215}, "points FD coincide"),
        ("double wishbone", {"K.x": 0.1}, "another branch"),
        ("four-bar", {"F.z": -0.3, "F.x": 0.5}, "another branch"),
        ("Pitman steering", {"axis.x": 0.0, "axis.z": 0.0}, "axis is \\(0, 0, 0\\)"),
    ],
)
def test_other_branches_and_degenerate_points_are_refused(linkage: str, bad: Numbers, reason: str) -> None:
    model = free_model(linkage)
    with pytest.raises(ModelError, match=reason) as refused:
        model.inputs_with(bad)
    assert any(f"{name} = {x:g}" in str(refused.value) for name, x in bad.items())


def test_a_planar_shock_stays_in_its_plane() -> None:
    system = ce.System()
    B, J = (system.add_parameter(Parameter(name, 0.1)) for name in ("B.x", "J.x"))
    hinge = Shock((B, 0.5, 0.0), (J, 0.5, 0.2), axis=(1, 0, 0)).hinges()["shock_lower"]
    assert hinge.n_v == 1
    reasons = refusals(tuple(system.parameters.values()), {"B.x": [0.1, 0.2, 0.1], "J.x": [0.1, 0.2, 0.2]})
    assert reasons[:2] == ["", ""]
    assert "J.x = 0.2: shock 'shock_lower': BJ leans out of the plane" in reasons[2]


def test_reach_is_that_of_the_nominal_hardpoints() -> None:
    linkage = "double wishbone"
    names = LINKAGES[linkage][1]
    (free,) = LINKAGES[linkage][0](vectors({n: Parameter(n, x) for n, x in names.items()}.__getitem__, names))
    (plain,) = LINKAGES[linkage][0](vectors(names.__getitem__, names))
    found, expected = free.reach(), plain.reach()
    assert found is not None
    assert found == pytest.approx(expected, rel=1e-12)


def test_hinges_of_other_hardpoints_are_refused() -> None:
    """Formulas are compared, not their nominal values."""
    names = LINKAGES["shock"][1]
    model = built("shock", {n: Parameter(n, x) for n, x in names.items()}.__getitem__)
    (other,) = LINKAGES["shock"][0](
        vectors({n: Parameter(n, x) for n, x in names.items()}.__getitem__, names)
    )
    model.linkages[:] = [other]
    with pytest.raises(ModelError, match="not the one its linkage was built for"):
        ce.compile(model)
