"""Jacobian and second-order terms of loop equations, and the blocks in which they are solved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import sympy

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.kinematics.symbolic.algebra import Algebra, Expr, Unknown


class LoopDerivatives(NamedTuple):
    """Φ_d, Φ_i and Φ̈ at accelerations zero, written in pairs.

    Attributes
    ----------
    by_dependent : (n, n) Matrix
    by_independent : (n, m) Matrix
    second : (n,) list
        Σ ∂²Φ/∂x_j∂x_k v_j v_k.
    rates : tuple of Symbol
        v, dependent ones first.
    """

    by_dependent: Expr
    by_independent: Expr
    second: list[Expr]
    rates: tuple[Expr, ...]


def derivatives(
    algebra: Algebra, equations: Sequence[Expr], dependent: Sequence[Unknown], independent: Sequence[Unknown]
) -> LoopDerivatives:
    """Differentiate the loop equations twice."""
    coordinates = [unknown.symbol for unknown in (*dependent, *independent)]
    rates = tuple(sympy.Symbol(f"{symbol.name}_dot", real=True) for symbol in coordinates)
    phi = sympy.Matrix(list(equations))
    J = phi.jacobian(coordinates)
    J_dot = [
        sum(v * J[i, j].diff(x) for x, v in zip(coordinates, rates, strict=True))
        for i in range(len(equations))
        for j in range(len(coordinates))
    ]
    columns = len(coordinates)
    second = [sum(J_dot[i * columns + j] * rates[j] for j in range(columns)) for i in range(len(equations))]
    n = len(dependent)
    paired = J.applyfunc(algebra.in_pairs)
    return LoopDerivatives(paired[:, :n], paired[:, n:], [algebra.in_pairs(e) for e in second], rates)


class EquationBlock(NamedTuple):
    """Equations and the unknowns they give, by number."""

    equations: tuple[int, ...]
    unknowns: tuple[int, ...]


def blocks(J: Expr) -> list[EquationBlock]:
    """The smallest sets of equations that can be solved one after the other (block triangular form)."""
    n = J.rows
    rows, known, found = list(range(n)), set[int](), list[EquationBlock]()
    there = [{j for j in range(n) if J[i, j] != 0} for i in range(n)]
    while rows:
        for size in range(1, len(rows) + 1):
            chosen = next(
                (
                    set_
                    for set_ in combinations(rows, size)
                    if len(set().union(*(there[i] for i in set_)) - known) == size
                ),
                None,
            )
            if chosen is not None:
                unknown = tuple(sorted(set().union(*(there[i] for i in chosen)) - known))
                found.append(EquationBlock(chosen, unknown))
                known |= set(unknown)
                rows = [i for i in rows if i not in chosen]
                break
        else:
            return [*found, EquationBlock(tuple(rows), tuple(sorted(set(range(n)) - known)))]
    return found


def solve_blocks(J: Array, order: Sequence[EquationBlock], right: Array) -> Array:
    """X with J X = right, block by block; J (n, n) and right (n, k) of floats or traced scalars."""
    n, k = right.shape
    X: list[Array] = [right[0]] * n
    done: list[int] = []
    for rows, unknowns in order:
        b = array(
            right[i, column] - sum((J[i, j] * X[j][column] for j in done), 0.0)
            for i in rows
            for column in range(k)
        ).reshape(len(rows), k)
        A = array(J[i, j] for i in rows for j in unknowns).reshape(len(rows), len(unknowns))
        for j, row in zip(unknowns, solve_small(A, b), strict=True):
            X[j] = row
        done += unknowns
    return array(entry for row in X for entry in row).reshape(n, k)


def solve_small(A: Array, b: Array) -> Array:
    """A⁻¹ b: by division, Cramer's rule, or elimination."""
    if len(A) == 1:
        quotient: Array = b / A[0, 0]
        return quotient
    if len(A) == 2:
        (p, q), (r, s) = A
        scaled = array((*(s * b[0] - q * b[1]), *(p * b[1] - r * b[0]))).reshape(2, -1)
        by_cramer: Array = scaled / (p * s - q * r)
        return by_cramer
    return PivotedLU(A).solve_columns(b)
