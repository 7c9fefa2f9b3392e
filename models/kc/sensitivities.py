"""Exact derivatives of the rig's figures by free parameters, travel and steering held; scatter by tolerances.

A figure f(q, s, p) is read where the travel z(q, s, p) has its value, and where springs decide (`Settling`)
they are in balance.  So dq = −D ∂z/∂p dp with D = (∂z/∂q)⁻¹, and

    df/dp = ∂f/∂p − ∂f/∂q D ∂z/∂p,

with all four derivatives from compiled forward mode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import trace
from ce_dynamics.compiler.compiled_function import CompiledFunction
from ce_dynamics.compiler.derivatives.compiled import CompiledJacobian, compile_jacobian
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative
from ce_dynamics.compiler.machine import compile_function
from ce_dynamics.compiler.tracing.inline import call
from ce_dynamics.errors import AssemblyError, CeDynamicsError, DataError
from ce_dynamics.models.kc.quantities import Quantity
from ce_dynamics.models.kc.rig import KCRig
from ce_dynamics.models.kc.sweeps import Sweep, label_figures, sweep_of
from ce_dynamics.models.kc.travel_limits import warn_near_ends

if TYPE_CHECKING:
    import xarray as xr


STEEP = "steepness of the axle's motion over that in the design pose"


class Curves(NamedTuple):
    """Figures beside each other in poses (n, n_f), and their derivatives (n, n_f, n_p).

    Figures of both wheels are there left and right; parameters are in the model's order.
    """

    values: Floats
    by_parameters: Floats


class AlongParameters:
    """A function of the rig's poses c (`AxlePoses`), traced, and its derivatives by the free parameters."""

    def __init__(self, rig: KCRig, name: str, function: Callable[[Array], Iterable[Scalar]]) -> None:
        if not rig.parameters:
            raise DataError("the rig's model has no free parameters: name some by rig_of(..., free=[...])")
        self.rig = rig
        figures, n_c = rig.figures, rig.poses.size
        self.held = len(figures.held(rig.poses.start))
        owner = f"{rig.axle.name} axle: {name}"

        def alone(c: Array) -> dict[str, Array]:
            return {"f": array(function(c))}

        def with_held(c: Array) -> dict[str, Array]:
            return {"f": array([*function(c), *figures.held(c)])}

        def held(c: Array) -> dict[str, Array]:
            return {"f": figures.held(c)}

        self._along: CompiledFunction | None = None
        traced = trace(owner, alone if rig.poses.settling else with_held, {"c": n_c})
        self._values: CompiledFunction = compile_function(traced)
        if rig.poses.settling:  # figures have second derivatives in them: one direction costs less than all
            self._along = compile_function(directional_derivative(traced))
            traced = trace(f"{rig.axle.name} axle: what is held", held, {"c": n_c})
        self._jacobian: CompiledJacobian = compile_jacobian(traced, "f", "c")

    def at(self, poses: Floats) -> Curves:
        """Return values and derivatives in poses of the rig (`KCRig.solve_poses`)."""
        (values,), (entries,) = self._values.at_rows(poses), self._jacobian.function.at_rows(poses)
        p = len(self.rig.parameters)
        J = np.zeros((len(poses), *self._jacobian.shape))
        J[:, self._jacobian.rows, self._jacobian.columns] = entries
        n, first = self.rig.poses.moved, self.rig.poses.size - p
        z_q, z_p = J[:, -self.held :, :n], J[:, -self.held :, first:]
        if n == self.held:
            q_p = -np.linalg.solve(z_q, z_p)
        else:
            q_p = -np.linalg.pinv(z_q) @ z_p
        if self._along:
            ways = np.zeros((len(poses), p, self.rig.poses.size))
            ways[:, :, :n] = q_p.swapaxes(1, 2)
            ways[:, :, first:] = np.eye(p)
            (along,) = self._along.at_rows(np.repeat(poses, p, axis=0), ways.reshape(-1, ways.shape[2]))
            return Curves(values, along.reshape(len(poses), p, values.shape[1]).swapaxes(1, 2))
        f_q, f_p = J[:, : -self.held, :n], J[:, : -self.held, first:]
        with np.errstate(invalid="ignore"):  # figures that are infinite have no derivatives
            return Curves(values[:, : -self.held], f_p + f_q @ q_p)


