"""Reports the design pose of a robot and the gaps of its loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.readers.chains import Chains, frame_of
from ce_dynamics.readers.closures import Gap, gap_between
from ce_dynamics.readers.design_pose import MEANT, ClosedPose, DesignPoseSearch
from ce_dynamics.readers.pose import Pose

LISTED = 12
"""Coordinates that are listed."""


def report(
    search: DesignPoseSearch, found: ClosedPose, names: Sequence[str], places: Mapping[str, str], file: str
) -> list[str]:
    """Return notes on the design pose; none if it is as given.

    Notes name the loops that are open in the wanted pose, and the coordinates that differ from wanted ones.
    """
    if found.how == "as given":
        return []
    where = "in the wanted pose" if np.any(search.wanted) else "in the zero pose"
    gaps = gaps_of(search.chains, search.wanted)
    notes = [f"{places[name]}: open by {gap} {where}" for name, gap in gaps if not gap.is_closed]
    changed = [
        f"{name}={value:.6g}"
        for name, value, wanted in zip(names, found.q.tolist(), search.wanted.tolist(), strict=True)
        if value != wanted
    ]
    more = f" and {len(changed) - LISTED} more" if len(changed) > LISTED else ""
    tried = f", one of {search.assembled} assembled from {search.tried} starts" if search.tried else ""
    held = search.error(search.wanted) <= MEANT
    unled = f"{[names[k] for k in search.wished]} cannot lead" if search.must_lead else ""
    why = f"closed {where}, but {unled or 'singular'}" if held else f"couplings do not hold {where}"
    singular = "" if notes else f" ({why})"
    chosen = (
        f"{file}: design pose found {found.how}{tried}{singular}: "
        f"{', '.join(changed[:LISTED])}{more}; there the loops have {found.freedoms} freedoms, and the "
        f"smallest singular value of Y1 is {found.quality:.2g}"
    )
    if found.error > MEANT:
        chosen += (
            f"; in no pose are the loops closed better than to {found.error:.2g} (rad, or sizes of it), "
            f"as with data of few digits, and their frames are taken to meet there"
        )
    return [*notes, chosen]


def gaps_of(chains: Chains, q: Array) -> Iterator[tuple[str, Gap]]:
    """Yield the name and the gap of each loop at coordinates (n,)."""
    poses = chains.poses(q[np.newaxis])
    for loop in chains.loops:
        (R_a, r_a), (R_b, r_b) = (
            frame_of(poses, end, at) for end, at in ((loop.a, loop.at_a), (loop.b, loop.at_b))
        )
        yield loop.name, gap_between(loop.kind, Pose(R_a[0], r_a[0]), Pose(R_b[0], r_b[0]), loop.axis)
