"""Checks that every linkage must pass: its answers against its closures and against differences of positions.

`check_linkage` is what the registry of the project's own tests runs on each linkage; whoever writes one, by
hand or from equations, gets the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import zeros
from ce_dynamics.algebra.dense import least_squares
from ce_dynamics.embedding.closures.loop import ClosureErrors, closure_errors, parts_of
from ce_dynamics.embedding.motion import BodyMotion, HingeMotion, PointMotion, SubgraphMotion, free_hinges
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.base import ClosedForm, Joint, make_bodies, make_loop
from ce_dynamics.mechanism.body import Body

Floats = NDArray[np.float64]


class BenchState(NamedTuple):
    """Independent coordinates with rates, and the prescribed coordinate with rate and acceleration."""

    q: Floats
    v: Floats
    s: Floats  # (3,) position, rate, acceleration; zeros where nothing is prescribed


class LinkageBench:
    """A linkage set up on bodies of its own: independent coordinates in, motions out.

    ``span`` has the intervals of the independent coordinates to look at.  The hinges of ``carriers``, joints
    outside the linkage that carry it, are independent too.  ``steering`` is a linkage beside it whose
    independent hinge is prescribed, within ``steering_span``.
    """

    def __init__(
        self,
        linkage: ClosedForm,
        span: Mapping[str, tuple[float, float]],
        carriers: Sequence[Joint] = (),
        steering: ClosedForm | None = None,
        steering_span: tuple[float, float] = (-0.5, 0.5),
    ) -> None:
        owner = "check_linkage"
        what = "a linkage, such as FourBar(...)"
        self.linkage = checks.provides(f"{owner}: linkage", linkage, ("joints", "solve"), what)
        if steering is not None:
            checks.provides(f"{owner}: steering", steering, ("joints", "solve"), what)
        self.steering = steering
        low, high = checks.finite_array(f"{owner}: steering_span", steering_span, (2,))
        self.steering_span = float(low), float(high)
        for name, ends in checks.mapping(f"{owner}: span", span).items():
            checks.finite_array(f"{owner}: span of {name!r}", ends, (2,))
        self.joints = list({joint.body: joint for joint in (*carriers, *linkage.joints())}.values())
        self.loop, _ = make_loop(linkage, carriers)
        self.dependents = list(linkage.determines)
        self.independents = [body.name for body in self.loop.given]
        self.N = sum(body.inboard.n_v for body in self.loop.given)
        self.steering_joints = [] if steering is None else list(steering.joints())
        missing = [name for name in self.independents if name not in span]
        if missing:
            raise ModelError(f"{owner}: span lacks the hinges of {missing}; give an interval of each")
        for name in span:
            checks.check_name(f"{owner}: span", name, self.independents, "independent hinge")
        self._span = span

    def motion(self, state: BenchState) -> SubgraphMotion:
        """Solve the linkage."""
        motion = SubgraphMotion(self.loop.parent, self.loop.bodies, state.v, self.siblings(state.s))
        for body, at, columns in parts_of(self.loop.given):
            motion.independent(body.name, state.q[at], columns)
        self.linkage.solve(motion)
        return motion

    def siblings(self, s: Floats) -> dict[str, BodyMotion]:
        """Return the motion of the steering beside S."""
        if self.steering is None:
            return {}
        assert self.steering.independent is not None
        motion = SubgraphMotion(self.loop.parent, self.steering_bodies, zeros(0))
        hinge = motion.hinge(self.steering.independent)
        driven = HingeMotion(hinge.configuration(s[:1]), zeros(1, 0), s[1:2], s[2:])
        motion.set(self.steering.independent, driven)
        self.steering.solve(motion)
        return {body.name: motion.body(body.name) for body in self.steering_bodies}

    @cached_property
    def steering_bodies(self) -> list[Body]:
        """Bodies beside S, on the same parent."""
        bodies = make_bodies(self.steering_joints)
        at_parent = {body.carrier.name: body.carrier for body in bodies if body.carrier.is_ground}
        assert list(at_parent) == [self.loop.parent.name]
        return bodies

    def sample(self, rng: np.random.Generator) -> BenchState:
        """Return a random state within the span."""
        s = zeros(3)
        if self.steering is not None:
            s = np.array((rng.uniform(*self.steering_span), rng.normal(), rng.normal()))
        return BenchState(rng.uniform(*self.span), rng.normal(size=self.N), s)

    @cached_property
    def span(self) -> tuple[Floats, Floats]:
        """Lower and upper ends of the independent coordinates' spans."""
        ends = [self._span[body.name] for body in self.loop.given for _ in range(body.inboard.n_v)]
        lower, upper = np.array(ends, dtype=float).T
        return lower, upper

    @cached_property
    def size(self) -> float:
        """Extent of the hinge points [m], at least 1."""
        return max(1.0, *(float(np.abs(joint.hinge.at).max()) for joint in self.joints))

    def coordinates(self, motion: SubgraphMotion) -> Floats:
        """Return coordinates of the dependent hinges."""
        found = [motion.hinge(name).coordinates(motion.hinge_motions[name].c) for name in self.dependents]
        return np.concatenate(found)

    def stack(self, motion: SubgraphMotion, what: str) -> Floats:
        """Return X, eta or bias of all dependent hinges."""
        return np.concatenate([getattr(motion.hinge_motions[name], what) for name in self.dependents])

    def spread(self, motion: SubgraphMotion, state: BenchState) -> SubgraphMotion:
        """Return the same pose and velocities with all hinges independent, dependent ones first."""
        bodies = (*self.loop.dependent, *self.loop.given)
        hinges = {body.name: motion.hinge_motions[body.name] for body in bodies}
        rates = np.concatenate([hinge.X @ state.v + hinge.eta for hinge in hinges.values()])
        tree = SubgraphMotion(self.loop.parent, self.loop.bodies, rates, self.siblings(state.s))
        return tree.trial(free_hinges(hinges))


