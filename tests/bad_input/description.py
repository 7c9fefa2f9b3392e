"""Descriptions of systems: every argument of every public constructor and method, one at a time."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy

import ce_dynamics as ce
from ce_dynamics import contact, kinematics
from tests.bad_input import values
from tests.bad_input.cases import Case

Pool = Mapping[str, Any]

BODY: Pool = {**values.NO_OBJECT, "unknown": "no such body"}
NO_BODY_NAMES: Pool = {
    "number": 1,
    "unknown": ["no such body"],
    "text": "arm",
    "things": [values.Thing()],
    "numbers": [1.0],
    "nothing": None,
}


def calls(
    label: str,
    make: Callable[..., Any],
    good: Mapping[str, Any],
    bad: Mapping[str, Pool],
    without: tuple[str, ...] = (),
    says: Mapping[str, str] | None = None,
) -> list[Case]:
    """One case per argument and bad value; ``without`` names values that are right here."""
    found = []
    for argument, pool in bad.items():
        for name, value in pool.items():
            if name in without or f"{argument}:{name}" in without:
                continue

            def run(argument: str = argument, value: Any = value) -> Any:
                return make(**{**good, argument: value})

            words = ((says or {}).get(argument, argument),)
            found.append(Case(f"{label}({argument}: {name})", run, words))
    return found


def fresh() -> ce.System:
    """A system of two bodies, an input and a parameter."""
    system = ce.System()
    system.add_body(
        "arm", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute((0, 1, 0))
    )
    system.add_body(
        "slide", mass=1.0, com=(0, 0, 1), inertia=(1, 1, 1), parent="ground", hinge=ce.Prismatic((0, 0, 1))
    )
    system.add_input("torque", "N*m")
    return system


def hinges() -> list[Case]:
    """Hinges and closures."""
    axis, point, number = values.NO_DIRECTION, values.NO_VECTOR, values.NO_NUMBER
    x, z, o = (1, 0, 0), (0, 0, 1), (0, 0, 0)
    found = calls("Revolute", ce.Revolute, {"axis": z}, {"axis": axis, "at": point})
    found += calls("Prismatic", ce.Prismatic, {"axis": z}, {"axis": axis, "at": point})
    found += calls("Cylindrical", ce.Cylindrical, {"axis": z}, {"axis": axis, "at": point})
    found += calls("Screw", ce.Screw, {"axis": z, "pitch": 0.1}, {"axis": axis, "pitch": number, "at": point})
    for kind in (ce.Spherical, ce.Fixed, ce.Free):
        found += calls(kind.__name__, kind, {}, {"at": point})
    found += calls("Planar", ce.Planar, {"normal": z}, {"normal": axis, "at": point, "x_axis": axis})
    found += calls(
        "Universal", ce.Universal, {"axis1": x, "axis2": z}, {"axis1": axis, "axis2": axis, "at": point}
    )
    good = {"at_a": o, "at_b": x}
    lengths = {**values.NO_POSITIVE}
    found += calls(
        "Distance", ce.Distance, good, {"at_a": point, "at_b": point, "length": lengths}, ("length:nothing",)
    )
    return found


def systems() -> list[Case]:
    """The methods of `System`."""
    found = calls("System", ce.System, {}, {"gravity": values.NO_VECTOR, "name": values.NO_TEXT})
    good: dict[str, Any] = {"name": "new", "mass": 1.0, "parent": "ground", "hinge": ce.Revolute((0, 1, 0))}
    inertias = {
        **{k: v for k, v in values.NO_VECTOR.items() if k != "matrix"},
        "not symmetric": [[1, 1, 0], [0, 1, 0], [0, 0, 1]],
        "negative": (-1.0, 1.0, 1.0),
        "nan matrix": np.full((3, 3), math.nan),
    }
    found += calls(
        "add_body",
        lambda **given: fresh().add_body(**given),
        good,
        {
            "name": {**values.NO_TEXT, "taken": "arm"},
            "mass": values.NO_NOT_NEGATIVE,
            "parent": BODY,
            "hinge": values.NO_OBJECT,
            "com": values.NO_VECTOR,
            "inertia": inertias,
        },
        says={"name": "", "parent": "body"},
    )
    good = {"name": "pin", "body_a": "arm", "body_b": "slide", "closure": ce.Distance((1, 0, 0), (0, 0, 1))}
    found += calls(
        "close_loop",
        lambda **given: fresh().close_loop(**given),
        good,
        {
            "name": values.NO_TEXT,
            "body_a": BODY,
            "body_b": BODY,
            "closure": values.NO_OBJECT,
            "independent": NO_BODY_NAMES,
            "through_dead_centres": values.NO_FLAG,
        },
        says={"body_a": "body", "body_b": "body", "independent": ""},
    )
    good = {"name": "mesh", "coordinates": ("arm", "slide"), "coupling": ce.Gear(2.0)}
    found += calls(
        "couple",
        lambda **given: fresh().couple(**given),
        good,
        {
            "name": values.NO_TEXT,
            "coordinates": {
                **values.NO_OBJECT,
                "one": ["arm"],
                "twice": ["arm", "arm"],
                "ground": ["ground", "arm"],
                "no such number": [("arm", 3), "slide"],
                "number is text": [("arm", "0"), "slide"],
                "number is a fraction": [("arm", 0.5), "slide"],
                "triple": [("arm", 0, 0), "slide"],
            },
            "coupling": values.NO_OBJECT,
            "independent": NO_BODY_NAMES,
        },
        says={"coordinates": "", "independent": ""},
    )
    functions = {
        **values.NO_FUNCTION,
        "constant": lambda see: 0.0,
        "constant one": lambda see: 1.0,
        "constant list": lambda see: [0.0, 0.0],
        "nothing": lambda see: None,
        "empty": lambda see: [],
        "text": lambda see: "zero",
        "bytes": lambda see: b"0",
        "raises": lambda see: 1 / 0,
        "nan": lambda see: math.nan * see.coordinate("arm"),
        "undeclared": lambda see: see.coordinate("slide"),
        "no body": lambda see: see.coordinate(values.Thing()),
        "no number": lambda see: see.coordinate("arm", 7),
        "ragged": lambda see: [[see.coordinate("arm")], 1.0],
        "needs more": lambda see, more: 0.0,
        "bad point": lambda see: see.point("arm", (1, 2), "ground")[0],
    }
    found += calls(
        "constrain",
        lambda **given: fresh().constrain(**given),
        {"name": "rule", "bodies": ("arm", "ground"), "function": lambda see: see.coordinate("arm")},
        {
            "name": values.NO_TEXT,
            "bodies": NO_BODY_NAMES,
            "function": functions,
            "independent": NO_BODY_NAMES,
        },
        ("independent:nothing",),
        says={"bodies": "", "function": "rule", "independent": ""},
    )
    found += calls(
        "prescribe",
        lambda **given: fresh().prescribe(**given),
        {"body": "arm", "motion": ce.Held(0.0)},
        {
            "body": {**BODY, "ground": "ground"},
            "motion": {**values.NO_OBJECT, "unknown input": ce.Driven("nothing")},
        },
        says={"body": "", "motion": ""},
    )
    found += calls("add_force", lambda **given: fresh().add_force(**given), {}, {"element": values.NO_OBJECT})
    found += calls(
        "use_linkage", lambda **given: fresh().use_linkage(**given), {}, {"linkage": values.NO_OBJECT}
    )
    found += calls(
        "add_input",
        lambda **given: fresh().add_input(**given),
        {"name": "pedal", "unit": "1"},
        {"name": {**values.NO_TEXT, "taken": "torque"}, "unit": values.NO_UNIT, "default": values.NO_NUMBER},
        says={"name": ""},
    )
    found += calls(
        "add_parameter", lambda **given: fresh().add_parameter(**given), {}, {"parameter": values.NO_OBJECT}
    )
    for method in ("add_output", "add_measurement"):
        found += calls(
            method,
            lambda method=method, **given: getattr(fresh(), method)(**given),
            {"name": "height", "unit": "m", "function": lambda see: 1.0},
            {"name": values.NO_TEXT, "unit": values.NO_UNIT, "function": values.NO_FUNCTION},
            says={"name": ""},
        )
    found += calls(
        "start",
        lambda **given: fresh().start(**given),
        {"body": "arm"},
        {"body": {**BODY, "ground": "ground"}, "q": values.no_state(1), "v": values.no_state(1)},
        ("q:number", "v:number", "body:nothing"),
        says={"body": "", "q": "q", "v": "v"},
    )
    found += calls("find", lambda **given: fresh().find(**given), {}, {"body": BODY})
    found += calls("compile", ce.compile, {}, {"system": values.NO_OBJECT})
    return found


def forces() -> list[Case]:
    """Force elements, laws, motions, couplings, parameters."""
    system = fresh()
    arm, slide = system.find("arm"), system.find("slide")
    laws = {**values.NO_OBJECT, "nan": math.nan, "negative": -1.0, "infinity": math.inf, "text": "stiff"}
    laws.pop("number")
    body = {**values.NO_OBJECT, "name": "arm"}
    found = calls(
        "SpringDamper",
        ce.SpringDamper,
        {"name": "s", "body_a": arm, "at_a": (1, 0, 0), "body_b": slide, "at_b": (0, 0, 1)},
        {
            "name": values.NO_TEXT,
            "body_a": body,
            "body_b": body,
            "at_a": values.NO_VECTOR,
            "at_b": values.NO_VECTOR,
            "spring": laws,
            "damper": laws,
            "free_length": values.NO_NOT_NEGATIVE,
        },
        ("free_length:nothing",),
        says={"spring": "stiffness", "damper": "damping"},
    )
    found += calls(
        "TorsionSpringDamper",
        ce.TorsionSpringDamper,
        {"name": "t", "body": arm},
        {
            "name": values.NO_TEXT,
            "body": body,
            "spring": laws,
            "damper": laws,
            "free": values.NO_NUMBER,
            "component": values.NO_INTEGER,
        },
        says={"spring": "stiffness", "damper": "damping"},
    )
    wrenches = {k: v for k, v in values.NO_VECTOR.items() if k not in ("texts", "one text")} | {
        "empty name": (0.0, "", 0.0)
    }
    found += calls(
        "AppliedWrench",
        ce.AppliedWrench,
        {"name": "w", "body": arm, "at": (0, 0, 0)},
        {
            "name": values.NO_TEXT,
            "body": {**body, "ground": system.ground},
            "at": values.NO_VECTOR,
            "force": wrenches,
            "torque": wrenches,
            "frame": body,
        },
        ("frame:nothing",),
        says={"body": ""},
    )
    ranges = {
        **values.NO_OBJECT,
        "down": (1.0, -1.0),
        "one": (1.0,),
        "nan": (0.0, math.nan),
        "texts": ("0", "1"),
    }
    found += calls(
        "Actuator",
        ce.Actuator,
        {"name": "a", "body": arm, "command": "torque"},
        {
            "name": values.NO_TEXT,
            "body": body,
            "command": values.NO_TEXT,
            "gear": values.NO_NUMBER,
            "gain": values.NO_VECTOR,
            "bias": values.NO_VECTOR,
            "zero": values.NO_NUMBER,
            "command_range": ranges,
            "force_range": ranges,
            "component": values.NO_INTEGER,
        },
        ("command_range:nothing", "force_range:nothing"),
    )
    lists = {
        **{k: v for k, v in values.NO_VECTOR.items() if k not in ("two", "four", "thing")},
        "empty": (),
    }
    lists.pop("column")
    found += calls("Linear", ce.Linear, {}, {"k": values.NO_NUMBER})
    found += calls("Polynomial", ce.Polynomial, {}, {"coefficients": lists})
    tables = {
        **lists,
        "falling": (2.0, 1.0, 0.0),
        "twice": (0.0, 0.0, 1.0),
        "overflow": (-1e308, 0.0, 1e308),
        "almost equal": (0.0, 5e-324, 1.0),
    }
    heights = {**lists, "fewer": (0.0, 1.0), "overflow": (-1.7e308, 1.7e308, 0.0)}
    for kind in ("linear", "cubic"):
        found += calls(
            f"Tabulated {kind}",
            ce.Tabulated,
            {"x": (0.0, 1.0, 2.0), "y": (1.0, 2.0, 3.0), "interpolation": kind},
            {"x": tables, "y": heights, "interpolation": values.NO_WORD, "extrapolation": values.NO_WORD},
        )
    found += calls("Held", ce.Held, {}, {"value": values.NO_NUMBER})
    found += calls("Driven", ce.Driven, {}, {"name": values.NO_TEXT})
    found += calls(
        "SecondOrderActuator",
        ce.SecondOrderActuator,
        {"command": "u", "gain": 1.0, "natural_frequency": 1.0},
        {
            "command": values.NO_TEXT,
            "gain": values.NO_NUMBER,
            "natural_frequency": values.NO_POSITIVE,
            "damping_ratio": values.NO_POSITIVE,
            "unit": values.NO_UNIT,
        },
    )
    found += calls("Gear", ce.Gear, {"ratio": 1.0}, {"ratio": values.NO_NUMBER, "offset": values.NO_NUMBER})
    found += calls(
        "RackAndPinion",
        ce.RackAndPinion,
        {"radius": 1.0},
        {"radius": values.NO_NUMBER, "offset": values.NO_NUMBER},
    )
    found += calls(
        "LinearCoupling",
        ce.LinearCoupling,
        {"coefficients": (1.0, 2.0)},
        {"coefficients": {**lists, "zero": (1.0, 0.0)}, "constant": values.NO_NUMBER},
        says={"coefficients": "coefficient"},
    )
    found += calls(
        "PolynomialCoupling",
        ce.PolynomialCoupling,
        {"coefficients": (1.0, 2.0)},
        {"coefficients": lists, "origin": {**lists, "three": (1.0, 2.0, 3.0)}},
        says={"coefficients": "coefficient"},
    )
    for coupling in (ce.FunctionCoupling, ce.ImplicitCoupling):
        found += calls(coupling.__name__, coupling, {}, {"function": values.NO_FUNCTION})
    found += calls(
        "Parameter",
        ce.Parameter,
        {"name": "p", "value": 1.0},
        {"name": values.NO_TEXT, "value": values.NO_NUMBER, "unit": values.NO_UNIT},
    )
    return found


def unilateral() -> list[Case]:
    """Elements and solvers of the complementarity layer."""
    system = fresh()
    arm, slide = system.find("arm"), system.find("slide")
    body = {**values.NO_OBJECT, "name": "arm", "ground": system.ground}
    plane = contact.Plane(0.5)
    normals = {**values.NO_VECTOR, "long": (0, 0, 2), "zero": (0, 0, 0)}
    found = calls(
        "Plane",
        contact.Plane,
        {},
        {"friction": values.NO_NOT_NEGATIVE, "normal": normals, "point": values.NO_VECTOR},
    )
    found += calls("RoadSurface", contact.RoadSurface, {}, {"road": values.NO_OBJECT})
    found += calls(
        "Contact",
        contact.Contact,
        {"name": "c", "body": arm, "at": (0, 0, 0), "surface": plane},
        {
            "name": values.NO_TEXT,
            "body": body,
            "at": values.NO_VECTOR,
            "surface": values.NO_OBJECT,
            "radius": values.NO_NOT_NEGATIVE,
            "axis": values.NO_DIRECTION,
            "friction": values.NO_WORD,
            "restitution": values.NO_FRACTION,
        },
        says={"body": "", "axis": ""},
    )
    found += calls(
        "Cable",
        contact.Cable,
        {"name": "c", "body": arm, "at": (0, 0, 0), "other": slide, "other_at": (0, 0, 0), "length": 1.0},
        {
            "name": values.NO_TEXT,
            "body": body,
            "at": values.NO_VECTOR,
            "other": values.NO_OBJECT,
            "other_at": values.NO_VECTOR,
            "length": values.NO_POSITIVE,
        },
        says={"body": "", "other": ""},
    )
    bounds = {k: v for k, v in values.NO_NUMBER.items() if k != "nothing"}
    found += calls(
        "JointStop",
        contact.JointStop,
        {"name": "s", "body": arm, "lower": -1.0, "upper": 1.0},
        {
            "name": values.NO_TEXT,
            "body": body,
            "lower": {**bounds, "above": 2.0},
            "upper": bounds,
            "k": values.NO_INTEGER,
            "restitution": values.NO_FRACTION,
        },
        says={"body": "", "k": ""},
    )
    found += calls(
        "JointFriction",
        contact.JointFriction,
        {"name": "f", "body": arm, "limit": 1.0},
        {"name": values.NO_TEXT, "body": body, "limit": values.NO_NOT_NEGATIVE, "k": values.NO_INTEGER},
        says={"body": "", "k": ""},
    )
    found += calls(
        "Straight",
        contact.Straight,
        {"start": (0, 0, 0)},
        {"start": values.NO_VECTOR, "rate": values.NO_VECTOR},
    )
    found += calls(
        "Weaving",
        contact.Weaving,
        {"start": (0, 0, 0), "rate": (1, 0, 0), "across": (0, 1, 0), "amplitude": 1.0, "frequency": 1.0},
        {
            "start": values.NO_VECTOR,
            "rate": values.NO_VECTOR,
            "across": values.NO_DIRECTION,
            "amplitude": values.NO_NUMBER,
            "frequency": values.NO_POSITIVE,
        },
    )
    quaternions = {**values.no_state(4), "long": (2.0, 0.0, 0.0, 0.0), "zero": (0.0, 0.0, 0.0, 0.0)}
    found += calls(
        "RigidBody",
        contact.RigidBody,
        {"name": "b", "mass": 1.0, "inertia": (1, 1, 1)},
        {
            "name": values.NO_TEXT,
            "mass": values.NO_POSITIVE,
            "inertia": {**{k: v for k, v in values.NO_VECTOR.items() if k != "matrix"}, "zero": (0, 0, 0)},
            "position": values.NO_VECTOR,
            "orientation": quaternions,
            "velocity": values.NO_VECTOR,
            "angular_velocity": values.NO_VECTOR,
        },
    )
    found += calls(
        "GaussSeidel",
        contact.GaussSeidel,
        {},
        {"tolerance": values.NO_POSITIVE, "max_sweeps": {**values.NO_INTEGER, "zero": 0}},
    )
    found += calls("Exact", contact.Exact, {}, {"tolerance": values.NO_POSITIVE})
    return found


def by_annotation(make: Callable[..., Any], said: Mapping[str, str] | None = None) -> dict[str, Pool]:
    """Wrong values of every argument of a function or class, by the type that its signature names."""
    pools: dict[str, Pool] = {
        "Point": values.NO_VECTOR,
        "ArrayLike": values.NO_VECTOR,
        "float": values.NO_NUMBER,
        "int": values.NO_INTEGER,
        "str": values.NO_TEXT,
        "bool": values.NO_FLAG,
        "System": values.NO_OBJECT,
    }
    found: dict[str, Pool] = {}
    for name, parameter in inspect.signature(make).parameters.items():
        kind, _, rest = str(parameter.annotation).partition(" | ")
        pool = values.NO_DIRECTION if name == "axis" else pools.get(kind)
        if pool is not None:
            found[name] = {key: value for key, value in pool.items() if (rest, key) != ("None", "nothing")}
    return found


def linkages() -> list[Case]:
    """Closed forms: points that are no points, and that do not lie where they must."""
    z = (0, 0, 1)
    points: dict[str, Any] = {"A": (0, 0, 0), "D": (0, 1, 0), "F": (2, 1.5, 0), "G": (2, 0, 0)}
    corner: dict[str, Any] = {
        "A1": (0.2, 0.3, 0), "A2": (-0.2, 0.3, 0), "G1": (-0.05, 0.45, 0.25), "G2": (-0.27, 0.48, 0.2),
        "D": (-0.04, 0.79, -0.12), "F": (-0.05, 0.72, 0.22), "K": (-0.18, 0.82, -0.02),
        "L": (-0.25, 0.45, 0.05), "B": (0.1, 0.54, -0.05), "J": (0.1, 0.5, 0.2),
    }  # fmt: skip
    strut = {name: corner[name] for name in ("A1", "A2", "D", "K", "L")} | {
        "F": (-0.04, 0.72, 0.3),
        "S": (-0.04, 0.65, 0.7),
    }
    arms = {name: corner[name] for name in ("A1", "A2", "G1", "G2", "D", "F")}
    steering = {"T": (0, 0.25, 0), "U": (0.13, 0.25, 0), "V": (0.13, -0.32, 0), "W": (0, -0.32, 0), "axis": z}
    link = {"rod": "rod", "carrier": "arm", "anchor": "chassis"}
    double = {name: corner[name] for name in corner}
    good: dict[Callable[..., Any], dict[str, Any]] = {
        kinematics.FourBar: {**points, "axis": z},
        kinematics.Shock: {"B": (0, 0, 0), "J": (0.1, 0, 1)},
        kinematics.SpindleTieRod: {"D": (0, 0, 0), "F": (0, 0, 1), "K": (0.1, 0, 0.5), "L": (0.1, 0.5, 0.5)},
        kinematics.PitmanSteering: steering,
        kinematics.Rod: {"P": (0, 0, 0), "Q": (0.1, 0.5, 0.5), **link},
        kinematics.SwingArm: {"A1": (0.2, 0, 0), "A2": (-0.2, 0, 0), "F": (0, 0.5, 0.1),
                              "arm": "arm", "carrier": "upright", "anchor": "chassis"},
        kinematics.StrutLoop: strut,
        kinematics.WishboneLoop: arms,
    }  # fmt: skip
    found: list[Case] = []
    for make, arguments in good.items():
        pools = by_annotation(make)
        if make is kinematics.Shock:
            pools["axis"] = {**pools["axis"], "leaning": (0.2, 0.5, 0.2)}
            pools["B"] = {**pools["B"], "same": (0.1, 0, 1)}
        found += calls(make.__name__, make, arguments, pools, says={"axis": ""})

    def wishbone(**given: Any) -> Any:
        return kinematics.DoubleWishbone(kinematics.DoubleWishbonePoints(**given))

    wrong = by_annotation(kinematics.DoubleWishbonePoints)
    found += calls("DoubleWishbonePoints", wishbone, double, wrong)
    bodies = by_annotation(kinematics.DoubleWishboneBodies)
    design = kinematics.DoubleWishbonePoints(**double)
    found += calls(
        "DoubleWishboneBodies",
        lambda **given: kinematics.DoubleWishbone(design, kinematics.DoubleWishboneBodies(**given)),
        {},
        bodies,
    )
    level = {"G1": (0.05, 0.45, 0.25), "G2": (-0.3, 0.45, 0.25), "D": (0, 0.79, -0.12), "F": (0, 0.72, 0.22)}
    level |= {"B": (0, 0.54, -0.05), "J": (0, 0.5, 0.2)}
    planar = kinematics.DoubleWishbonePoints(**{**double, **level})
    pool = {"points": values.NO_OBJECT, "bodies": values.NO_OBJECT}
    for build, at in ((kinematics.DoubleWishbone, design), (kinematics.planar_double_wishbone, planar)):
        found += calls(build.__name__, build, {"points": at}, pool, ("bodies:nothing",))
    bar = kinematics.FourBar(**points, axis=z)
    spans = {
        "text": "crank",
        "unknown": {"nobody": (0, 1)},
        "one": {"crank": 1.0},
        "nan": {"crank": (0.0, math.nan)},
        "texts": {"crank": ("a", "b")},
        "empty": {},
    }
    found += calls(
        "check_linkage",
        kinematics.check_linkage,
        {"linkage": bar, "span": {"crank": (-0.1, 0.1)}},
        {
            "linkage": values.NO_OBJECT,
            "span": spans,
            "samples": {**values.NO_INTEGER, "zero": 0},
            "seed": values.NO_INTEGER,
            "steering_span": {"text": "ab", "one": (1.0,), "nan": (0.0, math.nan)},
        },
    )
    found += calls(
        "Composite",
        kinematics.Composite,
        {"parts": [bar], "independent": "crank"},
        {
            "parts": {"text": "bar", "number": 1.0, "things": [values.Thing()], "empty": [], "nothing": None},
            "independent": {**values.NO_WORD},
        },
        ("independent:nothing",),
    )
    return found + symbolic()


def symbolic() -> list[Case]:
    """Linkages from loop equations: a slider on a crank."""
    theta, x, a = sympy.symbols("theta x a")
    crank = kinematics.Joint("crank", "ground", ce.Revolute((0, 0, 1)))
    slider = kinematics.Joint("slider", "ground", ce.Prismatic((1, 0, 0)))
    good: dict[str, Any] = {
        "joints": [crank, slider],
        "coordinates": {theta: "crank", x: "slider"},
        "equations": [a * sympy.sin(theta) - x],
        "independent": "crank",
        "parameters": {a: 0.1},
    }
    lists = {
        "text": "crank",
        "number": 1.0,
        "nothing": None,
        "things": [values.Thing()],
        "thing": values.Thing(),
    }
    wrong: dict[str, Pool] = {
        "joints": {**lists, "empty": [], "one": [crank]},
        "coordinates": {
            **lists,
            "empty": {},
            "unknown": {theta: "nobody", x: "slider"},
            "numbers": {theta: 1.0, x: 2.0},
        },
        "equations": {**lists, "empty": [], "two": [theta, x], "texts": ["theta - x"]},
        "independent": {
            "number": 1.0,
            "unknown": "nobody",
            "nothing": None,
            "thing": values.Thing(),
            "things": [values.Thing()],
        },
        "cuts": lists,
        "parameters": {**lists, "nan": {a: math.nan}, "texts": {a: "1"}, "empty": {}},
        "name": values.NO_TEXT,
    }
    without = ("parameters:nothing", "name:nothing")
    return calls(
        "SymbolicLinkage", kinematics.SymbolicLinkage, good, wrong, without, dict.fromkeys(wrong, "")
    )


def outputs() -> list[Case]:
    """Functions of a user's own that go wrong when they are called."""
    wrong: dict[str, Callable[..., Any]] = {
        "raises": lambda see: 1 / 0,
        "attribute": lambda see: see.nothing,
        "text": lambda see: "high",
        "nothing": lambda see: None,
        "vector": lambda see: np.zeros(3),
        "needs more": lambda see, more: 1.0,
        "thing": lambda see: values.Thing(),
        "unknown body": lambda see: see.coordinate("nobody"),
    }
    found = []
    for method in ("add_output", "add_measurement"):
        for name, function in wrong.items():

            def run(method: str = method, function: Callable[..., Any] = function) -> Any:
                system = fresh()
                getattr(system, method)("height", "m", function)
                model = ce.compile(system)
                return model.observation(model.y0, model.u0)

            found.append(Case(f"{method}({name})", run, ("height",)))

    class Broken(ce.ForceElement):
        name = "broken"

        def __init__(self, body: Any, answer: Callable[[], Any]) -> None:
            self.body, self.answer = body, answer

        @property
        def attachments(self) -> Any:
            return ((self.body, np.zeros(3)),)

        def evaluate(self, observer: Any, x: Any, u: Any) -> Any:
            return self.answer()

    for name, answer in {"raises": lambda: 1 / 0, "nothing": lambda: None, "text": lambda: "force"}.items():

        def push(answer: Callable[[], Any] = answer) -> Any:
            system = fresh()
            system.add_force(Broken(system.find("arm"), answer))
            return ce.compile(system).dynamics

        found.append(Case(f"force element({name})", push, ("broken",)))
    for name, cam in {
        "raises": lambda q: 1 / 0,
        "text": lambda q: "one",
        "nothing": lambda q: None,
        "needs more": lambda q, r, s: q,
    }.items():
        for kind in (ce.FunctionCoupling, ce.ImplicitCoupling):

            def couple(cam: Any = cam, kind: Any = kind) -> Any:
                system = fresh()
                system.couple("cam", ("arm", "slide"), kind(cam))
                return ce.compile(system).dynamics

            found.append(Case(f"{kind.__name__}({name})", couple, ("cam",)))
    return found


def cases() -> list[Case]:
    """All of them."""
    return [*hinges(), *systems(), *forces(), *unilateral(), *linkages(), *outputs()]
