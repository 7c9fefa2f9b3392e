"""The vehicles in a table, what differs between them, and where all numbers come from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.models.handling.subject import Subject
from ce_dynamics.models.handling.vehicle import VehicleSubject, design_centre
from ce_dynamics.models.kc.compliance import Compliance
from ce_dynamics.models.kc.force_sweeps import FORCE, TORQUE_RANGE, force_sweep, travel_sweep
from ce_dynamics.models.kc.live import LivePage
from ce_dynamics.models.kc.page import axle_picture, charts_of
from ce_dynamics.models.kc.rig import KCRig
from ce_dynamics.models.kc.vehicle import elastic_joints, rig_of
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.views.charts import colours_of, svg
from ce_dynamics.views.html import element, items, key, number, table, text

if TYPE_CHECKING:
    import xarray as xr


LONG = re.compile(r"(?<!\d)-?\d+\.\d{7,}(e-?\d+)?")
"""Numbers of more digits than people read."""


def vehicle_section(subjects: Sequence[Subject]) -> str:
    """Return the whole section of a vehicle."""
    vehicles = [subject for subject in subjects if isinstance(subject, VehicleSubject)]
    parts = [text("h2", "The vehicles and their data")]
    columns = [summary(subject) for subject in subjects]
    labels = list(dict.fromkeys(label for column in columns for label in column))
    rows = [
        [
            escape(label),
            *(escape(column.get(label, ("–", ""))[0]) for column in columns),
            unit_of(label, columns),
        ]
        for label in labels
    ]
    names = [escape(subject.title) for subject in subjects]
    parts.append(table(["", *names, ""], rows))
    if len(vehicles) > 1:
        parts.append(differences(vehicles))
    return "".join((*parts, *map(all_numbers, vehicles)))


def unit_of(label: str, columns: Sequence[dict[str, tuple[str, str]]]) -> str:
    """Return the the unit beside a label."""
    return escape(next(column[label][1] for column in columns if label in column))


def summary(subject: Subject) -> dict[str, tuple[str, str]]:
    """Return the main data of a subject: values and units by label."""
    found = {
        "mass": (number(subject.mass), "kg"),
        "wheelbase": (number(subject.wheelbase), "m"),
        "full lock of the front wheels": (
            number(float(np.degrees(subject.locks()[1][1]))),
            "°",
        ),
    }
    return found | (main_data(subject.data) if isinstance(subject, VehicleSubject) else {})


def main_data(data: VehicleParameters) -> dict[str, tuple[str, str]]:
    """Return the main data of a vehicle from its parameters: values and units by label."""
    centre = design_centre(build(data))
    axles = data.layout.axles
    places = [float(nominal(data.corners[axle.corners[0]].W[0])) for axle in axles]
    found = {}
    if len(axles) == 2:
        found["weight on the front axle"] = (
            number(100.0 * (centre[0] - places[1]) / (places[0] - places[1])),
            "%",
        )
    bottom = np.mean(
        [float(nominal(c.W[2])) - float(nominal(c.tyre.unloaded_radius)) for c in data.corners.values()]
    )
    found["centre of mass above the road"] = (number(float(centre[2] - bottom)), "m")
    for axle in axles:
        left, right = (data.corners[name] for name in axle.corners)
        words = [axle.suspension]
        words += [f"steered ({axle.steering})"] if axle.steering else []
        words += ["anti-roll bar"] if axle.anti_roll_bar else []
        words += ["driven"] if axle.driven == "yes" else []
        found[f"{axle.name} axle"] = (", ".join(words), "")
        found[f"{axle.name} track"] = (number(abs(float(nominal(left.W[1] - right.W[1])))), "m")
    found["powertrain"] = (data.layout.powertrain, "")
    found["tyres"] = (data.layout.tyre, "")
    found["friction of the road"] = (number(float(nominal(data.road.friction))), "")
    return found


def list_numbers(data: VehicleParameters) -> dict[str, tuple[str, str]]:
    """List every number as text with its source."""
    return {p.key: (p.text, data.sources.get(p.source, p.source)) for p in data.flat()}


def differences(vehicles: Sequence[VehicleSubject]) -> str:
    """Return numbers that differ from the first vehicle's, if these are few enough to read."""
    first = list_numbers(vehicles[0].data)
    parts = []
    for other in vehicles[1:]:
        own = list_numbers(other.data)
        changed = [key for key in own if key not in first or own[key][0] != first[key][0]]
        if len(changed) > 40:
            listed = (
                f"{other.title} is another vehicle than {vehicles[0].title}: {len(changed)} numbers differ."
            )
            parts.append(text("p", listed))
            continue
        rows = [
            [escape(key), escape(first.get(key, ("–", ""))[0]), escape(own[key][0]), escape(own[key][1])]
            for key in changed
        ]
        parts.append(text("h3", f"{other.title}: what differs from {vehicles[0].title}"))
        parts.append(table(["number", escape(vehicles[0].title), escape(other.title), "source"], rows))
    return "".join(parts)


