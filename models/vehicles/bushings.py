"""Bushings of a vehicle as built: joints that are found by their names, and what stands for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import cross
from ce_dynamics.augmented.rows import JoinedPoints, joints_of
from ce_dynamics.compiler.free_numbers import is_free, nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.couplings.cut_edge import joints_in
from ce_dynamics.mechanism.elastic_joints import HINGE_OF, ElasticJoint
from ce_dynamics.mechanism.forces.laws import Law, Tabulated
from ce_dynamics.mechanism.forces.spring_damper import Bushing, SpringDamper
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.closures import Distance
from ce_dynamics.mechanism.hinges.conditions import Closure
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.bodies import Vector
from ce_dynamics.models.vehicles.bushing_data import (
    ABOUT,
    ALONG,
    AboutData,
    AlongData,
    BushingData,
    BushingItem,
)

if TYPE_CHECKING:
    from ce_dynamics.models.vehicles.corner import Corner
    from ce_dynamics.models.vehicles.layout import AxleLayout
    from ce_dynamics.models.vehicles.sections import CornerData


STRUT = " strut"
"""End of the name of the closure that holds a strut's line."""


def closure_of(system: System, joint: JoinedPoints) -> Closure:
    """Return the hinge or closure of a joint."""
    if joint.name.startswith(HINGE_OF):
        return joint.child.inboard
    return next(edge.closure for edge in joints_in(system.closures) if edge.name == joint.name)


UPRIGHT = 0.9
"""Vertical part of a unit vector above which an axis counts as vertical."""
FARTHEST = 0.02
"""Largest distance of a bushing from the point or axis of its joint [m]."""
MIRROR = np.diag((1.0, -1.0, 1.0))


