"""MacPherson struts beside the one of the registry: plain, degenerate, refused."""

from typing import Any

import numpy as np
import pytest

from ce_dynamics.errors import ModelError, SingularConfigurationError
from ce_dynamics.kinematics.checking import check_linkage
from ce_dynamics.kinematics.strut import StrutLoop
from tests.kinematics.registry import strut

POINTS: dict[str, Any] = {
    "A1": (-0.3, 0.36, 0.01), "A2": (0.02, 0.35, 0.0), "D": (0.0, 0.77, -0.05), "F": (-0.03, 0.6, 0.72),
    "S": (-0.005, 0.69, 0.22), "K": (-0.15, 0.77, 0.15), "L": (-0.2, 0.35, 0.18),
}  # fmt: skip


@pytest.mark.parametrize("d", [1.0, 0.0, -1.0, 1e-4])
def test_struts_that_pass_the_ball_joint_anywhere(d: float) -> None:
    """On either side of it, through it and nearly so: errors in units of what rounding explains."""
    case = strut(np.eye(3), False, d)
    errors = check_linkage(case.linkage, {"lower_arm": (-0.25, 0.25)})
    assert max(vars(errors).values()) < 1.0


def test_refused() -> None:
    D, F = (np.array(POINTS[name]) for name in "DF")
    u = np.cross(F - D, (1.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="the strut is perpendicular to DF"):
        StrutLoop(**POINTS | {"S": tuple(F + u)})
    with pytest.raises(ModelError, match="points SF coincide"):
        StrutLoop(**POINTS | {"S": POINTS["F"]})
    with pytest.raises(SingularConfigurationError, match="lie in one plane in the design pose"):
        StrutLoop(**POINTS | {"L": tuple(np.array(POINTS["K"]) + 0.3 * (np.array(POINTS["K"]) - D))})
    with pytest.raises(ModelError, match=r"point D at .* is on the axis"):
        StrutLoop(**POINTS | {"D": tuple(0.5 * (np.array(POINTS["A1"]) + POINTS["A2"]))})
