"""Rods between balls of three hinges, against the augmented equations, which have no rods."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.closed_forms.ball import ball_at
from ce_dynamics.embedding.closed_forms.leg import LegLinkage
from ce_dynamics.embedding.closed_forms.peel import PeelLinkage
from ce_dynamics.embedding.closed_forms.rod import RodLinkage
from ce_dynamics.embedding.closed_forms.step import InnerLinkage
from ce_dynamics.embedding.closed_forms.turn_to_length import TurnToLength
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.linkage import Linkage
from tests.ce_dynamics.embedding.closed_forms.test_leg_linkage import rotation
from tests.support.augmented import largest_difference

FOOT, ANCHOR = np.array((0.3, 0.1, 0.2)), np.array((0.8, 0.6, 0.8))
AROUND = 0.05
"""Range of angles [rad]: far enough from where two of a rod's hinges cannot point it."""
SQUARE = ((0, 1, 0), (0, 0, 1), (1, 0, 0))
SKEW = ((0.1, 1, 0.3), (0.2, -0.1, 1), (1, 0.4, 0.1))


class Frame:
    def __init__(self, R: Array, r: Array) -> None:
        self.R, self.r = R, r

    def point(self, at: Array | tuple[float, ...]) -> Array:
        return np.asarray(self.r + self.R @ np.asarray(at, dtype=float))

    def turn(self, axis: tuple[float, ...], at: Array | tuple[float, ...]) -> ce.Revolute:
        return ce.Revolute(self.R @ np.asarray(axis, dtype=float), self.point(at))


HERE = Frame(np.eye(3), np.zeros(3))
ELSEWHERE = Frame(rotation(7), np.array((3.0, -2.0, 5.0)))


def chain(
    s: ce.System, frame: Frame, name: str, parent: ce.Body, axes: tuple[tuple[float, ...], ...], at: Array
) -> ce.Body:
    """Hinges at a point, each with a little body."""
    for k, axis in enumerate(axes):
        com = frame.point(at + (0.02, 0.01 * k, 0.03))
        parent = s.add_body(
            f"{name}{k}",
            mass=0.2,
            com=com,
            inertia=(0.01, 0.02, 0.015),
            parent=parent,
            hinge=frame.turn(axis, at),
        )
    return parent


def machine(frame: Frame, lead: str | None, end: str = "weld", near: int = 3) -> ce.System:
    """Two levers, the second turned by a rod of the first."""
    s = ce.System(gravity=(0, 0, -9.81))

    def add(name: str, parent: ce.Body, hinge: ce.Hinge, com: tuple[float, ...]) -> ce.Body:
        return s.add_body(
            name, mass=1.0, com=frame.point(com), inertia=(0.1, 0.12, 0.08), parent=parent, hinge=hinge
        )

    first = add("first", s.ground, frame.turn((0, 1, 0.2), (0, 0, 0)), (0.1, 0, 0.1))
    more = add("more", first, frame.turn((0, 1, 1), (0.1, 0, 0.1)), (0.2, 0, 0.1))
    second = add("second", s.ground, frame.turn((0.2, 1, 0), (1, 0, 0)), (1, 0.1, 0.2))
    axes = SQUARE if frame is HERE else SKEW
    tip = chain(s, frame, "near", more, axes[:near], FOOT)
    if end == "ball":
        s.close_loop("end", tip, second, ce.Spherical(frame.point(ANCHOR)), independent=leaders(lead))
        return s
    plate = s.add_body(
        "plate",
        mass=0.1,
        com=frame.point(ANCHOR),
        inertia=(0.01,) * 3,
        parent=tip,
        hinge=ce.Fixed(frame.point(ANCHOR)),
    )
    far = chain(s, frame, "far", second, axes[::-1], ANCHOR)
    s.close_loop("end", plate, far, ce.Fixed(frame.point(ANCHOR)), independent=leaders(lead))
    return s


def leaders(lead: str | None) -> list[str]:
    return ["first", "more", *([lead] if lead else [])]


def kinds(system: ce.System) -> list[type[Linkage]]:
    return [type(link) for S in embed(system).aggregates for link in S.linkages]


@pytest.mark.parametrize("frame", [HERE, ELSEWHERE])
@pytest.mark.parametrize("lead", ["near0", "near1", "near2", "far0", "far1", "far2"])
def test_rod_whose_turn_any_of_six_hinges_leads(lead: str, frame: Frame) -> None:
    """Condition of the augmented matrix some 1e4, of which 1e-16 is lost: 1e-12 with room for sums."""
    system = machine(frame, lead)
    assert kinds(system) == [TurnToLength, RodLinkage]
    assert largest_difference(embed(system), around=AROUND) < 1e-12


@pytest.mark.parametrize("lead", ["near0", "near1", "near2"])
def test_a_rod_that_a_ball_joint_ends(lead: str) -> None:
    """The innermost hinge leads; the other two are a leg on it."""
    system = machine(ELSEWHERE, lead, end="ball")
    assert kinds(system) == [TurnToLength, LegLinkage if lead == "near0" else RodLinkage]
    assert largest_difference(embed(system), around=AROUND) < 1e-12


