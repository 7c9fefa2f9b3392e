"""Charts: curves that belong together, as data; drawn side by side on a page, or one by one for HTML."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.files import replace_on_success
from ce_dynamics.algebra.streams import drawn_text
from ce_dynamics.views.lines import align_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Dashes: TypeAlias = str | tuple[int, tuple[int, ...]]

COLUMNS = 3
"""Charts of a page beside each other."""
BLUE, ORANGE, GREEN, RED, GREY = "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#8c8c8c"
COLOURS = BLUE, ORANGE, GREEN, RED, "#9467bd", "#8c564b", "#e377c2", "#bcbd22"
"""Colours of axles from front to rear, and of subjects and lines in their order."""
DASHES = "-", "--", ":", "-."
"""Dashes of the lines of one subject, whose colour they share."""
STYLE = {
    "font.size": 11.0,
    "axes.grid": True,
    "grid.alpha": 0.35,
    "axes.titlesize": 12.0,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.formatter.useoffset": False,
    "lines.linewidth": 1.6,
    "legend.fontsize": 9.5,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "legend.columnspacing": 1.0,
    "legend.borderaxespad": 0.2,
}
LEAST: Mapping[str, float] = {"deg": 1e-3, "deg/s": 1e-3, "m": 1e-4, "m/s²": 1e-3}
"""Range of an axis, by the unit of its label, below which curves show nothing but rounding."""
SPARSE = 30
"""Points of a line up to which each is marked."""


class Line(NamedTuple):
    """A curve of a chart; no colour stands for the next in turn, ``right`` for the second scale."""

    label: str
    x: Floats
    y: Floats
    colour: str = ""
    dashes: Dashes = "-"
    marker: str = ""
    width: float = 1.6
    right: bool = False


class Area(NamedTuple):
    """A filled outline of a chart."""

    label: str
    x: Floats
    y: Floats
    colour: str = BLUE
    opacity: float = 0.2


class Chart(NamedTuple):
    """Curves that belong together, in the units that people read.

    Attributes
    ----------
    title : str
    x, y : str
        Labels of the axes with units in brackets.
    lines : tuple of Line
        One, or one for each of several signals.
    limits : tuple of Line
        Limits of a standard, drawn dashed.
    logarithmic : str
        ``""``, ``"x"``, ``"y"`` or ``"xy"``.
    equal : bool
        True if both axes have one scale.
    areas : tuple of Area
    key : tuple of Line, optional
        Lines of the legend, where these are not the lines with a label.
    above : bool
        True if the legend stands above the curves, which takes less time than a free place among them.
    least : (float, float), optional
        Least ranges of both scales; a range without a number shows nothing but rounding.
    covers, within : tuple of float
        Values that the left scale shows in any case, and its ends at most.
    """

    title: str
    x: str
    y: str
    lines: tuple[Line, ...]
    limits: tuple[Line, ...] = ()
    logarithmic: str = ""
    equal: bool = False
    areas: tuple[Area, ...] = ()
    key: tuple[Line, ...] | None = None
    above: bool = False
    least: tuple[float, float] | None = None
    covers: tuple[float, ...] = ()
    within: tuple[float, float] = (-math.inf, math.inf)


def colours_of(subjects: Sequence[str]) -> dict[str, str]:
    """Return the colours of subjects that are drawn over one another."""
    return {subject: COLOURS[k % len(COLOURS)] for k, subject in enumerate(subjects)}


def overlay(charts: Mapping[str, Chart]) -> Chart:
    """Return the charts of several subjects as one: colour shows the subject, dashes which of its lines."""
    first = next(iter(charts.values()))
    if len(charts) == 1:
        return first
    chosen = colours_of(list(charts))
    lines = [
        line._replace(colour=chosen[subject], dashes=DASHES[k % len(DASHES)])
        for subject, chart in charts.items()
        for k, line in enumerate(chart.lines)
    ]
    labels = dict.fromkeys(
        (line.label, DASHES[k % len(DASHES)])
        for chart in charts.values()
        for k, line in enumerate(chart.lines)
    )
    none = np.empty(0)
    key = tuple(Line(label, none, none, "0.3", dashes) for label, dashes in labels if label)
    return first._replace(lines=tuple(lines), key=key)


def style() -> AbstractContextManager[None]:
    """Return our settings, for as long as charts are drawn."""
    checks.require_plots()
    import matplotlib  # here, because only pictures need it

    settings: dict[Any, Any] = {**matplotlib.rcParamsDefault, **STYLE}
    del settings["backend"]  # `rc_context` leaves it changed
    return matplotlib.rc_context(settings)


def draw(axes: Axes, chart: Chart) -> None:
    """Draw a chart under the settings of `style`."""
    from matplotlib.lines import Line2D  # here, because only pictures need it
    from matplotlib.ticker import LogFormatter

    axes.set_title(chart.title, y=1.0)  # to look for a free place takes a tenth of the time
    axes.set_xlabel(chart.x)
    axes.set_ylabel(chart.y)
    axes.margins(x=0.01)
    axes.yaxis.get_offset_text().set(x=-0.01, horizontalalignment="right")  # powers of ten beside it
    for area in chart.areas:
        axes.fill(
            area.x,
            area.y,
            color=area.colour,
            alpha=area.opacity,
            linewidth=0.0,
            label=legend_label(area.label),
        )
    for limit in chart.limits:
        axes.plot(limit.x, limit.y, color=limit.colour or GREY, linewidth=1.4, linestyle=(0, (5, 2)))
    scales = [axes]
    if any(line.right for line in chart.lines):
        scales.append(add_right_scale(axes))
    for k, line in enumerate(chart.lines):
        shown: dict[str, Any] = {"color": line.colour or COLOURS[k % len(COLOURS)], "linestyle": line.dashes}
        marked = "o" if len(line.x) <= SPARSE and not chart.above else ""
        shown |= {"marker": line.marker or marked, "markersize": 7.0 if line.marker else 3.5}
        if line.marker:
            shown["markeredgecolor"] = "black"
        y = np.ma.masked_invalid(line.y)
        scales[line.right].plot(line.x, y, linewidth=line.width, label=legend_label(line.label), **shown)
    for name in chart.logarithmic:
        getattr(axes, f"set_{name}scale")("log")
        axis = getattr(axes, f"{name}axis")
        axis.set_major_formatter(LogFormatter())  # powers as formulas take a tenth of a page's time
    limit_scales(scales, chart)
    shown_lines = [line for scale in scales for line in (*scale.patches, *scale.get_lines())]
    own = {str(line.get_label()): line for line in shown_lines if not str(line.get_label()).startswith("_")}
    if chart.key is not None:
        own = {
            legend_label(line.label): Line2D([], [], color=line.colour, linestyle=line.dashes)  # type: ignore[arg-type]  # patterns are known to it
            for line in chart.key
        }
    columns = 4 if len(own) > 5 else 5
    if own and chart.above:  # right of the title, where it covers no line
        place: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": columns}
        axes.legend(own.values(), own.keys(), **place)
    elif own:
        axes.legend(own.values(), own.keys(), loc="best", fontsize=8.5, frameon=True, framealpha=0.8)


def legend_label(label: str) -> str:
    """Return a label as Matplotlib draws it, or leaves it out of legends where there is none."""
    return drawn_text(label) if label else "_nolegend_"


def add_right_scale(axes: Axes) -> Axes:
    """Return a second scale for the same chart."""
    right = axes.twinx()
    right.margins(x=0.01)
    right.grid(False)
    right.yaxis.get_offset_text().set(x=1.01, horizontalalignment="left")  # not over the legend
    return right


def limit_scales(scales: Sequence[Axes], chart: Chart) -> None:
    """Set the ends of the scales: no curve of rounding fills a chart."""
    axes = scales[0]
    if chart.equal:
        axes.set_aspect("equal", adjustable="datalim")
    elif "y" not in chart.logarithmic:
        unit = chart.y.rpartition("[")[2].rstrip("]")
        for scale, least in zip(scales, chart.least or (), strict=False):
            widen_range(scale, least, least)
        if chart.least is None and not chart.logarithmic:
            widen_range(axes, LEAST.get(unit, 1e-6), 1.0)
    low, high = axes.get_ylim()
    if chart.covers or not all(map(math.isinf, chart.within)):
        low, high = min(low, *chart.covers, high), max(high, *chart.covers, low)
        axes.set_ylim(max(low, chart.within[0]), min(high, chart.within[1]))


def widen_range(axes: Axes, below: float, least: float) -> None:
    """Show at least some range where it is below another."""
    low, high = axes.get_ylim()
    if high - low < below:
        middle = round(0.5 * (low + high), 3) if least > below else 0.5 * (low + high)
        axes.set_ylim(middle - 0.5 * least, middle + 0.5 * least)


def sheet(
    charts: Sequence[Chart],
    title: str,
    subjects: Mapping[str, str] | None = None,
    wide: bool = False,
    columns: int = COLUMNS,
) -> Figure:
    """Return charts in rows; the figure belongs to no window system.

    Parameters
    ----------
    charts : sequence of Chart
    title : str
    subjects : mapping of str to str, optional
        Colours by names that the head of the page explains.
    wide : bool
        True if the first chart takes all places of the first row but the last.
    columns : int
        Charts beside each other.
    """
    checks.require_plots()
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # here, because only pictures need it
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    first = columns - 1 if wide else 1
    rows = max(1, math.ceil((len(charts) + first - 1) / columns))
    above = 1.15 + (0.45 if subjects else 0.0)  # [in], as all that follow
    width, height = 6.0 * columns, above + 0.7 + 3.0 * rows
    with style():
        figure = Figure(figsize=(width, height))
        FigureCanvasAgg(figure)
        grid = figure.add_gridspec(  # a layout by Matplotlib would double the time
            rows, columns, left=0.85 / width, right=1.0 - 0.7 / width, bottom=0.65 / height,
            top=1.0 - above / height, wspace=0.28, hspace=0.48,
        )  # fmt: skip
        for k, chart in enumerate(charts):
            place = k + first - 1 if k else 0
            column = slice(0, first) if k == 0 else place % columns
            draw(figure.add_subplot(grid[place // columns, column]), chart)
        if subjects:
            marks = [
                Line2D([], [], color=colour, label=drawn_text(text)) for text, colour in subjects.items()
            ]
            figure.legend(
                handles=marks, loc="upper center", bbox_to_anchor=(0.5, 1.0 - 0.75 / height), ncols=4
            )
        figure.suptitle(drawn_text(title), y=1.0 - 0.2 / height, fontsize=15.0)
    return figure


def save_sheet(figure: Figure, path: Path) -> None:
    """Write a page as PNG."""
    with style():
        figure.savefig(path, format="png", dpi=100)


def svg(chart: Chart, size: tuple[float, float] = (6.0, 3.7)) -> str:
    """Return a chart as an SVG element of a size [in], the same whenever it is drawn."""
    checks.require_plots()
    from matplotlib import rc_context  # here, because only pictures need it
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with style(), rc_context({"svg.hashsalt": chart.title, "svg.fonttype": "none"}):
        width, height = size
        figure = Figure(figsize=size)
        FigureCanvasSVG(figure)
        right = 0.8 if any(line.right for line in chart.lines) else 0.18
        inside = (0.84 / width, 0.6 / height, 1.0 - (0.84 + right) / width, 1.0 - 1.05 / height)
        draw(figure.add_axes(inside), chart)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    whole = text.getvalue()
    return whole[whole.index("<svg") :]  # without the head of a file of its own


def save_charts(charts: Sequence[Chart], title: str, name: str) -> Path:
    """Draw charts beside each other, write the picture and print its path."""
    path = Path(f"{name}.png")
    with replace_on_success(path) as beside:
        save_sheet(sheet(charts, title, columns=2), beside)
    print(f"picture: {path}")
    return path


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return columns of text: the first left, the others right-aligned; numbers with four digits."""
    return "\n".join(
        align_columns([head, *([format_cell(value) for value in row] for row in rows)], right=True)
    )


def format_cell(value: Any) -> str:
    """Format a table's entry."""
    if isinstance(value, str):
        return value
    return "" if value is None else f"{value:.4g}"
