"""A random state of a random mechanism, and the same state on another spanning tree."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented.coupling_rows import AbsoluteView
from ce_dynamics.augmented.hinge_coordinates import coordinates, rate_rows, relative_motion
from ce_dynamics.augmented.states import BodyState, observe_states
from ce_dynamics.dynamics.articulated_body import smallest_inertia
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.closures.leading import LeadCondition
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.whole_loop import led_by_no_hinge
from ce_dynamics.errors import IndependentCoordinatesError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.user_constraint import Written
from ce_dynamics.mechanism.hinges import Fixed, Free, Spherical
from ce_dynamics.mechanism.system import System

STEEPEST = 30.0
"""Largest rate of a dependent hinge per unit of an independent one, lengths being about 1 m: more than that
is near a dead centre, where rounding grows with its square."""
LIGHTEST = 1e-6
"""Inertia of a motion, of what it would be with the heaviest body, below which it counts as massless."""


class State(NamedTuple):
    embedding: Embedding
    layout: Layout
    q: Array
    v: Array
    u: Array

    @property
    def instant(self) -> Instant:
        return Instant(self.embedding, self.layout, self.q, self.v, np.zeros(0), self.u)

    @property
    def course(self) -> "Callable[[float], State]":
        """The state a short time later, to first order in it, prescribed motions included."""
        instant = self.instant
        q_dot, v_dot = instant.q_dot.astype(float), instant.accelerations.v_dot.astype(float)
        u = dict(zip([entry.name for entry in self.layout.u], self.u, strict=True))
        u_dot = np.array([u.get(derivative(name), 0.0) for name in u])
        return lambda s: self._replace(q=self.q + s * q_dot, v=self.v + s * v_dot, u=self.u + s * u_dot)


def derivative(name: str) -> str:
    """The input that is the time derivative of a drive's input."""
    return name.replace("_rate", "_acceleration") if name.endswith("_rate") else f"{name}_rate"


def random_state(system: System, rng: np.random.Generator) -> State:
    """Near the design pose, moving, with prescribed motions under way."""
    embedding = embed(system)
    layout = Layout(embedding)
    q, _, _ = layout.split(layout.y0)
    v, u = rng.uniform(-1.0, 1.0, len(layout.v)), rng.uniform(-0.3, 0.3, len(layout.u))
    moved = []
    for name in embedding.q_of:
        hinge = embedding.coordinates[name].inboard
        step = 0.15 * rng.uniform(-1.0, 1.0, hinge.n_v)
        here = q[embedding.q_of[name]]
        moved.append(here + hinge.q_dot(here, step))
    return State(embedding, layout, np.concatenate([np.zeros(0), *moved]).astype(float), v, u)


def regular(state: State) -> bool:
    """Return True if loops can be assembled, away from dead centres, and every freedom moves mass."""
    with np.errstate(all="ignore"):
        instant = state.instant
        for S in state.embedding.aggregates:
            motions = instant.outward.motions[S.name].hinge_motions
            rates = [np.asarray(motion.X, dtype=float) for motion in motions.values()]
            if not all(np.all(np.abs(X) < STEEPEST) for X in rates):
                return False  # NaN included
            places = [np.asarray(motion.c, dtype=float) for motion in motions.values()]
            if not all(np.all(np.isfinite(c)) for c in places):
                return False  # of what is driven there are no rates
            if S.N and not smallest_inertia(instant.nodes[S.name]) > LIGHTEST:
                return False
    return True


def on_another_tree(state: State, system: System, u: Array) -> State:
    """The state of another description of the same mechanism, read off the motion of its bodies."""
    states = observe_states(state.instant.outward)
    embedding = embed(system)
    if any(led_by_no_hinge(S) for S in embedding.aggregates):
        raise IndependentCoordinatesError("coordinates of a whole loop cannot be read off bodies")
    layout = Layout(embedding)
    q, v = [np.zeros(0)], [np.zeros(0)]
    leading = {edge.name: edge for S in embedding.aggregates for edge in S.leading}
    for name in embedding.q_of:
        if name in leading:
            coordinate, rate = leading_state(leading[name], states)
        else:
            coordinate, rate = hinge_state(embedding.coordinates[name], states)
        q.append(coordinate)
        v.append(rate)
    return State(embedding, layout, np.concatenate(q), np.concatenate(v), u)


def leading_state(edge: Written, states: dict[str, BodyState]) -> tuple[Array, Array]:
    """A coordinate that is no whole hinge, from the absolute motion of its bodies."""
    assert isinstance(edge.function, LeadCondition)
    view = AbsoluteView(edge.name, edge.bodies[:-1], states)
    value = edge.function.function(view) - edge.function.start
    velocity = np.array([np.concatenate((states[name].w, states[name].v)) for name in view.columns]).ravel()
    return np.array((float(value.value),)), np.array((float(value.J @ velocity),))


def hinge_state(body: Body, states: dict[str, BodyState]) -> tuple[Array, Array]:
    hinge = body.inboard
    relative = relative_motion(body, states[body.carrier.name], states[body.name])
    if isinstance(hinge, Fixed):
        return np.zeros(0), np.zeros(0)
    if isinstance(hinge, Spherical | Free):
        x, y, z, w = Rotation.from_matrix(np.asarray(relative.R, dtype=float)).as_quat()
        displacement = np.asarray(relative.d, dtype=float) if isinstance(hinge, Free) else np.zeros(0)
        found = np.concatenate((displacement, (w, x, y, z)))
    else:
        found = np.asarray(coordinates(hinge, relative), dtype=float)
    twist = np.concatenate((relative.w, relative.v)).astype(float)
    return found, np.asarray(rate_rows(hinge, relative.R), dtype=float) @ twist
