"""All published mechanisms and their figures, among them benchmark A05: a stiff flyball governor."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, cos, sin, sqrt
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.drives import Driven
from ce_dynamics.mechanism.forces.spring_damper import SpringDamper
from ce_dynamics.mechanism.hinges import Distance, Prismatic, Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.published.a03_squeezer import squeezer
from ce_dynamics.models.published.mechanism import (
    PublishedFigure,
    PublishedMechanism,
    bar_inertia,
    show_hinge,
    show_point,
)


def pendulum() -> System:
    """Return a point of 1 kg on a massless rod of 1 m, released from the horizontal at (−1, 0).

    Outputs ``x`` and ``y`` [m], with gravity 9.81 m/s² along −y.
    """
    system = System(gravity=(0.0, -9.81, 0.0), name="pendulum")
    hinge = Revolute((0.0, 0.0, 1.0))
    bob = system.add_body("bob", mass=1.0, com=(-1.0, 0.0, 0.0), parent=system.ground, hinge=hinge)
    show_point(system, bob, bob.com, {"x": 0, "y": 1})
    return system


AXIS = (0.0, 0.0, 1.0)


def four_bars(number: int = 1) -> System:
    """Square loops in a row: cranks on the ground at x = 0, 1 … and couplers between their tops.

    All bars are lines of 1 m and 1 kg.  They start upright, their tops moving at 1 m/s along +x, gravity is
    9.81 m/s² along −y.  The first crank's angle is the independent coordinate; outputs ``x`` and ``y`` are
    its top [m].  Wherever the cranks are horizontal all bars are in line, and another branch of the linkage
    crosses.

    Parameters
    ----------
    number : int
        Number of loops.
    """
    system = System(gravity=(0.0, -9.81, 0.0), name=f"{number} four-bars")

    def bar(name: str, parent: Body, start: Array, end: Array) -> Body:
        inertia = bar_inertia(end - start, mass=1.0, length=1.0, gyration_2=0.0)
        return system.add_body(
            name,
            mass=1.0,
            com=0.5 * (start + end),
            inertia=inertia,
            parent=parent,
            hinge=Revolute(AXIS, start),
        )

    feet = np.column_stack((np.arange(number + 1), np.zeros((number + 1, 2))))
    tops = feet + (0.0, 1.0, 0.0)
    cranks = [
        bar(f"crank {k}", system.ground, foot, top)
        for k, (foot, top) in enumerate(zip(feet, tops, strict=True))
    ]
    for k in range(number):
        coupler = bar(f"coupler {k + 1}", cranks[k], tops[k], tops[k + 1])
        pin = Revolute(AXIS, tops[k + 1])
        system.close_loop(f"pin {k + 1}", coupler, cranks[k + 1], pin, [cranks[0]], through_dead_centres=True)
    system.start(cranks[0], v=[-1.0])
    show_point(system, cranks[0], tops[0], {"x": 0, "y": 1})
    return system


POINTS = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))
AXES = ((0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0))
SIDE = 0.1
"""Side of the boxes' square section [m]."""


def bricard(independent: Sequence[str] = ("bar 1",)) -> System:
    """Return five boxes of 1 m and 1 kg over the edges of a cube, on six hinges with axes along its edges.

    It moves with one degree of freedom although counting gives none: one of the five conditions that the last
    hinge sets is implied by the others.  At rest at the start, gravity 9.81 m/s² along −y.  Outputs ``x``,
    ``y``, ``z`` are the point that starts at (1, −1, 0) [m].

    Parameters
    ----------
    independent : sequence of str
        Independent coordinate, of "bar 1" to "bar 5".
    """
    system = System(gravity=(0.0, -9.81, 0.0), name="Bricard's mechanism")
    parent: Body = system.ground
    points = np.array(POINTS, dtype=float)
    bars = []
    for k in range(5):
        edge = points[k + 1] - points[k]
        parent = system.add_body(
            f"bar {k + 1}",
            mass=1.0,
            com=0.5 * (points[k] + points[k + 1]),
            inertia=bar_inertia(edge, mass=1.0, length=1.0, gyration_2=SIDE**2 / 12.0),
            parent=parent,
            hinge=Revolute(AXES[k], points[k]),
        )
        bars.append(parent)
    system.close_loop("last", parent, system.ground, Revolute(AXES[5], points[5]), independent)
    show_point(system, bars[1], points[2], {"x": 0, "y": 1, "z": 2})
    return system


