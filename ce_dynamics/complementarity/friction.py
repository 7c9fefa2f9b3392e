"""Rows that a contact adds to its gap: sliding, rolling and spinning friction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, cast

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, dot, zeros
from ce_dynamics.complementarity.conditions import Kind
from ce_dynamics.complementarity.element import Row, RowKind
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.forces.base import PointLoad

Friction = Literal["disc", "box", "none"]


class Resistance(NamedTuple):
    """Resistance of a contact to sliding, rolling and spinning; see `resistance`."""

    friction: Friction
    rolling: float
    spinning: float


def resistance(friction: object, rolling: object, spinning: object, owner: str) -> Resistance:
    """A user's wishes.

    Parameters
    ----------
    friction : {"disc", "box", "none"}
        |p_t| ≤ μ p_n (Coulomb), or each tangential component by itself (a pyramid), or no sliding friction.
    rolling, spinning : float
        Lengths: the torque across the normal is at most rolling × p_n, that about it spinning × p_n [m].
    owner : str

    Raises
    ------
    ModelError
        If it is none of these, or a length is negative or not finite.
    """
    checks.choice(f"{owner}: friction", friction, ("disc", "box", "none"))
    return Resistance(
        cast("Friction", friction),
        finite_number(rolling, owner, "rolling", at_least=0.0),
        finite_number(spinning, owner, "spinning", at_least=0.0),
    )


def contact_kinds(law: Resistance, restitution: float, first: int = 0, prefix: str = "") -> list[RowKind]:
    """Kinds of the rows of one contact point, of which the normal one is row ``first`` of its element."""
    kinds = [RowKind(f"{prefix}normal", Kind.UNILATERAL, restitution=restitution)]

    def add(name: str, one: Kind, other: Kind, unit: str) -> None:
        kinds.append(RowKind(f"{prefix}{name}_1", one, first, unit=unit))
        kinds.append(RowKind(f"{prefix}{name}_2", other, first, unit=unit))

    if law.friction == "disc":
        add("friction", Kind.DISC_1, Kind.DISC_2, "N")
    elif law.friction == "box":
        add("friction", Kind.FRICTION, Kind.FRICTION, "N")
    if law.rolling > 0.0:
        add("rolling", Kind.DISC_1, Kind.DISC_2, "N m")
    if law.spinning > 0.0:
        kinds.append(RowKind(f"{prefix}spinning", Kind.FRICTION, first, unit="N m"))
    return kinds


def contact_rows(
    law: Resistance,
    axes: Sequence[Array],
    psi: Scalar,
    mu: Scalar,
    v: Array,
    w: Array,
    loads: Callable[[Array, Array], Sequence[PointLoad]],
) -> list[Row]:
    """The rows of one contact point, in the order of `contact_kinds`.

    Parameters
    ----------
    law : Resistance
    axes : three (3,) arrays
        Normal and the two tangents.
    psi, mu : scalars
    v, w : (3,) arrays
        Relative velocity at the point and relative angular velocity.
    loads : callable
        What a unit force and a unit torque load.
    """
    n, t_1, t_2 = axes

    def push(direction: Array, gap: Scalar = 0.0, bound: Scalar = 0.0) -> Row:
        return Row(loads(direction, zeros(3)), dot(direction, v), gap, bound)

    def turn(direction: Array, bound: Scalar) -> Row:
        return Row(loads(zeros(3), direction), dot(direction, w), 0.0, bound)

    rows = [push(n, psi, mu)]
    if law.friction != "none":
        rows += [push(t_1, 0.0, mu), push(t_2, 0.0, mu)]
    if law.rolling > 0.0:
        rows += [turn(t_1, law.rolling), turn(t_2, law.rolling)]
    if law.spinning > 0.0:
        rows.append(turn(n, law.spinning))
    return rows


def checked_restitution(value: object, owner: str) -> float:
    """A user's coefficient of restitution.

    Raises
    ------
    ModelError
        If it is not between 0 and 1.
    """
    return finite_number(value, owner, "restitution", at_least=0.0, at_most=1.0)
