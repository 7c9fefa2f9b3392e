"""Small systems in which everything occurs that a system may have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ce_dynamics as ce

X, Y, Z = np.eye(3)


def body(system: ce.System, name: str, parent: str, hinge: Any, com: Any, **more: Any) -> ce.Body:
    inertia = [[0.3, 0.02, 0.01], [0.02, 0.4, -0.03], [0.01, -0.03, 0.5]]
    return system.add_body(
        name, **{"mass": 1.5, "com": com, "inertia": inertia, "parent": parent, "hinge": hinge, **more}
    )


def arm(system: ce.System, parent: str, **more: Any) -> ce.Body:
    """A body that turns about a skew axis, with a spring, a damper and a motor."""
    made = body(system, "arm", parent, ce.Revolute((0.1, 1, 0.2)), (0.5, 0.1, -0.2), **more)
    system.add_force(ce.TorsionSpringDamper("spring", made, spring=70.0, damper=2.0))
    system.add_input("torque", "N*m", 3.0)
    system.add_force(ce.Actuator("motor", made, command="torque"))
    return made


def held(system: ce.System, name: str) -> None:
    """Three strings to the world."""
    for k, e in enumerate(((1, 1, 0), (-1, 0.5, 0.3), (0, -1, 0.4))):
        at = np.array(e, dtype=float)
        ends = (system.ground, 3.0 * at, system.find(name), 0.2 * at)
        system.add_force(ce.SpringDamper(f"string {k}", *ends, spring=120.0, damper=1.0, free_length=1.0))


def loop() -> ce.System:
    """A four-bar with free hardpoint, mass and stiffness on a driven carriage, an armature, a bushing."""
    system = ce.System()
    m, z, k = (system.add_parameter(ce.Parameter(*p)) for p in (("m", 1.2), ("z", 0.7), ("k", 60.0)))
    for name, unit, value in (("s", "m", 0.1), ("s_rate", "m/s", 0.7), ("s_acceleration", "m/s^2", -0.4)):
        system.add_input(name, unit, value)
    body(system, "carriage", "ground", ce.Prismatic((1, 0.1, 0.3)), (0, 0, 0.1))
    system.prescribe("carriage", ce.Driven("s"))
    arm(system, "carriage", mass=m, armature=0.9)
    B, C, D = np.array((0.2, 0, 0.4)), (1.1, 0, z), np.array((1.0, 0, 0))
    body(system, "crank", "arm", ce.Revolute(Y), 0.5 * B, armature=0.3)
    body(system, "coupler", "crank", ce.Revolute(Y, B), (0.6, 0.02, 0.5))
    body(system, "rocker", "arm", ce.Revolute(Y, D), (1.05, 0, 0.3))
    system.close_loop("pin", "coupler", "rocker", ce.Spherical(C), independent=["crank"])
    system.add_force(ce.TorsionSpringDamper("wound", system.find("rocker"), spring=ce.Linear(k), damper=0.5))
    slide = body(system, "slide", "ground", ce.Cylindrical((0.2, 0.3, 1), (0.5, 0, 0)), (0.6, 0.1, 0.4))
    rubber = [300.0] * 3 + [40.0] * 3, [3.0] * 3 + [0.4] * 3
    system.add_force(ce.Bushing("rubber", system.find("arm"), slide, (0.5, 0, 0.3), *rubber))
    return system


def balls() -> ce.System:
    """On a floating body a ball hinge, a component of a hinge that is geared, a point kept on a sphere."""
    system = ce.System()
    body(system, "base", "ground", ce.Free((0.1, 0, 0)), (0.2, 0, 0))
    held(system, "base")
    bob = body(system, "bob", "base", ce.Spherical((0.5, 0, 0)), (0.7, 0.1, -0.4))
    ends = (system.ground, (0.5, 0, -2), bob, (0.7, 0.2, -0.6))
    system.add_force(ce.SpringDamper("cord", *ends, spring=80.0, damper=1.0, free_length=0.5))
    arm(system, "base")
    hand = body(system, "hand", "arm", ce.Universal((0, 1, 0.1), Z, X), (1.3, 0.2, 0))
    system.add_force(ce.TorsionSpringDamper("bent", hand, spring=150.0, damper=1.0, component=0))
    system.couple("mesh", ("arm", ("hand", 1)), ce.Gear(-1.7), independent=["arm", ("hand", 0)])
    last = body(system, "last", "hand", ce.Universal((0, 1, 0), Z, (1.5, 0, 0)), (1.8, 0.1, 0.1))
    system.add_force(ce.TorsionSpringDamper("bent, too", last, spring=90.0, damper=1.0, component=1))

    def on_a_sphere(see: Any) -> Any:
        r = see.point("last", (2.0, 0.1, 0.3), "arm") - np.array(
            (2.0, 1.3, 0.8)
        )  # from the arm's centre of mass
        return r @ r - (0.5**2 + 1.3**2 + 0.3**2)

    system.constrain("sphere", ("arm", "hand", "last"), on_a_sphere, independent=[("last", 0)])
    return system


def path() -> ce.System:
    """A four-bar led by its path, whose dependent hinges are all of them."""
    system = ce.System()
    B, C, D = np.array((0.2, 0, 0.4)), (1.1, 0, 0.7), np.array((1.0, 0, 0))
    crank = body(system, "crank", "ground", ce.Revolute(Y), 0.5 * B)
    body(system, "coupler", "crank", ce.Revolute(Y, B), (0.6, 0.02, 0.5))
    body(system, "rocker", "ground", ce.Revolute(Y, D), (1.05, 0, 0.3))
    system.add_force(ce.TorsionSpringDamper("spring", crank, spring=70.0, damper=2.0))
    system.close_loop("pin", "coupler", "rocker", ce.Spherical(C), through_dead_centres=True)
    return system


SYSTEMS: dict[str, Callable[[], ce.System]] = {made.__name__: made for made in (loop, balls, path)}
