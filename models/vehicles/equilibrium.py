"""The state a run starts from: the vehicle settled on its springs and tyres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.trim import trim
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import AssemblyError
from ce_dynamics.models.tyres.chrono import ChronoTyre
from ce_dynamics.models.tyres.element import RoadTyre
from ce_dynamics.models.vehicles.standing import (
    UPRIGHT,
    UPRIGHT_RATES,
    find_rest,
    heading_as,
    name_inputs,
    place_on_road,
)
from ce_dynamics.models.vehicles.trailers import unheld_coordinates
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.results import quantity
from ce_dynamics.simulation.simulate import try_run

FALLING = 4.0
"""[s] that a vehicle is left to itself where its equilibrium is not found at once."""
PARKED = {"throttle": 0.0, "brake": 1.0}
MOST_DEFLECTION = 0.5
"""Largest deflection of a tyre, in parts of its radius."""
AT_REST = tuple(f".{state.name}" for state in ChronoTyre.states)
MOST_TILT = 0.3
"""Largest tilt of the chassis from its start [rad]."""
MOST_TILT_BEHIND = 0.6
"""Largest tilt of a trailer against the towing unit, in pitch and roll [rad]."""
UNLOADED = 0.01
"""Part of the wheels' mean load below which one is off the road."""


class Coordinates(NamedTuple):
    """Names of the coordinates of the suspensions and of their rates, one after the other."""

    positions: tuple[str, ...]
    rates: tuple[str, ...]


def suspension_coordinates(model: Model) -> Coordinates:
    """Return the coordinates that remain if the chassis stands, no wheel turns and trailers stay in line."""
    mine = [
        [e.name for e in entries if not e.name.startswith("chassis.") and not e.name.endswith(".qw")]
        for entries in (model.layout.q, model.layout.v)
    ]  # of a quaternion the first entry follows from its length
    turning = {f"{name}.{what}" for name in corners(model) for what in ("wheel", "wheel_rate")}
    turning |= unheld_coordinates(model.system)
    positions, rates = (tuple(name for name in names if name not in turning) for names in mine)
    return Coordinates(positions, rates)


def corners(model: Model) -> tuple[str, ...]:
    """Return names of the corners."""
    return tuple(model.system.groups["corner"])


def wheel_rates(model: Model) -> tuple[str, ...]:
    """Return names of the wheels' speeds."""
    return tuple(f"{name}.wheel_rate" for name in corners(model))


def rolling_states(model: Model) -> tuple[str, ...]:
    """Name the constant states of steady rolling: wheels' speeds, deflections of tyres and brakes.

    Deflections of friction at rest are left out: of a wheel that rolls any is constant.
    """
    own = (e.name for e in model.layout.x if ".tyre." in e.name or ".brake." in e.name)
    return (*wheel_rates(model), *(name for name in own if not name.endswith(AT_REST)))


def resting_states(model: Model) -> tuple[str, ...]:
    """Return names of deflections of friction at rest, which a wheel that creeps has as well."""
    return tuple(e.name for e in model.layout.x if ".tyre." in e.name and e.name.endswith(AT_REST))


def turning_states(model: Model) -> tuple[str, ...]:
    """Return names of what turns before the wheels; none where the powertrain has no states."""
    turning = {f"driveline.{state}" for state in ("engine_speed", "shaft_speed", "windup")}
    return tuple(entry.name for entry in model.layout.x if entry.name in turning)


def settle(model: Model, u: Floats | None = None) -> Floats:
    """Return the initial state with the vehicle at its ride height, rolling steadily if it rolls.

    Found are heave, roll and pitch and the arms' angles at which their accelerations vanish; if the vehicle
    rolls, also the wheels' speeds and tyres' deflections at which theirs do.  Speed, position and heading
    stay.  An engine with a state of its own then turns steadily at the given pedals; where it cannot
    (creeping at walking pace, in gear without a converter), it starts as fast as gears and wheels turn it. On
    a road too slippery to turn the wheels against rolling resistance and the drag of the engine they slide
    steadily, hardly turning.  At rest tyres, brakes and shafts are wound up to what holds the vehicle on its
    grade, each wheel as much as it can hold; where that is not enough, it is about to roll or slide.  Where
    the road bends under it, it moves as that leads its wheels; those in the air turn as if they rolled.

    Inputs are the defaults if None.  A vehicle that is to stay parked needs its brake: without it, it is
    about to be pulled by its engine, and brakes that come later give way as they wind up.  `AssemblyError` if
    there is no such state, for instance because a spring is too soft to carry the vehicle.
    """
    checks.instance("settled: model", model, Model, "a model, as ce_dynamics.compile(system) returns it")
    speed = model.y0[model.layout.y_names.index("chassis.vx")]
    rolling = rolling_states(model) if speed != 0.0 else ()
    y = carry_on_wheels(model, u, rolling)
    return lifted_wheels_turning(model, y, u, rolling) if rolling else standing_still(model, y, u)


