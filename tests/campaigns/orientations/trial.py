"""One mechanism: what came of it."""

import re
import warnings
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import FullyAugmented, compute_accelerations
from ce_dynamics.compiled.model import compile
from ce_dynamics.embedding.aggregate import Aggregate, Embedding
from ce_dynamics.embedding.closures.loop import Loop
from ce_dynamics.errors import CeDynamicsError, ImmobilityWarning
from tests.ce_dynamics.closure_sampling import closure_errors_of
from tests.ce_dynamics.random_mechanisms.recipe import Recipe, build
from tests.ce_dynamics.random_mechanisms.states import STEEPEST, State, random_state, regular

CLOSED = 1e-12
"""Closure error that is allowed, in sizes of the loop (a metre at least)."""
ROUNDINGS = 1.5
"""Units in the last place of positions far from the origin that a body, or an end of a closure, loses.

Half a unit of every component in each of the two sums that lead across a hinge, or from a body to the point
of a closure and on, and in the point of the hinge or closure as it is written down.  An error that is their
difference has three components, and all of these may point the same way; they are lost twice, as the loop is
closed and as it is looked at here.
"""
AGREEMENT = 1e-9
"""Part of the largest acceleration: rates are below 30 and D above 1e-6, a thousandfold of 2e-13."""
STEP, MOVED = 1e-5, 1e-6
"""Time of differences [s], and what rates may be off by."""
ANGLES = np.pi
"""Angles are drawn from so far on both sides of the design pose [rad], lengths from as many sizes ..."""
LENGTHS = 1.0
NEARER = 0.3
"""... and where few such states can be assembled, from this part of both."""
BATCHES = 6
"""Batches of random states that are tried."""
STEPS = (1.0, 1.0, 0.5, 0.2, 0.1)
"""Parts of the way from the design pose at which a regular state is searched."""


class Outcome(NamedTuple):
    """Outcome of a mechanism."""

    # ``ok``, ``refused``, ``passed over`` (closures were looked at, but no state is regular enough to compare
    # accelerations) or ``WRONG``
    kind: str
    why: str = ""
    states: int = 0  # at which all loops were assembled, and closed
    closure: float = 0.0  # largest error of a closure [m, or rad], per size of its loop


def outcome(recipe: Recipe, states: int) -> Outcome:
    """Compare a mechanism with the augmented form at one state, and look at its closures at many."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            state = random_state(build(recipe), recipe.numbers("state"))
            told = any(issubclass(w.category, ImmobilityWarning) for w in seen)
            if not told and (less := freedoms_lost(recipe, state.embedding)):
                return Outcome("WRONG", f"{less} freedoms are lost without a word")
            number, closure, excess = sampled(recipe, state, states)
            if excess > 1.0:
                return Outcome("WRONG", f"a closure is open by {closure:.2g} of its size", number, closure)
            compared = regular_state(recipe, state)
            if compared is None:
                compile(build(recipe))  # freedoms without mass are refused by name
                return Outcome("passed over", irregularity(state), number, closure)
            wrong = disagreement(recipe, compared) or slipping(recipe, compared)
        except CeDynamicsError as error:
            return Outcome("refused", f"{type(error).__name__}: {pattern(str(error))}")
        except Exception as error:
            return Outcome("WRONG", f"{type(error).__name__}: {error}")
    return Outcome("WRONG" if wrong else "ok", wrong, number, closure)


def far(recipe: Recipe, bodies: int) -> float:
    """Return the lost precision of positions far from the origin, along a loop of some bodies [m]."""
    away = 0.0 if recipe.place is None else recipe.place.away
    return 2.0 * np.sqrt(3.0) * ROUNDINGS * (bodies + 2) * float(np.spacing(away)) if away else 0.0


def allowed(recipe: Recipe, embedding: Embedding) -> tuple[Array, Array]:
    """Errors of closures that their sizes allow, and where they are, in the order of aggregated bodies."""
    near = [CLOSED * max(1.0, size_of(S)) for S in embedding.aggregates for _ in S.closures]
    away = [far(recipe, len(S.bodies)) for S in embedding.aggregates for _ in S.closures]
    return np.array(near), np.array(away)


def size_of(S: Aggregate) -> float:
    """Characteristic length of an aggregated body's loop [m]."""
    return Loop(S.parent, S.bodies, S.closures, ()).size


def regular_state(recipe: Recipe, state: State) -> State | None:
    """A regular state near the design pose, None if none was found."""
    rng = recipe.numbers("regular")
    q_0, _, _ = state.layout.split(state.layout.y0)
    tried = state
    for part in STEPS:
        if regular(tried):
            return tried
        q = displaced(state.embedding, 0.15 * part * rng.uniform(-1.0, 1.0, (1, state.embedding.n_v)), q_0)
        tried = state._replace(q=q[0], u=part * state.u)
    return tried if regular(tried) else None


def irregularity(state: State) -> str:
    """Why accelerations cannot be compared to many digits at a state."""
    with np.errstate(all="ignore"):
        found = state.instant.outward.motions.values()
        rates = [motion.X.astype(float) for S in found for motion in S.hinge_motions.values()]
        fastest = max(float(np.max(np.abs(X), initial=0.0)) for X in rates)
    if not np.isfinite(fastest):
        return "not assembled"
    return f"hinges {STEEPEST:g} times as fast" if fastest > STEEPEST else "hardly any mass moves"


def freedoms_lost(recipe: Recipe, embedding: Embedding) -> int:
    """Freedoms that the mechanism has where it was drawn, with all digits, and not where it was put."""
    try:
        home = random_state(build(replace(recipe, place=None)), recipe.numbers("state"))
    except CeDynamicsError:
        return 0
    return max(0, home.embedding.n_v - embedding.n_v)