def all_numbers(vehicle: VehicleSubject) -> str:
    """Return all numbers with eight digits and the word that lists their source, folded."""
    rows = [
        [escape(p.key), escape(LONG.sub(lambda digits: f"{float(digits[0]):.8g}", p.text)), escape(p.source)]
        for p in vehicle.data.flat()
    ]
    sources = [f"{name}: {about}" for name, about in vehicle.data.sources.items()]
    parts = [f"tyres: {name}" for name in vehicle.setup.tyres] + list(vehicle.data.notes)
    return element(
        "details",
        text("summary", f"{vehicle.title}: all {len(rows)} numbers and their sources"),
        items(sources),
        items(parts) if parts else "",
        table(["number", "value", "source"], rows),
    )


TRAVELS = 0.08, 0.06, 0.04, 0.025
"""Wheel travels either way that are tried, largest first [m]."""
POSES = 33
FORCED = 17
"""Poses of curves with bushings, each of which is a balance to be found."""


def suspensions(vehicles: Sequence[VehicleSubject]) -> str:
    """Return a section for every axle, with the curves of all vehicles that have it over one another."""
    names = dict.fromkeys(axle.name for vehicle in vehicles for axle in vehicle.data.layout.axles)
    return "".join((text("h2", "Kinematics and compliance"), *(section_of(vehicles, axle) for axle in names)))


def section_of(vehicles: Sequence[VehicleSubject], axle: str) -> str:
    """Return pictures and curves of one axle; names what an axle cannot do."""
    curves: dict[str, Mapping[str, xr.Dataset]] = {}
    drawn, parts = [], [text("h3", f"{axle} axle".capitalize())]
    for vehicle in vehicles:
        if all(one.name != axle for one in vehicle.data.layout.axles):
            continue
        try:
            rig, curves[vehicle.title] = curves_of(vehicle, axle)
        except CeDynamicsError as error:
            head = text("strong", f"{vehicle.title}, {axle} axle: ")
            parts.append(element("div", head, text("span", str(error)), class_="trouble"))
            continue
        picture = axle_picture(LivePage(rig, {}, vehicle.title).take)
        drawn.append(picture._replace(title=f"{picture.title}: {vehicle.title}"))
    wheels = "Left wheel: line or dash-dots. Right wheel: dashes or dots."
    parts += [text("p", wheels, class_="soft"), key(colours_of(list(curves)))]
    figures = [element("figure", svg(chart)) for chart in (*drawn, *charts_of(curves))]
    return "".join((*parts, element("div", *figures, class_="figures")))


def compliance_curves(vehicle: VehicleSubject, rig: KCRig, travel: float) -> dict[str, xr.Dataset]:
    """Return curves of an axle with bushings: over travel, and over forces at the wheels."""
    soft = elastic_joints(vehicle.data, rig)
    if not soft:
        return {}
    elastic = Compliance(rig, soft)
    curves = {"parallel-bushings": travel_sweep(elastic, "parallel", np.linspace(-travel, travel, FORCED))}
    for kind, largest in (("lateral", FORCE), ("longitudinal", FORCE), ("aligning", TORQUE_RANGE)):
        curves[kind] = force_sweep(elastic, kind, np.linspace(-largest, largest, FORCED))
    return curves


def curves_of(vehicle: VehicleSubject, axle: str) -> tuple[KCRig, dict[str, xr.Dataset]]:
    """Return the rig of one axle, and its curves over the largest travel that it has.

    Raises
    ------
    CeDynamicsError
        If the axle has not even the least travel.
    """
    *wider, least = TRAVELS
    for travel in wider:
        with suppress(CeDynamicsError):
            return sweep_axle(vehicle, axle, travel)
    return sweep_axle(vehicle, axle, least)


def sweep_axle(vehicle: VehicleSubject, axle: str, travel: float) -> tuple[KCRig, dict[str, xr.Dataset]]:
    """Return the rig of one axle, and its curves over a wheel travel either way [m]."""
    rig = rig_of(vehicle.setup, axle)
    sweeps: dict[str, xr.Dataset] = {
        kind: rig.sweep(kind, np.linspace(-travel, travel, POSES))
        for kind in ("parallel", "opposed")
        if kind in rig.kinds
    }
    if rig.axle.steered_by is not None:
        sweeps["steering"] = rig.sweep("steering", np.linspace(-1.0, 1.0, POSES))
    return rig, sweeps | compliance_curves(vehicle, rig, travel)