def carry_on_wheels(model: Model, u: Floats | None, rolling: Sequence[str]) -> Floats:
    """Find the equilibrium on springs and tyres, with `rolling` steady, starting from the road."""
    start = place_on_road(model)
    turning = turning_states(model)
    creeping = (*rolling, *resting_states(model)) if rolling else ()
    ways = tuple(dict.fromkeys(((*rolling, *turning), rolling, creeping)))
    braking = (False, True) if rolling else (True,)  # rolling it may leave what it starts on
    for fallen in chain((start,), (left_to_fall(model, u, start, braked) for braked in braking)):
        found = find_first(model, u, ways, fallen)
        if found is not None:
            return found
    standings = (find_first(model, u, ((),), at) for at in (fallen, start))
    standing = next((each for each in standings if each is not None), None)
    if standing is None:
        check_carried(model, fallen, u)
        raise AssemblyError(
            "the vehicle finds no equilibrium on its springs and tyres near its design position; "
            "check masses, spring and tyre.cz, or start where the road bends less"
        )
    found = find_first(model, u, ways, standing)  # from where the road carries it, wheels are found to roll
    if found is not None:
        return found
    try:
        return sliding(model, u, rolling, standing)
    except AssemblyError as error:
        speed = model.y0[model.layout.y_names.index("chassis.vx")]
        raise AssemblyError(
            "the vehicle stands on its springs and tyres, but its wheels find no steady rolling at "
            f"{speed:.3g} m/s, nor do they slide steadily; check the tyres and road.friction "
            "or start at rest"
        ) from error


def lifted_wheels_turning(model: Model, y: Floats, u: Floats | None, rolling: Sequence[str]) -> Floats:
    """Let lifted wheels turn as if they rolled, because their speed is undetermined."""
    names, turning = model.layout.y_names, turning_states(model)
    lifted: set[str] = set()
    while True:
        more = {f"{corner}.wheel_rate" for corner in off_the_road(model, y, u)}
        if more <= lifted:
            return y
        lifted |= more
        y = y.copy()
        free = [names.index(name) for name in (*lifted, *turning)]
        y[free] = model.y0[free]
        held = tuple(name for name in rolling if name not in lifted)
        found = find_first(model, u, ((*held, *turning), held), y)
        if found is None:
            return y
        y = found


def off_the_road(model: Model, y: Floats, u: Floats | None) -> list[str]:
    """Return names of corners whose tyres carry next to nothing."""
    seen = model.outputs(y, u=model.u0 if u is None else u)
    loads = {name: seen[f"{name}.tyre.Fz"] for name in corners(model) if f"{name}.tyre.Fz" in seen}
    mean = sum(loads.values()) / max(len(loads), 1)
    return [name for name, load in loads.items() if load < UNLOADED * mean]


def standing_still(model: Model, standing: Floats, u: Floats | None) -> Floats:
    """Return the same at rest for good, where brakes and tyres hold it; else as it is, about to move."""
    positions = (*UPRIGHT, *suspension_coordinates(model).positions)
    given = model.u0 if u is None else u
    pedals, found = name_inputs(model, given), None
    if pedals.get("clutch", 1.0) < 1.0 and pedals.get("gear", 0.0) != 0.0:
        # in gear and not disengaged, an engine stands with the wheels
        stopped = standing.copy()
        stopped[[model.layout.y_names.index(name) for name in turning_states(model)]] = 0.0
        there = find_first(model, u, ((),), stopped)
        found = None if there is None else find_rest(model, there, given, positions, stopped)
    if found is None:
        found = find_rest(model, standing, given, positions, model.y0)
    if found is None and pedals.get("brake", 0.0) > 0.0:
        # near the peak of friction it is found from where brakes and tyres are wound up as it comes to rest
        fallen = left_to_fall(model, u, standing)
        found = find_rest(model, fallen, given, positions, fallen)
    return standing if found is None else found


def find_first(model: Model, u: Floats | None, ways: Sequence[Sequence[str]], start: Floats) -> Floats | None:
    """Return the first of several steady states that is found from a start, and can be carried by the tyres.

    Those before it are looked for once more from there.
    """
    for k, still in enumerate(ways):
        try:
            found = check_carried(model, find_settled_state(model, u, still, start), u)
        except AssemblyError:
            continue
        better = find_first(model, u, ways[:k], found)
        return found if better is None else better
    return None


