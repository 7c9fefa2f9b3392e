"""Drive units on a bare shaft: energy, hand calculations, and what a driver expects."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.brake import ClutchData
from ce_dynamics.models.powertrain.automatic import ConverterData
from ce_dynamics.models.powertrain.base import GearedData
from ce_dynamics.models.powertrain.cvt import CvtGearboxData
from ce_dynamics.models.powertrain.electric import BatteryData, MotorData
from ce_dynamics.models.powertrain.engine import STANDING, TiedEngineData, TorqueCurve, TurningEngineData
from ce_dynamics.models.powertrain.gear_choice import AutomaticGearboxData, ScheduledGearboxData
from ce_dynamics.models.powertrain.manual import ManualGearboxData
from tests.models.powertrains import automatic, cvt, electric, geared, manual

FULL = TorqueCurve(speed=(0.0, 200.0, 500.0), torque=(100.0, 300.0, 200.0))
CURVES: dict[str, Any] = {
    "full_throttle": FULL,
    "closed_throttle": TorqueCurve(speed=(0.0, 500.0), torque=(0.0, -50.0)),
    "max_speed": 450.0,
}
TIED = TiedEngineData(**CURVES, inertia=0.2)
DRAGGING = TiedEngineData(
    **{**CURVES, "closed_throttle": TorqueCurve(speed=(0.0, 500.0), torque=(-20.0, -50.0))}, inertia=0.2
)
TURNING = TurningEngineData(**CURVES, idle_speed=80.0, inertia=0.3)
GEARS = ScheduledGearboxData(
    gears=(0.25, 0.5, 1.0), reverse=-0.3, upshift=(300.0, 320.0), downshift=(100.0, 120.0), shift_time=0.3
)
CLUTCH = ClutchData(max_torque=400.0, stiffness=2000.0, damping=20.0)
TWO = ManualGearboxData(gears=(0.25, 0.5), reverse=-0.3)
CVT = CvtGearboxData(lowest=0.2, highest=1.0, begin=20.0, end=100.0, efficiency=0.9)
BATTERY = BatteryData(voltage=350.0, resistance=0.1)


def motor(
    speed: tuple[float, ...], torque: tuple[float, ...], copper: float = 0.0, **rest: float
) -> MotorData:
    own = {"drag": 0.0, "iron_loss": 0.0, "inertia": 0.1, **rest}
    return MotorData(full_throttle=TorqueCurve(speed=speed, torque=torque), copper_loss=copper, **own)


MOTOR = motor((0.0, 300.0, 900.0), (250.0, 250.0, 80.0), 0.02, drag=2.0, iron_loss=0.01, inertia=0.05)


def driven(
    unit: GearedData, J: float, load: float, speed: float, until: float, u: Mapping[str, float]
) -> tuple[Floats, Floats]:
    """Speed of a shaft with inertia J against a torque of `load`, then the unit's states, over time."""
    start = [speed, *(state.initial for state in unit.states(speed))]

    def rates(_: float, y: Floats) -> list[float]:
        d = unit.drive(y[0], list(y[1:]), u)
        tied = unit.tie_to_shaft(list(y[1:]), u)
        return [float((d.torque - load) / (J + tied.at_shaft)), *(float(x) for x in d.x_dot)]

    run = solve_ivp(rates, (0.0, until), start, rtol=1e-9, atol=1e-9, max_step=0.01)
    return run.t, run.y


def test_an_engine_in_gear_by_hand() -> None:
    """First gear, 4 turns of the engine per turn of the shaft: 4 T over J + 16 J_e."""
    unit = geared(TIED, GEARS)
    u = {"throttle": 1.0, "selector": 1.0}
    d = unit.drive(40.0, [0.0, 0.0], u)
    assert d.outputs["engine_speed"] == pytest.approx(160.0)
    assert d.torque == pytest.approx(4.0 * (100.0 + 200.0 * 160.0 / 200.0))
    assert unit.tie_to_shaft([0.0, 0.0], u).at_shaft == pytest.approx(16.0 * 0.2)
    back = unit.drive(-10.0, [0.0, 0.0], {"throttle": 0.0, "selector": -1.0})
    assert back.outputs["gear"] == -1.0
    assert unit.drive(40.0, [0.0, 0.0], {"throttle": 1.0, "selector": 0.0}).torque == 0.0


def test_shifts_at_the_speeds_of_each_gear() -> None:
    """Up at 300 and 320 rad/s of the engine, 75 and 160 of the shaft; down at 100 and 120, 50 and 120."""
    assert np.array(GEARS.shifts()) == pytest.approx(np.array([(50.0, 75.0), (120.0, 160.0)]))
    unit = geared(TIED, GEARS)
    t, y = driven(unit, 20.0, 0.0, 10.0, 20.0, {"throttle": 1.0, "selector": 1.0})
    first = float(np.interp(0.5, y[1], y[0]))
    second = float(np.interp(0.5, y[2], y[0]))
    # A shift is half done within its time of 0.3 s after the push began.
    assert 75.0 < first < 75.0 + 0.3 * 4.0 * 300.0 / 20.0
    assert 160.0 < second < 160.0 + 0.3 * 2.0 * 300.0 / 20.0
    assert t[-1] == 20.0


