"""A ball on a turntable and down an incline, in two formulations, against theory.

    python docs/examples/rolling_ball.py

prints the numbers and writes pictures and an animation into the current folder; those of
``docs/rolling-ball.md`` are in ``docs/figures``.
"""

from ce_dynamics.models.demonstrations.rolling_ball.__main__ import main

assert main(["--scene", "turntable", "--animation"]) == 0
print()
assert main(["--scene", "incline"]) == 0
