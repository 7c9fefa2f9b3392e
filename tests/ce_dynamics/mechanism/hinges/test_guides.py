"""Points on lines and in planes as closures: what they leave free, and what they refuse."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.mechanism.hinges.conditions import JointEnd

AXIS = np.array((1.0, 2.0, -0.5)) / np.linalg.norm((1.0, 2.0, -0.5))
AT = np.array((0.3, -0.2, 0.7))


def residual(closure: ce.PointOnLine | ce.PointOnPlane, moved: np.ndarray) -> np.ndarray:
    """Return the residual of the child's point, moved away from the parent's, which does not turn."""
    p, c = JointEnd(np.eye(3), closure.at_parent), JointEnd(np.eye(3), closure.at_child + moved)
    return np.concatenate([condition.residual(p, c) for condition in closure.constraints])


def test_point_on_line_may_slide_along_it_only() -> None:
    line = ce.PointOnLine(3.0 * AXIS, AT)
    assert residual(line, 0.4 * AXIS) == pytest.approx(np.zeros(2), abs=1e-15)
    off = np.cross(AXIS, (0.0, 0.0, 1.0))
    assert np.linalg.norm(residual(line, 0.1 * off)) == pytest.approx(0.1 * np.linalg.norm(off), rel=1e-14)


def test_point_on_a_plane_may_not_leave_it() -> None:
    plane = ce.PointOnPlane(3.0 * AXIS, AT)
    assert residual(plane, np.cross(AXIS, (1.0, 0.0, 0.0))) == pytest.approx(np.zeros(1), abs=1e-15)
    assert residual(plane, -0.2 * AXIS) == pytest.approx([-0.2], rel=1e-14)


@pytest.mark.parametrize(("kind", "name"), [(ce.PointOnLine, "axis"), (ce.PointOnPlane, "normal")])
def test_refused(kind: type[ce.PointOnLine | ce.PointOnPlane], name: str) -> None:
    with pytest.raises(ce.ModelError, match=f"{kind.__name__}: {name}"):
        kind((0.0, 0.0, 0.0))


def bead_on_arm(substeps: int | None = None) -> ce.System:
    """A pendulum whose tip runs in a plane of a second one and at a distance from a third."""
    s = ce.System()
    y = (0.0, 1.0, 0.0)
    for name, x in (("one", 0.0), ("two", 0.6)):
        hinge = ce.Universal(y, (1.0, 0.0, 0.3), (x, 0.0, 0.0))
        s.add_body(
            name, mass=1.0, com=(x + 0.1, 0.0, -0.5), inertia=(0.1, 0.1, 0.1), parent=s.ground, hinge=hinge
        )
    s.close_loop(
        "guide", "two", "one", ce.PointOnPlane((1.0, 0.2, 0.1), (0.3, 0.0, -0.8)), ["one"], substeps=substeps
    )
    s.close_loop("rod", "two", "one", ce.Distance((0.6, 0.0, -1.0), (0.1, 0.2, -1.0)), substeps=substeps)
    return s


def test_fewer_substeps_cost_less_and_find_the_same() -> None:
    """Two parameters near the design pose; twelve steps are the default."""
    models = [ce.compile(bead_on_arm(substeps)) for substeps in (2, None, 12)]
    q, v = [0.2, -0.15], [0.5, 0.3]
    few, default, twelve = (model.accelerations(q, v) for model in models)
    assert few == pytest.approx(default, rel=1e-11)
    assert np.array_equal(default, twelve)
    sizes = [model.trace_dynamics().n_instructions for model in models]
    assert sizes[0] < 0.6 * sizes[1] == 0.6 * sizes[2]


@pytest.mark.parametrize("wrong", [0, -3, 2.5, "three"])
def test_substeps_are_whole_numbers(wrong: object) -> None:
    with pytest.raises(ce.ModelError, match=r"closure 'guide': substeps .* must be an integer, 1 or more"):
        bead_on_arm(wrong)  # type: ignore[arg-type]
