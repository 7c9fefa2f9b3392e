"""Files of a fit and its predictions: figures as JSON and tables, overrides for the vehicle, and a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.models.identification.fit import Fit
from ce_dynamics.models.identification.identify import ChannelPrediction, Prediction
from ce_dynamics.models.identification.noise import WITHIN
from ce_dynamics.models.identification.recording import Recording
from ce_dynamics.views.charts import BLUE, Area, Chart, Line, svg
from ce_dynamics.views.html import document, element, items, number, table, text, unit

UNEXPLAINED = (
    "{}: its mean predicts it better than the fit: check its mapping, the base vehicle and the priors"
)
NOISE = [
    "channel", "session", "sd", "part of the signal", "jitter (s)", "memory (s)",
    "correlation time (samples)", "drift", "drift (1/s)", "unit",
]  # fmt: skip
"""Headings of the table of noise."""


def save(
    folder: Path, fit: Fit, runs: Sequence[Recording], predictions: Sequence[Prediction] = ()
) -> dict[str, Any]:
    """Write ``fit.json``, ``overrides.txt``, ``predictions.csv`` and ``report.html``; return the figures.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    fit : Fit
    runs : sequence of Recording
        Those that were fitted.
    predictions : sequence of Prediction
        That of the fit, and of reference models beside it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    figures = figures_of(fit, runs, predictions)
    (folder / "fit.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (folder / "overrides.txt").write_text("".join(f"{line}\n" for line in overrides(fit)), "utf-8")
    rows = ["model,run,channel,time,measured,predicted,sd,window"]
    for prediction in predictions:
        for c in prediction.channels:
            parts = zip(c.time, c.measured, c.predicted, c.sd, c.window, strict=True)
            rows += [
                f"{prediction.model},{c.run},{c.name}," + ",".join(f"{x:.8g}" for x in part) for part in parts
            ]
    (folder / "predictions.csv").write_text("\n".join(rows) + "\n", "utf-8")
    (folder / "report.html").write_text(page(fit, runs, predictions), "utf-8")
    return figures


def figures_of(fit: Fit, runs: Sequence[Recording], predictions: Sequence[Prediction]) -> dict[str, Any]:
    """Return all figures as plain data."""
    return {
        "model": fit.plant.name,
        "windows": fit.windows,
        "samples": fit.samples,
        "rounds": fit.rounds,
        "free": {
            f.name: {"value": v, "sd": s, "unit": f.unit, "prior": f.prior, "prior_sd": f.sd}
            for f, v, s in zip(fit.free, fit.values.tolist(), fit.sd.tolist(), strict=True)
        },
        "covariance": fit.covariance.tolist(),
        "noise": {f"{channel}@{session}": noise._asdict() for (session, channel), noise in fit.noise.items()},
        "singular_values": fit.singular_values.tolist(),
        "undetermined": fit.undetermined,
        "bounded": fit.bounded,
        "correlated": fit.correlated,
        "unexplained": [f"{channel}@{session}" for session, channel in fit.unexplained],
        "findings": {run.name: [one._asdict() for one in run.findings] for run in runs},
        "predictions": [row for prediction in predictions for row in prediction.table()],
    }


def overrides(fit: Fit) -> list[str]:
    """Return the fitted numbers of the vehicle as ``--set`` takes them; those of one session are left out."""
    found = []
    for f, value in zip(fit.free, fit.values.tolist(), strict=True):
        if f.name.startswith("channels.") or "@" in f.name:
            continue
        for k in fit.plant.components(f.name):
            name = fit.plant.parameters[k]
            given = float(fit.plant.nominal[k]) * value if f.name.endswith("*") else value
            found.append(f"{name}={show_quantity(given, fit.plant.units.get(name, '1'), '.8g')}")
    return found


def show_quantity(value: float, unit: str, digits: str) -> str:
    """Return a value with its unit, which plain numbers have not."""
    return f"{value:{digits}} {unit}" if unit != "1" else f"{value:{digits}}"


def page(fit: Fit, runs: Sequence[Recording], predictions: Sequence[Prediction]) -> str:
    """Return one self-contained page of HTML."""
    rows = [
        [escape(f.name), number(v), number(s), number(f.prior), number(f.sd), escape(unit(f.unit))]
        for f, v, s in zip(fit.free, fit.values.tolist(), fit.sd.tolist(), strict=True)
    ]
    noise = [
        [
            escape(channel),
            escape(session),
            *map(number, one),
            escape(unit(fit.plant.units[channel])),
        ]
        for (session, channel), one in fit.noise.items()
    ]
    remarks = [f"{name}: the data cannot determine it; it stays at its prior" for name in fit.undetermined]
    remarks += [f"{name}: it ends at a bound, which decides its value" for name in fit.bounded]
    remarks += [UNEXPLAINED.format(f"{channel}@{session}") for session, channel in fit.unexplained]
    remarks += [f"{a} and {b} are correlated by {r:.3f}" for a, b, r in fit.correlated]
    if len(fit.singular_values):
        remarks.append(
            f"singular values {number(fit.singular_values[0])} … {number(fit.singular_values[-1])}; "
            f"the weakest direction is {fit.weakest}"
        )
    heading = f"{fit.plant.name}: fitted to {', '.join(run.name for run in runs)}"
    found = [f"{run.name}: {one.channel}: {one.text}" for run in runs for one in run.findings]
    return document(
        heading,
        text("h1", heading),
        text(
            "p", f"Windows of {fit.options.length:g} s: {fit.windows}; samples: {fit.samples}.", class_="soft"
        ),
        text("h2", "Predictions"),
        *report_predictions(predictions),
        text("h2", "Free numbers"),
        table(["number", "estimate", "± sd", "prior", "± sd", "unit"], rows),
        items(remarks),
        text("h2", "Noise"),
        table(NOISE, noise),
        text("h2", "What was found in the data"),
        items(found or ["nothing"]),
    )


def report_predictions(predictions: Sequence[Prediction]) -> list[str]:
    """Return a table of all predictions, and pictures of the first."""
    rows = [
        [
            escape(c.name), escape(c.run), escape(p.model), number(c.rmse), number(c.rms),
            number(c.peak / c.fitted), f"{100.0 * c.coverage:.1f} %", escape(unit(c.unit)),
        ]
        for k in range(max((len(p.channels) for p in predictions), default=0))
        for p in predictions for c in p.channels[k : k + 1]
    ]  # fmt: skip
    head = [
        "channel", "run", "model", "RMSE", "rms of the signal", "peak over the fitted peak",
        "within the 95 % band", "unit",
    ]  # fmt: skip
    first = predictions[0].channels if predictions else []
    return [
        table(head, rows),
        *(element("figure", picture(channel)) for channel in first),
    ]


def picture(channel: ChannelPrediction) -> str:
    """Return a channel over time as SVG: measured, predicted, band."""
    cuts = np.flatnonzero(np.diff(channel.window)) + 1
    step = max(1, len(channel.time) // 2000)
    lines, areas = [], []
    for k, part in enumerate(np.split(np.arange(len(channel.time)), cuts)):
        some = part[::step]
        t, z, s = channel.time[some], channel.predicted[some], WITHIN * channel.sd[some]
        measured, predicted, band = ("", "", "") if k else ("measured", "predicted", "95 % band")
        lines.append(Line(measured, t, channel.measured[some], "0.3", width=0.8))
        lines.append(Line(predicted, t, z, BLUE, width=1.2))
        around = np.concatenate((t, t[::-1])), np.concatenate((z - s, (z + s)[::-1]))
        areas.append(Area(band, *around, opacity=0.25))
    y = f"{channel.name} [{channel.unit}]"
    return svg(Chart(channel.run, "time [s]", y, tuple(lines), areas=tuple(areas), above=True), (10.0, 3.0))
