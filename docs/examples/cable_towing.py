"""Bodies towed by cables: two scenes with plots and an animation, and a set of tensions that is not unique.

    python docs/examples/cable_towing.py [--animation]

prints the numbers and writes pictures into the current folder, with ``--animation`` an animation and the
pendulum too; those of ``docs/cable-towing.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import sys

from ce_dynamics.complementarity import Exact, RigidBody, Straight, evenly, uniqueness
from ce_dynamics.models.demonstrations.cable_towing.__main__ import demonstrate
from ce_dynamics.models.demonstrations.cable_towing.model import End, Tow, Towing

ANIMATION = "--animation"


def main() -> None:
    if ANIMATION in sys.argv:
        demonstrate(["--scene", "pendulum"])
        demonstrate(["--scene", "robots", ANIMATION])
    else:
        demonstrate(["--scene", "robots"])
    print()
    report()


def report() -> None:
    """Two robots pull a crate with cables side by side: any share of the load moves it alike."""
    crate = RigidBody("crate", 2.0, (0.1, 0.1, 0.1))
    cables = [Tow(f"robot {n}", End("crate"), Straight((n, 0, 0)), float(n)) for n in (2, 3)]
    towing = Towing([crate], cables, gravity=(-9.81, 0.0, 0.0))
    h = 1e-3
    problem = towing.problem(towing.start, 0.0, h)
    solution = Exact().solve(problem)
    found = uniqueness(problem, solution)
    print(f"v⁺ unique: {found.w_unique}; tensions unique: {found.p_unique}")
    even = evenly(problem, solution) / h
    for k, cable in enumerate(cables):
        low, high = found.lowest[k] / h, found.highest[k] / h
        print(
            f"{cable.name}: {solution.p[k] / h:.2f} N found, {low:.2f} to {high:.2f} N possible,"
            f" {even[k]:.2f} N if shared evenly"
        )


if __name__ == "__main__":
    main()
