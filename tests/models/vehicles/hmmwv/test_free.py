"""Numbers of the HMMWV's data as free parameters: the same vehicle as one built with the values."""

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.mechanism.parameters import refusals
from ce_dynamics.models.data.sampling import overrides
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import HmmwvParameters
from ce_dynamics.models.vehicles.free import can_be_free

VALUES = {
    "chassis.mass": 2300.0, "chassis.com.z": 0.25, "chassis.inertia.xz": -20.0, "vehicle.gravity": 9.7,
    "road.friction": 0.7, "steering.link.mass": 3.0, "steering.actuator.damping_ratio": 0.8,
    "lower_arm.mass": 20.0, "front_left.upper_arm.inertia.xx": 0.04, "tie_rod.mass": 5.0,
    "shock_lower.mass": 6.0, "wheel.rim.mass": 20.0, "front.spring.linear": 150e3,
    "rear.spring.free_length": 0.39, "rear.spring.arm.y": 0.55, "spring.max_length": 0.34,
    "damper.coefficient": 25e3, "brake.max_torque": 3500.0, "tyre.cy": 150e3, "tyre.fym.0": 0.75,
    "tyre.mu0": 0.75,
}  # fmt: skip


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(build(HmmwvParameters.load(free=list(VALUES)), speed=12.0))


def moving(model: Model) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """A state in which everything moves, and the inputs act."""
    y = model.y0 + np.random.default_rng(4).uniform(-0.02, 0.02, len(model.y0))
    y[2] -= 0.05  # well on its tyres
    return y


@pytest.mark.filterwarnings("ignore::ce_dynamics.errors.PhysicalityWarning")
def test_the_vehicle_is_that_built_with_the_values(model: Model) -> None:
    built = Model(
        build(HmmwvParameters.load(overrides=overrides(list(VALUES), list(VALUES.values()))), speed=12.0)
    )
    y, traced = moving(model), model.trace_dynamics()
    inputs = np.array([0.3, 0.5, 0.2, 1.0, -2.0])

    def rates(values: dict[str, float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        given = {p.name: values.get(p.name, p.value) for p in model.layout.parameters}
        return traced.evaluate(y=y, u=np.array([*inputs, *given.values()]))["y_dot"]

    expected = built.trace_dynamics().evaluate(y=y, u=inputs)["y_dot"]
    # Rounding of terms up to 1e3 rad/s², and of M with a condition of some 1e3.
    np.testing.assert_allclose(rates(VALUES), expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())
    nominal = rates({})
    for name, value in VALUES.items():
        assert np.abs(rates({name: value}) - nominal).max() > 1e-9, name


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("chassis.mass", -1.0),
        ("chassis.inertia.xz", 1e4),
        ("spring.max_length", 0.1),
        ("tyre.fym.0", 0.6),
        ("tyre.fym.0", 0.7),
        ("road.friction", 0.0),
        ("brake.max_torque", -5.0),
    ],
)
def test_what_the_data_refuse_is_refused(model: Model, name: str, value: float) -> None:
    """By the schema, its cross checks or a component: whatever refuses the value as an override."""
    model.trace_dynamics()
    columns = {p.name: np.array([value if p.name == name else p.value]) for p in model.layout.parameters}
    assert refusals(model.layout.parameters, columns)[0]
    with pytest.raises((DataError, ModelError)):
        build(HmmwvParameters.load(overrides=[f"{name}={value}"]))


def test_what_cannot_be_free() -> None:
    groups = HmmwvParameters.load().groups
    for key in ("vehicle.ride_height", "tyre.radius", "powertrain.axle_ratio", "steering.max_angle"):
        assert not can_be_free(key, groups)
        with pytest.raises(DataError, match="cannot be a free parameter"):
            HmmwvParameters.load(free=[key])
    with pytest.raises(DataError, match="not one number"):
        HmmwvParameters.load(free=["tyre.fym"])
    with pytest.raises(DataError, match="unknown parameter"):
        HmmwvParameters.load(free=["tyre.nonsense"])


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("powertrain.engine.full_throttle.torque.3", "gears are chosen"),
        ("driver.preview", "no part of the equations"),
        ("front.spring.stop_curve.deflection.0", "a stop begins with no force"),
        ("front.spring.stop_curve.force.0", "a stop begins with no force"),
    ],
)
def test_why_a_number_cannot_be_free(key: str, why: str) -> None:
    with pytest.raises(DataError, match=f"cannot be a free parameter: .*{why}.*; give it as an override"):
        HmmwvParameters.load("hmmwv-chrono", free=[key])


def test_number_that_a_table_has_not_is_named() -> None:
    with pytest.raises(
        DataError, match=r"front_left.damper.map.speed' has 3 numbers, .* so that number 3 can"
    ):
        HmmwvParameters.load("hmmwv-chrono", free=["front.damper.map.speed.3"])


def test_section_that_is_not_there_has_no_number() -> None:
    with pytest.raises(DataError, match=r"'front_left.damper.map.force' has no value in this vehicle's data"):
        HmmwvParameters.load("sedan", free=["front.damper.map.force.1"])


def test_bars_and_tables_can_be_free() -> None:
    groups = HmmwvParameters.load().groups
    bars = "anti_roll_bar.stiffness", "front_clamp.lateral"
    for key in (
        *bars,
        "spring.curve.force.4",
        "spring.curve.deflection.4",
        "damper.map.length.1",
        "beam_spring.preload",
    ):
        assert can_be_free(f"front.{key}", groups)
