"""Which numbers of the shipped vehicles change a result: ``python -m tests.number_effects [vehicle ...]``.

Every component of every number is changed by itself, and what follows is compared bit by bit.  Numbers
without an effect are listed, and make the exit code 1.
"""

from __future__ import annotations

import sys

from ce_dynamics.models.vehicles.files import SHIPPED
from tests.number_effects.effects import components, has_effect


def main() -> None:
    """Print what has no effect."""
    idle = 0
    for vehicle in sys.argv[1:] or list(SHIPPED):
        found = components(vehicle)
        without = []
        for key in found:
            if not has_effect(vehicle, key):
                without.append(key)
                print(f"{vehicle}: {key} has no effect", flush=True)
        print(f"{vehicle}: {len(found)} numbers, {len(without)} without effect", flush=True)
        idle += len(without)
    raise SystemExit(1 if idle else 0)


if __name__ == "__main__":
    main()
