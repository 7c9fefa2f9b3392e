"""Systems built from the solver and the linkages; import them as ``ce_dynamics.models``.

Wrong input raises `ce_dynamics.errors.DataError` with one line: where, what is wrong, what is allowed and a
remedy.  Docstrings list other exceptions only.
"""
