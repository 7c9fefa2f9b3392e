"""``simulate-vehicle convert``: another program's vehicle as a data file of ours."""

from __future__ import annotations

from pathlib import Path

from ce_dynamics.algebra import files
from ce_dynamics.algebra.files import whole
from ce_dynamics.cli.messages import complain
from ce_dynamics.cli.options import Convert
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.chrono.pairing import Choice
from ce_dynamics.models.vehicles.chrono.vehicle import converted
from ce_dynamics.models.vehicles.description import VehicleParameters


def run(options: Convert) -> int:
    """Write the data file."""
    path = files.path_of("vehicle", options.vehicle)
    parts = {name: getattr(options, name) for name in ("engine", "transmission", "trailer")}
    given = {key: files.path_of(key, text) for key, text in parts.items() if text is not None}
    tyres = () if options.tyre is None else (files.path_of("tyre", options.tyre),)
    choice = Choice(**given, tyres=tyres)
    made = converted(path, choice, options.like_chrono, options.bushings)
    written = Path(f"{path.stem}.yaml") if options.output is None else options.output
    if written.is_dir():
        raise DataError(f"--output {files.shown_path(written)} is a folder; name a file")
    with whole(written) as temporary:
        temporary.write_text(made.text, encoding="utf-8")
        if not made.towed:
            VehicleParameters.load(temporary)  # the file can be read
    for note in made.notes:
        complain(note, "not as in the files")
    print(written)
    return 0
