"""Subjects of tests, which are vehicles or driven like vehicles, and one run of a subject."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError, SimulationError
from ce_dynamics.models.data.quantities import parse_values
from ce_dynamics.models.handling.metrics.validity import Violation, first, first_unsteady, lift, spin
from ce_dynamics.models.parts.driver import Driver
from ce_dynamics.models.parts.manoeuvres import Manoeuvre
from ce_dynamics.models.vehicles.case import Case
from ce_dynamics.models.vehicles.driving import AxlePath
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.results import Record

Given = float | str


INPUTS = "steering", "throttle", "brake"
SENSORS = "x", "y", "yaw", "speed", "vx", "vy", "yaw_rate", "ax", "ay"
"""Outputs that a subject's model needs."""
AT_CENTRE = "mass_centre_"
"""Before ``vx``, ``vy``, ``ax``, ``ay``, ``x``, ``y``: the same of the centre of mass, if there is."""
GRID = 401
"""Steering inputs at which the road-wheel angle is tabulated: interpolated within 1e-6 of full lock."""


class Start(NamedTuple):
    """A model, the state that a run begins with, and the inputs that go with it."""

    model: Model
    y0: Floats
    u0: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Subject(ABC):
    """Contract of a test vehicle.

    1. `start` gives a compiled model on the road of a manoeuvre, and its state when it drives straight on at
    the
       manoeuvre's speed.  The model has the inputs ``steering`` (−1 … 1, positive to the left), ``throttle``
       and ``brake`` (0 … 1) and the outputs `SENSORS`; better also those of the centre of mass
       (`AT_CENTRE`), and ``roll`` [rad], positive to the right.
    2. `road_wheel_angle` returns the front-wheel angle of a steering input.
    3. ``side_loads`` returns the tyre loads by side, if the model has them.

    Attributes
    ----------
    title : str
        For headings.
    wheelbase, mass, gravity : float
        [m], [kg], [m/s²].
    driver : Driver
    defaults : mapping of str to float
        Values of options of manoeuvres that come from the data, such as ``friction``.
    """

    title: str
    wheelbase: float
    mass: float
    gravity: float
    driver: Driver
    defaults: Mapping[str, float]

    @abstractmethod
    def start(self, task: Manoeuvre, road: str | None = None) -> Start:
        """Return the model and its state at the start; ``road`` is laid over that of the manoeuvre.

        Raises
        ------
        AssemblyError, DataError
            If there is no such state.
        """

    @abstractmethod
    def road_wheel_angle(self, steering: Floats) -> Floats:
        """Return the mean angle of the front road wheels for steering inputs, positive to the left [rad]."""

    def locks(self) -> tuple[Floats, Floats]:
        """Return the inputs that steer furthest to the right and to the left, and their wheel angles [rad].

        A linkage may reach its limit before its inputs do.
        """
        inputs = np.linspace(-1.0, 1.0, GRID)
        angles = self.road_wheel_angle(inputs)
        ends = [int(np.argmin(angles)), int(np.argmax(angles))]
        return inputs[ends], angles[ends]

    def side_loads(self, record: Record) -> tuple[Floats, Floats] | None:
        """Return vertical loads of the left and of the right tyres, (time, wheels) [N]; None if not known."""
        return None

    def axle_paths(self, record: Record) -> Sequence[AxlePath]:
        """Return the paths of the axles; that of the reference point if they are unknown."""
        x, y, yaw = (np.asarray(record[name].values) for name in ("x", "y", "yaw"))
        return [AxlePath(np.stack((x, y), axis=1), np.stack((-np.sin(yaw), np.cos(yaw)), axis=1))]

    def practise(self, task: Manoeuvre, road: str | None = None) -> Manoeuvre:
        """Return the manoeuvre with a trained driver model, if the vehicle supports it; else unchanged."""
        return task

    def steering_for(self, angle: float) -> float:
        """Return the steering input of a road-wheel angle [rad]."""
        from scipy.optimize import brentq  # here, because it takes longer to load than many runs

        inputs, lock = self.locks()
        if not lock[0] <= angle <= lock[1]:
            raise DataError(
                f"{self.title}: the front wheels cannot be steered by {np.degrees(angle):.3g}°; full lock "
                f"is from "
                f"{np.degrees(lock[0]):.3g}° to {np.degrees(lock[1]):.3g}°"
            )

        def excess(u: float) -> float:
            return float(self.road_wheel_angle(np.array([u]))[0]) - angle

        return float(brentq(excess, float(inputs[0]), float(inputs[1]), xtol=1e-14))

    def manoeuvre(self, kind: type[Manoeuvre], **given: Given) -> Manoeuvre:
        """Return a manoeuvre with the driver model of the test vehicle."""
        values = {o.name: self.defaults[o.name] for o in kind.options if o.name in self.defaults}
        return kind(self.driver, **values | parse_values(kind.name, kind.options, given))


