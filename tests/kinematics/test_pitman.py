"""Pitman steering: the steering link's tie-rod ends."""

import numpy as np
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra.arrays import array
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.kinematics.base import make_bodies
from tests.kinematics.registry import FRONT, HALF_WHEELBASE, moved, pitman


def test_a_parallelogram_carries_its_link_without_turning() -> None:
    """The HMMWV's arm and idler are parallel and equal: the link's points move on circles like the arm's."""
    steering = pitman()
    bodies = make_bodies(steering.joints())
    L = np.asarray(moved(FRONT, 1.0, HALF_WHEELBASE).L)
    T, U, axis = steering.loop.A, steering.loop.D, steering.loop.axis
    for s, rate, acceleration in ((0.3, 0.7, -0.4), (-0.5, 1.2, 2.0)):
        motion = SubgraphMotion(bodies[0].carrier, bodies, np.zeros(0))
        c = array((np.cos(s), np.sin(s)))
        motion.set("pitman_arm", HingeMotion(c, np.zeros((1, 0)), array((rate,)), array((acceleration,))))
        steering.solve(motion)
        point = motion.point("steering_link", L)
        arm = Rotation.from_rotvec(s * axis).apply(U - T)
        # 0.574 m over 0.129 m: the rounding of the parallelogram's sides is amplified a few times
        np.testing.assert_allclose(motion.body("steering_link").R, np.eye(3), rtol=0.0, atol=1e-14)
        np.testing.assert_allclose(point.r, L + arm - (U - T), rtol=0.0, atol=1e-14)
        np.testing.assert_allclose(point.drift, rate * np.cross(axis, arm), rtol=0.0, atol=1e-14)
        expected = acceleration * np.cross(axis, arm) - rate**2 * arm
        np.testing.assert_allclose(point.a, expected, rtol=0.0, atol=4e-14)
        assert point.J.shape == (3, 0)
