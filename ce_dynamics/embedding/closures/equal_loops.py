"""Loops that are equal but for a rigid motion, so that what is found once for one of them holds for all.

Coordinates of hinges do not depend on where a loop is.  A loop is therefore described by its hinges in axes
of its own: two loops are equal if that is the same up to rounding of the data.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np

from ce_dynamics.algebra.arrays import Array, cross
from ce_dynamics.compiler.free_numbers import is_free
from ce_dynamics.embedding.closures.freedoms import Freedoms
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.hinges.base import Hinge

if TYPE_CHECKING:
    from ce_dynamics.embedding.linkage import Linkage

ROUNDINGS = 8
"""Roundings of its distance from the origin of the data that a coordinate of a loop has at most: two of its
own and of the middle's, each turned by a matrix (three products), in either of two loops."""
CELL = 1e-6  # width of the cells by which loops are looked up [1, or sizes of the loop]: far above rounding
OFFSET = 0.381966  # part of a cell by which cells are moved, so that round numbers are at no end of one
ACROSS = 0.1  # sine of an angle from which on two vectors determine axes

T = TypeVar("T")


class LoopShape(NamedTuple):
    """A loop without its place."""

    key: tuple[object, ...]  # joints, what they join, and their numbers, which are the same in equal loops
    # (n, 3), directions, and points in sizes of the loop from their middle, in axes of the loop
    vectors: Array
    axes: Array  # (3, 3), these axes, in rows
    rounding: float  # how far `vectors` are off by rounding

    def is_turned_from(self, other: LoopShape) -> bool:
        """Return True if a rotation lies between two loops."""
        return bool(np.max(np.abs(self.axes - other.axes)) > self.rounding + other.rounding)


@dataclass
class Equals(Generic[T]):
    """Cache of results for loops, by shape."""

    _known: dict[tuple[object, ...], list[tuple[LoopShape, T]]] = field(default_factory=dict)

    def find(self, shape: LoopShape | None) -> tuple[LoopShape, T] | None:
        """Return the solution of an equal loop, and its shape; None if there is none."""
        if shape is None:
            return None
        for other, thing in self._known.get(cell(shape), ()):
            if np.max(np.abs(shape.vectors - other.vectors)) <= shape.rounding + other.rounding:
                return other, thing
        return None

    def add(self, shape: LoopShape | None, thing: T) -> None:
        """Keep what was found for a loop."""
        if shape is not None:
            self._known.setdefault(cell(shape), []).append((shape, thing))


class KnownLoops:
    """Cache of results for the loops of a system while it is embedded."""

    def __init__(self) -> None:
        self.settled: Equals[None] = Equals()  # sub-graphs whose geometry is taken as given
        self.led: Equals[tuple[int, ...]] = Equals()  # places of independent hinges that were checked
        self.linkages: Equals[Linkage] = Equals()
        # parts that `Freedoms` are of, and these, by the identities of the parts
        self.freedoms: dict[tuple[int, ...], tuple[tuple[object, ...], Freedoms]] = {}
        self.mobile: set[object] = set()  # aggregated bodies whose hinges can all move


_known: ContextVar[KnownLoops | None] = ContextVar("known loops", default=None)


@contextmanager
def each_loop_once() -> Iterator[None]:
    """Solve equal loops once in this context."""
    token = _known.set(KnownLoops())
    try:
        yield
    finally:
        _known.reset(token)


def known_loops() -> KnownLoops:
    """Return the solutions so far in this context; nothing outside of one."""
    return _known.get() or KnownLoops()


def find_freedoms(bodies: Sequence[Body], closures: Sequence[CutEdge], free: Sequence[Body]) -> Freedoms:
    """Return the freedoms that closures leave to some hinges, found once for each geometry."""
    in_order = sorted(bodies, key=lambda body: body.index)
    joints = [*(body.hinge for body in in_order), *(getattr(edge, "closure", None) for edge in closures)]
    parts = (*in_order, *closures, *joints)  # kept, so that no other part gets the identity of one
    key = (*map(id, parts), *(body in free for body in in_order))
    known = known_loops().freedoms
    if key not in known:
        known[key] = parts, Freedoms(bodies, closures, free)
    return known[key][1]


def cell(shape: LoopShape) -> tuple[object, ...]:
    """Return the key under which a shape is kept."""
    return (*shape.key, np.floor(shape.vectors / CELL + OFFSET).tobytes())


def shape_of(
    parent: Body, bodies: Sequence[Body], closures: Sequence[CutEdge], marked: Container[Body] = ()
) -> LoopShape | None:
    """Return the shape of a loop, in which marked bodies differ from others; None if it is unknown.

    It is known for hinges of the library without free parameters, between bodies of the loop and its
    parent.
    Loops with coordinates along axes of the world, as of quaternions, are equal only if they are not turned.
    """
    place = {body: k for k, body in enumerate((parent, *bodies))}
    joints: list[tuple[object, Body, Body]] = [(body.hinge, body.carrier, body) for body in bodies]
    for edge in closures:
        if type(edge) is not LoopClosure or edge.leading or edge.through_dead_centres:
            return None
        joints.append((edge.closure, edge.body_a, edge.body_b))
    key: list[object] = [tuple(body in marked for body in bodies)]
    key += [edge.substeps for edge in closures if isinstance(edge, LoopClosure)]
    directions: list[Array] = []
    points: list[Array] = []
    for hinge, a, b in joints:
        if not isinstance(hinge, Hinge) or not type(hinge).__module__.startswith("ce_dynamics."):
            return None
        if a not in place or b not in place:
            return None
        numbers = dict(vars(hinge))
        points.append(numbers.pop("at"))
        directions += [numbers.pop(name) for name in hinge.directions]
        if not all(isinstance(value, float) for value in numbers.values()):
            return None
        key.append((type(hinge), place[a], place[b], *numbers.items()))
    given = np.array([*directions, *points])
    if is_free(given):
        return None
    at = given[len(directions) :]
    middle = np.mean(at, axis=0)
    size = float(np.linalg.norm(at - middle)) or 1.0
    vectors = np.concatenate((given[: len(directions)], (at - middle) / size))
    axes = axes_of(vectors)
    rounding = ROUNDINGS * float(np.finfo(float).eps) * (1.0 + float(np.max(np.abs(at))) / size)
    in_own_axes = vectors @ axes.T
    if any(body.inboard.n_q != body.inboard.n_v for body in bodies):
        in_own_axes = np.concatenate((in_own_axes, axes))
    return LoopShape((*key, float(f"{size:.6e}")), in_own_axes, axes, rounding)


def axes_of(vectors: Array) -> Array:
    """Return axes, in rows, that turn with some vectors: along the first, and the first across that."""
    x = vectors[0] / (np.linalg.norm(vectors[0]) or 1.0)
    across = vectors - np.outer(vectors @ x, x)
    far = np.flatnonzero(np.linalg.norm(across, axis=1) > ACROSS)
    if not len(far):  # all along one line: any direction across will do
        across, far = np.eye(3) - np.outer(x, x), np.array([int(np.argmin(np.abs(x)))])
    y = across[far[0]] / np.linalg.norm(across[far[0]])
    return np.array((x, y, cross(x, y)))
