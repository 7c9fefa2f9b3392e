"""``simulate-vehicle handling``: tests of standards on any vehicles, as tables, files and a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.files import check_place
from ce_dynamics.cli.common import Writer, load_all, make_folder, parse_options, save
from ce_dynamics.cli.listings import print_tests
from ce_dynamics.cli.messages import FAILED, INTERRUPTED, OK, print_line
from ce_dynamics.cli.options import Handling
from ce_dynamics.cli.progress import Display, Interruption
from ce_dynamics.cli.tables import print_outcomes
from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.outcome import Outcome, save_page, titles_of
from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.handling.procedures import PROCEDURES, procedure, procedures
from ce_dynamics.models.handling.report.page import as_json, save_runs, stem
from ce_dynamics.models.handling.vehicle import VehicleSubject, vehicle

USUAL = "constant-speed", "step-input", "frequency-input", "brake-in-turn", "braking", "acceleration"
"""Tests by default."""


def run(options: Handling) -> int:
    """Perform the tests, save and report."""
    if options.list_tests:
        print_tests()
        return 0
    names = list(PROCEDURES) if options.tests == ["all"] else list(dict.fromkeys(options.tests or USUAL))
    subjects = subjects_of(options)
    for note in dict.fromkeys(note for subject in subjects for note in subject.data.notes):
        print_line(note, "note")
    make_folder(options.output)
    if options.report is not None:
        make_folder(options.report.parent, "--report: folder")
        check_place(options.report)
    with Interruption() as interruption, Display() as display:

        def progress(name: str, t: float, duration: float) -> None:
            # not check(): compiling and settling between runs would delay it
            if interruption.requested:
                raise KeyboardInterrupt
            display.reach(t, duration)
            display.show_part(name)

        planned = procedures(names, subjects, progress, options_of(names, options.option or []))
        outcomes, stopped = run_tests(planned, display, interruption)
        with interruption.defer_interrupts():
            display.stage("interrupted, saving what there is" if stopped else "saving")
            plots = not (options.no_plots or stopped)  # the figures hold their own values
            wanted = files_of(outcomes, options.output, plots=plots, runs=not options.no_runs)
            files = save(wanted, interruption)
            stopped = stopped or interruption.requested
            if options.report is not None and not stopped:
                display.stage("writing the report")
                files += save([(options.report, partial(write_report, outcomes, subjects, options.kc))])
    show(outcomes, files, options.json)
    if stopped:
        print_line("interrupted; what was finished is saved")
        return INTERRUPTED
    troubles = [outcome.trouble for made in outcomes.values() for outcome in made if outcome.trouble]
    for trouble in troubles:
        print_line(trouble)
    return FAILED if troubles else OK


def subjects_of(options: Handling) -> list[VehicleSubject]:
    """Return the vehicles to be tested, and the variants of the first."""
    loaded = load_all(options.vehicle, options.overrides, options.variant, options.tyre, options.road)
    return [vehicle(car, title=title) for title, car in loaded]


def write_report(
    outcomes: Mapping[str, Sequence[Outcome]], subjects: Sequence[VehicleSubject], kc: bool, path: Path
) -> None:
    """Write the page for people."""
    from ce_dynamics.models.handling.report.page import report_of  # here, because few runs need it

    path.write_text(report_of(outcomes, subjects, kc=kc), "utf-8")


def options_of(names: Sequence[str], texts: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return options by test, of ``TEST.NAME=VALUE`` or ``NAME=VALUE`` for all that have it."""
    found: dict[str, dict[str, str]] = {name: {} for name in names}
    for key, value in parse_options(texts).items():
        test, dot, name = key.rpartition(".")
        if dot and test not in names:
            hint = checks.suggest_name(test, names)
            raise DataError(f"option {key}: '{test}' is not among the tests {', '.join(names)}{hint}")
        having = [one for one in names if name in {o.name for o in procedure(one).options}]
        wanted = [test] if dot else having
        if not wanted:
            known = sorted({o.name for one in names for o in procedure(one).options})
            raise DataError(f"no test has the option '{name}'{checks.known_are(name, known)}")
        for one in wanted:
            found[one][name] = value
    return {name: options for name, options in found.items() if options}


def run_tests(
    planned: Mapping[str, Sequence[Procedure]], display: Display, interruption: Interruption
) -> tuple[dict[str, list[Outcome]], bool]:
    """Run the planned procedures and return their outcomes by test, and True if interrupted."""
    outcomes: dict[str, list[Outcome]] = {}
    under_way = None
    try:
        for name, ones in planned.items():
            made = outcomes.setdefault(name, [])
            for under_way in ones:
                display.stage(f"{under_way.subject.title}: {under_way.title}")
                made.append(under_way.outcome)
                under_way.perform_safely()
    except KeyboardInterrupt:
        if under_way is not None:
            under_way.outcome.trouble = "interrupted"
        interruption.reset()
        return outcomes, True
    return outcomes, False


def files_of(
    outcomes: Mapping[str, Sequence[Outcome]], output: Path, *, plots: bool, runs: bool
) -> Iterator[tuple[Path, Writer]]:
    """Return the files of a comparison: figures first, as they need no library, then runs, then pictures."""
    yield output / "handling.json", lambda path: path.write_text(as_json(outcomes), "utf-8")
    for name, made in outcomes.items():
        for outcome in made if runs else ():
            if outcome.runs:
                yield output / f"{name}-{stem(outcome.subject)}.nc", partial(save_runs, outcome)
    if plots:
        for name, made in outcomes.items():
            if titles_of(made):
                yield output / f"{name}.png", partial(save_page, made)


def show(outcomes: Mapping[str, Sequence[Outcome]], files: Sequence[Path], json: bool) -> None:
    """Print tables and file names, or JSON, to stdout."""
    if json:
        print(as_json(outcomes))
        return
    for made in outcomes.values():
        print_outcomes(made)
    for path in files:
        print(path)
