"""Wheels: hub, rim and tyre turning together; as written and as built."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pydantic import model_validator

from ce_dynamics.models.data.quantities import (
    InertiaTensor,
    Length,
    Mass,
    MomentOfInertia,
    inertia_matrix,
)
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyParameters, Vector


class WheelPartData(Section):
    """A body of revolution on the wheel's axis; its inertia is about its centre of mass."""

    mass: Mass
    inertia: InertiaTensor


class WheelData(Section):
    """The wheel assembly, all parts centred at W; the hub is what Project Chrono calls the spindle.

    With a ``twin_spacing`` there are two rims with a tyre each, W in the middle between them; rim and tyre
    are then those of one.
    """

    hub: WheelPartData
    rim: WheelPartData
    tyre: WheelPartData
    axle_inertia: MomentOfInertia
    twin_spacing: Length | None = None

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
        Share of the tyre, or of both, in `mass`.
    twin_spacing : float or None
        Distance of the two tyres' middle planes, if there are two [m].
    """

    axis: Vector
    axle_inertia: float
    tyre_mass: float
    twin_spacing: float | None = None

    @classmethod
    def of(cls, data: WheelData, W: Vector) -> WheelParameters:
        """As built, with its centre in vehicle coordinates."""
        count = 1 if data.twin_spacing is None else 2
        parts = (data.hub, *count * (data.rim, data.tyre))
        inertia = np.asarray(sum(inertia_matrix(part.inertia) for part in parts))
        if data.twin_spacing is not None:  # m (s/2)² of each about the axes across the spin axis
            beside = 2.0 * (data.rim.mass + data.tyre.mass) * (0.5 * data.twin_spacing) ** 2
            inertia = inertia + beside * np.diag([1.0, 0.0, 1.0])
        return cls(
            mass=sum(part.mass for part in parts),
            com=W,
            inertia=inertia,
            axis=np.array([0.0, 1.0, 0.0]),
            axle_inertia=data.axle_inertia,
            tyre_mass=count * data.tyre.mass,
            twin_spacing=data.twin_spacing,
        )
