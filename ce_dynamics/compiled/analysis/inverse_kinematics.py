"""Inverse kinematics: the configuration in which points and frames reach their targets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.compiled.analysis.configurations import (
    Configuration,
    PoseTargets,
    assemble,
    collect_targets,
    configuration_in_loops,
)
from ce_dynamics.compiled.analysis.continuation import CLOSE, EVALUATIONS, EvaluationBudget, search_starts
from ce_dynamics.compiled.analysis.in_loops import goal_of, labels_of
from ce_dynamics.compiled.analysis.points import Frame, Point
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.errors import AssemblyError, ModelError


def inverse_kinematics(
    model: CompiledSystem,
    targets: Mapping[Point | Frame, ArrayLike | tuple[ArrayLike, ArrayLike]],
    *,
    coordinates: Mapping[str, float] | None = None,
    y: ArrayLike | None = None,
    u: ArrayLike | None = None,
    evaluations: int = EVALUATIONS,
) -> Configuration:
    """Find the configuration in which points and frames reach targets, on the branch of the design pose.

    Parameters
    ----------
    targets : mapping of Point or Frame
        Of a point (`Model.point`) its position in the world (3,) [m]; of a frame (`Model.frame`) its position
        and its orientation, a rotation matrix (3, 3) that is the identity in the design pose.  Where these
        are fewer conditions than freedoms, the coordinates move as little as they can.
    coordinates : mapping of str to float, optional
        Target values of coordinates, as in `Model.assemble` [rad] or [m].
    y, u : array_like, optional
        State to start from, and inputs with free parameters; the model's own if not given.
    evaluations : int
        Largest number of evaluations of positions, as in `Model.assemble`.

    Raises
    ------
    ModelError
        If a target is none, a position not finite, or an orientation no rotation.
    AssemblyError
        If no such configuration was found; the message names the largest error.

    Examples
    --------
    A planar arm of two links, 1 m each, whose tip is to be at (1, 1):

    >>> import ce_dynamics as ce
    >>> z = (0, 0, 1)
    >>> system = ce.System()
    >>> arm = system.add_body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(1, 1, 1),
    ...                       parent=system.ground, hinge=ce.Revolute(z))
    >>> hand = system.add_body("hand", mass=1.0, com=(1.5, 0, 0), inertia=(1, 1, 1),
    ...                        parent=arm, hinge=ce.Revolute(z, at=(1, 0, 0)))
    >>> model = ce.compile(system)
    >>> tip = model.point(hand, (2, 0, 0))
    >>> found = model.inverse_kinematics({tip: (1, 1, 0)}, y=[0.1, 1.4, 0, 0])
    >>> {name: round(value, 6) + 0.0 for name, value in found.coordinates.items()}
    {'arm': 0.0, 'hand': 1.570796}
    """
    given, state = model.given_inputs(u), model.given_state(y)
    q, v, x = model.layout.split(state)
    state = np.concatenate((model.tangent.normalise(q), np.zeros(len(v)), x))
    checks.instance("targets", targets, Mapping, "a mapping of model.point(...) or model.frame(...)")
    if not targets:
        raise ModelError("targets: name at least one point or frame, and where it is to be")
    goals = [goal_of(target, wanted) for target, wanted in targets.items()]
    values = collect_targets(model, {} if coordinates is None else coordinates)
    effort = EvaluationBudget(checks.integer("inverse_kinematics: evaluations", evaluations, at_least=1))
    with log_work(f"inverse kinematics of {model.system.name!r}"):
        led = configuration_in_loops(model, state, given, goals, values)
        if led is not None:
            return led
        found = search_starts(PoseTargets(model, given, goals, values, effort), state)
    if found.size > CLOSE:
        worst = int(np.argmax(np.where(np.isfinite(found.gap), np.abs(found.gap), np.inf)))
        labels = [label for goal in goals for label in labels_of(goal)]
        what = labels[worst] if worst < len(labels) else "a wanted coordinate"
        raise AssemblyError(
            f"{what} misses its target by {abs(found.gap[worst]):.3g} in the nearest configuration that was "
            f"reached: the target is out of reach, or on another branch; start elsewhere (y), or ask for "
            f"less{effort}"
        )
    return assemble(model, y=np.concatenate((model.layout.split(found.x)[0], v, x)), u=given)
