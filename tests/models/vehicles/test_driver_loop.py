"""The driver's loop: arms, answer of tyres, derivation against the linearised vehicle, refusal."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import SimulationError
from ce_dynamics.models.parts.driver import (
    PREVIEW_PER_LAG,
    SteeringResponse,
    angle_per_curvature,
    preview,
    reversals_at_limits,
    steer,
    turn_steering,
)
from ce_dynamics.models.parts.manoeuvres.straight import Braking
from ce_dynamics.models.parts.paths import LateralPath
from ce_dynamics.models.tyres.simple.linear import LinearTyre
from ce_dynamics.models.vehicles.case import Case, first_pedals, prepare
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.driving import driver_parameters, side_stiffness, yaw_damping
from ce_dynamics.models.vehicles.steady import steady, yaw_gain
from tests.chrono_vehicles.drivers import MOST, SETTLED, beside, heavier, of_the_driver
from tests.models.vehicles.chrono.small_car import files, written
from tests.models.vehicles.chrono.test_rear_chassis import folding


def test_the_least_preview_leaves_a_margin() -> None:
    """(D2) as it stands, and its open loop 2 (1 + p)/(p² (1 + p τ/t)) where its gain is 1."""
    q = 1.0 / PREVIEW_PER_LAG
    poles = np.roots([q, 1.0, 2.0, 2.0])
    assert (-poles.real / np.abs(poles)).min() == pytest.approx(0.36, abs=0.005)
    w = np.linspace(0.1, 10.0, 100_001)
    loop = 2.0 * (1.0 + 1j * w) / ((1j * w) ** 2 * (1.0 + 1j * w * q))
    crossing = loop[np.argmin(np.abs(np.abs(loop) - 1.0))]
    assert 180.0 + math.degrees(np.angle(crossing)) == pytest.approx(30.0, abs=0.5)


@pytest.mark.parametrize("understeer", [-0.002, 0.0, 0.002])
def test_yaw_damping_leaves_forty_degrees(understeer: float) -> None:
    """The loop is k v/(L + K v²)/(1 + s τ)/(1 + s T/2)² with τ = v yaw_lag L/(L + K v²), at 30 m/s.

    A first-order lag of a gain of 2 and more lags by 60° to 90° where that is 1: up to 30° are won.
    """
    T, L, v, lag = 0.1, 4.5, 30.0, 0.25
    k = yaw_damping(SteeringResponse(lag=T, yaw_lag=lag), L)
    slowed = L / (L + understeer * v * v)
    s = 1j * np.linspace(1.0, 20.0, 100_001)
    loop = k * v / L * slowed / (1.0 + s * v * lag * slowed) / (1.0 + 0.5 * s * T) ** 2
    crossing = loop[np.argmin(np.abs(np.abs(loop) - 1.0))]
    assert 39.0 < 180.0 + math.degrees(np.angle(crossing)) < 70.0


def test_yaw_gain_is_that_of_circles() -> None:
    """The slope between circles of 3000 m to the left and right, of a truck that pulls aside.

    At 0.13 m/s² load transfer and slip leave the linear range by some per cent.
    """
    case = prepare("straight", model="truck", speed=20.0)
    pedals = first_pedals(case.model, case.manoeuvre)  # type: ignore[arg-type]  # it is driven
    left, right = (steady(case.model, 20.0, radius).inputs["steering"] for radius in (3000.0, -3000.0))
    slope = 2.0 * 20.0 / 3000.0 / (left - right)
    assert yaw_gain(case.model, case.y0, pedals) == pytest.approx(slope, rel=0.03)


def test_drivers_know_how_the_vehicle_turns(tmp_path: Path) -> None:
    """The wheel angle per curvature is that of the vehicle, of which files of Chrono do not tell."""
    case = prepare("straight", model=written(tmp_path, files()), speed=20.0)
    p = case.manoeuvre.driver  # type: ignore[union-attr]  # it is driven
    pedals = first_pedals(case.model, case.manoeuvre)  # type: ignore[arg-type]
    pedals[[entry.name for entry in case.model.layout.u].index("steering")] = p.straight
    gain = yaw_gain(case.model, case.y0, pedals)
    assert p.wheelbase + p.understeer * 400.0 == pytest.approx(20.0 * p.max_wheel_angle / gain)
    assert (
        p.understeer
        != driver_parameters(VehicleParameters.load(tmp_path / "car/Vehicle.json", ())).understeer
    )


@pytest.mark.parametrize("frequency", [10.0, 30.0, 100.0])
def test_arms_move_any_actuator_alike(frequency: float) -> None:
    """(D1) in closed form: 1 − (1 + 2 t/T) exp(−2 t/T) of a small step, the largest rate of a big one."""
    data = VehicleParameters.load("hmmwv", [f"steering.actuator.natural_frequency={frequency} Hz"])
    driver = driver_parameters(data)
    r = driver.response
    h = 2e-4
    for wanted in (0.02, 0.9):
        s = rate = 0.0
        at, rates = [], []
        for _ in range(round(1.0 / h)):
            u = float(turn_steering(driver, wanted, {r.position: s, r.position_rate: rate}))
            rate += h * (r.omega**2 * (u - s) - 2.0 * r.zeta * r.omega * rate)
            s += h * rate
            at.append(s)
            rates.append(rate)
        t = h * np.arange(1, len(at) + 1)
        if wanted < 0.1:
            exact = wanted * (1.0 - (1.0 + 2.0 * t / r.lag) * np.exp(-2.0 * t / r.lag))
            # Euler's method is first order: h/T of the step.
            assert np.abs(np.array(at) - exact).max() < h / r.lag * wanted
        else:
            assert max(rates) == pytest.approx(r.rate, rel=0.01)  # rounded by `SOFTNESS`, 2 %
        assert max(at) <= wanted * (1.0 + 1e-9)


def test_side_stiffness_of_a_linear_tyre() -> None:
    """C = C_α F_z; relaxation C/c_y, the slip angle over which the carcass is deflected by the force."""
    tyre = LinearTyre(
        radius=0.35, cz=2e5, dz=100.0, cx=3e5, cy=1.5e5, damping=0.0, rolling_resistance=0.0,
        reference_friction=1.0, slip_stiffness=15.0, cornering_stiffness=12.0,
    )  # fmt: skip
    C, sigma = side_stiffness(tyre, 4000.0, 1.0)
    assert pytest.approx(12.0 * 4000.0, rel=1e-3) == C
    assert sigma == pytest.approx(C / 1.5e5, rel=1e-3)


def single_track_loop(name: str, speed: float) -> np.ndarray[tuple[int, ...], np.dtype[np.complex128]]:
    """Eigenvalues of the single-track model with relaxed tyres, arms (D1) and the steering law."""
    data = VehicleParameters.load(name, ())
    p = driver_parameters(data)
    r, v, L = p.response, speed, float(p.wheelbase)
    bodies = data.bodies(data.layout.own_axles, ())
    m = sum(float(body.mass) for body in bodies)
    centre = sum(float(body.mass) * body.com[0] for body in bodies) / m
    J = sum(
        float(body.inertia[2, 2] + body.mass * ((body.com[0] - centre) ** 2 + body.com[1] ** 2))
        for body in bodies
    )
    from ce_dynamics.models.vehicles.tyre_kinds import model_of

    a = data.corners["front_left"].W[0] - centre
    b = L - a
    loads = m * 9.81 / (2.0 * L) * np.array((b, a))
    (C_f, s_f), (C_r, s_r) = (
        side_stiffness(model_of(data.corners[corner].tyre, 1), float(load), 0.8)
        for corner, load in zip(("front_left", "rear_left"), loads, strict=True)
    )
    front, rear, v_y, yaw_rate, yaw, y, s, s_rate = range(8)
    A = np.zeros((8, 8))
    lock = float(p.max_wheel_angle)
    A[front, [s, v_y, yaw_rate, front]] = v / s_f * np.array((lock, -1.0 / v, -a / v, -1.0))
    A[rear, [v_y, yaw_rate, rear]] = v / s_r * np.array((-1.0 / v, b / v, -1.0))
    A[v_y, [front, rear, yaw_rate]] = 2.0 * C_f / m, 2.0 * C_r / m, -v
    A[yaw_rate, [front, rear]] = 2.0 * a * C_f / J, -2.0 * b * C_r / J
    A[yaw, yaw_rate] = 1.0
    x = -centre
    A[y, [v_y, yaw_rate, yaw]] = 1.0, x, v
    d = float(preview(p, v))
    g = v * v / (v * v + r.rocking**2)
    curvature = np.zeros(8)
    curvature[[y, yaw]] = -2.0 / d**2, -2.0 / d
    curvature[[v_y, yaw_rate]] = -2.0 / d * g / v * np.array((1.0, x))
    curvature[s] = -2.0 / d * (1.0 - g) * r.arm * lock / L
    wanted = curvature * (float(angle_per_curvature(p, v)) + p.yaw_damping * v)
    wanted[yaw_rate] -= p.yaw_damping
    A[s, s_rate] = 1.0
    A[s_rate] = 4.0 / r.lag**2 * wanted / lock
    A[s_rate, [s, s_rate]] -= 4.0 / r.lag**2, 4.0 / r.lag
    return np.linalg.eigvals(A).astype(np.complex128)


def with_its_driver(case: Case) -> np.ndarray[tuple[int, ...], np.dtype[np.complex128]]:
    """Eigenvalues of `Model.linearize`, closed by the driver's answer to each sensor."""
    r = case.manoeuvre.driver.response  # type: ignore[union-attr]  # it is driven
    names = ["y", "yaw", "vx", "vy", "yaw_rate", r.position, r.position_rate]
    linear = case.model.linearize(case.y0, u=case.model.u0, outputs=names)
    seen = case.model.outputs(case.y0, u=case.model.u0)

    def steering(name: str, h: float) -> float:
        return float(case.manoeuvre.inputs(0.0, {**seen, name: seen[name] + h})["steering"])  # type: ignore[union-attr]

    K = np.array([(steering(name, 1e-6) - steering(name, -1e-6)) / 2e-6 for name in names])
    B = linear.B[:, linear.inputs.index("steering")]
    return np.linalg.eigvals(linear.A + np.outer(B, K @ linear.C)).astype(np.complex128)


