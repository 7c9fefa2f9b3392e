"""Formats of other tools: tables of hardpoints."""
