"""Actuator on a hinge coordinate, commanded by an input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, maximum, minimum
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, Response
from ce_dynamics.mechanism.forces.laws import finite_numbers
from ce_dynamics.mechanism.forces.torsion import LOAD_UNITS, coordinate_unit

Range = tuple[float, float]


class Actuator(ForceElement):
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
    gain, bias : sequences of 3 floats
        (g₀, g₁, g₂) and (b₀, b₁, b₂).
    zero : float
        Coordinate at which l is zero [rad or m].
    command_range, force_range : (float, float), optional
        The command, or the actuator's force, stays at the end of the range when it would leave it.
    component : int
        Which coordinate of the hinge.

    Raises
    ------
    ModelError
        If the hinge has no such coordinate, a number is not finite, or a range does not ascend.

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
        gain: Sequence[float] = (1.0, 0.0, 0.0),
        bias: Sequence[float] = (0.0, 0.0, 0.0),
        zero: float = 0.0,
        command_range: Range | None = None,
        force_range: Range | None = None,
        component: int = 0,
    ) -> None:
        owner = f"actuator {name!r}"
        self.name, self.body, self.component = checks.name_of("Actuator: name", name), body, component
        self.inputs = (checks.name_of(f"{owner}: command", command),)
        self.gear = finite_number(gear, owner, "gear")
        self.zero = finite_number(zero, owner, "zero")
        self.gain = three(gain, owner, "gain")
        self.bias = three(bias, owner, "bias")
        self.command_range = ascending(command_range, owner, "command_range")
        self.force_range = ascending(force_range, owner, "force_range")
        self.outputs = {"load": LOAD_UNITS[coordinate_unit(body, component, owner)]}

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        hinge = self.body.inboard
        return (self.body.carrier, hinge.at_parent), (self.body, hinge.at_child)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """The load on the hinge."""
        length = self.gear * (observer.coordinate(self.body, self.component) - self.zero)
        rate = self.gear * observer.rate(self.body, self.component)
        command = within(u[self.inputs[0]], self.command_range)
        force = affine(self.gain, length, rate) * command + affine(self.bias, length, rate)
        load = self.gear * within(force, self.force_range)
        return Response((HingeLoad(self.body, self.component, load),), outputs={"load": load})


def affine(c: Sequence[float], length: Scalar, rate: Scalar) -> Scalar:
    """c₀ + c₁ l + c₂ l̇."""
    return c[0] + c[1] * length + c[2] * rate


def within(value: Scalar, limits: Range | None) -> Scalar:
    """A value that stays in a range; NaN stays NaN."""
    return value if limits is None else minimum(limits[1], maximum(limits[0], value))


def three(values: Sequence[float], owner: str, what: str) -> tuple[float, ...]:
    """Three coefficients."""
    numbers = finite_numbers(values, owner, what)
    if len(numbers) != 3:
        raise ModelError(f"{owner}: {what} {values!r} must be three numbers")
    return tuple(numbers.tolist())


def ascending(limits: Range | None, owner: str, what: str) -> Range | None:
    """A range."""
    if limits is None:
        return None
    numbers = finite_numbers(limits, owner, what)
    if len(numbers) != 2 or numbers[0] > numbers[1]:
        raise ModelError(f"{owner}: {what} {limits!r} must be two numbers, the lower first")
    return float(numbers[0]), float(numbers[1])
