"""The least-squares problem of a fit: free numbers, segments of runs, residuals and their exact derivatives.

A free number is a number of the model, a factor of several of them (``front.tyre.dfy0*``), or a correction
of a channel: ``channels.NAME.offset``, ``.scale``, ``.delay``, of inputs and outputs alike, and ``.lag``, the
time constant of a first-order low-pass that outputs have come through.  ``channels.NAME.drift`` is an offset
of an output that every window has anew, and that moves while the window lasts.  How far is estimated from all
windows of a session; the given standard deviation counts as one window more.  A name that ends with
``@SESSION`` holds for the runs of that session alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.identification.noise import Key, Noise
from ce_dynamics.models.identification.plant import Plant
from ce_dynamics.models.identification.recording import Recording
from ce_dynamics.models.identification.shooting import (
    Excitation,
    ExcitationDerivative,
    Options,
    Segment,
    Shooter,
    apply_lag,
    slope_of,
)

CORRECTIONS = ("offset", "scale", "delay", "lag")
PRIOR_SCALE, PRIOR_DELAY, PRIOR_POSITION, PRIOR_TURN = 0.1, 0.1, 0.5, 0.02
"""Standard deviations of priors not given: of a scale, a delay [s], a position [m], a turn [rad]."""
PRIOR_PART = 0.3
"""Likewise, of other numbers, as a part of their value: what estimates by class leave open."""
INSTEAD = {"lag": "delay", "drift": "offset"}
"""Corrections of outputs alone, and the like of inputs."""
START_PART = 0.3
"""Standard deviation of the prior of a start, as a part of that of the channel that measures it."""
SHORTEST_LAG = 1e-3
"""Lower bound of a lag [s]."""
BOUNDS = {"lower": -np.inf, "upper": np.inf}
LOST = 1e3
"""Residual of a sample that a simulation does not reach, in standard deviations."""


class FittedNumber(NamedTuple):
    """A number that is fitted: prior mean and standard deviation, bounds."""

    name: str
    prior: float
    sd: float
    lower: float
    upper: float
    unit: str

    def holds_in(self, session: str) -> bool:
        """Return True if the number holds for the runs of a session."""
        return self.name.partition("@")[2] in ("", session)


class FreeStart(NamedTuple):
    """A number that is free in one segment, with its prior: an initial state, or part of a drift.

    ``drift`` is the offset, ``drift_rate`` its rate after the lead: the names of their deviations in `Noise`.
    """

    segment: int
    channel: str
    state: str
    prior: float
    sd: float
    drift: str = ""


class SegmentRows(NamedTuple):
    """Samples of one channel in one segment: instants [s], measured values."""

    segment: int
    channel: str
    time: Floats
    measured: Floats


def free_numbers(plant: Plant, runs: Sequence[Recording], wanted: Mapping[str, Any]) -> list[FittedNumber]:
    """Return free numbers with priors and bounds.

    Parameters
    ----------
    plant : Plant
    runs : sequence of Recording
    wanted : mapping of str to None, float or mapping
        By name: the standard deviation of the prior, or ``prior``, ``sd``, ``lower`` and ``upper``.
    """
    return [free_number(plant, runs, name, given) for name, given in wanted.items()]


def free_number(plant: Plant, runs: Sequence[Recording], name: str, given: Any) -> FittedNumber:
    """Return one; see `free_numbers`."""
    owner = f"free: {name}: sd, or"
    entry = {"sd": given} if isinstance(given, int | float) else checks.mapping(owner, given or {}, DataError)
    for key in entry:
        checks.check_name(f"free: {name}", key, ["prior", "sd", "lower", "upper"], "key", DataError)
    plain, _, session = name.partition("@")
    if session and session not in [run.session for run in runs]:
        known = ", ".join(repr(found) for found in sorted({run.session for run in runs}))
        raise DataError(f"free: {name}: no run is of the session {session!r}; sessions are {known}")
    channel = correction_of(name)
    if channel is not None:
        what, kind = channel
        unit, spread = channel_scale(runs, what, f"free: {name}")
        default, sd, unit = {
            "offset": (0.0, 0.3 * spread, unit), "scale": (1.0, PRIOR_SCALE, "1"),
            "delay": (0.0, PRIOR_DELAY, "s"), "lag": (PRIOR_DELAY, PRIOR_DELAY, "s"),
            "drift": (0.0, 0.3 * spread, unit),
        }[kind]  # fmt: skip
        if kind == "lag":
            entry = {"lower": SHORTEST_LAG, **entry}
        if kind in INSTEAD and what not in plant.outputs:
            raise DataError(f"free: {name}: only outputs have a {kind}; free the {INSTEAD[kind]} of {what}")
    else:
        factor = plain.endswith("*")
        if factor and not plant.components(plain):
            raise DataError(f"free: {name}: the model has no free numbers {plain}")
        if not factor and plain not in plant.parameters:
            raise DataError(
                f"free: {plant.name} has no number {name!r}{checks.suggest_name(plain, plant.parameters)}"
            )
        column, default = plant.direction_of(name)
        unit = "1" if factor else plant.units.get(plain, "1")
        sd = PRIOR_PART if factor else PRIOR_PART * abs(float(column @ plant.nominal))
        sd = PRIOR_POSITION if ".position." in plain else PRIOR_TURN if plain.endswith(".turn") else sd
    numbers = {
        key: checks.number(f"free: {name}: {key}", value, error=DataError)
        for key, value in entry.items()
        if key not in BOUNDS or value != BOUNDS[key]
    }
    prior, sd = numbers.get("prior", default), numbers.get("sd", sd)
    if not sd > 0.0:
        reason = f"sd {sd:g} must be above 0" if "sd" in numbers else "its value is 0; give sd of its prior"
        raise DataError(f"free: {name}: {reason}")
    lower, upper = (numbers.get(key, end) for key, end in BOUNDS.items())
    if not lower < prior < upper:
        raise DataError(f"free: {name}: the prior {prior:g} is outside the bounds {lower:g} and {upper:g}")
    return FittedNumber(name, prior, sd, lower, upper, unit)


def correction_of(name: str) -> tuple[str, str] | None:
    """Return channel and kind of a correction; None if the name is none of one."""
    first, _, rest = name.partition("@")[0].partition(".")
    channel, _, kind = rest.rpartition(".")
    return (channel, kind) if first == "channels" and kind in (*CORRECTIONS, "drift") else None


def channel_scale(runs: Iterable[Recording], channel: str, owner: str) -> tuple[str, float]:
    """Return unit and standard deviation of a channel, the largest of all runs."""
    found = [c for run in runs for kind in (run.inputs, run.outputs) for n, c in kind.items() if n == channel]
    known = list(dict.fromkeys(n for run in runs for n in (*run.inputs, *run.outputs)))
    if not found:
        checks.check_name(owner, channel, known, "channel", DataError)
    spread = max(float(np.nanstd(c.values)) for c in found)
    return found[0].unit, spread or 1.0


class FitProblem:
    """Residuals of segments of runs and their derivatives by free numbers and starts.

    Parameters
    ----------
    shooter : Shooter
    segments : sequence of Segment
        All of one length.
    free : sequence of FreeNumber
    options : Options
    """

    def __init__(
        self, shooter: Shooter, segments: Sequence[Segment], free: Sequence[FittedNumber], options: Options
    ) -> None:
        self.shooter, self.segments, self.options = shooter, list(segments), options
        plant, kinds = shooter.plant, [correction_of(number.name) for number in free]
        self.drifts = [n for n, kind in zip(free, kinds, strict=True) if kind and kind[1] == "drift"]
        self.free = [number for number in free if number not in self.drifts]
        self.corrections = [correction_of(number.name) for number in self.free]
        self.directions = [
            None if of_channel else plant.direction_of(number.name)
            for of_channel, number in zip(self.corrections, self.free, strict=True)
        ]
        if not segments:
            raise DataError(
                f"no window of {options.length:g} s with a lead of {options.lead:g} s lies within the runs; "
                "give shorter ones"
            )
        for segment in self.segments:
            plant.check_reach(segment.run, segment.start - options.lead, segment.end)
        self.duration = segments[0].end - segments[0].start + options.lead
        self.steps = round(self.duration / options.step)
        self.rows = [
            rows
            for k, segment in enumerate(self.segments)
            for name in segment.run.outputs
            if name in plant.outputs and (rows := self._rows(k, segment, name)) is not None
        ]
        self.starts = [start for k in range(len(self.segments)) for start in self._starts(k)]
        of = [start.segment for start in self.starts]
        self.starts_of = [np.flatnonzero(np.equal(of, k)).tolist() for k in range(len(self.segments))]
        self.number = len(self.free) + len(self.starts)

    def _starts(self, k: int) -> list[FreeStart]:
        """Return what is free at the start of a segment: states that are measured, and drifts."""
        run, found = self.segments[k].run, []
        runs = {id(segment.run): segment.run for segment in self.segments}.values()
        for channel, state in self.shooter.plant.free_start.items():
            if channel in run.outputs:
                sd = START_PART * channel_scale(runs, channel, channel)[1]
                found.append(FreeStart(k, channel, state, self.measure_start(k, channel), sd))
        for number in self.drifts:
            channel, _ = correction_of(number.name) or ("", "")
            if number.holds_in(run.session) and channel in run.outputs:
                found.append(FreeStart(k, channel, "", number.prior, number.sd, "drift"))
                rate = number.sd / self.options.length
                found.append(FreeStart(k, channel, "", 0.0, rate, "drift_rate"))
        return found

    def key(self, part: SegmentRows | FreeStart) -> Key:
        """Return session and channel of rows or of a start."""
        return self.segments[part.segment].run.session, part.channel

    def start_scale(self, noise_in: Callable[[Key], Noise]) -> Floats:
        """Return standard deviations of the priors of starts; those of drifts are part of the noise."""
        return np.array(
            [getattr(noise_in(self.key(s)), s.drift) if s.drift else s.sd for s in self.starts], dtype=float
        )

    def _rows(self, k: int, segment: Segment, name: str) -> SegmentRows | None:
        time, values = segment.run.time, segment.run.outputs[name].values
        inside = np.flatnonzero((time > segment.start) & (time <= segment.end) & np.isfinite(values))
        if not len(inside):
            return None
        usual = float(np.median(np.diff(time)))
        kept = inside[:: max(1, round(self.options.interval / usual))]
        return SegmentRows(k, name, time[kept], values[kept])

    def correction(self, theta: Floats, channel: str, kind: str, session: str) -> float:
        """Return offset, scale or delay of a channel in a session."""
        neutral = 1.0 if kind == "scale" else 0.0
        values: list[float] = theta.tolist()
        return neutral + sum(
            value - neutral
            for number, value, one in zip(self.free, values, self.corrections, strict=True)
            if one == (channel, kind) and number.holds_in(session)
        )

    def parameters(self, theta: Floats, session: str) -> Floats:
        """Return parameters of the plant in a session."""
        values = self.shooter.plant.nominal.copy()
        for number, value, direction in zip(self.free, theta.tolist(), self.directions, strict=True):
            if direction is not None and number.holds_in(session):
                values += direction[0] * (value - direction[1])
        return values

    def measure_start(self, k: int, channel: str) -> float:
        """Return the mean of a channel within 0.1 s of the start of a segment; interpolate without any."""
        segment = self.segments[k]
        time, values = segment.run.time, segment.run.outputs[channel].values
        begin, good = segment.start - self.options.lead, np.isfinite(values)
        some = values[good & (np.abs(time - begin) <= 0.1)]
        return float(some.mean() if len(some) else np.interp(begin, time[good], values[good]))

    def drive(self, k: int, theta: Floats, starts: Floats) -> tuple[Excitation, list[ExcitationDerivative]]:
        """Return the inputs of a segment, and its directions: of the free numbers, then of its starts."""
        segment, plant, h = self.segments[k], self.shooter.plant, self.options.step
        session, begin = segment.run.session, segment.start - self.options.lead
        t = np.asarray(begin + h * (np.arange(self.steps) + 0.5), dtype=np.float64)
        U = np.tile(plant.defaults, (self.steps, 1))
        slopes: dict[str, dict[str, Floats]] = {}
        for name, channel in segment.run.inputs.items():
            if name not in plant.from_channel:
                continue
            target, table = plant.from_channel[name]
            place = plant.inputs.index(target)
            offset, scale, delay, _ = (self.correction(theta, name, kind, session) for kind in CORRECTIONS)
            good = np.isfinite(channel.values)
            raw = np.interp(t - delay, segment.run.time[good], channel.values[good])
            value, slope = scale * raw + offset, np.ones(self.steps)
            if table is not None:
                slope = np.interp(value, table[0], np.gradient(table[1], table[0]))
                value = np.interp(value, *table)
            U[:, place] = value
            rate = slope_of(segment.run.time[good], channel.values[good], t - delay)
            for kind, by in (("offset", 1.0), ("scale", raw), ("delay", -scale * rate)):
                column = np.zeros_like(U)
                column[:, place] = slope * by
                slopes.setdefault(name, {})[kind] = column
        p = self.parameters(theta, session)
        y0 = plant.start(self._find_speed(segment, begin))
        directions = []
        for number, direction, of in zip(self.free, self.directions, self.corrections, strict=True):
            here = number.holds_in(session)
            by_input = slopes.get(of[0], {}).get(of[1]) if here and of else None
            by_parameter = direction[0] if here and direction else None
            directions.append(ExcitationDerivative(inputs=by_input, parameters=by_parameter))
        for j in self.starts_of[k]:
            column = np.array([float(name == self.starts[j].state) for name in plant.states])
            y0 += starts[j] * column
            directions.append(ExcitationDerivative(start=column if column.any() else None))
        return Excitation(y0, U, p), directions

    def _find_speed(self, segment: Segment, t: float) -> float:
        values = segment.run.speed
        if values is None:
            raise DataError(f"{segment.run.name}: no channel is the speed; map speed or vx")
        good = np.isfinite(values)
        return float(np.interp(t, segment.run.time[good], values[good]))

    def predict(self, x: Floats) -> tuple[list[Floats], list[Floats]]:
        """Return predictions of all rows and their derivatives by x = [free numbers; starts].

        What a simulation does not reach is NaN.
        """
        n = len(self.free)
        theta, starts = x[:n], x[n:]
        pairs = [self.drive(k, theta, starts) for k in range(len(self.segments))]
        active = [[d for d in directions if any(part is not None for part in d)] for _, directions in pairs]
        shots = self.shooter.shoot([drive for drive, _ in pairs], active)
        grid = self.options.step * self.shooter.every
        values, jacobians = [], []
        for rows in self.rows:
            segment, shot = self.segments[rows.segment], shots[rows.segment]
            session, place = segment.run.session, self.shooter.plant.outputs.index(rows.channel)
            offset, scale, delay, lag = (
                self.correction(theta, rows.channel, kind, session) for kind in CORRECTIONS
            )
            at = (rows.time - delay - segment.start + self.options.lead) / grid
            at = np.clip(at, 0.0, len(shot.values) - 1)
            i = np.minimum(at.astype(int), len(shot.values) - 2)
            z, along = shot.values[:, place], shot.by[:, :, place]
            slower = np.zeros_like(z)
            if lag:
                z, along, slower = apply_lag(z, along, lag, grid)

            def interpolate(x: Floats, i: Any = i, part: Floats = at - i) -> Floats:
                return np.asarray(x[i] + part * (x[i + 1] - x[i]))

            raw, slope = interpolate(z), (z[i + 1] - z[i]) / grid
            late = scale * interpolate(slower)
            by = {"offset": np.ones_like(raw), "scale": raw, "delay": -scale * slope, "lag": late}
            J = np.zeros((len(raw), self.number))
            directions, k = pairs[rows.segment][1], 0
            own = [n + j for j in self.starts_of[rows.segment]]
            for j, direction in zip([*range(n), *own], directions, strict=True):
                if any(one is not None for one in direction):
                    J[:, j] = scale * interpolate(along[k])
                    k += 1
            for j, (number, of) in enumerate(zip(self.free, self.corrections, strict=True)):
                if of is not None and of[0] == rows.channel and number.holds_in(session):
                    J[:, j] += by[of[1]]
            for j in own:
                begun = self.starts[j - n]
                if begun.channel == rows.channel and not begun.state:
                    after = rows.time - segment.start if self.options.lead else np.zeros_like(rows.time)
                    J[:, j] = after if begun.drift == "drift_rate" else 1.0
                    offset = offset + x[j] * J[:, j]
            values.append(offset + scale * raw)
            jacobians.append(J)
        return values, jacobians

    def check_followed(self, residuals: Sequence[Floats]) -> list[str]:
        """Return notes on windows that the model cannot follow; refuse runs of such alone."""
        lost: dict[str, dict[int, float]] = {}
        for rows, residual in zip(self.rows, residuals, strict=True):
            bad, run = ~np.isfinite(residual), self.segments[rows.segment].run
            if bad.any():
                lost.setdefault(run.name, {}).setdefault(rows.segment, rows.time[bad][0])
        notes, remedy = [], "shorten the step, or correct inputs or base vehicle"
        for name, times in lost.items():
            total, first = sum(segment.run.name == name for segment in self.segments), min(times.values())
            lines = f"{name}: the base vehicle cannot follow"
            if len(times) >= total:
                raise DataError(f"{lines} the run; its simulation fails first at {first:.2f} s: {remedy}")
            windows = f"{len(times)} of {total} windows, the first from {first:.2f} s"
            notes.append(f"{lines} {windows}: {remedy}")
        return notes
