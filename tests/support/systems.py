"""The systems of the tests: closed chains with a choice of cut and coordinates, and a registry of them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.kinematics.base import ClosedForm
from ce_dynamics.mechanism.couplings.cut_edge import LoopClosure
from ce_dynamics.mechanism.hinges import Closure
from ce_dynamics.models.published import bricard as bricard

Z = (0.0, 0.0, 1.0)
CRANK_ROCKER = (1.0, 3.0, 2.5, 3.2)
DOUBLE_ROCKER = (2.0, 2.5, 2.0, 4.0)
CHANGE_POINT = (1.0, 2.0, 1.5, 1.5)
"""Crank and coupler are as long as rocker and ground."""
PROPERTIES = {
    "crank": (1.3, (0.02, 0.03, 0.04)),
    "coupler": (2.1, (0.05, 0.06, 0.02)),
    "rocker": (1.7, (0.03, 0.04, 0.05)),
}


def add(system: ce.System, name: str, parent: str, hinge: ce.Hinge, com: Array, mass: float = 1.0) -> None:
    system.add_body(name, mass=mass, com=com, inertia=(0.03, 0.04, 0.05), parent=parent, hinge=hinge)


def add_linkage_bodies(
    system: ce.System, linkage: ClosedForm, away: Sequence[float] = (0.2, 0.0, 0.1)
) -> None:
    """Add bodies of 1 kg, whose mass centres lie away from their hinges."""
    for joint in linkage.joints():
        name, hinge, com = joint.body, joint.hinge, joint.hinge.at + np.array(away)
        system.add_body(name, mass=1.0, com=com, inertia=(0.1,) * 3, parent=joint.carrier, hinge=hinge)


def drive(system: ce.System, body: str, name: str = "turn") -> ce.System:
    motion = ce.Driven(name)
    for one in motion.inputs:
        system.add_input(one, "")
    system.prescribe(body, motion)
    return system


def through(system: ce.System, forward: str = "") -> ce.System:
    """Lead every loop through dead centres, by a coordinate that increases with the hinge of a body."""
    for k, closure in enumerate(system.closures):
        assert isinstance(closure, LoopClosure)
        named = (forward,) if forward and k == 0 else ()
        system.closures[k] = replace(closure, independent=named, through_dead_centres=True)
    return system


def dyad(A: Array, B: Array, a: float, b: float, side: float) -> Array:
    """The point at distance a from A and b from B (in the plane z = 0), left of A → B for side = 1."""
    L = float(np.linalg.norm(B - A))
    x = (a * a - b * b + L * L) / (2.0 * L)
    e = (B - A) / L
    return np.asarray(A + x * e + side * np.sqrt(a * a - x * x) * np.array((-e[1], e[0], 0.0)))


def four_bar(
    lengths: Sequence[float],
    angle: float,
    *,
    side: float = 1.0,
    cut: str = "rocker",
    closure: str = "revolute",
    independent: Sequence[str] = ("crank",),
) -> ce.System:
    """Crank a, coupler b, rocker c and ground d, cut at the pin named ``cut`` (rocker, coupler or ground)."""
    a, b, c, d = lengths
    A, D = np.zeros(3), np.array((d, 0.0, 0.0))
    B = a * np.array((np.cos(angle), np.sin(angle), 0.0))
    C = dyad(B, D, b, c, side)
    system = ce.System(gravity=(0.0, -9.81, 0.0))
    pins = {"A": ce.Revolute(Z, A), "B": ce.Revolute(Z, B), "C": ce.Revolute(Z, C), "D": ce.Revolute(Z, D)}
    coms = {"crank": 0.5 * (A + B), "coupler": 0.5 * (B + C), "rocker": 0.5 * (C + D)}
    trees = {
        "rocker": [("crank", "ground", "A"), ("coupler", "crank", "B"), ("rocker", "ground", "D")],
        "coupler": [("crank", "ground", "A"), ("rocker", "ground", "D"), ("coupler", "rocker", "C")],
        "ground": [("crank", "ground", "A"), ("coupler", "crank", "B"), ("rocker", "coupler", "C")],
    }
    ends = {
        "rocker": ("coupler", "rocker", "C"),
        "coupler": ("crank", "coupler", "B"),
        "ground": ("ground", "rocker", "D"),
    }
    for name, parent, pin in trees[cut]:
        mass, inertia = PROPERTIES[name]
        system.add_body(name, mass=mass, com=coms[name], inertia=inertia, parent=parent, hinge=pins[pin])
    one, other, pin = ends[cut]
    at = pins[pin].at
    joint: Closure = ce.Revolute(Z, at) if closure == "revolute" else ce.Spherical(at)
    system.close_loop("pin", one, other, joint, independent)
    return system


def slider_crank(
    crank: float, rod: float, angle: float, independent: Sequence[str] = ("crank",)
) -> ce.System:
    B = crank * np.array((np.cos(angle), np.sin(angle), 0.0))
    C = np.array((B[0] + np.sqrt(rod**2 - B[1] ** 2), 0.0, 0.0))
    system = ce.System(gravity=(0.0, -9.81, 0.0))
    add(system, "crank", "ground", ce.Revolute(Z), 0.5 * B)
    add(system, "rod", "crank", ce.Revolute(Z, B), 0.5 * (B + C))
    add(system, "slider", "ground", ce.Prismatic((1.0, 0.0, 0.0), C), C)
    system.close_loop("pin", "rod", "slider", ce.Revolute(Z, C), independent)
    return system


def swinging_lever(h: float, leading: str = "slide") -> ce.System:
    """A slide on a rail that passes a pivot at the distance h turns a lever through a block on it."""
    at = np.array((1.0, h, 0.0))
    system = ce.System(gravity=(0.0, -9.81, 0.0))
    add(system, "slide", "ground", ce.Prismatic((1.0, 0.0, 0.0), at), at)
    add(system, "lever", "ground", ce.Revolute(Z, (0.0, 0.0, 0.0)), 0.5 * at)
    add(system, "block", "lever", ce.Prismatic(at, at), at)
    system.close_loop("pin", "block", "slide", ce.Revolute(Z, at), [leading])
    return system


def five_bar(independent: Sequence[str] = ("left", "right")) -> ce.System:
    """Two cranks and two couplers: two degrees of freedom."""
    A, E = np.zeros(3), np.array((1.0, 0.0, 0.0))
    B, D = np.array((-0.3, 0.6, 0.0)), np.array((1.4, 0.5, 0.0))
    C = dyad(B, D, 1.1, 1.3, 1.0)
    system = ce.System(gravity=(0.0, -9.81, 0.0))
    add(system, "left", "ground", ce.Revolute(Z, A), 0.5 * (A + B))
    add(system, "left coupler", "left", ce.Revolute(Z, B), 0.5 * (B + C))
    add(system, "right", "ground", ce.Revolute(Z, E), 0.5 * (D + E))
    add(system, "right coupler", "right", ce.Revolute(Z, D), 0.5 * (C + D))
    system.close_loop("pin", "left coupler", "right coupler", ce.Revolute(Z, C), independent)
    return system


RSUR_B, RSUR_C = np.array((0.0, 0.3, 0.1)), np.array((1.0, 0.2, 0.9))
RSUR_D = np.array((1.2, 0.0, 0.1))
U1, U2 = (1.0, 0.0, 0.2), (0.1, 1.0, 0.0)


def rsur(cut: str = "universal", independent: Sequence[str] = ("crank",)) -> ce.System:
    """Crank, ball, coupler, universal joint, rocker on a skew axis; cut at one of the coupler's joints."""
    system = ce.System(gravity=(0.3, -1.0, -9.81))
    B, C, D = RSUR_B, RSUR_C, RSUR_D
    add(system, "crank", "ground", ce.Revolute((1.0, 0.0, 0.1)), 0.5 * B)
    add(system, "rocker", "ground", ce.Revolute((0.2, 1.0, 0.0), D), 0.5 * (C + D))
    if cut == "universal":
        add(system, "coupler", "crank", ce.Spherical(B), 0.5 * (B + C))
        system.close_loop("joint", "rocker", "coupler", ce.Universal(U1, U2, C), independent)
    else:
        add(system, "coupler", "rocker", ce.Universal(U1, U2, C), 0.5 * (B + C))
        system.close_loop("ball", "crank", "coupler", ce.Spherical(B), independent)
    return system


