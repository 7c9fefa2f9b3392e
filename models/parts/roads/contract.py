"""Contract of roads and of their friction; roads added up, shifted and turned."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, minimum, sqrt
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import Option, check_number, values_of
from ce_dynamics.models.parts.roads.grid import Grid, axes_of
from ce_dynamics.models.parts.rounding import smooth_step

if TYPE_CHECKING:
    from typing_extensions import Self

EDGE = 0.1
"""Default width over which friction changes [m]."""


class Friction(ABC):
    """Contract: `at` is positive and continuous, written on scalars and `where`."""

    @abstractmethod
    def at(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the friction coefficient μ."""


@dataclass(frozen=True, eq=False)
class SplitFriction(Friction):
    """One coefficient on the left of the line y, another on the right, with an edge of a width [m]."""

    left: float
    right: float
    y: float = 0.0
    edge: float = EDGE

    def __post_init__(self) -> None:
        check_number("split friction", "y", self.y)
        for name in ("left", "right", "edge"):
            check_number("split friction", name, getattr(self, name), above=0.0)

    def at(self, x: Scalar, y: Scalar) -> Scalar:
        return self.right + (self.left - self.right) * smooth_step(0.5 + (y - self.y) / self.edge)


@dataclass(eq=False)
class FrictionPatch(Friction):
    """A rectangle of another friction, for instance ice: ``mu`` from and to ``x`` and ``y`` [m].

    Friction is that ``around`` outside; it changes over the width ``edge`` within the rectangle [m].
    """

    mu: float
    x: Sequence[float]
    y: Sequence[float]
    around: float | Friction
    edge: float = EDGE

    def __post_init__(self) -> None:
        for name in ("mu", "edge", *("around",) * (not isinstance(self.around, Friction))):
            check_number("friction patch", name, getattr(self, name), above=0.0)
        self.x, self.y = self._ends("x", self.x), self._ends("y", self.y)

    @staticmethod
    def _ends(name: str, ends: Sequence[float]) -> tuple[float, float]:
        low, high = checks.vector(f"friction patch: {name}", ends, 2, DataError).tolist()
        if not low < high:
            raise DataError(f"friction patch: {name} from {low:g} to {high:g} m must be in rising order")
        return low, high

    def at(self, x: Scalar, y: Scalar) -> Scalar:
        inside: Scalar = 1.0
        for at, (low, high) in ((x, self.x), (y, self.y)):
            inside = inside * smooth_step((at - low) / self.edge) * smooth_step((high - at) / self.edge)
        around = self.around.at(x, y) if isinstance(self.around, Friction) else self.around
        return around + (self.mu - around) * inside


class FrictionMap(Friction):
    """Coefficients (n_x, n_y) on a regular grid, bilinear in between, those of the edges beyond them.

    ``x`` and ``y`` are the first coordinate and the spacing [m].
    """

    def __init__(
        self, values: ArrayLike, x: Sequence[float], y: Sequence[float], title: str = "friction map"
    ) -> None:
        title = checks.text("FrictionMap: title", title, DataError)
        mu = checks.numbers(title, values, DataError)
        if mu.ndim != 2 or min(mu.shape) < 2:
            raise DataError(f"{title}: an array of shape {mu.shape}; give two axes with two nodes at least")
        checks.limit_memory(f"{title}: values", 40.0 * mu.size, "cut the map, or make it coarser", DataError)
        wrong = ~(np.isfinite(mu) & (mu > 0.0))
        if wrong.any():
            first = tuple(int(k) for k in np.argwhere(wrong)[0])
            raise DataError(
                f"{title}: friction coefficients must be positive numbers; {first} is {mu[first]:g}, in all "
                f"{np.sum(wrong)} of {mu.size} are not"
            )
        along, across = axes_of(title, x, y, mu.shape)
        self.grid = Grid(mu, along, across, smooth=False)

    def at(self, x: Scalar, y: Scalar) -> Scalar:
        return self.grid.value(x, y)


class Road(ABC):
    """Contract of a road, in ground axes with z up.

    1. `height` is a once differentiable function of x and y; no overhangs.
    2. `slope` is its gradient, from which `normal` follows.
    3. `friction` is positive.
    4. All are written on scalars and `where`: they never branch on a value.
    5. `sharpness` is the largest curvature of the heights; it selects the contact method of tyres.
    6. A road that ends has a `margin`; beyond its edges heights go on somehow, and runs that get there end
       with a message that has the road's `title` and its `reach`.
    7. `options` are its numbers, which follow the friction in their order or by name; `values` has them.

    Friction is a positive coefficient, or its distribution.
    """

    title: str = "road"
    options: ClassVar[tuple[Option, ...]] = ()

    def __init__(self, friction: float | Friction, *given: Any, **values: Any) -> None:
        self._friction = check_friction(friction)
        bound = signature_of(self.options).bind(friction, *given, **values)
        named = {name: value for name, value in bound.arguments.items() if name != "friction"}
        self.values: Mapping[str, float] = values_of(self.title, self.options, named)
        self._prepare()

    def __init_subclass__(cls) -> None:
        """Let the class show its options as arguments."""
        if cls.options:
            cls.__signature__ = signature_of(cls.options)  # type: ignore[attr-defined]  # of `inspect`

    def _prepare(self) -> None:  # noqa: B027  # many roads need none
        """Check values against one another, and compute what follows from them."""

    @abstractmethod
    def height(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the z of the road [m]."""

    @abstractmethod
    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Return (∂z/∂x, ∂z/∂y)."""

    def normal(self, x: Scalar, y: Scalar) -> Array:
        z_x, z_y = self.slope(x, y)
        length = sqrt(1.0 + z_x * z_x + z_y * z_y)
        return array((-z_x / length, -z_y / length, 1.0 / length))

    def friction(self, x: Scalar, y: Scalar) -> Scalar:
        return self._friction.at(x, y) if isinstance(self._friction, Friction) else self._friction

    @property
    def reach(self) -> str:
        """Region that the road covers, for messages; empty if the road has no end."""
        return ""

    @property
    def given_friction(self) -> float | Friction:
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


def signature_of(options: Sequence[Option]) -> Signature:
    """Return friction and options as the arguments of a road."""
    kind, found = Parameter.POSITIONAL_OR_KEYWORD, {"friction": ("float | Friction", Parameter.empty)}
    for one in options:
        default = Parameter.empty if one.default is None else one.default
        found[one.name] = ("float" if one.unit else "str", default)
    return Signature([Parameter(name, kind, default=d, annotation=a) for name, (a, d) in found.items()])


def check_friction(friction: float | Friction) -> float | Friction:
    """Return a positive number, or a distribution of friction."""
    if isinstance(friction, Friction):
        return friction
    return check_number("road", "friction", friction, above=0.0)


class SumRoad(Road):
    """The heights of several roads, one on top of the other; their own friction does not count."""

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
    """A road whose origin is put at x, y, z [m], its x axis in a ``heading``, counted to the left [rad]."""

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
