"""Describes the vehicle of an environment: compiled model, start and size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import ModelError
from ce_dynamics.models.parts.manoeuvres import Manoeuvre
from ce_dynamics.models.vehicles.case import VehicleSetup, setup_of
from ce_dynamics.models.vehicles.driving import most_steering
from ce_dynamics.models.vehicles.pictures import WIDTH, radius_of, tyres_of

SENSORS = ("x", "y", "yaw", "vx", "vy", "yaw_rate")
INPUTS = ("steering", "throttle", "brake")


@dataclass(frozen=True, eq=False)
class DrivenVehicle:
    """A vehicle for environments.

    Attributes
    ----------
    title : str
    model : Model
        With the outputs `SENSORS` and the inputs `INPUTS`, as vehicles of the library have them.
    y0 : array
        Where it starts, at the origin along x.
    speed : float
        At the start, and to be held [m/s].
    length, width : float
        Of the rectangle that it takes on the ground [m].
    middle : float
        Distance by which the middle lies ahead of the point whose place the sensors return [m].
    manoeuvre : Manoeuvre, optional
        That it was prepared for: paths and lanes.
    steering : float
        Steering input at an action of 1 [1].
    """

    title: str
    model: Model
    y0: Floats
    speed: float
    length: float
    width: float
    middle: float
    manoeuvre: Manoeuvre | None = None
    steering: float = 1.0

    def __post_init__(self) -> None:
        checks.text("title", self.title)
        checks.instance("model", self.model, Model, "a compiled vehicle (ce_dynamics.compile)")
        outputs, inputs = self.model.system.outputs, self.model.system.inputs
        missing = [name for name in SENSORS if name not in outputs]
        missing += [name for name in INPUTS if name not in inputs]
        if missing:
            raise ModelError(
                f"{self.title}: environments drive systems with the outputs {', '.join(SENSORS)} and the "
                f"inputs {', '.join(INPUTS)}; there is no {missing[0]!r}"
            )

    @property
    def reverses(self) -> bool:
        """True if it has a gear to go backwards."""
        return "selector" in self.model.system.inputs


def prepare_vehicle(
    vehicle: str | Path | VehicleSetup,
    manoeuvre: str,
    speed: float | None,
    options: Mapping[str, float | str] | None = None,
    steering: float | str = 1.0,
) -> DrivenVehicle:
    """Return a vehicle of the library, of a data file, or as it was loaded, ready for a manoeuvre.

    ``steering`` at an action of 1 is a part of full lock, or an angle of the steering wheel with its unit.
    """
    setup = setup_of(vehicle)
    case = setup.prepare(manoeuvre, speed=speed, options=options, practice=False)
    most = most_steering("environments", steering, setup.data)
    fitted = tyres_of(case.model.system)
    if not fitted:
        raise ModelError(f"{setup.model}: environments drive vehicles with tyres")
    centres = np.array([nominal(tyre.centre) for tyre in fitted]).astype(float)
    radius = max(radius_of(tyre) for tyre in fitted)
    rear, front = centres[:, 0].min(), centres[:, 0].max()
    assert case.manoeuvre is not None, "vehicles with tyres are driven"
    width = 2.0 * float(np.abs(centres[:, 1]).max()) + WIDTH * radius
    return DrivenVehicle(
        case.title, case.model, case.y0, case.manoeuvre.speed, float(front - rear + 2.2 * radius),
        float(case.manoeuvre.values.get("vehicle_width", width)), float(0.5 * (front + rear)), case.manoeuvre,
        most,
    )  # fmt: skip
