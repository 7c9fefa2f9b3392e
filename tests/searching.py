"""Numbers of examples of random tests: few in the suite, many where defects are searched for.

``CE_DYNAMICS_SEARCH=50 python -m pytest -n 0 tests/ce_dynamics/compiler`` draws fifty times as many,
and others in every run.  What it finds becomes an ``@example`` of its test.
"""

import os
from typing import Any

import hypothesis

FACTOR = int(os.environ.get("CE_DYNAMICS_SEARCH", "1"))
"""Times as many examples."""


def examples(number: int, **others: Any) -> hypothesis.settings:
    """Settings of a test that draws so many examples in the suite."""
    return hypothesis.settings(max_examples=number * FACTOR, **others)
