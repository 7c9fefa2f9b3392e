"""Aggregation rules of theory §3 on graphs, and where coordinates are in q and v."""

import numpy as np
import pytest

from ce_dynamics.embedding.aggregate import Aggregate, Embedding
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.drives import Held
from ce_dynamics.mechanism.hinges import Distance, Free, Prismatic, Revolute, Spherical
from ce_dynamics.mechanism.hinges.rolling import RollingOnPlane
from ce_dynamics.mechanism.system import System
from tests.support.systems import Z, add, five_bar, four_bar


def pin(x: float, y: float = 0.0) -> Revolute:
    return Revolute(Z, (x, y, 0.0))


def chain(system: System, names: str, parent: str, x: float) -> None:
    """Upright bars on top of each other, one per letter."""
    for k, name in enumerate(names):
        add(system, name, parent, pin(x, float(k)), np.array((x, k + 0.5, 0.0)))
        parent = name


def rod(
    system: System, a: str, at_a: tuple[float, float], b: str, at_b: tuple[float, float], *free: str
) -> None:
    system.close_loop(f"{a}-{b}", a, b, Distance((*at_a, 0.0), (*at_b, 0.0)), free)


def members(embedding: Embedding) -> list[list[str]]:
    return [[body.name for body in S.bodies] for S in embedding.aggregates]


def owner(embedding: Embedding, body: str) -> Aggregate:
    return embedding.owner[body]


def test_tree_has_an_aggregate_per_body() -> None:
    system = System()
    chain(system, "abc", "ground", 0.0)
    embedding = embed(system)
    assert members(embedding) == [["a"], ["b"], ["c"]]
    assert all(S.N == 1 and not S.linkages and not S.closures for S in embedding.aggregates)


def test_an_embedding_is_itself_only() -> None:
    """Models keep what they computed by it: it is found again, and another of the same system is another."""
    system = four_bar((0.2, 0.5, 0.4, 0.5), 0.7)
    one, other = embed(system), embed(system)
    assert {one: "first", other: "second"}[one] == "first"
    assert one != other
    assert one.aggregates[0] != other.aggregates[0]


def test_bodies_on_the_path_are_absorbed() -> None:
    """The rod joins the tips of two chains: all between them belong to S although they carry no cut."""
    system = System()
    chain(system, "abc", "ground", 0.0)
    chain(system, "de", "ground", 1.0)
    rod(system, "c", (0.0, 2.8), "e", (1.0, 1.7), "a", "b", "c", "d")
    embedding = embed(system)
    (S,) = embedding.aggregates
    assert {body.name for body in S.bodies} == set("abcde")
    assert S.parent is system.ground
    assert S.N == 4
    assert [body.name for body in S.dependent] == ["e"]


def test_common_ancestor_stays_outside() -> None:
    """A loop above a trunk: the trunk is its parent, and what hangs on it stays a body of its own."""
    system = System()
    chain(system, "t", "ground", 0.0)
    for name, x in (("a", -0.5), ("b", 0.5)):
        add(system, name, "t", pin(x, 1.0), np.array((x, 1.4, 0.0)))
    add(system, "wheel", "b", pin(0.5, 2.0), np.array((0.6, 2.0, 0.0)))
    rod(system, "a", (-0.5, 2.0), "b", (0.5, 1.9), "a")
    embedding = embed(system)
    assert members(embedding) == [["t"], ["a", "b"], ["wheel"]]
    assert owner(embedding, "a").parent.name == "t"
    assert owner(embedding, "wheel").parent.name == "b"


def test_loops_that_share_a_body_merge() -> None:
    system = System()
    for name, x in (("a", 0.0), ("b", 1.0), ("c", 2.0)):
        add(system, name, "ground", pin(x), np.array((x, 0.5, 0.0)))
    rod(system, "a", (0.0, 1.0), "b", (1.0, 0.9), "a")
    rod(system, "b", (1.0, 0.8), "c", (2.0, 1.0))
    (S,) = embed(system).aggregates
    assert [body.name for body in S.bodies] == ["a", "b", "c"]
    assert [loop.name for loop in S.closures] == ["a-b", "b-c"]
    assert S.N == 1


