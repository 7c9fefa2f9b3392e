"""Both forms of the equations evaluated in extended precision, for poses that double precision cannot judge.

Instructions of a traced function are interpreted on ``np.longdouble``, which has 11 binary digits more on
x86-64; the augmented equations are solved by factors in double precision with residuals in extended.
Constants of a model (directions, hinge points) are its own, in double precision.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, concatenate
from ce_dynamics.augmented import FullyAugmented
from ce_dynamics.augmented.embedded_states import observed_states
from ce_dynamics.augmented.saddle import RANK_TOLERANCE, count_pivots, normalised_rows, row_rank
from ce_dynamics.compiler import trace

REFINEMENTS = 12
SEED = 1


class Judged(NamedTuple):
    """Differences of accelerations of all bodies, over the largest.

    Attributes
    ----------
    ours : float
        Double precision from extended, both ours.
    truth : float
        Ours in double precision from the augmented form's in extended precision.
    spread : float
        By how much the latter changes with which of its redundant conditions are left out: what constants in
        double precision leave open.
    closed : float
        What is left of the augmented form's closures in extended precision [m].
    """

    ours: float
    truth: float
    spread: float
    closed: float


def extended(traced: Any, **inputs: Array) -> dict[str, Array]:
    """Outputs of a traced function in extended precision."""
    flat = [np.asarray(inputs[name], dtype=np.longdouble).ravel() for name in traced.input_shapes]
    with np.errstate(all="ignore"):
        values = traced._interpret(flat)
    return {
        name: np.array([values[node] for node in nodes], dtype=np.longdouble).reshape(shape)
        for (name, shape), nodes in zip(traced.output_shapes.items(), traced.outputs, strict=True)
    }


class Extended:
    """A model's accelerations by both forms.

    Parameters
    ----------
    model : Model
    """

    def __init__(self, model: ce.Model) -> None:
        self.model, self.dae = model, FullyAugmented(model.system)
        system = model.system

        def embedded(y: Array, u: Array) -> dict[str, Array]:
            instant = model.instant(y, u)
            states = observed_states(instant.outward)
            found: dict[str, list[Array]] = {"R": [], "r": [], "V": [], "V_dot": []}
            for body in system.bodies:
                R, alpha = states[body.name].R, instant.accelerations.alpha[body.name]
                found["R"].append(R.ravel())
                found["r"].append(states[body.name].r)
                found["V"] += [states[body.name].w, states[body.name].v]
                found["V_dot"] += [R @ alpha[:3], R @ alpha[3:] + system.gravity]
            return {name: concatenate(parts) for name, parts in found.items()}

        def augmented(p: Array, V: Array, u: Array) -> dict[str, Array]:
            instant = self.dae.instant(p, V, np.zeros(0), u)
            rows = instant.constraints
            return {"M": instant.inertia, "f": instant.force, "g": rows.g, "G": rows.G, "gamma": rows.gamma}

        self.embedded = trace("both forms, embedded", embedded, model.sizes_of("y", "u"))
        sizes = {"p": self.dae.n_p, "V": self.dae.n_V, "u": len(self.dae.u0)}
        self.augmented = trace("both forms, augmented", augmented, sizes)

    def judged(self, q: Array, v: Array) -> Judged:
        """Both forms at a state."""
        y = np.concatenate((q, v, self.model.y0[len(q) + len(v) :]))
        double = self.embedded.evaluate(y=y, u=self.model.u0)["V_dot"]
        ours = extended(self.embedded, y=y, u=self.model.u0)
        quaternions = [quaternion(R) for R in ours["R"].reshape(-1, 3, 3)]
        p = np.concatenate(
            [np.append(r, w) for r, w in zip(ours["r"].reshape(-1, 3), quaternions, strict=True)]
        )
        terms = extended(self.augmented, p=p, V=ours["V"], u=self.dae.u0)
        G = terms["G"]
        choices = (row_rank(G.astype(float)).kept, other_choice(G.astype(float)))
        truth, other = (refined(terms["M"], G[kept], terms["f"], terms["gamma"][kept]) for kept in choices)
        pairs = (double, ours["V_dot"]), (double, truth), (other, truth)
        largest = float(np.max(np.abs(truth)))
        rounding, off, spread = (float(np.max(np.abs(a - b))) / largest for a, b in pairs)
        return Judged(rounding, off, spread, float(np.max(np.abs(terms["g"]))))


def quaternion(R: Array) -> Array:
    """(w, x, y, z) of a rotation, by its largest component."""
    squares = np.array(
        (
            1 + R[0, 0] + R[1, 1] + R[2, 2],
            1 + R[0, 0] - R[1, 1] - R[2, 2],
            1 - R[0, 0] + R[1, 1] - R[2, 2],
            1 - R[0, 0] - R[1, 1] + R[2, 2],
        )
    )
    a, b, c = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    d, e, f = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    rows = np.array(
        ((squares[0], a, b, c), (a, squares[1], d, e), (b, d, squares[2], f), (c, e, f, squares[3]))
    )
    row: Array = rows[int(np.argmax(squares))]
    unit: Array = row / np.sqrt(row @ row)
    return unit


def other_choice(G: Array) -> Array:
    """Independent rows, others than a factorisation of rows of one length keeps."""
    weights = np.exp(np.random.default_rng(SEED).uniform(-2.0, 2.0, (len(G), 1)))
    _, R, order = scipy.linalg.qr((normalised_rows(G)[0] * weights).T, mode="economic", pivoting=True)
    return np.asarray(order[: count_pivots(R, RANK_TOLERANCE)])


def refined(M: Array, G: Array, f: Array, gamma: Array) -> Array:
    """V̇ of M V̇ = f + Gᵀ λ, G V̇ = −γ, of independent rows, to extended precision."""
    n = len(f)
    K = np.block([[M, -G.T], [G, np.zeros((len(G), len(G)), dtype=np.longdouble)]])
    b = np.concatenate((f, -gamma))
    factors = scipy.linalg.lu_factor(K.astype(float))
    x = np.zeros(len(b), dtype=np.longdouble)
    for _ in range(REFINEMENTS):
        x = x + scipy.linalg.lu_solve(factors, (b - K @ x).astype(float))
    return x[:n]
