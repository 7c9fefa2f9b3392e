"""Powertrains: as written in data files, one file per kind, and the elements they make."""
