"""Tables of branches: closed everywhere, however sharp the branch is, or refused."""

import math

import numpy as np
import pytest

from ce_dynamics.compiled.model import compile
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.numeric import branch_table
from ce_dynamics.embedding.numeric.branch_table import MOST_PIECES
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.errors import IndependentCoordinatesError, ModelError
from ce_dynamics.mechanism.hinges import Prismatic, Revolute, Spherical, Universal
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.closure_sampling import closure_errors_at
from tests.support.systems import Z, add, four_bar, swinging_lever

pytestmark = pytest.mark.usefixtures("by_newton")


def linkage_of(system: System) -> NumericLinkage:
    (S,) = embed(system).aggregates
    (linkage,) = S.linkages
    assert isinstance(linkage, NumericLinkage)
    return linkage


@pytest.mark.parametrize("h", [0.2, 0.005])
def test_slide_that_passes_a_pivot_turns_its_lever(h: float) -> None:
    """angle = atan2(h, x), which turns by half a turn within a few h of a reach of ten sizes each way.

    Rounding of 1e-16 m in the slide turns the lever by 1e-16 / h.
    """
    linkage = linkage_of(swinging_lever(h))
    reach = linkage.reach()
    assert reach is not None
    assert reach[0] < -9.9
    assert reach[1] > 9.9
    assert linkage.table.pieces <= MOST_PIECES
    embedding = embed(swinging_lever(h))
    far, near = np.linspace(reach[0], reach[1], 8000)[1:-1], -1.0 + 6.0 * h * np.linspace(-1.0, 1.0, 2000)
    x = np.concatenate((far, near))
    errors = closure_errors_at(embedding, x[:, np.newaxis])
    assert np.max(errors) < 1e-14  # NaN fails
    for value in near[::400].tolist():
        q = linkage.loop.split(linkage.table.evaluate(value))
        expected = math.atan2(h, 1.0 + value) - math.atan2(h, 1.0)
        assert abs(float(q["lever"][0]) - expected) < 1e-6  # of the table, before Newton's steps


@pytest.mark.parametrize("h", [0.5, 0.02])
def test_lever_parallel_to_its_rail_ends_before(h: float) -> None:
    """The slide is at h / tan φ, φ the lever's angle; it is followed to a hundred sizes and a step of 0.1.

    Rounding of the angle (to 4e-16) moves it by that times (h² + (h / tan φ)²) / h.
    """
    system = swinging_lever(h, "lever")
    linkage, embedding = linkage_of(system), embed(system)
    reach = linkage.reach()
    assert reach is not None
    at, size = math.atan2(h, 1.0), math.hypot(1.0, h)
    for end, sign in zip(reach, (1.0, -1.0), strict=True):
        out = sign * (h / math.tan(at + end) - 1.0)
        assert 100.0 * size < out < 100.11 * size
    q = np.linspace(*reach, 4000)[1:-1, np.newaxis]
    assert np.max(closure_errors_at(embedding, q)) < 1e-12
    for theta in q[::150]:
        slide = h / math.tan(at + float(theta[0]))
        outward = Outward(embedding, theta, np.zeros(1), {})
        found = outward.motions["slide"].hinge_motions["slide"].c
        np.testing.assert_allclose(found, slide - 1.0, rtol=0.0, atol=1e-14 + 1e-15 * slide**2 / h)
    outside = np.array([[reach[0] - 1e-9], [reach[1] + 1e-9]])
    with np.errstate(invalid="ignore"):
        assert np.all(np.isnan(closure_errors_at(embedding, outside)))
    assert "where 'slide' runs to infinity" in linkage.monitor().remedy


def test_branch_near_another_is_followed_past_it() -> None:
    """A parallelogram with a coupler 1e-4 too long turns until the coupler and the rocker are in line again.

    Its crank angle then has cos = (a² + d² − (b − c)²) / 2ad.
    """
    a, b, c, d = 0.5, 1.0001, 0.5, 1.0
    system = four_bar((a, b, c, d), 1.0)
    embedding = embed(system)
    reach = linkage_of(system).reach()
    assert reach is not None
    end = math.acos((a * a + d * d - (b - c) ** 2) / (2.0 * a * d))
    np.testing.assert_allclose(reach, (end - 1.0, 2.0 * math.pi - end - 1.0), rtol=0.0, atol=1e-9)
    q = np.linspace(reach[0], reach[1], 10_000)[1:-1, np.newaxis]
    assert np.max(closure_errors_at(embedding, q)) < 1e-13


def test_too_sharp_branch_is_refused_with_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branch_table, "MOST_PIECES", 8)
    linkage = linkage_of(swinging_lever(0.005))
    with pytest.raises(IndependentCoordinatesError, match=r"led by 'slide' it is too sharp .*'lever'"):
        _ = linkage.table


def cylinder_on_a_barrel(beside: float, through: bool) -> System:
    """A cylinder turns a lever in a plane; its barrel, on a universal hinge, is a little beside that.

    The first axis of the universal hinge lies in the plane.
    """
    base, eye = np.array((0.0, -0.3, 0.0)), np.array((1.0, 0.2, beside))
    system = System(gravity=(0.0, -9.81, 0.0))
    add(system, "lever", "ground", Revolute(Z, (0.0, 0.0, 0.0)), 0.5 * eye)
    add(system, "barrel", "ground", Universal((1.0, 0.0, 0.0), Z, base), 0.7 * base + 0.3 * eye)
    add(system, "rod", "barrel", Prismatic(eye - base, base), 0.2 * base + 0.8 * eye)
    leading = () if through else ("rod",)
    system.close_loop("eye", "rod", "lever", Spherical(eye), leading, through_dead_centres=through)
    return system


@pytest.mark.parametrize("through", [False, True])
def test_gimbal_pose_that_is_passed_closely_is_named(through: bool) -> None:
    """0.496 rad of the lever would bring the cylinder within 5e-7 of the universal hinge's first axis."""
    expected = r"too sharp.* the Universal of 'barrel' comes near a gimbal pose .* its axis1"
    with pytest.raises((IndependentCoordinatesError, ModelError), match=expected):
        compile(cylinder_on_a_barrel(5e-7, through))
