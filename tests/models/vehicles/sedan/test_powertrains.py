"""The sedan with other powertrains: what they answer where the half-shafts are not wound up, by hand."""

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.description import VehicleParameters

SPEED = 12.0


def outputs(vehicle: str, inputs: dict[str, float]) -> tuple[dict[str, float], dict[str, float], float]:
    """Outputs of the driveline, rates of its states, speed of its shaft [rad/s], half-shafts not wound up."""
    model = Model(build(VehicleParameters.load(vehicle), speed=SPEED))
    names = [entry.name for entry in model.layout.x]
    at = model.instant(model.y0, model.inputs_with(inputs=inputs))
    response = at.loads.responses["driveline"]
    shaft = float(model.layout.split(model.y0)[2][names.index("driveline.shaft_speed")])
    states = [name.partition(".")[2] for name in names if name.startswith("driveline.")]
    rates = dict(zip(states, map(float, response.x_dot), strict=True))
    return {name: float(value) for name, value in response.outputs.items()}, rates, shaft


def test_the_ratio_of_the_cvt() -> None:
    """It grows linearly from 0.28 at 40 rad/s to 1.5 at 390 rad/s of the output."""
    out, _, shaft = outputs("sedan-cvt", {"throttle": 0.4})
    assert out["ratio"] == pytest.approx(0.28 + 1.22 * (shaft - 40.0) / 350.0, rel=1e-9)
    assert out["engine_speed"] == pytest.approx(shaft / out["ratio"], rel=1e-9)


def test_the_electric_motor_drives_and_charges() -> None:
    """P = T ω + 0.06 T² + 0.0006 ω² is what the battery gives, below 0 what it takes; U i − R i² = P."""
    for throttle in (0.5, -0.3):
        out, rates, shaft = outputs("sedan-electric", {"throttle": throttle})
        speed, torque = out["motor_speed"], out["motor_torque"]
        assert speed == pytest.approx(shaft / 0.55, rel=1e-9)
        power = torque * speed + 0.06 * torque**2 + 0.0006 * speed**2
        assert out["battery_power"] == pytest.approx(power, rel=1e-6)
        current = out["battery_current"]
        assert 360.0 * current - 0.08 * current**2 == pytest.approx(power, rel=1e-6)
        assert np.sign(current) == np.sign(throttle)
        # The rotor turns 1/0.55 times as fast as the shaft.
        inertia = 0.524 + 0.06 / 0.55**2
        drag = torque / 0.55 - rates["shaft_speed"] * inertia
        assert drag == pytest.approx(1.5 / 0.55, rel=0.02)


def test_an_open_clutch_leaves_the_shaft_alone() -> None:
    out, rates, _ = outputs("sedan-manual", {"throttle": 0.5, "clutch": 1.0, "gear": 3.0})
    assert out["clutch_torque"] == 0.0
    assert abs(rates["shaft_speed"]) < 1e-9
    assert rates["engine_speed"] == pytest.approx(out["engine_torque"] / 0.2, rel=1e-9)


LAW = {"period": 0.02, "upshift": 500, "downshift": 150, "time": 0.6, "bite_speed": 140}
"""Law of a driver's hand and foot, SI."""
SHIFTED = [f"assistance.shifting.{name}={value}" for name, value in LAW.items()]


def test_a_driver_shifts_while_he_accelerates() -> None:
    """From walking pace through two shifts: the clutch is open while gears change, and closed in between."""
    case = prepare(
        "straight-acceleration",
        model="sedan-manual",
        speed=1.0,
        duration=4.0,
        options={"throttle": 0.9},
        overrides=SHIFTED,
    )
    run = case.simulate(method="rk4", step=1e-3)
    gear, clutch = run["shifting_gear"].values, run["shifting_clutch"].values
    assert sorted(set(gear)) == [1.0, 2.0, 3.0]
    assert (np.diff(gear) >= 0.0).all()
    changes = np.flatnonzero(np.diff(gear))
    assert clutch[changes].min() > 0.9
    assert (clutch < 0.01).mean() > 0.4
    # As far as 0.55 of its weight on the driven wheels and 0.9 of the friction let it, less the two shifts.
    assert 8.0 < run["vx"].values[-1] < 1.0 + 0.55 * 9.81 * 0.9 * 4.0


def test_acceleration_without_a_driver_who_shifts_is_refused() -> None:
    with pytest.raises(DataError, match=r"stays in the gear of its start.* assistance: \{shifting: \{period"):
        prepare("straight-acceleration", model="sedan-manual")


@pytest.mark.parametrize("speed", [0.0, 5.0, 12.0, 22.0, 60.0])
@pytest.mark.parametrize("shifted", [False, True])
def test_a_vehicle_that_rolls_is_in_gear(speed: float, shifted: bool) -> None:
    """The lowest gear below 60 % of the highest speed of the engine, or the last; the engine turns so.

    Who has his gears shifted is told the lowest that may be taken, which stays the first.
    """
    data = VehicleParameters.load("sedan-manual", SHIFTED * shifted)
    p = data.powertrain
    radius = data.corners["front_left"].tyre.unloaded_radius
    ways = [speed / radius / p.axle_ratio / ratio for ratio in p.transmission.gears]  # type: ignore[attr-defined]  # it has gears
    engine = p.engine  # type: ignore[attr-defined]  # and an engine
    slow = [k for k, way in enumerate(ways) if way <= 0.6 * engine.max_speed]
    k = slow[0] if slow else len(ways) - 1
    model = Model(build(data, speed=speed))
    states = model.layout.split(model.y0)[2].tolist()
    at = dict(zip((entry.name for entry in model.layout.x), states, strict=True))
    gear = float(model.u0[[entry.name for entry in model.layout.u].index("gear")])
    assert at["driveline.engine_speed"] == pytest.approx(max(engine.idle_speed, ways[k]), rel=1e-12)
    if shifted:
        assert (gear, at["shifting.chosen"]) == (1.0, k + 1.0)
    else:
        assert gear == k + 1.0


def test_numbers_of_powertrain_that_is_replaced_are_gone() -> None:
    with pytest.raises(DataError, match=r"powertrain\.converter\.capacity"):
        VehicleParameters.load("sedan-manual", ["powertrain.converter.capacity.0=1"])
    with pytest.raises(DataError, match="centre: one axle is driven"):
        VehicleParameters.load(
            "sedan", ["powertrain.centre.stiffness=1 N*m/rad", "powertrain.centre.damping=1 N*m*s/rad"]
        )


@pytest.mark.parametrize("vehicle", ["hmmwv", "sedan", "sedan-cvt"])
def test_engines_that_never_pull_are_refused(vehicle: str) -> None:
    """Both curves given the wrong way round are one such case."""
    points = len(VehicleParameters.load(vehicle).data.powertrain.engine.full_throttle.torque)  # type: ignore[attr-defined]
    drag = "powertrain.engine.full_throttle.torque=(" + ", ".join(["-20"] * points) + ") N*m"
    with pytest.raises(DataError, match=r"powertrain\.engine: full_throttle\.torque is nowhere above 0"):
        VehicleParameters.load(vehicle, overrides=[drag])
