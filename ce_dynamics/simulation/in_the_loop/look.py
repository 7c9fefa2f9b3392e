"""What somebody wants to see of a model after every step, and whether its promises hold, as one function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ce_dynamics.algebra.arrays import Array, Scalar, array
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.observed import closure_norms, sense
from ce_dynamics.compiler import TracedFunction, trace
from ce_dynamics.embedding.gearing import gearing

Look = Callable[[Mapping[str, Scalar], Array], Sequence[Scalar]]
"""What is seen, from outputs and inputs by name and from numbers that are given to every copy of a model;
written without branches on them, as laws are."""


def traced_look(model: Model, look: Look, given: int) -> TracedFunction:
    """A look at y, u and ``given`` numbers.

    Returns
    -------
    TracedFunction
        ``seen``; ``closure``, the error of every loop closure; ``gearing`` of every loop that hinges lead;
        ``margins``, what force elements say is left up to limits of their own (see `Promises`).
    """
    layout = model.layout

    def looked(y: Array, u: Array, given: Array) -> dict[str, Array]:
        instant = model.instant(y, u)
        held = {entry.name: u[k] for k, entry in enumerate(layout.u[: layout.n_inputs])}
        responses = instant.loads.responses
        margins = (
            responses[element.name].outputs[name]
            for element in model.system.forces
            for name in element.limits
        )
        return {
            "seen": array(look({**sense(model, instant), **held}, given)),
            "closure": closure_norms(model, instant),
            "gearing": array(gearing(S, instant.outward.motions[S.name]) for S in model.geared_loops),
            "margins": array(margins),
        }

    return trace("look", looked, {"y": len(layout.y0), "u": len(layout.u), "given": given})