def test_a_later_loop_joins_two_earlier_ones() -> None:
    system = System()
    for name, x in (("a", 0.0), ("b", 1.0), ("c", 2.0), ("d", 3.0)):
        add(system, name, "ground", pin(x), np.array((x, 0.5, 0.0)))
    rod(system, "a", (0.0, 1.0), "b", (1.0, 0.9), "a")
    rod(system, "c", (2.0, 1.0), "d", (3.0, 0.9))
    rod(system, "b", (1.0, 0.7), "c", (2.0, 0.8))
    (S,) = embed(system).aggregates
    assert {body.name for body in S.bodies} == set("abcd")
    assert S.N == 1


def test_loops_without_a_common_body_stay_apart() -> None:
    system = System()
    for name, x in (("a", 0.0), ("b", 1.0), ("c", 2.0), ("d", 3.0)):
        add(system, name, "ground", pin(x), np.array((x, 0.5, 0.0)))
    rod(system, "a", (0.0, 1.0), "b", (1.0, 0.9), "a")
    rod(system, "c", (2.0, 1.0), "d", (3.0, 0.9), "d")
    embedding = embed(system)
    assert members(embedding) == [["a", "b"], ["c", "d"]]
    assert [body.name for body in owner(embedding, "c").independent] == ["d"]


def test_loop_on_loop_is_child_of_one_body() -> None:
    """A second loop whose bodies hang on one body of the first does not merge with it."""
    system = System()
    for name, x in (("a", 0.0), ("b", 1.0)):
        add(system, name, "ground", pin(x), np.array((x, 0.5, 0.0)))
    for name, x in (("c", 0.8), ("d", 1.2)):
        add(system, name, "b", pin(x, 1.0), np.array((x, 1.3, 0.0)))
    rod(system, "a", (0.0, 1.0), "b", (1.0, 0.9), "a")
    rod(system, "c", (0.8, 1.5), "d", (1.2, 1.6), "c")
    embedding = embed(system)
    assert members(embedding) == [["a", "b"], ["c", "d"]]
    assert owner(embedding, "c").parent.name == "b"


def steered() -> System:
    """A prescribed lever and a prescribed loop of it, and two arms tied to it from either side."""
    system = System()
    for name, x in (("left", -2.0), ("right", 2.0)):
        add(system, name, "ground", pin(x), np.array((x, 0.5, 0.0)))
        add(system, f"{name} slide", name, Prismatic((1.0, 0.2, 0.0), (x, 0.5, 0.0)), np.array((x, 0.6, 0.0)))
    for name, x in (("lever", -0.5), ("idler", 0.5)):
        add(system, name, "ground", pin(x), np.array((x, 0.5, 0.0)))
    system.prescribe("lever", Held(0.1))
    rod(system, "lever", (-0.5, 1.0), "idler", (0.5, 0.9))
    rod(system, "left slide", (-2.0, 0.8), "lever", (-0.5, 0.8), "left")
    rod(system, "right slide", (2.0, 0.8), "idler", (0.5, 0.7), "right")
    return system


def test_prescribed_body_with_other_end_roots_its_loop() -> None:
    """A turret that is led carries a lever that is led, and an arm that the lever holds by a rod."""
    system = System()
    add(system, "turret", "ground", pin(0.0), np.array((0.0, 0.5, 0.0)))
    add(system, "lever", "turret", pin(0.5), np.array((0.5, 0.5, 0.0)))
    add(system, "arm", "turret", pin(-0.5), np.array((-0.5, 0.5, 0.0)))
    add(system, "slide", "arm", Prismatic((1.0, 0.2, 0.0), (-0.5, 0.5, 0.0)), np.array((-0.5, 0.6, 0.0)))
    for name in ("turret", "lever"):
        system.prescribe(name, Held(0.1))
    rod(system, "slide", (-0.5, 0.8), "lever", (0.5, 0.8))
    embedding = embed(system)
    assert sorted(map(sorted, members(embedding))) == [["arm", "slide"], ["lever"], ["turret"]]
    S = owner(embedding, "arm")
    assert S.parent.name == "turret"
    assert [body.name for body in S.siblings] == ["lever"]
    assert S.N == 1


