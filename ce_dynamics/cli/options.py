"""Options of ``simulate-vehicle`` and its subcommands: one class each, whose docstring is the help text.

This module imports neither NumPy nor the models, so that ``--help`` and mistakes take no time.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, get_type_hints

import typer

from ce_dynamics._version import __version__

Options = TypeVar("Options")


def argument(text: str, *, default: Any = MISSING, metavar: str) -> Any:
    """Return the field of an argument."""
    return field(default=default, metadata={"typer": typer.Argument(metavar=metavar, help=text)})


class HelpPanel(NamedTuple):
    """A panel of ``--help``: makes the fields of its options; methods make those that commands share."""

    title: str | None

    def __call__(self, text: str | None, *names: str, default: Any = None, **how: Any) -> Any:
        option = typer.Option(*names, help=text, rich_help_panel=self.title, **how)
        return field(default=default, metadata={"typer": option})

    def vehicle(self, more: str = "", default: str | None = None, **how: Any) -> Any:
        """Return ``--vehicle``; ``more`` ends its text."""
        text = f"A shipped vehicle or a data file{more}."
        return self(text, "--vehicle", default=default, metavar="NAME|FILE", **how)

    def variant(self) -> Any:
        text = "The first vehicle once more, with other numbers; repeatable."
        return self(text, metavar="'TITLE: PATH=VALUE; ...'")

    def speed(self, more: str = "") -> Any:
        return self(f"Speed at the start.{more}")

    def overrides(self, text: str = "Override a parameter.") -> Any:
        """Return ``--set``."""
        return self(text, "--set", metavar="PATH=VALUE")

    def tyre(self, text: str = "A tyre property file (.tir); repeatable.") -> Any:
        return self(text, metavar="[AXLE=]FILE")

    def road(self) -> Any:
        return self("As of a simulation; see simulate-vehicle --list-roads.", metavar="ROAD|FILE")


def with_options(options: type[Options], work: Callable[..., int], **first: Any) -> Callable[..., int]:
    """Return a function for Typer whose parameters are the fields of a class of options.

    Fields are made by `argument` and `HelpPanel`; the docstring of the class is the help text.  ``work`` gets
    an instance, after the parameters of ``first`` by their annotations.
    """

    def command(**given: Any) -> int:
        before = [given.pop(name) for name in first]
        return work(*before, options(**given))

    hints = get_type_hints(options)
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=a) for name, a in first.items()
    ]
    for one in fields(options):  # type: ignore[arg-type]
        default = inspect.Parameter.empty if one.default is MISSING else one.default
        note = Annotated[hints[one.name], one.metadata["typer"]]  # type: ignore[valid-type, name-defined]
        parameters.append(
            inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=note)
        )
    command.__doc__ = options.__doc__
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        print(f"simulate-vehicle {__version__}")
        raise typer.Exit


RUN = HelpPanel("What to simulate")
VARIED = HelpPanel("What to vary")
WHERE = HelpPanel("Where")
INTEGRATION = HelpPanel("Integration")
OUTPUT = HelpPanel("Output")
ABOUT = HelpPanel("About")
EXPORTED = HelpPanel("What to export")
AS = HelpPanel("As what")
DRIVEN = HelpPanel("What to drive")
TRIED = HelpPanel("What to try")
RANGE = HelpPanel("How")
LOADS = HelpPanel("Forces")
TESTED = HelpPanel("What to test")
PARTS = HelpPanel("What the file does not name")
TABLE = HelpPanel("Tables of hardpoints")
DIFFERENT = HelpPanel("What differs")
PLAIN = HelpPanel(None)


@dataclass(frozen=True, kw_only=True)
class Simulate:
    """Simulate a vehicle whose loops are embedded exactly: the HMMWV, or any that a file describes.

    Without options: an ISO 3888-1 double lane change at 12 m/s, 10 s.  A summary is printed; all results go
    to a NetCDF file and a page of plots.
    """

    vehicle: str = RUN(
        "A shipped vehicle, see --list-vehicles; a YAML file that names its axles, the file that it "
        "builds on, or just numbers that differ from the HMMWV's; or a vehicle's JSON file of Project"
        " Chrono.",
        default="hmmwv",
        metavar="NAME|FILE",
    )
    manoeuvre: str | None = RUN(
        "What the driver does; see --list-manoeuvres.  [dim]Default: double-lane-change[/dim]",
        "--manoeuvre",
        "-m",
        metavar="NAME",
    )
    speed: str | None = RUN("Speed at the start, e.g. 12, '12 m/s', '43 km/h'.")
    duration: str | None = RUN("Time simulated, e.g. 10 or '10 s'.")
    option: list[str] | None = RUN(
        "Option of the manoeuvre, e.g. radius='40 m'; repeatable.",
        "--option",
        "-o",
        metavar="NAME=VALUE",
    )
    overrides: list[str] | None = RUN(
        "Override a parameter, e.g. front.spring.linear='120 kN/m'; repeatable; see "
        "--list-parameters.  Corner values are given as for the left side.",
        "--set",
        metavar="PATH=VALUE",
    )
    tyre: list[str] | None = RUN(
        "A tyre property file (.tir, Magic Formula) in place of the vehicle's tyres: of all wheels, "
        "of an axle (front=FILE) or of a corner; repeatable.",
        metavar="[AXLE=]FILE",
    )
    road: str | None = RUN(
        "What to drive on: [bold]iso8608:C[/bold], [bold]kerb:height=0.1,position=10[/bold], "
        "[bold]FILE.crg[/bold], 'map.npy:dx=0.1 + mu:left=0.3,right=0.8', ...; see --list-roads.",
        metavar="ROAD|FILE",
    )
    method: str = INTEGRATION(
        "RK45, RK23, DOP853, LSODA, Radau or BDF, of SciPy's solve_ivp; or compiled: tsit5, dopri5, "
        "and rk4, rosenbrock, implicit-euler in fixed steps.",
        default="RK45",
    )
    rtol: str | None = INTEGRATION(
        "Relative error per step, of methods that adapt theirs.  [dim]Default: 1e-6.[/dim]"
    )
    atol: str | None = INTEGRATION("Absolute error, likewise.  [dim]Default: 1e-8.[/dim]")
    step: str | None = INTEGRATION("Of rk4, rosenbrock and implicit-euler.  [dim]Default: 1 ms.[/dim]")
    output: Path = OUTPUT(
        "Where results and plots go.", default=Path("simulate-vehicle-output"), metavar="FOLDER"
    )
    json: bool = OUTPUT("Summary as JSON on stdout, nothing else there.", "--json", default=False)
    no_plots: bool = OUTPUT("Save no page of plots.", "--no-plots", default=False)
    view: Path | None = OUTPUT(
        "A page that plays the run in three dimensions, in any browser, offline; as .gif or .png a film or "
        "picture of it, drawn by an installed Chromium; as .mcap for Foxglove, as .rrd for Rerun.",
        metavar="FILE.html|.gif|.png|.mcap|.rrd",
    )
    table: Path | None = OUTPUT(
        "All quantities over time as a table for other tools.", metavar="FILE.csv|.parquet|.mf4"
    )
    list_parameters: bool = ABOUT(
        "List all parameters, as --set takes them, and leave.", "--list-parameters", default=False
    )
    list_vehicles: bool = ABOUT("List all shipped vehicles and leave.", "--list-vehicles", default=False)
    list_manoeuvres: bool = ABOUT(
        "List all manoeuvres and their options, and leave.", "--list-manoeuvres", default=False
    )
    list_roads: bool = ABOUT("List all roads with their options, and exit.", "--list-roads", default=False)
    version: bool = ABOUT(
        "Show the version and leave.",
        "--version",
        default=False,
        callback=show_version,
        is_eager=True,
    )


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """Simulate a vehicle many times with some of its numbers varied.

    Finished runs are on disk and are not made again: the same command in the same folder completes a sweep
    that was stopped or killed.  Runs that fail are listed with their reasons and stop nothing.
    """

    vary: list[str] = argument(
        "What to vary: [bold]name=low:high[/bold], [bold]name=low:high:points[/bold] (of a grid) or "
        "[bold]name=a,b,c[/bold], e.g. front.spring.linear='120 kN/m:180 kN/m'; names as "
        "--list-parameters shows them, components as front.D.y.",
        metavar="NAME=VALUES...",
    )
    kind: str = VARIED("grid, latin-hypercube or monte-carlo.", "--kind", "-k", default="latin-hypercube")
    runs: int | None = VARIED("How many; of a grid it follows.", "--runs", "-n")
    seed: int = VARIED("Of the random numbers.", default=0)
    vehicle: str = RUN.vehicle(default="hmmwv")
    manoeuvre: str = RUN(None, "--manoeuvre", "-m", default="double-lane-change", metavar="NAME")
    speed: str | None = RUN.speed()
    duration: str | None = RUN("Time simulated.")
    option: list[str] | None = RUN("Of the manoeuvre.", "--option", "-o", metavar="NAME=VALUE")
    overrides: list[str] | None = RUN.overrides("The same in all runs.")
    tyre: list[str] | None = RUN.tyre()
    road: str | None = RUN.road()
    method: str = RUN(
        "rk4, rosenbrock, implicit-euler, in fixed steps, or dopri5 and tsit5, which are adaptive.",
        default="rk4",
    )
    step: str | None = RUN("Of rk4.  [dim]Default: 1 ms.[/dim]")
    rtol: str | None = RUN("Relative error of adaptive methods.  [dim]Default: 1e-6.[/dim]")
    atol: str | None = RUN("Absolute error of adaptive methods.  [dim]Default: 1e-8.[/dim]")
    interval: str = RUN("Between stored instants.", default="10 ms")
    output: Path = WHERE(
        "Results and summary; a sweep that was stopped goes on from there.",
        default=Path("simulate-vehicle-sweep"),
        metavar="FOLDER",
    )
    processes: int | None = WHERE("As many as processors if not given.")
    scheduler: str | None = WHERE(
        "Of a Dask scheduler, or 'local'; needs ce-dynamics\\[dask].", metavar="ADDRESS"
    )


@dataclass(frozen=True, kw_only=True)
class Export:
    """Write a vehicle, standing or rolling as it has settled, as an FMU or as C source.

    Its inputs are steering and pedals; it needs no Python any more.
    """

    kind: str = argument(
        "[bold]fmu[/bold], one file for simulation tools on all platforms, or [bold]c[/bold], C99 "
        "source without dependencies.",
        metavar="KIND",
    )
    vehicle: str = EXPORTED.vehicle(default="hmmwv")
    speed: str | None = EXPORTED.speed()
    overrides: list[str] | None = EXPORTED.overrides()
    tyre: list[str] | None = EXPORTED.tyre()
    road: str | None = EXPORTED.road()
    free: list[str] | None = EXPORTED(
        "A number that stays a parameter of the FMU or of the C source, e.g. chassis.mass; names as "
        "--set takes them; repeatable.",
        metavar="PATH",
    )
    steering_wheel: bool = EXPORTED(
        "Steer by the angle of the steering wheel: the input steering_wheel_command \\[rad] replaces "
        "steering.",
        "--steering-wheel",
        default=False,
    )
    output: Path | None = AS(
        "File of the FMU, or folder of the source.  [dim]Default: vehicle.fmu, vehicle-c[/dim]",
        metavar="PATH",
    )
    name: str = AS("Model identifier, and prefix of names in C.", default="vehicle")
    fmi: str = AS("Version of FMI: 2.0 or 3.0.", default="3.0")
    platform: list[str] | None = AS(
        "Platform of an FMU, e.g. x86_64-windows; repeatable.  [dim]Default: all five[/dim]",
        metavar="NAME",
    )
    sources: bool = AS("C source inside the FMU as well.", "--sources", default=False)
    derivatives: bool = AS("Exact derivatives in C; FMUs have them.", "--derivatives", default=False)


@dataclass(frozen=True, kw_only=True)
class Drive:
    """Write a page in which vehicles are driven: physics inside, no server, no network.

    Arrow keys or WASD, a gamepad, or a touch screen.  Drives can be replayed and saved.
    """

    vehicle: list[str] | None = DRIVEN.vehicle(
        "; repeatable, to choose from in the page.  [dim]Default: hmmwv, hmmwv-automatic, sedan[/dim]",
    )
    manoeuvre: str | None = DRIVEN("Whose road to drive.", "--manoeuvre", "-m", metavar="NAME")
    road: str | None = DRIVEN.road()
    speed: str | None = DRIVEN.speed("  [dim]Default: at rest[/dim]")
    overrides: list[str] | None = DRIVEN.overrides()
    tyre: list[str] | None = DRIVEN.tyre("A tyre property file to choose; repeatable.")
    slider: list[str] | None = DRIVEN(
        "A number to change while driving, in SI units; repeatable.  [dim]Default: friction, springs,"
        " dampers, two hardpoints[/dim]",
        metavar="PATH[=LOW:HIGH]",
    )
    steering: str = DRIVEN(
        "How far to steer: part of full lock, or angle of the steering wheel, e.g. '270 deg'.",
        default="1",
        metavar="PART|ANGLE",
    )
    step: str = DRIVEN("Of the physics.", default="1 ms")
    output: Path = OUTPUT(None, default=Path("drive.html"), metavar="FILE.html")


@dataclass(frozen=True, kw_only=True)
class Kc:
    """Take an axle through wheel travel, steering and forces: toe, camber, roll centre, rates and the like.

    The figures of the design position are printed; curves go to CSV (degrees and millimetres), NetCDF and
    JSON (SI units) and to a page.
    """

    vehicle: list[str] | None = TRIED.vehicle(
        "; repeatable: curves lie over one another", show_default="hmmwv"
    )
    axle: str = TRIED("Its axle.", default="front", metavar="NAME")
    overrides: list[str] | None = TRIED.overrides("Override a parameter of all of them.")
    variant: list[str] | None = TRIED.variant()
    tyre: list[str] | None = TRIED.tyre(
        "A tyre property file (.tir), whose radius and stiffness count; repeatable."
    )
    sweep: list[str] | None = RANGE(
        "parallel, opposed, left, right or steering; repeatable.  [dim]Default: parallel, opposed, "
        "steering[/dim]",
        metavar="KIND",
    )
    travel: str = RANGE(
        "Wheel travel, up from the design position; m, or with units.",
        default="-0.1:0.1:41",
        metavar="LOW:HIGH[:POSES]",
    )
    steering: str = RANGE(
        "Part of full lock, positive to the left.", default="-1:1:41", metavar="LOW:HIGH[:POSES]"
    )
    force: list[str] | None = LOADS(
        "lateral, longitudinal or aligning, -opposed if the right wheel's is the other way; "
        "repeatable.  [dim]Default: with bushings lateral, longitudinal, aligning; else none[/dim]",
        metavar="KIND",
    )
    forces: str = LOADS(
        "At each wheel; N, or with units.", default="-5000:5000:21", metavar="LOW:HIGH[:POSES]"
    )
    torques: str = LOADS(
        "Aligning torque; N*m, or with units.", default="-200:200:21", metavar="LOW:HIGH[:POSES]"
    )
    at: str = LOADS(
        "Where forces act: contact (brakes at the wheels) or centre (drive).",
        default="contact",
        metavar="PLACE",
    )
    hold: str = LOADS(
        "What stays while forces act: the height of the wheels, or their vertical load.",
        default="height",
        metavar="WHAT",
    )
    output: Path = OUTPUT(
        "Where tables and the page go.", default=Path("simulate-vehicle-kc"), metavar="FOLDER"
    )
    json: bool = OUTPUT("All curves as JSON on stdout, nothing else there.", "--json", default=False)
    look: Path | None = OUTPUT(
        "Write only a page in which hardpoints are dragged, curves and linkage following.",
        metavar="FILE.html",
    )
    no_plots: bool = OUTPUT("Save no page of curves.", "--no-plots", default=False)


@dataclass(frozen=True, kw_only=True)
class Handling:
    """Put vehicles to tests of standards: steady cornering, steps, frequency response, lanes, braking, ride.

    Figures are printed, one column for each vehicle; runs go to NetCDF, figures and curves to JSON and
    pictures.
    """

    tests: list[str] | None = argument(
        "Tests by name, or [bold]all[/bold]; see --list.  [dim]Default: constant-speed, step-input, "
        "frequency-input, brake-in-turn, braking, acceleration[/dim]",
        default=None,
        metavar="[TEST...]",
    )
    vehicle: list[str] | None = TESTED.vehicle("; repeatable", show_default="hmmwv")
    overrides: list[str] | None = TESTED.overrides("Override a parameter of all of them.")
    variant: list[str] | None = TESTED.variant()
    option: list[str] | None = TESTED(
        "Option of a test, or of all that have it, e.g. speed='100 km/h'; repeatable.",
        "--option",
        "-o",
        metavar="[TEST.]NAME=VALUE",
    )
    tyre: list[str] | None = TESTED.tyre()
    road: str | None = TESTED.road()
    output: Path = OUTPUT(
        "Where pictures and files go.", default=Path("simulate-vehicle-handling"), metavar="FOLDER"
    )
    report: Path | None = OUTPUT(
        "Everything in one page that any browser shows and prints, offline.", metavar="FILE.html"
    )
    kc: bool = OUTPUT("Kinematics and compliance in the report, too.", "--kc", default=False)
    json: bool = OUTPUT("All figures as JSON on stdout, nothing else there.", "--json", default=False)
    no_plots: bool = OUTPUT("Save no pictures.", "--no-plots", default=False)
    no_runs: bool = OUTPUT("Do not save the runs themselves.", "--no-runs", default=False)
    list_tests: bool = ABOUT("List all tests and their options, and leave.", "--list", default=False)


@dataclass(frozen=True, kw_only=True)
class Identify:
    """Fit numbers of a vehicle to recorded runs, and predict runs with error bands."""

    runs: list[Path] = argument("Tables to fit: .csv, .parquet, .mf4 or .mcap.", metavar="RUN...")
    mapping: list[Path] = OUTPUT(
        "Which column is which channel; repeatable: for all, or for each run in turn, then each predicted.",
        default=MISSING,
        metavar="FILE.yaml",
    )
    vehicle: str = TESTED.vehicle(default="hmmwv")
    free: list[str] | None = TESTED(
        "A number to fit besides those of the mappings, such as chassis.inertia.zz, front.tyre.dfy0* (all "
        "its components) or channels.yaw_rate.delay, and the standard deviation of its prior; repeatable.",
        metavar="NAME[=SD]",
    )
    overrides: list[str] | None = TESTED.overrides()
    predict: list[Path] | None = OUTPUT(
        "A run to predict, by its or the first mapping; repeatable.  [dim]Default: those fitted[/dim]",
        metavar="RUN",
    )
    reference: list[str] | None = OUTPUT(
        "A single-track model to fit and predict beside: kinematic, linear or 'magic formula'; repeatable.",
        metavar="KIND",
    )
    bootstrap: int = OUTPUT(
        "Draws of windows that check the standard deviations of the estimates.", default=0, metavar="N"
    )
    resume: bool = OUTPUT(
        "Go on with the fit of the output folder; one that has ended predicts.", "--resume", default=False
    )
    length: str = INTEGRATION("Of a window.", default="10 s")
    lead: str = INTEGRATION("Time ahead of a window that is simulated only.", default="1 s")
    step: str = INTEGRATION("Of the Runge-Kutta method.", default="2 ms")
    output: Path = OUTPUT(
        "Figures, tables and the report.", default=Path("simulate-vehicle-identify"), metavar="FOLDER"
    )


@dataclass(frozen=True, kw_only=True)
class Convert:
    """Write a vehicle of Project Chrono, of an earlier format, or a table of hardpoints as a data file.

    Differences from Chrono's files and assumptions are listed: here, and at the head of the data file.
    """

    vehicle: str = argument("A file of Project Chrono, a data file, or a table.", metavar="FILE")
    engine: str | None = PARTS("Its engine.", metavar="FILE")
    transmission: str | None = PARTS("Its transmission.", metavar="FILE")
    tyre: str | None = PARTS("Its tyres.", metavar="FILE")
    trailer: str | None = PARTS("A trailer behind it.", metavar="FILE")
    like_chrono: bool = PARTS(
        "Copy ways of Chrono that no vehicle has.",
        "--like-chrono",
        default=False,
    )
    bushings: bool = PARTS(
        "Let joints with bushings yield as the vehicle drives, not on the rig only.",
        "--bushings",
        default=False,
    )
    base: str | None = TABLE("Vehicle whose axle takes the hardpoints of a table.", metavar="NAME|FILE")
    axle: str | None = TABLE("Name of that axle.")
    axes: str | None = TABLE(
        "Axes of the table: iso (x forward, y left), adams (x rearward, y right), sae (y right, z down).",
        metavar="iso|adams|sae",
    )
    length: str = TABLE("Unit of the table.", default="mm", metavar="UNIT")
    output: Path | None = AS(
        "The data file.  [dim]Default: the vehicle's name with .yaml, in this folder[/dim]",
        metavar="FILE",
    )


@dataclass(frozen=True, kw_only=True)
class Compare:
    """Drive vehicles of Project Chrono by the inputs of recordings and print the differences.

    Every vehicle is read from Chrono's files and falls to rest with its brakes on.  It then starts as each
    recording starts.  Differences are root mean squares over the largest value of the recording.
    """

    recordings: Path = argument("Folder of recordings with their summary.json.", metavar="RECORDINGS")
    vehicles: Path = PLAIN(
        "Chrono's folder data/vehicle, to which the summary refers.", default=MISSING, metavar="FOLDER"
    )
    only: list[str] | None = PLAIN(
        "Recordings whose names begin so.  [dim]Default: all[/dim]", metavar="NAME"
    )
    like_chrono: bool = PLAIN("Copy ways of Chrono that no vehicle has.", "--like-chrono", default=False)
    bushings: bool = PLAIN("Let joints with bushings yield (rosenbrock, 1 ms).", "--bushings", default=False)
    overrides: list[str] | None = DIFFERENT.overrides()


@dataclass(frozen=True, kw_only=True)
class Determinism:
    """Drive 10 s in every way there is, and print a SHA-256 hash of the states of each.

    Portable code, which the environment variable CE_DYNAMICS_CODE=portable selects elsewhere, gives the same
    bits in all of them, on any processor. The exit code is 3 where two hashes differ.
    """

    vehicle: str = PLAIN.vehicle(default="hmmwv")
    speed: str | None = PLAIN.speed()
    keep: Path | None = PLAIN("Keep the C source in this folder, to compile for other processors.", "--keep")


@dataclass(frozen=True, kw_only=True)
class Cache:
    """Show or clear the cache of compiled models.

    It is the user's cache folder, or that of the environment variable CE_DYNAMICS_CACHE ('off':
    nowhere).
    """

    clear: bool = PLAIN("Remove everything in it.", "--clear", default=False)
    json: bool = PLAIN("As JSON on stdout.", "--json", default=False)


SUBCOMMANDS: Mapping[str, type] = {
    "sweep": SweepOptions,
    "export": Export,
    "drive": Drive,
    "kc": Kc,
    "handling": Handling,
    "identify": Identify,
    "convert": Convert,
    "compare": Compare,
    "determinism": Determinism,
    "cache": Cache,
}
"""Options by subcommand; the work is `run` of a module of that name."""
