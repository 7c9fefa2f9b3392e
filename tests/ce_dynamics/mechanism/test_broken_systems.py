"""Systems that are broken on purpose: each is refused by an error of its own, which names the remedy.

Every case is one change away from a system that works, and that one is built as well.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.embedding.closures.freedoms import Freedoms
from ce_dynamics.embedding.whole_loop import chart_of
from ce_dynamics.mechanism.couplings.cut_edge import LoopClosure
from ce_dynamics.mechanism.system import System
from tests.support.systems import (
    CRANK_ROCKER,
    DOUBLE_ROCKER,
    Z,
    add,
    bricard,
    drive,
    five_bar,
    floating_coupler,
    four_bar,
    rsur,
)


def linkage(independent: Sequence[str] = ("crank",)) -> System:
    return four_bar(CRANK_ROCKER, 0.7, independent=independent)


def refused(build: Callable[[], System], kind: type[ce.ModelError], *parts: str) -> None:
    """The system is refused with exactly this class, and its message has all of these words."""
    with pytest.raises(ce.ModelError) as caught:
        ce.compile(build())
    assert type(caught.value) is kind
    message = str(caught.value)
    for part in parts:
        assert part in message, f"{part!r} is not in: {message}"


def test_classes_are_model_errors_apart_from_each_other() -> None:
    kinds = (
        ce.OverConstrainedError, ce.UnderConstrainedError, ce.IndependentCoordinatesError,
        ce.SingularConfigurationError, ce.MasslessFreedomError,
    )  # fmt: skip
    for kind in kinds:
        assert issubclass(kind, ce.ModelError)
        assert kind.__doc__
        assert not any(issubclass(kind, other) for other in kinds if other is not kind)


# Over-constrained


def braced(independent: Sequence[str] = ("crank",)) -> System:
    """A four-bar whose crank and rocker are joined by one rod too many."""
    system = linkage(independent)
    system.close_loop("brace", "crank", "rocker", ce.Distance((0.3, 0.25, 0), (3.1, 0.6, 0)))
    return system


def test_one_rod_too_many() -> None:
    assert ce.compile(linkage()).embedding.n_v == 1
    refused(
        braced,
        ce.OverConstrainedError,
        "the loop of 'crank' has 0 degrees of freedom",
        "1 independent coordinates ['crank']",
        "name none, or remove closures ['pin', 'brace']",
    )


def test_one_rod_too_many_without_named_coordinates() -> None:
    """Nothing is named that would be too much, but the conditions hold the loop more than once."""
    refused(
        lambda: braced(()),
        ce.OverConstrainedError,
        "the loop of 'crank' cannot move, and 3 of the conditions of its closures ['pin', 'brace']",
        "join ['crank', 'coupler', 'rocker'] by Fixed hinges",
    )


def truss(rod: bool = True, weight: bool = False) -> System:
    """Two bars and two rods without redundancy: a statically determinate structure."""
    system = System(name="truss")
    for name, x in (("left", 0.0), ("right", 1.0)):
        add(system, name, "ground", ce.Revolute((0, 1, 0), (x, 0, 0)), np.array((x, 0.0, 0.5)))
    system.close_loop("rod", "left", "right", ce.Distance((0, 0, 1), (1, 0, 1)))
    if rod:
        system.close_loop("diagonal", "left", "ground", ce.Distance((0, 0, 1), (1, 0, 0)))
    if weight:
        add(system, "weight", "left", ce.Revolute((0, 1, 0), (0, 0, 1)), np.array((0.0, 0.0, 0.5)))
    return system


def test_nothing_can_move() -> None:
    assert ce.compile(truss(rod=False)).embedding.n_v == 1
    refused(
        truss,
        ce.OverConstrainedError,
        "nothing of system 'truss' can move",
        "closures ['rod', 'diagonal']",
        "remove one, or give a hinge more freedom",
    )


def test_determinate_structure_under_what_moves_is_no_error() -> None:
    """A pendulum on a truss: the truss stands still and the pendulum swings as it would on the ground."""
    with pytest.warns(ce.ImmobilityWarning, match="has no degree of freedom"):
        model = ce.compile(truss(weight=True))
    assert model.embedding.n_v == 1
    # 1 kg at 0.5 m, 0.04 kg m² about its centre of mass
    expected = -9.81 * 0.5 * math.sin(0.3) / (0.04 + 0.25)
    np.testing.assert_allclose(model.accelerations([0.3], [1.7]), [expected], rtol=1e-14)


def test_named_more_coordinates_than_freedoms() -> None:
    refused(
        lambda: linkage(("crank", "rocker")),
        ce.OverConstrainedError,
        "1 degrees of freedom in the design pose but 2 independent coordinates ['crank', 'rocker']",
        "name 1 of: crank, coupler, rocker",
    )


def test_prescribed_motions_that_the_closures_forbid() -> None:
    """Crank and rocker each moved at will: the coupler cannot follow both."""

    def driven(*names: str) -> System:
        system = linkage(())
        for name in names:
            drive(system, name, f"{name}_angle")
        return system

    assert ce.compile(driven("crank")).embedding.n_v == 0
    refused(
        lambda: driven("crank", "rocker"),
        ce.OverConstrainedError,
        "closures ['pin'] do not let the hinges of ['crank', 'rocker'] move as prescribed",
        "prescribe fewer of them",
    )


# Under-constrained


def test_closure_that_leaves_too_much() -> None:
    refused(
        lambda: five_bar(("left",)),
        ce.UnderConstrainedError,
        "the loop of 'left' has 2 degrees of freedom",
        "but 1 independent coordinates ['left']",
        "name 2 of: left, left coupler, right, right coupler, or add the closures that are missing",
    )


def test_ball_joints_where_one_should_have_been_pin() -> None:
    """A coupler between two ball joints spins about its own line: a freedom that nothing accounts for."""

    def coupler(end: ce.Hinge) -> System:
        system = System()
        add(system, "crank", "ground", ce.Revolute(Z), np.array((0.0, 0.2, 0.0)))
        add(system, "rocker", "ground", ce.Revolute(Z, (1, 0, 0)), np.array((1.0, 0.3, 0.0)))
        add(system, "coupler", "crank", ce.Spherical((0, 0.4, 0)), np.array((0.5, 0.5, 0.0)))
        system.close_loop("end", "coupler", "rocker", end, ["crank"])
        return system

    assert ce.compile(coupler(ce.Universal(Z, (0.2, 1, 0), (1, 0.6, 0)))).embedding.n_v == 1
    refused(
        lambda: coupler(ce.Spherical((1, 0.6, 0))),
        ce.UnderConstrainedError,
        "the loop of 'crank' has 2 degrees of freedom",
        "1 independent coordinates ['crank']",
        "name 2 of: crank, rocker, coupler",
    )


# Wrong independent coordinates


def two_loops(independent: Sequence[str]) -> System:
    """Two four-bars on one rocker, two freedoms: a five-bar's worth on the right."""
    system = linkage(())
    at, tip = np.array((3.2, 0.0, 0.0)), np.array((4.0, 1.0, 0.0))
    add(system, "arm", "rocker", ce.Revolute(Z, at + (0.2, 0.8, 0)), np.array((3.7, 1.0, 0.0)))
    add(system, "lever", "ground", ce.Revolute(Z, (4.5, 0, 0)), np.array((4.4, 0.4, 0.0)))
    add(system, "strut", "lever", ce.Revolute(Z, (4.4, 0.7, 0)), 0.5 * (tip + (4.4, 0.7, 0)))
    system.close_loop("elbow", "arm", "strut", ce.Revolute(Z, tip), independent)
    return system


