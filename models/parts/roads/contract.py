"""Contract of roads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import TYPE_CHECKING

from ce_dynamics.algebra.arrays import Array, Scalar, array, sqrt
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
