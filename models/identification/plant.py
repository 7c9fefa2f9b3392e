"""Models to be fitted, as traceable functions: vehicles with sensors and followers of recordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, cos, sin, where
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.derivatives import QuantityRows
from ce_dynamics.compiled.model import Model, compile as compile_model
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError, SimulationError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, PointLoad, Response
from ce_dynamics.mechanism.parameters import Parameter
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.schema import leaves
from ce_dynamics.models.identification.recording import Channel, Recording
from ce_dynamics.models.identification.tables import FUNCTIONS, evaluate_formula, names_in
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.sensors import Reference
from ce_dynamics.models.vehicles.steering_angle import mean_wheel_angle, steering_wheel_lock
from ce_dynamics.simulation.results import states_and_inputs
from ce_dynamics.simulation.simulate import simulate

FOLLOWING = 10.0
"""Gain of the force with which a vehicle follows a recorded speed, per mass [1/s]: it lags 0.1 s behind."""
BRAKED = (0.3, 0.2)
"""Parts of a braking force of the follower on a front and a rear wheel: 60 % in front."""
PLACED = {"vx": ("velocity", 0), "vy": ("velocity", 1), "ax": ("acceleration", 0), "ay": ("acceleration", 1)}
"""Channels whose sensors have a position."""
ANGLES, QUICK = ("road_wheel_angle", "steering_wheel_angle"), 60.0
"""Recorded angles of the steering, and the natural frequency of an actuator that follows them [Hz].

