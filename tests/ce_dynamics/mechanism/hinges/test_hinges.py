"""Hinges and conditions against finite differences, against each other and against wrong input.

Derivatives are taken by the five-point formula, whose error is h⁴ |f⁽⁵⁾| / 30 + 1.5 ε |f| / h.
Velocities are at most 1 per component, accelerations and positions likewise, so nothing turns faster than
20 rad/s (the screwed condition, whose directions turn with displacement / pitch) and |f⁽⁵⁾| < 20⁵ |f|.
With h = 2e-4 the two parts are below 1.8e-10 |f|, and |f| < 30 throughout.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, concatenate, cross
from ce_dynamics.algebra.rotation import rotation_about
from ce_dynamics.mechanism.checked import across, unit_axis
from ce_dynamics.mechanism.hinges import Condition
from ce_dynamics.mechanism.hinges.conditions import (
    Angle,
    Coincident,
    InPlane,
    JointEnd,
    Screwed,
    Separation,
    Twist,
)
from tests.ce_dynamics.opaque import opaque, reveal
from tests.searching import examples

STEP = 2e-4
DERIVATIVE_TOLERANCE = 1e-8
ROUNDING = 1e-13  # lengths below 30, a few dozen operations: 30 · 20 ε

HINGES: dict[str, ce.Hinge] = {
    "fixed": ce.Fixed(at=(0.1, 0.2, 0.3)),
    "revolute": ce.Revolute(axis=(1.0, -2.0, 0.5), at=(0.3, 0.1, -0.2)),
    "revolute, counted from elsewhere": ce.Revolute((1.0, -2.0, 0.5), (0.3, 0.1, -0.2), q_design=0.1),
    "prismatic, counted from elsewhere": ce.Prismatic((0.2, 1.0, -0.4), q_design=-1.3),
    "prismatic": ce.Prismatic(axis=(0.2, 1.0, -0.4), at=(0.0, 1.0, 0.0)),
    "universal": ce.Universal(axis1=(1.0, 0.0, 0.0), axis2=(0.0, 0.0, 1.0)),
    "universal, oblique": ce.Universal(axis1=(1.0, 0.3, 0.0), axis2=(1.0, 0.0, -0.8), at=(0.5, 0.0, 0.1)),
    "cylindrical": ce.Cylindrical(axis=(0.0, -1.0, 2.0), at=(0.0, 0.0, 1.0)),
    "planar": ce.Planar(normal=(1.0, 1.0, 3.0)),
    "planar, x given": ce.Planar(normal=(0.0, 1.0, 1.0), at=(1.0, 0.0, 0.0), x_axis=(2.0, 1.0, -1.0)),
    "spherical": ce.Spherical(at=(0.4, -0.3, 0.2)),
    "free": ce.Free(at=(1.0, 2.0, 3.0)),
    "screw": ce.Screw(axis=(1.0, 2.0, -2.0), pitch=0.7, at=(0.1, 0.0, 0.0)),
    "screw, left-handed": ce.Screw(axis=(0.0, 0.0, 1.0), pitch=-0.3),
    "screw, without pitch": ce.Screw(axis=(1.0, 2.0, -2.0), pitch=0.0),
}

A, B = unit_axis((1.0, 2.0, -0.5), "test"), unit_axis((-0.3, 1.0, 1.0), "test")
REST = JointEnd(np.eye(3), np.zeros(3))
CONDITIONS: dict[str, Condition] = {
    "coincident": Coincident(), "perpendicular": Angle(A, np.cross(A, B) / np.linalg.norm(np.cross(A, B))),
    "angle": Angle(A, B, float(A @ B)), "in plane": InPlane(A), "screwed": Screwed(A, 1.5),
    "screwed, left-handed": Screwed(B, -0.8), "separation": Separation(1.7),
}  # fmt: skip

any_hinge = pytest.mark.parametrize("hinge", HINGES.values(), ids=HINGES.keys())
any_condition = pytest.mark.parametrize("condition", CONDITIONS.values(), ids=CONDITIONS.keys())
few = examples(25)


def numbers(n: int, largest: float) -> st.SearchStrategy[Array]:
    return st.lists(st.floats(-largest, largest), min_size=n, max_size=n).map(
        lambda x: np.array(x, dtype=float)
    )


def draw_coordinates(data: st.DataObject, hinge: ce.Hinge) -> Array:
    """Coordinates in ±3: angles within one turn, quaternions of unit length."""
    q = data.draw(numbers(hinge.n_q, 3.0))
    if "qw" in hinge.coordinate_names:
        start = hinge.coordinate_names.index("qw")
        length = np.linalg.norm(q[start:])
        assume(length > 0.1)
        q[start:] /= length
    return q


def draw_rotation(data: st.DataObject) -> Array:
    x, y, z = data.draw(numbers(3, 3.0))
    Rx, Ry, Rz = (
        rotation_about(e, math.cos(a), math.sin(a)) for e, a in zip(np.eye(3), (x, y, z), strict=True)
    )
    return np.asarray(Rz @ Ry @ Rx)


def derivative(f: Callable[[float], Array]) -> Array:
    """Five-point derivative of f at 0."""
    h = STEP
    return np.asarray((8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h))


def vee(S: Array) -> Array:
    """The vector of a skew matrix, which it must be."""
    np.testing.assert_allclose(S, -S.T, atol=DERIVATIVE_TOLERANCE)
    return np.array((S[2, 1], S[0, 2], S[1, 0]))


def twist(pose: Callable[[float], tuple[Array, Array]]) -> Array:
    """Angular and linear velocity at time 0 of a frame with the given R(t), x(t)."""
    R, _ = pose(0.0)
    return concatenate((vee(derivative(lambda t: pose(t)[0]) @ R.T), derivative(lambda t: pose(t)[1])))


def stacked(conditions: tuple[Condition, ...], what: str, *ends: JointEnd) -> Array:
    return np.concatenate([getattr(condition, what)(*ends) for condition in conditions])


# Coordinates and names


@any_hinge
def test_neutral_coordinates_are_the_design_pose(hinge: ce.Hinge) -> None:
    R, d = hinge.pose(hinge.configuration(hinge.neutral))
    assert np.array_equal(R, np.eye(3))
    assert np.array_equal(d, np.zeros(3))


@any_hinge
def test_every_coordinate_and_velocity_has_name_and_unit(hinge: ce.Hinge) -> None:
    assert hinge.neutral.shape == (hinge.n_q,)
    assert len(set(hinge.coordinate_names)) == len(hinge.coordinate_units) == hinge.n_q
    assert len(set(hinge.velocity_names)) == len(hinge.velocity_units) == hinge.n_v
    assert set(hinge.coordinate_units) <= {"rad", "m", "1"}
    assert set(hinge.velocity_units) <= {"rad/s", "m/s"}
    for name, unit in zip(hinge.velocity_names, hinge.velocity_units, strict=True):
        if name in hinge.coordinate_names:
            assert unit == hinge.coordinate_units[hinge.coordinate_names.index(name)] + "/s"


@any_hinge
@few
@given(data=st.data())
def test_units_of_velocities_separate_rotation_from_displacement(
    hinge: ce.Hinge, data: st.DataObject
) -> None:
    H = hinge.H(hinge.configuration(draw_coordinates(data, hinge)))
    turning = np.any(H[:, :3] != 0.0, axis=1)
    assert [unit == "rad/s" for unit in hinge.velocity_units] == turning.tolist()


@any_hinge
@few
@given(data=st.data())
def test_coordinates_are_recovered_from_the_configuration(hinge: ce.Hinge, data: st.DataObject) -> None:
    q = draw_coordinates(data, hinge)
    c = hinge.configuration(q)
    # atan2 of a rounded sine and cosine: 1 ε each, hence a few ε of an angle below π
    np.testing.assert_allclose(hinge.coordinates(c), q, rtol=0.0, atol=4.0 * math.pi * np.finfo(float).eps)
    np.testing.assert_allclose(hinge.configuration(hinge.coordinates(c)), c, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("hinge", [HINGES["spherical"], HINGES["free"]], ids=["spherical", "free"])
@pytest.mark.parametrize("length", [1e-3, 0.9, 1e3])
def test_length_of_a_quaternion_does_no_harm(hinge: ce.Hinge, length: float) -> None:
    unit = np.array((-0.1, 0.7, -0.5, 0.5))
    assert unit @ unit == pytest.approx(1.0, abs=1e-15)
    translation = [0.1, 0.2, 0.3][: hinge.n_q - 4]
    c = hinge.configuration(np.array([*translation, *(length * unit)]))
    np.testing.assert_allclose(c, [*translation, *unit], rtol=0.0, atol=1e-15)  # and the sign stays


@pytest.mark.parametrize("hinge", [HINGES["spherical"], HINGES["free"]], ids=["spherical", "free"])
@few
@given(data=st.data())
def test_quaternion_rate_keeps_length_of_any_quaternion(hinge: ce.Hinge, data: st.DataObject) -> None:
    q, v = draw_coordinates(data, hinge), data.draw(numbers(hinge.n_v, 1.0))
    assert q[-4:] @ hinge.q_dot(q, v)[-4:] == pytest.approx(0.0, abs=1e-14)
    q[-4:] *= 1.3

    def pose(t: float) -> tuple[Array, Array]:
        return hinge.pose(hinge.configuration(q + t * hinge.q_dot(q, v)))

    np.testing.assert_allclose(twist(pose)[:3], v[:3], atol=DERIVATIVE_TOLERANCE)


def test_screw_counts_its_turns() -> None:
    screw = ce.Screw(axis=(0.0, 0.0, 5.0), pitch=0.01)
    q = np.array((2.0 * math.pi * 40.0,))
    c = screw.configuration(q)
    assert screw.coordinates(c) == q
    R, d = screw.pose(c)
    np.testing.assert_allclose(R, np.eye(3), atol=2.0 * np.finfo(float).eps * q[0])
    np.testing.assert_allclose(d, (0.0, 0.0, 0.8 * math.pi), rtol=1e-15)


# Motion


@any_hinge
@few
@given(data=st.data())
def test_hinge_map_is_the_derivative_of_the_pose(hinge: ce.Hinge, data: st.DataObject) -> None:
    q, v = draw_coordinates(data, hinge), data.draw(numbers(hinge.n_v, 1.0))
    H = hinge.H(hinge.configuration(q))
    assert H.shape == (hinge.n_v, 6)
    q_dot = hinge.q_dot(q, v)

    def pose(t: float) -> tuple[Array, Array]:
        return hinge.pose(hinge.configuration(q + t * q_dot))

    np.testing.assert_allclose(H.T @ v, twist(pose), atol=DERIVATIVE_TOLERANCE)


@any_hinge
@few
@given(data=st.data())
def test_bias_is_the_derivative_of_the_hinge_map(hinge: ce.Hinge, data: st.DataObject) -> None:
    q, v = draw_coordinates(data, hinge), data.draw(numbers(hinge.n_v, 1.0))
    q_dot = hinge.q_dot(q, v)
    H_T_v = derivative(lambda t: hinge.H(hinge.configuration(q + t * q_dot)).T @ v)
    np.testing.assert_allclose(hinge.bias(hinge.configuration(q), v), H_T_v, atol=DERIVATIVE_TOLERANCE)


@any_hinge
@few
@given(data=st.data())
def test_rotation_is_proper(hinge: ce.Hinge, data: st.DataObject) -> None:
    R, d = hinge.pose(hinge.configuration(draw_coordinates(data, hinge)))
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-14)
    assert d.shape == (3,)


@few
@given(q=numbers(2, 3.0), other=st.floats(-3.0, 3.0))
def test_axes_of_universal_hinge_stay_on_their_bodies(q: Array, other: float) -> None:
    hinge = ce.Universal(axis1=(1.0, 0.3, 0.0), axis2=(1.0, 0.0, -0.8))

    def R(q1: float, q2: float) -> Array:
        return hinge.pose(hinge.configuration(np.array((q1, q2))))[0]

    # axis2 points the same way whatever q2 is, and axis1, seen from the child, whatever q1 is
    np.testing.assert_allclose(R(q[0], q[1]) @ hinge.axis2, R(q[0], other) @ hinge.axis2, atol=1e-14)
    np.testing.assert_allclose(R(q[0], q[1]).T @ hinge.axis1, R(other, q[1]).T @ hinge.axis1, atol=1e-14)


def test_directions_of_rotation_and_displacement() -> None:
    quarter = math.pi / 2.0
    poses = {
        ce.Revolute((0, 0, 2)): ([quarter], (0, 1, 0), (0, 0, 0)),
        ce.Prismatic((0, 3, 0)): ([0.5], (1, 0, 0), (0, 0.5, 0)),
        ce.Cylindrical((0, 0, 1)): ([quarter, 0.5], (0, 1, 0), (0, 0, 0.5)),
        ce.Planar((0, 0, 1)): ([0.1, 0.2, quarter], (0, 1, 0), (0.1, 0.2, 0)),
        ce.Planar((0, 0, 1), x_axis=(0, 1, 0)): ([0.1, 0.2, quarter], (0, 1, 0), (-0.2, 0.1, 0)),
        ce.Screw((0, 0, 1), 2.0): ([quarter], (0, 1, 0), (0, 0, math.pi)),
        ce.Universal((0, 0, 1), (1, 0, 0)): ([quarter, 0.3], (0, 1, 0), (0, 0, 0)),
        ce.Universal((1, 0, 0), (0, 0, 1)): ([quarter, quarter], (0, 0, 1), (0, 0, 0)),
        ce.Spherical(): ([math.sqrt(0.5), 0, 0, math.sqrt(0.5)], (0, 1, 0), (0, 0, 0)),
        ce.Free(): ([1, 2, 3, math.sqrt(0.5), 0, 0, math.sqrt(0.5)], (0, 1, 0), (1, 2, 3)),
    }
    for hinge, (q, child_x, displacement) in poses.items():
        R, d = hinge.pose(hinge.configuration(np.array(q, dtype=float)))
        np.testing.assert_allclose(R[:, 0], child_x, atol=1e-15, err_msg=str(hinge))
        np.testing.assert_allclose(d, displacement, atol=1e-15, err_msg=str(hinge))


@few
@given(q=numbers(1, 3.0))
def test_screw_without_pitch_is_revolute(q: Array) -> None:
    screw, revolute = ce.Screw((1.0, 2.0, -2.0), 0.0), ce.Revolute((1.0, 2.0, -2.0))
    c, c_revolute = screw.configuration(q), revolute.configuration(q)
    for mine, theirs in zip(screw.pose(c), revolute.pose(c_revolute), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(screw.H(c), revolute.H(c_revolute))
    R, x = screw.pose(c)
    ends = REST, JointEnd(R, x)
    rows = stacked(screw.constraints, "velocity_rows", *ends)
    both = np.vstack((rows, stacked(revolute.constraints, "velocity_rows", *ends)))
    assert np.linalg.matrix_rank(both[:, 6:]) == 5  # the same five directions


# Conditions of the hinges


def place(R_p: Array, x_p: Array, hinge: ce.Hinge, q: Array) -> tuple[JointEnd, JointEnd]:
    """Ends on parent and child when the parent is anywhere and the hinge at q."""
    R, d = hinge.pose(hinge.configuration(q))
    return JointEnd(R_p, x_p), JointEnd(R_p @ R, x_p + R_p @ d)


@any_hinge
@few
@given(data=st.data())
def test_conditions_hold_at_every_reachable_pose(hinge: ce.Hinge, data: st.DataObject) -> None:
    ends = place(draw_rotation(data), data.draw(numbers(3, 5.0)), hinge, draw_coordinates(data, hinge))
    if hinge.constraints:
        residual = stacked(hinge.constraints, "residual", *ends)
        np.testing.assert_allclose(residual, 0.0, atol=ROUNDING)


@any_hinge
@few
@given(data=st.data())
def test_conditions_leave_exactly_the_motions_of_the_hinge(hinge: ce.Hinge, data: st.DataObject) -> None:
    assert sum(condition.rows for condition in hinge.constraints) == 6 - hinge.n_v
    if not hinge.constraints:
        return
    q = draw_coordinates(data, hinge)
    R_p = draw_rotation(data)
    ends = place(R_p, data.draw(numbers(3, 5.0)), hinge, q)
    rows = stacked(hinge.constraints, "velocity_rows", *ends)
    assert rows.shape == (6 - hinge.n_v, 12)
    to_common = np.kron(np.eye(2), R_p)
    H = hinge.H(hinge.configuration(q))
    np.testing.assert_allclose(rows[:, 6:] @ to_common @ H.T, 0.0, atol=ROUNDING)  # parent at rest
    # 6 − n_v independent rows: with H they fill all six directions of the child
    assert np.linalg.svd(rows[:, 6:], compute_uv=False)[-1] > 0.1
    if hinge.n_v:
        assert np.linalg.svd(H, compute_uv=False)[-1] > 0.1


@any_hinge
@few
@given(data=st.data())
def test_conditions_agree_with_velocities_and_accelerations_of_hinge(
    hinge: ce.Hinge, data: st.DataObject
) -> None:
    """Motions composed from H and bias on a moving, accelerating parent violate no condition."""
    q = draw_coordinates(data, hinge)
    v, v_dot = data.draw(numbers(hinge.n_v, 2.0)), data.draw(numbers(hinge.n_v, 2.0))
    w_p, v_p, alpha_p, a_p = data.draw(numbers(12, 2.0)).reshape(4, 3)
    c = hinge.configuration(q)
    R_p = draw_rotation(data)
    ends = place(R_p, np.zeros(3), hinge, q)
    delta = ends[1].x - ends[0].x
    relative_w, relative_v = (R_p @ part for part in np.split(hinge.H(c).T @ v, 2))
    relative_alpha, relative_a = (R_p @ part for part in np.split(hinge.H(c).T @ v_dot + hinge.bias(c, v), 2))
    w_c = w_p + relative_w
    v_c = v_p + np.cross(w_p, delta) + relative_v
    alpha_c = alpha_p + relative_alpha + np.cross(w_p, relative_w)
    a_c = a_p + np.cross(alpha_p, delta) + np.cross(w_p, np.cross(w_p, delta)) + relative_a
    a_c = a_c + 2.0 * np.cross(w_p, relative_v)  # Coriolis
    for condition in hinge.constraints:
        rows = condition.velocity_rows(*ends)
        bias = condition.acceleration_bias(*ends, Twist(w_p, v_p), Twist(w_c, v_c))
        scale = 100.0 / min(1.0, abs(getattr(condition, "pitch", 1.0)))  # speeds squared times lengths
        np.testing.assert_allclose(rows @ np.hstack((w_p, v_p, w_c, v_c)), 0.0, atol=scale * ROUNDING)
        np.testing.assert_allclose(
            rows @ np.hstack((alpha_p, a_p, alpha_c, a_c)) + bias, 0.0, atol=scale * ROUNDING
        )


# Conditions by themselves, also where they are violated


class Motion:
    """A smooth motion R(t) = Rot(n1, θ1(t)) Rot(n2, θ2(t)) R0, x(t), with its exact derivatives."""

    def __init__(self, data: st.DataObject) -> None:
        self.R0 = draw_rotation(data)
        self.n = np.eye(3)[list(data.draw(st.permutations(range(3))))[:2]]
        self.rate, self.acceleration = data.draw(numbers(4, 1.0)).reshape(2, 2)
        self.x0, self.v0, self.a0 = data.draw(numbers(9, 1.0)).reshape(3, 3)

    def pose(self, t: float) -> JointEnd:
        R1, R2 = (
            rotation_about(n, math.cos(angle), math.sin(angle))
            for n, angle in zip(self.n, self.rate * t + self.acceleration * t * t / 2.0, strict=True)
        )
        return JointEnd(R1 @ R2 @ self.R0, self.x0 + self.v0 * t + self.a0 * (t * t / 2.0))

    def velocity(self, t: float) -> Array:
        n1, n2 = self.n[0], self._second_axis(t)
        rate = self.rate + self.acceleration * t
        return np.hstack((n1 * rate[0] + n2 * rate[1], self.v0 + self.a0 * t))

    def acceleration_now(self) -> Array:
        n1, n2 = self.n[0], self._second_axis(0.0)
        carried = np.cross(n1, n2) * (self.rate[0] * self.rate[1])
        return np.hstack((n1 * self.acceleration[0] + n2 * self.acceleration[1] + carried, self.a0))

    def _second_axis(self, t: float) -> Array:
        angle = self.rate[0] * t + self.acceleration[0] * t * t / 2.0
        return np.asarray(rotation_about(self.n[0], math.cos(angle), math.sin(angle)) @ self.n[1])


@any_condition
@few
@given(data=st.data())
def test_velocity_rows_are_the_derivative_of_the_residual(condition: Condition, data: st.DataObject) -> None:
    p, c = Motion(data), Motion(data)
    V = np.hstack((twist(p.pose), twist(c.pose)))
    ends = p.pose(0.0), c.pose(0.0)
    assert condition.residual(*ends).shape == (condition.rows,)
    np.testing.assert_allclose(
        condition.velocity_rows(*ends) @ V,
        derivative(lambda t: condition.residual(p.pose(t), c.pose(t))),
        atol=DERIVATIVE_TOLERANCE,
    )


@any_condition
@few
@given(data=st.data())
def test_acceleration_bias_completes_the_second_derivative(condition: Condition, data: st.DataObject) -> None:
    p, c = Motion(data), Motion(data)
    V_dot = np.hstack((p.acceleration_now(), c.acceleration_now()))
    ends = p.pose(0.0), c.pose(0.0)
    twists = Twist(*np.split(p.velocity(0.0), 2)), Twist(*np.split(c.velocity(0.0), 2))

    def residual_dot(t: float) -> Array:
        V = np.hstack((p.velocity(t), c.velocity(t)))
        return np.asarray(condition.velocity_rows(p.pose(t), c.pose(t)) @ V)

    np.testing.assert_allclose(
        condition.velocity_rows(*ends) @ V_dot + condition.acceleration_bias(*ends, *twists),
        derivative(residual_dot),
        atol=DERIVATIVE_TOLERANCE,
    )


@few
@given(turn=st.floats(-30.0, 30.0), slide=st.floats(-3.0, 3.0), pitch=st.sampled_from((0.05, -1.0, 20.0)))
def test_screwed_measures_slide_against_turn_without_jumps(turn: float, slide: float, pitch: float) -> None:
    """Sine of the mismatch, for any number of turns: no jump at half a turn."""
    R = rotation_about(A, math.cos(turn), math.sin(turn))
    residual = Screwed(A, pitch).residual(REST, JointEnd(R, A * slide))
    mismatch = slide / pitch - turn
    assert residual[0] == pytest.approx(pitch * math.sin(mismatch), abs=abs(pitch) * 1e-13)


def test_separation_measures_the_change_of_distance() -> None:
    for stretch in (1e-3, -1e-3):
        residual = Separation(2.0).residual(REST, JointEnd(np.eye(3), A * (2.0 + stretch)))
        # exactly stretch + stretch² / (2 length); rounding of a sum of terms of size length
        assert residual[0] == pytest.approx(stretch + stretch**2 / 4.0, abs=1e-15)


# Tracing


@any_hinge
def test_hinges_do_not_look_at_values(hinge: ce.Hinge, rng: np.random.Generator) -> None:
    q, v = rng.uniform(0.2, 1.0, hinge.n_q), rng.uniform(-1.0, 1.0, hinge.n_v)
    c = hinge.configuration(q)
    c_traced = hinge.configuration(opaque(q))
    pairs: list[tuple[Array, Array]] = [
        (c, c_traced),
        (hinge.coordinates(c), hinge.coordinates(c_traced)),
        (hinge.H(c), hinge.H(c_traced)),
        (hinge.bias(c, v), hinge.bias(c_traced, opaque(v))),
        (hinge.q_dot(q, v), hinge.q_dot(opaque(q), opaque(v))),
        *zip(hinge.pose(c), hinge.pose(c_traced), strict=True),
    ]
    for plain, traced in pairs:
        assert plain.dtype == np.float64
        # plain products are summed by BLAS, in another order
        np.testing.assert_allclose(reveal(traced), plain, rtol=0.0, atol=1e-15)


@any_condition
def test_conditions_do_not_look_at_values(condition: Condition, rng: np.random.Generator) -> None:
    R_p, R_c = (rotation_about(A, math.cos(angle), math.sin(angle)) for angle in rng.uniform(-3.0, 3.0, 2))
    x_p, x_c, w_p, v_p, w_c, v_c = rng.uniform(-1.0, 1.0, (6, 3))
    ends, twists = (JointEnd(R_p, x_p), JointEnd(R_c, x_c)), (Twist(w_p, v_p), Twist(w_c, v_c))
    for what, arguments in {
        "residual": ends,
        "velocity_rows": ends,
        "acceleration_bias": ends + twists,
    }.items():
        plain = getattr(condition, what)(*arguments)
        traced = getattr(condition, what)(*(type(pair)(*map(opaque, pair)) for pair in arguments))
        # plain products are summed by BLAS, in another order
        np.testing.assert_allclose(reveal(traced), plain, rtol=0.0, atol=1e-14)


# Mistakes of users


def wrong(value: object) -> Any:
    """A value of a type that type checkers would not let pass."""
    return value


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: ce.Revolute((0, 0, 0)), r"Revolute: axis is \(0, 0, 0\)"),
        (lambda: ce.Revolute((0, 0, math.nan)), "Revolute: axis .*nan.* must be three finite numbers"),
        (lambda: ce.Revolute((0, 0, math.inf)), "Revolute: axis .*inf.* must be three finite numbers"),
        (lambda: ce.Revolute((0, 1)), "Revolute: axis .* must be three finite numbers"),
        (lambda: ce.Revolute(wrong("xyz")), "Revolute: axis 'xyz' must be a list of numbers"),
        (lambda: ce.Revolute((0, 0, 1), at=(0, 0, math.nan)), "Revolute: at .*nan"),
        (lambda: ce.Prismatic((0, 0, 0)), "Prismatic: axis"),
        (lambda: ce.Fixed(at=(math.inf, 0, 0)), "Fixed: at"),
        (lambda: ce.Spherical(at=(1, 2)), "Spherical: at"),
        (lambda: ce.Free(at=(math.nan, 0, 0)), "Free: at"),
        (lambda: ce.Cylindrical((0, 0, 0)), "Cylindrical: axis"),
        (lambda: ce.Planar((0, 0, 0)), "Planar: normal"),
        (lambda: ce.Planar((0, 0, 1), x_axis=(1, 0, 0.1)), "Planar: x_axis .*0.1.* is not perpendicular"),
        (lambda: ce.Planar((0, 0, 1), x_axis=(0, 0, 0)), "Planar: x_axis"),
        (lambda: ce.Screw((0, 0, 1), math.nan), "Screw: pitch nan must be a finite number"),
        (lambda: ce.Screw((0, 0, 1), -math.inf), "Screw: pitch -inf must be a finite number"),
        (lambda: ce.Screw((0, 0, 1), wrong(None)), "Screw: pitch None is not a number"),
        (lambda: ce.Universal((1, 0, 0), (2, 0, 0)), "Universal: axis1 .* and axis2 .* are parallel"),
        (lambda: ce.Universal((1, 0, 0), (-1, 0, 1e-7)), "Universal: axis1 .* and axis2 .* are parallel"),
        (lambda: ce.Universal((1, 0, 0), (0, 0, 0)), "Universal: axis2 is"),
        (lambda: ce.Distance((0, 0, 0), (0, 0, 0)), r"Distance: length is 0\.0 m .* must be positive"),
        (lambda: ce.Distance((0, 0, 0), (1, 0, 0), length=-1.0), r"Distance: length is -1\.0 m"),
        (lambda: ce.Distance((0, 0, 0), (1, 0, 0), length=math.nan), "Distance: length nan must be a finite"),
        (lambda: ce.Distance((0, 0, math.nan), (1, 0, 0)), "Distance: at_a"),
        (lambda: ce.Distance((0, 0, 0), (1, 0)), "Distance: at_b"),
    ],
)
def test_wrong_geometry_is_refused(make: Callable[[], Any], complaint: str) -> None:
    with pytest.raises(ce.ModelError, match=complaint):
        make()


def test_nearly_parallel_axes_still_make_a_universal_hinge() -> None:
    hinge = ce.Universal((1, 0, 0), (1, 0, 1e-5))
    smallest = np.linalg.svd(stacked(hinge.constraints, "velocity_rows", REST, REST), compute_uv=False)[-1]
    # the row of the angle is (m, 0, −m, 0) with |m| = sin 1e-5
    assert smallest == pytest.approx(math.sqrt(2.0) * 1e-5, rel=1e-6)


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1.0, 1e200, 1e308])
def test_axes_of_any_length_are_normalised(size: float) -> None:
    axis = unit_axis((0.0, size, -size), "test")
    np.testing.assert_allclose(axis, (0.0, math.sqrt(0.5), -math.sqrt(0.5)), rtol=1e-15)


def test_geometry_does_not_follow_the_users_array() -> None:
    at = np.array((1.0, 2.0, 3.0))
    hinge = ce.Spherical(at=wrong(at))
    at[0] = 9.0
    assert hinge.at[0] == 1.0


@few
@given(direction=numbers(3, 1.0))
def test_across_gives_a_right_handed_frame(direction: Array) -> None:
    assume(np.linalg.norm(direction) > 1e-3)
    axis = unit_axis(direction, "test")
    frame = np.array((*across(axis), axis))
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(cross(frame[0], frame[1]), axis, atol=1e-15)


def test_across_the_vertical_is_the_horizontal_frame() -> None:
    e1, e2 = across(np.array((0.0, 0.0, 1.0)))
    assert (e1.tolist(), e2.tolist()) == ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])


# Distance


def test_distance_keeps_the_design_length_by_default() -> None:
    rod = ce.Distance(at_a=(0.0, 0.0, 1.0), at_b=(3.0, 4.0, 1.0))
    assert rod.length == 5.0
    assert rod.at_parent.tolist() == [0.0, 0.0, 1.0]
    assert rod.at_child.tolist() == [3.0, 4.0, 1.0]
    assert ce.Distance((0, 0, 1), (3, 4, 1), length=4.5).length == 4.5
    (condition,) = rod.constraints
    assert condition.residual(JointEnd(np.eye(3), rod.at_parent), JointEnd(np.eye(3), rod.at_child)) == 0.0


def test_hinge_points_of_a_hinge_are_one() -> None:
    hinge = HINGES["revolute"]
    assert hinge.at_parent.tolist() == hinge.at_child.tolist() == hinge.at.tolist() == [0.3, 0.1, -0.2]


# Hinges of users


class Cam(ce.Hinge):
    """A barrel cam: a turn by q about z goes with a displacement sin(2 q) along it."""

    n_q = n_v = 1
    coordinate_names = velocity_names = ("",)
    coordinate_units, velocity_units = ("rad",), ("rad/s",)
    at = np.zeros(3)

    def __init__(self, *kept: Condition) -> None:
        self.kept = kept

    def configuration(self, q: Array) -> Array:
        return q

    def coordinates(self, c: Array) -> Array:
        return c

    def pose(self, c: Array) -> tuple[Array, Array]:
        return rotation_about(Z, math.cos(c[0]), math.sin(c[0])), Z * math.sin(2.0 * c[0])

    def H(self, c: Array) -> Array:
        return np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 2.0 * math.cos(2.0 * c[0])]])

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return self.kept


class Lift(Condition):
    """Displacement along z less sin(2 × turn), for parents at rest: what makes a `Cam` of a cylinder."""

    def residual(self, p: JointEnd, c: JointEnd) -> Array:
        return np.array((c.x[2] - math.sin(2.0 * self.turn(c)),))

    def velocity_rows(self, p: JointEnd, c: JointEnd) -> Array:
        row = np.zeros((1, 12))
        row[0, 8:] = -2.0 * math.cos(2.0 * self.turn(c)), 0.0, 0.0, 1.0
        return row

    def acceleration_bias(self, p: JointEnd, c: JointEnd, V_p: Twist, V_c: Twist) -> Array:
        return np.array((4.0 * math.sin(2.0 * self.turn(c)) * V_c.w[2] ** 2,))

    def turn(self, c: JointEnd) -> float:
        return math.atan2(c.R[1, 0], c.R[0, 0])


X, Y, Z = np.eye(3)
CYLINDER = (InPlane(X), InPlane(Y), Angle(X, Z), Angle(Y, Z))


@pytest.mark.parametrize("use", ["cut", "tree"])
@pytest.mark.parametrize(
    ("kept", "message"),
    [
        (CYLINDER, "imposes 4 conditions, and its H has 1 rows; together they must be 6"),
        ((*CYLINDER, InPlane(Z)), "`constraints` hinder its own motion along 'its velocity'"),
        ((*CYLINDER, InPlane(X)), "hold 4 directions and its 1 freedoms move 1"),
    ],
    ids=["too few", "its own motion", "one twice"],
)
def test_hinge_that_is_not_complementary_is_refused(
    kept: tuple[Condition, ...], message: str, use: str
) -> None:
    system = ce.System()
    with pytest.raises(ce.ModelError, match=f"'cam': hinge Cam.*{message}"):
        add_cam(system, Cam(*kept), use)


@pytest.mark.parametrize("use", ["cut", "tree"])
def test_hinge_that_is_complementary_is_taken(use: str) -> None:
    system = ce.System()
    add_cam(system, Cam(*CYLINDER, Lift()), use)


def add_cam(system: ce.System, cam: Cam, use: str) -> None:
    given: ce.Hinge = cam if use == "tree" else ce.Cylindrical(Z)
    system.add_body("cam" if use == "tree" else "drum", mass=1.0, parent="ground", hinge=given)
    if use == "cut":
        system.close_loop("cam", "ground", "drum", cam)
