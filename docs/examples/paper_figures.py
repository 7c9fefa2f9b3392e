"""The mechanisms of the paper's figures 5 and 6, drawn from positions of the compiled HMMWV."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc

import ce_dynamics as ce
from ce_dynamics.models import hmmwv

WIDTH = 0.3175
"""Of the tyre [m]."""
ANGLE = -0.4  # rad of the Pitman arm in the drawing of the steering: to the left
INK, LIGHT, BLUE, ORANGE, GREEN = "#222222", "#9aa0a6", "#0060a8", "#d06000", "#2a7a3a"

data = hmmwv.HmmwvParameters.load()
model = ce.compile(hmmwv.build(speed=0.0))
Point = np.ndarray


def place(body: str, at: Point, y: Point, u: Point) -> Point:
    """Return a point of a body relative to the chassis' design pose."""
    if body == "chassis":
        return np.asarray(at, dtype=float)
    chassis, own = (poses(name, y, u) for name in ("chassis", body))
    world = own[0] + own[1] @ (at - model.system.find(body).com)
    com = model.system.find("chassis").com
    return com + chassis[1].T @ (world - chassis[0])


def poses(body: str, y: Point, u: Point) -> tuple[Point, Point]:
    """Return the centre of mass and axes of a body in the world."""
    found = model.poses(y, u=u)
    k = found.bodies.index(body)
    return found.positions[k], found.rotations[k]


def line(ax: Axes, *ends: Point, **style: object) -> None:
    """Draw a bar through points."""
    ax.plot(*np.array(ends).T, solid_capstyle="round", **style)


def mark(ax: Axes, name: str, at: Point, shift: tuple[float, float], cut: bool = False) -> None:
    """Draw a joint and its letter; cut joints are open circles."""
    ax.plot(*at, "o", ms=7, mfc="white" if cut else INK, mec=INK, mew=1.4, zorder=5)
    write(ax, name, at, shift)


def write(
    ax: Axes, text: str, at: Point, shift: tuple[float, float], color: str = INK, size: int = 12
) -> None:
    """Write a letter beside a point."""
    ax.annotate(
        text,
        at,
        xytext=shift,
        textcoords="offset points",
        ha="center",
        va="center",
        color=color,
        fontsize=size,
    )


def arc(
    ax: Axes, at: Point, start: float, end: float, radius: float, text: str, color: str, out: float
) -> None:
    """Draw an angle counter-clockwise from one direction to another [rad], with its name in the middle."""
    ax.add_patch(
        Arc(at, 2 * radius, 2 * radius, theta1=np.degrees(start), theta2=np.degrees(end), color=color, lw=1.3)
    )
    middle = 0.5 * (start + end)
    ax.text(
        *(at + out * radius * np.array((np.cos(middle), np.sin(middle)))),
        text,
        color=color,
        fontsize=12,
        ha="center",
        va="center",
    )


def bearing(one: Point, other: Point) -> float:
    """Return the direction in the picture."""
    return float(np.arctan2(*(other - one)[::-1]))


def corner_points() -> dict[str, Point]:
    """Return the points of figure 5 by letter, in the design pose, in space."""
    c = data.corners["front_left"].points
    found = {
        "A": 0.5 * (c["lower_arm.rear_pivot"] + c["lower_arm.front_pivot"]),
        "G": 0.5 * (c["upper_arm.rear_pivot"] + c["upper_arm.front_pivot"]),
        **{name: c[name] for name in "DFKL"},
        "B": np.array(data.corners["front_left"].damper.arm),
        "J": np.array(data.corners["front_left"].damper.chassis),
        "W": data.corners["front_left"].W,
    }
    along = (c["F"] - c["D"]) / np.linalg.norm(c["F"] - c["D"])
    found["E"] = c["D"] + along * (along @ (c["K"] - c["D"]))
    found["I"], found["H"] = (found["B"] + s * (found["J"] - found["B"]) for s in (0.42, 0.55))
    return found


def draw_corner() -> None:
    """Draw figure 5: front view, which is the plane of the paper, and view from above."""
    points = corner_points()
    figure, (front, above) = plt.subplots(
        1, 2, figsize=(12.5, 6.4), width_ratios=(1.9, 1), layout="constrained"
    )
    draw_front(front, {name: at[1:] for name, at in points.items()})
    draw_above(above, {name: at[[1, 0]] for name, at in points.items()})
    figure.savefig("corner.png", dpi=110)
    plt.close(figure)


