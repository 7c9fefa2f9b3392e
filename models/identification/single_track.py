"""Single-track models as references: kinematic, and dynamic with linear and with Magic Formula tyres.

They follow the recorded speed as vehicles do (`plant.FOLLOWING`), and lean on a banked road:

    m (v̇_y + v_x r) = F_f cos δ + F_r − m g sin(bank),    I ṙ = l_f F_f cos δ − l_r F_r,

with the slip angles α_f = δ − (v_y + l_f r)/v_x and α_r = −(v_y − l_r r)/v_x, as arctangents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, arctan, array, cos, sin, tan
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.identification.fit import Fit, fit_plant
from ce_dynamics.models.identification.inertia import base_parameters
from ce_dynamics.models.identification.plant import FOLLOWING, Plant
from ce_dynamics.models.identification.problem import correction_of
from ce_dynamics.models.identification.recording import Recording
from ce_dynamics.models.identification.tables import FUNCTIONS, evaluate_formula, names_in
from ce_dynamics.models.vehicles.description import VehicleParameters

G = 9.81
SLOWEST = 1.0
"""Speed below which slip angles are those of this speed [m/s]: they have no limit at standstill."""
LINEAR = {"front.stiffness": (15.0, "1/rad"), "rear.stiffness": (15.0, "1/rad")}
"""Cornering stiffness over the load of the axle: of tyres between 8 and 30 per rad."""
MAGIC = LINEAR | {
    "front.peak": (1.2, "1"), "rear.peak": (1.2, "1"), "front.shape": (1.4, "1"), "rear.shape": (1.4, "1")
}  # fmt: skip
"""Peak over load and shape factor C beside it; B = stiffness/(C peak)."""

MEASURABLE = "vx", "vy", "yaw_rate", "ay", "side_slip"
"""Outputs; a channel may measure a formula of them."""
KINDS = ("kinematic", "linear", "magic formula")

Motion = dict[str, Scalar]


def fit_reference(
    kind: str, fit: Fit, data: VehicleParameters, runs: Sequence[Recording], progress: Any = None
) -> Fit:
    """Fit a single-track model of a vehicle to what the vehicle was fitted to.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    fit : Fit
        Of the vehicle; the corrections of channels that it freed are free here too, with the same priors.
    data : VehicleParameters
        Gives mass, inertia and axles.
    runs : sequence of Recording
    progress : callable, optional
        As of `fit.fit_plant`.
    """
    mass, inertia, front, rear = planar(data)
    plant = single_track(checks.choice("reference", kind, KINDS, DataError), mass, inertia, front, rear, runs)
    free: dict[str, Any] = {
        f.name: {"prior": f.prior, "sd": f.sd, "lower": f.lower, "upper": f.upper}
        for f in (*fit.free, *fit.at_end.problem.drifts)
        if is_of(plant, f.name.partition("@")[0])
    }
    if kind != "kinematic":
        free |= dict.fromkeys((*LINEAR, "inertia"))
    if kind == "magic formula":
        free |= {"front.peak": None, "rear.peak": None, "front.shape": 0.2, "rear.shape": 0.2}
    return fit_plant(plant, runs, free, fit.options, progress)


def is_of(plant: Plant, name: str) -> bool:
    """Return True if a model has a channel that is corrected, or a number of a channel."""
    found = correction_of(name)
    if found is None:
        return name.startswith("channels.") and name in plant.parameters
    return found[0] in (*plant.outputs, *plant.from_channel)


def planar(data: VehicleParameters) -> tuple[float, float, float, float]:
    """Return mass [kg], yaw inertia [kg m²] and the axles' distances from the centre of mass [m]."""
    mass, *moments, inertia = base_parameters(data)[[0, 1, 2, 9]].tolist()
    x, y = (moment / mass for moment in moments)
    front = float(data.corners[data.layout.axles[0].corners[0]].W[0]) - x
    return mass, inertia - mass * (x**2 + y**2), front, float(data.wheelbase) - front