EPS = float(np.finfo(float).eps)
H = 4e-3  # step of the differences [s]

# central differences of order 8 for the first and the second derivative
FIRST = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
SECOND = {0: -205 / 72, 1: 8 / 5, 2: -1 / 5, 3: 8 / 315, 4: -1 / 560}


@dataclass(frozen=True)
class LinkageErrors:
    """Largest errors of a linkage, each relative to what rounding explains: 1 is the limit.

    Attributes
    ----------
    design : float
        Dependent coordinates in the design pose, which must be zero.
    closure, closure_rate, closure_acceleration : float
        Errors of the closures in position, velocity and acceleration.
    X, eta, bias : float
        Differences to the generic formulas (13) and (14) on the closures.
    velocity, acceleration : float
        Differences to central differences of positions along a motion.
    """

    design: float = 0.0
    closure: float = 0.0
    closure_rate: float = 0.0
    closure_acceleration: float = 0.0
    X: float = 0.0
    eta: float = 0.0
    bias: float = 0.0
    velocity: float = 0.0
    acceleration: float = 0.0

    def largest_of_each(self, other: LinkageErrors) -> LinkageErrors:
        """Return the larger of each; NaN wins."""
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return LinkageErrors(*(float(np.maximum(a, b)) for a, b in pairs))


