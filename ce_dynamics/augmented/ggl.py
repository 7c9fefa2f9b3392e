"""The stabilised index-2 form (Gear, Gupta, Leimkuhler) of an augmented system and its exact Jacobian.

    ṗ = T(p) (V + Gᵀ μ),   M V̇ = f + Gᵀ λ,   ẋ = x_dot,   g = 0,   G V + ∂g/∂t = 0

for Y = [p; V; x; λ; μ], where μ vanishes along exact solutions.  Rows that are not holonomic have no g; there
μ = 0 takes its place.

Where rows are redundant (planar loops written with spatial hinges) λ and μ are not unique and Newton's matrix
would be singular.  Which rows could be left out changes along the motion, so none is: the rows that take part
get a tiny compliance instead, g + ε_μ μ = 0 and ġ + ε_λ λ = 0.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ce_dynamics.algebra.arrays import Array, concatenate, zeros
from ce_dynamics.augmented.augmented import Augmented
from ce_dynamics.augmented.feedback import FeedbackLaw, applied_inputs
from ce_dynamics.augmented.sparse import Evaluation, pattern_of, symbolic
from ce_dynamics.compiler.casadi import ca

VELOCITY_COMPLIANCE = 1e-12
"""Per unit of softness [s]: redundant rows yield by this times the acceleration their reaction causes."""

POSITION_COMPLIANCE = 1e-9
"""The same for μ, which is tiny itself [s, per unit of softness]."""


class StabilisedIndex2:
    """Residual F(t, Y, Ẏ, u) and Jacobian ∂F/∂Y + c_j ∂F/∂Ẏ of an augmented system.

    Parameters
    ----------
    model : Augmented
    softness : (n_g,) array
        Compliance G M⁻¹ Gᵀ of the rows that take part in a redundancy, zero for all others.
    law : FeedbackLaw, optional
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

    def __init__(self, model: Augmented, softness: Array, law: FeedbackLaw | None = None) -> None:
        self.model, self.softness, self.law = model, softness, law
        self.n_y = model.n_p + model.n_V + model.n_x
        self.size = self.n_y + 2 * model.n_g
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
        model, n = self.model, self.model.n_g
        p, V, x = model.split(Y[: self.n_y])
        p_dot, V_dot, x_dot = model.split(Y_dot[: self.n_y])
        multipliers, mu = Y[self.n_y : self.n_y + n], Y[self.n_y + n :]
        instant = model.instant(p, V, x, applied_inputs(model, self.law, t[0], p, V, x, u))
        rows = instant.constraints
        G = rows.G
        # without constraints there is nothing to multiply
        correction, reaction = (G.T @ mu, G.T @ multipliers) if n else (zeros(model.n_V), zeros(model.n_V))
        parts = (
            p_dot - instant.position_rate(V + correction),
            instant.momentum(V_dot, reaction),
            x_dot - instant.x_dot if model.n_x else zeros(0),
            np.where(model.holonomic, rows.g + POSITION_COMPLIANCE * self.softness * mu, mu),
            rows.rate + VELOCITY_COMPLIANCE * self.softness * multipliers,
        )
        return {"F": concatenate(parts)}
