"""Fits to data of the library's own: ``python -m tests.models.identification.synthetic [DRAWS]``.

Numbers and noise are known.  100 draws of the noise of a single track, and some of a whole vehicle, show how
often estimates lie within three standard deviations.  One fit of 30 numbers to 60 s shows the time, and how
fast a window forgets its start.
"""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ce_dynamics.models.identification.fit import Rounds
from ce_dynamics.models.identification.plant import Plant, vehicle_plant
from ce_dynamics.models.identification.problem import FitProblem, free_numbers
from ce_dynamics.models.identification.recording import Channel, Recording
from ce_dynamics.models.identification.shooting import Options, Segment, Shooter, segments_of
from ce_dynamics.models.identification.single_track import single_track

OPTIONS = Options(length=5.0, lead=1.0, step=2.5e-3, interval=0.02)
NOISE = {"yaw_rate": (0.01, "rad/s"), "ay": (0.1, "m/s^2"), "vy": (0.02, "m/s"), "roll": (0.002, "rad")}
TRUTH = {
    "front.tyre.dfy0*": 1.1, "rear.tyre.dfy0*": 0.92, "chassis.inertia.zz": 1950.0, "chassis.com.x": 0.27,
    "channels.yaw_rate.delay": 0.03, "channels.road_wheel_angle.offset": 0.003,
}  # fmt: skip
SINGLE = {
    "front.stiffness": 17.0, "rear.stiffness": 21.0, "inertia": 1100.0, "channels.ay.scale": 1.03,
    "channels.road_wheel_angle.offset": 0.004, "channels.yaw_rate.delay": 0.06,
}  # fmt: skip
"""Numbers of a linear single track of 1500 kg."""
AXLE = (
    "tyre.dfy0.0", "tyre.dfy0.1", "tyre.fym.0", "tyre.fym.1", "tyre.nL0.0", "spring.linear",
    "anti_roll_bar.stiffness",
)  # fmt: skip
MANY = (
    *(f"{axle}.{name}" for axle in ("front", "rear") for name in AXLE),
    "tyre.cy", "tyre.dy", "chassis.mass", "chassis.com.x", "chassis.com.z", "chassis.inertia.xx",
    "chassis.inertia.zz", "channels.yaw_rate.offset", "channels.ay.offset", "channels.vy.offset",
    "channels.yaw_rate.delay", "channels.ay.delay", "channels.vy.delay", "channels.road_wheel_angle.offset",
    "channels.road_wheel_angle.scale", "channels.road_wheel_angle.delay",
)  # fmt: skip


def driven(seconds: float) -> Recording:
    """A run at 18 to 22 m/s whose steering excites 0.2 to 1.5 Hz, without measured values."""
    t = np.arange(0.0, seconds, 0.02)
    steering = 0.02 * (np.sin(1.3 * t) + np.sin(3.7 * t + 1.0) + np.sin(8.9 * t))
    speed = 20.0 + 2.0 * np.sin(0.3 * t)
    inputs = {
        "road_wheel_angle": Channel(steering, "rad", "road_wheel_angle"),
        "speed": Channel(speed, "m/s", "speed"),
    }
    outputs = {name: Channel(np.sin(t), unit, name) for name, (_, unit) in NOISE.items()}
    return Recording("made", "", t, inputs, outputs, [(0.0, float(t[-1]))])


def measured(shooter: Shooter, run: Recording, truth: Mapping[str, float]) -> Recording:
    """The run with what the vehicle measures at known numbers, in one piece."""
    plant, segment = shooter.plant, Segment(run, 1.0, float(run.time[-1]))
    problem = FitProblem(shooter, [segment], free_numbers(plant, [run], dict.fromkeys(truth)), OPTIONS)
    x = np.append(list(truth.values()), np.zeros(len(problem.starts)))
    values, outputs = problem.predict(x)[0], dict(run.outputs)
    for rows, value in zip(problem.rows, values, strict=True):
        series = np.full(len(run.time), np.nan)
        series[np.searchsorted(run.time, rows.time - 1e-9)] = value
        outputs[rows.channel] = outputs[rows.channel]._replace(values=series)
    return replace(run, outputs=outputs, spans=[(1.0, float(run.time[-1]))])


