"""Hinges that loops leave fewer ways to move than they have."""

import numpy as np

import ce_dynamics as ce
from ce_dynamics.embedding.embed import freedoms_of
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.moved_systems import Elsewhere, rotation
from tests.support.systems import Z, add, rsur


def planar_with_a_ball() -> System:
    """A four-bar in a tilted plane; one of its pins is a ball joint, another may slide along its axis."""
    system = System()
    add(system, "crank", "ground", ce.Revolute(Z), np.array((0.0, 0.5, 0.0)))
    add(system, "coupler", "crank", ce.Spherical((0.0, 1.0, 0.0)), np.array((1.0, 1.2, 0.0)))
    add(system, "rocker", "ground", ce.Cylindrical(Z, (2.0, 0.0, 0.0)), np.array((2.0, 0.8, 0.0)))
    system.close_loop("pin", "coupler", "rocker", ce.Revolute(Z, (2.0, 1.6, 0.0)), ["crank"])
    return Elsewhere(rotation(np.random.default_rng(1)), np.zeros(3))(system)


def confined(system: System) -> dict[str, int]:
    freedoms = freedoms_of(system, list(system.bodies), list(system.closures))
    return {body.name: ways for body, ways in freedoms.confined}


def test_ball_joint_in_plane_turns_about_one_axis() -> None:
    system = planar_with_a_ball()
    assert confined(system) == {"coupler": 1, "rocker": 1}
    assert "held in part coupler moves in 1 of 3 ways, rocker moves in 1 of 2 ways" in str(system.describe())


def test_ball_joint_in_spatial_loop_turns_about_all() -> None:
    assert confined(rsur()) == {}
