"""Computes the force of an actuator from its command: limits, lag, gain and bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, maximum, minimum, where
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.mechanism.forces.laws import finite_numbers

Range = tuple[float, float]


class ActuatorLaw:
    """Force of an actuator over its length l and the rate of that.

    The command u, kept in ``command_range``, or what it sets going, a = u, is turned into the force
    (g₀ + g₁ l + g₂ l̇) a + b₀ + b₁ l + b₂ l̇, kept in ``force_range``.  With a ``lag`` τ, ȧ = (u − a)/τ; where
    it ``integrates``, ȧ = u, and a rests at an end of ``activation_range`` that u would push it beyond.

    Parameters
    ----------
    owner : str
        What messages call the actuator.
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

    Raises
    ------
    ModelError
        If a number is not finite, a range does not ascend, or there is a lag and an integral.
    """

    def __init__(
        self,
        owner: str,
        *,
        command: str,
        gain: Sequence[float] = (1.0, 0.0, 0.0),
        bias: Sequence[float] = (0.0, 0.0, 0.0),
        command_range: Range | None = None,
        force_range: Range | None = None,
        lag: float | None = None,
        integrates: bool = False,
        activation_range: Range | None = None,
        activation: float = 0.0,
    ) -> None:
        self.command = checks.name_of(f"{owner}: command", command)
        self.gain, self.bias = three(gain, owner, "gain"), three(bias, owner, "bias")
        self.command_range = ascending(command_range, owner, "command_range")
        self.force_range = ascending(force_range, owner, "force_range")
        self.activation_range = ascending(activation_range, owner, "activation_range")
        self.lag = None if lag is None else checks.number(f"{owner}: lag", lag, above=0.0)
        self.integrates = checks.flag(f"{owner}: integrates", integrates)
        if self.integrates and lag is not None:
            raise ModelError(f"{owner}: lag {lag!r} s and integrates=True exclude each other; give one")
        start = finite_number(activation, owner, "activation")
        stateful = self.integrates or self.lag is not None
        if start and not stateful:
            raise ModelError(f"{owner}: activation {activation!r} needs a lag, or integrates=True")
        self.states = (StateDeclaration("activation", "1", start),) if stateful else ()

    def force(self, length: Scalar, rate: Scalar, x: Array, u: Mapping[str, Scalar]) -> Scalar:
        """The force."""
        acting = x[0] if self.states else within(u[self.command], self.command_range)
        if self.states:
            acting = within(acting, self.activation_range)
        force = affine(self.gain, length, rate) * acting + affine(self.bias, length, rate)
        return within(force, self.force_range)

    def x_dot(self, x: Array, u: Mapping[str, Scalar]) -> tuple[Scalar, ...]:
        """Rate of the activation, if it is a state."""
        if not self.states:
            return ()
        command = within(u[self.command], self.command_range)
        rate = command if self.lag is None else (command - x[0]) * (1.0 / self.lag)
        if self.activation_range is None:
            return (rate,)
        low, high = self.activation_range
        inward = where(x[0] >= high, minimum(rate, 0.0), rate)
        return (where(x[0] <= low, maximum(inward, 0.0), inward),)


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
