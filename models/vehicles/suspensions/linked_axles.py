"""Beams on links, leaf springs, a pin or a Panhard rod.

A beam on lower and upper links that turn about lines across the vehicle, as air suspensions have.

Pivots without play on either side hold the beam in roll and yaw: it rises and pitches as a four-bar linkage
in the plane along the vehicle, and links of both sides, which turn by the same angle, are one body each.

Twist beam by its equivalent: two trailing arms that turn against each other about the beam's shear centre.

As in Matschinsky, Road Vehicle Suspensions (1998), the halves of the beam are rigid and joined by a revolute
hinge along it through the shear centre, with the torsional stiffness of the profile.  The left half hangs on
a ball joint of the chassis, the right one on a ball joint that may slide across the vehicle: heave and twist
are left, and the wheels steer and camber as they do on the real axle, about lines through a pivot and the
shear centre.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.kinematics.swing_arm import SwingArm
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings.components import Component
from ce_dynamics.mechanism.forces.torsion import TorsionSpringDamper
from ce_dynamics.mechanism.hinges.closures import PointOnLine
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import ParameterQuantity, Point
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import BodyData, RodData
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.beam import BeamAxle, BeamData, BeamEndData, SteeredEndData
from ce_dynamics.models.vehicles.suspensions.graph import CHASSIS, SuspensionGraph
from ce_dynamics.models.vehicles.suspensions.linked import LinkData
from ce_dynamics.models.vehicles.suspensions.push_pipe import PanhardData

X, Y, Z = np.eye(3)
HEAVE_AND_ROLL = (Component("axle", "z"), Component("axle", "roll"))


class FourLinkData(BeamData):
    """A Panhard rod is a fifth rod: as rigid bodies have it, the beam then cannot roll by itself."""

    panhard: PanhardData | None = None
    panhard_rod: RodData | None = None


class TwoLinksData(BeamEndData):
    """One end of a beam with an upper and a lower link; their ends on the beam are called ``upright``."""

    upper_link: LinkData
    lower_link: LinkData


class SteeredTwoLinksData(SteeredEndData):
    """The same of a steered beam."""

    upper_link: LinkData
    lower_link: LinkData


@dataclass(frozen=True, eq=False, kw_only=True)
class BeamOnLinks(BeamAxle):
    """Common base of beams on links."""

    rods = (("panhard_rod", "panhard.axle", "panhard.chassis"),)

    def panhard(self, graph: SuspensionGraph) -> None:
        """Put in the Panhard rod, if there is one."""
        p = self.points
        if "panhard.axle" in p:
            graph.link("panhard_rod", "axle", p["panhard.axle"], CHASSIS, p["panhard.chassis"])

    def link_up(self, graph: SuspensionGraph, links: tuple[str, ...]) -> None:
        """Put in links of both ends."""
        for end in self.ends:
            for link in links:
                U, C = end.points[f"{link}.upright"], end.points[f"{link}.chassis"]
                graph.link(f"{end.name}.{link}", "axle", U, CHASSIS, C)


@dataclass(frozen=True, eq=False, kw_only=True)
class FourLinkAxle(BeamOnLinks):
    """A beam on four links, led by heave and roll; with a Panhard rod as well by heave alone."""

    template = "four-link"
    section = FourLinkData
    end = TwoLinksData
    steered_end = SteeredTwoLinksData
    independent = HEAVE_AND_ROLL

    def guide(self, graph: SuspensionGraph) -> None:
        """The beam on no hinge, held by the links."""
        graph.add("axle", CHASSIS, Free(self.parts[graph.name("axle")].com.tolist()))
        if "panhard.axle" in self.points:
            graph.independent = self.independent[:1]
        self.link_up(graph, ("upper_link", "lower_link"))
        self.panhard(graph)


class OneLinkData(BeamEndData):
    """One end of a beam with a link along the vehicle; its end on the beam is called ``upright``."""

    link: LinkData


class SteeredOneLinkData(SteeredEndData):
    """The same of a steered beam."""

    link: LinkData


class TriangleData(BodyData):
    """A triangle that turns on the chassis about the axis across the vehicle through ``pivot``."""

    pivot: Point
    ball: Point


class ThreeLinkAxleData(BeamData):
    """The triangle holds the beam at its ``ball``."""

    triangle: TriangleData


@dataclass(frozen=True, eq=False, kw_only=True)
class ThreeLinkAxle(BeamOnLinks):
    """A beam on a triangle and two links, led by the triangle and by the roll."""

    template = "three-link-axle"
    section = ThreeLinkAxleData
    end = OneLinkData
    steered_end = SteeredOneLinkData
    independent = ("triangle", "roll")
    along = (("triangle.pivot", 1, ""),)

    def guide(self, graph: SuspensionGraph) -> None:
        """The beam on the triangle's ball joint: roll, yaw and pitch, the last two found by the links."""
        at = self.points["triangle.ball"].tolist()
        graph.add("triangle", CHASSIS, Revolute(Y, self.points["triangle.pivot"].tolist()))
        graph.add("roll", "triangle", Revolute(X, at))
        graph.add("yaw", "roll", Revolute(Z, at))
        graph.add("axle", "yaw", Revolute(Y, at))
        self.link_up(graph, ("link",))


