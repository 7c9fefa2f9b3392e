"""How well the loops stay closed in 60 s of driving: constraint embedding, Baumgarte's stabilisation and GGL.

The HMMWV weaves at 12 m/s: sinusoidal steering at 0.5 Hz, the driver holds the speed.  One `System` is
integrated

* embedded, by LSODA: the loops are solved in closed form, and nothing has to be stabilised;
* fully augmented (36 free bodies, 203 constraint rows), by RK45, with and without Baumgarte's terms;
* fully augmented in the stabilised index-2 form of Gear, Gupta and Leimkuhler (GGL), by SUNDIALS IDA;

all to the same tolerances.  The figure shows the largest error of the loop closures: of the embedded model
the length of a closure's residual vector, of the augmented models its largest component, which is less.

    python docs/examples/loop_closure_drift.py [seconds]

writes ``docs/figures/loop_closure_drift.png`` and prints the numbers.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ce_dynamics import __version__
from ce_dynamics.augmented import (
    FullyAugmented,
    Preparation,
    Trajectory,
    simulate_baumgarte,
    simulate_dae,
)
from ce_dynamics.compiled.model import Model
from ce_dynamics.models.hmmwv import Case, prepare
from ce_dynamics.simulation.simulate import Method, simulate

Floats = NDArray[np.float64]

FIGURE = Path(__file__).parents[1] / "figures" / "loop_closure_drift.png"
RTOL, ATOL = 1e-6, 1e-8
INTERVAL = 0.05
"""Between stored instants [s]."""
ALPHA = BETA = 10.0
"""Baumgarte's parameters [1/s]: errors decay critically damped within some tenths of a second."""
ROUNDING = 1e-18
"""Drawn instead of an error of exactly zero, which a logarithmic axis has no place for."""


COLOURS = ("tab:blue", "0.6", "tab:orange", "tab:green")
LEVELS = (5, 2, 4, 3)
"""What is drawn above what."""


class Line(NamedTuple):
    """One integration: label, times [s], closure errors [m], where the chassis ends [m], wall time [s]."""

    label: str
    t: Floats
    closure: Floats
    end: Floats
    wall: float


def main(duration: float = 60.0) -> None:
    case = prepare("sine-steer", duration=duration, options={"periods": 0.5 * duration, "steer": 0.15})
    reference = embedded(case, "tight", "DOP853", 1e-12, 1e-12)
    lines = [embedded(case, "constraint embedding", "LSODA", RTOL, ATOL), *augmented(case)]
    draw(lines, duration)
    report(lines, reference, duration)


def embedded(case: Case, label: str, method: Method, rtol: float, atol: float) -> Line:
    """Return the embedded model, as `simulate-vehicle` integrates it."""
    run = simulate(
        case.model, case.manoeuvre, duration=case.duration, y0=case.y0,
        method=method, rtol=rtol, atol=atol, interval=INTERVAL,
    )  # fmt: skip
    end = np.array([float(run[name][-1]) for name in ("chassis_x", "chassis_y", "chassis_z")])
    closure = run["closure_error"].max(dim=[d for d in run["closure_error"].dims if d != "time"]).values
    return Line(label, run.time.values, closure, end, run.attrs["wall_time_s"])


def augmented(case: Case) -> list[Line]:
    """Return the fully augmented model with three treatments of its constraints."""
    model: Model = case.model
    full = FullyAugmented(model.system)
    y0 = full.state_from_embedded(model.embedding, *model.layout.split(case.y0))
    prepared = Preparation(full, y0, case.manoeuvre)
    times = np.linspace(0.0, case.duration, round(case.duration / INTERVAL) + 1)
    tolerances: dict[str, Any] = {"rtol": RTOL, "atol": ATOL}

    def line(label: str, run: Trajectory) -> Line:
        hinge = model.system.find("chassis").inboard.at - model.system.find("chassis").com
        last = run.states[-1]["chassis"]
        end = np.array(last.r + last.R @ hinge, dtype=float)
        return Line(label, run.t, run.closure_error, end, run.statistics["integration"])

    free = (0.0, 0.0, "fully augmented, not stabilised")
    baumgarte = (ALPHA, BETA, f"fully augmented, Baumgarte (α = β = {ALPHA:g}/s)")
    lines = []
    for alpha, beta, label in (free, baumgarte):
        stabilised: dict[str, Any] = {"alpha": alpha, "beta": beta, "method": "RK45"}
        lines.append(line(label, simulate_baumgarte(prepared, None, times, **stabilised, **tolerances)))
    lines.append(line("fully augmented, GGL by IDA", simulate_dae(prepared, None, times, **tolerances)))
    return lines


def draw(lines: list[Line], duration: float) -> None:
    """Draw closure errors over time."""
    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    axes = figure.add_subplot()
    for line, colour, level in zip(lines, COLOURS, LEVELS, strict=True):
        error = np.maximum(line.closure, ROUNDING)
        axes.semilogy(line.t, error, color=colour, lw=1.1, label=line.label, zorder=level)
    required = "requirement for the embedded model, 1e-12 m"
    axes.axhline(1e-12, color="tab:red", lw=1.2, ls="--", zorder=6, label=required)
    axes.set(
        xlabel="time [s]",
        ylabel="largest loop-closure error [m]",
        xlim=(0.0, duration),
        ylim=(1e-17, 1e-3),
        title=f"HMMWV weaving at 12 m/s, rtol = {RTOL:g}, atol = {ATOL:g}",
    )
    axes.grid(visible=True, which="major", alpha=0.35)
    axes.legend(loc="upper left", ncols=2, fontsize=9, framealpha=0.9)
    FIGURE.parent.mkdir(exist_ok=True)
    figure.savefig(FIGURE, dpi=150)


def report(lines: list[Line], reference: Line, duration: float) -> None:
    """Print the numbers as a table."""
    print(f"ce-dynamics {__version__}, {duration:g} s, rtol = {RTOL:g}, atol = {ATOL:g}")
    print("chassis at the end off by: distance from the embedded solution at rtol = atol = 1e-12\n")
    head = ("", "closure max [m]", "at the end [m]", "chassis off by [m]", "wall s per s")
    print(f"{head[0]:45s}{head[1]:>17s}{head[2]:>17s}{head[3]:>20s}{head[4]:>14s}")
    for line in lines:
        done = line.t[-1] >= duration * (1.0 - 1e-12)
        off = f"{np.linalg.norm(line.end - reference.end):20.1e}" if done else f"{'stopped':>20s}"
        print(
            f"{line.label:45s}{line.closure.max():17.1e}{line.closure[-1]:17.1e}{off}"
            f"{line.wall / line.t[-1]:14.4f}"
        )


if __name__ == "__main__":
    start = time.perf_counter()
    main(*(float(argument) for argument in sys.argv[1:2]))
    print(f"\nall of it in {time.perf_counter() - start:.0f} s")
