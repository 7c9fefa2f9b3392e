"""``simulate-vehicle kc``: kinematics and compliance of an axle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ce_dynamics.cli import exit_codes, shared_options as shared
from ce_dynamics.cli.messages import complain

if TYPE_CHECKING:
    import xarray as xr

    from ce_dynamics.cli.progress import Display
    from ce_dynamics.models.kc.force_sweeps import ForceSweep
    from ce_dynamics.models.kc.rig import KCRig
    from ce_dynamics.models.kc.summary import Row
    from ce_dynamics.models.kc.sweeps import Sweep
    from ce_dynamics.models.vehicles.description import VehicleParameters

ROUNDING = 1e-9
"""Below it a figure of the table is zero, in any of its units."""

PARTIAL = "-partial"
"""Behind the name of a sweep that is not whole."""
DEFAULT_FORCES = ("lateral", "longitudinal", "aligning")
"""Force sweeps that axles with bushings get by default."""
IDLE = {"forces": "-5000:5000:21", "torques": "-200:200:21", "at": "contact", "hold": "height"}
"""Options of forces as they are if nobody says anything."""

AXLE, RANGE, LOADS, OUTPUT = "What to try", "How", "Forces", "Output"


def kc(
    vehicle: Annotated[
        list[str] | None,
        shared.vehicle(AXLE, "; repeatable: curves lie over one another", show_default="hmmwv"),
    ] = None,
    axle: Annotated[str, typer.Option(metavar="NAME", help="Its axle.", rich_help_panel=AXLE)] = "front",
    overrides: Annotated[
        list[str] | None, shared.overrides(AXLE, "Override a parameter of all of them.")
    ] = None,
    variant: Annotated[list[str] | None, shared.variant(AXLE)] = None,
    tyre: Annotated[
        list[str] | None,
        shared.tyre(AXLE, "A tyre property file (.tir), whose radius and stiffness count; repeatable."),
    ] = None,
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            help="parallel, opposed, left, right or steering; repeatable.  [dim]Default: parallel, opposed, "
            "steering[/dim]",
            rich_help_panel=RANGE,
        ),
    ] = None,
    travel: Annotated[
        str,
        typer.Option(
            metavar="LOW:HIGH[:POSES]",
            help="Wheel travel, up from the design position; m, or with units.",
            rich_help_panel=RANGE,
        ),
    ] = "-0.1:0.1:41",
    steering: Annotated[
        str,
        typer.Option(
            metavar="LOW:HIGH[:POSES]", help="Part of full lock, positive to the left.", rich_help_panel=RANGE
        ),
    ] = "-1:1:41",
    force: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            help="lateral, longitudinal or aligning, -opposed if the right wheel's is the other way; "
            "repeatable.  [dim]Default: with bushings lateral, longitudinal, aligning; else none[/dim]",
            rich_help_panel=LOADS,
        ),
    ] = None,
    forces: Annotated[
        str,
        typer.Option(
            metavar="LOW:HIGH[:POSES]", help="At each wheel; N, or with units.", rich_help_panel=LOADS
        ),
    ] = IDLE["forces"],
    torques: Annotated[
        str,
        typer.Option(
            metavar="LOW:HIGH[:POSES]", help="Aligning torque; N*m, or with units.", rich_help_panel=LOADS
        ),
    ] = IDLE["torques"],
    at: Annotated[
        str,
        typer.Option(
            metavar="PLACE",
            help="Where forces act: contact (brakes at the wheels) or centre (drive).",
            rich_help_panel=LOADS,
        ),
    ] = IDLE["at"],
    hold: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What stays while forces act: the height of the wheels, or their vertical load.",
            rich_help_panel=LOADS,
        ),
    ] = IDLE["hold"],
    output: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where tables and the page go.", rich_help_panel=OUTPUT)
    ] = Path("simulate-vehicle-kc"),
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="All curves as JSON on stdout, nothing else there.", rich_help_panel=OUTPUT
        ),
    ] = False,
    look: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html",
            help="Write only a page in which hardpoints are dragged, curves and linkage following.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    no_plots: Annotated[
        bool, typer.Option("--no-plots", help="Save no page of curves.", rich_help_panel=OUTPUT)
    ] = False,
) -> int:
    """Take an axle through wheel travel, steering and forces: toe, camber, roll centre, rates and the like.

    The figures of the design position are printed; curves go to CSV (degrees and millimetres), NetCDF and
    JSON (SI units) and to a page.
    """
    # here, so that mistakes and --help are answered at once
    import json as json_text

    from ce_dynamics.algebra.files import whole
    from ce_dynamics.cli.progress import Display
    from ce_dynamics.cli.simulation import make_folder
    from ce_dynamics.models.kc.page import save_page
    from ce_dynamics.models.kc.summary import as_json

    chosen = subjects_of(vehicle or ["hmmwv"], overrides or [], variant or [], tyre or [])
    for note in dict.fromkeys(note for one in chosen for note in one.data.notes):
        complain(note, "note")
    if look is not None:
        return write_page(look, chosen, axle)
    only_forces = force is not None and sweep is None
    kinds = sweep or (() if only_forces else ("parallel", "opposed", "steering"))
    wanted = [sweep_from(kind, travel, steering) for kind in kinds]
    check_forces(forces, torques, at, hold)
    pushes = [force_sweep_from(kind, forces, torques, at, hold) for kind in force or ()]
    soft = any(bushing.axle == axle for one in chosen for bushing in one.data.bushings)
    refuse_idle(force, soft and sweep is None, forces=forces, torques=torques, at=at, hold=hold)
    usual = [force_sweep_from(kind, forces, torques, "contact", hold) for kind in DEFAULT_FORCES]
    make_folder(output)
    with Display() as display:
        tried = [
            measure(one, axle, wanted, sweep is None, pushes, usual if force is None else (), display)
            for one in chosen
        ]
        content = as_json(tried[0].sweeps)
        if len(tried) > 1:
            content = {one.label: as_json(one.sweeps) for one in tried}
        files = []
        for one in tried:
            prefix = f"{one.stem}-" if len(tried) > 1 else ""
            files += save_sweeps(one.sweeps, output, f"{prefix}{axle}")
        files.append(output / f"{axle}.json")
        with whole(files[-1]) as temporary:
            temporary.write_text(json_text.dumps(content, allow_nan=False))
        if not no_plots:
            display.stage("drawing")
            files.append(output / f"{axle}.png")
            curves = {
                one.label: {name.replace(PARTIAL, ""): results for name, results in one.sweeps.items()}
                for one in tried
            }
            with whole(files[-1]) as temporary:
                save_page(curves, f"{'' if len(tried) > 1 else tried[0].label + ': '}{axle} axle", temporary)
    if json:
        print(json_text.dumps(content, allow_nan=False))
    else:
        print_measured(tried, axle)
        for path in files:
            print(path)
    troubles = [(one.label, one.trouble) for one in tried if one.trouble]
    for label, trouble in troubles:
        whose = f"{label}: " if len(tried) > 1 else ""
        complain(f"{whose}{trouble}; poses that are reached are saved as partial")
    return exit_codes.BAD_INPUT if troubles else exit_codes.OK


@dataclass(frozen=True)
class ComparedAxle:
    """A vehicle whose axle is tried.

    Attributes
    ----------
    label, stem : str
        Name in plots and tables, and in names of files.
    vehicle : str
        As `VehicleParameters.load` takes it.
    overrides, tyres : sequences of str
    data : VehicleParameters
    """

    label: str
    stem: str
    vehicle: str
    overrides: Sequence[str]
    tyres: Sequence[str]
    data: VehicleParameters


@dataclass(frozen=True)
class Measured:
    """Measured axle: curves by sweep, figures, and the message on poses that cannot be reached."""

    label: str
    stem: str
    rig: KCRig
    sweeps: dict[str, xr.Dataset]
    rows: list[Row]
    compliance: list[Row]
    soft: bool
    trouble: str


def subjects_of(
    names: Sequence[str], overrides: Sequence[str], variants: Sequence[str], tyres: Sequence[str]
) -> list[ComparedAxle]:
    """Return the vehicles and the variants of the first, each under a label of its own.

    Labels are titles, or the names as given where titles are equal.

    Raises
    ------
    DataError
        If data are wrong, or two would have one label.
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.errors import DataError
    from ce_dynamics.models.handling.files import stem
    from ce_dynamics.models.vehicles.description import VehicleParameters
    from ce_dynamics.models.vehicles.files import check_vehicle
    from ce_dynamics.models.vehicles.plots.look import AXLE_COLOURS

    loaded = [(name, VehicleParameters.load(check_vehicle(name), overrides)) for name in names]
    titles = [data.title if len(names) + len(variants) == 1 else data.short_title for _, data in loaded]
    found = [
        ComparedAxle(
            title if titles.count(title) == 1 else name, stem(Path(name).stem), name, overrides, tyres, data
        )
        for title, (name, data) in zip(titles, loaded, strict=True)
    ]
    for text in variants:
        title, given = shared.variant_of(text)
        changes = [*overrides, *given]
        data = VehicleParameters.load(names[0], changes)
        found.append(ComparedAxle(title, stem(title), names[0], changes, tyres, data))
    for what in ("label", "stem"):
        known = [getattr(one, what) for one in found]
        for one in known:
            if known.count(one) > 1:
                raise DataError(f"two vehicles or variants are called {one!r}; leave one out, or rename it")
    if len(found) > len(AXLE_COLOURS):
        raise DataError(
            f"{len(found)} vehicles and variants; at most {len(AXLE_COLOURS)} can be told apart in a plot"
        )
    return found


