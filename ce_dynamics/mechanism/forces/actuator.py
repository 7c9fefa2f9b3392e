"""Actuators with MuJoCo's law: on one hinge coordinate, or on a sum of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeAlias

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, maximum, minimum, where
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import Checked, Number, finite_number, number
from ce_dynamics.mechanism.forces.base import (
    ForceElement,
    HingeElement,
    HingeLoad,
    Observer,
    Response,
    StateDeclaration,
)
from ce_dynamics.mechanism.forces.laws import finite_numbers
from ce_dynamics.mechanism.forces.torsion import LOAD_UNITS, coordinate_unit

Range = tuple[float, float]
Coefficients: TypeAlias = Checked[Sequence[float], tuple[float, ...]]
RangeField: TypeAlias = Checked[Range | None, Range | None]


def three_coefficients(values: Sequence[float], owner: str, what: str) -> tuple[float, ...]:
    """Check three coefficients."""
    numbers = finite_numbers(values, owner, what)
    if len(numbers) != 3:
        raise ModelError(f"{owner}: {what} {values!r} must be three numbers")
    return tuple(numbers.tolist())


def ascending(limits: Range | None, owner: str, what: str) -> Range | None:
    """Return a range."""
    if limits is None:
        return None
    numbers = finite_numbers(limits, owner, what)
    if len(numbers) != 2 or numbers[0] > numbers[1]:
        raise ModelError(f"{owner}: {what} {limits!r} must be two numbers, the lower first")
    return float(numbers[0]), float(numbers[1])


@dataclass(eq=False, repr=False)
class ActuatorLaw:
    """Force of an actuator over its length l and the rate of that.

    The command u, limited to ``command_range``, or the activation a that it drives, becomes the force
    (g₀ + g₁ l + g₂ l̇) a + b₀ + b₁ l + b₂ l̇, kept in ``force_range``.  With a ``lag`` τ, ȧ = (u − a)/τ; where
    it ``integrates``, ȧ = u, and a rests at an end of ``activation_range`` that u would push it beyond.

    Parameters
    ----------
    owner : str
        Name of the actuator in messages.
    command : str
        Name of the system input u.
    gain, bias : sequences of 3 floats
        (g₀, g₁, g₂) and (b₀, b₁, b₂).
    command_range, force_range, activation_range : (float, float), optional
    lag : float, optional
        τ [s], positive.
    integrates : bool
    activation : float
        a at the start, where it is a state.
    """

    owner: str
    _: KW_ONLY
    command: str
    gain: Coefficients = Checked(three_coefficients, "Sequence[float]", (1.0, 0.0, 0.0))
    bias: Coefficients = Checked(three_coefficients, "Sequence[float]", (0.0, 0.0, 0.0))
    command_range: RangeField = Checked(ascending, "Range | None", None)
    force_range: RangeField = Checked(ascending, "Range | None", None)
    lag: float | None = None
    integrates: bool = False
    activation_range: RangeField = Checked(ascending, "Range | None", None)
    activation: Number = number(0.0)

    def __post_init__(self) -> None:
        owner, lag = self.owner, self.lag
        checks.name_of(f"{owner}: command", self.command)
        self.lag = None if lag is None else checks.number(f"{owner}: lag", lag, above=0.0)
        self.integrates = checks.flag(f"{owner}: integrates", self.integrates)
        if self.integrates and lag is not None:
            raise ModelError(f"{owner}: lag {lag!r} s and integrates=True exclude each other; give one")
        stateful = self.integrates or lag is not None
        if self.activation and not stateful:
            raise ModelError(f"{owner}: activation {self.activation!r} needs a lag, or integrates=True")
        self.states = (StateDeclaration("activation", "1", self.activation),) if stateful else ()

    @property
    def _owner(self) -> str:
        return self.owner

    def force(self, length: Scalar, rate: Scalar, x: Array, u: Mapping[str, Scalar]) -> Scalar:
        """Return the force."""
        acting = x[0] if self.states else clip(u[self.command], self.command_range)
        if self.states:
            acting = clip(acting, self.activation_range)
        force = affine(self.gain, length, rate) * acting + affine(self.bias, length, rate)
        return clip(force, self.force_range)

    def x_dot(self, x: Array, u: Mapping[str, Scalar]) -> tuple[Scalar, ...]:
        """Return the rate of the activation, if it is a state."""
        if not self.states:
            return ()
        command = clip(u[self.command], self.command_range)
        rate = command if self.lag is None else (command - x[0]) * (1.0 / self.lag)
        if self.activation_range is None:
            return (rate,)
        low, high = self.activation_range
        inward = where(x[0] >= high, minimum(rate, 0.0), rate)
        return (where(x[0] <= low, maximum(inward, 0.0), inward),)


def affine(c: Sequence[float], length: Scalar, rate: Scalar) -> Scalar:
    """Return c₀ + c₁ l + c₂ l̇."""
    return c[0] + c[1] * length + c[2] * rate


def clip(value: Scalar, limits: Range | None) -> Scalar:
    """Return a value that stays in a range; NaN stays NaN."""
    return value if limits is None else minimum(limits[1], maximum(limits[0], value))


class Actuator(HingeElement):
    """Torque or force on one coordinate of a body's inboard hinge, which reacts on the hinge's carrier.

    With the command u, the length l = gear × (coordinate − zero) and its rate l̇ the actuator's force is
    (g₀ + g₁ l + g₂ l̇) u + b₀ + b₁ l + b₂ l̇, and gear times that acts on the hinge.  By default it is u: a
    motor.  With g₀ = k, b₁ = −k and b₂ = −c it is a servo of the stiffness k and the damping c.

    Parameters
    ----------
    name : str
    body : Body
        Owner of the hinge.
    command : str
        Name of the system input u.
    gear : float
        Length per coordinate, and load on the hinge per force.
    zero : float
        Coordinate at which l is zero [rad or m].
    component : int
        Which coordinate of the hinge.
    **law
        As of `ActuatorLaw`: ``gain`` and ``bias`` are (g₀, g₁, g₂) and (b₀, b₁, b₂), the command and the
        actuator's force stay in ``command_range`` and ``force_range``; with a ``lag``, or where it
        ``integrates``, a state acts instead of u.

    Notes
    -----
    An angle is known by its cosine and sine, so it is counted in (−π, π].

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, 0))
    >>> axle = ce.Revolute((0, 0, 1))
    >>> disc = system.add_body("disc", mass=1.0, inertia=(1, 1, 2), parent="ground", hinge=axle)
    >>> system.add_input("torque", "N*m")
    >>> system.add_force(ce.Actuator("motor", disc, command="torque", force_range=(-3, 3)))
    >>> model = ce.compile(system)
    >>> model.accelerations([0.0], [0.0], u=[5.0])
    array([1.5])
    """

    def __init__(
        self,
        name: str,
        body: Body,
        *,
        command: str,
        gear: float = 1.0,
        zero: float = 0.0,
        component: int = 0,
        **law: Any,
    ) -> None:
        owner = f"actuator {name!r}"
        self.name, self.body, self.component = checks.name_of("Actuator: name", name), body, component
        self.law = ActuatorLaw(owner, command=command, **law)
        self.inputs, self.states = (self.law.command,), self.law.states
        self.gear = finite_number(gear, owner, "gear")
        self.zero = finite_number(zero, owner, "zero")
        self.outputs = {"load": LOAD_UNITS[coordinate_unit(body, component, owner)]}

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return the load on the hinge."""
        length = self.gear * (observer.coordinate(self.body, self.component) - self.zero)
        rate = self.gear * observer.rate(self.body, self.component)
        load = self.gear * self.law.force(length, rate, x, u)
        hinge = HingeLoad(self.body, self.component, load)
        return Response((hinge,), self.law.x_dot(x, u), {"load": load})


