"""Curves of kinematics and compliance of every axle of the vehicles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.models.handling.drawing import svg_of
from ce_dynamics.models.handling.report.html import element, text
from ce_dynamics.models.handling.vehicle import VehicleSubject
from ce_dynamics.models.kc.compliance import Compliance
from ce_dynamics.models.kc.force_sweeps import FORCE, TORQUE_RANGE, forced, travelled
from ce_dynamics.models.kc.page import page
from ce_dynamics.models.kc.rig import KCRig
from ce_dynamics.models.kc.vehicle import elastic_joints, rig_of

if TYPE_CHECKING:
    import xarray as xr

TRAVELS = 0.08, 0.06, 0.04, 0.025
"""Wheel travels either way that are tried, largest first [m]."""
POSES = 33
FORCED = 17
"""Poses of curves with bushings, each of which is a balance to be found."""


def suspensions(vehicles: Sequence[VehicleSubject]) -> str:
    """A page of curves for every axle; what an axle cannot do is said."""
    curves = [axle_of(vehicle, axle.name) for vehicle in vehicles for axle in vehicle.data.layout.axles]
    return "".join((text("h2", "Kinematics and compliance"), *curves))


def yielding(vehicle: VehicleSubject, rig: KCRig, travel: float) -> dict[str, xr.Dataset]:
    """Curves of an axle with bushings: over travel, and over forces at the wheels."""
    soft = elastic_joints(vehicle.data, rig)
    if not soft:
        return {}
    elastic = Compliance(rig, soft)
    curves = {"parallel-bushings": travelled(elastic, "parallel", np.linspace(-travel, travel, FORCED))}
    for kind, largest in (("lateral", FORCE), ("longitudinal", FORCE), ("aligning", TORQUE_RANGE)):
        curves[kind] = forced(elastic, kind, np.linspace(-largest, largest, FORCED))
    return curves


def axle_of(vehicle: VehicleSubject, axle: str) -> str:
    """Curves of one axle, over the largest travel that it has."""
    trouble = ""
    for travel in TRAVELS:
        try:
            rig = rig_of(vehicle.setup, axle)
            sweeps: dict[str, xr.Dataset] = {
                kind: rig.sweep(kind, np.linspace(-travel, travel, POSES))
                for kind in ("parallel", "opposed")
                if kind in rig.kinds
            }
            if rig.axle.steered_by is not None:
                sweeps["steering"] = rig.sweep("steering", np.linspace(-1.0, 1.0, POSES))
            soft = yielding(vehicle, rig, travel)
        except CeDynamicsError as error:
            trouble = str(error)
            continue
        title = f"{vehicle.title}: {axle} axle"
        pages = [(sweeps, title), *([(soft, f"{title}, bushings yielding")] if soft else [])]
        figures = [page({"": curves}, title) for curves, title in pages]
        return "".join(element("figure", svg_of(figure), class_="wide") for figure in figures)
    return element(
        "div", text("strong", f"{vehicle.title}, {axle} axle: "), text("span", trouble), class_="trouble"
    )
