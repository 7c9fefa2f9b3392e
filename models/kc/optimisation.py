"""Fits hardpoints (or any free parameters) to target curves: targets, least squares, tolerances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import CeDynamicsError, DataError
from ce_dynamics.models.kc.clearances import Clearance, Clearances
from ce_dynamics.models.kc.pose_search import UnreachedError
from ce_dynamics.models.kc.rig import KCRig
from ce_dynamics.models.kc.sensitivities import Curves, Sensitivities
from ce_dynamics.models.kc.sweeps import Sweep, sweep_of

MILLIMETRE = 1e-3


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
        owner = f"target {checks.show(self.quantity)}"
        checks.name_of("target: quantity", self.quantity, DataError)
        wanted = checks.numbers(f"{owner}: wanted", self.wanted, DataError)
        if not (wanted.size and np.isfinite(wanted).all()):
            raise DataError(f"{owner}: wanted {checks.show(self.wanted)} must be finite numbers")
        checks.number(f"{owner}: tolerance", self.tolerance, above=0.0, error=DataError)
        checks.choice(f"{owner}: side", self.side, ("left", "right", "both"), DataError)
        checks.instance(f"{owner}: sweep", self.sweep, (Sweep, str), "a Sweep or the kind of one", DataError)
        self.poses()  # refuses unknown kinds, and values that are none

    def poses(self) -> Sweep:
        """Return the sweep over which the quantity is read."""
        return sweep_of(self.sweep, self.values)


class Deviations(NamedTuple):
    """Weighted deviations r (m,) from all targets, derivatives J by the varied parameters, and curves.

    Curves (n_poses, sides) are by target.  ``missing`` is by how many millimetres clearances are too small in
    their poses; negative where there is room.
    """

    r: Floats
    J: Floats
    curves: list[Floats]
    missing: Floats
    missing_slopes: Floats

    def with_multipliers(self, multipliers: Floats, weight: float) -> tuple[Floats, Floats]:
        """Return r and J with the clearances of an augmented Lagrangian: √ρ max(0, g + λ/ρ)."""
        g = self.missing + multipliers / weight
        active = g > 0.0
        root = np.sqrt(weight)
        return (
            np.concatenate((self.r, root * np.where(active, g, 0.0))),
            np.concatenate((self.J, root * active[:, np.newaxis] * self.missing_slopes)),
        )


class Targets:
    """All targets as one vector of weighted deviations."""

    def __init__(
        self,
        rig: KCRig,
        targets: Sequence[Target],
        vary: Sequence[str],
        clearances: Sequence[Clearance] = (),
    ) -> None:
        if not targets:
            raise DataError("optimise: no target is given")
        self.rig, self.targets = rig, list(targets)
        self.columns = [rig.parameters.index(name) for name in vary]
        known = {quantity.name: quantity for quantity in rig.quantities}
        self.figures = Sensitivities(rig, list(dict.fromkeys(target.quantity for target in targets)))
        self.sweeps = [target.poses() for target in targets]
        self.clearances = list(clearances)
        self.distances = Clearances(rig, self.clearances) if clearances else None
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
            self.places.append(places)
            wanted = np.broadcast_to(given, (len(sweep.values),))
            self.wanted.append(np.repeat(wanted[:, np.newaxis], len(places), axis=1))

    def at(self, parameters: Mapping[str, float]) -> Deviations:
        """Return deviations at values of free parameters at which the linkage can be assembled."""
        r, J, curves = [], [], []
        read: dict[tuple[bytes, bytes], Curves] = {}
        for target, sweep, places, wanted in zip(
            self.targets, self.sweeps, self.places, self.wanted, strict=True
        ):
            key = sweep.travel.tobytes(), sweep.steering.tobytes()
            if key not in read:
                read[key] = self.figures.at(self.rig.reach_poses(sweep.travel, sweep.steering, parameters))
            values, slopes = read[key]
            curves.append(values[:, places])
            r.append(((values[:, places] - wanted) / target.tolerance).ravel())
            part = slopes[:, places][:, :, self.columns] / target.tolerance
            J.append(part.reshape(-1, len(self.columns)))
        missing, slopes_of_missing = [np.zeros(0)], [np.zeros((0, len(self.columns)))]
        for k, clearance in enumerate(self.clearances):
            assert self.distances is not None
            sweep = clearance.poses()
            poses = self.rig.reach_poses(sweep.travel, sweep.steering, parameters)
            found = self.distances.at(k, poses)
            missing.append((clearance.least - found.values) / MILLIMETRE)
            slopes_of_missing.append(-found.by_parameters[:, self.columns] / MILLIMETRE)
        return Deviations(
            np.concatenate(r),
            np.concatenate(J),
            curves,
            np.concatenate(missing),
            np.concatenate(slopes_of_missing),
        )


MOST_EVALUATIONS = 200
MOST_ROUNDS = 30
"""Most rounds of the augmented Lagrangian: each has a weight or multipliers that keep clearances better."""
KEPT = 1e-6
"""[mm] By which a clearance may be too small."""
LOWERED = 0.25
"""Part of what was missing after the round before above which the weight grows."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """Result of an optimisation.

    Attributes
    ----------
    parameters : dict of str to float
        Values of the varied parameters.
    start : dict of str to float
        Values before.
    before, after : arrays
        Deviations from each target over its tolerance, root mean square.
    targets : list of Target
    curves_before, curves_after : list of arrays
        Curves of the targets' figures: (n_poses, sides).
    influence : dict of str to float
        Change of all deviations together (norm, in tolerances) per millimetre, or per unit of the bounds'
        thousandth, of each parameter at the optimum; the strongest first.
    at_bounds : tuple of str
        Parameters that stopped at a bound.
    converged : bool
    message : str
    evaluations : int
    clearances : dict of str to float
        The least distance of the parts over the poses of each clearance [m].
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
    clearances: dict[str, float] = field(default_factory=dict)

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
        if self.clearances:
            lines.append("clearance, least distance in mm")
        lines += [f"{name:{width}}  {'':12}  {1e3 * d:12.4f}" for name, d in self.clearances.items()]
        return "\n".join(lines)


