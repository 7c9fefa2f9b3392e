"""A driver's shifting on its own: what it does at given speeds of the engine."""

from collections.abc import Iterator

import pytest

from ce_dynamics.models.parts.assistance import Shifting, ShiftingData

PERIOD, TIME = 0.02, 0.6
IDLE = {"clutch": 0.0, "throttle": 0.5}


def driven(speeds: list[float], gear: float = 1.0) -> Iterator[dict[str, float]]:
    """Yield the answers between samples of the engine's speed."""
    own = {"upshift": 450.0, "downshift": 150.0, "bite_speed": 100.0}
    shifting = Shifting(3, ShiftingData(period=PERIOD, time=TIME, **own))
    x = {state.name: state.initial for state in shifting.sampled}
    for speed in speeds:
        sensors = {"driveline.engine_speed": speed, "gear": gear, **IDLE}
        x = dict(zip(x, map(float, shifting.update(sensors, x)), strict=True))
        yield {name: float(value) for name, value in shifting.act(sensors, x).items()}


def test_shift_opens_clutch_changes_gear_and_closes() -> None:
    told = list(driven([300.0] * 5 + [460.0] + [300.0] * 40))
    assert all(each == {"gear": 1.0, "clutch": 0.0, "throttle": 0.5} for each in told[:5])
    changes = [k for k in range(1, len(told)) if told[k]["gear"] != told[k - 1]["gear"]]
    assert len(changes) == 1
    assert told[-1] == {"gear": 2.0, "clutch": 0.0, "throttle": 0.5}
    # open, and off the throttle, while the gear changes: in the middle of its time
    (k,) = changes
    assert told[k]["clutch"] == told[k - 1]["clutch"] == 1.0
    assert told[k]["throttle"] == 0.0
    assert (k - 5) * PERIOD == pytest.approx(0.5 * TIME, abs=1.5 * PERIOD)
    busy = [each for each in told if each["clutch"] > 0.0]
    assert len(busy) * PERIOD == pytest.approx(TIME, abs=2.5 * PERIOD)


def test_gears_end_at_both_ends_and_come_down() -> None:
    up = list(driven([460.0] * 400))
    assert up[-1]["gear"] == 3.0
    down = list(driven([460.0] * 400 + [140.0] * 400))
    assert down[-1] == {"gear": 1.0, "clutch": 0.0, "throttle": 0.5}


def test_lowest_gear_neutral_and_reverse_are_as_given() -> None:
    assert next(reversed(list(driven([140.0] * 100, gear=2.0))))["gear"] == 2.0
    assert {each["gear"] for each in driven([460.0] * 100, gear=0.0)} == {0.0}
    assert {each["gear"] for each in driven([460.0] * 100, gear=-1.0)} == {-1.0}


def test_the_clutch_slips_where_the_engine_would_stall() -> None:
    told = [each["clutch"] for each in driven([70.0, 80.0, 90.0, 100.0])]
    assert told == pytest.approx([1.0, 1.0, 0.5, 0.0])
