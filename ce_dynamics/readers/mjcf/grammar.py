"""Grammar of the elements and attributes of an MJCF file that are read.

MuJoCo's own parser checks the structure of the file.  The grammar lists the parts that become parts of a
`System`.  Elements that are not listed are refused.
"""

from __future__ import annotations

from ce_dynamics.readers.survey import LOOKS, TOLD, Grammar, Rule, known

ANY = Rule(None, "anything")
"""Read by MuJoCo; what becomes of it is read or checked in the compiled model."""

ORIENTATION = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
SOFTNESS = ("solref", "solimp")
SOLVER = [
    "timestep",
    "apirate",
    "impratio",
    "tolerance",
    "ls_tolerance",
    "noslip_tolerance",
    "ccd_tolerance",
    "sleep_tolerance",
    "integrator",
    "cone",
    "jacobian",
    "solver",
    "iterations",
    "ls_iterations",
    "noslip_iterations",
    "ccd_iterations",
    "sdf_iterations",
    "sdf_initpoints",
    "actuatorgroupdisable",
    "o_margin",
    "o_solref",
    "o_solimp",
    "o_friction",
    "magnetic",
]
LIMITS = ["solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin"]
JOINT = known(
    *["name", "class", "type", "pos", "axis", "ref", "range", "limited"],
    *["stiffness", "damping", "springref", "springdamper", "armature", "frictionloss", "springyield"],
    *["actuatorfrcrange", "actuatorfrclimited", "actuatorgravcomp"],
    settings=("group", "user", *LIMITS),
)
PLACED = ("name", "pos", *ORIENTATION, "childclass")
DEFAULTS = "mesh material camera light site pair flex plugin"
ACTUATORS = "general motor position velocity intvelocity damper cylinder muscle adhesion dcmotor"

GRAMMAR: Grammar = {
    "file": {"mujoco": known("model", children="mujoco")},
    "mujoco": {
        "compiler": Rule(None, "compiler"),
        "option": known(
            *["gravity", "density", "viscosity", "wind", "actuatorgroupdisable"],
            children="option",
            settings=SOLVER,
        ),
        "default": known("class", children="default"),
        "worldbody": known(children="body"),
        "equality": known(children="equality"),
        "contact": known(children="contact"),
        "keyframe": known(children="keyframe"),
        "actuator": known(children="actuator"),
        "tendon": known(children="tendon"),
        **dict.fromkeys(["size", "visual", "statistic", "asset", "custom", "sensor"], LOOKS),
    },
    "compiler": {"lengthrange": LOOKS},
    "option": {"flag": ANY},
    "default": {
        "default": known("class", children="default"),
        "joint": JOINT,
        "geom": ANY,
        "equality": known(settings=SOFTNESS),
        "tendon": ANY,
        **dict.fromkeys(ACTUATORS.split(), ANY),
        **dict.fromkeys(DEFAULTS.split(), LOOKS),
    },
    "body": {
        "body": known(*PLACED, "gravcomp", "mocap", children="body", settings=("user",)),
        "frame": known(*PLACED, children="body"),
        "replicate": known("count", "offset", "euler", "sep", "childclass", children="body"),
        "inertial": known("pos", *ORIENTATION, "mass", "diaginertia", "fullinertia"),
        "joint": JOINT,
        "attach": ANY,
        "freejoint": known("name", "align", settings=("group",)),
        "geom": ANY,
        **dict.fromkeys(("site", "camera", "light"), LOOKS),
    },
    "equality": {
        "connect": known(
            *["name", "class", "active", "body1", "body2", "anchor", "site1", "site2"], settings=SOFTNESS
        ),
        "weld": known(
            *["name", "class", "active", "body1", "body2", "anchor", "relpose", "site1", "site2"],
            settings=(*SOFTNESS, "torquescale"),
        ),
        "joint": known(*["name", "class", "active", "joint1", "joint2", "polycoef"], settings=SOFTNESS),
        "tendon": known(*["name", "class", "active", "tendon1", "tendon2", "polycoef"], settings=SOFTNESS),
    },
    "tendon": {"fixed": Rule(None, "fixed"), "spatial": Rule(None, "spatial")},
    "spatial": {"site": known("site"), "pulley": known("divisor"), "geom": known("geom", "sidesite")},
    "fixed": {"joint": known("joint", "coef")},
    "contact": {"exclude": ANY, "pair": TOLD},
    "keyframe": {"key": ANY},
    "actuator": dict.fromkeys(ACTUATORS.split(), ANY),
    "nothing": {},
    "anything": {},
}
