"""Identification: models fitted to recorded runs, and predictions of other runs with their uncertainty."""
