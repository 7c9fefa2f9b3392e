"""Free hardpoints of the HMMWV: one compiled model for all suspensions and steerings."""

import re

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import TracedFunction
from ce_dynamics.errors import AssemblyError, DataError, ModelError
from ce_dynamics.mechanism.parameters import refusals, values_at
from ce_dynamics.models.data.quantities import XYZ
from ce_dynamics.models.data.sampling import overrides
from ce_dynamics.models.data.schema import leaves
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import HmmwvParameters
from ce_dynamics.models.vehicles.free import can_be_free
from ce_dynamics.models.vehicles.steering_angle import max_wheel_angle

pytestmark = pytest.mark.filterwarnings("ignore::ce_dynamics.errors.PhysicalityWarning")

CORNER = ("origin", "D", "F", "K", "L", "W") + tuple(
    f"{part}.{end}"
    for part, ends in (
        ("lower_arm", ("front_pivot", "rear_pivot")),
        ("upper_arm", ("front_pivot", "rear_pivot")),
        ("spring", ("chassis", "arm")),
        ("damper", ("chassis", "arm")),
    )
    for end in ends
)
HARDPOINTS = tuple(
    f"{point}.{axis}"
    for point in (
        *(f"{axle}.{point}" for axle in ("front", "rear") for point in CORNER),
        *(f"steering.{point}" for point in ("origin", "T", "U", "V", "W")),
    )
    for axis in XYZ
)
ALONG_AN_AXIS = {
    *(f"{axle}.lower_arm.{end}_pivot.x" for axle in ("front", "rear") for end in ("front", "rear")),
    *(f"steering.{point}.z" for point in "TUVW"),
}
"""Move a hinge along its own axis, which changes nothing (the arms' centres of mass are given apart)."""

INPUTS = np.array([0.3, 0.5, 0.2, 1.0, -2.0])

Vector = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(build(HmmwvParameters.load(free=[*HARDPOINTS, "steering.tilt"]), speed=12.0))


@pytest.fixture(scope="module")
def state(model: Model) -> Vector:
    y = model.y0 + np.random.default_rng(4).uniform(-0.02, 0.02, len(model.y0))
    y[2] -= 0.05
    return np.asarray(y)


TRACED: dict[Model, TracedFunction] = {}


def nominal_values(model: Model) -> dict[str, float]:
    return {p.name: p.value for p in model.layout.parameters}


def rates(model: Model, y: Vector, values: dict[str, float]) -> Vector:
    given = nominal_values(model) | values
    if model not in TRACED:
        TRACED[model] = model.trace_dynamics()
    return np.asarray(TRACED[model].evaluate(y=y, u=np.array([*INPUTS, *given.values()]))["y_dot"])


def rebuilt(values: dict[str, float]) -> Model:
    texts = overrides(list(values), list(values.values()))
    return Model(build(HmmwvParameters.load(overrides=texts), speed=12.0))


def built_and_steered(values: dict[str, float]) -> None:
    """Build a model and steer it, as the first step of a run would."""
    rebuilt(values)
    max_wheel_angle(HmmwvParameters.load(overrides=overrides(list(values), list(values.values()))))


def test_every_hardpoint_of_the_data_can_be_free() -> None:
    HMMWV = HmmwvParameters.load()
    points = {
        ".".join((*key, axis))
        for key, quantity in leaves(HMMWV.schema).items()
        if quantity.components == XYZ and quantity.unit == "m"
        for axis in XYZ
    }
    assert len(points) > 4 * len(CORNER) * 3
    assert all(can_be_free(key, HMMWV.groups) for key in points)


@pytest.mark.parametrize(
    "key",
    [
        "front.D.y",
        "front_right.K.z",
        "rear_right.upper_arm.rear_pivot.z",
        "front.W.y",
        "steering.U.x",
    ],
)
def test_the_vehicle_is_that_built_with_the_hardpoint(key: str) -> None:
    model = Model(build(HmmwvParameters.load(free=[key]), speed=12.0))
    y = model.y0 + np.random.default_rng(4).uniform(-0.02, 0.02, len(model.y0))
    values = {key: model.layout.parameters[0].value + 0.008}
    expected = rebuilt(values).trace_dynamics().evaluate(y=y, u=INPUTS)["y_dot"]
    # Rounding of terms up to 1e3 rad/s², and of M with a condition of some 1e3.
    np.testing.assert_allclose(
        rates(model, y, values), expected, rtol=0.0, atol=1e-12 * np.abs(expected).max()
    )


def test_vehicle_is_that_built_with_all_hardpoints(model: Model, state: Vector) -> None:
    rng = np.random.default_rng(3)
    values = {name: x + rng.uniform(-0.01, 0.01) for name, x in nominal_values(model).items()}
    expected = rebuilt(values).trace_dynamics().evaluate(y=state, u=INPUTS)["y_dot"]
    found = rates(model, state, values)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max())
    assert refusals(model.layout.parameters, {name: np.array([x]) for name, x in values.items()}) == [""]


def test_every_hardpoint_has_an_effect(model: Model, state: Vector) -> None:
    unmoved = rates(model, state, {})
    for name, x in nominal_values(model).items():
        moved = np.abs(rates(model, state, {name: x + 0.01}) - unmoved).max()
        assert (moved < 1e-9) if name in ALONG_AN_AXIS else (moved > 1e-6), name


def test_the_driver_knows_the_linkage() -> None:
    keys = ["front.K.x", "front.L.y", "rear.W.x", "steering.U.x", "steering.tilt"]
    free = HmmwvParameters.load(free=keys)
    values = {p.name: p.value + 0.01 for p in free.free}
    built = HmmwvParameters.load(overrides=overrides(list(values), list(values.values())))
    column = [values[p.name] for p in free.free]
    assert values_at(max_wheel_angle(free), free.free, column) == pytest.approx(
        max_wheel_angle(built), rel=1e-13
    )
    assert values_at(free.wheelbase, free.free, column) == pytest.approx(built.wheelbase, rel=1e-15)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (
            {"front.D.y": 0.307, "front.D.z": 0.0},
            "front_left.D lies on the line through lower_arm.front_pivot and ",
        ),
        ({"rear.F.y": 0.787, "rear.F.z": -0.118}, "rear_left: D and F coincide"),
        ({"front_right.K.x": 0.2}, "another branch|to the left"),
        ({"damper.chassis.z": 0.6}, "do not overlap"),
        ({"front.W.y": -0.1}, "not on the left"),
        ({"steering.U.x": 0.0, "steering.U.y": 0.249}, "T and U lie on one axis"),
        ({"front.lower_arm.front_pivot.x": -0.3}, "must lie ahead"),
    ],
)
def test_impossible_hardpoints_are_refused_by_name(values: dict[str, float], reason: str) -> None:
    """The model that is built with them refuses them as well."""
    model = Model(build(HmmwvParameters.load(free=list(values)), speed=12.0))
    model.trace_dynamics()
    (found,) = refusals(model.layout.parameters, {name: np.array([x]) for name, x in values.items()})
    assert any(f"{name} = {x:g}" in found for name, x in values.items())
    assert re.search(reason, found), found
    with pytest.raises((AssemblyError, DataError, ModelError)):
        built_and_steered(values)
