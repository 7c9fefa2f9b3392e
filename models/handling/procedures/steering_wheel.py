"""Steering-wheel angles, which some standards name: full lock is an angle of the steering wheel."""

from __future__ import annotations

import math

from ce_dynamics.models.parts.manoeuvres import Option

LOCK = Option(
    "lock",
    "rad",
    math.radians(540.0),
    "steering-wheel angle at full lock",
    above=0.0,
)
"""One and a half turns unless given: vehicles' data have no steering wheel."""
