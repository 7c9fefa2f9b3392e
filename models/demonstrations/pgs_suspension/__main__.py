"""A run as a table, pictures, animation: ``python -m ce_dynamics.models.demonstrations.pgs_suspension``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ce_dynamics.algebra.interrupts import leave
from ce_dynamics.complementarity import Exact, GaussSeidel, Solver
from ce_dynamics.models.demonstrations.command import (
    Options,
    drawn,
    execute,
    positive_number,
    save_animation,
    save_figure,
    save_view,
    table,
)
from ce_dynamics.models.demonstrations.pgs_suspension.model import (
    Socket,
    Suspension,
    SuspensionParameters,
    SuspensionRun,
    simulate,
)
from ce_dynamics.models.demonstrations.pgs_suspension.socket_motion import socket_from
from ce_dynamics.models.parts.body_contact import WavyRoad
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.surfaces import BumpRoad, FlatRoad, InclinedRoad

ROADS = ("flat", "bump", "wavy", "ramp")
FRAMES = 40


def demonstrate(arguments: Sequence[str] | None) -> None:
    """Run the suspension, print a table and draw it."""
    options = Options(
        "ce_dynamics.models.demonstrations.pgs_suspension",
        "A planar suspension on a road, solved by projected Gauss–Seidel.",
    )
    options.add_argument("--road", choices=ROADS, default="bump", help="default: bump")
    options.add_argument("--speed", type=float, default=5.0, help="of the socket [m/s]; default: 5")
    options.add_argument(
        "--socket",
        metavar="FILE",
        help="motion x_s(t) instead of --speed: FILE.csv with columns t, x_s (and lift of the spring's upper"
        " end), or FILE.py:FUNCTION",
    )
    options.add_argument("--friction", type=float, default=0.8, help="μ of the road; default: 0.8")
    options.add_argument("--restitution", type=float, default=0.0, help="e; default: 0")
    options.add_argument("--beta", type=float, default=100.0, help="Baumgarte's β [1/s]; default: 100")
    options.add_argument("--clearance", type=float, default=0.0, help="initial height of the wheel [m]")
    options.add_argument(
        "--as-source", action="store_true", help="friction unbounded, contact only if touching"
    )
    options.add_argument("--step", type=float, default=1e-3, help="h [s]; default: 0.001")
    options.add_argument("--solver", choices=("pgs", "exact"), default="pgs", help="default: pgs")
    options.add_argument("--tolerance", type=float, default=1e-10, help="of PGS [m/s]; default: 1e-10")
    given = options.parse_args(arguments)
    parameters = SuspensionParameters(
        restitution=given.restitution,
        beta=given.beta,
        coulomb=not given.as_source,
        anticipate=not given.as_source,
    )
    road = make_road(given.road, given.friction)
    climb = float(road.slope(0.0, 0.0)[0]) * given.speed if given.road == "ramp" else 0.0
    socket = Socket(given.speed, climb=climb) if given.socket is None else socket_from(given.socket)
    suspension = Suspension(parameters, socket, road)
    q0, V0 = suspension.initial_state(given.clearance)
    solver: Solver = GaussSeidel(given.tolerance) if given.solver == "pgs" else Exact()
    duration = positive_number("--duration", 1.5 if given.duration is None else given.duration)
    step = positive_number("--step", given.step)

    def draw(part: SuspensionRun) -> None:
        save_figure(figure(part, suspension), given.output, f"pgs_suspension_{given.road}")

    run = drawn(lambda: simulate(suspension, duration=duration, step=step, q0=q0, V0=V0, solver=solver), draw)
    moved = f"{given.speed:g} m/s" if given.socket is None else f"socket of {given.socket}"
    print(f"suspension on the {given.road} road, {moved}, {duration:g} s, {len(run.t) - 1} steps\n")
    print(table(("quantity", "value", "unit"), summary(run)) + "\n")
    if given.view:
        from ce_dynamics.models.demonstrations.pgs_suspension.page import (
            page,
        )  # here, because only pages need it

        save_view(page(run, suspension), given.output, f"pgs_suspension_{given.road}")
    if given.animation:
        animate(run, suspension, given.output, f"pgs_suspension_{given.road}")


def make_road(name: str, friction: float) -> Road:
    """A road profile by name."""
    if name == "flat":
        return FlatRoad(friction)
    if name == "bump":
        return BumpRoad(friction, height=0.06, length=0.9, position=2.0)
    if name == "wavy":
        return WavyRoad(friction, amplitude=0.03, wavelength=2.0)
    return InclinedRoad(friction, math.radians(5.0))


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


def animate(run: SuspensionRun, suspension: Suspension, folder: Path, name: str) -> None:
    """Wheel, bar and spring over the road."""
    picture = Figure(figsize=(7.0, 4.2))
    axes = picture.add_subplot()

    def draw(frame: int) -> None:
        snapshot(axes, run, suspension, round(frame * (len(run.t) - 1) / (FRAMES - 1)))

    save_animation(picture, draw, FRAMES, folder, name)


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


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return execute(demonstrate, arguments)


if __name__ == "__main__":
    leave(main())
