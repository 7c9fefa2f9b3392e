"""Linearised motion in minimal coordinates: M δ̈ + C δ̇ + K δ = 0 with first-order states.

Everything comes from the derivatives of the inverse dynamics T(q, v, x, v̇), the generalised forces needed on
top of all loads.  T = 0 along a motion, so that at the accelerations v̇₀ of a state

    M δv̇ = −(K δ + C δv + T_x δx),   K = ∂T/∂δ,  C = ∂T/∂v,  T_x = ∂T/∂x  at v̇ = v̇₀,

exactly.  Compared with the derivatives of the forward dynamics this keeps inertia, damping and stiffness
apart, lets coordinates be held by leaving out their rows and columns, and takes fewer instructions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.mechanics import balance_function, mass_matrix
from ce_dynamics.compiled.compiled_system import CompiledSystem


class Freedom:
    """Displacements, velocities and states that may move while some coordinates are held.

    ``hold`` names displacements, first-order states, and bodies (for all displacements of the hinge).
    """

    def __init__(self, model: CompiledSystem, hold: Iterable[str]) -> None:
        tangent = model.tangent
        states = [entry.name for entry in model.layout.x]
        held = tangent.places(hold, states)
        n = len(tangent)
        stopped = {tangent.velocity[k] for k in held if k < n}
        self.free = [k for k in range(n) if k not in held]
        self.moving = [k for k in range(len(model.layout.v)) if k not in stopped]
        self.states = [k for k in range(len(states)) if n + k not in held]
        self.names = [tangent.entries[k].name for k in self.free] + [states[k] for k in self.states]


@dataclass(frozen=True, eq=False)
class SmallMotion:
    """The neighbourhood of a state [q; v; x], in displacements δ (see `Tangent`), δv and δx."""

    T: Floats  # (n_v,), forces needed to keep v̇ at zero: minus the imbalance of the state
    v_dot: Floats  # (n_v,), accelerations of the state with the chosen hinges held
    x_dot: Floats  # (n_x,), rates of the first-order states
    M: Floats  # (n_v, n_v), inertia
    C: Floats  # (n_v, n_v), damping (with gyroscopic terms)
    K: Floats  # (n_v, n_δ), stiffness
    T_x: Floats  # (n_v, n_x)
    Q: Floats  # (n_δ, n_v), δ̇ = Q v
    Q_q: Floats  # (n_δ, n_δ), ∂δ̇/∂δ; zero at rest
    X_q: Floats  # derivatives of x_dot with respect to δ, v and x
    X_v: Floats
    X_x: Floats

    def matrix(self, held: Freedom) -> Floats:
        """Return A of d/dt [δ; δv; δx] = A [δ; δv; δx] without held coordinates."""
        d, m, s = held.free, held.moving, held.states
        right = np.hstack((self.K[np.ix_(m, d)], self.C[np.ix_(m, m)], self.T_x[np.ix_(m, s)]))
        return np.vstack(
            (
                np.hstack((self.Q_q[np.ix_(d, d)], self.Q[np.ix_(d, m)], np.zeros((len(d), len(s))))),
                -np.linalg.solve(self.M[np.ix_(m, m)], right),
                np.hstack((self.X_q[np.ix_(s, d)], self.X_v[np.ix_(s, m)], self.X_x[np.ix_(s, s)])),
            )
        )


def small_motion(model: CompiledSystem, y: Floats, u: Floats, held: Freedom) -> SmallMotion:
    """Return the neighbourhood of a state, with some coordinates held."""
    q, v, x = model.layout.split(y)
    n_q, n_v, n_x = len(q), len(v), len(x)
    T, x_dot = balance(model, y, u)
    M = mass_matrix(model, y=y, u=u)
    model.refuse_not_finite(y, u, T, x_dot)
    m = held.moving
    v_dot = np.zeros(n_v)
    v_dot[m] = -np.linalg.solve(M[np.ix_(m, m)], T[m])
    D = model.derivative(balance_function(model).traced, "r", "y")(y, u, v_dot)
    by_q, by_v, by_x = D[:, :n_q] @ model.tangent.columns(q), D[:, n_q : n_q + n_v], D[:, n_q + n_v :]
    of_T, of_x, of_q = slice(0, n_v), slice(n_v, n_v + n_x), slice(n_v + n_x, None)
    rows = model.tangent.rows(q)
    return SmallMotion(
        T=T,
        v_dot=v_dot,
        x_dot=x_dot,
        M=M,
        C=by_v[of_T],
        K=by_q[of_T],
        T_x=by_x[of_T],
        Q=rows @ by_v[of_q],
        Q_q=rows @ by_q[of_q],
        X_q=by_q[of_x],
        X_v=by_v[of_x],
        X_x=by_x[of_x],
    )


def balance(model: CompiledSystem, y: Floats, u: Floats) -> tuple[Floats, Floats]:
    """Return the forces T that keep v̇ at zero, and ẋ."""
    n_v, n_x = model.layout.sizes["v"], model.layout.sizes["x"]
    T, x_dot, _ = np.split(balance_function(model)(y, u, np.zeros(n_v))[0], (n_v, n_v + n_x))
    return T, x_dot
