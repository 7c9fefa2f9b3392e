"""Numbers of the shipped vehicles that change a result: campaign ``number_effects [vehicle ...]``.

Numbers that can be free are looked for in the equations of motion; every component of the others is changed
by itself, and what follows is compared bit by bit.  Numbers
without an effect are listed, and make the exit code 1.  Numbers whose every change is refused, such as the
zero that a table has to begin with, are listed as well; they are not silently without effect.
"""

import sys

from ce_dynamics.models.vehicles.files import SHIPPED
from tests.campaigns.number_effects.effects import along_its_line, components, of_the_equations, verdict


def main() -> None:
    """Print what has no effect, and what can be no other number."""
    idle = 0
    for vehicle in sys.argv[1:] or list(SHIPPED):
        without, fixed = 0, 0
        in_equations = of_the_equations(vehicle)
        for key in components(vehicle):
            if key in in_equations and not along_its_line(vehicle, key):
                continue
            found = verdict(vehicle, key)
            if found.refused:
                fixed += 1
                print(f"{vehicle}: {key} can be no other number: {found.refused}", flush=True)
            elif not found.effect:
                without += 1
                print(f"{vehicle}: {key} has no effect", flush=True)
        print(
            f"{vehicle}: {len(components(vehicle))} numbers, {without} without effect, {fixed} fixed",
            flush=True,
        )
        idle += without
    raise SystemExit(1 if idle else 0)


if __name__ == "__main__":
    main()
