"""Tests of standards on a linear single-track model come to its closed-form values; failures are said."""

import copy
import json
import math
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.signal import lsim

from ce_dynamics.errors import DataError
from ce_dynamics.models import handling
from ce_dynamics.models.handling.metrics.driving_modes import spectrum
from ce_dynamics.models.handling.outcome import DEGREES
from ce_dynamics.models.handling.procedures.cornering import G, points_of
from ce_dynamics.models.handling.procedures.ride import ModesTest
from ce_dynamics.models.handling.report.page import as_json
from ce_dynamics.models.parts.manoeuvres import Manoeuvre, ObstacleAvoidance, RampSteer, StraightOn
from ce_dynamics.vehicles import load
from tests.models.handling.single_track import LOCK, Car, SingleTrack, subject

CAR = Car()
PER_G = DEGREES * G


@pytest.fixture(scope="module")
def car() -> SingleTrack:
    return subject(CAR)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_constant_speed(car: SingleTrack, direction: float) -> None:
    found = handling.perform("constant-speed", car, speed=20.0, direction=direction, friction=0.4)
    assert not found.trouble
    # the speed has v_y in it: L a_y/v² is off by β² of itself, and β < 0.03 at 3 m/s²
    beta = 0.03
    assert found["understeer_gradient"] == pytest.approx(CAR.K * PER_G, abs=PER_G * CAR.L / 400.0 * beta**2)
    assert found["characteristic_speed"] == pytest.approx(3.6 * math.sqrt(CAR.L / CAR.K), rel=4e-3)
    gain = 20.0 / (CAR.L + 400.0 * CAR.K)
    assert found["yaw_rate_gain"] == pytest.approx(gain, rel=2e-3)
    assert found["lateral_acceleration_gain"] == pytest.approx(20.0 * gain / DEGREES, rel=2e-3)
    A, B = CAR.matrices(20.0)
    vy, r = -np.linalg.solve(A, B)
    # cornering takes some 25 N, by which the speed sags until the throttle balances it: 1e-3 of it,
    # four times that in the angle
    assert found["sideslip_gradient"] == pytest.approx(vy / 20.0 / (20.0 * r) * PER_G, rel=1e-2)
    assert {chart.title for chart in found.charts} >= {"Handling diagram", "Roll"}


def test_the_other_two_ways_agree(car: SingleTrack) -> None:
    for name in ("constant-radius", "constant-steering"):
        found = handling.perform(name, car, radius=60.0, acceleration=0.2, friction=0.5)
        assert not found.trouble
        # while the speed rises by 0.2 m/s², yaw rate and path lag behind by some 0.1 s: 2 · 0.1 s · 0.2
        # m/s²/v of the angles, 3e-3 at 12 m/s; besides, β² of L/R
        largest = CAR.L / 60.0
        assert found["understeer_gradient"] == pytest.approx(
            CAR.K * PER_G, abs=PER_G * 4e-3 * largest / 1.5
        ), name


def test_step_input(car: SingleTrack) -> None:
    found = handling.perform("step-input", car, speed=25.0, lateral_acceleration=0.5)
    assert not found.trouble
    A, B = CAR.matrices(25.0)
    run = found.runs[-1]
    t = np.linspace(0.0, 5.0, 5001)
    s = np.clip((t - 1.0) / 0.15, 0.0, 1.0)
    x = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    _, y, _ = lsim((A, B[:, np.newaxis], np.eye(2), np.zeros((2, 1))), x, t)
    r = y[:, 1] / -np.linalg.solve(A, B)[1]
    zero = float(np.interp(0.5, x, t))
    # angles below 0.01 make it linear to 1e-4; the run is stored every 10 ms, so that crossings on curved
    # flanks are off by h² ψ̈/8 over their slope and peaks by h² ψ⃛/ψ̈/6: below 1 ms with rates below 10/s
    assert found["yaw_rate_response_time"] == pytest.approx(float(t[np.argmax(r >= 0.9)]) - zero, abs=2e-3)
    assert found["yaw_rate_peak_time"] == pytest.approx(float(t[np.argmax(r)]) - zero, abs=2e-3)
    assert found["yaw_rate_overshoot"] == pytest.approx(100.0 * (r.max() - 1.0), abs=0.1)
    assert found["yaw_rate_gain"] == pytest.approx(25.0 / (CAR.L + 625.0 * CAR.K), rel=1e-3)
    assert found["lateral_acceleration"] == pytest.approx(0.5, rel=0.05)
    beta = run.sideslip[-1]
    assert found["tb_factor"] == pytest.approx(abs(beta) * found["yaw_rate_peak_time"] * DEGREES, rel=1e-2)
    assert "roll" not in {figure.key for figure in found.figures}  # it has none


