"""The HMMWV tows a sledge with two cables, and falls on a hard ground.

    python docs/examples/towing_hmmwv.py [--pictures]

prints the numbers of towing; with ``--pictures`` also those of the fall, and writes pictures and an animation
into the current folder; those of ``docs/contact.md`` are in ``docs/figures``.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ce_dynamics.algebra.rotation import rotation_from_quaternion
from ce_dynamics.contact import ContactRun, simulate_unilateral
from ce_dynamics.models.demonstrations.output import save_animation, save_figure
from ce_dynamics.models.vehicles.hmmwv import CORNERS
from ce_dynamics.models.vehicles.hmmwv.parameters import HmmwvParameters
from ce_dynamics.models.vehicles.towing import SledgeParameters, TowingCase, on_hard_ground, tow

PICTURES = "--pictures"
DRIVE = 900.0
"""Torque on every wheel [N m]."""

FRAMES = 20
DATA = HmmwvParameters.load()


def main() -> None:
    case = tow(slack=0.15)
    run = simulate_unilateral(case.unilateral, {"drive": DRIVE}, duration=2.0, y0=case.y0)
    report("towing", run)
    if PICTURES in sys.argv:
        draw(case, run)


def draw(case: TowingCase, run: ContactRun) -> None:
    """Pictures of towing and of a fall, and an animation."""
    save_figure(figure(run), "towing_hmmwv")
    animate(case, run)
    dropped = on_hard_ground(drop=0.3, restitution=0.3)
    run = simulate_unilateral(dropped.unilateral, duration=1.0, y0=dropped.y0, interval=2e-3)
    report("dropped by 0.3 m", run)
    save_figure(fall(run), "hmmwv_drop")


def report(title: str, run: ContactRun) -> None:
    """The numbers of a run."""
    results, numbers = run.results, run.statistics
    gain = float(results["energy"][-1] - results["energy"][0])
    per_step = f"{numbers.sweeps_mean:.1f} iterations per step"
    print(f"{title}: {numbers.steps} steps in {numbers.wall:.1f} s, {per_step}")
    print(f"  energy gained {gain:.0f} J = work {float(results['work'][-1]):.0f} J", end=" ")
    print(f"+ rows {float(results['contact_work'][-1]):.0f} J, to first order in the step")
    for event in [event for event in run.events if event.row.startswith("cable")][:4]:
        print(f"  {event.time:.3f} s: {event.row} {'taut' if event.active else 'slack'}")


def figure(run: ContactRun) -> Figure:
    """Speeds, tensions and wheel loads."""
    picture = Figure(figsize=(9.0, 8.0), layout="constrained")
    speed, tension, load = picture.subplots(3, 1, sharex=True)
    t, force = run.results["time"].values, run.results["multiplier"]
    speed.plot(t, run.results["chassis_vx"], label="HMMWV")
    speed.plot(t, run.results["sledge_vx"], label="sledge")
    speed.set_ylabel("speed [m/s]")
    for side in ("left", "right"):
        style = "-" if side == "left" else "--"
        tension.plot(t, force.sel(row=f"cable.{side}.tension") / 1e3, style, label=f"{side} cable")
    tension.set(ylabel="tension [kN] (jerk cut off)", ylim=(0.0, 5.0))
    for corner in CORNERS:
        style = "-" if corner.endswith("left") else "--"
        load.plot(t, force.sel(row=f"{corner}.ground.normal") / 1e3, style, label=corner.replace("_", " "))
    load.set(ylabel="wheel load [kN]", xlabel="time [s]", xlim=(0.0, t[-1]), ylim=(0.0, 12.0))
    for axes in (speed, tension, load):
        axes.grid(visible=True, alpha=0.35)
        axes.legend(loc="lower right", fontsize=8, ncols=2)
    return picture


def fall(run: ContactRun) -> Figure:
    """Heights of the wheels and their loads."""
    picture = Figure(figsize=(9.0, 6.0), layout="constrained")
    height, load = picture.subplots(2, 1, sharex=True)
    t = run.results["time"].values
    height.plot(
        t, run.results["chassis_z"] - float(run.results["chassis_z"][-1]), color="0.3", label="chassis"
    )
    for corner in ("front_left", "rear_left"):
        row = f"{corner}.ground.normal"
        height.plot(t, run.results["gap"].sel(row=row), label=f"gap, {corner.replace('_', ' ')}")
        load.plot(t, run.results["multiplier"].sel(row=row) / 1e3, label=corner.replace("_", " "))
    height.set_ylabel("height [m]")
    load.set(
        ylabel="wheel load [kN] (impacts cut off)", ylim=(0.0, 60.0), xlabel="time [s]", xlim=(0.0, t[-1])
    )
    for axes in (height, load):
        axes.grid(visible=True, alpha=0.35)
        axes.legend(loc="upper right", fontsize=9)
    return picture


def animate(case: TowingCase, run: ContactRun) -> None:
    """Side view that moves with the cables' middle."""
    picture = Figure(figsize=(9.0, 2.6))
    axes = picture.add_subplot()
    n = run.results.sizes["time"]

    def draw(frame: int) -> None:
        snapshot(axes, case, run, round(frame * (n - 1) / (FRAMES - 1)))

    save_animation(picture, draw, FRAMES, "towing_hmmwv")


