"""Systems built from the solver and the linkages; import them as ``ce_dynamics.models``."""
