"""Heights on a regular grid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar, minimum, where
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.friction import Friction
from ce_dynamics.models.parts.roads.grid import Axis, Grid, axes_of


class HeightMap(Road):
    """A road through heights at the nodes of a regular grid.

    Parameters
    ----------
    friction : float or Friction
        Friction coefficient, positive.
    heights : (n_x, n_y) array_like
        z at the nodes [m], along x in the first axis, to the left in the second.
    x, y : (float, float)
        First coordinate and spacing [m].
    smooth : bool
        Whether a cubic spline passes through the heights, whose slopes and curvatures are continuous (so
        that integrators keep their order), or straight lines, as OpenCRG has it.
    title : str
        For messages.
    approach : float
        How far the road continues before its first nodes, with their heights [m].

    Raises
    ------
    DataError
        If there are fewer than two nodes along an axis, or a height is not finite.

    Examples
    --------
    >>> road = HeightMap(0.8, [[0.0, 0.0], [0.1, 0.1], [0.0, 0.0]], x=(0.0, 1.0), y=(-2.0, 4.0))
    >>> round(road.height(1.0, 0.3), 12)
    0.1
    """

    def __init__(
        self,
        friction: float | Friction,
        heights: ArrayLike,
        x: Sequence[float],
        y: Sequence[float],
        smooth: bool = True,
        title: str = "height map",
        approach: float = 0.0,
    ) -> None:
        super().__init__(friction)
        title = checks.name_of("height map: title", title, DataError)
        smooth = checks.flag(f"{title}: smooth", smooth, DataError)
        z = checks.numbers(title, heights, DataError)
        if z.ndim != 2 or min(z.shape) < 2:
            raise DataError(f"{title}: an array of shape {z.shape}; give two axes with two nodes at least")
        checks.room(f"{title}: heights", 40.0 * z.size, "cut the map, or make it coarser", DataError)
        if not np.isfinite(z).all():
            first = tuple(int(k) for k in np.argwhere(~np.isfinite(z))[0])
            raise DataError(
                f"{title}: height {first} is {z[first]:g}, in all {np.sum(~np.isfinite(z))} of {z.size} are "
                "not finite; fill the gaps first, or cut the map"
            )
        self.title = title
        with np.errstate(over="ignore"):
            if not np.isfinite(np.ptp(z)):
                raise DataError(f"{title}: heights from {z.min():g} to {z.max():g} m are too far apart")
        along, across = axes_of(title, x, y, z.shape)
        self.grid = Grid(z, along, across, smooth)
        self.approach = check_number(title, "approach", approach, at_least=0.0)
        begun = np.concatenate([z[:1], z]) if self.approach > 0.0 else z
        self._sharpness = sharpness(begun, along, across)

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        return self.grid.value(x, y)

    def slope(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        along, across = self.grid.slope(x, y)
        return (where(x < self.grid.x.start, 0.0, along) if self.approach > 0.0 else along), across

    @property
    def sharpness(self) -> float:
        return self._sharpness

    @property
    def reach(self) -> str:
        along, across = self.grid.x, self.grid.y
        return (
            f"x from {along.start - self.approach:.6g} to {along.end:.6g} m, "
            f"y from {across.start:.6g} to {across.end:.6g} m"
        )

    def margin(self, x: Scalar, y: Scalar) -> Scalar:
        along = self.grid.x
        return minimum(
            minimum(x - (along.start - self.approach), along.end - x),
            self.grid.y.inside(y),
        )


def sharpness(z: Floats, x: Axis, y: Axis) -> float:
    """Largest second difference of heights [1/m]."""
    bends = [np.abs(np.diff(z, 2, axis=k)) / axis.step**2 for k, axis in enumerate((x, y))]
    return float(max((bend.max() for bend in bends if bend.size), default=0.0))