TURBINE = ConverterData(
    speed_ratio=(0.0, 0.8, 1.0),
    capacity=(4e-3, 3e-3, 1e-3),
    torque_ratio=(2.0, 1.1, 1.0),
    turbine_inertia=0.5,
)
SHIFTING = {
    "engine": geared(TIED, GEARS),
    "turbine": automatic(
        TURNING,
        TURBINE,
        AutomaticGearboxData(
            gears=(0.25, 0.5, 1.0), reverse=-0.3, upshift=300.0, downshift=120.0, shift_time=0.3
        ),
    ),
}


@pytest.mark.parametrize("throttle", [0.0, 0.6])
@pytest.mark.parametrize("kind", SHIFTING)
def test_energy_of_shifting_gears(kind: str, throttle: float) -> None:
    """Engine power but for losses is what turns stores: also while i changes, and with it a speed."""
    unit, J = SHIFTING[kind], 20.0
    u = {"throttle": throttle, "selector": 1.0}
    t, y = driven(unit, J, 0.0, 150.0, 3.0, u)
    power, stored = [], []
    for shaft, *z in y.T:
        d = unit.drive(shaft, z, u)
        power.append(float(d.outputs["engine_power"] - d.outputs.get("converter_loss", 0.0)))
        inertia = J + unit.tie_to_shaft(z, u).at_shaft
        stored.append(float(0.5 * inertia * shaft * shaft + d.energy))
    work = np.trapezoid(power, t)
    # The trapezoidal rule on steps of at most 10 ms: some 1e-5 of the energy.
    assert stored[-1] - stored[0] == pytest.approx(work, abs=2e-4 * max(stored))
    assert (np.ptp(y[-2:], axis=1).max() > 0.9) == (throttle > 0.0)  # it shifts, or rolls in a gear


def test_a_clutch_takes_up_and_then_sticks() -> None:
    """Engine at 80 rad/s, shaft at rest: the clutch slides with what it holds until both turn alike."""
    unit = manual(TURNING, CLUTCH, TWO)
    u = {"throttle": 0.3, "clutch": 0.0, "gear": 1.0}
    t, y = driven(unit, 40.0, 0.0, 0.0, 4.0, u)
    slip = y[1] - 4.0 * y[0]
    assert slip[0] == pytest.approx(80.0)
    assert abs(slip[-1]) < 0.05
    sliding = unit.drive(0.0, [200.0, 400.0 / 2000.0], u)
    assert sliding.outputs["clutch_torque"] == pytest.approx(CLUTCH.max_torque, rel=0.02)
    # Coasting in gear, the engine's drag of 0.1 Nms/rad holds 4 · 4 · 0.1 per speed of the shaft.
    _, coasting = driven(unit, 40.0, 0.0, 60.0, 5.0, {**u, "throttle": 0.0})
    decay = 16.0 * 0.1 / (40.0 + 16.0 * 0.3)
    assert coasting[0, -1] == pytest.approx(60.0 * math.exp(-5.0 * decay), rel=2e-3)
    assert t[-1] == 4.0


def test_neutral_and_open_clutch_let_the_engine_idle() -> None:
    unit = manual(TURNING, CLUTCH, TWO)
    for u in ({"clutch": 1.0, "gear": 1.0}, {"clutch": 0.0, "gear": 0.0}):
        _, y = driven(unit, 40.0, 0.0, 0.0, 8.0, {"throttle": 0.0, **u})
        assert y[0, -1] == pytest.approx(0.0, abs=1e-6)
        assert 64.0 < y[1, -1] < 80.0  # within the governor's band
    slipping = unit.drive(20.0, [200.0, 0.0], {"throttle": 0.5, "clutch": 1.0, "gear": 1.0})
    assert (slipping.torque, slipping.outputs["clutch_torque"]) == (0.0, 0.0)
    assert slipping.x_dot[0] == pytest.approx(slipping.outputs["engine_torque"] / 0.3, rel=1e-12)


def test_turns_of_a_manual_gearbox() -> None:
    unit = manual(TURNING, CLUTCH, TWO)
    assert [float(unit.turns(g)) for g in (-1.0, 0.0, 1.0, 2.0)] == pytest.approx([-1 / 0.3, 0.0, 4.0, 2.0])
    with pytest.raises(DataError, match="gears must increase"):
        ManualGearboxData(gears=(0.5, 0.25), reverse=-0.3)


