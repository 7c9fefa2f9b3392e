"""A URDF file in the style of published ones, by Pinocchio's terms, and `<mimic>` as constraints."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from tests.ce_dynamics.readers.mujoco_states import ROBOTS, random_state

ARM = ROBOTS / "styles" / "arm.urdf"
FOLLOWERS = {"fr": ("fl", -2.0), "fr2": ("fr", 1.0)}
ROUND_ABOUT = 1e-12
"""Part of accelerations: rounding times the condition of the mass matrix, below 1e4."""


def expected(states: dict[str, tuple[float, float]]) -> dict[str, float]:
    """Accelerations by joint: [M −Jᵀ; J 0] with constant J."""
    import pinocchio as pin  # here, because it takes long to import

    model = pin.buildModelFromUrdf(str(ARM))
    data = model.createData()
    q, v, friction = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    at = {name: model.joints[model.getJointId(name)] for name in states}
    for name, (angle, rate) in states.items():
        joint = at[name]
        turning = joint.nq == 2
        q[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(angle), np.sin(angle)) if turning else (angle,)
        v[joint.idx_v] = rate
    friction[at["pan"].idx_v] = 0.5 * v[at["pan"].idx_v]
    J = np.zeros((len(FOLLOWERS), model.nv))
    for row, (name, (other, multiplier)) in zip(J, FOLLOWERS.items(), strict=True):
        row[at[name].idx_v], row[at[other].idx_v] = 1.0, -multiplier
    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    force = -friction - pin.rnea(model, data, q, v, np.zeros(model.nv))
    kkt = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
    solution: Array = np.linalg.solve(kkt, np.concatenate((force, np.zeros(len(J)))))
    return {name: float(solution[joint.idx_v]) for name, joint in at.items()}


def test_notes_name_the_rest_of_a_published_style() -> None:
    notes = " ".join(ce.read_urdf(ARM).notes)
    for kind in ("transmission", "gazebo", "ros2_control", "limit@lower", "limit@effort", "collision"):
        assert f"{kind}" in notes
    assert "limit@velocity: not acted on: line" in notes
    assert "sensor: skipped" in notes


def test_a_published_style_moves_as_in_pinocchio(rng: np.random.Generator) -> None:
    pytest.importorskip("pinocchio", reason="the extra bench, which has it, is not installed")
    system = ce.read_urdf(ARM)
    model = ce.Model(system)
    joints = {"shoulder": "pan", "upper": "lift", "finger_l": "fl", "finger_r": "fr", "finger_r2": "fr2"}
    for _ in range(3):
        q, v = random_state(model, rng)
        instant = model.instant(np.concatenate((q, v)), model.u0)
        outward = instant.outward
        states = {
            joint: (float(outward.coordinate(system.find(body))), float(outward.rate(system.find(body))))
            for body, joint in joints.items()
        }
        theirs = expected(states)
        own = instant.accelerations.v_dot.astype(float)
        for name, part in model.embedding.v_of.items():
            if part.stop > part.start:
                assert abs(own[part.start] - theirs[joints[name]]) < ROUND_ABOUT * max(
                    abs(each) for each in theirs.values()
                )