def optimise(
    rig: KCRig,
    vary: Mapping[str, tuple[float, float]],
    targets: Sequence[Target],
    *,
    clearances: Sequence[Clearance] = (),
    start: Mapping[str, float] | None = None,
    tolerance: float = 1e-12,
) -> Optimum:
    """Find values of free parameters with which figures come as near as possible to their targets.

    Least squares of (figure − wanted)/tolerance by SciPy's trust-region method with bounds and exact
    derivatives.  Steps to where the linkage cannot be assembled are taken back and shortened.  Clearances are
    kept by an augmented Lagrangian, to a nanometre; otherwise ``message`` names the violated ones.

    Parameters
    ----------
    rig : KCRig
        Made with free parameters (`kc.rig_of`); a name such as ``front.L.z`` moves left and right alike.
    vary : mapping of str to (low, high)
        Free parameters with their bounds, SI units: the space that packaging leaves.
    targets : sequence of Target
    clearances : sequence of Clearance, optional
        Distances that must be left.
    start : mapping of str to float, optional
        Values of free parameters to start from (those that are not varied keep them); the nominal ones if
        not given.
    tolerance : float
        Relative change of the sum of squares, or of the parameters, at which it ends.

    Raises
    ------
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
    checks.instance("optimise: rig", rig, KCRig, "a rig, as rig_of(vehicle, axle) returns it", DataError)
    checks.number("optimise: tolerance", tolerance, above=0.0, error=DataError)
    for target in checks.items("optimise: targets", targets, error=DataError):
        checks.instance("optimise: targets: entry", target, Target, "a Target", DataError)
    for clearance in checks.items("optimise: clearances", clearances, error=DataError):
        checks.instance("optimise: clearances: entry", clearance, Clearance, "a Clearance", DataError)
    names = list(checks.mapping("optimise: vary", vary, DataError))
    for name in names:
        checks.check_name("optimise: vary", name, list(rig.parameters), "free parameter", DataError)
    if not names:
        raise DataError("optimise: nothing is to be varied")
    begun = checks.mapping("optimise: start", {} if start is None else start, DataError)
    for name, value in begun.items():
        checks.check_name("optimise: start", name, list(rig.parameters), "free parameter", DataError)
        checks.number(f"optimise: start: {name}", value, error=DataError)
    given = rig.nominal | dict(begun)
    bounds = np.array([checks.finite_array(f"bounds of {n}", vary[n], (2,), DataError) for n in names])
    x = np.array([given[name] for name in names])
    for name, (low, high), value in zip(names, bounds, x, strict=True):
        if not low < value < high:
            raise DataError(
                f"optimise: {name} starts at {value:g}, which is not between its bounds {low:g} and {high:g}"
            )
    of = Targets(rig, targets, names, clearances)
    try:
        first = of.at(given)
    except UnreachedError as unreached:
        raise unreached.explain() from None
    search = BoundedSearch(of, given, names, bounds, tolerance)
    found = search.run(x)
    values = dict(zip(names, map(float, found.x), strict=True))
    last = of.at(given | values)
    sizes = np.linalg.norm(last.J, axis=0) * 1e-3
    order = np.argsort(-sizes)
    stopped = found.active_mask != 0
    left = least_distances(last, of)
    broken = [one.name for one in clearances if left[one.name] < one.least - 1e-3 * KEPT]
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
        bool(found.status > 0) and not broken,
        f"cannot be kept: clearance {', '.join(broken)}" if broken else str(found.message),
        search.evaluations,
        left,
    )


class BoundedSearch:
    """Least squares within bounds (n, 2), once for each weight and multipliers of the clearances."""

    def __init__(
        self, of: Targets, given: dict[str, float], names: list[str], bounds: Floats, tolerance: float
    ) -> None:
        self.of, self.given, self.names = of, given, names
        self.bounds, self.tolerance = bounds, tolerance
        self.evaluations = 0
        self._known: dict[bytes, Deviations | None] = {}

    def at(self, x: Floats) -> Deviations | None:
        """Return the deviations; None if the axle cannot be assembled, which shortens the step."""
        key = x.tobytes()
        if key not in self._known:
            self._known.clear()
            try:
                values = dict(zip(self.names, map(float, x), strict=True))
                self._known[key] = self.of.at(self.given | values)
            except CeDynamicsError:
                self._known[key] = None
        return self._known[key]

    def run(self, x: Floats) -> Any:
        """Return SciPy's result, with all clearances kept if they can be."""
        first = self.at(x)
        assert first is not None, "the start was assembled"
        multipliers, weight = np.zeros(len(first.missing)), 10.0
        before = np.inf
        for _ in range(MOST_ROUNDS):
            found = self._round(x, len(first.r) + len(first.missing), multipliers, weight)
            here, x = self.at(found.x), found.x
            assert here is not None, "least squares end where deviations are finite"
            if not len(multipliers):
                break
            excess = float(np.max(here.missing))
            updated = np.maximum(0.0, multipliers + weight * here.missing)
            moved = float(np.max(np.abs(updated - multipliers)))
            multipliers = updated
            if excess <= KEPT and moved <= KEPT * weight:
                break
            if excess > LOWERED * before:
                weight *= 10.0
            before = max(excess, 0.0) or np.inf
        return found

    def _round(self, x: Floats, size: int, multipliers: Floats, weight: float) -> Any:
        from scipy.optimize import least_squares  # here, because few runs need it

        def deviations(x: Floats) -> Floats:
            found = self.at(x)
            return np.full(size, np.nan) if found is None else found.with_multipliers(multipliers, weight)[0]

        def slopes(x: Floats) -> Floats:
            found = self.at(x)
            assert found is not None, "derivatives are asked where deviations were finite"
            return found.with_multipliers(multipliers, weight)[1]

        low, high = self.bounds.T
        found = least_squares(
            deviations,
            x,
            slopes,
            bounds=(low, high),
            x_scale=high - low,
            ftol=self.tolerance,
            xtol=self.tolerance,
            gtol=1e-15,
            max_nfev=MOST_EVALUATIONS,
        )
        self.evaluations += int(found.nfev)
        return found


def least_distances(found: Deviations, of: Targets) -> dict[str, float]:
    """Return the least distance of each clearance over its poses [m]."""
    sizes = [len(clearance.poses().values) for clearance in of.clearances]
    parts = np.split(found.missing, np.cumsum(sizes)[:-1]) if sizes else []
    return {
        clearance.name: float(clearance.least - 1e-3 * np.max(part))
        for clearance, part in zip(of.clearances, parts, strict=True)
    }


def rms(found: Deviations, of: Targets) -> Floats:
    """Return the root mean square of the weighted deviations of each target."""
    return np.array(
        [
            float(np.sqrt(np.mean(((curve - wanted) / target.tolerance) ** 2)))
            for curve, wanted, target in zip(found.curves, of.wanted, of.targets, strict=True)
        ]
    )
