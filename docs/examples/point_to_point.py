"""Two thrown bodies joined by a ball and socket: the 15×15 system, its drift, and the same pair embedded.

    python docs/examples/point_to_point.py [folder]

prints the numbers and writes a picture and an animation into the folder (the current one if not given); those
of ``docs/point-to-point.md`` are in ``docs/figures``.
"""

import sys

from ce_dynamics.models.point_to_point import main

folder = next(iter(sys.argv[1:2]), ".")
code = main(["--matrix", "--animation", "--output", folder])
assert code == 0
