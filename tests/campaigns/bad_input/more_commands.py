"""Subcommands of ``simulate-vehicle``: rig, exports, drive pages, handling, conversion; bushings in files."""

from __future__ import annotations

import itertools

from tests.campaigns.bad_input.cases import Case, reading
from tests.campaigns.bad_input.command_line import LONG, NUMBERS, case, command

RANGES = (
    "", ":", "1", "1:", ":1", "0:0", "1:-1", "nan:1", "0:inf", "-0.1:0.1:0", "-0.1:0.1:1.5", "-0.1:0.1:-3",
    "a:b", "0:1:999999999", "0:1 km^999:3", "0:1 kg:3", "1:2:3:4",
)  # fmt: skip


def of_rigs() -> list[Case]:
    """``kc``."""
    few = ("--travel", "-0.01:0.01:3", "--steering", "-0.1:0.1:3", "--no-plots", "--output", "bad")
    found = [
        case("kc", *few, option, value)
        for option, value in itertools.product(("--travel", "--steering", "--forces", "--torques"), RANGES)
        if option in ("--travel", "--steering") or value != ""
    ]
    for option in ("--sweep", "--force", "--at", "--hold", "--axle", "--vehicle"):
        found += [
            case("kc", *few, option, value) for value in ("", "nothing", "PARALLEL", "\0", LONG, "/dev/zero")
        ]
    found += [
        case("kc", *few, "--set", value)
        for value in ("", "x", "nothing=1", "front.D=nan", "front.D=(1e300,0,0)", "front.D.y=1 kg")
    ]
    found += [
        case("kc", "--nothing"),
        case("kc", "more"),
        case("kc", *few[:-1], "/dev/null/x"),
        case("kc", "--axle", "rear", "--sweep", "steering", *few[:-2]),
    ]
    return found


def of_exports() -> list[Case]:
    """``export``, ``drive``, ``convert``, ``handling``."""
    found = [case("export", value) for value in ("", "nothing", "C", "\0", LONG)]
    for kind in ("fmu", "c"):
        found += [case("export", kind, "--model", value) for value in ("", "nothing", "/dev/zero", "/tmp")]
        found += [
            case("export", kind, "--name", value)
            for value in ("", "1x", "a b", "../x", "double", "\0", LONG, "ä")
        ]
        found += [
            case("export", kind, "--road", value) for value in ("nothing", "bump:height=nan", "no.crg", "\0")
        ]
        found += [
            case("export", kind, "--tyre", value)
            for value in ("nothing", "front=no.tir", "=", "no.tir", "\0")
        ]
        found += [case("export", kind, "--set", value) for value in ("", "nothing=1", "chassis.mass=nan")]
        found += [case("export", kind, "--speed", value) for value in NUMBERS if value not in ("0",)]
        found += [case("export", kind, "--output", value) for value in ("/dev/null/x", "\0", LONG)]
    found += [case("export", "fmu", "--fmi", value) for value in ("", "1.0", "3", "two")]
    found += [case("export", "fmu", "--platform", value) for value in ("", "amiga", "\0")]
    for option, chosen in {
        "--vehicle": ("", "nothing", "/dev/zero", "/tmp"),
        "--manoeuvre": ("", "nothing"),
        "--road": ("nothing", "bump:height=nan", "\0"),
        "--tyre": ("nothing", "no.tir", "\0"),
        "--slider": (
            "",
            "nothing",
            "chassis.mass=2:1",
            "chassis.mass=nan:1",
            "chassis.mass=1:inf",
            "nothing=1:2",
            "=1:2",
        ),
        "--set": ("", "nothing=1", "chassis.mass=nan"),
        "--step": (*NUMBERS, "1e-300", "1e300", "10"),
        "--speed": tuple(n for n in NUMBERS if n != "0"),
        "--output": ("/dev/null/x", "\0", LONG),
    }.items():
        found += [case("drive", option, value) for value in chosen]
    found += [
        case("convert", value) for value in ("", "nothing.json", "/dev/zero", "/dev/null", "/tmp", "\0", LONG)
    ]
    found += [case("handling", value) for value in ("", "nothing", "\0", LONG)]
    for option, chosen in {
        "--vehicle": ("", "nothing", "/dev/zero"),
        "--set": ("", "nothing=1", "chassis.mass=nan"),
        "--variant": ("", "x", "a:nothing=1", "=", "\0"),
        "--option": ("", "x", "nothing=1", "speed=nan", "speed=1 km^999", "=1"),
        "--tyre": ("nothing", "no.tir"),
        "--road": ("nothing", "bump:height=nan"),
    }.items():
        found += [case("handling", "step-input", "--no-plots", option, value) for value in chosen]
    found += [
        case("handling", "step-input", "step-input", "--option", "nothing=1"),
        case("handling", "--nothing"),
    ]
    return found


FEW = ("--no-plots", "--travel", "0:0.01:2", "--output", "bad")
BUSHING = """base: sedan
front:
  bushings:
    lower_arm:
      {key}: {value}
"""


def of_bushings() -> list[Case]:
    """Bushings in vehicle files."""
    wrong = (
        "", "nan", ".inf", "text", "-1 N/m", "[1, 2]", "[1, 2, 3] kg", "{x: 1}", "1e999 N/m",
        "[1 N/m, 1 N/m, -1 N/m]", "null", "yes", "1 km^999",
    )  # fmt: skip
    keys = ("stiffness", "damping", "radial", "axial", "torsional", "conical", "nothing", "axes", "at")
    found = []
    for key, value in itertools.product(keys, wrong):
        text = BUSHING.format(key=key, value=value)
        run = reading(lambda path: command("kc", "--vehicle", str(path), *FEW), text, ".yaml")
        found.append(Case(f"bushing {key}: {value}", run))
    return found


def prepare() -> None:
    """Compile what is compiled once."""
    command("kc", "--travel", "0:0.01:2", "--no-plots", "--output", "bad")
