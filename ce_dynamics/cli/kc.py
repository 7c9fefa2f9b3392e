"""``simulate-vehicle kc``: kinematics and compliance of an axle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rich.console import Console
from rich.table import Table

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.files import check_place
from ce_dynamics.cli.common import Writer, load_all, make_folder, save
from ce_dynamics.cli.messages import BAD_INPUT, OK, print_line
from ce_dynamics.cli.options import Kc
from ce_dynamics.cli.progress import Display
from ce_dynamics.cli.tables import number, unit
from ce_dynamics.errors import AssemblyError, DataError
from ce_dynamics.models.data.quantities import ParameterQuantity
from ce_dynamics.models.data.sampling import parse_range
from ce_dynamics.models.handling.report.page import stem
from ce_dynamics.models.kc.compliance import Compliance
from ce_dynamics.models.kc.force_sweeps import (
    FORCES,
    HOLDS,
    PLACES,
    ForceSweep,
    force_sweep,
    force_sweep_of,
    travel_sweep,
)
from ce_dynamics.models.kc.live import live_page
from ce_dynamics.models.kc.page import SummaryRow, as_json, compliance_rows, design_rows, end_rows, save_page
from ce_dynamics.models.kc.rig import KCRig
from ce_dynamics.models.kc.sweeps import KINDS, POSES, Sweep, csv_text, sweep_of
from ce_dynamics.models.kc.vehicle import elastic_joints
from ce_dynamics.simulation.netcdf import netcdf_bytes
from ce_dynamics.vehicles import Vehicle
from ce_dynamics.views.charts import COLOURS

if TYPE_CHECKING:
    import xarray as xr

ROUNDING = 1e-9
"""Below it a figure of the table is zero, in any of its units."""
PARTIAL = "-partial"
"""Behind the name of a sweep that is not whole."""
DEFAULT_FORCES = ("lateral", "longitudinal", "aligning")
"""Force sweeps that axles with bushings get by default."""


def run(options: Kc) -> int:
    """Measure the axle, save and report."""
    chosen = subjects_of(options)
    for note in dict.fromkeys(note for one in chosen for note in one.car.data.notes):
        print_line(note, "note")
    if options.look is not None:
        return write_page(options.look, chosen, options.axle)
    plan = plan_of(options, any(has_bushings(one.car, options.axle) for one in chosen))
    make_folder(options.output)
    with Display() as display:
        tried = [measure(one, plan, display) for one in chosen]
        content = as_json(tried[0].sweeps)
        if len(tried) > 1:
            content = {one.label: as_json(one.sweeps) for one in tried}
        display.stage("saving")
        files = save(files_of(tried, options, content))
    if options.json:
        print(dumps(content, allow_nan=False))
    else:
        print_measured(tried, options.axle)
        for path in files:
            print(path)
    troubles = [(one.label, one.trouble) for one in tried if one.trouble]
    for label, trouble in troubles:
        whose = f"{label}: " if len(tried) > 1 else ""
        print_line(f"{whose}{trouble}; poses that are reached are saved as partial")
    return BAD_INPUT if troubles else OK


@dataclass(frozen=True)
class ComparedAxle:
    """A vehicle whose axle is tried: its label in plots and tables, its name in files, itself."""

    label: str
    stem: str
    car: Vehicle


@dataclass(frozen=True)
class Measured:
    """Measured axle: curves by sweep, figures, and the message on poses that cannot be reached."""

    label: str
    stem: str
    rig: KCRig
    sweeps: dict[str, xr.Dataset]
    rows: list[SummaryRow]
    compliance: list[SummaryRow]
    soft: bool
    trouble: str


def subjects_of(options: Kc) -> list[ComparedAxle]:
    """Return the vehicles and the variants of the first by unique labels.

    Labels are titles, or the names as given where titles are equal.
    """
    loaded = load_all(options.vehicle, options.overrides, options.variant, options.tyre)
    one = len(loaded) == 1
    titles = [title or (car.data.title if one else car.data.short_title) for title, car in loaded]
    found = []
    for title, (given, car) in zip(titles, loaded, strict=True):
        label = title if given is not None or titles.count(title) == 1 else str(car.model)
        found.append(ComparedAxle(label, stem(given or Path(car.model).stem), car))
    for what in ("label", "stem"):
        known = [getattr(one, what) for one in found]
        for name in known:
            if known.count(name) > 1:
                raise DataError(f"two vehicles or variants are called {name!r}; leave one out, or rename it")
    if len(found) > len(COLOURS):
        raise DataError(
            f"{len(found)} vehicles and variants; at most {len(COLOURS)} can be distinguished in a plot"
        )
    return found


def has_bushings(car: Vehicle, axle: str) -> bool:
    """Return True if joints of an axle are bushings."""
    return any(bushing.axle == axle for bushing in car.data.bushings)


@dataclass(frozen=True)
class SweepSelection:
    """Sweeps of travel, steering and forces; ``usual`` ones of forces are for axles with bushings.

    By default (``all_kinds``) sweeps that an axle cannot do are left out.
    """

    axle: str
    sweeps: Sequence[Sweep]
    all_kinds: bool
    pushes: Sequence[ForceSweep]
    usual: Sequence[ForceSweep]


def plan_of(options: Kc, soft: bool) -> SweepSelection:
    """Return the sweeps that options select; ``soft`` is True if an axle has bushings."""
    only_forces = options.force is not None and options.sweep is None
    kinds = options.sweep or (() if only_forces else ("parallel", "opposed", "steering"))
    sweeps = [sweep_from(kind, options) for kind in kinds]
    check_forces(options)
    pushes = [force_sweep_from(kind, options) for kind in options.force or ()]
    refuse_idle(options, soft and options.sweep is None)
    usual = [force_sweep_from(kind, options) for kind in DEFAULT_FORCES]
    return SweepSelection(
        options.axle, sweeps, options.sweep is None, pushes, usual if options.force is None else ()
    )


def measure(subject: ComparedAxle, plan: SweepSelection, display: Display) -> Measured:
    """Take an axle through all sweeps."""
    display.stage(f"{subject.label}: preparing the axle")
    rig = subject.car.axle(plan.axle)
    soft = has_bushings(subject.car, plan.axle)
    wanted, pushes = plan.sweeps, plan.pushes
    if plan.all_kinds:
        wanted = [one for one in wanted if one.kind in rig.kinds]
        pushes = plan.usual if soft and not pushes else pushes
    display.stage(f"{subject.label}: sweeping")
    sweeps, trouble = run_sweeps(rig, wanted)
    rows, more = design_rows(rig) + end_rows(rig), []
    if soft or pushes:
        display.stage(f"{subject.label}: letting bushings yield")
        elastic = Compliance(rig, elastic_joints(subject.car.data, rig))
        if soft:
            ways = {name: sweep_made(name, results) for name, results in sweeps.items()}
            sweeps |= {f"{name}-bushings": travel_sweep(elastic, way) for name, way in ways.items()}
        sweeps |= {one.kind: force_sweep(elastic, one) for one in pushes}
        more = compliance_rows(elastic)
    return Measured(subject.label, subject.stem, rig, sweeps, rows, more, soft, trouble)


def files_of(tried: Sequence[Measured], options: Kc, content: object) -> Iterator[tuple[Path, Writer]]:
    """Return the files of measured axles: CSV and NetCDF of every sweep, JSON of all, a page of curves."""
    several = len(tried) > 1
    for one in tried:
        prefix = f"{one.stem}-{options.axle}" if several else options.axle
        for kind, results in one.sweeps.items():
            stem = options.output / f"{prefix}-{kind}"
            yield stem.with_name(f"{stem.name}.csv"), partial(_write_csv, results)
            yield stem.with_name(f"{stem.name}.nc"), partial(_write_netcdf, results)
    yield (
        options.output / f"{options.axle}.json",
        lambda path: path.write_text(dumps(content, allow_nan=False)),
    )
    if not options.no_plots:
        curves = {
            one.label: {name.replace(PARTIAL, ""): results for name, results in one.sweeps.items()}
            for one in tried
        }
        title = f"{'' if several else tried[0].label + ': '}{options.axle} axle"
        yield options.output / f"{options.axle}.png", partial(save_page, curves, title)


def _write_csv(results: xr.Dataset, path: Path) -> None:
    path.write_text(csv_text(results))


def _write_netcdf(results: xr.Dataset, path: Path) -> None:
    path.write_bytes(netcdf_bytes({"/": results}))


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


def run_sweeps(rig: KCRig, wanted: Sequence[Sweep]) -> tuple[dict[str, xr.Dataset], str]:
    """Return sweeps by name, as far as the axle reaches, and the cause that ends the first incomplete one."""
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
    """Return the sweep that made some results."""
    steering = results["steering"].values
    return Sweep(name, steering, results["wheel_travel"].values, steering)


def write_page(path: Path, subjects: Sequence[ComparedAxle], axle: str) -> int:
    """Write the page in which hardpoints are dragged; curves of further vehicles lie over the first's."""
    check_place(path)
    first, *others = subjects
    with Display() as display:
        display.stage("preparing the axle")
        page = live_page(first.car, axle)
        page.others = {one.label: one.car.axle(axle) for one in others}
        display.stage("compiling for the page")
        page.save(path)
    print(path)
    return 0


