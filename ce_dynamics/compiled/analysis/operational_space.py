"""Inertia felt at points and frames: Λ = (J M⁻¹ Jᵀ)⁻¹, by the O(N) recursion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.points import Frame, Point
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.dynamics.jacobians import frame_jacobian
from ce_dynamics.dynamics.mass_matrix import solve_mass
from ce_dynamics.errors import ModelError

DEFICIENT = 1e-12
"""Eigenvalues of the mobility (scaled to a unit diagonal) below which directions depend on each other."""

STILL = 1e-24  # part of the largest mobility below which a direction does not move at all


class OperationalSpace(NamedTuple):
    """Response of points and frames to forces at them.

    Attributes
    ----------
    inertia : (k, k) array
        Λ: forces [N], [N m] that unit accelerations of the components need, added to the acting forces.
    mobility : (k, k) array
        J M⁻¹ Jᵀ = Λ⁻¹: accelerations that unit forces cause; velocities that unit impulses cause.
    J : (k, n_v) array
        Jacobian of the components.
    response : (n_v, k) array
        M⁻¹ Jᵀ: generalised accelerations (velocities) that unit forces (impulses) cause.
    """

    inertia: Floats
    mobility: Floats
    J: Floats
    response: Floats


@takes_state("targets", "y", "u")
def operational_space(
    model: CompiledSystem,
    targets: Point | Frame | Sequence[Point | Frame],
    *here: ArrayLike | None,
    directions: ArrayLike | None = None,
    **named: Unpack[StateArguments],
) -> OperationalSpace:
    """Return the inertia and mobility at points and frames.

    Parameters
    ----------
    targets : Point, Frame or sequence of them
        From `point` and `frame`.  A point has 3 components, a frame 6 ([angular; linear]), in world axes;
        those of several are put one after the other.
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.
    directions : (k, n) array_like, optional
        Rows that combine the n components to those that count, all of them if not given.  Where a
        point cannot move in all directions (on a planar mechanism), name those in which it can.

    Raises
    ------
    ModelError
        If the directions do not fit, or some of them depend on each other or cannot be moved in.
    AssemblyError
        If a loop cannot be assembled at the state.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System()
    >>> rod = system.add_body("rod", mass=3.0, com=(0.5, 0, 0), inertia=(0, 0.25, 0.25),
    ...                       parent=system.ground, hinge=ce.Revolute(axis=(0, 1, 0)))
    >>> model = ce.compile(system)
    >>> tip = model.point(rod, at=(1, 0, 0))
    >>> model.operational_space(tip, directions=[(0, 0, 1)]).inertia  # a third of the mass
    array([[1.]])
    """
    chosen = read_targets("targets", targets, directions)
    if not chosen.parts:
        raise ModelError("targets: name at least one point or frame")
    D = chosen.D

    def operational(y: Array, u: Array, at: Array) -> dict[str, Array]:
        instant = model.instant(y, u)
        J = np.concatenate(
            [
                frame_jacobian(instant.outward, frame.body, at[3 * k : 3 * k + 3])[rows]
                for k, (frame, rows) in enumerate(chosen.parts)
            ]
        )
        return {"J": J, "response": solve_mass(instant.outward, instant.nodes, J.T)}

    name = f"operational space of {chosen.key}"
    at = np.concatenate([np.zeros(0), *(frame.at for frame, _ in chosen.parts)])
    state, given = state_given(model, *here, **named)
    J, response = model.evaluate_at(name, operational, state, given, at=at)
    J, response = D @ J, response @ D.T
    mobility = J @ response
    mobility = 0.5 * (mobility + mobility.T)
    inertia: Floats = inverse(mobility, chosen.names)
    return OperationalSpace(inertia, mobility, J, response)


class Directed(NamedTuple):
    """Components of points and frames, and those of their combinations that count."""

    parts: list[tuple[Frame, slice]]  # frames, and which of their six rows
    labels: list[str]
    D: Floats  # (k, n), the directions

    @property
    def names(self) -> list[str]:
        """Names of the directions, for messages."""
        return label_rows(self.labels, self.D)

    @property
    def key(self) -> str:
        """Key of the compiled function: bodies of the parts, and their first rows."""
        return str([(frame.body.name, rows.start) for frame, rows in self.parts])


def read_targets(
    what: str,
    targets: Point | Frame | Sequence[Point | Frame],
    directions: ArrayLike | None,
    called: str = "directions",
) -> Directed:
    """Return points and frames as a caller names them, with the directions that count."""
    known = "points and frames, as model.point(body, at) and model.frame(body, at) return them"
    chosen = (targets,) if isinstance(targets, (Point, Frame)) else checks.items(what, targets)
    for target in chosen:
        checks.instance(what, target, (Point, Frame), known)
    parts = [
        (target.frame, slice(3, 6)) if isinstance(target, Point) else (target, slice(0, 6))
        for target in chosen
    ]
    labels = [label for target in chosen for label in target.labels]
    D = np.eye(len(labels)) if directions is None else checks.numbers(called, directions)
    D = checks.finite_array(called, D[np.newaxis] if D.ndim == 1 else D, (None, len(labels)))
    return Directed(parts, labels, D)


def label_rows(labels: Sequence[str], D: Floats) -> list[str]:
    """Return the name of each row of the directions, for messages."""
    texts = []
    for row in D:
        parts = [label if x == 1.0 else f"{x:.3g} {label}" for label, x in zip(labels, row, strict=True) if x]
        texts.append(" + ".join(parts) or "nothing")
    return texts


def inverse(mobility: Floats, names: Sequence[str], least: Floats | float = 0.0) -> Floats:
    """Return Λ of a mobility (k, k).

    Directions without motion (at most ``least``), and those that depend on each other, are refused.
    """
    diagonal = np.diag(mobility)
    moves = diagonal > np.maximum(least, STILL * np.max(diagonal, initial=0.0))
    still = [name for name, moving in zip(names, moves, strict=True) if not moving]
    if still:
        raise ModelError(
            f"no force causes motion in {'; '.join(still)}: the inertia there has no bounds; leave it out "
            "(directions=...)"
        )
    scale = 1.0 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(mobility * np.outer(scale, scale))
    if len(values) and values[0] <= DEFICIENT:
        involved = [name for name, x in zip(names, vectors[:, 0], strict=True) if abs(x) > 1e-3]
        rank = int(np.sum(values > DEFICIENT))
        raise ModelError(
            f"only {rank} of {len(values)} directions can be moved in independently; these depend on each "
            f"other: {'; '.join(involved)}; leave some out (directions=...)"
        )
    result: Floats = np.outer(scale, scale) * ((vectors / values) @ vectors.T)
    return result
