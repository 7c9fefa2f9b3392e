"""Benchmarks against other engines and against the project's own budgets: ``python -m tests.benchmarks``."""
