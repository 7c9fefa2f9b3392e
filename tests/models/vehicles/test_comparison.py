"""Comparison with recordings: of the model's own run, and of one that was changed."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.cli.command import execute
from ce_dynamics.cli.messages import BAD_INPUT
from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.chrono import contact_axes
from ce_dynamics.models.vehicles import comparison
from ce_dynamics.models.vehicles.chrono.recordings import (
    ChronoRecording,
    RecordedInputs,
    recordings,
    rotation,
)
from ce_dynamics.models.vehicles.comparison import ComparedRun, ComparedVehicle
from tests.chrono_vehicles.late import drive_late
from tests.models.tyres.magic_formula.figures import REFERENCE
from tests.models.vehicles.chrono.small_car import files, written

ROWS, INTERVAL = 101, 0.02
TABLE = Path(__file__).resolve().parents[3] / "docs/measured/chrono_recordings.txt"
"""Output of ``simulate-vehicle compare RECORDINGS --vehicles FOLDER --like-chrono``."""


def facts() -> dict[str, Any]:
    """An entry of a summary for the small car."""
    return {
        "path": "car_step.csv.gz",
        "key": "car",
        "manoeuvre": "step",
        "vehicle": "car/Vehicle.json",
        "engine": "car/Engine.json",
        "transmission": "car/Gears.json",
        "tires": ["car/Tyre.json"],
        "step": 1e-3,
        "start_height": 0.31,
        "tire_radius": [0.31] * 4,
        "times_real_time_cpu": 1.0,
    }


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[ComparedVehicle, dict[str, np.ndarray]]:
    """The small car, and columns of its own step steer."""
    root = tmp_path_factory.mktemp("data")
    written(root, files())
    t = INTERVAL * np.arange(ROWS)
    columns: dict[str, Any] = {
        name: np.zeros(ROWS) for name in ("throttle", "braking", "gear", "x", "y", "z", "vy", "vz")
    }
    columns |= {"t": t, "steering": 0.1 * np.clip((t - 0.4) / 0.2, 0.0, 1.0), "vx": np.full(ROWS, 12.0)}
    columns |= {f"q{k}": np.full(ROWS, float(k == 0)) for k in range(4)}
    columns["engine_speed"] = np.full(ROWS, 100.0)
    for name, value in (("omega", 30.0), ("drive_torque", 0.0), ("brake_torque", 0.0)):
        columns |= {f"a{k}{side}_{name}": np.full(ROWS, value) for k in range(2) for side in "LR"}
    first = record(root, columns)
    subject = ComparedVehicle(first, root, like_chrono=False)
    law = RecordedInputs.of(first)
    run = subject.run(law, t[-1], subject.start(first), INTERVAL)
    own = {"roll": "roll", "pitch": "pitch", "yaw": "yaw", "x": "x", "y": "y"}
    columns |= {name: run[ours].values for name, ours in own.items()}
    columns |= {f"q{k}": run[f"chassis_q{axis}"].values for k, axis in enumerate("wxyz")}
    R = rotation(np.stack([columns[f"q{k}"] for k in range(4)]))
    c, s = np.cos(columns["yaw"]), np.sin(columns["yaw"])
    vx, vy = run["vx"].values, run["vy"].values
    world = np.stack([c * vx - s * vy, s * vx + c * vy, run["chassis_vz"].values])
    for k, axis in enumerate("xyz"):
        columns[f"v{axis}"] = np.einsum("jn,jn->n", R[:, k], world)
        columns[f"w{axis}"] = R[2, k] * run["yaw_rate"].values  # about the vertical only
    names = [str(name) for name in run["corner"].values]
    for place, corner in subject.corners.items():
        k = names.index(corner)
        Fx, Fy, Fz = (run[f"tyre_{force}"].values[:, k] for force in ("Fx", "Fy", "Fz"))
        columns |= {f"{place}_Fx": Fx, f"{place}_Fy": Fy, f"{place}_Fz": Fz, f"{place}_FZ": Fz}
        columns |= {f"{place}_n{axis}": np.full(ROWS, float(axis == "y")) for axis in "xyz"}
        side = R[:2, 1] / np.hypot(*R[:2, 1])  # of the chassis, in the world; steering is left out
        columns[f"{place}_FX"] = side[1] * Fx + side[0] * Fy
        columns[f"{place}_FY"] = side[1] * Fy - side[0] * Fx
        columns[f"{place}_omega"] = run["wheel_rate"].values[:, k]
        columns[f"{place}_drive_torque"] = 0.31 * columns[f"{place}_Fx"]
    return subject, columns


def record(folder: Path, columns: dict[str, np.ndarray]) -> ChronoRecording:
    """Write a recording with its summary and read it."""
    with gzip.open(folder / facts()["path"], "wt") as file:
        np.savetxt(
            file,
            np.stack(list(columns.values()), axis=1),
            delimiter=",",
            header=",".join(columns),
            comments="",
            fmt="%.17g",
        )
    (folder / "summary.json").write_text(json.dumps([facts()]))
    return recordings(folder, ["car"])[0]


def compared(subject: ComparedVehicle, recording: ChronoRecording) -> ComparedRun:
    return comparison.compare_run(subject, recording, comparison.drive(subject, recording))


def test_comparison_of_own_run_is_exact(
    recorded: tuple[ComparedVehicle, dict[str, np.ndarray]], tmp_path: Path
) -> None:
    """Inputs at rows every 20 ms are those of the run; vx and wheel speeds at the start are its own."""
    subject, columns = recorded
    found = compared(subject, record(tmp_path, columns)).agreement
    assert {"yaw_rate", "ay", "roll", "Fz"} <= found.keys()
    assert max(one.rms for one in found.values()) < 1e-6


def test_comparison_shows_ten_per_cent(
    recorded: tuple[ComparedVehicle, dict[str, np.ndarray]], tmp_path: Path
) -> None:
    """Yaw rates of the recording a tenth larger: the ratio of peaks is 1/1.1."""
    subject, columns = recorded
    faster = {name: 1.1 * columns[name] for name in ("wx", "wy", "wz")}
    found = compared(subject, record(tmp_path, columns | faster)).agreement
    assert found["yaw_rate"].ratio == pytest.approx(1.0 / 1.1, rel=1e-6)
    assert 0.03 < found["yaw_rate"].rms < 0.1  # a constant yaw rate would differ by 0.1/1.1


def test_wheels_whose_force_alternates_are_counted(
    recorded: tuple[ComparedVehicle, dict[str, np.ndarray]], tmp_path: Path
) -> None:
    """A free wheel with half of its load as longitudinal force cannot keep its speed."""
    subject, columns = recorded
    still = compared(subject, record(tmp_path, columns))
    found = compared(subject, record(tmp_path, columns | {"a1L_Fx": 0.5 * columns["a1L_Fz"]}))
    assert (still.alternating, found.alternating) == (0, 1)
    assert found.agreement["Fx"].rms < 1e-6  # of the other three


CHRONO = REFERENCE / "chrono/recordings"
needs_recordings = pytest.mark.skipif(not CHRONO.is_dir(), reason="the recordings are not here")


@needs_recordings
def test_kept_table_is_what_the_command_prints() -> None:
    """Three vehicles, all but the times; figures may round otherwise on other processors."""
    kept: dict[str, str] = {}
    for line in TABLE.read_text().splitlines():  # rows of rest stand before those of runs
        kept.setdefault(line.split(" |")[0] + str(line.count("|")), line)
    subjects: dict[str, ComparedVehicle] = {}
    for recording in recordings(CHRONO, ["g500_settle", "hmmwv_4wd_step_lu", "hmmwv_bushings_step"]):
        subject = subjects.setdefault(
            recording.vehicle, ComparedVehicle(recording, REFERENCE / "chrono/vehicles", like_chrono=True)
        )
        if recording.is_rest:
            row = comparison.compare_rest(subject, recording, subject.settling).row()
        else:
            row = compared(subject, recording).row()
        there = kept[row.split(" |")[0] + str(row.count("|"))]
        numbers, theirs = (
            [float(number) for number in re.findall(r"-?[\d.]+(?:e[-+]\d+)?", text.split("|", 2)[2])]
            for text in (row, there)
        )
        if not recording.is_rest:
            numbers, theirs = numbers[:-4], theirs[:-4]  # times, and the 4 of rk4
        assert numbers == pytest.approx(theirs, rel=0.02, abs=0.02)


def of_chrono(name: str) -> ChronoRecording:
    return next(one for one in recordings(CHRONO, [name]) if one.name == name)


@needs_recordings
@pytest.mark.parametrize(
    ("name", "ratio"), [("hmmwv_simple_step_lu", 0.25), ("man_5t_step_lu", 0.25), ("hmmwv_step_lu", 5.0)]
)
def test_speed_of_simple_drivelines(name: str, ratio: float) -> None:
    """Chrono's simple driveline multiplies the wheels' speed by the gear by which it divides the torque.

    Its power is 1/ratio² too small; other drivelines divide the speed.
    """
    one = of_chrono(name)
    driven = [place for place in ("a0L", "a0R", "a1L", "a1R") if np.any(one.wheel(place, "drive_torque"))]
    wheels = np.mean([one.wheel(place, "omega")[-1] for place in driven])
    assert abs(one["driveline_speed"][-1] / wheels) == pytest.approx(ratio, rel=1e-2)


@needs_recordings
@pytest.mark.parametrize(("name", "times"), [("hmmwv_step_lu", 1.0), ("hmmwv_shafts_step_lu", 2.0)])
def test_torque_of_the_propeller_shaft_rolls_chronos_chassis(name: str, times: float) -> None:
    """Once, or twice with blocks of engine and gearbox: loads of vehicles that roll ahead show it."""
    moments = []
    for one in (of_chrono(name), of_chrono("hmmwv_step_np_lu")):
        ahead = (one["t"] >= 1.0) & (one["t"] <= 1.98)
        places = ("a0L", "a0R", "a1L", "a1R")
        moments.append(sum((one.wheel(k, "FZ") * one.wheel(k, "y"))[ahead].mean() for k in places))
    torque = of_chrono(name)["transmission_torque"][ahead].mean()
    assert (moments[0] - moments[1]) / torque == pytest.approx(times, abs=0.12)


@needs_recordings
def test_rigid_tyres_of_chrono_make_energy() -> None:
    """From 0.2 to 2 s the articulated vehicle gets faster on a level road while its shafts brake it."""
    one = of_chrono("acv_step_lu")
    ahead = (one["t"] >= 0.2) & (one["t"] <= 2.0)
    left, right = (one.wheel(place, "drive_torque") * one.wheel(place, "omega") for place in ("a0L", "a0R"))
    power = left + right
    work = float(np.trapezoid(power[ahead], one["t"][ahead]))
    v = np.sqrt(sum(one[f"com_v{axis}"] ** 2 for axis in "xyz"))[ahead]
    mass, height = one.facts["mass_sum_of_bodies"], one["com_z"][ahead]
    gained = 0.5 * mass * (v[-1] ** 2 - v[0] ** 2) + 9.81 * mass * (height[-1] - height[0])
    assert work < -1e3
    assert gained > 1e4


@needs_recordings
def test_rigid_tyres_of_chrono_jolt_as_they_roll() -> None:
    """From 0.5 to 2 s, straight on at 12 m/s on a level road, no load of a wheel is near its mean."""
    one = of_chrono("acv_step_lu")
    straight = (one["t"] >= 0.5) & (one["t"] < 2.0)
    loads = [one.wheel(place, "FZ")[straight] for place in ("a0L", "a0R", "a1L", "a1R")]
    assert np.abs(one["steering"][straight]).max() == 0.0
    swings = [load.std() / load.mean() for load in loads]
    assert min(swings) > 0.2
    assert max(swings) < 0.31


@needs_recordings
def test_rigid_tyres_of_chrono_give_way_by_modulus() -> None:
    """Tyre and road of 20 MPa touch at four points of curvature 0.1 m, by Hertz; the vehicle jitters.

    Loads by the file's normal stiffness, 2e5 N/m, would be an eighth.
    """
    one = of_chrono("acv_settle_lu")
    last, up = one["t"] > 4.0, rotation(np.stack([one[f"q{k}"] for k in range(4)]))[2]
    stiffness = 4.0 * 4.0 / 3.0 * 2e7 / (2.0 * (1.0 - 0.3**2)) * 0.1**0.5
    for place in ("a0L", "a0R", "a1L", "a1R"):
        height = one["z"] + sum(up[k] * one.wheel(place, axis) for k, axis in enumerate("xyz"))
        pressed = 0.42 - height[last].mean()
        assert one.wheel(place, "FZ")[last].mean() == pytest.approx(stiffness * pressed**1.5, rel=0.03)


@needs_recordings
def test_a_wishbone_of_chrono_is_displaced() -> None:
    """From the first rows on the left wheel of `gator` is 0.95 mm nearer to the middle than the right one.

    Its tie rod ends 50 mm behind the kingpin, so that the wheel turns by 1.1 degrees.  The wheels' centres,
    80 mm outside of kingpins that turn by up to 4.4 degrees, differ by up to 0.16 mm more: 3.2 mrad.
    """
    one = of_chrono("gator_settle_bbtight")
    aside, turned = one["a0L_y"] + one["a0R_y"], one["a0L_steer"] + one["a0R_steer"]
    assert (aside[0], turned[0]) == (0.0, 0.0)
    assert aside[1:] == pytest.approx(-0.95e-3, abs=0.1e-3)
    assert turned[1:] == pytest.approx(aside[1:] / 0.05, abs=3.2e-3)


@needs_recordings
def test_transverse_beams_of_chrono_fall() -> None:
    """Two bodies of 1 kg are joined to nothing: the vehicle's mass centre falls with 2 kg of its mass."""
    one = of_chrono("generic_primaxx_settle_qr")
    still = one["t"] > 1.0
    falling = -2.0 * np.polyfit(one["t"][still], (one["com_z"] - one["z"])[still], 2)[0]
    assert falling / 9.81 * one.facts["mass_sum_of_bodies"] == pytest.approx(2.0, rel=1e-3)


