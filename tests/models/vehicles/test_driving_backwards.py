"""A driver who looks back: vehicles with a reverse gear along a lane, and into the next one."""

import math
from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.driving import make_manoeuvre
from ce_dynamics.models.vehicles.equilibrium import settle
from tests.models.vehicles.chrono.small_car import written
from tests.models.vehicles.chrono.test_rear_chassis import folding
from tests.models.vehicles.test_trailers import two_trailers


@pytest.mark.parametrize("vehicle", ["hmmwv", "sedan-cvt"])
def test_starts_rolling_backwards(vehicle: str) -> None:
    """Steady as ahead, at the speed given; it had started at rest without a word."""
    model = ce.compile(build(path=vehicle, speed=-3.0))
    y = settle(model)
    at = model.layout.y_names.index
    rates = dict(zip(model.layout.y_names, model.dynamics(y, model.u0)[0], strict=True))
    assert y[at("chassis.vx")] == pytest.approx(-3.0)
    for corner in ("front_left", "rear_right"):
        assert y[at(f"{corner}.wheel_rate")] < -6.0
        assert abs(rates[f"{corner}.wheel_rate"]) < 1e-8
    assert 0.0 < rates["chassis.vx"] < 1.0  # it is braked by its engine


@pytest.mark.parametrize("vehicle", ["sedan", "sedan-manual", "sedan-electric"])
def test_into_the_next_lane_backwards(vehicle: str) -> None:
    """3 m to the left of who looks back, which is to the right of the vehicle's heading."""
    case = prepare("reverse", model=vehicle, duration=18.0, options={"shift": 3.0})  # the shift and 20 m more
    run = case.simulate(method="dopri5")
    assert run["vx"].values[-1] == pytest.approx(-2.0, abs=0.1)
    assert run["x"].values[-1] < -35.0
    assert run["y"].values[-1] == pytest.approx(-3.0, abs=0.05)
    # Half a metre: what aiming 4 m ahead cuts off a quintic of 3 m in 15 m is less.
    assert abs(run["path_error"].values).max() < 0.5
    assert abs(run["yaw"].values[-1]) < 0.02


def test_trailer_is_backed_up_into_the_next_lane() -> None:
    """Its axles keep to the path, it does not fold, and either side is the other's mirror image.

    The hitch turns as units do that roll without slip, but for the slip of its tyres.
    Left alone it folds up within 15 s.
    """
    runs = {}
    for shift in (3.0, -3.0):
        case = prepare("reverse", model="van-trailer", duration=20.0, options={"shift": shift})
        runs[shift] = run = case.simulate(method="dopri5")
        assert abs(run["path_error"].values).max() < 0.15
        assert abs(run["path_error"].values[-1]) < 0.02
        assert np.abs(run["hitch_yaw"].values).max() < math.radians(20.0)
        assert np.abs(run["hitch_yaw"].values[-1]) < 5e-3
        assert run["y"].values[-1] == pytest.approx(-shift, abs=0.05)
        assert abs(run["yaw"].values[-1]) < 0.01
    for name in ("y", "hitch_yaw", "path_error"):
        # its driveline turns lengthwise and steers it a little one way
        np.testing.assert_allclose(runs[3.0][name], -runs[-3.0][name], atol=0.01)
    yaw, v, turning = (run[name].values.ravel() for name in ("hitch_yaw", "vx", "yaw_rate"))
    train = case.manoeuvre.driver.train  # type: ignore[union-attr]  # it is driven
    assert train is not None
    (caravan,) = train.towed
    assert (caravan.overhang, caravan.drawbar) == pytest.approx((2.7 - 1.65, 0.5 * (2.85 + 3.62)))
    aside = run["vy"].values - 2.7 * turning  # of the hitch
    expected = (aside * np.cos(yaw) - v * np.sin(yaw)) / caravan.drawbar - turning
    rate = np.gradient(yaw, run["time"].values)
    assert np.abs(rate - expected).max() < 0.04 * np.abs(expected).max()


