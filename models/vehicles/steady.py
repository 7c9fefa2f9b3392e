"""Steady driving of vehicles: straight on, on a circle, and the steering that it takes."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.newton import differences
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.steady_state import SteadyState, steady_state
from ce_dynamics.compiled.trim import trim_with_inputs
from ce_dynamics.errors import AssemblyError, ModelError
from ce_dynamics.mechanism.drives import SecondOrderActuator
from ce_dynamics.models.vehicles.equilibrium import (
    rolling_states,
    settle,
    suspension_coordinates,
    wheel_rates,
)
from ce_dynamics.models.vehicles.standing import UPRIGHT, UPRIGHT_RATES
from ce_dynamics.models.vehicles.trailers import unheld_coordinates

ASIDE = "chassis.vy", "chassis.wz"
PULLED = 0.01
"""Acceleration aside [m/s²], and in yaw [rad/s²], of a vehicle that its driver need not hold straight.

With 2/d² of the distance aside as the driver's curvature and d = 1 s of speed, it leaves him 5 mm aside."""
PEDAL = 0.1
"""Brake pedal at which wheels roll on friction 0.3, too.

At 0.4 a wound-up beam pulls by as much per pedal, within 3 %."""
THROTTLE = 0.2
"""From which the search for a steady one starts."""
DIFFERENCE = 1e-6
"""Step of states and inputs [SI] in slopes: rounding of rates, 1e-16 of 1e4, then is 1e-6 of a unit."""


def straighten(model: Model, y: Floats, u: Floats) -> tuple[Floats, float]:
    """Return the settled state of a vehicle that runs straight on, and the steering input that keeps it so.

    A drag link that a beam pulls, a banked road or a torque of the driveline leads a vehicle aside whose
    steering is held.  Found are the steering and the heading at which it neither yaws nor moves sideways.
    State and steering are as given if it accelerates aside by less than `PULLED`, or if no steering holds it.
    """
    names, steering = model.layout.y_names, [entry.name for entry in model.layout.u].index("steering")
    rates = model.dynamics(y, u)[0][[names.index(name) for name in ASIDE]]
    if np.abs(rates).max() < PULLED:
        return y, float(u[steering])
    own, rolling, led = suspension_coordinates(model), rolling_states(model), find_steering_states(model)
    try:
        found, given = trim_with_inputs(
            model,
            change=[*UPRIGHT, "chassis.qz", *own.positions, *rolling, *(f"{each}position" for each in led)],
            inputs=["steering"],
            still=[*UPRIGHT_RATES, *ASIDE, *own.rates, *rolling, *(f"{each}rate" for each in led)],
            y=y,
            u=u,
        )
    except AssemblyError:
        return y, float(u[steering])
    return found, float(given[steering])


def find_pull(model: Model, y: Floats, u: Floats) -> float:
    """Return the steering per brake pedal that keeps a vehicle straight which already runs straight on.

    Brakes wind up a beam on leaf springs, whose drag link then steers it: in proportion to the pedal.
    """
    names, braked = [entry.name for entry in model.layout.u], u.copy()
    braked[[names.index(name) for name in ("throttle", "brake")]] = 0.0, PEDAL
    steering = names.index("steering")
    return (straighten(model, y, braked)[1] - float(u[steering])) / PEDAL


def find_steering_states(model: Model) -> list[str]:
    """Return beginnings of the names of states by which actuators follow the steering."""
    return [
        f"{name}.motion."
        for name, motion in model.system.prescribed.items()
        if isinstance(motion, SecondOrderActuator) and motion.inputs == ("steering",)
    ]


def yaw_gain(model: Model, y: Floats, u: Floats) -> float:
    """Return the steady yaw rate per steering input of a rolling vehicle [rad/s], to the first order.

    With r the rates of attitude, suspensions, wheels, trailers and of the motion aside, the last less v ψ̇,
    and z what these depend on: ∂r/∂z dz = −∂r/∂u du.  The forward speed v is held.
    """
    own, led = suspension_coordinates(model), find_steering_states(model)
    states, towed = model.layout.y_names, unheld_coordinates(model.system)
    turned = [entry.name for entry in model.layout.q if entry.name in towed]
    turning = [entry.name for entry in model.layout.v if entry.name in towed]
    rolling = rolling_states(model)
    change = [*ASIDE, *UPRIGHT, *own.positions, *turned, *rolling, *(f"{each}position" for each in led)]
    still = [*ASIDE, *UPRIGHT_RATES, *own.rates, *turning, *rolling, *(f"{each}rate" for each in led)]
    rows, columns = ([states.index(name) for name in names] for names in (still, change))
    steering = [entry.name for entry in model.layout.u].index("steering")
    aside, yaw, speed = (states.index(name) for name in (*ASIDE, "chassis.vx"))

    def residual(y: Floats, u: Floats) -> Floats:
        rates = model.dynamics(y, u)[0].copy()
        rates[aside] -= y[speed] * y[yaw]
        return np.asarray(rates[rows])

    def residual_at(z: Floats) -> Floats:
        state, inputs = y.copy(), u.copy()
        state[columns], inputs[steering] = z[:-1], z[-1]
        return residual(state, inputs)

    slopes = differences(residual_at, np.append(y[columns], u[steering]), DIFFERENCE, central=True)
    found = np.linalg.lstsq(slopes[:, :-1], -slopes[:, -1], rcond=None)[0]
    return float(found[change.index("chassis.wz")])


def steady(model: Model, speed: float, radius: float | None = None) -> SteadyState:
    """Return driving straight on or on a circle, with the throttle and the steering that it takes.

    The model is the full vehicle on an even road, built with a speed (``hmmwv.build(speed=...)``).  The
    ``speed`` is that of the chassis' reference point [m/s], the ``radius`` that of its path [m], positive to
    the left; straight on if None.  `ModelError` if the model was built at rest; `AssemblyError` if the
    vehicle cannot do it: too fast for the engine, or for the friction of the road.

    Examples
    --------
    ``hmmwv.steady(model, speed=15.0, radius=60.0).inputs``
    """
    checks.instance("model", model, Model, "a compiled vehicle (ce_dynamics.compile)")
    checks.number("speed", speed, above=0.0, unit="m/s")
    if radius is not None and checks.number("radius", radius, unit="m") == 0.0:
        raise ModelError("radius 0 m must not be zero; None is straight on")
    names = model.layout.y_names
    if "chassis.vx" not in names:
        raise ModelError(
            f"model {model.system.name!r} is no vehicle: it has no body 'chassis' that moves freely"
        )
    built = model.y0[names.index("chassis.vx")]
    if not built > 0.0:
        raise ModelError(
            "the vehicle was built at rest, with wheels that do not roll; build it with speed=..."
        )
    y = settle(model)
    rolling = [names.index(name) for name in ("chassis.vx", *wheel_rates(model))]
    y[rolling] *= speed / built
    u = model.inputs_with(inputs={"throttle": THROTTLE})
    straight = steady_state(model, {"speed": speed}, ["throttle"], y, u)
    if radius is None:
        return straight
    targets = {"speed": speed, "yaw_rate": speed / radius}
    return steady_state(model, targets, ["throttle", "steering"], straight.y, straight.u)
