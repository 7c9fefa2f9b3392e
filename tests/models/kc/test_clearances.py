"""Clearances: distances against bounded least squares, derivatives against differences, optima on them."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize, minimize_scalar

from ce_dynamics.errors import DataError
from ce_dynamics.models import kc
from ce_dynamics.models.kc.clearances import Clearances, nearest_of_row, nearest_of_segments, nearest_points
from ce_dynamics.models.kc.optimisation import Targets
from ce_dynamics.models.vehicles.description import VehicleParameters

VARIED = ("front.L.y", "front.L.z")
TRAVEL = np.linspace(-0.06, 0.06, 7)


@pytest.fixture(scope="module")
def data() -> VehicleParameters:
    return VehicleParameters.load("sedan", free=VARIED)


@pytest.fixture(scope="module")
def rig(data: VehicleParameters) -> kc.KCRig:
    return kc.rig_of(data, "front")


def test_nearest_points_of_segments() -> None:
    """|a + s u − c − t v|² over 0 ≤ s, t ≤ 1 by SciPy; crossing, parallel and collinear ones, points."""
    rng = np.random.default_rng(1)
    ends = [rng.normal(size=(4, 3)) for _ in range(40)]
    x, y = np.eye(3)[:2]
    ends += [
        np.array(e) for e in ((0 * x, x, y, x + y), (0 * x, x, 2 * x, 3 * x), (x, x, y, 2 * y), (x, x, y, y))
    ]
    ends += [np.array((0 * x, x, 0.4 * x - y, 0.4 * x + y))]
    for a, b, c, d in ends:
        s, t = nearest_of_segments(a, b, c, d)
        least = lsq_linear(np.stack((b - a, c - d), axis=1), c - a, (0.0, 1.0), method="bvls", tol=1e-14)
        found = np.linalg.norm(a + s * (b - a) - c - t * (d - c))
        assert 0.0 <= s <= 1.0
        assert 0.0 <= t <= 1.0
        assert found == pytest.approx(np.sqrt(2.0 * least.cost), abs=1e-9)


def test_nearest_of_rows_is_nearest_of_all_pieces() -> None:
    rng = np.random.default_rng(2)
    one, other = rng.normal(size=(4, 3)), rng.normal(size=(3, 3)) + 1.0
    near = nearest_points(one, other)
    best = np.inf
    for (a, b), (c, d) in itertools.product(itertools.pairwise(one), itertools.pairwise(other)):
        s, t = nearest_of_segments(a, b, c, d)
        best = min(best, float(np.linalg.norm(a + s * (b - a) - c - t * (d - c))))
    gap = near.weights_one @ one - near.weights_other @ other
    assert np.linalg.norm(gap) == pytest.approx(best, rel=1e-14)
    assert near.weights_one.sum() == pytest.approx(1.0)


def test_nearest_points_of_a_disc_and_a_row() -> None:
    """Against a search over the piece and the disc's area by SciPy, 1e-8 of which is what it ends with."""
    rng = np.random.default_rng(5)
    for _ in range(12):
        disc = kc.Disc("x", rng.normal(size=3), rng.normal(size=3), rng.uniform(0.2, 1.0))
        corners, row = np.array(disc.points, dtype=float), 1.5 * rng.normal(size=(3, 3))
        one, other = nearest_of_row(corners, row)
        assert np.hypot(*one[1:]) <= 1.0 + 1e-15
        assert np.isclose(np.sum(other), 1.0)
        found = np.linalg.norm(one @ corners - other @ row)
        C, P, Q = corners

        def distance(x: Any, a: Any, b: Any, C: Any = C, P: Any = P, Q: Any = Q) -> float:
            s, r, angle = x
            on_disc = C + r * (np.cos(angle) * (P - C) + np.sin(angle) * (Q - C))
            return float(np.linalg.norm(a + s * (b - a) - on_disc))

        best = min(
            minimize(distance, (0.5, 0.7, start), (a, b), bounds=((0, 1), (0, 1), (-9, 9)), tol=1e-14).fun
            for a, b in itertools.pairwise(row)
            for start in (0.0, 2.0, 4.0)
        )
        assert found == pytest.approx(best, abs=1e-6)
        assert found <= best + 1e-9


def test_a_disc_keeps_its_distance_from_a_rod(rig: kc.KCRig, data: VehicleParameters) -> None:
    """The brake disc against the lower arm: derivatives against differences, as of rods."""
    W = kc.hardpoint(data, "front_left.W") - np.array((0.0, 0.06, 0.0))
    disc = kc.Disc("front_left.spindle", W, (0, 1, 0), 0.14, 0.012)
    clearance = kc.Clearance("disc", disc, parts(data)[1], 0.0, values=TRAVEL)
    of, h = Clearances(rig, [clearance]), 1e-4
    here = of.at(0, rig.solve_poses(clearance.poses().travel))
    for k, name in enumerate(rig.parameters):
        up, down = (
            of.at(0, rig.solve_poses(clearance.poses().travel, 0.0, {name: rig.nominal[name] + step})).values
            for step in (h, -h)
        )
        np.testing.assert_allclose(here.by_parameters[:, k], (up - down) / (2 * h), atol=2e-6)
    with pytest.raises(DataError, match="two discs"):
        kc.Clearance("both", disc, disc, 0.0)
    with pytest.raises(DataError, match="no length"):
        kc.Disc("x", (0, 0, 0), (0, 0, 0), 0.1)