class Sensitivities(AlongParameters):
    """Some figures of an axle and their derivatives by the model's free parameters.

    ``places`` is where each figure is in ``Curves.values``.
    """

    def __init__(self, rig: KCRig, quantities: Sequence[str]) -> None:
        known = {quantity.name: quantity for quantity in rig.quantities}
        names = checks.texts("quantities", quantities, DataError)
        if not names:
            raise DataError(f"quantities is empty; give at least one of {list(known)}")
        for name in names:
            rig.figures.check(name)
        self.names = tuple(names)
        self.places: dict[str, slice] = {}
        size = 0
        for name in self.names:
            width = 2 if known[name].per_wheel else 1
            self.places[name] = slice(size, size + width)
            size += width
        self.size = size
        figures = rig.figures

        def select(c: Array) -> list[Scalar]:
            found = call(figures.select(self.names), c=c)
            return [x for name in self.names for x in np.ravel(np.asarray(found[name], dtype=object))]

        super().__init__(rig, ", ".join(self.names), select)


def sensitivities(
    rig: KCRig,
    kind: str | Sweep,
    values: ArrayLike | None = None,
    *,
    quantities: Sequence[str],
    parameters: Mapping[str, float] | None = None,
) -> xr.Dataset:
    """Return exact derivatives of curves by all free parameters of the rig's model.

    Parameters
    ----------
    rig : KCRig
    kind, values, parameters
        As of `KCRig.sweep`.
    quantities : sequence of str
        Figures to differentiate.

    Returns
    -------
    xarray.Dataset
        For every figure its derivatives over ``pose``, ``side`` (of what wheels have each) and
        ``parameter``; SI units.  The coordinate ``condition`` is how much steeper the axle moves than in
        its design pose (`KCRig.condition`).

    Raises
    ------
    AssemblyError
        If a travel cannot be reached; the message states its end and the cause.

    Warns
    -----
    SingularityWarning
        Where a pose is near the end of the travel (`ends_of_travel`), which derivatives by parameters
        approach as roots do.

    Examples
    --------
    >>> from ce_dynamics.models import kc
    >>> rig = kc.rig_of("sedan", "front", free=["front.L.z", "front.K.z"])
    >>> by = kc.sensitivities(rig, "parallel", [-0.05, 0.05], quantities=["toe_angle"])
    >>> by["toe_angle"].sel(side="left", parameter="front.L.z").values.round(3)
    array([-1.109,  1.023])
    """
    checks.instance("rig", rig, KCRig, "a rig (kc.rig_of)", DataError)
    sweep = sweep_of(kind, values)
    figures = Sensitivities(rig, quantities)
    poses = rig.solve_poses(sweep.travel, sweep.steering, parameters)
    condition = rig.condition(poses)
    warn_near_ends(rig, condition, sweep.travel, sweep.steering, parameters)
    found = figures.at(poses).by_parameters
    by_name = {name: found[:, place] for name, place in figures.places.items()}
    return label_derivatives(rig, rig.quantities, by_name).assign_coords(
        wheel_travel=(("pose", "side"), rig.complete_sweep(sweep, poses).travel),
        steering=("pose", sweep.steering),
        condition=("pose", condition, {"units": "1", "long_name": STEEP}),
    )


def label_derivatives(rig: KCRig, known: Iterable[Quantity], found: Mapping[str, Floats]) -> xr.Dataset:
    """Return derivatives (n_poses, 2 or 1, n_p) of figures by the free parameters as labelled data."""
    import xarray as xr  # here, because it takes long to load

    per_wheel = {quantity.name: quantity.per_wheel for quantity in known}
    units = {entry.name: entry.unit for entry in rig.model.layout.u}
    values = {name: each if per_wheel[name] else each[:, 0] for name, each in found.items()}
    coordinates = {
        "side": list(rig.axle.sides),
        "parameter": list(rig.parameters),
        "parameter_unit": ("parameter", [units[name] for name in rig.parameters]),
    }
    return xr.Dataset(label_figures(known, values, "({})/unit of the parameter", "parameter"), coordinates)


MOST_RUNS = 1_000_000


