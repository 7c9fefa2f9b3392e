"""The tests, in folders that mirror the three of the project."""