@needs_recordings
@pytest.mark.parametrize("name", ["hmmwv_simple_brake_lu", "man_5t_brake_lu"])
def test_simple_drivelines_of_chrono_stay_as_they_are(name: str) -> None:
    """Below 20 N m of the shaft they return at once: engines neither drive nor turn as vehicles roll."""
    one = of_chrono(name)
    assert np.abs(one["vx"][:50]).min() > 11.0
    for column in ("engine_speed", "driveline_speed", "a0L_drive_torque", "a1L_drive_torque"):
        assert not np.any(one[column][1:])


@needs_recordings
def test_semi_trailing_arms_of_chrono_hang() -> None:
    """The tail has fallen, by 26 degrees, and the rear springs pull."""
    one = of_chrono("generic_semi_trailing_arm_settle_lu")
    assert one["pitch"][-1] == pytest.approx(-0.45, abs=0.01)
    assert max(one[f"a1{side}_tsda_Spring_force"][-1] for side in "LR") < -4000.0
    assert one["a0L_tsda_Spring_force"][-1] > 6000.0
    rolls = of_chrono("generic_semi_trailing_arm_step_lu")
    load = rolls.wheel("a1L", "Fz")[rolls["t"] < 2.0]
    assert load.min() == 0.0
    assert load.max() > 1.9 * one.wheel("a1L", "Fz")[-1]
    brakes = of_chrono("generic_semi_trailing_arm_brake_lu")  # its tail flies for 0.6 s
    assert brakes.wheel("a1L", "Fz")[(brakes["t"] > 2.47) & (brakes["t"] < 3.07)].max() == 0.0


