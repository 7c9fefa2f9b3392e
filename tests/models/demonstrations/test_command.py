"""What the demonstrations share."""

from __future__ import annotations

import subprocess
import sys


def test_commands_that_are_stopped_while_they_are_loaded_say_so() -> None:
    """Python's first argument is -m as long as it looks for the command."""
    program = (
        "import os, sys; sys.argv = ['-m']\n"
        "import ce_dynamics.models.demonstrations; os.kill(os.getpid(), 15)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "error: interrupted\n")
