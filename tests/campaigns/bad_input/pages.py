"""Machines that pages drive, feet and shapes of robots' files."""

import inspect
import math
from collections.abc import Callable
from typing import Any

import ce_dynamics as ce
from ce_dynamics.views.drive import Control, Gauge, Machine, Slider
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.robot_files import ROBOTS
from tests.campaigns.bad_input.runs import model
from tests.campaigns.bad_input.values import PATHS, calls

LISTS: dict[str, Any] = {"number": 1, "text": "torque", "things": [values.Thing()], "texts": ["torque"]}


def machine(**given: Any) -> Machine:
    return Machine(**{"label": "machine", "model": model(), **given})


def of_machines() -> list[Case]:
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


def of_feet() -> list[Case]:
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
