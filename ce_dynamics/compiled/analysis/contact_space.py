"""Contact-consistent operational space: dynamics of a system while some of its points and frames are held.

With J_c the Jacobian of the held points and frames, and a_c = J_c v̇ + J̇_c v = 0,

    Λ_c = (J_c M⁻¹ J_cᵀ)⁺,                  N_c = 1 − M⁻¹ J_cᵀ Λ_c J_c,
    λ = −Λ_c (J_c v̇_free + J̇_c v),          v̇ = v̇_free + M⁻¹ J_cᵀ λ.

Generalised forces τ then cause accelerations N_c M⁻¹ τ.  Forces F at tasks accelerate the tasks by
J N_c M⁻¹ Jᵀ F.
(Park and Khatib, 2006; Sentis, Park and Khatib, 2010.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.operational_space import (
    DEFICIENT,
    Directed,
    OperationalSpace,
    inverse,
    read_targets,
)
from ce_dynamics.compiled.analysis.points import Frame, Point
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.dynamics.jacobians import frame_columns
from ce_dynamics.dynamics.mass_matrix import solve_mass
from ce_dynamics.errors import ModelError

HELD = 1e-12  # part of a mobility that rounding leaves where contacts take all of it
CONTRADICTION = 1e-7
"""Accelerations that are left of contacts, of the largest there are, above which they contradict each other;
eigenvalues from 1e-12 on are inverted, whose rounding, 1e-16 / 1e-12, is a thousandth of this."""


class ContactSpace(NamedTuple):
    """A system whose contacts are held.

    Attributes
    ----------
    J : (c, n_v) array
        J_c of the contacts.
    inertia : (c, c) array
        Λ_c; its pseudo-inverse for redundant contacts.
    rank : int
        How many of the contacts' components are independent.
    free : (n_v, n_v) array
        N_c: projection onto velocities and accelerations that the contacts allow.
    response : (n_v, n_v) array
        N_c M⁻¹: accelerations that generalised forces cause.
    v_dot : (n_v,) array
        Accelerations, under all that acts.
    force : (c,) array
        λ, on the system [N], [N m]; where several do the same, that of the least Σ λ_i² (J_c M⁻¹ J_cᵀ)_ii.
    tasks : OperationalSpace
        Of the tasks, with the contacts held.
    acceleration : (k,) array
        Acceleration of the tasks under all loads; Λ (a − this) is the force for an acceleration a.
    """

    J: Floats
    inertia: Floats
    rank: int
    free: Floats
    response: Floats
    v_dot: Floats
    force: Floats
    tasks: OperationalSpace
    acceleration: Floats


Targets = Point | Frame | Sequence[Point | Frame]


@takes_state("contacts", "tasks", "y", "u")
def contact_space(
    model: CompiledSystem,
    contacts: Targets,
    tasks: Targets = (),
    *here: ArrayLike | None,
    directions: ArrayLike | None = None,
    held: ArrayLike | None = None,
    **named: Unpack[StateArguments],
) -> ContactSpace:
    """Return the dynamics with points and frames held, such as feet on the ground, and seen by tasks.

    Parameters
    ----------
    contacts, tasks : Point, Frame or sequence of them
        Points and frames that are held, and that are moved.  A point has 3 components, a frame 6
        ([angular; linear]), in world axes; those of several are put one after the other.
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.
    directions, held : (k, n) array_like, optional
        Rows that combine the components of tasks, and of contacts, to those that count; all if not given.

    Raises
    ------
    ModelError
        If directions do not fit, tasks depend on each other or cannot move while the contacts hold, or
        redundant contacts are not at rest and contradict each other.
    AssemblyError
        If a loop cannot be assembled at the state.

    Notes
    -----
    Contacts are bilateral: the sign of `force` shows those that would separate.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -9.81))
    >>> rod = system.add_body("rod", mass=2.0, com=(0.5, 0, 0), inertia=(0, 0.2, 0.2),
    ...                       parent=system.ground, hinge=ce.Planar(normal=(0, 1, 0)))
    >>> model = ce.compile(system)
    >>> ends = [model.point(rod, at=(x, 0, 0)) for x in (0.0, 1.0)]
    >>> held = model.contact_space(ends, held=[(0, 0, 1, 0, 0, 0), (0, 0, 0, 0, 0, 1)])
    >>> held.force, held.rank
    (array([9.81, 9.81]), 2)
    """
    held_rows = read_targets("contacts", contacts, held, "held")
    task_rows = read_targets("tasks", tasks, directions)

    parts = [*held_rows.parts, *task_rows.parts]

    def dynamics(y: Array, u: Array, at: Array) -> dict[str, Array]:
        instant, n = model.instant(y, u), model.embedding.n_v
        found = [
            (frame_columns(instant.outward, frame.body, at[3 * k : 3 * k + 3]), rows)
            for k, (frame, rows) in enumerate(parts)
        ]
        return {
            "J": np.concatenate([np.zeros((0, n)), *(columns.J[rows] for columns, rows in found)]),
            "M_inverse": solve_mass(instant.outward, instant.nodes, np.eye(n)),
            "bias": np.concatenate([np.zeros(0), *(columns.bias[rows] for columns, rows in found)]),
            "v_dot": instant.accelerations.v_dot,
        }

    name = f"contact space of {held_rows.key} and {task_rows.key}"
    at = np.concatenate([np.zeros(0), *(frame.at for frame, _ in parts)])
    state, given = state_given(model, *here, **named)
    J, M_inverse, bias, v_dot = model.evaluate_at(name, dynamics, state, given, at=at)
    n = len(held_rows.labels)
    return held_at(
        (held_rows.D @ J[:n], task_rows.D @ J[n:]),
        (held_rows.D @ bias[:n], task_rows.D @ bias[n:]),
        M_inverse,
        v_dot,
        task_rows,
    )


def held_at(
    J: tuple[Floats, Floats], bias: tuple[Floats, Floats], M_inverse: Floats, v_dot: Floats, tasks: Directed
) -> ContactSpace:
    """Return the result from Jacobians and biases of contacts and tasks."""
    (J_c, J_t), (bias_c, bias_t) = J, bias
    M_inverse = 0.5 * (M_inverse + M_inverse.T)
    by_contacts = M_inverse @ J_c.T
    inertia, rank = pseudo_inverse(J_c @ by_contacts)
    free = np.eye(len(v_dot)) - by_contacts @ inertia @ J_c
    response = free @ M_inverse
    response = 0.5 * (response + response.T)
    force = -inertia @ (J_c @ v_dot + bias_c)
    held_v_dot = v_dot + by_contacts @ force
    refuse_contradiction(J_c @ held_v_dot + bias_c, bias_c, J_c @ v_dot, rank)
    by_tasks = response @ J_t.T
    mobility = J_t @ by_tasks
    mobility = 0.5 * (mobility + mobility.T)
    unheld = np.sum(J_t * (J_t @ M_inverse), axis=1)
    inverted = inverse(mobility, tasks.names, HELD * unheld)
    space = OperationalSpace(inverted, mobility, J_t @ free, by_tasks)
    return ContactSpace(
        J_c, inertia, rank, free, response, held_v_dot, force, space, J_t @ held_v_dot + bias_t
    )


def refuse_contradiction(left: Floats, bias: Floats, moved: Floats, rank: int) -> None:
    """Reject redundant contacts that are not at rest."""
    size = float(np.max(np.abs(np.concatenate((bias, moved))), initial=0.0))
    most = float(np.max(np.abs(left), initial=0.0))
    if rank < len(left) and most > CONTRADICTION * size:
        raise ModelError(
            f"the contacts cannot all be held: of {len(left)} components {rank} are independent, and at "
            f"these velocities accelerations of {most:.2g} m/s² (rad/s²) are left; bring them to rest "
            f"first, by a state whose velocities they allow, or name fewer (held=...)"
        )


def pseudo_inverse(mobility: Floats) -> tuple[Floats, int]:
    """Return the inverse of a symmetric matrix over its range, scaled to a unit diagonal, and its rank."""
    mobility = 0.5 * (mobility + mobility.T)
    diagonal = np.diag(mobility)
    still = diagonal <= 0.0
    scale = np.where(still, 0.0, 1.0 / np.sqrt(np.where(still, 1.0, diagonal)))
    values, vectors = np.linalg.eigh(mobility * np.outer(scale, scale))
    kept = values > DEFICIENT * max(1.0, float(np.max(values, initial=0.0)))
    found: Floats = np.outer(scale, scale) * ((vectors[:, kept] / values[kept]) @ vectors[:, kept].T)
    return found, int(kept.sum())
