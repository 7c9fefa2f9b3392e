"""Two bars on parallel axes whose ends meet: a triangle of two known sides and one known from elsewhere.

Bar x turns about P.  Either bar y turns about Q on something else and their ends meet in J (side by side),
or y turns about J on x and its end meets the point Q of something else (one after the other).  In the plane,
with D from P to Q, L = |D|, r1 = |PJ| and r2 = |JQ|,

    J − P = a D + σ h (n × D),   a = (r1² − r2² + L²) / (2 L²),   h = √(r1² / L² − a²),

where n is the direction of the axes and σ that side of PQ on which J is in the design pose.
"""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, cross, dot
from ce_dynamics.embedding.closed_forms.formulas import third_corner
from ce_dynamics.embedding.closed_forms.planar_pair import End, Placed, PlanarPair, angle, revolute
from ce_dynamics.embedding.closed_forms.turn_to_length import DEAD
from ce_dynamics.embedding.motion import BodyMotion, SubgraphMotion
from ce_dynamics.mechanism.body import Body


class PlanarBars(PlanarPair):
    """Two bars on revolute hinges; see `PlanarPair`."""

    def __init__(self, x: Body, y: Body, closes: str, end: End, other: End, welded: tuple[Body, ...]) -> None:
        super().__init__(x, y, closes, end, other, welded, revolute(x).axis)
        self.flip = float(np.sign(self.n @ revolute(y).axis))
        P = revolute(x).at
        J, Q = (revolute(y).at, other.at) if self.serial else (end.at, revolute(y).at)
        f, g, D = self.flat(J - P), self.flat(Q - J), self.flat(Q - P)
        side = float(np.cross(D, f) @ self.n)
        lengths = [float(np.linalg.norm(v)) for v in (D, f, g)]
        self.regular = min(lengths) > 0.0 and abs(side) > DEAD * lengths[0] * lengths[1]
        self.sigma = float(np.sign(side))

    @property
    def how(self) -> str:
        return f"in closed form: {self.x.name!r} and {self.y.name!r} are two sides of a triangle"

    def place(self, motion: SubgraphMotion, carrier: BodyMotion, n: Array) -> Placed:
        x, y = revolute(self.x), revolute(self.y)
        Q = self.far(motion) if self.serial else self.foot(motion, self.y)
        D = Q.r - self.foot(motion, self.x).r
        D = D - n * dot(n, D)
        f = self.lever(x, self.inner, y.at if self.serial else self.end.at, motion)
        g = self.lever(y, self.outer, self.end.at if self.serial else self.other.at, motion)
        to_J = third_corner(D, n, dot(f, f), dot(g, g), self.sigma)
        c_x = angle(f, carrier.R.T @ to_J, self.n)
        if self.serial:
            middle = self.turned(self.x, carrier, c_x, self.inner, motion)
            c_y = angle(g, middle.R.T @ (D - to_J), y.axis)
        else:
            c_y = angle(g, motion.carrier(self.y.name).R.T @ (to_J - D), y.axis)
        return Placed(c_x, c_y, cross(n, D if self.serial else to_J), cross(n, D - to_J) * self.flip)
