"""Layout and style of pages: places of panels, colours, settings, legends, scales; lines of corners."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra import checks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import GridSpec

    from ce_dynamics.models.vehicles.summary import Results

COLUMNS = 3
"""Panels of a page beside each other."""
BLUE, ORANGE, GREEN, RED, GREY = "tab:blue", "tab:orange", "tab:green", "tab:red", "0.55"
AXLE_COLOURS = BLUE, ORANGE, GREEN, RED, "tab:purple", "tab:brown", "tab:pink", "tab:olive"
"""Of axles, from front to rear."""
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


def axles(results: Results) -> dict[str, str]:
    """Colours of the axles by name, from front to rear."""
    names = dict.fromkeys(str(corner).rpartition("_")[0] for corner in results["corner"].values)
    return dict(zip(names, AXLE_COLOURS, strict=False))


def short_name(corner: str) -> str:
    """``FL`` for ``front_left``."""
    return "".join(word[0] for word in corner.split("_")).upper()


def style() -> AbstractContextManager[None]:
    """Our settings, for as long as a page is drawn."""
    checks.require_plots()
    import matplotlib  # here, because only pictures need it

    settings: dict[Any, Any] = {**matplotlib.rcParamsDefault, **STYLE, "backend": "agg"}
    return matplotlib.rc_context(settings)


def sheet(
    panels: int, head: float, row: float, margins: tuple[float, float, float, float], hspace: float
) -> tuple[Figure, GridSpec]:
    """A page with places for panels in rows of `COLUMNS`; it belongs to no window system.

    Parameters
    ----------
    panels : int
        Places.
    head, row : float
        Heights of what is not rows, and of each of them [in].
    margins : tuple of float
        Left, right, below, above [in]: matplotlib's automatic layout would double the drawing time.
    hspace : float
        Between rows, in parts of a panel's height.
    """
    checks.require_plots()
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # here, because only pictures need it
    from matplotlib.figure import Figure

    rows = max(1, math.ceil(panels / COLUMNS))
    width, height = 18.0, head + row * rows
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    left, right, below, above = margins
    grid = figure.add_gridspec(
        rows,
        COLUMNS,
        left=left / width,
        right=1.0 - right / width,
        bottom=below / height,
        top=1.0 - above / height,
        wspace=0.28,
        hspace=hspace,
    )
    return figure, grid


def legend(axes: Axes, *others: Axes, columns: int = 4) -> None:
    """Above the panel, right of its title, where it covers no line."""
    lines = [line for each in (axes, *others) for line in each.get_lines()]
    names = [str(line.get_label()) for line in lines]
    axes.legend(lines, names, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns)


def over_time(axes: Axes, results: Results, values: NDArray[np.float64], **style: Any) -> None:
    """A line over the time of the results."""
    axes.plot(results["time"].values, values, **style)


def by_corner(axes: Axes, results: Results, values: NDArray[np.float64]) -> None:
    """One line per corner: colour tells the axle, dashes the side."""
    colours = axles(results)
    for k, name in enumerate(str(corner) for corner in results["corner"].values):
        colour, dashes = colours[name.rpartition("_")[0]], "-" if name.endswith("_left") else "--"
        over_time(axes, results, values[:, k], color=colour, linestyle=dashes, label=short_name(name))


def right_scale(axes: Axes) -> Axes:
    """A second scale for the same panel."""
    right = axes.twinx()
    right.margins(x=0.01)
    right.grid(False)
    right.yaxis.get_offset_text().set(x=1.01, horizontalalignment="left")  # not over the legend
    return right


def widen(axes: Axes, least: float) -> None:
    """Keep rounding from filling the panel: show at least this much."""
    low, high = axes.get_ylim()
    if high - low < least:
        middle = 0.5 * (low + high)
        axes.set_ylim(middle - 0.5 * least, middle + 0.5 * least)