@needs_recordings
def test_cambered_wheels_of_chrono_depend_on_heading() -> None:
    """Rear wheels lean by 28 degrees; 0.88 of their load acts along the x axis of the world, 0.64 at 2 rad.

    Recordings have seven digits.
    """
    one, ratios = of_chrono("generic_semi_trailing_arm_step_lu"), []
    for place in ("a0L", "a0R", "a1L", "a1R"):
        acting = np.stack(list(one.force_on_wheel(place).values()))
        reported = np.stack([one.wheel(place, name) for name in ("Fx", "Fy", "Fz")])
        axis = np.einsum("ijn,jn->in", one.attitude, [one.wheel(place, f"n{name}") for name in "xyz"])
        level = np.hypot(axis[0], axis[1])
        for k in np.flatnonzero(reported[2] > 100.0):
            heading = axis[1, k] / level[k], -axis[0, k] / level[k]
            found = contact_axes(level[k], heading).turn(*reported[:, k])
            assert found == pytest.approx(acting[:, k], abs=2e-5 * np.abs(reported[:, k]).max())
        if place == "a1R":
            ratios = [acting[2, k] / reported[2, k] for k in (100, 235)]
    assert ratios == pytest.approx([0.88, 0.64], abs=0.01)


@needs_recordings
def test_bushings_of_chrono_do_not_balance() -> None:
    """From 1 to 2 s the vehicle rolls straight ahead, and what it lacks in load would let it fall 0.1 m."""
    one = of_chrono("hmmwv_bushings_step_minres_h2e-4")
    ahead = (one["t"] >= 1.0) & (one["t"] <= 1.98)
    carried = sum(one.wheel(place, "FZ")[ahead].mean() for place in ("a0L", "a0R", "a1L", "a1R"))
    assert carried / (9.81 * one.facts["mass_sum_of_bodies"]) == pytest.approx(0.978, abs=0.001)
    assert np.ptp(one["com_z"][ahead]) < 1e-3


