"""What an installation without extras takes on the disk, and what importing its parts takes."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.benchmarks.report import Options, Result, Table, number

IMPORTS = (
    "pass", "import numpy", "import scipy.integrate", "import ce_dynamics",
    "import ce_dynamics; ce_dynamics.compile, ce_dynamics.simulate",
    "from ce_dynamics.models import hmmwv; hmmwv.prepare",
)  # fmt: skip
SMALL = 3.0
"""[MB], below which packages share a row."""


def run(options: Options) -> Result:
    """Both tables."""
    sizes = {name: 1e-6 * on_disk(name) for name in sorted(needed("ce-dynamics"))}
    seconds = {statement: imported(statement, 1 if options.quick else 9) for statement in IMPORTS}
    large = sorted((name for name in sizes if sizes[name] >= SMALL), key=lambda name: -sizes[name])
    rows = [(name, number(sizes[name])) for name in large]
    rest = [name for name in sizes if name not in large]
    rows.append((f"{len(rest)} more below {SMALL:g} MB", number(sum(sizes[name] for name in rest))))
    rows.append(("all", number(sum(sizes.values()))))
    packages = Table("What is installed without extras", ("package", "MB"), tuple(rows))
    note = (
        "Shortest of repeats, with byte code written and files in the system's memory; the interpreter's own "
        "start, the first row, is in all of them."
    )
    lines = tuple((f"`{statement}`", number(1e3 * took)) for statement, took in seconds.items())
    times = Table("Importing", ("statement", "ms"), lines, (note,))
    return Result((packages, times), {"MB": sizes, "import_s": seconds})


def needed(name: str) -> set[str]:
    """A distribution and all that it requires here without extras, and these in turn."""
    found: set[str] = set()
    left = [name]
    while left:
        one = canonicalize_name(left.pop())
        if one in found:
            continue
        found.add(one)
        required = map(Requirement, metadata.requires(one) or ())
        left.extend(r.name for r in required if r.marker is None or r.marker.evaluate({"extra": ""}))
    return found


def on_disk(name: str) -> int:
    """Bytes of a distribution's files, byte code not counted; of the project its wheel's folders."""
    files = metadata.files(name) or []
    paths = (Path(str(file.locate())) for file in files if file.suffix != ".pyc")
    if name == "ce-dynamics":  # installed in place, its files are not listed
        root = Path(__file__).parents[2]
        folders = (root / folder for folder in ("ce_dynamics", "kinematics", "models"))
        paths = (p for folder in folders for p in folder.rglob("*") if p.suffix != ".pyc")
    return sum(path.stat().st_size for path in paths if path.is_file())


def imported(statement: str, repeats: int) -> float:
    """Seconds of a process that does nothing else."""
    return min(process(statement) for _ in range(repeats + 1))


def process(statement: str) -> float:
    """Seconds of one."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - began
