"""Rates of an axle: stiffness at its wheels, derivatives of its geometry along travel, and steepness.

Towards the end of its travel the coordinates q of a suspension move ever faster with the wheels: dq/dz = D
grows without bound where links let a wheel come no higher or lower.  Where a loop or the steering nears its
dead centre, ∂/∂q of the places of the wheels and of the lengths of springs grows.  The condition of a pose is
the largest of these growths.  The travel that remains goes with its inverse (at a loop's dead centre) or with
the square of that; derivatives hold for changes that are small beside it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, array, norm, zeros
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import TracedFunction, compile_function, trace
from ce_dynamics.models.kc.poses import AxlePoses, Geometry, Travels
from ce_dynamics.models.kc.settling import inverse, right_inverse
from ce_dynamics.models.kc.wheel_geometry import CarrierScrew, turning


def rates_of(
    travels: Travels, force: Array, springs: Array, bars: Array, tyres: Array, track: Scalar
) -> dict[str, Scalar | Array]:
    """Return forces, wheel, ride and roll rates of the travels that there are.

    C33, C39 and C99 of the compliance matrix are those of K⁻¹; wheels that share a travel have a part each of
    its force, and the compliance of their way.

    Parameters
    ----------
    travels : Travels
    force : (m,) array
        Derivatives of the energy by the travels [N].
    springs, bars : (m, m) arrays
        Derivatives of the forces by the travels [N/m].
    tyres : (2,) array
        Vertical stiffnesses [N/m].
    track : scalar
        [m]
    """
    K, found = springs + bars, dict[str, Scalar | Array]()
    if "parallel" in travels.kinds:
        of_wheels = travels.spread(K)
        k = of_wheels[:, 0] + of_wheels[:, 1]
        found |= {"wheel_force": travels.spread(force), "wheel_rate": k, "ride_rate": k / (1.0 + k / tyres)}
    C, C_springs = inverse(K), inverse(springs)
    if "left" in travels.kinds:
        found["single_wheel_rate"] = array((1.0 / C[0, 0], 1.0 / C[1, 1]))
    if "opposed" in travels.kinds:
        for without, c in (("", C), ("_without_bars", C_springs)):
            # track²/(C33 − C39 − C93 + C99), the tyres' compliances added; 4/K where wheels go ±z
            across = 4.0 * c[0, 0] if len(c) == 1 else c[0, 0] - c[0, 1] - c[1, 0] + c[1, 1]
            found[f"roll_rate{without}"] = track * track / across
            in_tyres = 1.0 / tyres[0] + 1.0 / tyres[1]
            found[f"roll_rate_with_tyres{without}"] = track * track / (across + in_tyres)
    return found


class Travelling:
    """An axle at c and how it moves: per metre of wheel travel, and per unit of steering.

    ``by`` are derivatives of the geometry by the coordinates of the suspension and that of the steering;
    ``settled`` is the balance of the springs, where that decides.  D (n_q, m) is the change of the
    coordinates per travel that can be chosen (`Travels.rows`), the others held.
    """

    def __init__(self, poses: AxlePoses, c: Array) -> None:
        n = poses.moved
        self.n, self.rows = n, poses.travels.rows
        self.now = poses.at(c)
        self.by = [poses.along(c, k) for k in range(n + len(poses.places.s))]
        self.settled = None if poses.settling is None else poses.settling.at(c)
        if self.settled is None:
            self.D = right_inverse(self.travels_from_wheels(self.heights(self.by[:n])))
        else:
            self.D = self.settled.D

    def heights(self, by: list[Geometry]) -> Array:
        """Return rows of both wheels' heights."""
        return array(array(one.W[side, 2] for one in by) for side in (0, 1))

    def travels_from_wheels(self, of_wheels: Array) -> Array:
        """Return the travels that can be chosen (m, …) from those of both wheels (2, …)."""
        if len(self.rows) == 2:
            return of_wheels
        chosen: Array = self.rows @ of_wheels
        return chosen

    @property
    def travel(self) -> Array:
        """Travel of the wheel centres since the design pose, upwards."""
        return self.now.W[:, 2] - self.now.W_0[:, 2]

    def wheels(self, left: float, right: float) -> Array:
        """Return the direction in which the wheels travel so much; one that they can (`Travels.kinds`)."""
        way = self.travels_from_wheels(np.array((left, right)))
        d: Array = sum_of(part * self.D[:, k] for k, part in enumerate(way))
        return pad_coordinates(d, len(self.by) - self.n)

    def travel_directions(self) -> list[Array]:
        """Return directions of the travels that can be chosen, one at a time."""
        return [pad_coordinates(d, len(self.by) - self.n) for d in self.D.T]

    def steering(self, locked: Array | None = None) -> Array:
        """Return direction of steering, the wheels at constant height, or with rows of ``locked`` constant.

        ``locked`` has the derivatives of what stays constant of both wheels by the coordinates and by the
        steering; where the balance of springs decides it is the height.
        """
        if self.settled is not None:
            return array([*self.settled.by_steering(), 1.0])
        rows = self.travels_from_wheels(self.heights(self.by) if locked is None else locked)
        d = -right_inverse(rows[:, : self.n]) @ rows[:, self.n]
        return array([*d, 1.0])

    def change(self, name: str, direction: Array) -> Array:
        """Return the derivative of a part of the geometry along a direction."""
        return sum_of(d * getattr(by, name) for d, by in zip(direction, self.by, strict=True))

    def screw(self, side: int, direction: Array) -> CarrierScrew:
        """Return the motion of a carrier along a direction, at its wheel's centre."""
        w = turning(self.now.R[side], self.change("R", direction)[side])
        return CarrierScrew(w, self.now.W[side], self.change("W", direction)[side])


def sum_of(terms: Iterable[Array]) -> Array:
    """Return a sum of arrays."""
    total: Array
    total, *others = terms
    for term in others:
        total = total + term
    return total


def pad_coordinates(d: Array, others: int) -> Array:
    """Return changes of the coordinates, and zeros for the rest."""
    return array([*d, *zeros(others)])


NEAR = 10.0
"""Condition above which a pose is near the end of travel: a hundredth to a thousandth of it is left."""


def steepness(poses: AxlePoses) -> TracedFunction:
    """Return sizes of dq/dz, then of the derivatives of the geometry by each coordinate and the steering."""

    def steep(c: Array) -> dict[str, Array]:
        axle = Travelling(poses, c)
        return {"sizes": array([norm(np.ravel(axle.D)), *(norm(stack_changes(by)) for by in axle.by)])}

    return trace(f"{poses.axle.name} axle: steepness", steep, {"c": poses.size})


def stack_changes(by: Geometry) -> Array:
    """Return one vector of the changes of places, attitudes and lengths [m], [rad]."""
    return np.concatenate([np.ravel(part) for part in (by.W, by.R, by.lengths)])


class Steepness:
    """The condition of poses, beside the design pose."""

    def __init__(self, poses: AxlePoses, design: Floats) -> None:
        self._function = compile_function(steepness(poses))
        (self._design,) = self._function(design)

    def at(self, poses: Floats) -> Floats:
        """Return the condition of every pose (n,): 1 in the design pose, infinite where a part cannot be."""
        (rows,) = self._function.at_rows(poses)
        with np.errstate(divide="ignore", invalid="ignore"):
            growth = np.where(self._design > 0.0, rows / self._design, 1.0)
        found: Floats = np.max(np.where(np.isnan(growth), np.inf, growth), axis=1, initial=1.0)
        return found
