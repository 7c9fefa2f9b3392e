"""``simulate-vehicle compare``: vehicles of Project Chrono beside recordings of Chrono's own runs."""

from __future__ import annotations

from ce_dynamics.cli import exit_codes
from ce_dynamics.cli.messages import complain
from ce_dynamics.cli.options import Compare
from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.models.vehicles import comparison


def run(options: Compare) -> int:
    """Print the differences."""
    found = comparison.recordings(options.recordings, options.only or ())
    subjects: dict[str, comparison.ComparedVehicle] = {}
    at_rest, runs, failed = [], [], 0
    for recording in found:
        complain(recording.name, "drives")
        try:
            if recording.vehicle not in subjects:
                one = comparison.ComparedVehicle(
                    recording, options.vehicles, options.like_chrono, options.overrides or ()
                )
                subjects = {recording.vehicle: one}  # recordings of a vehicle follow each other
            subject = subjects[recording.vehicle]
            run, spent = subject.settling, 0.0
            if not recording.is_rest:
                run, spent = comparison.drive(subject, recording)
                runs.append(comparison.compare_run(subject, recording, run, spent).row())
            if recording.is_rest or recording.steers:
                at_rest.append(comparison.compare_rest(subject, recording, run).row())
        except CeDynamicsError as error:
            complain(str(error), recording.name)
            failed += 1
    for titles, rows in ((comparison.Rest.TITLES, at_rest), (comparison.ComparedRun.TITLES, runs)):
        if rows:
            print(f"| {' | '.join(titles)} |\n{'| --- ' * len(titles)}|")
            print("\n".join(rows) + "\n", flush=True)
    return exit_codes.FAILED if failed else exit_codes.OK
