"""Hardpoints of a vehicle, written as tables of other tools, come back as its own."""

import re
from pathlib import Path
from typing import Any

import pytest

from ce_dynamics.cli.command import execute
from ce_dynamics.errors import DataError
from ce_dynamics.models.exchange.hardpoints import ADAMS, convert_hardpoints
from ce_dynamics.models.vehicles.description import VehicleParameters

BLOCK = "[MDI_HEADER]\n$---\n[HARDPOINT]\n{hardpoint_name symmetry x_value y_value z_value}\n%s\n"
SIGNS = {"iso": (1, 1, 1), "adams": (-1, -1, 1), "sae": (1, -1, -1)}


def rows(axes: str) -> list[tuple[str, list[float]]]:
    """The sedan's front hardpoints in a table's axes [mm], moved by 1.5 m ahead and 0.2 m up."""
    front: Any = VehicleParameters.load("sedan").data.front_left  # type: ignore[attr-defined]
    found = []
    for name, (target, *_) in ADAMS.items():
        value = front
        for part in target.split("."):
            value = getattr(value, part)
        x, y, z = value
        point = (x + 1.5, y + front.origin[1], z + 0.2)
        found.append((name, [1e3 * sign * number for sign, number in zip(SIGNS[axes], point, strict=True)]))
    return found


@pytest.mark.parametrize("axes", SIGNS)
@pytest.mark.parametrize("block", [False, True])
def test_hardpoints_return_from_tables(tmp_path: Path, axes: str, block: bool) -> None:
    """Up to 1 nm, to which points are rounded; lower mounts are one point of spring and damper there."""
    table = tmp_path / "points.csv"
    if block:
        lines = [f" '{name}'  'left/right'  {x!r}  {y!r}  {z!r}" for name, (x, y, z) in rows(axes)]
        table.write_text(BLOCK % "\n".join([*lines, " 'hpr_lca_outer' 'right' 0 0 0"]))
    else:
        lines = [f"hpl_{name}; {x!r}; {y!r}; {z!r}" for name, (x, y, z) in rows(axes)]
        table.write_text("\n".join(["Name; X; Y; Z", *lines, "ride_height; 0; 0; 0"]))
    made = convert_hardpoints(table, "sedan", "front", axes)
    assert made.unused == (() if block else ("ride_height",))
    (tmp_path / "own.yaml").write_text(made.text)
    own, sedan = (VehicleParameters.load(one).data.front_left for one in (tmp_path / "own.yaml", "sedan"))  # type: ignore[attr-defined]
    for name in ("D", "F", "K", "L", "W"):
        assert getattr(own, name) == pytest.approx(getattr(sedan, name), abs=2e-9)
    assert own.lower_arm.front_pivot == pytest.approx(sedan.lower_arm.front_pivot, abs=2e-9)
    assert own.spring.arm == pytest.approx(sedan.spring.arm, abs=2e-9)


def test_wrong_axes_of_tables_are_named(tmp_path: Path) -> None:
    table = tmp_path / "points.csv"
    table.write_text("name,x,y,z\nwheel_center,0,-760,300\n")
    with pytest.raises(DataError, match=r"y left, z up the left wheel centre is at y = -0\.76 m.*adams, sae"):
        convert_hardpoints(table, "sedan", "front", "iso")
    with pytest.raises(DataError, match=r"axes: unknown 'din'; choose from iso: x forward"):
        convert_hardpoints(table, "sedan", "front", "din")
    table.write_text("name,x,y\nwheel_center,0,-760\n")
    with pytest.raises(DataError, match=r"expected columns name, x, y, z; found name, x, y"):
        convert_hardpoints(table, "sedan", "front", "adams")
    table.write_text("name,x,y,z\nwheel_center,0,-760,high\n")
    with pytest.raises(DataError, match=r"points\.csv: row 1: expected a name and three numbers"):
        convert_hardpoints(table, "sedan", "front", "adams")
    table.write_text("name,x,y,z\nlca_outer,0,-760,300\n")
    with pytest.raises(DataError, match=r"the wheel centre \(wheel_center, or W\) is missing"):
        convert_hardpoints(table, "sedan", "front", "adams")


@pytest.mark.parametrize(
    ("rows_of_table", "words"),
    [
        ("lca_outer,nan,-760,300", "row 1: expected a name and three numbers, all finite"),
        ("lca_outer,1,-760,inf", "row 1: expected a name and three numbers, all finite"),
        ("lca_outer,1,-760,300\nlca_outer,2,-760,300", "row 2: 'lca_outer' is there twice; remove one"),
        (f"{'a' * 200_000},1,2,3", "it is no table of hardpoints: field larger"),
    ],
)
def test_damaged_tables_are_refused(tmp_path: Path, rows_of_table: str, words: str) -> None:
    table = tmp_path / "points.csv"
    table.write_text(f"name,x,y,z\n{rows_of_table}\n")
    with pytest.raises(DataError, match=re.escape(words)):
        convert_hardpoints(table, "sedan", "front", "adams")


def test_command_prints_axes_and_points(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, own = tmp_path / "points.csv", tmp_path / "own.yaml"
    table.write_text("name,x,y,z\nwheel_center,1500,-760,300\nlca_outer,1510,-700,200\nsubframe,0,0,0\n")
    command = f"convert {table} --base sedan --axle front --axes adams --output {own}"
    assert execute(command.split()) == 0
    said = capsys.readouterr()
    assert "table: x rearward, y right, z up, in mm\nvehicle: x forward, y left, z up, in m" in said.out
    assert ["front.D", "-0.0100", "0.7000", "-0.2199"] in [line.split() for line in said.out.splitlines()]
    assert "subframe: the suspension has no such point" in said.err
    assert execute([*command.split(), "--engine", "none.json"]) != 0
    assert "--engine: points.csv is read as a table of hardpoints; leave it out" in capsys.readouterr().err
    assert execute(["convert", str(own), "--base", "sedan"]) != 0
    assert "--base: without --axes" in capsys.readouterr().err
