"""Pitman steering: arm, link and idler arm in a plane of their own."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import model_validator

from ce_dynamics.algebra.arrays import Array, Scalar, array, cos, cross, dot, norm, sin
from ce_dynamics.algebra.rotation import rotate_about
from ce_dynamics.compiler.free_numbers import decide
from ce_dynamics.errors import DataError
from ce_dynamics.kinematics.pitman import PitmanSteering
from ce_dynamics.kinematics.rotation_to_distance import RotationToDistance
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import ParameterQuantity, Point, inertia_matrix
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.vehicles.bodies import (
    SMALLEST_LENGTH,
    BodyData,
    BodyParameters,
    Vector,
    add_rigid_body,
    massless,
)
from ce_dynamics.models.vehicles.steering.base import LedData, Steering

if TYPE_CHECKING:
    from typing_extensions import Self


class IdlerJointData(Section):
    """Spring and damper along the axis; `reaction_error` is 1 for Chrono's joint, 0 for a right one."""

    stiffness: Annotated[float, ParameterQuantity("N/m", above=0.0)]
    damping: Annotated[float, ParameterQuantity("N*s/m", at_least=0.0)]
    reaction_error: Annotated[float, ParameterQuantity("1", at_least=0.0)]


@dataclass(eq=False)
class IdlerJoint(ForceElement):
    """The force along the idler arm's axis n that keeps the link's end at V in the plane of the arm.

    Chrono's joint (`ChLinkRevoluteSpherical`) keeps n · d = 0, d = V − W, W being the arm's pivot on the
    chassis at p from the chassis' centre of mass.  Where the link gets a force λ n at V, the chassis should
    get −λ n there: about its centre of mass λ n × (p + d).  It gets λ (n − d̂) × p, d̂ = d/|d|: so a moment

        −λ (d̂ × p + n × d)

    is left over that nothing else gets.  ``reaction_error`` scales it.  Points are those of the design pose.
    """

    name: str
    chassis: Body
    link: Body
    W: Array
    V: Array
    n: Array
    data: IdlerJointData
    outputs = MappingProxyType({"axial_force": "N"})

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.link, self.V), (self.chassis, self.W))

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        chassis, data = self.chassis, self.data
        p = observer.point(chassis, self.W, chassis).r
        end = observer.point(self.link, self.V, chassis)
        n = observer.direction(chassis, self.n, chassis)
        d = end.r - p
        off = dot(n, d)
        force = -data.stiffness * off - data.damping * dot(n, end.v)
        over = -data.reaction_error * force * (cross(d / norm(d), p) + cross(n, d))
        return Response(
            (
                PointLoad(self.link, chassis, end.r, force * n),
                PointLoad(chassis, chassis, end.r, -force * n, over),
            ),
            outputs={"axial_force": force},
            potential=0.5 * data.stiffness * off * off,
        )


class PitmanData(LedData):
    """Pitman steering in its own frame: at `origin`, turned by `tilt` about +y; all axes along the frame's z.

    T U is the Pitman arm (T on the chassis), W V the idler arm (W on the chassis), U V the link.  An idler
    arm that is left out has no mass; with an `idler_joint` it yields along its axis, and the link tilts at U
    about the direction of the arms.
    """

    origin: Point
    tilt: Annotated[float, ParameterQuantity("rad")]
    T: Point
    U: Point
    V: Point
    W: Point
    max_angle: Annotated[float, ParameterQuantity("rad", above=0.0, below=math.pi / 2)]
    pitman_arm: BodyData
    idler_arm: BodyData | None = None
    idler_joint: IdlerJointData | None = None
    link: BodyData

    @model_validator(mode="after")
    def _one_idler(self) -> PitmanData:
        if self.idler_arm is not None and self.idler_joint is not None:
            raise ValueError("idler_joint: of an idler arm without mass; leave out idler_joint or idler_arm")
        return self


