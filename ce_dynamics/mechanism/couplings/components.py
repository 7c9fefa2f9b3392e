"""Independent coordinates of a loop that are no whole hinge: components of hinges, functions of positions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, array, is_plain, sqrt
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.hinges.spherical import Spherical


class ConstraintView(ABC):
    """Positions of the bodies of a written constraint.

    Points and directions are given in the design pose; results are in the axes of ``frame``.  The constraint
    must be declared for all bodies, including those given as frames.
    """

    def __init__(self, name: str, bodies: Sequence[Body]) -> None:
        self.name = name
        self.bodies = {body.name: body for body in bodies}
        self.is_read = False

    def point(self, body: Body | str, at: ArrayLike, frame: Body | str) -> Array:
        """Position (3,) of a body-fixed point from the frame's centre of mass (ground: world origin) [m]."""
        there, here = self._find_declared(body), self._find_declared(frame)
        design = finite_vector(at, f"constraint {self.name!r}", "at")
        seen: Array = self._R(here).T @ (self._x(there, design) - self._x(here, here.com))
        return seen

    def direction(self, body: Body | str, axis: ArrayLike, frame: Body | str) -> Array:
        """Return a body-fixed direction (3,), as long as it was given."""
        there, here = self._find_declared(body), self._find_declared(frame)
        turned = self._R(there) @ finite_vector(axis, f"constraint {self.name!r}", "axis")
        seen: Array = self._R(here).T @ turned
        return seen

    def coordinate(self, body: Body | str, k: int = 0) -> Scalar:
        """Return the coordinate k of the body's inboard hinge [rad] or [m]."""
        there = self._find_declared(body)
        if there.is_ground or (
            there.inboard.velocity_of(checks.integer(f"constraint {self.name!r}: coordinate", k)) is None
        ):
            raise ModelError(
                f"constraint {self.name!r}: body {there.name!r} has no hinge coordinate {k} that is an angle "
                "or a displacement of its own; constrain points and directions"
            )
        return self._q(there, k)

    def _find_declared(self, body: Body | str) -> Body:
        self.is_read = True
        name: object = body.name if isinstance(body, Body) else body
        if not isinstance(name, str) or name not in self.bodies:
            raise ModelError(
                f"constraint {self.name!r} looks at body {checks.show(name)}, for which it was not "
                f"declared; it was for {list(self.bodies)}"
            )
        return self.bodies[name]

    @abstractmethod
    def _R(self, body: Body) -> Array:
        """Return body axes to common axes."""

    @abstractmethod
    def _x(self, body: Body, at: Array) -> Array:
        """Position of a point in common axes."""

    @abstractmethod
    def _q(self, body: Body, k: int) -> Scalar:
        """Return hinge coordinate."""


class DesignView(ConstraintView):
    """The design pose.

    Attributes
    ----------
    hinged : dict of str to Body
        Bodies whose hinge coordinates were used.
    """

    def __init__(self, name: str, bodies: Sequence[Body]) -> None:
        super().__init__(name, bodies)
        self.hinged: dict[str, Body] = {}

    def _R(self, body: Body) -> Array:
        return IDENTITY

    def _x(self, body: Body, at: Array) -> Array:
        return at

    def _q(self, body: Body, k: int) -> Scalar:
        self.hinged[body.name] = body
        return float(body.inboard.neutral[k])


def residuals(result: Any) -> Array:
    """Return the result of a user's function as a vector."""
    if isinstance(result, np.ndarray):
        return array(result.ravel())
    return array(result if isinstance(result, (list, tuple)) else (result,))


UNITS = ("m", "rad", "1")
TURNS = ("roll", "pitch", "yaw")
X, Y, Z = np.eye(3)


