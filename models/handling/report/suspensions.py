"""Curves of kinematics and compliance of every axle of the vehicles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.models.handling.drawing import svg_of
from ce_dynamics.models.handling.report.html import element, text
from ce_dynamics.models.handling.vehicle import Vehicle
from ce_dynamics.models.kc.page import page
from ce_dynamics.models.kc.vehicle import rig_of

TRAVELS = 0.08, 0.06, 0.04, 0.025
"""Wheel travels either way that are tried, largest first [m]."""
POSES = 33


def suspensions(vehicles: Sequence[Vehicle]) -> str:
    """A page of curves for every axle; what an axle cannot do is said."""
    curves = [axle_of(vehicle, axle.name) for vehicle in vehicles for axle in vehicle.data.layout.axles]
    return "".join((text("h2", "Kinematics and compliance"), *curves))


def axle_of(vehicle: Vehicle, axle: str) -> str:
    """Curves of one axle, over the largest travel that it has."""
    trouble = ""
    for travel in TRAVELS:
        try:
            rig = rig_of(vehicle.data, axle)
            sweeps = {
                kind: rig.sweep(kind, np.linspace(-travel, travel, POSES)) for kind in ("parallel", "opposed")
            }
            if rig.axle.steered_by is not None:
                sweeps["steering"] = rig.sweep("steering", np.linspace(-1.0, 1.0, POSES))
        except CeDynamicsError as error:
            trouble = str(error)
            continue
        figure = page(sweeps, f"{vehicle.title}: {axle} axle")
        return element("figure", svg_of(figure), class_="wide")
    return element(
        "div", text("strong", f"{vehicle.title}, {axle} axle: "), text("span", trouble), class_="trouble"
    )
