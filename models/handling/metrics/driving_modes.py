"""Modes of a vehicle that drives straight on: shape, frequency and damping.

With the right and left eigenvectors r and l of the state matrix, state i has the participation

    p_i = |l_i r_i| / Σ_j |l_j r_j|                                                                       (a)

in a mode, whatever its unit (Pérez-Arriaga, Verghese and Schweppe, 1982).  Participations of states that
belong together, such as the angle and the rate of roll, are added; the largest sum names the mode.  Travels
of suspensions are left out: a body that heaves above resting wheels has them as well, of wheels that hop the
rates decide.  Modes that couple change their shape with the speed, so that a name is given at one speed and
followed from there: of two speeds those modes belong together whose eigenvectors are most nearly
biorthogonal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.handling.metrics.instants import signals
from ce_dynamics.models.tyres.element import RoadTyre
from ce_dynamics.models.vehicles.corner import sprung_body
from ce_dynamics.models.vehicles.summary import W_K, Weighting, compute_weighted_rms

Complex = NDArray[np.complex128]

TRAVEL = "wheel hop"
"""Character of modes of suspensions."""
KINDS: Mapping[str, str] = {
    r"chassis\.(rz|wz|y|vy)|.*\.tyre\.y_e": "yaw and side-slip",
    r"chassis\.(z|vz)": "heave",
    r"chassis\.(ry|wy)": "pitch",
    r"chassis\.(rx|wx)": "roll",
    r"chassis\.(x|vx)": "surge",
    r"driveline\..*|.*\.wheel(_rate)?|.*\.tyre\.x_e|.*\.brake\..*": "driveline and wheel spin",
    r"steering.*": "steering",
    r".*": TRAVEL,
}
"""Parts to which states of a vehicle without trailers belong, by patterns of names; the rest: suspensions."""
BODY = "heave", "pitch", "roll"
"""Motions of the sprung body, each of one mode."""
STEP = 1e-6
"""Step of central differences, over an entry's size or 1; their error is about 1e-12/STEP of a rate."""
SLOWEST = 0.02
"""Frequency below which nothing swings [Hz]: drifting along, turning."""
TINY = 1e-12
"""Product of unit eigenvectors of an eigenvalue that has fewer than it counts."""


class DrivingMode(NamedTuple):
    """A mode that swings.

    Attributes
    ----------
    character : str
        Name of the group with the largest participation, at the speed from which it is followed.
    frequency, damping_ratio : float
        Natural frequency |λ|/2π [Hz] and −Re λ/|λ|.
    shares : dict of str to float
        Parts of the mode by (a); they add up to 1.
    """

    character: str
    frequency: float
    damping_ratio: float
    shares: Mapping[str, float]


class ModalSpectrum(NamedTuple):
    """Eigenvalues of a state matrix that are not slow, with their names.

    Attributes
    ----------
    eigenvalues : (m,) complex array
        [1/s].
    right, left : (n, m) complex arrays
        Unit eigenvectors: A r = λ r, lᴴ A = λ lᴴ.
    shares : tuple of dict of str to float
        By (a).
    characters : tuple of str
    """

    eigenvalues: Complex
    right: Complex
    left: Complex
    shares: tuple[Mapping[str, float], ...]
    characters: tuple[str, ...]

    def modes(self) -> list[DrivingMode]:
        """Return the modes that swing, slowest first."""
        found = []
        for k in np.argsort(np.abs(self.eigenvalues)):
            eigenvalue = complex(self.eigenvalues[k])
            size = abs(eigenvalue)
            if eigenvalue.imag > 1e-3 * size:
                ratio = -eigenvalue.real / size
                found.append(DrivingMode(self.characters[k], size / (2.0 * np.pi), ratio, self.shares[k]))
        return found

    def following(self, before: ModalSpectrum) -> ModalSpectrum:
        """Return the same with the names of a spectrum at a speed nearby."""
        from scipy.optimize import linear_sum_assignment  # here, because it takes long to load

        def scale(one: ModalSpectrum) -> Floats:
            return np.asarray(np.maximum(np.abs(np.sum(one.left.conj() * one.right, axis=0)), TINY))

        alike = np.abs(before.left.conj().T @ self.right) * np.abs(self.left.conj().T @ before.right).T
        alike = np.minimum(alike / np.outer(scale(before), scale(self)), 1.0)
        characters = list(self.characters)
        for old, new in zip(*linear_sum_assignment(alike, maximize=True), strict=True):
            characters[new] = before.characters[old]
        return self._replace(characters=tuple(characters))


def spectrum(model: Model, y: Floats, u: Floats, kinds: Mapping[str, str] | None = None) -> ModalSpectrum:
    """Return the eigenvalues of the motion linearised about a state, with names by participation.

    Parameters
    ----------
    model : Model
    y, u : arrays
        State and inputs of driving straight on.
    kinds : mapping of str to str, optional
        Groups of states by patterns of their names, the first match counts; `kinds_of` if not given.
    """
    from scipy.linalg import eig  # here, because it takes long to load

    patterns = kinds_of(model.system) if kinds is None else kinds
    entries = (*model.tangent.entries, *model.layout.v, *model.layout.x)
    of = [next(kind for pattern, kind in patterns.items() if re.fullmatch(pattern, e.name)) for e in entries]
    travels = {e.name for e, kind in zip(model.tangent.entries, of, strict=False) if kind == TRAVEL}
    counted = np.array([e.name not in travels for e in entries])
    found: Any = eig(state_matrix(model, y, u), left=True)
    eigenvalues, left, right = found
    fast = np.abs(eigenvalues) >= 2.0 * np.pi * SLOWEST
    eigenvalues, left, right = eigenvalues[fast], left[:, fast], right[:, fast]
    parts = np.abs(left * right) * counted[:, np.newaxis]
    parts /= np.maximum(parts.sum(axis=0), TINY)
    shares = []
    for column in parts.T.tolist():
        share = dict.fromkeys(of, 0.0)
        for kind, part in zip(of, column, strict=True):
            share[kind] += part
        shares.append(share)
    return ModalSpectrum(eigenvalues, right, left, tuple(shares), names_of(eigenvalues, shares))


