"""Fits of models to recorded runs: least squares with priors, noise of every channel, and what data tell.

With residuals r = (measured − predicted)/σ of all samples the fit minimises

    Σ ρ(r²)/τ + Σ ((θ − θ₀)/s)²,

ρ Huber's loss, θ₀ and s the priors.  The noise of every channel and session is that of the residuals: a
constant and a part of the signal, σ² = a² + (b z)².  τ is their correlation time in samples: N correlated
samples tell as much as N/τ independent ones.  Both are estimated in rounds with the free numbers.  The
posterior covariance is that of Laplace's approximation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares, nnls

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.identification.plant import Plant
from ce_dynamics.models.identification.problem import (
    LOST,
    FreeNumber,
    Options,
    Problem,
    Segment,
    free_numbers,
)
from ce_dynamics.models.identification.recording import Recording
from ce_dynamics.models.identification.shooting import Shooter

OUTLYING = 3.0
"""Standard deviations beyond which a residual counts linearly."""
UNTOLD = 0.9
"""Part of its prior standard deviation above which a number counts as not determined by the data."""
CORRELATED = 0.95
"""Correlation of two estimates that is reported."""
ROUNDS, SETTLED = 8, 0.02
"""Most rounds, and change of the noise (relative) and of numbers (in standard deviations) that ends them."""

EVALUATIONS = 12
"""Most evaluations of a round."""
START_PART = 0.3
"""Standard deviation of the prior of a start, as a part of that of the channel that measures it."""
TINY = 1e-12
SMALLEST_PART = 0.01
"""Least constant part of the noise, of the variance of the residuals: samples at rest count no more."""

Key = tuple[str, str]
"""Session and channel."""


class Noise(NamedTuple):
    """Noise of a channel: σ² = sd² + (part z)² where z is predicted; sd in the channel's unit."""

    sd: float
    part: float

    def at(self, z: Floats) -> Floats:
        """σ where z is predicted."""
        return np.sqrt(self.sd**2 + (self.part * z) ** 2)


def noise_of(residuals: Floats, predicted: Floats) -> Noise:
    """Return the noise of largest likelihood, outliers counted as if they lay at the limit.

    With s = σ² it is stationary where the regression of r² on 1 and z² with weights 1/s² is.
    """
    basis = np.column_stack((np.ones_like(predicted), predicted**2))
    scale = np.maximum(np.max(basis, axis=0), TINY)
    variances = np.array([np.mean(residuals**2) + TINY**2, 0.0])
    least = SMALLEST_PART * variances[0]
    for _ in range(20):
        s = basis @ variances
        found, _ = nnls(basis / scale / s[:, np.newaxis], np.minimum(residuals**2, OUTLYING**2 * s) / s)
        variances = np.maximum(found / scale, [least, 0.0])
    return Noise(*np.sqrt(variances).tolist())


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
    correlation_time : dict of (session, channel) to float
        τ in samples.
    singular_values : (k,) array
        Of the derivatives of the data by the free numbers, in standard deviations of noise and priors: below
        1 a direction is told by the priors more than by the data.
    undetermined : list of str
        Numbers that the data do not tell.
    correlated : list of (str, str, float)
    windows : int
    samples : int
    """

    plant: Plant
    shooter: Shooter
    options: Options
    free: list[FreeNumber]
    values: Floats
    sd: Floats
    covariance: Floats
    noise: dict[Key, Noise]
    correlation_time: dict[Key, float]
    singular_values: Floats
    weakest: str
    undetermined: list[str]
    correlated: list[tuple[str, str, float]]
    windows: int
    samples: int
    rounds: int
    problem: Problem = field(repr=False)
    starts: Floats = field(repr=False)

    def noise_in(self, session: str, channel: str) -> Noise:
        """Return the noise of a channel; of a session that was not fitted the rms of the others'."""
        if (session, channel) in self.noise:
            return self.noise[session, channel]
        others = [noise for (_, name), noise in self.noise.items() if name == channel]
        if not others:
            raise DataError(f"channel {channel!r} was not fitted, so that its noise is not known")
        return Noise(*np.sqrt(np.mean(np.square(others), axis=0)).tolist())


