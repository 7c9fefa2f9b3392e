"""Force elements, closures, contacts of plain bodies and constraints of the augmented form."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics import contact
from ce_dynamics.models.tyres import BrushTyre, MeasuredPoints, fit
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.description import HERE, X, Z, fresh
from tests.campaigns.bad_input.values import calls

THING = values.Thing()
values.POOLS |= {
    "six": {
        "three": (1.0, 1.0, 1.0), "number": 1.0, "nan": (math.nan,) * 6, "texts": ("1",) * 6,
        "negative": (-1.0,) * 6, "nothing": None, "law class": (ce.Linear,) * 6, "thing": THING,
        "infinity": (math.inf,) * 6,
    },
    "terms": {
        "empty": [], "text": "arm", "number": 1, "pairs": [("arm", "x")], "nan": [("arm", math.nan)],
        "unknown": [("nobody", 1.0)], "thing": THING,
    },
    "path": {
        "one": [("ground", HERE)], "empty": [], "text": "arm", "number": 1,
        "no point": [("ground",), ("ground", HERE)], "nan": [("ground", HERE), ("ground", (0, 0, math.nan))],
        "same": [("ground", HERE), ("ground", HERE)], "things": [THING] * 2, "nothing": None,
    },
    "matrix": {
        "text": "x", "nothing": None, "number": 1.0, "nan": np.full((2, 2), math.nan),
        "texts": [["1", "2"]] * 2, "ragged": values.ragged(), "thing": THING, "more columns": np.ones((2, 3)),
    },
}  # fmt: skip


def acting(make: Callable[..., Any], good: dict[str, Any]) -> Callable[..., Any]:
    """A force element made, put into a system and evaluated once."""

    def put(value: Any, system: ce.System) -> Any:
        if isinstance(value, (list, tuple)):
            return [put(one, system) for one in value]
        return system.find(value[1:]) if isinstance(value, str) and value[:1] == "@" else value

    def run(**given: Any) -> Any:
        system = fresh()
        system.add_force(make(**{name: put(value, system) for name, value in good.items()} | given))
        return ce.compile(system).energy([0.1, 0.2], [0.3, 0.4])

    return run


def of_forces() -> list[Case]:
    arm = {"name": "a", "body": "@arm"}
    two = {"name": "b", "body_a": "@arm", "body_b": "@slide", "at": HERE, "stiffness": (1.0,) * 6}
    cord = {"name": "c", "path": [("@arm", X), ("@slide", Z)], "stiffness": 1.0}
    pulled = lambda name, path, **given: ce.Cord(name, path, **given)  # noqa: E731
    elements: tuple[tuple[Callable[..., Any], dict[str, Any], str], ...] = (
        (ce.Bushing, two, "body_a:named_body~ body_b: stiffness:six damping:six"),
        (ce.DragBox, arm | {"density": 1.2}, "body:named_body~ size: drag: wind:vector"),
        (ce.HingeDamper, arm | {"damping": 1.0}, "body:named_body~ damping:not_negative component:"),
        (ce.PointContact, arm | {"at": HERE, "stiffness": 1e3},
         "body:named_body~ stiffness:not_negative plane:named_body-nothing~ through:vector normal:direction"),
        (ce.Thruster, arm | {"at": HERE, "command": "torque"},
         "body:named_body~ command:word~ force:vector torque:vector"),
        (ce.FixedTendon, {"name": "t", "terms": [("@arm", 1.0)], "stiffness": 1.0}, "terms:terms~"),
        (ce.Cord, cord, "path:path~"),
    )  # fmt: skip
    found = []
    for make, good, spec in elements:
        found += calls(make, {}, f"name~ {spec}", run=acting(pulled if make is ce.Cord else make, good))
    found += calls(ce.DryFriction, {"level": 1.0}, "rate:positive")
    found += calls(ce.PointOnLine, {"axis": X}) + calls(ce.PointOnPlane, {"normal": X})
    found += calls(ce.RollingOnPlane, {"normal": Z, "at": Z, "radius": 1.0}, "radius:positive")
    frames = {"kind": "revolute", "at_a": HERE, "at_b": HERE}
    found += calls(ce.BetweenFrames, frames, "axis:direction")
    which = {"nan": math.nan, "list": [], "thing": THING, "nothing": None}
    component = {"body": "arm", "which": 0}
    return found + calls(ce.Component, component, "body:named_body-unknown which:", {"which": which})


def of_solvers() -> list[Case]:
    matrices = {"text": "x", "nothing": None, "vector": np.ones(3), "nan": math.nan * np.eye(3)}
    frictions = {"text": ["x"], "nothing": None, "negative": [-1.0], "two": [0.5, 0.5], "nan": [math.nan]}
    found = calls(
        contact.solve_friction,
        {"W": np.eye(3), "q": [-0.1, 0.2, -1.0], "mu": [0.5]},
        "W: q:vector-column mu:~ start:vector-column diagonal: time_limit:-infinity",
        {"W": matrices, "mu": frictions},
    )
    start = BrushTyre(radius=0.3, cz=2e5, cx=1e5, cy=1e5, slip_stiffness=15.0, cornering_stiffness=12.0)
    points = MeasuredPoints(Fz=[4e3] * 4, alpha=[0.01, 0.02, 0.05, 0.1], Fy=[-500.0, -1e3, -2e3, -3e3])
    given = {"model": start, "vary": ["cornering_stiffness"], "points": points}
    vary = {"none": [], "text": "cornering_stiffness"}
    found += calls(fit, given, "model:object vary:names points:object arm:positive", {"vary": vary})
    columns = {"text": "x", "nothing": [None], "things": [THING], "lengths": [1.0, 2.0]}
    fitted = lambda **given: fit(start, ["mu"], points._replace(**given))  # noqa: E731
    own = dict.fromkeys(("Fz", "alpha", "Fy"), columns)
    return found + calls(fitted, {}, "Fz~ alpha~ Fy~", own, label="MeasuredPoints")


def of_plain_bodies() -> list[Case]:
    """Shapes, plain rigid bodies, their contacts and the problems of one step."""
    found = calls(contact.Sphere, {"radius": 1.0}, "radius:positive")
    found += calls(contact.Capsule, {"first": HERE, "second": X, "radius": 1.0}, "radius:positive")
    flat = {"zero": HERE, "negative": (1.0, -1.0, 1.0)}
    found += calls(contact.Box, {"edges": (1, 1, 1)}, "edges:vector~edge", {"edges": flat})
    found += calls(contact.HalfSpace)
    sphere, ball = contact.Sphere(0.1), contact.RigidBody("ball", 1.0, (0.1, 0.1, 0.1))
    bodies = contact.RigidBodies([ball])
    objects = {"number": [1.0], "text": "ball", "one": ball, "nothing": None, "things": [THING]}
    listed = {"bodies": {**objects, "twice": [ball, ball]}}
    found += calls(contact.RigidBodies, {"bodies": [ball]}, "bodies:~ gravity:vector", listed)
    shape = contact.RigidShape("ball", sphere)

    def in_contact(**given: Any) -> Any:
        shapes = [contact.RigidShape(**{"body": "ball", "shape": sphere, **given})]
        return contact.RigidContacts(bodies, shapes)

    found += calls(contact.RigidShape, {}, "body:word-nothing shape:object", run=in_contact)
    good: dict[str, Any] = {"bodies": bodies, "shapes": [shape]}
    found += calls(contact.RigidContacts, good, "bodies:object shapes:~", {"shapes": objects})
    falling = {"contacts": contact.RigidContacts(bodies, [shape]), "duration": 0.01}
    spec = "solver:object step:seconds"
    found += calls(contact.simulate_rigid, falling, spec)
    found += calls(contact.Chain, {}, "limit:-infinity time_limit:-infinity")
    good = {
        "name": "c", "body": fresh().find("arm"), "shape": sphere, "other": fresh().ground,
        "other_shape": contact.HalfSpace(),
    }  # fmt: skip
    found += calls(contact.BodyContact, good, "friction:word")
    rows = contact.Conditions.of([contact.Kind.UNILATERAL] * 2)
    dense: dict[str, Any] = {"GT": np.eye(2), "M": np.eye(2), "v": [0.0, -1.0], "c": [0.0, 0.0], "rows": rows}
    spec = "GT:matrix~ M:matrix~ v:state2~ c:state2~ rows:object~"
    found += calls(contact.Problem.from_dense, dense, spec, label="Problem")
    per_row = {"text": "x", "one": [1.0], "nan": [math.nan] * 2, "thing": THING, "texts": ["0", "1"]}
    friction = {"kind": [contact.Kind.UNILATERAL, contact.Kind.FRICTION], "normal": [-1, 0], "mu": [0.0, 0.5]}
    box = {"kind": [contact.Kind.BOX] * 2, "lower": [0.0, 0.0], "upper": [1.0, 1.0]}
    kinds = {"text": "x", "unknown": [7, 0], "thing": THING, "nothing": None, "texts": ["a", "b"]}
    own = {"kind": kinds, "normal": {**per_row, "beyond": [-1, 2]}, "mu": per_row}
    none = "kind: normal: mu: lower:~ upper:~"
    found += calls(contact.Conditions.of, friction, none, own, label="Conditions")
    found += calls(contact.Conditions.of, box, none, {"lower": per_row, "upper": per_row}, label="Conditions")
    given = {
        "GT": np.eye(2),
        "YT": np.eye(2),
        "v": np.array([0.0, -1.0]),
        "c": np.zeros(2),
        "conditions": rows,
    }
    found += calls(contact.Problem, given, "GT:matrix~ YT:matrix~ v:state2~ c:state2~ conditions:object~")
    sparse = {"starts": np.arange(3), "columns": np.arange(2), "values": np.ones(2), "width": 2}

    def solved(**given: Any) -> Any:
        columns = contact.SparseRows(**{**sparse, **given})
        return contact.Problem(columns, columns, np.array([0.0, -1.0]), np.zeros(2), rows)

    integers = {
        "text": "x", "one": [0], "thing": THING, "nothing": None, "beyond": [0, 9, 2],
        "nan": [0.0, math.nan, 2.0],
    }  # fmt: skip
    own = {"starts": integers, "columns": integers, "values": {**per_row, "nothing": None}}
    found += calls(contact.SparseRows, {}, "starts:~ columns:~ values:~ width:integer~", own, run=solved)
    problem = contact.Problem.from_dense(**dense)
    solution = contact.Chain().solve(problem)
    for function in (contact.uniqueness, contact.evenly):
        found += calls(function, {"problem": problem, "solution": solution})
    return found


def of_constraints() -> list[Case]:
    """Constraints of the augmented form, functions as coordinates, and histories of inputs."""
    system = fresh()
    arm, slide = system.find("arm"), system.find("slide")
    pinned = {"name": "p", "body_1": arm, "body_2": slide, "at": X}
    made = lambda **given: ce.ConstrainedSystem(system, ce.PointToPoint(**given))  # noqa: E731
    found = calls(ce.PointToPoint, pinned, "at_2:vector", run=made)
    rolling = {
        "plane_body": system.ground, "default_plane_normal": Z, "default_plane_height": 0.0,
        "ball_body": slide, "default_ball_center": (0.0, 0.0, 1.0), "default_ball_radius": 1.0,
    }  # fmt: skip

    def rolled(**given: Any) -> Any:
        return ce.ConstrainedSystem(system, ce.BallRollingOnPlane(**given)).default_state()

    spec = "default_plane_normal~ default_plane_height~ default_ball_center:vector~ default_ball_radius~"
    found += calls(
        ce.BallRollingOnPlane, rolling, f"{spec} plane_display_half_width:not_negative", run=rolled
    )
    one = lambda system, constraint: ce.ConstrainedSystem(system, constraint)  # noqa: E731
    good = {"system": system, "constraint": ce.PointToPoint("p", arm, slide, at=X)}
    found += calls(ce.ConstrainedSystem, good, "constraint:object constraints:", run=one)
    good = {
        "name": "travel", "bodies": ["arm", "ground"],
        "function": lambda see: see.point("arm", X, "ground")[2],
    }  # fmt: skip

    def led(**given: Any) -> Any:
        leading = [ce.FunctionCoordinate(**given)]
        return fresh().close_loop("pin", "arm", "slide", ce.Distance(X, Z), independent=leading)

    bodies = {"number": 1, "unknown": ["nobody"], "nothing": None, "thing": THING, "empty": []}
    own = {"bodies": bodies, "unit": {"other": "kg"}}
    found += calls(ce.FunctionCoordinate, good, "bodies:~ unit:word near:", own, run=led)
    model = ce.compile(system)

    def held(**given: Any) -> Any:
        history = ce.HeldInputs(**{"time": [0.0, 0.1], "values": {"torque": [0.0, 1.0]}, **given})
        return ce.simulate_ensemble(model, np.zeros((2, 4)), controls=history, duration=0.2)

    times = {
        "text": "x", "nan": [0.0, math.nan], "falling": [0.1, 0.0], "one": [0.0], "nothing": None,
        "thing": THING, "matrix": np.zeros((2, 2)),
    }  # fmt: skip
    torques = {"short": [1.0], "texts": ["1", "2"], "three runs": np.zeros((3, 2))}
    own = {"time": times, "values": {name: {"torque": torque} for name, torque in torques.items()}}
    return found + calls(ce.HeldInputs, {}, "time:~ values:mapping-list_as_value~", own, run=held)