DENSITY, RADIUS = 7700.0, 0.025
GRAVITY = 9.80665


def modelica_four_bar() -> System:
    """Return a crank and a slider across it, joined by a massless rod with ball joints.

    The crank (0, 0.5, 0.1) turns about x; the slider moves along x and carries a bar (0, 0.2, 0); the rod
    (−1, 0.3, 0.1) is between their ends.  Both bars are steel cylinders of 50 mm diameter with Modelica's
    default density of 7700 kg/m³.  The crank starts with 300°/s and is free.  Gravity is 9.80665 m/s² along
    −y, the default of version 4 of the Modelica Standard Library (version 3 has 9.81).  Outputs: the
    crank's angle ``phi`` (Modelica's j1.phi) [rad], the slider's displacement ``s`` [m], and their rates.
    """
    system = System(gravity=(0.0, -GRAVITY, 0.0), name="Modelica four-bar")
    x = np.array((1.0, 0.0, 0.0))
    crank_end = np.array((0.0, 0.5, 0.1))
    foot = np.array((1.0, 0.0, 0.0))  # b0 + s0 along x, where the rod fits
    tip = foot + (0.0, 0.2, 0.0)
    bodies = []
    for name, start, end, hinge in (
        ("crank", np.zeros(3), crank_end, Revolute(x)),
        ("slider", foot, tip, Prismatic(x, foot)),
    ):
        length = float(np.linalg.norm(end - start))
        mass = DENSITY * math.pi * RADIUS**2 * length
        inertia = bar_inertia((end - start) / length, mass, length, RADIUS**2 / 4.0)
        com = 0.5 * (start + end)
        bodies.append(
            system.add_body(name, mass=mass, com=com, inertia=inertia, parent=system.ground, hinge=hinge)
        )
    crank, slider = bodies
    system.close_loop("rod", crank, slider, Distance(crank_end, tip), independent=[crank])
    system.start(crank, v=[math.radians(300.0)])
    show_hinge(system, "phi", crank, "rad")
    show_hinge(system, "s", slider, "m")
    return system


L, L0 = 1.0, 0.5
M, EPS, R, W, G = 10.0, 1e-2, 0.1, 10.0, 1.0


class RoughRoad:
    """One end of the axle goes up and down by y_b = 0.1 sin 10 t, the other rests: the axle's angle."""

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        y, y_dot, y_ddot = R * sin(W * t), R * W * cos(W * t), -R * W * W * sin(W * t)
        x = sqrt(L * L - y * y)
        rate = y_dot / x  # of L sin(angle) = y, differentiated once and twice
        return {"axle": arctan2(y, x), "axle_rate": rate, "axle_acceleration": (y_ddot + y * rate * rate) / x}


