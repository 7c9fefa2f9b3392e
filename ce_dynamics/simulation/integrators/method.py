"""What an integrator that runs in compiled code is: a name, what is known of it, and a stepper."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ce_dynamics.algebra.checks import Floats

if TYPE_CHECKING:
    from ce_dynamics.simulation.integrators.settings import Settings
    from ce_dynamics.simulation.integrators.stepper import Stepper
    from ce_dynamics.simulation.integrators.wiring import Wiring


@dataclass(frozen=True, eq=False)
class Method(ABC):
    """Contract of an integrator; importing one costs nothing.

    1. ``name``: by which users know it; ``order``: its error is h^order over a given time.
    2. ``implicit``: whether it needs the Jacobian; ``fixed``: whether its steps are as long as it is told.
    3. `stepper` makes what takes the steps.
    4. It is registered in `ce_dynamics.simulation.integrators.methods`.
    """

    name: str
    order: int

    implicit: ClassVar[bool] = False
    fixed: ClassVar[bool] = True

    @property
    @abstractmethod
    def evaluations(self) -> int:
        """Of the right-hand side, per step."""

    @abstractmethod
    def stepper(self, wiring: Wiring, y0: Floats, settings: Settings) -> Stepper:
        """Its stepper at an initial state, the loop compiled."""
