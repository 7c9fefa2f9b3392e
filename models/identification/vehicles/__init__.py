"""Base vehicles of measured runs, as data files."""
