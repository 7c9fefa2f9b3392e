"""Ask, print what does not hold, exit with 1 if anything does not."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np

import ce_dynamics as ce
from tests.campaigns.answers.checks import ANSWERS, state_of
from tests.campaigns.answers.systems import SYSTEMS


def height(system: ce.System, see: Any) -> Any:
    """Return the height of a point of the last body."""
    return see.point(system.bodies[-1], np.array((0.3, 0.2, 0.1)), system.ground).r[2]


def main() -> int:
    """All answers of all systems."""
    wrong = 0
    for name, described in SYSTEMS.items():
        system = described()
        system.add_output("height", "m", partial(height, system))
        model = ce.compile(system)
        state = state_of(model)
        for answer in ANSWERS:
            try:
                answer(model, state, model.u0.copy())
            except Exception as error:  # whatever it is, it is what this looks for
                wrong += 1
                print(f"{name}: {answer.__name__}: {type(error).__name__}: {error}")
    print(f"{len(SYSTEMS)} systems, {len(ANSWERS)} answers each: {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
