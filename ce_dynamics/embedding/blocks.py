"""Closures of an aggregated body that can be solved one after the other.

Where a part of the closures determines some of the dependent hinges without the rest, it is solved first, and
what it finds is given for what comes after: with m dependent velocities in two halves the factors of Y₁ cost
a quarter, and a part with one given coordinate gets a table (`ce_dynamics.embedding.numeric.linkage`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.closures.choices import smallest_singular
from ce_dynamics.embedding.closures.freedoms import Freedoms
from ce_dynamics.embedding.closures.loop import Loop, parts_of, rows_of
from ce_dynamics.mechanism.body import Body, chain_between, common_ancestor
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge

REGULAR = 1e-6  # smallest singular value of a part of Y₁ that counts as regular [rad, or sizes of the loop]
MOST_TOGETHER = 3  # closures that are tried together as one part, however different what they move


def blocks(loop: Loop) -> list[Loop]:
    """Return the parts of a loop in the order in which they are solved, each with what carries it.

    Hinges that a part finds are given for those after it.  A part is taken if its rows of Y over its unknown
    hinges have full column rank in the design pose (or the one assembled from it).  If there is none, the
    loop is its only part.
    """
    bodies, closures, dependent = loop.bodies, loop.closures, loop.dependent
    whole = [loop]
    if len(closures) < 2:
        return whole
    paths = {edge.name: path(edge) for edge in closures}
    if not all(paths.values()):
        return whole
    freedoms = Freedoms(bodies, closures, [body for body in bodies if body in dependent])
    columns = {body: range(part.start, part.stop) for body, _, part in parts_of(freedoms.free)}
    rows = {edge.name: range(part.start, part.stop) for edge, part in rows_of(closures)}
    found: list[Loop] = []
    left, unknown = list(closures), {body for body in dependent if body.inboard.n_v}
    while left:
        part = next_part(left, unknown, paths, freedoms.Y, rows, columns)
        if part is None:
            part = tuple(left)
        block = make_block(part, unknown, bodies, dependent, paths)
        if not any(body in unknown for body in block.dependent):
            return whole  # it repeats others: it is solved with them
        found.append(block)
        unknown -= set(block.dependent)
        left = [edge for edge in left if edge not in part]
    return found if len(found) > 1 and not unknown else whole


def next_part(
    left: Sequence[CutEdge],
    unknown: set[Body],
    paths: dict[str, tuple[Body, ...]],
    Y: Array,
    rows: dict[str, range],
    columns: dict[Body, range],
) -> tuple[CutEdge, ...] | None:
    """Return the fewest closures left that determine the unknown hinges on their paths; None if all do."""
    moved = {edge.name: unknown & set(paths[edge.name]) for edge in left}
    for part in candidates(left, moved):
        together = set().union(*(moved[edge.name] for edge in part))
        own = [k for body in columns if body in together for k in columns[body]]
        lines = [k for edge in part for k in rows[edge.name]]
        if own and len(lines) >= len(own) and smallest_singular(Y[np.ix_(lines, own)]) > REGULAR:
            return part
    return None


def candidates(left: Sequence[CutEdge], moved: Mapping[str, set[Body]]) -> Iterator[tuple[CutEdge, ...]]:
    """Yield a few closures at a time, then all that move only what one of them moves, as rods of a beam."""
    for number in range(1, min(MOST_TOGETHER, len(left) - 1) + 1):
        yield from combinations(left, number)
    for edge in left:
        part = tuple(other for other in left if moved[other.name] <= moved[edge.name])
        if MOST_TOGETHER < len(part) < len(left):
            yield part


def make_block(
    part: tuple[CutEdge, ...],
    unknown: set[Body],
    members: Sequence[Body],
    dependent: Sequence[Body],
    paths: dict[str, tuple[Body, ...]],
) -> Loop:
    """Return a part as a loop: bodies from what carries all of it to the ends of its closures.

    Ends outside the aggregated body are siblings, which move in a given way.
    """
    ends = [end for edge in part for end in edge.tops]
    carrier = reduce(common_ancestor, ends)
    inside = {body for end in ends for body in chain_between(end, carrier)[:-1]}
    bodies = tuple(body for body in members if body in inside)
    mine = {body for edge in part for body in paths[edge.name]}
    found = tuple(
        body for body in bodies if body in dependent and (not body.inboard.n_v or body in unknown & mine)
    )
    return Loop(carrier, bodies, part, found)


def path(edge: CutEdge) -> tuple[Body, ...]:
    """Return bodies between the ends of a closure and their common carrier; none for closures of hinges."""
    if edge.couples_hinges:
        return ()
    root = reduce(common_ancestor, edge.tops)
    return tuple(body for end in edge.tops for body in chain_between(end, root)[:-1])