It lags 5 ms behind, 2 ζ/ω at ζ = 1; Runge–Kutta steps of 5 ms are stable up to 88 Hz.
"""
START_SPEED, SETTLING = 15.0, 2.0
"""Speed [m/s] and time [s] of the run in which a vehicle settles on its springs before all others."""


@dataclass(frozen=True, eq=False)
class Plant:
    """A model to be fitted.

    Attributes
    ----------
    name : str
    states, inputs, parameters, outputs : tuple of str
    nominal : (p,) array
        Values of the parameters.
    units : mapping of str to str
        Of parameters and outputs.
    rate, read : callable
        ẏ and the outputs of y and u = [inputs; parameters]; traceable.
    start : callable
        The state at a speed [m/s].
    free_start : mapping of str to str
        States whose initial values a fit estimates, by the channel that measures them.
    defaults : (m,) array
        Values of inputs that are not recorded.
    from_channel : mapping
        By name of a recorded input: the model's input and a table (recorded, model's) to interpolate in; None
        where they are the same.
    """

    name: str
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    outputs: tuple[str, ...]
    nominal: Floats
    units: Mapping[str, str]
    rate: Callable[[Array, Array], Array]
    read: Callable[[Array, Array], Array]
    start: Callable[[float], Floats]
    free_start: Mapping[str, str]
    defaults: Floats
    from_channel: Mapping[str, tuple[str, tuple[Floats, Floats] | None]] = field(default_factory=dict)

    def components(self, name: str) -> list[int]:
        """Return the place of a parameter, or the places of those that ``name*`` is a factor of."""
        stem, factor = name.removesuffix("*"), name.endswith("*")
        return [
            k for k, p in enumerate(self.parameters) if p == stem or (factor and p.startswith(f"{stem}."))
        ]

    def direction_of(self, name: str) -> tuple[Floats, float]:
        """Return the derivative of the parameters by a number, and its value at which they are nominal."""
        plain, _, session = name.partition("@")
        places, factor = self.components(plain), plain.endswith("*")
        column = np.zeros(len(self.nominal))
        column[places] = self.nominal[places] if factor else 1.0
        return column, 1.0 if factor else 0.0 if session else float(self.nominal[places[0]])

    def check_reach(self, run: Recording, begin: float, end: float) -> None:
        """Refuse inputs beyond the reach of the model, which has no more than full lock."""
        inside = (run.time >= begin) & (run.time <= end)
        for name, (_, table) in self.from_channel.items():
            if table is None or name not in run.inputs:
                continue
            values, (low, high) = run.inputs[name].values[inside], (np.min(table[0]), np.max(table[0]))
            if (values < low).any() or (values > high).any():
                raise DataError(
                    f"{run.name}: {name} runs from {np.nanmin(values):.3g} to {np.nanmax(values):.3g} rad "
                    f"between {begin:.2f} and {end:.2f} s, that of the base vehicle from {low:.3g} "
                    f"to {high:.3g} rad: correct its unit or outliers, or the base vehicle"
                )


class SpeedFollower(ForceElement):
    """Torques of the wheels that make a vehicle follow a recorded speed, which is its input.

    The force m c (v_recorded − v) drives the driven wheels, or brakes all of them.
    """

    inputs = ("recorded_speed",)

    def __init__(
        self, reference: Reference, mass: Scalar, wheels: Sequence[tuple[Body, float, float, float]]
    ) -> None:
        self.name, self.reference, self.mass, self.wheels = "speed_follower", reference, mass, tuple(wheels)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return tuple((wheel, wheel.com) for wheel, *_ in self.wheels)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        force = FOLLOWING * self.mass * (u["recorded_speed"] - self.reference.velocity(observer, 0))
        loads = tuple(
            HingeLoad(wheel, 0, force * radius * where(force > 0.0, driven, braked))
            for wheel, radius, driven, braked in self.wheels
        )
        return Response(loads)


class Bank(ForceElement):
    """Gravity on a banked road, of a model whose road is level; its input is the bank, right side down."""

    inputs = ("bank",)

    def __init__(self, chassis: Body, at: Array, weight: Scalar, ground: Body) -> None:
        self.name, self.chassis, self.at, self.weight, self.ground = "bank", chassis, at, weight, ground

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.chassis, self.at),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        left, up = (observer.direction(self.chassis, axis, self.ground) for axis in np.eye(3)[1:])
        force = -self.weight * sin(u["bank"]) * left + self.weight * (1.0 - cos(u["bank"])) * up
        point = observer.point(self.chassis, self.at, self.ground)
        return Response((PointLoad(self.chassis, self.ground, point.r, force),))


@dataclass(frozen=True, eq=False)
class ChassisSensor(Reference):
    """A sensor on the chassis: its place from the chassis' origin [m], its turn to the left [rad]."""

    place: Array
    turn: Scalar

    def velocity(self, observer: Observer, k: int) -> Scalar:
        at = self.chassis.inboard.at + self.place
        return self.project_vector(observer, observer.point(self.chassis, at, self.ground).v, k)

    def acceleration(self, instant: Any, k: int) -> Scalar:
        at = self.chassis.inboard.at + self.place
        return self.project_vector(instant.outward, instant.acceleration(self.chassis, at), k)

    def project_vector(self, observer: Observer, vector: Array, k: int) -> Scalar:
        """Return the component along the forward (0) or left (1) axis of the sensor."""
        x, y = (self.horizontal(observer, vector, axis) for axis in (0, 1))
        c, s = cos(self.turn), sin(self.turn)
        return (x * c + y * s, y * c - x * s)[k]