def test_right_number_of_the_wrong_coordinates() -> None:
    """Crank and rocker are one freedom of the first loop; the second one stays loose."""
    assert ce.compile(two_loops(("crank", "lever"))).embedding.n_v == 2
    refused(
        lambda: two_loops(("crank", "rocker")),
        ce.IndependentCoordinatesError,
        "the loop of 'rocker' cannot be driven by ['rocker']",
        "singular in the design pose and close by as well",
        "'arm', 'lever', 'strut'",
        "name other independent coordinates",
    )


def test_coordinate_that_is_not_in_the_loop() -> None:
    def build() -> System:
        system = linkage(())
        add(system, "other", "ground", ce.Revolute(Z, (9, 0, 0)), np.array((9.0, 1.0, 0.0)))
        system.close_loop("guide", "crank", "coupler", ce.Revolute(Z, system.bodies[1].inboard.at), ["other"])
        return system

    refused(
        build,
        ce.IndependentCoordinatesError,
        "'other' is not in the loop of 'crank': ['coupler', 'crank', 'rocker']",
    )


def test_coordinate_that_is_prescribed() -> None:
    """Two freedoms, one prescribed, and that one named: the count fits, the other is nobody's."""

    def build(independent: str) -> System:
        return drive(five_bar((independent,)), "right")

    assert ce.compile(build("left")).embedding.n_v == 1
    refused(
        lambda: build("right"),
        ce.IndependentCoordinatesError,
        "'right' of the loop of 'left' has prescribed motion",
        "name others of ['left', 'left coupler', 'right coupler']",
    )


