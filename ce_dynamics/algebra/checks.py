"""Checks of arguments, called once where they enter the library.

Every check takes the name and the value of an argument, and returns the value in the library's own type.
Errors take one line: name, value, allowed values.  A number or a vector that may depend on
free parameters is checked by `ce_dynamics.mechanism.checked`, which builds on these.
"""

from __future__ import annotations

import difflib
import importlib.util
import math
import operator
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from numbers import Number
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.errors import CeDynamicsError, ModelError, WrongTypeError

Floats: TypeAlias = NDArray[np.float64]

LONGEST = 80  # characters of a value that a message shows
LONGEST_NAME = 200  # characters of a name that a user gives
LARGEST_INTEGER = 2**63 - 1

_T = TypeVar("_T")
_PLAIN = (float, int, np.floating, np.integer)
_NEVER = (str, bytes, bytearray, memoryview, bool, np.bool_)
"""Types that Python converts to numbers although they are not meant as numbers."""


def show(value: object) -> str:
    """Return any value as one short line for a message."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = f"<{type(value).__name__}>"  # an integer of ten thousand digits, or an object that is broken
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def wrong_type(message: str, error: type[CeDynamicsError] = ModelError) -> CeDynamicsError:
    """Return the error for a value of a wrong type, where other wrong values raise ``error``."""
    return WrongTypeError(message) if error is ModelError else error(message)


# Numbers


def require_plots() -> None:
    """Raise an error if matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        raise ModelError("plots need matplotlib: pip install 'ce-dynamics[plots]'")


class Bounds(NamedTuple):
    """Bounds of a number."""

    above: float = -math.inf
    at_least: float = -math.inf
    below: float = math.inf
    at_most: float = math.inf

    def hold(self, x: float) -> bool:
        """Return True if a number is within the bounds; an infinite one may be below an infinite bound."""
        is_below = x < self.below or self.below == math.inf
        return self.above < x and self.at_least <= x <= self.at_most and is_below

    def describe(self, infinite: bool = False, unit: str = "1") -> str:
        """Return the allowed range in words; a positive number needs no unit, other bounds have theirs."""
        positive = "a positive number" if infinite else "a positive finite number"
        finite = {name: bound for name, bound in self._asdict().items() if math.isfinite(bound)}
        parts = [f"{name.replace('_', ' ')} {with_unit(f'{x:g}', unit)}" for name, x in finite.items()]
        if self.above == 0.0:
            return " and ".join((positive, *parts[1:]))
        return f"a finite number{' ' if parts else ''}{' and '.join(parts)}"


def number(
    name: str,
    value: object,
    *,
    infinite: bool = False,
    unit: str = "1",
    error: type[CeDynamicsError] = ModelError,
    **limits: float,
) -> float:
    """Return a user's number within its `Bounds`; finite, unless ``infinite`` allows the largest of all.

    Messages show ``unit``, the SI unit of the number and its bounds ("1": none).  Any other type, including
    text, bytes and booleans, is a `WrongTypeError`.
    """
    given, bounds = as_float(name, value, error), Bounds(**limits)
    if not (math.isfinite(given) or (infinite and given == math.inf)) or not bounds.hold(given):
        raise error(f"{name} {with_unit(show(value), unit)} must be {bounds.describe(infinite, unit)}")
    return given


def with_unit(number: str, unit: str) -> str:
    """Return a number as messages show it, with its unit unless it is a plain number."""
    return number if unit in ("", "1") else f"{number} {unit}"


SMALLEST, LARGEST = 1e-50, 1e50
"""Bounds of numbers that are divided by and raised to powers: the sixth power of both is a normal number."""


def seconds(name: str, value: object, error: type[CeDynamicsError] = ModelError) -> float:
    """Return a user's length of time, with which steps can be counted [s]."""
    given = number(name, value, above=0.0, error=error)
    if not SMALLEST <= given <= LARGEST:
        raise error(f"{name} {given:g} s must be at least {SMALLEST:g} s and at most {LARGEST:g} s")
    return given


def as_float(name: str, value: object, error: type[CeDynamicsError] = ModelError) -> float:
    """Return a user's number as a float, which may be NaN or infinite; see `number`."""
    if isinstance(value, (Decimal, Fraction)):  # which do not go together with floats
        raise wrong_type(f"{name} {show(value)} is exact; give it as float(...)", error)
    if isinstance(value, _NEVER) or not (isinstance(value, _PLAIN) or is_scalar(value)):
        raise wrong_type(f"{name} {show(value)} is not a number", error)
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        raise error(f"{name} {show(value)} is too large for a floating-point number") from None
    except (TypeError, ValueError):
        raise wrong_type(f"{name} {show(value)} is not a number", error) from None


