"""Sizes of an installation with each dependency and its use, and times of imports."""

import subprocess
import sys
import time
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

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
USES = {
    "llvmlite": "LLVM, which makes machine code of models",
    "scipy": "adaptive methods, sparse and dense solvers",
    "numpy": "arrays",
    "pandas": "required by xarray",
    "sympy": "linkages from loop equations",
    "h5py": "NetCDF files of results and studies",
    "numba": "loops of integrators",
    "xarray": "results",
    "pydantic-core": "vehicle files",
    "pygments": "required by rich",
    "pyyaml": "vehicle files",
}
EXTRAS = {"plots": "pages of plots, `ce.draw`", "fmi": "FMUs"}
"""Extras whose size is printed where they are installed, and their uses."""


class Size(NamedTuple):
    """Files of a distribution and the byte code that pip writes beside them [MB]."""

    files: float
    byte_code: float

    def cells(self) -> tuple[str, str]:
        return number(self.files), number(self.byte_code)


def run(options: Options) -> Result:
    sizes = {name: on_disk(name) for name in sorted(needed("ce-dynamics"))}
    large = sorted(
        (name for name in sizes if sizes[name].files >= SMALL), key=lambda name: -sizes[name].files
    )
    rest = [sizes[name] for name in sizes if name not in large]
    rows = [(name, *sizes[name].cells(), USES.get(name, "")) for name in large]
    rows.append((f"{len(rest)} more below {SMALL:g} MB", *total(rest).cells(), "vehicle files, command line"))
    rows.append(("without extras", *total(sizes.values()).cells(), ""))
    for extra, use in EXTRAS.items():
        more = needed("ce-dynamics", extra) - sizes.keys()
        if more and all(map(is_installed, more)):
            rows.append((f"extra `{extra}`", *total(map(on_disk, more)).cells(), use))
    python = ".".join(map(str, sys.version_info[:2]))
    note = f"Python {python}. uv writes no byte code; Python itself does so when a module is first imported."
    head = "package", "files, MB", "byte code, MB", "use"
    packages = Table("Installed packages", head, tuple(rows), (note,))
    return Result((packages,), {"MB": {name: size.files for name, size in sizes.items()}})


def run_imports(options: Options) -> Result:
    seconds = {statement: imported(statement, 1 if options.quick else 9) for statement in IMPORTS}
    note = (
        "Shortest of repeats, with byte code written and files in the system's memory; the interpreter's own "
        "start, the first row, is in all of them."
    )
    lines = tuple((f"`{statement}`", number(1e3 * took)) for statement, took in seconds.items())
    times = Table("Importing", ("statement", "ms"), lines, (note,))
    return Result((times,), {"import_s": seconds})


def total(sizes: Iterable[Size]) -> Size:
    each = list(sizes)
    return Size(sum(size.files for size in each), sum(size.byte_code for size in each))


def is_installed(name: str) -> bool:
    return any(True for _ in metadata.distributions(name=name))


def needed(name: str, extra: str = "") -> set[str]:
    """Return a distribution and all that it requires here, of its extras one at most, and these in turn."""
    found: set[str] = set()
    left = [name]
    while left:
        one = canonicalize_name(left.pop())
        if one in found:
            continue
        found.add(one)
        required = map(Requirement, (metadata.requires(one) or ()) if is_installed(one) else ())
        wanted = extra if one == canonicalize_name(name) else ""
        left.extend(r.name for r in required if r.marker is None or r.marker.evaluate({"extra": wanted}))
    return found


def on_disk(name: str) -> Size:
    """Return the size of a distribution; of the project, where it is installed in place, of its folders."""
    paths = [Path(str(file.locate())) for file in metadata.files(name) or []]
    if name == "ce-dynamics" and not any(path.name == "vehicles.py" for path in paths):
        root = Path(__file__).parents[2]
        paths = [p for folder in ("ce_dynamics", "kinematics", "models") for p in (root / folder).rglob("*")]
    sizes = [(path.suffix == ".pyc", 1e-6 * path.stat().st_size) for path in paths if path.is_file()]
    return Size(*(sum(size for code, size in sizes if code is wanted) for wanted in (False, True)))


def imported(statement: str, repeats: int) -> float:
    return min(process(statement) for _ in range(repeats + 1))


def process(statement: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - began
