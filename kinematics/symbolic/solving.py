"""SymPy's own solver, in a process that can be stopped: it may take for ever."""

from __future__ import annotations

import subprocess
import sys

import sympy

from ce_dynamics.kinematics.symbolic.algebra import Expr

SECONDS = 10.0

PROGRAM = """
import sys
from sympy import *
equation, unknown = (sympify(line) for line in sys.stdin.read().splitlines())
for root in solve(equation, unknown):
    print(srepr(root))
"""


def solutions(equation: Expr, unknown: Expr, seconds: float = SECONDS) -> list[Expr]:
    """Roots in closed form; none where SymPy finds none in time."""
    text = f"{sympy.srepr(equation)}\n{sympy.srepr(unknown)}\n"
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], input=text, capture_output=True, text=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return []
    if done.returncode != 0:
        return []
    roots = [sympy.sympify(line) for line in done.stdout.splitlines()]
    return [root for root in roots if not root.has(sympy.Piecewise, sympy.RootOf, sympy.I)]
