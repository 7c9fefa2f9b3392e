"""Recordings of Project Chrono's own runs.

A folder of recordings holds ``summary.json``, a list with an entry per recording (files of the vehicle, its
tyres, engine and transmission, mass, mass centre, speed of Chrono), and the recordings (``path``): columns in
SI at a constant interval, wheels ``a<axle><L|R>[i|o]_``, springs ``a<axle><L|R>_tsda_<name>_``.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra import checks, files
from ce_dynamics.algebra.arrays import Scalar, floor, minimum
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.rotation import rotation_from_quaternion
from ce_dynamics.algebra.tables import Table
from ce_dynamics.errors import DataError

SUMMARY = "summary.json"
LARGEST_SUMMARY = 2**22
"""Size of a summary [B]."""
COMPARED_FROM = 1.0
"""Time from which runs are compared [s]; Chrono throws the standing vehicle to its speed at t = 0."""
LEAST_SPEED = 3.0
"""Speed above which runs are compared [m/s]; below it Chrono's TMeasy passes to friction at rest."""
SETTLE, STEP = "settle", "step"
STEADY = 0.1
"""Part of its mean load, and of the rows, by which torques of a wheel may be out of balance."""


class ChronoRecording:
    """A run of Chrono: columns, compressed by gzip or not, and the facts of its entry in the summary."""

    def __init__(self, path: Path, facts: Mapping[str, Any]) -> None:
        self.path, self.facts = path, facts

    @property
    def name(self) -> str:
        """File name without endings."""
        return self.path.name.partition(".")[0]

    @property
    def vehicle(self) -> str:
        """Name of the vehicle with its parts, and Chrono's step."""
        ways = " without powertrain" if self.without_powertrain else ""
        return f"{self.facts['key']}{ways}, {self.facts['step']:g} s"

    @property
    def without_powertrain(self) -> bool:
        """True if the vehicle coasts."""
        return "_np" in self.name

    @property
    def is_rest(self) -> bool:
        """True if the vehicle stands with its brakes on."""
        return bool(self.facts["manoeuvre"] == SETTLE)

    @property
    def steers(self) -> bool:
        """True if the vehicle first rolls straight ahead and then steers."""
        return bool(self.facts["manoeuvre"] == STEP)

    @cached_property
    def columns(self) -> Mapping[str, Floats]:
        opened = gzip.open if self.path.suffix == ".gz" else open
        try:
            with opened(self.path, "rt", encoding="utf-8") as file:
                names = file.readline().strip().split(",")
                values = np.loadtxt(file, delimiter=",", ndmin=2)
        except (OSError, ValueError) as error:
            raise DataError(f"{self.path.name}: it is no recording: {error}") from error
        if len(names) != values.shape[1] or "t" not in names:
            raise DataError(f"{self.path.name}: the first line does not name its {values.shape[1]} columns")
        if len(values) < 2 or not np.isfinite(values).all():
            raise DataError(f"{self.path.name}: a recording has two rows at least, of finite numbers")
        return dict(zip(names, values.T, strict=True))

    def fact(self, key: str) -> float:
        """Return a positive number of the summary."""
        return checks.number(f"{self.name}: {key}", self.facts.get(key), above=0.0, error=DataError)

    def __getitem__(self, name: str) -> Floats:
        if name not in self.columns:
            raise DataError(f"{self.path.name}: no column {name!r}")
        return self.columns[name]

    @property
    def interval(self) -> float:
        """Time between rows [s]."""
        return float(self["t"][1] - self["t"][0])

    def wheel(self, place: str, column: str) -> Floats:
        """Return a column of a wheel; of dual tyres the sum."""
        places = [p for p in (place, f"{place}i", f"{place}o") if f"{p}_{column}" in self.columns]
        if not places:
            raise DataError(f"{self.path.name}: no column {place}_{column}")
        values = np.sum([self[f"{p}_{column}"] for p in places], axis=0)
        return np.asarray(values if column[0] == "F" else values / len(places))

    def force_on_wheel(self, place: str) -> Mapping[str, Floats]:
        """Return the force of a wheel's tyres in axes of its heading, as it acts.

        What Chrono reports in contact axes is larger where the wheel is cambered (`contact_axes`).
        """
        axis = np.einsum("ijn,jn->in", self.attitude, [self.wheel(place, f"n{axis}") for axis in "xyz"])
        c, s = np.array((axis[1], -axis[0])) / np.hypot(axis[0], axis[1])
        X, Y, Z = (self.wheel(place, f"F{axis}") for axis in "XYZ")
        return {"Fx": c * X + s * Y, "Fy": c * Y - s * X, "Fz": Z}

    @cached_property
    def attitude(self) -> Floats:
        """Rotation matrices from the axes of the chassis to the world, (3, 3, rows)."""
        return rotation(np.stack([self[f"q{k}"] for k in range(4)]))

    def is_alternating(self, place: str) -> bool:
        """Return True if a wheel's torques differ by more than `STEADY`, in more than that part of rows.

        Drive and brake torque less F_x R accelerate a wheel.  They balance within a tenth of F_z R unless F_x
        changes from step to step, of which rows show one in twenty.
        """
        R, omega = max(self.facts["tire_radius"]), self.wheel(place, "omega")
        torque = self.wheel(place, "drive_torque") - np.sign(omega) * self.wheel(place, "brake_torque")
        friction = R * float(np.mean(self.wheel(place, "Fz")))
        excess = np.abs(torque - self.wheel(place, "Fx") * R) > STEADY * friction
        return bool(np.mean((excess & (np.abs(omega) > 1.0))[self.compared]) > STEADY)

    @cached_property
    def compared(self) -> NDArray[np.bool_]:
        """True in rows that are compared."""
        ahead, aside = self.heading_velocity
        return (self["t"] >= COMPARED_FROM) & (np.hypot(ahead, aside) > LEAST_SPEED)

    @cached_property
    def velocity(self) -> Floats:
        """Velocity of the chassis in the world, (3, rows) [m/s], from that in the chassis' axes."""
        return np.asarray(np.einsum("ijn,jn->in", self.attitude, [self[f"v{axis}"] for axis in "xyz"]))

    @cached_property
    def yaw_rate(self) -> Floats:
        """Angular velocity of the chassis about the vertical [rad/s], from that in the chassis' axes."""
        return np.asarray(np.einsum("jn,jn->n", self.attitude[2], [self[f"w{axis}"] for axis in "xyz"]))

    @cached_property
    def heading_velocity(self) -> tuple[Floats, Floats]:
        """Horizontal velocity along the heading and to the left of it [m/s]."""
        v = self.velocity
        c, s = np.cos(self["yaw"]), np.sin(self["yaw"])
        return c * v[0] + s * v[1], c * v[1] - s * v[0]


