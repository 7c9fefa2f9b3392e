"""Surroundings of a run: special files where files are read or written, names, environment variables."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics.models.parts.roads.map_files import read_map
from ce_dynamics.models.tyres.property_file import read_property_file
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.campaigns.bad_input.cases import Case, in_folder
from tests.campaigns.bad_input.command_line import command
from tests.campaigns.bad_input.values import PATHS

READERS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "read_urdf": (ce.read_urdf, ".urdf"), "read_mjcf": (ce.read_mjcf, ".xml"),
    "read_sdf": (ce.read_sdf, ".sdf"), "property file": (read_property_file, ".tir"),
    "crg": (read_map, ".crg"), "crg, packed": (read_map, ".crg.gz"), "map": (read_map, ".npz"),
    "vehicle": (VehicleParameters.load, ".yaml"), "Chrono": (VehicleParameters.load, ".json"),
    "convert": (lambda path: command("convert", str(path)), ".json"),
    "study": (lambda path: study(path), ".nc"),
}  # fmt: skip
HUGE = 20 * 2**30
"""Bytes of a file of which nothing is on the disk."""


def fifo(path: Path) -> None:
    os.mkfifo(path)


def link(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def circle(path: Path) -> None:
    other = path.with_name("other")
    path.symlink_to(other)
    other.symlink_to(path)


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(HUGE)


def packed(path: Path) -> None:
    import gzip

    with gzip.open(path, "wb") as file:
        for _ in range(1024):
            file.write(bytes(2**20))


def content(what: bytes) -> Callable[[Path], None]:
    return lambda path: (path.write_bytes(what), None)[1]


THINGS: dict[str, Callable[[Path], None]] = {
    "nothing": lambda path: None, "folder": lambda path: path.mkdir(), "pipe": fifo,
    "endless": link("/dev/zero"), "terminal": link("/dev/tty"), "memory": link("/proc/self/mem"),
    "link to nothing": link("/no/such/file"), "circle": circle, "huge": huge, "empty": content(b""),
    "space": content(b" \n\t\n"), "byte order mark": content(b"\xef\xbb\xbf"),
    "zeros": content(bytes(4096)), "UTF-16": content("<robot/>".encode("utf-16")),
    "not UTF-8": content(b"\xff\xfe\xfd" * 100), "packed": packed, "one line": content(b"a" * 2_000_000),
}  # fmt: skip
NAMES = {
    "line": "a\nb", "percent": "a%s%(x)d%", "braces": "a{0}{x}", "umlaut": "Räder 車",
    "surrogate": "a\udcffb", "space": " ", "empty": "", "dot": "a.b", "dots": "..", "slash": "a/b",
    "zero": "a\0b", "long": "n" * 100_000, "quote": "a'b\"c", "markup": "<b>[red]$x$</b>", "tab": "a\tb",
    "ground": "ground", "time": "time", "number": "1", "escape": "\x1b[31mred",
    "right to left": "a\u202eb",
}  # fmt: skip


def on(read: Callable[[Path], Any], make: Callable[[Path], None], name: str) -> Callable[[], Any]:
    def run(folder: Path) -> Any:
        make(folder / name)
        return read(folder / name)

    return lambda: in_folder(run)


def pendulum(
    body: str = "arm", output: str = "height", force: str = "wind", parameter: str = "mass"
) -> ce.System:
    system = ce.System()
    mass: Any = system.add_parameter(ce.Parameter(parameter, 1.0, "kg"))
    hinge = ce.Revolute((0.0, 1.0, 0.0))
    arm = system.add_body(
        body, mass=mass, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1), parent="ground", hinge=hinge
    )
    system.add_force(ce.AppliedWrench(force, arm, (0.5, 0.0, 0.0), force=(1.0, 0.0, 0.0)))
    system.add_output(
        output, "m", lambda observer: observer.point(arm, np.array((1.0, 0.0, 0.0)), system.ground).r[2]
    )
    return system


def study(path: Path) -> Any:
    return ce.simulate_study(ce.compile(pendulum()), str(path), np.zeros((2, 2)), duration=0.1, method="rk4")


def used(**names: str) -> Any:
    """Names all the way: a run, its table, a description, source."""
    model = ce.compile(pendulum(**names))
    run = ce.simulate(model, duration=0.01, interval=0.005)
    str(ce.describe(pendulum(**names)))

    def write(folder: Path) -> Any:
        ce.save_table(run, folder / "run.csv")
        return ce.export_c(model, folder / "source")

    return in_folder(write)


def of_files() -> list[Case]:
    found = []
    for what, (read, suffix) in READERS.items():
        for thing, make in THINGS.items():
            may = (what, thing) in ACCEPTED
            found.append(Case(f"{what}: {thing}", on(read, make, f"x{suffix}"), may=may))
        for name in ("line", "percent", "braces", "umlaut", "surrogate", "long", "zero"):
            given = on(read, THINGS["nothing"], NAMES[name] + suffix)
            found.append(Case(f"{what}: named {name}", given, may=(what, "nothing") in ACCEPTED))
        for name, path in PATHS.items():
            may = what == "study" and name == "no file"
            found.append(Case(f"{what}({name})", partial(read, path), may=may))
    return found


ACCEPTED = {("study", "nothing"), ("study", "link to nothing"), ("study", "circle")}
"""Places that need not exist yet; links that lead nowhere are replaced."""


def of_names() -> list[Case]:
    return [
        Case(f"{what} {name}", lambda what=what, text=text: used(**{what: text}), may=True)  # type: ignore[misc]
        for what in ("body", "output", "force", "parameter")
        for name, text in NAMES.items()
    ]