def names_of(eigenvalues: Complex, shares: Sequence[Mapping[str, float]]) -> tuple[str, ...]:
    """Return the part with the largest share of each mode; each motion of a body names one that swings.

    Where two modes are mostly heave, as of a body whose ride frequencies are alike, the one with the smaller
    share of it is named by its next largest part.
    """
    names = [max(share, key=share.__getitem__) for share in shares]
    swings = [k for k, eigenvalue in enumerate(eigenvalues) if eigenvalue.imag > 0.0]
    for motion in BODY:
        alike = sorted((k for k in swings if names[k] == motion), key=lambda k: -shares[k][motion])
        for k in alike[1:]:
            others = {part: share for part, share in shares[k].items() if part != motion}
            names[k] = max(others, key=others.__getitem__)
            names[int(np.argmin(np.abs(eigenvalues - eigenvalues[k].conjugate())))] = names[k]
    return tuple(names)


def kinds_of(system: System) -> dict[str, str]:
    """Return the groups of the states of a vehicle: those of its trailers, and `KINDS`."""
    trailers = system.groups.get("trailer", ())
    found: dict[str, str] = {}
    for name in trailers:
        found[rf"{re.escape(name)}\.(rz|wz|2|2_rate)"] = "trailer sway"
        found[rf"{re.escape(name)}\.(ry|wy|1|1_rate)"] = "trailer pitch"
        found[rf"{re.escape(name)}(\.(rx|wx)|_rate)?"] = "trailer roll"
    for force in system.forces:
        if isinstance(force, RoadTyre) and sprung_body(system, force.wheel).name in trailers:
            found[rf"{re.escape(force.name)}\.y_e"] = "trailer sway"
    return found | dict(KINDS)


def state_matrix(model: Model, y: Floats, u: Floats) -> Floats:
    """Return a of d/dt [δ; δv; δx] = A [δ; δv; δx] about a state without rotation, by central differences.

    `Model.linearize` has it exactly, for the price of compiling derivatives; eigenvalues for people need no
    more.
    """
    q, v, x = model.layout.split(y)
    n, tangent = len(model.tangent), model.tangent
    sizes = np.concatenate((np.ones(n), np.maximum(1.0, np.abs(v)), np.maximum(1.0, np.abs(x))))

    def rates(step: Floats) -> Floats:
        moved = tangent.displace(q, step[:n])
        y_dot = model.dynamics(np.concatenate((moved, v + step[n : n + len(v)], x + step[n + len(v) :])), u)[
            0
        ]
        return np.concatenate((tangent.rows(moved) @ y_dot[: len(q)], y_dot[len(q) :]))

    steps = STEP * np.diag(sizes)
    return np.array(
        [(rates(step) - rates(-step)) / (2.0 * STEP * size) for step, size in zip(steps, sizes, strict=True)]
    ).T


class Spectrum(NamedTuple):
    """A power spectral density, one-sided.

    Attributes
    ----------
    frequency : (n,) array
        [Hz].
    density : (n,) array
        In the signal's unit squared per Hz; its integral is the mean square.
    """

    frequency: Floats
    density: Floats

    def rms(self, low: float = 0.0, high: float = np.inf) -> float:
        """Return the root mean square of a signal in a band [Hz], in the signal's unit."""
        inside = (self.frequency >= low) & (self.frequency <= high)
        return float(np.sqrt(np.sum(self.density[inside]) * (self.frequency[1] - self.frequency[0])))


def power_spectrum(t: ArrayLike, x: ArrayLike, resolution: float = 0.25) -> Spectrum:
    """Return the power spectral density by Welch's method: Hann windows that overlap by half.

    Parameters
    ----------
    t : (n,) array_like
        Equally spaced times [s].
    x : (n,) array_like
    resolution : float
        Distance of frequencies [Hz]; the record must be longer than one over it.
    """
    from scipy.signal import welch  # here, because it takes longer to load than many runs

    t, x = signals(t, x)
    rate = (len(t) - 1) / (t[-1] - t[0])
    segment = round(rate / resolution)
    if segment > len(x):
        raise DataError(
            f"a record of {t[-1] - t[0]:.4g} s has no spectrum with a resolution of {resolution:g} Hz, "
            f"which takes "
            f"{1.0 / resolution:g} s; let the run last longer"
        )
    f, density = welch(x, rate, nperseg=segment)
    return Spectrum(np.asarray(f, dtype=float), np.asarray(density, dtype=float))


def weigh_acceleration(t: ArrayLike, acceleration: ArrayLike, weighting: Weighting = W_K) -> float:
    """Return the root mean square of an acceleration weighted by ISO 2631-1 [m/s²]."""
    t, a = signals(t, acceleration)
    return compute_weighted_rms(t, a, weighting)
