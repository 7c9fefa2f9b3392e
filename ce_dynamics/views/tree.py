"""Drawing of a system's spanning tree with its cuts, aggregated bodies and coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.textpath import TextPath
from matplotlib.typing import LineStyleType

from ce_dynamics.algebra.streams import drawn_text
from ce_dynamics.views.lines import BodyLine, CutLine, Lines, Role, heading

ROW = 0.44
"""Distance of the rows [in]."""
HINGE_ROOM = 0.85
"""Length of an edge that has the type of its hinge written on it [in]."""
LANE = 0.22
"""Distance of the vertical parts of cut edges [in]."""
STYLE: Mapping[Role, tuple[str, LineStyleType, float]] = {
    Role.INDEPENDENT: ("tab:blue", "-", 2.6),
    Role.PARTLY: ("tab:blue", "-", 1.2),
    Role.DEPENDENT: ("0.45", "-", 1.2),
    Role.PRESCRIBED: ("tab:green", "-.", 2.0),
    Role.UNDECIDED: ("0.45", ":", 1.2),
}
CUT = "tab:red"
DASHES = (0, (5, 3))


class BoxPlace(NamedTuple):
    """Left and right end of the box with the name of a body, and the height of its row [in]."""

    left: float
    right: float
    y: float


def tree_figure(description: Lines) -> Figure:
    """Return the spanning tree from left to right, one body in a row; cut edges run in lanes of their own."""
    places = place_bodies(description.bodies)
    tree_right = max(place.right for place in places.values())
    longest = max((text_width(cut_text(cut), 7.5) for cut in description.cuts), default=0.0)
    width = max(6.0, tree_right + LANE * (len(description.cuts) + 1) + longest)
    figure = Figure(figsize=(width + 0.4, ROW * (len(places) + 1) + 1.2), layout="constrained")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_xlim(-0.2, width)
    axes.set_ylim(-ROW * len(places), ROW)
    axes.set_title(drawn_text(heading(description)), loc="left", fontsize=11, fontweight="bold")
    colours = aggregate_colours(description)
    draw_body(axes, places["ground"], "ground", "0.85")
    for line in description.bodies:
        draw_hinge(axes, places, line)
        draw_body(axes, places[line.name], line.name, colours.get(line.aggregate, "white"))
    draw_cuts(axes, places, description.cuts, tree_right)
    axes.legend(
        handles=legend(description, colours),
        loc="upper left",
        bbox_to_anchor=(0.0, 0.0),
        ncols=2,
        frameon=False,
        fontsize=8.5,
    )
    return figure


def place_bodies(bodies: Sequence[BodyLine]) -> dict[str, BoxPlace]:
    """Place all bodies: one row each, every level of the tree to the right of the names before it."""
    widest = [text_width("ground", 9.0)]
    for line in bodies:
        widest += [0.0] * (line.depth + 1 - len(widest))
        widest[line.depth] = max(widest[line.depth], text_width(line.name, 9.0))
    left = [sum(widest[:depth]) + HINGE_ROOM * depth for depth in range(len(widest))]
    places = {"ground": BoxPlace(0.0, widest[0], 0.0)}
    for row, line in enumerate(bodies, start=1):
        x = left[line.depth]
        places[line.name] = BoxPlace(x, x + text_width(line.name, 9.0), -ROW * row)
    return places


def text_width(text: str, size: float) -> float:
    """Measure the width of a text of that size in points, with its surroundings [in], as fonts differ."""
    return float(TextPath((0.0, 0.0), drawn_text(text), size=size).get_extents().width) / 72.0 + 0.12


def draw_body(axes: Axes, place: BoxPlace, text: str, colour: str) -> None:
    """Draw the name of a body in a box."""
    box = {"boxstyle": "round,pad=0.3", "facecolor": colour, "edgecolor": "0.3", "linewidth": 0.8}
    axes.text(place.left, place.y, drawn_text(text), ha="left", va="center", fontsize=9, bbox=box, zorder=5)


def draw_hinge(axes: Axes, places: Mapping[str, BoxPlace], line: BodyLine) -> None:
    """Draw the edge from the parent to a body, with the type of its hinge."""
    parent, place = places[line.parent], places[line.name]
    colour, dashes, thickness = STYLE[line.role]
    stem = parent.left + 0.12
    axes.plot(
        (stem, stem, place.left),
        (parent.y, place.y, place.y),
        color=colour,
        linestyle=dashes,
        linewidth=thickness,
        solid_joinstyle="round",
        zorder=3 if line.role is Role.INDEPENDENT else 2,
    )
    axes.text(
        place.left - 0.1,
        place.y + 0.03,
        drawn_text(line.hinge),
        ha="right",
        va="bottom",
        fontsize=7.5,
        color=colour,
        zorder=4,
    )


def draw_cuts(axes: Axes, places: Mapping[str, BoxPlace], cuts: Sequence[CutLine], right: float) -> None:
    """Draw the cut edges: to the right of the tree, the longest outermost, each with its name."""
    span = {cut.name: abs(places[cut.body_a].y - places[cut.body_b].y) for cut in cuts}
    ends = Counter(name for cut in cuts for name in (cut.body_a, cut.body_b))
    met: Counter[str] = Counter()
    for k, cut in enumerate(sorted(cuts, key=lambda cut: span[cut.name]), start=1):
        lane = right + LANE * k
        heights = []
        for name in (cut.body_a, cut.body_b):
            y = places[name].y - min(0.06, 0.3 / ends[name]) * met[name]  # cuts of one body side by side
            met[name] += 1
            axes.plot(
                (places[name].right, lane), (y, y), color=CUT, linestyle=DASHES, linewidth=1.0, zorder=1
            )
            heights.append(y)
        axes.plot((lane, lane), heights, color=CUT, linestyle=DASHES, linewidth=1.0, zorder=1)
        lowest = min(heights)
        axes.plot((lane,), (lowest,), color=CUT, marker=".", zorder=1)
        edge = right + LANE * (len(cuts) + 0.6)
        axes.text(edge, lowest, drawn_text(cut_text(cut)), ha="left", va="center", fontsize=7.5, color=CUT)


def cut_text(cut: CutLine) -> str:
    """Name and type of a cut edge."""
    return f"{cut.name} ({cut.closure})"


def aggregate_colours(description: Lines) -> dict[str, str]:
    """Return a light colour for every aggregated body."""
    palette = colormaps["Pastel1"].colors  # type: ignore[attr-defined]
    return {
        line.name: "#" + "".join(f"{round(255 * part):02x}" for part in palette[k % len(palette)])
        for k, line in enumerate(description.aggregates)
    }


def legend(description: Lines, colours: Mapping[str, str]) -> list[Line2D | Patch]:
    """Return legend entries for the lines and colours that occur."""
    roles = dict.fromkeys(line.role for line in description.bodies)
    words = {role: f"{role.value} hinge" for role in Role}
    handles: list[Line2D | Patch] = []
    for role in roles:
        colour, dashes, thickness = STYLE[role]
        handles.append(Line2D([], [], color=colour, linestyle=dashes, linewidth=thickness, label=words[role]))
    if description.cuts:
        handles.append(Line2D([], [], color=CUT, linestyle=DASHES, label="cut edge"))
    for line in description.aggregates:
        names = ", ".join(line.independent) or "none"
        text = f"aggregated body {line.name!r}, {line.degrees_of_freedom} DoF: {names}"
        handles.append(Patch(facecolor=colours[line.name], edgecolor="0.3", label=drawn_text(text)))
    return handles
