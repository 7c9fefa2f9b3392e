"""Fits of models to recorded runs: least squares with priors, noise of every channel, and identifiability.

With residuals r = (measured − predicted)/σ of all samples the fit minimises

    Σ ρ(r²)/τ + Σ ((θ − θ₀)/s)²,

ρ Huber's loss, θ₀ and s the priors.  The noise of every channel and session is that of the residuals: a
constant, a part of the signal and a jitter, σ² = a² + b² ⟨z²⟩ + c² ⟨ż²⟩ over its memory.  τ is their
correlation time in samples: N correlated samples are worth N/τ independent ones.  Both are estimated in
rounds with the free numbers.  The posterior covariance is that of Laplace's approximation.

Offsets of sensors may drift: they differ from window to window, and change within at a constant rate.  Both
have normal distributions, whose variances are estimated for every channel and session.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.identification.noise import (
    OUTLYING,
    SAME_NOISE,
    TINY,
    Huber,
    Key,
    Noise,
    NoiseOfRows,
)
from ce_dynamics.models.identification.plant import Plant
from ce_dynamics.models.identification.problem import LOST, FitProblem, FittedNumber, free_numbers
from ce_dynamics.models.identification.recording import Recording
from ce_dynamics.models.identification.shooting import Options, Shooter, segments_of
from ce_dynamics.models.vehicles.sweeps.folder import write

UNTOLD = 0.9
"""Part of its prior standard deviation above which a number counts as not determined by the data."""
AT_BOUND = 1e-3
"""Distance from a bound, in prior standard deviations, that counts as none: SciPy's steps stay inside."""
CORRELATED = 0.95
"""Correlation of two estimates that is reported."""
ROUNDS, EVALUATIONS, AT_FIRST = 20, 4, 30
"""Most rounds, and most evaluations of each: noise that is still wrong makes more a waste.

The first round runs on, without outliers: noise of half a fit would hide what is to be fitted.  Data count
too much then: no number moves by more than `OUTLYING` of its prior's deviations in that round.
"""
SETTLED, CLOSE = 0.05, 0.04
"""Relative change of the noise's rms, and square of the last step [posterior sd], that end the rounds."""
SAME = 1e-6
"""Relative difference of the noise of one state on two processors, which round sums differently."""


@dataclass(frozen=True)
class Fit:
    """A model fitted to runs.

    Attributes
    ----------
    free : list of FreeNumber
    values, sd : (k,) arrays
        Estimates and posterior standard deviations.
    covariance : (k, k) array
    noise : dict of (session, channel) to Noise
    reach : dict of str to float
        Largest value of every channel in the windows of the fit.
    singular_values : (k,) array
        Of the derivatives of the data by the free numbers, in standard deviations of noise and priors: below
        1 a direction is determined by the priors more than by the data.
    undetermined : list of str
        Numbers that the data do not determine.
    bounded : list of str
        Numbers that end at a bound: their standard deviations are too small, and the bound needs a reason.
    correlated : list of (str, str, float)
    unexplained : list of (session, channel)
        Channels from which predictions differ by more, in rms, than the mean does.
    windows : int
    samples : int
    """

    plant: Plant
    shooter: Shooter
    options: Options
    free: list[FittedNumber]
    values: Floats
    sd: Floats
    covariance: Floats
    noise: dict[Key, Noise]
    reach: dict[str, float]
    singular_values: Floats
    weakest: str
    undetermined: list[str]
    bounded: list[str]
    correlated: list[tuple[str, str, float]]
    unexplained: list[Key]
    windows: int
    samples: int
    rounds: int
    at_end: Rounds = field(repr=False)

    def noise_in(self, key: Key) -> Noise:
        """Return the noise of a channel; of a session that was not fitted the rms of the others'."""
        keys = [key] if key in self.noise else list(self.noise)
        found = [self.noise[other] for other in keys if other[1] == key[1]]
        if not found:
            raise DataError(f"channel {key[1]!r} was not fitted, so that its noise is not known")
        return Noise(*np.sqrt(np.mean(np.square(found), axis=0)).tolist())


