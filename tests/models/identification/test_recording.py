"""Reading of recorded runs: mapping, formulas, gaps, and mistakes that are named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.identification.recording import read_recording, relation
from ce_dynamics.models.identification.tables import FUNCTIONS, evaluate_formula, names_in, numbers_of

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
    table = columns(**changed)
    rows = "\n".join(
        ",".join("" if x != x else repr(float(x)) for x in row) for row in zip(*table.values(), strict=True)
    )
    path = folder / "run.csv"
    path.write_text(",".join(table) + "\n" + rows + "\n")
    return path


def write_parquet(path: Path) -> None:
    pd.DataFrame(columns()).to_parquet(path)


def write_mdf(path: Path) -> None:
    """The run as MDF4, its steering at half the rate of the others, and at the end."""
    asammdf = pytest.importorskip("asammdf")
    made = columns()
    with asammdf.MDF(version="4.10") as file:
        for name in ("delta", "v", "r"):
            some = np.union1d(np.arange(0, 1000, 2 if name == "delta" else 1), 999)
            file.append([asammdf.Signal(made[name][some], made["time"][some], name=name)])
        file.save(path)


def write_mcap(path: Path) -> None:
    """The run as MCAP with JSON messages of two topics."""
    writing = pytest.importorskip("mcap.writer")
    made = columns()
    with path.open("wb") as stream:
        writer = writing.Writer(stream)
        writer.start()
        schema = writer.register_schema("numbers", "jsonschema", b"{}")
        topics = {"car": ("v", "r"), "steering": ("delta",)}
        ids = {topic: writer.register_channel(topic, "json", schema) for topic in topics}
        for k, t in enumerate(made["time"]):
            for topic, names in topics.items():
                content = {name: float(made[name][k]) for name in names}
                now = 10**18 + round(t * 1e9)
                writer.add_message(ids[topic], now, json.dumps(content).encode(), now)
        writer.finish()


@pytest.mark.parametrize(
    ("ending", "write", "prefix"),
    [(".parquet", write_parquet, ("", "")), (".mf4", write_mdf, ("", "")),
     (".mcap", write_mcap, ("car.", "steering."))],
)  # fmt: skip
def test_recording_reads_format(
    tmp_path: Path, ending: str, write: Callable[[Path], None], prefix: tuple[str, str]
) -> None:
    path, (car, steering) = tmp_path / f"run{ending}", prefix
    write(path)
    mapping = {
        "inputs": {"road_wheel_angle": f"{steering}delta", "speed": {"column": f"{car}v", "unit": "km/h"}},
        "outputs": {"yaw_rate": {"column": f"{car}r", "unit": "deg/s"}},
    }
    run, made = read_recording(path, mapping, wheelbase=WHEELBASE), columns()
    # Steering is interpolated over 40 ms: at most (0.04 · 2)²/8 of 0.05 rad; times of MCAP have 16 digits.
    np.testing.assert_allclose(run.time, made["time"], atol=2e-7)
    np.testing.assert_allclose(run.inputs["road_wheel_angle"].values, made["delta"], atol=4.1e-5)
    np.testing.assert_allclose(run.inputs["speed"].values, made["v"] / 3.6, rtol=1e-12)
    np.testing.assert_allclose(run.outputs["yaw_rate"].values, np.radians(made["r"]), rtol=1e-12)
    np.testing.assert_allclose(run.spans, [(0.0, made["time"][-1])], atol=2e-7)


def test_slow_signals_keep_their_samples(tmp_path: Path) -> None:
    asammdf, made = pytest.importorskip("asammdf"), columns()
    with asammdf.MDF(version="4.10") as file:
        for name, some in (("delta", slice(500)), ("v", slice(None)), ("r", slice(None, None, 10))):
            file.append([asammdf.Signal(made[name][some], made["time"][some], name=name)])
        file.save(tmp_path / "run.mf4")
    run = read_recording(tmp_path / "run.mf4", MAPPING, wheelbase=WHEELBASE)
    # Interpolated outputs would count as samples, and an input held beyond its end as measured.
    assert np.isfinite(run.outputs["yaw_rate"].values).sum() == 100
    ((start, end),) = run.spans
    assert start == 0.0
    assert end == pytest.approx(9.98)
    assert np.isfinite(run.outputs["ay"].values).sum() == 991, "formulas of columns interpolate between them"


def test_messages_may_have_nested_fields() -> None:
    assert numbers_of("car", {"v": {"x": 1, "list": [2.5, "a"]}, "ok": True, "none": None}) == {
        "car.v.x": 1.0, "car.v.list.0": 2.5, "car.ok": 1.0
    }  # fmt: skip


@pytest.mark.parametrize("unit", ["ms", "ns"])
def test_parquet_may_have_dates_as_index(tmp_path: Path, unit: str) -> None:
    made = columns()
    dates = pd.to_datetime(made.pop("time") + 1.7e9, unit="s").astype(f"datetime64[{unit}]")
    table = pd.DataFrame(made, index=pd.Index(dates, name="time"))
    table["lists"], table["empty"] = [[1.0, 2.0]] * len(table), pd.NaT
    table.to_parquet(tmp_path / "run.parquet")
    run = read_recording(tmp_path / "run.parquet", MAPPING, wheelbase=WHEELBASE)
    np.testing.assert_allclose(run.time, columns()["time"], atol=5e-7 if unit == "ns" else 1.1e-3)


def test_recording_takes_unequal_sampling(tmp_path: Path) -> None:
    made = columns()
    kept = np.sort(np.random.default_rng(0).choice(len(made["time"]), 700, replace=False))
    run = read_recording(
        written(tmp_path, **{n: x[kept] for n, x in made.items()}), MAPPING, wheelbase=WHEELBASE
    )
    np.testing.assert_allclose(run.time, made["time"][kept] - made["time"][kept][0], atol=1e-12)
    assert any("unequally spaced" in one.text for one in run.findings)


def test_recording_notes_missing_samples(tmp_path: Path) -> None:
    r = columns()["r"]
    r[300:340] = np.nan
    run = read_recording(written(tmp_path, r=r), MAPPING, wheelbase=WHEELBASE)
    notes = [one.text for one in run.findings if one.channel == "yaw_rate"]
    assert "40 of 1000 samples are no numbers" in notes
    assert len(run.spans) == 1, "an output that is missing for a while leaves the others"


def test_damaged_file_is_named(tmp_path: Path) -> None:
    for ending in ("parquet", "mf4", "mcap", "csv"):
        path = tmp_path / f"broken.{ending}"
        path.write_bytes(b"\x00\xff none of these formats \x89")
        with pytest.raises(DataError, match=rf"broken\.{ending}"):
            read_recording(path, MAPPING)


def test_mapping_in_place_of_a_table_is_named(tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text("time: t")
    with pytest.raises(DataError, match=r"other\.yaml: this is no table; name mappings"):
        read_recording(path, MAPPING)


def test_recording_converts_units(tmp_path: Path) -> None:
    run = read_recording(written(tmp_path), MAPPING, wheelbase=WHEELBASE)
    delta = columns()["delta"]
    np.testing.assert_allclose(run.outputs["yaw_rate"].values, 12.0 * delta / WHEELBASE, rtol=1e-12)
    np.testing.assert_allclose(run.inputs["speed"].values, 12.0, atol=0.1 / 3.6)


@pytest.mark.parametrize(("unit", "per_second"), [("ns", 1e9), ("us", 1e6), ("µs", 1e6), ("ms", 1e3)])
def test_clocks_and_speeds_of_loggers_are_read(tmp_path: Path, unit: str, per_second: float) -> None:
    made = columns()
    path = written(tmp_path, time=1.7e9 * per_second + per_second * made["time"], v=made["v"] / 1.852)
    inputs = {**MAPPING["inputs"], "speed": {"column": "v", "unit": "kn"}}
    outputs = {"yaw_rate": MAPPING["outputs"]["yaw_rate"]}
    mapping = {"time": {"column": "time", "unit": unit}, "inputs": inputs, "outputs": outputs}
    run = read_recording(path, mapping, wheelbase=WHEELBASE)
    # A double holds 1.7e9 s to 2.4e-7 s.
    np.testing.assert_allclose(run.time, made["time"], atol=5e-7)
    np.testing.assert_allclose(run.inputs["speed"].values, made["v"] / 3.6, rtol=1e-12)


def test_recording_reads_decimal_commas(tmp_path: Path) -> None:
    plain, other = written(tmp_path), tmp_path / "german.csv"
    other.write_text(plain.read_text().replace(",", ";").replace(".", ","))
    runs = [read_recording(path, MAPPING, wheelbase=WHEELBASE) for path in (plain, other)]
    assert np.array_equal(runs[0].time, runs[1].time)
    assert np.array_equal(runs[0].outputs["yaw_rate"].values, runs[1].outputs["yaw_rate"].values)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "latin-1"])
def test_recording_reads_encoding(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text().replace("delta", "Lenkwinkel [°]"), encoding)
    mapping = MAPPING | {"inputs": {"road_wheel_angle": "Lenkwinkel [°]", "speed": "v / 3.6"}}
    run = read_recording(path, mapping, wheelbase=WHEELBASE)
    np.testing.assert_allclose(run.inputs["road_wheel_angle"].values, columns()["delta"], rtol=1e-12)


def test_columns_of_one_name_are_numbered(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text(path.read_text().replace("delta,v,", "v (deg),v (km/h),", 1).replace("v,r", "r,r", 1))
    with pytest.raises(DataError, match=r"'delta'; the table has time, v \(deg\), v \(km/h\), r$"):
        read_recording(path, MAPPING)
    path.write_text(path.read_text().replace("v (deg),v (km/h)", "r,r", 1))
    with pytest.raises(DataError, match=r"the table has time, r \(1\), r \(2\), r \(3\)"):
        read_recording(path, MAPPING)


@pytest.mark.parametrize(
    ("line", "place"), [("1,2,3,4,5,6", "Expected 4 fields in line 1002, saw 6"), ("# logger", "all lines")]
)
def test_lines_of_other_lengths_are_named(tmp_path: Path, line: str, place: str) -> None:
    path = written(tmp_path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, line] if line[0] == "1" else [line, *lines]))
    with pytest.raises(DataError, match=rf"lines have more cells than the first, .* \({place}\)"):
        read_recording(path, MAPPING)


@pytest.mark.parametrize("day", ["2026-03-01T", ""])
def test_time_may_be_a_date(tmp_path: Path, day: str) -> None:
    lines = written(tmp_path).read_text().splitlines()
    rows = [line.partition(",") for line in lines[1:]]
    made = [f"{day}12:{k // 3000:02d}:{k % 3000 / 50:05.2f},{row[2]}" for k, row in enumerate(rows)]
    (tmp_path / "run.csv").write_text("\n".join([lines[0], *made]))
    run = read_recording(tmp_path / "run.csv", MAPPING, wheelbase=WHEELBASE)
    # Seconds since 1970 have 2e-7 s in double precision.
    np.testing.assert_allclose(run.time, columns()["time"], atol=5e-7)


def test_input_of_a_slower_bus_is_interpolated(tmp_path: Path) -> None:
    made = columns()
    made["v"][np.arange(1000) % 5 > 0] = np.nan
    made["v"][400:450] = np.nan
    run = read_recording(written(tmp_path, **made), MAPPING, wheelbase=WHEELBASE)
    # Blanks of ten samples are a gap where every fifth has a value, and so is the end.
    np.testing.assert_allclose(run.spans, [(0.0, 7.9), (9.0, 19.9)])
    t = run.time[:395]
    np.testing.assert_allclose(run.inputs["speed"].values[:395], 12.0 + np.sin(t) / 36.0, atol=0.05**2 / 36.0)
    assert any("are interpolated" in one.text for one in run.findings if one.channel == "speed")


def test_codes_of_invalid_values_and_constants_are_noted(tmp_path: Path) -> None:
    made = columns()
    made["r"][3::100], made["v"][:] = -999.0, 43.2
    run = read_recording(written(tmp_path, **made), MAPPING, wheelbase=WHEELBASE)
    notes = [one.text for one in run.findings if one.channel in ("yaw_rate", "speed")]
    assert any("single samples that stand out: 10, such as -17.4" in note for note in notes)
    assert "is constant, 12 m/s" in notes


def test_acceleration_may_be_in_g(tmp_path: Path) -> None:
    mapping = {"outputs": {"ay": {"column": "v / 3.6 * r / 57.29578 / 9.80665", "unit": "g"}}}
    run = read_recording(written(tmp_path), MAPPING | mapping, wheelbase=WHEELBASE)
    made = columns()
    np.testing.assert_allclose(run.outputs["ay"].values, made["v"] / 3.6 * np.radians(made["r"]), rtol=1e-7)


def test_channel_may_have_instants_of_its_own(tmp_path: Path) -> None:
    # The yaw rate is sampled at 100 Hz in the first half of the rows, from 3 s of the run on.
    made = columns()
    late = np.where(np.arange(1000) < 500, 3.0 + 0.01 * np.arange(1000), np.nan)
    made |= {"t_gyro": late, "r": np.degrees(0.24 * np.sin(2.0 * late))}
    path = tmp_path / "run.csv"
    pd.DataFrame(made).to_csv(path, index=False)
    mapping = {"outputs": {"yaw_rate": {"column": "r", "unit": "deg/s", "time": "t_gyro"}}}
    run = read_recording(path, MAPPING | mapping, wheelbase=WHEELBASE)
    values, inside = run.outputs["yaw_rate"].values, (run.time >= 3.0) & (run.time <= 7.98)
    assert np.array_equal(np.isfinite(values), (run.time >= 3.0) & (run.time <= late[499]))
    # Linear interpolation over 10 ms: (0.01 · 2)²/8 of 0.24.
    np.testing.assert_allclose(values[inside], 0.24 * np.sin(2.0 * run.time[inside]), atol=1.3e-5)
    mapping["outputs"]["yaw_rate"]["time"] = "t_gyr"
    with pytest.raises(DataError, match=r"yaw_rate: time: no column 't_gyr'; did you mean 't_gyro'"):
        read_recording(path, MAPPING | mapping)


def test_recording_notes_rows_and_samples_left_out(tmp_path: Path) -> None:
    made = columns()
    made["time"][7], made["r"][9] = made["time"][6], np.inf
    run = read_recording(written(tmp_path, **made), MAPPING, wheelbase=WHEELBASE)
    assert len(run.time) == len(made["time"]) - 1
    notes = {one.channel: one.text for one in run.findings[::-1]}
    assert notes["time"].startswith("1 rows are left out")
    assert notes["yaw_rate"].startswith("1 of 999 samples")


def test_noisy_reference_is_no_mistake_of_units() -> None:
    # a is half of b, or b is half noise of its own: the slope does not show which.
    rng, time = np.random.default_rng(2), np.arange(0.0, 100.0, 0.02)
    true, noise = np.sin(time), np.repeat(rng.normal(size=500), 10)
    moving = np.ones(len(time), bool)
    found = relation("ax", "rate of speed", time, true, true + 0.75 * noise, moving)
    assert [one.kind for one in found] == ["note"]
    found = relation("ax", "rate of speed", time, true, 3.6 * true, moving)
    assert [one.kind for one in found] == ["mistake"]


def test_output_may_be_a_formula_of_model_outputs() -> None:
    # A force of 3 N across and 4 N up, seen by a carrier that leans by 0.1 rad.
    text = "left.Fy * cos(left.lean) + left.Fz * sin(left.lean)"
    known = {"left.Fy": 3.0, "left.Fz": 4.0, "left.lean": 0.1, "odd-name": 1.0}
    assert set(names_in(text, list(known))) == {"left.Fy", "left.Fz", "left.lean"}
    assert names_in("odd-name", list(known)) == ["odd-name"]
    wanted = 5.0 * np.sin(0.1 + np.arctan2(3.0, 4.0))
    assert evaluate_formula("outputs", text, known, FUNCTIONS) == pytest.approx(wanted, rel=1e-12)
    with pytest.raises(DataError, match=r"no formula of columns; use \+ - \* / sin, cos, tan"):
        evaluate_formula("outputs", "sqrt(left.Fy)", known, FUNCTIONS)


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
        ({"outputs": {"yaw_rate": {"column": "r", "unit": "deg/s", "delay": "3 m"}}}, {}, ["delay", "3 m"]),
        ({"outputs": {"yaw_rate": "r"}}, {"r": np.full(1000, np.nan)}, ["yaw_rate", "no numbers"]),
        ({"outputs": {"yaw_rate": {"column": "r", "sign": "minus"}}}, {}, ["yaw_rate", "sign", "minus"]),
        ({"outputs": {"vy": {"column": "r", "position": [1, 2]}}}, {}, ["vy: position", "3"]),
        ({"inputs": "delta"}, {}, ["inputs"]),
        ({"outputs": {"yaw_rate": ["r"]}}, {}, ["yaw_rate", "column"]),
        ({"use": {"until": 3}}, {}, ["use", "until"]),
        ({"use": {"from": 100}}, {}, ["use", "100"]),
        ({}, {"time": np.arange(1000)[::-1]}, ["goes back"]),
        ({"time": {"column": "time", "unit": "ms"}}, {}, ["lasts 0.02 s", "unit"]),
        ({"outputs": {"yaw_rate": {"column": "r", "unti": "deg/s"}}}, {}, ["unti", "unit"]),
        ({"outputs": {"yaw_rate": {"unit": "deg/s"}}}, {}, ["yaw_rate", "names no column"]),
        ({"outputs": {"yaw_rate": {"column": "r", "delay": "500 s"}}}, {}, ["delay of 500 s", "19.98 s"]),
        ({"outputs": {"yaw_rate": "d(r, 0)"}}, {}, ["yaw_rate", "width", "positive"]),
        ({"time": {"colum": "time"}}, {}, ["time", "colum", "column"]),
        ({"time": {"column": "time", "unit": "min"}}, {}, ["1.2 s apart", "unit"]),
        ({"session": ["a"]}, {}, ["session", "text"]),
        ({"standstill": "maybe"}, {}, ["standstill", "maybe"]),
    ],
)  # fmt: skip
def test_recording_names_mistake(
    tmp_path: Path, mapping: dict[str, Any], changed: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(DataError) as error:
        read_recording(written(tmp_path, **changed), MAPPING | mapping, wheelbase=WHEELBASE)
    assert all(word in str(error.value) for word in words), error.value
