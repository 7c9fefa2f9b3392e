"""Helpers of tests that belong to no folder of the sources."""
