"""The spindle's rates by the paper's own 3×3 system (31)-(32)."""

import numpy as np
import pytest

from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.spindle import SpindleTieRod
from tests.kinematics.bench import bench
from tests.kinematics.registry import LINKAGES

EPS = np.finfo(float).eps
CORNERS = [name for name in LINKAGES if name.startswith(("front", "rear", "planar"))]


@pytest.mark.parametrize("name", CORNERS)
def test_rates_solve_the_papers_system(name: str) -> None:
    """J_EL [α̇, χ̇, ζ̇] = v_L − v_E: the columns are cross products of each hinge's axis with its own arm to L.

    v_E is the velocity of the upright's point that is at L now, as in (32); L itself moves with the steering.
    """
    b = bench(name)
    rng = np.random.default_rng(8)
    linkage = next(part for part in b.linkage.parts if isinstance(part, SpindleTieRod))  # type: ignore[attr-defined]
    for _ in range(10):
        state = b.sample(rng)
        motion = b.motion(state)
        recorded = motion.hinge_motions
        L = motion.point(linkage.anchor, linkage.L)
        K = motion.point(linkage.spindle, linkage.K)
        upright, spindle = motion.body(linkage.upright_link), motion.body(linkage.spindle)
        E = spindle.origin
        axis = upright.R @ linkage.spindle_hinge.axis
        rod = motion.hinge("tie_rod")
        e1, e2 = (spindle.R @ rod.H(recorded["tie_rod"].c)[:, :3].T).T
        J_EL = np.column_stack([np.cross(axis, L.r - E.r), np.cross(e1, L.r - K.r), np.cross(e2, L.r - K.r)])
        v_E = E.v + np.cross(upright.w_total, L.r - E.r)
        expected = np.linalg.solve(J_EL, L.v - v_E)
        found = np.concatenate([recorded[n].X @ state.v + recorded[n].eta for n in ("spindle", "tie_rod")])
        kappa = np.linalg.cond(J_EL)
        np.testing.assert_allclose(
            found, expected, rtol=0.0, atol=30 * EPS * kappa * (1 + np.abs(found).max())
        )


def test_refused_geometry() -> None:
    D, F = (0, 0, 0), (0, 0, 1)
    with pytest.raises(ModelError, match="points KL coincide"):
        SpindleTieRod(D, F, (1, 0, 0), (1, 0, 0))
    with pytest.raises(ModelError, match="points DF coincide"):
        SpindleTieRod(D, D, (1, 0, 0), (1, 1, 0))
    with pytest.raises(ModelError, match=r"point K at .* is on the axis"):
        SpindleTieRod(D, F, (0, 0, 0.5), (1, 1, 0))
    with pytest.raises(ModelError, match="dead point"):
        SpindleTieRod(D, F, (1, 0, 0), (2, 0, 0.3))