def test_the_driver_knows_hitches_that_are_free() -> None:
    """With half a metre more behind the axle he leads the trailer as one that is built so."""
    free = prepare("reverse", model="van-trailer", options={"shift": 3.0}, free=["trailer.hitch.x"])
    built = prepare(
        "reverse", model="van-trailer", options={"shift": 3.0}, overrides=["trailer.hitch.x=-3.2 m"]
    )
    law, values = free.manoeuvre, {"trailer.hitch.x": -3.2}
    run = ce.simulate(free.model, law, duration=12.0, y0=built.y0, method="rk4", parameters=values)
    expected = ce.simulate(built.model, built.manoeuvre, duration=12.0, y0=built.y0, method="rk4")
    for name in ("y", "hitch_yaw", "steering"):
        np.testing.assert_allclose(run[name].values, expected[name].values, rtol=0.0, atol=1e-7)
    assert abs(free.simulate(method="rk4")["path_error"].values).max() < 0.15


def test_two_trailers_are_backed_up_slowly(tmp_path: Path) -> None:
    two_trailers(tmp_path)
    case = prepare(
        "reverse", model=tmp_path / "two.yaml", duration=25.0, options={"shift": 3.0, "length": 25.0}
    )
    run = case.simulate(method="dopri5")
    assert abs(run["path_error"].values).max() < 0.15
    assert np.abs(run["hitch_yaw"].values).max() < math.radians(15.0)
    assert np.abs(run["hitch_yaw"].values[-1]).max() < 0.01
    with pytest.raises(DataError, match=r"too fast to back up dolly and semi, which would fold; give 3 m/s"):
        prepare("reverse", model=tmp_path / "two.yaml", speed=4.0)


def test_folding_vehicle_is_led_by_its_rear(tmp_path: Path) -> None:
    """It comes to rest beside its lane within some centimetres, without swinging."""
    path = written(tmp_path, folding())
    case = prepare("reverse", model=path, duration=25.0, options={"shift": 3.0})
    run = case.simulate(method="dopri5")
    assert abs(run["path_error"].values).max() < 0.4
    assert run["y"].values[-1] == pytest.approx(-3.0, abs=0.1)
    late = run["time"].values > 18.0
    assert np.ptp(run["steering"].values[late]) < 0.02


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "trailers: {third: {hitch: ball, behind: semi}}\n"
            "axles: {third_axle: {suspension: rigid, trailer: third}}\n",
            r"the driver backs up at most 2 trailers; leave trailers\.third and its axles out",
        ),
        (
            "trailers: {third: {hitch: ball}}\naxles: {third_axle: {suspension: rigid, trailer: third}}\n",
            r"third is coupled to the vehicle, .* one behind the other only; leave trailers\.third",
        ),
    ],
)
def test_trains_that_cannot_be_backed_up_are_named(tmp_path: Path, words: str, message: str) -> None:
    two_trailers(tmp_path)
    path = tmp_path / "three.yaml"
    path.write_text(
        f"base: two.yaml\n{words}third: {{mass: 300 kg, com: '(-2, 0, 0) m', "
        "inertia: 'diag(90, 120, 180) kg*m^2', hitch: {x: -5 m, z: 0 m}}\n"
        "third_axle: {origin: '(-2, 0, 0) m', W: '(0, 0.85, 0) m'}\n",
        encoding="utf-8",
    )
    with pytest.raises(DataError, match=message):
        make_manoeuvre("reverse", parameters=VehicleParameters.load(path))


def test_axles_ahead_of_hitch_cannot_be_backed_up() -> None:
    overrides = ["trailer_1.origin.x=0.6 m", "trailer_2.origin.x=0.2 m"]
    with pytest.raises(DataError, match=r"the axles of trailer are 0\.4 m ahead of its hitch"):
        make_manoeuvre("reverse", parameters=VehicleParameters.load("van-trailer", overrides))


def test_vehicles_without_a_reverse_gear_are_refused() -> None:
    with pytest.raises(
        DataError, match="the powertrain of hmmwv, of the kind 'envelope', has no reverse gear"
    ):
        make_manoeuvre("reverse")
