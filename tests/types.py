"""Check types of the checkout with mypy, as it is imported: ``python -m tests.types [OPTION...]``.

Files of ``models/`` are modules of ``ce_dynamics.models``; mypy, which derives names from paths, needs both.
"""

import sys

from mypy.build import build
from mypy.errors import CompileError
from mypy.main import process_options

OUTSIDE = ("kinematics", "models")
"""Folders beside the package whose modules belong to it."""


def main(arguments: list[str]) -> int:
    """Print what mypy finds in the files that pyproject.toml lists; return the exit code."""
    sources, options = process_options(arguments)
    options.fast_module_lookup = True  # by the names below
    for source in sources:
        if source.module.split(".")[0] in OUTSIDE:
            source.module = f"ce_dynamics.{source.module}"
    try:
        errors = build(sources, options).errors
    except CompileError as error:
        errors = error.messages
    print("\n".join((*errors, f"{len(sources)} source files checked")))
    return any(": error:" in line for line in errors)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
