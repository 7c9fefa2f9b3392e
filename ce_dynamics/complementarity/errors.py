"""Errors of their own that problems with unilateral conditions have."""

from __future__ import annotations

from ce_dynamics.errors import ModelError, SimulationError


class InitialStateError(ModelError):
    """A run would start from a state that its unilateral conditions do not allow."""


class InfeasibleError(SimulationError):
    """No velocity satisfies all conditions at once: a complementarity problem has no solution."""


class ConvergenceError(SimulationError):
    """An iteration ended before it met its tolerance."""
