"""Base class of closed-form linkages, with the hinges they expect and the closures they satisfy."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.compiler.free_numbers import is_free, nominal
from ce_dynamics.embedding.closures.closure_errors import ClosureErrors, joint_errors
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.edges import Cut, Joint, Link
from ce_dynamics.kinematics.reach import admissible_interval
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.nominal import at_nominal
from ce_dynamics.mechanism.system import System


class ClosedForm(Linkage):
    """A linkage built from hardpoints, which can describe itself to any formulation.

    Attributes
    ----------
    independent : str or None
        Body whose inboard hinge is the independent coordinate; None if that hinge belongs to another linkage.
    """

    independent: str | None = None

    @abstractmethod
    def joints(self) -> tuple[Joint, ...]:
        """Hinges of the spanning tree, carriers before the bodies they carry."""

    @abstractmethod
    def cuts(self) -> tuple[Cut, ...]:
        """Closures of the cut edges."""

    def couplings(self) -> tuple[Link, ...]:
        """Couplings of hinges it satisfies besides the cuts; none for most linkages."""
        return ()

    def close(self, system: System) -> None:
        """Close its loops in a system that has its bodies, and let it solve them.

        Raises
        ------
        ModelError
            If the system lacks a body or has a closure of the same name.
        """
        for cut in self.cuts():
            system.close_loop(*cut)
        for link in self.couplings():
            system.couple(*link)
        system.use_linkage(self)

    def hinges(self) -> dict[str, Hinge]:
        """Hinge that each body of the linkage must be added with."""
        return {joint.body: joint.hinge for joint in self.joints()}

    def margin(self, motion: SubgraphMotion) -> float:
        """Sine of the smallest angle to a dead point, 1 if there is none, in a solved motion of floats."""
        return 1.0

    @cached_property
    def _reach(self) -> tuple[float, float] | None:
        if self.independent is None:
            return None
        return admissible_interval(at_nominal(self), self.independent)

    @property
    def has_free_geometry(self) -> bool:
        return at_nominal(self) is not self

    def reach(self) -> tuple[float, float] | None:
        """Interval of the independent coordinate, around zero, in which the linkage can be assembled.

        Whatever the linkage attaches to outside itself is at its design position, and free hardpoints are at
        their nominal values.  Infinite if every position of a full turn can be reached; None if the linkage
        has no independent coordinate of its own.
        """
        return self._reach


def rows_of(cut: Cut) -> Callable[[SubgraphMotion], ClosureErrors]:
    """Return the rows of a cut along a motion."""
    return lambda motion: joint_errors(motion, cut.body_a, cut.body_b, cut.closure)


def expect_hinge(motion: SubgraphMotion, name: str, expected: Hinge) -> Hinge:
    """The inboard hinge of a body, which must have the geometry that a linkage was built for.

    Raises
    ------
    ModelError
        If the body was added with another hinge.
    """
    actual = motion.hinge(name)
    if actual is not expected and not same_hinge(actual, expected):
        raise ModelError(
            f"body {name!r}: its hinge {described(actual)} is not the one its linkage was built for, "
            f"{described(expected)}; add the body with linkage.hinges()[{name!r}]"
        )
    return actual


def same_hinge(one: Hinge, other: Hinge) -> bool:
    """Return True if two hinges are of one kind and have the same geometry."""
    if type(one) is not type(other):
        return False
    ours, theirs = geometry(one), geometry(other)
    return all(map(same_entry, entries(ours), entries(theirs)))


def entries(geometry: dict[str, Array]) -> list[Scalar]:
    """All numbers of a hinge's geometry."""
    return [entry for value in geometry.values() for entry in value]


def same_entry(one: Scalar, other: Scalar) -> bool:
    """Return True if two numbers are the same but for rounding.

    Free ones are the same if their formulas are.
    """
    if is_free((one, other)):
        return one is other
    return bool(abs(one - other) <= 1e-12)


def geometry(hinge: Hinge) -> dict[str, Array]:
    """Points and axes of a hinge."""
    return {key: value for key, value in vars(hinge).items() if isinstance(value, np.ndarray)}


def described(hinge: Hinge) -> str:
    """A hinge in words, for messages."""
    values = ", ".join(
        f"{key}={np.round(nominal(value), 6).tolist()}" for key, value in geometry(hinge).items()
    )
    return f"{type(hinge).__name__}({values})"
