"""Defines the outcome of a procedure: figures, verdicts, charts and the runs behind them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks, files
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.subject import Run
from ce_dynamics.models.vehicles.summary import Figure, finite, finite_numbers
from ce_dynamics.views.charts import Chart, Line as Line, colours_of, overlay, save_sheet, sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure as FigureOfCharts

DEGREES = 180.0 / math.pi


class Verdict(NamedTuple):
    """Criterion of a standard: value, limit, and whether it is met.

    ``passed`` is None where it could not be judged.
    """

    criterion: str
    reached: str
    allowed: str
    passed: bool | None


@dataclass
class Outcome:
    """Outcome of a procedure.

    Attributes
    ----------
    name, title, standard : str
        Name, title and standard of the procedure.
    subject : str
        Title of the tested subject.
    settings : dict of str to (value, unit)
        Options of the procedure.
    figures : list of Figure
    verdicts : list of Verdict
    charts : list of Chart
    runs : list of Run
    notes : list of str
        Remarks for the reader, such as an amplitude that full lock cut off.
    trouble : str
        Reason why the procedure was not finished, with the values reached; empty if it was.
    """

    name: str
    title: str
    standard: str
    subject: str
    settings: Mapping[str, tuple[float, str]]
    figures: list[Figure] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    trouble: str = ""

    def add(self, key: str, label: str, value: float, unit: str, factor: float = 1.0) -> None:
        """Add a figure; ``factor`` converts the value to the unit."""
        self.figures.append(Figure(key, label, factor * value, unit))

    def plot(self, over: str, x: Floats, *curves: tuple[str, str, Floats], most: int = 10**9) -> None:
        """Add charts of curves, given by title, label and values, each with at most so many points."""
        self.charts += [
            Chart(title, over, label, (Line("", *decimate(x, values, most)),))
            for title, label, values in curves
        ]

    def __getitem__(self, key: str) -> float:
        """Return a figure's value by its key.

        Raises
        ------
        KeyError
            If there is none.
        """
        for figure in self.figures:
            if figure.key == key:
                return figure.value
        raise KeyError(
            f"{self.name} of {self.subject} has no figure {key!r}: {[f.key for f in self.figures]}"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON; numbers that are not finite are None."""
        return {
            "procedure": self.name,
            "title": self.title,
            "standard": self.standard,
            "subject": self.subject,
            "settings": {k: {"value": finite(v), "unit": unit} for k, (v, unit) in self.settings.items()},
            "figures": {
                f.key: {"label": f.label, "value": finite(f.value), "unit": f.unit} for f in self.figures
            },
            "verdicts": [v._asdict() for v in self.verdicts],
            "notes": list(self.notes),
            "trouble": self.trouble,
            "charts": [chart_as_dict(chart) for chart in self.charts],
            "runs": [run.name for run in self.runs],
        }


def chart_as_dict(chart: Chart) -> dict[str, Any]:
    """Return a dictionary for JSON."""
    return {
        "title": chart.title,
        "x": chart.x,
        "y": chart.y,
        "lines": [
            {"label": line.label, "x": finite_numbers(line.x), "y": finite_numbers(line.y)}
            for line in (*chart.lines, *chart.limits)
        ],
    }


def page(outcomes: Sequence[Outcome]) -> FigureOfCharts:
    """Return all charts of one procedure, of one or several subjects, on a page."""
    checks.instances("outcomes", outcomes, Outcome, "an Outcome (perform)", DataError)
    if not outcomes:
        raise DataError("outcomes: none is given; give at least one")
    first, who = outcomes[0], [outcome.subject for outcome in outcomes]
    charts = [overlay_charts(outcomes, title) for title in titles_of(outcomes)]
    subjects = colours_of(who) if len(who) > 1 else None
    return sheet(charts, f"{', '.join(who)}: {first.title} ({first.standard})", subjects)


def save_page(outcomes: Sequence[Outcome], path: Path) -> None:
    """Draw the page of `page` and write it as PNG."""
    save_sheet(page(outcomes), files.path_of("save_page: path", path))


def titles_of(outcomes: Sequence[Outcome]) -> list[str]:
    """Return titles of the charts that any of the outcomes has, in order."""
    return list(dict.fromkeys(chart.title for outcome in outcomes for chart in outcome.charts))


def overlay_charts(outcomes: Sequence[Outcome], title: str) -> Chart:
    """Return the charts of a title over one another."""
    return overlay({o.subject: chart for o in outcomes for chart in o.charts if chart.title == title})


FINE = 400
"""Points of a curve that are enough for a chart."""


def decimate(x: Floats, y: Floats, most: int = FINE) -> tuple[Floats, Floats]:
    """Return a curve by at most so many points, equally spaced in number, ends included."""
    if len(x) <= most:
        return x, y
    kept = np.unique(np.linspace(0, len(x) - 1, most).round().astype(int))
    return x[kept], y[kept]