def draw_front(ax: Axes, at: Mapping[str, Point]) -> None:
    """Draw arms, upright, shock, spindle and tie rod, with the angles of section 5."""
    wheel(ax, at["W"])
    bodies(ax, at)
    guide = {"color": LIGHT, "lw": 1.0, "ls": "--"}
    down = (at["A"] - at["G"]) / np.linalg.norm(at["A"] - at["G"])
    Q, R, P = at["A"] + 0.15 * down, at["G"] - 0.12 * down, at["F"] + 0.13 * down
    C, M = at["A"] + (0.34, 0.0), at["B"] + (0.13, 0.0)
    N = at["D"] + 0.12 * (at["D"] - at["A"]) / np.linalg.norm(at["D"] - at["A"])
    O = at["F"] + 0.5 * (at["D"] - at["F"])  # noqa: E741
    for ends in ((R, at["G"], at["A"], Q), (at["F"], P), (at["A"], C), (at["B"], M), (at["D"], N)):
        line(ax, *ends, **guide)
    line(ax, at["A"], at["J"], **guide)
    zero = bearing(at["G"], at["A"])
    arc(ax, at["A"], zero, bearing(at["A"], at["D"]), 0.075, "θ", BLUE, 1.35)
    arc(ax, at["F"], zero, bearing(at["F"], at["D"]), 0.10, "θ₃", BLUE, 1.22)
    arc(ax, at["G"], zero, bearing(at["G"], at["F"]), 0.07, "θ₄", BLUE, 1.4)
    arc(ax, at["A"], 0.0, bearing(at["A"], at["J"]), 0.11, "β", ORANGE, 0.75)
    arc(ax, at["A"], bearing(at["A"], at["D"]), 0.0, 0.16, "η", ORANGE, 1.13)
    arc(ax, at["B"], 0.0, bearing(at["B"], at["J"]), 0.06, "γ", ORANGE, 1.3)
    arc(ax, at["D"], bearing(at["A"], at["D"]), bearing(at["D"], at["F"]), 0.05, "", GREEN, 2.0)
    write(ax, "∠NDO", at["D"], (58, 16), GREEN)
    shifts = {
        "A": (-14, -8),
        "D": (-4, -15),
        "F": (4, 15),
        "G": (-15, 2),
        "B": (-8, -14),
        "J": (0, 14),
        "K": (14, 8),
        "L": (-2, 13),
        "E": (-12, 10),
    }
    for name, shift in shifts.items():
        mark(ax, name, at[name], shift, cut=name in "GJL")
    for name, shift in {"I": (-13, -2), "H": (13, 4)}.items():
        line(ax, at[name], at[name], color=INK, marker="_", ms=12, mew=2)
        write(ax, name, at[name], shift)
    for name, place_at, shift in (
        ("Q", Q, (0, -10)),
        ("R", R, (0, 10)),
        ("P", P, (0, -9)),
        ("C", C, (8, 6)),
        ("M", M, (10, 0)),
        ("N", N, (10, -4)),
        ("O", O, (11, 2)),
    ):
        write(ax, name, place_at, shift, LIGHT, 11)
    write(ax, "a", 0.45 * at["A"] + 0.55 * at["G"], (11, -3), size=11)
    write(ax, "b", 0.35 * at["A"] + 0.65 * at["D"], (0, -11), size=11)
    write(ax, "c", 0.22 * at["D"] + 0.78 * at["F"], (10, 0), size=11)
    write(ax, "d", 0.5 * (at["F"] + at["G"]), (0, 9), size=11)
    finish(ax, "from the front: y outwards, z up [m]")
    ax.set(xlim=(0.15, 1.0), ylim=(-0.27, 0.4))


def bodies(ax: Axes, at: Mapping[str, Point]) -> None:
    """Draw the seven bodies of a corner as bars."""
    line(ax, at["A"], at["D"], color=BLUE, lw=5)
    line(ax, at["G"], at["F"], color=BLUE, lw=5)
    line(ax, at["D"], at["F"], color=INK, lw=4)
    line(ax, at["B"], at["I"], color=ORANGE, lw=6)
    line(ax, at["B"], at["H"], color=ORANGE, lw=2)
    line(ax, at["H"], at["J"], color=ORANGE, lw=3)
    line(ax, at["E"], at["K"], color=GREEN, lw=4)
    line(ax, at["K"], at["L"], color=GREEN, lw=2.5)


def wheel(ax: Axes, centre: Point) -> None:
    """Draw the outline of the wheel, from the front."""
    half, radius = 0.5 * WIDTH, data.corners["front_left"].tyre.unloaded_radius
    box = plt.Rectangle(
        centre - (half, radius), 2 * half, 2 * radius, fc="#f1f1f1", ec=LIGHT, lw=1.0, zorder=0
    )
    ax.add_patch(box)


