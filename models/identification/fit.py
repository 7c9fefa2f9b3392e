"""Fits of models to recorded runs: least squares with priors, noise of every channel, and identifiability.

With residuals r = (measured − predicted)/σ of all samples the fit minimises

    Σ ρ(r²)/τ + Σ ((θ − θ₀)/s)²,

ρ Huber's loss, θ₀ and s the priors.  The noise of every channel and session is that of the residuals: a
constant, a part of the signal and a jitter, σ² = a² + b² ⟨z²⟩ + c² ⟨ż²⟩ over its memory.  τ is their
correlation time in samples: N correlated samples are worth N/τ independent ones.  Both are estimated in
rounds with the free numbers.  The posterior covariance is that of Laplace's approximation.

Bands must hold for errors that are neither white nor normal.  Every fifth of a run, whose windows share
what drifts, is predicted from its leads by the numbers that the rest gives (to first order), as new runs
are.  The 95 % quantile of these errors, over their standard deviation, is the half width of bands
(jackknife+, Barber, Candès, Ramdas and Tibshirani, Ann. Statist. 49, 2021: the parts need to be exchangeable,
nothing else).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.sampling import MOST_RUNS
from ce_dynamics.models.identification.noise import (
    OUTLYING,
    TINY,
    WITHIN,
    Huber,
    Noise,
    correlation_time,
    likeliest_noise,
)
from ce_dynamics.models.identification.plant import Plant
from ce_dynamics.models.identification.problem import (
    LOST,
    FitProblem,
    FittedNumber,
    Options,
    Segment,
    free_numbers,
)
from ce_dynamics.models.identification.recording import Recording
from ce_dynamics.models.identification.shooting import Shooter
from ce_dynamics.models.vehicles.sweeps.folder import write

UNTOLD = 0.9
"""Part of its prior standard deviation above which a number counts as not determined by the data."""
AT_BOUND = 1e-3
"""Distance from a bound, in prior standard deviations, that counts as none: SciPy's steps stay inside."""
CORRELATED = 0.95
"""Correlation of two estimates that is reported."""
ROUNDS, EVALUATIONS, AT_FIRST = 20, 4, 30
"""Most rounds, and most evaluations of each: noise that is still wrong makes more a waste.

The first round runs on, without outliers: noise of half a fit would hide what is to be fitted.
"""
SETTLED, CLOSE = 0.05, 0.04
"""Relative change of the noise's rms, and square of the last step [posterior sd], that end the rounds."""
FIRST = 0.1
"""Noise of the first round, as a part of every channel's standard deviation.

Data count too much then: no number moves by more than `OUTLYING` of its prior's deviations in that round.
"""
SAME = 1e-6
"""Relative difference of the noise of one state on two processors, which round sums differently."""
FEWEST = 5
"""Parts of runs that determine the width of bands: without one, four still determine the numbers."""
Key = tuple[str, str]
"""Session and channel."""


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
    width : dict of str to float
        Half width of a channel's 95 % band, in standard deviations of noise and free numbers: 1.96 for
        normal errors.
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
    width: dict[str, float]
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

    def noise_in(self, session: str, channel: str) -> Noise:
        """Return the noise of a channel; of a session that was not fitted the rms of the others'."""
        keys = [(session, channel)] if (session, channel) in self.noise else list(self.noise)
        found = [self.noise[key] for key in keys if key[1] == channel]
        if not found:
            raise DataError(f"channel {channel!r} was not fitted, so that its noise is not known")
        return Noise(*np.sqrt(np.mean(np.square(found), axis=0)).tolist())


