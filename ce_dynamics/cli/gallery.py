"""``python -m ce_dynamics.cli.gallery FOLDER``: every robot file of a folder, moved and compared.

A URDF file may have its loops in a YAML file beside it (of its stem, or the only one there).  Every robot
moves from its design pose for a while under its weight; MuJoCo, where it is installed, is asked for the
accelerations at rest, with its equality constraints made exact.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import ce_dynamics as ce
from ce_dynamics.cli.gallery_mujoco import accelerations_at_rest
from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.views.scene.shapes import Shape

STEP = 1e-3
SUFFIXES = (".urdf", ".sdf", ".xml")
HEADER = (
    f"{'robot':26s} {'bodies':>6s} {'loops':>5s} {'dof':>4s} {'read s':>7s} {'comp s':>7s} {'eval us':>8s}"
    f" {'closure m':>10s} {'MuJoCo us':>9s} {'difference':>10s}"
)


@dataclass
class RobotRow:
    """Figures of one robot; ``trouble`` is the error, ``why`` the reason for a missing comparison."""

    name: str
    bodies: int = 0
    loops: int = 0
    freedoms: int = 0
    reading: float = 0.0
    compiling: float = 0.0
    evaluation: float = np.nan
    closure: float = np.nan
    mujoco: float = np.nan
    difference: float = np.nan
    why: str = ""
    trouble: str = ""

    def __str__(self) -> str:
        said = self.trouble or (f"({self.why})" if self.why else "")
        counted = f"{self.name[:26]:26s} {self.bodies:6d} {self.loops:5d} {self.freedoms:4d}"
        times = f" {self.reading:7.1f} {self.compiling:7.1f} {self.evaluation:8.2f} {self.closure:10.1e}"
        peer = f" {self.mujoco:9.2f} {self.difference:10.1e}"
        return f"{counted}{times}{peer}{'  ' if said else ''}{said}"


def robots(folder: Path, words: list[str]) -> Iterator[tuple[Path, Path | None]]:
    """Yield robot files of a folder whose paths hold one of some words, and the loops beside them."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        if path.suffix == ".xml" and b"<mujoco" not in path.read_bytes()[:4096]:
            continue
        if words and not any(word in str(path) for word in words):
            continue
        beside: Path | None = None
        if path.suffix == ".urdf":
            alone = len(list(path.parent.glob("*.urdf"))) == 1
            others = [path.with_suffix(".yaml"), *(sorted(path.parent.glob("*.yaml")) if alone else ())]
            beside = next((other for other in others if other.exists()), None)
        yield path, beside


def read(path: Path, loops: Path | None, ignore: list[str]) -> ce.System:
    """Return a robot of any format."""
    if path.suffix == ".urdf":
        return ce.read_urdf(path, loops=loops, ignore=ignore)
    return ce.read_sdf(path, ignore=ignore) if path.suffix == ".sdf" else ce.read_mjcf(path, ignore=ignore)


def examine_robot(
    path: Path, loops: Path | None, ignore: list[str], duration: float, pages: Path | None
) -> RobotRow:
    """Return a robot's row."""
    generic = path.stem in ("robot", "model")
    row = RobotRow(path.parent.name if generic else path.stem)
    try:
        fill(row, path, loops, ignore, duration, pages)
    except (CeDynamicsError, ce.SimulationError) as error:
        row.trouble = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return row


def fill(
    row: RobotRow, path: Path, loops: Path | None, ignore: list[str], duration: float, pages: Path | None
) -> None:
    """Read, compile, move, compare, draw."""
    start = time.perf_counter()
    system = read(path, loops, ignore)
    row.reading = time.perf_counter() - start
    row.bodies, row.loops = len(system.bodies), len(system.closures)
    start = time.perf_counter()
    model = ce.compile(system)
    model.dynamics(model.y0, model.u0)
    row.compiling = time.perf_counter() - start
    row.freedoms = model.embedding.n_v
    row.mujoco, row.difference, row.why = accelerations_at_rest(model, path, loops)
    ce.simulate(model, duration=STEP, method="rk4", step=STEP)  # compile now, outside the timing below
    run = ce.simulate(model, duration=duration, method="rk4", step=STEP)
    row.evaluation = 1e6 * float(run.attrs["wall_time_s"]) / float(run.attrs["evaluations"])
    if "closure_error" in run:
        row.closure = float(run["closure_error"].max())
    if pages is not None:
        pages.mkdir(parents=True, exist_ok=True)
        page = ce.view(model, run, shapes=shapes(path, loops, ignore), title=row.name)
        page.save(pages / f"{row.name}.html")


def shapes(path: Path, loops: Path | None, ignore: list[str]) -> dict[str, list[Shape]]:
    """Return the shapes of the bodies in a file, without the ground's; none for SDF files."""
    if path.suffix == ".sdf":
        return {}
    given = {"loops": loops, "ignore": ignore} if path.suffix == ".urdf" else {}
    found, _ = ce.robot_shapes(path, **given)
    return {name: each for name, each in found.items() if name != "ground"}


def main(arguments: list[str] | None = None) -> int:
    """Return the table; 1 if a robot could not be read, compiled or moved."""
    parser = argparse.ArgumentParser(prog="python -m ce_dynamics.cli.gallery", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("only", nargs="*", help="words in the paths of the robots that are wanted")
    parser.add_argument("--duration", type=float, default=0.05, help="of the motion [s]")
    parser.add_argument("--pages", type=Path, help="folder for a page in three dimensions of every robot")
    parser.add_argument("--ignore", action="append", default=[], help="as of the readers; may be repeated")
    given = parser.parse_args(arguments)
    failed = 0
    print(HEADER, flush=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path, loops in robots(given.folder, given.only):
            row = examine_robot(path, loops, given.ignore, given.duration, given.pages)
            failed += bool(row.trouble)
            print(row, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
