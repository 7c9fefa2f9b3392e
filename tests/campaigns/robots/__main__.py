"""Campaign ``robots FOLDER``: every robot in a folder of the caller's, as a table.

A robot is a URDF file with a YAML file of its loops beside it (of the same stem, or the only one there).
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.campaigns.robots.compare import AROUND, HEADER, STATES, compared


def robots(folder: Path, words: list[str]) -> Iterator[tuple[Path, Path]]:
    """URDF files with their loops, of folders whose names hold one of some words."""
    for urdf in sorted(folder.rglob("*.urdf")):
        alone = len(list(urdf.parent.glob("*.urdf"))) == 1
        beside = [urdf.with_suffix(".yaml"), *(sorted(urdf.parent.glob("*.yaml")) if alone else ())]
        found = next((path for path in beside if path.exists()), None)
        if found is not None and (not words or any(word in str(urdf) for word in words)):
            yield urdf, found


def main() -> int:
    """The table; 1 if a robot could not be read, compiled or compared."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign robots", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("only", nargs="*", help="words in the paths of the robots that are wanted")
    parser.add_argument("--states", type=int, default=STATES)
    parser.add_argument("--around", type=float, default=AROUND, help="rad about the design pose")
    parser.add_argument("--notes", action="store_true", help="print what the reader says of each")
    given = parser.parse_args()
    failed = 0
    print(HEADER, flush=True)
    for urdf, loops in robots(given.folder, given.only):
        row = compared(urdf, loops, given.states, given.around)
        print(row, flush=True)
        if given.notes:
            print(*(f"    {note}" for note in row.notes), sep="\n", flush=True)
        failed += bool(row.trouble)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
