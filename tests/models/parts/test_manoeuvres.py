"""Manoeuvres: options, inputs over time, the lane change's track."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.manoeuvres import (
    MANOEUVRES,
    BrakeInTurn,
    Braking,
    ConstantRadius,
    DoubleLaneChange,
    DriveOverBump,
    Fishhook,
    JTurn,
    Manoeuvre,
    ObstacleAvoidance,
    PowerOff,
    PulseSteer,
    RampSteer,
    RandomSteer,
    Reversing,
    SineSteer,
    SineSweep,
    SineWithDwell,
    SplitBraking,
    StandStill,
    StepSteer,
    StraightAcceleration,
    StraightOn,
)
from tests.ce_dynamics.opaque import Opaque, OpaqueTruth, reveal_scalar
from tests.models.components import DRIVER

ALL = pytest.mark.parametrize("kind", MANOEUVRES.values(), ids=MANOEUVRES)


def seen(v: float = 12.0) -> dict[str, float]:
    return {"x": 31.0, "y": 0.4, "yaw": 0.05, "speed": v, "vx": v, "vy": 0.1, "yaw_rate": 0.02}


def test_the_issue_s_manoeuvres_are_there() -> None:
    assert set(MANOEUVRES) == {
        "double-lane-change", "obstacle-avoidance", "step-steer", "ramp-steer", "constant-steer",
        "sine-steer", "sine-sweep", "pulse-steer", "random-steer", "sine-with-dwell", "j-turn", "fishhook",
        "split-braking", "power-off", "brake-in-turn", "straight-acceleration", "braking", "constant-radius",
        "straight", "bump", "reverse", "stand-still",
    }  # fmt: skip


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


def test_branch_on_a_traced_value_would_be_noticed() -> None:
    with pytest.raises(TypeError):
        bool(OpaqueTruth(True))


def test_track_of_iso_3888_1() -> None:
    # Lengths of sections 1 … 5 and lane widths from the standard, vehicle 2.0 m wide.
    manoeuvre = DoubleLaneChange(DRIVER, vehicle_width=2.0, lead_in=20.0)
    first, second, third = manoeuvre.gates
    assert [first.start, first.end, second.start, second.end, third.start, third.end] == [
        20, 35, 65, 90, 115, 130,
    ]  # fmt: skip
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


def test_backwards_is_forwards_seen_by_who_looks_back() -> None:
    """Half a turn of the plane: the same pedals, steering to the other side, with reverse and clutch."""
    ahead = StraightOn(DRIVER, speed=2.0)
    back = Reversing(replace(DRIVER, reverse=("gear", "clutch")), speed=2.0)
    there = {"x": 3.0, "y": 0.2, "yaw": 0.03, "speed": 1.9, "vx": 1.9, "vy": -0.02, "yaw_rate": 0.01}
    turned = there | {name: -there[name] for name in ("x", "y", "vx", "vy")}
    forwards, backwards = ahead.inputs(5.0, there), back.inputs(5.0, turned)
    assert forwards["steering"] < 0.0  # it is to the left of the path and heads left
    assert backwards == forwards | {"steering": -forwards["steering"], "gear": -1.0, "clutch": 0.0}
    assert back.inputs(0.0, turned)["clutch"] == 1.0
    assert back.path_error(turned) == ahead.path_error(there) == pytest.approx(0.2)
    assert back.speed == 0.0


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


def test_steering_of_tests_over_time() -> None:
    ramp = RampSteer(DRIVER, steer=-0.2, rate=0.1, start=1.0)
    assert [ramp.inputs(t, seen())["steering"] for t in (0.5, 2.0, 9.0)] == pytest.approx([0.0, -0.1, -0.2])
    dwell = SineWithDwell(DRIVER, steer=-0.4, start=1.0, frequency=0.5, dwell=0.6)
    assert (dwell.reversal, dwell.end) == pytest.approx((2.0, 3.6))
    wanted = {
        0.5: 0.0, 1.5: -0.4, 2.0: 0.0, 2.5: 0.4, 3.1: 0.4, 3.35: 0.4 * math.sqrt(0.5), 3.6: 0.0, 5.0: 0.0,
    }  # fmt: skip
    for t, steering in wanted.items():
        assert dwell.inputs(t, seen())["steering"] == pytest.approx(steering, abs=1e-12)
    hook = Fishhook(DRIVER, steer=0.5, rate=1.0, start=1.0, dwell=0.25)
    wanted = {1.0: 0.0, 1.25: 0.25, 1.5: 0.5, 1.75: 0.5, 2.25: 0.0, 2.75: -0.5, 6.0: -0.5}
    for t, steering in wanted.items():
        assert hook.inputs(t, seen())["steering"] == pytest.approx(steering, abs=1e-12)
    turn = JTurn(DRIVER, steer=-0.5, rate=1.0, start=1.0)
    assert [turn.inputs(t, seen())["steering"] for t in (1.25, 3.0)] == pytest.approx([-0.25, -0.5])
    assert turn.inputs(2.0, seen(5.0))["throttle"] == 0.0
    pulse = PulseSteer(DRIVER, steer=0.3, start=1.0, width=0.4)
    assert [pulse.inputs(t, seen())["steering"] for t in (0.9, 1.1, 1.2, 1.5)] == pytest.approx(
        [0.0, 0.15, 0.3, 0.0], abs=1e-12
    )


def test_the_frequency_of_a_sweep_rises_linearly() -> None:
    sweep = SineSweep(DRIVER, steer=0.1, start=1.0, sweep=20.0, first=0.2, last=2.2)
    t = np.linspace(2.0, 20.0, 180_001)  # between the fades
    x = np.array([sweep.inputs(float(at), seen())["steering"] for at in t[::20]])
    zeros = t[::20][:-1][(x[:-1] < 0.0) & (x[1:] >= 0.0)]
    # from one upward zero to the next the phase gains 2π: the mean frequency is that in the middle
    middles = 0.5 * (zeros[1:] + zeros[:-1])
    assert 1.0 / np.diff(zeros) == pytest.approx(0.2 + 0.1 * (middles - 1.0), rel=0.02)
    with pytest.raises(DataError, match=r"last = 1 Hz must be above first = 2 Hz"):
        SineSweep(DRIVER, first=2.0, last=1.0)


def test_random_steering_has_requested_band_and_size() -> None:
    """Equal sines in the parts of the band: over 200 s their products with each other average out."""
    noise = RandomSteer(DRIVER, steer=0.05, start=0.0, first=0.5, last=2.5, seed=3.0)
    t = np.arange(2.0, 202.0, 0.05)
    x = np.array([noise.inputs(float(at), seen())["steering"] for at in t])
    assert np.std(x) == pytest.approx(0.05, rel=0.05)
    f, spectrum = np.fft.rfftfreq(len(x), 0.05), np.abs(np.fft.rfft(x * np.hanning(len(x)))) ** 2
    assert np.sum(spectrum[(f < 0.45) | (f > 2.55)]) < 1e-4 * np.sum(spectrum)
    again = RandomSteer(DRIVER, steer=0.05, start=0.0, first=0.5, last=2.5, seed=3.0)
    assert again.inputs(7.3, seen()) == noise.inputs(7.3, seen())
    other = RandomSteer(DRIVER, steer=0.05, start=0.0, first=0.5, last=2.5, seed=4.0)
    assert other.inputs(7.3, seen()) != noise.inputs(7.3, seen())
    for wrong, words in (({"first": 5.0}, "must be above"), ({"seed": 0.5}, "whole number")):
        with pytest.raises(DataError, match=words):
            RandomSteer(DRIVER, **wrong)


def test_in_turn_the_throttle_goes_before_the_brake() -> None:
    turn = BrakeInTurn(DRIVER, steer=0.1, start=9.0, rise=0.2, brake=0.3)
    assert turn.event == pytest.approx(9.2)
    assert turn.inputs(9.0, seen(15.0))["throttle"] > 0.0
    later = turn.inputs(9.2, seen(15.0))
    assert (later["throttle"], later["brake"]) == (0.0, pytest.approx(0.0))
    assert turn.inputs(9.4, seen(15.0)) == pytest.approx({"steering": 0.1, "throttle": 0.0, "brake": 0.3})
    assert PowerOff(DRIVER, start=9.0).inputs(12.0, seen(15.0))["brake"] == 0.0


def test_track_of_iso_3888_2() -> None:
    # Lengths and widths from the standard, vehicle 2 m wide; the path has both flanks in every lane.
    manoeuvre = ObstacleAvoidance(DRIVER, vehicle_width=2.0, lead_in=20.0)
    first, second, third = manoeuvre.gates
    ends = [first.start, first.end, second.start, second.end, third.start, third.end]
    assert ends == [20, 32, 45.5, 56.5, 69, 81]
    widths = [gate.left - gate.right for gate in manoeuvre.gates]
    assert widths == pytest.approx([2.45, 3.0, 3.0])
    assert second.right - first.left == pytest.approx(1.0)
    assert third.right == first.right
    for gate in manoeuvre.gates:
        for x in np.linspace(gate.start, gate.end, 9):
            error = manoeuvre.path_error({"x": x, "y": 0.0})
            assert error is not None
            y = -error  # close to that of the path where it is level
            assert gate.right < y - 1.0
            assert y + 1.0 < gate.left
    assert manoeuvre.inputs(0.0, {**seen(), "x": 10.0})["throttle"] > 0.0
    assert manoeuvre.inputs(0.0, {**seen(), "x": 23.1})["throttle"] == 0.0


def test_one_side_is_slippery() -> None:
    split = SplitBraking(DRIVER, friction=0.9, slippery=0.1)
    assert (split.road.friction(5.0, 1.0), split.road.friction(5.0, -1.0)) == pytest.approx((0.1, 0.9))
    assert split.inputs(3.0, seen())["steering"] != 0.0
    assert SplitBraking(DRIVER, corrects=0.0).inputs(3.0, seen())["steering"] == 0.0
    with pytest.raises(DataError, match=r"corrects = 0.5 must be 1"):
        SplitBraking(DRIVER, corrects=0.5)


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
