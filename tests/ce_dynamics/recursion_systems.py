"""Systems on which the recursions are tested: random trees, and loops closed by linkages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, array, cos, sin, zeros
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.kinematics.base import ClosedForm
from ce_dynamics.kinematics.double_wishbone import DoubleWishbone, DoubleWishboneBodies, DoubleWishbonePoints
from ce_dynamics.kinematics.four_bar import FourBar
from ce_dynamics.kinematics.pitman import PitmanSteering
from ce_dynamics.mechanism.hinges.conditions import Condition, JointEnd, Twist

KINDS: dict[str, Callable[[Array, Array, Array], ce.Hinge]] = {
    "revolute": lambda a, b, at: ce.Revolute(a, at), "prismatic": lambda a, b, at: ce.Prismatic(a, at),
    "universal": lambda a, b, at: ce.Universal(a, b, at),
    "cylindrical": lambda a, b, at: ce.Cylindrical(a, at), "planar": lambda a, b, at: ce.Planar(a, at),
    "spherical": lambda a, b, at: ce.Spherical(at), "free": lambda a, b, at: ce.Free(at),
    "screw": lambda a, b, at: ce.Screw(a, 0.3, at), "fixed": lambda a, b, at: ce.Fixed(),
}  # fmt: skip


def random_hinge(rng: np.random.Generator, kind: str) -> ce.Hinge:
    """A hinge of a kind somewhere within a metre."""
    return KINDS[kind](*rng.uniform(-1.0, 1.0, (3, 3)))


def add_random(
    system: ce.System,
    rng: np.random.Generator,
    name: str,
    parent: ce.Body,
    hinge: ce.Hinge,
    mass: float = 1.0,
) -> ce.Body:
    """A body of about that mass with a full inertia, off its hinge."""
    arms = rng.normal(size=(6, 3)) * 0.3
    points = arms - arms.mean(axis=0)
    inertia = sum(float(p @ p) * np.eye(3) - np.outer(p, p) for p in points) / 6.0
    m = mass * rng.uniform(0.5, 2.0)
    return system.add_body(
        name, mass=m, com=rng.uniform(-1.0, 1.0, 3), inertia=m * inertia, parent=parent, hinge=hinge
    )


def random_tree(rng: np.random.Generator, kinds: list[str], mass_ratio: float = 1.0) -> ce.System:
    """Bodies on hinges of the given kinds, each on a body chosen at random; sometimes on the ground."""
    system = ce.System(gravity=rng.normal(size=3) * 5.0)
    bodies = [system.ground]
    for i, kind in enumerate(kinds):
        parent = bodies[rng.integers(len(bodies))]
        mass = mass_ratio if i % 2 else 1.0
        bodies.append(add_random(system, rng, f"{kind}{i}", parent, random_hinge(rng, kind), mass))
    add_loads(system, rng)
    return system


def add_loads(system: ce.System, rng: np.random.Generator) -> None:
    """A spring and damper, a torsion spring and damper, and wrenches, between bodies chosen at random."""
    bodies = [system.ground, *system.bodies]
    for i in range(2):
        a, b = rng.permutation(len(bodies))[:2]
        ends = rng.uniform(-1.0, 1.0, (2, 3))
        system.add_force(
            ce.SpringDamper(
                f"spring{i}", bodies[a], ends[0], bodies[b], ends[1], spring=7.0, damper=3.0, free_length=0.4
            )
        )
    for i in range(2):
        body, frame = system.bodies[rng.integers(len(system.bodies))], bodies[rng.integers(len(bodies))]
        at, force, torque = rng.normal(size=(3, 3))
        system.add_force(
            ce.AppliedWrench(f"wrench{i}", body, at, force=list(force), torque=list(torque), frame=frame)
        )
    for body in system.bodies:
        if body.inboard.coordinate_names == body.inboard.velocity_names and body.inboard.n_v > 0:
            k = int(rng.integers(body.inboard.n_v))
            system.add_force(
                ce.TorsionSpringDamper(
                    f"torsion of {body.name}", body, spring=2.0, damper=0.7, free=0.1, component=k
                )
            )


def add_linkage(
    system: ce.System, linkage: ClosedForm, rng: np.random.Generator, massless: tuple[str, ...] = ()
) -> None:
    """The bodies and closures of a closed-form linkage, some of the bodies without mass."""
    for joint in linkage.joints():
        parent = system.find(joint.carrier)
        if joint.body in massless:
            system.add_body(joint.body, mass=0.0, parent=parent, hinge=joint.hinge)
        else:
            add_random(system, rng, joint.body, parent, joint.hinge)
    for cut in linkage.cuts():
        system.close_loop(cut.name, cut.body_a, cut.body_b, cut.closure)
    system.use_linkage(linkage)


def add_drive(system: ce.System, body: str) -> None:
    for suffix, unit in (("", "rad"), ("_rate", "rad/s"), ("_acceleration", "rad/s^2")):
        system.add_input(f"drive of {body}{suffix}", unit)
    system.prescribe(body, ce.Driven(f"drive of {body}"))


def four_bar(rng: np.random.Generator) -> ce.System:
    """A planar four-bar on a floating frame, with a pendulum on its coupler."""
    system = ce.System(gravity=(0.5, -1.0, -9.0))
    frame = add_random(system, rng, "frame", system.ground, ce.Free(), 5.0)
    linkage = FourBar((0, 0, 0), (0, 0.3, 0.4), (0, 1.1, 0.7), (0, 1.0, 0), (1, 0, 0), frame=frame.name)
    add_linkage(system, linkage, rng)
    add_random(system, rng, "bob", system.find("coupler"), ce.Spherical((0.1, 0.6, 0.3)))
    add_random(system, rng, "arm", frame, ce.Revolute((0, 1, 0), (0.3, 0, 0)))
    add_loads(system, rng)
    return system


# A front corner of the HMMWV (Project Chrono's vehicle data), origin at the corner.
CORNER = DoubleWishbonePoints(
    A1=(-0.223, 0.307, 0.0), A2=(0.223, 0.307, 0.0),
    G1=(-0.268, 0.478, 0.196), G2=(-0.048, 0.446, 0.245),
    D=(-0.036, 0.787, -0.118), F=(-0.053, 0.716, 0.215),
    K=(-0.176, 0.821, -0.016), L=(-0.250, 0.448, 0.054),
    B=(0.097, 0.543, -0.047), J=(0.104, 0.498, 0.323),
)  # fmt: skip


def corner(rng: np.random.Generator) -> ce.System:
    """A steered corner on a floating chassis: a prescribed sibling, massless rods, a wheel."""
    system = ce.System(gravity=(0.0, 0.0, -9.81))
    add_random(system, rng, "chassis", system.ground, ce.Free(), 10.0)
    steering = PitmanSteering(
        (-0.45, 0.25, 0.1), (-0.32, 0.25, 0.06), (-0.32, -0.32, 0.06), (-0.45, -0.32, 0.1), (0.3, 0.0, 0.95)
    )
    add_linkage(system, steering, rng)
    add_drive(system, "pitman_arm")
    bodies = DoubleWishboneBodies(steering="steering_link")
    add_linkage(system, DoubleWishbone(CORNER, bodies), rng, ("upright_link", "tie_rod", "shock_upper"))
    wheel = ce.Revolute((0, 1, 0), at=(-0.040, 0.910, -0.026))
    system.add_body("wheel", mass=3.0, com=wheel.at, inertia=(0.2, 0.4, 0.2), parent="spindle", hinge=wheel)
    add_random(system, rng, "box", system.find("steering_link"), ce.Spherical((-0.3, 0.0, 0.0)))
    add_loads(system, rng)
    return system


class PolynomialCoupling(ce.Linkage):
    """Gives the two angles of a universal hinge as functions of the other coordinates, by hand.

    b₁ = c₁ sin a + c₂ d₁ d₂ and b₂ = c₃ a d₂ + c₄ s a + c₅ s², with s prescribed.
    """

    c = (0.7, 0.9, -0.6, 1.1, 0.8)
    determines = ("b",)
    closes = ("coupling",)

    def solve(self, motion: SubgraphMotion) -> None:
        (a,), (d1, d2), (s,) = (self._coordinates(motion, name) for name in "ads")
        s_motion = motion.hinge_motions["s"]
        (s_dot,), (s_ddot,) = s_motion.eta, s_motion.bias
        a_dot, d1_dot, d2_dot = motion.theta_dot
        c1, c2, c3, c4, c5 = self.c
        b1 = c1 * sin(a) + c2 * d1 * d2
        b2 = c3 * a * d2 + c4 * s * a + c5 * s * s
        X = array(((c1 * cos(a), c2 * d2, c2 * d1), (c3 * d2 + c4 * s, 0.0, c3 * a)))
        eta = array((0.0, (c4 * a + 2.0 * c5 * s) * s_dot))
        bias = array(
            (
                -c1 * sin(a) * a_dot * a_dot + 2.0 * c2 * d1_dot * d2_dot,
                2.0 * (c3 * a_dot * d2_dot + c4 * s_dot * a_dot + c5 * s_dot * s_dot)
                + (c4 * a + 2.0 * c5 * s) * s_ddot,
            )
        )
        motion.set("b", HingeMotion(motion.hinge("b").configuration(array((b1, b2))), X, eta, bias))

    def _coordinates(self, motion: SubgraphMotion, name: str) -> Array:
        return motion.hinge(name).coordinates(motion.hinge_motions[name].c)


class Rows(Condition):
    """Two conditions of which only the rank in the design pose is of interest."""

    rows: ClassVar[int] = 2

    def residual(self, p: JointEnd, c: JointEnd) -> Array:
        return zeros(2)

    def velocity_rows(self, p: JointEnd, c: JointEnd) -> Array:
        return array(np.cos(np.arange(24.0) ** 2)).reshape(2, 12)

    def acceleration_bias(self, p: JointEnd, c: JointEnd, V_p: Twist, V_c: Twist) -> Array:
        return zeros(2)


@dataclass(frozen=True)
class Coupling:
    """A closure whose conditions are not for use."""

    at_parent: Array
    at_child: Array
    constraints: tuple[Condition, ...] = (Rows(),)


def coupled(rng: np.random.Generator) -> ce.System:
    """An aggregated body with three independent rates and a prescribed hinge, and bodies that it carries."""
    system = ce.System(gravity=(1.0, 2.0, -9.0))
    p = add_random(system, rng, "p", system.ground, random_hinge(rng, "spherical"))
    a = add_random(system, rng, "a", p, random_hinge(rng, "revolute"))
    d = add_random(system, rng, "d", a, random_hinge(rng, "cylindrical"))
    s = add_random(system, rng, "s", d, random_hinge(rng, "prismatic"))
    b = add_random(system, rng, "b", s, random_hinge(rng, "universal"))
    add_random(system, rng, "on_d", d, random_hinge(rng, "planar"))
    on_b = add_random(system, rng, "on_b", b, random_hinge(rng, "screw"))
    add_random(system, rng, "tip", on_b, random_hinge(rng, "universal"))
    system.close_loop("coupling", p, b, Coupling(zeros(3), zeros(3)))
    system.use_linkage(PolynomialCoupling())
    add_drive(system, "s")
    add_loads(system, rng)
    return system


def tree(rng: np.random.Generator) -> ce.System:
    """One body on each kind of hinge, in random order and with random branching."""
    return random_tree(rng, list(rng.permutation(list(KINDS))))


def chain(rng: np.random.Generator) -> ce.System:
    """A prescribed slider in the middle of an open chain."""
    system = ce.System(gravity=(0.0, -9.81, 0.0))
    base = add_random(system, rng, "base", system.ground, random_hinge(rng, "universal"))
    slider = add_random(system, rng, "slider", base, random_hinge(rng, "prismatic"))
    add_random(system, rng, "rod", slider, random_hinge(rng, "revolute"))
    add_random(system, rng, "ball", slider, random_hinge(rng, "spherical"))
    add_drive(system, "slider")
    add_loads(system, rng)
    return system


SYSTEMS: Mapping[str, Callable[[np.random.Generator], ce.System]] = {
    "tree": tree, "chain": chain, "four_bar": four_bar, "coupled": coupled, "corner": corner,
}  # fmt: skip


class Case:
    """A system at random coordinates, velocities and prescribed motions."""

    def __init__(self, system: ce.System, rng: np.random.Generator, scale: float = 0.3) -> None:
        self.system = system
        self.embedding = embed(system)
        self.layout = Layout(self.embedding)
        q0, _, self.x = self.layout.split(self.layout.y0)
        self.q = q0 + scale * rng.normal(size=len(q0))
        self.v = rng.normal(size=self.embedding.n_v)
        self.u = scale * rng.normal(size=len(self.layout.u))
        # A linkage has a limited reach.
        for S in self.embedding.aggregates:
            if S.closures:
                for body in S.independent:
                    self.q[self.embedding.q_of[body.name]] *= 0.5
        self.n_v = self.embedding.n_v

    def instant(self, v: Array | None = None) -> Instant:
        return Instant(self.embedding, self.layout, self.q, self.v if v is None else v, self.x, self.u)

    def at(self, t: float, v_dot: Array) -> Instant:
        """The same motion a little later: correct to first order in t for the velocities."""
        q = self.q + t * self.instant().q_dot
        u = dict(zip((entry.name for entry in self.layout.u), self.u, strict=True))
        for body in self.system.prescribed:
            rate, acceleration = u[f"drive of {body}_rate"], u[f"drive of {body}_acceleration"]
            u[f"drive of {body}"] += t * rate
            u[f"drive of {body}_rate"] += t * acceleration
        return Instant(self.embedding, self.layout, q, self.v + t * v_dot, self.x, np.array(list(u.values())))

    def derivative(self, f: Callable[[Instant], Array], v_dot: Array, h: float = 1e-5) -> Array:
        """Central difference of f along the motion: error of order h² and of rounding / h."""
        return np.asarray((f(self.at(h, v_dot)) - f(self.at(-h, v_dot))) / (2.0 * h), dtype=float)


def make_case(name: str, seed: int = 0) -> Case:
    """A case that depends on nothing but its name and a number."""
    rng = np.random.default_rng([seed, *name.encode()])
    return Case(SYSTEMS[name](rng), rng)
