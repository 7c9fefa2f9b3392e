"""Results as files of other tools: CSV, Parquet, MDF4."""

from __future__ import annotations

import csv
import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.files import path_of, replace_on_success, shown_path
from ce_dynamics.errors import ModelError

if TYPE_CHECKING:
    import xarray as xr

PACKAGES = {".parquet": "pyarrow", ".mf4": "asammdf"}
REMEDY = "pip install 'ce-dynamics[tables]'"


class TableChannel(NamedTuple):
    """One quantity over time."""

    name: str
    unit: str
    values: Floats


def save_table(results: xr.Dataset, path: str | Path) -> Path:
    """Write a run as a table, a column for every quantity, for tools that do not read NetCDF.

    Parameters
    ----------
    results : xarray.Dataset
        Of one run.
    path : str or Path
        The ending selects the format: ``.csv``; ``.parquet`` and ``.mf4`` (ASAM MDF 4), which need the extra
        ``tables``.  An existing file is replaced.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ModelError
        If the ending is unknown, the results are not of one run, the extra is missing, or the file cannot be
        written.

    Notes
    -----
    The first column is ``time``.  Quantities of groups are named ``<member>.<quantity>``, such as
    ``front_left.tyre_Fz``, by which `ce_dynamics.quantity` finds them, too.  Units are in the headings of
    CSV, in the metadata of Parquet columns (``unit``) and in the channels of MDF4.  Numbers are doubles; in
    CSV they are written such that they are read back as they were.

    Examples
    --------
    >>> ce.save_table(run, "run.parquet")     # doctest: +SKIP
    """
    path = check_path(path_of("save_table: path", path, ModelError))
    quantities = channels(results)
    about = {str(name): str(value) for name, value in results.attrs.items()}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_on_success(path) as part:
            WRITERS[path.suffix.lower()](quantities, about, part)
    except OSError as error:
        raise ModelError(
            f"cannot write {shown_path(path)}: {error.strerror or error}; choose another file"
        ) from None
    return path


def check_path(path: Path) -> Path:
    """Return the path, if its ending is known and its package is installed."""
    ending = path.suffix.lower()
    if ending not in WRITERS:
        raise ModelError(
            f"{shown_path(path)}: tables are written as {', '.join(WRITERS)}; give one of these endings"
        )
    if ending in PACKAGES and importlib.util.find_spec(PACKAGES[ending]) is None:
        raise ModelError(f"{shown_path(path)} needs the package {PACKAGES[ending]}: {REMEDY}")
    return path


def channels(results: xr.Dataset) -> list[TableChannel]:
    """Return time, then all quantities over time, those of groups one by one."""
    if not hasattr(results, "data_vars") or "time" not in getattr(results, "coords", ()):
        raise checks.wrong_type(
            f"save_table: {checks.show(results)} must be the results of ce_dynamics.simulate"
        )
    if "run" in results.dims:
        raise ModelError("save_table: these are many runs; take one with results.sel(run=0)")
    found = [TableChannel("time", "s", np.asarray(results["time"].values, dtype=float))]
    for name, values in results.data_vars.items():
        if values.dims[:1] != ("time",) or values.ndim > 2 or values.dtype.kind not in "fiub":
            continue
        unit = str(values.attrs.get("units", ""))
        columns = np.asarray(values.values, dtype=float).reshape(len(values), -1)
        members = [""] if values.ndim == 1 else [f"{x}." for x in results[values.dims[1]].values]
        found += [TableChannel(f"{m}{name}", unit, c) for m, c in zip(members, columns.T, strict=True)]
    return found


def write_csv(quantities: list[TableChannel], about: Mapping[str, str], path: Path) -> None:
    """Write headings with units, and a row for every instant."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([f"{c.name} [{c.unit}]" if c.unit else c.name for c in quantities])
        writer.writerows(map(repr, row) for row in np.stack([c.values for c in quantities], axis=1).tolist())


def write_parquet(quantities: list[TableChannel], about: Mapping[str, str], path: Path) -> None:
    """Write a Parquet file by Apache Arrow."""
    import pyarrow as pa  # here, because it is an extra
    import pyarrow.parquet as pq

    fields = [pa.field(c.name, pa.float64(), metadata={"unit": c.unit}) for c in quantities]
    pq.write_table(
        pa.table([c.values for c in quantities], schema=pa.schema(fields, metadata=dict(about))), path
    )


def write_mdf4(quantities: list[TableChannel], about: Mapping[str, str], path: Path) -> None:
    """Write an MDF4 file by asammdf, all channels in one group."""
    from asammdf import MDF, Signal  # here, because it is an extra

    time, *others = quantities
    signals = [Signal(c.values, time.values, unit=c.unit, name=c.name) for c in others]
    with MDF(version="4.10") as file:
        file.append(signals, comment=about.get("title", ""), common_timebase=True)
        file.save(path, overwrite=True, compression=1)


WRITERS: Mapping[str, Callable[[list[TableChannel], Mapping[str, str], Path], None]] = {
    ".csv": write_csv,
    ".parquet": write_parquet,
    ".mf4": write_mdf4,
}
"""Writers by the ending of a file."""