def check_linkage(
    linkage: ClosedForm,
    span: Mapping[str, tuple[float, float]],
    carriers: Sequence[Joint] = (),
    steering: ClosedForm | None = None,
    steering_span: tuple[float, float] = (-0.5, 0.5),
    samples: int = 20,
    seed: int = 0,
) -> LinkageErrors:
    """Check a linkage at random states and along a motion.

    Parameters
    ----------
    linkage : ClosedForm
    span : mapping of body to (lower, upper)
        Interval of each independent coordinate, within the reach and not too close to its ends: errors grow
        with the condition of the closures, which is allowed for up to 1000.
    carriers, steering, steering_span
        See `LinkageBench`.
    samples : int
        Random states.
    seed : int

    Returns
    -------
    LinkageErrors

    Raises
    ------
    ModelError
        Naming what is wrong, by how much, and at which coordinates.

    Examples
    --------
    >>> from ce_dynamics.kinematics import FourBar, check_linkage
    >>> linkage = FourBar((0, 0, 0), (0.2, 0.3, 0), (1.1, 0.8, 0), (1.2, -0.1, 0), axis=(0, 0, 1))
    >>> check_linkage(linkage, {"crank": (-3.0, 3.0)}).X < 1.0
    True
    """
    checks.integer("check_linkage: samples", samples, at_least=1, at_most=1_000_000)
    checks.integer("check_linkage: seed", seed, at_least=0, at_most=2**64 - 1)
    bench = LinkageBench(linkage, span, carriers, steering, steering_span)
    rng = np.random.default_rng(seed)
    worst = accept_errors(bench, LinkageErrors(design=design_error(bench)), np.zeros(bench.N))
    for _ in range(samples):
        state = bench.sample(rng)
        worst = worst.largest_of_each(accept_errors(bench, closure_figures(bench, state), state.q))
        worst = worst.largest_of_each(accept_errors(bench, generic_figures(bench, state), state.q))
    path = BenchTrajectory(bench, rng)
    for t in (0.0, 0.9):
        worst = worst.largest_of_each(accept_errors(bench, path.figures(t), path.at(t)[0].q))
    return worst


def accept_errors(bench: LinkageBench, errors: LinkageErrors, q: Floats) -> LinkageErrors:
    """Return the errors, if all are below 1."""
    for f in fields(errors):
        value = getattr(errors, f.name)
        if not value <= 1.0:
            where = dict(zip(bench.independents, np.round(q, 6).tolist(), strict=False))
            raise ModelError(
                f"linkage of {bench.dependents}: {f.name} is wrong by {value:.3g} times what rounding "
                f"explains, at {where}"
            )
    return errors


def design_error(bench: LinkageBench) -> float:
    """Return dependent coordinates of the design pose, over 1e-14 of the size."""
    motion = bench.motion(BenchState(np.zeros(bench.N), np.zeros(bench.N), np.zeros(3)))
    return float(np.abs(bench.coordinates(motion)).max() / (1e-14 * bench.size))


def closure_figures(bench: LinkageBench, state: BenchState) -> LinkageErrors:
    """Return the closure errors: positions over 1e-14 of the size, rates and accelerations in proportion."""
    motion = bench.motion(state)
    errors: ClosureErrors = closure_errors(motion, bench.loop.closures)
    X, eta = bench.stack(motion, "X"), bench.stack(motion, "eta")
    v = 1.0 + np.abs(X).max() + np.abs(eta).max() + np.abs(state.v).max()
    a = v**2 + np.abs(bench.stack(motion, "bias")).max()
    allowed = 1e-14 * bench.size
    rate = max(np.abs(errors.Y).max(initial=0.0), np.abs(errors.drift).max(initial=0.0))
    return LinkageErrors(
        closure=float(np.abs(errors.residual).max(initial=0.0) / allowed),
        closure_rate=float(rate / (allowed * v)),
        closure_acceleration=float(np.abs(errors.delta_dot).max(initial=0.0) / (4 * allowed * a)),
    )


