"""Comparisons with Project Chrono: ``python -m tests.chrono_vehicles``."""
