"""Drawing of a mechanism in a pose: every body as the polygon of its hinge points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.streams import drawn_text
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.dynamics.jacobians import frame_jacobian
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import across, finite_vector, unit_axis
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.parameters import values_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COINCIDENT = 1e-9
"""Points closer than this, in sizes of the mechanism, are drawn as one."""
FLAT = 0.01
"""Part of the motion, or of the extent, that does not show: a line of 2.5 points in a picture of 250."""
HINGE = 7.0
"""Size of a hinge's mark [points]."""
AXES = np.array(((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)))
"""Default direction of the view, and the direction that is drawn upwards."""
STEPS = np.array([(i, j) for i in (0.0, -1.1, 1.1, -2.2, 2.2) for j in np.arange(-18.0, 18.1, 1.2)])
"""Positions of names from the middle of an edge, in half their width and height."""


def draw(
    model: Model,
    y: ArrayLike | None = None,
    u: ArrayLike | None = None,
    *,
    along: ArrayLike | None = None,
    up: ArrayLike | None = None,
    axes: Axes | None = None,
    names: bool = True,
    points: Mapping[str, Sequence[ArrayLike]] | None = None,
) -> Axes:
    """Draw a mechanism in a pose, in parallel projection.

    Every body is the polygon of its hinge and closure points; a body with one such point is drawn up to its
    centre of mass.  Hinges on the ground are triangles, independent ones are filled, cut edges are rings; of
    Free hinges there is nothing to see.

    Parameters
    ----------
    model : Model
    y : array_like, optional
        State; the initial one if not given.
    u : array_like, optional
        Inputs and free parameters; their defaults if not given.
    along : (3,) array_like, optional
        Direction in which one looks, in world axes.  If not given: across the plane in which all points move,
        along the world's y axis if they move in no plane.
    up : (3,) array_like, optional
        World direction that is drawn upwards.  If not given: against gravity, z or y, the first that is seen
        at more than half its length.
    axes : matplotlib.axes.Axes, optional
        Where to draw; axes of a new figure if not given.
    names : bool
        Whether bodies are labelled.
    points : mapping of str to sequence of (3,) array_like, optional
        Further points of bodies, by their design positions [m], that belong into the picture.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ModelError
        If y or u has the wrong length or is not finite, a direction is zero, the two are parallel, or a body
        or point given is none.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System()
    >>> rod = system.add_body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 0.0),
    ...                       parent=system.ground, hinge=ce.Revolute(axis=(0, 1, 0), at=(0, 0, 0)))
    >>> axes = ce.draw(ce.compile(system))
    >>> axes.figure.savefig("pendulum.png")  # doctest: +SKIP
    """
    checks.require_plots()
    from matplotlib.figure import Figure  # here, because only pictures need it

    checks.instance("draw: model", model, Model, "a model, as ce_dynamics.compile(system) returns it")
    checks.flag("draw: names", names)
    poses = skeleton(model, y, u, points)
    away = view_direction(model, y, u, poses) if along is None else unit_axis(along, "draw", "along")
    plane = picture_plane(away, upward(model, away) if up is None else up)
    if axes is None:
        axes = Figure(figsize=(6.0, 4.5), layout="constrained").add_subplot()
    size = max((float(np.ptp(marks, axis=0).max()) for marks in poses.values()), default=1.0)
    seen = {name: marks @ plane.T for name, marks in poses.items()}
    outlines = {name: outline_of(at[distinct_points(at, COINCIDENT * size)]) for name, at in seen.items()}
    for k, outline in enumerate(outlines.values()):
        draw_body(axes, outline, f"C{k % 10}")
    draw_hinges(axes, model, poses, plane)
    cuts = [loop.attachments[0] for loop in model.system.closures if loop.attachments]
    draw_cuts(axes, locate_points(model, y, u, cuts) @ plane.T)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.1)
    axes.set_xlabel(f"{axis_name(plane[0])} [m]")
    axes.set_ylabel(f"{axis_name(plane[1])} [m]")
    axes.grid(alpha=0.3)
    if names:
        hinges = [marks[0] @ plane.T for marks in poses.values()]
        label_bodies(axes, outlines, hinges)
    return axes


def skeleton(
    model: Model,
    y: ArrayLike | None = None,
    u: ArrayLike | None = None,
    points: Mapping[str, Sequence[ArrayLike]] | None = None,
) -> dict[str, Floats]:
    """Return points of every body in world axes [m], (n, 3) each.

    The first is that of the inboard hinge, then come those of the hinges and closures on the body and the
    further ones given; a body with no others has its centre of mass as well.
    """
    bodies = model.system.bodies
    marked = {body.name: attachments(model, body) for body in bodies}
    for name, further in checks.mapping("draw: points", points or {}).items():
        owner = model.system.find(name)
        given = checks.items(f"draw: points of {name!r}", further)
        marked[owner.name] += [finite_vector(at, f"draw: body {owner.name!r}", "point") for at in given]
    for body in bodies:
        marked[body.name] += [body.com] * (len(marked[body.name]) == 1)
    pairs = [(body, at) for body in bodies for at in marked[body.name]]
    positions = locate_points(model, y, u, pairs)
    return {body.name: positions[[owner is body for owner, _ in pairs]] for body in bodies}


