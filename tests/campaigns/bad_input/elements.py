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
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.description import calls, fresh

HERE, X, Z = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
values.POOLS["axes"] = {
    "row": (1.0, 2.0, 3.0), "text": "I", "zeros": np.zeros((3, 3)), "nan": np.full((3, 3), math.nan),
    "stretched": 2.0 * np.eye(3), "large": np.eye(4), "thing": values.Thing(), "number": 1.0,
}  # fmt: skip


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
    six: dict[str, Any] = {
        "three": (1.0, 1.0, 1.0), "number": 1.0, "nan": (math.nan,) * 6, "texts": ("1",) * 6,
        "negative": (-1.0,) * 6, "nothing": None, "law class": (ce.Linear,) * 6, "thing": values.Thing(),
        "infinity": (math.inf,) * 6,
    }  # fmt: skip
    terms: dict[str, Any] = {
        "empty": [], "text": "arm", "number": 1, "pairs": [("arm", "x")], "nan": [("arm", math.nan)],
        "unknown": [("nobody", 1.0)], "thing": values.Thing(),
    }  # fmt: skip
    path: dict[str, Any] = {
        "one": [("ground", HERE)], "empty": [], "text": "arm", "number": 1,
        "no point": [("ground",), ("ground", HERE)], "nan": [("ground", HERE), ("ground", (0, 0, math.nan))],
        "same": [("ground", HERE), ("ground", HERE)], "things": [values.Thing()] * 2, "nothing": None,
    }  # fmt: skip
    values.POOLS.update(six=six, terms=terms, path=path)
    cord = lambda **given: ce.Cord(given.pop("name"), given.pop("path"), **given)  # noqa: E731
    arm = {"name": "a", "body": "@arm"}
    two = {"name": "b", "body_a": "@arm", "body_b": "@slide", "at": HERE, "stiffness": (1.0,) * 6}
    elements: tuple[tuple[str, Callable[..., Any], dict[str, Any], str], ...] = (
        ("Bushing", ce.Bushing, two, "body_a:named_body~ at:vector stiffness:six damping:six axes:axes"),
        ("DragBox", ce.DragBox, arm | {"density": 1.2},
         "body:named_body~ density:not_negative viscosity:not_negative wind:vector axes:axes"),
        ("HingeDamper", ce.HingeDamper, arm | {"damping": 1.0}, "body:named_body~ damping:not_negative"),
        ("PointContact", ce.PointContact, arm | {"at": HERE, "stiffness": 1e3},
         "body:named_body~ at:vector stiffness:not_negative dissipation:not_negative friction:not_negative "
         "creep:positive onset:not_negative radius:not_negative plane:named_body-nothing~ through:vector "
         "normal:direction"),
        ("Thruster", ce.Thruster, arm | {"at": HERE, "command": "torque"},
         "body:named_body~ at:vector command:word~ force:vector torque:vector"),
        ("FixedTendon", ce.FixedTendon, {"name": "t", "terms": []}, "terms:terms~"),
        ("Cord", cord, {"name": "c",
          "path": [("@arm", HERE), ("ground", Z)], "stiffness": 1.0}, "path:path~"),
    )  # fmt: skip
    found = []
    for label, make, good, spec in elements:
        found += calls(label, acting(make, good), {}, "name:text~ " + spec)
    found += calls("DryFriction", ce.DryFriction, {"level": 1.0}, "level:not_negative rate:positive")
    found += calls("PointOnLine", ce.PointOnLine, {"axis": X}, "axis:direction at:vector")
    found += calls("PointOnPlane", ce.PointOnPlane, {"normal": X}, "normal:direction at:vector")
    found += calls(
        "RollingOnPlane",
        ce.RollingOnPlane,
        {"normal": Z, "at": Z, "radius": 1.0},
        "normal:direction at:vector radius:positive x_axis:direction",
    )
    found += calls(
        "BetweenFrames",
        ce.BetweenFrames,
        {"kind": "revolute", "at_a": HERE, "at_b": HERE},
        "kind:word at_a:vector at_b:vector R_a:axes R_b:axes axis:direction",
    )
    found += calls(
        "Component",
        ce.Component,
        {"body": "arm", "which": 0},
        "body:named_body-unknown which",
        {"which": {"nan": math.nan, "list": [], "thing": values.Thing(), "nothing": None}},
    )
    return found