def vehicle_plant(
    vehicle: str, free: Sequence[str], runs: Sequence[Recording], overrides: Sequence[str] = ()
) -> Plant:
    """Return a vehicle as what is fitted to runs.

    Parameters
    ----------
    vehicle : str
        A shipped vehicle or a data file.
    free : sequence of str
        Numbers of the data that are free.
    runs : sequence of Recording
        Their channels determine which inputs and outputs the vehicle needs.
    overrides : sequence of str
        As of `VehicleParameters.load`.
    """
    recorded = list(dict.fromkeys(name for run in runs for name in run.inputs))
    base = VehicleParameters.load(vehicle, overrides)
    if any(name in recorded for name in ANGLES):
        overrides = [*overrides, *quicken_steering(base)]
    data = VehicleParameters.load(vehicle, overrides, free=expand_names(base, free))
    wanted = {name: channel for run in runs for name, channel in run.outputs.items()}
    system = build(data, speed=START_SPEED)
    add_channels(system, data, recorded, {name: c for name, c in wanted.items() if c.position})
    model = compile_model(system)
    if model.layout.sampling.period:
        raise DataError(
            f"{data.label}: assistance: sampled controllers cannot be fitted; take them out of the file"
        )
    layout, m = model.layout, model.layout.n_inputs
    names = [entry.name for entry in (*layout.q, *layout.v, *layout.x, *model.output_entries)]
    sources = {name: f"{name}_sensor" if c.position else c.output for name, c in wanted.items()}
    used = dict.fromkeys(found for source in sources.values() for found in names_in(source, names))
    for name in used:
        checks.check_name(f"{data.label}: outputs", name, names, "channel", DataError)
    rows = QuantityRows(model, list(used))

    def read(y: Array, u: Array) -> Array:
        known = dict(zip(used, rows.quantities(y, u)["z"], strict=True))
        return array(evaluate_formula(f"outputs: {n}", s, known, FUNCTIONS) for n, s in sources.items())

    entries = [entry.name for entry in layout.u]
    parameters = tuple(entries[m:])
    return Plant(
        name=data.name,
        states=tuple(layout.y_names),
        inputs=tuple(entries[:m]),
        parameters=parameters,
        outputs=tuple(wanted),
        nominal=model.u0[m:].copy(),
        units={p.name: p.unit for p in layout.parameters} | {n: c.unit for n, c in wanted.items()},
        rate=lambda y, u: model.instant(y, u).y_dot,
        read=read,
        start=Started(model, settle_straight(model, "speed" in recorded)),
        free_start={"vy": "chassis.vy", "yaw_rate": "chassis.wz"},
        defaults=defaults(model, recorded),
        from_channel=laid_out(data, recorded, entries[:m]),
    )


def quicken_steering(data: VehicleParameters) -> list[str]:
    """Return overrides that take the lag from the steering: a recorded angle has come through it."""
    paths = [path for path in leaves(data.schema) if path[-2:] == ("actuator", "natural_frequency")]
    return [f"{'.'.join(path)}={QUICK} Hz" for path in paths if number_at(data, path) < QUICK]


def expand_names(data: VehicleParameters, free: Sequence[str]) -> list[str]:
    """Return names of single numbers; ``key*`` stands for all components of a number of several."""
    found: dict[str, None] = {}
    quantities = leaves(data.schema)
    for name in free:
        key = name.removesuffix("*")
        if key == name:
            found[key] = None
            continue
        _, paths = data.groups.expand(tuple(key.split(".")))
        quantity = quantities.get(paths[0])
        if quantity is None:
            raise DataError(f"free: {name}: {key!r} is no number of {data.label}")
        parts = quantity.components or (range(len(number_at(data, paths[0]))) if quantity.curve else ())
        found |= dict.fromkeys([f"{key}.{part}" for part in parts] or [key])
    return list(found)


def number_at(data: VehicleParameters, path: Sequence[str]) -> Any:
    """Return a number of the data."""
    value: Any = data.data
    for part in path:
        value = getattr(value, part)
    return value


