"""Two tyres on one hub, against what geometry says of two tyres at their places."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.base import PointLoad, Response
from ce_dynamics.models.parts.roads.surfaces import FlatRoad
from ce_dynamics.models.tyres.element import RoadTyre, TwinTyre
from ce_dynamics.models.tyres.tmeasy import TMeasyTyre
from ce_dynamics.models.tyres.tmeasy_curves import TMeasyParameters
from ce_dynamics.models.vehicles.description import VehicleParameters


def tyre_of_van() -> TMeasyParameters:
    tyre = VehicleParameters.load("van").tyre
    assert isinstance(tyre, TMeasyParameters)
    return tyre


PARAMETERS = tyre_of_van()
SPACING, PRESSED = 0.3, 0.02


def response(y: float | None, lean: float = 0.0, yaw_rate: float = 0.0, deflected: float = 0.0) -> Response:
    """Return the response of a pair, or of one tyre y m left of its middle, 0.02 m below its height."""
    tyre = TMeasyTyre(PARAMETERS)
    system = ce.System()
    carrier = system.add_body("carrier", mass=10.0, inertia=np.eye(3), parent=system.ground, hinge=ce.Free())
    wheel = system.add_body(
        "wheel", mass=10.0, inertia=np.eye(3), parent=carrier, hinge=ce.Revolute((0, 1, 0))
    )
    axis, road = (0.0, 1.0, 0.0), FlatRoad(0.9)
    at = (0.0, y or 0.0, 0.0)
    if y is None:
        system.add_force(
            TwinTyre("tyre", wheel, carrier, at, axis, tyre, road, system.ground, (0.0, SPACING / 2, 0.0))
        )
    else:
        system.add_force(RoadTyre("tyre", wheel, carrier, at, axis, tyre, road, system.ground))
    model = Model(system)
    q, v, x = (np.array(part) for part in model.layout.split(model.y0))
    q[2] = PARAMETERS.unloaded_radius - PRESSED
    q[3], q[4] = np.cos(lean / 2), np.sin(lean / 2)
    v[2], v[3], v[6] = yaw_rate, 5.0, 5.2 / PARAMETERS.unloaded_radius
    x[:] = deflected
    return model.instant(np.concatenate((q, v, x)), model.u0).loads.responses["tyre"]


def test_level_and_straight_they_carry_twice_as_much() -> None:
    pair, single = response(None, deflected=0.003), response(0.0, deflected=0.003)
    for name in ("Fx", "Fy", "Fz", "My", "Mz"):
        assert pair.outputs[name] == pytest.approx(2.0 * single.outputs[name], rel=1e-14), name
    assert single.outputs["Fz"] > 1e3
    assert abs(single.outputs["Fy"]) > 100.0
    assert pair.potential == pytest.approx(2.0 * single.potential, rel=1e-14)
    for name in ("slip", "deflection", "inclination"):
        assert pair.outputs[name] == pytest.approx(single.outputs[name], abs=1e-15), name


def test_leaning_hub_loads_tyre_on_its_lower_side() -> None:
    """By c_z s sin γ / cos γ: centres differ by s sin γ in height, radii count in the wheel's plane."""
    lean = 0.03  # positive about x: the left side up
    outputs = response(None, lean=lean).outputs
    expected = -PARAMETERS.cz * SPACING * np.tan(lean)
    assert outputs["outer_Fz"] - outputs["inner_Fz"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("lean", "yaw_rate"), [(0.0, 0.0), (0.02, 0.7), (-0.03, -2.0)])
def test_each_twin_is_the_tyre_standing_alone(lean: float, yaw_rate: float) -> None:
    """Loads and rates of states of single tyres at their places on the same moving hub."""
    pair = response(None, lean, yaw_rate, deflected=0.002)
    for k, y in enumerate((SPACING / 2, -SPACING / 2)):
        alone = response(y, lean, yaw_rate, deflected=0.002)
        one, other = pair.loads[k], alone.loads[0]
        assert isinstance(one, PointLoad)
        assert isinstance(other, PointLoad)
        np.testing.assert_array_equal(one.force.astype(float), other.force.astype(float))
        np.testing.assert_array_equal(one.r.astype(float), other.r.astype(float))
        assert pair.x_dot[2 * k : 2 * k + 2] == tuple(alone.x_dot)


def test_turning_on_the_spot_is_resisted() -> None:
    """The hub yaws to the left: the outer, left tyre falls behind its spin and is driven less by the road."""
    forward, turning = response(None), response(None, yaw_rate=2.0)
    outer, inner = (float(x) for x in (turning.x_dot[0], turning.x_dot[2]))
    straight = float(forward.x_dot[0])
    assert outer - straight == pytest.approx(straight - inner, rel=0.2)
    assert abs(outer - inner) > 0.1  # m/s of a difference 2 rad/s * 0.3 m, shared between slip and carcass


def test_wheel_data_of_twins_equal_a_single_wheel() -> None:
    """Steiner's theorem about the axes across the spin axis; the hub is there once."""
    single = VehicleParameters.load("van").corners["rear_left"].wheel
    pair = VehicleParameters.load("van", ["rear.wheel.twin_spacing=0.3 m"]).corners["rear_left"].wheel
    rim, tyre, hub = 14.0, 14.0, 5.0
    assert pair.mass == single.mass + rim + tyre == hub + 2.0 * (rim + tyre)
    own = np.array([0.30 + 0.75, 0.50 + 1.35, 0.30 + 0.75])
    moved = 2.0 * (rim + tyre) * 0.15**2 * np.array([1.0, 0.0, 1.0])
    np.testing.assert_allclose(np.diag(pair.inertia - single.inertia), own + moved, rtol=1e-12)


def test_a_spacing_in_another_unit_is_refused() -> None:
    with pytest.raises(DataError, match=r"rear\.wheel\.twin_spacing: '350' must be below 2 m"):
        VehicleParameters.load("truck", ["rear.wheel.twin_spacing=350"])
