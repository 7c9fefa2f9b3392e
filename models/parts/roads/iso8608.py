"""Random roads of ISO 8608: two tracks of a given roughness that go together as on an isotropic surface.

The one-sided displacement power spectral density of both tracks is, over spatial frequencies n,

    G_d(n) = G_d(n_0) (n/n_0)^−w,        n_0 = 0.1 cycles/m, w = 2,                                     (a)

with G_d(n_0) = 16·4^k · 1e-6 m³ for the classes A to H, k = 0 … 7 (ISO 8608:2016, table C.1, geometric mean).
It is built from harmonics of a long period with amplitudes √(2 G_d Δn) and random phases.  On a surface that
has the same spectrum in all directions two parallel tracks at the distance t have the coherence

    γ(n) = 2 (π n t)^(w/2) / Γ(w/2) · K_(w/2)(2 π n t)                                                  (b)

with K the modified Bessel function (Kamash and Robson 1978): the tracks agree in long waves and not in short
ones.  Both keep the amplitudes of (a); the phases of one differ from those of the other by a random angle of
normal distribution with the variance −2 ln γ, whose mean cosine is γ.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import Option, check_number
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.grid import Axis, SplineCurve
from ce_dynamics.models.parts.rounding import smooth_step, smooth_step_slope

CLASSES = "ABCDEFGH"
N_0 = 0.1
"""Reference spatial frequency [cycles/m]."""
BAND = (0.011, 2.83)
"""Spatial frequencies over which ISO 8608 classifies roads [cycles/m]."""
NODES_PER_WAVE = 8
"""Nodes per shortest wave: the cubic spline through the nodes has its amplitude to 0.1 %."""


def roughness(road_class: str) -> float:
    """Return G_d(n_0) of a class [m³], the geometric mean of its bounds."""
    letter = str(road_class).upper()
    if len(letter) != 1 or letter not in CLASSES:
        raise DataError(f"iso8608: class {checks.show(road_class)} must be one of {', '.join(CLASSES)}")
    return float(16e-6 * 4.0 ** CLASSES.index(letter))


def coherence(n: Floats, track: float, waviness: float) -> Floats:
    """Return γ(n) of two tracks of an isotropic surface: (b)."""
    from scipy.special import gamma, kv  # here, because most runs are on other roads

    z = np.pi * n * track
    order = 0.5 * waviness
    return np.clip(2.0 * z**order / gamma(order) * kv(order, 2.0 * z), 0.0, 1.0)


class RandomRoad(Road):
    """A random road of ISO 8608: the same one for the same seed, without an end.

    Each track is level across; between the tracks one passes smoothly into the other.
    """

    options = (
        Option("road_class", "", "C", "A (very good) to H"),
        Option("seed", "1", 1.0, "of the random phases", at_least=0.0, at_most=2.0**53, whole=True),
        Option("track", "m", 1.6, "distance of the two tracks", at_least=checks.SMALLEST),
        Option("start", "m", 5.0, "x up to which it is even"),
        Option("fade", "m", 10.0, "length over which roughness sets in", above=0.0),
        Option("length", "m", 1000.0, "after which it repeats itself"),
        Option("shortest", "m", 1.0 / BAND[1], "wavelength", above=0.0),
        Option("longest", "m", 1.0 / BAND[0], "wavelength"),
        Option("waviness", "1", 2.0, "exponent of the spectrum", above=0.0, at_most=4.0),
    )
    title = "iso8608"

    def _prepare(self) -> None:
        owner, v = self.title, self.values
        letter = str(v["road_class"])
        self.roughness = roughness(letter)
        self.title = f"{owner}:{letter.upper()}"
        self.seed, self.start, self.fade = int(v["seed"]), v["start"], v["fade"]
        self.track, self.shortest, self.waviness = v["track"], v["shortest"], v["waviness"]
        self.longest = check_number(owner, "longest", v["longest"], above=self.shortest, unit="m")
        self.length = check_number(owner, "length", v["length"], at_least=self.longest, unit="m")
        check_number(owner, "track", self.track, at_most=self.length, unit="m")
        nodes = self.length * NODES_PER_WAVE / self.shortest
        checks.limit_memory(
            "a road iso8608", 200.0 * nodes, "take a shorter length, or longer waves", DataError
        )
        number = 2 * int(np.ceil(0.5 * self.length * NODES_PER_WAVE / self.shortest))
        self.axis = Axis(0.0, self.length / number, number, periodic=True)
        left, right = self._tracks(number)
        self.mean = SplineCurve(0.5 * (left + right), self.axis)
        self.half = SplineCurve(0.5 * (left - right), self.axis)
        bends = [np.diff(side, 2, append=side[:2]) for side in (left, right)]
        self._sharpness = float(np.max(np.abs(bends))) / self.axis.step**2

    def psd(self, n: Floats) -> Floats:
        """Return G_d at spatial frequencies n [m³]: (a)."""
        return np.asarray(self.roughness * (np.asarray(n) / N_0) ** -self.waviness)

    def _tracks(self, number: int) -> tuple[Floats, Floats]:
        """Return heights of the left and the right track at the nodes."""
        n = np.arange(number // 2 + 1) / self.length
        within = (n >= 1.0 / self.longest) & (n <= 1.0 / self.shortest)
        amplitude = np.zeros_like(n)
        amplitude[within] = np.sqrt(2.0 * self.psd(n[within]) / self.length)
        together = np.ones_like(n)
        together[within] = coherence(n[within], self.track, self.waviness)
        random = np.random.default_rng(self.seed)
        phase = random.uniform(0.0, 2.0 * np.pi, n.size)
        apart = np.sqrt(-2.0 * np.log(np.maximum(together, 1e-300))) * random.standard_normal(n.size)
        half = 0.5 * number * amplitude
        left, right = (
            np.fft.irfft(half * np.exp(1j * (phase + side * 0.5 * apart)), number) for side in (1.0, -1.0)
        )
        return left, right

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        place = self.axis.place(x)
        return self._onset(x) * (self.mean.value(place) + self._side(y) * self.half.value(place))

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        place, side, onset = self.axis.place(x), self._side(y), self._onset(x)
        half = self.half.value(place)
        z = self.mean.value(place) + side * half
        z_x = self.mean.slope(place) + side * self.half.slope(place)
        rate = smooth_step_slope((x - self.start) / self.fade) / self.fade
        across = 2.0 / self.track * smooth_step_slope(0.5 + y / self.track)
        return onset * z_x + rate * z, onset * half * across

    @property
    def sharpness(self) -> float:
        return self._sharpness

    def _onset(self, x: Scalar) -> Scalar:
        return smooth_step((x - self.start) / self.fade)

    def _side(self, y: Scalar) -> Scalar:
        """Return 1 on the left track, −1 on the right one."""
        return 2.0 * smooth_step(0.5 + y / self.track) - 1.0
