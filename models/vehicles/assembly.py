"""A vehicle from its data: chassis, corners, steering, tyres, brakes and driveline.

To add a controller that assists the driver, write it and its section in
`ce_dynamics.models.parts.assistance`, name the section in its `AssistanceData`, and give it its place in
`controllers`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.controller import Controller
from ce_dynamics.mechanism.elastic_joints import make_elastic
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.parts.assistance import (
    AntiLock,
    AssistedWheel,
    Shifting,
    StabilityControl,
    TractionControl,
)
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.surfaces import FlatRoad
from ce_dynamics.models.powertrain.differentials import DifferentialLock, DrivenWheel, Drivetrain, Propeller
from ce_dynamics.models.powertrain.manual import ManualData
from ce_dynamics.models.tyres.contract import TyreModel
from ce_dynamics.models.tyres.element import LeaningTyre
from ce_dynamics.models.vehicles.bodies import Vector, add_rigid_body
from ce_dynamics.models.vehicles.bushings import refuse_free
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.sensors import add_hitch_sensors, add_sensors
from ce_dynamics.models.vehicles.steering.column import WANTED
from ce_dynamics.models.vehicles.steering_angle import add_command, add_steering_wheel, max_wheel_angle
from ce_dynamics.models.vehicles.suspensions.builder import add_axle
from ce_dynamics.models.vehicles.tree import SIDES
from ce_dynamics.models.vehicles.tyre_kinds import model_of

LEVEL = 1e-9
"""Slope below which a road is level where a vehicle starts: what maps leave of zero by rounding."""
DEEP = 0.25
"""Part of a wheel's radius: unevenness that its tyre takes up as the vehicle settles."""

INPUTS = {"steering": (-1.0, 1.0), "throttle": (0.0, 1.0), "brake": (0.0, 1.0)}
"""Ranges of the inputs: full lock to the right and left, pedals from rest to the floor."""


def build(
    parameters: VehicleParameters | None = None,
    *,
    overrides: Sequence[str] = (),
    path: str | Path | None = None,
    road: Road | None = None,
    speed: float = 0.0,
    tyres: Mapping[str, TyreModel] | None = None,
    ideal_joints: bool = False,
    steering_wheel: bool = False,
) -> System:
    """Return the full vehicle on a road, flat with the data's friction if None.

    It has 6 degrees of freedom of the chassis, and at each corner those of its suspension and of its wheel.
    Inputs are ``steering`` (−1 … 1, positive to the left), ``throttle`` and ``brake`` (0 … 1); with an
    automatic gearbox also ``selector`` (1 forwards, unless given; 0 neutral, −1 reverse), with aerodynamics
    ``wind_x`` and ``wind_y``.

    Parameters are loaded if None, from ``path``, a data file or a shipped vehicle (the HMMWV if None), with
    ``overrides`` as of `VehicleParameters.load`.  It starts at a forward ``speed`` [m/s], wheels rolling.
    ``tyres`` by corner replace those of the data, see `ce_dynamics.models.tyres`.

    ``ideal_joints`` leaves out bushings that are dynamic by the data, as the rig does, which brings its own.
    With ``steering_wheel`` the input ``steering_wheel_command``, an angle [rad], replaces ``steering``, which
    manoeuvres and drivers need.
    """
    data = VehicleParameters.load(path, overrides) if parameters is None else parameters
    checks.instance("parameters", data, VehicleParameters, "a VehicleParameters", DataError)
    checks.number("speed", speed, unit="m/s", error=DataError)
    checks.flag("ideal_joints", ideal_joints, DataError)
    checks.flag("steering_wheel", steering_wheel, DataError)
    fitted = checks.mapping("tyres", {} if tyres is None else tyres, DataError)
    for name, tyre in fitted.items():
        checks.check_name("tyres", name, list(data.corners), "corner", DataError)
        checks.instance(f"tyres: {name}", tyre, TyreModel, "a tyre such as TMeasyTyre", DataError)
    surface = FlatRoad(data.road.friction) if road is None else road
    checks.instance("road", surface, Road, "a road such as FlatRoad(0.8)", DataError)
    with data.naming():  # of data that only built parts have, such as gears
        return assemble_vehicle(data, surface, speed, fitted, ideal_joints, steering_wheel)


