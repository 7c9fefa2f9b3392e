"""Demonstrations, each with a command: ``python -m ce_dynamics.models.demonstrations.rolling_ball``."""
