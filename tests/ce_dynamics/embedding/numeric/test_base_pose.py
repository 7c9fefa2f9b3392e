"""Loops with several freedoms that start where no straight line from their design pose leads.

Where they are known, all positions are found independently: a point at given distances from two others.
Lengths are about 1 and no pose is nearer than 0.02 to a singular one, so rounding is below 1e-13.
"""

from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiled.analysis import configurations
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.motion import BodyMotion
from ce_dynamics.mechanism.hinges import Revolute, Spherical, Universal
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.closure_sampling import closure_errors_at
from tests.support.systems import Z, add, dyad

NEAR = 0.05


def turned(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))


def closed_around(embedding: Embedding, q: Array) -> Array:
    """Closure errors at q and at a hundred states around."""
    some = q + np.random.default_rng(0).uniform(-NEAR, NEAR, (100, len(q)))
    return closure_errors_at(embedding, np.vstack((q, some)))


def at(embedding: Embedding, q: Array, body: str) -> BodyMotion:
    nothing = np.zeros(0)
    instant = Instant(embedding, Layout(embedding), q, np.zeros(len(q)), nothing, nothing)
    return instant.outward.motions[embedding.owner[body].name].body(body)


# A planar five-bar whose rods do not reach across: a hole in the square of the angles of its cranks

FOOT, ROD = np.array((1.6, 0.0, 0.0)), 1.3
LEFT, RIGHT = 1.9, 1.2  # angles of the cranks in the design pose


def tips(q: Array) -> tuple[Array, Array]:
    x = np.array((1.0, 0.0, 0.0))
    return turned(LEFT + q[0]) @ x, FOOT + turned(RIGHT + q[1]) @ x


def five_bar() -> System:
    system = System()
    B, D = tips(np.zeros(2))
    C = dyad(B, D, ROD, ROD, 1.0)
    add(system, "left", "ground", Revolute(Z), 0.5 * B)
    add(system, "left rod", "left", Revolute(Z, B), 0.5 * (B + C))
    add(system, "right", "ground", Revolute(Z, FOOT), 0.5 * (FOOT + D))
    add(system, "right rod", "right", Revolute(Z, D), 0.5 * (C + D))
    system.close_loop("pin", "left rod", "right rod", Revolute(Z, C), ("left", "right"))
    return system


@pytest.mark.usefixtures("by_newton")
@pytest.mark.parametrize("q", [(2.91, -2.75), (-3.14, 2.2), (-0.55, -3.14)])
def test_a_five_bar_starts_behind_a_hole(q: tuple[float, float]) -> None:
    there = np.array(q)
    assert np.isnan(closure_errors_at(embed(five_bar()), there[np.newaxis])).all()
    system = five_bar()
    system.start("left", q[0])
    system.start("right", q[1])
    embedding = embed(system)
    assert np.max(closed_around(embedding, there)) < 1e-13
    # the rod is turned from where it was drawn to the pin, which is on the side of the design pose
    B, D = tips(np.zeros(2))
    drawn = dyad(B, D, ROD, ROD, 1.0) - B
    pin = dyad(*tips(there), ROD, ROD, 1.0)
    rod = at(embedding, there, "left rod").R
    np.testing.assert_allclose(rod @ drawn, pin - tips(there)[0], rtol=0, atol=1e-13)


@pytest.mark.usefixtures("by_newton")
def test_assembly_finds_what_lies_behind_a_hole() -> None:
    """The model cannot reach the configuration; one that starts there can; the message has the remedy."""
    model, there = ce.compile(five_bar()), np.array((2.91, -2.75))
    found = model.assemble({"left": there[0], "right": there[1]})
    assert found.model is not model
    assert np.max(closed_around(found.model.embedding, found.y[:2])) < 1e-13
    np.testing.assert_allclose(found.y[:2], there, rtol=0, atol=1e-10)
    B, D = tips(np.zeros(2))
    drawn = dyad(B, D, ROD, ROD, 1.0) - B
    pin = dyad(*tips(there), ROD, ROD, 1.0)
    rod = found.poses.rotations[found.poses.bodies.index("left rod")]
    np.testing.assert_allclose(rod @ drawn, pin - tips(there)[0], rtol=0, atol=1e-9)
    with pytest.raises(ce.AssemblyError, match=r"led there straight from its start.*System\.start"):
        model.accelerations(there, (0.0, 0.0))
    near = model.assemble({"left": 0.2})
    assert near.model is model


@pytest.mark.usefixtures("by_newton")
def test_free_geometry_behind_a_hole() -> None:
    """At other values of a free hardpoint, too, the loop is led from where it starts, not across the hole."""
    q = (2.91, -2.75)

    def started(foot: Any, system: System) -> ce.Model:
        B, _ = tips(np.zeros(2))
        D = np.array((foot, 0.0, 0.0)) + turned(RIGHT)[:, 0]
        C = np.array(PIN)
        add(system, "left", "ground", Revolute(Z), 0.5 * B)
        add(system, "left rod", "left", Revolute(Z, B), 0.5 * (B + C))
        add(system, "right", "ground", Revolute(Z, (foot, 0.0, 0.0)), 0.5 * D)
        add(system, "right rod", "right", Revolute(Z, D), 0.5 * (C + D))
        system.close_loop("pin", "left rod", "right rod", Revolute(Z, C), ("left", "right"))
        for name, angle in zip(("left", "right"), q, strict=True):
            system.start(name, angle)
        return ce.compile(system)

    system = System()
    free = started(system.add_parameter(ce.Parameter("foot", FOOT[0])), system)
    state = np.array((*q, 0.3, -0.2))
    for foot in (FOOT[0] - 0.02, FOOT[0], FOOT[0] + 0.02):
        u = free.inputs_with({"foot": foot})
        assert np.max(free.observation(state, u)[1]) < 1e-13
        alone = started(foot, System())
        np.testing.assert_allclose(
            free.accelerations(q, state[2:], u=u), alone.accelerations(q, state[2:]), rtol=1e-9, atol=1e-12
        )


