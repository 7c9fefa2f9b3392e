"""Tyre property files, SDF files, environments."""

import math
import random
import re
from functools import cache, partial
from typing import Any

from ce_dynamics import read_sdf
from ce_dynamics.models.environments.env import VehicleEnv
from ce_dynamics.models.tyres import read_tyre_file
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case, Content, reading
from tests.campaigns.bad_input.data_file import of_damage
from tests.campaigns.bad_input.robot_files import of_files
from tests.campaigns.bad_input.values import PATHS, calls
from tests.models.environments.toy import toy

TIR = """[MDI_HEADER]
FILE_TYPE = 'tir'
[UNITS]
LENGTH = 'meter'
FORCE = 'newton'
ANGLE = 'radians'
MASS = 'kg'
TIME = 'second'
[MODEL]
PROPERTY_FILE_FORMAT = 'PAC2002'
FITTYP = 6
TYRESIDE = 'LEFT'
USE_MODE = 4
LONGVL = 16.6
[DIMENSION]
UNLOADED_RADIUS = 0.35
WIDTH = 0.2
RIM_RADIUS = 0.2
[VERTICAL]
FNOMIN = 4000
VERTICAL_STIFFNESS = 2e5
VERTICAL_DAMPING = 50
[DEFLECTION_LOAD_CURVE]
{pen fz}
0.00 0.0
0.02 4000.0
0.05 11000.0
[LONGITUDINAL_COEFFICIENTS]
PCX1 = 1.6
PDX1 = 1.2
PKX1 = 20
[LATERAL_COEFFICIENTS]
PCY1 = 1.3
PDY1 = 1.0
PKY1 = -18
PKY2 = 1.5
[ALIGNING_COEFFICIENTS]
QBZ1 = 8
QCZ1 = 1.1
QDZ1 = 0.1
"""
SCALARS = (
    "nan", "inf", "1e999", "text", "", "0", "-1", "1e300", "-1e300", "1 2", "1,5", "'", "0x10", "9" * 5000,
    "1.0.0", "--1",
)  # fmt: skip


def of_property_files() -> list[Case]:
    """Every line with wrong values; files that are none."""
    lines = TIR.splitlines(keepends=True)
    found = []

    def case(name: str, text: Content, may: bool = True) -> None:
        found.append(Case(f"tyre.tir: {name}", reading(read_tyre_file, text, ".tir"), may=may))

    for k, line in enumerate(lines):
        name = line.partition("=")[0].strip()
        before, after = lines[:k], lines[k + 1 :]
        case(f"{name} gone", "".join([*before, *after]))
        case(f"{name} twice", "".join([*before, line, line, *after]))
        if "=" in line:
            number = bool(re.search(r"= -?[\d.]", line))
            for value in SCALARS:
                sure = number and value in ("nan", "inf", "1e999", "text")
                case(
                    f"{name} = {value[:12]!r}",
                    "".join([*before, f"{name} = {value}\n", *after]),
                    may=not sure,
                )
            again = "".join([*before, line, f"{name} = 77\n", *after])
            case(f"{name} twice, and 77", again, may=not re.search(r"= -?[\d.]", line))
            case(f"{name} without =", "".join([*before, line.replace("=", " "), *after]))
        elif line[0].isdigit():
            for value in ("nan nan", "0.02", "0.02 1 2", "-1 0", "a b", "0.02 inf"):
                case(f"row {k} {value}", "".join([*before, value + "\n", *after]), may=value == "-1 0")
    contents: dict[str, Content] = {
        "empty": "", "text": "tyre", "JSON": "{}", "zeros": b"\0" * 3000,
        "random": random.Random(4).randbytes(3000), "UTF-16": TIR.encode("utf-16"), "not closed": "[MODEL",
        "large": lambda: b"$" * (3 * 2**20), "lines": "\n" * 500_000, "keys": "A = 1\n" * 20_000,
        "long line": "[MODEL]\nFITTYP = " + "6" * 900_000,
    }  # fmt: skip
    for what, content in contents.items():
        case(what, content, may=what == "UTF-16")
    return [*found, *of_damage(read_tyre_file, "tyre.tir", TIR, ".tir", 80)] + [
        Case(f"read_tyre_file({name})", partial(read_tyre_file, path)) for name, path in PATHS.items()
    ]


