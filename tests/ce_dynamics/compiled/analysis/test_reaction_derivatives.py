"""Derivatives of reactions against differences of `Model.reactions`, in loops, redundant ones among them."""

from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.errors import ModelError

PARAMETERS = {"x": 1.0, "m": 2.0, "k": 40.0}


def four_bar(last: Any) -> ce.Model:
    """A crank that a drive holds in its hand, a coupler and a rocker; what closes the loop is given."""
    system = ce.System(gravity=(0, 0, -9.81))
    x, m, k = (system.add_parameter(ce.Parameter(name, value)) for name, value in PARAMETERS.items())
    system.add_input("torque", "N*m", 3.0)
    y = (0, 1, 0)

    def rod(name: str, parent: Any, at: Any, com: Any, mass: Any = 1.0) -> Any:
        hinge = ce.Revolute(y, at=at)
        return system.add_body(name, mass=mass, com=com, inertia=(0.1, 0.1, 0.1), parent=parent, hinge=hinge)

    crank = rod("crank", system.ground, (0, 0, 0), (0.1, 0.05, 0.2), m)
    rocker = rod("rocker", system.ground, (x, 0, 0), (1.05, -0.02, 0.35))
    coupler = rod("coupler", crank, (0.2, 0, 0.4), (0.6, 0.03, 0.5))
    system.close_loop("pin", coupler, rocker, last, independent=[crank])
    system.add_force(ce.TorsionSpringDamper("spring", rocker, spring=ce.Linear(k), damper=0.5))
    system.add_force(ce.AppliedWrench("motor", crank, (0, 0, 0), torque=(0, "torque", 0)))
    return ce.compile(system)


def test_against_differences() -> None:
    """Central differences with h = 1e-5 p: 1e-11 of rounding over 1e-5, h² of third derivatives.

    The loop is redundant; the multipliers of least squares are differentiated as any other choice.
    """
    model = four_bar(ce.Spherical(at=(1.1, 0, 0.7)))
    by = [*PARAMETERS, "torque", "crank", "crank_rate"]
    of = ["crank", "rocker", "coupler", "pin"]
    state = np.array((0.2, 1.5))
    found = model.reaction_derivatives(of, by, state)

    def reactions(y: Any, u: Any) -> Any:
        whole = model.reactions(y, u=u)
        parts = [whole.closures[name] if name == "pin" else whole.hinges[name] for name in of]
        return np.array([np.concatenate((part.torque, part.force)) for part in parts])

    u0 = model.u0
    mine = np.array([found.values[name] for name in of])
    np.testing.assert_allclose(mine, reactions(state, u0), rtol=0.0, atol=1e-9 * np.max(np.abs(mine)))
    names = [entry.name for entry in (*model.layout.q, *model.layout.v, *model.layout.u)]
    for column, name in enumerate(by):
        k = names.index(name)
        h = 1e-5 * max(1.0, abs(np.concatenate((state, u0))[k]))
        step = h * np.eye(len(names))[k]
        ahead, behind = (reactions(state + s * step[:2], u0 + s * step[2:]) for s in (1.0, -1.0))
        slope = (ahead - behind) / (2.0 * h)
        exact = np.array([found.derivatives[one][:, column] for one in of])
        np.testing.assert_allclose(exact, slope, rtol=0.0, atol=2e-6 * max(1.0, np.max(np.abs(slope))))


def pair(hinge: Any) -> ce.System:
    """A body on a revolute hinge and another on it."""
    system = ce.System(gravity=(0, 0, -9.81))
    for name, parent, its, com in (
        ("arm", "ground", ce.Revolute((0.1, 1, 0.2)), (0.5, 0.1, -0.2)),
        ("hand", "arm", hinge, (1.3, 0.2, 0.1)),
    ):
        system.add_body(name, mass=1.5, com=com, inertia=(0.3, 0.4, 0.5), parent=parent, hinge=its)
    return system


def geared_component() -> ce.System:
    """One angle of a universal hinge is geared to another hinge; the other leads."""
    system = pair(ce.Universal((0, 1, 0.1), (0, 0, 1), (1, 0, 0)))
    system.couple("mesh", ("arm", ("hand", 1)), ce.Gear(-1.7), independent=["arm", ("hand", 0)])
    return system


def on_a_sphere() -> ce.System:
    """A point is kept on a sphere by a condition that a user wrote."""
    system = pair(ce.Revolute((0, 0.2, 1), (1, 0, 0)))
    centre = np.array((2.0, 1.4, 0.6))

    def rule(see: Any) -> Any:
        r = see.point("hand", (1.5, 0.1, 0.3), "ground") - centre
        return r @ r - (0.5**2 + 1.3**2 + 0.3**2)

    system.constrain("rule", ("ground", "hand"), rule, independent=["arm"])
    return system


def along_a_path() -> ce.System:
    """All hinges depend on a path coordinate, and the closure has rows twice that a planar one has once."""
    system = ce.System(gravity=(0, 0, -9.81))
    y = (0, 1, 0)
    for name, parent, at, com in (
        ("crank", "ground", (0, 0, 0), (0.1, 0, 0.2)),
        ("coupler", "crank", (0.2, 0, 0.4), (0.6, 0.03, 0.5)),
        ("rocker", "ground", (1, 0, 0), (1.05, 0, 0.35)),
    ):
        hinge = ce.Revolute(y, at)
        system.add_body(name, mass=1.0, com=com, inertia=(0.1, 0.1, 0.1), parent=parent, hinge=hinge)
    pin = ce.Spherical((1.1, 0, 0.7))
    system.close_loop("pin", "coupler", "rocker", pin, through_dead_centres=True)
    return system


@pytest.mark.parametrize("described", [geared_component, on_a_sphere, along_a_path])
def test_whatever_leads_and_closes(described: Any) -> None:
    """Along one direction of all states, as above; what transmits no spatial force is seen in the hinges."""
    model = ce.compile(described())
    names = [body.name for body in model.system.bodies]
    by = [entry.name for entry in (*model.layout.q, *model.layout.v)]
    rng = np.random.default_rng(3)
    state = model.y0 + rng.uniform(-0.2, 0.2, len(by)) + np.repeat((0.0, 0.8), len(by) // 2)
    along = rng.uniform(-1.0, 1.0, len(by))
    found = model.reaction_derivatives(names, by, state)

    def reactions(y: Any) -> Any:
        hinges = [model.reactions(y).hinges[name] for name in names]
        return np.array([np.concatenate((hinge.torque, hinge.force)) for hinge in hinges])

    mine = np.array([found.values[name] for name in names])
    np.testing.assert_allclose(mine, reactions(state), rtol=0.0, atol=1e-11 * np.max(np.abs(mine)))
    ahead, behind = (reactions(state + s * 1e-5 * along) for s in (1.0, -1.0))
    exact = np.array([found.derivatives[name] @ along for name in names])
    np.testing.assert_allclose(exact, (ahead - behind) / 2e-5, rtol=0.0, atol=1e-7 * np.max(np.abs(mine)))


def test_mistakes_are_named() -> None:
    model = four_bar(ce.Spherical(at=(1.1, 0, 0.7)))
    for of, by, words in (
        ("pim", "k", "no joint 'pim'"),
        ("pin", "q", "no 'q'"),
        ([], "k", "at least one joint"),
    ):
        with pytest.raises(ModelError, match=words):
            model.reaction_derivatives(of, by)
