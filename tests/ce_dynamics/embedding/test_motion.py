"""Motion inside an aggregated body against differences of homogeneous transforms along a smooth path."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.motion import BodyMotion, SubgraphMotion
from ce_dynamics.mechanism.drives import Prescribed
from tests.ce_dynamics.dense_poses import (
    Floats,
    angular_velocity,
    coasting,
    first_derivative,
    second_derivative,
    seen,
    transform,
)

# Derivatives of sixth and seventh order of these paths are below 1e5: 2e-14 × 1e5; rounding of second
# differences is 1e-15 / (5e-3)² = 4e-11.
RATE = 1e-9
ACCELERATION = 1e-8

POINT = np.array((0.4, -0.7, 0.2))


@dataclass(frozen=True)
class Chain:
    """Bodies on a parent p, at some coordinates and velocities; the names in `driven` are prescribed."""

    parent: ce.Body
    bodies: Mapping[str, ce.Body]
    q: Mapping[str, Floats]
    v: Mapping[str, Floats]
    v_dot: Mapping[str, Floats]
    driven: tuple[str, ...]

    @property
    def free(self) -> list[ce.Body]:
        return [body for body in self.bodies.values() if body.name not in self.driven]

    @property
    def columns(self) -> dict[str, slice]:
        ends = np.cumsum([0, *(body.inboard.n_v for body in self.free)])
        return {body.name: slice(a, b) for body, a, b in zip(self.free, ends, ends[1:], strict=False)}

    @property
    def theta_dot(self) -> Floats:
        return np.concatenate([self.v[body.name] for body in self.free] or [np.zeros(0)])

    def with_velocities(self, theta_dot: Floats, *, drive: bool) -> "Chain":
        """The same configuration at other rates; ``drive`` lets prescribed hinges move."""
        still = {name: np.zeros(len(v)) for name, v in self.v.items()}
        v = {name: self.v[name] if drive else still[name] for name in self.driven}
        v |= {name: theta_dot[where] for name, where in self.columns.items()}
        return replace(self, v=v, v_dot=self.v_dot if drive else still)

    def motion(self, order: list[str] | None = None) -> SubgraphMotion:
        """Return the tested motion, with the hinges set in the given order."""
        motion = SubgraphMotion(self.parent, list(self.bodies.values()), self.theta_dot)
        for name in order or list(self.bodies):
            if name in self.driven:
                (s,), (rate,), (acceleration,) = self.q[name], self.v[name], self.v_dot[name]
                motion.prescribe(name, Prescribed(s, rate, acceleration))
            else:
                motion.independent(name, self.q[name], self.columns[name])
        return motion

    def place(self, name: str, t: float) -> Floats:
        def q_of(body: ce.Body) -> Floats:
            if body is self.parent:
                return np.array((0.8,))  # cancels out
            b = body.name
            return coasting(body.inboard, self.q[b], self.v[b], self.v_dot[b], t)

        return np.asarray(np.linalg.inv(transform(self.parent, q_of)) @ transform(self.bodies[name], q_of))

    def rotation(self, name: str, t: float) -> Floats:
        return self.place(name, t)[:3, :3]

    def position(self, name: str, at: Array, t: float) -> Floats:
        return seen(self.place(name, t), np.eye(4), self.parent, at)


def hinges(rng: np.random.Generator) -> dict[str, ce.Hinge]:
    axes, points = rng.normal(size=(9, 3)), rng.uniform(-1.0, 1.0, (8, 3))
    return {
        "a": ce.Universal(axes[0], axes[1], points[0]),
        "b": ce.Spherical(points[1]),
        "c": ce.Prismatic(axes[2], points[2]),
        "d": ce.Screw(axes[3], 0.4, points[3]),
        "e": ce.Cylindrical(axes[4], points[4]),
        "f": ce.Revolute(axes[5], points[5]),
        "g": ce.Planar(axes[6], points[6]),
    }


def make_chain(rng: np.random.Generator, driven: tuple[str, ...], names: str = "abcdefg") -> Chain:
    """A chain of hinges of all kinds, fixed to a parent that is not at the origin."""
    system = ce.System()
    given = hinges(rng)
    p = system.add_body("p", mass=1.0, com=(0.3, -0.2, 0.5), parent="ground", hinge=ce.Revolute((0, 0, 1)))
    carrier: ce.Body = p
    q, v, v_dot = {}, {}, {}
    for name in names:
        hinge = given[name]
        carrier = system.add_body(name, mass=1.0, com=rng.uniform(-1.0, 1.0, 3), parent=carrier, hinge=hinge)
        q[name] = rng.normal(size=hinge.n_q)
        if isinstance(hinge, ce.Spherical):
            q[name] /= np.linalg.norm(q[name])
        v[name] = rng.normal(size=hinge.n_v)
        v_dot[name] = rng.normal(size=hinge.n_v) if name in driven else np.zeros(hinge.n_v)
    bodies = {body.name: body for body in system.bodies if body is not p}
    return Chain(p, bodies, q, v, v_dot, driven)


@pytest.fixture(params=[(), ("c",), ("d", "f"), ("c", "d", "f")], ids="-".join)
def chain(request: pytest.FixtureRequest, rng: np.random.Generator) -> Chain:
    return make_chain(rng, request.param)


def test_position_and_orientation_are_those_of_the_transforms(chain: Chain) -> None:
    motion = chain.motion()
    for name in chain.bodies:
        place = chain.place(name, 0.0)
        np.testing.assert_allclose(motion.body(name).R, place[:3, :3], rtol=0.0, atol=1e-13)
        expected = chain.position(name, POINT, 0.0)
        np.testing.assert_allclose(motion.point(name, POINT).r, expected, rtol=0.0, atol=1e-13)


def test_total_velocity_and_acceleration_of_a_point(chain: Chain) -> None:
    motion = chain.motion()
    for name in chain.bodies:
        point = motion.point(name, POINT)
        np.testing.assert_allclose(
            point.v, first_derivative(partial(chain.position, name, POINT)), rtol=0.0, atol=RATE
        )
        # The path has θ̈ = 0 for independent hinges, and the given acceleration for prescribed ones.
        np.testing.assert_allclose(
            point.a, second_derivative(partial(chain.position, name, POINT)), rtol=0.0, atol=ACCELERATION
        )


def test_velocity_columns_and_drift(chain: Chain) -> None:
    motion = chain.motion()
    N = len(chain.theta_dot)
    for name in chain.bodies:
        point, body = motion.point(name, POINT), motion.body(name)
        assert point.J.shape == body.w.shape == (3, N)
        for k, e_k in enumerate(np.eye(N)):
            alone = chain.with_velocities(e_k, drive=False)
            column, w = rates(alone, name)
            np.testing.assert_allclose(point.J[:, k], column, rtol=0.0, atol=RATE)
            np.testing.assert_allclose(body.w[:, k], w, rtol=0.0, atol=RATE)
        drift, w_drift = rates(chain.with_velocities(np.zeros(N), drive=True), name)
        np.testing.assert_allclose(point.drift, drift, rtol=0.0, atol=RATE)
        np.testing.assert_allclose(body.w_drift, w_drift, rtol=0.0, atol=RATE)


def rates(chain: Chain, name: str) -> tuple[Floats, Floats]:
    """Velocity of the point and angular velocity by differences."""
    R_dot = first_derivative(partial(chain.rotation, name))
    velocity = first_derivative(partial(chain.position, name, POINT))
    return velocity, angular_velocity(R_dot, chain.rotation(name, 0.0))


def test_angular_velocity_and_acceleration(chain: Chain) -> None:
    motion = chain.motion()
    for name in chain.bodies:
        body = motion.body(name)
        np.testing.assert_allclose(body.w_total, rates(chain, name)[1], rtol=0.0, atol=RATE)
        # R̈ = (α̃ + ω̃ ω̃) R, and ω̃ ω̃ is symmetric: the skew part of R̈ Rᵀ is α̃.
        R_ddot = second_derivative(partial(chain.rotation, name))
        alpha = angular_velocity(R_ddot, chain.rotation(name, 0.0))
        np.testing.assert_allclose(body.alpha, alpha, rtol=0.0, atol=ACCELERATION)


def test_parts_add_up(chain: Chain) -> None:
    motion = chain.motion()
    for name in chain.bodies:
        point, body = motion.point(name, POINT), motion.body(name)
        np.testing.assert_allclose(point.v, point.J @ chain.theta_dot + point.drift, rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(
            body.w_total, body.w @ chain.theta_dot + body.w_drift, rtol=0.0, atol=1e-12
        )


def test_origin_of_a_body_is_its_hinge_point(chain: Chain) -> None:
    motion = chain.motion()
    for name, body in chain.bodies.items():
        origin, point = motion.body(name).origin, motion.point(name, body.inboard.at)
        for found, expected in zip(origin, point, strict=True):
            np.testing.assert_array_equal(found, expected)


def test_a_hinge_waits_until_its_carrier_is_known(chain: Chain) -> None:
    names = list(chain.bodies)
    motion = SubgraphMotion(chain.parent, list(chain.bodies.values()), chain.theta_dot)
    partial = make_order(names)
    assert partial[-1] == names[0]
    complete, expected = chain.motion(partial), chain.motion()
    for name in names:
        assert_same(complete.body(name), expected.body(name))
    # Nothing is known of a body whose carrier is missing, and the hinge itself is.
    tip = names[-1]
    if tip not in chain.driven:
        motion.independent(tip, chain.q[tip], chain.columns[tip])
        assert tip in motion.hinge_motions
        with pytest.raises(KeyError):
            motion.body(tip)
        with pytest.raises(KeyError):
            motion.carrier(tip)


def make_order(names: list[str]) -> list[str]:
    return [*names[2::2], *reversed(names[1::2]), names[0]]


def assert_same(found: BodyMotion, expected: BodyMotion) -> None:
    for a, b in zip(parts(found), parts(expected), strict=True):
        np.testing.assert_array_equal(a, b)


def parts(motion: BodyMotion) -> list[Array]:
    return [motion.R, motion.at, *motion.origin, motion.w, motion.w_drift, motion.w_total, motion.alpha]


def test_parent_rests_with_points_from_its_centre(chain: Chain) -> None:
    motion = chain.motion()
    first = next(iter(chain.bodies))
    assert_same(motion.carrier(first), motion.body("p"))
    point = motion.point("p", POINT)
    np.testing.assert_array_equal(point.r, POINT - chain.parent.com)
    for part in (point.J, point.drift, point.v, point.a):
        assert not np.any(part)
    assert point.J.shape == (3, len(chain.theta_dot))


def test_a_sibling_moves_without_columns(rng: np.random.Generator) -> None:
    driven = make_chain(rng, ("c", "d"), names="cd")
    sibling = driven.motion().body("d")
    alone = make_chain(rng, (), names="ab")
    motion = SubgraphMotion(
        driven.parent, list(alone.bodies.values()), alone.theta_dot, siblings={"d": sibling}
    )
    point = motion.point("d", POINT)
    assert point.J.shape == (3, 5)
    assert not np.any(point.J)
    np.testing.assert_allclose(point.drift, point.v, rtol=0.0, atol=1e-14)
    expected = first_derivative(partial(driven.position, "d", POINT))
    np.testing.assert_allclose(point.v, expected, rtol=0.0, atol=RATE)
    expected = second_derivative(partial(driven.position, "d", POINT))
    np.testing.assert_allclose(point.a, expected, rtol=0.0, atol=ACCELERATION)