def assemble_vehicle(
    data: VehicleParameters,
    surface: Road,
    speed: float,
    fitted: Mapping[str, TyreModel],
    ideal_joints: bool,
    steering_wheel: bool,
) -> System:
    """Return the vehicle's bodies, hinges, force elements and controllers, put together."""
    for name, corner in data.corners.items():
        if corner.ground_spring is not None:
            raise DataError(
                f"{name}.ground_spring has no effect beside a tyre; leave it out, or take --vehicle ride"
            )
    radii = {
        name: fitted[name].unloaded_radius if name in fitted else corner.tyre.unloaded_radius
        for name, corner in data.corners.items()
    }
    spin = nominal(speed / radii[data.driven[0]]) * rolling_ratio(data)
    system = System(gravity=data.gravity, name=data.name)
    add_inputs(system, data, spin, steering_wheel)
    system.group("corner", tuple(data.corners))
    chassis = add_rigid_body(system, "chassis", data.chassis, system.ground, Free())
    if data.aerodynamics is not None:
        data.aerodynamics.add(system, chassis, np.zeros(3))
    if data.hull is not None:
        data.hull.add(system, chassis, surface)
    units, links = add_units(system, data, chassis)
    for name, whole in data.axles.items():
        if whole.is_joined:
            add_axle(whole, system, units[name], links[name])
    assisting = controllers(data, radii, spin)
    wheels: dict[str, DrivenWheel] = {}
    for name, corner in data.corners.items():
        place, brake = (units[corner.axle.name], links[corner.axle.name]), brake_inputs(name, assisting)
        wheels[name] = add_wheel(system, data, corner, place, surface, fitted.get(name), brake)
        system.start(wheels[name].wheel, v=[speed / radii[name]])
    for name, bar in data.anti_roll_bars.items():
        left, right = (
            system.find(data.corners[f"{name}_{side}"].drop_link_carrier) for side in ("left", "right")
        )
        bar.add(system, name, units[name], (left, right))
    driven = [wheels[name] for name in data.driven]
    train = Drivetrain(chassis, driven, data.torque_shares, spin, data.engine_axis)
    system.add_force(data.powertrain.element(train))
    add_locks(system, data, chassis, wheels)
    add_sensors(system, chassis, has_hull=data.hull is not None)
    add_steering_wheel(system, data, {name: driven.carrier for name, driven in wheels.items()})
    for name in data.trailers:
        add_hitch_sensors(system, name)
    for controller in assisting:
        system.add_controller(controller)
    start_on(system, chassis, surface, design_height(data, surface, radii), speed)
    # their names are checked in any case
    soft = [one for bushing in data.bushings for one in bushing.elastic(system)]
    if data.layout.bushings == "dynamic" and not ideal_joints:
        make_elastic(system, soft)
    elif not ideal_joints:
        refuse_free(data.bushings)
    return system


def add_inputs(system: System, data: VehicleParameters, spin: float, steering_wheel: bool) -> None:
    """Add free parameters and inputs, those of the powertrain at a speed of its shafts [rad/s]."""
    for parameter in data.free:
        system.add_parameter(parameter)
    for name, between in INPUTS.items():
        if name == WANTED and steering_wheel:
            add_command(system, data)
        else:
            system.add_input(name, "1", between=between)
    by_hand = data.assistance is None or data.assistance.shifting is None
    inputs = data.powertrain.inputs_at(spin) if by_hand else data.powertrain.inputs
    for name, (least, default, largest) in inputs.items():
        system.add_input(name, "1", default, between=(least, largest))


def add_units(
    system: System, data: VehicleParameters, chassis: Body
) -> tuple[dict[str, Body], dict[str, Body | None]]:
    """Add steerings and trailers; return what carries each axle, and what steers it, if anything."""
    carriers = {name: axles[0].trailer for name, axles in data.layout.steered.items()}
    made = {name: data.steerings[name].add(system, chassis) for name in carriers if carriers[name] is None}
    units = {axle.name: chassis for axle in data.layout.axles}
    if data.trailers:
        system.group("trailer", tuple(data.trailers))
    for name, trailer in data.trailers.items():
        towed = trailer.add(system)
        units |= {axle.name: towed for axle in data.layout.axles_of(name)}
    for name, carrier in carriers.items():
        if carrier is not None:
            made[name] = data.steerings[name].add(system, system.find(carrier))
    links = {axle.name: None if axle.steering is None else made[axle.mechanism] for axle in data.layout.axles}
    return units, links