def sweep_from(kind: str, options: Kc) -> Sweep:
    """Return a sweep with its range as it was typed."""
    checks.check_name("--sweep", kind, list(KINDS), "kind", DataError)
    if kind == "steering":
        return sweep_of(kind, values_of("--steering", options.steering, "1"))
    return sweep_of(kind, values_of("--travel", options.travel, "m"))


def check_forces(options: Kc) -> None:
    """Refuse values that no sweep of forces could take, also if there is none."""
    values_of("--forces", options.forces, "N")
    values_of("--torques", options.torques, "N*m")
    checks.choice("--at", options.at, PLACES, DataError)
    checks.choice("--hold", options.hold, HOLDS, DataError)


def refuse_idle(options: Kc, usual: bool) -> None:
    """Refuse options of forces without an effect; ``usual`` sweeps, which push at the contact, use most."""
    if options.force:
        return
    for name in ("forces", "torques", "at", "hold"):
        value = getattr(options, name)
        if value != getattr(Kc, name) and not (usual and name != "at"):
            raise DataError(
                f"--{name} {value!r} has an effect on sweeps of forces only; name one with --force"
            )


def force_sweep_from(kind: str, options: Kc) -> ForceSweep:
    """Return a sweep of forces or torques with its range as it was typed."""
    checks.check_name("--force", kind, list(FORCES), "kind", DataError)
    unit = FORCES[kind].unit
    if unit != "N":
        return force_sweep_of(
            kind, values_of("--torques", options.torques, unit), place="contact", hold=options.hold
        )
    place = options.at if options.force else "contact"
    return force_sweep_of(kind, values_of("--forces", options.forces, unit), place=place, hold=options.hold)


def values_of(owner: str, text: str, unit: str) -> list[float]:
    """Return the numbers of ``low:high`` or ``low:high:poses``."""
    return parse_range(owner, text, ParameterQuantity(unit), POSES).grid()


def print_rows(title: str, rows: Mapping[str, list[SummaryRow]]) -> None:
    """Print a table: left and right for one vehicle, a column for each of several."""
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
