"""``simulate-vehicle compare``: vehicles of Project Chrono beside recordings of Chrono's own runs."""

from __future__ import annotations

from collections.abc import Sequence

from ce_dynamics.cli.messages import BAD_INPUT, FAILED, OK, print_line
from ce_dynamics.cli.options import Compare
from ce_dynamics.errors import CeDynamicsError, SimulationError
from ce_dynamics.models.vehicles import comparison
from ce_dynamics.models.vehicles.chrono.recordings import recordings


def run(options: Compare) -> int:
    """Print the differences: of runs as they end, then of all vehicles at rest."""
    found = recordings(options.recordings, options.only or ())
    subjects: dict[str, comparison.ComparedVehicle] = {}
    at_rest, driven, code = [], 0, OK
    for recording in found:
        print_line(recording.name, "drives")
        try:
            if recording.vehicle not in subjects:
                one = comparison.ComparedVehicle(
                    recording,
                    options.vehicles,
                    options.like_chrono,
                    options.overrides or (),
                    bushings=options.bushings,
                )
                subjects = {recording.vehicle: one}  # recordings of a vehicle follow each other
            subject = subjects[recording.vehicle]
            run = subject.settling
            if not recording.is_rest:
                run = comparison.drive(subject, recording)
                row = comparison.compare_run(subject, recording, run).row()
                if not driven:
                    print(head(comparison.ComparedRun.TITLES))
                print(row, flush=True)
                driven += 1
            if recording.is_rest or recording.steers:
                at_rest.append(comparison.compare_rest(subject, recording, run).row())
        except CeDynamicsError as error:
            print_line(str(error), recording.name)
            code = FAILED if isinstance(error, SimulationError) else code or BAD_INPUT
    if at_rest:
        print("\n".join(([""] if driven else []) + [head(comparison.Rest.TITLES), *at_rest]), flush=True)
    return code


def head(titles: Sequence[str]) -> str:
    """Return the first two lines of a table."""
    return f"| {' | '.join(titles)} |\n{'| --- ' * len(titles)}|"