SDF = """<sdf version="1.9"><world name="w"><gravity>0 0 -5</gravity><model name="pair">
<link name="arm"><pose>0.1 0 0.1 0.3 -0.2 0.5</pose>
<inertial><pose>0 0 0 0 0 0</pose><mass>1</mass>
<inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz><ixy>0.01</ixy></inertia></inertial></link>
<link name="hand"><pose>0.5 0 0.6 0 0 0</pose>
<inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial></link>
<joint name="drive" type="revolute"><pose relative_to="__model__">0 0 0 0 0 0</pose>
<parent>world</parent><child>arm</child>
<axis><xyz expressed_in="__model__">0 1 0</xyz>
<limit><lower>-1</lower><upper>1</upper></limit><dynamics><damping>0.2</damping></dynamics></axis></joint>
<joint name="elbow" type="universal"><parent>arm</parent><child>hand</child>
<axis><xyz>0 1 0</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>
</model></world></sdf>"""
CONTENT = re.compile(r">([^<>\s][^<>]*)<")
WRONG_TEXT = (
    "", "nan", "inf", "1e999", "text", "0", "-1", "1 2 3 4 5 6 7 8", "1e300", "0x10", "1,2,3", "9" * 5000,
)  # fmt: skip


def of_sdf() -> list[Case]:
    """Every number and name of an SDF file; files that are none."""
    found = []

    def case(name: str, text: Content, may: bool = True) -> None:
        found.append(Case(f"SDF: {name}", reading(read_sdf, text, ".sdf"), may=may))

    for place, match in enumerate(CONTENT.finditer(SDF)):
        number = bool(re.fullmatch(r"[-\d. ]+", match[1]))
        for value in WRONG_TEXT:
            sure = number and value in ("nan", "1e999", "text", "1,2,3")
            case(
                f"{match[1]!r}[{place}] = {value[:9]!r}",
                SDF[: match.start(1)] + value + SDF[match.end(1) :],
                may=not sure,
            )
    for place, match in enumerate(re.finditer(r'([a-z_]+)="([^"]*)"', SDF)):
        for value in ("", "strange", "1"):
            case(f"{match[1]}[{place}] = {value!r}", SDF[: match.start(2)] + value + SDF[match.end(2) :])
        case(f"{match[1]}[{place}] gone", SDF[: match.start()] + SDF[match.end() :])
    case("no model", "<sdf version='1.9'><world name='w'/></sdf>", may=False)
    case("not closed", SDF[:300], may=False)
    found += of_files(read_sdf, "sdf", ".sdf")
    found += of_damage(read_sdf, "SDF", SDF, ".sdf", 60)

    stops = {"one": (1.0,), "nan": (math.nan, 1.0), "texts": ("1", "2"), "minus": (-1.0, -1.0)}
    spec = (
        "path: model:word base:word gravity:vector-nothing_thing pose:mapping-empty motors:names "
        "ignore:names-unknown right_angles:not_negative independent:names armature:mapping stops: "
        "tolerance:-zero ~"
    )
    run = lambda **given: reading(read_sdf, SDF, ".sdf", **given)()  # noqa: E731
    return found + calls(read_sdf, {}, spec, {"stops": stops}, run)


@cache
def vehicle() -> Any:
    return toy("path-following")


def environment(**given: Any) -> Any:
    made = VehicleEnv(**{"task": "path-following", "vehicle": vehicle(), **given})
    return made.reset(seed=1)


def acting(action: Any) -> Any:
    made = VehicleEnv("path-following", vehicle())
    made.reset(seed=1)
    return made.step(action)


def of_environments() -> list[Case]:
    own = {
        "vehicle": {"name": "no such vehicle"}, "road": {"bad": "bump:height=nan"},
        "tyres": {"text": "tmeasy"}, "overrides": {"text": "nothing=1"},
        "randomise": {
            "down": {"mass": (2.0, 1.0)}, "nan": {"mass": (math.nan, 1.0)}, "one": {"mass": (1.0,)},
        },
    }  # fmt: skip
    spec = (
        "task~ vehicle:object~ speed:positive road:word~ tyres:names~ overrides:names~ render_mode:word "
        "randomise:mapping-empty~ options:mapping-empty~"
    )
    found = calls(VehicleEnv, {}, spec, own, environment)
    actions = {**values.no_state(2), "outside": [5.0, 0.0]}
    found += [Case(f"VehicleEnv.step({name})", partial(acting, value)) for name, value in actions.items()]
    return found


def prepare() -> None:
    environment()
