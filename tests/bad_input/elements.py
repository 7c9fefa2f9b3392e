"""Force elements and closures that came after the first ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics.contact import solve_friction
from ce_dynamics.models.tyres import BrushTyre, Points, fit
from tests.bad_input import values
from tests.bad_input.cases import Case
from tests.bad_input.description import calls, fresh

HERE, X, Z = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
SMALL_MATRIX: dict[str, Any] = {
    "row": (1.0, 2.0, 3.0),
    "text": "I",
    "zeros": np.zeros((3, 3)),
    "nan": np.full((3, 3), math.nan),
    "stretched": 2.0 * np.eye(3),
    "large": np.eye(4),
    "thing": values.Thing(),
    "number": 1.0,
}
NO_BODY: dict[str, Any] = {k: v for k, v in values.NO_OBJECT.items() if k != "text"} | {"unknown": "nobody"}


def acting(make: Callable[..., Any], good: dict[str, Any], command: str | None = None) -> Callable[..., Any]:
    """A force element made, put into a system and evaluated once."""

    def run(**given: Any) -> Any:
        system = fresh()
        put = {k: system.find(v[1:]) if isinstance(v, str) and v[:1] == "@" else v for k, v in good.items()}
        system.add_force(make(**put | given))
        return ce.compile(system).energy([0.1, 0.2], [0.3, 0.4])

    return run


def of_forces() -> list[Case]:
    """Force elements that the first generator did not know."""
    vector, at_least, positive = values.NO_VECTOR, values.NO_NOT_NEGATIVE, values.NO_POSITIVE
    name = values.NO_TEXT
    six: dict[str, Any] = {
        "three": (1.0, 1.0, 1.0),
        "number": 1.0,
        "nan": (math.nan,) * 6,
        "texts": ("1",) * 6,
        "negative": (-1.0,) * 6,
        "nothing": None,
        "law class": (ce.Linear,) * 6,
        "thing": values.Thing(),
        "infinity": (math.inf,) * 6,
    }
    elements: list[tuple[Callable[..., Any], dict[str, Any], dict[str, Any], tuple[str, ...]]] = [
        (
            ce.Bushing,
            {"name": "b", "body_a": "@arm", "body_b": "@slide", "at": HERE, "stiffness": (1.0,) * 6},
            {
                "name": name,
                "body_a": NO_BODY,
                "at": vector,
                "stiffness": six,
                "damping": six,
                "axes": SMALL_MATRIX,
            },
            (),
        ),
        (
            ce.DragBox,
            {"name": "d", "body": "@arm", "density": 1.2},
            {
                "name": name,
                "body": NO_BODY,
                "density": at_least,
                "viscosity": at_least,
                "wind": vector,
                "axes": SMALL_MATRIX,
            },
            (),
        ),
        (
            ce.HingeDamper,
            {"name": "h", "body": "@arm", "damping": 1.0},
            {"name": name, "body": NO_BODY, "damping": at_least},
            (),
        ),
        (
            ce.PointContact,
            {"name": "c", "body": "@arm", "at": HERE, "stiffness": 1e3},
            {
                "name": name,
                "body": NO_BODY,
                "at": vector,
                "stiffness": at_least,
                "dissipation": at_least,
                "friction": at_least,
                "creep": positive,
                "onset": at_least,
                "radius": at_least,
                "plane": {k: v for k, v in NO_BODY.items() if k != "nothing"},
                "through": vector,
                "normal": values.NO_DIRECTION,
            },
            (),
        ),
        (
            ce.Thruster,
            {"name": "t", "body": "@arm", "at": HERE, "command": "torque"},
            {
                "name": name,
                "body": NO_BODY,
                "at": vector,
                "command": values.NO_WORD,
                "force": vector,
                "torque": vector,
            },
            (),
        ),
        (
            ce.FixedTendon,
            {"name": "t", "terms": []},
            {
                "name": name,
                "terms": {
                    "empty": [],
                    "text": "arm",
                    "number": 1,
                    "pairs": [("arm", "x")],
                    "nan": [("arm", math.nan)],
                    "unknown": [("nobody", 1.0)],
                    "thing": values.Thing(),
                },
            },
            (),
        ),
        (
            lambda **given: ce.Cord(given.pop("name"), given.pop("path"), **given),
            {"name": "c", "path": [("@arm", HERE), ("ground", Z)], "stiffness": 1.0},
            {
                "name": name,
                "path": {
                    "one": [("ground", HERE)],
                    "empty": [],
                    "text": "arm",
                    "number": 1,
                    "no point": [("ground",), ("ground", HERE)],
                    "nan": [("ground", HERE), ("ground", (0, 0, math.nan))],
                    "same": [("ground", HERE), ("ground", HERE)],
                    "things": [values.Thing()] * 2,
                    "nothing": None,
                },
            },
            (),
        ),
    ]
    found = []
    for make, good, bad, without in elements:
        label = getattr(make, "__name__", "Cord").replace("<lambda>", "Cord")
        free = dict.fromkeys(("body", "body_a", "name", "terms", "path", "plane", "command"), "")
        found += calls(label, acting(make, good), {}, bad, without, free)
    found += calls("DryFriction", ce.DryFriction, {"level": 1.0}, {"level": at_least, "rate": positive})
    found += calls(
        "PointOnLine", ce.PointOnLine, {"axis": X}, {"axis": values.NO_DIRECTION, "at": values.NO_VECTOR}
    )
    found += calls(
        "PointOnPlane",
        ce.PointOnPlane,
        {"normal": X},
        {"normal": values.NO_DIRECTION, "at": values.NO_VECTOR},
    )
    found += calls(
        "RollingOnPlane",
        ce.RollingOnPlane,
        {"normal": Z, "at": Z, "radius": 1.0},
        {
            "normal": values.NO_DIRECTION,
            "at": values.NO_VECTOR,
            "radius": positive,
            "x_axis": values.NO_DIRECTION,
        },
    )
    found += calls(
        "BetweenFrames",
        ce.BetweenFrames,
        {"kind": "revolute", "at_a": HERE, "at_b": HERE},
        {
            "kind": values.NO_WORD,
            "at_a": vector,
            "at_b": vector,
            "R_a": SMALL_MATRIX,
            "R_b": SMALL_MATRIX,
            "axis": values.NO_DIRECTION,
        },
    )
    found += calls(
        "Component",
        ce.Component,
        {"body": "arm", "which": 0},
        {
            "body": {k: v for k, v in NO_BODY.items() if k != "unknown"},
            "which": {"nan": math.nan, "list": [], "thing": values.Thing(), "nothing": None},
        },
    )
    return found


def of_solvers() -> list[Case]:
    """Contact problems, and tyres fitted to measured points."""
    start = BrushTyre(radius=0.3, cz=2e5, cx=1e5, cy=1e5, slip_stiffness=15.0, cornering_stiffness=12.0)
    points = Points(Fz=[4e3] * 4, alpha=[0.01, 0.02, 0.05, 0.1], Fy=[-500.0, -1e3, -2e3, -3e3])
    vector = {name: value for name, value in values.NO_VECTOR.items() if name != "column"}
    found = calls(
        "solve_friction",
        solve_friction,
        {"W": np.eye(3), "q": [-0.1, 0.2, -1.0], "mu": [0.5]},
        {
            "W": {"text": "x", "nothing": None, "vector": np.ones(3), "nan": math.nan * np.eye(3)},
            "q": vector,
            "mu": {"text": ["x"], "nothing": None, "negative": [-1.0], "two": [0.5, 0.5], "nan": [math.nan]},
            "start": vector,
            "tolerance": values.NO_POSITIVE,
            "time_limit": {name: v for name, v in values.NO_POSITIVE.items() if name != "infinity"},
        },
        says={"mu": ""},
    )
    given = {"model": start, "vary": ["cornering_stiffness"], "points": points}
    found += calls(
        "fit",
        fit,
        given,
        {
            "model": values.NO_OBJECT,
            "vary": {**values.NO_NAMES, "none": [], "text": "cornering_stiffness"},
            "points": values.NO_OBJECT,
            "arm": values.NO_POSITIVE,
        },
    )
    columns = {"text": "x", "nothing": [None], "things": [values.Thing()], "lengths": [1.0, 2.0]}
    found += calls(
        "Points", lambda **given: fit(start, ["mu"], points._replace(**given)), {},
        dict.fromkeys(("Fz", "alpha", "Fy"), columns), says={"Fz": "", "alpha": "", "Fy": ""},
    )  # fmt: skip
    return found


def cases() -> list[Case]:
    """All of them."""
    return [*of_forces(), *of_solvers()]
