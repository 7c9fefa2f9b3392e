"""Checks of directions, points and numbers, fields that are checked, and the frames built on them.

These are the checks of `ce_dynamics.algebra.checks` for values that may depend on free parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass
from functools import partial
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, cross, norm
from ce_dynamics.compiler.free_numbers import Formula, FreeNumber, decide, is_free, nominal
from ce_dynamics.compiler.tracing.operations import Op
from ce_dynamics.errors import CeDynamicsError, ModelError

ANGULAR_TOLERANCE = 1e-6
"""Directions closer than this to parallel (or perpendicular) count as parallel (perpendicular) [rad]."""


def finite_vector(value: object, owner: str, what: str) -> Array:
    """Return a user's 3-vector as a new array; refuses NaN, infinities and other shapes.

    It is of float64, unless a component depends on a free parameter.
    """
    if free_numbers(value):
        free: Array = np.array(value, dtype=object)
        finite_vector([nominal(x) for x in free.flat], owner, what)
        return free
    vector = checks.numbers(f"{owner}: {what}", value)
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        raise ModelError(f"{owner}: {what} {checks.show(value)} must be three finite numbers")
    return np.array(vector)


def free_numbers(value: object) -> bool:
    """Return True if an argument of any kind contains free numbers."""
    try:
        return is_free(value)
    except (TypeError, ValueError, RecursionError):
        return False


def unit_axis(axis: object, owner: str, what: str = "axis") -> Array:
    """Return a user's direction as a unit vector; refuses zero, non-finite and wrongly shaped ones."""
    vector = finite_vector(axis, owner, what)
    if is_free(vector):
        unit_axis(nominal(vector), owner, what)
        return vector if is_unit(vector) else free_unit(vector, owner, what)
    largest = np.max(np.abs(vector))
    if largest == 0.0:
        raise ModelError(f"{owner}: {what} is (0, 0, 0); give a direction such as (0, 0, 1)")
    scaled = vector / largest  # squares of very long or short directions would overflow or vanish
    return np.asarray(scaled / np.linalg.norm(scaled))


def free_unit(vector: Array, owner: str, what: str) -> Array:
    """Return a direction with free components as a unit vector; values for which it is zero are refused."""
    length = norm(vector)
    decide(length > 0.0, f"{owner}: {what} is (0, 0, 0)")
    unit: Array = vector / length
    return unit


def is_unit(vector: Array) -> bool:
    """Return True if a vector with free components is a vector divided by its own length.

    Equal numbers are the same formula, so the denominator must be the norm of the numerators.
    """
    quotients = [x for x in vector if isinstance(x, Formula)]
    if any(x.op != Op.DIV for x in quotients) or len({id(x.operands[1]) for x in quotients}) > 1:
        return False
    if any(x != 0.0 for x in vector if not isinstance(x, Formula)):
        return False
    numerators = np.array([x.operands[0] if isinstance(x, Formula) else x for x in vector], dtype=object)
    return norm(numerators) is quotients[0].operands[1]


def magnitude(vector: Array) -> Scalar:
    """Return the length of a vector, with NumPy's own rounding where it is of plain numbers."""
    return norm(vector) if is_free(vector) else float(np.linalg.norm(vector))


def finite_number(
    value: object,
    owner: str,
    what: str,
    *,
    unit: str = "1",
    error: type[CeDynamicsError] = ModelError,
    **bounds: Any,
) -> float:
    """Return a user's number as a float, finite and within its bounds.  One that is free stays so.

    The bounds are ``above``, ``at_least`` and ``at_most``.
    """
    name = f"{owner}: {what}"
    if not isinstance(value, FreeNumber):
        return checks.number(name, value, unit=unit, error=error, **bounds)
    checks.number(name, value.value, error=error)
    for word, bound in bounds.items():
        holds = value > bound if word == "above" else value >= bound if word == "at_least" else value <= bound
        allowed = f"{word.replace('_', ' ')} {checks.with_unit(f'{bound:g}', unit)}"
        if not decide(holds, f"{name} must be {allowed}"):
            raise error(f"{name} = {checks.with_unit(f'{value:g}', unit)} must be {allowed}")
    return cast("float", value)


Given = TypeVar("Given")
Kept = TypeVar("Kept")


class Checked(Generic[Given, Kept]):
    """A field of a dataclass whose values are checked, and kept in the library's own type.

    Parameters
    ----------
    check : callable
        Returns the value to keep, from that given, the owner for messages and the name of the field.
    given : str
        Type of the argument, for signatures.
    default : object
    fixed : bool
        Whether it cannot be set again, because other values follow from it.
    """

    def __init__(
        self, check: Callable[..., Kept], given: str, default: Any = MISSING, fixed: bool = False
    ) -> None:
        self.check, self.given, self.default, self.fixed = check, given, default, fixed

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        owner.__annotations__[name] = self.given

    @overload
    def __get__(self, thing: None, kind: type) -> Any: ...
    @overload
    def __get__(self, thing: object, kind: type | None = None) -> Kept: ...
    def __get__(self, thing: object, kind: type | None = None) -> Any:
        found = self.default if thing is None else vars(thing).get(self.name, MISSING)
        if found is MISSING:
            raise AttributeError(self.name)
        return found

    def __set__(self, thing: Any, value: Given) -> None:
        if self.fixed and self.name in vars(thing):
            raise AttributeError(f"{thing._owner}: {self.name} cannot be changed; make another one")
        kept = self.check(value, thing._owner, self.name)
        if isinstance(kept, np.ndarray):
            kept = kept.copy()
            kept.flags.writeable = False  # an entry that changed in place would not be checked
        vars(thing)[self.name] = kept


Number: TypeAlias = Checked[float, float]
Vector: TypeAlias = Checked[ArrayLike, Array]


def number(default: Any = MISSING, **bounds: Any) -> Number:
    """Return a field for a number, finite and within its bounds, see `finite_number`."""
    return Checked(partial(finite_number, **bounds), "float", default)


def vector(default: Any = MISSING) -> Vector:
    """Return a field for three finite numbers."""
    return Checked(finite_vector, "ArrayLike", default)


def direction(default: Any = MISSING) -> Vector:
    """Return a field for a direction, kept as a unit vector."""
    return Checked(unit_axis, "ArrayLike", default)


@dataclass(eq=False, repr=False)
class Named:
    """A record with a name, by which messages call it."""

    noun: ClassVar[str]
    """Its kind in messages."""

    name: str

    def __post_init__(self) -> None:
        checks.name_of(f"{type(self).__name__}: name", self.name)

    @property
    def _owner(self) -> str:
        return f"{self.noun} {self.name!r}"


def across(axis: Array) -> tuple[Array, Array]:
    """Return two unit vectors e1, e2 that make (e1, e2, axis) a right-handed frame.

    e1 is the projection of the coordinate axis least aligned with ``axis`` (the first of equals), so the
    choice is the same on every run and (x, y) for z.  It is made at the nominal values of free parameters.
    """
    start = np.zeros(3)
    start[np.argmin(np.abs(nominal(axis)))] = 1.0
    e1 = start - axis * (axis @ start)
    e1 = e1 / magnitude(e1)
    return e1, cross(axis, e1)
