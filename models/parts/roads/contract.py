"""Contract of roads, and roads added up, shifted and turned."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, minimum, sqrt
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import check_number
from ce_dynamics.models.parts.roads.friction import Friction

if TYPE_CHECKING:
    from typing_extensions import Self


class Road(ABC):
    """Contract of a road, in ground axes with z up.

    1. `height` is a once differentiable function of x and y; no overhangs.
    2. `slope` is its gradient, from which `normal` follows.
    3. `friction` is positive.
    4. All are written on scalars and `where`: they never branch on a value.
    5. `sharpness` is the largest curvature of the heights; it selects the contact method of tyres.
    6. A road that ends has a `margin`; beyond its edges heights go on somehow, and runs that get there end
       with a message that has the road's `title` and its `reach`.

    Parameters
    ----------
    friction : float or Friction
        Friction coefficient, positive, or how it is distributed.
    """

    title: str = "road"

    def __init__(self, friction: float | Friction) -> None:
        self._friction = check_friction(friction)

    @abstractmethod
    def height(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the z of the road [m]."""

    @abstractmethod
    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Return (∂z/∂x, ∂z/∂y)."""

    def normal(self, x: Scalar, y: Scalar) -> Array:
        """Return the upward unit normal (3,)."""
        z_x, z_y = self.slope(x, y)
        length = sqrt(1.0 + z_x * z_x + z_y * z_y)
        return array((-z_x / length, -z_y / length, 1.0 / length))

    def friction(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the friction coefficient μ."""
        return self._friction.at(x, y) if isinstance(self._friction, Friction) else self._friction

    @property
    def reach(self) -> str:
        """Region that the road covers, for messages; empty if the road has no end."""
        return ""

    @property
    def given_friction(self) -> float | Friction:
        """The friction coefficient, or its distribution."""
        return self._friction

    def with_friction(self, friction: float | Friction) -> Self:
        """Return the same heights with another friction."""
        other = copy(self)
        other._friction = check_friction(friction)
        return other

    @property
    def even_friction(self) -> float | None:
        """The friction coefficient, if it is the same everywhere."""
        return None if isinstance(self._friction, Friction) else self._friction

    @property
    def sharpness(self) -> float:
        """Largest second derivative of the heights [1/m]; zero for planes."""
        return 0.0

    def margin(self, x: Scalar, y: Scalar) -> Scalar | None:
        """Return the distance from the nearest edge [m], negative beyond it; None for a road without end."""
        return None


def check_friction(friction: float | Friction) -> float | Friction:
    """Return a positive number, or a distribution of friction."""
    if isinstance(friction, Friction):
        return friction
    return check_number("road", "friction", friction, above=0.0)


class SumRoad(Road):
    """The heights of several roads, one on top of the other.

    Parameters
    ----------
    friction : float or Friction
        Friction coefficient, positive; that of the parts does not count.
    parts : sequence of Road
    """

    def __init__(self, friction: float | Friction, parts: Sequence[Road]) -> None:
        super().__init__(friction)
        self.parts = tuple(
            checks.instance("SumRoad: parts", part, Road, "a road", DataError)
            for part in checks.items("SumRoad: parts", parts, error=DataError)
        )
        if not self.parts:
            raise DataError("SumRoad: parts: a sum of roads needs one road at least")
        self.title = " + ".join(part.title for part in self.parts)

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        total: Scalar = 0.0
        for part in self.parts:
            total = total + part.height(x, y)
        return total

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        z_x: Scalar = 0.0
        z_y: Scalar = 0.0
        for part in self.parts:
            by_x, by_y = part.slope(x, y)
            z_x, z_y = z_x + by_x, z_y + by_y
        return z_x, z_y

    @property
    def sharpness(self) -> float:
        return sum(part.sharpness for part in self.parts)

    @property
    def reach(self) -> str:
        return "; ".join(dict.fromkeys(part.reach for part in self.parts if part.reach))

    def margin(self, x: Scalar, y: Scalar) -> Scalar | None:
        least: Scalar | None = None
        for part in self.parts:
            own = part.margin(x, y)
            if own is not None:
                least = own if least is None else minimum(least, own)
        return least


class PlacedRoad(Road):
    """A road whose own origin and axes are put somewhere else.

    Parameters
    ----------
    road : Road
    x, y, z : float
        Where its origin is put [m].
    heading : float
        Direction of its x axis [rad], counted to the left.
    """

    def __init__(
        self, road: Road, x: float = 0.0, y: float = 0.0, z: float = 0.0, heading: float = 0.0
    ) -> None:
        super().__init__(1.0)  # not used: friction is the road's, where it is put
        self.road = checks.instance("PlacedRoad: road", road, Road, "a road", DataError)
        self.title = road.title
        self.x, self.y, self.z = (
            check_number("placed road", name, value) for name, value in (("x", x), ("y", y), ("z", z))
        )
        self.heading = check_number("placed road", "heading", heading)
        self._c, self._s = math.cos(self.heading), math.sin(self.heading)

    def to_own_axes(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Return a point in the axes of the road that was placed."""
        dx, dy = x - self.x, y - self.y
        return self._c * dx + self._s * dy, self._c * dy - self._s * dx

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return self.z + self.road.height(*self.to_own_axes(x, y))

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        along, across = self.road.slope(*self.to_own_axes(x, y))
        return self._c * along - self._s * across, self._s * along + self._c * across

    def friction(self, x: Scalar, y: Scalar) -> Scalar:
        return self.road.friction(*self.to_own_axes(x, y))

    def with_friction(self, friction: float | Friction) -> Self:
        """Return the same with another friction, distributed as where the road comes from."""
        other = super().with_friction(1.0)
        other.road = self.road.with_friction(friction)
        return other

    @property
    def sharpness(self) -> float:
        return self.road.sharpness

    def margin(self, x: Scalar, y: Scalar) -> Scalar | None:
        return self.road.margin(*self.to_own_axes(x, y))
