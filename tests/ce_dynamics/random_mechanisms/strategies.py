"""Hypothesis draws the graph, which shrinks; a seed gives the geometry, which is generic."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from tests.ce_dynamics.random_mechanisms.recipe import KINDS, Edge, Recipe

SPATIAL_TREE = (*("Revolute",) * 4, *("Cylindrical", "Universal", "Spherical") * 2, *("Prismatic", "Screw"))
PLANAR_TREE = ("Revolute",) * 4 + ("Prismatic",) * 2 + ("Planar",)
ALL_SPATIAL_TREE = (*SPATIAL_TREE * 2, "Planar", "Free", "Fixed", "RollingOnPlane")
ALL_PLANAR_TREE = (*PLANAR_TREE * 2, "Fixed")
CUTS = (
    "Distance", "Spherical", "Revolute", "Universal", "Cylindrical", "Planar", "Prismatic", "Screw",
    "Fixed",
)  # fmt: skip


class Loops:
    """Edges of the tree that are in loops together, and the freedoms left to those loops."""

    def __init__(self, parents: Sequence[str], tree: Sequence[Edge], planar: bool) -> None:
        self.parents = dict(zip((edge.b for edge in tree), parents, strict=True))
        self.freedom = {edge.b: freedoms(edge.kind, planar) for edge in tree}
        self.groups: list[tuple[set[str], int]] = []
        self.planar = planar

    def path(self, a: str, b: str) -> set[str]:
        """Bodies between two: those above one of them but not above both."""
        return set(self.above(a)) ^ set(self.above(b))

    def above(self, body: str) -> list[str]:
        """A body and what carries it, without the ground."""
        chain = []
        while body != "ground":
            chain.append(body)
            body = self.parents[body]
        return chain

    def left(self, a: str, b: str) -> tuple[int, int]:
        """Freedoms on the path between two bodies, and of the whole group that closing it would make."""
        path = self.path(a, b)
        bodies, taken = self.merged(path)
        return sum(self.freedom[k] for k in path), sum(self.freedom[k] for k in bodies) - taken

    def merged(self, path: set[str]) -> tuple[set[str], int]:
        bodies, taken = set(path), 0
        for others, rows in self.groups:
            if bodies & others:
                bodies, taken = bodies | others, taken + rows
        return bodies, taken

    def close(self, path: set[str], rows: int) -> None:
        bodies, taken = self.merged(path)
        self.groups = [group for group in self.groups if not group[0] & path]
        self.groups.append((bodies, taken + rows))

    def allowed(self, a: str, b: str) -> list[str]:
        """Kinds of cut that leave a freedom to the path, and to the group what some of its hinges have."""
        path = self.path(a, b)
        bodies, _ = self.merged(path)
        on_path, of_group = self.left(a, b)
        sums = {0}
        for body in bodies:
            sums |= {s + self.freedom[body] for s in sums}
        taken = {kind: conditions(kind, self.planar) for kind in CUTS if fits(kind, self.planar)}
        return [
            kind for kind, rows in taken.items() if rows < min(on_path, of_group) and of_group - rows in sums
        ]


def fits(kind: str, planar: bool) -> bool:
    return not planar or KINDS[kind].planar_freedoms is not None


def freedoms(kind: str, planar: bool) -> int:
    found = KINDS[kind].planar_freedoms if planar else KINDS[kind].freedoms
    assert found is not None
    return found


def conditions(kind: str, planar: bool) -> int:
    return (3 if planar else 6) - freedoms(kind, planar)


@st.composite
def recipes(draw: Any, coupled: bool = True, driven: bool = True, all_kinds: bool = False) -> Recipe:
    """A mechanism with at least one loop, whose count of freedoms leaves at least one to every loop.

    Trees have hinges that take something from loops, or all kinds there are.
    """
    planar = draw(st.booleans())
    spatial_kinds, planar_kinds = (
        (ALL_SPATIAL_TREE, ALL_PLANAR_TREE) if all_kinds else (SPATIAL_TREE, PLANAR_TREE)
    )
    n = draw(st.integers(2, 6))
    names = [str(k + 1) for k in range(n)]
    parents = [draw(st.sampled_from(["ground", *names[:k]])) for k in range(n)]
    kinds = [draw(st.sampled_from(planar_kinds if planar else spatial_kinds)) for _ in range(n)]
    tree = [Edge(kinds[k], parents[k], names[k], k) for k in range(n)]
    loops = Loops(parents, tree, planar)
    cuts: list[Edge] = []
    pairs = [(a, b) for k, b in enumerate(names) for a in ("ground", *names[:k])]
    for _ in range(draw(st.integers(1, 3))):
        open_pairs = sorted(
            ((a, b) for a, b in pairs if loops.allowed(a, b)), key=lambda pair: -loops.left(*pair)[0]
        )
        if not open_pairs:
            break
        if draw(st.booleans()):  # long loops as well, and cuts that take much
            open_pairs = open_pairs[: (len(open_pairs) + 1) // 2]
        a, b = draw(st.sampled_from(open_pairs))
        kinds_allowed = sorted(loops.allowed(a, b), key=lambda kind: -conditions(kind, planar))
        if draw(st.booleans()):
            kinds_allowed = kinds_allowed[: (len(kinds_allowed) + 1) // 2]
        kind = draw(st.sampled_from(kinds_allowed))
        cuts.append(Edge(kind, a, b, n + len(cuts)))
        loops.close(loops.path(a, b), conditions(kind, planar))
    couplings = draw(pairs_to_couple(tree, loops)) if coupled else ()
    used = {number for pair in couplings for number in pair}
    drives = draw(edges_to_drive(tree, loops, used)) if driven else ()
    inner = {edge.a for edge in (*tree, *cuts)} | {edge.b for edge in cuts}
    massless = (
        tuple(draw(st.booleans()) and name in inner for name in names)
        if draw(st.booleans())
        else (False,) * n
    )
    seed = draw(st.integers(0, 999))
    return Recipe(massless, (*tree, *cuts), couplings, drives, planar, seed)


@st.composite
def pairs_to_couple(draw: Any, tree: Sequence[Edge], loops: Loops) -> tuple[tuple[int, int], ...]:
    """At most one pair of edges of the tree with one coordinate each, where a freedom can be spared."""
    single = [edge for edge in tree if loops.freedom[edge.b] == 1]
    possible = []
    for k, one in enumerate(single):
        for other in single[k + 1 :]:
            path = loops.path(one.b, other.b) | {one.b, other.b}
            bodies, taken = loops.merged(path)
            if sum(loops.freedom[b] for b in bodies) - taken > 1:
                possible.append((one.number, other.number))
    if not possible or not draw(st.booleans()):
        return ()
    pair = draw(st.sampled_from(possible))
    ends = [tree[number].b for number in pair]
    loops.close(loops.path(*ends) | set(ends), 1)
    return (pair,)


@st.composite
def edges_to_drive(draw: Any, tree: Sequence[Edge], loops: Loops, used: set[int]) -> tuple[int, ...]:
    """At most one edge of a loop with more than one freedom."""
    possible = []
    for edge in tree:
        bodies, taken = loops.merged({edge.b})
        spare = sum(loops.freedom[b] for b in bodies) - taken
        if loops.freedom[edge.b] == 1 and spare > 1 and edge.number not in used:
            possible.append(edge.number)
    return (draw(st.sampled_from(possible)),) if possible and draw(st.booleans()) else ()