def generic_figures(bench: LinkageBench, state: BenchState) -> LinkageErrors:
    """Return X, η and bias against (13) and (14), solved by least squares.

    Least squares lose κ ulps, κ the condition of Y₁, the closed form about as many.
    """
    motion = bench.motion(state)
    tree = bench.spread(motion, state)
    errors = closure_errors(tree, bench.loop.closures)
    n = errors.Y.shape[1] - bench.N
    Y1, Y2 = errors.Y[:, :n], errors.Y[:, n:]
    singular = np.linalg.svd(Y1, compute_uv=False)
    kappa = singular[0] / singular[-1]
    if not kappa < 1e3 * max(1.0, singular[0]):
        raise ModelError(
            f"linkage of {bench.dependents}: its closures are nearly singular (condition {kappa:.3g}) at "
            f"{state.q.tolist()}; choose a narrower span"
        )
    X = -least_squares(Y1, Y2, rcond=None)
    bias = -least_squares(Y1, errors.delta_dot, rcond=None)
    eta = -least_squares(Y1, errors.drift, rcond=None)
    size = 1.0 + np.abs(X).max()
    speed = 1.0 + np.abs(tree.theta_dot).max() + np.abs(state.s[1:]).max()
    allowed = 100 * EPS * kappa * size
    return LinkageErrors(
        X=float(np.abs(bench.stack(motion, "X") - X).max() / allowed),
        eta=float(np.abs(bench.stack(motion, "eta") - eta).max() / (allowed * speed)),
        bias=float(np.abs(bench.stack(motion, "bias") - bias).max() / (allowed * size * speed**2)),
    )


class BenchTrajectory:
    """Independent and prescribed coordinates as sines of time inside the middle of their spans.

    No derivative formula is used: positions of points are differenced in time.
    """

    def __init__(self, bench: LinkageBench, rng: np.random.Generator) -> None:
        self.bench = bench
        lower, upper = bench.span
        self.middle = 0.5 * (lower + upper)
        self.swing = 0.3 * (upper - lower)
        self.s = 0.6 * bench.steering_span[1] if bench.steering is not None else 0.0
        self.phase = rng.uniform(0.0, 6.0, bench.N)

    def at(self, t: float) -> tuple[BenchState, Floats]:
        """State and θ̈ at a time."""
        angle = 1.7 * t + self.phase
        q = self.middle + self.swing * np.sin(angle)
        v = 1.7 * self.swing * np.cos(angle)
        a = -(1.7**2) * self.swing * np.sin(angle)
        turn = 1.1 * t + 0.4
        s = self.s * np.array((np.sin(turn), 1.1 * np.cos(turn), -1.21 * np.sin(turn)))
        return BenchState(q, v, s), a

    def positions(self, t: float) -> Floats:
        """Return three points of every dependent body, which also pin down its rotation."""
        return np.array([point.r for point in self.points(self.bench.motion(self.at(t)[0]))])

    def points(self, motion: SubgraphMotion) -> list[PointMotion]:
        """Return the motion of the three points of every dependent body."""
        offsets = np.array(((0.0, 0.0, 0.0), (0.3, 0.1, -0.2), (-0.1, 0.4, 0.2)))
        names = self.bench.dependents
        return [motion.point(name, motion.hinge(name).at + offset) for name in names for offset in offsets]

    def figures(self, t: float) -> LinkageErrors:
        """Return velocities and accelerations against differences.

        Rounding: about 5 ulps of a position of a few metres over H and H²; truncation (H · 10/s)⁸ is below
        both.
        """
        samples = {k: self.positions(t + k * H) for k in range(-4, 5)}
        velocity = np.zeros_like(samples[0])
        for k, weight in FIRST.items():
            velocity = velocity + weight * (samples[k] - samples[-k]) / H
        acceleration = SECOND[0] * samples[0]
        for k in range(1, 5):
            acceleration = acceleration + SECOND[k] * (samples[k] + samples[-k])
        acceleration = acceleration / H**2
        state, theta_ddot = self.at(t)
        points = self.points(self.bench.motion(state))
        v = np.array([point.v for point in points])
        a = np.array([point.J @ theta_ddot + point.a for point in points])
        rounding = 30 * EPS * max(1.0, np.abs(samples[0]).max())
        return LinkageErrors(
            velocity=float(np.max(np.abs(v - velocity) / (rounding / H + 1e-9 * np.abs(velocity)))),
            acceleration=float(
                np.max(np.abs(a - acceleration) / (4 * rounding / H**2 + 1e-9 * np.abs(acceleration)))
            ),
        )
