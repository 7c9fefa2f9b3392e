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
from scipy.linalg import block_diag

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.identification.fit import Fit, fit_plant, segments_of, start_by_leads
from ce_dynamics.models.identification.noise import WITHIN
from ce_dynamics.models.identification.plant import vehicle_plant
from ce_dynamics.models.identification.problem import OPTIONS, FitProblem, Options, correction_of
from ce_dynamics.models.identification.recording import Recording, read_recording
from ce_dynamics.models.vehicles.description import VehicleParameters

Run = Recording | str | Path
PARTS = "time", "measured"


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
        Of `ce_dynamics.models.identification.problem.Options`, such as ``length`` and ``step`` [s].

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
        Those of `problem.Options` that differ from the fit's, such as ``length`` of a window [s].

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
    problem = FitProblem(fit.shooter, segments_of(given, chosen), free, replace(chosen, free_starts=True))
    starts, spread = start_by_leads(problem, fit.values, lambda key: fit.noise_in(*key))
    values, jacobians = problem.predict(np.concatenate((fit.values, starts)))
    covariance, channels = block_diag(fit.covariance, spread), []
    keys = [(problem.segments[r.segment].run, r.channel) for r in problem.rows]
    for run, name in dict.fromkeys((run.name, name) for run, name in keys):
        own = [k for k, (r, c) in enumerate(keys) if (r.name, c) == (run, name)]
        session = keys[own[0]][0].session
        noise = fit.noise_in(session, name)
        z = np.concatenate([values[k] for k in own])
        variance = [np.einsum("ij,jk,ik->i", jacobians[k], covariance, jacobians[k]) for k in own]
        sizes = np.concatenate([noise.at(values[k], problem.rows[k].time) for k in own])
        time, truth = (np.concatenate([getattr(problem.rows[k], part) for k in own]) for part in PARTS)
        channels.append(
            ChannelPrediction(
                run, name, keys[own[0]][0].outputs[name].unit,
                time, truth,
                predicted=z,
                sd=fit.width[name] / WITHIN * np.sqrt(np.concatenate(variance) + sizes ** 2),
                window=np.concatenate([np.full(len(values[k]), problem.rows[k].segment) for k in own]),
                fitted=fit.reach[name],
            )
        )  # fmt: skip
    return Prediction(fit.plant.name, channels)
