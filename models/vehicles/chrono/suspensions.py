"""The suspensions that can be read, by Chrono's name: ours, and the function that reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ce_dynamics.models.vehicles.chrono.double_wishbone import double_wishbone
from ce_dynamics.models.vehicles.chrono.json_file import Part
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.writing import Sections


class Template(NamedTuple):
    """A suspension: its name in our data files, and what reads the numbers of a corner."""

    name: str
    read: Callable[[Reading, Part], Sections]


SUSPENSIONS: Mapping[str, Template] = {
    "DoubleWishbone": Template("double-wishbone", double_wishbone),
}