@needs_recordings
@pytest.mark.parametrize(
    ("name", "locked"), [("hmmwv_bushings_step_minres_h2e-4", True), ("hmmwv_step_lu", False)]
)
def test_minres_of_chrono_locks_differentials(name: str, locked: bool) -> None:
    """Its rear wheels, of an open differential, turn alike in a turn in which others differ by 1.4 rad/s."""
    one = of_chrono(name)
    apart = np.abs(one.wheel("a1L", "omega") - one.wheel("a1R", "omega"))[one["t"] > 3.0]
    assert (apart.max() < 5e-3) == locked
    assert (apart.min() > 1.0) != locked


@needs_recordings
def test_locked_wheels_of_chrono_creep() -> None:
    """The bus slides on locked rear wheels that turn at 0.5 rad/s; the engine in first gear shows it."""
    one = of_chrono("uazbus_sae_replica_brake_lu")
    wheels = 0.5 * (one.wheel("a1L", "omega") + one.wheel("a1R", "omega"))
    rolling, locked = ((one["t"] > start) & (one["t"] < end) for start, end in ((3.39, 3.49), (3.6, 4.0)))
    assert np.all(one["gear"][rolling | locked] == 1.0)
    ratio = (one["engine_speed"] / wheels)[rolling].mean()
    assert ratio == pytest.approx(40.6, rel=1e-2)
    assert one["vx"][locked].min() > 2.0
    assert wheels[locked].mean() == pytest.approx(0.56, abs=0.02)
    assert one["engine_speed"][locked].mean() == pytest.approx(ratio * wheels[locked].mean(), rel=0.05)


