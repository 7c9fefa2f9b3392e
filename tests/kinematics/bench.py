"""Runs a linkage of the registry: independent coordinates in, motions and recorded hinge motions out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from ce_dynamics.arrays import zeros
from ce_dynamics.body import Body
from ce_dynamics.kinematics.base import Joint
from ce_dynamics.kinematics.reach import placed_bodies
from ce_dynamics.motion import BodyMotion, HingeMotion, SubgraphMotion
from tests.kinematics.loop_equations import LoopEquations
from tests.kinematics.registry import LINKAGES, Case


class Recorded(SubgraphMotion):
    """A sub-graph motion that remembers what each hinge was set to."""

    def set(self, name: str, hinge_motion: HingeMotion) -> None:
        self.__dict__.setdefault("recorded", {})[name] = hinge_motion
        super().set(name, hinge_motion)


class State(NamedTuple):
    """Independent coordinates with rates, and the prescribed coordinate with rate and acceleration."""

    q: np.ndarray
    v: np.ndarray
    s: np.ndarray  # (3,) position, rate, acceleration; zeros where nothing is prescribed


class Bench:
    """A case set up on its own bodies."""

    def __init__(self, name: str) -> None:
        self.case: Case = LINKAGES[name]()
        self.linkage = self.case.linkage
        own = {joint.body: joint for joint in (*self.case.carriers, *self.linkage.joints())}
        self.joints: list[Joint] = list(own.values())
        self.dependents = list(self.linkage.determines)
        self.independents = [name for name in own if name not in self.dependents]
        self.bodies = placed_bodies(self.joints)
        self.parent = next(body.carrier for body in self.bodies if body.carrier.is_ground)
        self.N = sum(own[name].hinge.n_v for name in self.independents)
        steering = self.case.steering
        self.steering_joints = [] if steering is None else list(steering.joints())

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

    def siblings(self, s: np.ndarray) -> dict[str, BodyMotion]:
        """Motion of the steering beside S."""
        steering = self.case.steering
        if steering is None:
            return {}
        assert steering.independent is not None
        motion = SubgraphMotion(self.parent, self.steering_bodies, zeros(0))
        hinge = motion.hinge(steering.independent)
        driven = HingeMotion(hinge.configuration(s[:1]), zeros(1, 0), s[1:2], s[2:])
        motion.set(steering.independent, driven)
        steering.solve(motion)
        return {body.name: motion.body(body.name) for body in self.steering_bodies}

    @cached_property
    def steering_bodies(self) -> list[Body]:
        """Bodies beside S, on the same parent."""
        bodies = placed_bodies(self.steering_joints)
        at_parent = {body.carrier.name: body.carrier for body in bodies if body.carrier.is_ground}
        assert list(at_parent) == [self.parent.name]
        return bodies

    def sample(self, rng: np.random.Generator) -> State:
        """A random state within the case's span."""
        s = zeros(3)
        if self.case.steering is not None:
            s = np.array((rng.uniform(*self.case.steering_span), rng.normal(), rng.normal()))
        return State(rng.uniform(*self.span), rng.normal(size=self.N), s)

    @cached_property
    def span(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper ends of the independent coordinates' spans."""
        sizes = {joint.body: joint.hinge.n_v for joint in self.joints}
        ends = [self.case.span[name] for name in self.independents for _ in range(sizes[name])]
        lower, upper = np.array(ends).T
        return lower, upper

    def coordinates(self, motion: Recorded) -> np.ndarray:
        """Coordinates of the dependent hinges."""
        recorded = motion.__dict__["recorded"]
        return np.concatenate([motion.hinge(name).coordinates(recorded[name].c) for name in self.dependents])

    def stacked(self, motion: Recorded, what: str) -> np.ndarray:
        """X, eta or bias of all dependent hinges."""
        recorded = motion.__dict__["recorded"]
        return np.concatenate([getattr(recorded[name], what) for name in self.dependents])

    @cached_property
    def equations(self) -> LoopEquations:
        """Loop equations of the linkage and, if any, of the steering beside it."""
        steering = self.case.steering
        joints = [*self.joints, *self.steering_joints]
        if steering is None:
            return LoopEquations(joints, self.linkage.cuts(), self.dependents)
        unknown = [*self.dependents, *steering.determines]
        return LoopEquations(joints, (*self.linkage.cuts(), *steering.cuts()), unknown)

    def steering_guess(self, s: float) -> Sequence[float]:
        """Coordinates of the steering's dependent hinges: a parallelogram nearly, link by -s, idler by s."""
        return () if self.case.steering is None else (-s, s)


@cache
def bench(name: str) -> Bench:
    """The bench of a case, built once."""
    return Bench(name)
