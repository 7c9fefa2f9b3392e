"""The augmented equations (8) on sparse matrices: fast, for many evaluations, and with stabilisation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import splu

from ce_dynamics.algebra.arrays import Array, concatenate
from ce_dynamics.augmented.augmented import Augmented
from ce_dynamics.augmented.feedback import FeedbackLaw, applied_inputs
from ce_dynamics.augmented.sparse import Evaluation, pattern_of, symbolic
from ce_dynamics.compiler.casadi import ca

COMPLIANCE = 1e-7
"""Compliance of redundant rows, relative to their own."""

REFINEMENTS = 3
"""Iterations that remove its effect: each reduces it by about that factor."""


class Index1Answer(NamedTuple):
    """What (8) says at a state.

    Attributes
    ----------
    y_dot : (n_y,) array
    multipliers : (n_g,) array
    g, rate : (n_g,) arrays
        Constraint errors in position and velocity, all rows.
    """

    y_dot: Array
    multipliers: Array
    g: Array
    rate: Array


class Index1:
    """(8) with Baumgarte's terms: ``[M −Gᵀ; G 0] [V̇; λ] = [f; −γ − 2α ġ − β² g]``.

    With redundant rows the matrix is [M −Gᵀ; G E] and the right-hand side has E λ of the iteration before,
    which converges to V̇ of (8) and, of all λ, to one of least norm.

    Parameters
    ----------
    model : Augmented
    softness : (n_g,) array
        Compliance G M⁻¹ Gᵀ of the rows that take part in a redundancy, zero for all others.
    law : FeedbackLaw, optional
        Inputs as a function of time and the system's outputs.

    Attributes
    ----------
    pattern : sparse matrix
        Of the saddle-point system, with the values of the last evaluation.
    """

    def __init__(self, model: Augmented, softness: Array, law: FeedbackLaw | None = None) -> None:
        self.model, self.law = model, law
        self._compliance = COMPLIANCE * softness
        n_y = model.n_p + model.n_V + model.n_x
        y, t, u = ca.SX.sym("y", n_y), ca.SX.sym("t"), ca.SX.sym("u", len(model.u0))
        parts = symbolic("index1", self._parts, {"y": y, "t": t, "u": u})
        n = model.n_g
        G, columns = (parts["G"], parts["columns"]) if n else (ca.SX(0, model.n_V), ca.SX(model.n_V, 0))
        E = ca.sparsify(ca.diag(ca.SX(self._compliance))) if n else ca.SX(0, 0)
        saddle = ca.vertcat(ca.horzcat(parts["inertia"], -columns), ca.horzcat(G, E))
        self.pattern = pattern_of(saddle)
        names = ("force", "gamma", "g", "rate", "p_dot", "x_dot")
        dense = tuple(ca.densify(parts[name]) for name in names)
        self._evaluate = Evaluation("index1", (y, t, u), (saddle, *dense))

    def _parts(self, y: Array, t: Array, u: Array) -> dict[str, Any]:
        model = self.model
        p, V, x = model.split(y)
        instant = model.instant(p, V, x, applied_inputs(model, self.law, t[0], p, V, x, u))
        rows = instant.constraints
        parts = {
            "inertia": instant.inertia,
            "force": instant.force,
            "gamma": rows.gamma,
            "g": rows.g,
            "rate": rows.rate,
            "p_dot": instant.position_rate(V),
            "x_dot": concatenate([instant.x_dot]) if model.n_x else np.zeros(0),
        }
        return parts | ({"G": rows.G, "columns": instant.columns} if model.n_g else {})

    def __call__(self, t: float, y: Array, u: Array, alpha: float = 0.0, beta: float = 0.0) -> Index1Answer:
        """Evaluate; NaN where the equations are singular."""
        values = self._evaluate(y, t, u)
        self.pattern.data[:] = values[0]
        force, gamma, g, rate, p_dot, x_dot = values[1:]
        wanted = -gamma - 2.0 * alpha * rate - beta**2 * g
        n_V = self.model.n_V
        try:
            factors = splu(self.pattern)
        except RuntimeError:  # exactly singular
            solution = np.full(n_V + len(g), np.nan)
        else:
            solution = factors.solve(np.concatenate((force, wanted)))
            for _ in range(REFINEMENTS if self._compliance.any() else 0):
                solution = factors.solve(np.concatenate((force, wanted + self._compliance * solution[n_V:])))
        y_dot = np.concatenate((p_dot, solution[:n_V], x_dot))
        return Index1Answer(y_dot, solution[n_V:], np.array(g), np.array(rate))