def test_initial_values_of_a_dependent_hinge() -> None:
    def build() -> System:
        system = linkage()
        system.start("rocker", q=[0.1])
        return system

    refused(build, ce.IndependentCoordinatesError, "body 'rocker': initial values", "give those of ['crank']")


class Own(ce.Spherical):
    """A user's hinge none of whose velocities is the rate of a coordinate."""


def balls(ball: type[ce.Spherical], carrier: str = "ground") -> System:
    """A ball joint has three coordinates, a loop of five freedoms made of two their components only."""
    system = System()
    if carrier != "ground":
        add(system, carrier, "ground", ce.Revolute((1, 0, 0)), np.array((0.0, 0.0, 0.1)))
        system.prescribe(carrier, ce.Held(0.0))
    add(system, "one", carrier, ball((0, 0, 0)), np.array((0.0, 0.0, 0.5)))
    add(system, "two", "ground", ball((1, 0, 0)), np.array((1.0, 0.0, 0.5)))
    system.close_loop("rod", "one", "two", ce.Distance((0, 0, 1), (1, 0.2, 1)))
    return system


def test_components_lead_where_no_whole_hinges_will() -> None:
    embedding = ce.compile(balls(ce.Spherical)).embedding
    assert embedding.n_v == 5
    assert len(embedding.aggregates[0].leading) > 0


def test_whole_loop_has_coordinates_where_components_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "ce_dynamics.mechanism.couplings.components.Spherical", ce.Free
    )  # its orientation is unknown
    model = ce.compile(balls(Own))
    assert model.embedding.n_v == 5
    assert chart_of(model.embedding.aggregates[0]) is not None
    refused(
        lambda: balls(Own, "driven"),
        ce.IndependentCoordinatesError,
        "has 5 degrees of freedom, but no set of whole hinges or of their components among ['one', 'two']",
        "name a FunctionCoordinate",
    )


# Singular


def parallelogram(angle: float, independent: Sequence[str] = ()) -> System:
    """Unit cranks and unit coupler; at angle 0 all bars lie in line and two branches cross."""
    tip = np.array((math.cos(angle), math.sin(angle), 0.0))
    system = System(gravity=(0, -9.81, 0))
    add(system, "crank", "ground", ce.Revolute(Z), 0.5 * tip)
    add(system, "coupler", "crank", ce.Revolute(Z, tip), tip + (0.5, 0, 0))
    add(system, "rocker", "ground", ce.Revolute(Z, (1, 0, 0)), 0.5 * tip + (1, 0, 0))
    system.close_loop("pin", "coupler", "rocker", ce.Revolute(Z, tip + (1, 0, 0)), independent)
    return system


