"""Options that subcommands share: the vehicle, its numbers, its tyres, what it drives on."""

from __future__ import annotations

from typing import Any

import typer


def vehicle(panel: str, more: str = "", **how: Any) -> Any:
    """``--vehicle``, in the panel of ``--help`` that is named; ``more`` ends its text."""
    text = f"A shipped vehicle or a data file{more}."
    return typer.Option("--vehicle", metavar="NAME|FILE", help=text, rich_help_panel=panel, **how)


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