def test_prescribed_siblings_do_not_merge() -> None:
    embedding = embed(steered())
    assert sorted(map(sorted, members(embedding))) == [
        ["idler", "lever"],
        ["left", "left slide"],
        ["right", "right slide"],
    ]
    steering = owner(embedding, "lever")
    assert steering.N == 0
    assert [body.name for body in steering.prescribed] == ["lever"]
    assert [body.name for body in steering.dependent] == ["idler"]
    for side, end in (("left", "lever"), ("right", "idler")):
        S = owner(embedding, side)
        assert [body.name for body in S.siblings] == [end]
        assert S.N == 1


def test_prescribed_siblings_come_first() -> None:
    """The arms were added before the steering they are tied to."""
    order = [S.name for S in embed(steered()).aggregates]
    assert order.index("lever") < min(order.index("left"), order.index("right"))


def test_parents_and_tied_siblings_come_first() -> None:
    embedding = embed(steered())
    placed = {"ground"}
    for S in embedding.aggregates:
        assert S.parent.name in placed
        assert {body.name for body in S.siblings} <= placed
        placed |= {body.name for body in S.bodies}
    assert placed == {"ground"} | {body.name for body in embedding.system.bodies}


def test_coordinates_are_in_the_order_of_the_bodies() -> None:
    """Independent hinges only: a free body has 7 coordinates and 6 velocities, a ball joint 4 and 3."""
    system = System()
    add(system, "base", "ground", Free(), np.zeros(3))
    add(system, "a", "base", pin(0.0), np.array((0.0, 0.5, 0.0)))
    add(system, "ball", "base", Spherical((0.0, 0.0, 1.0)), np.array((0.1, 0.0, 1.0)))
    add(system, "b", "base", pin(1.0), np.array((1.0, 0.5, 0.0)))
    rod(system, "a", (0.0, 1.0), "b", (1.0, 0.9), "b")
    embedding = embed(system)
    assert embedding.q_of == {"base": slice(0, 7), "ball": slice(7, 11), "b": slice(11, 12)}
    assert embedding.v_of == {"base": slice(0, 6), "ball": slice(6, 9), "b": slice(9, 10)}
    assert (embedding.n_q, embedding.n_v) == (12, 10)


def test_columns_of_an_aggregate() -> None:
    (S,) = embed(five_bar()).aggregates
    assert S.N == 2
    assert [S.columns(body) for body in S.independent] == [slice(0, 1), slice(1, 2)]
    with pytest.raises(KeyError):
        S.columns(S.dependent[0])


@pytest.mark.usefixtures("by_newton")
def test_numeric_linkage_finds_what_nothing_else_does() -> None:
    (S,) = embed(four_bar((1.0, 3.0, 2.5, 3.2), 0.7)).aggregates
    (linkage,) = S.linkages
    assert isinstance(linkage, NumericLinkage)
    assert linkage.determines == ("coupler", "rocker")
    assert linkage.closes == ("pin",)


def test_closures_that_remove_nothing_leave_nothing_to_find() -> None:
    """All hinges independent is one too many as soon as the closure does anything."""
    with pytest.raises(ModelError, match="name 1 of: crank, coupler, rocker"):
        embed(four_bar((1.0, 3.0, 2.5, 3.2), 0.7, independent=("crank", "coupler", "rocker")))


def test_independent_coordinate_outside_the_loop() -> None:
    system = System()
    for name, x in (("a", 0.0), ("b", 1.0), ("other", 3.0)):
        add(system, name, "ground", pin(x), np.array((x, 0.5, 0.0)))
    rod(system, "a", (0.0, 1.0), "b", (1.0, 0.9), "other")
    with pytest.raises(ModelError, match=r"'other' is not in the loop of 'a': \['a', 'b'\]"):
        embed(system)


def test_closures_on_velocities_alone_are_refused() -> None:
    system = System()
    slide = system.add_body("slide", mass=1.0, parent="ground", hinge=Prismatic((1, 0, 0)))
    cross = system.add_body("cross", mass=1.0, parent=slide, hinge=Prismatic((0, 1, 0)))
    ball = system.add_body("ball", mass=1.0, inertia=(1, 1, 1), parent=cross, hinge=Spherical((0, 0, 1)))
    system.close_loop("rolls", "ground", ball, RollingOnPlane((0, 0, 1), (0, 0, 1), 1.0))
    with pytest.raises(ModelError, match=r"'rolls' is not holonomic .* a RollingOnPlane hinge"):
        embed(system)
