"""One corner of every template by itself: on a chassis that moves anyhow, beside a rack that is driven."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.embed import embed
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.drives import Driven
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.bodies import BodyParameters
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.layout import AxleLayout
from ce_dynamics.models.vehicles.sections import CornerData
from ce_dynamics.models.vehicles.suspensions.axle import BuiltAxle, Side
from ce_dynamics.models.vehicles.suspensions.builder import add_axle
from ce_dynamics.models.vehicles.suspensions.template import template_of

SEDAN = VehicleParameters.load("sedan")
WHEEL = {name: getattr(SEDAN.data.front_left, name) for name in ("wheel", "tyre", "brake")}  # type: ignore[attr-defined]


def body(mass: float, com: tuple[float, float, float]) -> dict[str, Any]:
    return {
        "mass": mass,
        "com": com,
        "inertia": (0.02 * mass, 0.03 * mass, 0.025 * mass, 0.001, 0.002, -0.001),
    }


def springs(top: tuple[float, float, float], low: tuple[float, float, float]) -> dict[str, Any]:
    spring = {"chassis": top, "arm": low, "free_length": 0.6, "linear": 30e3, "cubic": 1e5}
    stops = {"min_length": 0.1, "max_length": 2.0, "stop_stiffness": 0.0, "stop_progression": 0.0}
    return {"spring": spring | stops, "damper": {"chassis": top, "arm": low, "coefficient": 2000.0}}


ROD = {"mass": 1.2, "radius": 0.012}
ARM = {"front_pivot": (0.02, 0.35, 0.0), "rear_pivot": (-0.3, 0.36, 0.01)}
LOWER = {"front_pivot": (0.2, 0.35, -0.1), "rear_pivot": (-0.2, 0.36, -0.09)}
UPPER = {"front_pivot": (0.1, 0.4, 0.14), "rear_pivot": (-0.15, 0.41, 0.15)}
WISHBONES = {
    "D": (0.0, 0.75, -0.12), "F": (-0.03, 0.7, 0.16), "K": (-0.15, 0.73, 0.0), "L": (-0.17, 0.37, 0.01),
    "upright": body(9.0, (-0.02, 0.74, 0.02)), "tie_rod": ROD,
}  # fmt: skip
CASES: Mapping[str, dict[str, Any]] = {
    "macpherson": {
        "D": (0.0, 0.77, -0.05), "F": (-0.03, 0.6, 0.72), "S": (-0.005, 0.69, 0.22),
        "K": (-0.15, 0.77, 0.15), "L": (-0.2, 0.35, 0.18),
        "lower_arm": ARM | body(4.0, (-0.05, 0.6, -0.02)),
        "upright": body(14.0, (-0.02, 0.74, 0.12)), "strut": body(4.0, (-0.02, 0.62, 0.55)), "tie_rod": ROD,
        **springs((-0.03, 0.6, 0.72), (-0.005, 0.69, 0.22)),
    },
    "five-link": {
        "link_1": {"chassis": (0.15, 0.35, -0.12), "upright": (0.03, 0.74, -0.13), "rod": ROD},
        "link_2": {"chassis": (-0.2, 0.35, -0.12), "upright": (-0.03, 0.74, -0.13), "rod": ROD},
        "link_3": {"chassis": (0.12, 0.42, 0.14), "upright": (0.01, 0.7, 0.15)},
        "link_4": {"chassis": (-0.15, 0.42, 0.15), "upright": (-0.03, 0.7, 0.15)},
        "K": (-0.16, 0.74, 0.0), "L": (-0.2, 0.36, 0.01), "tie_rod": ROD,
        "upright": body(14.0, (-0.02, 0.74, 0.0)), **springs((-0.04, 0.58, 0.45), (0.0, 0.68, -0.08)),
    },
    "semi-trailing-arm": {
        "trailing_arm": {"outer_pivot": (0.4, 0.6, 0.05), "inner_pivot": (0.25, 0.2, 0.03)}
        | body(20.0, (0.1, 0.6, 0.02)),
        **springs((0.05, 0.55, 0.45), (0.02, 0.6, 0.0)),
    },
    "trailing-arm": {
        "trailing_arm": {"outer_pivot": (0.4, 0.65, 0.05), "inner_pivot": (0.4, 0.4, 0.05)}
        | body(20.0, (0.1, 0.6, 0.02)),
        **springs((0.05, 0.55, 0.45), (0.02, 0.6, 0.0)),
    },
    "swing-axle": {
        "swing_arm": {"front_pivot": (0.3, 0.1, 0.02), "rear_pivot": (-0.05, 0.1, 0.02)}
        | body(20.0, (0.02, 0.5, 0.02)),
        **springs((0.05, 0.55, 0.45), (0.02, 0.6, 0.0)),
    },
    "three-link": {
        "trailing_arm": {"pivot": (0.5, 0.55, 0.05)} | body(20.0, (0.1, 0.65, 0.02)),
        "upper_link": {"chassis": (0.05, 0.3, 0.2), "upright": (0.02, 0.65, 0.18), "rod": ROD},
        "lower_link": {"chassis": (0.02, 0.25, -0.1), "upright": (0.0, 0.68, -0.12), "rod": ROD},
        **springs((0.05, 0.55, 0.45), (0.02, 0.6, 0.0)),
    },
    "single-wishbone": {
        "control_arm": {"front_pivot": (0.2, 0.3, 0.0), "rear_pivot": (-0.2, 0.31, 0.01)}
        | body(6.0, (0.0, 0.55, 0.0)),
        "D": (0.0, 0.75, -0.08), "F": (-0.02, 0.72, 0.1), "K": (-0.14, 0.74, 0.02), "L": (-0.16, 0.32, 0.03),
        "upright": body(10.0, (0.0, 0.76, 0.0)), "tie_rod": ROD,
        **springs((0.0, 0.5, 0.45), (0.02, 0.6, 0.02)),
    },
    "multi-link": {
        "F": (-0.02, 0.7, 0.16), "K": (-0.16, 0.74, 0.0), "L": (-0.2, 0.36, 0.01), "tie_rod": ROD,
        "upper_arm": {"front_pivot": (0.1, 0.4, 0.15), "rear_pivot": (-0.15, 0.41, 0.15)}
        | body(3.0, (-0.02, 0.55, 0.15)),
        "lateral_link": {"chassis": (0.0, 0.35, -0.12), "upright": (0.0, 0.74, -0.13), "rod": ROD},
        "trailing_link": {"chassis": (0.5, 0.6, -0.05), "upright": (0.05, 0.72, -0.1), "rod": ROD},
        "upright": body(14.0, (-0.02, 0.74, 0.0)), **springs((0.2, 0.6, 0.45), (0.2, 0.65, -0.08)),
    },
    "double-wishbone-reduced": {
        **WISHBONES, "lower_arm": LOWER, "upper_arm": UPPER, **springs((0.0, 0.6, 0.5), (0.0, 0.7, -0.1)),
    },
    "double-wishbone-push-rod": {
        **WISHBONES,
        "lower_arm": LOWER | body(3.0, (0.0, 0.55, -0.12)),
        "upper_arm": UPPER | body(2.0, (-0.02, 0.55, 0.15)),
        "rocker": {
            "pivot": (0.05, 0.3, 0.45), "shaft": (-0.05, 0.3, 0.47), "rod": (0.0, 0.36, 0.5),
            "lower_arm": (0.0, 0.68, -0.1),
        } | body(1.0, (0.0, 0.3, 0.48)),
        "push_rod": ROD, **springs((0.0, 0.05, 0.55), (0.01, 0.3, 0.53)),
    },
    "rigid": {},
}  # fmt: skip
"""Left corners by template, as they would be written."""
STEERED = (
    "macpherson", "five-link", "multi-link", "double-wishbone-reduced", "double-wishbone-push-rod",
    "single-wishbone",
)  # fmt: skip
LEADS = {
    "macpherson": "lower_arm", "five-link": "upright.z", "multi-link": "upper_arm",
    "double-wishbone-reduced": "lower_arm", "double-wishbone-push-rod": "lower_arm",
    "three-link": "trailing_arm.pitch", "single-wishbone": "control_arm", "swing-axle": "swing_arm",
}  # fmt: skip
"""Independent coordinate of a corner; the trailing arm's angle of all others."""


