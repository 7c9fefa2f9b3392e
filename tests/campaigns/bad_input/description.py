"""Descriptions of systems: every argument of every public constructor and method, one at a time."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import sympy

import ce_dynamics as ce
from ce_dynamics import contact, kinematics
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case


def calls(
    label: str,
    make: Callable[..., Any],
    good: Mapping[str, Any],
    spec: str,
    own: Mapping[str, Any] | None = None,
) -> list[Case]:
    """One case per argument and bad value.

    The specification lists ``argument:pool-value~word``: the values of a pool but those that are right here,
    and the word that a message must contain instead of the argument (none after a bare ``~``).  Values of
    its own follow those of the pool.
    """
    found = []
    for entry in spec.split():
        entry, tilde, word = entry.partition("~")
        argument, _, kind = entry.partition(":")
        kind, *right = kind.split("-")
        for name, value in {**values.pool(kind), **(own or {}).get(argument, {})}.items():
            if name.replace(" ", "_") not in right:
                run = partial(lambda given: make(**good | given), {argument: value})
                found.append(
                    Case(
                        f"{label}({argument}: {name})", run, (word.replace("_", " ") if tilde else argument,)
                    )
                )
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
    x, z, o = (1, 0, 0), (0, 0, 1), (0, 0, 0)
    found = calls("Revolute", ce.Revolute, {"axis": z}, "axis:direction at:vector")
    found += calls("Prismatic", ce.Prismatic, {"axis": z}, "axis:direction at:vector")
    found += calls("Cylindrical", ce.Cylindrical, {"axis": z}, "axis:direction at:vector")
    found += calls("Screw", ce.Screw, {"axis": z, "pitch": 0.1}, "axis:direction pitch:number at:vector")
    for kind in (ce.Spherical, ce.Fixed, ce.Free):
        found += calls(kind.__name__, kind, {}, "at:vector")
    found += calls("Planar", ce.Planar, {"normal": z}, "normal:direction at:vector x_axis:direction")
    found += calls(
        "Universal", ce.Universal, {"axis1": x, "axis2": z}, "axis1:direction axis2:direction at:vector"
    )
    good = {"at_a": o, "at_b": x}
    found += calls("Distance", ce.Distance, good, "at_a:vector at_b:vector length:positive-nothing")
    return found


def systems() -> list[Case]:
    """The methods of `System`."""
    found = calls("System", ce.System, {}, "gravity:vector name:text")
    good: dict[str, Any] = {"name": "new", "mass": 1.0, "parent": "ground", "hinge": ce.Revolute((0, 1, 0))}
    found += calls(
        "add_body",
        lambda **given: fresh().add_body(**given),
        good,
        ("name:text~ mass:not_negative parent:body~body hinge:object com:vector inertia:vector-matrix"),
        {
            "name": {"taken": "arm"},
            "inertia": {
                "not symmetric": [[1, 1, 0], [0, 1, 0], [0, 0, 1]],
                "negative": (-1.0, 1.0, 1.0),
                "nan matrix": np.full((3, 3), math.nan),
            },
        },
    )
    good = {"name": "pin", "body_a": "arm", "body_b": "slide", "closure": ce.Distance((1, 0, 0), (0, 0, 1))}
    found += calls(
        "close_loop",
        lambda **given: fresh().close_loop(**given),
        good,
        (
            "name:text body_a:body~body body_b:body~body closure:object independent:body_names~ "
            "through_dead_centres:flag"
        ),
    )
    good = {"name": "mesh", "coordinates": ("arm", "slide"), "coupling": ce.Gear(2.0)}
    found += calls(
        "couple",
        lambda **given: fresh().couple(**given),
        good,
        "name:text coordinates:object~ coupling:object independent:body_names~",
        {
            "coordinates": {
                "one": ["arm"],
                "twice": ["arm", "arm"],
                "ground": ["ground", "arm"],
                "no such number": [("arm", 3), "slide"],
                "number is text": [("arm", "0"), "slide"],
                "number is a fraction": [("arm", 0.5), "slide"],
                "triple": [("arm", 0, 0), "slide"],
            }
        },
    )
    found += calls(
        "constrain",
        lambda **given: fresh().constrain(**given),
        {"name": "rule", "bodies": ("arm", "ground"), "function": lambda see: see.coordinate("arm")},
        "name:text bodies:body_names~ function:function~rule independent:body_names-nothing~",
        {
            "function": {
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
        },
    )
    found += calls(
        "prescribe",
        lambda **given: fresh().prescribe(**given),
        {"body": "arm", "motion": ce.Held(0.0)},
        "body:body~ motion:object~",
        {"body": {"ground": "ground"}, "motion": {"unknown input": ce.Driven("nothing")}},
    )
    found += calls("add_force", lambda **given: fresh().add_force(**given), {}, "element:object")
    found += calls("use_linkage", lambda **given: fresh().use_linkage(**given), {}, "linkage:object")
    found += calls(
        "add_input",
        lambda **given: fresh().add_input(**given),
        {"name": "pedal", "unit": "1"},
        "name:text~ unit:unit default:number",
        {"name": {"taken": "torque"}},
    )
    found += calls("add_parameter", lambda **given: fresh().add_parameter(**given), {}, "parameter:object")
    for method in ("add_output", "add_measurement"):
        found += calls(
            method,
            lambda method=method, **given: getattr(fresh(), method)(**given),
            {"name": "height", "unit": "m", "function": lambda see: 1.0},
            "name:text~ unit:unit function:function",
        )
    found += calls(
        "start",
        lambda **given: fresh().start(**given),
        {"body": "arm"},
        "body:body-nothing~ q:state1-number~q v:state1-number~v",
        {"body": {"ground": "ground"}},
    )
    found += calls("find", lambda **given: fresh().find(**given), {}, "body:body")
    found += calls("compile", ce.compile, {}, "system:object")
    return found


def forces() -> list[Case]:
    """Force elements, laws, motions, couplings, parameters."""
    system = fresh()
    arm, slide = system.find("arm"), system.find("slide")
    bad = {"nan": math.nan, "negative": -1.0, "infinity": math.inf, "text": "stiff"}
    by_name = {"name": "arm"}
    own = {"body": by_name, "body_a": by_name, "body_b": by_name, "spring": bad, "damper": bad}
    found = calls(
        "SpringDamper",
        ce.SpringDamper,
        {"name": "s", "body_a": arm, "at_a": (1, 0, 0), "body_b": slide, "at_b": (0, 0, 1)},
        (
            "name:text body_a:object body_b:object at_a:vector at_b:vector spring:object-number~stiffness "
            "damper:object-number~damping free_length:not_negative-nothing"
        ),
        own,
    )
    found += calls(
        "TorsionSpringDamper",
        ce.TorsionSpringDamper,
        {"name": "t", "body": arm},
        (
            "name:text body:object spring:object-number~stiffness damper:object-number~damping free:number "
            "component:integer"
        ),
        own,
    )
    found += calls(
        "AppliedWrench",
        ce.AppliedWrench,
        {"name": "w", "body": arm, "at": (0, 0, 0)},
        (
            "name:text body:object~ at:vector force:vector-texts-one_text torque:vector-texts-one_text "
            "frame:object-nothing"
        ),
        {
            "body": {"name": "arm", "ground": system.ground},
            "force": {"empty name": (0.0, "", 0.0)},
            "torque": {"empty name": (0.0, "", 0.0)},
            "frame": {"name": "arm"},
        },
    )
    found += calls(
        "Actuator",
        ce.Actuator,
        {"name": "a", "body": arm, "command": "torque"},
        (
            "name:text body:object command:text gear:number gain:vector bias:vector zero:number "
            "command_range:object-nothing force_range:object-nothing component:integer"
        ),
        {
            "body": {"name": "arm"},
            "command_range": {
                "down": (1.0, -1.0),
                "one": (1.0,),
                "nan": (0.0, math.nan),
                "texts": ("0", "1"),
            },
            "force_range": {"down": (1.0, -1.0), "one": (1.0,), "nan": (0.0, math.nan), "texts": ("0", "1")},
        },
    )
    no_list = ("two", "four", "thing", "column")
    lists = {**{k: v for k, v in values.NO_VECTOR.items() if k not in no_list}, "empty": ()}
    found += calls("Linear", ce.Linear, {}, "k:number")
    found += calls("Polynomial", ce.Polynomial, {}, "coefficients", {"coefficients": lists})
    tables = {
        **lists, "falling": (2.0, 1.0, 0.0), "twice": (0.0, 0.0, 1.0), "overflow": (-1e308, 0.0, 1e308),
        "almost equal": (0.0, 5e-324, 1.0),
    }  # fmt: skip
    heights = {**lists, "fewer": (0.0, 1.0), "overflow": (-1.7e308, 1.7e308, 0.0)}
    for kind in ("linear", "cubic"):
        found += calls(
            f"Tabulated {kind}",
            ce.Tabulated,
            {"x": (0.0, 1.0, 2.0), "y": (1.0, 2.0, 3.0), "interpolation": kind},
            "x y interpolation:word extrapolation:word",
            {"x": tables, "y": heights},
        )
    found += calls("Held", ce.Held, {}, "value:number")
    found += calls("Driven", ce.Driven, {}, "name:text")
    found += calls(
        "SecondOrderActuator",
        ce.SecondOrderActuator,
        {"command": "u", "gain": 1.0, "natural_frequency": 1.0},
        "command:text gain:number natural_frequency:positive damping_ratio:positive unit:unit",
    )
    found += calls("Gear", ce.Gear, {"ratio": 1.0}, "ratio:number offset:number")
    found += calls("RackAndPinion", ce.RackAndPinion, {"radius": 1.0}, "radius:number offset:number")
    found += calls(
        "LinearCoupling",
        ce.LinearCoupling,
        {"coefficients": (1.0, 2.0)},
        "coefficients~coefficient constant:number",
        {"coefficients": {**lists, "zero": (1.0, 0.0)}},
    )
    found += calls(
        "PolynomialCoupling",
        ce.PolynomialCoupling,
        {"coefficients": (1.0, 2.0)},
        "coefficients~coefficient origin",
        {"coefficients": lists, "origin": {**lists, "three": (1.0, 2.0, 3.0)}},
    )
    for coupling in (ce.FunctionCoupling, ce.ImplicitCoupling):
        found += calls(coupling.__name__, coupling, {}, "function:function")
    found += calls("Parameter", ce.Parameter, {"name": "p", "value": 1.0}, "name:text value:number unit:unit")
    return found


def unilateral() -> list[Case]:
    """Elements and solvers of the complementarity layer."""
    system = fresh()
    arm, slide = system.find("arm"), system.find("slide")
    plane = contact.Plane(0.5)
    found = calls(
        "Plane",
        contact.Plane,
        {},
        "friction:not_negative normal:vector point:vector",
        {"normal": {"long": (0, 0, 2), "zero": (0, 0, 0)}},
    )
    found += calls("RoadSurface", contact.RoadSurface, {}, "road:object")
    found += calls(
        "Contact",
        contact.Contact,
        {"name": "c", "body": arm, "at": (0, 0, 0), "surface": plane},
        (
            "name:text body:object~ at:vector surface:object radius:not_negative axis:direction~ "
            "friction:word restitution:fraction"
        ),
        {"body": {"name": "arm", "ground": system.ground}},
    )
    found += calls(
        "Cable",
        contact.Cable,
        {"name": "c", "body": arm, "at": (0, 0, 0), "other": slide, "other_at": (0, 0, 0), "length": 1.0},
        "name:text body:object~ at:vector other:object~ other_at:vector length:positive",
        {"body": {"name": "arm", "ground": system.ground}},
    )
    found += calls(
        "JointStop",
        contact.JointStop,
        {"name": "s", "body": arm, "lower": -1.0, "upper": 1.0},
        ("name:text body:object~ lower:number-nothing upper:number-nothing k:integer~ restitution:fraction"),
        {"body": {"name": "arm", "ground": system.ground}, "lower": {"above": 2.0}},
    )
    found += calls(
        "JointFriction",
        contact.JointFriction,
        {"name": "f", "body": arm, "limit": 1.0},
        "name:text body:object~ limit:not_negative k:integer~",
        {"body": {"name": "arm", "ground": system.ground}},
    )
    found += calls("Straight", contact.Straight, {"start": (0, 0, 0)}, "start:vector rate:vector")
    found += calls(
        "Weaving",
        contact.Weaving,
        {"start": (0, 0, 0), "rate": (1, 0, 0), "across": (0, 1, 0), "amplitude": 1.0, "frequency": 1.0},
        "start:vector rate:vector across:direction amplitude:number frequency:positive",
    )
    found += calls(
        "RigidBody",
        contact.RigidBody,
        {"name": "b", "mass": 1.0, "inertia": (1, 1, 1)},
        (
            "name:text mass:positive inertia:vector-matrix position:vector orientation:state4 "
            "velocity:vector angular_velocity:vector"
        ),
        {
            "inertia": {"zero": (0, 0, 0)},
            "orientation": {"long": (2.0, 0.0, 0.0, 0.0), "zero": (0.0, 0.0, 0.0, 0.0)},
        },
    )
    found += calls(
        "GaussSeidel",
        contact.GaussSeidel,
        {},
        "tolerance:positive max_sweeps:integer",
        {"max_sweeps": {"zero": 0}},
    )
    found += calls("Exact", contact.Exact, {}, "tolerance:positive")
    return found


def by_annotation(make: Callable[..., Any]) -> str:
    """Every argument of a function or class with the kind of value that its signature names."""
    kinds = {"Point": "vector", "ArrayLike": "vector", "float": "number", "int": "integer", "str": "text",
             "bool": "flag", "System": "object"}  # fmt: skip
    found = []
    for name, parameter in inspect.signature(make).parameters.items():
        kind, _, rest = str(parameter.annotation).partition(" | ")
        if name == "axis" or kind in kinds:
            kind = "direction" if name == "axis" else kinds[kind]
            found.append(f"{name}:{kind}{'-nothing' * (rest == 'None')}{'~' * (name == 'axis')}")
    return " ".join(found)


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
    shocks = {"axis": {"leaning": (0.2, 0.5, 0.2)}, "B": {"same": (0.1, 0, 1)}}
    for make, arguments in good.items():
        own = shocks if make is kinematics.Shock else {}
        found += calls(make.__name__, make, arguments, by_annotation(make), own)

    def wishbone(**given: Any) -> Any:
        return kinematics.DoubleWishbone(kinematics.DoubleWishbonePoints(**given))

    wrong = by_annotation(kinematics.DoubleWishbonePoints)
    found += calls("DoubleWishbonePoints", wishbone, double, wrong)
    design = kinematics.DoubleWishbonePoints(**double)
    made = lambda **given: kinematics.DoubleWishbone(design, kinematics.DoubleWishboneBodies(**given))  # noqa: E731
    found += calls("DoubleWishboneBodies", made, {}, by_annotation(kinematics.DoubleWishboneBodies))
    level = {"G1": (0.05, 0.45, 0.25), "G2": (-0.3, 0.45, 0.25), "D": (0, 0.79, -0.12), "F": (0, 0.72, 0.22)}
    level |= {"B": (0, 0.54, -0.05), "J": (0, 0.5, 0.2)}
    planar = kinematics.DoubleWishbonePoints(**{**double, **level})
    for build, at in ((kinematics.DoubleWishbone, design), (kinematics.planar_double_wishbone, planar)):
        found += calls(build.__name__, build, {"points": at}, "points:object bodies:object-nothing")
    bar = kinematics.FourBar(**points, axis=z)
    spans = {
        "text": "crank", "unknown": {"nobody": (0, 1)}, "one": {"crank": 1.0},
        "nan": {"crank": (0.0, math.nan)}, "texts": {"crank": ("a", "b")}, "empty": {},
    }  # fmt: skip
    found += calls(
        "check_linkage",
        kinematics.check_linkage,
        {"linkage": bar, "span": {"crank": (-0.1, 0.1)}},
        "linkage:object span samples:integer seed:integer steering_span",
        {
            "span": spans,
            "samples": {"zero": 0},
            "steering_span": {"text": "ab", "one": (1.0,), "nan": (0.0, math.nan)},
        },
    )
    found += calls(
        "Composite",
        kinematics.Composite,
        {"parts": [bar], "independent": "crank"},
        "parts independent:word-nothing",
        {"parts": {"text": "bar", "number": 1.0, "things": [values.Thing()], "empty": [], "nothing": None}},
    )
    return found + symbolic()


def symbolic() -> list[Case]:
    """Linkages from loop equations: a slider on a crank."""
    theta, x, a = sympy.symbols("theta x a")
    crank = kinematics.Joint("crank", "ground", ce.Revolute((0, 0, 1)))
    slider = kinematics.Joint("slider", "ground", ce.Prismatic((1, 0, 0)))
    good: dict[str, Any] = {
        "joints": [crank, slider], "coordinates": {theta: "crank", x: "slider"},
        "equations": [a * sympy.sin(theta) - x], "independent": "crank", "parameters": {a: 0.1},
    }  # fmt: skip
    lists = {
        "text": "crank", "number": 1.0, "nothing": None, "things": [values.Thing()],
        "thing": values.Thing(),
    }  # fmt: skip
    return calls(
        "SymbolicLinkage",
        kinematics.SymbolicLinkage,
        good,
        "joints~ coordinates~ equations~ independent~ cuts~ parameters:-nothing~ name:text-nothing~",
        {
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
        },
    )


def outputs() -> list[Case]:
    """Functions of a user's own that go wrong when they are called."""
    wrong: dict[str, Callable[..., Any]] = {
        "raises": lambda see: 1 / 0, "attribute": lambda see: see.nothing, "text": lambda see: "high",
        "nothing": lambda see: None, "vector": lambda see: np.zeros(3),
        "needs more": lambda see, more: 1.0, "thing": lambda see: values.Thing(),
        "unknown body": lambda see: see.coordinate("nobody"),
    }  # fmt: skip
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