PIN = dyad(*tips(np.zeros(2)), ROD, ROD, 1.0)


# A plate on three cranks with rods: two loops, three freedoms

FEET = [1.5 * turned(0.3 + k * 2.0 * np.pi / 3.0)[:, 0] for k in range(3)]
PINS = [0.5 * turned(0.5 + k * 2.0 * np.pi / 3.0)[:, 0] for k in range(3)]
CRANK, LEG = 0.8, 0.9


def plate_on_legs() -> System:
    system = System()
    names = [f"crank{k}" for k in range(3)]
    for k, (A, P) in enumerate(zip(FEET, PINS, strict=True)):
        B = dyad(A, P, CRANK, LEG, 1.0)
        add(system, names[k], "ground", Revolute(Z, A), 0.5 * (A + B))
        add(system, f"rod{k}", names[k], Revolute(Z, B), 0.5 * (B + P))
    add(system, "plate", "rod0", Revolute(Z, PINS[0]), np.zeros(3))
    for k in (1, 2):
        system.close_loop(f"pin{k}", "plate", f"rod{k}", Revolute(Z, PINS[k]), names)
    return system


def cranks(position: Array, angle: float) -> Array:
    """Angles of the cranks that hold the plate in a pose, with the knees on the sides of the design pose."""
    found = []
    for A, P in zip(FEET, PINS, strict=True):
        before = dyad(A, P, CRANK, LEG, 1.0) - A
        after = dyad(A, position + turned(angle) @ P, CRANK, LEG, 1.0) - A
        found.append(np.arctan2(np.cross(before, after)[2], before @ after))
    return np.array(found)


@pytest.mark.parametrize(
    ("x", "y", "angle"), [(0.21, 0.18, -0.68), (0.25, -0.52, -0.7), (-0.54, -0.15, -0.79)]
)
def test_a_plate_starts_turned_far(x: float, y: float, angle: float) -> None:
    position = np.array((x, y, 0.0))
    q = cranks(position, angle)
    system = plate_on_legs()
    for k in range(3):
        system.start(f"crank{k}", q[k])
    embedding = embed(system)
    assert np.max(closed_around(embedding, q)[0]) < 1e-13
    plate = at(embedding, q, "plate")
    np.testing.assert_allclose(plate.R, turned(angle), rtol=0, atol=1e-13)
    np.testing.assert_allclose(plate.point(np.zeros(3), np.zeros(3)).r, position, rtol=0, atol=1e-13)


# A spatial loop with two freedoms


def spatial_five_bar() -> System:
    """Cranks on skew axes, a rod on a skew axis, one on a universal joint, and a ball between them."""
    system = System()
    B, C, D = (np.array(p) for p in ((0.2, 0.9, 0.3), (0.8, 1.2, 0.6), (1.3, 0.7, 0.4)))
    E = np.array((1.5, 0.0, 0.1))
    add(system, "left", "ground", Revolute((0.1, 0.2, 1.0)), 0.5 * B)
    add(system, "left rod", "left", Revolute((0.3, 0.1, 1.0), B), 0.5 * (B + C))
    add(system, "right", "ground", Revolute((-0.2, 0.1, 1.0), E), 0.5 * (E + D))
    add(system, "right rod", "right", Universal((0.0, 0.2, 1.0), (1.0, 0.7, 0.1), D), 0.5 * (C + D))
    system.close_loop("ball", "left rod", "right rod", Spherical(C), ("left", "right"))
    return system


@pytest.mark.usefixtures("by_newton")
@pytest.mark.parametrize("q", [(-2.2358, 2.8189), (-2.1322, 2.9527)])
def test_a_spatial_loop_starts_behind_a_hole(q: tuple[float, float]) -> None:
    there = np.array(q)
    assert np.isnan(closure_errors_at(embed(spatial_five_bar()), there[np.newaxis])).all()
    system = spatial_five_bar()
    for name, angle in zip(("left", "right"), q, strict=True):
        system.start(name, angle)
    assert np.max(closed_around(embed(system), there)) < 1e-13


def test_start_that_no_way_leads_to_is_refused() -> None:
    """The tips of the cranks are 3.4 m apart, which two rods of 1.3 m do not reach across."""
    system = five_bar()
    system.start("left", np.pi - LEFT)
    system.start("right", -RIGHT)
    with pytest.raises(ce.AssemblyError, match="cannot be assembled at its initial coordinates"):
        ce.compile(system)


@pytest.mark.usefixtures("by_newton")
def test_no_model_is_made_without_a_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tips of the cranks cannot be farther apart than both rods: nothing more is compiled."""
    monkeypatch.setattr(configurations, "restart_model", None)
    model = ce.compile(five_bar())
    far = max(
        ((a, b) for a in np.linspace(-3.0, 3.0, 13) for b in np.linspace(-3.0, 3.0, 13)),
        key=lambda q: float(np.linalg.norm(np.subtract(*tips(np.array(q))))),
    )
    assert np.linalg.norm(np.subtract(*tips(np.array(far)))) > 2.0 * ROD
    with pytest.raises(ce.AssemblyError, match="cannot be brought"):
        model.assemble({"left": far[0], "right": far[1]})
