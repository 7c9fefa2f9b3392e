"""Tyre property files, vehicles of Project Chrono, clearances, force sweeps, environments."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from ce_dynamics.models import kc
from ce_dynamics.models.environments.env import VehicleEnv
from ce_dynamics.models.kc.force_sweeps import force_sweep_of
from ce_dynamics.models.kc.sweeps import sweep_of
from ce_dynamics.models.tyres import read_tyre_file
from ce_dynamics.models.vehicles.chrono.vehicle import convert_vehicle
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.data_file import damaged
from tests.campaigns.bad_input.description import calls
from tests.models.environments.toy import toy
from tests.models.vehicles.chrono import small_car

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


def in_a_file(read: Callable[[Path], Any], content: bytes, suffix: str) -> Any:
    """Read a file with some content, and take it away again."""
    path = Path(tempfile.mkstemp(suffix=suffix)[1])
    path.write_bytes(content)
    try:
        return read(path)
    finally:
        path.unlink()


def of_property_files() -> list[Case]:
    """Every line with wrong values; files that are none."""
    lines = TIR.splitlines(keepends=True)
    found = []

    def case(name: str, text: str | bytes, may: bool = True) -> None:
        content = text.encode() if isinstance(text, str) else text
        found.append(Case(f"tyre.tir: {name}", lambda: in_a_file(read_tyre_file, content, ".tir"), may=may))

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
    contents: dict[str, str | bytes] = {
        "empty": "", "text": "tyre", "JSON": "{}", "zeros": b"\0" * 3000,
        "random": random.Random(4).randbytes(3000), "UTF-16": TIR.encode("utf-16"), "not closed": "[MODEL",
        "large": b"$" * (3 * 2**20), "lines": "\n" * 500_000, "keys": "A = 1\n" * 20_000,
        "long line": "[MODEL]\nFITTYP = " + "6" * 900_000,
    }  # fmt: skip
    for what, content in contents.items():
        case(what, content, may=what == "UTF-16")
    for seed in range(80):
        case(f"damaged at random ({seed})", damaged(TIR, random.Random(f"tir {seed}")))
    paths: dict[str, Any] = {
        "number": 1, "nothing": None, "bytes": b"x.tir", "zero byte": "a\0.tir", "none": "no.tir",
        "folder": "/tmp", "device": "/dev/zero",
    }  # fmt: skip
    found += [Case(f"read_tyre_file({name})", partial(read_tyre_file, path)) for name, path in paths.items()]
    return found


WRONG_JSON: dict[str, Any] = {
    "text": "strange", "empty": "", "null": None, "true": True, "list": [], "mapping": {}, "nan": math.nan,
    "infinity": math.inf, "huge": 1e308, "minus": -1.0, "zero": 0, "digits": int("9" * 400),
    "nested": [[1.0]], "number": 3.7,
}  # fmt: skip


def leaves(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where there is something in a file of JSON."""
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from leaves(value, (*path, key))