@pytest.mark.parametrize(("pulse", "pull"), [(0.0, 0.0), (1.0, 0.0), (1.0, 2e-4)])
def test_frequency_input(car: SingleTrack, pulse: float, pull: float) -> None:
    """Also of a vehicle that pulls aside, by a tenth of what the steering does."""
    pulls = subject(replace(CAR, pull=pull)) if pull else car
    found = handling.perform(
        "frequency-input", pulls, speed=25.0, lateral_acceleration=0.3, pulse=pulse, last=2.0, sweep=15.0
    )
    assert not found.trouble
    assert len(found.runs) == (3 if pull else 2)
    assert bool(found.notes) == bool(pull)
    charts = {chart.title: chart.lines[0] for chart in found.charts}
    f = charts["Yaw rate gain"].x
    yaw, ay = CAR.response(25.0, f)
    # linear to 1e-4, integrated to 1e-6 of each step; the speed falls by what cornering takes, some 1e-4
    assert np.max(np.abs(charts["Yaw rate gain"].y / np.abs(yaw) - 1.0)) < 2e-3
    assert np.max(np.abs(charts["Lateral acceleration gain"].y * DEGREES / np.abs(ay) - 1.0)) < 2e-3
    phase = np.unwrap(np.angle(yaw))
    assert np.max(np.abs(charts["Yaw rate phase"].y / DEGREES - phase)) < 2e-3


def test_random_input(car: SingleTrack) -> None:
    """Hann windows of 10 s see ±0.2 Hz around each frequency; the gain's curvature is that of its resonance.

    With a resonance at f₀ and damping ζ the relative curvature is below 1/(ζ f₀)²; the window's variance is
    (1/T)²/3 of 1/T² or so, which is half of that times the curvature: 2 %.
    """
    found = handling.perform(
        "random-input", car, speed=25.0, lateral_acceleration=0.2, last=2.0, record=100.0, segment=10.0
    )
    assert not found.trouble
    assert found["segments"] == 19.0
    charts = {chart.title: chart.lines[0] for chart in found.charts}
    f = charts["Yaw rate gain"].x
    np.testing.assert_allclose(f, np.arange(0.2, 2.01, 0.1), rtol=1e-12)
    yaw, ay = CAR.response(25.0, f)
    assert np.max(np.abs(charts["Yaw rate gain"].y / np.abs(yaw) - 1.0)) < 0.02
    assert np.max(np.abs(charts["Lateral acceleration gain"].y * DEGREES / np.abs(ay) - 1.0)) < 0.02
    assert np.max(np.abs(charts["Yaw rate phase"].y / DEGREES - np.unwrap(np.angle(yaw)))) < 0.02
    assert found["yaw_rate_coherence"] > 0.99


def test_modes_are_those_of_the_equations(car: SingleTrack) -> None:
    task = car.manoeuvre(StraightOn, speed=35.0)
    model, y0, u0 = car.start(task)
    modes = spectrum(model, y0, u0, {r"car.*": "yaw and side-slip"}).modes()
    A, _ = CAR.matrices(35.0)
    eigenvalue = np.linalg.eigvals(A)[0]
    assert len(modes) == 1
    # central differences with steps of 1e-6: rounding of 1e-16/1e-6 in rates of 10, and 1e-12 by their third
    # derivatives
    assert modes[0].frequency == pytest.approx(abs(eigenvalue) / (2.0 * math.pi), rel=1e-7)
    assert modes[0].damping_ratio == pytest.approx(-eigenvalue.real / abs(eigenvalue), rel=1e-7)


