"""Mechanisms as graphs: bodies, and edges any of which may be a hinge of the tree or a cut.

All geometry is given in the design pose, so whatever edges a graph has, they all fit there; only the freedoms
they leave depend on the graph.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.hinges import Closure
from tests.ce_dynamics.moved_systems import Elsewhere, rotation

Z = np.array((0.0, 0.0, 1.0))


class Kind(NamedTuple):
    """Freedoms that a kind of joint leaves, in space and among bodies that move in a plane.

    None where it has no place in a planar mechanism.
    """

    freedoms: int
    planar_freedoms: int | None


KINDS = {
    "Revolute": Kind(1, 1), "Prismatic": Kind(1, 1), "Screw": Kind(1, None), "Cylindrical": Kind(2, None),
    "Universal": Kind(2, None), "Spherical": Kind(3, None), "Planar": Kind(3, 3), "Fixed": Kind(0, 0),
    "Free": Kind(6, None), "Distance": Kind(5, 2), "RollingOnPlane": Kind(3, None),
}  # fmt: skip


@dataclass(frozen=True)
class Edge:
    """A joint of two bodies; ``number`` selects its geometry among all that the recipe's seed gives."""

    kind: str
    a: str
    b: str
    number: int


@dataclass(frozen=True)
class Recipe:
    """Description of a random mechanism."""

    massless: tuple[bool, ...]  # by body; the bodies are "1", "2" …
    # the first as many as there are bodies are a spanning tree; the others close loops
    edges: tuple[Edge, ...]
    # numbers of edges of the tree whose (only) coordinates are coupled
    coupled: tuple[tuple[int, int], ...] = ()
    driven: tuple[int, ...] = ()  # numbers of edges of the tree that follow a prescribed motion
    # whether everything moves in planes z = const, so that hinges set redundant conditions
    planar: bool = False
    seed: int = 0  # of the geometry, masses and loads
    order: tuple[int, ...] = field(default=())
    """Order in which edges are tried for the spanning tree, after those it must have; as given if empty."""
    place: "Place | None" = None
    """Place of the mechanism; the place of its random geometry if not given."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(str(k + 1) for k in range(len(self.massless)))

    def numbers(self, *what: object) -> np.random.Generator:
        """Random numbers that depend on the seed and on what they are for only."""
        return np.random.default_rng([self.seed, *"".join(map(str, what)).encode()])


class Place(NamedTuple):
    """A random orientation, a distance from the origin [m], and the digits of the data, all if None."""

    seed: int
    away: float
    digits: int | None

    def elsewhere(self) -> Elsewhere:
        rng = np.random.default_rng(self.seed)
        R, direction = rotation(rng), rng.normal(size=3)
        return Elsewhere(R, self.away * direction / np.linalg.norm(direction), self.digits)


NOWHERE_ELSE = Elsewhere(np.eye(3), np.zeros(3))


class Placed(NamedTuple):
    """An edge of the tree, from the body that carries it."""

    edge: Edge
    parent: str
    child: str

    @property
    def flipped(self) -> bool:
        """True if its second body is the carrier: the coordinate then counts the other way."""
        return self.parent != self.edge.a


def geometry(recipe: Recipe, edge: Edge) -> tuple[Array, Array, Array, Array]:
    rng = recipe.numbers("edge", edge.number)
    one, two, at, at_b = rng.uniform(-1.0, 1.0, (4, 3))
    if recipe.planar:
        at[2] = at_b[2] = one[2] = 0.0
    return one / np.linalg.norm(one), two / np.linalg.norm(two), at, at_b


def joint(recipe: Recipe, edge: Edge, flipped: bool, there: Elsewhere = NOWHERE_ELSE) -> Closure:
    """The edge's hinge or closure, seen from its first body, or from its second one."""
    one, two, at, at_b = geometry(recipe, edge)
    axis = Z if recipe.planar else one
    makers: dict[str, Callable[[], Closure]] = {
        "Revolute": lambda: ce.Revolute(axis, at), "Prismatic": lambda: ce.Prismatic(one, at),
        "Screw": lambda: ce.Screw(one, 0.3, at), "Cylindrical": lambda: ce.Cylindrical(one, at),
        "Universal": lambda: ce.Universal(two, one, at) if flipped else ce.Universal(one, two, at),
        "Spherical": lambda: ce.Spherical(at), "Planar": lambda: ce.Planar(axis, at),
        "Fixed": lambda: ce.Fixed(at), "Free": lambda: ce.Free(at),
        "Distance": lambda: ce.Distance(at_b, at) if flipped else ce.Distance(at, at_b),
        "RollingOnPlane": lambda: ce.RollingOnPlane(one, at, 0.4),
    }  # fmt: skip
    made = makers[edge.kind]()
    return made if there is NOWHERE_ELSE else there.closure(made)


