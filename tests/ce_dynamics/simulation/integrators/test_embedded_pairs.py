"""Embedded pairs: conditions of their orders by rooted trees, orders measured, what their estimates see.

A rooted tree is the tuple of the trees that hang on its root.  Of τ = [τ1 … τm] (Hairer, Nørsett, Wanner:
Solving ODEs I, II.2): the number of nodes r = 1 + Σ r_k, γ = r Π γ_k, and Φ_i = Π Σ_j a_ij Φ_j(τ_k) for the
stages i.  Weights b make the state at t + θ h to order p where Σ b_i Φ_i = θ^r / γ for all trees of r ≤ p.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from ce_dynamics.algebra.arrays import Scalar, where
from ce_dynamics.compiled.integration_methods import EMBEDDED, EmbeddedPair, lower_rows
from ce_dynamics.compiled.model import Model
from ce_dynamics.simulation.integrators.pair_kernels import PairBuffers, PairTrack, interpolate
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.integrators.stepper import Adaptive
from ce_dynamics.simulation.native_run import make_stepper
from ce_dynamics.simulation.right_hand_side import RightHandSide
from tests.ce_dynamics.simulation.integrators.systems import PENDULUM_START, Wave, pendulum, slider

Floats = NDArray[np.float64]
Tree = tuple[Any, ...]

ROUNDING = 5e-14
"""Rounding of sums of products of up to three numbers as large as 13, which tsit5 has."""


def forests(nodes: int, largest: tuple[int, Tree] | None = None) -> Iterator[Tree]:
    """Sets of trees with so many nodes in all, in descending order."""
    if nodes == 0:
        yield ()
    for r in range(nodes, 0, -1):
        for tree in forests(r - 1):
            if largest is None or (r, tree) <= largest:
                for rest in forests(nodes - r, (r, tree)):
                    yield (tree, *rest)


def trees(r: int) -> list[Tree]:
    """All with r nodes."""
    return list(forests(r - 1))


def size(tree: Tree) -> int:
    return 1 + sum(map(size, tree))


def density(tree: Tree) -> int:
    """γ."""
    return size(tree) * math.prod(map(density, tree))


def symmetry(tree: Tree) -> int:
    """σ."""
    return math.prod(math.factorial(n) * symmetry(part) ** n for part, n in Counter(tree).items())


def stages(method: EmbeddedPair, tree: Tree) -> Floats:
    """Φ."""
    result = np.ones(len(method.c))
    for part in tree:
        result = result * (lower_rows(method.A) @ stages(method, part))
    return result


def between(method: EmbeddedPair, theta: float) -> Floats:
    """Weights of the dense output at θ: what the kernel makes of stages that are unit vectors."""
    n = len(method.c)
    after = np.append(np.array(method.A[-1]), 0.0)
    room = PairBuffers(*method.table, np.zeros(6), np.eye(n), after, np.array(method.dense))
    track = PairTrack(*13 * (np.zeros(n),))._replace(h=np.ones(1))  # type: ignore[arg-type]
    out = np.zeros(n)
    interpolate(room, track, 0, theta, 1, out)
    return out


def test_how_many_trees_there_are() -> None:
    assert [len(trees(r)) for r in range(1, 8)] == [1, 1, 2, 4, 9, 20, 48]  # Hairer, II.2, table 2.1


@pytest.mark.parametrize("name", EMBEDDED)
def test_conditions_of_the_orders(name: str) -> None:
    """The method, the embedded one of its error estimate, and the dense output are checked."""
    method = EMBEDDED[name]
    b = np.append(np.array(method.A[-1]), 0.0)
    np.testing.assert_allclose(lower_rows(method.A).sum(axis=1), method.c, rtol=0.0, atol=ROUNDING)
    for r in range(1, method.order + 1):
        for tree in trees(r):
            made, exact = b @ stages(method, tree), 1.0 / density(tree)
            assert abs(made - exact) < ROUNDING
            assert (abs(np.array(method.error) @ stages(method, tree)) < ROUNDING) == (r < method.order)
            for theta in (0.0, 0.2, 0.5, 0.9, 1.0):
                at = between(method, theta) @ stages(method, tree)
                assert abs(at - theta**r * exact) < ROUNDING or (r == 5 and 0.0 < theta < 1.0)


def left_of_order_6(method: EmbeddedPair) -> float:
    b = np.append(np.array(method.A[-1]), 0.0)
    terms = [(b @ stages(method, tree) - 1.0 / density(tree)) / symmetry(tree) for tree in trees(6)]
    return float(np.linalg.norm(terms))


def test_first_terms_of_errors_have_their_size() -> None:
    """Dormand and Prince (1980) state 3.99e-4 for their own; those of Tsitouras are a third of that."""
    assert left_of_order_6(EMBEDDED["dopri5"]) == pytest.approx(3.99e-4, abs=1e-6)
    assert left_of_order_6(EMBEDDED["tsit5"]) < 0.35 * left_of_order_6(EMBEDDED["dopri5"])


def stepper_at(method: str, model: Model, law: Any, y0: Floats, tolerance: float = 0.1) -> Adaptive:
    """A stepper that is to make the given step, if the tolerance lets it."""
    settings = Settings(method, 1e-3, tolerance, tolerance, np.inf)
    rhs = RightHandSide(model, law)
    stepper = make_stepper(settings, rhs.dynamics, rhs.control, rhs.inputs_at(0.0, y0), y0, model)
    assert isinstance(stepper, Adaptive)
    return stepper


def one_step(method: str, model: Model, h: float) -> tuple[Floats, Floats]:
    """The states at h/2 and h."""
    stepper = stepper_at(method, model, Wave(), PENDULUM_START)
    stepper.clock[1] = h
    out = np.zeros((3, len(PENDULUM_START)))
    stepper.counts[0] = 1
    stepper.march(np.array([0.0, 0.5 * h, h]), 1, out[np.newaxis])
    assert stepper.counts[2] == 1
    return out[1], out[2]


@pytest.mark.parametrize("name", EMBEDDED)
def test_errors_of_a_step_go_with_its_length(name: str) -> None:
    """h⁶ at its end, h⁵ between: half the length, 1/64 and 1/32 of the error.

    Less where terms of higher order still count, which for these pairs are larger than their order's.
    """
    model, rhs = pendulum(), RightHandSide(pendulum(), Wave())
    tight: dict[str, Any] = {"method": "DOP853", "rtol": 3e-14, "atol": 1e-16}
    lengths = 0.04, 0.02, 0.01
    errors = []
    for h in lengths:
        exact = [
            solve_ivp(rhs, (0.0, t), PENDULUM_START, max_step=h / 8, **tight).y[:, -1] for t in (0.5 * h, h)
        ]
        made = one_step(name, model, h)
        errors.append([np.linalg.norm(m - e) for m, e in zip(made, exact, strict=True)])
    orders = np.log2(np.array(errors)[:-1] / np.array(errors)[1:])
    assert (orders > np.array([4.9, 5.9])).all()


class Late:
    """A push that begins at 0.1 s."""

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        return {"push": where(t > 0.1, 1.0, 0.0)}


@pytest.mark.parametrize("name", EMBEDDED)
def test_what_begins_late_in_a_step_is_seen(name: str) -> None:
    """In its last twentieth no stage but those at its end sees it: it must not be stepped over."""
    stepper = stepper_at(name, slider(), Late(), np.zeros(2), tolerance=1e-4)
    stepper.clock[1] = 0.105
    stepper.march(np.array([0.0, 1.0]), 1, np.zeros((1, 2, 2)))
    assert (stepper.counts[2], stepper.counts[3]) == (0, 1)


@pytest.mark.parametrize("name", EMBEDDED)
def test_steps_at_limit_of_stability_are_not_wasted(name: str) -> None:
    """v̇ = −λ v + push/m has long died away; what limits the steps is λ, at 3.3 / λ and more."""
    damping, mass = 400.0, 2.0
    stepper = stepper_at(name, slider(damping=damping, mass=mass), {"push": 4.0}, np.zeros(2), 1e-6)
    T = 20.0
    stepper.march(np.array([0.0, T]), 10**6, np.zeros((1, 2, 2)))
    _, _, accepted, rejected = stepper.counts
    assert 0.7 * T * damping / mass / 4.0 < accepted < 1.2 * T * damping / mass / 3.3
    assert rejected < 0.02 * accepted
    assert stepper.y[1] == pytest.approx(4.0 / damping, abs=1e-5)  # it wavers by some tolerances
