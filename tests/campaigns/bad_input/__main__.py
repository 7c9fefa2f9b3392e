"""Run the generated bad input, each case within limits: campaign ``bad_input [CATEGORY ...] [OPTION ...]``.

All categories if none is named; options are those of pytest, ``-n 2`` unless given.  A process that hangs in
compiled code ends with the case that it runs, which pytest names.
"""

import os
import sys

import pytest

from tests.campaigns.bad_input.catalogue import CATEGORIES

if __name__ == "__main__":
    chosen = [word for word in sys.argv[1:] if word in CATEGORIES] or CATEGORIES
    os.environ["CE_DYNAMICS_BAD_INPUT"] = ",".join(chosen)
    options = [word for word in sys.argv[1:] if word not in CATEGORIES] or ["-n", "2"]
    sys.exit(
        pytest.main(["-q", "-p", "no:cacheprovider", "tests/test_bad_input.py::test_every_case", *options])
    )
