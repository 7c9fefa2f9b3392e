"""Wheels: hub, rim and tyre turning together; as written and as built."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pydantic import model_validator

from ce_dynamics.models.data.quantities import InertiaTensor, Mass, MomentOfInertia, inertia_matrix
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyParameters, Vector


class WheelPartData(Section):
    """A body of revolution on the wheel's axis; its inertia is about its centre of mass."""

    mass: Mass
    inertia: InertiaTensor


class WheelData(Section):
    """The wheel assembly, all parts centred at W; the hub is what Project Chrono calls the spindle."""

    hub: WheelPartData
    rim: WheelPartData
    tyre: WheelPartData
    axle_inertia: MomentOfInertia

    @model_validator(mode="after")
    def _has_mass(self) -> WheelData:
        if not self.hub.mass + self.rim.mass + self.tyre.mass > 0.0:
            raise ValueError("hub.mass + rim.mass + tyre.mass must be above 0 kg")
        return self


@dataclass(frozen=True, eq=False)
class WheelParameters(BodyParameters):
    """The wheel assembly: its COM is W, its inertia excludes the axle shaft.

    Parameters
    ----------
    axis : (3,)
        Spin axis in the design position, +y on both sides.
    axle_inertia : float
        Inertia of the axle shaft about the spin axis (kg m²).
    tyre_mass : float
        Share of the tyre in `mass`.
    """

    axis: Vector
    axle_inertia: float
    tyre_mass: float

    @classmethod
    def of(cls, data: WheelData, W: Vector) -> WheelParameters:
        """As built, with its centre in vehicle coordinates."""
        parts = (data.hub, data.rim, data.tyre)
        return cls(
            mass=sum(part.mass for part in parts),
            com=W,
            inertia=np.asarray(sum(inertia_matrix(part.inertia) for part in parts)),
            axis=np.array([0.0, 1.0, 0.0]),
            axle_inertia=data.axle_inertia,
            tyre_mass=data.tyre.mass,
        )
