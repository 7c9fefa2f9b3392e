"""Manoeuvres: options, inputs over time, the lane change's track."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.manoeuvres import (
    MANOEUVRES,
    Braking,
    ConstantRadius,
    DoubleLaneChange,
    DriveOverBump,
    Manoeuvre,
    SineSteer,
    StandStill,
    StepSteer,
    StraightAcceleration,
)
from tests.ce_dynamics.opaque import Opaque, OpaqueTruth, reveal_scalar
from tests.models.components import DRIVER

ALL = pytest.mark.parametrize("kind", MANOEUVRES.values(), ids=MANOEUVRES)


def seen(v: float = 12.0) -> dict[str, float]:
    return {"x": 31.0, "y": 0.4, "yaw": 0.05, "speed": v, "vx": v, "vy": 0.1, "yaw_rate": 0.02}


def test_the_issue_s_manoeuvres_are_there() -> None:
    assert set(MANOEUVRES) == {
        "double-lane-change",
        "step-steer",
        "sine-steer",
        "straight-acceleration",
        "braking",
        "constant-radius",
        "straight",
        "bump",
        "stand-still",
    }


@ALL
def test_defaults_are_complete_and_inputs_in_range(kind: type[Manoeuvre]) -> None:
    manoeuvre = kind(DRIVER)
    assert manoeuvre.duration > 0.0
    assert manoeuvre.speed >= 0.0
    for t in np.linspace(0.0, manoeuvre.duration, 57):
        for v in (0.0, 3.0, 12.0, 30.0):
            inputs = manoeuvre.inputs(float(t), seen(v))
            assert set(inputs) == {"steering", "throttle", "brake"}
            assert -1.0 - 1e-12 <= inputs["steering"] <= 1.0 + 1e-12
            for pedal in ("throttle", "brake"):
                assert 0.0 <= inputs[pedal] <= 1.0 + 1e-12
            assert inputs["throttle"] * inputs["brake"] == 0.0 or isinstance(manoeuvre, Braking)


@ALL
def test_runs_on_traced_time_and_sensors(kind: type[Manoeuvre]) -> None:
    manoeuvre = kind(DRIVER)
    for t in (0.3, 1.1, 5.0):
        hidden = {name: Opaque(value) for name, value in seen().items()}
        traced = manoeuvre.inputs(Opaque(t), hidden)
        plain = manoeuvre.inputs(t, seen())
        assert {name: reveal_scalar(value) for name, value in traced.items()} == plain
        error = manoeuvre.path_error(hidden)
        if manoeuvre.path is None:
            assert error is None
        else:
            assert reveal_scalar(error) == manoeuvre.path_error(seen())


def test_a_branch_on_a_traced_value_would_be_noticed() -> None:
    with pytest.raises(TypeError):
        bool(OpaqueTruth(True))


def test_track_of_iso_3888_1() -> None:
    # Lengths of sections 1 … 5 and lane widths from the standard, vehicle 2.0 m wide.
    manoeuvre = DoubleLaneChange(DRIVER, vehicle_width=2.0, lead_in=20.0)
    first, second, third = manoeuvre.gates
    assert [first.start, first.end, second.start, second.end, third.start, third.end] == [
        20,
        35,
        65,
        90,
        115,
        130,
    ]
    assert first.left - first.right == pytest.approx(2.45)
    assert second.left - second.right == pytest.approx(2.65)
    assert third.left - third.right == pytest.approx(2.85)
    assert second.right - first.right == pytest.approx(3.5)
    assert third.right == first.right
    # The path is in the middle of each lane, all along it.
    for gate in manoeuvre.gates:
        for x in np.linspace(gate.start, gate.end, 9):
            assert manoeuvre.path_error({"x": x, "y": gate.centre}) == pytest.approx(0.0, abs=1e-12)
    assert first.centre == 0.0


def test_step_and_sine_over_time() -> None:
    step = StepSteer(DRIVER, steer=-0.2, start=1.0, rise=0.4)
    assert [step.inputs(t, seen())["steering"] for t in (0.0, 1.0, 1.4, 6.0)] == pytest.approx(
        [0.0, 0.0, -0.2, -0.2], abs=1e-14
    )
    assert step.inputs(1.2, seen())["steering"] == pytest.approx(-0.1)
    sine = SineSteer(DRIVER, steer=0.3, start=1.0, frequency=0.5, periods=1.0)
    assert [sine.inputs(t, seen())["steering"] for t in (0.5, 3.2)] == [0.0, 0.0]
    assert sine.inputs(1.5, seen())["steering"] == pytest.approx(0.3)
    assert sine.inputs(2.5, seen())["steering"] == pytest.approx(-0.3)


def test_pedals_over_time() -> None:
    go = StraightAcceleration(DRIVER, throttle=0.8, start=0.5, rise=0.3)
    assert [go.inputs(t, seen())["throttle"] for t in (0.4, 0.8)] == [0.0, pytest.approx(0.8)]
    stop = Braking(DRIVER, brake=0.5, start=1.0, rise=0.2)
    assert stop.inputs(0.5, seen(20.0))["brake"] == 0.0
    assert stop.inputs(0.5, seen(20.0))["throttle"] > 0.05
    late = stop.inputs(3.0, seen(5.0))
    assert (late["brake"], late["throttle"]) == (0.5, 0.0)


def test_speed_rises_on_the_circle() -> None:
    circle = ConstantRadius(DRIVER, speed=8.0, acceleration=0.5, top_speed=10.0)
    # At 9 m/s: too fast at the start, right after 2 s, too slow at the end (target 10).
    throttle = [circle.inputs(t, seen(9.0))["throttle"] for t in (0.0, 2.0, 30.0)]
    assert throttle[0] == 0.0
    assert throttle[0] < throttle[1] < throttle[2]


def test_roads_follow_the_options() -> None:
    bump = DriveOverBump(DRIVER, height=0.07, position=4.0, length=1.0, side=-1.0)
    assert bump.road.height(4.5, -0.9) == pytest.approx(0.07)
    assert bump.road.height(4.5, 0.9) == 0.0
    parked = StandStill(DRIVER, grade=0.3, friction=0.5)
    assert parked.road.height(10.0, 0.0) == pytest.approx(3.0)
    assert parked.road.friction(0.0, 0.0) == 0.5
    assert parked.speed == 0.0


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (StepSteer, {"sped": 3.0}, "did you mean 'speed'"),
        (StepSteer, {"speed": -3.0}, "speed"),
        (StepSteer, {"speed": math.nan}, "speed"),
        (StepSteer, {"steer": 1.5}, "steer"),
        (StepSteer, {"duration": 0.0}, "duration"),
        (SineSteer, {"frequency": math.inf}, "frequency"),
        (Braking, {"friction": 0.0}, "friction"),
        (ConstantRadius, {"direction": 0.5}, "direction"),
        (ConstantRadius, {"acceleration": 1.0, "top_speed": 2.0}, "top_speed"),
        (DriveOverBump, {"side": 0.5}, "side"),
        (DoubleLaneChange, {"vehicle_width": "wide"}, "vehicle_width"),
    ],
)
def test_wrong_options_are_named(kind: type[Manoeuvre], values: dict[str, float], message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        kind(DRIVER, **values)
    assert kind.name in str(caught.value)