def corner(template: str, side: str = "left", steered: bool = False) -> Corner:
    """A corner of a template, with its origin away from the vehicle's."""
    kind = template_of(template)
    written = CASES[template] | WHEEL | {"origin": (1.2, 0.0, 0.1), "W": (0.0, 0.8, 0.0)}
    data = kind.side_section.model_validate(written)
    ends = {f"front_{one}": data for one in ("left", "right")}
    return Corner.of(f"front_{side}", data, BuiltAxle.of("front", kind, None, ends, steered=steered))


def turned(one: Corner, R: np.ndarray, shift: np.ndarray) -> Corner:
    def moved(part: BodyParameters) -> Any:
        return replace(part, com=R @ part.com + shift, inertia=R @ part.inertia @ R.T)

    def turned_side(side: Side) -> Side:
        springs = {
            name: s.model_copy(update={"chassis": R @ s.chassis + shift, "arm": R @ s.arm + shift})
            for name, s in side.springs.items()
        }
        return replace(
            side,
            points={name: R @ p + shift for name, p in side.points.items()},
            bodies={name: moved(part) for name, part in side.bodies.items()},
            springs=springs,
        )

    left, right = (turned_side(side) for side in one.axle.sides)
    return replace(
        one,
        W=R @ one.W + shift,
        wheel=replace(moved(one.wheel), axis=R @ one.wheel.axis),
        axle=replace(one.axle, sides=(left, right)),
    )


