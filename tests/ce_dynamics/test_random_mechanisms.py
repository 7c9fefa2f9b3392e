"""Properties that every mechanism must have, on random ones.

Hypothesis draws the graph (bodies, kinds of hinges and cuts, couplings, driven hinges, massless bodies), a
seed gives the geometry.  Rejected, about a quarter of all, are graphs in which no set of whole hinges can be
the independent coordinates, states that cannot be assembled or are near a dead centre, and freedoms without
mass (`states.regular`).  All lengths, rates and masses are of order one, and rates of dependent hinges below
30: rounding grows to 30² ε = 2e-13 in Ẋ_S θ̇, and a thousandfold by the worst D that is let through.

All tests see the same mechanisms (the same seed of the same strategy), which are built once.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, seed, settings

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import compute_accelerations
from ce_dynamics.dynamics.energy import kinetic_energy
from ce_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from ce_dynamics.dynamics.mass_matrix import mass_matrix
from ce_dynamics.embedding.closures.loop import closure_errors
from ce_dynamics.errors import IndependentCoordinatesError, OverConstrainedError
from ce_dynamics.mechanism.couplings.cut_edge import LoopClosure
from tests.ce_dynamics.random_mechanisms.recipe import Edge, Recipe, build, directions
from tests.ce_dynamics.random_mechanisms.states import State, on_another_tree, random_state, regular
from tests.ce_dynamics.random_mechanisms.strategies import recipes
from tests.searching import FACTOR
from tests.support.augmented import assert_agrees

# Random graphs may hold some of their hinges, with a warning; what moves has to move rightly.
pytestmark = pytest.mark.filterwarnings("ignore::ce_dynamics.errors.ImmobilityWarning")

EXAMPLES = 30 * FACTOR
NOTHING = np.zeros(0)


def on_random_mechanisms(test: Callable[[Recipe], None]) -> Callable[[], None]:
    """The same examples for every test."""
    drawn = settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    return seed(7)(drawn(given(recipes())(test)))


@lru_cache(maxsize=4 * EXAMPLES)
def found_state(recipe: Recipe) -> State | None:
    """A regular state of the mechanism, if there is one."""
    try:
        state = random_state(build(recipe), recipe.numbers("state"))
        return state if regular(state) else None
    except IndependentCoordinatesError:
        return None
    except OverConstrainedError:
        assert recipe.driven  # a drive in a part of the graph that has no freedom by itself
        return None


def state_of(recipe: Recipe) -> State:
    """A regular state of the mechanism; rejects the example if there is none."""
    state = found_state(recipe)
    assume(state is not None)
    assert state is not None
    return state


def accelerations(state: State) -> dict[str, Array]:
    return compute_accelerations(state.embedding, state.q, state.v, NOTHING, state.u)


def largest(by_body: dict[str, Array]) -> float:
    return float(max(np.max(np.abs(a)) for a in by_body.values()))


@on_random_mechanisms
def test_accelerations_equal_those_of_the_augmented_model(recipe: Recipe) -> None:
    state = state_of(recipe)
    assert_agrees(state.embedding, state.q, state.v, u=state.u, relative=1e-9)


@on_random_mechanisms
def test_mass_matrix_is_second_derivative_of_kinetic_energy(recipe: Recipe) -> None:
    """T = ½ vᵀ M v + a linear part + a constant, a sum of squares: mixed second differences are exact."""
    state = state_of(recipe)
    M = np.asarray(mass_matrix(state.instant.outward), dtype=float)
    np.testing.assert_allclose(M, M.T, rtol=0.0, atol=1e-13 * np.max(np.abs(M)))

    def T(v: Array) -> float:
        return float(kinetic_energy(state._replace(v=v).instant.outward))

    at_rest = T(np.zeros(len(M)))
    for a, b in recipe.numbers("velocities").normal(size=(3, 2, len(M))):  # every entry counts in each
        energies = T(a + b), T(a), T(b), at_rest
        mixed = energies[0] - energies[1] - energies[2] + energies[3]
        assert abs(mixed - a @ M @ b) < 1e-12 * max(energies)


@on_random_mechanisms
def test_inverse_dynamics_undo_forward_dynamics(recipe: Recipe) -> None:
    """The accelerations under the loads need no force on top; any other v̇ needs M times the difference."""
    state = state_of(recipe)
    instant = state.instant
    v_dot = np.asarray(instant.accelerations.v_dot, dtype=float)
    M = np.asarray(mass_matrix(instant.outward), dtype=float)
    other = v_dot + recipe.numbers("other").normal(size=len(v_dot)) * max(1.0, np.max(np.abs(v_dot)))

    def force(wanted: Array) -> Array:
        loads = instant.loads
        T = inverse_dynamics(instant.outward, loads.wrenches, loads.torques, wanted).T
        return np.asarray(T, dtype=float)

    scale = max(np.max(np.abs(M)) * np.max(np.abs(other)), np.max(np.abs(force(np.zeros(len(v_dot))))))
    np.testing.assert_allclose(force(v_dot), 0.0, rtol=0.0, atol=1e-11 * scale)
    np.testing.assert_allclose(force(other), M @ (other - v_dot), rtol=0.0, atol=1e-11 * scale)


@on_random_mechanisms
def test_power_balance(recipe: Recipe) -> None:
    """Kinetic and gravitational energy change by the power of loads and drives: differences along ẏ and u̇.

    Five points with h = 2e-5: rounding of energies of about 10 J leaves 1e-9 W, truncation (h / gap)⁴ of the
    power at a gap from a dead centre, where derivatives grow with 1 / gap.
    """
    state = state_of(recipe)
    instant = state.instant
    power = instant.power
    later = state.course

    def energy(s: float) -> float:
        there = later(s).instant
        return float(there.energy - there.energies["elastic_energy"])

    h = 2e-5
    rate = (8.0 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12.0 * h)
    scale = abs(float(power.loads)) + abs(float(power.prescribed)) + abs(energy(0.0)) + 1.0
    assert abs(rate - float(power.loads + power.prescribed)) < 1e-6 * scale


def on_the_same_branch(state: State, other: State, closures: list[LoopClosure]) -> bool:
    """Return True if all bodies keep their places; if not, the other tree's solution is closed all the same.

    A coordinate of the other tree may have a dead centre between the design pose and the state: its branch
    ends there, and the state is on another one.
    """
    apart = 0.0
    for body in state.embedding.system.bodies:
        same = other.embedding.system.find(body.name)
        here = state.instant.outward.placement(body, state.embedding.system.ground).r
        there = other.instant.outward.point(same, body.com, other.embedding.system.ground).r
        apart = max(apart, float(np.max(np.abs(np.asarray(here - there, dtype=float)))))
    for S in other.embedding.aggregates:
        motion = other.instant.outward.motions[S.name]
        for loop in closures:
            if loop in S.closures:
                residual = np.asarray(closure_errors(motion, [loop]).residual, dtype=float)
                assert np.max(np.abs(residual), initial=0.0) < 1e-12
    return apart < 1e-10


@on_random_mechanisms
def test_choice_of_cuts_and_tree_does_not_matter(recipe: Recipe) -> None:
    """Other edges are cut, other bodies carry, other hinges are independent: all bodies move as before."""
    state = state_of(recipe)
    order = tuple(recipe.numbers("order").permutation(len(recipe.edges)).tolist())
    recut = replace(recipe, order=order)
    signs, other_signs = directions(recipe), directions(recut)
    u = np.array(state.u)
    for number in recipe.driven:
        for k, entry in enumerate(state.layout.u):
            if entry.name in (f"drive{number}", f"drive{number}_rate", f"drive{number}_acceleration"):
                u[k] *= signs[number] * other_signs[number]
    try:
        other = on_another_tree(state, build(recut), u)
        assume(regular(other))
    except IndependentCoordinatesError:
        assume(False)
    closed = [c for c in other.embedding.system.closures if isinstance(c, LoopClosure)]
    assume(on_the_same_branch(state, other, closed))
    found = accelerations(other)
    expected = accelerations(state)
    for name, a in expected.items():
        np.testing.assert_allclose(found[name], a, rtol=0.0, atol=1e-9 * largest(expected))


def test_a_millionth_of_gravity_is_noticed() -> None:
    """The comparisons would see an error of 1e-6 in one term, by their tolerance of 1e-9."""
    edges = (
        Edge("Revolute", "ground", "1", 0), Edge("Revolute", "1", "2", 1),
        Edge("Revolute", "ground", "3", 2), Edge("Revolute", "2", "3", 3),
    )  # fmt: skip
    recipe = Recipe((False, False, False), edges, planar=True, seed=3)
    expected = accelerations(random_state(build(recipe), recipe.numbers("state")))
    system = build(recipe)
    system.gravity = (1.0 + 1e-6) * system.gravity
    found = accelerations(random_state(system, recipe.numbers("state")))
    difference = max(float(np.max(np.abs(found[name] - a))) for name, a in expected.items())
    assert difference > 1e-8 * largest(expected)
