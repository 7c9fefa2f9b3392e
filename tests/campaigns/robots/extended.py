"""Both forms of the equations evaluated in extended precision, for poses that double precision cannot judge.

Instructions of a traced function are interpreted on ``np.longdouble``, which has 11 binary digits more on
x86-64; the augmented equations are solved by factors in double precision with residuals in extended.
Constants of a model (directions, hinge points) are its own, in double precision.  Lines that mean to be the
same then miss each other by some 1e-17 m, which as the lever of a reaction of 0.3 N turns a ball of 6 mg by
1e-9 of the largest acceleration: so both forms are asked once more where they meet to the last bit.
"""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import scipy.linalg

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, concatenate
from ce_dynamics.augmented import FullyAugmented
from ce_dynamics.augmented.augmented import row_rank
from ce_dynamics.augmented.states import observe_states
from ce_dynamics.compiler import trace
from ce_dynamics.embedding.closures.precision import HingePlace, Subgraph, make_points_meet
from ce_dynamics.embedding.embed import merge_groups

REFINEMENTS = 12
ROUNDING = 1e-14
"""Sizes of a loop by which points that mean to be the same are apart."""


class Judged(NamedTuple):
    """Differences of accelerations of all bodies, over the largest.

    Attributes
    ----------
    ours : float
        Double precision from extended, both ours.
    truth : float
        Ours in double precision from the augmented form's in extended precision.
    met : float
        Both in extended precision, with points and lines that are the same but for rounding made the same.
    """

    ours: float
    truth: float
    met: float


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
    """A model's accelerations by both forms, of its own constants and of `meeting` ones.

    Parameters
    ----------
    model : Model
    """

    def __init__(self, model: ce.Model) -> None:
        self.own, self.met = BothForms(model), BothForms(ce.compile(meeting(model.system)))

    def judged(self, q: Array, v: Array) -> Judged:
        """Both forms at a state."""
        model = self.own.model
        y = np.concatenate((q, v, model.y0[len(q) + len(v) :]))
        double = self.own.embedded.evaluate(y=y, u=model.u0)["V_dot"]
        (ours, truth), (met, true) = self.own.accelerations(y), self.met.accelerations(y)
        pairs = (double, ours), (double, truth), (met, true)
        largest = float(np.max(np.abs(truth)))
        return Judged(*(float(np.max(np.abs(a - b))) / largest for a, b in pairs))


def meeting(system: ce.System) -> ce.System:
    """A twin whose points and lines that meet but for rounding meet to the last bit."""
    twin: ce.System = pickle.loads(pickle.dumps(system))
    with patch("ce_dynamics.embedding.closures.precision.move", moved):
        for bodies, closures in merge_groups(twin, set()):
            part = Subgraph(bodies, closures)
            places = part.places()
            make_points_meet(places, ROUNDING * part.size)
            for place in places:
                if not place.as_given:
                    place.apply()
    return twin


def moved(place: HingePlace, by: Array) -> None:
    """Move a hinge's point, however little."""
    place.at = place.at + by


class BothForms:
    """A model's accelerations in extended precision, embedded and augmented."""

    def __init__(self, model: ce.Model) -> None:
        self.model, self.dae = model, FullyAugmented(model.system)
        system = model.system

        def embedded(y: Array, u: Array) -> dict[str, Array]:
            instant = model.instant(y, u)
            states = observe_states(instant.outward)
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
            return {"M": instant.inertia, "f": instant.force, "G": rows.G, "gamma": rows.gamma}

        self.embedded = trace("both forms, embedded", embedded, model.sizes_of("y", "u"))
        sizes = {"p": self.dae.n_p, "V": self.dae.n_V, "u": len(self.dae.u0)}
        self.augmented = trace("both forms, augmented", augmented, sizes)

    def accelerations(self, y: Array) -> tuple[Array, Array]:
        """V̇ of all bodies, embedded and augmented."""
        ours = extended(self.embedded, y=y, u=self.model.u0)
        quaternions = [quaternion(R) for R in ours["R"].reshape(-1, 3, 3)]
        p = np.concatenate(
            [np.append(r, w) for r, w in zip(ours["r"].reshape(-1, 3), quaternions, strict=True)]
        )
        terms = extended(self.augmented, p=p, V=ours["V"], u=self.dae.u0)
        kept = row_rank(terms["G"].astype(float)).kept
        return ours["V_dot"], refined(terms["M"], terms["G"][kept], terms["f"], terms["gamma"][kept])


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