def measure(
    subject: ComparedAxle,
    axle: str,
    wanted: list[Sweep],
    all_kinds: bool,
    pushes: list[ForceSweep],
    usual: Sequence[ForceSweep],
    display: Display,
) -> Measured:
    """Take an axle through all sweeps.

    Parameters
    ----------
    subject : ComparedAxle
    axle : str
    wanted : list of Sweep
        Of travel and steering.
    all_kinds : bool
        Whether they are the usual ones: those that the axle cannot do are left out.
    pushes : list of ForceSweep
    usual : sequence of ForceSweep
        Of axles with bushings, in place of no pushes where the sweeps are the usual ones.
    display : Display
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.models.kc.compliance import Compliance
    from ce_dynamics.models.kc.force_sweeps import forced, travelled
    from ce_dynamics.models.kc.summary import compliance_rows, design_rows, end_rows
    from ce_dynamics.models.kc.vehicle import elastic_joints, rig_of

    display.stage(f"{subject.label}: preparing the axle")
    rig = rig_of(subject.data, axle, tyres=subject.tyres)
    soft = any(bushing.axle == axle for bushing in subject.data.bushings)
    if all_kinds:
        wanted = [one for one in wanted if one.kind in rig.kinds]
        pushes = [*usual] if soft and not pushes else pushes
    display.stage(f"{subject.label}: sweeping")
    sweeps, trouble = swept(rig, wanted)
    rows, more = design_rows(rig) + end_rows(rig), []
    if soft or pushes:
        display.stage(f"{subject.label}: letting bushings yield")
        elastic = Compliance(rig, elastic_joints(subject.data, rig))
        if soft:
            ways = {name: sweep_made(name, results) for name, results in sweeps.items()}
            sweeps |= {f"{name}-bushings": travelled(elastic, way) for name, way in ways.items()}
        sweeps |= {one.kind: forced(elastic, one) for one in pushes}
        more = compliance_rows(elastic)
    return Measured(subject.label, subject.stem, rig, sweeps, rows, more, soft, trouble)


def save_sweeps(sweeps: Mapping[str, xr.Dataset], output: Path, prefix: str) -> list[Path]:
    """Write the sweeps of an axle as CSV and NetCDF and return the paths."""
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.algebra.files import whole
    from ce_dynamics.models.kc.sweeps import csv_text
    from ce_dynamics.simulation.netcdf import netcdf_bytes

    files = []
    for kind, results in sweeps.items():
        for suffix in ("csv", "nc"):
            path = output / f"{prefix}-{kind}.{suffix}"
            with whole(path) as temporary:
                if suffix == "csv":
                    temporary.write_text(csv_text(results))
                else:
                    temporary.write_bytes(netcdf_bytes({"/": results}))
            files.append(path)
    return files


def print_measured(tried: Sequence[Measured], axle: str) -> None:
    """Print the figures of the design position, a column for each vehicle, and those of compliance."""
    for one in tried:
        whose = f"{one.label}, " if len(tried) > 1 else ""
        if one.rig.poses.travels.why:
            there = " and ".join(one.rig.poses.travels.kinds)
            print(f"{whose}axle {axle!r}: {one.rig.poses.travels.why}; there is {there} travel only")
    title = f"{tried[0].label}: {axle} axle" if len(tried) == 1 else f"{axle.capitalize()} axle"
    print_rows(f"{title} in the design position", {one.label: one.rows for one in tried})
    yielding = {one.label: one.compliance for one in tried if one.compliance}
    if yielding:
        soft = [one.soft for one in tried if one.compliance]
        held = (
            "with bushings" if all(soft) else "without bushings" if not any(soft) else "with bushings if any"
        )
        print_rows(f"Compliance at the wheels, {held}", yielding)


def swept(rig: KCRig, wanted: list[Sweep]) -> tuple[dict[str, xr.Dataset], str]:
    """Sweeps by name, of those beyond the axle's reach what is within; and what is in the way of the first.

    Raises
    ------
    AssemblyError
        If no pose of any is reached.
    """
    from ce_dynamics.errors import AssemblyError  # here, so that --help is answered at once

    sweeps: dict[str, xr.Dataset] = {}
    stopped: dict[str, AssemblyError] = {}
    for one in wanted:
        try:
            sweeps[one.kind] = rig.sweep(one)
        except AssemblyError as error:
            stopped[one.kind] = error
            if error.partial is not None:
                sweeps[f"{one.kind}{PARTIAL}"] = cast("xr.Dataset", error.partial)
    if not stopped:
        return sweeps, ""
    first, *others = stopped
    if not sweeps:
        raise stopped[first]
    likewise = f"; likewise the sweeps {', '.join(others)}" if others else ""
    return sweeps, f"{first} sweep: {stopped[first]}{likewise}"


def sweep_made(name: str, results: xr.Dataset) -> Sweep:
    """The sweep that some results are of."""
    from ce_dynamics.models.kc.sweeps import Sweep  # here, so that --help is answered at once

    steering = results["steering"].values
    return Sweep(name, steering, results["wheel_travel"].values, steering)


def write_page(path: Path, subjects: Sequence[ComparedAxle], axle: str) -> int:
    """Write the page in which hardpoints are dragged; curves of further vehicles lie over the first's."""
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.algebra.files import check_place
    from ce_dynamics.cli.progress import Display
    from ce_dynamics.models.kc.live import live_page
    from ce_dynamics.models.kc.vehicle import rig_of

    check_place(path)
    first, *others = subjects
    with Display() as display:
        display.stage("preparing the axle")
        page = live_page(first.vehicle, axle, overrides=first.overrides, tyres=first.tyres)
        page.others = {one.label: rig_of(one.data, axle, tyres=one.tyres) for one in others}
        display.stage("compiling for the page")
        page.save(path)
    print(path)
    return 0


