"""Access of written constraints and functions of positions to the positions of a mechanism."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_vector


class ConstraintView(ABC):
    """Positions of the bodies of a written constraint.

    Points and directions are given in the design pose; results are in the axes of ``frame``.  The constraint
    must be declared for all bodies, including those given as frames.
    """

    def __init__(self, name: str, bodies: Sequence[Body]) -> None:
        self.name = name
        self.bodies = {body.name: body for body in bodies}
        self.asked = False

    def point(self, body: Body | str, at: ArrayLike, frame: Body | str) -> Array:
        """Position (3,) of a body-fixed point from the frame's centre of mass (ground: world origin) [m]."""
        there, here = self._declared(body), self._declared(frame)
        design = finite_vector(at, f"constraint {self.name!r}", "at")
        seen: Array = self._R(here).T @ (self._x(there, design) - self._x(here, here.com))
        return seen

    def direction(self, body: Body | str, axis: ArrayLike, frame: Body | str) -> Array:
        """A body-fixed direction (3,), as long as it was given."""
        there, here = self._declared(body), self._declared(frame)
        turned = self._R(there) @ finite_vector(axis, f"constraint {self.name!r}", "axis")
        seen: Array = self._R(here).T @ turned
        return seen

    def coordinate(self, body: Body | str, k: int = 0) -> Scalar:
        """Coordinate k of the body's inboard hinge [rad] or [m]."""
        there = self._declared(body)
        if there.is_ground or (
            there.inboard.velocity_of(checks.integer(f"constraint {self.name!r}: coordinate", k)) is None
        ):
            raise ModelError(
                f"constraint {self.name!r}: body {there.name!r} has no hinge coordinate {k} that is an angle "
                "or a displacement of its own; ask for points and directions"
            )
        return self._q(there, k)

    def _declared(self, body: Body | str) -> Body:
        self.asked = True
        name: object = body.name if isinstance(body, Body) else body
        if not isinstance(name, str) or name not in self.bodies:
            raise ModelError(
                f"constraint {self.name!r} looks at body {checks.show(name)}, for which it was not "
                f"declared; it was for {list(self.bodies)}"
            )
        return self.bodies[name]

    @abstractmethod
    def _R(self, body: Body) -> Array:
        """Body axes to common axes."""

    @abstractmethod
    def _x(self, body: Body, at: Array) -> Array:
        """Position of a point in common axes."""

    @abstractmethod
    def _q(self, body: Body, k: int) -> Scalar:
        """Hinge coordinate."""


class DesignView(ConstraintView):
    """The design pose.

    Attributes
    ----------
    hinged : dict of str to Body
        Bodies whose hinge coordinates were asked for.
    """

    def __init__(self, name: str, bodies: Sequence[Body]) -> None:
        super().__init__(name, bodies)
        self.hinged: dict[str, Body] = {}

    def _R(self, body: Body) -> Array:
        return IDENTITY

    def _x(self, body: Body, at: Array) -> Array:
        return at

    def _q(self, body: Body, k: int) -> Scalar:
        self.hinged[body.name] = body
        return float(body.inboard.neutral[k])


def residuals(result: Any) -> Array:
    """Return the result of a user's function as a vector."""
    if isinstance(result, np.ndarray):
        return array(result.ravel())
    return array(result if isinstance(result, (list, tuple)) else (result,))
