"""Refuses systems with loops that do not close at the start, or with motions without inertia."""

from __future__ import annotations

import numpy as np

from ce_dynamics.compiled.compiled_system import CompiledSystem, reach_text
from ce_dynamics.compiled.observed import closure_norms
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.dynamics.articulated_body import smallest_inertia
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.embedding.gearing import CLOSED
from ce_dynamics.errors import AssemblyError, MasslessFreedomError
from ce_dynamics.mechanism.parameters import values_at

NEGLIGIBLE = 1e-14
"""Inertia of a motion, of what it would be if it moved the heaviest body, that counts as none: rounding."""


def check_start(model: CompiledSystem) -> None:
    """Reject a system that cannot start: check all quantities at one instant."""
    instant = model.instant(model.y0, model.u0)
    check_initial_state(model, instant)
    check_closure(model, instant)
    check_inertia(model, instant)


def check_initial_state(model: CompiledSystem, instant: Instant) -> None:
    """Refuse a system whose loops cannot be assembled at its initial state."""
    broken = model.find_unassembled_in(instant)
    if broken is not None:
        q = {b.name: model.layout.y0[model.embedding.q_of[b.name]].tolist() for b in broken.independent}
        raise AssemblyError(
            f"the loop of {broken.name!r} cannot be assembled at its initial coordinates {q}"
            f"{reach_text(broken)}"
        )


def check_closure(model: CompiledSystem, instant: Instant) -> None:
    """Refuse a system whose linkages leave a loop open at its initial state."""
    if not model.system.closures:
        return
    with np.errstate(all="ignore"):
        gaps = closure_norms(model, instant)
    numbers = values_at(gaps, model.layout.parameters, model.u0[model.layout.n_inputs :])
    for loop, gap, limit in zip(model.system.closures, numbers, model.closure_limits, strict=True):
        if not gap <= limit:
            S = next(S for S in model.embedding.aggregates if loop in S.closures)
            linkages = [type(link).__name__ for link in S.linkages]
            raise AssemblyError(
                f"the loop of {S.name!r} is open by {gap:.3g} at its initial state (closure "
                f"{loop.name!r}, {limit / CLOSED:.3g} m across), found by {linkages}; "
                "start from another state, or lead it by another hinge"
            )


def check_inertia(model: CompiledSystem, instant: Instant) -> None:
    """Refuse degrees of freedom that move no mass, whose acceleration is not determined."""
    with np.errstate(all="ignore"):
        nodes = instant.nodes
    for S in reversed(model.embedding.aggregates):  # outer bodies first: NaN spreads to the base
        if S.N == 0:
            continue
        if not smallest_inertia(nodes[S.name]) > NEGLIGIBLE:
            inertia = np.linalg.eigvalsh(nominal(nodes[S.name].D_matrix).astype(float))
            hinges = ", ".join(body.name for body in S.independent)
            raise MasslessFreedomError(
                f"hinge {hinges}: a motion of it moves no mass or inertia (D has the eigenvalue "
                f"{inertia[0]:.3g}); give {S.name!r} or what it carries mass and inertia"
            )