def of_solvers() -> list[Case]:
    """Contact problems, and tyres fitted to measured points."""
    start = BrushTyre(radius=0.3, cz=2e5, cx=1e5, cy=1e5, slip_stiffness=15.0, cornering_stiffness=12.0)
    points = MeasuredPoints(Fz=[4e3] * 4, alpha=[0.01, 0.02, 0.05, 0.1], Fy=[-500.0, -1e3, -2e3, -3e3])
    found = calls(
        "solve_friction",
        solve_friction,
        {"W": np.eye(3), "q": [-0.1, 0.2, -1.0], "mu": [0.5]},
        "W q:vector-column mu~ start:vector-column tolerance:positive time_limit:positive-infinity",
        {
            "W": {"text": "x", "nothing": None, "vector": np.ones(3), "nan": math.nan * np.eye(3)},
            "mu": {"text": ["x"], "nothing": None, "negative": [-1.0], "two": [0.5, 0.5], "nan": [math.nan]},
        },
    )
    given = {"model": start, "vary": ["cornering_stiffness"], "points": points}
    found += calls(
        "fit",
        fit,
        given,
        "model:object vary:names points:object arm:positive",
        {"vary": {"none": [], "text": "cornering_stiffness"}},
    )
    columns = {"text": "x", "nothing": [None], "things": [values.Thing()], "lengths": [1.0, 2.0]}
    fitted = lambda **given: fit(start, ["mu"], points._replace(**given))  # noqa: E731
    own = dict.fromkeys(("Fz", "alpha", "Fy"), columns)
    found += calls("MeasuredPoints", fitted, {}, "Fz~ alpha~ Fy~", own)
    return found


