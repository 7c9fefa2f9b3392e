"""Descriptions of systems: bodies, hinges, cuts, couplings, drives, force elements, free parameters."""
