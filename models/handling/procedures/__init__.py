"""Procedures of standards, one file for each; the list of them is `listed`."""
