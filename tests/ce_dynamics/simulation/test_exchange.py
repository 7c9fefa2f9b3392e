"""Tables of runs, read back by the tools that they are for."""

import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import ce_dynamics as ce

RUN = xr.Dataset(
    {
        "yaw_rate": ("time", np.array([0.0, 0.1, 1.0 / 3.0]), {"units": "rad/s"}),
        "tyre_Fz": (("time", "corner"), np.array([[1.0, 2.0], [3.0, np.nan], [5e-324, 6.0]]), {"units": "N"}),
        "status": ("corner", np.array(["a", "b"])),
    },
    {"time": [0.0, 0.01, 0.02], "corner": ["front_left", "front_right"]},
    {"title": "a run"},
)
NAMES = ["time", "yaw_rate", "front_left.tyre_Fz", "front_right.tyre_Fz"]
UNITS = ["s", "rad/s", "N", "N"]


def same(name: str, values: object) -> None:
    expected = RUN["time"] if name == "time" else ce.quantity(RUN, name)
    np.testing.assert_array_equal(np.asarray(values, dtype=float), expected.values)


def test_csv(tmp_path: Path) -> None:
    path = ce.save_table(RUN, tmp_path / "new" / "run.csv")
    head, *rows = path.read_text().splitlines()
    assert head.split(",") == [f"{name} [{unit}]" for name, unit in zip(NAMES, UNITS, strict=True)]
    for name, column in zip(NAMES, zip(*(row.split(",") for row in rows), strict=True), strict=True):
        same(name, column)


def test_parquet(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra tables is not installed")
    table = pq.read_table(ce.save_table(RUN, tmp_path / "run.parquet"))
    assert table.column_names == NAMES
    assert [field.metadata[b"unit"].decode() for field in table.schema] == UNITS
    assert table.schema.metadata[b"title"] == b"a run"
    for name in NAMES:
        same(name, table[name].to_numpy())


def test_mdf4(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what asammdf imports
        asammdf = pytest.importorskip("asammdf", reason="the extra tables is not installed")
    path = ce.save_table(RUN, tmp_path / "run.mf4")
    with asammdf.MDF(path) as file:
        assert file.version.startswith("4")
        for name, unit in zip(NAMES[1:], UNITS[1:], strict=True):
            signal = file.get(name)
            assert signal.unit == unit
            same(name, signal.samples)
            same("time", signal.timestamps)


def test_what_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ce.ModelError, match=r"\.csv, \.parquet, \.mf4"):
        ce.save_table(RUN, tmp_path / "run.xlsx")
    with pytest.raises(ce.ModelError, match=r"sel\(run=0\)"):
        ce.save_table(RUN.expand_dims(run=2), tmp_path / "run.csv")
    with pytest.raises(ce.WrongTypeError):
        ce.save_table([1.0], tmp_path / "run.csv")  # type: ignore[arg-type]
    (tmp_path / "file").write_text("")
    with pytest.raises(ce.ModelError, match="cannot write"):
        ce.save_table(RUN, tmp_path / "file" / "run.csv")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for ending in ("parquet", "mf4"):
        with pytest.raises(ce.ModelError, match=r"pip install 'ce-dynamics\[tables\]'"):
            ce.save_table(RUN, tmp_path / f"run.{ending}")
    assert {path.name for path in tmp_path.iterdir()} == {"file"}