def test_derived_loop_agrees_with_the_linearised_vehicle() -> None:
    """The pair that leads to the path, slowest of those that swing, at 10 m/s.

    The driver knows the sedan's understeer, 0.002 rad s²/m, of which its tyres alone have 0.0003: by
    (L + K v²)/L the loop by hand has 6 % more gain, and so has its pair, of p² + 2 p + 2.  As much again is
    left for camber, load transfer and the roll of the body.
    """
    found, derived = (
        max((w for w in poles if w.imag > 0.2), key=lambda w: float(w.real))
        for poles in (
            with_its_driver(prepare("straight", model="sedan", speed=10.0)),
            single_track_loop("sedan", 10.0),
        )
    )
    assert found.real < 0.0
    assert abs(found - derived) < 0.12 * abs(found)


@pytest.mark.parametrize("speed", [15.0, 30.0, 40.0])
def test_oversteering_vehicles_are_stable_above_their_critical_speed(speed: float) -> None:
    """A single track turns in by itself from 10.4 m/s on, as ThreeLinkIRS does on friction 0.3."""
    m, J, a, b, C_f, C_r = 1500.0, 2000.0, 1.3, 1.2, 3.0e4, 1.656e4
    K = m * (b * C_r - a * C_f) / ((a + b) * C_f * C_r)
    assert math.sqrt(-(a + b) / K) == pytest.approx(10.4, abs=0.1)
    p = replace(driver_parameters(VehicleParameters.load("sedan", ())), wheelbase=a + b, understeer=K)
    r = SteeringResponse(yaw_lag=0.03)  # hands on the wheels; its own damping is that of arms
    damping = yaw_damping(replace(r, lag=0.1), a + b)
    p = replace(p, response=r, yaw_damping=damping, straight=0.0, max_wheel_angle=1.0)

    def rates(s: Floats) -> Floats:
        y, yaw, v_y, r = s
        seen = {"x": 0.0, "y": y, "yaw": yaw, "vx": speed, "vy": v_y, "speed": speed, "yaw_rate": r}
        F_f = C_f * (float(steer(p, LateralPath(), seen)) - (v_y + a * r) / speed)
        F_r = C_r * (b * r - v_y) / speed
        return np.array([speed * yaw + v_y, r, (F_f + F_r) / m - speed * r, (a * F_f - b * F_r) / J])

    A = np.array([(rates(h) - rates(-h)) / 2e-6 for h in 1e-6 * np.eye(4)]).T
    assert np.linalg.eigvals(A).real.max() < 0.0


