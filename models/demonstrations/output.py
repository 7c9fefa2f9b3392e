"""Tables, pictures and animations of the example scripts in ``docs/examples``."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ce_dynamics.algebra.files import whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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


def save_figure(figure: Figure, name: str) -> Path:
    """Write a picture and print its path."""
    path = Path(f"{name}.png")
    with whole(path) as beside:
        figure.savefig(beside, dpi=110)
    print(f"picture: {path}")
    return path


def save_animation(
    figure: Figure, draw: Callable[[int], None], frames: int, name: str, rate: float = 20.0
) -> Path:
    """Write a GIF of ``draw(0)`` to ``draw(frames - 1)`` and print its path."""
    from matplotlib.animation import PillowWriter  # here, because only pictures need it
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    path = Path(f"{name}.gif")
    FigureCanvasAgg(figure)
    writer = PillowWriter(fps=round(rate))
    with whole(path) as beside, writer.saving(figure, str(beside), dpi=70):
        for k in range(frames):
            draw(k)
            writer.grab_frame()
    print(f"animation: {path}")
    return path
