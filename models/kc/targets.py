"""Defines the targets of an optimisation: curves and numbers with tolerances, and least clearances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.kc.clearances import Clearance, Clearances
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
        owner = f"target {checks.shown(self.quantity)}"
        checks.name_of("target: quantity", self.quantity, DataError)
        wanted = checks.numbers(f"{owner}: wanted", self.wanted, DataError)
        if not (wanted.size and np.isfinite(wanted).all()):
            raise DataError(f"{owner}: wanted {checks.shown(self.wanted)} must be finite numbers")
        checks.number(f"{owner}: tolerance", self.tolerance, above=0.0, error=DataError)
        checks.choice(f"{owner}: side", self.side, ("left", "right", "both"), DataError)
        checks.instance(f"{owner}: sweep", self.sweep, (Sweep, str), "a Sweep or the kind of one", DataError)
        self.poses()  # refuses unknown kinds, and values that are none

    def poses(self) -> Sweep:
        """Return the sweep over which the quantity is read."""
        return self.sweep if isinstance(self.sweep, Sweep) else sweep_of(self.sweep, self.values)


class Deviations(NamedTuple):
    """Weighted deviations from all targets, their derivatives by what is varied, and the curves.

    Attributes
    ----------
    r : (m,) array
    J : (m, n) array
    curves : list of arrays
        Of every target: (n_poses, sides).
    missing, missing_slopes : (k,), (k, n) arrays
        By how many millimetres clearances are too small in their poses; negative where there is room.
    """

    r: Floats
    J: Floats
    curves: list[Floats]
    missing: Floats
    missing_slopes: Floats

    def with_multipliers(self, multipliers: Floats, weight: float) -> tuple[Floats, Floats]:
        """r and J with the clearances of an augmented Lagrangian: √ρ max(0, g + λ/ρ)."""
        g = self.missing + multipliers / weight
        active = g > 0.0
        root = np.sqrt(weight)
        return (
            np.concatenate((self.r, root * np.where(active, g, 0.0))),
            np.concatenate((self.J, root * active[:, np.newaxis] * self.missing_slopes)),
        )


class Targets:
    """All targets as one vector of weighted deviations.

    Raises
    ------
    DataError
        If a name is unknown, or what is wanted has another length than the poses.
    """

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
                read[key] = self.figures.at(self.rig.reached(sweep.travel, sweep.steering, parameters))
            values, slopes = read[key]
            curves.append(values[:, places])
            r.append(((values[:, places] - wanted) / target.tolerance).ravel())
            part = slopes[:, places][:, :, self.columns] / target.tolerance
            J.append(part.reshape(-1, len(self.columns)))
        missing, slopes_of_missing = [np.zeros(0)], [np.zeros((0, len(self.columns)))]
        for k, clearance in enumerate(self.clearances):
            assert self.distances is not None
            sweep = clearance.poses()
            poses = self.rig.reached(sweep.travel, sweep.steering, parameters)
            found = self.distances.at(k, poses)
            missing.append((clearance.least - found.d) / MILLIMETRE)
            slopes_of_missing.append(-found.by_parameters[:, self.columns] / MILLIMETRE)
        return Deviations(
            np.concatenate(r),
            np.concatenate(J),
            curves,
            np.concatenate(missing),
            np.concatenate(slopes_of_missing),
        )
