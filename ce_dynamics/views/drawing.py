"""Drawing of a mechanism in a pose: every body as the polygon of its hinge points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import across, finite_vector, unit_axis
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.parameters import values_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COINCIDENT = 1e-9
"""Points closer than this, in sizes of the mechanism, are drawn as one."""


def draw(
    model: Model,
    y: ArrayLike | None = None,
    u: ArrayLike | None = None,
    *,
    along: ArrayLike = (0.0, 1.0, 0.0),
    up: ArrayLike = (0.0, 0.0, 1.0),
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
    along : (3,) array_like
        Direction in which one looks, in world axes.
    up : (3,) array_like
        World direction that is drawn upwards.
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
    from matplotlib.figure import Figure  # here, because only pictures need it

    checks.instance("draw: model", model, Model, "a model, as ce_dynamics.compile(system) returns it")
    checks.flag("draw: names", names)
    plane = picture_plane(along, up)
    if axes is None:
        axes = Figure(figsize=(6.0, 4.5), layout="constrained").add_subplot()
    poses = skeleton(model, y, u, points)
    size = max((float(np.ptp(marks, axis=0).max()) for marks in poses.values()), default=1.0)
    for k, (name, marks) in enumerate(poses.items()):
        draw_body(axes, distinct(marks @ plane.T, COINCIDENT * size), f"C{k % 10}", name if names else "")
    draw_hinges(axes, model, poses, plane)
    cuts = [loop.attachments[0] for loop in model.system.closures if loop.attachments]
    draw_cuts(axes, located(model, y, u, cuts) @ plane.T)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.1)
    axes.set_xlabel(f"{axis_name(plane[0])} [m]")
    axes.set_ylabel(f"{axis_name(plane[1])} [m]")
    axes.grid(alpha=0.3)
    return axes


def skeleton(
    model: Model,
    y: ArrayLike | None = None,
    u: ArrayLike | None = None,
    points: Mapping[str, Sequence[ArrayLike]] | None = None,
) -> dict[str, Floats]:
    """Points of every body in world axes [m], (n, 3) each.

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
    positions = located(model, y, u, pairs)
    return {body.name: positions[[owner is body for owner, _ in pairs]] for body in bodies}


def located(
    model: Model, y: ArrayLike | None, u: ArrayLike | None, points: Sequence[tuple[Body, Array]]
) -> Floats:
    """World positions (n, 3) of body-fixed points given by their design positions."""
    state = model.y0 if y is None else checked("y", y, len(model.layout.y0))
    inputs = model.u0 if u is None else checked("u", u, len(model.layout.u))
    outward = model.instant(state, inputs).outward
    numbers = [x for body, at in points for x in outward.point(body, at, model.system.ground).r]
    given = inputs[model.layout.n_inputs :]
    found = np.asarray(values_at(numbers, model.layout.parameters, given), dtype=float).reshape(-1, 3)
    model.refuse_not_finite(np.asarray(state), np.asarray(inputs), found)
    return found


def attachments(model: Model, body: Body) -> list[Array]:
    """Design positions of the points of a body: its inboard hinge first."""
    points = [body.inboard.at_child]
    points += [other.inboard.at_parent for other in model.system.bodies if other.parent is body]
    return points + [at for loop in model.system.closures for held, at in loop.attachments if held is body]


def picture_plane(along: ArrayLike, up: ArrayLike) -> Floats:
    """World directions of the picture's two axes, in rows."""
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
    """``x`` or ``−y`` where a picture's axis is one of the world's, otherwise its components."""
    for k, name in enumerate("xyz"):
        if abs(abs(direction[k]) - 1.0) < 1e-9:
            return name if direction[k] > 0 else f"−{name}"
    return "(" + ", ".join(f"{part:.2g}" for part in direction) + ")"


def distinct(points: Floats, tolerance: float) -> Floats:
    """Points without those that coincide with an earlier one."""
    kept: list[Floats] = []
    for point in points:
        if all(np.max(np.abs(point - other)) > tolerance for other in kept):
            kept.append(point)
    return np.array(kept)


def draw_body(axes: Axes, points: Floats, colour: str, name: str) -> None:
    """A body as a line or a filled polygon, with its name between its first two points."""
    outline = outline_of(points)
    axes.fill(*outline.T, facecolor=colour, alpha=0.15, zorder=1)
    axes.plot(
        *np.vstack((outline, outline[:1])).T, color=colour, linewidth=2.5, solid_joinstyle="round", zorder=2
    )
    if name:
        box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
        x, z = points[:2].mean(axis=0)  # beside the hinges, which must stay visible
        axes.text(x, z, name, color=colour, ha="center", va="center", fontsize=9, bbox=box, zorder=5)


def outline_of(points: Floats) -> Floats:
    """The points in the order in which one sees them from their middle."""
    offsets = points - points.mean(axis=0)
    ordered: Floats = points[np.argsort(np.arctan2(offsets[:, 1], offsets[:, 0]), kind="stable")]
    return ordered


def draw_hinges(axes: Axes, model: Model, poses: dict[str, Floats], plane: Floats) -> None:
    """Hinge points: triangles below those on the ground, filled where the hinge is independent."""
    independent = {body.name for S in model.embedding.aggregates for body in S.independent}
    for body in model.system.bodies:
        if isinstance(body.inboard, Free):
            continue
        x, z = plane @ poses[body.name][0]
        if body.carrier.is_ground:
            axes.plot((x,), (z,), marker="^", markersize=15, color="0.6", zorder=3)
        face = "tab:blue" if body.name in independent else "white"
        axes.plot((x,), (z,), marker="o", markersize=7, markerfacecolor=face, markeredgecolor="0.2", zorder=4)


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
