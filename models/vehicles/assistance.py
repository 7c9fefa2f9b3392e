"""Builds the controllers that assist the driver, from the vehicle's data.

To add one, write a controller and its section in `ce_dynamics.models.parts.assistance`, name the section
in its `AssistanceData`, and give it its place in `controllers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.controller import Controller
from ce_dynamics.models.parts.assistance.controllers import (
    AntiLock,
    AssistedWheel,
    StabilityControl,
    TractionControl,
)
from ce_dynamics.models.parts.assistance.shifting import Shifting
from ce_dynamics.models.powertrain.manual import ManualData
from ce_dynamics.models.vehicles.steering_angle import max_wheel_angle

if TYPE_CHECKING:
    from ce_dynamics.models.vehicles.description import VehicleParameters


def find_assisted_wheels(parameters: VehicleParameters) -> list[AssistedWheel]:
    """Return the wheels but those of trailers, from front to rear, left before right."""
    return [
        AssistedWheel(name, corner.tyre.unloaded_radius, corner.W[1], name in parameters.driven)
        for axle in parameters.layout.axles_of(None)
        for name, corner in ((name, parameters.corners[name]) for name in axle.corners)
    ]


def controllers(parameters: VehicleParameters, wheel_speed: float) -> Sequence[Controller]:
    """The controllers of a vehicle in the order they are asked in: anti-lock brakes have the last word.

    Its wheels begin to turn at a speed [rad/s].
    """
    data = parameters.assistance
    if data is None:
        return ()
    wheels = find_assisted_wheels(parameters)
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
    """Inputs of a corner's brake that controllers answer, by the argument of `Brake`."""
    answered = {name for controller in assisting for name in controller.answers}
    named = {"addition": f"{corner}.brake_addition", "release": f"{corner}.brake_release"}
    return {argument: name for argument, name in named.items() if name in answered}
