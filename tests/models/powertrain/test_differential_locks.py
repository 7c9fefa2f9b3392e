"""Locks of differentials on two rotors: by their momentum and energy."""

import numpy as np
import pytest
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.models.parts.brake import ClutchData
from ce_dynamics.models.powertrain.differentials import DifferentialLock, DrivenWheel, LockedData

J = 2.0
"""[kg m²] of a rotor about its axis."""
FAST, SLOW = 30.0, 10.0
"""[rad/s] at the start."""
SHAFT = {"stiffness": 8000.0, "damping": 40.0}


def run(parameters: LockedData | ClutchData, duration: float) -> xr.Dataset:
    """Two rotors on axes along y, a lock between them."""
    system = ce.System(gravity=(0.0, 0.0, 0.0))
    chassis = system.add_body("chassis", mass=1.0, parent=system.ground, hinge=ce.Fixed())
    rotors = []
    for name, y, speed in (("left", 0.8, FAST), ("right", -0.8, SLOW)):
        rotor = system.add_body(
            name, mass=10.0, com=(0, y, 0), inertia=(1.0, J, 1.0), parent=chassis,
            hinge=ce.Revolute((0, 1, 0), at=(0, y, 0)),
        )  # fmt: skip
        system.start(rotor, v=[speed])
        rotors.append(DrivenWheel(rotor, chassis, (0.0, y, 0.0), (0.0, 1.0, 0.0)))
    system.add_force(DifferentialLock("lock", chassis, rotors[:1], rotors[1:], parameters))
    return ce.simulate(ce.compile(system), duration=duration, method="dopri5", interval=0.01)


def test_clutch_slides_at_its_torque_until_locked() -> None:
    """J ω̇ = ∓ T: they meet after J Δω/2T; the momentum stays, half of J Δω²/2 becomes heat."""
    torque = 100.0
    found = run(ClutchData(**SHAFT, max_torque=torque), 0.6)
    left, right = (found[f"{name}_rate"].values for name in ("left", "right"))
    assert left + right == pytest.approx(np.full(left.shape, FAST + SLOW), rel=1e-8)
    t = found["time"].values
    # Winding up takes T/k = 0.0125 rad at 20 rad/s: less than a millisecond, and so much less is slid.
    sliding = (t > 0.02) & (t < 0.18)
    expected = FAST - SLOW - 2.0 * torque / J * t
    assert (left - right)[sliding] == pytest.approx(expected[sliding], abs=0.15)
    assert abs(left[-1] - right[-1]) < 0.01
    assert found["lock_torque"].values[sliding] == pytest.approx(np.full(sliding.sum(), torque), rel=1e-3)


def test_locked_sides_turn_alike_but_for_shafts() -> None:
    """A spring between both: Δω swings with √(2k/J) = 89 rad/s and dies with c/J = 20 1/s."""
    found = run(LockedData(**SHAFT), 0.6)
    difference = found["left_rate"].values - found["right_rate"].values
    t = found["time"].values
    decay, frequency = (
        SHAFT["damping"] / J,
        np.sqrt(2.0 * SHAFT["stiffness"] / J - (SHAFT["damping"] / J) ** 2),
    )
    swing = np.cos(frequency * t) - decay / frequency * np.sin(frequency * t)
    expected = (FAST - SLOW) * np.exp(-decay * t) * swing
    assert difference == pytest.approx(expected, abs=1e-3)
