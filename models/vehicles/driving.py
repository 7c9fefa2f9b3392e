"""Manoeuvres with a driver model that has the vehicle's data."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.newton import differences
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import check_number, find_option, si_value
from ce_dynamics.models.parts.backing import BackedTrailer, Train
from ce_dynamics.models.parts.driver import Driver, SteeringResponse, preview
from ce_dynamics.models.parts.manoeuvres import MANOEUVRES, DoubleLaneChange, Manoeuvre, Reversing
from ce_dynamics.models.parts.paths import Gate
from ce_dynamics.models.powertrain.manual import GEAR
from ce_dynamics.models.tyres.contract import TyreAnswer, TyreModel, WheelOnRoad
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.steering.base import position_of, rate_of
from ce_dynamics.models.vehicles.steering_angle import (
    first_steered,
    full_turn,
    max_wheel_angle,
    steering_wheel_lock,
)
from ce_dynamics.models.vehicles.trailers import FOLDING, FOLDING_STEERING, STRAIGHT
from ce_dynamics.models.vehicles.tyre_kinds import model_of

BACKWARDS = ("selector", "gear", "clutch")
"""Inputs of powertrains that have a reverse gear."""
ARMS_LAG = 0.1
"""Lag of the arms of a person [s]: neuromuscular natural frequency 20 rad/s, as McRuer's.

Of a slow actuator it is 4 ζ/ω or more, for which (D1) needs no more than full lock on its way there."""
QUICKEST = 4.0 * math.pi
"""Rate at which a person turns a steering wheel [rad/s]: 720°/s, that of the fishhook of NHTSA."""
LEAST_SHARE = 0.02
"""Part of the weight that an axle carries at least, by which the stiffness of its tyres is taken."""
ROLLING, SLIDING, DEFLECTED = 20.0, 1e-3, 1e-6
"""Speed of a tyre [m/s], and changes of v_y [m/s] and of deflections [m] by which it is linear."""
TINY = 1e-9
"""A preview that any other exceeds [m]."""
ROUNDS = 8
"""Corrections of a tyre's deflection, each by the ratio of the loads."""


def make_manoeuvre(
    name: str,
    options: Mapping[str, float | str] | None = None,
    parameters: VehicleParameters | None = None,
) -> Manoeuvre:
    """Return a manoeuvre of `MANOEUVRES` by name, with the driver model of a vehicle; the HMMWV if None.

    Options are numbers in SI or text with a unit; ``friction`` and ``vehicle_width`` are the data's unless
    given.

    Examples
    --------
    >>> make_manoeuvre("step-steer", {"speed": "54 km/h", "steer": 0.1}).speed
    15.0
    """
    checks.text("manoeuvre", name, DataError)
    if name not in MANOEUVRES:
        raise DataError(f"unknown manoeuvre {checks.show(name)}{checks.known_are(name, MANOEUVRES)}")
    kind = MANOEUVRES[name]
    data = VehicleParameters.load() if parameters is None else parameters
    driver = driver_parameters(data, backing=kind is Reversing)
    if kind is Reversing and not driver.reverse:
        raise DataError(
            f"{name}: the powertrain of {data.name}, of the kind {data.layout.powertrain!r}, has no reverse "
            "gear; choose another vehicle, for example sedan, or write powertrain: {kind: automatic}"
        )
    values = {"friction": data.road.friction}
    if "vehicle_width" in {option.name for option in kind.options}:
        values["vehicle_width"] = data.data.vehicle.width
    for option, value in (options or {}).items():
        unit = find_option(name, kind.options, option).unit
        values[option] = option_value(f"{name}: {option}", value, unit, data)
    return kind(driver, **values)


def option_value(owner: str, value: float | str, unit: str, data: VehicleParameters) -> float:
    """Return an option in SI; ``steer`` is read by `part_of_lock`."""
    return part_of_lock(owner, value, data) if owner.endswith(": steer") else si_value(owner, value, unit)


