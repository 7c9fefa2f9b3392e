"""Simulate, save, report: what ``simulate-vehicle`` does without a subcommand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.files import check_place, shown_path, unusable, whole
from ce_dynamics.algebra.interrupts import was_interrupt
from ce_dynamics.cli import exit_codes
from ce_dynamics.cli.loading import loading
from ce_dynamics.cli.messages import complain, show_notes
from ce_dynamics.cli.progress import Display, Interruption
from ce_dynamics.cli.tables import print_files, print_json, print_tables
from ce_dynamics.compiler.code_levels import first_soon, make_behind
from ce_dynamics.errors import DataError, ModelError, SimulationError
from ce_dynamics.models.data.quantities import nearest, si_value
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.prepared import Case
from ce_dynamics.models.vehicles.summary import summarise
from ce_dynamics.simulation.exchange import checked, save_table
from ce_dynamics.simulation.integrators.methods import NATIVE_METHODS
from ce_dynamics.simulation.integrators.settings import settings_of
from ce_dynamics.simulation.netcdf import write_netcdf
from ce_dynamics.simulation.options import METHODS
from ce_dynamics.simulation.results import Record
from ce_dynamics.simulation.scipy_run import import_integrators
from ce_dynamics.simulation.simulate import Method

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Request:
    """Arguments of the command as the user typed them."""

    model: str
    manoeuvre: str | None
    speed: str | None
    duration: str | None
    options: tuple[str, ...]
    overrides: tuple[str, ...]
    method: str
    rtol: float | None
    atol: float | None
    output: Path
    json: bool
    step: float | None = None
    plots: bool = True
    tyres: tuple[str, ...] = ()
    road: str | None = None
    view: Path | None = None
    table: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """Results, whole or partial, and what went wrong."""

    results: Record
    exit_code: int
    message: str


@dataclass(frozen=True)
class Saved:
    """The files of a run; no plots where none were asked for."""

    netcdf: Path
    png: Path | None
    html: Path | None = None
    table: Path | None = None

    @property
    def files(self) -> dict[str, str]:
        """Names by what they hold."""
        return {name: str(path) for name, path in vars(self).items() if path is not None}


def simulate_and_report(request: Request) -> int:
    """Do it all and return the exit code."""
    method = chosen_method(request.method)
    try:  # before anything is prepared
        settings_of(method, METHODS, rtol=request.rtol, atol=request.atol, step=request.step)
    except ModelError as error:  # begins with the name
        raise DataError(f"--{error}") from None
    options = parse_options(request.options)
    make_folder(request.output)
    if request.view is not None:
        make_folder(request.view.parent, "--view: folder")
        check_place(request.view)
    if request.table is not None:
        make_folder(checked(request.table).parent, "--table: folder")
        check_place(request.table)
    with Interruption() as interruption:
        with Display() as display, ExitStack() as hurry:
            display.stage("preparing the model, compiling it where that was not done before")
            owed = hurry.enter_context(first_soon()) if is_brief(request.duration, options) else []
            case = prepare(
                request.manoeuvre,
                model=request.model,
                speed=request.speed,
                duration=request.duration,
                options=options,
                overrides=request.overrides,
                tyres=request.tyres,
                road=request.road,
            )
            outcome = integrate(case, method, request, display, interruption)
        with interruption.held():
            summary = summarise(outcome.results, case.manoeuvre)
            try:  # the summary first: it waits for no library that only files need
                show_notes(str(case.attributes.get("vehicle_files", "")))
                show_notes(str(case.attributes.get("tyre_files", "")), "tyre")
                if not request.json:
                    print_tables(case.title, summary, in_haste=bool(owed))
            finally:
                if owed:
                    make_behind(owed)  # while files are written
                stem = request.output / name_of(case, outcome)
                saved = Saved(save_results(outcome.results, stem), None)
                if request.table is not None:
                    saved = replace(saved, table=save_table(outcome.results.dataset(), request.table))
        saved, problem = with_pictures(saved, outcome.results, case, request, interruption)
    if problem and not outcome.message:
        outcome = Outcome(outcome.results, exit_codes.BAD_INPUT, problem)
    drawn = (not request.plots or saved.png is not None) and (request.view is None or saved.html is not None)
    if not drawn and not outcome.message:
        outcome = Outcome(outcome.results, exit_codes.INTERRUPTED, "interrupted before all was drawn")
    files = saved.files
    if request.json:
        print_json(case.title, outcome.message, outcome.results.attrs, summary, files)
    else:
        print_files(files)
    if outcome.message:
        complain(f"{outcome.message}; saved what was computed as {' and '.join(files.values())}")
    return outcome.exit_code


BRIEF = 30.0
"""Simulated time up to which quick code costs a run less than making full code would [s]."""


def is_brief(duration: str | None, options: Mapping[str, str]) -> bool:
    """Return True if a run is short, as far as that was said; what is no duration is refused elsewhere."""
    said = options.get("duration", duration)
    try:
        return said is None or si_value("--duration", said, "s") <= BRIEF
    except DataError:
        return True


def make_folder(path: Path, option: str = "--output") -> None:
    """Make the folder for output files.

    Raises
    ------
    DataError
        If the path is no folder, or cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise DataError(f"{option} {shown_path(path)} must be a folder, and is none") from None
    except OSError as error:
        raise DataError(f"{option} {shown_path(path)} cannot be made: {error.strerror or error}") from None


