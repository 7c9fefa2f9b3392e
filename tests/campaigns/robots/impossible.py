"""Campaign ``robots.impossible FOLDER``: what the states that are refused have for solutions.

Of every robot with loops beside its file the random states of `tests.campaigns.robots` are drawn, and where
the loops
cannot be assembled, all hinges of the uncut loops that do not lead are looked for by least squares from many
starts, without any formula.  Of what is found it is told how far it lies from the design pose, and how much
is on its branch: led from there to poses that were reached from the design pose, the loops arrive in the same
configuration.  The same is told of the first state, if it can be assembled: there, something must be.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.closures.choices import rows_around
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.loop import Loop
from ce_dynamics.embedding.numeric.base_pose import Base, Exploration
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from tests.campaigns.robots.__main__ import robots
from tests.campaigns.robots.compare import AROUND, MOST, SEED, SPEED, STATES, lengths, model_knowing

STARTS, EVALUATIONS = 300, 200
FARTHEST = (0.5, 1.0, 2.0, np.pi)
"""rad about the design pose that starts are drawn from."""
CLOSED = 1e-10
"""m or rad of a loop that counts as closed."""
SAME = 1e-6
"""rad or m between configurations that are the same."""
LED_TO = 11
"""Poses of those reached from the design pose that a solution is led to: that one and the nearest."""


class Loops:
    """All loops of an aggregated body at once, by Newton's method alone."""

    def __init__(self, S: Aggregate) -> None:
        linkage = NumericLinkage(Loop(S.parent, S.bodies, S.closures, S.dependent))
        self.kernel: LoopKernel = linkage.kernel
        self.q0 = linkage.q0
        self.rows = rows_around(self.kernel, self.q0, self.kernel.p0).rows

    def solutions(self, p: Array, starts: int) -> list[Array]:
        """Configurations at parameters p, each once."""
        rng, m = np.random.default_rng(SEED), self.kernel.loop.m
        found: list[Array] = []

        def residual(q: Array) -> Array:
            return self.kernel(q, p)[0]

        def slope(q: Array) -> Array:
            return self.kernel(q, p)[1][:, :m]

        for k in range(starts):
            far = FARTHEST[k % len(FARTHEST)]
            start = self.q0 + rng.uniform(-far, far, len(self.q0))
            solved = least_squares(residual, start, jac=slope, method="lm", max_nfev=EVALUATIONS)
            q = self.q0 + self.apart(solved.x, self.q0)
            closes = float(np.max(np.abs(solved.fun))) < CLOSED
            if closes and not any(np.max(np.abs(self.apart(q, other))) < SAME for other in found):
                found.append(q)
        return found

    def apart(self, a: Array, b: Array) -> Array:
        """From b to a, angles within half a turn."""
        return np.asarray(np.remainder(a - b + np.pi, 2.0 * np.pi) - np.pi)

    def on_branch(self, p: Array, found: list[Array]) -> int:
        """Count the solutions that lead to a pose on the branch of the design pose."""
        known = Exploration(self.kernel, self.rows, Base(self.kernel.p0, self.q0))
        known.search_goals([p])
        first, *others = known.poses
        near = [first, *sorted(others, key=lambda pose: float(np.linalg.norm(pose.p - p)))[: LED_TO - 1]]
        return sum(any(self.leads_to(Base(p, q), pose) for pose in near) for q in found)

    def leads_to(self, start: Base, pose: Base) -> bool:
        """Return True if the straight way from a configuration arrives at another."""
        end = Exploration(self.kernel, self.rows, start).towards(pose.p)
        return end is not None and bool(np.max(np.abs(self.apart(end, pose.q))) < SAME)


def seen(urdf: Path, loops: Path, starts: int) -> None:
    """Print what is found of a robot."""
    model = ce.compile(ce.read_urdf(urdf, loops=loops))
    looped = [S for S in model.embedding.aggregates if S.closures]
    if any(S.virtual for S in looped):
        print(f"{urdf.parent.name}: components of hinges lead")
        return
    whole = [(S, Loops(S)) for S in looped]
    rng = np.random.default_rng(SEED)
    q0, _, _ = model.layout.split(model.y0)
    good = 0
    for drawn in range(MOST * STATES):
        if good == STATES:
            break
        q = q0 + rng.uniform(-AROUND, AROUND, len(q0)) * lengths(model, len(q0))
        v = rng.uniform(-SPEED, SPEED, model.embedding.n_v)
        closes = model_knowing(model, q, v) is not None
        good += closes
        if closes and drawn:
            continue
        for S, each in whole:
            p = np.concatenate([q[model.embedding.q_of[body.name]] for body in each.kernel.parameters])
            found = each.solutions(p, starts)
            nearest = min((float(np.linalg.norm(each.apart(x, each.q0))) for x in found), default=np.inf)
            print(
                f"{urdf.parent.name:24s} state {drawn:2d} {'assembled' if closes else 'refused':10s} loops "
                f"of {S.name!r}: {len(found)} solutions from {starts} starts, the nearest {nearest:.2f} rad "
                f"from the design pose, {each.on_branch(p, found)} on its branch",
                flush=True,
            )


def main() -> int:
    """All robots of a folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign robots.impossible", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("only", nargs="*", help="words in the paths of the robots that are wanted")
    parser.add_argument("--starts", type=int, default=STARTS)
    given = parser.parse_args()
    warnings.simplefilter("ignore", ce.ImmobilityWarning)
    for urdf, loops in robots(given.folder, given.only):
        seen(urdf, loops, given.starts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
