"""Wheels: hub, rim and tyre turning together; as written and as built."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import radians
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import model_validator

from ce_dynamics.algebra.rotation import rotation_about
from ce_dynamics.models.data.quantities import (
    InertiaTensor,
    Mass,
    MomentOfInertia,
    ParameterQuantity,
    inertia_matrix,
)
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyParameters, Vector

if TYPE_CHECKING:
    from typing_extensions import Self

Lean = Annotated[float, ParameterQuantity("rad", above=-radians(30.0), below=radians(30.0))]
"""Beyond that, another angle was meant, or another unit."""
Spacing = Annotated[float, ParameterQuantity("m", above=0.0, below=2.0)]
"""Between the middles of two tyres on a hub; beyond that, another unit was meant."""


class WheelPartData(Section):
    """A body of revolution on the wheel's axis; its inertia is about its centre of mass."""

    mass: Mass
    inertia: InertiaTensor


class WheelData(Section):
    """The wheel assembly, all parts centred at W; the hub is what Project Chrono calls the spindle.

    With a ``twin_spacing`` there are two rims with a tyre each, W in the middle between them; rim and tyre
    are then those of one.  ``camber`` (top outwards) and ``toe`` (front inwards) lean the spin axis in the
    design position; without them it is along y.
    """

    hub: WheelPartData
    rim: WheelPartData
    tyre: WheelPartData
    axle_inertia: MomentOfInertia
    twin_spacing: Spacing | None = None
    camber: Lean | None = None
    toe: Lean | None = None

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
        Spin axis in the design position, to the left on both sides.
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
        """Build the wheel from its data and its centre in vehicle coordinates."""
        count = 1 if data.twin_spacing is None else 2
        parts = (data.hub, *count * (data.rim, data.tyre))
        inertia = np.asarray(sum(inertia_matrix(part.inertia) for part in parts))
        if data.twin_spacing is not None:  # m (s/2)² of each about the axes across the spin axis
            beside = 2.0 * (data.rim.mass + data.tyre.mass) * (0.5 * data.twin_spacing) ** 2
            inertia = inertia + beside * np.diag([1.0, 0.0, 1.0])
        R = wheel_axes(data.camber or 0.0, data.toe or 0.0)
        return cls(
            mass=sum(part.mass for part in parts),
            com=W,
            inertia=R @ inertia @ R.T,
            axis=R[:, 1],
            axle_inertia=data.axle_inertia,
            tyre_mass=count * data.tyre.mass,
            twin_spacing=data.twin_spacing,
        )

    def mirror(self) -> Self:
        """The mirror image in y; its axis is to the left too, so it turns forwards as the original does."""
        return replace(super().mirror(), axis=self.axis * (-1.0, 1.0, -1.0) + 0.0)


def wheel_axes(camber: float, toe: float) -> Vector:
    """Return axes of a left wheel as columns, R_z(−toe) R_x(−camber): top outwards, front inwards."""
    X, _, Z = np.eye(3)
    inwards = rotation_about(Z, np.cos(toe), -np.sin(toe))
    return np.asarray(inwards @ rotation_about(X, np.cos(camber), -np.sin(camber))) + 0.0  # no −0
