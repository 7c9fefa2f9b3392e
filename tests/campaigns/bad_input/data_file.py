"""Data files of the HMMWV: wrong files, damaged ones, overrides; `vehicle_files` has wrong lines."""

import random
import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ce_dynamics.models.vehicles.description import HmmwvParameters, VehicleParameters
from ce_dynamics.models.vehicles.files import SHIPPED
from tests.campaigns.bad_input.cases import Case, Content, reading

MAY_BE = ("sources are text", "title is a mapping", "unknown tag")
"""Files that may be read: what they have too much moves nothing."""


def load(text: Content) -> Any:
    return reading(VehicleParameters.load, text, ".yaml")()


def nested(key: str, value: str) -> str:
    lines = [f"{'  ' * depth}{name}:" for depth, name in enumerate(key.split("."))]
    return "\n".join(lines) + f" {value}\n"


KEYS = (
    "1: 2", "? [a, b]\n: 1", "? {a: b}\n: 1", "null: 1", "chassis:\n  mass: 1 kg\n  mass: 2 kg", "<<: {a: 1}",
    "''  : 1", "chassis:\n  mass:\n    more: 1", "chassis: 1", "chassis:\n  1: 1", "chassis.mass.more: 1",
)  # fmt: skip
"""Keys that a file cannot have."""


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{k + 1}: &a{k + 1} [{', '.join([f'*a{k}'] * 10)}]" for k in range(levels)]
    return "\n".join(lines)


def of_files() -> list[Case]:
    texts: dict[str, Content] = {
        "empty": "",
        "comment": "# nothing",
        "scalar": "hmmwv",
        "list": "- a\n- b",
        "null": "~",
        "tabs": "chassis:\n\tmass: 1 kg",
        "indentation": "chassis:\n  mass: 1 kg\n extra: 2",
        "not UTF-8": b"chassis:\n  mass: \xff\xfe 1 kg",
        "UTF-16": "chassis:\n  mass: 1 kg".encode("utf-16"),
        "zero bytes": b"\0" * 1000,
        "control characters": b"chassis:\n  mass: \x07 1 kg",
        "random bytes": random.Random(1).randbytes(5000),
        "image": b"\x89PNG\r\n\x1a\n" + random.Random(2).randbytes(500),
        "bomb": bomb(9),
        "deep bomb": bomb(25),
        "mapping bomb": "\n".join(
            ["a0: &a0 {x: 1, y: 1}"] + [f"a{k + 1}: &a{k + 1} {{x: *a{k}, y: *a{k}}}" for k in range(40)]
        ),
        "alias of itself": "chassis: &c\n  mass: *c",
        "alias of itself in a list": "chassis:\n  inertia: &i [*i, 1, 1]",
        "unknown alias": "chassis: *nobody",
        "deep lists": "chassis: " + "[" * 20000 + "]" * 20000,
        "deep mappings": "\n".join(f"{' ' * k}a:" for k in range(3000)),
        "deep flow mappings": "chassis: " + "{a: " * 5000 + "1" + "}" * 5000,
        "two documents": "chassis:\n  mass: 1 kg\n---\nchassis:\n  mass: 2 kg",
        "Python object": "chassis: !!python/object/apply:os.getcwd []",
        "unknown tag": "chassis:\n  mass: !heavy 1 kg",
        "binary": "chassis:\n  mass: !!binary aGVsbG8=",
        "set": "chassis: !!set {mass, inertia}",
        "a million keys": lambda: "\n".join(f"k{k}: 1" for k in range(300_000)),
        "long line": lambda: "chassis:\n  mass: " + "9" * 3_000_000,
        "long key": "x" * 100_000 + ": 1",
        "large": lambda: "# " + "x" * (70 * 2**20),
        "sources are a list": "sources: [a, b]\nchassis:\n  mass: 1 kg",
        "sources are text": "sources: me\nchassis:\n  mass: 1 kg [you]",
        "title is a mapping": "title: {a: [1]}\nchassis:\n  mass: nan",
        "source is a list": "chassis:\n  source: [a]\n  mass: 1 kg",
        "percent": "%YAML 9.9\n---\nchassis:\n  mass: nan",
        "JSON": '{"chassis": {"mass": NaN}}',
        "XML": "<chassis mass='1'/>",
    }
    found = [Case(f"file: {name}", partial(load, text), may=name in MAY_BE) for name, text in texts.items()]
    found += [Case(f"keys {text!r}", partial(load, text)) for text in KEYS]
    paths = map(Path, ("/dev/zero", "/dev/null", "no/such/file.yaml", tempfile.gettempdir()))
    return found + [Case(f"variant: {path}", partial(HmmwvParameters.load, variant=path)) for path in paths]


