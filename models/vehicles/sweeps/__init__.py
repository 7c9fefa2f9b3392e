"""Sweeps: many runs of a vehicle that differ in numbers of its data."""
