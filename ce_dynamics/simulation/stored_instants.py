"""Stored instants, and messages on runs that did not reach their end."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.algebra.checks import Floats

INTERRUPTED = "interrupted"
NOT_FINITE_AT_START = "the accelerations are not finite at t = 0"
BROKEN_SLOPES = "derivatives of the accelerations that are not finite"


def list_times(duration: float, interval: float) -> Floats:
    """Return the instants to store: every interval from 0, and the end."""
    n = math.floor(duration / interval * (1.0 + 1e-12))
    t: Floats = interval * np.arange(n + 1.0)
    return t if math.isclose(t[-1], duration) else np.append(t, duration)
