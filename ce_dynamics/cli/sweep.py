"""``simulate-vehicle sweep``: many runs that differ in numbers of the data."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ce_dynamics.cli import exit_codes, shared_options as shared
from ce_dynamics.cli.messages import complain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ce_dynamics.models.vehicles.sweeps.batch import Batch
    from ce_dynamics.models.vehicles.sweeps.folder import SweepFolder
    from ce_dynamics.models.vehicles.sweeps.plan import Sweep

SHOWN_FAILURES = 10
MOST_PROCESSES = 1024

SAMPLES, RUN, OUTPUT = "What to vary", "What to simulate", "Where"


def sweep(
    vary: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME=VALUES...",
            help="What to vary: [bold]name=low:high[/bold], [bold]name=low:high:points[/bold] (of a grid) or "
            "[bold]name=a,b,c[/bold], e.g. front.spring.linear='120 kN/m:180 kN/m'; names as "
            "--list-parameters shows them, components as front.D.y.",
        ),
    ],
    kind: Annotated[
        str,
        typer.Option("--kind", "-k", help="grid, latin-hypercube or monte-carlo.", rich_help_panel=SAMPLES),
    ] = "latin-hypercube",
    runs: Annotated[
        int | None,
        typer.Option("--runs", "-n", help="How many; of a grid it follows.", rich_help_panel=SAMPLES),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the random numbers.", rich_help_panel=SAMPLES)] = 0,
    model: Annotated[str, shared.vehicle(RUN)] = "hmmwv",
    manoeuvre: Annotated[
        str, typer.Option("--manoeuvre", "-m", metavar="NAME", rich_help_panel=RUN)
    ] = "double-lane-change",
    speed: Annotated[str | None, shared.speed(RUN)] = None,
    duration: Annotated[str | None, typer.Option(help="Time simulated.", rich_help_panel=RUN)] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME=VALUE", help="Of the manoeuvre.", rich_help_panel=RUN),
    ] = None,
    overrides: Annotated[list[str] | None, shared.overrides(RUN, "The same in all runs.")] = None,
    tyre: Annotated[list[str] | None, shared.tyre(RUN)] = None,
    road: Annotated[str | None, shared.road(RUN)] = None,
    method: Annotated[
        str,
        typer.Option(
            help="rk4, rosenbrock, implicit-euler, in fixed steps, or dopri5 and tsit5, which are adaptive.",
            rich_help_panel=RUN,
        ),
    ] = "rk4",
    step: Annotated[
        str | None, typer.Option(help="Of rk4.  [dim]Default: 1 ms.[/dim]", rich_help_panel=RUN)
    ] = None,
    rtol: Annotated[
        str | None,
        typer.Option(
            help="Relative error of adaptive methods.  [dim]Default: 1e-6.[/dim]", rich_help_panel=RUN
        ),
    ] = None,
    atol: Annotated[
        str | None,
        typer.Option(
            help="Absolute error of adaptive methods.  [dim]Default: 1e-8.[/dim]", rich_help_panel=RUN
        ),
    ] = None,
    interval: Annotated[str, typer.Option(help="Between stored instants.", rich_help_panel=RUN)] = "10 ms",
    output: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Results and summary; a sweep that was stopped goes on from there.",
            rich_help_panel=OUTPUT,
        ),
    ] = Path("simulate-vehicle-sweep"),
    processes: Annotated[
        int | None, typer.Option(help="As many as processors if not given.", rich_help_panel=OUTPUT)
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Of a Dask scheduler, or 'local'; needs ce-dynamics\\[dask].",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
) -> int:
    """Simulate a vehicle many times with some of its numbers varied.

    Finished runs are on disk and are not made again: the same command in the same folder completes a sweep
    that was stopped or killed.  Runs that fail are listed with their reasons and stop nothing.
    """
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.cli.simulation import parse_options
    from ce_dynamics.errors import DataError
    from ce_dynamics.models.data.quantities import nearest, si_value
    from ce_dynamics.models.data.sampling import KINDS
    from ce_dynamics.models.vehicles.case import MODELS
    from ce_dynamics.models.vehicles.sweeps.plan import Sweep

    if kind not in KINDS:
        raise DataError(f"unknown kind '{kind}'{nearest(kind, KINDS)}; known are {', '.join(KINDS)}")
    if processes is not None and not 1 <= processes <= MOST_PROCESSES:
        raise DataError(f"--processes {processes} must be 1 or more, {MOST_PROCESSES} at most")
    for name, value in (("--step", step), ("--interval", interval)):
        if value is not None and not si_value(name, value, "s") > 0.0:
            raise DataError(f"{name} {value} must be positive")
    varied = parse_options(vary)
    for name in varied:
        if sum(text.partition("=")[0].strip() == name for text in vary) > 1:
            raise DataError(f"{name} is varied twice; vary it once")
    plan = Sweep(
        kind=kind,  # type: ignore[arg-type]
        vary=varied,
        runs=runs,
        seed=seed,
        model=model if model in MODELS else str(Path(model).resolve()),
        manoeuvre=manoeuvre,
        speed=speed,
        duration=duration,
        options=parse_options(option or []),
        overrides=tuple(overrides or ()),
        tyres=tuple(resolved(text) for text in tyre or ()),
        road=road,
        method=method,
        step=None if step is None else si_value("--step", step, "s"),
        rtol=None if rtol is None else si_value("--rtol", rtol, "1"),
        atol=None if atol is None else si_value("--atol", atol, "1"),
        interval=si_value("--interval", interval, "s"),
    )
    return make(plan, output, processes or os.cpu_count() or 1, scheduler)


def resolved(text: str) -> str:
    """``[AXLE=]FILE`` with the whole path: a sweep may go on from another folder."""
    place, equals, path = text.rpartition("=")
    return f"{place}{equals}{Path(path).resolve()}"


def make(plan: Sweep, output: Path, processes: int, scheduler: str | None) -> int:
    """Make what is left of a sweep and report."""
    # here, so that mistakes and --help are answered at once
    from ce_dynamics.cli.progress import Interruption
    from ce_dynamics.models.vehicles.sweeps.batch import StoppedError
    from ce_dynamics.models.vehicles.sweeps.folder import SweepFolder
    from ce_dynamics.models.vehicles.sweeps.workers import check_address, finished_batches

    if scheduler is not None:
        check_address(scheduler)
    folder = SweepFolder(output, plan)
    total, before = len(plan.values), len(folder.rows)
    if before:
        print(f"{before} of {total} runs are finished already")
    interrupted = False
    batches = finished_batches(plan, plan.batches(folder.left), processes, scheduler)
    with Interruption() as interruption:
        with interruption.held():
            folder.prepare_to_write()
        try:
            if interruption.requested:
                raise KeyboardInterrupt
            for batch in shown(batches, folder, total):
                with interruption.held():
                    folder.add(batch)
                if interruption.requested:
                    raise KeyboardInterrupt
        except KeyboardInterrupt as stopped:
            interrupted = True
            if isinstance(stopped, StoppedError):
                folder.add(stopped.batch)
        finally:
            interruption.answered()
            with interruption.held():
                folder.summarise()
    report(folder, total, len(folder.rows) - before)
    if interrupted:
        complain(
            f"interrupted with {total - len(folder.rows)} runs left; the same command completes the sweep"
        )
        return exit_codes.INTERRUPTED
    if len(folder.failures()) == total:
        complain("every run failed")
        return exit_codes.FAILED
    return exit_codes.OK


def shown(batches: Iterator[Batch], folder: SweepFolder, total: int) -> Iterator[Batch]:
    """Batches as they come, with a bar on stderr while it is a terminal."""
    from rich.console import Console  # here, because only terminals need it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = TextColumn("runs"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total, completed=len(folder.rows))
        for batch in batches:
            yield batch
            bar.update(task, completed=len(folder.rows))


def report(folder: SweepFolder, total: int, now: int) -> None:
    """On stdout: counts, failures and files."""
    failures = folder.failures()
    print(f"{len(folder.rows)} of {total} runs finished, {now} of them now; {len(failures)} failed")
    for run, reason in list(failures.items())[:SHOWN_FAILURES]:
        print(f"  run {run}: {reason}")
    if len(failures) > SHOWN_FAILURES:
        print(f"  and {len(failures) - SHOWN_FAILURES} more: {folder.path / 'failures.csv'}")
    print(f"summary: {folder.path / 'summary.csv'}")
    print(f"results: {folder.batches}")