def sweep_from(kind: str, travel: str, steering: str) -> Sweep:
    """A sweep with its range as it was typed.

    Raises
    ------
    DataError
        If the kind is unknown, or a range is none.
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.algebra import checks
    from ce_dynamics.errors import DataError
    from ce_dynamics.models.kc.sweeps import KINDS, sweep_of

    checks.known("--sweep", kind, list(KINDS), "kind", DataError)
    over_steering = kind == "steering"
    return sweep_of(
        kind, values_of(*(("--steering", steering, "1") if over_steering else ("--travel", travel, "m")))
    )


def check_forces(forces: str, torques: str, at: str, hold: str) -> None:
    """Refuse what no sweep of forces could take, whether there is one or not.

    Raises
    ------
    DataError
        Naming the option.
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.algebra import checks
    from ce_dynamics.errors import DataError
    from ce_dynamics.models.kc.force_sweeps import HOLDS, PLACES

    values_of("--forces", forces, "N")
    values_of("--torques", torques, "N*m")
    checks.choice("--at", at, PLACES, DataError)
    checks.choice("--hold", hold, HOLDS, DataError)


def refuse_idle(force: list[str] | None, usual: bool, **given: str) -> None:
    """Refuse options that nothing would ask for.

    Parameters
    ----------
    force : list of str or None
        Sweeps of forces that were named.
    usual : bool
        Whether the usual ones run if none was named; they push at the contact.
    given : str
        The options of `IDLE` as they are.

    Raises
    ------
    DataError
        Naming the option and what is missing.
    """
    from ce_dynamics.errors import DataError  # here, so that --help is answered at once

    if force:
        return
    for name, value in given.items():
        if value != IDLE[name] and not (usual and name != "at"):
            raise DataError(
                f"--{name} {value!r} has an effect on sweeps of forces only; name one with --force"
            )


