"""The idler arm's joint: right, or with the reaction of Project Chrono's."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.base import PointLoad
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.steering.pitman import IdlerJoint, IdlerJointData, Pitman
from tests.models.components import Scripted

Floats = NDArray[np.float64]
W, V = np.array((1.14, -0.325, -0.06)), np.array((1.26, -0.3, -0.1))
"""From the chassis' centre of mass."""
N = np.array((0.3, -0.1, 0.9)) / np.sqrt(0.91)


def on_the_chassis(reaction_error: float) -> tuple[float, Floats]:
    """λ, and the moment about its centre of mass that the chassis gets."""
    system = System()
    chassis, link = (
        system.add_body(name, mass=1.0, inertia=(1.0, 1.0, 1.0), parent=system.ground, hinge=Free())
        for name in ("chassis", "link")
    )
    data = IdlerJointData(stiffness=5e6, damping=3e3, reaction_error=reaction_error)
    joint = IdlerJoint("joint", chassis, link, W, V, N, data)
    found = joint.evaluate(Scripted(), np.zeros(0), {})
    F, M, F_link = np.zeros(3), np.zeros(3), np.zeros(3)
    for load in found.loads:
        assert isinstance(load, PointLoad)
        if load.body is chassis:
            F, M = F + load.force, M + load.torque + np.cross(load.r, load.force)
        else:
            F_link = F_link + load.force
    multiplier = float(F_link @ N)
    assert F_link == pytest.approx(multiplier * N)
    assert np.array(F + F_link) == pytest.approx(0.0)
    return multiplier, M


def test_reaction() -> None:
    """A right one: λ ∂(n · d)/∂φ, by differences; Chrono's: λ (n × p − d̂ × p), its own row."""

    def off(phi: Floats) -> float:
        R = Rotation.from_rotvec(phi).as_matrix()
        return float((R @ N) @ (V - R @ W))

    h = 1e-5
    slope = np.array([(off(h * e) - off(-h * e)) / (2.0 * h) for e in np.eye(3)])
    multiplier, moment = on_the_chassis(0.0)
    assert abs(multiplier) > 1e3
    assert moment == pytest.approx(multiplier * slope, rel=1e-8)
    multiplier, moment = on_the_chassis(1.0)
    d = V - W
    assert moment == pytest.approx(multiplier * (np.cross(N, W) - np.cross(d / np.linalg.norm(d), W)))


def test_its_force_is_what_rigid_link_hands_on() -> None:
    """Rolling straight ahead: the moment about x at U that keeps a link from tilting, over the arm to V."""
    data = VehicleParameters.load("hmmwv-chrono", ["steering.idler_joint.reaction_error=0"])
    yielding = Model(build(data, speed=12.0))
    force = yielding.outputs(settle(yielding), u=yielding.u0)["steering.idler_joint.axial_force"]
    pitman = data.steerings["steering"]
    assert isinstance(pitman, Pitman)
    rigid = Model(build(replace(data, steerings={"steering": replace(pitman, idler_joint=None)}), speed=12.0))
    reactions = rigid.reactions(settle(rigid), u=rigid.u0, frame="chassis")
    hinge, end = reactions.hinges["steering.link"], reactions.closures["steering.link/steering.idler_arm"]
    arm, x = pitman.V - pitman.U, pitman.R[:, 0]
    moment = (hinge.torque + np.cross(arm, -end.force)) @ x
    assert abs(force) > 50.0
    # the joint yields by 20 µm, which turns wheels by 1e-4 and their toe forces by less than a percent
    assert force == pytest.approx(moment / (np.cross(arm, pitman.axis) @ x), rel=0.01)


def test_of_an_arm_without_mass() -> None:
    joint = {"stiffness": "5000 kN/m", "damping": "3 kN*s/m", "reaction_error": "0"}
    given = [f"steering.idler_joint.{name}={value}" for name, value in joint.items()]
    with pytest.raises(DataError, match="leave out idler_joint or idler_arm"):
        VehicleParameters.load("hmmwv", given)
