"""The command line: ``simulate-vehicle``."""

from __future__ import annotations

from typing import NoReturn


def main() -> NoReturn:
    """Entry point of ``simulate-vehicle``."""
    from ce_dynamics.cli.command import execute  # here, so that mistakes and --help are answered at once

    raise SystemExit(execute())
