"""Reactions of engine, gearbox, shafts and final drives on the bodies that carry them.

A chassis in space with an axle that rolls on it and two wheels, driven by every unit.  Beside it stands the
same with rotors and gears as bodies and couplings of the library, which know nothing of drivelines.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, Scalar, dot
from ce_dynamics.dynamics.energy import elastic_potential, kinetic_energy, momentum
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, PointLoad, Response
from ce_dynamics.models.parts.brake import BrakeData, ClutchData, brake_torque
from ce_dynamics.models.powertrain.automatic import AutomaticData, ConverterData
from ce_dynamics.models.powertrain.base import GearedData, GearedDriveline
from ce_dynamics.models.powertrain.cvt import CvtGearboxData
from ce_dynamics.models.powertrain.differentials import (
    DrivenWheel,
    DrivenWheels,
    Drivetrain,
    InboardBrake,
    Propeller,
)
from ce_dynamics.models.powertrain.electric import BatteryData, MotorData
from ce_dynamics.models.powertrain.engine import EngineData, TiedEngineData, TorqueCurve, TurningEngineData
from ce_dynamics.models.powertrain.gear_choice import AutomaticGearboxData, ScheduledGearboxData
from ce_dynamics.models.powertrain.manual import ManualGearboxData
from tests.models.components import Scripted
from tests.models.powertrains import REACH, SHAFTS, automatic, cvt, electric, geared, manual

CURVES: dict[str, Any] = {
    "full_throttle": TorqueCurve(speed=(0.0, 200.0, 500.0), torque=(100.0, 300.0, 200.0)),
    "closed_throttle": TorqueCurve(speed=(0.0, 500.0), torque=(0.0, -50.0)),
    "max_speed": 450.0,
}
RATIOS: dict[str, Any] = {"gears": (0.25, 0.5, 1.0), "reverse": -0.3, "shift_time": 0.3}
GEARS = ScheduledGearboxData(**RATIOS, upshift=(300.0, 320.0), downshift=(100.0, 120.0))
SHIFTING = AutomaticGearboxData(**RATIOS, upshift=300.0, downshift=120.0, downshifts=(100.0, 120.0))
CONVERTER = ConverterData(
    speed_ratio=(0.0, 0.8, 1.0), capacity=(4e-3, 3e-3, 1e-3), torque_ratio=(2.0, 1.1, 1.0)
)
MOTOR = MotorData(
    full_throttle=TorqueCurve(speed=(0.0, 300.0, 900.0), torque=(250.0, 250.0, 80.0)),
    drag=2.0,
    copper_loss=0.02,
    iron_loss=0.01,
    inertia=0.4,
)
AXLE_RATIO = REACH["axle_ratio"]
J_TURNING, J_TIED, RATIO = 0.7, 0.2, 0.4
TURNING = TurningEngineData(**CURVES, idle_speed=80.0, inertia=J_TURNING)
CLUTCH = ClutchData(max_torque=400.0, stiffness=2000.0, damping=20.0)
BRAKE = BrakeData(max_torque=2000.0, stiffness=5e4, damping=100.0)
CVT = CvtGearboxData(lowest=0.3, highest=1.5, begin=40.0, end=400.0, efficiency=0.9)
UNITS: dict[str, GearedData] = {
    "converter": automatic(TURNING, CONVERTER, SHIFTING),
    "turbine": automatic(TURNING, CONVERTER.model_copy(update={"turbine_inertia": J_TIED}), SHIFTING),
    "manual": manual(TURNING, CLUTCH, ManualGearboxData(gears=(0.25, 0.5), reverse=-0.3)),
    "geared": geared(TiedEngineData(**CURVES, inertia=J_TIED), GEARS),
    "cvt": cvt(EngineData(**CURVES), CVT),
    "electric": electric(MOTOR, BatteryData(voltage=350.0, resistance=0.1), RATIO),
}
UNITS["biased"] = UNITS["geared"].model_copy(
    update={"shafts": SHAFTS.model_copy(update={"torque_bias": (3.0,)})}
)
INPUTS = {"throttle": 0.6, "selector": 1.0, "clutch": 0.3, "gear": 2.0}
LOSSES = ("converter_loss", "clutch_loss", "gear_loss", "drag_loss", "shaft_loss")
ALONG, ACROSS = (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def floating(chassis_inertia: Array) -> tuple[ce.System, list[Body]]:
    """Chassis, axle, two wheels; nothing pulls at them."""
    system = ce.System(gravity=(0.0, 0.0, 0.0))
    chassis = system.add_body(
        "chassis",
        mass=900.0,
        com=(1.0, 0.2, 0.4),
        inertia=chassis_inertia,
        parent=system.ground,
        hinge=ce.Free(),
    )
    axle = system.add_body(
        "axle",
        mass=80.0,
        com=(0.1, 0.0, 0.3),
        inertia=(9.0, 2.0, 9.0),
        parent=chassis,
        hinge=ce.Revolute((1.0, 0.2, 0.1), at=(0.0, 0.0, 0.5)),
    )
    wheels = [
        system.add_body(
            f"wheel {side}",
            mass=20.0,
            com=(0.1, side, 0.3),
            inertia=(0.6, 1.1, 0.6),
            parent=axle,
            hinge=ce.Revolute((0.0, 1.0, 0.1), at=(0.1, side, 0.3)),
        )
        for side in (-0.7, 0.8)
    ]
    return system, [chassis, axle, *wheels]


INERTIA = np.array(((300.0, 20.0, -15.0), (20.0, 1100.0, 10.0), (-15.0, 10.0, 1200.0)))


def driven(
    unit: GearedData, axis: object, inside: bool, inertia: Array = INERTIA, own: float | None = None
) -> ce.System:
    """With a driveline whose final drives, perhaps of unequal ratios, are in the axle or on the chassis."""
    system, (chassis, axle, *wheels) = floating(inertia)
    for name in ("throttle", *unit.inputs):
        system.add_input(name, "1", INPUTS[name])
    housing = axle if inside else None
    each = [
        DrivenWheel(wheel, axle, wheel.com, (0.0, 1.0, 0.1), housing, ratio)
        for wheel, ratio in zip(wheels, (None, own), strict=True)
    ]
    system.add_force(GearedDriveline("line", unit, Drivetrain(chassis, each, (0.4, 0.6), 30.0, axis)))
    return system


def moving(model: ce.Model, rng: np.random.Generator) -> Array:
    """Turning and tumbling anyhow, shafts wound up, a gear half in."""
    y = np.array(model.y0)
    names = model.layout.y_names
    n_q, n_v = len(model.layout.q), len(model.layout.v)
    y[:n_q] = rng.normal(size=n_q)
    y[n_q : n_q + n_v] = rng.normal(size=n_v)
    for name, value in (("shaft_speed", 120.0), ("windup", 0.07), ("engine_speed", 260.0)):
        if f"line.{name}" in names:
            y[names.index(f"line.{name}")] = value
    (line,) = (one for one in model.system.forces if isinstance(one, GearedDriveline))
    tied = line.powertrain.tie_to_shaft([1.0] * len(line.powertrain.states(0.0)), INPUTS)
    if "line.shift_1_2" in names and tied.inertia == 0.0:
        y[names.index("line.shift_1_2")] = 0.4  # what is tied leaves out a term while gears are shifted
    for side in (-0.7, 0.8):
        y[names.index(f"wheel {side}_rate")] = 30.0 + 5.0 * side
    return model.with_unit_quaternions(y)


def stored(model: ce.Model, y: Array) -> float:
    """Kinetic energy of all bodies, and what the driveline stores."""
    instant = model.instant(y, model.u0)
    return float(kinetic_energy(instant.outward) + elastic_potential(instant.loads))


def turning(model: ce.Model, y: Array, kind: str, axis: object) -> Array:
    """Angular momentum of the bodies, and of what spins about the axis, J times its speed in space."""
    instant = model.instant(y, model.u0)
    names = [entry.name.removeprefix("line.") for entry in model.layout.x]
    own = dict(zip(names, model.layout.split(y)[2].tolist(), strict=True))
    shaft = own["shaft_speed"]
    spin = SHAFTS.inertia * shaft + J_TURNING * own.get("engine_speed", 0.0)
    if kind == "electric":
        spin += MOTOR.inertia / RATIO * shaft
    if kind in ("geared", "biased", "turbine"):
        spin += J_TIED * float(GEARS.turns([own["shift_1_2"], own["shift_2_3"]])) * shaft
    system = model.system
    d = instant.outward.placement(system.find("chassis"), system.ground).R @ np.asarray(axis)
    return np.asarray(momentum(instant.outward).angular + spin * d, dtype=float)


@pytest.mark.parametrize(("inside", "axis"), [(True, ALONG), (True, ACROSS), (False, ALONG)])
@pytest.mark.parametrize("kind", UNITS)
def test_nothing_outside_changes_the_angular_momentum(
    kind: str, inside: bool, axis: tuple[float, ...], rng: np.random.Generator
) -> None:
    """Along the motion d/dt (bodies + h d) = 0, and what is stored grows by the engine's power less losses.

    Central differences of 1e-6 s: rounding, 1e-16 of 1e5 kg m²/s and 1e6 J, leaves some 1e-5 N m and 1e-4 W;
    third derivatives, some 1e3 N m times (100 rad/s)², 1e-5 N m and 1e-3 W.  Torques are of 1e3 N m.
    """
    model = ce.Model(driven(UNITS[kind], axis, inside, own=0.7 * AXLE_RATIO))
    y = moving(model, rng)
    instant, h = model.instant(y, model.u0), 1e-6
    ahead, behind = y + h * instant.y_dot, y - h * instant.y_dot
    told = instant.loads.responses["line"].outputs
    assert abs(float(told["torque"])) > 100.0
    rate = (turning(model, ahead, kind, axis) - turning(model, behind, kind, axis)) / (2.0 * h)
    np.testing.assert_allclose(rate, 0.0, atol=1e-4)
    gained = (stored(model, ahead) - stored(model, behind)) / (2.0 * h)
    fed = float(told.get("engine_power", told.get("motor_power", 0.0)))
    lost = [float(told[name]) for name in LOSSES if name in told]
    assert abs(fed) > 1e3
    assert min(lost) >= 0.0
    assert gained == pytest.approx(fed - sum(lost), abs=1e-2)


@pytest.mark.parametrize("kind", ["geared", "turbine"])
def test_shifting_what_is_tied_keeps_the_angular_momentum(kind: str, rng: np.random.Generator) -> None:
    """While i changes, what is tied turns faster or slower: ḣ has J i̇ s, some 100 N m here.

    Differences as in `test_nothing_outside_changes_the_angular_momentum`.
    """
    model = ce.Model(driven(UNITS[kind], ALONG, inside=True))
    y = moving(model, rng)
    names = model.layout.y_names
    y[names.index("line.shift_1_2")] = 0.4
    y_dot, h = model.instant(y, model.u0).y_dot, 1e-6
    assert abs(y_dot[names.index("line.shift_1_2")]) > 1.0
    ahead, behind = (turning(model, y + step * y_dot, kind, ALONG) for step in (h, -h))
    np.testing.assert_allclose((ahead - behind) / (2.0 * h), 0.0, atol=1e-4)


def test_shafts_that_do_not_turn_the_chassis() -> None:
    """The chassis does not get −(ḣ d + ω × h d) then; all else stays.

    Differences as in `test_nothing_outside_changes_the_angular_momentum`.
    """
    whole, found = UNITS["geared"], []
    part = SHAFTS.model_copy(update={"gyroscopic": 0.0})
    for unit in (whole, whole.model_copy(update={"shafts": part})):
        model = ce.Model(driven(unit, ALONG, inside=True))
        y = moving(model, np.random.default_rng(1))
        instant = model.instant(y, model.u0)
        found.append(instant.loads.responses["line"].outputs)
        if unit is whole:
            spins = [
                float(
                    model.instant(y + step * instant.y_dot, model.u0).loads.responses["line"].outputs["spin"]
                )
                for step in (1e-6, -1e-6)
            ]
    chassis = model.system.find("chassis")
    omega = -np.asarray(instant.outward.angular_velocity(model.system.ground, chassis), dtype=float)
    moment = np.cross(omega, float(found[0]["spin"]) * np.array(ALONG))
    moment += (spins[0] - spins[1]) / 2e-6 * np.array(ALONG)
    assert min(abs(moment[0]), abs(moment[1])) > 10.0
    differences = {name: float(found[1][name]) - float(found[0][name]) for name in found[0]}
    assert differences.pop("reaction_y") == pytest.approx(moment[1], rel=1e-9)
    assert differences.pop("reaction_x") == pytest.approx(moment[0], abs=1e-4)
    assert set(differences.values()) == {0.0}


def test_shafts_that_roll_the_chassis() -> None:
    """A bevel gear on the chassis leaves it the wheels' torque about its y axis, and the shaft's about x."""
    shafts = SHAFTS.model_copy(update={"roll_reaction": 1.0, "gyroscopic": 0.0})
    model = ce.Model(driven(UNITS["geared"].model_copy(update={"shafts": shafts}), ALONG, inside=True))
    found = model.instant(moving(model, np.random.default_rng(1)), model.u0).loads.responses["line"].outputs
    torque = float(found["torque"])
    assert abs(torque) > 100.0
    reaction = float(found["reaction_x"]), float(found["reaction_y"])
    assert reaction == pytest.approx((-AXLE_RATIO * torque, -torque), rel=1e-12)


@pytest.mark.parametrize(
    ("spins", "parts"), [((9.0, 9.2), (0.5, 0.5)), ((9.0, 9.375), (0.6, 0.4)), ((-9.9, -9.0), (1 / 3, 2 / 3))]
)
def test_biased_differentials_favour_the_slower_wheel(
    spins: tuple[float, float], parts: tuple[float, float]
) -> None:
    """Twice the torque from 0.5 rad/s on, equal torques below 0.25 rad/s, 1.5 times in the middle."""
    model = driven(UNITS["geared"], ALONG, inside=True)
    wheels = [model.find(f"wheel {side}") for side in (-0.7, 0.8)]
    pair = [DrivenWheel(wheel, model.find("axle"), wheel.com, (0.0, 1.0, 0.0)) for wheel in wheels]
    found = DrivenWheels("line", model.find("chassis"), pair, None, biases=(2.0,)).bias_torques(spins)
    assert found == pytest.approx(parts, rel=1e-12)


def test_shafts_without_reaction_and_with_own_speed() -> None:
    """Wheels get their torques, final drives and chassis none; the gearbox sees a part of the speed."""
    whole, found = UNITS["geared"], []
    for numbers in ({}, {"reaction": 0.0}, {"seen_speed": 0.25}):
        unit = whole.model_copy(update={"shafts": SHAFTS.model_copy(update=numbers)})
        model = ce.Model(driven(unit, ALONG, inside=True))
        y = moving(model, np.random.default_rng(1))
        found.append(model.instant(y, model.u0).loads.responses["line"])
    usual, free = (
        {load.body.name: load.torque for load in one.loads[:-1] if isinstance(load, PointLoad)}
        for one in found[:2]
    )
    for name in ("wheel -0.7", "wheel 0.8"):
        np.testing.assert_allclose(np.asarray(free[name], dtype=float), np.asarray(usual[name], dtype=float))
    assert np.linalg.norm(np.asarray(usual["axle"], dtype=float)) > 10.0
    for name in ("axle", "chassis"):
        np.testing.assert_array_equal(np.asarray(free[name], dtype=float), 0.0)
    speeds = [float(one.outputs["engine_speed"]) for one in found]
    assert speeds == pytest.approx([speeds[0], speeds[0], 0.25 * speeds[0]], rel=1e-9)


class Played(ForceElement):
    """The torques of a unit on rotors that are bodies: motor or engine, shaft, final drive in the axle."""

    def __init__(self, unit: GearedData, bodies: list[Body], shaft: Body, rotor: Body) -> None:
        self.name, self.unit, self.bodies, self.shaft, self.rotor = "line", unit, bodies, shaft, rotor
        self.inputs = ("throttle", *unit.inputs)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return tuple((body, body.com) for body in (*self.bodies, self.shaft, self.rotor))

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        chassis, axle, *wheels = self.bodies
        speed, windup = observer.rate(self.shaft), 0.07
        d = np.array(ALONG)
        pinion = speed - dot(d, observer.angular_velocity(axle, chassis))
        rates = [observer.rate(wheel) for wheel in wheels]
        twist = AXLE_RATIO * pinion - (0.4 * rates[0] + 0.6 * rates[1])
        T_w = SHAFTS.stiffness * windup + SHAFTS.damping * twist
        own = [observer.rate(self.rotor), 0.4, 0.0] if isinstance(self.unit, AutomaticData) else [0.0]
        did = self.unit.drive(speed, own, u)
        engine = did.spin_rate if isinstance(self.unit, AutomaticData) else did.torque * RATIO
        from_unit = did.torque if isinstance(self.unit, AutomaticData) else 0.0
        at_pinion = AXLE_RATIO * T_w
        zero = np.zeros(3)
        return Response(
            loads=[
                HingeLoad(self.rotor, 0, engine),
                HingeLoad(self.shaft, 0, from_unit - at_pinion),  # its reaction on the chassis is
                PointLoad(chassis, chassis, zero, zero, -at_pinion * d),  # taken back: it is
                PointLoad(axle, chassis, observer.point(axle, axle.com, chassis).r, zero, at_pinion * d),
                HingeLoad(wheels[0], 0, 0.4 * T_w),
                HingeLoad(wheels[1], 0, 0.6 * T_w),
            ]
        )


@pytest.mark.parametrize("kind", ["converter", "electric"])
def test_rotors_as_bodies_do_the_same(kind: str, rng: np.random.Generator) -> None:
    """Rotors on hinges, an electric one geared to the shaft: bodies and shafts are accelerated the same way.

    A rotor that gears tie to the shaft leaves J_s J (i − 1)²/(J_s + i² J) of its inertia on the chassis,
    which is the chassis' own in the driveline's sense.  Rounding: 1e-12 of accelerations of some 100 rad/s².
    """
    unit = UNITS[kind]
    turns, J = 1.0 / RATIO, MOTOR.inertia if kind == "electric" else J_TURNING
    d = np.array(ALONG)
    beside = 0.5 * (np.eye(3) - np.outer(d, d))  # of round discs, about the axes across
    system, bodies = floating(INERTIA - (SHAFTS.inertia + J) * beside)
    for name in ("throttle", *unit.inputs):
        system.add_input(name, "1", INPUTS[name])
    at = bodies[0].com.tolist()
    shaft, rotor = (
        system.add_body(
            name,
            mass=0.0,
            com=at,
            inertia=inertia * (np.outer(d, d) + beside),
            parent=bodies[0],
            hinge=ce.Revolute(ALONG, at=at),
        )
        for name, inertia in (("shaft", SHAFTS.inertia), ("rotor", J))
    )
    left = 0.0
    if kind == "electric":
        system.couple("gear", [shaft, rotor], ce.LinearCoupling((turns, -1.0)), independent=["shaft"])
        left = SHAFTS.inertia * J * (turns - 1.0) ** 2 / (SHAFTS.inertia + turns**2 * J)
    system.add_force(Played(unit, bodies, shaft, rotor))
    apart = ce.Model(system)
    model = ce.Model(driven(unit, ALONG, inside=True, inertia=INERTIA + left * np.outer(d, d)))
    y = moving(model, rng)
    own = model.layout.y_names
    names = [entry.name for entry in (*apart.layout.q, *apart.layout.v)]
    given = dict(zip(own, y.tolist(), strict=True))
    chassis = model.instant(y, model.u0)
    omega = chassis.outward.angular_velocity(model.system.ground, model.system.find("chassis"))
    omega_d = -float(d @ np.asarray(omega, dtype=float))
    tied = MOTOR.inertia if kind == "electric" else 0.0
    part = (SHAFTS.inertia + turns * tied) / (SHAFTS.inertia + turns**2 * tied)
    sigma = given["line.shaft_speed"] - part * omega_d
    speeds = {"shaft_rate": sigma, "rotor_rate": given.get("line.engine_speed", 0.0) - omega_d}
    y_apart = np.array([given.get(name, speeds.get(name, 0.0)) for name in names])
    rates = dict(zip(own, chassis.y_dot.tolist(), strict=True))
    found = dict(zip(names, apart.instant(y_apart, apart.u0).y_dot.tolist(), strict=True))
    common = [name for name in names if name in rates]
    assert len(common) == len(names) - (2 if kind == "electric" else 4)
    for name in common:
        assert found[name] == pytest.approx(rates[name], rel=1e-10, abs=1e-9), name


def test_an_inboard_brake_by_hand() -> None:
    """The wheel turns by 30 rad/s against the chassis, by 40 against its axle: the axle gets no torque."""
    _, (chassis, axle, wheel, _) = floating(INERTIA)
    e, omega = np.array((0.0, 1.0, 0.0)), np.array((0.5, 30.0, 2.0))
    brake = InboardBrake("brake", DrivenWheel(wheel, axle, wheel.com, e), chassis, parameters=BRAKE)
    seen = Scripted(omega={wheel.name: omega, axle.name: np.array((0.0, -10.0, 0.0))})
    response = brake.evaluate(seen, np.array([0.01]), {"brake": 0.5})
    torque, rate = brake_torque(BRAKE, 0.5 * BRAKE.max_torque, 0.01, 30.0)
    assert list(response.x_dot) == [rate]
    loads = [load for load in response.loads if isinstance(load, PointLoad)]
    on = {load.body: load.torque for load in loads if np.any(load.torque)}
    assert set(on) == {wheel, chassis}
    np.testing.assert_allclose(on[wheel], -torque * e)
    np.testing.assert_allclose(on[chassis], torque * e)


def test_torques_by_hand() -> None:
    """1 kN m at the wheels, ratio 1/4: 250 N m roll the axle, left side down; the chassis, the other way."""
    _, (chassis, axle, *wheels) = floating(INERTIA)
    each = [DrivenWheel(wheel, axle, wheel.com, (0.0, 1.0, 0.0), axle) for wheel in wheels]
    driven_wheels = DrivenWheels("line", chassis, each, None, Propeller(0.25, ALONG))
    axes, _ = driven_wheels.observe(Scripted())
    np.testing.assert_allclose(1000.0 * driven_wheels.housing_torque(axes, axle), (-250.0, -1000.0, 0.0))
    np.testing.assert_allclose(1000.0 * driven_wheels.chassis_torque(axes), (250.0, 0.0, 0.0))
    # With half of the torque by a gear of 1/5, that wheel gets 5/4 of its half; the shaft's torque stays.
    each[1] = each[1]._replace(ratio=0.2)
    unequal = DrivenWheels("line", chassis, each, None, Propeller(0.25, ALONG))
    axes, _ = unequal.observe(Scripted())
    np.testing.assert_allclose(1000.0 * unequal.housing_torque(axes, axle), (-250.0, -500.0 - 625.0, 0.0))
    np.testing.assert_allclose(1000.0 * unequal.chassis_torque(axes), (250.0, 0.0, 0.0))
    with pytest.raises(DataError, match="axle need a propeller shaft"):
        DrivenWheels("line", chassis, each, None)
