"""``simulate-vehicle handling``: tests of standards on any vehicles, as tables, files and a report."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ce_dynamics.cli import exit_codes, shared_options as shared
from ce_dynamics.cli.messages import complain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ce_dynamics.cli.progress import Display, Interruption
    from ce_dynamics.models.handling.outcome import Outcome
    from ce_dynamics.models.handling.procedure import Procedure
    from ce_dynamics.models.handling.vehicle import VehicleSubject

USUAL = "constant-speed", "step-input", "frequency-input", "brake-in-turn", "braking", "acceleration"
"""Tests where none is named."""

TESTED, OUTPUT, ABOUT = "What to test", "Output", "About"
Repeated = list[str] | None


def handling(
    tests: Annotated[
        Repeated,
        typer.Argument(
            metavar="[TEST...]",
            help="Tests by name, or [bold]all[/bold]; see --list.  [dim]Default: constant-speed, step-input, "
            "frequency-input, brake-in-turn, braking, acceleration[/dim]",
        ),
    ] = None,
    vehicle: Annotated[Repeated, shared.vehicle(TESTED, "; repeatable", show_default="hmmwv")] = None,
    overrides: Annotated[Repeated, shared.overrides(TESTED, "Override a parameter of all of them.")] = None,
    variant: Annotated[Repeated, shared.variant(TESTED)] = None,
    option: Annotated[
        Repeated,
        typer.Option(
            "--option",
            "-o",
            metavar="[TEST.]NAME=VALUE",
            help="Option of a test, or of all that have it, e.g. speed='100 km/h'; repeatable.",
            rich_help_panel=TESTED,
        ),
    ] = None,
    tyre: Annotated[Repeated, shared.tyre(TESTED)] = None,
    road: Annotated[str | None, shared.road(TESTED)] = None,
    output: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where pictures and files go.", rich_help_panel=OUTPUT)
    ] = Path("simulate-vehicle-handling"),
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html",
            help="Everything in one page that any browser shows and prints, offline.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    kc: Annotated[
        bool,
        typer.Option("--kc", help="Kinematics and compliance in the report, too.", rich_help_panel=OUTPUT),
    ] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="All figures as JSON on stdout, nothing else there.", rich_help_panel=OUTPUT
        ),
    ] = False,
    no_plots: Annotated[
        bool, typer.Option("--no-plots", help="Save no pictures.", rich_help_panel=OUTPUT)
    ] = False,
    no_runs: Annotated[
        bool, typer.Option("--no-runs", help="Do not save the runs themselves.", rich_help_panel=OUTPUT)
    ] = False,
    list_tests: Annotated[
        bool,
        typer.Option("--list", help="List all tests and their options, and leave.", rich_help_panel=ABOUT),
    ] = False,
) -> int:
    """Put vehicles to tests of standards: steady cornering, steps, frequency response, lanes, braking, ride.

    Figures are printed, one column for each vehicle; runs go to NetCDF, figures and curves to JSON and
    pictures.
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.algebra.files import check_place
    from ce_dynamics.cli.listings import print_tests
    from ce_dynamics.cli.progress import Display, Interruption
    from ce_dynamics.cli.simulation import make_folder
    from ce_dynamics.models.handling.bench import procedures
    from ce_dynamics.models.handling.procedures.listed import PROCEDURES

    if list_tests:
        print_tests()
        return 0
    names = list(PROCEDURES) if tests == ["all"] else list(dict.fromkeys(tests or USUAL))
    subjects = vehicles_of(vehicle or ["hmmwv"], overrides or [], variant or [], tyre or [], road)
    for note in dict.fromkeys(note for subject in subjects for note in subject.data.notes):
        complain(note, "note")
    make_folder(output)
    if report is not None:
        make_folder(report.parent, "--report: folder")
        check_place(report)
    with Interruption() as interruption, Display() as display:

        def progress(name: str, t: float, duration: float) -> None:
            # not check(): between runs models are compiled and settled, where nobody would ask for long
            if interruption.requested:
                raise KeyboardInterrupt
            display.reach(t, duration)
            display.mention(name)

        planned = procedures(names, subjects, progress, options_of(names, option or []))
        outcomes, stopped = performed(planned, display, interruption)
        with interruption.held():
            plots = not (no_plots or stopped)  # the figures have what is in them
            files = save(
                outcomes, output, display, interruption, plots=plots, runs=not no_runs, stopped=stopped
            )
            stopped = stopped or interruption.requested
            if report is not None and not stopped:
                display.stage("writing the report")
                files.append(write_report(outcomes, subjects, report, kc))
    show(outcomes, files, json)
    if stopped:
        complain("interrupted; what was finished is saved")
        return exit_codes.INTERRUPTED
    troubles = [outcome.trouble for made in outcomes.values() for outcome in made if outcome.trouble]
    for trouble in troubles:
        complain(trouble)
    return exit_codes.FAILED if troubles else exit_codes.OK


