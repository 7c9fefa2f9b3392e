"""Inputs and outputs of a system: numbers with names and units that come from outside and go there."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.errors import ModelError


@dataclass(frozen=True)
class Input:
    """A named input of the system."""

    name: str
    unit: str
    default: float
    between: tuple[float, float] | None = None


@dataclass(frozen=True)
class Output:
    """A named quantity computed from the motion."""

    name: str
    unit: str
    function: Callable[[Any], Scalar]

    def __copy__(self) -> Output:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Output:
        return Output(self.name, self.unit, copy.deepcopy(self.function, memo))

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle, which knows functions by their names only.

        Raises
        ------
        ModelError
            If the function has none by which another process could find it.
        """
        function = self.function
        while isinstance(function, functools.partial):
            function = function.func
        if "<" in getattr(function, "__qualname__", ""):
            raise ModelError(
                f"output {self.name!r}: its function {function.__qualname__} has no name by which another "
                "process could find it; define it at the top level of a module (functools.partial gives it "
                "arguments)"
            )
        return Output, (self.name, self.unit, self.function)
