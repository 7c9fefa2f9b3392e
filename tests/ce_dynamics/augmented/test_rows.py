"""Constraint rows against finite differences of their residuals, at states that satisfy no constraint."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented.coupling_rows import impose_motion
from ce_dynamics.augmented.rows import ConstraintRows, JoinedPoints, joint_rows
from ce_dynamics.augmented.states import AT_REST, BodyState
from ce_dynamics.mechanism.drives import Prescribed
from ce_dynamics.mechanism.hinges import Distance, Hinge, Prismatic, Revolute, Screw
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.augmented.systems import KINDS, add_random_body, vector

H = 1e-3
# fourth-order central differences: truncation about H⁴ × sixth derivatives (angular velocities of order 2:
# 1e-12 × 2⁶ × the moments of positions of order 5), rounding 1e-15 / H for ġ and 1e-15 / H² for g̈
TOLERANCE_RATE, TOLERANCE_SECOND = 1e-9, 3e-8

States = Callable[[float], dict[str, BodyState]]


def coasting(names: list[str], rng: np.random.Generator) -> States:
    """Bodies in random poses with constant ω and v: no body is accelerated."""
    starts = {n: (Rotation.random(random_state=rng), vector(rng), vector(rng), vector(rng)) for n in names}

    def at(t: float) -> dict[str, BodyState]:
        states = {"ground": AT_REST}
        for name, (turn, r, w, v) in starts.items():
            states[name] = BodyState((Rotation.from_rotvec(w * t) * turn).as_matrix(), r + v * t, w, v)
        return states

    return at


def check(
    rows_at: Callable[[float], ConstraintRows], states: dict[str, BodyState], parent: str, child: str
) -> None:
    rows = rows_at(0.0)
    V_p, V_c = (np.concatenate((states[name].w, states[name].v)) for name in (parent, child))
    g = {k: rows_at(k * H).g for k in (-2, -1, 0, 1, 2)}
    rate = (8.0 * (g[1] - g[-1]) - (g[2] - g[-2])) / (12.0 * H)
    second = (16.0 * (g[1] + g[-1]) - (g[2] + g[-2]) - 30.0 * g[0]) / (12.0 * H**2)
    scale = 1.0 + np.max(np.abs(rows.gamma))
    analytic = rows.blocks[parent] @ V_p + rows.blocks[child] @ V_c + rows.drift
    np.testing.assert_allclose(analytic, rate, rtol=0, atol=TOLERANCE_RATE * scale)
    np.testing.assert_allclose(rows.gamma, second, rtol=0, atol=TOLERANCE_SECOND * scale)


@pytest.mark.parametrize("kind", [*(kind for kind in KINDS if kind != "Free"), "Distance"])
def test_rows_of_joints(kind: str, rng: np.random.Generator) -> None:
    system = System()
    a = add_random_body(system, "a", system.ground, "Free", rng)
    if kind == "Distance":
        b = add_random_body(system, "b", system.ground, "Free", rng)
        closure = Distance(vector(rng).tolist(), vector(rng).tolist())
        joint = JoinedPoints("rod", a, closure.at_parent, b, closure.at_child, closure.constraints)
    else:
        b = add_random_body(system, "b", a, kind, rng)
        joint = JoinedPoints("b", a, b.inboard.at_parent, b, b.inboard.at_child, b.inboard.constraints)
    states = coasting(["a", "b"], rng)
    check(lambda t: joint_rows(joint, states(t)), states(0.0), "a", "b")


@pytest.mark.parametrize("s", [0.4, -2.0, 3.0, 40.0])
@pytest.mark.parametrize("kind", ["Revolute", "Prismatic", "Screw", "Screw without pitch"])
def test_rows_of_prescribed_motion(kind: str, s: float, rng: np.random.Generator) -> None:
    system = System()
    a = add_random_body(system, "a", system.ground, "Free", rng)
    axis, at = vector(rng).tolist(), vector(rng).tolist()
    hinges: dict[str, Hinge] = {
        "Revolute": Revolute(axis, at), "Prismatic": Prismatic(axis, at), "Screw": Screw(axis, -0.4, at),
        "Screw without pitch": Screw(axis, 0.0, at),
    }  # fmt: skip
    b = system.add_body("b", mass=1.0, com=vector(rng), parent=a, hinge=hinges[kind])
    states = coasting(["a", "b"], rng)

    def motion(t: float) -> Prescribed:
        return Prescribed(s + 1.3 * t - 0.4 * t * t, 1.3 - 0.8 * t, -0.8)

    check(lambda t: impose_motion(b, states(t), motion(t)), states(0.0), "a", "b")


@pytest.mark.parametrize("s", [0.0, 1.5, 3.0, -3.1, 7.0])
def test_prescribed_angle_has_its_root_at_the_angle(s: float, rng: np.random.Generator) -> None:
    """With the hinge closed the residual is sin(angle − s), so it is zero at s and rises with slope one."""
    system = System()
    axis = vector(rng)
    axis /= np.linalg.norm(axis)
    at: Array = vector(rng)
    b = system.add_body(
        "b", mass=1.0, com=at, parent=system.ground, hinge=Revolute(axis.tolist(), at.tolist())
    )
    for angle in (s, s + 0.3, s - 1.2):
        state = BodyState(Rotation.from_rotvec(axis * angle).as_matrix(), at, np.zeros(3), np.zeros(3))
        rows = impose_motion(b, {"ground": AT_REST, "b": state}, Prescribed(s, 0.0, 0.0))
        np.testing.assert_allclose(rows.g, np.sin(angle - s), rtol=0, atol=1e-14)
