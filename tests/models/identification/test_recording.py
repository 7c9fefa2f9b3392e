"""Reading of recorded runs: mapping, formulas, gaps, and mistakes that are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.identification.recording import read_recording

MAPPING = {
    "inputs": {"road_wheel_angle": "delta", "speed": {"column": "v", "unit": "km/h"}},
    "outputs": {"yaw_rate": {"column": "r", "unit": "deg/s"}, "ay": "v / 3.6 * r / 57.29578"},
}
WHEELBASE = 2.5


def columns(**changed: object) -> dict[str, np.ndarray]:
    """A run of a vehicle without slip at 12 m/s, as columns."""
    t = np.arange(0.0, 20.0, 0.02)
    delta = 0.05 * np.sin(2.0 * t)
    made = {
        "time": t,
        "delta": delta,
        "v": np.full_like(t, 43.2) + 0.1 * np.sin(t),
        "r": np.degrees(12.0 * delta / WHEELBASE),
    }
    return {name: np.asarray(changed.get(name, values), dtype=float) for name, values in made.items()}


def written(folder: Path, **changed: object) -> Path:
    """The run in a file."""
    table = columns(**changed)
    rows = "\n".join(
        ",".join("" if x != x else repr(float(x)) for x in row) for row in zip(*table.values(), strict=True)
    )
    path = folder / "run.csv"
    path.write_text(",".join(table) + "\n" + rows + "\n")
    return path


def test_recording_converts_units(tmp_path: Path) -> None:
    run = read_recording(written(tmp_path), MAPPING, wheelbase=WHEELBASE)
    delta = columns()["delta"]
    np.testing.assert_allclose(run.outputs["yaw_rate"].values, 12.0 * delta / WHEELBASE, rtol=1e-12)
    np.testing.assert_allclose(run.inputs["speed"].values, 12.0, atol=0.1 / 3.6)


def test_recording_splits_at_gaps_and_standstill(tmp_path: Path) -> None:
    made = columns()
    v, delta = made["v"], made["delta"]
    v[:100] = 0.0
    delta[500:520] = np.nan
    run = read_recording(written(tmp_path, v=v, delta=delta), MAPPING, wheelbase=WHEELBASE)
    np.testing.assert_allclose(run.spans, [(2.0, 9.98), (10.4, 19.98)])
    assert any("stands for 2.0 s" in one.text for one in run.findings)


def test_recording_finds_delay(tmp_path: Path) -> None:
    late = np.interp(columns()["time"] - 0.2, columns()["time"], columns()["r"])
    run = read_recording(written(tmp_path, r=late), MAPPING, wheelbase=WHEELBASE)
    note = next(one.text for one in run.findings if one.channel == "yaw_rate")
    late_by = float(note.rpartition(", ")[2].split()[0])
    assert late_by == pytest.approx(0.2, abs=0.021)  # the common grid has steps of 20 ms


@pytest.mark.parametrize(
    ("mapping", "changed", "words"),
    [
        ({"outputs": {"yaw_rate": "rr"}}, {}, ["no column 'rr'", "did you mean 'r'"]),
        ({"outputs": {"yaw_rate": {"column": "r", "unit": "kg"}}}, {}, ["yaw_rate", "kg"]),
        ({"outputs": {"yaw_rate": {"column": "r", "unit": "deg/s", "sign": -1}}}, {}, ["opposite sign"]),
        ({"outputs": {"yaw_rate": {"column": "r", "unit": "rad/s"}}}, {}, ["57.3 times", "unit"]),
        ({"outputs": {"yaw_rate": "delta"}}, {"delta": np.full(1000, 0.1)}, ["delta", "constant"]),
        ({"outputs": {}}, {}, ["at least one measured channel"]),
        ({}, {"time": np.arange(1000)[::-1]}, ["goes back"]),
        ({"outputs": {"yaw_rate": {"column": "r", "unti": "deg/s"}}}, {}, ["unti", "unit"]),
    ],
)  # fmt: skip
def test_recording_names_mistake(
    tmp_path: Path, mapping: dict[str, Any], changed: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(DataError) as error:
        read_recording(written(tmp_path, **changed), MAPPING | mapping, wheelbase=WHEELBASE)
    assert all(word in str(error.value) for word in words), error.value
