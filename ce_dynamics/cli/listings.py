"""Listings of parameters and manoeuvres, one per line, for people and for grep."""

from __future__ import annotations

from collections.abc import Sequence

from ce_dynamics.models.parts.manoeuvres import MANOEUVRES, Option
from ce_dynamics.models.vehicles.case import load_parameters


def print_parameters(model: str, overrides: Sequence[str]) -> None:
    """``key = value unit`` and the source of every parameter."""
    parameters = load_parameters(model, overrides)
    for parameter in parameters.flat():
        source = parameters.sources.get(parameter.source, parameter.source)
        print(f"{parameter.key}={parameter.text}    # {source}")


def print_manoeuvres() -> None:
    """Name and title of every manoeuvre, and its options with defaults and bounds."""
    for name, kind in MANOEUVRES.items():
        print(f"{name}: {kind.title}")
        for option in kind.options:
            unit = "" if option.unit == "1" else f" {option.unit}"
            print(f"  {option.name}={option.default:g}{unit}    # {option.description}{bounds(option)}")


def bounds(option: Option) -> str:
    """The bounds of an option, as a clause."""
    infinity = float("inf")
    parts = (
        ("above", option.above, -infinity),
        ("at least", option.at_least, -infinity),
        ("at most", option.at_most, infinity),
    )
    said = [f"{word} {value:g}" for word, value, unbounded in parts if value != unbounded]
    return f" ({', '.join(said)})" if said else ""
