"""Ride over a random road (ISO 8608), weighted by ISO 2631-1, and the modes of driving straight on."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.metrics.driving_modes import (
    DrivingMode,
    ModalSpectrum,
    power_spectrum,
    spectrum,
    weigh_acceleration,
)
from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.parts.manoeuvres import Option, StraightOn
from ce_dynamics.models.parts.manoeuvres.base import FRICTION, speed_option
from ce_dynamics.models.parts.roads.iso8608 import CLASSES
from ce_dynamics.models.vehicles.summary import W_D, W_K
from ce_dynamics.views.charts import Chart, Line

ONSET = 3.0
"""Time in which the road begins, which is left out [s]."""
BANDS = {"body": (0.5, 3.0), "wheel": (6.0, 18.0)}
"""Bands in which bodies and wheels resonate [Hz]."""
INTERVAL = 0.005
"""Between stored instants [s]."""


class RideTest(Procedure):
    """Straight on over a random road."""

    name = "ride"
    title = "ride over a random road"
    standard = "ISO 8608:2016, ISO 2631-1:1997"
    options = (
        speed_option(80.0 / 3.6),
        FRICTION,
        Option("road", "1", 3.0, "class of the road: 1 is A, 8 is H", at_least=1.0, at_most=8.0, whole=True),
        Option("seed", "1", 1.0, "of the random road", at_least=0.0, whole=True),
        Option("duration", "s", 25.0, "time on the road", above=5.0, at_most=600.0),
    )

    def perform(self) -> None:
        v, out = self.values, self.outcome
        road = f"iso8608:{list(CLASSES)[int(v['road']) - 1]},seed={int(v['seed'])}"
        run = self.run(
            "ride", StraightOn, road=road, interval=INTERVAL, speed=v["speed"], duration=v["duration"] + ONSET
        )
        on = run.t >= ONSET
        t = run.t[on]
        az, ay = run["az"][on], run.ay[on]
        out.add("vertical", "vertical acceleration, rms", rms(az), "m/s^2")
        weighted = "vertical acceleration, weighted by W_k of ISO 2631-1"
        out.add("felt_vertical", weighted, weigh_acceleration(t, az, W_K), "m/s^2")
        out.add(
            "felt_lateral", "lateral acceleration, weighted by W_d", weigh_acceleration(t, ay, W_D), "m/s^2"
        )
        spectrum = power_spectrum(t, az)
        for name, band in BANDS.items():
            label = f"vertical acceleration, {name} band ({band[0]:g} to {band[1]:g} Hz), rms"
            out.add(f"vertical_{name}", label, spectrum.rms(*band), "m/s^2")
        sides = self.subject.side_loads(run.record)
        if sides is not None:
            loads = np.concatenate(sides, axis=1)[on]
            worst = float((loads.std(axis=0) / loads.mean(axis=0)).max())
            out.add("load_variation", "largest wheel load variation, rms over mean", worst, "%", 100.0)
            out.add(
                "unloaded",
                "time with a wheel off the road",
                100.0 * float((loads <= 0.0).any(axis=1).mean()),
                "%",
            )
        shown = (spectrum.frequency >= 0.5) & (spectrum.frequency <= 50.0)
        line = Line("", spectrum.frequency[shown], spectrum.density[shown])
        out.charts.append(
            Chart(
                "Spectrum", "frequency [Hz]", "vertical acceleration [(m/s²)²/Hz]", (line,), logarithmic="xy"
            )
        )
        part = t <= t[0] + 5.0
        out.plot("time [s]", t[part], ("Vertical acceleration", "vertical acceleration [m/s²]", az[part]))


def rms(x: np.ndarray) -> float:
    """Return the root of the mean square about the mean."""
    return float(np.std(x))


SHOWN = "yaw and side-slip", "roll", "heave", "pitch", "trailer sway"
"""Modes of the bodies that are reported."""
NAMED_AT = 10.0
"""Speed at which modes are named [m/s]: tyres damp yaw strongly, so that yaw and roll are apart."""
NEAR = 2.5
"""Largest step of the speed over which modes are followed [m/s]."""


class ModesTest(Procedure):
    """Linearised about driving straight on: frequencies and damping ratios."""

    name = "modes"
    title = "modes of driving straight on"
    standard = "eigenvalues of the linearised motion"
    options = (
        speed_option(80.0 / 3.6),
        FRICTION,
        Option("slowest", "m/s", 10.0, "first speed of the curves", above=1.0, at_most=60.0),
        Option("fastest", "m/s", 40.0, "last speed of the curves", above=1.0, at_most=60.0),
        Option("speeds", "1", 4.0, "number of speeds of the curves", at_least=2.0, at_most=50.0, whole=True),
    )

    @cached_property
    def spectra(self) -> dict[float, ModalSpectrum]:
        """Eigenvalues that were found, by speed [m/s]."""
        return {}

    def perform(self) -> None:
        v, out = self.values, self.outcome
        if not v["fastest"] > v["slowest"]:
            raise DataError(
                f"{self.name}: fastest = {v['fastest']:g} m/s must be above slowest = {v['slowest']:g} m/s"
            )
        for mode in self.at(v["speed"]):
            count = sum(f.label.startswith(mode.character) for f in out.figures) // 2
            key = mode.character.replace(" ", "_").replace("-", "") + (f"_{count + 1}" if count else "")
            label = mode.character + (f" {count + 1}" if count else "")
            out.add(f"{key}_frequency", f"{label}: natural frequency", mode.frequency, "Hz")
            out.add(f"{key}_damping", f"{label}: damping ratio", mode.damping_ratio, "1")
        speeds = np.linspace(v["slowest"], v["fastest"], round(v["speeds"]))
        found = [self.at(float(speed)) for speed in speeds]
        for title, label, what in (
            ("Natural frequencies", "frequency [Hz]", "frequency"),
            ("Damping ratios", "damping ratio", "damping_ratio"),
        ):
            lines = []
            for kind in SHOWN:
                values = [
                    next((getattr(m, what) for m in modes if m.character == kind), np.nan) for modes in found
                ]
                if np.any(np.isfinite(values)):
                    lines.append(Line(kind, 3.6 * speeds, np.array(values)))
            out.charts.append(Chart(title, "speed [km/h]", label, tuple(lines)))

    def at(self, speed: float) -> list[DrivingMode]:
        """Return the modes at a speed [m/s], named at `NAMED_AT` and followed from there."""
        return self.track_modes(speed).modes()

    def track_modes(self, speed: float) -> ModalSpectrum:
        """Return the eigenvalues at a speed [m/s] with the names of those nearer to `NAMED_AT`."""
        if speed not in self.spectra:
            found = self.spectrum_at(speed)
            steps = math.ceil(abs(speed - NAMED_AT) / NEAR - 1e-9)
            if steps:
                nearer = NAMED_AT + math.copysign((steps - 1) * NEAR, speed - NAMED_AT)
                found = found.following(self.track_modes(nearer))
            self.spectra[speed] = found
        return self.spectra[speed]

    def spectrum_at(self, speed: float) -> ModalSpectrum:
        """Return the eigenvalues at a speed [m/s] with names of their own."""
        if self.progress is not None:
            self.progress(f"{self.name}, {3.6 * speed:.4g} km/h", 0.0, 1.0)
        task = self.subject.manoeuvre(StraightOn, speed=speed, friction=self.values["friction"])
        model, y0, u0 = self.subject.start(task)
        return spectrum(model, y0, u0)
