"""Values that the data files need and Chrono's files lack."""

from __future__ import annotations

from ce_dynamics.models.vehicles.chrono.writing import Sections

DRIVER: Sections = {
    "preview_time": "0.8 s",
    "feedforward_time": "0.2 s",
    "aim_gain": "1",
    "throttle_gain": "1 s/m",
    "brake_gain": "0.3 s/m",
    "hold_throttle": "0.1",
    "brake_margin": "1 m/s",
}
HALF_SHAFT_WIND_UP = 0.02
"""[rad] of all half-shafts together at the engine's largest torque through the axle alone."""
HALF_SHAFT_TIME = 0.005
"""[s], their damping over their stiffness."""
