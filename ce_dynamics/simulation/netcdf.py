"""Results as a NetCDF 4 file, without xarray and pandas, which take longer to load than the file to write."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics.simulation.results import Record

if TYPE_CHECKING:
    import xarray as xr


def write_netcdf(record: Record, path: Path) -> None:
    """Write a run as `xarray.Dataset.to_netcdf` would, over an existing file.

    Missing numbers are NaN (``_FillValue``), as in xarray; texts are UTF-8 strings. HDF5 writes into memory:
    on a full disk it cannot close a file, and crashes the process.
    """
    import h5netcdf  # here, because it is loaded after the summary

    content = io.BytesIO()
    with h5netcdf.File(content, "w") as file:
        file.attrs.update(record.attrs)
        for name, column in (*record.coordinates.items(), *record.variables.items()):
            values = as_storable(column.values)
            for dimension, size in zip(column.dims, values.shape, strict=True):
                if dimension not in file.dimensions:
                    file.dimensions[dimension] = size
            missing = np.nan if values.dtype.kind == "f" else None
            variable = file.create_variable(name, column.dims, values.dtype, values, fillvalue=missing)
            variable.attrs.update(column.attrs)
    path.write_bytes(content.getbuffer())


def netcdf_bytes(groups: Mapping[str, xr.Dataset]) -> bytes:
    """Return the content of a NetCDF 4 file that holds datasets by the names of its groups, ``/`` its root.

    Not every release of xarray writes HDF5 into memory by `xarray.Dataset.to_netcdf`.
    """
    import h5netcdf  # here, because these are loaded after the summary
    from xarray.backends import H5NetCDFStore

    content = io.BytesIO()
    with h5netcdf.File(content, "w") as file:
        for name, dataset in groups.items():
            dataset.dump_to_store(H5NetCDFStore(file if name == "/" else file.create_group(name)))
    return content.getvalue()


def as_storable(values: Any) -> np.ndarray[Any, Any]:
    """Return values as an array of a type that HDF5 supports."""
    import h5py  # here, because only those who write files need it

    array = np.asarray(values)
    return array.astype(h5py.string_dtype()) if array.dtype.kind == "U" else array
