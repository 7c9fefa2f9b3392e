"""Fitting a simple tyre model to measured points with SciPy's least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.simple.base import SlipModel

Model = TypeVar("Model", bound=SlipModel)


class MeasuredPoints(NamedTuple):
    """Measured points in ISO axes; of forces that were not measured NaN, of slips that were not set 0.

    Attributes
    ----------
    Fz, kappa, alpha : array_like
        Load [N], slip, slip angle [rad].
    Fx, Fy, Mz : array_like
        Forces [N] and aligning moment [N m].
    """

    Fz: object
    kappa: object = 0.0
    alpha: object = 0.0
    Fx: object = float("nan")
    Fy: object = float("nan")
    Mz: object = float("nan")


@dataclass(frozen=True)
class TyreFit(Generic[Model]):
    """A fitted tyre.

    Attributes
    ----------
    model : SlipModel
        With the numbers found.
    changed : dict of str to float or tuple of float
        The numbers found.
    rms : dict of str to float
        Root mean square of what remains, in Fx, Fy [N] and Mz [N m].
    """

    model: Model
    changed: dict[str, float | tuple[float, ...]]
    rms: dict[str, float]


def fit(model: Model, vary: Sequence[str], points: MeasuredPoints, arm: float = 0.05) -> TyreFit[Model]:
    """Return the numbers of a simple tyre model that suit measured points best.

    Parameters
    ----------
    model : SlipModel
        From where the search starts, and with all numbers that are not varied.
    vary : sequence of str
        Names of the numbers to find; of a pair both.  They keep their signs.
    points : Points
    arm : float
        [m]; the moment counts as a force at this arm.

    Examples
    --------
    >>> import numpy as np
    >>> start = BrushTyre(
    ...     radius=0.3, cz=2e5, cx=3e5, cy=1.5e5, slip_stiffness=10.0, cornering_stiffness=10.0
    ... )
    >>> alpha = np.radians([-6.0, -3.0, -1.0, 1.0, 3.0, 6.0])
    >>> measured = Points(Fz=4000.0, alpha=alpha, Fy=-4000.0 * np.tanh(14.0 * alpha))
    >>> found = fit(start, ["mu", "cornering_stiffness"], measured)
    >>> round(found.model.cornering_stiffness, 1), round(found.model.mu, 2)  # doctest: +SKIP
    """
    from scipy.optimize import least_squares  # here, because most tyres are given

    checks.instance("model", model, SlipModel, "a simple tyre model, such as BrushTyre(...)", DataError)
    checks.instance("points", points, MeasuredPoints, "measured points: Points(Fz=..., ...)", DataError)
    arm = checks.number("arm", arm, above=0.0, error=DataError)
    known = [field.name for field in fields(model)]
    vary = checks.texts("vary", vary, DataError)
    if not vary:
        raise DataError(f"vary is empty; name numbers of the tyre, of {', '.join(known)}")
    for name in vary:
        checks.check_name("vary", name, known, "number of the tyre", DataError)
    table = stack_points(points)
    start = [np.atleast_1d(getattr(model, name)) for name in vary]
    sizes = [len(part) for part in start]
    signs = np.sign(np.concatenate(start))
    if (signs == 0.0).any():
        zero = [name for name, part in zip(vary, start, strict=True) if (part == 0.0).any()]
        raise DataError(f"fit: {', '.join(zero)} starts from zero; start from a guess of the right sign")
    count = int(np.isfinite(table[:, 3:]).sum())
    if count < sum(sizes):
        raise DataError(f"fit: {count} measured values cannot determine {sum(sizes)} numbers; measure more")

    def change_values(logs: Floats) -> dict[str, Any]:
        parts = np.split(signs * np.exp(logs), np.cumsum(sizes)[:-1])
        return {
            name: tuple(part.tolist()) if isinstance(getattr(model, name), tuple) else float(part[0])
            for name, part in zip(vary, parts, strict=True)
        }

    def residuals(logs: Floats) -> Floats:
        trial = replace(model, **change_values(logs))
        found = np.array([trial.forces(*row[:3]) for row in table])
        return found - table[:, 3:]

    def weigh_errors(logs: Floats) -> Floats:
        try:
            left = residuals(logs) * np.array([1.0, 1.0, 1.0 / arm]) / table[:, :1]
        except DataError:  # numbers that no tyre has
            return np.full(count, 1e3)
        return np.asarray(left[np.isfinite(left)])

    first = np.log(np.abs(np.concatenate(start)))
    solution = least_squares(weigh_errors, first, x_scale=1.0, xtol=1e-10, ftol=1e-10)
    if not solution.success:
        raise DataError(f"fit: {solution.message}; start closer, or vary fewer numbers")
    numbers = change_values(solution.x)
    left = residuals(solution.x)
    rms = {
        name: float(np.sqrt(np.nanmean(column**2)))
        for name, column in zip(("Fx", "Fy", "Mz"), left.T, strict=True)
        if np.isfinite(column).any()
    }
    return TyreFit(replace(model, **numbers), numbers, rms)


def stack_points(points: MeasuredPoints) -> Floats:
    """Stack points as rows Fz, κ, α, Fx, Fy, Mz."""
    columns = [checks.numbers(name, value, DataError) for name, value in points._asdict().items()]
    for name, column in zip(MeasuredPoints._fields[:3], columns, strict=False):
        if not np.isfinite(column).all():
            raise DataError(f"{name} must be finite, got {checks.shown_array(column)}")
    try:
        table = np.stack([column.ravel() for column in np.broadcast_arrays(*columns)], axis=1)
    except ValueError:
        raise DataError("the arrays of the measured points must go together") from None
    if not (table[:, 0] > 0.0).all():
        raise DataError("Fz of measured points must be positive")
    return np.asarray(table)
