"""NetCDF files written without xarray: xarray reads what it would have written."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from ce_dynamics.simulation.netcdf import write_netcdf
from ce_dynamics.simulation.results import Record, ResultVariable


@pytest.fixture
def record() -> Record:
    rng = np.random.default_rng(0)
    height = rng.normal(size=(3, 2))
    height[1, 0] = np.nan
    return Record(
        {
            "speed": ResultVariable(("time",), rng.normal(size=3), {"units": "m/s", "long_name": "Größe ω̇"}),
            "height": ResultVariable(("time", "corner"), height, {"units": "m"}),
            "gear": ResultVariable(("time",), np.array([1, 2, -1]), {"units": "1"}),
            "side": ResultVariable(("corner", "time"), np.zeros((2, 3)), {}),
        },
        {
            "time": ResultVariable(("time",), np.array([0.0, 0.1, 0.2]), {"units": "s"}),
            "corner": ResultVariable(("corner",), np.array(["left", "rechts, ü"]), {}),
        },
        {"method": "rk4", "steps": 3, "real_time_factor": np.float64(1.5), "overrides": ""},
    )


def test_the_file_is_what_xarray_writes(record: Record, tmp_path: Path) -> None:
    write_netcdf(record, tmp_path / "ours.nc")
    record.dataset().to_netcdf(tmp_path / "theirs.nc", engine="h5netcdf")
    ours, theirs = (xr.load_dataset(tmp_path / name, engine="h5netcdf") for name in ("ours.nc", "theirs.nc"))
    xr.testing.assert_identical(ours, theirs)
    for name in theirs.variables:
        assert ours[name].dtype == theirs[name].dtype
        np.testing.assert_equal(
            ours[name].encoding.get("_FillValue"), theirs[name].encoding.get("_FillValue")
        )
    assert ours.attrs == theirs.attrs


def test_a_file_is_replaced(record: Record, tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    write_netcdf(record, path)
    del record.variables["gear"]
    write_netcdf(record, path)
    assert "gear" not in xr.load_dataset(path, engine="h5netcdf")