def add_wheel(
    system: System,
    data: VehicleParameters,
    corner: Corner,
    place: tuple[Body, Body | None],
    surface: Road,
    tyre: TyreModel | None,
    brake: Mapping[str, str],
) -> DrivenWheel:
    """Add a corner on its sprung body with a steering, with its own tyre or another one, and a brake."""
    axle = next(one for one in data.layout.axles if one.name == corner.axle.name)
    unit, link = place
    wheel = corner.add_wheel(system, corner.add(system, unit, link))
    fitted = model_of(corner.tyre, corner.side) if tyre is None else tyre
    for channel in brake.values():
        system.add_channel(channel, "1")
    inboard_on = unit if axle.braked == "inboard" else None
    leaning = fitted if data.hull is None else LeaningTyre(fitted)
    corner.add_wheel_forces(system, wheel, surface, leaning, brake, inboard_on)
    housing = None if axle.driven == "no" else data.housing(axle)
    carrier = None if housing is None else system.find(housing)
    return DrivenWheel(wheel, wheel.carrier, corner.W, corner.wheel.axis, carrier, own_ratio(data, axle.name))


def design_height(data: VehicleParameters, surface: Road, radii: Mapping[str, Scalar]) -> float:
    """Return the height of the chassis above the road at the start [m], more on larger tyres."""
    own = [corner for axle in data.layout.axles_of(None) for corner in axle.corners]
    lifted = sum(((radii[name] - data.corners[name].tyre.unloaded_radius) / len(own) for name in own), 0.0)
    places = [(corner.W, radii[name]) for name, corner in data.corners.items()]
    height: float = data.ride_height + lifted + start_height(surface, places)
    return height


def own_ratio(data: VehicleParameters, axle: str) -> float | None:
    """Return the ratio of a driven axle, if the axles have ratios of their own."""
    return None if data.powertrain.axle_ratios is None else data.axle_ratios.get(axle)


def rolling_ratio(data: VehicleParameters) -> float:
    """Return the shaft speed in straight running over that with `axle_ratio` at all axles."""
    if data.powertrain.axle_ratios is None:
        return 1.0
    ratios = [ratio for ratio in data.axle_ratios.values() for _ in SIDES]
    parts = zip(data.torque_shares, ratios, strict=True)
    return sum(share * data.powertrain.axle_ratio / ratio for share, ratio in parts)


def add_locks(
    system: System, data: VehicleParameters, chassis: Body, wheels: Mapping[str, DrivenWheel]
) -> None:
    """Add locks of differentials: within axles, and between one driven axle and the next."""
    driven = data.layout.driven
    propeller = Propeller(data.powertrain.axle_ratio, data.engine_axis)
    sides = {axle.name: [wheels[name] for name in axle.corners] for axle in driven}
    for axle in driven:
        lock = data.differential(axle.name)
        if lock is not None:
            left, right = (side._replace(ratio=None) for side in sides[axle.name])
            name = f"{axle.name}.differential"
            system.add_force(DifferentialLock(name, chassis, [left], [right], lock, propeller))
    if data.powertrain.centre is None:
        return
    for ahead, behind in pairwise(driven):
        ends = sides[ahead.name], sides[behind.name]
        name = "centre_differential" if len(driven) == 2 else f"{behind.name}.centre_differential"
        system.add_force(DifferentialLock(name, chassis, *ends, data.powertrain.centre, propeller))