def disagreement(recipe: Recipe, state: State) -> str:
    """Describe how accelerations differ from those of the fully augmented form; empty if equal."""
    nothing = np.zeros(0)
    found = compute_accelerations(state.embedding, state.q, state.v, nothing, state.u)
    full = FullyAugmented(state.embedding.system)
    y = full.state_from_embedded(state.embedding, state.q, state.v, nothing, state.u)
    constraints = full.at(y, state.u).constraints
    limit = float(np.max(np.add(*allowed(recipe, state.embedding)), initial=CLOSED))
    if not np.max(np.abs(constraints.g), initial=0.0) < limit:
        return f"a constraint of the augmented form is off by {np.max(np.abs(constraints.g)):.2g}"
    bodies = state.embedding.system.bodies
    expected = full.accelerations(y, state.u).V_dot.reshape(len(bodies), 6)
    size = max(float(np.max(np.abs(a))) for a in found.values())
    apart = max(float(np.max(np.abs(found[b.name] - a))) for b, a in zip(bodies, expected, strict=True))
    tolerance = AGREEMENT * size * (1.0 + limit / CLOSED)
    return "" if apart <= tolerance else f"accelerations differ by {apart:.2g} of {size:.2g}"


def slipping(recipe: Recipe, state: State) -> str:
    """Name a hinge of a loop that does not move as its rates require; empty if all do.

    Central differences over twice h: off by h² times third derivatives, of the size of the rates cubed, and
    by rounding over h of positions far away, which moves hinges by up to `STEEPEST` times as much.
    """
    later = state.course
    motions = state.instant.outward.motions
    before, after = (later(s * STEP).instant.outward.motions for s in (-1.0, 1.0))
    for S in state.embedding.aggregates:
        theta_dot = np.concatenate(
            [np.zeros(0), *(state.v[state.embedding.v_of[b.name]] for b in S.independent)]
        )
        rounding = STEEPEST * far(recipe, len(S.bodies)) / STEP
        for body in S.dependent:
            hinge = body.inboard
            here, *ends = (found[S.name].hinge_motions[body.name] for found in (motions, before, after))
            rates = np.asarray(here.X @ theta_dot + here.eta, dtype=float)
            said = np.asarray(hinge.H(here.c).T @ rates, dtype=float)
            (R_a, r_a), (R_b, r_b) = (map(np.asarray, hinge.pose(end.c)) for end in ends)
            turned = 0.5 * (R_b @ R_a.T - R_a @ R_b.T).astype(float)
            moved = np.concatenate(((turned[2, 1], turned[0, 2], turned[1, 0]), (r_b - r_a).astype(float)))
            off = float(np.max(np.abs(moved / (2.0 * STEP) - said)))
            if not off <= MOVED * (1.0 + float(np.max(np.abs(said)))) ** 3 + rounding:
                return f"the hinge of {body.name!r} does not move at its rates, by {off:.2g}"
    return ""


def sampled(recipe: Recipe, state: State, number: int) -> tuple[int, float, float]:
    """Count random states with assembled loops; return also the largest closure error, and its share.

    States are spread over a full turn and lengths of the loop each way, as long as enough of them can be
    assembled; the others are nearer to the design pose.
    """
    embedding = state.embedding
    if not number or not embedding.system.closures:
        return 0, 0.0, 0.0
    rng = recipe.numbers("closures")
    q_0, _, _ = state.layout.split(state.layout.y0)
    size = max(size_of(S) for S in embedding.aggregates if S.closures)
    scales = np.array(
        [
            LENGTHS * size if unit.startswith("m") else ANGLES
            for body in embedding.coordinates.values()
            for unit in body.inboard.velocity_units
        ]
    )
    near, away = allowed(recipe, embedding)
    errors_at = closure_errors_of(embedding)
    found, closure, excess = 0, 0.0, 0.0
    for batch in range(BATCHES):
        reach = 1.0 if batch < BATCHES // 2 else NEARER
        q = displaced(embedding, reach * scales * rng.uniform(-1.0, 1.0, (number, embedding.n_v)), q_0)
        u = reach * rng.uniform(-1.0, 1.0, (number, len(state.layout.u)))
        errors: Array = errors_at(q, u)
        errors = errors[np.all(np.isfinite(errors), axis=1)][: number - found]
        found += len(errors)
        closure = max(closure, float(np.max(errors * CLOSED / near, initial=0.0)))
        excess = max(excess, float(np.max(errors / (near + away), initial=0.0)))
        if found == number:
            break
    return found, closure, excess


def displaced(embedding: Embedding, steps: Array, q_0: Array) -> Array:
    """Coordinates (M, n_q) after steps (M, n_v) from q_0, quaternions of unit length."""
    q = np.tile(q_0, (len(steps), 1))
    for name, body in embedding.coordinates.items():
        hinge, part = body.inboard, embedding.q_of[name]
        rates = np.array([hinge.q_dot(q_0[part], unit) for unit in np.eye(hinge.n_v)], dtype=float)
        q[:, part] += steps[:, embedding.v_of[name]] @ rates.reshape(hinge.n_v, hinge.n_q)
        if hinge.quaternion is not None:
            w = part.start + hinge.quaternion
            q[:, w : part.stop] /= np.linalg.norm(q[:, w : part.stop], axis=1, keepdims=True)
    return q


def pattern(message: str) -> str:
    message = re.sub(r"\[[^\]]*\]|\{[^}]*\}", "…", message)
    message = re.sub(r"'[^']*'", "…", message)
    message = re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "#", message)
    return message[:110]
