"""Common part of the one-line demonstrations: options, exit codes, errors in one line, tables, pictures."""

from __future__ import annotations

import argparse
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from ce_dynamics.algebra.files import unusable, whole
from ce_dynamics.algebra.interrupts import INTERRUPTED, was_interrupt
from ce_dynamics.errors import CeDynamicsError, DataError, SimulationError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ce_dynamics.views.scene import View

Run = TypeVar("Run")

OK, BAD_INPUT, FAILED = 0, 2, 3
"""Exit codes, those of ``simulate-vehicle``."""

LEAST_DRAWN = 3
"""Instants of a run that stopped early."""

EXPLANATION = (
    "Exit codes: 0 all went well; 2 something given is wrong; 3 the integration failed; 130 interrupted."
)


class Options(argparse.ArgumentParser):
    """A parser whose complaints are errors of this package."""

    def __init__(self, module: str, description: str) -> None:
        super().__init__(prog=f"python -m {module}", description=description, epilog=EXPLANATION)
        self.add_argument("--duration", type=float, default=None, metavar="S", help="time simulated [s]")
        self.add_argument(
            "--output", type=Path, default=Path("."), metavar="FOLDER", help="where pictures go"
        )
        self.add_argument("--animation", action="store_true", help="make a GIF as well")
        self.add_argument(
            "--view", action="store_true", help="write a page that plays it in three dimensions as well"
        )

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments."""
        raise DataError(message)


def execute(
    demonstrate: Callable[[Sequence[str] | None], None], arguments: Sequence[str] | None = None
) -> int:
    """Run a demonstration and turn every error into one line on stderr and an exit code."""
    try:
        demonstrate(arguments)
    except SimulationError as error:
        return complained(error, INTERRUPTED if str(error).startswith("interrupted") else FAILED)
    except CeDynamicsError as error:
        return complained(error, BAD_INPUT)
    except OSError as error:
        return complained(unusable(error), BAD_INPUT)
    except (KeyboardInterrupt, ImportError) as error:
        if not was_interrupt(error):
            raise
        return complained("interrupted", INTERRUPTED)
    except SystemExit as leaving:  # --help
        return int(leaving.code or 0)
    return OK


def drawn(run: Callable[[], Run], draw: Callable[[Run], object]) -> Run:
    """Perform a run, draw it and return it.

    If the run stops early, draw the part that its error holds before the error is raised again.
    """
    try:
        made = run()
    except SimulationError as error:
        part: Any = error.partial
        if part is not None and len(part.t) >= LEAST_DRAWN:
            draw(part)
        raise
    draw(made)
    return made


def complained(error: object, code: int) -> int:
    """The code, after one line on stderr."""
    print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
    return code


def positive_number(name: str, value: float) -> float:
    """A number given on the command line that must be above zero.

    Raises
    ------
    DataError
        If it is not.
    """
    if not (np.isfinite(value) and value > 0.0):
        raise DataError(f"{name} {value!r} must be a positive finite number")
    return value


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Columns of text: the first to the left, the others to the right; numbers with four digits."""
    lines = [list(head), *([cell(value) for value in row] for row in rows)]
    widths = [max(printed_width(line[k]) for line in lines) for k in range(len(head))]
    shown = []
    for first, *others in lines:
        first += " " * (widths[0] - printed_width(first))
        right = [" " * (w - printed_width(text)) + text for text, w in zip(others, widths[1:], strict=True)]
        shown.append("  ".join((first, *right)).rstrip())
    return "\n".join(shown)


def printed_width(text: str) -> int:
    """Number of characters side by side: those that sit on top of others (tildes, dots) do not count."""
    return sum(unicodedata.combining(character) == 0 for character in text)


def cell(value: Any) -> str:
    """A table's entry."""
    if isinstance(value, str):
        return value
    return "" if value is None else f"{value:.4g}"


def save_figure(figure: Figure, folder: Path, name: str) -> Path:
    """Write a picture and say where."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.png"
    with whole(path) as beside:
        figure.savefig(beside, dpi=110)
    print(f"picture: {path}")
    return path


def save_view(view: View, folder: Path, name: str) -> Path:
    """Write a page and say where."""
    folder.mkdir(parents=True, exist_ok=True)
    path = view.save(folder / f"{name}.html")
    print(f"page: {path}")
    return path


def save_animation(
    figure: Figure, draw: Callable[[int], None], frames: int, folder: Path, name: str, rate: float = 20.0
) -> Path:
    """Write a GIF of ``draw(0)`` to ``draw(frames - 1)`` and say where."""
    from matplotlib.animation import PillowWriter  # here, because only pictures need it
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.gif"
    FigureCanvasAgg(figure)
    writer = PillowWriter(fps=round(rate))
    with whole(path) as beside, writer.saving(figure, str(beside), dpi=70):
        for k in range(frames):
            draw(k)
            writer.grab_frame()
    print(f"animation: {path}")
    return path
