"""The natural map of all conditions, its derivative, and projections onto friction cones; machine code.

With w = A x + b and y = x − w, every condition of `ce_dynamics.contact.problem` says x = P(y):

    bilateral   P_i = y_i
    unilateral  P_n = max(0, y_n)
    box         P_i = y_i clipped to [lower_i, upper_i]
    friction    P_i = y_i clipped to ± μ_i P_n
    disc        P_i = y_i shortened to the length μ_i P_n

so that F(x) = x − P(x − A x − b) vanishes at solutions and nowhere else (Alart and Curnier's function [1]_).
Row i of the derivative of P has at most three entries: ``Ds`` for y_i, ``Dn`` for the y of its normal row,
``Dp`` for that of the other row of a disc.

References
----------
.. [1] P. Alart, A. Curnier: A mixed formulation for frictional contact problems prone to Newton like solution
   methods, Computer Methods in Applied Mechanics and Engineering 92 (1991) 353-375.
"""

from __future__ import annotations

import math

from ce_dynamics.compiler.loops import kernel


@kernel
def clip(y, lower, upper):  # type: ignore[no-untyped-def]
    """Return y within bounds, its derivative by y, and 1, −1 or 0 at the upper, lower or no bound."""
    if y >= upper:
        return upper, 0.0, 1.0
    if y <= lower:
        return lower, 0.0, -1.0
    return y, 1.0, 0.0


@kernel
def normal_impulse(n, y, kind, lower, upper):  # type: ignore[no-untyped-def]
    """Return P_n of a normal row, unilateral or a box, and its derivative by y_n."""
    value, slope, _ = clip(y[n], lower[n], upper[n]) if kind[n] == 2 else clip(y[n], 0.0, math.inf)
    return value, slope


@kernel
def natural_map(y, kind, normal, mu, lower, upper, P, Ds, Dn, Dp):  # type: ignore[no-untyped-def]
    """Store P(y) and its derivative in the last four arrays."""
    i = 0
    while i < y.size:
        what = kind[i]
        Dn[i], Dp[i] = 0.0, 0.0
        if what == 0:
            P[i], Ds[i] = y[i], 1.0
        elif what == 1 or what == 2:
            P[i], Ds[i] = normal_impulse(i, y, kind, lower, upper)
        elif what == 3:
            n = normal[i]
            p_n, slope_n = normal_impulse(n, y, kind, lower, upper)
            reach = mu[i] * p_n
            P[i], Ds[i], side = clip(y[i], -reach, reach)
            Dn[i] = side * mu[i] * slope_n
        else:
            n = normal[i]
            p_n, slope_n = normal_impulse(n, y, kind, lower, upper)
            reach = mu[i] * p_n
            a, b = y[i], y[i + 1]
            length = math.sqrt(a * a + b * b)
            Dn[i + 1], Dp[i + 1] = 0.0, 0.0
            if length <= reach:
                P[i], P[i + 1] = a, b
                Ds[i] = Ds[i + 1] = 1.0 if reach > 0.0 else 0.0
            else:  # shortened along e = y / |y|: p = reach e
                factor, e, f = reach / length, a / length, b / length
                P[i], P[i + 1] = factor * a, factor * b
                Ds[i], Ds[i + 1] = factor * (1.0 - e * e), factor * (1.0 - f * f)
                Dp[i] = Dp[i + 1] = -factor * e * f
                Dn[i], Dn[i + 1] = mu[i] * slope_n * e, mu[i] * slope_n * f
            i += 1
        i += 1


@kernel
def onto_cones(y, kind, lower, upper, starts, members, mu, P):  # type: ignore[no-untyped-def]
    """Orthogonal projection of y onto the set of impulses that the conditions allow.

    The friction rows of normal row n are ``members[starts[n]:starts[n+1]]`` (first rows of discs).  With p_n
    given, each of their parts y_i is shortened to μ_i p_n at most; the nearest p_n solves
    p_n − y_n = Σ μ_i max(0, |y_i| − μ_i p_n), piecewise linear and concave, by Newton's method from p_n = 0.
    A box bounds its friction rows by what it is itself: exact where its bounds are equal.
    """
    for n in range(y.size):
        what = kind[n]
        if what == 0:
            P[n] = y[n]
        elif what == 2:
            P[n] = min(max(y[n], lower[n]), upper[n])
        if what == 1 or what == 2:
            first, last = starts[n], starts[n + 1]
            p_n = P[n] if what == 2 else 0.0
            tied = -1
            for _ in range(last - first + 2 if what == 1 else 0):  # rounding may go to and fro
                top, weight, count = y[n], 1.0, 0
                for k in range(first, last):
                    i = members[k]
                    length = abs(y[i]) if kind[i] == 3 else math.sqrt(y[i] * y[i] + y[i + 1] * y[i + 1])
                    if length > mu[i] * p_n:
                        top += mu[i] * length
                        weight += mu[i] * mu[i]
                        count += 1
                if count == tied:
                    break
                tied = count
                p_n = max(0.0, top / weight)
            P[n] = p_n
            for k in range(first, last):
                i = members[k]
                reach = mu[i] * p_n
                if kind[i] == 3:
                    P[i] = min(max(y[i], -reach), reach)
                else:
                    length = math.sqrt(y[i] * y[i] + y[i + 1] * y[i + 1])
                    factor = reach / length if length > reach else 1.0
                    P[i] = factor * y[i]
                    P[i + 1] = factor * y[i + 1]


@kernel
def sliding_shift(w, kind, starts, members, mu, s):  # type: ignore[no-untyped-def]
    """De Saxcé's shift of normal rows, s_n = Σ μ_i |w_i| over their friction rows."""
    for n in range(w.size):
        s[n] = 0.0
        if kind[n] == 1:
            for k in range(starts[n], starts[n + 1]):
                i = members[k]
                length = abs(w[i]) if kind[i] == 3 else math.sqrt(w[i] * w[i] + w[i + 1] * w[i + 1])
                s[n] += mu[i] * length
