"""The state a run starts from: the vehicle settled on its springs and tyres."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.steady_state import SteadyState, steady_state
from ce_dynamics.compiled.trim import trim
from ce_dynamics.errors import AssemblyError, ModelError

THROTTLE = 0.2
"""From which the search for a steady one starts."""


class Coordinates(NamedTuple):
    """Names of the coordinates of the suspensions and of their rates, one after the other."""

    positions: tuple[str, ...]
    rates: tuple[str, ...]


def suspension_coordinates(model: Model) -> Coordinates:
    """What is left when the chassis stands and the wheels do not turn."""
    mine = [
        [entry.name for entry in entries if not entry.name.startswith("chassis.")]
        for entries in (model.layout.q, model.layout.v)
    ]
    turning = {f"{name}.{what}" for name in corners(model) for what in ("wheel", "wheel_rate")}
    positions, rates = (tuple(name for name in names if name not in turning) for names in mine)
    return Coordinates(positions, rates)


def corners(model: Model) -> tuple[str, ...]:
    """Names of the corners."""
    return tuple(model.system.groups["corner"])


def wheel_rates(model: Model) -> tuple[str, ...]:
    """Names of the wheels' speeds."""
    return tuple(f"{name}.wheel_rate" for name in corners(model))


def rolling_states(model: Model) -> tuple[str, ...]:
    """Names of what is constant when the vehicle rolls steadily: wheels' speeds and tyres' deflections."""
    deflections = (entry.name for entry in model.layout.x if ".tyre." in entry.name)
    return (*wheel_rates(model), *deflections)


def turning_states(model: Model) -> tuple[str, ...]:
    """Names of what turns before the wheels; none where the powertrain has no states."""
    turning = {f"driveline.{state}" for state in ("engine_speed", "shaft_speed", "windup")}
    return tuple(entry.name for entry in model.layout.x if entry.name in turning)


def settled(model: Model, u: Floats | None = None) -> Floats:
    """The initial state with the vehicle at its ride height, rolling steadily if it rolls.

    Found are heave, roll and pitch and the arms' angles at which their accelerations vanish; if the vehicle
    rolls, also the wheels' speeds and tyres' deflections at which theirs do.  Speed, position and heading
    stay.  An engine with a state of its own then turns steadily at the given pedals; where it cannot
    (creeping at walking pace), it starts as fast as gears and wheels turn it.  On a road too slippery to turn
    the wheels against rolling resistance and the drag of the engine they slide steadily, hardly turning.  (At
    rest the deflections of the tyres stay as they are: any of them is in equilibrium.)

    Parameters
    ----------
    model : Model
        The full vehicle.
    u : array, optional
        Inputs; the defaults if not given.

    Raises
    ------
    AssemblyError
        If there is no such state, for instance because a spring is too soft to carry the vehicle.
    """
    speed = model.y0[state_names(model).index("chassis.vx")]
    rolling = rolling_states(model) if speed > 0.0 else ()
    turning = turning_states(model) if rolling else ()
    for still in dict.fromkeys(((*rolling, *turning), rolling)):
        with contextlib.suppress(AssemblyError):
            return settled_state(model, u, still)
    try:
        standing = settled_state(model, u, ())
    except AssemblyError as error:
        raise AssemblyError(
            "the vehicle finds no equilibrium on its springs and tyres near its design position; "
            "check masses, spring and tyre.cz"
        ) from error
    try:
        return sliding(model, u, rolling, standing)
    except AssemblyError as error:
        raise AssemblyError(
            "the vehicle stands on its springs and tyres, but its wheels find no steady rolling at "
            f"{speed:.3g} m/s, nor do they slide steadily; check the tyres and road.friction "
            "or start at rest"
        ) from error


def settled_state(
    model: Model, u: Floats | None, rolling: Sequence[str], start: Floats | None = None
) -> Floats:
    """The state at which heave, roll, pitch, arms and what rolls have no accelerations."""
    own = suspension_coordinates(model)
    return trim(
        model,
        change=["chassis.z", "chassis.qx", "chassis.qy", *own.positions, *rolling],
        still=["chassis.vz", "chassis.wx", "chassis.wy", *own.rates, *rolling],
        y=start,
        u=u,
    )


def sliding(model: Model, u: Floats | None, rolling: Sequence[str], standing: Floats) -> Floats:
    """Wheels that the road turns against the engine's drag and rolling resistance only while they slide.

    They hardly turn then, so the search begins with wheels that do not.
    """
    start = standing.copy()
    names = state_names(model)
    start[[names.index(name) for name in wheel_rates(model)]] = 0.0
    return settled_state(model, u, rolling, start)


def state_names(model: Model) -> list[str]:
    """Names of the entries of y."""
    return [entry.name for entry in (*model.layout.q, *model.layout.v, *model.layout.x)]


def steady(model: Model, speed: float, radius: float | None = None) -> SteadyState:
    """Driving straight on or on a circle, with the throttle and the steering that it takes.

    Parameters
    ----------
    model : Model
        The full vehicle on an even road, built with a speed (``hmmwv.build(speed=...)``).
    speed : float
        Of the chassis' reference point [m/s].
    radius : float, optional
        Of that point's path [m], positive to the left; straight on if not given.

    Returns
    -------
    SteadyState
        With the inputs ``throttle`` and, on a circle, ``steering``.

    Raises
    ------
    ModelError
        If the model was built at rest, or a number is not positive (speed) or zero (radius).
    AssemblyError
        If the vehicle cannot do it: too fast for the engine, or for the friction of the road.

    Examples
    --------
    ``hmmwv.steady(model, speed=15.0, radius=60.0).inputs``
    """
    if not (np.isfinite(speed) and speed > 0.0):
        raise ModelError(f"speed {speed!r} must be positive")
    if radius is not None and not (np.isfinite(radius) and radius != 0.0):
        raise ModelError(f"radius {radius!r} must be a finite number other than zero; None is straight on")
    names = state_names(model)
    built = model.y0[names.index("chassis.vx")]
    if not built > 0.0:
        raise ModelError(
            "the vehicle was built at rest, with wheels that do not roll; build it with speed=..."
        )
    y = settled(model)
    rolling = [names.index(name) for name in ("chassis.vx", *wheel_rates(model))]
    y[rolling] *= speed / built
    u = model.inputs_with(inputs={"throttle": THROTTLE})
    straight = steady_state(model, {"speed": speed}, ["throttle"], y, u)
    if radius is None:
        return straight
    targets = {"speed": speed, "yaw_rate": speed / radius}
    return steady_state(model, targets, ["throttle", "steering"], straight.y, straight.u)
