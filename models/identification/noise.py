"""Noise of channels: sizes, correlation in time, outliers, and drifts of sensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.integrate import cumulative_trapezoid
from scipy.optimize import nnls

from ce_dynamics.algebra.checks import Floats

Key = tuple[str, str]
"""Session and channel."""
FIRST = 0.1
"""Noise that is assumed before any is estimated, as a part of every channel's standard deviation."""
OUTLYING = 3.0
"""Standard deviations beyond which a residual counts linearly."""
WITHIN = 1.959964
"""Half width of a band that holds 95 % of normal errors, in standard deviations."""
TINY = 1e-12
MEMORIES = (0.0, 0.25, 0.5, 1.0, 2.0)
"""Memories of noise that are compared [s]: transients of vehicles fade within 2 s."""
SAME_NOISE = 1e-4
"""Relative change of variances that ends their iteration: samples determine them to 1 % at best."""
SMALLEST_PART = 0.01
"""Least constant part of the noise, of the variance of the residuals: samples at rest count no more."""


class Noise(NamedTuple):
    """Noise of a channel: σ² = sd² + part² ⟨z²⟩ + jitter² ⟨ż²⟩ where z is predicted.

    A model that is not exact errs in size and in time: in proportion to z and to its rate.  Its errors
    outlast what made them: ⟨ ⟩ is the mean over the memory before [s].  sd is in the channel's unit, jitter
    in seconds, the correlation time of errors in samples.  drift and drift_rate are standard deviations over
    windows: of the sensor's offset at their beginning, and of its rate.
    """

    sd: float
    part: float
    jitter: float
    memory: float = 0.0
    correlation_time: float = 1.0
    drift: float = 0.0
    drift_rate: float = 0.0

    def at(self, z: Floats, time: Floats) -> Floats:
        """Return σ where z is predicted at instants of one window; where it is not reached as at rest."""
        squares = mean_squares(z, time, self.memory)
        return np.sqrt(self.sd**2 + self.part**2 * squares[0] + self.jitter**2 * squares[1])


class NoiseOfRows:
    """Noise of rows of samples, by session and channel, and its size at every sample.

    Parameters
    ----------
    keys : sequence of (str, str)
        Session and channel of every row.
    times : sequence of array
        Instants of its samples [s].
    """

    def __init__(self, keys: Sequence[Key], times: Sequence[Floats]) -> None:
        self.keys, self.times = keys, times
        self.channels = dict.fromkeys(keys, Noise(0.0, 0.0, 0.0))
        self.sizes = [np.zeros(0) for _ in keys]

    def assume(self, measured: Iterable[Floats]) -> None:
        """Assume the same part of every channel, and independent samples: errors of priors show no noise."""
        for key, values in self.join(measured).items():
            self.channels[key] = self.channels[key]._replace(sd=FIRST * float(np.std(values)))
        self.sizes = [
            np.full(len(time), self.channels[k].sd) for time, k in zip(self.times, self.keys, strict=True)
        ]

    def take(self, noise_in: Callable[[Key], Noise], values: Sequence[Floats]) -> None:
        """Take the noise of other rows, where values are predicted."""
        self.channels = {key: noise_in(key) for key in self.channels}
        rows = zip(self.keys, values, self.times, strict=True)
        self.sizes = [self.channels[key].at(z, time) for key, z, time in rows]

    def estimate(self, values: Sequence[Floats], residuals: Sequence[Floats]) -> None:
        """Estimate noise and correlation times from predicted values and residuals."""
        for key in dict.fromkeys(self.keys):
            own = [k for k, other in enumerate(self.keys) if other == key]
            noise = likeliest_noise([(residuals[k], values[k], self.times[k]) for k in own])
            for k in own:
                self.sizes[k] = noise.at(values[k], self.times[k])
            scaled = [residuals[k] / self.sizes[k] for k in own]
            memory = correlation_time([x[np.isfinite(x)] for x in scaled])
            before = self.channels[key]
            self.channels[key] = Noise(*noise[:4], memory, before.drift, before.drift_rate)

    def set_drift(self, key: Key, name: str, sd: float) -> None:
        """Set the standard deviation of a drift, ``drift`` or ``drift_rate``."""
        self.channels[key] = self.channels.get(key, Noise(0.0, 0.0, 0.0))._replace(**{name: sd})

    def rms(self) -> dict[Key, float]:
        """Return the root mean square of the noise of every channel."""
        return {key: float(np.sqrt(np.mean(sizes**2))) for key, sizes in self.join(self.sizes).items()}

    def join(self, parts: Iterable[Floats]) -> dict[Key, Floats]:
        """Return parts of all rows, joined by channel."""
        found: dict[Key, list[Floats]] = {}
        for key, part in zip(self.keys, parts, strict=True):
            found.setdefault(key, []).append(part)
        return {key: np.concatenate(some) for key, some in found.items()}

    def weights(self) -> list[Floats]:
        """Return 1/(σ √τ) of all samples."""
        times = [np.sqrt(self.channels[key].correlation_time) for key in self.keys]
        return [1.0 / (s * t) for s, t in zip(self.sizes, times, strict=True)]


