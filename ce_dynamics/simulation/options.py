"""Options of a run, checked once; its stored instants, and messages where it did not reach its end."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.simulation.integrators.methods import FIXED, NATIVE_METHODS, NativeMethod
from ce_dynamics.simulation.integrators.settings import Settings, check_steps, settings_of, substeps

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SciPyMethod = Literal["RK45", "DOP853", "RK23", "LSODA", "Radau", "BDF"]
Method = Literal[SciPyMethod, NativeMethod]
METHODS: tuple[str, ...] = get_args(Method)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Options of a run; `ce_dynamics.simulation.simulate.simulate` describes the fields.

    Steps and tolerances are as given, otherwise None; `settings` has the values in use.

    Raises
    ------
    ModelError
        If an option is invalid.
    """

    duration: float
    y0: ArrayLike | None = None
    method: Method = "RK45"
    rtol: float | None = None
    atol: float | None = None
    interval: float = 0.01
    max_step: float | None = None
    step: float | None = None
    jacobian_every: int | None = None
    audit: bool = False
    parameters: Mapping[str, float] | None = None
    progress: Callable[[float], None] | None = None
    hinges: Iterable[str] | str = ()

    def __post_init__(self) -> None:
        for name in ("duration", "interval"):
            checks.seconds(name, getattr(self, name))
        checks.choice("method", self.method, METHODS)
        checks.flag("audit", self.audit)
        if self.progress is not None:
            checks.function("progress", self.progress, " of the time reached")
        settings = self.settings
        if self.fixed:
            check_steps(self.duration, settings.step)

    @property
    def native(self) -> bool:
        """True if the method runs in compiled code alone."""
        return self.method in NATIVE_METHODS

    @property
    def fixed(self) -> bool:
        """True if its steps have a fixed length."""
        return self.method in FIXED

    @property
    def step_made(self) -> float:
        """Length of fixed steps, which divide the interval [s]."""
        return substeps(self.interval, self.settings.step)[1]

    @cached_property
    def settings(self) -> Settings:
        """Steps and tolerances in use: those given, defaults for the others."""
        return settings_of(
            self.method,
            METHODS,
            step=self.step,
            rtol=self.rtol,
            atol=self.atol,
            max_step=self.max_step,
            jacobian_every=self.jacobian_every,
        )


Function = TypeVar("Function", bound=Callable[..., Any])


def lists_options(fields: type) -> Callable[[Function], Function]:
    """Show the fields of a class of options in the signature of a function instead of its ``**options``."""

    def decorate(function: Function) -> Function:
        own = inspect.signature(function)
        others = inspect.signature(fields).parameters.values()
        kept = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        signature = own.replace(parameters=[*kept, *others])
        function.__signature__ = signature  # type: ignore[attr-defined]  # what inspect reads
        return function

    return decorate


INTERRUPTED = "interrupted"
NOT_FINITE_AT_START = "the accelerations are not finite at t = 0"
BROKEN_SLOPES = "derivatives of the accelerations that are not finite"


def list_times(duration: float, interval: float) -> Floats:
    """Return the instants to store: every interval from 0, and the end."""
    n = math.floor(duration / interval * (1.0 + 1e-12))
    t: Floats = interval * np.arange(n + 1.0)
    return t if math.isclose(t[-1], duration) else np.append(t, duration)