def left_to_fall(model: Model, u: Floats | None, start: Floats, braked: bool = False) -> Floats:
    """Return the state after seconds of falling and rebounding, with the start's place and speed.

    Newton's method converges from this state where it fails from afar: with wheels apart after the design
    position, or springs that engage at once.  If rolling leads off a short road, or if `braked`, the vehicle
    falls at rest with its brake on and its throttle closed, and stays at its place on the road.
    """
    given = model.u0 if u is None else u
    values = list(name_inputs(model, given).items())
    inputs, parameters = dict(values[: model.layout.n_inputs]), dict(values[model.layout.n_inputs :])
    names = model.layout.y_names
    resting = start.copy()
    resting[[names.index(entry.name) for entry in model.layout.v]] = 0.0
    options = RunOptions(
        duration=FALLING, method="rk4", step=0.5e-3, interval=FALLING, parameters=parameters or None
    )
    run = None if braked else try_run(model, inputs, replace(options, y0=start))
    if run is None:
        inputs |= {name: value for name, value in PARKED.items() if name in inputs}
        run = try_run(model, inputs, replace(options, y0=resting))
    if run is None:
        return start.copy()
    y = start.copy()
    # deflections of friction at rest have no place to come back to, and run away in the air
    kept = {"chassis.x", "chassis.y", *(entry.name for entry in model.layout.v), *resting_states(model)}
    kept |= {name for name in names if name.startswith("driveline.")}  # shafts that turn with the wheels
    kept |= unheld_coordinates(model.system)  # trailers that have turned aside
    for k, name in enumerate(names):
        if name not in kept:
            y[k] = float(quantity(run.dataset(), name)[-1])
    # it has come up or down the road as well
    there = [float(quantity(run.dataset(), f"chassis.{axis}")[-1]) for axis in "xy"]
    place = [float(start[names.index(f"chassis.{axis}")]) for axis in "xy"]
    y[names.index("chassis.z")] += road_height(model, place) - road_height(model, there)
    # it has turned aside as well
    attitude = [names.index(f"chassis.q{axis}") for axis in "wxyz"]
    y[attitude] = heading_as(y[attitude], start[attitude])
    return model.with_unit_quaternions(y)


def road_height(model: Model, place: Sequence[float]) -> float:
    """Return the height of the road under a place [m]; 0 without a tyre on a road."""
    road = next((force.road for force in model.system.forces if isinstance(force, RoadTyre)), None)
    return 0.0 if road is None else float(nominal(road.height(*place)))


def check_carried(model: Model, y: Floats, u: Floats | None) -> Floats:
    """Return the state if it lies upright, no tyre is pressed in too far, and no suspension has given way."""
    given = model.u0 if u is None else u
    seen = model.outputs(y, u=given)
    if is_tilted(model, y, model.y0) and is_tilted(model, y, place_on_road(model)):
        raise AssemblyError(
            "the vehicle finds no equilibrium on its springs: it tips over, or they give way at one end; "
            "check masses, springs and stops, or start where the road bends less"
        )
    for trailer in model.system.groups.get("trailer", ()):
        turned = max(abs(seen[f"{trailer}.hitch_{angle}"]) for angle in ("pitch", "roll"))
        if turned > MOST_TILT_BEHIND:
            raise AssemblyError(
                f"{trailer}: finds no equilibrium behind its hitch: it is turned by {turned:.2g} rad against "
                "what tows it; check its com, hitch and springs, or start where the road bends less"
            )
    for corner in corners(model):
        if f"{corner}.tyre.deflection" not in seen:
            continue
        deflection, load = seen[f"{corner}.tyre.deflection"], seen[f"{corner}.tyre.Fz"]
        travel = seen[f"{corner}.wheel_travel"]
        element = next(force for force in model.system.forces if force.name == f"{corner}.tyre")
        radius = float(nominal(getattr(element, "unloaded_radius", np.inf)))
        if deflection > MOST_DEFLECTION * radius:
            raise AssemblyError(
                f"{corner}: a load of {1e-3 * load:.4g} kN presses the tyre in by {1e3 * deflection:.4g} mm "
                f"of a radius of {1e3 * radius:.4g} mm; check masses and tyre.cz"
            )
        if travel > radius:
            raise AssemblyError(
                f"the vehicle finds no equilibrium on its springs: {corner} gives way by "
                f"{1e3 * travel:.4g} mm of wheel travel, more than the radius of the wheel; "
                "check spring and stops"
            )
    return y


def is_tilted(model: Model, y: Floats, start: Floats) -> bool:
    """Return True if the chassis is tilted from a start by more than `MOST_TILT`."""
    tilt = [model.layout.y_names.index(f"chassis.q{axis}") for axis in "xy"]
    return bool(np.linalg.norm(y[tilt] - start[tilt]) > 0.5 * MOST_TILT)


def find_settled_state(
    model: Model, u: Floats | None, rolling: Sequence[str], start: Floats | None = None
) -> Floats:
    """Return the state at which heave, roll, pitch, arms and what rolls have no accelerations."""
    own = suspension_coordinates(model)
    return trim(
        model,
        change=[*UPRIGHT, *own.positions, *rolling],
        still=[*UPRIGHT_RATES, *own.rates, *rolling],
        y=start,
        u=u,
    )


def sliding(model: Model, u: Floats | None, rolling: Sequence[str], standing: Floats) -> Floats:
    """Find wheels that the road turns against drag and rolling resistance only while they slide.

    They hardly turn then, so the search begins with wheels that do not.
    """
    start = standing.copy()
    names = model.layout.y_names
    start[[names.index(name) for name in wheel_rates(model)]] = 0.0
    return find_settled_state(model, u, rolling, start)
