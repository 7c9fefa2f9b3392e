"""Fixtures of tests of the command line: calls in this process, with their output."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from ce_dynamics.cli.command import execute

MAIN = "from ce_dynamics.cli import main; main()"


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Call a command; its output goes to the test's folder unless it is given."""

    def call(*arguments: object) -> Result:
        texts = [str(argument) for argument in arguments]
        own = [] if "--output" in texts or texts[0] == "cache" else ["--output", str(tmp_path)]
        return Result(execute([*own, *texts]), *capsys.readouterr())

    return call
