"""Listings of vehicles, parameters, manoeuvres and roads, one per line, for people and for grep."""

from __future__ import annotations

from collections.abc import Sequence

from ce_dynamics import vehicles
from ce_dynamics.algebra.checks import with_unit
from ce_dynamics.cli.options import Simulate
from ce_dynamics.models.parts.manoeuvres import MANOEUVRES, Option
from ce_dynamics.models.parts.roads.kinds import FRICTIONS, ROADS, RoadKind
from ce_dynamics.models.parts.roads.map_files import FILE_WORDS, READERS
from ce_dynamics.models.vehicles.files import SHIPPED, VARIANTS, data_file


def run(options: Simulate) -> int:
    """Print the selected listing."""
    if options.list_vehicles:
        print_vehicles()
    elif options.list_manoeuvres:
        print_manoeuvres()
    elif options.list_roads:
        print_roads()
    else:
        print_parameters(options.vehicle, options.overrides or [])
    return 0


def print_vehicles() -> None:
    """Print the name and the title of every shipped vehicle."""
    for name, path in {**SHIPPED, **VARIANTS}.items():
        print(f"{name}: {data_file(path).title}")


def print_parameters(model: str, overrides: Sequence[str]) -> None:
    """Print ``key = value unit`` and the source of every parameter."""
    parameters = vehicles.load(model, overrides).data
    for parameter in parameters.flat():
        source = parameters.sources.get(parameter.source, parameter.source)
        print(f"{parameter.key}={parameter.text}    # {source}")


def print_manoeuvres() -> None:
    """Name and title of every manoeuvre, and its options with defaults and bounds."""
    for name, kind in MANOEUVRES.items():
        print(f"{name}: {kind.title}")
        print_options(kind.options)


def print_tests() -> None:
    """Name, title and standard of every test, and its options with defaults and bounds."""
    from ce_dynamics.models.handling.procedures import PROCEDURES  # here, as others do without

    for name, kind in PROCEDURES.items():
        print(f"{name}: {kind.title} ({kind.standard})")
        print_options(kind.options)


def print_options(options: Sequence[Option]) -> None:
    """Print every option on one line."""
    for option in options:
        unit = f" {option.unit}" if option.unit not in ("", "1") else ""
        default = "..." if option.default is None else option.default
        value = default if isinstance(default, str) else f"{default:g}{unit}"
        print(f"  {option.name}={value}    # {option.description}{bounds(option)}")


def print_roads() -> None:
    """Print every road and friction with its options and defaults; then files."""
    kinds: dict[str, RoadKind] = {**ROADS, **FRICTIONS}
    for name, kind in kinds.items():
        print(f"{name}: {kind.about}")
        print_options(kind.words)
    print(f"FILE{', FILE'.join(READERS)}: maps")
    print_options(FILE_WORDS)


def bounds(option: Option) -> str:
    """Return the bounds of an option, as a clause."""
    infinity = float("inf")
    parts = (
        ("above", option.above, -infinity),
        ("at least", option.at_least, -infinity),
        ("at most", option.at_most, infinity),
    )
    limits = [
        f"{word} {with_unit(f'{value:g}', option.unit)}"
        for word, value, unbounded in parts
        if value != unbounded
    ]
    return f" ({', '.join(limits)})" if limits else ""
