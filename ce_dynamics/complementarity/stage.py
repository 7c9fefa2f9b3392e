"""Data of one instant of an embedded system with unilateral elements, and of one step."""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.complementarity.problem import Solution
from ce_dynamics.complementarity.restitution import Impact


class Stage(NamedTuple):
    """Equations of motion and rows of the elements at one instant.

    Attributes
    ----------
    v_dot, x_dot : arrays
        Rates without impulses of the elements.
    GT : (m, n_v) array
    psi, rate, mu : (m,) arrays
    power : float
        Power of force elements and prescribed motions [W].
    """

    v_dot: Floats
    x_dot: Floats
    GT: Floats
    psi: Floats
    rate: Floats
    mu: Floats
    power: float


class Step(NamedTuple):
    """One time step.

    Attributes
    ----------
    y : array
        State at its end.
    stage : Stage
        At its start.
    solution : Solution
    work : float
        Done by the impulses, ½ pᵀ (rates before and after) [J].
    """

    y: Floats
    stage: Stage
    solution: Solution
    work: float


def together(before: Stage, hit: Impact, done: Step) -> Step:
    """A step that begins with impacts."""
    solution = done.solution.behind(hit.p, hit.residual, hit.unresolved)
    return Step(done.y, before._replace(power=done.stage.power), solution, hit.work + done.work)
