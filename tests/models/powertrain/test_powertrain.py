"""Traction envelope, open differentials, brake."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.base import HingeLoad, PointLoad
from ce_dynamics.models.parts.brake import Brake, BrakeData, brake_torque
from ce_dynamics.models.powertrain.differentials import DrivenWheel, Drivetrain
from ce_dynamics.models.powertrain.engine import STANDING, IdlingEngineData, TorqueCurve
from ce_dynamics.models.powertrain.envelope import (
    CELLS,
    Driveline,
    EnvelopeData,
    Traction,
    envelope,
    points,
)
from ce_dynamics.models.powertrain.gear_choice import GearboxData
from tests.ce_dynamics.opaque import Opaque, reveal_scalar
from tests.models.components import POWERTRAIN, Scripted, body, rpm

ENGINE = POWERTRAIN.engine
TRACTION = Traction(POWERTRAIN)
BRAKE = BrakeData(max_torque=4000.0, stiffness=1e5, damping=500.0)
TOP = ENGINE.max_speed * max(POWERTRAIN.transmission.gears) * POWERTRAIN.axle_ratio


def test_envelope_is_the_best_gear_at_every_speed() -> None:
    for omega in np.linspace(0.0, 0.999 * TOP, 173):
        best, coasting = -math.inf, 0.0
        for gear in POWERTRAIN.transmission.gears:
            overall = gear * POWERTRAIN.axle_ratio
            engine = omega / overall
            if engine <= rpm(2600)[0]:
                running = max(engine, rpm(800)[0])
                pull = np.interp(running, *points(ENGINE.full_throttle)) / overall
                if pull > best:
                    best = float(pull)
                    coasting = float(np.interp(engine, *points(ENGINE.closed_throttle)) / overall)
        full, zero = envelope(POWERTRAIN, omega)
        assert (full[0], zero[0]) == pytest.approx((best, coasting), rel=1e-12)


def test_table_follows_the_envelope() -> None:
    """Two cells from a jump off by no more than a sixth of a cell times the change of slope."""
    omega = np.linspace(0.0, TOP, 1001)
    full, zero = envelope(POWERTRAIN, omega)
    cell = TRACTION.axis.step
    jumps = omega[:-1][np.abs(np.diff(zero)) > 0.02 * np.max(np.abs(zero))]
    assert len(jumps) == 5  # five shifts
    away = np.min(np.abs(omega[:, np.newaxis] - jumps), axis=1) > 2.5 * cell
    assert np.mean(away) > 1.0 - 5.0 * (5.0 * cell + 2.0 * omega[1]) / TOP
    for throttle, exact in ((1.0, full), (0.0, zero)):
        off = np.abs(np.array([TRACTION.torque(w, throttle) for w in omega]) - exact)
        slopes = np.abs(np.diff(exact) / np.diff(omega))[away[1:] & away[:-1]]
        assert np.max(off[away]) < 2.0 * np.max(slopes) * cell / 6.0
        assert np.max(off[away]) < 0.01 * np.max(np.abs(full))


def one_gear(drag: tuple[float, ...]) -> EnvelopeData:
    """Top speed 100 rad/s of engine and wheels, tabulated to 110; curves from 0 to 200 rad/s."""
    full, closed = (TorqueCurve(speed=(0.0, 200.0), torque=y) for y in ((50.0, 450.0), drag))
    engine = IdlingEngineData(full_throttle=full, closed_throttle=closed, max_speed=100.0, idle_speed=1e-9)
    gear = GearboxData.model_construct(gears=(1.0,))
    return EnvelopeData(engine=engine, transmission=gear, axle_ratio=1.0)


def test_an_engine_that_stands_does_not_push_backwards() -> None:
    """Its drag at 0 rpm is that of turning forwards; splines round within two cells of 0.14 rad/s."""
    table = Traction(one_gear((-30.0, -40.0)))
    assert float(table.torque(-5.0, 0.0)) == 0.0
    assert -0.01 * 30.0 < float(table.torque(0.0, 0.0)) <= 0.0
    assert float(table.torque(20.0, 0.0)) == pytest.approx(-31.0)


def test_lines_are_exact_and_level_out_outside() -> None:
    table = Traction(one_gear((0.0, -20.0)))
    for omega in (1.0, 17.3, 60.0, 108.0):
        assert table.torque(omega, 1.0) == pytest.approx(50.0 + 2.0 * omega, rel=1e-13)
        if omega > STANDING:
            assert table.torque(omega, 0.0) == pytest.approx(-0.1 * omega, rel=1e-12)
    for throttle, start, end in ((1.0, 50.0, 270.0), (0.0, 0.0, -11.0)):
        assert table.torque(-1.0, throttle) == table.torque(-40.0, throttle) == pytest.approx(start)
        assert table.torque(111.0, throttle) == table.torque(500.0, throttle) == pytest.approx(end)


def test_neither_torque_nor_slope_nor_curvature_jumps() -> None:
    """Finite differences on both sides of nodes of the splines: third derivatives are f/Δ³ at most."""
    cell = TRACTION.axis.step
    h = 1e-3 * cell
    for node in cell * np.arange(-2.0, CELLS + 3.0, 5.0):
        below, above = (
            [float(TRACTION.torque(node + s * k * h, 0.6)) for k in range(3)] for s in (-1.0, 1.0)
        )
        bends = [(f[0] - 2.0 * f[1] + f[2]) / h**2 for f in (below, above)]
        assert abs(bends[0] - bends[1]) < 8.0 * h * 2e4 / cell**3 + 8e4 * 1e-15 / h**2


def test_throttle_blends_and_is_limited() -> None:
    full, zero = TRACTION.torque(20.0, 1.0), TRACTION.torque(20.0, 0.0)
    assert full > 0.0 > zero
    assert TRACTION.torque(20.0, 0.25) == pytest.approx(zero + 0.25 * (full - zero), rel=1e-14)
    assert TRACTION.torque(20.0, 7.0) == full
    assert TRACTION.torque(20.0, -7.0) == zero
    # Standing with the throttle closed, the engine neither pulls nor brakes.
    assert TRACTION.torque(0.0, 0.0) == 0.0


def test_runs_on_traced_scalars() -> None:
    traced = reveal_scalar(TRACTION.torque(Opaque(17.0), Opaque(0.4)))
    assert traced == TRACTION.torque(17.0, 0.4)
    torque, rate = brake_torque(BRAKE, Opaque(1000.0), Opaque(0.002), Opaque(-3.0))
    assert (reveal_scalar(torque), reveal_scalar(rate)) == brake_torque(BRAKE, 1000.0, 0.002, -3.0)


def test_open_differentials_share_torque_and_balance_power(rng: np.random.Generator) -> None:
    chassis = body("chassis")
    names = ("FL", "FR", "RL", "RR")
    wheels = [body(name) for name in names]
    carriers = [body(f"{name} upright") for name in names]
    axes = {}
    omega = {"chassis": rng.normal(size=3)}
    for wheel, carrier in zip(wheels, carriers, strict=True):
        axis = np.array([0.1, 1.0, -0.05]) + 0.1 * rng.normal(size=3)
        axes[carrier.name] = axis / np.linalg.norm(axis)
        omega[wheel.name] = rng.uniform(5.0, 25.0) * axes[carrier.name] + rng.normal(size=3)
    pairs = zip(wheels, carriers, strict=True)
    each = [DrivenWheel(w, c, (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)) for w, c in pairs]
    line = Driveline("driveline", POWERTRAIN, Drivetrain(chassis, each))
    response = line.evaluate(Scripted(omega=omega, axes=axes), np.zeros(0), {"throttle": 0.7})
    power, total = 0.0, np.zeros(3)
    for load in response.loads:
        assert isinstance(load, PointLoad)
        assert not np.any(load.force)
        power += float(load.torque @ omega[load.body.name])
        total = total + load.torque
    # Equal torques about each spin axis; in sum no net torque on the vehicle.
    torques = [float(load.torque @ axes[f"{load.body.name} upright"]) for load in response.loads[:4]]  # type: ignore[union-attr]
    assert torques == pytest.approx([response.outputs["torque"] / 4.0] * 4, rel=1e-12)
    assert np.max(np.abs(total)) < 1e-9
    # The power at the gearbox output is that at the wheels.
    speed = np.mean(
        [axes[c.name] @ (omega[w.name] - omega["chassis"]) for w, c in zip(wheels, carriers, strict=True)]
    )
    assert response.outputs["torque"] == pytest.approx(TRACTION.torque(speed, 0.7), rel=1e-12)
    assert power == pytest.approx(response.outputs["torque"] * speed, rel=1e-10)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GearboxData(gears=()), "gears"),
        (lambda: GearboxData(gears=(-0.1, 0.2)), r"GearboxData.gears: .* above 0"),
        (lambda: TorqueCurve(speed=(1.0, 0.0), torque=(1.0, 1.0)), "speed must increase"),
        (lambda: TorqueCurve(speed=(0.0, 1.0), torque=(0.0, 1.0, 2.0)), "torque 3; they must pair up"),
        (lambda: TorqueCurve(speed=(0.0, 1.0), torque=(math.nan, 1.0)), "torque.*not finite"),
        (lambda: EnvelopeData(**{**dict(POWERTRAIN), "axle_ratio": 0.0}), "axle_ratio"),
        (lambda: IdlingEngineData(**{**dict(ENGINE), "idle_speed": 1e4}), "idle_speed = 10000 rad/s"),
    ],
)
def test_wrong_powertrains_are_named(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        make()


def wheel_under(torque: float, pedal: float, spin: float, duration: float) -> tuple[float, float, float]:
    """A wheel of 8.2 kg m² with a driving torque and a brake: angle turned, spin and wind-up at the end."""

    def rate(t: float, y: np.ndarray) -> list[float]:
        brake, windup_dot = brake_torque(BRAKE, pedal * BRAKE.max_torque, y[2], y[1])
        return [y[1], (torque - brake) / 8.2, windup_dot]

    run = solve_ivp(rate, (0.0, duration), [0.0, spin, 0.0], "DOP853", rtol=1e-9, atol=1e-12)
    return float(run.y[0, -1]), float(run.y[1, -1]), float(run.y[2, -1])


def test_braked_wheel_holds_without_creep() -> None:
    angle, spin, windup = wheel_under(1500.0, 1.0, 0.0, 3.0)
    later, _, _ = wheel_under(1500.0, 1.0, 0.0, 6.0)
    # Wind-up settles with 2 I/d = 33 ms.
    assert BRAKE.stiffness * windup == pytest.approx(1500.0, rel=1e-8)
    assert abs(spin) < 1e-10
    assert later == pytest.approx(angle, abs=1e-10)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_turning_wheel_feels_the_capacity(direction: float) -> None:
    _, spin, _ = wheel_under(0.0, 0.5, direction * 60.0, 0.2)
    # Constant torque but for the first wind-up, which takes an angle of some 0.5·4000/1e5 rad, 0.3 ms.
    assert spin == pytest.approx(direction * (60.0 - 2000.0 / 8.2 * 0.2), abs=2000.0 / 8.2 * 1e-3)


def test_overpowered_brake_slips() -> None:
    _, spin, windup = wheel_under(3000.0, 0.5, 0.0, 1.0)
    assert spin == pytest.approx(1000.0 / 8.2, rel=0.02)
    assert BRAKE.stiffness * windup == pytest.approx(2000.0, rel=1e-3)


def test_released_brake_lets_go() -> None:
    held = 1500.0 / BRAKE.stiffness
    torque, rate = brake_torque(BRAKE, 0.0, held, 0.0)
    assert torque == 0.0
    # Without pads to hold it the wind-up relaxes at stiffness/damping.
    assert rate == pytest.approx(-BRAKE.stiffness / BRAKE.damping * held, rel=1e-6)
    # Pressed too lightly for the torque it holds, it lets go by itself although the wheel stands.
    partly = solve_ivp(
        lambda t, z: [brake_torque(BRAKE, 500.0, z[0], 0.0)[1]], (0.0, 2.0), [held], "DOP853", rtol=1e-8
    )
    assert BRAKE.stiffness * partly.y[0, -1] == pytest.approx(500.0, rel=0.05)
    # Nothing pressed, nothing moving: no 0/0.
    assert brake_torque(BRAKE, 0.0, 0.0, 0.0) == (0.0, 0.0)


def test_controllers_release_a_part_of_the_pressure() -> None:
    """A wheel that turns feels (pedal + addition) (1 − release) of the full torque, at any pedal."""
    brake = Brake("brake", body("wheel"), (0.0, 0.0, 0.0), BRAKE, addition="more", release="less")

    def capacity(pedal: float, more: float, less: float) -> float:
        u = {"brake": pedal, "more": more, "less": less}
        # wound up to the capacity the wind-up stands still
        share = brentq(
            lambda part: brake.evaluate(
                Scripted(rates={"wheel": 30.0}), np.array([part * 4000.0 / BRAKE.stiffness]), u
            ).x_dot[0],
            1e-9,
            2.0,
            xtol=1e-13,
        )
        return float(share)

    assert capacity(0.4, 0.0, 0.25) == pytest.approx(0.3, rel=1e-9)
    assert capacity(0.4, 0.2, 0.5) == pytest.approx(0.3, rel=1e-9)
    assert capacity(0.8, 0.6, 0.5) == pytest.approx(0.5, rel=1e-9)  # pressure ends at the full one


def test_brake_element_acts_on_hinge_and_shares_torque() -> None:
    wheel = body("wheel")
    brake = Brake("brake", wheel, (0.0, 0.0, 0.0), BRAKE, share=0.6)
    response = brake.evaluate(Scripted(rates={"wheel": 30.0}), np.array([0.01]), {"brake": 0.5})
    (load,) = response.loads
    assert isinstance(load, HingeLoad)
    torque, rate = brake_torque(BRAKE, 0.5 * 0.6 * 4000.0, 0.01, 30.0)
    assert load == (wheel, 0, -torque)
    assert list(response.x_dot) == [rate]
    assert 0.0 < torque < 1300.0
    with pytest.raises(DataError, match="share"):
        Brake("brake", wheel, (0.0, 0.0, 0.0), BRAKE, share=1.2)