def spanning_tree(recipe: Recipe) -> tuple[list[Placed], list[Edge]]:
    """Edges of the tree from the ground outward, and the cut ones."""
    kept = [*recipe.driven, *(number for pair in recipe.coupled for number in pair)]
    others = recipe.order or range(len(recipe.edges))
    order = [*kept, *(k for k in others if k not in kept)]
    component = {name: name for name in ("ground", *recipe.names)}

    def root(name: str) -> str:
        while component[name] != name:
            name = component[name]
        return name

    tree: list[Edge] = []
    cuts: list[Edge] = []
    for edge in (recipe.edges[k] for k in order):
        one, other = root(edge.a), root(edge.b)
        if one == other or edge.kind == "Distance":
            cuts.append(edge)
        else:
            component[one] = other
            tree.append(edge)
    placed: list[Placed] = []
    reached = {"ground"}
    while len(placed) < len(tree):
        for edge in tree:
            for parent, child in ((edge.a, edge.b), (edge.b, edge.a)):
                if parent in reached and child not in reached:
                    placed.append(Placed(edge, parent, child))
                    reached.add(child)
    return placed, cuts


def directions(recipe: Recipe) -> dict[int, float]:
    """+1 or −1 for every edge of the tree: which way its coordinate counts."""
    return {placed.edge.number: -1.0 if placed.flipped else 1.0 for placed in spanning_tree(recipe)[0]}


def build(recipe: Recipe, independent: Sequence[str] = ()) -> ce.System:
    """The mechanism on its spanning tree, with springs, a load and gravity."""
    rng = recipe.numbers("gravity")
    there = NOWHERE_ELSE if recipe.place is None else recipe.place.elsewhere()
    system = ce.System(gravity=10.0 * rng.normal(size=3))
    tree, cuts = spanning_tree(recipe)
    by_number: dict[int, str] = {}
    for placed in tree:
        hinge = joint(recipe, placed.edge, placed.flipped, there)
        assert isinstance(hinge, ce.Hinge)
        add_body(recipe, system, placed, hinge, there)
        by_number[placed.edge.number] = placed.child
    signs = directions(recipe)
    for edge in cuts:
        system.close_loop(
            f"cut {edge.number}", edge.a, edge.b, joint(recipe, edge, False, there), independent
        )
    for one, other in recipe.coupled:
        ratio = recipe.numbers("coupling", one, other).uniform(0.5, 2.0)
        names = by_number[one], by_number[other]
        coupling = ce.LinearCoupling((ratio * signs[one], -signs[other]))
        system.couple(f"coupling {one}-{other}", names, coupling, independent)
    for number in recipe.driven:
        for what in ("", "_rate", "_acceleration"):
            system.add_input(f"drive{number}{what}", "1")
        system.prescribe(by_number[number], ce.Driven(f"drive{number}"))
    add_loads(recipe, system, there)
    return system


def add_body(recipe: Recipe, system: ce.System, placed: Placed, hinge: ce.Hinge, there: Elsewhere) -> None:
    rng = recipe.numbers("body", placed.child)
    com, mass, moments = rng.uniform(-1.0, 1.0, 3), rng.uniform(0.5, 2.0), rng.uniform(0.1, 0.15, 3)
    massless = recipe.massless[int(placed.child) - 1]
    system.add_body(
        placed.child,
        mass=0.0 if massless else mass,
        com=there.point(com),
        inertia=(0.0, 0.0, 0.0) if massless else moments,
        parent=placed.parent,
        hinge=hinge,
    )


def add_loads(recipe: Recipe, system: ce.System, there: Elsewhere) -> None:
    """A spring with damper from the last body to the ground, and a wrench on the first."""
    rng = recipe.numbers("loads")
    first, last = system.find(recipe.names[0]), system.find(recipe.names[-1])
    at, anchor, force, torque = rng.uniform(-1.0, 1.0, (4, 3))
    at, anchor = there.point(at), there.point(anchor + 2.0)
    system.add_force(
        ce.SpringDamper("spring", last, at, system.ground, anchor, spring=30.0, damper=2.0, free_length=1.0)
    )
    system.add_force(ce.AppliedWrench("push", first, at, force=10.0 * force, torque=5.0 * torque))
