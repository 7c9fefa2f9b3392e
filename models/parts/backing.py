"""Backing trailers up: how to steer a train along a path with its last axle, without folding it.

Seen from behind, the last axle is a vehicle that drives forwards along the path, which needs a curvature of
it.  Without slip, a unit whose axle goes with v < 0 and turns with v κ turns the one behind it, whose hitch
lies e behind that axle and d ahead of its own, over the way s = |v| t by

    dγ/ds = sin γ/d + κ (1 + e/d cos γ),

γ its yaw angle against what tows it: it folds up if left alone.  Where the trailer's axle goes round a circle
of curvature κ₂, what tows it has κ₁ = κ₂/√(1 + κ₂² (d² − e²)), and γ = −arctan(d κ₂) − arctan(e κ₁).  The
curvature of the trailer's path needs that angle, and

    κ = −(k (γ − γ_wanted) + sin γ/d)/(1 + e/d cos γ)

makes the error die out by e^(−k s).  κ is wanted of what tows, in turn, until it is the vehicle that steers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar, arcsin, arctan, cos, maximum, minimum, sin, sqrt
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.models.parts.paths import Path
from ce_dynamics.models.parts.rounding import saturate_symmetric

QUICKNESS = 2.0
"""k d of the last trailer; and how much quicker than one trailer what tows it is led."""
SIGHT = 2.0
"""Least preview, over the length from the vehicle's axle to the last one."""
SPARE = 0.8
"""Part that is used of the angle from which full lock does not unfold a trailer any more."""
SOFTNESS = 0.02
"""Width of the rounded corners of these limits."""
QUICKEST = 6.0
"""[rad/s]; k |v| of one trailer that steering and tyres keep up with, half of it for two."""
LEAST = 1e-3
"""Least 1 + κ² (d² − e²), which vanishes where the towing unit would turn on the spot."""


class BackedTrailer(NamedTuple):
    """Geometry of a trailer for the reversing driver model.

    ``overhang`` is how far its hitch lies behind the axles of what tows it (negative: ahead of them) and
    ``drawbar`` how far its own axles lie behind the hitch [m].
    """

    name: str
    overhang: Scalar
    drawbar: Scalar

    @property
    def length(self) -> Scalar:
        """From axle to axle [m]."""
        return self.overhang + self.drawbar

    def angle(self, curvature: Scalar) -> Scalar:
        """Return the yaw angle against the towing unit where the axle moves along a circle [rad]."""
        e, d = self.overhang, self.drawbar
        ahead = curvature / sqrt(maximum(1.0 + curvature * curvature * (d * d - e * e), LEAST))
        return 0.0 - arctan(d * curvature) - arctan(e * ahead)

    def curvature_ahead(self, yaw: Scalar, wanted: Scalar, quickness: Scalar) -> Scalar:
        """Return the curvature of the towing unit that brings its yaw angle to the target [1/m]."""
        e, d = self.overhang, self.drawbar
        return 0.0 - (quickness * (yaw - wanted) + sin(yaw) / d) / (1.0 + e / d * cos(yaw))

    def most_curved(self, sharpest: Scalar) -> Scalar:
        """Return the curvature of its axle [1/m] at `SPARE` of the angle set by the sharpest one ahead of it.

        That angle is where dγ/ds vanishes: sin γ = κ (d + e cos γ).
        """
        e, d = self.overhang, self.drawbar
        root = sqrt(1.0 + sharpest * sharpest * e * e)
        yaw = SPARE * (arctan(sharpest * e) + arcsin(minimum(sharpest * d / root, 1.0)))
        ahead = sin(yaw) / (d + e * cos(yaw))
        return ahead / maximum(cos(yaw) + e * ahead * sin(yaw), LEAST)


class Train(NamedTuple):
    """Axles and trailers of a vehicle that is driven backwards.

    ``rear`` is the x of the vehicle's unsteered axles from the point whose position the sensors give [m].
    The only trailer of a vehicle that is ``folded`` to steer is its rear half.
    """

    rear: Scalar
    towed: tuple[BackedTrailer, ...]
    folded: bool = False

    @property
    def last(self) -> Scalar:
        """Position of the last axle with all trailers in line, in x from that point [m]."""
        return self.rear - sum(one.length for one in self.towed)

    @property
    def nominal(self) -> Train:
        """Return a copy with nominal values of free parameters."""
        towed = (
            BackedTrailer(one.name, float(nominal(one.overhang)), float(nominal(one.drawbar)))
            for one in self.towed
        )
        return Train(float(nominal(self.rear)), tuple(towed), self.folded)

    @property
    def fastest(self) -> float:
        """Speed at which it can be backed up [m/s]; a vehicle that folds as fast as any."""
        if self.folded:
            return math.inf
        return QUICKEST / len(self.towed) / float(max(gains(self.nominal.towed)))


class AxlePlace(NamedTuple):
    """Position of an axle on the ground [m] and its heading [rad]."""

    x: Scalar
    y: Scalar
    yaw: Scalar


def last_axle(train: Train, sensors: Mapping[str, Scalar]) -> AxlePlace:
    """Return the position and heading of the last axle of a train."""
    yaw = sensors["yaw"]
    x, y = sensors["x"] + train.rear * cos(yaw), sensors["y"] + train.rear * sin(yaw)
    for one in train.towed:
        own = yaw + sensors[f"{one.name}.hitch_yaw"]
        x = x - one.overhang * cos(yaw) - one.drawbar * cos(own)
        y = y - one.overhang * sin(yaw) - one.drawbar * sin(own)
        yaw = own
    return AxlePlace(x, y, yaw)


def curvature_to_steer(
    train: Train, path: Path, seen: Mapping[str, Scalar], sharpest: Scalar, preview: Scalar, aim_gain: Scalar
) -> Scalar:
    """Return curvature of the vehicle, forwards and to the left, that leads the last axle along a path [1/m].

    ``seen`` are ``x``, ``y`` and ``yaw`` of the last axle looking back, and the hitches' yaw angles;
    ``sharpest`` the curvature at full lock [1/m]; the preview is `SIGHT` train lengths at least.
    """
    quick, limits = gains(train.towed), [sharpest]
    for one in train.towed:
        limits.append(one.most_curved(limits[-1]))
    # the path is taken where the last axle will be when it has answered: (1 + e s)/(1 + s/k) of each hitch
    forward = sum(1.0 / k - one.overhang for k, one in zip(quick, train.towed, strict=True))
    reach = SIGHT * sum(one.drawbar + maximum(one.overhang, 0.0) for one in train.towed)
    ahead = maximum(preview, reach)
    view = path.view(seen["x"], seen["y"], seen["yaw"], ahead, forward)
    correction = 2.0 * aim_gain * (view.aim - view.aim_on_path) / (ahead * ahead)
    curvature = 0.0 - view.curvature - correction
    for one, k, most in reversed(list(zip(train.towed, quick, limits[1:], strict=True))):
        held = most * saturate_symmetric(curvature / most, SOFTNESS)
        curvature = one.curvature_ahead(seen[f"{one.name}.hitch_yaw"], one.angle(held), k)
    return curvature


def gains(towed: Sequence[BackedTrailer]) -> list[Scalar]:
    """Return the k of each trailer [1/m]: towing units follow more quickly than the towed ones."""
    found: list[Scalar] = []
    behind: Scalar = 0.0
    for one in reversed(towed):
        behind = maximum(QUICKNESS / one.drawbar, QUICKNESS * behind)
        found.insert(0, behind)
    return found