def mean_squares(z: Floats, time: Floats, memory: float) -> list[Floats]:
    """Return the mean squares of samples of one window and of their rate over a memory before each [s].

    The first sample counts as the value before the window, those that are not reached as zero.
    """
    rate = np.gradient(z, time) if len(time) > 1 else np.zeros_like(z)
    squares = [np.nan_to_num(part) ** 2 for part in (z, rate)]
    if memory == 0.0 or len(time) < 2:
        return squares
    found, begun = [], np.append(time[0] - memory, time)
    for square in squares:
        total = np.concatenate(([-memory * square[0], 0.0], cumulative_trapezoid(square, time)))
        mean = (total[1:] - np.interp(time - memory, begun, total)) / memory
        found.append(np.maximum(mean, 0.0))
    return found


def likeliest_noise(parts: Sequence[tuple[Floats, Floats, Floats]]) -> Noise:
    """Return the noise of residuals, predictions and instants of windows, with the likeliest memory."""
    good = [np.isfinite(r) for r, _, _ in parts]
    residuals = np.concatenate([r[g] for (r, _, _), g in zip(parts, good, strict=True)])
    found: list[tuple[float, Noise]] = []
    for memory in MEMORIES:
        squares = [mean_squares(z, time, memory) for _, z, time in parts]
        z, rate = (
            np.sqrt(np.concatenate([pair[k][g] for pair, g in zip(squares, good, strict=True)]))
            for k in (0, 1)
        )
        noise = noise_of(residuals, z, rate)._replace(memory=memory)
        s = noise.sd**2 + (noise.part * z) ** 2 + (noise.jitter * rate) ** 2
        found.append((float(np.sum(np.log(s) + np.minimum(residuals**2 / s, OUTLYING**2))), noise))
    return min(found, key=lambda pair: pair[0])[1]


def noise_of(residuals: Floats, predicted: Floats, rate: Floats) -> Noise:
    """Return the noise of largest likelihood, outliers counted as if they lay at the limit.

    With s = σ² it is stationary where the regression of r² on 1, z² and ż² with weights 1/s² is.
    """
    basis = np.column_stack((np.ones_like(predicted), predicted**2, rate**2))
    scale = np.maximum(np.max(basis, axis=0), TINY)
    variances = np.array([np.mean(residuals**2) + TINY**2, 0.0, 0.0])
    least = SMALLEST_PART * variances[0]
    for _ in range(20):
        s = basis @ variances
        rows = np.column_stack((basis / scale, np.minimum(residuals**2, OUTLYING**2 * s))) / s[:, np.newaxis]
        R = np.asarray(np.linalg.qr(rows, mode="r"))
        found, before = nnls(R[:3, :3], R[:3, 3])[0] / scale, variances
        variances = np.maximum(found, [least, 0.0, 0.0])
        if np.allclose(variances, before, rtol=SAME_NOISE, atol=0.0):
            break
    return Noise(*np.sqrt(variances).tolist())


class Huber:
    """Huber's loss of squared residuals z, with a limit of its own for every row, as SciPy takes it."""

    def __init__(self, limits: Floats) -> None:
        self.limits = limits

    def __call__(self, z: Floats) -> Floats:
        """Return ρ, ρ′ and ρ″ in rows."""
        k, root = np.sqrt(self.limits), np.sqrt(np.maximum(z, 1e-300))
        inside = z <= self.limits
        with np.errstate(invalid="ignore"):
            rho = np.where(inside, z, 2.0 * k * root - self.limits)
            first = np.where(inside, 1.0, k / root)
            second = np.where(inside, 0.0, -0.5 * k / root**3)
        return np.vstack((rho, first, second))


def correlation_time(parts: Sequence[Floats]) -> float:
    """Return 1 + 2 Σ ρ_k, the sum over autocorrelations up to the first that is not positive, in samples."""
    parts = [part for part in parts if len(part) > 4]
    longest = min((len(part) for part in parts), default=0) // 2
    power = sum(float(np.dot(part, part)) for part in parts)
    total = 1.0
    for lag in range(1, longest):
        pairs = sum(len(part) - lag for part in parts)
        rho = sum(float(np.dot(part[lag:], part[:-lag])) for part in parts) / pairs
        rho /= power / sum(len(part) for part in parts)
        if rho <= 2.0 / np.sqrt(pairs):
            break
        total += 2.0 * rho
    return total