@pytest.mark.parametrize("independent", [(), ("crank",), ("crank", "rocker")])
def test_design_pose_where_branches_cross(independent: Sequence[str]) -> None:
    """There are two freedoms there, for whoever only counts in this pose, and one everywhere else."""
    assert ce.compile(parallelogram(0.3, ("crank",))).embedding.n_v == 1
    refused(
        lambda: parallelogram(0.0, independent),
        ce.SingularConfigurationError,
        "the loop of 'crank' has 2 degrees of freedom in the design pose but 1 close by",
        "describe it in another pose and bring it here with System.start",
    )


@pytest.mark.parametrize("independent", [(), ("left",)])
def test_infinitesimally_movable_structure(independent: Sequence[str]) -> None:
    """Two bars in line between fixed pins: they cannot move, though to first order they could."""

    def build() -> System:
        system = System()
        add(system, "left", "ground", ce.Revolute((0, 1, 0)), np.array((0.5, 0.0, 0.0)))
        add(system, "right", "ground", ce.Revolute((0, 1, 0), (2, 0, 0)), np.array((1.5, 0.0, 0.0)))
        system.close_loop("pin", "left", "right", ce.Revolute((0, 1, 0), (1, 0, 0)), independent)
        return system

    refused(build, ce.SingularConfigurationError, "1 degrees of freedom in the design pose but 0 close by")


def test_dead_centre_of_the_named_coordinate() -> None:
    """The slider is at the end of its stroke: it cannot drive the crank there, but the crank the slider."""

    def build(angle: float, independent: str) -> System:
        tip = 0.3 * np.array((math.cos(angle), math.sin(angle), 0.0))
        end = np.array((tip[0] + math.sqrt(1.0 - tip[1] ** 2), 0.0, 0.0))
        system = System(gravity=(0, -9.81, 0))
        add(system, "crank", "ground", ce.Revolute(Z), 0.5 * tip)
        add(system, "rod", "crank", ce.Revolute(Z, tip), 0.5 * (tip + end))
        add(system, "slider", "ground", ce.Prismatic((1, 0, 0), end), end)
        system.close_loop("pin", "rod", "slider", ce.Revolute(Z, end), [independent])
        return system

    assert ce.compile(build(0.2, "slider")).embedding.n_v == 1
    assert ce.compile(build(0.0, "crank")).embedding.n_v == 1
    refused(
        lambda: build(0.0, "slider"),
        ce.SingularConfigurationError,
        "cannot be driven by ['slider']",
        "singular in the design pose and regular close by",
        "['crank', 'rod'] may still move in 1 way(s)",
        "move the design pose away from this dead centre",
    )


@pytest.mark.parametrize("build", [linkage, five_bar, floating_coupler, bricard, rsur])
def test_regular_poses_have_the_same_freedoms_close_by(build: Callable[[], System]) -> None:
    """Redundant rows (planar loops, Bricard) are no singularity."""
    system = build()
    freedoms = Freedoms(system.bodies, system.closures, system.bodies)
    assert freedoms.number_nearby == freedoms.number == ce.compile(system).embedding.n_v


# Massless degree of freedom


def test_feather_at_the_end_of_an_arm() -> None:
    def build(inertia: float) -> System:
        system = System()
        add(system, "arm", "ground", ce.Revolute((0, 1, 0)), np.array((0.5, 0.0, 0.0)))
        about = (inertia, inertia, 0.0)
        hinge = ce.Revolute((0, 1, 0), (1, 0, 0))
        system.add_body("feather", mass=0.0, inertia=about, parent="arm", hinge=hinge)
        return system

    assert ce.compile(build(1e-6)).embedding.n_v == 2
    refused(
        lambda: build(0.0),
        ce.MasslessFreedomError,
        "hinge feather: a motion of it moves no mass or inertia (D has the eigenvalue 0)",
        "give 'feather' or what it carries mass and inertia",
    )


