"""Fits to measured runs: ``python -m tests.models.identification.measured FOLDER [CAR [RUN...]]``.

FOLDER has the runs of the AV-21 (linklab-uva/deep-dynamics) and of CarMaker's Megane (boschresearch).  CAR is
``racing_car``, ``racing_car_swapped``, ``racing_car_continued`` or ``hatchback``, all if none is named.
Further runs of that car are predicted instead of the kept ones of FOLDER.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.identification import vehicles
from ce_dynamics.models.identification.fit import Fit
from ce_dynamics.models.identification.identify import ChannelPrediction
from ce_dynamics.models.identification.recording import Recording, read_recording
from ce_dynamics.models.identification.shooting import Options
from ce_dynamics.models.identification.single_track import (
    KINDS,
    fit_reference,
)
from ce_dynamics.models.identification.tables import read_table
from ce_dynamics.models.vehicles.description import VehicleParameters

VEHICLES = Path(vehicles.__file__).parent
OPTIONS = Options(length=10.0, lead=2.0, step=5e-3, interval=0.04)
WHEELBASE = 2.9808
WRONG_HEADING = 0.02
"""Heading that a filter gains or loses within 1 s where it fails [rad]; antennas resolve 0.003."""
DRIFT = 0.05
"""Standard deviation of the drift of lateral velocity [m/s] that is assumed before it is estimated."""
SERIES = "time", "measured", "predicted", "sd", "window"


def racing_car_swapped(folder: Path, others: Sequence[Path]) -> None:
    """Fit the AV-21 to the windows that `racing_car` predicts, and predict the others."""
    racing_car(folder, others, first=1)


def racing_car(folder: Path, others: Sequence[Path], first: int = 0) -> None:
    """Fit the AV-21 to Las Vegas and every second window of Putnam Park; predict the rest, or others."""
    oval, course = folder / "LVMS_23_01_04_B.csv.gz", folder / "Putnam_park2023_run4_2_first.csv.gz"
    putnam = racing_run(course, "putnam", "deg", {"from": 20.0})
    lvms = racing_run(oval, "lvms", "rad", {"from": 110.0, "to": 425.0})
    windows = putnam.windows(OPTIONS.length, OPTIONS.lead)
    fitted, kept = part(putnam, windows[first::2]), part(putnam, windows[1 - first :: 2])
    kept = replace(kept, name=kept.name + ", other windows" * first)
    # a slow run round an oval: every third window is enough
    runs = [part(lvms, lvms.windows(OPTIONS.length, OPTIONS.lead)[::3]), fitted]
    runs = [mask(run, failures(path)) for run, path in zip(runs, (oval, course), strict=True)]
    further = [racing_run(path, "putnam", "deg", {}) for path in others]
    predicted, paths = (further, others) if others else ([kept], [course])
    wrong = {run.name: failures(path) for run, path in zip(predicted, paths, strict=True)}
    for name, spans in wrong.items():
        print(f"{name}: the filter fails:", ", ".join(f"{a:.1f} to {b:.1f} s" for a, b in spans))
    for run in predicted:
        show_floor(run, wrong[run.name])
    table = read_table(course)
    turning = table["vx"].to_numpy() * np.tan(table["delta"].to_numpy()) / WHEELBASE
    for axle, left, right in (("front", "wheel_fl", "wheel_fr"), ("rear", "wheel_rl", "wheel_rr")):
        ahead = (table[right] - table[left]).to_numpy() / 3.6
        print(f"{axle} wheels: difference of speeds is {ratio(ahead, turning):.2f} m times the yaw rate")
    fit = ce.identify(runs, VEHICLES / "av-21.yaml", racing_numbers(), progress=print, **asdict(OPTIONS))
    show(fit, predicted, wrong)
    data = VehicleParameters.load(VEHICLES / "av-21.yaml")
    for kind in KINDS:
        show(fit_reference(kind, fit, data, runs), predicted, wrong)


def racing_numbers() -> dict[str, Any]:
    """Return what is free of the AV-21, with priors."""
    free: dict[str, Any] = {"channels.yaw_rate.lag": None, "channels.vy.drift": DRIFT}
    for axle in ("front", "rear"):
        free[f"{axle}.tyre.dfy0*"] = {"sd": 0.3, "lower": 0.5}
        free[f"{axle}.tyre.fym*"] = {"sd": 0.2, "lower": 0.3}
    # slip that the locked axle forces on its tyres turns the car back
    free |= {"chassis.inertia.zz": 100.0, "rear.tyre.dfx0*": {"sd": 0.5, "lower": 0.05}}
    for s in ("lvms", "putnam"):
        free |= {
            f"channels.road_wheel_angle.scale@{s}": 0.1, f"channels.road_wheel_angle.offset@{s}": 0.01,
            f"channels.road_wheel_angle.delay@{s}": 0.1, f"channels.bank.scale@{s}": 0.3,
            f"channels.yaw_rate.delay@{s}": 0.2, f"channels.yaw_rate.offset@{s}": 0.005,
            f"channels.vy.turn@{s}": 0.02, f"channels.vy.position.x@{s}": 1.5,
            f"channels.vy.offset@{s}": 0.1,
        }  # fmt: skip
    return free


def racing_car_continued(folder: Path, others: Sequence[Path]) -> None:
    """Predict the second half and the last quarter of Putnam Park by Las Vegas and what is before."""
    oval, course = folder / "LVMS_23_01_04_B.csv.gz", folder / "Putnam_park2023_run4_2_first.csv.gz"
    lvms = racing_run(oval, "lvms", "rad", {"from": 110.0, "to": 425.0})
    putnam = racing_run(course, "putnam", "deg", {"from": 20.0})
    first = mask(part(lvms, lvms.windows(OPTIONS.length, OPTIONS.lead)[::3]), failures(oval))
    windows, wrong = putnam.windows(OPTIONS.length, OPTIONS.lead), failures(course)
    n = len(windows)
    for k in (n // 2, 3 * n // 4):
        runs = [first, mask(part(putnam, windows[:k]), wrong)]
        fit = ce.identify(runs, VEHICLES / "av-21.yaml", racing_numbers(), progress=print, **asdict(OPTIONS))
        kept = replace(part(putnam, windows[k:]), name=f"from {windows[k][0]:.0f} s")
        show(fit, [kept], {kept.name: wrong})


def racing_run(path: Path, session: str, unit: str, use: dict[str, float]) -> Recording:
    """Return a run of the AV-21.

    Its yaw rate and its heading come from one filter: the yaw rate alone is fitted, so that it counts once.
    """
    outputs = {"yaw_rate": "omega", "vy": {"column": "vy", "position": [0.2424, 0.0, 0.0]}}
    inputs = {"road_wheel_angle": "delta", "speed": "vx", "bank": {"column": "roll", "unit": unit}}
    mapping = {"session": session, "time": "time", "inputs": inputs, "outputs": outputs, "use": use}
    return read_recording(path, mapping, wheelbase=WHEELBASE)


def failures(path: Path) -> list[tuple[float, float]]:
    """Return the stretches in which heading and yaw rate of the AV-21 contradict the filter that made both.

    Its yaw rate is no gyroscope's.  Between headings of the antennas the filter goes on with
    ψ̂⁺ = ψ̂ + ω̂ Δt; an error e of the heading moves ψ̂ by α e and ω̂ by β e.  Moves of ψ̂ are therefore α/β times
    those of ω̂.  While headings are missing the filter has other gains and goes on turning; then both jump.
    """
    table = read_table(path)
    time, heading, yaw_rate = (table[name].to_numpy() for name in ("time", "phi", "omega"))
    time, heading = time - time[0], np.unwrap(heading)
    moves = np.diff(heading) - yaw_rate[:-1] * np.diff(time), np.diff(yaw_rate)
    large = np.abs(moves[1]) > np.quantile(np.abs(moves[1]), 0.9)
    rest = moves[0] - moves[1] * np.median(moves[0][large] / moves[1][large])
    sums = np.convolve(rest, np.ones(round(1.0 / float(np.median(np.diff(time))))), "same")
    bad = np.flatnonzero(np.abs(sums) > WRONG_HEADING)
    cuts = np.flatnonzero(np.diff(time[bad]) > 1.0)
    return [(float(time[g[0]]) - 0.5, float(time[g[-1]]) + 0.5) for g in np.split(bad, cuts + 1) if len(g)]


def mask(run: Recording, wrong: Sequence[tuple[float, float]]) -> Recording:
    """Return a run without what the filter of headings makes of it where it fails."""
    bad = within(run.time, wrong)
    outputs = {
        name: channel if name == "vy" else channel._replace(values=np.where(bad, np.nan, channel.values))
        for name, channel in run.outputs.items()
    }
    return replace(run, outputs=outputs)


def show_floor(run: Recording, wrong: Sequence[tuple[float, float]]) -> None:
    """Print what the best filter of inputs leaves of the channels of the windows that it is fitted to.

    60 coefficients of a finite impulse response of v tan δ/L, times 1, v² and δ², over 1.6 s, and 1 and v:
    fitted to the windows themselves, they leave less than a model that is fitted to others may leave.
    """
    time, speed = run.time, run.inputs["speed"].values
    steering = run.inputs["road_wheel_angle"].values
    base = speed * np.tan(steering) / WHEELBASE
    signals = (base, base * speed**2 / 200.0, base * steering**2 * 30.0)
    columns = [np.interp(time - 0.08 * k, time, signal) for signal in signals for k in range(20)]
    A = np.column_stack([*columns, np.ones_like(time), speed])
    inside = np.any([(time > a + OPTIONS.lead) & (time <= b) for a, b in run.spans], axis=0)
    for name, channel in run.outputs.items():
        for kind, used in (("all", inside), ("without failures", inside & ~within(time, wrong))):
            sizes = np.sqrt(np.mean(A[used] ** 2, axis=0))
            rows, wanted = A[used] / sizes, channel.values[used]
            damped = np.vstack((rows, np.sqrt(1e-4 * len(rows)) * np.eye(len(sizes))))
            found = np.linalg.lstsq(damped, np.append(wanted, np.zeros(len(sizes))), rcond=None)[0]
            error = float(np.sqrt(np.mean((wanted - rows @ found) ** 2)))
            print(f"floor of {name}, {kind}: {error:.5f} {channel.unit} of {np.sum(used)} samples")


def ratio(of: Floats, by: Floats) -> float:
    return float(np.dot(of, by) / np.dot(by, by))


def within(time: Floats, spans: Sequence[tuple[float, float]]) -> Any:
    """Return True for instants within one of the spans."""
    return np.any([np.zeros(len(time), bool), *((time >= a) & (time <= b) for a, b in spans)], axis=0)


def part(run: Recording, windows: Sequence[tuple[float, float]], lead: float = OPTIONS.lead) -> Recording:
    """Return the windows of a run alone, with their leads."""
    return replace(run, spans=[(start - lead, end) for start, end in windows])


def hatchback(folder: Path, others: Sequence[Path]) -> None:
    """Fit the Megane to two of three sine experiments, predict the other, once for each; others by all."""
    files = [folder / f"bosch_experiment{name}.csv.gz" for name in ("1_25kmh", "2_40kmh", "3_40kmh")]
    runs = [hatchback_run(path) for path in files]
    free: dict[str, Any] = {
        "front.tyre.dfy0*": 0.3, "rear.tyre.dfy0*": 0.3, "front.tyre.fym*": 0.2, "rear.tyre.fym*": 0.2,
        "front.tyre.sym*": 0.3, "rear.tyre.sym*": 0.3, "tyre.cy": None, "chassis.com.x": 0.02,
        "channels.road_wheel_angle.delay": 0.02,
    }  # fmt: skip
    forces = [name for name in runs[0].outputs if name.endswith("side_force")]
    free |= {f"channels.{name}.offset": 100.0 for name in forces}
    times: dict[str, Any] = {"length": 10.0, "lead": 1.5, "step": 5e-3, "interval": 0.04}
    for run in runs:
        forces_sum = np.sum([run.outputs[name].values for name in forces], axis=0)
        print(f"{run.name}: side forces are {ratio(forces_sum, run.outputs['ay'].values):.0f} kg times ay")
    further = [hatchback_run(path) for path in others]
    for kept in [further] if further else [[run] for run in runs]:
        # the third repeats its sine: every third of its windows is enough
        fitted = [
            part(run, windows[::3] if len(windows) > 6 else windows, times["lead"])
            for run in runs
            if all(run is not other for other in kept)
            and (windows := run.windows(times["length"], times["lead"]))
        ]
        show(ce.identify(fitted, VEHICLES / "megane.yaml", free, progress=print, **times), kept)


def hatchback_run(path: Path) -> Recording:
    names = {"front_left": "FL", "front_right": "FR", "rear_left": "RL", "rear_right": "RR"}
    # FrcC is in the axes of the leaning wheel carrier: their sum is 9 % more than published mass times ay.
    across = "{0}.tyre.Fy * cos({0}.tyre.inclination) + {0}.tyre.Fz * sin({0}.tyre.inclination)"
    forces = {
        f"{name}.side_force": {
            "column": f"Car.C{c}.Tire.FrcC.y", "unit": "N", "output": across.format(name)
        }
        for name, c in names.items()
    }  # fmt: skip
    # At the centre of mass: rolling moves it sideways over the wheels, which is a fifth of their slip.
    centre = [0.307, 0.0, 0.25]
    outputs = {
        "yaw_rate": "Car.YawRate", "vy": {"column": "Car.vy", "position": centre},
        "ay": {"column": "Car.ay", "position": centre},
    }  # fmt: skip
    inputs = {"road_wheel_angle": "0.5 * Car.SteerAngleFL + 0.5 * Car.SteerAngleFR", "speed": "Car.vx"}
    mapping = {"time": "Time", "inputs": inputs, "outputs": outputs | forces}
    return read_recording(path, mapping, wheelbase=2.55)


ROWS: list[dict[str, Any]] = []


def show(
    fit: Fit, runs: Sequence[Recording], wrong: Mapping[str, Sequence[tuple[float, float]]] | None = None
) -> None:
    """Print estimates, and keep figures for the table; those of the filter also without wrong seconds."""
    for number, value, sd in zip(fit.free, fit.values, fit.sd, strict=True):
        print(f"  {number.name} = {value:.4g} ± {sd:.2g} {number.unit}")
    for (session, channel), noise in fit.noise.items():
        if noise.drift:
            moves = noise.drift_rate * fit.options.length
            print(f"  {channel}@{session}: drifts by {noise.drift:.3g}, and by {moves:.3g} within windows")
    prediction = ce.predict(fit, runs)
    found = [*prediction.channels]
    if wrong is not None:
        # No accelerometer across is recorded: what the yaw rate makes of the speed is compared.
        for c in prediction.channels:
            if c.name == "yaw_rate":
                run = next(run for run in runs if run.name == c.run)
                speed = np.interp(c.time, run.time, run.inputs["speed"].values)
                parts = {name: speed * getattr(c, name) for name in ("measured", "predicted", "sd")}
                fitted = c.fitted / c.peak * float(np.abs(parts["measured"]).max())
                across = replace(c, name="speed times yaw_rate", unit="m/s^2", fitted=fitted, **parts)
                kept = np.flatnonzero(~within(c.time, wrong[c.run]))
                found += [across, *(without_failures(channel, kept) for channel in (c, across))]
    ROWS.extend(replace(prediction, channels=found).table())


def without_failures(channel: ChannelPrediction, kept: Any) -> ChannelPrediction:
    parts = {name: getattr(channel, name)[kept] for name in SERIES}
    return replace(channel, name=f"{channel.name}, without failures", **parts)


def print_table() -> None:
    print(
        "| model | predicted run | channel | RMSE | of the peak | of the signal's rms "
        "| peak over the fitted | in the band |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for row in ROWS:
        parts = (100.0 * row["rmse"] / row[size] for size in ("peak", "rms"))
        shown = [f"{row['rmse']:.3g} {row['unit']}", *(f"{part:.2g} %" for part in parts)]
        shown.append(f"{row['reach']:.2g}")
        cells = [row["model"], row["run"], row["channel"], *shown, f"{100.0 * row['coverage']:.1f} %"]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    for campaign in (hatchback, racing_car, racing_car_swapped, racing_car_continued):
        if campaign.__name__ in (sys.argv[2:] or [campaign.__name__]):
            campaign(Path(sys.argv[1]), [Path(name) for name in sys.argv[3:]])
    print_table()
