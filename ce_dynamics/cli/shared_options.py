"""Options that subcommands share: the vehicle, its numbers, its tyres, what it drives on."""

from __future__ import annotations

from typing import Any

import typer


def vehicle(panel: str, more: str = "", **how: Any) -> Any:
    """``--vehicle``, in the panel of ``--help`` that is named; ``more`` ends its text."""
    text = f"A shipped vehicle or a data file{more}."
    return typer.Option("--vehicle", metavar="NAME|FILE", help=text, rich_help_panel=panel, **how)


def variant(panel: str) -> Any:
    """``--variant``."""
    return typer.Option(
        metavar="'TITLE: PATH=VALUE; ...'",
        help="The first vehicle once more, with other numbers; repeatable.",
        rich_help_panel=panel,
    )


def variant_of(text: str) -> tuple[str, list[str]]:
    """Return title and overrides of a ``--variant``.

    Raises
    ------
    DataError
        If it has no title or no overrides.
    """
    from ce_dynamics.errors import DataError  # here, so that --help is answered at once

    title, colon, changes = text.partition(":")
    given = [change.strip() for change in changes.split(";") if change.strip()]
    if not colon or not title.strip() or not given:
        raise DataError(
            f"--variant {text!r} is not of the form 'TITLE: PATH=VALUE; PATH=VALUE', for example "
            "'stiffer bar: front.anti_roll_bar.stiffness=2 kN*m/rad'"
        )
    return title.strip(), given


def speed(panel: str, more: str = "") -> Any:
    """``--speed``."""
    return typer.Option(help=f"Speed at the start.{more}", rich_help_panel=panel)


def overrides(panel: str, text: str = "Override a parameter.") -> Any:
    """``--set``."""
    return typer.Option("--set", metavar="PATH=VALUE", help=text, rich_help_panel=panel)


def tyre(panel: str, text: str = "A tyre property file (.tir); repeatable.") -> Any:
    """``--tyre``."""
    return typer.Option(metavar="[AXLE=]FILE", help=text, rich_help_panel=panel)


def road(panel: str) -> Any:
    """``--road``."""
    text = "As of a simulation; see simulate-vehicle --list-roads."
    return typer.Option(metavar="ROAD|FILE", help=text, rich_help_panel=panel)
