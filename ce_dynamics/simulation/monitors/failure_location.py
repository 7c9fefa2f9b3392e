"""Finds the loop or force element at which a run broke.

The loop leaves its admissible range at the last state or shortly after it, or the force element has no
finite values there.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Protocol

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import reach_text
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.whole_loop import chart_of
from ce_dynamics.errors import SingularityWarning
from ce_dynamics.simulation.monitors.monitor import FinishedRun, Monitor

AHEAD = np.concatenate(([0.0], np.geomspace(1e-9, 0.1, 25)))
"""Times beyond the last state at which loops are checked for assembly [s]."""


InputsAhead = Callable[[float, Floats], Floats]  # inputs at a time after the last state, and a state then


class LeftItsRange(Monitor):
    """Names the loop or force element that ended a run."""

    order = 2
    says_all = False

    def explain(self, run: FinishedRun) -> str:
        if run.cause != "by itself":
            return ""
        return explain_break(run.model, run.rhs, float(run.t[-1]), run.Y[-1])


class InputSource(Protocol):
    """Source of the inputs of a motion."""

    def inputs_at(self, t: float, y: Floats, /) -> Floats:
        """Return inputs and parameters at an instant."""
        ...


def explain_break(model: Model, driven: InputSource, t: float, y: Floats) -> str:
    """Return a clause on the loop that left its range shortly after the last state, or on the force."""
    y = y[: len(model.layout.y0)]

    def inputs(ahead: float, state: Floats) -> Floats:
        return driven.inputs_at(t + ahead, state).copy()

    y_dot = model.dynamics(y, inputs(0.0, y))[0]
    left = left_range(model, inputs, y, y_dot) if model.system.closures else ""
    return left or explain_force(model, inputs, y, y_dot)


def left_range(model: Model, inputs: InputsAhead, y: Floats, y_dot: Floats) -> str:
    """Return a clause on the loop that leaves its range at a state or shortly after it; empty if none."""
    y_dot = np.where(np.isfinite(y_dot), y_dot, 0.0)
    for ahead in AHEAD:
        state = y + ahead * y_dot
        (assembly,) = model.assembly(state, inputs(ahead, state))
        open_loops = np.flatnonzero(~np.isfinite(assembly))
        broken = model.embedding.aggregates[open_loops[0]] if len(open_loops) else None
        if broken is not None and chart_of(broken):
            return (
                f"; the loop of {broken.name!r} went further than its chart reaches between two looks at it; "
                "give a shorter step or max_step"
            )
        if broken is not None:
            text = straight_path_text(broken) or reach_text(broken)
            return f"; the loop of {broken.name!r} left the range it can be assembled in{text}"
    return ""


def explain_force(model: Model, inputs: InputsAhead, y: Floats, y_dot: Floats) -> str:
    """Return a clause on the force element without finite values at a state or after it; empty if none."""
    y_dot = np.where(np.isfinite(y_dot), y_dot, 0.0)
    for ahead in AHEAD:
        state = y + ahead * y_dot
        u = inputs(ahead, state)
        if not np.all(np.isfinite(model.dynamics(state, u)[0])):
            broken = model.broken_force(state, u)
            return f"; {broken} there" if broken else ""
    return ""


def remedy_for(S: Aggregate) -> str:
    """Return the remedy for a loop at a configuration that ends its independent coordinates."""
    remedies = [linkage.monitor().remedy for linkage in S.linkages]
    if all(remedies):
        return remedies[0]
    if S.prescribed or S.siblings:
        return "choose another independent coordinate, or keep it from there with a stop or a spring"
    return (
        "keep it from there with a stop or a spring (a suspension with bump and droop stops), a lower speed "
        "or smaller forces; if it is to go on through, leave its closed form out and give its closure "
        "through_dead_centres=True, or choose another independent coordinate"
    )


def straight_path_text(S: Aggregate) -> str:
    """Return a clause on the limit of a straight path from the design pose; empty without such a limit."""
    limits = next((known for known in (link.monitor() for link in S.linkages) if known.led_by), None)
    if limits is None:
        return ""
    remedy = limits.remedy
    if any(not link.monitor().remedy for link in S.linkages):
        remedy = "leave its closed form out, so that all of it is followed at once"
    elif S.prescribed or S.siblings:
        remedy = "design the loop in a pose nearer to that"
    return (
        f"; it is led by {list(limits.led_by)} along a straight path from the design pose, which comes to or "
        f"too near a configuration that these do not lead: {remedy}"
    )


# Loops with several freedoms: near a configuration that the independent hinges do not control, dependent
# hinges move ever faster than independent ones (`ce_dynamics.embedding.aggregate`).

STEEP = 30.0  # norm of X_S, per radian or size of the loop, above which a run warns


class NearSingular(Monitor):
    """Warns of nearby singular configurations, and names those near the end of a broken run."""

    order = 3

    def __init__(self) -> None:
        self._said = ""

    def check_run(self, run: FinishedRun) -> None:
        self._said = warn_if_steep(run.model, run.t, run.Y, run.seen.gearing, stacklevel=5)

    def explain(self, run: FinishedRun) -> str:
        return self._said if run.cause == "by itself" else ""


def warn_if_steep(model: Model, t: Floats, Y: Floats, gearing: Floats, stacklevel: int = 2) -> str:
    """Warn of the nearest approach of every loop to a singular configuration, if that was near.

    Return a clause on the last state, for a run that stopped there; it may be empty.
    """
    text = ""
    for k, S in enumerate(model.geared_loops):
        if S.N == 1:  # `ce_dynamics.simulation.monitors.reach` judges these
            continue
        norms = gearing[:, k]
        norms = np.where(np.isfinite(norms), norms, np.inf)
        worst = int(np.argmax(norms))
        if norms[worst] > STEEP:
            warnings.warn(
                f"the loop of {S.name!r} came near a singular configuration at t = {t[worst]:.4g} s: "
                f"{coordinates_text(model, S, Y[worst])} hardly determine how it moves, the others are "
                f"{norms[worst]:.3g} times as fast; digits are lost there: {remedy_for(S)}",
                SingularityWarning,
                stacklevel=stacklevel,
            )
        if norms[-1] > STEEP and not text:
            where = coordinates_text(model, S, Y[-1])
            text = f"; the loop of {S.name!r} is near a singular configuration of {where}: {remedy_for(S)}"
    return text


def coordinates_text(model: Model, S: Aggregate, y: Floats) -> str:
    """Return the independent coordinates of a loop as text."""
    parts = []
    for body in S.independent:
        values = ", ".join(f"{x:.6g}" for x in y[model.embedding.q_of[body.name]])
        parts.append(f"{body.name!r} = {values}")
    return " and ".join(parts)
