"""The spatial corner: its planar special case, its optional parts, what it refuses."""

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import array, zeros
from ce_dynamics.compiler import trace
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.base import ClosedForm, make_bodies
from ce_dynamics.kinematics.double_wishbone import (
    DoubleWishbone,
    DoubleWishboneBodies,
    DoubleWishbonePoints,
    planar_double_wishbone,
)
from ce_dynamics.mechanism.hinges.revolute import Revolute
from tests.kinematics.bench import Bench, BenchState, bench
from tests.kinematics.registry import FRONT, TILT, flattened, turned
from tests.support import count_operations

EPS = np.finfo(float).eps


def solved(linkage: ClosedForm, theta: float, rate: float) -> SubgraphMotion:
    bodies = make_bodies(linkage.joints())
    motion = SubgraphMotion(bodies[0].carrier, bodies, array((rate,)))
    motion.independent("lower_arm", array((theta,)), slice(0, 1))
    linkage.solve(motion)
    return motion


@pytest.mark.parametrize("skew", [False, True])
def test_the_planar_corner_is_a_special_case(skew: bool) -> None:
    """Two derivations, two spanning trees, two sets of hinges: the same motion of every body."""
    points = flattened(FRONT)
    if skew:
        points = turned(points, TILT)
    planar, spatial = planar_double_wishbone(points), DoubleWishbone(points)
    assert planar.determines != spatial.determines
    p = {name: np.asarray(point) for name, point in vars(points).items()}
    aside = np.array((0.1, 0.2, -0.3))
    # Three points of a body whose pose the loops determine; two of one whose spin about its own line is a
    # matter of the hinge that carries it.
    same = {
        "upper_arm": (p["G1"], p["F"], p["F"] + aside), "upright_link": (p["D"], p["F"]),
        "spindle": (p["D"], p["K"], p["K"] + aside), "tie_rod": (p["K"], p["L"]),
        "shock_lower": (p["B"], p["J"]), "shock_upper": (p["B"], p["J"]),
    }  # fmt: skip
    for theta in np.linspace(-0.4, 0.35, 16):
        one, other = solved(planar, theta, 1.4), solved(spatial, theta, 1.4)
        for name, points_of_body in same.items():
            for at in points_of_body:
                a, b = one.point(name, np.asarray(at)), other.point(name, np.asarray(at))
                np.testing.assert_allclose(a.r, b.r, rtol=0.0, atol=50 * EPS)
                np.testing.assert_allclose(a.J, b.J, rtol=0.0, atol=400 * EPS)
                np.testing.assert_allclose(a.a, b.a, rtol=0.0, atol=8000 * EPS)


def test_mirrored_corners_move_as_mirror_images() -> None:
    left, right = bench("rear left"), bench("rear right")
    mirror = np.array((1.0, -1.0, 1.0))
    for theta in (-0.3, 0.2, 0.35):
        one = left.motion(BenchState(np.array((theta,)), np.ones(1), zeros(3)))
        other = right.motion(BenchState(np.array((-theta,)), -np.ones(1), zeros(3)))
        for name in left.dependents:
            a, b = one.body(name).origin, other.body(name).origin
            np.testing.assert_allclose(mirror * a.r, b.r, rtol=0.0, atol=20 * EPS)
            np.testing.assert_allclose(mirror * a.v, b.v, rtol=0.0, atol=200 * EPS)
            np.testing.assert_allclose(mirror * a.a, b.a, rtol=0.0, atol=4000 * EPS)


def test_optional_parts() -> None:
    arms = {name: getattr(FRONT, name) for name in ("A1", "A2", "G1", "G2", "D", "F")}
    bare = DoubleWishbone(DoubleWishbonePoints(**arms))
    assert bare.determines == ("upper_arm", "upright_link")
    assert set(bare.hinges()) == {"lower_arm", "upper_arm", "upright_link"}
    full, with_shock = (
        DoubleWishbone(FRONT),
        DoubleWishbone(DoubleWishbonePoints(**arms, B=FRONT.B, J=FRONT.J)),
    )
    assert with_shock.determines == ("upper_arm", "upright_link", "shock_lower", "shock_upper")
    assert len(full.closes) == 3
    upper = solved(bare, 0.2, 1.0).body("upper_arm")
    np.testing.assert_array_equal(upper.R, solved(full, 0.2, 1.0).body("upper_arm").R)


