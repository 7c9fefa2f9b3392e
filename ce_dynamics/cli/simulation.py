"""Simulate, save and report: ``simulate-vehicle`` without a subcommand."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.files import check_place, describe_os_error
from ce_dynamics.algebra.interrupts import was_interrupt
from ce_dynamics.cli.common import Writer, make_folder, parse_options, save
from ce_dynamics.cli.messages import BAD_INPUT, FAILED, INTERRUPTED, OK, loading, print_line, show_notes
from ce_dynamics.cli.options import Simulate
from ce_dynamics.cli.progress import Display, Interruption
from ce_dynamics.cli.tables import print_files, print_json, print_tables
from ce_dynamics.compiled.integration_methods import NATIVE_METHODS
from ce_dynamics.compiler.code_levels import first_soon, make_behind
from ce_dynamics.errors import DataError, ModelError, SimulationError
from ce_dynamics.models.data.quantities import si_value
from ce_dynamics.models.vehicles.case import Case, VehicleSetup
from ce_dynamics.models.vehicles.summary import summarise
from ce_dynamics.simulation.exchange import check_path, save_table
from ce_dynamics.simulation.integrators.settings import settings_of
from ce_dynamics.simulation.netcdf import write_netcdf
from ce_dynamics.simulation.options import METHODS
from ce_dynamics.simulation.results import Record
from ce_dynamics.simulation.scipy_run import import_integrators
from ce_dynamics.simulation.simulate import Method


@dataclass(frozen=True)
class SimulationOutcome:
    """Results, complete or partial, and errors."""

    results: Record
    exit_code: int
    message: str


def accuracy_of(options: Simulate) -> dict[str, Any]:
    """Return the method with its tolerances and step, checked before anything is prepared."""
    method, units = chosen_method(options.method), {"rtol": "1", "atol": "1", "step": "s"}
    given = {name: getattr(options, name) for name in units}
    found = {n: si_value(f"--{n}", text, units[n]) for n, text in given.items() if text is not None}
    try:
        settings_of(method, METHODS, (), **found)
    except ModelError as error:  # begins with the name
        raise DataError(f"--{error}") from None
    return {"method": method, **found}


def run(options: Simulate) -> int:
    """Simulate, save and report; return the exit code."""
    accuracy = accuracy_of(options)
    task = parse_options(options.option or ())
    make_folder(options.output)
    if options.view is not None:
        make_folder(options.view.parent, "--view: folder")
        check_place(options.view)
    if options.table is not None:
        make_folder(check_path(options.table).parent, "--table: folder")
        check_place(options.table)
    with Interruption() as interruption:
        with Display() as display, ExitStack() as hurry:
            display.stage("preparing the model, compiling it where that was not done before")
            owed = hurry.enter_context(first_soon()) if is_brief(options.duration, task) else []
            setup = VehicleSetup(
                options.vehicle, tuple(options.overrides or ()), tuple(options.tyre or ()), options.road
            )
            case = setup.prepare(
                options.manoeuvre, speed=options.speed, duration=options.duration, options=task
            )
            outcome = integrate(case, accuracy, display, interruption)
        with interruption.defer_interrupts():
            summary = summarise(outcome.results, case.manoeuvre)
            try:  # the summary first: it waits for no library that only files need
                show_notes(str(case.attributes.get("vehicle_files", "")))
                show_notes(str(case.attributes.get("tyre_files", "")), "tyre")
                if not options.json:
                    print_tables(case.title, summary, in_haste=bool(owed))
            finally:
                if owed:
                    make_behind(owed)  # while files are written
                netcdf = (options.output / name_of(case, outcome)).with_suffix(".nc")
                files = {"netcdf": save([(netcdf, partial(write_netcdf, outcome.results))])[0]}
                if options.table is not None:
                    files["table"] = save_table(outcome.results.dataset(), options.table)
        problem = draw(files, outcome.results, case, options, interruption)
    if problem and not outcome.message:
        outcome = SimulationOutcome(outcome.results, BAD_INPUT, problem)
    drawn = (options.no_plots or "png" in files) and (options.view is None or "html" in files)
    if not drawn and not outcome.message:
        outcome = SimulationOutcome(outcome.results, INTERRUPTED, "interrupted before all was drawn")
    names = {kind: str(files[kind]) for kind in KINDS if kind in files}
    if options.json:
        print_json(case.title, outcome.message, outcome.results.attrs, summary, names)
    else:
        print_files(names)
    if outcome.message:
        print_line(f"{outcome.message}; saved what was computed as {' and '.join(names.values())}")
    return outcome.exit_code


KINDS = "netcdf", "png", "html", "table"
"""Files of a run, in the order in which they are reported."""
BRIEF = 30.0
"""Simulated time up to which quick code costs a run less than making full code would [s]."""


def is_brief(duration: str | None, options: Mapping[str, str]) -> bool:
    """Return True if the given duration is short; an invalid duration is rejected elsewhere."""
    length = options.get("duration", duration)
    try:
        return length is None or si_value("--duration", length, "s") <= BRIEF
    except DataError:
        return True


def integrate(
    case: Case, accuracy: Mapping[str, Any], display: Display, interruption: Interruption
) -> SimulationOutcome:
    """Integrate, and keep partial results of a run that stops early."""

    def progress(t: float) -> None:
        interruption.check()
        display.reach(t, case.duration)

    if accuracy["method"] not in NATIVE_METHODS:
        with loading():
            import_integrators()
    try:
        results = case.simulate_to_record(**accuracy, progress=progress)
    except SimulationError as error:
        partial = cast("Record", error.partial)
        code = INTERRUPTED if interruption.requested else FAILED
        return SimulationOutcome(partial, code, str(error))
    finally:
        interruption.reset()
    return SimulationOutcome(results, OK, "")


def name_of(case: Case, outcome: SimulationOutcome) -> str:
    """Return the name of the files of a run, without suffix; that of a partial run ends in ``-partial``."""
    name = "ride" if case.manoeuvre is None else case.manoeuvre.name
    return name if outcome.exit_code == OK else f"{name}-partial"


def draw(
    files: dict[str, Path], results: Record, case: Case, options: Simulate, interruption: Interruption
) -> str:
    """Draw the requested pictures and add them to the files; return the reason if some are missing."""
    wanted: list[tuple[str, Path, Writer]] = []
    if not options.no_plots:
        wanted.append(("png", files["netcdf"].with_suffix(".png"), partial(write_plots, results, case)))
    if options.view is not None:
        wanted.append(("html", options.view, partial(write_view, results, case)))
    try:
        for kind, path, write in wanted:
            files.update((kind, saved) for saved in save([(path, write)], interruption))
    except (KeyboardInterrupt, ImportError) as error:
        if not was_interrupt(error):
            raise  # otherwise the missing parts show it
    except OSError as error:  # the results are saved already
        return describe_os_error(error)
    except ModelError as error:  # no browser draws the film
        return str(error)
    return ""


def write_plots(results: Record, case: Case, path: Path) -> None:
    """Draw the page of plots."""
    with loading():  # matplotlib, for the greater part
        from ce_dynamics.models.vehicles.plots import save_figure  # here, as it loads matplotlib

        save_figure(results, case.manoeuvre, path)


def write_view(results: Record, case: Case, path: Path) -> None:
    """Write the page that plays the run, or a picture or film of it."""
    from ce_dynamics.models.vehicles.pictures import picture_of  # here, because few runs are played

    picture_of(case, results.dataset()).save(path)


def chosen_method(name: str) -> Method:
    """Return a method of SciPy by name, in any case."""
    for method in get_args(Method):
        if method.lower() == name.lower():
            return cast("Method", method)
    raise DataError(f"unknown method '{name}'{checks.known_are(name, get_args(Method))}")