@needs_recordings
@pytest.mark.parametrize(
    ("name", "place"), [("generic_solid_axles_step_lu", "a0L"), ("generic_double_wishbones_step_lu", "a1R")]
)
def test_light_wheels_of_chrono_swing_in_ten_steps(name: str, place: str) -> None:
    """Rows, twenty steps apart, show a swing of ten steps at one and the same point of it.

    F_x is as large as would spin the wheel up within 0.1 s, and changes by less than 1 N in 0.2 s.  Of forces
    one step late the swing would last six steps, and three rows in turn would differ.
    """
    one = of_chrono(name)
    last = one.wheel(place, "Fx")[300:311]
    assert np.abs(last).min() > 4000.0
    assert np.ptp(last) < 1.0


@needs_recordings
@pytest.mark.filterwarnings("ignore::ce_dynamics.errors.PhysicalityWarning")
@pytest.mark.parametrize(
    ("name", "quantity", "at_once", "late"),
    [("audi_brake_lu", "engine", 0.012, 0.009), ("citybus_pac02_step_lu", "yaw_rate", 0.012, 0.01)],
)
def test_tyres_two_steps_late_drive_as_chronos(name: str, quantity: str, at_once: float, late: float) -> None:
    """In steps of Chrono, with forces of tyres two steps late, light wheels swing here as well."""
    one = of_chrono(name)
    subject = ComparedVehicle(one, REFERENCE / "chrono/vehicles", like_chrono=True)
    runs = comparison.drive(subject, one), drive_late(subject, one)
    errors = [comparison.compare_run(subject, one, run).agreement[quantity].rms for run in runs]
    assert errors[0] > at_once
    assert errors[1] < late


