"""A closed form for one loop of an aggregated body, Newton's method for what it leaves."""

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import FullyAugmented, compute_accelerations
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.errors import SimulationError
from ce_dynamics.kinematics import FourBar
from ce_dynamics.mechanism.drives import Driven
from ce_dynamics.mechanism.hinges import Distance, Prismatic, Revolute, Spherical, Universal
from ce_dynamics.mechanism.system import System
from ce_dynamics.simulation.simulate import simulate
from tests.support.systems import add_linkage_bodies


def six_bar(*, closed_form: bool) -> System:
    """A four-bar whose rocker drives a slider by a rod: its own loop, on the same aggregated body."""
    linkage = FourBar((0, 0, 0), (0.3, 0, 0.3), (1.3, 0, 0.8), (1.2, 0, 0), (0, 1, 0))
    system = System()
    add_linkage_bodies(system, linkage)
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
def test_closed_form_and_newton_agree_with_newton_alone(q: float) -> None:
    """Accelerations of all bodies; the two ways share neither positions nor rates of the four-bar."""
    nothing = np.zeros(0)
    mixed, numeric = embed(six_bar(closed_form=True)), embed(six_bar(closed_form=False))
    state = (np.array((q,)), np.array((1.3,)), nothing, nothing)
    ours, theirs = compute_accelerations(mixed, *state), compute_accelerations(numeric, *state)
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


def test_failing_straight_path_is_reported() -> None:
    """The rest of the loop has three given hinges, whose straight path passes out of reach."""
    system = six_bar(closed_form=True)
    system.start("crank", q=0.0, v=4.0)
    with pytest.raises(
        SimulationError, match=r"by \['crank', 'coupler', 'rocker'\] .* leave its closed form"
    ):
        simulate(Model(system), duration=1.0, rtol=1e-8)


def test_a_start_beyond_is_that_of_newton_alone() -> None:
    """The straight path from the design pose does not lead to 2.7 rad; that from the start does."""

    def run(*, closed_form: bool) -> Array:
        system = six_bar(closed_form=closed_form)
        system.start("crank", q=2.4, v=4.0)
        return np.asarray(simulate(Model(system), duration=1.0, rtol=1e-8)["crank"])

    alone = run(closed_form=False)
    assert max(alone) > 2.9
    np.testing.assert_allclose(run(closed_form=True), alone, rtol=0.0, atol=1e-12)


def steered(*, inside: bool) -> System:
    """An arm with two knuckles: a drag link turns one, a tie rod the other, a strut leads the arm's lever.

    What steers slides on the ground, beside their loops; with a shoe on it that a rod holds, it is in one.
    """
    system = System()
    for part in ("", "_rate", "_acceleration"):
        system.add_input(f"ram{part}", "")
    for name, parent, hinge, com in (
        ("ram", "ground", Prismatic((0.1, 1, 0), (0.5, 0.2, 0.3)), (0.5, 0.2, 0.3)),
        ("arm", "ground", Revolute((1, 0.1, 0), (0, 0, 0)), (0.0, 0.5, 0.1)),
        ("left", "arm", Revolute((0.1, 0, 1), (0.1, 0.5, 0)), (0.2, 0.5, 0.1)),
        ("right", "arm", Revolute((-0.1, 0.1, 1), (0.1, 1.2, 0)), (0.2, 1.2, 0.1)),
        ("drag_link", "left", Universal((1, 0, 0.4), (0, 0, 1), (0.3, 0.6, 0.2)), (0.4, 0.4, 0.25)),
        ("tie_rod", "right", Universal((1, 0, 0), (0, 0.1, 1), (0.3, 1.3, 0.1)), (0.3, 1.0, 0.1)),
        ("lever", "ground", Revolute((1, 0, 0.2), (-0.3, 0.2, 0.5)), (-0.3, 0.4, 0.5)),
        ("strut", "arm", Universal((1, 0, 0), (0, 1, 0.3), (-0.3, 0.6, 0)), (-0.3, 0.6, 0.2)),
    ):
        system.add_body(name, mass=1.0, com=com, inertia=(0.1,) * 3, parent=parent, hinge=hinge)
    system.prescribe("ram", Driven("ram"))
    system.close_loop("drag", "drag_link", "ram", Spherical((0.5, 0.2, 0.3)), ["arm"])
    system.close_loop("toe", "tie_rod", "left", Spherical((0.3, 0.6, 0.1)), ["arm"])
    system.close_loop("top", "strut", "lever", Spherical((-0.3, 0.6, 0.5)), ["arm"])
    if inside:
        system.add_body("shoe", mass=0.3, inertia=(0.01,) * 3, parent="ram", hinge=Revolute((0, 0, 1)))
        system.close_loop("shoe", "shoe", "arm", Distance((0.4, 0.1, 0.3), (0, 0.4, 0.2)), ["arm"])
    return system


@pytest.mark.parametrize("inside", [False, True])
def test_what_a_drive_moves_is_by_formulas_too(inside: bool, rng: np.random.Generator) -> None:
    """Loops without the drive do not depend on it; for the others it is one more given motion."""
    embedding = embed(steered(inside=inside))
    assert not any(isinstance(part, NumericLinkage) for S in embedding.aggregates for part in S.linkages)
    dae = FullyAugmented(embedding.system)
    none = np.zeros(0)
    for _ in range(2):
        q, v, u = rng.uniform(-0.1, 0.1, 1), rng.normal(size=1), np.array((0.05, 0.7, -3.0))
        at = dae.at(dae.state_from_embedded(embedding, q, v, none, u), u)
        expected = dae.solve(at).V_dot
        found = np.concatenate(list(compute_accelerations(embedding, q, v, none, u).values()))
        assert np.max(np.abs(at.constraints.g)) < 1e-13
        # Condition of the augmented matrix some 1e3, of which 1e-16 is lost
        assert np.max(np.abs(found - expected)) < 1e-12 * np.max(np.abs(expected))
