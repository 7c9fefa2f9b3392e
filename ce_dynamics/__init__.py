"""Exact, drift-free multibody dynamics of mechanisms with loops, by constraint embedding."""

from ce_dynamics._version import __version__

__all__ = ["__version__"]
