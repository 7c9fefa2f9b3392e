"""A loop that is led by what formulas find starts where these find it at the start."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.compiled.analysis.configurations import can_start_at
from ce_dynamics.embedding.numeric.linkage import NumericLinkage

Y = (0, 1, 0)


def five_bar_that_moves_an_arm() -> ce.System:
    """Two cranks move a pin, and the pin the hand of an arm of three skew hinges."""
    s = ce.System(gravity=(0, 0, -9.81))

    def body(name: str, carrier: str, axis: tuple[float, ...], at: tuple[float, ...]) -> ce.Body:
        on, com = s.find(carrier), np.array(at) + (0.1, 0.02, 0.1)
        return s.add_body(
            name, mass=1.0, com=com, inertia=(0.02, 0.03, 0.04), parent=on, hinge=ce.Revolute(axis, at=at)
        )

    body("left", "ground", Y, (-0.1, 0, 0))
    body("right", "ground", Y, (0.1, 0, 0))
    body("left coupler", "left", Y, (-0.35, 0, 0.25))
    body("right coupler", "right", Y, (0.45, 0, 0.3))
    pin = (0.1, 0, 0.75)
    s.close_loop(
        "pin", "left coupler", "right coupler", ce.Revolute(Y, at=pin), independent=["left", "right"]
    )
    body("shoulder", "ground", (0, 0.2, 1), (0.4, 0.7, 0.2))
    body("elbow", "shoulder", (1, 0.1, 0.3), (0.5, 0.6, 0.9))
    body("wrist", "elbow", (0.2, 1, 0.5), (0.2, 0.5, 1.1))
    s.close_loop("hand", "wrist", "left coupler", ce.Spherical(at=pin))
    return s


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.Model(five_bar_that_moves_an_arm())


def led(model: ce.Model) -> NumericLinkage:
    """The only loop without a formula."""
    (linkage,) = (
        each for S in model.embedding.aggregates for each in S.linkages if isinstance(each, NumericLinkage)
    )
    return linkage


def test_it_starts_where_formulas_find_what_leads_it(model: ce.Model) -> None:
    q = np.array((0.32, -0.5))
    found = model.assemble({"left": q[0], "right": q[1]}).coordinates
    system = five_bar_that_moves_an_arm()
    system.start("left", q=q[0])
    system.start("right", q=q[1])
    started = ce.Model(system)
    linkage = led(started)
    names = [body.name for body in linkage.kernel.parameters]
    assert "left coupler" in names
    assert "left coupler" not in started.embedding.q_of
    start = linkage.start
    assert start is not None
    # the same pose, found by the other model from its design pose
    np.testing.assert_allclose(start.p, [found[name] for name in names], rtol=0.0, atol=1e-12)
    dependent = [found[body.name] for body in linkage.loop.dependent]
    np.testing.assert_allclose(start.q, dependent, rtol=0.0, atol=1e-11)
    v = np.array((0.7, -0.4))
    np.testing.assert_allclose(started.accelerations(q, v), model.accelerations(q, v), rtol=1e-10)


def test_start_that_formulas_do_not_reach_is_none(model: ce.Model) -> None:
    away = np.array((-1.4, 1.4, 0.0, 0.0))
    with pytest.raises(ce.AssemblyError):
        model.accelerations(away[:2], away[2:])
    assert not can_start_at(model, away)
    assert can_start_at(model, np.array((0.32, -0.5, 0.0, 0.0)))
