"""The augmented equations (8) on sparse matrices: V̇ and λ of independent rows, fast and with stabilisation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import splu

from ce_dynamics.arrays import Array, array, concatenate
from ce_dynamics.reference.augmented import Augmented
from ce_dynamics.reference.feedback import InputLaw, applied_inputs
from ce_dynamics.reference.sparse import Evaluation, pattern_of, symbolic


class Index1Answer(NamedTuple):
    """What (8) says at a state.

    Attributes
    ----------
    y_dot : (n_y,) array
    multipliers : (n_kept,) array
    g, rate : (n_g,) arrays
        Constraint errors in position and velocity, all rows.
    """

    y_dot: Array
    multipliers: Array
    g: Array
    rate: Array


class Index1:
    """(8) with Baumgarte's terms: [M −Gᵀ; G 0][V̇; λ] = [f; −γ − 2α ġ − β² g].

    Parameters
    ----------
    model : Augmented
    kept : (n_kept,) int array
        Independent constraint rows.
    law : InputLaw, optional
        Inputs as a function of time and the system's outputs.
    """

    def __init__(self, model: Augmented, kept: Array, law: InputLaw | None = None) -> None:
        import casadi as ca

        self.model, self.kept, self.law = model, np.asarray(kept, dtype=int), law
        n_y = model.n_p + model.n_V + model.n_x
        y, t, u = ca.SX.sym("y", n_y), ca.SX.sym("t"), ca.SX.sym("u", len(model.u0))
        parts = symbolic("index1", self._parts, {"y": y, "t": t, "u": u})
        G = parts["G"] if len(self.kept) else ca.SX(0, model.n_V)
        columns = parts["columns"] if len(self.kept) else ca.SX(model.n_V, 0)
        saddle = ca.vertcat(
            ca.horzcat(parts["inertia"], -columns), ca.horzcat(G, ca.SX(len(self.kept), len(self.kept)))
        )
        self._pattern = pattern_of(saddle)
        names = ("force", "gamma", "g", "rate", "p_dot", "x_dot")
        dense = tuple(ca.densify(parts[name]) for name in names)
        self._evaluate = Evaluation("index1", (y, t, u), (saddle, *dense))

    def _parts(self, y: Array, t: Array, u: Array) -> dict[str, Any]:
        model, kept = self.model, self.kept
        p, V, x = model.split(y)
        instant = model.instant(p, V, x, applied_inputs(model, self.law, t[0], p, V, x, u))
        rows = instant.constraints
        parts = {
            "inertia": instant.inertia,
            "force": instant.force,
            "gamma": array(rows.gamma[k] for k in kept),
            "g": rows.g,
            "rate": rows.rate,
            "p_dot": instant.position_rate(V),
            "x_dot": concatenate([instant.x_dot]) if model.n_x else np.zeros(0),
        }
        return parts | ({"G": rows.G[kept], "columns": instant.columns[:, kept]} if len(kept) else {})

    def __call__(self, t: float, y: Array, u: Array, alpha: float = 0.0, beta: float = 0.0) -> Index1Answer:
        """Evaluate; NaN where the equations are singular."""
        values = self._evaluate(y, t, u)
        self._pattern.data[:] = values[0]
        force, gamma, g, rate, p_dot, x_dot = values[1:]
        wanted = -gamma - 2.0 * alpha * rate[self.kept] - beta**2 * g[self.kept]
        try:
            solution = splu(self._pattern).solve(np.concatenate((force, wanted)))
        except RuntimeError:  # exactly singular
            solution = np.full(len(force) + len(wanted), np.nan)
        n_V = self.model.n_V
        y_dot = np.concatenate((p_dot, solution[:n_V], x_dot))
        return Index1Answer(y_dot, solution[n_V:], np.array(g), np.array(rate))
