"""Figures of the results."""

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

OURS, OTHERS, LIMIT = "tab:blue", "0.6", "tab:red"


def draw(results: dict[str, dict[str, Any]], folder: Path) -> list[Path]:
    """Draw what there is data for; returns the files."""
    drawn = []
    for name, plot, size in (
        ("evaluation", evaluation, (8.0, 4.6)),
        ("accuracy", accuracy, (9.5, 4.8)),
        ("loops", loops, (10.0, 4.2)),
    ):
        if name in results:
            figure = Figure(figsize=size, layout="constrained")
            plot(figure, results[name])
            path = folder / f"benchmark_{name}.png"
            folder.mkdir(parents=True, exist_ok=True)
            figure.savefig(path, dpi=130)
            drawn.append(path)
    return drawn


def evaluation(figure: Figure, data: dict[str, Any]) -> None:
    axes = figure.add_subplot()
    names = sorted(data, key=lambda name: -float(data[name]["us"]))
    times = [data[name]["us"] for name in names]
    colours = [OURS if name.startswith("ce-dynamics") else OTHERS for name in names]
    bars = axes.barh(names, times, color=colours)
    axes.bar_label(bars, [f"{t:.3g}" for t in times], padding=3, fontsize=9)
    axes.set_xscale("log")
    axes.set(xlabel="µs per evaluation and vehicle", title="Accelerations of the ride model")
    axes.set_xlim(0.5 * min(times), 3.0 * max(times))
    axes.grid(visible=True, axis="x", alpha=0.35)
    axes.set_axisbelow(True)


def accuracy(figure: Figure, data: dict[str, Any]) -> None:
    axes = figure.add_subplot()
    styles = {"(native)": "o-", "(SciPy)": "s--", "own DAE": "^:", "MuJoCo": "v-.", "Pinocchio": "D-."}
    for name, points in data.items():
        style = next(style for key, style in styles.items() if key in name)
        axes.loglog([p["error"] for p in points], [p["wall"] for p in points], style, ms=5, label=name)
    axes.axhline(1.0, color=LIMIT, lw=1.0)
    axes.annotate("real time", (0.99, 1.05), xycoords=("axes fraction", "data"), ha="right", color=LIMIT)
    axes.set(
        xlabel="largest error of the chassis' position [m]",
        ylabel="wall time per simulated second [s]",
        title="Ride model, 2 s",
    )
    axes.invert_xaxis()
    axes.grid(visible=True, alpha=0.35)
    figure.legend(loc="outside right upper", fontsize=9)


def loops(figure: Figure, data: dict[str, Any]) -> None:
    """Cost of an evaluation and of compiling over the number of loops."""
    left, right = figure.subplots(1, 2)
    names = {
        "chains": "chain of four-bars",
        "combs": "comb of four-bars",
        "trees": "tree of double wishbones",
    }
    colours = {"chains": OURS, "combs": "tab:cyan", "trees": "tab:purple"}
    for key, name in names.items():
        curve(left, data[key], "us", name, color=colours[key], marker="o")
        curve(right, data[key], "compile", name, color=colours[key], marker="o")
    curve(
        left, data["chains"], "pinocchio", "chain, Pinocchio C++, exact KKT", color="tab:orange", marker="s"
    )
    curve(left, data["chains"], "lcaba", "chain, Pinocchio C++, lcaba", color="tab:green", marker="^")
    left.set(xlabel="loops", ylabel="µs per evaluation", title="Evaluation")
    curve(right, data["ways"], "straight compile", "chain as straight-line code", color="tab:red", marker="s")
    right.set(xlabel="loops", ylabel="s", title="Compiling")
    for axes in (left, right):
        axes.grid(visible=True, which="major", alpha=0.35)
        axes.legend(fontsize=8)


def curve(axes: Axes, chains: list[dict[str, Any]], key: str, label: str, **style: Any) -> None:
    """One quantity over the number of loops, where it was measured."""
    points = [(c["n"], c[key]) for c in chains if c.get(key) == c.get(key) and key in c]
    if not points:
        return
    axes.loglog([n for n, _ in points], [value for _, value in points], ms=5, label=label, **style)
