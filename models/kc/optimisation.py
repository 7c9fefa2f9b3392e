"""Hardpoints (or any free parameters) for wanted curves: least squares with exact derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import CeDynamicsError, DataError
from ce_dynamics.models.kc.rig import KCRig
from ce_dynamics.models.kc.sensitivities import Curves, Sensitivities
from ce_dynamics.models.kc.sweeps import Sweep, sweep_of

MOST_EVALUATIONS = 200


@dataclass(frozen=True, eq=False)
class Target:
    """A curve, or numbers, that a figure is to come near to.

    Attributes
    ----------
    quantity : str
        Name of a figure of the rig.
    wanted : (n,) array_like or float
        In the poses of the sweep, in SI units.
    tolerance : float
        Deviation that counts as one: a target of half the tolerance weighs twice as much.
    sweep : Sweep or str
        Where it is read; the design position if not given.
    values : (n,) array_like, optional
        Of a sweep given by name.
    side : str
        ``left``, ``right`` or ``both``; of no effect on figures of the axle.
    """

    quantity: str
    wanted: ArrayLike
    tolerance: float
    sweep: Sweep | str = "parallel"
    values: ArrayLike | None = (0.0,)
    side: str = "left"

    def __post_init__(self) -> None:
        owner = f"target {self.quantity!r}"
        checks.number(f"{owner}: tolerance", self.tolerance, above=0.0, error=DataError)
        checks.choice(f"{owner}: side", self.side, ("left", "right", "both"), DataError)

    def poses(self) -> Sweep:
        """Where it is read."""
        return self.sweep if isinstance(self.sweep, Sweep) else sweep_of(self.sweep, self.values)


class Deviations(NamedTuple):
    """Weighted deviations from all targets, their derivatives by what is varied, and the curves.

    Attributes
    ----------
    r : (m,) array
    J : (m, n) array
    curves : list of arrays
        Of every target: (n_poses, sides).
    """

    r: Floats
    J: Floats
    curves: list[Floats]


class Targets:
    """All targets as one vector of weighted deviations.

    Raises
    ------
    DataError
        If a name is unknown, or what is wanted has another length than the poses.
    """

    def __init__(self, rig: KCRig, targets: Sequence[Target], vary: Sequence[str]) -> None:
        if not targets:
            raise DataError("optimise: no target is given")
        self.rig, self.targets = rig, list(targets)
        self.columns = [rig.parameters.index(name) for name in vary]
        known = {quantity.name: quantity for quantity in rig.quantities}
        self.figures = Sensitivities(rig, list(dict.fromkeys(target.quantity for target in targets)))
        self.sweeps = [target.poses() for target in targets]
        self.places: list[list[int]] = []
        self.wanted: list[Floats] = []
        for target, sweep in zip(targets, self.sweeps, strict=True):
            start = self.figures.places[target.quantity].start
            sides = {"left": [0], "right": [1], "both": [0, 1]}[target.side]
            places = [start + k for k in sides] if known[target.quantity].per_wheel else [start]
            owner = f"target {target.quantity!r}: wanted"
            given = checks.numbers(owner, target.wanted, DataError)
            if given.ndim > 1 or (given.ndim == 1 and len(given) != len(sweep.values)):
                raise DataError(f"{owner}: shape {given.shape}; give a number or {len(sweep.values)} of them")
            if not np.all(np.isfinite(given)):
                raise DataError(f"{owner}: must be finite")
            self.places.append(places)
            wanted = np.broadcast_to(given, (len(sweep.values),))
            self.wanted.append(np.repeat(wanted[:, np.newaxis], len(places), axis=1))

    def at(self, parameters: Mapping[str, float]) -> Deviations:
        """Deviations at values of free parameters.

        Raises
        ------
        CeDynamicsError
            Where the linkage cannot be assembled or a value is not allowed.
        """
        r, J, curves = [], [], []
        read: dict[tuple[bytes, bytes], Curves] = {}
        for target, sweep, places, wanted in zip(
            self.targets, self.sweeps, self.places, self.wanted, strict=True
        ):
            key = sweep.travel.tobytes(), sweep.steering.tobytes()
            if key not in read:
                read[key] = self.figures.at(self.rig.solved(sweep.travel, sweep.steering, parameters))
            values, slopes = read[key]
            curves.append(values[:, places])
            r.append(((values[:, places] - wanted) / target.tolerance).ravel())
            part = slopes[:, places][:, :, self.columns] / target.tolerance
            J.append(part.reshape(-1, len(self.columns)))
        return Deviations(np.concatenate(r), np.concatenate(J), curves)


@dataclass(frozen=True, eq=False)
class Optimum:
    """What was found.

    Attributes
    ----------
    parameters : dict of str to float
        Values of what was varied.
    start : dict of str to float
        Values before.
    before, after : arrays
        Deviations from each target over its tolerance, root mean square.
    targets : list of Target
    curves_before, curves_after : list of arrays
        Of the targets' figures: (n_poses, sides).
    influence : dict of str to float
        Change of all deviations together (norm, in tolerances) per millimetre, or per unit of the bounds'
        thousandth, of each parameter at the optimum; the strongest first.
    at_bounds : tuple of str
        Parameters that stopped at a bound.
    converged : bool
    message : str
    evaluations : int
    """

    parameters: dict[str, float]
    start: dict[str, float]
    before: Floats
    after: Floats
    targets: list[Target]
    curves_before: list[Floats] = field(repr=False)
    curves_after: list[Floats] = field(repr=False)
    influence: dict[str, float]
    at_bounds: tuple[str, ...]
    converged: bool
    message: str
    evaluations: int

    def __str__(self) -> str:
        width = max(len(name) for name in self.parameters)
        lines = [f"{'parameter':{width}}  {'before':>12}  {'after':>12}  {'change':>12}"]
        for name, after in self.parameters.items():
            before = self.start[name]
            bound = "  at its bound" if name in self.at_bounds else ""
            lines.append(f"{name:{width}}  {before:12.6g}  {after:12.6g}  {after - before:12.3g}{bound}")
        lines.append("target, deviation over its tolerance (root mean square)")
        for target, before, after in zip(self.targets, self.before, self.after, strict=True):
            kind = target.sweep if isinstance(target.sweep, str) else target.sweep.kind
            lines.append(f"{target.quantity + ', ' + kind:{width}}  {before:12.4g}  {after:12.4g}")
        return "\n".join(lines)


def optimise(
    rig: KCRig,
    vary: Mapping[str, tuple[float, float]],
    targets: Sequence[Target],
    *,
    start: Mapping[str, float] | None = None,
    tolerance: float = 1e-12,
) -> Optimum:
    """Find values of free parameters with which figures come as near as possible to their targets.

    Least squares of (figure − wanted)/tolerance by SciPy's trust-region method with bounds and exact
    derivatives.  Steps to where the linkage cannot be assembled are taken back and shortened.

    Parameters
    ----------
    rig : KCRig
        Made with free parameters (`kc.rig_of`); a name such as ``front.L.z`` moves left and right alike.
    vary : mapping of str to (low, high)
        Free parameters with their bounds, SI units: the space that packaging leaves.
    targets : sequence of Target
    start : mapping of str to float, optional
        Values of free parameters to start from (those that are not varied keep them); the nominal ones if
        not given.
    tolerance : float
        Relative change of the sum of squares, or of the parameters, at which it ends.

    Raises
    ------
    DataError
        If a name is unknown, or a start lies outside its bounds.
    AssemblyError
        If the linkage cannot be assembled at the start, or a travel of a target not reached there.

    Examples
    --------
    >>> from ce_dynamics.models import kc
    >>> rig = kc.rig_of("sedan", "front", free=["front.L.z", "front.L.x"])
    >>> travel = [-0.06, -0.03, 0.0, 0.03, 0.06]
    >>> straight = kc.Target("toe_angle", 0.0, 1e-3, "parallel", travel)
    >>> found = kc.optimise(rig, {"front.L.z": (-0.15, -0.05)}, [straight])
    >>> bool(found.after[0] < found.before[0])
    True
    """
    from scipy.optimize import least_squares  # here, because most runs never ask

    names = list(vary)
    for name in names:
        checks.known("optimise: vary", name, list(rig.parameters), "free parameter", DataError)
    if not names:
        raise DataError("optimise: nothing is to be varied")
    given = rig.nominal | dict(start or {})
    bounds = np.array([checks.finite_array(f"bounds of {n}", vary[n], (2,), DataError) for n in names])
    x = np.array([given[name] for name in names])
    for name, (low, high), value in zip(names, bounds, x, strict=True):
        if not low < value < high:
            raise DataError(
                f"optimise: {name} starts at {value:g}, which is not between its bounds {low:g} and {high:g}"
            )
    of = Targets(rig, targets, names)
    first = of.at(given)
    known: dict[bytes, Deviations | None] = {x.tobytes(): first}

    def at(x: Floats) -> Deviations | None:
        key = x.tobytes()
        if key not in known:
            known.clear()
            try:
                known[key] = of.at(given | dict(zip(names, map(float, x), strict=True)))
            except CeDynamicsError:
                known[key] = None  # beyond what can be assembled: a shorter step is tried
        return known[key]

    def deviations(x: Floats) -> Floats:
        found = at(x)
        return np.full(len(first.r), np.nan) if found is None else found.r

    def slopes(x: Floats) -> Floats:
        found = at(x)
        assert found is not None, "derivatives are asked where deviations were finite"
        return found.J

    scale = bounds[:, 1] - bounds[:, 0]
    found = least_squares(
        deviations,
        x,
        slopes,
        bounds=(bounds[:, 0], bounds[:, 1]),
        x_scale=scale,
        ftol=tolerance,
        xtol=tolerance,
        gtol=1e-15,
        max_nfev=MOST_EVALUATIONS,
    )
    values = dict(zip(names, map(float, found.x), strict=True))
    last = of.at(given | values)
    sizes = np.linalg.norm(last.J, axis=0) * 1e-3
    order = np.argsort(-sizes)
    stopped = found.active_mask != 0
    return Optimum(
        values,
        {name: given[name] for name in names},
        rms(first, of),
        rms(last, of),
        list(targets),
        first.curves,
        last.curves,
        {names[k]: float(sizes[k]) for k in order},
        tuple(name for name, bound in zip(names, stopped, strict=True) if bound),
        bool(found.status > 0),
        str(found.message),
        int(found.nfev),
    )


def rms(found: Deviations, of: Targets) -> Floats:
    """Root mean square of the weighted deviations of each target."""
    return np.array(
        [
            float(np.sqrt(np.mean(((curve - wanted) / target.tolerance) ** 2)))
            for curve, wanted, target in zip(found.curves, of.wanted, of.targets, strict=True)
        ]
    )