@dataclass(frozen=True)
class Component:
    """One coordinate of a body's inboard hinge, as an independent coordinate of a loop.

    Where a loop has fewer freedoms than a hinge has coordinates, or others than whole hinges can lead, single
    coordinates lead it; the rest of their hinges is then found by the closures.

    Parameters
    ----------
    body : Body or str
        The body behind the hinge.
    which : str or int
        Name or number of the coordinate: 0 or ``"1"`` for the first angle of a `Universal`, ``"x"``, ``"y"``
        and ``"angle"`` of a `Planar`, ``"x"``, ``"y"`` and ``"z"`` of a `Free` hinge.  The orientation behind
        a `Free` or `Spherical` hinge has, in the axes of its carrier, the angles of
        R = Rot(z, yaw) Rot(y, pitch) Rot(x, roll): ``"roll"``, ``"pitch"``, ``"yaw"``; roll and yaw are not
        defined where the pitch is ±90°.

    Examples
    --------
    A beam axle on two trailing arms, with height and roll of the axle as independent coordinates:

    >>> import ce_dynamics as ce
    >>> s = ce.System()
    >>> axle = s.add_body("axle", mass=80, com=(0, 0, 0.3), inertia=(20, 2, 20), parent=s.ground,
    ...                   hinge=ce.Free((0, 0, 0.3)))
    >>> for side, y in (("left", 0.5), ("right", -0.5)):
    ...     arm = s.add_body(side, mass=5, com=(0.3, y, 0.3), inertia=(0.1, 0.5, 0.5), parent=s.ground,
    ...                      hinge=ce.Universal((0, 1, 0), (0, 0, 1), (0.6, y, 0.35)))
    ...     ball = s.close_loop(f"{side} ball", arm, axle, ce.Spherical((0, y, 0.3)),
    ...                         independent=[ce.Component(axle, "z"), ce.Component(axle, "roll")])
    >>> rod = s.close_loop("panhard", axle, s.ground, ce.Distance((0, 0.4, 0.3), (0, -0.4, 0.35)))
    >>> link = s.close_loop("upper link", axle, s.ground, ce.Distance((0, 0, 0.5), (0.5, 0, 0.5)))
    >>> [entry.name for entry in ce.compile(s).layout.q]
    ['axle.z', 'axle.roll']
    """

    body: Body | str
    which: str | int

    def __post_init__(self) -> None:
        checks.instance("Component: body", self.body, (Body, str), "a body or its name")
        if isinstance(self.which, bool) or not isinstance(self.which, (str, int)):
            raise checks.wrong_type(
                f"Component: which {checks.show(self.which)} must be the name or the number of a coordinate"
            )


@dataclass(frozen=True, eq=False)
class FunctionCoordinate:
    """A function of the positions of a loop's bodies as an independent coordinate of that loop.

    It is counted from the design pose, as every coordinate is: θ = f(positions) − f(design pose) (T34).

    Parameters
    ----------
    name : str
        Of the coordinate; no body may have it.
    bodies : sequence of Body or str
        All bodies and frames that the function uses: bodies of the loop, or its carriers.
    function : callable
        ``function(see)`` returns a scalar from ``see.point(body, at, frame)``,
        ``see.direction(body, axis, frame)`` and ``see.coordinate(body, k)``, as in `System.constrain`.  Its
        derivatives are formed exactly.
    unit : {"m", "rad", "1"}
        True for angles for which θ and θ + 2π are the same configuration.

    Examples
    --------
    The travel of a wheel as the height of its centre, for any linkage:

    >>> import ce_dynamics as ce
    >>> y = (0, 1, 0)
    >>> s = ce.System()
    >>> arm = s.add_body("arm", mass=5, com=(0.2, 0, 0.3), inertia=(0.1, 0.1, 0.1), parent=s.ground,
    ...                  hinge=ce.Revolute(y, at=(0, 0, 0.3)))
    >>> hub = s.add_body("hub", mass=9, com=(0.4, 0, 0.4), inertia=(0.1, 0.1, 0.1), parent=arm,
    ...                  hinge=ce.Revolute(y, at=(0.4, 0, 0.3)))
    >>> link = s.add_body("link", mass=2, com=(0.2, 0, 0.55), inertia=(0.1, 0.1, 0.1), parent=s.ground,
    ...                   hinge=ce.Revolute(y, at=(0.1, 0, 0.5)))
    >>> travel = ce.FunctionCoordinate("travel", [hub, s.ground],
    ...                                lambda see: see.point(hub, (0.5, 0, 0.35), s.ground)[2])
    >>> pin = s.close_loop("pin", link, hub, ce.Revolute(y, at=(0.45, 0, 0.5)), independent=[travel])
    >>> [(entry.name, entry.unit) for entry in ce.compile(s).layout.q]
    [('travel', 'm')]
    """

    name: str
    bodies: tuple[Body | str, ...]
    function: Callable[[Any], Any]
    unit: str = "m"

    def __post_init__(self) -> None:
        owner = "FunctionCoordinate"
        checks.items(f"{owner}: bodies", self.bodies)
        checks.function(f"{owner}: function", self.function)

    @property
    def seen(self) -> tuple[Body, ...]:
        """The bodies, once a system has found them."""
        return tuple(body for body in self.bodies if isinstance(body, Body))

    @property
    def start(self) -> Scalar:
        """Value of the function in the design pose."""
        return residuals(self.function(DesignView(self.name, self.seen)))[0]