def add_channels(
    system: System, data: VehicleParameters, recorded: Sequence[str], placed: Mapping[str, Channel]
) -> None:
    """Add what follows recorded speed and bank, and sensors with positions, which are free parameters."""
    chassis = system.find("chassis")
    if "speed" in recorded:
        system.add_input("recorded_speed", "m/s", START_SPEED)
        share = 1.0 / len(data.driven)
        last = data.layout.axles[0].corners
        wheels = [
            (
                system.find(f"{name}.wheel"),
                float(nominal(corner.tyre.unloaded_radius)),
                share if name in data.driven else 0.0,
                BRAKED[name not in last],
            )
            for name, corner in data.corners.items()
        ]
        system.add_force(SpeedFollower(Reference(chassis, system.ground), data.mass, wheels))
    if "bank" in recorded:
        system.add_input("bank", "rad")
        bodies = data.bodies(data.layout.axles, data.trailers)
        com = sum((b.mass * b.com for b in bodies), start=np.zeros(3)) * (1.0 / data.mass)
        system.add_force(Bank(chassis, com, -1.0 * data.mass * data.gravity[2], system.ground))
    for name, channel in placed.items():
        assert channel.position is not None, "that is what makes them placed"
        if channel.output not in PLACED:
            raise DataError(f"outputs: {name}: position has no effect; it is for {', '.join(PLACED)}")
        place = array(
            system.add_parameter(Parameter(f"channels.{name}.position.{axis}", value, "m"))
            for axis, value in zip("xyz", channel.position, strict=True)
        )
        turn = system.add_parameter(Parameter(f"channels.{name}.turn", 0.0, "rad"))
        sensor = ChassisSensor(chassis, system.ground, place, turn)
        kind, k = PLACED[channel.output]
        if kind == "velocity":
            system.add_output(f"{name}_sensor", channel.unit, partial(sensor.velocity, k=k))
        else:
            system.add_measurement(f"{name}_sensor", channel.unit, partial(sensor.acceleration, k=k))


def defaults(model: Model, recorded: Sequence[str]) -> Floats:
    """Return inputs that are not recorded: the gearbox in neutral where a speed is followed."""
    values = model.u0[: model.layout.n_inputs].copy()
    names = [entry.name for entry in model.layout.u]
    for neutral in ("selector", "gear"):
        if "speed" in recorded and neutral in names:
            values[names.index(neutral)] = 0.0
    return values


def laid_out(data: VehicleParameters, recorded: Sequence[str], inputs: Sequence[str]) -> dict[str, Any]:
    """Return the model's input for each recorded one, and the table that leads there."""
    found: dict[str, tuple[str, tuple[Floats, Floats] | None]] = {}
    for name in recorded:
        if name == "road_wheel_angle":
            commands = np.linspace(-1.0, 1.0, 41)
            angles = np.array([mean_wheel_angle(data, command) for command in commands.tolist()])
            found[name] = "steering", (angles, commands)
        elif name == "steering_wheel_angle":
            lock = steering_wheel_lock(data)
            found[name] = "steering", (np.array([-lock, lock]), np.array([-1.0, 1.0]))
        elif name == "speed":
            found[name] = "recorded_speed", None
        else:
            checks.check_name(f"{data.label}: inputs", name, list(inputs), "channel", DataError)
            found[name] = name, None
    return found


def settle_straight(model: Model, follows: bool) -> Floats:
    """Return the state of a vehicle that has settled on its springs, driving straight on."""
    names = [entry.name for entry in model.layout.u][: model.layout.n_inputs]
    inputs = dict(zip(names, defaults(model, ["speed"] if follows else []).tolist(), strict=True))
    try:
        run = simulate(model, inputs, duration=SETTLING, method="rk4", step=1e-3, interval=SETTLING)
    except SimulationError as error:
        raise DataError(f"the base vehicle cannot drive straight on: {error}") from None
    Y, _, _ = states_and_inputs(model, run)
    return np.asarray(Y[-1])


class Started:
    """States at the start of a run: settled, at the origin, wheels rolling with the speed."""

    def __init__(self, model: Model, state: Floats) -> None:
        self.state = state
        names = model.layout.y_names
        v = names.index("chassis.vx")
        self.speed = state[v]
        self.turning = [v, *(k for k, n in enumerate(names) if n.endswith(("wheel_rate", ".shaft_speed")))]
        self.forgotten = [names.index(f"chassis.{axis}") for axis in "xy"]

    def __call__(self, speed: float) -> Floats:
        """Return the state at a speed [m/s]."""
        y = self.state.copy()
        y[self.turning] *= speed / self.speed
        y[self.forgotten] = 0.0
        return y
