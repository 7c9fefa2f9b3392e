"""Paths through gates: conditions, derivatives, and how little they bend."""

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.manoeuvres.following import SHARPEST, DoubleLaneChange
from ce_dynamics.models.parts.paths import PlannedPath, plan_path
from tests.models.components import DRIVER

WIDTH, AXLES, SPARED = 2.0, (1.6, -1.7), 0.4
GATES = DoubleLaneChange(DRIVER, vehicle_width=WIDTH).gates


@pytest.fixture(scope="module")
def path() -> PlannedPath:
    return plan_path(GATES, WIDTH, AXLES, SPARED)


def test_flanks_at_both_axles_spare_their_room(path: PlannedPath) -> None:
    """The least room is that of the first gate, (1.1 · 2 + 0.25 − 2)/2; between points 1 m apart, some mm."""
    room = 0.5 * (0.1 * WIDTH + 0.25)
    for gate in GATES:
        for axle in AXLES:
            x = np.linspace(gate.start, gate.end, 301) - axle
            y = np.array([path.y_ref(at) + axle * path.slope(at) for at in x.tolist()])
            spared = np.minimum(gate.left - y, y - gate.right) - 0.5 * WIDTH
            assert spared.min() > SPARED * room - 3e-3


def test_derivatives_and_straight_ends(path: PlannedPath) -> None:
    """Differences over 0.1 mm: fifth powers of 130 m that cancel leave 1e-12 m, some 1e-8 of a slope."""
    h = 1e-4
    for x in np.linspace(-5.0, 150.0, 61).tolist():
        slope = (path.y_ref(x + h) - path.y_ref(x - h)) / (2.0 * h)
        bend = (path.slope(x + h) - path.slope(x - h)) / (2.0 * h)
        assert path.slope(x) == pytest.approx(slope, abs=1e-6)
        assert path.bend(x) == pytest.approx(bend, abs=1e-6)
    assert path.y_ref(-3.0) == path.slope(GATES[0].start) == 0.0
    far = GATES[-1].end + 40.0
    assert abs(path.slope(far)) < 1e-9
    assert abs(path.bend(far)) < 1e-9


def test_it_bends_far_less_than_joined_lanes(path: PlannedPath) -> None:
    """Two arcs over 30 m and the ends of both lanes, 60 m at most: 4 Δy/L²; quintics 5.8 Δy/30²."""
    largest = max(abs(path.bend(x)) for x in np.linspace(0.0, 140.0, 561).tolist())
    shift = GATES[1].centre - GATES[0].centre
    assert largest < 0.4 * SHARPEST * shift / 30.0**2
    assert largest > 4.0 * (shift - 0.7) / 60.0**2


def test_what_is_too_wide_does_not_get_through() -> None:
    with pytest.raises(DataError, match="5 m wide does not get through"):
        plan_path(GATES, 5.0, AXLES, SPARED)


def test_only_who_is_fast_plans() -> None:
    """Quintics over 25 m to the side by 3.4 m ask for 0.031 v²: 5 m/s² at 12.6 m/s."""
    slow, fast, early = (
        DoubleLaneChange(DRIVER, **options)
        for options in ({"speed": 12.0}, {"speed": 13.0}, {"speed": 13.0, "early": 5.0})
    )
    assert [each.is_planned for each in (slow, fast, early)] == [False, True, False]
