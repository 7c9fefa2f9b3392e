"""Longitudinal performance of vehicles beside hand calculations: ``python -m tests.performance``."""
