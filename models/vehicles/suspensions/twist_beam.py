"""Twist beam by its equivalent: two trailing arms that turn against each other about the beam's shear centre.

As in Matschinsky, Road Vehicle Suspensions (1998), the halves of the beam are rigid and joined by a revolute
hinge along it through the shear centre, with the torsional stiffness of the profile.  The left half hangs on
a ball joint of the chassis, the right one on a ball joint that may slide across the vehicle: heave and twist
are left, and the wheels steer and camber as they do on the real axle, about lines through a pivot and the
shear centre.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import Component
from ce_dynamics.mechanism.forces.torsion import TorsionSpringDamper
from ce_dynamics.mechanism.hinges.guides import PointOnLine
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import Point, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyData
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.beam import BeamAxle
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, Graph
from ce_dynamics.models.vehicles.suspensions.linked_axles import Y


class TrailingHalfData(BodyData):
    """A half of the beam with its trailing arm; ``pivot`` is on the chassis."""

    pivot: Point


class TwistEndData(CornerData):
    """One side of a twist beam; spring and damper act on its half."""

    half: TrailingHalfData
    spring: SpringData
    damper: DamperData


class TwistBeamData(Section):
    """Data of the beam as a whole: its shear centre in the middle, stiffness and damping in torsion."""

    shear_centre: Point
    stiffness: Annotated[float, Quantity("N*m/rad", at_least=0.0)]
    damping: Annotated[float, Quantity("N*m*s/rad", at_least=0.0)]


@dataclass(frozen=True, eq=False, kw_only=True)
class TwistBeamAxle(BeamAxle):
    """A twist beam, led by the pitch of its left half and by the twist."""

    template = "twist-beam"
    section = TwistBeamData
    along = (("shear_centre", 1, ""),)
    end = TwistEndData
    steered_end = None
    final_drive = "chassis"

    stiffness: float = 0.0
    damping: float = 0.0

    @classmethod
    def more(cls, data: Any) -> dict[str, Any]:
        """Torsion of the profile."""
        return {"stiffness": data.stiffness, "damping": data.damping}

    def carrier(self, end: str) -> str:
        """Its half."""
        return f"{end}.half"

    def housing(self) -> str | None:
        """None: its halves twist."""
        return None

    def spring_carrier(self, end: str, element: str = "") -> str:
        """Its half."""
        return f"{end}.half"

    def guide(self, graph: Graph) -> None:
        """The left half on its ball joint, the right one on it, and its pivot that slides."""
        left, right = (f"{end.name}.half" for end in self.ends)
        pivots = [end.points["half.pivot"].tolist() for end in self.ends]
        graph.independent = (Component(left, "pitch"), right)
        graph.add(left, CHASSIS, Spherical(pivots[0]))
        graph.add(right, left, Revolute(Y, self.points["shear_centre"].tolist()))
        graph.close(CHASSIS, right, PointOnLine(Y, at=pivots[1]))

    def add(self, system: System, chassis: Body, steering: Body | None) -> None:
        """Add both halves, and the torsion between them."""
        super().add(system, chassis, steering)
        right = system.find(f"{self.ends[1].name}.half")
        torsion = TorsionSpringDamper(f"{self.name}.twist", right, spring=self.stiffness, damper=self.damping)
        system.add_force(torsion)
