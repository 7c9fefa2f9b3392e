"""MJCF with equality constraints."""

from ce_dynamics.readers import read_mjcf
from tests.campaigns.bad_input.cases import Case, reading
from tests.campaigns.bad_input.robot_files import ROBOTS, of_texts
from tests.campaigns.bad_input.values import calls

MASS = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
BODY = f"<body name='{{}}'><joint type='hinge' axis='0 1 0'/>{MASS}{{}}</body>"


def asset(text: str) -> str:
    return f"<asset>{text}</asset>"


def of_text() -> list[Case]:
    return of_texts(read_mjcf, "mujoco", ".xml") + calls(
        read_mjcf,
        {"path": ROBOTS / "four_bar.xml"},
        "keyframe:word~key independent:object-list-mapping ignore:object-list-mapping path: tolerance:-zero",
        {"independent": {"unknown": ["nobody"]}},
    )


def of_elements() -> list[Case]:
    one = BODY.format("a", "")
    world = f"<worldbody>{one}</worldbody>"
    grid = "count='10000 10000 10000' spacing='.1 .1 .1'"
    cable = (
        "<composite type='cable' count='100000000 1 1' size='1'><geom type='capsule' size='.1'/></composite>"
    )
    texts = {
        "replicate": f"<worldbody><replicate count='1000000000' offset='1 0 0'>{one}</replicate></worldbody>",
        "replicate of many": f"<worldbody><replicate count='100000'>{one}</replicate></worldbody>",
        "replicate nested": "<worldbody>"
        + "<replicate count='1000'>" * 4
        + one
        + "</replicate>" * 4
        + "</worldbody>",
        "replicate less than none": f"<worldbody><replicate count='-5'>{one}</replicate></worldbody>",
        "composite": f"<worldbody><body name='b'>{cable}</body></worldbody>",
        "flexcomp": f"<worldbody><body><flexcomp type='grid' {grid} name='f'/></body></worldbody>",
        "memory": f"<size memory='1000G'/>{world}",
        "user numbers": f"<size nuser_body='2000000000'/>{world}",
        "include itself": "<include file='{file}'/>",
        "include endless": "<include file='/dev/zero'/>",
        "include nobody": "<include file='nobody.xml'/>",
        "include folder": "<include file='/tmp'/>",
        "height field": asset("<hfield name='h' nrow='100000' ncol='100000' size='1 1 1 1'/>") + world,
        "texture": asset("<texture name='t' builtin='flat' width='100000' height='100000'/>") + world,
        "mesh": asset("<mesh name='m' file='/dev/zero'/>") + world,
        "same name": f"<worldbody>{one}{one}</worldbody>",
        "no mass": "<worldbody><body name='a'><joint type='hinge'/></body></worldbody>",
        "connect nobody": f"{world}<equality><connect body1='a' body2='z' anchor='0 0 0'/></equality>",
        "connect itself": f"{world}<equality><connect body1='a' body2='a' anchor='0 0 0'/></equality>",
        "keyframe too short": f"{world}<keyframe><key name='k' qpos='0 0 0'/></keyframe>",
        "keyframe velocities": f"{world}<keyframe><key name='k' qvel='0 0 0'/></keyframe>",
        "keyframe of text": f"{world}<keyframe><key name='k' qpos='x'/></keyframe>",
        "keyframe of nan": f"{world}<keyframe><key name='k' qpos='nan'/></keyframe>",
        "gravity of nan": f"<option gravity='nan 0 0'/>{world}",
        "gravity too short": f"<option gravity='0 0'/>{world}",
        "deep": "<worldbody>" + "<body>" * 20000 + "</body>" * 20000 + "</worldbody>",
        "frames": "<worldbody>" + "<frame>" * 20000 + one + "</frame>" * 20000 + "</worldbody>",
        "plugin": f"<extension><plugin plugin='nobody'/></extension>{world}",
        "attach": asset("<model name='m' file='/dev/zero'/>") + world,
    }
    may = ("memory", "user numbers", "texture", "height field")
    found = []
    for name, text in texts.items():
        label = f"{'memory' if name in may else 'elements'}: {name}"
        found.append(Case(label, reading(read_mjcf, f"<mujoco>{text}</mujoco>", ".xml"), may=name in may))
    return found


def of_keyframes() -> list[Case]:
    """Keyframes that were not meant for the model, asked for."""
    found = []
    for name, key in {
        "too short": "qpos='0'",
        "too long": "qpos='0 0 0 0'",
        "velocities": "qvel='0'",
        "control": "ctrl='1 2'",
    }.items():
        two = BODY.format("a", BODY.format("b", ""))
        keys = f"<keyframe><key name='k' {key}/></keyframe>"
        text = f"<mujoco><worldbody>{two}</worldbody>{keys}</mujoco>"
        found.append(Case(f"keyframe {name}", reading(read_mjcf, text, ".xml", keyframe="k")))
    return found
