"""Derivatives of anything named: closed forms, differences of solved equilibria and curves, mistakes."""

import math
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.errors import ModelError, WrongTypeError


def press() -> ce.System:
    """A slider-crank on a spring, with free stiffness and crank radius."""
    z = (0, 0, 1)
    s = ce.System(gravity=(0, -9.81, 0), name="press")
    radius = s.add_parameter(ce.Parameter("radius", 0.2, "m"))
    k = s.add_parameter(ce.Parameter("k", 4000.0, "N/m"))
    s.add_input("torque", "N*m")
    crank = s.add_body(
        "crank", mass=2.0, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.02), parent=s.ground, hinge=ce.Revolute(z)
    )
    rod = s.add_body(
        "rod",
        mass=1.0,
        com=(0.2, -0.3, 0),
        inertia=(0.03, 0.01, 0.04),
        parent=crank,
        hinge=ce.Revolute(z, at=(radius, 0, 0)),
    )
    slide = ce.Prismatic((0, 1, 0), at=(0.2, -0.6, 0))
    ram = s.add_body("ram", mass=5.0, com=(0.2, -0.6, 0), parent=s.ground, hinge=slide)
    s.close_loop("wrist", rod, ram, ce.Revolute(z, at=(0.2, -0.6, 0)), independent=[crank])
    ends = s.ground, (0.2, -1.0, 0), ram, (0.2, -0.6, 0)
    s.add_force(ce.SpringDamper("pad", *ends, spring=ce.Linear(k), damper=40.0))
    s.add_force(ce.AppliedWrench("motor", crank, (0, 0, 0), torque=(0, 0, "torque")))
    s.add_output("force", "N", lambda observer: 4000.0 * observer.coordinate(ram))
    return s


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.compile(press())


def difference(f: Any, x: float, h: float) -> Any:
    a, b, c, d = (np.asarray(f(x + k * h)) for k in (-2, -1, 1, 2))
    return (a - 8.0 * b + 8.0 * c - d) / (12.0 * h)


def test_points_frames_outputs_and_rates_have_derivatives(model: ce.Model) -> None:
    """Differences of order four with h = 1e-3 leave 1e-12 f⁽⁵⁾ and 1e-13 of rounding: 1e-8 of sizes."""
    y, u = np.array([-0.3, 2.0]), np.array([5.0, 0.21, 3900.0])
    tip, frame = model.point("rod", at=(0.2, -0.6, 0)), model.frame("rod", at=(0.2, -0.6, 0))
    by = ["crank", "crank_rate", "torque", "radius", "k"]
    found = model.derivatives(["force", "pad.length", "rate of crank_rate", "crank", tip, frame], by, y, u=u)
    assert found.matrix.shape == (4 + 3 + 6, 5)
    out = [entry.name for entry in model.output_entries]

    def values(y: Any, u: Any) -> Any:
        outputs = model.observation(y, u)[0][[out.index("force"), out.index("pad.length")]]
        return np.concatenate((outputs, model.dynamics(y, u)[0][[1]], y[[0]], tip(y, u=u).r))

    np.testing.assert_allclose(found.values[:7], values(y, u), rtol=1e-13)
    for column, name in enumerate(by):
        k = {"crank": 0, "crank_rate": 1}.get(name)
        if k is None:
            place, h = [entry.name for entry in model.layout.u].index(name), 1e-3 * max(1.0, u[column - 2])
            step = np.eye(3)[place]
            slopes = difference(lambda x, step=step: values(y, u + x * step), 0.0, h)
            turned = difference(lambda x, step=step: frame(y, u=u + x * step).R, 0.0, h)
        else:
            step = np.eye(2)[k]
            slopes = difference(lambda x, step=step: values(y + x * step, u), 0.0, 1e-3)
            turned = difference(lambda x, step=step: frame(y + x * step, u=u).R, 0.0, 1e-3)
        np.testing.assert_allclose(found.matrix[:7, column], slopes, rtol=1e-8, atol=1e-8)
        W = turned @ frame(y, u=u).R.T
        np.testing.assert_allclose(found.matrix[7:10, column], (W[2, 1], W[0, 2], W[1, 0]), atol=1e-8)
        np.testing.assert_allclose(found.matrix[10:, column], found.matrix[4:7, column])
    assert found.of[7:10] == tuple(f"r{x} of 'rod' at [0.2, -0.6, 0.0]" for x in "xyz")
    assert np.all(np.isnan(found.values[7:10]))
    # the same columns as velocities: the Jacobian of the frame
    np.testing.assert_allclose(found.matrix[7:, 0], frame(y, u=u).J[:, 0], atol=1e-12)


