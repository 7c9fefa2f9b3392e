"""Finds the configurations in which hinges of a loop with one freedom cannot drive the loop."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.path.linkage import AT_REST, PathLinkage
from ce_dynamics.embedding.path.table import regularity
from ce_dynamics.mechanism.body import Body

GRID = 2000  # points along the curve between which a coordinate is taken to turn back once at most
CROSSING = 1e-6  # smallest singular value of Y that counts as zero


class DeadCentre(NamedTuple):
    """A configuration of a loop in which a hinge cannot drive it.

    Attributes
    ----------
    loop : str
        Name of the aggregated body.
    kind : str
        ``dead centre``: the hinge's coordinate turns back there.  ``crossing``: another branch of the loop's
        configurations crosses, and no coordinate tells which way to go.
    body : str
        Owner of the hinge; empty for a crossing.
    coordinates : dict of str to float
        All coordinates of the loop there: of hinges with one coordinate, by the names of their bodies.
    path : float
        Path coordinate.
    """

    loop: str
    kind: str
    body: str
    coordinates: dict[str, float]
    path: float


def dead_centres(linkage: PathLinkage) -> list[DeadCentre]:
    """All of them along the curve (once round, if it is closed), in the order of the path coordinate."""
    found = [
        DeadCentre(linkage.loop.name, "dead centre", body.name, coordinates(linkage, s), s)
        for body, j in single_coordinates(linkage)
        for s in turning_points(linkage, j)
    ]
    found += [
        DeadCentre(linkage.loop.name, "crossing", "", coordinates(linkage, s), s) for s in crossings(linkage)
    ]
    return sorted(found, key=lambda centre: (centre.path, centre.body))


def single_coordinates(linkage: PathLinkage) -> list[tuple[Body, int]]:
    """Bodies on hinges with one coordinate, and its place among all."""
    places = []
    start = 0
    for body in linkage.loop.dependent:
        if body.inboard.n_q == 1:
            places.append((body, start))
        start += body.inboard.n_q
    return places


def coordinates(linkage: PathLinkage, s: float) -> dict[str, float]:
    """Coordinates of the hinges with one coordinate."""
    q = linkage.table.coordinates.at(np.array((s,)))[0]
    return {body.name: float(q[j]) for body, j in single_coordinates(linkage)}


def once_round(linkage: PathLinkage) -> Array:
    """Points all along the curve."""
    lower, upper = linkage.reach()
    if linkage.table.closed:
        lower, upper = 0.0, linkage.curve.length
    return np.linspace(lower, upper, GRID + 1)


def turning_points(linkage: PathLinkage, j: int) -> list[float]:
    """Path coordinates at which coordinate j turns back."""
    import scipy.optimize  # here, because most models never ask

    def rate(s: float) -> float:
        return float(linkage.table.coordinates.at(np.array((s,)), 1)[0, j])

    s = once_round(linkage)
    rates = linkage.table.coordinates.at(s, 1)[:, j]
    if np.max(np.abs(rates)) <= AT_REST:
        return []
    return [
        float(scipy.optimize.brentq(rate, s[k], s[k + 1], xtol=1e-14))
        for k in np.flatnonzero((rates[:-1] < 0.0) != (rates[1:] < 0.0))
    ]


def crossings(linkage: PathLinkage) -> list[float]:
    """Path coordinates at which another branch crosses."""
    import scipy.optimize  # here, because most models never ask

    def regular(s: float) -> float:
        return regularity(linkage.kernel, linkage.table.coordinates.at(np.array((s,)))[0])

    s = [point.s for point in linkage.curve.points]
    values = [point.regular for point in linkage.curve.points]
    length = linkage.curve.length if linkage.table.closed else math.inf
    if linkage.table.closed:  # the last point is the first again: what comes before it does so there
        s, values = [s[-2] - length, *s], [values[-2], *values]
    found = []
    for k in range(1, len(s) - 1):
        if values[k] <= min(values[k - 1], values[k + 1]):
            bounds = s[k - 1], s[k + 1]
            least = scipy.optimize.minimize_scalar(
                regular, bounds=bounds, method="bounded", options={"xatol": 1e-10}
            )
            if least.fun < CROSSING:
                found.append(float(least.x) % length)
    return found
