"""URDF with loops."""

from ce_dynamics.readers import read_urdf
from tests.campaigns.bad_input.cases import Case, reading
from tests.campaigns.bad_input.robot_files import ROBOTS, of_texts
from tests.campaigns.bad_input.values import calls


def of_text() -> list[Case]:
    return of_texts(read_urdf, "robot", ".urdf") + calls(
        read_urdf,
        {"path": ROBOTS / "four_bar.urdf"},
        "base:word gravity:vector ignore:object-list-mapping path: loops:-list tolerance:-zero",
    )


def of_elements() -> list[Case]:
    inertia = "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    link = f"<link name='{{}}'><inertial><mass value='1'/>{inertia}</inertial></link>"
    a, b, c = (link.format(name) for name in "abc")
    joint = "<joint name='{0}' type='{1}'><parent link='{2}'/><child link='{3}'/></joint>"
    texts = {
        "two roots": a + b,
        "cycle": a + b + joint.format("j", "fixed", "a", "b") + joint.format("k", "fixed", "b", "a"),
        "carried twice": a
        + b
        + c
        + joint.format("j", "fixed", "a", "c")
        + joint.format("k", "fixed", "b", "c"),
        "same name": a + a,
        "same joint": a + b + c + joint.format("j", "fixed", "a", "b") + joint.format("j", "fixed", "b", "c"),
        "itself": a + joint.format("j", "fixed", "a", "a"),
        "unknown child": a + joint.format("j", "fixed", "a", "z"),
        "unknown type": a + b + joint.format("j", "elastic", "a", "b"),
        "negative mass": a.replace("'1'/><inertia", "'-1'/><inertia"),
        "impossible inertia": a + b.replace("ixy='0'", "ixy='9'") + joint.format("j", "continuous", "a", "b"),
        "mimic of itself": a
        + b
        + joint.format("j", "continuous", "a", "b").replace("</joint>", "<mimic joint='j'/></joint>"),
        "mimic of nobody": a
        + b
        + joint.format("j", "continuous", "a", "b").replace("</joint>", "<mimic joint='z'/></joint>"),
        "loop to nobody": a
        + "<loop name='l' type='revolute'><predecessor link='a'/><successor link='z'/></loop>",
        "limit": a
        + b
        + joint.format("j", "revolute", "a", "b").replace(
            "</joint>", "<limit lower='1' upper='-1' effort='nan' velocity='x'/></joint>"
        ),
        "chain": "".join(link.format(f"l{k}") for k in range(3))
        + "".join(joint.format(f"j{k}", "fixed", f"l{k}", f"l{k + 2}") for k in range(2)),
    }
    return [
        Case(
            f"elements: {name}",
            reading(read_urdf, f"<robot name='r'>{text}</robot>", ".urdf"),
            may=name == "limit",
        )
        for name, text in texts.items()
    ]
