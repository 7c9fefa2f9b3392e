"""Hinges, cuts and couplings as a linkage names them to a builder."""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.mechanism.couplings.base import Coupling
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Closure


class Joint(NamedTuple):
    """A hinge of the spanning tree: ``system.add_body(body, parent=carrier, hinge=hinge, ...)``."""

    body: str
    carrier: str
    hinge: Hinge


class Cut(NamedTuple):
    """A cut edge: ``system.close_loop(name, body_a, body_b, closure)``."""

    name: str
    body_a: str
    body_b: str
    closure: Closure


class Link(NamedTuple):
    """A coupling: ``system.couple(name, coordinates, coupling)``."""

    name: str
    coordinates: tuple[tuple[str, int], ...]
    coupling: Coupling
