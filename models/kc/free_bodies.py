"""Free bodies of an axle: their balance under springs, bushings, joints and loads at the wheels.

Every body gets six small displacements δ = [turn; shift of the centre of mass] from where it is.  With the
reactions λ of the joints that stay ideal, G their rows, and loads at the wheels,

    f(δ, λ) = −(loads of springs, bushings and wheels) − Gᵀ λ = 0,    g(δ) = 0,

with ∂f/∂δ from compiled forward mode: preloads turn with the bodies, tables have the slope they have there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, array, concatenate, cross, skew, zeros
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.augmented.observer import AbsoluteObserver, hinge_pair, point_wrench
from ce_dynamics.augmented.rows import JoinedPoints, joint_rows, joints_of
from ce_dynamics.augmented.states import AT_REST, BodyState, point_of
from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.compiler.derivatives.compiled import compile_jacobian
from ce_dynamics.dynamics.outward import axes
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.elastic_joints import ElasticJoint
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad
from ce_dynamics.mechanism.forces.spring_damper import Bushing as BushingForce
from ce_dynamics.mechanism.parameters import bind
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.kc.rig import KCRig
from ce_dynamics.models.kc.wheel_geometry import contact

AT_CENTRE, AT_CONTACT, TORQUE = (slice(k, k + 3) for k in (0, 3, 6))
"""Parts of the nine loads of a wheel: a force at its centre, one at its contact centre, a torque."""


class Balance(NamedTuple):
    """The bodies where they are: missing forces f (6 n,), gaps g and rows G of the ideal joints.

    ``loads`` are those of springs, bushings and wheels; W, e (2, 3) wheel centres and spin axes.
    """

    f: Floats
    g: Floats
    G: Floats
    loads: Floats
    W: Floats
    e: Floats


class FreeBodies:
    """An axle whose bodies are free, held by springs, bushings and ideal joints.

    ``elastic`` are released joints with the elements that replace them.  ``bodies`` are in the order of δ,
    the wheels that turn on them left out; ``rows`` those of the joints that stay ideal.
    """

    def __init__(self, rig: KCRig, elastic: Sequence[ElasticJoint]) -> None:
        self.rig = rig
        wheels = {wheel.body for wheel in rig.axle.wheels}
        self.bodies = [body for body in rig.poses.moving() if body.name not in wheels]
        own = {body.name for body in self.bodies}
        self.all_joints = axle_joints(rig)
        soft = {one.joint for one in elastic}
        names = [joint.name for joint in self.all_joints]
        for name in soft - set(names):
            raise DataError(f"compliance: {name!r} is no joint of the axle; there are: {', '.join(names)}")
        self.joints = [joint for joint in self.all_joints if joint.name not in soft]
        self.rows = sum(condition.rows for joint in self.joints for condition in joint.conditions)
        self.elements: dict[str, ForceElement] = {
            **rig.poses.supports,
            **{one.element.name: one.element for one in elastic},
        }
        self.others = self._joined_at_rest(own)
        self.size = 6 * len(self.bodies)
        self.place = {body.name: 6 * k for k, body in enumerate(self.bodies)}
        self._compile()

    def _joined_at_rest(self, own: set[str]) -> list[Body]:
        """Return bodies that do not move, but are joined to those that do."""
        found: dict[str, Body] = {}
        ends = [body for joint in self.all_joints for body in (joint.parent, joint.child)]
        for element in self.elements.values():
            ends += [body for body, _ in element.attachments]
        for body in ends:
            while not body.is_ground:  # loads may be given in the axes of the common carrier of both ends
                if body.name not in own:
                    found[body.name] = body
                body = body.carrier
        return list(found.values())

    # Compiled functions

    def _compile(self) -> None:
        poses, every = self.rig.poses, [*self.bodies, *self.others]
        ground = self.rig.model.system.ground
        n = len(every)

        def place(c: Array) -> dict[str, Array]:
            outward = poses.model.instant(*poses.state(c)).outward
            return {
                "R": array(axes(outward, body) for body in every).reshape(n, 3, 3),
                "r": array(outward.point(body, body.com, ground).r for body in every),
            }

        parameters = self.rig.model.layout.parameters

        def balance(
            R: Array, r: Array, delta: Array, force: Array, wheels: Array, p: Sequence[Array] = ()
        ) -> dict[str, Array]:
            bind(parameters, array(p), (R,))
            states = self._states(every, R, r, delta)
            W = array(
                point_of(carrier, states[carrier.name], hinge.at_parent)[0]
                for carrier, hinge in zip(poses.carriers, poses.hinges, strict=True)
            )
            e = array(
                states[carrier.name].R @ axis
                for carrier, axis in zip(poses.carriers, poses.spin_axes, strict=True)
            )
            loads = self._loads(states) + self._wheel_loads(states, W, e, wheels)
            G = zeros(self.rows, self.size).astype(object)
            gaps: list[Array] = []
            row = 0
            for joint in self.joints:
                rows = joint_rows(joint, states)
                for body, block in zip((joint.parent, joint.child), rows.blocks.values(), strict=True):
                    if body.name in self.place:
                        at = self.place[body.name]
                        G[row : row + len(block), at : at + 6] = block
                row += len(rows.g)
                gaps.append(rows.g)
            g = concatenate(gaps) if gaps else zeros(0)
            W_0 = array(array(hinge.at_parent) for hinge in poses.hinges)
            carried = array(states[carrier.name].R for carrier in poses.carriers)
            more = {"W_0": W_0, "axes": carried} if parameters else {}
            return {"f": -loads - G.T @ force, "g": g, "G": G, "loads": loads, "W": W, "e": e, **more}

        sizes: dict[str, int | tuple[int, ...]] = {
            "R": (n, 3, 3),
            "r": (n, 3),
            "delta": self.size,
            "force": self.rows,
            "wheels": (2, 9),
            **({"p": len(parameters)} if parameters else {}),
        }
        self._placed = compile_function(trace("bodies of the axle", place, {"c": poses.size}))
        self.traced = trace("balance of the axle", balance, sizes)
        self._balance = compile_function(self.traced)
        self._stiffness = compile_jacobian(self.traced, "f", "delta")
        self._nothing = np.zeros(self.size)

    def _states(self, bodies: Sequence[Body], R: Array, r: Array, delta: Array) -> dict[str, BodyState]:
        """Return bodies displaced by δ, to first order; the others where they are."""
        states = {"ground": AT_REST}
        for k, body in enumerate(bodies):
            turned, moved = R[k], r[k]
            if body.name in self.place:
                at = self.place[body.name]
                turned = (IDENTITY + skew(delta[at : at + 3])) @ turned
                moved = moved + delta[at + 3 : at + 6]
            states[body.name] = BodyState(turned, moved, zeros(3), zeros(3))
        return states

    def _loads(self, states: Mapping[str, BodyState]) -> Array:
        """Return wrenches of springs, bars and bushings on the bodies about their centres of mass."""
        model = self.rig.model
        observer = AbsoluteObserver(states)
        x = model.layout.states_of(model.layout.split(model.y0)[2])
        u = model.layout.inputs_of(model.u0)
        total = {body.name: zeros(6) for body in self.bodies}
        for name, element in self.elements.items():
            for load in element.evaluate(observer, x.get(name, zeros(0)), u).loads:
                pairs = (
                    hinge_pair(load, observer)
                    if isinstance(load, HingeLoad)
                    else [point_wrench(load, states)]
                )
                for body, wrench in pairs:
                    if body.name in total:
                        total[body.name] = total[body.name] + wrench
        return concatenate([total[body.name] for body in self.bodies])

    def _wheel_loads(self, states: Mapping[str, BodyState], W: Array, e: Array, wheels: Array) -> Array:
        """Return wrenches of the loads at the wheels on their carriers; forces keep their directions."""
        total = {body.name: zeros(6) for body in self.bodies}
        for side, carrier in enumerate(self.rig.poses.carriers):
            load, radius = wheels[side], self.rig.axle.wheels[side].loaded_radius
            r = states[carrier.name].r
            torque = load[TORQUE] + cross(W[side] - r, load[AT_CENTRE])
            torque = torque + cross(contact(W[side], e[side], radius) - r, load[AT_CONTACT])
            wrench = concatenate((torque, load[AT_CENTRE] + load[AT_CONTACT]))
            total[carrier.name] = total[carrier.name] + wrench
        return concatenate([total[body.name] for body in self.bodies])

    # Results

    def place_all(self, c: Floats) -> tuple[Floats, Floats]:
        """Return axes (n, 3, 3) and centres of mass (n, 3) of all bodies in a pose of the ideal axle."""
        R, r = self._placed(c)
        return np.array(R), np.array(r)

    def at(self, R: Floats, r: Floats, force: Floats, wheels: Floats, p: Floats) -> list[Floats]:
        """Return inputs of the traced balance, nothing displaced."""
        return [R, r, self._nothing, force, wheels, *([p] if len(p) else [])]

    def balance(self, R: Floats, r: Floats, force: Floats, wheels: Floats, p: Floats) -> Balance:
        """Return the imbalance of the bodies at a place, under reactions and wheel loads."""
        found = self._balance(*self.at(R, r, force, wheels, p))
        return Balance(*(np.array(x) for x in found[: len(Balance._fields)]))

    def stiffness(self, R: Floats, r: Floats, force: Floats, wheels: Floats, p: Floats) -> Floats:
        """Return ∂f/∂δ (6 n, 6 n)."""
        return np.asarray(self._stiffness(*self.at(R, r, force, wheels, p)), dtype=float)

    def wheel_columns(self, r: Floats, W: Floats) -> Floats:
        """Return loads on the bodies by loads at the wheel centres: columns Fx Fy Fz Mx My Mz, twice."""
        columns = np.zeros((self.size, 12))
        for side, carrier in enumerate(self.rig.poses.carriers):
            at = self.place[carrier.name]
            arm = W[side] - r[at // 6]
            for axis, e in enumerate(np.eye(3)):
                columns[at : at + 3, 6 * side + axis] = np.cross(arm, e)
                columns[at + 3 : at + 6, 6 * side + axis] = e
                columns[at : at + 3, 6 * side + 3 + axis] = e
        return columns


def axle_joints(rig: KCRig) -> list[JoinedPoints]:
    """Return joints of the bodies that wheel travel moves, those of the wheels left out."""
    wheels = {wheel.body for wheel in rig.axle.wheels}
    own = {body.name for body in rig.poses.moving()} - wheels
    return [
        joint
        for joint in joints_of(rig.model.system)
        if {joint.parent.name, joint.child.name} & own and not {joint.parent.name, joint.child.name} & wheels
    ]


@dataclass(frozen=True, eq=False)
class Bushing:
    """An elastic joint between two bodies that a hinge or closure joins in the model.

    A joint may have several: an arm has one at each end of its axis.

    Attributes
    ----------
    between : pair of str
        Names of the bodies; the displacements are those of the second relative to the first.
    at : (3,) array_like
        Its centre in the design pose [m].
    axis : (3,) array_like
        Its z axis in the design pose.
    stiffness : (6,) array_like
        Along its x, y, z [N/m] and about them [N*m/rad].
    x_axis : (3,) array_like, optional
        A direction in its x-z plane; the vehicle's z axis, or where that is its own axis the x axis, if not
        given.
    """

    between: tuple[str, str]
    at: ArrayLike
    axis: ArrayLike
    stiffness: ArrayLike
    x_axis: ArrayLike | None = None

    def __post_init__(self) -> None:
        for name in checks.items("bushing: between", self.between, 2, DataError):
            checks.text("bushing: between", name, DataError)
        checks.vector(f"bushing {self.between}: at", self.at, 3, DataError)
        if np.any(checks.vector(f"bushing {self.between}: stiffness", self.stiffness, 6, DataError) < 0.0):
            raise DataError(
                f"bushing {self.between}: stiffness {checks.show(self.stiffness)} must be at least 0"
            )
        self.frame()

    def frame(self) -> Floats:
        """Return its axes as columns."""
        z = checks.finite_array(f"bushing {self.between}: axis", self.axis, (3,), DataError)
        size = float(np.linalg.norm(z))
        if not size > 0.0:
            raise DataError(f"bushing {self.between}: axis is zero")
        z = z / size
        given = self.x_axis
        if given is None:
            given = (0.0, 0.0, 1.0) if abs(z[2]) < 0.9 else (1.0, 0.0, 0.0)
        x = checks.finite_array(f"bushing {self.between}: x_axis", given, (3,), DataError)
        x = x - z * (z @ x)
        if not np.linalg.norm(x) > 1e-6:
            raise DataError(f"bushing {self.between}: x_axis lies along its axis")
        x = x / np.linalg.norm(x)
        return np.stack((x, np.cross(z, x), z), axis=1)

    def element(self, name: str, system: System) -> BushingForce:
        """Return the force element that stands for it in a system."""
        one, other = (system.find(body) for body in self.between)
        k = np.asarray(self.stiffness, dtype=float).tolist()
        return BushingForce(name, one, other, self.at, k, axes=self.frame())


def elastic_joint(rig: KCRig, bushing: Bushing, number: int) -> ElasticJoint:
    """Return the joint of an axle that a bushing stands for."""
    names = {*bushing.between}
    joints = axle_joints(rig)
    for joint in joints:
        if {joint.parent.name, joint.child.name} == names:
            return ElasticJoint(joint.name, bushing.element(f"bushing {number}", rig.model.system))
    pairs = ", ".join(f"{joint.parent.name} and {joint.child.name}" for joint in joints)
    raise DataError(f"no joint of the axle is between {' and '.join(bushing.between)}; there are: {pairs}")
