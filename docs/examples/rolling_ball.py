"""A ball on a turntable and down an incline, in two formulations, against theory.

    python docs/examples/rolling_ball.py [folder]

prints the numbers and writes pictures and animations into the folder (the current one if not given); those of
``docs/rolling-ball.md`` are in ``docs/figures``.
"""

import sys

from ce_dynamics.models.rolling_ball import main

folder = next(iter(sys.argv[1:2]), ".")
for scene in ("turntable", "incline"):
    code = main(["--scene", scene, "--output", folder, *(["--animation"] if scene == "turntable" else [])])
    assert code == 0
    print()
