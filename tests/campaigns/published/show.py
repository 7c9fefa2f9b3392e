"""Tables and the figure of the comparisons."""

from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure

from ce_dynamics.models.published import MECHANISMS
from tests.benchmarks.report import Table, number
from tests.campaigns.published.runs import ATOL, BAUMGARTE, RTOL, TIGHT, Comparison, Line

COLOURS = {
    "embedded": "tab:blue", "not stabilised": "0.55", "Baumgarte": "tab:orange", "GGL, IDA": "tab:green",
}  # fmt: skip
MARKERS = {"embedded": "o", "not stabilised": "v", "Baumgarte": "s", "GGL, IDA": "D"}
PARTS = (
    ("constraint", "Largest error of hinges and closures, m"),
    ("energy", "Largest error of the energy, of the largest kinetic energy"),
    ("off", "Largest distance of a body from its place in the accurate motion, m"),
)
NOTE = (
    f"rtol = {RTOL:g}, atol = {ATOL:g}; the accurate motion is the embedded one at rtol = {TIGHT:g}. "
    f"Baumgarte's α = β = {BAUMGARTE:g} per run."
)


def figures_table(found: Mapping[str, Comparison]) -> Table:
    rows = tuple(
        (
            name,
            MECHANISMS[name].source,
            number(comparison.duration),
            str(len(MECHANISMS[name].figures)),
            f"{min(f.precision for f in MECHANISMS[name].figures):.0e}",
            number(comparison.figures, 2),
        )
        for name, comparison in found.items()
    )
    head = ("mechanism", "source", "s", "figures", "best precision", "largest error, in precisions")
    return Table("Published figures", head, rows)


def errors_table(found: Mapping[str, Comparison], quantity: str, title: str) -> Table:
    rows = tuple(
        (name, *(cell(line, quantity, comparison.duration) for line in comparison.lines.values()))
        for name, comparison in found.items()
    )
    return Table(title, ("mechanism", *COLOURS), rows, (NOTE,) if quantity == PARTS[-1][0] else ())


def cell(line: Line, quantity: str, duration: float) -> str:
    """An error, and how far the run came if not to its end."""
    value = f"{getattr(line, quantity):.1e}"
    return value if complete(line, duration) else f"{value}, stopped at {line.end:.2g} s"


def complete(line: Line, duration: float) -> bool:
    """Return True if a run came to its end."""
    return line.end >= duration * (1.0 - 1e-12)


def tables(found: Mapping[str, Comparison]) -> tuple[Table, ...]:
    return (figures_table(found), *(errors_table(found, quantity, title) for quantity, title in PARTS))


def draw(found: Mapping[str, Comparison], path: Path) -> None:
    """All errors, mechanism by mechanism; hollow where the run stopped before its end."""
    figure = Figure(figsize=(12.5, 0.42 * len(found) + 1.9), layout="constrained")
    names = list(found)[::-1]
    panels = figure.subplots(1, 3, sharey=True)
    labels = (
        "largest error of hinges and closures [m]",
        "largest error of the energy\n[of the largest kinetic energy]",
        "largest distance from the accurate motion [m]",
    )
    for axes, (quantity, _), label in zip(panels, PARTS, labels, strict=True):
        for formulation, colour in COLOURS.items():
            style = {"color": colour, "ms": 7, "ls": "none", "marker": MARKERS[formulation]}
            axes.plot([], [], **style, label=formulation)
            for k, name in enumerate(names):
                line = found[name].lines[formulation]
                filled = "full" if complete(line, found[name].duration) else "none"
                axes.plot([getattr(line, quantity)], [k], **style, fillstyle=filled)
        axes.set(xlabel=label, ylim=(-0.6, len(names) - 0.4), xscale="log")
        axes.grid(visible=True, alpha=0.35)
        axes.set_axisbelow(True)
    panels[0].set_yticks(range(len(names)), names)
    title = f"Published mechanisms, all at rtol = {RTOL:g}, atol = {ATOL:g}; hollow: stopped before the end"
    figure.suptitle(title, fontsize=11)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
