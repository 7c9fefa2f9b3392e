"""Admissible ranges: their ends, what happens close to them and beyond."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ce_dynamics.kinematics.base import pose
from ce_dynamics.kinematics.four_bar import FourBar
from tests.kinematics.bench import BenchState, bench
from tests.kinematics.registry import FOLLOWERS, LINKAGES
from tests.kinematics.test_against_loop_equations import EPS, errors

Z = (0.0, 0.0, 1.0)
ALONE = [name for name in LINKAGES if name not in FOLLOWERS]
LIMITED = [name for name in ALONE if not name.startswith("four-bar")]
PITMAN = "Pitman steering"  # its range ends at change points, which can be passed


def at(name: str, theta: float, rate: float = 1.0) -> BenchState:
    return BenchState(np.array((theta,)), np.array((rate,)), np.zeros(3))


def finite(name: str, theta: float) -> bool:
    b = bench(name)
    with np.errstate(invalid="ignore"):
        motion = b.motion(at(name, theta))
    return all(bool(np.all(np.isfinite(motion.body(n).R))) for n in b.linkage.determines)


def planar(points: tuple[tuple[float, float], ...]) -> FourBar:
    A, D, F, G = ((*p, 0.0) for p in points)
    return FourBar(A, D, F, G, Z)


@pytest.mark.parametrize(
    "points",
    [
        ((0.0, 0.0), (0.9, 0.5), (1.3, 0.6), (1.0, 0.0)),  # limited on both sides of θ > 0
        ((0.0, 0.0), (0.5, 0.9), (1.4, 0.2), (1.0, 0.0)),
        ((0.0, 0.0), (0.9, -0.5), (1.3, -0.6), (1.0, 0.0)),  # the first, mirrored
    ],
)
def test_reach_of_a_four_bar(points: tuple[tuple[float, float], ...]) -> None:
    """Its diagonal GD lies between |c − d| and c + d: an arc cosine gives the ends of the range."""
    A, D, F, G = map(np.array, points)
    a, b, c, d = (float(np.linalg.norm(p - q)) for p, q in ((A, G), (D, A), (F, D), (F, G)))
    x, y = (A - G) / a, np.array((-(A - G)[1], (A - G)[0])) / a
    theta_0 = math.atan2(y @ (D - A), x @ (D - A))
    far, near = (((c + s * d) ** 2 - a * a - b * b) / (2 * a * b) for s in (1, -1))
    smallest = math.acos(far) if far < 1.0 else 0.0
    largest = math.acos(near) if near > -1.0 else math.pi
    magnitude = abs(theta_0)
    up = largest - magnitude if largest < math.pi else 2 * math.pi - smallest - magnitude
    down = magnitude - smallest if smallest > 0.0 else largest + magnitude
    if theta_0 < 0.0:
        up, down = down, up
    reach = planar(points).reach()
    assert reach is not None
    assert min(up, down) > 0.05
    # where the square root vanishes its argument is known to some ulps, and its slope is of order 1
    np.testing.assert_allclose(reach, (-down, up), rtol=0.0, atol=1e-14)


def test_a_crank_that_turns_fully_has_infinite_reach() -> None:
    assert bench("four-bar").linkage.reach() == (-math.inf, math.inf)


def test_a_parallelogram_ends_at_its_change_points() -> None:
    """There all points are in line and the other branch, the antiparallelogram, is as good."""
    reach = planar(((0.0, 0.0), (0.0, 1.0), (2.0, 1.0), (2.0, 0.0))).reach()
    # the margin vanishes linearly, but is known as the square root of a difference: to sqrt(eps)
    assert reach is not None
    np.testing.assert_allclose(reach, (-math.pi / 2, math.pi / 2), rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("name", LIMITED)
def test_finite_inside_and_nan_outside(name: str) -> None:
    reach = bench(name).linkage.reach()
    assert reach is not None
    if name.startswith("strut"):
        assert reach[0] < -0.5 < 0.5 < reach[1] < math.pi
    for end in reach:
        for distance in (1e-3, 1e-6, 1e-9, 1e-12):
            if name != PITMAN:
                assert finite(name, end - math.copysign(distance, end))
                assert not finite(name, end + math.copysign(distance, end))
            elif distance > 1e-7:
                assert finite(name, end - math.copysign(distance, end))


@pytest.mark.parametrize("name", [name for name in LIMITED if name != PITMAN])
def test_nan_reaches_velocities_and_accelerations(name: str) -> None:
    """A caller who looks only at accelerations must not be given numbers that mean nothing."""
    b = bench(name)
    lower, upper = b.linkage.reach() or (0.0, 0.0)
    for theta in (lower - 0.01, upper + 0.01):
        motion = b.motion(at(name, theta))
        bodies = [motion.body(n) for n in b.linkage.determines]
        lost = [body for body in bodies if np.isnan(body.R).any()]
        assert lost
        assert all(np.isnan(body.w).any() and np.isnan(body.alpha).any() for body in lost)


@pytest.mark.parametrize(
    "name", [PITMAN, "wishbone loop", "planar double wishbone", "front left", "rear right"]
)
def test_errors_close_to_the_ends(name: str) -> None:
    """At the distance ε from an end the margin w, and with it 1/κ, is as sqrt(ε).

    Positions lose κ ulps, X (itself of the size κ) κ² and more for what it is multiplied with, the bias κ³.
    """
    b = bench(name)
    reach = b.linkage.reach()
    assert reach is not None
    for end in reach:
        for epsilon in (1e-3, 1e-6):
            theta = end - math.copysign(epsilon, end)
            found, exact = errors(b, at(name, theta))
            w = b.linkage.margin(b.motion(at(name, theta)))
            kappa = exact.condition
            assert kappa < 1e3 / w
            largest = max(1.0, float(np.abs(exact.X).max()))
            assert found["q"] <= 20 * EPS * kappa, (end, epsilon, found, w)
            assert found["X"] <= 20 * EPS * kappa**2 * largest, (end, epsilon, found, w)
            assert found["bias"] <= 40 * EPS * kappa**3 * largest**2, (end, epsilon, found, w)


@pytest.mark.parametrize("name", ALONE)
def test_the_branch_is_continuous(name: str) -> None:
    """Neighbouring samples are finite and differ by no more than the largest rate between them allows."""
    b = bench(name)
    reach = b.linkage.reach()
    assert reach is not None
    lower, upper = (max(reach[0], -math.pi), min(reach[1], math.pi))
    span = upper - lower
    # denser towards the ends, where rates grow as the inverse square root of the distance
    thetas = lower + span * 0.5 * (1.0 - np.cos(np.linspace(0.02, math.pi - 0.02, 120)))
    motions = [b.motion(at(name, theta)) for theta in thetas]
    c = np.array([np.concatenate([m.hinge_motions[n].c for n in b.dependents]) for m in motions])
    X = np.array([np.abs(b.stack(m, "X")).max() for m in motions])
    allowed = 1.5 * np.maximum(X[1:], X[:-1]) * np.diff(thetas)
    jumps = np.abs(np.diff(c, axis=0)).max(axis=1)
    assert np.all(jumps <= allowed + 1e-12), float((jumps / allowed).max())


def test_the_two_branches_of_a_four_bar() -> None:
    """The same bars assembled the other way round stay mirror images of each other about GD."""
    A, D, F, G = (0.0, 0.0), (0.2, 0.3), (1.1, 0.8), (1.2, -0.1)
    gd, gf = np.subtract(D, G), np.subtract(F, G)
    mirrored = np.array(G) + 2 * gd * (gd @ gf) / (gd @ gd) - gf
    one, two = planar((A, D, F, G)), planar((A, D, tuple(mirrored), G))
    assert one.loop.branch == -two.loop.branch
    for theta in np.linspace(-3.0, 3.0, 13):
        c, s = math.cos(theta), math.sin(theta)
        tip = np.array((c * D[0] - s * D[1], s * D[0] + c * D[1])) - np.array(G)
        ends = []
        for linkage in (one, two):
            motion = pose(linkage, "crank", theta)
            ends.append(motion.point("coupler", linkage.loop.F).r[:2] - np.array(G))
        reflected = 2 * tip * (tip @ ends[0]) / (tip @ tip) - ends[0]
        np.testing.assert_allclose(ends[1], reflected, rtol=0.0, atol=1e-14)


def test_hmmwv_ends_where_its_upper_arm_is_stretched() -> None:
    """In the plane across the upper arm's axis F is then in line with the axis and D."""
    b = bench("front left")
    loop = b.linkage.parts[0]  # type: ignore[attr-defined]
    upper = (b.linkage.reach() or (0.0, 0.0))[1]
    lower_hinge, upper_hinge = loop.lower_hinge, loop.upper_hinge
    arm = Rotation.from_rotvec(upper * lower_hinge.axis).apply(loop.D - lower_hinge.at)
    delta, f = lower_hinge.at + arm - upper_hinge.at, loop.F - upper_hinge.at
    n = upper_hinge.axis
    radii = np.linalg.norm(np.cross(n, delta)), np.linalg.norm(np.cross(n, f))
    across = np.sqrt(np.linalg.norm(loop.F - loop.D) ** 2 - (n @ (f - delta)) ** 2)
    ends = np.abs((radii[0] + radii[1] - across, abs(radii[0] - radii[1]) - across))
    # one triangle inequality becomes an equality: lengths of order 1 m known to some ulps
    assert ends.min() <= 5e-15
    assert ends.max() > 0.1
