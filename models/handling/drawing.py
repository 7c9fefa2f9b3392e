"""Charts drawn: a page of a procedure, a chart by itself; one or several subjects over one another."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.streams import drawn_text
from ce_dynamics.models.handling.outcome import Chart, Line, Outcome
from ce_dynamics.models.vehicles.plots.look import AXLE_COLOURS, COLUMNS, GREY, sheet, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DASHES = "-", "--", ":", "-."
"""Of several lines of one subject, whose colour they share."""


def save_page(outcomes: Sequence[Outcome], path: Path) -> None:
    """Draw all charts of one procedure, of one or several subjects, and write them as PNG."""
    with style():
        page(outcomes).savefig(path, format="png", dpi=100)


def page(outcomes: Sequence[Outcome]) -> Figure:
    """Return all charts of one procedure, of one or several subjects, on a page."""
    titles = titles_of(outcomes)
    with style():
        figure, grid = sheet(len(titles), 1.4, 3.6, (0.9, 0.4, 0.7, 1.2), hspace=0.45)
        for k, title in enumerate(titles):
            draw(figure.add_subplot(grid[k // COLUMNS, k % COLUMNS]), charts_of(outcomes, title))
        first = outcomes[0]
        who = ", ".join(outcome.subject for outcome in outcomes)
        figure.suptitle(
            drawn_text(f"{who}: {first.title} ({first.standard})"),
            y=1.0 - 0.2 / figure.get_figheight(),
            fontsize=15.0,
        )
    return figure


def svg(outcomes: Sequence[Outcome], title: str) -> str:
    """Return one chart of a procedure as an SVG element, to stand inside a page."""
    checks.require_plots()
    from matplotlib import rc_context  # here, because only pictures need it
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with style(), rc_context({"svg.hashsalt": f"{outcomes[0].name} {title}", "svg.fonttype": "path"}):
        figure = Figure(figsize=(6.0, 3.7))
        FigureCanvasSVG(figure)
        axes = figure.add_axes((0.14, 0.16, 0.83, 0.72))
        draw(axes, charts_of(outcomes, title), named=False)
        return svg_of(figure)


def svg_of(figure: Figure) -> str:
    """Return a figure as an SVG element, without the head of a file."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    whole = text.getvalue()
    return whole[whole.index("<svg") :]


def titles_of(outcomes: Sequence[Outcome]) -> list[str]:
    """Return titles of the charts that any of the outcomes has, in order."""
    return list(dict.fromkeys(chart.title for outcome in outcomes for chart in outcome.charts))


def charts_of(outcomes: Sequence[Outcome], title: str) -> dict[str, Chart]:
    """Return the charts of a title by subject."""
    return {o.subject: chart for o in outcomes for chart in o.charts if chart.title == title}


def colours(subjects: Sequence[str]) -> dict[str, str]:
    """Return colours of the subjects."""
    return {subject: AXLE_COLOURS[k % len(AXLE_COLOURS)] for k, subject in enumerate(subjects)}


def draw(axes: Axes, charts: Mapping[str, Chart], named: bool = True) -> None:
    """One chart of several subjects: colour tells the subject, dashes which of its lines."""
    first = next(iter(charts.values()))
    axes.set_title(first.title)
    axes.set_xlabel(first.x)
    axes.set_ylabel(first.y)
    axes.margins(x=0.01)
    for limit in first.limits:
        axes.plot(limit.x, limit.y, color=GREY, linewidth=1.4, linestyle=(0, (5, 2)))
    chosen = colours(list(charts))
    for subject, chart in charts.items():
        for k, line in enumerate(chart.lines):
            label = ", ".join(
                part for part in ((subject if len(charts) > 1 and named else ""), line.label) if part
            )
            colour = chosen[subject] if len(charts) > 1 else AXLE_COLOURS[k % len(AXLE_COLOURS)]
            dashes = DASHES[k % len(DASHES)] if len(charts) > 1 else "-"
            marker = "o" if len(line.x) <= 30 else ""
            plot(
                axes,
                line,
                colour,
                dashes,
                marker,
                label if len(charts) == 1 or named or k < len(DASHES) else "",
            )
    if "x" in first.logarithmic:
        axes.set_xscale("log")
    if "y" in first.logarithmic:
        axes.set_yscale("log")
    if not first.logarithmic:
        keep_rounding_small(axes)
    own = {
        str(line.get_label()): line for line in axes.get_lines() if not str(line.get_label()).startswith("_")
    }
    if own:
        legend = axes.legend(own.values(), own.keys(), loc="best", fontsize=8.5, frameon=True, framealpha=0.8)
        for handle in legend.get_lines() if len(charts) > 1 and not named else ():
            handle.set_color("0.3")  # colours tell subjects, which are named elsewhere


def plot(axes: Axes, line: Line, colour: str, dashes: str, marker: str, label: str) -> None:
    """One line; where it has no number there is a gap."""
    axes.plot(
        line.x,
        np.ma.masked_invalid(line.y),
        color=colour,
        linestyle=dashes,
        marker=marker,
        markersize=3.5,
        label=drawn_text(label) if label else "_nolegend_",
    )


LEAST: Mapping[str, float] = {"deg": 1e-3, "deg/s": 1e-3, "m": 1e-4, "m/s²": 1e-3}
"""Range of a chart, by the unit of its label, below which it shows what a run makes of rounding."""


def keep_rounding_small(axes: Axes) -> None:
    """Curves that are zero but for rounding are shown as zero."""
    low, high = axes.get_ylim()
    unit = axes.get_ylabel().rpartition("[")[2].rstrip("]")
    if high - low < LEAST.get(unit, 1e-6):
        middle = round(0.5 * (low + high), 3)
        axes.set_ylim(middle - 0.5, middle + 0.5)