@dataclass(frozen=True, eq=False)
class HingeComponent(FunctionCoordinate):
    """Component of a hinge: its function and its owner."""

    velocity: int = 0
    """The velocity of the hinge that is its rate; of roll, pitch and yaw that which is in the design pose."""

    @property
    def owner(self) -> Body:
        """The body behind the hinge."""
        return self.seen[0]


Lead = Body | FunctionCoordinate
"""An independent coordinate: a whole hinge, by its body, or a coordinate of the loop."""


@dataclass(frozen=True)
class HingeCoordinate:
    """Coordinate k of the hinge of a body, as a function of positions."""

    body: str
    k: int

    def __call__(self, see: ConstraintView) -> Scalar:
        return see.coordinate(self.body, self.k)


@dataclass(frozen=True)
class Turned:
    """Roll, pitch or yaw of a body relative to its carrier."""

    body: str
    carrier: str
    which: str

    def __call__(self, see: ConstraintView) -> Scalar:
        # R = Rot(z, ψ) Rot(y, θ) Rot(x, φ): R e_x = (cψ cθ, sψ cθ, −sθ), e_z·R e_y = cθ sφ, e_z·R e_z = cθ cφ
        if self.which == "roll":
            return arctan2(self._see(see, Y)[2], self._see(see, Z)[2])
        x = self._see(see, X)
        if self.which == "yaw":
            return arctan2(x[1], x[0])
        return arctan2(-x[2], sqrt(x[0] * x[0] + x[1] * x[1]))

    def _see(self, see: ConstraintView, axis: Any) -> Any:
        return see.direction(self.body, axis, self.carrier)


def components(body: Body) -> tuple[HingeComponent, ...]:
    """Return all components of a body's inboard hinge, displacements and angles of its own first."""
    hinge = body.inboard
    found = []
    for k, suffix in enumerate(hinge.coordinate_names):
        velocity = hinge.velocity_of(k)
        if velocity is not None:
            name = f"{body.name}.{suffix}" if suffix else body.name
            function = HingeCoordinate(body.name, k)
            found.append(HingeComponent(name, (body,), function, hinge.coordinate_units[k], velocity))
    if isinstance(hinge, (Free, Spherical)):
        carrier = body.carrier
        for j, which in enumerate(TURNS):
            turned = Turned(body.name, carrier.name, which)
            found.append(HingeComponent(f"{body.name}.{which}", (body, carrier), turned, "rad", j))
    return tuple(found)


def found_component(given: Component, body: Body) -> Lead:
    """Return the component that a user names, or the whole hinge (the body) where it has only one."""
    if body.is_ground:
        raise ModelError("the ground has no hinge; name a component of the hinge of another body")
    hinge, known = body.inboard, components(body)
    suffixes = [component.name.removeprefix(f"{body.name}.") for component in known]
    if isinstance(given.which, str):
        places = [k for k, suffix in enumerate(suffixes) if suffix == given.which]
    else:
        places = [k for k, c in enumerate(known) if c.function == HingeCoordinate(body.name, given.which)]
    if places:
        return body if hinge.n_v == 1 else known[places[0]]
    raise ModelError(
        f"the {type(hinge).__name__} hinge of body {body.name!r} has no component {given.which!r} that can "
        f"be independent; it has {suffixes}, and a FunctionCoordinate can be any other function of positions"
    )


def found_function(given: FunctionCoordinate, bodies: tuple[Body, ...]) -> FunctionCoordinate:
    """Return a user's function with the bodies that it uses, tried in the design pose."""
    if not given.name or not isinstance(given.name, str):
        raise ModelError(f"coordinate {given.name!r}: give it a name")
    owner = f"coordinate {given.name!r}"
    if given.unit not in UNITS:
        raise ModelError(f"{owner}: unit {given.unit!r} must be one of {list(UNITS)}")
    if not bodies:
        raise ModelError(f"{owner}: name the bodies it looks at")
    if not callable(given.function):
        raise ModelError(f"{owner}: {given.function!r} cannot be called; give a function of a view")
    values = residuals(given.function(DesignView(given.name, bodies)))
    if len(values) != 1 or (is_plain(values) and not np.all(np.isfinite(values))):
        raise ModelError(f"{owner} is {values.tolist()} in the design pose; it must be one finite number")
    return replace(given, bodies=bodies)
