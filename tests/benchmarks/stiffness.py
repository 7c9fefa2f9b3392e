"""How stiff the vehicle is, and what larger steps could gain: ``python -m tests.benchmarks.stiffness``.

Fast first-order states could be treated apart, exactly or with shorter steps of their own.  What that can
gain at most is seen by taking them out: their rates are put to zero, and the evaluations of an adaptive
method counted.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.hmmwv import prepare
from ce_dynamics.simulation.right_hand_side import RightHandSide
from tests.benchmarks.report import Table, number

FAST = "windup"
"""Of the brakes: what is faster than any other state of the vehicle under way."""


def spectrum() -> Table:
    """Eigenvalues under way and at a standstill, and what method they ask for."""
    case, rows = prepare("double-lane-change"), []
    for name, y, inputs in (
        ("lane change at 12 m/s", case.y0, case.manoeuvre),
        ("braked to a standstill", None, {"brake": 1.0}),
    ):
        advice = ce.recommend_method(case.model, y, 1e-6, inputs=inputs, horizon=2.0)
        sizes = sorted({float(f"{abs(x):.2g}") for x in advice.eigenvalues}, reverse=True)[:4]
        pair, rk4 = advice.prospects["dopri5"], advice.prospects["rk4"]
        cells = [advice.method, ", ".join(f"{x:g}" for x in sizes)]
        cells += [number(1e3 * x) for x in (pair.step, pair.stable, rk4.step, rk4.stable)]
        rows.append((name, *cells))
    head = (
        "motion",
        "advised",
        "largest |λ|, 1/s",
        "dopri5: step, ms",
        "stable to",
        "rk4: accurate to, ms",
        "stable to",
    )
    return Table("Stability and accuracy at rtol 1e-6", head, tuple(rows))


def without_fast_states() -> Table:
    """Evaluations with the fast states and without them."""
    case, rows = prepare("double-lane-change"), []
    rhs = RightHandSide(case.model, case.manoeuvre)
    layout = case.model.layout
    fast = np.array([FAST in entry.name for entry in (*layout.q, *layout.v, *layout.x)])

    def slow(t: float, y: Floats) -> Floats:
        rates = rhs(t, y)
        rates[fast] = 0.0
        return rates

    for rtol in (1e-3, 1e-4, 1e-5, 1e-6):
        made = [
            solve_ivp(f, (0.0, 10.0), case.y0, method="RK45", rtol=rtol, atol=0.01 * rtol)
            for f in (rhs, slow)
        ]
        cells = [f"{run.nfev:,}" for run in made] + [number(1e4 / (len(made[0].t) - 1))]
        rows.append((f"{rtol:g}", *cells, number(made[0].nfev / made[1].nfev)))
    head = ("rtol", "evaluations", "without fast states", "mean step, ms", "gain at most")
    note = f"HMMWV in the double lane change, 10 s, RK45; fast: {int(fast.sum())} states of brake wind-up."
    return Table("What treating fast states apart can gain", head, tuple(rows), (note,))


if __name__ == "__main__":
    print(spectrum().terminal())
    print(without_fast_states().terminal())
