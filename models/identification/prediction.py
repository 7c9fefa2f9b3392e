"""Predictions of runs by fitted models: open loop from measured inputs, 95 % bands include noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.identification.fit import Fit, segments_of
from ce_dynamics.models.identification.noise import WITHIN
from ce_dynamics.models.identification.problem import OPTIONS, FitProblem
from ce_dynamics.models.identification.recording import Recording

PARTS = "time", "measured"


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
    """

    run: str
    name: str
    unit: str
    time: Floats
    measured: Floats
    predicted: Floats
    sd: Floats
    window: Any

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
                "rms": c.rms, "peak": c.peak, "coverage": c.coverage, "samples": len(c.time),
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
        Those of `problem.Options` that differ from the fit's, such as ``length`` of a window [s].

    Returns
    -------
    Prediction
        Every window begins at the measured speed, lateral velocity and yaw rate, a lead ahead of what is
        compared.
    """
    checks.instance("predict: fit", fit, Fit, "a fit, as identify returns it", DataError)
    given = (runs,) if isinstance(runs, Recording) else checks.items("predict: runs", runs, error=DataError)
    for run in given:
        checks.instance("predict: runs: entry", run, Recording, "a recording, see read_recording", DataError)
    for name in options:
        checks.check_name("predict: option", name, OPTIONS, "option", DataError)
    chosen = replace(fit.options, **options)
    problem = FitProblem(
        fit.shooter, segments_of(given, chosen), fit.free, replace(chosen, free_starts=False)
    )
    measured = FitProblem(fit.shooter, problem.segments, fit.free, replace(chosen, free_starts=True))
    starts = np.array([measured.measure_start(k, channel) for k, channel, _ in measured.starts])
    values, jacobians = measured.predict(np.concatenate((fit.values, starts)))
    n, channels = len(fit.free), []
    keys = [(problem.segments[r.segment].run, r.channel) for r in problem.rows]
    for run, name in dict.fromkeys((run.name, name) for run, name in keys):
        own = [k for k, (r, c) in enumerate(keys) if (r.name, c) == (run, name)]
        session = keys[own[0]][0].session
        noise, width = fit.noise_in(session, name)
        z = np.concatenate([values[k] for k in own])
        variance = [
            np.einsum("ij,jk,ik->i", jacobians[k][:, :n], fit.covariance, jacobians[k][:, :n]) for k in own
        ]
        time, truth = (np.concatenate([getattr(problem.rows[k], part) for k in own]) for part in PARTS)
        channels.append(
            ChannelPrediction(
                run, name, keys[own[0]][0].outputs[name].unit,
                time, truth,
                predicted=z,
                sd=width / WITHIN * np.sqrt(np.concatenate(variance) + noise.at(z) ** 2),
                window=np.concatenate([np.full(len(values[k]), problem.rows[k].segment) for k in own]),
            )
        )  # fmt: skip
    return Prediction(fit.plant.name, channels)