def segments_of(runs: Sequence[Recording], options: Options) -> list[Segment]:
    """Return the windows of runs as segments."""
    return [Segment(run, *window) for run in runs for window in run.windows(options.length, options.lead)]


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
        self.start_prior, self.start_scale = (
            np.array([getattr(start, name) for start in problem.starts]) for name in ("prior", "sd")
        )
        self.starts = self.start_prior.copy()
        self.keys: list[Key] = [(problem.segments[r.segment].run.session, r.channel) for r in problem.rows]
        self.noise: dict[Key, Noise] = {}
        self.sizes: list[Floats] = []
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
        weights = self.weights()
        found = []
        for k in range(len(problem.segments)):
            rows = [i for i, r in enumerate(problem.rows) if r.segment == k]
            own = [j for j, start in enumerate(problem.starts) if start.segment == k]
            parts = [
                np.nan_to_num((problem.rows[i].measured - values[i]) * weights[i], nan=LOST) for i in rows
            ]
            slopes = [np.nan_to_num(jacobians[i]) * -weights[i][:, np.newaxis] for i in rows]
            J = np.concatenate([np.zeros((0, problem.number)), *slopes])  # a window may have no samples
            r = np.concatenate([*parts, (self.starts[own] - self.start_prior[own]) / self.start_scale[own]])
            A = np.vstack((J[:, :n] * self.scale, np.zeros((len(own), n))))
            B = np.vstack((J[:, [n + j for j in own]] * self.start_scale[own], np.eye(len(own))))
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

    def cost(self, z: Floats) -> Floats:
        """Return residuals of `eliminate_starts` at z, in standard deviations of the priors."""
        return self.eliminate_starts(self.prior + self.scale * z)[0]

    def slope(self, z: Floats) -> Floats:
        """Return their derivatives by z."""
        return self.eliminate_starts(self.prior + self.scale * z)[1]

    def move_starts(self, theta: Floats) -> None:
        """Move the starts to where they fit best."""
        moved = self.starts.copy()
        for _, own, r, _, B in self.blocks(theta):
            if own:
                moved[own] -= self.start_scale[own] * np.linalg.lstsq(B, r, rcond=None)[0]
        self.starts = moved

    def assume_noise(self) -> None:
        """Assume the same part of every channel, and independent samples: errors of priors show no noise."""
        for key, measured in self.join_channels(r.measured for r in self.problem.rows).items():
            self.noise[key] = Noise(FIRST * float(np.std(measured)), 0.0, 0.0)
        self.sizes = [
            np.full(len(r.time), self.noise[k].sd) for r, k in zip(self.problem.rows, self.keys, strict=True)
        ]

    def estimate_noise(self, theta: Floats) -> None:
        """Estimate noise and correlation times from the residuals, and what samples weigh then."""
        values, residuals = self.predict(theta)[0], self.residuals(theta)
        sizes = [np.zeros(0)] * len(residuals)
        for key in dict.fromkeys(self.keys):
            own = [k for k, other in enumerate(self.keys) if other == key]
            parts = [(residuals[k], values[k], self.problem.rows[k].time) for k in own]
            noise = likeliest_noise(parts)
            for k, (_, z, time) in zip(own, parts, strict=True):
                sizes[k] = noise.at(z, time)
            scaled = [residuals[k] / sizes[k] for k in own]
            memory = correlation_time([x[np.isfinite(x)] for x in scaled])
            self.noise[key] = noise._replace(correlation_time=memory)
        self.sizes = sizes

    def noise_rms(self) -> dict[Key, float]:
        """Return the root mean square of the noise of every channel."""
        return {
            key: float(np.sqrt(np.mean(sizes**2))) for key, sizes in self.join_channels(self.sizes).items()
        }

    def join_channels(self, parts: Iterable[Floats]) -> dict[Key, Floats]:
        """Return parts of all rows, joined by channel."""
        found: dict[Key, list[Floats]] = {}
        for key, part in zip(self.keys, parts, strict=True):
            found.setdefault(key, []).append(part)
        return {key: np.concatenate(some) for key, some in found.items()}

    def weights(self) -> list[Floats]:
        """Return 1/(σ √τ) of all samples."""
        times = [np.sqrt(self.noise[key].correlation_time) for key in self.keys]
        return [1.0 / (s * t) for s, t in zip(self.sizes, times, strict=True)]

    def limits(self) -> Floats:
        """Return squared residuals beyond which they count linearly, in the order of `eliminate_starts`."""
        found = []
        for k in range(len(self.problem.segments)):
            own = [(r, key) for r, key in zip(self.problem.rows, self.keys, strict=True) if r.segment == k]
            found += [np.full(len(r.time), OUTLYING**2 / self.noise[key].correlation_time) for r, key in own]
            found.append(np.full(sum(start.segment == k for start in self.problem.starts), np.inf))
        return np.concatenate([*found, np.full(self.n, np.inf)])

    def fit(self, progress: Callable[[str], None], keep: Path | None = None) -> Fit:
        """Fit."""
        count, theta, done = 0, self.prior.copy(), False
        if keep is not None and keep.is_file():
            count, theta, done = self.resume(keep)
            progress(f"round {count} was read from {keep}")
        else:
            for note in self.check_followed(theta):
                progress(note)
            self.assume_noise()
        while count < ROUNDS and not done:
            before, previous = self.noise_rms(), theta
            low, high = self.bounds if count else np.clip(self.bounds, -OUTLYING, OUTLYING)
            loss: Any = Huber(self.limits()) if count else "linear"
            found = least_squares(
                self.cost,
                np.clip((theta - self.prior) / self.scale, low + TINY, high - TINY),
                self.slope,
                bounds=(low, high), loss=loss, xtol=1e-5, ftol=1e-4,
                max_nfev=EVALUATIONS if count else AT_FIRST,
            )  # fmt: skip
            theta, count = self.prior + self.scale * found.x, count + 1
            self.move_starts(theta)
            self.estimate_noise(theta)
            rms = self.noise_rms()
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
        own = list(self.noise_rms().values())
        if not np.allclose(noise, own, rtol=SAME):
            raise DataError(
                f"{keep}: is of a fit of another vehicle or other data: its noise is {noise.tolist()}, not "
                f"{own}; delete it or name another folder"
            )
        return count, theta, done

    def check_followed(self, theta: Floats) -> list[str]:
        """Return notes on windows that the model cannot follow at its priors; refuse runs of such alone."""
        lost: dict[str, dict[int, float]] = {}
        segments = self.problem.segments
        for rows, residual in zip(self.problem.rows, self.residuals(theta), strict=True):
            bad = ~np.isfinite(residual)
            if bad.any():
                lost.setdefault(segments[rows.segment].run.name, {}).setdefault(
                    rows.segment, rows.time[bad][0]
                )
        notes = []
        for name, times in lost.items():
            total, first = sum(segment.run.name == name for segment in segments), min(times.values())
            remedy = "shorten the step, or correct inputs or base vehicle"
            if len(times) >= total:
                raise DataError(
                    f"{name}: the base vehicle cannot follow the run; its simulation fails first at "
                    f"{first:.2f} s: {remedy}"
                )
            notes.append(
                f"{name}: the base vehicle cannot follow {len(times)} of {total} windows, the first from "
                f"{first:.2f} s: {remedy}"
            )
        return notes

    def normal(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Return residuals and derivatives of `eliminate_starts`, and the weights of the rows."""
        r, J = self.eliminate_starts(theta)
        return r, J, np.minimum(1.0, np.sqrt(self.limits() / np.maximum(r**2, TINY)))

    def widths(self, theta: Floats) -> dict[str, float]:
        """Return half widths of bands: quantiles of the errors of parts of runs that the others predict.

        Sessions differ in the size of their noise, and share the shape of its distribution.

        Errors count as normal where there are fewer than `FEWEST` windows.
        """
        if len(self.problem.segments) < FEWEST:
            return {channel: WITHIN for _, channel in self.keys}
        r, J, w = self.normal(theta)
        total, fitted = J.T @ (w[:, np.newaxis] * J), self.starts
        ratios: dict[str, list[Floats]] = {}
        self.starts, spread = start_by_leads(self.problem, theta, self.noise.__getitem__)
        blocks = self.blocks(theta)
        ends = np.cumsum([len(block[2]) for block in blocks])
        parts_of_runs = self.join_segments()
        for k, (rows, own, alone, by, B) in enumerate(blocks):
            left_out = np.concatenate(
                [np.arange(ends[j] - len(blocks[j][2]), ends[j]) for j in parts_of_runs[k]]
            )
            A = J[left_out] * w[left_out, np.newaxis]
            without = np.linalg.inv(total - A.T @ J[left_out])
            error = alone + by @ (without @ (A.T @ r[left_out]))
            variance = np.einsum("ij,jk,ik->i", by, without, by)
            among = spread[np.ix_(own, own)] / np.outer(self.start_scale[own], self.start_scale[own])
            variance += np.einsum("ij,jk,ik->i", B, among, B)
            parts = np.cumsum([len(self.problem.rows[i].time) for i in rows])
            for i, e, v in zip(rows, np.split(error, parts), np.split(variance, parts), strict=False):
                ratios.setdefault(self.keys[i][1], []).append(
                    np.abs(e) / np.sqrt(1.0 / self.noise[self.keys[i]].correlation_time + v)
                )
        self.starts = fitted
        return {name: float(np.quantile(np.concatenate(parts), 0.95)) for name, parts in ratios.items()}

    def join_segments(self) -> list[Any]:
        """Return for every segment those that it is left out with: a fifth of its run."""
        runs = [id(segment.run) for segment in self.problem.segments]
        found: dict[int, Any] = {}
        for run in dict.fromkeys(runs):
            own = np.flatnonzero([other == run for other in runs])
            for part in np.array_split(own, FEWEST):
                found |= dict.fromkeys(part.tolist(), part)
        return [found[k] for k in range(len(runs))]

    def find_unexplained_channels(self, theta: Floats) -> list[Key]:
        """Return the channels that a constant would predict better."""
        measured = self.join_channels(rows.measured for rows in self.problem.rows)
        errors = self.join_channels(self.residuals(theta))
        return [key for key, error in errors.items() if not np.mean(error**2) < np.var(measured[key])]

    def result(self, theta: Floats, rounds: int) -> Fit:
        """Return the fit at its end."""
        problem, n = self.problem, self.n
        _, J, w = self.normal(theta)
        unexplained = self.find_unexplained_channels(theta)
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
            values=theta, sd=sd, covariance=covariance, noise=dict(self.noise),
            width=self.widths(theta),
            reach={
                channel: max(float(np.abs(r.measured).max()) for r in problem.rows if r.channel == channel)
                for _, channel in self.noise
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
            unexplained=unexplained,
            windows=len(problem.segments), samples=sum(len(rows.time) for rows in problem.rows),
            rounds=rounds, at_end=self,
        )  # fmt: skip


def start_by_leads(
    problem: FitProblem, theta: Floats, noise: Callable[[Key], Noise]
) -> tuple[Floats, Floats]:
    """Return starts of segments and their covariance by one Gauss–Newton step from priors to the leads.

    Parameters
    ----------
    problem : FitProblem
    theta : array
        Free numbers.
    noise : callable
        Noise by session and channel.
    """
    options, size = problem.options, len(problem.starts)
    spread = np.diag([start.sd**2 for start in problem.starts]).reshape(size, size)
    if options.lead < 2.0 * options.interval or not size:
        return np.array([start.prior for start in problem.starts]), spread
    leads = [Segment(run, start - options.lead, start) for run, start, _ in problem.segments]
    free = [*problem.free, *problem.drifts]
    rounds = Rounds(FitProblem(problem.shooter, leads, free, replace(options, lead=0.0)))
    values = rounds.predict(theta)[0]
    for key, z, rows in zip(rounds.keys, values, rounds.problem.rows, strict=True):
        rounds.noise[key] = noise(key)
        rounds.sizes.append(rounds.noise[key].at(z, rows.time))
    for _, own, _, _, B in rounds.blocks(theta):
        scale = rounds.start_scale[own]
        spread[np.ix_(own, own)] = np.linalg.inv(B.T @ B) * np.outer(scale, scale)
    rounds.move_starts(theta)
    return rounds.starts, spread


def resample(fit: Fit, draws: int, seed: int = 0) -> Floats:
    """Return estimates from windows drawn with replacement: a check of `Fit.sd` without its assumptions.

    Errors of one window may be correlated and of any distribution.  Every draw takes one Gauss–Newton step
    from the fit, with priors that are drawn too.

    Returns
    -------
    (draws, k) array
    """
    checks.integer("resample: draws", draws, at_least=1, at_most=MOST_RUNS, error=DataError)
    end, n, rng = fit.at_end, len(fit.free), np.random.default_rng(seed)
    r, J, w = end.normal(fit.values)
    cuts = np.cumsum([len(block[2]) for block in end.blocks(fit.values)])[:-1]
    parts = [np.split(x[:-n], cuts) for x in (r, J, w)]
    gradients = np.array([A.T @ (v * e) for e, A, v in zip(*parts, strict=True)])
    matrices = np.array([A.T @ (v[:, np.newaxis] * A) for _, A, v in zip(*parts, strict=True)])
    found = np.empty((draws, n))
    for row in found:
        times = rng.multinomial(len(gradients), np.full(len(gradients), 1.0 / len(gradients)))
        gradient = times @ gradients + r[-n:] - rng.normal(size=n)
        row[:] = -np.linalg.solve(np.tensordot(times, matrices, 1) + np.eye(n), gradient)
    return np.asarray(fit.values + end.scale * found)
