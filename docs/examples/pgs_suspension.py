"""The planar suspension over a bump and on waves: plots, a page, an animation, and what anticipation changes.

    python docs/examples/pgs_suspension.py [--animation]

writes into the current folder; the pictures of ``docs/gallery.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ce_dynamics.models.demonstrations.output import save_animation, save_figure, table
from ce_dynamics.models.demonstrations.pgs_suspension.model import (
    Socket,
    Suspension,
    SuspensionParameters,
    SuspensionRun,
    simulate,
)
from ce_dynamics.models.demonstrations.pgs_suspension.page import page
from ce_dynamics.models.parts.body_contact import WavyRoad
from ce_dynamics.models.parts.roads.surfaces import BumpRoad

FRAMES = 40
STEP = 1e-3


def main() -> None:
    suspension = Suspension(SuspensionParameters(), Socket(5.0), BumpRoad(0.8, 0.06, 0.9, 2.0))
    run = simulate(suspension, duration=1.5, step=STEP)
    print(f"suspension over a bump at 5 m/s, {run.t[-1]:g} s, {len(run.t) - 1} steps\n")
    print(table(("quantity", "value", "unit"), summary(run)) + "\n")
    save_figure(figure(run, suspension), "pgs_suspension_bump")
    page(run, suspension).save("pgs_suspension_bump.html")
    if "--animation" in sys.argv:
        animate(run, suspension, "pgs_suspension_bump")
    compare_rules()


def compare_rules() -> None:
    """Drive over waves with contact rows only while touching, and with anticipated ones."""
    runs = {}
    for label, anticipate in (("contact only while touching, as the source", False), ("anticipated", True)):
        parameters = SuspensionParameters(anticipate=anticipate)
        suspension = Suspension(parameters, Socket(5.0), WavyRoad(0.8, 0.03, 2.0))
        runs[label] = simulate(suspension, duration=0.8, step=STEP)
    draw_rules(runs)
    for label, run in runs.items():
        print(f"{label}: {len(run.events)} events, largest load {run.impulses[:, 4].max() / STEP:.0f} N")


def summary(run: SuspensionRun) -> list[tuple[str, float | str, str]]:
    """Figures of a run: label, value, unit."""
    h = run.t[1] - run.t[0]
    load = run.impulses[1:, 4] / h
    pins = np.hypot(run.q[:, 3] - run.q[:, 0], run.q[:, 4] - run.q[:, 1])
    return [
        ("wheel travel", float(np.ptp(run.q[:, 4])), "m"),
        ("wheel load, mean", float(np.mean(load)), "N"),
        ("wheel load, largest", float(np.max(load)), "N"),
        ("time off the road", float(np.mean(load == 0.0) * run.t[-1]), "s"),
        ("largest penetration", float(max(0.0, -np.min(run.gap))), "m"),
        ("pin error, largest", float(np.max(np.abs(pins - pins[0]))), "m"),
        ("contact events", str(len(run.events)), ""),
        ("sweeps per step, mean", float(np.mean(run.sweeps[1:])), ""),
        ("residual, largest", float(np.max(run.residual)), "m/s"),
    ]


def figure(run: SuspensionRun, suspension: Suspension) -> Figure:
    """Wheel and road, wheel load and friction, slip, sweeps."""
    picture = Figure(figsize=(9.0, 9.0), layout="constrained")
    axes = picture.subplots(4, 1, sharex=True)
    h = run.t[1] - run.t[0]
    radius = suspension.parameters.radius
    road = [float(suspension.road.height(x, 0.0)) for x in run.q[:, 3]]
    axes[0].plot(run.t, run.q[:, 4] - radius, label="wheel centre less radius")
    axes[0].plot(run.t, road, color="0.4", lw=1.0, label="road below the wheel")
    axes[0].set_ylabel("height [m]")
    axes[1].plot(run.t, run.impulses[:, 4] / h, label="normal")
    axes[1].plot(run.t, run.impulses[:, 5] / h, label="friction")
    usual = np.percentile(np.abs(run.impulses[1:, 4]) / h, 99.5)
    axes[1].set(ylabel="force on the wheel [N]", ylim=(-0.5 * usual, 1.5 * usual))
    axes[2].plot(run.t, run.V[:, 3], label="wheel's speed")
    axes[2].plot(run.t, -radius * run.V[:, 5], ls="--", label="speed of its rim, −R ω")
    axes[2].set_ylabel("speed [m/s]")
    axes[3].plot(run.t[1:], run.sweeps[1:], lw=0.8, label="sweeps per step")
    axes[3].set(ylabel="sweeps", xlabel="time [s]", xlim=(run.t[0], run.t[-1]))
    for one in axes:
        one.grid(visible=True, alpha=0.35)
        one.legend(loc="best", fontsize=9)
    return picture


def animate(run: SuspensionRun, suspension: Suspension, name: str) -> None:
    """Wheel, bar and spring over the road."""
    picture = Figure(figsize=(7.0, 4.2))
    axes = picture.add_subplot()

    def draw(frame: int) -> None:
        snapshot(axes, run, suspension, round(frame * (len(run.t) - 1) / (FRAMES - 1)))

    save_animation(picture, draw, FRAMES, name)


def snapshot(axes: Axes, run: SuspensionRun, suspension: Suspension, k: int) -> None:
    """Draw one instant."""
    P = suspension.parameters
    x_b, y_b, theta, x_w, y_w, spin = run.q[k]
    axes.clear()
    x = np.linspace(x_w - 1.6, x_w + 1.6, 300)
    axes.fill_between(x, [float(suspension.road.height(a, 0.0)) for a in x], -10.0, color="0.8")
    rim = np.linspace(0.0, math.tau, 80)
    axes.plot(x_w + P.radius * np.cos(rim), y_w + P.radius * np.sin(rim), color="tab:blue", lw=2.5)
    for turn in (0.0, 0.5 * math.pi):
        d = P.radius * np.array((math.cos(spin + turn), math.sin(spin + turn)))
        axes.plot((x_w - d[0], x_w + d[0]), (y_w - d[1], y_w + d[1]), color="tab:blue", lw=0.8)
    a = 0.5 * P.length
    lean = np.array((math.sin(theta), -math.cos(theta)))
    ends = np.array(((x_b, y_b) - a * lean, (x_b, y_b) + a * lean))
    axes.plot(*ends.T, color="0.25", lw=5, solid_capstyle="round")
    along = np.linspace(0.0, 1.0, 33)
    coil = np.where((along > 0.08) & (along < 0.92), 0.05 * (-1.0) ** np.arange(33), 0.0)
    x_s, anchor = suspension.socket.position(run.t[k]), suspension.anchor(run.t[k])
    axes.plot(x_b + (x_s - x_b) * along + coil, y_b + (anchor - y_b) * along, color="tab:orange")
    axes.plot((x_s - 0.4, x_s + 0.4), (anchor,) * 2, color="k", lw=3)
    load = run.impulses[k, 4] / (run.t[1] - run.t[0])
    low = float(suspension.road.height(x_w, 0.0)) - 0.2
    axes.set(
        xlim=(x_w - 1.5, x_w + 1.5), ylim=(low, low + 1.45), aspect="equal", xlabel="x [m]", ylabel="y [m]"
    )
    axes.set_title(f"t = {run.t[k]:.2f} s, wheel load {load / 1e3:.1f} kN", loc="left")


def draw_rules(runs: dict[str, SuspensionRun]) -> None:
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
    save_figure(figure, "pgs_suspension_rules")


if __name__ == "__main__":
    main()
