"""``simulate-vehicle compare``: vehicles of Project Chrono beside recordings of Chrono's own runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ce_dynamics.cli import exit_codes, shared_options as shared


def compare(
    recordings: Annotated[
        Path, typer.Argument(metavar="RECORDINGS", help="Folder of recordings with their summary.json.")
    ],
    vehicles: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Chrono's folder data/vehicle, to which the summary refers."),
    ],
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Recordings whose names begin so.  [dim]Default: all[/dim]"),
    ] = None,
    like_chrono: Annotated[
        bool, typer.Option("--like-chrono", help="Copy ways of Chrono that no vehicle has.")
    ] = False,
    overrides: Annotated[list[str] | None, shared.overrides("What differs")] = None,
) -> int:
    """Drive vehicles of Project Chrono by the inputs of recordings and print the differences.

    Every vehicle is read from Chrono's files and falls to rest with its brakes on.  It then starts as each
    recording starts.  Differences are root mean squares over the largest value of the recording.
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.cli.messages import complain
    from ce_dynamics.errors import CeDynamicsError
    from ce_dynamics.models.vehicles import comparison

    found = comparison.recordings(recordings, only or ())
    subjects: dict[str, comparison.Subject] = {}
    at_rest, runs, failed = [], [], 0
    for recording in found:
        complain(recording.name, "drives")
        try:
            if recording.vehicle not in subjects:
                one = comparison.Subject(recording, vehicles, like_chrono, overrides or ())
                subjects = {recording.vehicle: one}  # recordings of a vehicle follow each other
            if recording.is_rest:
                at_rest.append(comparison.compare_rest(subjects[recording.vehicle], recording).row())
            else:
                runs.append(comparison.compare_run(subjects[recording.vehicle], recording).row())
        except CeDynamicsError as error:
            complain(str(error), recording.name)
            failed += 1
    for titles, rows in ((comparison.Rest.TITLES, at_rest), (comparison.Driven.TITLES, runs)):
        if rows:
            print(f"| {' | '.join(titles)} |\n{'| --- ' * len(titles)}|")
            print("\n".join(rows) + "\n", flush=True)
    return exit_codes.FAILED if failed else exit_codes.OK