def integrate(
    case: Case, method: Method, request: Request, display: Display, interruption: Interruption
) -> Outcome:
    """Integrate, and keep what there is if it stops early."""

    def progress(t: float) -> None:
        interruption.check()
        display.reach(t, case.duration)

    if method not in NATIVE_METHODS:
        with loading():
            import_integrators()
    try:
        results = case.simulate_to_record(
            method=method, rtol=request.rtol, atol=request.atol, step=request.step, progress=progress
        )
    except SimulationError as error:
        partial = cast("Record", error.partial)
        code = exit_codes.INTERRUPTED if interruption.requested else exit_codes.FAILED
        return Outcome(partial, code, str(error))
    finally:
        interruption.answered()
    return Outcome(results, exit_codes.OK, "")


def name_of(case: Case, outcome: Outcome) -> str:
    """Return the name of the files of a run, without suffix; that of a partial run ends in ``-partial``."""
    name = "ride" if case.manoeuvre is None else case.manoeuvre.name
    return name if outcome.exit_code == exit_codes.OK else f"{name}-partial"


def save_results(results: Record, stem: Path) -> Path:
    """Write the NetCDF file."""
    netcdf = stem.with_name(f"{stem.name}.nc")
    with whole(netcdf) as path:
        write_netcdf(results, path)
    return netcdf


def with_pictures(
    saved: Saved, results: Record, case: Case, request: Request, interruption: Interruption
) -> tuple[Saved, str]:
    """Draw what was asked for until it is stopped; return what is saved, and why the rest cannot be."""
    try:
        if request.plots and not interruption.requested:
            saved = replace(saved, png=save_plots(results, case, saved.netcdf.with_suffix(".png")))
        if request.view is not None and not interruption.requested:
            saved = replace(saved, html=save_view(results.dataset(), case, request.view))
    except (KeyboardInterrupt, ImportError) as error:
        if not was_interrupt(error):
            raise  # else what is missing tells
    except OSError as error:  # the results are saved already
        return saved, unusable(error)
    return saved, ""


def save_plots(results: Record, case: Case, png: Path) -> Path:
    """Write the plots."""
    with loading(), whole(png) as path:  # matplotlib, for the greater part
        # here, so that mistakes and --help are answered at once
        from ce_dynamics.models.vehicles.plots.page import save_figure

        save_figure(results, case.manoeuvre, path)
    return png


def save_view(results: xr.Dataset, case: Case, page: Path) -> Path:
    """Write the page that plays the run."""
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.models.vehicles.pictures import picture_of

    html = picture_of(case, results).html
    with whole(page) as path:
        path.write_text(html, "utf-8")
    return page


def chosen_method(name: str) -> Method:
    """A method of SciPy by name, in any case."""
    for method in get_args(Method):
        if method.lower() == name.lower():
            return cast("Method", method)
    known = get_args(Method)
    raise DataError(f"unknown method '{name}'{nearest(name, known)}; known are {', '.join(known)}")


def parse_options(texts: Sequence[str]) -> dict[str, str]:
    """``name=value`` each; the last of equal names wins."""
    options = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise DataError(
                f"option {checks.shown(text)} is not of the form name=value, for example radius='40 m'"
            )
        options[name.strip()] = value.strip()
    return options
