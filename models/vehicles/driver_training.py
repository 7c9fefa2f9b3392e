"""Practice of a lane change before it is driven.

The driver has the linear response of the vehicle: G(jω) from the steering input to the lateral acceleration,
of the whole model linearised where it drives straight on.  The first steering follows from the wanted
acceleration a = v² y″ by inverting it,

    u = G⁻¹ a,

forwards and backwards in time, which is preview; and the path leaves room for the side-slip that comes of it.
Every further round is driven with corrections, and the steering of the last round gets the response to the
acceleration that was missing,

    u ← u + g G⁻¹ (a − ÿ),

up to the frequencies that a driver can follow.  Where tyres answer with a part between 0.4 and 1 of their
linear slope, g = 1.4 leaves less than half of the error each round.  The best round is kept.
"""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.newton import differences
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.variables import valid_name
from ce_dynamics.models.parts.driver import Driver, invert_arms, turn_steering
from ce_dynamics.models.parts.manoeuvres import Manoeuvre
from ce_dynamics.models.parts.manoeuvres.following import DoubleLaneChange, Practised
from ce_dynamics.models.parts.rounding import RoundedTable
from ce_dynamics.models.vehicles.driving import AxlePath, clearance
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.simulate import try_run

ROUNDS = 8
GAIN = 1.4
STEP = 4e-3
"""Step of the rounds, by Runge-Kutta's method [s]."""
LONGER = 1.2
"""Largest ratio of a round's time to that at the wanted speed."""
GRID, COUNT = 0.5, 1024
"""Distance [m] and number of the points of the way."""
AHEAD = 150.0
"""Length of the way ahead of the start [m]."""
KNOTS = 2.0
"""Distance of the points at which corrections are stored [m]."""
HIGHEST = 15.0
"""Frequency up to which errors are corrected [rad/s]."""
PACE = 1.5
"""Frequency of a lane change [rad/s]."""
BEHIND = 20.0
"""Distance over which corrections fade out behind the last gate [m]."""
DIFFERENCE = 1e-6


class PracticeResponse(NamedTuple):
    """From the steering input to lateral acceleration and yaw rate, at the frequencies of the grid."""

    acceleration: Any
    yaw_rate: Any


class Round(NamedTuple):
    """Motion at every step: place, yaw angle and rate, and the steering that was wanted."""

    x: Floats
    y: Floats
    yaw: Floats
    yaw_rate: Floats
    steering: Floats


def practise(task: Manoeuvre, model: Model, y0: Floats) -> Manoeuvre:
    """Return the manoeuvre with a driver who has practised it, if its path is planned; else as it is.

    What controllers do he learns as far as it comes back each round.
    """
    if not isinstance(task, DoubleLaneChange) or not task.is_planned:
        return task
    omega = np.asarray(2.0 * math.pi * np.fft.rfftfreq(COUNT, GRID) * task.speed, dtype=np.float64)
    response = lateral_response(model, y0, omega, task.driver)
    best, least = task, -math.inf
    for one in (task.leaning(side_slip(response, omega, task.speed)), task):
        known, room = best_task(one, response, omega, model, y0)
        if room > least:
            best, least = known, room
        if least > 0.0:
            break
    return best


def best_task(
    task: DoubleLaneChange, response: PracticeResponse, omega: Floats, model: Model, y0: Floats
) -> tuple[DoubleLaneChange, float]:
    """Return the task with the corrections of its best round, and the clearance that these left [m]."""
    way: Floats = np.asarray(GRID * np.arange(COUNT) - AHEAD, dtype=np.float64)
    path: Any = task.path
    ends = task.gates[-1].end
    fade = np.clip((ends + BEHIND - way) / BEHIND, 0.0, 1.0) * (way > 0.0)
    wanted = np.array([task.speed**2 * path.bend(x) for x in way.tolist()])
    first = np.fft.rfft(wanted) / response.acceleration
    steering, yaw_rate = (np.fft.irfft(part, COUNT) for part in (first, first * response.yaw_rate))
    low_pass = 1.0 / (1.0 + (omega / HIGHEST) ** 4)
    best, least = task, -math.inf
    for _ in range(ROUNDS):
        known = copy.copy(task)
        known.practised = tabulate_practice(way, steering, yaw_rate, ends)
        driven = drive(known, model, y0)
        if driven is None:
            break
        room = measure_clearance(task, driven)
        if room > least:
            best, least = known, room
        error = np.array([path.y_ref(x) for x in way.tolist()]) - np.interp(way, driven.x, driven.y)
        missing = -(omega**2) * np.fft.rfft(error * fade) * low_pass
        total = np.interp(way, driven.x, driven.steering, left=0.0, right=0.0)
        steering = (total + GAIN * np.fft.irfft(missing / response.acceleration, COUNT)) * fade
        yaw_rate = np.interp(way, driven.x, driven.yaw_rate, left=0.0, right=0.0)
    return best, least


