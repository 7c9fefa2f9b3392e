"""The Newton system of the rows that are held, of a sparse A, in machine code."""

from __future__ import annotations

import numpy as np

from ce_dynamics.complementarity.machine import kernel


@kernel
def held_system(starts, columns, values, Ds, Dn, Dp, normal_of, partner, F, epsilon):  # type: ignore[no-untyped-def]
    """J = 1 − D + D (A + ε) of the rows with D ≠ 0 and −F less what the others contribute.

    J of a row with D = 0 is that of 1: its step is −F.  Returns the numbers of the held rows, J in CSR form
    (columns of a row in no order) and the right-hand side.
    """
    m = F.size
    number = np.empty(m, np.int64)
    count, most = 0, 0
    for i in range(m):
        if Ds[i] != 0.0 or Dn[i] != 0.0 or Dp[i] != 0.0:
            number[i] = count
            count += 1
            most += 3
            for row in (i, normal_of[i], partner[i]):
                most += starts[row + 1] - starts[row]
        else:
            number[i] = -1
    held, right = np.empty(count, np.int64), np.empty(count)
    J_starts, J_columns, J_values = np.zeros(count + 1, np.int32), np.empty(most, np.int32), np.empty(most)
    place = np.full(m, -1)  # of a column among the entries of the row at hand
    n = 0
    for i in range(m):
        if number[i] < 0:
            continue
        held[number[i]] = i
        total, first = -F[i], n
        for term in range(3):
            row = i if term == 0 else normal_of[i] if term == 1 else partner[i]
            weight = Ds[i] if term == 0 else Dn[i] if term == 1 else Dp[i]
            if term > 0 and weight == 0.0:
                continue
            for k in range(starts[row], starts[row + 1] + 1):
                if k < starts[row + 1]:
                    j, entry = columns[k], weight * values[k]
                else:  # of 1 − (1 − ε) D
                    j, entry = row, (1.0 if term == 0 else 0.0) - (1.0 - epsilon) * weight
                if number[j] < 0:
                    total += entry * F[j]
                elif place[j] >= first:
                    J_values[place[j]] += entry
                else:
                    place[j] = n
                    J_columns[n], J_values[n] = number[j], entry
                    n += 1
        right[number[i]] = total
        J_starts[number[i] + 1] = n
    return held, J_starts, J_columns[:n], J_values[:n], right