def test_loop_of_massless_bars() -> None:
    """One of two freedoms of a five-bar moves nothing: only the left crank has mass."""

    def build(mass: float) -> System:
        system = five_bar()
        light = System(gravity=(0, -9.81, 0))
        for body in system.bodies:
            scale = 1.0 if body.name == "left" else mass
            light.add_body(
                body.name,
                mass=scale,
                com=body.com,
                inertia=scale * body.inertia,
                parent=body.carrier.name,
                hinge=body.inboard,
            )
        for loop in system.closures:
            assert isinstance(loop, LoopClosure)
            light.close_loop(loop.name, loop.body_a.name, loop.body_b.name, loop.closure, loop.independent)
        return light

    assert ce.compile(build(1e-3)).embedding.n_v == 2
    refused(
        lambda: build(0.0),
        ce.MasslessFreedomError,
        "hinge left, right: a motion of it moves no mass",
        "give 'left' or what it carries mass and inertia",
    )


def test_rounding_does_not_count_as_mass() -> None:
    """A locked frame has mass, and only massless bars on it turn: what moves the frame is rounding."""

    def build(inertia: float) -> System:
        system = System()
        y = (0, 1, 0)
        for name, x in (("left", 0.137), ("right", 1.291)):
            add(system, name, "ground", ce.Revolute(y, (x, 0, 0)), np.array((x, 0.0, 0.5)))
        system.close_loop("top", "left", "right", ce.Distance((0.137, 0.1, 0.913), (1.291, 0.1, 1.117)))
        system.close_loop("brace", "left", "ground", ce.Distance((0.137, 0.1, 0.613), (1.3, 0.1, 0)))
        about = (inertia, inertia, inertia)
        for name, parent, at in (("one", "left", (0.137, 0.1, 0.913)), ("two", "right", (1.291, 0.1, 1.117))):
            system.add_body(name, mass=0.0, inertia=about, parent=parent, hinge=ce.Revolute(y, at))
        system.close_loop("rod", "one", "two", ce.Distance((0.3, 0.1, 1.7), (0.9, 0.1, 1.6)))
        return system

    with pytest.warns(ce.ImmobilityWarning, match=r"the hinges of \['left', 'right'\] cannot move"):
        assert ce.compile(build(1e-6)).embedding.n_v == 1
    with pytest.warns(ce.ImmobilityWarning):
        refused(lambda: build(0.0), ce.MasslessFreedomError, "moves no mass or inertia")


# Unassemblable


def test_rod_that_does_not_reach() -> None:
    def build(length: float) -> System:
        system = System()
        for name, x in (("left", 0.0), ("right", 3.0)):
            add(system, name, "ground", ce.Revolute((0, 1, 0), (x, 0, 0)), np.array((x, 0.0, -0.5)))
        rod = ce.Distance((0, 0, -1), (3, 0, -1), length=length)
        system.close_loop("rod", "left", "right", rod, ["left"])
        return system

    assert ce.compile(build(2.8)).embedding.n_v == 1
    with pytest.raises(ce.AssemblyError) as caught:
        ce.compile(build(6.0))
    message = str(caught.value)
    for part in ("the loop of 'left'", "closure 'rod' stays open by", "move the hinge points"):
        assert part in message
    assert not isinstance(caught.value, ce.ModelError)


def test_start_that_cannot_be_assembled() -> None:
    """The double rocker's crank turns by less than 1.2 rad from the design pose."""
    system = four_bar(DOUBLE_ROCKER, 1.0)
    system.start("crank", q=[2.0])
    with pytest.raises(ce.AssemblyError) as caught:
        ce.compile(system)
    for part in ("the loop of 'crank'", "{'crank': [2.0]}", "admissible is -", "for 'crank'"):
        assert part in str(caught.value)
