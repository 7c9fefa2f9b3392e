"""Mutants: the source is changed in one place at a time, and the tests have to notice.

``python -m tests.campaign mutation`` samples mutants of the subjects in ``subjects.py``, runs the tests
on a copy of the checkout for each, and lists the survivors.  It needs the extra ``mutation``; a hundred
mutants take three quarters of an hour.  It is not part of the test suite.
"""
