"""Force elements, closures, contacts of plain bodies and constraints of the augmented form."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics import contact
from ce_dynamics.contact import solve_friction
from ce_dynamics.models.tyres import BrushTyre, MeasuredPoints, fit
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
    points = MeasuredPoints(Fz=[4e3] * 4, alpha=[0.01, 0.02, 0.05, 0.1], Fy=[-500.0, -1e3, -2e3, -3e3])
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
        "MeasuredPoints", lambda **given: fit(start, ["mu"], points._replace(**given)), {},
        dict.fromkeys(("Fz", "alpha", "Fy"), columns), says={"Fz": "", "alpha": "", "Fy": ""},
    )  # fmt: skip
    return found


BODY: dict[str, Any] = {"name": "ball", "mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
MATRIX: dict[str, Any] = {
    "text": "x",
    "nothing": None,
    "number": 1.0,
    "nan": np.full((2, 2), math.nan),
    "texts": [["1", "2"]] * 2,
    "ragged": values.ragged(),
    "thing": values.Thing(),
    "more columns": np.ones((2, 3)),
}


def of_plain_bodies() -> list[Case]:
    """Shapes, plain rigid bodies, their contacts and the problems of one step."""
    point, positive, at_least = values.NO_VECTOR, values.NO_POSITIVE, values.NO_NOT_NEGATIVE
    axes = {name: value for name, value in SMALL_MATRIX.items() if name != "nothing"}
    found = calls("Sphere", contact.Sphere, {"radius": 1.0}, {"radius": positive, "at": point})
    found += calls(
        "Capsule",
        contact.Capsule,
        {"first": HERE, "second": X, "radius": 1.0},
        {"first": point, "second": point, "radius": positive},
    )
    edges = {**point, "zero": HERE, "negative": (1.0, -1.0, 1.0)}
    found += calls(
        "Box",
        contact.Box,
        {"edges": (1, 1, 1)},
        {"edges": edges, "at": point, "axes": axes},
        says={"edges": "edge"},
    )
    found += calls("HalfSpace", contact.HalfSpace, {}, {"normal": values.NO_DIRECTION, "point": point})
    sphere, ball = contact.Sphere(0.1), contact.RigidBody(**BODY)
    bodies = contact.RigidBodies([ball])
    objects = {"number": [1.0], "text": "ball", "one": ball, "nothing": None, "things": [values.Thing()]}
    found += calls(
        "RigidBodies",
        contact.RigidBodies,
        {"bodies": [ball]},
        {"bodies": {**objects, "twice": [ball, ball]}, "gravity": point},
        says={"bodies": ""},
    )
    shape = contact.RigidShape("ball", sphere)

    def in_contact(**given: Any) -> Any:
        return contact.RigidContacts(
            bodies, [contact.RigidShape(**{"body": "ball", "shape": sphere, **given})]
        )

    found += calls(
        "RigidShape",
        in_contact,
        {},
        {"body": {**values.NO_WORD}, "shape": values.NO_OBJECT},
        ("body:nothing",),
    )
    numbers = dict.fromkeys(("mu", "rest_speed", "rolling", "spinning"), at_least)
    found += calls(
        "RigidContacts",
        contact.RigidContacts,
        {"bodies": bodies, "shapes": [shape]},
        {"bodies": values.NO_OBJECT, "shapes": objects, "restitution": values.NO_FRACTION, **numbers},
        says={"shapes": ""},
    )
    contacts = contact.RigidContacts(bodies, [shape])
    times = dict.fromkeys(("duration", "step", "interval"), values.NO_SECONDS)
    found += calls(
        "simulate_rigid",
        contact.simulate_rigid,
        {"contacts": contacts, "duration": 0.01},
        {"contacts": values.NO_OBJECT, "solver": values.NO_OBJECT, "progress": values.NO_FUNCTION, **times},
        ("solver:nothing", "progress:nothing"),
    )
    found += calls(
        "Chain",
        contact.Chain,
        {},
        {"tolerance": positive, "limit": positive, "time_limit": positive},
        ("limit:infinity", "time_limit:infinity"),
    )
    arm = fresh().find("arm")
    pair = {
        "name": "c",
        "body": arm,
        "shape": sphere,
        "other": fresh().ground,
        "other_shape": contact.HalfSpace(),
    }
    found += calls(
        "BodyContact",
        contact.BodyContact,
        pair,
        {
            "name": values.NO_TEXT,
            "body": values.NO_OBJECT,
            "shape": values.NO_OBJECT,
            "other": values.NO_OBJECT,
            "other_shape": values.NO_OBJECT,
            "mu": at_least,
            "friction": values.NO_WORD,
            "restitution": values.NO_FRACTION,
            "rolling": at_least,
            "spinning": at_least,
        },
    )
    rows = contact.Conditions.of([contact.Kind.UNILATERAL] * 2)
    dense: dict[str, Any] = {"GT": np.eye(2), "M": np.eye(2), "v": [0.0, -1.0], "c": [0.0, 0.0], "rows": rows}
    vectors = values.no_state(2)
    found += calls(
        "Problem",
        contact.Problem.from_dense,
        dense,
        {"GT": MATRIX, "M": MATRIX, "v": vectors, "c": vectors, "rows": values.NO_OBJECT},
        says=dict.fromkeys(dense, ""),
    )
    per_row = {"text": "x", "one": [1.0], "nan": [math.nan] * 2, "thing": values.Thing(), "texts": ["0", "1"]}
    friction = {"kind": [contact.Kind.UNILATERAL, contact.Kind.FRICTION], "normal": [-1, 0], "mu": [0.0, 0.5]}
    box = {"kind": [contact.Kind.BOX] * 2, "lower": [0.0, 0.0], "upper": [1.0, 1.0]}
    kinds = {"text": "x", "unknown": [7, 0], "thing": values.Thing(), "nothing": None, "texts": ["a", "b"]}
    found += calls(
        "Conditions",
        contact.Conditions.of,
        friction,
        {"kind": kinds, "normal": {**per_row, "beyond": [-1, 2]}, "mu": per_row},
    )
    found += calls(
        "Conditions",
        contact.Conditions.of,
        box,
        {"lower": per_row, "upper": per_row},
        says={"lower": "", "upper": ""},
    )
    sparse = {
        "starts": np.arange(3), "columns": np.arange(2), "values": np.ones(2), "width": 2
    }  # fmt: skip

    def solved(**given: Any) -> Any:
        rows = contact.SparseRows(**{**sparse, **given})
        return contact.Problem(rows, rows, np.array([0.0, -1.0]), np.zeros(2), conditions)

    conditions = rows
    integers = {
        "text": "x",
        "one": [0],
        "thing": values.Thing(),
        "nothing": None,
        "beyond": [0, 9, 2],
        "nan": [0.0, math.nan, 2.0],
    }
    found += calls(
        "SparseRows",
        solved,
        {},
        {
            "starts": integers,
            "columns": integers,
            "values": {**per_row, "nothing": None},
            "width": values.NO_INTEGER,
        },
        says=dict.fromkeys(sparse, ""),
    )
    problem = contact.Problem.from_dense(**dense)
    solution = contact.Chain().solve(problem)
    for function in (contact.uniqueness, contact.evenly):
        found += calls(
            function.__name__,
            function,
            {"problem": problem, "solution": solution},
            {"problem": values.NO_OBJECT, "solution": values.NO_OBJECT},
        )
    return found


def of_constraints() -> list[Case]:
    """Constraints of the augmented form, functions as coordinates, and histories of inputs."""
    point, positive = values.NO_VECTOR, values.NO_POSITIVE
    system = fresh()
    arm, slide = system.find("arm"), system.find("slide")
    no_body = values.NO_OBJECT
    found = calls(
        "PointToPoint",
        lambda **given: ce.ConstrainedSystem(system, ce.PointToPoint(**given)),
        {"name": "p", "body_1": arm, "body_2": slide, "at": X},
        {
            "name": values.NO_TEXT,
            "body_1": no_body,
            "body_2": no_body,
            "at": point,
            "at_2": point,
            "enabled": values.NO_FLAG,
        },
    )
    rolling = {
        "plane_body": system.ground, "default_plane_normal": Z, "default_plane_height": 0.0,
        "ball_body": slide, "default_ball_center": (0.0, 0.0, 1.0), "default_ball_radius": 1.0,
    }  # fmt: skip
    found += calls(
        "BallRollingOnPlane",
        lambda **given: ce.ConstrainedSystem(system, ce.BallRollingOnPlane(**given)).default_state(),
        rolling,
        {
            "plane_body": no_body,
            "default_plane_normal": values.NO_DIRECTION,
            "default_plane_height": values.NO_NUMBER,
            "ball_body": no_body,
            "default_ball_center": point,
            "default_ball_radius": positive,
            "name": values.NO_TEXT,
            "plane_display_half_width": values.NO_NOT_NEGATIVE,
            "enabled": values.NO_FLAG,
        },
        says=dict.fromkeys(
            ("default_plane_normal", "default_plane_height", "default_ball_center", "default_ball_radius"), ""
        ),
    )
    constraint = ce.PointToPoint("p", arm, slide, at=X)
    found += calls(
        "ConstrainedSystem",
        lambda **given: ce.ConstrainedSystem(given["system"], given["constraint"]),
        {"system": system, "constraint": constraint},
        {"system": no_body, "constraint": no_body},
    )
    found += calls(
        "FunctionCoordinate",
        lambda **given: fresh().close_loop(
            "pin", "arm", "slide", ce.Distance(X, Z), independent=[ce.FunctionCoordinate(**given)]
        ),
        {
            "name": "travel",
            "bodies": ["arm", "ground"],
            "function": lambda see: see.point("arm", X, "ground")[2],
        },
        {
            "name": values.NO_TEXT,
            "bodies": {
                "number": 1,
                "unknown": ["nobody"],
                "nothing": None,
                "thing": values.Thing(),
                "empty": [],
            },
            "function": values.NO_FUNCTION,
            "unit": {**values.NO_WORD, "other": "kg"},
        },
        says={"bodies": ""},
    )
    model = ce.compile(system)

    def held(**given: Any) -> Any:
        history = ce.HeldInputs(**{"time": [0.0, 0.1], "values": {"torque": [0.0, 1.0]}, **given})
        return ce.simulate_ensemble(model, np.zeros((2, 4)), controls=history, duration=0.2)

    times = {
        "text": "x",
        "nan": [0.0, math.nan],
        "falling": [0.1, 0.0],
        "one": [0.0],
        "nothing": None,
        "thing": values.Thing(),
        "matrix": np.zeros((2, 2)),
    }
    histories = {
        **values.NO_MAPPING,
        "short": {"torque": [1.0]},
        "texts": {"torque": ["1", "2"]},
        "three runs": {"torque": np.zeros((3, 2))},
    }
    found += calls(
        "HeldInputs",
        held,
        {},
        {"time": times, "values": histories},
        ("values:list as value",),
        says={"time": "", "values": ""},
    )
    return found


def cases() -> list[Case]:
    """All of them."""
    return [*of_forces(), *of_solvers(), *of_plain_bodies(), *of_constraints()]
