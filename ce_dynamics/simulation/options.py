"""Options of a run, checked once; its stored instants, and messages where it did not reach its end."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, ParamSpec, Protocol, TypeVar, get_args

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import FIXED, NATIVE_METHODS, NativeMethod
from ce_dynamics.simulation.integrators.settings import Settings, check_steps, settings_of, substeps

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ce_dynamics.compiled.model import Model
    from ce_dynamics.simulation.right_hand_side import Inputs

SciPyMethod = Literal["RK45", "DOP853", "RK23", "LSODA", "Radau", "BDF"]
Method = Literal[SciPyMethod, NativeMethod]
METHODS: tuple[str, ...] = get_args(Method)


@dataclass(frozen=True, kw_only=True)
class IntegrationOptions:
    """Options that runs and ensembles share; `ce_dynamics.EnsembleOptions` describes the fields.

    Steps and tolerances are as given, otherwise None; `settings` has the values in use.

    Raises
    ------
    ModelError
        If an option is invalid.
    """

    duration: float
    method: str
    step: float | None = None
    rtol: float | None = None
    atol: float | None = None
    max_step: float | None = None
    jacobian_every: int | None = None
    interval: float = 0.01
    hinges: Iterable[str] | str = ()

    _methods: ClassVar[tuple[str, ...]] = METHODS

    def __post_init__(self) -> None:
        for name in ("duration", "interval"):
            checks.seconds(name, getattr(self, name))
        self._check_method()
        settings = self.settings
        if self.fixed:
            check_steps(self.duration, settings.step)

    def _check_method(self) -> None:
        checks.choice("method", self.method, self._methods)

    @property
    def fixed(self) -> bool:
        """True if its steps have a fixed length."""
        return self.method in FIXED

    @cached_property
    def settings(self) -> Settings:
        """Steps and tolerances in use: those given, defaults for the others."""
        names = "step", "rtol", "atol", "max_step", "jacobian_every"
        return settings_of(self.method, self._methods, **{name: getattr(self, name) for name in names})


@dataclass(frozen=True, kw_only=True)
class RunOptions(IntegrationOptions):
    """Options of a run; `ce_dynamics.simulation.simulate.simulate` describes the fields."""

    method: Method = "RK45"
    y0: ArrayLike | None = None
    audit: bool = False
    parameters: Mapping[str, float] | None = None
    progress: Callable[[float], None] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.flag("audit", self.audit)
        if self.progress is not None:
            checks.function("progress", self.progress, " of the time reached")

    @property
    def native(self) -> bool:
        """True if the method runs in compiled code alone."""
        return self.method in NATIVE_METHODS

    @property
    def step_made(self) -> float:
        """Length of fixed steps, which divide the interval [s]."""
        return substeps(self.interval, self.settings.step)[1]


Function = TypeVar("Function", bound=Callable[..., Any])
Q = ParamSpec("Q")
R_co = TypeVar("R_co", covariant=True)


class RunFunction(Protocol[Q, R_co]):
    """A function of a model, its inputs, and options by name."""

    def __call__(self, model: Model, inputs: Inputs = None, *args: Q.args, **options: Q.kwargs) -> R_co:
        """Run the model."""
        ...


def takes_options(fields: Callable[Q, object]) -> Callable[[Callable[..., R_co]], RunFunction[Q, R_co]]:
    """Do what `lists_options` does, for type checkers too."""
    decorate: Any = lists_options(fields)
    return decorate  # type: ignore[no-any-return]  # types of the arguments are those of the class


def lists_options(fields: Callable[..., object]) -> Callable[[Function], Function]:
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