def locate_points(
    model: Model, y: ArrayLike | None, u: ArrayLike | None, points: Sequence[tuple[Body, Array]]
) -> Floats:
    """Return the world positions (n, 3) of body-fixed points given by their design positions."""
    state, inputs = model.given_state(y), model.given_inputs(u)
    outward = model.instant(state, inputs).outward
    numbers = [x for body, at in points for x in outward.point(body, at, model.system.ground).r]
    given = inputs[model.layout.n_inputs :]
    found = np.asarray(values_at(numbers, model.layout.parameters, given), dtype=float).reshape(-1, 3)
    model.refuse_not_finite(state, inputs, found)
    return found


def view_direction(
    model: Model, y: ArrayLike | None, u: ArrayLike | None, poses: Mapping[str, Floats]
) -> Floats:
    """Return the direction in which a mechanism is seen best: across the plane in which its points move.

    Where the motion leaves several directions, as that of a slider does, it is among them the one in which
    the mechanism has the least extent.  It is y where points move in no plane, or where less is hidden so: a
    ball joint's pendulum moves in the plane on which it stands upright.
    """
    marks = np.concatenate([*poses.values(), np.zeros((1, 3))])[:-1]
    spreads = [velocities_of_marks(model, y, u), marks - marks.mean(axis=0) if len(marks) else marks]
    free = np.eye(3)
    for spread in spreads:
        _, singular, rows = np.linalg.svd(np.vstack((spread @ free.T, np.zeros((3, len(free))))))
        flat = singular <= FLAT * singular[0]
        if not flat.any():
            break
        free = rows[flat] @ free
    chosen = free.T @ (free @ AXES[0])
    if np.linalg.norm(chosen) <= FLAT:
        chosen = free[0]
    away: Floats = chosen / np.linalg.norm(chosen)
    hidden = [sum(hidden_share(spread, way) for spread in spreads) for way in (away, AXES[0])]
    away = away if hidden[0] <= hidden[1] else AXES[0]
    right = np.cross(away, upward(model, away))
    return away if right[np.argmax(np.abs(right))] > 0.0 else -away


def hidden_share(spread: Floats, away: Floats) -> float:
    """Return the part of the squares of vectors (n, 3) that lies in the direction of the view."""
    total = float(np.sum(spread**2))
    return float(np.sum((spread @ away) ** 2)) / total if total > 0.0 else 0.0


def velocities_of_marks(model: Model, y: ArrayLike | None, u: ArrayLike | None) -> Floats:
    """Return the directions (n, 3) in which hinge points can move, each velocity at its largest as 1."""
    state, inputs = model.given_state(y), model.given_inputs(u)
    outward = model.instant(state, inputs).outward
    pairs = [(body, at) for body in model.system.bodies for at in (*attachments(model, body), body.com)]
    columns = [x for body, at in pairs for x in frame_jacobian(outward, body, at)[3:].ravel()]
    given = values_at(columns, model.layout.parameters, inputs[model.layout.n_inputs :])
    J = np.asarray(given, dtype=float).reshape(len(pairs), 3, -1)
    largest = np.linalg.norm(J, axis=1).max(axis=0, initial=0.0)
    moving = J[:, :, largest > 0.0] / largest[largest > 0.0]
    rows: Floats = np.moveaxis(moving, 1, 2).reshape(-1, 3)
    return rows


def upward(model: Model, away: Floats) -> Floats:
    """Return the upward axis: against gravity, z or y, the first seen at more than half its length."""
    gravity = np.asarray(nominal(model.system.gravity), dtype=float)
    length = float(np.linalg.norm(gravity))
    candidates = [-gravity / length] if length > 0.0 else []
    return next(up for up in (*candidates, *AXES[1:]) if np.linalg.norm(np.cross(up, away)) > 0.5)


def attachments(model: Model, body: Body) -> list[Array]:
    """Return design positions of the points of a body: its inboard hinge first."""
    points = [body.inboard.at_child]
    points += [other.inboard.at_parent for other in model.system.bodies if other.parent is body]
    return points + [at for loop in model.system.closures for held, at in loop.attachments if held is body]


def picture_plane(along: ArrayLike, up: ArrayLike) -> Floats:
    """Return world directions of the picture's two axes, in rows."""
    away, upward = unit_axis(along, "draw", "along"), unit_axis(up, "draw", "up")
    upward = upward - away * (away @ upward)
    length = float(np.linalg.norm(upward))
    if length < 1e-6:
        raise ModelError(
            f"draw: up {up!r} is parallel to along {along!r}; give another direction, as {across(away)[0]}"
        )
    upward = upward / length
    return np.stack((np.cross(away, upward), upward))


