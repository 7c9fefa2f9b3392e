"""Inverse kinematics: the configuration in which points and frames reach their targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.algebra.rotation import rotation_vector_of
from ce_dynamics.compiled.analysis.configurations import (
    Configuration,
    assemble,
    collect_targets,
    displace,
    gap_of,
)
from ce_dynamics.compiled.analysis.continuation import CLOSE, EVALUATIONS, EvaluationBudget, search_starts
from ce_dynamics.compiled.analysis.coordinates import slope_of
from ce_dynamics.compiled.analysis.points import Frame, Point
from ce_dynamics.compiled.analysis.poses import pose_function
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.dynamics.jacobians import frame_jacobian
from ce_dynamics.errors import AssemblyError, ModelError

ORTHONORMAL = 1e-9  # largest accepted error of R Rᵀ = 1 of a target orientation


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


class Goal(NamedTuple):
    """Target position r [m] and orientation R of a frame in the world; any orientation if R is None."""

    frame: Frame
    r: Floats
    R: Floats | None

    @property
    def arm(self) -> Floats:
        """The frame's origin from the centre of mass of its body, in the design pose."""
        com: Floats = nominal(self.frame.body.com).astype(float)
        return self.frame.at - com

    def find_error(self, r: Floats, R: Floats) -> Floats:
        """Return rotation vector, if it matters, and displacement from the goal to a frame at r, R."""
        if self.R is None:
            return r - self.r
        return np.concatenate((rotation_vector_of(R @ self.R.T), r - self.r))

    def rows(self, J: Floats) -> Floats:
        """Return the rows of a frame's Jacobian that belong to `find_error`, to first order in the error."""
        return J if self.R is not None else J[3:]


def goal_of(target: object, wanted: object) -> Goal:
    """Return a checked target."""
    if isinstance(target, Point):
        return Goal(target.frame, checked(f"target of {target.frame.body.name!r}", wanted, 3), None)
    if not isinstance(target, Frame):
        raise ModelError(f"targets: {target!r} is neither model.point(...) nor model.frame(...)")
    owner = f"target of {target.body.name!r}"
    if not isinstance(wanted, (tuple, list)) or len(wanted) != 2:
        raise ModelError(f"{owner}: a frame takes a position (3,) and a rotation matrix (3, 3)")
    r, R = checked(owner, wanted[0], 3), np.asarray(wanted[1], dtype=np.float64)
    proper = R.shape == (3, 3) and np.allclose(R @ R.T, np.eye(3), atol=ORTHONORMAL, rtol=0.0)
    if not proper or np.linalg.det(R) < 0.0:
        raise ModelError(f"{owner}: {R.tolist()} is no rotation matrix")
    return Goal(target, r, R)


def labels_of(goal: Goal) -> tuple[str, ...]:
    """Return the names and units of the rows of a goal, for messages."""
    where = f"{goal.frame.body.name!r} at {goal.frame.at.tolist()}"
    position = tuple(f"{axis} of {where} [m]" for axis in "xyz")
    turns = tuple(f"rotation about {axis} of {where} [rad]" for axis in "xyz")
    return position if goal.R is None else (*turns, *position)


class PoseTargets(NamedTuple):
    """Problem of `search_starts`: frames at their targets, and coordinates with target values."""

    model: CompiledSystem
    u: Floats
    goals: Sequence[Goal]
    values: Mapping[int, float]
    effort: EvaluationBudget

    def gap(self, y: Floats) -> Floats:
        """Return rotation vectors and displacements from the goals to the frames, then those of values."""
        self.effort.evaluating()
        positions, rotations = pose_function(self.model)(y, self.u)
        places = [self.model.system.bodies.index(goal.frame.body) for goal in self.goals]
        parts = [
            goal.find_error(positions[k] + rotations[k] @ goal.arm, rotations[k])
            for goal, k in zip(self.goals, places, strict=True)
        ]
        if self.values:
            parts.append(gap_of(self.model, y, self.u, self.values))
        return np.concatenate(parts)

    def slope(self, y: Floats) -> Floats:
        """Return Jacobians, of rotation vectors to first order in the error."""
        rows = [goal.rows(jacobian_of(self.model, goal.frame, y, self.u)) for goal in self.goals]
        if self.values:
            rows.append(slope_of(self.model, y, self.u, list(self.values)))
        return np.concatenate(rows)

    def displace(self, y: Floats, step: Floats) -> Floats:
        return displace(self.model, y, step)


def jacobian_of(model: CompiledSystem, frame: Frame, y: Floats, u: Floats) -> Floats:
    """Return J (6, n_v) of a frame, by a compiled function without velocities and forces."""

    def jacobian(y: Array, u: Array, at: Array) -> dict[str, Array]:
        return {"J": frame_jacobian(model.instant(y, u).outward, frame.body, at)}

    sizes = {**model.sizes_of("y", "u"), "at": 3}
    function = model.function(f"jacobian of {frame.body.name}", jacobian, sizes)
    J: Floats = function(y, u, frame.at)[0]
    return J
