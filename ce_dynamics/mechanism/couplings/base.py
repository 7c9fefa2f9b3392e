"""Defines couplings: one equation between hinge coordinates, as a cut edge of the graph."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.algebra.lazy_names import adopt_former_methods
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge

if TYPE_CHECKING:
    from ce_dynamics.mechanism.couplings.components import FunctionCoordinate


class Coupling(ABC):
    """Contract of a coupling: φ(q_1, …, q_n) = 0.

    1. `residual` is φ, written on scalars that may be floats, traced or moving: no branch on a value.
    2. `solve` returns coordinate k from the others if `solves` is true; the result satisfies φ = 0 and
       has no jumps, whole turns of angles included.
    3. A linear coupling returns its `row`.
    4. `check` refuses a wrong number of coordinates.
    """

    size: ClassVar[int | None] = None
    """Number of coordinates it couples; None for any number."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        adopt_former_methods(cls, {"solved": "solve"})

    @abstractmethod
    def residual(self, q: Sequence[Scalar]) -> Scalar:
        """Return φ, which must be zero."""

    def solves(self, k: int, number: int) -> bool:
        """Return True if coordinate k of that number has a closed form."""
        return False

    def solve(self, k: int, q: Sequence[Scalar]) -> Scalar:
        """Return the coordinate k from the others (entry k of q is ignored)."""
        raise NotImplementedError(f"{type(self).__name__} has no closed form for coordinate {k}")

    def row(self) -> tuple[Array, Scalar] | None:
        """Return coefficients c (n,) and constant d of a linear coupling c · q = d; None for any other."""
        return None

    def check(self, number: int, owner: str) -> None:
        """Refuse a number of coordinates that the coupling does not take."""
        if self.size is not None and number != self.size:
            raise ModelError(
                f"{owner}: {type(self).__name__} couples {self.size} coordinates, {number} were given"
            )


class Coordinate(NamedTuple):
    """Coordinate k of a body's inboard hinge."""

    body: Body
    k: int = 0


@dataclass(frozen=True, eq=False)
class Coupled(CutEdge):
    """A cut edge made by a coupling: it joins the hinges of two or more bodies.

    Attributes
    ----------
    name : str
    coordinates : tuple of Coordinate
        Coupled components, in the order of the coupling's equation.
    coupling : Coupling
    independent : tuple of str
        Bodies whose inboard hinges are to be independent.
    leading : tuple of FunctionCoordinate
        Further independent coordinates: components of hinges, functions of positions.
    """

    name: str
    coordinates: tuple[Coordinate, ...]
    coupling: Coupling
    independent: tuple[str, ...]
    leading: tuple[FunctionCoordinate, ...] = ()

    rows: ClassVar[int] = 1
    couples_hinges: ClassVar[bool] = True
    counts_turns: ClassVar[bool] = True
    through_dead_centres: ClassVar[bool] = False

    @property
    def kind(self) -> str:
        """Type of the coupling, for messages."""
        return type(self.coupling).__name__

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies whose inboard hinges it couples."""
        return tuple(dict.fromkeys(coordinate.body for coordinate in self.coordinates))

    @property
    def body_a(self) -> Body:
        """The first of them."""
        return self.coordinates[0].body

    @property
    def body_b(self) -> Body:
        """The last of them."""
        return self.coordinates[-1].body

    @property
    def tops(self) -> tuple[Body, ...]:
        """Carriers of the coupled hinges, below which the coupling needs no motion."""
        return tuple(body.carrier for body in self.bodies)


def couplings_in(edges: Iterable[CutEdge]) -> list[Coupled]:
    """Return the cut edges that couple hinges."""
    return [edge for edge in edges if isinstance(edge, Coupled)]


def check_coordinates(owner: str, bodies: Sequence[Body], numbers: Sequence[int]) -> tuple[Coordinate, ...]:
    """Return hinge coordinates that a coupling may name: their rates are velocities of the hinge."""
    found: list[Coordinate] = []
    for body, k in zip(bodies, numbers, strict=True):
        if body.is_ground:
            raise ModelError(f"{owner}: the ground has no hinge; name the bodies whose hinges are coupled")
        hinge = body.inboard
        if hinge.coordinate_names != hinge.velocity_names:
            raise ModelError(
                f"{owner}: the {type(hinge).__name__} hinge of body {body.name!r} has no coordinates that "
                f"are angles or displacements of their own; use simpler hinges, or constrain() with points "
                f"and directions"
            )
        if not 0 <= checks.integer(f"{owner}: coordinate of body {body.name!r}", k) < hinge.n_q:
            raise ModelError(
                f"{owner}: the {type(hinge).__name__} hinge of body {body.name!r} has no coordinate {k!r}; "
                f"it has {hinge.n_q}: {list(range(hinge.n_q))}"
            )
        if any(other.body is body and other.k == k for other in found):
            raise ModelError(f"{owner}: coordinate {k} of body {body.name!r} is named twice")
        found.append(Coordinate(body, k))
    if not found:
        raise ModelError(f"{owner}: name at least one body whose hinge it couples")
    return tuple(found)
