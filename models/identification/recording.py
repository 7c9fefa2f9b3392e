"""Recorded runs: a table, a mapping of its columns to channels, and an examination of both.

A mapping is a short YAML file::

    session: putnam                  # runs of one session share their offsets; optional
    time: {column: time, unit: s}
    inputs:
      road_wheel_angle: {column: delta, unit: rad}
      speed: {column: vx, unit: m/s}
    outputs:
      yaw_rate: {column: omega, unit: deg/s, sign: -1, delay: 20 ms}
      ay: {column: "d(vy, 0.2) + vx * omega", unit: m/s^2}
      vy: {column: vy, unit: m/s, position: [0.2, 0, 0.4], time: gnss_time}
    use: {from: 20 s, to: 300 s}     # optional
    free:                            # optional: what is fitted, with priors
      chassis.inertia.zz: {sd: 300}
      channels.yaw_rate.delay: {prior: 0.1, sd: 0.1, lower: 0}

A column is a name of the table or a formula of names with ``+ - * /``, ``sin``, ``cos``, ``tan``, ``unwrap``
(of angles), and ``d(column, width)``, the difference quotient over a width of time [s].  A channel may have
instants of its own, ``time``, in the unit and from the origin of those of the run.  An output is named
after that of the model; several sensors of one have names of their own, with ``output: yaw_rate``.  This may
be a formula of the model's outputs as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import si_value
from ce_dynamics.models.identification.tables import (
    GAP,
    LAGS,
    Clock,
    entry_of,
    evaluate_column,
    interpolate_blanks,
    read_clock,
    read_table,
)

UNITS = {
    "road_wheel_angle": "rad", "steering_wheel_angle": "rad", "steering": "1", "throttle": "1", "brake": "1",
    "speed": "m/s", "bank": "rad", "wind_x": "m/s", "wind_y": "m/s", "vx": "m/s", "vy": "m/s",
    "yaw_rate": "rad/s", "ax": "m/s^2", "ay": "m/s^2", "az": "m/s^2", "roll": "rad", "pitch": "rad",
    "side_slip": "rad",
}  # fmt: skip
"""SI units of channels; of others a mapping must name a unit, which stays as it is."""
MAPPING = ["title", "session", "time", "inputs", "outputs", "use", "free", "standstill"]
"""Keys of a mapping."""
STANDSTILL = 0.5
"""Speed below which a vehicle counts as standing [m/s]: wheel pulses and GNSS resolve no less."""
SPIKE = 3.0
"""Height of a single sample over the range of 90 % of the samples that is noted."""
GRAVITY, TEXT = "9.80665 m/s^2", "text"
ENTRY = ("column", "unit", "sign", "delay", "position", "output", "time")
"""Keys of a channel in a mapping."""
GRID = 0.02
"""Step of the common grid on which delays are looked for [s]."""
FACTORS = {"deg for rad": 180.0 / np.pi, "km/h for m/s": 3.6, "g for m/s^2": 1.0 / 9.81}
"""Gains of one signal over another that a wrong unit makes; their inverses too."""


class RecordingFinding(NamedTuple):
    """One result of the examination: the channel, ``note`` or ``mistake``, a sentence."""

    channel: str
    kind: str
    text: str


class Channel(NamedTuple):
    """Samples in SI units (NaN where there are none), unit, output of the model, position of its sensor."""

    values: Floats
    unit: str
    output: str
    position: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Recording:
    """A recorded run.

    Attributes
    ----------
    name, session : str
    time : (n,) array
        Increasing [s]; samples may be unequally spaced.
    inputs, outputs : dict of str to Channel
    spans : list of (float, float)
        Stretches of time without gaps and standstill [s].
    findings : list of Finding
    """

    name: str
    session: str
    time: Floats
    inputs: Mapping[str, Channel]
    outputs: Mapping[str, Channel]
    spans: list[tuple[float, float]] = field(default_factory=list)
    findings: list[RecordingFinding] = field(default_factory=list)

    def cut(self, start: float, end: float) -> Recording:
        """Return the part of the run between two instants [s]."""
        spans = [(max(a, start), min(b, end)) for a, b in self.spans if min(b, end) > max(a, start)]
        return replace(self, spans=spans)

    def windows(self, length: float, lead: float) -> list[tuple[float, float]]:
        """Return windows of a length that have a lead ahead of them, all within the spans [s]."""
        found = []
        for start, end in self.spans:
            count = int((end - start - lead + 1e-9) / length)
            found += [(start + lead + k * length, start + lead + (k + 1) * length) for k in range(count)]
        return found

    @property
    def speed(self) -> Floats | None:
        """Speed of the vehicle, from the first channel that has it [m/s]."""
        channels = {**self.outputs, **self.inputs}
        return next((channels[name].values for name in ("speed", "vx") if name in channels), None)


def read_recording(
    path: str | Path, mapping: str | Path | Mapping[str, Any], *, wheelbase: float | None = None
) -> Recording:
    """Read and examine a run.

    Parameters
    ----------
    path : path
        A table: ``.csv`` (also ``.gz``), ``.parquet``, ``.mf4`` (with asammdf) or ``.mcap`` (with mcap).
    mapping : path or mapping
        See this module.
    wheelbase : float, optional
        [m]; with it yaw rate and steering are compared.
    """
    given, label = mapping_of(mapping)
    table = read_table(Path(path))
    raw = {str(name): table[name].to_numpy() for name in table.columns}
    main = read_clock(f"{label}: time", str(path), given.get("time", "time"), raw)
    time, findings = main.time - main.time[0], []
    if dropped := len(table) - len(time):
        text = f"{dropped} rows are left out: no number, or the instant of the row before"
        findings.append(RecordingFinding("time", "note", text))
    kinds: dict[str, dict[str, Channel]] = {"inputs": {}, "outputs": {}}
    for kind, channels in kinds.items():
        for name, given_entry in checks.mapping(f"{label}: {kind}", given.get(kind, {}), DataError).items():
            owner = f"{label}: {kind}: {name}"
            entry = entry_of(owner, given_entry, ENTRY)
            own = read_clock(f"{owner}: time", str(path), entry["time"], raw) if "time" in entry else main
            clock = own._replace(time=own.time - main.time[0])
            channels[name] = channel_of(owner, name, entry, clock, time)
            if kind == "inputs":
                blank = np.isnan(channels[name].values)
                filled = interpolate_blanks(time, channels[name].values)
                channels[name] = channels[name]._replace(values=filled)
                if count := int(np.sum(blank & np.isfinite(filled))):
                    text = f"{count} of {len(time)} samples are interpolated"
                    findings.append(RecordingFinding(name, "note", text))
    if not kinds["outputs"]:
        raise DataError(f"{label}: outputs: name at least one measured channel, such as yaw_rate")
    name = Path(path).name.partition(".")[0]
    session = str(checks.instance(f"{label}: session", given.get("session", ""), (str, int), TEXT, DataError))
    standing = checks.flag(f"{label}: standstill", given.get("standstill", False), DataError)
    made = Recording(name, session, time, kinds["inputs"], kinds["outputs"], findings=findings)
    use = checks.mapping(f"{label}: use", given.get("use", {}), DataError)
    for key in use:
        checks.check_name(f"{label}: use", key, ["from", "to"], "key", DataError)
    start, end = (si_value(f"{label}: use: {k}", use.get(k, d), "s") for k, d in (("from", 0.0), ("to", 1e9)))
    found = examine(made, wheelbase, keep_standing=standing)
    if not found.spans:
        raise DataError(f"{path}: the vehicle never moves with all inputs; set standstill: true to use it so")
    if not (used := found.cut(start, end)).spans:
        raise DataError(
            f"{label}: use: nothing of {path} lies from {start:g} to {end:g} s; it ends at {time[-1]:g} s"
        )
    return used


def mapping_of(mapping: str | Path | Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """Return a mapping and the name that messages call it by."""
    import yaml  # here, because a mapping may be given as it is

    given: Any = checks.instance("mapping", mapping, (str, Path, Mapping), "a path or a mapping", DataError)
    if not isinstance(mapping, Mapping):
        try:
            given = yaml.safe_load(Path(mapping).read_text(encoding="utf-8"))
        except (OSError, ValueError, yaml.YAMLError) as error:
            raise DataError(f"{mapping}: {' '.join(str(error).split())}") from None
    label = "mapping" if isinstance(mapping, Mapping) else str(mapping)
    checked = checks.mapping(label, given, DataError)
    for key in checked:
        checks.check_name(label, key, MAPPING, "key", DataError)
    return checked, label


def channel_of(owner: str, name: str, entry: Mapping[str, Any], clock: Clock, time: Floats) -> Channel:
    """Return a channel in SI units at the instants of the run, its sign and delay applied."""
    values = evaluate_column(owner, str(entry["column"]), clock.columns, clock.time)
    output = str(entry.get("output", name))
    unit = UNITS.get(output, str(entry.get("unit", "1")))
    if (sign := entry.get("sign", 1)) not in (1, -1):
        raise DataError(f"{owner}: sign {sign!r} must be 1 or -1")
    given = entry.get("unit", unit)
    one = GRAVITY if (given, unit) == ("g", "m/s^2") else f"1 {given}"
    values = values * si_value(owner, one, unit) * sign
    values = np.where(np.isfinite(values), values, np.nan)
    if not np.isfinite(values).any():
        raise DataError(f"{owner}: column {entry['column']!r} has no numbers")
    delay = si_value(f"{owner}: delay", entry.get("delay", 0.0), "s")
    if delay or "time" in entry:
        values = np.interp(time + delay, clock.time, values, left=np.nan, right=np.nan)
    if not np.isfinite(values).any():
        ends = f"{clock.time[0] - delay:.4g} to {clock.time[-1] - delay:.4g} s"
        raise DataError(
            f"{owner}: with a delay of {delay:g} s it lasts from {ends}, the run from 0 to {time[-1]:.4g} s"
        )
    if np.nanmax(values) == np.nanmin(values) and " outputs: " in owner:
        level = f"{np.nanmax(values):g} {unit}"
        raise DataError(f"{owner}: column {entry['column']!r} is constant, {level}; name another")
    place = entry.get("position")
    position = (
        None if place is None else tuple(checks.vector(f"{owner}: position", place, 3, DataError).tolist())
    )
    return Channel(values, unit, output, position)


def examine(run: Recording, wheelbase: float | None, *, keep_standing: bool = False) -> Recording:
    """Return the run with its spans and findings."""
    time, findings = run.time, [*run.findings]
    steps = np.diff(time)
    usual = float(np.median(steps[steps > 0.0]))
    good = np.isfinite(time)
    for kind, channels in (("input", run.inputs), ("output", run.outputs)):
        for name, channel in channels.items():
            missing = ~np.isfinite(channel.values)
            notes = [f"{missing.sum()} of {len(time)} samples are no numbers"] * bool(missing.any())
            if np.nanmax(channel.values) == np.nanmin(channel.values):
                notes.append(f"is constant, {np.nanmax(channel.values) + 0.0:g} {channel.unit}")
            notes += note_spikes(channel)
            findings += [RecordingFinding(name, "note", note) for note in notes]
            if kind == "input":
                good &= ~missing
    speed = run.speed
    standing = np.zeros(len(time), bool) if speed is None else np.abs(speed) < STANDSTILL
    if standing.any():
        seconds = float(np.sum(np.gradient(time)[standing]))
        findings.append(RecordingFinding("speed", "note", f"the vehicle stands for {seconds:.1f} s"))
        findings += offsets_at_rest(run, standing)
        if not keep_standing:
            good &= ~standing
    gaps = steps > GAP * usual
    if gaps.any():
        widest = float(steps.max())
        findings.append(RecordingFinding("time", "note", f"gaps: {gaps.sum()}, the widest of {widest:.3g} s"))
    if np.ptp(steps[~gaps]) > 0.1 * usual:
        text = f"samples are unequally spaced, {usual:.4g} s mostly"
        findings.append(RecordingFinding("time", "note", text))
    findings += compare_channels(run, wheelbase, ~standing)
    mistakes = [f"{one.channel}: {one.text}" for one in findings if one.kind == "mistake"]
    if mistakes:
        raise DataError(f"{run.name}: {'; '.join(mistakes)}")
    return replace(run, spans=stretches(time, good, GAP * usual), findings=findings)


def note_spikes(channel: Channel) -> list[str]:
    """Note single samples far from both neighbours, as codes of invalid values are."""
    values = channel.values[np.isfinite(channel.values)]
    usual = float(np.ptp(np.quantile(values, (0.05, 0.95))))
    steps = np.diff(values) / (SPIKE * usual or np.inf)
    alone = np.flatnonzero(
        (np.minimum(np.abs(steps[1:]), np.abs(steps[:-1])) > 1.0) & (steps[1:] * steps[:-1] < 0.0)
    )
    if not len(alone):
        return []
    first = f"{values[alone[0] + 1]:g} {channel.unit}"
    return [f"single samples that stand out: {len(alone)}, such as {first}; empty cells of invalid ones"]


def stretches(time: Floats, good: Any, gap: float) -> list[tuple[float, float]]:
    """Return the stretches of good samples without gaps."""
    kept = np.flatnonzero(good)
    if not len(kept):
        return []
    cuts = np.flatnonzero((np.diff(kept) > 1) | (np.diff(time[kept]) > gap))
    first, last = np.append(0, cuts + 1), np.append(cuts, len(kept) - 1)
    return [(float(time[kept[a]]), float(time[kept[b]])) for a, b in zip(first, last, strict=True) if b > a]


def offsets_at_rest(run: Recording, standing: Any) -> list[RecordingFinding]:
    """Return means at standstill of channels that should be zero there."""
    found = []
    for name in ("yaw_rate", "ay", "ax", "vy"):
        if name in run.outputs and np.isfinite(run.outputs[name].values[standing]).sum() > 10:
            some, unit = run.outputs[name].values[standing], run.outputs[name].unit
            mean, noise = float(np.nanmedian(some)), float(np.nanstd(some))
            text = f"offset {mean:.3g} and noise {noise:.2g} {unit} at standstill"
            found.append(RecordingFinding(name, "note", text))
    return found


def compare_channels(run: Recording, wheelbase: float | None, moving: Any) -> list[RecordingFinding]:
    """Compare channels that physics relates: sign, gain and delay of one against another."""
    outputs, inputs, speed = run.outputs, run.inputs, run.speed
    if speed is None or np.sum(moving) < 50:
        return []
    pairs: list[tuple[str, str, Floats, Floats]] = []
    turn = outputs["yaw_rate"].values if "yaw_rate" in outputs else None
    if turn is not None and "road_wheel_angle" in inputs and wheelbase:
        steered = speed * inputs["road_wheel_angle"].values / wheelbase
        pairs.append(("yaw_rate", "speed × road_wheel_angle / wheelbase", turn, steered))
    if turn is not None and "ay" in outputs:
        pairs.append(("ay", "speed × yaw_rate", outputs["ay"].values, speed * turn))
    if "ax" in outputs:
        pairs.append(("ax", "rate of speed", outputs["ax"].values, np.gradient(speed, run.time)))
    found = []
    for name, other, a, b in pairs:
        found += relation(name, other, run.time, a, b, moving)
    return found


def relation(
    name: str, other: str, time: Floats, a: Floats, b: Floats, moving: Any
) -> list[RecordingFinding]:
    """Compare a signal with one that it should equal but for noise and dynamics.

    Both are interpolated on a common grid and filtered by a moving mean of 0.2 s.  The delay is that of the
    largest correlation r; the gain is the slope of a through b, and 1/r² times that if b has all the noise.
    """
    good = moving & np.isfinite(a) & np.isfinite(b)
    if good.sum() < 50:
        return []
    grid = np.arange(time[good][0], time[good][-1], GRID)
    near = np.interp(grid, time, good.astype(float)) > 0.5
    window = np.ones(11) / 11.0
    x, z = (np.convolve(np.interp(grid, time[good], part[good]), window, "same") for part in (a, b))
    x, z = np.where(near, x - x[near].mean(), 0.0), np.where(near, z - z[near].mean(), 0.0)
    size = float(np.linalg.norm(x) * np.linalg.norm(z))
    if size == 0.0:
        return []
    shifts = np.arange(-int(LAGS / GRID), int(LAGS / GRID) + 1)
    correlations = np.array([np.dot(np.roll(x, -k), z) for k in shifts]) / size
    best = int(np.argmax(np.abs(correlations)))
    r, lag = float(correlations[best]), float(shifts[best] * GRID)
    if abs(r) < 0.7:
        return [RecordingFinding(name, "note", f"correlates with {other} by {r:.2f} only")]
    gain = abs(r) * float(np.linalg.norm(x) / np.linalg.norm(z))
    if r < 0.0:
        text = f"has the opposite sign of {other} (correlation {r:.2f}); give sign: -1 to one of them"
        return [RecordingFinding(name, "mistake", text)]
    gains = np.log((gain, gain / r**2))
    off = max(gains.min(), -gains.max())
    for what, factor in FACTORS.items():
        for wrong, size_of in ((what, factor), (" for ".join(reversed(what.split(" for "))), 1.0 / factor)):
            if abs(np.log(gain / size_of)) < np.log(1.35) and off > np.log(1.8):
                text = f"is {gain:.3g} times {other}, as with {wrong}; correct the unit of one of them"
                return [RecordingFinding(name, "mistake", text)]
    at_end = abs(best - len(shifts) // 2) == len(shifts) // 2
    note = f"follows {other} with gain {gain:.3g}, correlation {r:.3f}"
    if abs(lag) >= 0.06:
        note += f", {'at least ' if at_end else ''}{abs(lag):.2f} s {'late' if lag > 0 else 'early'}"
    return [RecordingFinding(name, "note", note)]
