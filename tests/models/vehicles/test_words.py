"""Data files of trailers, and refused ones."""

from pathlib import Path

import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.files import SHIPPED

TEXT = SHIPPED["van-trailer"].read_text(encoding="utf-8")
CIRCLE = "  one: {hitch: ball, behind: two}\n  two: {hitch: ball, behind: one}\n  trailer:\n"
EMPTY = "  empty: {hitch: ball}\n  trailer:\n"
HITCH = "      x: -2.700 m"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("kind: ball", "kind: rope", "trailers.trailer.hitch: unknown 'rope'; known are ball, pintle"),
        ("      kind: ball\n", "", "trailer_1.trailer: unknown 'trailer'; known are none"),
        ("    hitch:\n", "    behind: van\n    hitch:\n", "'van' is no other trailer; leave it out"),
        ("    hitch:\n", "    colour: red\n    hitch:\n", "unknown parameter 'trailer.colour'"),
        ("  trailer:\n", "  steering:\n", "'steering' is no name for a trailer"),
        ("  trailer:\n", "  rear:\n", "trailer: unknown 'trailer'; did you mean 'rear'? known are rear"),
        ("  trailer:\n", CIRCLE, "one and two are behind one another; leave out 'behind' of the first"),
        ("  trailer:\n", EMPTY, "none belongs to the trailer empty; give one 'trailer: empty'"),
        ("  trailer_1:\n    trailer: trailer\n", "  trailer_1:\n    trailer: cart\n", "unknown 'cart'"),
        (
            "  trailer_1:\n",
            "  trailer_1:\n    steering: rack\n",
            "by one mechanism, but are not on the same body",
        ),
        ("  trailer_1:\n", "  trailer_1:\n    braked: false\n", "unknown parameter 'trailer_1.brake"),
        (HITCH, f"      y: 0.1 m\n{HITCH}", "unknown parameter 'trailer.hitch.y'"),
        (HITCH, f"      roll_damping: 3\n{HITCH}", "unknown parameter 'trailer.hitch.roll_d"),
        (
            "origin: (-3.620",
            "origin: (-2.620",
            "trailer_1_left.W at x = -5.55 m must lie ahead of trailer_2_l",
        ),
        ("      density: 1.2 kg/m^3\n", "", "missing trailer.aerodynamics.density; expected kg/m^3"),
    ],
)
def test_trailers_that_are_none(tmp_path: Path, before: str, after: str, message: str) -> None:
    assert TEXT.count(before) == 1
    own = tmp_path / "own.yaml"
    own.write_text(TEXT.replace(before, after), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        VehicleParameters.load(own)
    assert message in str(caught.value)
    assert str(caught.value).startswith("own.yaml") or "trailer_1_left" in message


def test_half_a_rocking_plate_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    text = TEXT.replace("kind: ball", "kind: fifth-wheel").replace(
        "      x: -2.700 m", "      roll_stiffness: 9 kN*m/rad\n      x: -2.700 m"
    )
    own.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="roll_stiffness and roll_damping belong together; give both or none"):
        VehicleParameters.load(own)


def test_trailer_of_one_file_goes_behind_any_vehicle(tmp_path: Path) -> None:
    """Its points are relative to the coupling: only where that is depends on the vehicle."""
    (tmp_path / "box.yaml").write_text(TEXT.replace("base: van\n", ""), encoding="utf-8")
    own = tmp_path / "own.yaml"
    own.write_text("base: [off-roader, box.yaml]\ntrailer:\n  hitch: {x: -2.1 m}\n", encoding="utf-8")
    train, alone = VehicleParameters.load(own), VehicleParameters.load("off-roader")
    assert train.mass == pytest.approx(
        alone.mass + 1720.0 + 4 * (14.0 + alone.corners["rear_left"].wheel.mass)
    )
    assert pytest.approx([-2.1 - 3.62, -0.88, 0.09 - 0.1]) == train.corners["trailer_2_right"].W
    assert train.wheelbase == alone.wheelbase
    assert train.driven == alone.driven