def part_of_lock(owner: str, value: float | str, data: VehicleParameters) -> float:
    """Return a steering input given as part of full lock, or as a steering-wheel angle such as '90 deg'."""
    if isinstance(value, str):
        try:
            si_value(owner, value, "1")
        except DataError:  # no plain number
            with contextlib.suppress(DataError):
                return si_value(owner, value, "rad") / steering_wheel_lock(data)
    return si_value(owner, value, "1")


def most_steering(owner: str, value: float | str, data: VehicleParameters) -> float:
    """Return the steering input, above 0 and at most 1, up to which a vehicle may be steered."""
    return check_number(
        owner, "steering", part_of_lock(owner, value, data), above=0.0, at_most=1.0, unit="of full lock"
    )


def double_lane_change(speed: float | str = 12.0, **options: float | str) -> Manoeuvre:
    """Return the ISO 3888-1 double lane change at a speed [m/s], with options of `DoubleLaneChange`."""
    return make_manoeuvre(DoubleLaneChange.name, {"speed": speed, **options})


def driver_parameters(parameters: VehicleParameters, backing: bool = False) -> Driver:
    """Return a driver model with this vehicle's wheelbase and steering and, to back it up, its trailers."""
    train = None
    if backing:
        train = train_of(parameters)
    response, understeer = steering_response(parameters)
    data, damping = parameters.driver, yaw_damping(response, parameters.wheelbase)
    driver = Driver(
        data,
        wheelbase=parameters.wheelbase,
        max_wheel_angle=max_wheel_angle(parameters),
        understeer=understeer if data.understeer is None else data.understeer,
        yaw_damping=damping if data.yaw_damping is None else data.yaw_damping,
        reverse=tuple(name for name in BACKWARDS if name in parameters.powertrain.inputs),
        shifts=GEAR not in parameters.powertrain.inputs
        or (parameters.assistance is not None and parameters.assistance.shifting is not None),
        train=train,
        response=response,
    )
    if "min_preview" in data.model_fields_set:
        # the others grow with the speed
        tiny = replace(driver, data=data.model_copy(update={"min_preview": TINY}))
        least = float(nominal(preview(tiny, 0.0)))
        if nominal(data.min_preview) <= least:
            raise DataError(
                f"{parameters.label}: driver.min_preview: {nominal(data.min_preview):g} m has no effect, "
                f"since the driver looks {least:.3g} m ahead at rest; give more, or leave it out"
            )
    return driver


def yaw_damping(response: SteeringResponse, wheelbase: float) -> float:
    """Return wheel angle per yaw rate that arms can give, with a phase margin of 40° [s].

    The yaw rate is v/(L (1 + s τ)) of the wheel angle with τ = `yaw_lag` v.  Where the gain k v/L is above 1
    the open loop with the arms (D1) is about k/(`yaw_lag` L s (1 + s T/2)²), whatever the understeer.  Its
    phase is −90° − 2 arctan(ω T/2), which leaves 40° at ω T/2 = tan(25°), and there its gain is to be 1.
    """
    if not response.lag:
        return 0.0
    phase = math.radians(25.0)
    return 2.0 * math.tan(phase) / (math.cos(phase) ** 2 * response.lag) * response.yaw_lag * wheelbase


