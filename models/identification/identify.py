"""Identification of a vehicle from files, and predictions of runs by what was fitted.

`identify` takes runs, their mapping, a base vehicle and what is free.  `predict` simulates windows of a run
open loop from measured inputs; its bands of 95 % include noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.sampling import MOST_RUNS
from ce_dynamics.models.identification.fit import Fit, Rounds, fit_plant
from ce_dynamics.models.identification.noise import WITHIN, Key, Noise
from ce_dynamics.models.identification.plant import vehicle_plant
from ce_dynamics.models.identification.problem import FitProblem, correction_of
from ce_dynamics.models.identification.recording import Recording, read_recording
from ce_dynamics.models.identification.shooting import OPTIONS, Options, Segment, segments_of
from ce_dynamics.models.vehicles.description import VehicleParameters

Run = Recording | str | Path
PARTS = "time", "measured"
FEWEST = 5
"""Parts of runs that determine the width of bands: without one, four still determine the numbers."""


def identify(
    runs: Run | Sequence[Run],
    vehicle: str | Path,
    free: Mapping[str, Any] | Sequence[str],
    *,
    mapping: str | Path | Mapping[str, Any] | None = None,
    overrides: Sequence[str] = (),
    progress: Callable[[str], None] | None = None,
    keep: str | Path | None = None,
    **options: Any,
) -> Fit:
    """Fit numbers of a vehicle to recorded runs.

    Parameters
    ----------
    runs : Recording, path, or sequence of these
        Tables, or recordings as `read_recording` returns them.
    vehicle : str or path
        The base vehicle: a shipped one or a data file.
    free : mapping or sequence of str
        Numbers that are fitted, by the names of ``--list-parameters`` (``chassis.mass``;
        ``front.tyre.dfy0*``, a factor of all its components), and corrections of channels
        (``channels.yaw_rate.delay``).  A mapping has standard deviations of priors, or ``prior``, ``sd``,
        ``lower`` and ``upper``, by name.
    mapping : path or mapping, optional
        The columns of tables, see `ce_dynamics.models.identification.recording`; none for recordings.
    overrides : sequence of str
        ``key=value`` each, of the base vehicle.
    progress : callable, optional
        Given a line after every round.
    keep : path, optional
        A file for the state after every round; where it is there, the fit goes on from it.
    **options
        Of `ce_dynamics.models.identification.shooting.Options`, such as ``length`` and ``step`` [s].

    Returns
    -------
    Fit
        Estimates, their covariance, the noise of every channel, and what the data cannot determine.
    """
    if isinstance(free, Mapping):
        checks.mapping("identify: free", free, DataError)
    else:
        checks.texts("identify: free", free, DataError)
    for name in options:
        checks.check_name("identify: option", name, OPTIONS, "option", DataError)
    chosen = Options(**options)
    if progress is not None:
        checks.function("identify: progress", progress, error=DataError)
    data = VehicleParameters.load(vehicle, checks.texts("identify: overrides", overrides, DataError))
    recordings = read_runs(runs, mapping, float(data.wheelbase))
    numbers = dict.fromkeys(name.partition("@")[0] for name in free if correction_of(name) is None)
    own = [name for name in numbers if not name.startswith("channels.")]
    plant = vehicle_plant(str(vehicle), own, recordings, overrides)
    return fit_plant(plant, recordings, free, chosen, progress, None if keep is None else Path(keep))


def read_runs(runs: Run | Sequence[Run], mapping: Any, wheelbase: float) -> list[Recording]:
    """Return recordings of files; those that are given stay."""
    single = isinstance(runs, Recording | str | Path)
    given = (runs,) if single else checks.items("identify: runs", runs, error=DataError)
    if not given:
        raise DataError("identify: runs: name at least one run")
    found = []
    for run in given:
        checks.instance(
            "identify: runs: entry", run, (Recording, str, Path), "a path or a Recording", DataError
        )
        if isinstance(run, Recording):
            found.append(run)
        elif mapping is None:
            raise DataError(f"{run}: a table needs a mapping of its columns; give mapping=")
        else:
            found.append(read_recording(run, mapping, wheelbase=wheelbase))
    return found


@dataclass(frozen=True)
class ChannelPrediction:
    """Prediction of one channel of a run.

    Attributes
    ----------
    run, name, unit : str
    time, measured, predicted, sd : (n,) arrays
        Instants [s]; 1.96 standard deviations, of noise and free numbers together, hold 95 % (see `fit`).
    window : (n,) int array
        Number of the window of each sample.
    fitted : float
        Largest value in the windows of the fit: bands of larger ones extrapolate.
    """

    run: str
    name: str
    unit: str
    time: Floats
    measured: Floats
    predicted: Floats
    sd: Floats
    window: Any
    fitted: float

    @property
    def error(self) -> Floats:
        """Predicted less measured values."""
        return self.predicted - self.measured

    @property
    def rmse(self) -> float:
        """Root mean square of the errors."""
        return float(np.sqrt(np.nanmean(self.error**2)))

    @property
    def rms(self) -> float:
        """Root mean square of the measured values."""
        return float(np.sqrt(np.mean(self.measured**2)))

    @property
    def peak(self) -> float:
        """Largest measured value."""
        return float(np.max(np.abs(self.measured)))

    @property
    def coverage(self) -> float:
        """Part of the samples within the 95 % band; those that were not reached count as outside."""
        return float(np.mean(np.abs(self.error) <= WITHIN * self.sd))


@dataclass(frozen=True)
class Prediction:
    """Predictions of runs by one model."""

    model: str
    channels: list[ChannelPrediction]

    def table(self) -> list[dict[str, Any]]:
        """Return the figures of every channel."""
        return [
            {
                "model": self.model, "run": c.run, "channel": c.name, "unit": c.unit, "rmse": c.rmse,
                "rms": c.rms, "peak": c.peak, "reach": c.peak / c.fitted, "coverage": c.coverage,
                "samples": len(c.time),
            }
            for c in self.channels
        ]  # fmt: skip


def predict(fit: Fit, runs: Recording | Sequence[Recording], **options: Any) -> Prediction:
    """Predict runs, open loop from their measured inputs.

    Parameters
    ----------
    fit : Fit
    runs : Recording or sequence of Recording
    **options
        Those of `shooting.Options` that differ from the fit's, such as ``length`` of a window [s].

    Returns
    -------
    Prediction
        Every window begins a lead ahead of what is compared, at the measured speed.  Lateral velocity and
        yaw rate at its beginning, and drifts, are estimated from the lead.
    """
    checks.instance("predict: fit", fit, Fit, "a fit, as identify returns it", DataError)
    given = (runs,) if isinstance(runs, Recording) else checks.items("predict: runs", runs, error=DataError)
    for run in given:
        checks.instance("predict: runs: entry", run, Recording, "a recording, see read_recording", DataError)
    for name in options:
        checks.check_name("predict: option", name, OPTIONS, "option", DataError)
    chosen = replace(fit.options, **options)
    free = [*fit.free, *fit.at_end.problem.drifts]
    problem = FitProblem(fit.shooter, segments_of(given, chosen), free, chosen)
    predicted, width, channels = predict_by_leads(problem, fit), half_widths(fit), []
    keys = [(problem.segments[r.segment].run, r.channel) for r in problem.rows]
    for run, name in dict.fromkeys((run.name, name) for run, name in keys):
        own = [k for k, (r, c) in enumerate(keys) if (r.name, c) == (run, name)]
        sizes = [deviations(*predicted[k][1:], fit.covariance) for k in own]
        windows = [problem.rows[k].segment for k in own]
        time, truth = (np.concatenate([getattr(problem.rows[k], part) for k in own]) for part in PARTS)
        channels.append(
            ChannelPrediction(
                run, name, keys[own[0]][0].outputs[name].unit,
                time, truth,
                predicted=np.concatenate([predicted[k][0] for k in own]),
                sd=width[name] / WITHIN * np.concatenate(sizes),
                window=np.repeat(windows, [len(part) for part in sizes]),
                fitted=fit.reach[name],
            )
        )  # fmt: skip
    return Prediction(fit.plant.name, channels)


def start_by_leads(
    problem: FitProblem, theta: Floats, noise_in: Callable[[Key], Noise]
) -> tuple[Floats, Floats, Floats]:
    """Return starts of segments by one Gauss–Newton step from their priors to the leads.

    Parameters
    ----------
    problem : FitProblem
    theta : (k,) array
        Free numbers.
    noise_in : callable
        Noise by session and channel.

    Returns
    -------
    starts : (n,) array
    slopes : (n, k) array
        Their derivatives by the free numbers.
    spread : (n, n) array
        Their covariance at these free numbers.
    """
    options, scale = problem.options, problem.start_scale(noise_in)
    starts, spread = np.array([start.prior for start in problem.starts]), np.diag(scale**2)
    slopes = np.zeros((len(starts), len(theta)))
    if options.lead < 2.0 * options.interval or not len(starts):
        return starts, slopes, spread
    leads = [Segment(run, start - options.lead, start) for run, start, _ in problem.segments]
    free = [*problem.free, *problem.drifts]
    rounds = Rounds(FitProblem(problem.shooter, leads, free, replace(options, lead=0.0)))
    rounds.noise.take(noise_in, rounds.predict(theta)[0])
    for _, own, r, A, B in rounds.blocks(theta):
        inverse = np.linalg.inv(B.T @ B)
        starts[own] -= scale[own] * (inverse @ (B.T @ r))
        slopes[own] = -scale[own, np.newaxis] * (inverse @ (B.T @ A)) / rounds.scale
        spread[np.ix_(own, own)] = inverse * np.outer(scale[own], scale[own])
    return starts, slopes, spread


def predict_by_leads(problem: FitProblem, fit: Fit) -> list[tuple[Floats, Floats, Floats]]:
    """Return predictions of all rows, their derivatives by the free numbers, and their variance beside these.

    The leads compensate errors of free numbers in part, which is in the derivatives.
    """
    starts, slopes, spread = start_by_leads(problem, fit.values, fit.noise_in)
    values, jacobians = problem.predict(np.concatenate((fit.values, starts)))
    found, n = [], len(fit.free)
    for rows, z, J in zip(problem.rows, values, jacobians, strict=True):
        noise, B = fit.noise_in(problem.key(rows)).at(z, rows.time), J[:, n:]
        found.append((z, J[:, :n] + B @ slopes, deviations(B, noise**2, spread) ** 2))
    return found


def deviations(by: Floats, variance: Floats, covariance: Floats) -> Floats:
    """Return standard deviations of values by derivatives by numbers and their covariance, and the rest."""
    return np.asarray(np.sqrt(variance + np.einsum("ij,jk,ik->i", by, covariance, by)))


def half_widths(fit: Fit) -> dict[str, float]:
    """Return the half widths of the bands of channels, in standard deviations of predictions.

    Every fifth of a run is predicted from its leads by the numbers that the rest gives, to first order: its
    windows share what drifts.  The width is the 95 % quantile of these errors over their deviations
    (jackknife+, Barber, Candès, Ramdas and Tibshirani, Ann. Statist. 49, 2021).  Sessions have noise of their
    own, and share the shape of its distribution.  Fewer than `FEWEST` windows count as normal.
    """
    end, values = fit.at_end, fit.values
    problem, ratios = end.problem, dict[str, list[Floats]]()
    if len(problem.segments) < FEWEST:
        return {channel: WITHIN for _, channel in fit.noise}
    r, J, w = end.normal(values)
    total, scales = J.T @ (w[:, np.newaxis] * J), np.outer(end.scale, end.scale)
    ends = np.cumsum([len(block[2]) for block in end.blocks(values)]).tolist()
    places = [np.arange(a, b) for a, b in zip([0, *ends], ends, strict=False)]
    predicted = predict_by_leads(problem, fit)
    runs = [id(segment.run) for segment in problem.segments]
    for run in dict.fromkeys(runs):
        for part in np.array_split(np.flatnonzero([other == run for other in runs]), FEWEST):
            left_out = np.concatenate([np.zeros(0, int), *(places[k] for k in part)])
            A = J[left_out] * w[left_out, np.newaxis]
            without = np.linalg.inv(total - A.T @ J[left_out])
            shift = end.scale * (without @ (A.T @ r[left_out]))
            for rows, (z, by, variance) in zip(problem.rows, predicted, strict=True):
                if rows.segment in part:
                    error = np.abs(rows.measured - z - by @ shift)
                    sizes = deviations(by, variance, without * scales)
                    ratios.setdefault(rows.channel, []).append(error / sizes)
    return {name: float(np.quantile(np.concatenate(parts), 0.95)) for name, parts in ratios.items()}


def resample(fit: Fit, draws: int, seed: int = 0) -> Floats:
    """Return estimates from windows drawn with replacement: a check of `Fit.sd` without its assumptions.

    Errors of one window may be correlated and of any distribution.  Every draw takes one Gauss–Newton step
    from the fit, with priors that are drawn too.

    Returns
    -------
    (draws, k) array
    """
    checks.integer("resample: draws", draws, at_least=1, at_most=MOST_RUNS, error=DataError)
    if fit.windows < 2:
        raise DataError("resample: windows: one cannot be drawn anew; shorten windows or add runs")
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
