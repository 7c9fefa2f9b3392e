"""The version, written here only; and when this process began to import the package."""

from time import time

__version__ = "0.1.0"

IMPORTED = time()
"""Source files that are younger may not be what runs."""