def convert(content: dict[str, Any], raw: dict[str, str | bytes] | None = None) -> Any:
    """Write the files of a small car and convert it."""
    folder = Path(tempfile.mkdtemp())
    try:
        path = small_car.written(folder, content)
        for name, text in (raw or {}).items():
            (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return convert_vehicle(path)
    finally:
        shutil.rmtree(folder)


def of_chrono() -> list[Case]:
    """Every entry of every file of a small car, one at a time."""
    found = []
    for name, part in small_car.files().items():
        for number, place in enumerate(leaves(part)):
            for k, (what, value) in enumerate(WRONG_JSON.items()):
                if (number + k) % 3:
                    continue

                def run(name: str = name, place: Any = place, value: Any = value) -> Any:
                    files = small_car.files()
                    inside = files[name]
                    for key in place[:-1]:
                        inside = inside[key]
                    inside[place[-1]] = value
                    return convert(files)

                found.append(Case(f"{name}: {'.'.join(map(str, place))}: {what}", run, may=True))

            def gone(name: str = name, place: Any = place) -> Any:
                files = small_car.files()
                inside = files[name]
                for key in place[:-1]:
                    inside = inside[key]
                del inside[place[-1]]
                return convert(files)

            found.append(Case(f"{name}: {'.'.join(map(str, place))}: gone", gone, may=True))
        text = json.dumps(part)
        texts: dict[str, str | bytes] = {
            "empty": "", "truncated": text[: len(text) // 2], "list": "[]", "number": "1",
            "not UTF-8": b'{"Name": "\xff"}', "deep": "[" * 100_000, "zeros": b"\0" * 100,
            "comma": text[:-1] + ",}", "twice": text + text, "comment not closed": "/* " + text,
        }  # fmt: skip
        for what, wrong in texts.items():

            def whole(name: str = name, wrong: str | bytes = wrong) -> Any:
                return convert(small_car.files(), {name: wrong})

            unused = name.rpartition("/")[2] in ("Engine.json", "Gears.json", "Tyre.json")
            found.append(Case(f"{name}: file {what}", whole, may=unused or what == "not UTF-8"))
    return found


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
    from ce_dynamics import read_sdf

    found = []

    def case(name: str, text: str | bytes, may: bool = True) -> None:
        content = text.encode() if isinstance(text, str) else text
        found.append(Case(f"SDF: {name}", lambda: in_a_file(read_sdf, content, ".sdf"), may=may))

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
    contents: dict[str, str | bytes] = {
        "empty": "", "text": "sdf", "only a root": "<sdf/>",
        "no model": "<sdf version='1.9'><world name='w'/></sdf>", "not closed": SDF[:300],
        "other root": "<html/>", "deep": "<sdf>" + "<model>" * 50_000,
        "entities": '<!DOCTYPE x [<!ENTITY a "aaaa">]><sdf>&a;</sdf>', "zeros": b"\0" * 500,
        "large": b"<sdf>" + b" " * (70 * 2**20),
    }  # fmt: skip
    for what, content in contents.items():
        case(what, content, may=False)
    for seed in range(60):
        case(f"damaged at random ({seed})", damaged(SDF, random.Random(f"sdf {seed}")))

    def given(**more: Any) -> Any:
        return in_a_file(lambda path: read_sdf(path, **more), SDF.encode(), ".sdf")

    found += calls(
        "read_sdf",
        given,
        {},
        (
            "model:word-nothing~ base:word-nothing~ gravity:vector-nothing_thing~ pose:mapping-empty~ "
            "independent:names~ motors:names~ stops~ ignore:names-unknown~ right_angles:not_negative~ "
            "armature:mapping~"
        ),
        {"stops": {"one": (1.0,), "nan": (math.nan, 1.0), "texts": ("1", "2"), "minus": (-1.0, -1.0)}},
    )
    return found


@cache
def rig() -> Any:
    """Of the HMMWV's front axle."""
    return kc.KCRig.of("hmmwv", "front") if hasattr(kc.KCRig, "of") else None


def of_clearances() -> list[Case]:
    """Parts, clearances, sweeps of forces and travel."""
    part = kc.Part("chassis", [(0, 0, 0), (1, 0, 0)])
    arm = kc.Part("front_left.lower_arm", [(0, 0, 0)])
    found = calls(
        "Part",
        kc.Part,
        {"body": "chassis", "points": [(0, 0, 0)]},
        "body:text-list points:vector-matrix radius:not_negative",
        {
            "body": {"names": [1]},
            "points": {
                "no points": [],
                "short": [(0, 0)],
                "nan in it": [(0, 0, math.nan)],
                "texts in it": [("a", "b", "c")],
            },
        },
    )
    good: dict[str, Any] = {"name": "gap", "one": part, "other": arm, "least": 0.01}
    arrays: dict[str, Any] = {
        "text": "wide", "nan": [math.nan], "empty": [], "matrix": [[0.0, 1.0]], "texts": ["a"],
        "infinity": [math.inf], "thing": values.Thing(),
    }  # fmt: skip
    found += calls(
        "Clearance",
        kc.Clearance,
        good,
        "name:text one:object-thing~ other:object-thing~ least:number sweep:word~ values~",
        {"values": arrays},
    )
    found += calls("sweep_of", sweep_of, {"kind": "parallel"}, "kind:word~ values~", {"values": arrays})
    pairs: dict[str, Any] = {
        "one": (0.0,), "nan": (0.0, math.nan), "texts": ("a", "b"), "number": 1.0, "nothing": None,
    }  # fmt: skip
    found += calls(
        "force_sweep_of",
        force_sweep_of,
        {"kind": "lateral"},
        "kind:word~ values~ place:word hold:word travel",
        {"values": arrays, "travel": pairs},
    )
    return found


@cache
def vehicle() -> Any:
    """A point mass that drives itself, for environments."""
    return toy("path-following")


def environment(**given: Any) -> Any:
    """An environment, reset."""
    made = VehicleEnv(**{"task": "path-following", "vehicle": vehicle(), **given})
    return made.reset(seed=1)


def acting(action: Any) -> Any:
    """One step."""
    made = VehicleEnv("path-following", vehicle())
    made.reset(seed=1)
    return made.step(action)


def of_environments() -> list[Case]:
    """Environments of Gymnasium."""
    found = calls(
        "VehicleEnv",
        environment,
        {},
        (
            "task:word~ vehicle:object~ speed:positive-nothing dt:positive step:positive "
            "road:word-nothing~ tyres:names~ overrides:names~ randomise:mapping-empty~ "
            "options:mapping-empty~ render_mode:word-nothing"
        ),
        {
            "vehicle": {"name": "no such vehicle"},
            "road": {"bad": "bump:height=nan"},
            "tyres": {"text": "tmeasy"},
            "overrides": {"text": "nothing=1"},
            "randomise": {
                "down": {"mass": (2.0, 1.0)},
                "nan": {"mass": (math.nan, 1.0)},
                "one": {"mass": (1.0,)},
            },
        },
    )
    actions = {**values.no_state(2), "outside": [5.0, 0.0]}
    found += [Case(f"VehicleEnv.step({name})", partial(acting, value)) for name, value in actions.items()]
    return found


def prepare() -> None:
    """Compile what is compiled once."""
    environment()


def cases() -> list[Case]:
    """All of them."""
    return [*of_property_files(), *of_chrono(), *of_sdf(), *of_clearances(), *of_environments()]
