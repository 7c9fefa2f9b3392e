"""Cranks that rods and distances turn: an ankle led by its foot, against the augmented form and distances."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.embedding.closed_forms.leg import LegLinkage
from ce_dynamics.embedding.closed_forms.turn_to_length import TurnToLength
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from tests.support.augmented import largest_difference


def ankle(lead: str, *, telescopes: bool = False) -> ce.System:
    """A foot on a universal hinge, moved by two cranks with rods, as of Digit and Talos."""
    s = ce.System(name="ankle")
    s.add_body(
        "foot", mass=1.0, com=(0.05, 0, -0.05), inertia=(0.01,) * 3, parent=s.ground,
        hinge=ce.Universal((0, 1, 0), (1, 0, 0)),
    )  # fmt: skip
    for side, y in (("left", 0.05), ("right", -0.05)):
        pivot, pin, ball = (0.0, y, 0.3), np.array((-0.05, y, 0.31)), np.array((-0.055, 1.1 * y, -0.01))
        crank = s.add_body(
            f"{side} crank", mass=0.2, com=(-0.02, y, 0.3), inertia=(1e-3,) * 3, parent=s.ground,
            hinge=ce.Revolute((0, 1, 0), at=pivot),
        )  # fmt: skip
        rod = s.add_body(
            f"{side} rod", mass=0.1, com=0.5 * (pin + ball), inertia=(1e-3,) * 3, parent=crank,
            hinge=ce.Universal((0, 1, 0), (1, 0, 0), at=pin),
        )  # fmt: skip
        if telescopes:
            rod = s.add_body(
                f"{side} tube", mass=0.1, com=ball, inertia=(1e-3,) * 3, parent=rod,
                hinge=ce.Prismatic(ball - pin, at=ball),
            )  # fmt: skip
        leading = {"foot": ["foot"], "cranks": [f"{side} crank"]}[lead]
        leading += [rod.name] if telescopes else []
        s.close_loop(f"{side} ball", rod, "foot", ce.Spherical(at=ball), independent=leading)
    return s


@pytest.mark.parametrize(("lead", "telescopes"), [("foot", False), ("foot", True), ("cranks", False)])
def test_ankles(lead: str, telescopes: bool) -> None:
    """The condition of the augmented matrix is some 1e4 (a light foot far from the cranks)."""
    embedding = embed(ankle(lead, telescopes=telescopes))
    linkages = [link for S in embedding.aggregates for link in S.linkages]
    assert sum(isinstance(link, LegLinkage) for link in linkages) == 2
    assert sum(isinstance(link, TurnToLength) for link in linkages) == (2 if lead == "foot" else 0)
    assert largest_difference(embedding, around=0.05 if telescopes else 0.2) < 1e-11


def test_rod_keeps_its_length_however_the_foot_turns() -> None:
    model = ce.compile(ankle("foot"))
    for q in ((0.3, -0.2), (-0.4, 0.3)):
        y = np.array((*q, 0.0, 0.0))
        ball = model.point("foot", (-0.055, 0.055, -0.01))(y).r
        pin = model.point("left crank", (-0.05, 0.05, 0.31))(y).r
        design = np.linalg.norm(np.array((-0.055, 0.055, -0.01)) - (-0.05, 0.05, 0.31))
        assert np.linalg.norm(ball - pin) == pytest.approx(design, abs=1e-15)


def pushed(y: float) -> ce.System:
    """A crank that a distance turns from a lever, both on a swing; at y = 0 it is dead as designed."""
    s = ce.System(gravity=(0.5, 0.3, -9.8))
    for name, parent, hinge, com in (
        ("swing", "ground", ce.Revolute((0.1, 0.2, 1)), (0.3, 0.4, 0.1)),
        ("lever", "ground", ce.Universal((1, 0.1, 0), (0, 1, 0.2), (0.2, 0.5, 0)), (0.2, 0.7, 0.1)),
        ("crank", "swing", ce.Revolute((0, 0, 1), (0.5, 0, 0)), (0.7, 0.1, 0.1)),
    ):
        s.add_body(name, mass=1.0, com=com, inertia=(0.1, 0.12, 0.15), parent=parent, hinge=hinge)
    rod = ce.Distance((0.8, 0, 0.1), (0.2, y, 0.3))
    s.close_loop("rod", "crank", "lever", rod, independent=["swing", "lever"])
    return s


@pytest.mark.parametrize("y", [0.4, -0.3])
def test_distances_turn_cranks_as_rods_do(y: float) -> None:
    """On the branch of the design pose, whichever it is."""
    embedding = embed(pushed(y))
    (crank,) = (link for S in embedding.aggregates for link in S.linkages)
    assert isinstance(crank, TurnToLength)
    assert crank.how == "in closed form: 'crank' turns until 'rod' closes, as long as it is"
    assert largest_difference(embedding, around=0.1, states=4) < 1e-11


def test_near_dead_point_the_branch_is_not_certain() -> None:
    """The sine of the angle to it is some 2e-4."""
    (crank,) = (link for S in embed(pushed(1e-4)).aggregates for link in S.linkages)
    assert isinstance(crank, NumericLinkage)
    assert (
        crank.why_numeric
        == "the length of 'rod' is one equation, and no revolute hinge alone follows from it"
    )