def on_rig(one: Corner, along: Sequence[float] | np.ndarray = (0.0, 1.0, 0.0)) -> System:
    """A chassis in free flight with a rack, the corner and its wheel."""
    system, chassis, rack = chassis_with_rack(along, one.W)
    one.add_wheel(system, one.add(system, chassis, rack if one.steered else None))
    return system


def chassis_with_rack(along: Sequence[float] | np.ndarray, at: np.ndarray) -> tuple[System, Body, Body]:
    """A chassis in free flight with a driven body that slides along a direction."""
    system = System()
    chassis = system.add_body(
        "chassis", mass=900.0, com=(0, 0, 0.4), inertia=(300, 900, 1000), parent=system.ground, hinge=Free()
    )
    rack = system.add_body(
        "rack", mass=3.0, com=at, inertia=(0.1, 0.1, 0.1), parent=chassis, hinge=Prismatic(along, at=at)
    )
    for name in ("driven", "driven_rate", "driven_acceleration"):
        system.add_input(name, "")
    system.prescribe(rack, Driven("driven"))
    return system, chassis, rack


def instant(system: System, rng: np.random.Generator, travel: float, steer: float) -> Instant:
    """Moving anyhow, within some travel and steered by so much."""
    embedding = embed(system)
    layout = Layout(embedding)
    q, v, x = (np.array(part) for part in layout.split(layout.y0))
    q[:3] = rng.normal(size=3)
    q[3:7] = rng.normal(size=4)
    q[3:7] /= np.linalg.norm(q[3:7])
    for k, entry in enumerate(layout.q[7:], start=7):
        q[k] = rng.uniform(-10.0, 10.0) if entry.name.endswith("wheel") else travel
    v[:] = 3.0 * rng.normal(size=len(v))
    given = {"driven": steer, "driven_rate": 0.3, "driven_acceleration": -2.0}
    u = np.array([given.get(entry.name, 0.0) for entry in layout.u])
    return Instant(embedding, layout, q, v, x, u)


def wheel_centre(at: Instant, W: np.ndarray) -> np.ndarray:
    """The wheel's centre in the chassis' axes, from the vehicle's origin [m]."""
    system = at.embedding.system
    chassis = system.find("chassis")
    (wheel,) = (body for body in system.bodies if body.name.endswith(".wheel"))
    return np.asarray(at.outward.point(wheel, W, chassis).r + chassis.com)


