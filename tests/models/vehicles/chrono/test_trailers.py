"""Trailers with files of their own, behind a vehicle and by themselves."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.chrono.pairing import FileChoice
from ce_dynamics.models.vehicles.chrono.vehicle import convert_vehicle
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.models.vehicles.chrono.small_car import files, written


def towing() -> dict[str, Any]:
    """The small car with a coupling 1.9 m behind its origin, and a trailer of one axle without brakes."""
    content = files()
    content["car/Chassis.json"]["Rear Connector Location"] = [-1.9, 0, 0.1]
    (body,) = content["car/Chassis.json"]["Components"]
    content["cart/Chassis.json"] = {
        "Template": "RigidChassisRear",
        "Components": [
            body | {"Mass": 200.0, "Centroidal Frame": {**body["Centroidal Frame"], "Location": [0, 0, 0]}}
        ],
        "Front Connector Location": [1.5, 0, -0.1],
    }
    content["cart/Ball.json"] = {"Template": "ChassisConnectorHitch"}
    content["cart/Tyre.json"] = files()["car/Tyre.json"]
    wheels = {f"{side} Wheel Input File": "car/Wheel.json" for side in ("Left", "Right")}
    axle = {"Suspension Input File": "car/Suspension.json", "Suspension Location": [-0.2, 0, -0.3], **wheels}
    content["cart/Trailer.json"] = {
        "Name": "Cart", "Template": "WheeledTrailer", "Chassis": {"Input File": "cart/Chassis.json"},
        "Connector": {"Input File": "cart/Ball.json"}, "Axles": [axle],
    }  # fmt: skip
    return content


def test_a_trailer_is_where_its_connector_puts_it(tmp_path: Path) -> None:
    """Its file's origin lies 1.5 m behind the coupling and 0.1 m above; its wheels have no brakes."""
    car = written(tmp_path, towing())
    (tmp_path / "both.yaml").write_text(
        convert_vehicle(car, FileChoice(trailer=tmp_path / "cart/Trailer.json")).text
    )
    data = VehicleParameters.load(tmp_path / "both.yaml")
    np.testing.assert_allclose(data.trailers["trailer"].at, (-1.9, 0, 0.1), atol=1e-15)
    np.testing.assert_allclose(data.trailers["trailer"].body.com, (-3.4, 0, 0.2), atol=1e-15)
    left = data.corners["trailer_axle_left"]
    np.testing.assert_allclose(left.W, (-3.6, 0.75, -0.1), atol=1e-15)
    assert data.mass - VehicleParameters.load(car).mass == pytest.approx(200.0 + 2 * (2 + 8 + 9 + 4 + 4 + 5))
    names = [force.name for force in build(data).forces]
    assert "front_left.brake" in names
    assert "trailer_axle_left.brake" not in names


def test_trailer_by_itself_is_laid_over_any_vehicle(tmp_path: Path) -> None:
    """The trailer's file gives the coupling; alone it is no vehicle."""
    written(tmp_path, towing())
    text = "base: [sedan, cart/Trailer.json]\ntrailer: {hitch: {x: -3.5 m, z: 0.1 m}}\n"
    (tmp_path / "both.yaml").write_text(text)
    data = VehicleParameters.load(tmp_path / "both.yaml")
    np.testing.assert_allclose(data.corners["trailer_axle_left"].W, (-5.2, 0.75, -0.1), atol=1e-15)
    with pytest.raises(
        DataError, match=r"all belong to trailers; .* name what tows them: base: \[VEHICLE, TRAILER\]"
    ):
        VehicleParameters.load(tmp_path / "cart/Trailer.json")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("Template", "WheeledVehicle", r"^Trailer.json: Template: 'WheeledVehicle' is no trailer; known is"),
        ("Axles", [], r"^Trailer.json: Axles: it is empty; describe one axle at least"),
        ("Connector", {}, r"^Trailer.json: Connector/Input File: it is missing"),
    ],
)
def test_what_is_no_trailer(tmp_path: Path, key: str, value: object, message: str) -> None:
    content = towing()
    content["cart/Trailer.json"][key] = value
    car = written(tmp_path, content)
    with pytest.raises(DataError, match=message):
        convert_vehicle(car, FileChoice(trailer=tmp_path / "cart/Trailer.json"))


def test_axles_of_a_trailer_are_led_by_nobody(tmp_path: Path) -> None:
    content = towing()
    content["cart/Trailer.json"]["Axles"][0]["Steering Index"] = 0
    car = written(tmp_path, content)
    with pytest.raises(
        DataError, match=r"Axles\[0\]/Steering Index: a trailer has no steering; leave it out"
    ):
        convert_vehicle(car, FileChoice(trailer=tmp_path / "cart/Trailer.json"))
