"""A linkage by itself, on bodies of its own: independent coordinates in, motions and cut edges out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.arrays import zeros
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, SubgraphMotion
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.base import ClosedForm
from ce_dynamics.kinematics.edges import Joint
from ce_dynamics.kinematics.reach import placed_bodies
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.base import Coordinate, Coupled
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge
from ce_dynamics.mechanism.couplings.loop_closure import LoopClosure

Floats = NDArray[np.float64]


class Recorded(SubgraphMotion):
    """A sub-graph motion that remembers what each hinge was set to."""

    def set(self, name: str, hinge_motion: HingeMotion) -> None:
        self.__dict__.setdefault("recorded", {})[name] = hinge_motion
        super().set(name, hinge_motion)

    @property
    def recorded(self) -> dict[str, HingeMotion]:
        """Motion of every hinge by body."""
        found: dict[str, HingeMotion] = self.__dict__["recorded"]
        return found


class State(NamedTuple):
    """Independent coordinates with rates, and the prescribed coordinate with rate and acceleration."""

    q: Floats
    v: Floats
    s: Floats  # (3,) position, rate, acceleration; zeros where nothing is prescribed


class LinkageBench:
    """A linkage set up on bodies of its own: independent coordinates in, motions out.

    Parameters
    ----------
    linkage : ClosedForm
    span : mapping of body to (lower, upper)
        Intervals of the independent coordinates to look at.
    carriers : sequence of Joint
        Joints outside the linkage that carry it; their hinges are independent too.
    steering : ClosedForm, optional
        A linkage beside it whose independent hinge is prescribed, within ``steering_span``.
    steering_span : (float, float)
    """

    def __init__(
        self,
        linkage: ClosedForm,
        span: Mapping[str, tuple[float, float]],
        carriers: Sequence[Joint] = (),
        steering: ClosedForm | None = None,
        steering_span: tuple[float, float] = (-0.5, 0.5),
    ) -> None:
        self.linkage, self.steering, self.steering_span = linkage, steering, steering_span
        own = {joint.body: joint for joint in (*carriers, *linkage.joints())}
        self.joints: list[Joint] = list(own.values())
        self.dependents = list(linkage.determines)
        self.independents = [name for name in own if name not in self.dependents]
        self.bodies = placed_bodies(self.joints)
        self.parent = next(body.carrier for body in self.bodies if body.carrier.is_ground)
        self.N = sum(own[name].hinge.n_v for name in self.independents)
        self.steering_joints = [] if steering is None else list(steering.joints())
        missing = [name for name in self.independents if name not in span]
        if missing:
            raise ModelError(f"check_linkage: give a span for the independent hinges of {missing}")
        self._span = span

    def motion(self, state: State) -> Recorded:
        """Solve the linkage."""
        motion = Recorded(self.parent, self.bodies, state.v, self.siblings(state.s))
        first = 0
        for name in self.independents:
            n = motion.hinge(name).n_v
            motion.independent(name, state.q[first : first + n], slice(first, first + n))
            first += n
        self.linkage.solve(motion)
        return motion

    def siblings(self, s: Floats) -> dict[str, BodyMotion]:
        """Motion of the steering beside S."""
        if self.steering is None:
            return {}
        assert self.steering.independent is not None
        motion = SubgraphMotion(self.parent, self.steering_bodies, zeros(0))
        hinge = motion.hinge(self.steering.independent)
        driven = HingeMotion(hinge.configuration(s[:1]), zeros(1, 0), s[1:2], s[2:])
        motion.set(self.steering.independent, driven)
        self.steering.solve(motion)
        return {body.name: motion.body(body.name) for body in self.steering_bodies}

    @cached_property
    def steering_bodies(self) -> list[Body]:
        """Bodies beside S, on the same parent."""
        bodies = placed_bodies(self.steering_joints)
        at_parent = {body.carrier.name: body.carrier for body in bodies if body.carrier.is_ground}
        assert list(at_parent) == [self.parent.name]
        return bodies

    def sample(self, rng: np.random.Generator) -> State:
        """A random state within the span."""
        s = zeros(3)
        if self.steering is not None:
            s = np.array((rng.uniform(*self.steering_span), rng.normal(), rng.normal()))
        return State(rng.uniform(*self.span), rng.normal(size=self.N), s)

    @cached_property
    def span(self) -> tuple[Floats, Floats]:
        """Lower and upper ends of the independent coordinates' spans."""
        sizes = {joint.body: joint.hinge.n_v for joint in self.joints}
        ends = [self._span[name] for name in self.independents for _ in range(sizes[name])]
        lower, upper = np.array(ends, dtype=float).T
        return lower, upper

    @cached_property
    def size(self) -> float:
        """Extent of the hinge points [m], at least 1."""
        return max(1.0, *(float(np.abs(joint.hinge.at).max()) for joint in self.joints))

    def coordinates(self, motion: Recorded) -> Floats:
        """Coordinates of the dependent hinges."""
        found = [motion.hinge(name).coordinates(motion.recorded[name].c) for name in self.dependents]
        return np.concatenate(found)

    def stacked(self, motion: Recorded, what: str) -> Floats:
        """X, eta or bias of all dependent hinges."""
        return np.concatenate([getattr(motion.recorded[name], what) for name in self.dependents])

    def closures(self, motion: SubgraphMotion) -> list[CutEdge]:
        """Cut edges of the linkage, between bodies of a motion."""
        by_name = {body.name: body for body in self.bodies}

        def named(name: str) -> Body:
            if name in by_name:
                return by_name[name]
            return Body(name, 0.0, motion.body(name).at, np.zeros((3, 3)), None, None)

        edges: list[CutEdge] = [
            LoopClosure(cut.name, named(cut.body_a), named(cut.body_b), cut.closure, ())
            for cut in self.linkage.cuts()
        ]
        for name, owners, coupling in self.linkage.couplings():
            coordinates = tuple(Coordinate(by_name[body], k) for body, k in owners)
            edges.append(Coupled(name, coordinates, coupling, ()))
        return edges

    def spread(self, motion: Recorded, state: State) -> SubgraphMotion:
        """The same pose and velocities with every hinge of the tree independent, dependent ones first."""
        order = [*self.dependents, *self.independents]
        sizes = [motion.hinge(name).n_v for name in order]
        starts = np.cumsum([0, *sizes])
        recorded = motion.recorded
        rates = np.concatenate([recorded[name].X @ state.v + recorded[name].eta for name in order])
        tree = SubgraphMotion(self.parent, self.bodies, rates, self.siblings(state.s))
        columns = {
            name: slice(start, start + size) for name, start, size in zip(order, starts, sizes, strict=False)
        }
        for body in self.bodies:
            n_v = body.inboard.n_v
            X = np.zeros((n_v, len(rates)))
            X[:, columns[body.name]] = np.eye(n_v)
            there = recorded[body.name]
            tree.set(body.name, HingeMotion(there.c, X, np.zeros(n_v), np.zeros(n_v), q=there.q))
        return tree
