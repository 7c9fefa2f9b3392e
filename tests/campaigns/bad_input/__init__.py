"""Bad input, generated: what users hand in must end in the library's own words.

``python -m tests.campaign bad_input`` runs all cases; ``tests/test_bad_input.py`` a sample of each category.
"""