BODY: dict[str, Any] = {"name": "ball", "mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
values.POOLS["matrix"] = {
    "text": "x", "nothing": None, "number": 1.0, "nan": np.full((2, 2), math.nan),
    "texts": [["1", "2"]] * 2, "ragged": values.ragged(), "thing": values.Thing(),
    "more columns": np.ones((2, 3)),
}  # fmt: skip


def of_plain_bodies() -> list[Case]:
    """Shapes, plain rigid bodies, their contacts and the problems of one step."""
    found = calls("Sphere", contact.Sphere, {"radius": 1.0}, "radius:positive at:vector")
    found += calls(
        "Capsule",
        contact.Capsule,
        {"first": HERE, "second": X, "radius": 1.0},
        "first:vector second:vector radius:positive",
    )
    found += calls(
        "Box",
        contact.Box,
        {"edges": (1, 1, 1)},
        "edges:vector~edge at:vector axes:axes-nothing",
        {"edges": {"zero": HERE, "negative": (1.0, -1.0, 1.0)}},
    )
    found += calls("HalfSpace", contact.HalfSpace, {}, "normal:direction point:vector")
    sphere, ball = contact.Sphere(0.1), contact.RigidBody(**BODY)
    bodies = contact.RigidBodies([ball])
    objects = {"number": [1.0], "text": "ball", "one": ball, "nothing": None, "things": [values.Thing()]}
    found += calls(
        "RigidBodies",
        contact.RigidBodies,
        {"bodies": [ball]},
        "bodies~ gravity:vector",
        {"bodies": {**objects, "twice": [ball, ball]}},
    )
    shape = contact.RigidShape("ball", sphere)

    def in_contact(**given: Any) -> Any:
        return contact.RigidContacts(
            bodies, [contact.RigidShape(**{"body": "ball", "shape": sphere, **given})]
        )

    found += calls("RigidShape", in_contact, {}, "body:word-nothing shape:object")
    found += calls(
        "RigidContacts",
        contact.RigidContacts,
        {"bodies": bodies, "shapes": [shape]},
        (
            "bodies:object shapes~ restitution:fraction mu:not_negative rest_speed:not_negative "
            "rolling:not_negative spinning:not_negative"
        ),
        {"shapes": objects},
    )
    contacts = contact.RigidContacts(bodies, [shape])
    found += calls(
        "simulate_rigid",
        contact.simulate_rigid,
        {"contacts": contacts, "duration": 0.01},
        (
            "contacts:object solver:object-nothing progress:function-nothing duration:seconds "
            "step:seconds interval:seconds"
        ),
    )
    found += calls(
        "Chain", contact.Chain, {}, "tolerance:positive limit:positive-infinity time_limit:positive-infinity"
    )
    arm = fresh().find("arm")
    pair = {
        "name": "c", "body": arm, "shape": sphere, "other": fresh().ground,
        "other_shape": contact.HalfSpace(),
    }  # fmt: skip
    found += calls(
        "BodyContact",
        contact.BodyContact,
        pair,
        (
            "name:text body:object shape:object other:object other_shape:object mu:not_negative "
            "friction:word restitution:fraction rolling:not_negative spinning:not_negative"
        ),
    )
    rows = contact.Conditions.of([contact.Kind.UNILATERAL] * 2)
    dense: dict[str, Any] = {"GT": np.eye(2), "M": np.eye(2), "v": [0.0, -1.0], "c": [0.0, 0.0], "rows": rows}
    found += calls(
        "Problem", contact.Problem.from_dense, dense, "GT:matrix~ M:matrix~ v:state2~ c:state2~ rows:object~"
    )
    per_row = {"text": "x", "one": [1.0], "nan": [math.nan] * 2, "thing": values.Thing(), "texts": ["0", "1"]}
    friction = {"kind": [contact.Kind.UNILATERAL, contact.Kind.FRICTION], "normal": [-1, 0], "mu": [0.0, 0.5]}
    box = {"kind": [contact.Kind.BOX] * 2, "lower": [0.0, 0.0], "upper": [1.0, 1.0]}
    kinds = {"text": "x", "unknown": [7, 0], "thing": values.Thing(), "nothing": None, "texts": ["a", "b"]}
    found += calls(
        "Conditions",
        contact.Conditions.of,
        friction,
        "kind normal mu",
        {"kind": kinds, "normal": {**per_row, "beyond": [-1, 2]}, "mu": per_row},
    )
    found += calls(
        "Conditions", contact.Conditions.of, box, "lower~ upper~", {"lower": per_row, "upper": per_row}
    )
    sparse = {
        "starts": np.arange(3), "columns": np.arange(2), "values": np.ones(2), "width": 2
    }  # fmt: skip

    def solved(**given: Any) -> Any:
        rows = contact.SparseRows(**{**sparse, **given})
        return contact.Problem(rows, rows, np.array([0.0, -1.0]), np.zeros(2), conditions)

    conditions = rows
    integers = {
        "text": "x", "one": [0], "thing": values.Thing(), "nothing": None, "beyond": [0, 9, 2],
        "nan": [0.0, math.nan, 2.0],
    }  # fmt: skip
    found += calls(
        "SparseRows",
        solved,
        {},
        "starts~ columns~ values~ width:integer~",
        {"starts": integers, "columns": integers, "values": {**per_row, "nothing": None}},
    )
    problem = contact.Problem.from_dense(**dense)
    solution = contact.Chain().solve(problem)
    for function in (contact.uniqueness, contact.evenly):
        found += calls(
            function.__name__,
            function,
            {"problem": problem, "solution": solution},
            "problem:object solution:object",
        )
    return found


def of_constraints() -> list[Case]:
    """Constraints of the augmented form, functions as coordinates, and histories of inputs."""
    system = fresh()
    arm, slide = system.find("arm"), system.find("slide")
    found = calls(
        "PointToPoint",
        lambda **given: ce.ConstrainedSystem(system, ce.PointToPoint(**given)),
        {"name": "p", "body_1": arm, "body_2": slide, "at": X},
        "name:text body_1:object body_2:object at:vector at_2:vector enabled:flag",
    )
    rolling = {
        "plane_body": system.ground, "default_plane_normal": Z, "default_plane_height": 0.0,
        "ball_body": slide, "default_ball_center": (0.0, 0.0, 1.0), "default_ball_radius": 1.0,
    }  # fmt: skip
    found += calls(
        "BallRollingOnPlane",
        lambda **given: ce.ConstrainedSystem(system, ce.BallRollingOnPlane(**given)).default_state(),
        rolling,
        (
            "plane_body:object default_plane_normal:direction~ default_plane_height:number~ "
            "ball_body:object default_ball_center:vector~ default_ball_radius:positive~ name:text "
            "plane_display_half_width:not_negative enabled:flag"
        ),
    )
    constraint = ce.PointToPoint("p", arm, slide, at=X)
    found += calls(
        "ConstrainedSystem",
        lambda **given: ce.ConstrainedSystem(given["system"], given["constraint"]),
        {"system": system, "constraint": constraint},
        "system:object constraint:object",
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
        "name:text bodies~ function:function unit:word",
        {
            "bodies": {
                "number": 1,
                "unknown": ["nobody"],
                "nothing": None,
                "thing": values.Thing(),
                "empty": [],
            },
            "unit": {"other": "kg"},
        },
    )
    model = ce.compile(system)

    def held(**given: Any) -> Any:
        history = ce.HeldInputs(**{"time": [0.0, 0.1], "values": {"torque": [0.0, 1.0]}, **given})
        return ce.simulate_ensemble(model, np.zeros((2, 4)), controls=history, duration=0.2)

    times = {
        "text": "x", "nan": [0.0, math.nan], "falling": [0.1, 0.0], "one": [0.0], "nothing": None,
        "thing": values.Thing(), "matrix": np.zeros((2, 2)),
    }  # fmt: skip
    found += calls(
        "HeldInputs",
        held,
        {},
        "time~ values:mapping-list_as_value~",
        {
            "time": times,
            "values": {
                "short": {"torque": [1.0]},
                "texts": {"torque": ["1", "2"]},
                "three runs": {"torque": np.zeros((3, 2))},
            },
        },
    )
    return found


def cases() -> list[Case]:
    """All of them."""
    return [*of_forces(), *of_solvers(), *of_plain_bodies(), *of_constraints()]
