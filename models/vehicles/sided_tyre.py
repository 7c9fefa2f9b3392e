"""The contract of tyres that are not their own mirror image."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ce_dynamics.models.tyres.contract import TyreModel


class SidedTyre(ABC):
    """A tyre as built that is not its own mirror image: its model depends on the side it is mounted on.

    Attributes
    ----------
    mu0 : float
        Friction coefficient of its measurement.
    """

    mu0: float

    @property
    @abstractmethod
    def unloaded_radius(self) -> float:
        """[m]."""

    @property
    @abstractmethod
    def cz(self) -> float:
        """Vertical stiffness at the nominal load [N/m]."""

    @abstractmethod
    def mounted(self, side: int) -> TyreModel:
        """Mounted on the left (1) or on the right (−1)."""