def axis_name(direction: Floats) -> str:
    """Return ``x`` or ``−y`` where a picture's axis is one of the world's, otherwise its components."""
    for k, name in enumerate("xyz"):
        if abs(abs(direction[k]) - 1.0) < 1e-9:
            return name if direction[k] > 0 else f"−{name}"
    return "(" + ", ".join(f"{part:.2g}" for part in direction) + ")"


def distinct_points(points: Floats, tolerance: float) -> list[int]:
    """Return the indices of the points that do not coincide with an earlier one within ``tolerance``."""
    kept: list[int] = []
    for k, point in enumerate(points):
        if all(np.max(np.abs(point - points[j])) > tolerance for j in kept):
            kept.append(k)
    return kept


def draw_body(axes: Axes, outline: Floats, colour: str) -> None:
    """Draw a body as a line or a filled polygon."""
    axes.fill(*outline.T, facecolor=colour, alpha=0.15, zorder=1)
    axes.plot(
        *np.vstack((outline, outline[:1])).T, color=colour, linewidth=2.5, solid_joinstyle="round", zorder=2
    )


def label_bodies(axes: Axes, outlines: Mapping[str, Floats], hinges: Sequence[Floats]) -> None:
    """Write every body's name on one of its edges or beside it, off other names and hinges."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # places everything on the page
    place = axes.transData.transform
    dot = 0.5 * HINGE * figure.dpi / 72.0
    page = np.array((axes.bbox.min, axes.bbox.max))
    taken = [np.array((place(hinge) - dot, place(hinge) + dot)) for hinge in hinges]
    for k, (name, outline) in enumerate(outlines.items()):
        box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
        text = axes.annotate(
            drawn_text(name),
            outline[0],
            (0.0, 0.0),
            textcoords="offset points",
            color=f"C{k % 10}",
            ha="center",
            va="center",
            fontsize=9,
            bbox=box,
            zorder=5,
            arrowprops={
                "arrowstyle": "-",
                "color": f"C{k % 10}",
                "linewidth": 0.7,
                "shrinkA": 0.0,
                "shrinkB": 0.0,
            },
        )
        text.set_in_layout(False)
        extent = text.get_window_extent()
        half = 0.5 * np.array((extent.width, extent.height)) + 0.2 * extent.height
        edges = 0.5 * (outline + np.roll(outline, -1, axis=0)) if len(outline) > 1 else outline
        steps = np.tile(STEPS * half, (len(edges), 1))
        anchors = np.repeat(edges, len(STEPS), axis=0)
        covered = measure_cover(place(anchors) + steps, half, taken, page)
        *_, spot, anchor = min(
            zip(covered, np.hypot(*steps.T), map(tuple, steps), map(tuple, anchors), strict=True)
        )
        text.xy, text.xyann = anchor, tuple(np.array(spot) * 72.0 / figure.dpi)
        taken.append(np.array((place(anchor) - half, place(anchor) + half)) + spot)


def measure_cover(middles: Floats, half: Floats, taken: Sequence[Floats], page: Floats) -> Floats:
    """Return the areas (n,) [pixels²] of equal rectangles that others cover, or that lie beside the page."""
    own = np.stack((middles - half, middles + half))

    def overlap(other: Floats) -> Floats:
        common = np.minimum(own[1], other[1]) - np.maximum(own[0], other[0])
        return np.asarray(np.prod(np.maximum(common, 0.0), axis=1))

    covered = sum((overlap(other) for other in taken), np.zeros(len(middles)))
    return np.asarray(covered + np.prod(2.0 * half) - overlap(page))


def outline_of(points: Floats) -> Floats:
    """Return the points in their order around their middle."""
    offsets = points - points.mean(axis=0)
    ordered: Floats = points[np.argsort(np.arctan2(offsets[:, 1], offsets[:, 0]), kind="stable")]
    return ordered


def draw_hinges(axes: Axes, model: Model, poses: dict[str, Floats], plane: Floats) -> None:
    """Draw hinge points: triangles below those on the ground, filled where the hinge is independent."""
    independent = {body.name for S in model.embedding.aggregates for body in S.independent}
    for body in model.system.bodies:
        if isinstance(body.inboard, Free):
            continue
        x, z = plane @ poses[body.name][0]
        if body.carrier.is_ground:
            axes.plot((x,), (z,), marker="^", markersize=15, color="0.6", zorder=3)
        face = "tab:blue" if body.name in independent else "white"
        axes.plot(
            (x,), (z,), marker="o", markersize=HINGE, markerfacecolor=face, markeredgecolor="0.2", zorder=4
        )


def draw_cuts(axes: Axes, points: Floats) -> None:
    """Cut edges, as rings."""
    axes.plot(
        *points.T,
        linestyle="none",
        marker="o",
        markersize=8,
        markerfacecolor="none",
        markeredgecolor="tab:red",
        markeredgewidth=2.0,
        zorder=4,
    )