def test_braking_and_accelerating_by_hand(car: SingleTrack) -> None:
    found = handling.perform("braking", car, speed=20.0, brake=0.5)
    a = 0.5 * 0.8 * 9.81  # behind the quintic of 0.2 s, which counts as 0.1 s of delay
    assert found["mean_deceleration"] == pytest.approx(a, rel=1e-3)
    assert found["distance"] == pytest.approx(20.0 * 0.1 + 400.0 / (2.0 * a), rel=2e-3)
    gone = handling.perform("acceleration", car, duration=30.0)
    # 8 kN on 1.5 t, full 0.1 s late, from 0.5 m/s
    assert gone["time_to_100"] == pytest.approx(0.1 + (100.0 / 3.6 - 0.5) / (8.0 / 1.5), rel=1e-3)


def test_what_cannot_be_done_is_said(car: SingleTrack) -> None:
    weak = subject(CAR, power=0.0)
    found = handling.perform("step-input", weak, speed=20.0, lateral_acceleration=80.0)
    assert "80 m/s² are asked for; give a lower one" in found.trouble
    assert found.runs  # what there was is kept
    deaf = subject(CAR, left_out="steering")
    found = handling.perform("constant-speed", deaf)
    assert "the model has no input 'steering'" in found.trouble
    cases: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("step-inputs", {}, "unknown test 'step-inputs'; did you mean 'step-input'"),
        ("step-input", {"sped": 3.0}, "unknown option 'sped'; did you mean 'speed'"),
        ("step-input", {"speed": "3 kg"}, "cannot be converted"),
        ("step-input", {"speed": math.nan}, "step-input: speed"),
        ("constant-radius", {"radius": -4.0}, r"radius -4.0 m must be a finite number above 5 m"),
    )
    for name, options, message in cases:
        with pytest.raises(DataError, match=message):
            handling.perform(name, car, **options)


def test_run_that_ends_early_keeps_what_it_had(car: SingleTrack) -> None:
    wild = subject(CAR, title="wild", breaks_at=0.15)  # its loads are no numbers beyond that yaw rate
    run = handling.make_run(
        wild, "spin", wild.manoeuvre(RampSteer, speed=40.0, steer=0.3, rate=0.2, duration=20.0)
    )
    assert run.trouble
    assert 1.0 < run.t[-1] < 20.0
    assert len(run.ay) == len(run.t)
    found = handling.perform("constant-speed", wild, speed=40.0)
    assert found.trouble
    assert "ended at" in found.trouble
    assert "m/s² of lateral acceleration at most" in found.trouble


def test_lanes_are_practised_if_that_is_asked(car: SingleTrack) -> None:
    """The practised inputs are driven; switches are on or off."""
    made: list[Manoeuvre] = []

    class Practising(SingleTrack):
        def practise(self, task: Manoeuvre, road: str | None = None) -> Manoeuvre:
            made.append(copy.copy(task))
            return made[-1]

    who = Practising(**vars(car))
    options: dict[str, Any] = {"search": 0.0, "speed": 15.0}
    first = handling.perform("double-lane-change", who, **options)
    assert not made
    found = handling.perform("double-lane-change", who, practice=1.0, **options)
    assert [run.task for run in found.runs] == made
    assert found["clearance"] == pytest.approx(first["clearance"], abs=1e-12)
    switches: tuple[dict[str, Any], ...] = ({"practice": 0.5}, {"search": 0.2})
    for switch in switches:
        with pytest.raises(DataError, match="must be 1 or 0"):
            handling.perform("double-lane-change", who, **options | switch)


