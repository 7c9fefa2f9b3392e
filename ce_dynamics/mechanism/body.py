"""Rigid bodies and the tree that they form."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import Checked
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.inertia import PrincipalInertia, principal_inertia


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: its inertia and the hinge that carries it.

    The body frame has its origin at the centre of mass and the world's axes in the design pose.

    Attributes
    ----------
    name : str
    mass : float
        [kg]; zero is allowed if other bodies determine its motion (a massless rod of a linkage).
    com : (3,) array
        Centre of mass in the design pose [m].
    inertia : (3, 3) array
        About the centre of mass, in design axes [kg m²].
    parent : Body or None
        Body that carries the inboard hinge; None for the ground.
    hinge : Hinge or None
        Inboard hinge; None for the ground.
    index : int
        Position in the system; a parent precedes its children.
    armature : (n_v,) array
        Inertia of the hinge's own velocities [kg m²] or [kg]; empty if it has none.
    """

    name: str
    mass: float
    com: Array
    inertia: Array
    parent: Body | None
    hinge: Hinge | None
    index: int = 0
    depth: int = field(default=0)
    armature: Array = field(default_factory=lambda: np.zeros(0))

    def __repr__(self) -> str:
        return f"Body({self.name!r})"

    @property
    def is_ground(self) -> bool:
        """True if this is the inertial frame."""
        return self.parent is None

    @property
    def carrier(self) -> Body:
        """The parent of a body that has one."""
        assert self.parent is not None, "the ground has no parent"
        return self.parent

    @property
    def inboard(self) -> Hinge:
        """The inboard hinge of a body that has one."""
        assert self.hinge is not None, "the ground has no hinge"
        return self.hinge

    @property
    def has_armature(self) -> bool:
        """True if the inboard hinge has armature."""
        return len(self.armature) > 0

    @cached_property
    def principal(self) -> PrincipalInertia:
        """The inertia in the form that is cheap to turn."""
        return principal_inertia(self.inertia)

    def local(self, at: Array) -> Array:
        """Return a design point relative to the centre of mass."""
        return np.asarray(at) - self.com


BodyField: TypeAlias = Checked[Body, Body]


def body_field() -> BodyField:
    """Return a field for a body, which stays."""
    return Checked(check_body, "Body", fixed=True)


def check_body(value: object, owner: str, what: str = "body") -> Body:
    """Return a checked body, without a system in which to look up names."""
    named = f"; system.find({value!r}) is the body of that name" if isinstance(value, str) else ""
    return checks.instance(f"{owner}: {what}", value, Body, f"a body, as System.add_body returns it{named}")


def ground_of(body: Body) -> Body:
    """Return the inertial frame that carries a body in the end."""
    while body.parent is not None:
        body = body.parent
    return body


def two_bodies(owner: str, body_a: object, body_b: object) -> tuple[Body, Body]:
    """Return the two different bodies of one system that something lies between."""
    a, b = check_body(body_a, owner, "body_a"), check_body(body_b, owner, "body_b")
    if a is b:
        raise ModelError(f"{owner}: both ends are on body {a.name!r}; name two different bodies")
    if ground_of(a) is not ground_of(b):
        raise ModelError(f"{owner}: bodies {a.name!r} and {b.name!r} belong to different systems")
    return a, b


def ancestors(body: Body) -> list[Body]:
    """Return the body and its ancestors, up to the ground."""
    chain = [body]
    while chain[-1].parent is not None:
        chain.append(chain[-1].parent)
    return chain


def carries(a: Body, b: Body) -> bool:
    """Return True if a body is another one or its ancestor."""
    while b is not a and b.depth > a.depth:
        b = b.carrier
    return b is a


def common_ancestor(a: Body, b: Body) -> Body:
    """Return the lowest common ancestor of two bodies."""
    if a.is_ground or b.is_ground:
        return a if a.is_ground else b
    while a is not b:  # the deeper one goes on, so that this is over after the bodies between the two
        if a.depth >= b.depth:
            a = a.carrier
        else:
            b = b.carrier
    return a


def chain_between(body: Body, carrier: Body) -> list[Body]:
    """Return a body and its ancestors up to the given one, which is included."""
    chain = [body]
    while chain[-1] is not carrier:
        chain.append(chain[-1].carrier)
    return chain