def fit_plant(
    plant: Plant,
    runs: Sequence[Recording],
    free: Mapping[str, Any] | Sequence[str],
    options: Options | None = None,
    progress: Callable[[str], None] | None = None,
    keep: Path | None = None,
) -> Fit:
    """Fit free numbers of a plant to runs.

    Parameters
    ----------
    plant : Plant
    runs : sequence of Recording
    free : mapping or sequence of str
        See `problem.free_numbers`.
    options : Options, optional
    progress : callable, optional
        Given a line after every round.
    keep : path, optional
        A file for the state after every round; where it is there, the fit goes on from it.
    """
    chosen = options or Options()
    shooter = Shooter(plant, chosen.step, max(1, round(chosen.interval / chosen.step)))
    wanted = free if isinstance(free, Mapping) else dict.fromkeys(free)
    problem = FitProblem(shooter, segments_of(runs, chosen), free_numbers(plant, runs, wanted), chosen)
    return Rounds(problem).fit(progress or (lambda line: None), keep)


class Rounds:
    """Rounds of least squares, between which noise, correlation times and starts are estimated.

    The starts s of a segment act on its rows alone, and almost linearly because they fade.  They are
    eliminated (variable projection): with B = ∂r/∂s, the priors of s in its last rows, what is minimised over
    the free numbers θ is (1 − B B⁺) r(θ, s), at the s of the round before.
    """

    def __init__(self, problem: FitProblem) -> None:
        self.problem, self.n = problem, len(problem.free)
        self.prior, self.scale, low, high = (
            np.array([getattr(f, name) for f in problem.free]) for name in ("prior", "sd", "lower", "upper")
        )
        self.bounds = (low - self.prior) / self.scale, (high - self.prior) / self.scale
        self.start_prior = np.array([start.prior for start in problem.starts])
        self.starts = self.start_prior.copy()
        keys = [problem.key(rows) for rows in problem.rows]
        self.noise = NoiseOfRows(keys, [rows.time for rows in problem.rows])
        for start in problem.starts:
            if start.drift:
                self.noise.set_drift(problem.key(start), start.drift, start.sd)
        self._latest: tuple[bytes, Any] | None = None

    def predict(self, theta: Floats) -> Any:
        """Return predictions; cache the latest, because derivatives are computed at the same numbers."""
        x = np.concatenate((theta, self.starts))
        if self._latest is None or self._latest[0] != x.tobytes():
            self._latest = x.tobytes(), self.problem.predict(x)
        return self._latest[1]

    def residuals(self, theta: Floats) -> list[Floats]:
        """Return measured less predicted values of all rows."""
        values, _ = self.predict(theta)
        return [rows.measured - value for rows, value in zip(self.problem.rows, values, strict=True)]

    def blocks(self, theta: Floats) -> list[tuple[list[int], list[int], Floats, Floats, Floats]]:
        """Return rows and starts of every segment, and r, ∂r/∂z and ∂r/∂s in standard deviations."""
        n, problem = self.n, self.problem
        values, jacobians = self.predict(theta)
        weights, start_scale = self.noise.weights(), self.problem.start_scale(self.noise.channels.__getitem__)
        found = []
        for k in range(len(problem.segments)):
            rows = [i for i, r in enumerate(problem.rows) if r.segment == k]
            own = problem.starts_of[k]
            parts = [
                np.nan_to_num((problem.rows[i].measured - values[i]) * weights[i], nan=LOST) for i in rows
            ]
            slopes = [np.nan_to_num(jacobians[i]) * -weights[i][:, np.newaxis] for i in rows]
            J = np.concatenate([np.zeros((0, problem.number)), *slopes])  # a window may have no samples
            r = np.concatenate([*parts, (self.starts[own] - self.start_prior[own]) / start_scale[own]])
            A = np.vstack((J[:, :n] * self.scale, np.zeros((len(own), n))))
            B = np.vstack((J[:, [n + j for j in own]] * start_scale[own], np.eye(len(own))))
            found.append((rows, own, r, A, B))
        return found

    def eliminate_starts(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return residuals and their derivatives without starts, then the priors of the free numbers."""
        residuals, slopes = [], []
        for _, _, r, A, B in self.blocks(theta):
            Q = np.linalg.qr(B)[0]
            residuals.append(r - Q @ (Q.T @ r))
            slopes.append(A - Q @ (Q.T @ A))
        z = (theta - self.prior) / self.scale
        return np.concatenate([*residuals, z]), np.vstack([*slopes, np.eye(self.n)])

    def move_starts(self, theta: Floats) -> None:
        """Move the starts to where they fit best."""
        moved, scale = self.starts.copy(), self.problem.start_scale(self.noise.channels.__getitem__)
        for _, own, r, _, B in self.blocks(theta):
            if own:
                moved[own] -= scale[own] * np.linalg.lstsq(B, r, rcond=None)[0]
        self.starts = moved

    def estimate_noise(self, theta: Floats) -> None:
        """Estimate the noise from the residuals, and how far sensors drift from their moves.

        Standard deviations d of N moves s with posterior mean s̄ and variance v follow from expectation
        maximisation, d² ← (d₀² + Σ (s̄² + v))/(N + 1): what is given, d₀, counts as one window.
        """
        self.noise.estimate(self.predict(theta)[0], self.residuals(theta))
        starts, scale = self.problem.starts, self.problem.start_scale(self.noise.channels.__getitem__)
        parts = []
        for _, own, r, _, B in self.blocks(theta):
            data = B[: -len(own)] / scale[own] if own else B
            G = data.T @ data
            parts.append((own, G, G @ (self.starts - self.start_prior)[own] - data.T @ r[: len(data)]))
        kinds: dict[tuple[Key, str], list[int]] = {}
        for k, start in enumerate(starts):
            if start.drift:
                kinds.setdefault((self.problem.key(start), start.drift), []).append(k)
        given, before = np.array([start.sd for start in starts]), np.zeros(len(starts))
        sd = given.copy()
        while not np.allclose(sd, before, rtol=SAME_NOISE, atol=0.0):
            squares, before = np.zeros(len(sd)), sd.copy()
            for own, G, g in parts:
                covariance = np.linalg.inv(G + np.diag(sd[own] ** -2.0))
                squares[own] = (covariance @ g) ** 2 + np.diag(covariance)
            for own in kinds.values():
                sd[own] = np.sqrt((given[own] ** 2 + np.sum(squares[own])) / (len(own) + 1))
        for (key, name), own in kinds.items():
            self.noise.set_drift(key, name, float(sd[own[0]]))

    def limits(self) -> Floats:
        """Return squared residuals beyond which they count linearly, in the order of `eliminate_starts`."""
        found = []
        for k, starts in enumerate(self.problem.starts_of):
            for rows in (rows for rows in self.problem.rows if rows.segment == k):
                time = self.noise.channels[self.problem.key(rows)].correlation_time
                found.append(np.full(len(rows.time), OUTLYING**2 / time))
            found.append(np.full(len(starts), np.inf))
        return np.concatenate([*found, np.full(self.n, np.inf)])

    def fit(self, progress: Callable[[str], None], keep: Path | None = None) -> Fit:
        """Fit."""
        count, theta, done = 0, self.prior.copy(), False
        if keep is not None and keep.is_file():
            count, theta, done = self.resume(keep)
            progress(f"round {count} was read from {keep}")
        else:
            for note in self.problem.check_followed(self.residuals(theta)):
                progress(note)
            self.noise.assume(rows.measured for rows in self.problem.rows)

        def cost(z: Floats) -> Floats:
            return self.eliminate_starts(self.prior + self.scale * z)[0]

        def slope(z: Floats) -> Floats:
            return self.eliminate_starts(self.prior + self.scale * z)[1]

        while count < ROUNDS and not done:
            before, previous = self.noise.rms(), theta
            low, high = self.bounds if count else np.clip(self.bounds, -OUTLYING, OUTLYING)
            loss: Any = Huber(self.limits()) if count else "linear"
            found = least_squares(
                cost,
                np.clip((theta - self.prior) / self.scale, low + TINY, high - TINY),
                slope,
                bounds=(low, high), loss=loss, xtol=1e-5, ftol=1e-4,
                max_nfev=EVALUATIONS if count else AT_FIRST,
            )  # fmt: skip
            theta, count = self.prior + self.scale * found.x, count + 1
            self.move_starts(theta)
            self.estimate_noise(theta)
            rms = self.noise.rms()
            change = max(abs(np.log(rms[k] / before[k])) for k in before)
            _, J, w = self.normal(theta)
            step = float(np.sum(w * (J @ ((theta - previous) / self.scale)) ** 2))
            done = bool(change < SETTLED and step < CLOSE)
            if keep is not None:
                state = {
                    "count": count, "done": done, "theta": theta.tolist(), "starts": self.starts.tolist(),
                    "noise": list(rms.values()),
                }  # fmt: skip
                write(keep, json.dumps(self.identity() | state).encode())
            noise = ", ".join(f"{channel} {value:.4g}" for (_, channel), value in rms.items())
            progress(f"round {count}: noise {noise}; step {np.sqrt(step):.2g} deviations")
        return self.result(theta, count)

    def identity(self) -> dict[str, Any]:
        """Return the data that two fits must share if one continues the other."""
        free, rows = self.problem.free, self.problem.rows
        return {
            "names": [f.name for f in free], "priors": [list(f[1:5]) for f in free],
            "drifts": [[f.name, f.sd] for f in self.problem.drifts],
            "samples": [len(r.time) for r in rows],
        }  # fmt: skip

    def resume(self, keep: Path) -> tuple[int, Floats, bool]:
        """Return round, numbers and end of a fit from its file; starts and noise follow from them."""
        try:
            kept = json.loads(keep.read_text("utf-8"))
            count, theta, starts = int(kept["count"]), np.array(kept["theta"]), np.array(kept["starts"])
            noise, done = np.array(kept["noise"], dtype=float), bool(kept["done"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(f"{keep}: no state of a fit can be read from it ({error}); delete it") from None
        for part, value in self.identity().items():
            if kept.get(part) != value:
                raise DataError(f"{keep}: is of a fit with other {part}; delete it or name another folder")
        self.starts = starts
        self.estimate_noise(theta)
        own = list(self.noise.rms().values())
        if not np.allclose(noise, own, rtol=SAME):
            raise DataError(
                f"{keep}: is of a fit of another vehicle or other data: its noise is {noise.tolist()}, not "
                f"{own}; delete it or name another folder"
            )
        return count, theta, done

    def normal(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Return residuals and derivatives of `eliminate_starts`, and the weights of the rows."""
        r, J = self.eliminate_starts(theta)
        return r, J, np.minimum(1.0, np.sqrt(self.limits() / np.maximum(r**2, TINY)))

    def result(self, theta: Floats, rounds: int) -> Fit:
        """Return the fit at its end."""
        problem, n = self.problem, self.n
        _, J, w = self.normal(theta)
        measured = self.noise.join(rows.measured for rows in problem.rows)
        errors = self.noise.join(self.residuals(theta))
        information = J[:-n].T @ (w[:-n, np.newaxis] * J[:-n])
        scales = np.outer(self.scale, self.scale)
        covariance = np.asarray(np.linalg.inv(information + np.eye(n)) * scales, dtype=np.float64)
        sd = np.sqrt(np.diag(covariance))
        squares, vectors = np.linalg.eigh(information)
        names = [f.name for f in problem.free]
        correlation = covariance / np.outer(sd, sd)
        largest = np.argsort(-np.abs(vectors[:, 0]))[:3]
        return Fit(
            plant=problem.shooter.plant, shooter=problem.shooter, options=problem.options, free=problem.free,
            values=theta, sd=sd, covariance=covariance, noise=dict(self.noise.channels),
            reach={
                channel: max(float(np.abs(r.measured).max()) for r in problem.rows if r.channel == channel)
                for _, channel in self.noise.keys
            },
            singular_values=np.sqrt(np.maximum(squares[::-1], 0.0)),
            weakest=", ".join(f"{vectors[k, 0]:+.2f} {names[k]}" for k in largest),
            undetermined=[f.name for f, s in zip(problem.free, sd, strict=True) if s > UNTOLD * f.sd],
            bounded=[
                f.name
                for f, z in zip(problem.free, theta, strict=True)
                if min(z - f.lower, f.upper - z) < AT_BOUND * f.sd
            ],
            correlated=[
                (names[i], names[j], float(correlation[i, j]))
                for i in range(n) for j in range(i) if abs(correlation[i, j]) > CORRELATED
            ],
            unexplained=[k for k, error in errors.items() if not np.mean(error**2) < np.var(measured[k])],
            windows=len(problem.segments), samples=sum(len(rows.time) for rows in problem.rows),
            rounds=rounds, at_end=self,
        )  # fmt: skip
