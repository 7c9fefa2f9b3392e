"""Descriptions of systems: every argument of every public constructor and method, one at a time."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy

import ce_dynamics as ce
from ce_dynamics import contact, kinematics
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.values import calls

HERE, X, Z = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


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


def of_hinges() -> list[Case]:
    found = []
    for kind in (ce.Revolute, ce.Prismatic, ce.Cylindrical):
        found += calls(kind, {"axis": Z})
    found += calls(ce.Screw, {"axis": Z, "pitch": 0.1})
    for still in (ce.Spherical, ce.Fixed, ce.Free):
        found += calls(still)
    found += calls(ce.Planar, {"normal": Z})
    found += calls(ce.Universal, {"axis1": X, "axis2": Z})
    return found + calls(ce.Distance, {"at_a": HERE, "at_b": X}, "length:positive-nothing")


COORDINATES: dict[str, Any] = {
    "one": ["arm"], "twice": ["arm", "arm"], "ground": ["ground", "arm"],
    "no such number": [("arm", 3), "slide"], "number is text": [("arm", "0"), "slide"],
    "number is a fraction": [("arm", 0.5), "slide"], "triple": [("arm", 0, 0), "slide"],
}  # fmt: skip
RULES: dict[str, Any] = {
    "constant": lambda see: 0.0, "constant one": lambda see: 1.0, "constant list": lambda see: [0.0, 0.0],
    "nothing": lambda see: None, "empty": lambda see: [], "text": lambda see: "zero",
    "bytes": lambda see: b"0", "raises": lambda see: 1 / 0,
    "nan": lambda see: math.nan * see.coordinate("arm"), "undeclared": lambda see: see.coordinate("slide"),
    "no body": lambda see: see.coordinate(values.Thing()),
    "no number": lambda see: see.coordinate("arm", 7),
    "ragged": lambda see: [[see.coordinate("arm")], 1.0], "needs more": lambda see, more: 0.0,
    "bad point": lambda see: see.point("arm", (1, 2), "ground")[0],
}  # fmt: skip
GROUND = {"ground": "ground"}


def of_systems() -> list[Case]:
    """The methods of `System`."""
    found = calls(ce.System, {}, "tolerance:-zero")

    def method(
        of: Callable[..., Any], good: dict[str, Any], spec: str = "", own: dict[str, Any] | None = None
    ) -> None:
        name = of.__name__
        found.extend(calls(of, good, spec, own, run=lambda **given: getattr(fresh(), name)(**given)))

    new = {"name": "new", "mass": 1.0, "parent": "ground", "hinge": ce.Revolute((0, 1, 0))}
    inertia = {
        "not symmetric": [[1, 1, 0], [0, 1, 0], [0, 0, 1]], "negative": (-1.0, 1.0, 1.0),
        "nan matrix": np.full((3, 3), math.nan),
    }  # fmt: skip
    spec = "name~ parent:body~body armature:-number com:vector inertia:vector-matrix"
    method(ce.System.add_body, new, spec, {"name": {"taken": "arm"}, "inertia": inertia})
    pin = {"name": "pin", "body_a": "arm", "body_b": "slide", "closure": ce.Distance(X, Z)}
    method(ce.System.close_loop, pin, "body_a:body~body body_b:body~body independent:body_names~")
    mesh = {"name": "mesh", "coordinates": ("arm", "slide"), "coupling": ce.Gear(2.0)}
    spec = "coordinates:object~ independent:body_names~"
    method(ce.System.couple, mesh, spec, {"coordinates": COORDINATES})
    rule = {"name": "rule", "bodies": ("arm", "ground"), "function": lambda see: see.coordinate("arm")}
    spec = "bodies:body_names~ function:function~rule independent:body_names-nothing~"
    method(ce.System.constrain, rule, spec, {"function": RULES})
    own = {"body": GROUND, "motion": {"unknown input": ce.Driven("nothing")}}
    method(ce.System.prescribe, {"body": "arm", "motion": ce.Held(0.0)}, "body:body~ motion:object~", own)
    method(ce.System.add_force, {}, "element:object")
    method(ce.System.use_linkage, {}, "linkage:object")
    method(ce.System.add_input, {"name": "pedal", "unit": "1"}, "name~", {"name": {"taken": "torque"}})
    method(ce.System.add_parameter, {}, "parameter:object")
    for add in (ce.System.add_output, ce.System.add_measurement):
        method(add, {"name": "height", "unit": "m", "function": lambda see: 1.0}, "name~")
    spec = "body:body-nothing~ q:state1-number~q v:state1-number~v"
    method(ce.System.start, {"body": "arm"}, spec, {"body": GROUND})
    method(ce.System.find, {}, "body:body")
    return found + calls(ce.compile, {}, "system:object")


def of_forces() -> list[Case]:
    system = fresh()
    arm, slide = system.find("arm"), system.find("slide")
    bad = {"nan": math.nan, "negative": -1.0, "infinity": math.inf, "text": "stiff"}
    by_name = {"name": "arm"}
    laws = "spring:object-number~stiffness damper:object-number~damping"
    sprung = {"spring": bad, "damper": bad}
    between = {"name": "s", "body_a": arm, "at_a": X, "body_b": slide, "at_b": Z}
    found = calls(ce.SpringDamper, between, f"{laws} free_length:not_negative-nothing",
                  sprung | {"body_a": by_name, "body_b": by_name})  # fmt: skip
    found += calls(ce.TorsionSpringDamper, {"name": "t", "body": arm}, laws, sprung | {"body": by_name})
    stop = {"name": "s", "body": arm, "lower": -1.0, "upper": 1.0, "stiffness": 10.0}
    found += calls(ce.JointStop, stop, "upper:number-infinity component~", {"body": by_name})
    named = {"empty name": (0.0, "", 0.0)}
    spec = "body~ force:vector-texts-one_text torque:vector-texts-one_text"
    ground = {"name": "arm", "ground": system.ground}
    wrench = {"body": ground, "force": named, "torque": named, "frame": by_name}
    found += calls(ce.AppliedWrench, {"name": "w", "body": arm, "at": HERE}, spec, wrench)
    ranges = {"down": (1.0, -1.0), "one": (1.0,), "nan": (0.0, math.nan), "texts": ("0", "1")}
    limits = "command_range:object-nothing force_range:object-nothing gain:vector bias:vector"
    motor = {"body": by_name, "command_range": ranges, "force_range": ranges}
    found += calls(ce.Actuator, {"name": "a", "body": arm, "command": "torque"}, limits, motor)
    no_list = ("two", "four", "thing", "column")
    lists = {**{k: v for k, v in values.NO_VECTOR.items() if k not in no_list}, "empty": ()}
    found += calls(ce.Linear)
    found += calls(ce.Polynomial, {}, "", {"coefficients": lists})
    tables = {
        **lists, "falling": (2.0, 1.0, 0.0), "twice": (0.0, 0.0, 1.0), "overflow": (-1e308, 0.0, 1e308),
        "almost equal": (0.0, 5e-324, 1.0),
    }  # fmt: skip
    heights = {**lists, "fewer": (0.0, 1.0), "overflow": (-1.7e308, 1.7e308, 0.0)}
    own = {"x": tables, "y": heights}
    for kind in ("linear", "cubic"):
        table = {"x": (0.0, 1.0, 2.0), "y": (1.0, 2.0, 3.0), "interpolation": kind}
        found += calls(ce.Tabulated, table, "x: y:", own, label=f"Tabulated {kind}")
    found += calls(ce.Held) + calls(ce.Driven)
    driven = {"command": "u", "gain": 1.0, "natural_frequency": 1.0}
    found += calls(ce.SecondOrderActuator, driven)
    found += calls(ce.Gear, {"ratio": 1.0}) + calls(ce.RackAndPinion, {"radius": 1.0}, "radius:number")
    two = {"coefficients": (1.0, 2.0)}
    own = {"coefficients": {**lists, "zero": (1.0, 0.0)}}
    found += calls(ce.LinearCoupling, two, "coefficients:~coefficient", own)
    own = {"coefficients": lists, "origin": {**lists, "three": (1.0, 2.0, 3.0)}}
    found += calls(ce.PolynomialCoupling, two, "coefficients:~coefficient origin:", own)
    found += calls(ce.FunctionCoupling) + calls(ce.ImplicitCoupling)
    return found + calls(ce.Parameter, {"name": "p", "value": 1.0}, "lower: upper:")


def of_unilateral() -> list[Case]:
    system = fresh()
    arm, slide = system.find("arm"), system.find("slide")
    long = {"long": (0, 0, 2), "zero": (0, 0, 0)}
    found = calls(contact.Plane, {}, "normal:vector", {"normal": long})
    found += calls(contact.RoadSurface, {}, "road:object")
    own: dict[str, Any] = {"body": {"name": "arm", "ground": system.ground}}
    at = {"name": "c", "body": arm, "at": HERE}
    spec = "body~ surface:object axis~ friction:word"
    found += calls(contact.Contact, {**at, "surface": contact.Plane(0.5)}, spec, own)
    cable = {**at, "other": slide, "other_at": HERE, "length": 1.0}
    found += calls(contact.Cable, cable, "body~ other:object~ other_at:vector", own)
    stop = {"name": "s", "body": arm, "lower": -1.0, "upper": 1.0}
    found += calls(contact.RigidStop, stop, "body~ k~", own | {"lower": {"above": 2.0}})
    friction = {"name": "f", "body": arm, "limit": 1.0}
    found += calls(contact.JointFriction, friction, "body~ limit:not_negative k~", own)
    found += calls(contact.Straight, {"start": HERE}, "start:vector rate:vector")
    weaving = {"start": HERE, "rate": X, "across": (0, 1, 0), "amplitude": 1.0, "frequency": 1.0}
    found += calls(contact.Weaving, weaving, "start:vector rate:vector")
    ball = {"name": "b", "mass": 1.0, "inertia": (1, 1, 1)}
    turned = {"long": (2.0, 0.0, 0.0, 0.0), "zero": (0.0, 0.0, 0.0, 0.0)}
    own = {"inertia": {"zero": (0, 0, 0)}, "orientation": turned}
    spec = "mass:positive inertia:vector-matrix position:vector velocity:vector angular_velocity:vector"
    found += calls(contact.RigidBody, ball, spec, own)
    return (
        found
        + calls(contact.GaussSeidel, {}, "limit:-infinity", {"max_sweeps": {"zero": 0}})
        + calls(contact.Exact)
    )


def of_linkages() -> list[Case]:
    """Closed forms: points that are no points, and that do not lie where they must."""
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
    steering = {"T": (0, 0.25, 0), "U": (0.13, 0.25, 0), "V": (0.13, -0.32, 0), "W": (0, -0.32, 0), "axis": Z}
    link = {"rod": "rod", "carrier": "arm", "anchor": "chassis"}
    good: dict[Callable[..., Any], dict[str, Any]] = {
        kinematics.FourBar: {**points, "axis": Z},
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
        found += calls(
            make, arguments, "axis~ axes: tie_rod:-nothing", shocks if make is kinematics.Shock else {}
        )

    def wishbone(**given: Any) -> Any:
        return kinematics.DoubleWishbone(kinematics.DoubleWishbonePoints(**given))

    found += calls(kinematics.DoubleWishbonePoints, corner, run=wishbone)
    design = kinematics.DoubleWishbonePoints(**corner)
    made = lambda **given: kinematics.DoubleWishbone(design, kinematics.DoubleWishboneBodies(**given))  # noqa: E731
    found += calls(kinematics.DoubleWishboneBodies, {}, "tie_rod:-nothing", run=made)
    level = {"G1": (0.05, 0.45, 0.25), "G2": (-0.3, 0.45, 0.25), "D": (0, 0.79, -0.12), "F": (0, 0.72, 0.22)}
    level |= {"B": (0, 0.54, -0.05), "J": (0, 0.5, 0.2)}
    planar = kinematics.DoubleWishbonePoints(**{**corner, **level})
    for build, at in ((kinematics.DoubleWishbone, design), (kinematics.planar_double_wishbone, planar)):
        found += calls(build, {"points": at}, "independent:")
    bar = kinematics.FourBar(**points, axis=Z)
    spans = {
        "text": "crank", "unknown": {"nobody": (0, 1)}, "one": {"crank": 1.0},
        "nan": {"crank": (0.0, math.nan)}, "texts": {"crank": ("a", "b")}, "empty": {},
    }  # fmt: skip
    steered = {"text": "ab", "one": (1.0,), "nan": (0.0, math.nan)}
    own = {"span": spans, "samples": {"zero": 0}, "steering_span": steered}
    spanned = {"linkage": bar, "span": {"crank": (-0.1, 0.1)}}
    found += calls(kinematics.check_linkage, spanned, "linkage:object", own)
    parts = {"text": "bar", "number": 1.0, "things": [values.Thing()], "empty": [], "nothing": None}
    composite = {"parts": [bar], "independent": "crank"}
    return found + calls(kinematics.Composite, composite, "independent:word-nothing", {"parts": parts})


def of_symbolic() -> list[Case]:
    """Linkages from loop equations: a slider on a crank."""
    theta, x, a = sympy.symbols("theta x a")
    crank = kinematics.Joint("crank", "ground", ce.Revolute((0, 0, 1)))
    slider = kinematics.Joint("slider", "ground", ce.Prismatic((1, 0, 0)))
    good: dict[str, Any] = {
        "joints": [crank, slider], "coordinates": {theta: "crank", x: "slider"},
        "equations": [a * sympy.sin(theta) - x], "independent": "crank", "parameters": {a: 0.1},
    }  # fmt: skip
    thing = values.Thing()
    lists = {"text": "crank", "number": 1.0, "nothing": None, "things": [thing], "thing": thing}
    coordinates = {"unknown": {theta: "nobody", x: "slider"}, "numbers": {theta: 1.0, x: 2.0}}
    own = {
        "joints": {**lists, "empty": [], "one": [crank]},
        "coordinates": {**lists, "empty": {}, **coordinates},
        "equations": {**lists, "empty": [], "two": [theta, x], "texts": ["theta - x"]},
        "independent": {k: v for k, v in lists.items() if k != "text"} | {"unknown": "nobody"}, "cuts": lists,
        "parameters": {k: v for k, v in lists.items() if k != "nothing"}
        | {"nan": {a: math.nan}, "texts": {a: "1"}, "empty": {}},
    }  # fmt: skip
    spec = "joints:~ coordinates:~ equations:~ independent:~ cuts:~ parameters:~ name~"
    return calls(kinematics.SymbolicLinkage, good, spec, own)


def of_outputs() -> list[Case]:
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
