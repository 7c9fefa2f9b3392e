"""Finds the ends of an axle's travel by its linkage, without springs and stops, and poses near these ends."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError, SingularityWarning
from ce_dynamics.models.kc.pose_search import PosePath
from ce_dynamics.models.kc.rates import NEAR
from ce_dynamics.models.kc.rig import KCRig
from ce_dynamics.models.kc.sweeps import KINDS

WITHIN = 1.0
"""[m], or full locks, within which an end is looked for."""


class EndOfTravel(NamedTuple):
    """The last pose of a sweep that can be assembled.

    Attributes
    ----------
    value : float
        Of the sweep: travel [m], or part of full lock; exact to 1e-10 of the way that is searched.
    travel : (2,) array
        Of the left and the right wheel [m].
    steering : float
        Part of full lock.
    obstacle : str
        Cause of the limit.
    pose : (n_c,) array
    """

    value: float
    travel: Floats
    steering: float
    obstacle: str
    pose: Floats


class Ends(NamedTuple):
    """Both ends of a sweep; None if it has no end in the searched range."""

    low: EndOfTravel | None
    high: EndOfTravel | None


def ends_of_travel(
    rig: KCRig,
    kind: str = "parallel",
    *,
    parameters: Mapping[str, float] | None = None,
    within: float = WITHIN,
) -> Ends:
    """Return the ends of a sweep, beyond which the linkage cannot be assembled.

    Parameters
    ----------
    rig : KCRig
    kind : str
        Kind of sweep, as in `KCRig.sweep`.
    parameters : mapping of str to float, optional
        Values of free parameters.
    within : float
        Range of the search in either direction [m], or in full locks.

    Examples
    --------
    >>> from ce_dynamics.models import kc
    >>> low, high = kc.ends_of_travel(kc.rig_of("sedan", "front"))
    >>> print(f"{1e3 * low.value:.2f} mm: {low.obstacle.partition(':')[0]}")
    -211.74 mm: the loop of 'front_left.lower_arm' is at its dead centre
    >>> print(f"{1e3 * high.value:.2f} mm: {high.obstacle}")
    292.14 mm: the links let the left wheel come no higher and the right wheel no higher
    """
    what = "a rig, as rig_of(vehicle, axle) returns it"
    checks.instance("ends_of_travel: rig", rig, KCRig, what, DataError)
    checks.mapping("ends_of_travel: parameters", {} if parameters is None else parameters, DataError)
    checks.check_name("sweep", kind, list(KINDS), "kind", DataError)
    reach = checks.number("ends_of_travel: within", within, above=0.0, error=DataError)
    left, right, steering = KINDS[kind]
    if steering and not rig.poses.places.s:
        raise DataError(f"axle {rig.axle.name!r} is not steered; it has no ends of steering")
    rig.poses.travels.check(rig.axle.name, np.array([[left, right]]))
    start = rig.start_pose(parameters)
    ways = (
        find_way(rig, start, sign * reach * np.array((left, right)), sign * reach * steering)
        for sign in (-1.0, 1.0)
    )
    return Ends(*(end_of(way, sign * reach) for way, sign in zip(ways, (-1.0, 1.0), strict=True)))


def find_way(rig: KCRig, start: Floats, travel: Floats, steering: float) -> PosePath:
    """Return a way on which all parts of the axle are assembled."""

    def whole(c: Floats) -> bool:
        return bool(np.isfinite(rig.condition(c[np.newaxis])[0]))

    return PosePath(rig.search, start, travel, steering, allowed=whole)


def end_of(way: PosePath, value: float) -> EndOfTravel | None:
    """Return the end of a way, at whose goal a sweep has a value."""
    done, pose = way.end()
    if done == 1.0:
        return None
    travel = way.z_0 + done * (way.goal - way.z_0)
    return EndOfTravel(done * value, travel, done * way.lock, way.obstacle(pose), pose)


def warn_near_ends(
    rig: KCRig, condition: Floats, travel: Floats, steering: Floats, parameters: Mapping[str, float] | None
) -> None:
    """Warn of the pose nearest to an end of the travel, if it is near or beyond: derivatives are steep there.

    The end is looked for on the way that leads there from the design pose.  Conditions and steering are (n,),
    travel (n, 2) [m].
    """
    if not np.max(condition, initial=0.0) > NEAR:
        return
    k = int(np.argmax(condition))
    size = max(float(np.max(np.abs(travel[k]))), abs(float(steering[k])))
    further = 1.0 + WITHIN / max(size, 1e-3)
    way = find_way(rig, rig.start_pose(parameters), further * travel[k], float(further * steering[k]))
    end = end_of(way, 1.0)
    left, right = 1e3 * travel[k]
    steered = f" and {100.0 * steering[k]:.4g} % of full lock" if steering[k] else ""
    place = f"axle {rig.axle.name!r}: at a travel of {left:.7g} mm left and {right:.7g} mm right{steered}"
    text = f"{place} it moves {condition[k]:.3g} times as steeply as in the design pose"
    if end is not None:
        text += f"; its travel ends at {way.place_text(end.pose)}, where {end.obstacle}"
    hold = "derivatives by parameters hold for changes that move that end by much less than is left"
    warnings.warn(f"{text}: {hold}", SingularityWarning, stacklevel=3)
