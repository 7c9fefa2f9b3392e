"""Compliant stops at the ends of a hinge coordinate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, cos, maximum, minimum, sin
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import Named, Number, number
from ce_dynamics.mechanism.forces.base import HingeElement, HingeLoad, Observer, Response
from ce_dynamics.mechanism.forces.torsion import LOAD_UNITS, coordinate_unit


def compute_press(p: Scalar, onset: float) -> tuple[Scalar, Scalar]:
    """Load and stored energy per stiffness where the parts overlap by p; none where p is negative."""
    if onset == 0.0:
        p = maximum(p, 0.0)
        return p, 0.5 * p * p
    s, beyond = minimum(maximum(p / onset, 0.0), 1.0), maximum(p - onset, 0.0)
    within = onset * s**5 * (7.0 - s * (14.0 - s * (10.0 - 2.5 * s)))
    energy = onset * onset * s**6 * (7.0 / 6.0 - s * (2.0 - s * (1.25 - s * (5.0 / 18.0))))
    return within + beyond, energy + 0.5 * beyond * (onset + beyond)


def press(
    p: Scalar, rate: Scalar, stiffness: float, dissipation: float, onset: float
) -> tuple[Scalar, Scalar]:
    """Return the load k p (1 + d ṗ), which never pulls, and the energy stored, where parts overlap by p."""
    pressing, energy = compute_press(p, onset)
    return stiffness * pressing * maximum(1.0 + dissipation * rate, 0.0), stiffness * energy


@dataclass(eq=False, repr=False)
class JointStop(Named, HingeElement):
    """Stops that press a coordinate back into a range, by Hunt and Crossley's law.

    Beyond an end by p the load is k p (1 + d ṗ) towards the range, never away from it: it begins and ends
    without a step, and the loss grows with the speed of the impact.

    Parameters
    ----------
    name : str
    body : Body
        Owner of the hinge.
    lower, upper : float
        Ends of the range [rad or m]; either may be infinite.
    stiffness : float
        k [N m/rad or N/m], positive.
    dissipation : float
        d [s/rad or s/m]; an impact at speed v rebounds with about 1 − ⅔ d v of it, for small d v.
    onset : float
        Length over which the stiffness grows to k [rad or m], so that fixed steps keep their order.
    component : int
        Which coordinate of the hinge.

    Raises
    ------
    ModelError
        If the hinge has no such coordinate, the ends do not ascend or both are infinite, a number is not
        finite, the stiffness not positive or the dissipation negative; if a range of an angle is a whole turn
        or wider, or its only end lies half a turn or more from the design pose: turns are not counted.
    """

    noun: ClassVar[str] = "stop"

    body: Body
    lower: float
    upper: float
    stiffness: Number = number(at_least=0.0)
    dissipation: Number = number(0.0, at_least=0.0)
    _: KW_ONLY
    onset: Number = number(0.0, at_least=0.0)
    component: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        owner, lower, upper = self._owner, self.lower, self.upper
        unit = coordinate_unit(self.body, self.component, owner)
        endless = checks.is_scalar(lower) and lower == -math.inf
        self.lower = lower if endless else checks.number(f"{owner}: lower", lower)
        self.upper = checks.number(f"{owner}: upper", upper, infinite=True)
        if not self.lower < self.upper or (math.isinf(self.upper - self.lower) and not self._ends):
            raise ModelError(f"{owner}: lower {lower!r} and upper {upper!r} must ascend, one of them finite")
        if not nominal(self.stiffness) > 0.0:
            raise ModelError(f"{owner}: stiffness {self.stiffness!r} must be > 0")
        design = float(self.body.inboard.neutral[self.component])
        far = max(abs(end - design) for end in self._ends)
        self._middle: float | None = None
        if unit == "rad" and far >= math.pi:
            if not self.upper - self.lower < 2.0 * math.pi:
                raise ModelError(
                    f"{owner}: lower {lower!r} and upper {upper!r} reach beyond a turn about the design pose "
                    f"and turns are not counted; give a narrower range, or leave the stop out"
                )
            self._middle = 0.5 * (self.lower + self.upper)
        self.outputs = {"load": LOAD_UNITS[unit]}

    @property
    def _ends(self) -> list[float]:
        return [end for end in (self.lower, self.upper) if math.isfinite(end)]

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        """Return the load on the hinge, and the energy that its stiffness stores."""
        q = observer.coordinate(self.body, self.component)
        if self._middle is not None:  # the angle that is the nearest to the middle of the range
            off = q - self._middle
            q = self._middle + arctan2(sin(off), cos(off))
        rate = observer.rate(self.body, self.component)
        law = self.stiffness, self.dissipation, self.onset
        load: Scalar = 0.0
        stored: Scalar = 0.0
        if math.isfinite(self.upper):
            pressing, energy = press(q - self.upper, rate, *law)
            load, stored = load - pressing, stored + energy
        if math.isfinite(self.lower):
            pressing, energy = press(self.lower - q, -rate, *law)
            load, stored = load + pressing, stored + energy
        return Response(
            (HingeLoad(self.body, self.component, load),), outputs={"load": load}, potential=stored
        )