def segments_of(runs: Sequence[Recording], options: Options) -> list[Segment]:
    """Return the windows of runs as segments."""
    return [Segment(run, *window) for run in runs for window in run.windows(options.length, options.lead)]


def fit_plant(
    plant: Plant,
    runs: Sequence[Recording],
    free: Mapping[str, Any] | Sequence[str],
    options: Options | None = None,
    progress: Callable[[str], None] | None = None,
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

    Raises
    ------
    DataError
        If a name is wrong, there are no windows, or the model cannot follow a run.
    """
    chosen = options or Options()
    shooter = Shooter(plant, chosen.step, max(1, round(chosen.interval / chosen.step)))
    wanted = free if isinstance(free, Mapping) else dict.fromkeys(free)
    problem = Problem(shooter, segments_of(runs, chosen), free_numbers(plant, runs, wanted), chosen)
    return Rounds(problem).fit(progress or (lambda line: None))


class Rounds:
    """Rounds of least squares, between which noise, correlation times and starts are estimated.

    The starts s of a segment act on its rows alone, and almost linearly because they fade.  They are
    eliminated (variable projection): with B = ∂r/∂s, the priors of s in its last rows, what is minimised over
    the free numbers θ is (1 − B B⁺) r(θ, s), at the s of the round before.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem, self.n = problem, len(problem.free)
        starts = problem.starts
        self.prior, self.scale, low, high = (
            np.array([getattr(f, name) for f in problem.free]) for name in ("prior", "sd", "lower", "upper")
        )
        self.bounds = (low - self.prior) / self.scale, (high - self.prior) / self.scale
        self.start_prior = np.array([problem.measured_start(k, channel) for k, channel, _ in starts])
        self.starts = self.start_prior.copy()
        runs = list({id(s.run): s.run for s in problem.segments}.values())
        spread = {
            c: max(float(np.nanstd(r.outputs[c].values)) for r in runs if c in r.outputs)
            for _, c, _ in starts
        }
        self.start_scale = np.array([START_PART * spread[c] or 1.0 for _, c, _ in starts])
        self.keys: list[Key] = [(problem.segments[r.segment].run.session, r.channel) for r in problem.rows]
        self.noise: dict[Key, Noise] = {}
        self.sizes: list[Floats] = []
        self.time: dict[Key, float] = {}
        self._latest: tuple[bytes, Any] | None = None

    def predicted(self, theta: Floats) -> Any:
        """Predictions; the latest are kept, because derivatives are asked for at the same numbers."""
        x = np.concatenate((theta, self.starts))
        if self._latest is None or self._latest[0] != x.tobytes():
            self._latest = x.tobytes(), self.problem.predicted(x)
        return self._latest[1]

    def residuals(self, theta: Floats) -> list[Floats]:
        """Measured less predicted values of all rows."""
        values, _ = self.predicted(theta)
        return [rows.measured - value for rows, value in zip(self.problem.rows, values, strict=True)]

    def blocks(self, theta: Floats) -> list[tuple[list[int], list[int], Floats, Floats, Floats]]:
        """Return of every segment its rows, its starts, and r, ∂r/∂z and ∂r/∂s in standard deviations."""
        n, problem = self.n, self.problem
        values, jacobians = self.predicted(theta)
        weights = self.weights()
        found = []
        for k in range(len(problem.segments)):
            rows = [i for i, r in enumerate(problem.rows) if r.segment == k]
            own = [j for j, start in enumerate(problem.starts) if start[0] == k]
            parts = [
                np.nan_to_num((problem.rows[i].measured - values[i]) * weights[i], nan=LOST) for i in rows
            ]
            J = np.concatenate([np.nan_to_num(jacobians[i]) * -weights[i][:, np.newaxis] for i in rows])
            r = np.concatenate([*parts, (self.starts[own] - self.start_prior[own]) / self.start_scale[own]])
            A = np.vstack((J[:, :n] * self.scale, np.zeros((len(own), n))))
            B = np.vstack((J[:, [n + j for j in own]] * self.start_scale[own], np.eye(len(own))))
            found.append((rows, own, r, A, B))
        return found

    def eliminated(self, theta: Floats) -> tuple[Floats, Floats]:
        """Residuals and their derivatives, without starts; behind them the priors of the free numbers."""
        residuals, slopes = [], []
        for _, _, r, A, B in self.blocks(theta):
            Q = np.linalg.qr(B)[0]
            residuals.append(r - Q @ (Q.T @ r))
            slopes.append(A - Q @ (Q.T @ A))
        z = (theta - self.prior) / self.scale
        return np.concatenate([*residuals, z]), np.vstack([*slopes, np.eye(self.n)])

    def cost(self, z: Floats) -> Floats:
        """Residuals of `eliminated` at z, in standard deviations of the priors."""
        return self.eliminated(self.prior + self.scale * z)[0]

    def slope(self, z: Floats) -> Floats:
        """Their derivatives by z."""
        return self.eliminated(self.prior + self.scale * z)[1]

    def move_starts(self, theta: Floats) -> None:
        """Move the starts to where they fit best."""
        moved = self.starts.copy()
        for _, own, r, _, B in self.blocks(theta):
            if own:
                moved[own] -= self.start_scale[own] * np.linalg.lstsq(B, r, rcond=None)[0]
        self.starts = moved

    def estimate_noise(self, theta: Floats) -> None:
        """Estimate noise and correlation times from the residuals, and what samples weigh then."""
        values, residuals = self.predicted(theta)[0], self.residuals(theta)
        sizes = [np.zeros(0)] * len(residuals)
        for key in dict.fromkeys(self.keys):
            own = [k for k, other in enumerate(self.keys) if other == key]
            good = [np.isfinite(residuals[k]) for k in own]
            r, z = (
                np.concatenate([x[k][g] for k, g in zip(own, good, strict=True)]) for x in (residuals, values)
            )
            self.noise[key] = noise = noise_of(r, z)
            for k in own:
                sizes[k] = noise.at(np.nan_to_num(values[k]))
            scaled = [(residuals[k] / sizes[k])[g] for k, g in zip(own, good, strict=True)]
            self.time[key] = correlation_time(scaled)
        self.sizes = sizes

    def weights(self) -> list[Floats]:
        """1/(σ √τ) of all samples."""
        return [1.0 / (s * np.sqrt(self.time[k])) for s, k in zip(self.sizes, self.keys, strict=True)]

    def limits(self) -> Floats:
        """Squares of the residuals beyond which they count linearly, in the order of `eliminated`."""
        found = []
        for k in range(len(self.problem.segments)):
            own = [(r, key) for r, key in zip(self.problem.rows, self.keys, strict=True) if r.segment == k]
            found += [np.full(len(r.time), OUTLYING**2 / self.time[key]) for r, key in own]
            found.append(np.full(sum(start[0] == k for start in self.problem.starts), np.inf))
        return np.concatenate([*found, np.full(self.n, np.inf)])

    def fit(self, progress: Callable[[str], None]) -> Fit:
        """Fit."""
        theta = self.prior.copy()
        self.check_followed(theta)
        self.estimate_noise(theta)
        self.time = dict.fromkeys(self.time, 1.0)  # what the priors leave is no noise: data come first
        count = 0
        for count in range(1, ROUNDS + 1):
            before, previous = dict(self.noise), theta
            low, high = self.bounds
            loss: Any = Huber(self.limits())
            found = least_squares(
                self.cost,
                np.clip((theta - self.prior) / self.scale, low + TINY, high - TINY),
                self.slope,
                bounds=self.bounds, loss=loss, max_nfev=EVALUATIONS, xtol=1e-5, ftol=1e-6,
            )  # fmt: skip
            theta = self.prior + self.scale * found.x
            self.move_starts(theta)
            self.estimate_noise(theta)
            progress(
                f"round {count}: noise " + ", ".join(f"{c} {n.sd:.4g}" for (_, c), n in self.noise.items())
            )
            change = max(abs(np.log(self.noise[k].sd / before[k].sd)) for k in before)
            moved = np.max(np.abs(theta - previous) / self.scale, initial=0.0)
            if change < SETTLED and moved < SETTLED:
                break
        return self.result(theta, count)

    def check_followed(self, theta: Floats) -> None:
        """Refuse runs that the model cannot follow at its priors in any window."""
        lost: dict[str, list[float]] = {}
        for rows, residual in zip(self.problem.rows, self.residuals(theta), strict=True):
            bad = ~np.isfinite(residual)
            if bad.any():
                lost.setdefault(self.problem.segments[rows.segment].run.name, []).append(rows.time[bad][0])
        for name, times in lost.items():
            if len(times) >= sum(
                self.problem.segments[r.segment].run.name == name for r in self.problem.rows
            ):
                raise DataError(
                    f"{name}: the base vehicle cannot follow the run; its simulation fails first at "
                    f"{min(times):.2f} s: shorten the step, or correct inputs or base vehicle"
                )

    def result(self, theta: Floats, rounds: int) -> Fit:
        """Return the fit at its end."""
        problem, n = self.problem, self.n
        r, J = self.eliminated(theta)
        limits = self.limits()
        told = J[:-n] * np.minimum(1.0, np.sqrt(limits / np.maximum(r**2, TINY)))[:-n, np.newaxis] ** 0.5
        information = told.T @ told
        scales = np.outer(self.scale, self.scale)
        covariance = np.asarray(np.linalg.inv(information + np.eye(n)) * scales, dtype=np.float64)
        sd = np.sqrt(np.diag(covariance))
        squares, vectors = np.linalg.eigh(information)
        names = [f.name for f in problem.free]
        correlation = covariance / np.outer(sd, sd)
        largest = np.argsort(-np.abs(vectors[:, 0]))[:3]
        return Fit(
            plant=problem.shooter.plant, shooter=problem.shooter, options=problem.options, free=problem.free,
            values=theta, sd=sd, covariance=covariance, noise=dict(self.noise),
            correlation_time=dict(self.time), singular_values=np.sqrt(np.maximum(squares[::-1], 0.0)),
            weakest=", ".join(f"{vectors[k, 0]:+.2f} {names[k]}" for k in largest),
            undetermined=[f.name for f, s in zip(problem.free, sd, strict=True) if s > UNTOLD * f.sd],
            correlated=[
                (names[i], names[j], float(correlation[i, j]))
                for i in range(n) for j in range(i) if abs(correlation[i, j]) > CORRELATED
            ],
            windows=len(problem.segments), samples=sum(len(rows.time) for rows in problem.rows),
            rounds=rounds, problem=problem, starts=self.starts,
        )  # fmt: skip


class Huber:
    """Huber's loss of squared residuals z, with a limit of its own for every row, as SciPy takes it."""

    def __init__(self, limits: Floats) -> None:
        self.limits = limits

    def __call__(self, z: Floats) -> Floats:
        """ρ, ρ′ and ρ″ in rows."""
        k, root = np.sqrt(self.limits), np.sqrt(np.maximum(z, 1e-300))
        inside = z <= self.limits
        with np.errstate(invalid="ignore"):
            rho = np.where(inside, z, 2.0 * k * root - self.limits)
            first = np.where(inside, 1.0, k / root)
            second = np.where(inside, 0.0, -0.5 * k / root**3)
        return np.vstack((rho, first, second))


def correlation_time(parts: Sequence[Floats]) -> float:
    """Return 1 + 2 Σ ρ_k, the sum over autocorrelations up to the first that is not positive, in samples."""
    parts = [part for part in parts if len(part) > 4]
    longest = min((len(part) for part in parts), default=0) // 2
    power = sum(float(np.dot(part, part)) for part in parts)
    total = 1.0
    for lag in range(1, longest):
        pairs = sum(len(part) - lag for part in parts)
        rho = sum(float(np.dot(part[lag:], part[:-lag])) for part in parts) / pairs
        rho /= power / sum(len(part) for part in parts)
        if rho <= 2.0 / np.sqrt(pairs):
            break
        total += 2.0 * rho
    return total
