"""``python -m tests.robots.impossible FOLDER``: whether states that are refused are indeed none.

Of every robot with loops beside its file the random states of `tests.robots` are drawn, and where the loops
cannot be assembled, the joints that do not lead are looked for by SciPy's least squares on Pinocchio's
kinematics, from many starts all round: what is printed is the smallest gap that any of them leaves.  The same
is asked at a state that was assembled, where some starts must close all loops.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from tests.robots.__main__ import robots
from tests.robots.compare import (
    AROUND,
    MOST,
    SEED,
    SPEED,
    STATES,
    joint_names,
    lengths,
    model_knowing,
)
from tests.robots.pinocchio_peer import Peer

STARTS = 400
CLOSED = 1e-9
"""m or rad of a loop that counts as closed."""


class Gap(NamedTuple):
    """What is left of the loops.

    Attributes
    ----------
    smallest : float
        Of all starts [m or rad].
    closing : int
        Starts from which all loops were closed.
    """

    smallest: float
    closing: int


class Loops:
    """The gaps of a robot's loops over the joints that do not lead, by Pinocchio.

    Parameters
    ----------
    peer : Peer
    given : dict of str to float
        Coordinates of the leading joints, by name.
    """

    def __init__(self, peer: Peer, given: dict[str, float]) -> None:
        pin, model = peer.pin, peer.model
        self.peer, self.neutral = peer, np.array(pin.neutral(model))
        joints = [(model.names[j], model.joints[j]) for j in range(1, model.njoints)]
        for name, joint in joints:
            if name in given:
                peer.place(self.neutral, joint, given[name])
        self.free: list[Any] = [joint for name, joint in joints if name not in given]
        self.columns = [joint.idx_v for joint in self.free]

    def configuration(self, x: Array) -> Array:
        """Pinocchio's, with the joints that are looked for at x."""
        q = self.neutral.copy()
        for joint, value in zip(self.free, x, strict=True):
            self.peer.place(q, joint, value)
        return q

    def gap(self, x: Array) -> Array:
        """Displacement, and rotation vector of closures of all six motions, between their frames."""
        pin, model, data = self.peer.pin, self.peer.model, self.peer.data
        pin.framesForwardKinematics(model, data, self.configuration(x))
        parts = []
        for a, b, n in self.peer.pairs:
            apart = data.oMf[a].actInv(data.oMf[b])
            parts.append(np.array(apart.translation))
            if n == 6:
                parts.append(np.array(pin.log3(apart.rotation)))
        return np.concatenate(parts)

    def searched(self, starts: int) -> Gap:
        """The smallest gap of many least squares."""
        rng = np.random.default_rng(SEED)
        smallest, closing = np.inf, 0
        for _ in range(starts):
            x = rng.uniform(-np.pi, np.pi, len(self.free))
            left = float(np.max(np.abs(least_squares(self.gap, x, xtol=1e-12, ftol=1e-12).fun)))
            smallest, closing = min(smallest, left), closing + (left < CLOSED)
        return Gap(smallest, closing)


def seen(urdf: Path, loops: Path, starts: int) -> None:
    """Print what is found of a robot."""
    model = ce.compile(ce.read_urdf(urdf, loops=loops))
    joint_of, rng = joint_names(urdf), np.random.default_rng(SEED)
    q0, _, _ = model.layout.split(model.y0)
    names = [joint_of.get(entry.name) for entry in model.layout.q]
    peer = Peer(urdf, loops)
    good = checked = 0
    for _ in range(MOST * STATES):
        if good == STATES:
            break
        q = q0 + rng.uniform(-AROUND, AROUND, len(q0)) * lengths(model, len(q0))
        v = rng.uniform(-SPEED, SPEED, model.embedding.n_v)
        closes = model_knowing(model, q, v) is not None
        good += closes
        if closes and checked:
            continue
        checked += closes
        if None in names:
            print(f"{urdf.parent.name}: not every coordinate is a joint's")
            return
        given = {str(name): float(value) for name, value in zip(names, q, strict=True)}
        gap = Loops(peer, given).searched(starts)
        what = "assembled" if closes else "refused"
        print(
            f"{urdf.parent.name:24s} {what:10s} smallest gap {gap.smallest:8.1e}, "
            f"closed from {gap.closing} of {starts} starts",
            flush=True,
        )


def main() -> int:
    """All robots of a folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.robots.impossible", description=__doc__)
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
