"""Loops of four hinges in a tilted plane, revolute or prismatic: against the augmented form and the table."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.closed_forms.on_branch import OnBranch
from ce_dynamics.embedding.closed_forms.planar import (
    BarOnSlide,
    BarWithSlide,
    PlanarBars,
    PlanarPair,
    TwoSlides,
)
from ce_dynamics.embedding.embed import embed
from tests.ce_dynamics.embedding.closed_forms.test_leg_linkage import rotation
from tests.support.augmented import largest_difference

POINTS = (0.0, 0.0), (0.3, 0.8), (1.3, 0.9), (1.2, -0.1)
SLIDES = (0.8, 0.7), (0.2, -1.0), (1.0, 0.3), (-0.4, 1.0)


def loop_of_four(kinds: str, cut: int, lead: str, seed: int) -> ce.System:
    """Ground, a, b, c: hinge k is between what precedes and what follows it, and one of them is cut."""
    R, rng = rotation(seed), np.random.default_rng(seed)
    o = rng.normal(size=3)

    def hinge(k: int) -> ce.Revolute | ce.Prismatic:
        at = o + R @ (*POINTS[k], 0.1 * k)
        if kinds[k] == "P":
            return ce.Prismatic(R @ (*SLIDES[k], 0.0), at=at, q_design=0.2 * seed)
        return ce.Revolute(R[:, 2] * (-1.0) ** k, at=at, q_design=0.7 * seed)

    def body(name: str, parent: str, k: int) -> None:
        com: Array = o + R @ rng.uniform(-1.0, 1.0, 3)
        inertia = R @ np.diag((0.1, 0.2, 0.25)) @ R.T
        s.add_body(name, mass=1.0 + 0.2 * k, com=com, inertia=inertia, parent=parent, hinge=hinge(k))

    s = ce.System(gravity=R @ (0.3, -9.81, 0.4), name=f"{kinds} cut at {cut}")
    ends = ["ground", "ground"]
    for k, name in enumerate("abc"[:cut]):
        body(name, ends[0], k)
        ends[0] = name
    for k, name in reversed([*enumerate("abc", 1)][cut:]):
        body(name, ends[1], k)
        ends[1] = name
    s.close_loop("cut", ends[0], ends[1], hinge(cut), independent=[lead])
    return s


def formula(system: ce.System) -> PlanarPair:
    (S,) = embed(system).aggregates
    (linkage,) = S.linkages
    assert isinstance(linkage, OnBranch)
    assert linkage.holds
    (found,) = linkage.formulas
    assert isinstance(found, PlanarPair)
    return found


@pytest.mark.parametrize(
    ("kinds", "cut", "lead", "form"),
    [
        ("RRRR", 2, "a", PlanarBars),
        ("RRRR", 0, "b", PlanarBars),  # led in the middle: what is given lies within a side
        ("RRRP", 2, "a", BarOnSlide),
        ("RRRP", 0, "a", BarOnSlide),  # the slide carries the bar
        ("RRRP", 1, "c", PlanarBars),
        ("RPRR", 2, "c", BarWithSlide),
        ("RPRR", 3, "b", PlanarBars),  # a side as long as the cylinder that leads
        ("PRRP", 2, "b", TwoSlides),
        ("PPRR", 2, "c", TwoSlides),
    ],
)
def test_loops_of_four_hinges(kinds: str, cut: int, lead: str, form: type[PlanarPair]) -> None:
    """The condition of the augmented matrix is some 1e3; 1e-12 leaves as much again for sums."""
    system = loop_of_four(kinds, cut, lead, 2 if cut == 2 else 1)
    assert type(formula(system)) is form
    assert largest_difference(embed(system), around=0.05, states=1) < 1e-12


def motions(system: ce.System, places: Array) -> tuple[list[dict[str, Array]], tuple[float, float] | None]:
    """Coordinates of dependent hinges and their rows of X_S at many places, and the reach."""
    model = ce.compile(system)
    (S,) = model.embedding.aggregates
    found = []
    for q in places:
        outward = model.instant(np.array((q, 1.3)), model.u0).outward.motions[S.name]
        rows = {body.name: outward.hinge_motions[body.name] for body in S.dependent}
        found.append(
            {name: np.concatenate((outward.coordinates(name), m.X[0], m.bias)) for name, m in rows.items()}
        )
    return found, S.linkages[0].reach()


PARALLELOGRAM = (0.0, 0.0), (0.2, 0.7), (1.2, 0.7), (1.0, 0.0)


@pytest.mark.parametrize(
    ("points", "kinds", "lead"),
    [
        (PARALLELOGRAM, "RRRR", "a"),  # ends at its change points
        (((0.0, 0.0), (0.1, 0.2), (1.3, 0.9), (1.2, -0.1)), "RRRR", "a"),  # the crank goes round
        (POINTS, "RRRP", "c"),
    ],
)
def test_turns_and_ends_are_those_of_the_table(
    points: tuple[tuple[float, float], ...],
    kinds: str,
    lead: str,
    recognising_nothing: Callable[[], AbstractContextManager[None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three turns either way, or beyond both ends, where there is nothing.

    Coordinates of the table are closed to 1e-13 of the size; near ends, where their rates grow as 1/h, they
    are known to 1e-13/h, and places are no nearer than 0.01: rates to 1e-13/h², their own to 1e-13/h⁴.
    """
    monkeypatch.setattr("tests.ce_dynamics.embedding.closed_forms.test_planar_slides.POINTS", points)
    system = loop_of_four(kinds, 2, lead, 1)
    formula(system)
    (S,) = embed(system).aggregates
    reach = S.linkages[0].reach()
    assert reach is not None
    low, high = reach if np.isfinite(reach[0]) else (-18.0, 18.0)
    places = np.concatenate((np.linspace(low + 0.01, high - 0.01, 9), (low - 0.02, high + 0.02)))
    ours, reached = motions(system, places)
    with recognising_nothing():
        theirs, expected = motions(loop_of_four(kinds, 2, lead, 1), places)
    assert reached is not None
    assert expected is not None
    np.testing.assert_allclose(np.array(reached), np.array(expected), rtol=0.0, atol=1e-9)
    for here, there in zip(ours, theirs, strict=True):
        for name, values in there.items():
            np.testing.assert_allclose(here[name], values, rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(here[name][:1], values[:1], rtol=0.0, atol=1e-9)
    if np.isfinite(reach[0]):
        assert all(np.isnan(values).all() for values in (*ours[-1].values(), *ours[-2].values()))
