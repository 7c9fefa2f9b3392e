"""Linkages from their loop equations, written as SymPy expressions."""

from ce_dynamics.kinematics.symbolic.linkage import SymbolicLinkage

__all__ = ["SymbolicLinkage"]
