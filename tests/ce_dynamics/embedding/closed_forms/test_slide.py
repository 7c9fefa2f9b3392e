"""How far a telescope is out, where its ends are all but in line with it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ce_dynamics.embedding.closed_forms.slide import slid

NOWHERE: Any = None
"""The motion, of which nothing is asked."""


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("sine", [1e-2, 1e-5])
def test_a_telescope_as_designed_is_not_out(size: float, sine: float) -> None:
    """s = 0 where d is as long as e, to rounding: sin² from 1e-12 on counts, whatever the size."""
    axis = np.array((1.0, 0.0, 0.0))
    e = size * np.array((np.sqrt(1.0 - sine**2), sine, 0.0))
    leg: Any = SimpleNamespace(slide=True, slides=True, axis=axis, e=e)
    d = size * np.array((0.0, 0.6, -0.8))
    assert slid(leg, NOWHERE, d) == pytest.approx(0.0, abs=4e-16 * size)
    # out by s: |d|² = (along + s)² + aside²
    along, aside, s = e[0], e[1], 0.3 * size
    d = np.array((0.0, np.hypot(along + s, aside), 0.0))
    assert slid(leg, NOWHERE, d) == pytest.approx(s, abs=4e-16 * size)
