"""Everything that may be said about how a run is made, checked once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from ce_dynamics.algebra import checks
from ce_dynamics.simulation.integrators.methods import FIXED, NATIVE_METHODS, NativeMethod, check_renewal
from ce_dynamics.simulation.integrators.settings import (
    Settings,
    check_step,
    check_steps,
    check_tolerances,
    substeps,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SciPyMethod = Literal["RK45", "DOP853", "RK23", "LSODA", "Radau", "BDF"]
Method = Literal[SciPyMethod, NativeMethod]
METHODS: tuple[str, ...] = get_args(Method)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a run is made; what the fields mean is said at `ce_dynamics.simulation.simulate.simulate`.

    Raises
    ------
    ModelError
        If one of them cannot be.
    """

    duration: float
    y0: ArrayLike | None = None
    method: Method = "RK45"
    rtol: float = 1e-6
    atol: float = 1e-8
    interval: float = 0.01
    max_step: float = math.inf
    step: float = 1e-3
    jacobian_every: int = 1
    audit: bool = False
    parameters: Mapping[str, float] | None = None
    progress: Callable[[float], None] | None = None

    def __post_init__(self) -> None:
        for name in ("duration", "interval"):
            checks.number(name, getattr(self, name), above=0.0)
        check_tolerances(self.rtol, self.atol)
        checks.number("max_step", self.max_step, above=0.0, infinite=True)
        checks.choice("method", self.method, METHODS)
        checks.flag("audit", self.audit)
        if self.progress is not None:
            checks.function("progress", self.progress, " of the time reached")
        check_renewal(self.method, self.jacobian_every)
        if self.fixed:
            check_step(self.step)
            check_steps(self.duration, self.step)

    @property
    def native(self) -> bool:
        """Whether the method runs wholly in compiled code."""
        return self.method in NATIVE_METHODS

    @property
    def fixed(self) -> bool:
        """Whether its steps have a fixed length."""
        return self.method in FIXED

    @property
    def step_made(self) -> float:
        """Length of fixed steps, which divide the interval [s]."""
        return substeps(self.interval, self.step)[1]

    @property
    def settings(self) -> Settings:
        """What of them a native method takes."""
        return Settings(self.method, self.step, self.rtol, self.atol, self.max_step, self.jacobian_every)