def test_a_variable_gearbox_loses_power_both_ways() -> None:
    unit = cvt(TIED, CVT)
    u = {"throttle": 1.0, "selector": 1.0}
    middle = unit.drive(60.0, [], u)
    assert middle.outputs["ratio"] == pytest.approx(0.6)
    assert middle.outputs["engine_speed"] == pytest.approx(100.0)
    assert middle.torque == pytest.approx(0.9 * 200.0 / 0.6)
    drag = unit.drive(60.0, [], {"throttle": 0.0, "selector": 1.0})
    assert drag.torque == pytest.approx(-10.0 / 0.9 / 0.6)
    with pytest.raises(DataError, match=r"lowest = 1 must be below highest = 0\.2"):
        CvtGearboxData(lowest=1.0, highest=0.2, begin=20.0, end=100.0, efficiency=0.9)


@pytest.mark.parametrize("selector", [1.0, -1.0])
@pytest.mark.parametrize(
    "unit",
    [
        geared(DRAGGING, GEARS),
        cvt(DRAGGING, CVT),
    ],
)
def test_an_engine_that_gears_turn_backwards_brakes(unit: GearedData, selector: float) -> None:
    """It had driven with its drag: vehicles in reverse that rolled ahead went faster and faster, or set off.

    What is lost is never negative, to rounding of some 1e5 W; a vehicle that stands is not pushed.
    """
    closed, full = ({"throttle": part, "selector": selector} for part in (0.0, 1.0))
    x = [state.initial for state in unit.states(0.0)]
    for speed in (-90.0, -30.0, -1.0, -0.1, 0.1, 1.0, 30.0, 90.0):
        coasting = unit.drive(speed, x, closed)
        assert coasting.torque * speed < 0.0
        for found in (coasting, unit.drive(speed, x, full)):
            fed = found.outputs["engine_power"] - found.outputs.get("gear_loss", 0.0)
            assert fed == pytest.approx(found.torque * speed, abs=1e-10)
            assert found.outputs.get("gear_loss", 0.0) >= -1e-11
        assert unit.drive(speed, x, full).torque * selector > 0.0
        forwards = coasting.outputs["engine_speed"]
        if forwards > STANDING:
            assert coasting.outputs["engine_torque"] == unit.engine.torque(forwards, 0.0)  # type: ignore[attr-defined]
    assert unit.drive(0.0, x, closed).torque == 0.0


def test_current_of_a_battery() -> None:
    """P = U I − R I²: by the smaller root; what it cannot give is what it has at U/2R."""
    for power in (-20e3, 0.0, 50e3):
        current = float(BATTERY.current(power))
        assert 350.0 * current - 0.1 * current**2 == pytest.approx(power, abs=1e-6)
    assert BATTERY.current(1e9) == pytest.approx(350.0 / 0.2)


def test_battery_weaker_than_motor_is_refused() -> None:
    """Its motor had got power that no current brought.  U²/4R is 87.5 kW."""
    weak, speed = BatteryData(voltage=350.0, resistance=0.35), (0.0, 400.0)
    with pytest.raises(DataError, match=r"at 400 rad/s the motor takes 1.2e\+05 W, .* at most 8.75e\+04 W"):
        electric(motor(speed, (300.0, 300.0)), weak, 0.1)
    electric(motor(speed, (300.0, 218.7)), weak, 0.1)  # 87,480 W at 400 rad/s, and less before
    with pytest.raises(DataError, match="battery"):
        electric(motor(speed, (300.0, 218.7), 0.001), weak, 0.1)
    with pytest.raises(DataError, match=r"full_throttle.torque\[1\]"):
        motor(speed, (300.0, -1.0))


def test_an_electric_motor_drives_brakes_and_counts_charge() -> None:
    unit = electric(MOTOR, BATTERY, 0.1)
    full = unit.drive(20.0, [0.0], {"throttle": 1.0, "selector": 1.0})
    omega, drag = 200.0, 2.0 * 200.0 / 201.0
    assert full.torque == pytest.approx(10.0 * (250.0 - drag))
    power = 250.0 * omega + 0.02 * 250.0**2 + 0.01 * omega**2
    assert full.outputs["battery_power"] == pytest.approx(power)
    assert (full.outputs["motor_speed"], full.outputs["motor_torque"]) == pytest.approx((omega, 250.0))
    current = full.outputs["battery_current"]
    assert 350.0 * current - 0.1 * current**2 == pytest.approx(power)
    assert unit.tie_to_shaft([0.0], {}).at_shaft == pytest.approx(5.0)
    braking = unit.drive(20.0, [0.0], {"throttle": -0.5, "selector": 1.0})
    assert float(braking.torque) < 0.0
    assert float(braking.x_dot[0]) < 0.0  # charges
    # Without copper and iron losses all that the battery gives moves the shaft, drag left out.
    ideal = electric(motor((0.0, 900.0), (100.0, 100.0), inertia=0.0), BATTERY, 0.1)
    d = ideal.drive(15.0, [0.0], {"throttle": 0.7, "selector": 1.0})
    assert d.outputs["battery_power"] == pytest.approx(float(d.torque) * 15.0)
