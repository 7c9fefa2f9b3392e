"""Campaign ``published.four_bars 40``: benchmark A02 with as many loops as its authors use.

Runs it through its positions in line, and prints how far the first crank's top ends from the exact solution
of what symmetry leaves, θ̈ = −g cos θ ((N + 1)/2 + N)/((N + 1)/3 + N), and how far loops open on the way.
"""

import argparse
import math
import time
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

import ce_dynamics as ce
from ce_dynamics.models import published


class Run(NamedTuple):
    """Accuracy of a run."""

    top: float  # distance of the top from where it should end [m]
    closure: float  # largest error of a closure [m]
    compiling: float  # [s]


def run(number: int, duration: float = 10.0) -> Run:
    """Compile so many four-bars in a row and run them."""
    start = time.perf_counter()
    model = ce.compile(published.four_bars(number))
    compiling = time.perf_counter() - start
    found = ce.simulate(model, duration=duration, method="DOP853", rtol=1e-12, atol=1e-13, interval=0.1)
    lever = ((number + 1) / 2 + number) / ((number + 1) / 3 + number)
    exact = solve_ivp(
        lambda t, y: (y[1], -9.81 * math.cos(y[0]) * lever),
        (0.0, duration),
        (0.5 * math.pi, -1.0),
        "DOP853",
        rtol=1e-13,
        atol=1e-14,
    )
    angle = float(exact.y[0, -1])
    top = np.array((found["x"].values[-1], found["y"].values[-1]))
    apart = float(np.linalg.norm(top - (math.cos(angle), math.sin(angle))))
    return Run(apart, float(found["closure_error"].max()), compiling)


def main(arguments: list[str] | None = None) -> int:
    """Parse, run, report; 1 if it is not exact."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign published.four_bars", description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=40, help="of four-bars, 40 if not given")
    parser.add_argument("--duration", type=float, default=10.0, help="of the run [s]")
    options = parser.parse_args(arguments)
    done = run(options.number, options.duration)
    print(
        f"{options.number} four-bars: top off by {done.top:.1e} m, loops open by {done.closure:.1e} m, "
        f"compiled in {done.compiling:.1f} s"
    )
    return 0 if done.top < 1e-9 and done.closure < 1e-12 else 1


if __name__ == "__main__":
    raise SystemExit(main())