def spatial_slider(slider: str) -> ce.System:
    """Crank, universal joint, rod, then a slider on a cylindrical, screw or prismatic hinge."""
    system = ce.System(gravity=(0.3, -1.0, -9.81))
    B, C = np.array((0.1, 0.2, 0.05)), np.array((1.2, 0.1, 0.1))
    add(system, "crank", "ground", ce.Revolute((0.1, 0.2, 1.0)), 0.5 * B)
    add(system, "rod", "crank", ce.Universal((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), B), 0.5 * (B + C))
    axis, at = (1.0, 0.1, 0.0), np.array((1.2, 0.0, 0.1))
    if slider == "cylindrical":
        add(system, "slider", "ground", ce.Cylindrical(axis, at), C)
        joint: Closure = ce.Universal((0.0, 1.0, 0.0), (0.0, 0.3, 1.0), C)
    elif slider == "screw":
        add(system, "slider", "ground", ce.Screw(axis, 0.6, at), C)
        joint = ce.Spherical(C)
    else:
        add(system, "slider", "ground", ce.Prismatic(axis, at), C)
        joint = ce.Spherical(C)
    system.close_loop("joint", "rod", "slider", joint, ["crank"])
    return system


def floating_coupler() -> ce.System:
    """A four-bar whose coupler moves freely in the plane and is closed by two pins: six redundant rows."""
    B, C, D = np.array((0.2, 0.9, 0.0)), np.array((2.6, 1.7, 0.0)), np.array((3.2, 0.0, 0.0))
    system = ce.System(gravity=(0.0, -9.81, 0.0))
    add(system, "crank", "ground", ce.Revolute(Z), 0.5 * B)
    add(system, "coupler", "ground", ce.Planar(Z, 0.5 * (B + C)), 0.5 * (B + C))
    add(system, "rocker", "ground", ce.Revolute(Z, D), 0.5 * (C + D))
    system.close_loop("one", "crank", "coupler", ce.Revolute(Z, B), ["crank"])
    system.close_loop("two", "coupler", "rocker", ce.Revolute(Z, C))
    return system