def of_damaged_files() -> list[Case]:
    return of_damage(VehicleParameters.load, "vehicle", SHIPPED["hmmwv"].read_text("utf-8"), ".yaml", 150)


def of_damage(read: Callable[..., Any], name: str, text: str, suffix: str, number: int) -> list[Case]:
    """A text damaged at random; what remains may be right."""
    broken = (damaged(text, random.Random(f"{name} {seed}")) for seed in range(number))
    return [
        Case(f"{name}: damaged at random ({seed})", reading(read, one, suffix), may=True)
        for seed, one in enumerate(broken)
    ]


def damaged(text: str, chance: random.Random) -> str:
    """A text with a piece cut, doubled, exchanged, or characters changed."""
    for _ in range(chance.randint(1, 4)):
        a, b = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        b = min(b, a + 200)
        what = chance.randrange(6)
        if what == 0:
            text = text[:a] + text[b:]
        elif what == 1:
            text = text[:b] + text[a:b] + text[b:]
        elif what == 2:
            text = text[:a]
        elif what == 3:
            text = text[:a] + chance.choice("\0\t\n'\"[]{}:,#&*!|>%@`-?é ") + text[a:]
        elif what == 4:
            numbers = list(re.finditer(r"\d+\.?\d*", text))
            if numbers:
                found = chance.choice(numbers)
                value = chance.choice(["nan", "-1e300", "1e999", "0", "", "1e-320", "inf"])
                text = text[: found.start()] + value + text[found.end() :]
        else:
            lines = text.splitlines(keepends=True)
            if lines:
                chance.shuffle(lines[:10])
                del lines[chance.randrange(len(lines))]
                text = "".join(lines)
        text = text or "x"
    return text


def of_overrides() -> list[Case]:
    """``key=value`` as text."""
    texts = [
        "", "=", "mass", "chassis.mass", "chassis.mass=", "=1 kg", "chassis.mass==1", "chassis..mass=1",
        ".=1", "chassis.mass=1 km^999", "chassis.mass=1e400", "chassis.mass=1 kg kg", "chassis.mass=kg",
        "chassis=1", "chassis.mass.x=1", "front.D.9=1", "front.D.y=nan", "front.D=(1,2)",
        "front.D=(1,2,3,4)", "front.D=(a,b,c)", "front.D=(1e300,0,0) km^9", "front.spring.linear=-1",
        "front.spring.linear=1 N*m", "x" * 10000 + "=1", "chassis.mass=" + "9" * 100000, "chassis.mass=\0",
        "chassis.mass=1\n2", "chassis.mass=1 kg [", "tyre=1", "sources.a=b", "title=x",
        "front.D=" + "(" * 10000, "chassis.inertia=diag(1,1,-5)",
        "chassis.inertia=(1e308,1e308,1e308,1e308,1e308,1e308)",
    ]  # fmt: skip
    wrong: list[Any] = [None, 1, b"chassis.mass=1", ["chassis.mass=1"], {"chassis.mass": 1}]
    found = [
        Case(f"override {str(given)[:60]!r}", partial(VehicleParameters.load, "hmmwv", [given]))
        for given in [*texts, *wrong]
    ]
    no_lists: tuple[Any, ...] = ("chassis.mass=1", 1, None, b"x")
    found += [
        Case(f"overrides {given!r}", partial(VehicleParameters.load, "hmmwv", given), may=given is None)
        for given in no_lists
    ]
    found += [
        Case(f"unit {unit[:30]!r}", partial(load, nested("chassis.mass", f"1 {unit}")))
        for unit in (
            "km^999",
            "m^-999",
            "/km^500*km^-500",
            "m^",
            "^2",
            "m m^1000000000000",
            "1" * 1000,
            "m" * 100000,
            "k m**9**9",
            "°" * 3,
            "m\0",
        )
    ]
    return found
