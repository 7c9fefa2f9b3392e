"""Sweeps of forces at the wheels, and of travel with bushings yielding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.kc.axle import Axle
from ce_dynamics.models.kc.compliance import Compliance, Elastic
from ce_dynamics.models.kc.figures import Figures, contacts, wheel_figures
from ce_dynamics.models.kc.free_bodies import AT_CENTRE, AT_CONTACT, TORQUE
from ce_dynamics.models.kc.quantities import Quantity, list_compliance_quantities
from ce_dynamics.models.kc.sweeps import Sweep, dataset, sweep_of

if TYPE_CHECKING:
    import xarray as xr

FORCE, TORQUE_RANGE, POSES = 5e3, 200.0, 21
"""Ranges either way [N], [N m] and number of poses, unless given."""


class ForceKind(NamedTuple):
    """A kind of load: its share at the left and the right wheel, its axis and its unit."""

    left: float
    right: float
    axis: int
    unit: str


FORCES: Mapping[str, ForceKind] = {
    f"{name}{'-opposed' if sign < 0.0 else ''}": ForceKind(1.0, sign, axis, unit)
    for name, axis, unit in (("lateral", 1, "N"), ("longitudinal", 0, "N"), ("aligning", 2, "N*m"))
    for sign in (1.0, -1.0)
}
"""Kinds by name: forward, to the left, about the vertical; positive as in ISO 8855."""
PLACES = ("contact", "centre")
HOLDS = ("height", "load")


@dataclass(frozen=True, eq=False)
class ForceSweep:
    """Forces or torques one after the other.

    Attributes
    ----------
    kind : str
        One of `FORCES`.
    values : (n,) array
        Forces [N] or torques [N m].
    place : str
        Where forces act: ``contact``, as with brakes at the wheels, or ``centre``, as under drive through
        half-shafts.
    hold : str
        ``height``: the wheels keep their heights; ``load``: the vertical loads stay as they are without
        forces, as in the figures of the compliance matrix.
    travel : (2,) array
        Of the wheels before any force [m].
    """

    kind: str
    values: Floats
    place: str = "contact"
    hold: str = "height"
    travel: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        checks.check_name("force sweep", self.kind, list(FORCES), "kind", DataError)
        checks.choice("force sweep: place", self.place, PLACES, DataError)
        checks.choice("force sweep: hold", self.hold, HOLDS, DataError)
        if FORCES[self.kind].unit == "N*m" and self.place != PLACES[0]:
            raise DataError(
                f"force sweep: a torque has no place, so {self.place!r} has no effect; leave it out"
            )
        x = checks.finite_array(f"{self.kind} sweep: values", self.values, (None,), DataError)
        if not len(x):
            raise DataError(f"{self.kind} sweep: no value is given")
        left, right = checks.vector("force sweep: travel", self.travel, 2, DataError).tolist()
        object.__setattr__(self, "values", x)
        object.__setattr__(self, "travel", (left, right))

    def loads(self, value: float) -> Floats:
        """Return (2, 9) as `Compliance.at` takes them."""
        kind = FORCES[self.kind]
        found = np.zeros((2, 9))
        where = TORQUE if kind.unit == "N*m" else {"contact": AT_CONTACT, "centre": AT_CENTRE}[self.place]
        for side, part in enumerate((kind.left, kind.right)):
            found[side, where.start + kind.axis] = part * value
        return found


def force_sweep_of(
    kind: str | ForceSweep,
    values: ArrayLike | None = None,
    *,
    place: str = "contact",
    hold: str = "height",
    travel: tuple[float, float] = (0.0, 0.0),
) -> ForceSweep:
    """Return a sweep by name, or the given one."""
    if isinstance(kind, ForceSweep):
        return kind
    checks.check_name("force sweep", kind, list(FORCES), "kind", DataError)
    largest = TORQUE_RANGE if FORCES[kind].unit == "N*m" else FORCE
    given = np.linspace(-largest, largest, POSES) if values is None else values
    return ForceSweep(kind, given, place, hold, travel)  # type: ignore[arg-type]  # it checks them


def force_sweep(elastic: Compliance, sweep: str | ForceSweep, values: ArrayLike | None = None) -> xr.Dataset:
    """Compute the places of the wheels under forces.

    Parameters
    ----------
    elastic : Compliance
    sweep : str or ForceSweep
        A kind: ``lateral``, ``longitudinal``, ``aligning``, the same with ``-opposed`` (the right wheel the
        other way).
    values : (n,) array_like, optional
        Forces [N] or torques [N m]; ±5 kN, ±200 N m in 21 poses if not given.

    Returns
    -------
    xarray.Dataset
        Over ``pose`` and ``side``, SI units.

    Raises
    ------
    AssemblyError
        If no balance is found.

    Examples
    --------
    >>> from ce_dynamics.models import kc
    >>> elastic = kc.compliance_of("sedan", "front")
    >>> pushed = kc.forced(elastic, "lateral", [-1000.0, 0.0, 1000.0])
    >>> pushed["steer_angle"].shape
    (3, 2)
    """
    checks.instance("elastic", elastic, Compliance, "a Compliance (kc.compliance_of)", DataError)
    one = force_sweep_of(sweep, values)
    pose = elastic.rig.solve_poses([one.travel])[0]
    free = elastic.at(pose).preload
    vertical = free if one.hold == "load" else None
    found = [elastic.at(pose, one.loads(float(x)), vertical) for x in one.values]
    unit = FORCES[one.kind].unit
    n = len(one.values)
    travel, steering = np.tile(one.travel, (n, 1)), np.zeros(n)
    place = "" if unit == "N*m" else f", at the {one.place}"
    about = {"units": unit, "long_name": f"{one.kind}{place}, constant {one.hold}"}
    return label_balances(elastic, f"{one.kind}{place}", found, travel, steering).assign_coords(
        force=("pose", one.values, about)
    )


def travel_sweep(elastic: Compliance, kind: str | Sweep, values: ArrayLike | None = None) -> xr.Dataset:
    """Compute the attitude of the wheels over travel or steering, with compliant bushings."""
    checks.instance("elastic", elastic, Compliance, "a Compliance (kc.compliance_of)", DataError)
    sweep = sweep_of(kind, values)
    found = [elastic.at(pose) for pose in elastic.rig.solve_poses(sweep.travel, sweep.steering)]
    return label_balances(elastic, sweep.kind, found, sweep.travel, sweep.steering)


def label_balances(
    elastic: Compliance, kind: str, found: list[Elastic], travel: Floats, steering: Floats
) -> xr.Dataset:
    """Return figures of some balances as labelled data."""
    rig = elastic.rig
    rows = [figures_of_balance(one, rig.axle) for one in found]
    values = {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]} if rows else {}
    sweep = Sweep(kind, steering, travel, steering)
    known: tuple[Quantity, ...] = list_compliance_quantities()
    return dataset(rig.model.system.name, rig.axle, known, sweep, values)


def figures_of_balance(found: Elastic, axle: Axle) -> Figures:
    """Return the figures of both wheels in one balance, by name."""
    P = contacts(found.W, found.e, axle)
    return {**wheel_figures(found.W, found.e, found.R, P), "vertical_force": found.preload}