def start_height(road: Road, wheels: Sequence[tuple[Vector, float]]) -> float:
    """Return the rise of a start along the road at the origin [m], so that no wheel begins deep inside it.

    Wheels are their centres and radii [m].
    """
    grade, bank = (nominal(slope) for slope in road.slope(0.0, 0.0))
    origin, rises = nominal(road.height(0.0, 0.0)), [0.0]
    for W, radius in wheels:
        x, y = nominal(W[0]), nominal(W[1])
        rise = nominal(road.height(x, y)) - origin - grade * x - bank * y
        if rise > DEEP * nominal(radius):
            rises.append(float(rise))
    return max(rises)


def start_on(system: System, chassis: Body, road: Road, height: float, speed: float) -> None:
    """Start at the origin, a height above the road and along its grade there; turned to its bank, if any."""
    grade, bank = road.slope(0.0, 0.0)
    if abs(nominal(bank)) > LEVEL:
        start_tilted(system, chassis, road, height, speed)
        return
    angle = math.atan(grade) if abs(nominal(grade)) > LEVEL else 0.0
    s, c = math.sin(angle), math.cos(angle)
    r = [0.0 - height * s, 0.0, road.height(0.0, 0.0) + height * c]
    system.start(
        chassis,
        q=[*r, math.cos(0.5 * angle), 0.0, 0.0 - math.sin(0.5 * angle), 0.0],
        v=[0.0, 0.0, 0.0, speed * c, 0.0, speed * s],
    )


def start_tilted(system: System, chassis: Body, road: Road, height: float, speed: float) -> None:
    """Start upright on a banked road: the vertical turned to its normal about the axis square to both."""
    n = np.asarray(road.normal(0.0, 0.0), dtype=float)
    r = np.array([0.0, 0.0, float(road.height(0.0, 0.0))]) + height * n
    # the shortest turn from e_z to n, as a quaternion
    q = np.array([1.0 + n[2], -n[1], n[0], 0.0])
    q /= np.linalg.norm(q)
    q[np.abs(q) < LEVEL] = 0.0
    forward = np.array([1.0 - n[0] * n[0] / (1.0 + n[2]), -n[0] * n[1] / (1.0 + n[2]), -n[0]])
    system.start(chassis, q=[*r.tolist(), *q.tolist()], v=[0.0, 0.0, 0.0, *(speed * forward).tolist()])


def find_assisted_wheels(parameters: VehicleParameters, radii: Mapping[str, Scalar]) -> list[AssistedWheel]:
    """Return the wheels but those of trailers, from front to rear, left before right."""
    return [
        AssistedWheel(name, radii[name], corner.W[1], name in parameters.driven)
        for axle in parameters.layout.axles_of(None)
        for name, corner in ((name, parameters.corners[name]) for name in axle.corners)
    ]


def controllers(
    parameters: VehicleParameters, radii: Mapping[str, Scalar], wheel_speed: float
) -> Sequence[Controller]:
    """Return the controllers of a vehicle in the order in which they act: anti-lock brakes act last.

    Its wheels, of unloaded radii by corner [m], begin to turn at a speed [rad/s].
    """
    data = parameters.assistance
    if data is None:
        return ()
    wheels = find_assisted_wheels(parameters, radii)
    found: list[Controller] = []
    if data.shifting is not None:
        if not isinstance(parameters.powertrain, ManualData):
            raise DataError(
                f"assistance.shifting: a powertrain of the kind {parameters.layout.powertrain!r} has no "
                "gears to be shifted by hand; leave it out, or choose powertrain: {kind: manual}"
            )
        _, first, most = parameters.powertrain.inputs_at(wheel_speed)["gear"]
        found.append(Shifting(int(most), data.shifting, first))
    if data.traction is not None:
        found.append(TractionControl(wheels, data.traction))
    if data.esc is not None:
        lock = max_wheel_angle(parameters)
        found.append(StabilityControl(wheels, parameters.wheelbase, lock, data.esc))
    if data.abs is not None:
        found.append(AntiLock(wheels, data.abs))
    return found


def brake_inputs(corner: str, assisting: Sequence[Controller]) -> dict[str, str]:
    """Return inputs of a corner's brake that controllers answer, by the argument of `Brake`."""
    answered = {name for controller in assisting for name in controller.answers}
    named = {"addition": f"{corner}.brake_addition", "release": f"{corner}.brake_release"}
    return {argument: name for argument, name in named.items() if name in answered}