def parts(data: VehicleParameters) -> tuple[kc.Part, kc.Part]:
    """The tie rod, and the lower arm from its front pivot over the ball joint to the rear one."""
    K, L, D = (kc.hardpoint(data, f"front_left.{name}") for name in "KLD")
    arm = [kc.hardpoint(data, f"front_left.lower_arm.{end}_pivot") for end in ("front", "rear")]
    rod = kc.Part(("front_left.spindle", "steering.rack"), (K, L), 0.012)
    return rod, kc.Part("front_left.lower_arm", (arm[0], D, arm[1]), 0.02)


def test_derivatives_against_differences(rig: kc.KCRig, data: VehicleParameters) -> None:
    """Central differences over 0.1 mm: (1e-4/0.1)² of a derivative of size one."""
    clearance = kc.Clearance("rod", *parts(data), 0.0, values=TRAVEL)
    sweep = clearance.poses()
    of = Clearances(rig, [clearance])

    def distances(**change: float) -> Any:
        values = {name: rig.nominal[name] + change.get(name[-1], 0.0) for name in VARIED}
        return of.at(0, rig.solve_poses(sweep.travel, 0.0, values))

    here, h = distances(), 1e-4
    assert np.ptp(here.values) > 1e-3
    for k, name in enumerate(rig.parameters):
        differences = (distances(**{name[-1]: h}).values - distances(**{name[-1]: -h}).values) / (2 * h)
        np.testing.assert_allclose(here.by_parameters[:, k], differences, atol=2e-6)


def test_clearance_is_kept_and_best_on_it_found(rig: kc.KCRig, data: VehicleParameters) -> None:
    """The rod's inner end must stay 30 mm from a point of the chassis: the best place on that circle.

    Compared with a search along the circle that knows neither derivatives nor multipliers.
    """
    targets = [kc.Target("toe_angle", 0.0, 1e-3, values=TRAVEL)]
    bounds = {"front.L.y": (0.36, 0.50), "front.L.z": (-0.16, -0.03)}
    free = kc.optimise(rig, bounds, targets)
    ball = kc.Part("steering.rack", [kc.hardpoint(data, "front_left.L")])
    at = np.array([free.parameters[name] for name in VARIED])
    start = np.array([rig.nominal[name] for name in VARIED])
    centre = at + 0.2 * (at - start)  # the free optimum is 10 mm or so from it
    place = np.asarray(kc.hardpoint(data, "front_left.L")).astype(object)
    place = np.array([float(getattr(x, "value", x)) for x in place])
    origin = place[1:] - start
    obstacle = kc.Part("chassis", [np.array((place[0], *(origin + centre)))])
    keep = kc.Clearance("obstacle", ball, obstacle, 0.03)
    found = kc.optimise(rig, bounds, targets, clearances=[keep])
    assert found.converged
    assert found.clearances["obstacle"] == pytest.approx(0.03, abs=1.1e-9)
    assert found.after[0] > free.after[0]
    assert "obstacle" in str(found)
    of = Targets(rig, targets, list(VARIED))

    def cost(angle: float) -> float:
        y, z = centre + 0.03 * np.array((np.cos(angle), np.sin(angle)))
        if not (0.36 <= y <= 0.50 and -0.16 <= z <= -0.03):
            return 1e6
        return float(np.sum(of.at(dict(zip(VARIED, (y, z), strict=True))).r ** 2))

    here = np.array([found.parameters[name] for name in VARIED]) - centre
    mine = float(np.arctan2(here[1], here[0]))
    least = minimize_scalar(cost, bounds=(mine - 0.3, mine + 0.3), method="bounded", options={"xatol": 1e-9})
    assert cost(mine) <= least.fun * (1.0 + 1e-6)
    assert least.x == pytest.approx(mine, abs=1e-4)


def test_what_cannot_be_kept_is_named(rig: kc.KCRig, data: VehicleParameters) -> None:
    ball = kc.Part("steering.rack", [kc.hardpoint(data, "front_left.L")])
    far = kc.Clearance("far", ball, kc.Part("chassis", [(0.0, 0.0, 0.0)]), 9.0)
    target = kc.Target("toe_angle", 0.0, 1e-3, values=TRAVEL)
    found = kc.optimise(rig, {"front.L.z": (-0.12, -0.06)}, [target], clearances=[far])
    assert not found.converged
    assert "clearance far" in found.message


def test_mistakes_are_named(rig: kc.KCRig, data: VehicleParameters) -> None:
    point = kc.Part("chassis", [(0.0, 0.0, 0.0)])
    for wrong, words in (
        (lambda: kc.Part("chassis", []), "none is given"),
        (lambda: kc.Part("chassis", [(0.0, np.nan, 0.0)]), "finite"),
        (lambda: kc.Part("chassis", [(0.0, 0.0, 0.0)], -1.0), "radius"),
        (lambda: kc.Part(("chassis", "steering.rack"), [(0.0, 0.0, 0.0)]), "2 bodies for 1 points"),
        (lambda: kc.Clearance("same", point, point, 0.1), "name two bodies"),
        (lambda: Clearances(rig, [kc.Clearance("x", point, kc.Part("boat", [(0, 0, 1)]), 0.1)]), "boat"),
        (lambda: kc.hardpoint(data, "front_left.Q"), "is no hardpoint"),
        (lambda: kc.hardpoint(data, "front_left.origin"), "is no hardpoint"),
        (lambda: kc.hardpoint(data, "middle.D"), "middle"),
    ):
        with pytest.raises(DataError, match=words):
            wrong()
