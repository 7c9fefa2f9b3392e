"""A closed form for one loop of an aggregated body, Newton's method for what it leaves."""

from __future__ import annotations

import numpy as np
import pytest

from ce_dynamics.augmented import embedded_accelerations
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.errors import SimulationError
from ce_dynamics.kinematics import FourBar
from ce_dynamics.mechanism.hinges import Prismatic, Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.simulation.simulate import simulate


def six_bar(*, closed_form: bool) -> System:
    """A four-bar whose rocker drives a slider by a rod: its own loop, on the same aggregated body."""
    linkage = FourBar((0, 0, 0), (0.3, 0, 0.3), (1.3, 0, 0.8), (1.2, 0, 0), (0, 1, 0))
    system = System()
    for joint in linkage.joints():
        com = joint.hinge.at + np.array((0.2, 0.0, 0.1))
        system.add_body(
            joint.body, mass=1.0, com=com, inertia=(0.1,) * 3, parent=joint.carrier, hinge=joint.hinge
        )
    for cut in linkage.cuts():
        system.close_loop(cut.name, cut.body_a, cut.body_b, cut.closure, ["crank"])
    if closed_form:
        system.use_linkage(linkage)
    for name, parent, hinge, com in (
        ("rod", "rocker", Revolute((0, 1, 0), (1.3, 0, 0.8)), (1.7, 0, 0.5)),
        ("slider", "ground", Prismatic((1, 0, 0.1), (2.2, 0, 0.2)), (2.2, 0, 0.2)),
    ):
        system.add_body(name, mass=0.8, com=com, inertia=(0.05,) * 3, parent=parent, hinge=hinge)
    system.close_loop("pin", "rod", "slider", Revolute((0, 1, 0), (2.2, 0, 0.2)))
    return system


@pytest.mark.parametrize("q", [-2.5, -0.7, 0.0, 0.4, 1.5])
def test_a_closed_form_and_newton_agree_with_newton_alone(q: float) -> None:
    """Accelerations of all bodies; the two ways share neither positions nor rates of the four-bar."""
    nothing = np.zeros(0)
    mixed, numeric = embed(six_bar(closed_form=True)), embed(six_bar(closed_form=False))
    state = (np.array((q,)), np.array((1.3,)), nothing, nothing)
    ours, theirs = embedded_accelerations(mixed, *state), embedded_accelerations(numeric, *state)
    for name, value in theirs.items():
        np.testing.assert_allclose(ours[name], value, rtol=0.0, atol=1e-11)


def test_each_hinge_is_found_once() -> None:
    (S,) = embed(six_bar(closed_form=True)).aggregates
    four_bar, rest = S.linkages
    assert isinstance(four_bar, FourBar)
    assert isinstance(rest, NumericLinkage)
    assert set(four_bar.determines) == {"coupler", "rocker"}
    assert set(rest.determines) == {"rod", "slider"}
    assert rest.closes == ("pin",)


def test_where_the_straight_path_does_not_lead_it_says_so() -> None:
    """The rest of the loop has three given hinges, whose straight path passes out of reach."""
    system = six_bar(closed_form=True)
    system.start("crank", q=2.4, v=4.0)
    with pytest.raises(
        SimulationError, match=r"by \['crank', 'coupler', 'rocker'\] .* leave its closed form"
    ):
        simulate(Model(system), duration=1.0, rtol=1e-8)
    whole = six_bar(closed_form=False)
    whole.start("crank", q=2.4, v=4.0)
    assert simulate(Model(whole), duration=0.3)["crank"].values[-1] > 2.9
