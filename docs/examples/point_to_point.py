"""Two thrown bodies joined by a ball and socket: the 15×15 system, its drift, and the same pair embedded.

    python docs/examples/point_to_point.py

prints the numbers and writes a picture and an animation into the current folder; those of
``docs/point-to-point.md`` are in ``docs/figures``.
"""

from ce_dynamics.models.demonstrations.point_to_point.__main__ import main

assert main(["--matrix", "--animation"]) == 0
