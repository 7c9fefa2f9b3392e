"""How late Chrono's tyre moments are: a replica of the order in which its program works, with one wheel.

After Project Chrono's source of 2025.  Each step of a vehicle is

1. `ChWheeledVehicle::Synchronize`: the tyre's moment about the wheel's centre goes into an accumulator of the
   spindle, turned into its axes of now (`ChBody::AccumulateTorque`);
2. `ChSystem::AdvanceDynamics`: what acts is what bodies summed when they were updated last
   (`ChBody::UpdateForces`).  That was at the end of the step before, which `ChTimestepperImplicit` closes by
   `StateScatter`: only new systems, and those with contacts of the kind NSC, are updated before a step.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from ce_dynamics.models.tyres.chrono import ChronoTMeasy
from tests.models.components import TYRE
from tests.models.tyres.rig import Rig, wheel

Floats = NDArray[np.float64]
INERTIA = np.diag((4.3, 7.4, 4.3))


def on_the_carrier(moment: Floats, spin: float, h: float, update_first: bool, steps: int = 40) -> Floats:
    """What a wheel on a revolute joint hands on of a constant moment of the world, after some steps.

    Velocities by linearised implicit Euler in the spindle's axes, with multipliers of the joint; about the
    spin axis a drive holds the speed, and what it has to do is handed on as well.
    """
    R, omega = np.eye(3), np.array((0.0, spin, 0.0))
    accumulator, acting, handed = np.zeros(3), np.zeros(3), np.zeros(3)
    for _ in range(steps):
        accumulator = R.T @ moment
        if update_first:
            acting = accumulator
        gyroscopic = np.cross(omega, INERTIA @ omega)
        # J (ω′ − ω) = h (acting − gyroscopic + Rᵀ λ), R ω′ = spin e_y
        after = R.T @ np.array((0.0, spin, 0.0))
        needed = INERTIA @ (after - omega) / h + gyroscopic - acting
        handed = -R @ needed
        omega = after
        R = R @ Rotation.from_rotvec(h * omega).as_matrix()
        acting = accumulator  # the state is scattered, and bodies are updated
    return handed


@pytest.mark.parametrize("h", [1e-3, 1e-4])
def test_moments_act_one_step_late_in_the_wheels_axes(h: float) -> None:
    """About the vertical the replica has −θ R F_y over, θ = ω h: what the tyre with a delay of h has."""
    r, spin = 0.97 * TYRE.unloaded_radius, 20.0 / TYRE.unloaded_radius
    late, at_once = (Rig(ChronoTMeasy(TYRE, delay=delay)) for delay in (h, 0.0))
    there, rest = wheel(r, 20.0, 1.0, spin), np.zeros(2)
    f, g = at_once(there, rest), late(there, rest)

    def about_the_centre(one: object) -> Floats:
        M, F = (np.array([getattr(one, f"{kind}{axis}") for axis in "xyz"]) for kind in "MF")
        return np.asarray(M + np.cross((0.0, 0.0, -r), F), dtype=np.float64)

    moment = about_the_centre(f)
    handed = on_the_carrier(moment, spin, h, update_first=False)
    angle = spin * h
    assert handed[2] - moment[2] == pytest.approx(-angle * r * f.Fy, rel=angle)
    assert handed[1] == pytest.approx(moment[1])  # nothing is left over about the spin axis
    assert handed == pytest.approx(about_the_centre(g), abs=0.6 * angle**2 * np.abs(moment).max())
    assert on_the_carrier(moment, spin, h, update_first=True) == pytest.approx(moment)
