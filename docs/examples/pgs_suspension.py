"""The planar suspension over a bump and on waves: plots and an animation, and what anticipation changes.

    python docs/examples/pgs_suspension.py

prints the numbers and writes pictures and an animation into the current folder; those of
``docs/pgs-suspension.md`` are in ``docs/figures``.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from ce_dynamics.models.demonstrations.command import save_figure
from ce_dynamics.models.demonstrations.pgs_suspension.__main__ import demonstrate
from ce_dynamics.models.demonstrations.pgs_suspension.model import (
    Socket,
    Suspension,
    SuspensionParameters,
    SuspensionRun,
    simulate,
)
from ce_dynamics.models.parts.body_contact import WavyRoad

FIGURES = Path()
STEP = 1e-3


def main() -> None:
    demonstrate(["--road", "bump", "--animation", "--output", str(FIGURES)])
    runs = {}
    for label, anticipate in (("contact only while touching, as the source", False), ("anticipated", True)):
        parameters = SuspensionParameters(anticipate=anticipate)
        suspension = Suspension(parameters, Socket(5.0), WavyRoad(0.8, 0.03, 2.0))
        runs[label] = simulate(suspension, duration=0.8, step=STEP)
    draw(runs)
    for label, run in runs.items():
        print(f"{label}: {len(run.events)} events, largest load {run.impulses[:, 4].max() / STEP:.0f} N")


def draw(runs: dict[str, SuspensionRun]) -> None:
    """Wheel loads and gaps under both rules."""
    figure = Figure(figsize=(9.0, 5.0), layout="constrained")
    load, gap = figure.subplots(2, 1, sharex=True)
    for (label, run), colour in zip(runs.items(), ("tab:orange", "tab:blue"), strict=True):
        load.plot(run.t, run.impulses[:, 4] / STEP / 1e3, lw=1.0, color=colour, label=label)
        gap.plot(run.t, 1e6 * run.gap, lw=1.0, color=colour)
    load.set(ylabel="wheel load [kN]", title="on waves of 2 m and ±30 mm at 5 m/s, h = 1 ms")
    gap.set(ylabel="gap [µm]", xlabel="time [s]", xlim=(0.0, 0.8))
    load.legend(loc="upper right", fontsize=9)
    for axes in (load, gap):
        axes.grid(visible=True, alpha=0.35)
    save_figure(figure, FIGURES, "pgs_suspension_rules")


if __name__ == "__main__":
    main()