def rssr() -> ce.System:
    """Crank, ball joint, rod, ball joint, rocker: the rod may spin, so no set of whole hinges fits."""
    system = ce.System(gravity=(0.3, -1.0, -9.81))
    B, C = np.array((0.0, 0.3, 0.1)), np.array((1.0, 0.2, 0.9))
    add(system, "crank", "ground", ce.Revolute((1.0, 0.0, 0.1)), 0.5 * B)
    add(system, "rod", "crank", ce.Spherical(B), 0.5 * (B + C) + np.array((0.0, 0.05, 0.0)))
    add(system, "rocker", "ground", ce.Revolute((0.2, 1.0, 0.0), (1.2, 0.0, 0.1)), 0.5 * C)
    system.close_loop("ball", "rod", "rocker", ce.Spherical(C))
    return system


def platform() -> ce.System:
    """A plate that moves in the plane on three legs, and three redundant conditions per pin."""
    system = ce.System(gravity=(0.0, -9.81, 0.0))
    feet = [np.array(p) for p in ((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0))]
    pins = [np.array(p) for p in ((-0.4, 1.2, 0.0), (0.5, 1.1, 0.0))]
    add(system, "plate", "ground", ce.Planar(Z, (0.0, 1.3, 0.0)), np.array((0.0, 1.3, 0.0)))
    for k, (foot, pin) in enumerate(zip(feet, pins, strict=True)):
        add(system, f"leg {k}", "ground", ce.Revolute(Z, foot), 0.7 * foot + 0.3 * pin)
        add(system, f"rod {k}", f"leg {k}", ce.Prismatic(pin - foot, foot), 0.3 * foot + 0.7 * pin)
        system.close_loop(f"pin {k}", f"rod {k}", "plate", ce.Revolute(Z, pin))
    return system


LOOPS: dict[str, Callable[[], ce.System]] = {
    "crank-rocker": lambda: four_bar(CRANK_ROCKER, 0.7),
    "double rocker": lambda: four_bar(DOUBLE_ROCKER, 1.0),
    "slider-crank": lambda: slider_crank(0.3, 1.0, 0.5), "five-bar": five_bar, "RSUR": rsur,
    "cylindrical slider": lambda: spatial_slider("cylindrical"), "screw": lambda: spatial_slider("screw"),
    "floating coupler": floating_coupler, "Bricard": bricard,
    "lever that becomes parallel to a rail": lambda: swinging_lever(0.5, "lever"),
}  # fmt: skip
"""Loops that hinges lead."""
PATHS: dict[str, Callable[[], ce.System]] = {
    "crank-rocker": lambda: through(four_bar(CRANK_ROCKER, 0.7), "rocker"),
    "double rocker": lambda: through(four_bar(DOUBLE_ROCKER, 1.0), "crank"),
    "slider-crank": lambda: through(slider_crank(0.3, 1.0, 0.5), "slider"),
    "change point": lambda: through(four_bar(CHANGE_POINT, 0.7), "crank"),
    "RSUR": lambda: through(rsur(), "rocker"),
    "cylindrical slider": lambda: through(spatial_slider("cylindrical")),
    "prismatic slider": lambda: through(spatial_slider("prismatic"), "slider"),
    "screw": lambda: through(spatial_slider("screw"), "slider"),
    "floating coupler": lambda: through(floating_coupler(), "rocker"),
    "Bricard": lambda: through(bricard()),
}
"""Loops with one freedom that go through dead centres."""
CHARTS: dict[str, Callable[[], ce.System]] = {
    "five-bar": lambda: through(five_bar()),
    "RSSR": lambda: through(rssr()),
    "platform": lambda: through(platform()),
}
"""Loops with several freedoms that go through dead centres."""