def is_scalar(value: object) -> bool:
    """Return True if an object of another type declares itself a number."""
    if isinstance(value, np.ndarray) and value.dtype.kind not in "iuf":
        return False
    return hasattr(type(value), "__float__") and not getattr(value, "ndim", 0) and not is_masked(value)


def is_masked(value: object) -> bool:
    """Return True for a masked array of NumPy with a masked entry; its module takes long to load."""
    return hasattr(type(value), "filled") and bool(np.any(getattr(value, "mask", False)))


def integer(
    name: str,
    value: object,
    *,
    at_least: int = -LARGEST_INTEGER,
    at_most: int = LARGEST_INTEGER,
    error: type[CeDynamicsError] = ModelError,
) -> int:
    """Return a user's whole number within its bounds; any other type, such as 2.0, is a `WrongTypeError`."""
    low = "" if at_least == -LARGEST_INTEGER else f", {at_least} or more"
    high = "" if at_most == LARGEST_INTEGER else f", {at_most} at most"
    if isinstance(value, _NEVER):
        raise wrong_type(f"{name} {show(value)} must be an integer{low}{high}", error)
    try:
        given = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise wrong_type(f"{name} {show(value)} must be an integer{low}{high}", error) from None
    if not at_least <= given <= at_most:
        raise error(f"{name} {show(given)} must be an integer{low or ', '}{high}".rstrip(", "))
    return given


def one(what: str, value: _T, error: type[CeDynamicsError] = ModelError) -> _T:
    """Return the one number, known or traced, that a user's function ``what`` returned."""
    known = isinstance(value, _PLAIN) and not isinstance(value, _NEVER)
    traced = not isinstance(value, (*_NEVER, Number, np.generic)) and hasattr(value, "__add__")
    if not (known or (traced and not (hasattr(value, "__len__") and getattr(value, "ndim", True)))):
        raise error(f"{what} is {show(value)}; it must be one number")
    return value


# Arrays


def vector(name: str, value: object, size: int, error: type[CeDynamicsError] = ModelError) -> Floats:
    """Return a user's vector as float64; refuses other lengths, NaN and infinities."""
    given = value if type(value) is np.ndarray else numbers(name, value, error)
    if given.dtype != np.float64:
        given = numbers(name, given, error)
    if given.shape != (size,) or not np.isfinite(given).all():
        count = f"{size} finite numbers"
        raise error(f"{name} must be {count}, got {shown_array(given)}")
    return given


checked = vector


