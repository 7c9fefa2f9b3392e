"""The stabilised index-2 form (Gear, Gupta, Leimkuhler) of an augmented system and its exact Jacobian.

    ṗ = T(p) (V + Gᵀ μ),   M V̇ = f + Gᵀ λ,   ẋ = x_dot,   g = 0,   G V + ∂g/∂t = 0

for Y = [p; V; x; λ; μ]; λ and μ belong to a set of independent rows and μ vanishes along exact solutions.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ce_dynamics.arrays import Array, array, concatenate, zeros
from ce_dynamics.reference.augmented import Augmented
from ce_dynamics.reference.feedback import InputLaw, applied_inputs
from ce_dynamics.reference.sparse import Evaluation, pattern_of, symbolic


class StabilisedIndex2:
    """Residual F(t, Y, Ẏ, u) and Jacobian ∂F/∂Y + c_j ∂F/∂Ẏ of an augmented system.

    Parameters
    ----------
    model : Augmented
    kept : (n_kept,) int array
        Independent constraint rows.
    law : InputLaw, optional
        Inputs as a function of time and the system's outputs; differentiated with the rest.

    Attributes
    ----------
    size : int
        Length of Y.
    pattern : sparse matrix
        Of the Jacobian, whose nonzeros `jacobian` returns in the same order.
    timing : dict of str to float
        Seconds for tracing and for the Jacobian.
    """

    def __init__(self, model: Augmented, kept: Array, law: InputLaw | None = None) -> None:
        import casadi as ca

        self.model, self.kept, self.law = model, np.asarray(kept, dtype=int), law
        self.n_y = model.n_p + model.n_V + model.n_x
        self.size = self.n_y + 2 * len(self.kept)
        Y, Y_dot = ca.SX.sym("Y", self.size), ca.SX.sym("Y_dot", self.size)
        t, u, c_j = ca.SX.sym("t"), ca.SX.sym("u", len(model.u0)), ca.SX.sym("c_j")
        start = time.perf_counter()
        F = symbolic("ggl", self._residual, {"Y": Y, "Y_dot": Y_dot, "t": t, "u": u})["F"]
        traced = time.perf_counter()
        jacobian = ca.jacobian(F, Y) + c_j * ca.jacobian(F, Y_dot)
        self.pattern = pattern_of(jacobian)
        self.residual = Evaluation("residual", (Y, Y_dot, t, u), (ca.densify(F),))
        self.jacobian = Evaluation("jacobian", (Y, Y_dot, t, u, c_j), (jacobian,))
        self.timing = {"trace": traced - start, "jacobian": time.perf_counter() - traced}

    @property
    def algebraic(self) -> Array:
        """Indices of λ and μ."""
        return np.arange(self.n_y, self.size)

    def _residual(self, Y: Array, Y_dot: Array, t: Array, u: Array) -> dict[str, Any]:
        model, kept, n = self.model, self.kept, len(self.kept)
        p, V, x = model.split(Y[: self.n_y])
        p_dot, V_dot, x_dot = model.split(Y_dot[: self.n_y])
        multipliers, mu = Y[self.n_y : self.n_y + n], Y[self.n_y + n :]
        instant = model.instant(p, V, x, applied_inputs(model, self.law, t[0], p, V, x, u))
        rows = instant.constraints
        G = rows.G[kept]
        # without constraints there is nothing to multiply
        correction, reaction = (G.T @ mu, G.T @ multipliers) if n else (zeros(model.n_V), zeros(model.n_V))
        parts = (
            p_dot - instant.position_rate(V + correction),
            instant.momentum(V_dot, reaction),
            x_dot - instant.x_dot if model.n_x else zeros(0),
            array(rows.g[k] for k in kept),
            array(rows.rate[k] for k in kept),
        )
        return {"F": concatenate(parts)}
