"""``simulate-vehicle convert``: another program's vehicle as a data file of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PARTS, OUTPUT = "What the file does not name", "As what"


def convert(
    vehicle: Annotated[str, typer.Argument(metavar="FILE", help="A vehicle's JSON file of Project Chrono.")],
    engine: Annotated[
        str | None, typer.Option(metavar="FILE", help="Its engine.", rich_help_panel=PARTS)
    ] = None,
    transmission: Annotated[
        str | None, typer.Option(metavar="FILE", help="Its transmission.", rich_help_panel=PARTS)
    ] = None,
    tyre: Annotated[
        str | None, typer.Option(metavar="FILE", help="Its tyres.", rich_help_panel=PARTS)
    ] = None,
    trailer: Annotated[
        str | None, typer.Option(metavar="FILE", help="A trailer behind it.", rich_help_panel=PARTS)
    ] = None,
    like_chrono: Annotated[
        bool,
        typer.Option("--like-chrono", help="Copy ways of Chrono that no vehicle has.", rich_help_panel=PARTS),
    ] = False,
    bushings: Annotated[
        bool,
        typer.Option(
            "--bushings",
            help="Let joints with bushings yield as the vehicle drives, not on the rig only.",
            rich_help_panel=PARTS,
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The data file.  [dim]Default: the vehicle's name with .yaml, in this folder[/dim]",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
) -> int:
    """Write a vehicle of Project Chrono as a data file that can be read, changed and driven.

    What of its files is not done, or was chosen, is named: here, and at the head of the data file.
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.algebra import files
    from ce_dynamics.algebra.files import whole
    from ce_dynamics.cli.messages import complain
    from ce_dynamics.errors import DataError
    from ce_dynamics.models.vehicles.chrono.pairing import Choice
    from ce_dynamics.models.vehicles.chrono.vehicle import converted
    from ce_dynamics.models.vehicles.description import VehicleParameters

    path = files.path_of("vehicle", vehicle)
    named = {"engine": engine, "transmission": transmission, "trailer": trailer}
    given = {key: files.path_of(key, text) for key, text in named.items() if text is not None}
    tyres = () if tyre is None else (files.path_of("tyre", tyre),)
    choice = Choice(**given, tyres=tyres)
    made = converted(path, choice, like_chrono, bushings)
    written = Path(f"{path.stem}.yaml") if output is None else output
    if written.is_dir():
        raise DataError(f"--output {files.shown_path(written)} is a folder; name a file")
    with whole(written) as temporary:
        temporary.write_text(made.text, encoding="utf-8")
        if not made.towed:
            VehicleParameters.load(temporary)  # what is written can be read
    for note in made.notes:
        complain(note, "not as in the files")
    print(written)
    return 0