def single_track(
    kind: str, mass: float, inertia: float, front: float, rear: float, runs: Sequence[Recording]
) -> Plant:
    """Return a single-track model of a vehicle for the channels of some runs.

    Parameters
    ----------
    kind : str
        ``kinematic``, ``linear`` or ``magic formula``.
    mass, inertia : float
        [kg] and [kg m²], about the vertical through the centre of mass.
    front, rear : float
        Distances of the axles from the centre of mass [m].
    runs : sequence of Recording
    """
    recorded = list(dict.fromkeys(name for run in runs for name in run.inputs))
    if "road_wheel_angle" not in recorded or "speed" not in recorded:
        raise DataError("single-track models take the inputs road_wheel_angle and speed; map both")
    measured = {name: channel for run in runs for name, channel in run.outputs.items()}
    outputs = {
        name: channel.output
        for name, channel in measured.items()
        if set(names_in(channel.output, MEASURABLE)) <= set(MEASURABLE)
    }
    values: dict[str, tuple[float, str]] = {
        "mass": (mass, "kg"), "inertia": (inertia, "kg*m^2"), "front.distance": (front, "m"),
        "rear.distance": (rear, "m"),
    }  # fmt: skip
    if kind != "kinematic":
        values |= LINEAR if kind == "linear" else MAGIC
    values |= {
        f"channels.{n}.{what}": (value, unit)
        for n, c in measured.items()
        if c.position and n in outputs
        for what, value, unit in (("position.x", c.position[0], "m"), ("turn", 0.0, "rad"))
    }
    states = ("vx", "vy", "yaw_rate") if kind != "kinematic" else ("vx",)
    inputs = tuple(name for name in ("road_wheel_angle", "speed", "bank") if name in (*recorded, "bank"))
    motion = partial(kinematic if kind == "kinematic" else dynamic, kind, tuple(values))
    return Plant(
        name=f"{kind} single track",
        states=states,
        inputs=inputs,
        parameters=tuple(values),
        outputs=tuple(outputs),
        nominal=np.array([value for value, _ in values.values()]),
        units={name: unit for name, (_, unit) in values.items()}
        | {name: measured[name].unit for name in outputs},
        rate=lambda y, u: array(motion(y, u)[f"rate of {name}"] for name in states),
        read=lambda y, u: read(outputs, dict(zip(values, u[len(inputs) :], strict=True)), motion(y, u)),
        start=partial(straight_state, len(states)),
        free_start={"vy": "vy", "yaw_rate": "yaw_rate"} if kind != "kinematic" else {},
        defaults=np.zeros(len(inputs)),
        from_channel={name: (name, None) for name in recorded if name in inputs},
    )


def straight_state(size: int, speed: float) -> Floats:
    """Return the state of straight running."""
    return np.array([speed, 0.0, 0.0][:size])


def read(outputs: Mapping[str, str], p: Mapping[str, Scalar], now: Motion) -> Array:
    """Return the outputs, at the positions of their sensors."""
    ahead = {name: p.get(f"channels.{name}.position.x", 0.0) for name in outputs}
    turn = {name: p.get(f"channels.{name}.turn", 0.0) for name in outputs}
    v, vy, r, ay, turning = (now[name] for name in ("vx", "vy", "yaw_rate", "ay", "rate of yaw_rate"))
    formulas: dict[str, Callable[[str], Scalar]] = {
        "vx": lambda name: v,
        "vy": lambda name: (vy + ahead[name] * r) * cos(turn[name]) - v * sin(turn[name]),
        "yaw_rate": lambda name: r,
        "ay": lambda name: ay + ahead[name] * turning,
        "side_slip": lambda name: arctan(vy / v),
    }
    return array(
        evaluate_formula(f"outputs: {name}", of, {k: formulas[k](name) for k in MEASURABLE}, FUNCTIONS)
        for name, of in outputs.items()
    )


def kinematic(kind: str, names: Sequence[str], y: Array, u: Array) -> Motion:
    """Return the motion of axles that do not slip."""
    delta, speed, p = u[0], u[1], dict(zip(names, u[len(u) - len(names) :], strict=True))
    r = y[0] * tan(delta) / (p["front.distance"] + p["rear.distance"])
    return {
        "vx": y[0], "vy": p["rear.distance"] * r, "yaw_rate": r, "ay": y[0] * r, "rate of yaw_rate": 0.0 * r,
        "rate of vx": FOLLOWING * (speed - y[0]),
    }  # fmt: skip


def dynamic(kind: str, names: Sequence[str], y: Array, u: Array) -> Motion:
    """Return the motion of axles whose tyres slip."""
    delta, speed, bank = u[0], u[1], u[2]
    p = dict(zip(names, u[len(u) - len(names) :], strict=True))
    v, vy, r = y
    m, a, b = p["mass"], p["front.distance"], p["rear.distance"]
    forward = 0.5 * (v + SLOWEST + ((v - SLOWEST) * (v - SLOWEST) + 0.01) ** 0.5)
    slips = delta - arctan((vy + a * r) / forward), 0.0 - arctan((vy - b * r) / forward)
    loads = m * G * b / (a + b), m * G * a / (a + b)
    front, rear = (
        load * side_force(kind, p, axle, slip)
        for axle, slip, load in zip(("front", "rear"), slips, loads, strict=True)
    )
    across = front * cos(delta)
    ay = (across + rear) / m - G * sin(bank)
    turning = (a * across - b * rear) / p["inertia"]
    return {
        "vx": v, "vy": vy, "yaw_rate": r, "ay": ay, "rate of vx": FOLLOWING * (speed - v),
        "rate of vy": ay - v * r, "rate of yaw_rate": turning,
    }  # fmt: skip


def side_force(kind: str, p: Mapping[str, Scalar], axle: str, slip: Scalar) -> Scalar:
    """Return the side force over the load."""
    if kind == "linear":
        return p[f"{axle}.stiffness"] * slip
    C, D = p[f"{axle}.shape"], p[f"{axle}.peak"]
    return D * sin(C * arctan(p[f"{axle}.stiffness"] / (C * D) * slip))
