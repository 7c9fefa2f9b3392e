"""Numeric loop kinematics against closed forms, differences, published figures and the augmented model.

Lengths are about 1 and rates at most 1, so a position is good to about 1e-14 divided by the distance to a
singular pose (0.1 at least, unless a test states otherwise).  Derivatives are taken by the five-point formula
with h = 1e-3: its error is h⁴ |f⁽⁵⁾| / 30 < 1e-10 for |f⁽⁵⁾| < 3000, plus 1.5 · 1e-14 / h = 1.5e-11.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.augmented import compute_accelerations
from ce_dynamics.compiled.model import Model
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.numeric.branch import follow
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.errors import AssemblyError, ModelError
from ce_dynamics.mechanism.couplings.components import ConstraintView
from ce_dynamics.mechanism.hinges import Distance, Prismatic, Revolute, Screw
from ce_dynamics.mechanism.system import System
from tests.support.augmented import NOTHING, assert_agrees
from tests.support.systems import (
    CRANK_ROCKER,
    DOUBLE_ROCKER,
    LOOPS,
    Z,
    add,
    bricard,
    drive,
    dyad,
    five_bar,
    floating_coupler,
    four_bar,
    rsur,
    slider_crank,
)

pytestmark = pytest.mark.usefixtures("by_newton")


def test_a_branch_is_followed_just_past_its_limits() -> None:
    """One point beyond each limit, for the interpolation up to it; the rest would be work for nothing."""
    embedding = embed(LOOPS["double rocker"]())
    linkage = embedding.aggregates[0].linkages[0]
    assert isinstance(linkage, NumericLinkage)
    low, high = -0.3, 0.25
    branch = follow(linkage.kernel, linkage.q0, (low, high))
    thetas = [point.theta for point in branch.points]
    assert thetas == sorted(thetas)
    assert thetas[0] <= low < thetas[1]
    assert thetas[-2] < high <= thetas[-1]
    assert (branch.lower.theta, branch.upper.theta) == (low, high)


def linkage_of(embedding: Embedding) -> NumericLinkage:
    (linkage,) = next(S for S in embedding.aggregates if S.closures).linkages
    assert isinstance(linkage, NumericLinkage)
    return linkage


def moving(embedding: Embedding, q: Any, v: Any) -> Outward:
    return Outward(embedding, np.asarray(q, dtype=float), np.asarray(v, dtype=float), {})


def stacked(motion: Outward, part: str) -> Array:
    S = next(S for S in motion.embedding.aggregates if S.closures)
    hinge_motions = motion.motions[S.name].hinge_motions
    return np.concatenate([getattr(hinge_motions[b.name], part) for b in S.dependent]).astype(float)


# Positions against closed forms


def test_crank_rocker_through_a_full_turn() -> None:
    embedding = embed(four_bar(CRANK_ROCKER, 0.7))
    a, b, c, d = CRANK_ROCKER
    D = np.array((d, 0.0, 0.0))
    assert linkage_of(embedding).reach() == (-math.inf, math.inf)
    rocker = embedding.system.find("rocker")
    for q in np.linspace(-8.0, 8.0, 161):
        B = a * np.array((np.cos(0.7 + q), np.sin(0.7 + q), 0.0))
        C = dyad(B, D, b, c, 1.0)
        foot, tip = (dyad(a * np.array((np.cos(0.7), np.sin(0.7), 0.0)), D, b, c, 1.0), C)
        found = moving(embedding, [q], [0.0]).point(rocker, foot, embedding.system.ground).r
        np.testing.assert_allclose(found, tip, rtol=0.0, atol=1e-14)


def test_double_rocker_up_to_its_limits() -> None:
    embedding = embed(four_bar(DOUBLE_ROCKER, 1.0))
    a, b, c, d = DOUBLE_ROCKER
    stretched = math.acos((a * a + d * d - (b + c) ** 2) / (2.0 * a * d))
    reach = linkage_of(embedding).reach()
    assert reach is not None
    np.testing.assert_allclose(reach, (-stretched - 1.0, stretched - 1.0), rtol=0.0, atol=1e-14)
    D = np.array((d, 0.0, 0.0))
    C0 = dyad(a * np.array((np.cos(1.0), np.sin(1.0), 0.0)), D, b, c, 1.0)
    for gap in (1e-12, 1e-9, 1e-6, 1e-3, 0.1):
        q = reach[1] - gap
        outward = moving(embedding, [q], [1.0])
        found = outward.point(embedding.system.find("rocker"), C0, embedding.system.ground)
        B = a * np.array((np.cos(1.0 + q), np.sin(1.0 + q), 0.0))
        # √gap from the fold: the closed form amplifies its rounding by 1/√gap, and so do we
        tolerance = 1e-14 / math.sqrt(gap)
        np.testing.assert_allclose(found.r, dyad(B, D, b, c, 1.0), rtol=0.0, atol=tolerance)
        # both bars stay as long as they were, whatever the distance
        assert abs(np.linalg.norm(found.r - B) - b) < 4e-15 * b
        assert abs(np.linalg.norm(found.r - D) - c) < 4e-15 * c


@pytest.mark.parametrize("gap", [1e-15, 1e-9, 0.3, 1.0])
def test_nan_outside_the_reach(gap: float) -> None:
    embedding = embed(four_bar(DOUBLE_ROCKER, 1.0))
    lower, upper = linkage_of(embedding).reach() or (0.0, 0.0)
    for q in (upper + gap, lower - gap):
        motion = moving(embedding, [q], [1.0]).motions["crank"]
        for name in ("coupler", "rocker"):
            assert np.all(np.isnan(motion.hinge_motions[name].c.astype(float)))
            assert np.all(np.isnan(motion.hinge_motions[name].X.astype(float)))


def test_reach_beyond_half_a_turn() -> None:
    """A crank that starts near one end: the other end is more than π away and angles come back modulo 2π."""
    a, b, c, d = lengths = (1.0, 2.2, 2.6, 1.2)
    embedding = embed(four_bar(lengths, 1.0))
    # folded: |B D| = c − b
    folded = math.acos((a * a + d * d - (c - b) ** 2) / (2.0 * a * d))
    reach = linkage_of(embedding).reach()
    assert reach is not None
    expected = (folded - 1.0, 2.0 * math.pi - folded - 1.0)
    np.testing.assert_allclose(reach, expected, rtol=0.0, atol=1e-13)
    D = np.array((d, 0.0, 0.0))
    C0 = dyad(a * np.array((np.cos(1.0), np.sin(1.0), 0.0)), D, b, c, 1.0)
    for q in (-0.6, 0.0, 3.0, 3.3, 4.5, 4.5 - 2.0 * math.pi):
        B = a * np.array((np.cos(1.0 + q), np.sin(1.0 + q), 0.0))
        found = moving(embedding, [q], [0.0]).point(
            embedding.system.find("rocker"), C0, embedding.system.ground
        )
        np.testing.assert_allclose(found.r, dyad(B, D, b, c, 1.0), rtol=0.0, atol=1e-13)


def test_slider_crank_positions_rates_and_accelerations() -> None:
    crank, rod, start = 0.3, 1.0, 0.5
    embedding = embed(slider_crank(crank, rod, start))

    def x(theta: float) -> float:
        return crank * math.cos(theta) + math.sqrt(rod**2 - (crank * math.sin(theta)) ** 2)

    for q in np.linspace(-7.0, 7.0, 50):
        t = start + q
        root = math.sqrt(rod**2 - (crank * math.sin(t)) ** 2)
        dx = -crank * math.sin(t) - crank**2 * math.sin(t) * math.cos(t) / root
        ddx = (
            -crank * math.cos(t)
            - crank**2 * math.cos(2.0 * t) / root
            - (crank**2 * math.sin(t) * math.cos(t)) ** 2 / root**3
        )
        slider = moving(embedding, [q], [2.0]).motions["crank"].hinge_motions["slider"]
        np.testing.assert_allclose(slider.c[0], x(t) - x(start), rtol=0.0, atol=4e-16 * 4)
        np.testing.assert_allclose(slider.X[0, 0], dx, rtol=0.0, atol=1e-14)
        np.testing.assert_allclose(slider.bias[0], 4.0 * ddx, rtol=0.0, atol=1e-13)


def test_five_bar_positions_and_end_of_straight_path() -> None:
    embedding = embed(five_bar())
    A, E = np.zeros(3), np.array((1.0, 0.0, 0.0))
    B0, D0 = np.array((-0.3, 0.6, 0.0)), np.array((1.4, 0.5, 0.0))
    C0 = dyad(B0, D0, 1.1, 1.3, 1.0)

    def turned(P: Array, centre: Array, q: float) -> Array:
        k, s = math.cos(q), math.sin(q)
        return np.asarray(centre + np.array([[k, -s, 0.0], [s, k, 0.0], [0.0, 0.0, 1.0]]) @ (P - centre))

    system = embedding.system
    seen = {"closed": 0, "open": 0}
    for left in np.linspace(-3.0, 3.0, 13):
        for right in np.linspace(-3.0, 3.0, 13):
            B, D = turned(B0, A, left), turned(D0, E, right)
            outward = moving(embedding, [left, right], [0.0, 0.0])
            found = outward.point(system.find("left coupler"), C0, system.ground).r.astype(float)
            if np.all(np.isfinite(found)):
                # never on the other branch
                np.testing.assert_allclose(found, dyad(B, D, 1.1, 1.3, 1.0), rtol=0.0, atol=1e-11)
                seen["closed"] += 1
            else:
                # only where the straight path comes within 0.2 of where the bars do not reach, 0.2 and 2.4
                gaps = [
                    np.linalg.norm(turned(B0, A, s * left) - turned(D0, E, s * right))
                    for s in np.linspace(0.0, 1.0, 100)
                ]
                assert max(gaps) > 2.2 or min(gaps) < 0.4
                seen["open"] += 1
    assert min(seen.values()) > 10


# Choices that must not matter


@pytest.mark.parametrize("cut", ["coupler", "ground"])
def test_choice_of_cut(cut: str, rng: np.random.Generator) -> None:
    one, other = embed(four_bar(CRANK_ROCKER, 0.7)), embed(four_bar(CRANK_ROCKER, 0.7, cut=cut))
    state = rng.uniform(-3.0, 3.0, 1), rng.uniform(-2.0, 2.0, 1)
    compare_accelerations(one, other, state, state)


@pytest.mark.parametrize("q", [-1.7, 0.4, 2.9])
def test_choice_of_cut_of_a_spatial_loop(q: float) -> None:
    state = np.array([q]), np.array([1.3])
    compare_accelerations(embed(rsur("universal")), embed(rsur("spherical")), state, state)


def compare_accelerations(
    one: Embedding, other: Embedding, state: tuple[Array, Array], state_of_other: tuple[Array, Array]
) -> None:
    """Compare those of all bodies in the same state, given by coordinates and rates of either."""
    ours = compute_accelerations(one, *state, NOTHING, NOTHING)
    theirs = compute_accelerations(other, *state_of_other, NOTHING, NOTHING)
    scale = max(np.max(np.abs(a)) for a in ours.values())
    for name, value in ours.items():
        np.testing.assert_allclose(theirs[name], value, rtol=0.0, atol=1e-11 * scale)


@pytest.mark.parametrize("independent", ["coupler", "rocker"])
def test_choice_of_independent_coordinate(independent: str) -> None:
    one = embed(four_bar(CRANK_ROCKER, 0.7))
    other = embed(four_bar(CRANK_ROCKER, 0.7, independent=[independent]))
    q, v = np.array([0.3]), np.array([0.8])
    motion = moving(one, q, v).motions["crank"].hinge_motions[independent]
    q_other = one.system.find(independent).inboard.coordinates(motion.c).astype(float)
    v_other = (motion.X @ v).astype(float)
    compare_accelerations(one, other, (q, v), (q_other, v_other))


# Prescribed motion inside the loop: η and η̇


def test_prescribed_coordinate_in_a_loop() -> None:
    embedding = embed(drive(five_bar(["left"]), "right"))
    u = np.array([-0.3, 0.9, 2.0])
    assert_agrees(
        embedding, np.array([0.2]), np.array([0.7]), u=u, relative=1e-11, closed=1e-14, moving=1e-13
    )


def tied_to_a_lever() -> System:
    """A slide on an arm, tied by a rod to a lever that is prescribed and no part of the loop's body."""
    system = System(gravity=(0.0, -9.81, 0.0))
    add(system, "arm", "ground", Revolute((0.1, 0.0, 1.0), (-2.0, 0.0, 0.0)), np.array((-2.0, 0.5, 0.0)))
    add(system, "slide", "arm", Prismatic((1.0, 0.2, 0.0), (-2.0, 0.5, 0.0)), np.array((-2.0, 0.6, 0.0)))
    add(system, "lever", "ground", Revolute((0.0, 0.4, 1.0), (-0.5, 0.0, 0.0)), np.array((-0.5, 0.5, 0.0)))
    drive(system, "lever")
    system.close_loop("rod", "slide", "lever", Distance((-2.0, 0.8, 0.0), (-0.5, 0.8, 0.0)), ["arm"])
    return system