class LineElement(ForceElement):
    """A force along a length: a spring that is slack over a range, a damper, and an actuator if commanded."""

    stiffness: float
    damping: float
    rest: Range
    gear: float
    law: ActuatorLaw | None

    def _set(self, owner: str, command: str | None, law: Mapping[str, Any], **passive: Any) -> None:
        """Check and keep what all lines have."""
        for name in ("stiffness", "damping"):
            setattr(self, name, checks.number(f"{owner}: {name}", passive[name], at_least=0.0))
        self.rest = ascending(passive["rest"], owner, "rest") or (0.0, 0.0)
        if command is None and law:
            raise ModelError(f"{owner}: {sorted(law)} are of an actuator, which needs a command; name one")
        self.law = None if command is None else ActuatorLaw(owner, command=command, **law)
        self.inputs = () if self.law is None else (self.law.command,)
        self.states = () if self.law is None else self.law.states
        self.gear = finite_number(passive["gear"], owner, "gear")

    def _force(
        self, length: Scalar, rate: Scalar, x: Array, u: Mapping[str, Scalar]
    ) -> tuple[Scalar, tuple[Scalar, ...], Scalar]:
        """Return the force, rates of the actuator's states, and the spring's energy."""
        stretch: Scalar = 0.0
        if self.stiffness:
            stretch = length - minimum(self.rest[1], maximum(self.rest[0], length))
        force = -self.stiffness * stretch - self.damping * rate
        potential = 0.5 * self.stiffness * stretch * stretch
        if self.law is None:
            return force, (), potential
        active = self.gear * self.law.force(self.gear * length, self.gear * rate, x, u)
        return force + active, self.law.x_dot(x, u), potential