def force_sweep_from(kind: str, forces: str, torques: str, at: str, hold: str) -> ForceSweep:
    """A sweep of forces or torques with its range as it was typed.

    Raises
    ------
    DataError
        If a name is unknown, or a range is none.
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.algebra import checks
    from ce_dynamics.errors import DataError
    from ce_dynamics.models.kc.force_sweeps import FORCES, force_sweep_of

    checks.known("--force", kind, list(FORCES), "kind", DataError)
    unit = FORCES[kind].unit
    given = ("--forces", forces, unit) if unit == "N" else ("--torques", torques, unit)
    return force_sweep_of(kind, values_of(*given), place=at if unit == "N" else "contact", hold=hold)


def values_of(owner: str, text: str, unit: str) -> list[float]:
    """Numbers of ``low:high`` or ``low:high:poses``."""
    # here, so that mistakes and --help are answered at once
    import numpy as np

    from ce_dynamics.errors import DataError
    from ce_dynamics.models.data.quantities import si_value
    from ce_dynamics.models.kc.sweeps import MOST_POSES, POSES

    parts = text.split(":")
    if len(parts) not in (2, 3):
        raise DataError(
            f"{owner} {text!r} is not of the form low:high or low:high:poses, such as -0.1:0.1:41"
        )
    low, high = (si_value(owner, part, unit) for part in parts[:2])
    poses = POSES
    if len(parts) == 3:
        if not parts[2].strip().isdecimal() or not 2 <= int(parts[2]) <= MOST_POSES:
            raise DataError(
                f"{owner}: {parts[2]!r} poses; a whole number from 2 to {MOST_POSES:,} is allowed"
            )
        poses = int(parts[2])
    if not low < high:
        raise DataError(f"{owner}: {parts[0]} must be less than {parts[1]}")
    found: list[float] = np.linspace(low, high, poses).tolist()
    return found


def print_rows(title: str, rows: Mapping[str, list[Row]]) -> None:
    """Print a table: left and right for one vehicle, a column for each of several."""
    # here, so that mistakes and --help are answered at once
    from rich.console import Console
    from rich.table import Table

    from ce_dynamics.cli.tables import number, unit

    by_name = {label: {row.name: row for row in own} for label, own in rows.items()}
    known = {row.name: row.unit for own in rows.values() for row in own}
    heads = ["left", "right"] if len(rows) == 1 else list(rows)
    table = Table("", *heads, "", title=title, title_justify="left")
    for column in table.columns[1:-1]:
        column.justify = "right"
    for name, of in known.items():
        cells = []
        for own in by_name.values():
            values = own[name].values if name in own else ()
            if len(rows) > 1 and len({round(abs(value), 9) for value in values}) == 1:
                values = values[:1]
            cells.append([number(0.0 if abs(value) < ROUNDING else value) for value in values])
        texts = [*cells[0], ""][:2] if len(rows) == 1 else [" | ".join(cell) or "–" for cell in cells]
        table.add_row(name.replace("_", " "), *texts, unit(of))
    Console(highlight=False).print(table)
    if len(rows) > 1:
        print(
            "left | right wheel; one number of the axle, or of the left wheel where the right one is as large"
        )