def test_a_rod_on_two_hinges_needs_no_lead() -> None:
    system = machine(ELSEWHERE, None, near=2)
    assert kinds(system) == [TurnToLength, RodLinkage]
    assert largest_difference(embed(system), around=AROUND) < 1e-12
    (aggregate,) = system.describe().aggregates
    assert any("end of a rod between two balls" in how for how in aggregate.solved_by)


def test_closed_forms_inside_what_another_loop_moves() -> None:
    """The rod's loop stands on a lever that a planar dyad of another loop finds only after it."""
    frame = HERE
    s = ce.System(gravity=(0, 0, -9.81))

    def add(name: str, parent: ce.Body, hinge: ce.Hinge, com: tuple[float, ...]) -> ce.Body:
        return s.add_body(name, mass=1.0, com=com, inertia=(0.1, 0.12, 0.08), parent=parent, hinge=hinge)

    swing = add("swing", s.ground, ce.Revolute((1, 0, 0), (0, 0, 1)), (0.4, 0.2, 0))
    first = add("first", swing, ce.Revolute((0, 1, 0.2), (0, 0, 0)), (0.1, 0, 0.1))
    more = add("more", first, ce.Revolute((0, 1, 1), (0.1, 0, 0.1)), (0.2, 0, 0.1))
    second = add("second", swing, ce.Revolute((0.2, 1, 0), (1, 0, 0)), (1, 0.1, 0.2))
    tip = chain(s, frame, "near", more, SQUARE, FOOT)
    far = chain(s, frame, "far", second, SQUARE[::-1], ANCHOR)
    s.close_loop("rod", tip, far, ce.Fixed(ANCHOR), independent=leaders("near2"))
    foot = add("foot", second, ce.Revolute((0, 0, 1), (1.2, 0.1, 0)), (1.3, 0.2, 0))
    s.close_loop(
        "stand",
        foot,
        s.ground,
        ce.PointOnPlane((0.1, 0.2, 1), (1.4, 0.3, 0.1)),
        independent=[*leaders("near2"), "foot"],
    )
    embedding = embed(s)
    links = [link for S in embedding.aggregates for link in S.linkages]
    assert [type(link) for link in links if isinstance(link, InnerLinkage)] == [InnerLinkage]
    assert largest_difference(embedding, around=AROUND) < 1e-12


def test_axes_that_miss_each_other_are_no_ball() -> None:
    """By a micrometre: Newton's method closes what formulas would leave open."""
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0)]
    s = ce.System()
    parent = s.ground
    for k, axis in enumerate(axes):
        at = FOOT + (0, 0, 1e-6 * (k == 0))
        parent = s.add_body(
            f"{k}", mass=1.0, com=at, inertia=(0.1,) * 3, parent=parent, hinge=ce.Revolute(axis, at)
        )
    ball = ball_at(parent, s.bodies, s.bodies)
    assert ball is not None
    assert [body.name for body in ball.turning] == ["1", "2"]


def telescope(frame: Frame, lead: str, slides: bool, behind: bool, near: int = 3) -> ce.System:
    """Two levers and a telescope between balls, the far one on the second lever or behind the telescope."""
    s = ce.System(gravity=(0, 0, -9.81))

    def add(name: str, parent: ce.Body, hinge: ce.Hinge, com: Array | tuple[float, ...]) -> ce.Body:
        return s.add_body(
            name, mass=1.0, com=frame.point(com), inertia=(0.1, 0.12, 0.08), parent=parent, hinge=hinge
        )

    first = add("first", s.ground, frame.turn((0, 1, 0.2), (0, 0, 0)), (0.1, 0, 0.1))
    second = add("second", s.ground, frame.turn((0.2, 1, 0), (1, 0, 0)), (1, 0.1, 0.2))
    base = chain(s, frame, "near", first, SKEW[:near], FOOT)
    along = frame.R @ (ANCHOR - FOOT + (0.1, 0, 0.05))  # not quite along the telescope
    outer = add("slide", base, ce.Prismatic(along, frame.point(FOOT)), 0.5 * (FOOT + ANCHOR))
    plate = add("plate", outer, ce.Fixed(frame.point(ANCHOR)), ANCHOR)
    far = chain(s, frame, "far", plate if behind else second, SQUARE[::-1], ANCHOR)
    leads = ["first", "second" if slides else "slide", *([lead] if near == 3 else [])]
    ends = (far, second) if behind else (plate, far)
    s.close_loop("end", *ends, ce.Fixed(frame.point(ANCHOR)), independent=leads)
    return s


@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("slides", [False, True])
@pytest.mark.parametrize(("lead", "near"), [("near0", 3), ("near2", 3), ("", 2)])
def test_a_telescope_between_two_balls(lead: str, near: int, slides: bool, behind: bool) -> None:
    """Long or short as its slide has it, or its slide as long as it has to be."""
    system = telescope(ELSEWHERE, lead, slides, behind, near)
    pointed = behind and lead != "near2"  # by two hinges, up to the ball that is peeled off: a leg
    found = [LegLinkage if pointed else RodLinkage, *([PeelLinkage] if behind else [])]
    assert kinds(system) == [*([] if slides else [TurnToLength]), *found]
    assert largest_difference(embed(system), around=AROUND) < 1e-12
