"""Steered beams with bell cranks, as free graphs of bodies, joints and distances."""

from __future__ import annotations

import numpy as np

from ce_dynamics.models.vehicles.chrono.bodies import body, middle, rod
from ce_dynamics.models.vehicles.chrono.force_laws import spring_and_damper
from ce_dynamics.models.vehicles.chrono.frames import Matrix
from ce_dynamics.models.vehicles.chrono.generic import ALONG, GRAPH
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.wheels import lean_axes
from ce_dynamics.models.vehicles.chrono.writing import Sections, quantities

FORWARDS, LEFTWARDS, UPWARDS = ALONG * np.eye(3)
MIRRORED = np.array([1.0, -1.0, 1.0])


def four_links_and_crank(reading: Reading, part: JsonObject) -> Sections:
    """``SolidAxle``: four links and a track bar; a crank on the beam shifts the toe bar along itself.

    The crank's point moves in a plane of the toe bar, across it; ball joint and universal joint of the bar
    are on the left and on the right knuckle.
    """
    if not part.has("Trackbar"):
        raise part.wrong("Trackbar", "it is missing; give the bar that holds the axle sideways")
    knuckle, crank, drag = part.part("Knuckle"), part.part("Bell Crank"), part.part("Draglink")
    bar, track = part.part("Tierod"), part.part("Trackbar")
    lower, upper = knuckle.vector("Location Lower"), knuckle.vector("Location Upper")
    pivot, held, pulled = (
        crank.vector("Location Axle"), crank.vector("Location Tierod"), drag.vector("Location Bell Crank"),
    )  # fmt: skip
    left = bar.vector("Location Knuckle")
    right = MIRRORED * left
    laws = spring_and_damper(reading, part, arm="Location Axle")
    links = {name: part.part(f"{name.capitalize()} Link") for name in ("upper", "lower")}
    reading.note("inertias of bell cranks and drag links: in the axes of the vehicle")
    words: Sections = {
        "beam": {"body": "single"},
        "crank": {"body": "single"},
        "toe_bar": {"body": "single"},
        "knuckle": {"body": "mirrored"},
        "upper": {"distance": "chassis beam"},
        "lower": {"distance": "chassis beam"},
        "track_bar": {"distance": "chassis beam", "single": "yes"},
        "kingpin": {"revolute": "beam knuckle"},
        "crank_pivot": {"revolute": "beam crank", "single": "yes"},
        "drag_link": {"distance": "crank steering", "single": "yes"},
        "bar_ball": {"spherical": "toe_bar knuckle.left", "single": "yes"},
        "bar_joint": {"universal": "toe_bar knuckle.right", "single": "yes"},
        "bar_plane": {"point-on-plane": "toe_bar crank", "single": "yes"},
        "spring": {"spring": "chassis beam"},
        "damper": {"damper": "chassis beam"},
        "wheel": {"carrier": "knuckle"},
    }
    return {
        GRAPH: words,
        "beam": body(part.part("Axle Tube")),
        "crank": body(crank, com=(pivot + held + pulled) / 3.0),
        "toe_bar": body(bar, com=middle(left, right)),
        "knuckle": body(knuckle, R=lean_axes(part)),
        **{
            name: distance(link.vector("Location Chassis"), link.vector("Location Axle"), rod(reading, link))
            for name, link in links.items()
        },
        "track_bar": distance(
            track.vector("Location Chassis"), track.vector("Location Axle"), rod(reading, track)
        ),
        "kingpin": line(lower, upper),
        "crank_pivot": line(pivot, pivot + UPWARDS),
        "drag_link": distance(pulled, drag.vector("Location Chassis"), rod(reading, drag)),
        "bar_ball": {"at": quantities(left, "m")},
        "bar_joint": {
            "at": quantities(right, "m"),
            "first": quantities(right + FORWARDS, "m"),
            "second": quantities(right + UPWARDS, "m"),
        },
        "bar_plane": line(held, held + LEFTWARDS),
        **laws,
    }


def line(at: Matrix, through: Matrix) -> Sections:
    """The numbers of a revolute joint."""
    return {"at": quantities(at, "m"), "through": quantities(through, "m")}


def distance(one: Matrix, other: Matrix, bar: Sections | None = None) -> Sections:
    """The numbers of a distance, of a uniform bar if one is given."""
    ends: Sections = {"one": quantities(one, "m"), "other": quantities(other, "m")}
    return ends if bar is None else {**ends, "rod": bar}
