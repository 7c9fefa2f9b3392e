"""A mechanism with what others have published about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.compiled.input_laws import InputLaw
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import Observer
from ce_dynamics.mechanism.system import System


class PublishedFigure(NamedTuple):
    """A published value of one of a mechanism's outputs at a time [s].

    ``precision`` is how far from it the truth may be: a unit of its last digit, or the error its source is
    known to have.  An angle that ``turns`` is compared without counting turns.
    """

    output: str
    time: float
    value: float
    precision: float
    turns: bool = False

    def error(self, found: float) -> float:
        """Return the difference of a found value from the published value."""
        difference = found - self.value
        return float(np.remainder(difference + np.pi, 2.0 * np.pi) - np.pi) if self.turns else difference


class PublishedMechanism(NamedTuple):
    """A mechanism that starts from the published state, with its published figures and their source.

    ``duration`` is that of the published run [s]; ``stiff`` ones take an implicit integrator.
    """

    source: str
    build: Callable[[], System]
    duration: float
    figures: tuple[PublishedFigure, ...]
    inputs: InputLaw | None = None
    stiff: bool = False


def bar_inertia(along: Array, mass: float, length: float, gyration_2: float) -> Array:
    """Return the inertia of a straight bar along a unit vector about its centre.

    ``gyration_2`` is the squared radius of gyration of its section about a diameter [m²]: a²/12 of a square,
    r²/4 of a disc, 0 of a line.
    """
    axial = 2.0 * mass * gyration_2
    across = mass * (length**2 / 12.0 + gyration_2)
    return np.asarray(across * np.eye(3) + (axial - across) * np.outer(along, along))


def show_point(system: System, body: Body, at: Array, components: Mapping[str, int]) -> None:
    """Make world coordinates of a point, given in the design pose, outputs of the system."""
    for name, k in components.items():
        system.add_output(name, "m", partial(position, body=body, at=at, ground=system.ground, k=k))


def position(observer: Observer, body: Body, at: Array, ground: Body, k: int) -> Scalar:
    """Return a coordinate of a body-fixed point in the world."""
    return observer.point(body, at, ground).r[k]


def show_hinge(system: System, name: str, body: Body, unit: str, start: float = 0.0) -> None:
    """Make the coordinate of a body's hinge, counted from a start, and its rate outputs of the system."""
    system.add_output(name, unit, partial(coordinate, body=body, start=start))
    system.add_output(f"{name}_rate", f"{unit}/s", partial(rate, body=body))


def coordinate(observer: Observer, body: Body, start: float) -> Scalar:
    """Return the coordinate of a body's hinge, counted from a start."""
    return observer.coordinate(body) + start


def rate(observer: Observer, body: Body) -> Scalar:
    """Return the rate of that."""
    return observer.rate(body)
