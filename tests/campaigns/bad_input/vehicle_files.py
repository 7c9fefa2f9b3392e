"""Files of all shipped vehicles: every line with wrong values, gone, twice, misspelt; sections of others.

Each is loaded and built into a system, which is where trailers, hulls, columns, electric axles, controllers,
leaf springs and whatever else a file may have are checked.
"""

import re
from functools import cache
from typing import Any

import yaml

from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.files import SHIPPED, data_file
from ce_dynamics.models.vehicles.tree import put
from tests.campaigns.bad_input.cases import Case, reading

LEAF = re.compile(r"^(\s*)([\w.-]+):\s+([^#\n]+?)\s*(#.*)?$")
NUMBER = re.compile(r"^-?[\d.]+(e-?\d+)?(?= |$)")
NO_FIGURES = ("source", "title", "sources")
"""Keys that accept any text."""
SURE = (
    "nan", ".inf", "strange", "[1, [2]]", "{a: 1}", "null", "yes", "1 A", "!!binary aGk=", "1e999", "'1'",
    "12 K", "3 A/m", "1 km^999", "1 km^99999999999999999999", "1 " + "*".join(["kg"] * 5000), "2020-01-01",
    "1 [nobody]", "1 + 1", "0x10", "1,5",
)  # fmt: skip
"""Values that are wrong for every number of a vehicle."""
FACTORS = (0.0, -1.0, 1e9, 1e-9, 1e300, 10.0)
PER_LINE = 4
"""Wrong values of a line, in turn."""


@cache
def lines_of(name: str) -> tuple[str, ...]:
    return tuple(SHIPPED[name].read_text("utf-8").splitlines(keepends=True))


def built(text: str) -> Any:
    return reading(lambda path: build(VehicleParameters.load(str(path))), text, ".yaml")()


def of_lines() -> list[Case]:
    found = []
    for name in SHIPPED:
        lines = lines_of(name)

        def case(
            where: str, put: tuple[str, ...], k: int, says: tuple[str, ...], may: bool, lines: Any = lines
        ) -> None:
            text = "".join([*lines[:k], *put, *lines[k + 1 :]])
            found.append(Case(where, lambda: built(text), says, may))

        for k, line in enumerate(lines):
            leaf = LEAF.match(line)
            if leaf is None or leaf[2] in NO_FIGURES or "estimate" in leaf[3]:
                continue
            space, key, value = leaf[1], leaf[2], leaf[3]
            where = f"{name}: {key}[{k}]"
            number = NUMBER.match(value)
            for j in range(PER_LINE):
                wrong = SURE[(k + 3 * j) % len(SURE)]
                may = number is None or wrong == "'1'"
                case(f"{where} = {wrong}", (f"{space}{key}: {wrong}\n",), k, () if may else (key,), may)
            if number is not None:
                for j in range(2):
                    factor = FACTORS[(k + 3 * j) % len(FACTORS)]
                    scaled = f"{float(number[0]) * factor:.6g}{value[number.end() :]}"
                    case(f"{where} × {factor:g}", (f"{space}{key}: {scaled}\n",), k, (), True)
            else:
                swapped = value.replace("(", "(-").replace(", ", ", -") if k % 2 else value[:-1]
                case(f"{where} = {swapped}", (f"{space}{key}: {swapped}\n",), k, (), True)
            if k % 3 == 0:
                case(f"{where} gone", (), k, (), True)
            elif k % 3 == 1:
                case(f"{where} twice", (line, line), k, (key,), False)
            else:
                case(f"{where} misspelt", (f"{space}{key}x: {value}\n",), k, (f"{key}x",), False)
    return found


def of_sections() -> list[Case]:
    """A section of one vehicle in another, which has it or not; wrong axles, trailers and kinds."""
    sections: dict[str, str] = {}
    for name, path in SHIPPED.items():
        file = data_file(path)
        nested: dict[str, Any] = {}
        for key, entry in (*file.words, *file.assignments):
            put(nested, key, entry.value)
        for head, block in nested.items():
            if head != "base":
                sections.setdefault(f"{name} {head}", yaml.safe_dump({head: block}, sort_keys=False))
    found = []
    for k, (source, block) in enumerate(sections.items()):
        for j, base in enumerate(SHIPPED):
            if (k + j) % 4 == 0 and not source.startswith(f"{base} "):
                text = f"base: {base}\n{block}\n"
                found.append(Case(f"{base} with {source}", lambda text=text: built(text), (), True))  # type: ignore[misc]
    for text in STRANGE:
        for base in ("sedan", "van-trailer", "truck", "sedan-electric"):
            whole = f"base: {base}\n{text}\n"
            found.append(Case(f"{base} with {text!r}", lambda whole=whole: built(whole), (), True))  # type: ignore[misc]
    return found


STRANGE = (
    "axles: {front: {suspension: double-wishbone, trailer: nobody}}",
    "axles: {front: {suspension: nothing}}", "axles: {front: null}",
    "axles: {front: {suspension: strut, steering: nothing}}", "axles: []", "axles: 3", "axles: {}",
    "axles: {third: {suspension: strut}}",
    "axles: {trailer_9: {suspension: trailing-arm, trailer: trailer}}",
    "trailers: {trailer: {hitch: rope}}", "trailers: {trailer: {hitch: ball, behind: trailer}}",
    "trailers: {a: {hitch: ball, behind: b}, b: {hitch: ball, behind: a}}",
    "trailers: {a: {hitch: ball, behind: nobody}}", "trailers: {chassis: {hitch: ball}}",
    "trailers: {trailer: null}", "trailers: {trailer: ball}", "trailers: [trailer]",
    "trailers: {'': {hitch: ball}}", "trailers: {'a b': {hitch: ball}}",
    "trailers: {dolly: {hitch: fifth-wheel}}", "trailer: {hitch: {x: 1000 km}}", "trailer: {mass: 0 kg}",
    "kinds: {powertrain: steam}", "kinds: {powertrain: electric, steering: wheel}",
    "kinds: {tyre: square}", "kinds: null", "kinds: {nothing: much}", "kinds: [automatic]",
    "base: sedan\nbase: truck", "front: {bushings: {nothing: {stiffness: 1 N/m}}}", "front: {bushings: 7}",
    "front: {bushings: {lower_arm: null}}", "front: {spring: {table: [[0 m, 0 N], [0 m, 1 N]]}}",
    "front: {spring: {table: [[1 m, 0 N], [0 m, 1 N]]}}", "front: {spring: {table: []}}",
    "front: {damper: {table: [[0 m/s, nan]]}}", "front: {wheel: {twin_spacing: -1 m}}", "abs: {}",
    "esc: {gain: nan}", "traction: 1", "assistance: {abs: yes}", "hull: {points: [(0, 0, 0)]}",
    "hull: {points: []}", "hull: {friction: -1}", "aerodynamics: {area: -1 m^2}",
    "aerodynamics: {density: 0 kg/m^3}", "steering: {ratio: 0}",
    "chassis: {mass: 1 kg, inertia: 'diag(1, 1, 3) kg*m^2'}", "chassis: {com: (0, 0) m}",
    "chassis: {com: '(0, 0, 0, 0) m'}", "road: {friction: 0}", "road: {friction: -1}",
    "gravity: (0, 0, 9.81) m/s^2", "mirror: yes", "left: {D: (0, 0, 0) m}", "front_left: {W: (0, 0, 0) m}",
    "front_left: {W: (0, -1, 0) m}",
)  # fmt: skip
