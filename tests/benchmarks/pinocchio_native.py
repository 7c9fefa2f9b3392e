"""Pinocchio in C++: its headers, which come with the package ``pin``, compiled for this machine."""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import IO

import numpy as np

from tests.benchmarks.mechanism import Closure, Floats, Mechanism
from tests.benchmarks.timing import Batch

SOURCE = Path(__file__).with_name("pinocchio_driver.cpp")
OPTIONS = ["-std=c++17", "-O3", "-march=native", "-DNDEBUG"]
LIMITS = [
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]
"""Parts of Boost that Pinocchio's headers include."""


class MissingError(Exception):
    """Something that a peer needs is not there; the text says what."""


def build(folder: Path | None = None) -> Path:
    """Compile the driver, or find it compiled before; `MissingError` without compiler or headers."""
    compiler = shutil.which(os.environ.get("CXX", "g++")) or shutil.which("c++")
    if compiler is None:
        raise MissingError("no C++ compiler")
    includes = [header_folder(), eigen_folder()]
    command = [compiler, *OPTIONS, "-w", *LIMITS, *(f"-I{path}" for path in includes)]
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    key = hashlib.sha256((SOURCE.read_text() + " ".join(command) + version).encode()).hexdigest()[:16]
    place = folder or Path(tempfile.gettempdir()) / "ce-dynamics-benchmarks"
    place.mkdir(parents=True, exist_ok=True)
    program = place / f"pinocchio_driver_{key}"
    if not program.exists():
        half = program.with_suffix(f".{os.getpid()}")
        done = subprocess.run([*command, str(SOURCE), "-o", str(half)], capture_output=True, text=True)
        if done.returncode:
            raise MissingError(f"the driver does not compile: {first_error(done.stderr)}")
        half.replace(program)
    return program


def first_error(text: str) -> str:
    return next((line for line in text.splitlines() if "error" in line), text[:200])


def header_folder() -> Path:
    spec = importlib.util.find_spec("pinocchio")
    if spec is None or spec.origin is None:
        raise MissingError("the package pin is not installed")
    for parent in Path(spec.origin).parents:
        if (parent / "include" / "pinocchio").is_dir():
            return parent / "include"
    raise MissingError("no headers of Pinocchio")


def eigen_folder() -> Path:
    """Return the folder of Eigen's headers: the environment variable EIGEN_INCLUDE, or the system's."""
    candidates = [Path(os.environ.get("EIGEN_INCLUDE", "/nowhere")), header_folder() / "eigen3"]
    candidates += [Path("/usr/include/eigen3"), Path("/usr/local/include/eigen3")]
    for place in candidates:
        if (place / "Eigen" / "Core").exists():
            return place
    raise MissingError("no headers of Eigen (EIGEN_INCLUDE may name their folder)")


def written(mechanism: Mechanism) -> str:
    lines = [numbers(mechanism.gravity), str(len(mechanism.joints))]
    for joint in mechanism.joints:
        parent = 0 if joint.parent is None else mechanism.index[joint.parent] + 1
        # a free joint's placement is its coordinate
        at = np.zeros(3) if joint.kind == "F" else joint.at - mechanism.origin(joint.parent)
        entries = joint.inertia[np.triu_indices(3)]
        lines.append(
            f"{joint.kind} {parent} {numbers(at)} {numbers(joint.axis)} {joint.mass!r} "
            f"{numbers(joint.com - joint.at)} {numbers(entries)}"
        )
    lines.append(str(len(mechanism.closures)))
    lines += [closure_line(mechanism, closure) for closure in mechanism.closures]
    lines += [numbers(mechanism.q), numbers(mechanism.v), numbers(mechanism.tau)]
    return "\n".join(lines) + "\n"


def closure_line(mechanism: Mechanism, c: Closure) -> str:
    a, b = (0 if body is None else mechanism.index[body] + 1 for body in (c.a, c.b))
    points = numbers(c.at_a - mechanism.origin(c.a)), numbers(c.at_b - mechanism.origin(c.b))
    return f"{c.kind} {a} {b} {points[0]} {points[1]}"


def numbers(values: object) -> str:
    return " ".join(repr(float(x)) for x in np.asarray(values, dtype=float).ravel())


class Driver:
    def __init__(self, program: Path, mechanism: Mechanism) -> None:
        self._file = tempfile.NamedTemporaryFile("w", suffix=".txt")  # noqa: SIM115
        self._file.write(written(mechanism))
        self._file.flush()
        self._process = subprocess.Popen(
            [str(program), self._file.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin is not None, "a pipe was asked for"
        assert self._process.stdout is not None, "a pipe was asked for"
        self._in: IO[str] = self._process.stdin
        self._out: IO[str] = self._process.stdout
        if self._out.readline().strip() != "ready":
            raise MissingError("the driver does not start")

    def ask(self, algorithm: str, n: int, mu: float, iterations: int) -> Floats:
        self._in.write(f"{algorithm} {n} {mu!r} {iterations}\n")
        self._in.flush()
        answer = self._out.readline()
        if not answer:
            raise MissingError(f"the driver ended in {algorithm}")
        return np.array(answer.split(), dtype=float)

    def accelerations(self, algorithm: str, mu: float = 1e-12, iterations: int = 1) -> Floats:
        return self.ask(algorithm, 0, mu, iterations)

    def batch(self, algorithm: str, mu: float = 1e-12, iterations: int = 1) -> Batch:
        """Return a batch to be timed; the driver reads the clock."""
        return lambda n: float(self.ask(algorithm, n, mu, iterations)[0])

    def close(self) -> None:
        self._in.close()
        self._process.wait(timeout=10)
        self._out.close()
        self._file.close()