class ThreeLinkPanhardData(BeamData):
    """One upper link and a Panhard rod beside the ends' lower links."""

    upper_link: LinkData
    panhard: PanhardData
    panhard_rod: RodData | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ThreeLinkPanhardAxle(BeamOnLinks):
    """A beam on two lower links, one upper link and a Panhard rod; led by heave and roll."""

    template = "three-link-panhard"
    section = ThreeLinkPanhardData
    end = OneLinkData
    steered_end = SteeredOneLinkData
    independent = HEAVE_AND_ROLL

    def guide(self, graph: SuspensionGraph) -> None:
        """The beam on no hinge, held by the links and the rod."""
        p = self.points
        graph.add("axle", CHASSIS, Free(self.parts[graph.name("axle")].com.tolist()))
        self.link_up(graph, ("link",))
        graph.link("upper_link", "axle", p["upper_link.upright"], CHASSIS, p["upper_link.chassis"])
        self.panhard(graph)


class LeafSpringData(BeamData):
    """The beam rolls about ``roll_centre``, through which the line passes that it slides along."""

    roll_centre: Point


@dataclass(frozen=True, eq=False, kw_only=True)
class LeafSpringAxle(BeamAxle):
    """Leaf springs as a guide: heave along the beam's own vertical, and roll; nothing else moves."""

    template = "leaf-spring"
    section = LeafSpringData
    along = (("roll_centre", 0, ""),)

    def guide(self, graph: SuspensionGraph) -> None:
        """A guide without mass that rolls on the chassis, and the beam that slides on it."""
        at = self.points["roll_centre"].tolist()
        graph.add("guide", CHASSIS, Revolute(X, at))
        graph.add("axle", "guide", Prismatic(Z, at))


class PinnedData(BeamData):
    """The beam turns about the axis along the vehicle through ``pin``."""

    pin: Point


@dataclass(frozen=True, eq=False, kw_only=True)
class PinnedAxle(BeamAxle):
    """A beam pinned to the chassis: it rolls, without springs."""

    template = "pinned-axle"
    section = PinnedData
    along = (("pin", 0, ""),)

    def guide(self, graph: SuspensionGraph) -> None:
        """The beam on its pin."""
        graph.add("axle", CHASSIS, Revolute(X, self.points["pin"].tolist()))


class PanhardAxleData(BeamData):
    """The beam neither pitches nor yaws nor moves along the vehicle."""

    panhard: PanhardData
    panhard_rod: RodData | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class PanhardAxle(BeamAxle):
    """A beam led by heave and roll; the rod finds how far it moves sideways."""

    template = "panhard"
    section = PanhardAxleData
    rods = (("panhard_rod", "panhard.axle", "panhard.chassis"),)
    independent = ("heave", "axle")

    def guide(self, graph: SuspensionGraph) -> None:
        """Two bodies without mass that slide up and sideways, the beam that rolls on them, and the rod."""
        p = self.points
        at = self.parts[graph.name("axle")].com.tolist()
        graph.add("heave", CHASSIS, Prismatic(Z, at))
        graph.add("sideways", "heave", Prismatic(Y, at))
        graph.add("axle", "sideways", Revolute(X, at))
        graph.link("panhard_rod", "axle", p["panhard.axle"], CHASSIS, p["panhard.chassis"])


class LinksData(BodyData):
    """The links of both sides, in the middle; ``pivot`` on the chassis, ``joint`` on the beam."""

    pivot: Point
    joint: Point


class ParallelLinksData(BeamData):
    """Data of the axle as a whole."""

    lower_links: LinksData
    upper_links: LinksData


class ParallelEndData(CornerData):
    """One end: spring and damper on the lower links, and others on the beam."""

    spring: SpringData | None = None
    damper: DamperData | None = None
    beam_spring: SpringData | None = None
    beam_damper: DamperData | None = None


class SteeredParallelEndData(SteeredEndData):
    """The same of an axle with knuckles."""

    beam_spring: SpringData | None = None
    beam_damper: DamperData | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ParallelLinksAxle(BeamAxle):
    """A beam led by the angle of its lower links."""

    template = "parallel-links"
    section = ParallelLinksData
    end = ParallelEndData
    steered_end = SteeredParallelEndData
    along = tuple(
        (f"{which}_links.{point}", 1, "") for which in ("lower", "upper") for point in ("pivot", "joint")
    )

    def spring_carrier(self, end: str, element: str = "") -> str:
        """The beam for what is named after it, else the lower links."""
        return f"{self.name}.{'axle' if element.startswith('beam') else 'lower_links'}"

    def guide(self, graph: SuspensionGraph) -> None:
        """The four-bar linkage in closed form, the upper links following the beam."""
        lower, upper = (
            (self.points[f"{which}_links.pivot"], self.points[f"{which}_links.joint"])
            for which in ("lower", "upper")
        )
        graph.add("lower_links", CHASSIS, Revolute(Y, lower[0].tolist()))
        axle, links, chassis = graph.name("axle"), graph.name("lower_links"), graph.name(CHASSIS)
        graph.use(SpindleTieRod(lower[1], lower[1] + Y, upper[1], upper[0], axle, None, links, chassis))
        graph.use(SwingArm(upper[0] - Y, upper[0] + Y, upper[1], graph.name("upper_links"), chassis, axle))


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
    stiffness: Annotated[float, ParameterQuantity("N*m/rad", at_least=0.0)]
    damping: Annotated[float, ParameterQuantity("N*m*s/rad", at_least=0.0)]


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

    def guide(self, graph: SuspensionGraph) -> None:
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
