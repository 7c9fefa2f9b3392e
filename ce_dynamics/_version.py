"""The version, written here only."""

__version__ = "0.1.0"
