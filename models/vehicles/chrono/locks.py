"""Full locks of Chrono's files that lie a little beyond the reach of their linkages."""

from __future__ import annotations

from collections.abc import Collection

from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.models.vehicles.chrono.phases import built
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.writing import Sections
from ce_dynamics.models.vehicles.steering.base import LOCKS, steering_reach

OVERLOOKED = 0.9
"""Of full lock: a linkage that reaches less has a point in the wrong place; whoever drives it is told."""
CLEAR = 0.9
"""Of what is reached in the design position: as wheels travel, linkages end earlier."""


def set_locks(reading: Reading, sections: Sections, names: Collection[str]) -> None:
    """Let mechanisms end before their linkages do, which Chrono's solver would tear open."""
    try:
        mechanisms = built(reading, sections, names)
    except CeDynamicsError:  # which is told where the vehicle is loaded, with its keys
        return
    for name, (mechanism, corners) in mechanisms.items():
        reached = min(steering_reach(mechanism, corner, lock) for corner in corners for lock in LOCKS)
        if not OVERLOOKED < reached < 1.0:
            continue
        (key, whole), (_, end) = mechanism.full_lock(), mechanism.full_lock(reached)
        reading.lock = CLEAR * reached
        _, taken = mechanism.full_lock(reading.lock)
        section = sections[name]
        assert isinstance(section, dict)
        section[key.rpartition(".")[2]] = taken
        reading.note(f"full lock of the {name}: the linkage ends at {end} of {whole}, {taken} are taken")
