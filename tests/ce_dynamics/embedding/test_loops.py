"""Every way of solving a loop, against the augmented form and differences; balls that roll in loops.

Lengths are about 1 and rates at most 1, so a position is good to about 1e-14 divided by the distance to a
singular pose (0.1 at least).  Derivatives are taken by the five-point formula with h = 1e-3: its error is
h⁴ |f⁽⁵⁾| / 30 < 4e-9 for |f⁽⁵⁾| < 1e5, plus 1.5 · 1e-14 / h = 1.5e-11.
"""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.aggregate import Aggregate, Embedding
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.embedding.whole_loop import chart_of, path_of
from ce_dynamics.errors import IndependentCoordinatesError
from ce_dynamics.mechanism.system import System
from tests.support.augmented import NOTHING, assert_agrees
from tests.support.systems import CHARTS, LOOPS, PATHS, add


class Way(NamedTuple):
    """A way of solving loops: its systems, and tolerances of accelerations and of rates of closures."""

    systems: dict[str, Callable[[], System]]
    relative: float
    moving: float


WAYS = {
    "hinges": Way(LOOPS, 1e-10, 1e-13),
    "path": Way(PATHS, 1e-9, 1e-12),
    "chart": Way(CHARTS, 1e-10, 1e-13),
}
FREEDOMS = {"five-bar": 2, "RSSR": 2, "platform": 3}