@pytest.mark.parametrize("speed", [1.0, 5.0, 20.0])
def test_drivers_of_vehicles_that_fold_are_stable(tmp_path: Path, speed: float) -> None:
    """Folding turns the front half itself, so that the driver saw the steering at once: it grew by 142/s."""
    case = prepare("straight", model=written(tmp_path, folding()), speed=speed, duration=6.0)
    assert of_the_driver(case)[0].real < 0.0
    run = beside(case).simulate_to_record(method="rk4")
    assert np.abs(run["ay"].values[run["time"].values > SETTLED]).max() < MOST


@pytest.mark.parametrize(("vehicle", "speed"), [("sedan", 2.0), ("sedan-column", 20.0)])
def test_pulled_vehicles_start_straight(vehicle: str, speed: float) -> None:
    """A bank of 5 % pulls by 0.49 m/s², with the steering held to begin with.

    Tyres that carry it slip by the same angle in front and behind: it heads up the bank, and steers by
    its understeer alone.  The start slows down, which leaves some hundredths of that.
    """
    case = prepare("straight", model=vehicle, speed=speed, road="bank:slope=0.05", duration=4.0)
    assert case.manoeuvre is not None
    assert case.manoeuvre.driver.straight != 0.0
    run = case.simulate_to_record(method="rk4")
    assert np.abs(run["ay"].values).max() < 0.05
    assert np.abs(run["path_error"].values).max() < 0.01
    assert run["yaw"].values[0] > 0.0