def refuse_without(subject: Subject, model: Model) -> None:
    """Refuse a model that cannot be driven."""
    outputs = {entry.name for entry in model.output_entries}
    for what, wanted, known in (
        ("input", INPUTS, set(model.system.inputs)),
        ("output", SENSORS, outputs),
    ):
        missing = [name for name in wanted if name not in known]
        if missing:
            raise DataError(
                f"{subject.title}: the model has no {what} {missing[0]!r}; handling manoeuvres need the "
                f"{what}s "
                f"{', '.join(wanted)}"
            )


RTOL, ATOL = 1e-6, 1e-8
"""Relative and absolute error per step."""
LONGEST = 0.02
"""Longest step [s]: where nothing moves, steps must not grow over a pulse of the steering."""
INTERVAL = 0.01
"""Time between stored instants [s]."""
FEWEST = 3
"""Instants of a record that is judged."""


@dataclass(frozen=True, eq=False)
class Run:
    """A run, whole or as far as it came.

    Attributes
    ----------
    name : str
        Among the runs of a procedure.
    subject : Subject
    task : Manoeuvre
    record : Record
    trouble : str
        Why it ended early; empty if it did not.
    """

    name: str
    subject: Subject
    task: Manoeuvre
    record: Record
    trouble: str = ""

    def __getitem__(self, name: str) -> Floats:
        if name not in self.record:
            raise DataError(f"{self.subject.title}: the model has no output {name!r}, which this needs")
        return np.asarray(self.record[name].values)

    @property
    def t(self) -> Floats:
        """Stored times [s]."""
        return self["time"]

    def at_centre(self, name: str) -> Floats:
        """Return a signal of the centre of mass, or of the reference point where the model has no other."""
        return self[AT_CENTRE + name] if AT_CENTRE + name in self.record else self[name]

    @property
    def ay(self) -> Floats:
        """Lateral acceleration, in the horizontal plane, to the left [m/s²]."""
        return self.at_centre("ay")

    @property
    def speed(self) -> Floats:
        """Horizontal speed of the centre of mass [m/s]."""
        return np.hypot(self.at_centre("vx"), self.at_centre("vy"))

    @property
    def sideslip(self) -> Floats:
        """β = arctan(v_y/v_x) at the centre of mass, without jumps [rad]; 0 while the vehicle stands."""
        vx, vy = self.at_centre("vx"), self.at_centre("vy")
        moving = np.hypot(vx, vy) > 0.1
        return np.where(moving, np.unwrap(np.where(moving, np.arctan2(vy, vx), 0.0)), 0.0)

    @property
    def steer(self) -> Floats:
        """Mean steering angle of the front road wheels, without compliance [rad]."""
        return self.subject.road_wheel_angle(self["steering"])

    @property
    def roll(self) -> Floats:
        """Roll angle, to the right [rad]; zero where the model has none."""
        return self["roll"] if "roll" in self.record else np.zeros(len(self.t))

    def violation(self, begin: float = 0.0, steady: bool = False) -> Violation | None:
        """Return the first violation of the conditions of figures from a time on [s], None without one.

        The vehicle must not spin nor tip; where asked for, it must turn steadily.
        """
        used = self.t >= begin
        if np.count_nonzero(used) < FEWEST:
            return None
        t, v = self.t[used], self.speed[used]
        lock = float(np.abs(self.subject.locks()[1]).max())
        found = [spin(t, self.sideslip[used], v, lock)]
        loads = self.subject.side_loads(self.record)
        if loads is not None:
            found.append(lift(t, *(side[used] for side in loads)))
        if steady:
            found.append(first_unsteady(t, self.ay[used], v, self["yaw_rate"][used]))
        return first(found)

    @property
    def course(self) -> Floats:
        """Direction of the velocity, without jumps [rad]."""
        return np.unwrap(self["yaw"] + self.sideslip)


def make_run(
    subject: Subject,
    name: str,
    task: Manoeuvre,
    *,
    road: str | None = None,
    interval: float = INTERVAL,
    progress: Callable[[float], None] | None = None,
) -> Run:
    """Simulate one manoeuvre of a subject.

    Raises
    ------
    AssemblyError, DataError
        If there is no start, or the model cannot be driven.
    KeyboardInterrupt
        If the run was interrupted.
    """
    checks.instance("subject", subject, Subject, "a Subject such as vehicle('sedan')", DataError)
    checks.text("name", name, DataError)
    checks.instance("task", task, Manoeuvre, "a Manoeuvre (make_manoeuvre)", DataError)
    model, y0, _ = subject.start(task, road)
    refuse_without(subject, model)
    options = RunOptions(
        duration=task.duration,
        max_step=LONGEST,
        y0=y0,
        method="dopri5",
        rtol=RTOL,
        atol=ATOL,
        interval=interval,
        progress=progress,
    )
    title = f"{subject.title}: {task.title}"
    case = Case(title, model, task, y0, task.duration, {"title": title, "manoeuvre": task.name})
    try:
        return Run(name, subject, task, case.simulate_by(options))
    except SimulationError as error:
        if not isinstance(error.partial, Record):
            raise
        return Run(name, subject, task, error.partial, str(error))
