"""A driver who practises a lane change before he drives it.

He knows the linear response of his vehicle: G(jω) from the steering input to the lateral acceleration, of the
whole model linearised where it drives straight on.  What he steers at first follows from the wanted
acceleration a = v² y″ by inverting it,

    u = G⁻¹ a,

forwards and backwards in time, which is preview.  Then he drives, corrects as he goes, and adds to what he
steered the response to what was missing,

    u ← u + g G⁻¹ (a − ÿ),

as far as frequencies go that he can follow.  Where tyres answer with a part between 0.4 and 1 of their linear
slope, g = 1.4 leaves less than half of the error each round.  The best round is kept.
"""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.models.parts.driver import hold_speed
from ce_dynamics.models.parts.manoeuvres import Manoeuvre
from ce_dynamics.models.parts.manoeuvres.lane_change import DoubleLaneChange, Practised
from ce_dynamics.models.parts.paths import LateralPath
from ce_dynamics.models.parts.torque_table import TorqueTable
from ce_dynamics.models.vehicles.lanes import AxlePath, clearance

ROUNDS = 8
GAIN = 1.4
STEP = 4e-3
"""Of the rounds, by Runge-Kutta's method [s]."""
GRID, COUNT = 0.5, 1024
"""Distance [m] and number of the points of the way."""
AHEAD = 150.0
"""Of them, ahead of the start [m]."""
KNOTS = 2.0
"""Distance of the points that are learnt by heart [m]."""
HIGHEST = 15.0
"""Frequency up to which errors are learnt from [rad/s]."""
BEHIND = 20.0
"""Over which what is learnt fades out behind the last gate [m]."""
DIFFERENCE = 1e-6


class Response(NamedTuple):
    """From the steering input to lateral acceleration and yaw rate, at the frequencies of the grid."""

    acceleration: Any
    yaw_rate: Any


class Round(NamedTuple):
    """What was driven, at every step: place, yaw angle and rate, what was steered."""

    x: Floats
    y: Floats
    yaw: Floats
    yaw_rate: Floats
    steering: Floats


def practised(task: Manoeuvre, model: Model, y0: Floats) -> Manoeuvre:
    """The manoeuvre with a driver who has practised it, if its path is planned; else as it is.

    Vehicles with controllers are left to the driver who has not: what these do cannot be learnt by heart.

    Parameters
    ----------
    task : Manoeuvre
    model : Model
        The vehicle, at the speed of the manoeuvre.
    y0 : array
        Its initial state.
    """
    if not isinstance(task, DoubleLaneChange) or not task.is_planned or model.system.controllers:
        return task
    way: Floats = np.asarray(GRID * np.arange(COUNT) - AHEAD, dtype=np.float64)
    omega = np.asarray(2.0 * math.pi * np.fft.rfftfreq(COUNT, GRID) * task.speed, dtype=np.float64)
    response = lateral_response(model, y0, omega)
    path: Any = task.path
    ends = task.gates[-1].end
    fade = np.clip((ends + BEHIND - way) / BEHIND, 0.0, 1.0) * (way > 0.0)
    wanted = np.array([task.speed**2 * path.bend(x) for x in way.tolist()])
    first = np.fft.rfft(wanted) / response.acceleration
    steering, yaw_rate = (np.fft.irfft(part, COUNT) for part in (first, first * response.yaw_rate))
    low_pass = 1.0 / (1.0 + (omega / HIGHEST) ** 4)
    best, least = None, -math.inf
    for _ in range(ROUNDS):
        heart = learnt(way, steering, yaw_rate, ends)
        driven = drive(task, heart, model, y0)
        if driven is None:
            break
        room = spared(task, driven)
        if room > least:
            best, least = heart, room
        error = np.array([path.y_ref(x) for x in way.tolist()]) - np.interp(way, driven.x, driven.y)
        missing = -(omega**2) * np.fft.rfft(error * fade) * low_pass
        total = np.interp(way, driven.x, driven.steering, left=0.0, right=0.0)
        steering = (total + GAIN * np.fft.irfft(missing / response.acceleration, COUNT)) * fade
        yaw_rate = np.interp(way, driven.x, driven.yaw_rate, left=0.0, right=0.0)
    if best is None:
        return task
    known = copy.copy(task)
    known.practised = best
    return known


def learnt(way: Floats, steering: Floats, yaw_rate: Floats, ends: float) -> Practised:
    """Tables over the way, up to behind the last gate."""
    x = np.arange(0.0, ends + BEHIND + KNOTS, KNOTS)
    tables = [
        TorqueTable(tuple(x.tolist()), tuple(np.interp(x, way, part).tolist()))
        for part in (steering, yaw_rate)
    ]
    return Practised(*tables)