def fit_to(shooter: Shooter, clean: Recording, names: Sequence[str], seed: int) -> Rounds:
    """Return the problem of one draw of the noise."""
    rng = np.random.default_rng(seed)
    outputs = {
        n: c._replace(values=c.values + NOISE[n][0] * rng.normal(size=len(c.values)))
        for n, c in clean.outputs.items()
    }
    run = replace(clean, outputs=outputs)
    free = free_numbers(shooter.plant, [run], dict.fromkeys(names))
    return Rounds(FitProblem(shooter, segments_of([run], OPTIONS), free, OPTIONS))


def shooter_of(names: Sequence[str], run: Recording) -> Shooter:
    own = [name for name in names if not name.startswith("channels.")]
    plant: Plant = vehicle_plant("hatchback", own, [run])
    return Shooter(plant, OPTIONS.step, round(OPTIONS.interval / OPTIONS.step))


def single_track_of(run: Recording) -> tuple[Shooter, Recording]:
    """Return a linear single track's shooter, and the run without what it does not measure."""
    run = replace(run, outputs={n: c for n, c in run.outputs.items() if n != "roll"})
    plant = single_track("linear", 1500.0, 1000.0, 1.2, 1.4, [run])
    return Shooter(plant, OPTIONS.step, round(OPTIONS.interval / OPTIONS.step)), run


def draws(name: str, shooter: Shooter, run: Recording, truth: Mapping[str, float], number: int) -> None:
    """Print how many draws have all estimates within three standard deviations."""
    clean = measured(shooter, run, truth)
    values, deviations = np.array(list(truth.values())), []
    for seed in range(number):
        fit = fit_to(shooter, clean, list(truth), seed).fit(lambda line: None)
        deviations.append((fit.values - values) / fit.sd)
    if deviations:
        inside = sum(bool(np.all(np.abs(d) < 3.0)) for d in deviations)
        print(f"{name}: {inside} of {number} draws have all {len(truth)} estimates within 3 deviations")
        moments = zip(truth, np.std(deviations, axis=0), np.mean(deviations, axis=0), strict=True)
        for known, sd, mean in moments:
            print(f"  {known}: mean {mean:+.2f}, standard deviation {sd:.2f} of (estimate − truth)/sd")


def fading(rounds: Rounds, theta: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Return the largest influence of starts on the first and the last fifth of windows, in noise.

    Starts are moved by a standard deviation of their prior.
    """
    largest = np.zeros(2)
    for rows, own, _, _, B in rounds.blocks(theta):
        lengths = [len(rounds.problem.rows[i].time) for i in rows]
        for i, part in zip(rows, np.split(B[: -len(own)], np.cumsum(lengths)[:-1]), strict=True):
            size, fifth = (
                np.abs(part) * np.sqrt(rounds.noise.channels[rounds.noise.keys[i]].correlation_time),
                len(part) // 5,
            )
            largest = np.maximum(largest, (size[:fifth].max(), size[-fifth:].max()))
    return float(largest[0]), float(largest[1])


def clock() -> None:
    """Print the time of one fit of 30 numbers to 60 s."""
    run = driven(61.1)
    shooter = shooter_of(MANY, run)
    truth = {"channels.yaw_rate.delay": 0.03, "channels.road_wheel_angle.offset": 0.003}
    clean = measured(shooter, run, truth)
    begin, used = time.perf_counter(), time.process_time()
    fit = fit_to(shooter, clean, MANY, 0).fit(print)
    took, used = time.perf_counter() - begin, time.process_time() - used
    print(f"{len(MANY)} numbers, {fit.windows} windows of 5 s, {fit.rounds} rounds:")
    print(f"{took:.0f} s, {used:.0f} s of processors")
    first, last = fading(fit.at_end, fit.values)
    print(f"starts move predictions by up to {first:.2g} deviations early in a window, {last:.1g} at its end")


if __name__ == "__main__":
    draws("single track", *single_track_of(driven(12.1)), SINGLE, 100)
    clock()
    run = driven(12.1)
    draws("hatchback", shooter_of(list(TRUTH), run), run, TRUTH, int((sys.argv[1:] or ["10"])[0]))
