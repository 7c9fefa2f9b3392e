"""A sweep's folder: what is finished, what is left, and the summary.

======================  =============================================================================
``sweep.json``          what is swept; a folder holds one sweep
``batches/<run>.nc``    results of some runs over ``run`` and ``time``, named after the first of them
``batches/<run>.json``  their rows of the summary; written last, so that it vouches for the other
``summary.csv``         a row per finished run: what was varied, status, failure and figures
``summary.nc``          the same as labelled data
``failures.csv``        the runs that failed, and why
======================  =============================================================================

Every file is moved into place whole, so that a sweep may be killed at any time.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.hmmwv.sweep import Batch, Sweep, netcdf_bytes

TEXTS = ("status", "failure")


class SweepFolder:
    """The folder of a sweep, new or with some of its runs finished.

    Parameters
    ----------
    path : Path
    sweep : Sweep

    Raises
    ------
    DataError
        If the folder holds another sweep.
    """

    def __init__(self, path: Path, sweep: Sweep) -> None:
        self.path = path
        self.sweep = sweep
        self.batches = path / "batches"
        self.batches.mkdir(parents=True, exist_ok=True)
        plan = path / "sweep.json"
        if plan.exists() and plan.read_text(encoding="utf-8") != sweep.text():
            raise DataError(f"'{path}' holds another sweep, see {plan}; choose another folder with --output")
        write(plan, sweep.text().encode())
        self.rows: dict[int, dict[str, Any]] = {}
        for marker in sorted(self.batches.glob("*.json")):
            rows = json.loads(marker.read_text(encoding="utf-8"))
            self.rows |= {int(run): row for run, row in rows.items()}
        for results in self.batches.glob("*.nc"):
            if not results.with_suffix(".json").exists():
                results.unlink()

    @property
    def left(self) -> list[int]:
        """Runs that are not finished."""
        return [run for run in range(len(self.sweep.values)) if run not in self.rows]

    def add(self, batch: Batch) -> None:
        """Keep finished runs."""
        stem = self.batches / f"{min(batch.rows):06d}"
        if batch.netcdf is not None:
            write(stem.with_suffix(".nc"), batch.netcdf)
        write(stem.with_suffix(".json"), json.dumps(batch.rows, indent=1).encode())
        self.rows |= batch.rows

    def failures(self) -> dict[int, str]:
        """Why runs failed."""
        return {run: row["failure"] for run, row in sorted(self.rows.items()) if row["status"] == "failed"}

    def summarise(self) -> None:
        """Write the tables."""
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

    def _write_netcdf(self, runs: list[int], columns: list[str]) -> None:
        import xarray as xr

        data: dict[str, Any] = {}
        for column in columns:
            values = [self.rows[run].get(column) for run in runs]
            name = column.replace(".", "_")
            if column in TEXTS:
                data[name] = ("run", np.array(values, dtype=str))
            else:
                data[name] = ("run", np.array([np.nan if x is None else x for x in values], dtype=float))
        for k, name in enumerate(self.sweep.names):
            units = {"units": self.sweep.units[name]}
            data[name.replace(".", "_")] = ("run", self.sweep.values[runs, k], units)
        results = xr.Dataset(data, {"run": runs}, {"sweep": self.sweep.text()})
        write(self.path / "summary.nc", netcdf_bytes(results))


def write(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def write_table(path: Path, headings: list[str], rows: list[list[Any]]) -> None:
    """A CSV file; what is missing is empty."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(headings)
    table.writerows(rows)
    write(path, text.getvalue().encode())
