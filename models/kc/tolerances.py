"""Computes the effect of manufacturing tolerances on the curves by Monte Carlo and by a linear estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import AssemblyError, CeDynamicsError, DataError
from ce_dynamics.models.kc.rig import KCRig
from ce_dynamics.models.kc.sensitivities import Sensitivities
from ce_dynamics.models.kc.sweeps import Sweep, sweep_of

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

    def between(self, low: float = 2.5, high: float = 97.5) -> tuple[Floats, Floats]:
        """Percentiles of the curves."""
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
    """Curves for random values of free parameters, each run solved exactly.

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
    DataError
        If a name is unknown or a number not allowed.
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
        checks.known("scatter", name, list(rig.parameters), "free parameter", DataError)
        checks.number(f"scatter: spread of {name}", spread, at_least=0.0, error=DataError)
    sweep = sweep_of(kind, values) if isinstance(kind, str) else kind
    figures = Sensitivities(rig, quantities)
    nominal = figures.at(rig.solved(sweep.travel, sweep.steering))
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
            poses = rig.reached(sweep.travel, sweep.steering, changed)
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