def side_slip(response: PracticeResponse, omega: Floats, speed: float) -> float:
    """Return v² β/a: the angle by which the vehicle is turned from its course in a lane change.

    The yaw angle is r/(jω), the course a/(jω v).
    """
    k = int(np.argmin(np.abs(omega - PACE)))
    a, r = complex(response.acceleration[k]), complex(response.yaw_rate[k])
    return float(speed * ((speed * r / a - 1.0) / (1j * omega[k])).real)


def tabulate_practice(way: Floats, steering: Floats, yaw_rate: Floats, ends: float) -> Practised:
    """Return tables over the way, up to behind the last gate."""
    x = np.arange(0.0, ends + BEHIND + KNOTS, KNOTS)
    tables = [
        RoundedTable(tuple(x.tolist()), tuple(np.interp(x, way, part).tolist()))
        for part in (steering, yaw_rate)
    ]
    return Practised(*tables)


def lateral_response(
    model: Model, y0: Floats, omega: Floats, driver: Driver | None = None
) -> PracticeResponse:
    """Return G(jω) by differences of the compiled model, of what does not just count up.

    From the steering input, or from the steering that a driver model commands.
    """
    names = model.layout.y_names
    u = model.u0.copy()
    k_steering = [entry.name for entry in model.layout.u].index("steering")

    def rates(y: Floats, steering: float = 0.0) -> Floats:
        u[k_steering] = steering
        if driver is not None and driver.response.position:
            u[k_steering] = turn_steering(driver, driver.straight + steering, model.outputs(y, u=u))
        return model.dynamics(y, u)[0].copy()

    kept = [
        k
        for k, name in enumerate(names)
        if name not in ("chassis.x", "chassis.qw") and not name.endswith(".wheel")
    ]

    def kept_rates(z: Floats) -> Floats:
        y = y0.copy()
        y[kept] = z[:-1]
        return rates(y, z[-1])[kept]

    z0 = np.append(y0[kept], 0.0)
    slopes = differences(kept_rates, z0, DIFFERENCE * np.maximum(1.0, np.abs(z0)), central=True)
    A, B = slopes[:, :-1], slopes[:, -1]
    place, heading = (kept.index(names.index(f"chassis.{name}")) for name in ("y", "qz"))
    acceleration = np.empty(len(omega), dtype=complex)
    yaw_rate = np.empty(len(omega), dtype=complex)
    identity = np.eye(len(kept))
    for k, each in enumerate(omega.tolist()):
        s = 1j * max(each, 1e-2)  # on the spot, place and heading only count up
        if each > 4.0 * HIGHEST:
            acceleration[k], yaw_rate[k] = np.inf, 0.0
            continue
        x = np.linalg.solve(s * identity - A, B)
        acceleration[k], yaw_rate[k] = x[place] * s * s, 2.0 * x[heading] * s
    return PracticeResponse(acceleration, yaw_rate)


def drive(task: DoubleLaneChange, model: Model, y0: Floats) -> Round | None:
    """Return a round; None if it goes wrong."""
    ends = task.gates[-1].end + BEHIND
    options = RunOptions(duration=LONGER * ends / task.speed, y0=y0, method="rk4", step=STEP, interval=STEP)
    run = try_run(model, task, options)
    if run is None:
        return None
    driven = Round(*(run[name].values for name in Round._fields))
    r = task.driver.response
    if r.position:
        moved = (run[valid_name(name)].values for name in (r.position, r.position_rate))
        driven = driven._replace(steering=invert_arms(task.driver, driven.steering, *moved))
    driven = driven._replace(steering=driven.steering - task.driver.straight)
    on_the_way = driven.x < ends
    return None if on_the_way.all() else Round(*(column[on_the_way] for column in driven))


def measure_clearance(task: DoubleLaneChange, driven: Round) -> float:
    """Return the least distance of the flanks, at both axles, from the cones [m]."""
    half, width = 0.5 * task.driver.wheelbase, task.values["vehicle_width"]
    centre = np.stack((driven.x, driven.y), axis=1)
    ahead = np.stack((np.cos(driven.yaw), np.sin(driven.yaw)), axis=1)
    left = np.stack((-ahead[:, 1], ahead[:, 0]), axis=1)
    return clearance(
        [AxlePath(centre + side * half * ahead, left) for side in (1.0, -1.0)], width, task.gates
    )
