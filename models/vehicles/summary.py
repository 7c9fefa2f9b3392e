"""Summary of a run: the figures of the table and of the JSON file.

Ride comfort among them is frequency-weighted acceleration of ISO 2631-1.  The weightings W_k (vertical,
seated or standing) and W_d (horizontal) are products of four filters, with p = 2π i f (ISO 2631-1:1997,
annex A): band limits of second order at 0.4 and 100 Hz, the transition from acceleration to velocity, and an
upward step,

    H_h = 1/(1 + √2 ω_1/p + (ω_1/p)²),                 H_l = 1/(1 + √2 p/ω_2 + (p/ω_2)²),
    H_t = (1 + p/ω_3)/(1 + p/(Q_4 ω_4) + (p/ω_4)²),                                                     (a)
    H_s = (1 + p/(Q_5 ω_5) + (p/ω_5)²)/(1 + p/(Q_6 ω_6) + (p/ω_6)²) (ω_5/ω_6)².

Records are weighted in the frequency domain, as if the vehicle had stood still before and would afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import instance, show
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.manoeuvres import DoubleLaneChange, Manoeuvre
from ce_dynamics.models.vehicles.driving import AxlePath, clearance

if TYPE_CHECKING:
    from typing import TypeAlias

    import xarray as xr

    from ce_dynamics.simulation.results import Record

    Results: TypeAlias = Record | xr.Dataset

Floats = NDArray[np.float64]


class Weighting(NamedTuple):
    """Corner frequencies [Hz] and quality factors of (a); infinite f_5, f_6 leave the upward step out."""

    f_1: float
    f_2: float
    f_3: float
    f_4: float
    Q_4: float
    f_5: float = math.inf
    Q_5: float = 1.0
    f_6: float = math.inf
    Q_6: float = 1.0

    def response(self, f: Floats) -> NDArray[np.complex128]:
        """Return H at frequencies [Hz]; zero at zero."""
        p = 1j * np.where(f == 0.0, 1.0, f)  # in units of 2π: only ratios of frequencies count
        high, low = self.f_1 / p, p / self.f_2
        H = 1.0 / (1.0 + math.sqrt(2.0) * high + high * high)
        H = H / (1.0 + math.sqrt(2.0) * low + low * low)
        to_velocity = p / self.f_4
        H = H * (1.0 + p / self.f_3) / (1.0 + to_velocity / self.Q_4 + to_velocity * to_velocity)
        if math.isfinite(self.f_5):
            a, b = p / self.f_5, p / self.f_6
            step = (1.0 + a / self.Q_5 + a * a) / (1.0 + b / self.Q_6 + b * b)
            H = H * step * (self.f_5 / self.f_6) ** 2
        return np.asarray(np.where(f == 0.0, 0.0, H))


W_K = Weighting(0.4, 100.0, 12.5, 12.5, 0.63, 2.37, 0.91, 3.35, 0.91)
"""Vertical acceleration of the seat or the floor."""
W_D = Weighting(0.4, 100.0, 2.0, 2.0, 0.63)
"""Horizontal acceleration."""


def compute_weighted_rms(t: Floats, a: Floats, weighting: Weighting) -> float:
    """Return the weighted root mean square of an acceleration [m/s²], interpolated linearly between times."""
    if len(t) < 2:
        raise DataError("a weighted acceleration needs a record of two instants at least")
    step = (t[-1] - t[0]) / (len(t) - 1)
    even = np.interp(t[0] + step * np.arange(len(t)), t, a)
    # twice as long, with rest behind: what rings on after the end does not come round to the beginning
    spectrum = np.fft.rfft(even, 2 * len(even))
    f = np.asarray(np.fft.rfftfreq(2 * len(even), step), dtype=np.float64)
    weighted = np.fft.irfft(spectrum * weighting.response(f), 2 * len(even))[: len(even)]
    return float(np.sqrt(np.mean(weighted * weighted)))


class Figure(NamedTuple):
    """One number: key for programs, label for people, value and unit (``"1"`` for a plain number)."""

    key: str
    label: str
    value: float
    unit: str


def list_figures(groups: Iterable[Iterable[Figure]]) -> list[Figure]:
    """Return the figures that any of some groups has, each key once, in order."""
    found: dict[str, Figure] = {}
    for figure in (one for group in groups for one in group):
        found.setdefault(figure.key, figure)
    return list(found.values())


class CornerFigure(NamedTuple):
    """One number per corner."""

    key: str
    label: str
    values: Mapping[str, float]
    unit: str


class Summary(NamedTuple):
    """Figures of the whole vehicle and of its corners."""

    figures: tuple[Figure, ...]
    corners: tuple[CornerFigure, ...]

    def as_dict(self) -> dict[str, dict[str, dict[str, object]]]:
        """Return the same for JSON: figures by key, numbers that are not finite as None."""
        return {
            "figures": {f.key: {"value": finite(f.value), "unit": f.unit} for f in self.figures},
            "corners": {
                c.key: {**{name: finite(value) for name, value in c.values.items()}, "unit": c.unit}
                for c in self.corners
            },
        }


def summarise(results: Results, manoeuvre: Manoeuvre | None = None) -> Summary:
    """Return the figures of a run, of those quantities that its model has; a partial run will do.

    A double lane change is judged by its gates.
    """
    check_run(results, manoeuvre)
    figures = [*cost_figures(results), *motion(results), *comfort_figures(results)]
    if isinstance(manoeuvre, DoubleLaneChange):
        clearance = gate_clearance(results, manoeuvre)
        figures.append(Figure("gate_clearance", "least clearance to a cone", clearance, "m"))
    return Summary((*figures, *checks(results)), corner_figures(results))


def check_run(results: Results, manoeuvre: Manoeuvre | None) -> None:
    """Refuse what is no run of a vehicle, or no manoeuvre."""
    if not isinstance(getattr(results, "attrs", None), dict) or "real_time_factor" not in results.attrs:
        raise DataError(f"results {show(results)} must be those of a run, as Case.simulate returns them")
    if manoeuvre is not None:
        instance("manoeuvre", manoeuvre, Manoeuvre, "a Manoeuvre or None", DataError)


def cost_figures(results: Results) -> list[Figure]:
    """Return the figures of the computing cost: times, steps and evaluations."""
    attributes = results.attrs
    rows = (
        ("real_time_factor", "real-time factor", attributes["real_time_factor"], "1"),
        ("wall_time", "integration took", attributes["wall_time_s"], "s"),
        ("time_reached", "simulated", results["time"].values[-1], "s"),
        ("steps", "steps", attributes["steps"], "1"),
        ("evaluations", "evaluations of the dynamics", attributes["evaluations"], "1"),
    )
    return [Figure(key, label, float(value), unit) for key, label, value, unit in rows]


def motion(results: Results) -> list[Figure]:
    """Return peaks of the motion."""
    rows = (
        ("peak_lateral_acceleration", "peak lateral acceleration", "ay", 1.0, "m/s^2"),
        ("peak_longitudinal_acceleration", "peak longitudinal acceleration", "ax", 1.0, "m/s^2"),
        ("peak_roll", "peak roll angle", "roll", 180.0 / math.pi, "deg"),
        ("peak_pitch", "peak pitch angle", "pitch", 180.0 / math.pi, "deg"),
        ("peak_yaw_rate", "peak yaw rate", "yaw_rate", 180.0 / math.pi, "deg/s"),
        ("peak_steering", "peak steering, part of full lock", "steering", 100.0, "%"),
        ("peak_path_error", "peak distance from the path", "path_error", 1.0, "m"),
        ("peak_hitch_yaw", "peak yaw angle of a hitch", "hitch_yaw", 180.0 / math.pi, "deg"),
        ("peak_trailer_acceleration", "peak lateral acceleration of a trailer", "trailer_ay", 1.0, "m/s^2"),
    )
    figures = [
        Figure(key, label, factor * peak_of(results[name].values), unit)
        for key, label, name, factor, unit in rows
        if name in results
    ]
    if "hitch_Fx" in results:
        force = np.stack([results[f"hitch_F{k}"].values for k in "xyz"])
        largest = float(np.linalg.norm(force, axis=0).max())
        figures.append(Figure("peak_hitch_force", "greatest force of a hitch", largest, "N"))
    if "vx" in results:
        figures.append(Figure("final_speed", "speed at the end", float(results["vx"].values[-1]), "m/s"))
    return figures


def comfort_figures(results: Results) -> list[Figure]:
    """Return ride comfort by ISO 2631-1 over the whole run, on a road of its own."""
    if "road" not in results.attrs or "az" not in results or len(results["time"].values) < 2:
        return []
    t = results["time"].values
    rows = (
        ("weighted_vertical_acceleration", "vertical acceleration, W_k of ISO 2631-1, rms", "az", W_K),
        ("weighted_lateral_acceleration", "lateral acceleration, W_d of ISO 2631-1, rms", "ay", W_D),
    )
    return [
        Figure(key, label, compute_weighted_rms(t, results[name].values, weighting), "m/s^2")
        for key, label, name, weighting in rows
    ]


def checks(results: Results) -> list[Figure]:
    """Return the figures that must be small: closure of loops, the energy balance of audited runs."""
    closure = []
    if "closure_error" in results:
        worst = peak_of(results["closure_error"].values)
        closure.append(Figure("worst_closure", "worst loop closure", worst, "m"))
    if "work" not in results:
        return closure
    imbalance = peak_of(energy_imbalance(results))
    change = peak_of(results["energy"].values - results["energy"].values[0])
    relative = imbalance / change if change > 0.0 else math.nan
    return [
        *closure,
        Figure("energy_imbalance", "worst energy imbalance", imbalance, "J"),
        Figure("energy_check", "the same over the largest change of energy", relative, "1"),
    ]


def corner_figures(results: Results) -> tuple[CornerFigure, ...]:
    """Return extremes per corner."""
    corners = [str(name) for name in results["corner"].values]
    load = results[load_name(results)].values
    travel = 1e3 * suspension_travel(results)
    start = 1e3 * results["wheel_travel"].values[0]
    rows = (
        ("tyre_load_min", "least tyre load", load.min(axis=0), "N"),
        ("tyre_load_max", "greatest tyre load", load.max(axis=0), "N"),
        ("start", "start above design", start, "mm"),
        ("rebound_max", "greatest rebound", 0.0 - travel.min(axis=0), "mm"),
        ("bump_max", "greatest bump", travel.max(axis=0), "mm"),
    )
    return tuple(
        CornerFigure(key, label, dict(zip(corners, map(float, values), strict=True)), unit)
        for key, label, values, unit in rows
    )


def load_name(results: Results) -> str:
    """Return the vertical load of a wheel: of its tyre, or of the spring in its place."""
    return "tyre_Fz" if "tyre_Fz" in results else "ground_spring_Fz"


def energy_imbalance(results: Results) -> Floats:
    """Return E(t) − E(0) − work of all loads and drives since then [J]."""
    energy: Floats = results["energy"].values
    work: Floats = results["work"].values
    imbalance: Floats = energy - energy[0] - work
    return imbalance


def suspension_travel(results: Results) -> Floats:
    """Return the travel of wheel centres towards their sprung body since the start [m], (time, corner)."""
    height: Floats = results["wheel_travel"].values
    travel: Floats = height - height[0]
    return travel


def gate_clearance(results: Results, manoeuvre: DoubleLaneChange) -> float:
    """Return the least distance of the flanks at every axle, trailers included, from the gates' cones [m].

    Negative where cones fall; NaN as long as no gate has been reached.
    """
    return clearance(find_axle_paths(results), manoeuvre.values["vehicle_width"], manoeuvre.gates)


def find_axle_paths(results: Results) -> list[AxlePath]:
    """Return the paths of all axles from those of their wheels, left before right."""
    wheels = np.stack([results[f"wheel_{k}"].values for k in "xy"], axis=2)
    pairs = zip(wheels[:, ::2].swapaxes(0, 1), wheels[:, 1::2].swapaxes(0, 1), strict=True)
    return [AxlePath.between(left, right) for left, right in pairs]


def peak_of(values: NDArray[np.float64]) -> float:
    """Return the greatest magnitude."""
    return float(np.max(np.abs(values)))


def finite(value: float) -> float | None:
    """Return a number; None for NaN and infinities, which JSON does not have."""
    return value if math.isfinite(value) else None


def finite_numbers(values: Iterable[float]) -> list[float | None]:
    """Return numbers as a list for JSON, see `finite`."""
    return [finite(float(x)) for x in values]
