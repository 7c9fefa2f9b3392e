"""Mechanisms with any number of loops: chains and combs of four-bars, trees of double wishbones."""

import numpy as np

from ce_dynamics.kinematics.double_wishbone import DoubleWishbone, DoubleWishboneBodies, DoubleWishbonePoints
from ce_dynamics.kinematics.four_bar import FourBar
from ce_dynamics.mechanism.forces.spring_damper import SpringDamper
from ce_dynamics.mechanism.hinges import Free, Revolute
from ce_dynamics.mechanism.system import System
from tests.benchmarks.mechanism import BAR_INERTIA, Floats, Y, four_bar_points

CORNER = {
    "A1": (-0.223, 0.307, 0.0), "A2": (0.223, 0.307, 0.0),
    "G1": (-0.268, 0.478, 0.196), "G2": (-0.048, 0.446, 0.245),
    "D": (-0.036, 0.787, -0.118), "F": (-0.053, 0.716, 0.215),
    "K": (-0.176, 0.821, -0.016), "L": (-0.250, 0.448, 0.054),
    "B": (0.097, 0.543, -0.047), "J": (0.104, 0.498, 0.323),
}  # fmt: skip
"""A front corner of the HMMWV (Project Chrono's vehicle data), from its own origin."""


def chain(n: int) -> System:
    """Four-bars in a row, each on the rocker of the one before."""
    system = System(gravity=(0.0, 0.0, -9.81), name=f"chain of {n} four-bars")
    frame, start = "ground", np.zeros(3)
    for k in range(n):
        start = add_four_bar(system, k, frame, start)
        frame = f"rocker {k}"
    return system


def comb(n: int) -> System:
    """A chain of bodies, each with a four-bar that hangs on it."""
    system = System(gravity=(0.0, 0.0, -9.81), name=f"comb of {n} four-bars")
    frame, at = "ground", np.zeros(3)
    for k in range(n):
        system.add_body(
            f"link {k}", mass=2.0, com=at + (0.25, 0.0, 0.0), inertia=(0.01, 0.05, 0.05), parent=frame,
            hinge=Revolute((0.0, 1.0, 0.0), at),
        )  # fmt: skip
        system.start(f"link {k}", q=[0.1], v=[-0.2])
        frame = f"link {k}"
        add_four_bar(system, k, frame, at + (0.0, 0.1, 0.0))
        at = at + (0.5, 0.0, 0.0)
    return system


def add_four_bar(system: System, k: int, frame: str, start: Floats) -> Floats:
    """Add a four-bar that begins at a point; the end of its rocker."""
    A, D, F, G = four_bar_points(start)
    names = f"crank {k}", f"coupler {k}", f"rocker {k}"
    linkage = FourBar(A.tolist(), D.tolist(), F.tolist(), G.tolist(), Y.tolist(), *names, frame)
    ends = dict(zip(names, ((A, D), (D, F), (G, F)), strict=True))
    for joint in linkage.joints():
        start, end = ends[joint.body]
        system.add_body(
            joint.body, mass=1.0, com=0.5 * (start + end), inertia=BAR_INERTIA, parent=joint.carrier,
            hinge=joint.hinge,
        )  # fmt: skip
    linkage.close(system)
    system.start(names[0], v=[0.3])
    return F


def tree(n: int) -> System:
    """Double wishbones (three loops each) left and right of a chassis and of each other's uprights."""
    system = System(gravity=(0.0, 0.0, -9.81), name=f"tree of {n} double wishbones")
    system.add_body("chassis", mass=20.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 2.0, 2.0), parent=system.ground,
                    hinge=Free((0.0, 0.0, 0.0)))  # fmt: skip
    carriers = [("chassis", np.zeros(3))]
    for k in range(n):
        carrier, origin = carriers[k // 2]
        side = 1.0 if k % 2 else -1.0
        carriers.append((f"{k} spindle", add_double_wishbone(system, k, carrier, origin, side)))
    return system


def add_double_wishbone(system: System, k: int, carrier: str, origin: Floats, side: float) -> Floats:
    """Add a corner with a spring; where those on its upright begin."""
    points = {name: origin + np.array((x, side * y, z)) for name, (x, y, z) in CORNER.items()}
    bodies = DoubleWishboneBodies.with_prefix(f"{k} ", carrier, tie_rod=False)
    linkage = DoubleWishbone(DoubleWishbonePoints(**{name: p.tolist() for name, p in points.items()}), bodies)
    masses = {"lower_arm": 4.0, "upper_arm": 2.0, "spindle": 8.0, "shock_lower": 1.0, "shock_upper": 1.0}
    ends = {
        "lower_arm": "AD", "upper_arm": "GF", "upright_link": "DF", "spindle": "DF", "shock_lower": "BJ",
        "shock_upper": "JB",
    }  # fmt: skip
    for joint in linkage.joints():
        part = joint.body.removeprefix(f"{k} ")
        one, other = (points[letter + "1" * (letter in "AG")] for letter in ends[part])
        mass = masses.get(part, 0.0)
        system.add_body(
            joint.body, mass=mass, com=one + 0.3 * (other - one), parent=joint.carrier, hinge=joint.hinge,
            inertia=0.01 * mass * np.array((1.0, 2.0, 2.5)),
        )  # fmt: skip
    linkage.close(system)
    spring = SpringDamper(
        f"{k} spring", system.find(carrier), points["J"], system.find(f"{k} lower_arm"), points["B"],
        spring=20000.0, damper=500.0,
    )  # fmt: skip
    system.add_force(spring)
    end: Floats = origin + np.array((0.0, side * 1.2, 0.0))
    return end