def test_an_equilibrium_by_parameters(model: ce.Model) -> None:
    """Against equilibria searched for at other values; the search ends at 1e-9 of the forces."""
    u = model.inputs_with({"radius": 0.2, "k": 4000.0})
    rest = model.equilibrium(u=u).y
    by = ["radius", "k", "torque"]
    found = model.derivatives(
        ["crank", "force"], by, rest, u=u, keeping="rate of crank_rate", adjusting=["crank"]
    )
    for name, h in (("radius", 2e-3), ("k", 40.0), ("torque", 0.2)):
        place = [entry.name for entry in model.layout.u].index(name)

        def settled(x: float, place: int = place) -> Any:
            other = u + x * np.eye(3)[place]
            y = model.equilibrium(rest, u=other, tolerance=1e-13).y
            return y[0], model.outputs(y, u=other)["force"]

        expected = difference(settled, 0.0, h)
        assert [found.entry(each, name) for each in ("crank", "force")] == pytest.approx(expected, rel=1e-6)


def test_a_curve_over_an_output(model: ce.Model) -> None:
    """Angle of the rod by the crank's radius r at constant height of the ram, in closed form.

    The wrist W = (a, h) is held; the crank's end is P = r (cos θ, sin θ) from the origin with |W − P| = l(r):
    the rod's length is that of the design pose, where its ends are (r, 0) and W₀.
    """
    a, r, b = 0.2, 0.2, -0.6
    theta = -0.25
    y = np.array([theta, 0.0])
    h = model.outputs(y)["force"] / 4000.0 + b  # height of the wrist

    def gap(theta: float, r: float) -> float:
        px, py = r * math.cos(theta), r * math.sin(theta)
        return (a - px) ** 2 + (h - py) ** 2 - (a - r) ** 2 - b**2

    assert abs(gap(theta, r)) < 1e-14
    by_theta, by_r = (
        difference(lambda x: gap(theta + x, r), 0.0, 1e-3),
        difference(lambda x: gap(theta, r + x), 0.0, 1e-3),
    )
    found = model.derivatives("crank", "radius", y, keeping="force", adjusting="crank")
    assert found.entry("crank", "radius") == pytest.approx(float(-by_r / by_theta), rel=1e-9)
    kept = model.derivatives("force", "radius", y, keeping="force", adjusting="crank")
    assert abs(kept.matrix[0, 0]) < 1e-9


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"of": "nothing", "by": "k"}, "no quantity 'nothing'"),
        ({"of": "rate of nothing", "by": "k"}, "no quantity"),
        ({"of": "force", "by": "force"}, "no 'force'"),
        ({"of": "force", "by": "k", "keeping": "force"}, "cannot keep 1"),
        ({"of": "force", "by": "k", "keeping": "force", "adjusting": "torque"}, "does not determine"),
        ({"of": "force", "by": "k", "keeping": "force", "adjusting": "crunk"}, "crunk"),
    ],
)
def test_mistakes_are_named(model: ce.Model, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        model.derivatives(**arguments)


def test_wrong_types_are_named(model: ce.Model) -> None:
    with pytest.raises((ModelError, WrongTypeError)):
        model.derivatives([3.0], "k")  # type: ignore[list-item]
    with pytest.raises((ModelError, WrongTypeError)):
        model.derivatives("force", [3])  # type: ignore[list-item]
    with pytest.raises(ModelError, match="no 'x'"):
        model.derivatives("force", "k").entry("x", "k")
