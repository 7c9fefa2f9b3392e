"""Leaf springs with shackles: each of two rigid halves that bend at the beam, as in the SAE's three links.

The front half is hung on the chassis by its eye, the rear half by a shackle (SAE Spring Design Manual, the
three-link equivalent of a leaf spring).  Halves turn on the beam about the vertical and about the horizontal
across themselves, against torsion springs: so the beam may heave, roll, pitch (wind-up) and move sideways.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from ce_dynamics.algebra.arrays import cross
from ce_dynamics.kinematics.rod import Rod
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.forces.torsion import TorsionSpringDamper
from ce_dynamics.mechanism.hinges.closures import Distance
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import ParameterQuantity, Point
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyData
from ce_dynamics.models.vehicles.suspensions.beam import BeamAxle, BeamData, BeamEndData, SteeredEndData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, SuspensionGraph
from ce_dynamics.models.vehicles.suspensions.points import check_along

if TYPE_CHECKING:
    from typing_extensions import Self

X, Y, Z = np.eye(3)
HALVES = ("front", "rear")
TorsionStiffness = Annotated[float, ParameterQuantity("N*m/rad", above=0.0)]
TorsionDamping = Annotated[float, ParameterQuantity("N*m*s/rad", at_least=0.0)]


class HalfLeafData(BodyData):
    """Half a leaf spring, from its ``clamp`` on the beam to its ``eye``."""

    clamp: Point
    eye: Point


class ShackleData(BodyData):
    """It turns on the chassis about the line across the vehicle through ``pivot``, and holds the rear eye."""

    pivot: Point


class LeafEndData(BeamEndData):
    """One end of the beam; spring and damper are those beside the leaf spring."""

    front_leaf: HalfLeafData
    rear_leaf: HalfLeafData
    shackle: ShackleData


class SteeredLeafEndData(SteeredEndData):
    """The same of a steered beam."""

    front_leaf: HalfLeafData
    rear_leaf: HalfLeafData
    shackle: ShackleData


class ClampData(Section):
    """Elasticity of a half at its clamp: about the horizontal and about the vertical.

    ``preload`` is the force with which the eye lifts the chassis in the design position.
    """

    bending: TorsionStiffness
    bending_damping: TorsionDamping
    lateral: TorsionStiffness
    lateral_damping: TorsionDamping
    preload: Annotated[float, ParameterQuantity("N")]


class ShackledLeafData(BeamData):
    """Both halves' clamps, alike on either side."""

    front_clamp: ClampData
    rear_clamp: ClampData


@dataclass(frozen=True, eq=False, kw_only=True)
class ShackledLeafAxle(BeamAxle):
    """A beam led by its height, its place across the vehicle, roll and pitch; the springs find the rest.

    The front eyes hold the beam along the vehicle and in yaw, by Newton's method; shackles and halves follow
    in closed form.
    """

    template = "shackled-leaf-spring"
    section = ShackledLeafData
    end = LeafEndData
    steered_end = SteeredLeafEndData
    independent = ("heave", "sideways", "roll", "axle")

    clamps: dict[str, ClampData] = field(default_factory=dict)

    @classmethod
    def more(cls, data: Any) -> dict[str, Any]:
        """Elasticities."""
        return {"clamps": {"front": data.front_clamp, "rear": data.rear_clamp}}

    @classmethod
    def of(cls, name: str, data: Any, ends: Mapping[str, Any], steered: bool) -> Self:
        """The axle; a shackle's pivot is as far aside as its eye."""
        for corner, end in ends.items():
            check_along(f"{corner}.shackle.pivot", end.shackle.pivot, 1, end.rear_leaf.eye[1])
        return super().of(name, data, ends, steered)

    def guide(self, graph: SuspensionGraph) -> None:
        """The beam by a hinge for each of its six freedoms, the halves on it, the shackles on the chassis."""
        at = self.parts[graph.name("axle")].com.tolist()
        ways = ("heave", Prismatic(Z, at)), ("sideways", Prismatic(Y, at)), ("along", Prismatic(X, at))
        turns = ("yaw", Revolute(Z, at)), ("roll", Revolute(X, at)), ("axle", Revolute(Y, at))
        carrier = CHASSIS
        for name, hinge in (*ways, *turns):
            graph.add(name, carrier, hinge)
            carrier = name
        axle, chassis = graph.name("axle"), graph.name(CHASSIS)
        for end in self.ends:
            p = end.points
            ends = p["front_leaf.clamp"].tolist(), p["front_leaf.eye"].tolist()
            graph.close("axle", CHASSIS, Distance(*ends), f"{end.name}.front_leaf")
        for end in self.ends:
            p, names = (
                end.points,
                {part: f"{end.name}.{part}" for part in ("front_leaf", "rear_leaf", "shackle")},
            )
            turned = p["shackle.pivot"], p["shackle.pivot"] + Y, p["rear_leaf.eye"], p["rear_leaf.clamp"]
            graph.use(SpindleTieRod(*turned, names["shackle"], None, chassis, axle))
            for half, anchor in zip(HALVES, (chassis, names["shackle"]), strict=True):
                clamp, eye = p[f"{half}_leaf.clamp"], p[f"{half}_leaf.eye"]
                axes = Z, cross(eye - clamp, Z)
                graph.use(Rod(clamp, eye, names[f"{half}_leaf"], axle, anchor, axes=axes))

    def add(self, system: System, chassis: Body, steering: Body | None) -> None:
        """Add the axle, and the elasticities at its clamps."""
        super().add(system, chassis, steering)
        for end in self.ends:
            for half in HALVES:
                e, leaf = self.clamps[half], f"{end.name}.{half}_leaf"
                r = end.points[f"{half}_leaf.eye"] - end.points[f"{half}_leaf.clamp"]
                body = system.find(leaf)
                # A positive angle about r × Z lifts the eye.
                free = e.preload * magnitude(cross(r, Z)) / e.bending
                lateral = TorsionSpringDamper(
                    f"{leaf}.lateral", body, spring=e.lateral, damper=e.lateral_damping
                )
                bending = TorsionSpringDamper(
                    f"{leaf}.bending",
                    body,
                    spring=e.bending,
                    damper=e.bending_damping,
                    free=free,
                    component=1,
                )
                system.add_force(lateral)
                system.add_force(bending)
