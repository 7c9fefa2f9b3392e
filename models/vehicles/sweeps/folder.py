"""A sweep's folder: what is finished, what is left, and the summary.

======================  =============================================================================
``sweep.json``          what is swept; a folder holds one sweep
``batches/<run>.nc``    results of some runs over ``run`` and ``time``, named after the first of them
``batches/<run>.json``  their rows of the summary and the size of the other; written last: it vouches for both
``summary.csv``         a row per finished run: what was varied, status, failure and figures
``summary.nc``          the same as labelled data
``failures.csv``        the runs that failed, and why
``.lock``               held by the process that works on the folder
======================  =============================================================================

Every file is moved into place whole, so that a sweep may be killed at any time.  A marker that is damaged, or
whose results are gone or of another size, is taken away with a warning, and its runs are made again.
"""

from __future__ import annotations

import csv
import io
import json
import os
import warnings
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks, files
from ce_dynamics.compiled.variables import valid_name as plain_name
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.sweeps.batch import Batch
from ce_dynamics.models.vehicles.sweeps.plan import SweepPlan
from ce_dynamics.simulation.netcdf import netcdf_bytes

TEXTS = ("status", "failure")
STATUS = ("completed", "failed")
LARGEST_PLAN = 2**20
"""Bytes of a plan."""
LARGEST_MARKER = 2**24
"""Bytes of a marker, of at most `BATCH` runs."""


class SweepFolder:
    """The folder of a sweep, new or with some of its runs finished; damaged files raise a warning."""

    def __init__(self, path: Path, sweep: SweepPlan) -> None:
        self.path = files.path_of("sweep folder", path)
        self.sweep = sweep
        self.batches = self.path / "batches"
        folder = f"sweep in {files.shown_path(self.path)}"
        held = files.lock(self.path / ".lock", folder, "choose another folder with --output")
        weakref.finalize(self, held.lock.release)
        files.check_place(self.batches / "000000.nc")
        plan = self.path / "sweep.json"
        if (
            plan.exists()
            and (kept := files.read("plan of a sweep", plan, LARGEST_PLAN)) != sweep.text().encode()
        ):
            refuse_damaged(plan, kept)
            raise DataError(
                f"'{self.path}' holds another sweep, see {plan}; choose another folder with --output"
            )
        write(plan, sweep.text().encode())
        self.rows: dict[int, dict[str, Any]] = {}
        for left in self.batches.glob(".*"):  # of a writer that was killed
            remove(left)
        for marker in sorted(self.batches.glob("*.json")):
            try:
                self.rows |= read_finished(marker, len(sweep.values))
            except ValueError as error:
                warnings.warn(f"{marker}: {error}; its runs are made again", UserWarning, stacklevel=2)
                remove(marker)
        for results in self.batches.glob("*.nc"):
            if not results.with_suffix(".json").exists():
                remove(results)

    @property
    def unfinished(self) -> list[int]:
        return [run for run in range(len(self.sweep.values)) if run not in self.rows]

    def add(self, batch: Batch) -> None:
        """Keep finished runs; of none nothing is written."""
        if not batch.rows:
            return
        stem = self.batches / f"{min(batch.rows):06d}"
        if batch.netcdf is not None:
            write(stem.with_suffix(".nc"), batch.netcdf)
        size = None if batch.netcdf is None else len(batch.netcdf)
        marker = {"results": size, "runs": batch.rows}
        write(stem.with_suffix(".json"), json.dumps(marker, indent=1).encode())
        self.rows |= batch.rows

    def failures(self) -> dict[int, str]:
        return {run: row["failure"] for run, row in sorted(self.rows.items()) if row["status"] == "failed"}

    def summarise(self) -> None:
        runs = sorted(self.rows)
        columns = list(dict.fromkeys(key for run in runs for key in self.rows[run]))
        names = self.sweep.names
        table = [
            [run, *self.sweep.values[run].tolist(), *(self.rows[run].get(c) for c in columns)] for run in runs
        ]
        headings = ["run", *(f"{name} [{unit}]" for name, unit in self.sweep.units.items()), *columns]
        write_table(self.path / "summary.csv", headings, table)
        failed = [[run, *self.sweep.values[run].tolist(), text] for run, text in self.failures().items()]
        write_table(self.path / "failures.csv", ["run", *names, "failure"], failed)
        self._write_netcdf(runs, columns)

    @staticmethod
    def prepare_to_write() -> None:
        """Load what writing takes: an import that Ctrl-C breaks off would break the summary, too."""
        import xarray as xr  # here, so that mistakes are answered at once

        netcdf_bytes({"/": xr.Dataset()})

    def _write_netcdf(self, runs: list[int], columns: list[str]) -> None:
        import xarray as xr  # here, because it takes longer to load than many runs

        data: dict[str, Any] = {}
        for column in columns:
            values = [self.rows[run].get(column) for run in runs]
            name = plain_name(column)
            if column in TEXTS:
                data[name] = ("run", np.array(values, dtype=str))
            else:
                data[name] = ("run", np.array([np.nan if x is None else x for x in values], dtype=float))
        for k, name in enumerate(self.sweep.names):
            units = {"units": self.sweep.units[name]}
            data[plain_name(name)] = ("run", self.sweep.values[runs, k], units)
        results = xr.Dataset(data, {"run": runs}, {"sweep": self.sweep.text()})
        write(self.path / "summary.nc", netcdf_bytes({"/": results}))


