"""Linkages built from hardpoints: their contract, their composition, and where they can be assembled."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, reduce
from itertools import chain
from typing import NamedTuple, Protocol

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, minimum, zeros
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.newton import last_that_holds
from ce_dynamics.compiler import trace
from ce_dynamics.compiler.free_numbers import is_free, nominal
from ce_dynamics.embedding.closures.loop import ClosureErrors, Loop, held_at_design, joint_errors
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.errors import AssemblyError, ModelError
from ce_dynamics.kinematics.hardpoints import DEAD_POINT
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.base import Coordinate, Coupled, Coupling
from ce_dynamics.mechanism.couplings.cut_edge import CutEdge, LoopClosure
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Closure
from ce_dynamics.mechanism.parameters import to_nominal
from ce_dynamics.mechanism.system import System


class Joint(NamedTuple):
    """A hinge of the spanning tree: ``system.add_body(body, parent=carrier, hinge=hinge, ...)``."""

    body: str
    carrier: str
    hinge: Hinge


class Cut(NamedTuple):
    """A cut edge: ``system.close_loop(name, body_a, body_b, closure)``."""

    name: str
    body_a: str
    body_b: str
    closure: Closure


class Link(NamedTuple):
    """A coupling: ``system.couple(name, coordinates, coupling)``."""

    name: str
    coordinates: tuple[tuple[str, int], ...]
    coupling: Coupling


class LoopParts(Protocol):
    """Parts of a loop by the names of its bodies."""

    determines: tuple[str, ...]

    def joints(self) -> tuple[Joint, ...]: ...
    def cuts(self) -> tuple[Cut, ...]: ...
    def couplings(self) -> tuple[Link, ...]: ...


class ClosedForm(Linkage):
    """A linkage built from hardpoints, which can describe itself to any formulation.

    Attributes
    ----------
    independent : str or None
        Body whose inboard hinge is the independent coordinate; None if that hinge belongs to another linkage.
    """

    independent: str | None = None

    @abstractmethod
    def joints(self) -> tuple[Joint, ...]:
        """Return hinges of the spanning tree, carriers before the bodies they carry."""

    @abstractmethod
    def cuts(self) -> tuple[Cut, ...]:
        """Return closures of the cut edges."""

    def couplings(self) -> tuple[Link, ...]:
        """Return couplings of hinges it satisfies besides the cuts; none for most linkages."""
        return ()

    def close(self, system: System) -> None:
        """Close its loops in a system that has its bodies, and let it solve them.

        Raises
        ------
        ModelError
            If the system lacks a body or has a closure of the same name.
        """
        for cut in self.cuts():
            system.close_loop(*cut)
        for link in self.couplings():
            system.couple(*link)
        system.use_linkage(self)

    def hinges(self) -> dict[str, Hinge]:
        """Return the hinge that each body of the linkage must be added with."""
        return {joint.body: joint.hinge for joint in self.joints()}

    def margin(self, motion: SubgraphMotion) -> Scalar:
        """Return the sine of the smallest angle to a dead point, 1 without any, in a solved motion."""
        return 1.0

    @cached_property
    def _reach(self) -> tuple[float, float] | None:
        if self.independent is None:
            return None
        return admissible_interval(to_nominal(self), self.independent)

    @property
    def has_free_geometry(self) -> bool:
        return to_nominal(self) is not self

    def reach(self) -> tuple[float, float] | None:
        """Return interval of the independent coordinate, around zero, in which the linkage can be assembled.

        Whatever the linkage attaches to outside itself is at its design position, and free hardpoints are at
        their nominal values.  Infinite if every position of a full turn can be reached; None if the linkage
        has no independent coordinate of its own.
        """
        return self._reach


def rows_of(cut: Cut) -> Callable[[SubgraphMotion], ClosureErrors]:
    """Return the rows of a cut along a motion."""
    return lambda motion: joint_errors(motion, cut.body_a, cut.body_b, cut.closure)


def expect_hinge(motion: SubgraphMotion, name: str, expected: Hinge) -> Hinge:
    """Return the inboard hinge of a body, which must have the geometry that a linkage was built for."""
    actual = motion.hinge(name)
    if actual is not expected and not same_hinge(actual, expected):
        raise ModelError(
            f"body {name!r}: its hinge {describe_hinge(actual)} is not the one its linkage was built for, "
            f"{describe_hinge(expected)}; add the body with linkage.hinges()[{name!r}]"
        )
    return actual


def same_hinge(one: Hinge, other: Hinge) -> bool:
    """Return True if two hinges are of one kind and have the same geometry."""
    if type(one) is not type(other):
        return False
    ours, theirs = ([*chain.from_iterable(geometry(hinge).values())] for hinge in (one, other))
    return all(map(same_entry, ours, theirs))


def same_entry(one: Scalar, other: Scalar) -> bool:
    """Return True if two numbers are the same but for rounding; free ones if their formulas are the same."""
    return one is other if is_free((one, other)) else bool(abs(one - other) <= 1e-12)


def geometry(hinge: Hinge) -> dict[str, Array]:
    """Return points and axes of a hinge."""
    return {key: value for key, value in vars(hinge).items() if isinstance(value, np.ndarray)}


def describe_hinge(hinge: Hinge) -> str:
    """Return a hinge in words, for messages."""
    values = ", ".join(
        f"{key}={np.round(nominal(value), 6).tolist()}" for key, value in geometry(hinge).items()
    )
    return f"{type(hinge).__name__}({values})"


class Composite(ClosedForm):
    """Linkages that build on each other, each given after those it needs.

    Parameters
    ----------
    parts : sequence of ClosedForm
        In the order of solution; joints that several parts name (a shared arm) must be the same.
    independent : str or None
        Body whose inboard hinge is the independent coordinate of the whole.
    """

    def __init__(self, parts: Sequence[ClosedForm], independent: str | None) -> None:
        self.parts: tuple[ClosedForm, ...] = checks.items("composite: parts", parts)
        for part in self.parts:
            checks.provides("composite: parts", part, ("joints", "solve"), "linkages, such as FourBar(...)")
        if not self.parts:
            raise ModelError("composite: parts is empty; give at least one linkage")
        if independent is not None:
            joints = [joint.body for joint in self.joints()]
            checks.check_name("composite: independent", independent, joints, "body of the parts")
        self.independent = independent
        self.determines = tuple(name for part in self.parts for name in part.determines)
        self.closes = tuple(name for part in self.parts for name in part.closes)

    def joints(self) -> tuple[Joint, ...]:
        """Return hinges of all parts; a hinge that a later part repeats is listed once."""
        by_body: dict[str, Joint] = {}
        for part in self.parts:
            for joint in part.joints():
                by_body.setdefault(joint.body, joint)
        return tuple(by_body.values())

    def cuts(self) -> tuple[Cut, ...]:
        """Return closures of all parts."""
        return tuple(cut for part in self.parts for cut in part.cuts())

    def margin(self, motion: SubgraphMotion) -> Scalar:
        return reduce(minimum, [part.margin(motion) for part in self.parts])

    def solve(self, motion: SubgraphMotion) -> None:
        for part in self.parts:
            part.solve(motion)


STEPS_PER_TURN = 720


def admissible_interval(linkage: ClosedForm, independent: str) -> tuple[float, float]:
    """Return the interval of one hinge angle, around zero, in which a linkage can be assembled.

    It ends where a square root of the closed form gets a negative argument and the linkage answers NaN, or
    where that argument touches zero (a change point: two branches meet and cannot be distinguished).
    Both are found on the linkage itself: a scan in half-degree steps brackets them, bisection or minimisation
    refines them.  A gap narrower than half a degree can be missed.
    """

    def solve_margin(theta: Array) -> dict[str, Array]:
        motion = pose(linkage, independent, theta[0])
        turned = np.concatenate([motion.body(name).R.ravel() for name in linkage.determines])
        return {"turned": turned, "margin": array((linkage.margin(motion),))}

    traced = trace("reach", solve_margin, {"theta": 1})

    def margins(thetas: Floats) -> Floats:
        found = traced.evaluate_many(theta=thetas.reshape(-1, 1))
        return np.where(np.isfinite(found["turned"]).all(axis=1), found["margin"][:, 0], math.nan)

    if math.isnan(margins(np.zeros(1))[0]):
        raise AssemblyError(f"linkage of {independent!r} cannot be assembled in its own design pose")
    return end(margins, -1.0), end(margins, 1.0)


def end(margins: Callable[[Floats], Floats], direction: float) -> float:
    """Return the last angle from zero in one direction that can be assembled; infinite if a full turn can."""

    def margin(theta: float) -> float:
        return float(margins(np.array([theta]))[0])

    step = direction * 2.0 * math.pi / STEPS_PER_TURN
    before, (here, *ahead) = math.inf, margins(step * np.arange(STEPS_PER_TURN + 1.0)).tolist()
    for k, after in enumerate(ahead, 1):
        if math.isnan(after):
            return last_that_holds(lambda x: not math.isnan(margin(x)), (k - 1) * step, k * step)
        if here <= min(before, after):
            touching = change_point(margin, (k - 2) * step, k * step)
            if touching is not None:
                return touching
        before, here = here, after
    return direction * math.inf


def change_point(margin: Callable[[float], float], start: float, finish: float) -> float | None:
    """Return the angle [rad] between two angles at which the margin vanishes; None if there is none."""
    from scipy.optimize import minimize_scalar  # here, because few runs need the reach

    found = minimize_scalar(
        lambda theta: np.nan_to_num(margin(theta), nan=0.0),
        bounds=(min(start, finish), max(start, finish)),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return float(found.x) if found.fun <= DEAD_POINT else None


def pose(linkage: ClosedForm, independent: str, theta: Scalar) -> SubgraphMotion:
    """Return a linkage at rest at one angle of its independent hinge, all outside it in the design pose."""
    loop, others = make_loop(linkage)
    motion = SubgraphMotion(loop.parent, loop.bodies, zeros(1), held_at_design(others, loop.parent))
    motion.independent(independent, array((theta,)), slice(0, 1))
    linkage.solve(motion)
    return motion


def make_loop(linkage: LoopParts, carriers: Sequence[Joint] = ()) -> tuple[Loop, tuple[Body, ...]]:
    """Return a linkage as a loop of massless bodies, and the bodies outside, without their carrier.

    ``carriers`` are joints outside the linkage that carry it.  What is outside is at the origin.
    """
    bodies = make_bodies({joint.body: joint for joint in (*carriers, *linkage.joints())}.values())
    inside = {body.name: body for body in bodies}
    outside = {body.carrier.name: body.carrier for body in bodies if body.carrier.is_ground}

    def find(name: str) -> Body:
        return inside.get(name) or outside.setdefault(name, make_fixed_body(name))

    edges: list[CutEdge] = [
        LoopClosure(name, find(a), find(b), closure, ()) for name, a, b, closure in linkage.cuts()
    ]
    for name, owners, coupling in linkage.couplings():
        edges.append(Coupled(name, tuple(Coordinate(inside[body], k) for body, k in owners), coupling, ()))
    parent, *others = outside.values()
    dependent = tuple(inside[name] for name in linkage.determines)
    return Loop(parent, tuple(bodies), tuple(edges), dependent), tuple(others)


def make_fixed_body(name: str) -> Body:
    """Return a body at the origin."""
    return Body(name, 0.0, zeros(3), zeros(3, 3), None, None)


def make_bodies(joints: Iterable[Joint]) -> list[Body]:
    """Make massless bodies on the given hinges, for questions of geometry; their carrier is at the origin."""
    inside: dict[str, Body] = {}
    outside: dict[str, Body] = {}
    for body, carrier, hinge in joints:
        on = inside.get(carrier) or outside.setdefault(carrier, make_fixed_body(carrier))
        inside[body] = Body(body, 0.0, hinge.at, zeros(3, 3), on, hinge)
    return list(inside.values())