def car_axis() -> System:
    """Return a bar on two springs over an axle that moves as prescribed.

    The axle, of length 1 m, turns about its left end as a road under its right end makes it (`RoughRoad`).
    The bar, also of 1 m, is massless and carries a point mass of M ε²/2 at each end.  The left one slides
    along a line across the axle, through its left end; springs of 1 N/m stand between axle and bar on
    both sides.  The loop is closed by the bar.  Outputs ``xl``, ``yl``, ``xr``, ``yr`` are the masses [m].

    The test set's figure for xr is printed with the exponent 01, which some copies have lost.
    """
    system = System(gravity=(0.0, -G, 0.0), name="car axis")
    for what, unit in (("", "rad"), ("_rate", "rad/s"), ("_acceleration", "rad/s^2")):
        system.add_input("axle" + what, unit)
    mass = M * EPS**2 / 2.0
    left_at, right_at, end = (0.0, L0, 0.0), (L, L0, 0.0), (L, 0.0, 0.0)
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    axle = system.add_body("axle", mass=0.0, parent=system.ground, hinge=Revolute(z))
    system.prescribe(axle, Driven("axle"))
    left = system.add_body("left", mass=mass, parent=axle, hinge=Prismatic(y, left_at))
    level = system.add_body("right level", mass=0.0, parent=system.ground, hinge=Prismatic(x, right_at))
    right = system.add_body("right", mass=mass, parent=level, hinge=Prismatic(y, right_at))
    system.close_loop("bar", left, right, Distance(left_at, right_at), independent=[left, right])
    free = {"spring": 1.0, "free_length": L0}
    system.add_force(SpringDamper("left spring", system.ground, (0.0, 0.0, 0.0), left, left_at, **free))
    system.add_force(SpringDamper("right spring", axle, end, right, right_at, **free))
    show_point(system, left, left.com, {"xl": 0, "yl": 1})
    show_point(system, right, right.com, {"xr": 0, "yr": 1})
    return system


def point_inertia(mass: float, r: Array) -> Array:
    """Return the inertia of a point mass about what it is r away from."""
    return np.asarray(mass * ((r @ r) * np.eye(3) - np.outer(r, r)))


def governor() -> System:
    """Return a spinning shaft with two rods that carry balls, and a slider on stiff springs.

    The springs take the place of coupler rods, so there is no loop: the benchmark tests the integrator.  The
    shaft is free to turn and starts with one turn a second, everything else at rest relative to it; gravity
    9.81 m/s² along −z.  Output ``s`` is the height of the slider [m].
    """
    DENSITY, SIDE, CUBE = 3000.0, 0.01, 0.1
    BALL = 5.0
    BELOW = math.radians(30.0)
    STIFFNESS, DAMPING, FREE_LENGTH = 8e5, 4e4, 0.5
    SPEED = 2.0 * math.pi
    system = System(gravity=(0.0, 0.0, -9.81), name="flyball governor")
    z, top, gyration_2 = np.array((0.0, 0.0, 1.0)), np.array((0.0, 0.0, 1.0)), SIDE**2 / 12.0
    mass = DENSITY * SIDE**2
    inertia = bar_inertia(z, mass, 1.0, gyration_2)
    shaft = system.add_body(
        "shaft", mass=mass, com=0.5 * top, inertia=inertia, parent=system.ground, hinge=Revolute(z)
    )
    cube = DENSITY * CUBE**3
    centre = np.array((0.0, 0.0, 0.5))
    slider = system.add_body(
        "slider",
        mass=cube,
        com=centre,
        inertia=(cube * CUBE**2 / 6.0,) * 3,
        parent=shaft,
        hinge=Prismatic(z, centre),
    )
    for name, side in (("right", 1.0), ("left", -1.0)):
        beside = np.array((0.05 * side, 0.0, 0.0))
        e = np.array((side * math.cos(BELOW), 0.0, -math.sin(BELOW)))
        hinge, middle, tip = top + beside, top + beside + 0.5 * e, top + beside + e
        com = (mass * middle + BALL * tip) / (mass + BALL)
        inertia = bar_inertia(e, mass, 1.0, gyration_2) + point_inertia(mass, middle - com)
        rod = system.add_body(
            f"{name} rod",
            mass=mass + BALL,
            com=com,
            inertia=inertia + point_inertia(BALL, tip - com),
            parent=shaft,
            hinge=Revolute((0.0, 1.0, 0.0), hinge),
        )
        ends = rod, middle, slider, centre + beside
        system.add_force(
            SpringDamper(f"{name} spring", *ends, spring=STIFFNESS, damper=DAMPING, free_length=FREE_LENGTH)
        )
    system.start(shaft, v=[SPEED])
    show_point(system, slider, centre, {"s": 2})
    return system


