"""Constraints that users write on points, directions and hinge coordinates of several bodies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, is_plain
from ce_dynamics.algebra.spatial import IDENTITY
from ce_dynamics.compiler.free_numbers import is_free
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_vector

if TYPE_CHECKING:
    from ce_dynamics.mechanism.components import FunctionCoordinate


class View(ABC):
    """What a written constraint may ask of the positions of its bodies.

    Points and directions are named in the design pose, answers are in the axes of ``frame``; all bodies,
    frames too, must be among those the constraint was declared for.
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
                f"constraint {self.name!r} looks at body {checks.shown(name)}, for which it was not "
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


class DesignView(View):
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


@dataclass(frozen=True, eq=False)
class Written:
    """A cut edge made by a constraint that a user wrote.

    Attributes
    ----------
    name : str
    bodies : tuple of Body
        All bodies it looks at, frames too.
    hinged : tuple of Body
        Those whose hinge coordinates it asks for.
    function : callable
        Residuals (scalar or sequence) from a `View`.
    rows : int
        How many.
    independent : tuple of str
        Bodies whose inboard hinges are to be independent.
    leading : tuple of FunctionCoordinate
        Further independent coordinates: components of hinges, functions of positions.
    """

    name: str
    bodies: tuple[Body, ...]
    hinged: tuple[Body, ...]
    function: Callable[[Any], Any]
    rows: int
    independent: tuple[str, ...]
    leading: tuple[FunctionCoordinate, ...] = ()

    kind: ClassVar[str] = "Written"

    @property
    def body_a(self) -> Body:
        """The first of the bodies."""
        return self.bodies[0]

    @property
    def body_b(self) -> Body:
        """The last of the bodies."""
        return self.bodies[-1]

    @property
    def tops(self) -> tuple[Body, ...]:
        """Bodies below which nothing needs to be known."""
        return (*self.bodies, *(body.carrier for body in self.hinged))

    def residual(self, view: View) -> Array:
        """Residuals (rows,)."""
        return residuals(self.function(view))


def residuals(result: Any) -> Array:
    """What a user's function returned, as a vector."""
    if isinstance(result, np.ndarray):
        return array(result.ravel())
    return array(result if isinstance(result, (list, tuple)) else (result,))


def written(
    name: str,
    bodies: Sequence[Body],
    function: Callable[[Any], Any],
    independent: Sequence[str],
    leading: Sequence[FunctionCoordinate] = (),
) -> Written:
    """A written constraint, tried in the design pose.

    Raises
    ------
    ModelError
        If the function cannot be called, returns nothing, or what is no finite number.
    """
    owner = f"constraint {name!r}"
    checks.function(owner, function, " of a view")
    if not bodies:
        raise ModelError(f"{owner}: name the bodies it looks at")
    view = DesignView(name, bodies)
    with checks.calling(f"function of {owner}"):
        answer = function(view)
    values = residuals(answer)
    if not len(values) or answer is None:
        raise ModelError(f"{owner} returns nothing; return the residuals that must vanish")
    if not is_free(values):
        values = checks.numbers(f"what {owner} returns", values)
    if not view.asked:
        raise ModelError(
            f"{owner} returns {values.tolist()} without asking where anything is; compute what must vanish "
            "from see.point, see.direction or see.coordinate"
        )
    if is_plain(values) and not np.all(np.isfinite(values)):
        raise ModelError(f"{owner} is {values.tolist()} in the design pose; it must be finite there")
    return Written(
        name,
        tuple(bodies),
        tuple(view.hinged.values()),
        function,
        len(values),
        tuple(independent),
        tuple(leading),
    )
