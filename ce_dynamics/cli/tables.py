"""The summary as tables and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from ce_dynamics._version import __version__
from ce_dynamics.models.vehicles.summary import Summary


def print_tables(title: str, summary: Summary) -> None:
    """On stdout: figures of the vehicle and of its corners."""
    console = Console(highlight=False)
    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for figure in summary.figures:
        table.add_row(figure.label, number(figure.value), unit(figure.unit))
    console.print(table)
    console.print(corner_table(summary))
    console.file.flush()  # files are still to be written: what reads a pipe need not wait for them


FEW = 4
"""Corners that have a column each; of more of them each has a row."""


def corner_table(summary: Summary) -> Table:
    """Figures of the corners."""
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


def print_files(files: Mapping[str, str]) -> None:
    """On stdout: where everything went."""
    print(f"results: {files['netcdf']}")
    if "png" in files:
        print(f"plots: {files['png']}")
    if "html" in files:
        print(f"page: {files['html']}")


def print_json(
    title: str, message: str, attributes: Mapping[str, Any], summary: Summary, files: Mapping[str, str]
) -> None:
    """On stdout; ``completed`` tells whether the end was reached, ``message`` why not."""
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
    """Four digits; counts in full."""
    if math.isnan(value):
        return "–"
    if value == round(value) and abs(value) < 1e9:
        return f"{value:.0f}"
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def unit(text: str) -> str:
    """Nothing for plain numbers."""
    return "" if text == "1" else text.replace("^2", "²")
