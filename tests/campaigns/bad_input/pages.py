"""Machines that pages drive, recordings of what was driven, feet and shapes of robots' files."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import ce_dynamics as ce
from ce_dynamics.views.drive import Control, Gauge, Machine, Slider, rerun
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case, reading
from tests.campaigns.bad_input.robot_files import ROBOTS
from tests.campaigns.bad_input.runs import model
from tests.campaigns.bad_input.values import PATHS, calls

LISTS: dict[str, Any] = {"number": 1, "text": "torque", "things": [values.Thing()], "texts": ["torque"]}


def machine(**given: Any) -> Machine:
    """A machine of the usual model."""
    return Machine(**{"label": "machine", "model": model(), **given})


def of_machines() -> list[Case]:
    """Machines, controls, sliders, gauges."""
    own: dict[str, Any] = {
        "controls": LISTS, "sliders": LISTS, "gauges": LISTS,
        "forces": {"number": 1, "unknown": ["nobody"], "text": "spring"},
        "shapes": {"list": [1], "number": 1, "nobody": {"nobody": []}},
    }  # fmt: skip
    spec = "model:object~ y0:state4 shapes:~ view: help: start: title:"
    found = calls(Machine, {}, spec, own, machine)
    pairs: dict[str, Any] = {"number": 1.0, "one": (1.0,), "texts": ("a", "b"), "nan": (1.0, math.nan)}
    own = {
        "keys": {"number": 1, "text": "KeyA", "numbers": ((1,), (2,)), "one": ((),)},
        "rates": {**pairs, "negative": (-1.0, 1.0), "zero": (0.0, 0.0)},
        "gamepad": {"number": 1, "unknown": "pedal", "nothing": None},
        "touch": {"number": 1, "unknown": "nose", "nothing": None},
        "low": {"above": 3.0},
        "high": {"below": 0.5},
        "digits": {"many": 100},
    }
    gauge = {"output": "angle", "label": "angle", "unit": "rad"}
    parts: tuple[tuple[str, Callable[..., Any], dict[str, Any], str], ...] = (
        ("controls", Control, {"input": "torque"}, "input:word~ keys: rest:number rates: gamepad: touch:"),
        ("sliders", Slider, {"name": "stiffness", "low": 1.0, "high": 2.0}, "name:word~ step:not_negative"),
        ("gauges", Gauge, gauge, "output:word~ label:unit"),
    )  # fmt: skip
    for what, kind, good, spec in parts:
        made = lambda what=what, kind=kind, **given: machine(**{what: [kind(**given)]})  # noqa: E731
        arguments = inspect.signature(kind).parameters
        found += calls(kind, good, spec, {name: own[name] for name in own if name in arguments}, made)
    return found


def of_recordings() -> list[Case]:
    """Make cases of recordings of a page with wrong entries."""
    good: dict[str, Any] = {
        "machine": "machine", "step": 1e-3, "steps": 3, "inputs": [[0, 0.0, 10.0]], "y0": [0.0] * 4,
        "end": [0.0] * 4,
    }  # fmt: skip

    def driven(**given: Any) -> Any:
        return rerun(machine(), {**good, **given})

    own = {
        "steps": {"many": 10**12},
        "inputs": {
            "nothing": None, "number": 1, "text": "no", "numbers": [1, 2], "short": [[0, 0.0]],
            "texts": [["0", "1", "2"]], "nan": [[0, math.nan, 1.0]], "mapping": {"0": [1.0]},
            "fraction": [[0.5, 0.0, 10.0]],
        },
    }  # fmt: skip
    spec = "step:positive steps:integer inputs: y0:state4-texts~ end:state4 machine: recording: driven:"
    found = calls(rerun, {}, spec, own, driven)
    for name in good:
        less = {key: value for key, value in good.items() if key != name}
        found.append(Case(f"rerun without {name}", partial(rerun, machine(), less), (name,)))
    texts: dict[str, bytes] = {
        "empty": b"", "text": b"driven", "list": b"[]", "deep": b"[" * 100_000,
        "cut": json.dumps(good).encode()[:-5], "not UTF-8": b"\xff\xfe{}", "zeros": b"\0" * 100,
        "nan": json.dumps({**good, "step": math.nan}).encode(),
    }  # fmt: skip
    read = lambda path: rerun(machine(), path)  # noqa: E731
    found += [Case(f"rerun of a file: {name}", reading(read, text, ".json")) for name, text in texts.items()]
    return found + [Case(f"rerun({name})", partial(read, path)) for name, path in PATHS.items()]


def of_feet() -> list[Case]:
    """Feet and shapes of robots' files."""
    urdf = next(path for path in sorted(ROBOTS.iterdir()) if path.suffix == ".urdf")
    mjcf = next(path for path in sorted(ROBOTS.iterdir()) if path.suffix == ".xml")
    own: dict[str, Any] = {"path": PATHS}
    spec = "path:~ loops: tolerance:-zero pose:mapping-empty-empty_list-zero~ independent:names-unknown~"
    found = calls(
        ce.urdf_feet, {"path": urdf, "friction": 0.5}, f"{spec} ignore:names-unknown~ through:vector", own
    )
    own |= {"pose": {"number": 1.0, "unknown": "nobody", "unknown name": {"nobody": 1.0}}}
    found += calls(
        ce.mjcf_feet, {"path": mjcf}, "path:~ pose:~ independent:names-unknown~ tolerance:-zero", own
    )
    return found + calls(ce.robot_shapes, {}, "path:~", {"path": {**PATHS, "ending": "robot.txt"}})


def prepare() -> None:
    """Compile what is compiled once."""
    still = {"inputs": [], "y0": [0.0] * 4, "end": [0.0] * 4}
    rerun(machine(), {"machine": "machine", "step": 1e-3, "steps": 1, **still})
