"""``simulate-vehicle convert``: vehicles of other programs, and of earlier formats, as data files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ce_dynamics.algebra import files
from ce_dynamics.algebra.files import replace_on_success
from ce_dynamics.cli.messages import print_line
from ce_dynamics.cli.options import Convert
from ce_dynamics.errors import DataError
from ce_dynamics.models.exchange.hardpoints import AXES, convert_hardpoints
from ce_dynamics.models.vehicles.chrono.pairing import FileChoice
from ce_dynamics.models.vehicles.chrono.vehicle import convert_vehicle
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.files import FORMATS, data_file, describes_a_vehicle
from ce_dynamics.models.vehicles.tree import FORMAT, NO_PARTS, convert_text

OF_CHRONO = ("engine", "transmission", "tyre", "trailer", "like_chrono", "bushings")
"""Options for files of Project Chrono alone."""


def run(options: Convert) -> int:
    """Write the data file."""
    path = files.path_of("vehicle", options.vehicle)
    if options.axes is not None:
        return convert_table(options, path)
    refuse(options, ("base", "axle"), "without --axes, which tables of hardpoints need, it has no effect")
    if path.suffix.lower() not in FORMATS:
        return convert_file(options, path)
    parts = {name: getattr(options, name) for name in ("engine", "transmission", "trailer")}
    given = {key: files.path_of(key, text) for key, text in parts.items() if text is not None}
    tyres = () if options.tyre is None else (files.path_of("tyre", options.tyre),)
    choice = FileChoice(**given, tyres=tyres)
    made = convert_vehicle(path, choice, options.like_chrono, options.bushings)
    written = output_of(options, f"{path.stem}.yaml")
    with replace_on_success(written) as temporary:
        temporary.write_text(made.text, encoding="utf-8")
        if not made.towed:
            VehicleParameters.load(temporary)  # the file can be read
    for note in made.notes:
        print_line(note, "not as in the files")
    print(written)
    return 0


def convert_file(options: Convert, path: Path) -> int:
    """Write a data file of an earlier format in today's."""
    refuse(options, OF_CHRONO, f"{path.name} is no file of Project Chrono; leave it out")
    before = VehicleParameters.load(path) if describes_a_vehicle(data_file(path)) else None
    text = path.read_text(encoding="utf-8")
    new = convert_text(text, path.name, NO_PARTS if before is None else before.layout.parts)
    written = output_of(options, f"{path.stem}-format-{FORMAT}.yaml")
    with replace_on_success(written) as temporary:
        temporary.write_text(new, encoding="utf-8")
        if before is not None and VehicleParameters.load(temporary).data != before.data:
            raise DataError(f"{path.name}: the converted file has other numbers; convert it by hand")
    print(written)
    return 0


def convert_table(options: Convert, path: Path) -> int:
    """Write a vehicle file with the hardpoints of a table, and print them."""
    refuse(options, OF_CHRONO, f"{path.name} is read as a table of hardpoints; leave it out")
    if options.base is None or options.axle is None:
        raise DataError(f"{path.name}: a table of hardpoints needs --base, --axle and --axes")
    made = convert_hardpoints(path, options.base, options.axle, str(options.axes), options.length)
    written = output_of(options, f"{path.stem}.yaml")
    with replace_on_success(written) as temporary:
        temporary.write_text(made.text, encoding="utf-8")
        VehicleParameters.load(temporary)  # the file can be read
    print(f"table: {AXES[str(options.axes)][0]}, in {options.length}")
    print(f"vehicle: {AXES['iso'][0]}, in m; points of the left side")
    for name, point in made.points.items():
        print(f"{options.axle}.{name:24}", *(f"{number:9.4f}" for number in point))
    for name in made.unused:
        print_line(f"{name}: the suspension has no such point", "not used")
    print(written)
    return 0


def refuse(options: Convert, names: Sequence[str], reason: str) -> None:
    """Refuse options that have no effect."""
    for name in names:
        if getattr(options, name):
            raise DataError(f"--{name.replace('_', '-')}: {reason}")


def output_of(options: Convert, default: str) -> Path:
    """Return the file to write."""
    written = Path(default) if options.output is None else options.output
    if written.is_dir():
        raise DataError(f"--output {files.shown_path(written)} is a folder; name a file")
    return written