def vehicles_of(
    names: Sequence[str],
    overrides: Sequence[str],
    variants: Sequence[str],
    tyres: Sequence[str],
    road: str | None,
) -> list[VehicleSubject]:
    """The vehicles, and the variants of the first.

    Raises
    ------
    DataError
        If one is not written as it should be.
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.models.handling.vehicle import vehicle
    from ce_dynamics.models.vehicles.files import check_vehicle

    found = [vehicle(check_vehicle(name), overrides, tyres=tyres, road=road) for name in names]
    for text in variants:
        title, given = shared.variant_of(text)
        first = check_vehicle(names[0])
        found.append(vehicle(first, [*overrides, *given], title=title, tyres=tyres, road=road))
    return found


def options_of(names: Sequence[str], texts: Sequence[str]) -> dict[str, dict[str, str]]:
    """Options by test, of ``TEST.NAME=VALUE`` or ``NAME=VALUE`` for all that have it.

    Raises
    ------
    DataError
        If no test has it.
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.cli.simulation import parse_options
    from ce_dynamics.errors import DataError
    from ce_dynamics.models.data.quantities import nearest
    from ce_dynamics.models.handling.bench import procedure

    found: dict[str, dict[str, str]] = {name: {} for name in names}
    for key, value in parse_options(texts).items():
        test, dot, name = key.rpartition(".")
        if dot and test not in names:
            raise DataError(
                f"option {key}: '{test}' is not among the tests {', '.join(names)}{nearest(test, names)}"
            )
        having = [one for one in names if name in {o.name for o in procedure(one).options}]
        wanted = [test] if dot else having
        if not wanted:
            known = sorted({o.name for one in names for o in procedure(one).options})
            raise DataError(
                f"no test has the option '{name}'{nearest(name, known)}; known are {', '.join(known)}"
            )
        for one in wanted:
            found[one][name] = value
    return {name: options for name, options in found.items() if options}


def performed(
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
                under_way.finished()
    except KeyboardInterrupt:
        if under_way is not None:
            under_way.outcome.trouble = "interrupted"
        interruption.answered()
        return outcomes, True
    return outcomes, False


def save(
    outcomes: Mapping[str, Sequence[Outcome]],
    output: Path,
    display: Display,
    interruption: Interruption,
    *,
    plots: bool,
    runs: bool,
    stopped: bool = False,
) -> list[Path]:
    """Write figures, runs and pictures; figures first, as they need no library and are there at once.

    Asked to stop, it leaves out what has not been begun.
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.algebra.files import whole
    from ce_dynamics.models.handling.files import as_json

    display.stage("interrupted, saving what there is" if stopped else "saving")
    files = [output / "handling.json"]
    with whole(files[0]) as path:
        path.write_text(as_json(outcomes), "utf-8")
    for file, write in written_later(outcomes, output, plots=plots, runs=runs):
        if interruption.requested:
            break
        with whole(file) as path:
            write(path)
        files.append(file)
    return files


def written_later(
    outcomes: Mapping[str, Sequence[Outcome]], output: Path, *, plots: bool, runs: bool
) -> Iterator[tuple[Path, Callable[[Path], object]]]:
    """Files of runs, then those of pictures, and what writes each."""
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.models.handling.files import save_runs, stem

    for name, made in outcomes.items():
        for outcome in made if runs else ():
            if outcome.runs:
                yield output / f"{name}-{stem(outcome.subject)}.nc", partial(save_runs, outcome)
    if plots:
        # here, because it loads matplotlib
        from ce_dynamics.models.handling.drawing import save_page, titles_of

        for name, made in outcomes.items():
            if titles_of(made):
                yield output / f"{name}.png", partial(save_page, made)


def write_report(
    outcomes: Mapping[str, Sequence[Outcome]], subjects: Sequence[VehicleSubject], path: Path, kc: bool
) -> Path:
    """Write the page for people."""
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.algebra.files import whole
    from ce_dynamics.models.handling.report.page import report_of

    text = report_of(outcomes, subjects, kc=kc)
    with whole(path) as temporary:
        temporary.write_text(text, "utf-8")
    return path


def show(outcomes: Mapping[str, Sequence[Outcome]], files: Sequence[Path], json: bool) -> None:
    """On stdout: tables and names of files, or JSON."""
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.cli.tables import print_outcomes
    from ce_dynamics.models.handling.files import as_json

    if json:
        print(as_json(outcomes))
        return
    for made in outcomes.values():
        print_outcomes(made)
    for path in files:
        print(path)
