"""Steered beams with bell cranks, as free graphs of bodies, joints and distances."""

from __future__ import annotations

import numpy as np

from ce_dynamics.models.vehicles.chrono.bodies import body, middle
from ce_dynamics.models.vehicles.chrono.force_laws import spring_and_damper
from ce_dynamics.models.vehicles.chrono.frames import Matrix
from ce_dynamics.models.vehicles.chrono.generic import ALONG, GRAPH
from ce_dynamics.models.vehicles.chrono.json_file import Part
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.writing import Sections, quantities

LEFTWARDS, UPWARDS = np.array([0.0, ALONG, 0.0]), np.array([0.0, 0.0, ALONG])
IN_THE_MIDDLE = np.array([1.0, 0.0, 1.0])
"""Of a point and its mirror image."""


def three_links_and_crank(reading: Reading, part: Part) -> Sections:
    """``SolidBellcrankThreeLinkAxle``: triangle and two links; a crank on the beam turns both knuckles.

    Links, drag link and tie rods are distances, whose masses are left out.
    """
    triangle, links = part.part("Triangular Link"), part.part("Longitudinal Link")
    knuckle, crank, drag = part.part("Knuckle"), part.part("Bellcrank"), part.part("Draglink")
    for block in (links, drag, part.part("Tierod")):
        for key in ("Mass", "Inertia"):
            block.has(key)
    reading.note("masses of links, drag links and tie rods of axles with bell cranks")
    pivot, ball = (IN_THE_MIDDLE * triangle.vector(f"Location {end}") for end in ("Chassis", "Axle"))
    turned = crank.vector("Location Axle")
    lower, upper = knuckle.vector("Location Lower"), knuckle.vector("Location Upper")
    laws = spring_and_damper(reading, part, arm="Location Axle")
    words: Sections = {
        "beam": {"body": "single"},
        "triangle": {"body": "single"},
        "crank": {"body": "single"},
        "knuckle": {"body": "mirrored"},
        "triangle_pivot": {"revolute": "chassis triangle", "single": "yes"},
        "triangle_ball": {"spherical": "triangle beam", "single": "yes"},
        "link": {"distance": "chassis beam"},
        "kingpin": {"revolute": "beam knuckle"},
        "crank_pivot": {"revolute": "beam crank", "single": "yes"},
        "drag_link": {"distance": "steering crank", "single": "yes"},
        "tie_rod": {"distance": "crank knuckle"},
        "spring": {"spring": "chassis beam"},
        "damper": {"damper": "chassis beam"},
        "wheel": {"carrier": "knuckle"},
    }
    return {
        GRAPH: words,
        "beam": body(part.part("Axle Tube")),
        "triangle": body(triangle, com=middle(pivot, ball)),
        "crank": body(crank, com=turned),
        "knuckle": body(knuckle),
        "triangle_pivot": line(pivot, pivot + LEFTWARDS),
        "triangle_ball": {"at": quantities(ball, "m")},
        "link": distance(links.vector("Location Chassis"), links.vector("Location Axle")),
        "kingpin": line(lower, upper),
        "crank_pivot": line(turned, turned + UPWARDS),
        "drag_link": distance(drag.vector("Location Steering"), drag.vector("Location Bellcrank")),
        "tie_rod": distance(crank.vector("Location Tierod"), knuckle.vector("Location Tierod")),
        **laws,
    }


def line(at: Matrix, through: Matrix) -> Sections:
    """The numbers of a revolute joint."""
    return {"at": quantities(at, "m"), "through": quantities(through, "m")}


def distance(one: Matrix, other: Matrix) -> Sections:
    """The numbers of a distance."""
    return {"one": quantities(one, "m"), "other": quantities(other, "m")}
