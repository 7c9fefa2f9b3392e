"""``simulate-vehicle identify``: a vehicle fitted to recorded runs, and others predicted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.cli.messages import OK
from ce_dynamics.cli.options import Identify
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import si_value
from ce_dynamics.models.data.sampling import MOST_RUNS
from ce_dynamics.models.identification.fit import Fit
from ce_dynamics.models.identification.identify import Prediction, identify, predict, resample
from ce_dynamics.models.identification.inertia import balance
from ce_dynamics.models.identification.recording import mapping_of, read_recording
from ce_dynamics.models.identification.report import UNEXPLAINED, save, show_quantity
from ce_dynamics.models.identification.single_track import KINDS, fit_reference, planar, single_track
from ce_dynamics.models.vehicles.description import VehicleParameters


def run(options: Identify) -> int:
    """Fit, predict, and write the report; the fit is saved before runs are predicted."""
    checks.integer("--bootstrap", options.bootstrap, at_least=0, at_most=MOST_RUNS, error=DataError)
    for kind in options.reference or ():
        checks.choice("--reference", kind, KINDS, DataError)
    paths, further = options.runs, options.predict or []
    count, total = len(paths), len(paths) + len(further)
    if len(options.mapping) not in (1, count, total):
        raise DataError(
            f"--mapping: {len(options.mapping)} are given for {count} runs and {len(further)} that are "
            "predicted; give one, one for each run, or one for each and then for each that is predicted"
        )
    mappings = options.mapping * count if len(options.mapping) == 1 else options.mapping
    mappings, others_by = mappings[:count], mappings[count:] or mappings[:1] * len(further)
    overrides = options.overrides or []
    data = VehicleParameters.load(options.vehicle, overrides)
    wheelbase = float(data.wheelbase)
    pairs = zip(paths, mappings, strict=True)
    runs = [read_recording(path, columns, wheelbase=wheelbase) for path, columns in pairs]
    for recording in runs:
        for finding in recording.findings:
            print(f"{recording.name}: {finding.channel}: {finding.text}")
        for one in balance(recording, data):
            if one.is_told:
                estimate = f"{one.name} = {one.value:.5g} ± {one.sd:.2g} {one.unit}"
                print(f"{recording.name}: forces over motion: {estimate} (base vehicle {one.base:.5g})")
    pairs = zip(further, others_by, strict=True)
    others = [read_recording(path, columns, wheelbase=wheelbase) for path, columns in pairs]
    for other in others:
        for name in set(other.outputs).difference(*(recording.outputs for recording in runs)):
            print(f"{other.name}: {name}: is not predicted, because no fitted run has it")
    for kind in options.reference or ():
        single_track(kind, *planar(data), runs)  # raises before the fit if channels are missing
    free: dict[str, Any] = {}
    for columns in mappings:
        free |= mapping_of(columns)[0].get("free", {})
    free |= dict(map(read_wanted, options.free or ()))
    if not free:
        raise DataError("nothing is free; name numbers by --free, or under free: in the mapping")
    times = ("length", options.length), ("lead", options.lead), ("step", options.step)
    length, lead, step = (si_value(f"--{name}", value, "s") for name, value in times)
    kept = options.output / "rounds.json"
    options.output.mkdir(parents=True, exist_ok=True)
    if not options.resume:
        kept.unlink(missing_ok=True)
    fit = identify(
        runs, options.vehicle, free, overrides=overrides, progress=print, keep=kept,
        length=length, lead=lead, step=step,
    )  # fmt: skip
    save(options.output, fit, runs)
    fits = [fit, *(fit_reference(kind, fit, data, runs) for kind in options.reference or ())]
    predictions = [predict(each, others or runs) for each in fits]
    save(options.output, fit, runs, predictions)
    show(fit, predictions)
    if options.bootstrap:
        drawn = np.std(resample(fit, options.bootstrap), axis=0)
        for f, sd, other in zip(fit.free, fit.sd, drawn, strict=True):
            posterior = show_quantity(sd, f.unit, ".2g")
            print(f"{f.name}: ± {posterior}; ± {other:.2g} over {options.bootstrap} draws of windows")
    print(f"report: {options.output / 'report.html'}")
    return OK


def read_wanted(text: str) -> tuple[str, float | None]:
    """Return name and standard deviation of ``NAME[=SD]``."""
    name, equals, sd = text.partition("=")
    return name.strip(), si_value(f"--free {name}", sd, "1") if equals else None


def show(fit: Fit, predictions: Sequence[Prediction]) -> None:
    """Print estimates and figures of predictions."""
    for f, value, sd in zip(fit.free, fit.values, fit.sd, strict=True):
        remark = "  (not determined by the data)" if f.name in fit.undetermined else ""
        remark += "  (at a bound)" if f.name in fit.bounded else ""
        print(f"{f.name} = {value:.5g} ± {show_quantity(sd, f.unit, '.2g')}{remark}")
    for session, channel in fit.unexplained:
        print(UNEXPLAINED.format(f"{channel}@{session}"))
    for row in (row for prediction in predictions for row in prediction.table()):
        beyond = f", whose peak is {row['reach']:.3g} times the fitted" if row["reach"] > 1.0 else ""
        print(
            f"{row['model']}: {row['run']}: {row['channel']}: "
            f"RMSE {row['rmse']:.4g} {row['unit']} of {row['rms']:.4g}{beyond}, "
            f"{100.0 * row['coverage']:.1f} % within the band"
        )
