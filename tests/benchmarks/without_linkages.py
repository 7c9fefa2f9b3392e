"""What linkages cost: the HMMWV beside itself with its wheels on slides, as simple vehicle models have them.

Chassis, wheels, tyres, brakes, powertrain and driver are the same.  Instead of two wishbones with their tie
rod an upright slides along z and, where it is steered, turns about its own vertical, prescribed by the input:
no loops, 6 + 4 + 4 degrees of freedom as before.  Spring and damper stand over the wheel; with the ratio i of
the spring's travel to the wheel's, stiffness and damping there are i² times those of the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ce_dynamics.compiled.model import Model
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.drives import SecondOrderActuator
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.hmmwv import prepare
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.bodies import BodyParameters, Vector, add_rigid_body
from ce_dynamics.models.vehicles.case import first_pedals
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.prepared import Case
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.steering.base import add_position
from ce_dynamics.models.vehicles.steering_angle import max_wheel_angle
from tests.benchmarks.evaluation import prepared
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.timing import best_of
from tests.benchmarks.vehicle import once

PUBLISHED = 2720.0
"""× real time: 24 degrees of freedom, C++, semi-implicit steps of 1 ms, on an Intel Core i7-13700K.

H. M. Unjhawala et al., A library of lower fidelity dynamics models (LFDMs) for on-road vehicle dynamics
targeting faster than real-time applications, 2024, https://github.com/uwsbel/low-fidelity-dynamic-models.
"""

RUNS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("rk4, 1 ms", {"method": "rk4", "step": 1e-3}),
    ("dopri5, 1e-6", {"method": "dopri5", "rtol": 1e-6, "atol": 1e-8}),
    ("tsit5, 1e-6", {"method": "tsit5", "rtol": 1e-6, "atol": 1e-8}),
)

SPEED = 12.0
"""[m/s]."""
UP = np.array((0.0, 0.0, 1.0))


@dataclass(frozen=True, eq=False, kw_only=True)
class SlidingCorner(Corner):
    """A corner of the same data whose upright slides instead of being guided by arms."""

    turn: SecondOrderActuator | None

    def add(self, system: System, chassis: Body, steering: Body | None) -> Body:
        """The upright, with the mass of all that was around it, its spring and its damper."""
        mass = sum(body.mass for body in self.bodies())
        sliding = BodyParameters(
            mass, self.W, np.asarray(self.axle.side(self.name).bodies["upright"].inertia)
        )
        name, hinge = f"{self.name}.upright", Prismatic(UP, at=self.W)
        if self.turn is None:
            upright = add_rigid_body(system, name, sliding, chassis, hinge)
        else:
            nothing = BodyParameters(0.0, self.W, np.zeros((3, 3)))
            slide = add_rigid_body(system, f"{self.name}.slide", nothing, chassis, hinge)
            upright = add_rigid_body(system, name, sliding, slide, Revolute(UP, at=self.W))
            system.prescribe(upright, self.turn)
        spring = spring_over(self.W, self.spring, self.ratio(self.spring))
        spring.add(system, f"{self.name}.spring", chassis, upright)
        damper = damper_over(self.W, self.damper, self.ratio(self.damper))
        damper.add(system, f"{self.name}.damper", chassis, upright)
        return upright

    def ratio(self, element: SpringData | DamperData) -> float:
        """Travel of an element on the lower arm over that of its ball joint D, in the design position."""
        front, rear = (self.points[f"lower_arm.{end}_pivot"] for end in ("front", "rear"))
        axis = np.subtract(front, rear)
        moved = [np.cross(axis, np.subtract(point, rear)) for point in (element.arm, self.points["D"])]
        along = np.subtract(element.chassis, element.arm)
        return float(along / np.linalg.norm(along) @ moved[0] / moved[1][2])


def spring_over(W: Vector, spring: SpringData, ratio: float) -> SpringData:
    """The spring over the wheel: as long as before in the design position, it moves 1/i times as far."""
    length = float(spring.design_length)

    def at_the_wheel(given: float | None) -> float | None:
        return None if given is None else length + (given - length) / ratio

    def scaled(given: float | None, power: int) -> float | None:
        return None if given is None else given * ratio**power

    assert spring.curve is None
    assert spring.stop_curve is None
    return spring.model_copy(
        update={
            "chassis": W + length * UP,
            "arm": W,
            "free_length": length + (spring.free_length - length) / ratio,
            "linear": scaled(spring.linear, 2),
            "cubic": scaled(spring.cubic, 4),
            "preload": scaled(spring.preload, 1),
            "min_length": at_the_wheel(spring.min_length),
            "max_length": at_the_wheel(spring.max_length),
            "stop_stiffness": scaled(spring.stop_stiffness, 2),
            "stop_progression": scaled(spring.stop_progression, 4),
        }
    )


def damper_over(W: Vector, damper: DamperData, ratio: float) -> DamperData:
    """The damper over the wheel: its rate was i times the wheel's, its force counted i times."""
    assert damper.coefficient is not None
    compression, extension = damper.compression_degression, damper.extension_degression
    return damper.model_copy(
        update={
            "chassis": W + float(damper.design_length) * UP,
            "arm": W,
            "coefficient": damper.coefficient * ratio**2,
            "compression_degression": None if compression is None else compression * ratio,
            "extension_degression": None if extension is None else extension * ratio,
        }
    )