def numbers(name: str, value: object, error: type[CeDynamicsError] = ModelError) -> Floats:
    """Return a user's array of any shape as float64; NaN and infinities are left to the caller."""
    if isinstance(value, (*_NEVER, Mapping, set, frozenset)):
        raise wrong_type(f"{name} {show(value)} must be a list of numbers", error)
    if is_masked(value):
        raise error(f"{name} has entries that are masked; give a number for each")
    try:
        given = np.asarray(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise wrong_type(
            f"{name} {show(value)} must be a list of numbers, its rows all of one length", error
        ) from None
    if given.dtype.kind in "iuf":
        with np.errstate(over="ignore"):
            return given.astype(np.float64, copy=False)
    if given.dtype.kind != "O" or given.ndim == 0:
        raise wrong_type(f"{name} {show(value)} must be a list of numbers", error)
    entries = [as_float(f"{name}: entry {k}", entry, error) for k, entry in enumerate(given.flat)]
    return np.array(entries, dtype=float).reshape(given.shape)


def finite_array(
    name: str, value: object, shape: tuple[int | None, ...], error: type[CeDynamicsError] = ModelError
) -> Floats:
    """Return a user's array of finite numbers; None in ``shape`` stands for any length."""
    given = numbers(name, value, error)
    fits = given.ndim == len(shape) and all(
        n is None or n == m for n, m in zip(shape, given.shape, strict=True)
    )
    if not fits:
        wanted = ", ".join("n" if n is None else str(n) for n in shape)
        raise error(f"{name} must be an array of shape ({wanted}), got shape {given.shape}")
    if not np.isfinite(given).all():
        raise error(f"{name} must be finite numbers, got {shown_array(given)}")
    return given


def shown_array(given: Floats) -> str:
    """Return an array for a message: its shape, and its entries where they are few."""
    if given.ndim == 1 and given.size <= 12:
        return str(given.tolist())
    if given.ndim == 1:
        wrong = np.flatnonzero(~np.isfinite(given))
        found = f", of which number {wrong[0]} is {given[wrong[0]]}" if len(wrong) else ""
        return f"{given.size}{found}"
    return f"an array of shape {given.shape}" if given.size != 1 or given.ndim else str(given)


# Names, choices, objects


def text(name: str, value: object, error: type[CeDynamicsError] = ModelError) -> str:
    """Return a user's text that is not empty."""
    if not isinstance(value, str):
        raise wrong_type(f"{name} {show(value)} must be text", error)
    if not value.strip():
        raise error(f"{name} is empty; give it some text")
    return value


def name_of(what: str, value: object, error: type[CeDynamicsError] = ModelError) -> str:
    """Return a user's name: a text of one line, short enough for messages."""
    given = text(what, value, error)
    if len(given) > LONGEST_NAME:
        raise error(f"{what} {show(given)} has {len(given):,} characters; at most {LONGEST_NAME} are allowed")
    if any(character < " " or character == "\x7f" for character in given):
        raise error(f"{what} {show(given)} has line breaks, tabs or other control characters; leave them out")
    if any("\ud800" <= character <= "\udfff" for character in given):
        raise error(f"{what} {show(given)} has halves of characters, which no file can hold; leave them out")
    return given


def unit(name: str, value: object, error: type[CeDynamicsError] = ModelError) -> str:
    """Return a user's unit; an empty one is that of a number without dimension."""
    return value if value == "" and isinstance(value, str) else name_of(name, value, error)


def texts(name: str, value: object, error: type[CeDynamicsError] = ModelError) -> tuple[str, ...]:
    """Return a user's list of names; a single text is none."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise wrong_type(f"{name} {show(value)} must be a list of names", error)
    return tuple(text(f"{name}: entry {k}", entry, error) for k, entry in enumerate(value))


def items(
    name: str, value: Any, size: int | None = None, error: type[CeDynamicsError] = ModelError
) -> tuple[Any, ...]:
    """Return the entries of a list, ``size`` of them if given; a single text or number is not a list."""
    if isinstance(value, (str, bytes, Mapping, set, frozenset)) or not hasattr(value, "__len__"):
        raise wrong_type(f"{name} {show(value)} must be a list", error)
    try:
        given = tuple(value)
    except TypeError:  # an array without dimensions
        raise wrong_type(f"{name} {show(value)} must be a list", error) from None
    if size is not None and len(given) != size:
        raise error(f"{name} {show(value)} must be a list of {size}")
    return given


def pairs(
    name: str, value: Any, what: str, error: type[CeDynamicsError] = ModelError
) -> list[tuple[Any, Any]]:
    """Check the entries of a user's list of pairs; ``what`` describes a pair, such as ``(body, point)``."""
    found = items(name, value, error=error)
    for k, entry in enumerate(found):
        if not isinstance(entry, (tuple, list)) or len(entry) != 2:
            raise wrong_type(f"{name}: entry {k} {show(entry)} must be a pair {what}", error)
    return [(one, other) for one, other in found]


def choice(
    name: str, value: object, allowed: Collection[str], error: type[CeDynamicsError] = ModelError
) -> str:
    """Return one of some words."""
    if not isinstance(value, str) or value not in allowed:
        raise error(f"{name} {show(value)} is not known; choose one of {', '.join(allowed)}")
    return value


def flag(name: str, value: object, error: type[CeDynamicsError] = ModelError) -> bool:
    """Check that a value is True or False, not something with the same truth value."""
    if not isinstance(value, (bool, np.bool_)):
        raise wrong_type(f"{name} {show(value)} must be True or False", error)
    return bool(value)


def function(name: str, value: _T, example: str = "", error: type[CeDynamicsError] = ModelError) -> _T:
    """Return a user's function."""
    if not callable(value) or isinstance(value, type):
        raise wrong_type(f"{name} {show(value)} cannot be called; give a function{example}", error)
    return value


def instance(
    name: str,
    value: object,
    kind: type[_T] | tuple[type[_T], ...],
    what: str,
    error: type[CeDynamicsError] = ModelError,
) -> _T:
    """Check that a value is an object of a class; ``what`` describes it, such as ``a law, for example …``."""
    if not isinstance(value, kind):
        hint = ""
        if isinstance(value, type) and issubclass(value, kind):
            hint = f" (call it: {value.__name__}(...))"
        raise wrong_type(f"{name} {show(value)} must be {what}{hint}", error)
    return value


def instances(
    name: str, value: object, kind: type[_T], what: str, error: type[CeDynamicsError] = ModelError
) -> tuple[_T, ...]:
    """Return the entries of a user's list, each an object of a class of the library; see `instance`."""
    found = items(name, value, error=error)
    return tuple(instance(f"{name}: entry {k}", one, kind, what, error) for k, one in enumerate(found))


def provides(
    name: str, value: _T, methods: Iterable[str], what: str, error: type[CeDynamicsError] = ModelError
) -> _T:
    """Return an object of any class that has some methods."""
    if isinstance(value, type) or not all(callable(getattr(value, method, None)) for method in methods):
        raise wrong_type(f"{name} {show(value)} must be {what}", error)
    return value


def mapping(name: str, value: object, error: type[CeDynamicsError] = ModelError) -> Mapping[str, Any]:
    """Return a mapping by name."""
    if not isinstance(value, Mapping):
        raise wrong_type(f"{name} {show(value)} must be a mapping such as {{'name': value}}", error)
    for key in value:
        if not isinstance(key, str):
            raise wrong_type(f"{name}: the key {show(key)} must be text", error)
    return value


def check_name(
    name: str, value: object, names: Collection[str], what: str, error: type[CeDynamicsError] = ModelError
) -> str:
    """Return a name of something that exists; suggests the nearest."""
    if not isinstance(value, str):
        raise wrong_type(f"{name} {show(value)} must be the name of {what}, as text", error)
    if value not in names:
        raise error(f"{name}: no {what} {show(value)}{suggest_name(value, names)} (known are {list(names)})")
    return value


def suggest_name(name: str, known: Iterable[str], cutoff: float = 0.5) -> str:
    """Return ``; did you mean …?`` where a known name is near; `cutoff` is that of `difflib`."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return f"; did you mean {near[0]!r}?" if near else ""


def known_are(name: str, known: Collection[str]) -> str:
    """Return the end of a message on an unknown name: a near one if there is one, and all."""
    return f"{suggest_name(name, known) or ';'} known are {', '.join(known) or 'none'}"


@contextmanager
def name_user_errors(what: str, error: type[CeDynamicsError] = ModelError) -> Iterator[None]:
    """Turn errors of a user's function in this context into an error that names the function."""
    try:
        yield
    except CeDynamicsError:
        raise
    except Exception as found:
        lines = " ".join(str(found).split())
        if "does not support ufuncs" in lines:  # np.sin of a number whose value is not known yet
            lines = (
                "functions of NumPy do not take single traced numbers; use those of "
                "ce_dynamics.algebra.arrays (sin, sqrt, arctan2, minimum, where, ...), which take floats, too"
            )
        raise error(f"{what} raised {type(found).__name__}: {lines}") from found


# Sizes


def limit_memory(what: str, size: float, remedy: str, error: type[CeDynamicsError] = ModelError) -> None:
    """Reject data of a size [bytes] that would not fit into memory, before any is allocated."""
    if size <= ALWAYS_FITS:
        return
    free = free_memory()
    if size > free:
        raise error(
            f"{what} would take {size / 2**30:.3g} GiB of memory, {free / 2**30:.3g} GiB are free; {remedy}"
        )


ALWAYS_FITS = 64 * 2**20  # bytes below which no confirmation is needed


def free_memory() -> float:
    """Return the memory available to this process [bytes]; infinite if the system does not state it."""
    return min(_available(), _allowed())


def _available() -> float:
    """Return the free memory of the machine [bytes]; infinite if the system does not report it."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return float(line.split()[1]) * 1024.0
    except OSError:
        pass
    return math.inf


def _allowed() -> float:
    """Return the memory that the limit of the process leaves [bytes]; infinite without a known limit."""
    try:
        import resource  # here, because Windows has none

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return math.inf
        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        return float(limit - taken)
    except (ImportError, OSError, ValueError):
        return math.inf
