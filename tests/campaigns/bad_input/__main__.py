"""Run the generated bad input, each case within limits: campaign ``bad_input [PYTEST OPTION ...]``.

``-k "category and word"`` chooses cases by their names, ``-n 2`` their processes.  A process that hangs in
compiled code ends with the case that it runs, which pytest names.
"""

from __future__ import annotations

import os
import sys

import pytest

if __name__ == "__main__":
    os.environ["CE_DYNAMICS_BAD_INPUT"] = "all"
    options = ["-q", "-p", "no:cacheprovider", "tests/test_bad_input.py::test_every_case"]
    sys.exit(pytest.main([*options, *(sys.argv[1:] or ["-n", "2"])]))