@needs_recordings
def test_loaded_wheels_of_chrono_swing() -> None:
    """The Audi's outer rear wheel, which nothing drives, has F_x of a quarter of its load while it turns.

    With it the wheel would stop within 0.1 s.  The inner wheel has none.
    """
    one = of_chrono("audi_step_lu")
    turns = one["t"] > 3.0
    outer, inner = one.wheel("a1R", "Fx")[turns], one.wheel("a1L", "Fx")[turns]
    assert not np.any(one.wheel("a1R", "drive_torque"))
    assert np.abs(outer).mean() > 1000.0
    assert np.abs(inner).max() < 50.0
    assert one.wheel("a1R", "omega")[-1] > 30.0


def test_recordings_name_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"summary\.json"):
        recordings(tmp_path)
    (tmp_path / "summary.json").write_text(json.dumps([facts()]))
    with pytest.raises(DataError, match="no recording begins with 'van'"):
        recordings(tmp_path, ["van"])
    (one,) = recordings(tmp_path)
    with pytest.raises(DataError, match=r"car_step\.csv\.gz"):
        one.columns  # noqa: B018
    for rows, message in (("1,2", "has two rows at least"), ("1,2\n3,nan", "of finite numbers")):
        with gzip.open(tmp_path / facts()["path"], "wt") as file:
            file.write(f"t,x\n{rows}\n")
        with pytest.raises(DataError, match=message):
            one.columns  # noqa: B018
    with pytest.raises(DataError, match="car_step: mass_sum_of_bodies None is not a number"):
        one.fact("mass_sum_of_bodies")


def test_wrong_vehicles_are_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "summary.json").write_text(json.dumps([facts()]))
    assert execute(["compare", str(tmp_path), "--vehicles", str(tmp_path)]) == BAD_INPUT
    assert "Vehicle.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("summary", "message"),
    [
        ("[", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("{}", "{} must be a list of recordings, at least one"),
        ("[]", r"\[\] must be a list of recordings, at least one"),
        ("[3]", "entry 0 3 must be a mapping"),
        (json.dumps([facts(), {}]), "entry 1: path None must be text"),
        (json.dumps([facts() | {"step": 0}]), "entry 0: step 0 must be a positive finite number"),
        (json.dumps([facts() | {"engine": 3}]), "entry 0: engine 3 must be a file"),
        (json.dumps([facts() | {"tires": "car/Tyre.json"}]), "entry 0: tires .* must be a list of names"),
        (json.dumps([facts() | {"tire_radius": "x"}]), "entry 0: tire_radius 'x' must be a list of numbers"),
    ],
)
def test_unusable_summaries_are_refused(tmp_path: Path, summary: str, message: str) -> None:
    (tmp_path / "summary.json").write_text(summary)
    with pytest.raises(DataError, match=message):
        recordings(tmp_path)
