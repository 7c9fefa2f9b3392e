"""Modes of driving straight on, and how they change with the speed."""

from __future__ import annotations

import numpy as np

from ce_dynamics.errors import DataError
from ce_dynamics.models.handling.metrics.driving_modes import DrivingMode, driving_modes
from ce_dynamics.models.handling.outcome import Chart, Line
from ce_dynamics.models.handling.procedure import Procedure
from ce_dynamics.models.parts.manoeuvres import Option, StraightOn
from ce_dynamics.models.parts.manoeuvres.base import FRICTION, speed_option

SHOWN = "yaw and side-slip", "roll", "heave", "pitch"
"""Modes of the body, which people ask for."""


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
        Option("speeds", "1", 4.0, "number of speeds of the curves", at_least=2.0, at_most=50.0),
    )

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
        """Modes at a speed [m/s]."""
        if self.progress is not None:
            self.progress(f"{self.name}, {3.6 * speed:.4g} km/h", 0.0, 1.0)
        task = self.subject.manoeuvre(StraightOn, speed=speed, friction=self.values["friction"])
        model, y0, u0 = self.subject.start(task)
        return driving_modes(model, y0, u0)