@pytest.mark.parametrize("turn", [-1.2, -0.6, 0.0, 1.2, 2.0])
def test_attachment_to_a_prescribed_sibling(turn: float) -> None:
    system = tied_to_a_lever()
    embedding = embed(system)
    assert [body.name for body in embedding.owner["arm"].siblings] == ["lever"]
    q, v, u = np.array([0.2]), np.array([0.7]), np.array([turn, 0.9, 2.0])
    assert_agrees(embedding, q, v, u=u, relative=1e-11, closed=1e-14, moving=1e-13)


@pytest.mark.parametrize("turn", [-2.5, -1.5])
def test_sibling_out_of_reach(turn: float) -> None:
    """The rod is 1.5 long; the lever's end is 2.0 and 1.52 away from the line of the slide."""
    system = tied_to_a_lever()
    lever = {"lever": system.prescribed["lever"].evaluate(np.zeros(0), {
        "turn": turn, "turn_rate": 0.0, "turn_acceleration": 0.0,
    })}  # fmt: skip
    outward = Outward(embed(system), np.array([0.2]), np.zeros(1), lever)
    assert np.isnan(outward.coordinate(system.find("slide")))


def test_wholly_prescribed_loop_has_table_over_its_drive() -> None:
    system = drive(four_bar(CRANK_ROCKER, 0.7, independent=()), "crank")
    embedding = embed(system)
    assert embedding.n_v == 0
    assert linkage_of(embedding).reach() == (-math.inf, math.inf)
    free = embed(four_bar(CRANK_ROCKER, 0.7))
    u = np.array([1.1, 0.8, -3.0])
    driven = Outward(
        embedding, np.zeros(0), np.zeros(0), {"crank": system.prescribed["crank"].evaluate(np.zeros(0), dict(
            zip(("turn", "turn_rate", "turn_acceleration"), u, strict=True)
        ))}
    )  # fmt: skip
    own = moving(free, [1.1], [0.8]).motions["crank"].hinge_motions["rocker"]
    rocker = driven.motions["crank"].hinge_motions["rocker"]
    np.testing.assert_allclose(rocker.c, own.c, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(rocker.eta, own.X @ [0.8], rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(rocker.bias, own.bias + own.X @ [-3.0], rtol=0.0, atol=1e-13)


# Published figures


def parallelogram() -> System:
    """Benchmark A02 with N = 1: slender bars of 1 m and 1 kg."""
    system = System(gravity=(0.0, -9.81, 0.0))
    inertia = (1.0 / 12.0, 1.0 / 12.0, 1.0 / 12.0)
    for name, parent, at, com in (
        ("crank", "ground", (0.0, 0.0, 0.0), (0.0, 0.5, 0.0)),
        ("coupler", "crank", (0.0, 1.0, 0.0), (0.5, 1.0, 0.0)),
        ("other", "ground", (1.0, 0.0, 0.0), (1.0, 0.5, 0.0)),
    ):
        system.add_body(name, mass=1.0, com=com, inertia=inertia, parent=parent, hinge=Revolute(Z, at))
    system.close_loop("pin", "coupler", "other", Revolute(Z, (1, 1, 0)), ["crank"])
    return system


def test_parallelogram_accelerations_are_the_exact_ones() -> None:
    """θ̈ = −g cos θ ((N + 1)/2 + N) / ((N + 1)/3 + N), θ from the horizontal, between the dead centres."""
    model = Model(parallelogram())
    (S,) = model.embedding.aggregates
    reach = S.linkages[0].reach()
    assert reach is not None
    # two branches cross at the dead centres, where the distance is known to √rounding only
    np.testing.assert_allclose(reach, (-0.5 * math.pi, 0.5 * math.pi), rtol=0.0, atol=1e-7)
    for q in np.linspace(-1.55, 1.55, 63):
        expected = -9.81 * math.cos(0.5 * math.pi + q) * (1.0 + 1.0) / (2.0 / 3.0 + 1.0)
        found = model.accelerations([q], [-1.0])[0]
        # the angle of the coupler is known to rounding / cos q
        assert found == pytest.approx(expected, abs=1e-13 / math.cos(q) ** 2)


def test_rank_of_bricard() -> None:
    system = bricard()
    embedding = embed(system)
    linkage = linkage_of(embedding)
    _, Y = linkage.kernel(linkage.q0, linkage.kernel.p0)
    singular = np.linalg.svd(Y, compute_uv=False)
    golden = 2.0 * math.sin(math.radians(72.0)), 2.0 * math.sin(math.radians(36.0))  # 1.902, 1.176
    np.testing.assert_allclose(
        singular, (golden[0], golden[0], golden[1], golden[1], 0.0), rtol=0.0, atol=1e-14
    )
    assert embedding.n_v == 1
    assert len(linkage.redundant) == 1


# Redundant rows


def test_redundant_rows_of_a_planar_loop_are_reported() -> None:
    linkage = linkage_of(embed(four_bar(CRANK_ROCKER, 0.7)))
    assert linkage.redundant == (("pin", 2), ("pin", 3), ("pin", 4))  # out of the plane, and two tilts


def test_redundant_rows_of_two_closures() -> None:
    linkage = linkage_of(embed(floating_coupler()))
    assert [name for name, _ in linkage.redundant] == ["one"] * 3 + ["two"] * 3


# Rough guesses and errors


def test_rough_guess_is_assembled() -> None:
    """The rod is 5 cm longer than its distance in the design pose."""
    system = System()
    add(system, "crank", "ground", Revolute(Z), np.array((0.0, 0.15, 0.0)))
    add(system, "slider", "ground", Prismatic((1.0, 0.0, 0.0), (1.0, 0.0, 0.0)), np.array((1.0, 0.0, 0.0)))
    system.close_loop("rod", "crank", "slider", Distance((0.0, 0.3, 0.0), (1.0, 0.0, 0.0), 1.1), ["crank"])
    embedding = embed(system)
    slider = moving(embedding, [0.0], [0.0]).motions["crank"].hinge_motions["slider"]
    assert slider.c[0] == pytest.approx(math.sqrt(1.1**2 - 0.3**2) - 1.0, abs=1e-15)


def test_loop_that_closes_elsewhere_names_held_hinges() -> None:
    """The rod reaches when the crank turns towards the slider's line, not where the design pose holds it."""
    system = System()
    add(system, "crank", "ground", Revolute(Z), np.array((0.0, 0.15, 0.0)))
    add(system, "slider", "ground", Prismatic((1.0, 0.0, 0.0), (1.0, 0.0, 0.0)), np.array((1.0, 0.0, 0.0)))
    system.close_loop("rod", "crank", "slider", Distance((0.0, 0.3, 0.0), (1.0, 0.0, 0.0), 0.2), ["crank"])
    with pytest.raises(
        AssemblyError, match=r"with \['crank'\] in the design pose: closure 'rod' stays open by"
    ):
        embed(system)


def test_turns_of_nut_do_not_follow_from_angle() -> None:
    """A spindle turns, a nut slides: after a turn it is elsewhere, so the slide must be independent."""

    def spindle(independent: str) -> System:
        system = System()
        add(system, "spindle", "ground", Revolute((1.0, 0.0, 0.0)), np.zeros(3))
        add(system, "nut", "ground", Prismatic((1.0, 0.0, 0.0), (0.5, 0.0, 0.0)), np.array((0.5, 0.0, 0.0)))
        thread = Screw((1.0, 0.0, 0.0), 0.2, (0.5, 0.0, 0.0))
        system.close_loop("thread", "spindle", "nut", thread, [independent])
        return system

    with pytest.raises(ModelError, match=r"full turn of 'spindle'.*choose 'nut' as the independent"):
        moving(embed(spindle("spindle")), [0.1], [0.0])
    by_nut = moving(embed(spindle("nut")), [0.3], [1.0]).motions["spindle"].hinge_motions["spindle"]
    np.testing.assert_allclose(by_nut.X[0, 0], -1.0 / 0.2, rtol=1e-12)
    np.testing.assert_allclose(by_nut.c, (math.cos(-1.5), math.sin(-1.5)), rtol=0.0, atol=1e-14)


def half_speed(lead: str) -> System:
    """Two arms about z, one of which turns half as fast: sin(α − 2β) = 0 of their directions."""
    system = System()
    for name, at in (("fast", 0.0), ("slow", 1.0)):
        add(system, name, "ground", Revolute(Z, (at, 0.0, 0.0)), np.array((at, 0.3, 0.0)))

    def off(see: ConstraintView) -> Scalar:
        (x, y, _), (c, s, _) = (see.direction(name, (1.0, 0.0, 0.0), "ground") for name in ("fast", "slow"))
        return y * (c * c - s * s) - x * (2.0 * c * s)

    system.constrain("half", ["ground", "fast", "slow"], off, independent=[lead])
    return system


def test_angle_that_is_back_after_two_turns_leads() -> None:
    embedding = embed(half_speed("fast"))
    for angle in (0.3, 0.3 + 2.0 * math.pi, 0.3 - 2.0 * math.pi, 0.3 + 20.0 * math.pi):
        found = moving(embedding, [angle], [1.0]).motions["fast"].hinge_motions["slow"]
        np.testing.assert_allclose(found.c, (math.cos(angle / 2), math.sin(angle / 2)), rtol=0.0, atol=1e-13)
        np.testing.assert_allclose(found.X[0, 0], 0.5, rtol=1e-13)
        assert found.q is not None
        np.testing.assert_allclose(found.q, (angle / 2,), rtol=1e-13)


# Independent coordinates chosen without being named


@pytest.mark.parametrize(
    ("build", "n_v"), [(lambda: four_bar(CRANK_ROCKER, 0.7, independent=()), 1), (lambda: five_bar(()), 2)]
)
def test_independent_coordinates_are_chosen(build: Callable[[], System], n_v: int) -> None:
    embedding = embed(build())
    assert embedding.n_v == n_v
    motion = moving(embedding, np.full(n_v, 0.05), np.ones(n_v))
    assert np.max(np.abs(stacked(motion, "X"))) < 20.0  # a poor choice would be near a dead centre
    assert_agrees(embedding, np.full(n_v, 0.05), np.ones(n_v), closed=1e-14)