@dataclass(frozen=True, eq=False)
class Scatter:
    """Curves of a figure over random parameters.

    Attributes
    ----------
    quantity : str
    curves : (runs, n_poses) or (runs, n_poses, 2) array
        SI units; of runs that could be assembled.
    nominal : array
        The curve at nominal parameters.
    estimated : array
        Standard deviation by the exact derivatives, √Σ (∂f/∂p σ)².
    contributions : dict of str to array
        (∂f/∂p σ)² over their sum, of each parameter: who is to blame.
    failed : int
        Runs that could not be assembled.
    """

    quantity: str
    curves: Floats
    nominal: Floats
    estimated: Floats
    contributions: dict[str, Floats]
    failed: int

    @property
    def spread(self) -> Floats:
        """Standard deviation of the curves."""
        return np.asarray(np.std(self.curves, axis=0, ddof=1))

    def percentiles(self, low: float = 2.5, high: float = 97.5) -> tuple[Floats, Floats]:
        """Return percentiles of the curves."""
        return np.percentile(self.curves, low, axis=0), np.percentile(self.curves, high, axis=0)


def scatter(
    rig: KCRig,
    spreads: Mapping[str, float],
    kind: str | Sweep,
    values: ArrayLike | None = None,
    *,
    quantities: Sequence[str],
    runs: int = 1000,
    seed: int = 0,
    distribution: str = "normal",
) -> dict[str, Scatter]:
    """Return curves for random values of free parameters, each run solved exactly.

    Parameters
    ----------
    rig : KCRig
        Made with free parameters.  To let left and right differ, free them by their corners' names.
    spreads : mapping of str to float
        Standard deviations (normal) or half widths (uniform) about the nominal values, SI units.
    kind, values
        As of `KCRig.sweep`.
    quantities : sequence of str
    runs, seed : int
    distribution : {"normal", "uniform"}

    Raises
    ------
    AssemblyError
        If no run can be assembled.
    """
    checks.instance("scatter: rig", rig, KCRig, "a rig, as rig_of(vehicle, axle) returns it", DataError)
    checks.choice("scatter: distribution", distribution, ("normal", "uniform"), DataError)
    checks.integer("scatter: runs", runs, at_least=2, at_most=MOST_RUNS, error=DataError)
    if not checks.mapping("scatter: spreads", spreads, DataError):
        raise DataError("scatter: spreads: name at least one free parameter and how far it scatters")
    checks.instance("scatter: kind", kind, (str, Sweep), "a Sweep or the kind of one", DataError)
    checks.integer("scatter: seed", seed, at_least=0, error=DataError)
    if not checks.texts("scatter: quantities", quantities, DataError):
        raise DataError("scatter: quantities: name at least one figure of the rig")
    for name, spread in spreads.items():
        checks.check_name("scatter", name, list(rig.parameters), "free parameter", DataError)
        checks.number(f"scatter: spread of {name}", spread, at_least=0.0, error=DataError)
    sweep = sweep_of(kind, values)
    figures = Sensitivities(rig, quantities)
    nominal = figures.at(rig.solve_poses(sweep.travel, sweep.steering))
    names = list(spreads)
    sizes = np.array([spreads[name] for name in names], dtype=float)
    sigma = sizes if distribution == "normal" else sizes / np.sqrt(3.0)
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(int(runs), len(names))) if distribution == "normal" else None
    steps = rng.uniform(-1.0, 1.0, (int(runs), len(names))) if drawn is None else drawn
    curves, failed = [], 0
    for step in steps * sizes:
        changed = {name: float(rig.nominal[name] + d) for name, d in zip(names, step, strict=True)}
        try:
            poses = rig.reach_poses(sweep.travel, sweep.steering, changed)
        except CeDynamicsError:
            failed += 1
            continue
        read = rig.read(poses, figures.names)
        curves.append([read[name] for name in figures.names])
    if not curves:
        raise AssemblyError("scatter: no run can be assembled; the spreads are too large for the linkage")
    columns = [rig.parameters.index(name) for name in names]
    parts = (nominal.by_parameters[:, :, columns] * sigma) ** 2
    result = {}
    for k, (name, place) in enumerate(figures.places.items()):
        where = place if place.stop - place.start == 2 else place.start
        own = parts[:, where]
        total = own.sum(axis=-1)
        with np.errstate(invalid="ignore"):
            shares = {n: own[..., j] / total for j, n in enumerate(names)}
        result[name] = Scatter(
            name,
            np.array([curve[k] for curve in curves]),
            nominal.values[:, where],
            np.sqrt(total),
            shares,
            failed,
        )
    return result