def draw_above(ax: Axes, at: Mapping[str, Point]) -> None:
    """Draw the spindle arm and the tie rod from above."""
    half, radius = 0.5 * WIDTH, data.corners["front_left"].tyre.unloaded_radius
    ax.add_patch(
        plt.Rectangle(at["W"] - (half, radius), 2 * half, 2 * radius, fc="#f1f1f1", ec=LIGHT, zorder=0)
    )
    c = data.corners["front_left"].points
    for rear, front, tip, width in (
        (c["lower_arm.rear_pivot"], c["lower_arm.front_pivot"], at["D"], 4),
        (c["upper_arm.rear_pivot"], c["upper_arm.front_pivot"], at["F"], 3),
    ):
        pivots = front[[1, 0]], rear[[1, 0]]
        line(ax, pivots[0], tip, pivots[1], color=BLUE, lw=width, alpha=0.55)
        line(ax, *pivots, color=LIGHT, lw=1.0, ls="-.")
    bodies(ax, {**at, "A": at["D"], "G": at["F"]})
    for name, shift in {
        "D": (13, 4),
        "F": (-12, 8),
        "K": (13, -8),
        "L": (-13, -6),
        "E": (-12, -8),
        "B": (12, -8),
        "J": (-12, 6),
    }.items():
        mark(ax, name, at[name], shift, cut=name in "JL")
    finish(ax, "from above: y outwards, x forward [m]")


def draw_steering() -> float:
    """Draw figure 6, straight and turned; return the largest closure error at V [m]."""
    u = model.u0
    names = model.layout.y_names
    straight, turned = model.y0, model.y0
    turned[names.index("steering.pitman_arm.motion.position")] = ANGLE
    s = data.steering
    right = data.corners["front_right"]
    left = data.corners["front_left"]
    on = {
        "T": ("chassis", s.T),
        "W": ("chassis", s.W),
        "U": ("steering.pitman_arm", s.U),
        "V": ("steering.link", s.V),
        "L": ("steering.link", left.points["L"]),
        "L ": ("steering.link", right.points["L"]),
        "K": ("front_left.spindle", left.points["K"]),
        "K ": ("front_right.spindle", right.points["K"]),
        "w": ("front_left.spindle", left.W),
        "w ": ("front_right.spindle", right.W),
        "f": ("front_left.spindle", left.W + (0.3, 0, 0)),
        "f ": ("front_right.spindle", right.W + (0.3, 0, 0)),
        "E": ("front_left.upright_link", left.points["D"]),
        "E ": ("front_right.upright_link", right.points["D"]),
    }
    view = np.array(((0.0, 1.0, 0.0), s.R[:, 0])) * ((-1.0,), (1.0,))  # left of the vehicle on the left
    figure, ax = plt.subplots(figsize=(11.5, 5.0), layout="constrained")
    for y, alpha in ((straight, 0.25), (turned, 1.0)):
        at = {name: view @ place(body, point, y, u) for name, (body, point) in on.items()}
        line(ax, at["T"], at["U"], color=BLUE, lw=5, alpha=alpha)
        line(ax, at["W"], at["V"], color=BLUE, lw=5, alpha=alpha)
        line(ax, at["L"], at["U"], at["V"], at["L "], color=INK, lw=4, alpha=alpha)
        for side in ("", " "):
            line(ax, at["L" + side], at["K" + side], color=GREEN, lw=2.5, alpha=alpha)
            line(ax, at["K" + side], at["E" + side], color=GREEN, lw=4, alpha=alpha)
            line(
                ax,
                2 * at["w" + side] - at["f" + side],
                at["f" + side],
                color=LIGHT,
                lw=16,
                alpha=0.5 * alpha,
                zorder=0,
            )
    X = at["T"] + (0.0, 0.17)
    line(ax, at["T"], X, color=LIGHT, lw=1.0, ls="--")
    arc(ax, at["T"], bearing(at["T"], at["U"]), bearing(at["T"], X), 0.09, "", BLUE, 1.45)
    write(ax, "∠XTU", at["T"], (48, 34), BLUE)
    write(ax, "X", X, (0, 9), LIGHT, 11)
    for name, shift in {
        "T": (-14, -8),
        "W": (14, -8),
        "U": (2, 15),
        "V": (-4, 15),
        "L": (0, 15),
        "L ": (0, 15),
        "K": (0, -14),
        "K ": (0, -14),
    }.items():
        mark(ax, name.strip(), at[name], shift, cut=name.strip() in "LV")
    finish(ax, "along the axis of the Pitman arm, left of the vehicle on the left, forward up [m]")
    figure.savefig("steering.png", dpi=110)
    plt.close(figure)
    other = place("steering.idler_arm", s.V, turned, u)
    return float(np.linalg.norm(place("steering.link", s.V, turned, u) - other))


def finish(ax: Axes, title: str) -> None:
    """Set equal axes and remove the frame."""
    ax.set_aspect("equal")
    ax.set_title(title, fontsize=10)
    ax.tick_params(labelsize=8, color=LIGHT, labelcolor=LIGHT)
    ax.spines[:].set_color("#dddddd")


if __name__ == "__main__":
    draw_corner()
    closure = model.observation(model.y0, model.u0)[1].max()
    print("corner.png: closed at G, J and L to 1e-15 m or better:", closure <= 1e-15)
    print("steering.png: closed at V, turned, to 1e-15 m or better:", draw_steering() <= 1e-15)
