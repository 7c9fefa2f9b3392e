"""Analyses of the loops of a system that do not depend on its state."""

from __future__ import annotations

from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.embedding.path import linkage as of_paths
from ce_dynamics.embedding.path.linkage import DeadCentre
from ce_dynamics.embedding.whole_loop import path_linkage, path_of


def dead_centres(model: CompiledSystem) -> list[DeadCentre]:
    """Return configurations in which a hinge of a loop cannot drive it, for every loop with one freedom.

    Returns
    -------
    list of DeadCentre
        Along the path of each loop: where a hinge turns back, and where another branch crosses.

    Examples
    --------
    ``[centre.coordinates for centre in model.dead_centres() if centre.body == "slider"]``
    """
    found = []
    for S in model.embedding.aggregates:
        if S.closures and S.N == 1 and not S.prescribed and not S.siblings:
            found += of_paths.dead_centres(path_of(S) or path_linkage(S))
    return found
