"""Modes of a vehicle that drives straight on: what swings, how fast, how well damped."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model

KINDS: Mapping[str, str] = {
    r"chassis\.(vy|wz)": "yaw and side-slip",
    r"chassis\.vz": "heave",
    r"chassis\.wy": "pitch",
    r"chassis\.wx": "roll",
    r"chassis\.vx": "surge",
    r".*\.wheel_rate": "driveline and wheel spin",
    r".*": "wheel hop",
}
"""What the velocities of a vehicle are part of, by their names."""
STEP = 1e-6
"""Of the central differences, over an entry's size or 1: their error is about 1e-12/STEP of a rate's size."""
SLOWEST = 0.02
"""Frequency below which nothing swings [Hz]: drifting along, turning."""


class DrivingMode(NamedTuple):
    """A mode that swings.

    Attributes
    ----------
    character : str
        What has the largest part of it.
    frequency, damping_ratio : float
        Natural frequency |λ|/2π [Hz] and −Re λ/|λ|.
    shares : dict of str to float
        Parts of the mode, by M_ii |v_i|² of its velocities; they add up to 1.
    """

    character: str
    frequency: float
    damping_ratio: float
    shares: Mapping[str, float]


def driving_modes(model: Model, y: Floats, u: Floats, kinds: Mapping[str, str] = KINDS) -> list[DrivingMode]:
    """The modes that swing, slowest first, of the motion linearised about a state.

    Parameters
    ----------
    model : Model
    y, u : arrays
        State and inputs of driving straight on.
    kinds : mapping of str to str
        What velocities are part of, by patterns of their names; the first that fits counts.
    """
    q, v, x = model.layout.split(y)
    eigenvalues, vectors = np.linalg.eig(state_matrix(model, y, u))
    n = len(model.tangent)
    M = np.diag(model.mass_matrix(q, u=u, x=x))
    parts = np.abs(vectors[n : n + len(v)]) ** 2 * M[:, np.newaxis]
    of = [
        next(kind for pattern, kind in kinds.items() if re.fullmatch(pattern, e.name)) for e in model.layout.v
    ]
    found = []
    for k in np.argsort(np.abs(eigenvalues)):
        eigenvalue = complex(eigenvalues[k])
        size = abs(eigenvalue)
        whole = float(parts[:, k].sum())
        if eigenvalue.imag <= 1e-3 * size or size < 2.0 * np.pi * SLOWEST or whole == 0.0:
            continue
        shares = dict.fromkeys(of, 0.0)
        for kind, part in zip(of, parts[:, k], strict=True):
            shares[kind] += float(part) / whole
        character = max(shares, key=lambda kind: shares[kind])
        found.append(DrivingMode(character, size / (2.0 * np.pi), -eigenvalue.real / size, shares))
    return found


def state_matrix(model: Model, y: Floats, u: Floats) -> Floats:
    """A of d/dt [δ; δv; δx] = A [δ; δv; δx] about a state without rotation, by central differences.

    `Model.linearize` has it exactly, for the price of compiling derivatives; eigenvalues for people need no
    more.
    """
    q, v, x = model.layout.split(y)
    n, tangent = len(model.tangent), model.tangent
    sizes = np.concatenate((np.ones(n), np.maximum(1.0, np.abs(v)), np.maximum(1.0, np.abs(x))))

    def rates(step: Floats) -> Floats:
        moved = tangent.displaced(q, step[:n])
        y_dot = model.dynamics(np.concatenate((moved, v + step[n : n + len(v)], x + step[n + len(v) :])), u)[
            0
        ]
        return np.concatenate((tangent.rows(moved) @ y_dot[: len(q)], y_dot[len(q) :]))

    steps = STEP * np.diag(sizes)
    return np.array(
        [(rates(step) - rates(-step)) / (2.0 * STEP * size) for step, size in zip(steps, sizes, strict=True)]
    ).T