Term = tuple[Body, float]


class FixedTendon(LineElement):
    """A force along the length l = Σ c_i q_i − zero, which acts on hinge i as c_i times the force.

    A spring pulls with −stiffness × (what l is outside of ``rest``), a damper with −damping × l̇, and an
    actuator, where a command u is named, with gear × ((g₀ + g₁ L + g₂ L̇) u + b₀ + b₁ L + b₂ L̇), L = gear × l.
    A gripper whose motor pulls two fingers alike is one with the coefficients ½ and ½.

    Parameters
    ----------
    name : str
    terms : sequence of (Body, float)
        Owners of hinges with one coordinate, and the coefficients c_i.
    zero : float
        Sum of the coordinates at which l is zero.
    stiffness, damping : float
        Not negative.
    rest : (float, float)
        Range of l in which the spring is slack; ascending.
    command : str, optional
        Name of the system input u.
    gear : float
        L per l.
    **law
        As of `ActuatorLaw`: gain, bias, ranges, lag.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, 0))
    >>> fingers = [system.add_body(name, mass=1.0, inertia=(1, 1, 1), parent="ground",
    ...                            hinge=ce.Revolute((0, 0, 1))) for name in ("left", "right")]
    >>> system.add_input("pull", "1")
    >>> system.add_force(ce.FixedTendon("split", [(finger, 0.5) for finger in fingers], command="pull"))
    >>> ce.compile(system).accelerations([0, 0], [0, 0], u=[2.0])
    array([1., 1.])
    """

    def __init__(
        self,
        name: str,
        terms: Sequence[Term],
        *,
        zero: float = 0.0,
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest: Range = (0.0, 0.0),
        command: str | None = None,
        gear: float = 1.0,
        **law: Any,
    ) -> None:
        owner = f"tendon {name!r}"
        self.name = checks.name_of("FixedTendon: name", name)
        given = checks.pairs(f"{owner}: terms", terms, "(body, coefficient)")
        self.terms = tuple((body, finite_number(c, owner, "coefficient")) for body, c in given)
        if not self.terms:
            raise ModelError(f"{owner}: give at least one hinge and its coefficient")
        for body, _ in self.terms:
            coordinate_unit(body, 0, owner)
            if body.inboard.n_q != 1:
                raise ModelError(
                    f"{owner}: the {type(body.inboard).__name__} hinge of {body.name!r} has "
                    f"{body.inboard.n_q} coordinates; a tendon takes hinges with one"
                )
        self.zero = finite_number(zero, owner, "zero")
        slack = checks.items(f"{owner}: rest", rest, 2)
        self._set(owner, command, law, stiffness=stiffness, damping=damping, rest=slack, gear=gear)
        self.outputs = {"force": "1"}

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        ends = []
        for body, _ in self.terms:
            ends += [(body.carrier, body.inboard.at_parent), (body, body.inboard.at_child)]
        return tuple(ends)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return the loads on its hinges."""
        length: Scalar = -self.zero
        rate: Scalar = 0.0
        for body, c in self.terms:
            length = length + c * observer.coordinate(body, 0)
            rate = rate + c * observer.rate(body, 0)
        force, x_dot, potential = self._force(length, rate, x, u)
        loads = tuple(HingeLoad(body, 0, c * force) for body, c in self.terms)
        return Response(loads, x_dot, {"force": force}, potential)
