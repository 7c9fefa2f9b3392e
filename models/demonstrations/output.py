"""Tables, pictures and animations of the example scripts in ``docs/examples``."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ce_dynamics.algebra.files import replace_on_success
from ce_dynamics.views.charts import Chart, save_sheet, sheet
from ce_dynamics.views.scene import View


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return columns of text: the first left, the others right-aligned; numbers with four digits."""
    lines = [list(head), *([cell(value) for value in row] for row in rows)]
    widths = [max(measure_width(line[k]) for line in lines) for k in range(len(head))]
    shown = []
    for first, *others in lines:
        first += " " * (widths[0] - measure_width(first))
        right = [" " * (w - measure_width(text)) + text for text, w in zip(others, widths[1:], strict=True)]
        shown.append("  ".join((first, *right)).rstrip())
    return "\n".join(shown)


def measure_width(text: str) -> int:
    """Return the number of characters side by side: combining ones (tildes, dots) do not count."""
    return sum(unicodedata.combining(character) == 0 for character in text)


def cell(value: Any) -> str:
    """Format a table's entry."""
    if isinstance(value, str):
        return value
    return "" if value is None else f"{value:.4g}"


def save_charts(charts: Sequence[Chart], title: str, name: str) -> Path:
    """Draw charts beside each other, write the picture and print its path."""
    path = Path(f"{name}.png")
    with replace_on_success(path) as beside:
        save_sheet(sheet(charts, title, columns=2), beside)
    print(f"picture: {path}")
    return path


def save_film(view: View, name: str) -> Path:
    """Write a GIF of a page that plays a run, drawn by an installed browser, and print its path."""
    path = view.save(f"{name}.gif")
    print(f"animation: {path}")
    return path