def steering_response(parameters: VehicleParameters) -> tuple[SteeringResponse, float]:
    """Return the arms of a person at this vehicle's steering, its answer to them and its understeer gradient.

    By the single-track model: with the cornering stiffness C_i of the axles at x_i from the mass centre and
    c_k = Σ x_i^k C_i, the yaw rate of a neutral vehicle lags the steering by v (J c_0 + m c_2)/(c_0 c_2 −
    c_1²); its understeer gradient is −m c_1 L/(c_0 c_2 − c_1²).  Numbers are the nominal ones, loads of the
    axles those of a rigid body on equal springs.
    """
    layout = parameters.layout
    led: Any  # a mechanism, or the hitch that folds the vehicle
    if parameters.steerings:
        name = parameters.mechanism_of(first_steered(parameters)[0].name)
        led = parameters.steerings[name]
    else:
        name = FOLDING_STEERING
        led = parameters.trailers[layout.folding[0]].hitch
    column = getattr(led, "column", None)
    if column is None:
        omega = float(nominal(2.0 * math.pi * led.actuator.natural_frequency))
        zeta = float(nominal(led.actuator.damping_ratio))
        lag = max(ARMS_LAG, 4.0 * zeta / omega)
    else:  # whose hands are a spring and a damper of their own
        omega = zeta = 0.0
        lag = float(nominal((column.hands.damping + column.damping) / column.hands.stiffness))
    bodies = parameters.bodies(layout.own_axles, layout.folding)
    masses, moments = (
        np.array([float(nominal(one)) for one in each])
        for each in ([body.mass for body in bodies], [body.inertia[2, 2] for body in bodies])
    )
    places = np.array([nominal(body.com).astype(float) for body in bodies])
    m = float(masses.sum())
    centre = float(masses @ places[:, 0]) / m
    J = float((moments + masses * ((places[:, 0] - centre) ** 2 + places[:, 1] ** 2)).sum())
    own = [parameters.corners[axle.corners[0]] for axle in layout.own_axles]
    x = np.array([float(nominal(corner.W[0])) for corner in own]) - centre
    apart = x - x.mean()
    shares = 1.0 / len(x) - x.mean() * apart / float(apart @ apart)
    g = float(-nominal(parameters.gravity)[2])
    mu = float(nominal(parameters.road.friction))
    loads = 0.5 * m * g * np.maximum(shares, LEAST_SHARE)
    tyres = [model_of(corner.tyre, corner.side) for corner in own]
    C, sigma = np.array([side_stiffness(*each, mu) for each in zip(tyres, loads.tolist(), strict=True)]).T
    c_0, c_1, c_2 = (float(2.0 * C @ x**k) for k in range(3))
    wheelbase, stiff = float(nominal(parameters.wheelbase)), c_0 * c_2 - c_1 * c_1
    response = SteeringResponse(
        position=position_of(name),
        position_rate=rate_of(name),
        lag=lag,
        omega=omega,
        zeta=zeta,
        rate=QUICKEST / float(nominal(full_turn(parameters))),
        arm=wheelbase - centre - float(x[0]),
        relaxation=float(sigma @ C / C.sum()),
        yaw_lag=(J * c_0 + m * c_2) / stiff,
    )
    return response, -m * c_1 * wheelbase / stiff


def side_stiffness(tyre: TyreModel, load: float, friction: float) -> tuple[float, float]:
    """Return the cornering stiffness [N/rad] and relaxation length [m] of a rolling tyre.

    ẋ = J x + b v_y, F_y = c x + d v_y, by differences of the model: G(s) = d + c (s I − J)⁻¹ b is
    G(0) (1 − s T) at low frequencies, and the stiffness −v G(0), the length v T.
    """

    def answer(deflection: float, spin: float, v_y: float, x: Floats) -> TyreAnswer:
        radius = tyre.unloaded_radius - deflection
        wheel = WheelOnRoad(radius, 0.0, ROLLING, v_y, spin, 0.0, 0.0, friction, (ROLLING, v_y, 0.0))
        return tyre.evaluate(wheel, x)

    n = len(tyre.states)
    deflection, spin, rest = 0.02 * tyre.unloaded_radius, ROLLING / tyre.unloaded_radius, np.zeros(n)
    for _ in range(ROUNDS):
        found = answer(deflection, spin, 0.0, rest)
        deflection *= load / float(nominal(found.Fz))
        spin *= ROLLING / float(nominal(found.rolling_speed))

    def respond(z: Floats) -> Floats:
        """Return ẋ and F_y at a v_y and states."""
        found = answer(deflection, spin, z[0], z[1:])
        return np.asarray(nominal(np.array([*found.x_dot, found.Fy])), dtype=float)

    sizes = np.array([SLIDING, *(DEFLECTED,) * n])
    slopes = differences(respond, np.zeros(n + 1), sizes, central=True)
    column, by_state = slopes[:, 0], slopes[:, 1:]
    inverse = np.linalg.pinv(by_state[:n])
    settled = -inverse @ column[:n]
    gain = column[n] + by_state[n] @ settled
    return -ROLLING * gain, -ROLLING * (by_state[n] @ (inverse @ settled)) / gain


