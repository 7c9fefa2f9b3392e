"""Why Adams' printed digits are not met as such: ``python -m tests.models.kc.adams``.

Hardpoints and bushings of Adams' demonstration of a front axle are published, its springs are not.  Without
springs nothing loads the bushings but their own torsion.  Springs on the lower arms move both figures; rate
and lean of one at 60 % of the arm are found with which both are Adams', to all digits.
"""

import numpy as np
from scipy.optimize import root

from tests.models.kc.rods import Floats
from tests.models.kc.test_compliance import ADAMS, axle, changes_over_travel


def spring() -> Floats:
    """Rate [N/mm] and lean [mm in 350] with which both figures are those of Adams."""

    def missing(x: Floats) -> Floats:
        return 1e3 * (np.array(changes_over_travel(axle(1e3 * x[0], 1e-3 * x[1]), True)) - ADAMS)

    found = root(missing, (80.0, 30.0), tol=1e-2, options={"eps": 1e-3})
    assert np.max(np.abs(missing(found.x))) < 0.05, "both to 0.00005 degrees"
    return np.asarray(found.x)


def line(what: str, changes: list[float]) -> str:
    """Changes of toe and camber over 10 mm either way."""
    return f"{what:48} toe {changes[0]:.4f}°  camber {changes[1]:.4f}°"


def main() -> None:
    print(line("Adams Car 2024.1", list(ADAMS)))
    print(line("ideal joints", changes_over_travel(axle(), False)))
    print(line("bushings", changes_over_travel(axle(), True)))
    rate, lean = spring()
    what = f"bushings, springs of {rate:.1f} N/mm that lean {lean:.1f} in 350 mm"
    print(line(what, changes_over_travel(axle(1e3 * rate, 1e-3 * lean), True)))


if __name__ == "__main__":
    main()
