"""Loop equations against the geometry they are meant for: wrong ones are named when a linkage is built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.newton import polish
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.embedding.closures.loop import Loop, held_at_design, moving, stack_neutral
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.base import LoopParts, make_loop
from ce_dynamics.kinematics.symbolic.algebra import Algebra, Expr


class LoopEquations(LoopParts, Protocol):
    """Equations that vanish where a loop is closed (`ce_dynamics.kinematics.symbolic.SymbolicLinkage`)."""

    owner: str  # for messages
    algebra: Algebra  # what evaluates them

    @property
    def coordinates(self) -> Mapping[Expr, tuple[str, int]]: ...
    @property
    def equations(self) -> Sequence[Expr]: ...


HOLDS = 1e-9  # residual that counts as zero, relative to the terms of the equation

STEP = 0.1  # rad, or sizes of the loop, between the poses that are looked at
FARTHEST = 12  # steps each way


def verify_design_pose(linkage: LoopEquations) -> None:
    """Refuse equations that do not hold where all coordinates are zero."""
    zero = dict.fromkeys(linkage.coordinates, 0.0)
    for k, equation in enumerate(linkage.equations):
        value, size = linkage.algebra.value(equation, zero), linkage.algebra.size(equation, zero)
        if not abs(value) <= HOLDS * max(size, 1e-300):
            raise ModelError(
                f"{linkage.owner}: equation {k + 1}, {short(equation)}, is {value:.6g} in the design pose, "
                f"where all coordinates are zero; it must vanish there"
            )


def verify_against_closures(linkage: LoopEquations) -> None:
    """Refuse equations that do not hold in poses in which the closures do."""
    for pose in find_closed_poses(linkage):
        for k, equation in enumerate(linkage.equations):
            value, size = linkage.algebra.value(equation, pose), linkage.algebra.size(equation, pose)
            if not abs(value) <= 1e2 * HOLDS * max(size, 1e-300):
                where = ", ".join(f"{symbol} = {x:.6g}" for symbol, x in pose.items())
                closures = [cut.name for cut in linkage.cuts()]
                raise ModelError(
                    f"{linkage.owner}: equation {k + 1}, {short(equation)}, is {value:.6g} where the "
                    f"closures {closures} hold, at {where}; it must vanish there"
                )


def find_closed_poses(linkage: LoopEquations) -> Iterator[dict[Expr, float]]:
    """Find coordinates along each independent one, both ways from the design pose, while the loop closes."""
    loop, others = make_loop(linkage)
    held = held_at_design(others, loop.parent)
    plain = [body for body in loop.given for _ in range(body.inboard.n_q)]
    units = [unit for body in loop.given for unit in body.inboard.coordinate_units]
    for k, (body, unit) in enumerate(zip(plain, units, strict=True)):
        if body.inboard.coordinate_names != body.inboard.velocity_names:
            continue  # quaternions: the equations do not have them
        for direction in (STEP, -STEP):
            q = loop.neutral()
            for n in range(1, FARTHEST + 1):
                p = stack_neutral(loop.given)
                p[k] += n * direction * (1.0 if unit == "rad" else loop.size)
                closed = newton(loop, q, moving(loop.given, p), held)
                if closed is None or float(np.max(np.abs((closed - q) / loop.scales), initial=0.0)) > 1.0:
                    break
                q = closed
                yield name_coordinates(linkage, loop, q, p)


def newton(loop: Loop, q: Array, given: dict, held: dict) -> Array | None:  # type: ignore[type-arg]
    """Return dependent coordinates that close the loop, from a guess nearby; None if there are none."""
    rates = np.zeros(loop.m + sum(len(motion.eta) for motion in given.values()))

    def equations(q: Array) -> tuple[Array, Array]:
        errors = loop.errors(q, rates, given, held)
        r, Y = nominal(errors.residual).astype(float), nominal(errors.Y).astype(float)
        return r, Y[:, : loop.m] * loop.scales

    # below the tolerance on to rounding: it is a length that is much for a very small loop
    q, error = polish(equations, lambda q, step: loop.advance(q, step * loop.scales), q, loop.tolerance)
    return q if error <= 1e2 * loop.tolerance else None


def name_coordinates(linkage: LoopEquations, loop: Loop, q: Array, p: Array) -> dict[Expr, float]:
    """Return all coordinates by symbol."""
    values: dict[tuple[str, int], float] = {}
    for bodies, stacked in ((loop.dependent, q), (loop.given, p)):
        owners = [(body.name, k) for body in bodies for k in range(body.inboard.n_q)]
        values |= dict(zip(owners, (float(x) for x in stacked), strict=True))
    return {symbol: values[owner] for symbol, owner in linkage.coordinates.items()}


def short(equation: Expr) -> str:
    """Return an equation for a message."""
    text = str(equation)
    return text if len(text) <= 120 else f"{text[:119]}…"
