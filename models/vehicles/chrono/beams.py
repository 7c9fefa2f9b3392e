"""Beams, a function for each of Chrono's templates; points from the suspension's origin."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import cross
from ce_dynamics.models.vehicles.bodies import steiner
from ce_dynamics.models.vehicles.chrono.bodies import (
    RIGID,
    UNPHYSICAL,
    Matrix,
    body,
    lean_axes,
    link,
    middle,
    moments,
    report_bushings,
    rod,
    rotate_inertia,
    unit,
)
from ce_dynamics.models.vehicles.chrono.force_laws import damper_law, spring_and_damper, spring_law
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, inertia, quantities, quantity
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections

IN_THE_MIDDLE, MIRROR = np.array([1.0, 0.0, 1.0]), np.diag([1.0, -1.0, 1.0])
CHASSIS, HOUSING = "Chassis Attachment Point", "Axle Housing Attachment Point"


def primaxx(reading: Reading, part: JsonObject) -> Sections:
    """Convert the links of both sides to one body each: with revolute joints the housing only rises."""
    lower, upper, knuckle = part.part("Lower Beam"), part.part("Torque Rod"), part.part("Knuckle")
    if part.has("Transverse Beam"):
        reading.note("transverse beams, which Chrono leaves loose: left out")
    tie = part.part("Tierod")
    gear: Sections = {"kind": "tie-rods", "L": tie.point("Location Chassis")}
    if tie.has("Mass"):
        gear["tie_rods"] = rod(reading, tie)
    sections: Sections = {
        "axle": body(part.part("Axle Housing")),
        "lower_links": both_sides(lower, upper),
        "upper_links": both_sides(upper, lower),
        "D": knuckle.point("Lower Attachment Point"),
        "F": knuckle.point("Upper Attachment Point"),
        "K": tie.point("Location Knuckle"),
        "knuckle": body(knuckle),
        "steering_gear": gear,
    }
    for key, prefix, end in (
        ("Shock Axle Housing", "beam_", "Location Axle Housing"),
        ("Shock Lower Beam", "", "Location Lower Beam"),
    ):
        shock = part.part(key)
        prefix = "beam_" if reading.like_chrono else prefix
        ends: Sections = {
            "chassis": shock.point("Location Chassis"),
            "arm": shock.point(end),
        }
        if shock.number("Spring Coefficient", 0.0) or shock.has("Spring Curve Data"):
            law = spring_law(reading, shock)
            if reading.like_chrono:
                built = float(np.linalg.norm(shock.vector("Location Chassis") - shock.vector(end)))
                law["free_length"] = quantity(built, "m")
            sections[f"{prefix}spring"] = {**ends, **law}
        if shock.number("Damping Coefficient", 0.0) or shock.has("Damping Curve Data"):
            sections[f"{prefix}damper"] = {**ends, **damper_law(reading, shock)}
        shock.has("Free Length")
    kept = "as there" if reading.like_chrono else "they act on what they are named after, by 'Free Length'"
    reading.note(
        "shock absorbers of PRIMAXX axles, which Chrono puts between chassis and housing with the length as "
        f"built: {kept}"
    )
    return sections


def both_sides(link: JsonObject, other: JsonObject) -> Sections:
    """Return a link and its mirror image as one body.

    Its axes are those of Chrono: z from the housing to the chassis, y across the plane of both links.
    """
    C, A = link.vector(CHASSIS), link.vector(HOUSING)
    z = unit(link, CHASSIS, C - A)
    y = unit(link, CHASSIS, cross(A - other.vector(HOUSING), C - other.vector(HOUSING)))
    J = rotate_inertia(moments(link), np.column_stack((cross(y, z), y, z)))
    mass, com = link.number("Mass", least=0.0), link.vector("COM")
    aside = mass * com[1] ** 2 * np.diag([1.0, 0.0, 1.0])
    return {
        "pivot": quantities(IN_THE_MIDDLE * C, "m"),
        "joint": quantities(IN_THE_MIDDLE * A, "m"),
        "mass": quantity(2.0 * mass, "kg"),
        "com": quantities(IN_THE_MIDDLE * com, "m"),
        "inertia": inertia(J + MIRROR @ J @ MIRROR + 2.0 * aside, UNPHYSICAL),
    }


ACROSS = np.array([0.0, 1.0, 1.0])
"""Factors from a point to the plane across x."""
UP = np.array([0.0, 0.0, 0.1])
"""From a point of a vertical axis to another one [m]."""


def leaf_spring(reading: Reading, part: JsonObject) -> Sections:
    """Convert ``LeafspringAxle``, ``ToeBarLeafspringAxle``: heave, and roll about its design centre."""
    tube = part.part("Axle Tube")
    return {**beam(reading, part), "roll_centre": quantities(ACROSS * tube.vector("COM"), "m")}


def push_pipe(reading: Reading, part: JsonObject) -> Sections:
    """Return ``PushPipeAxle``, ``ToeBarPushPipeAxle``: a ball joint ahead, a Panhard rod."""
    tube, panhard = part.part("Axle Tube"), part.part("Panhard Rod")
    ends = {"axle": "Location Connector Axle", "chassis": "Location Connector Chassis"}
    return {
        **beam(reading, part),
        "ball": tube.point("Location Connector Chassis"),
        "panhard": {name: panhard.point(key) for name, key in ends.items()},
        "panhard_rod": rod(reading, panhard),
    }


def rigid_panhard(reading: Reading, part: JsonObject) -> Sections:
    """Return ``RigidPanhardAxle``, ``ToeBarRigidPanhardAxle``: moves in a plane across the vehicle."""
    panhard = part.part("Panhard Rod")
    ends = {"axle": "Location Axle", "chassis": "Location Chassis"}
    return {
        **beam(reading, part),
        "panhard": {name: panhard.point(key) for name, key in ends.items()},
        "panhard_rod": rod(reading, panhard),
    }


def de_dion(reading: Reading, part: JsonObject) -> Sections:
    """Return ``DeDionAxle``, ``ToeBarDeDionAxle``: a ball joint ahead, a Watt linkage pivoted on the beam."""
    tube, watt = part.part("Axle Tube"), part.part("Watt Mechanism")
    ends: dict[str, Matrix] = {
        f"{side} {end}": watt.vector(f"Location {side} Link to {end}")
        for side in ("Left", "Right")
        for end in ("Center", "Chassis")
    }
    pivot = middle(ends["Left Center"], ends["Right Center"])
    misplaced = not part.template.startswith("ToeBar")
    if misplaced and reading.like_chrono:
        pivot = ends["Left Center"] + 0.5 * ends["Right Center"]
        reading.note("the pivot of Watt linkages, which Chrono misplaces: as there")
    elif misplaced:
        reading.note("the pivot of Watt linkages, which Chrono misplaces: half way between the side links")
    centre, side = (watt.number(f"{name} Link Mass", least=0.0) for name in ("Center", "Side"))
    reading.note("inertias and centres of mass of links between two joints: they are those of uniform bars")
    bar: Sections = {"mass": f"{side!r} kg", "radius": f"{watt.positive('Link Radius', 0.02)!r} m"}
    return {
        **beam(reading, part),
        "ball": tube.point("Location Connector Chassis"),
        "centre_link": {
            "pivot": quantities((ends["Left Center"][0], *pivot[1:]), "m"),
            "mass": f"{centre!r} kg",
            "com": quantities(pivot, "m"),
            "inertia": inertia(watt.moments("Center Link Inertia")),
        },
        **{
            f"{side.lower()}_link": {
                "chassis": quantities(ends[f"{side} Chassis"], "m"),
                "centre": quantities(ends[f"{side} Center"], "m"),
            }
            for side in ("Left", "Right")
        },
        "left_rod": dict(bar),
        "right_rod": dict(bar),
    }


def three_links(reading: Reading, part: JsonObject) -> Sections:
    """Convert ``SolidThreeLinkAxle``, ``SolidBellcrankThreeLinkAxle``: a triangle, a link on each side."""
    triangle = part.part("Triangular Link")
    pivot, ball = (IN_THE_MIDDLE * triangle.vector(f"Location {end}") for end in ("Chassis", "Axle"))
    return {
        **beam(reading, part),
        "triangle": {
            "pivot": quantities(pivot, "m"),
            "ball": quantities(ball, "m"),
            **body(triangle, com=middle(pivot, ball)),
        },
        "link": link(reading, part.part("Longitudinal Link"), "Location Axle"),
    }


def read_pinned_axle(reading: Reading, part: JsonObject) -> Sections:
    """Return ``RigidPinnedAxle``: turns about a pin along the vehicle."""
    tube = part.part("Tube")
    return {"axle": body(tube), "pin": quantities(ACROSS * tube.vector("Pin Location"), "m")}


def beam(reading: Reading, part: JsonObject) -> Sections:
    """Convert the beam, springs and dampers of either end; knuckles with steering gear if it has them."""
    return {
        "axle": body(part.part("Axle Tube")),
        **spring_and_damper(reading, part, arm="Location Axle"),
        **read_knuckles(reading, part),
    }


def read_knuckles(reading: Reading, part: JsonObject) -> Sections:
    """Return knuckles with a bell crank, or with drag link and toe bar; none where there are no knuckles."""
    if "Bellcrank" in part.template:
        return read_bell_crank(reading, part)
    return read_toe_bar(reading, part) if "ToeBar" in part.template or part.has("Knuckle") else {}


def sae_leaf_spring(reading: Reading, part: JsonObject) -> Sections:
    """Return ``SAELeafspringAxle``, ``SAEToeBarLeafspringAxle``: leaf springs of two halves, with shackles.

    Chrono shares its stiffnesses between the halves by a bias b, K/(1 + b) in front and b K/(1 + b) behind,
    and turns them into torsion springs k = K_half r²; damping is a hundredth of that, in seconds.
    """
    leaf = part.part("Leafspring")
    points = {
        name: leaf.vector(f"Location {theirs}")
        for name, theirs in (
            ("front eye", "Front Hanger"), ("front clamp", "Clamp A"), ("rear clamp", "Clamp B"),
            ("rear eye", "Shackle"), ("pivot", "Rear Hanger"),
        )
    }  # fmt: skip
    middle_of_clamps = middle(points["front clamp"], points["rear clamp"])
    bias = leaf.positive("Stiffness Bias")
    preload = leaf.number("Vertical Preload Force", 0.0)
    if preload and reading.like_chrono:
        reading.note("preloads of leaf springs, which Chrono loses: as there")
        preload = 0.0
    elif preload:
        reading.note("preloads of leaf springs, which Chrono loses: they lift the chassis")
    for key in ("Shackle Bushing Data", "Clamp Bushing Data", "Leafspring Bushing Data"):
        if leaf.has(key):
            reading.note(RIGID)
    reading.note("half clamps of leaf springs: their mass belongs to the axle, at the middle of the clamps")
    clamps: Sections = {}
    for half, share in (("front", 1.0 / (1.0 + bias)), ("rear", bias / (1.0 + bias))):
        r = points[f"{half} eye"] - points[f"{half} clamp"]
        square = float(r @ r)
        bending, lateral = (
            share * leaf.positive(f"{which} Stiffness") * square for which in ("Vertical", "Lateral")
        )
        clamps[f"{half}_clamp"] = {
            "bending": quantity(bending, "N*m/rad"),
            "bending_damping": quantity(DAMPED * bending, "N*m*s/rad"),
            "lateral": quantity(lateral, "N*m/rad"),
            "lateral_damping": quantity(DAMPED * lateral, "N*m*s/rad"),
            "preload": quantity(0.5 * preload, "N"),
        }
    halves: Sections = {
        f"{half}_leaf": {
            "clamp": quantities(points[f"{half} clamp"], "m"),
            "eye": quantities(points[f"{half} eye"], "m"),
            **body(
                leaf.part(f"{half.capitalize()}leaf"), middle(points[f"{half} clamp"], points[f"{half} eye"])
            ),
        }
        for half in ("front", "rear")
    }
    springs = spring_and_damper(reading, part, arm="Location Axle", spring="Auxiliary Spring")
    return {
        "axle": with_clamps(part.part("Axle Tube"), leaf.part("Half Clamp"), middle_of_clamps),
        **clamps,
        **halves,
        "shackle": {
            "pivot": quantities((points["pivot"][0], points["rear eye"][1], points["pivot"][2]), "m"),
            **body(leaf.part("Shackle"), middle(points["rear eye"], points["pivot"])),
        },
        **springs,
        **read_knuckles(reading, part),
    }


DAMPED = 0.01
"""[s], damping over stiffness of the torsion springs that Chrono makes of a leaf spring."""


def with_clamps(tube: JsonObject, clamp: JsonObject, at: Matrix) -> Sections:
    """Return the beam with four half clamps, two on either side in the middle of the clamps of that side.

    I = I_tube + m_tube S(tube) + Σ (J_clamp + m_clamp S(clamp)), S(r) = r² 1 − r rᵀ from the common centre.
    """
    mass, each = tube.number("Mass", least=0.0), clamp.number("Mass", least=0.0)
    places = [(mass, tube.vector("COM"), moments(tube))]
    places += [(each, at * (1.0, side, 1.0), moments(clamp)) for side in (1.0, 1.0, -1.0, -1.0)]
    total = sum(m for m, *_ in places)
    com = np.sum([m * r for m, r, _ in places], axis=0) / total
    J = np.sum([own + m * steiner(r - com) for m, r, own in places], axis=0)
    return {
        "mass": quantity(total, "kg"),
        "com": quantities(com, "m"),
        "inertia": inertia(J, UNPHYSICAL),
    }


def read_toe_bar(reading: Reading, part: JsonObject) -> Sections:
    """Return knuckles on kingpins, a drag link to one of them, a toe bar between both."""
    knuckle, bar, drag = part.part("Knuckle"), part.part("Tierod"), part.part("Draglink")
    for block in (bar, drag):
        report_bushings(reading, block)
    return {
        "D": knuckle.point("Location Lower"),
        "F": knuckle.point("Location Upper"),
        "K": bar.point("Location Knuckle"),
        "knuckle": body(knuckle, R=lean_axes(part)),
        "steering_gear": {
            "steering": drag.point("Location Chassis"),
            "knuckle": knuckle.point("Location Draglink"),
            "drag_link": rod(reading, drag),
            "toe_bar": rod(reading, bar),
        },
    }


def read_bell_crank(reading: Reading, part: JsonObject) -> Sections:
    """Return knuckles on kingpins, and a crank on the beam with a drag link and a tie rod to each of them.

    Drag link and tie rods are uniform bars.
    """
    knuckle, crank, drag = part.part("Knuckle"), part.part("Bellcrank"), part.part("Draglink")
    pivot, held = crank.vector("Location Axle"), crank.vector("Location Tierod")
    return {
        "D": knuckle.point("Location Lower"),
        "F": knuckle.point("Location Upper"),
        "K": knuckle.point("Location Tierod"),
        "knuckle": body(knuckle, R=lean_axes(part)),
        "steering_gear": {
            "kind": "bell-crank",
            "steering": drag.point("Location Steering"),
            "crank": {
                **body(crank, com=pivot),
                "pivot": quantities(pivot, "m"),
                "shaft": quantities(pivot + UP, "m"),
                "drag_link": drag.point("Location Bellcrank"),
                "left_rod": quantities(held, "m"),
                "right_rod": quantities(held * (1.0, -1.0, 1.0), "m"),
            },
            "drag_link": rod(reading, drag),
            "tie_rods": rod(reading, part.part("Tierod")),
        },
    }
