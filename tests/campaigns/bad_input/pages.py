"""Machines that pages drive, recordings of what was driven, feet and shapes of robots' files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics.views.drive import Control, Gauge, Machine, Slider, rerun
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.description import calls
from tests.campaigns.bad_input.robot_files import ROBOTS
from tests.campaigns.bad_input.runs import model
from tests.campaigns.bad_input.vehicle_parts import in_a_file

LISTS: dict[str, Any] = {"number": 1, "text": "torque", "things": [values.Thing()], "texts": ["torque"]}


def machine(**given: Any) -> Machine:
    """A machine of the usual model."""
    return Machine(**{"label": "machine", "model": model(), **given})


def of_machines() -> list[Case]:
    """Machines, controls, sliders, gauges."""
    found = calls(
        "Machine",
        machine,
        {},
        "label:text model:object~ y0:state4 controls sliders gauges forces shapes~",
        {
            "controls": LISTS,
            "sliders": LISTS,
            "gauges": LISTS,
            "forces": {"number": 1, "unknown": ["nobody"], "text": "spring"},
            "shapes": {"list": [1], "number": 1, "nobody": {"nobody": []}},
        },
    )
    pairs: dict[str, Any] = {"number": 1.0, "one": (1.0,), "texts": ("a", "b"), "nan": (1.0, math.nan)}
    own: dict[str, Any] = {
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
        ("controls", Control, {"input": "torque"}, "input:word~ keys rest:number rates gamepad touch"),
        ("sliders", Slider, {"name": "stiffness", "low": 1.0, "high": 2.0},
         "name:word~ low:number high:number step:not_negative"),
        ("gauges", Gauge, gauge, "output:word~ label:unit unit:unit factor:number digits:integer"),
    )  # fmt: skip
    for what, kind, good, spec in parts:
        made = lambda what=what, kind=kind, **given: machine(**{what: [kind(**given)]})  # noqa: E731
        found += calls(kind.__name__, made, good, spec, own)
    return found


def of_recordings() -> list[Case]:
    """What a page saves, with wrong entries."""
    good: dict[str, Any] = {
        "machine": "machine", "step": 1e-3, "steps": 3, "inputs": [[0, 0.0, 10.0]], "y0": [0.0] * 4,
        "end": [0.0] * 4,
    }  # fmt: skip

    def driven(**given: Any) -> Any:
        return rerun(machine(), {**good, **given})

    found = calls(
        "rerun",
        driven,
        {},
        "step:positive steps:integer inputs y0:state4-texts~ end:state4",
        {
            "steps": {"many": 10**12},
            "inputs": {
                "nothing": None,
                "number": 1,
                "text": "no",
                "numbers": [1, 2],
                "short": [[0, 0.0]],
                "texts": [["0", "1", "2"]],
                "nan": [[0, math.nan, 1.0]],
                "mapping": {"0": [1.0]},
                "fraction": [[0.5, 0.0, 10.0]],
            },
        },
    )
    found += [
        Case(
            f"rerun without {name}",
            partial(rerun, machine(), {k: v for k, v in good.items() if k != name}),
            (name,),
        )
        for name in good
    ]
    texts: dict[str, bytes] = {
        "empty": b"", "text": b"driven", "list": b"[]", "deep": b"[" * 100_000,
        "cut": json.dumps(good).encode()[:-5], "not UTF-8": b"\xff\xfe{}", "zeros": b"\0" * 100,
        "nan": json.dumps({**good, "step": math.nan}).encode(),
    }  # fmt: skip
    for name, content in texts.items():
        read = partial(in_a_file, lambda path: rerun(machine(), path), content, ".json")
        found.append(Case(f"rerun of a file: {name}", read))
    paths: dict[str, Any] = {"number": 1, "nothing": None, "bytes": b"x", "none": "no.json", "folder": "/tmp"}
    found += [Case(f"rerun({name})", partial(driven_from, path)) for name, path in paths.items()]
    return found


def driven_from(path: Any) -> Any:
    """A recording in a file."""
    return rerun(machine(), path)


def of_feet() -> list[Case]:
    """Feet and shapes of robots' files."""
    paths: dict[str, Any] = {"number": 1, "nothing": None, "bytes": b"x", "none": "no.urdf", "folder": "/tmp"}
    urdf = next(path for path in sorted(ROBOTS.iterdir()) if path.suffix == ".urdf")
    mjcf = next(path for path in sorted(ROBOTS.iterdir()) if path.suffix == ".xml")
    found = calls(
        "urdf_feet",
        lambda **given: ce.urdf_feet(**{"path": urdf, "friction": 0.5, **given}),
        {},
        (
            "path~ friction:not_negative through:vector normal:direction "
            "pose:mapping-empty-empty_list-zero~ independent:names-unknown~ ignore:names-unknown~"
        ),
        {"path": paths},
    )
    found += calls(
        "mjcf_feet",
        lambda **given: ce.mjcf_feet(**{"path": mjcf, **given}),
        {},
        "path~ pose~ independent:names-unknown~",
        {
            "path": paths,
            "pose": {
                "number": 1.0,
                "unknown": "nobody",
                "unknown name": {"nobody": 1.0},
            },
        },
    )
    found += calls("robot_shapes", ce.robot_shapes, {}, "path~", {"path": {**paths, "ending": "robot.txt"}})
    return found


def prepare() -> None:
    """Compile what is compiled once."""
    rerun(
        machine(),
        {
            "machine": "machine",
            "step": 1e-3,
            "steps": 1,
            "inputs": [],
            "y0": np.zeros(4).tolist(),
            "end": np.zeros(4).tolist(),
        },
    )


def cases() -> list[Case]:
    """All of them."""
    return [*of_machines(), *of_recordings(), *of_feet()]