def test_prefix_and_helper_name_the_same_hinges() -> None:
    bodies = DoubleWishboneBodies.with_prefix("FL_", steering="link")
    assert set(DoubleWishbone(FRONT, bodies).hinges()) == {
        "FL_lower_arm", "FL_upper_arm", "FL_upright_link", "FL_spindle",
        "FL_tie_rod", "FL_shock_lower", "FL_shock_upper",
    }  # fmt: skip
    cuts = DoubleWishbone(FRONT, bodies).cuts()
    assert [(cut.body_a, cut.body_b) for cut in cuts] == [
        ("FL_upper_arm", "FL_upright_link"),
        ("FL_tie_rod", "link"),
        ("FL_shock_upper", "chassis"),
    ]


def test_a_body_with_another_hinge_is_refused() -> None:
    linkage = DoubleWishbone(FRONT)
    joints = [
        joint._replace(hinge=Revolute((1.0, 0.0, 0.0), joint.hinge.at.tolist()))
        if joint.body == "upper_arm"
        else joint
        for joint in linkage.joints()
    ]
    bodies = make_bodies(joints)
    motion = SubgraphMotion(bodies[0].carrier, bodies, array((0.0,)))
    motion.independent("lower_arm", array((0.0,)), slice(0, 1))
    with pytest.raises(
        ModelError, match=r"'upper_arm': its hinge Revolute.* add the body with linkage.hinges"
    ):
        linkage.solve(motion)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A2": FRONT.A1}, "points A1 A2 coincide"),
        ({"F": FRONT.D}, "points FD coincide"),
        ({"F": FRONT.G1}, "point F at .* is on the axis"),
        ({"K": None}, "give both points K and L, or neither"),
        ({"J": FRONT.B}, "points BJ coincide"),
        ({"D": (0.0, float("inf"), 0.0)}, "point D"),
    ],
)
def test_refused_hardpoints(change: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        DoubleWishbone(DoubleWishbonePoints(**{**vars(FRONT), **change}))


def test_planar_corner_refuses_arms_that_are_not_parallel() -> None:
    with pytest.raises(ModelError, match="use DoubleWishbone for arms whose axes are not parallel"):
        planar_double_wishbone(FRONT)


@pytest.mark.parametrize("name", ["rear left", "front right", "spindle"])
def test_rotations_of_linkages_are_those_of_hinges(name: str) -> None:
    b = bench(name)
    rng = np.random.default_rng(1)
    for _ in range(5):
        motion = b.motion(b.sample(rng))
        known = [n for n, hinge in motion.hinge_motions.items() if hinge.directions is not None]
        assert known
        for body in known:
            hinge = motion.hinge_motions[body]
            expected = motion.carrier(body).R @ motion.hinge(body).pose(hinge.c)[0]
            # products of a few rotations, whose angles carry the rounding of the linkage's square roots
            assert hinge.directions is not None
            np.testing.assert_allclose(hinge.directions.R, expected, rtol=0.0, atol=1e-13)


def traced(b: Bench) -> object:
    def hinge_motions(q: np.ndarray, v: np.ndarray, s: np.ndarray) -> dict[str, object]:
        recorded = b.motion(BenchState(q, v, s)).hinge_motions
        return {f"{name} {k}": part for name in b.dependents for k, part in enumerate(recorded[name][:4])}

    return trace("corner", hinge_motions, {"q": b.N, "v": b.N, "s": 3})


@pytest.mark.parametrize("name", ["rear left", "front right", "planar double wishbone", "spindle"])
def test_the_traced_linkage_is_the_plain_one(name: str) -> None:
    """The same source on traced scalars; the closed forms of a corner stay near a thousand instructions."""
    b = bench(name)
    function = traced(b)
    if name == "rear left":
        assert function.n_instructions <= 1000  # type: ignore[attr-defined]
        counted = count_operations(function)  # type: ignore[arg-type]
        assert not {"sin", "cos", "atan2", "acos"} & set(counted) - {"sin", "cos"}
        assert counted["cos"] == counted["sin"] == 1
    rng = np.random.default_rng(0)
    for _ in range(3):
        state = b.sample(rng)
        found = function.evaluate(q=state.q, v=state.v, s=state.s)  # type: ignore[attr-defined]
        recorded = b.motion(state).hinge_motions
        for dependent in b.dependents:
            for k, part in enumerate(recorded[dependent][:4]):
                scale = 1.0 + np.abs(part).max()
                np.testing.assert_allclose(found[f"{dependent} {k}"], part, rtol=0.0, atol=100 * EPS * scale)
