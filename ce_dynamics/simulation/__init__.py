"""Motions in time: single runs, ensembles, stepping from outside."""
