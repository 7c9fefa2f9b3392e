"""``simulate-vehicle sweep``: many runs that differ in numbers of the data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ce_dynamics.algebra import checks
from ce_dynamics.cli.common import parse_options
from ce_dynamics.cli.messages import FAILED, INTERRUPTED, OK, print_line
from ce_dynamics.cli.options import SweepOptions
from ce_dynamics.cli.progress import Interruption
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import si_value
from ce_dynamics.models.data.sampling import KINDS
from ce_dynamics.models.vehicles.files import MODELS
from ce_dynamics.models.vehicles.sweeps.batch import Batch, StoppedError, check_address, finish_batches
from ce_dynamics.models.vehicles.sweeps.folder import SweepFolder
from ce_dynamics.models.vehicles.sweeps.plan import SweepPlan

SHOWN_FAILURES = 10
MOST_PROCESSES = 1024


def run(options: SweepOptions) -> int:
    """Make the runs that are left of a sweep."""
    plan = plan_of(options)
    return make(plan, options.output, options.processes or os.cpu_count() or 1, options.scheduler)


def plan_of(options: SweepOptions) -> SweepPlan:
    """Return the sweep that options describe, checked."""
    kind, processes = options.kind, options.processes
    if kind not in KINDS:
        raise DataError(f"unknown kind '{kind}'{checks.known_are(kind, KINDS)}")
    if processes is not None and not 1 <= processes <= MOST_PROCESSES:
        raise DataError(f"--processes {processes} must be 1 or more, {MOST_PROCESSES} at most")
    for name, value in (("--step", options.step), ("--interval", options.interval)):
        if value is not None and not si_value(name, value, "s") > 0.0:
            raise DataError(f"{name} {value} must be positive")
    varied = parse_options(options.vary)
    for name in varied:
        if sum(text.partition("=")[0].strip() == name for text in options.vary) > 1:
            raise DataError(f"{name} is varied twice; vary it once")
    return SweepPlan(
        kind=kind,  # type: ignore[arg-type]
        vary=varied,
        runs=options.runs,
        seed=options.seed,
        model=options.vehicle if options.vehicle in MODELS else str(Path(options.vehicle).resolve()),
        manoeuvre=options.manoeuvre,
        speed=options.speed,
        duration=options.duration,
        options=parse_options(options.option or []),
        overrides=tuple(options.overrides or ()),
        tyres=tuple(resolve_path(text) for text in options.tyre or ()),
        road=options.road,
        method=options.method,
        step=None if options.step is None else si_value("--step", options.step, "s"),
        rtol=None if options.rtol is None else si_value("--rtol", options.rtol, "1"),
        atol=None if options.atol is None else si_value("--atol", options.atol, "1"),
        interval=si_value("--interval", options.interval, "s"),
    )


def resolve_path(text: str) -> str:
    """Return ``[AXLE=]FILE`` with the whole path: a sweep may go on from another folder."""
    place, equals, path = text.rpartition("=")
    return f"{place}{equals}{Path(path).resolve()}"


def make(plan: SweepPlan, output: Path, processes: int, scheduler: str | None) -> int:
    """Execute the remaining runs of a sweep and report."""
    if scheduler is not None:
        check_address(scheduler)
    folder = SweepFolder(output, plan)
    total, before = len(plan.values), len(folder.rows)
    if before:
        print(f"{before} of {total} runs are finished already")
    interrupted = False
    batches = finish_batches(plan, plan.batches(folder.unfinished), processes, scheduler)
    with Interruption() as interruption:
        with interruption.defer_interrupts():
            folder.prepare_to_write()
        try:
            if interruption.requested:
                raise KeyboardInterrupt
            for batch in show_batches(batches, folder, total):
                with interruption.defer_interrupts():
                    folder.add(batch)
                if interruption.requested:
                    raise KeyboardInterrupt
        except KeyboardInterrupt as stopped:
            interrupted = True
            if isinstance(stopped, StoppedError):
                folder.add(stopped.batch)
        finally:
            interruption.reset()
            with interruption.defer_interrupts():
                folder.summarise()
    report(folder, total, len(folder.rows) - before)
    if interrupted:
        print_line(
            f"interrupted with {total - len(folder.rows)} runs left; the same command completes the sweep"
        )
        return INTERRUPTED
    if len(folder.failures()) == total:
        print_line("every run failed")
        return FAILED
    return OK


def show_batches(batches: Iterator[Batch], folder: SweepFolder, total: int) -> Iterator[Batch]:
    """Yield batches as they arrive, with a bar on stderr while it is a terminal."""
    console = Console(stderr=True)
    columns = TextColumn("runs"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total, completed=len(folder.rows))
        for batch in batches:
            yield batch
            bar.update(task, completed=len(folder.rows))


def report(folder: SweepFolder, total: int, now: int) -> None:
    """Print counts, failures and files to stdout."""
    failures = folder.failures()
    print(f"{len(folder.rows)} of {total} runs finished, {now} of them now; {len(failures)} failed")
    for run, reason in list(failures.items())[:SHOWN_FAILURES]:
        print(f"  run {run}: {reason}")
    if len(failures) > SHOWN_FAILURES:
        print(f"  and {len(failures) - SHOWN_FAILURES} more: {folder.path / 'failures.csv'}")
    print(f"summary: {folder.path / 'summary.csv'}")
    print(f"results: {folder.batches}")