@dataclass(frozen=True, eq=False)
class Pitman(Steering):
    """Pitman steering in vehicle coordinates.

    `origin` and `R` place the steering frame (columns of R are its axes); `axis` is its z axis, about which a
    positive angle turns the Pitman arm.  `T`, `W` are chassis points, `U`, `V` the ends of the link.

    The arms point forward and the tie rods lie behind the wheel centres: an arm that turns to the left moves
    the link to the left and the wheels' rears with it, which steers to the right.
    """

    template = "pitman"
    section = PitmanData

    data: PitmanData
    origin: Vector
    R: Vector
    axis: Vector
    T: Vector
    U: Vector
    V: Vector
    W: Vector
    pitman_arm: BodyParameters
    idler_arm: BodyParameters
    link: BodyParameters
    idler_joint: IdlerJointData | None

    @classmethod
    def of(cls, data: PitmanData) -> Self:
        c, s = cos(data.tilt), sin(data.tilt)
        R = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])  # about +y
        origin = np.array(data.origin)
        for first, second in (("T", "U"), ("W", "V"), ("U", "V"), ("T", "W")):
            a, b = np.array(getattr(data, first)[:2]), np.array(getattr(data, second)[:2])
            together = f"steering: {first} and {second} lie on one axis; they must be 1 mm apart or more"
            if decide(magnitude(a - b) < SMALLEST_LENGTH, together):
                raise DataError(together)

        def place(b: BodyData) -> BodyParameters:
            return BodyParameters(b.mass, origin + R @ np.array(b.com), R @ inertia_matrix(b.inertia) @ R.T)

        points = {name: origin + R @ np.array(getattr(data, name)) for name in "TUVW"}
        return cls(
            data,
            origin=origin,
            R=R,
            axis=R[:, 2],
            **points,
            pitman_arm=place(data.pitman_arm),
            idler_arm=massless(points["W"]) if data.idler_arm is None else place(data.idler_arm),
            link=place(data.link),
            idler_joint=data.idler_joint,
        )

    def add(self, system: System, chassis: Body) -> Body:
        tilting = self.idler_joint is not None
        in_plane = f"{self.name}.{'bar' if tilting else 'link'}"
        linkage = PitmanSteering(
            self.T,
            self.U,
            self.V,
            self.W,
            self.axis,
            arm=f"{self.name}.pitman_arm",
            link=in_plane,
            idler=f"{self.name}.idler_arm",
            chassis=chassis.name,
        )
        for joint in linkage.joints():
            part = joint.body.removeprefix(f"{self.name}.")
            armature = self.armature() if part == "pitman_arm" else None
            body = massless(self.U) if part == "bar" else getattr(self, part)
            add_rigid_body(system, joint.body, body, joint.carrier, joint.hinge, armature)
        linkage.close(system)
        self.lead(system, system.find(f"{self.name}.pitman_arm"))
        bar = system.find(in_plane)
        if self.idler_joint is None:
            return bar
        link = add_rigid_body(system, f"{self.name}.link", self.link, bar, Revolute(self.R[:, 0], at=self.U))
        of_arm = self.W, self.V, self.axis
        system.add_force(IdlerJoint(f"{self.name}.idler_joint", chassis, link, *of_arm, self.idler_joint))
        return link

    def move_point(self, point: Vector, steering: float) -> Vector:
        angle = steering * self.gain
        T, U, V, W = self.T, self.U, self.V, self.W
        idler_hinge = Revolute(self.axis, at=W)
        idler = RotationToDistance(idler_hinge, V, U, "steering idler arm", "VU")
        n = idler_hinge.axis
        U_now = T + rotate_about(n, math.cos(angle), math.sin(angle), U - T)
        c, s = idler.configuration(U_now - W)
        V_now = W + rotate_about(n, c, s, V - W)
        before, now = (d - n * (n @ d) for d in (V - U, V_now - U_now))
        c, s = before @ now, n @ cross(before, now)
        length = magnitude(array((c, s)))
        return U_now + rotate_about(n, c / length, s / length, point - U)

    def bodies(self) -> tuple[BodyParameters, ...]:
        return self.pitman_arm, self.idler_arm, self.link