@dataclass(frozen=True, eq=False)
class VehicleBushing:
    """A bushing of one corner in vehicle coordinates, its laws and coefficients by axis.

    ``unit`` is the sprung body that the corner is on; ``side`` is 1 left, −1 right.
    """

    name: str
    axle: str
    corner: str
    unit: str
    mechanism: str
    item: BushingItem
    side: int
    stiffness: Mapping[str, Law | float]
    damping: Mapping[str, float]
    at: Vector | None
    through: Vector | None
    mode: str = "quasi-static"
    strut: tuple[Vector, Vector] | None = None
    """Top mount and another point of a strut's line, where the corner has one."""

    @classmethod
    def of(
        cls,
        item: BushingItem,
        axle: AxleLayout,
        corner: Corner,
        data: CornerData,
        mode: str,
    ) -> VehicleBushing:
        written: BushingData = getattr(data, item.name)
        key = f"{item.file}{axle.name}.{item.name}"
        given = {axis: getattr(written, axis) for axis in (*ALONG, *ABOUT)}
        laws = {axis: law for axis, law in given.items() if law is not None}
        for axis, law in laws.items():
            if (law.stiffness is None) == (law.curve is None):
                raise DataError(f"{key}.{axis}: give either a stiffness or a curve")
            if law.damping is not None and mode != "dynamic":
                raise DataError(
                    f"{key}.{axis}.damping: it has no effect while bushings are quasi-static; leave it out, "
                    "or write bushings: dynamic"
                )
        if written.through is not None and written.at is None:
            raise DataError(f"{key}.through: without 'at' it has no effect; give both or none")
        M = np.eye(3) if corner.side > 0 else MIRROR
        left = M @ corner.origin
        return cls(
            f"{corner.name}.{item.name}",
            axle.name,
            corner.name,
            axle.trailer or "chassis",
            axle.mechanism,
            item,
            corner.side,
            {axis: law_of(law, f"{key}.{axis}") for axis, law in laws.items()},
            {axis: 0.0 if law.damping is None else law.damping for axis, law in laws.items()},
            None if written.at is None else M @ (left + np.array(written.at)),
            None if written.through is None else M @ (left + np.array(written.through)),
            mode,
            strut_of(corner),
        )

    @property
    def key(self) -> str:
        """Key of the bushing in the data file."""
        return f"{self.item.file}{self.axle}.{self.item.name}"

    @property
    def words(self) -> str:
        """Place in the data file that names the bushing's joint."""
        return f"{self.item.where}: bushings.{self.axle}.{self.item.name}"

    def find_joint(self, system: System, corner: str) -> JoinedPoints:
        """Return the joint at a corner that the data file names by one word, or by the bodies it joins."""
        found = [joint for joint in joints_of(system) if self._is_named(system, joint, corner)]
        if len(found) > 1:  # a link by its name is what closes the loop, not the body that shows it
            found = [joint for joint in found if not joint.name.startswith(HINGE_OF)] or found
        if not found:
            raise DataError(
                f"{self.words}: no joint {checks.show(' '.join(self.item.joint))}; there are "
                f"{self.list_known(system, corner)}"
            )
        if len(found) > 1:
            raise DataError(
                f"{self.words}: {checks.show(' '.join(self.item.joint))} are joined by "
                f"{', '.join(joint.name for joint in found)}; name one of them by its last word"
            )
        return found[0]

    def list_known(self, system: System, corner: str) -> str:
        """Return joints of the corner as files may name them."""
        owners = f"{corner}.", f"{self.axle}."
        found: dict[str, None] = {}
        for joint in joints_of(system):
            hinge = joint.name.startswith(HINGE_OF)
            if not joint.name.removeprefix(HINGE_OF).startswith(owners) or joint.child.name.endswith(
                ".wheel"
            ):
                continue
            mount = self.strut is not None and joint.name.endswith(STRUT)
            if not mount and not isinstance(closure_of(system, joint), (Hinge, Distance)):
                continue
            last = "_".join(joint.name.split()[1:])
            ends = " ".join(
                "steering" if body.name.startswith("steering.") else body.name.rpartition(".")[2]
                for body in (joint.parent, joint.child)
            )
            found[joint.child.name.rpartition(".")[2] if hinge else last or ends] = None
        return ", ".join(map(repr, found)) or "none"

    def _is_named(self, system: System, joint: JoinedPoints, corner: str) -> bool:
        owners = f"{corner}.", f"{self.axle}."
        if len(self.item.joint) == 2:
            one, other = (self._bodies(system, word, corner) for word in self.item.joint)
            a, b = joint.parent.name, joint.child.name
            return (a in one and b in other) or (a in other and b in one)
        (word,) = self.item.joint
        if joint.name.startswith(HINGE_OF):
            return joint.child.name in (f"{owner}{word}" for owner in owners)
        last = "_".join(joint.name.split()[1:])
        return joint.name in (f"{owner}{word}" for owner in owners) or (
            last in (word, f"{corner}.{word}") and joint.name.startswith(owners)
        )

    def _bodies(self, system: System, word: str, corner: str) -> set[str]:
        if word == "chassis":
            return {self.unit}
        if word == "steering":
            return {body.name for body in system.bodies if body.name.startswith(f"{self.mechanism}.")}
        return {f"{corner}.{word}", f"{self.axle}.{word}"}

    def elastic(self, system: System) -> list[ElasticJoint]:
        """Return the joint in a system with ideal joints, and its elastic parts; a strut's mount has two."""
        joint = self.find_joint(system, self.corner)
        closure = closure_of(system, joint)
        if isinstance(closure, Distance):
            return [ElasticJoint(joint.name, self._rod(joint))]
        if self.strut is not None and joint.name.endswith(STRUT):
            return self._mount(system, joint, *self.strut)
        if not isinstance(closure, Hinge):
            raise DataError(
                f"{self.words}: {joint.name!r} is a {type(closure).__name__}, which guides but does not "
                f"hold; known are {self.list_known(system, self.corner)}"
            )
        every = (*ALONG, *ABOUT)
        for axis in every:
            if axis not in self.stiffness:
                unit = "N/m" if axis in ALONG else "N*m/rad"
                raise DataError(
                    f"{self.key}.{axis}: missing; give its stiffness or curve, "
                    f"{axis}: {{stiffness: 0 {unit}}} if it moves freely"
                )
        at = joint.at_child if self.at is None else self.at
        self._check_near(at, joint, closure)
        laws, damping = ([given[axis] for axis in every] for given in (self.stiffness, self.damping))
        axes = self._axes(system, closure)
        element = Bushing(self.name, joint.parent, joint.child, at, laws, damping, axes=axes)
        return [ElasticJoint(joint.name, element)]

    def _mount(self, system: System, joint: JoinedPoints, top: Vector, below: Vector) -> list[ElasticJoint]:
        """Return a strut's top mount, two closures: it yields square to the strut, which slides and turns."""
        for name in ("z", *ABOUT, "at", "through"):
            if name in self.stiffness or getattr(self, name, None) is not None:
                raise DataError(
                    f"{self.key}.{name}: the strut slides along its line and turns in its mount at F, where "
                    "spring and damper have their own stiffness: give x and y, square to it, and leave the "
                    "rest out"
                )
        for name in ALONG[:2]:
            if name not in self.stiffness:
                raise DataError(
                    f"{self.key}.{name}: missing; give its stiffness or curve, square to the strut"
                )
        if self.mode == "dynamic":
            raise DataError(
                f"{self.words}: a strut's mount yields on the rig only; leave it out, or leave out "
                "bushings: dynamic"
            )
        across = self._across(unit(top - below))
        across[:, :2] *= -1.0  # displacements are the strut's in its mount, measured in the strut's axes
        laws = [*(self.stiffness[axis] for axis in ALONG[:2]), *[0.0] * 4]
        element = Bushing(self.name, joint.parent, joint.child, top, laws, axes=across)
        kingpin = next(
            other.name
            for other in joints_of(system)
            if other.parent.name == f"{self.corner}.kingpin" and other.child is joint.child
        )
        return [ElasticJoint(name, element) for name in (joint.name, kingpin)]

    def _check_near(self, at: Vector, joint: JoinedPoints, hinge: Hinge) -> None:
        """Refuse a bushing that wheel travel would strain: one that is not where the joint turns."""
        away = np.asarray(nominal(at - joint.at_child)).astype(float)
        axis = getattr(hinge, "axis", None)
        if axis is not None:
            n = np.asarray(nominal(axis)).astype(float)
            away = away - n * (n @ away)
        distance = float(np.linalg.norm(away))
        if not distance <= FARTHEST:
            what = "point" if axis is None else "axis"
            raise DataError(
                f"{self.key}.at: it is {1e3 * distance:.4g} mm from the {what} of {joint.name!r}, at most "
                f"{1e3 * FARTHEST:g} mm are allowed; give a place on it, or leave 'at' out"
            )

    def _rod(self, joint: JoinedPoints) -> SpringDamper:
        """Return a rod that gives way along its line."""
        for axis in (*ALONG[:2], *ABOUT, "at", "through"):
            if axis in self.stiffness or getattr(self, axis, None) is not None:
                raise DataError(
                    f"{self.key}.{axis}: {joint.name!r} is a rod with a ball joint at either end, which "
                    "gives way along its line only: give z, and leave the rest out"
                )
        if "z" not in self.stiffness:
            raise DataError(
                f"{self.key}.z: missing; give the stiffness of the rod along its line, or its curve"
            )
        ends = joint.parent, joint.at_parent, joint.child, joint.at_child
        return SpringDamper(self.name, *ends, spring=self.stiffness["z"], damper=self.damping["z"])

    def _axes(self, system: System, hinge: Hinge) -> Vector:
        """Return its axes as columns; on the right the mirror image of those on the left."""
        if self.at is not None and self.through is not None:
            along = self.through - self.at
            if not np.linalg.norm(nominal(along).astype(float)) > 1e-9:
                raise DataError(
                    f"{self.key}.through: it is the same point as 'at'; give another one on its axis"
                )
            return self._across(unit(along))
        own = getattr(hinge, "axis", None)
        if own is None:
            return self._across(np.array((0.0, 0.0, 1.0)))
        other = closure_of(system, self.find_joint(system, f"{self.axle}_left"))
        as_left = nominal(getattr(other, "axis", own))
        mirrored = self.side < 0 and float(nominal(own) @ MIRROR @ as_left) < 0.0
        return self._across(unit(-own if mirrored else own))

    def _across(self, z: Vector) -> Vector:
        """Return axes with a z axis: x as near to the vertical as can be, or forward."""
        upright = abs(float(nominal(z)[2])) < UPRIGHT
        x = np.array((0.0, 0.0, 1.0)) if upright else np.array((1.0, 0.0, 0.0))
        x = unit(x - z * (z @ x))
        return np.stack((x, self.side * cross(z, x), z), axis=1)