IFTOMM = "IFToMM library of computational benchmark problems, {}"
IVP = "Test Set for Initial Value Problem Solvers, {}"
A02_TOP = {
    1: (0.4783850578, 0.8781501788),
    2: (0.3284581115, 0.9445185382),
    5: (0.2357891358, 0.9718042413),
}


MODELICA_SOLVER = 1e-5
"""The figures are a solver's at its usual tolerance; what deviates grows along the run as its errors do."""


def at(time: float, precision: float, turns: bool = False, **values: float) -> tuple[PublishedFigure, ...]:
    """Return figures of several outputs at one instant."""
    return tuple(PublishedFigure(name, time, value, precision, turns) for name, value in values.items())


def decimals(number: int) -> float:
    """Return a unit of the last of so many decimals."""
    return 10.0**-number


SQUEEZER_ANGLES, SQUEEZER_RATES = 2e-9, 1e-6
"""The test set prints 16 digits, but they are off by this much: its own equations, integrated at a tolerance
of 1e-13 with projection of positions and velocities, give a beta that is 1.15e-9 less."""


MECHANISMS: dict[str, PublishedMechanism] = {
    "A01 pendulum": PublishedMechanism(
        IFTOMM.format("A01"), pendulum, 10.0, at(10.0, decimals(10), x=-0.2750874626, y=-0.9614192051)
    ),
    **{
        f"A02 {n} four-bars": PublishedMechanism(
            IFTOMM.format("A02"), partial(four_bars, n), 10.0, at(10.0, decimals(10), x=x, y=y)
        )
        for n, (x, y) in A02_TOP.items()
    },
    "A03 Andrews' squeezer": PublishedMechanism(
        IVP.format("Andrews' squeezing mechanism"),
        squeezer,
        0.03,
        (
            *at(0.03, SQUEEZER_ANGLES, beta=15.81077119629904),
            *at(
                0.03,
                SQUEEZER_ANGLES,
                turns=True,
                Theta=-15.75637105984298,
                gamma=0.04082224013073101,
                Phi=-0.5347301163226948,
                delta=0.5244099658805304,
                Omega=0.5347301163226948,
                epsilon=1.048080741042263,
            ),
            *at(
                0.03,
                SQUEEZER_RATES,
                beta_rate=1139.920302151208,
                Theta_rate=-1424.379294994111,
                gamma_rate=11.03291221937134,
                Phi_rate=19.29337464421385,
            ),
        ),
    ),
    "A04 Bricard": PublishedMechanism(
        IFTOMM.format("A04"),
        bricard,
        1.0,
        at(0.5, decimals(7), x=0.7747178, y=-0.9798151, z=-0.1999062)
        + at(1.0, decimals(7), x=0.2744813, y=-0.8867079, z=-0.4623300),
    ),
    "A05 flyball governor": PublishedMechanism(
        IFTOMM.format("A05"),
        governor,
        10.0,
        at(0.5, decimals(8), s=0.74324942) + at(1.0, decimals(8), s=0.50142092),
        stiff=True,
    ),
    "Modelica four-bar": PublishedMechanism(
        "Modelica Standard Library 4, MultiBody.Examples.Loops.Fourbar_analytic",
        modelica_four_bar,
        0.3,
        tuple(
            PublishedFigure("phi", t, phi, MODELICA_SOLVER)
            for t, phi in ((0.1, 0.573376668), (0.2, 1.327559802), (0.3, 2.336372125))
        ),
    ),
    "car axis": PublishedMechanism(
        IVP.format("car axis"),
        car_axis,
        3.0,
        at(
            3.0,
            1e-11,
            xl=0.0493455784275403,
            yl=0.496989460230171,
            xr=1.04174252488543,
            yr=0.373911027265361,
        ),
        RoughRoad(),
    ),
}
"""By name."""
