"""Multipliers and reactions against statics; redundancy of planar loops."""

import math

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import FullyAugmented, TreeAugmented
from ce_dynamics.augmented.states import position_vector
from ce_dynamics.mechanism.drives import Held
from ce_dynamics.mechanism.hinges import Fixed, Prismatic, Revolute, Spherical
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.augmented.systems import PARALLELOGRAM_LEVER, parallelogram

G = 9.81


def test_hanging_chain_carries_its_weight() -> None:
    system = System()
    upper = system.add_body(
        "upper", mass=2.0, com=(0, 0, -0.5), parent=system.ground, hinge=Revolute((0, 1, 0))
    )
    system.add_body("lower", mass=3.0, com=(0, 0, -1.5), parent=upper, hinge=Spherical((0, 0, -1.0)))
    system.bodies[0].inertia[:] = np.diag((0.1, 0.1, 0.1))
    system.bodies[1].inertia[:] = np.diag((0.1, 0.1, 0.1))
    model = FullyAugmented(system)
    reactions = model.reactions(model.design_state())
    np.testing.assert_allclose(reactions["hinge of upper"], (0, 0, 0, 0, 0, 5 * G), rtol=0, atol=1e-12)
    np.testing.assert_allclose(reactions["hinge of lower"], (0, 0, 0, 0, 0, 3 * G), rtol=0, atol=1e-12)


def test_cantilever_is_clamped_by_force_and_moment() -> None:
    """Weight m g at 2 m along x from the clamp: the clamp holds it with m g up and −2 m g about y."""
    system = System()
    system.add_body("beam", mass=1.5, com=(2.0, 0, 0), parent=system.ground, hinge=Fixed((0, 0, 0)))
    model = FullyAugmented(system)
    found = model.reactions(model.design_state())["hinge of beam"]
    np.testing.assert_allclose(found, (0, -2.0 * 1.5 * G, 0, 0, 0, 1.5 * G), rtol=0, atol=1e-12)


def test_held_slider_needs_its_share_of_the_weight() -> None:
    """On a slope of 30° the drive carries m g / 2, the guide the rest."""
    slope = math.radians(30.0)
    along = (math.cos(slope), 0.0, math.sin(slope))
    system = System()
    system.add_body(
        "slider",
        mass=4.0,
        com=(0.0, 0.0, 0.0),
        inertia=(1, 1, 1),
        parent=system.ground,
        hinge=Prismatic(along),
    )
    system.prescribe("slider", Held())
    model = FullyAugmented(system)
    reactions = model.reactions(model.design_state())
    np.testing.assert_allclose(
        reactions["motion of slider"][3:], 2.0 * G * np.array(along), rtol=0, atol=1e-12
    )
    normal = 4.0 * G * math.cos(slope) * np.array((-math.sin(slope), 0.0, math.cos(slope)))
    np.testing.assert_allclose(reactions["hinge of slider"][3:], normal, rtol=0, atol=1e-12)


def turned_parallelogram(angle: float) -> tuple[System, Array]:
    """The square of A02 with its cranks at an angle from x, and its state at rest."""
    system = parallelogram()
    model = TreeAugmented(system)
    turn = angle - math.pi / 2
    return system, np.concatenate(((turn, -turn, turn), np.zeros(model.n_V)))


@pytest.mark.parametrize("angle", [0.3, 1.2, 2.5, -1.0])
def test_parallelogram_against_its_equation_of_motion(angle: float) -> None:
    """θ̈ = −g cos θ × lever, with all hinges cut and with the loop cut, whatever the redundancy."""
    system, state = turned_parallelogram(angle)
    expected = -G * math.cos(angle) * PARALLELOGRAM_LEVER
    cut = TreeAugmented(system)
    answer = cut.accelerations(state)
    np.testing.assert_allclose(answer.V_dot, (expected, -expected, expected), rtol=0, atol=1e-12)
    assert (answer.rank, cut.n_g) == (2, 5)  # out-of-plane conditions are met by the tree alone

    full = FullyAugmented(system)
    states = cut.at(state).states
    y = np.concatenate([position_vector(system.bodies, states), np.zeros(full.n_V)])
    answer = full.accelerations(y)
    np.testing.assert_allclose(answer.V_dot[[2, 8, 14]], (expected, 0.0, expected), rtol=0, atol=1e-12)
    assert (answer.rank, full.n_g) == (17, 20)  # 18 velocities, 1 degree of freedom
    assert answer.inconsistency < 1e-14
    assert len(full.redundancy(y).dropped) == 3


@pytest.mark.parametrize("angle", [0.3, 2.5])
def test_held_parallelogram_needs_the_torque_of_virtual_work(angle: float) -> None:
    """2 cranks with arms of ½ cos θ and a coupler with cos θ: the drive carries 2 g cos θ about z."""
    system, state = turned_parallelogram(angle)
    states = TreeAugmented(system).at(state).states
    system.prescribe("crank", Held(angle - math.pi / 2))
    full = FullyAugmented(system)
    y = np.concatenate([position_vector(system.bodies, states), np.zeros(full.n_V)])
    torque = full.reactions(y)["motion of crank"]
    np.testing.assert_allclose(torque, (0, 0, 2.0 * G * math.cos(angle), 0, 0, 0), rtol=0, atol=1e-11)