class Case(NamedTuple):
    leads: str
    system: str
    embedding: Embedding

    @property
    def loop(self) -> Aggregate:
        return next(S for S in self.embedding.aggregates if S.closures)

    def random_state(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """A state at least a tenth of the reach away from its ends, or some charts away from the design."""
        n_v = self.embedding.n_v
        v = rng.uniform(-1.0, 1.0, n_v)
        if (chart := chart_of(self.loop)) is not None:
            c = chart.coordinate.inboard.neutral
            for _ in range(3):
                c[:n_v] = rng.uniform(-0.2, 0.2, n_v)
                _, c, _ = chart.renewal(c, np.zeros(n_v))
            c[:n_v] = rng.uniform(-0.25, 0.25, n_v)
            return c, v
        if (path := path_of(self.loop)) is not None:
            return rng.uniform(-2.0, 2.0, 1) * path.curve.length, v
        (linkage,) = self.loop.linkages
        assert isinstance(linkage, NumericLinkage)
        if (reach := linkage.reach()) is None:
            return rng.uniform(-0.4, 0.4, self.embedding.n_q), v
        lower, upper = reach if math.isfinite(reach[0]) else (-math.pi, math.pi)
        margin = 0.1 * (upper - lower)
        return rng.uniform(lower + margin, upper - margin, 1), v

    def parts(self, outward: Outward, part: str) -> Array:
        motions = outward.motions[self.loop.name].hinge_motions
        return np.concatenate([getattr(motions[body.name], part) for body in self.loop.dependent])


@pytest.fixture(scope="module", params=[f"{way}: {name}" for way in WAYS for name in WAYS[way].systems])
def case(
    request: pytest.FixtureRequest, recognising_nothing: Callable[[], AbstractContextManager[None]]
) -> Case:
    leads, _, system = request.param.partition(": ")
    with recognising_nothing() if leads == "hinges" else nullcontext():
        return Case(leads, system, embed(WAYS[leads].systems[system]()))


def test_whole_loops_are_led_by_no_hinge(case: Case) -> None:
    assert case.embedding.n_v == FREEDOMS.get(case.system, 1)
    S = case.loop
    assert (S.dependent == S.bodies) == (case.leads != "hinges")
    assert (list(case.embedding.q_of) == [f"{S.name}.{case.leads}"]) == (case.leads != "hinges")


def test_accelerations_equal_those_of_the_augmented_model(case: Case, rng: np.random.Generator) -> None:
    for _ in range(8):
        q, v = case.random_state(rng)
        way = WAYS[case.leads]
        assert_agrees(case.embedding, q, v, relative=way.relative, closed=2e-14, moving=way.moving)


def test_velocities_and_biases_are_derivatives(case: Case, rng: np.random.Generator) -> None:
    q, v = case.random_state(rng)
    q_dot = np.concatenate((v, np.zeros(len(q) - len(v))))
    ground, bodies = case.embedding.system.ground, case.embedding.system.bodies

    def ahead(t: float) -> Outward:
        return Outward(case.embedding, q + t * q_dot, v, {})

    def points(t: float) -> Array:
        return np.concatenate([ahead(t).placement(body, ground).r for body in bodies])

    at = ahead(0.0)
    rates = np.concatenate([at.placement(body, ground).v for body in bodies])
    np.testing.assert_allclose(rates, five_point(points), rtol=0.0, atol=1e-8)
    X_dot = five_point(lambda t: case.parts(ahead(t), "X") @ v)
    np.testing.assert_allclose(case.parts(at, "bias").astype(float), X_dot, rtol=0.0, atol=1e-8)


def five_point(f: Callable[[float], Array], h: float = 1e-3) -> Array:
    return np.asarray((8.0 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12.0 * h), dtype=float)


def test_compiled_kinematics_equal_the_plain_ones(case: Case, rng: np.random.Generator) -> None:
    names = ("c", "X", "bias")

    def kinematics(q: Array, v: Array) -> dict[str, Array]:
        outward = Outward(case.embedding, q, v, {})
        return {part: case.parts(outward, part) for part in names}

    sizes = {"q": case.embedding.n_q, "v": case.embedding.n_v}
    compiled = compile_function(trace("kinematics", kinematics, sizes))
    for _ in range(5):
        q, v = case.random_state(rng)
        plain = kinematics(q, v)
        for part, value in zip(names, compiled(q, v), strict=True):
            expected = plain[part].astype(float).reshape(value.shape)
            np.testing.assert_allclose(value, expected, rtol=1e-11, atol=1e-11)


# Balls that roll in loops

X, Y, Z = np.eye(3)
RADIUS = 0.3
CENTRE = RADIUS * Z


def ball_with_an_arm(*leading: str) -> System:
    """An arm on the ground and a ball, whose tips a rod joins: four freedoms."""
    system = System(gravity=(0.0, 0.0, -9.81))
    tip, eye = np.array((1.0, 0.2, 0.9)), CENTRE + 0.1 * (X + Z)
    add(system, "arm", "ground", ce.Universal(X, Y, 1.5 * X), 0.5 * (1.5 * X + tip))
    add(system, "ball", "ground", ce.RollingOnPlane(Z, CENTRE, RADIUS), CENTRE)
    system.close_loop("rod", "ball", "arm", ce.Distance(eye, tip), leading)
    return system


def crank_and_ball() -> System:
    """A slider-crank whose slider is a ball: one freedom, which a ball cannot lead with its three."""
    system = System(gravity=(0.0, 0.0, -9.81))
    pivot, pin = CENTRE - 2.0 * X, CENTRE - 2.0 * X + np.array((0.3, 0.0, 0.4))
    add(system, "crank", "ground", ce.Revolute(Y, pivot), 0.5 * (pivot + pin))
    add(system, "rod", "crank", ce.Revolute(Y, pin), 0.5 * (pin + CENTRE))
    add(system, "ball", "ground", ce.RollingOnPlane(Z, CENTRE, RADIUS), CENTRE)
    system.close_loop("axle", "rod", "ball", ce.Revolute(Y, CENTRE))
    return system


def test_a_ball_that_rolls_leads_its_loop() -> None:
    """Led coordinates have the rates of their places: central differences, off by h² and 1e-15 / h."""
    embedding = embed(ball_with_an_arm())
    (S,) = embedding.aggregates
    assert "ball" in [body.name for body in S.independent]
    layout, rng, h = Layout(embedding), np.random.default_rng(3), 1e-5
    q, v = layout.split(layout.y0)[0], rng.uniform(-1.0, 1.0, embedding.n_v)
    for name, part in embedding.q_of.items():
        hinge, rates = embedding.coordinates[name].inboard, v[embedding.v_of[name]]
        q[part] += 0.1 * hinge.q_dot(q[part], rates).astype(float)
    q_dot = Instant(embedding, layout, q, v, NOTHING, NOTHING).q_dot.astype(float)
    arm = embedding.system.find("arm").inboard

    def coordinates(s: float) -> Array:
        outward = Instant(embedding, layout, q + s * q_dot, v, NOTHING, NOTHING).outward
        return np.asarray(arm.coordinates(outward.motions[S.name].hinge_motions["arm"].c), dtype=float)

    motion = Instant(embedding, layout, q, v, NOTHING, NOTHING).outward.motions[S.name].hinge_motions["arm"]
    found = (coordinates(h) - coordinates(-h)) / (2.0 * h)
    theta_dot = np.concatenate([v[embedding.v_of[body.name]] for body in S.independent])
    np.testing.assert_allclose(found, np.asarray(motion.X @ theta_dot, dtype=float), rtol=0.0, atol=1e-8)
    assert_agrees(embedding, q, v, relative=1e-10)


def test_ball_whose_place_others_should_determine_is_refused() -> None:
    with pytest.raises(IndependentCoordinatesError, match=r"'ball' rolls.* independent=\['ball', \.\.\.\]"):
        embed(ball_with_an_arm("arm"))
    with pytest.raises(IndependentCoordinatesError, match=r"leads it; use BallRollingOnPlane"):
        embed(crank_and_ball())