def refuse_free(bushings: Iterable[VehicleBushing]) -> None:
    """Refuse free parameters of bushings that do not yield."""
    for bushing in bushings:
        for axis, law in bushing.stiffness.items():
            if is_free(law):
                raise DataError(
                    f"{bushing.key}.{axis}.stiffness cannot be a free parameter of a vehicle that drives: "
                    "its joint is rigid there; write bushings: dynamic, or take it to the rig"
                )


def unit(v: Vector) -> Vector:
    """Return the unit vector along a vector, whose hardpoints may be free."""
    return np.asarray(v / magnitude(v))


def strut_of(corner: Corner) -> tuple[Vector, Vector] | None:
    """Return points F and S of a strut's line."""
    own = [one for one in corner.axle.joints if (one.name, one.owner) == ("strut", corner.name)]
    return (own[0].points[0], own[0].points[1]) if own and own[0].kind == "point-on-line" else None


def law_of(data: AlongData | AboutData, key: str) -> Law | float:
    """Return a number, or a monotone cubic through the points of a curve, with straight extrapolation."""
    if data.curve is None:
        assert data.stiffness is not None, "checked by `VehicleBushing.of`"
        return data.stiffness
    points = list(data.curve.model_dump().values())
    if any(is_free(x) for values in points for x in values):
        raise DataError(f"{key}.curve: its points cannot be free parameters; give a stiffness")
    x, y = points
    return Tabulated(x, y, interpolation="cubic")