def without_linkages(data: VehicleParameters) -> VehicleParameters:
    """The same vehicle with its wheels on slides; its steering mechanism goes as well."""
    mechanism = data.steerings["steering"]
    assert mechanism.actuator is not None
    turn = mechanism.actuator.drive(float(max_wheel_angle(data)))
    corners = {
        name: SlidingCorner(**vars(corner), turn=turn if corner.steered else None)
        for name, corner in data.corners.items()
    }
    axles = tuple(replace(axle, steering=None) for axle in data.layout.axles)
    return replace(data, corners=corners, steerings={}, layout=replace(data.layout, axles=axles))


def cases() -> dict[str, Case]:
    """The double lane change of both vehicles with the same driver."""
    whole = prepare("double-lane-change", speed=SPEED)
    data = VehicleParameters.load()
    system = build(without_linkages(data), speed=SPEED)
    add_position(system, "steering", system.find("front_left.upright"), float(max_wheel_angle(data)))
    model = Model(system)
    assert whole.manoeuvre is not None
    y0 = settle(model, first_pedals(model, whole.manoeuvre))
    return {"hmmwv": whole, "hmmwv on slides": replace(whole, model=model, y0=y0)}


def run(options: Options) -> Result:
    """Instructions, evaluations and runs of both."""
    found = cases()
    duration = 0.5 if options.quick else found["hmmwv"].duration
    repeats = 1 if options.quick else 12
    rows = []
    data: dict[str, Any] = {}
    for name, case in found.items():
        dynamics, _ = prepared(case.model.dynamics, case.y0)
        us = 1e6 * best_of(dynamics, options.rounds)
        count = case.model.dynamics.traced.n_instructions
        best = [min(once(case, duration, how)[0] for _ in range(repeats)) for _, how in RUNS]
        rows.append((name, f"{count:,}", number(us), *(number(duration / wall) for wall in best)))
        data[name] = {"us": us, "instructions": count, "wall_s": best}
    price = 1.0 - data["hmmwv on slides"]["us"] / data["hmmwv"]["us"]
    head = ("vehicle", "instructions", "µs per evaluation", *(f"{name}, × real time" for name, _ in RUNS))
    notes = (
        f"Double lane change, {duration:g} s, driver in the loop, one core, best of repeats.  Linkages take "
        f"{100.0 * price:.0f} % of an evaluation.",
        f"Published for another model on slides (24 degrees of freedom, C++, semi-implicit steps of 1 ms, "
        f"Intel Core i7-13700K): {number(PUBLISHED)} × real time, {number(1e3 / PUBLISHED)} µs per step.",
    )
    return Result((Table("What linkages cost", head, tuple(rows), notes),), data)
