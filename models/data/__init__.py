"""Numbers with units from data files."""
