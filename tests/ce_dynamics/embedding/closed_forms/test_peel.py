"""Hinges peeled off welds, against the augmented equations, which peel nothing."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.embedding.closed_forms.leg import LegLinkage
from ce_dynamics.embedding.closed_forms.peel import PeelLinkage
from ce_dynamics.embedding.closed_forms.planar import PlanarBars
from ce_dynamics.embedding.closed_forms.turn_to_length import TurnToLength
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from tests.ce_dynamics.embedding.closed_forms.test_rod_linkage import ELSEWHERE, HERE, SKEW, Frame, chain
from tests.support.augmented import largest_difference

BALL = np.array((1.0, 0.4, 0.6))
AROUND = 0.05


def machine(frame: Frame, last: str) -> ce.System:
    """Two levers lead; two hinges, a ball and what is last hang on them; a weld joins it to a third lever."""
    s = ce.System(gravity=(0, 0, -9.81))
    first = chain(s, frame, "lever", s.ground, ((0, 1, 0.2), (0.1, 0, 1)), np.array((0.0, 0.0, 0.0)))
    cross = chain(s, frame, "cross", first, ((1, 0, 0), (0.1, 1, 0)), np.array((0.5, 0.1, 0.3)))
    tip = chain(s, frame, "ball", cross, SKEW, BALL) if last != "hinge" else cross
    third = chain(s, frame, "third", s.ground, ((0, 1, 0.3),), np.array((1.4, 0.0, 0.0)))
    leaders = ["lever0", "lever1"]
    if last == "given":
        tip = chain(s, frame, "given", tip, ((0.2, 1, 0),), np.array((1.2, 0.3, 0.5)))
        leaders.append("given0")
    if last == "hinge":  # 2 + 3 + 1 unknowns: a second ball on the third lever, and a hinge in the weld
        third = chain(s, frame, "stay", third, ((1, 0, 0), (0, 0, 1)), np.array((1.3, 0.3, 0.7)))
        tip = chain(s, frame, "pin", tip, ((0, 1, 0.1),), BALL)
    at = frame.point((1.25, 0.35, 0.55))
    plate = s.add_body("plate", mass=0.1, com=at, inertia=(0.01,) * 3, parent=tip, hinge=ce.Fixed(at))
    s.close_loop("weld", plate, third, ce.Fixed(at), independent=leaders)
    return s


@pytest.mark.parametrize("frame", [HERE, ELSEWHERE])
@pytest.mark.parametrize(("last", "peeled", "left"), [("ball", 3, 0), ("given", 3, 3), ("hinge", 1, 5)])
def test_what_is_peeled_moves_as_in_augmented_form(frame: Frame, last: str, peeled: int, left: int) -> None:
    """Condition of the augmented matrix some 1e4, of which 1e-16 is lost: 1e-12 with room for sums."""
    embedding = embed(machine(frame, last))
    (aggregate,) = (S for S in embedding.aggregates if S.closures)
    *others, peel = aggregate.linkages
    assert isinstance(peel, PeelLinkage)
    assert len(peel.peel.ball.turning) == peeled
    if left:
        (newton,) = others
        assert isinstance(newton, NumericLinkage)
        assert newton.loop.m == left
    else:  # without the ball it is a lever turned by a leg
        assert [type(link) for link in others] == [TurnToLength, LegLinkage]
    assert largest_difference(embedding, around=AROUND) < 1e-12


def test_what_hangs_on_peeled_body_moves_with_it() -> None:
    s = machine(HERE, "ball")
    hinge = ce.Revolute((1, 0, 0), BALL)
    s.add_body("hung", mass=1.0, com=BALL + 0.1, inertia=(0.1,) * 3, parent=s.find("ball2"), hinge=hinge)
    embedding = embed(s)
    assert any(isinstance(link, PeelLinkage) for S in embedding.aggregates for link in S.linkages)
    assert largest_difference(embedding, around=AROUND) < 1e-12


def test_what_another_loop_holds_is_not_peeled() -> None:
    s = machine(HERE, "ball")
    hinge = ce.Revolute((1, 0, 0.1), BALL)
    strut = s.add_body("strut", mass=1.0, com=BALL, inertia=(0.1,) * 3, parent=s.find("ball2"), hinge=hinge)
    s.close_loop("other", strut, s.ground, ce.PointOnPlane((0.1, 1, 0.3), (0.9, 0.5, 0.5)))
    embedding = embed(s)
    links = [link for S in embedding.aggregates for link in S.linkages]
    assert not any(isinstance(link, PeelLinkage) and "ball2" in link.determines for link in links)
    assert largest_difference(embedding, around=AROUND) < 1e-12


def five_bar(frame: Frame, plates: bool) -> ce.System:
    """Two cranks lead; the bars end on one pin, written as a hinge on either bar and a weld between."""
    s = ce.System(gravity=(0, 0, -9.81))
    pin = np.array((0.4, 0.0, 0.9))
    left = chain(s, frame, "left", s.ground, ((0, 1, 0),), np.array((0.0, 0.0, 0.0)))
    left = chain(s, frame, "left bar", left, ((0, 1, 0),), np.array((-0.2, 0.0, 0.4)))
    right = chain(s, frame, "right", s.ground, ((0, 1, 0),), np.array((0.8, 0.0, 0.0)))
    right = chain(s, frame, "right bar", right, ((0, 1, 0),), np.array((1.0, 0.0, 0.4)))
    ends = [chain(s, frame, f"end {k}", bar, ((0, 1, 0),), pin) for k, bar in enumerate((left, right))]
    at = frame.point(pin)
    for k, end in enumerate(ends if plates else ()):
        ends[k] = s.add_body(
            f"plate {k}", mass=0.1, com=at, inertia=(0.01,) * 3, parent=end, hinge=ce.Fixed(at)
        )
    s.close_loop("weld", ends[0], ends[1], ce.Fixed(at), independent=["left0", "right0", "end 00"])
    return s


@pytest.mark.parametrize(("frame", "plates"), [(HERE, False), (ELSEWHERE, True)])
def test_pin_as_two_hinges_and_weld_ends_bars(frame: Frame, plates: bool) -> None:
    embedding = embed(five_bar(frame, plates))
    (aggregate,) = (S for S in embedding.aggregates if S.closures)
    assert [type(link) for link in aggregate.linkages] == [PlanarBars, PeelLinkage]
    assert largest_difference(embedding, around=AROUND) < 1e-12


def test_plates_that_no_loop_needs_are_set_too() -> None:
    s = five_bar(ELSEWHERE, plates=True)
    at = ELSEWHERE.point((0.1, 0.1, 0.8))
    hinge = ELSEWHERE.turn((0, 1, 0), (0.1, 0, 0.6))
    foot = s.add_body("foot", mass=1.0, com=at, inertia=(0.1,) * 3, parent=s.find("left bar0"), hinge=hinge)
    plane = ce.PointOnPlane(ELSEWHERE.R @ (1.0, 0, 0.2), at)
    s.close_loop("stand", foot, s.ground, plane, independent=["left0", "right0", "end 00"])
    embedding = embed(s)
    found = [name for S in embedding.aggregates for link in S.linkages for name in link.determines]
    assert "plate 0" not in found  # it moves with its carrier
    assert largest_difference(embedding, around=AROUND) < 1e-12


def test_a_description_gives_the_reason_without_formula() -> None:
    (line,) = (line for line in machine(HERE, "given").describe().aggregates if line.closures)
    ((names, why),) = line.not_closed
    assert set(names) >= {"cross0", "cross1", "third0"}
    assert why == "3 unknowns of revolute hinges: no ball, and more than two bars"
    assert f"no formula   {', '.join(names)}: {why}" in str(machine(HERE, "given").describe())
