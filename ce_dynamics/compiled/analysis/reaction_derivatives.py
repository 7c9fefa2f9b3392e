"""Exact derivatives of the forces in hinges and closures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, concatenate
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.derivatives import all_names, variables
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import state_given, takes_state
from ce_dynamics.dynamics.reactions import trace_reactions
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.couplings.base import Coupled


@dataclass(frozen=True, eq=False)
class ReactionDerivatives:
    """Spatial forces [torque; force] and their derivatives.

    Attributes
    ----------
    values : dict of str to (6,) array
        By joint, in world axes, about the point of the body that it acts on [N m], [N].
    derivatives : dict of str to (6, m) array
    by : tuple of str
    """

    values: dict[str, Floats]
    derivatives: dict[str, Floats]
    by: tuple[str, ...]


@takes_state("of", "by", "y", "u")
def reaction_derivatives(
    model: CompiledSystem,
    of: Iterable[str] | str,
    by: Iterable[str] | str,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    x: ArrayLike | None = None,
    u: ArrayLike | None = None,
    y: ArrayLike | None = None,
) -> ReactionDerivatives:
    """Return exact derivatives of reactions by states, inputs and free parameters.

    Parameters
    ----------
    of : iterable of str, or str
        Bodies, for the forces that their inboard hinges transmit to them, and closures, for those on their
        second body: as in `Model.reactions`.
    by : iterable of str, or str
        States, inputs and free parameters (``layout``).
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.

    Raises
    ------
    ModelError
        If a name is unknown, or a closure couples coordinates, which has no spatial force.
    AssemblyError
        If a loop cannot be assembled at the state.

    Examples
    --------
    A pendulum at rest hangs on m g, and swinging through the lowest point on m (g + l ω²):

    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -10.0))
    >>> m = system.add_parameter(ce.Parameter("m", 2.0, "kg"))
    >>> bob = system.add_body("bob", mass=m, com=(0, 0, -1), parent=system.ground,
    ...                       hinge=ce.Revolute((0, 1, 0)))
    >>> found = ce.compile(system).reaction_derivatives("bob", ["m", "bob_rate"], [0.0, 3.0])
    >>> found.derivatives["bob"][5].round(9)  # g + l ω², 2 m l ω
    array([19., 12.])
    """
    state, given = state_given(model, q, v, x, u, y)
    joints = [of] if isinstance(of, str) else list(checks.texts("of", of))
    check_joints(model, joints)
    columns = variables(model, "by", by)
    closures = {edge.name for edge in model.system.closures}

    def transmit(y: Array, u: Array) -> dict[str, Array]:
        found = trace_reactions(model.instant(y, u))
        return {
            "f": concatenate(
                [found.closures[name] if name in closures else found.hinges[name] for name in joints]
            )
        }

    function = model.function(f"reactions {joints}", transmit, model.sizes_of("y", "u"))
    (f,) = function(state, given)
    model.refuse_not_finite(state, given, f)
    J = np.hstack([model.derivative(function.traced, "f", x)(state, given) for x in ("y", "u")])[:, columns]
    names = all_names(model)
    return ReactionDerivatives(
        {name: f[6 * k : 6 * k + 6] for k, name in enumerate(joints)},
        {name: J[6 * k : 6 * k + 6] for k, name in enumerate(joints)},
        tuple(names[k] for k in columns),
    )


def check_joints(model: CompiledSystem, joints: list[str]) -> None:
    """Refuse names of no joint, and couplings."""
    edges = {edge.name: edge for edge in model.system.closures}
    bodies = [body.name for body in model.system.bodies]
    for name in joints:
        if name not in edges and name not in bodies:
            raise ModelError(f"reactions: no joint {name!r}; there are {[*bodies, *edges]}")
        if isinstance(edges.get(name), Coupled):
            raise ModelError(
                f"reactions: {name!r} couples coordinates and has no spatial force; name the hinges "
                "that it couples"
            )
    if not joints:
        raise ModelError("reactions: of: name at least one joint")