def test_several_subjects_as_json(car: SingleTrack) -> None:
    other = subject(Car(C_r=140e3), title="stiffer behind")
    made = handling.compare(["constant-speed"], [car, other], options={"constant-speed": {"friction": 0.4}})
    content = json.loads(as_json(made))
    first, second = content["tests"]["constant-speed"]
    assert (
        second["figures"]["understeer_gradient"]["value"] > first["figures"]["understeer_gradient"]["value"]
    )
    assert first["figures"]["understeer_gradient"]["unit"] == "deg/g"
    assert second["settings"]["friction"] == {"value": 0.4, "unit": "1"}
    with pytest.raises(DataError, match="two of what is compared are called"):
        handling.compare(["braking"], [car, car])
    with pytest.raises(DataError, match="options are given for 'ride'"):
        handling.compare(["braking"], [car], options={"ride": {}})


def test_beyond_full_lock_is_refused(car: SingleTrack) -> None:
    assert car.steering_for(0.1) == pytest.approx(0.1 / LOCK)
    with pytest.raises(DataError, match=r"cannot be steered by 57.3°; full lock is from -28.6° to 28.6°"):
        car.steering_for(1.0)


def test_vehicle_that_swings_onto_circle_is_led_slowly() -> None:
    """The HMMWV does for 20 s; led there, it rolls on with what it steered, and turns into the circle.

    Its throttle, which opens with the speed that is missing, holds 2.5 % less than the circle wants; of an
    understeering vehicle with the steering held the radius falls by about as much.
    """
    found = handling.perform("power-off", handling.vehicle("hmmwv"))
    assert not found.trouble
    values = {figure.key: figure.value for figure in found.figures}
    assert values["radius"] == pytest.approx(100.0, rel=0.03)
    assert 0.0 < values["path_deviation_power_off"] < 0.5


def test_vehicle_that_breaks_onto_circle_is_led_slowly() -> None:
    """On the circle it turns by √(5/100) = 0.224 rad/s, at once onto it by 0.29 rad/s for a moment."""
    found = handling.perform("power-off", subject(CAR, title="wild", breaks_at=0.25))
    assert not found.trouble
    assert [run.name for run in found.runs] == ["circle", "power off"]
    assert abs(found.runs[0]["yaw_rate"]).max() == pytest.approx(math.sqrt(0.05), rel=0.01)


@pytest.mark.parametrize(("name", "last"), [("j-turn", "j-turn"), ("fishhook", "first-steering")])
def test_turning_over_is_a_result(name: str, last: str) -> None:
    """Tests that steer until a vehicle tips are done when it does; a fishhook needs no second turn then."""
    found = handling.perform(name, handling.vehicle("truck"))
    assert not found.trouble
    assert [run.name for run in found.runs] == ["ramp-left", last]
    assert [(one.criterion, one.reached, one.passed) for one in found.verdicts] == [
        ("two-wheel lift", "lift-off", False)
    ]
    assert any("the vehicle has turned over by 90 degrees" in note for note in found.notes)
    assert 80.0 < found["roll"] < 90.0


def test_vehicle_stopping_between_cones_is_told() -> None:
    """An engine that drags much holds it back: its throttle is released 2 m behind the entry."""
    drag = "powertrain.engine.closed_throttle.torque=(0, -60, -150, -200, -250) N*m"
    found = handling.perform("obstacle-avoidance", handling.vehicle("hmmwv", [drag]))
    assert re.search("does not get to the last gate at .* km/h; give search = 0", found.trouble)


def test_exit_speed_is_that_of_the_last_gate() -> None:
    """The run suits a vehicle that coasts, which loses 2 m/s² at most: 0.02 m/s between two instants."""
    found = handling.perform("obstacle-avoidance", "formula-student", search=0.0, speed="60 km/h")
    assert not found.trouble
    (run,) = found.runs
    assert isinstance(run.task, ObstacleAvoidance)
    end = run.task.gates[-1].end
    there = [np.interp(end, run["x"], run[f"mass_centre_{v}"]) for v in ("vx", "vy")]
    assert found["exit_speed"] == pytest.approx(3.6 * math.hypot(*there), abs=3.6 * 0.02)
    assert 3.6 * run.speed[-1] < 0.7 * found["exit_speed"]