def refuse_damaged(plan: Path, content: bytes) -> None:
    """Refuse what is no plan of any sweep."""
    try:
        sound = isinstance(json.loads(content), dict)
    except (ValueError, RecursionError):
        sound = False
    if not sound:
        raise DataError(
            f"the plan of the sweep {plan} is damaged; remove it if the folder holds runs of this sweep, or "
            "choose another folder with --output"
        )


def read_finished(marker: Path, runs: int) -> dict[int, dict[str, Any]]:
    """Return the rows of a marker; `ValueError` unless it and the results it vouches for are whole."""
    content = files.read("marker", marker, LARGEST_MARKER)
    try:
        read = json.loads(content, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise ValueError("is damaged") from None
    if not isinstance(read, dict) or set(read) != {"results", "runs"} or not isinstance(read["runs"], dict):
        raise ValueError("is damaged, or of another version")
    for run, row in read["runs"].items():
        if not (run.isascii() and run.isdecimal() and len(run) < 19 and int(run) < runs and is_row(row)):
            raise ValueError(f"is damaged: run {checks.show(run)}")
    results, size = marker.with_suffix(".nc"), read["results"]
    if size is not None and not (results.is_file() and results.stat().st_size == size):
        raise ValueError(f"its results {results.name} are gone or damaged")
    return {int(run): row for run, row in read["runs"].items()}


def is_row(row: object) -> bool:
    """Return True if a run's row has a status, texts, and otherwise finite numbers or None."""
    if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in TEXTS):
        return False
    if row["status"] not in STATUS:
        return False
    figures = [value for name, value in row.items() if name not in TEXTS]
    return all(value is None or (is_scalar(value) and np.isfinite(value)) for value in figures)


def is_scalar(value: object) -> bool:
    """Return True if a value of JSON is a number below 1e300 in magnitude; a boolean is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def refuse_constant(name: str) -> float:
    """Refuse NaN and infinity, which JSON does not have."""
    raise ValueError(name)


def remove(path: Path) -> None:
    """Take a file away that nothing vouches for."""
    try:
        path.unlink()
    except OSError as error:
        raise DataError(f"'{path}' must be a file, and cannot be removed: {error.strerror}") from error


def write(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all; who may read it follows from the process's umask."""
    with files.replace_on_success(path) as temporary, temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_table(path: Path, headings: list[str], rows: list[list[Any]]) -> None:
    """Write a CSV file; missing values are empty."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(headings)
    table.writerows(rows)
    write(path, text.getvalue().encode())