LINKS = {
    "upper_link": {"chassis": (0.5, 0.5, 0.2), "upright": (0.02, 0.25, 0.18), "rod": ROD},
    "lower_link": {"chassis": (0.7, 0.4, -0.02), "upright": (0.0, 0.5, -0.08), "rod": ROD},
}
LINK = {"link": {"chassis": (0.7, 0.45, -0.02), "upright": (0.0, 0.5, -0.08), "rod": ROD}}
PANHARD = {"panhard": {"axle": (-0.1, 0.5, 0.02), "chassis": (-0.1, -0.45, 0.06)}, "panhard_rod": ROD}
BEAM_CASES: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "leaf-spring": ({"roll_centre": (0.0, 0.0, 0.05)}, {}),
    "pinned-axle": ({"pin": (0.0, 0.0, 0.05)}, {}),
    "four-link": ({}, LINKS),
    "three-link-axle": (
        {"triangle": {"pivot": (0.6, 0.0, 0.25), "ball": (0.0, 0.0, 0.2)} | body(9.0, (0.3, 0.0, 0.2))},
        LINK,
    ),
    "three-link-panhard": (
        {"upper_link": {"chassis": (0.6, 0.1, 0.25), "upright": (0.0, 0.1, 0.2), "rod": ROD}} | PANHARD,
        LINK,
    ),
    "push-pipe": ({"ball": (0.9, 0.0, 0.05)} | PANHARD, {}),
    "panhard": (PANHARD, {}),
    "de-dion": (
        {
            "ball": (0.9, 0.0, 0.05),
            "centre_link": {"pivot": (-0.1, 0.0, 0.1)} | body(2.0, (-0.1, 0.0, 0.1)),
            "left_link": {"chassis": (-0.1, 0.4, 0.18), "centre": (-0.1, 0.0, 0.18)},
            "right_link": {"chassis": (-0.1, -0.4, 0.02), "centre": (-0.1, 0.0, 0.02)},
            "left_rod": ROD,
        },
        {},
    ),
}
"""Entries of the axle itself and of each end, by template."""
TWIST = (
    {"shear_centre": (0.15, 0.0, 0.06), "stiffness": 2000.0, "damping": 10.0},
    {"half": {"pivot": (0.4, 0.55, 0.03)} | body(14.0, (0.15, 0.4, 0.02))},
)
CLAMP = {"bending": 9e3, "bending_damping": 90.0, "lateral": 9e4, "lateral_damping": 900.0, "preload": 1500.0}
SHACKLED = (
    {"front_clamp": CLAMP, "rear_clamp": CLAMP | {"bending": 8e3}},
    {
        "front_leaf": {"clamp": (0.05, 0.4, 0.1), "eye": (0.5, 0.43, 0.13)} | body(3.9, (0.27, 0.41, 0.11)),
        "rear_leaf": {"clamp": (-0.05, 0.4, 0.1), "eye": (-0.5, 0.38, 0.07)} | body(3.9, (-0.28, 0.4, 0.09)),
        "shackle": {"pivot": (-0.44, 0.38, 0.19)} | body(0.8, (-0.47, 0.38, 0.13)),
    },
)
PARALLEL = (
    {
        "lower_links": {"pivot": (0.6, 0.0, 0.0), "joint": (0.0, 0.0, -0.2)} | body(6.0, (0.3, 0.0, -0.1)),
        "upper_links": {"pivot": (0.62, 0.0, 0.12), "joint": (0.0, 0.0, 0.1)} | body(3.0, (0.3, 0.0, 0.1)),
    },
    {"beam_damper": springs((0.0, 0.5, 0.4), (0.0, 0.5, 0.0))["damper"]},
)
TIE_RODS = {"L": (-0.1, 0.3, 0.0), "tie_rods": ROD}
OTHER_BEAMS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "parallel-links": PARALLEL,
    "twist-beam": TWIST,
    "shackled-leaf-spring": SHACKLED,
}
"""Axles of another kind, or with other freedoms."""
CRANK = {
    "steering": (0.8, 0.2, 0.16),
    "drag_link": ROD,
    "tie_rods": ROD,
    "crank": {
        "pivot": (-0.05, 0.1, 0.1), "shaft": (-0.05, 0.1, 0.2), "drag_link": (-0.04, 0.25, 0.15),
        "left_rod": (-0.16, 0.12, 0.0), "right_rod": (-0.16, 0.05, 0.0),
    } | body(2.0, (-0.08, 0.12, 0.1)),
}  # fmt: skip
KNUCKLE = {
    "D": (0.0, 0.72, -0.1), "F": (-0.01, 0.68, 0.1), "K": (-0.16, 0.68, -0.02),
    "knuckle": body(8.0, (0.0, 0.75, 0.0)),
}  # fmt: skip
GEAR = {"steering": (0.8, 0.58, 0.14), "knuckle": (-0.02, 0.52, 0.1), "drag_link": ROD, "toe_bar": ROD}


GEARS: Mapping[str, dict[str, Any]] = {"toe-bar": GEAR, "bell-crank": CRANK, "tie-rods": TIE_RODS}


def beam(template: str, steered: bool, gear: str = "toe-bar") -> BuiltAxle:
    layout = AxleLayout(
        "front", template, "rack" if steered else None, steering_gear=gear if steered else None
    )
    own, end = OTHER_BEAMS.get(template) or BEAM_CASES[template]
    if template != "twist-beam":
        own = (
            own
            | {"axle": body(60.0, (0.01, 0.0, 0.02))}
            | ({"steering_gear": GEARS[gear]} if steered else {})
        )
    section, whole = layout.sections
    assert whole is not None
    ends = {name: section.model_validate(written_end(end, steered)) for name in layout.corners}
    own_data = whole.model_validate(own)
    return BuiltAxle.of("front", layout.template, own_data, ends, steered=steered, gear=layout.gear)


def written_end(end: Mapping[str, Any], steered: bool) -> dict[str, Any]:
    both = springs((0.02, 0.45, 0.5), (0.03, 0.47, 0.03)) | (KNUCKLE if steered else {})
    return {**end, **both, **WHEEL, "origin": (1.2, 0.0, 0.1), "W": (0.0, 0.8, 0.0)}


def corners_of(axle: BuiltAxle) -> list[Corner]:
    """The corners of a beam, left and right, all with the sedan's wheel."""
    wheel = {"origin": (1.2, 0.0, 0.1), "W": (0.0, 0.8, 0.0), **WHEEL}
    data = CornerData.model_validate(wheel)
    return [Corner.of(side.name, data, axle) for side in axle.sides]


def beam_on_rig(axle: BuiltAxle) -> System:
    """A chassis in free flight with a bar that slides along the vehicle, the axle and its wheels."""
    ends = corners_of(axle)
    system, chassis, rack = chassis_with_rack((1.0, 0.0, 0.0), ends[0].W)
    add_axle(axle, system, chassis, rack if axle.gear is not None else None)
    for end in ends:
        end.add_wheel(system, end.add(system, chassis, None))
    return system