def snapshot(axes: Axes, case: TowingCase, run: ContactRun, k: int) -> None:
    """One instant: wheels, chassis, cable, sledge."""
    r = run.results.isel(time=k)
    system = case.unilateral.model.system
    axes.clear()
    axes.axhspan(-0.3, 0.0, color="0.85")
    x, z = float(r["chassis_x"]), float(r["chassis_z"])
    Q = rotation_from_quaternion(np.array([float(r[f"chassis_{c}"]) for c in ("qw", "qx", "qy", "qz")]))
    outline = np.array(
        [(0.6, -0.1), (0.6, 0.35), (-0.3, 0.4), (-0.9, 0.95), (-2.2, 0.95), (-4.0, 0.6), (-4.0, -0.1)]
    )
    front = DATA.corners["front_left"].W[0]
    shape = np.stack((outline[:, 0] + front, np.zeros(7), outline[:, 1]), axis=1) @ Q.T
    axes.fill(x + shape[:, 0], z + shape[:, 2], color="tab:olive", alpha=0.7)
    for corner in ("front_left", "rear_left"):
        R = DATA.corners[corner].tyre.unloaded_radius
        a, b = (float(r[f"wheel_{c}"].sel(corner=corner)) for c in "xz")
        rim, spin = np.linspace(0.0, math.tau, 60), float(r["wheel"].sel(corner=corner))
        axes.fill(a + R * np.cos(rim), b + R * np.sin(rim), color="0.2")
        for turn in (0.0, 0.5 * math.pi):
            d = R * np.array((math.cos(-spin + turn), math.sin(-spin + turn)))
            axes.plot((a - d[0], a + d[0]), (b - d[1], b + d[1]), color="0.7", lw=1.0)
    sledge, edges = system.find("sledge"), SledgeParameters().edges
    centre = sledge.com + np.array([float(r[f"sledge_{c}"]) for c in "xyz"])
    S = rotation_from_quaternion(np.array([float(r[f"sledge_{c}"]) for c in ("qw", "qx", "qy", "qz")]))
    corners = np.array([(1, 0, 1), (-1, 0, 1), (-1, 0, -1), (1, 0, -1)]) * 0.5 * np.array(edges)
    box = centre + corners @ S.T
    axes.fill(box[:, 0], box[:, 2], color="tab:brown", alpha=0.8)
    (_, at), (_, other) = case.unilateral.elements[-1].attachments
    a = centre + S @ (at - sledge.com)
    b = np.array((x, 0.0, z)) + Q @ other
    taut = float(r["multiplier"].sel(row="cable.right.tension")) > 0.0
    axes.plot((a[0], b[0]), (a[2], b[2]), color="tab:red" if taut else "0.5", lw=2.0, ls="-" if taut else ":")
    middle = 0.5 * (a[0] + b[0])
    axes.set(
        xlim=(middle - 5.5, middle + 7.0), ylim=(-0.3, 2.2), aspect="equal", xlabel="x [m]", ylabel="z [m]"
    )
    axes.set_title(f"t = {float(r['time']):.2f} s, {float(r['chassis_vx']):.1f} m/s", loc="left")


if __name__ == "__main__":
    main()
