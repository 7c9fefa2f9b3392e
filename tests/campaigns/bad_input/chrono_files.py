"""Files of Project Chrono: every value of a small car and its trailer wrong, gone, of another kind.

Each is read as it is, or converted with its bushings and trailer, and built into a system.
"""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.chrono.pairing import FileChoice
from ce_dynamics.models.vehicles.chrono.vehicle import convert_vehicle
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.campaigns.bad_input.cases import Case, in_folder
from tests.models.vehicles.chrono.small_car import files
from tests.models.vehicles.chrono.test_bushings import BUSHING, soft
from tests.models.vehicles.chrono.test_trailers import towing

Keys = tuple[str | int, ...]
GONE = object()
NO_NUMBER: dict[str, Any] = {
    "text": "strange", "empty": "", "null": None, "true": True, "list": [1, [2]], "mapping": {"a": 1},
    "NaN": float("nan"), "Infinity": float("inf"), "1e999": 10**999,
}  # fmt: skip
NUMBERS: dict[str, Any] = {"zero": 0, "minus": -1.5, "huge": 1e300, "tiny": 1e-300, "million": 1e6}
TEXTS: dict[str, Any] = {
    "number": 1, "empty": "", "null": None, "unknown": "no-such", "above": "../../etc/passwd",
    "absolute": "/dev/zero", "folder": "car", "itself": "car/Vehicle.json", "line": "a\nb%s{0}",
    "long": "x" * 5000, "surrogate": "\udcff",
}  # fmt: skip
LISTS: dict[str, Any] = {"empty": [], "text": "strange", "null": None, "deep": [[[[1]]]], "mapping": {}}
NOT_READ = ("Name", "Type", "Output", "Visualization", "Contact", "Driver Position", "Vehicle Type")
LOOKS = ("Spindle", "Upright", "Control Arm", "Steering Link", "Arm")
"""Keys that say nothing that is needed, and parts whose radius, width and length only say how they look."""
UNUSED = ("Axle Differential Locking Limit", "Rear Connector Location")
"""Keys that are noted and not used: locks that are open, a coupling without a trailer."""


def may_be_anything(keys: Keys, file: str) -> bool:
    words = [str(key) for key in keys]
    looks = words[0].endswith(LOOKS) and words[-1] in ("Radius", "Width", "Length")
    wheel = file.endswith("Wheel.json") and words == ["Template"]  # there is one kind
    return looks or wheel or any(word.startswith(NOT_READ) or word in UNUSED for word in words)


def leaves(content: Any, above: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    """All values, lists and sections, with the keys that lead to them."""
    if above:
        yield above, content
    entries: Any = ()
    if isinstance(content, dict):
        entries = content.items()
    elif isinstance(content, list):
        entries = enumerate(content[:1])  # the others are like the first
    for key, value in entries:
        yield from leaves(value, (*above, key))


def wrong_values(value: Any) -> dict[str, tuple[Any, bool]]:
    """By name: another value, and whether it may be right."""
    if isinstance(value, bool):
        return {name: (bad, True) for name, bad in NO_NUMBER.items()}
    if isinstance(value, (int, float)):
        sure = {name: (bad, name == "true") for name, bad in NO_NUMBER.items()}
        return sure | {name: (bad, True) for name, bad in NUMBERS.items()}
    if isinstance(value, str):
        return {name: (bad, name == "itself") for name, bad in TEXTS.items()}
    return {name: (bad, name in ("empty", "mapping")) for name, bad in LISTS.items()}


def changed(content: Any, keys: Keys, value: Any) -> dict[str, Any]:
    copy = json.loads(json.dumps(content))
    at: Any = copy
    for key in keys[:-1]:
        at = at[key]
    if value is GONE:
        del at[keys[-1]]
    else:
        at[keys[-1]] = value
    return dict(copy)


def read(content: dict[str, Any], whole: bool = False) -> Any:
    """A vehicle built of such files, or bytes; with its trailer and bushings if that is asked for."""

    def build_it(folder: Path) -> Any:
        for name, part in content.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(part if isinstance(part, bytes) else json.dumps(part).encode())
        car = folder / "car" / "Vehicle.json"
        if not whole:
            return build(VehicleParameters.load(car))
        made = convert_vehicle(car, FileChoice(trailer=folder / "cart/Trailer.json"), bushings=True)
        both = folder / "both.yaml"
        both.write_text(made.text, "utf-8")
        return build(VehicleParameters.load(both))

    return in_folder(build_it)


def of_values() -> list[Case]:
    """Every value of every file, one at a time."""
    content = soft(Upper=BUSHING) | {
        name: part for name, part in towing().items() if name.startswith("cart/")
    }
    content["car/Chassis.json"]["Rear Connector Location"] = [-1.9, 0, 0.1]
    found = []
    for file in content:
        for keys, value in leaves(content[file]):
            ignored = may_be_anything(keys, file)
            whole = file.startswith("cart/") or "Bushing Data" in keys
            for name, (bad, may) in {**wrong_values(value), "gone": (GONE, True)}.items():

                def run(file: str = file, keys: Keys = keys, bad: Any = bad, whole: bool = whole) -> Any:
                    return read({**content, file: changed(content[file], keys, bad)}, whole)

                where = "/".join(map(str, keys))
                found.append(Case(f"{file}: {where} = {name}", run, may=may or ignored))
    return found


def of_files() -> list[Case]:
    content, found = files(), []
    for name, part in content.items():
        text = json.dumps(part).encode()
        unused = name.rpartition("/")[2] in ("Engine.json", "Gears.json", "Tyre.json")
        for what, wrong in {
            "empty": b"", "truncated": text[: len(text) // 2], "list": b"[]", "number": b"1",
            "not UTF-8": b'{"Name": "\xff"}', "deep": b"[" * 100_000, "zeros": b"\0" * 100,
            "comma": text[:-1] + b",}", "twice": text + text, "comment not closed": b"/* " + text,
        }.items():  # fmt: skip
            run = partial(read, {**content, name: wrong})
            found.append(Case(f"{name}: file {what}", run, may=unused or what == "not UTF-8"))
    return found
