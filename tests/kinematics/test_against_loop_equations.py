"""Closed forms against their loop equations, differentiated by SymPy and solved with 40 digits."""

import mpmath
import numpy as np
import pytest

from tests.kinematics.bench import Bench, BenchState, bench
from tests.kinematics.registry import LINKAGES

EPS = np.finfo(float).eps


class Exact:
    """The exact answer at one state, and how ill-conditioned it is."""

    def __init__(self, b: Bench, state: BenchState, guess: np.ndarray) -> None:
        equations = b.equations
        known = [*state.q, *(state.s[:1] if b.case.steering is not None else ())]
        rates = [*state.v, *(state.s[1:2] if b.case.steering is not None else ())]
        q = equations.solve([*guess, *b.steering_guess(float(state.s[0]))], known)
        X, bias, Y1 = equations.derivatives(q, rates)
        n = len(guess)
        self.q = as_floats(q)[:n]
        X = as_floats(X).reshape(X.rows, X.cols)
        bias = as_floats(bias)
        self.X, self.eta = X[:n, : b.N], zeros_or(X[:n, b.N :], state.s[1])
        self.bias = bias[:n] + zeros_or(X[:n, b.N :], state.s[2])
        matrix = as_floats(Y1).reshape(Y1.rows, Y1.cols)
        # Rounding of the hardpoints' own geometry enters as a residual of a few ulps times a length of ~1 m.
        self.condition = max(1.0, 1.0 / np.linalg.svd(matrix, compute_uv=False)[-1])


def zeros_or(columns: np.ndarray, factor: float) -> np.ndarray:
    return columns[:, 0] * factor if columns.shape[1] else np.zeros(len(columns))


def as_floats(matrix: object) -> np.ndarray:
    return np.array([float(x) for x in matrix])  # type: ignore[attr-defined]


def errors(b: Bench, state: BenchState) -> tuple[dict[str, float], Exact]:
    motion = b.motion(state)
    q = b.coordinates(motion)
    exact = Exact(b, state, q)
    found = {
        "q": np.abs(q - exact.q).max(),
        "X": np.abs(b.stack(motion, "X") - exact.X).max(),
        "eta": np.abs(b.stack(motion, "eta") - exact.eta).max(),
        "bias": np.abs(b.stack(motion, "bias") - exact.bias).max(),
    }
    return found, exact


@pytest.mark.parametrize("name", LINKAGES)
def test_positions_X_eta_and_bias(name: str) -> None:
    """Errors of a few ulps × condition: each differentiation divides by Y1 once more."""
    b = bench(name)
    rng = np.random.default_rng(sum(map(ord, name)))
    for _ in range(3):
        state = b.sample(rng)
        found, exact = errors(b, state)
        kappa = exact.condition
        largest_X = max(1.0, np.abs(exact.X).max(), np.abs(exact.eta).max())
        speed = 1.0 + np.abs(state.v).max() + abs(state.s[1])
        ulps = 60 * EPS
        assert found["q"] <= ulps * kappa, (found, kappa)
        assert found["X"] <= ulps * kappa**2 * largest_X, (found, kappa)
        assert found["eta"] <= ulps * kappa**2 * largest_X * speed, (found, kappa)
        assert found["bias"] <= ulps * kappa**3 * (largest_X * speed) ** 2, (found, kappa)


def test_the_oracle_solves_a_slider_crank() -> None:
    """The oracle itself on a textbook case: crank 1, rod 2, x = cos θ + sqrt(4 − sin² θ)."""
    from ce_dynamics.kinematics.base import Cut, Joint
    from ce_dynamics.mechanism.hinges.prismatic import Prismatic
    from ce_dynamics.mechanism.hinges.revolute import Revolute
    from ce_dynamics.mechanism.hinges.spherical import Spherical
    from tests.kinematics.loop_equations import LoopEquations

    joints = (
        Joint("crank", "ground", Revolute((0, 0, 1), (0, 0, 0))),
        Joint("rod", "crank", Revolute((0, 0, 1), (1, 0, 0))),
        Joint("slider", "ground", Prismatic((1, 0, 0), (3, 0, 0))),
    )
    equations = LoopEquations(joints, (Cut("pin", "rod", "slider", Spherical((3, 0, 0))),), ("rod", "slider"))
    theta, rate = 0.7, 1.3
    q = equations.solve((-1.0, -0.3), (theta,))
    X, bias, _ = equations.derivatives(q, (rate,))
    with mpmath.workdps(30):

        def x(t: mpmath.mpf) -> mpmath.mpf:
            return mpmath.cos(t) + mpmath.sqrt(4 - mpmath.sin(t) ** 2) - 3

        assert abs(q[1] - x(mpmath.mpf(theta))) < 1e-25
        assert abs(X[1, 0] - mpmath.diff(x, theta)) < 1e-14
        assert abs(bias[1] - mpmath.diff(x, theta, 2) * mpmath.mpf(rate) ** 2) < 1e-14
