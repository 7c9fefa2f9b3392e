"""Grammar of the parts of a URDF file that are read; parts that are not listed are refused."""

from __future__ import annotations

from ce_dynamics.readers.survey import LOOKS, TOLD, Grammar, known
from ce_dynamics.readers.urdf.elements import BALL
from ce_dynamics.readers.urdf.model import INERTIA

ORIGIN = known("xyz", "rpy")
AXIS = known("xyz")
END = known("link", children="end")

GRAMMAR: Grammar = {
    "file": {"robot": known("name", "version", children="robot")},
    "robot": {
        "link": known("name", children="link"),
        "joint": known("name", "type", "independent", children="joint"),
        "loop": known("name", "type", children="loop"),
        "coupling": known("name", "type", children="coupling"),
        "constraint": known("name", "type", children="constraint"),
        "loop_constraint": known("name", children="loop_constraint"),
        "joint_constraint": known("name", children="joint_constraint"),
        "material": LOOKS,
        "sensor": LOOKS,
        **dict.fromkeys(
            ("transmission", "gazebo", "mujoco", "ros2_control", "group", "disable_collisions"), TOLD
        ),
        **dict.fromkeys(("drake:proximity_properties", "drake:collision_filter_group"), TOLD),
        BALL: known("name", children=BALL),
    },
    BALL: {
        **dict.fromkeys((f"{BALL}_body_A", f"{BALL}_body_B"), known("name")),
        **dict.fromkeys((f"{BALL}_p_AP", f"{BALL}_p_BQ"), known("value")),
    },
    "link": {
        "inertial": known(children="inertial"),
        "visual": LOOKS,
        "collision": TOLD,
        "contact": TOLD,
        "self_collision_checking": TOLD,
        "drake:proximity_properties": TOLD,
    },
    "inertial": {"origin": ORIGIN, "mass": known("value"), "inertia": known(*INERTIA)},
    "joint": {
        "origin": ORIGIN,
        "parent": known("link"),
        "child": known("link"),
        "axis": AXIS,
        "dynamics": known("damping", "friction", "armature"),
        "joint_properties": known("damping", "friction", "armature"),
        "limit": known("lower", "upper", "effort", "velocity"),
        "mimic": known("joint", "multiplier", "offset"),
        "calibration": LOOKS,
        "safety_controller": LOOKS,
    },
    "loop": {"predecessor": END, "successor": END, "axis": AXIS},
    "end": {"origin": ORIGIN},
    "coupling": {"predecessor": known("link"), "successor": known("link"), "ratio": known("value")},
    "constraint": {"predecessor": END, "successor": END, "ratio": known("value"), "axis": AXIS},
    "loop_constraint": {
        "parent": known("link"),
        "parent_origin": ORIGIN,
        "child": known("link"),
        "child_origin": ORIGIN,
    },
    "joint_constraint": {"parent": known("link"), "child": known("link"), "gear_ratio": known("value")},
    "nothing": {},
}
