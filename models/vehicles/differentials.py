"""Differentials that are not open, as written in data files: of a driven axle, or between driven axles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from ce_dynamics.models.data.quantities import Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.differential_locks import LockParameters

Torque = Annotated[float, Quantity("N*m", above=0.0)]


class LockedData(Section):
    """Shafts that turn alike but for their wind-up against each other."""

    stiffness: Annotated[float, Quantity("N*m/rad", above=0.0)]
    damping: Annotated[float, Quantity("N*m*s/rad", above=0.0)]

    def built(self) -> LockParameters:
        """Return the parameters of the lock."""
        return LockParameters(self.stiffness, self.damping)


class LimitedSlipData(LockedData):
    """A clutch between both shafts that slides at ``max_torque``."""

    max_torque: Torque

    def built(self) -> LockParameters:
        """Return the parameters of the lock."""
        return LockParameters(self.stiffness, self.damping, self.max_torque)


class CentreData(LockedData):
    """Between driven axles; without ``max_torque`` it is locked."""

    max_torque: Torque | None = None

    def built(self) -> LockParameters:
        """Return the parameters of the lock."""
        return LockParameters(self.stiffness, self.damping, self.max_torque)


DIFFERENTIALS: Mapping[str, type[LockedData]] = {"limited-slip": LimitedSlipData, "locked": LockedData}
"""Differentials of axles by the name that data files use; an axle that names none has an open one."""
