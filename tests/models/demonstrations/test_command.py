"""What the demonstrations share."""

from __future__ import annotations

import subprocess
import sys

import pytest


def test_commands_that_are_stopped_while_they_are_loaded_say_so() -> None:
    """Python's first argument is -m as long as it looks for the command."""
    program = (
        "import os, sys; sys.argv = ['-m']\n"
        "import ce_dynamics.models.demonstrations; os.kill(os.getpid(), 15)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "error: interrupted\n")


@pytest.mark.parametrize("number", [2, 15])
def test_signals_that_python_would_lose_come_again(number: int) -> None:
    """While modules are loaded, callbacks of weak references run; SIGINT also where the shell ignored it."""
    program = (
        "import os, signal, sys, time; sys.argv = ['-m']; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "import ce_dynamics.models.demonstrations\n"
        "class Last:\n"
        "    def __del__(self):\n"
        f"        os.kill(os.getpid(), {number})\n"
        "        time.sleep(1e-3)\n"
        "Last(); time.sleep(10.0); print('went on')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "error: interrupted\n")
