"""Loops: closure errors, and numeric kinematics (12)-(14) for loops without a closed form."""