def lateral_response(model: Model, y0: Floats, omega: Floats) -> Response:
    """G(jω) by differences of the compiled model, of what does not just count up."""
    names = [entry.name for entry in (*model.layout.q, *model.layout.v, *model.layout.x)]
    u = model.u0.copy()
    k_steering = [entry.name for entry in model.layout.u].index("steering")

    def rates(y: Floats, steering: float = 0.0) -> Floats:
        u[k_steering] = steering
        return model.dynamics(y, u)[0].copy()

    kept = [
        k
        for k, name in enumerate(names)
        if name not in ("chassis.x", "chassis.qw") and not name.endswith(".wheel")
    ]
    A = np.empty((len(kept), len(kept)))
    for column, k in enumerate(kept):
        h = np.zeros(len(y0))
        h[k] = DIFFERENCE * max(1.0, abs(y0[k]))
        A[:, column] = ((rates(y0 + h) - rates(y0 - h)) / (2.0 * h[k]))[kept]
    B = ((rates(y0, DIFFERENCE) - rates(y0, -DIFFERENCE)) / (2.0 * DIFFERENCE))[kept]
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
    return Response(acceleration, yaw_rate)


def drive(task: DoubleLaneChange, heart: Practised, model: Model, y0: Floats) -> Round | None:
    """A round with what is known by heart; None if it goes wrong."""
    names = [entry.name for entry in (*model.layout.q, *model.layout.v, *model.layout.x)]
    given = [entry.name for entry in model.layout.u]
    x, y, qw, qz = (names.index(f"chassis.{name}") for name in ("x", "y", "qw", "qz"))
    pedals = [given.index(name) for name in ("steering", "throttle", "brake")]
    p, path = task.driver, task.path
    assert isinstance(path, LateralPath)
    ends = task.gates[-1].end + BEHIND
    way = np.arange(-1.0, ends + 2.0 * BEHIND, GRID)
    places = np.array([path.y_ref(at) for at in way.tolist()])
    slopes = np.array([path.slope(at) for at in way.tolist()])
    u, rows, state = model.u0.copy(), [], y0.copy()
    rate = model.dynamics(state, u)[0].copy()
    while state[x] < ends:
        at, speed = state[x], math.hypot(rate[x], rate[y])
        course = math.atan2(rate[y], rate[x])
        slope = float(np.interp(at, way, slopes))
        offset = (state[y] - float(np.interp(at, way, places))) / math.sqrt(1.0 + slope * slope)
        preview = max(p.preview_time * speed, p.min_preview)
        curvature = -2.0 * p.aim_gain * (offset + preview * (course - math.atan(slope))) / preview**2
        yaw = 2.0 * math.atan2(state[qz], state[qw])
        yaw_rate = 2.0 * (state[qw] * rate[qz] - state[qz] * rate[qw])
        angle = curvature * (p.wheelbase + p.understeer * speed * speed)
        angle += p.yaw_damping * (np.interp(at, heart.yaw_rate.x, heart.yaw_rate.y) - yaw_rate)
        known = np.interp(at, heart.steering.x, heart.steering.y)
        steering = min(max(known + angle / p.max_wheel_angle, -1.0), 1.0)
        u[pedals] = (steering, *hold_speed(p, task.speed, {"vx": speed}))
        rows.append((at, state[y], yaw, yaw_rate, steering))
        k1 = model.dynamics(state, u)[0].copy()
        k2 = model.dynamics(state + 0.5 * STEP * k1, u)[0].copy()
        k3 = model.dynamics(state + 0.5 * STEP * k2, u)[0].copy()
        rate = model.dynamics(state + STEP * k3, u)[0].copy()
        state = state + STEP / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rate)
        if not np.all(np.isfinite(state)) or len(rows) * STEP > 2.0 * ends / task.speed:
            return None
    return Round(*np.array(rows).T)


def spared(task: DoubleLaneChange, driven: Round) -> float:
    """Least distance of the flanks, at both axles, from the cones [m]."""
    half, width = 0.5 * task.driver.wheelbase, task.values["vehicle_width"]
    centre = np.stack((driven.x, driven.y), axis=1)
    ahead = np.stack((np.cos(driven.yaw), np.sin(driven.yaw)), axis=1)
    left = np.stack((-ahead[:, 1], ahead[:, 0]), axis=1)
    return clearance(
        [AxlePath(centre + side * half * ahead, left) for side in (1.0, -1.0)], width, task.gates
    )
