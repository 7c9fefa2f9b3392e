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
from tests.bad_input import values
from tests.bad_input.cases import Case
from tests.bad_input.description import calls
from tests.bad_input.robot_files import ROBOTS
from tests.bad_input.runs import model
from tests.bad_input.vehicle_parts import in_a_file

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
        {
            "label": values.NO_TEXT,
            "model": values.NO_OBJECT,
            "y0": values.no_state(4),
            "controls": LISTS,
            "sliders": LISTS,
            "gauges": LISTS,
            "forces": {"number": 1, "unknown": ["nobody"], "text": "spring"},
            "shapes": {"list": [1], "number": 1, "nobody": {"nobody": []}},
        },
        says={"model": "", "shapes": ""},
    )
    pairs: dict[str, Any] = {"number": 1.0, "one": (1.0,), "texts": ("a", "b"), "nan": (1.0, math.nan)}
    rates = {**pairs, "negative": (-1.0, 1.0), "zero": (0.0, 0.0)}
    parts: list[tuple[str, Callable[..., Any], dict[str, Any], dict[str, Any]]] = [
        (
            "controls",
            Control,
            {"input": "torque"},
            {
                "input": values.NO_WORD,
                "keys": {"number": 1, "text": "KeyA", "numbers": ((1,), (2,)), "one": ((),)},
                "rest": values.NO_NUMBER,
                "rates": rates,
                "gamepad": {"number": 1, "unknown": "pedal", "nothing": None},
                "touch": {"number": 1, "unknown": "nose", "nothing": None},
            },
        ),
        (
            "sliders",
            Slider,
            {"name": "stiffness", "low": 1.0, "high": 2.0},
            {
                "name": values.NO_WORD,
                "low": {**values.NO_NUMBER, "above": 3.0},
                "high": {**values.NO_NUMBER, "below": 0.5},
                "step": values.NO_NOT_NEGATIVE,
            },
        ),
        (
            "gauges",
            Gauge,
            {"output": "angle", "label": "angle", "unit": "rad"},
            {
                "output": values.NO_WORD,
                "label": values.NO_UNIT,
                "unit": values.NO_UNIT,
                "factor": values.NO_NUMBER,
                "digits": {**values.NO_INTEGER, "many": 100},
            },
        ),
    ]
    for what, kind, good, bad in parts:
        made = lambda what=what, kind=kind, **given: machine(**{what: [kind(**given)]})  # noqa: E731
        found += calls(kind.__name__, made, good, bad, says=dict.fromkeys(("input", "name", "output"), ""))
    return found


def of_recordings() -> list[Case]:
    """What a page saves, with wrong entries."""
    good: dict[str, Any] = {
        "machine": "machine",
        "step": 1e-3,
        "steps": 3,
        "inputs": [[0, 0.0, 10.0]],
        "y0": [0.0] * 4,
        "end": [0.0] * 4,
    }
    bad: dict[str, dict[str, Any]] = {
        "step": values.NO_POSITIVE,
        "steps": {**values.NO_INTEGER, "many": 10**12},
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
        "y0": {k: v for k, v in values.no_state(4).items() if k != "texts"},
        "end": values.no_state(4),
    }

    def driven(**given: Any) -> Any:
        return rerun(machine(), {**good, **given})

    found = calls("rerun", driven, {}, bad, says={"y0": ""})
    for name in good:

        def without(name: str = name) -> Any:
            return rerun(machine(), {k: v for k, v in good.items() if k != name})

        found.append(Case(f"rerun without {name}", without, (name,)))
    texts: dict[str, bytes] = {
        "empty": b"",
        "text": b"driven",
        "list": b"[]",
        "deep": b"[" * 100_000,
        "cut": json.dumps(good).encode()[:-5],
        "not UTF-8": b"\xff\xfe{}",
        "zeros": b"\0" * 100,
        "nan": json.dumps({**good, "step": math.nan}).encode(),
    }
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
    names = {k: v for k, v in values.NO_NAMES.items() if k != "unknown"}
    paths: dict[str, Any] = {"number": 1, "nothing": None, "bytes": b"x", "none": "no.urdf", "folder": "/tmp"}
    urdf = next(path for path in sorted(ROBOTS.iterdir()) if path.suffix == ".urdf")
    mjcf = next(path for path in sorted(ROBOTS.iterdir()) if path.suffix == ".xml")
    found = calls(
        "urdf_feet",
        lambda **given: ce.urdf_feet(**{"path": urdf, "friction": 0.5, **given}),
        {},
        {
            "path": paths,
            "friction": values.NO_NOT_NEGATIVE,
            "through": values.NO_VECTOR,
            "normal": values.NO_DIRECTION,
            "pose": {k: v for k, v in values.NO_MAPPING.items() if k != "empty"},
            "independent": names,
            "ignore": names,
        },
        ("pose:empty list", "pose:zero"),
        dict.fromkeys(("path", "pose", "independent", "ignore"), ""),
    )
    found += calls(
        "mjcf_feet",
        lambda **given: ce.mjcf_feet(**{"path": mjcf, **given}),
        {},
        {
            "path": paths,
            "pose": {
                "number": 1.0,
                "unknown": "nobody",
                "unknown name": {"nobody": 1.0},
            },
            "independent": names,
        },
        says=dict.fromkeys(("path", "pose", "independent"), ""),
    )
    found += calls(
        "robot_shapes", ce.robot_shapes, {}, {"path": {**paths, "ending": "robot.txt"}}, says={"path": ""}
    )
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
