"""Inputs and outputs of a system, with names and units, and the ranges declared for inputs.

Given numbers out of range are refused.  Laws are evaluated during a run: a value of theirs out of range gives
a warning with the input, the value and the time.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import ModelError, RangeWarning, WrongTypeError

Range = tuple[float, float]

EXCESS = 1e-9
"""Part of its width by which a range may be exceeded: rounding of a law that saturates."""


def check_range(name: str, value: float, between: Range) -> None:
    """Refuse a number out of its range."""
    lower, upper = between
    if not lower <= value <= upper:
        raise ModelError(out_of_range(name, value, between))


def out_of_range(name: str, value: float, between: Range) -> str:
    """Return the message for an input with a value out of its range."""
    lower, upper = between
    return f"input {name!r}: {value!r} must be from {lower:g} to {upper:g}"


class Excess(NamedTuple):
    """The input value of a law that is furthest out of its range."""

    by: float  # How far, as part of the range's width
    name: str  # The input
    # value, t: The input, and its time [s]
    value: float
    t: float


def out_of_ranges(ranges: Mapping[str, Range], columns: Mapping[str, int], U: Floats) -> bool:
    """Return True if any input was out of its range.

    Arguments as of `furthest_out`, U of any runs.
    """
    for name, (lower, upper) in ranges.items():
        values, allowed = U[:, columns[name]], EXCESS * (upper - lower)
        if (np.maximum(values - upper, lower - values) > allowed).any():  # NaN is not
            return True
    return False


def furthest_out(
    ranges: Mapping[str, Range], columns: Mapping[str, int], t: Floats, U: Floats
) -> list[Excess]:
    """Return the value furthest out of range of every input that leaves its range at stored instants."""
    found = []
    for name, (lower, upper) in ranges.items():
        values = U[:, columns[name]]
        with np.errstate(invalid="ignore"):
            excess = np.maximum(values - upper, lower - values)
        if np.nanmax(excess, initial=0.0) > EXCESS * (upper - lower):
            k = int(np.nanargmax(excess))
            by = float(excess[k]) / (upper - lower)
            found.append(Excess(by, name, float(values[k]), float(t[k])))
    return found


def warn_out_of_range(ranges: Mapping[str, Range], excesses: Iterable[Excess], of: str = "") -> None:
    """Warn of inputs that a law set out of their ranges; `of` names the run."""
    for _, name, value, t in excesses:
        lower, upper = ranges[name]
        warnings.warn(
            f"the law answers {value:.6g} for input {name!r}{of} at t = {t:.4g} s; its range is "
            f"from {lower:g} to {upper:g}: let the law saturate it",
            RangeWarning,
            stacklevel=4,
        )


def held_number(name: str, value: object) -> float:
    """Return the constant value of an input."""
    if callable(value):
        raise WrongTypeError(
            f"input {name!r}: {checks.show(value)} is a function; what changes in time is given by a law: "
            "an object with inputs(t, sensors) that returns a mapping of names to values (with a Simulator: "
            "a number before each step)"
        )
    return checks.number(f"input {name!r}:", value)


@dataclass(frozen=True)
class Input:
    """A named input of the system."""

    name: str
    unit: str
    default: float
    between: tuple[float, float] | None = None


@dataclass(frozen=True)
class Output:
    """A named quantity computed from the motion; runs end where it is negative if it has a ``limit``."""

    name: str
    unit: str
    function: Callable[[Any], Scalar]
    limit: str = ""

    def __copy__(self) -> Output:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Output:
        return dataclasses.replace(self, function=copy.deepcopy(self.function, memo))

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the name: pickle stores functions by their names only."""
        function = self.function
        while isinstance(function, functools.partial):
            function = function.func
        if "<" in getattr(function, "__qualname__", ""):
            raise ModelError(
                f"output {self.name!r}: its function {function.__qualname__} has no name by which another "
                "process could find it; define it at the top level of a module (functools.partial gives it "
                "arguments)"
            )
        return Output, (self.name, self.unit, self.function, self.limit)