def rotation(q: Floats) -> Floats:
    """Return rotation matrices of quaternions (scalar first) of which some are means."""
    return np.asarray(rotation_from_quaternion(q / np.linalg.norm(q, axis=0)), dtype=float)


def check_facts(name: str, entry: object) -> Mapping[str, Any]:
    """Return an entry of a summary that has what every recording needs."""
    facts = checks.mapping(name, entry, DataError)
    for key in ("path", "key", "vehicle", "manoeuvre"):
        checks.text(f"{name}: {key}", facts.get(key), DataError)
    checks.number(f"{name}: step", facts.get("step"), above=0.0, error=DataError)
    checks.number(f"{name}: start_height", facts.get("start_height"), error=DataError)
    for key in ("engine", "transmission"):
        checks.instance(f"{name}: {key}", facts.get(key, ""), (str, type(None)), "a file", DataError)
    checks.texts(f"{name}: tires", facts.get("tires"), DataError)
    checks.finite_array(f"{name}: tire_radius", facts.get("tire_radius"), (None,), DataError)
    return facts


def recordings(folder: Path, names: Sequence[str] = ()) -> list[ChronoRecording]:
    """Return the recordings of a folder whose names begin so, or all, in the order of its summary."""
    summary = folder / SUMMARY
    content = files.read("summary of recordings", summary, LARGEST_SUMMARY)
    try:
        entries = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{summary}: not valid JSON: {error}") from error
    if not isinstance(entries, list) or not entries:
        raise DataError(f"{summary}: {checks.show(entries)} must be a list of recordings, at least one")
    found = [
        ChronoRecording(folder / facts["path"], facts)
        for facts in (check_facts(f"{summary}: entry {k}", entry) for k, entry in enumerate(entries))
    ]
    for name in names:
        if not any(one.name.startswith(name) for one in found):
            raise DataError(f"{folder}: no recording begins with {name!r}")
    return [one for one in found if not names or one.name.startswith(tuple(names))]


@dataclass(frozen=True)
class RecordedInputs:
    """Steering, throttle and brake of a recording, linear between its rows."""

    steering: Table
    throttle: Table
    brake: Table
    interval: float

    @classmethod
    def of(cls, recording: ChronoRecording, lock: float = 1.0) -> RecordedInputs:
        """Return inputs of a recording, for a vehicle with a part of its full lock."""
        columns = recording["steering"] / lock, recording["throttle"], recording["braking"]
        steering, throttle, brake = (Table(column, reach=1) for column in columns)
        return cls(steering, throttle, brake, recording.interval)

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> dict[str, Scalar]:
        at = minimum(t / self.interval, float(self.steering.last + 1))
        row = minimum(floor(at), float(self.steering.last))
        part = at - row
        return {
            name: (1.0 - part) * table.at(row) + part * table.at(row, 1)
            for name, table in (
                ("steering", self.steering),
                ("throttle", self.throttle),
                ("brake", self.brake),
            )
        }
