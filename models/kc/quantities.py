"""Lists the rig's quantities with names, units and meaning, for files, pages and documentation."""

from __future__ import annotations

from typing import NamedTuple


class Quantity(NamedTuple):
    """A figure of the rig, of each wheel or of the axle: unit in results, and meaning with its sign.

    An axle has a figure of a ``travel`` (a key of `sweeps.KINDS`) if its wheels can travel so.
    """

    name: str
    unit: str
    per_wheel: bool
    meaning: str
    travel: str = ""


def _of_wheels(*rows: tuple[str, str, str], travel: str = "") -> tuple[Quantity, ...]:
    return tuple(Quantity(name, unit, True, meaning, travel) for name, unit, meaning in rows)


def _of_axles(*rows: tuple[str, str, str], travel: str = "") -> tuple[Quantity, ...]:
    return tuple(Quantity(name, unit, False, meaning, travel) for name, unit, meaning in rows)


WHEEL_ATTITUDE = _of_wheels(
    ("toe_angle", "rad", "wheel plane against the vehicle's, positive toe-in"),
    ("steer_angle", "rad", "wheel plane about z, positive to the left"),
    ("camber_angle", "rad", "positive top outward"),
    ("side_view_angle", "rad", "turn of the carrier in the side view, positive top to the rear"),
    ("front_view_angle", "rad", "turn of the carrier in the front view, positive top outward"),
)
STEERING_AXIS = _of_wheels(
    ("caster_angle", "rad", "steering axis in the side view, positive top to the rear"),
    ("kingpin_inclination", "rad", "steering axis in the front view, positive top inward"),
    ("scrub_radius", "m", "contact centre outward of the steering axis at the road (steering-axis offset)"),
    ("caster_trail", "m", "steering axis ahead of the contact centre at the road"),
    ("kingpin_offset", "m", "wheel centre outward of the steering axis at the wheel centre's height"),
    ("caster_offset", "m", "steering axis ahead of the wheel centre at its height"),
)
POSITIONS = _of_wheels(
    ("wheel_centre_x", "m", "wheel centre, vehicle coordinates"),
    ("wheel_centre_y", "m", "wheel centre, vehicle coordinates"),
    ("wheel_centre_z", "m", "wheel centre, vehicle coordinates"),
    ("contact_x", "m", "contact centre, vehicle coordinates"),
    ("contact_y", "m", "contact centre, vehicle coordinates"),
    ("contact_z", "m", "contact centre, vehicle coordinates"),
    ("wheelbase_change", "m", "of the contact centre since the design pose, positive longer"),
) + _of_axles(
    ("track", "m", "distance of the contact centres along y"),
    ("track_change", "m", "since the design pose"),
)
INSTANT_MOTION = _of_wheels(
    ("front_swing_arm_length", "m", "contact to instant centre in the front view, along y, positive inward"),
    ("front_swing_arm_angle", "rad", "of that line above the road"),
    ("front_instant_centre_y", "m", "instant centre in the front view"),
    ("front_instant_centre_z", "m", "instant centre in the front view"),
    travel="left",
)
INSTANT_MOTION += _of_wheels(
    ("side_swing_arm_length", "m", "contact to instant centre in the side view, positive to the middle"),
    ("side_swing_arm_angle", "rad", "of that line above the road"),
    ("side_instant_centre_x", "m", "instant centre in the side view"),
    ("side_instant_centre_z", "m", "instant centre in the side view"),
    travel="parallel",
)
INSTANT_MOTION += _of_axles(
    ("roll_centre_height", "m", "above the contact centres"),
    ("roll_centre_lateral", "m", "y of the roll centre, positive to the left"),
    travel="opposed",
)
ANTI_FRONT = _of_wheels(
    ("anti_dive", "%", "braking: part of the load transfer that the links carry"),
    ("anti_lift", "%", "driving: the same"),
    travel="parallel",
)
ANTI_REAR = _of_wheels(
    ("anti_lift", "%", "braking: part of the load transfer that the links carry"),
    ("anti_squat", "%", "driving: the same"),
    travel="parallel",
)
GRADIENTS = _of_wheels(
    ("ride_steer", "rad/m", "change of the toe angle with parallel wheel travel"),
    ("ride_camber", "rad/m", "change of the camber angle with parallel wheel travel"),
    ("ride_caster", "rad/m", "turn of the carrier in the side view with parallel wheel travel"),
    travel="parallel",
)
GRADIENTS += _of_wheels(
    ("roll_steer", "1", "change of the steer angle with the roll angle of the chassis"),
    ("roll_camber", "1", "change of the camber angle against the chassis with its roll angle"),
    travel="opposed",
)
STIFFNESS = _of_wheels(
    ("wheel_force", "N", "of springs and bars at the wheel centre, upwards on the chassis"),
    ("wheel_rate", "N/m", "at the wheel centre, parallel travel"),
    travel="parallel",
)
STIFFNESS += _of_wheels(
    ("single_wheel_rate", "N/m", "at the wheel centre, the other wheel's load constant (1/C33)"),
    travel="left",
)
STIFFNESS += _of_wheels(("ride_rate", "N/m", "wheel rate with the tyre in series"), travel="parallel")
STIFFNESS += _of_axles(
    ("roll_rate", "N*m/rad", "springs and bars"),
    ("roll_rate_without_bars", "N*m/rad", "springs"),
    ("roll_rate_with_tyres", "N*m/rad", "springs, bars and tyres"),
    ("roll_rate_with_tyres_without_bars", "N*m/rad", "springs and tyres"),
    travel="opposed",
)


def steering_quantities(unit: str) -> tuple[Quantity, ...]:
    """Return the quantities of axles that are steered by a coordinate with a unit."""
    per_angle = "1" if unit == "rad" else f"{unit}/rad"
    return _of_wheels(
        ("steering_ratio", per_angle, "change of the steering's coordinate per change of the steer angle"),
    ) + _of_axles(
        ("steering_position", unit, "coordinate of the steering, positive to the left"),
        ("ideal_outer_angle", "rad", "steer angle of the outer wheel by Ackermann, from that of the inner"),
        ("ackermann_error", "rad", "outer wheel's angle less the ideal one"),
        ("ackermann_percentage", "%", "100 (inner - outer)/(inner - ideal outer)"),
        (
            "turning_diameter",
            "m",
            "kerb to kerb, by Ackermann from the inner wheel's angle; NaN if straight",
        ),
    )


def list_compliance_quantities() -> tuple[Quantity, ...]:
    """Return the quantities of axles with bushings, from the places and loads of the wheels."""
    places = tuple(q for q in POSITIONS if q.per_wheel and q.name != "wheelbase_change")
    load = ("vertical_force", "N", "at the wheel centre, upwards, that springs and bushings carry")
    return (*WHEEL_ATTITUDE, *places, *_of_wheels(load))
