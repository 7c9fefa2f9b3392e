"""What adaptive methods take for the same error: every shipped vehicle in a lane change with its driver.

    python -m tests.benchmarks.embedded_pairs [vehicle ...]

Errors are the largest differences to a tight solution by SciPy's DOP853, at all stored instants, so that
those of the dense output are among them.  Where steps meet kinks of laws is chance: evaluations at the same
error are those of straight lines through nine tolerances, in logarithms.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.prepared import Case
from ce_dynamics.models.vehicles.shipped import SHIPPED
from ce_dynamics.simulation.simulate import simulate
from tests.benchmarks.report import Table, number

MANOEUVRE, DURATION = "double-lane-change", 10.0
PLACES, ANGLES, LOADS = ["x", "y", "z"], ["roll", "pitch", "yaw"], ["tyre_Fz"]
METHODS = "dopri5", "tsit5"
TOLERANCES = 10.0 ** -np.arange(4.0, 8.25, 0.5)
USUAL = 4
"""Place of 1e-6 among the tolerances."""


def ran(case: Case, method: Any, rtol: float) -> Any:
    """A run; absolute errors are a hundredth of relative ones."""
    given: dict[str, Any] = {"duration": DURATION, "y0": case.y0, "rtol": rtol, "atol": 0.01 * rtol}
    return simulate(case.model, case.manoeuvre, method=method, **given)


def measured(case: Case, method: str, exact: Any) -> tuple[Floats, Floats]:
    """Evaluations, and errors of places, angles and loads (relative to the largest), per tolerance."""
    evaluations, errors = [], []
    for rtol in TOLERANCES:
        run = ran(case, method, rtol)
        off = [max(float(abs(run[x] - exact[x]).max()) for x in kind) for kind in (PLACES, ANGLES, LOADS)]
        off[2] /= float(abs(exact[LOADS[0]]).max())
        evaluations.append(run.attrs["evaluations"])
        errors.append(off)
    return np.array(evaluations, dtype=float), np.array(errors)


def at_the_same_error(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> float:
    """Evaluations of one method by those of another, the mean over errors that both make."""
    ratios = []
    for kind in range(3):
        lines, spans = [], []
        for evaluations, errors in (one, other):
            x = np.log(errors[:, kind])
            lines.append(np.polyfit(x, np.log(evaluations), 1))
            spans.append((x.min(), x.max()))
        common = np.linspace(max(low for low, _ in spans), min(high for _, high in spans), 9)
        ratios.append(np.mean(np.polyval(lines[0], common) - np.polyval(lines[1], common)))
    return float(np.exp(np.mean(ratios)))


def compared(vehicle: str) -> tuple[str, ...]:
    """A row: evaluations and errors at the usual tolerance of both methods, and what the second saves."""
    case = prepare(MANOEUVRE, model=vehicle)
    exact = ran(case, "DOP853", 1e-11)
    (n0, off0), (n, off) = first, second = [measured(case, method, exact) for method in METHODS]
    saved = n / n0
    errors = [f"{error:.1e}" for kind in range(3) for error in (off0[USUAL, kind], off[USUAL, kind])]
    cells = f"{n0[USUAL]:,.0f}", f"{n[USUAL]:,.0f}", number(saved[USUAL])
    spread = f"{saved.min():.2f} to {saved.max():.2f}"
    return vehicle, *cells, spread, number(at_the_same_error(second, first)), *errors


def main() -> None:
    """All vehicles, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.embedded_pairs", description=__doc__)
    parser.add_argument("vehicles", nargs="*", default=list(SHIPPED), help="names; all that are shipped")
    rows = tuple(compared(vehicle) for vehicle in parser.parse_args().vehicles)
    kinds = "place, m", "angles, rad", "wheel loads"
    errors = (f"{kind}: {method}" for kind in kinds for method in METHODS)
    head = ("vehicle", *METHODS, "×", "× at 1e-4 to 1e-8", "× at the same error", *errors)
    note = f"{MANOEUVRE}, {DURATION:g} s, driver in the loop: evaluations and errors at rtol 1e-6."
    print(Table("Adaptive methods", head, rows, (note,)).markdown())


if __name__ == "__main__":
    main()
