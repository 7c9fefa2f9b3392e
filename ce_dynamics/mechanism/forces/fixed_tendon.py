"""Fixed tendon: a weighted sum of hinge coordinates as a length, with a spring, a damper and an actuator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, maximum, minimum
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.forces.actuator_law import ActuatorLaw, Range, ascending
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, Response
from ce_dynamics.mechanism.forces.torsion import coordinate_unit

Term = tuple[Body, float]


class FixedTendon(ForceElement):
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

    Raises
    ------
    ModelError
        If there are no terms, a hinge has not one coordinate, or a number is wrong.

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
        self.stiffness = checks.number(f"{owner}: stiffness", stiffness, at_least=0.0)
        self.damping = checks.number(f"{owner}: damping", damping, at_least=0.0)
        self.rest = ascending(rest, owner, "rest")
        self.law = read_command_law(owner, command, law)
        self.inputs = () if self.law is None else (self.law.command,)
        self.states = () if self.law is None else self.law.states
        self.gear = finite_number(gear, owner, "gear")
        self.outputs = {"force": "1"}

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        ends = []
        for body, _ in self.terms:
            ends += [(body.carrier, body.inboard.at_parent), (body, body.inboard.at_child)]
        return tuple(ends)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """The loads on its hinges."""
        length: Scalar = -self.zero
        rate: Scalar = 0.0
        for body, c in self.terms:
            length = length + c * observer.coordinate(body, 0)
            rate = rate + c * observer.rate(body, 0)
        force, potential = self._passive(length, rate)
        x_dot: tuple[Scalar, ...] = ()
        if self.law is not None:
            force = force + self.gear * self.law.force(self.gear * length, self.gear * rate, x, u)
            x_dot = self.law.x_dot(x, u)
        loads = tuple(HingeLoad(body, 0, c * force) for body, c in self.terms)
        return Response(loads, x_dot, {"force": force}, potential)

    def _passive(self, length: Scalar, rate: Scalar) -> tuple[Scalar, Scalar]:
        """Force of spring and damper, and the spring's energy."""
        return slack_spring(self.stiffness, self.damping, self.rest, length, rate)


def read_command_law(owner: str, command: str | None, law: Mapping[str, Any]) -> ActuatorLaw | None:
    """The law of an actuator, if there is a command."""
    if command is not None:
        return ActuatorLaw(owner, command=command, **law)
    if law:
        raise ModelError(f"{owner}: {sorted(law)} are of an actuator, which needs a command; name one")
    return None


def slack_spring(
    stiffness: float, damping: float, rest: Range | None, length: Scalar, rate: Scalar
) -> tuple[Scalar, Scalar]:
    """Force of a spring that is slack in a range of lengths and of a damper, and the spring's energy."""
    assert rest is not None
    stretch: Scalar = 0.0
    if stiffness:
        stretch = length - minimum(rest[1], maximum(rest[0], length))
    return -stiffness * stretch - damping * rate, 0.5 * stiffness * stretch * stretch
