"""The summary as tables and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from ce_dynamics._version import __version__
from ce_dynamics.models.vehicles.summary import Summary, list_figures

if TYPE_CHECKING:
    from ce_dynamics.models.handling.outcome import Outcome


def print_tables(title: str, summary: Summary, in_haste: bool = False) -> None:
    """Print figures of the vehicle and of its corners to stdout, and a note if its code was made quickly."""
    console = Console(highlight=False, emoji=False)
    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for figure in summary.figures:
        table.add_row(figure.label, number(figure.value), unit(figure.unit))
    console.print(table)
    console.print(corner_table(summary))
    if in_haste:
        print("compiled quickly for the first run; the next one takes better code")
    console.file.flush()  # readers of a pipe need not wait for the files


FEW = 4
"""Corners that have a column each; of more of them each has a row."""


def corner_table(summary: Summary) -> Table:
    """Return figures of the corners."""
    corners = list(summary.corners[0].values)
    if len(corners) <= FEW:
        table = Table("corner", *(name.replace("_", " ") for name in corners), "")
        for row in summary.corners:
            table.add_row(row.label, *(number(row.values[name]) for name in corners), unit(row.unit))
        aligned = table.columns[1:-1]
    else:
        table = Table("corner", *(f"{row.label}, {unit(row.unit)}" for row in summary.corners))
        for name in corners:
            table.add_row(name.replace("_", " "), *(number(row.values[name]) for row in summary.corners))
        aligned = table.columns[1:]
    for column in aligned:
        column.justify = "right"
    return table


def print_outcomes(outcomes: Sequence[Outcome]) -> None:
    """Print the figures of one test, one column for each test vehicle."""
    console = Console(highlight=False, emoji=False)
    first = outcomes[0]
    table = Table(
        "",
        *(o.subject for o in outcomes),
        "",
        title=f"{first.title} ({first.standard})",
        title_justify="left",
    )
    for column in table.columns[1:-1]:
        column.justify = "right"
    for figure in list_figures(one.figures for one in outcomes):
        values = [next((f.value for f in o.figures if f.key == figure.key), math.nan) for o in outcomes]
        table.add_row(figure.label, *map(number, values), unit(figure.unit))
    for criterion in dict.fromkeys(v.criterion for o in outcomes for v in o.verdicts):
        own = [next((v for v in o.verdicts if v.criterion == criterion), None) for o in outcomes]
        allowed = next(v.allowed for v in own if v is not None)
        table.add_row(
            criterion, *("–" if v is None else f"{v.reached}: {JUDGED[v.passed]}" for v in own), allowed
        )
    if table.rows:  # none where all ended with errors
        console.print(table)
    for outcome in outcomes:
        for note in outcome.notes:
            console.print(f"{outcome.subject}: {note}", markup=False)
    console.file.flush()


JUDGED = {True: "kept", False: "NOT kept", None: "not judged"}
"""Verdicts in words."""


def print_files(files: Mapping[str, str]) -> None:
    """Print the files that were written to stdout."""
    print(f"results: {files['netcdf']}")
    if "png" in files:
        print(f"plots: {files['png']}")
    if "html" in files:
        print(f"page: {files['html']}")
    if "table" in files:
        print(f"table: {files['table']}")


def print_json(
    title: str, message: str, attributes: Mapping[str, Any], summary: Summary, files: Mapping[str, str]
) -> None:
    """Print JSON; ``completed`` is True if the end was reached, else ``message`` has the cause."""
    known = ("model", "manoeuvre", "method", "rtol", "atol")
    settings = {key: attributes[key] for key in known if key in attributes}
    content = {
        "version": __version__,
        "title": title,
        **settings,
        "options": json.loads(attributes.get("manoeuvre_options", "{}")),
        "overrides": json.loads(attributes["overrides"]),
        "completed": not message,
        "message": message,
        **summary.as_dict(),
        "files": dict(files),
    }
    print(json.dumps(content, indent=2, allow_nan=False))


def number(value: float) -> str:
    """Format a number with four digits; counts in full."""
    if math.isnan(value):
        return "–"
    if value == round(value) and abs(value) < 1e9:
        return f"{value:.0f}"
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def unit(text: str) -> str:
    """Return a unit as shown in tables; empty for plain numbers."""
    return "" if text == "1" else text.replace("^2", "²")
