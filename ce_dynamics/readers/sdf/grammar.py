"""Grammar of the parts of an SDF file that are read; parts that are not listed are refused."""

from __future__ import annotations

from ce_dynamics.readers.survey import LOOKS, TOLD, Grammar, known

POSE = known("relative_to", "rotation_format", "degrees")
VALUE = known()
AXIS = known(children="axis")
MODEL = known("name", "canonical_link", children="model")
INNER = known("name", "placement_frame", "merge", children="model")
GEARBOX = ("gearbox_ratio", "gearbox_reference_body")
SCENERY = ("light", "gui", "scene", "physics", "magnetic_field", "spherical_coordinates")

GRAMMAR: Grammar = {
    "file": {"sdf": known("version", children="sdf")},
    "sdf": {"model": MODEL, "world": known("name", children="world")},
    "world": {
        "model": MODEL,
        "gravity": VALUE,
        **dict.fromkeys(SCENERY, LOOKS),
        **dict.fromkeys(("plugin", "wind", "atmosphere", "audio", "include", "actor"), TOLD),
    },
    "model": {
        "pose": POSE,
        "static": VALUE,
        "link": known("name", children="link"),
        "joint": known("name", "type", children="joint"),
        "frame": known("name", "attached_to", children="frame"),
        "model": INNER,
        **dict.fromkeys(("self_collide", "plugin", "allow_auto_disable", "enable_wind"), TOLD),
        "drake:collision_filter_group": TOLD,
    },
    "frame": {"pose": POSE},
    "link": {
        "pose": POSE,
        "inertial": known("auto", children="inertial"),
        **dict.fromkeys(("visual", "sensor", "light"), LOOKS),
        **dict.fromkeys(("collision", "self_collide", "enable_wind", "must_be_base_link", "projector"), TOLD),
        **dict.fromkeys(("kinematic", "velocity_decay", "audio_source", "audio_sink", "battery"), TOLD),
        "gravity": VALUE,
    },
    "inertial": {"pose": POSE, "mass": VALUE, "inertia": known(children="inertia"), "density": TOLD},
    "inertia": dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), VALUE),
    "joint": {
        "pose": POSE,
        "parent": VALUE,
        "child": VALUE,
        "axis": AXIS,
        "axis2": AXIS,
        **dict.fromkeys(("screw_thread_pitch", *GEARBOX), VALUE),
        **dict.fromkeys(("physics", "thread_pitch"), TOLD),
        "sensor": LOOKS,
    },
    "axis": {
        "xyz": known("expressed_in"),
        "use_parent_model_frame": VALUE,
        "limit": known(children="limit"),
        "dynamics": known(children="dynamics"),
        "mimic": known("joint", "axis", children="mimic"),
    },
    "limit": {
        **dict.fromkeys(("lower", "upper", "effort", "velocity"), VALUE),
        **dict.fromkeys(("stiffness", "dissipation"), TOLD),
    },
    "dynamics": dict.fromkeys(("damping", "friction", "spring_reference", "spring_stiffness"), VALUE),
    "mimic": dict.fromkeys(("multiplier", "offset", "reference"), VALUE),
    "nothing": {},
    "anything": {},
}
