"""Questions about stored rows, answered in one pass of machine code.

Runs of milliseconds are looked at in microseconds: each function of NumPy takes one or two before it does
anything.  The code is the same for all tables of doubles; it is compiled once and kept on disk.
"""