@pytest.mark.parametrize(("vehicle", "speed"), [("truck", 1.0), ("truck", 25.0), ("hmmwv-chrono", 30.0)])
@pytest.mark.parametrize("friction", [0.8, 0.3])
def test_drivers_of_heavy_vehicles_are_stable(vehicle: str, speed: float, friction: float) -> None:
    case = prepare("straight", model=vehicle, speed=speed, options={"friction": friction})
    assert of_the_driver(case)[0].real < -0.05


@pytest.mark.filterwarnings("ignore::ce_dynamics.errors.PhysicalityWarning")
def test_a_dipping_beam_pulls_no_vehicle_aside() -> None:
    """The off-roader with 1.4 times its mass, whose drag link turns the beam as the brakes dip it."""
    model = "off-roader"
    case = prepare("braking", model=model, speed=30.0, overrides=heavier(model), duration=4.0)
    run = case.simulate_to_record(method="rk4")
    assert run["tyre_slip"].values.min() > -0.1
    assert np.abs(run["ay"].values).max() < MOST


def test_drivers_counter_the_pull_of_their_brakes() -> None:
    """The off-roader with a drag link that falls towards the arm, which steers as the brakes dip the body."""
    changes = "front.steering_gear.steering=(0.600, 0.460, 0.04) m", "steering.max_angle=20 deg"
    case = prepare("braking", model="off-roader", overrides=changes, duration=6.0)
    known = case.manoeuvre
    assert known is not None
    unknown = Braking(replace(known.driver, pull=0.0), **known.values)
    aside, farther = (
        np.abs(replace(case, manoeuvre=each).simulate_to_record(method="rk4")["path_error"].values).max()
        for each in (known, unknown)
    )
    assert aside < 0.5 * farther


def test_arms_follow_the_brake_pedal() -> None:
    """The pull is countered as the pedal moves, not a lag T later, in which the pedal moves by T/rise.

    What the forecast leaves out is T³/24 of the pedal's third derivative, at most 60/rise³ of it.
    """
    T, rise, pull = 0.1, 0.3, 0.5
    driver = replace(driver_parameters(VehicleParameters.load("sedan", ())), pull=pull, straight=0.0)
    driver = replace(driver, response=SteeringResponse(lag=T))
    task = Braking(driver, speed=20.0, friction=0.8, duration=3.0, rise=rise, brake=1.0)
    seen = {"x": 0.0, "y": 0.0, "yaw": 0.0, "vx": 20.0, "vy": 0.0, "speed": 20.0, "yaw_rate": 0.0}
    s = rate = most = 0.0
    for t in np.arange(0.0, 3.0, 1e-4):
        given = task.inputs(t, seen)
        rate += 1e-4 * 4.0 / T * ((float(given["steering"]) - s) / T - rate)  # (D1)
        s += 1e-4 * rate
        most = max(most, abs(s - pull * float(given["brake"])))
    assert most < pull * T**3 / 24.0 * 60.0 / rise**3


@pytest.mark.parametrize(("vehicle", "speed"), [("sedan", 1.0), ("hmmwv-automatic", 2.0)])
def test_drivers_hold_idling_engines_at_a_walk(vehicle: str, speed: float) -> None:
    """The converter pushes; the brake holds the speed to the tenth that is left and as much again."""
    run = prepare("straight", model=vehicle, speed=speed, duration=8.0).simulate_to_record(method="rk4")
    assert np.abs(run["vx"].values[-100:] / speed - 1.0).max() < 0.2


def test_reversals_count_limits_only() -> None:
    driver = driver_parameters(VehicleParameters.load("sedan", ()))
    t = np.linspace(0.0, 1.0, 501)
    wave = np.sin(10.0 * math.pi * t)  # five periods
    assert reversals_at_limits(driver, wave, None) == 9
    assert reversals_at_limits(driver, 0.9 * wave, None) == 0
    assert reversals_at_limits(driver, 0.1 * wave, driver.response.rate * wave) == 9


def test_a_swinging_driver_is_refused_by_name() -> None:
    """With yaw damping beyond what the lag of arms allows; the run is kept whole."""
    case = prepare("straight", model="sedan", speed=20.0, overrides=["driver.yaw_damping=5 s"])
    with pytest.raises(SimulationError, match=r"straight: the driver does not hold .* the other") as caught:
        beside(case).simulate(method="rk4")
    partial = caught.value.partial
    assert float(partial["time"][-1]) == pytest.approx(6.0)  # a data set
