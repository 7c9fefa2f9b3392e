"""The page: the trajectory across it, below it the panels the results have data for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ce_dynamics.algebra.streams import drawn_text
from ce_dynamics.models.parts.manoeuvres import Manoeuvre
from ce_dynamics.models.vehicles.plots.look import COLUMNS, sheet, style
from ce_dynamics.models.vehicles.plots.panels import PANELS
from ce_dynamics.models.vehicles.plots.trajectory import draw_trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ce_dynamics.models.vehicles.summary import Results


def save_figure(results: Results, manoeuvre: Manoeuvre | None, path: Path) -> None:
    """Draw the page and write it as PNG.

    Parameters
    ----------
    results : Record or xarray.Dataset
        As `Case.simulate_to_record` or `Case.simulate` returns it; a partial one will do.
    manoeuvre : Manoeuvre or None
        What was driven.
    path : Path
        File to write.
    """
    with style():
        drawn(results, manoeuvre).savefig(path, format="png", dpi=100)


def figure(results: Results, manoeuvre: Manoeuvre | None = None) -> Figure:
    """The page: the trajectory across it, below it the panels the results have data for.

    The figure belongs to no window system, and matplotlib's settings are left as they are.
    """
    with style():
        return drawn(results, manoeuvre)


def drawn(results: Results, manoeuvre: Manoeuvre | None) -> Figure:
    """The page, under the settings of `style`."""
    panels = [panel for panel in PANELS if all(name in results for name in panel.needs)]
    # the trajectory takes all places of the first row but the last
    page, grid = sheet(len(panels) + COLUMNS - 1, 1.5, 3.0, (0.8, 0.8, 0.6, 1.1), hspace=0.42)
    draw_trajectory(page.add_subplot(grid[0, :-1]), results, manoeuvre)
    for k, panel in enumerate(panels, start=COLUMNS - 1):
        axes = page.add_subplot(grid[k // COLUMNS, k % COLUMNS])
        axes.set_title(panel.title, y=1.0)  # to look for a free place takes a tenth of the time
        axes.yaxis.get_offset_text().set(x=-0.01, horizontalalignment="right")  # powers of ten beside it
        axes.set_xlabel("time [s]")
        axes.margins(x=0.01)
        panel.draw(axes, results)
    page.suptitle(drawn_text(heading(results)), fontsize=15.0, y=1.0 - 0.2 / page.get_figheight())
    return page


def heading(results: Results) -> str:
    """Title of the page."""
    attributes = results.attrs
    end = float(results["time"].values[-1])
    accuracy = (
        f"rtol {attributes['rtol']:g}, atol {attributes['atol']:g}"
        if "rtol" in attributes
        else f"steps of {attributes['step']:g} s"
    )
    return f"{attributes.get('title', 'vehicle')}\n{end:g} s by {attributes['method']}, {accuracy}"
