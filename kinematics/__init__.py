"""Closed-form linkages, one per file; import them as ``ce_dynamics.kinematics``."""
