"""One run of a test vehicle: manoeuvre, results and errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError, SimulationError
from ce_dynamics.models.handling.metrics.validity import Violation, first, lift, spin, unsteady
from ce_dynamics.models.handling.subject import AT_CENTRE, Subject, refuse_without
from ce_dynamics.models.parts.manoeuvres import Manoeuvre
from ce_dynamics.models.vehicles.prepared import add_path_error, refuse_swinging
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.results import Record
from ce_dynamics.simulation.simulate import simulate_to_record

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
            found.append(unsteady(t, self.ay[used], v, self["yaw_rate"][used]))
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
    trouble = ""
    try:
        record = simulate_to_record(model, task, options)
        refuse_swinging(task, record)
    except SimulationError as error:
        if not isinstance(error.partial, Record):
            raise
        record, trouble = error.partial, str(error)
    record.attrs |= {"title": f"{subject.title}: {task.title}", "manoeuvre": task.name}
    add_path_error(record, task, model)
    return Run(name, subject, task, record, trouble)
