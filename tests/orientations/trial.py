"""One mechanism: what came of it."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import FullyAugmented, embedded_accelerations
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.errors import CeDynamicsError, ImmobilityWarning
from ce_dynamics.mechanism.system import LoopClosure
from tests.ce_dynamics.closure_sampling import closure_errors_at
from tests.ce_dynamics.random_mechanisms.recipe import Recipe, build
from tests.ce_dynamics.random_mechanisms.states import State, random_state, regular

CLOSED = 1e-12
"""Closure error that is allowed, in sizes of the mechanism (a metre at least)."""
ROUNDINGS = 40.0
"""Units in the last place of positions far from the origin that errors may add up to, in both forms."""
AGREEMENT = 1e-9
"""Of the largest acceleration: rates are below 30 and D above 1e-6, which takes a thousandfold of 2e-13."""
WIDEST = 1.0
"""Steps of the independent coordinates away from the design pose [rad or m]."""


class Outcome(NamedTuple):
    """What came of a mechanism.

    Attributes
    ----------
    kind : str
        ``ok``, ``refused``, ``passed over`` (no regular state near the design pose) or ``WRONG``.
    why : str
    states : int
        At which all loops were assembled, and closed.
    closure : float
        Largest error of a closure [m, or rad].
    """

    kind: str
    why: str = ""
    states: int = 0
    closure: float = 0.0


def outcome(recipe: Recipe, states: int) -> Outcome:
    """Compare a mechanism with the augmented form at one state, and look at its closures at many."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            state = random_state(build(recipe), recipe.numbers("state"))
            told = any(issubclass(w.category, ImmobilityWarning) for w in seen)
            if not told and (less := freedoms_lost(recipe, state.embedding)):
                return Outcome("WRONG", f"{less} freedoms are lost without a word")
            if not regular(state):
                return Outcome("passed over")
            wrong = disagreement(recipe, state)
            number, closure = sampled(recipe, state, states)
        except CeDynamicsError as error:
            return Outcome("refused", f"{type(error).__name__}: {pattern(str(error))}")
        except Exception as error:
            return Outcome("WRONG", f"{type(error).__name__}: {error}")
    if wrong:
        return Outcome("WRONG", wrong, number, closure)
    if closure > allowed(recipe):
        return Outcome("WRONG", f"a closure is open by {closure:.2g}", number, closure)
    return Outcome("ok", "", number, closure)


def allowed(recipe: Recipe) -> float:
    """Closure error that is allowed."""
    away = 0.0 if recipe.place is None else recipe.place.away
    return 4.0 * CLOSED + ROUNDINGS * float(np.spacing(away)) if away else 4.0 * CLOSED


def freedoms_lost(recipe: Recipe, embedding: Embedding) -> int:
    """Freedoms that the mechanism has where it was drawn, with all digits, and not where it was put."""
    try:
        home = random_state(build(replace(recipe, place=None)), recipe.numbers("state"))
    except CeDynamicsError:
        return 0
    return max(0, home.embedding.n_v - embedding.n_v)


def disagreement(recipe: Recipe, state: State) -> str:
    """How the accelerations of bodies differ from those of the fully augmented form; empty if they do not."""
    nothing = np.zeros(0)
    found = embedded_accelerations(state.embedding, state.q, state.v, nothing, state.u)
    full = FullyAugmented(state.embedding.system)
    y = full.state_from_embedded(state.embedding, state.q, state.v, nothing, state.u)
    constraints = full.at(y, state.u).constraints
    if not np.max(np.abs(constraints.g), initial=0.0) < allowed(recipe):
        return f"a constraint of the augmented form is off by {np.max(np.abs(constraints.g)):.2g}"
    bodies = state.embedding.system.bodies
    expected = full.accelerations(y, state.u).V_dot.reshape(len(bodies), 6)
    size = max(float(np.max(np.abs(a))) for a in found.values())
    apart = max(float(np.max(np.abs(found[b.name] - a))) for b, a in zip(bodies, expected, strict=True))
    tolerance = AGREEMENT * size * (1.0 + allowed(recipe) / CLOSED)
    return "" if apart <= tolerance else f"accelerations differ by {apart:.2g} of {size:.2g}"


def sampled(recipe: Recipe, state: State, number: int) -> tuple[int, float]:
    """At how many of some random states all loops are assembled, and the largest closure error there."""
    embedding = state.embedding
    if not number or not any(isinstance(edge, LoopClosure) for edge in embedding.system.closures):
        return 0, 0.0
    rng = recipe.numbers("closures")
    q_0 = np.concatenate([np.zeros(0), *(b.inboard.neutral for b in embedding.coordinates.values())])
    reach = rng.uniform(0.0, WIDEST, (number, 1))
    q = q_0 + reach * rng.uniform(-1.0, 1.0, (number, embedding.n_q))
    u = reach * rng.uniform(-1.0, 1.0, (number, len(state.layout.u)))
    errors: Array = closure_errors_at(embedding, q, u)
    assembled = np.all(np.isfinite(errors), axis=1)
    return int(np.sum(assembled)), float(np.max(errors[assembled], initial=0.0))


def pattern(message: str) -> str:
    """A message without its names and numbers."""
    message = re.sub(r"\[[^\]]*\]|\{[^}]*\}", "…", message)
    message = re.sub(r"'[^']*'", "…", message)
    message = re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "#", message)
    return message[:110]