MOST = 2
"""Trailers, one behind the other: with more of them small errors take more than full lock."""


def train_of(parameters: VehicleParameters) -> Train | None:
    """Return places of hitches and axles in design position; None if no trailer turns behind the vehicle."""
    layout = parameters.layout
    turning = [one for one in layout.trailers if one.hitch not in STRAIGHT]
    if not turning:
        return None
    folded = turning[0].hitch in FOLDING
    wrong = f"reverse: {parameters.name}: "
    ahead: str | None = None
    for k, one in enumerate(turning):
        steered = [axle.name for axle in layout.axles_of(one.name) if axle.steering is not None]
        if k == MOST or (folded and k):
            most = "nothing behind a vehicle that folds" if folded else f"at most {MOST} trailers"
            raise DataError(f"{wrong}the driver backs up {most}; leave trailers.{one.name} and its axles out")
        if one.behind != ahead:
            raise DataError(
                f"{wrong}{one.name} is coupled to {one.behind or 'the vehicle'}, and the driver backs up "
                f"trailers that turn one behind the other only; leave trailers.{one.name} and its axles out"
            )
        if steered:
            raise DataError(
                f"{wrong}{steered[0]} of {one.name} is steered, and the driver backs up trailers only whose "
                f"axles are not; write axles: {{{steered[0]}: {{steering: none}}}}"
            )
        ahead = one.name
    front = parameters.corners[layout.axles_of(None)[0].corners[0]].W[0]
    rear = middle(parameters, None) if folded else front - parameters.wheelbase
    towed, x = [], rear
    for one in turning:
        hitch, axle = parameters.trailers[one.name].at[0], middle(parameters, one.name)
        if not nominal(hitch - axle) > 0.0:
            raise DataError(
                f"{wrong}the axles of {one.name} are {nominal(axle - hitch):.3g} m ahead of its hitch, which "
                "no driver can back up; put their origin behind it (x below 0)"
            )
        towed.append(BackedTrailer(one.name, x - hitch, hitch - axle))
        x = axle
    return Train(rear, tuple(towed), folded)


def middle(parameters: VehicleParameters, trailer: str | None) -> Scalar:
    """Return the mean x of the axles of a trailer, or of the vehicle itself [m]."""
    axles = parameters.layout.axles_of(trailer)
    return sum(parameters.corners[axle.corners[0]].W[0] for axle in axles) / len(axles)


class AxlePath(NamedTuple):
    """Path of an axle: its middle (n, 2) [m] and the unit vector along it, to the left (n, 2)."""

    centre: Floats
    left: Floats

    @classmethod
    def between(cls, left: Floats, right: Floats) -> AxlePath:
        """Return the path of an axle from those of its wheels, (n, 2) each.

        A trailer's axle has its own heading.
        """
        along = left - right
        return cls(0.5 * (left + right), along / np.linalg.norm(along, axis=1, keepdims=True))


def clearance(axles: Sequence[AxlePath], width: float, gates: Sequence[Gate]) -> float:
    """Return the least distance of the vehicle's flanks, at its axles, from the cones of the gates [m].

    Negative where cones fall; NaN as long as no gate has been reached.
    """
    least = math.nan
    for centre, left in axles:
        for gate in gates:
            for side in (centre + 0.5 * width * left, centre - 0.5 * width * left):
                y = side[(side[:, 0] >= gate.start) & (side[:, 0] <= gate.end), 1]
                if y.size:
                    least = float(np.fmin(least, min(gate.left - y.max(), y.min() - gate.right)))
    return least