def test_jolt_at_start_is_no_steady_cornering() -> None:
    t = np.linspace(0.0, 10.0, 101)
    ay = np.where(t < 0.2, 12.0, 0.5 * t)
    run: Any = SimpleNamespace(t=t, ay=-ay, steer=-t, speed=20.0 + t, roll=-t, sideslip=t)
    run.violation = lambda begin, steady: None
    procedure: Any = None  # notes nothing
    points = points_of(procedure, run, 3.0, -1.0)
    assert (points.ay[0], points.ay[-1], points.speed[-1]) == pytest.approx((1.5, 5.0, 30.0))


def test_a_spin_is_no_steady_cornering() -> None:
    """The trailer combination turns otherwise than its path from about 8 m/s² on, and then spins."""
    found = handling.perform("constant-speed", handling.vehicle("van-trailer"))
    assert "figures hold up to 7.9" in found.trouble
    assert "cornering is not steady" in found.trouble
    run = found.runs[0]
    spun = int(np.argmax(np.abs(run.sideslip) > np.radians(20.0)))
    assert run.t[spun] < run.t[-1]  # it does spin
    assert found["largest_lateral_acceleration"] <= np.abs(run.ay[:spun]).max()
    # K of the rest of the range in which gradients are taken: less than a degree per g off a straight line.
    at = [int(np.argmax(run.ay > a)) for a in (0.5, 3.0)]
    excess = [run.steer[k] - run.subject.wheelbase * run.ay[k] / run.speed[k] ** 2 for k in at]
    slope = (excess[1] - excess[0]) / (run.ay[at[1]] - run.ay[at[0]])
    assert found["understeer_gradient"] == pytest.approx(np.degrees(slope) * G, abs=0.1)


def test_an_unstable_vehicle_reaches_no_steady_turn() -> None:
    """An oversteering car above its critical speed of 22.9 m/s turns ever more than its path."""
    car = subject(Car(C_f=160e3, C_r=60e3), "oversteering")
    assert np.sqrt(-car.car.L / car.car.K) < 30.0
    found = handling.perform("step-input", car, speed=30.0, lateral_acceleration=1.0)
    assert "1 m/s² are asked for (cornering is not steady: from 2.1" in found.trouble
    found = handling.perform("constant-speed", car, speed=30.0)
    assert "points lie between 0.5 and 3 m/s²" in found.trouble
    assert "cornering is not steady" in found.trouble


@pytest.mark.parametrize(
    "name", ["sedan", "hatchback", "hmmwv", "off-roader", "formula-student", "truck", "van", "van-trailer"]
)
def test_modes_keep_their_names_over_speed(name: str) -> None:
    """A body has one heave, pitch and roll at every speed, which follow each other without jumps."""
    test = ModesTest(handling.vehicle(name))
    found = [
        {mode.character: mode for mode in reversed(test.at(v))} for v in (10.0, 12.5, 15.0, 17.5, 20.0, 22.2)
    ]
    for character in ("heave", "pitch", "roll"):
        f = np.array([modes[character].frequency for modes in found])
        # From 3.95 to 1.54 Hz it jumped by a factor of 2.6.
        assert np.max(np.abs(np.diff(np.log(f)))) < 0.2, (character, f)
    if name == "van-trailer":
        sway = found[-1]["trailer sway"]
        # After a pulse of the steering (pulse-steer at 22.2 m/s) the hitch swings with 0.8475 Hz and a
        # damping ratio of 0.190, read from peaks 1.18 s apart at instants 0.01 s apart (0.8 %); the speed,
        # on which both depend, falls by some per cent meanwhile.
        swings = sway.frequency * math.sqrt(1.0 - sway.damping_ratio**2)
        assert swings == pytest.approx(0.8475, rel=0.02)
        assert sway.damping_ratio == pytest.approx(0.190, rel=0.05)


def test_procedures_accept_loaded_vehicles() -> None:
    """A procedure made by its class takes what `handling.perform` takes."""
    loaded = ModesTest(load("sedan", {"chassis.mass": "1600 kg"}))
    assert loaded.subject.mass == pytest.approx(ModesTest("sedan").subject.mass + 50.0)
    with pytest.raises(DataError, match=r"^modes: subject 3 must be a subject, such as .*load\('sedan'\)$"):
        ModesTest(3)  # type: ignore[arg-type]
